// The header in C++: implementation, references for options, groups in braces, formulas, a network that learns.
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"

int main()
{
    hy_frame *F = hy_open(NULL);
    float numbers[] = {1, 2, 3, 4};
    hy_array *x = hy_floats(F, HY_SHAPE(2, 2), numbers);
    hy_softmax_opt warm = {};
    warm.temperature = 2;
    hy_reduce_opt keep = {};
    keep.keepdims = 1;
    hy_array *y = hy_softmax(F, x, -1, warm);
    hy_array *z = hy_concat(F, {x, y}, 0);
    double total = hy_item(F, hy_sum(F, hy_sum(F, z, HY_AXES(1), keep), HY_ALL, NULL));
    bool ok = total > 11.99 && total < 12.01;
    hy::value a(F, x), w(F, hy_full(F, HY_SHAPE(2), -2)), b(F, y);
    hy_array *formula = relu(a * w + 20 - b / 4 + 3 / (1 - -a)) * 0.5;
    hy_array *spelt = hy_mul_scalar(F, hy_relu(F, hy_add(F,
        hy_sub(F, hy_add_scalar(F, hy_mul(F, a, w), 20), hy_div_scalar(F, b, 4)),
        hy_rdiv_scalar(F, hy_rsub_scalar(F, hy_negative(F, a), 1), 3))), 0.5);
    ok = ok && hy_item(F, hy_sum(F, hy_not_equal(F, formula, spelt), HY_ALL, NULL)) == 0 && hy_size(F, formula) == 4;
    hy_array *joined = relu(hy::concat({a, w + a}, 1));                  // in namespace hy, options left out
    ok = ok && hy_item(F, hy_sum(F, hy_not_equal(F, joined, hy_relu(F, hy_concat(F, {x, hy_add(F, w, x)}, 1))), HY_ALL, NULL)) == 0;
    ok = ok && hy_item(F, sum(softmax(a, -1, warm) - b, HY_ALL)) == 0;

    hy_pooling_opt window = {};                                          // sizes in braces, assigned and handed over
    window.stride = {1, 2};
    window.pad = {0, 1};
    hy_pooling_opt listed = {};
    listed.stride = HY_INTS(1, 2);
    listed.pad = HY_INTS(0, 1);
    hy_array *image = hy_random_normal(F, {1, 1, 3, 4}, 0, 1, NULL);
    hy_array *pooled = hy_pooling(F, image, {2, 2}, window);
    ok = ok && hy_ndim(F, image) == 4 && hy_size(F, image) == 12 && hy_size(F, pooled) == 2 * 3;
    ok = ok && hy_item(F, hy_sum(F, hy_not_equal(F, pooled, hy_pooling(F, image, HY_INTS(2, 2), listed)), HY_ALL, NULL)) == 0;
    ok = ok && window.stride.n == 2 && window.stride.v[1] == 2;

    hy_nn_dense_opt hidden = {};
    hidden.activation = "relu";
    hidden.weight_initializer = hy_init_normal(0.5);
    hy_optim_opt descent = {};
    descent.learning_rate = 0.1;
    hy_hybridize_opt whole = {};
    whole.static_alloc = 1;
    hy_block *net = hy_nn_hybrid_sequential(F), *loss = hy_loss_l2(F, hy_loss_opt());
    hy_append(F, net, { hy_nn_dense(F, 8, hidden), hy_nn_dense(F, 1) });          /* as a list, without options */
    hy_initialize(F, net, hy_init_xavier(hy_xavier_opt()));
    hy_hybridize(F, net, whole);
    hy_trainer *T = hy_trainer_new(F, net, hy_optim_sgd(descent), NULL);
    hy_array *label = hy_ones(F, HY_SHAPE(2, 1));
    double first = 0, last = 0;
    for (int step = 0; step < 20; step++) {
        hy_begin(F);
        hy_record(F);
        hy_array *l = hy_call(F, loss, {hy_call(F, net, x), label});
        hy_pause(F);
        hy_backward(F, l);
        hy_step(F, T, 2);
        last = hy_item(F, hy_mean(F, l, HY_ALL, NULL));
        if (step == 0) first = last;
        hy_end(F);
    }
    ok = ok && !hy_error(F) && last < first;

    hy_type parts[2] = {};                              /* samples of their own length, padded, batch by batch */
    parts[0].dtype = parts[1].dtype = HY_F32;
    parts[0].shape = HY_SHAPE(-1);
    hy_dataset *D = hy_dataset_of_parts(F, 7, 2, parts,
        [](void *, int64_t i, uint64_t, const hy_part *, hy_part *out) {
            out[0].type.shape.dim[0] = 1 + i % 3;
            for (int k = 0; out[0].data && k <= i % 3; k++) static_cast<float *>(out[0].data)[k] = 1;
            if (out[1].data) *static_cast<float *>(out[1].data) = static_cast<float>(i);
            return 0;
        }, nullptr);
    D = hy_dataset_filter(F, D, [](void *, int64_t i, const hy_part *) { return i != 2 ? 1 : 0; }, nullptr);
    hy_batchify_pad_opt pad = {};
    pad.val = -1;
    hy_loader_opt way = {};
    way.batch_sampler = hy_sampler_batch(F, hy_sampler_interval(F, 6, 3, 0), 4, HY_LAST_ROLLOVER);
    way.batchify = hy_batchify_group(F, {hy_batchify_pad(F, pad), hy_batchify_stack(F)});
    hy_loader *L = hy_loader_new(F, D, 0, way);
    hy_array *batch = hy_next(F, L);
    ok = ok && hy_loader_length(F, L) == 1 && hy_dim(F, hy_get(F, batch, 0), 1) == 3;
    ok = ok && hy_value(F, hy_get(F, batch, 0), 0, 1) == -1 && hy_value(F, hy_get(F, batch, 1), 1) == 4;
    return hy_close(F) || !ok;
}
