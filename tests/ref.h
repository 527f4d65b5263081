/* Plain double-precision references for every operator: written from their description, apart from the kernels. */
#ifndef REF_H
#define REF_H
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REF_MAX = 10, REF_NONE = -2147483647 - 1 };   /* REF_NONE: a None inside a tuple */

typedef struct ref_tensor { int ndim; int64_t dim[8], size; double *v; } ref_tensor;   /* row-major */

/* One call: inputs in, outputs out. Auxiliary inputs are changed in place. */
typedef struct ref_case {
    int nin, nout, training;
    ref_tensor in[REF_MAX], out[REF_MAX];
    const char *attrs;                         /* "kernel=(3,3) num_filter=4": MXNet's names, Python's values */
} ref_case;

typedef void (*ref_fn)(ref_case *c);
/* Gradient of an operator that declares one which is not the derivative: dx[i] (zeroed, sized like input i; NULL if not wanted) from dy[o]. */
typedef void (*ref_grad_fn)(const ref_case *c, const double *const *dy, double *const *dx);

/* derivative; as grad says; none flows; asking is an error; of inputs that depend on each other, so that the operator
 * they come from proves it */
enum { REF_TRUE, REF_DECLARED, REF_ZERO, REF_NO_GRADIENT, REF_ELSEWHERE };

typedef struct ref_op {
    const char *dtypes;         /* of the first input: f f32, d f64, h f16, b bf16, c i8, u u8, i i32, l i64, o bool */
    ref_fn fn;
    int gradient;
    ref_grad_fn declared;       /* for REF_DECLARED */
    double tolerance;           /* f32, relative to the largest output; other types scale it by their epsilon */
    const char *const *cases;   /* ends with NULL; "(2,3,4) (5,12) (5) | num_hidden=5" */
} ref_op;
/* A case: inputs as (dims) with an optional domain: (2,3)[0.5,2] reals, (4)int[0,5] whole numbers (never differentiated), (6)perm a
 * permutation of 0..5, (3)bool zeros and ones, (4)aux[0,1] an auxiliary state; the default is [-2,2]. A group is given as its members
 * in order. After | the attributes; the word @training runs it in training mode. */

static const char *ref_find(const ref_case *c, const char *key)          /* text after "key=", or NULL */
{
    size_t n = strlen(key);
    for (const char *s = c->attrs; s && *s; ) {
        while (*s == ' ') s++;
        if (!strncmp(s, key, n) && s[n] == '=') return s + n + 1;
        while (*s && *s != ' ') s++;
    }
    return NULL;
}
static double ref_num(const ref_case *c, const char *key, double missing)
{
    const char *s = ref_find(c, key);
    if (!s || !strncmp(s, "None", 4)) return missing;
    return !strncmp(s, "True", 4) ? 1 : !strncmp(s, "False", 5) ? 0 : strtod(s, NULL);
}
static int ref_int(const ref_case *c, const char *key, int missing) { return (int)ref_num(c, key, missing); }
static int ref_is(const ref_case *c, const char *key, const char *value, int missing)   /* key=value? */
{
    const char *s = ref_find(c, key);
    size_t n = strlen(value);
    return s ? !strncmp(s, value, n) && (!s[n] || s[n] == ' ') : missing;
}
static int ref_ints(const ref_case *c, const char *key, int64_t *v, int most)   /* count; -1 if missing or None */
{
    const char *s = ref_find(c, key);
    int n = 0;
    if (!s || !strncmp(s, "None", 4)) return -1;
    if (*s != '(' && *s != '[') { v[0] = strtol(s, NULL, 10); return 1; }
    for (s++; *s && *s != ')' && *s != ']'; ) {
        if (*s == ',') { s++; continue; }
        if (n == most) return n;
        if (*s == 'N') { v[n++] = REF_NONE; s += 4; }
        else { char *end; v[n++] = strtol(s, &end, 10); if (end == s) return n; s = end; }
    }
    return n;
}
static double *ref_out(ref_case *c, int i, int ndim, const int64_t *dim)        /* a zeroed output; the case owns it */
{
    ref_tensor *t = &c->out[i];
    t->ndim = ndim;
    t->size = 1;
    for (int d = 0; d < ndim; d++) { t->dim[d] = dim[d]; t->size *= dim[d]; }
    if (c->nout <= i) c->nout = i + 1;
    return t->v = (double *)calloc((size_t)(t->size ? t->size : 1), sizeof *t->v);
}
#endif
