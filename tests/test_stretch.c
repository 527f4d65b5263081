/* Parts and slices that stand one behind the other in what a program computed take neither a step nor memory. The
 * numbers stay those of line by line, whoever writes where. */
typedef struct { hy_block base; int which; } stretch_net;
enum { STRETCH_KINDS = 10 };
#define STRETCH_SUM(F, x, axis) hy_cumsum(F, x, axis, NULL)         /* computed where it lies, never pointwise */

static hy_array *stretch_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *y = STRETCH_SUM(F, x, 1), *z, *a, *b;       /* (1, 64, 4) */
    hy_split_opt squeeze = { 0 };
    squeeze.squeeze_axis = 1;
    switch (((stretch_net *)(void *)self)->which) {
    case 0:                                             /* each changed where it lies */
        z = hy_split(F, y, 4, 1, NULL);
        a = STRETCH_SUM(F, hy_relu(F, hy_get(F, z, 0)), 1);
        b = STRETCH_SUM(F, hy_exp(F, hy_get(F, z, 3)), 1);
        return hy_add(F, hy_mul(F, a, b), hy_add(F, hy_get(F, z, 1), hy_get(F, z, 2)));
    case 1:                                             /* the whole is needed after a part was used */
        z = hy_split(F, y, 2, 1, NULL);
        a = STRETCH_SUM(F, hy_negative(F, hy_get(F, z, 1)), 1);
        return hy_group(F, hy_add(F, a, hy_get(F, z, 0)), STRETCH_SUM(F, y, -1));
    case 2:                                             /* a part is a result itself: it is copied */
        z = hy_split(F, y, 2, 1, NULL);
        return hy_group(F, hy_get(F, z, 1), STRETCH_SUM(F, hy_get(F, z, 0), 1));
    case 3:                                             /* parts of parts, in other shapes */
        z = hy_get(F, hy_split(F, hy_reshape(F, y, HY_INTS(1, 8, 32), NULL), 2, 1, NULL), 1);
        z = hy_split(F, hy_reshape(F, z, HY_INTS(2, 64), NULL), 2, 0, NULL);
        return hy_sub(F, STRETCH_SUM(F, hy_get(F, z, 1), 1), hy_get(F, z, 0));
    case 4:                                             /* slices that overlap */
        a = hy_slice_axis(F, y, 1, 0, 48);
        b = hy_slice_axis(F, y, 1, -48, HY_NONE);
        return hy_add(F, STRETCH_SUM(F, hy_relu(F, a), 1), STRETCH_SUM(F, hy_tanh(F, b), 1));
    case 5:                                             /* begins between lines of memory */
        a = hy_slice_axis(F, y, 1, 3, 35);
        return STRETCH_SUM(F, hy_relu(F, a), 1);
    case 6: {                                           /* a part as large as what it is broadcast to */
        z = hy_split(F, y, 64, 1, NULL);
        a = hy_add(F, hy_get(F, z, 4), STRETCH_SUM(F, x, -1));
        return STRETCH_SUM(F, hy_mul(F, a, hy_get(F, z, 63)), 1);
    }
    case 7:                                             /* along an axis behind another */
        z = hy_split(F, hy_reshape(F, y, HY_INTS(2, 32, 4), NULL), 2, 1, NULL);
        return hy_add(F, STRETCH_SUM(F, hy_get(F, z, 0), 1), hy_get(F, z, 1));
    case 8:                                             /* the input's parts */
        z = hy_split(F, x, 2, 1, NULL);
        return hy_add(F, STRETCH_SUM(F, hy_get(F, z, 0), 1), hy_get(F, z, 1));
    default:                                            /* of one size each, without the axis */
        z = hy_split(F, hy_reshape(F, y, HY_INTS(4, 64), NULL), 4, 0, &squeeze);
        return hy_add(F, STRETCH_SUM(F, hy_get(F, z, 3), 0), hy_mul(F, hy_get(F, z, 0), hy_get(F, z, 1)));
    }
}

static int stretch_same(hy_frame *F, hy_array *a, hy_array *b)
{
    int i, n = hy_count(F, a), same = n == hy_count(F, b);
    for (i = 0; i < n && same; i++) {
        hy_array *x = hy_get(F, a, i), *y = hy_get(F, b, i);
        same = hy_size(F, x) == hy_size(F, y) &&
               !memcmp(hy_data(F, x), hy_data(F, y), (size_t)hy_size(F, x) * sizeof(float));
    }
    return same;
}

/* How many of its jobs are parts or slices. */
static int stretch_jobs(hy_frame *F, hy_block *net, hy_array *x)
{
    hy_graph *g = hy_planned(F, net, x);
    hy_plan_job job;
    hy_node node;
    int i, n = 0;
    for (i = 0; g && !hy_plan_job_at(g, i, &job); i++) {
        const char *op = hy_graph_node(g, job.node, &node) ? "" : node.op->name;
        n += !strncmp(op, "split", 5) || !strncmp(op, "slice", 5);
    }
    return n;
}

static void stretch_kinds(void)
{
    static const char copied[STRETCH_KINDS] = { 0, 0, 1, 0, 0, 1, 1, 1, 1, 0 };
    int which, threads, bound;
    for (which = 0; which < STRETCH_KINDS; which++)
        for (threads = 1; threads <= 3; threads += 2)
            for (bound = 0; bound < 2; bound++) {
                hy_frame *F = tb_open(threads);
                stretch_net *net = HY_BLOCK_NEW(F, stretch_net, stretch_forward);
                hy_array *x = hy_sin(F, hy_reshape(F, hy_arange(F, 0, 256, 1), HY_INTS(1, 64, 4), NULL)), *want;
                void *buffer = NULL;
                size_t bytes;
                int turn;
                net->which = which;
                want = hy_call(F, &net->base, x);
                hy_hybridize(F, &net->base, NULL);
                CHECK(stretch_same(F, want, hy_call(F, &net->base, x)));
                bytes = hy_plan(F, &net->base, x).total;
                if (bound) buffer = malloc(bytes);
                if (bound) CHECK(hy_bind(F, &net->base, x, buffer, bytes) == 0);
                for (turn = 0; turn < 3; turn++) {
                    hy_begin(F);
                    CHECK(stretch_same(F, want, hy_call(F, &net->base, x)));
                    hy_end(F);
                }
                if (!CHECK((stretch_jobs(F, &net->base, x) > 0) == copied[which])) printf("    kind %d\n", which);
                CHECK(hy_close(F) == 0);
                free(buffer);
            }
}

static void test_stretch(void)
{
    RUN(stretch_kinds);
}
