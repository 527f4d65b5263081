/* Kernels that come near what memory allows, against plain loops: the gradient of max pooling over ragged shapes
 * with ties, NaN and infinities; lrn with windows beyond the channels; pointwise programs over much memory. */

/* dx of one plane, as the words of the manual say: to the first of the largest, or to the first NaN. */
static void floors_pool_back(const float *x, const float *dy, double *dx, const int *fine, const int *coarse,
                             const int *kernel, const int *stride, const int *pad)
{
    int h, w, i, j, best;
    for (i = 0; i < fine[0] * fine[1]; i++) dx[i] = 0;
    for (h = 0; h < coarse[0]; h++)
        for (w = 0; w < coarse[1]; w++, dy++) {
            for (best = -1, i = h * stride[0] - pad[0]; i < h * stride[0] - pad[0] + kernel[0]; i++)
                for (j = w * stride[1] - pad[1]; j < w * stride[1] - pad[1] + kernel[1]; j++) {
                    float v;
                    if (i < 0 || j < 0 || i >= fine[0] || j >= fine[1]) continue;
                    v = x[i * fine[1] + j];
                    if (best < 0 || v > x[best] || (v != v && x[best] == x[best])) best = i * fine[1] + j;
                }
            if (best >= 0) dx[best] += *dy;
        }
}

static void floors_pooling(void)
{
    static const int size[] = { 1, 2, 3, 7, 8, 9, 16, 31, 33 };
    float odd[5] = { 0, 1, 1, 0, 0 };
    int turn, d, i;
    odd[3] = -HUGE_VALF;
    odd[4] = HUGE_VALF;
    for (turn = 0; turn < 400; turn++) {
        hy_frame *F = hy_open(NULL);
        int fine[2], coarse[2], kernel[2], stride[2], pad[2], end[2], fits = 1, bad = 0, p;
        double want[33 * 33];
        hy_pooling_opt opt;
        hy_backward_opt back = { 0 };
        hy_array *x, *y, *dy;
        memset(&opt, 0, sizeof opt);
        for (d = 0; d < 2; d++) {
            uint32_t r = (uint32_t)(turn * 2 + d) * 2654435761u >> 8;
            fine[d] = size[r % 9];
            kernel[d] = 1 + (int)(r / 9 % 5);
            stride[d] = 1 + (int)(r / 45 % 4);
            pad[d] = (int)(r / 180 % (uint32_t)kernel[d]);
            end[d] = turn % 5 > 2 ? (int)(r / 900 % (uint32_t)kernel[d]) : pad[d];
            fits &= kernel[d] <= fine[d] + pad[d] + end[d];
        }
        if (!fits) { hy_close(F); continue; }
        opt.stride = HY_INTS(stride[0], stride[1]);
        opt.pad = HY_INTS(pad[0], pad[1]);
        if (turn % 5 > 2) opt.pad_end = HY_INTS(end[0], end[1]);
        opt.convention = turn % 3 == 0 ? HY_CONVENTION_FULL : HY_CONVENTION_VALID;
        x = hy_normal(F, HY_SHAPE(1, 3, fine[0], fine[1]), 0, 1);
        if (turn % 2) for (i = 0; i < 3 * fine[0] * fine[1]; i++)
            ((float *)hy_write(F, x))[i] = i % 11 == 5 ? NAN : odd[(uint32_t)i * 2654435761u % 5];
        hy_attach_grad(F, x, HY_GRAD_WRITE);
        hy_record(F);
        y = hy_pooling(F, x, HY_INTS(kernel[0], kernel[1]), &opt);
        hy_pause(F);
        dy = hy_normal(F, hy_shape_of(F, y), 0, 1);
        back.head_grads = dy;
        hy_backward(F, y, &back);
        for (d = 0; d < 2; d++) coarse[d] = (int)hy_dim(F, y, 2 + d);
        for (p = 0; p < 3 && !hy_error(F); p++) {
            const float *got = (const float *)hy_data(F, hy_grad_of(F, x)) + p * fine[0] * fine[1];
            floors_pool_back((const float *)hy_data(F, x) + p * fine[0] * fine[1],
                             (const float *)hy_data(F, dy) + p * coarse[0] * coarse[1], want, fine, coarse, kernel,
                             stride, pad);
            for (i = 0; i < fine[0] * fine[1]; i++) bad += !(fabs(got[i] - want[i]) < 1e-5);
        }
        if (bad || hy_error(F))
            printf("pooling (%d,%d) kernel (%d,%d) stride (%d,%d) pad (%d,%d), behind (%d,%d): %d differ %s\n", fine[0], fine[1],
                   kernel[0], kernel[1], stride[0], stride[1], pad[0], pad[1], end[0], end[1], bad, hy_error(F) ? hy_error(F) : "");
        CHECK(!bad && !hy_error(F));
        hy_close(F);
    }
}

static void floors_lrn(void)
{
    static const int channels[] = { 1, 2, 5, 9, 40 }, window[] = { 1, 3, 5, 31, 33 };
    int a, b, c, i, k;
    for (a = 0; a < 5; a++) for (b = 0; b < 5; b++) {
        hy_frame *F = hy_open(NULL);
        hy_array *x = hy_normal(F, HY_SHAPE(2, channels[a], 17, 17), 0, 1), *y = hy_lrn(F, x, window[b], NULL);
        const float *from = (const float *)hy_data(F, x), *got = (const float *)hy_data(F, y);
        int bad = 0, places = 17 * 17;
        for (c = 0; got && c < 2 * channels[a]; c++) for (i = 0; i < places; i++) {
            const float *image = from + c / channels[a] * channels[a] * places + i;
            double sum = 0, v = from[c * places + i];
            for (k = 0; k < channels[a]; k++)
                if (abs(k - c % channels[a]) <= window[b] / 2) sum += (double)image[k * places] * image[k * places];
            v *= pow(2 + 1e-4 / window[b] * sum, -0.75);
            bad += !(fabs(got[c * places + i] - v) <= 2e-6 * fabs(v));
        }
        CHECK(!bad && !hy_error(F));
        hy_close(F);
    }
}

static hy_array *floors_sums(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *a = hy_get(F, x, 0), *b = hy_get(F, x, 1);
    (void)self;
    return hy_add(F, hy_mul_scalar(F, hy_add(F, a, b), 3), hy_mul(F, hy_sub(F, a, b), hy_relu(F, b)));
}

static void floors_memory(void)
{
    static const int64_t size[] = { 1048576, 1048583, 1500001, 4200000 };
    int i;
    for (i = 0; i < 4; i++) {
        hy_frame *F = hy_open(NULL);
        hy_block *net = hy_nn_hybrid_lambda(F, floors_sums, "sums");
        hy_array *a = hy_normal(F, HY_SHAPE(size[i]), 0, 1), *b = hy_normal(F, HY_SHAPE(size[i]), 0, 1);
        hy_array *x = hy_group(F, a, b), *y = hy_call(F, net, x), *z;
        hy_hybridize(F, net, NULL);
        z = hy_call(F, net, x);
        CHECK(!hy_error(F) && !memcmp(hy_data(F, y), hy_data(F, z), (size_t)size[i] * sizeof(float)));
        hy_close(F);
    }
}

static void test_floors(void)
{
    RUN(floors_pooling);
    RUN(floors_lrn);
    RUN(floors_memory);
}
