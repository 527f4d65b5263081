/* hybrid.h - 0.1.0 - tensors, gradients and hybrid networks in one C file - public domain or MIT
 *
 * A network written as ordinary C runs line by line. One header, libc and pthreads, nothing else.
 * In exactly one source file:
 *     #define HYBRID_IMPLEMENTATION
 *     #include "hybrid.h"
 * and everywhere else just the include. Build:  cc -O2 x.c -lm -lpthread
 *
 *     hy_frame *F = hy_open(NULL);
 *     hy_array *x = hy_normal(F, HY_SHAPE(4, 3), 0, 1), *w = hy_ones(F, HY_SHAPE(3)), *loss;
 *     hy_attach_grad(F, w, HY_GRAD_WRITE);
 *     hy_record(F);
 *     loss = hy_mean(F, hy_square(F, hy_dot(F, x, w, NULL)), HY_ALL, NULL);
 *     hy_pause(F);
 *     hy_backward(F, loss, NULL);
 *     hy_print(F, hy_grad_of(F, w));
 *     if (hy_error(F)) puts(hy_error(F));
 *     return hy_close(F);
 *
 * INDEX (search for the tag). A room names only what stands above it.
 *     >>door      this page                          >>manual    ideas, ownership, errors, threads, your own op
 *     >>config    switches                           >>types     values of the API, what an operator is
 *     >>catalogue every operator, once               >>api       everything else that is public
 *     >>cpp       conveniences for C++
 *   with HYBRID_IMPLEMENTATION:
 *     >>platform  compiler, processor, number text   >>memory    allocation, buffers
 *     >>frame     errors, scopes, operator calls     >>threads   the pool
 *     >>shape     types, sizes, walks                >>array     data in and out, text
 *     >>kernels   loops over numbers                 >>ops       what each operator does
 *     >>invoke    running an operator now            >>graph     traced programs
 *     >>execute   running a graph                    >>trace     operators become nodes
 *     >>autograd  gradients                          >>end       history, licence
 *
 * Two doors lead downward: F->emit (set by >>invoke, >>trace and >>autograd) and the operator table, reached as
 * F->root->ops[HY_OP_x]. So gradients in >>ops may use every operator although running one comes later.
 */
/* MARK: - 00 >>door ------------------------------------------------------------------------------------- */

/* MARK: - 01 >>manual -----------------------------------------------------------------------------------
 *
 * FRAMES AND ARRAYS
 *   hy_open makes a frame, F, the first argument of everything. Operators called with F run at once and give
 *   arrays that F owns. hy_begin(F) ... hy_end(F) brackets a piece of work: what was made inside dies at the
 *   end, except what hy_keep (until hy_free or hy_close) or hy_return (one bracket outward) takes out. Memory of
 *   dead arrays is reused, so a loop body in brackets settles to no allocations at all.
 *
 *       for (step = 0; step < 100; step++) {
 *           hy_begin(F);
 *           ... operators ...
 *           hy_end(F);
 *       }
 *
 *   An array has a type (HY_F32, HY_F64, HY_F16, HY_BF16, HY_I8, HY_U8, HY_I32, HY_I64, HY_BOOL) and up to 8 dims;
 *   HY_SCALAR is the shape with none, sizes of 0 are legal. Operators never promote types: cast first.
 *   Operators give new arrays. Only hy_write, hy_set_value, hy_assign, hy_fill and hy_add_to and its kin change
 *   one; hy_view_* share memory with the array they look into.
 *
 * OPTIONS
 *   The last argument of many operators is a pointer to options, NULL for the defaults. In an options struct zero
 *   means the default, so clear it first (hy_x_opt o = {0}) and set what differs. Where 0 itself is meant and is
 *   not the default, write HY_ZERO.
 *
 * GROUPS
 *   Several arrays as one handle: hy_group(F, a, b), hy_get(F, g, i), hy_count(F, g). Operators with many outputs
 *   return one; hy_concat, hy_stack and hy_add_n take one.
 *
 * ERRORS
 *   The first error stays in the frame: hy_error(F) says it in words. Calls after it do nothing and return NULL,
 *   which the next call accepts in silence, so a program may check once, at the end. hy_clear forgets it. Nothing
 *   a program passes in aborts the process, running out of memory included.
 *
 * GRADIENTS
 *   hy_attach_grad(F, x, HY_GRAD_WRITE) asks for the gradient of x. Between hy_record(F) and hy_pause(F) operators
 *   on x, and on what came of it, are written down (and run in training mode: dropout drops, batch norm uses the
 *   batch). hy_backward(F, loss, NULL) then fills hy_grad_of(F, x). HY_GRAD_ADD adds to what is there. hy_grad
 *   returns gradients instead; with create_graph they can be differentiated again. What a recorded call still
 *   needs must not be overwritten: that is an error until backward has run or the result is gone.
 *   hy_check_grad compares a gradient with difference quotients.
 *
 * RANDOM NUMBERS
 *   Philox4x32-10, a function of (seed, number of the random call in this frame, position of the element): the same
 *   on every machine and for any number of threads. hy_seed restarts it.
 *
 * THREADS
 *   One frame belongs to one thread. hy_fork gives another thread its own; it may read arrays of the first frame
 *   that nobody writes meanwhile. Frames of one hy_open share one thread pool, made when first needed: below some
 *   ten microseconds of work everything stays in the calling thread, and an idle pool sleeps. A host with its own
 *   job system sets hy_desc.parallel_for. Results have the same bits for any number of threads.
 *
 * MEMORY
 *   hy_desc.allocator takes all memory from functions of yours, hy_desc.memory from one block. hy_memory_use tells
 *   how much is held and was ever held; hy_trim gives cached blocks back. hy_close gives back everything.
 *
 * YOUR OWN OPERATOR
 *   Fill a hy_op: names and kinds of inputs and outputs; infer, which derives the output's type and shape;
 *   bind, which sets job->run, job->stages and job->items; grad, which emits operators for the gradient (or NULL: none
 *   flows). hy_register(F, &op), then hy_emit(F, &op, n, inputs, &record). examples/own_op.c does it in full.
 *   run(job, stage, item, scratch, shared) computes one item: no allocation, no locks, and it writes only its own part
 *   of the output, since items of a stage run in any order on any thread.
 *
 * NUMBERS
 *   Floats follow IEEE; no -ffast-math is needed or wanted. Integer arithmetic wraps, x / 0 and x mod 0 are 0; casts
 *   from floats go toward zero and saturate, NaN becomes 0. MAX and MIN give NaN when one is there. Indices may
 *   have any numeric type. A reduction over all axes gives shape (1,), as in MXNet.
 */
#ifndef HYBRID_H
#define HYBRID_H

/* MARK: - 02 >>config -----------------------------------------------------------------------------------
 *
 * Switches, all off unless defined before the include:
 *     HYBRID_IMPLEMENTATION  this file holds the code too (in exactly one source file)
 *     HYBRID_STATIC          every function is static: the library is private to one source file
 *     HYBRID_API             what stands before each prototype (dllexport and the like)
 *     HYBRID_NO_THREADS      no pthreads; everything runs in the calling thread
 *     HYBRID_NO_SIMD         plain scalar code only
 *     HYBRID_NO_STDIO        no <stdio.h>: hy_print needs a log hook, files are read from memory
 *     HYBRID_NO_TRAIN        no gradients
 *     HYBRID_NO_RNN, HYBRID_NO_VISION, HYBRID_NO_IO   without these families
 *     HYBRID_USE_CBLAS       f32 and f64 matrix products call cblas_sgemm and cblas_dgemm
 *     HYBRID_ASSERT(x)       checks of the library's own invariants; nothing by default
 */
#define HYBRID_VERSION_MAJOR 0
#define HYBRID_VERSION_MINOR 1
#define HYBRID_VERSION_PATCH 0
#define HYBRID_VERSION (HYBRID_VERSION_MAJOR * 10000 + HYBRID_VERSION_MINOR * 100 + HYBRID_VERSION_PATCH)

#include <stddef.h>
#include <stdint.h>

#if defined(__TINYC__) && !defined(HYBRID_NO_THREADS)
#define HYBRID_NO_THREADS               /* tcc has no atomics */
#endif
#if (defined(__TINYC__) || defined(_MSC_VER)) && !defined(HYBRID_NO_SIMD)
#define HYBRID_NO_SIMD
#endif

#ifndef HYBRID_API
#if defined(HYBRID_STATIC) && defined(__GNUC__)
#define HYBRID_API static __attribute__((unused))
#elif defined(HYBRID_STATIC)
#define HYBRID_API static
#elif defined(__cplusplus)
#define HYBRID_API extern "C"
#else
#define HYBRID_API extern
#endif
#endif
#define HY_API HYBRID_API

/* Tuning, in the file with the implementation: */
#ifndef HYBRID_CACHE_BYTES
#define HYBRID_CACHE_BYTES ((size_t)256 << 20)          /* most that one frame keeps for reuse */
#endif
#ifndef HYBRID_PARALLEL_NS
#define HYBRID_PARALLEL_NS 8000                         /* below so many nanoseconds a second core does not pay */
#endif
#ifndef HYBRID_CHUNK
#define HYBRID_CHUNK 16384                              /* elements of a simple operator that one thread takes at a time */
#endif

#ifndef HYBRID_ASSERT
#define HYBRID_ASSERT(x) ((void)0)
#endif

/* MARK: - 03 >>types ------------------------------------------------------------------------------------
 *
 * Values that pass through the API. The structs hy_op, hy_infer, hy_job and hy_diff are what an operator is
 * made of; programs that only use operators never meet them.
 */
typedef struct hy_frame hy_frame;       /* decides whether an operator runs or becomes a node; see >>manual */
typedef struct hy_array hy_array;       /* a tensor, a traced value, or a group of these */
typedef struct hy_graph hy_graph;       /* a traced program */
typedef struct hy_op hy_op;

typedef enum hy_dtype {                 /* 0 means "not known" or "the default" */
    HY_DTYPE_NONE, HY_F32, HY_F64, HY_F16, HY_BF16, HY_I8, HY_U8, HY_I32, HY_I64, HY_BOOL, HY_DTYPE_COUNT
} hy_dtype;

enum { HY_MAX_DIM = 8, HY_MAX_INTS = 16, HY_MAX_STAGES = 6 };

typedef struct hy_shape { int ndim; int64_t dim[HY_MAX_DIM]; } hy_shape;    /* -1: not known */
typedef struct hy_ints  { int n; int64_t v[HY_MAX_INTS]; } hy_ints;         /* n = -1: None, "all" */
typedef struct hy_reals { int n; double v[HY_MAX_INTS]; } hy_reals;
typedef struct hy_type  { hy_dtype dtype; hy_shape shape; } hy_type;

#define HY_NONE (-2147483647 - 1)       /* None, where an integer is due */
#define HY_ZERO (-2147483647)           /* 0 in an option field whose default is something else */
#define HY_REQUIRED 1e300               /* in the catalogue: no default */

#define HY__COUNT(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, N, ...) N
#define HY__NARGS(...) HY__COUNT(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#ifdef __cplusplus
#define HY__LITERAL(type) type
#else
#define HY__LITERAL(type) (type)
#endif
#define HY_SHAPE(...) HY__LITERAL(hy_shape) { HY__NARGS(__VA_ARGS__), { __VA_ARGS__ } }
#define HY_AXES(...)  HY__LITERAL(hy_ints) { HY__NARGS(__VA_ARGS__), { __VA_ARGS__ } }
#define HY_INTS(...)  HY_AXES(__VA_ARGS__)
#define HY_SCALAR     HY__LITERAL(hy_shape) { 0, { 0 } }    /* the shape of a single number */
#define HY_ALL        HY__LITERAL(hy_ints) { -1, { 0 } }    /* every axis */
#define HY_EMPTY      HY__LITERAL(hy_ints) { 0, { 0 } }

/* What can go wrong. hy_close and hy_error_code give the first one. */
#define HY_ERRORS(E) \
    E(OK,          "no error") \
    E(MEMORY,      "out of memory") \
    E(ARGUMENT,    "bad argument") \
    E(SHAPE,       "shapes do not fit") \
    E(DTYPE,       "types do not fit") \
    E(INDEX,       "index out of range") \
    E(STATE,       "not possible now") \
    E(TRACE,       "not possible while tracing") \
    E(GRADIENT,    "no gradient") \
    E(UNKNOWN,     "no such name") \
    E(FILE,        "file not readable or writable") \
    E(FORMAT,      "malformed data") \
    E(UNSUPPORTED, "not supported") \
    E(USER,        "raised by the program")
#define HY__ERROR_ENUM(name, text) HY_ERROR_##name,
typedef enum hy_error_t { HY_ERRORS(HY__ERROR_ENUM) HY_ERROR_COUNT } hy_error_t;
#undef HY__ERROR_ENUM

enum { HY_ISA_AUTO, HY_ISA_BASE, HY_ISA_AVX2, HY_ISA_AVX512 };
enum { HY_LOG_ERROR, HY_LOG_WARNING, HY_LOG_INFO, HY_LOG_PRINT };
typedef enum hy_grad_req { HY_GRAD_NULL, HY_GRAD_WRITE, HY_GRAD_ADD } hy_grad_req;

/* Names for enum attributes, in the order of their documentation. */
enum { HY_LAYOUT_NONE, HY_LAYOUT_NCW, HY_LAYOUT_NCHW, HY_LAYOUT_NCDHW, HY_LAYOUT_NWC, HY_LAYOUT_NHWC, HY_LAYOUT_NDHWC };
enum { HY_POOL_MAX, HY_POOL_AVG, HY_POOL_SUM, HY_POOL_LP };
enum { HY_CONVENTION_VALID, HY_CONVENTION_FULL, HY_CONVENTION_SAME };
enum { HY_JOIN_CONCAT, HY_JOIN_SUM };
enum { HY_L2_INSTANCE, HY_L2_CHANNEL, HY_L2_SPATIAL };
enum { HY_ACT_RELU, HY_ACT_SIGMOID, HY_ACT_TANH, HY_ACT_SOFTRELU, HY_ACT_SOFTSIGN, HY_ACT_LOG_SIGMOID, HY_ACT_MISH };
enum { HY_LEAKY_LEAKY, HY_LEAKY_ELU, HY_LEAKY_SELU, HY_LEAKY_GELU, HY_LEAKY_PRELU, HY_LEAKY_RRELU };
enum { HY_SOFTMAX_INSTANCE, HY_SOFTMAX_CHANNEL };
enum { HY_NORMALIZE_NULL, HY_NORMALIZE_BATCH, HY_NORMALIZE_VALID };
enum { HY_DROP_TRAINING, HY_DROP_ALWAYS };
enum { HY_PAD_CONSTANT, HY_PAD_EDGE, HY_PAD_REFLECT };
enum { HY_INDEX_CLIP, HY_INDEX_WRAP, HY_INDEX_RAISE };
enum { HY_TOPK_INDICES, HY_TOPK_VALUE, HY_TOPK_MASK, HY_TOPK_BOTH };
enum { HY_RNN_RELU, HY_RNN_TANH, HY_RNN_LSTM, HY_RNN_GRU };

/* Memory comes from here. Called from several threads once a frame is forked. */
typedef struct hy_allocator {
    void *(*alloc_fn)(void *user_data, size_t bytes);
    void *(*realloc_fn)(void *user_data, void *block, size_t bytes);    /* may be NULL */
    void  (*free_fn)(void *user_data, void *block);
    void  *user_data;
} hy_allocator;

/* A host's job system: runs fn(arg, i, worker) for i in [0, n) and returns when all have returned. Any order and
 * any thread will do; worker is below hy_desc.threads and two calls at one time never share it. */
typedef void (*hy_parallel_for)(void *user, int64_t n, void (*fn)(void *arg, int64_t i, int worker), void *arg);

/* Options of hy_open. Zero everywhere is the default. */
typedef struct hy_desc {
    int              threads;           /* at most so many threads; 0: one per core */
    int              isa;               /* HY_ISA_...; the best the machine has */
    uint64_t         seed;              /* of the random numbers */
    hy_allocator     allocator;         /* malloc and free */
    void            *memory;            /* take everything from this block instead ... */
    size_t           memory_bytes;      /* ... of this size */
    void           (*log_fn)(void *user, int level, int code, const char *text);    /* silence */
    void            *log_user;
    hy_parallel_for  parallel_for;      /* the library's own thread pool */
    void            *parallel_user;
    void            *reserved[8];
} hy_desc;

/* --- what an operator is made of --- */
typedef enum hy_arg_kind { HY_ARG_ONE, HY_ARG_OPT, HY_ARG_LIST, HY_ARG_AUX, HY_ARG_HID } hy_arg_kind;
typedef struct hy_arg { const char *name; hy_arg_kind kind; } hy_arg;

typedef enum hy_attr_kind {
    HY_ATTR_flag, HY_ATTR_inv, HY_ATTR_int, HY_ATTR_oint, HY_ATTR_i64, HY_ATTR_real, HY_ATTR_dtype,
    HY_ATTR_enum, HY_ATTR_text, HY_ATTR_shape, HY_ATTR_ints, HY_ATTR_oints, HY_ATTR_reals
} hy_attr_kind;
typedef struct hy_attr {
    const char *name, *mxnet;           /* field of the record; name in files */
    hy_attr_kind kind;
    int option;                         /* zero means the default */
    size_t offset;                      /* in the record */
    double missing;                     /* the default */
    const char *doc;                    /* of an enum: "first|second|...: what it is" */
} hy_attr;

enum {                                  /* facts that passes ask for */
    HY_OP_POINTWISE = 1,                /* element i of the output depends on element i of the inputs */
    HY_OP_VIEW      = 2,                /* same elements in the same order, another shape */
    HY_OP_RANDOM    = 4,                /* draws random numbers */
    HY_OP_TRAIN     = 8,                /* differs in training */
    HY_OP_DYNAMIC   = 16,               /* values decide the output's shape */
    HY_OP_INPLACE   = 32,               /* may write over its first input */
    HY_OP_NO_SAVE   = 64,               /* its gradient reads shapes only, no values */
    HY_OP_STRIDED   = 128               /* reads inputs of any strides; others get packed ones */
};

typedef struct hy_tensor { void *data; hy_type type; int64_t stride[HY_MAX_DIM]; } hy_tensor;  /* in elements */

/* Types and shapes of one call; an operator fills in what it can deduce, in any direction. */
typedef struct hy_infer {
    const hy_op *op;
    const void  *attr;                  /* the record */
    int          nin, nout;
    hy_type     *in, *out;
    const hy_tensor *value;             /* inputs with values, when a dynamic operator runs; else NULL */
    int          status;                /* 1 something was learnt, 0 nothing, -1 contradiction */
    hy_error_t   code;
    char         text[256];             /* the contradiction */
} hy_infer;

/* One operator ready to run. Pointers may change between runs, all else is fixed by bind. */
typedef struct hy_job {
    const hy_op *op;
    const void  *attr;
    const struct hy__kernels *kernels;
    int          nin, nout;
    hy_tensor   *in, *out;              /* out[i].data is NULL for a hidden output nobody wants */
    int          training;
    uint64_t     seed, stream;          /* the random key of this run */
    void       (*run)(struct hy_job *job, int stage, int64_t item, void *scratch, void *shared);
    int          stages;
    int64_t      items[HY_MAX_STAGES];  /* from shapes, never from the number of threads */
    double       cost;                  /* of the whole, about nanoseconds on one core */
    size_t       scratch, shared;       /* bytes per worker, bytes for all */
    int          fault;                 /* set by an item that met bad data */
    const char  *fault_text;            /* what it means */
    union { int64_t i[64]; double f[64]; const void *p[64]; } plan;     /* bind's notes for run */
    hy_error_t   code;
    char         text[256];             /* why bind refused */
} hy_job;

/* A gradient wanted: fill dx[i] where want[i], from dy[o] (NULL is zero), by emitting operators. */
typedef struct hy_diff {
    const hy_op *op;
    const void  *attr;
    int          nin, nout;
    hy_array   **in, **out, **dy, **dx;
    const int   *want;
} hy_diff;

/* How a call falls apart along an axis of its first output: per input the axis to slice, or -1 to share it. */
typedef struct hy_slicing { int axis[HY_MAX_INTS]; } hy_slicing;

struct hy_op {
    const char    *name, *mxnet, *aliases, *doc;    /* aliases: "one|other" */
    const hy_arg  *in, *out;            /* each ends with an empty row */
    const hy_attr *attr;                /* ends with an empty row */
    size_t         record;              /* bytes of the record */
    unsigned       flags;
    int            member;              /* which one of a family that shares its functions */
    int          (*count)(const void *attr, int output, int index);   /* how many values an argument has: 0, 1, n;
                                           -1 as many as given; for HID 2 means shown; NULL: one each */
    int          (*infer)(hy_infer *);
    int          (*bind)(hy_job *);     /* 0, or nonzero with code and text */
    int          (*grad)(hy_frame *, hy_diff *);
    int          (*split)(const hy_job *, int axis, hy_slicing *);
};

/* MARK: - 04 >>catalogue --------------------------------------------------------------------------------
 *
 * Every operator, once. From these lists come the prototypes, the option structs, the records, the tables
 * that read and print attributes, and the tests. An operator `x` is one row in HY_OPS and four lists:
 *     HY_I_x(I)  inputs     I(name, kind, how many)     ONE, OPT (exists when the expression is true), LIST (a
 *                                                       group of any size), AUX (a running statistic, written)
 *     HY_O_x(O)  outputs    O(name, kind, how many)     ONE, OPT, LIST; HID is for the gradient only (2 shows it)
 *     HY_P_x(P, R)  plain arguments   P(R, kind, name, MXNet's name, default when a file leaves it out, doc)
 *     HY_A_x(A, R)  fields of hy_x_opt  A(R, kind, name, MXNet's name, default, doc): zero in a field is the default
 * Expressions may use the record `r`; R is passed on. Kinds: flag, inv (a flag whose MXNet twin has the opposite sense), int,
 * oint (int or HY_NONE), i64, real, dtype, text, shape, ints, oints, reals, and enum, whose doc begins with
 * its names in order. Its behaviour is the block of the same name in >>ops.
 */
#define HY_NOTHING(...)

/* One line each: what they compute from x (and a, b), and their gradient as operators of dy, x, y. The V_
 * words stand for the same function in every number type. ARITH runs in any type, MATH in floats; what is FAST_
 * is compiled for every instruction set, the rest (the bits are the same) for the plainest only. */
#define HY_UNARY_OPS(U) \
    U(relu,      "relu",      FAST_ARITH, V_SEL(x <= 0, 0, x), hy_mul(F, dy, hy_sign(F, y)), "max(x, 0)") \
    U(sigmoid,   "sigmoid",   FAST_MATH, V_SIGMOID(x), \
        hy_mul(F, dy, hy_mul(F, y, hy_rsub_scalar(F, y, 1))), "1 / (1 + exp(-x))") \
    U(log_sigmoid, "log_sigmoid", MATH, -V_SOFTRELU(-x), \
        hy_mul(F, dy, hy_sigmoid(F, hy_negative(F, x))), "log(1 / (1 + exp(-x)))") \
    U(softrelu,  "_softrelu", FAST_MATH, V_SOFTRELU(x), hy_mul(F, dy, hy_sigmoid(F, x)), "log(1 + exp(x))") \
    U(mish,      "mish",      MATH, x * V_TANH(V_SOFTRELU(x)), hy__mish_slope(F, dy, x), "x tanh(log(1 + exp(x)))") \
    U(softsign,  "softsign",  MATH, x / (1 + V_ABS(x)), \
        hy_div(F, dy, hy_square(F, hy_add_scalar(F, hy_abs(F, x), 1))), "x / (1 + |x|)") \
    U(erf,       "erf",       FAST_MATH, V_ERF(x), hy_mul(F, dy, hy__gauss(F, x, 1.1283791670955126)), \
        "the error function") \
    U(erfinv,    "erfinv",    MATH, V_ERFINV(x), \
        hy_div(F, dy, hy__gauss(F, y, 1.1283791670955126)), "inverse of the error function") \
    U(gamma,     "gamma",     MATH, V_GAMMA(x), hy_mul(F, dy, hy_mul(F, y, hy_digamma(F, x))), \
        "the gamma function") \
    U(gammaln,   "gammaln",   MATH, V_GAMMALN(x), hy_mul(F, dy, hy_digamma(F, x)), "log |gamma(x)|") \
    U(digamma,   "digamma",   MATH, V_DIGAMMA(x), HY_NO_GRADIENT, "derivative of log gamma") \
    U(abs,       "abs",       FAST_ARITH, V_SEL(x < 0, V_NEG(x), x), hy_mul(F, dy, hy_sign(F, x)), "|x|") \
    U(sign,      "sign",      ARITH, V_SEL(x > 0, 1, V_SEL(x < 0, -1, x)), NULL, "-1, 0 or 1") \
    U(round,     "round",     MATH, V_ROUND(x), NULL, "nearest integer, halves away from zero") \
    U(rint,      "rint",      MATH, V_RINT(x), NULL, "nearest integer, halves to the lower one") \
    U(ceil,      "ceil",      MATH, V_CEIL(x), NULL, "least integer not below x") \
    U(floor,     "floor",     MATH, V_FLOOR(x), NULL, "greatest integer not above x") \
    U(trunc,     "trunc",     MATH, V_TRUNC(x), NULL, "x without its fraction") \
    U(fix,       "fix",       MATH, V_TRUNC(x), NULL, "x rounded toward zero") \
    U(square,    "square",    FAST_ARITH, V_MUL(x, x), hy_mul(F, dy, hy_mul_scalar(F, x, 2)), "x * x") \
    U(sqrt,      "sqrt",      FAST_MATH, V_SQRT(x), hy_div(F, dy, hy_mul_scalar(F, y, 2)), "square root") \
    U(rsqrt,     "rsqrt",     MATH, 1 / V_SQRT(x), \
        hy_mul(F, dy, hy_mul_scalar(F, hy_div(F, y, x), -0.5)), "1 / sqrt(x)") \
    U(cbrt,      "cbrt",      MATH, V_CBRT(x), hy_div(F, dy, hy_mul_scalar(F, hy_square(F, y), 3)), "cube root") \
    U(rcbrt,     "rcbrt",     MATH, 1 / V_CBRT(x), \
        hy_mul(F, dy, hy_mul_scalar(F, hy_div(F, y, x), -1.0 / 3)), "1 / cbrt(x)") \
    U(reciprocal, "reciprocal", ARITH, V_DIV(1, x), \
        hy_mul(F, dy, hy_negative(F, hy_square(F, y))), "1 / x") \
    U(exp,       "exp",       FAST_MATH, V_EXP(x), hy_mul(F, dy, y), "e to the x") \
    U(expm1,     "expm1",     MATH, V_EXPM1(x), hy_mul(F, dy, hy_add_scalar(F, y, 1)), "exp(x) - 1") \
    U(log,       "log",       FAST_MATH, V_LOG(x), hy_div(F, dy, x), "natural logarithm") \
    U(log2,      "log2",      MATH, V_LOG2(x), \
        hy_div(F, dy, hy_mul_scalar(F, x, 0.6931471805599453)), "logarithm to base 2") \
    U(log10,     "log10",     MATH, V_LOG10(x), \
        hy_div(F, dy, hy_mul_scalar(F, x, 2.302585092994046)), "logarithm to base 10") \
    U(log1p,     "log1p",     MATH, V_LOG1P(x), hy_div(F, dy, hy_add_scalar(F, x, 1)), "log(1 + x)") \
    U(sin,       "sin",       FAST_MATH, V_SIN(x), hy_mul(F, dy, hy_cos(F, x)), "sine") \
    U(cos,       "cos",       FAST_MATH, V_COS(x), hy_negative(F, hy_mul(F, dy, hy_sin(F, x))), "cosine") \
    U(tan,       "tan",       MATH, V_TAN(x), hy_mul(F, dy, hy_add_scalar(F, hy_square(F, y), 1)), "tangent") \
    U(arcsin,    "arcsin",    MATH, V_ASIN(x), \
        hy_mul(F, dy, hy_rsqrt(F, hy_rsub_scalar(F, hy_square(F, x), 1))), "inverse sine") \
    U(arccos,    "arccos",    MATH, V_ACOS(x), \
        hy_negative(F, hy_mul(F, dy, hy_rsqrt(F, hy_rsub_scalar(F, hy_square(F, x), 1)))), "inverse cosine") \
    U(arctan,    "arctan",    MATH, V_ATAN(x), \
        hy_div(F, dy, hy_add_scalar(F, hy_square(F, x), 1)), "inverse tangent") \
    U(sinh,      "sinh",      MATH, V_SINH(x), hy_mul(F, dy, hy_cosh(F, x)), "hyperbolic sine") \
    U(cosh,      "cosh",      MATH, V_COSH(x), hy_mul(F, dy, hy_sinh(F, x)), "hyperbolic cosine") \
    U(tanh,      "tanh",      FAST_MATH, V_TANH(x), \
        hy_mul(F, dy, hy_rsub_scalar(F, hy_square(F, y), 1)), "hyperbolic tangent") \
    U(arcsinh,   "arcsinh",   MATH, V_ASINH(x), \
        hy_mul(F, dy, hy_rsqrt(F, hy_add_scalar(F, hy_square(F, x), 1))), "inverse hyperbolic sine") \
    U(arccosh,   "arccosh",   MATH, V_ACOSH(x), \
        hy_mul(F, dy, hy_rsqrt(F, hy_add_scalar(F, hy_square(F, x), -1))), "inverse hyperbolic cosine") \
    U(arctanh,   "arctanh",   MATH, V_ATANH(x), \
        hy_div(F, dy, hy_rsub_scalar(F, hy_square(F, x), 1)), "inverse hyperbolic tangent") \
    U(degrees,   "degrees",   MATH, x * V_K(57.29577951308232), \
        hy_mul_scalar(F, dy, 57.29577951308232), "radians to degrees") \
    U(radians,   "radians",   MATH, x * V_K(0.017453292519943295), \
        hy_mul_scalar(F, dy, 0.017453292519943295), "degrees to radians") \
    U(negative,  "negative",  FAST_ARITH, V_NEG(x), hy_negative(F, dy), "-x") \
    U(logical_not, "logical_not", ARITH, V_SEL(x == 0, 1, 0), NULL, "1 where x is 0, else 0")

/* Each row gives up to four operators: hy_NAME broadcasts as NumPy does, hy_elemwise_NAME wants equal shapes,
 * hy_NAME_scalar has a number on the right, hy_rNAME_scalar on the left. y is the result; da and db are the
 * gradients before they are summed back to the shape of their input. */
#define HY_BINARY_OPS(B) \
    B(add, FAST, HY_OP_NO_SAVE, "broadcast_add", "broadcast_plus", "elemwise_add", "_plus|_Plus|_add|_grad_add", \
        "_plus_scalar", "_PlusScalar", V_ADD(a, b), dy, dy, "a + b") \
    B(sub, FAST, HY_OP_NO_SAVE, "broadcast_sub", "broadcast_minus", "elemwise_sub", "_sub|_minus|_Minus", \
        "_minus_scalar", "_MinusScalar", V_SUB(a, b), dy, hy_negative(F, dy), "a - b") \
    B(mul, FAST, 0, "broadcast_mul", NULL, "elemwise_mul", "_mul|_Mul", "_mul_scalar", "_MulScalar", V_MUL(a, b), \
        HY_TIMES(dy, b), HY_TIMES(dy, a), "a * b") \
    B(div, FAST, 0, "broadcast_div", NULL, "elemwise_div", "_div|_Div", "_div_scalar", "_DivScalar", V_DIV(a, b), \
        HY_OVER(dy, b), hy_negative(F, HY_OVER(hy_mul(F, dy, y), b)), "a / b; integer x / 0 is 0") \
    B(mod, PLAIN, 0, "broadcast_mod", NULL, "_mod", "_Mod", "_mod_scalar", "_ModScalar", V_MOD(a, b), \
        dy, hy_negative(F, hy_mul(F, dy, hy_floor(F, HY_OVER(a, b)))), "a mod b with the sign of b; x mod 0 is 0") \
    B(power, PLAIN, 0, "broadcast_power", NULL, "_power", "_Power", "_power_scalar", "_PowerScalar", V_POW(a, b), \
        hy_mul(F, dy, HY_POWER_DA(a, b)), hy_mul(F, dy, HY_POWER_DB(a, b)), "a to the power b") \
    B(maximum, FAST, 0, "broadcast_maximum", NULL, "_maximum", "_Maximum", "_maximum_scalar", "_MaximumScalar", \
        V_MAX(a, b), hy_mul(F, dy, HY_GE(a, b)), hy_mul(F, dy, HY_LT(a, b)), "the larger; NaN wins") \
    B(minimum, FAST, 0, "broadcast_minimum", NULL, "_minimum", "_Minimum", "_minimum_scalar", "_MinimumScalar", \
        V_MIN(a, b), hy_mul(F, dy, HY_LE(a, b)), hy_mul(F, dy, HY_GT(a, b)), "the smaller; NaN wins") \
    B(hypot, PLAIN, 0, "broadcast_hypot", NULL, "_hypot", NULL, "_hypot_scalar", NULL, V_HYPOT(a, b), \
        hy_mul(F, dy, HY_UNDER(a, y)), hy_mul(F, dy, HY_UNDER(b, y)), "sqrt(a*a + b*b)") \
    B(equal, PLAIN, 0, "broadcast_equal", NULL, "_equal", "_Equal", "_equal_scalar", "_EqualScalar", \
        V_BOOL(a == b), NULL, NULL, "1 where a == b, else 0") \
    B(not_equal, PLAIN, 0, "broadcast_not_equal", NULL, "_not_equal", "_Not_Equal", "_not_equal_scalar", \
        "_NotEqualScalar", V_BOOL(a != b), NULL, NULL, "1 where a != b, else 0") \
    B(greater, PLAIN, 0, "broadcast_greater", NULL, "_greater", "_Greater", "_greater_scalar", "_GreaterScalar", \
        V_BOOL(a > b), NULL, NULL, "1 where a > b, else 0") \
    B(greater_equal, PLAIN, 0, "broadcast_greater_equal", NULL, "_greater_equal", "_Greater_Equal", \
        "_greater_equal_scalar", "_GreaterEqualScalar", V_BOOL(a >= b), NULL, NULL, "1 where a >= b, else 0") \
    B(lesser, PLAIN, 0, "broadcast_lesser", NULL, "_lesser", "_Lesser", "_lesser_scalar", "_LesserScalar", \
        V_BOOL(a < b), NULL, NULL, "1 where a < b, else 0") \
    B(lesser_equal, PLAIN, 0, "broadcast_lesser_equal", NULL, "_lesser_equal", "_Lesser_Equal", \
        "_lesser_equal_scalar", "_LesserEqualScalar", V_BOOL(a <= b), NULL, NULL, "1 where a <= b, else 0") \
    B(logical_and, PLAIN, 0, "broadcast_logical_and", NULL, "_logical_and", "_Logical_And", "_logical_and_scalar", \
        "_LogicalAndScalar", V_BOOL((a != 0) & (b != 0)), NULL, NULL, "1 where both are not 0") \
    B(logical_or, PLAIN, 0, "broadcast_logical_or", NULL, "_logical_or", "_Logical_Or", "_logical_or_scalar", \
        "_LogicalOrScalar", V_BOOL((a != 0) | (b != 0)), NULL, NULL, "1 where one is not 0") \
    B(logical_xor, PLAIN, 0, "broadcast_logical_xor", NULL, "_logical_xor", "_Logical_Xor", "_logical_xor_scalar", \
        "_LogicalXorScalar", V_BOOL((a != 0) != (b != 0)), NULL, NULL, "1 where exactly one is not 0")

/* The same with the number on the left: formula and gradient in b (the array) and y. */
#define HY_RSCALAR_OPS(B) \
    B(sub,   "_rminus_scalar", "_RMinusScalar", hy_negative(F, dy), "scalar - x") \
    B(div,   "_rdiv_scalar", "_RDivScalar", hy_negative(F, hy_div(F, hy_mul(F, dy, y), x)), "scalar / x") \
    B(mod,   "_rmod_scalar", "_RModScalar", \
        hy_negative(F, hy_mul(F, dy, hy_floor(F, hy_rdiv_scalar(F, x, r->scalar)))), "scalar mod x") \
    B(power, "_rpower_scalar", "_RPowerScalar", \
        hy_mul(F, dy, hy_mul_scalar(F, y, hy__log_or_zero(r->scalar))), "scalar to the power x")

/* Reductions over axes: what HY__ kind of folding they are, and whether their gradient needs no values. */
#define HY_REDUCE_OPS(R) \
    R(sum,     "sum",     "sum_axis", HY__SUM,     HY_OP_NO_SAVE, "sum over axes") \
    R(mean,    "mean",    NULL,       HY__MEAN,    HY_OP_NO_SAVE, "mean over axes") \
    R(prod,    "prod",    NULL,       HY__PROD,    0, "product over axes") \
    R(nansum,  "nansum",  NULL,       HY__NANSUM,  0, "sum, NaN counted as 0") \
    R(nanprod, "nanprod", NULL,       HY__NANPROD, 0, "product, NaN counted as 1") \
    R(max,     "max",     "max_axis", HY__MAX,     0, "largest value over axes; NaN wins") \
    R(min,     "min",     "min_axis", HY__MIN,     0, "smallest value over axes; NaN wins")

/* Lists that several operators share. */
#define HY_I_DATA(I)   I(data, ONE, 1)
#define HY_I_PAIR(I)   I(lhs, ONE, 1) I(rhs, ONE, 1)
#define HY_I_LABEL(I)  I(data, ONE, 1) I(label, ONE, 1)
#define HY_I_LENGTH(I) I(data, ONE, 1) I(sequence_length, OPT, r->use_sequence_length)
#define HY_I_ARGS(I)   I(args, LIST, -1)
#define HY_I_NORM(I)   I(data, ONE, 1) I(gamma, ONE, 1) I(beta, ONE, 1)
#define HY_O_OUT(O)    O(output, ONE, 1)
#define HY_O_NORM(O)   O(output, ONE, 1) O(mean, HID, r->output_mean_var ? 2 : 1) \
                       O(std, HID, r->output_mean_var ? 2 : 1)
#define HY_A_GRAD_SCALE(A, R) A(R, real, grad_scale, grad_scale, 1, "factor on the gradient")
#define HY_A_TRANSPOSE(A, R)  A(R, flag, transpose_a, transpose_a, 0, "first operand transposed") \
                           A(R, flag, transpose_b, transpose_b, 0, "second operand transposed")
#define HY_A_REDUCE(A, R)     A(R, flag, keepdims, keepdims, 0, "reduced axes stay with size 1") \
                           A(R, flag, exclude, exclude, 0, "reduce all axes but the named ones")
#define HY_P_AXES(P, R)       P(R, ints, axis, axis, HY_NONE, "axes, or HY_ALL")
#define HY_P_SCALAR(P, R)     P(R, real, scalar, scalar, HY_REQUIRED, "the number")

/* --- linear --- */
#define HY_I_fully_connected(I) I(data, ONE, 1) I(weight, ONE, 1) I(bias, OPT, !r->no_bias)
#define HY_O_fully_connected HY_O_OUT
#define HY_P_fully_connected(P, R) P(R, int, num_hidden, num_hidden, HY_REQUIRED, "number of output features")
#define HY_A_fully_connected(A, R) A(R, flag, no_bias, no_bias, 0, "no bias input") \
    A(R, inv, no_flatten, flatten, 0, "apply to the last axis instead of to all but the first")

#define HY_I_dot HY_I_PAIR
#define HY_O_dot HY_O_OUT
#define HY_P_dot HY_NOTHING
#define HY_A_dot HY_A_TRANSPOSE

#define HY_I_batch_dot HY_I_PAIR
#define HY_O_batch_dot HY_O_OUT
#define HY_P_batch_dot HY_NOTHING
#define HY_A_batch_dot HY_A_TRANSPOSE

#define HY_I_linalg_gemm2(I) I(A, ONE, 1) I(B, ONE, 1)
#define HY_O_linalg_gemm2 HY_O_OUT
#define HY_P_linalg_gemm2 HY_NOTHING
#define HY_A_linalg_gemm2(A, R) HY_A_TRANSPOSE(A, R) A(R, real, alpha, alpha, 1, "factor on the product") \
    A(R, int, axis, axis, -2, "axis of the matrix rows")

#define HY_I_add_n HY_I_ARGS
#define HY_O_add_n HY_O_OUT
#define HY_P_add_n HY_NOTHING

/* --- convolution and pooling --- */
#define HY_A_WINDOW(A, R) A(R, ints, stride, stride, 0, "step per dim, 1s if empty") \
    A(R, ints, dilate, dilate, 0, "spacing of the kernel's taps, 1s if empty") \
    A(R, ints, pad, pad, 0, "zeros added at both ends per dim, 0s if empty")
#define HY_P_KERNEL(P, R) P(R, ints, kernel, kernel, HY_REQUIRED, "kernel size per dim") \
    P(R, int, num_filter, num_filter, HY_REQUIRED, "number of output channels")
#define HY_A_LAYOUT(A, R) A(R, enum, layout, layout, 0, "None|NCW|NCHW|NCDHW|NWC|NHWC|NDHWC: None is channels first")

#define HY_I_convolution(I) I(data, ONE, 1) I(weight, ONE, 1) I(bias, OPT, !r->no_bias)
#define HY_O_convolution HY_O_OUT
#define HY_P_convolution HY_P_KERNEL
#define HY_A_convolution(A, R) HY_A_WINDOW(A, R) A(R, int, num_group, num_group, 1, "channel groups") \
    A(R, flag, no_bias, no_bias, 0, "no bias input") HY_A_LAYOUT(A, R)

#define HY_I_deconvolution(I) I(data, ONE, 1) I(weight, ONE, 1) I(bias, OPT, r->use_bias)
#define HY_O_deconvolution HY_O_OUT
#define HY_P_deconvolution HY_P_KERNEL
#define HY_A_deconvolution(A, R) HY_A_WINDOW(A, R) A(R, ints, adj, adj, 0, "extra output size per dim, below stride") \
    A(R, ints, target_shape, target_shape, 0, "output size per dim; pad and adj follow from it") \
    A(R, int, num_group, num_group, 1, "channel groups") A(R, inv, use_bias, no_bias, 0, "has a bias input") \
    HY_A_LAYOUT(A, R)

#define HY_I__conv_weight_grad(I) I(data, ONE, 1) I(out_grad, ONE, 1)
#define HY_O__conv_weight_grad HY_O_OUT
#define HY_P__conv_weight_grad HY_P_KERNEL
#define HY_A__conv_weight_grad(A, R) HY_A_WINDOW(A, R) A(R, int, num_group, num_group, 1, "channel groups") HY_A_LAYOUT(A, R)

#define HY_A_POOLING(A, R) A(R, enum, pool_type, pool_type, 0, "max|avg|sum|lp: what a window gives") \
    A(R, flag, global_pool, global_pool, 0, "one window over everything") \
    A(R, enum, convention, pooling_convention, 0, "valid|full|same: how the output size is rounded") \
    A(R, ints, stride, stride, 0, "step per dim, 1s if empty") A(R, ints, pad, pad, 0, "padding per dim, 0s if empty") \
    A(R, int, p_value, p_value, 2, "power of lp pooling: 1, 2 or 3") \
    A(R, inv, exclude_pad, count_include_pad, 0, "averages divide by the number of real elements") HY_A_LAYOUT(A, R)
#define HY_I_pooling HY_I_DATA
#define HY_O_pooling HY_O_OUT
#define HY_P_pooling(P, R) P(R, ints, kernel, kernel, 0, "window per dim")
#define HY_A_pooling HY_A_POOLING

#define HY_I__pooling_grad(I) I(out_grad, ONE, 1) I(data, ONE, 1) I(out, ONE, 1)
#define HY_O__pooling_grad HY_O_OUT
#define HY_P__pooling_grad HY_P_pooling
#define HY_A__pooling_grad HY_A_POOLING

#define HY_I_upsampling HY_I_ARGS
#define HY_O_upsampling HY_O_OUT
#define HY_P_upsampling(P, R) P(R, int, scale, scale, HY_REQUIRED, "factor on height and width")
#define HY_A_upsampling(A, R) A(R, enum, sample_type, sample_type, 0, "nearest: the only kind") \
    A(R, enum, multi_input_mode, multi_input_mode, 0, "concat|sum: how several inputs join")

#define HY_I_adaptive_avg_pooling HY_I_DATA
#define HY_O_adaptive_avg_pooling HY_O_OUT
#define HY_P_adaptive_avg_pooling(P, R) P(R, ints, output_size, output_size, 0, "height and width, one number for both")
#define HY_I__adaptive_avg_pooling_grad(I) I(out_grad, ONE, 1) I(data, ONE, 1)
#define HY_O__adaptive_avg_pooling_grad HY_O_OUT
#define HY_P__adaptive_avg_pooling_grad HY_P_adaptive_avg_pooling

/* --- normalisation --- */
#define HY_I_batch_norm(I) HY_I_NORM(I) I(moving_mean, AUX, 1) I(moving_var, AUX, 1)
#define HY_O_batch_norm(O) O(output, ONE, 1) O(mean, HID, r->output_mean_var ? 2 : 1) \
    O(var, HID, r->output_mean_var ? 2 : 1)
#define HY_P_batch_norm HY_NOTHING
#define HY_A_batch_norm(A, R) A(R, real, eps, eps, 1e-3, "added to the variance") \
    A(R, real, momentum, momentum, 0.9, "weight of the old running statistics") \
    A(R, inv, learn_gamma, fix_gamma, 0, "use gamma; without it gamma counts as 1") \
    A(R, flag, use_global_stats, use_global_stats, 0, "running statistics in training too") \
    A(R, flag, output_mean_var, output_mean_var, 0, "return mean and 1/sqrt(var + eps) too") \
    A(R, int, axis, axis, 1, "channel axis")
#define HY_I__batch_norm_grad(I) I(out_grad, ONE, 1) I(data, ONE, 1) I(gamma, ONE, 1) I(mean, ONE, 1) I(rstd, ONE, 1)
#define HY_O__batch_norm_grad(O) O(data_grad, ONE, 1) O(gamma_grad, ONE, 1) O(beta_grad, ONE, 1)
#define HY_P__batch_norm_grad(P, R) P(R, int, axis, axis, 1, "channel axis") P(R, int, batch_stats, batch_stats, 1, \
    "mean and rstd depend on data") P(R, int, learn_gamma, learn_gamma, 0, "gamma counts")

#define HY_I_layer_norm HY_I_NORM
#define HY_O_layer_norm HY_O_NORM
#define HY_P_layer_norm HY_NOTHING
#define HY_A_layer_norm(A, R) A(R, int, axis, axis, -1, "the axis to normalise") A(R, real, eps, eps, 1e-5, "added to the variance") \
    A(R, flag, output_mean_var, output_mean_var, 0, "return mean and deviation too")

#define HY_I_group_norm HY_I_NORM
#define HY_O_group_norm HY_O_NORM
#define HY_P_group_norm HY_NOTHING
#define HY_A_group_norm(A, R) A(R, int, num_groups, num_groups, 1, "channel groups; gamma and beta have one value each") \
    A(R, real, eps, eps, 1e-5, "added to the variance") \
    A(R, flag, output_mean_var, output_mean_var, 0, "return mean and deviation too")

#define HY_I_instance_norm HY_I_NORM
#define HY_O_instance_norm(O) O(output, ONE, 1) O(mean, HID, 1) O(var, HID, 1)
#define HY_P_instance_norm HY_NOTHING
#define HY_A_instance_norm(A, R) A(R, real, eps, eps, 1e-3, "added to the variance")

#define HY_I_l2_normalization HY_I_DATA
#define HY_O_l2_normalization(O) O(output, ONE, 1) O(norm, HID, 1)
#define HY_P_l2_normalization HY_NOTHING
#define HY_A_l2_normalization(A, R) A(R, real, eps, eps, 1e-10, "added to the sum of squares") \
    A(R, enum, mode, mode, 0, "instance|channel|spatial: over all but the batch, the channels, or the places")

#define HY_I_lrn HY_I_DATA
#define HY_O_lrn(O) O(output, ONE, 1) O(scale, HID, 1)
#define HY_P_lrn(P, R) P(R, int, nsize, nsize, HY_REQUIRED, "channels in the window, odd")
#define HY_A_lrn(A, R) A(R, real, alpha, alpha, 1e-4, "factor on the squares") A(R, real, beta, beta, 0.75, "exponent") \
    A(R, real, knorm, knorm, 2, "added constant")
#define HY_I__channel_window_sum HY_I_DATA
#define HY_O__channel_window_sum HY_O_OUT
#define HY_P__channel_window_sum(P, R) P(R, int, nsize, nsize, HY_REQUIRED, "channels in the window, odd")

/* --- activation and loss --- */
#define HY_I_activation HY_I_DATA
#define HY_O_activation HY_O_OUT
#define HY_P_activation(P, R) P(R, enum, act_type, act_type, HY_REQUIRED, \
    "relu|sigmoid|tanh|softrelu|softsign|log_sigmoid|mish: which function")

#define HY_I_leaky_relu(I) I(data, ONE, 1) I(gamma, OPT, r->act_type == HY_LEAKY_PRELU)
#define HY_O_leaky_relu(O) O(output, ONE, 1) O(mask, HID, r->act_type == HY_LEAKY_RRELU)
#define HY_P_leaky_relu(P, R) P(R, enum, act_type, act_type, 0, "leaky|elu|selu|gelu|prelu|rrelu: which function")
#define HY_A_leaky_relu(A, R) A(R, real, slope, slope, 0.25, "slope of leaky, factor of elu") \
    A(R, real, lower_bound, lower_bound, 0.125, "least slope of rrelu") \
    A(R, real, upper_bound, upper_bound, 0.334, "largest slope of rrelu")

#define HY_A_SOFTMAX(A, R) A(R, real, temperature, temperature, 1, "x is divided by it") \
    A(R, dtype, dtype, dtype, 0, "type of the result, of the input if 0")
#define HY_P_SOFTMAX(P, R) P(R, int, axis, axis, -1, "the axis that sums to 1")
#define HY_I_softmax(I) I(data, ONE, 1) I(length, OPT, r->use_length)
#define HY_O_softmax HY_O_OUT
#define HY_P_softmax HY_P_SOFTMAX
#define HY_A_softmax(A, R) HY_A_SOFTMAX(A, R) A(R, flag, use_length, use_length, 0, "a second input gives lengths; 0 beyond")
#define HY_I_log_softmax HY_I_DATA
#define HY_O_log_softmax HY_O_OUT
#define HY_P_log_softmax HY_P_SOFTMAX
#define HY_A_log_softmax HY_A_SOFTMAX
#define HY_I_softmin HY_I_DATA
#define HY_O_softmin HY_O_OUT
#define HY_P_softmin HY_P_SOFTMAX
#define HY_A_softmin HY_A_SOFTMAX
#define HY_I_softmax_activation HY_I_DATA
#define HY_O_softmax_activation HY_O_OUT
#define HY_P_softmax_activation HY_NOTHING
#define HY_A_softmax_activation(A, R) A(R, enum, mode, mode, 0, "instance|channel: over all but the batch, or axis 1")

#define HY_A_SOFTMAX_OUTPUT(A, R) HY_A_GRAD_SCALE(A, R) \
    A(R, real, ignore_label, ignore_label, -1, "label without a gradient, if use_ignore") \
    A(R, flag, multi_output, multi_output, 0, "softmax over axis 1 of (N,C,...)") \
    A(R, flag, use_ignore, use_ignore, 0, "honour ignore_label") \
    A(R, flag, preserve_shape, preserve_shape, 0, "softmax over the last axis") \
    A(R, enum, normalization, normalization, 0, "null|batch|valid: what the gradient is divided by") \
    A(R, flag, out_grad, out_grad, 0, "multiply by the incoming gradient") \
    A(R, real, smooth_alpha, smooth_alpha, 0, "label smoothing")
#define HY_I_softmax_output HY_I_LABEL
#define HY_O_softmax_output HY_O_OUT
#define HY_P_softmax_output HY_NOTHING
#define HY_A_softmax_output HY_A_SOFTMAX_OUTPUT
#define HY_I__softmax_output_grad(I) I(out, ONE, 1) I(label, ONE, 1)
#define HY_O__softmax_output_grad HY_O_OUT
#define HY_P__softmax_output_grad HY_NOTHING
#define HY_A__softmax_output_grad HY_A_SOFTMAX_OUTPUT

#define HY_I_linear_regression_output HY_I_LABEL
#define HY_O_linear_regression_output HY_O_OUT
#define HY_P_linear_regression_output HY_NOTHING
#define HY_A_linear_regression_output HY_A_GRAD_SCALE
#define HY_I_logistic_regression_output HY_I_LABEL
#define HY_O_logistic_regression_output HY_O_OUT
#define HY_P_logistic_regression_output HY_NOTHING
#define HY_A_logistic_regression_output HY_A_GRAD_SCALE
#define HY_I_mae_regression_output HY_I_LABEL
#define HY_O_mae_regression_output HY_O_OUT
#define HY_P_mae_regression_output HY_NOTHING
#define HY_A_mae_regression_output HY_A_GRAD_SCALE

#define HY_I_make_loss HY_I_DATA
#define HY_O_make_loss HY_O_OUT
#define HY_P_make_loss HY_NOTHING
#define HY_A_make_loss(A, R) HY_A_GRAD_SCALE(A, R) A(R, real, valid_thresh, valid_thresh, 0, "what counts as valid") \
    A(R, enum, normalization, normalization, 0, "null|batch|valid: what the gradient is divided by")
#define HY_I_block_grad HY_I_DATA
#define HY_O_block_grad HY_O_OUT
#define HY_P_block_grad HY_NOTHING
#define HY_I_identity HY_I_DATA
#define HY_O_identity HY_O_OUT
#define HY_P_identity HY_NOTHING

#define HY_I_dropout HY_I_DATA
#define HY_O_dropout(O) O(output, ONE, 1) O(mask, HID, 1)
#define HY_P_dropout(P, R) P(R, real, p, p, 0.5, "share that is dropped")
#define HY_A_dropout(A, R) A(R, enum, mode, mode, 0, "training|always: when it drops") \
    A(R, ints, axes, axes, 0, "axes along which the mask is constant")

#define HY_I_softmax_cross_entropy HY_I_LABEL
#define HY_O_softmax_cross_entropy HY_O_OUT
#define HY_P_softmax_cross_entropy HY_NOTHING
#define HY_I_smooth_l1 HY_I_DATA
#define HY_O_smooth_l1 HY_O_OUT
#define HY_P_smooth_l1(P, R) P(R, real, scalar, scalar, 1, "sigma")
#define HY_I_hard_sigmoid HY_I_DATA
#define HY_O_hard_sigmoid HY_O_OUT
#define HY_P_hard_sigmoid HY_NOTHING
#define HY_A_hard_sigmoid(A, R) A(R, real, alpha, alpha, 0.2, "slope") A(R, real, beta, beta, 0.5, "offset")
#define HY_I_clip HY_I_DATA
#define HY_O_clip HY_O_OUT
#define HY_P_clip(P, R) P(R, real, a_min, a_min, HY_REQUIRED, "least value") P(R, real, a_max, a_max, HY_REQUIRED, "largest value")
#define HY_I_cast HY_I_DATA
#define HY_O_cast HY_O_OUT
#define HY_P_cast(P, R) P(R, dtype, dtype, dtype, HY_REQUIRED, "type of the result")
#define HY_I_where(I) I(condition, ONE, 1) I(x, ONE, 1) I(y, ONE, 1)
#define HY_O_where HY_O_OUT
#define HY_P_where HY_NOTHING

/* --- shape --- */
#define HY_I_reshape HY_I_DATA
#define HY_O_reshape HY_O_OUT
#define HY_P_reshape(P, R) P(R, ints, shape, shape, 0, "sizes; 0 copies, -1 infers, -2 the rest, -3 joins two, -4 splits one")
#define HY_A_reshape(A, R) A(R, flag, reverse, reverse, 0, "match from the right")
#define HY_I_reshape_like HY_I_PAIR
#define HY_O_reshape_like HY_O_OUT
#define HY_P_reshape_like HY_NOTHING
#define HY_A_reshape_like(A, R) A(R, oint, lhs_begin, lhs_begin, HY_NONE, "first axis replaced") \
    A(R, oint, lhs_end, lhs_end, HY_NONE, "axis after the last replaced") \
    A(R, oint, rhs_begin, rhs_begin, HY_NONE, "first axis copied") \
    A(R, oint, rhs_end, rhs_end, HY_NONE, "axis after the last copied")
#define HY_I_flatten HY_I_DATA
#define HY_O_flatten HY_O_OUT
#define HY_P_flatten HY_NOTHING
#define HY_I_transpose HY_I_DATA
#define HY_O_transpose HY_O_OUT
#define HY_P_transpose(P, R) P(R, ints, axes, axes, 0, "new order; HY_ALL or empty reverses")
#define HY_I_expand_dims HY_I_DATA
#define HY_O_expand_dims HY_O_OUT
#define HY_P_expand_dims(P, R) P(R, int, axis, axis, HY_REQUIRED, "where the new axis stands")
#define HY_I_squeeze HY_I_DATA
#define HY_O_squeeze HY_O_OUT
#define HY_P_squeeze(P, R) P(R, ints, axis, axis, HY_NONE, "axes of size 1 to drop, HY_ALL for each")
#define HY_I_swap_axes HY_I_DATA
#define HY_O_swap_axes HY_O_OUT
#define HY_P_swap_axes(P, R) P(R, int, dim1, dim1, 0, "first axis") P(R, int, dim2, dim2, 0, "second axis")
#define HY_I_shape_array HY_I_DATA
#define HY_O_shape_array HY_O_OUT
#define HY_P_shape_array HY_NOTHING
#define HY_I_size_array HY_I_DATA
#define HY_O_size_array HY_O_OUT
#define HY_P_size_array HY_NOTHING
#define HY_I_concat HY_I_ARGS
#define HY_O_concat HY_O_OUT
#define HY_P_concat(P, R) P(R, int, dim, dim, 1, "the axis to join")
#define HY_I_stack HY_I_ARGS
#define HY_O_stack HY_O_OUT
#define HY_P_stack(P, R) P(R, int, axis, axis, 0, "where the new axis stands")
#define HY_I_split HY_I_DATA
#define HY_O_split(O) O(output, LIST, r->num_outputs)
#define HY_P_split(P, R) P(R, int, num_outputs, num_outputs, HY_REQUIRED, "number of equal parts") \
    P(R, int, axis, axis, 1, "the axis to cut")
#define HY_A_split(A, R) A(R, flag, squeeze_axis, squeeze_axis, 0, "drop the axis, whose parts must have size 1")
#define HY_I_split_v2 HY_I_DATA
#define HY_O_split_v2(O) O(output, LIST, r->sections > 0 ? r->sections : r->indices.n)
#define HY_P_split_v2(P, R) P(R, ints, indices, indices, HY_REQUIRED, "where each part begins; the first is 0") \
    P(R, int, axis, axis, 1, "the axis to cut")
#define HY_A_split_v2(A, R) A(R, flag, squeeze_axis, squeeze_axis, 0, "drop the axis, whose parts must have size 1") \
    A(R, int, sections, sections, 0, "number of equal parts, in place of indices")
#define HY_I_slice HY_I_DATA
#define HY_O_slice HY_O_OUT
#define HY_P_slice(P, R) P(R, oints, begin, begin, HY_REQUIRED, "first index per axis; HY_NONE, negative from the end") \
    P(R, oints, end, end, HY_REQUIRED, "index after the last per axis")
#define HY_A_slice(A, R) A(R, oints, step, step, 0, "step per axis, may be negative")
#define HY_I__slice_grad(I) I(out_grad, ONE, 1) I(data, ONE, 1)
#define HY_O__slice_grad HY_O_OUT
#define HY_P__slice_grad HY_P_slice
#define HY_A__slice_grad HY_A_slice
#define HY_I_slice_axis HY_I_DATA
#define HY_O_slice_axis HY_O_OUT
#define HY_P_slice_axis(P, R) P(R, int, axis, axis, HY_REQUIRED, "the axis") P(R, int, begin, begin, HY_REQUIRED, "first index") \
    P(R, oint, end, end, HY_REQUIRED, "index after the last, or HY_NONE")
#define HY_I_slice_like(I) I(data, ONE, 1) I(shape_like, ONE, 1)
#define HY_O_slice_like HY_O_OUT
#define HY_P_slice_like(P, R) P(R, ints, axes, axes, 0, "axes to cut, HY_ALL or empty for each")
#define HY_I_crop HY_I_ARGS
#define HY_O_crop HY_O_OUT
#define HY_P_crop HY_NOTHING
#define HY_A_crop(A, R) A(R, ints, offset, offset, 0, "top and left") A(R, ints, h_w, h_w, 0, "height and width, if one input") \
    A(R, flag, center_crop, center_crop, 0, "cut from the middle")
#define HY_I_repeat HY_I_DATA
#define HY_O_repeat HY_O_OUT
#define HY_P_repeat(P, R) P(R, int, repeats, repeats, HY_REQUIRED, "how often each element stands") \
    P(R, oint, axis, axis, HY_NONE, "the axis; HY_NONE flattens first")
#define HY_I_tile HY_I_DATA
#define HY_O_tile HY_O_OUT
#define HY_P_tile(P, R) P(R, ints, reps, reps, HY_REQUIRED, "how often the whole stands, per axis")
#define HY_I_reverse HY_I_DATA
#define HY_O_reverse HY_O_OUT
#define HY_P_reverse(P, R) P(R, ints, axis, axis, HY_REQUIRED, "axes to turn round")
#define HY_A_PAD(A, R) A(R, real, constant_value, constant_value, 0, "what constant padding holds")
#define HY_I_pad HY_I_DATA
#define HY_O_pad HY_O_OUT
#define HY_P_pad(P, R) P(R, ints, pad_width, pad_width, HY_REQUIRED, "before and after, per axis") \
    P(R, enum, mode, mode, HY_REQUIRED, "constant|edge|reflect: what stands in the border")
#define HY_A_pad HY_A_PAD
#define HY_I__pad_grad HY_I_DATA
#define HY_O__pad_grad HY_O_OUT
#define HY_P__pad_grad HY_P_pad
#define HY_I_depth_to_space HY_I_DATA
#define HY_O_depth_to_space HY_O_OUT
#define HY_P_depth_to_space(P, R) P(R, int, block_size, block_size, HY_REQUIRED, "edge of a block")
#define HY_I_space_to_depth HY_I_DATA
#define HY_O_space_to_depth HY_O_OUT
#define HY_P_space_to_depth HY_P_depth_to_space
#define HY_I_diag HY_I_DATA
#define HY_O_diag HY_O_OUT
#define HY_P_diag(P, R) P(R, int, k, k, 0, "which diagonal")
#define HY_A_diag(A, R) A(R, int, axis1, axis1, 0, "first axis of the matrices") A(R, int, axis2, axis2, 1, "second axis")
#define HY_I__diag_grad(I) I(out_grad, ONE, 1) I(data, ONE, 1)
#define HY_O__diag_grad HY_O_OUT
#define HY_P__diag_grad HY_P_diag
#define HY_A__diag_grad HY_A_diag
#define HY_I_broadcast_to HY_I_DATA
#define HY_O_broadcast_to HY_O_OUT
#define HY_P_broadcast_to(P, R) P(R, ints, shape, shape, 0, "sizes; 0 keeps")
#define HY_I_broadcast_axis HY_I_DATA
#define HY_O_broadcast_axis HY_O_OUT
#define HY_P_broadcast_axis(P, R) P(R, ints, axis, axis, 0, "axes of size 1") P(R, ints, size, size, 0, "their new sizes")
#define HY_I_broadcast_like HY_I_PAIR
#define HY_O_broadcast_like HY_O_OUT
#define HY_P_broadcast_like HY_NOTHING
#define HY_A_broadcast_like(A, R) A(R, ints, lhs_axes, lhs_axes, 0, "axes to widen, all if empty") \
    A(R, ints, rhs_axes, rhs_axes, 0, "axes that give the sizes")
#define HY_I__sum_like HY_I_PAIR
#define HY_O__sum_like HY_O_OUT
#define HY_P__sum_like HY_NOTHING
#define HY_I_zeros_like HY_I_DATA
#define HY_O_zeros_like HY_O_OUT
#define HY_P_zeros_like HY_NOTHING
#define HY_I_ones_like HY_I_DATA
#define HY_O_ones_like HY_O_OUT
#define HY_P_ones_like HY_NOTHING
#define HY_I_identity_like(I) HY_I_PAIR(I)
#define HY_O_identity_like HY_O_OUT
#define HY_P_identity_like HY_NOTHING

/* --- indexing --- */
#define HY_I_embedding(I) I(data, ONE, 1) I(weight, ONE, 1)
#define HY_O_embedding HY_O_OUT
#define HY_P_embedding(P, R) P(R, int, input_dim, input_dim, HY_REQUIRED, "number of rows") \
    P(R, int, output_dim, output_dim, HY_REQUIRED, "length of a row")
#define HY_A_embedding(A, R) A(R, dtype, dtype, dtype, HY_F32, "type of the weight") \
    A(R, flag, sparse_grad, sparse_grad, 0, "accepted; gradients are dense")
#define HY_I_take(I) I(a, ONE, 1) I(indices, ONE, 1)
#define HY_O_take HY_O_OUT
#define HY_P_take(P, R) P(R, int, axis, axis, 0, "the axis to index")
#define HY_A_TAKE(A, R) A(R, enum, mode, mode, 0, "clip|wrap|raise: what an index outside does")
#define HY_A_take HY_A_TAKE
#define HY_I__take_grad(I) I(out_grad, ONE, 1) I(indices, ONE, 1) I(a, ONE, 1)
#define HY_O__take_grad HY_O_OUT
#define HY_P__take_grad HY_P_take
#define HY_A__take_grad HY_A_TAKE
#define HY_I_batch_take(I) I(a, ONE, 1) I(indices, ONE, 1)
#define HY_O_batch_take HY_O_OUT
#define HY_P_batch_take HY_NOTHING
#define HY_P_PICK(P, R) P(R, oint, axis, axis, -1, "the axis to pick from; HY_NONE flattens")
#define HY_A_PICK(A, R) A(R, flag, keepdims, keepdims, 0, "the axis stays with size 1") \
    A(R, enum, mode, mode, 0, "clip|wrap: what an index outside does")
#define HY_I_pick(I) I(data, ONE, 1) I(index, ONE, 1)
#define HY_O_pick HY_O_OUT
#define HY_P_pick HY_P_PICK
#define HY_A_pick HY_A_PICK
#define HY_I__pick_grad(I) I(out_grad, ONE, 1) I(index, ONE, 1) I(data, ONE, 1)
#define HY_O__pick_grad HY_O_OUT
#define HY_P__pick_grad HY_P_PICK
#define HY_A__pick_grad HY_A_PICK
#define HY_I_one_hot(I) I(indices, ONE, 1)
#define HY_O_one_hot HY_O_OUT
#define HY_P_one_hot(P, R) P(R, int, depth, depth, HY_REQUIRED, "length of the new axis")
#define HY_A_one_hot(A, R) A(R, real, on_value, on_value, 1, "value at the index") A(R, real, off_value, off_value, 0, "elsewhere") \
    A(R, dtype, dtype, dtype, HY_F32, "type of the result")
#define HY_I_gather_nd(I) I(data, ONE, 1) I(indices, ONE, 1)
#define HY_O_gather_nd HY_O_OUT
#define HY_P_gather_nd HY_NOTHING
#define HY_I_scatter_nd(I) I(data, ONE, 1) I(indices, ONE, 1)
#define HY_O_scatter_nd HY_O_OUT
#define HY_P_scatter_nd(P, R) P(R, ints, shape, shape, HY_REQUIRED, "shape of the result")
#define HY_I__gather_nd_grad(I) I(out_grad, ONE, 1) I(indices, ONE, 1) I(data, ONE, 1)
#define HY_O__gather_nd_grad HY_O_OUT
#define HY_P__gather_nd_grad HY_NOTHING
#define HY_I_topk HY_I_DATA
#define HY_O_topk(O) O(output, ONE, 1) O(indices, HID, r->ret_typ == HY_TOPK_BOTH ? 2 : 1)
#define HY_P_topk(P, R) P(R, oint, axis, axis, -1, "the axis; HY_NONE flattens") P(R, int, k, k, 1, "how many; below 1 all")
#define HY_A_topk(A, R) A(R, enum, ret_typ, ret_typ, 0, "indices|value|mask|both: what is returned") \
    A(R, flag, is_ascend, is_ascend, 0, "the smallest instead of the largest") \
    A(R, dtype, dtype, dtype, HY_F32, "type of the indices")
#define HY_I_sort HY_I_DATA
#define HY_O_sort(O) O(output, ONE, 1) O(indices, HID, 1)
#define HY_P_sort(P, R) P(R, oint, axis, axis, -1, "the axis; HY_NONE flattens")
#define HY_A_sort(A, R) A(R, inv, descending, is_ascend, 0, "largest first")
#define HY_I_argsort HY_I_DATA
#define HY_O_argsort HY_O_OUT
#define HY_P_argsort HY_P_sort
#define HY_A_argsort(A, R) A(R, inv, descending, is_ascend, 0, "largest first") A(R, dtype, dtype, dtype, HY_F32, "type of the result")
#define HY_P_ARG(P, R) P(R, oint, axis, axis, HY_NONE, "the axis; HY_NONE flattens")
#define HY_A_ARG(A, R) A(R, flag, keepdims, keepdims, 0, "the axis stays with size 1")
#define HY_I_argmax HY_I_DATA
#define HY_O_argmax HY_O_OUT
#define HY_P_argmax HY_P_ARG
#define HY_A_argmax HY_A_ARG
#define HY_I_argmin HY_I_DATA
#define HY_O_argmin HY_O_OUT
#define HY_P_argmin HY_P_ARG
#define HY_A_argmin HY_A_ARG
#define HY_I_argmax_channel HY_I_DATA
#define HY_O_argmax_channel HY_O_OUT
#define HY_P_argmax_channel HY_NOTHING
#define HY_I_boolean_mask(I) I(data, ONE, 1) I(index, ONE, 1)
#define HY_O_boolean_mask HY_O_OUT
#define HY_P_boolean_mask(P, R) P(R, int, axis, axis, 0, "the axis to thin out")
#define HY_I__boolean_mask_grad(I) I(out_grad, ONE, 1) I(index, ONE, 1) I(data, ONE, 1)
#define HY_O__boolean_mask_grad HY_O_OUT
#define HY_P__boolean_mask_grad HY_P_boolean_mask
#define HY_I_index_copy(I) I(old_tensor, ONE, 1) I(index_vector, ONE, 1) I(new_tensor, ONE, 1)
#define HY_O_index_copy HY_O_OUT
#define HY_P_index_copy HY_NOTHING

/* --- reductions that need more than a line --- */
#define HY_I_norm HY_I_DATA
#define HY_O_norm HY_O_OUT
#define HY_P_norm HY_P_AXES
#define HY_A_norm(A, R) A(R, int, ord, ord, 2, "1 or 2") A(R, flag, keepdims, keepdims, 0, "reduced axes stay with size 1") \
    A(R, dtype, out_dtype, out_dtype, 0, "type of the result, of the input if 0")
#define HY_I_moments HY_I_DATA
#define HY_O_moments(O) O(mean, ONE, 1) O(var, ONE, 1)
#define HY_P_moments(P, R) P(R, ints, axes, axes, HY_NONE, "axes, or HY_ALL")
#define HY_A_moments(A, R) A(R, flag, keepdims, keepdims, 0, "reduced axes stay with size 1")
#define HY_I_cumsum HY_I_DATA
#define HY_O_cumsum HY_O_OUT
#define HY_P_cumsum(P, R) P(R, oint, axis, axis, HY_NONE, "the axis; HY_NONE flattens")
#define HY_A_cumsum(A, R) A(R, dtype, dtype, dtype, 0, "type of the result, of the input if 0")

/* --- sequences --- */
#define HY_A_SEQUENCE(A, R) A(R, flag, use_sequence_length, use_sequence_length, 0, "a second input gives lengths")
#define HY_A_SEQUENCE_AXIS(A, R) A(R, int, axis, axis, 0, "time axis: 0 or 1")
#define HY_I_sequence_mask HY_I_LENGTH
#define HY_O_sequence_mask HY_O_OUT
#define HY_P_sequence_mask HY_NOTHING
#define HY_A_sequence_mask(A, R) HY_A_SEQUENCE(A, R) A(R, real, value, value, 0, "what stands beyond the length") \
    HY_A_SEQUENCE_AXIS(A, R)
#define HY_I_sequence_last HY_I_LENGTH
#define HY_O_sequence_last HY_O_OUT
#define HY_P_sequence_last HY_NOTHING
#define HY_A_sequence_last(A, R) HY_A_SEQUENCE(A, R) HY_A_SEQUENCE_AXIS(A, R)
#define HY_I__sequence_last_grad(I) I(out_grad, ONE, 1) I(data, ONE, 1) I(sequence_length, OPT, r->use_sequence_length)
#define HY_O__sequence_last_grad HY_O_OUT
#define HY_P__sequence_last_grad HY_NOTHING
#define HY_A__sequence_last_grad HY_A_sequence_last
#define HY_I_sequence_reverse HY_I_LENGTH
#define HY_O_sequence_reverse HY_O_OUT
#define HY_P_sequence_reverse HY_NOTHING
#define HY_A_sequence_reverse(A, R) HY_A_SEQUENCE(A, R) HY_A_SEQUENCE_AXIS(A, R)

#define HY_P_RNN(P, R) P(R, int, state_size, state_size, HY_REQUIRED, "hidden units per direction") \
    P(R, int, num_layers, num_layers, HY_REQUIRED, "stacked layers") \
    P(R, enum, mode, mode, HY_REQUIRED, "rnn_relu|rnn_tanh|lstm|gru: kind of cell")
#define HY_A_RNN(A, R) A(R, flag, bidirectional, bidirectional, 0, "a second direction per layer") \
    A(R, real, p, p, 0, "dropout between layers, in training") \
    A(R, flag, state_outputs, state_outputs, 0, "return the last states too") \
    A(R, oint, projection_size, projection_size, HY_NONE, "size of the projected lstm state") \
    A(R, flag, use_sequence_length, use_sequence_length, 0, "a last input gives lengths (N,)") \
    A(R, real, clip_min, lstm_state_clip_min, HY_NONE, "least cell state of an lstm") \
    A(R, real, clip_max, lstm_state_clip_max, HY_NONE, "largest cell state of an lstm") \
    A(R, flag, clip_nan, lstm_state_clip_nan, 0, "clip NaN too")
#define HY_I_rnn(I) I(data, ONE, 1) I(parameters, ONE, 1) I(state, ONE, 1) \
    I(state_cell, OPT, r->mode == HY_RNN_LSTM) I(sequence_length, OPT, r->use_sequence_length)
#define HY_O_rnn(O) O(output, ONE, 1) O(state, OPT, r->state_outputs) \
    O(state_cell, OPT, r->state_outputs && r->mode == HY_RNN_LSTM) O(reserve, HID, 1)
#define HY_P_rnn HY_P_RNN
#define HY_A_rnn HY_A_RNN
#define HY_I__rnn_grad(I) I(out_grad, ONE, 1) I(state_grad, OPT, r->state_outputs) \
    I(cell_grad, OPT, r->state_outputs && r->mode == HY_RNN_LSTM) I(data, ONE, 1) I(parameters, ONE, 1) \
    I(state, ONE, 1) I(state_cell, OPT, r->mode == HY_RNN_LSTM) I(sequence_length, OPT, r->use_sequence_length) \
    I(output, ONE, 1) I(reserve, ONE, 1)
#define HY_O__rnn_grad(O) O(data_grad, ONE, 1) O(parameters_grad, ONE, 1) O(state_grad, ONE, 1) \
    O(cell_grad, OPT, r->mode == HY_RNN_LSTM)
#define HY_P__rnn_grad HY_P_RNN
#define HY_A__rnn_grad HY_A_RNN

/* --- random numbers and fresh arrays --- */
#define HY_A_DTYPE(A, R) A(R, dtype, dtype, dtype, HY_F32, "type of the result")
#define HY_P_UNIFORM(P, R) P(R, real, low, low, 0, "least value") P(R, real, high, high, 1, "bound above")
#define HY_P_NORMAL(P, R) P(R, real, loc, loc, 0, "mean") P(R, real, scale, scale, 1, "deviation")
#define HY_P_EXPONENTIAL(P, R) P(R, real, lam, lam, 1, "rate")
#define HY_P_DIMS(P, R) P(R, shape, shape, shape, 0, "shape of the result")
#define HY_I_random_uniform HY_NOTHING
#define HY_O_random_uniform HY_O_OUT
#define HY_P_random_uniform(P, R) HY_P_DIMS(P, R) HY_P_UNIFORM(P, R)
#define HY_A_random_uniform HY_A_DTYPE
#define HY_I_random_normal HY_NOTHING
#define HY_O_random_normal HY_O_OUT
#define HY_P_random_normal(P, R) HY_P_DIMS(P, R) HY_P_NORMAL(P, R)
#define HY_A_random_normal HY_A_DTYPE
#define HY_I_random_exponential HY_NOTHING
#define HY_O_random_exponential HY_O_OUT
#define HY_P_random_exponential(P, R) HY_P_DIMS(P, R) HY_P_EXPONENTIAL(P, R)
#define HY_A_random_exponential HY_A_DTYPE
#define HY_I_random_randint HY_NOTHING
#define HY_O_random_randint HY_O_OUT
#define HY_P_random_randint(P, R) HY_P_DIMS(P, R) P(R, i64, low, low, HY_REQUIRED, "least value") \
    P(R, i64, high, high, HY_REQUIRED, "one above the largest")
#define HY_A_random_randint(A, R) A(R, dtype, dtype, dtype, HY_I32, "type of the result")
#define HY_I_uniform_like HY_I_DATA
#define HY_O_uniform_like HY_O_OUT
#define HY_P_uniform_like HY_P_UNIFORM
#define HY_I_normal_like HY_I_DATA
#define HY_O_normal_like HY_O_OUT
#define HY_P_normal_like HY_P_NORMAL
#define HY_I_exponential_like HY_I_DATA
#define HY_O_exponential_like HY_O_OUT
#define HY_P_exponential_like HY_P_EXPONENTIAL
#define HY_I_shuffle HY_I_DATA
#define HY_O_shuffle(O) O(output, ONE, 1) O(order, HID, 1)
#define HY_P_shuffle HY_NOTHING

#define HY_I__zeros HY_NOTHING
#define HY_O__zeros HY_O_OUT
#define HY_P__zeros HY_P_DIMS
#define HY_A__zeros HY_A_DTYPE
#define HY_I__ones HY_NOTHING
#define HY_O__ones HY_O_OUT
#define HY_P__ones HY_P_DIMS
#define HY_A__ones HY_A_DTYPE
#define HY_I__full HY_NOTHING
#define HY_O__full HY_O_OUT
#define HY_P__full(P, R) HY_P_DIMS(P, R) P(R, real, value, value, HY_REQUIRED, "what every element is")
#define HY_A__full HY_A_DTYPE
#define HY_I__eye HY_NOTHING
#define HY_O__eye HY_O_OUT
#define HY_P__eye(P, R) P(R, i64, rows, N, HY_REQUIRED, "rows") P(R, i64, columns, M, 0, "columns, as many as rows if 0") \
    P(R, i64, k, k, 0, "which diagonal")
#define HY_A__eye HY_A_DTYPE
#define HY_I__arange HY_NOTHING
#define HY_O__arange HY_O_OUT
#define HY_P__arange(P, R) P(R, real, start, start, 0, "first value") P(R, real, stop, stop, HY_NONE, "bound") \
    P(R, real, step, step, 1, "distance")
#define HY_A__arange(A, R) A(R, int, repeat, repeat, 1, "how often each value stands") HY_A_DTYPE(A, R)
#define HY_I__linspace HY_NOTHING
#define HY_O__linspace HY_O_OUT
#define HY_P__linspace(P, R) P(R, real, start, start, 0, "first value") P(R, real, stop, stop, HY_REQUIRED, "last value") \
    P(R, i64, num, num, HY_REQUIRED, "how many")
#define HY_A__linspace(A, R) A(R, inv, no_endpoint, endpoint, 0, "stop is not included") HY_A_DTYPE(A, R)
#define HY_I_arange_like HY_I_DATA
#define HY_O_arange_like HY_O_OUT
#define HY_P_arange_like(P, R) P(R, real, start, start, 0, "first value") P(R, real, step, step, 1, "distance") \
    P(R, oint, axis, axis, HY_NONE, "the axis whose length counts; HY_NONE the whole shape")
#define HY_A_arange_like(A, R) A(R, int, repeat, repeat, 1, "how often each value stands")

/* The rows: OP without options, OPT with a hy_x_opt. Names that begin with an underscore are private: the
 * gradients that need a kernel of their own, and the makers behind hy_zeros and its kin. */
#define HY_OPS(OP, OPT) \
    OPT(fully_connected, "FullyConnected", NULL, 0, "data weight^T + bias") \
    OPT(dot, "dot", NULL, 0, "product over the last axis of lhs and the first of rhs") \
    OPT(batch_dot, "batch_dot", NULL, 0, "matrix products of a batch") \
    OPT(linalg_gemm2, "_linalg_gemm2", "linalg_gemm2", 0, "alpha op(A) op(B), for each matrix of a batch") \
    OP(add_n, "add_n", "ElementWiseSum|_sum", 0, "sum of all inputs, left to right") \
    OPT(batch_norm, "BatchNorm", "BatchNorm_v1|_npx_batch_norm|_contrib_SyncBatchNorm", HY_OP_TRAIN, \
        "(x - mean) / sqrt(var + eps) gamma + beta per channel") \
    OP(_batch_norm_grad, NULL, NULL, 0, "gradient of batch_norm") \
    OPT(layer_norm, "LayerNorm", NULL, 0, "each vector along axis to mean 0, variance 1; gamma and beta per element") \
    OPT(group_norm, "GroupNorm", NULL, 0, "each group of channels to mean 0, variance 1") \
    OPT(instance_norm, "InstanceNorm", NULL, 0, "each channel of each sample to mean 0, variance 1") \
    OPT(l2_normalization, "L2Normalization", NULL, 0, "x / sqrt(sum x^2 + eps)") \
    OP(activation, "Activation", NULL, HY_OP_POINTWISE, "a function by name") \
    OPT(leaky_relu, "LeakyReLU", NULL, HY_OP_RANDOM | HY_OP_TRAIN, "x above 0, something small below") \
    OPT(softmax, "softmax", NULL, 0, "exp(x) over its sum") \
    OPT(log_softmax, "log_softmax", NULL, 0, "log of softmax") \
    OPT(softmin, "softmin", NULL, 0, "softmax of -x") \
    OPT(softmax_activation, "SoftmaxActivation", NULL, 0, "softmax of old files") \
    OPT(softmax_output, "SoftmaxOutput", "Softmax", 0, "softmax whose gradient is that of the cross entropy") \
    OPT(_softmax_output_grad, NULL, NULL, 0, "gradient of softmax_output") \
    OPT(linear_regression_output, "LinearRegressionOutput", NULL, 0, "x; gradient (x - label) scale / n") \
    OPT(logistic_regression_output, "LogisticRegressionOutput", NULL, 0, "sigmoid; gradient (y - label) scale / n") \
    OPT(mae_regression_output, "MAERegressionOutput", NULL, 0, "x; gradient sign(x - label) scale / n") \
    OPT(make_loss, "MakeLoss", "make_loss", 0, "x; the gradient starts here") \
    OP(block_grad, "BlockGrad", "stop_gradient", 0, "x; no gradient passes") \
    OP(identity, "_copy", "identity", HY_OP_POINTWISE, "x") \
    OPT(dropout, "Dropout", NULL, HY_OP_RANDOM | HY_OP_TRAIN, "in training a share p becomes 0, the rest grows by 1/(1-p)") \
    OP(softmax_cross_entropy, "softmax_cross_entropy", NULL, 0, "sum of -log softmax(data)[label], shape (1,)") \
    OP(smooth_l1, "smooth_l1", NULL, HY_OP_POINTWISE, "(sx)^2/2 if |x| < 1/s^2, else |x| - 1/(2 s^2)") \
    OPT(hard_sigmoid, "hard_sigmoid", NULL, HY_OP_POINTWISE, "alpha x + beta, clipped to [0, 1]") \
    OP(clip, "clip", NULL, HY_OP_POINTWISE, "x kept within [a_min, a_max]") \
    OP(cast, "Cast", "cast", 0, "x in another type; floats become integers by truncation, out of range saturates") \
    OP(where, "where", NULL, 0, "x where condition is not 0, else y") \
    OPT(reshape, "Reshape", "reshape", HY_OP_VIEW, "the same elements in another shape") \
    OPT(reshape_like, "reshape_like", NULL, HY_OP_VIEW, "lhs in the shape of rhs") \
    OP(flatten, "Flatten", "flatten", HY_OP_VIEW, "(d0, product of the rest)") \
    OP(transpose, "transpose", NULL, 0, "axes in another order") \
    OP(expand_dims, "expand_dims", NULL, HY_OP_VIEW, "a new axis of size 1") \
    OP(squeeze, "squeeze", NULL, HY_OP_VIEW, "without axes of size 1") \
    OP(swap_axes, "SwapAxis", "swapaxes", 0, "two axes exchanged") \
    OP(shape_array, "shape_array", NULL, 0, "the shape, as int64") \
    OP(size_array, "size_array", NULL, 0, "the number of elements, as int64") \
    OP(concat, "Concat", "concat", 0, "inputs joined along an axis") \
    OP(stack, "stack", NULL, 0, "inputs joined along a new axis") \
    OPT(split, "SliceChannel", "split", 0, "equal parts along an axis") \
    OPT(split_v2, "_split_v2", NULL, 0, "parts along an axis, cut at indices") \
    OPT(slice, "slice", NULL, 0, "a box, with steps") \
    OPT(_slice_grad, NULL, NULL, 0, "a box of out_grad in zeros shaped like data") \
    OP(slice_axis, "slice_axis", NULL, 0, "a range of one axis") \
    OP(slice_like, "slice_like", NULL, 0, "the corner of data as large as shape_like") \
    OP(repeat, "repeat", NULL, 0, "each element several times") \
    OP(tile, "tile", NULL, 0, "the whole several times") \
    OP(reverse, "reverse", "flip", 0, "axes turned round") \
    OPT(pad, "Pad", "pad", 0, "a border around the array") \
    OP(_pad_grad, NULL, NULL, 0, "gradient of pad") \
    OPT(diag, "diag", NULL, 0, "a diagonal, or a matrix with one") \
    OPT(_diag_grad, NULL, NULL, 0, "gradient of diag") \
    OP(broadcast_to, "broadcast_to", NULL, 0, "axes of size 1 repeated") \
    OP(broadcast_axis, "broadcast_axis", "broadcast_axes", 0, "named axes of size 1 repeated") \
    OPT(broadcast_like, "broadcast_like", NULL, 0, "lhs repeated to the shape of rhs") \
    OP(_sum_like, NULL, NULL, 0, "lhs summed to the shape of rhs: what undoes broadcasting") \
    OP(zeros_like, "zeros_like", NULL, 0, "zeros of the same shape") \
    OP(ones_like, "ones_like", NULL, 0, "ones of the same shape") \
    OP(identity_like, "_identity_with_attr_like_rhs", NULL, 0, "lhs, whose shape is that of rhs") \
    OPT(embedding, "Embedding", NULL, 0, "rows of weight; indices are clipped") \
    OPT(take, "take", NULL, 0, "slices of a along axis at indices") \
    OPT(_take_grad, NULL, NULL, 0, "gradient of take and embedding") \
    OP(batch_take, "batch_take", NULL, 0, "one element per row") \
    OPT(pick, "pick", "choose_element_0index", 0, "one element along axis per place") \
    OPT(_pick_grad, NULL, NULL, 0, "gradient of pick") \
    OPT(one_hot, "one_hot", NULL, 0, "on_value at the index, off_value elsewhere") \
    OP(gather_nd, "gather_nd", NULL, 0, "elements at index tuples") \
    OP(scatter_nd, "scatter_nd", NULL, 0, "elements put at index tuples; the last one stays") \
    OP(_gather_nd_grad, NULL, NULL, 0, "elements added at index tuples") \
    OPT(topk, "topk", NULL, 0, "the largest k; ties by index") \
    OPT(sort, "sort", NULL, 0, "sorted along axis") \
    OPT(argsort, "argsort", NULL, 0, "the indices that sort") \
    OPT(argmax, "argmax", NULL, 0, "index of the largest, the first of equals") \
    OPT(argmin, "argmin", NULL, 0, "index of the smallest, the first of equals") \
    OP(argmax_channel, "argmax_channel", NULL, 0, "argmax over axis 1 of a matrix") \
    OP(boolean_mask, "_contrib_boolean_mask", NULL, HY_OP_DYNAMIC, "slices of data where index is not 0") \
    OP(_boolean_mask_grad, NULL, NULL, 0, "gradient of boolean_mask") \
    OP(index_copy, "_contrib_index_copy", NULL, 0, "old_tensor with rows replaced") \
    OPT(norm, "norm", NULL, 0, "sum |x|, or sqrt(sum x^2)") \
    OPT(moments, "moments", NULL, 0, "mean and variance") \
    OPT(cumsum, "_np_cumsum", "cumsum", 0, "running sum") \
    OPT(sequence_mask, "SequenceMask", NULL, 0, "steps beyond the length replaced") \
    OPT(sequence_last, "SequenceLast", NULL, 0, "the last step of each sequence") \
    OPT(_sequence_last_grad, NULL, NULL, 0, "gradient of sequence_last") \
    OPT(sequence_reverse, "SequenceReverse", NULL, 0, "each sequence turned round") \
    OPT(random_uniform, "_random_uniform", "uniform|random_uniform", HY_OP_RANDOM, "uniform in [low, high)") \
    OPT(random_normal, "_random_normal", "normal|random_normal", HY_OP_RANDOM, "normal with mean loc, deviation scale") \
    OPT(random_exponential, "_random_exponential", "random_exponential", HY_OP_RANDOM, "exponential with rate lam") \
    OPT(random_randint, "_random_randint", "random_randint", HY_OP_RANDOM, "integers in [low, high)") \
    OP(uniform_like, "_random_uniform_like", NULL, HY_OP_RANDOM, "uniform, shaped like data") \
    OP(normal_like, "_random_normal_like", NULL, HY_OP_RANDOM, "normal, shaped like data") \
    OP(exponential_like, "_random_exponential_like", NULL, HY_OP_RANDOM, "exponential, shaped like data") \
    OP(shuffle, "_shuffle", "shuffle", HY_OP_RANDOM, "slices along axis 0 in random order") \
    OPT(_zeros, "_zeros", NULL, 0, "zeros") \
    OPT(_ones, "_ones", NULL, 0, "ones") \
    OPT(_full, "_full", NULL, 0, "one value everywhere") \
    OPT(_eye, "_eye", NULL, 0, "ones on a diagonal") \
    OPT(_arange, "_arange", NULL, 0, "start, start + step, ... below stop") \
    OPT(_linspace, "_linspace", NULL, 0, "num values from start to stop") \
    OPT(arange_like, "_contrib_arange_like", NULL, 0, "start, start + step, ... as many as data has") \
    HY_VISION_OPS(OP, OPT) HY_RNN_OPS(OP, OPT)

#ifdef HYBRID_NO_RNN
#define HY_RNN_OPS(OP, OPT)
#else
#define HY_RNN_OPS(OP, OPT) \
    OPT(rnn, "RNN", NULL, HY_OP_RANDOM | HY_OP_TRAIN, "stacked recurrent layers over (T, N, I)") \
    OPT(_rnn_grad, NULL, NULL, 0, "gradient of rnn")
#endif

#ifdef HYBRID_NO_VISION
#define HY_VISION_OPS(OP, OPT)
#else
#define HY_VISION_OPS(OP, OPT) \
    OPT(convolution, "Convolution", "Convolution_v1", 0, "sliding dot products with weight (O, C/g, k...)") \
    OPT(deconvolution, "Deconvolution", NULL, 0, "the transpose of a convolution; weight (C, O/g, k...)") \
    OPT(_conv_weight_grad, NULL, NULL, 0, "gradient of a convolution's weight") \
    OPT(pooling, "Pooling", "Pooling_v1", 0, "one number per window") \
    OPT(_pooling_grad, NULL, NULL, 0, "gradient of pooling") \
    OPT(upsampling, "UpSampling", NULL, 0, "each pixel scale x scale times") \
    OP(adaptive_avg_pooling, "_contrib_AdaptiveAvgPooling2D", NULL, 0, "averages over windows that cover the input") \
    OP(_adaptive_avg_pooling_grad, NULL, NULL, 0, "gradient of adaptive_avg_pooling") \
    OPT(lrn, "LRN", NULL, 0, "x (knorm + alpha/nsize sum of squares over near channels)^-beta") \
    OP(_channel_window_sum, NULL, NULL, 0, "sum over a window of channels") \
    OPT(crop, "Crop", NULL, 0, "a window of (N,C,H,W), as large as h_w or the second input") \
    OP(depth_to_space, "depth_to_space", NULL, 0, "channels become blocks of pixels") \
    OP(space_to_depth, "space_to_depth", NULL, 0, "blocks of pixels become channels")
#endif

/* Prototypes, option structs and operator numbers, from the lists above. */
#define HY__C_flag  int
#define HY__C_inv   int
#define HY__C_int   int
#define HY__C_oint  int
#define HY__C_enum  int
#define HY__C_i64   int64_t
#define HY__C_real  double
#define HY__C_dtype hy_dtype
#define HY__C_text  const char *
#define HY__C_shape hy_shape
#define HY__C_ints  hy_ints
#define HY__C_oints hy_ints
#define HY__C_reals hy_reals
#define HY__FIELD_P(R, kind, name, mxnet, missing, doc) HY__C_##kind name;
#define HY__FIELD_A(R, kind, name, mxnet, missing, doc) HY__C_##kind name;
#define HY__PARAM_I(name, kind, many) , hy_array *name
#define HY__PARAM_P(R, kind, name, mxnet, missing, doc) , HY__C_##kind name

#define HY__DECLARE_OP(name, ...) \
    HY_API hy_array *hy_##name(hy_frame *F HY_I_##name(HY__PARAM_I) HY_P_##name(HY__PARAM_P, name));
#define HY__DECLARE_OPT(name, ...) \
    typedef struct hy_##name##_opt { HY_A_##name(HY__FIELD_A, name) } hy_##name##_opt; \
    HY_API hy_array *hy_##name(hy_frame *F HY_I_##name(HY__PARAM_I) HY_P_##name(HY__PARAM_P, name), \
                               const hy_##name##_opt *opt);
HY_OPS(HY__DECLARE_OP, HY__DECLARE_OPT)

#define HY__DECLARE_UNARY(name, ...) HY_API hy_array *hy_##name(hy_frame *F, hy_array *data);
HY_UNARY_OPS(HY__DECLARE_UNARY)
#define HY__DECLARE_BINARY(name, ...) \
    HY_API hy_array *hy_##name(hy_frame *F, hy_array *lhs, hy_array *rhs); \
    HY_API hy_array *hy_elemwise_##name(hy_frame *F, hy_array *lhs, hy_array *rhs); \
    HY_API hy_array *hy_##name##_scalar(hy_frame *F, hy_array *data, double scalar);
HY_BINARY_OPS(HY__DECLARE_BINARY)
#define HY__DECLARE_RSCALAR(name, ...) \
    HY_API hy_array *hy_r##name##_scalar(hy_frame *F, hy_array *data, double scalar);
HY_RSCALAR_OPS(HY__DECLARE_RSCALAR)
typedef struct hy_reduce_opt { HY_A_REDUCE(HY__FIELD_A, reduce) } hy_reduce_opt;
#define HY__DECLARE_REDUCE(name, ...) \
    HY_API hy_array *hy_##name(hy_frame *F, hy_array *data, hy_ints axis, const hy_reduce_opt *opt);
HY_REDUCE_OPS(HY__DECLARE_REDUCE)

#define HY__NUMBER_OP(name, ...) HY_OP_##name,
#define HY__NUMBER_BINARY(name, ...) HY_OP_##name, HY_OP_elemwise_##name, HY_OP_##name##_scalar,
#define HY__NUMBER_RSCALAR(name, ...) HY_OP_r##name##_scalar,
enum {
    HY_UNARY_OPS(HY__NUMBER_OP) HY_BINARY_OPS(HY__NUMBER_BINARY) HY_RSCALAR_OPS(HY__NUMBER_RSCALAR)
    HY_REDUCE_OPS(HY__NUMBER_OP) HY_OPS(HY__NUMBER_OP, HY__NUMBER_OP) HY_OP_COUNT
};

/* MARK: - 05 >>api --------------------------------------------------------------------------------------
 *
 * Everything that is not an operator. F is the frame throughout. A function that fails sets the frame's error,
 * unless one stands already, and returns NULL or 0; handing that NULL on is harmless.
 */

/* --- frames --- */
HY_API hy_frame   *hy_open(const hy_desc *desc);                  /* NULL only when memory is out */
HY_API int         hy_close(hy_frame *F);                         /* the first error's code; frees all it owns */
HY_API hy_frame   *hy_fork(hy_frame *F);                          /* a frame for another thread; close it too */
HY_API void        hy_begin(hy_frame *F);                         /* arrays made from here on ... */
HY_API void        hy_end(hy_frame *F);                           /* ... die here, unless kept or returned */
HY_API hy_array   *hy_keep(hy_frame *F, hy_array *x);             /* x lives until hy_free or F's close */
HY_API hy_array   *hy_return(hy_frame *F, hy_array *x);           /* x moves out to the enclosing begin/end */
HY_API void        hy_free(hy_frame *F, hy_array *x);             /* x dies now */
HY_API const char *hy_error(hy_frame *F);                         /* the first error in words, or NULL */
HY_API hy_error_t  hy_error_code(hy_frame *F);
HY_API const char *hy_error_name(hy_error_t code);
HY_API void        hy_clear(hy_frame *F);                         /* forget the error */
HY_API void        hy_raise(hy_frame *F, hy_error_t code, const char *text);   /* set one, if none stands */
HY_API void        hy_seed(hy_frame *F, uint64_t seed);           /* restart the random numbers */
HY_API int         hy_wait_all(hy_frame *F);                      /* all work is done on return: the error code */
HY_API const char *hy_mode(hy_frame *F);                          /* "ndarray" or "symbol" */
HY_API const char *hy_version(void);
typedef struct hy_memory { size_t bytes, peak, cached; int64_t calls; } hy_memory;
HY_API hy_memory   hy_memory_use(hy_frame *F);                    /* bytes held, most ever held, kept for reuse; allocator calls */
HY_API void        hy_trim(hy_frame *F);                          /* give cached blocks back to the allocator */
HY_API int         hy_threads(hy_frame *F);                       /* how many threads may work */
HY_API int         hy_isa(hy_frame *F);                           /* HY_ISA_... in use */

/* --- arrays: making --- */
HY_API hy_array *hy_from(hy_frame *F, hy_shape shape, hy_dtype dtype, const void *data);      /* a packed copy */
HY_API hy_array *hy_borrow(hy_frame *F, hy_shape shape, hy_dtype dtype, void *data);          /* the caller's memory */
HY_API hy_array *hy_floats(hy_frame *F, hy_shape shape, const float *data);                   /* hy_from for f32 */
HY_API hy_array *hy_empty(hy_frame *F, hy_shape shape, hy_dtype dtype);                       /* not filled */
HY_API hy_array *hy_scalar(hy_frame *F, double value);                                        /* f32, shape () */
HY_API hy_array *hy_zeros(hy_frame *F, hy_shape shape);                                       /* f32, like the next */
HY_API hy_array *hy_ones(hy_frame *F, hy_shape shape);
HY_API hy_array *hy_full(hy_frame *F, hy_shape shape, double value);
HY_API hy_array *hy_arange(hy_frame *F, double start, double stop, double step);
HY_API hy_array *hy_linspace(hy_frame *F, double start, double stop, int64_t num);
HY_API hy_array *hy_eye(hy_frame *F, int64_t rows, int64_t columns, int64_t k);
HY_API hy_array *hy_uniform(hy_frame *F, hy_shape shape, double low, double high);
HY_API hy_array *hy_normal(hy_frame *F, hy_shape shape, double loc, double scale);
HY_API hy_array *hy_randint(hy_frame *F, hy_shape shape, int64_t low, int64_t high);          /* i32 */
HY_API hy_array *hy_copy(hy_frame *F, hy_array *x);                                           /* hy_identity */

/* --- arrays: asking --- */
HY_API int         hy_ndim(hy_frame *F, hy_array *x);
HY_API int64_t     hy_dim(hy_frame *F, hy_array *x, int axis);    /* negative counts from the end */
HY_API int64_t     hy_size(hy_frame *F, hy_array *x);
HY_API hy_shape    hy_shape_of(hy_frame *F, hy_array *x);
HY_API hy_dtype    hy_dtype_of(hy_frame *F, hy_array *x);
HY_API size_t      hy_dtype_size(hy_dtype dtype);
HY_API const char *hy_dtype_name(hy_dtype dtype);                 /* "float32" */
HY_API const char *hy_context_of(hy_frame *F, hy_array *x);       /* "cpu(0)": there is no other */

/* --- arrays: values (an error while tracing) --- */
HY_API const void *hy_data(hy_frame *F, hy_array *x);             /* packed elements, valid while x lives */
HY_API void       *hy_write(hy_frame *F, hy_array *x);            /* the same, to be written */
HY_API void        hy_touch(hy_frame *F, hy_array *x);            /* borrowed memory has changed */
HY_API double      hy_item(hy_frame *F, hy_array *x);             /* the only element */
HY_API void        hy_assign(hy_frame *F, hy_array *x, hy_array *value);      /* x[:] = value, broadcast */
HY_API void        hy_fill(hy_frame *F, hy_array *x, double value);
HY_API void        hy_add_to(hy_frame *F, hy_array *x, hy_array *y);          /* x += y, in place, and so on */
HY_API void        hy_sub_from(hy_frame *F, hy_array *x, hy_array *y);
HY_API void        hy_mul_by(hy_frame *F, hy_array *x, hy_array *y);
HY_API void        hy_div_by(hy_frame *F, hy_array *x, hy_array *y);
HY_API size_t      hy_to(hy_frame *F, hy_array *x, hy_dtype dtype, void *buffer, size_t bytes);   /* bytes written */
HY_API double      hy_value_of(hy_frame *F, hy_array *x, hy_shape index);
HY_API void        hy_set_value_of(hy_frame *F, hy_array *x, hy_shape index, double value);
#define hy_value(F, x, ...) hy_value_of(F, x, HY_SHAPE(__VA_ARGS__))          /* x[i, j]; negative from the end */
#define hy_set_value(F, x, value, ...) hy_set_value_of(F, x, HY_SHAPE(__VA_ARGS__), value)

/* --- arrays: strided views of the same memory --- */
HY_API hy_array *hy_view_slice(hy_frame *F, hy_array *x, int axis, int64_t begin, int64_t end, int64_t step);
HY_API hy_array *hy_view_index(hy_frame *F, hy_array *x, int axis, int64_t index);             /* drops the axis */
HY_API hy_array *hy_view_transpose(hy_frame *F, hy_array *x, hy_ints axes);
HY_API hy_array *hy_view_reshape(hy_frame *F, hy_array *x, hy_shape shape);                    /* packed x only */

/* --- arrays: text --- */
HY_API void   hy_print(hy_frame *F, hy_array *x);                 /* to stdout, or the log hook without stdio */
HY_API size_t hy_text(hy_frame *F, hy_array *x, char *buffer, size_t bytes);  /* length needed, without the end */

/* --- groups: several arrays as one --- */
HY_API hy_array *hy_group_of(hy_frame *F, int n, hy_array *const *x);
HY_API hy_array *hy_get(hy_frame *F, hy_array *group, int i);
HY_API int       hy_count(hy_frame *F, hy_array *group);          /* 1 for an array */
#ifdef __cplusplus
#define hy_group(F, ...) hy__group_of_list(F, {__VA_ARGS__})
#else
#define hy_group(F, ...) hy_group_of(F, (int)(sizeof((hy_array *[]){__VA_ARGS__}) / sizeof(hy_array *)), \
                                     (hy_array *[]){__VA_ARGS__})
#endif

/* --- operators by name, and your own --- */
HY_API int          hy_register(hy_frame *F, const hy_op *op);    /* 0, or nonzero: the name is taken */
HY_API const hy_op *hy_op_find(hy_frame *F, const char *name);    /* own name, MXNet's, or an alias; or NULL */
HY_API const hy_op *hy_op_at(hy_frame *F, int i);                 /* i-th operator, NULL at the end */
HY_API hy_array    *hy_emit(hy_frame *F, const hy_op *op, int n, hy_array *const *in, const void *record);
HY_API hy_array    *hy_apply(hy_frame *F, const char *name, int n, hy_array *const *in,
                             const char *attributes);             /* "kernel=(3,3) num_filter=8" */
HY_API void         hy_infer_type(hy_infer *I, hy_dtype *a, hy_dtype b);                 /* for your own infer: */
HY_API void         hy_infer_same(hy_infer *I, hy_shape *a, hy_shape *b);                /* unify, both ways */
HY_API void         hy_infer_shape(hy_infer *I, hy_shape *a, hy_shape b);
HY_API void         hy_infer_dim(hy_infer *I, int64_t *a, int64_t b);
HY_API int          hy_infer_fail(hy_infer *I, hy_error_t code, const char *format, ...);
HY_API int          hy_infer_pointwise(hy_infer *I);              /* all inputs and outputs alike */

/* --- gradients --- */
#ifndef HYBRID_NO_TRAIN
HY_API void      hy_attach_grad(hy_frame *F, hy_array *x, hy_grad_req req);
HY_API hy_array *hy_grad_of(hy_frame *F, hy_array *x);            /* the attached gradient */
HY_API void      hy_record(hy_frame *F);                          /* operators are recorded from here, in training mode */
HY_API void      hy_pause(hy_frame *F);                           /* ... to here */
HY_API int       hy_is_recording(hy_frame *F);
HY_API int       hy_is_training(hy_frame *F);
HY_API void      hy_set_training(hy_frame *F, int training);      /* apart from recording */
typedef struct hy_backward_opt { hy_array *head_grads; int retain; int create_graph; } hy_backward_opt;
HY_API void      hy_backward(hy_frame *F, hy_array *heads, const hy_backward_opt *opt);
HY_API hy_array *hy_grad(hy_frame *F, hy_array *heads, hy_array *variables, const hy_backward_opt *opt);
typedef hy_array *(*hy_function)(hy_frame *F, hy_array *x, void *user);
HY_API double    hy_check_grad(hy_frame *F, hy_function fn, void *user, hy_array *inputs, double step);
#endif

/* --- symbols and graphs --- */
HY_API hy_frame *hy_symbolic(hy_frame *F);                        /* a frame whose operators become nodes */
typedef struct hy_var_opt { hy_shape shape; int shaped; hy_dtype dtype; } hy_var_opt;
HY_API hy_array *hy_var(hy_frame *S, const char *name, const hy_var_opt *opt);
HY_API hy_graph *hy_compile(hy_frame *S, hy_array *heads);        /* lives until hy_graph_free or the root's close */
HY_API hy_array *hy_graph_run(hy_frame *F, hy_graph *graph, hy_array *inputs);    /* in the order of the variables */
HY_API int       hy_graph_count(hy_graph *graph);
HY_API int       hy_graph_infer(hy_frame *F, hy_graph *graph, hy_type *types);    /* one per output of each node */
HY_API void      hy_graph_free(hy_frame *F, hy_graph *graph);

/* --- a stop-watch --- */
typedef struct hy_watch { double start; } hy_watch;
HY_API double   hy_seconds(void);                                 /* monotonic clock */
HY_API hy_watch hy_watch_start(void);
HY_API double   hy_watch_stop(hy_watch watch, const char *description);   /* prints "<description>: %.4f sec" */

/* MARK: - 06 >>cpp --------------------------------------------------------------------------------------
 *
 * C++ may hand options by reference, and group arrays with braces.
 */
#ifdef __cplusplus
#include <initializer_list>
static inline hy_array *hy__group_of_list(hy_frame *F, std::initializer_list<hy_array *> list)
{
    return hy_group_of(F, (int)list.size(), list.begin());
}
#define HY__NAME_I(name, kind, many) , name
#define HY__NAME_P(R, kind, name, mxnet, missing, doc) , name
#define HY__CPP_OP(name, ...)
#define HY__CPP_OPT(name, ...) \
    static inline hy_array *hy_##name(hy_frame *F HY_I_##name(HY__PARAM_I) HY_P_##name(HY__PARAM_P, name), \
                                      const hy_##name##_opt &opt) \
    { return hy_##name(F HY_I_##name(HY__NAME_I) HY_P_##name(HY__NAME_P, name), &opt); }
HY_OPS(HY__CPP_OP, HY__CPP_OPT)
#define HY__CPP_REDUCE(name, ...) \
    static inline hy_array *hy_##name(hy_frame *F, hy_array *data, hy_ints axis, const hy_reduce_opt &opt) \
    { return hy_##name(F, data, axis, &opt); }
HY_REDUCE_OPS(HY__CPP_REDUCE)
#endif

#endif /* HYBRID_H */

#if defined(HYBRID_IMPLEMENTATION) && !defined(HYBRID_IMPLEMENTED)
#define HYBRID_IMPLEMENTED

/* MARK: - 10 >>platform ---------------------------------------------------------------------------------
 *
 * The compiler, the processor and the system: what differs from machine to machine ends in this room. Atomics
 * and the lock stand here because memory already counts with them.
 */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifndef HYBRID_NO_STDIO
#include <stdio.h>
#endif
#ifndef HYBRID_NO_THREADS
#include <pthread.h>
#include <unistd.h>
#endif
#ifdef __linux__
#include <sched.h>                      /* struct timespec, even in strict C99 */
#endif

/* a * b + c stays two roundings everywhere but in the matrix kernels, or results would depend on -std. */
#if defined(__clang__)
#pragma clang fp contract(off)
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off")
#endif

#if defined(__GNUC__)
#define HY__INLINE static inline __attribute__((always_inline, unused))
#define HY__UNUSED __attribute__((unused))
#define HY__LIKELY(x) __builtin_expect(!!(x), 1)
#else
#define HY__INLINE static inline
#define HY__UNUSED
#define HY__LIKELY(x) (x)
#endif
#if defined(__GNUC__) && !defined(HYBRID_NO_SIMD)
#define HY__SIMD 1
#else
#define HY__SIMD 0
#endif
#if HY__SIMD && defined(__x86_64__)
#define HY__X86 1
#define HY__TARGET_AVX2 __attribute__((target("avx2,fma,f16c")))
#ifdef __clang__
#define HY__TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")))
#else
#define HY__TARGET_AVX512 \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,prefer-vector-width=512")))
#endif
#else
#define HY__X86 0
#endif

/* --- atomics and the lock --- */
#ifndef HYBRID_NO_THREADS
#define HY__LOAD(p)         __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define HY__STORE(p, v)     __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define HY__ADD(p, v)       __atomic_add_fetch(p, v, __ATOMIC_ACQ_REL)        /* the new value */
#define HY__PEEK(p)         __atomic_load_n(p, __ATOMIC_RELAXED)
#define HY__POKE(p, v)      __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define HY__SWAP(p, old, v) __atomic_compare_exchange_n(p, old, v, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
typedef pthread_mutex_t hy__lock;
static int  hy__lock_init(hy__lock *l) { return pthread_mutex_init(l, NULL); }
static void hy__lock_done(hy__lock *l) { pthread_mutex_destroy(l); }
static void hy__acquire(hy__lock *l) { pthread_mutex_lock(l); }
static void hy__release(hy__lock *l) { pthread_mutex_unlock(l); }
#else
#define HY__LOAD(p)         (*(p))
#define HY__STORE(p, v)     ((void)(*(p) = (v)))
#define HY__ADD(p, v)       (*(p) += (v))
#define HY__PEEK(p)         (*(p))
#define HY__POKE(p, v)      ((void)(*(p) = (v)))
typedef int hy__lock;
static int  hy__lock_init(hy__lock *l) { *l = 0; return 0; }
static void hy__lock_done(hy__lock *l) { (void)l; }
static void hy__acquire(hy__lock *l) { (void)l; }
static void hy__release(hy__lock *l) { (void)l; }
#endif

/* The best instruction set of this processor that the operating system allows. */
static int hy__isa_of_machine(void)
{
#if HY__X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) return HY_ISA_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return HY_ISA_AVX2;
#endif
    return HY_ISA_BASE;
}

static int hy__cores(void)
{
#if !defined(HYBRID_NO_THREADS) && defined(_SC_NPROCESSORS_ONLN)
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 && n < 1024 ? (int)n : 1;
#else
    return 1;
#endif
}

#if defined(__linux__) && defined(__STRICT_ANSI__) && !defined(__cplusplus)
extern int clock_gettime(int clock, struct timespec *now);       /* strict headers hide it */
#define HY__MONOTONIC 1
#elif defined(CLOCK_MONOTONIC)
#define HY__MONOTONIC CLOCK_MONOTONIC
#endif

HY_API double hy_seconds(void)
{
#ifdef HY__MONOTONIC
    struct timespec now;
    clock_gettime(HY__MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#else
    return (double)clock() / (double)CLOCKS_PER_SEC;
#endif
}

/* --- number text, the same in every locale --- */
/* ---- Numbers as text, without the C library's locale: exact integers of a bounded size ---- */

/* Room for the largest operand of hy__read_f64, 10^(327 + HY__READ_DIGITS) < 2^3650. */
enum { HY__READ_DIGITS = 770, HY__BIG_LIMBS = 120 };

typedef struct hy__big {
    int n;                        /* limbs in use, the top one is not 0; n = 0 is the number 0 */
    uint32_t limb[HY__BIG_LIMBS]; /* least significant first */
} hy__big;

static void hy__big_set(hy__big *a, uint64_t v)
{
    for (a->n = 0; v; v >>= 32) a->limb[a->n++] = (uint32_t)v;
}

static void hy__big_copy(hy__big *a, const hy__big *b)
{
    a->n = b->n;
    memcpy(a->limb, b->limb, (size_t)b->n * sizeof b->limb[0]);
}

/* a = a * factor + term */
static void hy__big_scale(hy__big *a, uint32_t factor, uint32_t term)
{
    uint64_t carry = term;
    for (int i = 0; i < a->n; i++) {
        carry += (uint64_t)a->limb[i] * factor;
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) a->limb[a->n++] = (uint32_t)carry;
}

static void hy__big_scale10(hy__big *a, int power)
{
    for (; power >= 9; power -= 9) hy__big_scale(a, 1000000000u, 0);
    for (; power > 0; power--) hy__big_scale(a, 10, 0);
}

static void hy__big_shift_left(hy__big *a, int bits)
{
    int limbs = bits / 32;
    hy__big_scale(a, (uint32_t)1 << bits % 32, 0);
    if (!limbs || !a->n) return;
    memmove(a->limb + limbs, a->limb, (size_t)a->n * sizeof a->limb[0]);
    memset(a->limb, 0, (size_t)limbs * sizeof a->limb[0]);
    a->n += limbs;
}

static int hy__big_compare(const hy__big *a, const hy__big *b)
{
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (int i = a->n - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static void hy__big_add(hy__big *a, const hy__big *b)
{
    uint64_t carry = 0;
    while (a->n < b->n) a->limb[a->n++] = 0;
    for (int i = 0; i < a->n; i++) {
        carry += (uint64_t)a->limb[i] + (i < b->n ? b->limb[i] : 0);
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) a->limb[a->n++] = (uint32_t)carry;
}

/* a -= b, for a >= b */
static void hy__big_subtract(hy__big *a, const hy__big *b)
{
    uint64_t borrow = 0;
    for (int i = 0; i < a->n; i++) {
        uint64_t d = (uint64_t)a->limb[i] - (i < b->n ? b->limb[i] : 0) - borrow;
        a->limb[i] = (uint32_t)d;
        borrow = d >> 63;
    }
    while (a->n && !a->limb[a->n - 1]) a->n--;
}

static int hy__bit_length(uint64_t v)
{
    int n = 0;
    for (; v; v >>= 1) n++;
    return n;
}

static int hy__big_bit_length(const hy__big *a)
{
    return a->n ? 32 * (a->n - 1) + hy__bit_length(a->limb[a->n - 1]) : 0;
}

/* ---- Shortest digits that read back as the same number ---- */

/* Which neighbours a value must be told from; bf16 is shown like the f32 it is widened to. */
enum { HY__AS_F64, HY__AS_F32, HY__AS_F16, HY__AS_BF16 };

typedef enum { HY__FINITE, HY__INFINITE, HY__NAN } hy__class;

/* (-1)^negative * digit[0].digit[1]digit[2].. * 10^power, no trailing zeros. */
typedef struct hy__decimal {
    hy__class kind;
    int negative, power, n;
    char digit[24];
} hy__decimal;

/* The digits wanted after the point; after the first digit where `from_first` is set. */
typedef struct hy__cut {
    int from_first, least, most;
} hy__cut;

/* value / scale is the number still to be written; the numbers that read back the same are those
   between (value - below) / scale and (value + above) / scale, above = below * (uneven ? 2 : 1). */
typedef struct hy__digit_state {
    hy__big value, scale, below;
    int uneven;   /* at a power of two the gap below is half the gap above */
    int ends_too; /* even mantissa: halfway points round to it */
} hy__digit_state;

static uint64_t hy__f64_bits(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* Loads a finite |v| > 0 and returns the power of ten of its first digit; then 1 <= value / scale < 10. */
static int hy__digit_start(hy__digit_state *s, double v, int as)
{
    static const int precision[4] = {53, 24, 11, 24}, lowest[4] = {-1074, -149, -24, -149};
    uint64_t bits = hy__f64_bits(v), mantissa = bits & 0xfffffffffffffu;
    int field = (int)(bits >> 52 & 0x7ff), bottom = (field ? field : 1) - 1075, unit, power;
    if (field) mantissa |= (uint64_t)1 << 52;
    int top = bottom + hy__bit_length(mantissa);

    /* The unit in the last place of the type; a value the type cannot hold is written as f64. */
    unit = top - precision[as] > lowest[as] ? top - precision[as] : lowest[as];
    if (unit - bottom > 52 || mantissa >> (unit - bottom) << (unit - bottom) != mantissa) {
        as = HY__AS_F64;
        unit = bottom;
    }
    mantissa >>= unit - bottom;
    s->ends_too = !(mantissa & 1);
    s->uneven = mantissa == (uint64_t)1 << (precision[as] - 1) && unit > lowest[as];

    hy__big_set(&s->value, mantissa * 4);
    hy__big_set(&s->below, s->uneven ? 1 : 2);
    hy__big_set(&s->scale, 4);
    hy__big_shift_left(unit > 0 ? &s->value : &s->scale, unit > 0 ? unit : -unit);
    if (unit > 0) hy__big_shift_left(&s->below, unit);

    power = (top - 1) * 30103 / 100000 - 1; /* floor(log10|v|) or up to 2 less */
    hy__big_scale10(power > 0 ? &s->scale : &s->value, power > 0 ? power : -power);
    if (power < 0) hy__big_scale10(&s->below, -power);
    for (;; power++) {
        hy__big ten;
        hy__big_copy(&ten, &s->scale);
        hy__big_scale(&ten, 10, 0);
        if (hy__big_compare(&s->value, &ten) < 0) return power;
        hy__big_copy(&s->scale, &ten);
    }
}

static int hy__rounds_up(hy__digit_state *s, int low, int high, int odd)
{
    if (low != high) return high;
    hy__big_add(&s->value, &s->value);
    int half = hy__big_compare(&s->value, &s->scale);
    return half > 0 || (half == 0 && odd);
}

static void hy__digits(hy__decimal *d, double v, int as, hy__cut cut)
{
    hy__digit_state s;
    hy__big reach;
    int low, high, behind;
    d->power = hy__digit_start(&s, v, as);
    for (behind = cut.from_first ? 0 : -d->power;; behind++) {
        char digit = '0';
        for (; hy__big_compare(&s.value, &s.scale) >= 0; digit++) hy__big_subtract(&s.value, &s.scale);
        d->digit[d->n++] = digit;
        hy__big_copy(&reach, &s.value);
        hy__big_add(&reach, &s.below);
        if (s.uneven) hy__big_add(&reach, &s.below);
        low = hy__big_compare(&s.value, &s.below) < s.ends_too;
        high = hy__big_compare(&reach, &s.scale) > -s.ends_too;
        if (((low || high) && behind >= cut.least) || behind >= cut.most) break;
        hy__big_scale(&s.value, 10, 0);
        hy__big_scale(&s.below, 10, 0);
    }
    if (hy__rounds_up(&s, low, high, d->digit[d->n - 1] & 1)) {
        while (d->n && d->digit[d->n - 1] == '9') d->n--;
        if (d->n) {
            d->digit[d->n - 1]++;
        } else {
            d->digit[d->n++] = '1';
            d->power++;
        }
    }
    while (d->n > 1 && d->digit[d->n - 1] == '0') d->n--;
}

static hy__class hy__class_of(double v)
{
    uint64_t magnitude = hy__f64_bits(v) << 1, infinity = (uint64_t)0x7ff << 53;
    return magnitude < infinity ? HY__FINITE : magnitude == infinity ? HY__INFINITE : HY__NAN;
}

static void hy__to_decimal(hy__decimal *d, double v, int as, hy__cut cut)
{
    d->kind = hy__class_of(v);
    d->negative = d->kind != HY__NAN && hy__f64_bits(v) >> 63;
    d->power = 0;
    d->n = 0;
    if (d->kind != HY__FINITE) return;
    if (hy__f64_bits(v) << 1) hy__digits(d, v, as, cut);
    else d->digit[d->n++] = '0';
}

static int hy__text_u64(char *buf, uint64_t v)
{
    char reversed[20];
    int n = 0;
    do reversed[n++] = (char)('0' + v % 10);
    while ((v /= 10) != 0);
    for (int i = 0; i < n; i++) buf[i] = reversed[n - 1 - i];
    buf[n] = 0;
    return n;
}

static int hy__text_i64(char *buf, int64_t v)
{
    if (v >= 0) return hy__text_u64(buf, (uint64_t)v);
    *buf = '-';
    return 1 + hy__text_u64(buf + 1, 0 - (uint64_t)v);
}

static int hy__text_special(char *buf, const hy__decimal *d)
{
    const char *name = d->kind == HY__NAN ? "nan" : d->negative ? "-inf" : "inf";
    int n = (int)strlen(name);
    memcpy(buf, name, (size_t)n + 1);
    return n;
}

/* "-12.", "0.001": always a point, *point is where it stands. */
static int hy__text_positional(char *buf, const hy__decimal *d, int *point)
{
    int n = 0, first = d->power > 0 ? d->power : 0, last = d->power - d->n + 1;
    if (d->negative) buf[n++] = '-';
    for (int place = first; place >= last || place >= 0; place--) {
        int i = d->power - place;
        buf[n++] = i >= 0 && i < d->n ? d->digit[i] : '0';
        if (place) continue;
        *point = n;
        buf[n++] = '.';
    }
    buf[n] = 0;
    return n;
}

/* "-1.50e-05": `behind` digits after the point, at least `exponent_digits` in the exponent. */
static int hy__text_scientific(char *buf, const hy__decimal *d, int behind, int exponent_digits)
{
    char exponent[24];
    int n = 0, digits = hy__text_u64(exponent, (uint64_t)(d->power < 0 ? -d->power : d->power));
    if (d->negative) buf[n++] = '-';
    buf[n++] = d->digit[0];
    buf[n++] = '.';
    for (int i = 1; i <= behind; i++) buf[n++] = i < d->n ? d->digit[i] : '0';
    buf[n++] = 'e';
    buf[n++] = d->power < 0 ? '-' : '+';
    for (int i = digits; i < exponent_digits; i++) buf[n++] = '0';
    memcpy(buf + n, exponent, (size_t)digits + 1);
    return n + digits;
}

/* Python's repr(): positional for 1e-4 <= |v| < 1e16, ".0" behind whole numbers; `small` is the 1e-4. */
static int hy__text_float(char *buf, double v, int as, double small)
{
    static const hy__cut shortest = {0, -400, 400};
    hy__decimal d;
    int n, point = 0;
    hy__to_decimal(&d, v, as, shortest);
    if (d.kind != HY__FINITE) return hy__text_special(buf, &d);
    if (d.power < -4 || d.power >= 16 || (d.power == -4 && v < small && v > -small)) {
        n = hy__text_scientific(buf, &d, d.n - 1, 2);
        if (d.n > 1) return n;
        point = d.negative + 1;
        memmove(buf + point, buf + point + 1, (size_t)(n - point)); /* "1.e-05" loses its point */
        return n - 1;
    }
    n = hy__text_positional(buf, &d, &point);
    if (point == n - 1) buf[n++] = '0';
    buf[n] = 0;
    return n;
}

static int hy__text_f64(char *buf, double v)
{
    return hy__text_float(buf, v, HY__AS_F64, 1e-4);
}

static int hy__text_f32(char *buf, float v)
{
    return hy__text_float(buf, (double)v, HY__AS_F32, (double)1e-4f);
}

/* ---- Reading numbers ---- */

static const char *hy__skip_to_number(const char *s, int *negative)
{
    while (*s == ' ' || (*s >= '\t' && *s <= '\r')) s++;
    *negative = *s == '-';
    return s + (*s == '-' || *s == '+');
}

/* Reads [+-]digits. Returns 0 where there is no digit (*end = s, *v = 0) and where the number does not fit
   (*end behind the digits, *v the nearest int64_t). */
static int hy__read_i64(const char *s, const char **end, int64_t *v)
{
    int negative, fits = 1;
    const char *first = hy__skip_to_number(s, &negative), *p = first;
    uint64_t sum = 0, limit = (uint64_t)INT64_MAX + (uint64_t)negative;
    for (; *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        fits = fits && sum <= (limit - digit) / 10;
        sum = fits ? sum * 10 + digit : limit;
    }
    *end = p > first ? p : s;
    *v = !negative ? (int64_t)sum : sum ? -(int64_t)(sum - 1) - 1 : 0;
    return p > first && fits;
}

static const char *hy__skip_word(const char *s, const char *lower_case)
{
    for (; *lower_case; s++, lower_case++)
        if (*s != *lower_case && *s != *lower_case - 'a' + 'A') return NULL;
    return s;
}

/* The double nearest to digits * 10^power as bits without a sign, ties to even. Spends both numbers. */
static uint64_t hy__nearest_f64(hy__big *value, int power)
{
    hy__big scale;
    uint64_t mantissa = 0;
    hy__big_set(&scale, 1);
    hy__big_scale10(power > 0 ? value : &scale, power > 0 ? power : -power);

    /* value / scale = v / 2^top, in [1, 2) unless v is subnormal. */
    int top = hy__big_bit_length(value) - hy__big_bit_length(&scale), half;
    if (top < -1022) top = -1022;
    hy__big_shift_left(top > 0 ? &scale : value, top > 0 ? top : -top);
    if (top > -1022 && hy__big_compare(value, &scale) < 0) {
        hy__big_add(value, value);
        top--;
    }
    for (int bit = 0; bit < 53; bit++) {
        int one = hy__big_compare(value, &scale) >= 0;
        if (one) hy__big_subtract(value, &scale);
        mantissa = mantissa * 2 + (uint64_t)one;
        hy__big_add(value, value);
    }
    half = hy__big_compare(value, &scale);
    if (half > 0 || (half == 0 && (mantissa & 1))) mantissa++;

    /* The leading bit of the mantissa, or a carry out of it, counts the exponent field up. */
    uint64_t bits = ((uint64_t)(top + 1022) << 52) + mantissa, infinity = (uint64_t)0x7ff << 52;
    return bits < infinity ? bits : infinity;
}

/* Reads digits with an optional point; *power becomes the power of ten of the last digit taken. A point
   halfway between doubles has at most 768 digits, so behind HY__READ_DIGITS only "is it all 0" matters. */
static const char *hy__read_digits(const char *p, hy__big *value, int64_t *power, int *found)
{
    int taken = 0, rest = 0, behind = 0;
    *found = 0;
    *power = 0;
    hy__big_set(value, 0);
    for (;; p++) {
        if (*p == '.' && !behind) {
            behind = 1;
            continue;
        }
        if (*p < '0' || *p > '9') break;
        *found = 1;
        if (taken < HY__READ_DIGITS) {
            hy__big_scale(value, 10, (uint32_t)(*p - '0'));
            taken += value->n > 0;
            *power -= behind;
        } else {
            rest |= *p - '0';
            *power += !behind;
        }
    }
    if (rest) {
        hy__big_scale(value, 10, 1);
        --*power;
    }
    return p;
}

/* Reads [+-] digits[.digits][e[+-]digits], inf, infinity or nan. Too large reads as inf, too small as 0. */
static int hy__read_f64(const char *s, const char **end, double *v)
{
    int negative, found, negative_power;
    const char *p = hy__skip_to_number(s, &negative), *word = hy__skip_word(p, "inf");
    uint64_t bits = (uint64_t)0x7ff << 52;
    if (word) {
        const char *longer = hy__skip_word(word, "inity");
        *end = longer ? longer : word;
    } else if ((word = hy__skip_word(p, "nan")) != NULL) {
        bits |= (uint64_t)1 << 51;
        *end = word;
    } else {
        hy__big value;
        int64_t power, written = 0, first;
        p = hy__read_digits(p, &value, &power, &found);
        *end = found ? p : s;
        *v = 0;
        if (!found) return 0;
        if (*p == 'e' || *p == 'E') {
            negative_power = p[1] == '-';
            p += 1 + (p[1] == '-' || p[1] == '+');
            for (; *p >= '0' && *p <= '9'; *end = ++p)
                if (written < INT64_MAX / 20) written = written * 10 + (*p - '0');
            power += negative_power ? -written : written;
        }
        /* 10^(first - 1) < |number| < 10^(first + 1): decides what is far out of a double's range. */
        first = power + hy__big_bit_length(&value) * 30103 / 100000;
        bits = !value.n || first < -326 ? 0 : first > 310 ? bits : hy__nearest_f64(&value, (int)power);
    }
    bits |= (uint64_t)negative << 63;
    memcpy(v, &bits, sizeof bits);
    return 1;
}


/* --- formatting --- *
 * %s text  %d int  %l int64  %g double  %z shape  %t dtype  %%
 */
typedef struct hy__line { char *text; size_t n, cap; } hy__line;        /* always ends in 0, cut when full */

static void hy__put(hy__line *out, const char *text, size_t n)
{
    size_t room = out->cap - out->n - 1;
    if (n > room) n = room;
    memcpy(out->text + out->n, text, n);
    out->n += n;
    out->text[out->n] = 0;
}
static void hy__puts(hy__line *out, const char *text) { hy__put(out, text, strlen(text)); }
static void hy__put_int(hy__line *out, int64_t v)
{
    char number[32];
    hy__put(out, number, (size_t)hy__text_i64(number, v));
}

HY_API const char *hy_dtype_name(hy_dtype dtype)
{
    static const char *const names[HY_DTYPE_COUNT] = {
        "unknown", "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int32", "int64", "bool"
    };
    return (unsigned)dtype < HY_DTYPE_COUNT ? names[dtype] : "invalid";
}

static void hy__put_shape(hy__line *out, const hy_shape *shape)         /* (2,3), (4,), (?,5), "?" */
{
    int d;
    if (shape->ndim < 0) { hy__puts(out, "?"); return; }
    hy__puts(out, "(");
    for (d = 0; d < shape->ndim; d++) {
        if (d) hy__puts(out, ",");
        if (shape->dim[d] < 0) hy__puts(out, "?");
        else hy__put_int(out, shape->dim[d]);
    }
    hy__puts(out, shape->ndim == 1 ? ",)" : ")");
}

static void hy__format(hy__line *out, const char *format, va_list args)
{
    for (; *format; format++) {
        size_t plain = strcspn(format, "%");
        hy__put(out, format, plain);
        format += plain;
        if (!*format) return;
        switch (*++format) {
        case 's': { const char *s = va_arg(args, const char *); hy__puts(out, s ? s : "(none)"); break; }
        case 'd': hy__put_int(out, va_arg(args, int)); break;
        case 'l': hy__put_int(out, va_arg(args, int64_t)); break;
        case 'g': { char t[48]; hy__put(out, t, (size_t)hy__text_f64(t, va_arg(args, double))); break; }
        case 'z': hy__put_shape(out, va_arg(args, const hy_shape *)); break;
        case 't': hy__puts(out, hy_dtype_name((hy_dtype)va_arg(args, int))); break;
        default:  hy__put(out, format, 1);
        }
    }
}

HY_API const char *hy_version(void)
{
#ifdef HYBRID_USE_CBLAS
    return "0.1.0 (CBLAS: results may depend on the number of threads)";
#else
    return "0.1.0";
#endif
}

/* MARK: - 11 >>memory -----------------------------------------------------------------------------------
 *
 * Where bytes come from and who still needs them. Every block comes from hy__alloc, is aligned to 64 bytes and
 * knows its size; a heap counts what it holds. Buffers are shared by counting references.
 */
enum { HY__ALIGN = 64 };

typedef struct hy__block { size_t bytes; struct hy__block *next; } hy__block;   /* of a user's memory, free */

typedef struct hy__heap {
    hy_allocator use;
    size_t  held, peak;
    int64_t calls;
    hy__lock lock;                      /* guards what follows: a user's memory */
    hy__block *free;                    /* by address */
} hy__heap;

static void *hy__libc_alloc(void *user, size_t bytes) { (void)user; return malloc(bytes); }
static void  hy__libc_free(void *user, void *block) { (void)user; free(block); }

/* First fit over a list by address; neighbours join again when freed. Sizes are multiples of a block header. */
static void *hy__region_alloc(void *user, size_t bytes)
{
    hy__heap *heap = (hy__heap *)user;
    size_t need = (bytes + 2 * sizeof(hy__block) - 1) / sizeof(hy__block) * sizeof(hy__block);
    hy__block **at, *found;
    hy__acquire(&heap->lock);
    for (at = &heap->free; *at && (*at)->bytes < need; at = &(*at)->next) continue;
    found = *at;
    if (found) {
        if (found->bytes - need >= 2 * sizeof(hy__block)) {
            hy__block *rest = (hy__block *)(void *)((char *)found + need);
            rest->bytes = found->bytes - need;
            rest->next = found->next;
            found->bytes = need;
            *at = rest;
        } else *at = found->next;
    }
    hy__release(&heap->lock);
    return found ? (void *)(found + 1) : NULL;
}

static void hy__region_free(void *user, void *block)
{
    hy__heap *heap = (hy__heap *)user;
    hy__block *b = (hy__block *)block - 1, *before = NULL, *after;
    hy__acquire(&heap->lock);
    for (after = heap->free; after && after < b; after = after->next) before = after;
    b->next = after;
    if (before) before->next = b; else heap->free = b;
    if (after && (char *)b + b->bytes == (char *)after) { b->bytes += after->bytes; b->next = after->next; }
    if (before && (char *)before + before->bytes == (char *)b) { before->bytes += b->bytes; before->next = b->next; }
    hy__release(&heap->lock);
}

static int hy__heap_init(hy__heap *heap, const hy_desc *desc)
{
    memset(heap, 0, sizeof *heap);
    if (hy__lock_init(&heap->lock)) return -1;
    heap->use = desc->allocator;
    if (desc->memory) {
        size_t skip = (size_t)(-(intptr_t)desc->memory & (intptr_t)(sizeof(hy__block) - 1));
        if (desc->memory_bytes >= skip + 4 * sizeof(hy__block)) {
            heap->free = (hy__block *)(void *)((char *)desc->memory + skip);
            heap->free->bytes = (desc->memory_bytes - skip) / sizeof(hy__block) * sizeof(hy__block);
            heap->free->next = NULL;
        }
        heap->use.alloc_fn = hy__region_alloc;
        heap->use.free_fn = hy__region_free;
        heap->use.user_data = heap;
    } else if (!heap->use.alloc_fn || !heap->use.free_fn) {
        heap->use.alloc_fn = hy__libc_alloc;
        heap->use.free_fn = hy__libc_free;
    }
    return 0;
}

/* Before each block: where it came from and its size. */
typedef struct hy__tag { void *raw; size_t bytes; } hy__tag;

static void *hy__alloc(hy__heap *heap, size_t bytes)
{
    size_t all = bytes + HY__ALIGN + sizeof(hy__tag), held, peak;
    char *raw = all < bytes ? NULL : (char *)heap->use.alloc_fn(heap->use.user_data, all), *p;
    HY__ADD(&heap->calls, 1);
    if (!raw) return NULL;
    p = raw + sizeof(hy__tag);
    p += (size_t)(-(intptr_t)p & (HY__ALIGN - 1));
    ((hy__tag *)(void *)p)[-1].raw = raw;
    ((hy__tag *)(void *)p)[-1].bytes = bytes;
    held = HY__ADD(&heap->held, bytes);
    peak = HY__PEEK(&heap->peak);
#ifndef HYBRID_NO_THREADS
    while (held > peak && !HY__SWAP(&heap->peak, &peak, held)) continue;
#else
    if (held > peak) heap->peak = held;
#endif
    return p;
}

static void *hy__alloc_zero(hy__heap *heap, size_t bytes)
{
    void *p = hy__alloc(heap, bytes);
    if (p) memset(p, 0, bytes);
    return p;
}

static void hy__free(hy__heap *heap, void *p)
{
    hy__tag *tag;
    if (!p) return;
    tag = (hy__tag *)p - 1;
    HY__ADD(&heap->held, (size_t)0 - tag->bytes);
    HY__ADD(&heap->calls, 1);
    heap->use.free_fn(heap->use.user_data, tag->raw);
}

/* Room for `need` items of `size` bytes; doubles. 0, or -1 when memory is out (the old items stay). */
static int hy__grow(hy__heap *heap, void **items, int *cap, int need, size_t size)
{
    int wide = *cap > INT_MAX / 2 ? INT_MAX : *cap * 2;
    void *fresh;
    if (need <= *cap) return 0;
    if (wide < need) wide = need;
    if (wide < 16) wide = 16;
    fresh = hy__alloc(heap, (size_t)wide * size);
    if (!fresh) return -1;
    if (*cap) memcpy(fresh, *items, (size_t)*cap * size);
    hy__free(heap, *items);
    *items = fresh;
    *cap = wide;
    return 0;
}

/* --- names to numbers: open addressing over borrowed strings --- */
typedef struct hy__names { const char **key; int *value; int n, cap; } hy__names;

static uint32_t hy__hash(const char *s)                 /* FNV-1a */
{
    uint32_t h = 2166136261u;
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

static int hy__names_slot(const hy__names *names, const char *key)
{
    int i = (int)(hy__hash(key) & (uint32_t)(names->cap - 1));
    while (names->key[i] && strcmp(names->key[i], key)) i = (i + 1) & (names->cap - 1);
    return i;
}

static int hy__names_find(const hy__names *names, const char *key)      /* -1: not there */
{
    int i;
    if (!names->cap) return -1;
    i = hy__names_slot(names, key);
    return names->key[i] ? names->value[i] : -1;
}

static int hy__names_add(hy__heap *heap, hy__names *names, const char *key, int value)
{
    int i;
    if (2 * names->n >= names->cap) {
        hy__names wide;
        wide.n = 0;
        wide.cap = names->cap ? 2 * names->cap : 64;
        wide.key = (const char **)hy__alloc_zero(heap, (size_t)wide.cap * sizeof *wide.key);
        wide.value = (int *)hy__alloc(heap, (size_t)wide.cap * sizeof *wide.value);
        if (!wide.key || !wide.value) { hy__free(heap, (void *)wide.key); hy__free(heap, wide.value); return -1; }
        for (i = 0; i < names->cap; i++)
            if (names->key[i]) {
                int to = hy__names_slot(&wide, names->key[i]);
                wide.key[to] = names->key[i];
                wide.value[to] = names->value[i];
                wide.n++;
            }
        hy__free(heap, (void *)names->key);
        hy__free(heap, names->value);
        *names = wide;
    }
    i = hy__names_slot(names, key);
    if (!names->key[i]) { names->key[i] = key; names->n++; }
    names->value[i] = value;
    return 0;
}

/* --- buffers: counted bytes, with a cache so that a loop does not meet the allocator --- */
typedef struct hy__buffer {
    int      refs;
    int      pins;                      /* recorded calls that still read it */
    int      borrowed;
    int      slot;                      /* in the cache */
    uint64_t version;                   /* grows with every write */
    size_t   bytes;
    void    *data;
    struct hy__buffer *next;            /* in the cache */
} hy__buffer;

enum { HY__SLOTS = 8 * 58 };
typedef struct hy__cache { hy__heap *heap; hy__buffer *slot[HY__SLOTS]; size_t bytes; } hy__cache;

/* Sizes are rounded up to eight steps per power of two, so that near sizes share a slot. */
static int hy__cache_slot(size_t *bytes)
{
    size_t n = *bytes < 64 ? 64 : *bytes, step;
    int power = 6;
    while (n >> power > 1) power++;
    step = (size_t)1 << (power - 3);
    n = (n + step - 1) / step * step;
    if (n >> power > 1) { power++; step *= 2; }
    *bytes = n;
    return (power - 6) * 8 + (int)(n / step - 8);
}

static void hy__cache_empty(hy__cache *cache)
{
    int i;
    for (i = 0; i < HY__SLOTS; i++)
        while (cache->slot[i]) {
            hy__buffer *b = cache->slot[i];
            cache->slot[i] = b->next;
            hy__free(cache->heap, b);
        }
    cache->bytes = 0;
}

static hy__buffer *hy__buffer_new(hy__cache *cache, size_t bytes)
{
    hy__buffer *b;
    int slot;
    if (bytes > (size_t)1 << 60) return NULL;
    slot = hy__cache_slot(&bytes);
    b = cache->slot[slot];
    if (HY__LIKELY(b != NULL)) {
        cache->slot[slot] = b->next;
        cache->bytes -= b->bytes;
    } else {
        b = (hy__buffer *)hy__alloc(cache->heap, HY__ALIGN + bytes);
        if (!b && cache->bytes) {
            hy__cache_empty(cache);
            b = (hy__buffer *)hy__alloc(cache->heap, HY__ALIGN + bytes);
        }
        if (!b) return NULL;
        b->bytes = bytes;
        b->slot = slot;
        b->data = (char *)b + HY__ALIGN;
        b->version = 0;
    }
    b->refs = 1;
    b->pins = b->borrowed = 0;
    b->version++;
    return b;
}

static hy__buffer *hy__buffer_borrow(hy__cache *cache, void *data, size_t bytes)
{
    hy__buffer *b = (hy__buffer *)hy__alloc_zero(cache->heap, sizeof *b);
    if (!b) return NULL;
    b->refs = b->borrowed = 1;
    b->bytes = bytes;
    b->data = data;
    return b;
}

static hy__buffer *hy__buffer_hold(hy__buffer *b) { HY__ADD(&b->refs, 1); return b; }

static void hy__buffer_drop(hy__cache *cache, hy__buffer *b)
{
    if (!b || HY__ADD(&b->refs, -1) > 0) return;
    if (b->borrowed || cache->bytes + b->bytes > HYBRID_CACHE_BYTES) { hy__free(cache->heap, b); return; }
    b->next = cache->slot[b->slot];
    cache->slot[b->slot] = b;
    cache->bytes += b->bytes;
}

/* Without a cache at hand. */
static void hy__buffer_free(hy__heap *heap, hy__buffer *b) { if (b && HY__ADD(&b->refs, -1) == 0) hy__free(heap, b); }

/* MARK: - 12 >>frame ------------------------------------------------------------------------------------
 *
 * A frame owns the arrays made through it, holds the first error, and sends every operator through one pointer,
 * emit: it runs the operator, makes a node of it, or records it. A root is what the frames of hy_fork share.
 * Handles live in slabs until the root closes, so that a dead one is recognised.
 */
typedef struct hy__node hy__node;       /* of a graph */
typedef struct hy__tape hy__tape;       /* a recorded call */
typedef struct hy__pool hy__pool;       /* threads, see >>threads */
typedef struct hy__kernels hy__kernels;

typedef hy_array *(*hy__emit_fn)(hy_frame *F, const hy_op *op, int n, hy_array *const *in, const void *record,
                                 int nsub, hy_graph *const *sub);

/* What a handle stands for, held without a handle. */
typedef struct hy__value { hy_tensor t; hy__buffer *buffer; hy__tape *tape; int output; } hy__value;

/* A recorded call, or (op NULL) a leaf: an array whose gradient is wanted. */
struct hy__tape {
    int          refs;
    uint64_t     id;                    /* order of recording */
    const hy_op *op;
    void        *record;
    int          nin, nout;
    hy__value   *value;                 /* inputs, then outputs; outputs do not hold their tape */
    int          pinned;                /* values are held and may not be overwritten */
    hy_grad_req  req;                   /* of a leaf, with ... */
    hy__value    grad;                  /* ... its gradient */
    hy__tape    *next;                  /* while being dropped */
    int          spent;                 /* backward has run and let go of the values */
    int          mark;                  /* hy_backward's notes */
};

/* A traced call, or (op NULL) a variable. */
struct hy__node {
    const char  *name;
    const hy_op *op;
    void        *record;
    int          nin, nout, number;     /* place in the graph */
    struct hy__edge { hy__node *node; int output; } *in;
    hy_type     *type;                  /* of each output */
    hy_tensor    constant;              /* of a variable that stands for an array, with ... */
    hy__buffer  *held;                  /* ... its buffer */
};

enum { HY__DEAD = 0x64656164, HY__LIVE = 0x6c697665 };

struct hy_array {
    uint32_t    state;                  /* HY__LIVE or HY__DEAD */
    int         kept, slot;             /* place in the frame's list of kept, or of live arrays */
    int         count;                  /* of a group */
    hy_frame   *frame;
    hy_tensor   t;
    hy__buffer *buffer;                 /* NULL for traced values; of a group: its items */
    hy__node   *node;                   /* of a traced value */
    int         output;                 /* which output of node or tape */
    hy__tape   *tape;                   /* how it was computed, if recorded, or the leaf it is */
    hy_array  **item;                   /* of a group; the next free slot of a dead handle */
};

enum { HY__SLAB = 64 };
typedef struct hy__slab { struct hy__slab *next; hy_array array[HY__SLAB]; } hy__slab;

typedef struct hy__list { hy_array **at; int n, cap; } hy__list;

typedef struct hy_root {
    hy__heap   heap;
    hy__lock   lock;                    /* guards slabs and spare */
    hy__slab  *slabs;
    hy_array  *spare;                   /* free handles of closed frames */
    const hy_op **ops;                  /* by number: built in, then registered */
    int        nops, ops_cap;
    hy__names  names;                   /* own, MXNet's and aliases -> number */
    const hy__kernels *kernels;
    hy__pool  *pool;
    hy_desc    desc;
    int        threads, isa;
    int        frames;                  /* open ones */
    uint64_t   next_id;                 /* of recorded calls */
} hy_root;

struct hy_frame {
    hy_root    *root;
    hy__emit_fn emit, emit_below;       /* emit_record wraps the one below */
    hy__cache   cache;
    hy__list    live, kept;
    int        *mark, marks, marks_cap; /* where each begin stands in live */
    hy_array   *free_first, *free_last; /* dead handles, oldest first */
    hy_error_t  code;
    char        text[512];
    int         recording, training;
    int         hidden;                 /* hidden outputs are wanted */
    uint64_t    seed, stream;           /* the next random operator's key */
    void       *scratch;                /* for imperative runs */
    size_t      scratch_bytes;
    hy_graph   *graph;                  /* what a symbolic frame builds */
};

static void hy__fail(hy_frame *F, hy_error_t code, const char *format, ...)
{
    hy__line line;
    va_list args;
    if (!F || F->code) return;
    line.text = F->text;
    line.cap = sizeof F->text;
    line.n = 0;
    F->text[0] = 0;
    va_start(args, format);
    hy__format(&line, format, args);
    va_end(args);
    F->code = code;
    if (F->root->desc.log_fn) F->root->desc.log_fn(F->root->desc.log_user, HY_LOG_ERROR, (int)code, F->text);
}

static void *hy__no_memory(hy_frame *F, const char *what)
{
    hy__fail(F, HY_ERROR_MEMORY, "%s: out of memory", what);
    return NULL;
}

HY_API const char *hy_error(hy_frame *F)
{
    return !F ? "out of memory" : F->code ? F->text : NULL;
}
HY_API hy_error_t hy_error_code(hy_frame *F) { return F ? F->code : HY_ERROR_MEMORY; }
HY_API void hy_clear(hy_frame *F) { if (F) F->code = HY_ERROR_OK; }
HY_API void hy_raise(hy_frame *F, hy_error_t code, const char *text)
{
    hy__fail(F, code > HY_ERROR_OK && code < HY_ERROR_COUNT ? code : HY_ERROR_USER, "%s", text);
}
HY_API int hy_wait_all(hy_frame *F) { return (int)hy_error_code(F); }

HY_API const char *hy_error_name(hy_error_t code)
{
#define HY__ERROR_TEXT(name, text) text,
    static const char *const texts[] = { HY_ERRORS(HY__ERROR_TEXT) };
    return (unsigned)code < HY_ERROR_COUNT ? texts[code] : "unknown";
}

/* --- handles --- */
static int hy__list_add(hy_frame *F, hy__list *list, hy_array *x)
{
    if (list->n == list->cap &&
        hy__grow(&F->root->heap, (void **)&list->at, &list->cap, list->n + 1, sizeof *list->at)) return -1;
    x->slot = list->n;
    list->at[list->n++] = x;
    return 0;
}

static void hy__list_remove(hy__list *list, hy_array *x)        /* order is not kept */
{
    hy_array *last = list->at[--list->n];
    list->at[x->slot] = last;
    last->slot = x->slot;
}

static int hy__more_handles(hy_frame *F)
{
    hy_root *root = F->root;
    hy__slab *slab;
    int i;
    hy__acquire(&root->lock);
    F->free_first = root->spare;
    root->spare = NULL;
    hy__release(&root->lock);
    if (!F->free_first) {
        slab = (hy__slab *)hy__alloc_zero(&root->heap, sizeof *slab);
        if (!slab) return -1;
        for (i = 0; i < HY__SLAB; i++) {
            slab->array[i].state = HY__DEAD;
            slab->array[i].item = i + 1 < HY__SLAB ? (hy_array **)(void *)&slab->array[i + 1] : NULL;
        }
        hy__acquire(&root->lock);
        slab->next = root->slabs;
        root->slabs = slab;
        hy__release(&root->lock);
        F->free_first = slab->array;
    }
    for (F->free_last = F->free_first; F->free_last->item;
         F->free_last = (hy_array *)(void *)F->free_last->item) continue;
    return 0;
}

/* A fresh handle in the current scope: no type, no buffer. */
static hy_array *hy__handle(hy_frame *F)
{
    hy_array *x;
    if (!F->free_first && hy__more_handles(F)) return (hy_array *)hy__no_memory(F, "handle");
    x = F->free_first;
    if (hy__list_add(F, &F->live, x)) return (hy_array *)hy__no_memory(F, "handle");
    F->free_first = (hy_array *)(void *)x->item;
    x->state = HY__LIVE;
    x->kept = x->count = x->output = 0;
    x->frame = F;
    x->buffer = NULL;
    x->node = NULL;
    x->tape = NULL;
    x->item = NULL;
    x->t.type.dtype = HY_DTYPE_NONE;
    return x;
}

/* Lets go of the values of a recorded call, or of a leaf's gradient. */
static void hy__tape_empty(hy_frame *F, hy__tape *tape)
{
    int i;
    for (i = 0; i < tape->nin + tape->nout; i++) {
        hy__buffer *b = tape->value[i].buffer;
        if (b && tape->pinned) HY__ADD(&b->pins, -1);
        hy__buffer_drop(&F->cache, b);
        tape->value[i].buffer = NULL;
    }
    tape->pinned = 0;
    hy__buffer_drop(&F->cache, tape->grad.buffer);
    tape->grad.buffer = NULL;
}

/* A chain of a million calls may hang on one handle, so this walks a list instead of the stack. */
static void hy__tape_drop(hy_frame *F, hy__tape *tape)
{
    hy__tape *todo = NULL;
    int i;
    if (!tape || HY__ADD(&tape->refs, -1) > 0) return;
    tape->next = NULL;
    for (todo = tape; todo; ) {
        hy__tape *t = todo;
        todo = t->next;
        hy__tape_empty(F, t);
        for (i = 0; i < t->nin; i++) {
            hy__tape *from = t->value[i].tape;
            if (from && HY__ADD(&from->refs, -1) == 0) { from->next = todo; todo = from; }
        }
        hy__free(&F->root->heap, t);
    }
}

static void hy__handle_drop(hy_frame *F, hy_array *x)
{
    hy__buffer_drop(&F->cache, x->buffer);
    if (x->tape) hy__tape_drop(F, x->tape);
    x->state = HY__DEAD;
    x->item = NULL;
    if (F->free_first) F->free_last->item = (hy_array **)(void *)x;
    else F->free_first = x;
    F->free_last = x;
}

/* --- scopes --- */
static int hy__alive(hy_frame *F, const hy_array *x, const char *who)
{
    if (!F) return 0;
    if (HY__LIKELY(x && x->state == HY__LIVE)) return !F->code;
    if (!x) hy__fail(F, HY_ERROR_ARGUMENT, "%s: the array is NULL", who);
    else hy__fail(F, HY_ERROR_STATE, "%s: the array is used after its hy_end: hy_keep or hy_return it before", who);
    return 0;
}

/* An array with values, in this frame or its root, as opposed to a group or a traced value. */
static int hy__concrete(hy_frame *F, const hy_array *x, const char *who, const char *instead)
{
    if (!hy__alive(F, x, who)) return 0;
    if (x->count) hy__fail(F, HY_ERROR_ARGUMENT, "%s: a group of %d arrays, where one array is due: use hy_get", who, x->count);
    else if (x->node) hy__fail(F, HY_ERROR_TRACE, "%s is not implemented for Symbol and only available in NDArray: "
                               "the value is being traced; use %s", who, instead);
    else if (x->frame->root != F->root) hy__fail(F, HY_ERROR_ARGUMENT, "%s: the array belongs to another hy_open", who);
    else return 1;
    return 0;
}

HY_API void hy_begin(hy_frame *F)
{
    if (!F) return;
    if (hy__grow(&F->root->heap, (void **)&F->mark, &F->marks_cap, F->marks + 1, sizeof *F->mark)) {
        hy__no_memory(F, "hy_begin");
        return;
    }
    F->mark[F->marks++] = F->live.n;
}

/* Drops what was made since the mark; arrays that hy_return marked move into the enclosing scope. */
static void hy__unwind(hy_frame *F, int mark)
{
    int i, stay = mark;
    for (i = F->live.n - 1; i >= mark; i--) {
        hy_array *x = F->live.at[i];
        if (x->kept >= 0) { hy__handle_drop(F, x); F->live.at[i] = NULL; }
    }
    for (i = mark; i < F->live.n; i++) {
        hy_array *x = F->live.at[i];
        if (!x) continue;
        x->kept = 0;
        x->slot = stay;
        F->live.at[stay++] = x;
    }
    F->live.n = stay;
}

HY_API void hy_end(hy_frame *F)
{
    if (!F) return;
    if (!F->marks) { hy__fail(F, HY_ERROR_STATE, "hy_end: there is no open hy_begin"); return; }
    hy__unwind(F, F->mark[--F->marks]);
}

HY_API hy_array *hy_return(hy_frame *F, hy_array *x)
{
    int i;
    if (!hy__alive(F, x, "hy_return")) return NULL;
    if (x->frame != F) { hy__fail(F, HY_ERROR_ARGUMENT, "hy_return: the array belongs to another frame"); return NULL; }
    for (i = 0; i < x->count; i++) hy_return(F, x->item[i]);
    if (!x->kept && F->marks && x->slot >= F->mark[F->marks - 1]) x->kept = -1;
    return x;
}

HY_API hy_array *hy_keep(hy_frame *F, hy_array *x)
{
    int i, slot;
    if (!hy__alive(F, x, "hy_keep")) return NULL;
    if (x->kept > 0) return x;
    if (x->frame != F) { hy__fail(F, HY_ERROR_ARGUMENT, "hy_keep: the array belongs to another frame"); return NULL; }
    for (i = 0; i < x->count; i++) if (!hy_keep(F, x->item[i])) return NULL;
    slot = x->slot;
    if (hy__list_add(F, &F->kept, x)) return (hy_array *)hy__no_memory(F, "hy_keep");
    memmove(F->live.at + slot, F->live.at + slot + 1, (size_t)(F->live.n - slot - 1) * sizeof *F->live.at);
    for (F->live.n--, i = slot; i < F->live.n; i++) F->live.at[i]->slot = i;
    for (i = F->marks; i > 0 && F->mark[i - 1] > slot; i--) F->mark[i - 1]--;
    x->kept = 1;
    return x;
}

HY_API void hy_free(hy_frame *F, hy_array *x)
{
    int standing = F ? (int)F->code : 0;
    if (!F || !x) return;
    if (x->state != HY__LIVE) { if (!standing) hy__alive(F, x, "hy_free"); return; }
    if (x->frame != F) { hy__fail(F, HY_ERROR_ARGUMENT, "hy_free: the array belongs to another frame"); return; }
    if (x->kept <= 0) {
        F->code = HY_ERROR_OK;
        if (!hy_keep(F, x)) return;
        F->code = (hy_error_t)standing;
    }
    hy__list_remove(&F->kept, x);
    hy__handle_drop(F, x);
}

/* --- groups --- */
HY_API hy_array *hy_group_of(hy_frame *F, int n, hy_array *const *x)
{
    hy_array *group;
    int i;
    if (!F || F->code) return NULL;
    if (n < 1) { hy__fail(F, HY_ERROR_ARGUMENT, "hy_group: at least one array is due"); return NULL; }
    for (i = 0; i < n; i++) if (!hy__alive(F, x[i], "hy_group")) return NULL;
    group = hy__handle(F);
    if (!group) return NULL;
    group->buffer = hy__buffer_new(&F->cache, (size_t)n * sizeof *group->item);
    if (!group->buffer) return (hy_array *)hy__no_memory(F, "hy_group");
    group->item = (hy_array **)group->buffer->data;
    memcpy(group->item, x, (size_t)n * sizeof *x);
    group->count = n;
    return group;
}

HY_API hy_array *hy_get(hy_frame *F, hy_array *group, int i)
{
    int n;
    if (!hy__alive(F, group, "hy_get")) return NULL;
    n = group->count ? group->count : 1;
    if (i < -n || i >= n) {
        hy__fail(F, HY_ERROR_INDEX, "hy_get: index %d of a group of %d", i, n);
        return NULL;
    }
    return group->count ? group->item[i < 0 ? i + n : i] : group;
}

HY_API int hy_count(hy_frame *F, hy_array *group)
{
    return !hy__alive(F, group, "hy_count") ? 0 : group->count ? group->count : 1;
}

/* --- the way every operator goes --- */

/* Zero in an option means its default, HY_ZERO means zero. */
static void hy__fill_defaults(const hy_op *op, void *record)
{
    const hy_attr *a;
    for (a = op->attr; a && a->name; a++) {
        char *field = (char *)record + a->offset;
        if (!a->option) continue;
        if (a->kind == HY_ATTR_real) {
            double *v = (double *)(void *)field;
            *v = *v == 0 ? a->missing : *v == HY_ZERO ? 0 : *v;
        } else if (a->kind == HY_ATTR_i64) {
            int64_t *v = (int64_t *)(void *)field;
            *v = *v == 0 ? (int64_t)a->missing : *v == HY_ZERO ? 0 : *v;
        } else if (a->kind == HY_ATTR_int || a->kind == HY_ATTR_oint || a->kind == HY_ATTR_dtype) {
            int *v = (int *)(void *)field;
            *v = *v == 0 ? (int)a->missing : *v == HY_ZERO ? 0 : *v;
        }
    }
}

/* How many values argument number `index` has; *hidden tells whether the caller sees them. */
static int hy__arg_count(const hy_op *op, const hy_arg *args, int output, int index, const void *record, int *hidden)
{
    int n = op->count ? op->count(record, output, index) : 1;
    *hidden = 0;
    if (args[index].kind == HY_ARG_HID) {
        *hidden = n != 2;
        n = n > 0;
    }
    return n;
}

static hy_array *hy__emit_flat(hy_frame *F, const hy_op *op, int n, hy_array *const *in, const void *record)
{
    int i;
    for (i = 0; i < n; i++) {
        if (!hy__alive(F, in[i], op->name)) return NULL;
        if (in[i]->count) {
            hy__fail(F, HY_ERROR_ARGUMENT, "%s: input %d is a group of %d arrays, where one array is due: use hy_get",
                     op->name, i, in[i]->count);
            return NULL;
        }
    }
    return F->emit(F, op, n, in, record, 0, NULL);
}

/* Arguments as declared -> the inputs that exist, groups opened. */
static hy_array *hy__emit_args(hy_frame *F, const hy_op *op, hy_array *const *arg, const void *record)
{
    enum { FEW = 32 };
    hy_array *few[FEW], **in = few, *y;
    int i, j, n = 0, total = 0, hidden;
    if (!F || F->code) return NULL;
    for (i = 0; op->in[i].name; i++) total += arg[i] && arg[i]->state == HY__LIVE && arg[i]->count ? arg[i]->count : 1;
    if (total > FEW) {
        in = (hy_array **)hy__alloc(&F->root->heap, (size_t)total * sizeof *in);
        if (!in) return (hy_array *)hy__no_memory(F, op->name);
    }
    for (i = 0; op->in[i].name; i++) {
        int many = hy__arg_count(op, op->in, 0, i, record, &hidden);
        if (!many) continue;
        if (!arg[i]) {
            hy__fail(F, HY_ERROR_ARGUMENT, "%s: input %s is NULL", op->name, op->in[i].name);
            break;
        }
        if (many < 0 && arg[i]->state == HY__LIVE && arg[i]->count)
            for (j = 0; j < arg[i]->count; j++) in[n++] = arg[i]->item[j];
        else in[n++] = arg[i];
    }
    y = F->code ? NULL : hy__emit_flat(F, op, n, in, record);
    if (in != few) hy__free(&F->root->heap, in);
    return y;
}

static hy_array *hy__emit1(hy_frame *F, int op, hy_array *x, const void *record)
{
    return !F || F->code ? NULL : hy__emit_flat(F, F->root->ops[op], 1, &x, record);
}
static hy_array *hy__emit2(hy_frame *F, int op, hy_array *a, hy_array *b)
{
    hy_array *in[2];
    in[0] = a;
    in[1] = b;
    return !F || F->code ? NULL : hy__emit_flat(F, F->root->ops[op], 2, in, NULL);
}

/* --- the operators, generated from the catalogue: records first, then what users call --- */
#define HY__SKIP(...)
#define HY__RECORD_OP(name, ...)  typedef struct hy__##name##_rec { HY_P_##name(HY__FIELD_P, name) char hy__end; } hy__##name##_rec;
#define HY__RECORD_OPT(name, ...) \
    typedef struct hy__##name##_rec { HY_P_##name(HY__FIELD_P, name) HY_A_##name(HY__FIELD_A, name) char hy__end; } hy__##name##_rec;
HY_OPS(HY__RECORD_OP, HY__RECORD_OPT)
typedef struct hy__scalar_rec { double scalar; } hy__scalar_rec;
typedef struct hy__reduce_rec { hy_ints axis; int keepdims, exclude; } hy__reduce_rec;

#define HY__ARG_I(name, kind, many) name,
#define HY__SET_P(R, kind, name, mxnet, missing, doc) r.name = name;
#define HY__SET_A(R, kind, name, mxnet, missing, doc) r.name = opt->name;
#define HY__WRAP(name) \
    { \
        hy_array *arg[] = { HY_I_##name(HY__ARG_I) NULL }; \
        hy__##name##_rec r; \
        if (!F || F->code) return NULL; \
        memset(&r, 0, sizeof r); \
        HY_P_##name(HY__SET_P, name) \
        HY__OPTIONS(name) \
        return hy__emit_args(F, F->root->ops[HY_OP_##name], arg, &r); \
    }
#define HY__WRAP_OP(name, ...) \
    HY_API hy_array *hy_##name(hy_frame *F HY_I_##name(HY__PARAM_I) HY_P_##name(HY__PARAM_P, name)) HY__WRAP(name)
#define HY__WRAP_OPT(name, ...) \
    HY_API hy_array *hy_##name(hy_frame *F HY_I_##name(HY__PARAM_I) HY_P_##name(HY__PARAM_P, name), \
                               const hy_##name##_opt *opt) HY__WRAP(name)
#define HY__OPTIONS(name)
HY_OPS(HY__WRAP_OP, HY__SKIP)
#undef HY__OPTIONS
#define HY__OPTIONS(name) \
        if (opt) { HY_A_##name(HY__SET_A, name) } \
        hy__fill_defaults(F->root->ops[HY_OP_##name], &r);
HY_OPS(HY__SKIP, HY__WRAP_OPT)
#undef HY__OPTIONS

#define HY__WRAP_UNARY(name, ...) \
    HY_API hy_array *hy_##name(hy_frame *F, hy_array *data) { return hy__emit1(F, HY_OP_##name, data, NULL); }
#define HY__WRAP_BINARY(name, ...) \
    HY_API hy_array *hy_##name(hy_frame *F, hy_array *lhs, hy_array *rhs) \
    { return hy__emit2(F, HY_OP_##name, lhs, rhs); } \
    HY_API hy_array *hy_elemwise_##name(hy_frame *F, hy_array *lhs, hy_array *rhs) \
    { return hy__emit2(F, HY_OP_elemwise_##name, lhs, rhs); } \
    HY_API hy_array *hy_##name##_scalar(hy_frame *F, hy_array *data, double scalar) \
    { hy__scalar_rec r; r.scalar = scalar; return hy__emit1(F, HY_OP_##name##_scalar, data, &r); }
#define HY__WRAP_RSCALAR(name, ...) \
    HY_API hy_array *hy_r##name##_scalar(hy_frame *F, hy_array *data, double scalar) \
    { hy__scalar_rec r; r.scalar = scalar; return hy__emit1(F, HY_OP_r##name##_scalar, data, &r); }
#define HY__WRAP_REDUCE(name, ...) \
    HY_API hy_array *hy_##name(hy_frame *F, hy_array *data, hy_ints axis, const hy_reduce_opt *opt) \
    { \
        hy__reduce_rec r; \
        r.axis = axis; \
        r.keepdims = opt ? opt->keepdims : 0; \
        r.exclude = opt ? opt->exclude : 0; \
        return hy__emit1(F, HY_OP_##name, data, &r); \
    }
HY_UNARY_OPS(HY__WRAP_UNARY)
HY_BINARY_OPS(HY__WRAP_BINARY)
HY_RSCALAR_OPS(HY__WRAP_RSCALAR)
HY_REDUCE_OPS(HY__WRAP_REDUCE)

/* MARK: - 13 >>threads ----------------------------------------------------------------------------------
 *
 * A region is a list of stages, each a number of independent items; a stage begins when the one before it has
 * ended. Items are claimed from a counter, so who runs what is chance; what an item does never depends on it.
 * Threads start at the first region worth it, spin for a moment after each, then sleep.
 */
typedef void (*hy__item_fn)(void *arg, int stage, int64_t item, int worker);
typedef struct hy__region {
    hy__item_fn run;
    void       *arg;
    int         stages;
    const int64_t *items;               /* per stage */
    int64_t     next[HY_MAX_STAGES], done[HY_MAX_STAGES];
} hy__region;

static void hy__region_alone(hy__region *region)
{
    int stage;
    int64_t i;
    for (stage = 0; stage < region->stages; stage++)
        for (i = 0; i < region->items[stage]; i++) region->run(region->arg, stage, i, 0);
}

#ifndef HYBRID_NO_THREADS
HY__INLINE void hy__relax(void)
{
#if HY__X86
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

/* Claims and runs items until the region has none left. */
static void hy__region_work(hy__region *region, int worker)
{
    int stage, spins;
    for (stage = 0; stage < region->stages; stage++) {
        int64_t n = region->items[stage], i;
        while ((i = HY__ADD(&region->next[stage], 1) - 1) < n) {
            region->run(region->arg, stage, i, worker);
            HY__ADD(&region->done[stage], 1);
        }
        for (spins = 0; HY__LOAD(&region->done[stage]) < n; spins++)
            if (spins < 2000) hy__relax(); else sched_yield();
    }
}

/* gate: generation * 2048 + closed * 1024 + workers inside. A worker enters only while the gate is open, so one
 * that wakes late never touches a region that has ended. */
struct hy__pool {
    hy__heap  *heap;
    int        workers, started;        /* wanted and running, besides the caller */
    pthread_t *thread;
    int64_t    gate;
    hy__region *region;
    int        busy;                    /* some frame owns the pool */
    int        stop, sleepers;
    pthread_mutex_t lock;
    pthread_cond_t  wake;
    int        hired;                   /* workers numbered so far in this generation */
};
enum { HY__GATE_CLOSED = 1024, HY__GATE_STEP = 2048, HY__SPINS = 20000 };

static int64_t hy__pool_wait(hy__pool *pool, int64_t seen)      /* the next generation's gate, or -1 to stop */
{
    int spins;
    int64_t gate;
    for (spins = 0; spins < HY__SPINS; spins++) {
        gate = HY__LOAD(&pool->gate);
        if (gate / HY__GATE_STEP != seen) return gate;
        if (HY__LOAD(&pool->stop)) return -1;
        if (spins % 1024 == 1023) sched_yield(); else hy__relax();
    }
    pthread_mutex_lock(&pool->lock);
    HY__ADD(&pool->sleepers, 1);
    while ((gate = HY__LOAD(&pool->gate)) / HY__GATE_STEP == seen && !HY__LOAD(&pool->stop))
        pthread_cond_wait(&pool->wake, &pool->lock);
    HY__ADD(&pool->sleepers, -1);
    pthread_mutex_unlock(&pool->lock);
    return HY__LOAD(&pool->stop) ? -1 : gate;
}

static void *hy__pool_main(void *arg)
{
    hy__pool *pool = (hy__pool *)arg;
    int64_t seen = 0, gate;
    while ((gate = hy__pool_wait(pool, seen)) >= 0) {
        seen = gate / HY__GATE_STEP;
        while (!(gate & HY__GATE_CLOSED) && gate / HY__GATE_STEP == seen) {
            if (!HY__SWAP(&pool->gate, &gate, gate + 1)) continue;
            hy__region_work(pool->region, HY__ADD(&pool->hired, 1));
            HY__ADD(&pool->gate, -1);
            break;
        }
    }
    return NULL;
}

static void hy__pool_start(hy__pool *pool)
{
    while (pool->started < pool->workers) {
        if (pthread_create(&pool->thread[pool->started], NULL, hy__pool_main, pool)) {
            pool->workers = pool->started;      /* fewer hands, same results */
            return;
        }
        pool->started++;
    }
}

static hy__pool *hy__pool_new(hy__heap *heap, int workers)
{
    hy__pool *pool = (hy__pool *)hy__alloc_zero(heap, sizeof *pool);
    if (!pool) return NULL;
    pool->heap = heap;
    pool->workers = workers;
    pool->gate = HY__GATE_CLOSED;
    pool->thread = (pthread_t *)hy__alloc_zero(heap, (size_t)workers * sizeof *pool->thread);
    if (!pool->thread) { hy__free(heap, pool); return NULL; }
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    return pool;
}

static void hy__pool_free(hy__pool *pool)
{
    int i;
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    HY__STORE(&pool->stop, 1);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (i = 0; i < pool->started; i++) pthread_join(pool->thread[i], NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    hy__free(pool->heap, pool->thread);
    hy__free(pool->heap, pool);
}

/* Runs a region with the pool's threads. Returns 0 if another frame has the pool. */
static int hy__pool_run(hy__pool *pool, hy__region *region, double cost)
{
    int free_pool = 0;
    int64_t gate;
    if (!HY__SWAP(&pool->busy, &free_pool, 1)) return 0;
    hy__pool_start(pool);
    pool->region = region;
    HY__POKE(&pool->hired, 0);
    gate = HY__LOAD(&pool->gate);
    HY__STORE(&pool->gate, (gate / HY__GATE_STEP + 1) * HY__GATE_STEP);
    if (HY__LOAD(&pool->sleepers) && cost > 100e3) {            /* waking takes 20-30 us */
        pthread_mutex_lock(&pool->lock);
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->lock);
    }
    hy__region_work(region, 0);
    gate = HY__ADD(&pool->gate, HY__GATE_CLOSED);
    while (gate % HY__GATE_CLOSED) { hy__relax(); gate = HY__LOAD(&pool->gate); }
    HY__STORE(&pool->busy, 0);
    return 1;
}
#endif

/* --- a host's job system: one call per stage --- */
typedef struct hy__host_stage { hy__region *region; int stage; } hy__host_stage;
static void hy__host_item(void *arg, int64_t i, int worker)
{
    hy__host_stage *s = (hy__host_stage *)arg;
    s->region->run(s->region->arg, s->stage, i, worker);
}

/* Runs a region; cost is its length on one core in nanoseconds. */
static void hy__parallel(hy_root *root, hy__region *region, double cost)
{
    hy__host_stage s;
    int many = 0, stage;
    for (stage = 0; stage < region->stages; stage++) many |= region->items[stage] > 1;
    if (root->threads > 1 && many && cost >= HYBRID_PARALLEL_NS) {
        if (root->desc.parallel_for) {
            s.region = region;
            for (s.stage = 0; s.stage < region->stages; s.stage++)
                root->desc.parallel_for(root->desc.parallel_user, region->items[s.stage], hy__host_item, &s);
            return;
        }
#ifndef HYBRID_NO_THREADS
        memset(region->next, 0, sizeof region->next);
        memset(region->done, 0, sizeof region->done);
        if (root->pool && hy__pool_run(root->pool, region, cost)) return;
#endif
    }
    hy__region_alone(region);
}

/* MARK: - 14 >>shape ------------------------------------------------------------------------------------
 *
 * What a type is, and arithmetic on shapes. Sizes are checked against overflow once, when a shape enters.
 */
typedef struct hy__dtype_traits { int size, floating; double epsilon; } hy__dtype_traits;
static const hy__dtype_traits hy__traits[HY_DTYPE_COUNT] = {
    { 0, 0, 0 }, { 4, 1, 1.1920929e-7 }, { 8, 1, 2.220446049250313e-16 }, { 2, 1, 9.765625e-4 }, { 2, 1, 7.8125e-3 },
    { 1, 0, 0 }, { 1, 0, 0 }, { 4, 0, 0 }, { 8, 0, 0 }, { 1, 0, 0 }
};

HY_API size_t hy_dtype_size(hy_dtype dtype)
{
    return (unsigned)dtype < HY_DTYPE_COUNT ? (size_t)hy__traits[dtype].size : 0;
}
static int hy__floating(hy_dtype dtype) { return hy__traits[dtype].floating; }

HY__INLINE float hy__f32_of_bits(uint32_t bits) { float x; memcpy(&x, &bits, 4); return x; }
HY__INLINE uint32_t hy__bits_f32(float x) { uint32_t bits; memcpy(&bits, &x, 4); return bits; }

/* Half precision, to nearest even. Subnormals come out of one subtraction. */
HY__INLINE float hy__f16_to_f32(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, body = h & 0x7fff;
    float tiny = (float)(int)body * 5.9604644775390625e-8f;            /* 2^-24 */
    uint32_t wide = (body << 13) + 0x38000000u + (body >= 0x7c00 ? 0x38000000u : 0u);
    return hy__f32_of_bits(sign | (body < 0x400 ? hy__bits_f32(tiny) : wide));
}
HY__INLINE uint16_t hy__f32_to_f16(float x)
{
    uint32_t bits = hy__bits_f32(x), sign = bits >> 16 & 0x8000, body = bits & 0x7fffffffu;
    uint32_t small = hy__bits_f32(hy__f32_of_bits(body < 0x38800000u ? body : 0) + 0.5f) - 0x3f000000u;
    uint32_t wide = body + 0xc8000fffu + (body >> 13 & 1);
    uint32_t half = body < 0x38800000u ? small : wide >> 13;
    half = body >= 0x477ff000u ? 0x7c00u : half;
    half = body > 0x7f800000u ? 0x7e00u : half;
    return (uint16_t)(sign | half);
}
HY__INLINE float hy__bf16_to_f32(uint16_t h) { return hy__f32_of_bits((uint32_t)h << 16); }
HY__INLINE uint16_t hy__f32_to_bf16(float x)
{
    uint32_t bits = hy__bits_f32(x), even = bits + 0x7fffu + (bits >> 16 & 1);
    return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? (bits >> 16 | 0x40u) : even >> 16);
}

/* Float to integer: toward zero, saturating, NaN to 0. */
HY__INLINE int64_t hy__to_i64(double v)
{
    return v != v ? 0 : v >= 9223372036854775807.0 ? INT64_MAX : v <= -9223372036854775808.0 ? INT64_MIN : (int64_t)v;
}
HY__INLINE int64_t hy__clamp_i64(int64_t v, int64_t low, int64_t high) { return v < low ? low : v > high ? high : v; }

/* One element of any type; the slow way, for reading and writing by hand. */
static double hy__load(const void *at, hy_dtype dtype)
{
    switch (dtype) {
    case HY_F32:  return *(const float *)at;
    case HY_F64:  return *(const double *)at;
    case HY_F16:  return hy__f16_to_f32(*(const uint16_t *)at);
    case HY_BF16: return hy__bf16_to_f32(*(const uint16_t *)at);
    case HY_I8:   return *(const int8_t *)at;
    case HY_U8:   return *(const uint8_t *)at;
    case HY_I32:  return *(const int32_t *)at;
    case HY_I64:  return (double)*(const int64_t *)at;
    case HY_BOOL: return *(const uint8_t *)at != 0;
    default:      return 0;
    }
}
static int64_t hy__load_i64(const void *at, hy_dtype dtype)
{
    return dtype == HY_I64 ? *(const int64_t *)at : hy__to_i64(hy__load(at, dtype));
}
static void hy__store(void *at, hy_dtype dtype, double v)
{
    switch (dtype) {
    case HY_F32:  *(float *)at = (float)v; break;
    case HY_F64:  *(double *)at = v; break;
    case HY_F16:  *(uint16_t *)at = hy__f32_to_f16((float)v); break;
    case HY_BF16: *(uint16_t *)at = hy__f32_to_bf16((float)v); break;
    case HY_I8:   *(int8_t *)at = (int8_t)hy__clamp_i64(hy__to_i64(v), -128, 127); break;
    case HY_U8:   *(uint8_t *)at = (uint8_t)hy__clamp_i64(hy__to_i64(v), 0, 255); break;
    case HY_I32:  *(int32_t *)at = (int32_t)hy__clamp_i64(hy__to_i64(v), INT32_MIN, INT32_MAX); break;
    case HY_I64:  *(int64_t *)at = hy__to_i64(v); break;
    case HY_BOOL: *(uint8_t *)at = v != 0; break;
    default:      break;
    }
}

/* --- sizes --- */
static int64_t hy__size(const hy_shape *s)              /* -1: not all known */
{
    int64_t n = 1;
    int d;
    if (s->ndim < 0) return -1;
    for (d = 0; d < s->ndim; d++) if (s->dim[d] < 0) return -1;
    for (d = 0; d < s->ndim; d++) n *= s->dim[d];
    return n;
}

static int hy__shape_known(const hy_shape *s)
{
    int d;
    for (d = 0; d < s->ndim; d++) if (s->dim[d] < 0) return 0;
    return s->ndim >= 0;
}

static int64_t hy__product(const hy_shape *s, int from, int to)
{
    int64_t n = 1;
    for (; from < to; from++) n *= s->dim[from];
    return n;
}

/* Bytes of a known shape, or -1 if they cannot be addressed. */
static int64_t hy__bytes(const hy_type *type)
{
    int64_t n = hy__traits[type->dtype].size;
    int d;
    for (d = 0; d < type->shape.ndim; d++) {
        int64_t size = type->shape.dim[d];
        if (size == 0) return 0;
        if (size < 0 || n > ((int64_t)1 << 50) / size) return -1;
        n *= size;
    }
    return n;
}

static int hy__same_shape(const hy_shape *a, const hy_shape *b)
{
    return a->ndim == b->ndim &&
           (a->ndim <= 0 || !memcmp(a->dim, b->dim, (size_t)a->ndim * sizeof *a->dim));
}

static hy_shape hy__no_shape(void)
{
    hy_shape s;
    s.ndim = -1;
    return s;
}

static void hy__pack_strides(hy_tensor *t)
{
    int64_t step = 1;
    int d;
    for (d = t->type.shape.ndim - 1; d >= 0; d--) { t->stride[d] = step; step *= t->type.shape.dim[d]; }
}

static int hy__packed(const hy_tensor *t)
{
    int64_t step = 1;
    int d;
    for (d = t->type.shape.ndim - 1; d >= 0; d--) {
        int64_t n = t->type.shape.dim[d];
        if (n != 1 && t->stride[d] != step) return n == 0;
        step *= n;
    }
    return 1;
}

/* A negative axis counts from the end; -1 when out of range. */
static int hy__axis(int axis, int ndim)
{
    if (axis < 0) axis += ndim;
    return axis >= 0 && axis < ndim ? axis : -1;
}

/* NumPy's rule for two dims: equal, or one of them 1. Unknown stays unknown unless the other decides. -2: clash */
static int64_t hy__broadcast_dim(int64_t a, int64_t b)
{
    if (a == b || b == 1) return a;
    if (a == 1) return b;
    if (a < 0) return b;
    return b < 0 ? a : -2;
}

/* --- walks --- *
 * Several tensors of one shape, side by side: dims that every tensor passes without a gap become one, and
 * dims of size 1 vanish, so that the innermost loop is as long as can be. */
enum { HY__WALK = 4 };
typedef struct hy__walk {
    int     n, ndim;
    int64_t dim[HY_MAX_DIM], stride[HY__WALK][HY_MAX_DIM];      /* innermost dim last */
} hy__walk;

/* stride[k] must have room for shape->ndim entries. */
static void hy__walk_init(hy__walk *w, const hy_shape *shape, int n, const int64_t (*stride)[HY_MAX_DIM])
{
    int d, k;
    w->n = n;
    w->ndim = 0;
    for (d = 0; d < shape->ndim; d++) {
        int at = w->ndim, joins = at > 0;
        if (shape->dim[d] == 1) continue;
        for (k = 0; k < n; k++) joins &= at && w->stride[k][at - 1] == stride[k][d] * shape->dim[d];
        if (joins) {
            w->dim[at - 1] *= shape->dim[d];
            for (k = 0; k < n; k++) w->stride[k][at - 1] = stride[k][d];
            continue;
        }
        w->dim[at] = shape->dim[d];
        for (k = 0; k < n; k++) w->stride[k][at] = stride[k][d];
        w->ndim++;
    }
    if (!w->ndim) {
        w->ndim = 1;
        w->dim[0] = 1;
        for (k = 0; k < n; k++) w->stride[k][0] = 0;
    }
}

/* Strides of t when it is broadcast to a shape of ndim dims. */
static void hy__broadcast_strides(const hy_tensor *t, int ndim, int64_t *stride)
{
    int d, shift = ndim - t->type.shape.ndim;
    for (d = 0; d < ndim; d++)
        stride[d] = d < shift || t->type.shape.dim[d - shift] == 1 ? 0 : t->stride[d - shift];
}

/* Where flat position i stands: coordinates, and the offset of each tensor. */
static void hy__walk_seek(const hy__walk *w, int64_t i, int64_t *at, int64_t *offset)
{
    int d, k;
    for (k = 0; k < w->n; k++) offset[k] = 0;
    for (d = w->ndim - 1; d >= 0; d--) {
        at[d] = i % w->dim[d];
        i /= w->dim[d];
        for (k = 0; k < w->n; k++) offset[k] += at[d] * w->stride[k][d];
    }
}

/* The next row: coordinates above the innermost dim move on by one. */
static void hy__walk_next(const hy__walk *w, int64_t *at, int64_t *offset)
{
    int d, k;
    for (k = 0; k < w->n; k++) offset[k] -= at[w->ndim - 1] * w->stride[k][w->ndim - 1];
    at[w->ndim - 1] = 0;
    for (d = w->ndim - 2; d >= 0; d--) {
        for (k = 0; k < w->n; k++) offset[k] += w->stride[k][d];
        if (++at[d] < w->dim[d]) return;
        for (k = 0; k < w->n; k++) offset[k] -= w->stride[k][d] * w->dim[d];
        at[d] = 0;
    }
}

/* MARK: - 15 >>array ------------------------------------------------------------------------------------
 *
 * Arrays as data: making, converting, reading and writing, views, text. Elements of any type are read into
 * tiles of one of four compute types (f32, f64, i32, i64) and written back from them. Between integers a
 * conversion wraps; from floats it goes toward zero and saturates, NaN becoming 0.
 */

/* --- tiles --- */
#define HY__EACH(type, expr) \
    { const type *from = (const type *)src; for (i = 0; i < n; i++) { type v = from[i * stride]; dst[i] = expr; } break; }
#define HY__LOAD_TILE(name, T, FROM_FLOAT) \
    static void hy__load_##name(T *dst, const void *src, hy_dtype dtype, int64_t stride, int64_t n) \
    { \
        int64_t i; \
        switch (dtype) { \
        case HY_F32:  HY__EACH(float,    FROM_FLOAT(v)) \
        case HY_F64:  HY__EACH(double,   FROM_FLOAT(v)) \
        case HY_F16:  HY__EACH(uint16_t, FROM_FLOAT(hy__f16_to_f32(v))) \
        case HY_BF16: HY__EACH(uint16_t, FROM_FLOAT(hy__bf16_to_f32(v))) \
        case HY_I8:   HY__EACH(int8_t,   (T)v) \
        case HY_U8:   HY__EACH(uint8_t,  (T)v) \
        case HY_I32:  HY__EACH(int32_t,  (T)v) \
        case HY_I64:  HY__EACH(int64_t,  (T)v) \
        case HY_BOOL: HY__EACH(uint8_t,  (T)(v != 0)) \
        default: break; \
        } \
    }
#define HY__AS_F32(v) (float)(v)
#define HY__AS_F64(v) (double)(v)
#define HY__AS_I8(v)  (int8_t)hy__clamp_i64(hy__to_i64((double)(v)), INT8_MIN, INT8_MAX)
#define HY__AS_U8(v)  (uint8_t)hy__clamp_i64(hy__to_i64((double)(v)), 0, UINT8_MAX)
#define HY__AS_I32(v) (int32_t)hy__clamp_i64(hy__to_i64((double)(v)), INT32_MIN, INT32_MAX)
#define HY__AS_I64(v) hy__to_i64((double)(v))
#define HY__WRAP_I8(v)  (int8_t)(v)
#define HY__WRAP_U8(v)  (uint8_t)(v)
#define HY__WRAP_I32(v) (int32_t)(v)
#define HY__WRAP_I64(v) (int64_t)(v)
HY__LOAD_TILE(f32, float,   HY__AS_F32)
HY__LOAD_TILE(f64, double,  HY__AS_F64)
HY__LOAD_TILE(i32, int32_t, HY__AS_I32)
HY__LOAD_TILE(i64tile, int64_t, HY__AS_I64)
#undef HY__EACH

#define HY__EACH(type, expr) \
    { type *to = (type *)dst; for (i = 0; i < n; i++) { T v = src[i]; to[i * stride] = expr; } break; }
#define HY__STORE_TILE(name, type, I8, U8, I32, I64) \
    static void hy__store_##name(void *dst, hy_dtype dtype, int64_t stride, const type *src, int64_t n) \
    { \
        typedef type T; \
        int64_t i; \
        switch (dtype) { \
        case HY_F32:  HY__EACH(float,    (float)v) \
        case HY_F64:  HY__EACH(double,   (double)v) \
        case HY_F16:  HY__EACH(uint16_t, hy__f32_to_f16((float)v)) \
        case HY_BF16: HY__EACH(uint16_t, hy__f32_to_bf16((float)v)) \
        case HY_I8:   HY__EACH(int8_t,   I8(v)) \
        case HY_U8:   HY__EACH(uint8_t,  U8(v)) \
        case HY_I32:  HY__EACH(int32_t,  I32(v)) \
        case HY_I64:  HY__EACH(int64_t,  I64(v)) \
        case HY_BOOL: HY__EACH(uint8_t,  v != 0) \
        default: break; \
        } \
    }
HY__STORE_TILE(f32, float,   HY__AS_I8, HY__AS_U8, HY__AS_I32, HY__AS_I64)
HY__STORE_TILE(f64, double,  HY__AS_I8, HY__AS_U8, HY__AS_I32, HY__AS_I64)
HY__STORE_TILE(i32, int32_t, HY__WRAP_I8, HY__WRAP_U8, HY__WRAP_I32, HY__WRAP_I64)
HY__STORE_TILE(i64, int64_t, HY__WRAP_I8, HY__WRAP_U8, HY__WRAP_I32, HY__WRAP_I64)
#undef HY__EACH

enum { HY__TILE = 256 };                /* elements: 2 KB of doubles */

static void hy__load_tile(hy_dtype compute, void *dst, const void *src, hy_dtype dtype, int64_t stride, int64_t n)
{
    switch (compute) {
    case HY_F64: hy__load_f64((double *)dst, src, dtype, stride, n); break;
    case HY_I32: hy__load_i32((int32_t *)dst, src, dtype, stride, n); break;
    case HY_I64: hy__load_i64tile((int64_t *)dst, src, dtype, stride, n); break;
    default:     hy__load_f32((float *)dst, src, dtype, stride, n);
    }
}
static void hy__store_tile(hy_dtype compute, void *dst, hy_dtype dtype, int64_t stride, const void *src, int64_t n)
{
    switch (compute) {
    case HY_F64: hy__store_f64(dst, dtype, stride, (const double *)src, n); break;
    case HY_I32: hy__store_i32(dst, dtype, stride, (const int32_t *)src, n); break;
    case HY_I64: hy__store_i64(dst, dtype, stride, (const int64_t *)src, n); break;
    default:     hy__store_f32(dst, dtype, stride, (const float *)src, n);
    }
}

/* The type in which a conversion loses nothing it need not lose. */
static hy_dtype hy__convert_through(hy_dtype from, hy_dtype to)
{
    if (!hy__floating(from)) return from == HY_I64 ? HY_I64 : HY_I32;
    return from == HY_F64 || to == HY_F64 ? HY_F64 : HY_F32;
}

static void hy__copy_run(void *dst, hy_dtype to, int64_t to_stride, const void *src, hy_dtype from, int64_t stride,
                         int64_t n)
{
    double tile[HY__TILE];
    hy_dtype through = hy__convert_through(from, to);
    int64_t i, k;
    if (from == to && stride == 1 && to_stride == 1) {
        memcpy(dst, src, (size_t)n * hy_dtype_size(to));
        return;
    }
    for (i = 0; i < n; i += k) {
        k = n - i < HY__TILE ? n - i : HY__TILE;
        hy__load_tile(through, tile, (const char *)src + i * stride * hy__traits[from].size, from, stride, k);
        hy__store_tile(through, (char *)dst + i * to_stride * hy__traits[to].size, to, to_stride, tile, k);
    }
}

/* dst[:] = src, any strides and types; src is broadcast. */
static void hy__copy_tensor(const hy_tensor *dst, const hy_tensor *src)
{
    int64_t stride[2][HY_MAX_DIM], at[HY_MAX_DIM], offset[HY__WALK], i, n = hy__size(&dst->type.shape), row;
    int tall = hy__traits[dst->type.dtype].size, tall_src = hy__traits[src->type.dtype].size;
    hy__walk w;
    if (!n) return;
    memcpy(stride[0], dst->stride, sizeof stride[0]);
    hy__broadcast_strides(src, dst->type.shape.ndim, stride[1]);
    hy__walk_init(&w, &dst->type.shape, 2, (const int64_t (*)[HY_MAX_DIM])stride);
    row = w.dim[w.ndim - 1];
    hy__walk_seek(&w, 0, at, offset);
    for (i = 0; i < n; i += row) {
        hy__copy_run((char *)dst->data + offset[0] * tall, dst->type.dtype, w.stride[0][w.ndim - 1],
                     (const char *)src->data + offset[1] * tall_src, src->type.dtype, w.stride[1][w.ndim - 1], row);
        hy__walk_next(&w, at, offset);
    }
}

/* --- making --- */
static int hy__check_type(hy_frame *F, const hy_type *type, const char *who)
{
    int d;
    if ((unsigned)type->dtype - 1 >= HY_DTYPE_COUNT - 1) {
        hy__fail(F, HY_ERROR_DTYPE, "%s: %d is no dtype", who, (int)type->dtype);
        return 0;
    }
    if (type->shape.ndim < 0 || type->shape.ndim > HY_MAX_DIM) {
        hy__fail(F, HY_ERROR_SHAPE, "%s: %d dims; from 0 to %d are possible", who, type->shape.ndim, (int)HY_MAX_DIM);
        return 0;
    }
    for (d = 0; d < type->shape.ndim; d++)
        if (type->shape.dim[d] < 0) {
            hy__fail(F, HY_ERROR_SHAPE, "%s: shape %z has a negative or unknown size", who, &type->shape);
            return 0;
        }
    if (hy__bytes(type) < 0) {
        hy__fail(F, HY_ERROR_SHAPE, "%s: shape %z is too large to be addressed", who, &type->shape);
        return 0;
    }
    return 1;
}

/* An array of a checked type, not filled. */
static hy_array *hy__make(hy_frame *F, const hy_type *type, const char *who)
{
    hy_array *x = hy__handle(F);
    if (!x) return NULL;
    x->buffer = hy__buffer_new(&F->cache, (size_t)hy__bytes(type));
    if (!x->buffer) return (hy_array *)hy__no_memory(F, who);
    x->t.type = *type;
    x->t.data = x->buffer->data;
    hy__pack_strides(&x->t);
    return x;
}

static hy_array *hy__make_checked(hy_frame *F, hy_shape shape, hy_dtype dtype, const char *who)
{
    hy_type type;
    if (!F || F->code) return NULL;
    type.dtype = dtype;
    type.shape = shape;
    return hy__check_type(F, &type, who) ? hy__make(F, &type, who) : NULL;
}

HY_API hy_array *hy_empty(hy_frame *F, hy_shape shape, hy_dtype dtype)
{
    return hy__make_checked(F, shape, dtype, "hy_empty");
}

HY_API hy_array *hy_from(hy_frame *F, hy_shape shape, hy_dtype dtype, const void *data)
{
    hy_array *x = hy__make_checked(F, shape, dtype, "hy_from");
    if (!x) return NULL;
    if (!data && hy__size(&shape)) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_from: the data is NULL");
        return NULL;
    }
    if (data) memcpy(x->t.data, data, (size_t)hy__bytes(&x->t.type));
    return x;
}

HY_API hy_array *hy_floats(hy_frame *F, hy_shape shape, const float *data) { return hy_from(F, shape, HY_F32, data); }

HY_API hy_array *hy_borrow(hy_frame *F, hy_shape shape, hy_dtype dtype, void *data)
{
    hy_array *x;
    hy_type type;
    if (!F || F->code) return NULL;
    type.dtype = dtype;
    type.shape = shape;
    if (!hy__check_type(F, &type, "hy_borrow")) return NULL;
    if (!data || (uintptr_t)data % hy_dtype_size(dtype)) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_borrow: the memory is %s", data ? "not aligned for its type" : "NULL");
        return NULL;
    }
    x = hy__handle(F);
    if (!x) return NULL;
    x->buffer = hy__buffer_borrow(&F->cache, data, (size_t)hy__bytes(&type));
    if (!x->buffer) return (hy_array *)hy__no_memory(F, "hy_borrow");
    x->t.type = type;
    x->t.data = data;
    hy__pack_strides(&x->t);
    return x;
}

HY_API hy_array *hy_scalar(hy_frame *F, double value) { return hy_full(F, HY_SCALAR, value); }
HY_API hy_array *hy_zeros(hy_frame *F, hy_shape shape) { return hy__zeros(F, shape, NULL); }
HY_API hy_array *hy_ones(hy_frame *F, hy_shape shape) { return hy__ones(F, shape, NULL); }
HY_API hy_array *hy_full(hy_frame *F, hy_shape shape, double value) { return hy__full(F, shape, value, NULL); }
HY_API hy_array *hy_arange(hy_frame *F, double start, double stop, double step)
{
    return hy__arange(F, start, stop, step, NULL);
}
HY_API hy_array *hy_linspace(hy_frame *F, double start, double stop, int64_t num)
{
    return hy__linspace(F, start, stop, num, NULL);
}
HY_API hy_array *hy_eye(hy_frame *F, int64_t rows, int64_t columns, int64_t k)
{
    return hy__eye(F, rows, columns, k, NULL);
}
HY_API hy_array *hy_uniform(hy_frame *F, hy_shape shape, double low, double high)
{
    return hy_random_uniform(F, shape, low, high, NULL);
}
HY_API hy_array *hy_normal(hy_frame *F, hy_shape shape, double loc, double scale)
{
    return hy_random_normal(F, shape, loc, scale, NULL);
}
HY_API hy_array *hy_randint(hy_frame *F, hy_shape shape, int64_t low, int64_t high)
{
    return hy_random_randint(F, shape, low, high, NULL);
}
HY_API hy_array *hy_copy(hy_frame *F, hy_array *x) { return hy_identity(F, x); }

/* --- asking --- */

/* Known shapes and types may be asked for while tracing too. */
static int hy__typed(hy_frame *F, const hy_array *x, const char *who, const char *what)
{
    if (!hy__alive(F, x, who)) return 0;
    if (x->count) hy__fail(F, HY_ERROR_ARGUMENT, "%s: a group of %d arrays: use hy_get", who, x->count);
    else if (x->t.type.shape.ndim < 0 && !strcmp(what, "shape"))
        hy__fail(F, HY_ERROR_TRACE, "%s: 'Symbol' object has no attribute 'shape': %s was made without one; give "
                 "hy_var a shape, or use reshape codes, shape_array, reshape_like", who, x->node->name);
    else if (!x->t.type.dtype)
        hy__fail(F, HY_ERROR_TRACE, "%s: 'Symbol' object has no attribute 'dtype': %s was made without one; give "
                 "hy_var a dtype", who, x->node->name);
    else return 1;
    return 0;
}

HY_API int hy_ndim(hy_frame *F, hy_array *x)
{
    return hy__typed(F, x, "hy_ndim", "shape") ? x->t.type.shape.ndim : 0;
}
HY_API hy_shape hy_shape_of(hy_frame *F, hy_array *x)
{
    return hy__typed(F, x, "hy_shape_of", "shape") ? x->t.type.shape : hy__no_shape();
}
HY_API int64_t hy_size(hy_frame *F, hy_array *x)
{
    return hy__typed(F, x, "hy_size", "shape") ? hy__size(&x->t.type.shape) : 0;
}
HY_API hy_dtype hy_dtype_of(hy_frame *F, hy_array *x)
{
    return hy__typed(F, x, "hy_dtype_of", "dtype") ? x->t.type.dtype : HY_DTYPE_NONE;
}
HY_API int64_t hy_dim(hy_frame *F, hy_array *x, int axis)
{
    int at;
    if (!hy__typed(F, x, "hy_dim", "shape")) return 0;
    at = hy__axis(axis, x->t.type.shape.ndim);
    if (at >= 0) return x->t.type.shape.dim[at];
    hy__fail(F, HY_ERROR_INDEX, "hy_dim: axis %d of shape %z", axis, &x->t.type.shape);
    return 0;
}
HY_API const char *hy_context_of(hy_frame *F, hy_array *x)
{
    return hy__concrete(F, x, "hy_context_of", "nothing: hybrid.h computes on the CPU only") ? "cpu(0)" : NULL;
}

/* --- reading and writing --- */

/* The same array, or a packed copy of a strided one in this scope. */
static hy_array *hy__packed_array(hy_frame *F, hy_array *x)
{
    hy_array *y;
    if (hy__packed(&x->t)) return x;
    y = hy__make(F, &x->t.type, "copy");
    if (y) hy__copy_tensor(&y->t, &x->t);
    return y;
}

/* May x be overwritten? */
static int hy__writable(hy_frame *F, hy_array *x, const char *who)
{
    if (!hy__concrete(F, x, who, "where, slice_axis and concat to build the changed array")) return 0;
    if (HY__LOAD(&x->buffer->pins)) {
        hy__fail(F, HY_ERROR_STATE, "%s: a recorded backward still needs the value of this array: run hy_backward "
                 "first, or write to a hy_copy", who);
        return 0;
    }
    x->buffer->version++;
    return 1;
}

HY_API const void *hy_data(hy_frame *F, hy_array *x)
{
    if (!hy__concrete(F, x, "hy_data", "operators: slice, take, pick, where")) return NULL;
    if (!hy__packed(&x->t)) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_data: a strided view is not packed: use hy_copy");
        return NULL;
    }
    return x->t.data;
}

HY_API void *hy_write(hy_frame *F, hy_array *x)
{
    if (!hy__writable(F, x, "hy_write")) return NULL;
    if (!hy__packed(&x->t)) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_write: a strided view is not packed: use hy_assign or hy_set_value");
        return NULL;
    }
    return x->t.data;
}

HY_API void hy_touch(hy_frame *F, hy_array *x) { hy__writable(F, x, "hy_touch"); }

static char *hy__element(hy_frame *F, hy_array *x, const hy_shape *index, const char *who)
{
    int64_t at = 0;
    int d;
    if (index->ndim != x->t.type.shape.ndim) {
        hy__fail(F, HY_ERROR_INDEX, "%s: %d indices for shape %z", who, index->ndim, &x->t.type.shape);
        return NULL;
    }
    for (d = 0; d < index->ndim; d++) {
        int64_t n = x->t.type.shape.dim[d], i = index->dim[d];
        if (i < -n || i >= n) {
            hy__fail(F, HY_ERROR_INDEX, "%s: index %l on axis %d of shape %z", who, i, d, &x->t.type.shape);
            return NULL;
        }
        at += (i < 0 ? i + n : i) * x->t.stride[d];
    }
    return (char *)x->t.data + at * hy__traits[x->t.type.dtype].size;
}

HY_API double hy_value_of(hy_frame *F, hy_array *x, hy_shape index)
{
    const char *at;
    if (!hy__concrete(F, x, "hy_value", "slice, take or pick")) return 0;
    at = hy__element(F, x, &index, "hy_value");
    return at ? hy__load(at, x->t.type.dtype) : 0;
}

HY_API void hy_set_value_of(hy_frame *F, hy_array *x, hy_shape index, double value)
{
    char *at;
    if (!hy__alive(F, x, "hy_set_value")) return;
    if (x->node) {
        hy__fail(F, HY_ERROR_TRACE, "hy_set_value: 'Symbol' object does not support item assignment: use where");
        return;
    }
    if (!hy__writable(F, x, "hy_set_value")) return;
    at = hy__element(F, x, &index, "hy_set_value");
    if (at) hy__store(at, x->t.type.dtype, value);
}

HY_API double hy_item(hy_frame *F, hy_array *x)
{
    if (!hy__concrete(F, x, "hy_item", "the array itself")) return 0;
    if (hy__size(&x->t.type.shape) == 1) return hy__load(x->t.data, x->t.type.dtype);
    hy__fail(F, HY_ERROR_SHAPE, "hy_item: shape %z has not one element", &x->t.type.shape);
    return 0;
}

/* Can a value of shape b be written over an array of shape a? */
static int hy__fits(const hy_shape *a, const hy_shape *b)
{
    int d, shift = a->ndim - b->ndim;
    if (shift < 0) return 0;
    for (d = 0; d < b->ndim; d++) if (b->dim[d] != 1 && b->dim[d] != a->dim[d + shift]) return 0;
    return 1;
}

HY_API void hy_assign(hy_frame *F, hy_array *x, hy_array *value)
{
    hy_array *from;
    if (!hy__concrete(F, value, "hy_assign", "the value itself: write a = a + b") || !hy__writable(F, x, "hy_assign"))
        return;
    if (!hy__fits(&x->t.type.shape, &value->t.type.shape)) {
        hy__fail(F, HY_ERROR_SHAPE, "hy_assign: a value of shape %z does not fit shape %z", &value->t.type.shape,
                 &x->t.type.shape);
        return;
    }
    from = value;
    if (x->buffer == value->buffer) {                   /* the two may overlap */
        from = hy__make(F, &value->t.type, "hy_assign");
        if (!from) return;
        hy__copy_tensor(&from->t, &value->t);
    }
    hy__copy_tensor(&x->t, &from->t);
}

HY_API void hy_fill(hy_frame *F, hy_array *x, double value)
{
    hy_tensor one;
    if (!hy__writable(F, x, "hy_fill")) return;
    one.type.dtype = HY_F64;
    one.type.shape = HY_SCALAR;
    one.data = &value;
    hy__copy_tensor(&x->t, &one);
}

HY_API size_t hy_to(hy_frame *F, hy_array *x, hy_dtype dtype, void *buffer, size_t bytes)
{
    hy_tensor to;
    size_t need;
    if (!hy__concrete(F, x, "hy_to", "the graph's outputs")) return 0;
    to.type = x->t.type;
    to.type.dtype = dtype;
    if (!hy__check_type(F, &to.type, "hy_to")) return 0;
    need = (size_t)hy__bytes(&to.type);
    if (!need) return 0;
    if (!buffer || bytes < need) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_to: %l bytes are needed, %l given", (int64_t)need, (int64_t)bytes);
        return 0;
    }
    to.data = buffer;
    hy__pack_strides(&to);
    hy__copy_tensor(&to, &x->t);
    return need;
}

/* --- views --- */
static hy_array *hy__view(hy_frame *F, hy_array *x, const char *who, const char *instead)
{
    hy_array *v;
    if (!hy__concrete(F, x, who, instead)) return NULL;
    if (x->tape && F->recording) {
        hy__fail(F, HY_ERROR_GRADIENT, "%s: a view would hide this array from the gradient: use %s", who, instead);
        return NULL;
    }
    v = hy__handle(F);
    if (!v) return NULL;
    v->t = x->t;
    v->buffer = hy__buffer_hold(x->buffer);
    return v;
}

static void hy__drop_axis(hy_tensor *t, int axis)
{
    int d;
    for (d = axis; d + 1 < t->type.shape.ndim; d++) {
        t->type.shape.dim[d] = t->type.shape.dim[d + 1];
        t->stride[d] = t->stride[d + 1];
    }
    t->type.shape.ndim--;
}

HY_API hy_array *hy_view_slice(hy_frame *F, hy_array *x, int axis, int64_t begin, int64_t end, int64_t step)
{
    hy_array *v = hy__view(F, x, "hy_view_slice", "hy_slice_axis");
    int at = v ? hy__axis(axis, v->t.type.shape.ndim) : -1;
    int64_t n;
    if (!v) return NULL;
    if (at < 0 || step == 0) {
        hy__fail(F, HY_ERROR_INDEX, "hy_view_slice: axis %d, step %l of shape %z", axis, step, &v->t.type.shape);
        return NULL;
    }
    n = v->t.type.shape.dim[at];
    begin = begin == HY_NONE ? (step > 0 ? 0 : n - 1) : hy__clamp_i64(begin < 0 ? begin + n : begin, step > 0 ? 0 : -1, step > 0 ? n : n - 1);
    end = end == HY_NONE ? (step > 0 ? n : -1) : hy__clamp_i64(end < 0 ? end + n : end, step > 0 ? 0 : -1, step > 0 ? n : n - 1);
    n = step > 0 ? (end - begin + step - 1) / step : (begin - end - step - 1) / -step;
    if (n < 0) n = 0;
    if (n) v->t.data = (char *)v->t.data + begin * v->t.stride[at] * hy__traits[v->t.type.dtype].size;
    v->t.type.shape.dim[at] = n;
    v->t.stride[at] *= step;
    return v;
}

HY_API hy_array *hy_view_index(hy_frame *F, hy_array *x, int axis, int64_t index)
{
    hy_array *v = hy__view(F, x, "hy_view_index", "hy_slice_axis and hy_reshape");
    int at = v ? hy__axis(axis, v->t.type.shape.ndim) : -1;
    int64_t n;
    if (!v) return NULL;
    n = at < 0 ? 0 : v->t.type.shape.dim[at];
    if (index < -n || index >= n) {
        hy__fail(F, HY_ERROR_INDEX, "hy_view_index: index %l on axis %d of shape %z", index, axis, &v->t.type.shape);
        return NULL;
    }
    v->t.data = (char *)v->t.data + (index < 0 ? index + n : index) * v->t.stride[at] * hy__traits[v->t.type.dtype].size;
    hy__drop_axis(&v->t, at);
    return v;
}

/* The order of axes that `axes` asks for: none given reverses. 0 when it is no permutation. */
static int hy__permutation(const hy_ints *axes, int ndim, int *order)
{
    int d, seen = 0;
    for (d = 0; d < ndim; d++) order[d] = ndim - 1 - d;
    if (axes->n <= 0) return 1;
    if (axes->n != ndim) return 0;
    for (d = 0; d < ndim; d++) {
        int64_t a = axes->v[d] < 0 ? axes->v[d] + ndim : axes->v[d];
        if (a < 0 || a >= ndim || seen >> a & 1) return 0;
        seen |= 1 << a;
        order[d] = (int)a;
    }
    return 1;
}

HY_API hy_array *hy_view_transpose(hy_frame *F, hy_array *x, hy_ints axes)
{
    hy_array *v = hy__view(F, x, "hy_view_transpose", "hy_transpose");
    int order[HY_MAX_DIM], d;
    if (!v) return NULL;
    if (!hy__permutation(&axes, v->t.type.shape.ndim, order)) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_view_transpose: the axes are no order of the axes of %z", &v->t.type.shape);
        return NULL;
    }
    for (d = 0; d < v->t.type.shape.ndim; d++) {
        v->t.type.shape.dim[d] = x->t.type.shape.dim[order[d]];
        v->t.stride[d] = x->t.stride[order[d]];
    }
    return v;
}

HY_API hy_array *hy_view_reshape(hy_frame *F, hy_array *x, hy_shape shape)
{
    hy_array *v = hy__view(F, x, "hy_view_reshape", "hy_reshape");
    hy_type type;
    if (!v) return NULL;
    type.dtype = v->t.type.dtype;
    type.shape = shape;
    if (!hy__check_type(F, &type, "hy_view_reshape")) return NULL;
    if (!hy__packed(&v->t) || hy__size(&shape) != hy__size(&v->t.type.shape)) {
        hy__fail(F, HY_ERROR_SHAPE, "hy_view_reshape: %z as %z: %s", &v->t.type.shape, &shape,
                 hy__packed(&v->t) ? "another number of elements" : "the view is not packed");
        return NULL;
    }
    v->t.type = type;
    hy__pack_strides(&v->t);
    return v;
}

/* --- text --- */
/* ---- Arrays as text, laid out like str() of a NumPy 1.x array with default options ---- */

typedef struct hy__sink {
    void (*put)(void *user, const char *text, size_t n);
    void *user;
} hy__sink;

typedef enum { HY__LOOK_FLOAT, HY__LOOK_INT, HY__LOOK_BOOL } hy__look;

enum { HY__SHOW_ALL = 1000, HY__EDGE = 3, HY__LINE_WIDTH = 75, HY__FRACTION = 8, HY__MAX_WALK = 8 };

typedef struct hy__shown {
    int ndim, as, folded; /* folded: long axes show HY__EDGE items at either end */
    const int64_t *dim;
    hy__look look;
    double (*get_f)(const void *, int64_t flat);
    int64_t (*get_i)(const void *, int64_t flat);
    const void *array;
    int64_t at[HY__MAX_WALK]; /* the walk over what is shown, row by row */
} hy__shown;

/* What all numbers of an array share: the widths left and right of the point, and if `sci` is set the digits
   behind it and those of the exponent. */
typedef struct hy__style {
    int sci, left, right, fraction, exponent_digits;
} hy__style;

static int hy__is_folded(const hy__shown *s, int axis)
{
    return s->folded && s->dim[axis] > 2 * HY__EDGE;
}

static int64_t hy__flat_at(const hy__shown *s)
{
    int64_t flat = 0;
    for (int axis = 0; axis < s->ndim; axis++) {
        int64_t i = s->at[axis];
        if (hy__is_folded(s, axis) && i >= HY__EDGE) i += s->dim[axis] - 2 * HY__EDGE;
        flat = flat * s->dim[axis] + i;
    }
    return flat;
}

/* Returns the axis that moved on, the ones behind it start again; -1 (and all start again) at the end. */
static int hy__walk_on(hy__shown *s)
{
    int axis = s->ndim - 1;
    for (; axis >= 0; axis--) {
        int64_t count = hy__is_folded(s, axis) ? 2 * HY__EDGE : s->dim[axis];
        if (++s->at[axis] < count) break;
        s->at[axis] = 0;
    }
    return axis;
}

static double hy__float_at(const hy__shown *s)
{
    return s->get_f(s->array, hy__flat_at(s));
}

/* Whether a number is too large, too small or too far from another for positional text. NumPy divides in the
   array's own type, so the ratio is rounded to it: the first f16 past 1000 is 1000.5. Bits are compared, as a
   host may have set the CPU to take subnormals for 0. */
static int hy__wants_scientific(hy__shown *s)
{
    uint64_t least_bits = UINT64_MAX, most_bits = 0;
    double least, most, ratio;
    do {
        double v = hy__float_at(s);
        uint64_t magnitude = hy__f64_bits(v) & ~((uint64_t)1 << 63);
        if (hy__class_of(v) != HY__FINITE || magnitude == 0) continue;
        if (magnitude < least_bits) least_bits = magnitude;
        if (magnitude > most_bits) most_bits = magnitude;
    } while (hy__walk_on(s) >= 0);
    if (most_bits == 0) return 0;
    memcpy(&least, &least_bits, sizeof least);
    memcpy(&most, &most_bits, sizeof most);
    if (most >= 1e8 || least < 1e-4) return 1;
    ratio = most / least;
    return s->as == HY__AS_F64 ? ratio > 1000 : s->as == HY__AS_F16 ? ratio > 1000.25 : (float)ratio > 1000;
}

static int hy__max_int(int a, int b)
{
    return a > b ? a : b;
}

static void hy__float_style(hy__shown *s, hy__style *style)
{
    hy__cut cut = {0, 0, HY__FRACTION};
    int special = 0;
    cut.from_first = style->sci = hy__wants_scientific(s);
    style->exponent_digits = 2;
    do {
        hy__decimal d;
        char text[40];
        int point = 0, n;
        hy__to_decimal(&d, hy__float_at(s), s->as, cut);
        if (d.kind != HY__FINITE) {
            special = hy__max_int(special, 3 + d.negative);
        } else if (style->sci) {
            style->left = hy__max_int(style->left, 1 + d.negative);
            style->fraction = hy__max_int(style->fraction, d.n - 1);
            if (d.power <= -100 || d.power >= 100) style->exponent_digits = 3;
        } else {
            n = hy__text_positional(text, &d, &point);
            style->left = hy__max_int(style->left, point);
            style->right = hy__max_int(style->right, n - point - 1);
        }
    } while (hy__walk_on(s) >= 0);
    if (style->left && style->sci) style->right = style->fraction + 2 + style->exponent_digits;
    style->left = hy__max_int(style->left, special - style->right - 1);
}

static void hy__int_style(hy__shown *s, hy__style *style)
{
    char text[24];
    do style->left = hy__max_int(style->left, hy__text_i64(text, s->get_i(s->array, hy__flat_at(s))));
    while (hy__walk_on(s) >= 0);
}

/* Spaces wait until something follows on the same line; `column` counts them at once. */
typedef struct hy__lines {
    hy__sink out;
    int column, spaces;
} hy__lines;

static void hy__lines_space(hy__lines *l, int n)
{
    l->spaces += n;
    l->column += n;
}

static void hy__lines_put(hy__lines *l, const char *text, int n)
{
    for (; l->spaces > 0; l->spaces--) l->out.put(l->out.user, " ", 1);
    l->out.put(l->out.user, text, (size_t)n);
    l->column += n;
}

static void hy__lines_break(hy__lines *l, int breaks, int indent)
{
    for (; breaks > 0; breaks--) l->out.put(l->out.user, "\n", 1);
    l->spaces = l->column = indent;
}

/* A word goes to the next line if it is too long for this one, unless it is the first on it. */
static void hy__lines_word(hy__lines *l, int ndim, int left, const char *text, int n, int right)
{
    if (l->column + left + n + right > HY__LINE_WIDTH - ndim && l->column > ndim) hy__lines_break(l, 1, ndim);
    hy__lines_space(l, left);
    hy__lines_put(l, text, n);
    hy__lines_space(l, right);
}

static void hy__put_number(hy__lines *l, const hy__shown *s, const hy__style *style)
{
    char text[40];
    int n, point = 0, left, right = 0;
    if (s->look == HY__LOOK_FLOAT) {
        hy__decimal d;
        hy__cut cut = {0, 0, HY__FRACTION};
        if (style->sci) {
            cut.from_first = 1;
            cut.least = cut.most = style->fraction;
        }
        hy__to_decimal(&d, hy__float_at(s), s->as, cut);
        if (d.kind != HY__FINITE) {
            n = hy__text_special(text, &d);
            left = style->left + 1 + style->right - n;
        } else if (style->sci) {
            n = hy__text_scientific(text, &d, style->fraction, style->exponent_digits);
            left = style->left - 1 - d.negative;
        } else {
            n = hy__text_positional(text, &d, &point);
            left = style->left - point;
            right = style->right - (n - point - 1);
        }
    } else if (s->look == HY__LOOK_INT) {
        n = hy__text_i64(text, s->get_i(s->array, hy__flat_at(s)));
        left = style->left - n;
    } else {
        int yes = s->get_i(s->array, hy__flat_at(s)) != 0;
        n = 5 - yes;
        left = yes;
        memcpy(text, yes ? "True" : "False", (size_t)n);
    }
    hy__lines_word(l, s->ndim, left, text, n, right);
}

/* NumPy compares an f32 with the f64 1e-4, which makes 1e-4f "1e-04". */
static void hy__put_scalar(hy__lines *l, const hy__shown *s)
{
    char text[40];
    if (s->look == HY__LOOK_FLOAT) hy__lines_put(l, text, hy__text_float(text, hy__float_at(s), s->as, 1e-4));
    else if (s->look == HY__LOOK_INT) hy__lines_put(l, text, hy__text_i64(text, s->get_i(s->array, 0)));
    else if (s->get_i(s->array, 0)) hy__lines_put(l, "True", 4);
    else hy__lines_put(l, "False", 5);
}

/* Numbers in walking order. Where an outer axis moves on, the blocks inside it close, as many lines break
   and as many blocks open. */
static void hy__put_rows(hy__lines *l, hy__shown *s, const hy__style *style)
{
    static const char open[] = "[[[[[[[[", close[] = "]]]]]]]]";
    hy__lines_put(l, open, s->ndim);
    for (;;) {
        int axis, inner, skipped;
        hy__put_number(l, s, style);
        axis = hy__walk_on(s);
        if (axis < 0) break;
        inner = s->ndim - 1 - axis;
        skipped = hy__is_folded(s, axis) && s->at[axis] == HY__EDGE;
        if (inner) {
            hy__lines_put(l, close, inner);
            hy__lines_break(l, inner, axis + 1);
            if (skipped) {
                hy__lines_put(l, "...", 3);
                hy__lines_break(l, inner, axis + 1);
            }
            hy__lines_put(l, open, inner);
        } else {
            hy__lines_space(l, 1);
            if (skipped) {
                hy__lines_word(l, s->ndim, 0, "...", 3, 0);
                hy__lines_space(l, 1);
            }
        }
    }
    hy__lines_put(l, close, s->ndim);
}

/* Writes what NumPy's str(array) gives. ndim <= 8; is_f32: 0 f64, 1 f32, 2 f16, 3 bf16. */
static void hy__text_array(hy__sink out, int ndim, const int64_t *dim, hy__look look, int is_f32,
                           double (*get_f)(const void *, int64_t flat),
                           int64_t (*get_i)(const void *, int64_t flat), const void *array)
{
    hy__shown s;
    hy__lines l;
    hy__style style;
    int64_t size = 1;
    int empty = 0;
    memset(&s, 0, sizeof s);
    memset(&style, 0, sizeof style);
    for (int axis = 0; axis < ndim; axis++) {
        empty |= dim[axis] <= 0;
        size = empty ? 0 : dim[axis] > HY__SHOW_ALL / size ? HY__SHOW_ALL + 1 : size * dim[axis];
    }
    s.ndim = ndim;
    s.as = is_f32;
    s.folded = size > HY__SHOW_ALL;
    s.dim = dim;
    s.look = look;
    s.get_f = get_f;
    s.get_i = get_i;
    s.array = array;
    l.out = out;
    l.column = l.spaces = 0;
    if (empty) {
        hy__lines_put(&l, "[]", 2);
    } else if (ndim == 0) {
        hy__put_scalar(&l, &s);
    } else {
        if (look == HY__LOOK_FLOAT) hy__float_style(&s, &style);
        if (look == HY__LOOK_INT) hy__int_style(&s, &style);
        hy__put_rows(&l, &s, &style);
    }
}

static double hy__text_real_at(const void *array, int64_t flat)
{
    const hy_tensor *t = (const hy_tensor *)array;
    return hy__load((const char *)t->data + flat * hy__traits[t->type.dtype].size, t->type.dtype);
}
static int64_t hy__text_int_at(const void *array, int64_t flat)
{
    const hy_tensor *t = (const hy_tensor *)array;
    return hy__load_i64((const char *)t->data + flat * hy__traits[t->type.dtype].size, t->type.dtype);
}

/* [[1. 2.]], then <NDArray (1,2) float32>; a traced value is <Symbol name>. */
static void hy__describe(hy_frame *F, hy_array *x, hy__sink sink)
{
    char end[128];
    hy__line line;
    hy__look look;
    int kind;
    hy_array *y;
    int i;
    line.text = end;
    line.cap = sizeof end;
    line.n = 0;
    for (i = 0; i < x->count; i++) hy__describe(F, x->item[i], sink);
    if (x->count) return;
    if (x->node) {
        hy__puts(&line, "<Symbol ");
        hy__puts(&line, x->node->name);
        hy__puts(&line, ">\n");
        sink.put(sink.user, end, line.n);
        return;
    }
    hy_begin(F);
    y = hy__packed_array(F, x);
    if (y) {
        look = x->t.type.dtype == HY_BOOL ? HY__LOOK_BOOL : hy__floating(x->t.type.dtype) ? HY__LOOK_FLOAT : HY__LOOK_INT;
        kind = x->t.type.dtype == HY_F64 ? 0 : x->t.type.dtype == HY_F16 ? 2 : x->t.type.dtype == HY_BF16 ? 3 : 1;
        hy__text_array(sink, y->t.type.shape.ndim, y->t.type.shape.dim, look, kind, hy__text_real_at, hy__text_int_at,
                       &y->t);
        hy__puts(&line, "\n<NDArray ");
        hy__put_shape(&line, &x->t.type.shape);
        hy__puts(&line, " ");
        hy__puts(&line, hy_dtype_name(x->t.type.dtype));
        hy__puts(&line, ">\n");
        sink.put(sink.user, end, line.n);
    }
    hy_end(F);
}

typedef struct hy__buffer_sink { char *text; size_t n, cap; } hy__buffer_sink;
static void hy__sink_to_buffer(void *user, const char *text, size_t n)
{
    hy__buffer_sink *b = (hy__buffer_sink *)user;
    size_t i;
    for (i = 0; i < n; i++, b->n++) if (b->n + 1 < b->cap) b->text[b->n] = text[i];
}

HY_API size_t hy_text(hy_frame *F, hy_array *x, char *buffer, size_t bytes)
{
    hy__buffer_sink b;
    hy__sink sink;
    if (!hy__alive(F, x, "hy_text")) return 0;
    b.text = buffer;
    b.n = 0;
    b.cap = bytes;
    sink.put = hy__sink_to_buffer;
    sink.user = &b;
    hy__describe(F, x, sink);
    if (bytes) buffer[b.n < bytes ? b.n : bytes - 1] = 0;
    return b.n;
}

static void hy__sink_to_print(void *user, const char *text, size_t n)
{
    hy_frame *F = (hy_frame *)user;
#ifndef HYBRID_NO_STDIO
    (void)F;
    fwrite(text, 1, n, stdout);
#else
    char piece[128];
    if (!F->root->desc.log_fn) return;
    for (; n; ) {
        size_t k = n < sizeof piece - 1 ? n : sizeof piece - 1;
        memcpy(piece, text, k);
        piece[k] = 0;
        F->root->desc.log_fn(F->root->desc.log_user, HY_LOG_PRINT, 0, piece);
        text += k;
        n -= k;
    }
#endif
}

HY_API void hy_print(hy_frame *F, hy_array *x)
{
    hy__sink sink;
    if (!hy__alive(F, x, "hy_print")) return;
    sink.put = hy__sink_to_print;
    sink.user = F;
    hy__describe(F, x, sink);
}

/* MARK: - 16 >>kernels ----------------------------------------------------------------------------------
 *
 * Pure loops on raw pointers: no allocation, no locks, nothing that can trap. Hot f32 loops are plain scalar
 * bodies that the compiler vectorises, stamped once per instruction set; since every operation in them is a
 * single IEEE rounding, all instruction sets, tails included, give the same bits. Reductions have fixed trees.
 */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#if HY__SIMD && defined(__OPTIMIZE__)
#pragma GCC optimize("O3", "no-fast-math", "fp-contract=off", "no-trapping-math", "no-math-errno")
#endif
#define HY__IVDEP _Pragma("GCC ivdep")
#elif defined(__clang__)
#define HY__IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define HY__IVDEP
#endif

/* --- elementary functions and random numbers --- */
/* MARK: - >>math ----------------------------------------------------------------------------------------
 *
 * Elementary functions in f32, made of IEEE add, multiply, divide, square root, compares and integer
 * operations only: the same bits on every machine that rounds like IEEE and keeps denormals. All are
 * branch-free, so that a loop y[i] = f(x[i]) becomes vector code. A ternary here is a select: both sides
 * are always computed, and none can trap. The reductions to a small interval are exact or carry a low part;
 * the polynomials are minimax fits, their coefficients rounded to float.
 * NaN in gives NaN out (of no particular sign); infinities, zeros and denormals follow C99 Annex F.
 */
#ifdef __GNUC__
/* "const" promises that errno is not looked at; without it gcc and clang do not vectorise a square root. */
#ifdef __cplusplus
extern "C" {
#endif
extern float sqrtf(float) __attribute__((const));
extern double sqrt(double) __attribute__((const));
#ifdef __cplusplus
}
#endif
#endif

#define HY__PI 3.14159265358979324
#define HY__F32_INF hy__f32_of_bits(0x7f800000u)
#define HY__F32_NAN hy__f32_of_bits(0x7fc00000u)

HY__INLINE float hy__abs_f32(float x)
{
    return hy__f32_of_bits(hy__bits_f32(x) & 0x7fffffffu);
}

HY__INLINE float hy__copysign_f32(float x, float sign)
{
    return hy__f32_of_bits((hy__bits_f32(x) & 0x7fffffffu) | (hy__bits_f32(sign) & 0x80000000u));
}

/* 2^n for -126 <= n <= 127 */
HY__INLINE float hy__pow2_f32(int32_t n)
{
    return hy__f32_of_bits((uint32_t)(n + 127) << 23);
}

/* the nearest integer, |x| < 256; near a tie it may be either one */
HY__INLINE int32_t hy__nearest_f32(float x)
{
    return (int32_t)(x + 256.5f) - 256;
}

HY__INLINE float hy__clamp_f32(float x, float low, float high)
{
    float y = x > low ? x : low;                /* NaN becomes low: safe to convert to an integer */
    return y < high ? y : high;
}

/* ---- rounding to integers: from 2^23 on every float is one ---- */

/* magnitude a >= 0 rounded down; infinity and NaN stay. Masks, because gcc turns the conversions into trunc()
   where the ISA has it, and a call keeps it from turning ternaries around it into selects. */
HY__INLINE float hy__chop_f32(float a)
{
    uint32_t bits = hy__bits_f32(a), small = 0u - (uint32_t)(a < 8388608.0f);
    float t = (float)(int32_t)hy__f32_of_bits(bits & small);
    return hy__f32_of_bits((hy__bits_f32(t) & small) | (bits & ~small));
}

HY__INLINE float hy__trunc_f32(float x)
{
    return hy__copysign_f32(hy__chop_f32(hy__abs_f32(x)), x);
}

HY__INLINE float hy__floor_f32(float x)
{
    float t = hy__trunc_f32(x);
    return hy__copysign_f32(t > x ? t - 1.0f : t, x);
}

HY__INLINE float hy__ceil_f32(float x)
{
    float t = hy__trunc_f32(x);
    return hy__copysign_f32(t < x ? t + 1.0f : t, x);
}

/* half away from zero */
HY__INLINE float hy__round_f32(float x)
{
    float a = hy__abs_f32(x), t = hy__chop_f32(a);
    return hy__copysign_f32(a - t >= 0.5f ? t + 1.0f : t, x);
}

/* half to the lower integer */
HY__INLINE float hy__rint_f32(float x)
{
    float a = hy__abs_f32(x), t = hy__chop_f32(a), rest = a - t;
    int32_t up = (rest > 0.5f) | ((rest == 0.5f) & (x < 0.0f));
    return hy__copysign_f32(up ? t + 1.0f : t, x);
}

/* ---- exponentials: x = n ln 2 + r, |r| <= ln(2)/2 ---- */

/* e^r - 1 */
HY__INLINE float hy__expm1_small_f32(float r)
{
    float p = 0.000199880276f;
    p = p * r + 0.00139351853f;
    p = p * r + 0.00833318569f;
    p = p * r + 0.0416664518f;
    p = p * r + 0.166666672f;
    p = p * r + 0.5f;
    return r + r * r * p;
}

/* x - n ln 2; the first product is exact for |n| < 2^9 */
HY__INLINE float hy__exp_reduce_f32(float x, int32_t n)
{
    float k = (float)n;
    return (x - k * 0.693115234f) - k * 3.19461849e-05f;
}

/* y 2^n, rounded once, for y near 1 and -250 <= n <= 250 */
HY__INLINE float hy__scale_f32(float y, int32_t n)
{
    int32_t half = (int32_t)((uint32_t)(n + 256) >> 1) - 128;
    return y * hy__pow2_f32(half) * hy__pow2_f32(n - half);
}

/* e^x 2^shift */
HY__INLINE float hy__exp_shifted_f32(float x, int32_t shift)
{
    float c = hy__clamp_f32(x, -104.5f, 90.0f);
    int32_t n = hy__nearest_f32(c * 1.44269504f);
    float y = hy__scale_f32(1.0f + hy__expm1_small_f32(hy__exp_reduce_f32(c, n)), n + shift);
    return x != x ? x : y;
}

HY__INLINE float hy__exp_f32(float x)
{
    return hy__exp_shifted_f32(x, 0);
}

/* 2 (2^(n-1) (e^r - 1) + (2^(n-1) - 1/2)): the halves keep n = 128 in range */
HY__INLINE float hy__expm1_f32(float x)
{
    float c = hy__clamp_f32(x, -20.0f, 89.0f);
    int32_t n = hy__nearest_f32(c * 1.44269504f);
    float small = hy__expm1_small_f32(hy__exp_reduce_f32(c, n));
    float half = hy__pow2_f32(n - 1);
    float y = 2.0f * (half * small + (half - 0.5f));
    y = hy__copysign_f32(n == 0 ? small : y, x);
    return x != x ? x : y;
}

/* With e = e^-|x| and g = e/(1 + e): 1 - g, or below zero g and what rounding took from both its terms. */
HY__INLINE float hy__sigmoid_f32(float x)
{
    float c = hy__clamp_f32(-hy__abs_f32(x), -104.5f, 0.0f);
    int32_t n = hy__nearest_f32(c * 1.44269504f);
    float q = hy__expm1_small_f32(hy__exp_reduce_f32(c, n)), mantissa = 1.0f + q;
    float e = hy__scale_f32(mantissa, n), sum = 1.0f + e, g = e / sum;
    float lost = (q - (mantissa - 1.0f)) - (e - (sum - 1.0f));
    float y = x < 0.0f ? g + g * lost : 1.0f - g;
    return x != x ? x : y;
}

HY__INLINE float hy__tanh_f32(float x)
{
    float a = hy__abs_f32(x), z = a * a;
    float large = 1.0f - 2.0f / (1.0f + hy__exp_f32(2.0f * a));
    float p = -0.00571406074f;
    p = p * z + 0.0206480622f;
    p = p * z - 0.0537427738f;
    p = p * z + 0.133314833f;
    p = p * z - 0.333332837f;
    return hy__copysign_f32(a < 0.625f ? a + a * (z * p) : large, x);
}

HY__INLINE float hy__sinh_f32(float x)
{
    float a = hy__abs_f32(x), z = a * a;
    float half = hy__exp_shifted_f32(a, -1);
    float p = 2.78392577e-06f;
    p = p * z + 0.000198426351f;
    p = p * z + 0.00833331142f;
    p = p * z + 0.166666672f;
    return hy__copysign_f32(a < 1.0f ? a + a * (z * p) : half - 0.25f / half, x);
}

HY__INLINE float hy__cosh_f32(float x)
{
    float half = hy__exp_shifted_f32(hy__abs_f32(x), -1);
    return half + 0.25f / half;
}

/* below 15/16 an odd polynomial, above 1 - e^(-a g(a)) */
HY__INLINE float hy__erf_f32(float x)
{
    float a = hy__clamp_f32(hy__abs_f32(x), 0.0f, 4.0f), z = a * a;
    float p = 7.97503235e-05f, g = 4.63650849e-06f, y;
    p = p * z - 0.000804472598f;
    p = p * z + 0.0051919939f;
    p = p * z - 0.0268555954f;
    p = p * z + 0.112836242f;
    p = p * z - 0.376126289f;
    p = p * z + 0.128379166f;
    g = g * a - 4.18827804e-05f;
    g = g * a - 6.85509149e-05f;
    g = g * a + 0.00298288325f;
    g = g * a - 0.0227600317f;
    g = g * a + 0.10534475f;
    g = g * a + 0.635582685f;
    g = g * a + 1.12856102f;
    y = hy__copysign_f32(a < 0.9375f ? a + a * p : 1.0f - hy__exp_f32(-a * g), x);
    return x != x ? x : y;
}

/* ---- logarithms: x = 2^n (1 + f), sqrt(1/2) <= 1 + f < sqrt(2) ---- */

/* log(1 + f) - f */
HY__INLINE float hy__log_tail_f32(float f)
{
    float z = f * f, p = 0.053427659f;
    p = p * f - 0.109171443f;
    p = p * f + 0.121078983f;
    p = p * f - 0.125495613f;
    p = p * f + 0.14209637f;
    p = p * f - 0.16659373f;
    p = p * f + 0.200022221f;
    p = p * f - 0.250001669f;
    p = p * f + 0.333333135f;
    return f * z * p - 0.5f * z;
}

/* n log(2) + log(1 + f) */
HY__INLINE float hy__log_join_f32(float n, float f)
{
    return n * 0.693115234f + (f + (hy__log_tail_f32(f) + n * 3.19461849e-05f));
}

/* the exponent field of x counted from sqrt(1/2) */
HY__INLINE uint32_t hy__log_bits_f32(float x)
{
    return hy__bits_f32(x) + (0x3f800000u - 0x3f3504f3u);
}

/* f and *n of x > 0 */
HY__INLINE float hy__log_split_f32(float x, float *n)
{
    int32_t denormal = x < 1.17549435e-38f;
    uint32_t bits = hy__log_bits_f32(denormal ? x * 33554432.0f : x);
    *n = (float)((int32_t)(bits >> 23) - (denormal ? 152 : 127));
    return hy__f32_of_bits((bits & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
}

/* y = log(x), right where x is positive and finite */
HY__INLINE float hy__log_ends_f32(float x, float y)
{
    y = x < HY__F32_INF ? y : x;
    y = x == 0.0f ? -HY__F32_INF : y;
    return x < 0.0f ? HY__F32_NAN : y;
}

HY__INLINE float hy__log_f32(float x)
{
    float n, f = hy__log_split_f32(x, &n);
    return hy__log_ends_f32(x, hy__log_join_f32(n, f));
}

HY__INLINE float hy__log2_f32(float x)
{
    float n, f = hy__log_split_f32(x, &n);
    return hy__log_ends_f32(x, n + (f + hy__log_tail_f32(f)) * 1.44269504f);
}

HY__INLINE float hy__log10_f32(float x)
{
    float n, f = hy__log_split_f32(x, &n), m = (f + hy__log_tail_f32(f)) * 0.434294482f;
    return hy__log_ends_f32(x, n * 0.301025391f + (m + n * 4.60503898e-06f));
}

/* With n from 1 + x, f = x/2^n + (1/2^n - 1) loses nothing; 4/2^n and the quarter keep n = 128 in range. */
HY__INLINE float hy__log1p_f32(float x)
{
    int32_t n = (int32_t)(hy__log_bits_f32(1.0f + x) >> 23) - 127;
    float scale = hy__f32_of_bits((uint32_t)(129 - n) << 23);
    float f = 0.25f * (scale * x) + (0.25f * scale - 1.0f);
    float y = hy__log_join_f32((float)n, f);
    y = x == -1.0f ? -HY__F32_INF : y;
    y = x < -1.0f ? HY__F32_NAN : y;
    return ((x == 0.0f) | !(x < HY__F32_INF)) ? x : y;
}

/* log(1 + e^x) */
HY__INLINE float hy__softrelu_f32(float x)
{
    float e = hy__exp_f32(-hy__abs_f32(x));
    int32_t far = e > 0.414213562f;
    float log1p_e = hy__log_join_f32(far ? 1.0f : 0.0f, far ? 0.5f * e - 0.5f : e);
    return (x > 0.0f ? x : 0.0f) + log1p_e;
}

HY__INLINE float hy__arcsinh_f32(float x)
{
    float a = hy__abs_f32(x), z = a * a;
    int32_t huge = a > 67108864.0f;                            /* log(2a) is enough from 2^26 on */
    float y = hy__log1p_f32(huge ? a : a + z / (1.0f + sqrtf(1.0f + z)));
    return hy__copysign_f32(y + (huge ? 0.693147181f : 0.0f), x);
}

HY__INLINE float hy__arccosh_f32(float x)
{
    float t = x - 1.0f;
    int32_t huge = t > 67108864.0f;
    float y = hy__log1p_f32(huge ? t : t + sqrtf(t * (t + 2.0f)));
    return x < 1.0f ? HY__F32_NAN : y + (huge ? 0.693147181f : 0.0f);
}

HY__INLINE float hy__arctanh_f32(float x)
{
    float a = hy__abs_f32(x);
    return hy__copysign_f32(0.5f * hy__log1p_f32(2.0f * a / (1.0f - a)), x);
}

/* ---- trigonometry: a = n pi/2 + r, |r| <= pi/4 ---- */

/* r of a >= 0. It is the true one to 1 ulp below 10^7; then its error grows like a / 2^53, and arguments from
   2^30 on, where neighbours are farther apart than a period, count as 2^30. */
HY__INLINE float hy__trig_reduce_f32(float a, int32_t *n)
{
    double d = (double)hy__clamp_f32(a, 0.0f, 1073741824.0f), k;
    *n = (int32_t)(d * 0.63661977236758134 + 1.5) - 1;
    k = (double)*n;
    return (float)((d - k * 1.570796325802803) - k * 9.9209357968054043e-10);
}

HY__INLINE float hy__sin_small_f32(float r)
{
    float z = r * r, p = -0.000195184053f;
    p = p * z + 0.0083321901f;
    p = p * z - 0.166666552f;
    return r + r * (z * p);
}

HY__INLINE float hy__cos_small_f32(float r)
{
    float z = r * r, p = 2.44306611e-05f;
    p = p * z - 0.00138873013f;
    p = p * z + 0.0416666456f;
    return 1.0f - (0.5f * z - z * z * p);
}

/* sin(r + n pi/2), negated where the top bit of flip is set */
HY__INLINE float hy__sin_turned_f32(float r, int32_t n, uint32_t flip)
{
    float s = hy__sin_small_f32(r), c = hy__cos_small_f32(r);
    uint32_t sign = ((uint32_t)n << 30) ^ flip;
    return hy__f32_of_bits(hy__bits_f32((n & 1) != 0 ? c : s) ^ (sign & 0x80000000u));
}

HY__INLINE float hy__sin_f32(float x)
{
    int32_t n;
    float r = hy__trig_reduce_f32(hy__abs_f32(x), &n);
    float y = hy__sin_turned_f32(r, n, hy__bits_f32(x));
    return hy__abs_f32(x) < HY__F32_INF ? y : HY__F32_NAN;
}

HY__INLINE float hy__cos_f32(float x)
{
    int32_t n;
    float r = hy__trig_reduce_f32(hy__abs_f32(x), &n);
    float y = hy__sin_turned_f32(r, n + 1, 0u);
    return hy__abs_f32(x) < HY__F32_INF ? y : HY__F32_NAN;
}

HY__INLINE float hy__tan_f32(float x)
{
    int32_t n, odd;
    float r = hy__trig_reduce_f32(hy__abs_f32(x), &n);
    float s = hy__sin_small_f32(r), c = hy__cos_small_f32(r), y;
    odd = (n & 1) != 0;
    y = (odd ? -c : s) / (odd ? s : c);
    y = hy__f32_of_bits(hy__bits_f32(y) ^ (hy__bits_f32(x) & 0x80000000u));
    return hy__abs_f32(x) < HY__F32_INF ? y : HY__F32_NAN;
}

/* arcsin(v) for z = v^2 <= 1/4 */
HY__INLINE float hy__arcsin_small_f32(float v, float z)
{
    float p = 0.042211853f;
    p = p * z + 0.0241520908f;
    p = p * z + 0.0454760417f;
    p = p * z + 0.0749525204f;
    p = p * z + 0.166667536f;
    return v + v * (z * p);
}

/* above 1/2: arcsin(a) = pi/2 - 2 arcsin(sqrt((1 - a)/2)) */
HY__INLINE float hy__arcsin_f32(float x)
{
    float a = hy__abs_f32(x);
    int32_t small = a <= 0.5f;
    float z = small ? a * a : 0.5f * (1.0f - a);
    float p = hy__arcsin_small_f32(small ? a : sqrtf(z), z);
    return hy__copysign_f32(small ? p : 1.57079637f - (2.0f * p + 4.37113883e-08f), x);
}

HY__INLINE float hy__arccos_f32(float x)
{
    float a = hy__abs_f32(x);
    int32_t small = a <= 0.5f;
    float z = small ? a * a : 0.5f * (1.0f - a);
    float p = hy__arcsin_small_f32(small ? x : sqrtf(z), z);
    float large = x < 0.0f ? 3.14159274f - (2.0f * p + 8.74227766e-08f) : 2.0f * p;
    return small ? 1.57079637f - (p + 4.37113883e-08f) : large;
}

/* above 1: arctan(a) = pi/2 - arctan(1/a) */
HY__INLINE float hy__arctan_f32(float x)
{
    float a = hy__abs_f32(x);
    int32_t large = a > 1.0f;
    float t = (large ? 1.0f : a) / (large ? a : 1.0f), z = t * t, y;
    float p = -0.00182304613f;
    p = p * z + 0.011042567f;
    p = p * z - 0.0314103216f;
    p = p * z + 0.0581863858f;
    p = p * z - 0.0841664672f;
    p = p * z + 0.109566711f;
    p = p * z - 0.142650917f;
    p = p * z + 0.199986264f;
    p = p * z - 0.333333015f;
    y = t + t * (z * p);
    return hy__copysign_f32(large ? 1.57079637f - (y + 4.37113883e-08f) : y, x);
}

/* ---- powers and roots ---- */

/* a^(-1/3) of a normal a > 0: a guess to 3.5 % from the bits, then Newton's steps r += r (1 - a r^3)/3 */
HY__INLINE float hy__rcbrt_normal_f32(float a)
{
    float third = (float)(int32_t)hy__bits_f32(a) * 0.333333333f;
    float r = hy__f32_of_bits(0x54a23000u - (uint32_t)(int32_t)third);
    r = r + r * ((1.0f - a * r * (r * r)) * 0.333333333f);
    r = r + r * ((1.0f - a * r * (r * r)) * 0.333333333f);
    return r + r * ((1.0f - a * r * (r * r)) * 0.333333333f);
}

HY__INLINE float hy__rcbrt_f32(float x)
{
    float a = hy__abs_f32(x), y;
    int32_t denormal = a < 1.17549435e-38f;
    y = hy__rcbrt_normal_f32(denormal ? a * 16777216.0f : a) * (denormal ? 256.0f : 1.0f);
    y = a == HY__F32_INF ? 0.0f : y;
    y = hy__copysign_f32(a == 0.0f ? HY__F32_INF : y, x);
    return x != x ? x : y;
}

HY__INLINE float hy__cbrt_f32(float x)
{
    float a = hy__abs_f32(x), normal, r, y;
    int32_t denormal = a < 1.17549435e-38f;
    normal = denormal ? a * 16777216.0f : a;
    r = hy__rcbrt_normal_f32(normal);
    y = normal * r * r;
    y = (y + (normal - y * y * y) * (r * r) * 0.333333333f) * (denormal ? 0.00390625f : 1.0f);
    return ((a > 0.0f) & (a < HY__F32_INF)) ? hy__copysign_f32(y, x) : x;
}

/* log2 of x > 0 to 43 bits; +-10^200 at infinity and zero, so that a product with 0 is still 0 */
HY__INLINE double hy__log2_wide_f32(float x)
{
    float n;
    double f = (double)hy__log_split_f32(x, &n), s = f / (2.0 + f), z = s * s, p = 0.28292980970444032;
    p = p * z + 0.31990366648923108;
    p = p * z + 0.41220930077220697;
    p = p * z + 0.57707794189708028;
    p = p * z + 0.96179669411491309;
    p = p * z + 2.8853900817778491;
    p = (double)n + s * p;
    p = x < HY__F32_INF ? p : 1e200;
    return x > 0.0f ? p : -1e200;
}

/* 2^t */
HY__INLINE float hy__exp2_wide_f32(double t)
{
    double low = t > -160.0 ? t : -160.0, c = low < 160.0 ? low : 160.0;
    int32_t n = (int32_t)(c + 256.5) - 256;
    return hy__scale_f32(1.0f + hy__expm1_small_f32((float)((c - (double)n) * 0.69314718055994531)), n);
}

HY__INLINE float hy__power_f32(float x, float y)
{
    float a = hy__abs_f32(x), b = hy__abs_f32(y), r;
    double e = (double)hy__clamp_f32(y, -3.40282347e+38f, 3.40282347e+38f);
    int32_t whole = hy__chop_f32(b) == b;
    int32_t odd = whole & (int32_t)(b < 16777216.0f ? b : 0.0f);        /* floats from 2^24 on are even */
    uint32_t sign = (uint32_t)odd << 31;
    r = hy__exp2_wide_f32(e * hy__log2_wide_f32(a));
    r = hy__f32_of_bits(hy__bits_f32(r) | (hy__bits_f32(x) & sign));
    r = ((x < 0.0f) & (a < HY__F32_INF) & !whole) ? HY__F32_NAN : r;
    r = ((x != x) | (y != y)) ? x + y : r;
    return ((y == 0.0f) | (x == 1.0f)) ? 1.0f : r;
}

HY__INLINE float hy__hypot_f32(float x, float y)
{
    float a = hy__abs_f32(x), b = hy__abs_f32(y);
    int32_t infinite = a == HY__F32_INF, other = b == HY__F32_INF;
    float r = (float)sqrt((double)x * (double)x + (double)y * (double)y);
    return (infinite | other) != 0 ? HY__F32_INF : r;
}

/* The sign of the divisor, as in Python; x mod 0 = 0. Exact: each step takes 29 bits off the quotient, which
   has at most 277, in products of 29 by 24 bits. A quotient one too large is put right by the next step, and
   in the end by adding y. */
HY__INLINE float hy__mod_f32(float x, float y)
{
    float a = hy__abs_f32(y), result;
    int32_t finite = hy__abs_f32(x) < HY__F32_INF, step;
    double d = ((a > 0.0f) & (a < HY__F32_INF)) ? (double)y : 1.0, r = finite ? (double)x : 0.0;
    double part = d * 3.7053468555941183e+78, inverse = 1.0 / part;              /* 2^261 d */
    for (step = 0; step < 10; step++) {
        r -= part * (double)((int32_t)(r * inverse + 1073741824.0) - 1073741824);
        part *= 1.862645149230957e-09;
        inverse *= 536870912.0;
    }
    r = a < HY__F32_INF ? r : (double)x;
    r = (((r < 0.0) & (y > 0.0f)) | ((r > 0.0) & (y < 0.0f))) ? r + (double)y : r;
    result = (float)r;
    result = result == 0.0f ? hy__copysign_f32(0.0f, y) : result;
    result = finite ? result : HY__F32_NAN;
    result = y != y ? y : result;
    return a == 0.0f ? 0.0f : result;
}

/* ---- special functions in f64; f32 goes through them. libm's lgamma writes a global: not used. The loops
   are counted, so that they end under -ffast-math too, whatever becomes of NaN. ---- */

/* log gamma(2 + z), |z| <= 1/2: z (1 - Euler's constant) + sum over k >= 2 of (-z)^k (zeta(k) - 1)/k */
HY__UNUSED static double hy__gammaln_near_2(double z)
{
    static const double tail[] = {
        0.3224670334241132, -0.067352301053198102, 0.020580808427784546, -0.0073855510286739857,
        0.0028905103307415234, -0.001192753911703261, 0.00050966952474304245, -0.00022315475845357939,
        9.9457512781808531e-05, -4.4926236738133142e-05, 2.0507212775670691e-05, -9.4394882752683967e-06,
        4.3748667899074882e-06, -2.0392157538013662e-06, 9.5514121304074194e-07, -4.4924691987645662e-07,
        2.1207184805554665e-07, -1.0043224823968099e-07, 4.7698101693639804e-08, -2.2711094608943164e-08,
        1.0838659214896955e-08, -5.1834750419700466e-09, 2.4836745438024785e-09, -1.1921401405860912e-09,
        5.7313672416788623e-10, -2.7595228851242334e-10
    };
    double sum = 0.0;
    int k = (int)(sizeof tail / sizeof tail[0]);
    while (k > 0) {
        k--;
        sum = sum * z + tail[k];
    }
    return z * (0.42278433509846714 + z * sum);
}

/* log gamma(x) - ((x - 1/2) log x - x + log(2 pi)/2), x >= 10 */
HY__UNUSED static double hy__stirling(double x)
{
    double z = 1.0 / (x * x), p = 0.0064102564102564103;
    p = p * z - 0.0019175269175269176;
    p = p * z + 0.00084175084175084175;
    p = p * z - 0.00059523809523809524;
    p = p * z + 0.00079365079365079365;
    p = p * z - 0.0027777777777777778;
    return (p * z + 0.083333333333333333) / x;
}

/* sin(pi x); the reduction is exact */
HY__UNUSED static double hy__sin_pi(double x)
{
    double r = fmod(fabs(x), 2.0), sign = (x < 0.0) != (r >= 1.0) ? -1.0 : 1.0;
    r = r >= 1.0 ? r - 1.0 : r;
    return sign * sin(HY__PI * (r > 0.5 ? 1.0 - r : r));
}

/* log gamma(x), x > 0 */
HY__UNUSED static double hy__gammaln_positive(double x)
{
    double product = 1.0;
    int step;
    if (x < 0.5)
        return hy__gammaln_near_2(x) - log1p(x) - log(x);
    if (x < 1.5)
        return hy__gammaln_near_2(x - 1.0) - log(x);
    if (x >= 10.0)
        return x < 1e306 ? (x - 0.5) * log(x) - x + 0.91893853320467274 + hy__stirling(x) : HUGE_VAL;
    for (step = 0; step < 8 && x >= 2.5; step++) {
        x -= 1.0;
        product *= x;
    }
    return hy__gammaln_near_2(x - 2.0) + log(product);
}

/* log |gamma(x)|: +inf at 0, -1, -2...; 1e-13 relative, absolute near its zeros between those */
HY__UNUSED static double hy__gammaln(double x)
{
    if (x > 0.0 || x != x)
        return x > 0.0 ? hy__gammaln_positive(x) : x;
    if (floor(x) == x)
        return HUGE_VAL;
    return 1.1447298858494002 - log(fabs(hy__sin_pi(x))) - hy__gammaln_positive(1.0 - x);
}

/* gamma(x), x > 0 */
HY__UNUSED static double hy__gamma_positive(double x)
{
    double product = 1.0, power;
    int step;
    if (x < 0.5)
        return exp(hy__gammaln_near_2(x)) / (x * (1.0 + x));
    if (x < 1.5)
        return exp(hy__gammaln_near_2(x - 1.0)) / x;
    if (x > 172.0)
        return HUGE_VAL;
    if (x >= 30.0) {
        power = pow(x, 0.5 * x - 0.25);                         /* half the exponent: no early overflow */
        return power * exp(-x) * power * 2.5066282746310005 * exp(hy__stirling(x));
    }
    for (step = 0; step < 28 && x >= 2.5; step++) {
        x -= 1.0;
        product *= x;
    }
    return exp(hy__gammaln_near_2(x - 2.0)) * product;
}

/* NaN at -1, -2..., +-inf at +-0; below -171.6, where gamma is denormal or zero, 0 */
HY__UNUSED static double hy__gamma(double x)
{
    if (x > 0.0 || x != x)
        return x > 0.0 ? hy__gamma_positive(x) : x;
    if (x == 0.0)
        return 1.0 / x;
    if (floor(x) == x)
        return (double)HY__F32_NAN;
    if (x > -1.0)
        return hy__gamma_positive(1.0 + x) / x;
    return HY__PI / hy__sin_pi(x) / hy__gamma_positive(-x) / -x;
}

/* gamma'(x)/gamma(x): -+inf at +-0, NaN at -1, -2... */
HY__UNUSED static double hy__digamma(double x)
{
    double y = 0.0, z, p = 0.083333333333333333;
    int step;
    if (x <= 0.0) {
        if (x == 0.0)
            return -1.0 / x;
        if (floor(x) == x)
            return (double)HY__F32_NAN;
        y = -HY__PI / tan(HY__PI * (x - floor(x + 0.5)));
        x = 1.0 - x;
    }
    for (step = 0; step < 10 && x < 10.0; step++) {
        y -= 1.0 / x;
        x += 1.0;
    }
    z = 1.0 / (x * x);                                          /* sum of B(2k) / (2k x^2k) */
    p = p * z - 0.021092796092796093;
    p = p * z + 0.0075757575757575758;
    p = p * z - 0.0041666666666666667;
    p = p * z + 0.0039682539682539683;
    p = p * z - 0.0083333333333333333;
    p = p * z + 0.083333333333333333;
    return x <= 1.79769313486231571e308 ? y + log(x) - 0.5 / x - p * z : x;
}

/* Winitzki's formula, 0.2 % off, then Halley's steps on erf(y) = a, or on erfc(y) = 1 - a from 1/2 on */
HY__UNUSED static double hy__erfinv(double x)
{
    double a = fabs(x), log_term, t, y, error;
    int step;
    if (!(a < 1.0))
        return a == 1.0 ? x * HUGE_VAL : (double)HY__F32_NAN;
    log_term = log1p(-a * a);
    t = 4.3307467508 + 0.5 * log_term;
    y = sqrt(sqrt(t * t - 6.8027210884 * log_term) - t);
    for (step = 0; step < 3; step++) {
        error = a < 0.5 ? erf(y) - a : (1.0 - a) - erfc(y);
        error *= 0.88622692545275801 * exp(y * y);
        y -= error / (1.0 + y * error);
    }
    return x < 0.0 ? -y : a == 0.0 ? x : y;
}

/* half to the lower integer */
HY__UNUSED static double hy__rint_down(double x)
{
    double t = trunc(fabs(x)), rest = fabs(x) - t;
    if (rest > 0.5 || (rest == 0.5 && x < 0.0))
        t += 1.0;
    return copysign(t, x);
}

/* the sign of the divisor, as in Python; x mod 0 = 0 */
HY__UNUSED static double hy__mod_f64(double x, double y)
{
    double r = y == 0.0 ? 0.0 : fmod(x, y);
    if (r != 0.0)
        return (r < 0.0) != (y < 0.0) ? r + y : r;
    return y == 0.0 ? 0.0 : copysign(r, y);
}

/* MARK: - >>random --------------------------------------------------------------------------------------
 *
 * Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011): 128 bits of counter and 64 of key make 128 random bits.
 * A stream is (seed, stream); its word i is output i mod 4 of the block with counter i / 4. Element i of a
 * tensor owns fixed words, so any thread draws any part: f32 word i, f64 and integers words 2i (low half)
 * and 2i + 1; normal numbers come as pairs 2j, 2j + 1 from the words of both. IEEE arithmetic only, as in
 * >>math: the same numbers on every machine.
 */
#define HY__DRAW 512                    /* words drawn at once */

/* Counter words are the low and high halves of counter_lo, then of counter_hi; key words low, then high. */
HY__INLINE void hy__philox(uint32_t out[4], uint64_t key, uint64_t counter_hi, uint64_t counter_lo)
{
    uint32_t a = (uint32_t)counter_lo, b = (uint32_t)(counter_lo >> 32);
    uint32_t c = (uint32_t)counter_hi, d = (uint32_t)(counter_hi >> 32);
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    int round;
    for (round = 0; round < 10; round++) {
        uint64_t p = (uint64_t)a * 0xD2511F53u, q = (uint64_t)c * 0xCD9E8D57u;
        a = (uint32_t)(q >> 32) ^ b ^ k0;
        b = (uint32_t)q;
        c = (uint32_t)(p >> 32) ^ d ^ k1;
        d = (uint32_t)p;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
}

/* count <= HY__DRAW words from first on, in a room of HY__DRAW + 6; returns where they begin */
HY__INLINE const uint32_t *hy__draw(uint32_t *room, uint64_t first, int64_t count, uint64_t seed,
                                    uint64_t stream)
{
    uint64_t block = first / 4;
    int64_t skip = (int64_t)(first % 4), blocks = (skip + count + 3) / 4, i;
    for (i = 0; i < blocks; i++) {
        uint32_t out[4];
        hy__philox(out, seed, stream, block + (uint64_t)i);
        room[4 * i] = out[0];
        room[4 * i + 1] = out[1];
        room[4 * i + 2] = out[2];
        room[4 * i + 3] = out[3];
    }
    return room + skip;
}

/* 64 bits of element i. The permutation of a shuffle sorts indices by (this, i): ties, one in 2^64 pairs, are
   settled too. */
HY__INLINE uint64_t hy__random_u64(uint64_t seed, uint64_t stream, uint64_t i)
{
    uint32_t out[4];
    hy__philox(out, seed, stream, i / 2);
    return i % 2 != 0 ? (uint64_t)out[3] << 32 | out[2] : (uint64_t)out[1] << 32 | out[0];
}

/* the high half of a b */
HY__INLINE uint64_t hy__mul_high_u64(uint64_t a, uint64_t b)
{
    uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
    uint64_t low = a1 * b0 + (a0 * b0 >> 32), mid = a0 * b1 + (low & 0xffffffffu);
    return a1 * b1 + (low >> 32) + (mid >> 32);
}

/* [0, 1) in steps of 2^-24 */
HY__INLINE float hy__unit_f32(uint32_t word)
{
    return (float)(int32_t)(word >> 8) * 5.96046448e-08f;
}

/* (0, 1], finer towards 0: (word + 1/2) / 2^32 rounded */
HY__INLINE float hy__unit_positive_f32(uint32_t word)
{
    return (float)(int32_t)(word >> 8) * 5.96046448e-08f
        + ((float)(int32_t)(word & 255u) + 0.5f) * 2.32830644e-10f;
}

/* [0, 1) in steps of 2^-53 */
HY__INLINE double hy__unit_f64(uint32_t low, uint32_t high)
{
    return (double)(int32_t)(high >> 6) * 1.4901161193847656e-08
        + (double)(int32_t)(low >> 5) * 1.1102230246251565e-16;
}

/* log(x) of a normal x > 0 to 2 ulp: 2^n (1 + f), s = f/(2 + f), log(1 + f) = 2 arctanh(s) */
HY__INLINE double hy__log_f64(double x)
{
    const uint64_t root_half = 0x3fe6a09e667f3bcdu;
    uint64_t bits;
    double n, f, s, z, p = 0.14797507632946097;
    memcpy(&bits, &x, sizeof bits);
    bits += 0x3ff0000000000000u - root_half;
    n = (double)((int32_t)(uint32_t)(bits >> 52) - 1023);
    bits = (bits & 0x000fffffffffffffu) + root_half;
    memcpy(&f, &bits, sizeof f);
    f -= 1.0;
    s = f / (2.0 + f);
    z = s * s;
    p = p * z + 0.1531390330813365;
    p = p * z + 0.18183569734496341;
    p = p * z + 0.22222198476165997;
    p = p * z + 0.28571428743259875;
    p = p * z + 0.39999999999411112;
    p = p * z + 0.66666666666667351;
    return n * 0.69314718036912382 + (2.0 * s + (s * (z * p) + n * 1.9082149292705877e-10));
}

/* |r| <= pi/4 */
HY__INLINE double hy__sin_small_f64(double r)
{
    double z = r * r, p = 1.5896828011279467e-10;
    p = p * z - 2.5050758655682907e-08;
    p = p * z + 2.7557313695249575e-06;
    p = p * z - 0.00019841269829817048;
    p = p * z + 0.0083333333333224253;
    p = p * z - 0.16666666666666632;
    return r + r * (z * p);
}

HY__INLINE double hy__cos_small_f64(double r)
{
    double z = r * r, p = -1.1359669951250562e-11;
    p = p * z + 2.0875723695572339e-09;
    p = p * z - 2.7557314355425034e-07;
    p = p * z + 2.4801587289492979e-05;
    p = p * z - 0.0013888888888874142;
    p = p * z + 0.041666666666666602;
    return 1.0 - (0.5 * z - z * z * p);
}

/* Two standard normal numbers, a point at radius sqrt(-2 log u) and a random angle (Box and Muller). The top
   two bits of angle choose a quarter of the circle, the others a place in [-pi/4, pi/4) around its middle.
   Up to 6.8 in size. */
HY__INLINE void hy__normal_pair_f32(uint32_t radius, uint32_t angle, float *x, float *y)
{
    float r = sqrtf(-2.0f * hy__log_f32(hy__unit_positive_f32(radius)));
    float t = (float)((int32_t)(angle & 0x3fffffffu) - 0x20000000) * 1.46291807e-09f;
    float s = r * hy__sin_small_f32(t), c = r * hy__cos_small_f32(t);
    int32_t odd = (angle & 0x40000000u) != 0;
    uint32_t sign = angle & 0x80000000u;
    *x = hy__f32_of_bits(hy__bits_f32(odd ? -s : c) ^ sign);
    *y = hy__f32_of_bits(hy__bits_f32(odd ? c : s) ^ sign);
}

/* the same from 64 bits each, up to 8.6 in size */
HY__INLINE void hy__normal_pair_f64(const uint32_t word[4], double *x, double *y)
{
    double r = sqrt(-2.0 * hy__log_f64(hy__unit_f64(word[0], word[1]) + 5.5511151231257827e-17));
    double t = (hy__unit_f64(word[2], word[3] << 2) - 0.5) * (0.5 * HY__PI);
    double s = r * hy__sin_small_f64(t), c = r * hy__cos_small_f64(t);
    double sign = (word[3] & 0x80000000u) != 0 ? -1.0 : 1.0;
    int32_t odd = (word[3] & 0x40000000u) != 0;
    *x = sign * (odd ? -s : c);
    *y = sign * (odd ? c : s);
}

/* y[0] becomes element first; low <= y < high */
HY__INLINE void hy__fill_uniform_f32(float *y, int64_t first, int64_t count, uint64_t seed, uint64_t stream,
                                     float low, float high)
{
    uint32_t room[HY__DRAW + 6];
    int64_t done, i, n;
    for (done = 0; done < count; done += n) {
        const uint32_t *word;
        n = count - done < HY__DRAW ? count - done : HY__DRAW;
        word = hy__draw(room, (uint64_t)(first + done), n, seed, stream);
        for (i = 0; i < n; i++) {
            float value = low + (high - low) * hy__unit_f32(word[i]);
            y[done + i] = value < high ? value : low;
        }
    }
}

HY__INLINE void hy__fill_uniform_f64(double *y, int64_t first, int64_t count, uint64_t seed, uint64_t stream,
                                     double low, double high)
{
    uint32_t room[HY__DRAW + 6];
    int64_t done, i, n;
    for (done = 0; done < count; done += n) {
        const uint32_t *word;
        n = count - done < HY__DRAW / 2 ? count - done : HY__DRAW / 2;
        word = hy__draw(room, 2 * (uint64_t)(first + done), 2 * n, seed, stream);
        for (i = 0; i < n; i++) {
            double value = low + (high - low) * hy__unit_f64(word[2 * i], word[2 * i + 1]);
            y[done + i] = value < high ? value : low;
        }
    }
}

HY__INLINE void hy__fill_normal_f32(float *y, int64_t first, int64_t count, uint64_t seed, uint64_t stream,
                                    float mean, float deviation)
{
    uint32_t room[HY__DRAW + 6];
    float pairs[HY__DRAW];
    int64_t done, i, n;
    for (done = 0; done < count; done += n) {
        const uint32_t *word;
        int64_t skip = (first + done) & 1;
        n = count - done < HY__DRAW - skip ? count - done : HY__DRAW - skip;
        word = hy__draw(room, (uint64_t)(first + done - skip), (skip + n + 1) & ~(int64_t)1, seed,
                        stream);
        for (i = 0; i < (skip + n + 1) / 2; i++) {
            float c, s;
            hy__normal_pair_f32(word[2 * i], word[2 * i + 1], &c, &s);
            pairs[2 * i] = mean + deviation * c;
            pairs[2 * i + 1] = mean + deviation * s;
        }
        memcpy(y + done, pairs + skip, (size_t)n * sizeof *y);
    }
}

HY__INLINE void hy__fill_normal_f64(double *y, int64_t first, int64_t count, uint64_t seed, uint64_t stream,
                                    double mean, double deviation)
{
    uint32_t room[HY__DRAW + 6];
    double pairs[HY__DRAW / 2];
    int64_t done, i, n;
    for (done = 0; done < count; done += n) {
        const uint32_t *word;
        int64_t skip = (first + done) & 1;
        n = count - done < HY__DRAW / 2 - skip ? count - done : HY__DRAW / 2 - skip;
        word = hy__draw(room, 2 * (uint64_t)(first + done - skip), (2 * (skip + n) + 2) & ~(int64_t)3, seed,
                        stream);
        for (i = 0; i < (skip + n + 1) / 2; i++) {
            double c, s;
            hy__normal_pair_f64(word + 4 * i, &c, &s);
            pairs[2 * i] = mean + deviation * c;
            pairs[2 * i + 1] = mean + deviation * s;
        }
        memcpy(y + done, pairs + skip, (size_t)n * sizeof *y);
    }
}

/* -scale log(u), up to 22.9 scale */
HY__INLINE void hy__fill_exponential_f32(float *y, int64_t first, int64_t count, uint64_t seed,
                                         uint64_t stream, float scale)
{
    uint32_t room[HY__DRAW + 6];
    int64_t done, i, n;
    for (done = 0; done < count; done += n) {
        const uint32_t *word;
        n = count - done < HY__DRAW ? count - done : HY__DRAW;
        word = hy__draw(room, (uint64_t)(first + done), n, seed, stream);
        for (i = 0; i < n; i++)
            y[done + i] = scale * (0.0f - hy__log_f32(hy__unit_positive_f32(word[i])));
    }
}

HY__INLINE void hy__fill_exponential_f64(double *y, int64_t first, int64_t count, uint64_t seed,
                                         uint64_t stream, double scale)
{
    uint32_t room[HY__DRAW + 6];
    int64_t done, i, n;
    for (done = 0; done < count; done += n) {
        const uint32_t *word;
        n = count - done < HY__DRAW / 2 ? count - done : HY__DRAW / 2;
        word = hy__draw(room, 2 * (uint64_t)(first + done), 2 * n, seed, stream);
        for (i = 0; i < n; i++) {
            double u = hy__unit_f64(word[2 * i], word[2 * i + 1]) + 5.5511151231257827e-17;
            y[done + i] = scale * (0.0 - hy__log_f64(u));
        }
    }
}

/* low <= y < high (low where the range is empty): the high half of 64 random bits times the range, so that a
   value's probability is off by less than 2^-64 */
HY__INLINE void hy__fill_randint_i64(int64_t *y, int64_t first, int64_t count, uint64_t seed, uint64_t stream,
                                     int64_t low, int64_t high)
{
    uint32_t room[HY__DRAW + 6];
    uint64_t range = high > low ? (uint64_t)high - (uint64_t)low : 0;
    int64_t done, i, n;
    for (done = 0; done < count; done += n) {
        const uint32_t *word;
        n = count - done < HY__DRAW / 2 ? count - done : HY__DRAW / 2;
        word = hy__draw(room, 2 * (uint64_t)(first + done), 2 * n, seed, stream);
        for (i = 0; i < n; i++) {
            uint64_t bits = (uint64_t)word[2 * i + 1] << 32 | word[2 * i];
            y[done + i] = (int64_t)((uint64_t)low + hy__mul_high_u64(bits, range));
        }
    }
}

/* --- pointwise: out[i] = f(in[0][i * step[0]], ...), steps 0 or 1; p are parameters --- */
typedef void (*hy__pointwise_fn)(const void *const *in, const int *step, void *out, int64_t n, const double *p);

#define HY__PASTE_(a, b, c) a##b##_##c
#define HY__PASTE(a, b, c)  HY__PASTE_(a, b, c)
#define HY__LOOP1(formula) \
    { const HY__T *in0 = (const HY__T *)in[0]; HY__T *y = (HY__T *)out; int64_t i; (void)step; (void)p; \
      HY__IVDEP \
      for (i = 0; i < n; i++) { HY__T x = in0[i]; y[i] = (HY__T)(formula); } }
#define HY__LOOP2(formula) \
    { const HY__T *in0 = (const HY__T *)in[0], *in1 = (const HY__T *)in[1]; HY__T *y = (HY__T *)out; int64_t i; (void)p; \
      if (step[0] && step[1]) { HY__IVDEP \
          for (i = 0; i < n; i++) { HY__T a = in0[i], b = in1[i]; y[i] = (HY__T)(formula); } } \
      else if (step[0]) { HY__T b = in1[0]; HY__IVDEP \
          for (i = 0; i < n; i++) { HY__T a = in0[i]; y[i] = (HY__T)(formula); } } \
      else { HY__T a = in0[0]; HY__IVDEP \
          for (i = 0; i < n; i++) { HY__T b = in1[i]; y[i] = (HY__T)(formula); } } }
#define HY__POINTWISE_ARGS (const void *const *in, const int *step, void *out, int64_t n, const double *p)
#define HY__LOOP2_PLAIN(formula) \
    { const HY__T *in0 = (const HY__T *)in[0], *in1 = (const HY__T *)in[1]; HY__T *y = (HY__T *)out; int64_t i; (void)p; \
      (void)step; \
      HY__IVDEP \
      for (i = 0; i < n; i++) { HY__T a = in0[i], b = in1[i]; y[i] = (HY__T)(formula); } }
#define HY__DEFINE_MAP(name, formula) \
    HY__TARGET static void HY__PASTE(hy__map_, name, HY__NAME) HY__POINTWISE_ARGS HY__LOOP1(formula)
#define HY__DEFINE_ZIP(name, LOOP, formula) \
    HY__TARGET static void HY__PASTE(hy__zip_, name, HY__NAME) HY__POINTWISE_ARGS LOOP(formula)
#define HY__DEFINE_EXTRA(name, formula, doc) \
    HY__TARGET static void HY__PASTE(hy__extra_, name, HY__NAME) HY__POINTWISE_ARGS HY__LOOP1(formula)
#define HY__DEFINE_UNARY(name, mxnet, class, formula, grad, doc) HY__DEFINE_##class(name, formula)
#define HY__DEFINE_BINARY(name, speed, saves, m1, m2, m3, m4, m5, m6, formula, da, db, doc) \
    HY__DEFINE_ZIP_##speed(name, formula)
#define HY__DEFINE_FAST_ARITH HY__DEFINE_MAP
#define HY__DEFINE_FAST_MATH  HY__DEFINE_MAP
#define HY__DEFINE_ZIP_FAST(name, formula) HY__DEFINE_ZIP(name, HY__LOOP2, formula)
/* For the plainest instruction set everything, ... */
#define HY__DEFINE_ARITH HY__DEFINE_MAP
#define HY__DEFINE_MATH  HY__DEFINE_MAP
#define HY__DEFINE_ZIP_PLAIN(name, formula) HY__DEFINE_ZIP(name, HY__LOOP2_PLAIN, formula)
#define HY__DEFINE_WHERE \
    HY__TARGET static void HY__PASTE(hy__, where, HY__NAME) HY__POINTWISE_ARGS \
    { const HY__T *c = (const HY__T *)in[0], *a = (const HY__T *)in[1], *b = (const HY__T *)in[2]; HY__T *y = (HY__T *)out; \
      int64_t i; (void)step; (void)p; for (i = 0; i < n; i++) y[i] = c[i] != 0 ? a[i] : b[i]; }

/* Functions of one array with parameters p[0], p[1], p[2]. */
#define HY__EXTRAS(X) \
    X(leaky,        V_SEL(x > 0, x, V_K(p[0]) * x), "slope p0 below 0") \
    X(elu,          V_SEL(x > 0, x, V_K(p[0]) * V_EXPM1(x)), "p0 (exp(x) - 1) below 0") \
    X(selu,         V_SEL(x > 0, V_K(1.0507009873554805) * x, V_K(1.7580993408473766) * V_EXPM1(x)), "scaled elu") \
    X(gelu,         V_K(0.5) * x * (1 + V_ERF(x * V_K(0.7071067811865476))), "x times the normal distribution") \
    X(clip,         V_SEL(x < V_K(p[0]), V_K(p[0]), V_SEL(x > V_K(p[1]), V_K(p[1]), x)), "within [p0, p1]") \
    X(smooth_l1,    V_SEL(V_ABS(x) < V_K(p[1]), V_K(0.5) * x * x * V_K(p[0]), V_ABS(x) - V_K(0.5) * V_K(p[1])), \
                    "p0 = sigma^2, p1 = 1 / sigma^2") \
    X(hard_sigmoid, V_MAX(V_K(0), V_MIN(V_K(1), V_K(p[0]) * x + V_K(p[1]))), "p0 x + p1 within [0, 1]") \
    X(identity,     x, "x") \
    X(gauss,        V_K(p[0]) * V_EXP(-x * x), "p0 exp(-x x)") \
    X(log_softmax,  x, "x")
#define HY__EXTRA_NUMBER(name, formula, doc) HY__EXTRA_##name,
enum { HY__EXTRAS(HY__EXTRA_NUMBER) HY__EXTRA_COUNT };

#define HY__STAMP_POINTWISE \
    HY_UNARY_OPS(HY__DEFINE_UNARY) HY_BINARY_OPS(HY__DEFINE_BINARY) HY__EXTRAS(HY__DEFINE_EXTRA) HY__DEFINE_WHERE
#define HY__ROW_UNARY(name, mxnet, class, ...) HY__ROW_##class(name),
#define HY__ROW_BINARY(name, speed, ...) HY__ROW_##speed(name),
#define HY__ROW_FAST_ARITH(name) HY__PASTE(hy__map_, name, HY__NAME)
#define HY__ROW_FAST_MATH(name)  HY__PASTE(hy__map_, name, HY__NAME)
#define HY__ROW_FAST(name)       HY__PASTE(hy__zip_, name, HY__NAME)
#define HY__ROW_ARITH(name)      HY__PASTE(hy__map_, name, HY__NAME)
#define HY__ROW_MATH(name)       HY__PASTE(hy__map_, name, HY__NAME)
#define HY__ROW_PLAIN(name)      HY__PASTE(hy__zip_, name, HY__NAME)
#define HY__ROW_EXTRA(name, formula, doc) HY__PASTE(hy__extra_, name, HY__NAME),
#define HY__UNARY_NUMBER(name, ...)  HY__UNARY_##name,
#define HY__BINARY_NUMBER(name, ...) HY__BINARY_##name,
enum { HY_UNARY_OPS(HY__UNARY_NUMBER) HY__UNARY_COUNT };
enum { HY_BINARY_OPS(HY__BINARY_NUMBER) HY__BINARY_COUNT };

typedef struct hy__pointwise_table {
    hy__pointwise_fn unary[HY__UNARY_COUNT], binary[HY__BINARY_COUNT], extra[HY__EXTRA_COUNT], where;
} hy__pointwise_table;
#define HY__STAMP_TABLE \
    static const hy__pointwise_table HY__PASTE(hy__, table, HY__NAME) = { \
        { HY_UNARY_OPS(HY__ROW_UNARY) }, { HY_BINARY_OPS(HY__ROW_BINARY) }, { HY__EXTRAS(HY__ROW_EXTRA) }, \
        HY__PASTE(hy__, where, HY__NAME) };

/* What the formulas' words mean: floats. */
#define V_K(k)       ((HY__T)(k))
#define V_SEL(c, a, b) ((c) ? (HY__T)(a) : (HY__T)(b))
#define V_BOOL(c)    ((HY__T)((c) ? 1 : 0))
#define V_MAX(a, b)  V_SEL(((a) > (b)) | ((a) != (a)), a, b)
#define V_MIN(a, b)  V_SEL(((a) < (b)) | ((a) != (a)), a, b)
#define V_NEG(x)     (-(x))
#define V_ADD(a, b)  ((a) + (b))
#define V_SUB(a, b)  ((a) - (b))
#define V_MUL(a, b)  ((a) * (b))
#define V_DIV(a, b)  ((a) / (b))

#define HY__T float
#define V_ABS(x)     hy__abs_f32(x)
#define V_MOD(a, b)  hy__mod_f32(a, b)
#define V_POW(a, b)  hy__power_f32(a, b)
#define V_HYPOT(a, b) hy__hypot_f32(a, b)
#define V_SQRT(x)    sqrtf(x)
#define V_EXP(x)     hy__exp_f32(x)
#define V_EXPM1(x)   hy__expm1_f32(x)
#define V_LOG(x)     hy__log_f32(x)
#define V_LOG2(x)    hy__log2_f32(x)
#define V_LOG10(x)   hy__log10_f32(x)
#define V_LOG1P(x)   hy__log1p_f32(x)
#define V_SIGMOID(x) hy__sigmoid_f32(x)
#define V_SOFTRELU(x) hy__softrelu_f32(x)
#define V_TANH(x)    hy__tanh_f32(x)
#define V_ERF(x)     hy__erf_f32(x)
#define V_SIN(x)     hy__sin_f32(x)
#define V_COS(x)     hy__cos_f32(x)
#define V_TAN(x)     hy__tan_f32(x)
#define V_ASIN(x)    hy__arcsin_f32(x)
#define V_ACOS(x)    hy__arccos_f32(x)
#define V_ATAN(x)    hy__arctan_f32(x)
#define V_SINH(x)    hy__sinh_f32(x)
#define V_COSH(x)    hy__cosh_f32(x)
#define V_ASINH(x)   hy__arcsinh_f32(x)
#define V_ACOSH(x)   hy__arccosh_f32(x)
#define V_ATANH(x)   hy__arctanh_f32(x)
#define V_CBRT(x)    hy__cbrt_f32(x)
#define V_ROUND(x)   hy__round_f32(x)
#define V_RINT(x)    hy__rint_f32(x)
#define V_CEIL(x)    hy__ceil_f32(x)
#define V_FLOOR(x)   hy__floor_f32(x)
#define V_TRUNC(x)   hy__trunc_f32(x)
#define V_ERFINV(x)  ((float)hy__erfinv((double)(x)))
#define V_GAMMA(x)   ((float)hy__gamma((double)(x)))
#define V_GAMMALN(x) ((float)hy__gammaln((double)(x)))
#define V_DIGAMMA(x) ((float)hy__digamma((double)(x)))

#define HY__NAME f32_base
#define HY__TARGET
HY__STAMP_POINTWISE
HY__STAMP_TABLE
#if HY__X86
/* ... for the others what is fast; the tables fill up from the plain ones. */
#undef HY__NAME
#undef HY__TARGET
#undef HY__DEFINE_ARITH
#undef HY__DEFINE_MATH
#undef HY__DEFINE_ZIP_PLAIN
#undef HY__ROW_ARITH
#undef HY__ROW_MATH
#undef HY__ROW_PLAIN
#define HY__DEFINE_ARITH(name, formula)
#define HY__DEFINE_MATH(name, formula)
#define HY__DEFINE_ZIP_PLAIN(name, formula)
#define HY__ROW_ARITH(name) hy__map_##name##_f32_base
#define HY__ROW_MATH(name)  hy__map_##name##_f32_base
#define HY__ROW_PLAIN(name) hy__zip_##name##_f32_base
#define HY__NAME f32_avx2
#define HY__TARGET HY__TARGET_AVX2
HY__STAMP_POINTWISE
HY__STAMP_TABLE
#undef HY__NAME
#undef HY__TARGET
#define HY__NAME f32_avx512
#define HY__TARGET HY__TARGET_AVX512
HY__STAMP_POINTWISE
HY__STAMP_TABLE
#undef HY__DEFINE_ARITH
#undef HY__DEFINE_MATH
#undef HY__DEFINE_ZIP_PLAIN
#undef HY__ROW_ARITH
#undef HY__ROW_MATH
#undef HY__ROW_PLAIN
#define HY__DEFINE_ARITH HY__DEFINE_MAP
#define HY__DEFINE_MATH  HY__DEFINE_MAP
#define HY__DEFINE_ZIP_PLAIN(name, formula) HY__DEFINE_ZIP(name, HY__LOOP2_PLAIN, formula)
#define HY__ROW_ARITH(name) HY__PASTE(hy__map_, name, HY__NAME)
#define HY__ROW_MATH(name)  HY__PASTE(hy__map_, name, HY__NAME)
#define HY__ROW_PLAIN(name) HY__PASTE(hy__zip_, name, HY__NAME)
#endif
#undef HY__NAME
#undef HY__TARGET
#define HY__TARGET

/* The same words for doubles: the C library's functions. */
#undef HY__T
#undef V_ABS
#undef V_MOD
#undef V_POW
#undef V_HYPOT
#undef V_SQRT
#undef V_EXP
#undef V_EXPM1
#undef V_LOG
#undef V_LOG2
#undef V_LOG10
#undef V_LOG1P
#undef V_SIGMOID
#undef V_SOFTRELU
#undef V_TANH
#undef V_ERF
#undef V_SIN
#undef V_COS
#undef V_TAN
#undef V_ASIN
#undef V_ACOS
#undef V_ATAN
#undef V_SINH
#undef V_COSH
#undef V_ASINH
#undef V_ACOSH
#undef V_ATANH
#undef V_CBRT
#undef V_ROUND
#undef V_RINT
#undef V_CEIL
#undef V_FLOOR
#undef V_TRUNC
#undef V_ERFINV
#undef V_GAMMA
#undef V_GAMMALN
#undef V_DIGAMMA
#define HY__T double
#define V_ABS(x)     fabs(x)
#define V_MOD(a, b)  hy__mod_f64(a, b)
#define V_POW(a, b)  pow(a, b)
#define V_HYPOT(a, b) hypot(a, b)
#define V_SQRT(x)    sqrt(x)
#define V_EXP(x)     exp(x)
#define V_EXPM1(x)   expm1(x)
#define V_LOG(x)     log(x)
#define V_LOG2(x)    log2(x)
#define V_LOG10(x)   log10(x)
#define V_LOG1P(x)   log1p(x)
#define V_SIGMOID(x) (1 / (1 + exp(-(x))))
#define V_SOFTRELU(x) ((x) > 0 ? (x) + log1p(exp(-(x))) : log1p(exp(x)))
#define V_TANH(x)    tanh(x)
#define V_ERF(x)     erf(x)
#define V_SIN(x)     sin(x)
#define V_COS(x)     cos(x)
#define V_TAN(x)     tan(x)
#define V_ASIN(x)    asin(x)
#define V_ACOS(x)    acos(x)
#define V_ATAN(x)    atan(x)
#define V_SINH(x)    sinh(x)
#define V_COSH(x)    cosh(x)
#define V_ASINH(x)   asinh(x)
#define V_ACOSH(x)   acosh(x)
#define V_ATANH(x)   atanh(x)
#define V_CBRT(x)    cbrt(x)
#define V_ROUND(x)   round(x)
#define V_RINT(x)    hy__rint_down(x)
#define V_CEIL(x)    ceil(x)
#define V_FLOOR(x)   floor(x)
#define V_TRUNC(x)   trunc(x)
#define V_ERFINV(x)  hy__erfinv(x)
#define V_GAMMA(x)   hy__gamma(x)
#define V_GAMMALN(x) hy__gammaln(x)
#define V_DIGAMMA(x) hy__digamma(x)
#define HY__NAME f64
HY__STAMP_POINTWISE
HY__STAMP_TABLE
#undef HY__NAME

/* And for integers, where only ARITH rows and binary ones exist: wrap round, never trap. */
#define HY__INT_MATH(T, U, low) \
    HY__INLINE T hy__div_##T(T a, T b) { return b == 0 ? 0 : b == -1 ? (T)(0 - (U)a) : (T)(a / b); } \
    HY__INLINE T hy__mod_##T(T a, T b) \
    { T m = b == 0 || b == -1 ? 0 : (T)(a % b); return m != 0 && (m < 0) != (b < 0) ? (T)(m + b) : m; } \
    static T hy__pow_##T(T a, T b) \
    { U y = 1, f = (U)a; if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0; \
      for (; b; b >>= 1, f *= f) if (b & 1) y *= f; return (T)y; } \
    HY__INLINE T hy__hypot_##T(T a, T b) { return (T)hy__to_i64(hypot((double)a, (double)b)); }
HY__INT_MATH(int32_t, uint32_t, INT32_MIN)
HY__INT_MATH(int64_t, uint64_t, INT64_MIN)
#undef HY__DEFINE_MATH
#undef HY__DEFINE_FAST_MATH
#undef HY__DEFINE_ZIP_FAST
#undef HY__ROW_MATH
#undef HY__ROW_FAST_MATH
#undef HY__DEFINE_EXTRA
#undef HY__ROW_EXTRA
#define HY__DEFINE_MATH(name, formula)
#define HY__DEFINE_FAST_MATH(name, formula)
#define HY__DEFINE_ZIP_FAST(name, formula) HY__DEFINE_ZIP(name, HY__LOOP2_PLAIN, formula)
#define HY__ROW_MATH(name) NULL
#define HY__ROW_FAST_MATH(name) NULL
#define HY__DEFINE_EXTRA(name, formula, doc)
#define HY__ROW_EXTRA(name, formula, doc) NULL,
#undef V_NEG
#undef V_ADD
#undef V_SUB
#undef V_MUL
#undef V_DIV
#undef V_MOD
#undef V_POW
#undef V_HYPOT
#undef HY__T
#define V_NEG(x)    ((HY__T)(0 - (HY__U)(x)))
#define V_ADD(a, b) ((HY__T)((HY__U)(a) + (HY__U)(b)))
#define V_SUB(a, b) ((HY__T)((HY__U)(a) - (HY__U)(b)))
#define V_MUL(a, b) ((HY__T)((HY__U)(a) * (HY__U)(b)))
#define V_DIV(a, b) HY__PASTE(hy__, div, HY__T)(a, b)
#define V_MOD(a, b) HY__PASTE(hy__, mod, HY__T)(a, b)
#define V_POW(a, b) HY__PASTE(hy__, pow, HY__T)(a, b)
#define V_HYPOT(a, b) HY__PASTE(hy__, hypot, HY__T)(a, b)
#define HY__T int32_t
#define HY__U uint32_t
#define HY__NAME i32
HY__STAMP_POINTWISE
HY__STAMP_TABLE
#undef HY__T
#undef HY__U
#undef HY__NAME
#define HY__T int64_t
#define HY__U uint64_t
#define HY__NAME i64
HY__STAMP_POINTWISE
HY__STAMP_TABLE
#undef HY__T
#undef HY__U
#undef HY__NAME

/* The engine: any strides, any types, broadcasting. Operand 0 is the output. */
enum { HY__OPERANDS = 4, HY__CHUNK = HYBRID_CHUNK };
typedef struct hy__pointwise {
    hy__walk  walk;
    int64_t   total;
    hy_dtype  compute, dtype[HY__OPERANDS];
    int       loose;                    /* the kernel takes steps of 0 */
    hy__pointwise_fn fn;
    double    p[3];
} hy__pointwise;

/* One row segment: n elements from the operands' addresses with their inner strides. */
static void hy__pointwise_row(const hy__pointwise *pw, char *const *at, int64_t n)
{
    double tile[HY__OPERANDS][HY__TILE];
    const void *in[HY__OPERANDS];
    int step[HY__OPERANDS], direct[HY__OPERANDS], all = 1, k, last = pw->walk.ndim - 1;
    int64_t stride[HY__OPERANDS], i, m;
    for (k = 0; k < pw->walk.n; k++) {
        stride[k] = pw->walk.stride[k][last];
        direct[k] = pw->dtype[k] == pw->compute && (stride[k] == 1 || n == 1 || (k && stride[k] == 0 && pw->loose));
        all &= direct[k];
    }
    for (i = 0; i < n; i += m) {
        void *out = direct[0] ? at[0] + i * hy__traits[pw->dtype[0]].size : (char *)tile[0];
        m = all || n - i < HY__TILE ? n - i : HY__TILE;
        for (k = 1; k < pw->walk.n; k++) {
            const char *from = at[k] + i * stride[k] * hy__traits[pw->dtype[k]].size;
            step[k - 1] = !(direct[k] && stride[k] == 0);
            if (!direct[k]) hy__load_tile(pw->compute, tile[k], from, pw->dtype[k], stride[k], m);
            in[k - 1] = direct[k] ? (const void *)from : (const void *)tile[k];
        }
        if (pw->walk.n == 3 && !step[0] && !step[1]) step[0] = step[1] = m == 1;
        if (pw->walk.n == 3 && !step[0] && !step[1]) {          /* two single values: widen one */
            hy__load_tile(pw->compute, tile[1], in[0], pw->compute, 0, m < HY__TILE ? m : (m = HY__TILE));
            in[0] = tile[1];
            step[0] = 1;
        }
        pw->fn(in, step, out, m, pw->p);
        if (!direct[0])
            hy__store_tile(pw->compute, at[0] + i * stride[0] * hy__traits[pw->dtype[0]].size, pw->dtype[0], stride[0],
                           tile[0], m);
    }
}

static void hy__pointwise_run(const hy__pointwise *pw, void *const *data, int64_t item)
{
    int64_t at[HY_MAX_DIM], offset[HY__WALK], i = item * HY__CHUNK, end = i + HY__CHUNK, m;
    int k, last = pw->walk.ndim - 1;
    char *address[HY__OPERANDS];
    if (end > pw->total) end = pw->total;
    hy__walk_seek(&pw->walk, i, at, offset);
    for (; i < end; i += m) {
        m = pw->walk.dim[last] - at[last];
        if (m > end - i) m = end - i;
        for (k = 0; k < pw->walk.n; k++)
            address[k] = (char *)data[k] + offset[k] * hy__traits[pw->dtype[k]].size;
        hy__pointwise_row(pw, address, m);
        hy__walk_next(&pw->walk, at, offset);
    }
}

/* --- reductions: doubles for floats, int64 for integers --- */
typedef enum hy__reduction {
    HY__SUM, HY__MEAN, HY__PROD, HY__NANSUM, HY__NANPROD, HY__MAX, HY__MIN, HY__NORM1, HY__NORM2
} hy__reduction;
enum { HY__LANES = 8, HY__COLUMNS = HY__TILE, HY__PART = 1 << 16 };

#define HY__FOLD(kind, joined) \
    case kind: for (i = 0; i + HY__LANES <= n; i += HY__LANES) for (k = 0; k < HY__LANES; k++) \
               { double x = v[i + k], y = acc[k]; acc[k] = joined; } \
               for (k = 0; i < n; i++, k++) { double x = v[i], y = acc[k]; acc[k] = joined; } break;
#define HY__FOLDS(FOLD) \
    FOLD(HY__MEAN,    y + x) \
    FOLD(HY__PROD,    y * x) \
    FOLD(HY__NANSUM,  y + (x != x ? 0 : x)) \
    FOLD(HY__NANPROD, y * (x != x ? 1 : x)) \
    FOLD(HY__MAX,     (x > y) | (x != x) ? x : y) \
    FOLD(HY__MIN,     (x < y) | (x != x) ? x : y) \
    FOLD(HY__NORM1,   y + (x < 0 ? -x : x)) \
    FOLD(HY__NORM2,   y + x * x)

/* Joins n values into 8 lanes, value i into lane i % 8. */
static void hy__fold_lanes(hy__reduction kind, double *acc, const double *v, int64_t n)
{
    int64_t i, k;
    switch (kind) {
    HY__FOLDS(HY__FOLD)
    default: break;
    }
}
#undef HY__FOLD
#define HY__FOLD(kind, joined) \
    case kind: for (i = 0; i < n; i++) { double x = v[i], y = acc[i]; acc[i] = joined; } break;
static void hy__fold_columns(hy__reduction kind, double *acc, const double *v, int64_t n)
{
    int64_t i;
    switch (kind) {
    HY__FOLDS(HY__FOLD)
    default: break;
    }
}
#undef HY__FOLD
#define HY__FOLD(kind, joined) \
    case kind: for (i = 0; i < n; i++) { int64_t x = v[i], y = acc[i * step]; acc[i * step] = joined; } break;
static void hy__fold_integers(hy__reduction kind, int64_t *acc, int64_t step, const int64_t *v, int64_t n)
{
    int64_t i;
    switch (kind) {
    case HY__NANSUM: case HY__SUM:
    HY__FOLD(HY__MEAN,    (int64_t)((uint64_t)y + (uint64_t)x))
    case HY__NANPROD:
    HY__FOLD(HY__PROD,    (int64_t)((uint64_t)y * (uint64_t)x))
    HY__FOLD(HY__MAX,     x > y ? x : y)
    HY__FOLD(HY__MIN,     x < y ? x : y)
    HY__FOLD(HY__NORM1,   (int64_t)((uint64_t)y + (x < 0 ? 0 - (uint64_t)x : (uint64_t)x)))
    HY__FOLD(HY__NORM2,   (int64_t)((uint64_t)y + (uint64_t)x * (uint64_t)x))
    default: break;
    }
}
#undef HY__FOLD

/* How two partial results join: sums of squares are already squared. */
static hy__reduction hy__join(hy__reduction kind)
{
    return kind == HY__NORM1 || kind == HY__NORM2 || kind == HY__NANSUM || kind == HY__SUM ? HY__MEAN
         : kind == HY__NANPROD ? HY__PROD : kind;
}

static double hy__fold_start(hy__reduction kind)
{
    return kind == HY__PROD || kind == HY__NANPROD ? 1 : kind == HY__MAX ? -HUGE_VAL : kind == HY__MIN ? HUGE_VAL : 0;
}

typedef struct hy__reduce {
    hy__walk      kept, gone;           /* the input's dims that stay and that vanish */
    hy__reduction kind;
    hy_dtype      from, to;
    int           integer, columns;     /* columns: neighbours in memory are different outputs */
    int64_t       outputs, count;       /* outputs, and how many values each joins */
    int64_t       width, parts;         /* outputs per item, pieces of a long reduction */
} hy__reduce;

/* The partial result of outputs [first, first + width) over values [low, high): 8 bytes each into acc. */
static void hy__reduce_part(const hy__reduce *r, const char *data, int64_t first, int64_t width, int64_t low,
                            int64_t high, void *acc)
{
    int64_t out_at[HY_MAX_DIM], at[HY_MAX_DIM], base[HY__WALK], offset[HY__WALK], i, j, m, k;
    double tile[HY__TILE], lanes[HY__LANES], *sum = (double *)acc;
    int64_t *isum = (int64_t *)acc;
    int size = hy__traits[r->from].size, last = r->gone.ndim - 1, out_last = r->kept.ndim - 1;
    int64_t istart = r->kind == HY__PROD || r->kind == HY__NANPROD ? 1 : r->kind == HY__MAX ? INT64_MIN
                   : r->kind == HY__MIN ? INT64_MAX : 0;
    hy__reduction fold = r->kind == HY__SUM ? HY__MEAN : r->kind;
    for (j = 0; j < width; j++) if (r->integer) isum[j] = istart; else sum[j] = hy__fold_start(r->kind);
    hy__walk_seek(&r->kept, first, out_at, base);
    for (j = 0; j < width; j += k) {
        k = r->columns ? r->kept.dim[out_last] - out_at[out_last] : 1;
        if (k > width - j) k = width - j;
        hy__walk_seek(&r->gone, low, at, offset);
        for (i = 0; i < HY__LANES; i++) lanes[i] = hy__fold_start(r->kind);
        for (i = low; i < high; i += m) {
            const char *from = data + (base[0] + offset[0]) * size;
            m = r->columns ? 1 : r->gone.dim[last] - at[last];
            if (m > high - i) m = high - i;
            if (m > HY__TILE) m = HY__TILE;
            if (r->integer) {
                hy__load_i64tile((int64_t *)(void *)tile, from, r->from,
                                 r->columns ? r->kept.stride[0][out_last] : r->gone.stride[0][last], r->columns ? k : m);
                hy__fold_integers(fold, isum + j, r->columns, (const int64_t *)(void *)tile, r->columns ? k : m);
            } else {
                hy__load_f64(tile, from, r->from, r->columns ? r->kept.stride[0][out_last] : r->gone.stride[0][last],
                             r->columns ? k : m);
                if (r->columns) hy__fold_columns(fold, sum + j, tile, k);
                else hy__fold_lanes(fold, lanes, tile, m);
            }
            at[last] += m;
            offset[0] += m * r->gone.stride[0][last];
            if (at[last] == r->gone.dim[last]) hy__walk_next(&r->gone, at, offset);
        }
        if (!r->columns && !r->integer) {
            for (m = HY__LANES / 2; m; m /= 2) hy__fold_columns(hy__join(r->kind), lanes, lanes + m, m);
            sum[j] = lanes[0];
        }
        out_at[out_last] += k;
        base[0] += k * r->kept.stride[0][out_last];
        if (out_at[out_last] == r->kept.dim[out_last]) hy__walk_next(&r->kept, out_at, base);
    }
}

/* Partial results -> outputs. */
static void hy__reduce_finish(const hy__reduce *r, void *acc, char *out, int64_t first, int64_t width)
{
    double *sum = (double *)acc;
    int64_t j;
    if (r->integer) {
        int64_t *isum = (int64_t *)acc;
        for (j = 0; j < width; j++) {
            if (r->kind == HY__MEAN) isum[j] = r->count ? isum[j] / r->count : 0;
            if (r->kind == HY__NORM2) isum[j] = (int64_t)sqrt((double)isum[j]);
        }
        hy__store_i64(out + first * hy__traits[r->to].size, r->to, 1, isum, width);
        return;
    }
    for (j = 0; j < width; j++) {
        if (r->kind == HY__MEAN) sum[j] = sum[j] / (double)r->count;
        if (r->kind == HY__NORM2) sum[j] = sqrt(sum[j]);
    }
    hy__store_f64(out + first * hy__traits[r->to].size, r->to, 1, sum, width);
}

/* ---- gemm: C(m,n) = A(m,k) B(k,n) [+ C]
   A register tile of up to 6 rows x 4 vectors of C walks along k, one row of B and one column of A per step.
   B is read where it lies when its rows are contiguous and either one tile holds all of A or B fits in L2;
   else in panels packed k-major, by a first stage into `shared` or, when a panel has one reader only, by that
   reader into its scratch. When the rows of A and the columns of B are contiguous and the product is thin,
   tiles of dot products read both in place. A with contiguous rows is never copied.
   The drivers see bytes and element sizes; only the kernels know f32 from f64. Every element of C is one
   chain of sums whose order depends on shapes, strides and ISA alone. */

#define HY__TILE_ROWS 6
#define HY__TILE_VECS 4
#define HY__DOT_COLS 4
#define HY__DOT_THIN_M 48                /* rows of A up to which dot products beat transposing B */
#define HY__DOT_WORK (1 << 18)
#define HY__IN_PLACE_M 256               /* rows of A up to which a B that fits a strip stays in place */
#define HY__STRIP_LANE (1 << 14)         /* elements of B kept in L2, per lane: 1 MB of AVX-512 */
#define HY__ITEMS_WANTED 20              /* so that 16 threads stay busy */
#define HY__ITEM_WORK (1 << 19)          /* least multiply-adds of an item */

typedef struct hy__tile {                /* one call of a kernel; strides in elements */
    int64_t k, cols, a_row, a_col, b_step, c_row;
    int64_t last;                        /* where the last vector starts; at a ragged edge it overlaps */
    int rows, accumulate;
} hy__tile;

typedef void (*hy__tile_fn)(const hy__tile *t, const void *a, const void *b, void *c);

typedef struct hy__gemm_isa {            /* kernels for one ISA and element type */
    const hy__tile_fn *tiles;            /* [(rows - 1) * HY__TILE_VECS + vecs - 1] */
    const hy__tile_fn *dots;             /* [rows - 1] */
    int lanes, vecs, dot_rows, k_block;  /* vecs: of a 6-row tile */
} hy__gemm_isa;

enum { HY__B_IN_PLACE, HY__B_IN_SCRATCH, HY__B_IN_SHARED };

typedef struct hy__gemm {
    int64_t m, n, k;
    int64_t a_row, a_col, b_row, b_col, c_row;   /* element strides; C has unit column stride */
    int accumulate;                              /* 0: C = AB, 1: C += AB */
    /* derived by plan */
    const hy__gemm_isa *isa;
    int size, use_dots, pack_a, b_place;         /* size: bytes of an element */
    int64_t panel, k_block;                      /* columns of a panel of B; steps of k between visits to C */
    int64_t row_block, col_block, row_blocks, col_blocks;
    int64_t pack_items, items;                /* stage 1 (may be 0): pack B into shared; stage 2: compute */
    size_t shared_bytes, scratch_bytes;
} hy__gemm;

HY__INLINE int64_t hy__gemm_min(int64_t a, int64_t b) { return a < b ? a : b; }
HY__INLINE int64_t hy__gemm_max(int64_t a, int64_t b) { return a > b ? a : b; }
HY__INLINE int64_t hy__gemm_ceil(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/* The micro-kernels: the only place where a*b + c may become one rounding. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O3", "fp-contract=fast")
#define HY__CONTRACT
#elif defined(__clang__)
#define HY__CONTRACT _Pragma("clang fp contract(fast)")
#else
#define HY__CONTRACT
#endif

#if HY__SIMD

#define HY__VECTOR(T, bytes, V) \
    typedef T V __attribute__((vector_size(bytes))); \
    typedef T V##_at __attribute__((vector_size(bytes), aligned(sizeof(T)), may_alias)); \
    typedef int64_t V##_bits __attribute__((vector_size(bytes))); \
    typedef int64_t V##_mask __attribute__((vector_size(bytes), aligned(sizeof(T)), may_alias));
HY__VECTOR(float, 16, hy__f32x4)
HY__VECTOR(double, 16, hy__f64x2)
#ifdef HY__TARGET_AVX2
HY__VECTOR(float, 32, hy__f32x8)
HY__VECTOR(double, 32, hy__f64x4)
HY__VECTOR(float, 64, hy__f32x16)
HY__VECTOR(double, 64, hy__f64x8)
#endif

/* The bodies carry their target themselves: vector code is lowered before it is inlined. Tiles are unrolled
   by macros and their bounds are constants after inlining, so that all sums live in registers. */
#define HY__EACH_ROW(X) X(0) X(1) X(2) X(3) X(4) X(5)
#define HY__EACH_COL(X, i) X(i, 0) X(i, 1) X(i, 2) X(i, 3)

#define HY__TILE_AT(j) ((j) + 1 == vecs ? t->last : (j) * lanes)
#define HY__TILE_ZERO(i, j) acc[i][j] = zero;
#define HY__TILE_FETCH(i, j) if (vecs > j) { \
        bv[j] = *(const vec_at *)(b + HY__TILE_AT(j)); \
        __builtin_prefetch((const void *)((uintptr_t)b + ahead + j * sizeof(vec))); }
#define HY__TILE_STEP(i, j) if (vecs > j) acc[i][j] += a[i * a_row] * bv[j];
#define HY__TILE_ADD(i, j) if (vecs > j) acc[i][j] += *(const vec_at *)(c + i * c_row + HY__TILE_AT(j));
#define HY__TILE_STORE(i, j) if (vecs > j) *(vec_at *)(c + i * c_row + HY__TILE_AT(j)) = acc[i][j];
#define HY__TILE_SPILL(i, j) if (j == 0) *(vec_at *)(sliver + i * lanes) = acc[i][j];
#define HY__TILE_ZEROS(i) HY__EACH_COL(HY__TILE_ZERO, i)
#define HY__TILE_STEPS(i) if (rows > i) { HY__EACH_COL(HY__TILE_STEP, i) }
#define HY__TILE_ADDS(i) if (rows > i) { HY__EACH_COL(HY__TILE_ADD, i) }
#define HY__TILE_STORES(i) if (rows > i) { HY__EACH_COL(HY__TILE_STORE, i) }
#define HY__TILE_SPILLS(i) if (rows > i) { HY__EACH_COL(HY__TILE_SPILL, i) }

#define HY__TILE_BODY(name, T, V, TARGET) \
HY__INLINE TARGET void name(const int rows, const int vecs, const hy__tile *t, const T *a, const T *b, T *c) \
{ \
    HY__CONTRACT \
    typedef V vec; \
    typedef V##_at vec_at; \
    enum { lanes = sizeof(V) / sizeof(T) }; \
    const vec zero = {0}; \
    const int64_t a_row = t->a_row, a_col = t->a_col, b_step = t->b_step, c_row = t->c_row, k = t->k; \
    const size_t ahead = (size_t)b_step * (8 * sizeof(T)); \
    vec acc[HY__TILE_ROWS][HY__TILE_VECS], bv[HY__TILE_VECS]; \
    int64_t p; \
    HY__EACH_ROW(HY__TILE_ZEROS) \
    for (p = 0; p < k; p++, a += a_col, b += b_step) { \
        HY__EACH_COL(HY__TILE_FETCH, 0) \
        HY__EACH_ROW(HY__TILE_STEPS) \
    } \
    if (vecs == 1 && t->cols < lanes) { \
        T sliver[HY__TILE_ROWS * lanes]; \
        int64_t i, j; \
        HY__EACH_ROW(HY__TILE_SPILLS) \
        for (i = 0; i < rows; i++) \
            for (j = 0; j < t->cols; j++) \
                c[i * c_row + j] = t->accumulate ? c[i * c_row + j] + sliver[i * lanes + j] \
                                                 : sliver[i * lanes + j]; \
        return; \
    } \
    if (t->accumulate) { \
        HY__EACH_ROW(HY__TILE_ADDS) \
    } \
    HY__EACH_ROW(HY__TILE_STORES) \
}

/* rows x 4 dot products. The ragged end of k is read as one more full vector that reaches back; lanes already
   counted are masked off on both sides. */
static const int64_t hy__dot_tail[16] = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};

#define HY__DOT_STEP(i, j) acc[i][j] += av * bv[j];
#define HY__DOT_FETCH(i, j) bv[j] = *(const vec_at *)(b##j + p);
#define HY__DOT_MASK(i, j) bv[j] = (vec)((bits)bv[j] & mask);
#define HY__DOT_SPILL(i, j) *(vec_at *)(part + (i * HY__DOT_COLS + j) * lanes) = acc[i][j];
#define HY__DOT_STEPS(i) if (rows > i) { \
        av = *(const vec_at *)(a + i * a_row + p); \
        HY__EACH_COL(HY__DOT_STEP, i) }
#define HY__DOT_TAILS(i) if (rows > i) { \
        av = *(const vec_at *)(a + i * a_row + p); \
        av = (vec)((bits)av & mask); \
        HY__EACH_COL(HY__DOT_STEP, i) }
#define HY__DOT_SPILLS(i) if (rows > i) { HY__EACH_COL(HY__DOT_SPILL, i) }

#define HY__DOT_BODY(name, T, V, Q, TARGET) \
HY__INLINE TARGET void name(const int rows, const hy__tile *t, const T *a, const T *b0, T *c) \
{ \
    HY__CONTRACT \
    typedef V vec; \
    typedef V##_at vec_at; \
    typedef V##_bits bits; \
    typedef Q quad; \
    typedef Q##_at quad_at; \
    enum { lanes = sizeof(V) / sizeof(T), wide = 16 / sizeof(T), quads = sizeof(V) / 16 }; \
    const vec zero = {0}; \
    const int64_t a_row = t->a_row, cols = t->cols, k = t->k; \
    const T *b1 = b0 + (cols > 1 ? t->b_step : 0), *b2 = b0 + (cols > 2 ? 2 * t->b_step : 0); \
    const T *b3 = b0 + (cols > 3 ? 3 * t->b_step : 0); \
    vec acc[HY__TILE_ROWS][HY__DOT_COLS], bv[HY__DOT_COLS], av; \
    T part[HY__TILE_ROWS * HY__DOT_COLS * lanes], fold[HY__TILE_ROWS * HY__DOT_COLS * wide]; \
    int64_t p, i, j; \
    HY__EACH_ROW(HY__TILE_ZEROS) \
    for (p = 0; p + lanes <= k; p += lanes) { \
        HY__EACH_COL(HY__DOT_FETCH, 0) \
        HY__EACH_ROW(HY__DOT_STEPS) \
    } \
    if (p < k) { \
        const char *tail = (const char *)(hy__dot_tail + 8) - sizeof(V); \
        const bits mask = *(const V##_mask *)(tail + (size_t)(k - p) * sizeof(T)); \
        p = k - lanes; \
        HY__EACH_COL(HY__DOT_FETCH, 0) \
        HY__EACH_COL(HY__DOT_MASK, 0) \
        HY__EACH_ROW(HY__DOT_TAILS) \
    } \
    HY__EACH_ROW(HY__DOT_SPILLS) \
    for (i = 0; i < rows * HY__DOT_COLS; i++) { \
        const quad_at *s = (const quad_at *)(part + i * lanes); \
        quad q = s[0]; \
        if (quads == 2) q += s[1]; \
        if (quads == 4) q = (q + s[2]) + (s[1] + s[3]); \
        *(quad_at *)(fold + i * wide) = q; \
    } \
    for (i = 0; i < rows; i++) \
        for (j = 0; j < HY__DOT_COLS && j < cols; j++) { \
            const T *s = fold + (i * HY__DOT_COLS + j) * wide; \
            const T sum = wide == 4 ? (s[0] + s[2]) + (s[1] + s[wide - 1]) : s[0] + s[1]; \
            c[i * t->c_row + j] = t->accumulate ? c[i * t->c_row + j] + sum : sum; \
        } \
}

#define HY__TILE_STAMP(name, T, TARGET, r, v) \
    TARGET static void name##_##r##v(const hy__tile *t, const void *a, const void *b, void *c) \
    { name(r, v, t, (const T *)a, (const T *)b, (T *)c); }
#define HY__DOT_STAMP(name, T, TARGET, r) \
    TARGET static void name##_##r(const hy__tile *t, const void *a, const void *b, void *c) \
    { name(r, t, (const T *)a, (const T *)b, (T *)c); }

/* 32 registers hold tiles of 6 x 4 vectors; 16 hold 6 x 2 or, for few rows that need long chains, 3 x 4. */
#define HY__TILES_SMALL(X, name, T, TARGET) \
    X(name, T, TARGET, 1, 1) X(name, T, TARGET, 1, 2) X(name, T, TARGET, 1, 3) X(name, T, TARGET, 1, 4) \
    X(name, T, TARGET, 2, 1) X(name, T, TARGET, 2, 2) X(name, T, TARGET, 2, 3) X(name, T, TARGET, 2, 4) \
    X(name, T, TARGET, 3, 1) X(name, T, TARGET, 3, 2) X(name, T, TARGET, 3, 3) X(name, T, TARGET, 3, 4) \
    X(name, T, TARGET, 4, 1) X(name, T, TARGET, 4, 2) X(name, T, TARGET, 5, 1) X(name, T, TARGET, 5, 2) \
    X(name, T, TARGET, 6, 1) X(name, T, TARGET, 6, 2)
#define HY__TILES_LARGE(X, name, T, TARGET) \
    X(name, T, TARGET, 4, 3) X(name, T, TARGET, 4, 4) X(name, T, TARGET, 5, 3) X(name, T, TARGET, 5, 4) \
    X(name, T, TARGET, 6, 3) X(name, T, TARGET, 6, 4)

#define HY__GEMM_KERNELS_16(tile, dot, T, V, Q, TARGET, k_block) \
HY__TILE_BODY(tile, T, V, TARGET) \
HY__TILES_SMALL(HY__TILE_STAMP, tile, T, TARGET) \
static const hy__tile_fn tile##_table[] = { \
    tile##_11, tile##_12, tile##_13, tile##_14, tile##_21, tile##_22, tile##_23, tile##_24, \
    tile##_31, tile##_32, tile##_33, tile##_34, tile##_41, tile##_42, NULL, NULL, \
    tile##_51, tile##_52, NULL, NULL, tile##_61, tile##_62, NULL, NULL}; \
HY__DOT_BODY(dot, T, V, Q, TARGET) \
HY__DOT_STAMP(dot, T, TARGET, 1) HY__DOT_STAMP(dot, T, TARGET, 2) HY__DOT_STAMP(dot, T, TARGET, 3) \
static const hy__tile_fn dot##_table[] = {dot##_1, dot##_2, dot##_3}; \
static const hy__gemm_isa tile##_isa = {tile##_table, dot##_table, sizeof(V) / sizeof(T), 2, 3, k_block};

#define HY__GEMM_KERNELS_32(tile, dot, T, V, Q, TARGET, k_block) \
HY__TILE_BODY(tile, T, V, TARGET) \
HY__TILES_SMALL(HY__TILE_STAMP, tile, T, TARGET) \
HY__TILES_LARGE(HY__TILE_STAMP, tile, T, TARGET) \
static const hy__tile_fn tile##_table[] = { \
    tile##_11, tile##_12, tile##_13, tile##_14, tile##_21, tile##_22, tile##_23, tile##_24, \
    tile##_31, tile##_32, tile##_33, tile##_34, tile##_41, tile##_42, tile##_43, tile##_44, \
    tile##_51, tile##_52, tile##_53, tile##_54, tile##_61, tile##_62, tile##_63, tile##_64}; \
HY__DOT_BODY(dot, T, V, Q, TARGET) \
HY__DOT_STAMP(dot, T, TARGET, 1) HY__DOT_STAMP(dot, T, TARGET, 2) HY__DOT_STAMP(dot, T, TARGET, 3) \
HY__DOT_STAMP(dot, T, TARGET, 4) HY__DOT_STAMP(dot, T, TARGET, 5) HY__DOT_STAMP(dot, T, TARGET, 6) \
static const hy__tile_fn dot##_table[] = {dot##_1, dot##_2, dot##_3, dot##_4, dot##_5, dot##_6}; \
static const hy__gemm_isa tile##_isa = {tile##_table, dot##_table, sizeof(V) / sizeof(T), 4, 6, k_block};

#define HY__TARGET_BASE
#ifdef __aarch64__
HY__GEMM_KERNELS_32(hy__tile_f32_base, hy__dot_f32_base, float, hy__f32x4, hy__f32x4, HY__TARGET_BASE, 256)
HY__GEMM_KERNELS_32(hy__tile_f64_base, hy__dot_f64_base, double, hy__f64x2, hy__f64x2, HY__TARGET_BASE, 256)
#else
HY__GEMM_KERNELS_16(hy__tile_f32_base, hy__dot_f32_base, float, hy__f32x4, hy__f32x4, HY__TARGET_BASE, 256)
HY__GEMM_KERNELS_16(hy__tile_f64_base, hy__dot_f64_base, double, hy__f64x2, hy__f64x2, HY__TARGET_BASE, 256)
#endif
#ifdef HY__TARGET_AVX2
HY__GEMM_KERNELS_16(hy__tile_f32_avx2, hy__dot_f32_avx2, float, hy__f32x8, hy__f32x4, HY__TARGET_AVX2, 256)
HY__GEMM_KERNELS_16(hy__tile_f64_avx2, hy__dot_f64_avx2, double, hy__f64x4, hy__f64x2, HY__TARGET_AVX2, 256)
HY__GEMM_KERNELS_32(hy__tile_f32_avx512, hy__dot_f32_avx512, float, hy__f32x16, hy__f32x4,
    HY__TARGET_AVX512, 512)
HY__GEMM_KERNELS_32(hy__tile_f64_avx512, hy__dot_f64_avx512, double, hy__f64x8, hy__f64x2,
    HY__TARGET_AVX512, 512)
#endif

#else

#define HY__SCALAR_LANES 16
#define HY__GEMM_KERNELS_SCALAR(tile, dot, T) \
static void tile(const hy__tile *t, const void *va, const void *vb, void *vc) \
{ \
    const T *a = (const T *)va; \
    T *c = (T *)vc; \
    int64_t p, i, j; \
    for (i = 0; i < t->rows; i++) { \
        const T *b = (const T *)vb; \
        T sum[HY__SCALAR_LANES] = {0}; \
        for (p = 0; p < t->k; p++, b += t->b_step) { \
            const T x = a[i * t->a_row + p * t->a_col]; \
            for (j = 0; j < HY__SCALAR_LANES; j++) sum[j] += x * b[j]; \
        } \
        for (j = 0; j < t->cols; j++) \
            c[i * t->c_row + j] = t->accumulate ? c[i * t->c_row + j] + sum[j] : sum[j]; \
    } \
} \
static void dot(const hy__tile *t, const void *va, const void *vb, void *vc) \
{ \
    const T *a = (const T *)va; \
    T *c = (T *)vc; \
    int64_t p, i, j, l; \
    for (i = 0; i < t->rows; i++, a += t->a_row) \
        for (j = 0; j < t->cols; j++) { \
            const T *b = (const T *)vb + j * t->b_step; \
            T sum[4] = {0}, all; \
            for (p = 0; p + 4 <= t->k; p += 4) \
                for (l = 0; l < 4; l++) sum[l] += a[p + l] * b[p + l]; \
            for (; p < t->k; p++) sum[0] += a[p] * b[p]; \
            all = (sum[0] + sum[2]) + (sum[1] + sum[3]); \
            c[i * t->c_row + j] = t->accumulate ? c[i * t->c_row + j] + all : all; \
        } \
} \
static const hy__tile_fn tile##_table[] = { \
    tile, NULL, NULL, NULL, tile, NULL, NULL, NULL, tile, NULL, NULL, NULL, \
    tile, NULL, NULL, NULL, tile, NULL, NULL, NULL, tile, NULL, NULL, NULL}; \
static const hy__tile_fn dot##_table[] = {dot}; \
static const hy__gemm_isa tile##_isa = {tile##_table, dot##_table, HY__SCALAR_LANES, 1, 1, 256};

HY__GEMM_KERNELS_SCALAR(hy__tile_f32_base, hy__dot_f32_base, float)
HY__GEMM_KERNELS_SCALAR(hy__tile_f64_base, hy__dot_f64_base, double)

#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* ---- packing: pure moves of elements of `size` bytes, a constant after inlining */

#if HY__SIMD
typedef int32_t hy__i32x4 __attribute__((vector_size(16)));
typedef int64_t hy__i64x2 __attribute__((vector_size(16)));
#ifdef __clang__
#define HY__SHUFFLE4(x, y, i0, i1, i2, i3) __builtin_shufflevector(x, y, i0, i1, i2, i3)
#define HY__SHUFFLE2(x, y, i0, i1) __builtin_shufflevector(x, y, i0, i1)
#else
#define HY__SHUFFLE4(x, y, i0, i1, i2, i3) \
    __extension__({ const hy__i32x4 pick = {i0, i1, i2, i3}; __builtin_shuffle(x, y, pick); })
#define HY__SHUFFLE2(x, y, i0, i1) \
    __extension__({ const hy__i64x2 pick = {i0, i1}; __builtin_shuffle(x, y, pick); })
#endif

/* a square of 16 / size rows: contiguous columns of src, src_step bytes apart -> contiguous rows of dst */
HY__INLINE void hy__gemm_square(int size, const char *src, int64_t src_step, char *dst, int64_t dst_step)
{
    if (size == 4) {
        hy__i32x4 x0, x1, x2, x3, y0, y1, y2, y3;
        memcpy(&x0, src, 16);
        memcpy(&x1, src + src_step, 16);
        memcpy(&x2, src + 2 * src_step, 16);
        memcpy(&x3, src + 3 * src_step, 16);
        y0 = HY__SHUFFLE4(x0, x1, 0, 4, 1, 5);
        y1 = HY__SHUFFLE4(x0, x1, 2, 6, 3, 7);
        y2 = HY__SHUFFLE4(x2, x3, 0, 4, 1, 5);
        y3 = HY__SHUFFLE4(x2, x3, 2, 6, 3, 7);
        x0 = HY__SHUFFLE4(y0, y2, 0, 1, 4, 5);
        x1 = HY__SHUFFLE4(y0, y2, 2, 3, 6, 7);
        x2 = HY__SHUFFLE4(y1, y3, 0, 1, 4, 5);
        x3 = HY__SHUFFLE4(y1, y3, 2, 3, 6, 7);
        memcpy(dst, &x0, 16);
        memcpy(dst + dst_step, &x1, 16);
        memcpy(dst + 2 * dst_step, &x2, 16);
        memcpy(dst + 3 * dst_step, &x3, 16);
    } else {
        hy__i64x2 x0, x1, y0, y1;
        memcpy(&x0, src, 16);
        memcpy(&x1, src + src_step, 16);
        y0 = HY__SHUFFLE2(x0, x1, 0, 2);
        y1 = HY__SHUFFLE2(x0, x1, 1, 3);
        memcpy(dst, &y0, 16);
        memcpy(dst + dst_step, &y1, 16);
    }
}
#endif

/* dst(i,j) = src(i,j) for any strides of src, in bytes */
HY__INLINE void hy__gemm_move(int size, const char *src, int64_t row, int64_t col, char *dst, int64_t step,
    int64_t rows, int64_t cols)
{
    int64_t i, j;
    for (i = 0; i < rows; i++)
        for (j = 0; j < cols; j++) memcpy(dst + i * step + j * size, src + i * row + j * col, (size_t)size);
}

/* B (k,cols) -> dst, k rows of `panel` elements; less than a vector is padded with zeros */
HY__INLINE void hy__gemm_pack_b_sized(int size, const hy__gemm *g, const char *b, int64_t k, int64_t cols,
    char *dst)
{
    const int64_t row = g->b_row * size, col = g->b_col * size, step = g->panel * size;
    int64_t p = 0, q, j;
    if (cols < g->isa->lanes)
        for (q = 0; q < k; q++)
            memset(dst + q * step + cols * size, 0, (size_t)((g->isa->lanes - cols) * size));
    if (g->b_col == 1) {
        const int64_t bytes = cols * size;
        for (; p < k; p++) {
            for (j = 0; j + 64 <= bytes; j += 64) memcpy(dst + p * step + j, b + p * row + j, 64);
            for (; j < bytes; j += size) memcpy(dst + p * step + j, b + p * row + j, (size_t)size);
        }
        return;
    }
#if HY__SIMD
    if (g->b_row == 1) {
        const int64_t side = 16 / size, bands = k - k % side, whole = cols - cols % side;
        for (; p < bands; p += 64)               /* bands so short that the lines being filled stay in L1 */
            for (j = 0; j < whole; j += side)
                for (q = p; q < bands && q < p + 64; q += side)
                    hy__gemm_square(size, b + q * size + j * col, col, dst + q * step + j * size, step);
        hy__gemm_move(size, b + whole * col, row, col, dst + whole * size, step, bands, cols - whole);
        p = bands;
    }
#endif
    hy__gemm_move(size, b + p * row, row, col, dst + p * step, step, k - p, cols);
}

static void hy__gemm_pack_b(const hy__gemm *g, const char *b, int64_t k, int64_t cols, char *dst)
{
    if (g->size == 4) hy__gemm_pack_b_sized(4, g, b, k, cols, dst);
    else hy__gemm_pack_b_sized(8, g, b, k, cols, dst);
}

/* the rows of a block are dealt evenly to its tiles: tile i starts at rows * i / tiles */
HY__INLINE int64_t hy__gemm_tile_row(int64_t rows, int64_t i)
{
    return rows * i / hy__gemm_ceil(rows, HY__TILE_ROWS);
}

/* A (rows,k) -> dst, per tile k columns of 6 elements; what a tile of fewer rows leaves over is never read */
HY__INLINE void hy__gemm_pack_a_sized(int size, const hy__gemm *g, const char *a, int64_t rows, int64_t k,
    char *dst)
{
    const int64_t row = g->a_row * size, col = g->a_col * size, step = HY__TILE_ROWS * size;
    const int64_t tiles = hy__gemm_ceil(rows, HY__TILE_ROWS);
    int64_t i, p, r, from, next;
    /* k outermost: with unit row stride each line of A is read once */
    for (p = 0; p < k; p++, a += col, dst += step) {
        for (i = 0, from = 0; i < tiles; i++, from = next) {
            char *to = dst + i * k * step;
            next = hy__gemm_tile_row(rows, i + 1);
            if (row == size && from + HY__TILE_ROWS <= rows)
                memcpy(to, a + from * size, (size_t)(HY__TILE_ROWS * size));
            else
                for (r = 0; r < next - from; r++) memcpy(to + r * size, a + (from + r) * row, (size_t)size);
        }
    }
}

static void hy__gemm_pack_a(const hy__gemm *g, const char *a, int64_t rows, int64_t k, char *dst)
{
    if (g->size == 4) hy__gemm_pack_a_sized(4, g, a, rows, k, dst);
    else hy__gemm_pack_a_sized(8, g, a, rows, k, dst);
}

/* ---- drivers */

/* bytes of packed A (row_block,k_block) at the head of the scratch */
HY__INLINE int64_t hy__gemm_a_bytes(const hy__gemm *g)
{
    const int64_t tiles = hy__gemm_ceil(g->row_block, HY__TILE_ROWS);
    return g->pack_a ? hy__gemm_ceil(tiles * HY__TILE_ROWS * g->k_block * g->size, 64) * 64 : 0;
}

static void hy__gemm_plan(hy__gemm *g, const hy__gemm_isa *isa, int size)
{
    const int64_t m = g->m, n = g->n, k = g->k;
    const int64_t strip = (int64_t)isa->lanes * HY__STRIP_LANE;
    int64_t panels, cols, rows, least;
    int in_place;
    g->isa = isa;
    g->size = size;
    g->use_dots = g->pack_a = 0;
    g->b_place = HY__B_IN_PLACE;
    g->panel = g->k_block = g->row_block = g->col_block = 1;
    g->row_blocks = g->col_blocks = g->pack_items = g->items = 0;
    g->shared_bytes = g->scratch_bytes = 0;
    if (m == 0 || n == 0 || (k == 0 && g->accumulate)) return;
    if (n == 1) g->b_col = 1;
    if (k <= 1) g->a_col = 1;
    if (k == 0) g->a_row = g->b_row = g->b_col = 0;

    if (g->a_col == 1 && g->b_row == 1 && k >= isa->lanes && (m <= HY__DOT_THIN_M || n <= HY__DOT_COLS)) {
        /* an item streams `cols` columns of B, or for narrow C rows of A, past all of the other */
        g->use_dots = 1;
        g->row_block = m;
        g->col_block = n;
        if (n <= HY__DOT_COLS) g->row_block = hy__gemm_ceil(HY__DOT_WORK / (n + 8), k);
        else g->col_block = hy__gemm_ceil(HY__DOT_WORK / (m + 8), k);
        g->row_block = hy__gemm_ceil(g->row_block, isa->dot_rows) * isa->dot_rows;
        g->col_block = hy__gemm_ceil(g->col_block, HY__DOT_COLS) * HY__DOT_COLS;
    } else {
        g->pack_a = g->a_col != 1;
        g->panel = (int64_t)isa->lanes * (m <= 3 && isa->vecs > 1 ? HY__TILE_VECS : isa->vecs);
        panels = hy__gemm_ceil(n, g->panel);
        g->k_block = hy__gemm_max(1, hy__gemm_ceil(k, hy__gemm_max(1, hy__gemm_ceil(k, isa->k_block))));
        /* a strip of B that stays in L2 while blocks of A pass; a copy of A is worth many columns */
        cols = hy__gemm_min(strip / hy__gemm_max(k, 1), 512);
        cols = hy__gemm_min(hy__gemm_max(cols, g->pack_a ? 512 : 64), panels * g->panel);
        rows = g->pack_a && m >= 1024 ? 48 : 24;
        least = HY__ITEM_WORK / hy__gemm_max(k, 1);  /* elements of C worth an item */
        while (cols / 2 >= (g->pack_a ? 256 : 64) && cols / 2 * rows >= least / 2
            && hy__gemm_ceil(m, rows) * hy__gemm_ceil(n, cols) < HY__ITEMS_WANTED) cols /= 2;
        g->col_block = hy__gemm_max(1, cols / g->panel) * g->panel;
        if (cols * rows < least / 2) rows = hy__gemm_ceil(least, hy__gemm_min(n, g->col_block));
        g->row_block = hy__gemm_min(m, rows);
        g->row_blocks = hy__gemm_ceil(m, g->row_block);
        g->row_block = hy__gemm_ceil(m, g->row_blocks);
        in_place = g->b_col == 1
            && (m <= HY__TILE_ROWS || (m <= HY__IN_PLACE_M && n <= strip / hy__gemm_max(k, 1)));
        if (!in_place && k > 0) g->b_place = g->row_blocks > 1 ? HY__B_IN_SHARED : HY__B_IN_SCRATCH;
        if (g->b_place == HY__B_IN_SHARED) {
            g->pack_items = panels;
            g->shared_bytes = (size_t)(panels * g->panel * hy__gemm_max(k, 1)) * (size_t)size;
        }
        g->scratch_bytes = (size_t)(hy__gemm_a_bytes(g) + g->k_block * g->panel * size);
    }
    g->row_blocks = hy__gemm_ceil(m, g->row_block);
    g->col_blocks = hy__gemm_ceil(n, g->col_block);
    g->items = g->row_blocks * g->col_blocks;
}

static void hy__gemm_pack(const hy__gemm *g, const char *b, int64_t item, char *shared)
{
    const int64_t from = item * g->panel;
    hy__gemm_pack_b(g, b + from * g->b_col * g->size, g->k, hy__gemm_min(g->panel, g->n - from),
        shared + from * g->k * g->size);
}

/* C (rows,cols) of an item by dot products */
static void hy__gemm_run_dots(const hy__gemm *g, const char *a, const char *b, char *c, int64_t rows,
    int64_t cols)
{
    int64_t i, j;
    hy__tile t;
    t.k = g->k;
    t.a_row = g->a_row;
    t.a_col = 1;
    t.b_step = g->b_col;
    t.c_row = g->c_row;
    t.last = 0;
    t.accumulate = g->accumulate;
    for (j = 0; j < cols; j += HY__DOT_COLS) {
        t.cols = hy__gemm_min(HY__DOT_COLS, cols - j);
        for (i = 0; i < rows; i += t.rows) {
            t.rows = (int)hy__gemm_min(g->isa->dot_rows, rows - i);
            g->isa->dots[t.rows - 1](&t, a + i * g->a_row * g->size, b + j * g->b_col * g->size,
                c + (i * g->c_row + j) * g->size);
        }
    }
}

/* one panel of C: all row tiles of a block against the rows of B described by t */
static void hy__gemm_run_panel(const hy__gemm *g, hy__tile *t, const char *a, const char *b, char *c,
    int64_t rows)
{
    const int64_t tiles = hy__gemm_ceil(rows, HY__TILE_ROWS), vecs = hy__gemm_ceil(t->cols, g->isa->lanes);
    int64_t i;
    t->last = hy__gemm_max(t->cols - g->isa->lanes, 0);
    for (i = 0; i < tiles; i++) {
        const int64_t from = hy__gemm_tile_row(rows, i);
        const char *tile_a = a + (g->pack_a ? i * HY__TILE_ROWS * t->k : from * g->a_row) * g->size;
        t->rows = (int)(hy__gemm_tile_row(rows, i + 1) - from);
        g->isa->tiles[(t->rows - 1) * HY__TILE_VECS + vecs - 1](t, tile_a, b, c + from * g->c_row * g->size);
    }
}

static void hy__gemm_run(const hy__gemm *g, const char *a, const char *b, char *c, int64_t item,
    char *scratch, const char *shared)
{
    const int64_t size = g->size, row = item % g->row_blocks * g->row_block;
    const int64_t col = item / g->row_blocks * g->col_block;
    const int64_t rows = hy__gemm_min(g->row_block, g->m - row);
    const int64_t col_end = hy__gemm_min(col + g->col_block, g->n);
    char *packed;
    int64_t p = 0, j;
    hy__tile t;
    if (g->k == 0) a = b = scratch;              /* nothing is read, and empty inputs may be null */
    a += row * g->a_row * size;
    c += row * g->c_row * size;
    if (g->use_dots) {
        hy__gemm_run_dots(g, a, b + col * g->b_col * size, c + col * size, rows, col_end - col);
        return;
    }
    packed = scratch + hy__gemm_a_bytes(g);
    t.a_row = g->pack_a ? 1 : g->a_row;
    t.a_col = g->pack_a ? HY__TILE_ROWS : 1;
    t.c_row = g->c_row;
    t.accumulate = g->accumulate;
    do {                                         /* once even for k = 0, which writes zeros */
        const char *block_a = a + p * g->a_col * size;
        t.k = hy__gemm_min(g->k_block, g->k - p);
        if (g->pack_a) {
            hy__gemm_pack_a(g, block_a, rows, t.k, scratch);
            block_a = scratch;
        }
        for (j = col; j < col_end; j += g->panel) {
            const char *block_b = b + (p * g->b_row + j * g->b_col) * size;
            t.cols = hy__gemm_min(g->panel, g->n - j);
            t.b_step = g->panel;
            if (g->b_place == HY__B_IN_SHARED) block_b = shared + (j * g->k + p * g->panel) * size;
            else if (g->b_place == HY__B_IN_PLACE && t.cols >= g->isa->lanes) t.b_step = g->b_row;
            else {
                hy__gemm_pack_b(g, block_b, t.k, t.cols, packed);
                block_b = packed;
            }
            hy__gemm_run_panel(g, &t, block_a, block_b, c + j * size, rows);
        }
        t.accumulate = 1;
        p += t.k;
    } while (p < g->k);
}

#ifdef HY__TARGET_AVX2
#define HY__GEMM_PICK(isa, T) \
    ((isa) > 1 ? &hy__tile_##T##_avx512_isa : (isa) == 1 ? &hy__tile_##T##_avx2_isa \
                                                         : &hy__tile_##T##_base_isa)
#else
#define HY__GEMM_PICK(isa, T) ((void)(isa), &hy__tile_##T##_base_isa)
#endif

static void hy__gemm_plan_f32(hy__gemm *g, int isa) { hy__gemm_plan(g, HY__GEMM_PICK(isa, f32), 4); }
static void hy__gemm_plan_f64(hy__gemm *g, int isa) { hy__gemm_plan(g, HY__GEMM_PICK(isa, f64), 8); }

static void hy__gemm_pack_f32(const hy__gemm *g, const float *b, int64_t item, void *shared)
{
    hy__gemm_pack(g, (const char *)b, item, (char *)shared);
}

static void hy__gemm_pack_f64(const hy__gemm *g, const double *b, int64_t item, void *shared)
{
    hy__gemm_pack(g, (const char *)b, item, (char *)shared);
}

static void hy__gemm_run_f32(const hy__gemm *g, const float *a, const float *b, float *c, int64_t item,
    void *scratch, const void *shared)
{
    hy__gemm_run(g, (const char *)a, (const char *)b, (char *)c, item, (char *)scratch, (const char *)shared);
}

static void hy__gemm_run_f64(const hy__gemm *g, const double *a, const double *b, double *c, int64_t item,
    void *scratch, const void *shared)
{
    hy__gemm_run(g, (const char *)a, (const char *)b, (char *)c, item, (char *)scratch, (const char *)shared);
}
/* --- selection: whole elements move, so every type keeps its bits --- */
#define HY__SELECT(bits) \
    case bits / 8: { \
        const uint##bits##_t *p = (const uint##bits##_t *)a, *q = (const uint##bits##_t *)b; \
        uint##bits##_t *to = (uint##bits##_t *)y; \
        for (i = 0; i < n; i++) to[i] = mask[i] ? p[i] : q[i]; \
        break; \
    }
static void hy__select(const uint8_t *mask, const void *a, const void *b, void *y, int size, int64_t n)
{
    int64_t i;
    switch (size) {
    HY__SELECT(8)
    HY__SELECT(16)
    HY__SELECT(32)
    HY__SELECT(64)
    default: break;
    }
}
#undef HY__SELECT

/* --- softmax --- *
 * n rows of `width` columns, `step` apart; each column sums to 1. With step 1 it is one vector of n elements,
 * dealt out to HY__DEAL lanes. x may be y. scale multiplies x; log gives the logarithm. */
enum { HY__DEAL = 64 };

#define HY__FOLD_LANES(v, joined) \
    for (half = HY__DEAL / 2; half; half /= 2) for (i = 0; i < half; i++) { a = v[i]; b = v[i + half]; v[i] = joined; } \
    for (i = 1; i < HY__DEAL; i++) v[i] = v[0];
#define HY__SOFTMAX_SWEEP(body) \
    for (r = 0; r < rows + (rest > 0); r++) { \
        int64_t w = r < rows ? width : rest; \
        p = x + r * step; \
        q = y + r * step; \
        HY__IVDEP \
        for (i = 0; i < w; i++) { body; } \
    }
#define HY__DEFINE_SOFTMAX(name, target, T, EXP, LOG) \
    target static void hy__softmax_##name(const void *from, void *to, int64_t n, int64_t width, int64_t step, double scale, \
                                          int log_too) \
    { \
        T most[HY__TILE], sum[HY__TILE], k = (T)scale, a, b, *y = (T *)to, *q; \
        const T *x = (const T *)from, *p; \
        int64_t rows = n, rest = 0, lanes, half, r, i; \
        int deal = step == 1; \
        if (deal) { width = step = HY__DEAL; rows = n / HY__DEAL; rest = n % HY__DEAL; } \
        lanes = width; \
        for (i = 0; i < lanes; i++) { most[i] = (T)-HUGE_VAL; sum[i] = 0; } \
        HY__SOFTMAX_SWEEP(T v = p[i] * k; most[i] = v > most[i] ? v : most[i]) \
        if (deal) { HY__FOLD_LANES(most, a > b ? a : b) } \
        HY__SOFTMAX_SWEEP(T v = p[i] * k - most[i]; T e = EXP(v); sum[i] += e; q[i] = log_too ? v : e) \
        if (deal) { HY__FOLD_LANES(sum, a + b) } \
        if (log_too) { \
            for (i = 0; i < lanes; i++) sum[i] = LOG(sum[i]); \
            HY__SOFTMAX_SWEEP(q[i] -= sum[i]) \
        } else { \
            for (i = 0; i < lanes; i++) sum[i] = 1 / sum[i]; \
            HY__SOFTMAX_SWEEP(q[i] *= sum[i]) \
        } \
    }
typedef void (*hy__softmax_fn)(const void *from, void *to, int64_t n, int64_t width, int64_t step, double scale, int log_too);

/* --- masks of dropout: element i is `kept` or 0 --- */
HY__INLINE void hy__keep_mask(float *mask, uint64_t first, int64_t n, uint64_t seed, uint64_t stream, float share, float kept)
{
    uint32_t room[HY__DRAW + 6];
    int64_t i, m;
    for (; n > 0; n -= m, first += (uint64_t)m, mask += m) {
        const uint32_t *word;
        m = n < HY__DRAW ? n : HY__DRAW;
        word = hy__draw(room, first, m, seed, stream);
        for (i = 0; i < m; i++) mask[i] = hy__unit_f32(word[i]) < share ? kept : 0;
    }
}
typedef void (*hy__mask_fn)(float *mask, uint64_t first, int64_t n, uint64_t seed, uint64_t stream, float share, float kept);

#define HY__STAMP_ACT(name, target) \
    HY__DEFINE_SOFTMAX(f32_##name, target, float, hy__exp_f32, hy__log_f32) \
    target static void hy__mask_##name(float *mask, uint64_t first, int64_t n, uint64_t seed, uint64_t stream, float share, \
                                       float kept) { hy__keep_mask(mask, first, n, seed, stream, share, kept); }
HY__STAMP_ACT(base, )
#if HY__X86
HY__STAMP_ACT(avx2, HY__TARGET_AVX2)
HY__STAMP_ACT(avx512, HY__TARGET_AVX512)
#endif
HY__DEFINE_SOFTMAX(f64, , double, exp, log)

static hy__softmax_fn hy__softmax_for(hy_dtype compute, int isa)
{
    if (compute == HY_F64) return hy__softmax_f64;
#if HY__X86
    if (isa == HY_ISA_AVX512) return hy__softmax_f32_avx512;
    if (isa == HY_ISA_AVX2) return hy__softmax_f32_avx2;
#endif
    (void)isa;
    return hy__softmax_f32_base;
}
static hy__mask_fn hy__mask_for(int isa)
{
#if HY__X86
    if (isa == HY_ISA_AVX512) return hy__mask_avx512;
    if (isa == HY_ISA_AVX2) return hy__mask_avx2;
#endif
    (void)isa;
    return hy__mask_base;
}

/* --- x above 0, gamma x below --- */
#define HY__T float
static void hy__prelu_f32 HY__POINTWISE_ARGS HY__LOOP2(a > 0 ? a : a * b)
#undef HY__T
#define HY__T double
static void hy__prelu_f64 HY__POINTWISE_ARGS HY__LOOP2(a > 0 ? a : a * b)
#undef HY__T

/* --- moving: to[...] = from[...] over a box, each dim with a stride on either side --- *
 * Transposing, slicing, reversing, broadcasting, repeating, joining and cutting are all this one copy. Strides
 * may be negative or, when reading, 0. The two dims that matter for speed form a plane; the others go over
 * planes. An item is a block of one plane or several whole planes. */
#ifdef __GNUC__
#define HY__ANY_ALIAS __attribute__((may_alias))
#else
#define HY__ANY_ALIAS
#endif
typedef uint8_t  HY__ANY_ALIAS hy__any8;
typedef uint16_t HY__ANY_ALIAS hy__any16;
typedef uint32_t HY__ANY_ALIAS hy__any32;
typedef uint64_t HY__ANY_ALIAS hy__any64;

enum { HY__MOVE_DIMS = 2 * HY_MAX_DIM, HY__MOVE_EDGE = 128, HY__MOVE_STRIP = 8 };
typedef struct hy__move {
    int     ndim, size;                 /* bytes of an element */
    int64_t n[HY__MOVE_DIMS], to[HY__MOVE_DIMS], from[HY__MOVE_DIMS];     /* strides in elements; inner dims last */
    int64_t to_start, from_start;
    int64_t planes, rows, cols;         /* planes, rows and columns of an item */
    int64_t row_blocks, col_blocks, items;
} hy__move;

static void hy__move_open(hy__move *m, hy_dtype dtype)
{
    m->ndim = 0;
    m->size = hy__traits[dtype].size;
    m->to_start = m->from_start = 0;
}

/* One more dim, inside those before; it joins the last one where both sides pass on without a gap. */
static void hy__move_dim(hy__move *m, int64_t n, int64_t to, int64_t from)
{
    int last = m->ndim - 1;
    if (n == 1) return;
    if (last >= 0 && m->to[last] == n * to && m->from[last] == n * from) {
        m->n[last] *= n;
    } else {
        last = m->ndim++;
        m->n[last] = n;
    }
    m->to[last] = to;
    m->from[last] = from;
}

static void hy__move_swap(hy__move *m, int a, int b)
{
    int64_t n = m->n[a], to = m->to[a], from = m->from[a];
    m->n[a] = m->n[b];
    m->to[a] = m->to[b];
    m->from[a] = m->from[b];
    m->n[b] = n;
    m->to[b] = to;
    m->from[b] = from;
}

/* Chooses the plane and the items. Where reading jumps along the last dim, the row is the dim that reads closest. */
static void hy__move_close(hy__move *m)
{
    int d, row, last, across;
    int64_t planes = 1;
    while (m->ndim < 2) {
        for (d = m->ndim++; d > 0; d--) hy__move_swap(m, d, d - 1);
        m->n[0] = 1;
        m->to[0] = m->from[0] = 0;
    }
    last = m->ndim - 1;
    row = last - 1;
    for (d = 0; d < last; d++)
        if (m->n[d] > 1 && m->from[d] && (llabs(m->from[d]) < llabs(m->from[row]) || !m->from[row])) row = d;
    across = llabs(m->from[last]) > 1 && m->from[row] && llabs(m->from[row]) < llabs(m->from[last]);
    if (across) hy__move_swap(m, row, last - 1);
    else if (m->n[last] < HY__MOVE_STRIP && m->n[last - 1] > m->n[last]) hy__move_swap(m, last - 1, last);
    for (d = 0; d < last - 1; d++) planes *= m->n[d];
    m->cols = across ? HY__MOVE_EDGE : HY__CHUNK;
    if (m->cols > m->n[last]) m->cols = m->n[last];
    m->rows = m->cols ? HY__CHUNK / m->cols : 1;
    if (m->rows > m->n[last - 1]) m->rows = m->n[last - 1];
    m->planes = m->rows && m->cols ? HY__CHUNK / (m->rows * m->cols) : 1;
    if (m->planes > planes) m->planes = planes;
    m->row_blocks = m->rows ? (m->n[last - 1] + m->rows - 1) / m->rows : 0;
    m->col_blocks = m->cols ? (m->n[last] + m->cols - 1) / m->cols : 0;
    m->items = m->planes ? (planes + m->planes - 1) / m->planes * m->row_blocks * m->col_blocks : 0;
}

/* One block of a plane for one size of element. */
#define HY__DEFINE_PLANE(T) \
    static void hy__plane_##T(T *to, const T *from, int64_t rows, int64_t cols, int64_t to_row, int64_t to_col, \
                              int64_t from_row, int64_t from_col) \
    { \
        int64_t r, c, strip; \
        if (from_row == 1 && from_col != 1) { \
            for (; rows > 0; rows -= strip, to += strip * to_row, from += strip) { \
                strip = rows < HY__MOVE_STRIP ? rows : HY__MOVE_STRIP; \
                for (c = 0; c < cols; c++) \
                    for (r = 0; r < strip; r++) to[r * to_row + c * to_col] = from[c * from_col + r]; \
            } \
            return; \
        } \
        for (r = 0; r < rows; r++, to += to_row, from += from_row) { \
            if (to_col == 1 && from_col == 1) memcpy(to, from, (size_t)cols * sizeof(T)); \
            else if (to_col == 1 && from_col == 0) { T v = *from; for (c = 0; c < cols; c++) to[c] = v; } \
            else for (c = 0; c < cols; c++) to[c * to_col] = from[c * from_col]; \
        } \
    }
HY__DEFINE_PLANE(hy__any8)
HY__DEFINE_PLANE(hy__any16)
HY__DEFINE_PLANE(hy__any32)
HY__DEFINE_PLANE(hy__any64)
#define HY__PLANE(T) hy__plane_##T((T *)(void *)to, (const T *)(const void *)from, rows, cols, m->to[a], m->to[b], \
                                   m->from[a], m->from[b])

static void hy__move_plane(const hy__move *m, char *to, const char *from, int64_t rows, int64_t cols)
{
    int b = m->ndim - 1, a = b - 1;
    switch (m->size) {
    case 1: HY__PLANE(hy__any8); break;
    case 2: HY__PLANE(hy__any16); break;
    case 4: HY__PLANE(hy__any32); break;
    default: HY__PLANE(hy__any64);
    }
}

static void hy__move_item(const hy__move *m, char *to, const char *from, int64_t item)
{
    int64_t col = item % m->col_blocks * m->cols, row = item / m->col_blocks % m->row_blocks * m->rows, planes = 1;
    int64_t plane = item / m->col_blocks / m->row_blocks * m->planes, rest = plane, at[HY__MOVE_DIMS];
    int a = m->ndim - 2, b = m->ndim - 1, d;
    int64_t x = m->to_start + row * m->to[a] + col * m->to[b], y = m->from_start + row * m->from[a] + col * m->from[b];
    int64_t rows = m->n[a] - row < m->rows ? m->n[a] - row : m->rows;
    int64_t cols = m->n[b] - col < m->cols ? m->n[b] - col : m->cols;
    for (d = a - 1; d >= 0; d--) {
        at[d] = rest % m->n[d];
        rest /= m->n[d];
        x += at[d] * m->to[d];
        y += at[d] * m->from[d];
        planes *= m->n[d];
    }
    for (planes = planes - plane < m->planes ? planes - plane : m->planes; planes > 0; planes--) {
        hy__move_plane(m, to + x * m->size, from + y * m->size, rows, cols);
        for (d = a - 1; d >= 0; d--) {
            x += m->to[d];
            y += m->from[d];
            if (++at[d] < m->n[d]) break;
            x -= m->to[d] * m->n[d];
            y -= m->from[d] * m->n[d];
            at[d] = 0;
        }
    }
}

/* --- what a root uses --- */
struct hy__kernels {
    int isa;
    const hy__pointwise_table *f32;
};
static const hy__kernels hy__kernels_base = { HY_ISA_BASE, &hy__table_f32_base };
#if HY__X86
static const hy__kernels hy__kernels_avx2 = { HY_ISA_AVX2, &hy__table_f32_avx2 };
static const hy__kernels hy__kernels_avx512 = { HY_ISA_AVX512, &hy__table_f32_avx512 };
#endif
static const hy__kernels *hy__kernels_for(int isa)
{
#if HY__X86
    if (isa == HY_ISA_AVX512) return &hy__kernels_avx512;
    if (isa == HY_ISA_AVX2) return &hy__kernels_avx2;
#endif
    (void)isa;
    return &hy__kernels_base;
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* MARK: - 17 >>ops --------------------------------------------------------------------------------------
 *
 * What each operator of the catalogue does: shapes and types (infer), which kernel runs and how the work falls
 * into items (bind), and its gradient as other operators (grad). The block of an operator `x` ends with
 *     #define HY__ON_x infer, bind, grad, split
 * and the table at the end of the room puts it together with its row. To add one: a row and four lists in
 * >>catalogue, a block here, a row in tests/ops_ref.c.
 */

/* --- records: attributes as text --- */
static void hy__record_clear(const hy_op *op, void *record)
{
    const hy_attr *a;
    memset(record, 0, op->record);
    for (a = op->attr; a && a->name; a++) {
        void *field = (char *)record + a->offset;
        double v = a->missing == HY_REQUIRED ? 0 : a->missing;
        switch (a->kind) {
        case HY_ATTR_real: *(double *)field = v; break;
        case HY_ATTR_i64:  *(int64_t *)field = (int64_t)v; break;
        case HY_ATTR_ints: case HY_ATTR_oints: ((hy_ints *)field)->n = v == HY_NONE ? -1 : 0; break;
        case HY_ATTR_text: case HY_ATTR_shape: case HY_ATTR_reals: break;
        default: *(int *)field = (int)v;
        }
    }
}

static const char *hy__skip_blank(const char *s)
{
    while (*s == ' ' || *s == '\t' || *s == '\n' || *s == '\r') s++;
    return s;
}

/* Does text begin with this word, and end there or at a separator? */
static int hy__is_word(const char *text, const char *word, size_t n)
{
    return !strncmp(text, word, n) && strlen(text) == n;
}

/* Position of `text` in "first|second: doc", or -1. */
static int hy__word_number(const char *words, const char *text)
{
    int k = 0;
    while (*words && *words != ':') {
        size_t n = strcspn(words, "|:");
        if (hy__is_word(text, words, n)) return k;
        words += n;
        if (*words == '|') words++;
        k++;
    }
    return -1;
}

static int hy__read_flag(const char *s, int *v)
{
    *v = !strcmp(s, "True") || !strcmp(s, "true") || !strcmp(s, "1");
    return *v || !strcmp(s, "False") || !strcmp(s, "false") || !strcmp(s, "0");
}

/* A whole number and nothing else; what stands behind goes to *end, blanks and an L skipped. */
static int hy__read_whole(const char *s, const char **end, int64_t *v)
{
    if (!hy__read_i64(s, end, v)) return 0;
    if (**end == 'L') ++*end;
    *end = hy__skip_blank(*end);
    return 1;
}

/* (1, 2), [1,2], (3,), (), 3, None; elements may be None where `optional`. Gives the count, or -2 if malformed. */
static int hy__read_tuple(const char *s, int optional, int most, int64_t *v)
{
    char close = 0;
    int n = 0;
    s = hy__skip_blank(s);
    if (!strncmp(s, "None", 4) && !*hy__skip_blank(s + 4)) return -1;
    if (*s == '(' || *s == '[') close = *s++ == '(' ? ')' : ']';
    for (s = hy__skip_blank(s); *s && *s != close; ) {
        if (n == most) return -2;
        if (optional && !strncmp(s, "None", 4)) { v[n++] = HY_NONE; s = hy__skip_blank(s + 4); }
        else if (!hy__read_whole(s, &s, &v[n++])) return -2;
        if (!close) break;
        if (*s == ',') s = hy__skip_blank(s + 1);
        else if (*s != close) return -2;
    }
    if (close && *s++ != close) return -2;
    return *hy__skip_blank(s) || (!close && !n) ? -2 : n;
}

static hy_dtype hy__dtype_by_name(const char *name)
{
    int d;
    for (d = 1; d < HY_DTYPE_COUNT; d++) if (!strcmp(name, hy_dtype_name((hy_dtype)d))) return (hy_dtype)d;
    return HY_DTYPE_NONE;
}

/* One value into its field. 0 when the text does not fit the kind. */
static int hy__parse_value(const hy_attr *a, void *record, const char *s)
{
    void *field = (char *)record + a->offset;
    const char *end = s;
    int64_t whole = 0;
    int flag = 0;
    switch (a->kind) {
    case HY_ATTR_flag: case HY_ATTR_inv:
        if (!strcmp(s, "None")) { *(int *)field = 0; return 1; }
        if (!hy__read_flag(s, &flag)) return 0;
        *(int *)field = a->kind == HY_ATTR_inv ? !flag : flag;
        return 1;
    case HY_ATTR_enum:
        *(int *)field = hy__word_number(a->doc, s);
        return *(int *)field >= 0;
    case HY_ATTR_dtype:
        *(hy_dtype *)field = hy__dtype_by_name(s);
        return *(hy_dtype *)field != HY_DTYPE_NONE || !strcmp(s, "None");
    case HY_ATTR_int: case HY_ATTR_oint:
        if (!strcmp(s, "None")) { *(int *)field = a->missing == HY_REQUIRED ? HY_NONE : (int)a->missing; return 1; }
        if (hy__read_flag(s, &flag)) whole = flag;
        else if (!hy__read_whole(s, &end, &whole) || *end || whole < -INT32_MAX || whole > INT32_MAX) return 0;
        *(int *)field = (int)whole;
        return 1;
    case HY_ATTR_i64:
        if (!strcmp(s, "None")) { *(int64_t *)field = (int64_t)a->missing; return 1; }
        return hy__read_whole(s, &end, (int64_t *)field) && !*end;
    case HY_ATTR_real:
        if (!strcmp(s, "None")) { *(double *)field = a->missing; return 1; }
        return hy__read_f64(s, &end, (double *)field) && !*hy__skip_blank(end);
    case HY_ATTR_ints: case HY_ATTR_oints: {
        hy_ints *v = (hy_ints *)field;
        v->n = hy__read_tuple(s, a->kind == HY_ATTR_oints, HY_MAX_INTS, v->v);
        return v->n > -2;
    }
    case HY_ATTR_shape: {
        hy_shape *v = (hy_shape *)field;
        v->ndim = hy__read_tuple(s, 0, HY_MAX_DIM, v->dim);
        return v->ndim >= 0;
    }
    default: return 0;
    }
}

static void hy__put_tuple(hy__line *out, const int64_t *v, int n)
{
    int i;
    if (n < 0) { hy__puts(out, "None"); return; }
    hy__puts(out, "(");
    for (i = 0; i < n; i++) {
        if (i) hy__puts(out, ", ");
        if (v[i] == HY_NONE) hy__puts(out, "None");
        else hy__put_int(out, v[i]);
    }
    hy__puts(out, n == 1 ? ",)" : ")");
}

/* The text that hy__parse_value reads back. */
static void hy__print_value(const hy_attr *a, const void *record, hy__line *out)
{
    const void *field = (const char *)record + a->offset;
    const char *word = a->doc;
    int k;
    switch (a->kind) {
    case HY_ATTR_flag: hy__puts(out, *(const int *)field ? "True" : "False"); break;
    case HY_ATTR_inv:  hy__puts(out, *(const int *)field ? "False" : "True"); break;
    case HY_ATTR_enum:
        for (k = *(const int *)field; k > 0; k--) word += strcspn(word, "|:") + 1;
        hy__put(out, word, strcspn(word, "|:"));
        break;
    case HY_ATTR_dtype:
        hy__puts(out, *(const hy_dtype *)field ? hy_dtype_name(*(const hy_dtype *)field) : "None");
        break;
    case HY_ATTR_int: case HY_ATTR_oint:
        if (*(const int *)field == HY_NONE) hy__puts(out, "None");
        else hy__put_int(out, *(const int *)field);
        break;
    case HY_ATTR_i64: hy__put_int(out, *(const int64_t *)field); break;
    case HY_ATTR_real: {
        char number[48];
        double v = *(const double *)field;
        if (v == HY_NONE) hy__puts(out, "None");
        else hy__put(out, number, (size_t)hy__text_f64(number, v));
        break;
    }
    case HY_ATTR_ints: case HY_ATTR_oints: hy__put_tuple(out, ((const hy_ints *)field)->v, ((const hy_ints *)field)->n); break;
    case HY_ATTR_shape: hy__put_tuple(out, ((const hy_shape *)field)->dim, ((const hy_shape *)field)->ndim); break;
    default: break;
    }
}

/* Names that MXNet's files carry and that mean nothing here. */
static int hy__ignored_attribute(const char *key)
{
    return !strncmp(key, "__", 2) ||
           hy__word_number("workspace|cudnn_tune|cudnn_off|ctx|num_args|is_int|lr_mult|wd_mult|ctx_group"
                           "|force_mirroring|mirror_stage|infer_range|dtype_source|ndev|key", key) >= 0;
}

/* Reads key = value into the record; *seen collects which attributes came. */
static int hy__parse_attribute(hy_frame *F, const hy_op *op, void *record, const char *key, const char *value,
                               uint64_t *seen)
{
    const hy_attr *a;
    char names[256];
    hy__line line;
    for (a = op->attr; a && a->name; a++) if (!strcmp(a->mxnet, key) || !strcmp(a->name, key)) break;
    if (a && a->name) {
        if (hy__parse_value(a, record, value)) { *seen |= (uint64_t)1 << (a - op->attr); return 0; }
        if (a->kind == HY_ATTR_enum)
            hy__fail(F, HY_ERROR_ARGUMENT, "%s: Invalid Input: '%s' for %s, valid values are: %s", op->name, value,
                     a->mxnet, a->doc);
        else
            hy__fail(F, HY_ERROR_ARGUMENT, "%s: Invalid Parameter format for %s but value='%s'", op->name, a->mxnet, value);
        return -1;
    }
    if (hy__ignored_attribute(key)) return 0;
    line.text = names;
    line.cap = sizeof names;
    line.n = 0;
    names[0] = 0;
    for (a = op->attr; a && a->name; a++) { hy__puts(&line, " "); hy__puts(&line, a->mxnet); }
    hy__fail(F, HY_ERROR_ARGUMENT, "%s: Cannot find argument '%s', Possible Arguments:%s", op->name, key, names);
    return -1;
}

/* Which required attribute did not come? 0 when none is missing. */
static int hy__check_required(hy_frame *F, const hy_op *op, uint64_t seen)
{
    const hy_attr *a;
    for (a = op->attr; a && a->name; a++)
        if (a->missing == HY_REQUIRED && !(seen >> (a - op->attr) & 1)) {
            hy__fail(F, HY_ERROR_ARGUMENT, "%s: Required parameter %s is not presented", op->name, a->mxnet);
            return -1;
        }
    return 0;
}

/* --- inference: what every rule is written with --- */
HY_API int hy_infer_fail(hy_infer *I, hy_error_t code, const char *format, ...)
{
    hy__line line;
    va_list args;
    if (I->status < 0) return -1;
    line.text = I->text;
    line.cap = sizeof I->text;
    line.n = 0;
    va_start(args, format);
    hy__format(&line, format, args);
    va_end(args);
    I->code = code;
    return I->status = -1;
}

static void hy__learn(hy_infer *I) { if (!I->status) I->status = 1; }

HY_API void hy_infer_type(hy_infer *I, hy_dtype *a, hy_dtype b)
{
    if (!b || *a == b) return;
    if (*a) hy_infer_fail(I, HY_ERROR_DTYPE, "Type inconsistent, Provided=%t, inferred type=%t", (int)*a, (int)b);
    else { *a = b; hy__learn(I); }
}

HY_API void hy_infer_dim(hy_infer *I, int64_t *a, int64_t b)
{
    if (b < 0 || *a == b) return;
    if (*a >= 0) hy_infer_fail(I, HY_ERROR_SHAPE, "Shape inconsistent, Provided size %l, inferred size %l", *a, b);
    else { *a = b; hy__learn(I); }
}

HY_API void hy_infer_shape(hy_infer *I, hy_shape *a, hy_shape b)
{
    int d;
    hy_shape before = *a;
    if (b.ndim < 0) return;
    if (a->ndim < 0) { *a = b; hy__learn(I); return; }
    if (a->ndim != b.ndim) {
        hy_infer_fail(I, HY_ERROR_SHAPE, "Shape inconsistent, Provided = %z, inferred shape=%z", a, &b);
        return;
    }
    for (d = 0; d < b.ndim; d++)
        if (a->dim[d] >= 0 && b.dim[d] >= 0 && a->dim[d] != b.dim[d]) {
            hy_infer_fail(I, HY_ERROR_SHAPE, "Shape inconsistent, Provided = %z, inferred shape=%z", &before, &b);
            return;
        }
    for (d = 0; d < b.ndim; d++) hy_infer_dim(I, &a->dim[d], b.dim[d]);
}

HY_API void hy_infer_same(hy_infer *I, hy_shape *a, hy_shape *b)
{
    hy_infer_shape(I, a, *b);
    hy_infer_shape(I, b, *a);
}

/* A shape of this rank, all unknown: to say how many dims something has. */
static hy_shape hy__rank(int ndim)
{
    hy_shape s;
    int d;
    s.ndim = ndim;
    for (d = 0; d < ndim && d < HY_MAX_DIM; d++) s.dim[d] = -1;
    return s;
}

static hy_shape hy__shape1(int64_t a) { hy_shape s; s.ndim = 1; s.dim[0] = a; return s; }
static hy_shape hy__shape2(int64_t a, int64_t b) { hy_shape s; s.ndim = 2; s.dim[0] = a; s.dim[1] = b; return s; }

/* All inputs and outputs of one type. */
static void hy__same_types(hy_infer *I)
{
    int i, round;
    for (round = 0; round < 2; round++) {
        for (i = 0; i < I->nin; i++) { hy_infer_type(I, &I->out[0].dtype, I->in[i].dtype); hy_infer_type(I, &I->in[i].dtype, I->out[0].dtype); }
        for (i = 1; i < I->nout; i++) hy_infer_type(I, &I->out[i].dtype, I->out[0].dtype);
    }
}

HY_API int hy_infer_pointwise(hy_infer *I)
{
    int i, round;
    hy__same_types(I);
    for (round = 0; round < 2; round++) {
        for (i = 0; i < I->nin; i++) hy_infer_same(I, &I->in[i].shape, &I->out[0].shape);
        for (i = 1; i < I->nout; i++) hy_infer_same(I, &I->out[i].shape, &I->out[0].shape);
    }
    return I->status;
}

/* The axis an attribute names, checked against a known rank; -1 after an error. */
static int hy__infer_axis(hy_infer *I, int axis, int ndim)
{
    int at = hy__axis(axis, ndim);
    if (at < 0) hy_infer_fail(I, HY_ERROR_INDEX, "axis %d is out of range for %d dims", axis, ndim);
    return at;
}

/* --- binding: what every bind is written with --- */
static int hy__refuse(hy_job *job, hy_error_t code, const char *format, ...)
{
    hy__line line;
    va_list args;
    line.text = job->text;
    line.cap = sizeof job->text;
    line.n = 0;
    va_start(args, format);
    hy__format(&line, format, args);
    va_end(args);
    job->code = code;
    return -1;
}

static int hy__refuse_dtype(hy_job *job, hy_dtype dtype)
{
    return hy__refuse(job, HY_ERROR_DTYPE, "type %t is not supported here", (int)dtype);
}

typedef void (*hy__run_fn)(hy_job *job, int stage, int64_t item, void *scratch, void *shared);

/* One stage of so many items; cost of the whole in nanoseconds. */
static int hy__one_stage(hy_job *job, hy__run_fn run, int64_t items, double cost)
{
    job->run = run;
    job->stages = 1;
    job->items[0] = items;
    job->cost = cost;
    return 0;
}

static int64_t hy__pieces(int64_t total, int64_t piece) { return total / piece + (total % piece != 0); }

static void hy__run_nothing(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    (void)job; (void)stage; (void)item; (void)scratch; (void)shared;
}

/* --- gradients: what every grad is written with --- */
#define HY_NO_GRADIENT hy__no_gradient(F, D)
static hy_array *hy__no_gradient(hy_frame *F, const hy_diff *D)
{
    hy__fail(F, HY_ERROR_GRADIENT, "%s: the operator is non-differentiable because it has no gradient", D->op->name);
    return NULL;
}

/* The gradient of something that was broadcast: summed back to the shape of x. */
static hy_array *hy__unbroadcast(hy_frame *F, hy_array *g, hy_array *x)
{
    if (!g || !x || (hy__shape_known(&g->t.type.shape) && hy__same_shape(&g->t.type.shape, &x->t.type.shape))) return g;
    return hy__sum_like(F, g, x);
}

/* p0 exp(-x x), for the error function's gradients. */
static hy_array *hy__gauss(hy_frame *F, hy_array *x, double factor)
{
    return hy_mul_scalar(F, hy_exp(F, hy_negative(F, hy_square(F, x))), factor);
}
static double hy__log_or_zero(double x) { return x > 0 ? log(x) : 0; }

static hy_array *hy__mish_slope(hy_frame *F, hy_array *dy, hy_array *x)
{
    hy_array *t = hy_tanh(F, hy_softrelu(F, x));        /* t + x s (1 - t^2), s = sigmoid(x) */
    hy_array *slope = hy_mul(F, hy_mul(F, x, hy_sigmoid(F, x)), hy_rsub_scalar(F, hy_square(F, t), 1));
    return hy_mul(F, dy, hy_add(F, t, slope));
}

/* --- pointwise families --- */
static void hy__run_pointwise(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    void *data[HY__OPERANDS];
    int k;
    (void)stage; (void)scratch; (void)shared;
    data[0] = job->out[0].data;
    for (k = 0; k < job->nin; k++) data[k + 1] = job->in[k].data;
    hy__pointwise_run((const hy__pointwise *)(const void *)&job->plan, data, item);
}

/* A scalar is an operand of its own, on the left or the right, with stride 0. */
static void hy__run_scalar(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__pointwise *pw = (const hy__pointwise *)(const void *)&job->plan;
    void *data[3];
    double value;
    int array = pw->p[2] != 0 ? 2 : 1;
    (void)stage; (void)scratch; (void)shared;
    hy__store(&value, pw->compute, pw->p[0]);
    data[0] = job->out[0].data;
    data[array] = job->in[0].data;
    data[3 - array] = &value;
    hy__pointwise_run(pw, data, item);
}

static const hy__pointwise_table *hy__pointwise_of(const hy_job *job, hy_dtype compute)
{
    return compute == HY_F64 ? &hy__table_f64 : compute == HY_I32 ? &hy__table_i32 : compute == HY_I64 ? &hy__table_i64
         : job->kernels->f32;
}

static int hy__pointwise_split(const hy_job *job, int axis, hy_slicing *s)
{
    int i;
    for (i = 0; i < job->nin; i++) s->axis[i] = axis;
    return 1;
}

/* The type to compute in: integers stay integers where the function allows. */
static hy_dtype hy__compute_type(hy_dtype dtype, int arithmetic)
{
    switch (dtype) {
    case HY_F64: return HY_F64;
    case HY_I64: return arithmetic ? HY_I64 : HY_F64;
    case HY_I32: return arithmetic ? HY_I32 : HY_F64;
    case HY_I8: case HY_U8: case HY_BOOL: return arithmetic ? HY_I32 : HY_F32;
    default: return HY_F32;
    }
}

/* Lays the operands out; in[k] broadcasts to the output. */
static hy__pointwise *hy__plan_pointwise(hy_job *job, hy_dtype compute)
{
    hy__pointwise *pw = (hy__pointwise *)(void *)&job->plan;
    int64_t stride[HY__OPERANDS][HY_MAX_DIM];
    int k, ndim = job->out[0].type.shape.ndim;
    memcpy(stride[0], job->out[0].stride, sizeof stride[0]);
    pw->dtype[0] = job->out[0].type.dtype;
    for (k = 0; k < job->nin; k++) {
        hy__broadcast_strides(&job->in[k], ndim, stride[k + 1]);
        pw->dtype[k + 1] = job->in[k].type.dtype;
    }
    hy__walk_init(&pw->walk, &job->out[0].type.shape, job->nin + 1, (const int64_t (*)[HY_MAX_DIM])stride);
    pw->compute = compute;
    pw->total = hy__size(&job->out[0].type.shape);
    pw->loose = 0;
    pw->p[0] = pw->p[1] = pw->p[2] = 0;
    return pw;
}

static int hy__finish_pointwise(hy_job *job, hy__pointwise_fn fn, double ns)
{
    hy__pointwise *pw = (hy__pointwise *)(void *)&job->plan;
    if (!fn) return hy__refuse_dtype(job, job->in[0].type.dtype);
    pw->fn = fn;
    return hy__one_stage(job, hy__run_pointwise, hy__pieces(pw->total, HY__CHUNK), ns * (double)pw->total);
}

#define HY__CLASS_ARITH 1
#define HY__CLASS_FAST_ARITH 1
#define HY__CLASS_MATH  0
#define HY__CLASS_FAST_MATH 0
#define HY__CLASS_OF(name, mxnet, class, ...) HY__CLASS_##class,
static const unsigned char hy__unary_arithmetic[] = { HY_UNARY_OPS(HY__CLASS_OF) };

static int hy__unary_bind(hy_job *job)
{
    int arithmetic = hy__unary_arithmetic[job->op->member];
    hy_dtype compute = hy__compute_type(job->in[0].type.dtype, arithmetic);
    hy__plan_pointwise(job, compute);
    return hy__finish_pointwise(job, hy__pointwise_of(job, compute)->unary[job->op->member], arithmetic ? 0.3 : 1);
}

#define HY__SPEED_FAST  1
#define HY__SPEED_PLAIN 0
#define HY__SPEED_OF(name, speed, ...) HY__SPEED_##speed,
static const unsigned char hy__binary_fast[] = { HY_BINARY_OPS(HY__SPEED_OF) };

/* Has this binary kernel loops of its own for a single value on one side? */
static int hy__takes_single(hy_dtype compute, int member)
{
    return (compute == HY_F32 || compute == HY_F64) && hy__binary_fast[member];
}

static int hy__binary_bind(hy_job *job)
{
    hy_dtype compute = hy__compute_type(job->in[0].type.dtype, 1);
    hy__plan_pointwise(job, compute)->loose = hy__takes_single(compute, job->op->member);
    return hy__finish_pointwise(job, hy__pointwise_of(job, compute)->binary[job->op->member], 0.4);
}

static int hy__scalar_bind_side(hy_job *job, int left)
{
    hy_dtype compute = hy__compute_type(job->in[0].type.dtype, 1);
    hy__pointwise *pw = hy__plan_pointwise(job, compute);
    int error = hy__finish_pointwise(job, hy__pointwise_of(job, compute)->binary[job->op->member], 0.3), d;
    pw->walk.n = 3;
    pw->loose = hy__takes_single(compute, job->op->member);
    pw->p[0] = ((const hy__scalar_rec *)job->attr)->scalar;
    pw->p[2] = left;
    pw->dtype[left ? 2 : 1] = pw->dtype[1];
    pw->dtype[left ? 1 : 2] = compute;
    for (d = 0; d < pw->walk.ndim; d++) {
        int64_t stride = pw->walk.stride[1][d];
        pw->walk.stride[left ? 2 : 1][d] = stride;
        pw->walk.stride[left ? 1 : 2][d] = 0;
    }
    job->run = hy__run_scalar;
    return error;
}
static int hy__scalar_bind(hy_job *job) { return hy__scalar_bind_side(job, 0); }
static int hy__rscalar_bind(hy_job *job) { return hy__scalar_bind_side(job, 1); }

/* A function of HY__EXTRAS with its parameters. */
static int hy__extra_bind(hy_job *job, int member, double p0, double p1)
{
    hy_dtype compute = hy__compute_type(job->in[0].type.dtype, 0);
    hy__pointwise *pw = hy__plan_pointwise(job, compute);
    pw->p[0] = p0;
    pw->p[1] = p1;
    return hy__finish_pointwise(job, hy__pointwise_of(job, compute)->extra[member], 0.6);
}

/* NumPy's broadcasting; what the output says about an input's dim is only used where it is certain. */
static int hy__broadcast_infer(hy_infer *I)
{
    hy_shape *a = &I->in[0].shape, *b = &I->in[1].shape, y;
    int d;
    hy__same_types(I);
    if (a->ndim < 0 || b->ndim < 0) return I->status;
    y.ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
    for (d = 1; d <= y.ndim; d++) {
        int64_t m = d <= a->ndim ? a->dim[a->ndim - d] : 1, n = d <= b->ndim ? b->dim[b->ndim - d] : 1;
        int64_t *to = &y.dim[y.ndim - d];
        *to = hy__broadcast_dim(m, n);
        if (*to == -2)
            return hy_infer_fail(I, HY_ERROR_SHAPE, "shapes %z and %z do not broadcast: %l against %l", a, b, m, n);
        if ((m < 0 && n != 1 && n < 0) || (n < 0 && m < 0)) *to = -1;
    }
    hy_infer_shape(I, &I->out[0].shape, y);
    return I->status;
}

#define HY__GRAD_UNARY(name, mxnet, class, formula, gradient, doc) \
    static int hy__##name##_grad(hy_frame *F, hy_diff *D) \
    { \
        hy_array *dy = D->dy[0], *x = D->in[0], *y = D->out[0]; \
        (void)x; (void)y; (void)F; \
        if (dy) D->dx[0] = gradient; \
        return 0; \
    }
HY_UNARY_OPS(HY__GRAD_UNARY)

/* The words of HY_BINARY_OPS for two arrays, then for an array and a number. */
#define HY_TIMES(p, q) hy_mul(F, p, q)
#define HY_OVER(p, q)  hy_div(F, p, q)
#define HY_UNDER(p, y) hy_div(F, p, y)
#define HY_GE(p, q) hy_greater_equal(F, p, q)
#define HY_GT(p, q) hy_greater(F, p, q)
#define HY_LE(p, q) hy_lesser_equal(F, p, q)
#define HY_LT(p, q) hy_lesser(F, p, q)
#define HY_POWER_DA(a, b) hy_mul(F, b, hy_power(F, a, hy_add_scalar(F, b, -1)))
#define HY_POWER_DB(a, b) hy_mul(F, y, hy_log(F, a))
#define HY__GRAD_BINARY(name, speed, saves, m1, m2, m3, m4, m5, m6, formula, da, db, doc) \
    static int hy__##name##_grad(hy_frame *F, hy_diff *D) \
    { \
        hy_array *dy = D->dy[0], *a = D->in[0], *b = D->in[1], *y = D->out[0]; \
        (void)y; \
        if (dy && D->want[0]) D->dx[0] = hy__unbroadcast(F, da, a); \
        if (dy && D->want[1]) D->dx[1] = hy__unbroadcast(F, db, b); \
        return 0; \
    }
HY_BINARY_OPS(HY__GRAD_BINARY)
#undef HY_TIMES
#undef HY_OVER
#undef HY_GE
#undef HY_GT
#undef HY_LE
#undef HY_LT
#undef HY_POWER_DA
#define HY_TIMES(p, q) hy_mul_scalar(F, p, q)
#define HY_OVER(p, q)  hy_div_scalar(F, p, q)
#define HY_GE(p, q) hy_greater_equal_scalar(F, p, q)
#define HY_LE(p, q) hy_lesser_equal_scalar(F, p, q)
#define HY_POWER_DA(a, b) hy_mul_scalar(F, hy_power_scalar(F, a, b - 1), b)
#define HY__GRAD_SCALAR(name, speed, saves, m1, m2, m3, m4, m5, m6, formula, da, db, doc) \
    static int hy__##name##_scalar_grad(hy_frame *F, hy_diff *D) \
    { \
        hy_array *dy = D->dy[0], *a = D->in[0], *y = D->out[0]; \
        double b = ((const hy__scalar_rec *)D->attr)->scalar; \
        (void)a; (void)b; (void)y; (void)F; \
        if (dy) D->dx[0] = da; \
        return 0; \
    }
HY_BINARY_OPS(HY__GRAD_SCALAR)
#define HY__GRAD_RSCALAR(name, mxnet, alias, gradient, doc) \
    static int hy__r##name##_scalar_grad(hy_frame *F, hy_diff *D) \
    { \
        hy_array *dy = D->dy[0], *x = D->in[0], *y = D->out[0]; \
        const hy__scalar_rec *r = (const hy__scalar_rec *)D->attr; \
        (void)x; (void)y; (void)r; \
        if (dy) D->dx[0] = gradient; \
        return 0; \
    }
HY_RSCALAR_OPS(HY__GRAD_RSCALAR)

/* --- reductions --- */

/* Which of ndim axes `axes` names, as bits; none given means all. -1 after an error. */
static int hy__axis_bits(hy_infer *I, const hy_ints *axes, int exclude, int ndim)
{
    int bits = 0, i, all = ndim == 0 ? 0 : (1 << ndim) - 1;
    for (i = 0; i < axes->n; i++) {
        int at = hy__infer_axis(I, (int)hy__clamp_i64(axes->v[i], INT_MIN, INT_MAX), ndim);
        if (at < 0) return -1;
        if (bits >> at & 1) { hy_infer_fail(I, HY_ERROR_ARGUMENT, "axis %d is named twice", at); return -1; }
        bits |= 1 << at;
    }
    if (axes->n <= 0) return all;
    return exclude ? all & ~bits : bits;
}

static int hy__known_axis_bits(const hy_ints *axes, int exclude, int ndim)      /* of axes that inference accepted */
{
    hy_infer I;
    memset(&I, 0, sizeof I);
    return hy__axis_bits(&I, axes, exclude, ndim);
}

/* What is left of x when the axes in bits go; everything gone leaves (1,). */
static hy_shape hy__reduced_shape(const hy_shape *x, int bits, int keepdims)
{
    hy_shape y;
    int d;
    y.ndim = 0;
    for (d = 0; d < x->ndim; d++) {
        if (!(bits >> d & 1)) y.dim[y.ndim++] = x->dim[d];
        else if (keepdims) y.dim[y.ndim++] = 1;
    }
    if (!y.ndim && x->ndim) { y.ndim = 1; y.dim[0] = 1; }
    return y;
}

static int hy__reduce_infer_axes(hy_infer *I, const hy_ints *axes, int exclude, int keepdims)
{
    int bits;
    if (I->in[0].shape.ndim < 0) return I->status;
    bits = hy__axis_bits(I, axes, exclude, I->in[0].shape.ndim);
    if (bits < 0) return -1;
    hy_infer_shape(I, &I->out[0].shape, hy__reduced_shape(&I->in[0].shape, bits, keepdims));
    return I->status;
}

static int hy__reduce_infer(hy_infer *I)
{
    const hy__reduce_rec *r = (const hy__reduce_rec *)I->attr;
    hy__same_types(I);
    return hy__reduce_infer_axes(I, &r->axis, r->exclude, r->keepdims);
}

static void hy__run_reduce(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__reduce *r = (const hy__reduce *)(const void *)&job->plan;
    int64_t tile = item / r->parts, part = item % r->parts, first = tile * r->width, j;
    int64_t width = r->outputs - first < r->width ? r->outputs - first : r->width;
    int64_t low = r->count * part / r->parts, high = r->count * (part + 1) / r->parts;
    double acc[HY__COLUMNS], *partial = (double *)shared;
    (void)scratch;
    if (stage == 0) {
        void *to = r->parts == 1 ? (void *)acc : (void *)(partial + item * r->width);
        hy__reduce_part(r, (const char *)job->in[0].data, first, width, low, high, to);
        if (r->parts == 1) hy__reduce_finish(r, acc, (char *)job->out[0].data, first, width);
        return;
    }
    first = item * r->width;
    width = r->outputs - first < r->width ? r->outputs - first : r->width;
    partial += item * r->parts * r->width;
    for (part = 1; part < r->parts; part++) {
        double *more = partial + part * r->width;
        if (r->integer) for (j = 0; j < width; j++)
            hy__fold_integers(hy__join(r->kind), (int64_t *)(void *)partial + j, 0, (const int64_t *)(void *)more + j, 1);
        else hy__fold_columns(hy__join(r->kind), partial, more, width);
    }
    hy__reduce_finish(r, partial, (char *)job->out[0].data, first, width);
}

static int hy__reduce_bind_kind(hy_job *job, hy__reduction kind, int bits)
{
    hy__reduce *r = (hy__reduce *)(void *)&job->plan;
    hy_shape kept = hy__rank(0), gone = hy__rank(0);
    int64_t stride[2][1][HY_MAX_DIM];
    const hy_tensor *x = &job->in[0];
    int d;
    for (d = 0; d < x->type.shape.ndim; d++) {
        hy_shape *to = bits >> d & 1 ? &gone : &kept;
        stride[bits >> d & 1][0][to->ndim] = x->stride[d];
        to->dim[to->ndim++] = x->type.shape.dim[d];
    }
    hy__walk_init(&r->kept, &kept, 1, (const int64_t (*)[HY_MAX_DIM])stride[0]);
    hy__walk_init(&r->gone, &gone, 1, (const int64_t (*)[HY_MAX_DIM])stride[1]);
    r->kind = kind;
    r->from = x->type.dtype;
    r->to = job->out[0].type.dtype;
    r->integer = !hy__floating(r->from);
    r->outputs = hy__size(&kept);
    r->count = hy__size(&gone);
    r->columns = r->outputs > 1 && r->count > 0 &&
                 (r->count == 1 || r->kept.stride[0][r->kept.ndim - 1] < r->gone.stride[0][r->gone.ndim - 1]);
    r->width = r->columns ? HY__COLUMNS : r->count > 4096 ? 1 : r->count > 64 ? 16 : HY__COLUMNS;
    r->parts = r->outputs / r->width < 16 ? hy__pieces(r->count * (r->columns ? r->width : 1), HY__PART) : 1;
    if (r->parts > 64) r->parts = 64;
    if (r->parts < 1) r->parts = 1;
    hy__one_stage(job, hy__run_reduce, hy__pieces(r->outputs, r->width) * r->parts,
                  0.5 * (double)r->outputs * (double)r->count);
    if (r->parts > 1) {
        job->stages = 2;
        job->items[1] = hy__pieces(r->outputs, r->width);
        job->shared = (size_t)(job->items[0] * r->width) * sizeof(double);
    }
    return 0;
}

static int hy__reduce_bind(hy_job *job)
{
    const hy__reduce_rec *r = (const hy__reduce_rec *)job->attr;
    int bits = hy__known_axis_bits(&r->axis, r->exclude, job->in[0].type.shape.ndim);
    return hy__reduce_bind_kind(job, (hy__reduction)job->op->member, bits);
}

/* Something of the reduced shape, spread over the shape of x again. */
static hy_array *hy__spread(hy_frame *F, hy_array *g, hy_array *x, int bits, int keepdims)
{
    int d, ndim = x->t.type.shape.ndim;
    if (!keepdims) {
        if (bits == (1 << ndim) - 1) for (d = 1; d < ndim; d++) g = hy_expand_dims(F, g, 0);
        else for (d = 0; d < ndim; d++) if (bits >> d & 1) g = hy_expand_dims(F, g, d);
    }
    return hy_broadcast_like(F, g, x, NULL);
}

static int hy__reduce_grad(hy_frame *F, hy_diff *D)
{
    const hy__reduce_rec *r = (const hy__reduce_rec *)D->attr;
    hy_array *x = D->in[0], *dy, *y;
    int bits = hy__known_axis_bits(&r->axis, r->exclude, x->t.type.shape.ndim);
    if (!D->dy[0]) return 0;
    dy = hy__spread(F, D->dy[0], x, bits, r->keepdims);
    switch ((hy__reduction)D->op->member) {
    case HY__SUM: D->dx[0] = dy; return 0;
    case HY__MEAN: {
        int64_t n = hy__size(&x->t.type.shape), m = hy__size(&D->out[0]->t.type.shape);
        D->dx[0] = hy_mul_scalar(F, dy, n ? (double)m / (double)n : 0);
        return 0;
    }
    case HY__NANSUM: D->dx[0] = hy_mul(F, dy, hy_equal(F, x, x)); return 0;
    default: break;
    }
    y = hy__spread(F, D->out[0], x, bits, r->keepdims);
    switch ((hy__reduction)D->op->member) {
    case HY__PROD:    D->dx[0] = hy_mul(F, dy, hy_div(F, y, x)); break;
    case HY__NANPROD: D->dx[0] = hy_where(F, hy_equal(F, x, x), hy_mul(F, dy, hy_div(F, y, x)), hy_zeros_like(F, x)); break;
    default:          D->dx[0] = hy_mul(F, dy, hy_equal(F, x, y));
    }
    return 0;
}

/* --- matrix products: C = alpha A B + bias, for each matrix of a batch --- *
 * Types without a kernel are converted first: halves to f32, integers to f64. */
typedef struct hy__matmul {
    hy__gemm gemm;
    hy_dtype compute, dtype;
    int64_t  batch, a_step, b_step, c_step;     /* elements between the matrices of a batch */
    int64_t  a_size, b_size, c_size;            /* elements of the whole operands */
    double   alpha;
    int      bias;                              /* input 2 is added to every row */
} hy__matmul;

static void hy__matmul_region(const hy__gemm *g, int64_t item, int64_t *row, int64_t *rows, int64_t *col, int64_t *cols)
{
    *row = item % g->row_blocks * g->row_block;
    *col = item / g->row_blocks * g->col_block;
    *rows = g->m - *row < g->row_block ? g->m - *row : g->row_block;
    *cols = g->n - *col < g->col_block ? g->n - *col : g->col_block;
}

/* Writes the bias, or multiplies by alpha, in the part of C that an item owns. */
static void hy__matmul_edge(const hy__matmul *m, char *c, int64_t item, const char *bias)
{
    const hy__gemm *g = &m->gemm;
    int64_t row, rows, col, cols, i, j;
    hy__matmul_region(g, item, &row, &rows, &col, &cols);
    for (i = row; i < row + rows; i++) {
        float *c32 = (float *)(void *)c + i * g->c_row + col;
        double *c64 = (double *)(void *)c + i * g->c_row + col;
        if (bias) hy__load_tile(m->compute, m->compute == HY_F64 ? (void *)c64 : (void *)c32,
                                bias + col * hy__traits[m->dtype].size, m->dtype, 1, cols);
        else if (m->compute == HY_F64) for (j = 0; j < cols; j++) c64[j] *= m->alpha;
        else for (j = 0; j < cols; j++) c32[j] *= (float)m->alpha;
    }
}

static void hy__matmul_item(const hy__matmul *m, const char *a, const char *b, char *c, const char *bias, int64_t item,
                            char *scratch, const char *shared)
{
    if (bias) hy__matmul_edge(m, c, item, bias);
    hy__gemm_run(&m->gemm, a, b, c, item, scratch, shared);
    if (m->alpha != 1) hy__matmul_edge(m, c, item, NULL);
}

static size_t hy__round64(size_t n) { return (n + 63) / 64 * 64; }

/* Stages: convert A and B if need be, pack B, multiply, convert C back. */
static void hy__run_matmul(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__matmul *m = (const hy__matmul *)(const void *)&job->plan;
    const hy__gemm *g = &m->gemm;
    int64_t size = hy__traits[m->compute].size, i, n, at;
    int foreign = m->compute != m->dtype;
    char *packed = (char *)shared, *a = (char *)job->in[0].data, *b = (char *)job->in[1].data, *c = (char *)job->out[0].data;
    const char *bias = m->bias ? (const char *)job->in[2].data : NULL;
    if (foreign) {
        char *wide = packed + hy__round64(g->shared_bytes) * (size_t)m->batch;
        a = wide;
        b = a + hy__round64((size_t)(m->a_size * size));
        c = b + hy__round64((size_t)(m->b_size * size));
        if (stage == 0) {
            int from_b = item >= hy__pieces(m->a_size, HY__CHUNK);
            at = (item - (from_b ? hy__pieces(m->a_size, HY__CHUNK) : 0)) * HY__CHUNK;
            n = (from_b ? m->b_size : m->a_size) - at;
            hy__load_tile(m->compute, (from_b ? b : a) + at * size,
                          (const char *)job->in[from_b].data + at * hy__traits[m->dtype].size, m->dtype, 1,
                          n < HY__CHUNK ? n : HY__CHUNK);
            return;
        }
        if (stage == 3) {
            at = item * HY__CHUNK;
            n = m->c_size - at < HY__CHUNK ? m->c_size - at : HY__CHUNK;
            hy__store_tile(m->compute, (char *)job->out[0].data + at * hy__traits[m->dtype].size, m->dtype, 1, c + at * size, n);
            return;
        }
        stage--;
    }
    i = stage == 0 ? item / (g->pack_items ? g->pack_items : 1) : item / g->items;
    packed += (size_t)i * hy__round64(g->shared_bytes);
    if (stage == 0) hy__gemm_pack(g, b + i * m->b_step * size, item % g->pack_items, packed);
    else hy__matmul_item(m, a + i * m->a_step * size, b + i * m->b_step * size, c + i * m->c_step * size, bias,
                         item % g->items, (char *)scratch, packed);
}

static hy_dtype hy__matmul_type(hy_dtype dtype)
{
    return dtype == HY_F32 || dtype == HY_F16 || dtype == HY_BF16 ? HY_F32 : HY_F64;
}

/* The caller has set gemm's m, n, k and strides, batch and steps, alpha and bias. */
static int hy__matmul_bind(hy_job *job)
{
    hy__matmul *m = (hy__matmul *)(void *)&job->plan;
    hy__gemm *g = &m->gemm;
    int64_t size;
    int foreign, stage = 0;
    m->dtype = job->in[0].type.dtype;
    m->compute = hy__matmul_type(m->dtype);
    foreign = m->compute != m->dtype;
    size = hy__traits[m->compute].size;
    g->accumulate = m->bias;
    if (m->compute == HY_F32) hy__gemm_plan_f32(g, job->kernels->isa - HY_ISA_BASE);
    else hy__gemm_plan_f64(g, job->kernels->isa - HY_ISA_BASE);
    m->a_size = hy__size(&job->in[0].type.shape);
    m->b_size = hy__size(&job->in[1].type.shape);
    m->c_size = hy__size(&job->out[0].type.shape);
    job->run = hy__run_matmul;
    if (foreign) job->items[stage++] = hy__pieces(m->a_size, HY__CHUNK) + hy__pieces(m->b_size, HY__CHUNK);
    job->items[stage++] = g->pack_items * m->batch;
    job->items[stage++] = g->items * m->batch;
    if (foreign) job->items[stage++] = hy__pieces(m->c_size, HY__CHUNK);
    job->stages = stage;
    job->scratch = g->scratch_bytes;
    job->shared = hy__round64(g->shared_bytes) * (size_t)m->batch;
    if (foreign) job->shared += hy__round64((size_t)(m->a_size * size)) + hy__round64((size_t)(m->b_size * size)) +
                                hy__round64((size_t)(m->c_size * size));
    job->cost = (double)g->m * (double)g->n * (double)g->k * (double)m->batch / 40 + 100;
    return 0;
}
/* --- linear --- */
static int hy__fully_connected_infer(hy_infer *I)
{
    const hy__fully_connected_rec *r = (const hy__fully_connected_rec *)I->attr;
    hy_shape *x = &I->in[0].shape, *w = &I->in[1].shape, *y = &I->out[0].shape, want;
    hy__same_types(I);
    if (r->num_hidden < 1) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "num_hidden is %d", r->num_hidden);
    hy_infer_shape(I, w, hy__shape2(r->num_hidden, -1));
    if (I->nin > 2 && I->in[2].shape.ndim != 2) hy_infer_shape(I, &I->in[2].shape, hy__shape1(r->num_hidden));
    else if (I->nin > 2) hy_infer_shape(I, &I->in[2].shape, hy__shape2(r->num_hidden, 1));
    if (I->status < 0) return -1;
    if (x->ndim < 0) {
        if (!r->no_flatten) hy_infer_shape(I, y, hy__shape2(-1, r->num_hidden));
        return I->status;
    }
    if (x->ndim < 1) return hy_infer_fail(I, HY_ERROR_SHAPE, "data needs at least one dim");
    if (r->no_flatten) {
        want = *x;
        want.dim[x->ndim - 1] = r->num_hidden;
        hy_infer_dim(I, &w->dim[1], x->dim[x->ndim - 1]);
    } else {
        hy_shape rest = *x;
        want = hy__shape2(x->dim[0], r->num_hidden);
        rest.dim[0] = 1;
        hy_infer_dim(I, &w->dim[1], hy__size(&rest));
    }
    hy_infer_shape(I, y, want);
    if (y->ndim > 0) hy_infer_dim(I, &x->dim[0], x->ndim == 1 && r->no_flatten ? -1 : y->dim[0]);
    return I->status;
}

static int hy__fully_connected_bind(hy_job *job)
{
    const hy__fully_connected_rec *r = (const hy__fully_connected_rec *)job->attr;
    hy__matmul *m = (hy__matmul *)(void *)&job->plan;
    int64_t k = job->in[1].type.shape.dim[1];
    m->gemm.n = r->num_hidden;
    m->gemm.k = k;
    m->gemm.m = hy__size(&job->out[0].type.shape) / r->num_hidden;
    m->gemm.a_row = m->gemm.b_col = k;
    m->gemm.a_col = m->gemm.b_row = 1;
    m->gemm.c_row = r->num_hidden;
    m->batch = 1;
    m->a_step = m->b_step = m->c_step = 0;
    m->alpha = 1;
    m->bias = !r->no_bias;
    return hy__matmul_bind(job);
}

/* y = x w^T + b over rows: dx = dy w, dw = dy^T x, db = the sum of dy's rows. */
static int hy__fully_connected_grad(hy_frame *F, hy_diff *D)
{
    const hy__fully_connected_rec *r = (const hy__fully_connected_rec *)D->attr;
    hy_array *x = D->in[0], *w = D->in[1], *dy = D->dy[0];
    hy_dot_opt left;
    int last = x->t.type.shape.ndim - 1;
    memset(&left, 0, sizeof left);
    left.transpose_a = 1;
    if (!dy) return 0;
    if (D->want[0]) {
        D->dx[0] = hy_dot(F, dy, w, NULL);
        if (!r->no_flatten) D->dx[0] = hy_reshape_like(F, D->dx[0], x, NULL);
    }
    if (r->no_flatten && last > 0) {
        dy = hy_reshape(F, dy, HY_INTS(-1, r->num_hidden), NULL);
        x = hy_reshape(F, x, HY_INTS(-1, w->t.type.shape.dim[1]), NULL);
    } else if (r->no_flatten) {
        dy = hy_expand_dims(F, dy, 0);
        x = hy_expand_dims(F, x, 0);
    } else x = hy_flatten(F, x);
    if (D->want[1]) D->dx[1] = hy_dot(F, dy, x, &left);
    if (D->nin > 2 && D->want[2]) {
        D->dx[2] = hy_sum(F, dy, HY_AXES(0), NULL);
        if (D->in[2]->t.type.shape.ndim == 2) D->dx[2] = hy_expand_dims(F, D->dx[2], 1);
    }
    return 0;
}
#define HY__ON_fully_connected hy__fully_connected_infer, hy__fully_connected_bind, hy__fully_connected_grad, NULL

/* dot contracts one axis: everything before it and everything behind it are the rows and columns. */
static int hy__dot_infer(hy_infer *I)
{
    const hy__dot_rec *r = (const hy__dot_rec *)I->attr;
    hy_shape *a = &I->in[0].shape, *b = &I->in[1].shape, y;
    int64_t *ka, *kb;
    int d;
    hy__same_types(I);
    if (a->ndim < 0 || b->ndim < 0) return I->status;
    if (a->ndim < 1 || b->ndim < 1) return hy_infer_fail(I, HY_ERROR_SHAPE, "operands need at least one dim");
    if ((a->ndim == 1 && r->transpose_a) || (b->ndim == 1 && r->transpose_b))
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "a vector cannot be transposed");
    if (a->ndim + b->ndim - 2 > HY_MAX_DIM) return hy_infer_fail(I, HY_ERROR_SHAPE, "the result has too many dims");
    ka = r->transpose_a ? &a->dim[0] : &a->dim[a->ndim - 1];
    kb = r->transpose_b ? &b->dim[b->ndim - 1] : &b->dim[0];
    hy_infer_dim(I, ka, *kb);
    hy_infer_dim(I, kb, *ka);
    y.ndim = 0;
    for (d = 0; d < a->ndim - 1; d++) y.dim[y.ndim++] = a->dim[d + (r->transpose_a != 0)];
    for (d = 0; d < b->ndim - 1; d++) y.dim[y.ndim++] = b->dim[d + !r->transpose_b];
    if (!y.ndim) y = hy__shape1(1);
    hy_infer_shape(I, &I->out[0].shape, y);
    return I->status;
}

static int hy__dot_bind(hy_job *job)
{
    const hy__dot_rec *r = (const hy__dot_rec *)job->attr;
    const hy_shape *a = &job->in[0].type.shape, *b = &job->in[1].type.shape;
    hy__matmul *m = (hy__matmul *)(void *)&job->plan;
    hy__gemm *g = &m->gemm;
    g->k = r->transpose_a ? a->dim[0] : a->dim[a->ndim - 1];
    g->m = r->transpose_a ? hy__product(a, 1, a->ndim) : hy__product(a, 0, a->ndim - 1);
    g->n = r->transpose_b ? hy__product(b, 0, b->ndim - 1) : hy__product(b, 1, b->ndim);
    g->a_row = r->transpose_a ? 1 : g->k;
    g->a_col = r->transpose_a ? g->m : 1;
    g->b_row = r->transpose_b ? 1 : g->n;
    g->b_col = r->transpose_b ? g->k : 1;
    g->c_row = g->n;
    m->batch = 1;
    m->a_step = m->b_step = m->c_step = 0;
    m->alpha = 1;
    m->bias = 0;
    return hy__matmul_bind(job);
}

/* With matrices A (m,k) and B (k,n): dA = dY B^T, dB = A^T dY, each laid out as its operand was. */
static int hy__dot_grad(hy_frame *F, hy_diff *D)
{
    const hy__dot_rec *r = (const hy__dot_rec *)D->attr;
    hy_array *a = D->in[0], *b = D->in[1], *dy = D->dy[0], *a2, *b2, *g;
    int64_t k = r->transpose_a ? a->t.type.shape.dim[0] : a->t.type.shape.dim[a->t.type.shape.ndim - 1];
    hy_dot_opt opt;
    if (!dy) return 0;
    a2 = r->transpose_a ? hy_reshape(F, a, HY_INTS(k, -1), NULL) : hy_reshape(F, a, HY_INTS(-1, k), NULL);
    b2 = r->transpose_b ? hy_reshape(F, b, HY_INTS(-1, k), NULL) : hy_reshape(F, b, HY_INTS(k, -1), NULL);
    if (!a2 || !b2) return 0;
    g = hy_reshape(F, dy, HY_INTS(r->transpose_a ? a2->t.type.shape.dim[1] : a2->t.type.shape.dim[0], -1), NULL);
    memset(&opt, 0, sizeof opt);
    if (D->want[0]) {
        opt.transpose_a = r->transpose_a && r->transpose_b;
        opt.transpose_b = r->transpose_a || !r->transpose_b;
        D->dx[0] = r->transpose_a ? hy_dot(F, b2, g, &opt) : hy_dot(F, g, b2, &opt);
        D->dx[0] = hy_reshape_like(F, D->dx[0], a, NULL);
    }
    if (D->want[1]) {
        opt.transpose_a = !r->transpose_a || r->transpose_b;
        opt.transpose_b = r->transpose_a && r->transpose_b;
        D->dx[1] = r->transpose_b ? hy_dot(F, g, a2, &opt) : hy_dot(F, a2, g, &opt);
        D->dx[1] = hy_reshape_like(F, D->dx[1], b, NULL);
    }
    return 0;
}
#define HY__ON_dot hy__dot_infer, hy__dot_bind, hy__dot_grad, NULL

/* batch_dot and linalg_gemm2: (..., m, k) times (..., k, n), the last two dims possibly transposed. */
static int hy__batch_dot_infer_dims(hy_infer *I, int transpose_a, int transpose_b)
{
    hy_shape *a = &I->in[0].shape, *b = &I->in[1].shape, *y = &I->out[0].shape, want;
    int n, d;
    hy__same_types(I);
    n = a->ndim >= 0 ? a->ndim : b->ndim >= 0 ? b->ndim : y->ndim;
    if (n < 0) return I->status;
    if (n < 2) return hy_infer_fail(I, HY_ERROR_SHAPE, "operands need at least two dims");
    want = hy__rank(n);
    hy_infer_shape(I, a, want);
    hy_infer_shape(I, b, want);
    if (I->status < 0) return -1;
    for (d = 0; d < n - 2; d++) { hy_infer_dim(I, &a->dim[d], b->dim[d]); hy_infer_dim(I, &b->dim[d], a->dim[d]); want.dim[d] = a->dim[d]; }
    hy_infer_dim(I, &a->dim[transpose_a ? n - 2 : n - 1], b->dim[transpose_b ? n - 1 : n - 2]);
    hy_infer_dim(I, &b->dim[transpose_b ? n - 1 : n - 2], a->dim[transpose_a ? n - 2 : n - 1]);
    want.dim[n - 2] = a->dim[transpose_a ? n - 1 : n - 2];
    want.dim[n - 1] = b->dim[transpose_b ? n - 2 : n - 1];
    hy_infer_shape(I, y, want);
    return I->status;
}

static int hy__batch_dot_bind_dims(hy_job *job, int transpose_a, int transpose_b, double alpha)
{
    const hy_shape *a = &job->in[0].type.shape, *y = &job->out[0].type.shape;
    hy__matmul *m = (hy__matmul *)(void *)&job->plan;
    hy__gemm *g = &m->gemm;
    int n = y->ndim;
    g->m = y->dim[n - 2];
    g->n = y->dim[n - 1];
    g->k = a->dim[transpose_a ? n - 2 : n - 1];
    g->a_row = transpose_a ? 1 : g->k;
    g->a_col = transpose_a ? g->m : 1;
    g->b_row = transpose_b ? 1 : g->n;
    g->b_col = transpose_b ? g->k : 1;
    g->c_row = g->n;
    m->batch = hy__product(y, 0, n - 2);
    m->a_step = g->m * g->k;
    m->b_step = g->k * g->n;
    m->c_step = g->m * g->n;
    m->alpha = alpha;
    m->bias = 0;
    return hy__matmul_bind(job);
}

static int hy__batch_dot_infer(hy_infer *I)
{
    const hy__batch_dot_rec *r = (const hy__batch_dot_rec *)I->attr;
    return hy__batch_dot_infer_dims(I, r->transpose_a, r->transpose_b);
}
static int hy__batch_dot_bind(hy_job *job)
{
    const hy__batch_dot_rec *r = (const hy__batch_dot_rec *)job->attr;
    return hy__batch_dot_bind_dims(job, r->transpose_a, r->transpose_b, 1);
}

/* dA = dY B^T and dB = A^T dY, turned round where an operand was transposed. */
static void hy__batch_dot_grads(hy_frame *F, hy_diff *D, int ta, int tb)
{
    hy_array *a = D->in[0], *b = D->in[1], *dy = D->dy[0];
    hy_batch_dot_opt opt;
    memset(&opt, 0, sizeof opt);
    if (D->want[0]) {
        opt.transpose_a = ta && tb;
        opt.transpose_b = ta || !tb;
        D->dx[0] = ta ? hy_batch_dot(F, b, dy, &opt) : hy_batch_dot(F, dy, b, &opt);
    }
    if (D->want[1]) {
        opt.transpose_a = !ta || tb;
        opt.transpose_b = ta && tb;
        D->dx[1] = tb ? hy_batch_dot(F, dy, a, &opt) : hy_batch_dot(F, a, dy, &opt);
    }
}
static int hy__batch_dot_grad(hy_frame *F, hy_diff *D)
{
    const hy__batch_dot_rec *r = (const hy__batch_dot_rec *)D->attr;
    if (D->dy[0]) hy__batch_dot_grads(F, D, r->transpose_a, r->transpose_b);
    return 0;
}
#define HY__ON_batch_dot hy__batch_dot_infer, hy__batch_dot_bind, hy__batch_dot_grad, NULL

static int hy__linalg_gemm2_infer(hy_infer *I)
{
    const hy__linalg_gemm2_rec *r = (const hy__linalg_gemm2_rec *)I->attr;
    if (r->axis != -2) return hy_infer_fail(I, HY_ERROR_UNSUPPORTED, "axis %d: only -2 is supported", r->axis);
    return hy__batch_dot_infer_dims(I, r->transpose_a, r->transpose_b);
}
static int hy__linalg_gemm2_bind(hy_job *job)
{
    const hy__linalg_gemm2_rec *r = (const hy__linalg_gemm2_rec *)job->attr;
    return hy__batch_dot_bind_dims(job, r->transpose_a, r->transpose_b, r->alpha);
}
static int hy__linalg_gemm2_grad(hy_frame *F, hy_diff *D)
{
    const hy__linalg_gemm2_rec *r = (const hy__linalg_gemm2_rec *)D->attr;
    int i;
    if (!D->dy[0]) return 0;
    hy__batch_dot_grads(F, D, r->transpose_a, r->transpose_b);
    for (i = 0; i < 2; i++) if (D->want[i] && r->alpha != 1) D->dx[i] = hy_mul_scalar(F, D->dx[i], r->alpha);
    return 0;
}
#define HY__ON_linalg_gemm2 hy__linalg_gemm2_infer, hy__linalg_gemm2_bind, hy__linalg_gemm2_grad, NULL

/* Adds tile after tile, so the order is that of the inputs. */
static void hy__run_add_n(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    double sum[HY__TILE], more[HY__TILE];
    hy_dtype dtype = job->out[0].type.dtype, compute = hy__compute_type(dtype, 1);
    int64_t first = item * HY__CHUNK, end = first + HY__CHUNK, n = hy__size(&job->out[0].type.shape), m;
    const void *in[2];
    int step[2], k, size = hy__traits[dtype].size;
    (void)stage; (void)scratch; (void)shared;
    if (end > n) end = n;
    in[0] = sum;
    in[1] = more;
    step[0] = step[1] = 1;
    for (; first < end; first += m) {
        m = end - first < HY__TILE ? end - first : HY__TILE;
        hy__load_tile(compute, sum, (const char *)job->in[0].data + first * size, dtype, 1, m);
        for (k = 1; k < job->nin; k++) {
            hy__load_tile(compute, more, (const char *)job->in[k].data + first * size, dtype, 1, m);
            hy__pointwise_of(job, compute)->binary[HY__BINARY_add](in, step, sum, m, NULL);
        }
        hy__store_tile(compute, (char *)job->out[0].data + first * size, dtype, 1, sum, m);
    }
}
static int hy__add_n_bind(hy_job *job)
{
    int64_t n = hy__size(&job->out[0].type.shape);
    return hy__one_stage(job, hy__run_add_n, hy__pieces(n, HY__CHUNK), 0.3 * (double)n * job->nin);
}
static int hy__add_n_grad(hy_frame *F, hy_diff *D)
{
    int i;
    (void)F;
    for (i = 0; i < D->nin; i++) D->dx[i] = D->dy[0];
    return 0;
}
#define HY__ON_add_n hy_infer_pointwise, hy__add_n_bind, hy__add_n_grad, NULL

/* --- copies, conversions, constants --- */

/* Every element of the output from the same element of input 0, whatever the strides and types. */
static void hy__run_copy(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__pointwise *pw = (const hy__pointwise *)(const void *)&job->plan;
    int64_t at[HY_MAX_DIM], offset[HY__WALK], i = item * HY__CHUNK, end = i + HY__CHUNK, m;
    int last = pw->walk.ndim - 1;
    (void)stage; (void)scratch; (void)shared;
    if (end > pw->total) end = pw->total;
    hy__walk_seek(&pw->walk, i, at, offset);
    for (; i < end; i += m) {
        m = pw->walk.dim[last] - at[last];
        if (m > end - i) m = end - i;
        hy__copy_run((char *)job->out[0].data + offset[0] * hy__traits[pw->dtype[0]].size, pw->dtype[0],
                     pw->walk.stride[0][last],
                     (const char *)job->in[0].data + offset[1] * hy__traits[pw->dtype[1]].size, pw->dtype[1],
                     pw->walk.stride[1][last], m);
        hy__walk_next(&pw->walk, at, offset);
    }
}

static int hy__copy_bind(hy_job *job)
{
    int nin = job->nin;
    hy__pointwise *pw;
    job->nin = 1;                       /* further inputs, if any, only gave the shape */
    pw = hy__plan_pointwise(job, HY_DTYPE_NONE);
    job->nin = nin;
    return hy__one_stage(job, hy__run_copy, hy__pieces(pw->total, HY__CHUNK), 0.3 * (double)pw->total);
}

static int hy__pass_grad(hy_frame *F, hy_diff *D)       /* the gradient of input 0 is that of output 0 */
{
    (void)F;
    D->dx[0] = D->dy[0];
    return 0;
}
#define HY__ON_identity hy_infer_pointwise, hy__copy_bind, hy__pass_grad, hy__pointwise_split
#define HY__ON_identity_like hy_infer_pointwise, hy__copy_bind, hy__pass_grad, hy__pointwise_split
#define HY__ON_block_grad hy_infer_pointwise, hy__copy_bind, NULL, hy__pointwise_split

static int hy__cast_infer(hy_infer *I)
{
    const hy__cast_rec *r = (const hy__cast_rec *)I->attr;
    if ((unsigned)r->dtype - 1 >= HY_DTYPE_COUNT - 1)
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "dtype %d is no type", (int)r->dtype);
    hy_infer_type(I, &I->out[0].dtype, r->dtype);
    hy_infer_same(I, &I->in[0].shape, &I->out[0].shape);
    return I->status;
}
static int hy__cast_grad(hy_frame *F, hy_diff *D)
{
    if (D->dy[0]) D->dx[0] = hy_cast(F, D->dy[0], D->in[0]->t.type.dtype);
    return 0;
}
#define HY__ON_cast hy__cast_infer, hy__copy_bind, hy__cast_grad, hy__pointwise_split

/* One value everywhere: plan.f[0]. */
static void hy__run_fill(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy_tensor *y = &job->out[0];
    int64_t i = item * HY__CHUNK, k, n = hy__size(&y->type.shape) - i, size = hy__traits[y->type.dtype].size;
    char *to = (char *)y->data + i * size;
    (void)stage; (void)scratch; (void)shared;
    if (n > HY__CHUNK) n = HY__CHUNK;
    if (n <= 0) return;
    hy__store(to, y->type.dtype, job->plan.f[0]);
    for (i = 1; i < n; i += k) {                        /* what is filled doubles */
        k = i < n - i ? i : n - i;
        memcpy(to + i * size, to, (size_t)(k * size));
    }
}
static int hy__fill_bind(hy_job *job, double value)
{
    int64_t n = hy__size(&job->out[0].type.shape);
    job->plan.f[0] = value;
    return hy__one_stage(job, hy__run_fill, hy__pieces(n, HY__CHUNK), 0.1 * (double)n);
}
static int hy__zeros_like_bind(hy_job *job) { return hy__fill_bind(job, 0); }
static int hy__ones_like_bind(hy_job *job) { return hy__fill_bind(job, 1); }
#define HY__ON_zeros_like hy_infer_pointwise, hy__zeros_like_bind, NULL, hy__pointwise_split
#define HY__ON_ones_like hy_infer_pointwise, hy__ones_like_bind, NULL, hy__pointwise_split

/* --- where --- *
 * The condition has the shape of the others, or one value for each slice along axis 0. */
static int hy__where_infer(hy_infer *I)
{
    hy_shape *c = &I->in[0].shape, *y = &I->out[0].shape;
    int i, round;
    for (round = 0; round < 2; round++)
        for (i = 1; i < 3; i++) {
            hy_infer_type(I, &I->out[0].dtype, I->in[i].dtype);
            hy_infer_type(I, &I->in[i].dtype, I->out[0].dtype);
            hy_infer_same(I, &I->in[i].shape, y);
        }
    if (I->status < 0 || c->ndim < 0 || y->ndim < 0) return I->status;
    if (c->ndim == 1 && y->ndim > 1) {
        hy_infer_dim(I, &c->dim[0], y->dim[0]);
        for (i = 1; i < 3; i++) hy_infer_dim(I, &I->in[i].shape.dim[0], c->dim[0]);
    } else hy_infer_same(I, c, y);
    return I->status;
}

/* The condition becomes bytes tile by tile; x, y and the result are packed. */
static void hy__run_where(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    double wide[HY__TILE];
    uint8_t mask[HY__TILE];
    const hy_tensor *c = &job->in[0];
    hy_dtype through = hy__convert_through(c->type.dtype, c->type.dtype);
    int64_t total = hy__size(&job->out[0].type.shape), i = item * HY__CHUNK, end = i + HY__CHUNK, n;
    int64_t each = job->plan.i[0];                      /* elements that one condition decides */
    int size = hy__traits[job->out[0].type.dtype].size, size_c = hy__traits[c->type.dtype].size;
    (void)stage; (void)scratch; (void)shared;
    if (end > total) end = total;
    for (; i < end; i += n) {
        n = each == 1 ? end - i : each - i % each;
        if (n > end - i) n = end - i;
        if (n > HY__TILE) n = HY__TILE;
        hy__load_tile(through, wide, (const char *)c->data + i / each * size_c, c->type.dtype, each == 1, n);
        hy__store_tile(through, mask, HY_BOOL, 1, wide, n);
        hy__select(mask, (const char *)job->in[1].data + i * size, (const char *)job->in[2].data + i * size,
                   (char *)job->out[0].data + i * size, size, n);
    }
}
static int hy__where_bind(hy_job *job)
{
    int64_t n = hy__size(&job->out[0].type.shape), conditions = hy__size(&job->in[0].type.shape);
    job->plan.i[0] = conditions ? n / conditions : 1;
    return hy__one_stage(job, hy__run_where, hy__pieces(n, HY__CHUNK), 0.5 * (double)n);
}
static int hy__where_grad(hy_frame *F, hy_diff *D)
{
    hy_array *c = D->in[0], *dy = D->dy[0], *zero;
    if (!dy) return 0;
    zero = hy_zeros_like(F, dy);
    if (D->want[1]) D->dx[1] = hy_where(F, c, dy, zero);
    if (D->want[2]) D->dx[2] = hy_where(F, c, zero, dy);
    return 0;
}
static int hy__where_split(const hy_job *job, int axis, hy_slicing *s)
{
    s->axis[0] = job->in[0].type.shape.ndim == 1 && axis > 0 ? -1 : axis;
    s->axis[1] = s->axis[2] = axis;
    return 1;
}
#define HY__ON_where hy__where_infer, hy__where_bind, hy__where_grad, hy__where_split

static int hy__clip_bind(hy_job *job)
{
    const hy__clip_rec *r = (const hy__clip_rec *)job->attr;
    return hy__extra_bind(job, HY__EXTRA_clip, r->a_min, r->a_max);
}
/* Where the clip changed nothing the gradient passes. */
static int hy__clip_grad(hy_frame *F, hy_diff *D)
{
    if (D->dy[0]) D->dx[0] = hy_mul(F, D->dy[0], hy_equal(F, D->in[0], D->out[0]));
    return 0;
}
#define HY__ON_clip hy_infer_pointwise, hy__clip_bind, hy__clip_grad, hy__pointwise_split

static int hy__smooth_l1_bind(hy_job *job)
{
    double s = ((const hy__smooth_l1_rec *)job->attr)->scalar, square = s * s;
    return hy__extra_bind(job, HY__EXTRA_smooth_l1, square, square > 0 ? 1 / square : HUGE_VAL);
}
static int hy__smooth_l1_grad(hy_frame *F, hy_diff *D)
{
    double s = ((const hy__smooth_l1_rec *)D->attr)->scalar;
    if (D->dy[0]) D->dx[0] = hy_mul(F, D->dy[0], hy_clip(F, hy_mul_scalar(F, D->in[0], s * s), -1, 1));
    return 0;
}
#define HY__ON_smooth_l1 hy_infer_pointwise, hy__smooth_l1_bind, hy__smooth_l1_grad, hy__pointwise_split

static int hy__hard_sigmoid_bind(hy_job *job)
{
    const hy__hard_sigmoid_rec *r = (const hy__hard_sigmoid_rec *)job->attr;
    return hy__extra_bind(job, HY__EXTRA_hard_sigmoid, r->alpha, r->beta);
}
static int hy__hard_sigmoid_grad(hy_frame *F, hy_diff *D)
{
    double alpha = ((const hy__hard_sigmoid_rec *)D->attr)->alpha;
    hy_array *y = D->out[0], *dy = D->dy[0];
    if (dy) D->dx[0] = hy_mul(F, hy_mul_scalar(F, dy, alpha),
                              hy_logical_and(F, hy_greater_scalar(F, y, 0), hy_lesser_scalar(F, y, 1)));
    return 0;
}
#define HY__ON_hard_sigmoid hy_infer_pointwise, hy__hard_sigmoid_bind, hy__hard_sigmoid_grad, hy__pointwise_split

/* --- activation: one of the unary operators, by name --- */
typedef int (*hy__grad_fn)(hy_frame *F, hy_diff *D);
static const struct { int member; hy__grad_fn grad; } hy__activations[] = {
    { HY__UNARY_relu, hy__relu_grad }, { HY__UNARY_sigmoid, hy__sigmoid_grad }, { HY__UNARY_tanh, hy__tanh_grad },
    { HY__UNARY_softrelu, hy__softrelu_grad }, { HY__UNARY_softsign, hy__softsign_grad },
    { HY__UNARY_log_sigmoid, hy__log_sigmoid_grad }, { HY__UNARY_mish, hy__mish_grad }
};
static int hy__activation_infer(hy_infer *I)
{
    int type = ((const hy__activation_rec *)I->attr)->act_type;
    if (type < 0 || type > HY_ACT_MISH) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "act_type is %d", type);
    return hy_infer_pointwise(I);
}
static int hy__activation_bind(hy_job *job)
{
    int member = hy__activations[((const hy__activation_rec *)job->attr)->act_type].member;
    int arithmetic = hy__unary_arithmetic[member];
    hy_dtype compute = hy__compute_type(job->in[0].type.dtype, arithmetic);
    hy__plan_pointwise(job, compute);
    return hy__finish_pointwise(job, hy__pointwise_of(job, compute)->unary[member], arithmetic ? 0.3 : 1);
}
static int hy__activation_grad(hy_frame *F, hy_diff *D)
{
    return hy__activations[((const hy__activation_rec *)D->attr)->act_type].grad(F, D);
}
#define HY__ON_activation hy__activation_infer, hy__activation_bind, hy__activation_grad, hy__pointwise_split

/* --- masks: y = x mask, where chance decides the mask --- *
 * Stage 0 writes the mask, into shared memory if nobody wants it; stage 1 multiplies. Where nothing is random
 * the mask is 1 and stage 1 copies. */
typedef struct hy__masked {
    hy__pointwise pw;
    int64_t  count;                     /* elements of the mask */
    int      random;
    double   low, high;                 /* dropout: share kept, 1 / share; rrelu: range of the slope */
} hy__masked;

static void hy__mask_dropout(const hy_job *job, const hy__masked *k, int64_t first, int64_t n, float *mask)
{
    int64_t i;
    if (k->random) hy__mask_for(job->kernels->isa)(mask, (uint64_t)first, n, job->seed, job->stream, (float)k->low, (float)k->high);
    else for (i = 0; i < n; i++) mask[i] = 1;
}

/* Slope 1 above 0, below it a random one, or the mean of all. */
static void hy__mask_rrelu(const hy_job *job, const hy__masked *k, int64_t first, int64_t n, float *mask)
{
    uint32_t room[HY__DRAW + 6];
    const uint32_t *word = hy__draw(room, (uint64_t)first, n, job->seed, job->stream);
    const hy_tensor *x = &job->in[0];
    double v[HY__TILE];
    int64_t i;
    hy__load_f64(v, (const char *)x->data + first * hy__traits[x->type.dtype].size, x->type.dtype, 1, n);
    for (i = 0; i < n; i++) {
        double u = k->random ? (double)hy__unit_f32(word[i]) : 0.5;
        mask[i] = v[i] > 0 ? 1 : (float)(k->low + (k->high - k->low) * u);
    }
}

static void hy__run_masked(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__masked *k = (const hy__masked *)(const void *)&job->plan;
    hy_dtype dtype = job->out[0].type.dtype;
    void *mask = job->out[1].data ? job->out[1].data : shared, *data[3];
    int dropout = job->op == job->op && k->pw.p[0] == 0;
    float tile[HY__TILE];
    int64_t i = item * HY__CHUNK, end = i + HY__CHUNK < k->count ? i + HY__CHUNK : k->count, n;
    if (stage == 1) {
        data[0] = job->out[0].data;
        data[1] = job->in[0].data;
        data[2] = mask;
        if (dropout && !k->random) hy__run_copy(job, stage, item, scratch, shared);
        else hy__pointwise_run(&k->pw, data, item);
        return;
    }
    if (!mask) return;
    for (; i < end; i += n) {
        n = end - i < HY__TILE ? end - i : HY__TILE;
        if (dropout) hy__mask_dropout(job, k, i, n, tile);
        else hy__mask_rrelu(job, k, i, n, tile);
        hy__store_tile(HY_F32, (char *)mask + i * hy__traits[dtype].size, dtype, 1, tile, n);
    }
}

/* --- fresh arrays --- *
 * All are one loop over the elements: a maker fills `count` of them from number `first` on, in the type
 * `compute`; another type gets them converted, tile by tile. Counts begin at multiples of HY__TILE, so a maker
 * of random numbers finds its place in the stream.
 */
typedef struct hy__fresh hy__fresh;
typedef void (*hy__maker)(const hy_job *job, const hy__fresh *f, void *to, int64_t first, int64_t count);
struct hy__fresh {
    hy__maker make;
    hy_dtype  compute;
    int64_t   total, low, high;         /* low, high: of integers; also what else a maker counts with */
    double    a, b, c;                  /* its parameters */
};

static void hy__run_fresh(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__fresh *f = (const hy__fresh *)(const void *)&job->plan;
    double tile[HY__TILE];
    hy_dtype dtype = job->out[0].type.dtype;
    int64_t at = item * HY__CHUNK, end = f->total - at < HY__CHUNK ? f->total : at + HY__CHUNK, n;
    char *to = (char *)job->out[0].data + at * hy__traits[dtype].size;
    (void)stage; (void)scratch; (void)shared;
    if (f->compute == dtype) { f->make(job, f, to, at, end - at); return; }
    for (; at < end; at += n, to += n * hy__traits[dtype].size) {
        n = end - at < HY__TILE ? end - at : HY__TILE;
        f->make(job, f, tile, at, n);
        hy__store_tile(f->compute, to, dtype, 1, tile, n);
    }
}

/* The plan, for the caller to add parameters. */
static hy__fresh *hy__fresh_bind(hy_job *job, hy__maker make, hy_dtype compute, double ns)
{
    hy__fresh *f = (hy__fresh *)(void *)&job->plan;
    f->make = make;
    f->compute = compute;
    f->total = hy__size(&job->out[0].type.shape);
    hy__one_stage(job, hy__run_fresh, hy__pieces(f->total, HY__CHUNK), ns * (double)f->total);
    return f;
}

/* The shape and type that attributes ask for; -1 in the shape leaves a size to be learnt. */
static int hy__fresh_infer_type(hy_infer *I, const hy_shape *shape, hy_dtype dtype, hy_dtype missing)
{
    int d;
    if (shape->ndim < 0 || shape->ndim > HY_MAX_DIM)
        return hy_infer_fail(I, HY_ERROR_SHAPE, "%d dims; from 0 to %d are possible", shape->ndim, (int)HY_MAX_DIM);
    for (d = 0; d < shape->ndim; d++)
        if (shape->dim[d] < -1) return hy_infer_fail(I, HY_ERROR_SHAPE, "shape %z has a negative size", shape);
    if ((unsigned)dtype >= HY_DTYPE_COUNT) return hy_infer_fail(I, HY_ERROR_DTYPE, "%d is no dtype", (int)dtype);
    hy_infer_type(I, &I->out[0].dtype, dtype ? dtype : missing);
    hy_infer_shape(I, &I->out[0].shape, *shape);
    return I->status;
}

/* --- constants --- */
static void hy__run_full(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    double tile[HY__TILE], value = job->plan.f[0];
    hy_dtype dtype = job->out[0].type.dtype;
    int64_t at = item * HY__CHUNK, n = hy__size(&job->out[0].type.shape) - at, k;
    int size = hy__traits[dtype].size;
    char *to = (char *)job->out[0].data + at * size;
    (void)stage; (void)scratch; (void)shared;
    if (n > HY__CHUNK) n = HY__CHUNK;
    hy__copy_run(tile, dtype, 1, &value, HY_F64, 0, HY__TILE);
    for (; n > 0; n -= k, to += k * size) {
        k = n < HY__TILE ? n : HY__TILE;
        memcpy(to, tile, (size_t)(k * size));
    }
}
static int hy__full_bind_value(hy_job *job, double value)
{
    int64_t n = hy__size(&job->out[0].type.shape);
    job->plan.f[0] = value;
    return hy__one_stage(job, hy__run_full, hy__pieces(n, HY__CHUNK), 0.1 * (double)n);
}

#define HY__CONSTANT(name, value) \
    static int hy__##name##_infer(hy_infer *I) \
    { \
        const hy__##name##_rec *r = (const hy__##name##_rec *)I->attr; \
        return hy__fresh_infer_type(I, &r->shape, r->dtype, HY_F32); \
    } \
    static int hy__##name##_bind(hy_job *job) \
    { \
        const hy__##name##_rec *r = (const hy__##name##_rec *)job->attr; \
        (void)r; \
        return hy__full_bind_value(job, value); \
    }
HY__CONSTANT(_zeros, 0)
HY__CONSTANT(_ones, 1)
HY__CONSTANT(_full, r->value)
#define HY__ON__zeros hy___zeros_infer, hy___zeros_bind, NULL, NULL
#define HY__ON__ones  hy___ones_infer, hy___ones_bind, NULL, NULL
#define HY__ON__full  hy___full_infer, hy___full_bind, NULL, NULL

/* --- ranges: a + b (i / repeat) --- */
static void hy__make_range(const hy_job *job, const hy__fresh *f, void *to, int64_t first, int64_t count)
{
    double *y = (double *)to;
    int64_t i, step = first / f->low, left = f->low - first % f->low;
    (void)job;
    for (i = 0; i < count; i++) {
        y[i] = f->a + f->b * (double)step;
        if (--left == 0) { step++; left = f->low; }
    }
    if (f->high && first + count == f->total && count) y[count - 1] = f->c;
}

/* exact: the last value is `last` to the bit. */
static int hy__range_bind(hy_job *job, double start, double step, int repeat, int exact, double last)
{
    hy__fresh *f = hy__fresh_bind(job, hy__make_range, HY_F64, 0.6);
    f->a = start;
    f->b = step;
    f->c = last;
    f->low = repeat;
    f->high = exact;
    return 0;
}

static int hy___arange_infer(hy_infer *I)
{
    const hy___arange_rec *r = (const hy___arange_rec *)I->attr;
    double start = r->stop == HY_NONE ? 0 : r->start, stop = r->stop == HY_NONE ? r->start : r->stop;
    double count = ceil((stop - start) / r->step);
    hy_shape shape;
    if (r->step == 0 || count != count)
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "this start, stop and step make no range");
    if (r->repeat < 1) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "repeat is %d", r->repeat);
    if (count > 1125899906842624.0 / r->repeat) return hy_infer_fail(I, HY_ERROR_SHAPE, "the range is too long");
    shape = hy__shape1(count > 0 ? (int64_t)count * r->repeat : 0);
    return hy__fresh_infer_type(I, &shape, r->dtype, HY_F32);
}
static int hy___arange_bind(hy_job *job)
{
    const hy___arange_rec *r = (const hy___arange_rec *)job->attr;
    return hy__range_bind(job, r->stop == HY_NONE ? 0 : r->start, r->step, r->repeat, 0, 0);
}
#define HY__ON__arange hy___arange_infer, hy___arange_bind, NULL, NULL

/* stand-ins */
static int hy__absent_infer(hy_infer *I) { return hy_infer_fail(I, HY_ERROR_UNSUPPORTED, "absent"); }
static int hy__absent_bind(hy_job *job) { (void)job; return -1; }
#define HY__ON_batch_norm hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON__batch_norm_grad hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_layer_norm hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_group_norm hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_instance_norm hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_l2_normalization hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_leaky_relu hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_softmax hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_log_softmax hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_softmin hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_softmax_activation hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_softmax_output hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON__softmax_output_grad hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_linear_regression_output hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_logistic_regression_output hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_mae_regression_output hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_make_loss hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_dropout hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_softmax_cross_entropy hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_reshape hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_reshape_like hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_flatten hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_transpose hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_expand_dims hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_squeeze hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_swap_axes hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_shape_array hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_size_array hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_concat hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_stack hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_split hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_split_v2 hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_slice hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON__slice_grad hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_slice_axis hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_slice_like hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_repeat hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_tile hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_reverse hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_pad hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON__pad_grad hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_diag hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON__diag_grad hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_broadcast_to hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_broadcast_axis hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_broadcast_like hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON__sum_like hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_embedding hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_take hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON__take_grad hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_batch_take hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_pick hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON__pick_grad hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_one_hot hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_gather_nd hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_scatter_nd hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON__gather_nd_grad hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_topk hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_sort hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_argsort hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_argmax hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_argmin hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_argmax_channel hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_boolean_mask hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON__boolean_mask_grad hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_index_copy hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_norm hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_moments hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_cumsum hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_sequence_mask hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_sequence_last hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON__sequence_last_grad hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_sequence_reverse hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_random_uniform hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_random_normal hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_random_exponential hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_random_randint hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_uniform_like hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_normal_like hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_exponential_like hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_shuffle hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON__eye hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON__linspace hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_arange_like hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_rnn hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON__rnn_grad hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_convolution hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_deconvolution hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON__conv_weight_grad hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_pooling hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON__pooling_grad hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_upsampling hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_adaptive_avg_pooling hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON__adaptive_avg_pooling_grad hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_lrn hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON__channel_window_sum hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_crop hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_depth_to_space hy__absent_infer, hy__absent_bind, NULL, NULL
#define HY__ON_space_to_depth hy__absent_infer, hy__absent_bind, NULL, NULL
/* --- the table: rows and blocks come together --- */
#define HY__ROW_ARG(name, kind, many) { #name, HY_ARG_##kind },
#define HY__ROW_P(R, kind, field, mxnet, missing, doc) \
    { #field, #mxnet, HY_ATTR_##kind, 0, offsetof(hy__##R##_rec, field), missing, doc },
#define HY__ROW_A(R, kind, field, mxnet, missing, doc) \
    { #field, #mxnet, HY_ATTR_##kind, 1, offsetof(hy__##R##_rec, field), missing, doc },
#define HY__NO_ARG  { NULL, HY_ARG_ONE }
#define HY__NO_ATTR { NULL, NULL, HY_ATTR_flag, 0, 0, 0, NULL }
#define HY__COUNT_ROW(name, kind, many) if (index-- == 0) return (int)(many);
#define HY__TABLES(name) \
    static int hy__##name##_count(const void *attr, int output, int index) \
    { \
        const hy__##name##_rec *r = (const hy__##name##_rec *)attr; \
        (void)r; \
        if (output) { HY_O_##name(HY__COUNT_ROW) } else { HY_I_##name(HY__COUNT_ROW) } \
        return 0; \
    } \
    static const hy_arg hy__##name##_in[]  = { HY_I_##name(HY__ROW_ARG) HY__NO_ARG }; \
    static const hy_arg hy__##name##_out[] = { HY_O_##name(HY__ROW_ARG) HY__NO_ARG };
#define HY__TABLES_OP(name, ...) HY__TABLES(name) \
    static const hy_attr hy__##name##_attr[] = { HY_P_##name(HY__ROW_P, name) HY__NO_ATTR };
#define HY__TABLES_OPT(name, ...) HY__TABLES(name) \
    static const hy_attr hy__##name##_attr[] = { HY_P_##name(HY__ROW_P, name) HY_A_##name(HY__ROW_A, name) HY__NO_ATTR };
HY_OPS(HY__TABLES_OP, HY__TABLES_OPT)

static const hy_arg hy__one_in[]  = { HY_I_DATA(HY__ROW_ARG) HY__NO_ARG };
static const hy_arg hy__two_in[]  = { HY_I_PAIR(HY__ROW_ARG) HY__NO_ARG };
static const hy_arg hy__one_out[] = { HY_O_OUT(HY__ROW_ARG) HY__NO_ARG };
static const hy_attr hy__scalar_attr[] = { HY_P_SCALAR(HY__ROW_P, scalar) HY__NO_ATTR };
static const hy_attr hy__reduce_attr[] = { HY_P_AXES(HY__ROW_P, reduce) HY_A_REDUCE(HY__ROW_A, reduce) HY__NO_ATTR };

enum { HY__POINTWISE_FLAGS = HY_OP_POINTWISE | HY_OP_INPLACE | HY_OP_STRIDED };
#define HY__UNARY_ENTRY(name, mxnet, class, formula, grad, doc) \
    { #name, mxnet, NULL, doc, hy__one_in, hy__one_out, NULL, 0, HY__POINTWISE_FLAGS, HY__UNARY_##name, NULL, \
      hy_infer_pointwise, hy__unary_bind, hy__##name##_grad, hy__pointwise_split },
#define HY__BINARY_ENTRY(name, speed, saves, broadcast, more, same, old, scalar, old_scalar, formula, da, db, doc) \
    { #name, broadcast, more, doc ", broadcasting", hy__two_in, hy__one_out, NULL, 0, HY_OP_STRIDED | (saves), \
      HY__BINARY_##name, NULL, hy__broadcast_infer, hy__binary_bind, hy__##name##_grad, NULL }, \
    { "elemwise_" #name, same, old, doc ", for equal shapes", hy__two_in, hy__one_out, NULL, 0, \
      HY__POINTWISE_FLAGS | (saves), HY__BINARY_##name, NULL, hy_infer_pointwise, hy__binary_bind, hy__##name##_grad, \
      hy__pointwise_split }, \
    { #name "_scalar", scalar, old_scalar, doc ", b a number", hy__one_in, hy__one_out, hy__scalar_attr, \
      sizeof(hy__scalar_rec), HY__POINTWISE_FLAGS, HY__BINARY_##name, NULL, hy_infer_pointwise, hy__scalar_bind, \
      hy__##name##_scalar_grad, hy__pointwise_split },
#define HY__RSCALAR_ENTRY(name, mxnet, alias, grad, doc) \
    { "r" #name "_scalar", mxnet, alias, doc, hy__one_in, hy__one_out, hy__scalar_attr, sizeof(hy__scalar_rec), \
      HY__POINTWISE_FLAGS, HY__BINARY_##name, NULL, hy_infer_pointwise, hy__rscalar_bind, hy__r##name##_scalar_grad, \
      hy__pointwise_split },
#define HY__REDUCE_ENTRY(name, mxnet, alias, kind, saves, doc) \
    { #name, mxnet, alias, doc, hy__one_in, hy__one_out, hy__reduce_attr, sizeof(hy__reduce_rec), \
      HY_OP_STRIDED | (saves), kind, NULL, hy__reduce_infer, hy__reduce_bind, hy__reduce_grad, NULL },
#define HY__ENTRY(name, mxnet, aliases, flags, doc) \
    { #name, mxnet, aliases, doc, hy__##name##_in, hy__##name##_out, hy__##name##_attr, sizeof(hy__##name##_rec), flags, 0, \
      hy__##name##_count, HY__ON_##name },
static const hy_op hy__ops[] = {
    HY_UNARY_OPS(HY__UNARY_ENTRY) HY_BINARY_OPS(HY__BINARY_ENTRY) HY_RSCALAR_OPS(HY__RSCALAR_ENTRY)
    HY_REDUCE_OPS(HY__REDUCE_ENTRY) HY_OPS(HY__ENTRY, HY__ENTRY)
};

/* A name and its aliases -> number. */
static int hy__name_op(hy_frame *F, const hy_op *op, int number)
{
    hy_root *root = F->root;
    if (hy__names_add(&root->heap, &root->names, op->name, number)) return -1;
    if (op->mxnet && hy__names_find(&root->names, op->mxnet) < 0 &&
        hy__names_add(&root->heap, &root->names, op->mxnet, number)) return -1;
    return 0;
}

static int hy__is_alias(const hy_op *op, const char *name)
{
    return op->aliases && hy__word_number(op->aliases, name) >= 0;
}

static int hy__add_op(hy_frame *F, const hy_op *op)
{
    hy_root *root = F->root;
    if (hy__grow(&root->heap, (void **)&root->ops, &root->ops_cap, root->nops + 1, sizeof *root->ops)) return -1;
    root->ops[root->nops] = op;
    if (hy__name_op(F, op, root->nops)) return -1;
    root->nops++;
    return 0;
}

static int hy__add_builtin_ops(hy_frame *F)
{
    int i;
    for (i = 0; i < HY_OP_COUNT; i++) if (hy__add_op(F, &hy__ops[i])) return -1;
    return 0;
}

HY_API const hy_op *hy_op_at(hy_frame *F, int i)
{
    return F && i >= 0 && i < F->root->nops ? F->root->ops[i] : NULL;
}

HY_API const hy_op *hy_op_find(hy_frame *F, const char *name)
{
    int i;
    if (!F || !name) return NULL;
    i = hy__names_find(&F->root->names, name);
    if (i >= 0) return F->root->ops[i];
    for (i = 0; i < F->root->nops; i++) if (hy__is_alias(F->root->ops[i], name)) return F->root->ops[i];
    return NULL;
}

HY_API int hy_register(hy_frame *F, const hy_op *op)
{
    if (!F || F->code) return -1;
    if (!op || !op->name || !op->in || !op->out || !op->infer || !op->bind) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_register: an operator needs name, in, out, infer and bind");
        return -1;
    }
    if (hy_op_find(F, op->name)) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_register: there is an operator %s already", op->name);
        return -1;
    }
    if (!hy__add_op(F, op)) return 0;
    hy__no_memory(F, "hy_register");
    return -1;
}

/* MARK: - 18 >>invoke -----------------------------------------------------------------------------------
 *
 * emit_run: an operator runs now. Infer, allocate, bind, run; the same steps that an executor takes once.
 */

/* Arguments of one call: types, tensors and where they live. Few stay on the stack. */
enum { HY__FEW = 8 };
typedef struct hy__call {
    int        nin, nout;
    hy_type   *type;                    /* inputs, then outputs */
    hy_tensor *tensor;
    int       *hidden;                  /* per output */
    void      *heap;
    hy_type    few_types[HY__FEW];
    hy_tensor  few_tensors[HY__FEW];
    int        few_hidden[HY__FEW];
} hy__call;

/* Counts the outputs a record asks for and gets room for everything. */
static int hy__call_open(hy_frame *F, hy__call *c, const hy_op *op, int nin, const void *record)
{
    int i, k = 0, hidden, n, total;
    c->nin = nin;
    c->nout = 0;
    c->heap = NULL;
    for (i = 0; op->out[i].name; i++) {
        n = hy__arg_count(op, op->out, 1, i, record, &hidden);
        if (n > 0) c->nout += n;
    }
    total = nin + c->nout;
    c->type = c->few_types;
    c->tensor = c->few_tensors;
    c->hidden = c->few_hidden;
    if (total > HY__FEW) {
        c->heap = hy__alloc(&F->root->heap, (size_t)total * (sizeof *c->type + sizeof *c->tensor + sizeof *c->hidden));
        if (!c->heap) { hy__no_memory(F, op->name); return -1; }
        c->type = (hy_type *)c->heap;
        c->tensor = (hy_tensor *)(void *)(c->type + total);
        c->hidden = (int *)(void *)(c->tensor + total);
    }
    for (i = 0; op->out[i].name; i++)
        for (n = hy__arg_count(op, op->out, 1, i, record, &hidden); n > 0; n--) c->hidden[k++] = hidden;
    for (i = nin; i < total; i++) {
        c->type[i].dtype = HY_DTYPE_NONE;
        c->type[i].shape.ndim = -1;
    }
    return 0;
}
static void hy__call_close(hy_frame *F, hy__call *c) { hy__free(&F->root->heap, c->heap); }

/* "data (2,3) float32, weight (4,5) float32": what an error is about. */
static void hy__put_inputs(hy__line *out, const hy_op *op, const void *record, const hy_type *type, int nin)
{
    int i, k = 0, n, hidden;
    for (i = 0; op->in[i].name && k < nin; i++) {
        n = hy__arg_count(op, op->in, 0, i, record, &hidden);
        if (n < 0) n = nin - k;
        for (; n > 0 && k < nin; n--, k++) {
            if (k) hy__puts(out, ", ");
            hy__puts(out, op->in[i].name);
            hy__puts(out, " ");
            hy__put_shape(out, &type[k].shape);
            hy__puts(out, " ");
            hy__puts(out, hy_dtype_name(type[k].dtype));
        }
    }
}

static void hy__fail_call(hy_frame *F, hy_error_t code, const hy_op *op, const void *record, const hy__call *c,
                          const char *why)
{
    char about[320];
    hy__line line;
    line.text = about;
    line.cap = sizeof about;
    line.n = 0;
    about[0] = 0;
    hy__put_inputs(&line, op, record, c->type, c->nin);
    hy__fail(F, code, "Error in operator %s: %s (%s)", op->name, why, about);
}

/* How many inputs does the record ask for? -1: any number, at least one. */
static int hy__inputs_due(const hy_op *op, const void *record)
{
    int i, n, hidden, total = 0;
    for (i = 0; op->in[i].name; i++) {
        n = hy__arg_count(op, op->in, 0, i, record, &hidden);
        if (n < 0) return -1;
        total += n;
    }
    return total;
}

static int hy__check_count(hy_frame *F, const hy_op *op, int n, const void *record)
{
    int due = hy__inputs_due(op, record);
    if (due == n || (due < 0 && n > 0)) return 1;
    hy__fail(F, HY_ERROR_ARGUMENT, "Operator %s expects %s%d inputs, but got %d instead", op->name, due < 0 ? "at least " : "",
             due < 0 ? 1 : due, n);
    return 0;
}

/* Runs inference to its fixpoint. value: tensors of the inputs, for operators whose values decide the shape. */
static int hy__infer_call(hy_frame *F, hy__call *c, const hy_op *op, const void *record, const hy_tensor *value)
{
    hy_infer I;
    int round = 0;
    I.op = op;
    I.attr = record;
    I.nin = c->nin;
    I.nout = c->nout;
    I.in = c->type;
    I.out = c->type + c->nin;
    I.value = value;
    I.code = HY_ERROR_OK;
    I.text[0] = 0;
    do { I.status = 0; op->infer(&I); } while (I.status > 0 && ++round < 8);
    if (I.status >= 0) return 0;
    hy__fail_call(F, I.code, op, record, c, I.text);
    return -1;
}

static int hy__types_known(const hy_type *type, int n)
{
    int i;
    for (i = 0; i < n; i++) if (!type[i].dtype || !hy__shape_known(&type[i].shape)) return 0;
    return 1;
}

/* A job over tensors; bind picks the kernel. */
static int hy__bind_job(hy_frame *F, hy_job *job, const hy_op *op, const void *record, hy__call *c)
{
    job->op = op;
    job->attr = record;
    job->kernels = F->root->kernels;
    job->nin = c->nin;
    job->nout = c->nout;
    job->in = c->tensor;
    job->out = c->tensor + c->nin;
    job->training = F->training;
    job->seed = F->seed;
    job->stream = F->stream;
    job->run = NULL;
    job->stages = 0;
    job->scratch = job->shared = 0;
    job->fault = 0;
    job->fault_text = "bad data";
    job->cost = 0;
    job->text[0] = 0;
    if (!op->bind(job)) return 0;
    hy__fail_call(F, job->code, op, record, c, job->text);
    return -1;
}

/* Memory of running jobs: what all workers share, then one scratch each. */
typedef struct hy__work { hy_job *job; char *shared, *scratch; size_t step; } hy__work;

static void hy__work_item(void *arg, int stage, int64_t item, int worker)
{
    hy__work *w = (hy__work *)arg;
    w->job->run(w->job, stage, item, w->scratch + (size_t)worker * w->step, w->shared);
}

static size_t hy__work_bytes(const hy_root *root, const hy_job *job)
{
    return hy__round64(job->shared) + hy__round64(job->scratch) * (size_t)root->threads;
}

static void hy__run_job(hy_root *root, hy_job *job, char *memory)
{
    hy__region region;
    hy__work w;
    w.job = job;
    w.shared = memory;
    w.scratch = memory ? memory + hy__round64(job->shared) : NULL;
    w.step = hy__round64(job->scratch);
    region.run = hy__work_item;
    region.arg = &w;
    region.stages = job->stages;
    region.items = job->items;
    hy__parallel(root, &region, job->cost);
}

/* Scratch memory of the frame, at least so large. */
static char *hy__frame_scratch(hy_frame *F, size_t bytes)
{
    if (bytes <= F->scratch_bytes) return (char *)F->scratch;
    hy__free(&F->root->heap, F->scratch);
    F->scratch_bytes = 0;
    F->scratch = hy__alloc(&F->root->heap, bytes);
    if (F->scratch) F->scratch_bytes = bytes;
    return (char *)F->scratch;
}

/* Binds and runs over the tensors of a call. */
static int hy__perform(hy_frame *F, hy__call *c, const hy_op *op, const void *record)
{
    hy_job job;
    size_t bytes;
    char *memory = NULL;
    if (hy__bind_job(F, &job, op, record, c)) return -1;
    if (op->flags & HY_OP_RANDOM) F->stream++;
    bytes = hy__work_bytes(F->root, &job);
    if (bytes && !(memory = hy__frame_scratch(F, bytes))) { hy__no_memory(F, op->name); return -1; }
    hy__run_job(F->root, &job, memory);
    if (!job.fault) return 0;
    hy__fail_call(F, HY_ERROR_INDEX, op, record, c, job.fault_text);
    return -1;
}

/* The visible outputs, one array or a group. */
static hy_array *hy__result(hy_frame *F, const hy__call *c, hy_array **out)
{
    int i, n = 0;
    hy_array *shown[HY__FEW], *first = NULL;
    for (i = 0; i < c->nout; i++) if (!c->hidden[i]) { if (!n) first = out[i]; n++; }
    if (n == 1) return first;
    if (c->nout <= HY__FEW) {
        for (i = n = 0; i < c->nout; i++) if (!c->hidden[i]) shown[n++] = out[i];
        return hy_group_of(F, n, shown);
    }
    return hy_group_of(F, c->nout, out);
}

/* Fills out[] (NULL for hidden outputs that nobody wants) and returns 0, or fails. */
static int hy__run_call(hy_frame *F, hy__call *c, const hy_op *op, hy_array *const *in, const void *record,
                        hy_array **out)
{
    int i;
    for (i = 0; i < c->nin; i++) {
        if (!hy__concrete(F, in[i], op->name, "a symbolic frame for all inputs")) return -1;
        c->type[i] = in[i]->t.type;
        c->tensor[i] = in[i]->t;
    }
    if (hy__infer_call(F, c, op, record, NULL)) return -1;
    for (i = 0; i < c->nin; i++)
        if (!(op->flags & HY_OP_STRIDED) && !hy__packed(&in[i]->t)) {
            hy_array *packed = hy__packed_array(F, in[i]);
            if (!packed) return -1;
            c->tensor[i] = packed->t;
        }
    if ((op->flags & HY_OP_DYNAMIC) && !hy__types_known(c->type + c->nin, c->nout) &&
        hy__infer_call(F, c, op, record, c->tensor)) return -1;
    if (!hy__types_known(c->type + c->nin, c->nout)) {
        hy__fail_call(F, HY_ERROR_SHAPE, op, record, c, "the shape of the result cannot be inferred");
        return -1;
    }
    for (i = 0; i < c->nout; i++) {
        out[i] = NULL;
        c->tensor[c->nin + i].type = c->type[c->nin + i];
        c->tensor[c->nin + i].data = NULL;
        if (c->hidden[i] && !F->hidden) continue;
        if (!hy__check_type(F, &c->type[c->nin + i], op->name)) return -1;
        out[i] = hy__make(F, &c->type[c->nin + i], op->name);
        if (!out[i]) return -1;
        c->tensor[c->nin + i] = out[i]->t;
    }
    return hy__perform(F, c, op, record);
}

/* A running statistic is changed by the call, so it must be writable and no copy. */
static int hy__check_aux(hy_frame *F, const hy_op *op, int n, hy_array *const *in, const void *record)
{
    int i, k = 0, hidden;
    for (i = 0; op->in[i].name && k < n; i++) {
        int many = hy__arg_count(op, op->in, 0, i, record, &hidden);
        if (many < 0) return 0;
        if (many && op->in[i].kind == HY_ARG_AUX && F->training) {
            if (!hy__writable(F, in[k], op->name)) return -1;
            if (!hy__packed(&in[k]->t)) {
                hy__fail(F, HY_ERROR_ARGUMENT, "%s: %s must not be a strided view", op->name, op->in[i].name);
                return -1;
            }
        }
        k += many;
    }
    return 0;
}

/* As emit, but also hands out the hidden outputs: for the tape. */
static hy_array *hy__run_op(hy_frame *F, const hy_op *op, int n, hy_array *const *in, const void *record, hy__call *c,
                            hy_array **out)
{
    int base = F->live.n;
    hy_array *y = NULL;
    (void)base;
    if (!hy__check_count(F, op, n, record) || hy__check_aux(F, op, n, in, record)) return NULL;
    if (!hy__run_call(F, c, op, in, record, out)) y = hy__result(F, c, out);
    return y;
}

static hy_array *hy__emit_run(hy_frame *F, const hy_op *op, int n, hy_array *const *in, const void *record, int nsub,
                              hy_graph *const *sub)
{
    hy__call c;
    hy_array *few[HY__FEW], **out = few, *y;
    (void)nsub; (void)sub;
    if (hy__call_open(F, &c, op, n, record)) return NULL;
    if (c.nout > HY__FEW) out = (hy_array **)hy__alloc(&F->root->heap, (size_t)c.nout * sizeof *out);
    y = out ? hy__run_op(F, op, n, in, record, &c, out) : (hy_array *)hy__no_memory(F, op->name);
    if (out != few) hy__free(&F->root->heap, (void *)out);
    hy__call_close(F, &c);
    return y;
}

/* --- operators by name --- */
HY_API hy_array *hy_emit(hy_frame *F, const hy_op *op, int n, hy_array *const *in, const void *record)
{
    union { double align[64]; char bytes[1]; } copy;
    if (!F || F->code) return NULL;
    if (!op || n < 0 || op->record > sizeof copy) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_emit: %s", op ? "a record may have 512 bytes" : "the operator is NULL");
        return NULL;
    }
    if (op->record) {
        if (record) memcpy(&copy, record, op->record);
        else hy__record_clear(op, &copy);
        hy__fill_defaults(op, &copy);
    }
    return hy__emit_flat(F, op, n, in, op->record ? &copy : NULL);
}

/* "a=1 b=(2, 3)" -> key and value, each ended by 0 in `room`; the rest of the text, or NULL at its end. */
static const char *hy__next_attribute(const char *s, char *room, size_t bytes, char **key, char **value)
{
    size_t n = 0;
    int depth = 0;
    s = hy__skip_blank(s);
    if (!*s) return NULL;
    *key = *value = room;
    for (; *s && (depth || (*s != ' ' && *s != '\n' && *s != '\t')) && n + 1 < bytes; s++) {
        depth += *s == '(' || *s == '[';
        depth -= *s == ')' || *s == ']';
        if (*s == '=' && *value == room) { room[n++] = 0; *value = room + n; }
        else room[n++] = *s;
    }
    room[n] = 0;
    return s;
}

HY_API hy_array *hy_apply(hy_frame *F, const char *name, int n, hy_array *const *in, const char *attributes)
{
    union { double align[128]; char bytes[1]; } record;
    char room[512], *key = NULL, *value = NULL;
    const char *s = attributes ? attributes : "";
    const hy_op *op = hy_op_find(F, name);
    uint64_t seen = 0;
    if (!F || F->code) return NULL;
    if (!op) { hy__fail(F, HY_ERROR_UNKNOWN, "hy_apply: Operator %s is not registered", name); return NULL; }
    if (op->record > sizeof record) { hy__fail(F, HY_ERROR_ARGUMENT, "hy_apply: the record of %s is too large", name); return NULL; }
    hy__record_clear(op, &record);
    while ((s = hy__next_attribute(s, room, sizeof room, &key, &value)) != NULL) {
        if (key == value) { hy__fail(F, HY_ERROR_ARGUMENT, "hy_apply: '%s' is no name=value", key); return NULL; }
        if (hy__parse_attribute(F, op, &record, key, value, &seen)) return NULL;
    }
    if (hy__check_required(F, op, seen)) return NULL;
    return hy__emit_flat(F, op, n, in, op->record ? &record : NULL);
}

/* --- in place --- */
static void hy__in_place(hy_frame *F, hy_array *x, hy_array *y, int op, const char *who)
{
    hy__call c;
    const hy_op *o;
    if (!hy__concrete(F, y, who, "a = a + b instead of a += b") || !hy__concrete(F, x, who, "a = a + b instead of a += b") ||
        !hy__writable(F, x, who)) return;
    if (!hy__fits(&x->t.type.shape, &y->t.type.shape) || x->t.type.dtype != y->t.type.dtype) {
        hy__fail(F, x->t.type.dtype != y->t.type.dtype ? HY_ERROR_DTYPE : HY_ERROR_SHAPE,
                 "%s: %z %t does not fit into %z %t", who, &y->t.type.shape, (int)y->t.type.dtype, &x->t.type.shape,
                 (int)x->t.type.dtype);
        return;
    }
    if (y != x && y->buffer == x->buffer) y = hy_copy(F, y);
    if (!y) return;
    o = F->root->ops[op];
    if (hy__call_open(F, &c, o, 2, NULL)) return;
    c.tensor[0] = c.tensor[2] = x->t;
    c.tensor[1] = y->t;
    c.type[0] = x->t.type;
    c.type[1] = y->t.type;
    hy__perform(F, &c, o, NULL);
    hy__call_close(F, &c);
}
HY_API void hy_add_to(hy_frame *F, hy_array *x, hy_array *y) { hy__in_place(F, x, y, HY_OP_add, "hy_add_to"); }
HY_API void hy_sub_from(hy_frame *F, hy_array *x, hy_array *y) { hy__in_place(F, x, y, HY_OP_sub, "hy_sub_from"); }
HY_API void hy_mul_by(hy_frame *F, hy_array *x, hy_array *y) { hy__in_place(F, x, y, HY_OP_mul, "hy_mul_by"); }
HY_API void hy_div_by(hy_frame *F, hy_array *x, hy_array *y) { hy__in_place(F, x, y, HY_OP_div, "hy_div_by"); }

/* --- opening and closing --- */
HY_API int hy_threads(hy_frame *F) { return F ? F->root->threads : 0; }
HY_API int hy_isa(hy_frame *F) { return F ? F->root->isa : 0; }
HY_API const char *hy_mode(hy_frame *F) { return F && F->graph ? "symbol" : "ndarray"; }
HY_API void hy_seed(hy_frame *F, uint64_t seed)
{
    if (!F) return;
    F->seed = seed;
    F->stream = 0;
}

HY_API hy_memory hy_memory_use(hy_frame *F)
{
    hy_memory use;
    memset(&use, 0, sizeof use);
    if (!F) return use;
    use.bytes = HY__PEEK(&F->root->heap.held);
    use.peak = HY__PEEK(&F->root->heap.peak);
    use.calls = HY__PEEK(&F->root->heap.calls);
    use.cached = F->cache.bytes;
    return use;
}

HY_API void hy_trim(hy_frame *F) { if (F) hy__cache_empty(&F->cache); }

static hy_frame *hy__frame_new(hy_root *root)
{
    hy_frame *F = (hy_frame *)hy__alloc_zero(&root->heap, sizeof *F);
    if (!F) return NULL;
    F->root = root;
    F->emit = F->emit_below = hy__emit_run;
    F->cache.heap = &root->heap;
    F->seed = root->desc.seed;
    HY__ADD(&root->frames, 1);
    return F;
}

static int hy__isa_wanted(int asked)
{
    int best = hy__isa_of_machine();
    const char *e = getenv("HYBRID_ISA");
    if (!asked && e) asked = hy__word_number("auto|base|avx2|avx512", e);
    return asked <= 0 || asked > best ? best : asked;
}

static void hy__root_free(hy_root *root)
{
    hy__slab *slab;
    hy_allocator use = root->heap.use;
#ifndef HYBRID_NO_THREADS
    hy__pool_free(root->pool);
#endif
    while ((slab = root->slabs) != NULL) { root->slabs = slab->next; hy__free(&root->heap, slab); }
    hy__free(&root->heap, (void *)root->names.key);
    hy__free(&root->heap, root->names.value);
    hy__free(&root->heap, (void *)root->ops);
    hy__lock_done(&root->lock);
    hy__lock_done(&root->heap.lock);
    if (use.user_data != &root->heap) use.free_fn(use.user_data, root);
}

/* The root itself lies at the head of the user's memory, or is the allocator's first block. */
static hy_root *hy__root_new(const hy_desc *asked)
{
    hy_desc desc = *asked;
    hy_root *root;
    size_t skip = (size_t)(-(intptr_t)desc.memory & 63), size = hy__round64(sizeof *root);
    if (desc.memory) {
        if (desc.memory_bytes < skip + size) return NULL;
        root = (hy_root *)(void *)((char *)desc.memory + skip);
        desc.memory = (char *)desc.memory + skip + size;
        desc.memory_bytes -= skip + size;
    } else if (desc.allocator.alloc_fn && desc.allocator.free_fn)
        root = (hy_root *)desc.allocator.alloc_fn(desc.allocator.user_data, sizeof *root);
    else root = (hy_root *)malloc(sizeof *root);
    if (!root) return NULL;
    memset(root, 0, sizeof *root);
    root->desc = desc;
    hy__heap_init(&root->heap, &desc);
    hy__lock_init(&root->lock);
    root->isa = hy__isa_wanted(desc.isa);
    root->kernels = hy__kernels_for(root->isa);
    root->threads = desc.threads > 0 ? desc.threads : hy__cores();
    if (root->threads > 256) root->threads = 256;
    root->next_id = 1;
    return root;
}

HY_API hy_frame *hy_open(const hy_desc *desc)
{
    hy_desc plain;
    hy_root *root;
    hy_frame *F;
    memset(&plain, 0, sizeof plain);
    root = hy__root_new(desc ? desc : &plain);
    if (!root) return NULL;
    F = hy__frame_new(root);
#ifdef HYBRID_NO_THREADS
    if (!root->desc.parallel_for) root->threads = 1;
#else
    if (F && root->threads > 1 && !root->desc.parallel_for) {
        root->pool = hy__pool_new(&root->heap, root->threads - 1);
        if (!root->pool) root->threads = 1;
    }
#endif
    if (F && !hy__add_builtin_ops(F)) return F;
    if (F) hy__free(&root->heap, F);
    hy__root_free(root);
    return NULL;
}

HY_API hy_frame *hy_fork(hy_frame *F)
{
    hy_frame *fork;
    if (!F || F->code) return NULL;
    fork = hy__frame_new(F->root);
    if (!fork) return (hy_frame *)hy__no_memory(F, "hy_fork");
    fork->seed = F->seed;
    return fork;
}

static void hy__frame_free(hy_frame *F)
{
    hy_root *root = F->root;
    while (F->kept.n) hy__handle_drop(F, F->kept.at[--F->kept.n]);
    while (F->live.n) hy__handle_drop(F, F->live.at[--F->live.n]);
    hy__cache_empty(&F->cache);
    hy__free(&root->heap, F->kept.at);
    hy__free(&root->heap, F->live.at);
    hy__free(&root->heap, F->mark);
    hy__free(&root->heap, F->scratch);
    if (F->free_first) {
        hy__acquire(&root->lock);
        F->free_last->item = (hy_array **)(void *)root->spare;
        root->spare = F->free_first;
        hy__release(&root->lock);
    }
    hy__free(&root->heap, F);
    if (HY__ADD(&root->frames, -1) == 0) hy__root_free(root);
}

/* MARK: - 19 >>graph ------------------------------------------------------------------------------------
 *
 * A traced program: nodes in the order they were made, inputs before users. A symbolic frame builds one;
 * hy_compile picks what its heads need and freezes it. Nodes are shared by counting.
 */
typedef struct hy__nodes {              /* where nodes live */
    int       refs;
    hy__heap *heap;
    hy__node **node;
    int       n, cap;
} hy__nodes;

struct hy_graph {
    int         refs;
    hy_root    *root;
    hy__nodes  *store;
    hy__node  **node;                   /* in topological order */
    int         n;
    struct hy__edge *head;
    int         heads;
    int         vars;                   /* variables, which come in the order they were made */
    hy__node  **var;
    struct hy__executor *executor;
};

static void hy__nodes_drop(hy__nodes *store)
{
    int i;
    if (!store || HY__ADD(&store->refs, -1) > 0) return;
    for (i = 0; i < store->n; i++) {
        hy__buffer_free(store->heap, store->node[i]->held);
        hy__free(store->heap, store->node[i]);
    }
    hy__free(store->heap, (void *)store->node);
    hy__free(store->heap, store);
}

/* A node with room for everything it owns, in one block. */
static hy__node *hy__node_new(hy_frame *F, const hy_op *op, int nin, int nout, const void *record, const char *name)
{
    size_t size = hy__round64(sizeof(hy__node)), edges = hy__round64((size_t)nin * sizeof(struct hy__edge));
    size_t types = hy__round64((size_t)nout * sizeof(hy_type)), rec = op ? hy__round64(op->record) : 0;
    hy__nodes *store = F->graph->store;
    hy__node *node;
    if (hy__grow(&F->root->heap, (void **)&store->node, &store->cap, store->n + 1, sizeof *store->node))
        return (hy__node *)hy__no_memory(F, "graph");
    node = (hy__node *)hy__alloc_zero(&F->root->heap, size + edges + types + rec + strlen(name) + 1);
    if (!node) return (hy__node *)hy__no_memory(F, "graph");
    node->op = op;
    node->nin = nin;
    node->nout = nout;
    node->in = (struct hy__edge *)(void *)((char *)node + size);
    node->type = (hy_type *)(void *)((char *)node + size + edges);
    node->record = (char *)node + size + edges + types;
    node->name = (char *)node + size + edges + types + rec;
    if (rec) memcpy(node->record, record, op->record);
    memcpy((char *)node + size + edges + types + rec, name, strlen(name) + 1);
    node->number = store->n;
    store->node[store->n++] = node;
    return node;
}

/* A handle for an output of a node. */
static hy_array *hy__node_handle(hy_frame *F, hy__node *node, int output)
{
    hy_array *x = hy__handle(F);
    if (!x) return NULL;
    x->node = node;
    x->output = output;
    x->t.type = node->type[output];
    return x;
}

HY_API int hy_graph_count(hy_graph *graph) { return graph ? graph->n : 0; }

static void hy__graph_drop(hy_graph *g)
{
    hy__heap *heap;
    if (!g || HY__ADD(&g->refs, -1) > 0) return;
    heap = &g->root->heap;
    hy__nodes_drop(g->store);
    hy__free(heap, (void *)g->node);
    hy__free(heap, g->head);
    hy__free(heap, (void *)g->var);
    hy__free(heap, g);
}

static hy_graph *hy__graph_new(hy_frame *F, hy__nodes *store)
{
    hy_graph *g = (hy_graph *)hy__alloc_zero(&F->root->heap, sizeof *g);
    if (!g) return (hy_graph *)hy__no_memory(F, "graph");
    g->refs = 1;
    g->root = F->root;
    g->store = store;
    if (store) { HY__ADD(&store->refs, 1); return g; }
    g->store = (hy__nodes *)hy__alloc_zero(&F->root->heap, sizeof *g->store);
    if (!g->store) { hy__free(&F->root->heap, g); return (hy_graph *)hy__no_memory(F, "graph"); }
    g->store->refs = 1;
    g->store->heap = &F->root->heap;
    return g;
}

/* What the heads need, inputs first: nodes were made in such an order. */
static int hy__graph_collect(hy_frame *F, hy_graph *g)
{
    hy__nodes *s = g->store;
    int i, k;
    char *need = (char *)hy__alloc_zero(&F->root->heap, (size_t)s->n + 1);
    g->node = (hy__node **)hy__alloc(&F->root->heap, (size_t)s->n * sizeof *g->node + 1);
    g->var = (hy__node **)hy__alloc(&F->root->heap, (size_t)s->n * sizeof *g->var + 1);
    if (!need || !g->node || !g->var) {
        hy__free(&F->root->heap, need);
        hy__no_memory(F, "hy_compile");
        return -1;
    }
    for (i = 0; i < g->heads; i++) need[g->head[i].node->number] = 1;
    for (i = s->n - 1; i >= 0; i--)
        for (k = 0; need[i] && k < s->node[i]->nin; k++) need[s->node[i]->in[k].node->number] = 1;
    for (i = 0; i < s->n; i++) {
        if (!s->node[i]->op && !s->node[i]->held) g->var[g->vars++] = s->node[i];
        if (need[i]) g->node[g->n++] = s->node[i];
    }
    hy__free(&F->root->heap, need);
    return 0;
}

HY_API hy_graph *hy_compile(hy_frame *S, hy_array *heads)
{
    hy_graph *g;
    int i;
    if (!hy__alive(S, heads, "hy_compile")) return NULL;
    if (!S->graph) { hy__fail(S, HY_ERROR_STATE, "hy_compile: the frame is not symbolic: use hy_symbolic"); return NULL; }
    g = hy__graph_new(S, S->graph->store);
    if (!g) return NULL;
    g->heads = heads->count ? heads->count : 1;
    g->head = (struct hy__edge *)hy__alloc(&S->root->heap, (size_t)g->heads * sizeof *g->head);
    if (!g->head) { hy__no_memory(S, "hy_compile"); hy__graph_drop(g); return NULL; }
    for (i = 0; i < g->heads; i++) {
        hy_array *x = heads->count ? heads->item[i] : heads;
        if (!x->node) {
            hy__fail(S, HY_ERROR_ARGUMENT, "hy_compile: head %d is no symbol of this frame", i);
            hy__graph_drop(g);
            return NULL;
        }
        g->head[i].node = x->node;
        g->head[i].output = x->output;
    }
    if (hy__graph_collect(S, g)) { hy__graph_drop(g); return NULL; }
    return g;
}

/* MARK: - 22 >>execute ----------------------------------------------------------------------------------
 *
 * An executor holds everything one graph needs to run for one frame and one set of input types: inferred types,
 * bound jobs, an arena for what lies between. A run patches pointers and runs jobs; it allocates nothing but
 * outputs, which come from the frame's cache.
 */
typedef struct hy__slot { hy_tensor t; int head; } hy__slot;     /* a value: where it lies; is it an output? */

typedef struct hy__step { hy_job job; int first; hy_tensor *tensor; } hy__step;      /* first: number of its outputs' slot */

typedef struct hy__executor {
    hy_frame *owner;
    int       training, dynamic;        /* dynamic: some shape is only known when values are */
    int       slots, steps, tensors, randoms;
    hy__slot *slot;
    int      *first;                    /* by node: its first slot */
    hy__step *step;
    hy_tensor *tensor;                  /* all jobs' inputs and outputs */
    int      *source;                   /* which slot each of these is */
    char     *arena, *work;
} hy__executor;

static void hy__executor_free(hy__heap *heap, hy__executor *x)
{
    if (!x) return;
    hy__free(heap, x->slot);
    hy__free(heap, x->first);
    hy__free(heap, x->step);
    hy__free(heap, x->tensor);
    hy__free(heap, x->source);
    hy__free(heap, x->arena);
    hy__free(heap, x->work);
    hy__free(heap, x);
}

/* Types of every value, forward from the inputs. */
static int hy__executor_infer(hy_frame *F, hy_graph *g, hy__executor *x, const hy_type *input)
{
    hy__call c;
    int i, k, v = 0, failed = 0;
    for (i = 0; i < g->vars; i++) g->var[i]->type[0] = input[i];
    for (i = 0; i < g->n && !failed; i++) {
        hy__node *node = g->node[i];
        x->first[node->number] = v;
        if (!node->op) { x->slot[v++].t.type = node->held ? node->constant.type : node->type[0]; continue; }
        if (hy__call_open(F, &c, node->op, node->nin, node->record)) return -1;
        for (k = 0; k < node->nin; k++) c.type[k] = x->slot[x->first[node->in[k].node->number] + node->in[k].output].t.type;
        failed = hy__infer_call(F, &c, node->op, node->record, NULL);
        for (k = 0; k < node->nout; k++) {
            x->slot[v].t.type = c.type[node->nin + k];
            x->slot[v++].t.data = c.hidden[k] ? NULL : (void *)x;       /* only visible outputs get memory */
        }
        if (!hy__types_known(c.type, node->nin + node->nout)) x->dynamic = 1;
        hy__call_close(F, &c);
    }
    return failed;
}

/* Memory for what lies between, and jobs bound over it. */
static int hy__executor_bind(hy_frame *F, hy_graph *g, hy__executor *x)
{
    size_t arena = 64, work = 64, need;
    int i, k, at = 0;
    hy__call c;
    for (i = 0; i < g->n; i++) {
        hy__node *node = g->node[i];
        for (k = 0; k < node->nout; k++) {
            hy__slot *s = &x->slot[x->first[node->number] + k];
            hy__pack_strides(&s->t);
            if (!node->op) { if (node->held) s->t = node->constant; continue; }
            if (!hy__check_type(F, &s->t.type, node->op->name)) return -1;
            if (s->t.data && !s->head) { s->t.data = (void *)(uintptr_t)arena; arena += hy__round64((size_t)hy__bytes(&s->t.type)) + 64; }
        }
    }
    x->arena = (char *)hy__alloc(&F->root->heap, arena);
    if (!x->arena) { hy__no_memory(F, "executor"); return -1; }
    for (i = 0; i < g->n; i++) {
        hy__node *node = g->node[i];
        hy__step *step = &x->step[x->steps];
        for (k = 0; k < node->nout; k++) {
            hy__slot *s = &x->slot[x->first[node->number] + k];
            if (node->op && s->t.data && !s->head) s->t.data = x->arena + (uintptr_t)s->t.data;
        }
        if (!node->op) continue;
        step->tensor = x->tensor + at;
        for (k = 0; k < node->nin; k++) x->source[at + k] = x->first[node->in[k].node->number] + node->in[k].output;
        for (k = 0; k < node->nout; k++) x->source[at + node->nin + k] = x->first[node->number] + k;
        for (k = 0; k < node->nin + node->nout; k++) x->tensor[at + k] = x->slot[x->source[at + k]].t;
        c.nin = node->nin;
        c.nout = node->nout;
        c.tensor = step->tensor;
        c.type = NULL;
        if (hy__bind_job(F, &step->job, node->op, node->record, &c)) return -1;
        need = hy__work_bytes(F->root, &step->job);
        if (need > work) work = need;
        at += node->nin + node->nout;
        x->steps++;
    }
    x->work = (char *)hy__alloc(&F->root->heap, work);
    if (!x->work) { hy__no_memory(F, "executor"); return -1; }
    return 0;
}

static hy__executor *hy__executor_new(hy_frame *F, hy_graph *g, const hy_type *input)
{
    hy__heap *heap = &F->root->heap;
    hy__executor *x = (hy__executor *)hy__alloc_zero(heap, sizeof *x);
    int i;
    if (!x) return (hy__executor *)hy__no_memory(F, "executor");
    x->owner = F;
    x->training = F->training;
    for (i = 0; i < g->n; i++) { x->slots += g->node[i]->nout; x->tensors += g->node[i]->nin + g->node[i]->nout; }
    x->slot = (hy__slot *)hy__alloc_zero(heap, (size_t)(x->slots + 1) * sizeof *x->slot);
    x->first = (int *)hy__alloc_zero(heap, (size_t)(g->store->n + 1) * sizeof *x->first);
    x->step = (hy__step *)hy__alloc_zero(heap, (size_t)(g->n + 1) * sizeof *x->step);
    x->tensor = (hy_tensor *)hy__alloc_zero(heap, (size_t)(x->tensors + 1) * sizeof *x->tensor);
    x->source = (int *)hy__alloc_zero(heap, (size_t)(x->tensors + 1) * sizeof *x->source);
    if (!x->slot || !x->first || !x->step || !x->tensor || !x->source) hy__no_memory(F, "executor");
    else if (!hy__executor_infer(F, g, x, input)) {
        for (i = 0; i < g->heads; i++) x->slot[x->first[g->head[i].node->number] + g->head[i].output].head = 1;
        if (x->dynamic || !hy__executor_bind(F, g, x)) return x;
    }
    hy__executor_free(heap, x);
    return NULL;
}

/* Node by node through emit_run: for graphs whose shapes depend on values. */
static int hy__replay(hy_frame *F, hy_graph *g, hy_array *const *input, hy__executor *x, hy_array **out)
{
    hy_array **value = (hy_array **)hy__alloc_zero(&F->root->heap, (size_t)(x->slots + 1) * sizeof *value), *y, **in;
    int i, k, var = 0;
    if (!value) { hy__no_memory(F, "replay"); return -1; }
    for (i = 0; i < g->n && !F->code; i++) {
        hy__node *node = g->node[i];
        int at = x->first[node->number];
        if (!node->op && node->held) {
            value[at] = hy__handle(F);
            if (!value[at]) break;
            value[at]->t = node->constant;
            value[at]->buffer = hy__buffer_hold(node->held);
            continue;
        }
        if (!node->op) {
            while (g->var[var] != node) var++;
            value[at] = input[var];
            continue;
        }
        in = (hy_array **)hy__alloc(&F->root->heap, (size_t)(node->nin + 1) * sizeof *in);
        if (!in) { hy__no_memory(F, "replay"); break; }
        for (k = 0; k < node->nin; k++) in[k] = value[x->first[node->in[k].node->number] + node->in[k].output];
        y = F->emit(F, node->op, node->nin, in, node->record, 0, NULL);
        hy__free(&F->root->heap, (void *)in);
        for (k = 0; y && k < (y->count ? y->count : 1); k++) value[at + k] = y->count ? y->item[k] : y;
    }
    for (i = 0; i < g->heads && !F->code; i++) out[i] = value[x->first[g->head[i].node->number] + g->head[i].output];
    hy__free(&F->root->heap, (void *)value);
    return F->code ? -1 : 0;
}

static int hy__execute(hy_frame *F, hy_graph *g, hy__executor *x, hy_array *const *input, hy_array **out)
{
    int i;
    uint64_t stream = F->stream;
    for (i = 0; i < g->vars; i++) x->slot[x->first[g->var[i]->number]].t.data = input[i]->t.data;
    for (i = 0; i < g->heads; i++) {
        hy__slot *s = &x->slot[x->first[g->head[i].node->number] + g->head[i].output];
        if (g->head[i].node->op) {
            out[i] = hy__make(F, &s->t.type, "outputs");
            if (!out[i]) return -1;
            s->t.data = out[i]->t.data;
        } else {
            int k = 0;
            while (k < g->vars && g->var[k] != g->head[i].node) k++;
            if (k < g->vars) out[i] = input[k];
        }
    }
    for (i = 0; i < x->tensors; i++) x->tensor[i].data = x->slot[x->source[i]].t.data;
    for (i = 0; i < x->steps; i++) {
        hy_job *job = &x->step[i].job;
        job->seed = F->seed;
        job->stream = stream;
        job->fault = 0;
        stream += (job->op->flags & HY_OP_RANDOM) != 0;
        hy__run_job(F->root, job, x->work);
        if (job->fault) { hy__fail(F, HY_ERROR_INDEX, "%s: %s", job->op->name, job->fault_text); return -1; }
    }
    F->stream = stream;
    return 0;
}

static int hy__executor_fits(const hy__executor *x, hy_frame *F, hy_graph *g, hy_array *const *input)
{
    int i;
    if (!x || x->owner != F || x->training != F->training) return 0;
    for (i = 0; i < g->vars; i++) {
        const hy_type *have = &x->slot[x->first[g->var[i]->number]].t.type;
        if (have->dtype != input[i]->t.type.dtype || !hy__same_shape(&have->shape, &input[i]->t.type.shape)) return 0;
    }
    return 1;
}

HY_API hy_array *hy_graph_run(hy_frame *F, hy_graph *g, hy_array *inputs)
{
    hy_array *in[HY_MAX_INTS], *out[HY_MAX_INTS];
    hy_type type[HY_MAX_INTS];
    int i, n = g ? g->vars : 0;
    if (!F || F->code) return NULL;
    if (!g || n > HY_MAX_INTS || g->heads > HY_MAX_INTS || (n && hy_count(F, inputs) != n)) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_graph_run: the graph has %d variables, %d inputs were given", n,
                 inputs ? hy_count(F, inputs) : 0);
        return NULL;
    }
    for (i = 0; i < n; i++) {
        in[i] = inputs->count ? inputs->item[i] : inputs;
        if (!hy__concrete(F, in[i], "hy_graph_run", "an array with values")) return NULL;
        in[i] = hy__packed_array(F, in[i]);
        if (!in[i]) return NULL;
        type[i] = in[i]->t.type;
    }
    if (!hy__executor_fits(g->executor, F, g, in)) {
        hy__executor_free(&F->root->heap, g->executor);
        g->executor = hy__executor_new(F, g, type);
        if (!g->executor) return NULL;
    }
    if (g->executor->dynamic ? hy__replay(F, g, in, g->executor, out) : hy__execute(F, g, g->executor, in, out)) return NULL;
    return g->heads == 1 ? out[0] : hy_group_of(F, g->heads, out);
}

HY_API void hy_graph_free(hy_frame *F, hy_graph *g)
{
    if (!F || !g) return;
    hy__executor_free(&F->root->heap, g->executor);
    g->executor = NULL;
    hy__graph_drop(g);
}

/* MARK: - 23 >>trace ------------------------------------------------------------------------------------
 *
 * emit_trace: an operator becomes a node. Shapes and types flow as far as they are known.
 */

/* The edge an argument stands for; an array with values becomes a constant. */
static int hy__trace_edge(hy_frame *S, hy_array *x, const hy_op *op, struct hy__edge *edge)
{
    hy__node *node = x->node;
    if (x->frame != S && node) {
        hy__fail(S, HY_ERROR_ARGUMENT, "%s: the symbol belongs to another symbolic frame", op->name);
        return -1;
    }
    if (!node) {
        if (x->frame->root != S->root) {
            hy__fail(S, HY_ERROR_ARGUMENT, "%s: the array belongs to another hy_open", op->name);
            return -1;
        }
        node = hy__node_new(S, NULL, 0, 1, NULL, "constant");
        if (!node) return -1;
        node->type[0] = x->t.type;
        node->constant = x->t;
        node->held = hy__buffer_hold(x->buffer);
    }
    edge->node = node;
    edge->output = x->output;
    return 0;
}

static hy_array *hy__trace_outputs(hy_frame *S, const hy__call *c, hy__node *node)
{
    hy_array *few[HY__FEW], **out = few, *y = NULL;
    int i, n = 0;
    if (c->nout > HY__FEW) out = (hy_array **)hy__alloc(&S->root->heap, (size_t)c->nout * sizeof *out);
    if (!out) return (hy_array *)hy__no_memory(S, "trace");
    for (i = 0; i < c->nout; i++) {
        if (c->hidden[i]) continue;
        out[n] = hy__node_handle(S, node, i);
        if (!out[n]) break;
        n++;
    }
    if (!S->code) y = n == 1 ? out[0] : hy_group_of(S, n, out);
    if (out != few) hy__free(&S->root->heap, (void *)out);
    return y;
}

static hy_array *hy__emit_trace(hy_frame *S, const hy_op *op, int n, hy_array *const *in, const void *record, int nsub,
                                hy_graph *const *sub)
{
    hy__call c;
    hy__node *node;
    hy_array *y = NULL;
    int i;
    (void)nsub; (void)sub;
    if (!hy__check_count(S, op, n, record) || hy__call_open(S, &c, op, n, record)) return NULL;
    node = hy__node_new(S, op, n, c.nout, record, op->name);
    for (i = 0; node && i < n; i++) {
        if (hy__trace_edge(S, in[i], op, &node->in[i])) break;
        c.type[i] = node->in[i].node->type[node->in[i].output];
    }
    if (node && !S->code && !hy__infer_call(S, &c, op, record, NULL)) {
        for (i = 0; i < n; i++) node->in[i].node->type[node->in[i].output] = c.type[i];
        memcpy(node->type, c.type + n, (size_t)c.nout * sizeof *c.type);
        y = hy__trace_outputs(S, &c, node);
    }
    hy__call_close(S, &c);
    return y;
}

HY_API hy_frame *hy_symbolic(hy_frame *F)
{
    hy_frame *S = hy_fork(F);
    if (!S) return NULL;
    S->emit = S->emit_below = hy__emit_trace;
    S->graph = hy__graph_new(S, NULL);
    if (S->graph) return S;
    hy__no_memory(F, "hy_symbolic");
    hy__frame_free(S);
    return NULL;
}

HY_API hy_array *hy_var(hy_frame *S, const char *name, const hy_var_opt *opt)
{
    hy__node *node;
    if (!S || S->code) return NULL;
    if (!S->graph || !name) {
        hy__fail(S, HY_ERROR_ARGUMENT, "hy_var: %s", name ? "the frame is not symbolic: use hy_symbolic" : "the name is NULL");
        return NULL;
    }
    node = hy__node_new(S, NULL, 0, 1, NULL, name);
    if (!node) return NULL;
    node->type[0].dtype = opt ? opt->dtype : HY_DTYPE_NONE;
    node->type[0].shape = opt && opt->shaped ? opt->shape : hy__no_shape();
    return hy__node_handle(S, node, 0);
}

HY_API int hy_close(hy_frame *F)
{
    int code;
    if (!F) return HY_ERROR_MEMORY;
    code = (int)F->code;
    hy__graph_drop(F->graph);
    hy__frame_free(F);
    return code;
}

/* MARK: - 25 >>autograd ---------------------------------------------------------------------------------
 *
 * emit_record: runs an operator through the emit below it and writes down what its gradient needs. A recorded
 * call is held by the arrays it made and by later calls, so what nobody can reach any more is gone by itself.
 * Backward visits calls from the youngest to the oldest and emits their gradients as ordinary operators.
 */
#ifndef HYBRID_NO_TRAIN

/* --- writing the tape --- */
static hy__tape *hy__tape_new(hy_frame *F, const hy_op *op, int nin, int nout, const void *record)
{
    size_t head = hy__round64(sizeof(hy__tape)), values = hy__round64((size_t)(nin + nout) * sizeof(hy__value));
    hy__tape *tape = (hy__tape *)hy__alloc(&F->root->heap, head + values + (op ? op->record : 0));
    if (!tape) return (hy__tape *)hy__no_memory(F, op ? op->name : "hy_attach_grad");
    memset(tape, 0, head + values);
    tape->refs = 1;
    tape->id = HY__ADD(&F->root->next_id, 1);
    tape->op = op;
    tape->nin = nin;
    tape->nout = nout;
    tape->value = (hy__value *)(void *)((char *)tape + head);
    tape->record = (char *)tape + head + values;
    if (op && op->record) memcpy(tape->record, record, op->record);
    return tape;
}

/* The value of x, held; without its bytes where the gradient needs only shapes. */
static void hy__hold_value(hy__value *v, const hy_array *x, int bytes)
{
    v->t = x->t;
    v->output = x->output;
    v->tape = x->tape;
    if (v->tape) HY__ADD(&v->tape->refs, 1);
    if (!bytes) return;
    v->buffer = hy__buffer_hold(x->buffer);
    HY__ADD(&v->buffer->pins, 1);
}

static hy_array *hy__record_call(hy_frame *F, const hy_op *op, int n, hy_array *const *in, const void *record,
                                 hy__call *c, hy_array **out)
{
    int i, bytes = !(op->flags & HY_OP_NO_SAVE);
    hy_array *y;
    hy__tape *tape;
    F->hidden = 1;
    y = hy__run_op(F, op, n, in, record, c, out);
    F->hidden = 0;
    if (!y) return NULL;
    tape = hy__tape_new(F, op, n, c->nout, record);
    if (!tape) return NULL;
    tape->pinned = bytes;
    for (i = 0; i < n; i++) hy__hold_value(&tape->value[i], in[i], bytes);
    for (i = 0; i < c->nout; i++) {
        hy__hold_value(&tape->value[n + i], out[i], bytes);
        out[i]->tape = tape;
        out[i]->output = i;
        tape->refs++;
    }
    hy__tape_drop(F, tape);
    return y;
}

static hy_array *hy__emit_record(hy_frame *F, const hy_op *op, int n, hy_array *const *in, const void *record, int nsub,
                                 hy_graph *const *sub)
{
    hy__call c;
    hy_array *few[HY__FEW], **out = few, *y;
    int i, tracked = 0;
    for (i = 0; i < n; i++) tracked |= in[i]->tape != NULL;
    if (!tracked || !op->grad) return F->emit_below(F, op, n, in, record, nsub, sub);
    if (hy__call_open(F, &c, op, n, record)) return NULL;
    if (c.nout > HY__FEW) out = (hy_array **)hy__alloc(&F->root->heap, (size_t)c.nout * sizeof *out);
    y = out ? hy__record_call(F, op, n, in, record, &c, out) : (hy_array *)hy__no_memory(F, op->name);
    if (out != few) hy__free(&F->root->heap, (void *)out);
    hy__call_close(F, &c);
    return y;
}

static void hy__set_recording(hy_frame *F, int recording)
{
    F->recording = recording;
    F->emit = recording ? hy__emit_record : F->emit_below;
}
HY_API void hy_record(hy_frame *F)
{
    if (!F || F->code) return;
    if (F->graph) { hy__fail(F, HY_ERROR_STATE, "hy_record: a symbolic frame records nothing"); return; }
    hy__set_recording(F, 1);
    F->training = 1;
}
HY_API void hy_pause(hy_frame *F)
{
    if (!F) return;
    hy__set_recording(F, 0);
    F->training = 0;
}
HY_API int hy_is_recording(hy_frame *F) { return F ? F->recording : 0; }
HY_API int hy_is_training(hy_frame *F) { return F ? F->training : 0; }
HY_API void hy_set_training(hy_frame *F, int training) { if (F) F->training = training != 0; }

/* --- leaves --- */
HY_API void hy_attach_grad(hy_frame *F, hy_array *x, hy_grad_req req)
{
    hy__tape *leaf;
    hy_array *g;
    if (!hy__concrete(F, x, "hy_attach_grad", "an array with values")) return;
    if ((unsigned)req > HY_GRAD_ADD || !hy__floating(x->t.type.dtype)) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_attach_grad: %s", hy__floating(x->t.type.dtype) ? "no such request" :
                 "only floating point arrays have gradients");
        return;
    }
    hy__tape_drop(F, x->tape);
    x->tape = NULL;
    x->output = 0;
    if (req == HY_GRAD_NULL) return;
    hy_begin(F);
    g = hy__make(F, &x->t.type, "hy_attach_grad");
    leaf = g ? hy__tape_new(F, NULL, 0, 0, NULL) : NULL;
    if (leaf) {
        hy_fill(F, g, 0);
        leaf->req = req;
        leaf->grad.t = g->t;
        leaf->grad.buffer = hy__buffer_hold(g->buffer);
        x->tape = leaf;
    }
    hy_end(F);
}

/* A handle in this scope for a held value. */
static hy_array *hy__value_handle(hy_frame *F, const hy__value *v)
{
    hy_array *x = hy__handle(F);
    if (!x) return NULL;
    x->t = v->t;
    x->output = v->output;
    if (v->buffer) x->buffer = hy__buffer_hold(v->buffer);
    if (v->tape) { x->tape = v->tape; HY__ADD(&v->tape->refs, 1); }
    return x;
}

HY_API hy_array *hy_grad_of(hy_frame *F, hy_array *x)
{
    if (!hy__concrete(F, x, "hy_grad_of", "an array with values")) return NULL;
    if (x->tape && !x->tape->op) return hy__value_handle(F, &x->tape->grad);
    hy__fail(F, HY_ERROR_GRADIENT, "hy_grad_of: the array has no gradient: call hy_attach_grad on it before it is used");
    return NULL;
}

/* --- backward --- */
typedef struct hy__backward {
    hy_frame  *F;
    hy__tape **tape;                    /* what the heads reach; after sorting youngest first */
    int        n, cap;
    int        graph;                   /* gradients are recorded too */
    hy_array **grad;                    /* per tape and output, NULL is zero */
    int        grads;
} hy__backward;

static int hy__tape_younger(const void *a, const void *b)
{
    uint64_t x = (*(hy__tape *const *)a)->id, y = (*(hy__tape *const *)b)->id;
    return x < y ? 1 : x > y ? -1 : 0;
}

static int hy__reach(hy__backward *B, hy__tape *tape)
{
    if (!tape || tape->mark) return 0;
    if (hy__grow(&B->F->root->heap, (void **)&B->tape, &B->cap, B->n + 1, sizeof *B->tape)) return -1;
    tape->mark = 1;
    B->tape[B->n++] = tape;
    return 0;
}

/* Everything the heads depend on, and room for its gradients. */
static int hy__backward_open(hy__backward *B, hy_array *heads)
{
    int i, k, count = heads->count ? heads->count : 1;
    for (i = 0; i < count; i++) {
        hy_array *x = heads->count ? heads->item[i] : heads;
        if (!hy__concrete(B->F, x, "hy_backward", "an array with values")) return -1;
        if (!x->tape) {
            hy__fail(B->F, HY_ERROR_GRADIENT, "hy_backward: head %d was not computed from an array with hy_attach_grad "
                     "between hy_record and hy_pause", i);
            return -1;
        }
        if (hy__reach(B, x->tape)) { hy__no_memory(B->F, "hy_backward"); return -1; }
    }
    for (i = 0; i < B->n; i++) {
        if (B->tape[i]->spent) {
            hy__fail(B->F, HY_ERROR_STATE, "hy_backward: %s was already run backward and its values are gone: set "
                     "retain the first time", B->tape[i]->op->name);
            return -1;
        }
        for (k = 0; k < B->tape[i]->nin; k++)
            if (hy__reach(B, B->tape[i]->value[k].tape)) { hy__no_memory(B->F, "hy_backward"); return -1; }
    }
    if (B->n > 1) qsort(B->tape, (size_t)B->n, sizeof *B->tape, hy__tape_younger);
    for (i = 0; i < B->n; i++) {
        B->tape[i]->mark = B->grads + 1;
        B->grads += B->tape[i]->op ? B->tape[i]->nout : 1;
    }
    B->grad = (hy_array **)hy__alloc_zero(&B->F->root->heap, (size_t)(B->grads + 1) * sizeof *B->grad);
    if (!B->grad) hy__no_memory(B->F, "hy_backward");
    return B->grad ? 0 : -1;
}

static void hy__backward_close(hy__backward *B)
{
    int i;
    for (i = 0; i < B->n; i++) B->tape[i]->mark = 0;
    hy__free(&B->F->root->heap, (void *)B->tape);
    hy__free(&B->F->root->heap, (void *)B->grad);
}

static hy_array **hy__grad_slot(hy__backward *B, const hy__tape *tape, int output)
{
    return &B->grad[tape->mark - 1 + (tape->op ? output : 0)];
}

static void hy__contribute(hy__backward *B, const hy__tape *tape, int output, hy_array *g)
{
    hy_array **slot;
    if (!tape || !tape->mark || !g) return;
    slot = hy__grad_slot(B, tape, output);
    *slot = *slot ? hy_add(B->F, *slot, g) : g;
}

static int hy__seed_heads(hy__backward *B, hy_array *heads, hy_array *head_grads)
{
    hy_frame *F = B->F;
    int i, count = heads->count ? heads->count : 1;
    if (head_grads && hy_count(F, head_grads) != count) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_backward: %d heads, %d head gradients", count, hy_count(F, head_grads));
        return -1;
    }
    for (i = 0; i < count; i++) {
        hy_array *x = heads->count ? heads->item[i] : heads, *g;
        g = head_grads ? (head_grads->count ? head_grads->item[i] : head_grads) : hy_ones_like(F, x);
        if (!g) return -1;
        if (!hy__same_shape(&g->t.type.shape, &x->t.type.shape) || g->t.type.dtype != x->t.type.dtype) {
            hy__fail(F, HY_ERROR_SHAPE, "hy_backward: head %d is %z %t, its gradient %z %t", i, &x->t.type.shape,
                     (int)x->t.type.dtype, &g->t.type.shape, (int)g->t.type.dtype);
            return -1;
        }
        hy__contribute(B, x->tape, x->output, g);
    }
    return F->code ? -1 : 0;
}

/* One recorded call: its gradient, handed on to what it was computed from. */
static int hy__backward_call(hy__backward *B, hy__tape *tape)
{
    hy_frame *F = B->F;
    hy_diff D;
    hy_array *few[4 * HY__FEW], **all = few;
    int wanted[HY__FEW], *want = wanted, i, some = 0, total = 2 * (tape->nin + tape->nout);
    for (i = 0; i < tape->nout; i++) some |= *hy__grad_slot(B, tape, i) != NULL;
    if (!some) return 0;
    if (total > 4 * HY__FEW || tape->nin > HY__FEW) {
        all = (hy_array **)hy__alloc(&F->root->heap, (size_t)total * (sizeof *all + sizeof *want));
        if (!all) { hy__no_memory(F, tape->op->name); return -1; }
        want = (int *)(void *)(all + total);
    }
    D.op = tape->op;
    D.attr = tape->record;
    D.nin = tape->nin;
    D.nout = tape->nout;
    D.in = all;
    D.out = D.in + D.nin;
    D.dy = D.out + D.nout;
    D.dx = D.dy + D.nout;
    D.want = want;
    for (i = 0; i < D.nin + D.nout; i++) {
        D.in[i] = hy__value_handle(F, &tape->value[i]);
        if (!D.in[i]) break;
        if (i < D.nin) { D.dx[i] = NULL; want[i] = tape->value[i].tape != NULL; }
        else if (B->graph) { D.in[i]->tape = tape; D.in[i]->output = i - D.nin; HY__ADD(&tape->refs, 1); }
    }
    for (i = 0; i < D.nout; i++) D.dy[i] = *hy__grad_slot(B, tape, i);
    if (!F->code) D.op->grad(F, &D);
    for (i = 0; i < D.nin && !F->code; i++)
        if (want[i]) hy__contribute(B, tape->value[i].tape, tape->value[i].output, D.dx[i]);
    if (all != few) hy__free(&F->root->heap, (void *)all);
    return F->code ? -1 : 0;
}

/* A leaf takes its gradient as its request says. */
static void hy__backward_leaf(hy__backward *B, hy__tape *leaf)
{
    hy_frame *F = B->F;
    hy_array *g = *hy__grad_slot(B, leaf, 0), *to = hy__value_handle(F, &leaf->grad);
    if (!g || !to) return;
    if (leaf->req == HY_GRAD_ADD) hy_add_to(F, to, g);
    else hy_assign(F, to, g);
    if (B->graph && g->tape && leaf->req == HY_GRAD_WRITE) {
        hy__tape_drop(F, leaf->grad.tape);
        leaf->grad.tape = g->tape;
        leaf->grad.output = g->output;
        HY__ADD(&g->tape->refs, 1);
    }
}

static void hy__backward_run(hy__backward *B, hy_array *heads, const hy_backward_opt *opt, int leaves)
{
    int i, recording = B->F->recording, training = B->F->training;
    B->graph = opt && opt->create_graph;
    hy__set_recording(B->F, B->graph);
    if (!hy__backward_open(B, heads) && !hy__seed_heads(B, heads, opt ? opt->head_grads : NULL)) {
        for (i = 0; i < B->n; i++) {
            hy__tape *tape = B->tape[i];
            if (tape->op) { if (hy__backward_call(B, tape)) break; }
            else if (leaves) hy__backward_leaf(B, tape);
        }
    }
    if (!B->graph && !(opt && opt->retain))
        for (i = 0; i < B->n; i++)
            if (B->tape[i]->op && !B->F->code) { hy__tape_empty(B->F, B->tape[i]); B->tape[i]->spent = 1; }
    hy__set_recording(B->F, recording);
    B->F->training = training;
}

HY_API void hy_backward(hy_frame *F, hy_array *heads, const hy_backward_opt *opt)
{
    hy__backward B;
    if (!hy__alive(F, heads, "hy_backward")) return;
    memset(&B, 0, sizeof B);
    B.F = F;
    hy_begin(F);
    hy__backward_run(&B, heads, opt, 1);
    hy__backward_close(&B);
    hy_end(F);
}

HY_API hy_array *hy_grad(hy_frame *F, hy_array *heads, hy_array *variables, const hy_backward_opt *opt)
{
    hy__backward B;
    hy_array *y = NULL, *few[HY_MAX_INTS];
    int i, n;
    if (!hy__alive(F, heads, "hy_grad") || !hy__alive(F, variables, "hy_grad")) return NULL;
    n = hy_count(F, variables);
    if (n > HY_MAX_INTS) { hy__fail(F, HY_ERROR_ARGUMENT, "hy_grad: at most %d variables", (int)HY_MAX_INTS); return NULL; }
    memset(&B, 0, sizeof B);
    B.F = F;
    hy_begin(F);
    hy__backward_run(&B, heads, opt, 0);
    for (i = 0; i < n && !F->code; i++) {
        hy_array *x = hy_get(F, variables, i), *g = NULL;
        if (!x->tape) { hy__fail(F, HY_ERROR_GRADIENT, "hy_grad: variable %d has no hy_attach_grad", i); break; }
        if (x->tape->mark) g = *hy__grad_slot(&B, x->tape, x->output);
        few[i] = g ? g : hy_zeros_like(F, x);
    }
    if (!F->code) y = hy_return(F, n == 1 ? few[0] : hy_group_of(F, n, few));
    hy__backward_close(&B);
    hy_end(F);
    return y;
}

/* --- checking a gradient against finite differences --- */

/* sum(y w) with weights that tell outputs apart. */
static double hy__weighed(hy_frame *F, hy_array *y)
{
    double sum = 0;
    int i, n = hy_count(F, y);
    for (i = 0; i < n; i++) {
        hy_array *x = hy__packed_array(F, hy_get(F, y, i));
        int64_t k, size = x ? hy__size(&x->t.type.shape) : 0;
        for (k = 0; k < size; k++)
            sum += hy__load((const char *)x->t.data + k * hy__traits[x->t.type.dtype].size, x->t.type.dtype) *
                   (0.5 + (double)((k * 7 + i) % 11) / 11);
    }
    return sum;
}

static hy_array *hy__weights_like(hy_frame *F, hy_array *y)
{
    hy_array *few[HY_MAX_INTS];
    int i, n = hy_count(F, y);
    for (i = 0; i < n && i < HY_MAX_INTS; i++) {
        hy_array *x = hy_get(F, y, i), *w = hy__make(F, &x->t.type, "hy_check_grad");
        int64_t k;
        if (!w) return NULL;
        for (k = 0; k < hy__size(&x->t.type.shape); k++)
            hy__store((char *)w->t.data + k * hy__traits[x->t.type.dtype].size, x->t.type.dtype, 0.5 + (double)((k * 7 + i) % 11) / 11);
        few[i] = w;
    }
    return n == 1 ? few[0] : hy_group_of(F, n, few);
}

/* How far the gradient of one input is from its difference quotients. */
static double hy__check_input(hy_frame *F, hy_function fn, void *user, hy_array *inputs, hy_array *x, hy_array *g, double step)
{
    double worst = 0;
    int64_t k, n = hy__size(&x->t.type.shape);
    int size = hy__traits[x->t.type.dtype].size;
    for (k = 0; k < n && !F->code; k++) {
        char *at = (char *)x->t.data + k * size;
        double v = hy__load(at, x->t.type.dtype), up, down, quotient, slope, error;
        uint64_t stream = F->stream;
        hy_begin(F);
        hy__store(at, x->t.type.dtype, v + step);
        up = hy__weighed(F, fn(F, inputs, user));
        F->stream = stream;
        hy__store(at, x->t.type.dtype, v - step);
        down = hy__weighed(F, fn(F, inputs, user));
        F->stream = stream;
        hy__store(at, x->t.type.dtype, v);
        hy_end(F);
        quotient = (up - down) / (2 * step);
        slope = hy__load((const char *)g->t.data + k * size, x->t.type.dtype);
        error = fabs(slope - quotient) / (1 + fabs(quotient));
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

HY_API double hy_check_grad(hy_frame *F, hy_function fn, void *user, hy_array *inputs, double step)
{
    double worst = 0;
    int i, n;
    uint64_t stream;
    hy_backward_opt opt;
    hy_array *y;
    if (!hy__alive(F, inputs, "hy_check_grad")) return HUGE_VAL;
    memset(&opt, 0, sizeof opt);
    n = hy_count(F, inputs);
    hy_begin(F);
    for (i = 0; i < n; i++)
        if (hy__floating(hy_get(F, inputs, i)->t.type.dtype)) hy_attach_grad(F, hy_get(F, inputs, i), HY_GRAD_WRITE);
    stream = F->stream;
    hy_record(F);
    y = fn(F, inputs, user);
    hy__set_recording(F, 0);
    if (y) {
        opt.head_grads = hy__weights_like(F, y);
        hy_backward(F, y, &opt);
    }
    F->stream = stream;
    for (i = 0; i < n && !F->code; i++) {
        hy_array *x = hy_get(F, inputs, i);
        double error;
        if (!x->tape) continue;
        error = hy__check_input(F, fn, user, inputs, x, hy_grad_of(F, x), step);
        if (!(error <= worst)) worst = error;
    }
    F->training = 0;
    hy_end(F);
    return F->code ? HUGE_VAL : worst;
}
#endif

/* MARK: - 99 >>end --------------------------------------------------------------------------------------- */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
#endif /* HYBRID_IMPLEMENTATION */
