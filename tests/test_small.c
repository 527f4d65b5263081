/* Fused groups of one tile with several results, which may take the place of what later steps still read. */
static hy_array *small_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *a = hy_reverse(F, hy_get(F, x, 0), HY_INTS(0)), *p, *q, *r;
    hy_array *b = hy_reverse(F, hy_get(F, x, 1), HY_INTS(0));
    (void)self;
    p = hy_add(F, hy_mul(F, a, b), a);
    q = hy_sub(F, hy_mul(F, p, b), a);
    r = hy_mul(F, hy_add(F, q, p), b);
    return hy_group(F, hy_reverse(F, p, HY_INTS(0)), hy_reverse(F, q, HY_INTS(0)), hy_reverse(F, r, HY_INTS(0)));
}

static void test_small_groups(void)
{
    int64_t n;
    for (n = 1; n < 70; n += n < 20 ? 1 : 7) {
        hy_frame *F = hy_open(NULL);
        hy_block *b = HY_BLOCK_NEW(F, hy_block, small_forward);
        hy_array *x = hy_group(F, hy_normal(F, HY_SHAPE(n), 0, 1), hy_normal(F, HY_SHAPE(n), 0, 1)), *want, *got;
        int i, turn;
        want = hy_call(F, b, x);
        hy_hybridize(F, b, NULL);
        for (turn = 0; turn < 3; turn++) {
            got = hy_call(F, b, x);
            for (i = 0; i < 3; i++)
                CHECK(!memcmp(hy_data(F, hy_get(F, got, i)), hy_data(F, hy_get(F, want, i)), (size_t)n * 4));
        }
        if (!CHECK(!hy_error(F))) puts(hy_error(F));
        CHECK(hy_close(F) == 0);
    }
}

static void test_small(void) { RUN(test_small_groups); }
