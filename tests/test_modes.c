/* What forward may and may not do, the same line by line and traced; found by a reader who looked for trouble. */

typedef struct { hy_block base; hy_array *w, *outside; int what; hy_block *self; int64_t seen; } modes_block;

static hy_array *modes_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    modes_block *b = (modes_block *)self;
    switch (b->what) {
    case 1: b->seen = hy_cache_info(F, self).traces; break;
    case 2: hy_pause(F); break;
    case 3: hy_seed(F, 7); break;
    case 4: hy_fill(F, b->w, 3); break;
    case 5: hy_free(F, x); break;
    case 6: return hy_group(F, hy_mul(F, x, b->w), b->w);
    case 7: return hy_mul(F, x, b->outside);
    case 8: return hy_mul_scalar(F, x, hy_value(F, b->w, 0));
    case 9: return hy_add(F, x, hy_leaky_relu(F, hy_full(F, HY_SHAPE(3), -1), HY_LEAKY_ELU, NULL));
    case 10: if (hy_is_recording(F)) return hy_mul_scalar(F, x, 100); break;
    default: break;
    }
    return hy_mul(F, x, b->w);
}

static modes_block *modes_new(hy_frame *F, int what, int hybrid)
{
    modes_block *b = HY_BLOCK_NEW(F, modes_block, modes_forward);
    hy_init two = hy_init_constant(2);
    hy_param_opt opt;
    if (!b) return NULL;
    memset(&opt, 0, sizeof opt);
    opt.init = two;
    b->what = what;
    b->w = hy_add_param(F, &b->base, "w", HY_SHAPE(3), &opt);
    hy_initialize(F, &b->base, NULL);
    if (hybrid) hy_hybridize(F, &b->base, NULL);
    return b;
}

static void modes_error(int what, int hybrid, hy_error_t code, const char *text)
{
    hy_frame *F = hy_open(NULL);
    modes_block *b = modes_new(F, what, hybrid);
    hy_array *x = hy_ones(F, HY_SHAPE(3));
    CHECK(!hy_call(F, &b->base, x));
    CHECK(hy_error_code(F) == code && hy_error(F) && strstr(hy_error(F), text));
    hy_clear(F);
    b->what = 0;
    CHECK(hy_value(F, hy_call(F, &b->base, x), 1) == 2);        /* nothing is lost */
    CHECK(hy_close(F) == 0);
}

static void modes_forward_keeps_to_itself(void)
{
    modes_error(2, 1, HY_ERROR_TRACE, "hy_block_grad");
    modes_error(3, 1, HY_ERROR_TRACE, "hy_seed");
    modes_error(4, 1, HY_ERROR_TRACE, "traced");
    modes_error(5, 0, HY_ERROR_STATE, "belongs to the caller");
    modes_error(5, 1, HY_ERROR_STATE, "belongs to the caller");
    modes_error(8, 1, HY_ERROR_TRACE, "traced");
}

/* An operator that would do nothing still refuses what it does not know. */
static hy_array *modes_drop(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_dropout(F, x, 0.5, NULL);
}

static void modes_dropout_of_integers_is_refused(void)
{
    int hybrid, training;
    for (hybrid = 0; hybrid < 2; hybrid++)
        for (training = 0; training < 2; training++) {
            hy_frame *F = tb_open(1);
            hy_block *b = tb_block(F, "drop", modes_drop);
            hy_array *x = hy_ones(F, HY_SHAPE(3));
            if (hybrid) hy_hybridize(F, b, NULL);
            CHECK(hy_call(F, b, x) != NULL);
            hy_set_training(F, training);
            CHECK(!hy_call(F, b, hy_cast(F, x, HY_I32)));
            ERR(F, HY_ERROR_DTYPE, "dropout");
            CHECK(hy_close(F) == 0);
        }
}

static void modes_forward_may_ask_for_the_cache(void)
{
    hy_frame *F = hy_open(NULL);
    modes_block *b = modes_new(F, 1, 1);
    CHECK(hy_value(F, hy_call(F, &b->base, hy_ones(F, HY_SHAPE(3))), 0) == 2 && b->seen == 0);
    CHECK(hy_close(F) == 0);
}

static void modes_folding_draws_nothing(void)
{
    double drawn[2];
    int hybrid;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        hy_frame *F = hy_open(NULL);
        modes_block *b = modes_new(F, 9, hybrid);
        hy_call(F, &b->base, hy_ones(F, HY_SHAPE(3)));
        drawn[hybrid] = hy_item(F, hy_uniform(F, HY_SHAPE(1), 0, 1));
        CHECK(hy_close(F) == 0);
    }
    CHECK(drawn[0] == drawn[1]);
}

#ifndef HYBRID_NO_TRAIN
static void modes_a_parameter_may_be_a_head(void)
{
    int hybrid;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        hy_frame *F = hy_open(NULL);
        modes_block *b = modes_new(F, 6, hybrid);
        hy_array *y;
        hy_record(F);
        y = hy_call(F, &b->base, hy_full(F, HY_SHAPE(3), 5));
        hy_pause(F);
        hy_backward(F, y, NULL);
        CHECK(hy_value(F, hy_grad_of(F, b->w), 2) == 6);        /* x + 1 */
        CHECK(hy_close(F) == 0);
    }
}

static void modes_gradients_from_outside_are_refused(void)
{
    hy_frame *F = hy_open(NULL);
    modes_block *b = modes_new(F, 7, 1);
    b->outside = hy_ones(F, HY_SHAPE(3));
    hy_attach_grad(F, b->outside, HY_GRAD_WRITE);
    CHECK(!hy_call(F, &b->base, hy_ones(F, HY_SHAPE(3))));
    CHECK(hy_error_code(F) == HY_ERROR_GRADIENT && strstr(hy_error(F), "parameter or an input"));
    hy_close(F);
}

static void modes_recording_may_be_asked_for(void)
{
    hy_frame *F = hy_open(NULL);
    modes_block *b = modes_new(F, 10, 1);
    hy_array *x = hy_ones(F, HY_SHAPE(3));
    CHECK(hy_value(F, hy_call(F, &b->base, x), 0) == 2);
    hy_record(F);
    CHECK(hy_value(F, hy_call(F, &b->base, x), 0) == 100);
    hy_pause(F);
    CHECK(hy_value(F, hy_call(F, &b->base, x), 0) == 2 && hy_cache_info(F, &b->base).traces == 2);
    CHECK(hy_close(F) == 0);
}
#endif

static void modes_bind_spares_results(void)
{
    hy_frame *F = hy_open(NULL);
    modes_block *b = modes_new(F, 0, 1);
    hy_array *x = hy_ones(F, HY_SHAPE(3)), *z = hy_ones(F, HY_SHAPE(2, 3)), *y;
    size_t bytes = hy_plan(F, &b->base, z).total;
    char *buffer = (char *)malloc(bytes);
    CHECK(!hy_bind(F, &b->base, x, buffer, bytes));
    y = hy_call(F, &b->base, x);
    CHECK(hy_bind(F, &b->base, z, buffer, bytes) && strstr(hy_error(F), "still held"));
    hy_clear(F);
    CHECK(hy_value(F, y, 0) == 2);
    hy_free(F, y);
    CHECK(!hy_bind(F, &b->base, z, buffer, bytes));
    CHECK(hy_value(F, hy_call(F, &b->base, z), 1, 2) == 2);
    CHECK(hy_close(F) == 0);
    free(buffer);
}

static void modes_fails(hy_frame *F, const hy_init *init, const char *name, hy_array *x)
{
    (void)init; (void)name; (void)x;
    hy_raise(F, HY_ERROR_USER, "no values today");
}

static void modes_a_failed_initialiser_leaves_nothing(void)
{
    hy_frame *F = hy_open(NULL);
    modes_block *b = HY_BLOCK_NEW(F, modes_block, modes_forward);
    hy_init bad, good = hy_init_constant(4);
    memset(&bad, 0, sizeof bad);
    bad.fn = modes_fails;
    b->what = 0;
    b->w = hy_add_param(F, &b->base, "w", HY_SHAPE(3), NULL);
    hy_initialize(F, &b->base, &bad);
    CHECK(hy_error_code(F) == HY_ERROR_USER);
    hy_clear(F);
    CHECK(!hy_param_ready(F, b->w));
    hy_initialize(F, &b->base, &good);
    CHECK(hy_value(F, hy_call(F, &b->base, hy_ones(F, HY_SHAPE(3))), 0) == 4);
    CHECK(hy_close(F) == 0);
}

static void test_modes(void)
{
    RUN(modes_forward_keeps_to_itself);
    RUN(modes_dropout_of_integers_is_refused);
    RUN(modes_forward_may_ask_for_the_cache);
    RUN(modes_folding_draws_nothing);
#ifndef HYBRID_NO_TRAIN
    RUN(modes_a_parameter_may_be_a_head);
    RUN(modes_gradients_from_outside_are_refused);
    RUN(modes_recording_may_be_asked_for);
#endif
    RUN(modes_bind_spares_results);
    RUN(modes_a_failed_initialiser_leaves_nothing);
}
