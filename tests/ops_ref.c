#ifndef OPS_REF_C
#define OPS_REF_C
/* References: pointwise and reducing operators, matrix products, activations and losses. */

/* Each row of the catalogue has one of these. They are declared here, so that tests can say which is missing. */
#define REF_EXPECTED(name, ...) static const ref_op ref_##name;
#define REF_EXPECTED_BINARY(name, ...) REF_EXPECTED(name) REF_EXPECTED(elemwise_##name) REF_EXPECTED(name##_scalar)
#define REF_EXPECTED_RSCALAR(name, ...) REF_EXPECTED(r##name##_scalar)
HY_UNARY_OPS(REF_EXPECTED) HY_BINARY_OPS(REF_EXPECTED_BINARY) HY_RSCALAR_OPS(REF_EXPECTED_RSCALAR)
HY_REDUCE_OPS(REF_EXPECTED) HY_OPS(REF_EXPECTED, REF_EXPECTED)

#define REFA_FLOATS "fdhb"
#define REFA_SIGNED "fdhbcil"
#define REFA_NUMBERS "fdhbcuil"
#define REFA_ALL "fdhbcuilo"

static double *refa_like(ref_case *c, int i, const ref_tensor *t) { return ref_out(c, i, t->ndim, t->dim); }

/* --- one input, element by element --- */
static double refa_softrelu_of(double x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }
static double refa_sigmoid_of(double x) { return 1 / (1 + exp(-x)); }
static double refa_gelu_of(double x) { return x * 0.5 * (1 + erf(x / sqrt(2.0))); }
static double refa_rint_of(double x) { return x - floor(x) <= 0.5 ? floor(x) : ceil(x); }
static double refa_sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

static double refa_erfinv_of(double y)   /* bisection */
{
    double low = -6, high = 6;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (erf(middle) < y) low = middle; else high = middle;
    }
    return (low + high) / 2;
}
static double refa_digamma_of(double x)   /* psi(x) = psi(x + 1) - 1/x up to 15, then the asymptotic series */
{
    double sum = 0, s;
    while (x < 15) sum -= 1 / x++;
    s = 1 / (x * x);
    s *= 1.0 / 12 - s * (1.0 / 120 - s * (1.0 / 252 - s * (1.0 / 240 - s / 132)));
    return sum + log(x) - 0.5 / x - s;
}

static double refa_trigamma_of(double x)   /* psi'(x) = psi'(x + 1) + 1/x^2 up to 20, then the asymptotic series */
{
    double sum = 0, s;
    for (; x < 20; x++) sum += 1 / (x * x);
    s = 1 / (x * x);
    return sum + 1 / x + s / 2 + s / x * (1.0 / 6 - s * (1.0 / 30 - s * (1.0 / 42 - s * (1.0 / 30 - s * 5 / 66))));
}

/* near: where everything is smooth and round; far: large, negative or hard values. */
#define REFA_UNARY(name, dtypes, gradient, tolerance, near, far, formula) \
    static void refa_##name(ref_case *c) \
    { \
        double *y = refa_like(c, 0, &c->in[0]); \
        for (int64_t i = 0; i < c->in[0].size; i++) { double x = c->in[0].v[i]; y[i] = (formula); } \
    } \
    static const char *const cases_##name[] = { \
        "(3,4)" near, "(7,19)" near, "(2,1,3,2)" far, "(67)" far, "(1)" near, "(1,2,1,3,2)" near, \
        "(0,3)", NULL \
    }; \
    static const ref_op ref_##name = { dtypes, refa_##name, gradient, NULL, tolerance, cases_##name };

REFA_UNARY(relu, REFA_ALL, REF_TRUE, 0, "", "[-100,100]", x > 0 ? x : 0)
REFA_UNARY(sigmoid, REFA_FLOATS, REF_TRUE, 2e-6, "", "[-30,30]", refa_sigmoid_of(x))
REFA_UNARY(log_sigmoid, REFA_FLOATS, REF_TRUE, 2e-6, "", "[-30,30]", -refa_softrelu_of(-x))
REFA_UNARY(softrelu, REFA_FLOATS, REF_TRUE, 2e-6, "", "[-30,30]", refa_softrelu_of(x))
REFA_UNARY(mish, REFA_FLOATS, REF_TRUE, 2e-6, "", "[-20,20]", x * tanh(refa_softrelu_of(x)))
REFA_UNARY(softsign, REFA_FLOATS, REF_TRUE, 2e-6, "", "[-100,100]", x / (1 + fabs(x)))
REFA_UNARY(erf, REFA_FLOATS, REF_TRUE, 2e-6, "", "[-6,6]", erf(x))
REFA_UNARY(erfinv, REFA_FLOATS, REF_TRUE, 1e-5, "[-0.6,0.6]", "[-0.97,0.97]", refa_erfinv_of(x))
REFA_UNARY(gamma, REFA_FLOATS, REF_TRUE, 1e-5, "[0.3,6]", "[-1.8,-1.2]", tgamma(x))
REFA_UNARY(gammaln, REFA_FLOATS, REF_TRUE, 1e-5, "[0.2,30]", "[-1.8,-1.2]", lgamma(x))
REFA_UNARY(digamma, REFA_FLOATS, REF_TRUE, 1e-5, "[0.3,30]", "[-1.8,-1.2]", refa_digamma_of(x))
REFA_UNARY(trigamma, REFA_FLOATS, REF_NO_GRADIENT, 1e-5, "[0.3,30]", "[-1.8,-1.2]", refa_trigamma_of(x))
REFA_UNARY(abs, REFA_ALL, REF_TRUE, 0, "", "[-100,100]", fabs(x))
REFA_UNARY(sign, REFA_ALL, REF_ZERO, 0, "", "int[-1,1]", refa_sign_of(x))
REFA_UNARY(round, REFA_FLOATS, REF_ZERO, 0, "", "[-100,100]", round(x))
REFA_UNARY(rint, REFA_FLOATS, REF_ZERO, 0, "", "[-100,100]", refa_rint_of(x))
REFA_UNARY(round_even, REFA_FLOATS, REF_ZERO, 0, "", "[-100,100]", rint(x))
REFA_UNARY(ceil, REFA_FLOATS, REF_ZERO, 0, "", "[-100,100]", ceil(x))
REFA_UNARY(floor, REFA_FLOATS, REF_ZERO, 0, "", "[-100,100]", floor(x))
REFA_UNARY(trunc, REFA_FLOATS, REF_ZERO, 0, "", "[-100,100]", trunc(x))
REFA_UNARY(fix, REFA_FLOATS, REF_ZERO, 0, "", "[-100,100]", trunc(x))
REFA_UNARY(square, REFA_NUMBERS, REF_TRUE, 1e-6, "", "[-10,10]", x * x)
REFA_UNARY(sqrt, REFA_FLOATS, REF_TRUE, 1e-6, "[0.2,3]", "[100,9000]", sqrt(x))
REFA_UNARY(rsqrt, REFA_FLOATS, REF_TRUE, 1e-6, "[0.2,3]", "[100,9000]", 1 / sqrt(x))
REFA_UNARY(cbrt, REFA_FLOATS, REF_TRUE, 2e-6, "[0.2,3]", "[-3,-0.2]", cbrt(x))
REFA_UNARY(rcbrt, REFA_FLOATS, REF_TRUE, 2e-6, "[0.2,3]", "[-3,-0.2]", 1 / cbrt(x))
REFA_UNARY(reciprocal, REFA_SIGNED, REF_TRUE, 1e-6, "[1,3]", "[-9,-1]", 1 / x)
REFA_UNARY(exp, REFA_FLOATS, REF_TRUE, 2e-6, "", "[-9,9]", exp(x))
REFA_UNARY(expm1, REFA_FLOATS, REF_TRUE, 2e-6, "[-0.01,0.01]", "[-9,9]", expm1(x))
REFA_UNARY(log, REFA_FLOATS, REF_TRUE, 2e-6, "[0.8,1.2]", "[0.01,5000]", log(x))
REFA_UNARY(log2, REFA_FLOATS, REF_TRUE, 2e-6, "[0.8,1.2]", "[0.01,5000]", log2(x))
REFA_UNARY(log10, REFA_FLOATS, REF_TRUE, 2e-6, "[0.8,1.2]", "[0.01,5000]", log10(x))
REFA_UNARY(log1p, REFA_FLOATS, REF_TRUE, 2e-6, "[-0.01,0.01]", "[-0.9,100]", log1p(x))
REFA_UNARY(sin, REFA_FLOATS, REF_TRUE, 2e-6, "", "[-100,100]", sin(x))
REFA_UNARY(cos, REFA_FLOATS, REF_TRUE, 2e-6, "", "[-100,100]", cos(x))
REFA_UNARY(tan, REFA_FLOATS, REF_TRUE, 4e-6, "[-1.2,1.2]", "[1.9,4.3]", tan(x))
REFA_UNARY(arcsin, REFA_FLOATS, REF_TRUE, 2e-6, "[-0.4,0.4]", "[-0.95,0.95]", asin(x))
REFA_UNARY(arccos, REFA_FLOATS, REF_TRUE, 2e-6, "[-0.4,0.4]", "[-0.95,0.95]", acos(x))
REFA_UNARY(arctan, REFA_FLOATS, REF_TRUE, 2e-6, "", "[-100,100]", atan(x))
REFA_UNARY(sinh, REFA_FLOATS, REF_TRUE, 2e-6, "[-0.1,0.1]", "[-9,9]", sinh(x))
REFA_UNARY(cosh, REFA_FLOATS, REF_TRUE, 2e-6, "[-0.1,0.1]", "[-9,9]", cosh(x))
REFA_UNARY(tanh, REFA_FLOATS, REF_TRUE, 2e-6, "[-0.1,0.1]", "[-9,9]", tanh(x))
REFA_UNARY(arcsinh, REFA_FLOATS, REF_TRUE, 2e-6, "[-0.1,0.1]", "[-100,100]", asinh(x))
REFA_UNARY(arccosh, REFA_FLOATS, REF_TRUE, 2e-6, "[1.1,3]", "[3,100]", acosh(x))
REFA_UNARY(arctanh, REFA_FLOATS, REF_TRUE, 2e-6, "[-0.1,0.1]", "[-0.95,0.95]", atanh(x))
REFA_UNARY(degrees, REFA_FLOATS, REF_TRUE, 1e-6, "", "[-300,300]", x * 180 / 3.14159265358979323846)
REFA_UNARY(radians, REFA_FLOATS, REF_TRUE, 1e-6, "", "[-300,300]", x * 3.14159265358979323846 / 180)
REFA_UNARY(negative, REFA_SIGNED, REF_TRUE, 0, "", "[-100,100]", -x)
REFA_UNARY(logical_not, REFA_ALL, REF_ZERO, 0, "int[-1,1]", "bool", x == 0)
REFA_UNARY(identity, REFA_ALL, REF_TRUE, 0, "", "[-100,100]", x)

static void refa_gradient_multiplier(ref_case *c)
{
    memcpy(refa_like(c, 0, &c->in[0]), c->in[0].v, (size_t)c->in[0].size * sizeof(double));
}
static void refa_gradient_multiplied(const ref_case *c, const double *const *dy, double *const *dx)
{
    for (int64_t i = 0; dx[0] && i < c->in[0].size; i++) dx[0][i] = dy[0][i] * ref_num(c, "scalar", 1);
}
static const char *const cases_gradient_multiplier[] = {
    "(3,4) | scalar=2", "(7,19) | scalar=-0.5", "(67)", "(2,1,3,2) | scalar=0", "(0,3) | scalar=3", "() | scalar=-1", NULL };
static const ref_op ref_gradient_multiplier = {
    REFA_ALL, refa_gradient_multiplier, REF_DECLARED, refa_gradient_multiplied, 1e-6, cases_gradient_multiplier };

/* --- two inputs, element by element --- */
static double refa_mod_of(double a, double b)   /* with the sign of b; 0 for b = 0 */
{
    double rest = b != 0 ? fmod(a, b) : 0;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

typedef double (*refa_pair)(double a, double b);

/* The place in t of element i of an array shaped dim: axes match from the right, those of size 1 stay. */
static int64_t refa_spread(const ref_tensor *t, int ndim, const int64_t *dim, int64_t i)
{
    int64_t place = 0, step = 1;
    for (int d = ndim - 1, e = t->ndim - 1; e >= 0; i /= dim[d], d--, e--) {
        if (t->dim[e] != 1) place += i % dim[d] * step;
        step *= t->dim[e];
    }
    return place;
}
static void refa_broadcast(ref_case *c, refa_pair f)
{
    const ref_tensor *a = &c->in[0], *b = &c->in[1];
    int ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
    int64_t dim[8];
    for (int d = 0; d < ndim; d++) {
        int64_t from_a = d < ndim - a->ndim ? 1 : a->dim[d - ndim + a->ndim];
        int64_t from_b = d < ndim - b->ndim ? 1 : b->dim[d - ndim + b->ndim];
        dim[d] = from_a == 1 ? from_b : from_a;
    }
    ref_out(c, 0, ndim, dim);
    for (int64_t i = 0; i < c->out[0].size; i++)
        c->out[0].v[i] = f(a->v[refa_spread(a, ndim, dim, i)], b->v[refa_spread(b, ndim, dim, i)]);
}
static void refa_scalar(ref_case *c, refa_pair f, int scalar_left)
{
    double *y = refa_like(c, 0, &c->in[0]), s = ref_num(c, "scalar", 0);
    const double *x = c->in[0].v;
    for (int64_t i = 0; i < c->in[0].size; i++) y[i] = scalar_left ? f(s, x[i]) : f(x[i], s);
}

#define REFA_PAIR(name, formula) static double refa_pair_##name(double a, double b) { return (formula); }

/* Operands in a and b, and in a2 and b2. */
#define REFA_BROADCAST(name, dtypes, gradient, tolerance, a, b, a2, b2) \
    static void refa_##name(ref_case *c) { refa_broadcast(c, refa_pair_##name); } \
    static const char *const cases_##name[] = { \
        "(2,3,4)" a " (2,3,4)" b, "(2,3,4)" a " (1,3,1)" b, "(3,1)" a2 " (2,1,4)" b2, \
        "(4)" a " (2,3,4)" b, "(2,3,2,5)" a2 " (5)" b2, "(1)" a " (2,2)" b, \
        "(2,1,3,1,2)" a " (1,2,1,2,2)" b, "(67)" a2 " (67)" b2, \
        "(7,19)" a " (7,1)" b, "(3,5,4)" a2 " (5,1)" b2, "(2,1,4)" a " (2,3,4)" b, "(1)" a2 " (1)" b2, \
        "(0,3) (1,3)", NULL \
    }; \
    static const ref_op ref_##name = { dtypes, refa_##name, gradient, NULL, tolerance, cases_##name };
#define REFA_ELEMWISE(name, dtypes, gradient, tolerance, a, b, a2, b2) \
    static void refa_elemwise_##name(ref_case *c) { refa_broadcast(c, refa_pair_##name); } \
    static const char *const cases_elemwise_##name[] = { \
        "(3,4)" a " (3,4)" b, "(67)" a2 " (67)" b2, "(2,1,3,2)" a " (2,1,3,2)" b, "(1)" a2 " (1)" b2, \
        "(7,19)" a " (7,19)" b, "(1,2,1,3,2)" a2 " (1,2,1,3,2)" b2, "(0,3) (0,3)", NULL \
    }; \
    static const ref_op ref_elemwise_##name = \
        { dtypes, refa_elemwise_##name, gradient, NULL, tolerance, cases_elemwise_##name };

/* Inputs in x beside the scalar s, and so on. */
#define REFA_SCALAR_CASES(x, s, x2, s2, x3, s3) { \
    "(3,4)" x " | scalar=" s, "(7,19)" x " | scalar=" s, "(2,1,3,2)" x2 " | scalar=" s2, \
    "(1)" x2 " | scalar=" s2, "(67)" x3 " | scalar=" s3, "(1,2,1,3,2)" x3 " | scalar=" s3, \
    "(0,3) | scalar=" s, NULL }
#define REFA_SCALAR(name, dtypes, gradient, tolerance, x, s, x2, s2, x3, s3) \
    static void refa_##name##_scalar(ref_case *c) { refa_scalar(c, refa_pair_##name, 0); } \
    static const char *const cases_##name##_scalar[] = REFA_SCALAR_CASES(x, s, x2, s2, x3, s3); \
    static const ref_op ref_##name##_scalar = \
        { dtypes, refa_##name##_scalar, gradient, NULL, tolerance, cases_##name##_scalar };
#define REFA_RSCALAR(name, dtypes, gradient, tolerance, x, s, x2, s2, x3, s3) \
    static void refa_r##name##_scalar(ref_case *c) { refa_scalar(c, refa_pair_##name, 1); } \
    static const char *const cases_r##name##_scalar[] = REFA_SCALAR_CASES(x, s, x2, s2, x3, s3); \
    static const ref_op ref_r##name##_scalar = \
        { dtypes, refa_r##name##_scalar, gradient, NULL, tolerance, cases_r##name##_scalar };

#define REFA_BINARY(name, dtypes, gradient, tolerance, a, b, a2, b2, formula) \
    REFA_PAIR(name, formula) \
    REFA_BROADCAST(name, dtypes, gradient, tolerance, a, b, a2, b2) \
    REFA_ELEMWISE(name, dtypes, gradient, tolerance, a, b, a2, b2)
#define REFA_ORDER(name, formula) \
    REFA_BINARY(name, REFA_ALL, REF_ZERO, 0, "int[-1,1]", "int[-1,1]", "", "", formula)
#define REFA_LOGIC(name, formula) \
    REFA_BINARY(name, REFA_ALL, REF_ZERO, 0, "int[-1,1]", "int[-1,1]", "bool", "bool", formula) \
    REFA_SCALAR(name, REFA_NUMBERS, REF_ZERO, 0, "int[-1,1]", "0", "int[-1,1]", "1", "bool", "2")

REFA_BINARY(add, REFA_NUMBERS, REF_TRUE, 1e-6, "", "", "[-50,50]", "[-50,50]", a + b)
REFA_BINARY(sub, REFA_SIGNED, REF_TRUE, 1e-6, "", "", "[-50,50]", "[-50,50]", a - b)
REFA_BINARY(mul, REFA_NUMBERS, REF_TRUE, 1e-6, "", "", "[-9,9]", "[-9,9]", a * b)
REFA_BINARY(div, REFA_SIGNED, REF_TRUE, 1e-6, "[-9,9]", "[1,4]", "[-50,50]", "[-9,-1]", a / b)
REFA_BINARY(mod, REFA_SIGNED, REF_TRUE, 1e-6, "[-9,9]", "[1,4]", "int[-9,9]", "int[-3,3]", refa_mod_of(a, b))
REFA_PAIR(power, pow(a, b))
REFA_BROADCAST(power, REFA_FLOATS, REF_TRUE, 4e-6, "[0.2,3]", "", "[-3,-1]", "int[-2,3]")
REFA_ELEMWISE(power, REFA_SIGNED, REF_TRUE, 4e-6, "[1,3]", "", "[-3,-1]", "int[-2,3]")
REFA_BINARY(maximum, REFA_ALL, REF_TRUE, 0, "", "", "int[-2,2]", "int[-2,2]", a > b ? a : b)
REFA_BINARY(minimum, REFA_ALL, REF_TRUE, 0, "", "", "int[-2,2]", "int[-2,2]", a < b ? a : b)
REFA_BINARY(hypot, REFA_SIGNED, REF_TRUE, 1e-6, "[1,4]", "", "[-50,50]", "[-50,50]", sqrt(a * a + b * b))
REFA_BINARY(arctan2, REFA_FLOATS, REF_TRUE, 1e-6, "[1,4]", "", "[-50,50]", "[-50,-1]", atan2(a, b))
REFA_ORDER(equal, a == b)
REFA_ORDER(not_equal, a != b)
REFA_ORDER(greater, a > b)
REFA_ORDER(greater_equal, a >= b)
REFA_ORDER(lesser, a < b)
REFA_ORDER(lesser_equal, a <= b)
REFA_LOGIC(logical_and, a != 0 && b != 0)
REFA_LOGIC(logical_or, a != 0 || b != 0)
REFA_LOGIC(logical_xor, (a != 0) != (b != 0))

REFA_SCALAR(add, REFA_NUMBERS, REF_TRUE, 1e-6, "", "3", "[0,9]", "2.5", "[-50,50]", "50")
REFA_SCALAR(sub, REFA_SIGNED, REF_TRUE, 1e-6, "", "3", "[-9,0]", "2.5", "[-50,50]", "-50")
REFA_SCALAR(mul, REFA_NUMBERS, REF_TRUE, 1e-6, "", "3", "[-1.4,1.4]", "2.5", "[-9,9]", "10")
REFA_SCALAR(div, REFA_SIGNED, REF_TRUE, 1e-6, "", "2", "[-1.4,1.4]", "2.5", "[-50,50]", "-3")
REFA_SCALAR(mod, REFA_SIGNED, REF_TRUE, 1e-6, "[-9,9]", "-3", "[-1.4,1.4]", "2.5", "int[-9,9]", "0")
REFA_SCALAR(power, REFA_SIGNED, REF_TRUE, 4e-6, "", "2", "[1,1.4]", "2.5", "[1,3]", "-1")
REFA_SCALAR(maximum, REFA_NUMBERS, REF_TRUE, 0, "", "1", "", "-0.5", "int[-2,2]", "0")
REFA_SCALAR(minimum, REFA_NUMBERS, REF_TRUE, 0, "", "1", "", "0.5", "int[-2,2]", "0")
REFA_SCALAR(hypot, REFA_NUMBERS, REF_TRUE, 1e-6, "[-9,9]", "4", "[-1.4,1.4]", "1.5", "[1,50]", "0")
REFA_SCALAR(arctan2, REFA_FLOATS, REF_TRUE, 1e-6, "[-9,9]", "4", "[0.2,1.4]", "-1.5", "[1,50]", "0")
REFA_SCALAR(equal, REFA_NUMBERS, REF_ZERO, 0, "int[-1,1]", "0", "int[-1,1]", "1", "int[0,2]", "0.5")
REFA_SCALAR(not_equal, REFA_NUMBERS, REF_ZERO, 0, "int[-1,1]", "0", "int[-1,1]", "1", "int[0,2]", "0.5")
REFA_SCALAR(greater, REFA_NUMBERS, REF_ZERO, 0, "int[-2,2]", "0.5", "", "0.5", "int[-2,2]", "1")
REFA_SCALAR(greater_equal, REFA_NUMBERS, REF_ZERO, 0, "int[-2,2]", "-0.5", "", "0.5", "int[-2,2]", "1")
REFA_SCALAR(lesser, REFA_NUMBERS, REF_ZERO, 0, "int[-2,2]", "-0.5", "", "0.5", "int[-2,2]", "1")
REFA_SCALAR(lesser_equal, REFA_NUMBERS, REF_ZERO, 0, "int[-2,2]", "0.5", "", "0.5", "int[-2,2]", "1")

REFA_RSCALAR(sub, REFA_SIGNED, REF_TRUE, 1e-6, "", "3", "[-9,0]", "2.5", "[-50,50]", "50")
REFA_RSCALAR(div, REFA_SIGNED, REF_TRUE, 1e-6, "[1,4]", "7", "[1,3.4]", "2.5", "[-9,-1]", "-50")
REFA_RSCALAR(mod, REFA_SIGNED, REF_TRUE, 1e-6, "[1,4]", "7", "[1,2.4]", "2.5", "int[-3,3]", "-8")
REFA_RSCALAR(power, REFA_SIGNED, REF_TRUE, 4e-6, "", "2", "[0.5,2]", "0.5", "[0.5,2]", "0")
REFA_RSCALAR(arctan2, REFA_FLOATS, REF_TRUE, 1e-6, "[-9,9]", "4", "[0.2,1.4]", "-1.5", "[1,50]", "0.5")

/* --- reductions --- */
static int64_t refa_axis(int64_t axis, int ndim) { return axis < 0 ? axis + ndim : axis; }

static void refa_axes(const ref_case *c, const char *key, int *reduced)   /* all axes for None and () */
{
    int64_t axis[8];
    int ndim = c->in[0].ndim, n = ref_ints(c, key, axis, 8);
    for (int d = 0; d < ndim; d++) reduced[d] = n <= 0;
    for (int k = 0; k < n; k++) reduced[refa_axis(axis[k], ndim)] = 1;
    for (int d = 0; d < ndim; d++) if (n > 0 && ref_int(c, "exclude", 0)) reduced[d] = !reduced[d];
}
static double *refa_reduced(ref_case *c, int out, const int *reduced)   /* (1,) if no axis is left */
{
    int64_t dim[8];
    int n = 0;
    for (int d = 0; d < c->in[0].ndim; d++) {
        if (!reduced[d]) dim[n++] = c->in[0].dim[d];
        else if (ref_int(c, "keepdims", 0)) dim[n++] = 1;
    }
    if (!n) dim[n++] = 1;
    return ref_out(c, out, n, dim);
}
static int64_t refa_onto(const ref_tensor *x, const int *reduced, int64_t i)   /* where element i counts */
{
    int64_t place = 0, step = 1;
    for (int d = x->ndim - 1; d >= 0; i /= x->dim[d], d--) {
        if (reduced[d]) continue;
        place += i % x->dim[d] * step;
        step *= x->dim[d];
    }
    return place;
}
static void refa_reduce(ref_case *c, double start, refa_pair join)
{
    const ref_tensor *x = &c->in[0];
    int reduced[8];
    double *y;
    refa_axes(c, "axis", reduced);
    y = refa_reduced(c, 0, reduced);
    for (int64_t o = 0; o < c->out[0].size; o++) y[o] = start;
    for (int64_t i = 0; i < x->size; i++) {
        int64_t o = refa_onto(x, reduced, i);
        y[o] = join(y[o], x->v[i]);
    }
}
static double refa_plus(double v, double x) { return v + x; }
static double refa_times(double v, double x) { return v * x; }
static double refa_nan_plus(double v, double x) { return x != x ? v : v + x; }
static double refa_nan_times(double v, double x) { return x != x ? v : v * x; }
static double refa_larger(double v, double x) { return x > v || x != x ? x : v; }
static double refa_smaller(double v, double x) { return x < v || x != x ? x : v; }

static void refa_sum(ref_case *c) { refa_reduce(c, 0, refa_plus); }
static void refa_prod(ref_case *c) { refa_reduce(c, 1, refa_times); }
static void refa_nansum(ref_case *c) { refa_reduce(c, 0, refa_nan_plus); }
static void refa_nanprod(ref_case *c) { refa_reduce(c, 1, refa_nan_times); }
static void refa_max(ref_case *c) { refa_reduce(c, -HUGE_VAL, refa_larger); }
static void refa_min(ref_case *c) { refa_reduce(c, HUGE_VAL, refa_smaller); }
static void refa_mean(ref_case *c)
{
    const ref_tensor *y = &c->out[0];
    refa_reduce(c, 0, refa_plus);
    for (int64_t o = 0; o < y->size; o++) y->v[o] *= (double)y->size / (double)c->in[0].size;
}

#define REFA_REDUCE(name, dtypes, tolerance, x) \
    static const char *const cases_##name[] = { \
        "(3,4)" x, "(67)" x, "(5)" x " | axis=0", "(1)" x, "(3,4)" x " | axis=1", "(7,19)" x " | axis=0", \
        "(7,19)" x " | axis=1", "(2,3,4)" x " | axis=(0,2)", "(2,3,4)" x " | axis=1", \
        "(2,3,4)" x " | axis=-2 keepdims=True", "(2,3,4)" x " | axis=(1,) exclude=True", \
        "(2,3,4,2)" x " | axis=(0,-1) exclude=True keepdims=True", "(2,3,4)" x " | keepdims=True", \
        "(1,4,1)" x " | axis=(0,2)", "(2,1,3,1,2)" x " | axis=(1,3,4)", "(2,3,2,4)" x " | axis=(1,2)", \
        "(3,2)" x " | axis=()", "(3,2)" x " | axis=None exclude=True", \
        "(3,2)" x " | axis=(0,1) exclude=True", "(2,2,2,2,2)" x " | axis=(0,2,4) keepdims=True", \
        "(0,3)" x " | axis=1", NULL \
    }; \
    static const ref_op ref_##name = { dtypes, refa_##name, REF_TRUE, NULL, tolerance, cases_##name };

REFA_REDUCE(sum, REFA_NUMBERS, 2e-6, "")
REFA_REDUCE(mean, REFA_SIGNED, 2e-6, "[-9,9]")
REFA_REDUCE(prod, REFA_SIGNED, 2e-5, "[0.8,1.2]")
REFA_REDUCE(nansum, REFA_SIGNED, 2e-6, "")
REFA_REDUCE(nanprod, REFA_SIGNED, 2e-5, "[-1.4,1.4]")
REFA_REDUCE(max, REFA_NUMBERS, 0, "[-100,100]")
REFA_REDUCE(min, REFA_NUMBERS, 0, "[-100,100]")

static void refa_norm(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int reduced[8], ord = ref_int(c, "ord", 2);
    double *y;
    refa_axes(c, "axis", reduced);
    y = refa_reduced(c, 0, reduced);
    for (int64_t i = 0; i < x->size; i++) {
        double v = x->v[i];
        y[refa_onto(x, reduced, i)] += ord == 1 ? fabs(v) : v * v;
    }
    for (int64_t o = 0; ord == 2 && o < c->out[0].size; o++) y[o] = sqrt(y[o]);
}
static const char *const cases_norm[] = {
    "(3,4)", "(3,4) | ord=1", "(67)", "(67) | ord=1", "(5) | axis=0", "(2,3,4) | axis=1", "(1)",
    "(2,3,4) | axis=-1 keepdims=True", "(2,3,4) | ord=1 axis=(0,2)", "(2,3,4) | axis=(0,2)",
    "(2,3,4) | ord=1 axis=(0,1) keepdims=True", "(2,3,4) | keepdims=True", "(7,19) | axis=0",
    "(7,19) | ord=1 axis=(1,)", "(2,1,3,1,2) | axis=(2,-1)", "(3,4) | axis=1 out_dtype=float64",
    "(3,4) | axis=None ord=2", "(0,3) | axis=1", NULL
};
static const ref_op ref_norm = { REFA_FLOATS, refa_norm, REF_TRUE, NULL, 2e-6, cases_norm };

static void refa_moments(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int reduced[8];
    double *mean, *var, n;
    refa_axes(c, "axes", reduced);
    mean = refa_reduced(c, 0, reduced);
    var = refa_reduced(c, 1, reduced);
    n = (double)x->size / (double)c->out[0].size;
    for (int64_t o = 0; o < c->out[0].size && !x->size; o++) mean[o] = var[o] = NAN;      /* of nothing */
    for (int64_t i = 0; i < x->size; i++) mean[refa_onto(x, reduced, i)] += x->v[i];
    for (int64_t i = 0; i < x->size; i++) {             /* of whole numbers exact */
        int64_t o = refa_onto(x, reduced, i);
        var[o] += (n * x->v[i] - mean[o]) * (n * x->v[i] - mean[o]);
    }
    for (int64_t o = 0; o < c->out[0].size && x->size; o++) { mean[o] /= n; var[o] /= n * n * n; }
}
/* Weights are shaped like the data, or lie along the one axis that goes. */
static void refa__average(ref_case *c)
{
    const ref_tensor *x = &c->in[0], *w = c->nin > 1 ? &c->in[1] : NULL;
    int reduced[8], out = 0;
    double *mean, *all = NULL;
    int64_t dim[8];
    refa_axes(c, "axis", reduced);
    for (int d = 0; d < x->ndim; d++) if (!reduced[d]) dim[out++] = x->dim[d];
    mean = ref_out(c, 0, out, dim);
    all = (double *)calloc((size_t)(c->out[0].size + 1), sizeof *all);
    for (int64_t i = 0; i < x->size; i++) {
        int64_t left = i, o = 0, step = 1, along = 0;
        for (int d = x->ndim - 1; d >= 0; d--) {
            int64_t at = left % x->dim[d];
            left /= x->dim[d];
            if (reduced[d]) { along = at; continue; }
            o += at * step;
            step *= x->dim[d];
        }
        double f = !w ? 1 : w->v[w->ndim == x->ndim ? i : along];
        mean[o] += f * x->v[i];
        all[o] += f;
    }
    for (int64_t o = 0; o < c->out[0].size; o++) mean[o] /= all[o];
    if (ref_int(c, "returned", 0)) memcpy(ref_out(c, 1, out, dim), all, (size_t)c->out[0].size * sizeof *all);
    free(all);
}
static const char *const cases__average[] = {
    "(3,4) (3,4)[1,2]", "(3,4) | weighted=False", "(3,4) (3)[1,2] | axis=0", "(3,4) (4)[1,2] | axis=-1 returned=True",
    "(2,3,4) (3)[1,2] | axis=1 returned=True", "(2,3,4) (2,3,4)[1,2] | axis=(0,2) returned=True", "(5) (5)[1,2] | axis=0",
    "(2,3,4) | axis=(0,2) weighted=False returned=True", "(2,3,4) (2)[1,2] | axis=-3", "(67,7) (7)[1,2] | axis=1",
    "(0,3) (3)[1,2] | axis=1", NULL };
static const ref_op ref__average = { REFA_FLOATS, refa__average, REF_TRUE, NULL, 4e-6, cases__average };

static const char *const cases_moments[] = {
    "(3,4)", "(3,4)[8,12] | axes=(0,)", "(4,3)[8,12] | axes=(0,)", "(3,4) | axes=(1,)", "(3,4) | axes=(0,1) keepdims=True",
    "(67) | axes=(0,)", "(2,3,4) | axes=(0,2)", "(2,3,4) | axes=(-1,) keepdims=True",
    "(2,3,4) | keepdims=True", "(1,4) | axes=(0,)", "(2,3,2,3) | axes=(0,2,3)", "(2,1,3,1,2) | axes=(0,1,4)",
    "(7,19) | axes=(1,)", "(7,19) | axes=(0,)", "(0,3) | axes=(1,)", NULL
};
static const ref_op ref_moments = { REFA_NUMBERS, refa_moments, REF_TRUE, NULL, 4e-6, cases_moments };

static void refa_cumsum(ref_case *c)   /* without an axis: along the flat array */
{
    const ref_tensor *x = &c->in[0];
    int64_t length = x->size, step = 1, axis = ref_int(c, "axis", REF_NONE);
    double *y;
    if (axis == REF_NONE) y = ref_out(c, 0, 1, &x->size);
    else {
        y = refa_like(c, 0, x);
        axis = refa_axis(axis, x->ndim);
        length = x->dim[axis];
        for (int d = (int)axis + 1; d < x->ndim; d++) step *= x->dim[d];
    }
    for (int64_t i = 0; i < x->size; i++)           /* each becomes an integer before it is added */
        y[i] = (ref_is(c, "dtype", "int32", 0) ? trunc(x->v[i]) : x->v[i]) + (i / step % length ? y[i - step] : 0);
}
static const char *const cases_cumsum[] = {
    "(2,3,4)", "(67)", "(67) | axis=0", "(2,3,4) | axis=0", "(2,3,4) | axis=1", "(2,3,4) | axis=2", "(1)",
    "(2,3,4) | axis=-2", "(7,19) | axis=0", "(7,19) | axis=-1", "(2,1,3,2) | axis=1",
    "(2,1,3,1,2) | axis=None", "(2,1,3,1,2) | axis=2", "(3,4) | axis=1 dtype=float64", "(0,3) | axis=0",
    "(3,4)[-9,9] | axis=1 dtype=int32", "(5,70)[-9,9] | axis=0 dtype=int32",
    "(9,261) | axis=1", "(5,261)[-9,9] | axis=1 dtype=int32", "(2,3,257) | axis=1", NULL
};
static const ref_op ref_cumsum = { REFA_SIGNED "o", refa_cumsum, REF_TRUE, NULL, 2e-6, cases_cumsum };

/* --- linear --- */
static void refa_fully_connected(ref_case *c)
{
    const ref_tensor *x = &c->in[0], *weight = &c->in[1];
    int flat = ref_int(c, "flatten", 1);
    int64_t dim[8], many = weight->dim[0], length = weight->dim[1];
    double *y;
    for (int d = 0; d < x->ndim; d++) dim[d] = x->dim[d];
    dim[flat ? 1 : x->ndim - 1] = many;
    y = ref_out(c, 0, flat ? 2 : x->ndim, dim);
    for (int64_t o = 0; o < c->out[0].size; o++) {
        int64_t row = o / many, h = o % many;
        y[o] = ref_int(c, "no_bias", 0) ? 0 : c->in[2].v[h];
        for (int64_t k = 0; k < length; k++) y[o] += x->v[row * length + k] * weight->v[h * length + k];
    }
}
static const char *const cases_fully_connected[] = {
    "(4,3) (5,3) (5) | num_hidden=5", "(2,3,4) (5,12) (5) | num_hidden=5",
    "(7,3) (6,3) | num_hidden=6 no_bias=True", "(2,3,4) (5,4) (5) | num_hidden=5 flatten=False",
    "(2,3,4) (5,4) | num_hidden=5 no_bias=True flatten=False",
    "(2,2,1,3,2) (3,2) (3) | num_hidden=3 flatten=False",
    "(2,2,1,3) (3,6) | num_hidden=3 no_bias=True flatten=True", "(1,1) (1,1) (1) | num_hidden=1",
    "(1,20) (10,20) (10) | num_hidden=10", "(7,16) (12,16) (12) | num_hidden=12",
    "(33,5) (17,5) (17) | num_hidden=17", "(2,67) (2,67) (2) | num_hidden=2",
    "(4) (5,4) (5) | num_hidden=5 flatten=False", "(2,3) (4,3) (4,1) | num_hidden=4",
    "(0,3) (2,3) (2) | num_hidden=2", NULL
};
static const ref_op ref_fully_connected =
    { REFA_FLOATS, refa_fully_connected, REF_TRUE, NULL, 4e-6, cases_fully_connected };

/* The axis that goes is the last of a, the first of b; the other end if transposed. */
static void refa_dot(ref_case *c)
{
    const ref_tensor *a = &c->in[0], *b = &c->in[1];
    int ta = ref_int(c, "transpose_a", 0), tb = ref_int(c, "transpose_b", 0), n = 0;
    int gone_a = ta ? 0 : a->ndim - 1, gone_b = tb ? b->ndim - 1 : 0;
    int64_t dim[8], length = a->dim[gone_a], rows = 1, columns = 1;
    double *y;
    for (int d = 0; d < a->ndim; d++) if (d != gone_a) rows *= dim[n++] = a->dim[d];
    for (int d = 0; d < b->ndim; d++) if (d != gone_b) columns *= dim[n++] = b->dim[d];
    if (!n) dim[n++] = 1;
    y = ref_out(c, 0, n, dim);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            for (int64_t k = 0; k < length; k++)
                y[i * columns + j] += a->v[ta ? k * rows + i : i * length + k]
                                    * b->v[tb ? j * length + k : k * columns + j];
}
static const char *const cases_dot[] = {
    "(3,4) (4,5)", "(5) (5)", "(3,4) (4)", "(4) (4,5)", "(4,3) (4,5) | transpose_a=True",
    "(3,4) (5,4) | transpose_b=True", "(4,3) (5,4) | transpose_a=True transpose_b=True", "(2,3,4) (4,5)",
    "(2,3) (3,2,4)", "(2,3,4) (4,2,3)", "(4,2,3) (4,5) | transpose_a=True",
    "(2,3,4) (3,2,4) | transpose_b=True", "(4,2,3) (3,2,4) | transpose_a=True transpose_b=True",
    "(4,3) (4) | transpose_a=True", "(3) (5,3) | transpose_b=True", "(1,1) (1,1)", "(7,16) (16,12)",
    "(16,7) (12,16) | transpose_a=True transpose_b=True", "(2,67) (67,2)", "(67,2) (2,3)",
    "(2,1,3,2) (2,1,2)", "(0,3) (3,2)", NULL
};
static const ref_op ref_dot = { REFA_FLOATS, refa_dot, REF_TRUE, NULL, 4e-6, cases_dot };

/* Element (row, column) of matrix m: rows lie along axis `at`, columns along the last, the others count m. */
static int64_t refa_in_matrix(const ref_tensor *t, int at, int64_t m, int64_t row, int64_t column)
{
    int64_t inner = 1;
    for (int d = at + 1; d < t->ndim - 1; d++) inner *= t->dim[d];
    return ((m / inner * t->dim[at] + row) * inner + m % inner) * t->dim[t->ndim - 1] + column;
}
static void refa_matrices(ref_case *c, int axis)
{
    const ref_tensor *a = &c->in[0], *b = &c->in[1], *y = &c->out[0];
    int last = a->ndim - 1, at = (int)refa_axis(axis, a->ndim);
    int ta = ref_int(c, "transpose_a", 0), tb = ref_int(c, "transpose_b", 0);
    int64_t rows = a->dim[ta ? last : at], columns = b->dim[tb ? at : last], length = a->dim[ta ? at : last];
    int64_t dim[8];
    for (int d = 0; d < a->ndim; d++) dim[d] = a->dim[d];
    dim[at] = rows;
    dim[last] = columns;
    ref_out(c, 0, a->ndim, dim);
    for (int64_t m = 0; m < y->size / (rows * columns); m++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++) {
                double sum = 0;
                for (int64_t k = 0; k < length; k++)
                    sum += a->v[refa_in_matrix(a, at, m, ta ? k : i, ta ? i : k)]
                         * b->v[refa_in_matrix(b, at, m, tb ? j : k, tb ? k : j)];
                y->v[refa_in_matrix(y, at, m, i, j)] = sum * ref_num(c, "alpha", 1);
            }
}
static void refa_batch_dot(ref_case *c) { refa_matrices(c, -2); }
static void refa_linalg_gemm2(ref_case *c) { refa_matrices(c, ref_int(c, "axis", -2)); }

#define REFA_MATRIX_CASES \
    "(2,3,4) (2,4,5)", "(2,4,3) (2,4,5) | transpose_a=True", "(2,3,4) (2,5,4) | transpose_b=True", \
    "(2,4,3) (2,5,4) | transpose_a=True transpose_b=True", "(1,1,1) (1,1,1)", "(3,1,5) (3,5,1)", \
    "(3,5,1) (3,1,5)", "(2,2,3,2) (2,2,2,4)", "(2,7,12) (2,12,7)", "(2,1,2,3,2) (2,1,2,2,3)", \
    "(0,2,3) (0,3,2)"
static const char *const cases_batch_dot[] = { REFA_MATRIX_CASES, NULL };
static const ref_op ref_batch_dot = { REFA_FLOATS, refa_batch_dot, REF_TRUE, NULL, 4e-6, cases_batch_dot };

static const char *const cases_linalg_gemm2[] = {
    REFA_MATRIX_CASES, "(3,4) (4,5)", "(3,4) (4,5) | alpha=2.5",
    "(4,3) (5,4) | transpose_a=True transpose_b=True alpha=-0.5", "(3,2,4) (4,2,5) | axis=0",
    "(4,2,3) (4,2,5) | axis=-3 transpose_a=True", "(2,3,2,4) (2,5,2,4) | axis=1 transpose_b=True",
    "(3,2,2,4) (4,2,2,5) | axis=0 alpha=0.5", "(2,3,4) (2,4,5) | axis=1", NULL
};
static const ref_op ref_linalg_gemm2 =
    { REFA_FLOATS, refa_linalg_gemm2, REF_TRUE, NULL, 4e-6, cases_linalg_gemm2 };

/* numpy's matmul: matrix m of either side, or its only one; a vector is a row, then a column. */
static void refa__np_matmul(ref_case *c)
{
    const ref_tensor *a = &c->in[0], *b = &c->in[1];
    int64_t rows = a->ndim > 1 ? a->dim[a->ndim - 2] : 1, length = a->dim[a->ndim - 1], dim[8];
    int64_t columns = b->ndim > 1 ? b->dim[b->ndim - 1] : 1;
    const ref_tensor *lead = a->ndim > b->ndim ? a : b;
    int n = 0;
    for (int d = 0; d < lead->ndim - 2; d++) dim[n++] = lead->dim[d];
    if (a->ndim > 1) dim[n++] = rows;
    if (b->ndim > 1) dim[n++] = columns;
    double *y = ref_out(c, 0, n, dim);
    for (int64_t i = 0; i < c->out[0].size; i++) {
        int64_t m = i / (rows * columns), row = i / columns % rows, column = i % columns;
        const double *p = a->v + ((a->ndim > 2 ? m * rows : 0) + row) * length;
        const double *q = b->v + (b->ndim > 2 ? m * length * columns : 0) + column;
        for (int64_t k = 0; k < length; k++) y[i] += p[k] * q[k * columns];
    }
}
static const char *const cases__np_matmul[] = {
    "(3) (3)", "(2,3) (3)", "(3) (3,2)", "(2,3) (3,4)", "(2,2,3) (3,4)", "(2,3) (2,3,4)", "(3) (2,3,4)", "(2,2,3) (3)",
    "(2,4,3) (2,3,5)", "(2,2,1,3) (2,2,3,2)", "(2,2,2,3) (3,2)", "(0,3) (3,2)", "(2,0) (0,2)", "(0) (0)", "(7,16) (16,12)", NULL };
static const ref_op ref__np_matmul = { REFA_FLOATS, refa__np_matmul, REF_TRUE, NULL, 4e-6, cases__np_matmul };

/* --- matrices: each column of a solution by Gauss and Jordan, the largest of all that is left divides --- */
static long double refa_solve(const double *a, const double *b, double *x, int64_t n)       /* the determinant */
{
    size_t wide = (size_t)n + 1;
    long double *m = (long double *)malloc(((size_t)n * wide + 1) * sizeof *m), det = 1;
    int64_t *column = (int64_t *)malloc(((size_t)n + 1) * sizeof *column);
    char *used = (char *)calloc((size_t)n + 1, 1);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= n; j++) m[(size_t)i * wide + (size_t)j] = j < n ? a[i * n + j] : b ? b[i] : 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t row = i, best = -1, t;
        for (int64_t k = i; k < n; k++)
            for (int64_t j = 0; j < n; j++)
                if (!used[j] && (best < 0 || fabsl(m[(size_t)k * wide + (size_t)j]) > fabsl(m[(size_t)row * wide + (size_t)best]))) {
                    row = k;
                    best = j;
                }
        for (int64_t j = 0; j <= n && row != i; j++) {
            long double v = m[(size_t)i * wide + (size_t)j];
            m[(size_t)i * wide + (size_t)j] = m[(size_t)row * wide + (size_t)j];
            m[(size_t)row * wide + (size_t)j] = v;
        }
        if (row != i) det = -det;
        for (t = best; t > 0; t--) if (!used[t - 1]) det = -det;        /* the column moves before those that are left */
        used[best] = 1;
        column[i] = best;
        det *= m[(size_t)i * wide + (size_t)best];
        for (int64_t k = 0; k < n; k++) {
            long double f = k == i ? 0 : m[(size_t)k * wide + (size_t)best] / m[(size_t)i * wide + (size_t)best];
            for (int64_t j = 0; j <= n && k != i; j++) m[(size_t)k * wide + (size_t)j] -= f * m[(size_t)i * wide + (size_t)j];
        }
    }
    for (int64_t i = 0; i < n && x; i++)
        x[column[i]] = (double)(m[(size_t)i * wide + (size_t)n] / m[(size_t)i * wide + (size_t)column[i]]);
    free(m);
    free(column);
    free(used);
    return det;
}
static int64_t refa_order(const ref_tensor *a) { return a->dim[a->ndim - 1]; }
static void refa_linalg_inverse(ref_case *c)
{
    const ref_tensor *a = &c->in[0];
    double *y = refa_like(c, 0, a);
    int64_t n = refa_order(a);
    double *unit = (double *)calloc((size_t)(2 * n) + 1, sizeof *unit);
    for (int64_t at = 0; at < a->size; at += n * n)
        for (int64_t j = 0; j < n; j++) {
            unit[j] = 1;
            refa_solve(a->v + at, unit, unit + n, n);
            unit[j] = 0;
            for (int64_t i = 0; i < n; i++) y[at + i * n + j] = unit[n + i];
        }
    free(unit);
}
static double *refa_per_matrix(ref_case *c, int i)
{
    const int64_t one = 1;
    return c->in[0].ndim > 2 ? ref_out(c, i, c->in[0].ndim - 2, c->in[0].dim) : ref_out(c, i, 1, &one);
}
static void refa_linalg_det(ref_case *c)
{
    double *y = refa_per_matrix(c, 0);
    int64_t n = refa_order(&c->in[0]);
    for (int64_t m = 0; m < c->out[0].size; m++) y[m] = (double)refa_solve(c->in[0].v + m * n * n, NULL, NULL, n);
}
static void refa_linalg_slogdet(ref_case *c)
{
    double *sign = refa_per_matrix(c, 0), *size = refa_per_matrix(c, 1);
    int64_t n = refa_order(&c->in[0]);
    for (int64_t m = 0; m < c->out[0].size; m++) {
        long double det = refa_solve(c->in[0].v + m * n * n, NULL, NULL, n);
        sign[m] = det > 0 ? 1 : det < 0 ? -1 : 0;
        size[m] = (double)logl(fabsl(det));
    }
}
static const char *const cases_matrix[] = {
    "(3,3)", "(1,1)[0.5,2]", "(2,2)[0.5,3]", "(4,4)", "(2,3,3)", "(2,1,2,2)", "(3,1,1,1)[-2,-1]", "(0,3,3)", NULL };
static const ref_op ref_linalg_inverse = { REFA_FLOATS, refa_linalg_inverse, REF_TRUE, NULL, 4e-6, cases_matrix };
static const ref_op ref_linalg_det = { REFA_FLOATS, refa_linalg_det, REF_TRUE, NULL, 4e-6, cases_matrix };
static const ref_op ref_linalg_slogdet = { REFA_FLOATS, refa_linalg_slogdet, REF_TRUE, NULL, 4e-6, cases_matrix };

/* Singular values by another way than there: they and their negatives are the eigenvalues of [0 A; A^T 0], whose vectors
 * are u over v. Jacobi turns it, an n x n square, until it is diagonal; vector: in its columns. */
static TEST_HOT void refa_eigen(double *s, double *vector, int n)
{
    double all = 0;
    for (int i = 0; i < n * n; i++) { vector[i] = i % (n + 1) == 0; all += s[i] * s[i]; }
    for (int sweep = 0, again = 1; sweep < 40 && again; sweep++)
        for (int p = again = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                double off = s[p * n + q], angle, c, t;
                if (off * off <= 1e-35 * all) continue;
                again = 1;
                angle = 0.5 * atan2(2 * off, s[q * n + q] - s[p * n + p]);
                c = cos(angle);
                t = sin(angle);
                for (int pass = 0; pass < 3; pass++)
                    for (int k = 0; k < n; k++) {
                        double *x = pass == 0 ? s + p * n + k : pass == 1 ? s + k * n + p : vector + k * n + p;
                        double *y = pass == 0 ? s + q * n + k : pass == 1 ? s + k * n + q : vector + k * n + q;
                        double was = *x;
                        *x = c * was - t * *y;
                        *y = t * was + c * *y;
                    }
            }
}
static double refa_singular(const double *a, int m, int n, int most, double *slope);
/* As below, of a matrix that is long one way: its short lines are a square times lines of length 1 at right angles. */
static double refa_singular_long(const double *a, int m, int n, int most, double *slope)
{
    int few = m < n ? m : n, many = m < n ? n : m, down = m < n ? n : 1, along = m < n ? 1 : n;
    double *line = (double *)calloc((size_t)(few * (many + 2 * few)), sizeof *line), y;
    double *square = line + few * many, *turned = square + few * few;
    for (int i = 0; i < few; i++) {
        double *own = line + i * many, size = 0;
        for (int j = 0; j < many; j++) own[j] = a[i * down + j * along];
        for (int k = 0; k < 2 * i; k++) {               /* twice, for the rounding */
            double *other = line + k % i * many, both = 0;
            for (int j = 0; j < many; j++) both += own[j] * other[j];
            for (int j = 0; j < many; j++) own[j] -= both * other[j];
            square[i * few + k % i] += both;
        }
        for (int j = 0; j < many; j++) size += own[j] * own[j];
        square[i * few + i] = size = sqrt(size);
        for (int j = 0; j < many && size > 0; j++) own[j] /= size;
    }
    y = refa_singular(square, few, few, most, turned);
    for (int i = 0; i < few; i++)
        for (int j = 0; j < many; j++) {
            double sum = 0;
            for (int k = 0; k < few; k++) sum += turned[i * few + k] * line[k * many + j];
            slope[i * down + j * along] = sum;
        }
    free(line);
    return y;
}
/* The norm of a (m x n) by its singular values, with their slope: 0 the sum, 1 the largest, -1 the smallest. */
static double refa_singular(const double *a, int m, int n, int most, double *slope)
{
    if (m > 2 * n || n > 2 * m) return refa_singular_long(a, m, n, most, slope);
    int all = m + n, few = m < n ? m : n;
    double *s = (double *)calloc((size_t)(2 * all * all + 1), sizeof *s), *vector = s + all * all, y = 0;
    for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) s[i * all + m + j] = s[(m + j) * all + i] = a[i * n + j];
    refa_eigen(s, vector, all);
    for (int i = 0; i < m * n; i++) slope[i] = 0;
    for (int rank = 0; rank < few; rank++) {            /* the largest that is left */
        int at = 0;
        for (int k = 1; k < all; k++) if (s[k * all + k] > s[at * all + at]) at = k;
        if (!most || rank == (most > 0 ? 0 : few - 1)) {
            y += s[at * all + at];
            for (int i = 0; i < m; i++)
                for (int j = 0; j < n; j++) slope[i * n + j] += 2 * vector[i * all + at] * vector[(m + j) * all + at];
        }
        s[at * all + at] = -1e300;
    }
    free(s);
    return y;
}
/* A line of n; an order that is an end is told by `end`. */
static double refa_p_norm(const double *a, int n, double p, int end, double *slope)
{
    double y = 0, sum = 0;
    for (int i = 0; i < n; i++) {
        double size = fabs(a[i]);
        if (end) y = i && (end > 0 ? size < y : size > y) ? y : size;
        else sum += p == 0 ? size != 0 : pow(size, p);
    }
    if (!end) y = p == 0 ? sum : pow(sum, 1 / p);
    for (int i = 0; i < n; i++)
        slope[i] = end ? (fabs(a[i]) == y) * refa_sign_of(a[i]) : p == 0 ? 0
                 : refa_sign_of(a[i]) * pow(fabs(a[i]) / y, p - 1);
    return y;
}
/* The largest or smallest of the sums of |x| in columns or rows. */
static double refa_sums(const double *a, int m, int n, int columns, int largest, double *slope)
{
    double y = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < (columns ? n : m); k++) {
            double sum = 0;
            for (int i = 0; i < (columns ? m : n); i++) sum += fabs(a[columns ? i * n + k : k * n + i]);
            if (!pass) y = k && (largest ? sum < y : sum > y) ? y : sum;
            for (int i = 0; i < (columns ? m : n) && pass; i++) {
                int at = columns ? i * n + k : k * n + i;
                slope[at] = sum == y ? refa_sign_of(a[at]) : 0;
            }
        }
    return y;
}
static double refa_norm_of(const ref_case *c, const double *a, int m, int n, int axes, double *slope)
{
    int flag = ref_int(c, "flag", -1);
    double p = ref_num(c, "ord", 2);
    int infinite = !(fabs(p) < 1e30), end = infinite ? (p > 0 ? 1 : -1) : 0;
    if (flag == 1) return refa_p_norm(a, m * n, 2, 0, slope);
    if (axes == 1) return refa_p_norm(a, n, p, end, slope);
    if (flag == 2 || fabs(p) == 2) return refa_singular(a, m, n, flag == 2 ? 0 : p > 0 ? 1 : -1, slope);
    return refa_sums(a, m, n, !infinite, p > 0, slope);
}
/* grad: x is input 1, its slope times input 0 the result. */
static void refa_norms(ref_case *c, int grad)
{
    const ref_tensor *x = &c->in[grad];
    int64_t axis[8], dim[8];
    int n = ref_ints(c, "axis", axis, 8), keep = ref_is(c, "keepdims", "True", 0), left = 0, row = -1, column;
    double *y, *a = (double *)calloc((size_t)(2 * x->size + 2), sizeof *a), *slope = a + x->size + 1;
    if (n < 0) {
        n = x->ndim > 1 ? 2 : 1;
        axis[0] = x->ndim - n;
        axis[1] = x->ndim - 1;
    }
    for (int i = 0; i < n; i++) if (axis[i] < 0) axis[i] += x->ndim;
    column = (int)axis[n - 1];
    if (n == 2) row = (int)axis[0];
    for (int d = 0; d < x->ndim; d++)
        if (keep || (d != row && d != column)) dim[left++] = d == row || d == column ? 1 : x->dim[d];
    y = grad ? refa_like(c, 0, x) : ref_out(c, 0, left, dim);
    int rows = row < 0 ? 1 : (int)x->dim[row], columns = (int)x->dim[column], size = rows * columns;
    for (int64_t item = 0; size && item < x->size / size; item++)
        for (int pass = 0; pass < 2; pass++) {          /* gather, scatter */
            int64_t seen = 0;
            for (int64_t i = 0; i < x->size; i++) {
                int64_t rest = i, at = 0, step = 1, mine[2] = { 0, 0 };
                for (int d = x->ndim - 1; d >= 0; rest /= x->dim[d--]) {
                    if (d == row || d == column) { mine[d == column] = rest % x->dim[d]; continue; }
                    at += rest % x->dim[d] * step;
                    step *= x->dim[d];
                }
                if (at != item) continue;
                seen = mine[0] * columns + mine[1];
                if (!pass) a[seen] = x->v[i];
                else if (grad) y[i] = slope[seen] * c->in[0].v[item];
            }
            if (pass) continue;
            double norm = refa_norm_of(c, a, rows, columns, n, slope);
            if (!grad) y[item] = norm;
        }
    free(a);
}
static void refa__np_norm(ref_case *c) { refa_norms(c, 0); }
static void refa__np_norm_grad(ref_case *c) { refa_norms(c, 1); }
static const char *const cases__np_norm[] = {
    "(3,4)", "(4,3) | ord=-2", "(3,3) | flag=2", "(2,3,4) | flag=2 keepdims=True", "(3,2,4) | axis=(0,2) flag=0",
    "(3,2,4) | axis=(2,0) ord=-2 flag=0 keepdims=True", "(2,3,1,2) | axis=(-1,1) flag=2", "(1,5)[1,2]", "(5,1) | flag=2",
    "(3,4) | ord=1", "(3,4) | ord=-1 keepdims=True", "(2,3,4) | ord=inf axis=(1,2)", "(2,3,4) | ord=-inf axis=(1,0)",
    "(3,4) | flag=1", "(2,3,4) | flag=1 axis=(0,2)", "(5) | ord=3", "(5)[0.5,2] | ord=-1.5", "(4,3) | ord=2 axis=1",
    "(4,3)[0.5,2] | ord=0 axis=(0,)", "(4,3) | ord=inf axis=0", "(4,3) | ord=-inf axis=0 keepdims=True", "(7,9) | flag=2",
    "(1,1)", "(0,3)", "(2,0,3) | flag=2", "(3,3,0) | axis=(0,1)", NULL };
static const ref_op ref__np_norm = { REFA_FLOATS, refa__np_norm, REF_TRUE, NULL, 2e-5, cases__np_norm };
static const char *const cases__np_norm_grad[] = {
    "() (3,4)", "() (4,3) | ord=-2", "() (3,3) | flag=2", "(2,1,1) (2,3,4) | flag=2 keepdims=True",
    "(2) (3,2,4) | axis=(0,2) flag=0", "(2) (3,2,4) | axis=(2,0) ord=-2 flag=0", "(2,1) (2,3,1,2) | axis=(-1,1) flag=2",
    "() (3,4) | ord=1", "(2) (2,3,4) | ord=-inf axis=(1,2)", "() (3,4) | flag=1", "() (5) | ord=3",
    "() (5)[0.5,2] | ord=-1.5", "(4) (4,3) | axis=1", "(3) (4,3) | ord=inf axis=0", "() (0,3)", NULL };
static const ref_op ref__np_norm_grad = { REFA_FLOATS, refa__np_norm_grad, REF_NO_GRADIENT, NULL, 2e-4, cases__np_norm_grad };

static void refa_triangle(ref_case *c, int upper)
{
    const ref_tensor *x = &c->in[0];
    int64_t columns = refa_order(x), rows = x->ndim > 1 ? x->dim[x->ndim - 2] : columns, k = ref_int(c, "k", 0);
    int64_t square[2] = { columns, columns };
    double *y = x->ndim > 1 ? refa_like(c, 0, x) : ref_out(c, 0, 2, square);
    for (int64_t i = 0; i < c->out[0].size; i++) {
        int64_t off = i % columns - i / columns % rows - k;
        y[i] = (upper ? off >= 0 : off <= 0) ? x->v[x->ndim > 1 ? i : i % columns] : 0;
    }
}
static void refa_tril(ref_case *c) { refa_triangle(c, 0); }
static void refa_triu(ref_case *c) { refa_triangle(c, 1); }
static const char *const cases_matrix_triangle[] = {
    "(3,4)", "(4,3) | k=1", "(5,5) | k=-2", "(2,3,3)", "(2,1,2,3) | k=-1", "(3,3) | k=7", "(3,3) | k=-7", "(1,1)",
    "(0,3)", "(4)", "(4) | k=1", "(3) | k=-1", "(0)", NULL };
static const ref_op ref_tril = { REFA_ALL, refa_tril, REF_TRUE, NULL, 0, cases_matrix_triangle };
static const ref_op ref_triu = { REFA_ALL, refa_triu, REF_TRUE, NULL, 0, cases_matrix_triangle };

/* X of op(A) X = B one column (row, if A is on the right) after the other; the rest of A counts as 0. */
static void refa_linalg_trsm(ref_case *c)
{
    const ref_tensor *a = &c->in[0], *b = &c->in[1];
    double *y = refa_like(c, 0, b);
    int64_t n = refa_order(a), columns = refa_order(b), size = b->dim[b->ndim - 2] * columns;
    int right = ref_int(c, "rightside", 0), lower = ref_int(c, "lower", 1), turned = ref_int(c, "transpose", 0) != right;
    int64_t step = right ? 1 : columns, across = right ? columns : 1;
    double *t = (double *)calloc((size_t)(n * n + 2 * n) + 1, sizeof *t), *x = t + n * n;
    for (int64_t m = 0; size && m < b->size / size; m++) {
        for (int64_t k = 0; k < n * n; k++)
            t[turned ? k % n * n + k / n : k] = (lower ? k % n <= k / n : k % n >= k / n) ? a->v[m * n * n + k] : 0;
        for (int64_t k = 0; k < size / (n ? n : 1); k++) {
            const double *from = b->v + m * size + k * across;
            for (int64_t i = 0; i < n; i++) x[i] = from[i * step] * ref_num(c, "alpha", 1);
            refa_solve(t, x, x + n, n);
            for (int64_t i = 0; i < n; i++) y[m * size + k * across + i * step] = x[n + i];
        }
    }
    free(t);
}
static const char *const cases_linalg_trsm[] = {
    "(3,3)[0.5,2] (3,2)", "(3,3)[0.5,2] (3,2) | transpose=True", "(3,3)[0.5,2] (2,3) | rightside=True",
    "(3,3)[0.5,2] (2,3) | rightside=True transpose=True", "(3,3)[0.5,2] (3,2) | lower=False",
    "(3,3)[0.5,2] (3,2) | lower=False transpose=True alpha=2", "(3,3)[0.5,2] (2,3) | lower=False rightside=True",
    "(3,3)[0.5,2] (2,3) | lower=False rightside=True transpose=True alpha=-0.5", "(2,2,2)[0.5,2] (2,2,5)",
    "(2,1,4,4)[0.5,2] (2,1,4,1) | alpha=3", "(1,1)[0.5,2] (1,1)", "(0,2,2) (0,2,3)", "(2,2) (2,0)", NULL };
static const ref_op ref_linalg_trsm = { REFA_FLOATS, refa_linalg_trsm, REF_TRUE, NULL, 4e-6, cases_linalg_trsm };

/* Positive definite inputs depend on themselves: test_linalg.c has them. These are of order 1. */
static void refa_linalg_potrf(ref_case *c)
{
    double *y = refa_like(c, 0, &c->in[0]);
    int64_t n = refa_order(&c->in[0]);
    for (int64_t at = 0; at < c->in[0].size; at += n * n, y += n * n)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = j; i < n; i++) {
                long double sum = (c->in[0].v[at + i * n + j] + c->in[0].v[at + j * n + i]) / 2;
                for (int64_t k = 0; k < j; k++) sum -= (long double)y[i * n + k] * y[j * n + k];
                y[i * n + j] = (double)(i == j ? sqrtl(sum) : sum / y[j * n + j]);
            }
}
static const char *const cases_linalg_potrf[] = { "(1,1)[0.5,2]", "(5,1,1)[0.1,9]", "(2,3,1,1)[1,2]", "(0,2,2)", NULL };
static const ref_op ref_linalg_potrf = { REFA_FLOATS, refa_linalg_potrf, REF_TRUE, NULL, 4e-6, cases_linalg_potrf };

static void refa_add_n(ref_case *c)
{
    double *y = refa_like(c, 0, &c->in[0]);
    for (int k = 0; k < c->nin; k++)
        for (int64_t i = 0; i < c->in[0].size; i++) y[i] += c->in[k].v[i];
}
static const char *const cases_add_n[] = {
    "(3,4)", "(3,4) (3,4)", "(67) (67) (67)", "(2,1,3,2) (2,1,3,2) (2,1,3,2) (2,1,3,2)", "(1) (1)",
    "(2,3) (2,3) (2,3) (2,3) (2,3) (2,3) (2,3)", "(2,1,2,1,3) (2,1,2,1,3)", "(0,3) (0,3)", NULL
};
static const ref_op ref_add_n = { REFA_NUMBERS, refa_add_n, REF_TRUE, NULL, 1e-6, cases_add_n };

/* --- activation and loss --- */
static double refa_activate(const ref_case *c, double x)
{
    if (ref_is(c, "act_type", "relu", 0)) return x > 0 ? x : 0;
    if (ref_is(c, "act_type", "sigmoid", 0)) return refa_sigmoid_of(x);
    if (ref_is(c, "act_type", "tanh", 0)) return tanh(x);
    if (ref_is(c, "act_type", "softrelu", 0)) return refa_softrelu_of(x);
    if (ref_is(c, "act_type", "softsign", 0)) return x / (1 + fabs(x));
    if (ref_is(c, "act_type", "log_sigmoid", 0)) return -refa_softrelu_of(-x);
    return x * tanh(refa_softrelu_of(x));   /* mish */
}
static void refa_activation(ref_case *c)
{
    double *y = refa_like(c, 0, &c->in[0]);
    for (int64_t i = 0; i < c->in[0].size; i++) y[i] = refa_activate(c, c->in[0].v[i]);
}
static const char *const cases_activation[] = {
    "(3,4) | act_type=relu", "(3,4) | act_type=sigmoid", "(3,4) | act_type=tanh", "(3,4) | act_type=softrelu",
    "(3,4) | act_type=softsign", "(3,4) | act_type=log_sigmoid", "(3,4) | act_type=mish",
    "(7,19)[-20,20] | act_type=relu", "(67)[-20,20] | act_type=sigmoid", "(2,1,3,2)[-20,20] | act_type=tanh",
    "(67)[-30,30] | act_type=softrelu", "(1,2,1,3,2)[-20,20] | act_type=softsign",
    "(67)[-20,20] | act_type=log_sigmoid", "(7,5)[-20,20] | act_type=mish", "(1) | act_type=tanh",
    "(0,3) | act_type=relu", NULL
};
static const ref_op ref_activation = { REFA_FLOATS, refa_activation, REF_TRUE, NULL, 2e-6, cases_activation };

/* The value of gamma for element i: one per channel, or one for all. */
static double refa_prelu_gamma(const ref_tensor *x, const ref_tensor *gamma, int64_t i)
{
    int64_t inner = 1;
    for (int d = 2; d < x->ndim; d++) inner *= x->dim[d];
    return gamma->v[i / inner % gamma->size];
}
static void refa_leaky_relu(ref_case *c)   /* no outputs where slopes are random */
{
    const ref_tensor *x = &c->in[0];
    double slope = ref_num(c, "slope", 0.25), *y;
    double low = ref_num(c, "lower_bound", 0.125), high = ref_num(c, "upper_bound", 0.334);
    int random = ref_is(c, "act_type", "rrelu", 0);
    if (random && c->training) return;
    y = refa_like(c, 0, x);
    for (int64_t i = 0; i < x->size; i++) {
        double v = x->v[i];
        if (ref_is(c, "act_type", "gelu", 0)) y[i] = refa_gelu_of(v);
        else if (ref_is(c, "act_type", "selu", 0))
            y[i] = 1.0507009873554805 * (v > 0 ? v : 1.6732632423543772 * expm1(v));
        else if (v > 0) y[i] = v;
        else if (ref_is(c, "act_type", "elu", 0)) y[i] = slope * expm1(v);
        else if (ref_is(c, "act_type", "prelu", 0)) y[i] = v * refa_prelu_gamma(x, &c->in[1], i);
        else y[i] = v * (random ? (low + high) / 2 : slope);
    }
}
static const char *const cases_leaky_relu[] = {
    "(3,4)", "(3,4) | act_type=leaky", "(7,19) | act_type=leaky slope=0.01", "(67)[-9,9] | slope=0.5",
    "(3,4) | act_type=elu", "(67)[-9,9] | act_type=elu slope=1.5", "(7,19)[-9,9] | act_type=selu",
    "(7,19)[-6,6] | act_type=gelu", "(2,3,4) | act_type=gelu", "(2,3,4) (3)[0,1] | act_type=prelu",
    "(2,3,4) (1)[0,1] | act_type=prelu", "(5,3) (3)[-1,1] | act_type=prelu", "(5) (1)[0,1] | act_type=prelu",
    "(2,3,2,5) (3)[0,1] | act_type=prelu", "(2,3,2,2,3) (3)[0,1] | act_type=prelu", "(3,4) | act_type=rrelu",
    "(7,19) | act_type=rrelu lower_bound=0.3 upper_bound=0.5",
    "(7,19) | act_type=rrelu @training", "(7,19) | act_type=rrelu lower_bound=0.3 upper_bound=0.5 @training",
    "(1) | act_type=elu", "(2,1,3,2) | act_type=selu", "(0,3)", NULL
};
static const ref_op ref_leaky_relu = { REFA_FLOATS, refa_leaky_relu, REF_TRUE, NULL, 2e-6, cases_leaky_relu };

/* Lines along which a softmax runs: n elements `step` apart. */
typedef struct refa_lines { int64_t n, step, many; } refa_lines;

static refa_lines refa_lines_of(const ref_tensor *x, int axis)
{
    refa_lines lines = { 1, 1, 0 };
    axis = (int)refa_axis(axis, x->ndim);
    lines.n = x->dim[axis];
    for (int d = axis + 1; d < x->ndim; d++) lines.step *= x->dim[d];
    lines.many = lines.n ? x->size / lines.n : 0;
    return lines;
}
static refa_lines refa_rows_of(const ref_tensor *x)   /* all but the first axis */
{
    refa_lines lines = { 1, 1, 0 };
    for (int d = 1; d < x->ndim; d++) lines.n *= x->dim[d];
    lines.many = x->dim[0];
    return lines;
}
static int64_t refa_line_at(refa_lines lines, int64_t line)   /* its first element */
{
    return line / lines.step * lines.step * lines.n + line % lines.step;
}
/* Softmax of factor * x over each line; with lengths over its beginning, the rest being 0. */
static void refa_softmax_lines(const double *x, double *y, refa_lines lines, double factor,
                               const double *length)
{
    for (int64_t line = 0; line < lines.many; line++) {
        int64_t first = refa_line_at(lines, line), n = length ? (int64_t)length[line] : lines.n;
        int64_t end = first + (n < lines.n ? n : lines.n) * lines.step;
        double top = -HUGE_VAL, sum = 0;
        for (int64_t i = first; i < end; i += lines.step) top = fmax(top, factor * x[i]);
        for (int64_t i = first; i < end; i += lines.step) sum += exp(factor * x[i] - top);
        for (int64_t i = first; i < end; i += lines.step) y[i] = exp(factor * x[i] - top) / sum;
    }
}
static void refa_any_softmax(ref_case *c, double sign)
{
    const ref_tensor *x = &c->in[0];
    double *y = refa_like(c, 0, x);
    refa_softmax_lines(x->v, y, refa_lines_of(x, ref_int(c, "axis", -1)), sign / ref_num(c, "temperature", 1),
                       ref_int(c, "use_length", 0) ? c->in[1].v : NULL);
}
static void refa_softmax(ref_case *c) { refa_any_softmax(c, 1); }
static void refa_softmin(ref_case *c) { refa_any_softmax(c, -1); }
static void refa_log_softmax(ref_case *c)
{
    refa_any_softmax(c, 1);
    for (int64_t i = 0; i < c->out[0].size; i++) c->out[0].v[i] = log(c->out[0].v[i]);
}
#define REFA_SOFTMAX_CASES \
    "(3,4)", "(2,3,4) | axis=1", "(2,3,4) | axis=0", "(2,3,4) | axis=-2", "(67)", "(7,19)[-50,50]", \
    "(19,7) | axis=0", "(3,4) | temperature=2.5", "(3,4) | axis=0 temperature=0.5", \
    "(3,4) | temperature=None dtype=None", "(2,1,3,2) | axis=3", "(1,2,2,3,2) | axis=2", "(3,1)", "(1)", \
    "(3,4) | dtype=float64", "(0,3)"
static const char *const cases_softmax[] = {
    REFA_SOFTMAX_CASES, "(2,3,4) (2,3)int[0,4] | use_length=True",
    "(2,3,4) (2,4)int[0,3] | axis=1 use_length=True", "(7,19) (7)int[1,19] | use_length=True temperature=0.5",
    "(7,5) (5)int[0,7] | axis=0 use_length=True", NULL
};
static const ref_op ref_softmax = { REFA_FLOATS, refa_softmax, REF_TRUE, NULL, 4e-6, cases_softmax };
static const char *const cases_log_softmax[] = { REFA_SOFTMAX_CASES, NULL };
static const ref_op ref_log_softmax =
    { REFA_FLOATS, refa_log_softmax, REF_TRUE, NULL, 4e-6, cases_log_softmax };
static const char *const cases_softmin[] = { REFA_SOFTMAX_CASES, NULL };
static const ref_op ref_softmin = { REFA_FLOATS, refa_softmin, REF_TRUE, NULL, 4e-6, cases_softmin };

/* --- attention: every query looks at all keys of its head --- */
typedef struct refa_heads { const ref_tensor *t; int heads; } refa_heads;   /* of (B, T, heads D) or (B, heads, T, D) */
static int64_t refa_head_size(refa_heads h) { return h.t->ndim == 4 ? h.t->dim[3] : h.t->dim[2] / h.heads; }
static double *refa_head_row(refa_heads h, int64_t sample, int64_t head, int64_t row)
{
    const int64_t *d = h.t->dim;
    if (h.t->ndim == 4) return h.t->v + ((sample * d[1] + head) * d[2] + row) * d[3];
    return h.t->v + (sample * d[1] + row) * d[2] + head * refa_head_size(h);
}
static void refa_attention(ref_case *c)
{
    const int apart = c->in[0].ndim == 4, heads = apart ? (int)c->in[0].dim[1] : ref_int(c, "heads", 1);
    const int some = ref_int(c, "kv_heads", 0), shared = apart ? (int)c->in[1].dim[1] : some ? some : heads;
    refa_heads q = { &c->in[0], heads }, k = { &c->in[1], shared }, v = { &c->in[2], shared }, y = { &c->out[0], heads };
    const int64_t T = c->in[0].dim[1 + apart], S = c->in[1].dim[1 + apart], D = refa_head_size(q), E = refa_head_size(v);
    const double given = ref_num(c, "scale", 0), scale = given != 0 ? given : 1 / sqrt(D ? (double)D : 1);
    const int causal = ref_int(c, "causal", 0), past = ref_int(c, "past", 0);
    int64_t dim[4], space[4] = { c->in[0].dim[0], heads, T, S };
    double *p = (double *)malloc(sizeof *p * (size_t)(S + 1));
    memcpy(dim, c->in[0].dim, sizeof dim);
    dim[c->in[0].ndim - 1] = apart ? E : E * heads;
    ref_out(c, 0, c->in[0].ndim, dim);
    for (int64_t i = 0; i < space[0] * heads * T; i++) {
        const int64_t row = i % T, head = i / T % heads, sample = i / T / heads, own = head / (heads / shared);
        double *to = refa_head_row(y, sample, head, row), most = -HUGE_VAL, sum = 0;
        for (int64_t j = 0; j < S; j++) {
            p[j] = 0;
            for (int64_t n = 0; n < D; n++) p[j] += refa_head_row(q, sample, head, row)[n] * refa_head_row(k, sample, own, j)[n];
            p[j] *= scale;
            if (ref_int(c, "use_mask", 0)) p[j] += c->in[3].v[refa_spread(&c->in[3], 4, space, i * S + j)];
            if (ref_int(c, "use_length", 0) && j >= (int64_t)c->in[c->nin - 1].v[0]) p[j] = -HUGE_VAL;
            if (causal && j > row + past) p[j] = -HUGE_VAL;
            if (p[j] > most) most = p[j];
        }
        for (int64_t j = 0; j < S; j++) sum += p[j] = exp(p[j] - most);
        for (int64_t j = 0; j < S; j++)
            for (int64_t n = 0; n < E; n++) to[n] += p[j] / sum * refa_head_row(v, sample, own, j)[n];
    }
    free(p);
}
static const char *const cases_attention[] = {
    "(2,3,4) (2,5,4) (2,5,3)", "(2,3,4) (2,5,4) (2,5,6) | heads=2", "(2,2,3,4) (2,2,5,4) (2,2,5,3)",
    "(1,7,12) (1,9,12) (1,9,12) | heads=3 scale=0.7", "(2,4,8) (2,3,4) (2,3,6) | heads=4 kv_heads=2",
    "(1,4,3,2) (1,2,3,2) (1,2,3,5) | scale=-0.5", "(2,3,4) (2,3,4) (2,3,4) | causal=True",
    "(1,3,4) (1,8,4) (1,8,2) | causal=True past=2 heads=2", "(2,3,8) (2,5,8) (2,5,8) (2,2,3,5) | heads=2 use_mask=True",
    "(2,3,8) (2,5,8) (2,5,8) (5) | heads=2 use_mask=True", "(2,2,3,4) (2,2,5,4) (2,2,5,3) (2,1,1,5) | use_mask=True zero_hidden=True",
    "(1,5,4) (1,5,4) (1,5,4) (5,1) | use_mask=True causal=True", "(1,1,16) (1,33,16) (1,33,16) | heads=2",
    "(1,53,33) (1,67,33) (1,67,1)", "(1,8,40) (1,40,40) (1,40,70)", "(3,1,1) (3,1,1) (3,1,1)", "(2,3,4) (2,0,4) (2,0,4)",
    "(0,3,4) (0,2,4) (0,2,4)", "(2,0,4) (2,2,4) (2,2,4)", "(2,3,4) (2,5,4) (2,5,6) (1)int[2,4] | heads=2 use_length=True",
    "(1,2,3,4) (1,2,9,4) (1,2,9,3) (1)int[3,9] | use_length=True causal=True past=4",
    "(2,3,8) (2,5,8) (2,5,8) (5) ()int[5,5] | heads=2 use_mask=True use_length=True", NULL
};
static const ref_op ref_attention = { REFA_FLOATS, refa_attention, REF_TRUE, NULL, 1e-5, cases_attention };

static void refa_softmax_activation(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    double *y = refa_like(c, 0, x);
    refa_lines lines = refa_lines_of(x, ref_is(c, "mode", "channel", 0) ? 1 : -1);
    refa_softmax_lines(x->v, y, lines, 1, NULL);
}
static const char *const cases_softmax_activation[] = {
    "(3,4)", "(2,3,4)", "(2,3,2,2) | mode=instance", "(2,3,4) | mode=channel", "(2,3,2,3) | mode=channel",
    "(7,19)[-50,50]", "(2,3,2,1,2) | mode=channel", "(3,4) | mode=channel", "(1,1)", "(0,3)", NULL
};
static const ref_op ref_softmax_activation =
    { REFA_FLOATS, refa_softmax_activation, REF_TRUE, NULL, 4e-6, cases_softmax_activation };

static refa_lines refa_output_lines(const ref_case *c)
{
    if (ref_int(c, "multi_output", 0)) return refa_lines_of(&c->in[0], 1);
    return ref_int(c, "preserve_shape", 0) ? refa_lines_of(&c->in[0], -1) : refa_rows_of(&c->in[0]);
}
static void refa_softmax_output(ref_case *c)
{
    double *y = refa_like(c, 0, &c->in[0]);
    refa_softmax_lines(c->in[0].v, y, refa_output_lines(c), 1, NULL);
}
/* dx from the softmax p. multi_output knows no smoothing, and divides by the number of places too, unless by
 * that of valid labels. */
static void refa_softmax_output_dx(const ref_case *c, const double *p, double *dx, int bare)
{
    refa_lines lines = refa_output_lines(c);
    const double *label = c->in[1].v;
    int multi = ref_int(c, "multi_output", 0), use_ignore = ref_int(c, "use_ignore", 0);
    int valid = ref_is(c, "normalization", "valid", 0), batch = ref_is(c, "normalization", "batch", 0);
    double ignore = ref_num(c, "ignore_label", -1), share = 1, labels = 0;
    double rest = multi ? 0 : ref_num(c, "smooth_alpha", 0);
    for (int64_t k = 0; k < c->in[1].size; k++) labels += label[k] != ignore;
    if (valid) share = labels > 0 ? labels : 1;
    if (batch) share = multi ? (double)c->in[0].dim[0] : (double)c->in[1].size;
    if (multi && !valid) share *= (double)lines.step;
    for (int64_t line = 0; line < lines.many; line++)
        for (int64_t k = 0; k < lines.n; k++) {
            int64_t i = refa_line_at(lines, line) + k * lines.step;
            double want = (double)k == label[line] ? 1 - rest : rest > 0 && lines.n > 1 ? rest / (double)(lines.n - 1) : 0;
            int ignored = use_ignore && label[line] == ignore;
            dx[i] = ignored ? 0 : (bare ? p[i] : p[i] - want) * ref_num(c, "grad_scale", 1) / share;
        }
}
static void refa_softmax_output_declared(const ref_case *c, const double *const *dy, double *const *dx)
{
    const ref_tensor *x = &c->in[0];
    double *p = (double *)malloc(((size_t)x->size + 1) * sizeof *p);
    if (dx[0]) {
        refa_softmax_lines(x->v, p, refa_output_lines(c), 1, NULL);
        refa_softmax_output_dx(c, p, dx[0], 0);
        for (int64_t i = 0; i < x->size; i++) if (ref_int(c, "out_grad", 0)) dx[0][i] *= dy[0][i];
    }
    free(p);
}
static void refa__softmax_output_grad(ref_case *c)
{
    double *dx = refa_like(c, 0, &c->in[0]);
    refa_softmax_output_dx(c, c->in[0].v, dx, 0);
}
static void refa__softmax_output_scale(ref_case *c)
{
    double *dx = refa_like(c, 0, &c->in[0]);
    refa_softmax_output_dx(c, c->in[0].v, dx, 1);
}
/* By the data, whose softmax p is, nothing by p itself: p (s - sum s p) along each line, s = scaled dy. */
static void refa__softmax_output_grad_declared(const ref_case *c, const double *const *dy, double *const *dx)
{
    const ref_tensor *x = &c->in[2];
    refa_lines lines = refa_output_lines(c);
    double *p = (double *)malloc(2 * ((size_t)x->size + 1) * sizeof *p), *s = p + x->size;
    if (dx[0]) for (int64_t i = 0; i < x->size; i++) dx[0][i] = 0;
    if (dx[2]) {
        refa_softmax_lines(x->v, p, lines, 1, NULL);
        refa_softmax_output_dx(c, dy[0], s, 1);
        for (int64_t line = 0; line < lines.many; line++) {
            int64_t at = refa_line_at(lines, line);
            double sum = 0;
            for (int64_t k = 0; k < lines.n; k++) sum += s[at + k * lines.step] * p[at + k * lines.step];
            for (int64_t k = 0; k < lines.n; k++, at += lines.step) dx[2][at] = p[at] * (s[at] - sum);
        }
    }
    free(p);
}
#define REFA_SOFTMAX_OUTPUT_CASES(x) \
    "(4,3)" x " (4)int[0,2]", "(4,3)" x " (4)int[0,2] | grad_scale=0.5", "(1,5)" x " (1)int[0,4]", \
    "(4,3)" x " (4)int[0,2] | normalization=null", "(4,3)" x " (4)int[0,2] | normalization=batch", \
    "(4,3)" x " (4)int[0,2] | normalization=valid ignore_label=1", \
    "(5,3)" x " (5)int[0,2] | use_ignore=True ignore_label=1", \
    "(5,3)" x " (5)int[-1,2] | use_ignore=True normalization=valid grad_scale=2", \
    "(5,3)" x " (5)int[-1,2] | use_ignore=True normalization=batch", \
    "(3,2)" x " (3)int[-1,-1] | use_ignore=True normalization=valid", \
    "(4,3)" x " (4)int[0,2] | smooth_alpha=0.1", \
    "(5,4)" x " (5)int[0,3] | smooth_alpha=0.2 use_ignore=True ignore_label=2 normalization=valid", \
    "(2,3,4)" x " (2,4)int[0,2] | multi_output=True", \
    "(2,3,2,2)" x " (2,2,2)int[0,2] | multi_output=True normalization=batch", \
    "(2,3,4)" x " (2,4)int[-1,2] | multi_output=True use_ignore=True normalization=valid", \
    "(2,3,4)" x " (2,4)int[-1,2] | multi_output=True use_ignore=True", \
    "(2,3,4)" x " (2,4)int[0,2] | multi_output=True normalization=valid grad_scale=3", \
    "(2,4,3)" x " (2,4)int[0,2] | preserve_shape=True", \
    "(2,4,3)" x " (2,4)int[0,2] | preserve_shape=True normalization=batch", \
    "(2,4,3)" x " (2,4)int[-1,2] | preserve_shape=True normalization=valid use_ignore=True", \
    "(2,2,2,3)" x " (2,2,2)int[0,2] | preserve_shape=True smooth_alpha=0.3", "(7,19)" x " (7)int[0,18]", \
    "(3,5,4)" x " (3,5)int[0,3]", "(3,2,4)" x " (3)int[0,7]", \
    "(3,5,2,2)" x " (3,5,2)int[0,3] | normalization=valid ignore_label=2", \
    "(3,5,4)" x " (3,5)int[0,3] | normalization=batch"
static const char *const cases_softmax_output[] = {
    REFA_SOFTMAX_OUTPUT_CASES(""), "(4,3) (4)int[0,2] | out_grad=True", "(3,4)[-50,50] (3)int[0,3]",
    "(2,3,4) (2,4)int[0,2] | multi_output=True out_grad=True normalization=valid", "(0,3) (0)int[0,2]", NULL
};
static const ref_op ref_softmax_output =
    { REFA_FLOATS, refa_softmax_output, REF_DECLARED, refa_softmax_output_declared, 4e-6,
      cases_softmax_output };
static const char *const cases__softmax_output_grad[] = {
    "(4,3)[0,1] (4)int[0,2] (4,3)", "(4,3)[0,1] (4)int[0,2] (4,3) | grad_scale=0.5", "(1,5)[0,1] (1)int[0,4] (1,5)",
    "(4,3)[0,1] (4)int[0,2] (4,3) | normalization=batch", "(0,3)[0,1] (0)int[0,2] (0,3)",
    "(5,3)[0,1] (5)int[-1,2] (5,3) | use_ignore=True normalization=valid grad_scale=2",
    "(4,3)[0,1] (4)int[0,2] (4,3) | smooth_alpha=0.1", "(2,3,4)[0,1] (2,4)int[0,2] (2,3,4) | multi_output=True",
    "(2,3,2,2)[0,1] (2,2,2)int[-1,2] (2,3,2,2) | multi_output=True use_ignore=True normalization=batch",
    "(2,4,3)[0,1] (2,4)int[0,2] (2,4,3) | preserve_shape=True normalization=batch",
    "(3,2,4)[0,1] (3)int[0,7] (3,2,4)", "(7,19)[0,1] (7)int[0,18] (7,19)", NULL
};
static const ref_op ref__softmax_output_grad =
    { REFA_FLOATS, refa__softmax_output_grad, REF_DECLARED, refa__softmax_output_grad_declared, 4e-6,
      cases__softmax_output_grad };
static const char *const cases__softmax_output_scale[] = { REFA_SOFTMAX_OUTPUT_CASES(""), NULL };
static const ref_op ref__softmax_output_scale =
    { REFA_FLOATS, refa__softmax_output_scale, REF_TRUE, NULL, 4e-6, cases__softmax_output_scale };

/* Losses whose gradient is (y - label) or its sign, over the number of labels of a sample. */
static void refa_regression_dx(const ref_case *c, double *dx, double (*output)(double),
                               double (*shape)(double))
{
    double n = (double)c->in[1].size / (double)c->in[1].dim[0], scale = ref_num(c, "grad_scale", 1);
    for (int64_t i = 0; dx && i < c->in[0].size; i++)
        dx[i] = shape(output(c->in[0].v[i]) - c->in[1].v[i]) * scale / n;
}
static double refa_same(double x) { return x; }
static void refa_linear_dx(const ref_case *c, const double *const *dy, double *const *dx)
{
    (void)dy;
    refa_regression_dx(c, dx[0], refa_same, refa_same);
}
static void refa_logistic_dx(const ref_case *c, const double *const *dy, double *const *dx)
{
    (void)dy;
    refa_regression_dx(c, dx[0], refa_sigmoid_of, refa_same);
}
static double refa_sign_or_less(double x) { return x == 0 ? -1 : refa_sign_of(x); }
static void refa_mae_dx(const ref_case *c, const double *const *dy, double *const *dx)
{
    (void)dy;
    refa_regression_dx(c, dx[0], refa_same, refa_sign_or_less);
}
#define REFA_REGRESSION(name, forward, declared) \
    static const char *const cases_##name##_regression_output[] = { \
        "(3,4) (3,4)", "(3,4) (3,4) | grad_scale=0.5", "(5) (5)", "(2,3,2) (2,3,2) | grad_scale=2", \
        "(1) (1)", "(7,19)[-9,9] (7,19)[-9,9]", "(7,5)int[-1,1] (7,5)int[-1,1]", "(2,1,3,1,2) (2,1,3,1,2)", "(0,3) (0,3)", NULL \
    }; \
    static const ref_op ref_##name##_regression_output = \
        { REFA_FLOATS, forward, REF_DECLARED, declared, 2e-6, cases_##name##_regression_output };
REFA_REGRESSION(linear, refa_identity, refa_linear_dx)
REFA_REGRESSION(logistic, refa_sigmoid, refa_logistic_dx)
REFA_REGRESSION(mae, refa_identity, refa_mae_dx)

static void refa_make_loss_dx(const ref_case *c, const double *const *dy, double *const *dx)
{
    const ref_tensor *x = &c->in[0];
    double share = 1, valid = 0;
    (void)dy;
    for (int64_t i = 0; i < x->size; i++) valid += x->v[i] > ref_num(c, "valid_thresh", 0);
    if (ref_is(c, "normalization", "batch", 0)) share = (double)x->dim[0];
    if (ref_is(c, "normalization", "valid", 0)) share = valid > 1 ? valid : 1;
    for (int64_t i = 0; dx[0] && i < x->size; i++) dx[0][i] = ref_num(c, "grad_scale", 1) / share;
}
static const char *const cases_make_loss[] = {
    "(3,4)", "(3,4) | grad_scale=0.5", "(3,4) | normalization=null",
    "(3,4) | normalization=batch grad_scale=2", "(3,4) | normalization=valid",
    "(3,4) | normalization=valid valid_thresh=0.5", "(67)", "(1)", "(2,1,3,2)",
    "(3,4) | normalization=valid valid_thresh=9", "(2,1,2,3,2)", "(0,3)", NULL
};
static const ref_op ref_make_loss =
    { REFA_FLOATS, refa_identity, REF_DECLARED, refa_make_loss_dx, 1e-6, cases_make_loss };

static const char *const cases_block_grad[] = {
    "(3,4)", "(67)", "(2,1,3,2)", "(1)", "(1,2,1,3,2)", "(0,3)", NULL
};
static const ref_op ref_block_grad = { REFA_ALL, refa_identity, REF_ZERO, NULL, 0, cases_block_grad };

static void refa_dropout(ref_case *c)   /* no outputs where they are random */
{
    int drops = c->training || ref_is(c, "mode", "always", 0);
    if (!drops || ref_num(c, "p", 0.5) == 0) refa_identity(c);
}
static const char *const cases_dropout[] = {
    "(3,4)", "(67) | p=0.3", "(2,3,4) | p=0.5 axes=(0,)", "(2,1,3,2) | mode=training",
    "(3,4) | p=0 @training", "(3,4) | p=0 mode=always", "(10,20)[1,2] @training",
    "(10,20)[1,2] | p=0.2 @training", "(200)[1,2] | mode=always",
    "(10,20)[1,2] | p=0.7 mode=always @training", "(20,5,2)[1,2] | axes=(1,) @training",
    "(40,5)[1,2] | p=0.4 axes=(0,) mode=always", "(5,2,2,10)[1,2] | axes=(1,2) @training", "(0,3)", NULL
};
static const ref_op ref_dropout = { REFA_FLOATS, refa_dropout, REF_TRUE, NULL, 0, cases_dropout };

static void refa_softmax_cross_entropy(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int64_t one = 1;
    double *y = ref_out(c, 0, 1, &one), *p = (double *)malloc(((size_t)x->size + 1) * sizeof *p);
    refa_softmax_lines(x->v, p, refa_rows_of(x), 1, NULL);
    for (int64_t row = 0; row < x->dim[0]; row++) y[0] -= log(p[row * x->dim[1] + (int64_t)c->in[1].v[row]]);
    free(p);
}
static const char *const cases_softmax_cross_entropy[] = {
    "(4,3) (4)int[0,2]", "(1,5) (1)int[0,4]", "(7,19) (7)int[0,18]", "(3,1) (3)int[0,0]",
    "(19,2)[-9,9] (19)int[0,1]", NULL
};
static const ref_op ref_softmax_cross_entropy =
    { REFA_FLOATS, refa_softmax_cross_entropy, REF_TRUE, NULL, 4e-6, cases_softmax_cross_entropy };

/* The logarithm of the sum of two numbers given by theirs. */
static double refa_log_sum(double a, double b)
{
    double most = a > b ? a : b;
    return most == -HUGE_VAL ? most : most + log(exp(a - most) + exp(b - most));
}
/* blank[u], full[u]: how likely the steps so far read as the first u labels, the last step a blank or not. */
static void refa_ctc_loss(ref_case *c)
{
    const ref_tensor *x = &c->in[0], *label = &c->in[1];
    int64_t batch = x->dim[1], classes = x->dim[2], most = label->dim[1], n, t, u, k;
    int last = ref_is(c, "blank_label", "last", 0), at = 2;
    const double *x_length = ref_int(c, "use_data_lengths", 0) ? c->in[at++].v : NULL;
    const double *l_length = ref_int(c, "use_label_lengths", 0) ? c->in[at].v : NULL;
    double *y = ref_out(c, 0, 1, &batch), *blank = (double *)malloc((size_t)(most + 1) * 2 * sizeof *blank);
    double *full = blank + most + 1;
    for (n = 0; n < batch; n++) {
        const double *own = label->v + n * most;
        int64_t steps = x_length ? (int64_t)x_length[n] : x->dim[0], labels = 0;
        while (labels < most && (l_length ? (double)labels < l_length[n] : own[labels] != (last ? -1 : 0))) labels++;
        for (u = 0; u <= labels; u++) { blank[u] = u ? -HUGE_VAL : 0; full[u] = -HUGE_VAL; }
        for (t = 0; t < steps; t++) {
            const double *line = x->v + (t * batch + n) * classes;
            double sum = -HUGE_VAL;
            for (k = 0; k < classes; k++) sum = refa_log_sum(sum, line[k]);
            for (u = labels; u >= 0; u--) {
                double come = u ? refa_log_sum(full[u], blank[u - 1]) : -HUGE_VAL;
                if (u > 1 && own[u - 1] != own[u - 2]) come = refa_log_sum(come, full[u - 1]);
                blank[u] = refa_log_sum(blank[u], full[u]) + line[last ? classes - 1 : 0] - sum;
                full[u] = u ? come + line[(int64_t)own[u - 1]] - sum : -HUGE_VAL;
            }
        }
        y[n] = -refa_log_sum(blank[labels], full[labels]);
        if (y[n] == HUGE_VAL || !steps) y[n] = 0;
    }
    free(blank);
}
static const char *const cases_ctc_loss[] = {
    "(4,2,3) (2,2)int[1,2]", "(5,1,4) (1,3)int[1,3]", "(5,3,3) (3,2)int[0,2]", "(1,2,3) (2,1)int[0,2]",
    "(4,2,3) (2,2)int[-1,1] | blank_label=last", "(5,2,3) (2,2)int[0,1] (2)int[3,5] | blank_label=last "
    "use_data_lengths=True", "(4,3,3) (3,2)int[1,2] (3)int[0,2] | use_label_lengths=True",
    "(5,3,3) (3,2)int[1,2] (3)int[4,5] (3)int[0,2] | use_data_lengths=True use_label_lengths=True",
    "(6,3,4) (3,2)int[0,3] (3)int[1,2] | blank_label=last use_label_lengths=True", "(6,2,3) (2,3)int[2,2] (2)int[2,3] | "
    "blank_label=last use_label_lengths=True", "(6,3,4) (3,2)int[0,3] (3)int[1,2] | use_label_lengths=True", NULL };
static const ref_op ref_ctc_loss = { REFA_FLOATS, refa_ctc_loss, REF_TRUE, NULL, 4e-6, cases_ctc_loss };
static const char *const cases__ctc_loss_grad[] = { NULL };
static const ref_op ref__ctc_loss_grad = { REFA_FLOATS, NULL, REF_ELSEWHERE, NULL, 4e-6, cases__ctc_loss_grad };
static const char *const cases__ctc_loss_rate[] = { NULL };
static const ref_op ref__ctc_loss_rate = { REFA_FLOATS, NULL, REF_ELSEWHERE, NULL, 4e-6, cases__ctc_loss_rate };

static void refa_smooth_l1(ref_case *c)
{
    double *y = refa_like(c, 0, &c->in[0]), s = ref_num(c, "scalar", 1);
    for (int64_t i = 0; i < c->in[0].size; i++) {
        double x = fabs(c->in[0].v[i]);
        y[i] = x < 1 / (s * s) ? s * x * s * x / 2 : x - 1 / (2 * s * s);
    }
}
static const char *const cases_smooth_l1[] = {
    "(3,4)", "(3,4) | scalar=1", "(7,19) | scalar=2", "(67)[-9,9] | scalar=0.5", "(2,1,3,2) | scalar=3",
    "(1,2,1,3,2) | scalar=1.5", "(1)", "(0,3)", NULL
};
static const ref_op ref_smooth_l1 = { REFA_FLOATS, refa_smooth_l1, REF_TRUE, NULL, 2e-6, cases_smooth_l1 };

static void refa_hard_sigmoid(ref_case *c)
{
    double *y = refa_like(c, 0, &c->in[0]), alpha = ref_num(c, "alpha", 0.2), beta = ref_num(c, "beta", 0.5);
    for (int64_t i = 0; i < c->in[0].size; i++) y[i] = fmin(fmax(alpha * c->in[0].v[i] + beta, 0), 1);
}
static const char *const cases_hard_sigmoid[] = {
    "(3,4)", "(67)[-9,9]", "(7,19)[-9,9] | alpha=0.5", "(2,1,3,2)[-9,9] | beta=0.25", "(1)", "(0,3)",
    "(1,2,1,3,2)[-9,9] | alpha=0.1 beta=-0.2", NULL
};
static const ref_op ref_hard_sigmoid =
    { REFA_FLOATS, refa_hard_sigmoid, REF_TRUE, NULL, 2e-6, cases_hard_sigmoid };

static void refa_clip(ref_case *c)
{
    double *y = refa_like(c, 0, &c->in[0]), low = ref_num(c, "a_min", 0), high = ref_num(c, "a_max", 0);
    for (int64_t i = 0; i < c->in[0].size; i++) {
        double v = c->in[0].v[i];
        y[i] = v > high ? high : v < low ? low : v;     /* MXNet's order, which counts where low is above high */
    }
}
static const char *const cases_clip[] = {
    "(3,4) | a_min=-1 a_max=1", "(7,19) | a_min=0 a_max=1", "(67)[-9,9] | a_min=0 a_max=6",
    "(0,3) | a_min=0 a_max=1", "(2,1,3,2) | a_min=-1.5 a_max=0.5", "(1,2,1,3,2)[-9,9] | a_min=-3 a_max=-1",
    "(1) | a_min=-1 a_max=1", "(3,4)[-50,50] | a_min=-1e30 a_max=20", "(3,4)[-50,50] | a_min=0 a_max=1e30",
    "(3,4) | a_min=1 a_max=-1", NULL
};
static const ref_op ref_clip = { REFA_SIGNED, refa_clip, REF_TRUE, NULL, 0, cases_clip };

/* Whole numbers throughout are taken for an integer array, whose values wrap; floats saturate. */
static void refa_cast(ref_case *c)
{
    static const char *const names[5] = { "int8", "uint8", "int32", "int64", "bool" };
    static const double low[4] = { -128, 0, -2147483648.0, -9223372036854775808.0 };
    static const double high[4] = { 127, 255, 2147483647.0, 9223372036854775807.0 };
    const ref_tensor *x = &c->in[0];
    double *y = refa_like(c, 0, x);
    int to = 0, whole = 1;
    while (to < 5 && !ref_is(c, "dtype", names[to], 0)) to++;
    for (int64_t i = 0; i < x->size; i++) if (floor(x->v[i]) != x->v[i] || fabs(x->v[i]) > 1e15) whole = 0;
    for (int64_t i = 0; i < x->size; i++) {
        double v = x->v[i], span = to < 4 ? high[to] - low[to] + 1 : 0;
        if (to == 5) y[i] = v;
        else if (to == 4) y[i] = v != 0;
        else if (v != v) y[i] = 0;
        else if (whole) y[i] = v - floor((v - low[to]) / span) * span;
        else y[i] = fmin(fmax(trunc(v), low[to]), high[to]);
    }
}
static void refa_cast_dx(const ref_case *c, const double *const *dy, double *const *dx)
{
    for (int64_t i = 0; dx[0] && i < c->in[0].size; i++) dx[0][i] = dy[0][i];
}
static const char *const cases_cast[] = {
    "(3,4) | dtype=float32", "(3,4)[-100,100] | dtype=float64", "(7,19) | dtype=float16",
    "(7,19) | dtype=bfloat16", "(7,19)[-300,300] | dtype=uint8", "(7,19)[-300,300] | dtype=int8",
    "(7,19)[-300,300] | dtype=int32", "(67)[-300,300] | dtype=int64", "(7,19)[-100,100] | dtype=bool",
    "(3,4)int[-1,1] | dtype=bool", "(3,4)bool | dtype=int32", "(3,4)bool | dtype=float32",
    "(2,1,3,2)int[0,100] | dtype=uint8", "(1,2,1,3,2)int[-9,9] | dtype=float16", "(1) | dtype=float64",
    "(0,3) | dtype=int8", NULL
};
static const ref_op ref_cast = { REFA_ALL, refa_cast, REF_DECLARED, refa_cast_dx, 1e-6, cases_cast };
static void refa__real(ref_case *c)
{
    double *y = refa_like(c, 0, &c->in[0]);
    for (int64_t i = 0; i < c->in[0].size; i++) y[i] = c->in[0].v[i];
}
static const char *const cases__beside_number[] = {
    "(3,4)", "(7,19)int[0,100]", "(3)bool", "() | is_int=True", "(3,4)int[0,9] | is_int=False", "(2,3)bool | is_int=False",
    "(0,3) | is_int=False", NULL };
static const ref_op ref__beside_number = { REFA_ALL, refa__real, REF_DECLARED, refa_cast_dx, 0, cases__beside_number };
static const char *const cases__real[] = { "(3,4)", "(7,19)int[0,100]", "(3)bool", "()", "(0,3)", NULL };
static const ref_op ref__real = { REFA_ALL, refa__real, REF_DECLARED, refa_cast_dx, 0, cases__real };

#define REFA_BITS(name, formula) \
    static double refa_bits_##name(double x, double y) \
    { \
        int64_t a = (int64_t)x, b = (int64_t)y; \
        return (double)(formula); \
    } \
    static void refa__bitwise_##name(ref_case *c) { refa_broadcast(c, refa_bits_##name); } \
    static const char *const cases__bitwise_##name[] = { \
        "(3,4)int[0,100] (3,4)int[0,100]", "(3,4)int[0,100] (4)int[0,100]", "(67)int[0,1] (67)int[0,1]", "(5)int[0,100] (1)int[77,77]", \
        "(2,3)int[0,1] ()int[1,1]", "(0,3)int[0,1] (3)int[0,1]", NULL }; \
    static const ref_op ref__bitwise_##name = { "cuilo", refa__bitwise_##name, REF_ZERO, NULL, 0, cases__bitwise_##name };
REFA_BITS(and, a & b)
REFA_BITS(or, a | b)
REFA_BITS(xor, a ^ b)
static void refa_allclose(ref_case *c)
{
    double most = ref_num(c, "atol", 1e-8), part = ref_num(c, "rtol", 1e-5);
    double *y = ref_out(c, 0, 0, NULL);
    *y = 1;
    for (int64_t i = 0; i < c->in[0].size; i++) {
        double a = c->in[0].v[i], b = c->in[1].v[i];
        if (!(fabs(a - b) <= most + part * fabs(b))) *y = 0;
    }
}
static const char *const cases_allclose[] = {
    "(3,4) (3,4)", "(5)[1,1.1] (5)[1,1.1] | rtol=0.3", "(5)[1,1.1] (5)[1,1.1] | atol=0.25", "(67)int[2,3] (67)int[2,3] | rtol=0.75",
    "(4)int[3,3] (4)int[3,3] | equal_nan=False", "(0,3) (0,3)", "()[1,2] ()[1,2] | rtol=0.125 atol=4", NULL };
static const ref_op ref_allclose = { REFA_ALL, refa_allclose, REF_ZERO, NULL, 0, cases_allclose };
static double refa_lcm_of(double a, double b)
{
    double k;
    if (a == 0 || b == 0) return 0;
    for (k = fabs(a); fmod(k, b) != 0; k += fabs(a)) continue;
    return k;
}
static void refa_lcm(ref_case *c) { refa_broadcast(c, refa_lcm_of); }
static const char *const cases_lcm[] = {
    "(3,4)int[1,9] (3,4)int[1,12]", "(4)int[0,3] (3,1)int[0,9]", "(2,1,3)int[2,10] (2,1)int[3,6]", "(67)int[1,12] ()int[8,8]",
    "(0,3)int[1,2] (3)int[1,2]", "()int[6,6] ()int[4,4]", NULL };
static const ref_op ref_lcm = { "cuilo", refa_lcm, REF_ZERO, NULL, 0, cases_lcm };
static void refa__bitwise_not(ref_case *c)
{
    double *y = refa_like(c, 0, &c->in[0]);
    for (int64_t i = 0; i < c->in[0].size; i++) y[i] = -1 - c->in[0].v[i];
}
static const char *const cases__bitwise_not[] = { "(3,4)int[0,100]", "(67)int[-9,9]", "()int[5,5]", "(0,3)int[0,1]", NULL };
static const ref_op ref__bitwise_not = { "cil", refa__bitwise_not, REF_ZERO, NULL, 0, cases__bitwise_not };

static const char *const cases_amp_cast[] = {
    "(3,4) | dtype=float32", "(7,19) | dtype=float16", "(2,1,3,2)int[0,100] | dtype=float16", "(1) | dtype=bfloat16",
    "(0,3) | dtype=float32", NULL
};
static const ref_op ref_amp_cast = { REFA_ALL, refa_cast, REF_DECLARED, refa_cast_dx, 1e-6, cases_amp_cast };

static void refa_where(ref_case *c)   /* a condition of one axis chooses slices */
{
    const ref_tensor *condition = &c->in[0], *a = &c->in[1], *b = &c->in[2];
    double *y = refa_like(c, 0, a);
    for (int64_t i = 0; i < a->size; i++)
        y[i] = condition->v[i / (a->size / condition->size)] != 0 ? a->v[i] : b->v[i];
}
static const char *const cases_where[] = {
    "(3,4)bool (3,4) (3,4)", "(3,4)int[-1,1] (3,4) (3,4)", "(3)bool (3,4) (3,4)", "(67)bool (67) (67)",
    "(2)int[0,2] (2,3,4) (2,3,4)", "(2,1,3,2)bool (2,1,3,2) (2,1,3,2)", "(7,19)bool (7,19) (7,19)",
    "(1)bool (1) (1)", "(1,2,1,3,2)bool (1,2,1,3,2) (1,2,1,3,2)", "(0,3)bool (0,3) (0,3)", NULL
};
static const ref_op ref_where = { REFA_ALL, refa_where, REF_TRUE, NULL, 0, cases_where };

static int64_t refa_shown(const ref_tensor *x, const ref_tensor *y, int64_t i)    /* the place in x that place i of y shows */
{
    int64_t at = 0, step = 1;
    for (int d = y->ndim - 1, e = x->ndim - 1; e >= 0; d--, e--) {
        if (x->dim[e] != 1) at += i % y->dim[d] * step;
        step *= x->dim[e];
        i /= y->dim[d];
    }
    return at;
}
static void refa__np_where(ref_case *c)
{
    int64_t dim[8];
    int ndim = 0;
    for (int k = 0; k < 3; k++) if (c->in[k].ndim > ndim) ndim = c->in[k].ndim;
    for (int d = 0; d < ndim; d++) dim[d] = 1;
    for (int k = 0; k < 3; k++)
        for (int d = 0; d < c->in[k].ndim; d++)
            if (c->in[k].dim[d] != 1) dim[d + ndim - c->in[k].ndim] = c->in[k].dim[d];
    double *y = ref_out(c, 0, ndim, dim);
    for (int64_t i = 0; i < c->out[0].size; i++) {
        const ref_tensor *from = &c->in[c->in[0].v[refa_shown(&c->in[0], &c->out[0], i)] != 0 ? 1 : 2];
        y[i] = from->v[refa_shown(from, &c->out[0], i)];
    }
}
static const char *const cases__np_where[] = {
    "(3,4)bool (3,4) (3,4)", "(4)bool (4,4) (4,4)", "(3,1)int[0,1] (4) (3,4)", "()bool (2,3) (4,1,3)", "(2,3)bool () (1)", "(5)bool () ()",
    "(2,1,3)bool (2,1) (1,3)", "(67,1)bool (67,5) (5)", "(0,3)bool (3) (1)", NULL };
static const ref_op ref__np_where = { REFA_ALL, refa__np_where, REF_TRUE, NULL, 0, cases__np_where };


/* --- convolution and pooling: arrays are (n, c, z, y, x), with z and y of size 1 if missing --- */

typedef struct ref_grid { int64_t n, c, dim[3], step_n, step_c, step[3]; } ref_grid;
typedef struct ref_window { int64_t kernel[3], stride[3], dilate[3], pad[3], end[3]; } ref_window;

static int ref_channels_last(const ref_case *c)
{
    return ref_is(c, "layout", "NWC", 0) || ref_is(c, "layout", "NHWC", 0) || ref_is(c, "layout", "NDHWC", 0);
}

static ref_grid ref_grid_of(const int64_t *dim, int ndim, int last)
{
    ref_grid g = { dim[0], dim[last ? ndim - 1 : 1], { 1, 1, 1 }, 0, 0, { 0, 0, 0 } };
    int64_t step = last ? g.c : 1;
    for (int d = 2; d > 4 - ndim; d--) {
        g.dim[d] = dim[ndim - 3 + d - last];
        g.step[d] = step;
        step *= g.dim[d];
    }
    g.step_c = last ? 1 : step;
    g.step_n = last ? step : step * g.c;
    return g;
}

static ref_grid ref_grid_out(ref_case *c, int ndim, int last, int64_t n, int64_t ch, const int64_t *size)
{
    int64_t dim[5];
    dim[0] = n;
    dim[last ? ndim - 1 : 1] = ch;
    for (int d = 2; d > 4 - ndim; d--) dim[ndim - 3 + d - last] = size[d];
    ref_out(c, 0, ndim, dim);
    return ref_grid_of(dim, ndim, last);
}

static int64_t ref_grid_at(const ref_grid *g, int64_t n, int64_t c, const int64_t *p)
{
    return n * g->step_n + c * g->step_c + p[0] * g->step[0] + p[1] * g->step[1] + p[2] * g->step[2];
}

static int64_t ref_places(const int64_t *dim) { return dim[0] * dim[1] * dim[2]; }
static void ref_place(int64_t i, const int64_t *dim, int64_t *p)
{
    p[2] = i % dim[2];
    p[1] = i / dim[2] % dim[1];
    p[0] = i / dim[2] / dim[1];
}

static void ref_per_dim(const ref_case *c, const char *key, int64_t missing, int64_t *v)
{
    int64_t given[3];
    int n = ref_ints(c, key, given, 3);
    for (int d = 0; d < 3; d++) v[d] = d >= 3 - n ? given[d - 3 + n] : missing;
}

static ref_window ref_window_of(const ref_case *c)
{
    ref_window w;
    ref_per_dim(c, "kernel", 1, w.kernel);
    ref_per_dim(c, "stride", 1, w.stride);
    ref_per_dim(c, "dilate", 1, w.dilate);
    ref_per_dim(c, "pad", 0, w.pad);
    ref_per_dim(c, "pad_end", -1, w.end);
    for (int d = 0; d < 3; d++) if (w.end[d] < 0) w.end[d] = w.pad[d];
    return w;
}

enum { REF_TO_FINE, REF_TO_COARSE, REF_TO_WEIGHT };

/* One relation, coarse(n, o, q) = sum over i, k of fine(n, c, p) weight(o, i, k), with c the i-th channel of
 * o's group and p = q stride + k dilate - pad, in three directions: terms add to the array `to` names. */
static void ref_slide(const ref_window *win, ref_grid fg, double *fine, ref_grid cg, double *coarse,
                      ref_grid wg, double *weight, int64_t groups, int to)
{
    int64_t q[3], k[3], p[3];
    for (int64_t n = 0; n < cg.n; n++)
    for (int64_t o = 0; o < cg.c; o++)
    for (int64_t i = 0; i < wg.c; i++)
    for (int64_t iq = 0; iq < ref_places(cg.dim); iq++)
    for (int64_t ik = 0; ik < ref_places(wg.dim); ik++) {
        int inside = 1;
        ref_place(iq, cg.dim, q);
        ref_place(ik, wg.dim, k);
        for (int d = 0; d < 3; d++) {
            p[d] = q[d] * win->stride[d] + k[d] * win->dilate[d] - win->pad[d];
            inside = inside && p[d] >= 0 && p[d] < fg.dim[d];
        }
        if (!inside) continue;
        double *f = fine + ref_grid_at(&fg, n, o / (cg.c / groups) * wg.c + i, p);
        double *g = coarse + ref_grid_at(&cg, n, o, q), *w = weight + ref_grid_at(&wg, o, i, k);
        if (to == REF_TO_FINE) *f += *g * *w;
        else if (to == REF_TO_COARSE) *g += *f * *w;
        else *w += *f * *g;
    }
}

static void ref_add_bias(ref_case *c, ref_grid g)
{
    int64_t p[3];
    for (int64_t n = 0; n < g.n && c->nin > 2; n++)
        for (int64_t ch = 0; ch < g.c; ch++)
            for (int64_t i = 0; i < ref_places(g.dim); i++) {
                ref_place(i, g.dim, p);
                c->out[0].v[ref_grid_at(&g, n, ch, p)] += c->in[2].v[ch];
            }
}

static void ref_convolution_fn(ref_case *c)
{
    const ref_tensor *x = &c->in[0], *w = &c->in[1];
    int last = ref_channels_last(c);
    ref_window win = ref_window_of(c);
    ref_grid xg = ref_grid_of(x->dim, x->ndim, last), wg = ref_grid_of(w->dim, w->ndim, last), yg;
    int64_t size[3];
    for (int d = 0; d < 3; d++)
        size[d] = (xg.dim[d] + win.pad[d] + win.end[d] - win.dilate[d] * (win.kernel[d] - 1) - 1) / win.stride[d] + 1;
    yg = ref_grid_out(c, x->ndim, last, xg.n, ref_int(c, "num_filter", 0), size);
    ref_slide(&win, xg, x->v, yg, c->out[0].v, wg, w->v, ref_int(c, "num_group", 1), REF_TO_COARSE);
    ref_add_bias(c, yg);
}

static void ref_deconvolution_fn(ref_case *c)
{
    const ref_tensor *x = &c->in[0], *w = &c->in[1];
    int last = ref_channels_last(c);
    ref_window win = ref_window_of(c);
    ref_grid xg = ref_grid_of(x->dim, x->ndim, last), wg = ref_grid_of(w->dim, w->ndim, last), yg;
    int64_t size[3], adj[3], target[3];
    ref_per_dim(c, "adj", 0, adj);
    ref_per_dim(c, "target_shape", 0, target);
    for (int d = 0; d < 3; d++) {
        int64_t whole = win.stride[d] * (xg.dim[d] - 1) + win.dilate[d] * (win.kernel[d] - 1) + 1;
        if (target[d]) {
            win.pad[d] = win.end[d] = (whole - target[d] + 1) / 2;
            adj[d] = (whole - target[d]) % 2;
        }
        size[d] = whole - win.pad[d] - win.end[d] + adj[d];
    }
    yg = ref_grid_out(c, x->ndim, last, xg.n, ref_int(c, "num_filter", 0), size);
    ref_slide(&win, yg, c->out[0].v, xg, x->v, wg, w->v, ref_int(c, "num_group", 1), REF_TO_FINE);
    ref_add_bias(c, yg);
}

static void ref_conv_weight_grad_fn(ref_case *c)
{
    const ref_tensor *x = &c->in[0], *dy = &c->in[1];
    int last = ref_channels_last(c), groups = ref_int(c, "num_group", 1);
    ref_window win = ref_window_of(c);
    ref_grid xg = ref_grid_of(x->dim, x->ndim, last), yg = ref_grid_of(dy->dim, dy->ndim, last);
    ref_grid wg = ref_grid_out(c, x->ndim, last, yg.c, xg.c / groups, win.kernel);
    ref_slide(&win, xg, x->v, yg, dy->v, wg, c->out[0].v, groups, REF_TO_WEIGHT);
}

static const char *const cases_convolution[] = {
    "(2,3,5,6) (4,3,3,3) (4) | kernel=(3,3) num_filter=4",
    "(1,2,8,9) (3,2,3,3) (3) | kernel=(3,3) num_filter=3 pad=(1,1)",
    "(1,1,13,14) (2,1,3,3) | kernel=(3,3) num_filter=2 no_bias=True stride=(1,1) dilate=(1,1) pad=(1,1)",
    "(2,2,7,5) (3,2,3,3) (3) | kernel=(3,3) num_filter=3 stride=(2,2) pad=(1,1)",
    "(1,2,9,8) (2,2,3,2) (2) | kernel=(3,2) num_filter=2 stride=(3,1) dilate=(2,3) pad=(2,0)",
    "(1,2,3,4) (2,2,5,7) (2) | kernel=(5,7) num_filter=2 pad=(3,2)",
    "(1,3,6,6) (2,3,5,5) | kernel=(5,5) num_filter=2 pad=(2,2) no_bias=True",
    "(2,9,3,3) (17,9,1,1) (17) | kernel=(1,1) num_filter=17",
    "(1,130,1,19) (2,130,1,1) (2) | kernel=(1,1) num_filter=2",
    "(1,1030,1,2) (1,1030,1,1) | kernel=(1,1) num_filter=1 no_bias=True",
    "(1,1,32,32) (1,1,1,1) (1) | kernel=(1,1) num_filter=1",
    "(1,5,5,5) (3,5,1,1) | kernel=(1,1) num_filter=3 stride=(2,3) no_bias=True",
    "(1,3,4,4) (2,3,1,1) (2) | kernel=(1,1) num_filter=2 pad=(1,2)",
    "(2,4,5,5) (4,1,3,3) (4) | kernel=(3,3) num_filter=4 num_group=4 pad=(1,1)",
    "(1,3,7,6) (6,1,3,3) (6) | kernel=(3,3) num_filter=6 num_group=3 stride=(2,2) pad=(1,0)",
    "(1,2,6,6) (2,1,3,3) | kernel=(3,3) num_filter=2 num_group=2 dilate=(2,2) pad=(2,2) no_bias=True",
    "(1,4,5,4) (6,2,3,2) (6) | kernel=(3,2) num_filter=6 num_group=2 layout=NCHW",
    "(2,6,1,3) (3,2,1,3) (3) | kernel=(1,3) num_filter=3 num_group=3 pad=(0,1)",
    "(1,1,1,1) (1,1,1,1) (1) | kernel=(1,1) num_filter=1 stride=() dilate=() pad=() layout=None",
    "(0,2,5,5) (3,2,3,3) (3) | kernel=(3,3) num_filter=3",
    "(2,3,9) (4,3,3) (4) | kernel=(3,) num_filter=4",
    "(1,2,11) (2,2,4) | kernel=(4,) num_filter=2 stride=(3,) dilate=(2,) pad=(2,) no_bias=True layout=NCW",
    "(2,4,6) (4,1,1) (4) | kernel=(1,) num_filter=4 num_group=4",
    "(1,2,3,4,5) (3,2,2,3,3) (3) | kernel=(2,3,3) num_filter=3 pad=(1,1,1)",
    "(1,4,4,3,4) (2,2,3,2,2) (2) | kernel=(3,2,2) num_filter=2 num_group=2 stride=(2,1,2) dilate=(1,2,1) "
        "pad=(1,0,1) layout=NCDHW",
    "(1,3,2,2,2) (2,3,1,1,1) | kernel=(1,1,1) num_filter=2 no_bias=True",
    "(2,5,4,3) (4,3,3,3) (4) | kernel=(3,3) num_filter=4 pad=(1,1) layout=NHWC",
    "(1,6,7,4) (6,3,2,2) | kernel=(3,2) num_filter=6 num_group=2 stride=(2,1) dilate=(1,2) pad=(1,1) "
        "no_bias=True layout=NHWC",
    "(1,5,4,3) (3,3,3,1) (3) | kernel=(3,3) num_filter=3 num_group=3 layout=NHWC",
    "(2,3,3,5) (4,1,1,5) (4) | kernel=(1,1) num_filter=4 layout=NHWC",
    "(2,9,2) (3,3,2) (3) | kernel=(3,) num_filter=3 stride=(2,) pad=(1,) layout=NWC",
    "(1,3,4,3,2) (3,2,2,2,2) (3) | kernel=(2,2,2) num_filter=3 stride=(1,2,1) layout=NDHWC",
    "(1,2,6,7) (3,2,3,3) (3) | kernel=(3,3) num_filter=3 pad=(1,0) pad_end=(0,2)",
    "(2,3,8,6) (2,3,3,3) | kernel=(3,3) num_filter=2 stride=(2,2) pad_end=(1,1) no_bias=True",
    "(1,2,7,6) (2,2,3,2) (2) | kernel=(3,2) num_filter=2 stride=(3,1) dilate=(2,3) pad=(2,1) pad_end=(0,0)",
    "(1,2,4,5) (2,2,3,3) (2) | kernel=(3,3) num_filter=2 pad=(1,1) pad_end=(4,3)",
    "(2,4,7,9) (4,1,3,3) (4) | kernel=(3,3) num_filter=4 num_group=4 stride=(2,2) pad_end=(1,1)",
    "(1,3,6,7) (6,1,3,2) (6) | kernel=(3,2) num_filter=6 num_group=3 pad=(0,1) pad_end=(2,0)",
    "(1,3,4,4) (2,3,1,1) (2) | kernel=(1,1) num_filter=2 pad_end=(1,2)",
    "(1,2,11) (2,2,4) | kernel=(4,) num_filter=2 stride=(3,) dilate=(2,) pad=(2,) pad_end=(5,) no_bias=True",
    "(1,2,3,4,5) (3,2,2,3,3) (3) | kernel=(2,3,3) num_filter=3 pad=(1,0,1) pad_end=(0,2,0)",
    "(2,5,4,3) (4,3,3,3) (4) | kernel=(3,3) num_filter=4 pad=(0,1) pad_end=(1,0) layout=NHWC",
    "(1,5,4,3) (3,3,3,1) (3) | kernel=(3,3) num_filter=3 num_group=3 stride=(2,2) pad_end=(1,1) layout=NHWC",
    NULL };
static const ref_op ref_convolution = { "fdhb", ref_convolution_fn, REF_TRUE, NULL, 2e-6, cases_convolution };

/* --- in int8: weights in panels of 16 channels and steps of 4 neighbours --- */
typedef struct ref_int8 { float per_unit, low, high, step; } ref_int8;
static ref_int8 ref_int8_of(const ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    ref_int8 how = { (float)(127 / ref_num(c, "threshold", 0)), -128, 127, 1 };
    float low = 0, high = 0, zero;
    if (!ref_int(c, "own_range", 0)) return how;
    for (int64_t i = 0; i < x->size; i++) {
        if ((float)x->v[i] < low) low = (float)x->v[i];
        if ((float)x->v[i] > high) high = (float)x->v[i];
    }
    how.step = (high - low) / 255;
    if (!(how.step > 0)) how.step = 1;
    zero = (float)fmin(fmax(rint((double)(-low / how.step)), 0), 255);
    how.per_unit = 1 / how.step;
    how.low = -zero;
    how.high = 255 - zero;
    return how;
}
static int ref_int8_round(double x, const ref_int8 *how)
{
    float v = (float)x * how->per_unit;
    return v != v ? 0 : (int)rint(v > how->high ? how->high : v < how->low ? how->low : v);
}
static double ref_int8_result(const ref_case *c, const ref_int8 *how, double sum, int64_t channel)
{
    int low = ref_is(c, "out_dtype", "int8", 0) ? -128 : 0, zero = ref_int(c, "out_zero", 0);
    float y = (float)sum * ((float)c->in[2].v[channel] * how->step), bias = c->nin > 3 ? (float)c->in[3].v[channel] : 0;
    if (ref_is(c, "out_dtype", "int32", 0)) return sum;
    if (ref_is(c, "out_dtype", "float32", 1)) return ref_int(c, "relu", 0) && y + bias < 0 ? 0 : y + bias;
    y = (float)sum * (float)((float)c->in[2].v[channel] * how->step / ref_num(c, "out_scale", 1));
    y += (float)(bias / ref_num(c, "out_scale", 1));
    if (ref_int(c, "relu", 0) && y < 0) y = 0;
    return fmin(fmax(rint(y) + zero, low), low + 255);
}
static double ref_int8_weight(const ref_tensor *w, int64_t panels, int64_t group, int64_t o, int64_t stretch, int64_t length,
                              int64_t i)            /* of number i of a stretch of this length */
{
    int64_t step = stretch * ((length + 3) / 4) + i / 4;
    return w->v[((group * panels + o / 16) * w->dim[1] + step) * 64 + o % 16 * 4 + i % 4];
}

/* Each channel alone, whose taps lie by fours below each other: all channels are in as few panels as can be. */
static int ref_int8_deep(const ref_case *c)
{
    const ref_tensor *x = &c->in[0], *w = &c->in[1];
    int groups = ref_int(c, "num_group", 1);
    return groups > 1 && groups == ref_int(c, "num_filter", 0) && x->dim[ref_channels_last(c) ? x->ndim - 1 : 1] == groups &&
        w->ndim == 4 && w->dim[0] == (groups + 15) / 16;
}

/* What fills steps up to 4 numbers is 0. */
static void ref_int8_trim(ref_case *c)
{
    ref_tensor *x = &c->in[0], *w = &c->in[1];
    int last = ref_channels_last(c) || !ref_int(c, "flatten", 1) ? x->ndim - 1 : 1;
    int64_t length, kernel[3], dilate[3];
    if (!ref_find(c, "threshold") || c->nin < 3 || w->ndim != 4 || w->dim[2] != 16 || w->dim[3] != 4) return;
    ref_per_dim(c, "kernel", 1, kernel);
    ref_per_dim(c, "dilate", 1, dilate);
    for (int64_t i = 0; i < w->size && ref_int8_deep(c); i++)
        if (i / 64 / kernel[2] % ((kernel[1] + 3) / 4) * 4 + i % 4 >= kernel[1]) w->v[i] = 0;
    if (ref_int8_deep(c)) return;
    length = x->dim[last] / ref_int(c, "num_group", 1) * (dilate[2] == 1 ? kernel[2] : 1);
    for (int d = 2; d < x->ndim && ref_find(c, "num_hidden") && last == 1; d++) length *= x->dim[d];
    for (int64_t i = 0; i < w->size && length > 0; i++)
        if (i / 64 % w->dim[1] % ((length + 3) / 4) * 4 + i % 4 >= length) w->v[i] = 0;
}

static void ref_int8_dense_fn(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    ref_int8 how = ref_int8_of(c);
    int flatten = ref_int(c, "flatten", 1), last = x->ndim - 1;
    int64_t n = ref_int(c, "num_hidden", 0), rows = x->dim[0], k, dim[8];
    double *y;
    for (int d = 1; d < last && !flatten; d++) rows *= x->dim[d];
    k = rows ? x->size / rows : 0;
    memcpy(dim, x->dim, sizeof dim);
    dim[flatten ? 1 : last] = n;
    y = ref_out(c, 0, flatten ? 2 : x->ndim, dim);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t o = 0; o < n; o++) {
            double sum = 0;
            for (int64_t i = 0; i < k; i++)
                sum += ref_int8_round(x->v[r * k + i], &how) * ref_int8_weight(&c->in[1], 0, 0, o, 0, k, i);
            y[r * n + o] = ref_int8_result(c, &how, sum, o);
        }
}

static void ref_int8_convolution_fn(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int last = ref_channels_last(c);
    ref_window win = ref_window_of(c);
    ref_grid xg = ref_grid_of(x->dim, x->ndim, last), yg;
    ref_int8 how = ref_int8_of(c);
    int64_t size[3], q[3], k[3], p[3], filters = ref_int(c, "num_filter", 0), groups = ref_int(c, "num_group", 1);
    int64_t wide = xg.c / groups, many = filters / groups, panels = (many + 15) / 16;
    int64_t joined = win.dilate[2] == 1 ? win.kernel[2] : 1;
    int deep = ref_int8_deep(c);
    for (int d = 0; d < 3; d++)
        size[d] = (xg.dim[d] + win.pad[d] + win.end[d] - win.dilate[d] * (win.kernel[d] - 1) - 1) / win.stride[d] + 1;
    yg = ref_grid_out(c, x->ndim, last, xg.n, filters, size);
    for (int64_t n = 0; n < yg.n; n++)
    for (int64_t o = 0; o < filters; o++)
    for (int64_t iq = 0; iq < ref_places(size); iq++) {
        double sum = 0;
        ref_place(iq, size, q);
        for (int64_t ik = 0; ik < ref_places(win.kernel); ik++)
        for (int64_t i = 0; i < wide; i++) {
            int inside = 1;
            ref_place(ik, win.kernel, k);
            for (int d = 0; d < 3; d++) {
                p[d] = q[d] * win.stride[d] + k[d] * win.dilate[d] - win.pad[d];
                inside = inside && p[d] >= 0 && p[d] < xg.dim[d];
            }
            if (inside) sum += ref_int8_round(x->v[ref_grid_at(&xg, n, o / many * wide + i, p)], &how) *
                (deep ? ref_int8_weight(&c->in[1], 0, 0, o, (k[0] * ((win.kernel[1] + 3) / 4) + k[1] / 4) * win.kernel[2] + k[2],
                                        4, k[1] % 4)
                 : ref_int8_weight(&c->in[1], panels, o / many, o % many, ik / joined, joined * wide, ik % joined * wide + i));
        }
        c->out[0].v[ref_grid_at(&yg, n, o, q)] = ref_int8_result(c, &how, sum, o);
    }
}

#define REF_I8 "int[-128,127]"
static const char *const cases_int8_dense[] = {
    "(3,8) (1,2,16,4)" REF_I8 " (5)[0.01,0.02] (5) | num_hidden=5 threshold=1.5",
    "(1,4) (1,1,16,4)" REF_I8 " (1)[0.01,0.02] | num_hidden=1 threshold=2 no_bias=True relu=True",
    "(13,3,4) (3,3,16,4)" REF_I8 " (33)[-0.02,0.02] (33) | num_hidden=33 threshold=2.5 relu=True",
    "(2,3,64)[-100,100] (2,16,16,4)" REF_I8 " (32)[0.01,0.02] (32) | num_hidden=32 threshold=77 flatten=False",
    "(205,20) (1,5,16,4)" REF_I8 " (16)[0.01,0.02] (16) | num_hidden=16 threshold=0.001",
    "(7,132) (11,33,16,4)" REF_I8 " (170)[0.01,0.02] (170) | num_hidden=170 threshold=2",
    "(9,3,7) (2,6,16,4)" REF_I8 " (18)[0.01,0.02] (18) | num_hidden=18 threshold=2",
    "(2,2,5) (1,2,16,4)" REF_I8 " (3)[0.01,0.02] | num_hidden=3 threshold=1 flatten=False no_bias=True",
    "(0,4) (1,1,16,4)" REF_I8 " (3)[0.01,0.02] (3) | num_hidden=3 threshold=1",
    "(2,0) (1,0,16,4)" REF_I8 " (3)[0.01,0.02] (3) | num_hidden=3 threshold=1",
    "(5,19)[-1,3] (2,5,16,4)" REF_I8 " (20)[0.01,0.02] (20) | num_hidden=20 threshold=1 own_range=True",
    "(2,9)[1,3] (1,3,16,4)" REF_I8 " (4)[0.01,0.02] | num_hidden=4 threshold=1 own_range=True no_bias=True out_dtype=int32",
    "(13,3,7) (2,2,16,4)" REF_I8 " (18)[0.001,0.002] (18) | num_hidden=18 threshold=2 flatten=False out_dtype=uint8 out_scale=0.03 "
        "out_zero=70",
    "(3,8) (1,2,16,4)" REF_I8 " (5)[0.01,0.02] (5) | num_hidden=5 threshold=1.5 out_dtype=int8 out_scale=0.1 out_zero=-3 relu=True",
    "(0,4) (1,1,16,4)" REF_I8 " (3)[0.01,0.02] (3) | num_hidden=3 threshold=1 own_range=True out_dtype=uint8", NULL };
static const ref_op ref_int8_dense = { "f", ref_int8_dense_fn, REF_NO_GRADIENT, NULL, 1e-6, cases_int8_dense };

static const char *const cases_int8_convolution[] = {
    "(2,4,5,6) (1,27,16,4)" REF_I8 " (5)[0.01,0.02] (5) | kernel=(3,9) num_filter=5 threshold=2 pad=(1,4)",
    "(1,8,9,8) (2,18,16,4)" REF_I8 " (17)[0.01,0.02] (17) | kernel=(3,3) num_filter=17 threshold=1 relu=True",
    "(1,4,9,8) (3,9,16,4)" REF_I8 " (40)[0.01,0.02] | kernel=(3,3) num_filter=40 threshold=1 stride=(2,3) dilate=(2,2) pad=(2,1) "
        "no_bias=True",
    "(2,8,4,5) (2,3,16,4)" REF_I8 " (6)[0.01,0.02] (6) | kernel=(3,1) num_filter=6 num_group=2 threshold=2 pad=(3,0)",
    "(3,1,5,6) (1,3,16,4)" REF_I8 " (3)[0.01,0.02] (3) | kernel=(3,4) num_filter=3 threshold=2",
    "(2,4,1,7) (4,1,16,4)" REF_I8 " (4)[0.01,0.02] (4) | kernel=(1,4) num_filter=4 num_group=4 threshold=2 stride=(1,2) pad=(1,2)",
    "(2,12,9) (1,9,16,4)" REF_I8 " (8)[0.01,0.02] (8) | kernel=(3,) num_filter=8 threshold=2",
    "(1,4,4,3,4) (1,12,16,4)" REF_I8 " (2)[0.01,0.02] (2) | kernel=(3,2,2) num_filter=2 stride=(2,1,2) dilate=(1,2,1) "
        "pad=(1,0,1) layout=NCDHW threshold=2",
    "(2,5,4,4) (3,9,16,4)" REF_I8 " (36)[0.01,0.02] (36) | kernel=(3,3) num_filter=36 pad=(1,1) layout=NHWC threshold=2",
    "(1,6,7,8) (4,6,16,4)" REF_I8 " (36)[0.01,0.02] | kernel=(3,2) num_filter=36 num_group=2 stride=(2,1) dilate=(1,2) pad=(1,1) "
        "no_bias=True layout=NHWC threshold=2 relu=True",
    "(2,3,7,6) (1,9,16,4)" REF_I8 " (5)[0.01,0.02] (5) | kernel=(3,3) num_filter=5 threshold=2 pad=(1,1)",
    "(1,3,9,8) (2,9,16,4)" REF_I8 " (20)[0.01,0.02] (20) | kernel=(3,3) num_filter=20 threshold=2 dilate=(1,2)",
    "(1,6,5,7) (2,9,16,4)" REF_I8 " (6)[0.01,0.02] (6) | kernel=(3,3) num_filter=6 num_group=2 threshold=2 stride=(1,2) pad=(0,2)",
    "(2,3,7,6) (1,9,16,4)" REF_I8 " (5)[0.01,0.02] (5) | kernel=(3,3) num_filter=5 threshold=2 pad=(0,1) pad_end=(2,0)",
    "(1,5,4,4) (3,9,16,4)" REF_I8 " (36)[0.01,0.02] (36) | kernel=(3,3) num_filter=36 stride=(2,2) pad_end=(1,1) layout=NHWC threshold=2",
    "(1,4,300) (1,4,16,4)" REF_I8 " (3)[0.01,0.02] (3) | kernel=(4,) num_filter=3 threshold=2",
    "(0,4,5,5) (1,9,16,4)" REF_I8 " (3)[0.01,0.02] (3) | kernel=(3,3) num_filter=3 threshold=2",
    "(2,5,6,5)[-1,2] (2,12,16,4)" REF_I8 " (20)[0.001,0.002] (20) | kernel=(3,3) num_filter=20 pad=(1,1) threshold=1 own_range=True",
    "(2,7,6,5)[-1,2] (3,2,16,4)" REF_I8 " (36)[0.001,0.002] | kernel=(1,1) num_filter=36 no_bias=True layout=NHWC threshold=2 "
        "out_dtype=uint8 out_scale=0.01 out_zero=128 relu=True",
    "(1,6,7,8) (4,6,16,4)" REF_I8 " (36)[0.01,0.02] (36) | kernel=(3,2) num_filter=36 num_group=2 pad=(1,1) threshold=2 "
        "out_dtype=int8 out_scale=0.3",
    "(2,5,7,9) (1,3,16,4)" REF_I8 " (5)[0.01,0.02] (5) | kernel=(3,3) num_filter=5 num_group=5 threshold=2 pad=(1,1)",
    "(1,8,9,37) (3,6,16,4)" REF_I8 " (37)[0.01,0.02] | kernel=(5,3) num_filter=37 num_group=37 threshold=2 stride=(2,1) pad=(2,1) "
        "layout=NHWC no_bias=True relu=True",
    "(1,4,30,32)[0,2] (2,2,16,4)" REF_I8 " (32)[0.01,0.02] (32) | kernel=(2,2) num_filter=32 num_group=32 threshold=2 layout=NHWC "
        "own_range=True out_dtype=uint8 out_scale=0.01 out_zero=3",
    "(1,20,11,8) (2,6,16,4)" REF_I8 " (20)[0.01,0.02] (20) | kernel=(7,3) num_filter=20 num_group=20 threshold=1 dilate=(1,2) pad=(3,2) "
        "stride=(2,2) pad_end=(4,1) out_dtype=int8 out_scale=0.04 out_zero=-5",
    "(1,3,5,6,7) (1,6,16,4)" REF_I8 " (3)[0.01,0.02] (3) | kernel=(2,3,3) num_filter=3 num_group=3 threshold=2 pad=(0,1,1) "
        "out_dtype=int32 layout=NCDHW",
    "(1,3,5,9,7) (1,9,16,4)" REF_I8 " (3)[0.01,0.02] (3) | kernel=(3,4,3) num_filter=3 num_group=3 threshold=2 pad=(1,2,1) "
        "out_dtype=int32 layout=NCDHW",
    "(2,4,11,6,20) (2,4,16,4)" REF_I8 " (20)[0.01,0.02] (20) | kernel=(2,2,2) num_filter=20 num_group=20 threshold=2 pad=(1,1,0) "
        "stride=(2,1,1) layout=NDHWC",
    "(2,17,40) (2,4,16,4)" REF_I8 " (17)[0.01,0.02] (17) | kernel=(4,) num_filter=17 num_group=17 threshold=2 stride=(3,)",
    "(1,6,3,8)[0,1] (4,6,16,4)" REF_I8 " (36)[0.01,0.02] (36) | kernel=(3,2) num_filter=36 num_group=2 pad=(1,1) threshold=2 "
        "out_dtype=int32 own_range=True", NULL };
static const ref_op ref_int8_convolution = {
    "f", ref_int8_convolution_fn, REF_NO_GRADIENT, NULL, 1e-6, cases_int8_convolution };

/* --- numbers of 8 bits one by one --- */
static void ref_int8_table_fn(ref_case *c)
{
    double *y = ref_out(c, 0, c->in[0].ndim, c->in[0].dim);
    int64_t i;
    for (i = 0; i < c->in[0].size; i++) {
        y[i] = c->in[1].v[(int)c->in[0].v[i]];
    }
}
static void ref_int8_add_fn(ref_case *c)
{
    const ref_tensor *x = &c->in[0], *b = &c->in[1];
    double *y = ref_out(c, 0, x->ndim, x->dim);
    int low = ref_is(c, "out_dtype", "int8", 0) ? -128 : 0;
    for (int64_t i = 0; i < x->size; i++) {
        int64_t rest = i, at = 0, step = 1;
        double v, w;
        for (int d = x->ndim - 1; d >= 0; rest /= x->dim[d], d--) {
            if (b->dim[d] != 1) at += rest % x->dim[d] * step;
            step *= b->dim[d];
        }
        v = (x->v[i] - ref_int(c, "lhs_zero", 0)) * ref_num(c, "lhs_scale", 1);
        w = (b->v[at] - ref_int(c, "rhs_zero", 0)) * ref_num(c, "rhs_scale", 1);
        v = ref_int(c, "multiply", 0) ? v * w : v + w;
        if (ref_int(c, "relu", 0) && v < 0) v = 0;
        if (!ref_is(c, "out_dtype", "float32", 1))
            v = fmin(fmax(rint(v / ref_num(c, "out_scale", 1)) + ref_int(c, "out_zero", 0), low), low + 255);
        y[i] = v;
    }
}
static const char *const cases_int8_table[] = {
    "(3,5)int[0,127] (256)", "(2,3,4,5)int[0,127] (256)[-9,9]", "(700)int[0,127] (256)int[-99,99]", "(2,0)int[0,9] (256)", NULL };
static const ref_op ref_int8_table = { "u", ref_int8_table_fn, REF_NO_GRADIENT, NULL, 0, cases_int8_table };
static const char *const cases_int8_add[] = {
    "(3,5)int[0,127] (3,5)int[0,127] | lhs_scale=0.03125 rhs_scale=0.125",
    "(2,3,4,5)int[0,127] (2,3,1,1)int[0,127] | lhs_scale=0.25 rhs_scale=0.5 multiply=True lhs_zero=7 rhs_zero=100",
    "(2,4,5,3)int[0,127] (2,1,1,3)int[0,127] | lhs_scale=0.25 rhs_scale=0.5 multiply=True out_dtype=uint8 out_scale=8 out_zero=3",
    "(1,700)int[0,127] (1,700)int[0,127] | lhs_scale=0.25 rhs_scale=0.75 relu=True rhs_zero=90 out_dtype=int8 out_scale=0.53125 "
        "out_zero=-5",
    "(3,1,700)int[0,127] (1,1,1)int[0,127] | lhs_scale=0.25 rhs_scale=0.75 lhs_zero=9 relu=True",
    "(2,3,2)int[0,127] (1,3,1)int[0,127] | lhs_scale=2 rhs_scale=1 out_dtype=uint8 out_scale=2.3",
    "(0,3)int[0,9] (1,3)int[0,9] | lhs_scale=1 rhs_scale=1", NULL };
static const ref_op ref_int8_add = { "uc", ref_int8_add_fn, REF_NO_GRADIENT, NULL, 1e-6, cases_int8_add };

/* --- weights of few bits: number i of a run of bytes, its lowest bit first --- */
static int ref_bits_at(const double *bytes, int64_t i, int bits)
{
    int v = 0;
    for (int k = 0; k < bits; k++) v |= ((int)bytes[(i * bits + k) / 8] >> ((i * bits + k) % 8) & 1) << k;
    return v;
}
static void ref_matmul_nbits_fn(ref_case *c)
{
    const ref_tensor *x = &c->in[0], *w = &c->in[1], *s = &c->in[2];
    int bits = ref_int(c, "bits", 4), block = ref_int(c, "block_size", 16), next = 3;
    int zeros = ref_int(c, "use_zero_points", 0) ? next++ : 0, index = ref_int(c, "use_g_idx", 0) ? next++ : 0;
    int bias = ref_int(c, "no_bias", 0) ? 0 : next, real = ref_int(c, "real_zero_points", 0);
    int64_t n = ref_int(c, "N", 0), k = ref_int(c, "K", 0), blocks = (k + block - 1) / block, rows = x->size / k, dim[8];
    int64_t line = blocks * block / 8 * bits, packed = (blocks * bits + 7) / 8;
    double *y;
    memcpy(dim, x->dim, sizeof dim);
    dim[x->ndim - 1] = n;
    y = ref_out(c, 0, x->ndim, dim);
    for (int64_t i = 0; i < rows * n; i++) {
        int64_t o = i % n;
        for (int64_t t = 0; t < k && w->size; t++) {
            int64_t b = index ? (int64_t)c->in[index].v[t] : t / block;
            double zero = !zeros ? 1 << (bits - 1) : real ? c->in[zeros].v[o * blocks + b]
                : ref_bits_at(c->in[zeros].v + o * packed, b, bits);
            y[i] += x->v[i / n * k + t] * (ref_bits_at(w->v + o * line, t, bits) - zero) * s->v[o * blocks + b];
        }
        if (bias) y[i] += c->in[bias].v[o];
    }
}
#define REF_U8 "int[0,255]"
static const char *const cases_matmul_nbits[] = {
    "(3,40) (5,3,8)" REF_U8 " (5,3)[0.01,0.02] (5) | K=40 N=5 bits=4 block_size=16",
    "(2,2,64) (18,2,32)" REF_U8 " (18,2)[0.01,0.02] | K=64 N=18 bits=8 block_size=32 no_bias=True accuracy_level=4",
    "(64) (3,4,4)" REF_U8 " (3,4)[0.1,0.2] (3,1)" REF_U8 " (3) | K=64 N=3 bits=2 block_size=16 use_zero_points=True",
    "(1,37) (4,2,16)" REF_U8 " (4,2)[0.1,0.2] (4,1)" REF_U8 " | K=37 N=4 bits=4 block_size=32 use_zero_points=True no_bias=True",
    "(2,50) (4,4,8)" REF_U8 " (4,4)[0.1,0.2] (4,4)[3,12] (4) | K=50 N=4 bits=4 block_size=16 use_zero_points=True "
        "real_zero_points=True",
    "(2,33) (2,3,16)" REF_U8 " (2,3)[-0.02,0.02] (2,3)" REF_U8 " (33)int[0,2] (2) | K=33 N=2 bits=8 block_size=16 "
        "use_zero_points=True use_g_idx=True",
    "(3,48) (3,3,6)" REF_U8 " (3,3)[0.1,0.2] (48)int[0,2] | K=48 N=3 bits=3 block_size=16 use_g_idx=True no_bias=True",
    "(2,70) (7,5,10)" REF_U8 " (7,5)[0.1,0.2] (7,4)" REF_U8 " (7) | K=70 N=7 bits=5 block_size=16 use_zero_points=True",
    "(2,32) (2,2,12)" REF_U8 " (2,2)[0.01,0.02] (2,2)" REF_U8 " | K=32 N=2 bits=6 block_size=16 use_zero_points=True no_bias=True",
    "(2,1) (2,1,14)" REF_U8 " (2,1)[0.01,0.02] (2) | K=1 N=2 bits=7 block_size=16",
    "(67,520) (17,5,64)" REF_U8 " (17,5)[0.01,0.02] (17) | K=520 N=17 bits=4 block_size=128",
    "(2,1100) (3,2,512)" REF_U8 " (3,2)[0.01,0.02] (3) | K=1100 N=3 bits=4 block_size=1024",
    "(2,20) (3,0,8)" REF_U8 " (0) (3) | K=20 N=3 bits=4 block_size=16",
    "(0,20) (3,2,8)" REF_U8 " (3,2)[0.01,0.02] (3) | K=20 N=3 bits=4 block_size=16", NULL };
static const ref_op ref_matmul_nbits = { "fhb", ref_matmul_nbits_fn, REF_NO_GRADIENT, NULL, 2e-6, cases_matmul_nbits };

static const char *const cases_deconvolution[] = {
    "(2,3,3,4) (3,2,3,3) | kernel=(3,3) num_filter=2",
    "(1,2,3,4) (2,3,3,3) (3) | kernel=(3,3) num_filter=3 no_bias=False",
    "(1,2,4,3) (2,2,4,4) | kernel=(4,4) num_filter=2 stride=(2,2) pad=(1,1) no_bias=True",
    "(1,2,3,3) (2,2,3,3) (2) | kernel=(3,3) num_filter=2 stride=(2,2) pad=(1,1) adj=(1,1) no_bias=False",
    "(1,2,3,2) (2,1,3,2) | kernel=(3,2) num_filter=1 stride=(4,3) dilate=(2,1) pad=(2,0) adj=(3,0)",
    "(1,2,3,3) (2,1,2,2) | kernel=(2,2) num_filter=1 stride=(3,3) dilate=(1,2)",
    "(1,4,3,3) (4,2,3,3) (4) | kernel=(3,3) num_filter=4 num_group=2 stride=(2,1) no_bias=False",
    "(1,3,4,4) (3,1,4,4) | kernel=(4,4) num_filter=3 num_group=3 stride=(2,2) pad=(1,1) layout=NCHW",
    "(1,2,3,3) (2,2,3,3) | kernel=(3,3) num_filter=2 stride=(2,2) target_shape=(6,5)",
    "(1,2,3,4) (2,1,4,4) (1) | kernel=(4,4) num_filter=1 stride=(2,2) pad=(3,3) adj=(1,1) target_shape=(6,8) "
        "no_bias=False",
    "(2,5,3,2) (5,7,1,1) (7) | kernel=(1,1) num_filter=7 no_bias=False",
    "(1,2,5,5) (2,1,3,3) | kernel=(3,3) num_filter=1 pad=(2,2)",
    "(1,1,1,1) (1,1,2,3) | kernel=(2,3) num_filter=1 stride=() dilate=() pad=() adj=() target_shape=()",
    "(0,2,3,3) (2,4,3,3) | kernel=(3,3) num_filter=4",
    "(2,3,5) (3,2,4) | kernel=(4,) num_filter=2 stride=(2,) pad=(1,) layout=NCW",
    "(1,2,3) (2,2,3) (2) | kernel=(3,) num_filter=2 stride=(2,) target_shape=(6,) no_bias=False",
    "(1,2,2,3,2) (2,2,3,2,2) | kernel=(3,2,2) num_filter=2 stride=(2,1,2) pad=(1,0,0) adj=(1,0,1)",
    "(1,4,2,2,2) (4,1,2,2,2) (2) | kernel=(2,2,2) num_filter=2 num_group=2 no_bias=False layout=NCDHW",
    "(1,3,4,2) (2,3,3,3) (3) | kernel=(3,3) num_filter=3 stride=(2,2) pad=(1,1) adj=(1,0) no_bias=False "
        "layout=NHWC",
    "(1,3,3,4) (4,2,2,2) | kernel=(2,2) num_filter=4 num_group=2 stride=(2,1) layout=NHWC",
    "(2,4,2) (2,3,3) | kernel=(3,) num_filter=3 stride=(2,) layout=NWC",
    "(1,2,2,3,2) (2,2,2,2,1) | kernel=(2,2,2) num_filter=1 stride=(1,2,1) layout=NDHWC",
    "(1,2,3,3) (2,2,3,3) (2) | kernel=(3,3) num_filter=2 stride=(2,2) pad=(1,0) pad_end=(0,1) no_bias=False",
    "(1,2,3,2) (2,1,3,2) | kernel=(3,2) num_filter=1 stride=(4,3) dilate=(2,1) pad=(2,0) pad_end=(1,1) adj=(3,2)",
    "(1,3,4,4) (3,1,4,4) | kernel=(4,4) num_filter=3 num_group=3 pad=(1,3) pad_end=(2,0)",
    "(1,2,5,5) (2,1,3,3) | kernel=(3,3) num_filter=1 pad=(0,2) pad_end=(4,1)",
    "(1,2,3,4) (2,1,4,4) (1) | kernel=(4,4) num_filter=1 stride=(2,2) pad=(3,3) pad_end=(1,1) target_shape=(6,8) "
        "no_bias=False",
    "(1,3,4,2) (2,3,3,3) (3) | kernel=(3,3) num_filter=3 stride=(2,2) pad_end=(1,1) no_bias=False layout=NHWC",
    NULL };
static const ref_op ref_deconvolution = {
    "fdhb", ref_deconvolution_fn, REF_TRUE, NULL, 2e-6, cases_deconvolution };

static const char *const cases__conv_weight_grad[] = {
    "(2,3,5,6) (2,4,3,4) | kernel=(3,3) num_filter=4",
    "(1,2,5,4) (1,3,5,4) | kernel=(3,3) num_filter=3 pad=(1,1)",
    "(2,2,7,6) (2,3,3,3) | kernel=(3,3) num_filter=3 stride=(2,2) pad=(0,1)",
    "(1,2,9,8) (1,2,3,5) | kernel=(3,2) num_filter=2 stride=(3,1) dilate=(2,3) pad=(2,0)",
    "(2,5,3,4) (2,7,3,4) | kernel=(1,1) num_filter=7",
    "(1,4,5,5) (1,4,5,5) | kernel=(3,3) num_filter=4 num_group=4 pad=(1,1)",
    "(1,4,4,4) (1,6,2,2) | kernel=(3,3) num_filter=6 num_group=2 layout=NCHW",
    "(1,1,1,1) (1,1,1,1) | kernel=(1,1) num_filter=1 stride=() dilate=() pad=()",
    "(0,2,5,5) (0,3,3,3) | kernel=(3,3) num_filter=3",
    "(2,3,9) (2,2,4) | kernel=(3,) num_filter=2 stride=(2,)",
    "(1,2,3,4,3) (1,2,2,4,2) | kernel=(2,3,2) num_filter=2 pad=(0,1,0)",
    "(2,5,4,3) (2,5,4,2) | kernel=(3,3) num_filter=2 pad=(1,1) layout=NHWC",
    "(1,5,5,4) (1,2,2,6) | kernel=(3,3) num_filter=6 num_group=2 stride=(2,2) layout=NHWC",
    "(2,6,2) (2,4,3) | kernel=(3,) num_filter=3 layout=NWC",
    "(1,3,3,3,2) (1,2,2,2,3) | kernel=(2,2,2) num_filter=3 layout=NDHWC",
    "(1,2,5,4) (1,3,4,4) | kernel=(3,3) num_filter=3 pad=(1,0) pad_end=(0,2)",
    "(2,2,8,6) (2,3,4,3) | kernel=(3,3) num_filter=3 stride=(2,2) pad_end=(1,1)",
    "(1,4,5,5) (1,4,4,6) | kernel=(3,3) num_filter=4 num_group=4 pad=(1,1) pad_end=(0,2)",
    "(2,5,4,3) (2,4,4,2) | kernel=(3,3) num_filter=2 pad=(0,1) pad_end=(1,1) layout=NHWC",
    NULL };
static const ref_op ref__conv_weight_grad = {
    "fdhb", ref_conv_weight_grad_fn, REF_TRUE, NULL, 2e-6, cases__conv_weight_grad };

static ref_window ref_pool_window(const ref_case *c, const ref_grid *x, int64_t *size)    /* output's size */
{
    ref_window w = ref_window_of(c);
    for (int d = 0; d < 3; d++) {
        if (ref_int(c, "global_pool", 0)) { w.kernel[d] = x->dim[d]; w.stride[d] = 1; w.pad[d] = w.end[d] = 0; }
        int64_t room = x->dim[d] + w.pad[d] + w.end[d] - w.kernel[d], s = w.stride[d];
        size[d] = ref_is(c, "pooling_convention", "full", 0) ? (room + s - 1) / s + 1
                : ref_is(c, "pooling_convention", "same", 0) ? (x->dim[d] + s - 1) / s : room / s + 1;
    }
    return w;
}

/* One window of x: its number; with dx also its share of the gradient, from dy and the earlier number y. */
static double ref_pool_one(const ref_case *c, const double *x, const int64_t *at, int count, double area,
                           double dy, double y, double *dx)
{
    int p = ref_int(c, "p_value", 2), max = ref_is(c, "pool_type", "max", 1);
    int avg = ref_is(c, "pool_type", "avg", 0), lp = ref_is(c, "pool_type", "lp", 0), best = 0;
    double sum = 0, share = avg ? dy / area : dy;
    if (!count) return max ? -INFINITY : 0;
    for (int i = 1; i < count; i++) if (x[at[i]] > x[at[best]]) best = i;
    for (int i = 0; i < count; i++) {
        sum += lp ? pow(x[at[i]], p) : x[at[i]];
        if (dx && (!max || i == best)) dx[at[i]] += lp ? dy * pow(x[at[i]], p - 1) * pow(y, 1 - p) : share;
    }
    return max ? x[at[best]] : avg ? sum / area : !lp || p == 1 ? sum : p == 2 ? sqrt(sum) : cbrt(sum);
}

/* All windows: fills y, or, when dx is given, adds up the gradient from dy and y. */
static void ref_pool_all(const ref_case *c, const ref_window *w, const ref_grid *xg, const double *x,
                         const ref_grid *yg, double *y, const double *dy, double *dx, const double *picked)
{
    int64_t q[3], k[3], p[3], at[2048];
    int include_pad = ref_int(c, "count_include_pad", 1);
    for (int64_t n = 0; n < yg->n; n++)
    for (int64_t ch = 0; ch < yg->c; ch++)
    for (int64_t iq = 0; iq < ref_places(yg->dim); iq++) {
        int count = 0;
        double area = 1;
        ref_place(iq, yg->dim, q);
        for (int d = 0; d < 3; d++) {
            int64_t start = q[d] * w->stride[d] - w->pad[d], end = start + w->kernel[d];
            area *= (double)((end < xg->dim[d] + w->end[d] ? end : xg->dim[d] + w->end[d]) - start);
        }
        for (int64_t ik = 0; ik < ref_places(w->kernel); ik++) {
            int inside = 1;
            ref_place(ik, w->kernel, k);
            for (int d = 0; d < 3; d++) {
                p[d] = q[d] * w->stride[d] - w->pad[d] + k[d];
                inside = inside && p[d] >= 0 && p[d] < xg->dim[d];
            }
            if (inside) at[count++] = ref_grid_at(xg, n, ch, p);
        }
        int64_t o = ref_grid_at(yg, n, ch, q);
        if (!include_pad) area = count;
        double v = ref_pool_one(c, x, at, count, area, dx ? dy[o] : 0, dx ? y[o] : 0, dx);
        if (!dx) y[o] = v;
        for (int i = 0; picked && i < count; i++) {     /* the gradient of this output shows its place */
            y[o] += dx[at[i]] * picked[at[i]];
            dx[at[i]] = 0;
        }
    }
}

static double *ref_doubles(int64_t n) { return (double *)calloc((size_t)(n ? n : 1), sizeof(double)); }

static void ref_pooling_fn(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int last = ref_channels_last(c);
    int64_t size[3];
    ref_grid xg = ref_grid_of(x->dim, x->ndim, last);
    ref_window w = ref_pool_window(c, &xg, size);
    ref_grid yg = ref_grid_out(c, x->ndim, last, xg.n, xg.c, size);
    ref_pool_all(c, &w, &xg, x->v, &yg, c->out[0].v, NULL, NULL, NULL);
}

static void ref_pooling_grad_fn(ref_case *c)            /* out_grad, data, out; max: to the first of equals */
{
    const ref_tensor *dy = &c->in[0], *x = &c->in[1];
    int last = ref_channels_last(c);
    int64_t size[3];
    ref_grid xg = ref_grid_of(x->dim, x->ndim, last), yg = ref_grid_of(dy->dim, dy->ndim, last);
    ref_window w = ref_pool_window(c, &xg, size);
    double *dx = ref_out(c, 0, x->ndim, x->dim);
    ref_pool_all(c, &w, &xg, x->v, &yg, c->in[2].v, dy->v, dx, NULL);
}

static const char *const cases_pooling[] = {
    "(2,3,6,5) | kernel=(2,2)",
    "(2,3,6,5) | kernel=(2,2) stride=(2,2) pool_type=max pooling_convention=valid",
    "(1,2,7,8) | kernel=(3,3) stride=(2,2) pad=(1,1)",
    "(1,2,6,7) | kernel=(3,2) stride=(2,3) pad=(1,0) pooling_convention=full",
    "(1,2,5,6)[-2,-1] | kernel=(3,3) stride=(1,1) pad=(1,1)",
    "(1,2,4,6)[-2,-1] | kernel=(4,4) stride=(3,3) pad=(1,2) pooling_convention=full",
    "(2,2,4,5) | kernel=() global_pool=True",
    "(2,2,4,5) | kernel=(2,2) stride=(2,2) pad=(1,1) global_pool=True pool_type=max",
    "(1,1,13,13) | kernel=(5,4) stride=(1,1) pad=(2,1)",
    "(1,2,1,1) | kernel=(1,1) stride=() pad=() layout=None",
    "(0,2,4,4) | kernel=(2,2)",
    "(2,2,6,5) | kernel=(2,3) stride=(2,1) pool_type=avg",
    "(1,2,7,7) | kernel=(3,3) stride=(2,2) pad=(1,1) pool_type=avg",
    "(1,2,7,7) | kernel=(3,3) stride=(2,2) pad=(1,1) pool_type=avg count_include_pad=False",
    "(1,2,7,6) | kernel=(3,3) stride=(3,3) pad=(1,1) pool_type=avg pooling_convention=full",
    "(1,2,7,6) | kernel=(3,3) stride=(3,3) pad=(1,1) pool_type=avg pooling_convention=full "
        "count_include_pad=False",
    "(1,1,6,6) | kernel=(4,4) stride=(3,3) pad=(0,2) pool_type=avg pooling_convention=full "
        "count_include_pad=True",
    "(2,3,3,4) | global_pool=True pool_type=avg",
    "(2,3,3,4) | kernel=(3,3) pad=(1,1) global_pool=True pool_type=avg count_include_pad=False",
    "(1,2,5,6) | kernel=(2,3) stride=(1,2) pad=(1,1) pool_type=sum",
    "(1,2,6,6) | kernel=(3,3) stride=(2,2) pad=(1,1) pool_type=sum pooling_convention=full",
    "(2,2,3,3) | global_pool=True pool_type=sum",
    "(1,2,5,6) | kernel=(2,2) stride=(2,2) pool_type=lp p_value=1",
    "(1,2,5,6) | kernel=(3,2) stride=(1,2) pad=(1,0) pool_type=lp",
    "(1,2,5,5)[0.2,2] | kernel=(3,3) stride=(2,2) pad=(1,1) pool_type=lp p_value=2 pooling_convention=full",
    "(1,2,5,5)[0.2,2] | kernel=(2,2) pool_type=lp p_value=3",
    "(1,2,4,5)[-2,-0.2] | kernel=(2,3) stride=(2,2) pool_type=lp p_value=3",
    "(2,2,3,4) | global_pool=True pool_type=lp p_value=2",
    "(2,3,9) | kernel=(3,) stride=(2,) layout=NCW",
    "(2,3,9) | kernel=(2,) stride=(3,) pad=(1,) pool_type=avg",
    "(2,2,7) | kernel=(3,) stride=(2,) pooling_convention=same",
    "(1,2,8) | kernel=(2,) stride=(1,) pooling_convention=same",
    "(2,2,10) | kernel=(3,) stride=(3,) pooling_convention=same pool_type=max",
    "(2,2,7) | kernel=(4,) pool_type=lp p_value=2",
    "(2,3,5) | global_pool=True pool_type=avg layout=NCW",
    "(1,2,4,5,3) | kernel=(2,3,2) stride=(2,1,1) pad=(1,1,0)",
    "(1,2,3,4,5) | kernel=(2,2,3) stride=(1,2,2) pad=(0,1,1) pool_type=avg count_include_pad=False "
        "layout=NCDHW",
    "(1,2,4,3,4) | kernel=(3,2,2) stride=(2,2,3) pool_type=sum pooling_convention=full",
    "(2,2,2,3,2) | global_pool=True",
    "(2,6,5,3) | kernel=(2,2) stride=(2,2) layout=NHWC",
    "(1,7,5,3) | kernel=(3,3) stride=(2,2) pad=(1,1) pool_type=avg count_include_pad=False layout=NHWC",
    "(1,5,4,3) | kernel=(2,2) pool_type=lp p_value=2 layout=NHWC",
    "(2,3,4,5) | global_pool=True pool_type=avg layout=NHWC",
    "(2,8,3) | kernel=(3,) stride=(2,) pool_type=sum layout=NWC",
    "(1,3,4,5,2) | kernel=(2,2,2) stride=(1,2,1) pad=(1,0,0) layout=NDHWC",
    "(1,2,7,8) | kernel=(3,3) stride=(2,2) pad=(1,0) pad_end=(0,1)",
    "(1,2,6,7) | kernel=(3,3) stride=(2,2) pad_end=(1,2)",
    "(1,2,5,6)[-2,-1] | kernel=(3,3) pad=(2,1) pad_end=(0,0)",
    "(1,2,6,7) | kernel=(3,2) stride=(2,3) pad=(1,0) pad_end=(2,1) pooling_convention=full",
    "(1,2,7,7) | kernel=(3,3) stride=(2,2) pad=(0,1) pad_end=(2,0) pool_type=avg",
    "(1,2,7,7) | kernel=(3,3) stride=(2,2) pad=(0,1) pad_end=(2,0) pool_type=avg count_include_pad=False",
    "(1,2,7,6) | kernel=(3,3) stride=(3,3) pad=(1,0) pad_end=(0,1) pool_type=avg pooling_convention=full",
    "(1,2,5,6) | kernel=(2,3) stride=(1,2) pad=(1,1) pad_end=(0,2) pool_type=sum",
    "(1,2,5,5)[0.2,2] | kernel=(3,3) stride=(2,2) pad_end=(1,1) pool_type=lp p_value=2",
    "(2,3,9) | kernel=(2,) stride=(3,) pad_end=(1,) pool_type=avg",
    "(1,2,4,5,3) | kernel=(2,3,2) stride=(2,1,1) pad=(1,1,0) pad_end=(0,2,1)",
    "(1,7,5,3) | kernel=(3,3) stride=(2,2) pad=(1,0) pad_end=(0,1) pool_type=avg layout=NHWC",
    "(1,7,5,3) | kernel=(3,3) stride=(2,2) pad_end=(1,1) layout=NHWC",
    NULL };
static const ref_op ref_pooling = { "fdhb", ref_pooling_fn, REF_TRUE, NULL, 2e-6, cases_pooling };

static const char *const cases__pooling_grad[] = {
    "(2,2,4,4) (2,2,5,5) (2,2,4,4) | kernel=(2,2)",
    "(1,2,4,4) (1,2,7,8) (1,2,4,4) | kernel=(3,3) stride=(2,2) pad=(1,1)",
    "(1,2,4,3) (1,2,6,7) (1,2,4,3) | kernel=(3,2) stride=(2,3) pad=(1,0) pooling_convention=full",
    "(2,2,1,1) (2,2,4,5) (2,2,1,1) | global_pool=True",
    "(1,1,4,4) (1,1,4,4)int[0,2] (1,1,4,4) | kernel=(3,3) pad=(1,1)",
    "(0,2,3,3) (0,2,4,4) (0,2,3,3) | kernel=(2,2)",
    "(1,2,4,4) (1,2,7,7) (1,2,4,4) | kernel=(3,3) stride=(2,2) pad=(1,1) pool_type=avg",
    "(1,2,4,4) (1,2,7,7) (1,2,4,4) | kernel=(3,3) stride=(2,2) pad=(1,1) pool_type=avg "
        "count_include_pad=False",
    "(1,2,3,3) (1,2,7,6) (1,2,3,3) | kernel=(3,3) stride=(3,3) pad=(1,1) pool_type=avg "
        "pooling_convention=full",
    "(2,3,1,1) (2,3,3,4) (2,3,1,1) | global_pool=True pool_type=avg",
    "(1,2,6,3) (1,2,5,6) (1,2,6,3) | kernel=(2,3) stride=(1,2) pad=(1,1) pool_type=sum",
    "(1,2,2,3) (1,2,5,6) (1,2,2,3) | kernel=(2,2) stride=(2,2) pool_type=lp p_value=1",
    "(1,2,4,5) (1,2,5,6) (1,2,4,5)[0.5,2] | kernel=(2,2) pool_type=lp",
    "(1,2,2,2) (1,2,5,5) (1,2,2,2)[0.5,2] | kernel=(2,3) stride=(2,2) pool_type=lp p_value=3",
    "(2,2,4) (2,2,7) (2,2,4) | kernel=(3,) stride=(2,) pooling_convention=same",
    "(2,3,4) (2,3,9) (2,3,4) | kernel=(2,) stride=(3,) pad=(1,) pool_type=avg",
    "(1,2,3,5,2) (1,2,4,5,3) (1,2,3,5,2) | kernel=(2,3,2) stride=(2,1,1) pad=(1,1,0)",
    "(2,3,2,3) (2,6,5,3) (2,3,2,3) | kernel=(2,2) stride=(2,2) layout=NHWC",
    "(1,4,3,2) (1,7,5,2) (1,4,3,2) | kernel=(3,3) stride=(2,2) pad=(1,1) pool_type=avg layout=NHWC",
    "(1,3,2) (1,7,2) (1,3,2)[0.5,2] | kernel=(3,) stride=(2,) pool_type=lp layout=NWC",
    "(1,4,2,4,2) (1,3,4,5,2) (1,4,2,4,2) | kernel=(2,2,2) stride=(1,2,1) pad=(1,0,0) layout=NDHWC",
    "(1,2,3,4) (1,2,7,8) (1,2,3,4) | kernel=(3,3) stride=(2,2) pad=(1,0) pad_end=(0,1)",
    "(1,2,3,4) (1,2,6,7) (1,2,3,4) | kernel=(3,3) stride=(2,2) pad_end=(1,2)",
    "(1,2,4,3) (1,2,7,7) (1,2,4,3) | kernel=(3,3) stride=(2,2) pad=(0,1) pad_end=(2,0) pool_type=avg",
    "(1,2,4,3) (1,2,7,7) (1,2,4,3) | kernel=(3,3) stride=(2,2) pad=(0,1) pad_end=(2,0) pool_type=avg "
        "count_include_pad=False",
    "(1,2,5,4) (1,2,5,6) (1,2,5,4) | kernel=(2,3) stride=(1,2) pad=(1,1) pad_end=(0,2) pool_type=sum",
    "(1,3,3,2) (1,7,5,2) (1,3,3,2) | kernel=(3,3) stride=(2,2) pad=(1,0) pad_end=(0,2) layout=NHWC",
    NULL };
static const ref_op ref__pooling_grad = {
    "fdhb", ref_pooling_grad_fn, REF_TRUE, NULL, 2e-6, cases__pooling_grad };

static void ref_pooling_gather_fn(ref_case *c)          /* picked, data: picked where data has its maxima */
{
    const ref_tensor *picked = &c->in[0], *x = &c->in[1];
    int last = ref_channels_last(c);
    int64_t size[3];
    ref_grid xg = ref_grid_of(x->dim, x->ndim, last);
    ref_window w = ref_pool_window(c, &xg, size);
    ref_grid yg = ref_grid_out(c, x->ndim, last, xg.n, xg.c, size);
    double *one = ref_doubles(c->out[0].size), *dx = ref_doubles(x->size);
    for (int64_t o = 0; o < c->out[0].size; o++) { one[o] = 1; c->out[0].v[o] = 0; }
    ref_pool_all(c, &w, &xg, x->v, &yg, c->out[0].v, one, dx, picked->v);
    free(one);
    free(dx);
}
static const char *const cases__pooling_gather[] = {
    "(1,2,7,8) (1,2,7,8) | kernel=(3,3) stride=(2,2) pad=(1,0) pad_end=(0,1)",
    "(2,2,5,5) (2,2,5,5) | kernel=(2,2)", "(1,2,7,8) (1,2,7,8) | kernel=(3,3) stride=(2,2) pad=(1,1)",
    "(1,2,6,7) (1,2,6,7) | kernel=(3,2) stride=(2,3) pad=(1,0) pooling_convention=full",
    "(2,2,4,5) (2,2,4,5) | global_pool=True", "(1,1,4,4) (1,1,4,4)int[0,2] | kernel=(3,3) pad=(1,1)",
    "(0,2,4,4) (0,2,4,4) | kernel=(2,2)", "(2,2,7) (2,2,7) | kernel=(3,) stride=(2,) pooling_convention=same",
    "(1,2,4,5,3) (1,2,4,5,3) | kernel=(2,3,2) stride=(2,1,1) pad=(1,1,0)",
    "(2,6,5,3) (2,6,5,3) | kernel=(2,2) stride=(2,2) layout=NHWC", NULL };
static const ref_op ref__pooling_gather = {
    "fdhb", ref_pooling_gather_fn, REF_TRUE, NULL, 0, cases__pooling_gather };

static void ref_upsampling_fn(ref_case *c)         /* each input grows to the size of the first times scale */
{
    const ref_tensor *first = &c->in[0];
    int sum = ref_is(c, "multi_input_mode", "sum", 0), scale = ref_int(c, "scale", 1);
    int64_t dim[4] = { first->dim[0], 0, first->dim[2] * scale, first->dim[3] * scale }, before = 0;
    for (int i = 0; i < c->nin; i++) dim[1] = sum ? first->dim[1] : dim[1] + c->in[i].dim[1];
    double *y = ref_out(c, 0, 4, dim);
    for (int i = 0; i < c->nin; i++) {
        const int64_t *d = c->in[i].dim;
        for (int64_t n = 0; n < d[0]; n++)
            for (int64_t ch = 0; ch < d[1]; ch++)
                for (int64_t h = 0; h < dim[2]; h++)
                    for (int64_t w = 0; w < dim[3]; w++)
                        y[((n * dim[1] + before + ch) * dim[2] + h) * dim[3] + w] += c->in[i].v[
                            ((n * d[1] + ch) * d[2] + h / (dim[2] / d[2])) * d[3] + w / (dim[3] / d[3])];
        if (!sum) before += d[1];
    }
}
static const char *const cases_upsampling[] = {
    "(2,3,2,3) | scale=2 sample_type=nearest",
    "(1,2,3,2) | scale=3",
    "(1,2,4,3) | scale=1",
    "(1,1,1,1) | scale=5",
    "(0,2,3,3) | scale=2",
    "(1,2,4,4) (1,3,2,2) (1,1,1,1) | scale=1",
    "(2,2,2,3) (2,1,4,6) | scale=2 multi_input_mode=concat",
    "(1,2,4,2) (1,2,2,1) (1,2,8,4) | scale=2 multi_input_mode=sum",
    "(2,2,2,2) (2,2,2,2) | scale=2 multi_input_mode=sum sample_type=nearest",
    NULL };
static const ref_op ref_upsampling = { "fdhb", ref_upsampling_fn, REF_TRUE, NULL, 1e-6, cases_upsampling };

/* Output place i of m averages the places from floor(i size / m) to below ceil((i + 1) size / m). With x_grad
 * it goes backwards: each place gets its share of every window over it. */
static void ref_adaptive(const ref_tensor *x, const int64_t *out, double *y, const double *dy, double *x_grad)
{
    int64_t h = x->dim[2], w = x->dim[3];
    for (int64_t nc = 0; nc < x->dim[0] * x->dim[1]; nc++)
    for (int64_t i = 0; i < out[0]; i++)
    for (int64_t j = 0; j < out[1]; j++) {
        int64_t top = i * h / out[0], low = ((i + 1) * h + out[0] - 1) / out[0];
        int64_t left = j * w / out[1], right = ((j + 1) * w + out[1] - 1) / out[1];
        int64_t o = (nc * out[0] + i) * out[1] + j;
        double area = (double)((low - top) * (right - left));
        for (int64_t a = top; a < low; a++)
            for (int64_t b = left; b < right; b++)
                if (x_grad) x_grad[(nc * h + a) * w + b] += dy[o] / area;
                else y[o] += x->v[(nc * h + a) * w + b] / area;
    }
}

static void ref_adaptive_size(const ref_case *c, int64_t *size)
{
    int n = ref_ints(c, "output_size", size, 2);
    if (n < 1) size[0] = 1;
    if (n < 2) size[1] = size[0];
}

static void ref_adaptive_avg_pooling_fn(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int64_t dim[4] = { x->dim[0], x->dim[1], 0, 0 };
    ref_adaptive_size(c, dim + 2);
    ref_adaptive(x, dim + 2, ref_out(c, 0, 4, dim), NULL, NULL);
}

static void ref_adaptive_avg_pooling_grad_fn(ref_case *c)       /* out_grad, data */
{
    int64_t size[2];
    ref_adaptive_size(c, size);
    ref_adaptive(&c->in[1], size, NULL, c->in[0].v, ref_out(c, 0, 4, c->in[1].dim));
}

static const char *const cases_adaptive_avg_pooling[] = {
    "(2,3,4,5)", "(2,3,4,5) | output_size=()", "(2,2,4,5) | output_size=1", "(1,2,5,7) | output_size=3",
    "(1,2,6,6) | output_size=(3,)", "(1,2,7,5) | output_size=(3,2)", "(1,2,4,6) | output_size=(4,6)",
    "(1,2,3,2) | output_size=(5,4)", "(1,1,1,1) | output_size=(2,3)", "(2,2,6,4) | output_size=(2,4)",
    "(1,2,9,8) | output_size=(7,1)", "(0,2,4,4) | output_size=(2,2)", NULL };
static const ref_op ref_adaptive_avg_pooling = {
    "fdhb", ref_adaptive_avg_pooling_fn, REF_TRUE, NULL, 2e-6, cases_adaptive_avg_pooling };

static const char *const cases__adaptive_avg_pooling_grad[] = {
    "(2,3,1,1) (2,3,4,5)", "(1,2,3,3) (1,2,5,7) | output_size=3", "(1,2,3,3) (1,2,6,6) | output_size=(3,)",
    "(1,2,3,2) (1,2,7,5) | output_size=(3,2)", "(1,2,5,4) (1,2,3,2) | output_size=(5,4)",
    "(1,1,2,3) (1,1,1,1) | output_size=(2,3)", "(0,2,2,2) (0,2,4,4) | output_size=(2,2)", NULL };
static const ref_op ref__adaptive_avg_pooling_grad = {
    "fdhb", ref_adaptive_avg_pooling_grad_fn, REF_TRUE, NULL, 2e-6, cases__adaptive_avg_pooling_grad };

/* --- normalisation: an array is (outer, mid, inner); statistics are taken over each set --- */

enum { REF_PER_MID, REF_PER_ROW, REF_PER_COLUMN };    /* sets: per mid, per (outer, mid), (outer, inner) */
typedef struct ref_sets { int64_t outer, mid, inner, count, members; int kind; } ref_sets;

static ref_sets ref_sets_of(const ref_tensor *x, int axis, int64_t mid, int kind)
{
    ref_sets s = { 1, mid, 1, 0, 0, kind };
    if (axis < 0) axis += x->ndim;
    for (int d = 0; d < axis; d++) s.outer *= x->dim[d];
    for (int d = axis + 1; d < x->ndim; d++) s.inner *= x->dim[d];
    if (mid != x->dim[axis]) s.inner = s.inner * x->dim[axis] / mid;    /* a group of channels is one mid */
    s.count = kind == REF_PER_MID ? s.mid : s.outer * (kind == REF_PER_ROW ? s.mid : s.inner);
    s.members = s.count ? x->size / s.count : 0;
    return s;
}
static int64_t ref_mid(const ref_sets *s, int64_t i) { return i / s->inner % s->mid; }
static int64_t ref_set(const ref_sets *s, int64_t i)
{
    return s->kind == REF_PER_MID ? ref_mid(s, i) : s->kind == REF_PER_ROW ? i / s->inner
         : i / s->inner / s->mid * s->inner + i % s->inner;
}

static void ref_statistics(const ref_sets *s, const ref_tensor *x, double *mean, double *var)
{
    for (int64_t i = 0; i < x->size; i++) mean[ref_set(s, i)] += x->v[i] / (double)s->members;
    for (int64_t i = 0; i < x->size; i++) {
        double d = x->v[i] - mean[ref_set(s, i)];
        var[ref_set(s, i)] += d * d / (double)s->members;
    }
}

static void ref_normalise(ref_case *c, const ref_sets *s, const double *mean, const double *var, double eps,
                          int gamma)
{
    const ref_tensor *x = &c->in[0];
    double *y = ref_out(c, 0, x->ndim, x->dim);
    for (int64_t i = 0; i < x->size; i++) {
        int64_t set = ref_set(s, i), m = ref_mid(s, i);
        y[i] = (x->v[i] - mean[set]) / sqrt(var[set] + eps) * (gamma ? c->in[1].v[m] : 1) + c->in[2].v[m];
    }
}

/* Gradients of y = (x - mean) rstd gamma + beta; with batch_stats mean and rstd depend on x. gamma may be
 * NULL (then it is 1), and so may each of the results dx[0], dx[1], dx[2]. */
static void ref_normalise_grad(const ref_sets *s, const ref_tensor *x, const double *gamma,
                               const double *mean, const double *rstd, int batch_stats, const double *dy,
                               double *const *dx)
{
    double *sum = ref_doubles(s->count), *dot = ref_doubles(s->count);
    for (int64_t i = 0; i < x->size; i++) {
        int64_t set = ref_set(s, i), m = ref_mid(s, i);
        double unit = (x->v[i] - mean[set]) * rstd[set], g = gamma ? dy[i] * gamma[m] : dy[i];
        sum[set] += g;
        dot[set] += g * unit;
        if (dx[1] && gamma) dx[1][m] += dy[i] * unit;
        if (dx[2]) dx[2][m] += dy[i];
    }
    for (int64_t i = 0; dx[0] && i < x->size; i++) {
        int64_t set = ref_set(s, i);
        double unit = (x->v[i] - mean[set]) * rstd[set], g = gamma ? dy[i] * gamma[ref_mid(s, i)] : dy[i];
        if (batch_stats) g -= (sum[set] + unit * dot[set]) / (double)s->members;
        dx[0][i] = g * rstd[set];
    }
    free(sum);
    free(dot);
}

static ref_sets ref_batch_sets(const ref_case *c, const ref_tensor *x)
{
    int axis = ref_int(c, "axis", 1);
    return ref_sets_of(x, axis, x->dim[axis < 0 ? axis + x->ndim : axis], REF_PER_MID);
}
static int ref_batch_stats(const ref_case *c) { return c->training && !ref_int(c, "use_global_stats", 0); }

static void ref_batch_norm_fn(ref_case *c)
{
    ref_sets s = ref_batch_sets(c, &c->in[0]);
    double eps = ref_num(c, "eps", 1e-3), momentum = ref_num(c, "momentum", 0.9);
    double *mean = ref_doubles(s.count), *var = ref_doubles(s.count);
    if (ref_batch_stats(c)) ref_statistics(&s, &c->in[0], mean, var);
    for (int64_t i = 0; i < s.count; i++)
        if (ref_batch_stats(c)) {
            if (!s.members) continue;                           /* nothing to learn from */
            c->in[3].v[i] = momentum * c->in[3].v[i] + (1 - momentum) * mean[i];
            c->in[4].v[i] = momentum * c->in[4].v[i] + (1 - momentum) * var[i];
        } else {
            mean[i] = c->in[3].v[i];
            var[i] = c->in[4].v[i];
        }
    ref_normalise(c, &s, mean, var, eps, !ref_int(c, "fix_gamma", 1));
    if (ref_int(c, "output_mean_var", 0)) {
        memcpy(ref_out(c, 1, 1, &s.count), mean, (size_t)s.count * sizeof *mean);
        ref_out(c, 2, 1, &s.count);
        for (int64_t i = 0; i < s.count; i++) c->out[2].v[i] = 1 / sqrt(var[i] + eps);
    }
    free(mean);
    free(var);
}

/* The declared gradient: that of the first output; the mean and deviation outputs pass none. */
static void ref_first_output_grad(const ref_case *c, const ref_sets *s, double eps, int running,
                                  int use_gamma, const double *const *dy, double *const *dx)
{
    double *mean = ref_doubles(s->count), *rstd = ref_doubles(s->count);
    if (!running) ref_statistics(s, &c->in[0], mean, rstd);
    for (int64_t i = 0; i < s->count; i++) {
        if (running) { mean[i] = c->in[3].v[i]; rstd[i] = c->in[4].v[i]; }
        rstd[i] = 1 / sqrt(rstd[i] + eps);
    }
    ref_normalise_grad(s, &c->in[0], use_gamma ? c->in[1].v : NULL, mean, rstd, !running, dy[0], dx);
    free(mean);
    free(rstd);
}
static void ref_batch_norm_declared(const ref_case *c, const double *const *dy, double *const *dx)
{
    ref_sets s = ref_batch_sets(c, &c->in[0]);
    double eps = ref_num(c, "eps", 1e-3);
    ref_first_output_grad(c, &s, eps, !ref_batch_stats(c), !ref_int(c, "fix_gamma", 1), dy, dx);
}

static const char *const cases_batch_norm[] = {
    "(4,3,2,2) (3) (3) (3)aux[-1,1] (3)aux[0.5,2]",
    "(4,3,2,2) (3) (3) (3)aux[-1,1] (3)aux[0.5,2] | @training",
    "(4,3,2,3) (3) (3) (3)aux[-1,1] (3)aux[0.5,2] | fix_gamma=False",
    "(4,3,2,3) (3) (3) (3)aux[-1,1] (3)aux[0.5,2] | fix_gamma=False @training",
    "(3,2,5) (2) (2) (2)aux[-1,1] (2)aux[0.5,2] | eps=0.1 momentum=0.5 fix_gamma=True @training",
    "(3,2,5) (2) (2) (2)aux[-1,1] (2)aux[0.5,2] | eps=1e-05 momentum=0 fix_gamma=False @training",
    "(3,2,5) (2) (2) (2)aux[-1,1] (2)aux[0.5,2] | momentum=1 fix_gamma=False @training",
    "(3,4,2) (4) (4) (4)aux[-1,1] (4)aux[0.5,2] | use_global_stats=True fix_gamma=False @training",
    "(3,4,2) (4) (4) (4)aux[-1,1] (4)aux[0.5,2] | use_global_stats=True eps=0.01",
    "(3,4,2) (4) (4) (4)aux[-1,1] (4)aux[0.5,2] | output_mean_var=True fix_gamma=False",
    "(3,4,2) (4) (4) (4)aux[-1,1] (4)aux[0.5,2] | output_mean_var=True fix_gamma=False @training",
    "(3,4,2) (4) (4) (4)aux[-1,1] (4)aux[0.5,2] | output_mean_var=True use_global_stats=True @training",
    "(6,5) (5) (5) (5)aux[-1,1] (5)aux[0.5,2] | fix_gamma=False @training",
    "(4,5) (4) (4) (4)aux[-1,1] (4)aux[0.5,2] | axis=0 fix_gamma=False @training",
    "(2,3,2,4) (4) (4) (4)aux[-1,1] (4)aux[0.5,2] | axis=-1 fix_gamma=False @training",
    "(2,3,2,4) (4) (4) (4)aux[-1,1] (4)aux[0.5,2] | axis=3 fix_gamma=False",
    "(2,3,4,2) (4) (4) (4)aux[-1,1] (4)aux[0.5,2] | axis=-2 fix_gamma=False output_mean_var=True @training",
    "(2,3,2,2,3) (3) (3) (3)aux[-1,1] (3)aux[0.5,2] | fix_gamma=False @training",
    "(2,1,3,3) (1) (1) (1)aux[-1,1] (1)aux[0.5,2] | fix_gamma=False @training",
    "(1,4,1,1) (4) (4) (4)aux[-1,1] (4)aux[0.5,2] | fix_gamma=False",
    "(1,4,1,1) (4) (4) (4)aux[-1,1] (4)aux[0.5,2] | fix_gamma=False @training",
    "(1,19,3,3) (19) (19) (19)aux[-1,1] (19)aux[0.5,2] | fix_gamma=False @training",
    "(0,3,2,2) (3) (3) (3)aux[-1,1] (3)aux[0.5,2] | fix_gamma=False",
    NULL };
static const ref_op ref_batch_norm = {
    "fdhb", ref_batch_norm_fn, REF_DECLARED, ref_batch_norm_declared, 2e-6, cases_batch_norm };

static void ref_batch_norm_relu_fn(ref_case *c)
{
    ref_batch_norm_fn(c);
    for (int64_t i = 0; i < c->out[0].size; i++) c->out[0].v[i] = fmax(c->out[0].v[i], 0);
}
static void ref_batch_norm_relu_declared(const ref_case *c, const double *const *dy, double *const *dx)
{
    double *g = ref_doubles(c->out[0].size);
    const double *passed[1] = { g };
    for (int64_t i = 0; i < c->out[0].size; i++) g[i] = c->out[0].v[i] > 0 ? dy[0][i] : 0;
    ref_batch_norm_declared(c, passed, dx);
    free(g);
}
static const ref_op ref_batch_norm_relu = {
    "fdhb", ref_batch_norm_relu_fn, REF_DECLARED, ref_batch_norm_relu_declared, 2e-6, cases_batch_norm };

static void ref_batch_norm_grad_fn(ref_case *c)         /* out_grad, data, gamma, mean, rstd */
{
    const ref_tensor *x = &c->in[1], *gamma = &c->in[2];
    ref_sets s = ref_batch_sets(c, x);
    double *dx[3];
    dx[0] = ref_out(c, 0, x->ndim, x->dim);
    dx[1] = ref_out(c, 1, 1, gamma->dim);
    dx[2] = ref_out(c, 2, 1, gamma->dim);
    ref_normalise_grad(&s, x, ref_int(c, "learn_gamma", 0) ? gamma->v : NULL, c->in[3].v, c->in[4].v,
                       ref_int(c, "batch_stats", 1), c->in[0].v, dx);
}
static const char *const cases__batch_norm_grad[] = {
    "(4,3,2,2) (4,3,2,2) (3) (3) (3)[0.5,2] | axis=1 batch_stats=1 learn_gamma=1",
    "(4,3,2,2) (4,3,2,2) (3) (3) (3)[0.5,2] | axis=1 batch_stats=1 learn_gamma=0",
    "(3,4,3) (3,4,3) (4) (4) (4)[0.5,2] | axis=1 batch_stats=0 learn_gamma=1",
    "(3,4,3) (3,4,3) (4) (4) (4)[0.5,2] | axis=1 batch_stats=0 learn_gamma=0",
    "(2,3,2,5) (2,3,2,5) (5) (5) (5)[0.5,2] | axis=-1 batch_stats=1 learn_gamma=1",
    "(6,5) (6,5) (6) (6) (6)[0.5,2] | axis=0 batch_stats=1 learn_gamma=1",
    "(2,2,3,2,3) (2,2,3,2,3) (3) (3) (3)[0.5,2] | axis=2 batch_stats=1 learn_gamma=1",
    "(1,4,1,1) (1,4,1,1) (4) (4) (4)[0.5,2] | axis=1 batch_stats=1 learn_gamma=1",
    "(0,3,2) (0,3,2) (3) (3) (3)[0.5,2] | axis=1 batch_stats=0 learn_gamma=1",
    NULL };
static const ref_op ref__batch_norm_grad = {
    "fdhb", ref_batch_norm_grad_fn, REF_ELSEWHERE, NULL, 4e-6, cases__batch_norm_grad };

static ref_sets ref_layer_sets(const ref_case *c)
{
    int axis = ref_int(c, "axis", -1);
    return ref_sets_of(&c->in[0], axis, c->in[1].size, REF_PER_COLUMN);
}
static ref_sets ref_group_sets(const ref_case *c)
{
    return ref_sets_of(&c->in[0], 1, ref_int(c, "num_groups", 1), REF_PER_ROW);
}

/* The normalised array and, if wanted, mean and sqrt(var + eps) in the shape (ndim, dim). */
static void ref_own_statistics(ref_case *c, const ref_sets *s, double eps, int ndim, const int64_t *dim)
{
    double *mean = ref_doubles(s->count), *var = ref_doubles(s->count);
    ref_statistics(s, &c->in[0], mean, var);
    ref_normalise(c, s, mean, var, eps, 1);
    if (ref_int(c, "output_mean_var", 0)) {
        memcpy(ref_out(c, 1, ndim, dim), mean, (size_t)s->count * sizeof *mean);
        ref_out(c, 2, ndim, dim);
        for (int64_t i = 0; i < s->count; i++) c->out[2].v[i] = sqrt(var[i] + eps);
    }
    free(mean);
    free(var);
}

static void ref_layer_norm_fn(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    ref_sets s = ref_layer_sets(c);
    int64_t dim[8];
    int axis = ref_int(c, "axis", -1);
    for (int d = 0; d < x->ndim; d++) dim[d] = d == (axis < 0 ? axis + x->ndim : axis) ? 1 : x->dim[d];
    ref_own_statistics(c, &s, ref_num(c, "eps", 1e-5), x->ndim, dim);
}
static void ref_layer_norm_declared(const ref_case *c, const double *const *dy, double *const *dx)
{
    ref_sets s = ref_layer_sets(c);
    ref_first_output_grad(c, &s, ref_num(c, "eps", 1e-5), 0, 1, dy, dx);
}
static const char *const cases_layer_norm[] = {
    "(3,7) (7) (7)", "(4,5) (4) (4) | axis=0", "(2,3,6) (6) (6) | axis=-1 eps=0.1",
    "(2,3,6) (3) (3) | axis=1 eps=0.001", "(2,3,5) (3) (3) | axis=-2 output_mean_var=True",
    "(2,3,5) (5) (5) | output_mean_var=True", "(9) (9) (9)", "(6) (6) (6) | axis=0 output_mean_var=True",
    "(3,1) (1) (1)", "(1,1,5) (5) (5)", "(2,5,3,4) (5) (5) | axis=1", "(2,2,3,2,3) (3) (3)",
    "(2,35) (35) (35)", "(0,4) (4) (4)", NULL };
static const ref_op ref_layer_norm = {
    "fdhb", ref_layer_norm_fn, REF_DECLARED, ref_layer_norm_declared, 2e-6, cases_layer_norm };

static void ref_group_norm_fn(ref_case *c)
{
    ref_sets s = ref_group_sets(c);
    int64_t dim[2] = { s.outer, s.mid };
    ref_own_statistics(c, &s, ref_num(c, "eps", 1e-5), 2, dim);
}
static void ref_group_norm_declared(const ref_case *c, const double *const *dy, double *const *dx)
{
    ref_sets s = ref_group_sets(c);
    ref_first_output_grad(c, &s, ref_num(c, "eps", 1e-5), 0, 1, dy, dx);
}
static const char *const cases_group_norm[] = {
    "(2,4,3,3) (1) (1)", "(2,4,3,3) (2) (2) | num_groups=2", "(2,3,2,4) (3) (3) | num_groups=3 eps=0.1",
    "(3,6,5) (2) (2) | num_groups=2 output_mean_var=True", "(2,4,3) (1) (1) | output_mean_var=True eps=0.001",
    "(1,6,2,2,3) (3) (3) | num_groups=3", "(2,2,1) (2) (2) | num_groups=2",
    "(1,4,1,3) (2) (2) | num_groups=2", "(0,4,2,2) (2) (2) | num_groups=2", NULL };
static const ref_op ref_group_norm = {
    "fdhb", ref_group_norm_fn, REF_DECLARED, ref_group_norm_declared, 2e-6, cases_group_norm };

static void ref_instance_norm_fn(ref_case *c)
{
    ref_sets s = ref_sets_of(&c->in[0], 1, c->in[0].dim[1], REF_PER_ROW);
    ref_own_statistics(c, &s, ref_num(c, "eps", 1e-3), 0, NULL);
}
static const char *const cases_instance_norm[] = {
    "(2,3,4,3) (3) (3)", "(2,3,7) (3) (3) | eps=0.1", "(1,2,3,4) (2) (2) | eps=1e-05", "(2,2,2,3,2) (2) (2)",
    "(3,1,5) (1) (1)", "(2,3,1) (3) (3)", "(0,3,4) (3) (3)", NULL };
static const ref_op ref_instance_norm = {
    "fdhb", ref_instance_norm_fn, REF_TRUE, NULL, 2e-6, cases_instance_norm };

static void ref_l2_normalization_fn(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int channel = ref_is(c, "mode", "channel", 0), spatial = ref_is(c, "mode", "spatial", 0);
    ref_sets s = channel || spatial ? ref_sets_of(x, 1, x->dim[1], channel ? REF_PER_COLUMN : REF_PER_ROW)
                                    : ref_sets_of(x, 0, x->dim[0], REF_PER_ROW);
    double *sum = ref_doubles(s.count), *y = ref_out(c, 0, x->ndim, x->dim), eps = ref_num(c, "eps", 1e-10);
    for (int64_t i = 0; i < x->size; i++) sum[ref_set(&s, i)] += x->v[i] * x->v[i];
    for (int64_t i = 0; i < x->size; i++) y[i] = x->v[i] / sqrt(sum[ref_set(&s, i)] + eps);
    free(sum);
}
static const char *const cases_l2_normalization[] = {
    "(3,5)", "(2,3,4)", "(2,3,2,4) | mode=instance eps=0.5", "(6)[0.5,2] | eps=0.5", "(1,2,1,3,2)",
    "(2,3,4) | mode=channel", "(2,5,2,3) | mode=channel eps=0.1", "(1,3,2,2,3) | mode=channel",
    "(2,3,5) | mode=spatial", "(2,2,3,4) | mode=spatial eps=0.01", "(1,2,2,3,2) | mode=spatial",
    "(1,1,7) | mode=channel eps=0.5", "(0,3,4) | mode=spatial", "(0,5)", NULL };
static const ref_op ref_l2_normalization = {
    "fdhb", ref_l2_normalization_fn, REF_TRUE, NULL, 2e-6, cases_l2_normalization };

/* Sum of x^power over the nsize channels around channel i / inner. */
static double ref_near_channels(const ref_case *c, int64_t i, int power)
{
    const ref_tensor *x = &c->in[0];
    int64_t inner = 1, half = ref_int(c, "nsize", 1) / 2;
    double sum = 0;
    for (int d = 2; d < x->ndim; d++) inner *= x->dim[d];
    int64_t channel = i / inner % x->dim[1];
    for (int64_t k = -half; k <= half; k++)
        if (channel + k >= 0 && channel + k < x->dim[1]) sum += pow(x->v[i + k * inner], power);
    return sum;
}

static void ref_lrn_fn(ref_case *c)
{
    double *y = ref_out(c, 0, c->in[0].ndim, c->in[0].dim);
    double scale = ref_num(c, "alpha", 1e-4) / ref_num(c, "nsize", 1), beta = ref_num(c, "beta", 0.75);
    for (int64_t i = 0; i < c->in[0].size; i++)
        y[i] = c->in[0].v[i] * pow(ref_num(c, "knorm", 2) + scale * ref_near_channels(c, i, 2), -beta);
}
static const char *const cases_lrn[] = {
    "(2,6,2,3) | nsize=5", "(2,5,3,3) | nsize=3 alpha=0.5", "(1,7,2,2) | nsize=3 alpha=2 beta=0.5 knorm=1",
    "(1,4,3,2) | nsize=1 alpha=1 beta=1", "(1,3,2,2) | nsize=9 alpha=1 beta=2 knorm=0.5",
    "(2,1,3,3) | nsize=5 alpha=1", "(0,3,2,2) | nsize=3", NULL };
static const ref_op ref_lrn = { "fdhb", ref_lrn_fn, REF_TRUE, NULL, 2e-6, cases_lrn };

static void ref_channel_window_sum_fn(ref_case *c)
{
    double *y = ref_out(c, 0, c->in[0].ndim, c->in[0].dim);
    for (int64_t i = 0; i < c->in[0].size; i++) y[i] = ref_near_channels(c, i, 1);
}
static const char *const cases__channel_window_sum[] = {
    "(2,6,2,3) | nsize=5", "(2,5,3,3) | nsize=3", "(1,4,3,2) | nsize=1", "(1,3,2,2) | nsize=9",
    "(2,1,3,3) | nsize=3", "(1,19,1,2) | nsize=7", "(0,3,2,2) | nsize=3", NULL };
static const ref_op ref__channel_window_sum = {
    "fdhb", ref_channel_window_sum_fn, REF_TRUE, NULL, 2e-6, cases__channel_window_sum };

/* References: shape, indexing, sequences, random numbers and fresh arrays. */

/* --- places in an array --- */
static int64_t refb_flat(const ref_tensor *t, const int64_t *at)
{
    int64_t flat = 0;
    for (int d = 0; d < t->ndim; d++) flat = flat * t->dim[d] + at[d];
    return flat;
}
static void refb_place(const ref_tensor *t, int64_t flat, int64_t *at)
{
    for (int d = t->ndim; d-- > 0; flat /= t->dim[d]) at[d] = flat % t->dim[d];
}
static int refb_axis(int axis, int ndim) { return axis < 0 ? axis + ndim : axis; }
static int refb_none(const ref_case *c, const char *key, int missing)   /* key=None? `missing` if not there */
{
    const char *s = ref_find(c, key);
    return s ? !strncmp(s, "None", 4) : missing;
}
static int64_t refb_index(double value, int64_t n, int wrap)   /* clipped or wrapped into 0..n-1 */
{
    int64_t i = (int64_t)value;
    if (wrap) return (i % n + n) % n;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* Most operators only say where the element `at` of the output comes `from` in data; 0: from nowhere. */
#define REFB_SOURCE(name) \
    static int name(const ref_case *c, const ref_tensor *data, const ref_tensor *index, \
                    const int64_t *at, int64_t *from)
typedef int (*refb_source)(const ref_case *, const ref_tensor *, const ref_tensor *, const int64_t *,
                           int64_t *);

static void refb_gather(ref_case *c, const ref_tensor *data, const ref_tensor *index, refb_source source,
                        double nowhere)
{
    ref_tensor *out = &c->out[0];
    for (int64_t i = 0; i < out->size; i++) {
        int64_t at[8], from[8];
        refb_place(out, i, at);
        out->v[i] = source(c, data, index, at, from) ? data->v[refb_flat(data, from)] : nowhere;
    }
}
/* The way back: each element of the first input is added (or put) where it came from; `to` is the output. */
static void refb_scatter(ref_case *c, const ref_tensor *index, refb_source source, int add)
{
    const ref_tensor *to = &c->out[0], *dy = &c->in[0];
    for (int64_t i = 0; i < dy->size; i++) {
        int64_t at[8], from[8];
        refb_place(dy, i, at);
        if (!source(c, to, index, at, from)) continue;
        double *place = &to->v[refb_flat(to, from)];
        *place = dy->v[i] + (add ? *place : 0);
    }
}
static void refb_out_like(ref_case *c, const ref_tensor *t) { ref_out(c, 0, t->ndim, t->dim); }

#define REFB_MOVES   "fdhbcuilo"
#define REFB_NUMBERS "fdhbcuil"
#define REFB_SUMS    "fdhbil"

/* --- the same elements in another shape --- */
static void refb_view(ref_case *c, int ndim, const int64_t *dim)
{
    double *y = ref_out(c, 0, ndim, dim);
    for (int64_t i = 0; i < c->in[0].size; i++) y[i] = c->in[0].v[i];
}
static void refb_turn(int64_t *v, int n)
{
    for (int i = 0; i < n / 2; i++) { int64_t t = v[i]; v[i] = v[n - 1 - i]; v[n - 1 - i] = t; }
}
static void refb_reshape(ref_case *c)
{
    int64_t code[8], dim[8], in[8];
    int n = ref_ints(c, "shape", code, 8), ndim = c->in[0].ndim, reverse = ref_int(c, "reverse", 0);
    int src = 0, out = 0, unknown = -1;
    for (int d = 0; d < ndim; d++) in[d] = c->in[0].dim[d];
    if (reverse) { refb_turn(code, n); refb_turn(in, ndim); }
    for (int i = 0; i < n; i++) {
        if (code[i] == 0) dim[out++] = in[src++];
        else if (code[i] == -1) { unknown = out; dim[out++] = 1; src++; }
        else if (code[i] == -2) while (src < ndim) dim[out++] = in[src++];
        else if (code[i] == -3) { dim[out++] = in[src] * in[src + 1]; src += 2; }
        else if (code[i] == -4) {
            int64_t whole = in[src++], a = code[i + 1], b = code[i + 2];
            dim[out++] = a < 0 ? whole / b : a;
            dim[out++] = b < 0 ? whole / a : b;
            i += 2;
        }
        else { dim[out++] = code[i]; src++; }
    }
    int64_t known = 1;
    for (int d = 0; d < out; d++) known *= dim[d];
    if (unknown >= 0) dim[unknown] = c->in[0].size / known;
    if (reverse) refb_turn(dim, out);
    refb_view(c, out, dim);
}
static const char *const cases_reshape[] = {
    "(2,3,4) | shape=(4,6)", "(2,3,5,5) | shape=(0,-1)", "(5,3,4,2) | shape=(0,-1,0)",
    "(2,3,4,3) | shape=(6,1,-2)", "(2,3,4,5) | shape=(-3,-3)", "(24) | shape=(-4,4,-1)",
    "(16,1,2,3) | shape=(-4,4,-1,-2)", "(2,6) | shape=(0,-4,-1,3)", "(2,6,2) | shape=(0,-4,2,3,0)",
    "(2,3,4) | shape=(-2,)", "(2,3,4) | shape=(-1,0)", "(2,3,4) | shape=(0,0,-1)", "(7) | shape=(-1,)",
    "(1,1,1) | shape=(1,)", "(2,3) | shape=(1,2,1,3,1)", "(2,3,1,2,5) | shape=(-3,-2)",
    "(2,0,3) | shape=(-3,0)", "(2,3,5,5) | shape=(0,-1) reverse=True", "(5,3,4) | shape=(-1,0) reverse=True",
    "(2,3,4,5) | shape=(-2,1,20) reverse=True", "(2,3,4,5) | shape=(-3,-3) reverse=True",
    "(1,2,3,16) | shape=(-2,-1,4,-4) reverse=True", NULL };
static const ref_op ref_reshape = { REFB_MOVES, refb_reshape, REF_TRUE, NULL, 0, cases_reshape };

static int refb_bound(const ref_case *c, const char *key, int missing, int ndim)
{
    return refb_none(c, key, 1) ? missing : refb_axis(ref_int(c, key, 0), ndim);
}
static void refb_reshape_like(ref_case *c)
{
    const ref_tensor *a = &c->in[0], *b = &c->in[1];
    int a0 = refb_bound(c, "lhs_begin", 0, a->ndim), a1 = refb_bound(c, "lhs_end", a->ndim, a->ndim);
    int b0 = refb_bound(c, "rhs_begin", 0, b->ndim), b1 = refb_bound(c, "rhs_end", b->ndim, b->ndim), n = 0;
    int64_t dim[8];
    for (int d = 0; d < a0; d++) dim[n++] = a->dim[d];
    for (int d = b0; d < b1; d++) dim[n++] = b->dim[d];
    for (int d = a1; d < a->ndim; d++) dim[n++] = a->dim[d];
    refb_view(c, n, dim);
}
static const char *const cases_reshape_like[] = {
    "(2,6) (3,4)", "(12) (2,3,2)", "(2,3,1) (6)", "(1) (1,1)", "(0,2) (3,0)",
    "(12,5) (2,3,2) | lhs_begin=0 lhs_end=1", "(12,5) (4,3,7) | lhs_end=1 rhs_end=2",
    "(2,12) (7,3,4) | lhs_begin=1 rhs_begin=1",
    "(30,7) (15,2,4) | lhs_begin=0 lhs_end=1 rhs_begin=0 rhs_end=2",
    "(3,8,2) (5,2,4,6) | lhs_begin=-2 lhs_end=-1 rhs_begin=-3 rhs_end=-1",
    "(2,3) (6) | lhs_begin=None lhs_end=None rhs_begin=None rhs_end=None", NULL };
static const ref_op ref_reshape_like = {
    REFB_MOVES, refb_reshape_like, REF_TRUE, NULL, 0, cases_reshape_like };

static void refb_flatten(ref_case *c)
{
    int64_t dim[2] = { c->in[0].dim[0], 1 };
    for (int d = 1; d < c->in[0].ndim; d++) dim[1] *= c->in[0].dim[d];
    refb_view(c, 2, dim);
}
static const char *const cases_flatten[] = {
    "(3)", "(2,3)", "(2,3,4)", "(1,2,3,4)", "(2,1,3,1,4)", "(0,3,2)", "(2,0,3)", NULL };
static const ref_op ref_flatten = { REFB_MOVES, refb_flatten, REF_TRUE, NULL, 0, cases_flatten };

static void refb_expand_dims(ref_case *c)
{
    int ndim = c->in[0].ndim + 1, axis = refb_axis(ref_int(c, "axis", 0), ndim);
    int64_t dim[8];
    for (int d = 0; d < ndim; d++) dim[d] = d == axis ? 1 : c->in[0].dim[d - (d > axis)];
    refb_view(c, ndim, dim);
}
static const char *const cases_expand_dims[] = {
    "(3) | axis=0", "(3) | axis=1", "(3) | axis=-1", "(3) | axis=-2", "(2,3) | axis=1", "(2,3) | axis=-1",
    "(2,3,4) | axis=2", "(2,3,4) | axis=-4", "(2,1,3,2) | axis=3", "(0,2) | axis=1", NULL };
static const ref_op ref_expand_dims = { REFB_MOVES, refb_expand_dims, REF_TRUE, NULL, 0, cases_expand_dims };

static void refb_squeezed(ref_case *c, int numpy)
{
    int64_t axes[8], dim[8];
    int n = ref_ints(c, "axis", axes, 8), ndim = c->in[0].ndim, out = 0;
    for (int d = 0; d < ndim; d++) {
        int drop = n < 0 && c->in[0].dim[d] == 1;
        for (int i = 0; i < n; i++) drop |= refb_axis((int)axes[i], ndim) == d;
        if (!drop) dim[out++] = c->in[0].dim[d];
    }
    if (!out && ndim && !numpy) dim[out++] = 1;
    refb_view(c, out, dim);
}
static void refb_squeeze(ref_case *c) { refb_squeezed(c, 0); }
static void refb__squeeze(ref_case *c) { refb_squeezed(c, 1); }
static const char *const cases_squeeze[] = {
    "(1,3,1)", "(2,3)", "(1,1,1)", "(1)", "(1,3,1) | axis=None", "(1,3,1) | axis=0", "(1,3,1) | axis=2",
    "(1,3,1) | axis=-1", "(1,3,1,2,1) | axis=(0,2)", "(1,3,1,2,1) | axis=(-1,0)", "(1,1) | axis=(0,1)",
    "(1,0,1)", NULL };
static const ref_op ref_squeeze = { REFB_MOVES, refb_squeeze, REF_TRUE, NULL, 0, cases_squeeze };
static const char *const cases__squeeze[] = {
    "(1,3,1)", "(2,3)", "(1,1,1)", "(1)", "()", "() | axis=0", "() | axis=-1", "(1,1) | axis=(0,1)", "(1,3,1) | axis=0",
    "(1,1,1) | axis=-1", "(1,3,1,2,1) | axis=(-1,0)", "(1,0,1)", NULL };
static const ref_op ref__squeeze = { REFB_MOVES, refb__squeeze, REF_TRUE, NULL, 0, cases__squeeze };

static void refb_identity_like(ref_case *c) { refb_view(c, c->in[0].ndim, c->in[0].dim); }
static const char *const cases_identity_like[] = {
    "(3) (3)", "(2,3) (2,3)", "(2,1,3,4) (2,1,3,4)", "(0,2) (0,2)", NULL };
static const ref_op ref_identity_like = {
    REFB_MOVES, refb_identity_like, REF_TRUE, NULL, 0, cases_identity_like };

static void refb_shape_array(ref_case *c)
{
    int64_t n = c->in[0].ndim;
    double *y = ref_out(c, 0, 1, &n);
    for (int d = 0; d < n; d++) y[d] = (double)c->in[0].dim[d];
}
static const char *const cases_refb_any[] = {
    "(3)", "(1)", "(2,3)", "(2,1,4)", "(2,3,1,2)", "(1,2,3,1,2)", "(0,3)", NULL };
static const ref_op ref_shape_array = { REFB_MOVES, refb_shape_array, REF_ZERO, NULL, 0, cases_refb_any };

static void refb_size_array(ref_case *c)
{
    int64_t n = 1;
    ref_out(c, 0, 1, &n)[0] = (double)c->in[0].size;
}
static const ref_op ref_size_array = { REFB_MOVES, refb_size_array, REF_ZERO, NULL, 0, cases_refb_any };

static void refb_zeros_like(ref_case *c) { refb_out_like(c, &c->in[0]); }
static const ref_op ref_zeros_like = { REFB_MOVES, refb_zeros_like, REF_ZERO, NULL, 0, cases_refb_any };

static void refb_ones_like(ref_case *c)
{
    refb_out_like(c, &c->in[0]);
    for (int64_t i = 0; i < c->out[0].size; i++) c->out[0].v[i] = 1;
}
static const ref_op ref_ones_like = { REFB_MOVES, refb_ones_like, REF_ZERO, NULL, 0, cases_refb_any };

/* --- axes in another order --- */
/* Axis d of the output is axis order[d] of the input. */
static void refb_axes(const ref_case *c, int ndim, int *order)
{
    int64_t axes[8];
    int n = ref_ints(c, "axes", axes, 8);
    for (int d = 0; d < ndim; d++) order[d] = n > 0 ? refb_axis((int)axes[d], ndim) : ndim - 1 - d;
    if (!ref_find(c, "dim1") && !ref_find(c, "dim2")) return;
    int a = refb_axis(ref_int(c, "dim1", 0), ndim), b = refb_axis(ref_int(c, "dim2", 0), ndim);
    for (int d = 0; d < ndim; d++) order[d] = d == a ? b : d == b ? a : d;
}
REFB_SOURCE(refb_from_axes)
{
    int order[8];
    (void)index;
    refb_axes(c, data->ndim, order);
    for (int d = 0; d < data->ndim; d++) from[order[d]] = at[d];
    return 1;
}
static void refb_transpose(ref_case *c)
{
    int order[8], ndim = c->in[0].ndim;
    int64_t dim[8];
    refb_axes(c, ndim, order);
    for (int d = 0; d < ndim; d++) dim[d] = c->in[0].dim[order[d]];
    ref_out(c, 0, ndim, dim);
    refb_gather(c, &c->in[0], NULL, refb_from_axes, 0);
}
static const char *const cases_transpose[] = {
    "(5)", "(2,3)", "(2,3,4)", "(2,3,4) | axes=()", "(2,3) | axes=(0,1)", "(7,9) | axes=(1,0)",
    "(2,3,4) | axes=(1,0,2)", "(2,3,4) | axes=(0,2,1)", "(2,3,4) | axes=(2,0,1)", "(2,3,4) | axes=(1,2,0)",
    "(2,3,4,5) | axes=(0,2,3,1)", "(2,5,3,2) | axes=(0,3,1,2)", "(2,3,4,5) | axes=(3,2,1,0)",
    "(2,3,4,5) | axes=(2,3,0,1)", "(2,1,3,1,4) | axes=(4,1,0,3,2)", "(2,2,3,2,3) | axes=(1,0,4,2,3)",
    "(2,0,3) | axes=(2,1,0)", NULL };
static const ref_op ref_transpose = { REFB_MOVES, refb_transpose, REF_TRUE, NULL, 0, cases_transpose };
static const char *const cases_swap_axes[] = {
    "(2,3) | dim1=0 dim2=1", "(2,3,4) | dim1=2", "(2,3,4) | dim2=1", "(2,3,4) | dim1=1 dim2=2",
    "(2,3,4) | dim1=1 dim2=1", "(2,3,4,2) | dim1=3 dim2=1", "(2,1,3,2,3) | dim1=1 dim2=4",
    "(2,3,4) | dim1=0 dim2=-1", "(2,3,4) | dim1=-1 dim2=-2", "(0,3) | dim1=0 dim2=1", NULL };
static const ref_op ref_swap_axes = { REFB_MOVES, refb_transpose, REF_TRUE, NULL, 0, cases_swap_axes };

/* --- joining and cutting --- */
static void refb_concat(ref_case *c)
{
    int ndim = c->in[0].ndim, axis = refb_axis(ref_int(c, "dim", 1), ndim);
    int64_t dim[8], at[8], start = 0;
    for (int d = 0; d < ndim; d++) dim[d] = c->in[0].dim[d];
    for (int k = 1; k < c->nin; k++) dim[axis] += c->in[k].dim[axis];
    double *y = ref_out(c, 0, ndim, dim);
    for (int k = 0; k < c->nin; start += c->in[k++].dim[axis])
        for (int64_t i = 0; i < c->in[k].size; i++) {
            refb_place(&c->in[k], i, at);
            at[axis] += start;
            y[refb_flat(&c->out[0], at)] = c->in[k].v[i];
        }
}
static const char *const cases_concat[] = {
    "(2,3) (2,4)", "(2,3)", "(2,3) (2,1) (2,5)", "(3) (4) | dim=0", "(2,3) (1,3) (4,3) | dim=0",
    "(2,3) (2,2) | dim=-1", "(2,3,4) (2,3,1) | dim=2", "(2,3,4) (2,2,4) | dim=-2",
    "(1,2,3,2) (1,1,3,2) (1,4,3,2) | dim=1", "(2,1,2,2,3) (2,1,2,4,3) | dim=3", "(2,0) (2,3)", "(0,3) (0,2)",
    "(1,2) (1,2) (1,2) (1,2) (1,2) (1,2) (1,2) (1,2) | dim=0", NULL };
static const ref_op ref_concat = { REFB_MOVES, refb_concat, REF_TRUE, NULL, 0, cases_concat };

static void refb_extend(ref_case *c)
{
    int ndim = c->in[0].ndim, axis = refb_axis(ref_int(c, "axis", 0), ndim);
    int64_t dim[8], at[8];
    for (int d = 0; d < ndim; d++) dim[d] = c->in[0].dim[d];
    dim[axis] += c->in[1].dim[axis];
    double *y = ref_out(c, 0, ndim, dim);
    for (int64_t i = 0; i < c->out[0].size; i++) {
        refb_place(&c->out[0], i, at);
        int second = at[axis] >= c->in[0].dim[axis];
        if (second) at[axis] -= c->in[0].dim[axis];
        y[i] = c->in[second].v[refb_flat(&c->in[second], at)];
    }
}
static const char *const cases_extend[] = {
    "(2,3) (4,3)", "(3) (4)", "(2,3) (2,4) | axis=1", "(2,3,4) (2,3,1) | axis=-1", "(1,2,3,2) (1,2,1,2) | axis=2",
    "(0,3) (2,3)", "(2,3) (0,3)", "(2,0) (2,3) | axis=1", "(0,2) (0,1) | axis=1", "(2,3,2) (2,2,2) | axis=-2", NULL };
static const ref_op ref_extend = { REFB_MOVES, refb_extend, REF_TRUE, NULL, 0, cases_extend };

static void refb_stack(ref_case *c)
{
    int ndim = c->in[0].ndim + 1, axis = refb_axis(ref_int(c, "axis", 0), ndim);
    int64_t dim[8], at[8], to[8];
    for (int d = 0; d < ndim; d++) dim[d] = d == axis ? c->nin : c->in[0].dim[d - (d > axis)];
    double *y = ref_out(c, 0, ndim, dim);
    for (int k = 0; k < c->nin; k++)
        for (int64_t i = 0; i < c->in[k].size; i++) {
            refb_place(&c->in[k], i, at);
            for (int d = 0; d < ndim; d++) to[d] = d == axis ? k : at[d - (d > axis)];
            y[refb_flat(&c->out[0], to)] = c->in[k].v[i];
        }
}
static const char *const cases_stack[] = {
    "(3) (3)", "(3)", "(2,3) (2,3) (2,3)", "(2,3) (2,3) | axis=1", "(2,3) (2,3) | axis=2",
    "(2,3) (2,3) | axis=-1", "(2,3) (2,3) | axis=-3", "(2,1,3) (2,1,3) | axis=-2",
    "(2,1,3,2) (2,1,3,2) | axis=2", "(0,2) (0,2) | axis=1", NULL };
static const ref_op ref_stack = { REFB_MOVES, refb_stack, REF_TRUE, NULL, 0, cases_stack };

/* n parts along an axis; part k covers start[k] up to start[k + 1]. */
static void refb_cut(ref_case *c, int axis, int n, const int64_t *start)
{
    const ref_tensor *x = &c->in[0];
    int squeeze = ref_int(c, "squeeze_axis", 0);
    for (int k = 0; k < n; k++) {
        int64_t dim[8], at[8], from[8];
        int ndim = 0;
        for (int d = 0; d < x->ndim; d++)
            if (d != axis) dim[ndim++] = x->dim[d];
            else if (!squeeze) dim[ndim++] = start[k + 1] - start[k];
        if (!ndim) dim[ndim++] = 1;
        double *y = ref_out(c, k, ndim, dim);
        for (int64_t i = 0; i < c->out[k].size; i++) {
            refb_place(&c->out[k], i, at);
            for (int d = 0; d < x->ndim; d++) from[d] = squeeze && d > axis ? at[d - 1] : at[d];
            from[axis] = start[k] + (squeeze ? 0 : at[axis]);
            y[i] = x->v[refb_flat(x, from)];
        }
    }
}
static void refb_split_equally(ref_case *c, int axis, int n)
{
    int64_t start[REF_MAX + 1];
    int64_t most = c->in[0].dim[axis] % n;                      /* so many are longer by one */
    for (int k = 0; k <= n; k++) start[k] = c->in[0].dim[axis] / n * k + (k < most ? k : most);
    refb_cut(c, axis, n, start);
}
static void refb_split(ref_case *c)
{
    refb_split_equally(c, refb_axis(ref_int(c, "axis", 1), c->in[0].ndim), ref_int(c, "num_outputs", 1));
}
static const char *const cases_split[] = {
    "(2,6) | num_outputs=3", "(2,6) | num_outputs=1", "(4,3) | num_outputs=2 axis=0",
    "(6) | num_outputs=2 axis=0", "(2,3,4) | num_outputs=2 axis=2", "(2,3,4) | num_outputs=2 axis=-1",
    "(2,3,4) | num_outputs=3 squeeze_axis=True", "(2,3,4) | num_outputs=2 axis=0 squeeze_axis=True",
    "(2,3,2) | num_outputs=2 axis=-1 squeeze_axis=True", "(2,1,3) | num_outputs=1 squeeze_axis=True",
    "(1,4,3,2) | num_outputs=4 squeeze_axis=False", "(2,2,1,6,2) | num_outputs=3 axis=3",
    "(0,4) | num_outputs=2", NULL };
static const ref_op ref_split = { REFB_MOVES, refb_split, REF_TRUE, NULL, 0, cases_split };

static void refb_split_v2(ref_case *c)
{
    int axis = refb_axis(ref_int(c, "axis", 1), c->in[0].ndim), sections = ref_int(c, "sections", 0);
    int64_t start[REF_MAX + 1];
    int n = ref_ints(c, "indices", start, REF_MAX);
    if (sections > 0) { refb_split_equally(c, axis, sections); return; }
    start[n] = c->in[0].dim[axis];
    for (int k = 0; k < n && !start[n]; k++) start[k] = 0;  /* of nothing each part is nothing */
    refb_cut(c, axis, n, start);
}
static const char *const cases_split_v2[] = {
    "(2,6) | indices=(0,2,5)", "(2,6) | indices=(0,)", "(2,6) | indices=(0,1)",
    "(7) | indices=(0,3,4) axis=0", "(5,2,2) | indices=(0,1,4) axis=0", "(2,3,6) | indices=(0,4) axis=2",
    "(2,3,6) | indices=(0,4) axis=-1", "(2,3,4) | indices=(0,1,2) squeeze_axis=True",
    "(2,6) | indices=() sections=3", "(3,4) | indices=() axis=0 sections=3 squeeze_axis=True",
    "(2,1,4,3) | indices=() axis=-2 sections=2", "(0,5) | indices=(0,2)", "(0,3) | indices=(0,2,4) axis=0", NULL };
static const ref_op ref_split_v2 = { REFB_MOVES, refb_split_v2, REF_TRUE, NULL, 0, cases_split_v2 };

static void refb__hsplit(ref_case *c)                       /* a line has its only axis cut */
{
    int axis = c->in[0].ndim > 1, sections = ref_int(c, "sections", 0);
    int64_t start[REF_MAX + 1];
    int n = ref_ints(c, "indices", start, REF_MAX);
    if (sections > 0) { refb_split_equally(c, axis, sections); return; }
    start[n] = c->in[0].dim[axis];
    for (int k = 0; k < n && !start[n]; k++) start[k] = 0;
    refb_cut(c, axis, n, start);
}
static const char *const cases__hsplit[] = {
    "(7) | indices=(0,3,4)", "(6) | indices=() sections=3", "(2,6) | indices=(0,2,5)", "(2,3,4) | indices=(0,1)",
    "(2,4,3) | indices=() sections=2", "(3,0,2) | indices=(0,3,5)", "(3,0,2) | indices=() sections=2", NULL };
static const ref_op ref__hsplit = { REFB_MOVES, refb__hsplit, REF_TRUE, NULL, 0, cases__hsplit };

/* --- boxes --- */
static int64_t refb_range(const ref_case *c, const ref_tensor *data, int d, int64_t *first, int64_t *by)
{
    int64_t begin[8], end[8], step[8], n = data->dim[d];
    int nb = ref_ints(c, "begin", begin, 8), ne = ref_ints(c, "end", end, 8);
    int ns = ref_ints(c, "step", step, 8);
    int64_t s = d < ns && step[d] != REF_NONE ? step[d] : 1, low = s > 0 ? 0 : -1, high = s > 0 ? n : n - 1;
    int64_t b = d < nb && begin[d] != REF_NONE ? begin[d] + (begin[d] < 0 ? n : 0) : s > 0 ? low : high;
    int64_t e = d < ne && end[d] != REF_NONE ? end[d] + (end[d] < 0 ? n : 0) : s > 0 ? high : low;
    int64_t count = 0;
    b = b < low ? low : b > high ? high : b;
    e = e < low ? low : e > high ? high : e;
    for (int64_t i = b; s > 0 ? i < e : i > e; i += s) count++;
    *first = b;
    *by = s;
    return count;
}
REFB_SOURCE(refb_from_slice)
{
    (void)index;
    for (int d = 0; d < data->ndim; d++) {
        int64_t first, by;
        refb_range(c, data, d, &first, &by);
        from[d] = first + by * at[d];
    }
    return 1;
}
static void refb_slice(ref_case *c)
{
    int64_t dim[8], first, by;
    for (int d = 0; d < c->in[0].ndim; d++) dim[d] = refb_range(c, &c->in[0], d, &first, &by);
    ref_out(c, 0, c->in[0].ndim, dim);
    refb_gather(c, &c->in[0], NULL, refb_from_slice, 0);
}
static const char *const cases_slice[] = {
    "(5) | begin=(1,) end=(4,)", "(5) | begin=(None,) end=(None,) step=(2,)",
    "(5) | begin=(None,) end=(None,) step=(-1,)", "(6) | begin=(4,) end=(None,) step=(-2,)",
    "(6) | begin=(-2,) end=(0,) step=(-1,)", "(5) | begin=(-3,) end=(-1,)", "(3,4) | begin=(1,) end=(3,)",
    "(3,4) | begin=(None,1) end=(None,3)", "(3,4) | begin=(0,0) end=(3,4)",
    "(3,5) | begin=(0,4) end=(2,1) step=(1,-1)", "(3,5) | begin=(0,1) end=(3,9)",
    "(3,7) | begin=(2,0) end=(None,7) step=(None,3)", "(3,4,5) | begin=(0,1,2) end=(2,4,5)",
    "(3,4,5) | begin=(2,1) end=(3,None) step=(1,2)",
    "(2,3,4,3) | begin=(0,None,-3,0) end=(1,None,-1,3) step=(1,-2,1,2)",
    "(2,1,4,2,3) | begin=(0,0,1,0,1) end=(2,1,4,1,3)", "(3,0) | begin=(1,0) end=(3,0)", NULL };
static const ref_op ref_slice = { REFB_MOVES, refb_slice, REF_TRUE, NULL, 0, cases_slice };

static void refb_slice_grad(ref_case *c)
{
    refb_out_like(c, &c->in[1]);
    refb_scatter(c, NULL, refb_from_slice, 1);
}
static const char *const cases__slice_grad[] = {
    "(3) (5) | begin=(1,) end=(4,)", "(5) (5) | begin=(None,) end=(None,) step=(-1,)",
    "(2,4) (3,4) | begin=(1,) end=(3,)", "(2,3) (3,5) | begin=(0,4) end=(2,1) step=(1,-1)",
    "(1,3) (3,7) | begin=(2,0) end=(None,7) step=(None,3)",
    "(1,2,5) (3,4,5) | begin=(2,1) end=(3,None) step=(1,2)",
    "(1,2,2,2) (2,3,4,3) | begin=(0,None,-3,0) end=(1,None,-1,3) step=(1,-2,1,2)",
    "(2,1,3,1,2) (2,1,4,2,3) | begin=(0,0,1,0,1) end=(2,1,4,1,3)", "(2,0) (3,0) | begin=(1,0) end=(3,0)",
    NULL };
static const ref_op ref__slice_grad = { REFB_SUMS, refb_slice_grad, REF_TRUE, NULL, 0, cases__slice_grad };

static void refb_assigned(ref_case *c, const double *from, int each)    /* each: elements of from for one of the box */
{
    const ref_tensor *x = &c->in[0];
    int64_t first[8], by[8], n[8], count = 1;
    double *y = ref_out(c, 0, x->ndim, x->dim);
    memcpy(y, x->v, (size_t)x->size * sizeof *y);
    for (int d = 0; d < x->ndim; d++) count *= n[d] = refb_range(c, x, d, &first[d], &by[d]);
    for (int64_t i = 0; i < count; i++) {
        int64_t left = i, at = 0, step = 1;
        for (int d = x->ndim - 1; d >= 0; step *= x->dim[d], left /= n[d], d--) at += (first[d] + left % n[d] * by[d]) * step;
        y[at] = from[i * each];
    }
}
static void refb_slice_assign(ref_case *c) { refb_assigned(c, c->in[1].v, 1); }
static const char *const cases_slice_assign[] = {
    "(5) (3) | begin=(1,) end=(4,)", "(5) (5) | begin=(None,) end=(None,) step=(-1,)", "(3,4) (2,4) | begin=(1,) end=(3,)",
    "(3,5) (2,3) | begin=(0,4) end=(2,1) step=(1,-1)", "(3,7) (1,3) | begin=(2,0) end=(None,7) step=(None,3)",
    "(3,4,5) (1,2,5) | begin=(2,1) end=(3,None) step=(1,2)",
    "(2,3,4,3) (1,2,2,2) | begin=(0,None,-3,0) end=(1,None,-1,3) step=(1,-2,1,2)", "(3,5) (3,0) | begin=(None,2) end=(None,2)",
    "(3,0) (2,0) | begin=(1,0) end=(3,0)", "() () | begin=() end=()", NULL };
static const ref_op ref_slice_assign = { REFB_MOVES, refb_slice_assign, REF_TRUE, NULL, 0, cases_slice_assign };

static void refb_slice_assign_scalar(ref_case *c)
{
    double v = ref_num(c, "scalar", 0);
    refb_assigned(c, &v, 0);
}
static const char *const cases_slice_assign_scalar[] = {
    "(5) | begin=(1,) end=(4,) scalar=3", "(5) | begin=(None,) end=(None,) step=(-2,) scalar=1", "(3,4) | begin=(1,) end=(3,)",
    "(3,5) | begin=(0,4) end=(2,1) step=(1,-1) scalar=7", "(3,4,5) | begin=(2,1) end=(3,None) step=(1,2) scalar=2",
    "(2,3,4,3) | begin=(0,None,-3,0) end=(1,None,-1,3) step=(1,-2,1,2) scalar=1", "(3,5) | begin=(None,2) end=(None,2) scalar=4",
    "(3,0) | begin=(1,0) end=(3,0) scalar=1", "() | begin=() end=() scalar=1", NULL };
static const ref_op ref_slice_assign_scalar = {
    REFB_MOVES, refb_slice_assign_scalar, REF_TRUE, NULL, 0, cases_slice_assign_scalar };

/* A box of step 1 that begins at first[d] on each axis. */
static void refb_window(ref_case *c, const int64_t *dim, const int64_t *first)
{
    const ref_tensor *x = &c->in[0];
    int64_t at[8];
    double *y = ref_out(c, 0, x->ndim, dim);
    for (int64_t i = 0; i < c->out[0].size; i++) {
        refb_place(&c->out[0], i, at);
        for (int d = 0; d < x->ndim; d++) at[d] += first[d];
        y[i] = x->v[refb_flat(x, at)];
    }
}
static void refb_slice_axis(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int axis = refb_axis(ref_int(c, "axis", 0), x->ndim);
    int64_t n = x->dim[axis], dim[8], first[8] = { 0, 0, 0, 0, 0, 0, 0, 0 };
    int64_t begin = ref_int(c, "begin", 0), end = refb_none(c, "end", 1) ? n : ref_int(c, "end", 0);
    for (int d = 0; d < x->ndim; d++) dim[d] = x->dim[d];
    first[axis] = begin < 0 ? begin + n : begin;
    dim[axis] = (end < 0 ? end + n : end) - first[axis];
    refb_window(c, dim, first);
}
static const char *const cases_slice_axis[] = {
    "(5) | axis=0 begin=1 end=4", "(5) | axis=0 begin=2 end=None", "(5) | axis=0 begin=-3 end=-1",
    "(3,4) | axis=1 begin=0 end=2", "(3,4) | axis=-1 begin=1 end=None", "(3,4) | axis=0 begin=0 end=3",
    "(2,3,4) | axis=1 begin=-1 end=None", "(2,3,4) | axis=-3 begin=0 end=-1",
    "(2,1,3,4) | axis=3 begin=1 end=3", "(2,2,3,1,2) | axis=2 begin=1 end=2", "(0,4) | axis=1 begin=1 end=3",
    NULL };
static const ref_op ref_slice_axis = { REFB_MOVES, refb_slice_axis, REF_TRUE, NULL, 0, cases_slice_axis };

static void refb_slice_like(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int64_t axes[8], dim[8], first[8] = { 0, 0, 0, 0, 0, 0, 0, 0 };
    int n = ref_ints(c, "axes", axes, 8);
    for (int d = 0; d < x->ndim; d++) dim[d] = n > 0 ? x->dim[d] : c->in[1].dim[d];
    for (int i = 0; i < n; i++) {
        dim[refb_axis((int)axes[i], x->ndim)] = c->in[1].dim[refb_axis((int)axes[i], c->in[1].ndim)];
    }
    refb_window(c, dim, first);
}
static const char *const cases_slice_like[] = {
    "(5) (3)", "(3,4) (2,3)", "(3,4) (3,4)", "(3,4) (2,3) | axes=()", "(3,4) (2,3) | axes=(1,)",
    "(3,4) (2,9) | axes=(0,)", "(3,4,2) (2,3) | axes=(0,1)", "(2,3,4) (2,3,2) | axes=(-1,)",
    "(2,3,4,5) (1,3,2,4) | axes=(2,-1)", "(2,1,4,3,3) (2,1,3,3,2)", "(3,4) (0,2)", NULL };
static const ref_op ref_slice_like = { REFB_MOVES, refb_slice_like, REF_TRUE, NULL, 0, cases_slice_like };

static void refb_crop(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int64_t h_w[2] = { 0, 0 }, offset[2] = { 0, 0 }, first[4] = { 0, 0, 0, 0 }, dim[4];
    ref_ints(c, "h_w", h_w, 2);
    ref_ints(c, "offset", offset, 2);
    dim[0] = x->dim[0];
    dim[1] = x->dim[1];
    for (int d = 2; d < 4; d++) {
        dim[d] = c->nin > 1 ? c->in[1].dim[d] : h_w[d - 2];
        first[d] = ref_int(c, "center_crop", 0) ? (x->dim[d] - dim[d]) / 2 : offset[d - 2];
    }
    refb_window(c, dim, first);
}
static const char *const cases_crop[] = {
    "(2,3,4,5) | h_w=(2,3)", "(1,2,5,5) | h_w=(3,2) offset=(1,2)", "(1,2,5,6) | h_w=(2,3) center_crop=True",
    "(1,1,1,1) | h_w=(1,1)", "(2,2,4,4) (2,2,3,2)", "(2,2,4,5) (1,3,2,3) | offset=(2,1)",
    "(1,2,5,4) (1,2,2,1) | center_crop=True", "(1,2,3,4) (1,2,3,4)", NULL };
static const ref_op ref_crop = { REFB_MOVES, refb_crop, REF_TRUE, NULL, 0, cases_crop };

/* --- more of the same --- */
REFB_SOURCE(refb_from_repeat)
{
    int repeats = ref_int(c, "repeats", 1);
    (void)index;
    if (refb_none(c, "axis", 1)) { refb_place(data, at[0] / repeats, from); return 1; }
    for (int d = 0; d < data->ndim; d++) from[d] = at[d];
    from[refb_axis(ref_int(c, "axis", 0), data->ndim)] /= repeats;
    return 1;
}
static void refb_repeat(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int repeats = ref_int(c, "repeats", 1), flat = refb_none(c, "axis", 1);
    int64_t dim[8];
    for (int d = 0; d < x->ndim; d++) dim[d] = x->dim[d];
    if (flat) dim[0] = x->size * repeats;
    else dim[refb_axis(ref_int(c, "axis", 0), x->ndim)] *= repeats;
    ref_out(c, 0, flat ? 1 : x->ndim, dim);
    refb_gather(c, x, NULL, refb_from_repeat, 0);
}
static const char *const cases_repeat[] = {
    "(3) | repeats=2", "(2,3) | repeats=2", "(2,3) | repeats=3 axis=None", "(2,3) | repeats=1",
    "(2,3) | repeats=2 axis=0", "(2,3) | repeats=2 axis=1", "(2,3) | repeats=3 axis=-1",
    "(2,1,4) | repeats=4 axis=1", "(2,3,4) | repeats=2 axis=-3", "(1,2,3,2,2) | repeats=2 axis=2",
    "(0,2) | repeats=2 axis=1", NULL };
static const ref_op ref_repeat = { REFB_MOVES, refb_repeat, REF_TRUE, NULL, 0, cases_repeat };

REFB_SOURCE(refb_from_modulo)
{
    int more = c->out[0].ndim - data->ndim;
    (void)index;
    for (int d = 0; d < data->ndim; d++) from[d] = at[d + more] % data->dim[d];
    return 1;
}
static void refb_tile(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int64_t reps[8], dim[8];
    int n = ref_ints(c, "reps", reps, 8), ndim = n > x->ndim ? n : x->ndim;
    for (int d = 0; d < ndim; d++) {
        int dx = d - (ndim - x->ndim), dr = d - (ndim - n);
        dim[d] = (dx < 0 ? 1 : x->dim[dx]) * (dr < 0 ? 1 : reps[dr]);
    }
    ref_out(c, 0, ndim, dim);
    refb_gather(c, x, NULL, refb_from_modulo, 0);
}
static const char *const cases_tile[] = {
    "(3) | reps=(2,)", "(3) | reps=(2,2)", "(2,3) | reps=(2,)", "(2,3) | reps=(2,1)", "(2,3) | reps=(1,1)",
    "(2,3) | reps=(2,2,3)", "(2,1,3) | reps=(2,3)", "(2,1,3) | reps=(1,4,2)", "(1,2,3,2) | reps=(3,1,1,2)",
    "(2,1,2,1,2) | reps=(1,2,1,3,1)", "(0,2) | reps=(2,2)", NULL };
static const ref_op ref_tile = { REFB_MOVES, refb_tile, REF_TRUE, NULL, 0, cases_tile };

REFB_SOURCE(refb_from_reverse)
{
    int64_t axes[8];
    int n = ref_ints(c, "axis", axes, 8);
    (void)index;
    for (int d = 0; d < data->ndim; d++) from[d] = at[d];
    for (int i = 0; i < n; i++) {
        int d = refb_axis((int)axes[i], data->ndim);
        from[d] = data->dim[d] - 1 - at[d];
    }
    return 1;
}
static void refb_reverse(ref_case *c)
{
    refb_out_like(c, &c->in[0]);
    refb_gather(c, &c->in[0], NULL, refb_from_reverse, 0);
}
static const char *const cases_reverse[] = {
    "(5) | axis=0", "(2,3) | axis=0", "(2,3) | axis=1", "(2,3) | axis=(0,1)", "(2,3,4) | axis=(1,)",
    "(2,3,4) | axis=(0,2)", "(2,1,3,4) | axis=(1,3)", "(2,3,1,2,3) | axis=(4,0,1)", "(2,3) | axis=-1",
    "(0,3) | axis=1", "(2,3) | axis=()", "(3,37) | axis=1", NULL };
static const ref_op ref_reverse = { REFB_MOVES, refb_reverse, REF_TRUE, NULL, 0, cases_reverse };

REFB_SOURCE(refb_from_pad)
{
    int64_t width[16];
    int edge = ref_is(c, "mode", "edge", 0), reflect = ref_is(c, "mode", "reflect", 0);
    (void)index;
    ref_ints(c, "pad_width", width, 16);
    for (int d = 0; d < data->ndim; d++) {
        int64_t last = data->dim[d] - 1, i = at[d] - width[2 * d];
        if (edge) i = i < 0 ? 0 : i > last ? last : i;
        if (reflect) i = i < 0 ? -i : i > last ? 2 * last - i : i;
        if (i < 0 || i > last) return 0;
        from[d] = i;
    }
    return 1;
}
static void refb_padded(ref_case *c, int sign)
{
    int64_t width[16], dim[8];
    ref_ints(c, "pad_width", width, 16);
    for (int d = 0; d < c->in[0].ndim; d++)
        dim[d] = c->in[0].dim[d] + sign * (width[2 * d] + width[2 * d + 1]);
    ref_out(c, 0, c->in[0].ndim, dim);
}
static void refb_pad(ref_case *c)
{
    refb_padded(c, 1);
    refb_gather(c, &c->in[0], NULL, refb_from_pad, ref_num(c, "constant_value", 0));
}
static const char *const cases_pad[] = {
    "(2,3,2,3) | mode=constant pad_width=(0,0,0,0,1,2,3,0)",
    "(1,2,3,3) | mode=constant pad_width=(0,0,0,0,1,1,1,1) constant_value=1.5",
    "(1,1,1,1) | mode=constant pad_width=(0,0,0,0,0,0,0,0)",
    "(2,1,2,3) | mode=edge pad_width=(0,0,0,0,2,1,0,3)",
    "(1,2,3,4) | mode=reflect pad_width=(0,0,0,0,2,1,3,2)",
    "(1,1,1,2) | mode=edge pad_width=(0,0,0,0,3,3,1,1)",
    "(1,2,2,1,3) | mode=constant pad_width=(0,0,0,0,1,0,2,1,0,1) constant_value=2",
    "(1,2,2,2,2) | mode=edge pad_width=(0,0,0,0,1,2,0,1,2,0)",
    "(1,1,3,2,4) | mode=reflect pad_width=(0,0,0,0,1,2,1,1,3,0)",
    "(0,2,2,2) | mode=constant pad_width=(0,0,0,0,1,1,1,1)", NULL };
static const ref_op ref_pad = { REFB_NUMBERS, refb_pad, REF_TRUE, NULL, 0, cases_pad };

static void refb_pad_grad(ref_case *c)
{
    refb_padded(c, -1);
    refb_scatter(c, NULL, refb_from_pad, 1);
}
static const char *const cases__pad_grad[] = {
    "(2,3,5,6) | mode=constant pad_width=(0,0,0,0,1,2,3,0)",
    "(2,1,5,6) | mode=edge pad_width=(0,0,0,0,2,1,0,3)",
    "(1,2,6,9) | mode=reflect pad_width=(0,0,0,0,2,1,3,2)",
    "(1,1,7,4) | mode=edge pad_width=(0,0,0,0,3,3,1,1)",
    "(1,2,3,4,4) | mode=constant pad_width=(0,0,0,0,1,0,2,1,0,1)",
    "(1,2,5,3,4) | mode=edge pad_width=(0,0,0,0,1,2,0,1,2,0)",
    "(1,1,6,4,7) | mode=reflect pad_width=(0,0,0,0,1,2,1,1,3,0)", NULL };
static const ref_op ref__pad_grad = { REFB_SUMS, refb_pad_grad, REF_TRUE, NULL, 1e-6, cases__pad_grad };

/* --- pixels and channels --- */
static void refb_depth_to_space(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int b = ref_int(c, "block_size", 1);
    int64_t dim[4], at[4], from[4];
    dim[0] = x->dim[0]; dim[1] = x->dim[1] / (b * b); dim[2] = x->dim[2] * b; dim[3] = x->dim[3] * b;
    double *y = ref_out(c, 0, 4, dim);
    for (int64_t i = 0; i < c->out[0].size; i++) {
        refb_place(&c->out[0], i, at);
        from[0] = at[0];
        from[1] = (at[2] % b * b + at[3] % b) * dim[1] + at[1];
        from[2] = at[2] / b;
        from[3] = at[3] / b;
        y[i] = x->v[refb_flat(x, from)];
    }
}
static const char *const cases_depth_to_space[] = {
    "(1,4,1,1) | block_size=2", "(2,8,2,3) | block_size=2", "(1,9,2,2) | block_size=3",
    "(2,3,2,2) | block_size=1", "(1,12,1,4) | block_size=2", "(0,4,2,2) | block_size=2", NULL };
static const ref_op ref_depth_to_space = {
    REFB_MOVES, refb_depth_to_space, REF_TRUE, NULL, 0, cases_depth_to_space };

static void refb_space_to_depth(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int b = ref_int(c, "block_size", 1);
    int64_t dim[4], at[4], from[4];
    dim[0] = x->dim[0]; dim[1] = x->dim[1] * b * b; dim[2] = x->dim[2] / b; dim[3] = x->dim[3] / b;
    double *y = ref_out(c, 0, 4, dim);
    for (int64_t i = 0; i < c->out[0].size; i++) {
        refb_place(&c->out[0], i, at);
        int64_t block = at[1] / x->dim[1];
        from[0] = at[0];
        from[1] = at[1] % x->dim[1];
        from[2] = at[2] * b + block / b;
        from[3] = at[3] * b + block % b;
        y[i] = x->v[refb_flat(x, from)];
    }
}
static const char *const cases_space_to_depth[] = {
    "(1,1,2,2) | block_size=2", "(2,2,4,6) | block_size=2", "(1,1,6,3) | block_size=3",
    "(2,3,2,2) | block_size=1", "(1,3,2,8) | block_size=2", "(0,2,2,2) | block_size=2", NULL };
static const ref_op ref_space_to_depth = {
    REFB_MOVES, refb_space_to_depth, REF_TRUE, NULL, 0, cases_space_to_depth };

/* --- diagonals --- */
REFB_SOURCE(refb_from_diag)
{
    int k = ref_int(c, "k", 0), n = data->ndim, i = 0;
    int row = k < 0 ? -k : 0, column = k > 0 ? k : 0;
    (void)index;
    if (n == 1) { from[0] = at[0] - row; return at[1] - at[0] == k; }
    int axis1 = refb_axis(ref_int(c, "axis1", 0), n), axis2 = refb_axis(ref_int(c, "axis2", 1), n);
    for (int d = 0; d < n; d++) if (d != axis1 && d != axis2) from[d] = at[i++];
    from[axis1] = at[i] + row;
    from[axis2] = at[i] + column;
    return 1;
}
static void refb_diag(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int k = ref_int(c, "k", 0), n = x->ndim, i = 0;
    int64_t dim[8];
    if (n == 1) {
        dim[0] = dim[1] = x->dim[0] + abs(k);
        i = 2;
    } else {
        int axis1 = refb_axis(ref_int(c, "axis1", 0), n), axis2 = refb_axis(ref_int(c, "axis2", 1), n);
        int64_t rows = x->dim[axis1] + (k < 0 ? k : 0), columns = x->dim[axis2] - (k > 0 ? k : 0);
        for (int d = 0; d < n; d++) if (d != axis1 && d != axis2) dim[i++] = x->dim[d];
        dim[i++] = rows < columns ? rows : columns;
    }
    ref_out(c, 0, i, dim);
    refb_gather(c, x, NULL, refb_from_diag, 0);
}
static const char *const cases_diag[] = {
    "(3)", "(1)", "(3) | k=1", "(3) | k=-2", "(3,3)", "(3,5)", "(5,3) | k=0", "(3,4) | k=2", "(4,3) | k=-1",
    "(1,1)", "(2,3,4)", "(3,2,4) | axis1=0 axis2=2", "(3,2,4) | axis1=2 axis2=0",
    "(3,2,4) | k=1 axis1=-1 axis2=-3", "(2,3,2,4) | k=-1 axis1=1 axis2=3", "(2,1,3,2,2) | axis1=2 axis2=4",
    "(0,3,3) | axis1=1 axis2=2", NULL };
static const ref_op ref_diag = { REFB_MOVES, refb_diag, REF_TRUE, NULL, 0, cases_diag };

static void refb_diag_grad(ref_case *c)
{
    refb_out_like(c, &c->in[1]);
    refb_scatter(c, NULL, refb_from_diag, 1);
}
static const char *const cases__diag_grad[] = {
    "(3,3) (3)", "(5,5) (3) | k=-2", "(3) (3,3)", "(3) (3,5)", "(2) (3,4) | k=2", "(3) (4,3) | k=-1",
    "(4,2) (2,3,4)", "(2,3) (3,2,4) | axis1=0 axis2=2", "(2,3) (3,2,4) | k=-1 axis1=2 axis2=0",
    "(2,2,2) (2,3,2,4) | k=-1 axis1=1 axis2=3", "(2,1,2,2) (2,1,3,2,2) | axis1=2 axis2=4", NULL };
static const ref_op ref__diag_grad = { REFB_SUMS, refb_diag_grad, REF_TRUE, NULL, 0, cases__diag_grad };

/* --- broadcasting --- */
static void refb_broadcast(ref_case *c, const int64_t *dim)
{
    ref_out(c, 0, c->in[0].ndim, dim);
    refb_gather(c, &c->in[0], NULL, refb_from_modulo, 0);
}
static void refb_broadcast_to(ref_case *c)
{
    int64_t shape[8], dim[8];
    ref_ints(c, "shape", shape, 8);
    for (int d = 0; d < c->in[0].ndim; d++) dim[d] = shape[d] ? shape[d] : c->in[0].dim[d];
    refb_broadcast(c, dim);
}
static const char *const cases_broadcast_to[] = {
    "(1) | shape=(4,)", "(1,3) | shape=(2,3)", "(2,1) | shape=(0,3)", "(2,3) | shape=(2,3)",
    "(2,3) | shape=(0,0)", "(1,3,1) | shape=(2,3,4)", "(1,1,1,1) | shape=(2,1,3,2)",
    "(2,1,1,3) | shape=(2,4,2,0)", "(1,2,1,3,1) | shape=(2,0,2,0,2)", "(0,1) | shape=(0,4)", NULL };
static const ref_op ref_broadcast_to = {
    REFB_MOVES, refb_broadcast_to, REF_TRUE, NULL, 0, cases_broadcast_to };

static void refb_broadcast_axis(ref_case *c)
{
    int64_t axis[8], size[8], dim[8];
    int n = ref_ints(c, "axis", axis, 8);
    ref_ints(c, "size", size, 8);
    for (int d = 0; d < c->in[0].ndim; d++) dim[d] = c->in[0].dim[d];
    for (int i = 0; i < n; i++) dim[refb_axis((int)axis[i], c->in[0].ndim)] = size[i];
    refb_broadcast(c, dim);
}
static const char *const cases_broadcast_axis[] = {
    "(1) | axis=0 size=4", "(2,1) | axis=1 size=3", "(1,3) | axis=(0,) size=(2,)",
    "(1,2,1) | axis=(0,2) size=(3,4)", "(1,2,1) | axis=(2,0) size=(3,4)", "(2,1,3,1) | axis=3 size=2",
    "(2,1,2,1,2) | axis=(1,3) size=(3,2)", "(2,3)", "(2,3,1) | axis=-1 size=2", "(0,1) | axis=1 size=3",
    NULL };
static const ref_op ref_broadcast_axis = {
    REFB_MOVES, refb_broadcast_axis, REF_TRUE, NULL, 0, cases_broadcast_axis };

static void refb_broadcast_like(ref_case *c)
{
    const ref_tensor *x = &c->in[0], *y = &c->in[1];
    int64_t left[8], right[8], dim[8];
    int n = ref_ints(c, "lhs_axes", left, 8);
    ref_ints(c, "rhs_axes", right, 8);
    for (int d = 0; d < x->ndim; d++) dim[d] = n > 0 ? x->dim[d] : y->dim[d];
    for (int i = 0; i < n; i++)
        dim[refb_axis((int)left[i], x->ndim)] = y->dim[refb_axis((int)right[i], y->ndim)];
    refb_broadcast(c, dim);
}
static const char *const cases_broadcast_like[] = {
    "(1) (4)", "(1,3) (2,3)", "(2,3) (2,3)", "(1,3,1) (2,3,4)", "(1,2,1,1) (3,2,1,4)",
    "(2,1,2,1,1) (2,3,2,1,2)", "(1,3) (5,2) | lhs_axes=(0,) rhs_axes=(1,)",
    "(1,3) (4) | lhs_axes=(0,) rhs_axes=(0,)", "(1,2,1) (5,3,4) | lhs_axes=(0,2) rhs_axes=(1,2)",
    "(2,1,1) (3,4) | lhs_axes=(-1,1) rhs_axes=(0,-1)", "(0,1) (0,3)", NULL };
static const ref_op ref_broadcast_like = {
    REFB_MOVES, refb_broadcast_like, REF_TRUE, NULL, 0, cases_broadcast_like };

static void refb_sum_like(ref_case *c)
{
    const ref_tensor *x = &c->in[0], *y = &c->out[0];
    int64_t at[8], to[8];
    refb_out_like(c, &c->in[1]);
    for (int64_t i = 0; i < x->size; i++) {
        refb_place(x, i, at);
        for (int d = 0; d < y->ndim; d++) to[d] = y->dim[d] == 1 ? 0 : at[d + x->ndim - y->ndim];
        y->v[refb_flat(y, to)] += x->v[i];
    }
}
static const char *const cases__sum_like[] = {
    "(5) (1)", "(5) (5)", "(2,3) (1,3)", "(2,3) (2,1)", "(2,3) (1,1)", "(2,3) (3)", "(2,3) (1)",
    "(2,3,4) (3,1)", "(2,3,4) (1,3,1)", "(2,3,4) (4)", "(3,2,4,5) (2,1,5)", "(2,3,4,5) (1,3,1,1)",
    "(2,1,3,2,2) (2,1,1,2,1)", "(0,3) (1,3)", "(0,3) (0,1)", NULL };
static const ref_op ref__sum_like = { REFB_SUMS, refb_sum_like, REF_TRUE, NULL, 1e-6, cases__sum_like };

/* --- indexing --- */
REFB_SOURCE(refb_from_take)
{
    int axis = refb_axis(ref_int(c, "axis", 0), data->ndim);
    for (int d = 0; d < data->ndim; d++) from[d] = at[d < axis ? d : d - 1 + index->ndim];
    double i = index->v[refb_flat(index, at + axis)];
    from[axis] = refb_index(i, data->dim[axis], ref_is(c, "mode", "wrap", 0));
    return 1;
}
static void refb_take_from(ref_case *c, const ref_tensor *data, const ref_tensor *index)
{
    int axis = refb_axis(ref_int(c, "axis", 0), data->ndim), n = 0;
    int64_t dim[8];
    for (int d = 0; d < axis; d++) dim[n++] = data->dim[d];
    for (int d = 0; d < index->ndim; d++) dim[n++] = index->dim[d];
    for (int d = axis + 1; d < data->ndim; d++) dim[n++] = data->dim[d];
    ref_out(c, 0, n, dim);
    refb_gather(c, data, index, refb_from_take, 0);
}
static void refb_embedding(ref_case *c) { refb_take_from(c, &c->in[1], &c->in[0]); }
static const char *const cases_embedding[] = {
    "(4)int[0,4] (5,3) | input_dim=5 output_dim=3", "(2,3)int[0,6] (7,2) | input_dim=7 output_dim=2",
    "(2,3)int[-2,7] (4,2) | input_dim=4 output_dim=2", "(5)[-1.5,5.5] (4,3) | input_dim=4 output_dim=3",
    "(1)int[0,0] (1,1) | input_dim=1 output_dim=1",
    "(2,1,3)int[0,2] (3,4) | input_dim=3 output_dim=4 sparse_grad=True",
    "(2,2,1,2)int[0,2] (3,1) | input_dim=3 output_dim=1", "(0)int[0,2] (3,2) | input_dim=3 output_dim=2",
    NULL };
static const ref_op ref_embedding = { REFB_SUMS, refb_embedding, REF_TRUE, NULL, 0, cases_embedding };

static void refb_take(ref_case *c) { refb_take_from(c, &c->in[0], &c->in[1]); }
static const char *const cases_take[] = {
    "(5) (3)int[0,4]", "(5,3) (4)int[0,4]", "(4,3) (2,3)int[-2,6]", "(4,3) (2,3)int[-2,6] | mode=clip",
    "(4,3) (2,3)int[-6,9] | mode=wrap", "(4,3) (2,3)int[0,3] | mode=raise", "(4,3) (5)[-3.5,4.5]",
    "(4,3) (5)[-5.5,7.5] | mode=wrap", "(2,5) (3)int[0,4] | axis=1", "(2,3,4) (2,2)int[0,2] | axis=1",
    "(2,3,4) (3)int[0,3] | axis=-1", "(2,3,4) (2,1)int[-5,5] | axis=-2 mode=wrap",
    "(2,3,2,2) (3)int[0,1] | axis=2", "(1,2,3,1,2) (2)int[0,2] | axis=2 mode=clip", "(1) (1)int[0,0]",
    "(3,2) (0)int[0,1]", NULL };
static const ref_op ref_take = { REFB_NUMBERS, refb_take, REF_TRUE, NULL, 0, cases_take };

static void refb_take_grad(ref_case *c)
{
    refb_out_like(c, &c->in[2]);
    refb_scatter(c, &c->in[1], refb_from_take, 1);
}
static const char *const cases__take_grad[] = {
    "(3) (3)int[0,4] (5)", "(7,3) (7)int[0,2] (3,3)", "(2,3,3) (2,3)int[-2,6] (4,3)",
    "(2,3,3) (2,3)int[-6,9] (4,3) | mode=wrap", "(6,2) (6)int[0,3] (4,2) | mode=raise",
    "(5,3) (5)[-3.5,4.5] (4,3)", "(2,3) (3)int[0,4] (2,5) | axis=1",
    "(2,2,2,4) (2,2)int[0,2] (2,3,4) | axis=1", "(2,3,3) (3)int[0,3] (2,3,4) | axis=-1",
    "(2,2,1,4) (2,1)int[-5,5] (2,3,4) | axis=-2 mode=wrap", "(0,2) (0)int[0,1] (3,2)", NULL };
static const ref_op ref__take_grad = { REFB_SUMS, refb_take_grad, REF_TRUE, NULL, 1e-6, cases__take_grad };

static void refb_batch_take(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int64_t n = x->dim[1];
    double *y = ref_out(c, 0, 1, x->dim);
    for (int64_t i = 0; i < x->dim[0]; i++) y[i] = x->v[i * n + refb_index(c->in[1].v[i], n, 0)];
}
static const char *const cases_batch_take[] = {
    "(4,3) (4)int[0,2]", "(1,1) (1)int[0,0]", "(5,2) (5)int[-1,2]", "(1,6) (1)int[0,5]", "(6,1) (6)int[0,0]",
    "(0,3) (0)int[0,2]", NULL };
static const ref_op ref_batch_take = { REFB_NUMBERS, refb_batch_take, REF_TRUE, NULL, 0, cases_batch_take };

REFB_SOURCE(refb_from_pick)
{
    int wrap = ref_is(c, "mode", "wrap", 0), keep = ref_int(c, "keepdims", 0), n = data->ndim;
    if (refb_none(c, "axis", 0)) {
        refb_place(data, refb_index(index->v[0], data->size, wrap), from);
        return 1;
    }
    int axis = refb_axis(ref_int(c, "axis", -1), n);
    int64_t which = 0;
    for (int d = 0; d < n; d++)
        if (d != axis) which = which * data->dim[d] + (from[d] = at[keep || d < axis ? d : d - 1]);
        else if (keep && index->ndim == n) which = which * index->dim[d] + at[d];       /* several of a line */
    from[axis] = refb_index(index->v[which], data->dim[axis], wrap);
    return 1;
}
/* Shape of x without an axis, or with it as 1; all axes if it is None. */
static void refb_reduced(ref_case *c, const ref_tensor *x, int missing)
{
    int keep = ref_int(c, "keepdims", 0), all = refb_none(c, "axis", missing == REF_NONE), n = 0;
    int axis = refb_axis(ref_int(c, "axis", missing == REF_NONE ? 0 : missing), x->ndim);
    int64_t dim[8];
    for (int d = 0; d < x->ndim; d++)
        if (!all && d != axis) dim[n++] = x->dim[d];
        else if (keep) dim[n++] = 1;
    if (!n) dim[n++] = 1;
    ref_out(c, 0, n, dim);
}
static void refb_pick(ref_case *c)
{
    const ref_tensor *x = &c->in[0], *index = &c->in[1];
    if (ref_int(c, "keepdims", 0) && index->ndim == x->ndim && !refb_none(c, "axis", 0)) {
        int64_t dim[8];
        int axis = refb_axis(ref_int(c, "axis", -1), x->ndim);
        for (int d = 0; d < x->ndim; d++) dim[d] = d == axis ? index->dim[d] : x->dim[d];
        ref_out(c, 0, x->ndim, dim);
    } else refb_reduced(c, x, -1);
    refb_gather(c, x, index, refb_from_pick, 0);
}
static const char *const cases_pick[] = {
    "(4,3) (4)int[0,2]", "(4,3) (4,1)int[0,2]", "(4,3) (4)int[0,2] | keepdims=True",
    "(4,3) (4,1)int[0,2] | keepdims=True", "(4,3) (3)int[0,3] | axis=0",
    "(4,3) (1,3)int[0,3] | axis=0 keepdims=True", "(4,3) (4)int[-2,5] | axis=1 mode=clip",
    "(4,3) (4)int[-5,7] | axis=1 mode=wrap", "(4,3) (4)int[0,2] | axis=1 mode=raise",
    "(4,3) (4)[-1.5,3.5] | axis=-1", "(5) (1)int[0,4] | axis=0",
    "(2,3,4) (2,4)int[0,2] | axis=1", "(2,3,4) (2,1,4)int[-4,4] | axis=-2 mode=wrap keepdims=True",
    "(2,3,2,2) (3,2,2)int[0,1] | axis=0", "(1,2,3,2,2) (1,2,3,2)int[0,1]", "(2,3) (1)int[0,5] | axis=None",
    "(2,3) (1)int[-7,9] | axis=None keepdims=True mode=wrap", "(0,3) (0)int[0,2]", NULL };
static const ref_op ref_pick = { REFB_NUMBERS, refb_pick, REF_TRUE, NULL, 0, cases_pick };

static void refb_pick_grad(ref_case *c)
{
    refb_out_like(c, &c->in[2]);
    refb_scatter(c, &c->in[1], refb_from_pick, 1);
}
static const char *const cases__pick_grad[] = {
    "(4) (4)int[0,2] (4,3)", "(4) (4,1)int[0,2] (4,3)", "(4,1) (4)int[0,2] (4,3) | keepdims=True",
    "(3) (3)int[0,3] (4,3) | axis=0", "(4) (4)int[-2,5] (4,3) | axis=1 mode=clip",
    "(4) (4)int[-5,7] (4,3) | axis=1 mode=wrap", "(1) (1)int[0,4] (5) | axis=0",
    "(2,4) (2,4)int[0,2] (2,3,4) | axis=1",
    "(2,1,4) (2,1,4)int[-4,4] (2,3,4) | axis=-2 mode=wrap keepdims=True",
    "(1,2,3,2) (1,2,3,2)int[0,1] (1,2,3,2,2)", "(1) (1)int[0,5] (2,3) | axis=None", "(0) (0)int[0,2] (0,3)",
    NULL };
static const ref_op ref__pick_grad = { REFB_SUMS, refb_pick_grad, REF_TRUE, NULL, 0, cases__pick_grad };

static void refb_one_hot(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    double on = ref_num(c, "on_value", 1), off = ref_num(c, "off_value", 0);
    int64_t dim[8], depth = ref_int(c, "depth", 0);
    for (int d = 0; d < x->ndim; d++) dim[d] = x->dim[d];
    dim[x->ndim] = depth;
    double *y = ref_out(c, 0, x->ndim + 1, dim);
    for (int64_t i = 0; i < x->size; i++)
        for (int64_t j = 0; j < depth; j++) y[i * depth + j] = (int64_t)x->v[i] == j ? on : off;
}
static const char *const cases_one_hot[] = {
    "(4)int[0,2] | depth=3", "(2,3)int[-2,5] | depth=4", "(5)[-1.5,4.5] | depth=4", "(1)int[0,0] | depth=1",
    "(3)int[0,4] | depth=5 on_value=2.5 off_value=-0.5",
    "(3)int[0,4] | depth=5 on_value=8 off_value=1 dtype=int32", "(3)int[0,4] | depth=5 dtype=float64",
    "(3)int[0,4] | depth=5 dtype=float16", "(3)int[0,4] | depth=5 dtype=uint8",
    "(2,1,2)int[0,3] | depth=4 dtype=int64", "(1,2,1,2)int[0,2] | depth=3 on_value=3 dtype=int8",
    "(0,2)int[0,2] | depth=3", NULL };
static const ref_op ref_one_hot = { REFB_NUMBERS, refb_one_hot, REF_ZERO, NULL, 0, cases_one_hot };

REFB_SOURCE(refb_from_gather_nd)
{
    int m = (int)index->dim[0];
    int64_t tuples = 1, which = 0;
    (void)c;
    for (int d = 1; d < index->ndim; d++) {
        tuples *= index->dim[d];
        which = which * index->dim[d] + at[d - 1];
    }
    for (int d = 0; d < m; d++) from[d] = (int64_t)index->v[d * tuples + which];
    for (int d = m; d < data->ndim; d++) from[d] = at[index->ndim - 1 + d - m];
    return 1;
}
static void refb_gather_nd(ref_case *c)
{
    const ref_tensor *data = &c->in[0], *index = &c->in[1];
    int64_t dim[8];
    int n = 0;
    for (int d = 1; d < index->ndim; d++) dim[n++] = index->dim[d];
    for (int d = (int)index->dim[0]; d < data->ndim; d++) dim[n++] = data->dim[d];
    ref_out(c, 0, n, dim);
    refb_gather(c, data, index, refb_from_gather_nd, 0);
}
static const char *const cases_gather_nd[] = {
    "(5) (1,4)int[0,4]", "(3,4) (2,5)int[0,2]", "(3,4) (1,5)int[0,2]", "(3,4,2) (2,3)int[0,2]",
    "(3,3,4) (2,2,3)int[0,2]", "(2,3,4) (1,2,2)int[0,1]", "(2,3,4) (3,3)int[0,1]",
    "(2,2,3,2,2) (3,2)int[0,1]", "(1,1) (2,1)int[0,0]", "(3,2) (1,0)int[0,1]", NULL };
static const ref_op ref_gather_nd = { REFB_NUMBERS, refb_gather_nd, REF_TRUE, NULL, 0, cases_gather_nd };

static void refb_scatter_nd(ref_case *c)
{
    int64_t dim[8];
    ref_out(c, 0, ref_ints(c, "shape", dim, 8), dim);
    refb_scatter(c, &c->in[1], refb_from_gather_nd, 0);
}
/* The gradient reads every place, those of overwritten elements too. */
static void refb_scatter_nd_declared(const ref_case *c, const double *const *dy, double *const *dx)
{
    for (int64_t i = 0; dx[0] && i < c->in[0].size; i++) {
        int64_t at[8], from[8];
        refb_place(&c->in[0], i, at);
        refb_from_gather_nd(c, &c->out[0], &c->in[1], at, from);
        dx[0][i] = dy[0][refb_flat(&c->out[0], from)];
    }
}
static const char *const cases_scatter_nd[] = {
    "(5) (1,5)perm | shape=(5,)", "(5,2) (1,5)perm | shape=(7,2)", "(4) (1,4)perm | shape=(6,)",
    "(2,3) (1,2,3)perm | shape=(6,)", "(1,3) (2,1)int[0,1] | shape=(2,2,3)", "(6) (1,6)int[0,2] | shape=(3,)",
    "(4,2) (1,4)int[0,1] | shape=(3,2)", "(5) (2,5)int[0,2] | shape=(3,4)",
    "(3,2) (3,3)int[0,1] | shape=(2,3,2,2)", "(0,2) (1,0)int[0,1] | shape=(3,2)", NULL };
static const ref_op ref_scatter_nd = {
    REFB_NUMBERS, refb_scatter_nd, REF_DECLARED, refb_scatter_nd_declared, 0, cases_scatter_nd };

static void refb_gather_nd_grad(ref_case *c)
{
    refb_out_like(c, &c->in[2]);
    refb_scatter(c, &c->in[1], refb_from_gather_nd, 1);
}
static const char *const cases__gather_nd_grad[] = {
    "(4) (1,4)int[0,2] (5)", "(5) (2,5)int[0,2] (3,4)", "(5,4) (1,5)int[0,2] (3,4)",
    "(3,2) (2,3)int[0,2] (3,4,2)", "(2,3,4) (2,2,3)int[0,2] (3,3,4)", "(6,3) (1,6)int[0,1] (2,3)",
    "(2,2,2) (3,2)int[0,1] (2,2,3,2,2)", "(0,2) (1,0)int[0,1] (3,2)", NULL };
static const ref_op ref__gather_nd_grad = {
    REFB_SUMS, refb_gather_nd_grad, REF_TRUE, NULL, 1e-6, cases__gather_nd_grad };

REFB_SOURCE(refb_from_mask)
{
    int axis = refb_axis(ref_int(c, "axis", 0), data->ndim);
    int64_t i = -1;
    for (int d = 0; d < data->ndim; d++) from[d] = at[d];
    for (int64_t left = at[axis] + 1; left > 0; ) left -= index->v[++i] != 0;
    from[axis] = i;
    return 1;
}
static void refb_boolean_mask(ref_case *c)
{
    const ref_tensor *x = &c->in[0], *index = &c->in[1];
    int axis = refb_axis(ref_int(c, "axis", 0), x->ndim);
    int64_t dim[8];
    for (int d = 0; d < x->ndim; d++) dim[d] = x->dim[d];
    for (int64_t i = 0; i < index->size; i++) dim[axis] -= index->v[i] == 0;
    ref_out(c, 0, x->ndim, dim);
    refb_gather(c, x, index, refb_from_mask, 0);
}
static const char *const cases_boolean_mask[] = {
    "(5) (5)bool", "(5) (5)perm", "(5,3) (5)bool", "(4,2,3) (4)bool | axis=0", "(4,3) (4)int[1,3]",
    "(4,3) (4)int[0,0]", "(1,2) (1)int[1,1]", "(2,5) (5)bool | axis=1", "(2,3,4) (4)perm | axis=-1",
    "(2,4,1,3) (4)bool | axis=1", "(3,1,2,1,2) (3)bool", "(5,0) (5)bool", NULL };
static const ref_op ref_boolean_mask = {
    REFB_NUMBERS, refb_boolean_mask, REF_TRUE, NULL, 0, cases_boolean_mask };

static void refb_boolean_mask_grad(ref_case *c)
{
    refb_out_like(c, &c->in[2]);
    refb_scatter(c, &c->in[1], refb_from_mask, 1);
}
static const char *const cases__boolean_mask_grad[] = { /* a permutation is 0 at one place */
    "(4) (5)perm (5)", "(4,3) (5)perm (5,3)", "(3,2,3) (4)perm (4,2,3) | axis=0", "(4,3) (4)int[1,3] (4,3)",
    "(0,3) (4)int[0,0] (4,3)", "(2,4) (5)perm (2,5) | axis=1", "(2,3,3) (4)perm (2,3,4) | axis=-1",
    "(0,2) (1)perm (1,2)", NULL };
static const ref_op ref__boolean_mask_grad = {
    REFB_SUMS, refb_boolean_mask_grad, REF_TRUE, NULL, 0, cases__boolean_mask_grad };

static void refb_index_copy(ref_case *c)
{
    const ref_tensor *old = &c->in[0], *row = &c->in[2];
    int64_t length = old->dim[0] ? old->size / old->dim[0] : 0;
    refb_view(c, old->ndim, old->dim);
    for (int64_t i = 0; i < row->size; i++) {
        int64_t to = (int64_t)c->in[1].v[i / length];
        c->out[0].v[to * length + i % length] = row->v[i];
    }
}
static const char *const cases_index_copy[] = {
    "(5) (3)perm (3)", "(5,3) (2)perm (2,3)", "(4,3) (4)perm (4,3)", "(3,2) (1)int[0,2] (1,2)",
    "(4,2,3) (3)perm (3,2,3)", "(3,1,2,2) (2)perm (2,1,2,2)", "(1,1) (1)perm (1,1)", NULL };
static const ref_op ref_index_copy = { REFB_NUMBERS, refb_index_copy, REF_TRUE, NULL, 0, cases_index_copy };

static void refb_put_rows(ref_case *c)
{
    const ref_tensor *x = &c->in[0], *row = &c->in[1];
    int axis = refb_axis(ref_int(c, "axis", 0), x->ndim);
    int64_t at[8];
    refb_view(c, x->ndim, x->dim);
    for (int64_t i = 0; i < row->size; i++) {
        refb_place(row, i, at);
        at[axis] = (int64_t)c->in[2].v[at[axis]];
        c->out[0].v[refb_flat(&c->out[0], at)] = row->v[i];
    }
}
static const char *const cases_put_rows[] = {
    "(5) (3) (3)perm", "(5,3) (2,3) (2)perm", "(4,3) (4,2) (2)int[0,2] | axis=1", "(1,3,5,2) (1,3,1,2) (1)int[0,4] | axis=2",
    "(2,4,3) (2,3,3) (3)int[0,3] | axis=-2", "(2,3) (0,3) (0)perm", "(1,1) (1,1) (1)perm | axis=-1", NULL };
static const ref_op ref_put_rows = { REFB_NUMBERS, refb_put_rows, REF_TRUE, NULL, 0, cases_put_rows };

/* numpy's insert: a list of lines, of which each new one goes before what stood at its place. */
static void refb_insertion(ref_case *c, const int64_t *place, int n, int moved)
{
    const ref_tensor *a = &c->in[0], *v = &c->in[1];
    int64_t dim[8], vdim[8], vstep[8], step = 1, *from, *at, all;
    int axis = ref_int(c, "axis", -99), ndim = axis == -99 ? 1 : a->ndim, lines, d, k, j, m = 0;
    for (d = 0; d < ndim; d++) dim[d] = axis == -99 ? a->size : a->dim[d];
    axis = axis == -99 ? 0 : axis < 0 ? axis + ndim : axis;
    for (d = ndim; d-- > 0; ) { vdim[d] = d + v->ndim - ndim < 0 ? 1 : v->dim[d + v->ndim - ndim]; vstep[d] = step; step *= vdim[d]; }
    if (moved) {                                        /* axis 0 to the axis */
        int64_t n0 = vdim[0], s0 = vstep[0];
        for (d = 0; d < axis; d++) { vdim[d] = vdim[d + 1]; vstep[d] = vstep[d + 1]; }
        vdim[axis] = n0;
        vstep[axis] = s0;
    }
    lines = n == 1 ? (int)vdim[axis] : n;
    from = (int64_t *)malloc((size_t)(2 * lines + dim[axis] + 1) * sizeof *from);
    at = from + lines + dim[axis];
    for (k = 0; k < lines; k++) at[k] = place[n == 1 ? 0 : k] + (place[n == 1 ? 0 : k] < 0 ? dim[axis] : 0);
    for (j = 0; j <= dim[axis]; j++) {
        for (k = 0; k < lines; k++) if (at[k] == j) from[m++] = -1 - k;
        if (j < dim[axis]) from[m++] = j;
    }
    all = dim[axis];
    dim[axis] = m;
    double *y = ref_out(c, 0, ndim, dim);
    for (int64_t i = 0; i < c->out[0].size; i++) {
        int64_t left = i, x = 0, w = 0, xs = 1, line = 0;
        for (d = ndim; d-- > 0; left /= dim[d]) {
            int64_t here = left % dim[d];
            if (d == axis) { line = from[here]; x += line * xs; w += (vdim[d] == 1 ? 0 : -1 - line) * vstep[d]; }
            else { x += here * xs; w += (vdim[d] == 1 ? 0 : here) * vstep[d]; }
            xs *= d == axis ? all : dim[d];
        }
        y[i] = line < 0 ? v->v[w] : a->v[x];
    }
    free(from);
}
static void refb_insert(ref_case *c)
{
    int64_t at = ref_int(c, "int_ind", 0);
    refb_insertion(c, &at, 1, 1);
}
static const char *const cases_insert[] = {
    "(5) (1) | int_ind=2", "(5) () | int_ind=-1 axis=0", "(3,4) (4) | int_ind=1 axis=0", "(3,4) (2,4) | int_ind=0 axis=0",
    "(3,4) (3) | int_ind=4 axis=1", "(3,4) (2,3) | int_ind=-2 axis=-1", "(2,3,4) (2,2,4) | int_ind=1 axis=1",
    "(2,3,4) (1,3,1) | int_ind=2 axis=0", "(2,3) (1,4) | int_ind=3", "(2,3,2) (1) | int_ind=0 axis=2", "(2,3,2) (2,2,1) | int_ind=1 axis=2",
    "(0,3) (3) | int_ind=0 axis=0", "() (2) | int_ind=1", "(3,2) (0,2) | int_ind=1 axis=0", NULL };
static const ref_op ref_insert = { REFB_SUMS, refb_insert, REF_TRUE, NULL, 0, cases_insert };

static void refb_insert_slice(ref_case *c)
{
    int axis = ref_int(c, "axis", -99), n = 0;
    int64_t size = axis == -99 ? c->in[0].size : c->in[0].dim[axis < 0 ? axis + c->in[0].ndim : axis];
    int64_t *place = (int64_t *)malloc((size_t)(size + 1) * sizeof *place);
    int64_t by = ref_int(c, "step", 1), low = by > 0 ? 0 : -1, high = by > 0 ? size : size - 1;
    int64_t from = ref_int(c, "start", 9999), to = ref_int(c, "stop", 9999);
    from = from == 9999 ? (by > 0 ? low : high) : from < 0 ? from + size : from;
    to = to == 9999 ? (by > 0 ? high : low) : to < 0 ? to + size : to;
    from = from < low ? low : from > high ? high : from;
    to = to < low ? low : to > high ? high : to;
    for (; by > 0 ? from < to : from > to; from += by) place[n++] = from;
    refb_insertion(c, place, n, 0);
    free(place);
}
static const char *const cases_insert_slice[] = {
    "(5) (1) | start=1 stop=4", "(5) (3) | start=1 stop=4", "(5) (2) | start=2 stop=3 axis=0", "(6) (3) | step=-2",
    "(3,4) (2,1) | start=0 stop=2 axis=0", "(3,4) (3,2) | start=None stop=None step=2 axis=1", "(3,4) (4) | start=-1 axis=0",
    "(2,3,4) (3,1) | step=-1 axis=-2", "(2,3,4) (2,1,4) | start=1 stop=2 axis=1", "(2,3) (6) | axis=None", "(3,2) (1,1,1) | start=2 stop=1 axis=0",
    "(0,3) (1) | axis=0", "(2,3) (1,1,3) | start=0 stop=1 axis=0", NULL };
static const ref_op ref_insert_slice = { REFB_SUMS, refb_insert_slice, REF_TRUE, NULL, 0, cases_insert_slice };

static void refb_insert_tensor(ref_case *c)
{
    int64_t *place = (int64_t *)malloc((size_t)(c->in[2].size + 1) * sizeof *place);
    for (int64_t i = 0; i < c->in[2].size; i++) place[i] = (int64_t)c->in[2].v[i];
    refb_insertion(c, place, (int)c->in[2].size, !c->in[2].ndim);
    free(place);
}
static const char *const cases_insert_tensor[] = {
    "(5) (1) (3)int[0,5]", "(5) (3) (3)int[-5,5]", "(5) (2) (1)int[1,4] | axis=0", "(3,4) (2,1) (2)int[0,3] | axis=0",
    "(3,4) (3,3) (3)int[1,1] | axis=1", "(3,4) (2,3) ()int[2,2] | axis=1", "(2,3,4) (1,1) (5)int[-3,3] | axis=1",
    "(2,3,4) (2,2,4) ()int[0,3] | axis=1", "(2,3) (4) (4)int[0,6]", "(3,2) (1) (0)int[0,1] | axis=0", "(0,3) (2,3) (2)int[0,0] | axis=0", NULL };
static const ref_op ref_insert_tensor = { REFB_SUMS, refb_insert_tensor, REF_TRUE, NULL, 0, cases_insert_tensor };

static void refb_histogram(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int64_t parts = ref_int(c, "bin_cnt", 0), range[2], n = parts ? parts : c->in[1].size - 1, edges = n + 1;
    double *y = ref_out(c, 0, 1, &n), *e = ref_out(c, 1, 1, &edges);
    ref_ints(c, "range", range, 2);
    for (int64_t i = 0; i <= n; i++)
        e[i] = parts ? (double)range[0] + (double)(range[1] - range[0]) * (double)i / (double)n + (range[0] == range[1] ? (double)i / (double)n - 0.5 : 0)
            : c->in[1].v[i];
    for (int64_t i = 0; i < x->size; i++)
        for (int64_t k = n; k-- > 0; )
            if (x->v[i] >= e[k] && (k == n - 1 ? x->v[i] <= e[n] : x->v[i] < e[k + 1])) { y[k]++; break; }
}
static const char *const cases_histogram[] = {
    "(67)[0,4] | bin_cnt=4 range=(0,4)", "(3,4)int[0,9] | bin_cnt=10 range=(0,10)", "(3,4)int[0,9] | bin_cnt=2 range=(2,6)",
    "(2,3,4)int[0,9] (3)int[4,4]", "(5)int[0,3] | bin_cnt=1 range=(0,3)", "(0,3) | bin_cnt=3 range=(0,3)", "()int[2,2] | bin_cnt=4 range=(0,4)", NULL };
static const ref_op ref_histogram = { "fdhbcuil", refb_histogram, REF_ZERO, NULL, 0, cases_histogram };

/* --- order --- */
typedef struct refb_lines { int64_t outer, n, inner; } refb_lines;   /* element j: (o * n + j) * inner + i */

static refb_lines refb_along(const ref_case *c, const ref_tensor *x, int missing)
{
    refb_lines l = { 1, x->size, 1 };
    if (refb_none(c, "axis", missing == REF_NONE)) return l;
    int axis = refb_axis(ref_int(c, "axis", missing), x->ndim);
    l.n = x->dim[axis];
    for (int d = 0; d < axis; d++) l.outer *= x->dim[d];
    for (int d = axis + 1; d < x->ndim; d++) l.inner *= x->dim[d];
    return l;
}
/* Stable: equals keep their order in both directions. */
static void refb_order(const double *v, int64_t n, int64_t stride, int ascend, int64_t *order)
{
    for (int64_t j = 0; j < n; j++) {
        int64_t p = j;
        for (; p > 0; p--) {
            double before = v[order[p - 1] * stride], here = v[j * stride];
            if (ascend ? before <= here : before >= here) break;
            order[p] = order[p - 1];
        }
        order[p] = j;
    }
}
/* values and indices, (outer, k, inner) each, or a mask of x's shape; NULL where not wanted. */
static void refb_ranked(const ref_case *c, int ascend, int64_t k, double *value, double *index, double *mask)
{
    const ref_tensor *x = &c->in[0];
    refb_lines l = refb_along(c, x, -1);
    int64_t *order = (int64_t *)calloc((size_t)(l.n ? l.n : 1), sizeof *order);
    for (int64_t line = 0; line < l.outer * l.inner; line++) {
        int64_t o = line / l.inner, i = line % l.inner;
        refb_order(x->v + o * l.n * l.inner + i, l.n, l.inner, ascend, order);
        for (int64_t j = 0; j < k; j++) {
            int64_t from = (o * l.n + order[j]) * l.inner + i, to = (o * k + j) * l.inner + i;
            if (value) value[to] = x->v[from];
            if (index) index[to] = (double)order[j];
            if (mask) mask[from] = 1;
        }
    }
    free(order);
}
/* Output i in the shape of x with k elements along the axis, (k) if the axis is None. */
static double *refb_ranked_out(ref_case *c, int i, int64_t k)
{
    const ref_tensor *x = &c->in[0];
    int64_t dim[8];
    if (refb_none(c, "axis", 0)) return ref_out(c, i, 1, &k);
    for (int d = 0; d < x->ndim; d++) dim[d] = x->dim[d];
    dim[refb_axis(ref_int(c, "axis", -1), x->ndim)] = k;
    return ref_out(c, i, x->ndim, dim);
}
static void refb_topk(ref_case *c)
{
    int ascend = ref_int(c, "is_ascend", 0), both = ref_is(c, "ret_typ", "both", 0);
    int64_t n = refb_along(c, &c->in[0], -1).n, k = ref_int(c, "k", 1);
    double *value = NULL, *index = NULL, *mask = NULL;
    if (k < 1) k = n;
    if (ref_is(c, "ret_typ", "mask", 0)) { refb_out_like(c, &c->in[0]); mask = c->out[0].v; }
    else if (both || ref_is(c, "ret_typ", "value", 0)) value = refb_ranked_out(c, 0, k);
    else index = refb_ranked_out(c, 0, k);
    if (both) index = refb_ranked_out(c, 1, k);
    refb_ranked(c, ascend, k, value, index, mask);
}
static const char *const cases_topk[] = {
    "(7)", "(3,5)", "(3,5) | k=3", "(3,5)int[0,3] | k=3", "(3,5) | k=2 ret_typ=value",
    "(3,5) | k=2 ret_typ=both", "(3,5) | k=2 ret_typ=mask", "(3,5)int[0,2] | k=2 ret_typ=mask",
    "(3,5)int[0,2] | k=4 ret_typ=both is_ascend=True", "(3,5) | k=2 ret_typ=value is_ascend=True",
    "(3,5) | k=0", "(3,5) | k=-1 ret_typ=value", "(4,3) | axis=0 k=2",
    "(4,3)int[0,2] | axis=0 k=3 ret_typ=both", "(4,3) | axis=None k=5", "(4,3) | axis=None k=5 ret_typ=value",
    "(2,3) | axis=None k=0 ret_typ=both", "(4,3)int[0,3] | axis=None k=5 ret_typ=mask is_ascend=True",
    "(2,4,3) | axis=1 k=2 ret_typ=both", "(2,4,3) | axis=-2 k=3 ret_typ=mask",
    "(2,1,4,3) | axis=2 k=4 ret_typ=value", "(2,1,2,3,2) | axis=-2 k=2", "(3,5) | k=3 dtype=int32",
    "(3,5) | k=3 dtype=int64", "(3,5) | k=3 ret_typ=both dtype=float64", "(3,5) | k=3 dtype=float16",
    "(3,5) | k=3 dtype=uint8", "(1) | k=1 ret_typ=both", "(2,33) | k=9 ret_typ=both", "(2,80)int[0,9] | k=40",
    NULL };
static const ref_op ref_topk = { REFB_NUMBERS, refb_topk, REF_TRUE, NULL, 0, cases_topk };

static void refb_sort(ref_case *c)
{
    int64_t n = refb_along(c, &c->in[0], -1).n;
    refb_ranked(c, ref_int(c, "is_ascend", 1), n, refb_ranked_out(c, 0, n), NULL, NULL);
}
static const char *const cases_sort[] = {
    "(7)", "(3,5)", "(3,5)int[0,3]", "(3,5) | is_ascend=False", "(4,3) | axis=0",
    "(4,3) | axis=0 is_ascend=False", "(4,3) | axis=None", "(2,4,3) | axis=1", "(2,4,3) | axis=-3",
    "(2,1,4,3) | axis=2 is_ascend=False", "(2,1,3,2,2) | axis=-3", "(1)", "(3,1)", "(2,70)", "(2,0)", NULL };
static const ref_op ref_sort = { REFB_NUMBERS, refb_sort, REF_TRUE, NULL, 0, cases_sort };

static void refb_argsort(ref_case *c)
{
    int64_t n = refb_along(c, &c->in[0], -1).n;
    refb_ranked(c, ref_int(c, "is_ascend", 1), n, NULL, refb_ranked_out(c, 0, n), NULL);
}
static const char *const cases_argsort[] = {
    "(7)", "(3,5)", "(3,5)int[0,3]", "(3,5)int[0,3] | is_ascend=False", "(4,3) | axis=0",
    "(4,3)int[0,2] | axis=0 is_ascend=False", "(4,3)int[0,4] | axis=None", "(2,4,3) | axis=1 dtype=int32",
    "(2,4,3) | axis=-3 dtype=int64", "(2,1,4,3) | axis=2 dtype=float64",
    "(2,1,3,2,2) | axis=-3 dtype=float16", "(3,5) | dtype=uint8", "(1)", "(3,1)", "(2,70)int[0,9]", "(2,0)",
    NULL };
static const ref_op ref_argsort = { REFB_NUMBERS, refb_argsort, REF_ZERO, NULL, 0, cases_argsort };

static void refb_arg(ref_case *c, int sign)
{
    const ref_tensor *x = &c->in[0];
    refb_lines l = refb_along(c, x, REF_NONE);
    refb_reduced(c, x, REF_NONE);
    for (int64_t line = 0; line < l.outer * l.inner; line++) {
        const double *v = x->v + line / l.inner * l.n * l.inner + line % l.inner;
        int64_t best = 0;
        for (int64_t j = 1; j < l.n; j++) if (sign * v[j * l.inner] > sign * v[best * l.inner]) best = j;
        c->out[0].v[line] = (double)best;
    }
}
static void refb_argmax(ref_case *c) { refb_arg(c, 1); }
static void refb_argmin(ref_case *c) { refb_arg(c, -1); }
static const char *const cases_refb_arg[] = {
    "(7)", "(3,5)", "(3,5)int[0,3]", "(3,5) | axis=None", "(3,5) | keepdims=True", "(3,5) | axis=1",
    "(3,5)int[0,3] | axis=1", "(3,5)int[0,2] | axis=0", "(3,5) | axis=-1 keepdims=True", "(5) | axis=0",
    "(2,3,4) | axis=1", "(2,3,4) | axis=-3 keepdims=True", "(2,1,3,4) | axis=1", "(2,1,3,4)int[0,2] | axis=2",
    "(2,2,3,1,2) | axis=-1", "(1)", "(3,70) | axis=1", "(0,3) | axis=1", NULL };
static const ref_op ref_argmax = { REFB_NUMBERS, refb_argmax, REF_ZERO, NULL, 0, cases_refb_arg };
static const ref_op ref_argmin = { REFB_NUMBERS, refb_argmin, REF_ZERO, NULL, 0, cases_refb_arg };

static void refb_argmax_channel(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int64_t inner = 1, dim[8];
    for (int d = 0; d < x->ndim; d++) if (d != 1) dim[d - (d > 1)] = x->dim[d];
    for (int d = 2; d < x->ndim; d++) inner *= x->dim[d];
    double *y = ref_out(c, 0, x->ndim - 1, dim);
    for (int64_t i = 0; i < c->out[0].size; i++) {
        const double *line = x->v + i / inner * x->dim[1] * inner + i % inner;
        for (int64_t j = 1; j < x->dim[1]; j++) if (line[j * inner] > line[(int64_t)y[i] * inner]) y[i] = (double)j;
    }
}
static const char *const cases_argmax_channel[] = {
    "(3,5)", "(3,5)int[0,2]", "(1,1)", "(1,7)", "(7,1)", "(0,3)", "(5,17,1)", "(2,5,3,2)", NULL };
static const ref_op ref_argmax_channel = {
    REFB_NUMBERS, refb_argmax_channel, REF_ZERO, NULL, 0, cases_argmax_channel };

/* --- sequences: time is one of the first two axes, the batch the other --- */
static int64_t refb_length(const ref_tensor *data, const ref_tensor *lengths, int time, int64_t n)
{
    int64_t steps = data->dim[time];
    return lengths && lengths->v[n] < (double)steps ? (int64_t)lengths->v[n] : steps;
}
static const ref_tensor *refb_lengths(const ref_case *c, int i)
{
    return ref_int(c, "use_sequence_length", 0) ? &c->in[i] : NULL;
}
REFB_SOURCE(refb_from_sequence_mask)
{
    int time = ref_int(c, "axis", 0);
    for (int d = 0; d < data->ndim; d++) from[d] = at[d];
    return at[time] < refb_length(data, index, time, at[1 - time]);
}
static void refb_sequence_mask(ref_case *c)
{
    refb_out_like(c, &c->in[0]);
    refb_gather(c, &c->in[0], refb_lengths(c, 1), refb_from_sequence_mask, ref_num(c, "value", 0));
}
static const char *const cases_sequence_mask[] = {
    "(4,3)", "(4,3,2)", "(4,3,2) | use_sequence_length=False value=1.5 axis=1",
    "(4,3) (3)int[0,4] | use_sequence_length=True", "(4,3,2) (3)int[0,4] | use_sequence_length=True",
    "(4,3,2) (3)int[1,4] | use_sequence_length=True value=1.5",
    "(3,4,2) (3)int[0,4] | use_sequence_length=True axis=1",
    "(2,5,2,2) (2)int[0,5] | use_sequence_length=True axis=1 value=3",
    "(5,1,1) (1)int[0,5] | use_sequence_length=True", "(3,2,1,2,2) (2)int[0,3] | use_sequence_length=True",
    "(3,2,0) (2)int[0,3] | use_sequence_length=True", NULL };
static const ref_op ref_sequence_mask = {
    REFB_NUMBERS, refb_sequence_mask, REF_TRUE, NULL, 0, cases_sequence_mask };

REFB_SOURCE(refb_from_sequence_last)
{
    int time = ref_int(c, "axis", 0);
    for (int d = 1; d < data->ndim; d++) from[d] = at[d - 1];
    from[1 - time] = at[0];
    from[time] = refb_length(data, index, time, at[0]) - 1;
    return 1;
}
static void refb_sequence_last(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int64_t dim[8];
    for (int d = 1; d < x->ndim; d++) dim[d - 1] = x->dim[d];
    dim[0] = x->dim[1 - ref_int(c, "axis", 0)];
    ref_out(c, 0, x->ndim - 1, dim);
    refb_gather(c, x, refb_lengths(c, 1), refb_from_sequence_last, 0);
}
static const char *const cases_sequence_last[] = {
    "(4,3)", "(4,3,2)", "(4,3,2) | use_sequence_length=False axis=1",
    "(4,3) (3)int[1,4] | use_sequence_length=True", "(4,3,2) (3)int[1,4] | use_sequence_length=True",
    "(3,4,2) (3)int[1,4] | use_sequence_length=True axis=1",
    "(2,5,2,2) (2)int[1,5] | use_sequence_length=True axis=1",
    "(1,3,2) (3)int[1,1] | use_sequence_length=True", "(3,2,1,2,2) (2)int[1,3] | use_sequence_length=True",
    "(3,2,0) (2)int[1,3] | use_sequence_length=True", NULL };
static const ref_op ref_sequence_last = {
    REFB_NUMBERS, refb_sequence_last, REF_TRUE, NULL, 0, cases_sequence_last };

static void refb_sequence_last_grad(ref_case *c)
{
    refb_out_like(c, &c->in[1]);
    refb_scatter(c, refb_lengths(c, 2), refb_from_sequence_last, 1);
}
static const char *const cases__sequence_last_grad[] = {
    "(3) (4,3)", "(3,2) (4,3,2)", "(4,2) (4,3,2) | axis=1",
    "(3) (4,3) (3)int[1,4] | use_sequence_length=True",
    "(3,2) (4,3,2) (3)int[1,4] | use_sequence_length=True",
    "(2,2,2) (2,5,2,2) (2)int[1,5] | use_sequence_length=True axis=1",
    "(2,1,2,2) (3,2,1,2,2) (2)int[1,3] | use_sequence_length=True", NULL };
static const ref_op ref__sequence_last_grad = {
    REFB_SUMS, refb_sequence_last_grad, REF_TRUE, NULL, 0, cases__sequence_last_grad };

REFB_SOURCE(refb_from_sequence_reverse)
{
    int time = ref_int(c, "axis", 0);
    int64_t length = refb_length(data, index, time, at[1 - time]);
    for (int d = 0; d < data->ndim; d++) from[d] = at[d];
    if (at[time] < length) from[time] = length - 1 - at[time];
    return 1;
}
static void refb_sequence_reverse(ref_case *c)
{
    refb_out_like(c, &c->in[0]);
    refb_gather(c, &c->in[0], refb_lengths(c, 1), refb_from_sequence_reverse, 0);
}
static const char *const cases_sequence_reverse[] = {
    "(4,3)", "(4,3,2)", "(4,3,2) | use_sequence_length=False axis=0",
    "(4,3) (3)int[1,4] | use_sequence_length=True", "(4,3,2) (3)int[0,4] | use_sequence_length=True",
    "(5,2,2,2) (2)int[1,5] | use_sequence_length=True", "(1,3,2) (3)int[1,1] | use_sequence_length=True",
    "(3,2,1,2,2) (2)int[1,3] | use_sequence_length=True", "(3,2,0) (2)int[1,3] | use_sequence_length=True",
    NULL };
static const ref_op ref_sequence_reverse = {
    REFB_NUMBERS, refb_sequence_reverse, REF_TRUE, NULL, 0, cases_sequence_reverse };

/* --- rnn ---
 * Parameters: for each layer and direction wx (GH, in), wh (GH, P) and, if projected, wp (P, H); then, in the
 * same order, bx (GH) and bh (GH). H hidden units, P = H without projection, G gates. */
static double refb_sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double refb_dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}
/* One step: a = wx x + bx and b = wh h + bh hold the gates; new h (H, not yet projected) and cell. */
static void refb_cell(const ref_case *c, int64_t H, const double *a, const double *b, double *h, double *cell)
{
    int lstm = ref_is(c, "mode", "lstm", 0), gru = ref_is(c, "mode", "gru", 0);
    int relu = ref_is(c, "mode", "rnn_relu", 0);
    double low = ref_num(c, "lstm_state_clip_min", -HUGE_VAL);
    double high = ref_num(c, "lstm_state_clip_max", HUGE_VAL);
    for (int64_t j = 0; j < H; j++) {
        if (lstm) {                                                 /* gates i, f, g, o */
            double i = refb_sigmoid(a[j] + b[j]), f = refb_sigmoid(a[H + j] + b[H + j]);
            double g = tanh(a[2 * H + j] + b[2 * H + j]), o = refb_sigmoid(a[3 * H + j] + b[3 * H + j]);
            double s = f * cell[j] + i * g;
            cell[j] = s < low ? low : s > high ? high : s;
            h[j] = o * tanh(cell[j]);
        } else if (gru) {                                           /* gates r, z, n */
            double r = refb_sigmoid(a[j] + b[j]), z = refb_sigmoid(a[H + j] + b[H + j]);
            double n = tanh(a[2 * H + j] + r * b[2 * H + j]);
            h[j] = (1 - z) * n + z * h[j];
        } else {
            double s = a[j] + b[j];
            h[j] = relu ? (s > 0 ? s : 0) : tanh(s);
        }
    }
}
static void refb_rnn(ref_case *c)
{
    const ref_tensor *data = &c->in[0], *state = &c->in[2];
    int lstm = ref_is(c, "mode", "lstm", 0), G = lstm ? 4 : ref_is(c, "mode", "gru", 0) ? 3 : 1;
    int L = ref_int(c, "num_layers", 1), D = 1 + ref_int(c, "bidirectional", 0);
    int keep = ref_int(c, "state_outputs", 0), projected = ref_int(c, "projection_size", 0) > 0;
    int64_t T = data->dim[0], N = data->dim[1], in = data->dim[2];
    int64_t H = ref_int(c, "state_size", 1), P = projected ? ref_int(c, "projection_size", 0) : H;
    const ref_tensor *lengths = refb_lengths(c, lstm ? 4 : 3);
    double *last = keep ? ref_out(c, 1, 3, state->dim) : NULL;
    double *last_cell = keep && lstm ? ref_out(c, 2, 3, c->in[3].dim) : NULL;
    int64_t dim[3] = { T, N, P * D };
    double *y = ref_out(c, 0, 3, dim);
    double *x = (double *)calloc((size_t)(data->size + c->out[0].size + 1), sizeof *x);   /* of this layer */
    double *a = (double *)calloc((size_t)(2 * G * H + P + 2 * H), sizeof *a);
    double *b = a + G * H, *h = b + G * H, *full = h + P, *cell = full + H;
    const double *w = c->in[1].v, *bias = w + c->in[1].size - 2 * G * H * D * L;
    memcpy(x, data->v, (size_t)data->size * sizeof *x);
    for (int l = 0; l < L; l++) {
        for (int d = 0; d < D; d++) {
            const double *wx = w, *wh = wx + G * H * in, *wp = wh + G * H * P;
            for (int64_t n = 0; n < N; n++) {
                int64_t steps = refb_length(data, lengths, 0, n), at = (l * D + d) * N + n;
                memcpy(h, state->v + at * P, (size_t)P * sizeof *h);
                if (lstm) memcpy(cell, c->in[3].v + at * H, (size_t)H * sizeof *h);
                for (int64_t s = 0; s < steps; s++) {
                    int64_t t = d ? steps - 1 - s : s;
                    for (int64_t g = 0; g < G * H; g++) {
                        a[g] = refb_dot(wx + g * in, x + (t * N + n) * in, in) + bias[g];
                        b[g] = refb_dot(wh + g * P, h, P) + bias[G * H + g];
                    }
                    if (!projected) memcpy(full, h, (size_t)H * sizeof *h);
                    refb_cell(c, H, a, b, full, cell);
                    for (int64_t j = 0; j < P; j++)
                        h[j] = projected ? refb_dot(wp + j * H, full, H) : full[j];
                    memcpy(y + ((t * N + n) * D + d) * P, h, (size_t)P * sizeof *h);
                }
                if (last) memcpy(last + at * P, h, (size_t)P * sizeof *h);
                if (last_cell) memcpy(last_cell + at * H, cell, (size_t)H * sizeof *h);
            }
            w = wp + (projected ? P * H : 0);
            bias += 2 * G * H;
        }
        in = P * D;
        memcpy(x, y, (size_t)c->out[0].size * sizeof *x);
    }
    free(x);
    free(a);
}
static const char *const cases_rnn[] = {
    "(4,2,3) (14)[-0.5,0.5] (1,2,2) | state_size=2 num_layers=1 mode=rnn_relu",
    "(3,2,2) (21)[-0.5,0.5] (1,2,3) | state_size=3 num_layers=1 mode=rnn_relu state_outputs=True",
    "(3,2,2) (24)[-0.5,0.5] (2,2,2) | state_size=2 num_layers=2 mode=rnn_relu state_outputs=True",
    "(3,1,2) (24)[-0.5,0.5] (2,1,2) | state_size=2 num_layers=1 mode=rnn_relu bidirectional=True",
    "(3,2,2) (108)[-0.5,0.5] (4,2,3)"
        " | state_size=3 num_layers=2 mode=rnn_relu bidirectional=True state_outputs=True",
    "(1,1,1) (4)[-0.5,0.5] (1,1,1) | state_size=1 num_layers=1 mode=rnn_relu state_outputs=True",
    "(4,3,2) (12)[-0.5,0.5] (1,3,2) (3)int[1,4]"
        " | state_size=2 num_layers=1 mode=rnn_relu use_sequence_length=True",
    "(4,3,2) (24)[-0.5,0.5] (2,3,2) (3)int[1,4]"
        " | state_size=2 num_layers=1 mode=rnn_relu bidirectional=True state_outputs=True"
        " use_sequence_length=True",
    "(3,2,2) (56)[-0.5,0.5] (4,2,2) (2)int[2,3]"
        " | state_size=2 num_layers=2 mode=rnn_relu bidirectional=True state_outputs=True"
        " use_sequence_length=True",
    "(3,2,3) (26)[-0.5,0.5] (2,2,2) | state_size=2 num_layers=2 mode=rnn_relu p=0.5",
    "(2,0,2) (12)[-0.5,0.5] (1,0,2) | state_size=2 num_layers=1 mode=rnn_relu state_outputs=True",
    "(4,2,3) (14)[-0.5,0.5] (1,2,2) | state_size=2 num_layers=1 mode=rnn_tanh",
    "(3,2,2) (21)[-0.5,0.5] (1,2,3) | state_size=3 num_layers=1 mode=rnn_tanh state_outputs=True",
    "(3,2,2) (24)[-0.5,0.5] (2,2,2) | state_size=2 num_layers=2 mode=rnn_tanh state_outputs=True",
    "(3,1,2) (24)[-0.5,0.5] (2,1,2) | state_size=2 num_layers=1 mode=rnn_tanh bidirectional=True",
    "(3,2,2) (108)[-0.5,0.5] (4,2,3)"
        " | state_size=3 num_layers=2 mode=rnn_tanh bidirectional=True state_outputs=True",
    "(1,1,1) (4)[-0.5,0.5] (1,1,1) | state_size=1 num_layers=1 mode=rnn_tanh state_outputs=True",
    "(4,3,2) (12)[-0.5,0.5] (1,3,2) (3)int[1,4]"
        " | state_size=2 num_layers=1 mode=rnn_tanh use_sequence_length=True",
    "(4,3,2) (12)[-0.5,0.5] (1,3,2) (3)[1.2,3.8]"
        " | state_size=2 num_layers=1 mode=rnn_tanh use_sequence_length=True",
    "(4,3,2) (24)[-0.5,0.5] (2,3,2) (3)int[1,4]"
        " | state_size=2 num_layers=1 mode=rnn_tanh bidirectional=True state_outputs=True"
        " use_sequence_length=True",
    "(3,2,2) (56)[-0.5,0.5] (4,2,2) (2)int[2,3]"
        " | state_size=2 num_layers=2 mode=rnn_tanh bidirectional=True state_outputs=True"
        " use_sequence_length=True",
    "(3,2,3) (26)[-0.5,0.5] (2,2,2) | state_size=2 num_layers=2 mode=rnn_tanh p=0.5",
    "(2,0,2) (12)[-0.5,0.5] (1,0,2) | state_size=2 num_layers=1 mode=rnn_tanh state_outputs=True",
    "(4,2,3) (56)[-0.5,0.5] (1,2,2) (1,2,2) | state_size=2 num_layers=1 mode=lstm",
    "(3,2,2) (84)[-0.5,0.5] (1,2,3) (1,2,3) | state_size=3 num_layers=1 mode=lstm state_outputs=True",
    "(3,2,2) (96)[-0.5,0.5] (2,2,2) (2,2,2) | state_size=2 num_layers=2 mode=lstm state_outputs=True",
    "(3,1,2) (96)[-0.5,0.5] (2,1,2) (2,1,2) | state_size=2 num_layers=1 mode=lstm bidirectional=True",
    "(3,2,2) (224)[-0.5,0.5] (4,2,2) (4,2,2)"
        " | state_size=2 num_layers=2 mode=lstm bidirectional=True state_outputs=True",
    "(1,1,1) (16)[-0.5,0.5] (1,1,1) (1,1,1) | state_size=1 num_layers=1 mode=lstm state_outputs=True",
    "(4,3,2) (48)[-0.5,0.5] (1,3,2) (1,3,2) (3)int[1,4]"
        " | state_size=2 num_layers=1 mode=lstm use_sequence_length=True",
    "(4,3,2) (96)[-0.5,0.5] (2,3,2) (2,3,2) (3)int[1,4]"
        " | state_size=2 num_layers=1 mode=lstm bidirectional=True state_outputs=True"
        " use_sequence_length=True",
    "(3,2,2) (224)[-0.5,0.5] (4,2,2) (4,2,2) (2)int[2,3]"
        " | state_size=2 num_layers=2 mode=lstm bidirectional=True state_outputs=True"
        " use_sequence_length=True",
    "(3,2,3) (104)[-0.5,0.5] (2,2,2) (2,2,2) | state_size=2 num_layers=2 mode=lstm p=0.5",
    "(2,0,2) (48)[-0.5,0.5] (1,0,2) (1,0,2) | state_size=2 num_layers=1 mode=lstm state_outputs=True",
    "(4,2,3) (42)[-0.5,0.5] (1,2,2) | state_size=2 num_layers=1 mode=gru",
    "(3,2,2) (63)[-0.5,0.5] (1,2,3) | state_size=3 num_layers=1 mode=gru state_outputs=True",
    "(3,2,2) (72)[-0.5,0.5] (2,2,2) | state_size=2 num_layers=2 mode=gru state_outputs=True",
    "(3,1,2) (72)[-0.5,0.5] (2,1,2) | state_size=2 num_layers=1 mode=gru bidirectional=True",
    "(3,2,2) (168)[-0.5,0.5] (4,2,2)"
        " | state_size=2 num_layers=2 mode=gru bidirectional=True state_outputs=True",
    "(1,1,1) (12)[-0.5,0.5] (1,1,1) | state_size=1 num_layers=1 mode=gru state_outputs=True",
    "(4,3,2) (36)[-0.5,0.5] (1,3,2) (3)int[1,4]"
        " | state_size=2 num_layers=1 mode=gru use_sequence_length=True",
    "(4,3,2) (72)[-0.5,0.5] (2,3,2) (3)int[1,4]"
        " | state_size=2 num_layers=1 mode=gru bidirectional=True state_outputs=True"
        " use_sequence_length=True",
    "(3,2,2) (168)[-0.5,0.5] (4,2,2) (2)int[2,3]"
        " | state_size=2 num_layers=2 mode=gru bidirectional=True state_outputs=True"
        " use_sequence_length=True",
    "(3,2,3) (78)[-0.5,0.5] (2,2,2) | state_size=2 num_layers=2 mode=gru p=0.5",
    "(2,0,2) (36)[-0.5,0.5] (1,0,2) | state_size=2 num_layers=1 mode=gru state_outputs=True",
    "(3,2,3) (170)[-0.5,0.5] (3,2,5) | state_size=5 num_layers=3 mode=rnn_tanh state_outputs=True",
    "(4,2,3) (56)[-0.5,0.5] (1,2,2) (1,2,2)"
        " | state_size=2 num_layers=1 mode=lstm state_outputs=True lstm_state_clip_min=-0.25"
        " lstm_state_clip_max=0.5",
    "(3,2,2) (224)[-0.5,0.5] (4,2,2) (4,2,2)"
        " | state_size=2 num_layers=2 mode=lstm bidirectional=True state_outputs=True"
        " lstm_state_clip_min=-0.25 lstm_state_clip_max=0.5 lstm_state_clip_nan=True",
    "(4,2,3) (90)[-0.5,0.5] (1,2,2) (1,2,3) | state_size=3 num_layers=1 mode=lstm projection_size=2",
    "(3,2,3) (84)[-0.5,0.5] (2,2,1) (2,2,2)"
        " | state_size=2 num_layers=2 mode=lstm projection_size=1 state_outputs=True",
    "(3,2,2) (62)[-0.5,0.5] (1,2,3) (1,2,2)"
        " | state_size=2 num_layers=1 mode=lstm projection_size=3 state_outputs=True",
    "(3,2,2) (52)[-0.5,0.5] (1,2,2) (1,2,2)"
        " | state_size=2 num_layers=1 mode=lstm projection_size=2 state_outputs=True",
    "(3,2,2) (126)[-0.5,0.5] (2,2,1) (2,2,3)"
        " | state_size=3 num_layers=1 mode=lstm bidirectional=True projection_size=1 state_outputs=True",
    "(4,2,2) (168)[-0.5,0.5] (4,2,1) (4,2,2) (2)int[1,4]"
        " | state_size=2 num_layers=2 mode=lstm bidirectional=True projection_size=1 state_outputs=True"
        " use_sequence_length=True lstm_state_clip_min=-0.25 lstm_state_clip_max=0.5", NULL };
static const ref_op ref_rnn = { "fdhb", refb_rnn, REF_TRUE, NULL, 2e-6, cases_rnn };

static const char *const cases__rnn_grad[] = { NULL };
static const ref_op ref__rnn_grad = { "fdhb", NULL, REF_ELSEWHERE, NULL, 2e-6, cases__rnn_grad };

/* --- random numbers: only their range and moments can be checked --- */
static const char *const cases_random_uniform[] = {
    "| shape=(40,50)", "| shape=(2000,) low=-3 high=5", "| shape=(2,3,4)", "| shape=(1,) low=2 high=2.5",
    "| shape=(30,40) dtype=float64", "| shape=(30,40) low=-1 dtype=float16", "| shape=(3,2,1,2,2) high=0.25",
    "| shape=(0,3)", NULL };
static const ref_op ref_random_uniform = { "f", NULL, REF_ZERO, NULL, 0, cases_random_uniform };
static const char *const cases_random_normal[] = {
    "| shape=(40,50)", "| shape=(2000,) loc=-3 scale=0.5", "| shape=(2001,) loc=10 scale=4", "| shape=(1,)",
    "| shape=(2,3,4) scale=2", "| shape=(30,40) dtype=float64", "| shape=(30,40) loc=1 dtype=float16",
    "| shape=(2,1,3,2,3)", "| shape=(3,0)", NULL };
static const ref_op ref_random_normal = { "f", NULL, REF_ZERO, NULL, 0, cases_random_normal };
static const char *const cases_random_exponential[] = {
    "| shape=(40,50)", "| shape=(2000,) lam=4", "| shape=(2000,) lam=0.25", "| shape=(1,)",
    "| shape=(30,40) lam=2 dtype=float64", "| shape=(30,40) dtype=float16", "| shape=(2,1,3,2,3)",
    "| shape=(0,)", NULL };
static const ref_op ref_random_exponential = { "f", NULL, REF_ZERO, NULL, 0, cases_random_exponential };
static const char *const cases_random_gamma[] = {
    "| shape=(40,50)", "| shape=(2000,) alpha=0.5 beta=2", "| shape=(2000,) alpha=9", "| shape=(1,)",
    "| shape=(30,40) alpha=3 beta=0.5 dtype=float64", "| shape=(30,40) dtype=float16", "| shape=(0,)", NULL };
static const ref_op ref_random_gamma = { "f", NULL, REF_ZERO, NULL, 0, cases_random_gamma };
static const char *const cases_random_poisson[] = {
    "| shape=(40,50)", "| shape=(2000,) lam=0.25", "| shape=(2000,) lam=30", "| shape=(30,40) lam=1000 dtype=float64",
    "| shape=(30,) lam=0", "| shape=(0,)", NULL };
static const ref_op ref_random_poisson = { "f", NULL, REF_ZERO, NULL, 0, cases_random_poisson };
static const char *const cases_random_negative_binomial[] = {
    "| shape=(40,50) k=3 p=0.5", "| shape=(2000,) k=1 p=0.1", "| shape=(20,) k=2 p=1", "| shape=(0,)", NULL };
static const ref_op ref_random_negative_binomial = { "f", NULL, REF_ZERO, NULL, 0, cases_random_negative_binomial };
static const char *const cases_random_general_negative_binomial[] = {
    "| shape=(40,50) mu=3 alpha=0.5", "| shape=(2000,) mu=2 alpha=0", "| shape=(20,) mu=0", "| shape=(0,)", NULL };
static const ref_op ref_random_general_negative_binomial = {
    "f", NULL, REF_ZERO, NULL, 0, cases_random_general_negative_binomial };
static const char *const cases_sample_multinomial[] = {
    "(5)[0.1,1]", "(3,4)[0.1,1]", "(2,3,4)[0.1,1] | shape=(6,)", "(4)[0.5,1] | shape=(2,3)", "(2,4)[0.1,1] | dtype=float32",
    "(0,4)[0.1,1]", NULL };
static const ref_op ref_sample_multinomial = { "fdhb", NULL, REF_ZERO, NULL, 0, cases_sample_multinomial };
static const char *const cases__sample_gamma[] = {
    "(40,50)[0.5,3] (40,50)[1,2]", "(2)[1,2] (2)[1,2] | shape=(30,40)", "(3)[1,2] (3)[1,2] | dtype=float64", "()[1,2] ()[1,2]",
    "(0,4)[1,2] (0,4)[1,2]", "(2)[1,2] (2)[1,2] | shape=(0,)", "(2000)[9,9] (2000)[1,1] | dtype=float16", NULL };
static const ref_op ref__sample_gamma = { "fdhb", NULL, REF_ZERO, NULL, 0, cases__sample_gamma };
static const char *const cases_random_randint[] = {
    "| shape=(40,50) low=0 high=10", "| shape=(2000,) low=-5 high=6", "| shape=(5,) low=3 high=4",
    "| shape=(2,3,4) low=0 high=2", "| shape=(40,50) low=-5000000000 high=5000000000 dtype=int64",
    "| shape=(30,40) low=-2147483648 high=2147483647", "| shape=(0,3) low=0 high=9", NULL };
static const ref_op ref_random_randint = { "f", NULL, REF_ZERO, NULL, 0, cases_random_randint };
static const char *const cases_uniform_like[] = {
    "(40,50)", "(2000) | low=-3 high=5", "(2,3,4) | high=0.25", "(1) | low=0.5", "(2,1,3,2,3)", "(0,3)",
    NULL };
static const ref_op ref_uniform_like = { "fdhb", NULL, REF_ZERO, NULL, 0, cases_uniform_like };
static const char *const cases_normal_like[] = {
    "(40,50)", "(2001) | loc=-3 scale=0.5", "(2000) | loc=2", "(2,3,4) | scale=4", "(1)", "(2,1,3,2,3)",
    "(0,3)", NULL };
static const ref_op ref_normal_like = { "fdhb", NULL, REF_ZERO, NULL, 0, cases_normal_like };
static const char *const cases_exponential_like[] = {
    "(40,50)", "(2000) | lam=4", "(2000) | lam=0.25", "(2,3,4)", "(1)", "(2,1,3,2,3)", "(0,3)", NULL };
static const ref_op ref_exponential_like = { "fdhb", NULL, REF_ZERO, NULL, 0, cases_exponential_like };
static const char *const cases_shuffle[] = {
    "(100)perm", "(20,3)perm", "(1)", "(1,5)", "(6,2,3)", "(4,1,2,2,2)", "(0,3)", "(3,0)", NULL };
static const ref_op ref_shuffle = { REFB_NUMBERS, NULL, REF_TRUE, NULL, 0, cases_shuffle };

/* --- fresh arrays --- */
static double *refb_fresh(ref_case *c, double value)
{
    int64_t dim[8];
    int ndim = ref_ints(c, "shape", dim, 8);
    ref_out(c, 0, ndim, dim);
    for (int64_t i = 0; i < c->out[0].size; i++) c->out[0].v[i] = value;
    return c->out[0].v;
}
static void refb_zeros(ref_case *c) { refb_fresh(c, 0); }
static void refb_ones(ref_case *c) { refb_fresh(c, 1); }
static void refb_full(ref_case *c) { refb_fresh(c, ref_num(c, "value", 0)); }
static const char *const cases_refb_fresh[] = {
    "| shape=(3,)", "| shape=(2,3)", "| shape=(1,2,1,3,2)", "| shape=(0,3)", "| shape=(2,3) dtype=float32",
    "| shape=(2,3) dtype=float64", "| shape=(5,) dtype=float16", "| shape=(3,) dtype=bfloat16",
    "| shape=(3,) dtype=uint8", "| shape=(2,2) dtype=int8", "| shape=(3,1) dtype=int32",
    "| shape=(3,) dtype=int64", "| shape=(3,) dtype=bool", NULL };
static const ref_op ref__zeros = { "f", refb_zeros, REF_ZERO, NULL, 0, cases_refb_fresh };
static const ref_op ref__ones = { "f", refb_ones, REF_ZERO, NULL, 0, cases_refb_fresh };
static const char *const cases__full[] = {
    "| shape=(3,) value=2.5", "| shape=(2,3) value=-0.125", "| shape=(1,2,1,3,2) value=0",
    "| shape=(0,3) value=1", "| shape=(2,3) value=1.5 dtype=float32",
    "| shape=(2,3) value=1e-3 dtype=float64", "| shape=(5,) value=1.5 dtype=float16",
    "| shape=(5,) value=-4 dtype=bfloat16", "| shape=(3,) value=200 dtype=uint8",
    "| shape=(2,2) value=-100 dtype=int8", "| shape=(3,1) value=-2.75 dtype=int32",
    "| shape=(3,) value=5000000000 dtype=int64", NULL };
static const ref_op ref__full = { "f", refb_full, REF_ZERO, NULL, 0, cases__full };

static void refb_eye(ref_case *c)
{
    int64_t dim[2], k = ref_int(c, "k", 0);
    dim[0] = ref_int(c, "N", 0);
    dim[1] = ref_int(c, "M", 0) ? ref_int(c, "M", 0) : dim[0];
    double *y = ref_out(c, 0, 2, dim);
    for (int64_t i = 0; i < dim[0]; i++) for (int64_t j = 0; j < dim[1]; j++) y[i * dim[1] + j] = j - i == k;
}
static const char *const cases__eye[] = {
    "| N=3", "| N=1", "| N=3 M=0", "| N=3 M=5", "| N=5 M=3", "| N=4 k=1", "| N=4 k=-2", "| N=3 M=4 k=3",
    "| N=3 M=4 k=7", "| N=3 M=4 k=-9", "| N=3 dtype=float64", "| N=3 M=2 dtype=int32",
    "| N=2 k=1 dtype=float16", NULL };
static const ref_op ref__eye = { "f", refb_eye, REF_ZERO, NULL, 0, cases__eye };

static void refb_arange(ref_case *c)
{
    double start = ref_num(c, "start", 0), stop = ref_num(c, "stop", start), step = ref_num(c, "step", 1);
    int64_t repeat = ref_int(c, "repeat", 1), n;
    if (refb_none(c, "stop", 1)) start = 0;                         /* a lone number is the bound */
    n = (int64_t)ceil((stop - start) / step) * repeat;
    if (strstr(c->attrs, "int")) { start = trunc(start); step = trunc(step); }     /* counted in the type of the result */
    double *y = ref_out(c, 0, 1, &n);
    for (int64_t i = 0; i < n; i++) y[i] = start + step * (double)(i / repeat);
}
static const char *const cases__arange[] = {
    "| start=5", "| start=5 stop=None", "| start=2 stop=7", "| start=0 stop=5 step=2",
    "| start=-1 stop=1 step=0.25", "| start=5 stop=0 step=-1", "| start=5 stop=0.5 step=-1.5",
    "| start=1 stop=4 repeat=3", "| start=0 stop=1 step=0.3 repeat=2", "| start=3 dtype=int32",
    "| start=-3 stop=8 step=3 dtype=int64", "| start=0 stop=3 step=0.5 dtype=float64",
    "| start=0 stop=9 dtype=float16", "| start=0.5 stop=90 step=0.3", "| start=1 stop=6 repeat=2 dtype=uint8",
    "| start=1.3 stop=6 step=1.3 dtype=int32", "| start=5.7 stop=0 step=-1.5 dtype=int64", "| start=0.5 stop=3 step=0.5 repeat=2 dtype=uint8", NULL };
static const ref_op ref__arange = { "f", refb_arange, REF_ZERO, NULL, 1e-6, cases__arange };

static void refb_linspace(ref_case *c)
{
    double start = ref_num(c, "start", 0), stop = ref_num(c, "stop", 0);
    int64_t n = ref_int(c, "num", 0), gaps = n - ref_int(c, "endpoint", 1);
    double *y = ref_out(c, 0, 1, &n);
    for (int64_t i = 0; i < n; i++)
        y[i] = gaps > 0 ? start + (stop - start) * (double)i / (double)gaps : start;
}
static const char *const cases__linspace[] = {
    "| start=0 stop=1 num=5", "| start=-2 stop=3 num=7", "| start=3 stop=-1 num=4", "| start=2 stop=5 num=1",
    "| stop=4 num=3", "| start=0 stop=1 num=5 endpoint=False", "| start=2 stop=5 num=1 endpoint=False",
    "| start=1 stop=1 num=3", "| start=0 stop=1 num=11 dtype=float64", "| start=0 stop=8 num=9 dtype=int32",
    "| start=0 stop=2 num=6 endpoint=True dtype=float16", "| start=0 stop=1 num=0", NULL };
static const ref_op ref__linspace = { "f", refb_linspace, REF_ZERO, NULL, 1e-6, cases__linspace };

static void refb_logspace(ref_case *c)
{
    double start = ref_num(c, "start", 0), stop = ref_num(c, "stop", 0);
    int64_t n = ref_int(c, "num", 0), gaps = n - ref_int(c, "endpoint", 1);
    double *y = ref_out(c, 0, 1, &n);
    for (int64_t i = 0; i < n; i++)
        y[i] = pow(ref_num(c, "base", 10), gaps > 0 ? start + (stop - start) * (double)i / (double)gaps : start);
}
static const char *const cases__logspace[] = {
    "| start=0 stop=1 num=5", "| start=-1 stop=2 num=7 base=2", "| start=1.5 stop=-1 num=4", "| start=2 stop=3 num=1",
    "| start=0 stop=4 num=3 base=1.5", "| start=0 stop=1 num=5 endpoint=False", "| start=2 stop=5 num=1 endpoint=False base=3",
    "| start=0 stop=3 num=4 dtype=int32", "| start=0.05 stop=2.05 num=9 dtype=uint8", "| start=0 stop=1 num=11 dtype=float64 base=0.5",
    "| start=0 stop=2 num=6 endpoint=True dtype=float16", "| start=0 stop=1 num=0", NULL };
static const ref_op ref__logspace = { "f", refb_logspace, REF_ZERO, NULL, 1e-6, cases__logspace };

static void refb_at_least(ref_case *c, int least)
{
    for (int k = 0; k < c->nin; k++) {
        const ref_tensor *x = &c->in[k];
        int64_t dim[8] = { 1, 1, 1 };
        int ndim = x->ndim < least ? least : x->ndim;
        for (int d = 0; d < x->ndim; d++) dim[d + (x->ndim == 1 && least > 1)] = x->dim[d];
        memcpy(ref_out(c, k, ndim, dim), x->v, (size_t)x->size * sizeof(double));
    }
}
#define REFB_AT_LEAST(n) \
    static void refb_atleast_##n(ref_case *c) { refb_at_least(c, n); } \
    static const char *const cases_atleast_##n##d[] = { \
        "(5) | num_args=1", "() | num_args=1", "() (2,3) (4) | num_args=3", "(3,2,2) (1) | num_args=2", "(2,1,3,2) | num_args=1", \
        "(0,3) (0) | num_args=2", NULL }; \
    static const ref_op ref_atleast_##n##d = { REFB_MOVES, refb_atleast_##n, REF_TRUE, NULL, 0, cases_atleast_##n##d };
REFB_AT_LEAST(1)
REFB_AT_LEAST(2)
REFB_AT_LEAST(3)

static void refb_index_array(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int64_t axis[8], dim[9], step[9];
    int n = ref_ints(c, "axes", axis, 8), d;
    double *y;
    if (n < 0) for (n = x->ndim, d = 0; d < n; d++) axis[d] = d;
    for (d = 0; d < x->ndim; d++) dim[d] = x->dim[d];
    dim[d] = n;
    for (step[x->ndim] = 1, d = x->ndim; d-- > 0; ) step[d] = step[d + 1] * x->dim[d];
    y = ref_out(c, 0, x->ndim + 1, dim);
    for (int64_t i = 0; i < x->size; i++)
        for (d = 0; d < n; d++) {
            int64_t a = axis[d] < 0 ? axis[d] + x->ndim : axis[d];
            y[i * n + d] = (double)(i % step[a] / step[a + 1]);
        }
}
static const char *const cases_index_array[] = {
    "(5)", "(3,2)", "(2,3,4)", "(3,2,2) | axes=(1,0)", "(3,2,4) | axes=(-1,)", "(2,3) | axes=(1,1,-2)", "(2,1,3,2,2) | axes=(2,4)",
    "(0,3)", "(2,0) | axes=(0,)", "(2,3) | axes=()", "()", NULL };
static const ref_op ref_index_array = { REFB_MOVES, refb_index_array, REF_ZERO, NULL, 0, cases_index_array };

static void refb_arange_like(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    double start = ref_num(c, "start", 0), step = ref_num(c, "step", 1);
    int64_t repeat = ref_int(c, "repeat", 1);
    if (refb_none(c, "axis", 1)) refb_out_like(c, x);
    else ref_out(c, 0, 1, &x->dim[refb_axis(ref_int(c, "axis", 0), x->ndim)]);
    for (int64_t i = 0; i < c->out[0].size; i++) c->out[0].v[i] = start + step * (double)(i / repeat);
}
static const char *const cases_arange_like[] = {
    "(5)", "(2,3)", "(2,3) | axis=None", "(2,3) | start=2 step=0.5", "(2,3) | start=-1 step=-2",
    "(2,3) | axis=0", "(2,3) | axis=1", "(2,3,4) | axis=-1 start=1", "(6) | repeat=2",
    "(2,3) | repeat=3 step=0.25", "(2,6) | axis=1 repeat=3", "(1,2,1,2,3)", "(1)", "(0,3)", NULL };
static const ref_op ref_arange_like = { "fdhb", refb_arange_like, REF_ZERO, NULL, 1e-6, cases_arange_like };

/* --- what detectors end with: a box is (left, top, right, bottom) or (middle x, y, width, height) --- */
static void refc_corners(const double *v, int center, double *b)
{
    for (int k = 0; k < 2; k++) {
        b[k] = center ? v[k] - v[k + 2] / 2 : v[k];
        b[k + 2] = center ? v[k] + v[k + 2] / 2 : v[k + 2];
    }
}
static double refc_overlap(const double *a, const double *b)            /* of corners */
{
    double wide = fmin(a[2], b[2]) - fmax(a[0], b[0]), tall = fmin(a[3], b[3]) - fmax(a[1], b[1]);
    double area_a = fmax(a[2] - a[0], 0) * fmax(a[3] - a[1], 0);
    double area_b = fmax(b[2] - b[0], 0) * fmax(b[3] - b[1], 0);
    return wide > 0 && tall > 0 ? wide * tall / (area_a + area_b - wide * tall) : 0;
}

/* from[i] = the row that becomes row i, -1 if none. Of one batch: candidates are taken one by one, the best first. */
static void refc_nms(const ref_case *c, const double *x, int64_t n, int64_t width, int64_t *from)
{
    int coord = ref_int(c, "coord_start", 2), score = ref_int(c, "score_index", 1), id = ref_int(c, "id_index", -1);
    int center = ref_is(c, "in_format", "center", 0), background = ref_int(c, "background_id", -1);
    int64_t most = ref_int(c, "topk", -1), kept = 0;
    char *seen = (char *)calloc((size_t)n + 1, 1);
    if (most < 0 || most > n) most = n;
    for (int64_t i = 0; i < n; i++) from[i] = ref_int(c, "topk", -1) ? -1 : i;
    for (int64_t turn = 0; turn < most; turn++) {
        int64_t best = -1;
        double a[4], b[4];
        int goes = 0;
        for (int64_t i = 0; i < n; i++) {
            if (seen[i] || !(x[i * width + score] > ref_num(c, "valid_thresh", 0))) continue;
            if (id >= 0 && x[i * width + id] == background) continue;
            if (best < 0 || x[i * width + score] > x[best * width + score]) best = i;
        }
        if (best < 0) break;
        seen[best] = 1;
        refc_corners(x + best * width + coord, center, a);
        for (int64_t k = 0; k < kept; k++) {
            int rivals = id < 0 || ref_int(c, "force_suppress", 0) ||
                         trunc(x[best * width + id]) == trunc(x[from[k] * width + id]);
            refc_corners(x + from[k] * width + coord, center, b);
            goes |= rivals && refc_overlap(a, b) > ref_num(c, "overlap_thresh", 0.5);
        }
        if (!goes) from[kept++] = best;
    }
    free(seen);
}
static void refc_turn(double *v, int center)                            /* those that begin below 0 stay */
{
    double b[4];
    refc_corners(v, center, b);
    for (int k = 0; k < 2 && !center; k++) { b[k] = (v[k] + v[k + 2]) / 2; b[k + 2] = v[k + 2] - v[k]; }
    if (v[0] >= 0) memcpy(v, b, sizeof b);
}
/* Each row of the result comes from a row of x, whose gradient goes back to it. */
static void refc_box_rows(const ref_case *c, double *y, const double *dy, double *dx)
{
    const ref_tensor *x = &c->in[0];
    int64_t n = x->dim[x->ndim - 2], width = x->dim[x->ndim - 1], total = n > 0 && width > 0 ? x->size / width : 0;
    int64_t *from = (int64_t *)malloc((size_t)(n + 1) * sizeof *from);
    int turned = ref_is(c, "in_format", "center", 0) != ref_is(c, "out_format", "center", 0) && ref_int(c, "topk", -1);
    for (int64_t first = 0; first < total; first += n) {
        refc_nms(c, x->v + first * width, n, width, from);
        for (int64_t i = 0; i < n; i++) {
            int64_t to = (first + i) * width, at = (first + from[i]) * width;
            for (int64_t k = 0; k < width && y; k++) y[to + k] = from[i] < 0 ? -1 : x->v[at + k];
            if (y && from[i] >= 0 && turned)
                refc_turn(y + to + ref_int(c, "coord_start", 2), ref_is(c, "in_format", "center", 0));
            for (int64_t k = 0; k < width && dx && from[i] >= 0; k++) dx[at + k] += dy[to + k];
        }
    }
    free(from);
}
static void refc_box_nms(ref_case *c) { refc_box_rows(c, refa_like(c, 0, &c->in[0]), NULL, NULL); }
static void refc_box_nms_back(const ref_case *c, const double *const *dy, double *const *dx)
{
    refc_box_rows(c, NULL, dy[0], dx[0]);
}
static const char *const cases_box_nms[] = {
    "(7,6)[0,1]", "(2,9,6)[0,1] | in_format=center out_format=center", "(1,6)[0,1]", "(2,2,5,6)[0,1] | topk=3",
    "(3,12,6)[0,1] | in_format=center overlap_thresh=0.2 topk=8", "(2,8,6)[-1,1] | out_format=center topk=5",
    "(3,20,6)int[0,3] | id_index=0 overlap_thresh=0.1", "(3,20,6)int[0,3] | id_index=0 force_suppress=True",
    "(2,40,6)int[0,4] | id_index=0 in_format=center overlap_thresh=0.3 background_id=2",
    "(2,40,7)int[-1,4] | id_index=6 score_index=0 coord_start=1 in_format=center overlap_thresh=0.25 topk=20",
    "(2,16,8)[0,1] | coord_start=4 score_index=2 id_index=1 background_id=0 in_format=center overlap_thresh=0",
    "(2,11,5)[0,1] | coord_start=0 score_index=4 in_format=center valid_thresh=0.5 overlap_thresh=0.3",
    "(2,9,6)[0,1] | topk=0 out_format=center", "(2,9,6)[0,1] | valid_thresh=2",
    "(400,6)[0,1] | in_format=center overlap_thresh=0.4 topk=30", "(2,300,6)int[0,9] | in_format=center id_index=0",
    "(0,6)", "(2,0,6)", "(0,3,6)", NULL };
static const ref_op ref_box_nms = {
    REFA_FLOATS, refc_box_nms, REF_DECLARED, refc_box_nms_back, 1e-6, cases_box_nms };

static void refc_box_encode(ref_case *c)
{
    int64_t n = c->in[2].dim[1], m = c->in[3].dim[1];
    double *y = ref_out(c, 0, 3, c->in[2].dim), *mask = ref_out(c, 1, 3, c->in[2].dim);
    for (int64_t i = 0; i < c->in[0].size; i++) {
        const double *a = c->in[2].v + 4 * i, *b = c->in[3].v + 4 * (i / n * m + (int64_t)c->in[1].v[i]);
        if (c->in[0].v[i] <= 0.5) continue;
        for (int k = 0; k < 4; k++) {
            double wide = a[k % 2 + 2] - a[k % 2], other = b[k % 2 + 2] - b[k % 2];
            double v = k < 2 ? ((b[k] + b[k + 2]) / 2 - (a[k] + a[k + 2]) / 2) / wide : log(other / wide);
            y[4 * i + k] = (v - c->in[4].v[k]) / c->in[5].v[k];
            mask[4 * i + k] = 1;
        }
    }
}
static const char *const cases_box_encode[] = {
    "(2,3)int[-1,1] (2,3)int[0,1] (2,3,4)[0,1] (2,2,4)[0,1] (4)[-0.2,0.2] (4)[0.5,1]",
    "(1,5)int[1,1] (1,5)int[0,0] (1,5,4)[0,1] (1,1,4)[0,1] (4)[0,0.1] (4)[0.1,0.2]",
    "(3,1)int[0,1] (3,1)int[0,3] (3,1,4)[0,1] (3,4,4)[0,1] (4)[0,1] (4)[1,2]", NULL };
static const ref_op ref_box_encode = { REFA_FLOATS, refc_box_encode, REF_ZERO, NULL, 1e-5, cases_box_encode };

/* The best pair that is left, again and again. */
static void refc_bipartite_matching(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int64_t n = x->dim[x->ndim - 2], m = x->dim[x->ndim - 1], dim[8], batches = x->size ? x->size / (n * m) : 0;
    int up = ref_int(c, "is_ascend", 0), most = ref_int(c, "topk", -1);
    double limit = ref_num(c, "threshold", 0), *row, *column;
    memcpy(dim, x->dim, sizeof dim);
    row = ref_out(c, 0, x->ndim - 1, dim);
    dim[x->ndim - 2] = m;
    column = ref_out(c, 1, x->ndim - 1, dim);
    for (int64_t i = 0; i < c->out[0].size; i++) row[i] = -1;
    for (int64_t i = 0; i < c->out[1].size; i++) column[i] = -1;
    for (int64_t b = 0; b < batches; b++, row += n, column += m)
        for (int pairs = 0; most <= 0 || pairs <= most; pairs++) {
            const double *v = x->v + b * n * m;
            int64_t best = -1;
            for (int64_t i = 0; i < n * m; i++)
                if (row[i / m] < 0 && column[i % m] < 0 && (best < 0 || (up ? v[i] < v[best] : v[i] > v[best]))) best = i;
            if (best < 0 || (up ? v[best] >= limit : v[best] <= limit)) break;
            row[best / m] = (double)(best % m);
            column[best % m] = (double)(best / m);
        }
}
static const char *const cases_bipartite_matching[] = {
    "(3,2)[0,1] | threshold=0.125", "(2,4,3)[0,1] | threshold=0.5", "(5,5)[0,1] | threshold=0.75 is_ascend=True", "(4,6)int[0,5] | threshold=2",
    "(2,3,4,4)int[0,9] | threshold=1 topk=2", "(3,7)[0,1] | threshold=2", "(1,1)[1,2] | threshold=0", "(2,0,3) | threshold=0", NULL };
static const ref_op ref_bipartite_matching = { REFA_FLOATS, refc_bipartite_matching, REF_ZERO, NULL, 0, cases_bipartite_matching };

static void refc_box_iou(ref_case *c)
{
    const ref_tensor *a = &c->in[0], *b = &c->in[1];
    int center = ref_is(c, "format", "center", 0);
    int64_t dim[8], n = b->size / 4;
    double *y, box[4], other[4];
    for (int d = 0; d < a->ndim - 1; d++) dim[d] = a->dim[d];
    for (int d = 0; d < b->ndim - 1; d++) dim[a->ndim - 1 + d] = b->dim[d];
    y = ref_out(c, 0, a->ndim + b->ndim - 2, dim);
    for (int64_t i = 0; i < c->out[0].size; i++) {
        refc_corners(a->v + i / n * 4, center, box);
        refc_corners(b->v + i % n * 4, center, other);
        y[i] = refc_overlap(box, other);
    }
}
static const char *const cases_box_iou[] = {
    "(3,4)[0,1] (5,4)[0,1] | format=center", "(2,3,4)[0,1] (4,4)[0,1] | format=center", "(7,4) (2,3,4)",
    "(2,2,2,4)int[0,4] (3,5,4)int[0,4]", "(1,4)int[0,3] (1,4)int[0,3] | format=center",
    "(40,4)[0,1] (300,4)[0,1] | format=center", "(150,4)int[0,9] (70,4)int[0,9]", "(0,4) (3,4)", "(3,4) (0,4)", NULL };
static const ref_op ref_box_iou = { REFA_FLOATS, refc_box_iou, REF_ZERO, NULL, 4e-6, cases_box_iou };

static int refc_reals(const ref_case *c, const char *key, double *v)    /* how many; the list as it is if missing */
{
    const char *s = ref_find(c, key);
    int n = 0;
    while (s && *s && *s != ')' && *s != ']') {
        char *end;
        v[n++] = strtod(s + 1, &end);
        s = end;
    }
    return n;
}
static double refc_clipped(double v) { return fmin(fmax(v, 0), 1); }

/* --- images between their pixels --- */
static double refc_pixel(const double *plane, int64_t height, int64_t width, int64_t y, int64_t x)   /* 0 outside */
{
    return y < 0 || x < 0 || y >= height || x >= width ? 0 : plane[y * width + x];
}
static double refc_between(const double *plane, int64_t height, int64_t width, double y, double x)
{
    double sum = 0, top = floor(y), left = floor(x);
    for (int k = 0; k < 4; k++) {
        double weight = (k / 2 ? y - top : 1 - (y - top)) * (k % 2 ? x - left : 1 - (x - left));
        sum += weight * refc_pixel(plane, height, width, (int64_t)top + k / 2, (int64_t)left + k % 2);
    }
    return sum;
}
static int64_t refc_resized(const ref_case *c, int64_t n, const char *size, const char *scale)
{
    double by = ref_num(c, scale, 0);
    if (ref_is(c, "mode", "to_even_down", 0)) return n / 2 * 2;
    if (ref_is(c, "mode", "to_even_up", 0)) return (n + 1) / 2 * 2;
    if (ref_is(c, "mode", "to_odd_down", 0)) return (n - 1) / 2 * 2 + 1;
    if (ref_is(c, "mode", "to_odd_up", 0)) return n / 2 * 2 + 1;
    if (ref_is(c, "mode", "odd_scale", 0)) return n % 2 ? (int64_t)((double)(n - 1) * by) + 1 : (int64_t)((double)n * by);
    return by > 0 ? (int64_t)((double)n * by) : ref_int(c, size, 1);
}
static double refc_from(int64_t i, int64_t wide, int64_t n, int corners)
{
    double at = wide < 2 ? 0 : corners ? (double)i * (double)(n - 1) / (double)(wide - 1) : ((double)i + 0.5) * (double)n / (double)wide - 0.5;
    return at < 0 ? 0 : at > (double)(n - 1) ? (double)(n - 1) : at;
}
static void refc_bilinear_resize(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int like = ref_is(c, "mode", "like", 0), corners = ref_int(c, "align_corners", 1);
    int64_t dim[4] = { x->dim[0], x->dim[1], 0, 0 };
    dim[2] = like ? c->in[1].dim[2] : refc_resized(c, x->dim[2], "height", "scale_height");
    dim[3] = like ? c->in[1].dim[3] : refc_resized(c, x->dim[3], "width", ref_find(c, "scale_height") ? "scale_width" : "none");
    double *y = ref_out(c, 0, 4, dim);
    for (int64_t i = 0; i < c->out[0].size; i++)
        y[i] = refc_between(x->v + i / (dim[2] * dim[3]) * x->dim[2] * x->dim[3], x->dim[2], x->dim[3],
                            refc_from(i / dim[3] % dim[2], dim[2], x->dim[2], corners), refc_from(i % dim[3], dim[3], x->dim[3], corners));
}
static const char *const cases_bilinear_resize[] = {
    "(2,3,4,5) | height=7 width=8", "(1,2,4,5) | height=2 width=3", "(1,1,5,4) | height=5 width=4", "(1,2,3,4) | height=1 width=1",
    "(1,1,1,1) | height=3 width=2", "(2,1,4,5) | height=9 width=3 align_corners=False", "(1,2,4,6) | scale_height=1.5 scale_width=0.5",
    "(1,1,5,4) | mode=odd_scale scale_height=2 scale_width=2", "(1,2,3,4) (1,1,5,6) | mode=like", "(1,1,5,4) | mode=to_even_down",
    "(1,1,5,4) | mode=to_even_up", "(1,1,5,4) | mode=to_odd_down", "(1,1,5,4) | mode=to_odd_up align_corners=False",
    "(1,2,4,5) | height=3 width=1 align_corners=False", "(0,2,3,4) | height=2 width=2", "(1,1,3,4) | height=2 width=3 scale_width=2", NULL };
static const ref_op ref_bilinear_resize = { REFA_FLOATS, refc_bilinear_resize, REF_TRUE, NULL, 2e-6, cases_bilinear_resize };

/* What came from each pixel: by asking for one pixel after the other. */
static void refc_bilinear_resize_grad(ref_case *c)
{
    const ref_tensor *dy = &c->in[0], *x = &c->in[1];
    int64_t area = x->dim[2] * x->dim[3], result = dy->dim[2] * dy->dim[3];
    double *dx = ref_out(c, 0, 4, x->dim), *one = (double *)calloc((size_t)area + 1, sizeof *one);
    int corners = ref_int(c, "align_corners", 1);
    for (int64_t i = 0; i < x->size; i++) {
        for (int64_t k = 0; k < area; k++) one[k] = k == i % area;
        for (int64_t k = 0; k < result; k++)
            dx[i] += dy->v[i / area * result + k]
                * refc_between(one, x->dim[2], x->dim[3], refc_from(k / dy->dim[3], dy->dim[2], x->dim[2], corners),
                               refc_from(k % dy->dim[3], dy->dim[3], x->dim[3], corners));
    }
    free(one);
}
static const char *const cases__bilinear_resize_grad[] = {
    "(2,3,7,8) (2,3,4,5)", "(1,2,2,3) (1,2,4,5)", "(1,1,9,3) (1,1,4,5) | align_corners=False", "(1,2,1,1) (1,2,3,4)",
    "(1,2,1,3) (1,2,4,5) | align_corners=False", NULL };
static const ref_op ref__bilinear_resize_grad = {
    REFA_FLOATS, refc_bilinear_resize_grad, REF_TRUE, NULL, 2e-6, cases__bilinear_resize_grad };

static double refc_unit(int64_t i, int64_t n) { return n > 1 ? -1 + 2 * (double)i / (double)(n - 1) : -1; }
/* x (0) or y (1) of place (i, j) of what the map at `map` makes. */
static double refc_mapped(const double *map, int which, int64_t i, int64_t j, int64_t height, int64_t width)
{
    return map[3 * which] * refc_unit(j, width) + map[3 * which + 1] * refc_unit(i, height) + map[3 * which + 2];
}
static void refc_grid_generator(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int warp = ref_is(c, "transform_type", "warp", 0);
    int64_t size[2] = { 0, 0 }, dim[4] = { x->dim[0], 2, 0, 0 };
    if (!warp) ref_ints(c, "target_shape", size, 2);
    dim[2] = warp ? x->dim[2] : size[0];
    dim[3] = warp ? x->dim[3] : size[1];
    double *y = ref_out(c, 0, 4, dim);
    for (int64_t at = 0; at < c->out[0].size; at++) {
        int64_t j = at % dim[3], i = at / dim[3] % dim[2], n = at / (2 * dim[2] * dim[3]);
        int which = (int)(at / (dim[2] * dim[3]) % 2);
        if (warp && dim[3 - which] == 1) y[at] = -1;
        else if (warp) y[at] = (x->v[at] + (double)(which ? i : j)) * 2 / (double)(dim[3 - which] - 1) - 1;
        else y[at] = refc_mapped(x->v + 6 * n, which, i, j, dim[2], dim[3]);
    }
}
static const char *const cases_grid_generator[] = {
    "(2,6) | transform_type=affine target_shape=(3,4)", "(1,6) | transform_type=affine target_shape=(1,1)",
    "(3,6) | transform_type=affine target_shape=(2,5)", "(2,2,3,4) | transform_type=warp", "(1,2,5,2) | transform_type=warp",
    "(0,6) | transform_type=affine target_shape=(3,4)", NULL };
static const ref_op ref_grid_generator = { REFA_FLOATS, refc_grid_generator, REF_TRUE, NULL, 2e-6, cases_grid_generator };

static void refc_bilinear_sampler(ref_case *c)
{
    const ref_tensor *x = &c->in[0], *g = &c->in[1];
    int64_t dim[4] = { x->dim[0], x->dim[1], g->dim[2], g->dim[3] }, area = g->dim[2] * g->dim[3], h = x->dim[2], w = x->dim[3];
    double *y = ref_out(c, 0, 4, dim);
    for (int64_t at = 0; at < c->out[0].size; at++) {
        const double *place = g->v + at / (x->dim[1] * area) * 2 * area + at % area;
        y[at] = refc_between(x->v + at / area * h * w, h, w, (place[area] + 1) * (double)(h - 1) / 2, (place[0] + 1) * (double)(w - 1) / 2);
    }
}
static const char *const cases_bilinear_sampler[] = {
    "(2,3,4,5) (2,2,3,4)[-0.9,0.9]", "(1,1,3,3) (1,2,5,2)[-1.7,1.7]", "(1,2,2,6) (1,2,1,1)[-0.5,0.5]", "(1,1,4,4) (1,2,3,3)[3,9]",
    "(3,1,5,4) (3,2,4,4)[-1.1,1.1]", "(0,2,3,4) (0,2,2,2)", "(1,2,3,4) (1,2,0,2)", NULL };
static const ref_op ref_bilinear_sampler = {
    REFA_FLOATS, refc_bilinear_sampler, REF_TRUE, NULL, 1e-5, cases_bilinear_sampler };
static const char *const cases__bilinear_sampler_grad[] = { NULL };
static const ref_op ref__bilinear_sampler_grad = { REFA_FLOATS, NULL, REF_ELSEWHERE, NULL, 2e-6, cases__bilinear_sampler_grad };

static void refc_spatial_transformer(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int64_t size[2] = { 1, 1 }, h = x->dim[2], w = x->dim[3];
    ref_ints(c, "target_shape", size, 2);
    int64_t dim[4] = { x->dim[0], x->dim[1], size[0], size[1] }, area = size[0] * size[1];
    double *y = ref_out(c, 0, 4, dim);
    for (int64_t at = 0; at < c->out[0].size; at++) {
        const double *map = c->in[1].v + at / (x->dim[1] * area) * 6;
        int64_t i = at / size[1] % size[0], j = at % size[1];
        y[at] = refc_between(x->v + at / area * h * w, h, w, (refc_mapped(map, 1, i, j, size[0], size[1]) + 1) * (double)(h - 1) / 2,
                             (refc_mapped(map, 0, i, j, size[0], size[1]) + 1) * (double)(w - 1) / 2);
    }
}
static const char *const cases_spatial_transformer[] = {
    "(2,3,4,5) (2,6)[-0.4,0.4] | target_shape=(3,4) transform_type=affine sampler_type=bilinear",
    "(1,1,3,3) (1,6) | target_shape=(4,4)", "(3,1,6,2) (3,6)[-0.5,0.5] | target_shape=(2,5)", "(1,2,3,4) (1,6)[-0.3,0.3] | target_shape=(1,1)",
    NULL };
static const ref_op ref_spatial_transformer = {
    REFA_FLOATS, refc_spatial_transformer, REF_TRUE, NULL, 1e-5, cases_spatial_transformer };

static void refc_multibox_prior(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    double sizes[16] = { 1 }, ratios[16] = { 1 }, steps[2] = { -1, -1 }, offsets[2] = { 0.5, 0.5 }, *y;
    int ns = refc_reals(c, "sizes", sizes), nr = refc_reals(c, "ratios", ratios);
    int64_t H = x->dim[2], W = x->dim[3], dim[3] = { 1, 0, 4 };
    refc_reals(c, "steps", steps);
    refc_reals(c, "offsets", offsets);
    ns += !ns;
    nr += !nr;
    if (steps[0] <= 0) { steps[0] = 1.0 / (double)H; steps[1] = 1.0 / (double)W; }
    dim[1] = H * W * (ns + nr - 1);
    y = ref_out(c, 0, 3, dim);
    for (int64_t place = 0; place < H * W; place++)
        for (int k = 0; k < ns + nr - 1; k++, y += 4) {
            double shape[4], size = k < ns ? sizes[k] : sizes[0], ratio = k < ns ? ratios[0] : ratios[k - ns + 1];
            shape[0] = ((double)(place % W) + offsets[1]) * steps[1];
            shape[1] = ((double)(place / W) + offsets[0]) * steps[0];
            shape[2] = size * sqrt(ratio) * (double)H / (double)W;
            shape[3] = size / sqrt(ratio);
            refc_corners(shape, 1, y);
            for (int j = 0; j < 4; j++) if (ref_int(c, "clip", 0)) y[j] = refc_clipped(y[j]);
        }
}
static const char *const cases_multibox_prior[] = {
    "(1,3,2,3) | sizes=(0.5,0.25) ratios=(1,2,0.5)", "(2,1,4,4)", "(1,2,5,3) | sizes=(0.1,0.15,0.3) clip=True",
    "(1,1,1,1) | sizes=[0.7]", "(1,1,3,2) | ratios=(4,0.25) steps=(0.3,0.4) offsets=(0.2,0.9) clip=True",
    "(1,1,40,70) | sizes=(0.2,0.272) ratios=(1,2,0.5,3,0.333)", "(1,2,3,2,2) | steps=(0,0)", "(0,2,3,2)",
    "(1,2,0,3)", NULL };
static const ref_op ref_multibox_prior = {
    REFA_FLOATS, refc_multibox_prior, REF_ZERO, NULL, 2e-6, cases_multibox_prior };

/* A batch, its rows written as they are found, then sorted by picking the best one again and again. */
static int64_t refc_detect(const ref_case *c, const double *score, const double *shift, const double *anchor, double *row)
{
    double variances[4] = { 0.1, 0.1, 0.2, 0.2 };
    int64_t C = c->in[0].dim[1], A = c->in[0].dim[2], n = 0;
    refc_reals(c, "variances", variances);
    for (int64_t i = 0; i < A; i++) {
        int64_t best = 0;
        double a[4], size[2], box[4], most = -1;
        for (int64_t k = 1; k < C; k++) if (score[k * A + i] > most) { best = k; most = score[k * A + i]; }
        if (!best || most < ref_num(c, "threshold", 0.01)) continue;
        memcpy(a, anchor + 4 * i, sizeof a);
        for (int k = 0; k < 2; k++) {
            size[k] = a[k + 2] - a[k];
            box[k] = (a[k] + a[k + 2]) / 2 + shift[4 * i + k] * variances[k] * size[k];
            box[k + 2] = size[k] * exp(shift[4 * i + k + 2] * variances[k + 2]);
        }
        row[6 * n] = (double)best - 1;
        row[6 * n + 1] = most;
        refc_corners(box, 1, row + 6 * n + 2);
        for (int k = 2; k < 6; k++) if (ref_int(c, "clip", 1)) row[6 * n + k] = refc_clipped(row[6 * n + k]);
        n++;
    }
    return n;
}
static void refc_multibox_detection(ref_case *c)
{
    int64_t A = c->in[0].dim[2], N = c->in[0].dim[0], dim[3] = { N, A, 6 }, topk = ref_int(c, "nms_topk", -1);
    double *y = ref_out(c, 0, 3, dim), most = ref_num(c, "nms_threshold", 0.5);
    double *found = (double *)calloc((size_t)(6 * A + 1), sizeof *found);
    for (int64_t b = 0; b < N; b++, y += 6 * A) {
        int64_t n, kept;
        for (int64_t i = 0; i < 6 * A; i++) y[i] = -1;
        n = refc_detect(c, c->in[0].v + b * c->in[0].dim[1] * A, c->in[1].v + 4 * b * A, c->in[2].v, y);
        if (!n || most <= 0 || most > 1) continue;
        memcpy(found, y, (size_t)(6 * A) * sizeof *y);
        kept = topk > 0 && topk < n ? topk : n;
        for (int64_t i = 0; i < n; i++) {
            int64_t best = 0;
            for (int64_t k = 1; k < n; k++) if (found[6 * k + 1] > found[6 * best + 1]) best = k;
            if (i >= kept) { y[6 * i] = -1; continue; }
            memcpy(y + 6 * i, found + 6 * best, 6 * sizeof *y);
            found[6 * best + 1] = -HUGE_VAL;
            for (int64_t k = 0; k < i; k++)
                if (y[6 * k] >= 0 && (ref_int(c, "force_suppress", 0) || y[6 * k] == y[6 * i]) &&
                    refc_overlap(y + 6 * k + 2, y + 6 * i + 2) >= most) { y[6 * i] = -1; break; }
        }
    }
    free(found);
}
static const char *const cases_multibox_detection[] = {
    "(1,3,5)[0,1] (1,20) (1,5,4)[0,1]", "(2,4,30)[0,1] (2,120) (1,30,4)[0,1] | threshold=0.4 nms_threshold=0.3",
    "(2,3,40)[0,1] (2,160) (1,40,4)int[0,1] | nms_threshold=0.45", "(1,2,300)[-1,1] (1,1200) (1,300,4)[0,1] | clip=False",
    "(2,3,25)[0,1] (2,100) (1,25,4)int[-1,2] | force_suppress=True nms_topk=7 nms_threshold=0.2 clip=0",
    "(1,5,20)int[0,3] (1,80)[-1,1] (1,20,4)int[0,1] | variances=(0.5,0.5,1,1) nms_topk=12",
    "(2,3,9)[0,1] (2,36) (1,9,4)[0,1] | nms_threshold=0", "(2,3,9)[0,1] (2,36) (1,9,4)[0,1] | nms_threshold=1.5",
    "(1,1,4)[0,1] (1,16) (1,4,4)[0,1]", "(2,3,6)[-3,-2] (2,24) (1,6,4)[0,1]", "(2,3,6)[0,1] (2,24) (2,6,4)[0,1]",
    "(0,3,6) (0,24) (1,6,4)", "(2,3,0) (2,0) (1,0,4)", NULL };
static const ref_op ref_multibox_detection = {
    REFA_FLOATS, refc_multibox_detection, REF_ZERO, NULL, 4e-6, cases_multibox_detection };

/* --- regions of interest: data (N,C,H,W), rois (R,5) -> (R,C,h,w) --- */
typedef struct refc_roi { int64_t C, H, W, bins[2], image, size[2]; double box[4], scale; } refc_roi;

static refc_roi refc_roi_of(const ref_case *c, const ref_tensor *x, const double *roi, int64_t C)
{
    refc_roi r = { C, x->dim[2], x->dim[3], { 0, 0 }, 0, { x->dim[2], x->dim[3] }, { 0, 0, 0, 0 }, ref_num(c, "spatial_scale", 1) };
    ref_ints(c, "pooled_size", r.bins, 2);
    r.image = (int64_t)roi[0];
    if (r.image < 0 || r.image >= x->dim[0]) r.image = -1;
    for (int k = 0; k < 4; k++) r.box[k] = roi[1 + k] * r.scale;
    return r;
}
static void refc_roi_pooling(ref_case *c)
{
    const ref_tensor *x = &c->in[0], *rois = &c->in[1];
    int64_t C = x->dim[1], bins[2], dim[4] = { rois->dim[0], C, 0, 0 };
    ref_ints(c, "pooled_size", bins, 2);
    dim[2] = bins[0];
    dim[3] = bins[1];
    double *y = ref_out(c, 0, 4, dim);
    for (int64_t i = 0; i < c->out[0].size; i++) {
        int64_t bin[2] = { i / bins[1] % bins[0], i % bins[1] }, channel = i / (bins[0] * bins[1]) % C, from[2], to[2];
        refc_roi r = refc_roi_of(c, x, rois->v + 5 * (i / (bins[0] * bins[1] * C)), C);
        for (int k = 0; k < 2; k++) {                       /* down, across */
            double low = round(r.box[1 - k]), high = round(r.box[3 - k]), size = fmax(high - low + 1, 1);
            from[k] = (int64_t)fmax(low + floor((double)bin[k] * size / (double)bins[k] + 1e-6), 0);
            to[k] = (int64_t)fmin(low + ceil((double)(bin[k] + 1) * size / (double)bins[k] - 1e-6), (double)r.size[k]);
        }
        if (r.image < 0 || from[0] >= to[0] || from[1] >= to[1]) continue;
        y[i] = -HUGE_VAL;
        for (int64_t h = from[0]; h < to[0]; h++)
            for (int64_t w = from[1]; w < to[1]; w++)
                y[i] = fmax(y[i], x->v[((r.image * C + channel) * r.H + h) * r.W + w]);
    }
}
static const char *const cases_roi_pooling[] = {
    "(1,1,6,8)[-9,9] (3,5)int[0,0] | pooled_size=(2,2) spatial_scale=1",
    "(2,3,7,5)[-9,9] (6,5)int[0,1] | pooled_size=(3,2) spatial_scale=5",
    "(3,2,9,9)[-9,9] (8,5)int[0,8] | pooled_size=(2,3) spatial_scale=0.7",
    "(2,1,6,6)[-9,9] (9,5)int[-4,9] | pooled_size=(2,2) spatial_scale=0.5",
    "(9,70,4,4)[-9,9] (5,5)int[0,8] | pooled_size=(1,4) spatial_scale=0.5", "(1,2,3,3) (0,5) | pooled_size=(2,2) spatial_scale=1",
    "(0,2,3,3) (0,5) | pooled_size=(2,2) spatial_scale=1", NULL };
static const ref_op ref_roi_pooling = { REFA_FLOATS, refc_roi_pooling, REF_TRUE, NULL, 0, cases_roi_pooling };

/* Adds what bin `at` of channel k takes from x, times share, to y; or, going back, gives dy's share to dx. */
static void refc_align(const ref_case *c, const ref_tensor *x, const ref_tensor *rois, double *y, const double *dy, double *dx)
{
    int64_t bins[2], C, ratio = ref_int(c, "sample_ratio", -1);
    int sensitive = ref_int(c, "position_sensitive", 0), aligned = ref_int(c, "aligned", 0);
    ref_ints(c, "pooled_size", bins, 2);
    C = sensitive ? x->dim[1] / (bins[0] * bins[1]) : x->dim[1];
    for (int64_t i = 0; i < rois->dim[0] * C * bins[0] * bins[1]; i++) {
        int64_t bin[2] = { i / bins[1] % bins[0], i % bins[1] }, channel = i / (bins[0] * bins[1]) % C, grid[2];
        refc_roi r = refc_roi_of(c, x, rois->v + 5 * (i / (bins[0] * bins[1] * C)), C);
        double step[2], begin[2], total = 0;
        if (r.image < 0) continue;
        if (sensitive) channel = channel * bins[0] * bins[1] + bin[0] * bins[1] + bin[1];
        for (int k = 0; k < 2; k++) {
            double size = r.box[3 - k] - r.box[1 - k];
            if (!aligned) size = fmax(size, 1);
            step[k] = size / (double)bins[k];
            begin[k] = r.box[1 - k] - 0.5 * aligned + (double)bin[k] * step[k];
            grid[k] = ratio > 0 ? ratio : (int64_t)ceil(step[k]);
        }
        for (int64_t s = 0; s < grid[0] * grid[1]; s++) {
            double at[2], share;
            int inside = 1;
            for (int k = 0; k < 2; k++) {
                at[k] = begin[k] + ((double)(k ? s % grid[1] : s / grid[1]) + 0.5) * step[k] / (double)grid[k];
                inside = inside && at[k] >= -1 && at[k] <= (double)r.size[k];
                at[k] = fmin(fmax(at[k], 0), (double)r.size[k] - 1);
            }
            for (int64_t h = 0; inside && h < r.H; h++)     /* places within one step count by how near they are */
                for (int64_t w = 0; w < r.W; w++) {
                    int64_t place = ((r.image * x->dim[1] + channel) * r.H + h) * r.W + w;
                    share = fmax(1 - fabs(at[0] - (double)h), 0) * fmax(1 - fabs(at[1] - (double)w), 0);
                    share /= (double)(grid[0] * grid[1]);
                    if (y) total += share * x->v[place];
                    else dx[place] += share * dy[i];
                }
        }
        if (y) y[i] = total;
    }
}
static void refc_roi_align(ref_case *c)
{
    int64_t bins[2], dim[4] = { c->in[1].dim[0], c->in[0].dim[1], 0, 0 };
    ref_ints(c, "pooled_size", bins, 2);
    dim[2] = bins[0];
    dim[3] = bins[1];
    if (ref_int(c, "position_sensitive", 0)) dim[1] /= bins[0] * bins[1];
    double *y = ref_out(c, 0, 4, dim);
    refc_align(c, &c->in[0], &c->in[1], y, NULL, NULL);
}
static void refc_roi_align_back(ref_case *c)
{
    double *dx = refa_like(c, 0, &c->in[1]);
    refc_align(c, &c->in[1], &c->in[2], NULL, c->in[0].v, dx);
}
/* The permutations are regions with a height and a width. */
static const char *const cases_roi_align[] = {
    "(1,1,6,8) (3,5)int[0,0] | pooled_size=(2,2) spatial_scale=1",
    "(2,3,7,5) (6,5)int[0,1] | pooled_size=(3,2) spatial_scale=5",
    "(3,2,9,9) (8,5)int[0,8] | pooled_size=(2,3) spatial_scale=0.75",
    "(2,1,6,6) (9,5)int[-4,9] | pooled_size=(2,2) spatial_scale=0.5 sample_ratio=2",
    "(1,70,4,4) (2,5)int[0,2] | pooled_size=(1,4) spatial_scale=1.5 sample_ratio=1",
    "(2,12,5,5) (4,5)int[0,5] | pooled_size=(2,3) spatial_scale=0.75 position_sensitive=True",
    "(5,6,5,5) (1,5)perm | pooled_size=(2,2) spatial_scale=1.25 aligned=True",
    "(5,10,5,5) (1,5)perm | pooled_size=(3,1) spatial_scale=2 aligned=True sample_ratio=3",
    "(1,2,3,3) (0,5) | pooled_size=(2,2) spatial_scale=1", "(0,2,3,3) (2,5)int[0,3] | pooled_size=(2,2) spatial_scale=1", NULL };
static const ref_op ref_roi_align = { REFA_FLOATS, refc_roi_align, REF_TRUE, NULL, 8e-6, cases_roi_align };
static const char *const cases__roi_align_grad[] = {
    "(3,1,2,2) (1,1,6,8) (3,5)int[0,0] | pooled_size=(2,2) spatial_scale=1",
    "(6,3,3,2) (2,3,7,5) (6,5)int[0,1] | pooled_size=(3,2) spatial_scale=5",
    "(8,2,2,3) (3,2,9,9) (8,5)int[0,8] | pooled_size=(2,3) spatial_scale=0.75",
    "(2,70,1,4) (1,70,4,4) (2,5)int[0,2] | pooled_size=(1,4) spatial_scale=1.5 sample_ratio=2",
    "(4,2,2,3) (2,12,5,5) (4,5)int[0,5] | pooled_size=(2,3) spatial_scale=0.75 position_sensitive=True",
    "(1,3,2,2) (5,3,5,5) (1,5)perm | pooled_size=(2,2) spatial_scale=1.25 aligned=True", NULL };
static const ref_op ref__roi_align_grad = {
    REFA_FLOATS, refc_roi_align_back, REF_TRUE, NULL, 8e-6, cases__roi_align_grad };

/* --- vstack and its kin: each element goes where its part begins --- */
static void refb_stacked(ref_case *c, int least, int axis_of_lines)
{
    int ndim = least, axis;
    int64_t dim[8], at[8], to[8], start = 0;
    for (int k = 0; k < c->nin; k++) if (c->in[k].ndim > ndim) ndim = c->in[k].ndim;
    axis = axis_of_lines < ndim ? axis_of_lines : ndim - 1;
    for (int pass = 0; pass < 2; pass++, start = 0)
        for (int k = 0; k < c->nin; k++) {
            const ref_tensor *x = &c->in[k];
            int ahead = x->ndim < 2 && axis_of_lines == 0 ? 2 - x->ndim : x->ndim == 1 && axis_of_lines == 2 ? 1 : 0;
            int64_t length = axis < ahead || axis - ahead >= x->ndim ? 1 : x->dim[axis - ahead];
            for (int d = 0; d < ndim && !pass; d++) dim[d] = d < ahead || d - ahead >= x->ndim ? 1 : x->dim[d - ahead];
            for (int64_t i = 0; i < x->size && pass; i++) {
                refb_place(x, i, at);
                for (int d = 0; d < ndim; d++) to[d] = d < ahead || d - ahead >= x->ndim ? 0 : at[d - ahead];
                to[axis] += start;
                c->out[0].v[refb_flat(&c->out[0], to)] = x->v[i];
            }
            start += length;
            if (!pass && k + 1 == c->nin) { dim[axis] = start; ref_out(c, 0, ndim, dim); }
        }
}
static void refb_vstack(ref_case *c) { refb_stacked(c, 2, 0); }
static void refb_hstack(ref_case *c) { refb_stacked(c, 1, 1); }
static void refb_dstack(ref_case *c) { refb_stacked(c, 3, 2); }
static void refb_column_stack(ref_case *c) { refb_stacked(c, 2, 1); }
static const char *const cases_vstack[] = {
    "(3) (3)", "(3)", "(2,3) (1,3)", "(2,3) (3)", "(2,3,2) (1,3,2) (4,3,2)", "() ()", "(0,3) (3)", "(2,1,2,3) (1,1,2,3)", NULL };
static const char *const cases_hstack[] = {
    "(3) (4)", "(3)", "(2,3) (2,1)", "(3) ()", "(2,3,2) (2,1,2) (2,4,2)", "() ()", "(2,0) (2,3)", "(2,1,2,3) (2,2,2,3)", NULL };
static const char *const cases_dstack[] = {
    "(3) (3)", "(3)", "(2,3) (2,3)", "(2,3) (2,3,4)", "(1,3,2) (3) (1,3)", "() ()", "(0,3) (0,3,1)", "(2,1,2,3) (2,1,3,3)", NULL };
static const char *const cases_column_stack[] = {
    "(3) (3)", "(3)", "(2,3) (2,1)", "(2,3) (2)", "(2,3,2) (2,1,2) (2,4,2)", "() ()", "(0,3) (0)", "(2,1,2,3) (2,2,2,3)", NULL };
static const ref_op ref_vstack = { REFB_MOVES, refb_vstack, REF_TRUE, NULL, 0, cases_vstack };
static const ref_op ref_hstack = { REFB_MOVES, refb_hstack, REF_TRUE, NULL, 0, cases_hstack };
static const ref_op ref_dstack = { REFB_MOVES, refb_dstack, REF_TRUE, NULL, 0, cases_dstack };
static const ref_op ref_column_stack = { REFB_MOVES, refb_column_stack, REF_TRUE, NULL, 0, cases_column_stack };

/* --- values decide how many --- */
static void refb_nonzero(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int64_t dim[2] = { 0, x->ndim ? x->ndim : 1 }, at[8];
    for (int64_t i = 0; i < x->size; i++) dim[0] += x->v[i] != 0;
    double *y = ref_out(c, 0, 2, dim);
    for (int64_t i = 0; i < x->size; i++) {
        if (x->v[i] == 0) continue;
        refb_place(x, i, at);
        for (int d = 0; d < x->ndim; d++) *y++ = (double)at[d];
        if (!x->ndim) *y++ = 0;
    }
}
static const char *const cases_nonzero[] = {
    "(5)bool", "(3,4)bool", "(2,3,4)bool", "(70)bool", "(2,1,3,1,2)perm", "(4,3)int[0,0]", "(4,3)[1,2]", "(0,3)", "(1)int[1,1]",
    "()int[1,1]", "()int[0,0]", NULL };
static const ref_op ref_nonzero = { REFB_NUMBERS, refb_nonzero, REF_ZERO, NULL, 0, cases_nonzero };

/* Slices along an axis (all elements if there is none) one after the other, the least that is left first. */
static int refb_slice_order(const ref_tensor *x, int64_t n, int64_t inner, int64_t i, int64_t j)
{
    for (int64_t k = 0; k < x->size / n; k++) {
        int64_t row = k / inner * n * inner + k % inner;
        double a = x->v[row + i * inner], b = x->v[row + j * inner];
        if (a != b) return a < b ? -1 : 1;
    }
    return 0;
}
static void refb_unique(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int axis = ref_int(c, "axis", REF_NONE), flat = axis == REF_NONE, out = 1;
    int64_t n = x->size, inner = 1, found = 0, dim[8] = { 0 };
    if (!flat) {
        axis = refb_axis(axis, x->ndim);
        n = x->dim[axis];
        for (int d = axis + 1; d < x->ndim; d++) inner *= x->dim[d];
        for (int d = 0; d < x->ndim; d++) dim[d] = x->dim[d];
    }
    int64_t *first = (int64_t *)calloc((size_t)(4 * n + 1), sizeof *first), *number = first + n, *count = number + n, *order = count + n;
    for (int64_t i = 0; i < n; i++) {
        int64_t j = 0;
        while (j < found && refb_slice_order(x, n, inner, first[j], i)) j++;
        if (j == found) first[found++] = i;
        number[i] = j;
        count[j]++;
    }
    for (int64_t i = 0; i < found; i++)                     /* how many come before it */
        for (int64_t j = 0; j < found; j++) order[i] += refb_slice_order(x, n, inner, first[j], first[i]) < 0;
    dim[flat ? 0 : axis] = found;
    double *y = ref_out(c, 0, flat ? 1 : x->ndim, dim);
    for (int64_t i = 0; i < found; i++)
        for (int64_t k = 0; k < x->size / (n ? n : 1); k++)
            y[k / inner * found * inner + k % inner + order[i] * inner] = x->v[k / inner * n * inner + k % inner + first[i] * inner];
    if (ref_int(c, "return_index", 0)) {
        y = ref_out(c, out++, 1, &found);
        for (int64_t i = 0; i < found; i++) y[order[i]] = (double)first[i];
    }
    if (ref_int(c, "return_inverse", 0)) {
        y = ref_out(c, out++, 1, &n);
        for (int64_t i = 0; i < n; i++) y[i] = (double)order[number[i]];
    }
    if (ref_int(c, "return_counts", 0)) {
        y = ref_out(c, out++, 1, &found);
        for (int64_t i = 0; i < found; i++) y[order[i]] = (double)count[i];
    }
    free(first);
}
static const char *const cases_unique[] = {
    "(9)int[0,3]", "(3,4)int[0,5] | return_index=True return_inverse=True return_counts=True", "(70)int[0,9] | return_inverse=True",
    "(6,2)int[0,1] | axis=0 return_index=True return_inverse=True return_counts=True", "(2,8)int[0,1] | axis=1 return_counts=True",
    "(2,9,2)int[0,1] | axis=-2 return_index=True", "(40,1)int[0,30] | axis=0", "(5)perm", "(0)", "(3,0) | axis=0 return_counts=True",
    "(0,3) | axis=0 return_inverse=True", "(1)", NULL };
static const ref_op ref_unique = { REFB_NUMBERS, refb_unique, REF_ZERO, NULL, 0, cases_unique };

/* --- targets and proposals of detectors --- */
static double refc_shared(const double *a, const double *b, double one)     /* one: corners are pixels, which have a size */
{
    double wide = fmin(a[2], b[2]) - fmax(a[0], b[0]) + one, tall = fmin(a[3], b[3]) - fmax(a[1], b[1]) + one;
    double both = fmax(wide, 0) * fmax(tall, 0);
    double all = (a[2] - a[0] + one) * (a[3] - a[1] + one) + (b[2] - b[0] + one) * (b[3] - b[1] + one) - both;
    return all == 0 ? 0 : both / all;
}

/* The label of each anchor (-1: negative, -2: neither). */
static void refc_match(const ref_case *c, const double *label, const double *pred, int64_t n, int64_t *with)
{
    const double *anchor = c->in[0].v;
    int64_t A = c->in[0].dim[1], W = c->in[1].dim[2], C = c->in[2].dim[1], positives = 0;
    double ratio = ref_num(c, "negative_mining_ratio", -1);
    double *part = (double *)calloc((size_t)(A * (n + 2)) + 1, sizeof *part), *most = part + A * n, *back = most + A;
    for (int64_t i = 0; i < A; i++) {
        double top = -HUGE_VAL, sum = 0;
        for (int64_t k = 0; k < n; k++) most[i] = fmax(most[i], part[i * n + k] = refc_shared(anchor + 4 * i, label + k * W + 1, 0));
        for (int64_t k = 0; k < C; k++) top = fmax(top, pred[k * A + i]);
        for (int64_t k = 0; k < C; k++) sum += exp(pred[k * A + i] - top);
        back[i] = C ? exp(pred[i] - top) / sum : 0;
        with[i] = -2;
    }
    for (int64_t round = 0; round < n; round++) {
        int64_t best = -1, whose = -1;
        for (int64_t at = 0; at < A * n; at++) {
            int used = with[at / n] >= 0;
            for (int64_t i = 0; i < A; i++) used |= with[i] == at % n;
            if (!used && part[at] > (best < 0 ? 1e-6 : part[best * n + whose])) { best = at / n; whose = at % n; }
        }
        if (best >= 0) { with[best] = whose; most[best] = part[best * n + whose]; positives++; }
    }
    for (int64_t i = 0; i < A; i++) {
        if (with[i] >= 0 || most[i] <= ref_num(c, "overlap_threshold", 0.5)) continue;
        with[i] = 0;
        for (int64_t k = 1; k < n; k++) if (part[i * n + k] > part[i * n + with[i]]) with[i] = k;
        positives++;
    }
    int64_t due = ratio > 0 ? (int64_t)((double)positives * ratio) : A;
    if (ratio > 0 && due < ref_int(c, "minimum_negative_samples", 0)) due = ref_int(c, "minimum_negative_samples", 0);
    for (; due > 0; due--) {
        int64_t best = -1;
        for (int64_t i = 0; i < A; i++)
            if (with[i] == -2 && (ratio <= 0 || most[i] < ref_num(c, "negative_mining_thresh", 0.5)) &&
                (best < 0 || back[i] < back[best])) best = i;
        if (best >= 0) with[best] = -1;
    }
    free(part);
}
static void refc_multibox_target(ref_case *c)
{
    double variances[4] = { 0.1, 0.1, 0.2, 0.2 };
    int64_t A = c->in[0].dim[1], N = c->in[1].dim[0], L = c->in[1].dim[1], W = c->in[1].dim[2], dim[2] = { N, 4 * A };
    double *shift = ref_out(c, 0, 2, dim), *mask = ref_out(c, 1, 2, dim), *target;
    int64_t *with = (int64_t *)calloc((size_t)A + 1, sizeof *with);
    dim[1] = A;
    target = ref_out(c, 2, 2, dim);
    refc_reals(c, "variances", variances);
    for (int64_t b = 0; b < N; b++) {
        const double *label = c->in[1].v + b * L * W;
        int64_t n = 0;
        while (n < L && label[n * W] != -1) n++;
        if (n) refc_match(c, label, c->in[2].v + b * c->in[2].dim[1] * A, n, with);
        for (int64_t i = 0; i < A; i++, target++, shift += 4, mask += 4) {
            const double *a = c->in[0].v + 4 * i, *g = label + (with[i] > 0 ? with[i] : 0) * W + 1;
            *target = !n || with[i] == -2 ? ref_num(c, "ignore_label", -1) : with[i] < 0 ? 0 : g[-1] + 1;
            if (!n || with[i] < 0) continue;
            for (int k = 0; k < 4; k++) {
                double size = a[2 + k % 2] - a[k % 2], wide = g[2 + k % 2] - g[k % 2];
                mask[k] = 1;
                shift[k] = (k < 2 ? (g[k] + wide / 2 - a[k] - size / 2) / size : log(wide / size)) / variances[k];
            }
        }
    }
    free(with);
}
/* Corners that make boxes come from the domains of small whole numbers only by chance: test_anchors.c has more. */
static const char *const cases_multibox_target[] = {
    "(1,1,4)int[0,0] (1,1,5)int[-1,-1] (1,2,1)", "(1,3,4)[0,1] (2,2,5)int[-1,-1] (2,3,3)", "(1,0,4) (1,2,5)int[-1,-1] (1,3,0)",
    "(1,4,4)[0,1] (1,0,5) (1,2,4)", "(1,3,4) (0,2,6) (0,4,3)", "(1,1,4)perm (1,1,5)int[1,1] (1,2,1)",
    "(1,1,4)perm (2,3,5)int[2,2] (2,2,1) | overlap_threshold=0.01 negative_mining_ratio=3", NULL };
static const ref_op ref_multibox_target = {
    REFA_FLOATS, refc_multibox_target, REF_ZERO, NULL, 4e-6, cases_multibox_target };

/* One box of an image: corners and score. */
static void refc_propose(const ref_case *c, int64_t b, int64_t n, int64_t h, int64_t w, double *box)
{
    double scales[16] = { 4, 8, 16, 32 }, ratios[16] = { 0.5, 1, 2 }, stride = ref_num(c, "feature_stride", 16), size[2], least;
    int ns = refc_reals(c, "scales", scales), small = 0, corners = ref_int(c, "iou_loss", 0);
    int64_t A = c->in[0].dim[1] / 2, H = c->in[0].dim[2], W = c->in[0].dim[3];
    const double *info = c->in[2].v + 3 * b;
    refc_reals(c, "ratios", ratios);
    if (!ns) ns = 4;
    least = ref_num(c, "rpn_min_size", 16) * info[2];
    size[0] = floor(sqrt(floor(stride * stride / ratios[n / ns])) + 0.5);
    size[1] = floor(size[0] * ratios[n / ns] + 0.5) * scales[n % ns];
    size[0] *= scales[n % ns];
    box[4] = c->in[0].v[(((2 * b + 1) * A + n) * H + h) * W + w];
    for (int k = 0; k < 2; k++) {
        double d[2], middle = (double)(k ? h : w) * stride + (stride - 1) / 2, most = info[1 - k] - 1;
        for (int j = 0; j < 2; j++) d[j] = c->in[1].v[(((b * A + n) * 4 + k + 2 * j) * H + h) * W + w];
        for (int j = 0; j < 2; j++) {
            double side = j ? 0.5 : -0.5, at = middle + side * (size[k] - 1) + d[j];
            if (!corners) at = middle + d[0] * size[k] + side * (exp(d[1]) * size[k] - 1);
            box[k + 2 * j] = fmax(fmin(at, most), 0);
        }
        small |= box[k + 2] - box[k] + 1 < least;
    }
    for (int k = 0; k < 4 && small; k++) box[k] += k < 2 ? -least / 2 : least / 2;
    if (small || (double)h >= floor(info[0] / stride) || (double)w >= floor(info[1] / stride)) box[4] = -1;
}
static void refc_proposal(ref_case *c)
{
    int64_t N = c->in[0].dim[0], A = c->in[0].dim[1] / 2, H = c->in[0].dim[2], W = c->in[0].dim[3], count = A * H * W;
    int64_t rows = ref_int(c, "rpn_post_nms_top_n", 300), before = ref_int(c, "rpn_pre_nms_top_n", 6000), dim[2] = { N * rows, 5 };
    double *y = ref_out(c, 0, 2, dim), *score = NULL, *box = (double *)calloc((size_t)(5 * count + 1), sizeof *box);
    double *kept = (double *)calloc((size_t)(5 * count + 1), sizeof *kept);
    if (before <= 0 || before > count) before = count;
    dim[1] = 1;
    if (ref_int(c, "output_score", 0)) score = ref_out(c, 1, 2, dim);
    for (int64_t b = 0; b < N; b++) {
        int64_t many = 0, n = 0;
        for (int64_t i = 0; i < count; i++) refc_propose(c, b, i % A, i / A / W, i / A % W, box + 5 * i);
        for (int64_t round = 0; round < before && many < rows; round++) {
            double *best = box;
            for (int64_t i = 1; i < count; i++) if (box[5 * i + 4] > best[4]) best = box + 5 * i;
            for (n = 0; n < many && !(refc_shared(kept + 5 * n, best, 1) > ref_num(c, "threshold", 0.7)); n++) continue;
            if (n == many) memcpy(kept + 5 * many++, best, 5 * sizeof *best);
            best[4] = -HUGE_VAL;
        }
        for (n = 0; n < rows; n++, y += 5) {
            y[0] = (double)b;
            memcpy(y + 1, kept + 5 * (n % many), 4 * sizeof *y);
            if (score) *score++ = kept[5 * (n % many) + 4];
        }
    }
    free(box);
    free(kept);
}
static const char *const cases_proposal[] = {
    "(1,24,3,4)perm (1,48,3,4)[-0.3,0.3] (1,3)int[60,60] | rpn_post_nms_top_n=6 rpn_min_size=0.1",
    "(1,2,2,3)perm (1,4,2,3)[-0.3,0.3] (1,3)int[90,90] | rpn_post_nms_top_n=9 scales=[2] ratios=[1.5] rpn_min_size=0.01 output_score=True",
    "(2,4,3,2)perm (2,8,3,2)[-9,9] (2,3)int[40,40] | scales=(1,2) ratios=[0.7] feature_stride=8 iou_loss=True output_score=True "
    "rpn_post_nms_top_n=4 rpn_pre_nms_top_n=9 rpn_min_size=0.2 threshold=0.3",
    "(1,6,5,1)perm (1,12,5,1)[-1,1] (1,3)int[30,30] | scales=[2] rpn_post_nms_top_n=7 rpn_min_size=1 threshold=0.9",
    "(0,24,1,1) (0,48,1,1) (0,3)", NULL };
static const ref_op ref_proposal = { "fd", refc_proposal, REF_ZERO, NULL, 1e-5, cases_proposal };

/* --- windows as columns: element (n, c taps + k, q) of columns meets place q stride + k dilate - pad of channel c --- */
typedef struct refd_meeting { int64_t c, k, q, p[3]; int inside; } refd_meeting;
static int64_t refd_places(const ref_window *w, const ref_grid *g, int64_t *size)
{
    int64_t all = 1;
    for (int d = 0; d < 3; d++) {
        size[d] = (g->dim[d] + 2 * w->pad[d] - w->dilate[d] * (w->kernel[d] - 1) - 1) / w->stride[d] + 1;
        all *= size[d];
    }
    return all;
}
static refd_meeting refd_meet(const ref_window *w, const ref_grid *g, const int64_t *size, int64_t row, int64_t q)
{
    refd_meeting m = { row / ref_places(w->kernel), row % ref_places(w->kernel), q, { 0, 0, 0 }, 1 };
    int64_t k[3], at[3];
    ref_place(m.k, w->kernel, k);
    ref_place(q, size, at);
    for (int d = 0; d < 3; d++) {
        m.p[d] = at[d] * w->stride[d] + k[d] * w->dilate[d] - w->pad[d];
        m.inside = m.inside && m.p[d] >= 0 && m.p[d] < g->dim[d];
    }
    return m;
}
static void refd_im2col(ref_case *c)
{
    ref_window w = ref_window_of(c);
    ref_grid g = ref_grid_of(c->in[0].dim, c->in[0].ndim, 0);
    int64_t size[3], dim[3] = { g.n, g.c * ref_places(w.kernel), refd_places(&w, &g, size) };
    double *y = ref_out(c, 0, 3, dim);
    for (int64_t i = 0; i < c->out[0].size; i++) {
        refd_meeting m = refd_meet(&w, &g, size, i / dim[2] % dim[1], i % dim[2]);
        if (m.inside) y[i] = c->in[0].v[ref_grid_at(&g, i / dim[2] / dim[1], m.c, m.p)];
    }
}
static void refd_col2im(ref_case *c)
{
    ref_window w = ref_window_of(c);
    const ref_tensor *x = &c->in[0];
    int64_t dim[5] = { x->dim[0], x->dim[1] / ref_places(w.kernel) }, size[3];
    int n = ref_ints(c, "output_size", dim + 2, 3);
    double *y = ref_out(c, 0, n + 2, dim);
    ref_grid g = ref_grid_of(dim, n + 2, 0);
    refd_places(&w, &g, size);
    for (int64_t i = 0; i < x->size; i++) {
        refd_meeting m = refd_meet(&w, &g, size, i / x->dim[2] % x->dim[1], i % x->dim[2]);
        if (m.inside) y[ref_grid_at(&g, i / x->dim[2] / x->dim[1], m.c, m.p)] += x->v[i];
    }
}
static const char *const cases_im2col[] = {
    "(2,3,5,6) | kernel=(3,3)", "(1,2,7,5) | kernel=(2,3) stride=(2,1) pad=(1,2)", "(2,1,9) | kernel=(3,) dilate=(2,) pad=(3,)",
    "(1,2,4,3,5) | kernel=(2,3,2) stride=(1,2,3) dilate=(2,1,1) pad=(1,1,0)", "(1,1,1,1) | kernel=(1,1) stride=() dilate=() pad=()",
    "(3,2,17,19) | kernel=(1,1) stride=(3,2)", "(1,2,2,2) | kernel=(4,5) pad=(3,2)", "(2,1,300) | kernel=(5,) stride=(1,)",
    "(0,2,5,5) | kernel=(3,3)", "(2,0,5,5) | kernel=(3,3)", NULL };
static const ref_op ref_im2col = { REFA_FLOATS, refd_im2col, REF_TRUE, NULL, 0, cases_im2col };
static const char *const cases_col2im[] = {
    "(2,27,12) | output_size=(5,6) kernel=(3,3)", "(1,12,28) | output_size=(7,5) kernel=(2,3) stride=(2,1) pad=(1,2)",
    "(2,3,11) | output_size=(9,) kernel=(3,) dilate=(2,) pad=(3,)",
    "(1,24,16) | output_size=(4,3,5) kernel=(2,3,2) stride=(1,2,3) dilate=(2,1,1) pad=(1,1,0)",
    "(1,1,1) | output_size=(1,1) kernel=(1,1) stride=() dilate=() pad=()", "(3,2,60) | output_size=(17,19) kernel=(1,1) stride=(3,2)",
    "(1,40,10) | output_size=(2,2) kernel=(4,5) pad=(3,2)", "(2,5,296) | output_size=(300,) kernel=(5,)",
    "(0,18,9) | output_size=(5,5) kernel=(3,3)", "(2,0,9) | output_size=(5,5) kernel=(3,3)", NULL };
static const ref_op ref_col2im = { REFA_FLOATS, refd_col2im, REF_TRUE, NULL, 1e-6, cases_col2im };

/* What row and column (n, row, q) of deformed columns meets: a place between pixels, 0 outside, the last pixel behind it. */
static double refd_pixel(const ref_case *c, int data, const ref_window *w, const int64_t *size, int64_t n, int64_t row, int64_t q,
                         double *weight, int64_t *at)
{
    const ref_tensor *x = &c->in[data], *o = &c->in[data + 1];
    int64_t taps = ref_places(w->kernel), places = ref_places(size), h = x->dim[2], v = x->dim[3], ch = row / taps;
    int64_t group = ch / (x->dim[1] / ref_int(c, "num_deformable_group", 1)), low[2];
    ref_grid g = ref_grid_of(x->dim, 4, 0);
    refd_meeting m = refd_meet(w, &g, size, row, q);
    double p[2], part[2], sum = 0;
    for (int d = 0; d < 2; d++) {
        p[d] = (double)m.p[d + 1] + o->v[((n * o->dim[1] + (group * taps + m.k) * 2 + d)) * places + q];
        low[d] = (int64_t)floor(p[d]);
        part[d] = p[d] - floor(p[d]);
        if (low[d] >= x->dim[d + 2] - 1) part[d] = 0;
    }
    for (int k = 0; k < 4; k++) {
        int64_t i = low[0] + k / 2, j = low[1] + k % 2;
        at[k] = -1;
        weight[k] = (k / 2 ? part[0] : 1 - part[0]) * (k % 2 ? part[1] : 1 - part[1]);
        if (p[0] < 0 || p[1] < 0 || low[0] >= h || low[1] >= v || i >= h || j >= v) continue;
        at[k] = ((n * x->dim[1] + ch) * h + i) * v + j;
        sum += weight[k] * x->v[at[k]];
    }
    weight[4] = part[0];
    weight[5] = part[1];
    return sum;
}
static void refd_deformable(ref_case *c)
{
    ref_window w = ref_window_of(c);
    const ref_tensor *x = &c->in[0], *f = &c->in[2];
    ref_grid g = ref_grid_of(x->dim, 4, 0);
    int64_t size[3], all = refd_places(&w, &g, size), at[4], taps = ref_places(w.kernel), each = f->dim[1] * taps;
    int64_t dim[4] = { x->dim[0], f->dim[0], size[1], size[2] }, many = f->dim[0] / ref_int(c, "num_group", 1);
    double *y = ref_out(c, 0, 4, dim), weight[6];
    for (int64_t i = 0; i < c->out[0].size; i++) {
        int64_t o = i / all % dim[1];
        y[i] = c->nin > 3 ? c->in[3].v[o] : 0;
        for (int64_t k = 0; k < each; k++)
            y[i] += f->v[o * each + k] * refd_pixel(c, 0, &w, size, i / all / dim[1], o / many * each + k, i % all, weight, at);
    }
}
static void refd_deformed(ref_case *c)
{
    ref_window w = ref_window_of(c);
    const ref_tensor *x = &c->in[0];
    ref_grid g = ref_grid_of(x->dim, 4, 0);
    int64_t size[3], at[4], dim[3] = { x->dim[0], x->dim[1] * ref_places(w.kernel), refd_places(&w, &g, size) };
    double *y = ref_out(c, 0, 3, dim), weight[6];
    for (int64_t i = 0; i < c->out[0].size; i++)
        y[i] = refd_pixel(c, 0, &w, size, i / dim[2] / dim[1], i / dim[2] % dim[1], i % dim[2], weight, at);
}
static void refd_deformed_back(ref_case *c)
{
    ref_window w = ref_window_of(c);
    const ref_tensor *dy = &c->in[0], *x = &c->in[1], *o = &c->in[2];
    ref_grid g = ref_grid_of(x->dim, 4, 0);
    int64_t size[3], places = refd_places(&w, &g, size), at[4], taps = ref_places(w.kernel);
    int64_t each = x->dim[1] / ref_int(c, "num_deformable_group", 1);
    double *dx = refa_like(c, 0, x), *slope = refa_like(c, 1, o), weight[6];
    for (int64_t i = 0; i < dy->size; i++) {
        int64_t row = i / places % dy->dim[1], n = i / places / dy->dim[1], q = i % places;
        int64_t to = (n * o->dim[1] + (row / taps / each * taps + row % taps) * 2) * places + q;
        double pixel[4];
        refd_pixel(c, 1, &w, size, n, row, q, weight, at);
        for (int k = 0; k < 4; k++) {
            if (at[k] >= 0) dx[at[k]] += weight[k] * dy->v[i];
            pixel[k] = at[k] >= 0 ? x->v[at[k]] : k == 3 && at[0] >= 0 && at[1] >= 0 ? pixel[1] : k && at[0] >= 0 ? pixel[k == 3 ? 2 : 0] : 0;
        }
        if (at[0] >= 0 && at[2] >= 0)
            slope[to] += dy->v[i] * ((1 - weight[5]) * (pixel[2] - pixel[0]) + weight[5] * (pixel[3] - pixel[1]));
        if (at[0] >= 0 && at[1] >= 0)
            slope[to + places] += dy->v[i] * ((1 - weight[4]) * (pixel[1] - pixel[0]) + weight[4] * (pixel[3] - pixel[2]));
    }
}
static const char *const cases_deformable_convolution[] = {
    "(2,3,5,6) (2,18,3,4)[-1,1] (4,3,3,3) (4) | kernel=(3,3) num_filter=4",
    "(1,4,6,5) (1,36,6,5)[-1.5,1.5] (6,2,3,3) (6) | kernel=(3,3) num_filter=6 num_group=2 num_deformable_group=2 pad=(1,1)",
    "(2,2,7,6) (2,12,3,6)[-0.7,0.7] (3,2,2,3) | kernel=(2,3) num_filter=3 stride=(2,1) pad=(0,1) no_bias=True",
    "(1,4,8,9) (1,32,3,4)[-2,2] (4,1,2,2) (4) | kernel=(2,2) num_filter=4 num_group=4 num_deformable_group=4 stride=(2,2) dilate=(3,1)",
    "(1,6,4,4) (1,2,4,4)[-3,3] (5,6,1,1) (5) | kernel=(1,1) num_filter=5 layout=NCHW stride=() dilate=() pad=()",
    "(1,2,18,17) (1,18,18,17)[-1,1] (3,2,3,3) (3) | kernel=(3,3) num_filter=3 pad=(1,1)",
    "(1,1,1,1) (1,2,1,1)[-0.9,0.9] (1,1,1,1) (1) | kernel=(1,1) num_filter=1",
    "(2,3,4,5) (2,18,4,5)int[-1,1] (2,3,3,3) (2) | kernel=(3,3) num_filter=2 pad=(1,1)",
    "(0,2,5,5) (0,18,3,3) (3,2,3,3) (3) | kernel=(3,3) num_filter=3", NULL };
static const ref_op ref_deformable_convolution = {
    REFA_FLOATS, refd_deformable, REF_TRUE, NULL, 4e-6, cases_deformable_convolution };
static const char *const cases__deformable_im2col[] = {
    "(2,3,5,6) (2,18,3,4)[-1,1] | kernel=(3,3)", "(1,4,6,5) (1,36,6,5)[-1.5,1.5] | kernel=(3,3) num_deformable_group=2 pad=(1,1)",
    "(2,2,7,6) (2,12,3,6)[-0.7,0.7] | kernel=(2,3) stride=(2,1) pad=(0,1)", "(1,2,18,17) (1,2,18,17)[-4,4] | kernel=(1,1)",
    "(0,2,5,5) (0,18,3,3) | kernel=(3,3)", NULL };
static const ref_op ref__deformable_im2col = { REFA_FLOATS, refd_deformed, REF_TRUE, NULL, 4e-6, cases__deformable_im2col };
static const char *const cases__deformable_col2im[] = {
    "(2,27,12) (2,3,5,6) (2,18,3,4)[-1,1] | kernel=(3,3)",
    "(1,36,30) (1,4,6,5) (1,36,6,5)[-1.5,1.5] | kernel=(3,3) num_deformable_group=2 pad=(1,1)",
    "(2,12,18) (2,2,7,6) (2,12,3,6)[-0.7,0.7] | kernel=(2,3) stride=(2,1) pad=(0,1)",
    "(1,2,306) (1,2,18,17) (1,2,18,17)[-4,4] | kernel=(1,1)", "(0,18,9) (0,2,5,5) (0,18,3,3) | kernel=(3,3)", NULL };
static const ref_op ref__deformable_col2im = {
    REFA_FLOATS, refd_deformed_back, REF_NO_GRADIENT, NULL, 4e-6, cases__deformable_col2im };
/* --- images as bytes have them, (H,W,C) or (N,H,W,C) --- */
static double *refc_image(ref_case *c, int64_t tall, int64_t wide)
{
    int64_t dim[4];
    int at = c->in[0].ndim - 3;
    for (int d = 0; d < c->in[0].ndim; d++) dim[d] = c->in[0].dim[d];
    if (tall > 0) dim[at] = tall;
    if (wide > 0) dim[at + 1] = wide;
    return ref_out(c, 0, at + 3, dim);
}
static void refc_to_tensor(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int at = x->ndim - 3;
    int64_t area = x->dim[at] * x->dim[at + 1], C = x->dim[at + 2], dim[4] = { x->dim[0] };
    dim[at] = C; dim[at + 1] = x->dim[at]; dim[at + 2] = x->dim[at + 1];
    double *y = ref_out(c, 0, x->ndim, dim);
    for (int64_t i = 0; i < x->size; i++) y[(i / (area * C) * C + i % C) * area + i / C % area] = x->v[i] / 255;
}
static const char *const cases_image_to_tensor[] = { "(3,4,3)int[0,255]", "(2,3,2,1)int[0,255]", "(1,1,3)int[0,255]",
    "(2,17,19,3)int[0,127]", "(4,3,2)", "(0,3,3,3)", "(3,0,3)", NULL };
static const ref_op ref_image_to_tensor = { "fdhbuil", refc_to_tensor, REF_TRUE, NULL, 2e-6, cases_image_to_tensor };

static void refc_normalize(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    double mean[16] = { 0 }, std[16] = { 1 };
    int at = x->ndim - 3, means = refc_reals(c, "mean", mean), stds = refc_reals(c, "std", std);
    double *y = ref_out(c, 0, x->ndim, x->dim);
    for (int64_t i = 0; i < x->size; i++) {
        int64_t k = i / (x->dim[at + 1] * x->dim[at + 2]) % x->dim[at];
        y[i] = (x->v[i] - mean[means > 1 ? k : 0]) / std[stds > 1 ? k : 0];
    }
}
static const char *const cases_image_normalize[] = { "(3,4,5) | mean=(0.5,0,-1) std=(1,2,3)", "(2,3,2,3) | mean=(0.25) std=(0.5,2,4)",
    "(1,5,4) | mean=(0.5) std=(0.25)", "(2,4,3,2)", "(3,2,2) | std=(-1,2,1)", "(0,3,2,2) | mean=(1,2,3)", NULL };
static const ref_op ref_image_normalize = { REFA_FLOATS, refc_normalize, REF_TRUE, NULL, 2e-6, cases_image_normalize };

/* Where place i of `wide` lies among n: middles of pixels, or the pixel that is there. */
static double refc_middle(int64_t i, int64_t wide, int64_t n, int interp)
{
    double at = interp ? ((double)i + 0.5) * (double)n / (double)wide - 0.5 : (double)(i * n / wide);
    return fmax(fmin(at, (double)(n - 1)), 0);
}
static double refc_four(const double *x, int64_t H, int64_t W, int64_t C, double down, double across)
{
    int64_t top = (int64_t)down, left = (int64_t)across, below = top + 1 < H ? top + 1 : top, right = left + 1 < W ? left + 1 : left;
    double f = down - (double)top, g = across - (double)left;
    return (1 - f) * ((1 - g) * x[(top * W + left) * C] + g * x[(top * W + right) * C]) +
           f * ((1 - g) * x[(below * W + left) * C] + g * x[(below * W + right) * C]);
}
static void refc_image_resize(ref_case *c)
{
    const ref_tensor *x = &c->in[0];
    int at = x->ndim - 3, interp = ref_int(c, "interp", 1);
    int64_t H = x->dim[at], W = x->dim[at + 1], C = x->dim[at + 2], size[2], tall, wide;
    if (ref_ints(c, "size", size, 2) == 1) size[1] = size[0];
    wide = size[0];
    tall = size[1];
    if (ref_int(c, "keep_ratio", 0) && !strchr(ref_find(c, "size"), ',')) {
        if (H > W) tall = H * wide / W; else wide = W * tall / H;
    }
    double *y = refc_image(c, tall, wide);
    for (int64_t i = 0; i < c->out[0].size; i++)
        y[i] = refc_four(x->v + i / (tall * wide * C) * H * W * C + i % C, H, W, C, refc_middle(i / (wide * C) % tall, tall, H, interp),
                           refc_middle(i / C % wide, wide, W, interp));
}
static const char *const cases_image_resize[] = { "(4,5,3) | size=(7,3)", "(2,6,4,1) | size=(2,3)", "(4,5,3) | size=3", "(4,8,2) | size=6 keep_ratio=True",
    "(9,3,3) | size=4 keep_ratio=True", "(3,4,3) | size=(8,6) interp=0", "(8,6,3) | size=(3,4) interp=0", "(1,1,1) | size=(3,2)",
    "(5,4,2) | size=1", "(0,3,3,3) | size=2", NULL };
static const ref_op ref_image_resize = { REFA_FLOATS, refc_image_resize, REF_TRUE, NULL, 2e-6, cases_image_resize };

static void refc_image_resize_grad(ref_case *c)         /* by asking for one pixel after the other */
{
    const ref_tensor *dy = &c->in[0], *x = &c->in[1];
    int at = x->ndim - 3, interp = ref_int(c, "interp", 1);
    int64_t H = x->dim[at], W = x->dim[at + 1], C = x->dim[at + 2], tall = dy->dim[at], wide = dy->dim[at + 1];
    double *dx = ref_out(c, 0, x->ndim, x->dim), *one = (double *)calloc((size_t)(H * W) + 1, sizeof *one);
    for (int64_t i = 0; i < x->size; i++) {
        for (int64_t k = 0; k < H * W; k++) one[k] = k == i / C % (H * W);
        for (int64_t k = 0; k < tall * wide; k++)
            dx[i] += dy->v[(i / (H * W * C) * tall * wide + k) * C + i % C]
                * refc_four(one, H, W, 1, refc_middle(k / wide, tall, H, interp), refc_middle(k % wide, wide, W, interp));
    }
    free(one);
}
static const char *const cases__image_resize_grad[] = { "(7,3,3) (4,5,3)", "(2,2,3,1) (2,6,4,1)", "(6,8,2) (3,4,2) | interp=0", "(2,3,1) (1,1,1)", NULL };
static const ref_op ref__image_resize_grad = { REFA_FLOATS, refc_image_resize_grad, REF_TRUE, NULL, 2e-6, cases__image_resize_grad };

/* Pixel (i, j) of the result is pixel (a + b i, e + f j). */
static void refc_image_moves(ref_case *c, int64_t tall, int64_t wide, int64_t a, int b, int64_t e, int f)
{
    const ref_tensor *x = &c->in[0];
    int at = x->ndim - 3;
    int64_t H = x->dim[at], W = x->dim[at + 1], C = x->dim[at + 2];
    double *y = refc_image(c, tall, wide);
    for (int64_t i = 0; i < c->out[0].size; i++)
        y[i] = x->v[((i / (tall * wide * C) * H + a + b * (i / (wide * C) % tall)) * W + e + f * (i / C % wide)) * C + i % C];
}
static void refc_image_crop(ref_case *c)
{
    refc_image_moves(c, ref_int(c, "height", 1), ref_int(c, "width", 1), ref_int(c, "y", 0), 1, ref_int(c, "x", 0), 1);
}
static const char *const cases_image_crop[] = { "(4,5,3) | x=1 y=2 width=3 height=2", "(2,6,4,1) | x=0 y=0 width=4 height=6",
    "(3,3,2) | x=2 y=2 width=1 height=1", "(2,3,4,3) | x=3 y=0 width=1 height=3", "(0,4,4,3) | x=1 y=1 width=2 height=2", NULL };
static const ref_op ref_image_crop = { REFA_ALL, refc_image_crop, REF_TRUE, NULL, 0, cases_image_crop };
static void refc_image_mirror(ref_case *c)
{
    int at = c->in[0].ndim - 3;
    refc_image_moves(c, c->in[0].dim[at], c->in[0].dim[at + 1], 0, 1, c->in[0].dim[at + 1] - 1, -1);
}
static void refc_image_turn(ref_case *c)
{
    int at = c->in[0].ndim - 3;
    refc_image_moves(c, c->in[0].dim[at], c->in[0].dim[at + 1], c->in[0].dim[at] - 1, -1, 0, 1);
}
static const char *const cases_image_flip_left_right[] = { "(4,5,3)", "(2,3,4,1)", "(1,1,2)", "(3,1,3)", "(0,2,3,3)", NULL };
static const ref_op ref_image_flip_left_right = { REFA_ALL, refc_image_mirror, REF_TRUE, NULL, 0, cases_image_flip_left_right };
static const ref_op ref_image_flip_top_bottom = { REFA_ALL, refc_image_turn, REF_TRUE, NULL, 0, cases_image_flip_left_right };

static const char *const cases_image_random_flip_left_right[] = { "(4,5,3)", "(6,3,4,1)", "(1,1,3)", "(0,2,3,3)", NULL };
static const ref_op ref_image_random_flip_left_right = { REFA_ALL, NULL, REF_TRUE, NULL, 0, cases_image_random_flip_left_right };
static const ref_op ref_image_random_flip_top_bottom = { REFA_ALL, NULL, REF_TRUE, NULL, 0, cases_image_random_flip_left_right };
static const char *const cases_image_random_resized_crop[] = { "(9,8,3) | width=4 height=5", "(3,12,9,1) | width=3 height=3 area=(0.2,0.5) interp=0",
    "(5,6,3) | width=7 height=9 ratio=(0.5,2) max_trial=3", "(2,40,3) | width=5 height=4 area=(1,1) ratio=(1,1)", NULL };
static const ref_op ref_image_random_resized_crop = { "fdhbu", NULL, REF_NO_GRADIENT, NULL, 0, cases_image_random_resized_crop };
static const char *const cases_image_random_brightness[] = { "(4,5,3) | min_factor=0.5 max_factor=1.5", "(3,3,4,1) | min_factor=0 max_factor=2",
    "(2,2,3) | min_factor=1 max_factor=1", "(0,2,2,3) | min_factor=0 max_factor=1", NULL };
static const ref_op ref_image_random_brightness = { "fdhbuil", NULL, REF_TRUE, NULL, 0, cases_image_random_brightness };
static const ref_op ref_image_random_contrast = { "fdhbuil", NULL, REF_TRUE, NULL, 0, cases_image_random_brightness };
static const ref_op ref_image_random_saturation = { "fdhbuil", NULL, REF_TRUE, NULL, 0, cases_image_random_brightness };
static const ref_op ref_image_random_hue = { "fdhbuil", NULL, REF_NO_GRADIENT, NULL, 0, cases_image_random_brightness };
static const char *const cases_image_random_color_jitter[] = { "(4,5,3)[0,255] | brightness=0.3 contrast=0.3 saturation=0.3 hue=0.1",
    "(3,3,4,1) | brightness=0.5 contrast=0 saturation=0.2 hue=0.1", "(2,2,3) | brightness=0 contrast=0 saturation=0 hue=0", NULL };
static const ref_op ref_image_random_color_jitter = { "fdhbuil", NULL, REF_NO_GRADIENT, NULL, 0, cases_image_random_color_jitter };

static void refc_light(ref_case *c)
{
    static const double eig[3][3] = { { 55.46 * -0.5675, 4.794 * 0.7192, 1.148 * 0.4009 }, { 55.46 * -0.5808, 4.794 * -0.0045, 1.148 * -0.8140 },
                                      { 55.46 * -0.5836, 4.794 * -0.6948, 1.148 * 0.4203 } };
    const ref_tensor *x = &c->in[0];
    double alpha[16] = { 0 }, *y = ref_out(c, 0, x->ndim, x->dim);
    refc_reals(c, "alpha", alpha);
    for (int64_t i = 0; i < x->size; i++) {
        const double *e = eig[i % 3];
        y[i] = x->v[i] + (x->dim[x->ndim - 1] == 3 ? e[0] * alpha[0] + e[1] * alpha[1] + e[2] * alpha[2] : 0);
    }
}
static const char *const cases_image_adjust_lighting[] = { "(4,5,3) | alpha=(0.1,-0.2,0.05)", "(2,3,4,1) | alpha=(1,2,3)", "(3,2,2,3) | alpha=(0,0.5,1)", NULL };
static const ref_op ref_image_adjust_lighting = { REFA_FLOATS, refc_light, REF_TRUE, NULL, 2e-6, cases_image_adjust_lighting };
static const char *const cases_image_random_lighting[] = { "(4,5,3)", "(3,3,4,3) | alpha_std=0.5", "(2,2,1)", NULL };
static const ref_op ref_image_random_lighting = { "fdhbuil", NULL, REF_TRUE, NULL, 0, cases_image_random_lighting };
#endif
