/* Losses and metrics against MXNet 1.9.1. */
#include "loss_ref.h"

/* name, the loss, its inputs by letter (see loss_input), options */
#define LOSS_CASES(L) \
    L(l1, l1, "ab", ;) \
    L(l1_w, l1, "abw", o.weight = 0.5;) \
    L(l1_axis, l1, "ab", o.batch_axis = 1;) \
    L(l2, l2, "ab", ;) \
    L(l2_w, l2, "abw", o.weight = 3;) \
    L(softmax, softmax_ce, "ak", ;) \
    L(softmax_w, softmax_ce, "akw", o.weight = 2;) \
    L(softmax_dense, softmax_ce, "aq", o.no_sparse_label = 1;) \
    L(softmax_logits, softmax_ce, "ak", o.from_logits = 1;) \
    L(softmax_axis, softmax_ce, "a5", o.axis = HY_ZERO; o.batch_axis = 1;) \
    L(bce, sigmoid_bce, "ay", ;) \
    L(bce_w, sigmoid_bce, "ayw", ;) \
    L(bce_pos, sigmoid_bce, "ay-o", ;) \
    L(bce_sigmoid, sigmoid_bce, "py", o.from_sigmoid = 1;) \
    L(bce_sigmoid_pos, sigmoid_bce, "pywo", o.from_sigmoid = 1;) \
    L(kl, kl_div, "aq", ;) \
    L(kl_no, kl_div, "aqw", o.no_from_logits = 1; o.weight = 0.25;) \
    L(huber, huber, "ab", ;) \
    L(huber_rho, huber, "abw", o.rho = 0.25;) \
    L(hinge, hinge, "as", ;) \
    L(hinge_m, hinge, "asw", o.margin = 0.25;) \
    L(sq_hinge, squared_hinge, "as", ;) \
    L(logistic, logistic, "as", ;) \
    L(logistic_b, logistic, "ayw", o.label_format = HY_LABEL_BINARY;) \
    L(triplet, triplet, "abc", ;) \
    L(triplet_m, triplet, "abc", o.margin = 3; o.weight = 2;) \
    L(poisson, poisson_nll, "an", ;) \
    L(poisson_rate, poisson_nll, "pnw", o.no_from_logits = 1;) \
    L(poisson_full, poisson_nll, "a6", o.compute_full = 1;) \
    L(cosine, cosine_embedding, "abe", ;) \
    L(cosine_m, cosine_embedding, "abew", o.margin = 0.1; o.weight = 2;) \
    L(sdml, sdml, "ab", ;) \
    L(sdml_s, sdml, "ab", o.smoothing_parameter = 0.1;) \
    L(l2_axis, l2, "ab", o.batch_axis = 1; o.weight = .5;) \
    L(softmax_dense_w, softmax_ce, "aqw", o.no_sparse_label = 1; o.weight = 3;) \
    L(softmax_dense_logits, softmax_ce, "aqw", o.no_sparse_label = 1; o.from_logits = 1;) \
    L(softmax_dense_axis, softmax_ce, "aq", o.no_sparse_label = 1; o.axis = HY_ZERO; o.batch_axis = 1;) \
    L(bce_axis, sigmoid_bce, "ay", o.batch_axis = 1; o.weight = 2;) \
    L(bce_pos_w, sigmoid_bce, "aywo", o.weight = 2;) \
    L(kl_axis, kl_div, "aq", o.no_from_logits = 1; o.axis = HY_ZERO; o.batch_axis = 1;) \
    L(kl_w, kl_div, "aqw", ;) \
    L(huber_axis, huber, "ab", o.batch_axis = 1; o.rho = 2; o.weight = .5;) \
    L(hinge_axis, hinge, "as", o.batch_axis = 1; o.weight = .5;) \
    L(sq_hinge_w, squared_hinge, "asw", o.margin = .5; o.weight = 2;) \
    L(logistic_w, logistic, "asw", o.weight = 2;) \
    L(poisson_w, poisson_nll, "anw", o.weight = 2;) \
    L(cosine_margin, cosine_embedding, "abe", o.margin = .5;)
#define LOSS_CASE(name, make, inputs, ...) \
    static hy_block *loss_case_##name(hy_frame *F) \
    { hy_loss_opt o; memset(&o, 0, sizeof o); __VA_ARGS__ return hy_loss_##make(F, &o); }
LOSS_CASES(LOSS_CASE)
#define LOSS_ROW(name, make, inputs, ...) { #name, "hy_loss_" #make, inputs, loss_case_##name },
static const struct { const char *name, *of, *inputs; hy_block *(*make)(hy_frame *F); } loss_cases[] = {
    LOSS_CASES(LOSS_ROW)
};

static double loss_number(char kind, double a, double b)
{
    switch (kind) {
    case 's': return b > 0 ? 1 : -1;
    case 'y': return b > 0;
    case 'p': return (fabs(a) + 1) / 4;
    case 'q': return (fabs(b) + 1) / 4;
    case 'n': return floor(fabs(b) * 4);
    case '6': return floor(fabs(b) * 4) + 1;
    default:  return kind == 'a' ? a : b;
    }
}

/* a, b, c: numbers between -1 and 1; w, v: weights of samples; k, 5: classes; s, e: signs; y: bits; p, q:
 * probabilities; n, 6: counts; o: weights of positives; -: none */
static hy_array *loss_input(hy_frame *F, char kind)
{
    static const double classes[2][5] = { { 1, 4, 0, 2, 0 }, { 1, 3, 0, 2, 2 } }, side[4] = { 1, -1, -1, 1 };
    static const double positive[5] = { 0.5, 1, 2, 3, 4 };
    double a[20], b[20], v[20];
    int i;
    hy_array *x = NULL;
    train_numbers(a, 20, 11);
    train_numbers(b, 20, kind == 'c' ? 13 : 12);
    for (i = 0; i < 20; i++) v[i] = loss_number(kind, a[i], b[i]);
    if (kind == 'w' || kind == 'v') {
        train_numbers(v, 4, 14);
        for (i = 0; i < 4; i++) v[i] = fabs(v[i]) + 0.5;
        x = kind == 'w' ? hy_from(F, HY_SHAPE(4, 1), HY_F64, v) : hy_from(F, HY_SHAPE(4), HY_F64, v);
    } else if (kind == 'k') x = hy_from(F, HY_SHAPE(4), HY_F64, classes[0]);
    else if (kind == '5') x = hy_from(F, HY_SHAPE(5), HY_F64, classes[1]);
    else if (kind == 'e') x = hy_from(F, HY_SHAPE(4), HY_F64, side);
    else if (kind == 'o') x = hy_from(F, HY_SHAPE(1, 5), HY_F64, positive);
    else if (kind == '-') return NULL;
    else x = hy_from(F, HY_SHAPE(4, 5), HY_F64, v);
    return hy_cast(F, x, HY_F32);
}

static void loss_near(hy_frame *F, const char *what, hy_array *x, const float *want, int n, double near)
{
    float got[20];
    int i;
    if (!CHECK(x && hy_size(F, x) == n && n <= 20)) return;
    hy_to(F, x, HY_F32, got, sizeof(float) * (size_t)n);
    for (i = 0; i < n; i++)
        if (!CHECK_NEAR(got[i], want[i], near * (1 + fabs((double)want[i])))) printf("    %s %d\n", what, i);
}
static void loss_compare(hy_frame *F, const char *what, hy_array *x, const float *want, int n)
{
    loss_near(F, what, x, want, n, 1e-6);
}

static void loss_case_run(int i, int hybrid, hy_dtype dtype, double near)
{
    hy_frame *F = hy_open(NULL);
    hy_block *loss = loss_cases[i].make(F);
    const char *inputs = loss_cases[i].inputs;
    hy_array *x[4], *y;
    int k, n = (int)strlen(inputs), turn;
    for (k = 0; k < n; k++) {
        x[k] = loss_input(F, inputs[k]);
        if (x[k]) x[k] = hy_cast(F, x[k], dtype);
    }
    hy_attach_grad(F, x[0], HY_GRAD_WRITE);
    if (hybrid) hy_hybridize(F, loss, NULL);
    for (turn = 0; turn <= hybrid; turn++) {
        hy_record(F);
        y = hy_call(F, loss, hy_group_of(F, n, x));
        hy_pause(F);
        hy_backward(F, y, NULL);
        CHECK(hy_dtype_of(F, y) == dtype);
        loss_near(F, loss_cases[i].name, y, loss_ref[i].value, loss_ref[i].n, near);
        loss_near(F, loss_cases[i].name, hy_grad_of(F, x[0]), loss_ref[i].gradient, 20, near);
    }
    if (!CHECK(!hy_error(F))) printf("    %s: %s\n", loss_cases[i].name, hy_error(F));
    hy_close(F);
}

static void test_losses_reference(void)
{
    int i, n = (int)(sizeof loss_cases / sizeof loss_cases[0]);
    CHECK(n == (int)(sizeof loss_ref / sizeof loss_ref[0]));
    for (i = 0; i < n; i++) {
        CHECK_STR(loss_ref[i].name, loss_cases[i].name);
        loss_case_run(i, 0, HY_F32, 1e-6);
        loss_case_run(i, 1, HY_F32, 1e-6);
    }
}

/* The same in other types, as near as these allow. */
static void test_losses_types(void)
{
    static const hy_dtype types[] = { HY_F64, HY_F16, HY_BF16 };
    static const double near[] = { 1e-6, 4e-3, 3e-2 };
    int i, k, hybrid;
    for (i = 0; i < (int)(sizeof loss_cases / sizeof loss_cases[0]); i++)
        for (k = 0; k < 3; k++)
            for (hybrid = 0; hybrid < 2; hybrid++) loss_case_run(i, hybrid, types[k], near[k]);
}

/* ctc: MXNet's losses, a few of its gradients and the sum of their squares, in both layouts, with lengths. */
static void loss_ctc_case(hy_frame *F, hy_block *loss, int turned, int lengths, const float *value,
                          const float *gradient, double squares)
{
    static const float label[12] = { 1, 2, 3, 0, 0, -1, 2, -1, -1, 3, 1, 3 }, steps[4] = { 6, 5, 4, 6 };
    static const float counts[4] = { 3, 2, 1, 2 };
    double v[120];
    hy_array *x, *in[4], *y, *g;
    int turn;
    train_numbers(v, 120, 21);
    x = hy_cast(F, hy_from(F, HY_SHAPE(4, 6, 5), HY_F64, v), HY_F32);
    in[1] = hy_floats(F, HY_SHAPE(4, 3), label);
    if (turned) { x = hy_copy(F, hy_swap_axes(F, x, 0, 1)); in[1] = hy_swap_axes(F, in[1], 0, 1); }
    in[0] = x;
    in[2] = hy_floats(F, HY_SHAPE(4), steps);
    in[3] = hy_floats(F, HY_SHAPE(4), counts);
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_hybridize(F, loss, NULL);
    for (turn = 0; turn < 2; turn++) {
        hy_record(F);
        y = hy_call(F, loss, hy_group_of(F, lengths ? 4 : 2, in));
        hy_pause(F);
        hy_backward(F, y, NULL);
        loss_compare(F, "ctc", y, value, 4);
        g = hy_grad_of(F, x);
        CHECK_NEAR(hy_item(F, hy_sum(F, hy_square(F, g), HY_ALL, NULL)), squares, 1e-5 * squares);
        loss_compare(F, "ctc", hy_slice_axis(F, hy_reshape(F, g, HY_INTS(-1), NULL), 0, 0, 10), gradient, 10);
    }
    if (!CHECK(!hy_error(F))) puts(hy_error(F));
    hy_clear(F);
}
static void test_losses_ctc(void)
{
    static const float value[3][4] = { { 6.23858881f, 6.62167215f, 7.28448582f, 5.58195972f },
        { 12.4771776f, 11.6812506f, 9.28237534f, 10.6523829f } };
    static const float gradient[3][10] = {
        { 0.373951465f, -0.59661901f, 0.324894667f, 0.123316109f, -0.225542694f, 0.355261594f, -0.336605906f,
          -0.144339696f, 0.299160242f, -0.173475772f },
        { 0.373951465f, -0.59661901f, 0.324894667f, 0.123316109f, -0.225542694f, -0.554292083f, 0.169788852f,
          0.183585525f, 0.284342825f, -0.0834253877f },
        { 0.74790293f, -1.19323802f, 0.649789333f, 0.246632218f, -0.451085389f, 0.710523188f, -0.673211813f,
          -0.288679391f, 0.598320484f, -0.346951544f } };
    hy_frame *F = hy_open(NULL);
    hy_loss_opt turned, twice;
    memset(&turned, 0, sizeof turned);
    memset(&twice, 0, sizeof twice);
    turned.layout = HY_LAYOUT_TNC;
    turned.label_layout = HY_LAYOUT_TN;
    twice.weight = 2;
    loss_ctc_case(F, hy_loss_ctc(F, NULL), 0, 0, value[0], gradient[0], 8.37370968);
    loss_ctc_case(F, hy_loss_ctc(F, &turned), 1, 0, value[0], gradient[1], 8.37370968);
    loss_ctc_case(F, hy_loss_ctc(F, &twice), 0, 1, value[1], gradient[2], 28.6601505);
    CHECK(hy_close(F) == 0);
}

/* Such options make no loss; *o is cleared for the next. */
static void losses_refuse(hy_frame *F, hy_block *(*make)(hy_frame *, const hy_loss_opt *), hy_loss_opt *o,
                          const char *says)
{
    CHECK(!make(F, o));
    train_expect(F, says);
    memset(o, 0, sizeof *o);
}

static void test_losses_errors(void)
{
    hy_frame *F = hy_open(NULL);
    hy_loss_opt o;
    char text[100];
    hy_array *x = loss_input(F, 'a');
    hy_block *loss = hy_loss_softmax_ce(F, NULL);
    memset(&o, 0, sizeof o);
    CHECK(!hy_call(F, hy_loss_l1(F, NULL), x));
    train_expect(F, "L1Loss: input 1, the label, is missing: call it with a group");
    hy_call(F, hy_loss_l2(F, NULL), hy_group(F, x, hy_ones(F, HY_SHAPE(3))));
    train_expect(F, "reshape_like");
    o.rho = -1;
    losses_refuse(F, hy_loss_huber, &o, "rho is -1");
    o.layout = 1;
    losses_refuse(F, hy_loss_ctc, &o, "CTCLoss: layout 1 is neither HY_LAYOUT_NTC nor HY_LAYOUT_TNC");
    o.label_layout = HY_LAYOUT_TNC;
    losses_refuse(F, hy_loss_ctc, &o, "label_layout 16 is neither HY_LAYOUT_NT nor HY_LAYOUT_TN");
    o.label_format = 2;
    losses_refuse(F, hy_loss_logistic, &o, "label_format 2 is neither HY_LABEL_SIGNED nor HY_LABEL_BINARY");
    o.weight = HUGE_VAL;
    losses_refuse(F, hy_loss_huber, &o, "finite");
    hy_call(F, hy_loss_sdml(F, NULL), hy_group(F, hy_ones(F, HY_SHAPE(1, 3)), hy_ones(F, HY_SHAPE(1, 3))));
    train_expect(F, "a batch of 1");
    hy_call(F, hy_loss_softmax_ce(F, NULL), hy_group(F, x, hy_full(F, HY_SHAPE(4), 5)));
    train_expect(F, "a label is from 0 to the number of classes less 1");
    hy_call(F, hy_loss_softmax_ce(F, NULL), hy_group(F, x, hy_zeros_like(F, x)));
    train_expect(F, "set no_sparse_label");
    hy_hybridize(F, loss, NULL);
    hy_call(F, loss, hy_group(F, x, hy_zeros_like(F, x)));
    train_expect(F, "set no_sparse_label");
    hy_call(F, loss, hy_group(F, x, loss_input(F, 'k')));
    hy_call(F, loss, hy_group(F, x, hy_full(F, HY_SHAPE(4), -1)));
    train_expect(F, "an index is out of range");
    hy_block_text(F, hy_loss_l2(F, NULL), text, sizeof text);
    CHECK_STR(text, "L2Loss(batch_axis=0, w=1.0)\n");
    CHECK(hy_close(F) == 0);
}

/* --- metrics --- */
static hy_array *metric_scores(hy_frame *F, int64_t classes, uint32_t seed, int probabilities)
{
    double v[40], sum;
    int64_t i, k;
    train_numbers(v, (int)(8 * classes), seed);
    for (i = 0; probabilities && i < 8; i++) {
        for (k = 0, sum = 0; k < classes; k++) sum += v[i * classes + k] = fabs(v[i * classes + k]) + 0.1;
        for (k = 0; k < classes; k++) v[i * classes + k] /= sum;
    }
    return hy_from(F, HY_SHAPE(8, classes), HY_F64, v);
}
static void metric_batch(hy_frame *F, hy_metric *M, char kind, int t)
{
    double v[8];
    int i;
    hy_array *p, *label;
    hy_begin(F);
    if (kind == 'R') {
        train_numbers(v, 8, (uint32_t)(300 + t));
        p = hy_from(F, HY_SHAPE(8), HY_F64, v);
        train_numbers(v, 8, (uint32_t)(400 + t));
        label = hy_from(F, HY_SHAPE(8), HY_F64, v);
    } else {
        for (i = 0; i < 8; i++) v[i] = kind == 'B' ? (i * i + t) % 3 % 2 : (3 * i + t) % 5;
        label = hy_cast(F, hy_from(F, HY_SHAPE(8), HY_F64, v), t % 2 ? HY_I32 : HY_F32);
        p = kind == 'B' ? metric_scores(F, 2, (uint32_t)(200 + t), 0)
            : metric_scores(F, 5, (uint32_t)(100 + t), kind == 'Q');
    }
    hy_metric_update(F, M, label, p);
    hy_end(F);
}

static void metric_case(hy_frame *F, const char *name, hy_metric *M, char kind)
{
    size_t i;
    int t;
    for (i = 0; i < sizeof metric_ref / sizeof metric_ref[0] && strcmp(metric_ref[i].name, name); i++) continue;
    if (!CHECK(i < sizeof metric_ref / sizeof metric_ref[0])) return;
    CHECK(hy_metric_get(F, M) != hy_metric_get(F, M));          /* NaN before the first batch */
    for (t = 0; t < 3; t++) {
        metric_batch(F, M, kind, t);
        if (!CHECK_NEAR(hy_metric_get(F, M), metric_ref[i].value[t], 2e-6)) printf("    %s, batch %d\n", name, t);
    }
    hy_metric_reset_local(F, M);
    CHECK_NEAR(hy_metric_global(F, M), metric_ref[i].value[2], 2e-6);
    metric_batch(F, M, kind, 0);
    CHECK_NEAR(hy_metric_get(F, M), metric_ref[i].value[0], 2e-6);
    hy_metric_reset(F, M);
    CHECK(hy_metric_global(F, M) != hy_metric_global(F, M));
    hy_metric_free(F, M);
    if (!CHECK(!hy_error(F))) printf("    %s: %s\n", name, hy_error(F));
}

static void test_metrics_reference(void)
{
    hy_frame *F = hy_open(NULL);
    hy_metric_opt micro, ignore;
    hy_metric *mae;
    memset(&micro, 0, sizeof micro);
    memset(&ignore, 0, sizeof ignore);
    micro.average = HY_AVERAGE_MICRO;
    ignore.ignores = 1;
    ignore.ignore_label = 2;
    metric_case(F, "accuracy", hy_metric_accuracy(F, NULL), 'P');
    metric_case(F, "top_k", hy_metric_top_k(F, 3, NULL), 'P');
    metric_case(F, "f1", hy_metric_f1(F, NULL), 'B');
    metric_case(F, "f1_micro", hy_metric_f1(F, &micro), 'B');
    metric_case(F, "mcc", hy_metric_mcc(F, NULL), 'B');
    metric_case(F, "mcc_micro", hy_metric_mcc(F, &micro), 'B');
    metric_case(F, "mae", hy_metric_mae(F, NULL), 'R');
    metric_case(F, "mse", hy_metric_mse(F, NULL), 'R');
    metric_case(F, "rmse", hy_metric_rmse(F, NULL), 'R');
    metric_case(F, "cross_entropy", hy_metric_cross_entropy(F, NULL), 'Q');
    metric_case(F, "nll", hy_metric_nll(F, NULL), 'Q');
    metric_case(F, "perplexity", hy_metric_perplexity(F, NULL), 'Q');
    metric_case(F, "perplexity_ignore", hy_metric_perplexity(F, &ignore), 'Q');
    metric_case(F, "pearson", hy_metric_pearson(F, NULL), 'R');
    metric_case(F, "pearson_micro", hy_metric_pearson(F, &micro), 'R');
    metric_case(F, "pcc", hy_metric_pcc(F, NULL), 'P');
    metric_case(F, "loss", hy_metric_loss(F, NULL), 'R');
    mae = hy_metric_mae(F, NULL);       /* numbers of shape () are one row, whatever they were taken from */
    hy_metric_update(F, mae, hy_full(F, HY_SCALAR, 8), hy_view_index(F, hy_arange(F, 0, 5, 1), 0, 2));
    hy_metric_update(F, mae, hy_full(F, HY_SCALAR, 8), hy_full(F, HY_SHAPE(1), 4));
    CHECK_NEAR(hy_metric_get(F, mae), 5, 0);
    CHECK(hy_close(F) == 0);
}

static void metric_count(hy_frame *F, hy_array *label, hy_array *p, double *sum, double *count, void *user)
{
    (void)label;
    *sum += (double)hy_size(F, p);
    *count += 2;
    ++*(int *)user;
}

static void test_metrics_composite(void)
{
    hy_frame *F = hy_open(NULL);
    int calls = 0;
    hy_metric *part[3], *M;
    part[0] = hy_metric_accuracy(F, NULL);
    part[1] = hy_metric_top_k(F, 2, NULL);
    part[2] = hy_metric_custom(F, metric_count, &calls, NULL);
    M = hy_metric_composite(F, 3, part);
    metric_batch(F, M, 'P', 0);
    CHECK(hy_metric_count(F, M) == 3 && calls == 1);
    CHECK_STR(hy_metric_name(F, hy_metric_at(F, M, 1)), "top_k_accuracy_2");
    CHECK_NEAR(hy_metric_get(F, part[2]), 20, 0);
    CHECK_NEAR(hy_metric_get(F, M), hy_metric_get(F, part[0]), 0);
    hy_metric_reset(F, M);
    CHECK(hy_metric_get(F, part[2]) != hy_metric_get(F, part[2]));
    CHECK(!hy_metric_at(F, M, 3));
    train_expect(F, "metric 3 of 3");
    CHECK(!hy_metric_composite(F, 1, &M));
    train_expect(F, "itself made of several");
    hy_metric_free(F, M);
    CHECK(hy_close(F) == 0);
}

/* A batch that does not fit is an error and leaves the sums as they were. */
static void test_metrics_errors(void)
{
    hy_frame *F = hy_open(NULL);
    hy_metric *M = hy_metric_cross_entropy(F, NULL), *A = hy_metric_accuracy(F, NULL);
    double before;
    metric_batch(F, M, 'Q', 0);
    before = hy_metric_get(F, M);
    hy_metric_update(F, M, hy_full(F, HY_SHAPE(8), 5), metric_scores(F, 5, 1, 1));
    train_expect(F, "sample 0 has the label 5.0, and there are 5 classes");
    hy_metric_update(F, M, hy_full(F, HY_SHAPE(8), -1), metric_scores(F, 5, 1, 1));
    train_expect(F, "the label -1.0");
    hy_metric_update(F, M, hy_ones(F, HY_SHAPE(7)), metric_scores(F, 5, 1, 1));
    train_expect(F, "labels of shape (7,) do not fit predictions of shape (8,5)");
    CHECK_NEAR(hy_metric_get(F, M), before, 0);
    hy_metric_update(F, A, hy_group(F, hy_ones(F, HY_SHAPE(8)), hy_ones(F, HY_SHAPE(8))), metric_scores(F, 5, 1, 1));
    train_expect(F, "accuracy: 2 labels, 1 predictions");
    hy_metric_update(F, NULL, NULL, hy_ones(F, HY_SHAPE(2)));
    train_expect(F, "the metric is NULL");
    CHECK(!hy_metric_top_k(F, 0, NULL));
    train_expect(F, "k is 0");
    CHECK(hy_close(F) == 0);
}

static int losses_oom_program(hy_frame *F)
{
    hy_block *loss = hy_loss_softmax_ce(F, NULL);
    hy_metric *part[2], *M;
    hy_array *x = loss_input(F, 'a'), *label = loss_input(F, 'k');
    double value = hy_item(F, hy_sum(F, hy_call(F, loss, hy_group(F, x, label)), HY_ALL, NULL));
    part[0] = hy_metric_pcc(F, NULL);
    part[1] = hy_metric_accuracy(F, NULL);
    M = hy_metric_composite(F, 2, part);
    hy_metric_update(F, M, label, x);
    value = hy_error(F) ? 0 : value;
    if (M) hy_metric_free(F, M);
    else { hy_metric_free(F, part[0]); hy_metric_free(F, part[1]); }
    if (loss) hy_block_free(F, loss);
    return value > 1 && !hy_error(F);
}
static void test_losses_oom(void) { oom_walk(losses_oom_program, 1); }

static void test_losses(void)
{
    RUN(test_losses_reference);
    RUN(test_losses_types);
    RUN(test_losses_ctc);
    RUN(test_losses_errors);
    RUN(test_metrics_reference);
    RUN(test_metrics_composite);
    RUN(test_metrics_errors);
    RUN(test_losses_oom);
}
