/* Every test, in one program. Small chunks and no threshold, so that even small arrays take the parallel way. */
#define HYBRID_PARALLEL_NS 0
#define HYBRID_CHUNK 64
#define HYBRID_PROFILE_EVENTS 3000
#define HYBRID_PROGRAM_BYTES ((size_t)2 << 20)
#define HY__ZIP_MOST 1000
#define HY__STREAM_BYTES 500
#define HY__VERIFY
#define HYBRID_SOURCE
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
/* What is tested is the library as it was optimised. The tests themselves compile sooner without, and what they
 * compare with keeps its NaN under -ffast-math. */
#if defined(__clang__)
#pragma clang optimize off
#ifdef HY__FLOAT_CONTROL
#pragma float_control(precise, on)
#endif
#elif defined(__GNUC__)
#pragma GCC optimize("O0", "no-fast-math", "no-finite-math-only", "signed-zeros", \
    "no-unsafe-math-optimizations")
#ifdef HY__IEEE
#pragma GCC diagnostic ignored "-Wattributes"
#define static static HY__IEEE
#endif
#endif
#include "test.h"
#include "ref.h"
#include "ops_ref.c"
#include "test_ops.c"
#include "test_sizes.c"
#include "test_edges.c"
#include "test_frame.c"
#include "test_array.c"
#include "test_math.c"
#include "test_infer.c"
#include "test_autograd.c"
#include "test_threads.c"
#include "test_oom.c"
#include "test_grow.c"
#include "test_later.c"
#include "test_blocks.h"
#include "test_graph.c"
#include "test_graph_infer.c"
#include "test_block.c"
#include "test_param.c"
#include "test_hybridize.c"
#include "test_trace.c"
#include "test_rows.c"
#include "test_lanes.c"
#include "test_whole.c"
#include "test_cache.c"
#include "test_compose.c"
#include "test_hybrid_grad.c"
#include "test_check.c"
#include "test_passes.c"
#include "test_sized.c"
#include "test_symbols.c"
#include "test_resize.c"
#include "test_resize_bound.c"
#include "test_resize_ops.c"
#include "test_resize_images.c"
#include "test_layout.c"
#include "test_ways.c"
#include "test_execute.c"
#include "test_layers.c"
#include "test_contrib_layers.c"
#include "test_modes.c"
#include "test_lifetime.c"
#include "test_save.c"
#include "test_context.c"
#include "test_target.c"
#include "test_golden.c"
#include "test_machines.c"
#include "test_symbol.c"
#include "test_compound.c"
#include "test_numpy.c"
#include "test_einsum.c"
#include "test_profile.c"
#include "test_layered.c"
#include "test_control.c"
#include "test_loops.c"
#include "test_reached.c"
#include "test_linalg.c"
#include "test_random.c"
#include "test_ahead.c"
#include "test_stretch.c"
#include "test_floors.c"
#include "test_corners.c"
#include "test_turns.c"
#include "test_folded.c"
#include "test_dropin.c"
#include "test_spread.c"
#include "test_recompute.c"
#include "test_draws.c"
#include "test_order.c"
#include "test_first_call.c"
#include "test_catalogue.c"
#include "test_front.c"
#include "test_train.c"
#include "test_losses.c"
#include "test_data.c"
#include "test_workers.c"
#include "test_transforms.c"
#include "test_batches.c"
#include "test_prototypes.c"
#include "test_step.c"
#include "test_handover.c"
#include "test_ctc_twice.c"
#include "test_joint.c"
#include "test_records.c"
#include "test_fit.c"
#include "test_source.c"
#include "test_source_numbers.c"
#include "test_quantize.c"
#include "test_source_control.c"
#include "test_outside.c"
#include "test_op_ways.c"
#include "test_onnx.c"
#include "test_memory.c"
#include "test_reading.c"
#include "test_onnx_built.c"
#include "test_onnx_given.c"
#include "test_len.c"
#include "test_onnx_runtime.c"
#include "test_onnx_attention.c"
#include "test_onnx_int8.c"
#include "test_misuse.c"
#include "test_fitted.c"
#include "test_callbacks.c"
#include "test_walk.c"
#include "test_handles.c"
#include "test_attention.c"
#include "test_written_out.c"
#include "test_written.c"
#include "test_shared.c"
#include "test_small.c"
#include "test_references.c"

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (ops_lack_references()) { printf("0 passed, 1 failed\n"); return 1; }
    test_ask(argc > 1 ? argv[1] : NULL);
    test_frame();
    test_array();
    test_grow();
    test_math();
    test_infer();
    test_autograd();
    test_threads();
    test_oom();
    test_later();
    test_memory();
    test_reading();
    test_graph();
    test_graph_infer();
    test_block();
    test_param();
    test_hybridize();
    test_trace();
    test_compose();
    test_cache();
    test_hybrid_grad();
    test_hy_check();
    test_lifetime();
    test_passes();
    test_sized();
    test_symbols();
    test_resize();
    test_resize_bound();
    test_resize_ops();
    test_resize_images();
    test_layout();
    test_ways();
    test_execute();
    test_layers();
    test_contrib_layers();
    test_modes();
    test_save();
    test_context();
    test_target();
    test_golden();
    test_machines();
    test_symbol();
    test_compound();
    test_numpy();
    test_einsum();
    test_profile();
    test_layered();
    test_control();
    test_loops();
    test_reached();
    test_ahead();
    test_stretch();
    test_floors();
    test_corners();
    test_turns();
    test_recompute();
    test_draws();
    test_order();
    test_source();
    test_outside();
    test_op_ways();
    test_quantize();
    test_linalg();
    test_random();
    test_source_loops();
    test_first_call();
    test_catalogue();
    test_front();
    test_train();
    test_losses();
    test_data();
    test_workers();
    test_transforms();
    test_batches();
    test_prototypes();
    test_step();
    test_handover();
    test_ctc_twice();
    test_joint();
    test_source_numbers();
    test_records();
    test_fit();
    test_misuse();
    test_fitted();
    test_callbacks();
    test_onnx();
    test_onnx_built();
    test_onnx_given();
    test_len();
    test_onnx_runtime();
    test_onnx_attention();
    test_onnx_int8();
    test_walk();
    test_handles();
    test_attention();
    test_written_out();
    test_written();
    test_shared();
    test_small();
    test_references();
    test_ops();
    test_sizes();
    test_edges();
    test_rows();
    test_lanes();
    test_whole();
    test_folded();
    test_dropin();
    test_spread();
    printf("%d passed, %d failed\n", test_passed, test_failed);
    return test_failed != 0;
}
