/* Whatever can be added has a reference, something that was worked out apart from the library: each row of the
 * operators, optimisers, passes, losses and metrics, each prototype of layers, cells, initialisers, schedules, readers
 * and writers. What has none fails here, and the line to add is printed with the file where it goes.
 * Operators: tests/ops_ref.c. Layers that are one operator: LAYER_ROWS. All others: references. */

/* --- layers that are one operator: its reference, given the layer's parameters --- */
#ifndef HYBRID_NO_VISION
#define LAYER_IMAGE_ROWS(L) \
    L(conv1d, (F, 4, HY_INTS(3), NULL), convolution, "(2,3,7) (4,3,3) (4) | kernel=(3,) num_filter=4") \
    L(conv2d, (F, 4, HY_INTS(3, 2), NULL), convolution, "(2,3,5,6) (4,3,3,2) (4) | kernel=(3,2) num_filter=4") \
    L(conv3d, (F, 2, HY_INTS(2, 2, 2), NULL), convolution, "(1,3,4,3,5) (2,3,2,2,2) (2) | kernel=(2,2,2) num_filter=2") \
    L(conv1d_transpose, (F, 2, HY_INTS(3), NULL), deconvolution, \
        "(2,3,4) (3,2,3) (2) | kernel=(3,) num_filter=2 no_bias=False") \
    L(conv2d_transpose, (F, 3, HY_INTS(3, 2), NULL), deconvolution, \
        "(1,2,3,4) (2,3,3,2) (3) | kernel=(3,2) num_filter=3 no_bias=False") \
    L(conv3d_transpose, (F, 2, HY_INTS(2, 1, 2), NULL), deconvolution, \
        "(1,2,3,2,2) (2,2,2,1,2) (2) | kernel=(2,1,2) num_filter=2 no_bias=False") \
    L(max_pool1d, (F, HY_INTS(2), NULL), pooling, "(2,3,6) | kernel=(2,) stride=(2,)") \
    L(max_pool2d, (F, HY_INTS(2, 3), NULL), pooling, "(2,3,6,6) | kernel=(2,3) stride=(2,3)") \
    L(max_pool3d, (F, HY_INTS(2, 2, 1), NULL), pooling, "(1,2,4,4,3) | kernel=(2,2,1) stride=(2,2,1)") \
    L(avg_pool1d, (F, HY_INTS(2), NULL), pooling, "(2,3,6) | kernel=(2,) stride=(2,) pool_type=avg") \
    L(avg_pool2d, (F, HY_INTS(2, 3), NULL), pooling, "(2,3,6,6) | kernel=(2,3) stride=(2,3) pool_type=avg") \
    L(avg_pool3d, (F, HY_INTS(2, 2, 1), NULL), pooling, "(1,2,4,4,3) | kernel=(2,2,1) stride=(2,2,1) pool_type=avg") \
    L(global_max_pool1d, (F, NULL), pooling, "(2,3,6) | kernel=(1,) global_pool=True") \
    L(global_max_pool2d, (F, NULL), pooling, "(2,3,4,5) | kernel=(1,1) global_pool=True") \
    L(global_max_pool3d, (F, NULL), pooling, "(1,2,3,4,3) | kernel=(1,1,1) global_pool=True") \
    L(global_avg_pool1d, (F, NULL), pooling, "(2,3,6) | kernel=(1,) global_pool=True pool_type=avg") \
    L(global_avg_pool2d, (F, NULL), pooling, "(2,3,4,5) | kernel=(1,1) global_pool=True pool_type=avg") \
    L(global_avg_pool3d, (F, NULL), pooling, "(1,2,3,4,3) | kernel=(1,1,1) global_pool=True pool_type=avg") \
    L(to_tensor, (F), image_to_tensor, "(5,4,3)int[0,255]") \
    L(normalize, (F, HY_REALS(0.5, 0.25, 1), HY_REALS(2)), image_normalize, "(2,3,4,5) | mean=(0.5,0.25,1) std=(2)") \
    L(resize, (F, HY_INTS(3, 7), NULL), image_resize, "(2,4,5,3) | size=(3,7)") \
    L(crop_resize, (F, 1, 2, 3, 2, NULL), image_crop, "(4,5,3) | x=1 y=2 width=3 height=2")
#else
#define LAYER_IMAGE_ROWS(L)
#endif
/* hy_nn_..., its arguments, the operator, a case of ops_ref.c: the data, the parameters in their order, attributes. */
#define LAYER_ROWS(L) \
    L(dense, (F, 3, NULL), fully_connected, "(2,5) (3,5) (3) | num_hidden=3") \
    L(embedding, (F, 7, 2, NULL), embedding, "(2,3)int[0,6] (7,2) | input_dim=7 output_dim=2") \
    L(flatten, (F), flatten, "(2,3,4)") \
    L(cast, (F, HY_F64), cast, "(2,3,4) | dtype=float64") \
    L(activation, (F, "softrelu"), activation, "(3,4) | act_type=softrelu") \
    L(leaky_relu, (F, 0.1), leaky_relu, "(3,4) | act_type=leaky slope=0.1") \
    L(prelu, (F, NULL), leaky_relu, "(3,4) (1)[0,1] | act_type=prelu") \
    L(elu, (F, 1.5), leaky_relu, "(3,4) | act_type=elu slope=1.5") \
    L(selu, (F), leaky_relu, "(3,4) | act_type=selu") \
    L(gelu, (F), leaky_relu, "(3,4) | act_type=gelu") \
    L(batch_norm, (F, NULL), batch_norm, "(4,3,2,2) (3) (3) (3)[-1,1] (3)[0.5,2] | eps=1e-05 fix_gamma=False") \
    L(layer_norm, (F, NULL), layer_norm, "(3,7) (7) (7) | eps=1e-05") \
    L(group_norm, (F, 2, NULL), group_norm, "(2,4,3,3) (2) (2) | num_groups=2 eps=1e-05") \
    L(instance_norm, (F, NULL), instance_norm, "(2,3,4,3) (3) (3) | eps=1e-05") \
    LAYER_IMAGE_ROWS(L)
#define LAYER_MAKE(name, arguments, op, text) static hy_block *layer_##name(hy_frame *F) { return hy_nn_##name arguments; }
#define LAYER_ROW(name, arguments, op, text) { "hy_nn_" #name, text, layer_##name, &ref_##op },
LAYER_ROWS(LAYER_MAKE)
static const struct layer_row { const char *name, *text; hy_block *(*make)(hy_frame *F); const ref_op *ref; } layer_rows[] = {
    LAYER_ROWS(LAYER_ROW)
};

static void layer_check(const struct layer_row *row)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = row->make(F);
    ops_inputs in;
    ops_case c;
    hy_params params;
    hy_array *x, *y;
    int i, turn;
    ops_open_case(&c, row->text);
    in.n = c.ref.nin;
    for (i = 0; i < in.n; i++) in.x[i] = ops_array(F, &c.ref.in[i], HY_F32, 0);
    ops_round_inputs(F, &in, &c);
    x = in.x[0];
    hy_initialize(F, net, NULL);
    hy_call(F, net, x);                                 /* finds the shapes of its parameters */
    params = hy_collect_params(F, net, NULL);
    CHECK(params.n == in.n - 1);
    for (i = 0; i < params.n && i < in.n - 1; i++) hy_set_param(F, params.at[i], in.x[i + 1]);
    row->ref->fn(&c.ref);
    for (turn = 0; turn < 3; turn++) {                  /* line by line, traced, compiled */
        y = hy_call(F, net, x);
        ops_compare(F, y ? hy_get(F, y, 0) : NULL, &c.ref.out[0], 1e-5, HY_F32);
        if (turn == 0) hy_hybridize(F, net, NULL);
    }
    ops_complain(F, row->name);
    if (test_broken) printf("    %s\n", row->name);
    ops_close_case(&c);
    CHECK(hy_close(F) == 0);
}

static void references_layers(void)
{
    size_t i;
    for (i = 0; i < sizeof layer_rows / sizeof *layer_rows; i++) layer_check(&layer_rows[i]);
}

/* --- what else has a reference: the file and its test that compares with numbers worked out apart --- */
static const struct reference { const char *name, *file, *test; } references[] = {
    /* layers and cells that are no single operator; fused layers have tests/ops_ref.c behind them, as rnn */
    { "hy_nn_swish", "test_layers.c", "lay_activations" },
    { "hy_nn_dropout", "test_layers.c", "lay_embedding_dropout_flatten" },
    { "hy_nn_center_crop", "test_transforms.c", "transforms_middle" },
    { "hy_nn_random_resized_crop", "test_transforms.c", "transforms_in_distribution" },
    { "hy_nn_random_flip_left_right", "test_transforms.c", "transforms_in_distribution" },
    { "hy_nn_random_flip_top_bottom", "test_transforms.c", "transforms_in_distribution" },
    { "hy_nn_random_brightness", "test_transforms.c", "transforms_in_distribution" },
    { "hy_nn_random_contrast", "test_transforms.c", "transforms_in_distribution" },
    { "hy_nn_random_saturation", "test_transforms.c", "transforms_in_distribution" },
    { "hy_nn_random_hue", "test_transforms.c", "transforms_in_distribution" },
    { "hy_nn_random_color_jitter", "test_transforms.c", "transforms_in_distribution" },
    { "hy_nn_random_lighting", "test_transforms.c", "transforms_in_distribution" },
    { "hy_nn_sequential", "test_layers.c", "lay_containers" },
    { "hy_nn_hybrid_sequential", "test_layers.c", "lay_containers" },
    { "hy_nn_concurrent", "test_layers.c", "lay_containers" },
    { "hy_nn_hybrid_concurrent", "test_layers.c", "lay_containers" },
    { "hy_nn_identity", "test_layers.c", "lay_containers" },
    { "hy_nn_lambda", "test_layers.c", "lay_containers" },
    { "hy_nn_hybrid_lambda", "test_layers.c", "lay_lambda" },
    { "hy_nn_lambda_op", "test_layers.c", "lay_lambda" },
    { "hy_nn_hybrid_lambda_op", "test_layers.c", "lay_lambda" },
    { "hy_nn_symbol_block", "test_save.c", "save_symbol_block" },
    { "hy_rnn_rnn", "test_layers.c", "lay_fused_equals_cells" },
    { "hy_rnn_lstm", "test_layers.c", "lay_fused_equals_cells" },
    { "hy_rnn_gru", "test_layers.c", "lay_fused_equals_cells" },
    { "hy_rnn_rnn_cell", "test_layers.c", "lay_cells" },
    { "hy_rnn_lstm_cell", "test_layers.c", "lay_fused_equals_cells" },
    { "hy_rnn_gru_cell", "test_layers.c", "lay_fused_equals_cells" },
    { "hy_rnn_sequential_cell", "test_layers.c", "lay_fused_equals_cells" },
    { "hy_rnn_bidirectional_cell", "test_layers.c", "lay_fused_equals_cells" },
    { "hy_rnn_dropout_cell", "test_references.c", "references_cells" },
    { "hy_rnn_residual_cell", "test_references.c", "references_cells" },
    { "hy_rnn_zoneout_cell", "test_layers.c", "lay_zoneout" },
    { "hy_rnn_lstmp_cell", "test_contrib_layers.c", "contrib_lstmp" },
    { "hy_rnn_conv_rnn_cell", "test_contrib_layers.c", "contrib_conv_cells" },
    { "hy_rnn_conv_lstm_cell", "test_contrib_layers.c", "contrib_conv_cells" },
    { "hy_rnn_conv_gru_cell", "test_contrib_layers.c", "contrib_conv_cells" },
    { "hy_rnn_variational_dropout_cell", "test_contrib_layers.c", "contrib_masks" },
    { "hy_nn_pixel_shuffle1d", "test_contrib_layers.c", "contrib_shuffle" },
    { "hy_nn_pixel_shuffle2d", "test_contrib_layers.c", "contrib_shuffle" },
    { "hy_nn_pixel_shuffle3d", "test_contrib_layers.c", "contrib_shuffle" },
    { "hy_nn_deformable_convolution", "test_contrib_layers.c", "contrib_deformable" },
    /* initialisers and schedules */
    { "hy_init_zeros", "test_layers.c", "lay_init_exact" }, { "hy_init_ones", "test_layers.c", "lay_init_exact" },
    { "hy_init_constant", "test_layers.c", "lay_init_exact" }, { "hy_init_bilinear", "test_layers.c", "lay_init_exact" },
    { "hy_init_lstm_bias", "test_layers.c", "lay_init_exact" }, { "hy_init_uniform", "test_layers.c", "lay_init_random" },
    { "hy_init_normal", "test_layers.c", "lay_init_random" }, { "hy_init_xavier", "test_layers.c", "lay_init_random" },
    { "hy_init_msra_prelu", "test_layers.c", "lay_init_random" },
    { "hy_init_orthogonal", "test_layers.c", "lay_init_orthogonal" },
    { "hy_init_load", "test_layers.c", "lay_init_by_name" }, { "hy_init_mixed", "test_layers.c", "lay_init_by_name" },
    { "hy_init_fused_rnn", "test_layers.c", "lay_init_fused" },
    { "hy_schedule_factor", "test_train.c", "test_train_schedules" },
    { "hy_schedule_multi_factor", "test_train.c", "test_train_schedules" },
    { "hy_schedule_poly", "test_train.c", "test_train_schedules" },
    { "hy_schedule_cosine", "test_train.c", "test_train_schedules" },
    /* an optimiser and a loss that have tests of their own, metrics */
    { "hy_optim_sgld", "test_train.c", "test_train_sgld" },
    { "hy_metric_accuracy", "test_losses.c", "test_metrics_reference" },
    { "hy_metric_top_k", "test_losses.c", "test_metrics_reference" },
    { "hy_metric_f1", "test_losses.c", "test_metrics_reference" },
    { "hy_metric_mcc", "test_losses.c", "test_metrics_reference" },
    { "hy_metric_mae", "test_losses.c", "test_metrics_reference" },
    { "hy_metric_mse", "test_losses.c", "test_metrics_reference" },
    { "hy_metric_rmse", "test_losses.c", "test_metrics_reference" },
    { "hy_metric_cross_entropy", "test_losses.c", "test_metrics_reference" },
    { "hy_metric_nll", "test_losses.c", "test_metrics_reference" },
    { "hy_metric_perplexity", "test_losses.c", "test_metrics_reference" },
    { "hy_metric_pearson", "test_losses.c", "test_metrics_reference" },
    { "hy_metric_pcc", "test_losses.c", "test_metrics_reference" },
    { "hy_metric_loss", "test_losses.c", "test_metrics_reference" },
    { "hy_metric_custom", "test_losses.c", "test_metrics_composite" },
    { "hy_metric_composite", "test_losses.c", "test_metrics_composite" },
    { "hy_loss_ctc", "test_losses.c", "test_losses_ctc" },
    /* samplers, ways to make batches */
    { "hy_sampler_sequential", "test_batches.c", "batches_orders" }, { "hy_sampler_random", "test_batches.c", "batches_random" },
    { "hy_sampler_interval", "test_batches.c", "batches_orders" }, { "hy_sampler_filter", "test_batches.c", "batches_orders" },
    { "hy_sampler_of", "test_batches.c", "batches_orders" }, { "hy_sampler_batch", "test_batches.c", "batches_last_ones" },
    { "hy_sampler_of_batches", "test_batches.c", "batches_of_ones_own" },
    { "hy_batchify_stack", "test_batches.c", "batches_of_arrays" }, { "hy_batchify_pad", "test_batches.c", "batches_of_arrays" },
    { "hy_batchify_group", "test_batches.c", "batches_of_arrays" }, { "hy_batchify_of", "test_batches.c", "batches_of_arrays" },
    /* readers and writers */
    { "hy_idx_from", "test_data.c", "test_data_readers" }, { "hy_cifar_from", "test_data.c", "test_data_readers" },
    { "hy_csv_from", "test_data.c", "test_data_readers" }, { "hy_records_from", "test_data.c", "test_data_readers" },
    { "hy_read_idx", "test_references.c", "references_files" }, { "hy_read_csv", "test_references.c", "references_files" },
    { "hy_read_cifar", "test_references.c", "references_files" },
    { "hy_cifar_as_from", "test_data.c", "test_data_readers" },
    { "hy_read_cifar_as", "test_references.c", "references_files" },
    { "hy_read_records", "test_references.c", "references_files" },
    { "hy_dataset_records", "test_records.c", "test_records_files" },
    { "hy_dataset_records_from", "test_records.c", "test_records_by_number" },
    { "hy_load", "test_save.c", "save_golden_arrays" }, { "hy_load_from", "test_save.c", "save_formats" },
    { "hy_load_symbol", "test_references.c", "references_files" },
    { "hy_symbol_from", "test_symbol.c", "symbol_foreign" }, { "hy_import", "test_golden.c", "golden_models" },
    { "hy_import_files", "test_save.c", "save_modes" }, { "hy_import_from", "test_symbol.c", "symbol_foreign" },
    { "hy_load_model", "test_golden.c", "golden_models" }, { "hy_load_model_from", "test_golden.c", "golden_versions" },
    { "hy_load_parameters", "test_save.c", "save_parameters" }, { "hy_load_states", "test_golden.c", "golden_training" },
    { "hy_save", "test_save.c", "save_formats" }, { "hy_save_to", "test_save.c", "save_safetensors" },
    { "hy_save_bytes", "test_references.c", "references_files" },
    { "hy_save_symbol", "test_references.c", "references_files" },
    { "hy_symbol_to", "test_symbol.c", "symbol_for_mxnet" }, { "hy_export", "test_save.c", "save_book" },
    { "hy_export_to", "test_save.c", "save_lenet" }, { "hy_export_for", "test_save.c", "save_inputs" },
    { "hy_save_model", "test_save.c", "save_aside" }, { "hy_save_model_to", "test_save.c", "save_lent" },
    { "hy_save_model_for", "test_save.c", "save_inputs" }, { "hy_save_parameters", "test_save.c", "save_parameters" },
    { "hy_save_states", "test_train.c", "test_train_states" }, { "hy_export_c", "test_source.c", "test_source_networks" },
    /* passes over graphs, by their names */
    { "fold", "test_passes.c", "passes_folding" }, { "algebra", "test_passes.c", "passes_identities" },
    { "cse", "test_passes.c", "passes_common" }, { "written", "test_written_out.c", "written_out_forms" }, { "widen", "test_layout.c", "last_halves" },
    { "batch_norm", "test_passes.c", "passes_norms" }, { "batch_lanes", "test_lanes.c", "lanes_inference" },
    { "layout", "test_layout.c", "last_nets" }, { "ahead", "test_ahead.c", "test_ahead_values" },
    { "prologue", "test_passes.c", "passes_prologue" }, { "attention", "test_attention.c", "test_attention_written_out" },
    { "tails", "test_passes.c", "passes_norms" }, { "chains", "test_ways.c", "way_share_1" },
    { "fuse", "test_passes.c", "passes_fusing" },
};

/* What prototypes give by whose name: a kind. Readers and writers may be called otherwise (.._from, .._to). */
static const struct reference_kind { const char *kind, *gives, *begins, *ends; } reference_kinds[] = {
    { "a layer", "hy_block", "hy_nn_", "" }, { "a recurrent layer or cell", "hy_block", "hy_rnn_", "" },
    { "an initialiser", "hy_init", "hy_init_", "" }, { "a schedule", "hy_schedule", "hy_schedule_", "" },
    { "an optimiser", "hy_optim", "hy_optim_", "" }, { "a loss", "hy_block", "hy_loss_", "" },
    { "a sampler", "hy_sampler", "hy_sampler_", "" }, { "a batchify", "hy_batchify", "hy_batchify_", "" },
    { "a metric", "hy_metric", "hy_metric_", "" }, { "a reader", "", "hy_read_", "" }, { "a reader", "", "hy_load", "" },
    { "a reader", "", "hy_import", "" }, { "a reader", "hy_array", "hy_", "_from" }, { "a reader", "hy_graph", "hy_", "_from" },
    { "a reader", "", "hy_dataset_records", "" }, { "a writer", "", "hy_save", "" }, { "a writer", "", "hy_export", "" },
    { "a writer", "", "hy_symbol_to", "" }
};
static const char *const references_not[] = {           /* of such names, and yet none of these */
    "hy_optim_named", "hy_metric_at", "hy_loader_new", "hy_loader_length", "hy_loader_rewind", "hy_loader_free", "hy_from",
    NULL
};

static char *references_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t most = 16 << 20, n;
    char *text = file ? (char *)malloc(most) : NULL;
    if (!file) return NULL;
    n = text ? fread(text, 1, most - 1, file) : 0;
    fclose(file);
    if (text) text[n] = 0;
    return text;
}

/* A row's test is there, is run, and is of a file that calls what it is about. */
static void references_of_row(const struct reference *row)
{
    char path[200], run[200], call[200];
    char *text;
    int is_pass = strncmp(row->name, "hy_", 3) != 0;
    snprintf(path, sizeof path, "tests/%s", row->file);
    snprintf(run, sizeof run, "RUN(%s)", row->test);
    snprintf(call, sizeof call, "%s", row->name);
    text = references_text(path);
    if (text && strstr(text, run) && (is_pass || strstr(text, call))) { free(text); return; }
    CHECK(!"each reference is a test");
    printf("    tests/test_references.c: %s has its reference in %s, %s: that has no such test, or does not call it\n",
           row->name, path, row->test);
    free(text);
}

static int references_known(const char *name)
{
    size_t i;
    for (i = 0; references_not[i]; i++) if (!strcmp(references_not[i], name)) return 1;
    for (i = 0; i < sizeof references / sizeof *references; i++) if (!strcmp(references[i].name, name)) return 1;
    for (i = 0; i < sizeof layer_rows / sizeof *layer_rows; i++) if (!strcmp(layer_rows[i].name, name)) return 1;
    for (i = 0; i < sizeof loss_cases / sizeof *loss_cases; i++) if (!strcmp(loss_cases[i].of, name)) return 1;
    for (i = 0; i < sizeof train_cases / sizeof *train_cases; i++)
        if (!strncmp(name, "hy_optim_", 9) && !strcmp(train_cases[i].make().name, name + 9)) return 1;
    return 0;
}

/* The line that is missing, and where. */
static void references_missing(const char *name, const char *kind)
{
    CHECK(!"everything has a reference");
    printf("    %s is %s without a reference. Add to ", name, kind);
    if (!strncmp(name, "hy_optim_", 9))
        printf("TRAIN_CASES in tests/test_train.c\n        C(%s, %s, o.learning_rate = 0.01;) \\\n"
               "    and to train_plain there what it makes of one weight, in doubles\n        { \"%s\", plain_%s },\n",
               name + 9, name, name + 9, name + 9);
    else if (!strncmp(name, "hy_loss_", 8))
        printf("LOSS_CASES in tests/test_losses.c\n        L(%s, %s, \"ab\", ;) \\\n"
               "    and its numbers, in the same place, to tests/loss_ref.h\n"
               "        { \"%s\", 4, { the loss of each sample }, { its gradient by the 20 predictions } },\n",
               name + 8, name + 8, name + 8);
    else if (!strncmp(name, "hy_metric_", 10))
        printf("test_metrics_reference in tests/test_losses.c\n        metric_case(F, \"%s\", %s(F, NULL), 'R');\n"
               "    to metric_ref in tests/loss_ref.h\n        { \"%s\", { after one, two and three batches } },\n"
               "    and to references in tests/test_references.c\n"
               "        { \"%s\", \"test_losses.c\", \"test_metrics_reference\" },\n", name + 10, name, name + 10, name);
    else if (!strncmp(name, "hy_nn_", 6))
        printf("LAYER_ROWS in tests/test_references.c, if it is one operator,\n"
               "        L(%s, (F, its arguments), the operator, \"(2,3) the shapes of its parameters | attributes\") \\\n"
               "    or to references there\n        { \"%s\", \"test_layers.c\", \"lay_the_test_that_compares_it\" },\n",
               name + 6, name);
    else
        printf("references in tests/test_references.c\n        { \"%s\", \"test_THE_FILE.c\", \"the_test_that_compares_it\" },\n",
               name);
}

static int references_is(const struct reference_kind *kind, const char *gives, const char *name)
{
    size_t n = strlen(name), end = strlen(kind->ends);
    return !strncmp(name, kind->begins, strlen(kind->begins)) && n >= end && !strcmp(name + n - end, kind->ends) &&
           (!kind->gives[0] || !strcmp(gives, kind->gives));
}

/* One line "HY_API hy_block *hy_nn_dense(hy_frame *F, ...": does it make something that needs a reference? */
static int references_of_line(const char *line)
{
    char gives[100], name[100], *at;
    size_t i, n = strcspn(line, "(");
    int stars;
    if (n >= sizeof gives || line[n] != '(') return 0;
    memcpy(gives, line, n);
    gives[n] = 0;
    at = strrchr(gives, ' ');
    if (!at) return 0;
    for (stars = 0; at[1 + stars] == '*'; stars++) continue;
    snprintf(name, sizeof name, "%s", at + 1 + stars);
    gives[strcspn(gives, " *")] = 0;
    for (i = 0; i < sizeof reference_kinds / sizeof *reference_kinds; i++) {
        if (!references_is(&reference_kinds[i], gives, name)) continue;
        if (!references_known(name)) references_missing(name, reference_kinds[i].kind);
        return 1;
    }
    return 0;
}

static void references_prototypes(void)
{
    char *text = references_text("tests/../hybrid.h"), *from, *to;
    size_t i;
    int met = 0;
    for (i = 0; i < sizeof references / sizeof *references; i++) references_of_row(&references[i]);
    from = text ? strstr(text, " >>api ---") : NULL;
    to = from ? strstr(from, " >>cpp ---") : NULL;
    if (!CHECK(to != NULL)) { free(text); return; }
    *to = 0;
    while ((from = strstr(from, "\nHY_API ")) != NULL) {
        from += 8;
        met += references_of_line(from);
    }
    CHECK(met > 150);
    free(text);
}

static void references_passes(void)
{
    size_t i;
    for (i = 0; i < sizeof hy__passes / sizeof *hy__passes; i++) {
        if (references_known(hy__passes[i].name)) continue;
        references_missing(hy__passes[i].name, "a pass");
    }
}

/* --- references that had no other place --- */
/* What a residual cell adds and a dropout cell leaves alone outside of training. */
static void references_cells(void)
{
#ifndef HYBRID_NO_RNN
    static const float x[] = { 0.5f, -1, 2, 0.25f, 3, -2 }, w[] = { 0.1f, 0.2f, -0.3f, 0.4f, -0.5f, 0.6f, 0.7f, -0.8f, 0.9f };
    hy_frame *F = hy_open(NULL);
    hy_block *inner = hy_rnn_rnn_cell(F, 3, NULL), *net = hy_rnn_residual_cell(F, inner), *drop;
    hy_array *in = hy_floats(F, HY_SHAPE(2, 3), x), *y;
    int i, k, row, turn;
    hy_initialize(F, net, NULL);
    for (turn = 0; turn < 2; turn++) {
        y = hy_call(F, net, hy_group(F, in, hy_get(F, hy_rnn_begin_state(F, net, 2), 0)));
        if (turn == 0) hy_set_param(F, hy_param(F, inner, "i2h_weight"), hy_floats(F, HY_SHAPE(3, 3), w));
    }
    for (row = 0; row < 2; row++)
        for (i = 0; i < 3; i++) {
            double sum = 0;
            for (k = 0; k < 3; k++) sum += (double)w[3 * i + k] * x[3 * row + k];
            CHECK_NEAR(hy_value(F, hy_get(F, y, 0), row, i), tanh(sum) + x[3 * row + i], 1e-6);
        }
    drop = hy_rnn_dropout_cell(F, 0.5, NULL);
    y = hy_call(F, drop, in);
    CHECK(ops_same_bits(F, hy_get(F, y, 0), in));
    CHECK(!hy_error(F) && hy_close(F) == 0);
#endif
}

/* The same bytes from a file as from memory, where tests/test_data.c and test_save.c compare memory with numbers. */
#ifndef HYBRID_NO_STDIO
static hy_array *references_put(hy_frame *F, const void *data, size_t bytes)
{
    hy_array *all = NULL;
    double *wide = (double *)malloc(bytes * sizeof *wide);
    size_t i;
    for (i = 0; wide && i < bytes; i++) wide[i] = ((const unsigned char *)data)[i];
    if (wide) all = hy_cast(F, hy_from(F, HY_SHAPE((int64_t)bytes), HY_F64, wide), HY_U8);
    free(wide);
    CHECK(all && !hy_save_bytes(F, "references.bin", all));
    return all;
}
static void references_files(void)
{
    static unsigned char cifar[2 * 3073];
    static const unsigned char plain[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    unsigned char records[64], *to = records;
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_type type = { HY_U8, { 1, { 8 } } };
    hy_csv_opt csv;
    hy_graph *g;
    hy_array *x;
    memset(&csv, 0, sizeof csv);
    csv.skip = 1;
    references_put(F, data_idx, sizeof data_idx);
    x = hy_read_idx(F, "references.bin");
    CHECK(x && hy_dim(F, x, 0) == 2 && hy_dim(F, x, 1) == 3 && hy_value(F, x, 0, 0) == 1 && hy_value(F, x, 1, 2) == 250);
    references_put(F, data_csv, sizeof data_csv - 1);
    x = hy_read_csv(F, "references.bin", &csv);
    CHECK(x && hy_dim(F, x, 0) == 2 && hy_value(F, x, 0, 1) == 2.5 && hy_value(F, x, 1, 0) == -300);
    cifar[3073] = 9;
    cifar[3073 + 1 + 1024] = 77;
    references_put(F, cifar, sizeof cifar);
    x = hy_read_cifar(F, "references.bin", 10);
    CHECK(x && hy_value(F, hy_get(F, x, 1), 1) == 9 && hy_value(F, hy_get(F, x, 0), 1, 1, 0, 0) == 77);
    x = hy_read_cifar_as(F, "references.bin", 10, HY_LAYOUT_NHWC);
    CHECK(x && hy_value(F, hy_get(F, x, 1), 1) == 9 && hy_value(F, hy_get(F, x, 0), 1, 0, 0, 1) == 77);
    data_record(&to, 0, 3, plain, 0);
    references_put(F, records, (size_t)(to - records));
    x = hy_read_records(F, "references.bin", type);
    CHECK(x && hy_value(F, hy_get(F, x, 1), 0) == 3 && hy_value(F, hy_get(F, x, 0), 0, 7) == 8);
    g = hy_compile(S, hy_relu(S, hy_mul_scalar(S, hy_var(S, "x", NULL), 2)));
    CHECK(!hy_save_symbol(F, g, "references.bin"));
    g = hy_load_symbol(F, "references.bin");
    x = hy_graph_run(F, g, hy_full(F, HY_SHAPE(2), 1.5));
    CHECK(hy_value(F, x, 1) == 3);
    remove("references.bin");
    CHECK(!hy_error(F) && !hy_error(S));
    hy_close(S);
    CHECK(hy_close(F) == 0);
}
#endif

static void test_references(void)
{
    RUN(references_prototypes);
    RUN(references_passes);
    RUN(references_layers);
    RUN(references_cells);
#ifndef HYBRID_NO_STDIO
    RUN(references_files);
#endif
}
