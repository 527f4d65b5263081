/* cc -O2 examples/own_op.c -o own_op -lm -lpthread     An operator of your own: y = x / (1 + (x / width)^2). */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <stdio.h>

typedef struct { double width; } damp_record;           /* its attributes */

static const hy_arg damp_in[] = { { "data", HY_ARG_ONE }, { NULL, HY_ARG_ONE } };
static const hy_arg damp_out[] = { { "output", HY_ARG_ONE }, { NULL, HY_ARG_ONE } };
static const hy_attr damp_attr[] = {
    { "width", "width", HY_ATTR_real, 1, offsetof(damp_record, width), 1, "where damping sets in" },
    { NULL, NULL, HY_ATTR_flag, 0, 0, 0, NULL }
};

/* An item is 1024 elements; any thread may run it. */
static void damp_run(const hy_job *job, hy_run *now, int stage, int64_t item, void *scratch, void *shared)
{
    double width = ((const damp_record *)job->attr)->width;
    const float *x = (const float *)now->data[0];
    float *y = (float *)now->data[job->nin];
    int64_t i, end = (item + 1) * 1024;
    (void)stage; (void)scratch; (void)shared;
    if (end > job->plan.i[0]) end = job->plan.i[0];
    for (i = item * 1024; i < end; i++) {
        double t = x[i] / width;
        y[i] = (float)(x[i] / (1 + t * t));
    }
}

static int damp_bind(hy_job *job)
{
    int64_t n = 1;
    int d;
    if (job->in[0].type.dtype != HY_F32) return hy_refuse(job, HY_ERROR_DTYPE, "only float32 is supported");
    for (d = 0; d < job->in[0].type.shape.ndim; d++) n *= job->in[0].type.shape.dim[d];
    job->plan.i[0] = n;
    job->run = damp_run;
    job->stages = 1;
    job->items[0] = (n + 1023) / 1024;
    job->cost = (double)n;
    return 0;
}

/* dy/dx = (1 - t^2) / (1 + t^2)^2 with t = x / width, written with operators: so it has a gradient too. */
static int damp_grad(hy_frame *F, hy_diff *D)
{
    double width = ((const damp_record *)D->attr)->width;
    hy_array *t2 = hy_square(F, hy_div_scalar(F, D->in[0], width));
    hy_array *slope = hy_div(F, hy_rsub_scalar(F, t2, 1), hy_square(F, hy_add_scalar(F, t2, 1)));
    if (D->dy[0]) D->dx[0] = hy_mul(F, D->dy[0], slope);
    return 0;
}

static const hy_op damp = {
    "damp", NULL, NULL, "x / (1 + (x / width)^2)", damp_in, damp_out, damp_attr, sizeof(damp_record),
    HY_OP_POINTWISE, 0, NULL, hy_infer_pointwise, damp_bind, damp_grad, NULL
};

static hy_array *damped(hy_frame *F, hy_array *x, void *width)
{
    damp_record record;
    record.width = *(double *)width;
    return hy_emit(F, &damp, 1, &x, &record);
}

int main(void)
{
    double width = 2;
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_linspace(F, -4, 4, 9);

    hy_register(F, &damp);
    hy_print(F, damped(F, x, &width));
    hy_print(F, hy_apply(F, "damp", 1, &x, "width=1"));         /* by name, as a file would */
    printf("gradient right: %s\n", hy_check_grad(F, damped, &width, x, 1e-2) < 1e-2 ? "yes" : "no");
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    return hy_close(F);
}
