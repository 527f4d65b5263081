/* Blocks that several others have, when one of these is freed. */
static int shared_freed;
static void shared_count_free(hy_block *self) { (void)self; shared_freed++; }

static void test_shared_child_outlives_its_owner(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *first = tb_chain(F), *second = tb_chain(F), *third = tb_chain(F);
    hy_block *outer = tb_chain(F), *inner = tb_dense(F, 2, 2);
    hy_array *x = hy_ones(F, HY_SHAPE(1, 2)), *want, *y;
    inner->free_fn = shared_count_free;
    hy_add_child(F, outer, NULL, inner);
    hy_add_child(F, first, NULL, outer);                /* the owner of outer and of inner in it */
    hy_add_child(F, second, NULL, outer);
    hy_add_child(F, third, NULL, inner);
    hy_initialize(F, first, NULL);
    hy_hybridize(F, second, NULL);
    want = hy_call(F, second, x);
    shared_freed = 0;
    hy_block_free(F, first);
    CHECK(shared_freed == 0 && hy_length(F, second) == 1 && hy_length(F, third) == 1);
    y = hy_call(F, second, x);
    CHECK(hy_value(F, y, 0, 0) == hy_value(F, want, 0, 0));
    hy_block_free(F, second);                           /* outer goes, inner is the third one's */
    CHECK(shared_freed == 0);
    y = hy_call(F, third, x);
    CHECK(hy_value(F, y, 0, 1) == hy_value(F, want, 0, 1));
    CHECK(hy_collect_params(F, third, NULL).n == 2);
    hy_block_free(F, third);
    CHECK(shared_freed == 1);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* Who frees a shared block itself takes it out of all of them. */
static void test_shared_child_freed(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *first = tb_chain(F), *second = tb_chain(F), *inner = tb_dense(F, 2, 2);
    hy_add_child(F, first, NULL, inner);
    hy_add_child(F, second, NULL, inner);
    hy_add_child(F, second, NULL, tb_dense(F, 2, 2));
    hy_initialize(F, second, NULL);
    hy_block_free(F, inner);
    CHECK(hy_length(F, first) == 0 && hy_length(F, second) == 1);
    CHECK(hy_call(F, second, hy_ones(F, HY_SHAPE(1, 2))) != NULL);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void test_shared(void)
{
    RUN(test_shared_child_outlives_its_owner);
    RUN(test_shared_child_freed);
}
