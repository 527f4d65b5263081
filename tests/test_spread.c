/* Fused programs whose inputs repeat: vectors and planes that belong to the last dims, tiles that end within rows, rows as long
 * as a tile and longer, beside a column and a value. The same bits as line by line, for any number of threads. */
static const struct { int ndim; int64_t dim[3], part[3][3]; int part_ndim[3]; } spread_cases[] = {
    /* a shape, three shapes that are broadcast to it */
    {2, {128, 768},     {{768}, {1, 768}, {768}},             {1, 2, 1}},
    {3, {40, 7, 33},    {{33}, {7, 33}, {1, 7, 33}},          {1, 2, 3}},
    {3, {9, 50, 11},    {{11}, {50, 1}, {9, 1, 11}},          {1, 2, 3}},
    {3, {3, 5, 300},    {{300}, {5, 1}, {5, 300}},            {1, 2, 2}},
    {2, {5, 2047},      {{2047}, {2047}, {1}},                {1, 1, 1}},
    {2, {5, 2048},      {{2048}, {5, 1}, {1, 2048}},          {1, 2, 2}},
    {2, {5, 2049},      {{2049}, {1, 1}, {2049}},             {1, 2, 1}},
    {2, {7000, 1},      {{1}, {7000, 1}, {1, 1}},             {1, 2, 2}},
    {3, {700, 2, 3},    {{3}, {2, 3}, {2, 1}},                {1, 2, 2}},
};

static hy_array *spread_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *y = hy_mul(F, hy_get(F, x, 0), hy_get(F, x, 1));
    (void)self;
    y = hy_add(F, hy_tanh(F, y), hy_get(F, x, 2));
    return hy_maximum(F, hy_sub(F, y, hy_get(F, x, 3)), hy_get(F, x, 0));
}

static void spread_compare(void)
{
    static const int threads[] = {1, 2, 3, 7};
    size_t c, t;
    for (c = 0; c < sizeof spread_cases / sizeof *spread_cases; c++)
        for (t = 0; t < sizeof threads / sizeof *threads; t++) {
            hy_desc desc;
            hy_frame *F;
            hy_block *net;
            hy_array *x[4], *all, *plain, *fast;
            hy_shape shape;
            int i, d;
            memset(&desc, 0, sizeof desc);
            desc.threads = threads[t];
            F = hy_open(&desc);
            net = HY_BLOCK_NEW(F, hy_block, spread_forward);
            for (i = 0; i < 4; i++) {
                shape.ndim = i ? spread_cases[c].part_ndim[i - 1] : spread_cases[c].ndim;
                for (d = 0; d < shape.ndim; d++)
                    shape.dim[d] = i ? spread_cases[c].part[i - 1][d] : spread_cases[c].dim[d];
                x[i] = hy_normal(F, shape, 0, 1);
            }
            all = hy_group(F, x[0], x[1], x[2], x[3]);
            plain = hy_call(F, net, all);
            hy_hybridize(F, net, NULL);
            fast = hy_call(F, net, all);
            CHECK(hy_size(F, fast) == hy_size(F, plain));
            if (hy_data(F, fast) && hy_data(F, plain))
                CHECK(!memcmp(hy_data(F, fast), hy_data(F, plain), (size_t)hy_size(F, plain) * sizeof(float)));
            CHECK(hy_close(F) == 0);
        }
}

static void test_spread(void) { RUN(spread_compare); }
