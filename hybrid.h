/* MARK: - 00 >>door ------------------------------------------------------------------------------------- */
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
 *     >>door      this page                          >>manual    ideas, errors, threads, your own operator
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
 * Two doors lead downward: F->emit (set by >>invoke, >>trace and >>autograd) and the operator table,
 * reached as F->root->ops[HY_OP_x]. So gradients in >>ops may use every operator although running one comes
 * later.
 */

/* MARK: - 01 >>manual -----------------------------------------------------------------------------------
 *
 * FRAMES AND ARRAYS
 *   hy_open makes a frame, F, the first argument of everything. Operators called with F run at once and give
 *   arrays that F owns. hy_begin(F) ... hy_end(F) brackets a piece of work: what was made inside dies at the
 *   end, except what hy_keep (until hy_free or hy_close) or hy_return (one bracket outward) takes out.
 *   Memory of dead arrays is reused, so a loop body in brackets settles to no allocations at all.
 *
 *       for (step = 0; step < 100; step++) {
 *           hy_begin(F);
 *           ... operators ...
 *           hy_end(F);
 *       }
 *
 *   An array has a type (HY_F32, HY_F64, HY_F16, HY_BF16, HY_I8, HY_U8, HY_I32, HY_I64, HY_BOOL) and up to
 *   8 dims; HY_SCALAR is the shape with none, sizes of 0 are legal. Operators never promote types: cast
 *   first. Operators give new arrays. Only hy_write, hy_set_value, hy_assign, hy_fill and hy_add_to and its
 *   kin change one; hy_view_* share memory with the array they look into.
 *
 * OPTIONS
 *   The last argument of many operators is a pointer to options, NULL for the defaults. In an options
 *   struct zero means the default, so clear it first (hy_x_opt o = {0}) and set what differs. Where 0
 *   itself is meant and is not the default, write HY_ZERO.
 *
 * GROUPS
 *   Several arrays as one handle: hy_group(F, a, b), hy_get(F, g, i), hy_count(F, g). Operators with many
 *   outputs return one; hy_concat, hy_stack and hy_add_n take one.
 *
 * ERRORS
 *   The first error stays in the frame: hy_error(F) says it in words. Calls after it do nothing and return
 *   NULL, which the next call accepts in silence, so a program may check once, at the end. hy_clear forgets
 *   it. Nothing a program passes in aborts the process, running out of memory included.
 *
 * GRADIENTS
 *   hy_attach_grad(F, x, HY_GRAD_WRITE) asks for the gradient of x. Between hy_record(F) and hy_pause(F)
 *   operators on x, and on what came of it, are written down (and run in training mode: dropout drops,
 *   batch norm uses the batch). hy_backward(F, loss, NULL) then fills hy_grad_of(F, x). HY_GRAD_ADD adds to
 *   what is there. hy_grad returns gradients instead; with create_graph they can be differentiated again.
 *   What a recorded call still needs must not be overwritten: that is an error until backward has run or
 *   the result is gone. hy_check_grad compares a gradient with difference quotients.
 *
 * RANDOM NUMBERS
 *   Philox4x32-10, a function of (seed, number of the random call in this frame, position of the element):
 *   the same on every machine and for any number of threads. hy_seed restarts it.
 *
 * THREADS
 *   One frame belongs to one thread. hy_fork gives another thread its own; it may read arrays of the first
 *   frame that nobody writes meanwhile. Frames of one hy_open share one thread pool, made when first
 *   needed: below some ten microseconds of work everything stays in the calling thread, and an idle pool
 *   sleeps. A host with its own job system sets hy_desc.parallel_for. Results have the same bits for any
 *   number of threads.
 *
 * MEMORY
 *   hy_desc.allocator takes all memory from functions of yours, hy_desc.memory from one block.
 *   hy_memory_use tells how much is held and was ever held; hy_trim gives cached blocks back. hy_close
 *   gives back everything.
 *
 * YOUR OWN OPERATOR
 *   Fill a hy_op: names and kinds of inputs and outputs; infer, which derives the output's type and shape;
 *   bind, which sets job->run, job->stages and job->items; grad, which emits operators for the gradient (or
 *   NULL: none flows). hy_register(F, &op), then hy_emit(F, &op, n, inputs, &record). examples/own_op.c
 *   does it in full. run(job, stage, item, scratch, shared) computes one item: no allocation, no locks, and
 *   it writes only its own part of the output, since items of a stage run in any order on any thread.
 *
 * NUMBERS
 *   Floats follow IEEE; no -ffast-math is needed or wanted. Integer arithmetic wraps, x / 0 and x mod 0 are
 *   0; casts from floats go toward zero and saturate, NaN becomes 0. MAX and MIN give NaN when one is
 *   there. Indices may have any numeric type. A reduction over all axes gives shape (1,), as in MXNet.
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
#define HYBRID_PARALLEL_NS 8000                         /* a second core does not pay below so many ns */
#endif
#ifndef HYBRID_CHUNK
#define HYBRID_CHUNK 16384                              /* elements that a thread takes at a time */
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
typedef struct hy_block hy_block;       /* a layer or a network */

typedef enum hy_dtype {                 /* 0 means "not known" or "the default" */
    HY_DTYPE_NONE, HY_F32, HY_F64, HY_F16, HY_BF16, HY_I8, HY_U8, HY_I32, HY_I64, HY_BOOL, HY_DTYPE_COUNT
} hy_dtype;

enum { HY_MAX_DIM = 8, HY_MAX_INTS = 16, HY_MAX_STAGES = 16 };

typedef struct hy_shape { int ndim; int64_t dim[HY_MAX_DIM]; } hy_shape;    /* -1: not known */
typedef struct hy_ints  { int n; int64_t v[HY_MAX_INTS]; } hy_ints;         /* n = -1: None, "all" */
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
enum {
    HY_LAYOUT_NONE, HY_LAYOUT_NCW, HY_LAYOUT_NCHW, HY_LAYOUT_NCDHW,
    HY_LAYOUT_NWC, HY_LAYOUT_NHWC, HY_LAYOUT_NDHWC
};
enum { HY_POOL_MAX, HY_POOL_AVG, HY_POOL_SUM, HY_POOL_LP };
enum { HY_CONVENTION_VALID, HY_CONVENTION_FULL, HY_CONVENTION_SAME };
enum { HY_JOIN_CONCAT, HY_JOIN_SUM };
enum { HY_L2_INSTANCE, HY_L2_CHANNEL, HY_L2_SPATIAL };
enum {
    HY_ACT_RELU, HY_ACT_SIGMOID, HY_ACT_TANH, HY_ACT_SOFTRELU, HY_ACT_SOFTSIGN,
    HY_ACT_LOG_SIGMOID, HY_ACT_MISH
};
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
    void  (*free_fn)(void *user_data, void *block);
    void  *user_data;
} hy_allocator;

/* A host's job system: runs fn(arg, i, worker) for i in [0, n) and returns when all have returned. Any order
 * and any thread will do; worker is below hy_threads(F) and two calls at one time never share it. */
typedef void (*hy_item_fn)(void *arg, int64_t i, int worker);
typedef void (*hy_parallel_for)(void *user, int64_t n, hy_item_fn fn, void *arg);

/* --- what a network is made of --- */

/* Every block computes one value from one value; several travel as a group. */
typedef hy_array *(*hy_forward_fn)(hy_frame *F, hy_block *self, hy_array *x);

/* The first member of a struct of yours that is a block; hy_block_new fills it in. */
struct hy_block {
    hy_forward_fn forward;
    const char   *kind;                 /* name of the struct */
    void        (*describe)(const hy_block *self, char *text, size_t bytes);  /* "8 -> 10, linear", or NULL */
    void        (*free_fn)(hy_block *self);     /* frees what the struct alone owns, or NULL */
    struct hy__house *house;            /* children, parameters, names */
};

/* How a parameter begins: fn fills x, whose structural name is given. {0} stands for uniform(0.07). */
typedef struct hy_init {
    void      (*fn)(hy_frame *F, const struct hy_init *init, const char *name, hy_array *x);
    const char *name;                   /* MXNet's, as in "xavier" */
    double      number[3];
    int         choice[2];
    const void *more;                   /* must outlive the block */
    int         more_n;
    const struct hy_init *inner;        /* what it falls back on; must outlive the block too */
} hy_init;

typedef enum hy_hook { HY_HOOK_BEFORE, HY_HOOK_AFTER } hy_hook;
typedef void (*hy_hook_fn)(hy_frame *F, hy_block *block, hy_array *x, hy_array *y, void *user);

/* What hy_graph_node tells. A parameter belongs to a block; AUX is a running statistic. */
typedef enum hy_node_kind { HY_NODE_OP, HY_NODE_VARIABLE, HY_NODE_PARAMETER, HY_NODE_CONSTANT } hy_node_kind;
typedef struct hy_node {
    hy_node_kind  kind;
    const char   *name;
    const hy_op  *op;                   /* NULL unless kind is HY_NODE_OP */
    const void   *record;               /* its attributes */
    int           inputs, outputs;
    const hy_type *types;               /* of the outputs, as far as the trace knew them */
    int           aux;
    hy_array     *array;                /* a parameter's, else NULL */
    hy_graph     *sub;                  /* of an operator that runs a program, else NULL */
} hy_node;

enum {                                  /* passes over a graph, for hy_hybridize_opt.off and the like */
    HY_PASS_FOLD = 1,                   /* operators on constants are computed once */
    HY_PASS_ALGEBRA = 2,                /* x * 1, transposes that cancel, ... */
    HY_PASS_CSE = 4,                    /* the same thing is computed once */
    HY_PASS_BATCH_NORM = 8,             /* folded into the convolution before it, for inference */
    HY_PASS_PROLOGUE = 16,              /* what only parameters decide is computed once */
    HY_PASS_FUSE = 32,                  /* chains of pointwise operators run tile by tile */
    HY_PASS_INPLACE = 64,               /* results may take the place of their inputs */
    HY_PASS_REUSE = 128,                /* memory of values that are no longer needed is used again */
    HY_PASS_PARALLEL = 256,             /* independent operators run at the same time */
    HY_PASS_ALL = 511
};

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
    HY_ATTR_enum, HY_ATTR_shape, HY_ATTR_ints, HY_ATTR_oints
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
    HY_OP_STRIDED   = 128,              /* reads inputs of any strides; others get packed ones */
    HY_OP_MOVES     = 128 + 64          /* only moves elements */
};

typedef struct hy_tensor { void *data; hy_type type; int64_t stride[HY_MAX_DIM]; } hy_tensor;  /* elements */

/* Types and shapes of one call; an operator fills in what it can deduce, in any direction. */
typedef struct hy_infer {
    const hy_op *op;
    const void  *attr;                  /* the record */
    int          nin, nout;
    hy_type     *in, *out;
    int          nsub;                  /* sub-graphs of control flow */
    hy_graph *const *sub;
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
    int          nsub;
    hy_graph *const *sub;
    int          training;
    uint64_t     seed, stream;          /* the random key of this run */
    void       (*run)(struct hy_job *job, int stage, int64_t item, void *scratch, void *shared);
    int          stages;
    int64_t      items[HY_MAX_STAGES];  /* from shapes, never from the number of threads */
    double       cost;                  /* of the whole, about nanoseconds on one core */
    size_t       scratch, shared;       /* bytes per worker, bytes for all */
    int          fault;                 /* set by hy_fault in an item that met bad data */
    const char  *fault_text;            /* what it means */
    union { int64_t i[128]; double f[128]; const void *p[128]; } plan;  /* bind's notes for run */
    hy_error_t   code;
    char         text[256];             /* why bind refused */
} hy_job;

/* A gradient wanted: fill dx[i] where want[i], from dy[o] (NULL is zero), by emitting operators. */
typedef struct hy_diff {
    const hy_op *op;
    const void  *attr;
    int          nin, nout;
    int          nsub;
    hy_graph *const *sub;
    int          training;              /* the call ran in training mode */
    hy_array   **in, **out, **dy, **dx;
    const int   *want;
} hy_diff;

/* How a call falls apart along an axis of its first output: per input the axis to slice, -1 to share it. */
typedef struct hy_slicing { int *axis; } hy_slicing;

struct hy_op {
    const char    *name, *mxnet, *aliases, *doc;    /* aliases: "one|other" */
    const hy_arg  *in, *out;            /* each ends with an empty row */
    const hy_attr *attr;                /* ends with an empty row */
    size_t         record;              /* bytes of the record */
    unsigned       flags;
    int            member;              /* which one of a family that shares its functions */
    /* How many values argument `index` has: 0, 1, n; -1 as many as given; 2 shows a HID; NULL: one each. */
    int          (*count)(const void *attr, int output, int index);
    int          (*infer)(hy_infer *);
    int          (*bind)(hy_job *);     /* 0, or nonzero with code and text */
    int          (*grad)(hy_frame *, hy_diff *);
    int          (*split)(const hy_job *, int axis, hy_slicing *);
};

/* MARK: - 04 >>catalogue --------------------------------------------------------------------------------
 *
 * Every operator, once. From these lists come the prototypes, the option structs, the records, the tables
 * that read and print attributes, and the tests. An operator `x` is one row in HY_OPS and four lists:
 *     HY_I_x(I)     inputs            I(name, kind, how many): ONE; OPT, which exists when the expression is
 *                                     true; LIST, a group of any size; AUX, a running statistic, written
 *     HY_O_x(O)     outputs           O(name, kind, how many): ONE, OPT, LIST; HID is for the gradient only,
 *                                     2 shows it
 *     HY_P_x(P, R)  plain arguments   P(R, kind, name, MXNet's name, default when a file leaves it out, doc)
 *     HY_A_x(A, R)  fields of hy_x_opt  A(R, kind, name, MXNet's name, default, doc): zero is the default
 * Expressions may use the record `r`; R is passed on. Kinds: flag, inv (a flag whose MXNet twin has the
 * opposite sense), int, oint (int or HY_NONE), i64, real, dtype, shape, ints, oints, and enum,
 * whose doc begins with its names in order. What it does is the block of the same name in >>ops.
 */
#define HY_NOTHING(...)

/* One line each: what they compute from x (and a, b), and their gradient as operators of dy, x, y. The V_
 * words stand for the same function in every number type. ARITH runs in any type, MATH in floats; what is
 * FAST_ is compiled for every instruction set, the rest (the bits are the same) for the plainest only. */
#define HY_UNARY_OPS(U) \
    U(relu,      "relu",      FAST_ARITH, V_SEL(x <= 0, 0, x), hy_mul(F, dy, hy_sign(F, y)), "max(x, 0)") \
    U(sigmoid,   "sigmoid",   FAST_MATH, V_SIGMOID(x), \
        hy_mul(F, dy, hy_mul(F, y, hy_rsub_scalar(F, y, 1))), "1 / (1 + exp(-x))") \
    U(log_sigmoid, "log_sigmoid", MATH, -V_SOFTRELU(-x), \
        hy_mul(F, dy, hy_sigmoid(F, hy_negative(F, x))), "log(1 / (1 + exp(-x)))") \
    U(softrelu,  "_softrelu", FAST_MATH, V_SOFTRELU(x), hy_mul(F, dy, hy_sigmoid(F, x)), "log(1 + exp(x))") \
    U(mish,      "mish",      MATH, x * V_TANH(V_SOFTRELU(x)), hy__mish_slope(F, dy, x), \
        "x tanh(log(1 + exp(x)))") \
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
    U(cbrt,      "cbrt",      MATH, V_CBRT(x), hy_div(F, dy, hy_mul_scalar(F, hy_square(F, y), 3)), \
        "cube root") \
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
    U(tan,       "tan",       MATH, V_TAN(x), hy_mul(F, dy, hy_add_scalar(F, hy_square(F, y), 1)), \
        "tangent") \
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
    B(add, FAST, HY_OP_NO_SAVE, "broadcast_add", "broadcast_plus", "elemwise_add", \
        "_plus|_Plus|_add|_grad_add", \
        "_plus_scalar", "_PlusScalar", V_ADD(a, b), dy, dy, "a + b") \
    B(sub, FAST, HY_OP_NO_SAVE, "broadcast_sub", "broadcast_minus", "elemwise_sub", "_sub|_minus|_Minus", \
        "_minus_scalar", "_MinusScalar", V_SUB(a, b), dy, hy_negative(F, dy), "a - b") \
    B(mul, FAST, 0, "broadcast_mul", NULL, "elemwise_mul", "_mul|_Mul", "_mul_scalar", "_MulScalar", \
        V_MUL(a, b), \
        HY_TIMES(dy, b), HY_TIMES(dy, a), "a * b") \
    B(div, FAST, 0, "broadcast_div", NULL, "elemwise_div", "_div|_Div", "_div_scalar", "_DivScalar", \
        V_DIV(a, b), \
        HY_OVER(dy, b), hy_negative(F, HY_OVER(hy_mul(F, dy, y), b)), "a / b; integer x / 0 is 0") \
    B(mod, PLAIN, 0, "broadcast_mod", NULL, "_mod", "_Mod", "_mod_scalar", "_ModScalar", V_MOD(a, b), \
        dy, hy_negative(F, hy_mul(F, dy, hy_floor(F, HY_OVER(a, b)))), \
        "a mod b with the sign of b; x mod 0 is 0") \
    B(power, PLAIN, 0, "broadcast_power", NULL, "_power", "_Power", "_power_scalar", "_PowerScalar", \
        V_POW(a, b), \
        hy_mul(F, dy, HY_POWER_DA(a, b)), hy_mul(F, dy, HY_POWER_DB(a, b)), "a to the power b") \
    B(maximum, FAST, 0, "broadcast_maximum", NULL, "_maximum", "_Maximum", "_maximum_scalar", \
        "_MaximumScalar", \
        V_MAX(a, b), hy_mul(F, dy, HY_GE(a, b)), hy_mul(F, dy, HY_LT(a, b)), "the larger; NaN wins") \
    B(minimum, FAST, 0, "broadcast_minimum", NULL, "_minimum", "_Minimum", "_minimum_scalar", \
        "_MinimumScalar", \
        V_MIN(a, b), hy_mul(F, dy, HY_LE(a, b)), hy_mul(F, dy, HY_GT(a, b)), "the smaller; NaN wins") \
    B(hypot, PLAIN, 0, "broadcast_hypot", NULL, "_hypot", NULL, "_hypot_scalar", NULL, V_HYPOT(a, b), \
        hy_mul(F, dy, HY_UNDER(a, y)), hy_mul(F, dy, HY_UNDER(b, y)), "sqrt(a*a + b*b)") \
    B(equal, PLAIN, 0, "broadcast_equal", NULL, "_equal", "_Equal", "_equal_scalar", "_EqualScalar", \
        V_BOOL(a == b), NULL, NULL, "1 where a == b, else 0") \
    B(not_equal, PLAIN, 0, "broadcast_not_equal", NULL, "_not_equal", "_Not_Equal", "_not_equal_scalar", \
        "_NotEqualScalar", V_BOOL(a != b), NULL, NULL, "1 where a != b, else 0") \
    B(greater, PLAIN, 0, "broadcast_greater", NULL, "_greater", "_Greater", "_greater_scalar", \
        "_GreaterScalar", \
        V_BOOL(a > b), NULL, NULL, "1 where a > b, else 0") \
    B(greater_equal, PLAIN, 0, "broadcast_greater_equal", NULL, "_greater_equal", "_Greater_Equal", \
        "_greater_equal_scalar", "_GreaterEqualScalar", V_BOOL(a >= b), NULL, NULL, \
        "1 where a >= b, else 0") \
    B(lesser, PLAIN, 0, "broadcast_lesser", NULL, "_lesser", "_Lesser", "_lesser_scalar", "_LesserScalar", \
        V_BOOL(a < b), NULL, NULL, "1 where a < b, else 0") \
    B(lesser_equal, PLAIN, 0, "broadcast_lesser_equal", NULL, "_lesser_equal", "_Lesser_Equal", \
        "_lesser_equal_scalar", "_LesserEqualScalar", V_BOOL(a <= b), NULL, NULL, "1 where a <= b, else 0") \
    B(logical_and, PLAIN, 0, "broadcast_logical_and", NULL, "_logical_and", "_Logical_And", \
        "_logical_and_scalar", \
        "_LogicalAndScalar", V_BOOL((a != 0) & (b != 0)), NULL, NULL, "1 where both are not 0") \
    B(logical_or, PLAIN, 0, "broadcast_logical_or", NULL, "_logical_or", "_Logical_Or", \
        "_logical_or_scalar", \
        "_LogicalOrScalar", V_BOOL((a != 0) | (b != 0)), NULL, NULL, "1 where one is not 0") \
    B(logical_xor, PLAIN, 0, "broadcast_logical_xor", NULL, "_logical_xor", "_Logical_Xor", \
        "_logical_xor_scalar", \
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
#define HY_A_LAYOUT(A, R) \
    A(R, enum, layout, layout, 0, "None|NCW|NCHW|NCDHW|NWC|NHWC|NDHWC: None is channels first")

#define HY_I_convolution(I) I(data, ONE, 1) I(weight, ONE, 1) I(bias, OPT, !r->no_bias)
#define HY_O_convolution HY_O_OUT
#define HY_P_convolution HY_P_KERNEL
#define HY_A_convolution(A, R) HY_A_WINDOW(A, R) A(R, int, num_group, num_group, 1, "channel groups") \
    A(R, flag, no_bias, no_bias, 0, "no bias input") HY_A_LAYOUT(A, R)

#define HY_I_deconvolution(I) I(data, ONE, 1) I(weight, ONE, 1) I(bias, OPT, r->use_bias)
#define HY_O_deconvolution HY_O_OUT
#define HY_P_deconvolution HY_P_KERNEL
#define HY_A_deconvolution(A, R) HY_A_WINDOW(A, R) \
    A(R, ints, adj, adj, 0, "extra output size per dim, below stride") \
    A(R, ints, target_shape, target_shape, 0, "output size per dim; pad and adj follow from it") \
    A(R, int, num_group, num_group, 1, "channel groups") A(R, inv, use_bias, no_bias, 0, "has a bias input") \
    HY_A_LAYOUT(A, R)

#define HY_I__conv_weight_grad(I) I(data, ONE, 1) I(out_grad, ONE, 1)
#define HY_O__conv_weight_grad HY_O_OUT
#define HY_P__conv_weight_grad HY_P_KERNEL
#define HY_A__conv_weight_grad(A, R) HY_A_WINDOW(A, R) A(R, int, num_group, num_group, 1, "channel groups") \
    HY_A_LAYOUT(A, R)

#define HY_A_POOLING(A, R) A(R, enum, pool_type, pool_type, 0, "max|avg|sum|lp: what a window gives") \
    A(R, flag, global_pool, global_pool, 0, "one window over everything") \
    A(R, enum, convention, pooling_convention, 0, "valid|full|same: how the output size is rounded") \
    A(R, ints, stride, stride, 0, "step per dim, 1s if empty") \
    A(R, ints, pad, pad, 0, "padding per dim, 0s if empty") \
    A(R, int, p_value, p_value, 2, "power of lp pooling: 1, 2 or 3") \
    A(R, inv, exclude_pad, count_include_pad, 0, "averages divide by the number of real elements") \
    HY_A_LAYOUT(A, R)
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
#define HY_P_adaptive_avg_pooling(P, R) \
    P(R, ints, output_size, output_size, 0, "height and width, one number for both")
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
#define HY_I__batch_norm_grad(I) I(out_grad, ONE, 1) I(data, ONE, 1) I(gamma, ONE, 1) I(mean, ONE, 1) \
    I(rstd, ONE, 1)
#define HY_O__batch_norm_grad(O) O(data_grad, ONE, 1) O(gamma_grad, ONE, 1) O(beta_grad, ONE, 1)
#define HY_P__batch_norm_grad(P, R) P(R, int, axis, axis, 1, "channel axis") \
    P(R, int, batch_stats, batch_stats, 1, \
    "mean and rstd depend on data") P(R, int, learn_gamma, learn_gamma, 0, "gamma counts")

#define HY_I_layer_norm HY_I_NORM
#define HY_O_layer_norm HY_O_NORM
#define HY_P_layer_norm HY_NOTHING
#define HY_A_layer_norm(A, R) A(R, int, axis, axis, -1, "the axis to normalise") \
    A(R, real, eps, eps, 1e-5, "added to the variance") \
    A(R, flag, output_mean_var, output_mean_var, 0, "return mean and deviation too")

#define HY_I_group_norm HY_I_NORM
#define HY_O_group_norm HY_O_NORM
#define HY_P_group_norm HY_NOTHING
#define HY_A_group_norm(A, R) \
    A(R, int, num_groups, num_groups, 1, "channel groups; gamma and beta have one value each") \
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
#define HY_A_lrn(A, R) A(R, real, alpha, alpha, 1e-4, "factor on the squares") \
    A(R, real, beta, beta, 0.75, "exponent") \
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
#define HY_P_leaky_relu(P, R) \
    P(R, enum, act_type, act_type, 0, "leaky|elu|selu|gelu|prelu|rrelu: which function")
#define HY_A_leaky_relu(A, R) A(R, real, slope, slope, 0.25, "slope of leaky, factor of elu") \
    A(R, real, lower_bound, lower_bound, 0.125, "least slope of rrelu") \
    A(R, real, upper_bound, upper_bound, 0.334, "largest slope of rrelu")

#define HY_A_SOFTMAX(A, R) A(R, real, temperature, temperature, 1, "x is divided by it") \
    A(R, dtype, dtype, dtype, 0, "type of the result, of the input if 0")
#define HY_P_SOFTMAX(P, R) P(R, int, axis, axis, -1, "the axis that sums to 1")
#define HY_I_softmax(I) I(data, ONE, 1) I(length, OPT, r->use_length)
#define HY_O_softmax HY_O_OUT
#define HY_P_softmax HY_P_SOFTMAX
#define HY_A_softmax(A, R) HY_A_SOFTMAX(A, R) \
    A(R, flag, use_length, use_length, 0, "a second input gives lengths; 0 beyond")
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
#define HY_A_softmax_activation(A, R) \
    A(R, enum, mode, mode, 0, "instance|channel: over all but the batch, or axis 1")

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
#define HY_A_make_loss(A, R) HY_A_GRAD_SCALE(A, R) \
    A(R, real, valid_thresh, valid_thresh, 0, "what counts as valid") \
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
#define HY_P_clip(P, R) P(R, real, a_min, a_min, HY_REQUIRED, "least value") \
    P(R, real, a_max, a_max, HY_REQUIRED, "largest value")
#define HY_I_cast HY_I_DATA
#define HY_O_cast HY_O_OUT
#define HY_P_cast(P, R) P(R, dtype, dtype, dtype, HY_REQUIRED, "type of the result")
#define HY_I_where(I) I(condition, ONE, 1) I(x, ONE, 1) I(y, ONE, 1)
#define HY_O_where HY_O_OUT
#define HY_P_where HY_NOTHING

/* --- shape --- */
#define HY_I_reshape HY_I_DATA
#define HY_O_reshape HY_O_OUT
#define HY_P_reshape(P, R) \
    P(R, ints, shape, shape, 0, "sizes; 0 copies, -1 infers, -2 the rest, -3 joins two, -4 splits one")
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
#define HY_A_split(A, R) A(R, flag, squeeze_axis, squeeze_axis, 0, \
    "drop the axis, whose parts must have size 1")
#define HY_I_split_v2 HY_I_DATA
#define HY_O_split_v2(O) O(output, LIST, r->sections > 0 ? r->sections : r->indices.n)
#define HY_P_split_v2(P, R) \
    P(R, ints, indices, indices, HY_REQUIRED, "where each part begins; the first is 0") \
    P(R, int, axis, axis, 1, "the axis to cut")
#define HY_A_split_v2(A, R) \
    A(R, flag, squeeze_axis, squeeze_axis, 0, "drop the axis, whose parts must have size 1") \
    A(R, int, sections, sections, 0, "number of equal parts, in place of indices")
#define HY_I_slice HY_I_DATA
#define HY_O_slice HY_O_OUT
#define HY_P_slice(P, R) P(R, oints, begin, begin, HY_REQUIRED, \
    "first index per axis; HY_NONE, negative from the end") \
    P(R, oints, end, end, HY_REQUIRED, "index after the last per axis")
#define HY_A_slice(A, R) A(R, oints, step, step, 0, "step per axis, may be negative")
#define HY_I__slice_grad(I) I(out_grad, ONE, 1) I(data, ONE, 1)
#define HY_O__slice_grad HY_O_OUT
#define HY_P__slice_grad HY_P_slice
#define HY_A__slice_grad HY_A_slice
#define HY_I_slice_axis HY_I_DATA
#define HY_O_slice_axis HY_O_OUT
#define HY_P_slice_axis(P, R) P(R, int, axis, axis, HY_REQUIRED, "the axis") \
    P(R, int, begin, begin, HY_REQUIRED, "first index") \
    P(R, oint, end, end, HY_REQUIRED, "index after the last, or HY_NONE")
#define HY_I_slice_like(I) I(data, ONE, 1) I(shape_like, ONE, 1)
#define HY_O_slice_like HY_O_OUT
#define HY_P_slice_like(P, R) P(R, ints, axes, axes, 0, "axes to cut, HY_ALL or empty for each")
#define HY_I_crop HY_I_ARGS
#define HY_O_crop HY_O_OUT
#define HY_P_crop HY_NOTHING
#define HY_A_crop(A, R) A(R, ints, offset, offset, 0, "top and left") \
    A(R, ints, h_w, h_w, 0, "height and width, if one input") \
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
#define HY_A_diag(A, R) A(R, int, axis1, axis1, 0, "first axis of the matrices") \
    A(R, int, axis2, axis2, 1, "second axis")
#define HY_I__diag_grad(I) I(out_grad, ONE, 1) I(data, ONE, 1)
#define HY_O__diag_grad HY_O_OUT
#define HY_P__diag_grad HY_P_diag
#define HY_A__diag_grad HY_A_diag
#define HY_I_broadcast_to HY_I_DATA
#define HY_O_broadcast_to HY_O_OUT
#define HY_P_broadcast_to(P, R) P(R, ints, shape, shape, 0, "sizes; 0 keeps")
#define HY_I_broadcast_axis HY_I_DATA
#define HY_O_broadcast_axis HY_O_OUT
#define HY_P_broadcast_axis(P, R) P(R, ints, axis, axis, 0, "axes of size 1") \
    P(R, ints, size, size, 0, "their new sizes")
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
#define HY_A_one_hot(A, R) A(R, real, on_value, on_value, 1, "value at the index") \
    A(R, real, off_value, off_value, 0, "elsewhere") \
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
#define HY_P_topk(P, R) P(R, oint, axis, axis, -1, "the axis; HY_NONE flattens") \
    P(R, int, k, k, 1, "how many; below 1 all")
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
#define HY_A_argsort(A, R) A(R, inv, descending, is_ascend, 0, "largest first") \
    A(R, dtype, dtype, dtype, HY_F32, "type of the result")
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
#define HY_A_norm(A, R) A(R, int, ord, ord, 2, "1 or 2") \
    A(R, flag, keepdims, keepdims, 0, "reduced axes stay with size 1") \
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
#define HY_A_SEQUENCE(A, R) \
    A(R, flag, use_sequence_length, use_sequence_length, 0, "a second input gives lengths")
#define HY_A_SEQUENCE_AXIS(A, R) A(R, int, axis, axis, 0, "time axis: 0 or 1")
#define HY_I_sequence_mask HY_I_LENGTH
#define HY_O_sequence_mask HY_O_OUT
#define HY_P_sequence_mask HY_NOTHING
#define HY_A_sequence_mask(A, R) HY_A_SEQUENCE(A, R) \
    A(R, real, value, value, 0, "what stands beyond the length") \
    HY_A_SEQUENCE_AXIS(A, R)
#define HY_I_sequence_last HY_I_LENGTH
#define HY_O_sequence_last HY_O_OUT
#define HY_P_sequence_last HY_NOTHING
#define HY_A_sequence_last(A, R) HY_A_SEQUENCE(A, R) HY_A_SEQUENCE_AXIS(A, R)
#define HY_I__sequence_last_grad(I) I(out_grad, ONE, 1) I(data, ONE, 1) \
    I(sequence_length, OPT, r->use_sequence_length)
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
    I(state, ONE, 1) I(state_cell, OPT, r->mode == HY_RNN_LSTM) \
    I(sequence_length, OPT, r->use_sequence_length) \
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
#define HY_P__eye(P, R) P(R, i64, rows, N, HY_REQUIRED, "rows") \
    P(R, i64, columns, M, 0, "columns, as many as rows if 0") \
    P(R, i64, k, k, 0, "which diagonal")
#define HY_A__eye HY_A_DTYPE
#define HY_I__arange HY_NOTHING
#define HY_O__arange HY_O_OUT
#define HY_P__arange(P, R) P(R, real, start, start, 0, "first value") \
    P(R, real, stop, stop, HY_NONE, "bound") \
    P(R, real, step, step, 1, "distance")
#define HY_A__arange(A, R) A(R, int, repeat, repeat, 1, "how often each value stands") HY_A_DTYPE(A, R)
#define HY_I__linspace HY_NOTHING
#define HY_O__linspace HY_O_OUT
#define HY_P__linspace(P, R) P(R, real, start, start, 0, "first value") \
    P(R, real, stop, stop, HY_REQUIRED, "last value") \
    P(R, i64, num, num, HY_REQUIRED, "how many")
#define HY_A__linspace(A, R) A(R, inv, no_endpoint, endpoint, 0, "stop is not included") HY_A_DTYPE(A, R)
#define HY_I_arange_like HY_I_DATA
#define HY_O_arange_like HY_O_OUT
#define HY_P_arange_like(P, R) P(R, real, start, start, 0, "first value") \
    P(R, real, step, step, 1, "distance") \
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
    OPT(layer_norm, "LayerNorm", NULL, 0, \
        "each vector along axis to mean 0, variance 1; gamma and beta per element") \
    OPT(group_norm, "GroupNorm", NULL, 0, "each group of channels to mean 0, variance 1") \
    OPT(instance_norm, "InstanceNorm", NULL, 0, "each channel of each sample to mean 0, variance 1") \
    OPT(l2_normalization, "L2Normalization", NULL, 0, "x / sqrt(sum x^2 + eps)") \
    OP(activation, "Activation", NULL, HY_OP_POINTWISE, "a function by name") \
    OPT(leaky_relu, "LeakyReLU", NULL, HY_OP_RANDOM | HY_OP_TRAIN, "x above 0, something small below") \
    OPT(softmax, "softmax", NULL, 0, "exp(x) over its sum") \
    OPT(log_softmax, "log_softmax", NULL, 0, "log of softmax") \
    OPT(softmin, "softmin", NULL, 0, "softmax of -x") \
    OPT(softmax_activation, "SoftmaxActivation", NULL, 0, "softmax of old files") \
    OPT(softmax_output, "SoftmaxOutput", "Softmax", 0, \
        "softmax whose gradient is that of the cross entropy") \
    OPT(_softmax_output_grad, NULL, NULL, 0, "gradient of softmax_output") \
    OPT(linear_regression_output, "LinearRegressionOutput", NULL, 0, "x; gradient (x - label) scale / n") \
    OPT(logistic_regression_output, "LogisticRegressionOutput", NULL, 0, \
        "sigmoid; gradient (y - label) scale / n") \
    OPT(mae_regression_output, "MAERegressionOutput", NULL, 0, "x; gradient sign(x - label) scale / n") \
    OPT(make_loss, "MakeLoss", "make_loss", HY_OP_STRIDED, "x; the gradient starts here") \
    OP(block_grad, "BlockGrad", "stop_gradient", HY_OP_STRIDED, "x; no gradient passes") \
    OP(identity, "_copy", "identity", HY_OP_POINTWISE | HY_OP_MOVES, "x") \
    OPT(dropout, "Dropout", NULL, HY_OP_RANDOM | HY_OP_TRAIN, \
        "in training a share p becomes 0, the rest grows by 1/(1-p)") \
    OP(softmax_cross_entropy, "softmax_cross_entropy", NULL, 0, \
        "sum of -log softmax(data)[label], shape (1,)") \
    OP(smooth_l1, "smooth_l1", NULL, HY_OP_POINTWISE, "(sx)^2/2 if |x| < 1/s^2, else |x| - 1/(2 s^2)") \
    OPT(hard_sigmoid, "hard_sigmoid", NULL, HY_OP_POINTWISE, "alpha x + beta, clipped to [0, 1]") \
    OP(clip, "clip", NULL, HY_OP_POINTWISE, "x kept within [a_min, a_max]") \
    OP(cast, "Cast", "cast|amp_cast", HY_OP_STRIDED, \
        "x in another type; floats become integers by truncation, out of range saturates") \
    OP(where, "where", NULL, 0, "x where condition is not 0, else y") \
    OPT(reshape, "Reshape", "reshape", HY_OP_VIEW | HY_OP_MOVES, "the same elements in another shape") \
    OPT(reshape_like, "reshape_like", NULL, HY_OP_VIEW | HY_OP_MOVES, "lhs in the shape of rhs") \
    OP(flatten, "Flatten", "flatten", HY_OP_VIEW | HY_OP_MOVES, "(d0, product of the rest)") \
    OP(transpose, "transpose", NULL, HY_OP_MOVES, "axes in another order") \
    OP(expand_dims, "expand_dims", NULL, HY_OP_VIEW | HY_OP_MOVES, "a new axis of size 1") \
    OP(squeeze, "squeeze", NULL, HY_OP_VIEW | HY_OP_MOVES, "without axes of size 1") \
    OP(swap_axes, "SwapAxis", "swapaxes", HY_OP_MOVES, "two axes exchanged") \
    OP(shape_array, "shape_array", NULL, HY_OP_MOVES, "the shape, as int64") \
    OP(size_array, "size_array", NULL, HY_OP_MOVES, "the number of elements, as int64") \
    OP(concat, "Concat", "concat", HY_OP_MOVES, "inputs joined along an axis") \
    OP(stack, "stack", NULL, HY_OP_MOVES, "inputs joined along a new axis") \
    OPT(split, "SliceChannel", "split", HY_OP_MOVES, "equal parts along an axis") \
    OPT(split_v2, "_split_v2", NULL, HY_OP_MOVES, "parts along an axis, cut at indices") \
    OPT(slice, "slice", NULL, HY_OP_MOVES, "a box, with steps") \
    OPT(_slice_grad, NULL, NULL, HY_OP_MOVES, "a box of out_grad in zeros shaped like data") \
    OP(slice_axis, "slice_axis", NULL, HY_OP_MOVES, "a range of one axis") \
    OP(slice_like, "slice_like", NULL, HY_OP_MOVES, "the corner of data as large as shape_like") \
    OP(repeat, "repeat", NULL, HY_OP_MOVES, "each element several times") \
    OP(tile, "tile", NULL, HY_OP_MOVES, "the whole several times") \
    OP(reverse, "reverse", "flip", HY_OP_MOVES, "axes turned round") \
    OPT(pad, "Pad", "pad", HY_OP_MOVES, "a border around the array") \
    OP(_pad_grad, NULL, NULL, HY_OP_MOVES, "gradient of pad") \
    OPT(diag, "diag", NULL, HY_OP_MOVES, "a diagonal, or a matrix with one") \
    OPT(_diag_grad, NULL, NULL, HY_OP_MOVES, "gradient of diag") \
    OP(broadcast_to, "broadcast_to", NULL, HY_OP_MOVES, "axes of size 1 repeated") \
    OP(broadcast_axis, "broadcast_axis", "broadcast_axes", HY_OP_MOVES, "named axes of size 1 repeated") \
    OPT(broadcast_like, "broadcast_like", NULL, HY_OP_MOVES, "lhs repeated to the shape of rhs") \
    OP(_sum_like, NULL, NULL, HY_OP_NO_SAVE, "lhs summed to the shape of rhs: what undoes broadcasting") \
    OP(zeros_like, "zeros_like", NULL, HY_OP_MOVES, "zeros of the same shape") \
    OP(ones_like, "ones_like", NULL, HY_OP_MOVES, "ones of the same shape") \
    OP(identity_like, "_identity_with_attr_like_rhs", NULL, HY_OP_STRIDED, \
       "lhs, whose shape is that of rhs") \
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
    OPT(random_normal, "_random_normal", "normal|random_normal", HY_OP_RANDOM, \
        "normal with mean loc, deviation scale") \
    OPT(random_exponential, "_random_exponential", "random_exponential", HY_OP_RANDOM, \
        "exponential with rate lam") \
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
    OP(adaptive_avg_pooling, "_contrib_AdaptiveAvgPooling2D", NULL, 0, \
        "averages over windows that cover the input") \
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
#define HY__C_shape hy_shape
#define HY__C_ints  hy_ints
#define HY__C_oints hy_ints
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
 * Everything that is not an operator. F is the frame throughout. A function that fails sets the frame's
 * error, unless one stands already, and returns NULL or 0; handing that NULL on is harmless.
 */

/* --- frames --- */
HY_API hy_frame   *hy_open(const hy_desc *desc);                  /* NULL only when memory is out */
HY_API int         hy_close(hy_frame *F);  /* the first error's code; frees all it owns */
HY_API hy_frame   *hy_fork(hy_frame *F);  /* a frame for another thread; close it too */
HY_API void        hy_begin(hy_frame *F);                         /* arrays made from here on ... */
HY_API void        hy_end(hy_frame *F);                           /* ... die here, unless kept or returned */
HY_API hy_array   *hy_keep(hy_frame *F, hy_array *x);             /* x lives until hy_free or F's close */
HY_API hy_array   *hy_return(hy_frame *F, hy_array *x);           /* x moves out to the enclosing begin/end */
HY_API void        hy_free(hy_frame *F, hy_array *x);             /* x dies now, with what a group holds */
HY_API const char *hy_error(hy_frame *F);                         /* the first error in words, or NULL */
HY_API hy_error_t  hy_error_code(hy_frame *F);
HY_API const char *hy_error_name(hy_error_t code);
HY_API void        hy_clear(hy_frame *F);                         /* forget the error */
HY_API void        hy_raise(hy_frame *F, hy_error_t code, const char *text);   /* set one, if none stands */
HY_API void        hy_seed(hy_frame *F, uint64_t seed);           /* restart the random numbers */
HY_API int         hy_wait_all(hy_frame *F);  /* all work is done on return: the error code */
HY_API const char *hy_mode(hy_frame *F);                          /* "ndarray" or "symbol" */
HY_API const char *hy_version(void);
typedef struct hy_memory { size_t bytes, peak, cached; int64_t calls; } hy_memory;
HY_API hy_memory   hy_memory_use(hy_frame *F);  /* bytes held, at most, in the cache */
HY_API void        hy_trim(hy_frame *F);  /* give cached blocks back to the allocator */
HY_API int         hy_threads(hy_frame *F);                       /* how many threads may work */
HY_API int         hy_isa(hy_frame *F);                           /* HY_ISA_... in use */

/* --- arrays: making --- */
HY_API hy_array *hy_from(hy_frame *F, hy_shape shape, hy_dtype dtype, const void *data);  /* a packed copy */
/* the caller's memory */
HY_API hy_array *hy_borrow(hy_frame *F, hy_shape shape, hy_dtype dtype, void *data);
HY_API hy_array *hy_floats(hy_frame *F, hy_shape shape, const float *data);  /* hy_from for f32 */
HY_API hy_array *hy_empty(hy_frame *F, hy_shape shape, hy_dtype dtype);                       /* not filled */
HY_API hy_array *hy_scalar(hy_frame *F, double value);  /* f32, shape () */
HY_API hy_array *hy_zeros(hy_frame *F, hy_shape shape);  /* f32, like the next */
HY_API hy_array *hy_ones(hy_frame *F, hy_shape shape);
HY_API hy_array *hy_full(hy_frame *F, hy_shape shape, double value);
HY_API hy_array *hy_arange(hy_frame *F, double start, double stop, double step);
HY_API hy_array *hy_linspace(hy_frame *F, double start, double stop, int64_t num);
HY_API hy_array *hy_eye(hy_frame *F, int64_t rows, int64_t columns, int64_t k);
HY_API hy_array *hy_uniform(hy_frame *F, hy_shape shape, double low, double high);
HY_API hy_array *hy_normal(hy_frame *F, hy_shape shape, double loc, double scale);
HY_API hy_array *hy_randint(hy_frame *F, hy_shape shape, int64_t low, int64_t high);          /* i32 */
HY_API hy_array *hy_copy(hy_frame *F, hy_array *x);  /* hy_identity */

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
HY_API void        hy_add_to(hy_frame *F, hy_array *x, hy_array *y);  /* x += y, in place, and so on */
HY_API void        hy_sub_from(hy_frame *F, hy_array *x, hy_array *y);
HY_API void        hy_mul_by(hy_frame *F, hy_array *x, hy_array *y);
HY_API void        hy_div_by(hy_frame *F, hy_array *x, hy_array *y);
/* bytes written */
HY_API size_t      hy_to(hy_frame *F, hy_array *x, hy_dtype dtype, void *buffer, size_t bytes);
HY_API double      hy_value_of(hy_frame *F, hy_array *x, hy_shape index);
HY_API void        hy_set_value_of(hy_frame *F, hy_array *x, hy_shape index, double value);
#define hy_value(F, x, ...) hy_value_of(F, x, HY_SHAPE(__VA_ARGS__))  /* x[i, j]; negative from the end */
#define hy_set_value(F, x, value, ...) hy_set_value_of(F, x, HY_SHAPE(__VA_ARGS__), value)

/* --- arrays: strided views of the same memory --- */
HY_API hy_array *hy_view_slice(hy_frame *F, hy_array *x, int axis, int64_t begin, int64_t end, int64_t step);
HY_API hy_array *hy_view_index(hy_frame *F, hy_array *x, int axis, int64_t index);  /* drops the axis */
HY_API hy_array *hy_view_transpose(hy_frame *F, hy_array *x, hy_ints axes);
HY_API hy_array *hy_view_reshape(hy_frame *F, hy_array *x, hy_shape shape);  /* packed x only */

/* --- arrays: text --- */
HY_API void   hy_print(hy_frame *F, hy_array *x);  /* to stdout, or the log hook without stdio */
/* length needed, without the end */
HY_API size_t hy_text(hy_frame *F, hy_array *x, char *buffer, size_t bytes);

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
HY_API const hy_op *hy_op_find(hy_frame *F, const char *name);  /* own name, MXNet's, or an alias; or NULL */
HY_API const hy_op *hy_op_at(hy_frame *F, int i);                 /* i-th operator, NULL at the end */
HY_API hy_array    *hy_emit(hy_frame *F, const hy_op *op, int n, hy_array *const *in, const void *record);
HY_API void         hy_defaults(const hy_op *op, void *record);  /* zero options become their defaults */
/* "(3, 3)" */
HY_API size_t       hy_attr_text(const hy_attr *attr, const void *record, char *buffer, size_t bytes);
HY_API hy_array    *hy_apply(hy_frame *F, const char *name, int n, hy_array *const *in,
                             const char *attributes);             /* "kernel=(3,3) num_filter=8" */
HY_API void         hy_infer_type(hy_infer *I, hy_dtype *a, hy_dtype b);  /* for your own infer: */
HY_API void         hy_infer_same(hy_infer *I, hy_shape *a, hy_shape *b);  /* unify, both ways */
HY_API void         hy_infer_shape(hy_infer *I, hy_shape *a, hy_shape b);
HY_API void         hy_infer_dim(hy_infer *I, int64_t *a, int64_t b);
HY_API int          hy_infer_fail(hy_infer *I, hy_error_t code, const char *format, ...);
HY_API void         hy_fault(hy_job *job);                       /* for your own run: bad data met */
HY_API int          hy_infer_pointwise(hy_infer *I);              /* all inputs and outputs alike */

/* --- gradients --- */
#ifndef HYBRID_NO_TRAIN
HY_API void      hy_attach_grad(hy_frame *F, hy_array *x, hy_grad_req req);
HY_API hy_array *hy_grad_of(hy_frame *F, hy_array *x);            /* the attached gradient */
HY_API void      hy_record(hy_frame *F);  /* operators are recorded from here, in training mode */
HY_API void      hy_pause(hy_frame *F);                           /* ... to here */
HY_API int       hy_is_recording(hy_frame *F);
HY_API int       hy_is_training(hy_frame *F);
HY_API void      hy_set_training(hy_frame *F, int training);      /* apart from recording */
typedef struct hy_backward_opt { hy_array *head_grads; int retain; } hy_backward_opt;
typedef struct hy_grad_opt { hy_array *head_grads; int retain; int create_graph; } hy_grad_opt;
HY_API void      hy_backward(hy_frame *F, hy_array *heads, const hy_backward_opt *opt);
HY_API hy_array *hy_grad(hy_frame *F, hy_array *heads, hy_array *variables, const hy_grad_opt *opt);
typedef hy_array *(*hy_function)(hy_frame *F, hy_array *x, void *user);
HY_API double    hy_check_grad(hy_frame *F, hy_function fn, void *user, hy_array *inputs, double step);
#endif

/* --- symbols and graphs --- */
HY_API hy_frame   *hy_symbolic(hy_frame *F);                      /* a frame whose operators become nodes */
typedef struct hy_var_opt { hy_shape shape; int shaped; hy_dtype dtype; int aux; } hy_var_opt;
HY_API hy_array   *hy_var(hy_frame *S, const char *name, const hy_var_opt *opt);
HY_API hy_array   *hy_named(hy_frame *S, hy_array *x, const char *name);      /* renames the node of x: x */
HY_API const char *hy_name_of(hy_frame *F, hy_array *x);          /* of a symbol or a parameter, else NULL */
/* All values that x depends on, as a group; one of a group by its output name ("fc1_output"). */
HY_API hy_array   *hy_internals(hy_frame *S, hy_array *x);
HY_API hy_array   *hy_output_named(hy_frame *S, hy_array *group, const char *name);
/* The graph of the heads; it lives until hy_graph_free or the root's close. */
HY_API hy_graph   *hy_compile(hy_frame *S, hy_array *heads);
/* Runs it; inputs in the order in which the variables were made. */
HY_API hy_array   *hy_graph_run(hy_frame *F, hy_graph *graph, hy_array *inputs);
/* Its nodes once more in S, variables replaced by name. */
HY_API hy_array   *hy_compose(hy_frame *S, hy_graph *graph, int n, const char *const *names,
                              hy_array *const *values);
HY_API int         hy_graph_count(hy_graph *graph);               /* nodes, inputs before users */
HY_API int         hy_graph_node(hy_graph *graph, int i, hy_node *node);      /* 0, or -1: no such node */
HY_API int         hy_graph_input(hy_graph *graph, int i, int k, int *output); /* node of input k of node i */
HY_API int         hy_graph_heads(hy_graph *graph);
HY_API int         hy_graph_head(hy_graph *graph, int i, int *output);        /* node of head i */
typedef enum hy_names {
    HY_NAMES_VARIABLES,                 /* in the order of hy_graph_run */
    HY_NAMES_ARGUMENTS,                 /* variables and parameters that are no running statistics */
    HY_NAMES_AUX,                       /* running statistics */
    HY_NAMES_INPUTS,                    /* both, as the graph meets them */
    HY_NAMES_OUTPUTS,                   /* "fc1_output" */
    HY_NAMES_INTERNALS                  /* of every value */
} hy_names;
HY_API const char *hy_graph_name(hy_graph *graph, hy_names which, int i);     /* NULL past the end */
/* Types of HY_NAMES_INPUTS and HY_NAMES_OUTPUTS from those known (dtype 0, ndim -1, dim -1: unknown), in
 * every direction. 1: all is known, 0: not all, -1: contradiction or error. */
HY_API int         hy_graph_infer(hy_frame *F, hy_graph *graph, hy_type *inputs, hy_type *outputs);
/* The program as text, one node per line, or as one expression: print((1 + 2) + (3 + 4)). */
typedef enum hy_form { HY_FORM_LINES, HY_FORM_INLINE } hy_form;
HY_API size_t      hy_graph_text(hy_graph *graph, hy_form form, char *buffer, size_t bytes);
/* The graph after the passes (off: a sum of HY_PASS_...) for such inputs; free it with hy_graph_free. */
typedef struct hy_optimize_opt { int off, training, exact, print; } hy_optimize_opt;
HY_API hy_graph   *hy_optimize(hy_frame *F, hy_graph *graph, hy_array *inputs, const hy_optimize_opt *opt);
HY_API void        hy_graph_free(hy_frame *F, hy_graph *graph);

/* --- blocks: yours --- */
HY_API hy_block   *hy_block_new(hy_frame *F, size_t bytes, const char *kind, hy_forward_fn forward, int hybrid);
/* A struct of yours whose first member is `hy_block base`; NULL when memory is out. A plain block is never
 * compiled, only the hybrid blocks in it. */
#define HY_BLOCK_NEW(F, type, forward)       ((type *)(void *)hy_block_new(F, sizeof(type), #type, forward, 1))
#define HY_PLAIN_BLOCK_NEW(F, type, forward) ((type *)(void *)hy_block_new(F, sizeof(type), #type, forward, 0))
HY_API void        hy_block_free(hy_frame *F, hy_block *block);   /* with its children; hy_close does it too */
/* Registers child under a name (NULL: its number) and gives child back; replaces one of that name. */
HY_API hy_block   *hy_add_child(hy_frame *F, hy_block *block, const char *name, hy_block *child);
/* A parameter, usable as an array in forward. Dims of -1 are found at the first call. */
typedef struct hy_param_opt {
    hy_dtype dtype;                     /* f32 */
    hy_init  init;                      /* what hy_initialize gives, else uniform(0.07) */
    int      no_grad;                   /* no gradient is wanted */
    int      aux;                       /* a running statistic */
    double   lr_mult, wd_mult;          /* 1 */
} hy_param_opt;
HY_API hy_array   *hy_add_param(hy_frame *F, hy_block *block, const char *name, hy_shape shape,
                                const hy_param_opt *opt);
HY_API hy_array   *hy_add_constant(hy_frame *F, hy_block *block, const char *name, hy_array *value);
/* Names: blocks made between these are called after `block`: net0_dense0_weight. Else dense0_weight. */
HY_API void        hy_name_scope(hy_frame *F, hy_block *block);
HY_API void        hy_name_scope_end(hy_frame *F);
HY_API hy_block   *hy_set_prefix(hy_frame *F, hy_block *block, const char *prefix);   /* before it is used */
HY_API hy_block   *hy_set_alias(hy_frame *F, hy_block *block, const char *alias);     /* "dense", likewise */
HY_API const char *hy_block_prefix(hy_frame *F, hy_block *block);                     /* "net0_" */
HY_API const char *hy_block_name(hy_frame *F, hy_block *block);                       /* "net0" */
HY_API int         hy_length(hy_frame *F, hy_block *block);                           /* children */
HY_API hy_block   *hy_child(hy_frame *F, hy_block *block, int i);                     /* negative: from the end */
HY_API const char *hy_child_name(hy_frame *F, hy_block *block, int i);

/* --- blocks: using them --- */
/* Runs forward, or its compiled graph, or traces it. */
#define hy_call(F, block, x) hy_call_at(F, block, x, __FILE__, __LINE__)
HY_API hy_array   *hy_call_at(hy_frame *F, hy_block *block, hy_array *x, const char *file, int line);
HY_API void        hy_initialize(hy_frame *F, hy_block *block, const hy_init *init);  /* NULL: uniform(0.07) */
HY_API void        hy_reinitialize(hy_frame *F, hy_block *block, const hy_init *init);
typedef struct hy_hybridize_opt {
    int inactive;                       /* back to line by line */
    int static_alloc, static_shape;     /* one plan is kept, only the latest shapes */
    int inline_limit;                   /* accepted, without effect */
    int threads;                        /* at most so many for this block */
    int exact;                          /* only rewrites that keep every bit */
    int off;                            /* a sum of HY_PASS_... to leave out */
    int print;                          /* the program before and after every pass */
    int cache;                          /* at most so many compiled programs; 16 */
} hy_hybridize_opt;
HY_API void        hy_hybridize(hy_frame *F, hy_block *block, const hy_hybridize_opt *opt);
typedef struct hy_cache_stats {
    int64_t hits, misses, traces;       /* calls that found a program, that made one; runs of forward */
    int     programs;                   /* held now */
    size_t  bytes;                      /* of their memory */
    int     constants;                  /* arrays that the trace captured */
    char    reason[256];                /* why the latest one was made */
    char    bound[256];                 /* what ties the trace to its shapes; "" when nothing does */
} hy_cache_stats;
HY_API hy_cache_stats hy_cache_info(hy_frame *F, hy_block *block);
HY_API hy_graph   *hy_graph_of(hy_frame *F, hy_block *block);     /* the traced graph; it is the block's */
/* Memory that a call needs, known before it runs. */
typedef struct hy_plan_info {
    size_t total;                       /* of the next five and the executor's own record */
    size_t record, packed, activations, outputs, shared, scratch;     /* scratch: of all threads */
    size_t parameters;                  /* apart */
    size_t unplanned;                   /* the activations, were each to have its own memory */
    int    values, jobs, regions, dynamic;      /* dynamic: values decide shapes; not planned from there */
} hy_plan_info;
HY_API hy_plan_info hy_plan(hy_frame *F, hy_block *block, hy_array *inputs);
HY_API hy_plan_info hy_graph_plan(hy_frame *F, hy_graph *graph, hy_array *inputs);
/* Calls of this frame with such inputs take all memory from the buffer. 0, or nonzero. */
HY_API int         hy_bind(hy_frame *F, hy_block *block, hy_array *inputs, void *buffer, size_t bytes);
/* Traces anew and compares the graphs, then unfused with imperative, then optimised with unfused. Prints
 * what differs; 0 when nothing does. */
HY_API int         hy_check(hy_frame *F, hy_block *block, hy_array *inputs);
HY_API void        hy_summary(hy_frame *F, hy_block *block, hy_array *x);     /* layers, shapes, parameters */
HY_API size_t      hy_summary_text(hy_frame *F, hy_block *block, hy_array *x, char *buffer, size_t bytes);
HY_API size_t      hy_block_text(hy_frame *F, hy_block *block, char *buffer, size_t bytes);   /* layers, nested */
HY_API void        hy_cast_block(hy_frame *F, hy_block *block, hy_dtype dtype);
typedef void (*hy_visit_fn)(hy_frame *F, hy_block *block, void *user);
HY_API void        hy_visit(hy_frame *F, hy_block *block, hy_visit_fn fn, void *user);  /* children first */
HY_API int         hy_add_hook(hy_frame *F, hy_block *block, hy_hook when, hy_hook_fn fn, void *user);
HY_API void        hy_remove_hook(hy_frame *F, hy_block *block, int hook);

/* --- parameters --- */
/* Those whose full name begins with a match of the regular expression (NULL: all), in order. The list
 * lives as arrays do. */
typedef struct hy_params { int n; hy_array *const *at; } hy_params;
HY_API hy_params   hy_collect_params(hy_frame *F, hy_block *block, const char *pattern);
HY_API hy_array   *hy_param(hy_frame *F, hy_block *block, const char *path);          /* "features.0.weight" */
HY_API const char *hy_param_path(hy_frame *F, hy_block *block, hy_array *param);
HY_API hy_shape    hy_param_shape(hy_frame *F, hy_array *param);  /* -1 where not known yet */
HY_API int         hy_param_ready(hy_frame *F, hy_array *param);  /* has it values? */
HY_API void        hy_set_param(hy_frame *F, hy_array *param, hy_array *value);       /* also before values */
HY_API void        hy_set_init(hy_frame *F, hy_array *param, const hy_init *init);
HY_API void        hy_set_grad_req(hy_frame *F, hy_block *block, const char *pattern, hy_grad_req req);
HY_API void        hy_zero_grad(hy_frame *F, hy_block *block);
HY_API double      hy_lr_mult(hy_frame *F, hy_array *param);
HY_API double      hy_wd_mult(hy_frame *F, hy_array *param);
HY_API void        hy_set_mult(hy_frame *F, hy_array *param, double lr_mult, double wd_mult);
HY_API void        hy_share_params(hy_frame *F, hy_block *block, hy_block *from);     /* same paths, same arrays */

/* --- initialisers --- */
typedef struct hy_xavier_opt { int gaussian; int factor; double magnitude; } hy_xavier_opt;   /* 3 */
enum { HY_FACTOR_AVG, HY_FACTOR_IN, HY_FACTOR_OUT };
HY_API hy_init hy_init_zeros(void);
HY_API hy_init hy_init_ones(void);
HY_API hy_init hy_init_constant(double value);
HY_API hy_init hy_init_uniform(double scale);                     /* 0: 0.07 */
HY_API hy_init hy_init_normal(double sigma);                      /* 0: 0.01 */
HY_API hy_init hy_init_orthogonal(double scale, int gaussian);    /* 0: 1.414 */
HY_API hy_init hy_init_xavier(const hy_xavier_opt *opt);
HY_API hy_init hy_init_msra_prelu(int factor, double slope);      /* slope 0.25 is MXNet's default */
HY_API hy_init hy_init_bilinear(void);
HY_API hy_init hy_init_lstm_bias(double forget_bias);
HY_API hy_init hy_init_fused_rnn(const hy_init *inner, int mode, int hidden, int layers, int bidirectional,
                                 double forget_bias);
typedef struct hy_init_entry { const char *name; hy_array *value; hy_init init; } hy_init_entry;
HY_API hy_init hy_init_load(const hy_init_entry *entries, int n, const hy_init *otherwise);   /* by name */
HY_API hy_init hy_init_mixed(const hy_init_entry *entries, int n);     /* the first pattern that matches */

/* --- a stop-watch --- */
typedef struct hy_watch { double start; } hy_watch;
HY_API double   hy_seconds(void);                                 /* monotonic clock */
HY_API hy_watch hy_watch_start(void);
/* prints "<description>: %.4f sec" */
HY_API double   hy_watch_stop(hy_watch watch, const char *description);

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
HY_API hy_block *hy_append_of(hy_frame *F, hy_block *net, int n, hy_block *const *block);
static inline hy_block *hy__append_list(hy_frame *F, hy_block *net, std::initializer_list<hy_block *> list)
{
    return hy_append_of(F, net, (int)list.size(), list.begin());
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
 * Where bytes come from and who still needs them. Every block comes from hy__alloc, is aligned to 64 bytes
 * and knows its size; a heap counts what it holds. Buffers are shared by counting references.
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

/* First fit over a list by address; neighbours join again when freed. Sizes are multiples of a block
 * header. */
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
    if (before && (char *)before + before->bytes == (char *)b) {
        before->bytes += b->bytes;
        before->next = b->next;
    }
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
        if (!wide.key || !wide.value) {
            hy__free(heap, (void *)wide.key);
            hy__free(heap, wide.value);
            return -1;
        }
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
    int      watched;                   /* compiled programs may depend on its values */
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
    if (bytes > SIZE_MAX / 4) return NULL;
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
    b->pins = b->borrowed = b->watched = 0;
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
static void hy__buffer_free(hy__heap *heap, hy__buffer *b)
{
    if (b && HY__ADD(&b->refs, -1) == 0) hy__free(heap, b);
}

/* MARK: - 12 >>frame ------------------------------------------------------------------------------------
 *
 * A frame owns the arrays made through it, holds the first error, and sends every operator through one
 * pointer, emit: it runs the operator, makes a node of it, or records it. A root is what the frames of
 * hy_fork share. Handles live in slabs until the root closes, so that a dead one is recognised.
 */
typedef struct hy__node hy__node;       /* of a graph */
typedef struct hy__tape hy__tape;       /* a recorded call */
typedef struct hy__pool hy__pool;       /* threads, see >>threads */
typedef struct hy__kernels hy__kernels;
typedef struct hy__param hy__param;     /* a parameter of a block */

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
    hy__buffer  *room;                  /* what the record itself lies in */
    int          spent;                 /* backward has run and let go of the values */
    hy_frame    *frame;                 /* who recorded it, or attached the leaf */
    int          training;              /* the mode it ran in */
    hy_graph    *sub;                   /* of a compiled call: the graph that ran */
};

typedef struct hy__edge { hy__node *node; int output; } hy__edge;       /* which output of which node */

/* A traced call, or (op NULL) a variable: a parameter's, one that stands for an array (held), or an input. */
struct hy__node {
    const char  *name;                  /* has room for ten more digits, or is ... */
    char        *given;                 /* ... this, from hy_named */
    const hy_op *op;
    void        *record;
    int          nin, nout, number;     /* place in its store */
    hy__edge    *in;
    hy_type     *type;                  /* of each output */
    hy_tensor    constant;  /* of a variable: its declared type, or the array it stands for, with ... */
    hy__buffer  *held;                  /* ... its buffer */
    hy__param   *param;
    hy_graph    *sub;                   /* counted: what a fused or compiled operator runs */
    int          aux;                   /* a variable that is a running statistic */
    int          rank;                  /* of a random operator: which one it is, in order of the program */
    int          counted;               /* its name ends in a number that settling may change */
    int          scope;                 /* which entry of which block made it: numbers restart in each */
    int          mark;                  /* for walks */
    int          early;                 /* only parameters and constants decide its value: computed once */
};

enum { HY__ASKED_SHAPE = 1, HY__ASKED_DTYPE = 2, HY__ASKED_TRAINING = 4 };
enum { HY__DEAD = 0x64656164, HY__LIVE = 0x6c697665, HY__RECORD_MAX = 1024 };

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
    hy__param  *param;                  /* whose handle it is, or NULL */
    hy_array  **item;                   /* of a group; the next free slot of a dead handle */
};

/* A parameter is a handle that lies in no frame's lists. Its buffer is NULL until it has values. */
struct hy__param {
    hy_array    array;                  /* what forward uses */
    const char *name, *local;           /* "net0_dense0_weight", "weight" */
    hy_block   *block;
    hy_init     init;                   /* fn NULL: as hy_initialize says */
    hy_init     wanted;                 /* what hy_initialize said while the shape was not known */
    int         deferred;               /* ... and that it did */
    hy_shape    declared;               /* with the -1 it was made with */
    hy_grad_req req;
    int         aux;
    int         keep_wide;              /* a cast to float16 leaves it alone */
    double      lr_mult, wd_mult;
    hy__param  *same;                   /* shares the array of this one, which is kept in step: */
    hy__param  *sharer, *next_sharer;   /* list of those that share this one's */
    hy__buffer *set;                    /* a value given before the shape was known, of type ... */
    hy_type     set_type;
    hy__param  *next_fresh;             /* given values in this call */
    const char *path;                   /* "features.0.weight": seeds its values */
    uint64_t    seen;                   /* stamp of the latest walk that met it */
};

/* Where a call of a block stands: for messages and names. */
typedef struct hy__scope {
    struct hy__scope *outer;
    hy_block   *block;
    const char *prefix, *label;         /* "net0_", the child's name */
    const char *file;
    int         line;
    int         id;                     /* of this entry, in a trace */
} hy__scope;

enum { HY__SLAB = 64 };
typedef struct hy__slab { struct hy__slab *next; hy_array array[HY__SLAB]; } hy__slab;

typedef struct hy__list { hy_array **at; int n, cap; } hy__list;

typedef struct hy_root {
    hy__heap   heap;
    hy__lock   lock;                    /* guards slabs, graphs and spare */
    hy__slab  *slabs;
    hy_graph  *graphs;                  /* compiled ones, freed with the root */
    hy_array  *spare;                   /* free handles of closed frames */
    const hy_op **ops;                  /* by number: built in, then registered */
    int        nops, ops_cap;
    hy__names  names;                   /* own, MXNet's and aliases -> number */
    const hy__kernels *kernels;
    hy__pool  *pool;
    hy_desc    desc;
    int        threads, isa;
    int        frames;                  /* open ones */
    uint64_t   epoch;                   /* grows with every write to an array that a program may hold */
    hy_frame  *house;                   /* owns parameters; made with the first block */
    hy_block  *blocks;                  /* roots of all that were made */
    uint64_t   changes;                 /* of the structure of any block */
    struct hy__prepared *prepared;      /* results that only parameters decide */
    void     (*free_blocks)(struct hy_root *root);
    uint64_t   next_id;                 /* of recorded calls */
} hy_root;

struct hy_frame {
    hy_root    *root;
    hy__emit_fn emit, emit_below;       /* emit_record wraps the one below */
    hy__cache   cache;
    hy__list    live, kept;
    int        *mark, marks, marks_cap; /* where each begin stands in live */
    int         lost;                   /* begins that got no mark, memory being out */
    uint64_t    forks;                  /* frames forked off, for their random numbers */
    hy_array   *free_first, *free_last; /* dead handles, oldest first */
    hy_error_t  code;
    char        text[512];
    int         recording, training;
    int         hidden;                 /* hidden outputs are wanted */
    uint64_t    seed, stream;           /* the next random operator's key */
    void       *scratch;                /* for imperative runs */
    size_t      scratch_bytes;
    struct hy__holder *executors;       /* this frame's, latest used first */
    hy_graph   *graph;                  /* what a symbolic frame builds */
    hy__scope  *scope;                  /* calls of blocks that are under way */
    hy__param  *fresh;                  /* parameters that got values in this outermost call */
    hy_frame   *traced_for;             /* of a symbolic frame: whose call it traces */
    int         asked;                  /* of such a frame: what forward asked for, HY__ASKED_... */
    char        bound[256];             /* hy_cache_stats.bound: who asked for a shape or a type */
    hy__names   aliases;                /* numbers given to blocks without a scope */
    int         floor;                  /* marks that forward must leave alone */
    struct hy__summary *summary;        /* collects what blocks return */
    int         scopes, ranks;          /* entries and random operators so far */
    hy__node  **param_node;             /* of the parameters met so far */
    int         param_nodes, param_cap;
    hy_block   *naming[16];             /* hy_name_scope */
    int         namings;
};

/* " [in net0.features.conv, called at main.c:12]" */
static void hy__put_scope(hy__line *line, const hy__scope *scope)
{
    const hy__scope *chain[32];
    int n = 0, i;
    if (!scope) return;
    for (; scope && n < 32; scope = scope->outer) chain[n++] = scope;
    hy__puts(line, " [in ");
    for (i = n - 1; i >= 0; i--) {
        hy__puts(line, chain[i]->label);
        if (i) hy__puts(line, ".");
    }
    if (chain[0]->file) {
        hy__puts(line, ", called at ");
        hy__puts(line, chain[0]->file);
        hy__puts(line, ":");
        hy__put_int(line, chain[0]->line);
    }
    hy__puts(line, "]");
}

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
    hy__put_scope(&line, F->scope);
    F->code = code;
    if (F->root->desc.log_fn) F->root->desc.log_fn(F->root->desc.log_user, HY_LOG_ERROR, (int)code, F->text);
}

/* Said to the log; nothing fails. */
static void hy__warn(hy_frame *F, const char *format, ...)
{
    char text[512];
    hy__line line;
    va_list args;
    if (!F->root->desc.log_fn) return;
    line.text = text;
    line.cap = sizeof text;
    line.n = 0;
    text[0] = 0;
    va_start(args, format);
    hy__format(&line, format, args);
    va_end(args);
    F->root->desc.log_fn(F->root->desc.log_user, HY_LOG_WARNING, 0, text);
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
    x->param = NULL;
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
        hy__buffer_drop(&F->cache, t->room);
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
    else hy__fail(F, HY_ERROR_STATE, "%s: the array is used after its hy_end: hy_keep or hy_return it before",
                  who);
    return 0;
}

static void hy__fail_param(hy_frame *F, const hy__param *p, const char *who)
{
    if (p->deferred)
        hy__fail(F, HY_ERROR_STATE, "%s: the initialization of parameter '%s' was deferred: its shape %z is "
                 "found by the first call of its block", who, p->name, &p->array.t.type.shape);
    else hy__fail(F, HY_ERROR_STATE, "%s: Parameter '%s' has not been initialized: call hy_initialize first",
                  who, p->name);
}

/* An array with values, in this frame or its root, as opposed to a group or a traced value. */
static int hy__concrete(hy_frame *F, const hy_array *x, const char *who, const char *instead)
{
    if (!hy__alive(F, x, who)) return 0;
    if (x->count) hy__fail(F, HY_ERROR_ARGUMENT,
                           "%s: a group of %d arrays, where one array is due: use hy_get", who, x->count);
    else if (x->node) hy__fail(F, HY_ERROR_TRACE,
                               "%s is not implemented for Symbol and only available in NDArray: "
                               "the value is being traced; use %s", who, instead);
    else if (x->frame->root != F->root)
        hy__fail(F, HY_ERROR_ARGUMENT, "%s: the array belongs to another hy_open", who);
    else if (x->param && !x->buffer) hy__fail_param(F, x->param, who);
    else return 1;
    return 0;
}

HY_API void hy_begin(hy_frame *F)
{
    if (!F) return;
    if (F->lost || hy__grow(&F->root->heap, (void **)&F->mark, &F->marks_cap, F->marks + 1,
                            sizeof *F->mark)) {
        F->lost++;
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
    if (F->lost) { F->lost--; return; }
    if (F->marks <= F->floor) { hy__fail(F, HY_ERROR_STATE, "hy_end: there is no open hy_begin"); return; }
    hy__unwind(F, F->mark[--F->marks]);
}

HY_API hy_array *hy_return(hy_frame *F, hy_array *x)
{
    int i;
    if (!hy__alive(F, x, "hy_return")) return NULL;
    if (x->frame != F) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_return: the array belongs to another frame");
        return NULL;
    }
    for (i = 0; i < x->count; i++) if (x->item[i] && x->item[i]->frame == F) hy_return(F, x->item[i]);
    if (!x->kept && F->marks && x->slot >= F->mark[F->marks - 1]) x->kept = -1;
    return x;
}

/* Takes x out of its scope. */
static void hy__detach(hy_frame *F, hy_array *x)
{
    int i, slot = x->slot;
    memmove(F->live.at + slot, F->live.at + slot + 1, (size_t)(F->live.n - slot - 1) * sizeof *F->live.at);
    for (F->live.n--, i = slot; i < F->live.n; i++) F->live.at[i]->slot = i;
    for (i = F->marks; i > 0 && F->mark[i - 1] > slot; i--) F->mark[i - 1]--;
}

HY_API hy_array *hy_keep(hy_frame *F, hy_array *x)
{
    int i, slot;
    if (!hy__alive(F, x, "hy_keep")) return NULL;
    if (x->kept > 0) return x;
    if (x->frame != F) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_keep: the array belongs to another frame");
        return NULL;
    }
    for (i = 0; i < x->count; i++)
        if (x->item[i] && x->item[i]->frame == F && !hy_keep(F, x->item[i])) return NULL;
    slot = x->slot;
    if (hy__list_add(F, &F->kept, x)) return (hy_array *)hy__no_memory(F, "hy_keep");
    i = x->slot;
    x->slot = slot;
    hy__detach(F, x);
    x->slot = i;
    x->kept = 1;
    return x;
}

HY_API void hy_free(hy_frame *F, hy_array *x)
{
    int i;
    if (!F || !x) return;
    if (x->state != HY__LIVE) { hy__alive(F, x, "hy_free"); return; }
    if (x->frame != F) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_free: the array belongs to another frame");
        return;
    }
    for (i = 0; i < x->count; i++)
        if (x->item[i] && x->item[i]->state == HY__LIVE && x->item[i]->frame == F) hy_free(F, x->item[i]);
    if (x->kept > 0) hy__list_remove(&F->kept, x);
    else hy__detach(F, x);
    hy__handle_drop(F, x);
}

/* --- groups --- */
/* A group with room for n arrays, which the caller fills in. */
static hy_array *hy__group_make(hy_frame *F, int n)
{
    hy_array *group = hy__handle(F);
    if (!group) return NULL;
    group->buffer = hy__buffer_new(&F->cache, (size_t)n * sizeof *group->item);
    if (!group->buffer) return (hy_array *)hy__no_memory(F, "hy_group");
    group->item = (hy_array **)group->buffer->data;
    group->count = n;
    return group;
}

HY_API hy_array *hy_group_of(hy_frame *F, int n, hy_array *const *x)
{
    hy_array *group;
    int i;
    if (!F || F->code) return NULL;
    if (n < 1) { hy__fail(F, HY_ERROR_ARGUMENT, "hy_group: at least one array is due"); return NULL; }
    for (i = 0; i < n; i++) {
        if (!x[i]) continue;            /* None: an input that a block may do without */
        if (!hy__alive(F, x[i], "hy_group")) return NULL;
        if (x[i]->frame->root == F->root) continue;
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_group: the array belongs to another hy_open");
        return NULL;
    }
    group = hy__group_make(F, n);
    if (group) memcpy(group->item, x, (size_t)n * sizeof *x);
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
HY_API void hy_defaults(const hy_op *op, void *record)
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
static int hy__arg_count(const hy_op *op, const hy_arg *args, int output, int index, const void *record,
                         int *hidden)
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
    int i, arg;
    for (i = 0; i < n; i++) {
        if (!in[i]) {
            for (arg = 0; arg < i && op->in[arg + 1].name; arg++) continue;
            hy__fail(F, HY_ERROR_ARGUMENT, "%s: input %s is NULL", op->name, op->in[arg].name);
            return NULL;
        }
        if (!hy__alive(F, in[i], op->name)) return NULL;
        if (in[i]->count) {
            hy__fail(F, HY_ERROR_ARGUMENT,
                     "%s: input %d is a group of %d arrays, where one array is due: use hy_get",
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
    hy__buffer *room = NULL;
    int i, j, n = 0, total = 0, hidden;
    if (!F || F->code) return NULL;
    for (i = 0; op->in[i].name; i++) total += arg[i] && arg[i]->state == HY__LIVE &&
        arg[i]->count ? arg[i]->count : 1;
    if (total > FEW) {
        room = hy__buffer_new(&F->cache, (size_t)total * sizeof *in);
        if (!room) return (hy_array *)hy__no_memory(F, op->name);
        in = (hy_array **)room->data;
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
    hy__buffer_drop(&F->cache, room);
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
#define HY__RECORD_OP(name, ...)  typedef struct hy__##name##_rec { HY_P_##name(HY__FIELD_P, \
        name) char hy__end; } hy__##name##_rec;
#define HY__RECORD_OPT(name, ...) \
    typedef struct hy__##name##_rec { HY_P_##name(HY__FIELD_P, name) HY_A_##name(HY__FIELD_A, \
            name) char hy__end; } hy__##name##_rec;
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
    HY_API hy_array *hy_##name(hy_frame *F HY_I_##name(HY__PARAM_I) HY_P_##name(HY__PARAM_P, \
            name)) HY__WRAP(name)
#define HY__WRAP_OPT(name, ...) \
    HY_API hy_array *hy_##name(hy_frame *F HY_I_##name(HY__PARAM_I) HY_P_##name(HY__PARAM_P, name), \
                               const hy_##name##_opt *opt) HY__WRAP(name)
#define HY__OPTIONS(name)
HY_OPS(HY__WRAP_OP, HY__SKIP)
#undef HY__OPTIONS
#define HY__OPTIONS(name) \
        if (opt) { HY_A_##name(HY__SET_A, name) } \
        hy_defaults(F->root->ops[HY_OP_##name], &r);
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

/* gate: generation * 2048 + closed * 1024 + workers inside. A worker enters only while the gate is open,
 * so one that wakes late never touches a region that has ended. */
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

static int64_t hy__pool_wait(hy__pool *pool, int64_t seen)  /* the next generation's gate, or -1 to stop */
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
    { 0, 0, 0 }, { 4, 1, 1.1920929e-7 }, { 8, 1, 2.220446049250313e-16 }, { 2, 1, 9.765625e-4 },
        { 2, 1, 7.8125e-3 },
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

/* The f32 from which a second rounding, to a half, gives what one rounding of v would: cut toward zero,
 * its last bit set when something was cut off. */
HY__INLINE float hy__f64_to_odd_f32(double v)
{
    float x = (float)v;
    uint32_t bits = hy__bits_f32(x);
    double back = (double)x;
    if (back == v || v != v) return x;
    if (fabs(back) > fabs(v)) bits--;
    return hy__f32_of_bits(bits | 1);
}

/* Float to integer: toward zero, saturating, NaN to 0. */
HY__INLINE int64_t hy__to_i64(double v)
{
    return v != v ? 0 : v >= 9223372036854775807.0 ? INT64_MAX : v <= -9223372036854775808.0 ? INT64_MIN
        : (int64_t)v;
}
HY__INLINE int64_t hy__clamp_i64(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

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
    case HY_F16:  *(uint16_t *)at = hy__f32_to_f16(hy__f64_to_odd_f32(v)); break;
    case HY_BF16: *(uint16_t *)at = hy__f32_to_bf16(hy__f64_to_odd_f32(v)); break;
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
    int d, empty = 0;
    for (d = 0; d < type->shape.ndim; d++) {
        int64_t size = type->shape.dim[d];
        if (size == 0) { empty = 1; continue; }
        if (size < 0 || n > ((int64_t)1 << 50) / size) return -1;
        n *= size;
    }
    return empty ? 0 : n;
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

/* NumPy's rule for two dims: equal, or one of them 1. Unknown stays unknown unless the other decides. -2:
 * clash */
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
        int64_t n = w->dim[d] ? w->dim[d] : 1;
        at[d] = i % n;
        i /= n;
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
    { const type *from = (const type *)src; for (i = 0; i < n; i++) { type v = from[i * stride]; \
        dst[i] = expr; } break; }
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
#define HY__NARROW(v) hy__f64_to_odd_f32((double)(v))
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
#define HY__STORE_TILE(name, type, NARROW, I8, U8, I32, I64) \
    static void hy__store_##name(void *dst, hy_dtype dtype, int64_t stride, const type *src, int64_t n) \
    { \
        typedef type T; \
        int64_t i; \
        switch (dtype) { \
        case HY_F32:  HY__EACH(float,    (float)v) \
        case HY_F64:  HY__EACH(double,   (double)v) \
        case HY_F16:  HY__EACH(uint16_t, hy__f32_to_f16(NARROW(v))) \
        case HY_BF16: HY__EACH(uint16_t, hy__f32_to_bf16(NARROW(v))) \
        case HY_I8:   HY__EACH(int8_t,   I8(v)) \
        case HY_U8:   HY__EACH(uint8_t,  U8(v)) \
        case HY_I32:  HY__EACH(int32_t,  I32(v)) \
        case HY_I64:  HY__EACH(int64_t,  I64(v)) \
        case HY_BOOL: HY__EACH(uint8_t,  v != 0) \
        default: break; \
        } \
    }
HY__STORE_TILE(f32, float,   HY__AS_F32, HY__AS_I8, HY__AS_U8, HY__AS_I32, HY__AS_I64)
HY__STORE_TILE(f64, double,  HY__NARROW, HY__AS_I8, HY__AS_U8, HY__AS_I32, HY__AS_I64)
HY__STORE_TILE(i32, int32_t, HY__NARROW, HY__WRAP_I8, HY__WRAP_U8, HY__WRAP_I32, HY__WRAP_I64)
HY__STORE_TILE(i64, int64_t, HY__NARROW, HY__WRAP_I8, HY__WRAP_U8, HY__WRAP_I32, HY__WRAP_I64)
#undef HY__EACH

#define HY__TILE 256                    /* elements: 2 KB of doubles */

static void hy__load_tile(hy_dtype compute, void *dst, const void *src, hy_dtype dtype, int64_t stride,
                          int64_t n)
{
    if (compute == dtype && stride == 1) { memcpy(dst, src, (size_t)n * hy_dtype_size(dtype)); return; }
    switch (compute) {
    case HY_F64: hy__load_f64((double *)dst, src, dtype, stride, n); break;
    case HY_I32: hy__load_i32((int32_t *)dst, src, dtype, stride, n); break;
    case HY_I64: hy__load_i64tile((int64_t *)dst, src, dtype, stride, n); break;
    default:     hy__load_f32((float *)dst, src, dtype, stride, n);
    }
}
static void hy__store_tile(hy_dtype compute, void *dst, hy_dtype dtype, int64_t stride, const void *src,
                           int64_t n)
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

static void hy__copy_run(void *dst, hy_dtype to, int64_t to_stride, const void *src, hy_dtype from,
                         int64_t stride,
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
                     (const char *)src->data + offset[1] * tall_src, src->type.dtype, w.stride[1][w.ndim - 1],
                         row);
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
        hy__fail(F, HY_ERROR_SHAPE, "%s: %d dims; from 0 to %d are possible", who, type->shape.ndim,
                 (int)HY_MAX_DIM);
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

HY_API hy_array *hy_floats(hy_frame *F, hy_shape shape, const float *data)
{
    return hy_from(F, shape, HY_F32, data);
}

HY_API hy_array *hy_borrow(hy_frame *F, hy_shape shape, hy_dtype dtype, void *data)
{
    hy_array *x;
    hy_type type;
    if (!F || F->code) return NULL;
    type.dtype = dtype;
    type.shape = shape;
    if (!hy__check_type(F, &type, "hy_borrow")) return NULL;
    if (!data || (uintptr_t)data % hy_dtype_size(dtype)) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_borrow: the memory is %s", data ? "not aligned for its type"
                 : "NULL");
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
HY_API hy_array *hy_full(hy_frame *F, hy_shape shape, double value)
{
    return hy__full(F, shape, value, NULL);
}
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

/* A trace whose forward looks at a shape or a type holds for these only. */
static void hy__bind_trace(hy_frame *S, const hy_array *x, const char *who, int shape)
{
    hy__line line;
    S->asked |= shape ? HY__ASKED_SHAPE : HY__ASKED_DTYPE;
    if (S->bound[0]) return;
    line.text = S->bound;
    line.cap = sizeof S->bound;
    line.n = 0;
    hy__puts(&line, who);
    hy__puts(&line, " of ");
    hy__puts(&line, x->node->name);
    hy__put_scope(&line, S->scope);
}

/* Known shapes and types may be asked for while tracing too. */
static int hy__typed(hy_frame *F, const hy_array *x, const char *who, const char *what)
{
    if (!hy__alive(F, x, who)) return 0;
    if (x->count) hy__fail(F, HY_ERROR_ARGUMENT, "%s: a group of %d arrays: use hy_get", who, x->count);
    else if (x->param && !hy__shape_known(&x->t.type.shape) && !strcmp(what, "shape"))
        hy__fail_param(F, x->param, who);
    else if (!hy__shape_known(&x->t.type.shape) && !strcmp(what, "shape"))
        hy__fail(F, HY_ERROR_TRACE,
                 "%s: 'Symbol' object has no attribute 'shape': %s was made without one; give "
                 "hy_var a shape, or use reshape codes, shape_array, reshape_like", who, x->node->name);
    else if (!x->t.type.dtype && !strcmp(what, "dtype"))
        hy__fail(F, HY_ERROR_TRACE,
                 "%s: 'Symbol' object has no attribute 'dtype': %s was made without one; give "
                 "hy_var a dtype", who, x->node->name);
    else {
        if (F->traced_for && x->node) hy__bind_trace(F, x, who, !strcmp(what, "shape"));
        return 1;
    }
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
    return hy__concrete(F, x, "hy_context_of", "nothing: hybrid.h computes on the CPU only") ? "cpu(0)"
        : NULL;
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

/* Compiled programs learn of a write by the version, and where to look by the epoch. */
static void hy__written(hy_root *root, hy__buffer *b)
{
    b->version++;
    if (b->watched) HY__ADD(&root->epoch, 1);
}

/* May x be overwritten? */
static int hy__writable(hy_frame *F, hy_array *x, const char *who)
{
    if (!hy__concrete(F, x, who, "where, slice_axis and concat to build the changed array")) return 0;
    if (HY__LOAD(&x->buffer->pins)) {
        hy__fail(F, HY_ERROR_STATE,
                 "%s: a recorded backward still needs the value of this array: run hy_backward "
                 "first, or write to a hy_copy", who);
        return 0;
    }
    if (x->tape && !x->tape->spent && (x->tape->op || F->recording)) {
        hy__fail(F, HY_ERROR_STATE,
                 "%s: the array is part of a recorded computation, which a change would escape: "
                 "write a = a + b instead of a += b", who);
        return 0;
    }
    hy__written(F->root, x->buffer);
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
        hy__fail(F, HY_ERROR_ARGUMENT,
                 "hy_write: a strided view is not packed: use hy_assign or hy_set_value");
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
        hy__fail(F, HY_ERROR_TRACE,
                 "hy_set_value: 'Symbol' object does not support item assignment: use where");
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
    if (!hy__concrete(F, value, "hy_assign", "the value itself: write a = a + b") ||
        !hy__writable(F, x, "hy_assign"))
        return;
    if (!hy__fits(&x->t.type.shape, &value->t.type.shape)) {
        hy__fail(F, HY_ERROR_SHAPE, "hy_assign: a value of shape %z does not fit shape %z",
                 &value->t.type.shape,
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
        hy__fail(F, HY_ERROR_GRADIENT, "%s: a view would hide this array from the gradient: use %s", who,
                 instead);
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
        hy__fail(F, HY_ERROR_INDEX, "hy_view_slice: axis %d, step %l of shape %z", axis, step,
                 &v->t.type.shape);
        return NULL;
    }
    n = v->t.type.shape.dim[at];
    step = hy__clamp_i64(step, -n - 1, n + 1);
    begin = begin == HY_NONE ? (step > 0 ? 0 : n - 1) : hy__clamp_i64(begin < 0 ? begin + n : begin,
                                                                      step > 0 ? 0 : -1, step > 0 ? n : n -
                                                                              1);
    end = end == HY_NONE ? (step > 0 ? n : -1) : hy__clamp_i64(end < 0 ? end + n : end, step > 0 ? 0 : -1,
                                                               step > 0 ? n : n - 1);
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
        hy__fail(F, HY_ERROR_INDEX, "hy_view_index: index %l on axis %d of shape %z", index, axis,
                 &v->t.type.shape);
        return NULL;
    }
    v->t.data = (char *)v->t.data + (index < 0 ? index + n : index) * v->t.stride[at] *
        hy__traits[v->t.type.dtype].size;
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
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_view_transpose: the axes are no order of the axes of %z",
                 &v->t.type.shape);
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

static int64_t hy__shown_at(const hy__shown *s)
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
    return s->get_f(s->array, hy__shown_at(s));
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
    do style->left = hy__max_int(style->left, hy__text_i64(text, s->get_i(s->array, hy__shown_at(s))));
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
        n = hy__text_i64(text, s->get_i(s->array, hy__shown_at(s)));
        left = style->left - n;
    } else {
        int yes = s->get_i(s->array, hy__shown_at(s)) != 0;
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
    for (i = 0; i < x->count; i++)
        if (x->item[i]) hy__describe(F, x->item[i], sink);
        else sink.put(sink.user, "None\n", 5);
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
        look = x->t.type.dtype == HY_BOOL ? HY__LOOK_BOOL : hy__floating(x->t.type.dtype) ? HY__LOOK_FLOAT
            : HY__LOOK_INT;
        kind = x->t.type.dtype == HY_F64 ? 0 : x->t.type.dtype == HY_F16 ? 2 : x->t.type.dtype == HY_BF16 ? 3
            : 1;
        hy__text_array(sink, y->t.type.shape.ndim, y->t.type.shape.dim, look, kind, hy__text_real_at,
                       hy__text_int_at,
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

/* --- the stop-watch --- */
HY_API hy_watch hy_watch_start(void)
{
    hy_watch watch;
    watch.start = hy_seconds();
    return watch;
}

HY_API double hy_watch_stop(hy_watch watch, const char *description)
{
    double seconds = hy_seconds() - watch.start;
#ifndef HYBRID_NO_STDIO
    printf("%s: %.4f sec\n", description ? description : "Done", seconds);
#else
    (void)description;
#endif
    return seconds;
}

/* MARK: - 16 >>kernels ----------------------------------------------------------------------------------
 *
 * Pure loops on raw pointers: no allocation, no locks, nothing that can trap. Hot f32 loops are plain
 * scalar bodies that the compiler vectorises, stamped once per instruction set; since every operation in
 * them is a single IEEE rounding, all instruction sets, tails included, give the same bits. Reductions
 * have fixed trees.
 */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#if HY__SIMD && defined(__OPTIMIZE__)
#pragma GCC optimize("O3", "no-fast-math", "fp-contract=off", "no-trapping-math", "no-math-errno")
#endif
#define HY__IVDEP _Pragma("GCC ivdep")
#elif defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"        /* loops that call libm stay scalar */
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

/* 64 bits of element i. Step i of a shuffle draws its place from them. */
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
typedef void (*hy__pointwise_fn)(const void *const *in, const int *step, void *out, int64_t n,
                                 const double *p);

#define HY__PASTE_(a, b, c) a##b##_##c
#define HY__PASTE(a, b, c)  HY__PASTE_(a, b, c)
#define HY__LOOP1(formula) \
    { const HY__T *in0 = (const HY__T *)in[0]; HY__T *y = (HY__T *)out; int64_t i; (void)step; (void)p; \
      HY__IVDEP \
      for (i = 0; i < n; i++) { HY__T x = in0[i]; y[i] = (HY__T)(formula); } }
#define HY__LOOP2(formula) \
    { const HY__T *in0 = (const HY__T *)in[0], *in1 = (const HY__T *)in[1]; HY__T *y = (HY__T *)out; \
        int64_t i; (void)p; \
      if (step[0] && step[1]) { HY__IVDEP \
          for (i = 0; i < n; i++) { HY__T a = in0[i], b = in1[i]; y[i] = (HY__T)(formula); } } \
      else if (step[0]) { HY__T b = in1[0]; HY__IVDEP \
          for (i = 0; i < n; i++) { HY__T a = in0[i]; y[i] = (HY__T)(formula); } } \
      else { HY__T a = in0[0]; HY__IVDEP \
          for (i = 0; i < n; i++) { HY__T b = in1[i]; y[i] = (HY__T)(formula); } } }
#define HY__POINTWISE_ARGS (const void *const *in, const int *step, void *out, int64_t n, const double *p)
#define HY__LOOP2_PLAIN(formula) \
    { const HY__T *in0 = (const HY__T *)in[0], *in1 = (const HY__T *)in[1]; HY__T *y = (HY__T *)out; \
        int64_t i; (void)p; \
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

/* Functions of one array with parameters p[0], p[1], p[2]. */
#define HY__EXTRAS(X) \
    X(leaky,        V_SEL(x > 0, x, V_K(p[0]) * x), "slope p0 below 0") \
    X(elu,          V_SEL(x > 0, x, V_K(p[0]) * V_EXPM1(x)), "p0 (exp(x) - 1) below 0") \
    X(selu,         V_SEL(x > 0, V_K(1.0507009873554805) * x, V_K(1.7580993408473766) * V_EXPM1(x)), \
      "scaled elu") \
    X(gelu,         V_K(0.5) * x * (1 + V_ERF(x * V_K(0.7071067811865476))), \
      "x times the normal distribution") \
    X(clip,         V_SEL(x < V_K(p[0]), V_K(p[0]), V_SEL(x > V_K(p[1]), V_K(p[1]), x)), "within [p0, p1]") \
    X(smooth_l1,    V_SEL(V_ABS(x) < V_K(p[1]), V_K(0.5) * x * x * V_K(p[0]), \
                          V_ABS(x) - V_K(0.5) * V_K(p[1])), \
                    "p0 = sigma^2, p1 = 1 / sigma^2") \
    X(hard_sigmoid, V_MAX(V_K(0), V_MIN(V_K(1), V_K(p[0]) * x + V_K(p[1]))), "p0 x + p1 within [0, 1]")
#define HY__EXTRA_NUMBER(name, formula, doc) HY__EXTRA_##name,
enum { HY__EXTRAS(HY__EXTRA_NUMBER) HY__EXTRA_COUNT };

#define HY__STAMP_POINTWISE \
    HY_UNARY_OPS(HY__DEFINE_UNARY) HY_BINARY_OPS(HY__DEFINE_BINARY) \
    HY__EXTRAS(HY__DEFINE_EXTRA)
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
    hy__pointwise_fn unary[HY__UNARY_COUNT], binary[HY__BINARY_COUNT], extra[HY__EXTRA_COUNT];
} hy__pointwise_table;
#define HY__STAMP_TABLE \
    static const hy__pointwise_table HY__PASTE(hy__, table, HY__NAME) = { \
        { HY_UNARY_OPS(HY__ROW_UNARY) }, { HY_BINARY_OPS(HY__ROW_BINARY) }, { HY__EXTRAS(HY__ROW_EXTRA) } };

/* What the formulas' words mean: floats. */
#define V_K(k)       ((HY__T)(k))
#define V_SEL(c, a, b) ((c) ? (HY__T)(a) : (HY__T)(b))
#define V_BOOL(c)    ((HY__T)((c) ? 1 : 0))
#define V_MAX(a, b)  V_SEL((((a) > (b)) | ((a) != (a))), a, b)
#define V_MIN(a, b)  V_SEL((((a) < (b)) | ((a) != (a))), a, b)
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
#define HY__INT_MATH(T, U) \
    HY__INLINE T hy__div_##T(T a, T b) { return b == 0 ? 0 : b == -1 ? (T)(0 - (U)a) : (T)(a / b); } \
    HY__INLINE T hy__mod_##T(T a, T b) \
    { \
        T m = b == 0 || b == -1 ? 0 : (T)(a % b); \
        return m != 0 && (m < 0) != (b < 0) ? (T)(m + b) : m; \
    } \
    static T hy__pow_##T(T a, T b) \
    { \
        U y = 1, f = (U)a; \
        if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0; \
        for (; b; b >>= 1, f *= f) if (b & 1) y *= f; \
        return (T)y; \
    } \
    HY__INLINE T hy__hypot_##T(T a, T b) { return (T)hy__to_i64(hypot((double)a, (double)b)); }
HY__INT_MATH(int32_t, uint32_t)
HY__INT_MATH(int64_t, uint64_t)
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
#define HY__CHUNK ((int64_t)HYBRID_CHUNK)
enum { HY__OPERANDS = 4 };
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
        direct[k] = pw->dtype[k] == pw->compute && (stride[k] == 1 || n == 1 ||
                                                    (k && stride[k] == 0 && pw->loose));
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
            hy__store_tile(pw->compute, at[0] + i * stride[0] * hy__traits[pw->dtype[0]].size, pw->dtype[0],
                           stride[0],
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
#define HY__LANES   8
#define HY__COLUMNS HY__TILE
#define HY__PART    (1 << 16)           /* values of a long reduction that one item joins */

#define HY__FOLD(kind, joined) \
    case kind: \
        for (i = 0; i + HY__LANES <= n; i += HY__LANES) \
            for (k = 0; k < HY__LANES; k++) { double x = v[i + k], y = acc[k]; acc[k] = joined; } \
        for (k = 0; i < n; i++, k++) { double x = v[i], y = acc[k]; acc[k] = joined; } \
        break;
#define HY__FOLDS(FOLD) \
    FOLD(HY__MEAN,    y + x) \
    FOLD(HY__PROD,    y * x) \
    FOLD(HY__NANSUM,  y + (x != x ? 0 : x)) \
    FOLD(HY__NANPROD, y * (x != x ? 1 : x)) \
    FOLD(HY__MAX,     ((x > y) | (x != x)) ? x : y) \
    FOLD(HY__MIN,     ((x < y) | (x != x)) ? x : y) \
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
    return kind == HY__PROD || kind == HY__NANPROD ? 1 : kind == HY__MAX ? -HUGE_VAL : kind == HY__MIN
        ? HUGE_VAL : 0;
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
                                 r->columns ? r->kept.stride[0][out_last] : r->gone.stride[0][last],
                                     r->columns ? k : m);
                hy__fold_integers(fold, isum + j, r->columns, (const int64_t *)(void *)tile,
                                  r->columns ? k : m);
            } else {
                hy__load_f64(tile, from, r->from, r->columns ? r->kept.stride[0][out_last]
                             : r->gone.stride[0][last],
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

/* --- selection: whole elements move, so every type keeps its bits; mask is 0 or 1 --- */
#define HY__SELECT(bits) \
    case bits / 8: { \
        typedef uint##bits##_t T; \
        const T *p = (const T *)a, *q = (const T *)b; \
        T *to = (T *)y; \
        HY__IVDEP \
        for (i = 0; i < n; i++) to[i] = (T)(q[i] ^ ((p[i] ^ q[i]) & (T)(0 - (T)mask[i]))); \
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
    for (half = HY__DEAL / 2; half; half /= 2) \
        for (i = 0; i < half; i++) { a = v[i]; b = v[i + half]; v[i] = joined; } \
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
    target static void hy__softmax_##name(const void *from, void *to, int64_t n, int64_t width, \
                                          int64_t step, double scale, int log_too) \
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
typedef void (*hy__softmax_fn)(const void *x, void *y, int64_t n, int64_t width, int64_t step, double scale,
                               int log_too);

/* --- masks of dropout: element i is `kept` or 0 --- */
HY__INLINE void hy__keep_mask(float *mask, uint64_t first, int64_t n, uint64_t seed, uint64_t stream,
                              float share, float kept)
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
typedef void (*hy__mask_fn)(float *mask, uint64_t first, int64_t n, uint64_t seed, uint64_t stream,
                            float share, float kept);

#define HY__STAMP_ACT(name, target) \
    HY__DEFINE_SOFTMAX(f32_##name, target, float, hy__exp_f32, hy__log_f32) \
    target static void hy__mask_##name(float *mask, uint64_t first, int64_t n, uint64_t seed, \
                                       uint64_t stream, float share, float kept) \
    { hy__keep_mask(mask, first, n, seed, stream, share, kept); }
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

/* --- normalisation --- *
 *     moments: s1 += sum of g, s2 += sum of g (x - center), g being x - center if not given: over `runs` of n
 *              elements, `stride` apart. With `deal` all is one set, dealt out to HY__DEAL lanes; without,
 *              element i of each run is of set i. Sums are short, HY__SPAN rows of lanes, and end in doubles
 *     scale:   y = (x - center) factor gain + shift; the first two (`stats`) and the last two (`params`) are
 *              vectors of n or single numbers
 *     blend:   y = (g - p[0] + (x - p[1]) p[2]) p[3], likewise */
enum { HY__SPAN = 64 };

typedef struct hy__norms_table {
    void (*moments)(const void *x, const void *g, int64_t runs, int64_t stride, int64_t n, int deal,
                    const double *center, double *s1, double *s2);
    void (*scale)(const void *x, void *y, int64_t n, const void *center, const void *factor, int stats,
                  const void *gain, const void *shift, int params);
    void (*blend)(const void *g, const void *x, void *y, int64_t n, const void *const *p, int stats);
} hy__norms_table;

#define HY__NORMS_SWEEP(body) \
    for (r = 0; r < runs; r++) \
        for (j = 0; j < n; j += lanes) { \
            int64_t w = n - j < lanes ? n - j : lanes; \
            const T *p = x + r * stride + j, *q = (with ? g : x) + r * stride + j; \
            (void)q; \
            HY__IVDEP \
            for (i = 0; i < w; i++) { T d = p[i] - c[i]; body; } \
        }
#define HY__SCALE(m, f, k, b) { HY__IVDEP for (i = 0; i < n; i++) y[i] = (x[i] - m) * f * k + b; }
#define HY__BLEND(at) \
    { HY__IVDEP for (i = 0; i < n; i++) y[i] = (g[i] - p0[at] + (x[i] - p1[at]) * p2[at]) * p3[at]; }
#define HY__DEFINE_NORMS(name, target, type) \
    target static void hy__moments_##name(const void *from, const void *with, int64_t runs, int64_t stride, \
                                          int64_t n, int deal, const double *center, double *s1, double *s2) \
    { \
        typedef type T; \
        T a[HY__TILE], b[HY__TILE], c[HY__TILE]; \
        const T *x = (const T *)from, *g = (const T *)with; \
        int64_t lanes = deal ? (int64_t)HY__DEAL : n, half, r, i, j; \
        for (i = 0; i < lanes; i++) { a[i] = b[i] = 0; c[i] = (T)center[deal ? 0 : i]; } \
        if (with) HY__NORMS_SWEEP(a[i] += q[i]; b[i] += q[i] * d) \
        else HY__NORMS_SWEEP(a[i] += d; b[i] += d * d) \
        for (half = HY__DEAL / 2; deal && half; half /= 2) \
            for (i = 0; i < half; i++) { a[i] += a[i + half]; b[i] += b[i + half]; } \
        for (i = 0; i < (deal ? 1 : n); i++) { s1[i] += a[i]; s2[i] += b[i]; } \
    } \
    target static void hy__scale_##name(const void *from, void *to, int64_t n, const void *center, \
                                        const void *factor, int stats, const void *gain, const void *shift, \
                                        int params) \
    { \
        typedef type T; \
        const T *x = (const T *)from, *m = (const T *)center, *f = (const T *)factor; \
        const T *k = (const T *)gain, *b = (const T *)shift; \
        T *y = (T *)to, m0 = m[0], f0 = f[0], k0 = k[0], b0 = b[0]; \
        int64_t i; \
        if (stats && params) HY__SCALE(m[i], f[i], k[i], b[i]) \
        else if (stats) HY__SCALE(m[i], f[i], k0, b0) \
        else if (params) HY__SCALE(m0, f0, k[i], b[i]) \
        else HY__SCALE(m0, f0, k0, b0) \
    } \
    target static void hy__blend_##name(const void *grad, const void *from, void *to, int64_t n, \
                                        const void *const *part, int stats) \
    { \
        typedef type T; \
        const T *g = (const T *)grad, *x = (const T *)from; \
        const T *p0 = (const T *)part[0], *p1 = (const T *)part[1]; \
        const T *p2 = (const T *)part[2], *p3 = (const T *)part[3]; \
        T *y = (T *)to; \
        int64_t i; \
        if (stats) HY__BLEND(i) \
        else HY__BLEND(0) \
    } \
    static const hy__norms_table hy__norms_##name = \
        { hy__moments_##name, hy__scale_##name, hy__blend_##name };

HY__DEFINE_NORMS(f64, , double)
HY__DEFINE_NORMS(base, , float)
#if HY__X86
HY__DEFINE_NORMS(avx2, HY__TARGET_AVX2, float)
HY__DEFINE_NORMS(avx512, HY__TARGET_AVX512, float)
#endif

static const hy__norms_table *hy__norms_for(hy_dtype compute, int isa)
{
    if (compute == HY_F64) return &hy__norms_f64;
#if HY__X86
    if (isa == HY_ISA_AVX512) return &hy__norms_avx512;
    if (isa == HY_ISA_AVX2) return &hy__norms_avx2;
#endif
    (void)isa;
    return &hy__norms_base;
}

/* --- moving: to[...] = from[...] over a box, each dim with a stride on either side --- *
 * Transposing, slicing, reversing, broadcasting, repeating, joining and cutting are all this one copy.
 * Strides may be negative or, when reading, 0. The two dims that matter for speed form a plane; the others go
 * over planes. An item is a block of one plane or several whole planes. */
#ifdef __GNUC__
#define HY__ANY_ALIAS __attribute__((may_alias))
#else
#define HY__ANY_ALIAS
#endif
typedef uint8_t  HY__ANY_ALIAS hy__any8;
typedef uint16_t HY__ANY_ALIAS hy__any16;
typedef uint32_t HY__ANY_ALIAS hy__any32;
typedef uint64_t HY__ANY_ALIAS hy__any64;

enum { HY__MOVE_DIMS = 2 * HY_MAX_DIM, HY__MOVE_EDGE = 128, HY__MOVE_STRIP = 16, HY__MOVE_NARROW = 8 };
typedef struct hy__move {
    int     ndim, size;                 /* bytes of an element */
    int64_t n[HY__MOVE_DIMS], to[HY__MOVE_DIMS], from[HY__MOVE_DIMS];   /* strides in elements; inner last */
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

HY__INLINE int64_t hy__least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Chooses the plane and the items. Where reading jumps along the last dim, the rows are the dim that reads
 * closest: the plane is turned, and its blocks are near to square. */
static void hy__move_close(hy__move *m)
{
    int d, row, last, turned, narrow;
    int64_t planes = 1;
    m->items = 0;
    for (d = 0; d < m->ndim; d++) if (!m->n[d]) return;
    while (m->ndim < 2) {
        for (d = m->ndim++; d > 0; d--) hy__move_swap(m, d, d - 1);
        m->n[0] = 1;
        m->to[0] = m->from[0] = 0;
    }
    last = m->ndim - 1;
    row = last - 1;
    for (d = 0; d < last; d++)
        if (m->from[d] && (!m->from[row] || llabs(m->from[d]) < llabs(m->from[row]))) row = d;
    turned = m->from[row] && llabs(m->from[row]) < llabs(m->from[last]);
    narrow = m->n[last] < HY__MOVE_NARROW && m->n[last - 1] > m->n[last];
    if (turned) hy__move_swap(m, row, last - 1);
    else if (narrow && (m->to[last] != 1 || m->from[last] != 1)) hy__move_swap(m, last - 1, last);
    for (d = 0; d < last - 1; d++) planes *= m->n[d];
    m->cols = HY__CHUNK / (turned ? hy__least(m->n[last - 1], HY__MOVE_EDGE) : 1);
    m->cols = hy__least(m->cols, m->n[last]);
    m->rows = hy__least(HY__CHUNK / m->cols, m->n[last - 1]);
    m->planes = hy__least(HY__CHUNK / (m->rows * m->cols), planes);
    m->row_blocks = (m->n[last - 1] + m->rows - 1) / m->rows;
    m->col_blocks = (m->n[last] + m->cols - 1) / m->cols;
    m->items = (planes + m->planes - 1) / m->planes * m->row_blocks * m->col_blocks;
}

/* Rows without gaps. Short ones are two pieces of a fixed size, the second ending where the row ends. */
#define HY__COPY_ROWS(piece) \
    for (; rows > 0; rows--, to += to_row, from += from_row) { \
        memcpy(to, from, piece); \
        memcpy(to + bytes - piece, from + bytes - piece, piece); \
    }
static void hy__copy_rows(char *to, const char *from, int64_t rows, int64_t bytes, int64_t to_row,
                          int64_t from_row)
{
    if (bytes > 64) for (; rows > 0; rows--, to += to_row, from += from_row) memcpy(to, from, (size_t)bytes);
    else if (bytes >= 32) HY__COPY_ROWS(32)
    else if (bytes >= 16) HY__COPY_ROWS(16)
    else if (bytes >= 8) HY__COPY_ROWS(8)
    else if (bytes >= 4) HY__COPY_ROWS(4)
    else if (bytes >= 2) HY__COPY_ROWS(2)
    else HY__COPY_ROWS(1)
}

/* One block of a plane, for one size of element. A turned one is read along its columns and written along its
 * rows: strip after strip of columns, in squares that stay in registers. */
#define HY__DEFINE_PLANE(T) \
    static void hy__turn_##T(T *to, const T *from, int64_t rows, int64_t cols, int64_t to_row, \
                             int64_t from_col) \
    { \
        int64_t r, c, i, strip, square; \
        for (; cols > 0; cols -= strip, to += strip, from += strip * from_col) { \
            strip = hy__least(cols, HY__MOVE_STRIP); \
            square = rows < 4 ? 0 : strip & ~3; \
            for (r = 0; r + 4 <= rows; r += 4) \
                for (c = 0; c < square; c += 4) { \
                    T in[4][4], out[4]; \
                    for (i = 0; i < 4; i++) memcpy(in[i], from + (c + i) * from_col + r, sizeof in[i]); \
                    for (i = 0; i < 4; i++) { \
                        out[0] = in[0][i]; out[1] = in[1][i]; out[2] = in[2][i]; out[3] = in[3][i]; \
                        memcpy(to + (r + i) * to_row + c, out, sizeof out); \
                    } \
                } \
            for (; r < rows; r++) for (c = 0; c < square; c++) to[r * to_row + c] = from[c * from_col + r]; \
            for (c = square; c < strip; c++) \
                for (r = 0; r < rows; r++) to[r * to_row + c] = from[c * from_col + r]; \
        } \
    } \
    static void hy__plane_##T(T *to, const T *from, int64_t rows, int64_t cols, int64_t to_row, \
                              int64_t to_col, int64_t from_row, int64_t from_col) \
    { \
        int64_t r, c; \
        if (to_col == 1 && from_col == 1) \
            hy__copy_rows((char *)to, (const char *)from, rows, cols * (int64_t)sizeof(T), \
                          to_row * (int64_t)sizeof(T), from_row * (int64_t)sizeof(T)); \
        else if (to_col == 1 && from_row == 1 && rows > 1) \
            hy__turn_##T(to, from, rows, cols, to_row, from_col); \
        else for (r = 0; r < rows; r++, to += to_row, from += from_row) { \
            if (to_col == 1 && from_col == 0) { T v = *from; for (c = 0; c < cols; c++) to[c] = v; } \
            else if (to_col == 1 && from_col == -1) for (c = 0; c < cols; c++) to[c] = from[-c]; \
            else for (c = 0; c < cols; c++) to[c * to_col] = from[c * from_col]; \
        } \
    }
HY__DEFINE_PLANE(hy__any8)
HY__DEFINE_PLANE(hy__any16)
HY__DEFINE_PLANE(hy__any32)
HY__DEFINE_PLANE(hy__any64)
#define HY__PLANE(T) hy__plane_##T((T *)(void *)to, (const T *)(const void *)from, rows, cols, \
                                   m->to[a], m->to[b], m->from[a], m->from[b])

static void hy__move_plane(const hy__move *m, char *to, const char *from, int64_t rows, int64_t cols)
{
    int b = m->ndim - 1, a = b - 1;
    switch (m->size) {
    case 1:  HY__PLANE(hy__any8); break;
    case 2:  HY__PLANE(hy__any16); break;
    case 4:  HY__PLANE(hy__any32); break;
    default: HY__PLANE(hy__any64);
    }
}

static void hy__move_item(const hy__move *m, char *to, const char *from, int64_t item)
{
    int a = m->ndim - 2, b = m->ndim - 1, d;
    int64_t col = item % m->col_blocks * m->cols, row = item / m->col_blocks % m->row_blocks * m->rows;
    int64_t plane = item / m->col_blocks / m->row_blocks * m->planes, rest = plane, planes = 1;
    int64_t rows = hy__least(m->rows, m->n[a] - row), cols = hy__least(m->cols, m->n[b] - col);
    int64_t x = m->to_start + row * m->to[a] + col * m->to[b];
    int64_t y = m->from_start + row * m->from[a] + col * m->from[b], at[HY__MOVE_DIMS];
    for (d = a - 1; d >= 0; d--) {
        at[d] = rest % m->n[d];
        rest /= m->n[d];
        x += at[d] * m->to[d];
        y += at[d] * m->from[d];
        planes *= m->n[d];
    }
    for (planes = hy__least(m->planes, planes - plane); planes > 0; planes--) {
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
/* --- indexing: index values become positions once, then elements move --- *
 * Data is seen as (outer, n, inner), what is picked from it as (outer, m, inner). There is one position per
 * row of `inner` elements, the same for every outer, or (each) one per picked element. -1 is nowhere. */
enum { HY__INDEX_SIGNED = HY_INDEX_RAISE + 1, HY__INDEX_DROP };    /* from the end if negative; or skipped */

HY__INLINE int64_t hy__index_place(int64_t i, int64_t n, int mode)
{
    if (n <= 0) return -1;
    if (mode == HY_INDEX_CLIP) return hy__clamp_i64(i, 0, n - 1);
    if (mode == HY_INDEX_WRAP) { i %= n; return i < 0 ? i + n : i; }
    if (mode == HY__INDEX_SIGNED && i < 0) i += n;
    return i >= 0 && i < n ? i : -1;
}

/* Positions of the index tuples [first, first + count), component c of tuple t at index[c * tuples + t].
 * Returns how many are nowhere. */
static int64_t hy__resolve(const char *index, hy_dtype dtype, int64_t tuples, int64_t first, int64_t count,
                           int components, const int64_t *dim, int mode, int64_t *place)
{
    int64_t tile[HY__TILE], i, m, nowhere = 0;
    int c;
    for (; count > 0; first += m, place += m, count -= m) {
        m = hy__least(count, HY__TILE);
        for (i = 0; i < m; i++) place[i] = 0;
        for (c = 0; c < components; c++) {
            hy__load_i64tile(tile, index + (c * tuples + first) * hy__traits[dtype].size, dtype, 1, m);
            for (i = 0; i < m; i++) {
                int64_t at = hy__index_place(tile[i], dim[c], mode);
                place[i] = (at < 0 || place[i] < 0) ? -1 : place[i] * dim[c] + at;
            }
        }
        for (i = 0; i < m; i++) nowhere += place[i] < 0;
    }
    return nowhere;
}

/* Where a mask of n is not 0: the first m places, then -1. Returns how many there are. */
static int64_t hy__resolve_mask(const char *mask, hy_dtype dtype, int64_t n, int64_t m, int64_t *place)
{
    double tile[HY__TILE];
    int64_t i, j, k, found = 0;
    for (i = 0; i < n; i += k) {
        k = hy__least(n - i, HY__TILE);
        hy__load_f64(tile, mask + i * hy__traits[dtype].size, dtype, 1, k);
        for (j = 0; j < k; j++) {
            if (tile[j] == 0) continue;
            if (found < m) place[found] = i + j;
            found++;
        }
    }
    for (i = found; i < m; i++) place[i] = -1;
    return found;
}

typedef struct hy__span {
    int64_t m, columns;                 /* picked rows, and how many elements of each */
    int64_t wide, tall;                 /* elements from row to row: of what is picked, of the data */
    int64_t next;                       /* positions from row to row */
    int     each;                       /* a position per element */
    int64_t low, high;                  /* scatter: the rows that may be written; `to` is row low */
} hy__span;
typedef void (*hy__move_fn)(void *to, const void *from, const int64_t *place, const hy__span *s);

#define HY__GATHER(T) \
    static void hy__gather_##T(void *to, const void *from, const int64_t *place, const hy__span *s) \
    { \
        T *y = (T *)to; \
        const T *x = (const T *)from; \
        int64_t i, j; \
        for (j = 0; j < s->m; j++, y += s->wide, place += s->next) { \
            if (s->each) for (i = 0; i < s->columns; i++) \
                y[i] = place[i] < 0 ? 0 : x[place[i] * s->tall + i]; \
            else if (place[0] < 0) memset(y, 0, (size_t)s->columns * sizeof *y); \
            else memcpy(y, x + place[0] * s->tall, (size_t)s->columns * sizeof *y); \
        } \
    }
HY__GATHER(uint8_t)
HY__GATHER(uint16_t)
HY__GATHER(uint32_t)
HY__GATHER(uint64_t)

/* What is picked, added to the data (old) or put there, in the order of the positions. */
#define HY__SCATTER(name, T, S, joined) \
    static void hy__scatter_##name(void *to, const void *from, const int64_t *place, const hy__span *s) \
    { \
        T *y = (T *)to; \
        const S *x = (const S *)from; \
        int64_t i, j; \
        for (j = 0; j < s->m; j++, x += s->wide, place += s->next) { \
            if (s->each) for (i = 0; i < s->columns; i++) { \
                if (place[i] < s->low || place[i] >= s->high) continue; \
                T *at = &y[(place[i] - s->low) * s->tall + i], old = *at; \
                S v = x[i]; \
                (void)old; \
                *at = (T)(joined); \
            } else if (place[0] >= s->low && place[0] < s->high) { \
                T *row = y + (place[0] - s->low) * s->tall; \
                for (i = 0; i < s->columns; i++) { \
                    T old = row[i]; \
                    S v = x[i]; \
                    (void)old; \
                    row[i] = (T)(joined); \
                } \
            } \
        } \
    }
HY__SCATTER(add_f32,  float,    float,    old + v)
HY__SCATTER(add_f64,  double,   double,   old + v)
HY__SCATTER(add_f16,  float,    uint16_t, old + hy__f16_to_f32(v))      /* halves are summed in f32 */
HY__SCATTER(add_bf16, float,    uint16_t, old + hy__bf16_to_f32(v))
HY__SCATTER(add_8,    uint8_t,  uint8_t,  old + v)
HY__SCATTER(add_32,   uint32_t, uint32_t, old + v)
HY__SCATTER(add_64,   uint64_t, uint64_t, old + v)
HY__SCATTER(put_8,    uint8_t,  uint8_t,  v)
HY__SCATTER(put_16,   uint16_t, uint16_t, v)
HY__SCATTER(put_32,   uint32_t, uint32_t, v)
HY__SCATTER(put_64,   uint64_t, uint64_t, v)

static hy__move_fn hy__gather_fn(int size)
{
    return size == 1 ? hy__gather_uint8_t : size == 2 ? hy__gather_uint16_t : size == 4 ? hy__gather_uint32_t
         : hy__gather_uint64_t;
}
static hy__move_fn hy__put_fn(int size)
{
    return size == 1 ? hy__scatter_put_8 : size == 2 ? hy__scatter_put_16 : size == 4 ? hy__scatter_put_32
         : hy__scatter_put_64;
}
static hy__move_fn hy__add_fn(hy_dtype dtype)
{
    switch (dtype) {
    case HY_F32:  return hy__scatter_add_f32;
    case HY_F64:  return hy__scatter_add_f64;
    case HY_F16:  return hy__scatter_add_f16;
    case HY_BF16: return hy__scatter_add_bf16;
    case HY_I8: case HY_U8: return hy__scatter_add_8;
    case HY_I32:  return hy__scatter_add_32;
    case HY_I64:  return hy__scatter_add_64;
    default:      return NULL;
    }
}

/* --- order: every type becomes unsigned keys that ascend in the wanted order, NaN last --- */
typedef struct hy__ranked { uint64_t key; int64_t at; } hy__ranked;

static void hy__rank_keys(uint64_t *key, const char *data, hy_dtype dtype, int64_t stride, int64_t n,
                          int descending)
{
    const uint64_t top = (uint64_t)1 << 63, flip = descending ? ~(uint64_t)0 : 0;
    double real[HY__TILE];
    int64_t whole[HY__TILE], i;
    if (hy__floating(dtype)) {
        hy__load_f64(real, data, dtype, stride, n);
        for (i = 0; i < n; i++) {
            double v = real[i] + 0.0;                           /* -0 equals 0 */
            uint64_t bits;
            memcpy(&bits, &v, 8);
            bits ^= ((0 - (bits >> 63)) | top) ^ flip;
            key[i] = v != v ? ~(uint64_t)0 : bits;
        }
        return;
    }
    hy__load_i64tile(whole, data, dtype, stride, n);
    for (i = 0; i < n; i++) key[i] = (uint64_t)whole[i] ^ top ^ flip;
}

/* Sorts by key, stable; the result is in v or in room. Digit by digit from the lowest, but those in which all
 * keys agree: of an f32 that is a double, three of eight. */
static hy__ranked *hy__rank_sort(hy__ranked *v, hy__ranked *room, int64_t n)
{
    int64_t start[256], i, k;
    uint64_t differ = 0;
    int shift;
    if (n <= 32) {
        for (i = 1; i < n; i++) {
            hy__ranked x = v[i];
            for (k = i; k > 0 && v[k - 1].key > x.key; k--) v[k] = v[k - 1];
            v[k] = x;
        }
        return v;
    }
    for (i = 1; i < n; i++) differ |= v[i].key ^ v[0].key;
    for (shift = 0; shift < 64; shift += 8) {
        hy__ranked *sorted = room;
        if (!(differ >> shift & 255)) continue;
        memset(start, 0, sizeof start);
        for (i = 0; i < n; i++) start[v[i].key >> shift & 255]++;
        for (i = k = 0; k < 256; k++) { int64_t count = start[k]; start[k] = i; i += count; }
        for (i = 0; i < n; i++) sorted[start[v[i].key >> shift & 255]++] = v[i];
        room = v;
        v = sorted;
    }
    return v;
}

/* How many candidates a search for the first k of n holds. */
static int64_t hy__rank_room(int64_t n, int64_t k) { return k < n / 4 ? 2 * k + 16 : n; }

/* The first k of a line in order. room is for twice hy__rank_room; when it is full the worst are dropped. */
static const hy__ranked *hy__rank_line(const char *data, hy_dtype dtype, int64_t stride, int64_t n, int64_t k,
                                       int descending, hy__ranked *room)
{
    uint64_t key[HY__TILE], limit = 0;
    int64_t most = hy__rank_room(n, k), held = 0, i, j, m;
    hy__ranked *v = room;
    int limited = 0;
    for (i = 0; i < n; i += m) {
        m = hy__least(n - i, HY__TILE);
        hy__rank_keys(key, data + i * stride * hy__traits[dtype].size, dtype, stride, m, descending);
        for (j = 0; j < m; j++) {
            if (limited && key[j] >= limit) continue;
            if (held == most) {
                v = hy__rank_sort(v, v == room ? room + most : room, held);
                held = k;
                limited = 1;
                limit = v[k - 1].key;
                if (key[j] >= limit) continue;
            }
            v[held].key = key[j];
            v[held++].at = i + j;
        }
    }
    return hy__rank_sort(v, v == room ? room + most : room, held);
}

/* --- the place of the largest or least: the first of equals, NaN before all --- */
#define HY__NAN_REAL(x)  ((x) != (x))
#define HY__NAN_WHOLE(x) 0
#define HY__BETTER(compare, IS_NAN) \
    for (i = 0; i < n; i++) { \
        int wins = (v[i] compare best[i]) | (IS_NAN(v[i]) & !IS_NAN(best[i])); \
        best[i] = wins ? v[i] : best[i]; \
        at[i] = wins ? where : at[i]; \
    }
#define HY__BEST(name, T, N, COMPUTE, IS_NAN) \
    HY__INLINE void hy__better_##name(T *best, N *at, const T *v, int64_t n, N where, int least) \
    { \
        int64_t i; \
        if (least) { HY__BETTER(<, IS_NAN) } else { HY__BETTER(>, IS_NAN) } \
    } \
    HY__INLINE const T *hy__load_best_##name(T *tile, const char *data, hy_dtype dtype, int64_t n) \
    { \
        if (dtype == COMPUTE) return (const T *)(const void *)data; \
        hy__load_tile(COMPUTE, tile, data, dtype, 1, n); \
        return tile; \
    } \
    /* down each of up to HY__TILE columns */ \
    static void hy__best_columns_##name(const char *data, hy_dtype dtype, int64_t pitch, int64_t rows, \
                                        int64_t n, int least, int64_t *place) \
    { \
        T best[HY__TILE], tile[HY__TILE]; \
        N at[HY__TILE]; \
        int64_t i, j; \
        hy__load_tile(COMPUTE, best, data, dtype, 1, n); \
        for (i = 0; i < n; i++) at[i] = 0; \
        for (j = 1; j < rows; j++) { \
            const T *v = hy__load_best_##name(tile, data + j * pitch * hy__traits[dtype].size, dtype, n); \
            hy__better_##name(best, at, v, n, (N)j, least); \
        } \
        for (i = 0; i < n; i++) place[i] = at[i]; \
    } \
    /* along a line, as rows of 64 columns */ \
    static int64_t hy__best_line_##name(const char *data, hy_dtype dtype, int64_t n, int least) \
    { \
        enum { WIDE = 64 }; \
        T best[WIDE], tile[HY__TILE], b; \
        N at[WIDE]; \
        int64_t i, j, m, place = 0, wide = hy__least(n, WIDE); \
        hy__load_tile(COMPUTE, best, data, dtype, 1, wide); \
        for (i = 0; i < wide; i++) at[i] = 0; \
        for (i = wide; i < n; i += m) { \
            const T *v = hy__load_best_##name(tile, data + i * hy__traits[dtype].size, dtype, \
                                              m = hy__least(n - i, HY__TILE)); \
            for (j = 0; j + WIDE <= m; j += WIDE) \
                hy__better_##name(best, at, v + j, WIDE, (N)((i + j) / WIDE), least); \
            if (j < m) hy__better_##name(best, at, v + j, m - j, (N)((i + j) / WIDE), least); \
        } \
        for (b = best[0], place = at[0] * (int64_t)WIDE, i = 1; i < wide; i++) { \
            int64_t p = at[i] * (int64_t)WIDE + i; \
            T x = best[i]; \
            int wins = (least ? x < b : x > b) | (IS_NAN(x) & !IS_NAN(b)); \
            int equal = (x == b) | (IS_NAN(x) & IS_NAN(b)); \
            if (wins | (equal & (p < place))) { b = x; place = p; } \
        } \
        return place; \
    }
HY__BEST(f32, float,   int32_t, HY_F32, HY__NAN_REAL)
HY__BEST(f64, double,  int64_t, HY_F64, HY__NAN_REAL)
HY__BEST(i64, int64_t, int64_t, HY_I64, HY__NAN_WHOLE)

typedef void (*hy__best_columns_fn)(const char *data, hy_dtype dtype, int64_t pitch, int64_t rows, int64_t n,
                                    int least, int64_t *place);
typedef int64_t (*hy__best_line_fn)(const char *data, hy_dtype dtype, int64_t n, int least);

/* --- running sums: of lines (columns = 1), or of up to HY__TILE columns side by side --- */
#define HY__SCAN(name, T, LOAD, joined) \
    static void hy__scan_##name(char *to, hy_dtype to_type, const char *from, hy_dtype from_type, \
                                int64_t pitch, int64_t rows, int64_t columns) \
    { \
        T sum[HY__TILE], v[HY__TILE], x, y = 0; \
        int64_t i, j, m; \
        if (columns == 1) for (j = 0; j < rows; j += m) { \
            m = hy__least(rows - j, HY__TILE); \
            LOAD(v, from + j * pitch * hy__traits[from_type].size, from_type, pitch, m); \
            for (i = 0; i < m; i++) { x = v[i]; v[i] = y = joined; } \
            hy__store_##name(to + j * pitch * hy__traits[to_type].size, to_type, pitch, v, m); \
        } else for (j = 0; j < rows; j++) { \
            LOAD(v, from + j * pitch * hy__traits[from_type].size, from_type, 1, columns); \
            for (i = 0; i < columns; i++) { x = v[i]; y = j ? sum[i] : 0; sum[i] = joined; } \
            hy__store_##name(to + j * pitch * hy__traits[to_type].size, to_type, 1, sum, columns); \
        } \
    }
HY__SCAN(f64, double,  hy__load_f64,     y + x)
HY__SCAN(i64, int64_t, hy__load_i64tile, (int64_t)((uint64_t)y + (uint64_t)x))
typedef void (*hy__scan_fn)(char *to, hy_dtype to_type, const char *from, hy_dtype from_type, int64_t pitch,
                            int64_t rows, int64_t columns);

/* --- moments: sums of d = x - shift and of d d, where shift is the first value of each output --- *
 * Since shift is one of the n values, (mean - shift)^2 <= n var: var loses no more than about n roundings. */
static void hy__moments_part(const hy__reduce *r, const char *data, int64_t first, int64_t width, int64_t low,
                             int64_t high, double *acc)
{
    double *shift = acc, *sum = acc + r->width, *square = sum + r->width, v[HY__TILE], lanes[2][HY__LANES];
    int64_t out_at[HY_MAX_DIM], at[HY_MAX_DIM], base[HY__WALK], offset[HY__WALK], i, j, m, k, c;
    int size = hy__traits[r->from].size, last = r->gone.ndim - 1, out_last = r->kept.ndim - 1;
    int64_t step = r->columns ? r->kept.stride[0][out_last] : r->gone.stride[0][last];
    hy__walk_seek(&r->kept, first, out_at, base);
    for (j = 0; j < width; j += k) {
        k = r->columns ? r->kept.dim[out_last] - out_at[out_last] : 1;
        if (k > width - j) k = width - j;
        hy__load_f64(shift + j, data + base[0] * size, r->from, step, r->count ? k : 0);
        for (c = j; c < j + k; c++) {
            shift[c] = r->count && shift[c] - shift[c] == 0 ? shift[c] : 0;     /* not if it is infinite */
            sum[c] = square[c] = 0;
        }
        memset(lanes, 0, sizeof lanes);
        hy__walk_seek(&r->gone, low, at, offset);
        for (i = low; i < high; i += m) {
            m = r->columns ? 1 : r->gone.dim[last] - at[last];
            if (m > high - i) m = high - i;
            if (m > HY__TILE) m = HY__TILE;
            hy__load_f64(v, data + (base[0] + offset[0]) * size, r->from, step, r->columns ? k : m);
            if (r->columns) for (c = 0; c < k; c++) {
                double d = v[c] - shift[j + c];
                sum[j + c] += d;
                square[j + c] += d * d;
            } else for (c = 0; c < m; c++) {
                double d = v[c] - shift[j];
                lanes[0][c % HY__LANES] += d;
                lanes[1][c % HY__LANES] += d * d;
            }
            at[last] += m;
            offset[0] += m * r->gone.stride[0][last];
            if (at[last] == r->gone.dim[last]) hy__walk_next(&r->gone, at, offset);
        }
        if (!r->columns) for (c = 0; c < HY__LANES; c++) { sum[j] += lanes[0][c]; square[j] += lanes[1][c]; }
        out_at[out_last] += k;
        base[0] += k * r->kept.stride[0][out_last];
        if (out_at[out_last] == r->kept.dim[out_last]) hy__walk_next(&r->kept, out_at, base);
    }
}
#ifndef HYBRID_NO_RNN

/* --- cells of recurrent layers: one sample, one step --- *
 * `gates` holds wx x, `rec` wh h, each a row per gate, without their biases bx and bh. The step leaves in
 * `gates` what the gradient needs: lstm i f g o and the cell, gru r z n and its wh h + bh, else the state. */
typedef struct hy__rnn_cell {
    int     mode;
    int64_t units;
    double  low, high, nan;             /* an lstm's cell is kept within [low, high], NaN becomes `nan` */
} hy__rnn_cell;

/* h: the state, old to new; of an lstm, whose old state is already in rec, only new. */
typedef void (*hy__rnn_step_fn)(const hy__rnn_cell *c, void *gates, const void *rec, const void *bx,
                                const void *bh, void *h, void *cell);
/* dh, dcell: gradients of the new state to those of the old, as far as it is used directly. dx and dr become
 * those of wx x and wh h; they may be one. full: an lstm's state before its projection. */
typedef void (*hy__rnn_back_fn)(const hy__rnn_cell *c, const void *gates, const void *h_old,
                                const void *cell_old, void *dh, void *dcell, void *dx, void *dr, void *full);

#define HY__GATE(k) (g[(k) * n + j] + bx[(k) * n + j] + (rec[(k) * n + j] + bh[(k) * n + j]))
#define HY__RNN_STEP(name, target, T, SIGMOID, TANH) \
    target static void hy__rnn_step_##name(const hy__rnn_cell *c, void *gates, const void *recurrent, \
                                           const void *bias_x, const void *bias_h, void *state, void *cells) \
    { \
        T *g = (T *)gates, *h = (T *)state, *cell = (T *)cells; \
        T low = (T)c->low, high = (T)c->high, nan = (T)c->nan; \
        const T *rec = (const T *)recurrent, *bx = (const T *)bias_x, *bh = (const T *)bias_h; \
        int64_t n = c->units, j; \
        if (c->mode == HY_RNN_LSTM) { HY__IVDEP \
            for (j = 0; j < n; j++) { \
                T in = SIGMOID(HY__GATE(0)), forget = SIGMOID(HY__GATE(1)), new_ = TANH(HY__GATE(2)); \
                T out = SIGMOID(HY__GATE(3)), s = forget * cell[j] + in * new_; \
                s = s != s ? nan : s; \
                s = s < low ? low : s; \
                s = s > high ? high : s; \
                g[j] = in; \
                g[n + j] = forget; \
                g[2 * n + j] = new_; \
                g[3 * n + j] = out; \
                g[4 * n + j] = cell[j] = s; \
                h[j] = out * TANH(s); \
            } \
        } else if (c->mode == HY_RNN_GRU) { HY__IVDEP \
            for (j = 0; j < n; j++) { \
                T reset = SIGMOID(HY__GATE(0)), update = SIGMOID(HY__GATE(1)); \
                T inner = rec[2 * n + j] + bh[2 * n + j]; \
                T new_ = TANH(g[2 * n + j] + bx[2 * n + j] + reset * inner); \
                g[j] = reset; \
                g[n + j] = update; \
                g[2 * n + j] = new_; \
                g[3 * n + j] = inner; \
                h[j] = (1 - update) * new_ + update * h[j]; \
            } \
        } else if (c->mode == HY_RNN_TANH) { HY__IVDEP \
            for (j = 0; j < n; j++) g[j] = h[j] = TANH(HY__GATE(0)); \
        } else { HY__IVDEP \
            for (j = 0; j < n; j++) { T s = HY__GATE(0); g[j] = h[j] = s <= 0 ? 0 : s; } \
        } \
    }

#define HY__RNN_BACK(name, target, T, SIGMOID, TANH) \
    target static void hy__rnn_back_##name(const hy__rnn_cell *c, const void *gates, const void *h_old, \
                                           const void *cell_old, void *dstate, void *dcells, void *dgates_x, \
                                           void *dgates_h, void *state) \
    { \
        T *dh = (T *)dstate, *dcell = (T *)dcells, *dx = (T *)dgates_x, *dr = (T *)dgates_h; \
        T *full = (T *)state; \
        const T *g = (const T *)gates, *h = (const T *)h_old, *cell = (const T *)cell_old; \
        T low = (T)c->low, high = (T)c->high; \
        int64_t n = c->units, j; \
        if (c->mode == HY_RNN_LSTM) { HY__IVDEP \
            for (j = 0; j < n; j++) { \
                T in = g[j], forget = g[n + j], new_ = g[2 * n + j], out = g[3 * n + j]; \
                T t = TANH(g[4 * n + j]); \
                T s = forget * cell[j] + in * new_, ds = dcell[j] + dh[j] * out * (1 - t * t); \
                ds = ((s < low) | (s > high)) ? 0 : ds; \
                dx[j] = ds * new_ * in * (1 - in); \
                dx[n + j] = ds * cell[j] * forget * (1 - forget); \
                dx[2 * n + j] = ds * in * (1 - new_ * new_); \
                dx[3 * n + j] = dh[j] * t * out * (1 - out); \
                dcell[j] = ds * forget; \
                dh[j] = 0; \
                full[j] = out * t; \
            } \
        } else if (c->mode == HY_RNN_GRU) { HY__IVDEP \
            for (j = 0; j < n; j++) { \
                T reset = g[j], update = g[n + j], new_ = g[2 * n + j], inner = g[3 * n + j], d = dh[j]; \
                T dn = d * (1 - update) * (1 - new_ * new_); \
                dx[j] = dr[j] = dn * inner * reset * (1 - reset); \
                dx[n + j] = dr[n + j] = d * (h[j] - new_) * update * (1 - update); \
                dx[2 * n + j] = dn; \
                dr[2 * n + j] = dn * reset; \
                dh[j] = d * update; \
            } \
        } else if (c->mode == HY_RNN_TANH) { HY__IVDEP \
            for (j = 0; j < n; j++) { dx[j] = dh[j] * (1 - g[j] * g[j]); dh[j] = 0; } \
        } else { HY__IVDEP \
            for (j = 0; j < n; j++) { dx[j] = g[j] > 0 ? dh[j] : 0; dh[j] = 0; } \
        } \
    }

#define HY__RNN_CELL(name, target, T, SIGMOID, TANH) \
    HY__RNN_STEP(name, target, T, SIGMOID, TANH) HY__RNN_BACK(name, target, T, SIGMOID, TANH)
HY__INLINE double hy__sigmoid_f64(double x) { return 1 / (1 + exp(-x)); }
HY__RNN_CELL(f64, , double, hy__sigmoid_f64, tanh)
HY__RNN_CELL(f32_base, , float, hy__sigmoid_f32, hy__tanh_f32)
#if HY__X86
HY__RNN_CELL(f32_avx2, HY__TARGET_AVX2, float, hy__sigmoid_f32, hy__tanh_f32)
HY__RNN_CELL(f32_avx512, HY__TARGET_AVX512, float, hy__sigmoid_f32, hy__tanh_f32)
#endif
#undef HY__GATE

static hy__rnn_step_fn hy__rnn_step_of(hy_dtype dtype, int isa)
{
#if HY__X86
    if (dtype == HY_F32 && isa == HY_ISA_AVX512) return hy__rnn_step_f32_avx512;
    if (dtype == HY_F32 && isa == HY_ISA_AVX2) return hy__rnn_step_f32_avx2;
#endif
    (void)isa;
    return dtype == HY_F64 ? hy__rnn_step_f64 : hy__rnn_step_f32_base;
}
static hy__rnn_back_fn hy__rnn_back_of(hy_dtype dtype, int isa)
{
#if HY__X86
    if (dtype == HY_F32 && isa == HY_ISA_AVX512) return hy__rnn_back_f32_avx512;
    if (dtype == HY_F32 && isa == HY_ISA_AVX2) return hy__rnn_back_f32_avx2;
#endif
    (void)isa;
    return dtype == HY_F64 ? hy__rnn_back_f64 : hy__rnn_back_f32_base;
}
#endif
#ifndef HYBRID_NO_VISION
/* --- windows: fine = coarse * stride + tap * dilate - pad, in three dims, the first ones trivial if fewer
 * --- * The fine side is what a convolution or pooling reads, the coarse side what it writes. */
typedef struct hy__window {
    int64_t fine[3], coarse[3], kernel[3], stride[3], dilate[3], pad[3];
    int64_t low[3], high[3];            /* fine places that count: all, or one item's band */
} hy__window;

static int64_t hy__window_size(const int64_t *size) { return size[0] * size[1] * size[2]; }

static void hy__window_place(const int64_t *size, int64_t i, int64_t *at)
{
    at[2] = i % size[2];
    at[1] = i / size[2] % size[1];
    at[0] = i / size[2] / size[1];
}

/* A stretch of n coarse places within a row. Those in [low, high) meet fine places: the first one meets
 * `fine`, each next one lies stride[2] further. */
typedef struct hy__stretch { int64_t n, low, high, fine; } hy__stretch;

static hy__stretch hy__stretch_at(const hy__window *w, const int64_t *tap, const int64_t *at, int64_t most)
{
    int64_t p[3], step = w->stride[2];
    hy__stretch s;
    int d;
    for (d = 0; d < 3; d++) p[d] = at[d] * w->stride[d] + tap[d] * w->dilate[d] - w->pad[d];
    s.n = w->coarse[2] - at[2] < most ? w->coarse[2] - at[2] : most;
    s.low = s.high = s.fine = 0;
    if (p[0] < w->low[0] || p[0] >= w->high[0] || p[1] < w->low[1] || p[1] >= w->high[1]) return s;
    if (p[2] < w->low[2]) s.low = (w->low[2] - p[2] + step - 1) / step;
    s.high = s.n;                       /* a division only where the stretch runs over the edge */
    if (p[2] + (s.n - 1) * step >= w->high[2]) s.high = p[2] < w->high[2] ? (w->high[2] - 1 - p[2])
        / step + 1 : 0;
    if (s.low >= s.high) s.low = s.high = 0;
    s.fine = (p[0] * w->fine[1] + p[1]) * w->fine[2] + p[2] + s.low * step;
    return s;
}

static void hy__stretch_next(const hy__window *w, int64_t *at, int64_t n)
{
    at[2] += n;
    if (at[2] < w->coarse[2]) return;
    at[2] = 0;
    if (++at[1] < w->coarse[1]) return;
    at[1] = 0;
    at[0]++;
}

/* What tap number t meets from n coarse places, n at most HY__LINE: the same for every plane. Gives the
 * count. */
enum { HY__LINE = HY__TILE };           /* a multiple of every panel of the matrix engine */
static int hy__stretches(const hy__window *w, int64_t t, int64_t first, int64_t n, hy__stretch *list)
{
    int64_t tap[3], at[3];
    int count = 0;
    hy__window_place(w->kernel, t, tap);
    hy__window_place(w->coarse, first, at);
    for (; n > 0; n -= list[count++].n) {
        list[count] = hy__stretch_at(w, tap, at, n);
        hy__stretch_next(w, at, list[count].n);
    }
    return count;
}

/* --- planes: a tensor as images of channels of places, in either layout and any type --- */
typedef struct hy__planes {
    int64_t  images, channels, places, step_c, step_p;
    hy_dtype dtype;
    int      size;
} hy__planes;
enum { HY__PLANE_CHANNELS = 16, HY__PLANE_PLACES = 4096 };    /* of one item; 16 channels share cache lines */

static hy__planes hy__planes_of(const hy_tensor *t, int last)
{
    const hy_shape *s = &t->type.shape;
    hy__planes p;
    p.images = s->dim[0];
    p.channels = s->dim[last ? s->ndim - 1 : 1];
    p.places = hy__product(s, last ? 1 : 2, last ? s->ndim - 1 : s->ndim);
    p.step_c = last ? 1 : p.places;
    p.step_p = last ? p.channels : 1;
    p.dtype = t->type.dtype;
    p.size = hy__traits[p.dtype].size;
    return p;
}

/* Where plane i of all images begins, in bytes. */
static int64_t hy__plane_at(const hy__planes *p, int64_t i)
{
    return (i / p->channels * p->channels * p->places + i % p->channels * p->step_c) * p->size;
}

static int64_t hy__planes_items(const hy__planes *p)
{
    return p->places ? p->images * hy__gemm_ceil(p->channels, HY__PLANE_CHANNELS) *
                       hy__gemm_ceil(p->places, HY__PLANE_PLACES) : 0;
}

/* Between a tensor and its copy with channels first in another type: one item's part, to the copy or back. */
static void hy__planes_copy(const hy__planes *p, hy_dtype compute, char *tensor, char *copy, int64_t item,
                            int back)
{
    int64_t bands = hy__gemm_ceil(p->places, HY__PLANE_PLACES), blocks = hy__gemm_ceil(p->channels,
            HY__PLANE_CHANNELS);
    int64_t place = item % bands * HY__PLANE_PLACES, image = item / bands / blocks;
    int64_t c = item / bands % blocks * HY__PLANE_CHANNELS, end_c = hy__gemm_min(c + HY__PLANE_CHANNELS,
            p->channels);
    int64_t end = hy__gemm_min(place + HY__PLANE_PLACES, p->places), first = c, n;
    for (; place < end; place += n)
        for (n = hy__gemm_min(end - place, HY__TILE), c = first; c < end_c; c++) {
            char *from = tensor + hy__plane_at(p, image * p->channels + c) + place * p->step_p * p->size;
            char *to = copy + ((image * p->channels + c) * p->places + place) * hy__traits[compute].size;
            if (back) hy__store_tile(compute, from, p->dtype, p->step_p, to, n);
            else hy__load_tile(compute, to, from, p->dtype, p->step_p, n);
        }
}

/* --- convolution through matrices --- */
static void hy__gather_line(int64_t size, char *to, const char *from, int64_t step, int64_t n)
{
    int64_t i;
    if (step == 1) memcpy(to, from, (size_t)(n * size));
    else if (size == 4) for (i = 0; i < n; i++) memcpy(to + i * 4, from + i * step * 4, 4);
    else for (i = 0; i < n; i++) memcpy(to + i * 8, from + i * step * 8, 8);
}

/* Columns of a line into panels, `next` bytes apart; short moves of known length, as a panel may be one
 * vector. */
static void hy__deal_line(char *to, const char *line, int64_t bytes, int64_t panel, int64_t next)
{
    int64_t j;
    for (; bytes >= panel; bytes -= panel, line += panel, to += next) {
        for (j = 0; j + 32 <= panel; j += 32) memcpy(to + j, line + j, 32);
        if (j < panel) memcpy(to + j, line + j, (size_t)(panel - j));
    }
    if (bytes) memcpy(to, line, (size_t)bytes);
}

/* One row of the unrolled image: what a tap sees of a plane. */
static void hy__im2col_line(const hy__stretch *s, int count, int64_t step, int64_t size, const char *plane,
                            char *line)
{
    for (; count > 0; count--, line += s->n * size, s++) {
        if (s->low) memset(line, 0, (size_t)(s->low * size));
        hy__gather_line(size, line + s->low * size, plane + s->fine * size, step, s->high - s->low);
        if (s->high < s->n) memset(line + s->high * size, 0, (size_t)((s->n - s->high) * size));
    }
}

/* x (channels, fine) -> rows of the matrix (channels * taps, coarse), columns [first, first + cols), in
 * panels of `panel` columns and `depth` rows. Less than `lanes` columns are padded with zeros. */
static void hy__im2col(const hy__window *w, int64_t size, const char *x, int64_t channels, int64_t first,
                       int64_t cols, int64_t panel, int64_t depth, int64_t lanes, char *dst)
{
    hy__stretch list[HY__LINE];
    double line[HY__LINE];
    int64_t taps = hy__window_size(w->kernel), fine = hy__window_size(w->fine), ragged = cols % panel, t, c,
        from, n;
    for (t = 0; t < taps; t++)
        for (from = 0; from < cols; from += n) {
            int count;
            n = hy__gemm_min(cols - from, HY__LINE);
            count = hy__stretches(w, t, first + from, n, list);
            for (c = 0; c < channels; c++) {
                char *to = dst + (from * depth + (c * taps + t) * panel) * size;
                hy__im2col_line(list, count, w->stride[2], size, x + c * fine * size, (char *)line);
                hy__deal_line(to, (char *)line, n * size, panel * size, panel * depth * size);
                if (from + n == cols && ragged && ragged < lanes)
                    memset(to + ((n - ragged) * depth + ragged) * size, 0, (size_t)((lanes - ragged) * size));
            }
        }
}

static void hy__add_f32(float *y, int64_t step, const float *x, int64_t n)
{
    int64_t i;
    if (step == 1) for (i = 0; i < n; i++) y[i] += x[i];
    else for (i = 0; i < n; i++) y[i * step] += x[i];
}
static void hy__add_f64(double *y, int64_t step, const double *x, int64_t n)
{
    int64_t i;
    for (i = 0; i < n; i++) y[i * step] += x[i];
}

/* The way back: rows of `step` columns (channels * taps, coarse), columns [first, first + cols), are added to
 * y (channels, fine) where w's band lets them. */
static void hy__col2im(const hy__window *w, int64_t size, char *y, int64_t channels, int64_t first,
                       int64_t cols, int64_t step, const char *col)
{
    hy__stretch list[HY__LINE];
    int64_t taps = hy__window_size(w->kernel), fine = hy__window_size(w->fine), t, c, from, n;
    for (t = 0; t < taps; t++)
        for (from = 0; from < cols; from += n) {
            int count, i;
            n = hy__gemm_min(cols - from, HY__LINE);
            count = hy__stretches(w, t, first + from, n, list);
            for (c = 0; c < channels; c++) {
                const char *line = col + ((c * taps + t) * step + from) * size;
                for (i = 0; i < count; line += list[i++].n * size) {
                    char *to = y + (c * fine + list[i].fine) * size;
                    const char *add = line + list[i].low * size;
                    int64_t m = list[i].high - list[i].low;
                    if (size == 4) hy__add_f32((float *)(void *)to, w->stride[2],
                                               (const float *)(const void *)add, m);
                    else hy__add_f64((double *)(void *)to, w->stride[2], (const double *)(const void *)add,
                                     m);
                }
            }
        }
}

/* A whole product in one worker: what several readers share is packed into the scratch too. */
static size_t hy__gemm_need(const hy__gemm *g)
{
    return (g->scratch_bytes + 63) / 64 * 64 + (g->shared_bytes + 63) / 64 * 64;
}
static void hy__gemm_all(const hy__gemm *g, const char *a, const char *b, char *c, char *scratch)
{
    char *shared = scratch + (g->scratch_bytes + 63) / 64 * 64;
    int64_t i;
    for (i = 0; i < g->pack_items; i++) hy__gemm_pack(g, b, i, shared);
    for (i = 0; i < g->items; i++) hy__gemm_run(g, a, b, c, i, scratch, shared);
}

/* The same product with fewer columns. */
static hy__gemm hy__gemm_narrow(const hy__gemm *g, int64_t n)
{
    hy__gemm narrow = *g;
    narrow.n = n;
    narrow.col_blocks = hy__gemm_ceil(n, g->col_block);
    if (g->pack_items) narrow.pack_items = hy__gemm_ceil(n, g->panel);
    narrow.items = g->items ? narrow.row_blocks * narrow.col_blocks : 0;
    return narrow;
}

/* --- one channel per group: no matrix, but shifted planes --- *
 * The padded plane is split by the remainder of its places modulo the stride, so that each tap of all output
 * places is one contiguous run of a plane: out[i] = sum over taps of weight * planes[i + offset]. */
#define HY__TAPS(name, T, TARGET) \
    TARGET static void name(T *y, const T *x, const int64_t *offset, const T *weight, int64_t taps, \
                            int64_t n) \
    { \
        int64_t t = 0, i; \
        for (; t + 3 <= taps; t += 3) { \
            const T *a = x + offset[t], *b = x + offset[t + 1], *c = x + offset[t + 2]; \
            const T p = weight[t], q = weight[t + 1], r = weight[t + 2]; \
            HY__IVDEP \
            for (i = 0; i < n; i++) y[i] += p * a[i] + q * b[i] + r * c[i]; \
        } \
        for (; t < taps; t++) { \
            const T *a = x + offset[t]; \
            const T p = weight[t]; \
            HY__IVDEP \
            for (i = 0; i < n; i++) y[i] += p * a[i]; \
        } \
    }
HY__TAPS(hy__taps_f64, double, )
HY__TAPS(hy__taps_f32, float, )
#if HY__X86
HY__TAPS(hy__taps_f32_avx2, float, HY__TARGET_AVX2)
HY__TAPS(hy__taps_f32_avx512, float, HY__TARGET_AVX512)
#endif
typedef void (*hy__taps_f32_fn)(float *y, const float *x, const int64_t *offset, const float *weight,
                                int64_t taps,
                                int64_t n);

/* --- windows of floats: acc joined with every step-th x --- */
static void hy__max_line_f32(float *acc, const float *x, int64_t step, int64_t n)
{
    int64_t i;
    if (step == 1) for (i = 0; i < n; i++) acc[i] = ((x[i] > acc[i]) | (x[i] != x[i])) ? x[i] : acc[i];
    else if (step == 2) for (i = 0; i < n; i++) {
        float v = x[2 * i];
        acc[i] = ((v > acc[i]) | (v != v)) ? v : acc[i];
    }
    else for (i = 0; i < n; i++) {
        float v = x[i * step];
        acc[i] = ((v > acc[i]) | (v != v)) ? v : acc[i];
    }
}
static void hy__sum_line_f32(float *acc, const float *x, int64_t step, int64_t n)
{
    int64_t i;
    if (step == 1) for (i = 0; i < n; i++) acc[i] += x[i];
    else for (i = 0; i < n; i++) acc[i] += x[i * step];
}

/* --- sums over neighbouring channels of x (images, channels, inner) --- */
static void hy__channel_sum(double *sum, const char *x, hy_dtype dtype, int64_t channels, int64_t inner,
                            int64_t c,
                            int64_t half, int squares, int64_t n)
{
    double tile[HY__TILE];
    int64_t k, low = c > half ? c - half : 0, high = channels - c > half ? c + half + 1 : channels, i;
    for (i = 0; i < n; i++) sum[i] = 0;
    for (k = low; k < high; k++) {
        hy__load_f64(tile, x + (k - c) * inner * hy__traits[dtype].size, dtype, 1, n);
        hy__fold_columns(squares ? HY__NORM2 : HY__MEAN, sum, tile, n);
    }
}
#endif

/* --- random fills: kind 0 uniform in [a, b), 1 normal of mean a, deviation b, 2 exponential, scale a --- */
#define HY__FILL_RANDOM(name, target, T, suffix) \
    target static void name(int kind, T *y, int64_t first, int64_t count, uint64_t seed, uint64_t stream, \
                            T a, T b) \
    { \
        if (kind == 0) hy__fill_uniform_##suffix(y, first, count, seed, stream, a, b); \
        else if (kind == 1) hy__fill_normal_##suffix(y, first, count, seed, stream, a, b); \
        else hy__fill_exponential_##suffix(y, first, count, seed, stream, a); \
    }
HY__FILL_RANDOM(hy__fill_random_f64, , double, f64)
HY__FILL_RANDOM(hy__fill_random_f32_base, , float, f32)
#if HY__X86
HY__FILL_RANDOM(hy__fill_random_f32_avx2, HY__TARGET_AVX2, float, f32)
HY__FILL_RANDOM(hy__fill_random_f32_avx512, HY__TARGET_AVX512, float, f32)
#endif

static void hy__fill_random_f32(int isa, int kind, float *y, int64_t first, int64_t count, uint64_t seed,
                                uint64_t stream, float a, float b)
{
#if HY__X86
    if (isa == HY_ISA_AVX512) hy__fill_random_f32_avx512(kind, y, first, count, seed, stream, a, b);
    else if (isa == HY_ISA_AVX2) hy__fill_random_f32_avx2(kind, y, first, count, seed, stream, a, b);
    else
#endif
    hy__fill_random_f32_base(kind, y, first, count, seed, stream, a, b);
    (void)isa;
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

#if defined(__clang__)
#pragma clang diagnostic pop
#elif defined(__GNUC__)
#pragma GCC pop_options
#endif

/* MARK: - 17 >>ops --------------------------------------------------------------------------------------
 *
 * What each operator of the catalogue does: shapes and types (infer), which kernel runs and how the work
 * falls
 * into items (bind), and its gradient as other operators (grad). The block of an operator `x` ends with
 *     #define HY__ON_x infer, bind, grad, split
 * and the table at the end of the room puts it together with its row. To add one: a row and four lists in
 * >>catalogue, a block here, a row in tests/ops_ref.c.
 */

#if defined(HYBRID_NO_TRAIN) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

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
        case HY_ATTR_shape: break;
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

/* (1, 2), [1,2], (3,), (), 3, None; elements may be None where `optional`. Gives the count, or -2 if
 * malformed. */
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
        if (!strcmp(s, "None")) {
            *(int *)field = a->kind == HY_ATTR_oint || a->missing == HY_REQUIRED ? HY_NONE : (int)a->missing;
            return 1;
        }
        if (hy__read_flag(s, &flag)) whole = flag;
        else if (!hy__read_whole(s, &end, &whole) || *end || whole < -INT32_MAX || whole > INT32_MAX)
            return 0;
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
    case HY_ATTR_ints: case HY_ATTR_oints: hy__put_tuple(out, ((const hy_ints *)field)->v,
                                                         ((const hy_ints *)field)->n); break;
    case HY_ATTR_shape: hy__put_tuple(out, ((const hy_shape *)field)->dim, ((const hy_shape *)field)->ndim);
    break;
    default: break;
    }
}

HY_API size_t hy_attr_text(const hy_attr *attr, const void *record, char *buffer, size_t bytes)
{
    hy__line line;
    if (!attr || !record || !buffer || !bytes) return 0;
    line.text = buffer;
    line.cap = bytes;
    line.n = 0;
    buffer[0] = 0;
    hy__print_value(attr, record, &line);
    return line.n;
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
            hy__fail(F, HY_ERROR_ARGUMENT, "%s: Invalid Input: '%s' for %s, valid values are: %s", op->name,
                     value,
                     a->mxnet, a->doc);
        else
            hy__fail(F, HY_ERROR_ARGUMENT, "%s: Invalid Parameter format for %s but value='%s'", op->name,
                     a->mxnet, value);
        return -1;
    }
    if (hy__ignored_attribute(key)) return 0;
    line.text = names;
    line.cap = sizeof names;
    line.n = 0;
    names[0] = 0;
    for (a = op->attr; a && a->name; a++) { hy__puts(&line, " "); hy__puts(&line, a->mxnet); }
    hy__fail(F, HY_ERROR_ARGUMENT, "%s: Cannot find argument '%s', Possible Arguments:%s", op->name, key,
             names);
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
    if (*a) hy_infer_fail(I, HY_ERROR_DTYPE, "Type inconsistent, Provided=%t, inferred type=%t", (int)*a,
                          (int)b);
    else { *a = b; hy__learn(I); }
}

HY_API void hy_infer_dim(hy_infer *I, int64_t *a, int64_t b)
{
    if (b < 0 || *a == b) return;
    if (*a >= 0) hy_infer_fail(I, HY_ERROR_SHAPE, "Shape inconsistent, Provided size %l, inferred size %l",
                               *a, b);
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
            hy_infer_fail(I, HY_ERROR_SHAPE, "Shape inconsistent, Provided = %z, inferred shape=%z", &before,
                          &b);
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
static hy_shape hy__shape2(int64_t a, int64_t b)
{
    hy_shape s;
    s.ndim = 2;
    s.dim[0] = a;
    s.dim[1] = b;
    return s;
}

/* All inputs and outputs of one type. */
static void hy__same_types(hy_infer *I)
{
    int i, round;
    for (round = 0; round < 2; round++) {
        for (i = 0; i < I->nin; i++) {
            hy_infer_type(I, &I->out[0].dtype, I->in[i].dtype);
            hy_infer_type(I, &I->in[i].dtype, I->out[0].dtype);
        }
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

/* A struct of notes must fit where bind keeps them. */
#define HY__FITS_PLAN(type) typedef char type##_fits_plan[sizeof(type) <= sizeof(((hy_job *)0)->plan) ? 1 \
                                                          : -1]
HY__FITS_PLAN(hy__pointwise);
HY__FITS_PLAN(hy__reduce);
HY__FITS_PLAN(hy__gemm);

/* An item met data it cannot work with; what that means is job->fault_text. */
HY_API void hy_fault(hy_job *job) { HY__POKE(&job->fault, 1); }

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

/* --- gradients: what every grad is written with --- */
#define HY_NO_GRADIENT hy__no_gradient(F, D)
static hy_array *hy__no_gradient(hy_frame *F, const hy_diff *D)
{
    hy__fail(F, HY_ERROR_GRADIENT, "%s: the operator is non-differentiable because it has no gradient",
             D->op->name);
    return NULL;
}

/* The gradient of something that was broadcast: summed back to the shape of x. */
static hy_array *hy__unbroadcast(hy_frame *F, hy_array *g, hy_array *x)
{
    if (!g || !x || (hy__shape_known(&g->t.type.shape) && hy__same_shape(&g->t.type.shape, &x->t.type.shape)))
        return g;
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
    return compute == HY_F64 ? &hy__table_f64 : compute == HY_I32 ? &hy__table_i32 : compute == HY_I64
        ? &hy__table_i64
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
    return hy__finish_pointwise(job, hy__pointwise_of(job, compute)->unary[job->op->member],
                                arithmetic ? 0.3 : 1);
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
            return hy_infer_fail(I, HY_ERROR_SHAPE, "shapes %z and %z do not broadcast: %l against %l", a, b,
                                 m, n);
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

/* of axes that inference accepted */
static int hy__known_axis_bits(const hy_ints *axes, int exclude, int ndim)
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
            hy__fold_integers(hy__join(r->kind), (int64_t *)(void *)partial + j, 0,
                              (const int64_t *)(void *)more + j, 1);
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
    case HY__NANPROD: D->dx[0] = hy_where(F, hy_equal(F, x, x), hy_mul(F, dy, hy_div(F, y, x)),
                                          hy_zeros_like(F, x)); break;
    default:          D->dx[0] = hy_mul(F, dy, hy_equal(F, x, y));
    }
    return 0;
}

/* --- matrix products: C = alpha A B + bias, for each matrix of a batch --- *
 * Types without a kernel are converted first: halves to f32, integers to f64. */
typedef struct hy__matmul {
    hy__gemm gemm;
    hy_dtype compute, dtype;
    int64_t  batch, inner;                      /* matrices; how many lie interleaved, row by row */
    int64_t  a_step, b_step, c_step;            /* elements from one such run to the next, ... */
    int64_t  a_next, b_next, c_next;            /* ... and from one matrix of a run to the next */
    int64_t  a_size, b_size, c_size;            /* elements of the whole operands */
    double   alpha;
    int      bias;                              /* input 2 is added to every row */
} hy__matmul;
HY__FITS_PLAN(hy__matmul);

static void hy__matmul_region(const hy__gemm *g, int64_t item, int64_t *row, int64_t *rows, int64_t *col,
                              int64_t *cols)
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

#ifdef HYBRID_USE_CBLAS
#ifdef __cplusplus
extern "C" {
#endif
extern void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a,
                        int lda,
                        const float *b, int ldb, float beta, float *c, int ldc);
extern void cblas_dgemm(int order, int trans_a, int trans_b, int m, int n, int k, double alpha,
                        const double *a, int lda,
                        const double *b, int ldb, double beta, double *c, int ldc);
#ifdef __cplusplus
}
#endif

/* CBLAS wants one stride of each operand to be 1, and everything to fit an int. */
static int hy__cblas_fits(const hy__gemm *g)
{
    return (g->a_row == 1 || g->a_col == 1) && (g->b_row == 1 || g->b_col == 1) && g->m > 0 && g->n > 0 &&
        g->k > 0 &&
           g->a_row + g->a_col + g->b_row + g->b_col + g->c_row + g->m + g->n + g->k < INT_MAX;
}

static void hy__cblas_product(const hy__gemm *g, const void *a, const void *b, void *c)
{
    enum { ROWS = 101, PLAIN = 111, TRANSPOSED = 112 };
    int ta = g->a_col != 1, tb = g->b_col != 1;
    int lda = (int)(ta ? g->a_col : g->a_row), ldb = (int)(tb ? g->b_col : g->b_row);
    if (lda < (ta ? g->m : g->k)) lda = (int)(ta ? g->m : g->k);        /* a single row may have any stride */
    if (ldb < (tb ? g->k : g->n)) ldb = (int)(tb ? g->k : g->n);
    if (g->size == 4)
        cblas_sgemm(ROWS, ta ? TRANSPOSED : PLAIN, tb ? TRANSPOSED : PLAIN, (int)g->m, (int)g->n, (int)g->k,
                    1,
                    (const float *)a, lda, (const float *)b, ldb, (float)g->accumulate, (float *)c,
                        (int)g->c_row);
    else
        cblas_dgemm(ROWS, ta ? TRANSPOSED : PLAIN, tb ? TRANSPOSED : PLAIN, (int)g->m, (int)g->n, (int)g->k,
                    1,
                    (const double *)a, lda, (const double *)b, ldb, g->accumulate, (double *)c,
                        (int)g->c_row);
}

/* One item of the whole product. */
static void hy__cblas_plan(hy__gemm *g)
{
    if (!hy__cblas_fits(g)) return;
    g->pack_items = 0;
    g->items = g->row_blocks = g->col_blocks = 1;
    g->row_block = g->m;
    g->col_block = g->n;
    g->shared_bytes = g->scratch_bytes = 0;
}
#endif

static void hy__matmul_item(const hy__matmul *m, const char *a, const char *b, char *c, const char *bias,
                            int64_t item,
                            char *scratch, const char *shared)
{
    if (bias) hy__matmul_edge(m, c, item, bias);
#ifdef HYBRID_USE_CBLAS
    if (hy__cblas_fits(&m->gemm)) hy__cblas_product(&m->gemm, a, b, c);
    else
#endif
    hy__gemm_run(&m->gemm, a, b, c, item, scratch, shared);
    if (m->alpha != 1) hy__matmul_edge(m, c, item, NULL);
}

/* Where matrix i of a batch begins: runs are step apart, matrices within one a row. */
static int64_t hy__matmul_offset(const hy__matmul *m, int64_t i, int64_t step, int64_t row)
{
    return i / m->inner * step + i % m->inner * row;
}

static size_t hy__round64(size_t n) { return (n + 63) / 64 * 64; }

/* Stages: convert A and B if need be, pack B, multiply, convert C back. */
static void hy__run_matmul(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__matmul *m = (const hy__matmul *)(const void *)&job->plan;
    const hy__gemm *g = &m->gemm;
    int64_t size = hy__traits[m->compute].size, i, n, at;
    int foreign = m->compute != m->dtype;
    char *packed = (char *)shared, *a = (char *)job->in[0].data, *b = (char *)job->in[1].data,
        *c = (char *)job->out[0].data;
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
            hy__store_tile(m->compute, (char *)job->out[0].data + at * hy__traits[m->dtype].size, m->dtype, 1,
                           c + at * size, n);
            return;
        }
        stage--;
    }
    i = stage == 0 ? item / (g->pack_items ? g->pack_items : 1) : item / g->items;
    packed += (size_t)i * hy__round64(g->shared_bytes);
    if (stage == 0) hy__gemm_pack(g, b + hy__matmul_offset(m, i, m->b_step, m->b_next) * size,
                                  item % g->pack_items, packed);
    else hy__matmul_item(m, a + hy__matmul_offset(m, i, m->a_step, m->a_next) * size,
                         b + hy__matmul_offset(m, i, m->b_step, m->b_next) * size,
                         c + hy__matmul_offset(m, i, m->c_step, m->c_next) * size, bias, item % g->items,
                             (char *)scratch, packed);
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
#ifdef HYBRID_USE_CBLAS
    hy__cblas_plan(g);
#endif
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
    if (foreign) job->shared += hy__round64((size_t)(m->a_size * size))
        + hy__round64((size_t)(m->b_size * size)) +
                                hy__round64((size_t)(m->c_size * size));
    job->cost = (double)g->m * (double)g->n * (double)g->k * (double)m->batch / 40 + 100;
    return 0;
}
/* --- linear --- */
static int hy__fully_connected_infer(hy_infer *I)
{
    const hy__fully_connected_rec *r = (const hy__fully_connected_rec *)I->attr;
    hy_shape *x = &I->in[0].shape, *y = &I->out[0].shape, want = hy__shape2(-1, r->num_hidden), rest;
    int64_t k = -1;
    hy__same_types(I);
    if (r->num_hidden < 1) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "num_hidden is %d", r->num_hidden);
    if (x->ndim == 0) return hy_infer_fail(I, HY_ERROR_SHAPE, "data needs at least one dim");
    if (x->ndim > 0) {
        rest = want = *x;
        rest.dim[0] = 1;
        k = r->no_flatten ? x->dim[x->ndim - 1] : hy__size(&rest);
        if (r->no_flatten) want.dim[x->ndim - 1] = r->num_hidden;
        else want = hy__shape2(x->dim[0], r->num_hidden);
    }
    hy_infer_shape(I, &I->in[1].shape, hy__shape2(r->num_hidden, k));
    if (I->nin > 2 && I->in[2].shape.ndim != 2) hy_infer_shape(I, &I->in[2].shape, hy__shape1(r->num_hidden));
    else if (I->nin > 2) hy_infer_shape(I, &I->in[2].shape, hy__shape2(r->num_hidden, 1));
    if (x->ndim > 0 || !r->no_flatten) hy_infer_shape(I, y, want);
    if (I->status >= 0 && x->ndim > (r->no_flatten ? 1 : 0)) hy_infer_dim(I, &x->dim[0], y->dim[0]);
    return I->status;
}

static void hy__matmul_single(hy__matmul *m)
{
    m->batch = m->inner = 1;
    m->a_step = m->b_step = m->c_step = m->a_next = m->b_next = m->c_next = 0;
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
    hy__matmul_single(m);
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
#define HY__ON_fully_connected hy__fully_connected_infer, hy__fully_connected_bind, \
    hy__fully_connected_grad, NULL

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
    if (a->ndim + b->ndim - 2 > HY_MAX_DIM) return hy_infer_fail(I, HY_ERROR_SHAPE,
                                                                 "the result has too many dims");
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
    hy__matmul_single(m);
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
    g = hy_reshape(F, dy, HY_INTS(r->transpose_a ? a2->t.type.shape.dim[1] : a2->t.type.shape.dim[0], -1),
                   NULL);
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

/* batch_dot and linalg_gemm2: (..., m, ..., k) times (..., k, ..., n); rows stand on `axis`, columns on
 * the last. */
static int hy__batch_dot_infer_dims(hy_infer *I, int transpose_a, int transpose_b, int axis)
{
    hy_shape *a = &I->in[0].shape, *b = &I->in[1].shape, *y = &I->out[0].shape, want;
    int64_t *ka, *kb;
    int n, d, row;
    hy__same_types(I);
    n = a->ndim >= 0 ? a->ndim : b->ndim >= 0 ? b->ndim : y->ndim;
    if (n < 0) return I->status;
    if (n < 2) return hy_infer_fail(I, HY_ERROR_SHAPE, "operands need at least two dims");
    row = hy__infer_axis(I, axis, n);
    if (row == n - 1) hy_infer_fail(I, HY_ERROR_ARGUMENT, "axis %d: the last axis holds the columns", axis);
    want = hy__rank(n);
    hy_infer_shape(I, a, want);
    hy_infer_shape(I, b, want);
    if (I->status < 0) return -1;
    for (d = 0; d < n - 1; d++) {
        if (d == row) continue;
        hy_infer_dim(I, &a->dim[d], b->dim[d]);
        hy_infer_dim(I, &b->dim[d], a->dim[d]);
        want.dim[d] = a->dim[d];
    }
    ka = &a->dim[transpose_a ? row : n - 1];
    kb = &b->dim[transpose_b ? n - 1 : row];
    hy_infer_dim(I, ka, *kb);
    hy_infer_dim(I, kb, *ka);
    want.dim[row] = a->dim[transpose_a ? n - 1 : row];
    want.dim[n - 1] = b->dim[transpose_b ? row : n - 1];
    hy_infer_shape(I, y, want);
    return I->status;
}

static int hy__batch_dot_bind_dims(hy_job *job, int transpose_a, int transpose_b, int axis, double alpha)
{
    const hy_shape *a = &job->in[0].type.shape, *y = &job->out[0].type.shape;
    hy__matmul *m = (hy__matmul *)(void *)&job->plan;
    hy__gemm *g = &m->gemm;
    int last = y->ndim - 1, row = hy__axis(axis, y->ndim);
    g->m = y->dim[row];
    g->n = y->dim[last];
    g->k = a->dim[transpose_a ? row : last];
    m->inner = hy__product(y, row + 1, last);
    m->batch = hy__product(y, 0, row) * m->inner;
    if (m->inner < 1) m->inner = 1;
    m->a_next = transpose_a ? g->m : g->k;              /* the length of a stored row */
    m->b_next = transpose_b ? g->k : g->n;
    m->c_next = g->n;
    g->a_row = transpose_a ? 1 : m->inner * m->a_next;
    g->a_col = transpose_a ? m->inner * m->a_next : 1;
    g->b_row = transpose_b ? 1 : m->inner * m->b_next;
    g->b_col = transpose_b ? m->inner * m->b_next : 1;
    g->c_row = m->inner * g->n;
    m->a_step = g->m * g->k * m->inner;
    m->b_step = g->k * g->n * m->inner;
    m->c_step = g->m * g->n * m->inner;
    m->alpha = alpha;
    m->bias = 0;
    return hy__matmul_bind(job);
}

/* dA = dY B^T and dB = A^T dY, turned round where an operand was transposed. */
static void hy__batch_dot_grads(hy_frame *F, hy_diff *D, int ta, int tb, int axis, double alpha)
{
    hy_array *a = D->in[0], *b = D->in[1], *dy = D->dy[0];
    hy_linalg_gemm2_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.axis = axis ? axis : HY_ZERO;
    opt.alpha = alpha != 0 ? alpha : HY_ZERO;
    if (!dy) return;
    if (D->want[0]) {
        opt.transpose_a = ta && tb;
        opt.transpose_b = ta || !tb;
        D->dx[0] = ta ? hy_linalg_gemm2(F, b, dy, &opt) : hy_linalg_gemm2(F, dy, b, &opt);
    }
    if (D->want[1]) {
        opt.transpose_a = !ta || tb;
        opt.transpose_b = ta && tb;
        D->dx[1] = tb ? hy_linalg_gemm2(F, dy, a, &opt) : hy_linalg_gemm2(F, a, dy, &opt);
    }
}

static int hy__batch_dot_infer(hy_infer *I)
{
    const hy__batch_dot_rec *r = (const hy__batch_dot_rec *)I->attr;
    return hy__batch_dot_infer_dims(I, r->transpose_a, r->transpose_b, -2);
}
static int hy__batch_dot_bind(hy_job *job)
{
    const hy__batch_dot_rec *r = (const hy__batch_dot_rec *)job->attr;
    return hy__batch_dot_bind_dims(job, r->transpose_a, r->transpose_b, -2, 1);
}
static int hy__batch_dot_grad(hy_frame *F, hy_diff *D)
{
    const hy__batch_dot_rec *r = (const hy__batch_dot_rec *)D->attr;
    hy__batch_dot_grads(F, D, r->transpose_a, r->transpose_b, -2, 1);
    return 0;
}
#define HY__ON_batch_dot hy__batch_dot_infer, hy__batch_dot_bind, hy__batch_dot_grad, NULL

static int hy__linalg_gemm2_infer(hy_infer *I)
{
    const hy__linalg_gemm2_rec *r = (const hy__linalg_gemm2_rec *)I->attr;
    return hy__batch_dot_infer_dims(I, r->transpose_a, r->transpose_b, r->axis);
}
static int hy__linalg_gemm2_bind(hy_job *job)
{
    const hy__linalg_gemm2_rec *r = (const hy__linalg_gemm2_rec *)job->attr;
    return hy__batch_dot_bind_dims(job, r->transpose_a, r->transpose_b, r->axis, r->alpha);
}
static int hy__linalg_gemm2_grad(hy_frame *F, hy_diff *D)
{
    const hy__linalg_gemm2_rec *r = (const hy__linalg_gemm2_rec *)D->attr;
    hy__batch_dot_grads(F, D, r->transpose_a, r->transpose_b, r->axis, r->alpha);
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

/* Element i of a packed array: its address, its value. */
static char *hy__place(const hy_tensor *t, int64_t i)
{
    return (char *)t->data + i * hy__traits[t->type.dtype].size;
}
static double hy__number(const hy_tensor *t, int64_t i) { return hy__load(hy__place(t, i), t->type.dtype); }

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
    int size = hy__traits[job->out[0].type.dtype].size;
    (void)stage; (void)scratch; (void)shared;
    if (end > total) end = total;
    for (; i < end; i += n) {
        n = each == 1 ? end - i : each - i % each;
        if (n > end - i) n = end - i;
        if (n > HY__TILE) n = HY__TILE;
        hy__load_tile(through, wide, hy__place(c, i / each), c->type.dtype, each == 1, n);
        hy__store_tile(through, mask, HY_BOOL, 1, wide, n);
        hy__select(mask, hy__place(&job->in[1], i), hy__place(&job->in[2], i), hy__place(&job->out[0], i),
                   size, n);
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
#define HY__ON_hard_sigmoid hy_infer_pointwise, hy__hard_sigmoid_bind, hy__hard_sigmoid_grad, \
    hy__pointwise_split

/* --- activation: one of the unary operators, by name --- */
typedef int (*hy__grad_fn)(hy_frame *F, hy_diff *D);
static const struct { int member; hy__grad_fn grad; } hy__activations[] = {
    { HY__UNARY_relu, hy__relu_grad },
    { HY__UNARY_sigmoid, hy__sigmoid_grad },
    { HY__UNARY_tanh, hy__tanh_grad },
    { HY__UNARY_softrelu, hy__softrelu_grad },
    { HY__UNARY_softsign, hy__softsign_grad },
    { HY__UNARY_log_sigmoid, hy__log_sigmoid_grad },
    { HY__UNARY_mish, hy__mish_grad }
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
    int64_t count;                      /* elements of the mask */
    int     random;
    double  low, high;                  /* dropout: share kept, its reciprocal; rrelu: range of the slope */
    void  (*draw)(const hy_job *job, const struct hy__masked *k, int64_t first, int64_t n, void *mask);
} hy__masked;

static void hy__draw_dropout(const hy_job *job, const hy__masked *k, int64_t first, int64_t n, void *mask)
{
    hy_dtype dtype = job->out[0].type.dtype;
    float kept[HY__TILE];
    double wide[HY__TILE];
    int64_t i;
    hy__mask_fn draw = hy__mask_for(job->kernels->isa);
    if (k->random) draw(kept, (uint64_t)first, n, job->seed, job->stream, (float)k->low, (float)k->high);
    else for (i = 0; i < n; i++) kept[i] = 1;
    if (dtype == HY_F64) {
        for (i = 0; i < n; i++) wide[i] = kept[i] != 0 ? k->high : 0;
        memcpy(mask, wide, (size_t)n * sizeof *wide);
    } else hy__store_f32(mask, dtype, 1, kept, n);
}

/* Slope 1 above 0, below it a random one, or the mean of all. */
static void hy__draw_rrelu(const hy_job *job, const hy__masked *k, int64_t first, int64_t n, void *mask)
{
    uint32_t room[HY__DRAW + 6];
    const uint32_t *word = hy__draw(room, (uint64_t)first, n, job->seed, job->stream);
    double v[HY__TILE];
    int64_t i;
    hy__load_f64(v, hy__place(&job->in[0], first), job->in[0].type.dtype, 1, n);
    for (i = 0; i < n; i++)
        v[i] = v[i] > 0 ? 1 : k->low + (k->high - k->low) * (k->random ? (double)hy__unit_f32(word[i]) : 0.5);
    hy__store_f64(mask, job->out[0].type.dtype, 1, v, n);
}

static void hy__run_masked(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__masked *k = (const hy__masked *)(const void *)&job->plan;
    int64_t i = item * HY__CHUNK, end = i + HY__CHUNK < k->count ? i + HY__CHUNK : k->count, n;
    void *data[3];
    data[0] = job->out[0].data;
    data[1] = job->in[0].data;
    data[2] = job->out[1].data ? job->out[1].data : job->shared ? shared : NULL;
    if (stage == 1) {
        if (data[2]) hy__pointwise_run(&k->pw, data, item);
        else hy__run_copy(job, stage, item, scratch, shared);
        return;
    }
    for (; i < end && data[2]; i += n) {
        n = end - i < HY__TILE ? end - i : HY__TILE;
        k->draw(job, k, i, n, (char *)data[2] + i * hy__traits[job->out[0].type.dtype].size);
    }
}

/* needed: there must be a mask even if nobody asks for it. */
static int hy__masked_bind(hy_job *job, int needed)
{
    hy__masked *k = (hy__masked *)(void *)&job->plan;
    hy_dtype dtype = job->in[0].type.dtype, compute = hy__compute_type(dtype, 0);
    int64_t stride[HY__OPERANDS][HY_MAX_DIM];
    hy_tensor mask = job->out[1];
    if (!hy__floating(dtype)) return hy__refuse_dtype(job, dtype);
    hy__pack_strides(&mask);
    hy__plan_pointwise(job, compute)->loose = 1;
    memcpy(stride[0], job->out[0].stride, sizeof stride[0]);
    memcpy(stride[1], job->in[0].stride, sizeof stride[1]);
    hy__broadcast_strides(&mask, job->out[0].type.shape.ndim, stride[2]);
    hy__walk_init(&k->pw.walk, &job->out[0].type.shape, 3, (const int64_t (*)[HY_MAX_DIM])stride);
    k->pw.dtype[2] = dtype;
    k->count = hy__size(&mask.type.shape);
    hy__finish_pointwise(job, hy__pointwise_of(job, compute)->binary[HY__BINARY_mul], k->random ? 3 : 0.5);
    job->run = hy__run_masked;
    job->stages = 2;
    job->items[1] = job->items[0];
    job->items[0] = hy__pieces(k->count, HY__CHUNK);
    job->shared = needed ? (size_t)(k->count * hy__traits[dtype].size) : 0;
    return 0;
}

static int hy__dropout_infer(hy_infer *I)
{
    const hy__dropout_rec *r = (const hy__dropout_rec *)I->attr;
    hy_shape mask;
    int i;
    hy__same_types(I);
    hy_infer_same(I, &I->in[0].shape, &I->out[0].shape);
    if (!(r->p >= 0 && r->p <= 1)) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "p is not within [0, 1]");
    if (I->status < 0 || I->out[0].shape.ndim < 0) return I->status;
    mask = I->out[0].shape;
    for (i = 0; i < r->axes.n; i++) {
        int at = hy__infer_axis(I, (int)hy__clamp_i64(r->axes.v[i], INT_MIN, INT_MAX), mask.ndim);
        if (at < 0) return -1;
        mask.dim[at] = 1;
    }
    hy_infer_shape(I, &I->out[1].shape, mask);
    return I->status;
}
static int hy__dropout_bind(hy_job *job)
{
    const hy__dropout_rec *r = (const hy__dropout_rec *)job->attr;
    hy__masked *k = (hy__masked *)(void *)&job->plan;
    k->random = r->p > 0 && (job->training || r->mode == HY_DROP_ALWAYS);
    k->low = 1 - r->p;
    k->high = !k->random ? 1 : r->p < 1 ? 1 / k->low : 0;
    k->draw = hy__draw_dropout;
    return hy__masked_bind(job, k->random);
}
static int hy__mask_grad(hy_frame *F, hy_diff *D)
{
    if (D->dy[0]) D->dx[0] = hy_mul(F, D->dy[0], D->out[1]);
    return 0;
}
#define HY__ON_dropout hy__dropout_infer, hy__dropout_bind, hy__mask_grad, NULL

/* --- leaky_relu: x above 0, something small below --- */
static int hy__leaky_relu_infer(hy_infer *I)
{
    const hy__leaky_relu_rec *r = (const hy__leaky_relu_rec *)I->attr;
    hy_shape *x = &I->in[0].shape, *gamma;
    int d, shift;
    if (r->act_type < 0 || r->act_type > HY_LEAKY_RRELU)
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "act_type is %d", r->act_type);
    if (r->act_type != HY_LEAKY_PRELU) return hy_infer_pointwise(I);
    hy__same_types(I);
    gamma = &I->in[1].shape;
    hy_infer_same(I, x, &I->out[0].shape);
    if (I->status < 0 || x->ndim < 0) return I->status;
    if (x->ndim < 1) return hy_infer_fail(I, HY_ERROR_SHAPE, "data needs at least one dim");
    if (gamma->ndim < 0) hy_infer_shape(I, gamma, hy__shape1(x->dim[x->ndim > 1]));
    else if (gamma->ndim > x->ndim)
        hy_infer_fail(I, HY_ERROR_SHAPE, "gamma %z has more dims than data %z", gamma, x);
    else for (d = 0; d < gamma->ndim && I->status >= 0; d++) {
        shift = gamma->ndim == 1 ? x->ndim > 1 : x->ndim - gamma->ndim;
        if (gamma->dim[d] != 1) hy_infer_dim(I, &gamma->dim[d], x->dim[d + shift]);
    }
    return I->status;
}

/* prelu: a vector gamma belongs to the channels (axis 1); other shapes broadcast. */
static int hy__prelu_per_channel(const hy_shape *x, const hy_shape *gamma)
{
    return gamma->ndim == 1 && x->ndim > 1;
}

static int hy__prelu_bind(hy_job *job)
{
    hy_tensor *gamma = &job->in[1], given = *gamma;
    hy_dtype compute = hy__compute_type(job->in[0].type.dtype, 0);
    int d;
    if (hy__prelu_per_channel(&job->in[0].type.shape, &gamma->type.shape)) {
        gamma->type.shape.ndim = job->in[0].type.shape.ndim;
        for (d = 0; d < gamma->type.shape.ndim; d++) gamma->type.shape.dim[d] = 1;
        gamma->type.shape.dim[1] = given.type.shape.dim[0];
        gamma->stride[1] = given.stride[0];
    }
    hy__plan_pointwise(job, compute)->loose = 1;
    *gamma = given;
    return hy__finish_pointwise(job, compute == HY_F64 ? hy__prelu_f64 : hy__prelu_f32, 0.4);
}

static int hy__leaky_relu_bind(hy_job *job)
{
    const hy__leaky_relu_rec *r = (const hy__leaky_relu_rec *)job->attr;
    hy__masked *k = (hy__masked *)(void *)&job->plan;
    if (!hy__floating(job->in[0].type.dtype)) return hy__refuse_dtype(job, job->in[0].type.dtype);
    switch (r->act_type) {
    case HY_LEAKY_LEAKY: return hy__extra_bind(job, HY__EXTRA_leaky, r->slope, 0);
    case HY_LEAKY_ELU:   return hy__extra_bind(job, HY__EXTRA_elu, r->slope, 0);
    case HY_LEAKY_SELU:  return hy__extra_bind(job, HY__EXTRA_selu, 0, 0);
    case HY_LEAKY_GELU:  return hy__extra_bind(job, HY__EXTRA_gelu, 0, 0);
    case HY_LEAKY_PRELU: return hy__prelu_bind(job);
    default:
        k->random = job->training;
        k->low = r->lower_bound;
        k->high = r->upper_bound;
        k->draw = hy__draw_rrelu;
        return hy__masked_bind(job, 1);
    }
}

/* dx = dy above 0 and dy gamma below; dgamma = the sum of dy x below 0. */
static void hy__prelu_grad(hy_frame *F, hy_diff *D)
{
    hy_array *x = D->in[0], *gamma = D->in[1], *dy = D->dy[0], *g;
    hy_array *above = hy_greater_scalar(F, x, 0), *below = hy_rsub_scalar(F, above, 1);
    const hy_shape *gs = &gamma->t.type.shape;
    int d, channel = hy__prelu_per_channel(&x->t.type.shape, gs);
    hy_ints shape;
    hy_reduce_opt others;
    if (D->want[0]) {
        shape.n = x->t.type.shape.ndim;
        for (d = 0; d < shape.n; d++) shape.v[d] = d == 1 ? gs->dim[0] : 1;
        g = channel ? hy_reshape(F, gamma, shape, NULL) : gamma;
        D->dx[0] = hy_mul(F, dy, hy_add(F, above, hy_mul(F, below, g)));
    }
    if (!D->want[1]) return;
    g = hy_mul(F, hy_mul(F, dy, x), below);
    memset(&others, 0, sizeof others);
    others.exclude = channel && gs->dim[0] != 1;
    if (!channel) D->dx[1] = hy__unbroadcast(F, g, gamma);
    else D->dx[1] = hy_sum(F, g, others.exclude ? HY_AXES(1) : HY_ALL, &others);
}

/* dy times `above` for x > 0; below it times y + `below`, the slope of a scaled exponential. */
static hy_array *hy__elu_slope(hy_frame *F, const hy_diff *D, double above, double below)
{
    hy_array *dy = D->dy[0];
    return hy_where(F, hy_greater_scalar(F, D->in[0], 0), above == 1 ? dy : hy_mul_scalar(F, dy, above),
                    hy_mul(F, dy, hy_add_scalar(F, D->out[0], below)));
}

static int hy__leaky_relu_grad(hy_frame *F, hy_diff *D)
{
    const hy__leaky_relu_rec *r = (const hy__leaky_relu_rec *)D->attr;
    hy_array *x = D->in[0], *dy = D->dy[0], *u, *v;
    if (!dy) return 0;
    switch (r->act_type) {
    case HY_LEAKY_LEAKY:
        u = hy_mul_scalar(F, hy_greater_scalar(F, x, 0), 1 - r->slope);
        D->dx[0] = hy_mul(F, dy, hy_add_scalar(F, u, r->slope));
        break;
    case HY_LEAKY_ELU:  D->dx[0] = hy__elu_slope(F, D, 1, r->slope); break;
    case HY_LEAKY_SELU: D->dx[0] = hy__elu_slope(F, D, 1.0507009873554805, 1.7580993408473766); break;
    case HY_LEAKY_GELU:                 /* P(x) + x p(x): the normal distribution and its density */
        u = hy_mul_scalar(F, x, 0.7071067811865476);
        v = hy_mul(F, x, hy__gauss(F, u, 0.3989422804014327));
        u = hy_mul_scalar(F, hy_add_scalar(F, hy_erf(F, u), 1), 0.5);
        D->dx[0] = hy_mul(F, dy, hy_add(F, u, v));
        break;
    case HY_LEAKY_PRELU: hy__prelu_grad(F, D); break;
    default: hy__mask_grad(F, D);
    }
    return 0;
}
#define HY__ON_leaky_relu hy__leaky_relu_infer, hy__leaky_relu_bind, hy__leaky_relu_grad, NULL

/* --- softmax --- *
 * The array is (outer, axis, inner). A strip is `width` neighbours of inner or, where that would be too thin,
 * one vector along axis, gathered if need be. Many short rows are taken as (1, axis, rows): turned round. */
typedef struct hy__softmax {
    int64_t  outer, axis, inner, width;
    int64_t  outer_step, step, column_step;             /* in memory: of outer, axis and inner */
    int64_t  strips, batch;                             /* strips of an outer index, and of an item */
    hy_dtype compute;
    int      direct, log, lengths;                      /* direct: neither conversion nor gathering */
    double   scale;
} hy__softmax;

/* Between the array and a packed buffer in the computing type: n rows of w, or one vector of n. */
static void hy__softmax_move(const hy__softmax *s, const hy_tensor *t, int64_t base, int64_t n, int64_t w,
                             char *buffer, int back)
{
    int64_t row = w == 1 ? n : w, rows = w == 1 ? 1 : n, stride = w == 1 ? s->step : s->column_step, r;
    for (r = 0; r < rows; r++) {
        char *at = hy__place(t, base + r * s->step);
        char *packed = buffer + r * row * hy__traits[s->compute].size;
        if (back) hy__store_tile(s->compute, at, t->type.dtype, stride, packed, row);
        else hy__load_tile(s->compute, packed, at, t->type.dtype, stride, row);
    }
}

static void hy__softmax_strip(const hy_job *job, const hy__softmax *s, int64_t strip, char *buffer)
{
    int64_t o = strip / s->strips, column = strip % s->strips * s->width;
    int64_t base = o * s->outer_step + column * s->column_step;
    int64_t w = s->inner - column < s->width ? s->inner - column : s->width, n = s->axis;
    int64_t size = hy__traits[s->compute].size;
    char *from = s->direct ? hy__place(&job->in[0], base) : buffer;
    char *to = s->direct ? hy__place(&job->out[0], base) : buffer;
    hy__softmax_fn fn = hy__softmax_for(s->compute, job->kernels->isa);
    if (s->lengths) {
        const hy_tensor *length = &job->in[1];
        n = hy__clamp_i64(hy__load_i64(hy__place(length, o * s->inner + column), length->type.dtype), 0, n);
    }
    if (!s->direct) hy__softmax_move(s, &job->in[0], base, n, w, buffer, 0);
    fn(from, to, n, w, s->direct ? s->step : w, s->scale, s->log);
    if (n < s->axis) memset(to + n * size, 0, (size_t)((s->axis - n) * size));
    if (!s->direct) hy__softmax_move(s, &job->out[0], base, s->axis, w, buffer, 1);
}

static void hy__run_softmax(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__softmax *s = (const hy__softmax *)(const void *)&job->plan;
    int64_t strip = item * s->batch, end = strip + s->batch, all = s->outer * s->strips;
    (void)stage; (void)shared;
    if (end > all) end = all;
    for (; strip < end; strip++) hy__softmax_strip(job, s, strip, (char *)scratch);
}

/* The dims from `first` up to `last` together are the axis. With lengths each vector is a strip. */
static int hy__softmax_bind_over(hy_job *job, int first, int last, double scale, int log_too, int lengths)
{
    hy__softmax *s = (hy__softmax *)(void *)&job->plan;
    const hy_shape *x = &job->in[0].type.shape;
    hy_dtype in = job->in[0].type.dtype, out = job->out[0].type.dtype;
    int64_t total = hy__size(x);
    if (!hy__floating(out)) return hy__refuse_dtype(job, out);
    s->outer = hy__product(x, 0, first);
    s->axis = hy__product(x, first, last);
    s->inner = s->step = hy__product(x, last, x->ndim);
    s->outer_step = s->axis * s->inner;
    s->column_step = 1;
    s->scale = scale;
    s->log = log_too;
    s->lengths = lengths;
    s->compute = in == HY_F64 || out == HY_F64 ? HY_F64 : HY_F32;
    if (s->inner == 1 && s->outer >= 8 && s->axis <= 32 && !lengths) {
        s->inner = s->outer;
        s->column_step = s->axis;
        s->outer = 1;
    }
    s->width = s->inner < 8 || lengths ? 1 : s->inner < HY__TILE ? s->inner : s->axis > 256 ? 64 : HY__TILE;
    s->direct = in == s->compute && out == s->compute && s->column_step == 1 &&
                (s->inner == 1 || s->width > 1);
    s->strips = hy__pieces(s->inner, s->width);
    s->batch = total ? HY__CHUNK / 2 / (s->axis * s->width) + 1 : 1;
    job->scratch = s->direct || !total ? 0 : (size_t)(s->axis * s->width * hy__traits[s->compute].size);
    return hy__one_stage(job, hy__run_softmax, total ? hy__pieces(s->outer * s->strips, s->batch) : 0,
                         (s->compute == HY_F64 ? 10 : 1) * (double)total);
}

static int hy__softmax_infer_axis(hy_infer *I, int axis, double temperature, hy_dtype dtype)
{
    if ((unsigned)dtype >= HY_DTYPE_COUNT)
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "dtype %d is no type", (int)dtype);
    if (!(temperature != 0 && temperature - temperature == 0))
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "the temperature must be finite and not 0");
    hy_infer_type(I, &I->out[0].dtype, dtype ? dtype : I->in[0].dtype);
    if (!dtype) hy_infer_type(I, &I->in[0].dtype, I->out[0].dtype);
    hy_infer_same(I, &I->in[0].shape, &I->out[0].shape);
    if (I->status >= 0 && I->in[0].shape.ndim >= 0) hy__infer_axis(I, axis, I->in[0].shape.ndim);
    return I->status;
}

/* softmax: dx = scale y (dy - sum(y dy)); its log: dx = scale (dy - exp(y) sum(dy)). */
static void hy__softmax_grad_over(hy_frame *F, hy_diff *D, hy_ints axes, int exclude, double scale,
                                  int log_too)
{
    hy_array *x = D->in[0], *y = D->out[0], *dy = D->dy[0], *g;
    hy_reduce_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.keepdims = 1;
    opt.exclude = exclude;
    if (!dy) return;
    g = hy_sum(F, log_too ? dy : hy_mul(F, y, dy), axes, &opt);
    if (log_too) g = hy_sub(F, dy, hy_mul(F, hy_exp(F, y), g));
    else g = hy_mul(F, y, hy_sub(F, dy, g));
    if (scale != 1) g = hy_mul_scalar(F, g, scale);
    D->dx[0] = x->t.type.dtype == y->t.type.dtype ? g : hy_cast(F, g, x->t.type.dtype);
}

/* softmax, log_softmax and softmin differ in the sign of the scale and in the logarithm. They fall apart
 * along any axis but that of the sums. */
#define HY__SOFTMAX_FAMILY(name, sign, log_too) \
    static int hy__##name##_infer_plain(hy_infer *I) \
    { \
        const hy__##name##_rec *r = (const hy__##name##_rec *)I->attr; \
        return hy__softmax_infer_axis(I, r->axis, r->temperature, r->dtype); \
    } \
    static int hy__##name##_bind(hy_job *job) \
    { \
        const hy__##name##_rec *r = (const hy__##name##_rec *)job->attr; \
        int at = hy__axis(r->axis, job->in[0].type.shape.ndim); \
        return hy__softmax_bind_over(job, at, at + 1, sign / r->temperature, log_too, job->nin > 1); \
    } \
    static int hy__##name##_grad(hy_frame *F, hy_diff *D) \
    { \
        const hy__##name##_rec *r = (const hy__##name##_rec *)D->attr; \
        hy__softmax_grad_over(F, D, HY_AXES(r->axis), 0, sign / r->temperature, log_too); \
        return 0; \
    } \
    static int hy__##name##_split(const hy_job *job, int axis, hy_slicing *s) \
    { \
        int at = hy__axis(((const hy__##name##_rec *)job->attr)->axis, job->in[0].type.shape.ndim); \
        s->axis[0] = axis; \
        if (job->nin > 1) s->axis[1] = axis - (axis > at); \
        return axis != at; \
    }
HY__SOFTMAX_FAMILY(softmax, 1, 0)
HY__SOFTMAX_FAMILY(log_softmax, 1, 1)
HY__SOFTMAX_FAMILY(softmin, -1, 0)
#undef HY__SOFTMAX_FAMILY

static int hy__softmax_infer(hy_infer *I)
{
    hy_shape *x = &I->in[0].shape, rest;
    int d, at;
    if (hy__softmax_infer_plain(I) < 0 || I->nin < 2) return I->status;
    if (!I->in[1].dtype) hy_infer_type(I, &I->in[1].dtype, HY_I32);
    if (x->ndim < 0) return I->status;
    at = hy__axis(((const hy__softmax_rec *)I->attr)->axis, x->ndim);
    rest = hy__rank(x->ndim - 1);
    for (d = 0; d < rest.ndim; d++) rest.dim[d] = x->dim[d + (d >= at)];
    hy_infer_shape(I, &I->in[1].shape, rest);
    for (d = 0; d < rest.ndim && I->status >= 0; d++)
        hy_infer_dim(I, &x->dim[d + (d >= at)], I->in[1].shape.dim[d]);
    return I->status;
}
#define HY__ON_softmax hy__softmax_infer, hy__softmax_bind, hy__softmax_grad, hy__softmax_split
#define HY__ON_log_softmax hy__log_softmax_infer_plain, hy__log_softmax_bind, hy__log_softmax_grad, \
    hy__log_softmax_split
#define HY__ON_softmin hy__softmin_infer_plain, hy__softmin_bind, hy__softmin_grad, hy__softmin_split

/* Samples do not know each other. */
static int hy__first_axis_split(const hy_job *job, int axis, hy_slicing *s)
{
    int i;
    for (i = 0; i < job->nin; i++) s->axis[i] = 0;
    return axis == 0;
}

static int hy__softmax_activation_infer(hy_infer *I)
{
    int least = ((const hy__softmax_activation_rec *)I->attr)->mode == HY_SOFTMAX_CHANNEL ? 2 : 1;
    hy_infer_pointwise(I);
    if (I->status >= 0 && I->in[0].shape.ndim >= 0 && I->in[0].shape.ndim < least)
        return hy_infer_fail(I, HY_ERROR_SHAPE, "data needs at least %d dims", least);
    return I->status;
}
static int hy__softmax_activation_bind(hy_job *job)
{
    int channel = ((const hy__softmax_activation_rec *)job->attr)->mode == HY_SOFTMAX_CHANNEL;
    return hy__softmax_bind_over(job, 1, channel ? 2 : job->in[0].type.shape.ndim, 1, 0, 0);
}
static int hy__softmax_activation_grad(hy_frame *F, hy_diff *D)
{
    int channel = ((const hy__softmax_activation_rec *)D->attr)->mode == HY_SOFTMAX_CHANNEL;
    hy__softmax_grad_over(F, D, channel ? HY_AXES(1) : HY_AXES(0), !channel, 1, 0);
    return 0;
}
#define HY__ON_softmax_activation hy__softmax_activation_infer, hy__softmax_activation_bind, \
    hy__softmax_activation_grad, hy__first_axis_split

/* --- softmax_output: the softmax's classes are axis 1 (multi_output), the last axis (preserve_shape), or all
 * but the batch --- */
static void hy__softmax_output_dims(const hy_shape *x, int multi, int preserve, int *first, int *last)
{
    *first = preserve && !multi ? x->ndim - 1 : 1;
    *last = multi ? 2 : x->ndim;
}

/* One label for each softmax, in any arrangement, or one probability for each element. */
static int hy__softmax_output_infer_dims(hy_infer *I, int multi, int preserve, int normalization)
{
    hy_shape *x = &I->in[0].shape, *label = &I->in[1].shape, want;
    int first, last, d;
    if (normalization < 0 || normalization > HY_NORMALIZE_VALID)
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "normalization is %d", normalization);
    hy_infer_type(I, &I->in[0].dtype, I->out[0].dtype);
    hy_infer_type(I, &I->out[0].dtype, I->in[0].dtype);
    if (!I->in[1].dtype) hy_infer_type(I, &I->in[1].dtype, I->in[0].dtype);
    hy_infer_same(I, x, &I->out[0].shape);
    if (I->status < 0 || x->ndim < 0) return I->status;
    if (x->ndim < 1 + (multi != 0)) return hy_infer_fail(I, HY_ERROR_SHAPE, "data has too few dims: %z", x);
    hy__softmax_output_dims(x, multi, preserve, &first, &last);
    want = *x;
    for (want.ndim = d = 0; d < x->ndim; d++) if (d < first || d >= last) want.dim[want.ndim++] = x->dim[d];
    if (label->ndim < 0 && multi) {                     /* (N, all places) */
        hy_shape places = *x;
        places.dim[0] = places.dim[1] = 1;
        want = hy__shape2(x->dim[0], hy__size(&places));
    }
    if (label->ndim < 0) hy_infer_shape(I, label, want);
    else if (label->ndim == want.ndim && label->ndim != x->ndim) hy_infer_same(I, label, &want);
    else if (hy__shape_known(x) && hy__shape_known(label) && !hy__same_shape(x, label) &&
             hy__size(label) != hy__size(&want))
        return hy_infer_fail(I, HY_ERROR_SHAPE, "labels %z do not belong to data %z", label, x);
    return I->status;
}
static int hy__softmax_output_infer(hy_infer *I)
{
    const hy__softmax_output_rec *r = (const hy__softmax_output_rec *)I->attr;
    return hy__softmax_output_infer_dims(I, r->multi_output, r->preserve_shape, r->normalization);
}
static int hy__softmax_output_bind(hy_job *job)
{
    const hy__softmax_output_rec *r = (const hy__softmax_output_rec *)job->attr;
    int first, last;
    hy__softmax_output_dims(&job->in[0].type.shape, r->multi_output, r->preserve_shape, &first, &last);
    return hy__softmax_bind_over(job, first, last, 1, 0, 0);
}
static int hy__softmax_output_backward(hy_frame *F, hy_diff *D)
{
    hy___softmax_output_grad_rec r;
    hy_array *in[2], *g;
    memcpy(&r, D->attr, sizeof r);                      /* the same attributes */
    in[0] = D->out[0];
    in[1] = D->in[1];
    g = hy__emit_args(F, F->root->ops[HY_OP__softmax_output_grad], in, &r);
    D->dx[0] = r.out_grad && D->dy[0] ? hy_mul(F, g, D->dy[0]) : g;
    return 0;
}
#define HY__ON_softmax_output hy__softmax_output_infer, hy__softmax_output_bind, \
    hy__softmax_output_backward, NULL

static int hy__softmax_output_grad_infer(hy_infer *I)
{
    const hy___softmax_output_grad_rec *r = (const hy___softmax_output_grad_rec *)I->attr;
    return hy__softmax_output_infer_dims(I, r->multi_output, r->preserve_shape, r->normalization);
}

/* What plan.i holds: the array is (outer, axis, inner), axis being the classes. */
enum { HY__OUTPUT_AXIS, HY__OUTPUT_INNER, HY__OUTPUT_LABELS };

/* The number that the gradient is multiplied by. */
static double hy__softmax_output_factor(const hy_job *job)
{
    const hy___softmax_output_grad_rec *r = (const hy___softmax_output_grad_rec *)job->attr;
    int64_t labels = job->plan.i[HY__OUTPUT_LABELS], share = 1, i;
    if (!labels) return r->grad_scale;                  /* probabilities */
    if (r->normalization == HY_NORMALIZE_VALID) {
        for (share = i = 0; i < labels; i++) share += hy__number(&job->in[1], i) != r->ignore_label;
        return r->grad_scale / (share > 0 ? (double)share : 1);
    }
    if (r->normalization == HY_NORMALIZE_BATCH)
        share = r->multi_output ? job->in[0].type.shape.dim[0] : labels;
    if (r->multi_output) share *= job->plan.i[HY__OUTPUT_INNER];
    return r->grad_scale / (double)share;
}

/* (p - want) factor; want is 1 - alpha for the label's class and alpha / (classes - 1) for the others. */
static void hy__run_softmax_output_grad(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy___softmax_output_grad_rec *r = (const hy___softmax_output_grad_rec *)job->attr;
    const hy_tensor *p = &job->in[0], *label = &job->in[1];
    int64_t i = item * HY__CHUNK, end = i + HY__CHUNK, total = hy__size(&p->type.shape), n, j;
    int64_t axis = job->plan.i[HY__OUTPUT_AXIS], inner = job->plan.i[HY__OUTPUT_INNER];
    int probabilities = !job->plan.i[HY__OUTPUT_LABELS];
    double v[HY__TILE], alpha = r->multi_output ? 0 : r->smooth_alpha, *factor = (double *)shared;
    double other = axis > 1 ? alpha / (double)(axis - 1) : 0;
    (void)scratch;
    if (stage == 0) { *factor = hy__softmax_output_factor(job); return; }
    if (end > total) end = total;
    for (; i < end; i += n) {
        n = end - i < HY__TILE ? end - i : HY__TILE;
        hy__load_f64(v, hy__place(p, i), p->type.dtype, 1, n);
        for (j = 0; j < n; j++) {
            int64_t at = i + j, class_of = at / inner % axis;
            int64_t place = at / (inner * axis) * inner + at % inner;
            double want = hy__number(label, probabilities ? at : place);
            if (probabilities) v[j] -= want;
            else if (r->use_ignore && want == r->ignore_label) v[j] = 0;
            else v[j] -= want == (double)class_of ? 1 - alpha : other;
            v[j] *= *factor;
        }
        hy__store_f64(hy__place(&job->out[0], i), p->type.dtype, 1, v, n);
    }
}
static int hy__softmax_output_grad_bind(hy_job *job)
{
    const hy___softmax_output_grad_rec *r = (const hy___softmax_output_grad_rec *)job->attr;
    const hy_shape *x = &job->in[0].type.shape, *label = &job->in[1].type.shape;
    int64_t total = hy__size(x);
    int first, last;
    if (!hy__floating(job->in[0].type.dtype)) return hy__refuse_dtype(job, job->in[0].type.dtype);
    hy__softmax_output_dims(x, r->multi_output, r->preserve_shape, &first, &last);
    job->plan.i[HY__OUTPUT_AXIS] = hy__product(x, first, last);
    job->plan.i[HY__OUTPUT_INNER] = hy__product(x, last, x->ndim);
    job->plan.i[HY__OUTPUT_LABELS] = hy__same_shape(x, label) ? 0 : hy__size(label);
    hy__one_stage(job, hy__run_softmax_output_grad, 1, 4 * (double)total);
    job->stages = 2;
    job->items[1] = hy__pieces(total, HY__CHUNK);
    job->shared = sizeof(double);
    return 0;
}
static int hy__without_gradient(hy_frame *F, hy_diff *D)
{
    HY_NO_GRADIENT;
    return 0;
}
#define HY__ON__softmax_output_grad hy__softmax_output_grad_infer, hy__softmax_output_grad_bind, \
    hy__without_gradient, NULL

/* --- losses whose gradient starts at them: what comes from above does not count --- */
static int hy__regression_infer(hy_infer *I)
{
    hy_shape *x = &I->in[0].shape, *label = &I->in[1].shape;
    hy__same_types(I);
    hy_infer_same(I, x, &I->out[0].shape);
    if (I->status < 0 || x->ndim < 0) return I->status;
    if (x->ndim == 2 && (label->ndim == 1 || (label->ndim < 0 && x->dim[1] == 1))) {    /* (N,1) with (N,) */
        hy_infer_dim(I, &x->dim[1], 1);
        hy_infer_shape(I, label, hy__shape1(x->dim[0]));
        if (I->status >= 0) hy_infer_dim(I, &x->dim[0], label->dim[0]);
    } else hy_infer_same(I, x, label);
    return I->status;
}
static int hy__logistic_bind(hy_job *job)
{
    hy_dtype compute = hy__compute_type(job->in[0].type.dtype, 0);
    int nin = job->nin;
    job->nin = 1;
    hy__plan_pointwise(job, compute);
    job->nin = nin;
    return hy__finish_pointwise(job, hy__pointwise_of(job, compute)->unary[HY__UNARY_sigmoid], 1);
}

/* y - label, divided by the labels of a sample. */
static hy_array *hy__regression_error(hy_frame *F, const hy_diff *D)
{
    return hy_sub(F, D->out[0], hy_reshape_like(F, D->in[1], D->out[0], NULL));
}
static int hy__regression_scale(hy_frame *F, hy_diff *D, hy_array *g, double scale)
{
    const hy_shape *label = &D->in[1]->t.type.shape;
    int64_t each = label->ndim > 1 ? hy__product(label, 1, label->ndim) : 1;
    D->dx[0] = hy_mul_scalar(F, g, each ? scale / (double)each : 0);
    return 0;
}
static int hy__linear_regression_grad(hy_frame *F, hy_diff *D)
{
    const hy__linear_regression_output_rec *r = (const hy__linear_regression_output_rec *)D->attr;
    return hy__regression_scale(F, D, hy__regression_error(F, D), r->grad_scale);
}
static int hy__logistic_regression_grad(hy_frame *F, hy_diff *D)
{
    const hy__logistic_regression_output_rec *r = (const hy__logistic_regression_output_rec *)D->attr;
    return hy__regression_scale(F, D, hy__regression_error(F, D), r->grad_scale);
}
static int hy__mae_regression_grad(hy_frame *F, hy_diff *D)
{
    const hy__mae_regression_output_rec *r = (const hy__mae_regression_output_rec *)D->attr;
    return hy__regression_scale(F, D, hy_sign(F, hy__regression_error(F, D)), r->grad_scale);
}
#define HY__ON_linear_regression_output hy__regression_infer, hy__copy_bind, hy__linear_regression_grad, \
    hy__first_axis_split
#define HY__ON_logistic_regression_output hy__regression_infer, hy__logistic_bind, \
    hy__logistic_regression_grad, hy__first_axis_split
#define HY__ON_mae_regression_output hy__regression_infer, hy__copy_bind, hy__mae_regression_grad, \
    hy__first_axis_split

static int hy__make_loss_infer(hy_infer *I)
{
    int normalization = ((const hy__make_loss_rec *)I->attr)->normalization;
    if (normalization < 0 || normalization > HY_NORMALIZE_VALID)
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "normalization is %d", normalization);
    return hy_infer_pointwise(I);
}
static int hy__make_loss_grad(hy_frame *F, hy_diff *D)
{
    const hy__make_loss_rec *r = (const hy__make_loss_rec *)D->attr;
    hy_array *x = D->in[0], *g = hy_mul_scalar(F, hy_ones_like(F, x), r->grad_scale), *valid;
    const hy_shape *shape = &x->t.type.shape;
    if (r->normalization == HY_NORMALIZE_BATCH && shape->ndim > 0 && shape->dim[0] > 0)
        g = hy_div_scalar(F, g, (double)shape->dim[0]);
    if (r->normalization == HY_NORMALIZE_VALID) {
        valid = hy_sum(F, hy_greater_scalar(F, x, r->valid_thresh), HY_ALL, NULL);
        g = hy_div(F, g, hy_maximum_scalar(F, valid, 1));
    }
    D->dx[0] = g;
    return 0;
}
#define HY__ON_make_loss hy__make_loss_infer, hy__copy_bind, hy__make_loss_grad, hy__pointwise_split

/* --- softmax_cross_entropy: stage 0 leaves -log p of each row's label, stage 1 sums --- */
static int hy__softmax_cross_entropy_infer(hy_infer *I)
{
    hy_shape *x = &I->in[0].shape, *label = &I->in[1].shape;
    hy_infer_type(I, &I->in[0].dtype, I->out[0].dtype);
    hy_infer_type(I, &I->out[0].dtype, I->in[0].dtype);
    if (!I->in[1].dtype) hy_infer_type(I, &I->in[1].dtype, I->in[0].dtype);
    hy_infer_shape(I, x, hy__rank(2));
    hy_infer_shape(I, label, hy__rank(1));
    hy_infer_shape(I, &I->out[0].shape, hy__shape1(1));
    if (I->status < 0) return -1;
    hy_infer_dim(I, &x->dim[0], label->dim[0]);
    hy_infer_dim(I, &label->dim[0], x->dim[0]);
    return I->status;
}
static void hy__run_softmax_cross_entropy(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy_tensor *x = &job->in[0], *label = &job->in[1];
    int64_t rows = x->type.shape.dim[0], classes = x->type.shape.dim[1], batch = job->plan.i[0];
    int64_t row = item * batch, end = row + batch < rows ? row + batch : rows;
    hy_dtype compute = hy__compute_type(x->type.dtype, 0);
    double *loss = (double *)shared, total = 0;
    if (stage == 1) {
        for (row = 0; row < rows; row++) total += loss[row];
        hy__store(job->out[0].data, job->out[0].type.dtype, total);
        return;
    }
    for (; row < end; row++) {
        int64_t at = hy__load_i64(hy__place(label, row), label->type.dtype);
        loss[row] = 0;
        if (at < 0 || at >= classes) { hy_fault(job); continue; }
        hy__load_tile(compute, scratch, hy__place(x, row * classes), x->type.dtype, 1, classes);
        hy__softmax_for(compute, job->kernels->isa)(scratch, scratch, classes, 1, 1, 1, 1);
        loss[row] = -hy__load((const char *)scratch + at * hy__traits[compute].size, compute);
    }
}
static int hy__softmax_cross_entropy_bind(hy_job *job)
{
    const hy_shape *x = &job->in[0].type.shape;
    hy_dtype dtype = job->in[0].type.dtype;
    if (!hy__floating(dtype)) return hy__refuse_dtype(job, dtype);
    job->plan.i[0] = HY__CHUNK / 2 / (x->dim[1] + 1) + 1;
    hy__one_stage(job, hy__run_softmax_cross_entropy, hy__pieces(x->dim[0], job->plan.i[0]),
                  2 * (double)hy__size(x));
    job->stages = 2;
    job->items[1] = 1;
    job->scratch = (size_t)(x->dim[1] * hy__traits[hy__compute_type(dtype, 0)].size);
    job->shared = (size_t)x->dim[0] * sizeof(double);
    job->fault_text = "a label is no class";
    return 0;
}
/* dx = dy (softmax(x) - the label's unit vector). */
static int hy__softmax_cross_entropy_grad(hy_frame *F, hy_diff *D)
{
    hy_array *x = D->in[0], *unit;
    hy_one_hot_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.dtype = x->t.type.dtype;
    if (!D->dy[0]) return 0;
    unit = hy_one_hot(F, D->in[1], (int)x->t.type.shape.dim[1], &opt);
    D->dx[0] = hy_mul(F, hy_sub(F, hy_softmax(F, x, NULL, -1, NULL), unit), D->dy[0]);
    return 0;
}
#define HY__ON_softmax_cross_entropy hy__softmax_cross_entropy_infer, hy__softmax_cross_entropy_bind, \
    hy__softmax_cross_entropy_grad, NULL

/* --- normalisation --- *
 * Every operator here sees its array as (batch, outer, mid, inner), and each (batch, mid) is a set of `count`
 * elements, outer times inner. batch_norm is (1, N, C, places), norms of whole rows are (1, 1, rows, n), and
 * those along an axis with something behind it (before, axis, behind, 1). With inner == 1 a block is `width`
 * sets side by side, else one set. A block may fall into parts: then stage 0 leaves their sums in shared
 * memory, and stage 1 joins them, always in the same order. */
enum { HY__NORMS_OWN, HY__NORMS_LENGTH, HY__NORMS_GIVEN };  /* of the set; its squares only; inputs 3, 4 */
enum { HY__PARAM_NONE, HY__PARAM_SET, HY__PARAM_OUTER, HY__PARAM_INNER };   /* what has a gamma of its own */
typedef struct hy__norms {
    int64_t  batch, outer, mid, inner, count, width, blocks, parts, many;   /* many: blocks of an item */
    int64_t  params;                    /* values of gamma; sets take them in turn */
    hy_dtype compute;
    int      stats, param, use_gamma;
    int      root;                      /* the last output is sqrt(var + eps), not its reciprocal */
    int      update;                    /* of the moving statistics */
    int      backward, batch_stats;     /* the gradient; mean and rstd depend on the data */
    double   eps, momentum;
} hy__norms;
typedef struct hy__norms_block {
    int64_t first, mid, width;          /* number of the first set, its mid, how many */
    double  one[HY__TILE], two[HY__TILE];       /* mean, squared deviations; or sum(dy), sum(dy (x - mean)) */
} hy__norms_block;
typedef struct hy__norms_run { int64_t at, runs, n, elements; } hy__norms_run;    /* elements: of each set */

static void hy__norms_block_at(const hy__norms *k, int64_t block, hy__norms_block *b)
{
    int64_t per_batch = hy__pieces(k->mid, k->width);
    b->mid = block % per_batch * k->width;
    b->first = block / per_batch * k->mid + b->mid;
    b->width = k->mid - b->mid < k->width ? k->mid - b->mid : k->width;
}

/* What kernels take at once of a block's elements [e, end). */
static hy__norms_run hy__norms_next(const hy__norms *k, const hy__norms_block *b, int64_t e, int64_t end,
                                    int direct)
{
    int64_t outer = b->first / k->mid * k->outer + e / k->inner;
    int64_t limit = direct ? (int64_t)HY__SPAN * HY__DEAL : (int64_t)HY__TILE;
    hy__norms_run run;
    run.at = (outer * k->mid + b->mid) * k->inner + e % k->inner;
    run.runs = 1;
    if (k->inner == 1) {
        run.n = b->width;
        if (direct) run.runs = end - e < HY__SPAN ? end - e : (int64_t)HY__SPAN;
        run.elements = run.runs;
        return run;
    }
    run.n = k->inner - e % k->inner;
    if (run.n > end - e) run.n = end - e;
    if (run.n > limit) run.n = limit;
    if (run.n == k->inner && direct) run.runs = (end - e < limit ? end - e : limit) / k->inner;
    run.elements = run.runs * run.n;
    return run;
}

/* The elements themselves, or a tile of them in the computing type. */
static const void *hy__norms_load(const hy__norms *k, const hy_tensor *t, int64_t at, int64_t n, void *tile)
{
    if (t->type.dtype == k->compute) return hy__place(t, at);
    hy__load_tile(k->compute, tile, hy__place(t, at), t->type.dtype, 1, n);
    return tile;
}
static void hy__norms_put(const hy_tensor *t, int64_t i, double v)      /* statistics that somebody wants */
{
    if (t->data) hy__store(hy__place(t, i), t->type.dtype, v);
}

/* Sums g and g (x - center) over the elements [e, end) of each set; without g the deviations themselves. */
static void hy__norms_sums(const hy_job *job, const hy__norms *k, const hy__norms_block *b,
                           const hy_tensor *x, const hy_tensor *g, int64_t e, int64_t end,
                           const double *center, double *s1, double *s2)
{
    const hy__norms_table *kernel = hy__norms_for(k->compute, job->kernels->isa);
    double tile[2][HY__TILE];
    const void *with;
    hy__norms_run run;
    int64_t i;
    for (i = 0; i < b->width; i++) s1[i] = s2[i] = 0;
    for (; e < end; e += run.elements) {
        run = hy__norms_next(k, b, e, end, x->type.dtype == k->compute);
        with = g ? hy__norms_load(k, g, run.at, run.n, tile[1]) : NULL;
        kernel->moments(hy__norms_load(k, x, run.at, run.n, tile[0]), with, run.runs, k->mid * k->inner,
                        run.n, k->inner > 1, center, s1, s2);
    }
}

/* Mean and squared deviations of a part: around a first mean, then corrected for the rounding of that. */
static void hy__norms_measure(const hy_job *job, const hy__norms *k, hy__norms_block *b, int64_t e,
                              int64_t end)
{
    const hy_tensor *x = &job->in[0];
    double s1[HY__TILE], center[HY__TILE], n = end > e ? (double)(end - e) : 1;
    int64_t i;
    for (i = 0; i < b->width; i++) center[i] = k->backward ? hy__number(&job->in[3], b->first + i) : 0;
    if (k->backward) hy__norms_sums(job, k, b, &job->in[1], &job->in[0], e, end, center, b->one, b->two);
    if (k->backward || k->stats == HY__NORMS_GIVEN) return;
    if (k->stats == HY__NORMS_OWN) {
        hy__norms_sums(job, k, b, x, NULL, e, end, center, s1, b->two);
        for (i = 0; i < b->width; i++)
            center[i] = k->compute == HY_F64 ? s1[i] / n : (double)(float)(s1[i] / n);
    }
    hy__norms_sums(job, k, b, x, NULL, e, end, center, s1, b->two);
    for (i = 0; i < b->width && k->stats == HY__NORMS_OWN; i++) {
        b->one[i] = center[i] + s1[i] / n;
        b->two[i] -= s1[i] * s1[i] / n;
    }
}

static int64_t hy__norms_cut(const hy__norms *k, int64_t part) { return k->count * part / k->parts; }

/* The parts' sums, (part, 2, width), become those of the block. */
static void hy__norms_join(const hy__norms *k, hy__norms_block *b, const double *kept)
{
    int64_t part, i;
    for (i = 0; i < b->width; i++) b->one[i] = b->two[i] = 0;
    for (part = 0; part < k->parts; part++, kept += 2 * k->width) {
        double had = (double)hy__norms_cut(k, part), all = (double)hy__norms_cut(k, part + 1);
        for (i = 0; i < b->width; i++) {
            double d = kept[i] - b->one[i];
            b->two[i] += kept[k->width + i];
            if (k->backward) b->one[i] += kept[i];
            else if (k->stats == HY__NORMS_OWN) {
                b->one[i] += d * ((all - had) / all);
                b->two[i] += d * d * (had * (all - had) / all);
            }
        }
    }
}

/* old weighs momentum, the new value the rest */
static void hy__norms_move(const hy__norms *k, const hy_tensor *old, int64_t i, double v)
{
    hy__norms_put(old, i, k->momentum * hy__number(old, i) + (1 - k->momentum) * v);
}

/* two becomes 1 / sqrt(var + eps); `keep`: statistics go where they are wanted. */
static void hy__norms_finish(hy_job *job, const hy__norms *k, hy__norms_block *b, int keep)
{
    int64_t i, set;
    for (i = 0; i < b->width; i++) {
        double var = b->two[i], root;
        set = b->first + i;
        if (k->stats == HY__NORMS_LENGTH) b->one[i] = 0;
        if (k->stats == HY__NORMS_OWN) var = k->count ? var / (double)k->count : 0;
        if (k->stats == HY__NORMS_GIVEN) {
            b->one[i] = hy__number(&job->in[3], set);
            var = hy__number(&job->in[4], set);
        }
        root = sqrt(var + k->eps);
        b->two[i] = 1 / root;
        if (!keep) continue;
        hy__norms_put(&job->out[1], set, k->stats == HY__NORMS_LENGTH ? root : b->one[i]);
        if (job->nout > 2) hy__norms_put(&job->out[2], set, k->root ? root : b->two[i]);
        if (!k->update) continue;
        hy__norms_move(k, &job->in[3], set, b->one[i]);
        hy__norms_move(k, &job->in[4], set, var);
    }
}

/* y = (x - mean) rstd gamma + beta for the elements [e, end) of each set. */
static void hy__norms_forward(hy_job *job, const hy__norms *k, hy__norms_block *b, int64_t e, int64_t end,
                              int keep)
{
    const hy__norms_table *kernel = hy__norms_for(k->compute, job->kernels->isa);
    const hy_tensor *x = &job->in[0], *y = &job->out[0], *gamma = &job->in[1], *beta = &job->in[2];
    double gain[HY__TILE], shift[HY__TILE], narrow[4][HY__TILE], tile[2][HY__TILE];
    int direct = x->type.dtype == k->compute, sets = k->inner == 1, of_inner = k->param == HY__PARAM_INNER;
    int own = of_inner || k->param == HY__PARAM_OUTER;      /* gamma and beta change within the set */
    int64_t i, r;
    hy__norms_finish(job, k, b, keep);
    for (i = 0; i < b->width; i++) {
        int64_t at = k->param == HY__PARAM_SET ? (b->first + i) % k->params : 0;
        gain[i] = k->param == HY__PARAM_SET && k->use_gamma ? hy__number(gamma, at) : 1;
        shift[i] = k->param == HY__PARAM_SET ? hy__number(beta, at) : 0;
    }
    hy__store_f64(narrow[0], k->compute, 1, b->one, b->width);
    hy__store_f64(narrow[1], k->compute, 1, b->two, b->width);
    hy__store_f64(narrow[2], k->compute, 1, gain, b->width);
    hy__store_f64(narrow[3], k->compute, 1, shift, b->width);
    while (e < end) {
        hy__norms_run run = hy__norms_next(k, b, e, end, direct);
        for (r = 0; r < run.runs; r++, e += sets ? 1 : run.n) {
            int64_t at = run.at + r * k->mid * k->inner, of = of_inner ? e % k->inner : e / k->inner;
            int64_t params = of_inner ? run.n : 1;
            const void *from = hy__norms_load(k, x, at, run.n, tile[0]);
            const void *times = own ? hy__norms_load(k, gamma, of, params, narrow[2]) : narrow[2];
            const void *plus = own ? hy__norms_load(k, beta, of, params, narrow[3]) : narrow[3];
            void *to = direct ? (void *)hy__place(y, at) : (void *)tile[1];
            kernel->scale(from, to, run.n, narrow[0], narrow[1], sets, times, plus, own ? of_inner : sets);
            if (!direct) hy__store_tile(k->compute, hy__place(y, at), y->type.dtype, 1, to, run.n);
        }
    }
}

/* dx = rstd gamma (dy - (sum(dy) + u sum(dy u)) / count) with u = (x - mean) rstd; without the sums if mean
 * and rstd do not depend on x. */
static void hy__norms_backward(hy_job *job, const hy__norms *k, hy__norms_block *b, int64_t e, int64_t end,
                               int keep)
{
    const hy__norms_table *kernel = hy__norms_for(k->compute, job->kernels->isa);
    const hy_tensor *dy = &job->in[0], *x = &job->in[1], *dx = &job->out[0];
    double v[4][HY__TILE], narrow[4][HY__TILE], tile[3][HY__TILE];
    const void *part[4];
    int direct = x->type.dtype == k->compute;
    int64_t i, r;
    for (i = 0; i < b->width; i++) {
        int64_t set = b->first + i;
        double rstd = hy__number(&job->in[4], set), dot = b->two[i] * rstd;
        v[0][i] = k->batch_stats ? b->one[i] / (double)k->count : 0;
        v[1][i] = hy__number(&job->in[3], set);
        v[2][i] = k->batch_stats ? -rstd * dot / (double)k->count : 0;
        v[3][i] = rstd * (k->use_gamma ? hy__number(&job->in[2], set) : 1);
        if (!keep) continue;
        hy__norms_put(&job->out[1], set, k->use_gamma ? dot : 0);
        hy__norms_put(&job->out[2], set, b->one[i]);
    }
    for (i = 0; i < 4; i++) {
        hy__store_f64(narrow[i], k->compute, 1, v[i], b->width);
        part[i] = narrow[i];
    }
    while (e < end) {
        hy__norms_run run = hy__norms_next(k, b, e, end, direct);
        for (r = 0; r < run.runs; r++) {
            int64_t at = run.at + r * k->mid * k->inner;
            const void *g = hy__norms_load(k, dy, at, run.n, tile[0]);
            const void *from = hy__norms_load(k, x, at, run.n, tile[1]);
            void *to = direct ? (void *)hy__place(dx, at) : (void *)tile[2];
            kernel->blend(g, from, to, run.n, part, k->inner == 1);
            if (!direct) hy__store_tile(k->compute, hy__place(dx, at), dx->type.dtype, 1, to, run.n);
        }
        e += run.elements;
    }
}

static void hy__run_norms(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__norms *k = (const hy__norms *)(const void *)&job->plan;
    int64_t block = item / k->parts * k->many, end = block + k->many, part = item % k->parts;
    int64_t low = hy__norms_cut(k, part), high = hy__norms_cut(k, part + 1);
    hy__norms_block b;
    (void)scratch;
    if (end > k->blocks) end = k->blocks;
    for (; block < end; block++) {
        double *kept = (double *)shared + block * k->parts * 2 * k->width, *mine = kept + part * 2 * k->width;
        hy__norms_block_at(k, block, &b);
        if (job->stages == 1) hy__norms_measure(job, k, &b, low, high);
        else if (stage == 1) hy__norms_join(k, &b, kept);
        else {
            hy__norms_measure(job, k, &b, low, high);
            memcpy(mine, b.one, (size_t)b.width * sizeof *mine);
            memcpy(mine + k->width, b.two, (size_t)b.width * sizeof *mine);
            continue;
        }
        if (k->backward) hy__norms_backward(job, k, &b, low, high, part == 0);
        else hy__norms_forward(job, k, &b, low, high, part == 0);
    }
}

/* The caller has set batch, outer, mid, inner and what else is not zero. */
static int hy__norms_bind(hy_job *job, const hy__norms *given)
{
    hy__norms *k = (hy__norms *)(void *)&job->plan;
    hy_dtype dtype = job->in[0].type.dtype;
    double total;
    int64_t work;
    if (!hy__floating(dtype)) return hy__refuse_dtype(job, dtype);
    *k = *given;
    if (k->mid == 1) { k->inner *= k->outer; k->outer = 1; }
    k->compute = hy__compute_type(dtype, 0);
    k->count = k->outer * k->inner;
    k->width = k->inner != 1 ? 1 : k->count < HY__SPAN ? HY__TILE : HY__SPAN;
    if (k->width > k->mid) k->width = k->mid ? k->mid : 1;
    k->blocks = k->batch * hy__pieces(k->mid, k->width);
    work = k->count * k->width;
    k->parts = k->blocks >= 16 || work < 1 << 16 ? 1 : work >> 21 ? 64 : work >> 15;
    k->many = work < 1 << 13 && k->parts == 1 ? (1 << 13) / (work + 1) + 1 : 1;
    total = (double)k->batch * (double)k->mid * (double)k->count;
    hy__one_stage(job, hy__run_norms, hy__pieces(k->blocks, k->many) * k->parts,
                  (k->compute == HY_F64 ? 2 : 1) * total + 100);
    if (k->parts == 1 || (k->stats == HY__NORMS_GIVEN && !k->backward)) return 0;
    job->stages = 2;
    job->items[1] = job->items[0];
    job->shared = (size_t)(k->blocks * k->parts * 2 * k->width) * sizeof(double);
    return 0;
}

/* A vector that belongs to one dim. */
static void hy__infer_vector(hy_infer *I, hy_shape *vector, int64_t *dim)
{
    hy_infer_shape(I, vector, hy__shape1(*dim));
    if (I->status >= 0) hy_infer_dim(I, dim, vector->dim[0]);
}
static int hy__infer_eps(hy_infer *I, double eps)
{
    return eps >= 0 ? 0 : hy_infer_fail(I, HY_ERROR_ARGUMENT, "eps must not be negative");
}
static int hy__infer_least_dims(hy_infer *I, int least)
{
    if (I->in[0].shape.ndim >= least) return 0;
    return hy_infer_fail(I, HY_ERROR_SHAPE, "data needs at least %d dims, not %z", least, &I->in[0].shape);
}

/* --- batch_norm --- */
static int hy__batch_norm_infer(hy_infer *I)
{
    const hy__batch_norm_rec *r = (const hy__batch_norm_rec *)I->attr;
    hy_shape *x = &I->in[0].shape;
    hy_dtype vectors;
    int64_t channels = -1;
    int i, at, round;
    if (hy__infer_eps(I, r->eps)) return -1;
    hy_infer_type(I, &I->in[0].dtype, I->out[0].dtype);
    hy_infer_type(I, &I->out[0].dtype, I->in[0].dtype);
    vectors = I->in[0].dtype == HY_F16 || I->in[0].dtype == HY_BF16 ? HY_F32 : I->in[0].dtype;
    for (i = 1; i < 5; i++) hy_infer_type(I, &I->in[i].dtype, vectors);
    for (i = 1; i < 3; i++) hy_infer_type(I, &I->out[i].dtype, vectors);
    hy_infer_same(I, x, &I->out[0].shape);
    if (I->status >= 0 && x->ndim >= 0) {
        at = hy__infer_axis(I, r->axis, x->ndim);
        if (at < 0) return -1;
        for (i = 1; i < 5 && I->status >= 0; i++) hy__infer_vector(I, &I->in[i].shape, &x->dim[at]);
        channels = x->dim[at];
    }
    for (round = 0; round < 2; round++)
        for (i = 1; i < 7 && I->status >= 0; i++)
            hy__infer_vector(I, i < 5 ? &I->in[i].shape : &I->out[i - 4].shape, &channels);
    return I->status;
}
static int hy__batch_norm_bind(hy_job *job)
{
    const hy__batch_norm_rec *r = (const hy__batch_norm_rec *)job->attr;
    const hy_shape *x = &job->in[0].type.shape;
    int at = hy__axis(r->axis, x->ndim);
    hy__norms k;
    memset(&k, 0, sizeof k);
    k.batch = 1;
    k.outer = hy__product(x, 0, at);
    k.mid = k.params = x->dim[at];
    k.inner = hy__product(x, at + 1, x->ndim);
    k.stats = job->training && !r->use_global_stats ? HY__NORMS_OWN : HY__NORMS_GIVEN;
    k.update = k.stats == HY__NORMS_OWN && k.outer * k.inner > 0;
    k.param = HY__PARAM_SET;
    k.use_gamma = r->learn_gamma;
    k.eps = r->eps;
    k.momentum = r->momentum;
    return hy__norms_bind(job, &k);
}
static int hy__batch_norm_backward(hy_frame *F, hy_diff *D)
{
    const hy__batch_norm_rec *r = (const hy__batch_norm_rec *)D->attr;
    hy_array *g;
    int i;
    if (!D->dy[0]) return 0;
    g = hy__batch_norm_grad(F, D->dy[0], D->in[0], D->in[1], D->out[1], D->out[2], r->axis,
                            D->training && !r->use_global_stats, r->learn_gamma);
    for (i = 0; i < 3; i++) if (D->want[i] && (i != 1 || r->learn_gamma)) D->dx[i] = hy_get(F, g, i);
    return 0;
}
/* With moving statistics samples do not know each other. */
static int hy__batch_norm_split(const hy_job *job, int axis, hy_slicing *s)
{
    const hy__batch_norm_rec *r = (const hy__batch_norm_rec *)job->attr;
    int i, channel = axis == hy__axis(r->axis, job->in[0].type.shape.ndim);
    s->axis[0] = axis;
    for (i = 1; i < 5; i++) s->axis[i] = channel ? 0 : -1;
    return !job->training || r->use_global_stats;
}
#define HY__ON_batch_norm hy__batch_norm_infer, hy__batch_norm_bind, hy__batch_norm_backward, \
    hy__batch_norm_split

static int hy__batch_norm_grad_infer(hy_infer *I)
{
    const hy___batch_norm_grad_rec *r = (const hy___batch_norm_grad_rec *)I->attr;
    hy_shape *x = &I->in[1].shape;
    int i, at;
    hy_infer_type(I, &I->in[0].dtype, I->in[1].dtype);
    hy_infer_type(I, &I->out[0].dtype, I->in[1].dtype);
    hy_infer_type(I, &I->out[1].dtype, I->in[2].dtype);
    hy_infer_type(I, &I->out[2].dtype, I->in[2].dtype);
    hy_infer_same(I, x, &I->in[0].shape);
    hy_infer_same(I, x, &I->out[0].shape);
    if (I->status < 0 || x->ndim < 0) return I->status;
    at = hy__infer_axis(I, r->axis, x->ndim);
    if (at < 0) return -1;
    for (i = 2; i < 5 && I->status >= 0; i++) hy__infer_vector(I, &I->in[i].shape, &x->dim[at]);
    for (i = 1; i < 3 && I->status >= 0; i++) hy__infer_vector(I, &I->out[i].shape, &x->dim[at]);
    return I->status;
}
static int hy__batch_norm_grad_bind(hy_job *job)
{
    const hy___batch_norm_grad_rec *r = (const hy___batch_norm_grad_rec *)job->attr;
    const hy_shape *x = &job->in[1].type.shape;
    int at = hy__axis(r->axis, x->ndim);
    hy__norms k;
    memset(&k, 0, sizeof k);
    k.batch = 1;
    k.outer = hy__product(x, 0, at);
    k.mid = k.params = x->dim[at];
    k.inner = hy__product(x, at + 1, x->ndim);
    k.backward = 1;
    k.use_gamma = r->learn_gamma;
    k.batch_stats = r->batch_stats;
    return hy__norms_bind(job, &k);
}
#define HY__ON__batch_norm_grad hy__batch_norm_grad_infer, hy__batch_norm_grad_bind, \
    hy__without_gradient, NULL

/* --- layer_norm, group_norm, instance_norm --- */

/* Gradients by differentiable operators, so the statistics are computed again. They are over `axis`; gamma
 * broadcasts to x: dx = rstd (g - mean(g) - u mean(g u)), g = dy gamma, u = (x - mean) rstd. Returns u. */
static hy_array *hy__norms_gradient(hy_frame *F, hy_array *x, hy_array *gamma, hy_array *dy, int axis,
                                    double eps, hy_array **dx)
{
    hy_array *d, *rstd, *u, *g;
    hy_ints axes = HY_AXES(axis);
    hy_reduce_opt keep;
    memset(&keep, 0, sizeof keep);
    keep.keepdims = 1;
    d = hy_sub(F, x, hy_mean(F, x, axes, &keep));
    rstd = hy_rsqrt(F, hy_add_scalar(F, hy_mean(F, hy_square(F, d), axes, &keep), eps));
    u = hy_mul(F, d, rstd);
    if (!dx) return u;
    g = hy_mul(F, dy, gamma);
    d = hy_mul(F, u, hy_mean(F, hy_mul(F, g, u), axes, &keep));
    g = hy_sub(F, hy_sub(F, g, hy_mean(F, g, axes, &keep)), d);
    *dx = hy_mul(F, g, rstd);
    return u;
}

/* Nothing in, nothing out. */
static int hy__norms_grad_empty(hy_frame *F, hy_diff *D)
{
    int i;
    if (hy__size(&D->in[0]->t.type.shape)) return 0;
    for (i = 0; i < D->nin; i++) if (D->want[i]) D->dx[i] = hy_zeros_like(F, D->in[i]);
    return 1;
}

static int hy__layer_norm_infer(hy_infer *I)
{
    const hy__layer_norm_rec *r = (const hy__layer_norm_rec *)I->attr;
    hy_shape *x = &I->in[0].shape, stats;
    int i, at;
    if (hy__infer_eps(I, r->eps)) return -1;
    hy__same_types(I);
    hy_infer_same(I, x, &I->out[0].shape);
    if (I->status < 0 || x->ndim < 0) return I->status;
    at = hy__infer_axis(I, r->axis, x->ndim);
    if (at < 0) return -1;
    for (i = 1; i < 3 && I->status >= 0; i++) hy__infer_vector(I, &I->in[i].shape, &x->dim[at]);
    stats = *x;
    stats.dim[at] = 1;
    for (i = 1; i < 3 && I->status >= 0; i++) hy_infer_shape(I, &I->out[i].shape, stats);
    return I->status;
}
static int hy__layer_norm_bind(hy_job *job)
{
    const hy__layer_norm_rec *r = (const hy__layer_norm_rec *)job->attr;
    const hy_shape *x = &job->in[0].type.shape;
    int at = hy__axis(r->axis, x->ndim);
    int64_t before = hy__product(x, 0, at), behind = hy__product(x, at + 1, x->ndim);
    hy__norms k;
    memset(&k, 0, sizeof k);
    k.params = x->dim[at];
    if (behind == 1) { k.batch = k.outer = 1; k.mid = before; k.inner = k.params; }
    else { k.batch = before; k.outer = k.params; k.mid = behind; k.inner = 1; }
    k.param = k.inner == 1 ? HY__PARAM_OUTER : HY__PARAM_INNER;
    k.use_gamma = k.root = 1;
    k.eps = r->eps;
    return hy__norms_bind(job, &k);
}
static int hy__layer_norm_grad(hy_frame *F, hy_diff *D)
{
    const hy__layer_norm_rec *r = (const hy__layer_norm_rec *)D->attr;
    hy_array *x = D->in[0], *dy = D->dy[0], *gamma = D->in[1], *u;
    int d, at = hy__axis(r->axis, x->t.type.shape.ndim);
    hy_ints shape;
    hy_reduce_opt others;
    if (!dy || hy__norms_grad_empty(F, D)) return 0;
    memset(&others, 0, sizeof others);
    others.exclude = 1;
    shape.n = x->t.type.shape.ndim - at;                /* from axis on, to broadcast */
    for (d = 0; d < shape.n; d++) shape.v[d] = d ? 1 : x->t.type.shape.dim[at];
    if (shape.n > 1) gamma = hy_reshape(F, gamma, shape, NULL);
    u = hy__norms_gradient(F, x, gamma, dy, at, r->eps, D->want[0] ? &D->dx[0] : NULL);
    if (D->want[1]) D->dx[1] = hy_sum(F, hy_mul(F, dy, u), HY_AXES(at), &others);
    if (D->want[2]) D->dx[2] = hy_sum(F, dy, HY_AXES(at), &others);
    return 0;
}
static int hy__layer_norm_split(const hy_job *job, int axis, hy_slicing *s)
{
    s->axis[0] = axis;
    s->axis[1] = s->axis[2] = -1;
    return axis != hy__axis(((const hy__layer_norm_rec *)job->attr)->axis, job->in[0].type.shape.ndim);
}
#define HY__ON_layer_norm hy__layer_norm_infer, hy__layer_norm_bind, hy__layer_norm_grad, hy__layer_norm_split

/* group_norm and instance_norm: channels in `groups`, 0 meaning each by itself. */
static int hy__groups_infer(hy_infer *I, int groups, double eps)
{
    hy_shape *x = &I->in[0].shape, stats;
    int64_t sets, *of;
    int i;
    if (hy__infer_eps(I, eps)) return -1;
    hy__same_types(I);
    hy_infer_same(I, x, &I->out[0].shape);
    if (I->status < 0 || x->ndim < 0) return I->status;
    if (hy__infer_least_dims(I, 3)) return -1;
    if (groups && x->dim[1] % groups && x->dim[1] > 0)
        return hy_infer_fail(I, HY_ERROR_SHAPE, "%l channels do not fall into %d groups", x->dim[1], groups);
    sets = groups;
    of = groups ? &sets : &x->dim[1];
    for (i = 1; i < 3 && I->status >= 0; i++) hy__infer_vector(I, &I->in[i].shape, of);
    stats = hy__shape2(x->dim[0], *of);
    for (i = 1; i < 3 && I->status >= 0; i++) hy_infer_shape(I, &I->out[i].shape, stats);
    return I->status;
}
static int hy__groups_bind(hy_job *job, int64_t groups, double eps, int root)
{
    const hy_shape *x = &job->in[0].type.shape;
    hy__norms k;
    memset(&k, 0, sizeof k);
    k.batch = k.outer = 1;
    k.params = groups ? groups : 1;
    k.mid = x->dim[0] * groups;
    k.inner = hy__product(x, 1, x->ndim) / k.params;
    k.param = HY__PARAM_SET;
    k.use_gamma = 1;
    k.root = root;
    k.eps = eps;
    return hy__norms_bind(job, &k);
}
static int hy__groups_grad(hy_frame *F, hy_diff *D, int64_t groups, double eps)
{
    const hy_shape *shape = &D->in[0]->t.type.shape;
    hy_array *x, *dy, *gamma, *u, *dx = NULL;
    if (!D->dy[0] || hy__norms_grad_empty(F, D)) return 0;
    x = hy_reshape(F, D->in[0], HY_INTS(shape->dim[0], groups, -1), NULL);
    dy = hy_reshape(F, D->dy[0], HY_INTS(shape->dim[0], groups, -1), NULL);
    gamma = hy_reshape(F, D->in[1], HY_INTS(groups, 1), NULL);
    u = hy__norms_gradient(F, x, gamma, dy, 2, eps, D->want[0] ? &dx : NULL);
    if (D->want[0]) D->dx[0] = hy_reshape_like(F, dx, D->in[0], NULL);
    if (D->want[1]) D->dx[1] = hy_sum(F, hy_mul(F, dy, u), HY_AXES(0, 2), NULL);
    if (D->want[2]) D->dx[2] = hy_sum(F, dy, HY_AXES(0, 2), NULL);
    return 0;
}
static int hy__group_norm_infer(hy_infer *I)
{
    const hy__group_norm_rec *r = (const hy__group_norm_rec *)I->attr;
    if (r->num_groups < 1) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "num_groups is %d", r->num_groups);
    return hy__groups_infer(I, r->num_groups, r->eps);
}
static int hy__group_norm_bind(hy_job *job)
{
    const hy__group_norm_rec *r = (const hy__group_norm_rec *)job->attr;
    return hy__groups_bind(job, r->num_groups, r->eps, 1);
}
static int hy__group_norm_grad(hy_frame *F, hy_diff *D)
{
    const hy__group_norm_rec *r = (const hy__group_norm_rec *)D->attr;
    return hy__groups_grad(F, D, r->num_groups, r->eps);
}
static int hy__per_sample_split(const hy_job *job, int axis, hy_slicing *s)     /* parameters are shared */
{
    int i;
    s->axis[0] = 0;
    for (i = 1; i < job->nin; i++) s->axis[i] = -1;
    return axis == 0;
}
#define HY__ON_group_norm hy__group_norm_infer, hy__group_norm_bind, hy__group_norm_grad, hy__per_sample_split

static int hy__instance_norm_infer(hy_infer *I)
{
    return hy__groups_infer(I, 0, ((const hy__instance_norm_rec *)I->attr)->eps);
}
static int hy__instance_norm_bind(hy_job *job)
{
    const hy__instance_norm_rec *r = (const hy__instance_norm_rec *)job->attr;
    return hy__groups_bind(job, job->in[0].type.shape.dim[1], r->eps, 0);
}
static int hy__instance_norm_grad(hy_frame *F, hy_diff *D)
{
    const hy__instance_norm_rec *r = (const hy__instance_norm_rec *)D->attr;
    return hy__groups_grad(F, D, D->in[0]->t.type.shape.dim[1], r->eps);
}
#define HY__ON_instance_norm hy__instance_norm_infer, hy__instance_norm_bind, hy__instance_norm_grad, \
    hy__per_sample_split

/* --- l2_normalization: over all but the batch, the channels, or the places --- */
static int hy__l2_normalization_infer(hy_infer *I)
{
    const hy__l2_normalization_rec *r = (const hy__l2_normalization_rec *)I->attr;
    hy_shape *x = &I->in[0].shape, norm;
    int d;
    if (r->mode < 0 || r->mode > HY_L2_SPATIAL)
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "mode is %d", r->mode);
    if (hy__infer_eps(I, r->eps)) return -1;
    hy__same_types(I);
    hy_infer_same(I, x, &I->out[0].shape);
    if (I->status < 0 || x->ndim < 0) return I->status;
    if (hy__infer_least_dims(I, r->mode == HY_L2_INSTANCE ? 1 : 3)) return -1;
    norm = *x;
    for (d = 1; d < norm.ndim; d++)
        if (r->mode == HY_L2_INSTANCE || (d == 1) == (r->mode == HY_L2_CHANNEL)) norm.dim[d] = 1;
    hy_infer_shape(I, &I->out[1].shape, norm);
    return I->status;
}
static int hy__l2_normalization_bind(hy_job *job)
{
    const hy__l2_normalization_rec *r = (const hy__l2_normalization_rec *)job->attr;
    const hy_shape *x = &job->in[0].type.shape;
    int rows = r->mode == HY_L2_SPATIAL ? 2 : 1;
    hy__norms k;
    memset(&k, 0, sizeof k);
    if (r->mode == HY_L2_CHANNEL) {
        k.batch = x->dim[0];
        k.outer = x->dim[1];
        k.mid = hy__product(x, 2, x->ndim);
        k.inner = 1;
    } else {
        k.batch = k.outer = 1;
        k.mid = hy__product(x, 0, rows);
        k.inner = hy__product(x, rows, x->ndim);
    }
    k.stats = HY__NORMS_LENGTH;
    k.eps = r->eps;
    return hy__norms_bind(job, &k);
}
/* dx = (dy - y sum(dy y)) / length */
static int hy__l2_normalization_grad(hy_frame *F, hy_diff *D)
{
    const hy__l2_normalization_rec *r = (const hy__l2_normalization_rec *)D->attr;
    hy_array *x = D->in[0], *y = D->out[0], *dy = D->dy[0], *g, *scale;
    hy_ints axes = r->mode == HY_L2_CHANNEL ? HY_AXES(1) : HY_AXES(0, 1);
    hy_reduce_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.keepdims = 1;
    opt.exclude = r->mode != HY_L2_CHANNEL;
    if (!dy) return 0;
    if (r->mode == HY_L2_INSTANCE) axes.n = 1;
    scale = hy_rsqrt(F, hy_add_scalar(F, hy_sum(F, hy_square(F, x), axes, &opt), r->eps));
    g = hy_mul(F, y, hy_sum(F, hy_mul(F, dy, y), axes, &opt));
    D->dx[0] = hy_mul(F, hy_sub(F, dy, g), scale);
    return 0;
}
#define HY__ON_l2_normalization hy__l2_normalization_infer, hy__l2_normalization_bind, \
    hy__l2_normalization_grad, hy__per_sample_split

/* --- shape --- *
 * Nearly all of these are one strided copy (hy__move): bind only says which strides either side has. */
static void hy__run_move(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__move *m = (const hy__move *)(const void *)&job->plan;
    (void)scratch; (void)shared;
    if (stage + 1 < job->stages) {                      /* first zeros, where the copy leaves gaps */
        int64_t at = item * HY__PART, n = hy__bytes(&job->out[0].type) - at;
        memset((char *)job->out[0].data + at, 0, (size_t)hy__least(n, HY__PART));
        return;
    }
    hy__move_item(m, (char *)job->out[0].data, (const char *)job->in[0].data, item);
}

static hy__move *hy__begin_move(hy_job *job)
{
    hy__move *m = (hy__move *)(void *)&job->plan;
    hy__move_open(m, job->out[0].type.dtype);
    return m;
}

static int hy__finish_move(hy_job *job)
{
    hy__move *m = (hy__move *)(void *)&job->plan;
    hy__move_close(m);
    return hy__one_stage(job, hy__run_move, m->items, 0.1 * (double)hy__bytes(&job->out[0].type) + 50);
}

static int hy__finish_move_into_zeros(hy_job *job)
{
    hy__finish_move(job);
    job->stages = 2;
    job->items[1] = job->items[0];
    job->items[0] = hy__pieces(hy__bytes(&job->out[0].type), HY__PART);
    return 0;
}

static void hy__move_box(hy__move *m, const hy_shape *box, const int64_t *to, const int64_t *from)
{
    int d;
    for (d = 0; d < box->ndim; d++) hy__move_dim(m, box->dim[d], to[d], from[d]);
}

/* The same elements in the same order. */
static int hy__view_bind(hy_job *job)
{
    hy_tensor packed = job->in[0];
    hy__pack_strides(&packed);
    hy__move_box(hy__begin_move(job), &packed.type.shape, packed.stride, job->in[0].stride);
    return hy__finish_move(job);
}

/* The first input spread over the output. */
static int hy__broadcast_bind(hy_job *job)
{
    int64_t from[HY_MAX_DIM];
    hy__broadcast_strides(&job->in[0], job->out[0].type.shape.ndim, from);
    hy__move_box(hy__begin_move(job), &job->out[0].type.shape, job->out[0].stride, from);
    return hy__finish_move(job);
}

/* Output 0 has the type of input 0; a second input only lends its shape. */
static void hy__first_type(hy_infer *I)
{
    hy_infer_type(I, &I->out[0].dtype, I->in[0].dtype);
    hy_infer_type(I, &I->in[0].dtype, I->out[0].dtype);
}

static void hy__infer_same_dim(hy_infer *I, int64_t *a, int64_t *b)
{
    hy_infer_dim(I, a, *b);
    hy_infer_dim(I, b, *a);
}

/* A product of sizes that cannot overflow: too large stays too large. */
static int64_t hy__times(int64_t a, int64_t b)
{
    const int64_t most = (int64_t)1 << 60;
    return a && b > most / a ? most : a * b;
}

static int hy__too_many_dims(hy_infer *I, int ndim)
{
    return hy_infer_fail(I, HY_ERROR_SHAPE, "the result cannot have %d dims", ndim);
}

/* --- new shapes for the same elements --- *
 * The dims of input and output fall into groups of equal product; from each group one unknown dim follows. */
typedef struct hy__regroup {
    int     groups, ndim, read, written;            /* dims of the input, of them read; dims of the output */
    int     in[HY_MAX_DIM], out[HY_MAX_DIM];        /* group of each dim; 0 is "the rest" */
    int64_t size[HY_MAX_DIM];                       /* of the output, -1 where it follows */
} hy__regroup;

static void hy__regroup_open(hy__regroup *g, int ndim)
{
    memset(g, 0, sizeof *g);
    g->ndim = ndim;
}

/* The next `take` dims of the input become the next `give` dims of the output. */
static int hy__regroup_link(hy_infer *I, hy__regroup *g, int take, int give, const int64_t *size)
{
    int k;
    if (g->read + take > g->ndim)
        return hy_infer_fail(I, HY_ERROR_SHAPE, "the new shape refers to more dims than %d", g->ndim);
    if (g->written + give > HY_MAX_DIM) return hy__too_many_dims(I, g->written + give);
    g->groups++;
    for (k = 0; k < take; k++) g->in[g->read++] = g->groups;
    for (k = 0; k < give; k++) {
        g->out[g->written] = g->groups;
        g->size[g->written++] = size ? size[k] : -1;
    }
    return 0;
}

/* One dim of the output that belongs to the rest. */
static int hy__regroup_rest(hy_infer *I, hy__regroup *g, int64_t size)
{
    if (g->written == HY_MAX_DIM) return hy__too_many_dims(I, HY_MAX_DIM + 1);
    g->out[g->written] = 0;
    g->size[g->written++] = size;
    g->read++;
    return 0;
}

/* One group: of its dims on both sides at most one may be unknown. */
static void hy__regroup_solve(hy_infer *I, const hy__regroup *g, int group)
{
    hy_shape *shape[2];
    int64_t known[2] = { 1, 1 }, *unknown = NULL;       /* products of the known dims of input and output */
    int side, lacking = 0, unknowns = 0, d;
    shape[0] = &I->in[0].shape;
    shape[1] = &I->out[0].shape;
    for (side = 0; side < 2; side++)
        for (d = 0; d < shape[side]->ndim; d++) {
            int64_t *dim = &shape[side]->dim[d];
            if ((side ? g->out : g->in)[d] != group) continue;
            if (*dim >= 0) { known[side] = hy__times(known[side], *dim); continue; }
            unknown = dim;
            lacking = side;
            unknowns++;
        }
    if (unknowns > 1 || (unknowns && !known[0] && !known[1])) return;
    if (unknowns && known[lacking] && known[1 - lacking] % known[lacking] == 0)
        hy_infer_dim(I, unknown, known[1 - lacking] / known[lacking]);
    else if (unknowns || known[0] != known[1])
        hy_infer_fail(I, HY_ERROR_SHAPE, "Target shape size is different to source. Target: %z Source: %z",
                      shape[1], shape[0]);
}

static int hy__regroup_infer(hy_infer *I, const hy__regroup *g)
{
    hy_shape y = hy__rank(g->written);
    int d;
    for (d = 0; d < y.ndim; d++) y.dim[d] = g->size[d];
    hy_infer_shape(I, &I->out[0].shape, y);
    if (g->ndim >= 0)
        for (d = 0; d <= g->groups && I->status >= 0; d++) hy__regroup_solve(I, g, d);
    return I->status;
}

static void hy__flip(int *v, int n)
{
    int i;
    for (i = 0; i < n / 2; i++) { int t = v[i]; v[i] = v[n - 1 - i]; v[n - 1 - i] = t; }
}

/* Reads the codes, from the right if reversed, when everything is mirrored once more at the end. */
static int hy__read_codes(hy_infer *I, const hy_ints *codes, int reverse, hy__regroup *g)
{
    int i, inferred = 0, n = codes->n > 0 ? codes->n : 0;
    for (i = 0; i < n; i++) {
        int64_t code = codes->v[reverse ? n - 1 - i : i], pair[2];
        int error = 0;
        if (code > 0 || code == -1) {
            if (code == -1 && inferred++)
                return hy_infer_fail(I, HY_ERROR_ARGUMENT, "One and only one dim can be inferred");
            error = hy__regroup_rest(I, g, code);
        } else if (code == 0) error = hy__regroup_link(I, g, 1, 1, NULL);
        else if (code == -2) while (g->read < g->ndim && !error) error = hy__regroup_link(I, g, 1, 1, NULL);
        else if (code == -3) error = hy__regroup_link(I, g, 2, 1, NULL);
        else if (code == -4) {
            if (i + 2 >= n) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "-4 needs two numbers");
            pair[0] = codes->v[reverse ? n - 2 - i : i + 1];
            pair[1] = codes->v[reverse ? n - 3 - i : i + 2];
            i += 2;
            if (pair[0] < -1 || pair[1] < -1 || !pair[0] || !pair[1] || (pair[0] < 0 && pair[1] < 0))
                return hy_infer_fail(I, HY_ERROR_ARGUMENT, "-4 cannot split into %l, %l", pair[0], pair[1]);
            error = hy__regroup_link(I, g, 1, 2, pair);
        } else return hy_infer_fail(I, HY_ERROR_ARGUMENT, "%l is no shape code", code);
        if (error) return -1;
    }
    if (reverse) {
        hy__flip(g->in, g->ndim);
        hy__flip(g->out, g->written);
        for (i = 0; i < g->written / 2; i++) {
            int64_t t = g->size[i];
            g->size[i] = g->size[g->written - 1 - i];
            g->size[g->written - 1 - i] = t;
        }
    }
    return 0;
}

static int hy__reshape_infer(hy_infer *I)
{
    const hy__reshape_rec *r = (const hy__reshape_rec *)I->attr;
    hy__regroup g;
    int i;
    hy__same_types(I);
    if (I->in[0].shape.ndim < 0)                        /* then only plain sizes tell something */
        for (i = 0; i < r->shape.n; i++) if (r->shape.v[i] <= 0 && r->shape.v[i] != -1) return I->status;
    hy__regroup_open(&g, I->in[0].shape.ndim);
    if (hy__read_codes(I, &r->shape, r->reverse, &g)) return -1;
    return hy__regroup_infer(I, &g);
}

static int hy__back_in_shape(hy_frame *F, hy_diff *D)   /* gradient of everything that keeps the elements */
{
    if (D->dy[0] && D->want[0]) D->dx[0] = hy_reshape_like(F, D->dy[0], D->in[0], NULL);
    return 0;
}
#define HY__ON_reshape hy__reshape_infer, hy__view_bind, hy__back_in_shape, NULL

/* begin and end of a range of axes, with their defaults; 0 after an error. */
static int hy__axis_range(hy_infer *I, int ndim, int *begin, int *end)
{
    *begin = *begin == HY_NONE ? 0 : *begin < 0 ? *begin + ndim : *begin;
    *end = *end == HY_NONE ? ndim : *end < 0 ? *end + ndim : *end;
    if (*begin >= 0 && *begin <= *end && *end <= ndim) return 1;
    hy_infer_fail(I, HY_ERROR_INDEX, "axes [%d, %d) are out of range for %d dims", *begin, *end, ndim);
    return 0;
}

static int hy__reshape_like_infer(hy_infer *I)
{
    const hy__reshape_like_rec *r = (const hy__reshape_like_rec *)I->attr;
    hy_shape *x = &I->in[0].shape, *like = &I->in[1].shape, *y = &I->out[0].shape;
    int from = r->lhs_begin, to = r->lhs_end, like_from = r->rhs_begin, like_to = r->rhs_end, d;
    int whole = from == HY_NONE && to == HY_NONE && like_from == HY_NONE && like_to == HY_NONE;
    hy__regroup g;
    hy__first_type(I);
    if (whole) hy_infer_same(I, like, y);
    if (x->ndim < 0 || like->ndim < 0 || I->status < 0) return I->status;
    if (!hy__axis_range(I, x->ndim, &from, &to)) return -1;
    if (!hy__axis_range(I, like->ndim, &like_from, &like_to)) return -1;
    hy__regroup_open(&g, x->ndim);
    for (d = 0; d < from; d++) if (hy__regroup_link(I, &g, 1, 1, NULL)) return -1;
    for (d = like_from; d < like_to; d++) if (hy__regroup_rest(I, &g, like->dim[d])) return -1;
    g.read = to;
    for (d = to; d < x->ndim; d++) if (hy__regroup_link(I, &g, 1, 1, NULL)) return -1;
    if (hy__regroup_infer(I, &g) < 0) return -1;
    for (d = like_from; d < like_to; d++) hy_infer_dim(I, &like->dim[d], y->dim[from + d - like_from]);
    return I->status;
}
#define HY__ON_reshape_like hy__reshape_like_infer, hy__view_bind, hy__back_in_shape, NULL

static int hy__flatten_infer(hy_infer *I)
{
    hy__regroup g;
    hy__same_types(I);
    if (I->in[0].shape.ndim == 0) return hy_infer_fail(I, HY_ERROR_SHAPE, "data needs at least one dim");
    hy__regroup_open(&g, I->in[0].shape.ndim);
    if (g.ndim < 0) hy__regroup_rest(I, &g, -1);
    else hy__regroup_link(I, &g, 1, 1, NULL);
    hy__regroup_rest(I, &g, -1);
    return hy__regroup_infer(I, &g);
}
static int hy__flatten_split(const hy_job *job, int axis, hy_slicing *s)
{
    (void)job;
    s->axis[0] = 0;
    return axis == 0;
}
#define HY__ON_flatten hy__flatten_infer, hy__view_bind, hy__back_in_shape, hy__flatten_split

/* `more` has the dims of `less` and, at the places in bits, some that `less` lacks. */
static void hy__infer_inserted(hy_infer *I, hy_shape *less, hy_shape *more, int bits)
{
    int d, k = 0;
    for (d = 0; d < more->ndim && I->status >= 0; d++)
        if (!(bits >> d & 1) && k < less->ndim) hy__infer_same_dim(I, &less->dim[k++], &more->dim[d]);
}

static int hy__expand_dims_infer(hy_infer *I)
{
    const hy__expand_dims_rec *r = (const hy__expand_dims_rec *)I->attr;
    hy_shape *x = &I->in[0].shape, *y = &I->out[0].shape;
    int ndim = x->ndim >= 0 ? x->ndim + 1 : y->ndim, axis;
    hy__same_types(I);
    if (ndim < 0) return I->status;
    if (ndim < 1 || ndim > HY_MAX_DIM) return hy__too_many_dims(I, ndim);
    axis = hy__infer_axis(I, r->axis, ndim);
    if (axis < 0) return -1;
    hy_infer_shape(I, x, hy__rank(ndim - 1));
    hy_infer_shape(I, y, hy__rank(ndim));
    if (I->status < 0) return -1;
    hy_infer_dim(I, &y->dim[axis], 1);
    hy__infer_inserted(I, x, y, 1 << axis);
    return I->status;
}
#define HY__ON_expand_dims hy__expand_dims_infer, hy__view_bind, hy__back_in_shape, NULL

static int hy__squeeze_infer(hy_infer *I)
{
    const hy__squeeze_rec *r = (const hy__squeeze_rec *)I->attr;
    hy_shape *x = &I->in[0].shape, *y = &I->out[0].shape;
    int d, bits = 0, kept;
    hy__same_types(I);
    if (x->ndim < 0) return I->status;
    if (r->axis.n > 0) bits = hy__axis_bits(I, &r->axis, 0, x->ndim);
    if (bits < 0) return -1;
    if (r->axis.n < 0) {                                /* all ones: only known sizes can tell */
        if (!hy__shape_known(x)) return I->status;
        for (d = 0; d < x->ndim; d++) bits |= (x->dim[d] == 1) << d;
    }
    for (d = kept = 0; d < x->ndim; d++) {
        if (bits >> d & 1) hy_infer_dim(I, &x->dim[d], 1);
        else kept++;
    }
    if (!kept && x->ndim) { hy_infer_shape(I, y, hy__shape1(1)); return I->status; }
    hy_infer_shape(I, y, hy__rank(kept));
    if (I->status >= 0) hy__infer_inserted(I, y, x, bits);
    return I->status;
}
#define HY__ON_squeeze hy__squeeze_infer, hy__view_bind, hy__back_in_shape, NULL

/* --- axes in another order: order[d] is the axis that stands at d --- */
static int hy__infer_order(hy_infer *I, const int *order, int ndim)
{
    hy_shape *x = &I->in[0].shape, *y = &I->out[0].shape;
    int d;
    hy_infer_shape(I, x, hy__rank(ndim));
    hy_infer_shape(I, y, hy__rank(ndim));
    for (d = 0; d < ndim && I->status >= 0; d++) hy__infer_same_dim(I, &x->dim[order[d]], &y->dim[d]);
    return I->status;
}

static int hy__order_bind(hy_job *job, const int *order)
{
    int64_t from[HY_MAX_DIM];
    int d;
    for (d = 0; d < job->out[0].type.shape.ndim; d++) from[d] = job->in[0].stride[order[d]];
    hy__move_box(hy__begin_move(job), &job->out[0].type.shape, job->out[0].stride, from);
    return hy__finish_move(job);
}

static int hy__transpose_infer(hy_infer *I)
{
    const hy__transpose_rec *r = (const hy__transpose_rec *)I->attr;
    int ndim = I->in[0].shape.ndim >= 0 ? I->in[0].shape.ndim : I->out[0].shape.ndim, order[HY_MAX_DIM];
    hy__same_types(I);
    if (ndim < 0 && r->axes.n > 0 && r->axes.n <= HY_MAX_DIM) ndim = r->axes.n;
    if (ndim < 0) return I->status;
    if (!hy__permutation(&r->axes, ndim, order))
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "axes are no permutation of %d dims", ndim);
    return hy__infer_order(I, order, ndim);
}

static int hy__transpose_bind(hy_job *job)
{
    const hy__transpose_rec *r = (const hy__transpose_rec *)job->attr;
    int order[HY_MAX_DIM];
    hy__permutation(&r->axes, job->in[0].type.shape.ndim, order);
    return hy__order_bind(job, order);
}

static int hy__transpose_grad(hy_frame *F, hy_diff *D)
{
    hy_ints axes = ((const hy__transpose_rec *)D->attr)->axes;
    int order[HY_MAX_DIM], d;
    if (!D->dy[0]) return 0;
    if (axes.n > 0) {
        hy__permutation(&axes, axes.n, order);
        for (d = 0; d < axes.n; d++) axes.v[order[d]] = d;
    }
    D->dx[0] = hy_transpose(F, D->dy[0], axes);
    return 0;
}
static int hy__transpose_split(const hy_job *job, int axis, hy_slicing *s)
{
    int order[HY_MAX_DIM];
    hy__permutation(&((const hy__transpose_rec *)job->attr)->axes, job->in[0].type.shape.ndim, order);
    s->axis[0] = order[axis];
    return 1;
}
#define HY__ON_transpose hy__transpose_infer, hy__transpose_bind, hy__transpose_grad, hy__transpose_split

static void hy__swapped_order(int ndim, int a, int b, int *order)
{
    int d;
    for (d = 0; d < ndim; d++) order[d] = d == a ? b : d == b ? a : d;
}

static int hy__swap_axes_infer(hy_infer *I)
{
    const hy__swap_axes_rec *r = (const hy__swap_axes_rec *)I->attr;
    int ndim = I->in[0].shape.ndim >= 0 ? I->in[0].shape.ndim : I->out[0].shape.ndim, order[HY_MAX_DIM], a, b;
    hy__same_types(I);
    if (ndim < 0) return I->status;
    a = hy__infer_axis(I, r->dim1, ndim);
    b = hy__infer_axis(I, r->dim2, ndim);
    if (a < 0 || b < 0) return -1;
    hy__swapped_order(ndim, a, b, order);
    return hy__infer_order(I, order, ndim);
}

static int hy__swap_axes_bind(hy_job *job)
{
    const hy__swap_axes_rec *r = (const hy__swap_axes_rec *)job->attr;
    int ndim = job->in[0].type.shape.ndim, order[HY_MAX_DIM];
    hy__swapped_order(ndim, hy__axis(r->dim1, ndim), hy__axis(r->dim2, ndim), order);
    return hy__order_bind(job, order);
}

static int hy__swap_axes_grad(hy_frame *F, hy_diff *D)
{
    const hy__swap_axes_rec *r = (const hy__swap_axes_rec *)D->attr;
    if (D->dy[0]) D->dx[0] = hy_swap_axes(F, D->dy[0], r->dim1, r->dim2);
    return 0;
}
#define HY__ON_swap_axes hy__swap_axes_infer, hy__swap_axes_bind, hy__swap_axes_grad, NULL

/* --- what the shape is --- */
static void hy__run_shape_array(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy_shape *x = &job->in[0].type.shape;
    int64_t *y = (int64_t *)job->out[0].data;
    (void)stage; (void)item; (void)scratch; (void)shared;
    if (job->plan.i[0]) y[0] = hy__size(x);
    else memcpy(y, x->dim, (size_t)x->ndim * sizeof *y);
}
static int hy__shape_array_infer(hy_infer *I)
{
    hy_infer_type(I, &I->out[0].dtype, HY_I64);
    if (I->in[0].shape.ndim >= 0) hy_infer_shape(I, &I->out[0].shape, hy__shape1(I->in[0].shape.ndim));
    return I->status;
}
static int hy__shape_array_bind(hy_job *job)
{
    job->plan.i[0] = 0;
    return hy__one_stage(job, hy__run_shape_array, 1, 10);
}
#define HY__ON_shape_array hy__shape_array_infer, hy__shape_array_bind, NULL, NULL

static int hy__size_array_infer(hy_infer *I)
{
    hy_infer_type(I, &I->out[0].dtype, HY_I64);
    hy_infer_shape(I, &I->out[0].shape, hy__shape1(1));
    return I->status;
}
static int hy__size_array_bind(hy_job *job)
{
    job->plan.i[0] = 1;
    return hy__one_stage(job, hy__run_shape_array, 1, 10);
}
#define HY__ON_size_array hy__size_array_infer, hy__size_array_bind, NULL, NULL

/* --- joining and cutting: parts of a whole along an axis --- */
typedef struct hy__parts {
    int     n, axis, join, bare;        /* bare: the parts lack the axis */
    int64_t together, slices;           /* parts per item, or items per part */
} hy__parts;

static const hy_tensor *hy__part(const hy_job *job, const hy__parts *p, int i)
{
    return p->join ? &job->in[i] : &job->out[i];
}

/* The copy of part i, which begins at `start` of the axis; gives the part's length there. */
static int64_t hy__part_move(const hy_job *job, const hy__parts *p, int i, int64_t start, hy__move *m)
{
    const hy_tensor *part = hy__part(job, p, i), *whole = p->join ? &job->out[0] : &job->in[0];
    int64_t length = p->bare ? 1 : part->type.shape.dim[p->axis];
    int d, k = 0;
    hy__move_open(m, whole->type.dtype);
    for (d = 0; d < whole->type.shape.ndim; d++) {
        if (d == p->axis && p->bare) continue;
        if (p->join) hy__move_dim(m, part->type.shape.dim[k], whole->stride[d], part->stride[k]);
        else hy__move_dim(m, part->type.shape.dim[k], part->stride[k], whole->stride[d]);
        k++;
    }
    *(p->join ? &m->to_start : &m->from_start) = start * whole->stride[p->axis];
    hy__move_close(m);
    return length;
}

static void hy__run_parts(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__parts *p = (const hy__parts *)(const void *)&job->plan;
    int64_t slice = item % p->slices, first = item / p->slices * p->together, start = 0, k;
    int64_t end = hy__least(first + p->together, p->n);
    int i;
    hy__move m;
    (void)stage; (void)scratch; (void)shared;
    for (i = 0; i < first; i++) start += p->bare ? 1 : hy__part(job, p, i)->type.shape.dim[p->axis];
    for (; i < end; i++) {
        start += hy__part_move(job, p, i, start, &m);
        for (k = m.items * slice / p->slices; k < m.items * (slice + 1) / p->slices; k++)
            hy__move_item(&m, (char *)(p->join ? job->out[0].data : job->out[i].data),
                          (const char *)(p->join ? job->in[i].data : job->in[0].data), k);
    }
}

static int hy__parts_bind(hy_job *job, int axis, int join, int bare)
{
    hy__parts *p = (hy__parts *)(void *)&job->plan;
    const hy_shape *whole = join ? &job->out[0].type.shape : &job->in[0].type.shape;
    int64_t size = hy__size(whole);
    int i;
    p->n = join ? job->nin : job->nout;
    p->axis = hy__axis(axis, whole->ndim);
    p->join = join;
    p->bare = bare;
    p->slices = 1;
    for (i = 0; i < p->n; i++) {
        int64_t pieces = hy__pieces(hy__size(&hy__part(job, p, i)->type.shape), HY__CHUNK);
        if (pieces > p->slices) p->slices = pieces;
    }
    p->together = p->slices > 1 ? 1 : hy__clamp_i64(HY__CHUNK / (size / p->n + 1), 1, p->n);
    return hy__one_stage(job, hy__run_parts, size ? hy__pieces(p->n, p->together) * p->slices : 0,
                         0.1 * hy__traits[job->out[0].type.dtype].size * (double)size + 100 * p->n);
}

/* x[..., begin:end, ...] along an axis, as an operator. */
static hy_array *hy__between(hy_frame *F, hy_array *x, int axis, int64_t begin, int64_t end)
{
    hy_ints low, high;
    int d;
    low.n = high.n = axis + 1;
    for (d = 0; d < axis; d++) low.v[d] = high.v[d] = HY_NONE;
    low.v[axis] = begin;
    high.v[axis] = end;
    return hy_slice(F, x, low, high, NULL);
}

/* Sizes along the axis add up; all other dims are the same. The parts are inputs or outputs. */
static void hy__infer_parts(hy_infer *I, hy_type *part, int n, hy_shape *whole, int axis)
{
    int64_t sum = 0, *unknown = NULL;
    int i, d, unknowns = 0, round;
    for (i = 0; i < n; i++) hy_infer_shape(I, &part[i].shape, hy__rank(whole->ndim));
    if (I->status < 0) return;
    for (round = 0; round < 2; round++)
        for (i = 0; i < n; i++)
            for (d = 0; d < whole->ndim; d++)
                if (d != axis) hy__infer_same_dim(I, &whole->dim[d], &part[i].shape.dim[d]);
    for (i = 0; i < n; i++) {
        int64_t *dim = &part[i].shape.dim[axis];
        if (*dim < 0) { unknown = dim; unknowns++; }
        else sum += *dim > (INT64_MAX >> 1) - sum ? 0 : *dim;
    }
    if (!unknowns) hy_infer_dim(I, &whole->dim[axis], sum);
    else if (unknowns == 1 && whole->dim[axis] >= sum) hy_infer_dim(I, unknown, whole->dim[axis] - sum);
    else if (whole->dim[axis] >= 0 && whole->dim[axis] < sum)
        hy_infer_fail(I, HY_ERROR_SHAPE, "parts of size %l make no whole of %l", sum,
                      whole->dim[axis]);
}

static int hy__concat_infer(hy_infer *I)
{
    const hy__concat_rec *r = (const hy__concat_rec *)I->attr;
    int i, ndim = I->out[0].shape.ndim, axis;
    hy__same_types(I);
    for (i = 0; i < I->nin; i++) if (ndim < 0) ndim = I->in[i].shape.ndim;
    if (ndim < 0) return I->status;
    axis = hy__infer_axis(I, r->dim, ndim);
    if (axis < 0) return -1;
    hy_infer_shape(I, &I->out[0].shape, hy__rank(ndim));
    if (I->status >= 0) hy__infer_parts(I, I->in, I->nin, &I->out[0].shape, axis);
    return I->status;
}
static int hy__concat_bind(hy_job *job)
{
    return hy__parts_bind(job, ((const hy__concat_rec *)job->attr)->dim, 1, 0);
}
static int hy__concat_grad(hy_frame *F, hy_diff *D)
{
    int i, axis = hy__axis(((const hy__concat_rec *)D->attr)->dim, D->in[0]->t.type.shape.ndim);
    int64_t start = 0;
    for (i = 0; D->dy[0] && i < D->nin; i++) {
        int64_t length = D->in[i]->t.type.shape.dim[axis];
        if (D->want[i]) D->dx[i] = hy__between(F, D->dy[0], axis, start, start + length);
        start += length;
    }
    return 0;
}
static int hy__concat_split(const hy_job *job, int axis, hy_slicing *s)
{
    int i;
    if (axis == hy__axis(((const hy__concat_rec *)job->attr)->dim, job->out[0].type.shape.ndim) ||
        job->nin > HY_MAX_INTS) return 0;
    for (i = 0; i < job->nin; i++) s->axis[i] = axis;
    return 1;
}
#define HY__ON_concat hy__concat_infer, hy__concat_bind, hy__concat_grad, hy__concat_split

static int hy__stack_infer(hy_infer *I)
{
    const hy__stack_rec *r = (const hy__stack_rec *)I->attr;
    hy_shape *y = &I->out[0].shape;
    int i, ndim = y->ndim, axis, round;
    hy__same_types(I);
    for (i = 0; i < I->nin; i++) if (I->in[i].shape.ndim >= 0) ndim = I->in[i].shape.ndim + 1;
    if (ndim < 0) return I->status;
    if (ndim < 1 || ndim > HY_MAX_DIM) return hy__too_many_dims(I, ndim);
    axis = hy__infer_axis(I, r->axis, ndim);
    if (axis < 0) return -1;
    hy_infer_shape(I, y, hy__rank(ndim));
    for (i = 0; i < I->nin; i++) hy_infer_shape(I, &I->in[i].shape, hy__rank(ndim - 1));
    if (I->status < 0) return -1;
    hy_infer_dim(I, &y->dim[axis], I->nin);
    for (round = 0; round < 2; round++)
        for (i = 0; i < I->nin; i++) hy__infer_inserted(I, &I->in[i].shape, y, 1 << axis);
    return I->status;
}
static int hy__stack_bind(hy_job *job)
{
    return hy__parts_bind(job, ((const hy__stack_rec *)job->attr)->axis, 1, 1);
}
static int hy__stack_grad(hy_frame *F, hy_diff *D)
{
    int i, axis = hy__axis(((const hy__stack_rec *)D->attr)->axis, D->in[0]->t.type.shape.ndim + 1);
    for (i = 0; D->dy[0] && i < D->nin; i++)
        if (D->want[i])
            D->dx[i] = hy_reshape_like(F, hy__between(F, D->dy[0], axis, i, i + 1), D->in[i], NULL);
    return 0;
}
#define HY__ON_stack hy__stack_infer, hy__stack_bind, hy__stack_grad, NULL

/* The outputs are parts of the input; squeezed, they are single slices without the axis. */
static int hy__infer_pieces(hy_infer *I, int axis, int squeeze)
{
    hy_shape *x = &I->in[0].shape;
    int i;
    if (!squeeze) { hy__infer_parts(I, I->out, I->nout, x, axis); return I->status; }
    hy_infer_dim(I, &x->dim[axis], I->nout);
    for (i = 0; i < I->nout; i++) hy_infer_shape(I, &I->out[i].shape, hy__rank(x->ndim - 1));
    for (i = 0; i < I->nout && I->status >= 0; i++) hy__infer_inserted(I, &I->out[i].shape, x, 1 << axis);
    return I->status;
}

/* The rank of the input, learnt from an output if need be; the axis, or -1 when unknown or wrong. */
static int hy__infer_pieces_axis(hy_infer *I, int axis, int squeeze)
{
    hy_shape *x = &I->in[0].shape;
    int i;
    hy__same_types(I);
    if (I->nout < 1) { hy_infer_fail(I, HY_ERROR_ARGUMENT, "there must be at least one part"); return -1; }
    for (i = 0; i < I->nout && x->ndim < 0; i++)
        if (I->out[i].shape.ndim >= 0 && I->out[i].shape.ndim + (squeeze != 0) <= HY_MAX_DIM)
            hy_infer_shape(I, x, hy__rank(I->out[i].shape.ndim + (squeeze != 0)));
    return x->ndim < 0 ? -1 : hy__infer_axis(I, axis, x->ndim);
}

static int hy__split_infer(hy_infer *I)
{
    const hy__split_rec *r = (const hy__split_rec *)I->attr;
    hy_shape *x = &I->in[0].shape;
    int axis, i, round;
    if (r->num_outputs < 1) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "num_outputs is %d", r->num_outputs);
    axis = hy__infer_pieces_axis(I, r->axis, r->squeeze_axis);
    if (axis < 0) return I->status;
    if (x->dim[axis] >= 0 && x->dim[axis] % I->nout)
        return hy_infer_fail(I, HY_ERROR_SHAPE, "axis %d of %z cannot be cut into %d equal parts", axis, x,
                             I->nout);
    if (!r->squeeze_axis) {
        for (i = 0; i < I->nout; i++) hy_infer_shape(I, &I->out[i].shape, hy__rank(x->ndim));
        if (I->status < 0) return -1;
        if (x->dim[axis] >= 0) hy_infer_dim(I, &I->out[0].shape.dim[axis], x->dim[axis] / I->nout);
        for (round = 0; round < 2; round++)
            for (i = 1; i < I->nout; i++)
                hy__infer_same_dim(I, &I->out[i].shape.dim[axis], &I->out[0].shape.dim[axis]);
        if (I->status < 0) return -1;
    }
    return hy__infer_pieces(I, axis, r->squeeze_axis);
}
static int hy__split_bind(hy_job *job)
{
    const hy__split_rec *r = (const hy__split_rec *)job->attr;
    return hy__parts_bind(job, r->axis, 0, r->squeeze_axis != 0);
}

/* The parts' gradients join again; a part nobody used has zeros. */
static int hy__join_parts(hy_frame *F, hy_diff *D, int axis, int squeeze)
{
    hy_array *all;
    int i, some = 0;
    for (i = 0; i < D->nout; i++) some |= D->dy[i] != NULL;
    if (!some) return 0;
    for (i = 0; i < D->nout; i++) if (!D->dy[i]) D->dy[i] = hy_zeros_like(F, D->out[i]);
    all = hy_group_of(F, D->nout, D->dy);
    D->dx[0] = squeeze ? hy_stack(F, all, axis) : hy_concat(F, all, axis);
    return 0;
}
static int hy__split_grad(hy_frame *F, hy_diff *D)
{
    const hy__split_rec *r = (const hy__split_rec *)D->attr;
    return hy__join_parts(F, D, r->axis, r->squeeze_axis);
}
#define HY__ON_split hy__split_infer, hy__split_bind, hy__split_grad, NULL

/* Where part i of n begins when `sections` equal parts are asked for: the first ones may be one longer. */
static int64_t hy__section_start(int64_t size, int64_t n, int64_t i)
{
    return size / n * i + (i < size % n ? i : size % n);
}

/* Part i as [low, high) of an axis of `size`; -1 for what is not known yet. */
static void hy__part_range(const hy__split_v2_rec *r, int n, int i, int64_t size, int64_t *low, int64_t *high)
{
    if (r->sections > 0) {
        *low = size < 0 ? -1 : hy__section_start(size, n, i);
        *high = size < 0 ? -1 : hy__section_start(size, n, i + 1);
    } else {
        *low = r->indices.v[i];
        *high = i + 1 < n ? r->indices.v[i + 1] : size;
    }
}

static int hy__split_v2_infer(hy_infer *I)
{
    const hy__split_v2_rec *r = (const hy__split_v2_rec *)I->attr;
    int axis = hy__infer_pieces_axis(I, r->axis, r->squeeze_axis), i, n = I->nout;
    int64_t size, low, high;
    if (axis < 0) return I->status;
    size = I->in[0].shape.dim[axis];
    for (i = 0; i < n && r->sections <= 0; i++) {
        hy__part_range(r, n, i, size, &low, &high);
        if ((!i && low) || (i + 1 < n || size >= 0 ? low > high : 0) || (size >= 0 && high > size))
            return hy_infer_fail(I, HY_ERROR_ARGUMENT, "indices must begin with 0 and rise up to %l", size);
    }
    for (i = 0; i < n; i++) {
        hy__part_range(r, n, i, size, &low, &high);
        if (!r->squeeze_axis) hy_infer_shape(I, &I->out[i].shape, hy__rank(I->in[0].shape.ndim));
        if (I->status < 0) return -1;
        if (high < 0) continue;
        if (!r->squeeze_axis) hy_infer_dim(I, &I->out[i].shape.dim[axis], high - low);
        else if (high - low != 1)
            return hy_infer_fail(I, HY_ERROR_SHAPE, "squeezed part %d has size %l, not 1", i, high - low);
    }
    return hy__infer_pieces(I, axis, r->squeeze_axis);
}
static int hy__split_v2_bind(hy_job *job)
{
    const hy__split_v2_rec *r = (const hy__split_v2_rec *)job->attr;
    return hy__parts_bind(job, r->axis, 0, r->squeeze_axis != 0);
}
static int hy__split_v2_grad(hy_frame *F, hy_diff *D)
{
    const hy__split_v2_rec *r = (const hy__split_v2_rec *)D->attr;
    return hy__join_parts(F, D, r->axis, r->squeeze_axis);
}
#define HY__ON_split_v2 hy__split_v2_infer, hy__split_v2_bind, hy__split_v2_grad, NULL

/* --- boxes --- */

/* Indices begin, begin + step, ... of an axis of `size`, as in Python's begin:end:step; gives their count. */
static int64_t hy__range_of(int64_t size, int64_t begin, int64_t end, int64_t step, int64_t *first)
{
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    if (begin == HY_NONE) begin = step > 0 ? low : high;
    else begin = hy__clamp_i64(begin < 0 ? begin + size : begin, low, high);
    if (end == HY_NONE) end = step > 0 ? high : low;
    else end = hy__clamp_i64(end < 0 ? end + size : end, low, high);
    *first = begin;
    if (step > 0) return end > begin ? (end - begin - 1) / step + 1 : 0;
    return begin > end ? (begin - end - 1) / -step + 1 : 0;
}

static const hy_ints hy__no_steps = { 0, { 0 } };
static int64_t hy__step_of(const hy_ints *step, int d)
{
    return d < step->n && step->v[d] != HY_NONE ? step->v[d] : 1;
}

/* Says what the slice `part` of `whole` is; and for axes that are not cut, the reverse. */
static int hy__infer_slice(hy_infer *I, const hy_ints *begin, const hy_ints *end, const hy_ints *step,
                           hy_shape *whole, hy_shape *part)
{
    int d;
    int64_t first;
    if (begin->n < 0 || begin->n != end->n || (step->n > 0 && step->n != begin->n))
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "begin, end and step must have the same length");
    for (d = 0; d < begin->n; d++)
        if (!hy__step_of(step, d) || hy__step_of(step, d) < -INT64_MAX)
            return hy_infer_fail(I, HY_ERROR_ARGUMENT, "step %d cannot be %l", d, hy__step_of(step, d));
    if (whole->ndim < 0) hy_infer_shape(I, whole, hy__rank(part->ndim));
    if (whole->ndim < 0) return I->status;
    if (begin->n > whole->ndim)
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "%d axes cannot be sliced in %z", begin->n, whole);
    hy_infer_shape(I, part, hy__rank(whole->ndim));
    for (d = 0; d < whole->ndim && I->status >= 0; d++) {
        int64_t by = d < begin->n ? hy__step_of(step, d) : 1;
        if (d >= begin->n || (by == 1 && begin->v[d] == HY_NONE && end->v[d] == HY_NONE))
            hy__infer_same_dim(I, &whole->dim[d], &part->dim[d]);
        else if (whole->dim[d] >= 0)
            hy_infer_dim(I, &part->dim[d], hy__range_of(whole->dim[d], begin->v[d], end->v[d], by, &first));
    }
    return I->status;
}

/* Strides of a slice, and where it starts. */
static int64_t hy__slice_strides(const hy_tensor *x, const hy_ints *begin, const hy_ints *end,
                                 const hy_ints *step, int64_t *stride)
{
    int64_t start = 0, first;
    int d;
    for (d = 0; d < x->type.shape.ndim; d++) {
        int64_t by = d < begin->n ? hy__step_of(step, d) : 1, n;
        stride[d] = x->stride[d];
        if (d >= begin->n) continue;
        n = hy__range_of(x->type.shape.dim[d], begin->v[d], end->v[d], by, &first);
        start += n > 0 ? first * stride[d] : 0;
        stride[d] = n > 1 ? stride[d] * by : 0;
    }
    return start;
}

static int hy__slice_bind_box(hy_job *job, const hy_ints *begin, const hy_ints *end, const hy_ints *step)
{
    hy__move *m = hy__begin_move(job);
    int64_t from[HY_MAX_DIM];
    m->from_start = hy__slice_strides(&job->in[0], begin, end, step, from);
    hy__move_box(m, &job->out[0].type.shape, job->out[0].stride, from);
    return hy__finish_move(job);
}

static int hy__slice_infer(hy_infer *I)
{
    const hy__slice_rec *r = (const hy__slice_rec *)I->attr;
    hy__same_types(I);
    return hy__infer_slice(I, &r->begin, &r->end, &r->step, &I->in[0].shape, &I->out[0].shape);
}
static int hy__slice_bind(hy_job *job)
{
    const hy__slice_rec *r = (const hy__slice_rec *)job->attr;
    return hy__slice_bind_box(job, &r->begin, &r->end, &r->step);
}
static int hy__slice_back(hy_frame *F, hy_diff *D)
{
    const hy__slice_rec *r = (const hy__slice_rec *)D->attr;
    hy__slice_grad_opt opt;
    opt.step = r->step;
    if (D->dy[0]) D->dx[0] = hy__slice_grad(F, D->dy[0], D->in[0], r->begin, r->end, &opt);
    return 0;
}
#define HY__ON_slice hy__slice_infer, hy__slice_bind, hy__slice_back, NULL

static int hy__unslice_infer(hy_infer *I)
{
    const hy___slice_grad_rec *r = (const hy___slice_grad_rec *)I->attr;
    hy__first_type(I);
    hy_infer_same(I, &I->in[1].shape, &I->out[0].shape);
    if (I->status < 0) return -1;
    return hy__infer_slice(I, &r->begin, &r->end, &r->step, &I->out[0].shape, &I->in[0].shape);
}
static int hy__unslice_bind(hy_job *job)
{
    const hy___slice_grad_rec *r = (const hy___slice_grad_rec *)job->attr;
    hy__move *m = hy__begin_move(job);
    int64_t to[HY_MAX_DIM];
    m->to_start = hy__slice_strides(&job->out[0], &r->begin, &r->end, &r->step, to);
    hy__move_box(m, &job->in[0].type.shape, to, job->in[0].stride);
    return hy__finish_move_into_zeros(job);
}
static int hy__unslice_back(hy_frame *F, hy_diff *D)
{
    const hy___slice_grad_rec *r = (const hy___slice_grad_rec *)D->attr;
    hy_slice_opt opt;
    opt.step = r->step;
    if (D->dy[0] && D->want[0]) D->dx[0] = hy_slice(F, D->dy[0], r->begin, r->end, &opt);
    return 0;
}
#define HY__ON__slice_grad hy__unslice_infer, hy__unslice_bind, hy__unslice_back, NULL

/* slice_axis as a slice. */
static void hy__axis_slice(const hy__slice_axis_rec *r, int axis, hy_ints *begin, hy_ints *end)
{
    int d;
    begin->n = end->n = axis + 1;
    for (d = 0; d < axis; d++) begin->v[d] = end->v[d] = HY_NONE;
    begin->v[axis] = r->begin;
    end->v[axis] = r->end;
}

static int hy__slice_axis_infer(hy_infer *I)
{
    const hy__slice_axis_rec *r = (const hy__slice_axis_rec *)I->attr;
    hy_shape *x = &I->in[0].shape;
    hy_ints begin, end;
    int axis;
    hy__same_types(I);
    hy_infer_shape(I, x, hy__rank(I->out[0].shape.ndim));
    if (x->ndim < 0 || I->status < 0) return I->status;
    axis = hy__infer_axis(I, r->axis, x->ndim);
    if (axis < 0) return -1;
    if (x->dim[axis] >= 0) {
        int64_t n = x->dim[axis], low = r->begin, high = r->end;
        if (low == HY_NONE) low = 0;
        if (high == HY_NONE) high = n;
        if (low < 0) low += n;
        if (high < 0) high += n;
        if (low < 0 || low > high || high > n)
            return hy_infer_fail(I, HY_ERROR_INDEX, "[%l, %l) is out of range for axis %d of %z", low, high,
                                 axis, x);
    }
    hy__axis_slice(r, axis, &begin, &end);
    return hy__infer_slice(I, &begin, &end, &hy__no_steps, x, &I->out[0].shape);
}
static int hy__slice_axis_bind(hy_job *job)
{
    const hy__slice_axis_rec *r = (const hy__slice_axis_rec *)job->attr;
    hy_ints begin, end;
    hy__axis_slice(r, hy__axis(r->axis, job->in[0].type.shape.ndim), &begin, &end);
    return hy__slice_bind_box(job, &begin, &end, &hy__no_steps);
}
static int hy__slice_axis_grad(hy_frame *F, hy_diff *D)
{
    const hy__slice_axis_rec *r = (const hy__slice_axis_rec *)D->attr;
    hy_ints begin, end;
    if (!D->dy[0]) return 0;
    hy__axis_slice(r, hy__axis(r->axis, D->in[0]->t.type.shape.ndim), &begin, &end);
    D->dx[0] = hy__slice_grad(F, D->dy[0], D->in[0], begin, end, NULL);
    return 0;
}
#define HY__ON_slice_axis hy__slice_axis_infer, hy__slice_axis_bind, hy__slice_axis_grad, NULL

static int hy__slice_like_infer(hy_infer *I)
{
    const hy__slice_like_rec *r = (const hy__slice_like_rec *)I->attr;
    hy_shape *x = &I->in[0].shape, *like = &I->in[1].shape, *y = &I->out[0].shape;
    int bits, d;
    hy__first_type(I);
    hy_infer_shape(I, x, hy__rank(y->ndim));
    if (x->ndim < 0 || I->status < 0) return I->status;
    hy_infer_shape(I, y, hy__rank(x->ndim));
    bits = hy__axis_bits(I, &r->axes, 0, x->ndim);
    if (bits < 0 || I->status < 0) return -1;
    if (like->ndim >= 0 && (bits >> like->ndim || (r->axes.n <= 0 && like->ndim != x->ndim)))
        return hy_infer_fail(I, HY_ERROR_SHAPE, "%z cannot be cut to the sizes of %z", x, like);
    for (d = 0; d < x->ndim && I->status >= 0; d++) {
        if (!(bits >> d & 1)) { hy__infer_same_dim(I, &x->dim[d], &y->dim[d]); continue; }
        if (like->ndim >= 0) hy__infer_same_dim(I, &like->dim[d], &y->dim[d]);
        if (x->dim[d] >= 0 && y->dim[d] > x->dim[d])
            return hy_infer_fail(I, HY_ERROR_SHAPE, "%z cannot be cut to the sizes of %z", x, like);
    }
    return I->status;
}
static int hy__slice_like_bind(hy_job *job)
{
    hy__move_box(hy__begin_move(job), &job->out[0].type.shape, job->out[0].stride, job->in[0].stride);
    return hy__finish_move(job);
}
static int hy__slice_like_grad(hy_frame *F, hy_diff *D)
{
    const hy_shape *y = &D->out[0]->t.type.shape;
    hy_ints begin, end;
    int d;
    if (!D->dy[0] || !D->want[0]) return 0;
    begin.n = end.n = y->ndim;
    for (d = 0; d < y->ndim; d++) { begin.v[d] = 0; end.v[d] = y->dim[d]; }
    D->dx[0] = hy__slice_grad(F, D->dy[0], D->in[0], begin, end, NULL);
    return 0;
}
#define HY__ON_slice_like hy__slice_like_infer, hy__slice_like_bind, hy__slice_like_grad, NULL

/* --- several times the same --- */
static int hy__repeat_infer(hy_infer *I)
{
    const hy__repeat_rec *r = (const hy__repeat_rec *)I->attr;
    hy_shape *x = &I->in[0].shape, *y = &I->out[0].shape, want;
    int axis;
    hy__same_types(I);
    if (r->repeats < 0) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "repeats cannot be %d", r->repeats);
    if (r->axis == HY_NONE) {
        int64_t n = hy__size(x);
        hy_infer_shape(I, y, hy__shape1(n < 0 ? -1 : hy__times(n, r->repeats)));
        return I->status;
    }
    hy_infer_shape(I, x, hy__rank(y->ndim));
    if (x->ndim < 0 || I->status < 0) return I->status;
    axis = hy__infer_axis(I, r->axis, x->ndim);
    if (axis < 0) return -1;
    want = *x;
    if (x->dim[axis] >= 0) want.dim[axis] = hy__times(x->dim[axis], r->repeats);
    hy_infer_shape(I, y, want);
    if (I->status < 0) return -1;
    want = *y;
    if (r->repeats && want.dim[axis] > 0) want.dim[axis] /= r->repeats;
    if (!r->repeats) want.dim[axis] = -1;
    hy_infer_shape(I, x, want);
    return I->status;
}

static int hy__repeat_bind(hy_job *job)
{
    const hy__repeat_rec *r = (const hy__repeat_rec *)job->attr;
    hy_tensor x = job->in[0];
    hy__move *m = hy__begin_move(job);
    int ndim = x.type.shape.ndim, axis = r->axis == HY_NONE ? ndim - 1 : hy__axis(r->axis, ndim), d;
    int64_t inner;
    hy__pack_strides(&x);
    inner = axis >= 0 ? x.stride[axis] : 1;
    for (d = 0; d < ndim; d++) {
        int64_t to = d > axis ? x.stride[d] : x.stride[d] * r->repeats;
        hy__move_dim(m, x.type.shape.dim[d], to, job->in[0].stride[d]);
        if (d == axis) hy__move_dim(m, r->repeats, inner, 0);
    }
    if (!ndim) hy__move_dim(m, r->repeats, 1, 0);
    return hy__finish_move(job);
}

/* Sums over the middle of (outer, n, inner), which reshape must not see as codes: no size may be 0. */
static hy_array *hy__sum_middle(hy_frame *F, hy_array *g, int64_t outer, int64_t n, int64_t inner)
{
    return hy_sum(F, hy_reshape(F, g, HY_INTS(outer, n, inner), NULL), HY_AXES(1), NULL);
}

static int hy__repeat_grad(hy_frame *F, hy_diff *D)
{
    const hy__repeat_rec *r = (const hy__repeat_rec *)D->attr;
    const hy_shape *x = &D->in[0]->t.type.shape;
    int axis = r->axis == HY_NONE ? x->ndim - 1 : hy__axis(r->axis, x->ndim);
    int64_t outer = hy__product(x, 0, axis + 1), inner = hy__product(x, axis + 1, x->ndim);
    if (!D->dy[0] || !outer || !inner || !r->repeats) return 0;
    D->dx[0] = hy_reshape_like(F, hy__sum_middle(F, D->dy[0], outer, r->repeats, inner), D->in[0], NULL);
    return 0;
}
#define HY__ON_repeat hy__repeat_infer, hy__repeat_bind, hy__repeat_grad, NULL

/* How often axis d of ndim stands; reps are aligned on the right. */
static int64_t hy__reps_at(const hy_ints *reps, int ndim, int d)
{
    int k = d - ndim + (reps->n > 0 ? reps->n : 0);
    return k >= 0 ? reps->v[k] : 1;
}

static int hy__tile_infer(hy_infer *I)
{
    const hy__tile_rec *r = (const hy__tile_rec *)I->attr;
    hy_shape *x = &I->in[0].shape, *y = &I->out[0].shape, want;
    int d, shift;
    hy__same_types(I);
    for (d = 0; d < r->reps.n; d++)
        if (r->reps.v[d] < 0) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "reps cannot hold %l", r->reps.v[d]);
    if (x->ndim < 0) return I->status;
    want = hy__rank(r->reps.n > x->ndim ? r->reps.n : x->ndim);
    if (want.ndim > HY_MAX_DIM) return hy__too_many_dims(I, want.ndim);
    shift = want.ndim - x->ndim;
    for (d = 0; d < want.ndim; d++) {
        int64_t n = d < shift ? 1 : x->dim[d - shift];
        if (n >= 0) want.dim[d] = hy__times(n, hy__reps_at(&r->reps, want.ndim, d));
    }
    hy_infer_shape(I, y, want);
    for (d = shift; d < want.ndim && I->status >= 0; d++) {
        int64_t n = hy__reps_at(&r->reps, want.ndim, d);
        if (n && y->dim[d] >= 0 && y->dim[d] % n == 0) hy_infer_dim(I, &x->dim[d - shift], y->dim[d] / n);
    }
    return I->status;
}

static int hy__tile_bind(hy_job *job)
{
    const hy__tile_rec *r = (const hy__tile_rec *)job->attr;
    const hy_tensor *x = &job->in[0], *y = &job->out[0];
    hy__move *m = hy__begin_move(job);
    int d, ndim = y->type.shape.ndim, shift = ndim - x->type.shape.ndim;
    for (d = 0; d < ndim; d++) {
        int64_t n = d < shift ? 1 : x->type.shape.dim[d - shift];
        hy__move_dim(m, hy__reps_at(&r->reps, ndim, d), n * y->stride[d], 0);
        hy__move_dim(m, n, y->stride[d], d < shift ? 0 : x->stride[d - shift]);
    }
    return hy__finish_move(job);
}

static int hy__tile_grad(hy_frame *F, hy_diff *D)
{
    const hy__tile_rec *r = (const hy__tile_rec *)D->attr;
    hy_shape left = D->out[0]->t.type.shape;            /* the shape of what is not summed yet */
    hy_array *g = D->dy[0];
    int d;
    if (!g || !hy__size(&left)) return 0;
    for (d = 0; d < left.ndim; d++) {
        int64_t n = hy__reps_at(&r->reps, left.ndim, d);
        if (n == 1) continue;
        g = hy__sum_middle(F, g, hy__product(&left, 0, d), n, hy__product(&left, d, left.ndim) / n);
        left.dim[d] /= n;
    }
    D->dx[0] = hy_reshape_like(F, g, D->in[0], NULL);
    return 0;
}
#define HY__ON_tile hy__tile_infer, hy__tile_bind, hy__tile_grad, NULL

static int hy__reverse_infer(hy_infer *I)
{
    const hy__reverse_rec *r = (const hy__reverse_rec *)I->attr;
    hy_infer_pointwise(I);
    if (I->in[0].shape.ndim >= 0) hy__axis_bits(I, &r->axis, 0, I->in[0].shape.ndim);
    return I->status;
}
static int hy__reverse_bind(hy_job *job)
{
    const hy__reverse_rec *r = (const hy__reverse_rec *)job->attr;
    const hy_tensor *x = &job->in[0];
    hy__move *m = hy__begin_move(job);
    int d, bits = hy__known_axis_bits(&r->axis, 0, x->type.shape.ndim);
    for (d = 0; d < x->type.shape.ndim; d++) {
        int turn = bits >> d & 1 && x->type.shape.dim[d] > 0;
        if (turn) m->from_start += (x->type.shape.dim[d] - 1) * x->stride[d];
        hy__move_dim(m, x->type.shape.dim[d], job->out[0].stride[d], turn ? -x->stride[d] : x->stride[d]);
    }
    return hy__finish_move(job);
}
static int hy__reverse_grad(hy_frame *F, hy_diff *D)
{
    if (D->dy[0]) D->dx[0] = hy_reverse(F, D->dy[0], ((const hy__reverse_rec *)D->attr)->axis);
    return 0;
}
#define HY__ON_reverse hy__reverse_infer, hy__reverse_bind, hy__reverse_grad, NULL

/* --- broadcasting and what undoes it --- */
static int hy__back_in_sum(hy_frame *F, hy_diff *D)
{
    if (D->dy[0] && D->want[0]) D->dx[0] = hy__unbroadcast(F, D->dy[0], D->in[0]);
    return 0;
}

/* An axis may become `size` if it has that size or 1. */
static void hy__infer_widened(hy_infer *I, const hy_shape *x, int d, int64_t size, hy_shape *want)
{
    if (x->dim[d] > 1 || x->dim[d] == 0) {
        if (size >= 0 && size != x->dim[d])
            hy_infer_fail(I, HY_ERROR_SHAPE, "axis %d of %z cannot be broadcast to %l", d, x, size);
        size = x->dim[d];
    }
    want->dim[want->ndim - x->ndim + d] = size;
}

static int hy__broadcast_to_infer(hy_infer *I)
{
    const hy__broadcast_to_rec *r = (const hy__broadcast_to_rec *)I->attr;
    hy_shape *x = &I->in[0].shape, want = hy__rank(r->shape.n > 0 ? r->shape.n : 0);
    int d;
    hy__same_types(I);
    if (want.ndim > HY_MAX_DIM) return hy__too_many_dims(I, want.ndim);
    for (d = 0; d < want.ndim; d++) {
        if (r->shape.v[d] < 0)
            return hy_infer_fail(I, HY_ERROR_ARGUMENT, "shape cannot hold %l", r->shape.v[d]);
        if (r->shape.v[d] > 0) want.dim[d] = r->shape.v[d];
    }
    if (x->ndim > want.ndim)
        return hy_infer_fail(I, HY_ERROR_SHAPE, "%z has more dims than the shape for it", x);
    for (d = 0; d < x->ndim; d++) {
        int64_t size = want.dim[want.ndim - x->ndim + d];
        hy__infer_widened(I, x, d, size < 0 ? x->dim[d] : size, &want);
    }
    hy_infer_shape(I, &I->out[0].shape, want);
    return I->status;
}
#define HY__ON_broadcast_to hy__broadcast_to_infer, hy__broadcast_bind, hy__back_in_sum, NULL

static int hy__broadcast_axis_infer(hy_infer *I)
{
    const hy__broadcast_axis_rec *r = (const hy__broadcast_axis_rec *)I->attr;
    hy_shape *x = &I->in[0].shape, want;
    int i, n = r->axis.n > 0 ? r->axis.n : 0;
    hy__same_types(I);
    if (n != (r->size.n > 0 ? r->size.n : 0))
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "%d axes and %d sizes", r->axis.n, r->size.n);
    hy_infer_shape(I, x, hy__rank(I->out[0].shape.ndim));
    if (x->ndim < 0 || I->status < 0) return I->status;
    if (n && hy__axis_bits(I, &r->axis, 0, x->ndim) < 0) return -1;
    want = *x;
    for (i = 0; i < n; i++) {
        int d = hy__axis((int)r->axis.v[i], x->ndim);
        if (r->size.v[i] < 0) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "size cannot hold %l", r->size.v[i]);
        hy_infer_dim(I, &x->dim[d], 1);
        want.dim[d] = r->size.v[i];
    }
    hy_infer_shape(I, &I->out[0].shape, want);
    return I->status;
}
#define HY__ON_broadcast_axis hy__broadcast_axis_infer, hy__broadcast_bind, hy__back_in_sum, NULL

static int hy__broadcast_like_infer(hy_infer *I)
{
    const hy__broadcast_like_rec *r = (const hy__broadcast_like_rec *)I->attr;
    hy_shape *x = &I->in[0].shape, *like = &I->in[1].shape, want;
    int d, i, n = r->lhs_axes.n > 0 ? r->lhs_axes.n : 0;
    hy__first_type(I);
    if (n != (r->rhs_axes.n > 0 ? r->rhs_axes.n : 0))
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "lhs_axes and rhs_axes differ in length");
    if (!n) hy_infer_same(I, like, &I->out[0].shape);
    if (x->ndim < 0 || like->ndim < 0 || I->status < 0) return I->status;
    if (!n && x->ndim > like->ndim)
        return hy_infer_fail(I, HY_ERROR_SHAPE, "%z cannot be broadcast to %z", x, like);
    want = n ? *x : *like;
    if (n && hy__axis_bits(I, &r->lhs_axes, 0, x->ndim) < 0) return -1;
    if (n && hy__axis_bits(I, &r->rhs_axes, 0, like->ndim) < 0) return -1;
    for (i = 0; i < n; i++)
        hy__infer_widened(I, x, hy__axis((int)r->lhs_axes.v[i], x->ndim),
                          like->dim[hy__axis((int)r->rhs_axes.v[i], like->ndim)], &want);
    for (d = 0; d < x->ndim && !n; d++) hy__infer_widened(I, x, d, want.dim[want.ndim - x->ndim + d], &want);
    hy_infer_shape(I, &I->out[0].shape, want);
    return I->status;
}
#define HY__ON_broadcast_like hy__broadcast_like_infer, hy__broadcast_bind, hy__back_in_sum, NULL

static int hy__sum_like_infer(hy_infer *I)
{
    hy_shape *x = &I->in[0].shape, *like = &I->in[1].shape;
    int d;
    hy__first_type(I);
    hy_infer_same(I, like, &I->out[0].shape);
    for (d = 1; d <= like->ndim && x->ndim >= 0; d++) {
        int64_t a = d <= x->ndim ? x->dim[x->ndim - d] : 1, b = like->dim[like->ndim - d];
        if (a >= 0 && b >= 0 && b != 1 && a != b)
            return hy_infer_fail(I, HY_ERROR_SHAPE, "%z cannot be summed to %z", x, like);
    }
    return I->status;
}

static int hy__sum_like_bind(hy_job *job)
{
    const hy_shape *x = &job->in[0].type.shape, *y = &job->out[0].type.shape;
    int d, bits = 0, shift = x->ndim - y->ndim;
    for (d = 0; d < x->ndim; d++)
        bits |= (x->dim[d] != 1 && (d < shift || y->dim[d - shift] == 1)) << d;
    return bits ? hy__reduce_bind_kind(job, HY__SUM, bits) : hy__view_bind(job);
}

static int hy__sum_like_grad(hy_frame *F, hy_diff *D)
{
    if (D->dy[0] && D->want[0]) D->dx[0] = hy_broadcast_like(F, D->dy[0], D->in[0], NULL);
    return 0;
}
#define HY__ON__sum_like hy__sum_like_infer, hy__sum_like_bind, hy__sum_like_grad, NULL

/* --- borders --- *
 * A padded array is made of boxes: per axis what stands before, the array itself, and what stands behind. */
typedef struct hy__pad {
    int     mode, n, axis[HY_MAX_DIM];              /* the axes that have a border */
    int64_t boxes, slices;                          /* items per box */
    uint64_t value;                                 /* of a constant border, as it lies in memory */
} hy__pad;

static int hy__infer_pad(hy_infer *I, const hy_ints *width, int mode, hy_shape *inner, hy_shape *padded)
{
    int d, ndim = inner->ndim >= 0 ? inner->ndim : padded->ndim;
    for (d = 0; d < width->n; d++)
        if (width->v[d] < 0 || width->v[d] > (int64_t)1 << 48)
            return hy_infer_fail(I, HY_ERROR_ARGUMENT, "pad_width cannot hold %l", width->v[d]);
    if (ndim < 0) return I->status;
    if (width->n != 2 * ndim)
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "pad_width has %d numbers for %d dims", width->n, ndim);
    hy_infer_shape(I, inner, hy__rank(ndim));
    hy_infer_shape(I, padded, hy__rank(ndim));
    for (d = 0; d < ndim && I->status >= 0; d++) {
        int64_t before = width->v[2 * d], after = width->v[2 * d + 1], n = inner->dim[d];
        if (n >= 0 && n <= INT64_MAX >> 1) hy_infer_dim(I, &padded->dim[d], n + before + after);
        else if (n < 0 && padded->dim[d] >= before + after)
            hy_infer_dim(I, &inner->dim[d], padded->dim[d] - before - after);
        if (n < 0 || mode == HY_PAD_CONSTANT || before + after == 0) continue;
        if (n == 0 || (mode == HY_PAD_REFLECT && (before >= n || after >= n)))
            return hy_infer_fail(I, HY_ERROR_SHAPE, "a border of %l and %l is too wide for axis %d of %z",
                                 before, after, d, inner);
    }
    return I->status;
}

static int hy__pad_infer(hy_infer *I)
{
    const hy__pad_rec *r = (const hy__pad_rec *)I->attr;
    hy__same_types(I);
    return hy__infer_pad(I, &r->pad_width, r->mode, &I->in[0].shape, &I->out[0].shape);
}

/* Box number `box`, whose digits to base 3 say for each bordered axis: the array, before, behind. */
static void hy__pad_box(const hy_job *job, const hy__pad *p, const hy_ints *width, int64_t box, hy__move *m)
{
    const hy_tensor *x = &job->in[0], *y = &job->out[0];
    int d, k, part[HY_MAX_DIM];
    for (d = 0; d < x->type.shape.ndim; d++) part[d] = 0;
    for (k = 0; k < p->n; k++, box /= 3) part[p->axis[k]] = (int)(box % 3);
    hy__move_open(m, y->type.dtype);
    for (d = 0; d < x->type.shape.ndim; d++) {
        int64_t n = x->type.shape.dim[d], before = width->v[2 * d], after = width->v[2 * d + 1];
        int64_t count = part[d] == 0 ? n : part[d] == 1 ? before : after;
        int64_t place = part[d] == 0 ? before : part[d] == 1 ? 0 : before + n;
        int64_t first = 0, step = 1;
        if (part[d] && p->mode == HY_PAD_EDGE) { first = part[d] == 1 ? 0 : n - 1; step = 0; }
        if (part[d] && p->mode == HY_PAD_REFLECT) { first = part[d] == 1 ? before : n - 2; step = -1; }
        m->to_start += place * y->stride[d];
        m->from_start += first * x->stride[d];
        hy__move_dim(m, count, y->stride[d], step * x->stride[d]);
    }
    hy__move_close(m);
}

static void hy__run_pad(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__pad *p = (const hy__pad *)(const void *)&job->plan;
    const hy__pad_rec *r = (const hy__pad_rec *)job->attr;
    int64_t slice = item % p->slices, k;
    hy__move m;
    (void)scratch; (void)shared;
    if (stage + 1 < job->stages) {                      /* the border's value everywhere */
        k = hy__size(&job->out[0].type.shape) - item * HY__CHUNK;
        hy__move_open(&m, job->out[0].type.dtype);
        m.to_start = item * HY__CHUNK;
        hy__move_dim(&m, hy__least(k, HY__CHUNK), 1, 0);
        hy__move_close(&m);
        hy__move_item(&m, (char *)job->out[0].data, (const char *)&p->value, 0);
        return;
    }
    hy__pad_box(job, p, &r->pad_width, item / p->slices, &m);
    for (k = m.items * slice / p->slices; k < m.items * (slice + 1) / p->slices; k++)
        hy__move_item(&m, (char *)job->out[0].data, (const char *)job->in[0].data, k);
}

static int hy__pad_bind(hy_job *job)
{
    const hy__pad_rec *r = (const hy__pad_rec *)job->attr;
    hy__pad *p = (hy__pad *)(void *)&job->plan;
    int64_t size = hy__size(&job->out[0].type.shape);
    int d;
    hy__move m;
    p->mode = r->mode;
    p->n = 0;
    p->value = 0;
    p->boxes = 1;
    hy__store(&p->value, job->out[0].type.dtype, r->constant_value);
    for (d = 0; d < job->in[0].type.shape.ndim && p->mode != HY_PAD_CONSTANT; d++)
        if (r->pad_width.v[2 * d] || r->pad_width.v[2 * d + 1]) { p->axis[p->n++] = d; p->boxes *= 3; }
    hy__pad_box(job, p, &r->pad_width, 0, &m);
    p->slices = m.items > 0 ? m.items : 1;
    hy__one_stage(job, hy__run_pad, p->boxes * p->slices, 0.5 * (double)size + 100 * (double)p->boxes);
    if (p->mode == HY_PAD_CONSTANT) {
        job->stages = 2;
        job->items[1] = job->items[0];
        job->items[0] = hy__pieces(size, HY__CHUNK);
    }
    return 0;
}

static int hy__pad_back(hy_frame *F, hy_diff *D)
{
    const hy__pad_rec *r = (const hy__pad_rec *)D->attr;
    if (D->dy[0]) D->dx[0] = hy__pad_grad(F, D->dy[0], r->pad_width, r->mode);
    return 0;
}
#define HY__ON_pad hy__pad_infer, hy__pad_bind, hy__pad_back, NULL

/* The places of the padded axis that hold element i of n: the k-th, or -1. */
static int64_t hy__pad_place(int mode, int64_t n, int64_t before, int64_t after, int64_t i, int64_t k)
{
    int64_t left = 0;
    if (k == 0) return i + before;
    if (mode == HY_PAD_EDGE) {
        left = i == 0 ? before : 0;
        if (k <= left) return k - 1;
        return i == n - 1 && k <= left + after ? before + n + k - left - 1 : -1;
    }
    left = i >= 1 && i <= before;
    if (k <= left) return before - i;
    return k == left + 1 && i < n - 1 && i >= n - 1 - after ? before + 2 * (n - 1) - i : -1;
}

/* What one element of the array gets: the sum over all its places in the padded one. */
static double hy__unpad_element(const hy_job *job, const hy___pad_grad_rec *r, int64_t element)
{
    const hy_tensor *x = &job->in[0], *y = &job->out[0];
    const hy_shape *s = &y->type.shape;
    int64_t i[HY_MAX_DIM], k[HY_MAX_DIM], at[HY_MAX_DIM], offset = 0;
    double sum = 0;
    int d, size = hy__traits[x->type.dtype].size;
    for (d = s->ndim - 1; d >= 0; d--) {
        i[d] = element % s->dim[d];
        element /= s->dim[d];
        k[d] = 0;
        at[d] = i[d] + r->pad_width.v[2 * d];
        offset += at[d] * x->stride[d];
    }
    for (;;) {
        sum += hy__load((const char *)x->data + offset * size, x->type.dtype);
        for (d = s->ndim - 1; d >= 0; d--) {
            int64_t before = r->pad_width.v[2 * d], after = r->pad_width.v[2 * d + 1];
            int64_t next = hy__pad_place(r->mode, s->dim[d], before, after, i[d], ++k[d]);
            if (next < 0) { k[d] = 0; next = i[d] + before; }
            offset += (next - at[d]) * x->stride[d];
            at[d] = next;
            if (k[d]) break;
        }
        if (d < 0) return sum;
    }
}

/* Rows: the array's own place is copied, then what shares an element with the border is summed anew. */
static void hy__run_unpad(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy___pad_grad_rec *r = (const hy___pad_grad_rec *)job->attr;
    const hy_tensor *x = &job->in[0], *y = &job->out[0];
    const int64_t *width = r->pad_width.v;
    hy_dtype dtype = y->type.dtype;
    int d, last = y->type.shape.ndim - 1, edge = r->mode == HY_PAD_EDGE, size = hy__traits[dtype].size;
    int64_t n = y->type.shape.dim[last], rows = hy__product(&y->type.shape, 0, last), row, end, c;
    int64_t left = edge ? width[2 * last] > 0 : width[2 * last] + 1;
    int64_t right = edge ? n - (width[2 * last + 1] > 0) : n - 1 - width[2 * last + 1];
    (void)stage; (void)scratch; (void)shared;
    row = item * job->plan.i[0];
    end = hy__least(rows, row + job->plan.i[0]);
    for (; row < end; row++) {
        char *to = (char *)y->data + row * n * size;
        int64_t offset = width[2 * last] * x->stride[last], rest = row;
        int border = 0;
        for (d = last - 1; d >= 0; d--) {
            int64_t m = y->type.shape.dim[d], i = rest % m;
            rest /= m;
            offset += (i + width[2 * d]) * x->stride[d];
            border |= hy__pad_place(r->mode, m, width[2 * d], width[2 * d + 1], i, 1) >= 0;
        }
        hy__copy_run(to, dtype, 1, (const char *)x->data + offset * size, dtype, x->stride[last], n);
        for (c = 0; c < n; c++) {
            if (!border && c >= left && c < right) c = right;
            if (c < n) hy__store(to + c * size, dtype, hy__unpad_element(job, r, row * n + c));
        }
    }
}

static int hy__unpad_infer(hy_infer *I)
{
    const hy___pad_grad_rec *r = (const hy___pad_grad_rec *)I->attr;
    hy__same_types(I);
    return hy__infer_pad(I, &r->pad_width, r->mode, &I->out[0].shape, &I->in[0].shape);
}
static int hy__unpad_bind(hy_job *job)
{
    const hy___pad_grad_rec *r = (const hy___pad_grad_rec *)job->attr;
    const hy_tensor *x = &job->in[0];
    const hy_shape *y = &job->out[0].type.shape;
    int64_t size = hy__size(y), n = y->ndim ? y->dim[y->ndim - 1] : 1;
    int d;
    if (r->mode == HY_PAD_CONSTANT || hy__same_shape(&x->type.shape, y)) {
        hy__move *m = hy__begin_move(job);
        for (d = 0; d < y->ndim; d++) m->from_start += r->pad_width.v[2 * d] * x->stride[d];
        hy__move_box(m, y, job->out[0].stride, x->stride);
        return hy__finish_move(job);
    }
    job->plan.i[0] = hy__clamp_i64(HY__CHUNK / (n + 1), 1, HY__CHUNK);         /* rows of an item */
    return hy__one_stage(job, hy__run_unpad, n ? hy__pieces(size / n, job->plan.i[0]) : 0, 2 * (double)size);
}
static int hy__unpad_back(hy_frame *F, hy_diff *D)
{
    const hy___pad_grad_rec *r = (const hy___pad_grad_rec *)D->attr;
    if (D->dy[0]) D->dx[0] = hy_pad(F, D->dy[0], r->pad_width, r->mode, NULL);
    return 0;
}
#define HY__ON__pad_grad hy__unpad_infer, hy__unpad_bind, hy__unpad_back, NULL

/* --- diagonals --- */

/* The axes of the matrices in a shape of at least two dims; 0 after an error. */
static int hy__diag_axes(hy_infer *I, const hy__diag_rec *r, int ndim, int *rows, int *cols)
{
    *rows = hy__infer_axis(I, r->axis1, ndim);
    *cols = hy__infer_axis(I, r->axis2, ndim);
    if (*rows >= 0 && *cols >= 0 && *rows == *cols)
        hy_infer_fail(I, HY_ERROR_ARGUMENT, "the two axes of diag must differ, both are %d", *rows);
    return I->status >= 0;
}

static int64_t hy__diag_length(int64_t rows, int64_t cols, int64_t k)
{
    if (rows < 0 || cols < 0) return -1;
    if (k >= 0) cols -= k;
    else rows += k;
    if (cols < rows) rows = cols;
    return rows > 0 ? rows : 0;
}

/* (..., rows, ..., cols, ...) -> (..., length); a vector is put on the diagonal of a matrix. */
static int hy__infer_diag(hy_infer *I, const hy__diag_rec *r, hy_shape *x, hy_shape *y)
{
    hy_shape want = hy__rank(0);
    int64_t far = r->k < 0 ? -(int64_t)r->k : r->k;
    int d, rows, cols;
    if (x->ndim < 0) return I->status;
    if (x->ndim == 0) return hy_infer_fail(I, HY_ERROR_SHAPE, "data needs at least one dim");
    if (x->ndim == 1) {
        int64_t n = x->dim[0] < 0 || x->dim[0] > INT64_MAX >> 1 ? -1 : x->dim[0] + far;
        hy_infer_shape(I, y, hy__shape2(n, n));
        if (I->status >= 0 && y->dim[0] >= far) hy_infer_dim(I, &x->dim[0], y->dim[0] - far);
        return I->status;
    }
    if (!hy__diag_axes(I, r, x->ndim, &rows, &cols)) return -1;
    for (d = 0; d < x->ndim; d++) if (d != rows && d != cols) want.dim[want.ndim++] = x->dim[d];
    want.dim[want.ndim++] = hy__diag_length(x->dim[rows], x->dim[cols], r->k);
    hy_infer_shape(I, y, want);
    return I->status;
}

/* Strides of the diagonal of a matrix tensor, and where it starts. */
static int64_t hy__diag_strides(const hy__diag_rec *r, const hy_tensor *x, int64_t *stride)
{
    int d, k = 0, ndim = x->type.shape.ndim, rows = hy__axis(r->axis1, ndim), cols = hy__axis(r->axis2, ndim);
    for (d = 0; d < ndim; d++) if (d != rows && d != cols) stride[k++] = x->stride[d];
    stride[k] = x->stride[rows] + x->stride[cols];
    if (!hy__diag_length(x->type.shape.dim[rows], x->type.shape.dim[cols], r->k)) return 0;
    return r->k >= 0 ? r->k * x->stride[cols] : -(int64_t)r->k * x->stride[rows];
}

/* Takes the diagonal out of input 0, or puts input 0 on that of the output; `flat` means a plain matrix. */
static int hy__diag_move(hy_job *job, const hy__diag_rec *r, int put)
{
    hy__move *m = hy__begin_move(job);
    int64_t stride[HY_MAX_DIM];
    if (put) {
        m->to_start = hy__diag_strides(r, &job->out[0], stride);
        hy__move_box(m, &job->in[0].type.shape, stride, job->in[0].stride);
        return hy__finish_move_into_zeros(job);
    }
    m->from_start = hy__diag_strides(r, &job->in[0], stride);
    hy__move_box(m, &job->out[0].type.shape, job->out[0].stride, stride);
    return hy__finish_move(job);
}

static hy__diag_rec hy__main_axes(int k)                /* the axes attributes mean nothing for a vector */
{
    hy__diag_rec r;
    r.k = k;
    r.axis1 = 0;
    r.axis2 = 1;
    return r;
}

static int hy__diag_infer(hy_infer *I)
{
    hy__same_types(I);
    return hy__infer_diag(I, (const hy__diag_rec *)I->attr, &I->in[0].shape, &I->out[0].shape);
}
static int hy__diag_bind(hy_job *job)
{
    const hy__diag_rec *r = (const hy__diag_rec *)job->attr;
    hy__diag_rec plain = hy__main_axes(r->k);
    int vector = job->in[0].type.shape.ndim == 1;
    return hy__diag_move(job, vector ? &plain : r, vector);
}
static int hy__diag_back(hy_frame *F, hy_diff *D)
{
    const hy__diag_rec *r = (const hy__diag_rec *)D->attr;
    hy__diag_grad_opt opt;
    opt.axis1 = r->axis1 ? r->axis1 : HY_ZERO;
    opt.axis2 = r->axis2 ? r->axis2 : HY_ZERO;
    if (D->dy[0]) D->dx[0] = hy__diag_grad(F, D->dy[0], D->in[0], r->k, &opt);
    return 0;
}
#define HY__ON_diag hy__diag_infer, hy__diag_bind, hy__diag_back, NULL

static hy__diag_rec hy__undiag_record(const void *attr)
{
    const hy___diag_grad_rec *from = (const hy___diag_grad_rec *)attr;
    hy__diag_rec r;
    r.k = from->k;
    r.axis1 = from->axis1;
    r.axis2 = from->axis2;
    return r;
}
static int hy__undiag_infer(hy_infer *I)
{
    hy__diag_rec r = hy__undiag_record(I->attr);
    hy__first_type(I);
    hy_infer_same(I, &I->in[1].shape, &I->out[0].shape);
    return I->status < 0 ? -1 : hy__infer_diag(I, &r, &I->out[0].shape, &I->in[0].shape);
}
static int hy__undiag_bind(hy_job *job)
{
    hy__diag_rec r = hy__undiag_record(job->attr), plain = hy__main_axes(r.k);
    int vector = job->out[0].type.shape.ndim == 1;
    return hy__diag_move(job, vector ? &plain : &r, !vector);
}
static int hy__undiag_back(hy_frame *F, hy_diff *D)
{
    hy__diag_rec r = hy__undiag_record(D->attr);
    hy_diag_opt opt;
    opt.axis1 = r.axis1 ? r.axis1 : HY_ZERO;
    opt.axis2 = r.axis2 ? r.axis2 : HY_ZERO;
    if (D->dy[0] && D->want[0]) D->dx[0] = hy_diag(F, D->dy[0], r.k, &opt);
    return 0;
}
#define HY__ON__diag_grad hy__undiag_infer, hy__undiag_bind, hy__undiag_back, NULL
/* --- indexing --- *
 * Stage 0 turns the index input into positions, which all workers share; stage 1 moves elements. A gather
 * falls into picked rows; a scatter into blocks of the result, each of which looks through all positions, so
 * that whatever is added to one element is added in their order. */
enum { HY__BASE_ZERO, HY__BASE_FILL, HY__BASE_OLD };                    /* what a scatter writes upon */
typedef struct hy__rows {
    int64_t outer, n, m, inner;         /* the data is (outer, n, inner), what is picked (outer, m, inner) */
    int64_t places;
    int     each;                       /* a position per element, not per row */
    int     data, index;                /* which inputs; a scatter's data are its picked rows, -1: `on` */
    int     mode, components, mask;     /* index tuples have components of sizes dim; a mask's non-0s count */
    int64_t dim[HY_MAX_DIM];
    hy__move_fn move;
    int64_t outers, rows, columns;      /* a block: outers when the other two cover all */
    int64_t row_blocks, column_blocks;
    int     base, size, half;           /* half: summed in f32 in scratch */
    double  on, off;                    /* `on` as an element */
} hy__rows;

typedef struct hy__along { int64_t outer, n, inner; } hy__along;

static char *hy__nth(const hy_tensor *t, int64_t i)
{
    return (char *)t->data + i * hy__traits[t->type.dtype].size;
}

/* s seen along an axis; HY_NONE is all of it in one line. */
static hy__along hy__along_axis(const hy_shape *s, int axis)
{
    hy__along l = { 1, 1, 1 };
    int at = axis == HY_NONE ? 0 : hy__axis(axis, s->ndim);
    if (axis == HY_NONE) { l.n = hy__size(s); return l; }
    l.outer = hy__product(s, 0, at);
    l.n = s->dim[at];
    l.inner = hy__product(s, at + 1, s->ndim);
    return l;
}

static void hy__resolve_item(hy_job *job, const hy__rows *r, int64_t item, int64_t *place)
{
    const hy_tensor *index = &job->in[r->index];
    const char *data = (const char *)index->data;
    int64_t first = item * HY__CHUNK, count = hy__least(r->places - first, HY__CHUNK);
    if (r->mask) {
        if (hy__resolve_mask(data, index->type.dtype, r->n, r->m, place) != r->m) HY__STORE(&job->fault, 1);
        return;
    }
    count = hy__resolve(data, index->type.dtype, r->places, first, count, r->components, r->dim, r->mode,
                        place + first);
    if (count && (r->mode == HY_INDEX_RAISE || r->mode == HY__INDEX_SIGNED)) HY__STORE(&job->fault, 1);
}

static void hy__run_gather(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__rows *r = (const hy__rows *)(const void *)&job->plan;
    int64_t *place = (int64_t *)shared, row = item * r->rows, end = row + r->rows;
    hy__span s;
    (void)scratch;
    if (stage == 0) { hy__resolve_item(job, r, item, place); return; }
    if (end > r->outer * r->m) end = r->outer * r->m;
    memset(&s, 0, sizeof s);
    s.columns = s.wide = s.tall = r->inner;
    s.each = r->each || r->inner == 1;
    s.next = r->each ? r->inner : 1;
    for (; row < end; row += s.m) {
        int64_t outer = row / r->m, j = row % r->m;
        s.m = hy__least(r->m - j, end - row);
        r->move(hy__nth(&job->out[0], row * r->inner), hy__nth(&job->in[r->data], outer * r->n * r->inner),
                place + (r->each ? row * r->inner : j), &s);
    }
}

/* rows x columns of the result at `to`, which are those at `at`, before anything is added. */
static void hy__scatter_base(const hy_job *job, const hy__rows *r, char *to, int64_t at, int64_t rows,
                             int64_t columns)
{
    double off[HY__TILE];
    int64_t size = r->half ? 4 : r->size, step = (r->half ? columns : r->inner) * size, j, k;
    if (step == columns * size) { columns *= rows; rows = rows > 0; }
    if (r->base == HY__BASE_FILL) hy__load_f64(off, &r->off, HY_F64, 0, HY__TILE);
    for (; rows > 0; rows--, to += step, at += r->inner) {
        if (r->base == HY__BASE_ZERO) memset(to, 0, (size_t)(columns * size));
        else if (r->base == HY__BASE_OLD) memcpy(to, hy__nth(&job->in[0], at), (size_t)(columns * size));
        else for (j = 0; j < columns; j += k) {
            k = hy__least(columns - j, HY__TILE);
            hy__store_f64(to + j * size, job->out[0].type.dtype, 1, off, k);
        }
    }
}

static void hy__run_scatter(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__rows *r = (const hy__rows *)(const void *)&job->plan;
    int64_t column = item % r->column_blocks * r->columns, block = item / r->column_blocks, i;
    int64_t outer = block / r->row_blocks * r->outers, end = outer + r->outers, *place = (int64_t *)shared;
    hy__span s;
    if (stage == 0) { hy__resolve_item(job, r, item, place); return; }
    if (end > r->outer) end = r->outer;
    s.low = block % r->row_blocks * r->rows;
    s.high = hy__least(s.low + r->rows, r->n);
    s.m = r->m;
    s.columns = hy__least(r->inner - column, r->columns);
    s.wide = r->data < 0 ? 0 : r->inner;
    s.tall = r->half ? s.columns : r->inner;
    s.each = r->each || r->inner == 1;
    s.next = r->each ? r->inner : 1;
    for (; outer < end; outer++) {
        int64_t at = (outer * r->n + s.low) * r->inner + column, from = outer * r->m * r->inner + column;
        char *to = r->half ? (char *)scratch : hy__nth(&job->out[0], at);
        hy__scatter_base(job, r, to, at, s.high - s.low, s.columns);
        r->move(to, r->data < 0 ? (const void *)&r->on : (const void *)hy__nth(&job->in[r->data], from),
                place + (r->each ? from : 0), &s);
        if (r->half) for (i = 0; i < s.high - s.low; i++)
            hy__store_f32(hy__nth(&job->out[0], at + i * r->inner), job->out[0].type.dtype, 1,
                          (float *)scratch + i * s.columns, s.columns);
    }
}

/* The plan of rows picked along one axis: what most of these operators start from. */
static hy__rows *hy__rows_plan(hy_job *job, int data, int index, hy__along l, int64_t m, int mode)
{
    hy__rows *r = (hy__rows *)(void *)&job->plan;
    memset(r, 0, sizeof *r);
    r->outer = l.outer;
    r->n = r->dim[0] = l.n;
    r->inner = l.inner;
    r->m = r->places = m;
    r->data = data;
    r->index = index;
    r->mode = mode;
    r->components = 1;
    r->size = hy__traits[job->out[0].type.dtype].size;
    job->fault_text = "an index is out of range";
    return r;
}
static void hy__rows_each(hy__rows *r)
{
    r->each = 1;
    r->places = r->outer * r->m * r->inner;
}
static void hy__rows_mask(hy_job *job, hy__rows *r)
{
    r->mask = 1;
    job->fault_text = "the mask has another number of non-zeros than there are slices";
}

static int hy__rows_stages(hy_job *job, hy__rows *r, hy__run_fn run, int64_t items, int64_t elements)
{
    if (!r->n && r->mode != HY__INDEX_DROP && !r->mask && r->outer * r->m * r->inner > 0)
        return hy__refuse(job, HY_ERROR_INDEX, "an axis of size 0 has nothing to index");
    hy__one_stage(job, run, r->mask ? 1 : hy__pieces(r->places, HY__CHUNK),
                  (double)(r->places + (r->mask ? r->n : 0)) + 0.1 * (double)r->size * (double)elements);
    job->stages = 2;
    job->items[1] = items;
    job->shared = (size_t)r->places * sizeof(int64_t);
    return 0;
}

static int hy__gather_bind(hy_job *job, hy__rows *r)
{
    r->move = hy__gather_fn(r->size);
    r->rows = r->inner < HY__CHUNK ? HY__CHUNK / (r->inner + !r->inner) : 1;
    return hy__rows_stages(job, r, hy__run_gather, hy__pieces(r->outer * r->m, r->rows),
                           r->outer * r->m * r->inner);
}

/* Blocks as wide and as many as pay: every one looks through all positions, which should cost no more than a
 * quarter of the rest. Columns first: they share the additions evenly, whatever the indices. */
static int hy__scatter_bind(hy_job *job, hy__rows *r)
{
    int64_t work = (r->n + r->m) * r->inner, blocks = work / (2 * HY__CHUNK), most;
    int64_t scan = r->m * (r->each ? r->inner : 1);
    r->column_blocks = hy__clamp_i64(blocks, 1, r->inner < 64 ? 1 : r->inner / 64);
    r->columns = hy__pieces(hy__pieces(r->inner, r->column_blocks), 16) * 16;
    r->columns = hy__least(r->columns, r->inner);
    r->column_blocks = hy__clamp_i64(hy__pieces(r->inner, r->columns + !r->columns), 1, INT32_MAX);
    most = work / (4 * scan + 1) / (r->each ? 1 : r->column_blocks);
    r->row_blocks = hy__clamp_i64(hy__least(blocks / r->column_blocks, most), 1, r->n + !r->n);
    r->rows = hy__pieces(r->n, r->row_blocks);
    r->row_blocks = hy__clamp_i64(hy__pieces(r->n, r->rows + !r->rows), 1, INT32_MAX);
    r->outers = r->row_blocks * r->column_blocks > 1 ? 1 : 1 + 2 * HY__CHUNK / (work + 1);
    if (r->half) job->scratch = (size_t)(r->rows * r->columns) * sizeof(float);
    return hy__rows_stages(job, r, hy__run_scatter,
                           hy__pieces(r->outer, r->outers) * r->row_blocks * r->column_blocks,
                           r->outer * work);
}

static int hy__scatter_add_bind(hy_job *job, hy__rows *r)
{
    hy_dtype dtype = job->out[0].type.dtype;
    r->move = hy__add_fn(dtype);
    r->half = dtype == HY_F16 || dtype == HY_BF16;
    return r->move ? hy__scatter_bind(job, r) : hy__refuse_dtype(job, dtype);
}
static int hy__scatter_put_bind(hy_job *job, hy__rows *r)
{
    r->move = hy__put_fn(r->size);
    return hy__scatter_bind(job, r);
}

/* Data, picked rows and (from) more of one type; indices have their own. */
static void hy__one_type(hy_infer *I, int a, int b)
{
    int round;
    for (round = 0; round < 2; round++) {
        hy_infer_type(I, &I->out[0].dtype, I->in[a].dtype);
        hy_infer_type(I, &I->in[a].dtype, I->out[0].dtype);
        if (b < 0) return;
        hy_infer_type(I, &I->in[b].dtype, I->out[0].dtype);
        hy_infer_type(I, &I->out[0].dtype, I->in[b].dtype);
    }
}

static int hy__infer_mode(hy_infer *I, int mode, int last)
{
    return mode >= 0 && mode <= last ? 0 : hy_infer_fail(I, HY_ERROR_ARGUMENT, "mode is %d", mode);
}

/* --- take and embedding: y = a[:axis] + index + a[axis+1:] --- */
static int hy__take_shapes(hy_infer *I, hy_shape *a, hy_shape *index, hy_shape *y, int axis)
{
    hy_shape want;
    int d, at;
    if (a->ndim < 0 || index->ndim < 0) return I->status;
    at = hy__infer_axis(I, axis, a->ndim);
    if (at < 0) return -1;
    want.ndim = a->ndim - 1 + index->ndim;
    if (want.ndim > HY_MAX_DIM) return hy_infer_fail(I, HY_ERROR_SHAPE, "the result has too many dims");
    for (d = 0; d < at; d++) want.dim[d] = a->dim[d];
    for (d = 0; d < index->ndim; d++) want.dim[at + d] = index->dim[d];
    for (d = at + 1; d < a->ndim; d++) want.dim[d - 1 + index->ndim] = a->dim[d];
    hy_infer_shape(I, y, want);
    if (I->status < 0) return -1;
    for (d = 0; d < at; d++) hy_infer_dim(I, &a->dim[d], y->dim[d]);
    for (d = 0; d < index->ndim; d++) hy_infer_dim(I, &index->dim[d], y->dim[at + d]);
    for (d = at + 1; d < a->ndim; d++) hy_infer_dim(I, &a->dim[d], y->dim[d - 1 + index->ndim]);
    return I->status;
}

static int hy__take_infer(hy_infer *I)
{
    const hy__take_rec *r = (const hy__take_rec *)I->attr;
    hy__one_type(I, 0, -1);
    hy__infer_mode(I, r->mode, HY_INDEX_RAISE);
    return hy__take_shapes(I, &I->in[0].shape, &I->in[1].shape, &I->out[0].shape, r->axis);
}
static int hy__take_bind(hy_job *job)
{
    const hy__take_rec *r = (const hy__take_rec *)job->attr;
    hy__along l = hy__along_axis(&job->in[0].type.shape, r->axis);
    return hy__gather_bind(job, hy__rows_plan(job, 0, 1, l, hy__size(&job->in[1].type.shape), r->mode));
}
static int hy__take_diff(hy_frame *F, hy_diff *D)
{
    const hy__take_rec *r = (const hy__take_rec *)D->attr;
    hy__take_grad_opt o;
    o.mode = r->mode;
    if (D->dy[0] && D->want[0]) D->dx[0] = hy__take_grad(F, D->dy[0], D->in[1], D->in[0], r->axis, &o);
    return 0;
}
static int hy__take_split(const hy_job *job, int axis, hy_slicing *s)
{
    int at = hy__axis(((const hy__take_rec *)job->attr)->axis, job->in[0].type.shape.ndim);
    int end = at + job->in[1].type.shape.ndim;
    s->axis[0] = axis < at ? axis : axis < end ? -1 : axis - end + at + 1;
    s->axis[1] = axis >= at && axis < end ? axis - at : -1;
    return 1;
}
#define HY__ON_take hy__take_infer, hy__take_bind, hy__take_diff, hy__take_split

static int hy__take_grad_infer(hy_infer *I)
{
    const hy__take_rec *r = (const hy__take_rec *)I->attr;      /* the two records are alike */
    hy__one_type(I, 0, 2);
    hy__infer_mode(I, r->mode, HY_INDEX_RAISE);
    hy_infer_same(I, &I->in[2].shape, &I->out[0].shape);
    return hy__take_shapes(I, &I->in[2].shape, &I->in[1].shape, &I->in[0].shape, r->axis);
}
static int hy__take_grad_bind(hy_job *job)
{
    const hy__take_rec *r = (const hy__take_rec *)job->attr;
    hy__along l = hy__along_axis(&job->out[0].type.shape, r->axis);
    return hy__scatter_add_bind(job, hy__rows_plan(job, 0, 1, l, hy__size(&job->in[1].type.shape), r->mode));
}
static int hy__take_grad_diff(hy_frame *F, hy_diff *D)
{
    const hy__take_rec *r = (const hy__take_rec *)D->attr;
    hy_take_opt o;
    o.mode = r->mode;
    if (D->dy[0] && D->want[0]) D->dx[0] = hy_take(F, D->dy[0], D->in[1], r->axis, &o);
    return 0;
}
#define HY__ON__take_grad hy__take_grad_infer, hy__take_grad_bind, hy__take_grad_diff, NULL

static int hy__embedding_infer(hy_infer *I)
{
    const hy__embedding_rec *r = (const hy__embedding_rec *)I->attr;
    hy_shape *y = &I->out[0].shape, index;
    if (r->input_dim < 1 || r->output_dim < 1)
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "input_dim is %d, output_dim is %d", r->input_dim,
                             r->output_dim);
    hy__one_type(I, 1, -1);
    if (!I->out[0].dtype) { hy_infer_type(I, &I->out[0].dtype, r->dtype); hy__one_type(I, 1, -1); }
    hy_infer_shape(I, &I->in[1].shape, hy__shape2(r->input_dim, r->output_dim));
    if (y->ndim > 0) {
        index = *y;
        index.ndim--;
        hy_infer_shape(I, &I->in[0].shape, index);
    }
    if (I->status < 0) return -1;
    return hy__take_shapes(I, &I->in[1].shape, &I->in[0].shape, y, 0);
}
static int hy__embedding_bind(hy_job *job)
{
    hy__along l = hy__along_axis(&job->in[1].type.shape, 0);
    return hy__gather_bind(job, hy__rows_plan(job, 1, 0, l, hy__size(&job->in[0].type.shape), HY_INDEX_CLIP));
}
static int hy__embedding_diff(hy_frame *F, hy_diff *D)
{
    if (D->dy[0] && D->want[1]) D->dx[1] = hy__take_grad(F, D->dy[0], D->in[0], D->in[1], 0, NULL);
    return 0;
}
/* Along the indices; the length of a row is an attribute. */
static int hy__embedding_split(const hy_job *job, int axis, hy_slicing *s)
{
    s->axis[0] = axis;
    s->axis[1] = -1;
    return axis < job->in[0].type.shape.ndim;
}
#define HY__ON_embedding hy__embedding_infer, hy__embedding_bind, hy__embedding_diff, hy__embedding_split

/* --- pick: one element per line --- *
 * With keepdims the index may also have several entries along the axis, each of which picks one: that is how
 * sort and topk hand their gradient back. */
static int hy__pick_shapes(hy_infer *I, hy_shape *x, hy_shape *index, hy_shape *y, int axis, int keepdims)
{
    hy_shape full, less;
    int at, d;
    if (x->ndim < 0) return I->status;
    if (axis == HY_NONE) {
        hy_infer_shape(I, y, hy__reduced_shape(x, (1 << x->ndim) - 1, keepdims));
        if (index->ndim < 0) hy_infer_shape(I, index, hy__shape1(1));
        for (d = 0; d < index->ndim; d++) hy_infer_dim(I, &index->dim[d], 1);
        return I->status;
    }
    at = hy__infer_axis(I, axis, x->ndim);
    if (at < 0) return -1;
    full = *x;
    full.dim[at] = keepdims && index->ndim == x->ndim ? index->dim[at] : 1;
    less = x->ndim > 1 ? hy__reduced_shape(x, 1 << at, 0) : HY_SCALAR;
    hy_infer_shape(I, index, index->ndim == x->ndim || (index->ndim < 0 && keepdims) ? full : less);
    if (I->status < 0) return -1;
    for (d = 0; d < x->ndim; d++)
        if (d != at) hy_infer_dim(I, &x->dim[d], index->dim[index->ndim == x->ndim || d < at ? d : d - 1]);
    hy_infer_shape(I, y, keepdims ? full : hy__reduced_shape(x, 1 << at, 0));
    return I->status;
}

static hy__rows *hy__pick_plan(hy_job *job, const hy_shape *x, int axis, int mode)
{
    hy__along l = hy__along_axis(x, axis);
    int64_t lines = l.outer * l.inner;
    hy__rows *r = hy__rows_plan(job, 0, 1, l, lines ? hy__size(&job->in[1].type.shape) / lines : 0, mode);
    hy__rows_each(r);
    return r;
}

static int hy__pick_infer(hy_infer *I)
{
    const hy__pick_rec *r = (const hy__pick_rec *)I->attr;
    hy__one_type(I, 0, -1);
    hy__infer_mode(I, r->mode, HY_INDEX_WRAP);
    return hy__pick_shapes(I, &I->in[0].shape, &I->in[1].shape, &I->out[0].shape, r->axis, r->keepdims);
}
static int hy__pick_bind(hy_job *job)
{
    const hy__pick_rec *r = (const hy__pick_rec *)job->attr;
    return hy__gather_bind(job, hy__pick_plan(job, &job->in[0].type.shape, r->axis, r->mode));
}
static int hy__pick_diff(hy_frame *F, hy_diff *D)
{
    const hy__pick_rec *r = (const hy__pick_rec *)D->attr;
    hy__pick_grad_opt o;
    o.keepdims = r->keepdims;
    o.mode = r->mode;
    if (D->dy[0] && D->want[0]) D->dx[0] = hy__pick_grad(F, D->dy[0], D->in[1], D->in[0], r->axis, &o);
    return 0;
}
static int hy__pick_split(const hy_job *job, int axis, hy_slicing *s)
{
    const hy__pick_rec *r = (const hy__pick_rec *)job->attr;
    int ndim = job->in[0].type.shape.ndim, at = r->axis == HY_NONE ? -1 : hy__axis(r->axis, ndim);
    s->axis[0] = r->keepdims || axis < at ? axis : axis + 1;
    s->axis[1] = job->in[1].type.shape.ndim == ndim ? s->axis[0] : s->axis[0] - (s->axis[0] > at);
    return at >= 0 && s->axis[0] != at && s->axis[0] < ndim;
}
#define HY__ON_pick hy__pick_infer, hy__pick_bind, hy__pick_diff, hy__pick_split

static int hy__pick_grad_infer(hy_infer *I)
{
    const hy__pick_rec *r = (const hy__pick_rec *)I->attr;      /* the two records are alike */
    hy__one_type(I, 0, 2);
    hy__infer_mode(I, r->mode, HY_INDEX_WRAP);
    hy_infer_same(I, &I->in[2].shape, &I->out[0].shape);
    return hy__pick_shapes(I, &I->in[2].shape, &I->in[1].shape, &I->in[0].shape, r->axis, r->keepdims);
}
static int hy__pick_grad_bind(hy_job *job)
{
    const hy__pick_rec *r = (const hy__pick_rec *)job->attr;
    return hy__scatter_add_bind(job, hy__pick_plan(job, &job->out[0].type.shape, r->axis, r->mode));
}
static int hy__pick_grad_diff(hy_frame *F, hy_diff *D)
{
    const hy__pick_rec *r = (const hy__pick_rec *)D->attr;
    hy_pick_opt o;
    o.keepdims = r->keepdims;
    o.mode = r->mode;
    if (D->dy[0] && D->want[0]) D->dx[0] = hy_pick(F, D->dy[0], D->in[1], r->axis, &o);
    return 0;
}
#define HY__ON__pick_grad hy__pick_grad_infer, hy__pick_grad_bind, hy__pick_grad_diff, NULL

static int hy__batch_take_infer(hy_infer *I)
{
    hy__one_type(I, 0, -1);
    hy_infer_shape(I, &I->in[0].shape, hy__rank(2));
    if (I->status < 0) return -1;
    hy_infer_shape(I, &I->out[0].shape, hy__rank(1));
    return hy__pick_shapes(I, &I->in[0].shape, &I->in[1].shape, &I->out[0].shape, 1, 0);
}
static int hy__batch_take_bind(hy_job *job)
{
    return hy__gather_bind(job, hy__pick_plan(job, &job->in[0].type.shape, 1, HY_INDEX_CLIP));
}
static int hy__batch_take_diff(hy_frame *F, hy_diff *D)
{
    if (D->dy[0] && D->want[0]) D->dx[0] = hy__pick_grad(F, D->dy[0], D->in[1], D->in[0], 1, NULL);
    return 0;
}
#define HY__ON_batch_take hy__batch_take_infer, hy__batch_take_bind, hy__batch_take_diff, hy__pointwise_split

/* --- one_hot --- */
static int hy__one_hot_infer(hy_infer *I)
{
    const hy__one_hot_rec *r = (const hy__one_hot_rec *)I->attr;
    hy_shape *x = &I->in[0].shape, *y = &I->out[0].shape, want;
    if (r->depth < 1) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "depth is %d", r->depth);
    hy_infer_type(I, &I->out[0].dtype, r->dtype);
    if (y->ndim > 0) {
        want = *y;
        want.ndim--;
        hy_infer_shape(I, x, want);
    }
    if (I->status < 0 || x->ndim < 0) return I->status;
    if (x->ndim == HY_MAX_DIM) return hy_infer_fail(I, HY_ERROR_SHAPE, "the result has too many dims");
    want = *x;
    want.dim[want.ndim++] = r->depth;
    hy_infer_shape(I, y, want);
    return I->status;
}
static int hy__one_hot_bind(hy_job *job)
{
    const hy__one_hot_rec *a = (const hy__one_hot_rec *)job->attr;
    hy__rows *r = hy__rows_plan(job, -1, 0, hy__along_axis(&job->out[0].type.shape, -1), 1, HY__INDEX_DROP);
    hy__rows_each(r);
    r->base = HY__BASE_FILL;
    r->off = a->off_value;
    hy__store(&r->on, job->out[0].type.dtype, a->on_value);
    return hy__scatter_put_bind(job, r);
}
static int hy__one_hot_split(const hy_job *job, int axis, hy_slicing *s)
{
    s->axis[0] = axis;
    return axis < job->in[0].type.shape.ndim;
}
#define HY__ON_one_hot hy__one_hot_infer, hy__one_hot_bind, NULL, hy__one_hot_split

/* --- gather_nd and its kin: index (M, ...) holds tuples, y = index[1:] + x[M:] --- */
static int hy__tuple_shapes(hy_infer *I, const hy_shape *x, hy_shape *index, hy_shape *y)
{
    hy_shape want;
    int d, m;
    if (index->ndim < 0) return I->status;
    if (index->ndim < 1) return hy_infer_fail(I, HY_ERROR_SHAPE, "indices need at least one dim");
    for (d = 1; d < index->ndim && d <= y->ndim; d++) hy_infer_dim(I, &index->dim[d], y->dim[d - 1]);
    if (x->ndim < 0 || index->dim[0] < 0) return I->status;
    if (index->dim[0] > x->ndim)
        return hy_infer_fail(I, HY_ERROR_SHAPE, "%l indices for shape %z", index->dim[0], x);
    m = (int)index->dim[0];
    want.ndim = index->ndim - 1 + x->ndim - m;
    if (want.ndim > HY_MAX_DIM) return hy_infer_fail(I, HY_ERROR_SHAPE, "the result has too many dims");
    for (d = 1; d < index->ndim; d++) want.dim[d - 1] = index->dim[d];
    for (d = m; d < x->ndim; d++) want.dim[index->ndim - 1 + d - m] = x->dim[d];
    hy_infer_shape(I, y, want);
    return I->status;
}
static hy__rows *hy__tuple_plan(hy_job *job, const hy_shape *x)
{
    const hy_shape *index = &job->in[1].type.shape;
    int m = (int)index->dim[0], d;
    hy__along l;
    hy__rows *r;
    l.outer = 1;
    l.n = hy__product(x, 0, m);
    l.inner = hy__product(x, m, x->ndim);
    r = hy__rows_plan(job, 0, 1, l, hy__product(index, 1, index->ndim), HY__INDEX_SIGNED);
    r->components = m;
    for (d = 0; d < m; d++) r->dim[d] = x->dim[d];
    return r;
}

static int hy__gather_nd_infer(hy_infer *I)
{
    hy__one_type(I, 0, -1);
    return hy__tuple_shapes(I, &I->in[0].shape, &I->in[1].shape, &I->out[0].shape);
}
static int hy__gather_nd_bind(hy_job *job)
{
    return hy__gather_bind(job, hy__tuple_plan(job, &job->in[0].type.shape));
}
static int hy__gather_nd_diff(hy_frame *F, hy_diff *D)
{
    if (D->dy[0] && D->want[0]) D->dx[0] = hy__gather_nd_grad(F, D->dy[0], D->in[1], D->in[0]);
    return 0;
}
static int hy__gather_nd_split(const hy_job *job, int axis, hy_slicing *s)
{
    const hy_shape *index = &job->in[1].type.shape;
    int places = index->ndim - 1;                       /* the output's leading dims */
    s->axis[0] = axis < places ? -1 : (int)index->dim[0] + axis - places;
    s->axis[1] = axis < places ? axis + 1 : -1;
    return 1;
}
#define HY__ON_gather_nd hy__gather_nd_infer, hy__gather_nd_bind, hy__gather_nd_diff, hy__gather_nd_split

static int hy__gather_nd_grad_infer(hy_infer *I)
{
    hy__one_type(I, 0, 2);
    hy_infer_same(I, &I->in[2].shape, &I->out[0].shape);
    return hy__tuple_shapes(I, &I->in[2].shape, &I->in[1].shape, &I->in[0].shape);
}
static int hy__gather_nd_grad_bind(hy_job *job)
{
    return hy__scatter_add_bind(job, hy__tuple_plan(job, &job->out[0].type.shape));
}
static int hy__scatter_diff(hy_frame *F, hy_diff *D)            /* of scatter_nd too: every place is read */
{
    if (D->dy[0] && D->want[0]) D->dx[0] = hy_gather_nd(F, D->dy[0], D->in[1]);
    return 0;
}
#define HY__ON__gather_nd_grad hy__gather_nd_grad_infer, hy__gather_nd_grad_bind, hy__scatter_diff, NULL

static int hy__scatter_nd_infer(hy_infer *I)
{
    const hy__scatter_nd_rec *r = (const hy__scatter_nd_rec *)I->attr;
    hy_type want;
    int d;
    if (r->shape.n < 0 || r->shape.n > HY_MAX_DIM)
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "shape has %d dims; up to %d are possible", r->shape.n,
                             (int)HY_MAX_DIM);
    want.dtype = HY_F64;
    want.shape.ndim = r->shape.n;
    for (d = 0; d < r->shape.n; d++) {
        want.shape.dim[d] = r->shape.v[d];
        if (r->shape.v[d] < 0)
            return hy_infer_fail(I, HY_ERROR_ARGUMENT, "shape has the negative size %l", r->shape.v[d]);
    }
    if (hy__bytes(&want) < 0) return hy_infer_fail(I, HY_ERROR_SHAPE, "shape %z is too large", &want.shape);
    hy__one_type(I, 0, -1);
    hy_infer_shape(I, &I->out[0].shape, want.shape);
    return hy__tuple_shapes(I, &want.shape, &I->in[1].shape, &I->in[0].shape);
}
static int hy__scatter_nd_bind(hy_job *job)
{
    return hy__scatter_put_bind(job, hy__tuple_plan(job, &job->out[0].type.shape));
}
#define HY__ON_scatter_nd hy__scatter_nd_infer, hy__scatter_nd_bind, hy__scatter_diff, NULL

/* --- boolean_mask: the slices along an axis where the mask is not 0; only values tell how many --- */
static int hy__mask_shapes(hy_infer *I, hy_shape *x, hy_shape *mask, hy_shape *y, int axis)
{
    hy_shape want;
    int at, d;
    hy_infer_shape(I, mask, hy__rank(1));
    if (I->status < 0 || x->ndim < 0) return I->status;
    at = hy__infer_axis(I, axis, x->ndim);
    if (at < 0) return -1;
    hy_infer_dim(I, &mask->dim[0], x->dim[at]);
    hy_infer_dim(I, &x->dim[at], mask->dim[0]);
    want = *x;
    want.dim[at] = !I->value ? -1 : hy__resolve_mask((const char *)I->value[1].data, I->value[1].type.dtype,
                                                     mask->dim[0], 0, NULL);
    hy_infer_shape(I, y, want);
    if (I->status < 0) return -1;
    for (d = 0; d < x->ndim; d++) if (d != at) hy_infer_dim(I, &x->dim[d], y->dim[d]);
    return I->status;
}

static int hy__boolean_mask_infer(hy_infer *I)
{
    hy__one_type(I, 0, -1);
    return hy__mask_shapes(I, &I->in[0].shape, &I->in[1].shape, &I->out[0].shape,
                           ((const hy__boolean_mask_rec *)I->attr)->axis);
}
static int hy__boolean_mask_bind(hy_job *job)
{
    hy__along x = hy__along_axis(&job->in[0].type.shape, ((const hy__boolean_mask_rec *)job->attr)->axis);
    hy__along y = hy__along_axis(&job->out[0].type.shape, ((const hy__boolean_mask_rec *)job->attr)->axis);
    hy__rows *r = hy__rows_plan(job, 0, 1, x, y.n, HY_INDEX_CLIP);
    hy__rows_mask(job, r);
    return hy__gather_bind(job, r);
}
static int hy__boolean_mask_diff(hy_frame *F, hy_diff *D)
{
    int axis = ((const hy__boolean_mask_rec *)D->attr)->axis;
    if (D->dy[0] && D->want[0]) D->dx[0] = hy__boolean_mask_grad(F, D->dy[0], D->in[1], D->in[0], axis);
    return 0;
}
#define HY__ON_boolean_mask hy__boolean_mask_infer, hy__boolean_mask_bind, hy__boolean_mask_diff, NULL

static int hy__boolean_mask_grad_infer(hy_infer *I)
{
    hy__one_type(I, 0, 2);
    hy_infer_same(I, &I->in[2].shape, &I->out[0].shape);
    return hy__mask_shapes(I, &I->in[2].shape, &I->in[1].shape, &I->in[0].shape,
                           ((const hy__boolean_mask_rec *)I->attr)->axis);
}
static int hy__boolean_mask_grad_bind(hy_job *job)
{
    hy__along x = hy__along_axis(&job->out[0].type.shape, ((const hy__boolean_mask_rec *)job->attr)->axis);
    hy__along y = hy__along_axis(&job->in[0].type.shape, ((const hy__boolean_mask_rec *)job->attr)->axis);
    hy__rows *r = hy__rows_plan(job, 0, 1, x, y.n, HY_INDEX_CLIP);
    hy__rows_mask(job, r);
    return hy__scatter_put_bind(job, r);
}
static int hy__boolean_mask_grad_diff(hy_frame *F, hy_diff *D)
{
    int axis = ((const hy__boolean_mask_rec *)D->attr)->axis;
    if (D->dy[0] && D->want[0]) D->dx[0] = hy_boolean_mask(F, D->dy[0], D->in[1], axis);
    return 0;
}
#define HY__ON__boolean_mask_grad hy__boolean_mask_grad_infer, hy__boolean_mask_grad_bind, \
    hy__boolean_mask_grad_diff, NULL

/* --- index_copy: rows of new_tensor put over rows of old_tensor --- */
static int hy__index_copy_infer(hy_infer *I)
{
    hy_shape *old = &I->in[0].shape, *index = &I->in[1].shape, *row = &I->in[2].shape;
    hy__one_type(I, 0, 2);
    hy_infer_same(I, old, &I->out[0].shape);
    hy_infer_shape(I, index, hy__rank(1));
    if (I->status < 0) return -1;
    if (old->ndim == 0) return hy_infer_fail(I, HY_ERROR_SHAPE, "old_tensor needs at least one dim");
    return hy__take_shapes(I, old, index, row, 0);
}
static int hy__index_copy_bind(hy_job *job)
{
    hy__along l = hy__along_axis(&job->in[0].type.shape, 0);
    hy__rows *r = hy__rows_plan(job, 2, 1, l, job->in[1].type.shape.dim[0], HY_INDEX_RAISE);
    r->base = HY__BASE_OLD;
    return hy__scatter_put_bind(job, r);
}
static int hy__index_copy_diff(hy_frame *F, hy_diff *D)
{
    if (!D->dy[0]) return 0;
    if (D->want[0]) D->dx[0] = hy_index_copy(F, D->dy[0], D->in[1], hy_zeros_like(F, D->in[2]));
    if (D->want[2]) D->dx[2] = hy_take(F, D->dy[0], D->in[1], 0, NULL);
    return 0;
}
#define HY__ON_index_copy hy__index_copy_infer, hy__index_copy_bind, hy__index_copy_diff, NULL

/* --- order: topk, sort, argsort --- */
typedef struct hy__ranking {
    hy__along lines;
    int64_t   k, width;                 /* how many are wanted; lines per item */
    int       descending, value, index, mask;       /* outputs, -1: not there */
} hy__ranking;

/* Can this type count up to n - 1 exactly? */
static int hy__infer_counts(hy_infer *I, hy_dtype dtype, int64_t n)
{
    static const int bits[HY_DTYPE_COUNT] = { 0, 24, 53, 11, 8, 7, 8, 31, 62, 1 };
    if ((unsigned)dtype - 1 >= HY_DTYPE_COUNT - 1) return 1;
    if (n - 1 <= ((int64_t)1 << bits[dtype]) - !hy__floating(dtype)) return 1;
    hy_infer_fail(I, HY_ERROR_DTYPE, "type %t cannot hold indices up to %l", (int)dtype, n - 1);
    return 0;
}

/* Along axis at: its size if known; HY_NONE counts everything. -1: not known, -2 after an error. */
static int64_t hy__infer_line(hy_infer *I, const hy_shape *x, int axis)
{
    int at;
    if (x->ndim < 0) return -1;
    if (axis == HY_NONE) return hy__size(x);
    at = hy__infer_axis(I, axis, x->ndim);
    return at < 0 ? -2 : x->dim[at];
}

/* x with k along the axis. */
static hy_shape hy__ranked_shape(const hy_shape *x, int axis, int64_t k)
{
    hy_shape y = *x;
    if (axis == HY_NONE) return hy__shape1(k);
    y.dim[hy__axis(axis, x->ndim)] = k;
    return y;
}

/* Writes what is wanted of the first k of a line that begins at x[from]; its results begin at y[to]. */
static void hy__rank_write(hy_job *job, const hy__ranking *r, const hy__ranked *best, int64_t from,
                           int64_t to)
{
    const hy_tensor *x = &job->in[0], *value = r->value < 0 ? NULL : &job->out[r->value];
    const hy_tensor *index = r->index < 0 || !job->out[r->index].data ? NULL : &job->out[r->index];
    const hy_tensor *mask = r->mask < 0 ? NULL : &job->out[r->mask];
    int64_t inner = r->lines.inner, n = r->lines.n, tile[HY__TILE], i, j, m;
    size_t size = (size_t)hy__traits[x->type.dtype].size;
    memset(tile, 0, sizeof tile);
    for (j = 0; mask && j < n; j += HY__TILE)
        hy__store_i64(hy__nth(mask, from + j * inner), mask->type.dtype, inner, tile,
                      hy__least(n - j, HY__TILE));
    for (j = 0; j < r->k; j += m) {
        m = hy__least(r->k - j, HY__TILE);
        for (i = 0; i < m; i++) {
            int64_t at = from + best[j + i].at * inner;
            tile[i] = best[j + i].at;
            if (value) memcpy(hy__nth(value, to + (j + i) * inner), hy__nth(x, at), size);
            if (mask) hy__store(hy__nth(mask, at), mask->type.dtype, 1);
        }
        if (index) hy__store_i64(hy__nth(index, to + j * inner), index->type.dtype, inner, tile, m);
    }
}

static void hy__run_rank(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__ranking *r = (const hy__ranking *)(const void *)&job->plan;
    const hy_tensor *x = &job->in[0];
    int64_t line = item * r->width, end = line + r->width, inner = r->lines.inner;
    (void)stage; (void)shared;
    if (end > r->lines.outer * inner) end = r->lines.outer * inner;
    for (; line < end; line++) {
        int64_t from = line / inner * r->lines.n * inner + line % inner;
        const hy__ranked *best = hy__rank_line(hy__nth(x, from), x->type.dtype, inner, r->lines.n, r->k,
                                               r->descending, (hy__ranked *)scratch);
        hy__rank_write(job, r, best, from, line / inner * r->k * inner + line % inner);
    }
}

static int hy__rank_bind(hy_job *job, int axis, int64_t k, int descending, int value, int index, int mask)
{
    hy__ranking *r = (hy__ranking *)(void *)&job->plan;
    r->lines = hy__along_axis(&job->in[0].type.shape, axis);
    r->k = k;
    r->descending = descending;
    r->value = value;
    r->index = index;
    r->mask = mask;
    r->width = 1 + 1024 / (r->lines.n + 1);
    job->scratch = 2 * (size_t)hy__rank_room(r->lines.n, k) * sizeof(hy__ranked);
    return hy__one_stage(job, hy__run_rank, hy__pieces(r->lines.outer * r->lines.inner, r->width),
                         (double)r->lines.outer * (double)r->lines.n * (double)r->lines.inner *
                         (4 * k < r->lines.n ? 2 : 30));
}

/* Values came from the places in `index`: the gradient goes back there. */
static int hy__rank_diff(hy_frame *F, hy_diff *D, int axis, hy_array *index)
{
    hy__pick_grad_opt o;
    hy_array *x = D->in[0];
    memset(&o, 0, sizeof o);
    o.keepdims = 1;
    if (!D->dy[0]) return 0;
    if (axis == HY_NONE) x = hy_reshape(F, x, HY_INTS(-1), NULL);
    D->dx[0] = hy__pick_grad(F, D->dy[0], index, x, axis == HY_NONE ? 0 : axis, &o);
    if (axis == HY_NONE) D->dx[0] = hy_reshape_like(F, D->dx[0], D->in[0], NULL);
    return 0;
}

static int hy__rank_split(int axis, int sorted, const hy_job *job, hy_slicing *s)
{
    s->axis[0] = axis;
    return sorted != HY_NONE && axis != hy__axis(sorted, job->in[0].type.shape.ndim);
}

static int hy__sort_infer(hy_infer *I)
{
    const hy__sort_rec *r = (const hy__sort_rec *)I->attr;
    int64_t n = hy__infer_line(I, &I->in[0].shape, r->axis);
    int o;
    hy__one_type(I, 0, -1);
    hy_infer_type(I, &I->out[1].dtype, HY_I64);
    if (n == -2 || I->in[0].shape.ndim < 0) return I->status;
    for (o = 0; o < 2; o++)
        hy_infer_shape(I, &I->out[o].shape, hy__ranked_shape(&I->in[0].shape, r->axis, n));
    if (I->status >= 0 && r->axis != HY_NONE) hy_infer_shape(I, &I->in[0].shape, I->out[0].shape);
    return I->status;
}
static int hy__sort_bind(hy_job *job)
{
    const hy__sort_rec *r = (const hy__sort_rec *)job->attr;
    int64_t n = hy__along_axis(&job->in[0].type.shape, r->axis).n;
    return hy__rank_bind(job, r->axis, n, r->descending, 0, 1, -1);
}
static int hy__sort_diff(hy_frame *F, hy_diff *D)
{
    return hy__rank_diff(F, D, ((const hy__sort_rec *)D->attr)->axis, D->out[1]);
}
static int hy__sort_split(const hy_job *job, int axis, hy_slicing *s)
{
    return hy__rank_split(axis, ((const hy__sort_rec *)job->attr)->axis, job, s);
}
#define HY__ON_sort hy__sort_infer, hy__sort_bind, hy__sort_diff, hy__sort_split

static int hy__argsort_infer(hy_infer *I)
{
    const hy__argsort_rec *r = (const hy__argsort_rec *)I->attr;
    int64_t n = hy__infer_line(I, &I->in[0].shape, r->axis);
    hy_infer_type(I, &I->out[0].dtype, r->dtype);
    if (n == -2 || I->in[0].shape.ndim < 0 || !hy__infer_counts(I, r->dtype, n)) return I->status;
    hy_infer_shape(I, &I->out[0].shape, hy__ranked_shape(&I->in[0].shape, r->axis, n));
    if (I->status >= 0 && r->axis != HY_NONE) hy_infer_shape(I, &I->in[0].shape, I->out[0].shape);
    return I->status;
}
static int hy__argsort_bind(hy_job *job)
{
    const hy__argsort_rec *r = (const hy__argsort_rec *)job->attr;
    int64_t n = hy__along_axis(&job->in[0].type.shape, r->axis).n;
    return hy__rank_bind(job, r->axis, n, r->descending, -1, 0, -1);
}
static int hy__argsort_split(const hy_job *job, int axis, hy_slicing *s)
{
    return hy__rank_split(axis, ((const hy__argsort_rec *)job->attr)->axis, job, s);
}
#define HY__ON_argsort hy__argsort_infer, hy__argsort_bind, NULL, hy__argsort_split

static int hy__topk_infer(hy_infer *I)
{
    const hy__topk_rec *r = (const hy__topk_rec *)I->attr;
    hy_shape *x = &I->in[0].shape, y;
    int64_t n = hy__infer_line(I, x, r->axis), k = r->k < 1 ? n : r->k;
    int indices = r->ret_typ == HY_TOPK_INDICES, counted = indices || r->ret_typ == HY_TOPK_BOTH;
    if ((unsigned)r->ret_typ > HY_TOPK_BOTH)
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "ret_typ is %d", r->ret_typ);
    if (indices) hy_infer_type(I, &I->out[0].dtype, r->dtype);
    else hy__one_type(I, 0, -1);
    hy_infer_type(I, &I->out[1].dtype, r->ret_typ == HY_TOPK_BOTH ? r->dtype : HY_I64);
    if (n == -2 || x->ndim < 0 || (counted && !hy__infer_counts(I, r->dtype, n))) return I->status;
    if (n >= 0 && k > n) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "k is %l, but there are %l values", k, n);
    y = hy__ranked_shape(x, r->axis, k);
    hy_infer_shape(I, &I->out[0].shape, r->ret_typ == HY_TOPK_MASK ? *x : y);
    hy_infer_shape(I, &I->out[1].shape, y);
    return I->status;
}
static int hy__topk_bind(hy_job *job)
{
    const hy__topk_rec *r = (const hy__topk_rec *)job->attr;
    int64_t n = hy__along_axis(&job->in[0].type.shape, r->axis).n;
    int indices = r->ret_typ == HY_TOPK_INDICES, mask = r->ret_typ == HY_TOPK_MASK;
    return hy__rank_bind(job, r->axis, r->k < 1 ? n : r->k, !r->is_ascend, indices || mask ? -1 : 0, !indices,
                         mask ? 0 : -1);
}
static int hy__topk_diff(hy_frame *F, hy_diff *D)
{
    const hy__topk_rec *r = (const hy__topk_rec *)D->attr;
    if (r->ret_typ == HY_TOPK_INDICES || r->ret_typ == HY_TOPK_MASK) return 0;
    return hy__rank_diff(F, D, r->axis, D->out[1]);
}
static int hy__topk_split(const hy_job *job, int axis, hy_slicing *s)
{
    return hy__rank_split(axis, ((const hy__topk_rec *)job->attr)->axis, job, s);
}
#define HY__ON_topk hy__topk_infer, hy__topk_bind, hy__topk_diff, hy__topk_split

/* --- argmax, argmin --- */
typedef struct hy__argbest {
    hy__along lines;
    int64_t   width, blocks, parts;     /* lines per block, blocks, pieces of a long line */
    int       least;
    hy__best_columns_fn columns;
    hy__best_line_fn    line;
} hy__argbest;

static int64_t hy__argbest_start(const hy__argbest *r, int64_t line)           /* where a line begins */
{
    return line / r->lines.inner * r->lines.n * r->lines.inner + line % r->lines.inner;
}

/* The best places of lines [first, first + width) within rows [low, high). */
static void hy__argbest_part(const hy_tensor *x, const hy__argbest *r, int64_t first, int64_t width,
                             int64_t low, int64_t high, int64_t *place)
{
    int64_t at = hy__argbest_start(r, first) + low * r->lines.inner, i;
    if (r->lines.inner > 1)
        r->columns(hy__nth(x, at), x->type.dtype, r->lines.inner, high - low, width, r->least, place);
    else for (i = 0; i < width; i++)
        place[i] = r->line(hy__nth(x, at + i * r->lines.n), x->type.dtype, high - low, r->least);
    for (i = 0; i < width; i++) place[i] += low;
}

/* Is the element at a better than the one at b, which comes earlier? */
static int hy__argbest_wins(const hy_tensor *x, int64_t a, int64_t b, int least)
{
    if (!hy__floating(x->type.dtype)) {
        int64_t v = hy__load_i64(hy__nth(x, a), x->type.dtype);
        int64_t w = hy__load_i64(hy__nth(x, b), x->type.dtype);
        return least ? v < w : v > w;
    } else {
        double v = hy__load(hy__nth(x, a), x->type.dtype), w = hy__load(hy__nth(x, b), x->type.dtype);
        return (least ? v < w : v > w) || (v != v && w == w);
    }
}

/* The best of what the parts of each line have found. */
static void hy__argbest_join(const hy_tensor *x, const hy__argbest *r, int64_t first, int64_t width,
                             const int64_t *found, int64_t *place)
{
    int64_t i, part;
    for (i = 0; i < width; i++) {
        int64_t start = hy__argbest_start(r, first + i), inner = r->lines.inner;
        place[i] = found[i];
        for (part = 1; part < r->parts; part++) {
            int64_t other = found[part * r->width + i];
            if (hy__argbest_wins(x, start + other * inner, start + place[i] * inner, r->least))
                place[i] = other;
        }
    }
}

static void hy__run_argbest(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__argbest *r = (const hy__argbest *)(const void *)&job->plan;
    int64_t block = stage ? item : item / r->parts, part = item % r->parts, n = r->lines.n;
    int64_t inner = r->lines.inner, across = hy__pieces(inner, r->width), tile[HY__TILE];
    int64_t first = inner > 1 ? block / across * inner + block % across * r->width : block * r->width;
    int64_t end = inner > 1 ? (block / across + 1) * inner : r->lines.outer;
    int64_t width = hy__least(end - first, r->width), *found = (int64_t *)shared;
    hy_tensor *y = &job->out[0];
    (void)scratch;
    if (stage) hy__argbest_join(&job->in[0], r, first, width, found + item * r->parts * r->width, tile);
    else hy__argbest_part(&job->in[0], r, first, width, n * part / r->parts, n * (part + 1) / r->parts,
                          r->parts > 1 ? found + item * r->width : tile);
    if (stage || r->parts == 1) hy__store_i64(hy__nth(y, first), y->type.dtype, 1, tile, width);
}

static int hy__argbest_bind(hy_job *job, int axis, int least)
{
    hy__argbest *r = (hy__argbest *)(void *)&job->plan;
    hy_dtype dtype = job->in[0].type.dtype;
    int64_t n, size;
    r->lines = hy__along_axis(&job->in[0].type.shape, axis);
    n = r->lines.n;
    r->least = least;
    if (dtype == HY_F64) {
        r->columns = hy__best_columns_f64;
        r->line = hy__best_line_f64;
    } else if (dtype == HY_I64 || dtype == HY_I32) {
        r->columns = hy__best_columns_i64;
        r->line = hy__best_line_i64;
    } else {
        r->columns = hy__best_columns_f32;
        r->line = hy__best_line_f32;
    }
    r->width = r->lines.inner > 1 ? (int64_t)HY__TILE : hy__clamp_i64(HY__CHUNK / (n + !n), 1, HY__TILE);
    r->blocks = r->lines.inner > 1 ? r->lines.outer * hy__pieces(r->lines.inner, r->width)
                                   : hy__pieces(r->lines.outer, r->width);
    size = n * hy__least(r->lines.inner, r->width);
    r->parts = r->blocks < 16 ? hy__clamp_i64(size / HY__PART, 1, 64) : 1;
    hy__one_stage(job, hy__run_argbest, r->blocks * r->parts,
                  0.5 * (double)r->lines.outer * (double)n * (double)r->lines.inner);
    if (r->parts > 1) {
        job->stages = 2;
        job->items[1] = r->blocks;
        job->shared = (size_t)(r->blocks * r->parts * r->width) * sizeof(int64_t);
    }
    return 0;
}

static int hy__argbest_infer(hy_infer *I, int axis, int keepdims)
{
    const hy_shape *x = &I->in[0].shape;
    hy_dtype dtype = I->in[0].dtype;
    int64_t n = hy__infer_line(I, x, axis);
    if (dtype) hy_infer_type(I, &I->out[0].dtype, hy__floating(dtype) ? dtype : HY_F32);
    if (n == 0) return hy_infer_fail(I, HY_ERROR_SHAPE, "nothing to choose from in shape %z", x);
    if (n == -2 || x->ndim < 0 || !hy__infer_counts(I, I->out[0].dtype, n)) return I->status;
    hy_infer_shape(I, &I->out[0].shape, hy__reduced_shape(x, axis == HY_NONE ? (1 << x->ndim) - 1
                                                             : 1 << hy__axis(axis, x->ndim), keepdims));
    return I->status;
}
static int hy__argmax_infer(hy_infer *I)                /* argmin's record is alike */
{
    const hy__argmax_rec *r = (const hy__argmax_rec *)I->attr;
    return hy__argbest_infer(I, r->axis, r->keepdims);
}
static int hy__argmax_bind(hy_job *job)
{
    return hy__argbest_bind(job, ((const hy__argmax_rec *)job->attr)->axis, 0);
}
static int hy__argmin_bind(hy_job *job)
{
    return hy__argbest_bind(job, ((const hy__argmin_rec *)job->attr)->axis, 1);
}
static int hy__argmax_split(const hy_job *job, int axis, hy_slicing *s)
{
    const hy__argmax_rec *r = (const hy__argmax_rec *)job->attr;
    int ndim = job->in[0].type.shape.ndim, at = r->axis == HY_NONE ? -1 : hy__axis(r->axis, ndim);
    s->axis[0] = r->keepdims || axis < at ? axis : axis + 1;
    return at >= 0 && s->axis[0] != at && s->axis[0] < ndim;
}
#define HY__ON_argmax hy__argmax_infer, hy__argmax_bind, NULL, hy__argmax_split
#define HY__ON_argmin hy__argmax_infer, hy__argmin_bind, NULL, hy__argmax_split

static int hy__argmax_channel_infer(hy_infer *I)
{
    hy_infer_shape(I, &I->in[0].shape, hy__rank(2));
    return I->status < 0 ? -1 : hy__argbest_infer(I, 1, 0);
}
static int hy__argmax_channel_bind(hy_job *job) { return hy__argbest_bind(job, 1, 0); }
#define HY__ON_argmax_channel hy__argmax_channel_infer, hy__argmax_channel_bind, NULL, hy__pointwise_split

/* --- cumsum --- */
typedef struct hy__sums {
    hy__along   lines;
    int64_t     width, across;          /* lines per item; items side by side */
    hy__scan_fn scan;
} hy__sums;

static void hy__run_cumsum(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__sums *r = (const hy__sums *)(const void *)&job->plan;
    const hy_tensor *x = &job->in[0], *y = &job->out[0];
    int64_t inner = r->lines.inner, side = item % r->across * r->width;
    int64_t outer = item / r->across, end = outer + 1;
    int64_t width = hy__least(inner - side, r->width);
    (void)stage; (void)scratch; (void)shared;
    if (inner == 1) {
        outer *= r->width;
        end = hy__least(outer + r->width, r->lines.outer);
    }
    for (; outer < end; outer++) {
        int64_t at = outer * r->lines.n * inner + side;
        r->scan(hy__nth(y, at), y->type.dtype, hy__nth(x, at), x->type.dtype, inner, r->lines.n, width);
    }
}

static int hy__cumsum_infer(hy_infer *I)
{
    const hy__cumsum_rec *r = (const hy__cumsum_rec *)I->attr;
    int64_t n = hy__infer_line(I, &I->in[0].shape, r->axis);
    if (r->dtype) hy_infer_type(I, &I->out[0].dtype, r->dtype);
    else hy__one_type(I, 0, -1);
    if (n == -2 || I->in[0].shape.ndim < 0) return I->status;
    hy_infer_shape(I, &I->out[0].shape, hy__ranked_shape(&I->in[0].shape, r->axis, n));
    if (I->status >= 0 && r->axis != HY_NONE) hy_infer_shape(I, &I->in[0].shape, I->out[0].shape);
    return I->status;
}
static int hy__cumsum_bind(hy_job *job)
{
    hy__sums *r = (hy__sums *)(void *)&job->plan;
    hy__along l = hy__along_axis(&job->in[0].type.shape, ((const hy__cumsum_rec *)job->attr)->axis);
    int64_t items;
    r->lines = l;
    r->scan = hy__floating(job->in[0].type.dtype) ? hy__scan_f64 : hy__scan_i64;
    r->width = l.inner > 1 ? (int64_t)HY__TILE : hy__clamp_i64(HY__CHUNK / (l.n + !l.n), 1, HY__CHUNK);
    r->across = l.inner > 1 ? hy__pieces(l.inner, r->width) : 1;
    items = l.inner == 1 ? hy__pieces(l.outer, r->width) : l.inner ? l.outer * r->across : 0;
    return hy__one_stage(job, hy__run_cumsum, items, 1.5 * (double)l.outer * (double)l.n * (double)l.inner);
}

/* x[i] is in every later sum: the running sum of dy from the end. */
static int hy__cumsum_diff(hy_frame *F, hy_diff *D)
{
    const hy__cumsum_rec *r = (const hy__cumsum_rec *)D->attr;
    int axis = r->axis == HY_NONE ? 0 : r->axis;
    hy_array *dy = D->dy[0], *x = D->in[0];
    if (!dy) return 0;
    if (r->dtype && r->dtype != x->t.type.dtype) dy = hy_cast(F, dy, x->t.type.dtype);
    D->dx[0] = hy_reverse(F, hy_cumsum(F, hy_reverse(F, dy, HY_AXES(axis)), axis, NULL), HY_AXES(axis));
    if (r->axis == HY_NONE) D->dx[0] = hy_reshape_like(F, D->dx[0], x, NULL);
    return 0;
}
static int hy__cumsum_split(const hy_job *job, int axis, hy_slicing *s)
{
    return hy__rank_split(axis, ((const hy__cumsum_rec *)job->attr)->axis, job, s);
}
#define HY__ON_cumsum hy__cumsum_infer, hy__cumsum_bind, hy__cumsum_diff, hy__cumsum_split

/* --- norm --- */
static int hy__norm_infer(hy_infer *I)
{
    const hy__norm_rec *r = (const hy__norm_rec *)I->attr;
    if (r->ord != 1 && r->ord != 2)
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "ord is %d; 1 and 2 are possible", r->ord);
    if (r->out_dtype) hy_infer_type(I, &I->out[0].dtype, r->out_dtype);
    else hy__same_types(I);
    return hy__reduce_infer_axes(I, &r->axis, 0, r->keepdims);
}
static int hy__norm_bind(hy_job *job)
{
    const hy__norm_rec *r = (const hy__norm_rec *)job->attr;
    hy__reduce *plan = (hy__reduce *)(void *)&job->plan;
    int error = hy__reduce_bind_kind(job, r->ord == 1 ? HY__NORM1 : HY__NORM2,
                                     hy__known_axis_bits(&r->axis, 0, job->in[0].type.shape.ndim));
    plan->integer &= !hy__floating(plan->to);
    return error;
}

/* sign(x) dy, or x dy / |x|, which is 0 where everything is. */
static int hy__norm_diff(hy_frame *F, hy_diff *D)
{
    const hy__norm_rec *r = (const hy__norm_rec *)D->attr;
    hy_array *x = D->in[0], *dy = D->dy[0], *y = D->out[0];
    int bits = hy__known_axis_bits(&r->axis, 0, x->t.type.shape.ndim);
    if (!dy) return 0;
    if (r->ord == 2) dy = hy_div(F, dy, hy_add(F, y, hy_equal_scalar(F, y, 0)));
    if (r->out_dtype && r->out_dtype != x->t.type.dtype) dy = hy_cast(F, dy, x->t.type.dtype);
    D->dx[0] = hy_mul(F, hy__spread(F, dy, x, bits, r->keepdims), r->ord == 2 ? x : hy_sign(F, x));
    return 0;
}
#define HY__ON_norm hy__norm_infer, hy__norm_bind, hy__norm_diff, NULL

/* --- moments --- */
static int hy__moments_infer(hy_infer *I)
{
    const hy__moments_rec *r = (const hy__moments_rec *)I->attr;
    hy__same_types(I);
    hy__reduce_infer_axes(I, &r->axes, 0, r->keepdims);
    hy_infer_same(I, &I->out[0].shape, &I->out[1].shape);
    return I->status;
}

/* mean = shift + s/n, var = q/n - (s/n)^2 */
static void hy__moments_finish(const hy__reduce *r, hy_tensor *out, double *acc, int64_t first, int64_t width)
{
    double *shift = acc, *sum = acc + r->width, *square = sum + r->width, n = (double)r->count;
    int64_t j;
    for (j = 0; j < width; j++) {
        double mean = sum[j] / n, var = square[j] / n - mean * mean;
        shift[j] += mean;
        square[j] = var < 0 ? 0 : var;
    }
    hy__store_f64(hy__nth(&out[0], first), r->to, 1, shift, width);
    hy__store_f64(hy__nth(&out[1], first), r->to, 1, square, width);
}

static void hy__run_moments(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__reduce *r = (const hy__reduce *)(const void *)&job->plan;
    int64_t block = stage ? item : item / r->parts, part = item % r->parts, first = block * r->width, j;
    int64_t width = hy__least(r->outputs - first, r->width);
    double acc[3 * HY__COLUMNS], *partial = (double *)shared;
    (void)scratch;
    if (stage == 0) {
        double *to = r->parts > 1 ? partial + 3 * item * r->width : acc;
        hy__moments_part(r, (const char *)job->in[0].data, first, width, r->count * part / r->parts,
                         r->count * (part + 1) / r->parts, to);
        if (r->parts == 1) hy__moments_finish(r, job->out, acc, first, width);
        return;
    }
    partial += 3 * item * r->parts * r->width;
    for (part = 1; part < r->parts; part++)
        for (j = r->width; j < 3 * r->width; j++) partial[j] += partial[3 * part * r->width + j];
    hy__moments_finish(r, job->out, partial, first, width);
}

static int hy__moments_bind(hy_job *job)
{
    const hy__moments_rec *r = (const hy__moments_rec *)job->attr;
    int error = hy__reduce_bind_kind(job, HY__MEAN,
                                     hy__known_axis_bits(&r->axes, 0, job->in[0].type.shape.ndim));
    job->run = hy__run_moments;
    job->shared *= 3;
    job->cost *= 2;
    return error;
}

/* dx = dmean / n + dvar 2 (x - mean) / n */
static int hy__moments_diff(hy_frame *F, hy_diff *D)
{
    const hy__moments_rec *r = (const hy__moments_rec *)D->attr;
    hy_array *x = D->in[0], *mean = NULL, *var = NULL;
    int bits = hy__known_axis_bits(&r->axes, 0, x->t.type.shape.ndim);
    int64_t size = hy__size(&x->t.type.shape);
    double share = size ? (double)hy__size(&D->out[0]->t.type.shape) / (double)size : 0;
    if (D->dy[0]) mean = hy_mul_scalar(F, hy__spread(F, D->dy[0], x, bits, r->keepdims), share);
    if (D->dy[1]) {
        var = hy_sub(F, x, hy__spread(F, D->out[0], x, bits, r->keepdims));
        var = hy_mul(F, hy_mul_scalar(F, var, 2 * share), hy__spread(F, D->dy[1], x, bits, r->keepdims));
    }
    D->dx[0] = mean && var ? hy_add(F, mean, var) : mean ? mean : var;
    return 0;
}
#define HY__ON_moments hy__moments_infer, hy__moments_bind, hy__moments_diff, NULL

/* --- sequences --- *
 * data (T,N,...), or (N,T,...) with axis 1; sequence_length (N,) or none, which means T. Every row of the
 * output (all behind the first two axes) comes whole from one place, or is filled. */
enum { HY__SEQ_MASK, HY__SEQ_REVERSE, HY__SEQ_LAST, HY__SEQ_LAST_GRAD };
typedef struct hy__sequence {
    int      kind, axis, lengths;       /* axis of time; which input holds the lengths, or -1 */
    int      size, pad;                 /* bytes of an element */
    int64_t  steps, batch, row, rows;   /* T, N, elements of a row, rows of an item */
    double   value;                     /* what fills, in the output's type */
} hy__sequence;

static int64_t hy__sequence_length(const hy_tensor *lengths, int64_t n, int64_t steps)
{
    int size = hy__traits[lengths->type.dtype].size;
    return hy__clamp_i64(hy__load_i64((const char *)lengths->data + n * size, lengths->type.dtype), 0, steps);
}

/* The row that output row i is a copy of, or -1. */
static int64_t hy__sequence_source(const hy__sequence *q, const hy_job *job, int64_t i)
{
    int64_t inner = q->axis ? q->steps : q->batch;
    int64_t t = q->axis ? i % inner : i / inner, n = q->axis ? i / inner : i % inner, length;
    if (q->kind == HY__SEQ_LAST) n = i;
    length = q->lengths < 0 ? q->steps : hy__sequence_length(&job->in[q->lengths], n, q->steps);
    switch (q->kind) {
    case HY__SEQ_MASK:    return t < length ? i : -1;
    case HY__SEQ_REVERSE: if (t < length) t = length - 1 - t; break;
    case HY__SEQ_LAST:    t = length > 0 ? length - 1 : 0; break;
    default:              return t == (length > 0 ? length - 1 : 0) ? n : -1;
    }
    return q->axis ? n * inner + t : t * inner + n;
}

static void hy__run_sequence(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__sequence *q = (const hy__sequence *)(const void *)&job->plan;
    int64_t total = hy__size(&job->out[0].type.shape) / q->row, bytes = q->row * q->size, i, j;
    const char *from = (const char *)job->in[0].data;
    char *to = (char *)job->out[0].data + item * q->rows * bytes;
    (void)stage; (void)scratch; (void)shared;
    for (i = item * q->rows; i < total && i < (item + 1) * q->rows; i++, to += bytes) {
        int64_t source = hy__sequence_source(q, job, i);
        if (source >= 0) memcpy(to, from + source * bytes, (size_t)bytes);
        else if (q->value == 0) memset(to, 0, (size_t)bytes);
        else for (j = 0; j < q->row; j++) memcpy(to + j * q->size, &q->value, (size_t)q->size);
    }
}

/* data: number of the input with the sequences, followed by that with the lengths. */
static int hy__sequence_bind(hy_job *job, int kind, int axis, int data, double value)
{
    const hy_shape *x = &job->in[data].type.shape;
    hy__sequence *q = (hy__sequence *)(void *)&job->plan;
    hy_dtype dtype = job->out[0].type.dtype;
    int64_t total = hy__size(&job->out[0].type.shape);
    q->kind = kind;
    q->axis = axis;
    q->lengths = job->nin > data + 1 ? data + 1 : -1;
    q->size = hy__traits[dtype].size;
    q->steps = x->dim[axis];
    q->batch = x->dim[1 - axis];
    q->row = hy__product(x, 2, x->ndim);
    q->value = 0;
    hy__store(&q->value, dtype, value);
    if (total && !q->steps) return hy__refuse(job, HY_ERROR_SHAPE, "sequences of no steps have no last one");
    q->rows = total ? HY__CHUNK / q->row + 1 : 1;
    return hy__one_stage(job, hy__run_sequence, total ? hy__pieces(total / q->row, q->rows) : 0,
                         0.2 * (double)total + (total ? 5.0 * (double)(total / q->row) : 0));
}

/* Types, the lengths' shape, and the axis. `same` is shaped like data. */
static int hy__sequence_infer_data(hy_infer *I, int axis, int data, hy_type *same)
{
    hy_type *x = &I->in[data];
    int64_t *batch;
    hy_infer_type(I, &x->dtype, same->dtype);
    hy_infer_type(I, &same->dtype, x->dtype);
    hy_infer_same(I, &x->shape, &same->shape);
    if (axis != 0 && axis != 1)
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "axis is %d; time is axis 0 or 1", axis);
    if (I->nin > data + 1) hy_infer_shape(I, &I->in[data + 1].shape, hy__rank(1));
    if (x->shape.ndim < 0 || I->status < 0) return I->status;
    if (x->shape.ndim < 2) return hy_infer_fail(I, HY_ERROR_SHAPE, "data needs at least two dims");
    batch = &x->shape.dim[1 - axis];
    if (I->nin > data + 1) {
        hy_infer_dim(I, &I->in[data + 1].shape.dim[0], *batch);
        hy_infer_dim(I, batch, I->in[data + 1].shape.dim[0]);
    }
    return I->status;
}

/* y (N,...) is data without the time axis. */
static int hy__sequence_infer_last(hy_infer *I, int axis, int data, hy_type *y)
{
    hy_shape *x = &I->in[data].shape, want;
    int d, ndim = y->shape.ndim;
    hy_infer_type(I, &y->dtype, I->in[data].dtype);
    hy_infer_type(I, &I->in[data].dtype, y->dtype);
    if (hy__sequence_infer_data(I, axis, data, &I->in[data]) < 0) return -1;
    if (x->ndim < 0 && ndim > 0 && ndim < HY_MAX_DIM) hy_infer_shape(I, x, hy__rank(ndim + 1));
    if (x->ndim < 0) return I->status;
    want = hy__rank(x->ndim - 1);
    for (d = 0; d < want.ndim; d++) want.dim[d] = x->dim[d ? d + 1 : 1 - axis];
    hy_infer_shape(I, &y->shape, want);
    if (I->status < 0) return -1;
    for (d = 0; d < want.ndim; d++) hy_infer_dim(I, &x->dim[d ? d + 1 : 1 - axis], y->shape.dim[d]);
    return I->status;
}

/* Slices along the batch, or along what lies behind, go their own way. */
static int hy__sequence_split(const hy_job *job, int axis, hy_slicing *s)
{
    const hy__sequence *q = (const hy__sequence *)(const void *)&job->plan;
    if (axis == q->axis) return 0;
    s->axis[0] = axis;
    s->axis[1] = axis < 2 ? 0 : -1;
    return 1;
}

static int hy__sequence_mask_infer(hy_infer *I)
{
    return hy__sequence_infer_data(I, ((const hy__sequence_mask_rec *)I->attr)->axis, 0, &I->out[0]);
}
static int hy__sequence_mask_bind(hy_job *job)
{
    const hy__sequence_mask_rec *r = (const hy__sequence_mask_rec *)job->attr;
    return hy__sequence_bind(job, HY__SEQ_MASK, r->axis, 0, r->value);
}
static int hy__sequence_mask_grad(hy_frame *F, hy_diff *D)
{
    const hy__sequence_mask_rec *r = (const hy__sequence_mask_rec *)D->attr;
    hy_sequence_mask_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.use_sequence_length = r->use_sequence_length;
    opt.axis = r->axis;
    if (D->dy[0]) D->dx[0] = hy_sequence_mask(F, D->dy[0], D->nin > 1 ? D->in[1] : NULL, &opt);
    return 0;
}
#define HY__ON_sequence_mask \
    hy__sequence_mask_infer, hy__sequence_mask_bind, hy__sequence_mask_grad, hy__sequence_split

static int hy__sequence_reverse_infer(hy_infer *I)
{
    return hy__sequence_infer_data(I, ((const hy__sequence_reverse_rec *)I->attr)->axis, 0, &I->out[0]);
}
static int hy__sequence_reverse_bind(hy_job *job)
{
    return hy__sequence_bind(job, HY__SEQ_REVERSE, ((const hy__sequence_reverse_rec *)job->attr)->axis, 0, 0);
}
static int hy__sequence_reverse_grad(hy_frame *F, hy_diff *D)
{
    const hy__sequence_reverse_rec *r = (const hy__sequence_reverse_rec *)D->attr;
    hy_sequence_reverse_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.use_sequence_length = r->use_sequence_length;
    opt.axis = r->axis;
    if (D->dy[0]) D->dx[0] = hy_sequence_reverse(F, D->dy[0], D->nin > 1 ? D->in[1] : NULL, &opt);
    return 0;
}
#define HY__ON_sequence_reverse \
    hy__sequence_reverse_infer, hy__sequence_reverse_bind, hy__sequence_reverse_grad, hy__sequence_split

static int hy__sequence_last_infer(hy_infer *I)
{
    return hy__sequence_infer_last(I, ((const hy__sequence_last_rec *)I->attr)->axis, 0, &I->out[0]);
}
static int hy__sequence_last_bind(hy_job *job)
{
    return hy__sequence_bind(job, HY__SEQ_LAST, ((const hy__sequence_last_rec *)job->attr)->axis, 0, 0);
}
static int hy__sequence_last_diff(hy_frame *F, hy_diff *D)
{
    const hy__sequence_last_rec *r = (const hy__sequence_last_rec *)D->attr;
    hy_array *lengths = D->nin > 1 ? D->in[1] : NULL;
    hy__sequence_last_grad_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.use_sequence_length = r->use_sequence_length;
    opt.axis = r->axis;
    if (D->dy[0]) D->dx[0] = hy__sequence_last_grad(F, D->dy[0], D->in[0], lengths, &opt);
    return 0;
}
#define HY__ON_sequence_last hy__sequence_last_infer, hy__sequence_last_bind, hy__sequence_last_diff, NULL

static int hy___sequence_last_grad_infer(hy_infer *I)
{
    int axis = ((const hy___sequence_last_grad_rec *)I->attr)->axis;
    if (hy__sequence_infer_data(I, axis, 1, &I->out[0]) < 0) return -1;
    return hy__sequence_infer_last(I, axis, 1, &I->in[0]);
}
static int hy___sequence_last_grad_bind(hy_job *job)
{
    const hy___sequence_last_grad_rec *r = (const hy___sequence_last_grad_rec *)job->attr;
    return hy__sequence_bind(job, HY__SEQ_LAST_GRAD, r->axis, 1, 0);
}
static int hy___sequence_last_grad_diff(hy_frame *F, hy_diff *D)
{
    const hy___sequence_last_grad_rec *r = (const hy___sequence_last_grad_rec *)D->attr;
    hy_sequence_last_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.use_sequence_length = r->use_sequence_length;
    opt.axis = r->axis;
    if (D->dy[0] && D->want[0]) D->dx[0] = hy_sequence_last(F, D->dy[0], D->nin > 2 ? D->in[2] : NULL, &opt);
    return 0;
}
#define HY__ON__sequence_last_grad \
    hy___sequence_last_grad_infer, hy___sequence_last_grad_bind, hy___sequence_last_grad_diff, NULL

#ifndef HYBRID_NO_RNN
/* --- rnn --- *
 * L layers of D directions over data (T,N,I), G gates of H units; P numbers of state: H, or as many as an
 * lstm projects to. The parameters are, for each layer and direction, wx (GH,in), wh (GH,P) and perhaps wp
 * (P,H); then, in the same order, bx (GH) and bh (GH). Forward, a layer is one product of all its input with
 * wx, then a walk along time in which every block of the batch and every direction goes alone. The gradient
 * walks back, leaves the gradients of all gates in rows (`delta`), and turns these into those of wx, wh and
 * the input by products over all steps.
 *
 * The work falls into stages that come one after the other: weights packed for their many products, then two
 * stages for each layer. More of them than a job may have become one item at its end.
 */
enum {                                  /* what the tensors of both operators are */
    HY__RNN_DATA, HY__RNN_PARAMETERS, HY__RNN_STATE, HY__RNN_CELL, HY__RNN_LENGTHS,
    HY__RNN_OUTPUT, HY__RNN_LAST, HY__RNN_LAST_CELL, HY__RNN_RESERVE,
    HY__RNN_DOUTPUT, HY__RNN_DLAST, HY__RNN_DLAST_CELL,
    HY__RNN_DDATA, HY__RNN_DPARAMETERS, HY__RNN_DSTATE, HY__RNN_DCELL, HY__RNN_ROLES
};
enum {
    HY__RNN_OUT = 16,                   /* outputs are counted from here */
    HY__RNN_SEVERAL = 5,                /* steps that make packed weights worth their while */
    HY__RNN_BLOCK = 24,                 /* samples of a large batch that walk together */
    HY__RNN_PIECES = 8,                 /* of a matrix to be packed */
    HY__RNN_DEEP = 65536                /* layers */
};

typedef struct hy__rnn {
    hy__rnn_cell cell;
    hy_dtype dtype, compute;
    int     back, layers, directions, gates, project, drop, foreign, size;
    signed char tensor[HY__RNN_ROLES];  /* input, or HY__RNN_OUT + output, or -1 */
    int64_t steps, batch, input, width; /* T, N, I, P */
    int64_t gate, keep, delta;          /* GH; rows of the reserve's gates and of delta */
    int64_t block, blocks;              /* samples that walk together */
    int64_t copy[HY__RNN_ROLES];        /* in `shared`: f16 tensors in f32, ... */
    int64_t packs, rows, inner;         /* ... weights, packed; gates or delta; inputs or their gradient */
    int64_t part[2][4];                 /* of packed weights, in layer 0 and in others; the last is the end */
    int64_t gemm;                       /* scratch bytes of products */
} hy__rnn;

/* What the attributes say. */
static void hy__rnn_read(const void *attr, int back, hy__rnn *r)
{
    const hy__rnn_rec *a = (const hy__rnn_rec *)attr;       /* the two records are alike */
    int lstm = a->mode == HY_RNN_LSTM, last = a->state_outputs, in = 0, out = HY__RNN_OUT, k;
    r->back = back;
    r->cell.mode = a->mode;
    r->cell.units = a->state_size;
    r->cell.low = a->clip_min == HY_NONE ? -HUGE_VAL : a->clip_min;
    r->cell.high = a->clip_max == HY_NONE ? HUGE_VAL : a->clip_max;
    r->cell.nan = a->clip_nan && a->clip_min != HY_NONE ? a->clip_min : HUGE_VAL - HUGE_VAL;
    r->layers = a->num_layers;
    r->directions = a->bidirectional ? 2 : 1;
    r->gates = lstm ? 4 : a->mode == HY_RNN_GRU ? 3 : 1;
    r->project = a->projection_size != HY_NONE && a->projection_size != 0;
    r->drop = a->p > 0 && a->num_layers > 1;
    r->width = r->project ? a->projection_size : a->state_size;
    r->gate = (int64_t)r->gates * a->state_size;
    r->keep = r->gate + (r->gates > 1 ? a->state_size : 0);
    r->delta = r->gate * (a->mode == HY_RNN_GRU ? 2 : 1) + r->width;
    if (r->project) r->delta += r->width + a->state_size;
    for (k = 0; k < HY__RNN_ROLES; k++) r->tensor[k] = -1;
    if (back) {
        r->tensor[HY__RNN_DOUTPUT] = (signed char)in++;
        if (last) r->tensor[HY__RNN_DLAST] = (signed char)in++;
        if (last && lstm) r->tensor[HY__RNN_DLAST_CELL] = (signed char)in++;
    }
    r->tensor[HY__RNN_DATA] = (signed char)in++;
    r->tensor[HY__RNN_PARAMETERS] = (signed char)in++;
    r->tensor[HY__RNN_STATE] = (signed char)in++;
    if (lstm) r->tensor[HY__RNN_CELL] = (signed char)in++;
    if (a->use_sequence_length) r->tensor[HY__RNN_LENGTHS] = (signed char)in++;
    if (back) {
        r->tensor[HY__RNN_OUTPUT] = (signed char)in++;
        r->tensor[HY__RNN_RESERVE] = (signed char)in;
        r->tensor[HY__RNN_DDATA] = (signed char)out++;
        r->tensor[HY__RNN_DPARAMETERS] = (signed char)out++;
        r->tensor[HY__RNN_DSTATE] = (signed char)out++;
        if (lstm) r->tensor[HY__RNN_DCELL] = (signed char)out;
        return;
    }
    r->tensor[HY__RNN_OUTPUT] = (signed char)out++;
    if (last) r->tensor[HY__RNN_LAST] = (signed char)out++;
    if (last && lstm) r->tensor[HY__RNN_LAST_CELL] = (signed char)out++;
    r->tensor[HY__RNN_RESERVE] = (signed char)out;
}

/* --- sizes, in elements; those of layer 0 differ from those of the others --- */
static int64_t hy__rnn_unit(const hy__rnn *r, int64_t first, int64_t other, int layer, int direction)
{
    if (layer == 0) return direction * first;
    return r->directions * first + ((int64_t)(layer - 1) * r->directions + direction) * other;
}
static int64_t hy__rnn_fan(const hy__rnn *r, int layer)         /* inputs of a layer */
{
    return layer ? r->directions * r->width : r->input;
}
static int64_t hy__rnn_weights(const hy__rnn *r, int layer)     /* of one direction */
{
    return r->gate * (hy__rnn_fan(r, layer) + r->width) + (r->project ? r->width * r->cell.units : 0);
}
/* Where a direction's matrix 0 (wx), 1 (wh), 2 (wp), or vector 3 (bx), 4 (bh), begins. */
static int64_t hy__rnn_parameter(const hy__rnn *r, int layer, int direction, int which)
{
    int64_t first = hy__rnn_weights(r, 0), other = hy__rnn_weights(r, 1);
    if (which > 2)
        return hy__rnn_unit(r, first, other, r->layers, 0) +
               (2 * ((int64_t)layer * r->directions + direction) + which - 3) * r->gate;
    return hy__rnn_unit(r, first, other, layer, direction) +
           r->gate * ((which > 0) * hy__rnn_fan(r, layer) + (which > 1) * r->width);
}
static int64_t hy__rnn_reserve(const hy__rnn *r)
{
    return r->steps * r->batch * (r->layers * r->directions * r->keep +
                                  (r->layers - 1) * r->directions * r->width * (r->drop ? 3 : 1));
}

/* --- inference, of both operators --- */
static int hy__rnn_check(hy_infer *I)
{
    const hy__rnn_rec *a = (const hy__rnn_rec *)I->attr;
    int project = a->projection_size != HY_NONE && a->projection_size != 0;
    double wide = (double)a->state_size + (project ? a->projection_size : 0);
    if (a->state_size < 1) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "state_size is %d", a->state_size);
    if (a->num_layers < 1 || a->num_layers > HY__RNN_DEEP)
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "num_layers is %d", a->num_layers);
    if ((unsigned)a->mode > HY_RNN_GRU) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "mode is %d", a->mode);
    if (!(a->p >= 0 && a->p <= 1))
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "p is %g, no probability", a->p);
    if (project && (a->projection_size < 0 || a->mode != HY_RNN_LSTM))
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "projection_size %d; only an lstm has one, above 0",
                             a->projection_size);
    if (a->clip_min != HY_NONE && a->clip_max != HY_NONE && !(a->clip_min <= a->clip_max))
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "the cell is to be kept within [%g, %g]", a->clip_min,
                             a->clip_max);
    if (a->num_layers * wide * wide > 1e13)
        return hy_infer_fail(I, HY_ERROR_SHAPE, "the layers are too large");
    return 0;
}

/* The shape of a role; T, N, I and the reserve may still be unknown. */
static hy_shape hy__rnn_shape(const hy__rnn *r, int role)
{
    hy_shape s = hy__shape1(-1);
    switch (role) {
    case HY__RNN_DATA: case HY__RNN_DDATA: case HY__RNN_OUTPUT: case HY__RNN_DOUTPUT:
        s.ndim = 3;
        s.dim[0] = r->steps;
        s.dim[1] = r->batch;
        s.dim[2] = role == HY__RNN_DATA || role == HY__RNN_DDATA ? r->input : r->directions * r->width;
        break;
    case HY__RNN_PARAMETERS: case HY__RNN_DPARAMETERS:
        if (r->input >= 0) s.dim[0] = hy__rnn_parameter(r, r->layers, 0, 3);
        break;
    case HY__RNN_LENGTHS: s.dim[0] = r->batch; break;
    case HY__RNN_RESERVE: if (r->steps >= 0 && r->batch >= 0) s.dim[0] = hy__rnn_reserve(r); break;
    default:
        s.ndim = 3;
        s.dim[0] = (int64_t)r->layers * r->directions;
        s.dim[1] = r->batch;
        s.dim[2] = r->width;
        if (role == HY__RNN_CELL || role == HY__RNN_LAST_CELL || role == HY__RNN_DLAST_CELL ||
            role == HY__RNN_DCELL) s.dim[2] = r->cell.units;
    }
    return s;
}

static hy_type *hy__rnn_type(hy_infer *I, const hy__rnn *r, int role)
{
    int k = r->tensor[role];
    return k < 0 ? NULL : k < HY__RNN_OUT ? &I->in[k] : &I->out[k - HY__RNN_OUT];
}

/* T, N, I and the type from whatever knows them. */
static void hy__rnn_gather(hy_infer *I, hy__rnn *r)
{
    int role;
    r->steps = r->batch = r->input = -1;
    r->dtype = HY_DTYPE_NONE;
    for (role = 0; role < HY__RNN_ROLES; role++) {
        const hy_type *t = hy__rnn_type(I, r, role);
        int ndim = hy__rnn_shape(r, role).ndim;
        if (!t) continue;
        if (role != HY__RNN_LENGTHS && role != HY__RNN_RESERVE && !r->dtype) r->dtype = t->dtype;
        if (t->shape.ndim != ndim) continue;
        if (ndim == 3 && r->batch < 0) r->batch = t->shape.dim[1];
        if (role == HY__RNN_LENGTHS && r->batch < 0) r->batch = t->shape.dim[0];
        if ((role == HY__RNN_DATA || role == HY__RNN_OUTPUT || role == HY__RNN_DOUTPUT) && r->steps < 0)
            r->steps = t->shape.dim[0];
        if (role == HY__RNN_DATA) r->input = t->shape.dim[2];
    }
}

static int hy__rnn_infer_pass(hy_infer *I, int back)
{
    hy__rnn r;
    int role;
    if (hy__rnn_check(I)) return -1;
    hy__rnn_read(I->attr, back, &r);
    hy__rnn_gather(I, &r);
    if ((double)r.input * (double)r.gate > 1e15 ||
        (double)r.steps * (double)r.batch * (double)r.layers * 3.0 * (double)(r.keep + r.width) > 5e14)
        return hy_infer_fail(I, HY_ERROR_SHAPE, "the layers or the data are too large");
    for (role = 0; role < HY__RNN_ROLES; role++) {
        hy_type *t = hy__rnn_type(I, &r, role);
        if (!t) continue;
        hy_infer_shape(I, &t->shape, hy__rnn_shape(&r, role));
        if (role == HY__RNN_RESERVE)
            hy_infer_type(I, &t->dtype, !r.dtype || r.dtype == HY_F64 ? r.dtype : HY_F32);
        else if (role != HY__RNN_LENGTHS) hy_infer_type(I, &t->dtype, r.dtype);
    }
    return I->status;
}

/* --- products: matrix k, (out,from), times rows; its transpose; and rows times rows, its gradient --- */
enum { HY__RNN_TIMES, HY__RNN_TURNED = 3, HY__RNN_WEIGHT = 6 };

static void hy__rnn_product(const hy__rnn *r, int isa, int which, int layer, hy__gemm *g)
{
    int k = which % 3, packed = which < HY__RNN_WEIGHT && r->steps >= HY__RNN_SEVERAL;
    int64_t out = k == 2 ? r->width : r->gate, all = r->steps * r->batch, b_row, b_col;
    int64_t from = k == 0 ? hy__rnn_fan(r, layer) : k == 1 ? r->width : r->cell.units;
    g->m = which >= HY__RNN_WEIGHT ? out : k == 0 ? all : r->block;
    g->n = which < HY__RNN_TURNED ? out : from;
    g->k = which < HY__RNN_TURNED ? from : which < HY__RNN_WEIGHT ? out : all;
    g->a_row = which < HY__RNN_TURNED ? from : which < HY__RNN_WEIGHT ? r->delta : 1;
    g->a_col = which < HY__RNN_WEIGHT ? 1 : r->delta;
    b_row = which < HY__RNN_TURNED ? 1 : which < HY__RNN_WEIGHT || k == 0 ? from : r->delta;
    b_col = which < HY__RNN_TURNED ? from : 1;
    g->c_row = which == HY__RNN_TIMES ? r->keep : g->n;
    g->accumulate = which == HY__RNN_TURNED + 1;
    g->b_row = packed ? g->n : b_row;       /* packed, it no longer matters how the matrix lay */
    g->b_col = packed ? 1 : b_col;
    if (r->compute == HY_F32) hy__gemm_plan_f32(g, isa - HY_ISA_BASE);
    else hy__gemm_plan_f64(g, isa - HY_ISA_BASE);
    g->b_row = b_row;
    g->b_col = b_col;
    if (packed && g->items && !g->use_dots) {
        g->b_place = HY__B_IN_SHARED;
        g->pack_items = hy__gemm_ceil(g->n, g->panel);
        g->shared_bytes = (size_t)(g->pack_items * g->panel * g->k * r->size);
    } else if (which >= HY__RNN_WEIGHT && g->b_place == HY__B_IN_SHARED) {      /* used once: not worth it */
        g->b_place = HY__B_IN_PLACE;
        g->pack_items = 0;
    }
}

/* One run's view of the plan. */
typedef struct hy__rnn_run {
    const hy__rnn *r;
    hy_job *job;
    char   *at[HY__RNN_ROLES];          /* in the computing type */
    char   *shared, *scratch;
} hy__rnn_run;

static hy_tensor *hy__rnn_tensor(const hy_job *job, const hy__rnn *r, int role)
{
    int k = r->tensor[role];
    return k < 0 ? NULL : k < HY__RNN_OUT ? &job->in[k] : &job->out[k - HY__RNN_OUT];
}
static int hy__rnn_converts(const hy__rnn *r, int role)
{
    return r->foreign && r->tensor[role] >= 0 && role != HY__RNN_LENGTHS && role != HY__RNN_RESERVE;
}

static const char *hy__rnn_matrix(const hy__rnn_run *u, int layer, int direction, int which)
{
    return u->at[HY__RNN_PARAMETERS] + hy__rnn_parameter(u->r, layer, direction, which) * u->r->size;
}
static char *hy__rnn_packed(const hy__rnn_run *u, int layer, int direction, int k)
{
    const hy__rnn *r = u->r;
    int64_t unit = hy__rnn_unit(r, r->part[0][3], r->part[1][3], layer, direction);
    return u->shared + r->packs + unit + r->part[layer > 0][k];
}
static void hy__rnn_multiply(const hy__rnn_run *u, const hy__gemm *g, const char *a, const char *b, char *c,
                             const char *packed)
{
    int64_t i;
    for (i = 0; i < g->items; i++) hy__gemm_run(g, a, b, c, i, u->scratch, packed);
}
/* A product planned for a whole block, with fewer rows. */
static void hy__rnn_trim(hy__gemm *g, int64_t rows)
{
    if (!g->items) return;
    g->m = rows;
    g->row_blocks = hy__gemm_ceil(rows, g->row_block);
    g->items = g->row_blocks * g->col_blocks;
}

/* Gates (T,N,keep) of a layer and direction; forward without a reserve one layer's place serves all. */
static char *hy__rnn_gates(const hy__rnn_run *u, int layer, int direction)
{
    const hy__rnn *r = u->r;
    char *reserve = u->at[HY__RNN_RESERVE];
    int64_t one = r->steps * r->batch * r->keep * r->size;
    if (!reserve) return u->shared + r->rows + direction * one;
    return reserve + ((int64_t)layer * r->directions + direction) * one;
}
/* (T,N,DP) between layer and the next: 0 what comes out, 1 what goes in, 2 the factors between. */
static char *hy__rnn_between(const hy__rnn_run *u, int layer, int which)
{
    const hy__rnn *r = u->r;
    char *reserve = u->at[HY__RNN_RESERVE];
    int64_t all = r->steps * r->batch * r->directions * r->size;
    if (!reserve) return which == 2 ? NULL : u->shared + r->inner;
    return reserve + all * (r->layers * r->keep + (r->drop ? 3 * layer + which : layer) * r->width);
}
static char *hy__rnn_layer_input(const hy__rnn_run *u, int layer)
{
    return layer ? hy__rnn_between(u, layer - 1, 1) : u->at[HY__RNN_DATA];
}
static char *hy__rnn_layer_output(const hy__rnn_run *u, int layer)
{
    return layer + 1 < u->r->layers ? hy__rnn_between(u, layer, 0) : u->at[HY__RNN_OUTPUT];
}
static int64_t hy__rnn_length(const hy__rnn_run *u, int64_t n)
{
    const hy__rnn *r = u->r;
    return r->tensor[HY__RNN_LENGTHS] < 0 ? r->steps
         : hy__sequence_length(&u->job->in[r->tensor[HY__RNN_LENGTHS]], n, r->steps);
}

/* --- forward --- */

/* One row of what goes into the next layer: dropped in training, and the factors noted. */
static void hy__rnn_drop(const hy__rnn_run *u, int layer, int64_t row, int direction)
{
    const hy__rnn *r = u->r;
    double p = u->job->training ? ((const hy__rnn_rec *)u->job->attr)->p : 0, f;
    int64_t wide = r->directions * r->width, all = r->steps * r->batch * wide, i, j, m;
    int64_t first = row * wide + direction * r->width;
    const char *y = hy__rnn_between(u, layer, 0);
    char *x = hy__rnn_between(u, layer, 1), *factor = hy__rnn_between(u, layer, 2);
    float uniform[HY__TILE];
    for (i = 0; i < r->width; i += m) {
        m = r->width - i < HY__TILE ? r->width - i : HY__TILE;
        hy__fill_uniform_f32(uniform, layer * all + first + i, m, u->job->seed, u->job->stream, 0, 1);
        for (j = 0; j < m; j++) {
            int64_t at = (first + i + j) * r->size;
            f = uniform[j] >= (float)p ? 1 / (1 - p) : 0;
            hy__store(x + at, r->compute, hy__load(y + at, r->compute) * f);
            if (factor) hy__store(factor + at, r->compute, f);
        }
    }
}

/* The outputs of one step: the state of samples still running, 0 of others. */
static void hy__rnn_emit(const hy__rnn_run *u, int layer, int direction, int64_t t, int64_t first,
                         int64_t rows, const char *h)
{
    const hy__rnn *r = u->r;
    int inner = layer + 1 < r->layers && r->drop && (u->job->training || u->at[HY__RNN_RESERVE]);
    int64_t bytes = r->width * r->size, n;
    char *y = hy__rnn_layer_output(u, layer);
    for (n = 0; n < rows; n++) {
        int64_t row = t * r->batch + first + n;
        char *to = y + (row * r->directions + direction) * bytes;
        if (t < hy__rnn_length(u, first + n)) memcpy(to, h + n * bytes, (size_t)bytes);
        else memset(to, 0, (size_t)bytes);
        if (inner) hy__rnn_drop(u, layer, row, direction);
    }
}

/* Copies rows of (L*D,N,row) to or from a block's; absent means zero. */
static void hy__rnn_load(const hy__rnn_run *u, int role, int64_t unit, int64_t first, int64_t rows,
                         int64_t row, char *to)
{
    int64_t bytes = row * u->r->size;
    if (u->at[role]) memcpy(to, u->at[role] + (unit * u->r->batch + first) * bytes, (size_t)(rows * bytes));
    else memset(to, 0, (size_t)(rows * bytes));
}
static void hy__rnn_save(const hy__rnn_run *u, int role, int64_t unit, int64_t first, int64_t rows,
                         int64_t row, const char *from)
{
    int64_t bytes = row * u->r->size;
    if (u->at[role]) memcpy(u->at[role] + (unit * u->r->batch + first) * bytes, from, (size_t)(rows * bytes));
}

/* A block of samples through all steps of one direction. */
static void hy__rnn_walk(const hy__rnn_run *u, int layer, int64_t item)
{
    const hy__rnn *r = u->r;
    hy__rnn_step_fn step = hy__rnn_step_of(r->compute, u->job->kernels->isa);
    int direction = (int)(item % r->directions);
    int64_t first = item / r->directions * r->block, rows = hy__gemm_min(r->block, r->batch - first);
    int64_t unit = (int64_t)layer * r->directions + direction, size = r->size, units = r->cell.units, s, n;
    const char *wh = hy__rnn_matrix(u, layer, direction, 1), *wp = hy__rnn_matrix(u, layer, direction, 2);
    const char *bx = hy__rnn_matrix(u, layer, direction, 3), *bh = hy__rnn_matrix(u, layer, direction, 4);
    char *gates = hy__rnn_gates(u, layer, direction) + first * r->keep * size;
    char *h = u->scratch + r->gemm, *cell = h + r->block * r->width * size;
    char *full = cell + r->block * units * size, *rec = full + r->block * units * size;
    hy__gemm state, project;
    hy__rnn_product(r, u->job->kernels->isa, HY__RNN_TIMES + 1, layer, &state);
    hy__rnn_trim(&state, rows);
    hy__rnn_load(u, HY__RNN_STATE, unit, first, rows, r->width, h);
    hy__rnn_load(u, HY__RNN_CELL, unit, first, rows, units, cell);
    if (r->project) {
        hy__rnn_product(r, u->job->kernels->isa, HY__RNN_TIMES + 2, layer, &project);
        hy__rnn_trim(&project, rows);
        memset(full, 0, (size_t)(rows * units * size));
    } else full = h;
    for (s = 0; s < r->steps; s++) {
        int64_t t = direction ? r->steps - 1 - s : s;
        hy__rnn_multiply(u, &state, h, wh, rec, hy__rnn_packed(u, layer, direction, 1));
        for (n = 0; n < rows; n++)
            if (t < hy__rnn_length(u, first + n))
                step(&r->cell, gates + (t * r->batch + n) * r->keep * size, rec + n * r->gate * size, bx, bh,
                     full + n * units * size, cell + n * units * size);
        if (r->project) {
            hy__rnn_multiply(u, &project, full, wp, rec, hy__rnn_packed(u, layer, direction, 2));
            for (n = 0; n < rows; n++)
                if (t < hy__rnn_length(u, first + n))
                    memcpy(h + n * r->width * size, rec + n * r->width * size, (size_t)(r->width * size));
        }
        hy__rnn_emit(u, layer, direction, t, first, rows, h);
    }
    hy__rnn_save(u, HY__RNN_LAST, unit, first, rows, r->width, h);
    hy__rnn_save(u, HY__RNN_LAST_CELL, unit, first, rows, units, cell);
}

/* --- backward --- *
 * A row of delta: gradients of wx x, for a gru also those of wh h, then the old state, then for a projection
 * the gradient of the state and the state before it. */
enum { HY__RNN_DX, HY__RNN_DR, HY__RNN_OLD, HY__RNN_DPROJECT, HY__RNN_FULL };
static int64_t hy__rnn_slot(const hy__rnn *r, int slot)
{
    int64_t gates = r->cell.mode == HY_RNN_GRU ? 2 * r->gate : r->gate;
    if (slot < HY__RNN_OLD) return slot == HY__RNN_DX ? 0 : gates - r->gate;
    return gates + (slot - HY__RNN_OLD) * r->width;
}
static char *hy__rnn_delta(const hy__rnn_run *u, int direction, int64_t row, int slot)
{
    const hy__rnn *r = u->r;
    return u->shared + r->rows +
           ((direction * r->steps * r->batch + row) * r->delta + hy__rnn_slot(r, slot)) * r->size;
}

/* dh += the gradient of the layer's output, one row; where it was dropped, by its factor. */
static void hy__rnn_collect(const hy__rnn_run *u, int layer, int direction, int64_t row, char *dh)
{
    const hy__rnn *r = u->r;
    int64_t at = (row * r->directions + direction) * r->width * r->size, i;
    int last = layer + 1 == r->layers;
    const char *dy = (last ? u->at[HY__RNN_DOUTPUT] : u->shared + r->inner) + at;
    const char *factor = last || !r->drop ? NULL : hy__rnn_between(u, layer, 2) + at;
    if (r->compute == HY_F32) {
        float *to = (float *)(void *)dh;
        const float *from = (const float *)(const void *)dy, *f = (const float *)(const void *)factor;
        for (i = 0; i < r->width; i++) to[i] += f ? from[i] * f[i] : from[i];
    } else {
        double *to = (double *)(void *)dh;
        const double *from = (const double *)(const void *)dy, *f = (const double *)(const void *)factor;
        for (i = 0; i < r->width; i++) to[i] += f ? from[i] * f[i] : from[i];
    }
}

/* What a sample knew before step t: its row of (L*D,N,row) if t is its first, else `steps` one step ago. */
static const char *hy__rnn_before(const hy__rnn_run *u, int role, int64_t unit, int64_t t, int64_t n,
                                  int64_t row, const char *steps, int64_t stride)
{
    const hy__rnn *r = u->r;
    int direction = (int)(unit % r->directions);
    if (u->at[role] && t == (direction ? hy__rnn_length(u, n) - 1 : 0))
        return u->at[role] + (unit * r->batch + n) * row * r->size;
    return steps + ((t + (direction ? 1 : -1)) * r->batch + n) * stride * r->size;
}

typedef struct hy__rnn_back {            /* a block on its way back */
    int      layer, direction;
    int64_t  first, rows;
    char    *dh, *dcell, *dfull, *unused;
    hy__gemm state, project;
} hy__rnn_back;

/* One step back for a block: delta's rows of step t, dh and dcell. */
static void hy__rnn_step_back(const hy__rnn_run *u, const hy__rnn_back *b, int64_t t)
{
    const hy__rnn *r = u->r;
    hy__rnn_back_fn back = hy__rnn_back_of(r->compute, u->job->kernels->isa);
    int layer = b->layer, direction = b->direction;
    int64_t unit = (int64_t)layer * r->directions + direction, row = t * r->batch + b->first, n;
    int64_t units = r->cell.units, cell = units * r->size, width = r->width * r->size;
    const char *gates = hy__rnn_gates(u, layer, direction), *old;
    const char *y = hy__rnn_layer_output(u, layer) + direction * width;
    for (n = 0; n < b->rows; n++) {
        char *delta = hy__rnn_delta(u, direction, row + n, 0), *dh = b->dh + n * width;
        if (t >= hy__rnn_length(u, b->first + n)) {
            memset(delta, 0, (size_t)(r->delta * r->size));
            continue;
        }
        hy__rnn_collect(u, layer, direction, row + n, dh);
        old = hy__rnn_before(u, HY__RNN_STATE, unit, t, b->first + n, r->width, y, r->directions * r->width);
        memcpy(delta + hy__rnn_slot(r, HY__RNN_OLD) * r->size, old, (size_t)width);
        if (!r->project) continue;
        memcpy(delta + hy__rnn_slot(r, HY__RNN_DPROJECT) * r->size, dh, (size_t)width);
        memset(dh, 0, (size_t)width);
    }
    if (r->project)
        hy__rnn_multiply(u, &b->project, hy__rnn_delta(u, direction, row, HY__RNN_DPROJECT),
                         hy__rnn_matrix(u, layer, direction, 2), b->dfull,
                         hy__rnn_packed(u, layer, direction, 2));
    for (n = 0; n < b->rows; n++) {
        char *delta = hy__rnn_delta(u, direction, row + n, 0);
        if (t >= hy__rnn_length(u, b->first + n)) continue;
        old = u->at[HY__RNN_CELL];
        if (old)
            old = hy__rnn_before(u, HY__RNN_CELL, unit, t, b->first + n, units, gates + 4 * cell, r->keep);
        back(&r->cell, gates + (row + n) * r->keep * r->size, delta + hy__rnn_slot(r, HY__RNN_OLD) * r->size,
             old, b->dfull + n * cell, b->dcell + n * cell, delta,
             delta + hy__rnn_slot(r, HY__RNN_DR) * r->size,
             r->project ? delta + hy__rnn_slot(r, HY__RNN_FULL) * r->size : b->unused);
    }
    hy__rnn_multiply(u, &b->state, hy__rnn_delta(u, direction, row, HY__RNN_DR),
                     hy__rnn_matrix(u, layer, direction, 1), b->dh, hy__rnn_packed(u, layer, direction, 1));
}

static void hy__rnn_walk_back(const hy__rnn_run *u, int layer, int64_t item)
{
    const hy__rnn *r = u->r;
    int isa = u->job->kernels->isa;
    int64_t unit, s, units = r->cell.units;
    hy__rnn_back b;
    b.layer = layer;
    b.direction = (int)(item % r->directions);
    b.first = item / r->directions * r->block;
    b.rows = r->batch - b.first < r->block ? r->batch - b.first : r->block;
    b.dh = u->scratch + r->gemm;
    b.dcell = b.dh + r->block * r->width * r->size;
    b.unused = b.dcell + r->block * units * r->size;
    b.dfull = r->project ? b.unused + r->block * units * r->size : b.dh;
    unit = (int64_t)layer * r->directions + b.direction;
    hy__rnn_product(r, isa, HY__RNN_TURNED + 1, layer, &b.state);
    hy__rnn_trim(&b.state, b.rows);
    if (r->project) {
        hy__rnn_product(r, isa, HY__RNN_TURNED + 2, layer, &b.project);
        hy__rnn_trim(&b.project, b.rows);
    }
    hy__rnn_load(u, HY__RNN_DLAST, unit, b.first, b.rows, r->width, b.dh);
    hy__rnn_load(u, HY__RNN_DLAST_CELL, unit, b.first, b.rows, units, b.dcell);
    for (s = r->steps - 1; s >= 0; s--) hy__rnn_step_back(u, &b, b.direction ? r->steps - 1 - s : s);
    hy__rnn_save(u, HY__RNN_DSTATE, unit, b.first, b.rows, r->width, b.dh);
    hy__rnn_save(u, HY__RNN_DCELL, unit, b.first, b.rows, units, b.dcell);
}

/* The gradient of a bias, columns of which are one item: delta's rows added up. */
static void hy__rnn_bias(const hy__rnn_run *u, int layer, int direction, int64_t item)
{
    const hy__rnn *r = u->r;
    double sum[HY__COLUMNS], row[HY__COLUMNS];
    int64_t tiles = hy__pieces(r->gate, HY__COLUMNS), first = item % tiles * HY__COLUMNS, i;
    int64_t n = hy__gemm_min(HY__COLUMNS, r->gate - first), at;
    int which = (int)(item / tiles);
    memset(sum, 0, sizeof sum);
    for (i = 0; i < r->steps * r->batch; i++) {
        hy__load_tile(HY_F64, row, hy__rnn_delta(u, direction, i, which) + first * r->size, r->compute, 1, n);
        hy__fold_columns(HY__MEAN, sum, row, n);
    }
    at = hy__rnn_parameter(r, layer, direction, 3 + which) + first;
    hy__store_tile(HY_F64, u->at[HY__RNN_DPARAMETERS] + at * r->size, r->compute, 1, sum, n);
}

/* The gradient of a layer's input: over both directions. */
static void hy__rnn_input_gradient(const hy__rnn_run *u, hy__gemm *g, int layer, int64_t item)
{
    char *to = layer ? u->shared + u->r->inner : u->at[HY__RNN_DDATA];
    int direction;
    for (direction = 0; direction < u->r->directions; direction++) {
        g->accumulate = direction;
        hy__gemm_run(g, hy__rnn_delta(u, direction, 0, HY__RNN_DX), hy__rnn_matrix(u, layer, direction, 0),
                     to, item, u->scratch, hy__rnn_packed(u, layer, direction, 0));
    }
}
/* That of matrix k. */
static void hy__rnn_weight_gradient(const hy__rnn_run *u, const hy__gemm *g, int layer, int direction, int k,
                                    int64_t item)
{
    static const int left[] = { HY__RNN_DX, HY__RNN_DR, HY__RNN_DPROJECT };
    char *right = k == 0 ? hy__rnn_layer_input(u, layer)
                : hy__rnn_delta(u, direction, 0, k == 1 ? HY__RNN_OLD : HY__RNN_FULL);
    char *to = u->at[HY__RNN_DPARAMETERS] + hy__rnn_parameter(u->r, layer, direction, k) * u->r->size;
    hy__gemm_run(g, hy__rnn_delta(u, direction, 0, left[k]), right, to, item, u->scratch, NULL);
}

/* What delta says about a layer, item by item; without u counts the items. */
static int64_t hy__rnn_gradients(const hy__rnn_run *u, const hy__rnn *r, int isa, int layer, int64_t item)
{
    int64_t total, more;
    int direction, k;
    hy__gemm g;
    hy__rnn_product(r, isa, HY__RNN_TURNED, layer, &g);
    total = g.items;
    if (u && item < total) hy__rnn_input_gradient(u, &g, layer, item);
    for (direction = 0; direction < r->directions; direction++) {
        for (k = 0; k < 2 + r->project; k++, total += g.items) {
            hy__rnn_product(r, isa, HY__RNN_WEIGHT + k, layer, &g);
            if (u && item >= total && item < total + g.items)
                hy__rnn_weight_gradient(u, &g, layer, direction, k, item - total);
        }
        more = 2 * hy__pieces(r->gate, HY__COLUMNS);
        if (u && item >= total && item < total + more) hy__rnn_bias(u, layer, direction, item - total);
        total += more;
    }
    return total;
}

/* --- stages: [convert], pack, two for each layer, [convert] --- */
static int hy__rnn_stages(const hy__rnn *r) { return 1 + 2 * r->layers + 2 * r->foreign; }

/* Converts f16 inputs, or outputs, by pieces; counts them without u. */
static int64_t hy__rnn_convert(const hy__rnn_run *u, const hy__rnn *r, const hy_job *job, int outputs,
                               int64_t item)
{
    int64_t total = 0, n, at;
    char *foreign, *own;
    int role;
    for (role = 0; role < HY__RNN_ROLES; role++) {
        const hy_tensor *t = hy__rnn_tensor(job, r, role);
        if (!hy__rnn_converts(r, role) || (r->tensor[role] >= HY__RNN_OUT) != outputs) continue;
        n = hy__size(&t->type.shape);
        at = (item - total) * HY__CHUNK;
        total += hy__pieces(n, HY__CHUNK);
        if (!u || at < 0 || at >= n) continue;
        foreign = (char *)t->data + at * hy__traits[r->dtype].size;
        own = u->at[role] + at * r->size;
        n = n - at < HY__CHUNK ? n - at : HY__CHUNK;
        if (outputs) hy__store_tile(HY_F32, foreign, r->dtype, 1, own, n);
        else hy__load_tile(HY_F32, own, foreign, r->dtype, 1, n);
    }
    return total;
}

/* An eighth of a packed matrix. */
static void hy__rnn_pack(const hy__rnn_run *u, int64_t item)
{
    const hy__rnn *r = u->r;
    int64_t unit = item / (3 * HY__RNN_PIECES), piece = item % HY__RNN_PIECES, i, end;
    int k = (int)(item / HY__RNN_PIECES % 3);
    int layer = (int)(unit / r->directions), direction = (int)(unit % r->directions);
    hy__gemm g;
    if (k == 2 && !r->project) return;
    hy__rnn_product(r, u->job->kernels->isa, (r->back ? HY__RNN_TURNED : HY__RNN_TIMES) + k, layer, &g);
    end = g.pack_items * (piece + 1) / HY__RNN_PIECES;
    for (i = g.pack_items * piece / HY__RNN_PIECES; i < end; i++)
        hy__gemm_pack(&g, hy__rnn_matrix(u, layer, direction, k), i, hy__rnn_packed(u, layer, direction, k));
}

static int64_t hy__rnn_items(const hy__rnn *r, const hy_job *job, int stage)
{
    hy__gemm g;
    int at = stage - r->foreign - 1, layer = r->back ? r->layers - 1 - at / 2 : at / 2;
    if (at < -1) return hy__rnn_convert(NULL, r, job, 0, 0);
    if (at < 0) return (int64_t)r->layers * r->directions * 3 * HY__RNN_PIECES;
    if (at >= 2 * r->layers) return hy__rnn_convert(NULL, r, job, 1, 0);
    if (at % 2 == !r->back) return r->blocks * r->directions;
    if (r->back) return hy__rnn_gradients(NULL, r, job->kernels->isa, layer, 0);
    hy__rnn_product(r, job->kernels->isa, HY__RNN_TIMES, layer, &g);
    return g.items * r->directions;
}

static void hy__rnn_item(const hy__rnn_run *u, int stage, int64_t item)
{
    const hy__rnn *r = u->r;
    hy__gemm g;
    int at = stage - r->foreign - 1, layer = r->back ? r->layers - 1 - at / 2 : at / 2;
    int direction = (int)(item % r->directions);
    if (at < -1) hy__rnn_convert(u, r, u->job, 0, item);
    else if (at < 0) hy__rnn_pack(u, item);
    else if (at >= 2 * r->layers) hy__rnn_convert(u, r, u->job, 1, item);
    else if (r->back && at % 2 == 0) hy__rnn_walk_back(u, layer, item);
    else if (!r->back && at % 2 == 1) hy__rnn_walk(u, layer, item);
    else if (r->back) hy__rnn_gradients(u, r, u->job->kernels->isa, layer, item);
    else {
        hy__rnn_product(r, u->job->kernels->isa, HY__RNN_TIMES, layer, &g);
        hy__gemm_run(&g, hy__rnn_layer_input(u, layer), hy__rnn_matrix(u, layer, direction, 0),
                     hy__rnn_gates(u, layer, direction), item / r->directions, u->scratch,
                     hy__rnn_packed(u, layer, direction, 0));
    }
}

static void hy__run_rnn(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__rnn *r = (const hy__rnn *)(const void *)&job->plan;
    hy__rnn_run u;
    int role;
    u.r = r;
    u.job = job;
    u.shared = (char *)shared;
    u.scratch = (char *)scratch;
    for (role = 0; role < HY__RNN_ROLES; role++) {
        hy_tensor *t = hy__rnn_tensor(job, r, role);
        u.at[role] = !t ? NULL : hy__rnn_converts(r, role) ? u.shared + r->copy[role] : (char *)t->data;
    }
    if (stage + 1 < job->stages || job->stages == hy__rnn_stages(r)) {
        hy__rnn_item(&u, stage, item);
        return;
    }
    for (; stage < hy__rnn_stages(r); stage++) {
        int64_t items = hy__rnn_items(r, job, stage);
        for (item = 0; item < items; item++) hy__rnn_item(&u, stage, item);
    }
}

/* Places in `shared`, and the scratch that products need. */
static void hy__rnn_layout(hy_job *job, hy__rnn *r)
{
    int64_t at = 0, all = r->steps * r->batch, need, n;
    int role, layer, k, base = r->back ? HY__RNN_TURNED : HY__RNN_TIMES;
    hy__gemm g;
    for (role = 0; role < HY__RNN_ROLES; role++) {
        r->copy[role] = at;
        if (!hy__rnn_converts(r, role)) continue;
        n = hy__size(&hy__rnn_tensor(job, r, role)->type.shape);
        at += (int64_t)hy__round64((size_t)(n * r->size));
    }
    r->packs = at;
    r->gemm = 0;
    for (layer = 0; layer < 2; layer++) {
        for (k = 0, need = 0; k < 3; k++) {
            r->part[layer][k] = need;
            if (k == 2 && !r->project) continue;
            hy__rnn_product(r, job->kernels->isa, base + k, layer, &g);
            need += (int64_t)hy__round64(g.shared_bytes);
            if ((int64_t)g.scratch_bytes > r->gemm) r->gemm = (int64_t)g.scratch_bytes;
            if (r->back) hy__rnn_product(r, job->kernels->isa, HY__RNN_WEIGHT + k, layer, &g);
            if ((int64_t)g.scratch_bytes > r->gemm) r->gemm = (int64_t)g.scratch_bytes;
        }
        r->part[layer][3] = need;
    }
    at += hy__rnn_unit(r, r->part[0][3], r->part[1][3], r->layers, 0);
    r->rows = at;
    at += (int64_t)hy__round64((size_t)(r->directions * all * (r->back ? r->delta : r->keep) * r->size));
    r->inner = at;
    if (r->layers > 1) at += all * r->directions * r->width * r->size;
    r->gemm = (int64_t)hy__round64((size_t)r->gemm);
    job->shared = (size_t)at;
    need = r->width + 2 * r->cell.units + (r->gate > r->width ? r->gate : r->width);
    if (need < r->width + 3 * r->cell.units) need = r->width + 3 * r->cell.units;
    job->scratch = (size_t)(r->gemm + r->block * need * r->size);
}

static int hy__rnn_bind_pass(hy_job *job, int back)
{
    hy__rnn *r = (hy__rnn *)(void *)&job->plan;
    const hy_tensor *x;
    int stage, stages;
    hy__rnn_read(job->attr, back, r);
    x = hy__rnn_tensor(job, r, HY__RNN_DATA);
    r->dtype = x->type.dtype;
    if (!hy__floating(r->dtype)) return hy__refuse_dtype(job, r->dtype);
    r->compute = r->dtype == HY_F64 ? HY_F64 : HY_F32;
    r->foreign = r->compute != r->dtype;
    r->size = hy__traits[r->compute].size;
    r->steps = x->type.shape.dim[0];
    r->batch = x->type.shape.dim[1];
    r->input = x->type.shape.dim[2];
    r->blocks = hy__pieces(r->batch, HY__RNN_BLOCK);
    if (r->blocks < 4) r->blocks = hy__gemm_min(4, hy__pieces(r->batch, HY__TILE_ROWS));
    r->block = r->blocks ? hy__pieces(r->batch, r->blocks) : 1;
    r->blocks = hy__pieces(r->batch, r->block);
    hy__rnn_layout(job, r);
    stages = hy__rnn_stages(r);
    job->run = hy__run_rnn;
    job->stages = stages < HY_MAX_STAGES ? stages : HY_MAX_STAGES;
    for (stage = 0; stage < job->stages; stage++) job->items[stage] = hy__rnn_items(r, job, stage);
    if (job->stages < stages) job->items[job->stages - 1] = 1;
    job->cost = (double)(r->steps * r->batch * r->layers * r->directions) * (double)r->gate * (back ? 2 : 1) *
                ((double)(r->input + r->width) / 40 + 1);
    return 0;
}

static int hy__rnn_infer(hy_infer *I) { return hy__rnn_infer_pass(I, 0); }
static int hy__rnn_bind(hy_job *job) { return hy__rnn_bind_pass(job, 0); }
static int hy___rnn_grad_infer(hy_infer *I) { return hy__rnn_infer_pass(I, 1); }
static int hy___rnn_grad_bind(hy_job *job) { return hy__rnn_bind_pass(job, 1); }

/* The options that make a call like the one recorded; 0 in an option would mean its default. */
static hy__rnn_grad_opt hy__rnn_options(const hy__rnn_rec *a)
{
    hy__rnn_grad_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.bidirectional = a->bidirectional;
    opt.p = a->p;
    opt.state_outputs = a->state_outputs;
    opt.projection_size = a->projection_size;
    opt.use_sequence_length = a->use_sequence_length;
    opt.clip_min = a->clip_min == 0 ? HY_ZERO : a->clip_min;
    opt.clip_max = a->clip_max == 0 ? HY_ZERO : a->clip_max;
    opt.clip_nan = a->clip_nan;
    return opt;
}

static int hy__rnn_diff(hy_frame *F, hy_diff *D)
{
    const hy__rnn_rec *a = (const hy__rnn_rec *)D->attr;
    hy__rnn_grad_opt opt = hy__rnn_options(a);
    int lstm = a->mode == HY_RNN_LSTM, visible = 1 + (a->state_outputs ? 1 + lstm : 0), i;
    hy_array *dy[3] = { NULL, NULL, NULL }, *all;
    for (i = 0; i < visible; i++) dy[i] = D->dy[i] ? D->dy[i] : hy_zeros_like(F, D->out[i]);
    all = hy__rnn_grad(F, dy[0], dy[1], dy[2], D->in[0], D->in[1], D->in[2], lstm ? D->in[3] : NULL,
                       a->use_sequence_length ? D->in[3 + lstm] : NULL, D->out[0], D->out[visible],
                       a->state_size, a->num_layers, a->mode, &opt);
    for (i = 0; i < 3 + lstm; i++) if (D->want[i]) D->dx[i] = hy_get(F, all, i);
    return 0;
}
static int hy___rnn_grad_diff(hy_frame *F, hy_diff *D) { HY_NO_GRADIENT; return 0; }
#define HY__ON_rnn       hy__rnn_infer, hy__rnn_bind, hy__rnn_diff, NULL
#define HY__ON__rnn_grad hy___rnn_grad_infer, hy___rnn_grad_bind, hy___rnn_grad_diff, NULL
#endif
#ifndef HYBRID_NO_VISION
/* --- convolution and pooling: windows from attributes --- */
enum { HY__SPACE = 3, HY__WINDOW_MOST = 1 << 24 };

static int hy__channels_last(int layout) { return layout >= HY_LAYOUT_NWC; }

/* Element d of a tuple attribute, which may be empty. */
static int64_t hy__tuple_at(const hy_ints *v, int d, int64_t missing) { return v->n > 0 ? v->v[d] : missing; }

static int hy__infer_tuple(hy_infer *I, const char *name, const hy_ints *v, int n, int64_t least)
{
    int d;
    if (v->n > 0 && v->n != n)
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "%s has %d numbers where %d are due", name, v->n, n);
    for (d = 0; d < v->n; d++)
        if (v->v[d] < least || v->v[d] > HY__WINDOW_MOST)
            return hy_infer_fail(I, HY_ERROR_ARGUMENT, "%s must lie in %l to %l: %l", name, least,
                                 (int64_t)HY__WINDOW_MOST, v->v[d]);
    return 0;
}

/* Checks what belongs to a window of n dims: 0, or -1 after an error. */
static int hy__infer_window(hy_infer *I, int n, const hy_ints *kernel, const hy_ints *stride,
                            const hy_ints *dilate,
                            const hy_ints *pad, int layout)
{
    int64_t taps = 1;
    int d;
    if (n < 1 || n > HY__SPACE)
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "the kernel has %d dims; 1, 2 or 3 are possible", n);
    if (layout != HY_LAYOUT_NONE && (layout - HY_LAYOUT_NCW) % HY__SPACE != n - 1)
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "the layout does not fit a kernel of %d dims", n);
    if (hy__infer_tuple(I, "kernel", kernel, n, 1) || hy__infer_tuple(I, "stride", stride, n, 1) ||
        hy__infer_tuple(I, "pad", pad, n, 0)) return -1;
    for (d = 0; d < kernel->n; d++) {
        taps *= kernel->v[d];
        if (taps > INT32_MAX) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "the kernel is too large");
    }
    return dilate ? hy__infer_tuple(I, "dilate", dilate, n, 1) : 0;
}

static int hy__infer_sizes(hy_infer *I, const hy_shape *s)       /* small enough for arithmetic on windows */
{
    int d;
    for (d = 0; d < s->ndim; d++)
        if (s->dim[d] > (int64_t)1 << 36) return hy_infer_fail(I, HY_ERROR_SHAPE, "%z is too large", s);
    return 0;
}

/* The first output's batch is that of input 0; all other inputs are shared. */
static int hy__batch_split(const hy_job *job, int axis, hy_slicing *s)
{
    int i;
    for (i = 0; i < job->nin; i++) s->axis[i] = i ? -1 : 0;
    return axis == 0;
}

/* --- convolution: one relation in three directions --- *
 *     coarse(n, o, q) = sum over channels i of o's group and taps k of fine(n, i, p) weight(o, i, k)
 *     p = q stride + k dilate - pad
 * Convolution goes to the coarse side, deconvolution to the fine side, the third direction to the weight
 * (coarse channels, fine channels / group, taps) or, channels last, (coarse channels, taps, fine ...). */
typedef struct hy__conv_attr {
    const hy_ints *kernel, *stride, *dilate, *pad;
    int            n, filters, groups, last;
} hy__conv_attr;

#define HY__CONV_ATTR(a, r) \
    ((a)->kernel = &(r)->kernel, (a)->stride = &(r)->stride, (a)->dilate = &(r)->dilate, \
     (a)->pad = &(r)->pad, \
     (a)->n = (r)->kernel.n, (a)->filters = (r)->num_filter, (a)->groups = (r)->num_group, \
     (a)->last = hy__channels_last((r)->layout))

static int64_t hy__extent(const hy__conv_attr *a, int d)  /* places from a kernel's first tap to its last */
{
    return hy__tuple_at(a->dilate, d, 1) * (a->kernel->v[d] - 1) + 1;
}

static int hy__infer_conv_attr(hy_infer *I, const hy__conv_attr *a, int layout)
{
    if (hy__infer_window(I, a->n, a->kernel, a->stride, a->dilate, a->pad, layout)) return -1;
    if (a->filters < 1) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "num_filter is %d", a->filters);
    if (a->groups < 1) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "num_group is %d", a->groups);
    if (a->filters % a->groups)
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "num_filter %d is not a multiple of num_group %d",
                             a->filters, a->groups);
    return 0;
}

/* Ranks, batch and channels. first: the side whose channels lead the weight; second: the other one. */
static int hy__infer_conv_channels(hy_infer *I, const hy__conv_attr *a, hy_shape *first, hy_shape *second,
                                   hy_shape *w)
{
    int c = a->last ? a->n + 1 : 1, d, round;
    hy_infer_shape(I, first, hy__rank(a->n + 2));
    hy_infer_shape(I, second, hy__rank(a->n + 2));
    hy_infer_shape(I, w, hy__rank(a->n + 2));
    if (I->status < 0) return -1;
    for (d = 0; d < a->n; d++) hy_infer_dim(I, &w->dim[d + (a->last ? 1 : 2)], a->kernel->v[d]);
    for (round = 0; round < 2; round++) {
        hy_infer_dim(I, &first->dim[0], second->dim[0]);
        hy_infer_dim(I, &second->dim[0], first->dim[0]);
        hy_infer_dim(I, &w->dim[0], first->dim[c]);
        hy_infer_dim(I, &first->dim[c], w->dim[0]);
        if (second->dim[c] >= 0 && second->dim[c] % a->groups)
            return hy_infer_fail(I, HY_ERROR_SHAPE, "%l channels are not a multiple of num_group %d",
                                 second->dim[c], a->groups);
        if (second->dim[c] >= 0) hy_infer_dim(I, &w->dim[c], second->dim[c] / a->groups);
        else if (w->dim[c] >= 0 && w->dim[c] < (int64_t)1 << 36)
            hy_infer_dim(I, &second->dim[c], w->dim[c] * a->groups);
    }
    if (first->dim[c] >= 0 && first->dim[c] % a->groups)
        return hy_infer_fail(I, HY_ERROR_SHAPE, "%l channels are not a multiple of num_group %d",
                             first->dim[c], a->groups);
    return hy__infer_sizes(I, first) || hy__infer_sizes(I, second) ? -1 : 0;
}

/* coarse = floor((fine + 2 pad - extent) / stride) + 1, and back where the stride is 1. */
static int hy__infer_conv_places(hy_infer *I, const hy__conv_attr *a, hy_shape *fine, hy_shape *coarse)
{
    int d;
    for (d = 0; d < a->n; d++) {
        int64_t *from = &fine->dim[d + (a->last ? 1 : 2)], *to = &coarse->dim[d + (a->last ? 1 : 2)];
        int64_t room = 2 * hy__tuple_at(a->pad, d, 0) - hy__extent(a, d), s = hy__tuple_at(a->stride, d, 1);
        if (*from >= 0 && *from + room < 0)
            return hy_infer_fail(I, HY_ERROR_SHAPE,
                                 "kernel size exceed input: %l places, padded to %l, for a kernel of %l",
                                 *from, *from + 2 * hy__tuple_at(a->pad, d, 0), hy__extent(a, d));
        if (*from >= 0) hy_infer_dim(I, to, (*from + room) / s + 1);
        else if (s == 1 && *to >= 0 && *to > room) hy_infer_dim(I, from, *to - 1 - room);
    }
    return I->status;
}

static int hy__infer_bias(hy_infer *I, int filters)
{
    if (I->nin > 2) hy_infer_shape(I, &I->in[2].shape, hy__shape1(filters));
    return I->status;
}

/* --- how it runs --- *
 * The loops know channels first and one type; other layouts and types are brought there by a stage before and
 * a stage after. Unrolled rows of the fine side (im2col) turn every direction into matrix products. */
enum { HY__CONV_COARSE, HY__CONV_FINE, HY__CONV_WEIGHT };
/* Items wanted, elements of partial sums allowed, columns unrolled at a time. */
enum { HY__CONV_UNITS = 20, HY__CONV_PARTIAL = 1 << 22, HY__STRIP_COLS = 512 };
enum { HY__CONV_IN_PLACE, HY__CONV_SHARED, HY__CONV_SCRATCH };
typedef struct hy__conv {
    hy__window win;
    hy__gemm   gemm;
    int64_t    images, groups, fine_c, coarse_c;        /* channels per group */
    int64_t    fine_n, coarse_n, taps;
    int64_t    block, blocks, bands, parts, column;     /* what makes an item, as each direction has it */
    hy_dtype   compute;
    int        direction, way, foreign, last, pointwise;
} hy__conv;
typedef char hy__conv_fits[sizeof(hy__conv) <= sizeof(((hy_job *)0)->plan) ? 1 : -1];
typedef struct hy__conv_data { char *fine, *coarse, *weight; const hy_tensor *bias; } hy__conv_data;

/* Rows of C begin with their channel's bias. */
static void hy__conv_bias(const hy__conv *v, const hy_tensor *bias, int64_t channel, char *c, int64_t step,
                          int64_t rows, int64_t cols)
{
    int size = hy__traits[bias->type.dtype].size;
    int64_t i;
    for (i = 0; i < rows; i++)
        hy__load_tile(v->compute, c + i * step * hy__traits[v->compute].size,
                      (const char *)bias->data + (channel + i) * size, bias->type.dtype, 0, cols);
}

/* y_g (coarse_c, q) = W_g (coarse_c, fine_c taps) col (fine_c taps, q) */
static void hy__conv_coarse(const hy__conv *v, const hy__conv_data *d, int stage, int64_t item, char *scratch,
                            char *shared)
{
    const int64_t size = hy__traits[v->compute].size, depth = v->fine_c * v->taps;
    int64_t unit = item / v->blocks, part = item % v->blocks, first, rows, col, cols, i;
    const char *x, *w = d->weight + unit % v->groups * v->coarse_c * depth * size;
    char *y = d->coarse + unit * v->coarse_c * v->coarse_n * size, *panels;
    hy__gemm g = v->gemm;
    if (v->way == HY__CONV_SHARED && stage == 0) {              /* some channels of an image */
        unit = item / v->parts;
        first = v->fine_c * (item % v->parts) / v->parts;
        rows = v->fine_c * (item % v->parts + 1) / v->parts - first;
        panels = shared + unit * v->bands + first * v->taps * g.panel * size;
        hy__im2col(&v->win, size, d->fine + (unit * v->fine_c + first) * v->fine_n * size, rows, 0,
                   v->coarse_n, g.panel, depth, g.use_dots ? 0 : g.isa->lanes, panels);
        return;
    }
    x = d->fine + unit * v->fine_c * v->fine_n * size;
    if (v->way != HY__CONV_SCRATCH) {                           /* one item of the product */
        panels = shared + unit * v->bands;
        hy__matmul_region(&g, part, &first, &rows, &col, &cols);
        if (d->bias) hy__conv_bias(v, d->bias, unit % v->groups * v->coarse_c + first,
                                   y + (first * v->coarse_n + col) * size, v->coarse_n, rows, cols);
        hy__gemm_run(&g, w, v->way == HY__CONV_SHARED ? panels : x, y, part, scratch, panels);
        return;
    }
    first = part * v->block;                                    /* all rows of some columns */
    g = hy__gemm_narrow(&g, hy__gemm_min(v->block, v->coarse_n - first));
    panels = scratch + hy__round64(g.scratch_bytes);
    y += first * size;
    hy__im2col(&v->win, size, x, v->fine_c, first, g.n, g.panel, depth, g.use_dots ? 0 : g.isa->lanes,
               panels);
    if (d->bias) hy__conv_bias(v, d->bias, unit % v->groups * v->coarse_c, y, v->coarse_n, v->coarse_c, g.n);
    for (i = 0; i < g.items; i++) hy__gemm_run(&g, w, panels, y, i, scratch, panels);
}

static void hy__conv_plan_gemm(const hy_job *job, const hy__conv *v, hy__gemm *g)
{
    if (v->compute == HY_F32) hy__gemm_plan_f32(g, job->kernels->isa - HY_ISA_BASE);
    else hy__gemm_plan_f64(g, job->kernels->isa - HY_ISA_BASE);
}

/* Elements that fit a core's L2 beside what else must be there. */
static int64_t hy__conv_strip(const hy__gemm *g) { return (int64_t)g->isa->lanes * HY__STRIP_LANE; }

static void hy__conv_bind_coarse(hy_job *job, hy__conv *v)
{
    hy__gemm *g = &v->gemm;
    const int64_t units = v->images * v->groups, depth = v->fine_c * v->taps;
    const int64_t size = hy__traits[v->compute].size;
    int64_t widest, panels, stage = job->stages;
    g->m = v->coarse_c;
    g->n = v->coarse_n;
    g->k = g->a_row = depth;
    g->a_col = g->b_col = 1;
    g->b_row = g->c_row = v->coarse_n;
    hy__conv_plan_gemm(job, v, g);
    v->blocks = hy__gemm_max(g->items, 1);
    job->scratch = g->scratch_bytes;
    job->stages++;
    job->items[stage] = units * g->items;
    v->way = HY__CONV_IN_PLACE;
    v->bands = 0;
    if (v->pointwise && g->b_place == HY__B_IN_PLACE && g->items) return;
    panels = hy__gemm_ceil(v->coarse_n, g->panel);
    if (!g->use_dots) g->b_place = HY__B_IN_SHARED;
    if (units * panels < HY__CONV_UNITS && g->items > 1) {      /* few columns: all workers share them */
        v->way = HY__CONV_SHARED;
        v->parts = hy__clamp_i64(depth * v->coarse_n / HY__CHUNK, 1, v->fine_c);
        v->bands = (int64_t)hy__round64((size_t)(panels * g->panel * depth * size));
        job->items[stage] = units * v->parts;
        job->items[job->stages++] = units * g->items;
        job->shared += (size_t)(units * v->bands);
        return;
    }
    v->way = HY__CONV_SCRATCH;
    widest = hy__conv_strip(g) / (depth + 1) / g->panel;
    widest = hy__clamp_i64(widest, 1, hy__gemm_max(HY__STRIP_COLS / g->panel, 1));
    while (widest > 1 && units * hy__gemm_ceil(panels, widest) < HY__CONV_UNITS) widest--;
    v->block = widest * g->panel;
    v->blocks = hy__gemm_max(hy__gemm_ceil(v->coarse_n, v->block), 1);
    g->n = hy__gemm_min(v->block, v->coarse_n);
    job->items[stage] = v->coarse_n ? units * v->blocks : 0;
    job->scratch = hy__round64(g->scratch_bytes) + (size_t)(v->block * depth * size);
}

/* Fine places [low, high) of the leading dim and the coarse places that reach them. */
static int hy__conv_lead(const hy__window *w)
{
    return w->coarse[0] * w->fine[0] > 1 ? 0 : w->coarse[1] * w->fine[1] > 1 ? 1 : 2;
}

static void hy__conv_reach(const hy__window *w, int lead, int64_t low, int64_t high, int64_t *first,
                           int64_t *end)
{
    int64_t s = w->stride[lead], before = low + w->pad[lead] - w->dilate[lead] * (w->kernel[lead] - 1);
    *first = before > 0 ? (before + s - 1) / s : 0;
    *end = hy__gemm_min((high - 1 + w->pad[lead]) / s + 1, w->coarse[lead]);
    if (*end < *first) *end = *first;
}

/* col (fine channels of the block taps, q) = W_g^T (.., coarse_c) x_g (coarse_c, q), and each row of it is
 * added to where its tap points. An item owns some channels of one band of fine places. */
static void hy__conv_fine(const hy__conv *v, const hy__conv_data *d, int stage, int64_t item, char *scratch,
                          char *shared)
{
    const int64_t size = hy__traits[v->compute].size;
    int64_t band = item % v->bands, block = item / v->bands % v->blocks, unit = item / v->bands / v->blocks;
    int64_t channel = v->fine_c * block / v->blocks, channels = v->fine_c * (block + 1) / v->blocks - channel;
    int64_t first, end, inner = 1, width = 1, i;
    hy__window w = v->win;
    hy__gemm g;
    char *y, *col;
    const char *x, *weight = d->weight + (unit % v->groups * v->coarse_c * v->fine_c + channel) * v->taps *
        size;
    int lead = hy__conv_lead(&w), k;
    (void)stage; (void)shared;
    w.low[lead] = w.fine[lead] * band / v->bands;
    w.high[lead] = w.fine[lead] * (band + 1) / v->bands;
    for (k = lead + 1; k < HY__SPACE; k++) { inner *= w.coarse[k]; width *= w.fine[k]; }
    hy__conv_reach(&w, lead, w.low[lead], w.high[lead], &first, &end);
    first *= inner;
    g = hy__gemm_narrow(&v->gemm, end * inner - first);
    g.m = channels * v->taps;
    g.row_blocks = hy__gemm_ceil(g.m, g.row_block);
    g.items = g.items ? g.row_blocks * g.col_blocks : 0;
    x = d->coarse + (unit * v->coarse_c * v->coarse_n + first) * size;
    y = d->fine + (unit * v->fine_c + channel) * v->fine_n * size;
    col = scratch + hy__round64(hy__gemm_need(&v->gemm));
    for (i = 0; i < channels; i++) {
        char *to = y + (i * v->fine_n + w.low[lead] * width) * size;
        int64_t n = (w.high[lead] - w.low[lead]) * width;
        if (d->bias) hy__conv_bias(v, d->bias, unit % v->groups * v->fine_c + channel + i, to, 0, 1, n);
        else memset(to, 0, (size_t)(n * size));
    }
    if (!g.n || !g.items) return;
    if (v->pointwise) { hy__gemm_all(&g, weight, x, y + first * size, scratch); return; }
    hy__gemm_all(&g, weight, x, col, scratch);
    hy__col2im(&w, size, y, channels, first, g.n, g.c_row, col);
}

static void hy__conv_bind_fine(hy_job *job, hy__conv *v)
{
    hy__gemm *g = &v->gemm;
    hy__window *w = &v->win;
    int lead = hy__conv_lead(w), k;
    int64_t inner = 1, units = v->images * v->groups, channels, reach, first, end, band, col, limit;
    for (k = lead + 1; k < HY__SPACE; k++) inner *= w->coarse[k];
    reach = w->dilate[lead] * (w->kernel[lead] - 1) + 1;
    v->blocks = v->bands = 1;
    for (;;) {                                              /* smaller items until they fit and suffice */
        channels = hy__gemm_max(hy__gemm_ceil(v->fine_c, v->blocks), 1);
        band = hy__gemm_max(hy__gemm_ceil(w->fine[lead], v->bands), 1);
        hy__conv_reach(w, lead, 0, band, &first, &end);
        col = hy__gemm_min(w->coarse[lead], (band + reach) / w->stride[lead] + 1) * inner;
        limit = (int64_t)(job->kernels->isa == HY_ISA_AVX512 ? 16 : 8) * HY__STRIP_LANE;
        if (channels * v->taps * col <= limit && units * v->blocks * v->bands >= HY__CONV_UNITS) break;
        if (channels * v->taps > 36 && channels > 1) v->blocks = hy__gemm_min(2 * v->blocks, v->fine_c);
        else if (band > 4 * reach && band * inner > 128) v->bands *= 2;
        else if (channels > 1 && channels * v->taps * col > limit) v->blocks = hy__gemm_min(2 * v->blocks,
                v->fine_c);
        else break;
    }
    g->m = channels * v->taps;
    g->n = col;
    g->k = v->coarse_c;
    g->a_row = 1;
    g->a_col = v->fine_c * v->taps;
    g->b_row = v->coarse_n;
    g->b_col = 1;
    g->c_row = v->pointwise ? v->fine_n : col;
    g->accumulate = v->pointwise;
    hy__conv_plan_gemm(job, v, g);
    job->scratch = hy__round64(hy__gemm_need(g)) + (size_t)(v->pointwise ? 0 : g->m * col *
                                                            hy__traits[v->compute].size);
    job->items[job->stages++] = v->fine_n ? units * v->blocks * v->bands : 0;
}

/* One term of the weight's gradient: `channels` fine channels, k coarse places. */
static void hy__conv_plan_weight(const hy__conv *v, hy__gemm *g, int64_t channels, int64_t k, int accumulate)
{
    g->m = v->coarse_c;
    g->n = channels * v->taps;
    g->k = k;
    g->a_row = v->coarse_n;
    g->a_col = g->b_row = 1;
    g->b_col = v->pointwise ? v->fine_n : k;
    g->c_row = v->fine_c * v->taps;
    g->accumulate = accumulate;
    hy__gemm_plan(g, g->isa, (int)hy__traits[v->compute].size);
}

/* dW_g (coarse_c, fine channels of the block taps) = sum over images and pieces of q of y_g (coarse_c, q)
 * col^T. Parts of that sum go to the shared memory; a second stage adds them in order. */
static void hy__conv_weight(const hy__conv *v, const hy__conv_data *d, int stage, int64_t item, char *scratch,
                            char *shared)
{
    const int64_t size = hy__traits[v->compute].size, row = v->fine_c * v->taps,
        whole = v->groups * v->coarse_c * row;
    const int64_t pieces = hy__gemm_ceil(v->coarse_n, v->bands), terms = v->images * pieces;
    int64_t part = item % v->parts, block = item / v->parts % v->blocks, group = item / v->parts / v->blocks,
        i;
    int64_t channel = v->fine_c * block / v->blocks, channels = v->fine_c * (block + 1) / v->blocks - channel;
    int64_t low = terms * part / v->parts, high = terms * (part + 1) / v->parts;
    char *w = (v->parts > 1 ? shared + part * whole * size : d->weight) + (group * v->coarse_c * row +
            channel * v->taps) * size;
    hy__gemm g = v->gemm;
    if (stage > 0) {
        int64_t at = item * HY__CHUNK, n = hy__gemm_min(whole - at, HY__CHUNK);
        memcpy(d->weight + at * size, shared + at * size, (size_t)(n * size));
        for (part = 1; part < v->parts; part++) {
            const char *more = shared + (part * whole + at) * size;
            if (size == 4) hy__add_f32((float *)(void *)d->weight + at, 1, (const float *)(const void *)more,
                                       n);
            else hy__add_f64((double *)(void *)d->weight + at, 1, (const double *)(const void *)more, n);
        }
        return;
    }
    if (low == high) for (i = 0; i < v->coarse_c; i++)
        memset(w + i * row * size, 0, (size_t)(channels * v->taps * size));
    for (i = low; i < high; i++) {
        int64_t unit = i / pieces * v->groups + group, first = i % pieces * v->bands;
        const char *x = d->fine + (unit * v->fine_c + channel) * v->fine_n * size;
        hy__conv_plan_weight(v, &g, channels, hy__gemm_min(v->bands, v->coarse_n - first), i > low);
        if (v->pointwise) x += first * size;
        else {
            char *col = scratch + v->column;
            hy__im2col(&v->win, size, x, channels, first, g.k, g.k, 1, 0, col);
            x = col;
        }
        hy__gemm_all(&g, d->coarse + (unit * v->coarse_c * v->coarse_n + first) * size, x, w, scratch);
    }
}

static void hy__conv_bind_weight(hy_job *job, hy__conv *v)
{
    hy__gemm *g = &v->gemm;
    int64_t row = v->fine_c * v->taps, whole = v->groups * v->coarse_c * row,
        size = hy__traits[v->compute].size;
    int64_t terms, last, k;
    size_t need = 0;
    g->m = g->n = g->k = g->a_row = g->a_col = g->b_row = g->b_col = g->c_row = 1;
    g->accumulate = 0;
    hy__conv_plan_gemm(job, v, g);                              /* for its isa */
    v->bands = hy__gemm_max(hy__gemm_ceil(v->coarse_n, hy__gemm_ceil(v->coarse_n + !v->coarse_n, HY__LINE)),
                            1);
    terms = v->images * hy__gemm_ceil(v->coarse_n, v->bands);
    v->parts = hy__gemm_min(terms, hy__gemm_ceil(HY__CONV_UNITS, v->groups));
    v->parts = hy__clamp_i64(v->parts, 1, hy__gemm_max(HY__CONV_PARTIAL / (whole + 1), 1));
    for (v->blocks = 1; v->groups * v->blocks * v->parts < HY__CONV_UNITS && row > 64 * v->blocks &&
         2 * v->blocks <= v->fine_c; )
        v->blocks *= 2;
    last = v->coarse_n - (hy__gemm_ceil(v->coarse_n, v->bands) - 1) * v->bands;
    for (k = 0; k < 8; k++) {
        hy__conv_plan_weight(v, g, v->fine_c / v->blocks + (k & 1), k & 2 ? last : v->bands, k >> 2);
        if (hy__gemm_need(g) > need) need = hy__gemm_need(g);
    }
    v->column = (int64_t)hy__round64(need);
    job->scratch = (size_t)v->column + (v->pointwise ? 0 : (size_t)((v->fine_c / v->blocks + 1) * v->taps *
                                                                    v->bands * size));
    job->items[job->stages++] = v->groups * v->blocks * v->parts;
    if (v->parts == 1) return;
    job->items[job->stages++] = hy__pieces(whole, HY__CHUNK);
    job->shared += (size_t)(v->parts * whole * size);
}

/* --- one channel per group --- *
 * Needs no layout and no type of its own: planes are read and written as they lie. `flip` turns the taps
 * round, which is how a deconvolution of stride 1 becomes a convolution. */
#define HY__PLANES_WORK (1 << 15)       /* nanoseconds of planes that make an item, roughly */
typedef struct hy__depthwise {
    hy__window win;                     /* of the convolution that runs */
    int64_t    channels, each, planes;  /* fine channels, outputs of each, images * channels */
    int64_t    split[HY__SPACE];        /* places per dim of a part of the padded plane */
    int64_t    part, taps, flat;  /* places of a part, taps, output places counted in the parts' strides */
    int64_t    together, column;        /* planes of an item, bytes of all parts */
    hy_dtype   compute;
    int        flip, last;
    hy__taps_f32_fn fn;
} hy__depthwise;

/* Fills the parts with the padded plane: part r holds the places that are r modulo the stride. */
static void hy__depthwise_split(const hy__depthwise *v, const hy__planes *x, const char *plane, char *parts)
{
    const hy__window *w = &v->win;
    int64_t size = hy__traits[v->compute].size, r, z, y, at[3], q[3], place[3], n, low, high;
    int64_t count = hy__window_size(w->stride);
    memset(parts, 0, (size_t)((count * v->part) * size));
    for (r = 0; r < count; r++) {
        hy__window_place(w->stride, r, at);
        for (z = 0; z < v->split[0]; z++)
            for (y = 0; y < v->split[1]; y++) {
                q[0] = z;
                q[1] = y;
                for (n = 0; n < 2; n++) place[n] = q[n] * w->stride[n] + at[n] - w->pad[n];
                if (place[0] < 0 || place[0] >= w->fine[0] || place[1] < 0 || place[1] >= w->fine[1])
                    continue;
                place[2] = at[2] - w->pad[2];
                low = place[2] < 0 ? (-place[2] + w->stride[2] - 1) / w->stride[2] : 0;
                high = w->fine[2] > place[2] ? (w->fine[2] - 1 - place[2]) / w->stride[2] + 1 : 0;
                if (high > v->split[2]) high = v->split[2];
                if (low >= high) continue;
                place[2] += low * w->stride[2];
                hy__load_tile(v->compute, parts + (r * v->part + (z * v->split[1] + y) * v->split[2] + low) *
                              size, plane + ((place[0] * w->fine[1] + place[1]) * w->fine[2] + place[2]) *
                                  x->step_p * x->size,
                              x->dtype, x->step_p * w->stride[2], high - low);
            }
    }
}

/* Where each tap reads, from the place of its output. */
static void hy__depthwise_offsets(const hy__depthwise *v, int64_t *offset)
{
    const hy__window *w = &v->win;
    int64_t t, tap[HY__SPACE], inside, part, d;
    for (t = 0; t < v->taps; t++) {
        hy__window_place(w->kernel, t, tap);
        for (inside = part = d = 0; d < HY__SPACE; d++) {
            part = part * w->stride[d] + tap[d] * w->dilate[d] % w->stride[d];
            inside = inside * v->split[d] + tap[d] * w->dilate[d] / w->stride[d];
        }
        offset[t] = part * v->part + inside;
    }
}

/* One output channel from the parts of its plane; bias NULL is 0. */
static void hy__depthwise_channel(const hy__depthwise *v, const int64_t *offset, const char *parts,
                                  const char *weight,
                                  const char *bias, const hy__planes *y, char *to, char *line)
{
    const hy__window *w = &v->win;
    int64_t size = hy__traits[v->compute].size, z, row;
    char *taps = line + hy__round64((size_t)(v->flat * size));
    if (bias) hy__load_tile(v->compute, line, bias, y->dtype, 0, v->flat);
    else memset(line, 0, (size_t)(v->flat * size));
    hy__load_tile(v->compute, taps, v->flip ? weight + (v->taps - 1) * y->size : weight, y->dtype,
                  v->flip ? -1 : 1, v->taps);
    if (v->compute == HY_F64) hy__taps_f64((double *)(void *)line, (const double *)(const void *)parts,
                                           offset, (const double *)(void *)taps, v->taps, v->flat);
    else v->fn((float *)(void *)line, (const float *)(const void *)parts, offset, (const float *)(void *)taps,
               v->taps, v->flat);
    for (z = 0; z < w->coarse[0]; z++)
        for (row = 0; row < w->coarse[1]; row++, to += w->coarse[2] * y->step_p * y->size)
            hy__store_tile(v->compute, to, y->dtype, y->step_p, line + (z * v->split[1] + row) * v->split[2] *
                           size, w->coarse[2]);
}

static void hy__run_depthwise(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__depthwise *v = (const hy__depthwise *)(const void *)&job->plan;
    const hy__planes x = hy__planes_of(&job->in[0], v->last), y = hy__planes_of(&job->out[0], v->last);
    int64_t plane = item * v->together, end = hy__gemm_min(plane + v->together, v->planes), j, channel;
    int64_t *offset = (int64_t *)scratch;
    char *parts = (char *)(offset + v->taps), *line = parts + v->column;
    (void)stage; (void)shared;
    hy__depthwise_offsets(v, offset);
    for (; plane < end; plane++) {
        hy__depthwise_split(v, &x, (const char *)job->in[0].data + hy__plane_at(&x, plane), parts);
        for (j = 0; j < v->each; j++) {
            channel = plane % v->channels * v->each + j;
            hy__depthwise_channel(v, offset, parts, (const char *)job->in[1].data + channel * v->taps *
                                  x.size,
                                  job->nin > 2 ? (const char *)job->in[2].data + channel * x.size : NULL, &y,
                                  (char *)job->out[0].data + hy__plane_at(&y, plane * v->each + j), line);
        }
    }
}

/* 0, or 1 where padding would make the planes much larger than they are. */
static int hy__depthwise_bind(hy_job *job, const hy__conv *conv)
{
    hy__depthwise plan, *v = &plan;
    int64_t size = hy__traits[conv->compute].size;
    double padded = 1, work;
    int d;
    v->win = conv->win;
    v->flip = conv->direction == HY__CONV_FINE;
    for (d = 0; d < HY__SPACE; d++) {
        if (v->flip) {
            v->win.fine[d] = conv->win.coarse[d];
            v->win.coarse[d] = conv->win.fine[d];
            v->win.pad[d] = conv->win.dilate[d] * (conv->win.kernel[d] - 1) - conv->win.pad[d];
        }
        v->split[d] = v->win.coarse[d] + v->win.dilate[d] * (v->win.kernel[d] - 1) / v->win.stride[d];
        padded *= (double)v->split[d] * (double)v->win.stride[d];
    }
    if (padded > 4096 + 4 * (double)(conv->fine_n + conv->coarse_n)) return 1;
    v->channels = conv->groups;
    v->each = conv->coarse_c;
    v->planes = conv->images * conv->groups;
    v->part = hy__window_size(v->split);
    v->taps = conv->taps;
    v->flat = ((v->win.coarse[0] - 1) * v->split[1] + v->win.coarse[1] - 1) * v->split[2] + v->win.coarse[2];
    if (!hy__window_size(v->win.coarse)) v->flat = 0;
    v->compute = conv->compute;
    v->last = conv->last;
    v->fn = hy__taps_f32;
#if HY__X86
    if (job->kernels->isa == HY_ISA_AVX2) v->fn = hy__taps_f32_avx2;
    if (job->kernels->isa == HY_ISA_AVX512) v->fn = hy__taps_f32_avx512;
#endif
    v->column = (int64_t)hy__round64((size_t)(hy__window_size(v->win.stride) * v->part * size));
    work = (double)v->each * (double)v->flat * (0.2 + 0.1 * (double)v->taps) + (double)(v->column / size);
    v->together = work < HY__PLANES_WORK ? (int64_t)(HY__PLANES_WORK / (work + 1)) : 1;
    memcpy(&job->plan, v, sizeof *v);
    hy__one_stage(job, hy__run_depthwise, v->flat > 0 ? hy__pieces(v->planes, v->together) : 0,
                  (double)v->planes * work);
    job->scratch = (size_t)(v->taps * 16 + v->column) + hy__round64((size_t)(v->flat * size));
    return 0;
}

/* --- all directions: bring data here, work, bring the result back --- */
static void hy__run_conv(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__conv *v = (const hy__conv *)(const void *)&job->plan;
    hy_tensor *t[HY__SPACE];            /* fine, coarse, weight */
    char *data[HY__SPACE], *common = (char *)shared;
    hy__conv_data d;
    int i, out = v->direction == HY__CONV_COARSE ? 1 : v->direction == HY__CONV_FINE ? 0 : 2;
    t[0] = v->direction == HY__CONV_FINE ? &job->out[0] : &job->in[0];
    t[1] = v->direction == HY__CONV_COARSE ? &job->out[0] : v->direction == HY__CONV_FINE ? &job->in[0]
        : &job->in[1];
    t[2] = v->direction == HY__CONV_WEIGHT ? &job->out[0] : &job->in[1];
    for (i = 0; i < 3; i++) {
        data[i] = (char *)t[i]->data;
        if (!v->foreign) continue;
        data[i] = common;
        common += hy__round64((size_t)hy__size(&t[i]->type.shape) * (size_t)hy__traits[v->compute].size);
    }
    if (v->foreign && (stage == 0 || stage == job->stages - 1)) {
        for (i = 0; i < 3; i++) {
            hy__planes p = hy__planes_of(t[i], v->last);
            if ((i == out) != (stage > 0)) continue;
            if (item < hy__planes_items(&p)) {
                hy__planes_copy(&p, v->compute, (char *)t[i]->data, data[i], item, stage > 0);
                return;
            }
            item -= hy__planes_items(&p);
        }
        return;
    }
    d.fine = data[0];
    d.coarse = data[1];
    d.weight = data[2];
    d.bias = job->nin > 2 ? &job->in[2] : NULL;
    stage -= v->foreign;
    if (v->direction == HY__CONV_COARSE) hy__conv_coarse(v, &d, stage, item, (char *)scratch, common);
    else if (v->direction == HY__CONV_FINE) hy__conv_fine(v, &d, stage, item, (char *)scratch, common);
    else hy__conv_weight(v, &d, stage, item, (char *)scratch, common);
}

/* Sizes of both sides into the window; the channels of each go to the plan. */
static void hy__conv_window(hy__conv *v, const hy__conv_attr *a, const hy_tensor *fine,
                            const hy_tensor *coarse)
{
    hy__window *w = &v->win;
    int d, k;
    for (d = 0; d < HY__SPACE; d++) {
        k = d - (HY__SPACE - a->n);                             /* dim of the attributes; negative: trivial */
        w->fine[d] = k < 0 ? 1 : fine->type.shape.dim[k + (a->last ? 1 : 2)];
        w->coarse[d] = k < 0 ? 1 : coarse->type.shape.dim[k + (a->last ? 1 : 2)];
        w->kernel[d] = k < 0 ? 1 : a->kernel->v[k];
        w->stride[d] = k < 0 ? 1 : hy__tuple_at(a->stride, k, 1);
        w->dilate[d] = k < 0 ? 1 : hy__tuple_at(a->dilate, k, 1);
        w->pad[d] = k < 0 ? 0 : hy__tuple_at(a->pad, k, 0);
        w->low[d] = 0;
        w->high[d] = w->fine[d];
    }
    v->images = fine->type.shape.dim[0];
    v->groups = a->groups;
    v->fine_c = fine->type.shape.dim[a->last ? a->n + 1 : 1] / a->groups;
    v->coarse_c = coarse->type.shape.dim[a->last ? a->n + 1 : 1] / a->groups;
    v->fine_n = hy__window_size(w->fine);
    v->coarse_n = hy__window_size(w->coarse);
    v->taps = hy__window_size(w->kernel);
}

static int hy__conv_bind(hy_job *job, const hy__conv_attr *a, int direction)
{
    hy__conv *v = (hy__conv *)(void *)&job->plan;
    const hy_tensor *out = &job->out[0], *fine = direction == HY__CONV_FINE ? out : &job->in[0];
    const hy_tensor *coarse = direction == HY__CONV_COARSE ? out : &job->in[direction == HY__CONV_WEIGHT];
    const hy__window *w = &v->win;
    int d, flips = 1, i;
    hy__conv_window(v, a, fine, coarse);
    v->direction = direction;
    v->last = a->last;
    v->compute = hy__matmul_type(out->type.dtype);
    v->foreign = v->last || v->compute != out->type.dtype;
    v->pointwise = v->taps == 1;
    for (d = 0; d < HY__SPACE; d++) {
        v->pointwise &= w->stride[d] == 1 && w->pad[d] == 0;
        flips &= w->stride[d] == 1 && w->pad[d] <= w->dilate[d] * (w->kernel[d] - 1);
    }
    if (v->fine_c == 1 && !v->pointwise &&
        (direction == HY__CONV_COARSE || (direction == HY__CONV_FINE && flips && v->coarse_c == 1))) {
        hy__conv copy = *v;
        if (!hy__depthwise_bind(job, &copy)) return 0;
    }
    job->run = hy__run_conv;
    job->stages = v->foreign;
    v->gemm.accumulate = job->nin > 2;
    if (v->foreign) {
        job->items[0] = 0;
        for (i = 0; i < 3; i++) {
            const hy_tensor *t = i < 2 ? &job->in[i] : out;
            hy__planes p = hy__planes_of(t, v->last);
            if (i < 2) job->items[0] += hy__planes_items(&p);
            job->shared += hy__round64((size_t)hy__size(&t->type.shape) *
                                       (size_t)hy__traits[v->compute].size);
        }
    }
    if (direction == HY__CONV_COARSE) hy__conv_bind_coarse(job, v);
    else if (direction == HY__CONV_FINE) hy__conv_bind_fine(job, v);
    else hy__conv_bind_weight(job, v);
    if (v->foreign) {
        hy__planes p = hy__planes_of(out, v->last);
        job->items[job->stages++] = hy__planes_items(&p);
    }
    job->cost = (double)v->images * (double)v->groups * (double)v->coarse_c * (double)v->coarse_n *
        (double)v->fine_c *
                (double)v->taps / 30 + (double)(hy__size(&fine->type.shape) + hy__size(&coarse->type.shape)) +
                    200;
    return 0;
}

static int hy__convolution_infer(hy_infer *I)
{
    const hy__convolution_rec *r = (const hy__convolution_rec *)I->attr;
    hy_shape *x = &I->in[0].shape, *w = &I->in[1].shape, *y = &I->out[0].shape;
    hy__conv_attr a;
    HY__CONV_ATTR(&a, r);
    hy__same_types(I);
    if (hy__infer_conv_attr(I, &a, r->layout) || hy__infer_conv_channels(I, &a, y, x, w)) return -1;
    hy_infer_dim(I, &y->dim[a.last ? a.n + 1 : 1], a.filters);
    hy_infer_dim(I, &w->dim[0], a.filters);
    hy__infer_conv_places(I, &a, x, y);
    return hy__infer_bias(I, a.filters);
}
static int hy__convolution_bind(hy_job *job)
{
    hy__conv_attr a;
    HY__CONV_ATTR(&a, (const hy__convolution_rec *)job->attr);
    return hy__conv_bind(job, &a, HY__CONV_COARSE);
}

/* Options of one direction from the record of another: all but what only it has. */
#define HY__CONV_OPT(o, r) \
    (memset(&(o), 0, sizeof (o)), (o).stride = (r)->stride, (o).dilate = (r)->dilate, (o).pad = (r)->pad, \
     (o).num_group = (r)->num_group, (o).layout = (r)->layout)

/* The deconvolution that undoes shapes exactly: adj is what the stride left over at the far end. */
static hy_array *hy__conv_to_fine(hy_frame *F, const hy__conv_attr *a, int layout, hy_array *coarse,
                                  hy_array *w, hy_array *fine)
{
    const hy_shape *s = &fine->t.type.shape;
    hy_deconvolution_opt o;
    int d;
    memset(&o, 0, sizeof o);
    o.stride = *a->stride;
    o.dilate = *a->dilate;
    o.pad = *a->pad;
    o.num_group = a->groups;
    o.layout = layout;
    o.adj.n = a->n;
    for (d = 0; d < a->n; d++)
        o.adj.v[d] = (s->dim[d + (a->last ? 1 : 2)] + 2 * hy__tuple_at(a->pad, d, 0) - hy__extent(a, d)) %
                     hy__tuple_at(a->stride, d, 1);
    return hy_deconvolution(F, coarse, w, NULL, *a->kernel, (int)s->dim[a->last ? a->n + 1 : 1], &o);
}

static hy_array *hy__bias_grad(hy_frame *F, hy_array *dy, int last)
{
    hy_reduce_opt o;
    memset(&o, 0, sizeof o);
    o.exclude = 1;
    return hy_sum(F, dy, HY_AXES(last ? -1 : 1), &o);
}

static int hy__convolution_grad(hy_frame *F, hy_diff *D)
{
    const hy__convolution_rec *r = (const hy__convolution_rec *)D->attr;
    hy_array *dy = D->dy[0];
    hy__conv_weight_grad_opt o;
    hy__conv_attr a;
    HY__CONV_ATTR(&a, r);
    if (!dy) return 0;
    HY__CONV_OPT(o, r);
    if (D->want[0]) D->dx[0] = hy__conv_to_fine(F, &a, r->layout, dy, D->in[1], D->in[0]);
    if (D->want[1]) D->dx[1] = hy__conv_weight_grad(F, D->in[0], dy, r->kernel, r->num_filter, &o);
    if (D->nin > 2 && D->want[2]) D->dx[2] = hy__bias_grad(F, dy, a.last);
    return 0;
}
#define HY__ON_convolution hy__convolution_infer, hy__convolution_bind, hy__convolution_grad, hy__batch_split

/* --- deconvolution --- */

/* target_shape, where given, decides pad and adj: pad = ceil(total / 2), adj = 1 if total is odd. */
static int hy__deconv_pad(const hy__deconvolution_rec *r, const hy__conv_attr *a, const hy_shape *x,
                          hy_ints *pad, hy_ints *adj)
{
    int d;
    pad->n = adj->n = a->n;
    for (d = 0; d < a->n; d++) {
        int64_t target = hy__tuple_at(&r->target_shape, d, 0), in = x->dim[d + (a->last ? 1 : 2)], total;
        pad->v[d] = hy__tuple_at(&r->pad, d, 0);
        adj->v[d] = hy__tuple_at(&r->adj, d, 0);
        if (target <= 0 || in < 0) continue;
        total = hy__tuple_at(a->stride, d, 1) * (in - 1) + hy__extent(a, d) - target;
        if (total < 0) return -1;
        pad->v[d] = (total + 1) / 2;
        adj->v[d] = total % 2;
    }
    return 0;
}

static int hy__deconvolution_infer(hy_infer *I)
{
    const hy__deconvolution_rec *r = (const hy__deconvolution_rec *)I->attr;
    hy_shape *x = &I->in[0].shape, *w = &I->in[1].shape, *y = &I->out[0].shape;
    hy_ints pad, adj;
    hy__conv_attr a;
    int d, at;
    HY__CONV_ATTR(&a, r);
    hy__same_types(I);
    if (hy__infer_conv_attr(I, &a, r->layout) || hy__infer_tuple(I, "adj", &r->adj, a.n, 0) ||
        hy__infer_tuple(I, "target_shape", &r->target_shape, a.n, 0) || hy__infer_conv_channels(I, &a, x, y,
                w)) return -1;
    hy_infer_dim(I, &y->dim[a.last ? a.n + 1 : 1], a.filters);
    hy_infer_dim(I, &w->dim[a.last ? a.n + 1 : 1], a.filters / a.groups);
    if (hy__deconv_pad(r, &a, x, &pad, &adj))
        return hy_infer_fail(I, HY_ERROR_SHAPE, "too big target shape for data %z", x);
    for (d = 0; d < a.n; d++) {
        int64_t s = hy__tuple_at(a.stride, d, 1), rest = hy__extent(&a, d) - 2 * pad.v[d] + adj.v[d];
        at = d + (a.last ? 1 : 2);
        if (hy__tuple_at(&r->target_shape, d, 0) > 0) hy_infer_dim(I, &y->dim[at], r->target_shape.v[d]);
        else if (adj.v[d] >= s)
            return hy_infer_fail(I, HY_ERROR_ARGUMENT, "adj %l must be smaller than stride %l", adj.v[d], s);
        else if (x->dim[at] > 0 && s * (x->dim[at] - 1) + rest < 0)
            return hy_infer_fail(I, HY_ERROR_SHAPE, "pad %l is larger than the result", pad.v[d]);
        else if (x->dim[at] >= 0) hy_infer_dim(I, &y->dim[at], x->dim[at] ? s * (x->dim[at] - 1) + rest : 0);
        else if (y->dim[at] >= 0 && y->dim[at] >= rest && (y->dim[at] - rest) % s == 0)
            hy_infer_dim(I, &x->dim[at], (y->dim[at] - rest) / s + 1);
    }
    return hy__infer_bias(I, a.filters);
}

static int hy__deconvolution_bind(hy_job *job)
{
    const hy__deconvolution_rec *r = (const hy__deconvolution_rec *)job->attr;
    hy_ints pad, adj;
    hy__conv_attr a;
    HY__CONV_ATTR(&a, r);
    hy__deconv_pad(r, &a, &job->in[0].type.shape, &pad, &adj);
    a.pad = &pad;
    return hy__conv_bind(job, &a, HY__CONV_FINE);
}

static int hy__deconvolution_grad(hy_frame *F, hy_diff *D)
{
    const hy__deconvolution_rec *r = (const hy__deconvolution_rec *)D->attr;
    const hy_shape *x = &D->in[0]->t.type.shape;
    hy_array *dy = D->dy[0];
    hy_convolution_opt o;
    hy__conv_weight_grad_opt ow;
    hy_ints pad, adj;
    hy__conv_attr a;
    int channels;
    HY__CONV_ATTR(&a, r);
    if (!dy) return 0;
    channels = (int)x->dim[a.last ? a.n + 1 : 1];
    hy__deconv_pad(r, &a, x, &pad, &adj);
    HY__CONV_OPT(o, r);
    HY__CONV_OPT(ow, r);
    o.pad = ow.pad = pad;
    o.no_bias = 1;
    if (D->want[0]) D->dx[0] = hy_convolution(F, dy, D->in[1], NULL, r->kernel, channels, &o);
    if (D->want[1]) D->dx[1] = hy__conv_weight_grad(F, dy, D->in[0], r->kernel, channels, &ow);
    if (D->nin > 2 && D->want[2]) D->dx[2] = hy__bias_grad(F, dy, a.last);
    return 0;
}
#define HY__ON_deconvolution \
    hy__deconvolution_infer, hy__deconvolution_bind, hy__deconvolution_grad, hy__batch_split

static int hy___conv_weight_grad_infer(hy_infer *I)
{
    const hy___conv_weight_grad_rec *r = (const hy___conv_weight_grad_rec *)I->attr;
    hy_shape *x = &I->in[0].shape, *dy = &I->in[1].shape;
    hy__conv_attr a;
    HY__CONV_ATTR(&a, r);
    hy__same_types(I);
    if (hy__infer_conv_attr(I, &a, r->layout) || hy__infer_conv_channels(I, &a, dy, x, &I->out[0].shape))
        return -1;
    hy_infer_dim(I, &dy->dim[a.last ? a.n + 1 : 1], a.filters);
    return hy__infer_conv_places(I, &a, x, dy);
}
static int hy___conv_weight_grad_bind(hy_job *job)
{
    hy__conv_attr a;
    HY__CONV_ATTR(&a, (const hy___conv_weight_grad_rec *)job->attr);
    return hy__conv_bind(job, &a, HY__CONV_WEIGHT);
}
static int hy___conv_weight_grad_grad(hy_frame *F, hy_diff *D)
{
    const hy___conv_weight_grad_rec *r = (const hy___conv_weight_grad_rec *)D->attr;
    hy_array *dw = D->dy[0];
    hy_convolution_opt o;
    hy__conv_attr a;
    HY__CONV_ATTR(&a, r);
    if (!dw) return 0;
    HY__CONV_OPT(o, r);
    o.no_bias = 1;
    if (D->want[0]) D->dx[0] = hy__conv_to_fine(F, &a, r->layout, D->in[1], dw, D->in[0]);
    if (D->want[1]) D->dx[1] = hy_convolution(F, D->in[0], dw, NULL, r->kernel, r->num_filter, &o);
    return 0;
}
#define HY__ON__conv_weight_grad \
    hy___conv_weight_grad_infer, hy___conv_weight_grad_bind, hy___conv_weight_grad_grad, NULL

/* --- pooling --- *
 * Planes are read as they lie, a tile of output places at a time, in doubles. */
typedef struct hy__pool_plan {
    hy__window win;
    int64_t    planes, together;        /* planes in all and per item */
    int        type, power, exclude_pad, last;
} hy__pool_plan;
#define HY__POOL_FLOATS 32              /* taps that may be summed in floats */
#define HY__POOL_PLANES 4               /* planes that go side by side */

/* The output's size along one dim, or -1 if the kernel does not fit. */
static int64_t hy__pool_size(const hy__pooling_rec *r, int d, int64_t in)
{
    int64_t s = hy__tuple_at(&r->stride, d, 1), room = in + 2 * hy__tuple_at(&r->pad, d, 0) - r->kernel.v[d];
    if (r->global_pool) return 1;
    if (r->convention == HY_CONVENTION_SAME) return (in + s - 1) / s;
    if (room < 0) return -1;
    return (r->convention == HY_CONVENTION_FULL ? room + s - 1 : room) / s + 1;
}

static int hy__infer_pool_attr(hy_infer *I, const hy__pooling_rec *r, int n)
{
    if (n < 1 || n > HY__SPACE) return hy_infer_fail(I, HY_ERROR_SHAPE,
                                                     "pooling needs data of 3, 4 or 5 dims");
    if (!r->global_pool && r->kernel.n < 1)
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "kernel is needed unless global_pool is set");
    if (hy__infer_window(I, n, &r->kernel, &r->stride, NULL, &r->pad, r->layout)) return -1;
    if (r->pool_type == HY_POOL_LP && (r->p_value < 1 || r->p_value > 3))
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "p_value must be 1, 2 or 3: %d", r->p_value);
    if (r->convention != HY_CONVENTION_SAME || r->global_pool) return 0;
    if (n != 1 || r->pool_type != HY_POOL_MAX || hy__tuple_at(&r->pad, 0, 0))
        return hy_infer_fail(I, HY_ERROR_ARGUMENT,
                             "convention 'same' is for max pooling over one dim without pad");
    return 0;
}

static int hy__infer_pool(hy_infer *I, const hy__pooling_rec *r, hy_shape *x, hy_shape *y)
{
    int n = r->kernel.n > 0 ? r->kernel.n : x->ndim >= 0 ? x->ndim - 2 : y->ndim - 2, d, first, c;
    if (r->kernel.n <= 0 && x->ndim < 0 && y->ndim < 0) return I->status;
    if (hy__infer_pool_attr(I, r, n)) return -1;
    hy_infer_shape(I, x, hy__rank(n + 2));
    hy_infer_shape(I, y, hy__rank(n + 2));
    if (I->status < 0 || hy__infer_sizes(I, x)) return -1;
    first = hy__channels_last(r->layout) ? 1 : 2;
    c = first == 1 ? n + 1 : 1;
    hy__infer_same_dim(I, &x->dim[0], &y->dim[0]);
    hy__infer_same_dim(I, &x->dim[c], &y->dim[c]);
    for (d = 0; d < n; d++) {
        int64_t size = x->dim[first + d] < 0 ? (r->global_pool ? 1 : -1) : hy__pool_size(r, d,
                x->dim[first + d]);
        if (size < 0 && x->dim[first + d] >= 0)
            return hy_infer_fail(I, HY_ERROR_SHAPE, "kernel size (%l) exceeds input (%l padded to %l)",
                                 r->kernel.v[d],
                                 x->dim[first + d], x->dim[first + d] + 2 * hy__tuple_at(&r->pad, d, 0));
        hy_infer_dim(I, &y->dim[first + d], size);
    }
    return I->status;
}

static void hy__pool_window(hy__pool_plan *v, const hy__pooling_rec *r, const hy_shape *x, const hy_shape *y)
{
    hy__window *w = &v->win;
    int n = x->ndim - 2, d, k, first;
    v->last = hy__channels_last(r->layout);
    first = v->last ? 1 : 2;
    for (d = 0; d < HY__SPACE; d++) {
        k = d - (HY__SPACE - n);
        w->fine[d] = k < 0 ? 1 : x->dim[first + k];
        w->coarse[d] = k < 0 ? 1 : y->dim[first + k];
        w->kernel[d] = k < 0 ? 1 : r->global_pool ? w->fine[d] : r->kernel.v[k];
        w->stride[d] = k < 0 || r->global_pool ? 1 : hy__tuple_at(&r->stride, k, 1);
        w->pad[d] = k < 0 || r->global_pool ? 0 : hy__tuple_at(&r->pad, k, 0);
        w->dilate[d] = 1;
        w->low[d] = 0;
        w->high[d] = w->fine[d];
    }
    v->type = r->pool_type;
    v->power = v->type == HY_POOL_LP ? r->p_value : 1;
    v->exclude_pad = r->exclude_pad;
    v->planes = x->dim[0] * x->dim[v->last ? n + 1 : 1];
}

/* How many places of a window count along one dim: those within the padded input, or within the input. */
static int64_t hy__pool_reach(const hy__pool_plan *v, int d, int64_t at)
{
    int64_t low = at * v->win.stride[d] - v->win.pad[d], high = low + v->win.kernel[d];
    high = hy__gemm_min(high, v->win.fine[d] + (v->exclude_pad ? 0 : v->win.pad[d]));
    return hy__gemm_max(high - (v->exclude_pad && low < 0 ? 0 : low), 0);
}

/* For n coarse places from `first` on: 1 / area of averages, 1 of sums. */
static void hy__pool_shares(const hy__pool_plan *v, int64_t first, int64_t n, double *share)
{
    int64_t at[HY__SPACE], i, rows = 0, area;
    hy__window_place(v->win.coarse, first, at);
    for (i = 0; i < n; i++) {
        if (i == 0 || at[2] == 0) rows = hy__pool_reach(v, 0, at[0]) * hy__pool_reach(v, 1, at[1]);
        area = v->type == HY_POOL_AVG ? rows * hy__pool_reach(v, 2, at[2]) : 1;
        share[i] = area > 0 ? 1 / (double)area : 0;
        hy__stretch_next(&v->win, at, 1);
    }
}

static void hy__cube(double *x, int64_t n)
{
    int64_t i;
    for (i = 0; i < n; i++) x[i] = x[i] * x[i] * x[i];
}

/* Tiles of n windows of `planes` planes, joined in floats where nothing is lost by it, else in doubles. */
typedef struct hy__pool_tile {
    double acc[HY__POOL_PLANES][HY__TILE];
    float  narrow[HY__POOL_PLANES][HY__TILE];
} hy__pool_tile;

static void hy__pool_join(const hy__pool_plan *v, const hy__planes *x, const char *data, int64_t plane,
                          int64_t planes, int64_t first, int64_t n, hy__pool_tile *to)
{
    hy__reduction kind = v->type == HY_POOL_MAX ? HY__MAX : v->power == 2 ? HY__NORM2 : HY__MEAN;
    int64_t t, k, i, j, taps = hy__window_size(v->win.kernel), step = v->win.stride[2] * x->step_p;
    int narrow = x->dtype == HY_F32 && (kind == HY__MAX || (v->power == 1 && taps <= HY__POOL_FLOATS)), count,
        r;
    hy__stretch list[HY__LINE];
    double tile[HY__TILE];
    for (k = 0; k < planes; k++)
        for (i = 0; i < n; i++) to->narrow[k][i] = (float)(to->acc[k][i] = hy__fold_start(kind));
    for (t = 0; t < taps; t++) {
        count = hy__stretches(&v->win, t, first, n, list);
        for (k = 0; k < planes; k++) {
            const char *base = data + hy__plane_at(x, plane + k);
            for (r = 0, i = 0; r < count; i += list[r++].n) {
                const char *from = base + list[r].fine * x->step_p * x->size;
                int64_t m = list[r].high - list[r].low;
                j = i + list[r].low;
                if (narrow && kind == HY__MAX)
                    hy__max_line_f32(to->narrow[k] + j, (const float *)(const void *)from, step, m);
                else if (narrow) hy__sum_line_f32(to->narrow[k] + j, (const float *)(const void *)from, step,
                                                  m);
                else {
                    hy__load_f64(tile, from, x->dtype, step, m);
                    if (v->power == 3) hy__cube(tile, m);
                    hy__fold_columns(kind, to->acc[k] + j, tile, m);
                }
            }
        }
    }
    for (k = 0; narrow && k < planes; k++) for (i = 0; i < n; i++) to->acc[k][i] = to->narrow[k][i];
}

static void hy__run_pool(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__pool_plan *v = (const hy__pool_plan *)(const void *)&job->plan;
    const hy__planes x = hy__planes_of(&job->in[0], v->last), y = hy__planes_of(&job->out[0], v->last);
    int64_t plane = item * v->together, end = hy__gemm_min(plane + v->together, v->planes), first, n, i, k,
        planes;
    hy__pool_tile *tile = (hy__pool_tile *)scratch;
    double share[HY__TILE];
    (void)stage; (void)shared;
    for (; plane < end; plane += planes)
        for (planes = hy__gemm_min(end - plane, HY__POOL_PLANES), first = 0; first < y.places; first += n) {
            n = hy__gemm_min(y.places - first, HY__TILE);
            hy__pool_join(v, &x, (const char *)job->in[0].data, plane, planes, first, n, tile);
            if (v->type == HY_POOL_AVG) hy__pool_shares(v, first, n, share);
            for (k = 0; k < planes; k++) {
                double *acc = tile->acc[k];
                if (v->type == HY_POOL_AVG) for (i = 0; i < n; i++) acc[i] *= share[i];
                if (v->power == 2) for (i = 0; i < n; i++) acc[i] = sqrt(acc[i]);
                if (v->power == 3) for (i = 0; i < n; i++) acc[i] = cbrt(acc[i]);
                hy__store_f64((char *)job->out[0].data + hy__plane_at(&y, plane + k) + first * y.step_p *
                              y.size, y.dtype, y.step_p, acc, n);
            }
        }
}

static int hy__pool_one_stage(hy_job *job, hy__pool_plan *v, hy__run_fn run)
{
    double work = (double)hy__window_size(v->win.kernel) * (double)hy__window_size(v->win.coarse) +
                  (double)hy__window_size(v->win.fine) + 1;
    v->together = work < HY__PLANES_WORK ? (int64_t)(HY__PLANES_WORK / work) : 1;
    if (v->together < HY__POOL_PLANES) v->together = hy__clamp_i64(v->planes / HY__CONV_UNITS, v->together,
                                                                   HY__POOL_PLANES);
    if (v->last) v->together = HY__PLANE_CHANNELS;
    return hy__one_stage(job, run, hy__pieces(v->planes, v->together), (double)v->planes * work);
}

static int hy__pooling_infer(hy_infer *I)
{
    hy__same_types(I);
    return hy__infer_pool(I, (const hy__pooling_rec *)I->attr, &I->in[0].shape, &I->out[0].shape);
}

/* One window over everything is a reduction of all but batch and channels. */
static int hy__pooling_bind(hy_job *job)
{
    const hy__pooling_rec *r = (const hy__pooling_rec *)job->attr;
    hy__pool_plan *v = (hy__pool_plan *)(void *)&job->plan;
    int n = job->in[0].type.shape.ndim;
    hy__pool_window(v, r, &job->in[0].type.shape, &job->out[0].type.shape);
    if (r->global_pool && v->power < 3 && v->win.fine[2] > 0)
        return hy__reduce_bind_kind(job, v->type == HY_POOL_MAX ? HY__MAX : v->type == HY_POOL_AVG ? HY__MEAN
                                         : v->power == 2 ? HY__NORM2 : HY__SUM,
                                    v->last ? (1 << (n - 1)) - 2 : (1 << n) - 4);
    job->scratch = sizeof(hy__pool_tile);
    return hy__pool_one_stage(job, v, hy__run_pool);
}

static int hy__pooling_back(hy_frame *F, hy_diff *D)
{
    const hy__pooling_rec *r = (const hy__pooling_rec *)D->attr;
    hy__pooling_grad_opt o;
    if (!D->dy[0]) return 0;
    memset(&o, 0, sizeof o);
    o.pool_type = r->pool_type;
    o.global_pool = r->global_pool;
    o.convention = r->convention;
    o.stride = r->stride;
    o.pad = r->pad;
    o.p_value = r->p_value;
    o.exclude_pad = r->exclude_pad;
    o.layout = r->layout;
    if (r->global_pool && (r->pool_type == HY_POOL_AVG || r->pool_type == HY_POOL_SUM)) {
        double places = (double)hy__size(&D->in[0]->t.type.shape);
        places /= (double)hy__size(&D->out[0]->t.type.shape);
        D->dx[0] = hy_broadcast_like(F, r->pool_type == HY_POOL_SUM ? D->dy[0] : hy_mul_scalar(F, D->dy[0],
                1 / places),
                                     D->in[0], NULL);
        return 0;
    }
    D->dx[0] = hy__pooling_grad(F, D->dy[0], D->in[0], D->out[0], r->kernel, &o);
    return 0;
}
#define HY__ON_pooling hy__pooling_infer, hy__pooling_bind, hy__pooling_back, hy__batch_split


/* The gradient of max goes to the first of the largest, to the first NaN if there is one. */
static void hy__pool_back_max(const hy__pool_plan *v, const hy__planes *x, const char *plane, int64_t first,
                              int64_t n, const double *dy, double *dx)
{
    int64_t which[HY__TILE], t, i, j, m, step = v->win.stride[2], taps = hy__window_size(v->win.kernel);
    double best[HY__TILE], tile[HY__TILE];
    hy__stretch list[HY__LINE];
    int count, r;
    for (i = 0; i < n; i++) which[i] = -1;
    for (t = 0; t < taps; t++) {
        count = hy__stretches(&v->win, t, first, n, list);
        for (r = 0, i = 0; r < count; i += list[r++].n) {
            const hy__stretch s = list[r];
            hy__load_f64(tile, plane + s.fine * x->step_p * x->size, x->dtype, step * x->step_p,
                         s.high - s.low);
            for (m = 0; m < s.high - s.low; m++) {
                j = i + s.low + m;
                if (which[j] >= 0 && !(tile[m] > best[j]) && !(tile[m] != tile[m] && best[j] == best[j]))
                    continue;
                best[j] = tile[m];
                which[j] = s.fine + m * step;
            }
        }
    }
    for (i = 0; i < n; i++) if (which[i] >= 0) dx[which[i]] += dy[i];
}

/* dx += share x^(power - 1) wherever a window lies. */
static void hy__pool_back_sum(const hy__pool_plan *v, const hy__planes *x, const char *plane, int64_t first,
                              int64_t n, const double *share, double *dx)
{
    int64_t t, i, j, m, step = v->win.stride[2], taps = hy__window_size(v->win.kernel);
    double tile[HY__TILE];
    hy__stretch list[HY__LINE];
    int count, r;
    for (t = 0; t < taps; t++) {
        count = hy__stretches(&v->win, t, first, n, list);
        for (r = 0, i = 0; r < count; i += list[r++].n) {
            const double *from = share + i + list[r].low;
            double *to = dx + list[r].fine;
            m = list[r].high - list[r].low;
            if (v->power == 1) {
                for (j = 0; j < m; j++) to[j * step] += from[j];
                continue;
            }
            hy__load_f64(tile, plane + list[r].fine * x->step_p * x->size, x->dtype, step * x->step_p, m);
            if (v->power == 3) for (j = 0; j < m; j++) tile[j] *= tile[j];
            for (j = 0; j < m; j++) to[j * step] += from[j] * tile[j];
        }
    }
}

/* Inputs: out_grad, data, out. Of lp: y = (sum x^p)^(1/p), dx = dy x^(p-1) / y^(p-1), and 0 where y is 0. */
static void hy__run_pool_back(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__pool_plan *v = (const hy__pool_plan *)(const void *)&job->plan;
    const hy__planes x = hy__planes_of(&job->in[1], v->last), y = hy__planes_of(&job->in[0], v->last);
    int64_t plane = item * v->together, end = hy__gemm_min(plane + v->together, v->planes), first, n, i, at;
    double share[HY__TILE], tile[HY__TILE], *dx = (double *)scratch;
    const char *data;
    (void)stage; (void)shared;
    for (; plane < end; plane++) {
        data = (const char *)job->in[1].data + hy__plane_at(&x, plane);
        for (i = 0; i < x.places; i++) dx[i] = 0;
        for (first = 0; first < y.places; first += n) {
            n = hy__gemm_min(y.places - first, HY__TILE);
            at = hy__plane_at(&y, plane) + first * y.step_p * y.size;
            hy__load_f64(share, (const char *)job->in[0].data + at, y.dtype, y.step_p, n);
            if (v->type == HY_POOL_MAX) { hy__pool_back_max(v, &x, data, first, n, share, dx); continue; }
            if (v->type == HY_POOL_AVG) hy__pool_shares(v, first, n, tile);
            if (v->power > 1) {
                hy__load_f64(tile, (const char *)job->in[2].data + at, y.dtype, y.step_p, n);
                for (i = 0; i < n; i++) tile[i] = tile[i] != 0 ? 1 / (v->power == 2 ? tile[i] : tile[i] *
                                                                      tile[i]) : 0;
            }
            if (v->type == HY_POOL_AVG || v->power > 1) for (i = 0; i < n; i++) share[i] *= tile[i];
            hy__pool_back_sum(v, &x, data, first, n, share, dx);
        }
        hy__store_f64((char *)job->out[0].data + hy__plane_at(&x, plane), x.dtype, x.step_p, dx, x.places);
    }
}

/* Its record has the same fields in the same order as that of pooling. */
static int hy___pooling_grad_infer(hy_infer *I)
{
    hy__same_types(I);
    hy_infer_same(I, &I->in[1].shape, &I->out[0].shape);
    hy_infer_same(I, &I->in[0].shape, &I->in[2].shape);
    return hy__infer_pool(I, (const hy__pooling_rec *)I->attr, &I->in[1].shape, &I->in[0].shape);
}
static int hy___pooling_grad_bind(hy_job *job)
{
    hy__pool_plan *v = (hy__pool_plan *)(void *)&job->plan;
    hy__pool_window(v, (const hy__pooling_rec *)job->attr, &job->in[1].type.shape, &job->in[0].type.shape);
    job->scratch = (size_t)hy__window_size(v->win.fine) * sizeof(double);
    return hy__pool_one_stage(job, v, hy__run_pool_back);
}
static int hy___pooling_grad_grad(hy_frame *F, hy_diff *D)
{
    HY_NO_GRADIENT;
    return 0;
}
#define HY__ON__pooling_grad hy___pooling_grad_infer, hy___pooling_grad_bind, hy___pooling_grad_grad, NULL

/* --- adaptive average pooling: place i of m averages the places from floor(i n / m) to below ceil((i + 1) n
 * / m) --- */
static int64_t hy__adaptive_low(int64_t i, int64_t n, int64_t m)  { return i * n / m; }
static int64_t hy__adaptive_high(int64_t i, int64_t n, int64_t m) { return ((i + 1) * n + m - 1) / m; }

static int hy__infer_adaptive(hy_infer *I, const hy_ints *size, hy_shape *x, hy_shape *y)
{
    int d;
    hy__same_types(I);
    if (size->n > 2) return hy_infer_fail(I, HY_ERROR_ARGUMENT,
                                          "output_size has %d numbers where 1 or 2 are due", size->n);
    if (hy__infer_tuple(I, "output_size", size, size->n, 1)) return -1;
    hy_infer_shape(I, x, hy__rank(4));
    hy_infer_shape(I, y, hy__rank(4));
    if (I->status < 0 || hy__infer_sizes(I, x)) return -1;
    for (d = 0; d < 2; d++) {
        hy__infer_same_dim(I, &x->dim[d], &y->dim[d]);
        hy_infer_dim(I, &y->dim[2 + d], size->n < 1 ? 1 : size->v[size->n > 1 ? d : 0]);
        if (x->dim[2 + d] == 0) return hy_infer_fail(I, HY_ERROR_SHAPE, "data %z has no places to average",
                                                     x);
    }
    return I->status;
}

/* Adds each window's sum to y, or, going back, each window's share of dy to the plane. */
static void hy__adaptive_plane(double *plane, const int64_t *from, double *y, const int64_t *to, int back)
{
    int64_t i, j, r, c;
    for (i = 0; i < to[0]; i++)
        for (j = 0; j < to[1]; j++, y++) {
            int64_t top = hy__adaptive_low(i, from[0], to[0]), bottom = hy__adaptive_high(i, from[0], to[0]);
            int64_t left = hy__adaptive_low(j, from[1], to[1]), right = hy__adaptive_high(j, from[1], to[1]);
            double area = (double)((bottom - top) * (right - left)), sum = 0;
            for (r = top; r < bottom; r++) {
                double *row = plane + r * from[1];
                if (back) for (c = left; c < right; c++) row[c] += *y / area;
                else for (c = left; c < right; c++) sum += row[c];
            }
            if (!back) *y = sum / area;
        }
}

static void hy__run_adaptive(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    int back = job->nin > 1;
    const hy_tensor *x = back ? &job->out[0] : &job->in[0], *y = back ? &job->in[0] : &job->out[0];
    int64_t fine = hy__product(&x->type.shape, 2, 4), coarse = hy__product(&y->type.shape, 2, 4), i;
    int size = hy__traits[x->type.dtype].size;
    double *plane = (double *)scratch, *out = plane + fine;
    char *at_x = (char *)x->data + item * fine * size, *at_y = (char *)y->data + item * coarse * size;
    (void)stage; (void)shared;
    if (back) {
        for (i = 0; i < fine; i++) plane[i] = 0;
        hy__load_f64(out, at_y, y->type.dtype, 1, coarse);
    } else hy__load_f64(plane, at_x, x->type.dtype, 1, fine);
    hy__adaptive_plane(plane, x->type.shape.dim + 2, out, y->type.shape.dim + 2, back);
    if (back) hy__store_f64(at_x, x->type.dtype, 1, plane, fine);
    else hy__store_f64(at_y, y->type.dtype, 1, out, coarse);
}
static int hy__adaptive_bind(hy_job *job)
{
    const hy_shape *x = job->nin > 1 ? &job->out[0].type.shape : &job->in[0].type.shape;
    const hy_shape *y = job->nin > 1 ? &job->in[0].type.shape : &job->out[0].type.shape;
    int64_t places = hy__product(x, 2, 4) + hy__product(y, 2, 4), planes = hy__product(x, 0, 2);
    job->scratch = (size_t)places * sizeof(double);
    return hy__one_stage(job, hy__run_adaptive, planes, 2.0 * (double)planes * (double)places);
}

static int hy__adaptive_avg_pooling_infer(hy_infer *I)
{
    const hy__adaptive_avg_pooling_rec *r = (const hy__adaptive_avg_pooling_rec *)I->attr;
    return hy__infer_adaptive(I, &r->output_size, &I->in[0].shape, &I->out[0].shape);
}
static int hy__adaptive_avg_pooling_back(hy_frame *F, hy_diff *D)
{
    const hy__adaptive_avg_pooling_rec *r = (const hy__adaptive_avg_pooling_rec *)D->attr;
    if (D->dy[0]) D->dx[0] = hy__adaptive_avg_pooling_grad(F, D->dy[0], D->in[0], r->output_size);
    return 0;
}
#define HY__ON_adaptive_avg_pooling \
    hy__adaptive_avg_pooling_infer, hy__adaptive_bind, hy__adaptive_avg_pooling_back, hy__batch_split

static int hy___adaptive_avg_pooling_grad_infer(hy_infer *I)
{
    const hy___adaptive_avg_pooling_grad_rec *r = (const hy___adaptive_avg_pooling_grad_rec *)I->attr;
    hy_infer_same(I, &I->in[1].shape, &I->out[0].shape);
    return hy__infer_adaptive(I, &r->output_size, &I->in[1].shape, &I->in[0].shape);
}
/* linear; of data only the shape counts */
static int hy___adaptive_avg_pooling_grad_back(hy_frame *F, hy_diff *D)
{
    const hy___adaptive_avg_pooling_grad_rec *r = (const hy___adaptive_avg_pooling_grad_rec *)D->attr;
    if (D->dy[0]) D->dx[0] = hy_adaptive_avg_pooling(F, D->dy[0], r->output_size);
    return 0;
}
#define HY__ON__adaptive_avg_pooling_grad \
    hy___adaptive_avg_pooling_grad_infer, hy__adaptive_bind, hy___adaptive_avg_pooling_grad_back, NULL

/* --- moving pixels --- */

/* Every input grows to the size of the first times scale; then they are joined along the channels or added
 * up. */
static int hy__upsampling_infer(hy_infer *I)
{
    const hy__upsampling_rec *r = (const hy__upsampling_rec *)I->attr;
    hy_shape *y = &I->out[0].shape;
    int sum = r->multi_input_mode == HY_JOIN_SUM, i, d;
    int64_t channels = 0;
    hy__same_types(I);
    if (r->scale < 1 || r->scale > HY__WINDOW_MOST) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "scale is %d",
            r->scale);
    hy_infer_shape(I, y, hy__rank(4));
    for (i = 0; i < I->nin && I->status >= 0; i++) {
        hy_shape *x = &I->in[i].shape;
        hy_infer_shape(I, x, hy__rank(4));
        if (I->status < 0 || hy__infer_sizes(I, x)) return -1;
        hy__infer_same_dim(I, &x->dim[0], &y->dim[0]);
        if (sum) hy__infer_same_dim(I, &x->dim[1], &y->dim[1]);
        channels = channels < 0 || x->dim[1] < 0 ? -1 : channels + x->dim[1];
        for (d = 2; d < 4; d++) {
            if (!i && x->dim[d] >= 0) hy_infer_dim(I, &y->dim[d], x->dim[d] * r->scale);
            else if (!i && y->dim[d] >= 0 && y->dim[d] % r->scale == 0)
                hy_infer_dim(I, &x->dim[d], y->dim[d] / r->scale);
            if (x->dim[d] > 0 && y->dim[d] >= 0 && y->dim[d] % x->dim[d])
                return hy_infer_fail(I, HY_ERROR_SHAPE, "input %d, %z, does not grow to %z by a whole factor",
                                     i, x, y);
            if (x->dim[d] == 0 && y->dim[d] > 0)
                return hy_infer_fail(I, HY_ERROR_SHAPE, "input %d, %z, does not grow to %z", i, x, y);
        }
    }
    if (!sum) hy_infer_dim(I, &y->dim[1], channels);
    return I->status;
}

/* One plane of input i, each pixel repeated. */
static void hy__upsample(const hy_job *job, int i, int64_t plane, char *to)
{
    const int64_t *x = job->in[i].type.shape.dim, *y = job->out[0].type.shape.dim;
    int64_t k, tall = y[2] / x[2], wide = y[3] / x[3];
    hy__move m;
    hy__move_open(&m, job->out[0].type.dtype);
    hy__move_dim(&m, x[2], tall * y[3], x[3]);
    hy__move_dim(&m, tall, y[3], 0);
    hy__move_dim(&m, x[3], wide, 1);
    hy__move_dim(&m, wide, 1, 0);
    hy__move_close(&m);
    for (k = 0; k < m.items; k++)
        hy__move_item(&m, to, (const char *)job->in[i].data + plane * x[2] * x[3] * m.size, k);
}

/* to += more, n elements of any type. */
static void hy__add_tile(const hy_job *job, hy_dtype compute, char *to, const char *more, hy_dtype dtype,
                         int64_t n)
{
    double a[HY__TILE], b[HY__TILE];
    const void *in[2];
    int step[2];
    in[0] = a;
    in[1] = b;
    step[0] = step[1] = 1;
    hy__load_tile(compute, a, to, dtype, 1, n);
    hy__load_tile(compute, b, more, dtype, 1, n);
    hy__pointwise_of(job, compute)->binary[HY__BINARY_add](in, step, a, n, NULL);
    hy__store_tile(compute, to, dtype, 1, a, n);
}

static void hy__run_upsampling(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__upsampling_rec *r = (const hy__upsampling_rec *)job->attr;
    const hy_shape *y = &job->out[0].type.shape;
    hy_dtype dtype = job->out[0].type.dtype, compute = hy__compute_type(dtype, 1);
    int64_t image = item / y->dim[1], channel = item % y->dim[1], places = y->dim[2] * y->dim[3], n, at;
    char *to = (char *)job->out[0].data + item * places * hy__traits[dtype].size;
    int i = 0;
    (void)stage; (void)shared;
    if (r->multi_input_mode == HY_JOIN_CONCAT) {
        for (; channel >= job->in[i].type.shape.dim[1]; i++) channel -= job->in[i].type.shape.dim[1];
        hy__upsample(job, i, image * job->in[i].type.shape.dim[1] + channel, to);
        return;
    }
    hy__upsample(job, 0, item, to);
    for (i = 1; i < job->nin; i++) {
        hy__upsample(job, i, item, (char *)scratch);
        for (at = 0; at < places; at += n) {
            n = hy__gemm_min(places - at, HY__TILE);
            hy__add_tile(job, compute, to + at * hy__traits[dtype].size, (char *)scratch + at *
                         hy__traits[dtype].size, dtype, n);
        }
    }
}

static int hy__upsampling_bind(hy_job *job)
{
    const hy__upsampling_rec *r = (const hy__upsampling_rec *)job->attr;
    int64_t planes = hy__product(&job->out[0].type.shape, 0, 2), places = hy__product(&job->out[0].type.shape,
            2, 4);
    if (r->multi_input_mode == HY_JOIN_SUM)
        job->scratch = (size_t)(places * hy__traits[job->out[0].type.dtype].size);
    return hy__one_stage(job, hy__run_upsampling, places ? planes : 0, 0.6 * (double)planes * (double)places +
                         100);
}

/* What a pixel became is summed up again. */
static int hy__upsampling_grad(hy_frame *F, hy_diff *D)
{
    const hy__upsampling_rec *r = (const hy__upsampling_rec *)D->attr;
    const int64_t *y = D->out[0]->t.type.shape.dim;
    int64_t channel = 0;
    hy_pooling_opt o;
    int i, d;
    memset(&o, 0, sizeof o);
    o.pool_type = HY_POOL_SUM;
    for (i = 0; i < D->nin && D->dy[0]; i++) {
        const int64_t *x = D->in[i]->t.type.shape.dim;
        hy_array *dy = D->dy[0];
        if (r->multi_input_mode == HY_JOIN_CONCAT) {
            if (D->want[i] && D->nin > 1) dy = hy__between(F, dy, 1, channel, channel + x[1]);
            channel += x[1];
        }
        if (!D->want[i]) continue;
        o.stride.n = 2;
        for (d = 0; d < 2; d++) o.stride.v[d] = x[2 + d] ? y[2 + d] / x[2 + d] : 1;
        D->dx[i] = x[2] && x[3] ? hy_pooling(F, dy, o.stride, &o) : hy_zeros_like(F, D->in[i]);
    }
    return 0;
}
#define HY__ON_upsampling hy__upsampling_infer, hy__upsampling_bind, hy__upsampling_grad, NULL

/* Where a crop begins along height (0) or width (1). */
static int64_t hy__crop_start(const hy__crop_rec *r, const hy_shape *x, const hy_shape *y, int d)
{
    return r->center_crop ? (x->dim[2 + d] - y->dim[2 + d]) / 2 : hy__tuple_at(&r->offset, d, 0);
}

static int hy__crop_infer(hy_infer *I)
{
    const hy__crop_rec *r = (const hy__crop_rec *)I->attr;
    hy_shape *x = &I->in[0].shape, *y = &I->out[0].shape;
    int d;
    hy__same_types(I);
    if (I->nin > 2) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "one or two inputs are due, not %d", I->nin);
    if (hy__infer_tuple(I, "offset", &r->offset, 2, 0) || hy__infer_tuple(I, "h_w", &r->h_w, 2, 0)) return -1;
    if (I->nin == 1 && r->h_w.n < 1) return hy_infer_fail(I, HY_ERROR_ARGUMENT,
                                                          "h_w is needed with one input");
    for (d = 0; d < I->nin; d++) hy_infer_shape(I, &I->in[d].shape, hy__rank(4));
    hy_infer_shape(I, y, hy__rank(4));
    if (I->status < 0) return -1;
    for (d = 0; d < 2; d++) {
        hy__infer_same_dim(I, &x->dim[d], &y->dim[d]);
        if (I->nin == 1) hy_infer_dim(I, &y->dim[2 + d], r->h_w.v[d]);
        else hy__infer_same_dim(I, &I->in[1].shape.dim[2 + d], &y->dim[2 + d]);
        if (x->dim[2 + d] >= 0 && y->dim[2 + d] >= 0 &&
            (y->dim[2 + d] > x->dim[2 + d] || hy__crop_start(r, x, y, d) > x->dim[2 + d] - y->dim[2 + d]))
            return hy_infer_fail(I, HY_ERROR_SHAPE, "the window %z does not lie within %z", y, x);
    }
    return I->status;
}
static int hy__crop_bind(hy_job *job)
{
    const hy__crop_rec *r = (const hy__crop_rec *)job->attr;
    const hy_tensor *x = &job->in[0], *y = &job->out[0];
    hy__move *m = hy__begin_move(job);
    int d;
    for (d = 0; d < 2; d++) m->from_start += hy__crop_start(r, &x->type.shape, &y->type.shape, d)
        * x->stride[2 + d];
    hy__move_box(m, &y->type.shape, y->stride, x->stride);
    return hy__finish_move(job);
}
static int hy__crop_grad(hy_frame *F, hy_diff *D)
{
    const hy__crop_rec *r = (const hy__crop_rec *)D->attr;
    const hy_shape *x = &D->in[0]->t.type.shape, *y = &D->out[0]->t.type.shape;
    hy_ints width;
    int d;
    if (!D->dy[0] || !D->want[0]) return 0;
    width.n = 8;
    width.v[0] = width.v[1] = width.v[2] = width.v[3] = 0;
    for (d = 0; d < 2; d++) {
        width.v[4 + 2 * d] = hy__crop_start(r, x, y, d);
        width.v[5 + 2 * d] = x->dim[2 + d] - y->dim[2 + d] - width.v[4 + 2 * d];
    }
    D->dx[0] = hy_pad(F, D->dy[0], width, HY_PAD_CONSTANT, NULL);
    return 0;
}
#define HY__ON_crop hy__crop_infer, hy__crop_bind, hy__crop_grad, NULL

/* deep (N, b b C, H, W) and wide (N, C, b H, b W): deep channel (i b + j) C + c is pixel (i, j) of each
 * block of c. */
static int hy__infer_blocks(hy_infer *I, int64_t b, hy_shape *deep, hy_shape *wide)
{
    int d;
    hy__same_types(I);
    if (b < 1 || b > HY__WINDOW_MOST) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "block_size is %l", b);
    hy_infer_shape(I, deep, hy__rank(4));
    hy_infer_shape(I, wide, hy__rank(4));
    if (I->status < 0 || hy__infer_sizes(I, deep) || hy__infer_sizes(I, wide)) return -1;
    hy__infer_same_dim(I, &deep->dim[0], &wide->dim[0]);
    for (d = 1; d < 4; d++) {
        int64_t *more = d == 1 ? &deep->dim[d] : &wide->dim[d], *less = d == 1 ? &wide->dim[d]
            : &deep->dim[d];
        int64_t factor = d == 1 ? b * b : b;
        if (*more >= 0 && *more % factor)
            return hy_infer_fail(I, HY_ERROR_SHAPE, "dim %d of %z is not a multiple of %l", d,
                                 d == 1 ? deep : wide, factor);
        if (*more >= 0) hy_infer_dim(I, less, *more / factor);
        else if (*less >= 0 && *less <= ((int64_t)1 << 60) / factor) hy_infer_dim(I, more, *less * factor);
    }
    return I->status;
}

static int hy__blocks_bind(hy_job *job, int64_t b, int to_wide)
{
    const hy_tensor *deep = to_wide ? &job->in[0] : &job->out[0], *wide = to_wide ? &job->out[0]
        : &job->in[0];
    const int64_t *n = deep->type.shape.dim, *s = deep->stride, *t = wide->stride;
    int64_t channels = wide->type.shape.dim[1], dim[6], at_deep[6], at_wide[6];
    hy__move *m = hy__begin_move(job);
    int d;
    dim[0] = n[0];     at_deep[0] = s[0];                at_wide[0] = t[0];
    dim[1] = channels; at_deep[1] = s[1];                at_wide[1] = t[1];
    dim[2] = n[2];     at_deep[2] = s[2];                at_wide[2] = b * t[2];
    dim[3] = b;        at_deep[3] = b * channels * s[1]; at_wide[3] = t[2];
    dim[4] = n[3];     at_deep[4] = s[3];                at_wide[4] = b * t[3];
    dim[5] = b;        at_deep[5] = channels * s[1];     at_wide[5] = t[3];
    for (d = 0; d < 6; d++) hy__move_dim(m, dim[d], to_wide ? at_wide[d] : at_deep[d],
                                         to_wide ? at_deep[d] : at_wide[d]);
    return hy__finish_move(job);
}

static int hy__depth_to_space_infer(hy_infer *I)
{
    int64_t b = ((const hy__depth_to_space_rec *)I->attr)->block_size;
    return hy__infer_blocks(I, b, &I->in[0].shape, &I->out[0].shape);
}
static int hy__depth_to_space_bind(hy_job *job)
{
    return hy__blocks_bind(job, ((const hy__depth_to_space_rec *)job->attr)->block_size, 1);
}
static int hy__depth_to_space_grad(hy_frame *F, hy_diff *D)
{
    if (D->dy[0]) D->dx[0] = hy_space_to_depth(F, D->dy[0],
                                               ((const hy__depth_to_space_rec *)D->attr)->block_size);
    return 0;
}
#define HY__ON_depth_to_space hy__depth_to_space_infer, hy__depth_to_space_bind, hy__depth_to_space_grad, \
    hy__batch_split

static int hy__space_to_depth_infer(hy_infer *I)
{
    int64_t b = ((const hy__space_to_depth_rec *)I->attr)->block_size;
    return hy__infer_blocks(I, b, &I->out[0].shape, &I->in[0].shape);
}
static int hy__space_to_depth_bind(hy_job *job)
{
    return hy__blocks_bind(job, ((const hy__space_to_depth_rec *)job->attr)->block_size, 0);
}
static int hy__space_to_depth_grad(hy_frame *F, hy_diff *D)
{
    if (D->dy[0]) D->dx[0] = hy_depth_to_space(F, D->dy[0],
                                               ((const hy__space_to_depth_rec *)D->attr)->block_size);
    return 0;
}
#define HY__ON_space_to_depth hy__space_to_depth_infer, hy__space_to_depth_bind, hy__space_to_depth_grad, \
    hy__batch_split

/* --- windows of channels --- *
 * Item: a tile of places of one image, all channels. */
static int hy__infer_channel_window(hy_infer *I, int nsize)
{
    if (nsize < 1 || nsize % 2 == 0) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "nsize must be odd: %d",
                                                          nsize);
    if (I->in[0].shape.ndim >= 0 && I->in[0].shape.ndim < 2)
        return hy_infer_fail(I, HY_ERROR_SHAPE, "data needs a batch and a channel dim");
    return hy_infer_pointwise(I);
}

static int hy__channel_window_bind(hy_job *job, int64_t nsize, hy__run_fn run)
{
    const hy_shape *x = &job->in[0].type.shape;
    int64_t inner = hy__product(x, 2, x->ndim), channels = x->dim[1];
    if (!hy__floating(job->in[0].type.dtype)) return hy__refuse_dtype(job, job->in[0].type.dtype);
    return hy__one_stage(job, run, channels ? x->dim[0] * hy__pieces(inner, HY__TILE) : 0,
                         (2 + (double)hy__gemm_min(nsize, channels)) * (double)hy__size(x));
}

static void hy__run_channel_sum(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy_shape *s = &job->in[0].type.shape;
    hy_dtype dtype = job->in[0].type.dtype;
    int64_t inner = hy__product(s, 2, s->ndim), tiles = hy__pieces(inner, HY__TILE), c,
        n = inner - item % tiles * HY__TILE, at;
    double sum[HY__TILE];
    (void)stage; (void)scratch; (void)shared;
    if (n > HY__TILE) n = HY__TILE;
    for (c = 0; c < s->dim[1]; c++) {
        at = ((item / tiles * s->dim[1] + c) * inner + item % tiles * HY__TILE) * hy__traits[dtype].size;
        hy__channel_sum(sum, (const char *)job->in[0].data + at, dtype, s->dim[1], inner, c,
                        ((const hy___channel_window_sum_rec *)job->attr)->nsize / 2, 0, n);
        hy__store_f64((char *)job->out[0].data + at, dtype, 1, sum, n);
    }
}
static int hy___channel_window_sum_infer(hy_infer *I)
{
    return hy__infer_channel_window(I, ((const hy___channel_window_sum_rec *)I->attr)->nsize);
}
static int hy___channel_window_sum_bind(hy_job *job)
{
    return hy__channel_window_bind(job, ((const hy___channel_window_sum_rec *)job->attr)->nsize,
                                   hy__run_channel_sum);
}
static int hy___channel_window_sum_grad(hy_frame *F, hy_diff *D)        /* the window is symmetric */
{
    if (D->dy[0]) D->dx[0] = hy__channel_window_sum(F, D->dy[0],
                                                    ((const hy___channel_window_sum_rec *)D->attr)->nsize);
    return 0;
}
#define HY__ON__channel_window_sum \
    hy___channel_window_sum_infer, hy___channel_window_sum_bind, hy___channel_window_sum_grad, hy__batch_split

/* scale = knorm + alpha / nsize (sum of x^2 over the window), y = x scale^-beta */
static void hy__run_lrn(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    const hy__lrn_rec *r = (const hy__lrn_rec *)job->attr;
    const hy_shape *s = &job->in[0].type.shape;
    hy_dtype dtype = job->in[0].type.dtype, compute = hy__compute_type(dtype, 0);
    const hy__pointwise_table *table = hy__pointwise_of(job, compute);
    int64_t inner = hy__product(s, 2, s->ndim), tiles = hy__pieces(inner, HY__TILE), c, i, at;
    int64_t n = hy__gemm_min(inner - item % tiles * HY__TILE, HY__TILE);
    double sum[HY__TILE], scale[HY__TILE], x[HY__TILE], exponent[HY__TILE], beta = -r->beta;
    const void *in[2];
    int step[2];
    (void)stage; (void)scratch; (void)shared;
    step[0] = step[1] = 1;
    hy__load_tile(compute, exponent, &beta, HY_F64, 0, n);
    for (c = 0; c < s->dim[1]; c++) {
        at = ((item / tiles * s->dim[1] + c) * inner + item % tiles * HY__TILE) * hy__traits[dtype].size;
        hy__channel_sum(sum, (const char *)job->in[0].data + at, dtype, s->dim[1], inner, c, r->nsize / 2, 1,
                        n);
        for (i = 0; i < n; i++) sum[i] = r->knorm + r->alpha / r->nsize * sum[i];
        if (job->out[1].data) hy__store_f64((char *)job->out[1].data + at, dtype, 1, sum, n);
        hy__store_f64(scale, compute, 1, sum, n);
        in[0] = scale;
        in[1] = exponent;
        table->binary[HY__BINARY_power](in, step, sum, n, NULL);
        hy__load_tile(compute, x, (const char *)job->in[0].data + at, dtype, 1, n);
        in[0] = x;
        in[1] = sum;
        table->binary[HY__BINARY_mul](in, step, scale, n, NULL);
        hy__store_tile(compute, (char *)job->out[0].data + at, dtype, 1, scale, n);
    }
}
static int hy__lrn_infer(hy_infer *I)
{
    return hy__infer_channel_window(I, ((const hy__lrn_rec *)I->attr)->nsize);
}
static int hy__lrn_bind(hy_job *job)
{
    return hy__channel_window_bind(job, ((const hy__lrn_rec *)job->attr)->nsize, hy__run_lrn);
}

/* dscale = -beta dy x scale^(-beta - 1), and what comes in by itself; dx = dy scale^-beta + 2 alpha /
 * nsize x window(dscale) */
static int hy__lrn_grad(hy_frame *F, hy_diff *D)
{
    const hy__lrn_rec *r = (const hy__lrn_rec *)D->attr;
    hy_array *x = D->in[0], *dy = D->dy[0], *scale = D->out[1], *dscale = D->dy[1], *dx = NULL, *g;
    if (dy) {
        g = hy_mul(F, dy, hy_power_scalar(F, scale, -r->beta));
        dx = g;
        g = hy_mul_scalar(F, hy_mul(F, x, hy_div(F, g, scale)), -r->beta);
        dscale = dscale ? hy_add(F, dscale, g) : g;
    }
    if (!dscale) return 0;
    g = hy_mul(F, x, hy_mul_scalar(F, hy__channel_window_sum(F, dscale, r->nsize), 2 * r->alpha / r->nsize));
    D->dx[0] = dx ? hy_add(F, dx, g) : g;
    return 0;
}
#define HY__ON_lrn hy__lrn_infer, hy__lrn_bind, hy__lrn_grad, hy__batch_split
#endif

/* --- fresh arrays --- *
 * All are one loop over the elements: a maker fills `count` of them from number `first` on, in the type
 * `compute`; another type gets them converted, tile by tile.
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
        return hy_infer_fail(I, HY_ERROR_SHAPE, "%d dims; from 0 to %d are possible", shape->ndim,
                             (int)HY_MAX_DIM);
    for (d = 0; d < shape->ndim; d++)
        if (shape->dim[d] < -1) return hy_infer_fail(I, HY_ERROR_SHAPE, "size %l is negative", shape->dim[d]);
    if ((unsigned)dtype >= HY_DTYPE_COUNT)
        return hy_infer_fail(I, HY_ERROR_DTYPE, "%d is no dtype", (int)dtype);
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
    if (count > 1125899906842624.0 / r->repeat)
        return hy_infer_fail(I, HY_ERROR_SHAPE, "the range is too long");
    shape = hy__shape1(count > 0 ? (int64_t)count * r->repeat : 0);
    return hy__fresh_infer_type(I, &shape, r->dtype, HY_F32);
}
static int hy___arange_bind(hy_job *job)
{
    const hy___arange_rec *r = (const hy___arange_rec *)job->attr;
    return hy__range_bind(job, r->stop == HY_NONE ? 0 : r->start, r->step, r->repeat, 0, 0);
}
#define HY__ON__arange hy___arange_infer, hy___arange_bind, NULL, NULL

static int hy___linspace_infer(hy_infer *I)
{
    const hy___linspace_rec *r = (const hy___linspace_rec *)I->attr;
    hy_shape shape = hy__shape1(r->num);
    if (r->num < 0) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "num is %l", r->num);
    return hy__fresh_infer_type(I, &shape, r->dtype, HY_F32);
}
static int hy___linspace_bind(hy_job *job)
{
    const hy___linspace_rec *r = (const hy___linspace_rec *)job->attr;
    int64_t gaps = r->no_endpoint ? r->num : r->num - 1;
    return hy__range_bind(job, r->start, gaps > 0 ? (r->stop - r->start) / (double)gaps : 0, 1,
                          !r->no_endpoint && gaps > 0, r->stop);
}
#define HY__ON__linspace hy___linspace_infer, hy___linspace_bind, NULL, NULL

static int hy__arange_like_infer(hy_infer *I)
{
    const hy__arange_like_rec *r = (const hy__arange_like_rec *)I->attr;
    hy_shape *x = &I->in[0].shape;
    int at;
    hy__same_types(I);
    if (r->repeat < 1) return hy_infer_fail(I, HY_ERROR_ARGUMENT, "repeat is %d", r->repeat);
    if (r->axis == HY_NONE) {
        hy_infer_same(I, x, &I->out[0].shape);
        return I->status;
    }
    hy_infer_shape(I, &I->out[0].shape, hy__rank(1));
    if (x->ndim < 0 || I->status < 0) return I->status;
    at = hy__infer_axis(I, r->axis, x->ndim);
    if (at < 0) return -1;
    hy_infer_dim(I, &I->out[0].shape.dim[0], x->dim[at]);
    hy_infer_dim(I, &x->dim[at], I->out[0].shape.dim[0]);
    return I->status;
}
static int hy__arange_like_bind(hy_job *job)
{
    const hy__arange_like_rec *r = (const hy__arange_like_rec *)job->attr;
    return hy__range_bind(job, r->start, r->step, r->repeat, 0, 0);
}
#define HY__ON_arange_like hy__arange_like_infer, hy__arange_like_bind, NULL, NULL

/* --- eye: rows of `low` columns, ones where column - row is `high` --- */
static void hy__make_eye(const hy_job *job, const hy__fresh *f, void *to, int64_t first, int64_t count)
{
    double *y = (double *)to;
    int64_t i, row = first / f->low, column = first % f->low;
    (void)job;
    for (i = 0; i < count; i++) {
        y[i] = column - row == f->high;
        if (++column == f->low) { column = 0; row++; }
    }
}
static int hy___eye_infer(hy_infer *I)
{
    const hy___eye_rec *r = (const hy___eye_rec *)I->attr;
    hy_shape shape = hy__shape2(r->rows, r->columns ? r->columns : r->rows);
    if (r->rows < 0 || r->columns < 0)
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "%l rows and %l columns", r->rows, r->columns);
    return hy__fresh_infer_type(I, &shape, r->dtype, HY_F32);
}
static int hy___eye_bind(hy_job *job)
{
    hy__fresh *f = hy__fresh_bind(job, hy__make_eye, HY_F64, 0.6);
    f->low = job->out[0].type.shape.dim[1];
    f->high = ((const hy___eye_rec *)job->attr)->k;
    return 0;
}
#define HY__ON__eye hy___eye_infer, hy___eye_bind, NULL, NULL

/* --- random numbers --- */
enum { HY__UNIFORM, HY__NORMAL, HY__EXPONENTIAL };

static void hy__make_random(const hy_job *job, const hy__fresh *f, void *to, int64_t first, int64_t count)
{
    if (f->compute == HY_F32)
        hy__fill_random_f32(job->kernels->isa, (int)f->low, (float *)to, first, count, job->seed, job->stream,
                            (float)f->a, (float)f->b);
    else
        hy__fill_random_f64((int)f->low, (double *)to, first, count, job->seed, job->stream, f->a, f->b);
}

static int hy__random_bind_kind(hy_job *job, int kind, double a, double b)
{
    static const double ns[] = { 1, 2.5, 2 };
    hy_dtype compute = hy__compute_type(job->out[0].type.dtype, 0);
    hy__fresh *f = hy__fresh_bind(job, hy__make_random, compute, ns[kind]);
    f->low = kind;
    f->a = a;
    f->b = b;
    return 0;
}

static int hy__uniform_check(hy_infer *I, double low, double high)
{
    return low <= high && high - low < HUGE_VAL ? 0
         : hy_infer_fail(I, HY_ERROR_ARGUMENT, "low is above high, or one of them is no number");
}
static int hy__normal_check(hy_infer *I, double loc, double scale)
{
    return scale >= 0 && loc - loc + scale < HUGE_VAL ? 0
         : hy_infer_fail(I, HY_ERROR_ARGUMENT, "scale is negative, or loc or scale is no number");
}
static int hy__exponential_check(hy_infer *I, double lam)
{
    return lam > 0 ? 0 : hy_infer_fail(I, HY_ERROR_ARGUMENT, "lam must be above 0");
}

/* A distribution: random_x of a given shape, x_like of the shape of data. */
#define HY__DISTRIBUTION(x, kind, check, a, b) \
    static int hy__random_##x##_infer(hy_infer *I) \
    { \
        const hy__random_##x##_rec *r = (const hy__random_##x##_rec *)I->attr; \
        if (check) return -1; \
        return hy__fresh_infer_type(I, &r->shape, r->dtype, HY_F32); \
    } \
    static int hy__random_##x##_bind(hy_job *job) \
    { \
        const hy__random_##x##_rec *r = (const hy__random_##x##_rec *)job->attr; \
        return hy__random_bind_kind(job, kind, a, b); \
    } \
    static int hy__##x##_like_infer(hy_infer *I) \
    { \
        const hy__##x##_like_rec *r = (const hy__##x##_like_rec *)I->attr; \
        if (check) return -1; \
        return hy_infer_pointwise(I); \
    } \
    static int hy__##x##_like_bind(hy_job *job) \
    { \
        const hy__##x##_like_rec *r = (const hy__##x##_like_rec *)job->attr; \
        return hy__random_bind_kind(job, kind, a, b); \
    }
HY__DISTRIBUTION(uniform, HY__UNIFORM, hy__uniform_check(I, r->low, r->high), r->low, r->high)
HY__DISTRIBUTION(normal, HY__NORMAL, hy__normal_check(I, r->loc, r->scale), r->loc, r->scale)
HY__DISTRIBUTION(exponential, HY__EXPONENTIAL, hy__exponential_check(I, r->lam), 1 / r->lam, 0)
#define HY__ON_random_uniform     hy__random_uniform_infer, hy__random_uniform_bind, NULL, NULL
#define HY__ON_random_normal      hy__random_normal_infer, hy__random_normal_bind, NULL, NULL
#define HY__ON_random_exponential hy__random_exponential_infer, hy__random_exponential_bind, NULL, NULL
#define HY__ON_uniform_like       hy__uniform_like_infer, hy__uniform_like_bind, NULL, NULL
#define HY__ON_normal_like        hy__normal_like_infer, hy__normal_like_bind, NULL, NULL
#define HY__ON_exponential_like   hy__exponential_like_infer, hy__exponential_like_bind, NULL, NULL

static void hy__make_randint(const hy_job *job, const hy__fresh *f, void *to, int64_t first, int64_t count)
{
    hy__fill_randint_i64((int64_t *)to, first, count, job->seed, job->stream, f->low, f->high);
}
/* Does a type hold this integer? Floats take any. */
static int hy__holds(hy_dtype dtype, int64_t v)
{
    switch (dtype) {
    case HY_I8:   return v >= -128 && v <= 127;
    case HY_U8:   return v >= 0 && v <= 255;
    case HY_I32:  return v >= INT32_MIN && v <= INT32_MAX;
    case HY_BOOL: return v >= 0 && v <= 1;
    default:      return 1;
    }
}
static int hy__random_randint_infer(hy_infer *I)
{
    const hy__random_randint_rec *r = (const hy__random_randint_rec *)I->attr;
    hy_dtype dtype = r->dtype ? r->dtype : HY_I32;
    if (r->low >= r->high)
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "no integer is at least %l and below %l", r->low, r->high);
    if (!hy__holds(dtype, r->low) || !hy__holds(dtype, r->high - 1))
        return hy_infer_fail(I, HY_ERROR_ARGUMENT, "%t does not hold all integers from %l to below %l",
                             (int)dtype, r->low, r->high);
    return hy__fresh_infer_type(I, &r->shape, r->dtype, HY_I32);
}
static int hy__random_randint_bind(hy_job *job)
{
    const hy__random_randint_rec *r = (const hy__random_randint_rec *)job->attr;
    hy__fresh *f = hy__fresh_bind(job, hy__make_randint, HY_I64, 2.5);
    f->low = r->low;
    f->high = r->high;
    return 0;
}
#define HY__ON_random_randint hy__random_randint_infer, hy__random_randint_bind, NULL, NULL

/* --- shuffle: one item draws the order (Fisher and Yates), then slices are copied --- */
static int hy__shuffle_infer(hy_infer *I)
{
    hy_shape *x = &I->in[0].shape;
    hy_infer_type(I, &I->out[0].dtype, I->in[0].dtype);
    hy_infer_type(I, &I->in[0].dtype, I->out[0].dtype);
    hy_infer_type(I, &I->out[1].dtype, HY_I64);
    hy_infer_same(I, x, &I->out[0].shape);
    if (x->ndim == 0) return hy_infer_fail(I, HY_ERROR_SHAPE, "data needs at least one dim");
    hy_infer_shape(I, &I->out[1].shape, hy__shape1(x->ndim > 0 ? x->dim[0] : -1));
    return I->status;
}

static void hy__run_shuffle(hy_job *job, int stage, int64_t item, void *scratch, void *shared)
{
    int64_t *order = (int64_t *)(job->out[1].data ? job->out[1].data : shared);
    int64_t n = job->in[0].type.shape.dim[0], rows = job->plan.i[0], bytes = job->plan.i[1], i;
    const char *from = (const char *)job->in[0].data;
    char *to = (char *)job->out[0].data;
    (void)scratch;
    if (stage == 0) {
        for (i = 0; i < n; i++) {                       /* element i goes to a random place up to i */
            uint64_t bits = hy__random_u64(job->seed, job->stream, (uint64_t)i);
            int64_t j = (int64_t)hy__mul_high_u64(bits, (uint64_t)i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        return;
    }
    for (i = item * rows; i < n && i < (item + 1) * rows; i++)
        memcpy(to + i * bytes, from + order[i] * bytes, (size_t)bytes);
}
static int hy__shuffle_bind(hy_job *job)
{
    const hy_shape *x = &job->in[0].type.shape;
    int64_t n = x->dim[0], bytes = hy__product(x, 1, x->ndim) * hy__traits[job->in[0].type.dtype].size;
    job->plan.i[0] = bytes < 65536 ? 65536 / (bytes + 8) + 1 : 1;
    job->plan.i[1] = bytes;
    job->run = hy__run_shuffle;
    job->stages = 2;
    job->items[0] = n > 0;
    job->items[1] = bytes ? hy__pieces(n, job->plan.i[0]) : 0;
    job->shared = (size_t)n * sizeof(int64_t);
    job->cost = 10.0 * (double)n + 0.1 * (double)n * (double)bytes;
    return 0;
}
static int hy__shuffle_grad(hy_frame *F, hy_diff *D)
{
    if (D->dy[0]) D->dx[0] = hy__take_grad(F, D->dy[0], D->out[1], D->in[0], 0, NULL);
    return 0;
}
#define HY__ON_shuffle hy__shuffle_infer, hy__shuffle_bind, hy__shuffle_grad, NULL
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
    static const hy_attr hy__##name##_attr[] = { HY_P_##name(HY__ROW_P, name) HY_A_##name(HY__ROW_A, \
            name) HY__NO_ATTR };
HY_OPS(HY__TABLES_OP, HY__TABLES_OPT)

static const hy_arg hy__one_in[]  = { HY_I_DATA(HY__ROW_ARG) HY__NO_ARG };
static const hy_arg hy__two_in[]  = { HY_I_PAIR(HY__ROW_ARG) HY__NO_ARG };
static const hy_arg hy__one_out[] = { HY_O_OUT(HY__ROW_ARG) HY__NO_ARG };
static const hy_attr hy__scalar_attr[] = { HY_P_SCALAR(HY__ROW_P, scalar) HY__NO_ATTR };
static const hy_attr hy__reduce_attr[] = { HY_P_AXES(HY__ROW_P, reduce) HY_A_REDUCE(HY__ROW_A,
        reduce) HY__NO_ATTR };

/* Without training no operator has a gradient, and the functions that would emit one are left out. */
#ifdef HYBRID_NO_TRAIN
#define HY__GRAD(grad) NULL
#define HY__WITHOUT_GRAD(infer, bind, grad, split) infer, bind, NULL, split
#define HY__BEHAVIOUR(...) HY__WITHOUT_GRAD(__VA_ARGS__)
#else
#define HY__GRAD(grad) grad
#define HY__BEHAVIOUR(...) __VA_ARGS__
#endif
#define HY__POINTWISE_FLAGS HY_OP_POINTWISE | HY_OP_INPLACE | HY_OP_STRIDED
#define HY__UNARY_ENTRY(name, mxnet, class, formula, grad, doc) \
    { #name, mxnet, NULL, doc, hy__one_in, hy__one_out, NULL, 0, HY__POINTWISE_FLAGS, HY__UNARY_##name, \
        NULL, \
      hy_infer_pointwise, hy__unary_bind, HY__GRAD(hy__##name##_grad), hy__pointwise_split },
#define HY__BINARY_ENTRY(name, speed, saves, broadcast, more, same, old, scalar, old_scalar, formula, da, \
                         db, doc) \
    { #name, broadcast, more, doc ", broadcasting", hy__two_in, hy__one_out, NULL, 0, \
        HY_OP_STRIDED | (saves), \
      HY__BINARY_##name, NULL, hy__broadcast_infer, hy__binary_bind, HY__GRAD(hy__##name##_grad), NULL }, \
    { "elemwise_" #name, same, old, doc ", for equal shapes", hy__two_in, hy__one_out, NULL, 0, \
      HY__POINTWISE_FLAGS | (saves), HY__BINARY_##name, NULL, hy_infer_pointwise, hy__binary_bind, \
          HY__GRAD(hy__##name##_grad), \
      hy__pointwise_split }, \
    { #name "_scalar", scalar, old_scalar, doc ", b a number", hy__one_in, hy__one_out, hy__scalar_attr, \
      sizeof(hy__scalar_rec), HY__POINTWISE_FLAGS, HY__BINARY_##name, NULL, hy_infer_pointwise, \
          hy__scalar_bind, \
      HY__GRAD(hy__##name##_scalar_grad), hy__pointwise_split },
#define HY__RSCALAR_ENTRY(name, mxnet, alias, grad, doc) \
    { "r" #name "_scalar", mxnet, alias, doc, hy__one_in, hy__one_out, hy__scalar_attr, \
        sizeof(hy__scalar_rec), \
      HY__POINTWISE_FLAGS, HY__BINARY_##name, NULL, hy_infer_pointwise, hy__rscalar_bind, \
          HY__GRAD(hy__r##name##_scalar_grad), \
      hy__pointwise_split },
#define HY__REDUCE_ENTRY(name, mxnet, alias, kind, saves, doc) \
    { #name, mxnet, alias, doc, hy__one_in, hy__one_out, hy__reduce_attr, sizeof(hy__reduce_rec), \
      saves, kind, NULL, hy__reduce_infer, hy__reduce_bind, HY__GRAD(hy__reduce_grad), NULL },
#define HY__ENTRY(name, mxnet, aliases, flags, doc) \
    { #name, mxnet, aliases, doc, hy__##name##_in, hy__##name##_out, hy__##name##_attr, \
        sizeof(hy__##name##_rec), flags, 0, \
      hy__##name##_count, HY__BEHAVIOUR(HY__ON_##name) },
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
    if (hy__grow(&root->heap, (void **)&root->ops, &root->ops_cap, root->nops + 1, sizeof *root->ops))
        return -1;
    root->ops[root->nops++] = op;
    return hy__name_op(F, op, root->nops - 1);
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
    if (op->record > HY__RECORD_MAX) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_register: a record may have %d bytes", (int)HY__RECORD_MAX);
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
#if defined(HYBRID_NO_TRAIN) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/* MARK: - 18 >>invoke -----------------------------------------------------------------------------------
 *
 * emit_run: an operator runs now. Infer, allocate, bind, run; the same steps that an executor takes once.
 */

/* Arguments of one call: types, tensors and where they live. Few stay on the stack. */
enum { HY__FEW = 8, HY__MOST_OUTPUTS = 1 << 20 };
typedef struct hy__call {
    int        nin, nout;
    hy_type   *type;                    /* inputs, then outputs */
    hy_tensor *tensor;
    int       *hidden;                  /* per output */
    hy__buffer *room;                   /* of many */
    const char *name;                   /* of the node it is for, or NULL */
    int        nsub;
    hy_graph *const *sub;
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
    c->room = NULL;
    c->name = NULL;
    c->nsub = 0;
    c->sub = NULL;
    for (i = 0; op->out[i].name; i++) {
        n = hy__arg_count(op, op->out, 1, i, record, &hidden);
        if (n > HY__MOST_OUTPUTS - c->nout) {
            hy__fail(F, HY_ERROR_ARGUMENT, "%s: %d outputs are too many", op->name, n);
            return -1;
        }
        if (n > 0) c->nout += n;
    }
    total = nin + c->nout;
    c->type = c->few_types;
    c->tensor = c->few_tensors;
    c->hidden = c->few_hidden;
    if (total > HY__FEW) {
        c->room = hy__buffer_new(&F->cache, (size_t)total * (sizeof *c->type + sizeof *c->tensor +
                                                             sizeof *c->hidden));
        if (!c->room) { hy__no_memory(F, op->name); return -1; }
        c->type = (hy_type *)c->room->data;
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
static void hy__call_close(hy_frame *F, hy__call *c) { hy__buffer_drop(&F->cache, c->room); }

/* "data (2,3) float32, weight (4,5) float32": what an error is about. */
static void hy__put_inputs(hy__line *out, const hy_op *op, const void *record, const hy__call *c)
{
    int i, k = 0, n, hidden, nin = c->nin;
    for (i = 0; op->in[i].name && k < nin; i++) {
        n = hy__arg_count(op, op->in, 0, i, record, &hidden);
        if (n < 0) n = nin - k;
        for (; n > 0 && k < nin; n--, k++) {
            if (k) hy__puts(out, ", ");
            hy__puts(out, op->in[i].name);
            hy__puts(out, " ");
            hy__put_shape(out, c->type ? &c->type[k].shape : &c->tensor[k].type.shape);
            hy__puts(out, " ");
            hy__puts(out, hy_dtype_name(c->type ? c->type[k].dtype : c->tensor[k].type.dtype));
        }
    }
}

static void hy__fail_call(hy_frame *F, hy_error_t code, const hy_op *op, const void *record,
                          const hy__call *c,
                          const char *why)
{
    char about[320];
    hy__line line;
    line.text = about;
    line.cap = sizeof about;
    line.n = 0;
    about[0] = 0;
    hy__put_inputs(&line, op, record, c);
    if (c->name) hy__fail(F, code, "Error in operator %s, %s: %s (%s)", c->name, op->name, why, about);
    else hy__fail(F, code, "Error in operator %s: %s (%s)", op->name, why, about);
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
    hy__fail(F, HY_ERROR_ARGUMENT, "Operator %s expects %s%d inputs, but got %d instead", op->name,
             due < 0 ? "at least " : "",
             due < 0 ? 1 : due, n);
    return 0;
}

static int hy__types_known(const hy_type *type, int n)
{
    int i;
    for (i = 0; i < n; i++) if (!type[i].dtype || !hy__shape_known(&type[i].shape)) return 0;
    return 1;
}

/* Runs inference to its fixpoint. value: tensors of the inputs, for operators whose values decide the
 * shape. */
static int hy__infer_call(hy_frame *F, hy__call *c, const hy_op *op, const void *record,
                          const hy_tensor *value)
{
    hy_infer I;
    int round = 0;
    I.op = op;
    I.attr = record;
    I.nin = c->nin;
    I.nout = c->nout;
    I.in = c->type;
    I.out = c->type + c->nin;
    I.nsub = c->nsub;
    I.sub = c->sub;
    I.value = value;
    I.code = HY_ERROR_SHAPE;
    I.text[0] = 0;
    do { I.status = 0; op->infer(&I); }
    while (I.status > 0 && ++round < 8 && !hy__types_known(c->type, c->nin + c->nout));
    if (I.status >= 0) return 0;
    hy__fail_call(F, I.code, op, record, c, I.text);
    return -1;
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
    job->nsub = c->nsub;
    job->sub = c->sub;
    job->training = F->training;
    job->seed = F->seed;
    job->stream = F->stream;
    job->run = NULL;
    job->stages = 0;
    job->scratch = job->shared = 0;
    job->fault = 0;
    job->fault_text = "bad data";
    job->cost = 0;
    job->code = HY_ERROR_UNSUPPORTED;
    strcpy(job->text, "there is no kernel for this");
    if (!op->bind(job) && job->stages >= 0 && job->stages <= HY_MAX_STAGES && (job->run || !job->stages))
        return 0;
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
    hy_array *first = NULL, *group;
    for (i = 0; i < c->nout; i++) if (!c->hidden[i]) { if (!n) first = out[i]; n++; }
    if (n == 1) return first;
    group = hy__group_make(F, n);
    for (i = n = 0; group && i < c->nout; i++) if (!c->hidden[i]) group->item[n++] = out[i];
    return group;
}

/* --- parameters --- */
/* Other handles of the same parameter follow. */
static void hy__param_sync(hy_frame *F, hy__param *p)
{
    hy__param *s;
    for (s = p->sharer; s; s = s->next_sharer) {
        hy__buffer *old = s->array.buffer;
        s->array.t = p->array.t;
        s->array.buffer = p->array.buffer ? hy__buffer_hold(p->array.buffer) : NULL;
        hy__buffer_drop(&F->cache, old);
    }
}

static hy__param *hy__param_of(hy_array *x) { return x->param->same ? x->param->same : x->param; }

/* Seeds the values of a parameter: they do not depend on what else was drawn. */
static uint64_t hy__path_seed(const hy_root *root, const char *path)
{
    uint64_t h = root->desc.seed ^ 0xcbf29ce484222325u;
    for (; path && *path; path++) h = (h ^ (unsigned char)*path) * 0x100000001b3u;
    return h ^ h >> 29;
}

static void hy__init_default(hy_frame *F, hy_array *x)
{
    hy_assign(F, x, hy_uniform(F, x->t.type.shape, -0.07, 0.07));
}

/* Memory and initial values for a parameter whose type is now known. */
static int hy__param_fill(hy_frame *F, hy__param *p, const hy_type *type)
{
    const hy_init *init = p->init.fn ? &p->init : p->wanted.fn ? &p->wanted : NULL;
    uint64_t seed = F->seed, stream = F->stream;
    hy__emit_fn emit = F->emit;
    hy__buffer *b;
    if (!p->deferred && !p->set) { hy__fail_param(F, p, "hy_call"); return -1; }
    if (!hy__shape_known(&type->shape)) {
        hy__fail(F, HY_ERROR_SHAPE, "Deferred initialization failed because shape cannot be inferred: parameter "
                 "'%s' is %z", p->name, &type->shape);
        return -1;
    }
    if (!hy__check_type(F, type, p->name)) return -1;
    b = hy__buffer_new(&F->cache, (size_t)hy__bytes(type));
    if (!b) { hy__no_memory(F, p->name); return -1; }
    b->watched = 1;
    p->array.t.type = *type;
    hy__pack_strides(&p->array.t);
    p->array.t.data = b->data;
    p->array.buffer = b;
    F->emit = F->emit_below;
    F->seed = hy__path_seed(F->root, p->path ? p->path : p->name);
    F->stream = 0;
    hy_begin(F);
    if (p->set) {
        hy_tensor t;
        t.type = p->set_type;
        t.data = p->set->data;
        hy__pack_strides(&t);
        if (hy__same_shape(&t.type.shape, &type->shape)) hy__copy_tensor(&p->array.t, &t);
        else hy__fail(F, HY_ERROR_SHAPE, "parameter '%s': a value of shape %z was set, the network needs %z",
                      p->name, &t.type.shape, &type->shape);
    } else if (init) init->fn(F, init, p->path ? p->path : p->name, &p->array);
    else hy__init_default(F, &p->array);
    hy_end(F);
    F->emit = emit;
    F->seed = seed;
    F->stream = stream;
    p->next_fresh = F->fresh;
    F->fresh = p;
    hy__param_sync(F, p);
    HY__ADD(&F->root->epoch, 1);
    return F->code ? -1 : 0;
}

/* After a failed call: parameters that got values in it are again without. */
static void hy__take_back(hy_frame *F)
{
    while (F->fresh) {
        hy__param *p = F->fresh;
        F->fresh = p->next_fresh;
        hy__buffer_drop(&F->cache, p->array.buffer);
        p->array.buffer = NULL;
        p->array.t.type.shape = p->declared;
        hy__param_sync(F, p);
        HY__ADD(&F->root->epoch, 1);
    }
}

/* Parameters whose shape nobody gave take the one that the other inputs decide. */
static int hy__ready_params(hy_frame *F, hy__call *c, const hy_op *op, hy_array *const *in, const void *record)
{
    int i, some = 0;
    for (i = 0; i < c->nin; i++) {
        if (!hy__alive(F, in[i], op->name)) return -1;
        c->type[i] = in[i]->t.type;
        some |= in[i]->param && !in[i]->buffer;
    }
    if (!some || hy__infer_call(F, c, op, record, NULL)) return some ? -1 : 0;
    for (i = 0; i < c->nin; i++)
        if (in[i]->param && !in[i]->buffer && hy__param_fill(F, hy__param_of(in[i]), &c->type[i])) return -1;
    for (i = c->nin; i < c->nin + c->nout; i++) {
        c->type[i].dtype = HY_DTYPE_NONE;
        c->type[i].shape.ndim = -1;
    }
    return 0;
}

/* Fills out[] (NULL for hidden outputs that nobody wants) and returns 0, or fails. */
static int hy__run_call(hy_frame *F, hy__call *c, const hy_op *op, hy_array *const *in, const void *record,
                        hy_array **out)
{
    int i;
    for (i = 0; i < c->nin && (!in[i]->param || in[i]->buffer); i++) continue;
    if (i < c->nin && hy__ready_params(F, c, op, in, record)) return -1;
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
        if (c->hidden[i] && !F->hidden) { hy__pack_strides(&c->tensor[c->nin + i]); continue; }
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
static hy_array *hy__run_op(hy_frame *F, const hy_op *op, int n, hy_array *const *in, const void *record,
                            hy__call *c,
                            hy_array **out)
{
    hy_array *y = NULL;
    if (!hy__check_count(F, op, n, record) || hy__check_aux(F, op, n, in, record)) return NULL;
    if (!hy__run_call(F, c, op, in, record, out)) y = hy__result(F, c, out);
    return y;
}

static hy_array *hy__emit_run(hy_frame *F, const hy_op *op, int n, hy_array *const *in, const void *record,
                              int nsub,
                              hy_graph *const *sub)
{
    hy__call c;
    hy_array *few[HY__FEW], **out = few, *y;
    hy__buffer *room = NULL;
    (void)nsub; (void)sub;
    if (hy__call_open(F, &c, op, n, record)) return NULL;
    if (c.nout > HY__FEW) {
        room = hy__buffer_new(&F->cache, (size_t)c.nout * sizeof *out);
        out = room ? (hy_array **)room->data : NULL;
    }
    y = out ? hy__run_op(F, op, n, in, record, &c, out) : (hy_array *)hy__no_memory(F, op->name);
    hy__buffer_drop(&F->cache, room);
    hy__call_close(F, &c);
    return y;
}

/* --- operators by name --- */
HY_API hy_array *hy_emit(hy_frame *F, const hy_op *op, int n, hy_array *const *in, const void *record)
{
    union { double align[HY__RECORD_MAX / 8]; char bytes[1]; } plain;
    if (!F || F->code) return NULL;
    if (!op || n < 0 || op->record > sizeof plain) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_emit: %s", op ? "the record is too large"
                 : "the operator is NULL");
        return NULL;
    }
    if (op->record && !record) {
        hy__record_clear(op, &plain);
        record = &plain;
    }
    return hy__emit_flat(F, op, n, in, record);
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
    union { double align[HY__RECORD_MAX / 8]; char bytes[1]; } record;
    char room[512], *key = NULL, *value = NULL;
    const char *s = attributes ? attributes : "";
    const hy_op *op = hy_op_find(F, name);
    uint64_t seen = 0;
    if (!F || F->code) return NULL;
    if (!op) { hy__fail(F, HY_ERROR_UNKNOWN, "hy_apply: Operator %s is not registered", name); return NULL; }
    if (op->record > sizeof record) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_apply: the record of %s is too large", name);
        return NULL;
    }
    hy__record_clear(op, &record);
    while ((s = hy__next_attribute(s, room, sizeof room, &key, &value)) != NULL) {
        if (key == value) {
            hy__fail(F, HY_ERROR_ARGUMENT, "hy_apply: '%s' is no name=value", key);
            return NULL;
        }
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
    if (!hy__concrete(F, y, who, "a = a + b instead of a += b") ||
        !hy__concrete(F, x, who, "a = a + b instead of a += b") ||
        !hy__writable(F, x, who)) return;
    if (!hy__fits(&x->t.type.shape, &y->t.type.shape) || x->t.type.dtype != y->t.type.dtype) {
        hy__fail(F, x->t.type.dtype != y->t.type.dtype ? HY_ERROR_DTYPE : HY_ERROR_SHAPE,
                 "%s: %z %t does not fit into %z %t", who, &y->t.type.shape, (int)y->t.type.dtype,
                     &x->t.type.shape,
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
HY_API void hy_add_to(hy_frame *F, hy_array *x, hy_array *y)
{
    hy__in_place(F, x, y, HY_OP_add, "hy_add_to");
}
HY_API void hy_sub_from(hy_frame *F, hy_array *x, hy_array *y)
{
    hy__in_place(F, x, y, HY_OP_sub, "hy_sub_from");
}
HY_API void hy_mul_by(hy_frame *F, hy_array *x, hy_array *y)
{
    hy__in_place(F, x, y, HY_OP_mul, "hy_mul_by");
}
HY_API void hy_div_by(hy_frame *F, hy_array *x, hy_array *y)
{
    hy__in_place(F, x, y, HY_OP_div, "hy_div_by");
}

/* --- asking a frame --- */
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

/* MARK: - 19 >>graph ------------------------------------------------------------------------------------
 *
 * A traced program. Nodes live in a store, in the order they were made; a graph is what some heads need of
 * it, inputs first, depth-first from the heads. A symbolic frame fills a store; a pass fills a fresh one with
 * hy__graph_new, hy__node_copy, hy__node_join and hy__graph_finish. A finished graph never changes.
 */
typedef struct hy__nodes {              /* where nodes live */
    int       refs;
    hy__heap *heap;
    hy__node **node;
    int       n, cap;
} hy__nodes;

/* How a graph is to be compiled. */
typedef struct hy__mode {
    int training, exact, off, print;
    int recorded;                       /* its values may serve a backward: parameters may change any time */
    int threads;                        /* 0: as many as the root has */
} hy__mode;

/* What later rooms hang on a graph; freed with it. */
typedef struct hy__attached {
    struct hy__attached *next;
    void (*free_fn)(hy_root *root, struct hy__attached *it);
} hy__attached;

struct hy_graph {
    int         refs;
    hy_root    *root;
    hy__nodes  *store;
    hy__node  **node;                   /* in topological order */
    int         n;
    hy__edge   *head;
    int         heads;
    int         vars;                   /* variables that are inputs, in the order they were made */
    hy__node  **var;
    int        *place;                  /* by a node's number in the store: where it stands here, or -1 */
    int         ranks;                  /* random operators of the program it was traced from */
    char      **label;                  /* names of outputs and internals, made when asked for */
    int         labels;
    hy__attached *programs, *derived;   /* compiled for certain types; its gradients */
    hy_graph   *next;                   /* of the root's list */
};

static void hy__attached_free(hy_root *root, hy__attached *it)
{
    hy__attached *next;
    for (; it; it = next) { next = it->next; it->free_fn(root, it); }
}

/* Graphs may hold graphs, so this walks a list instead of the stack. */
static void hy__graph_drop(hy_graph *g)
{
    hy_graph *todo = NULL;
    int i;
    if (!g || HY__ADD(&g->refs, -1) > 0) return;
    for (g->next = NULL, todo = g; todo; ) {
        hy__heap *heap = &todo->root->heap;
        hy__nodes *store;
        g = todo;
        store = g->store;
        todo = g->next;
        hy__attached_free(g->root, g->programs);
        hy__attached_free(g->root, g->derived);
        if (store && HY__ADD(&store->refs, -1) == 0) {
            for (i = 0; i < store->n; i++) {
                hy_graph *sub = store->node[i]->sub;
                if (sub && HY__ADD(&sub->refs, -1) == 0) { sub->next = todo; todo = sub; }
                hy__buffer_free(heap, store->node[i]->held);
                hy__free(heap, store->node[i]->given);
                hy__free(heap, store->node[i]);
            }
            hy__free(heap, (void *)store->node);
            hy__free(heap, store);
        }
        for (i = 0; i < g->labels; i++) hy__free(heap, g->label[i]);
        hy__free(heap, (void *)g->label);
        hy__free(heap, (void *)g->node);
        hy__free(heap, g->head);
        hy__free(heap, (void *)g->var);
        hy__free(heap, g->place);
        hy__free(heap, g);
    }
}

/* --- nodes --- */
/* A node with room for everything it owns, in one block. It joins a store when it is complete. */
static hy__node *hy__node_new(hy_frame *F, const hy_op *op, int nin, int nout, const void *record,
                              const char *name)
{
    size_t size = hy__round64(sizeof(hy__node)), edges = hy__round64((size_t)nin * sizeof(hy__edge));
    size_t types = hy__round64((size_t)nout * sizeof(hy_type)), rec = op ? hy__round64(op->record) : 0;
    char *block = (char *)hy__alloc_zero(&F->root->heap, size + edges + types + rec + strlen(name) + 12);
    hy__node *node = (hy__node *)(void *)block;
    int i;
    if (!node) return (hy__node *)hy__no_memory(F, "graph");
    node->op = op;
    node->nin = nin;
    node->nout = nout;
    node->in = (hy__edge *)(void *)(block + size);
    node->type = (hy_type *)(void *)(block + size + edges);
    node->record = block + size + edges + types;
    node->name = block + size + edges + types + rec;
    if (rec && op->record) memcpy(node->record, record, op->record);
    memcpy(block + size + edges + types + rec, name, strlen(name) + 1);
    for (i = 0; i < nout; i++) node->type[i].shape.ndim = -1;
    return node;
}

/* The same node for another store; its inputs are still those of `from`. */
static hy__node *hy__node_copy(hy_frame *F, const hy__node *from)
{
    hy__node *node = hy__node_new(F, from->op, from->nin, from->nout, from->record, from->name);
    if (!node) return NULL;
    if (from->nin) memcpy(node->in, from->in, (size_t)from->nin * sizeof *node->in);
    memcpy(node->type, from->type, (size_t)from->nout * sizeof *node->type);
    node->constant = from->constant;
    node->held = from->held ? hy__buffer_hold(from->held) : NULL;
    node->sub = from->sub;
    if (node->sub) HY__ADD(&node->sub->refs, 1);
    node->param = from->param;
    node->aux = from->aux;
    node->rank = from->rank;
    node->early = from->early;
    return node;
}

static void hy__node_discard(hy_frame *F, hy__node *node)
{
    if (!node) return;
    hy__graph_drop(node->sub);
    hy__buffer_drop(&F->cache, node->held);
    hy__free(&F->root->heap, node->given);
    hy__free(&F->root->heap, node);
}

/* Behind every node it uses. The store owns it from here; on failure nobody does. */
static int hy__node_join(hy_frame *F, hy__nodes *store, hy__node *node)
{
    if (hy__grow(&F->root->heap, (void **)&store->node, &store->cap, store->n + 1, sizeof *store->node)) {
        hy__no_memory(F, "graph");
        return -1;
    }
    node->number = store->n;
    store->node[store->n++] = node;
    return 0;
}

static hy__node *hy__constant_node(hy_frame *F, const hy_tensor *t, hy__buffer *buffer)
{
    hy__node *node = hy__node_new(F, NULL, 0, 1, NULL, "constant");
    if (!node) return NULL;
    node->type[0] = t->type;
    node->constant = *t;
    node->held = hy__buffer_hold(buffer);
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

/* --- graphs --- */
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

static int hy__graph_room_heads(hy_frame *F, hy_graph *g, int heads)
{
    g->heads = heads;
    g->head = (hy__edge *)hy__alloc_zero(&F->root->heap, (size_t)heads * sizeof *g->head + 1);
    if (g->head) return 0;
    hy__no_memory(F, "graph");
    return -1;
}

/* Depth-first from the heads, inputs left to right; `todo` has room for every node of the store. */
static void hy__graph_order(hy_graph *g, hy__node **todo)
{
    int i, n = 0;
    for (i = 0; i < g->store->n; i++) g->store->node[i]->mark = 0;
    for (i = 0; i < g->heads; i++) {
        if (g->head[i].node->mark) continue;
        g->head[i].node->mark = 1;      /* mark - 1: inputs looked at */
        todo[n++] = g->head[i].node;
        while (n) {
            hy__node *node = todo[n - 1];
            if (node->mark - 1 == node->nin) { g->node[g->n++] = node; n--; continue; }
            node = node->in[node->mark++ - 1].node;
            if (!node->mark) { node->mark = 1; todo[n++] = node; }
        }
    }
}

/* What the heads need, inputs first; the variables that it takes, needed or not. */
static int hy__graph_finish(hy_frame *F, hy_graph *g)
{
    hy__nodes *s = g->store;
    size_t bytes = (size_t)s->n * sizeof *g->node + 1;
    hy__node **todo = (hy__node **)hy__alloc(&F->root->heap, bytes);
    int i;
    g->node = (hy__node **)hy__alloc(&F->root->heap, bytes);
    g->var = (hy__node **)hy__alloc(&F->root->heap, bytes);
    g->place = (int *)hy__alloc(&F->root->heap, (size_t)s->n * sizeof *g->place + 1);
    if (todo && g->node && g->var && g->place) hy__graph_order(g, todo);
    else hy__no_memory(F, "graph");
    hy__free(&F->root->heap, (void *)todo);
    if (F->code) return -1;
    for (i = 0; i < s->n; i++) g->place[i] = -1;
    for (i = 0; i < g->n; i++) g->place[g->node[i]->number] = i;
    for (i = 0; i < s->n; i++)
        if (!s->node[i]->op && !s->node[i]->held && !s->node[i]->param) g->var[g->vars++] = s->node[i];
    return 0;
}

/* Numbers in automatic names follow the order of the graph, since C leaves open in which order the arguments
 * of a call are computed. table: a power of two, more than twice the nodes. */
static void hy__settle_names(hy_graph *g, hy__node **table, int *count, int size)
{
    int i;
    for (i = 0; i < g->n; i++) {
        hy__node *node = g->node[i];
        size_t base = strlen(node->name);
        uint32_t h = 2166136261u ^ (uint32_t)node->scope, at;
        hy__line line;
        if (!node->counted) continue;
        while (base && node->name[base - 1] >= '0' && node->name[base - 1] <= '9') base--;
        for (at = 0; at < base; at++) h = (h ^ (unsigned char)node->name[at]) * 16777619u;
        for (at = h & (uint32_t)(size - 1); table[at]; at = (at + 1) & (uint32_t)(size - 1))
            if (table[at]->scope == node->scope && !strncmp(table[at]->name, node->name, base) &&
                table[at]->name[base] >= '0' && table[at]->name[base] <= '9') break;
        table[at] = node;
        line.text = (char *)node->record + (node->op ? hy__round64(node->op->record) : 0);
        line.n = base;
        line.cap = base + 12;
        hy__put_int(&line, count[at]++);
    }
}

static int hy__graph_settle(hy_frame *F, hy_graph *g)
{
    int size = 64;
    char *room;
    while (size < 2 * g->n + 2) size *= 2;
    room = (char *)hy__alloc_zero(&F->root->heap, (size_t)size * (sizeof(hy__node *) + sizeof(int)));
    if (!room) { hy__no_memory(F, "graph"); return -1; }
    hy__settle_names(g, (hy__node **)(void *)room, (int *)(void *)(room + (size_t)size * sizeof(hy__node *)),
                     size);
    hy__free(&F->root->heap, room);
    return 0;
}

HY_API hy_graph *hy_compile(hy_frame *S, hy_array *heads)
{
    hy_graph *g;
    int i;
    if (!hy__alive(S, heads, "hy_compile")) return NULL;
    if (!S->graph) {
        hy__fail(S, HY_ERROR_STATE, "hy_compile: the frame is not symbolic: use hy_symbolic");
        return NULL;
    }
    g = hy__graph_new(S, S->graph->store);
    if (!g) return NULL;
    if (hy__graph_room_heads(S, g, heads->count ? heads->count : 1)) { hy__graph_drop(g); return NULL; }
    for (i = 0; i < g->heads; i++) {
        hy_array *x = heads->count ? heads->item[i] : heads;
        if (!hy__alive(S, x, "hy_compile")) break;
        if (!x->node || x->frame != S) {
            hy__fail(S, HY_ERROR_ARGUMENT, "hy_compile: head %d is no symbol of this frame", i);
            break;
        }
        g->head[i].node = x->node;
        g->head[i].output = x->output;
    }
    g->ranks = S->ranks;
    if (S->code || hy__graph_finish(S, g) || hy__graph_settle(S, g)) { hy__graph_drop(g); return NULL; }
    hy__acquire(&S->root->lock);
    g->next = S->root->graphs;
    S->root->graphs = g;
    hy__release(&S->root->lock);
    return g;
}

HY_API void hy_graph_free(hy_frame *F, hy_graph *g)
{
    hy_graph **at;
    if (!F || !g) return;
    hy__acquire(&g->root->lock);
    for (at = &g->root->graphs; *at && *at != g; at = &(*at)->next) continue;
    if (*at) *at = g->next;
    hy__release(&g->root->lock);
    hy__graph_drop(g);
}

/* --- walking --- */
HY_API int hy_graph_count(hy_graph *g) { return g ? g->n : 0; }
HY_API int hy_graph_heads(hy_graph *g) { return g ? g->heads : 0; }


HY_API int hy_graph_head(hy_graph *g, int i, int *output)
{
    if (!g || i < 0 || i >= g->heads) return -1;
    if (output) *output = g->head[i].output;
    return g->place[g->head[i].node->number];
}

HY_API int hy_graph_input(hy_graph *g, int i, int k, int *output)
{
    if (!g || i < 0 || i >= g->n || k < 0 || k >= g->node[i]->nin) return -1;
    if (output) *output = g->node[i]->in[k].output;
    return g->place[g->node[i]->in[k].node->number];
}

HY_API int hy_graph_node(hy_graph *g, int i, hy_node *out)
{
    const hy__node *node;
    if (!g || i < 0 || i >= g->n || !out) return -1;
    node = g->node[i];
    memset(out, 0, sizeof *out);
    out->kind = node->op ? HY_NODE_OP : node->param ? HY_NODE_PARAMETER : node->held ? HY_NODE_CONSTANT
        : HY_NODE_VARIABLE;
    out->name = node->name;
    out->op = node->op;
    out->record = node->op && node->op->record ? node->record : NULL;
    out->inputs = node->nin;
    out->outputs = node->nout;
    out->types = node->type;
    out->aux = node->aux;
    out->array = node->param ? &node->param->array : NULL;
    out->sub = node->sub;
    return 0;
}

/* How many outputs of a node its users see, and which number one of them has among those. */
static int hy__visible(const hy__node *node, int output, int *at)
{
    int i, k = 0, n, seen = 0, hidden;
    *at = 0;
    if (!node->op) return 1;
    for (i = 0; node->op->out[i].name; i++)
        for (n = hy__arg_count(node->op, node->op->out, 1, i, node->record, &hidden); n > 0; n--, k++) {
            if (k == output) *at = seen;
            seen += !hidden;
        }
    return seen;
}

/* "fc1_output", "split0_output2"; a variable keeps its name. */
static void hy__put_output_name(hy__line *line, const hy__node *node, int output)
{
    int at, many = hy__visible(node, output, &at);
    hy__puts(line, node->name);
    if (!node->op) return;
    hy__puts(line, "_output");
    if (many > 1) hy__put_int(line, at);
}

/* Outputs, then internals: made at the first question and kept, so that the text lives with the graph. */
static void hy__graph_labels(hy_graph *g)
{
    char **label, text[512];
    hy__line line;
    int i, k, n = 0, total = g->heads, at;
    for (i = 0; i < g->n; i++) total += g->node[i]->nout;
    label = (char **)hy__alloc_zero(&g->root->heap, (size_t)total * sizeof *label + 1);
    if (!label) return;
    line.text = text;
    line.cap = sizeof text;
    for (i = -g->heads; i < g->n; i++)
        for (k = 0; k < (i < 0 ? 1 : g->node[i]->nout); k++) {
            const hy__edge *head = i < 0 ? &g->head[i + g->heads] : NULL;
            const hy__node *node = head ? head->node : g->node[i];
            if (!head && node->op && hy__visible(node, -1, &at) <= k) continue;
            line.n = 0;
            text[0] = 0;
            hy__put_output_name(&line, node, head ? head->output : k);
            label[n] = (char *)hy__alloc(&g->root->heap, line.n + 1);
            if (label[n]) memcpy(label[n++], text, line.n + 1);
        }
    g->label = label;
    g->labels = n;
}

HY_API const char *hy_graph_name(hy_graph *g, hy_names which, int i)
{
    int k;
    if (!g || i < 0) return NULL;
    if (which == HY_NAMES_VARIABLES) return i < g->vars ? g->var[i]->name : NULL;
    if (which == HY_NAMES_OUTPUTS || which == HY_NAMES_INTERNALS) {
        hy__acquire(&g->root->lock);
        if (!g->label) hy__graph_labels(g);
        hy__release(&g->root->lock);
        if (which == HY_NAMES_INTERNALS) i += g->heads;
        else if (i >= g->heads) return NULL;
        return i < g->labels ? g->label[i] : NULL;
    }
    for (k = 0; k < g->n; k++) {
        const hy__node *node = g->node[k];
        if (node->op || node->held || (which == HY_NAMES_AUX && !node->aux) ||
            (which == HY_NAMES_ARGUMENTS && node->aux)) continue;
        if (i-- == 0) return node->name;
    }
    return NULL;
}

/* --- inference over a graph --- */

/* Types of all values: outputs of node i of the graph begin at first[i]. */
typedef struct hy__types { hy__buffer *room; hy_type *type; int *first; int n; } hy__types;

static void hy__types_close(hy_frame *F, hy__types *T) { hy__buffer_drop(&F->cache, T->room); }

/* Nothing is known but what variables were declared as, constants and parameters are. */
static int hy__types_open(hy_frame *F, const hy_graph *g, hy__types *T)
{
    int i, k;
    T->n = 0;
    for (i = 0; i < g->n; i++) T->n += g->node[i]->nout;
    T->room = hy__buffer_new(&F->cache, (size_t)(T->n + 1) * sizeof *T->type + (size_t)g->n * sizeof(int));
    if (!T->room) { hy__no_memory(F, "inference"); return -1; }
    T->type = (hy_type *)T->room->data;
    T->first = (int *)(void *)(T->type + T->n + 1);
    for (T->n = i = 0; i < g->n; i++) {
        const hy__node *node = g->node[i];
        T->first[i] = T->n;
        for (k = 0; k < node->nout; k++) {
            T->type[T->n].dtype = HY_DTYPE_NONE;
            T->type[T->n++].shape.ndim = -1;
        }
        if (node->param) {              /* a layer may have settled a shape that nothing infers */
            int known = hy__shape_known(&node->param->array.t.type.shape);
            T->type[T->first[i]] = known ? node->param->array.t.type : node->type[0];
        }
        else if (!node->op) T->type[T->first[i]] = node->constant.type;
    }
    return 0;
}

HY__INLINE hy_type *hy__type_of(const hy_graph *g, const hy__types *T, const hy__edge *e)
{
    return &T->type[T->first[g->place[e->node->number]] + e->output];
}

static int hy__same_type(const hy_type *a, const hy_type *b)
{
    return a->dtype == b->dtype && hy__same_shape(&a->shape, &b->shape);
}

/* One node: -1 contradiction, 1 something was learnt. */
static int hy__infer_node(hy_frame *F, const hy_graph *g, hy__types *T, int i)
{
    hy__node *node = g->node[i];
    hy__call c;
    int k, learnt = 0;
    if (hy__call_open(F, &c, node->op, node->nin, node->record)) return -1;
    c.name = node->name;
    c.nsub = node->sub != NULL;
    c.sub = &node->sub;
    for (k = 0; k < node->nin; k++) c.type[k] = *hy__type_of(g, T, &node->in[k]);
    for (k = 0; k < node->nout; k++) c.type[node->nin + k] = T->type[T->first[i] + k];
    if (hy__infer_call(F, &c, node->op, node->record, NULL)) { hy__call_close(F, &c); return -1; }
    for (k = 0; k < node->nin + node->nout; k++) {
        hy_type *t = k < node->nin ? hy__type_of(g, T, &node->in[k]) : &T->type[T->first[i] + k - node->nin];
        if (hy__same_type(t, &c.type[k])) continue;
        *t = c.type[k];
        learnt = 1;
    }
    hy__call_close(F, &c);
    return learnt;
}

/* Forward and backward until nothing more is learnt. */
static int hy__infer_graph(hy_frame *F, const hy_graph *g, hy__types *T)
{
    int i, learnt = 1, up = 0, quiet = 0, round = 0;
    while (quiet < 2 && ++round < 2 * g->n + 8) {
        for (learnt = 0, i = up ? g->n - 1 : 0; up ? i >= 0 : i < g->n; i += up ? -1 : 1) {
            int got = g->node[i]->op ? hy__infer_node(F, g, T, i) : 0;
            if (got < 0) return -1;
            learnt |= got;
        }
        if (!learnt && hy__types_known(T->type, T->n)) return 0;
        quiet = learnt ? 0 : quiet + 1;
        up = !up;
    }
    return 0;
}

HY_API int hy_graph_infer(hy_frame *F, hy_graph *g, hy_type *inputs, hy_type *outputs)
{
    hy__types T;
    int i, k = 0, failed;
    if (!F || F->code) return -1;
    if (!g || g->root != F->root) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_graph_infer: %s", g ? "the graph belongs to another hy_open"
                 : "the graph is NULL");
        return -1;
    }
    if (hy__types_open(F, g, &T)) return -1;
    for (i = 0; i < g->n; i++) {
        hy_type *t = &T.type[T.first[i]];
        if (g->node[i]->op || g->node[i]->held) continue;
        if (inputs && inputs[k].dtype) t->dtype = inputs[k].dtype;      /* what is given wins over declared */
        if (inputs && inputs[k].shape.ndim >= 0) t->shape = inputs[k].shape;
        k++;
    }
    failed = hy__infer_graph(F, g, &T);
    for (i = k = 0; inputs && i < g->n; i++)
        if (!g->node[i]->op && !g->node[i]->held) inputs[k++] = T.type[T.first[i]];
    for (i = 0; outputs && i < g->heads; i++) outputs[i] = *hy__type_of(g, &T, &g->head[i]);
    if (!failed) failed = !hy__types_known(T.type, T.n);
    hy__types_close(F, &T);
    return failed < 0 ? -1 : !failed;
}

/* --- a graph as a program --- */
typedef struct hy__writer {
    hy__buffer_sink out;
    hy_graph *g;
    hy_form   form;
    int      *uses;                     /* of every node, by place */
} hy__writer;

static void hy__write(hy__writer *w, const char *text) { hy__sink_to_buffer(&w->out, text, strlen(text)); }

/* Between its operands, or NULL. Operators with a number have it on the right, *left on the left. */
static const char *hy__infix(const hy_root *root, const hy_op *op, int *scalar, int *left)
{
    static const struct { int op, scalar, left; const char *sign; } infix[] = {
        { HY_OP_add, 0, 0, " + " }, { HY_OP_sub, 0, 0, " - " }, { HY_OP_mul, 0, 0, " * " },
        { HY_OP_div, 0, 0, " / " }, { HY_OP_elemwise_add, 0, 0, " + " }, { HY_OP_elemwise_sub, 0, 0, " - " },
        { HY_OP_elemwise_mul, 0, 0, " * " }, { HY_OP_elemwise_div, 0, 0, " / " },
        { HY_OP_add_scalar, 1, 0, " + " }, { HY_OP_sub_scalar, 1, 0, " - " },
        { HY_OP_mul_scalar, 1, 0, " * " }, { HY_OP_div_scalar, 1, 0, " / " },
        { HY_OP_rsub_scalar, 1, 1, " - " }, { HY_OP_rdiv_scalar, 1, 1, " / " } };
    size_t i;
    for (i = 0; i < sizeof infix / sizeof *infix; i++)
        if (root->ops[infix[i].op] == op) {
            *scalar = infix[i].scalar;
            *left = infix[i].left;
            return infix[i].sign;
        }
    return NULL;
}

static void hy__write_number(hy__writer *w, double v)
{
    char number[48];
    int n = hy__text_f64(number, v);
    if (n > 2 && !strncmp(number + n - 2, ".0", 2)) n -= 2;
    number[n] = 0;
    hy__write(w, number);
}

/* Is the node written where it is used? */
static int hy__written_inline(const hy__writer *w, const hy__node *node)
{
    return node->op && w->form == HY_FORM_INLINE && node->nout == 1 && w->uses[w->g->place[node->number]] == 1;
}

static void hy__write_leaf(hy__writer *w, const hy__edge *e)
{
    const hy__node *node = e->node;
    int at;
    if (node->held && hy__size(&node->constant.type.shape) == 1) {
        hy__write_number(w, hy__load(node->constant.data, node->constant.type.dtype));
        return;
    }
    hy__write(w, node->name);
    if (hy__visible(node, e->output, &at) > 1) { hy__write(w, "."); hy__write_number(w, at); }
}

/* What stands before input k of a node, or (k = nin) at the end of its call. */
static void hy__write_between(hy__writer *w, const hy__node *node, int k)
{
    int scalar = 0, left = 0;
    const char *sign = hy__infix(w->g->root, node->op, &scalar, &left);
    const hy_attr *a;
    char text[256];
    if (sign && scalar) {
        double v = *(const double *)node->record;
        if (k == 0 && left) { hy__write_number(w, v); hy__write(w, sign); }
        if (k == 1 && !left) { hy__write(w, sign); hy__write_number(w, v); }
    } else if (sign) {
        if (k == 1) hy__write(w, sign);
    } else {
        if (k == 0) { hy__write(w, node->op->name); hy__write(w, "("); }
        if (k && k < node->nin) hy__write(w, ", ");
        for (a = node->op->attr; k == node->nin && a && a->name; a++) {
            if (k || a != node->op->attr) hy__write(w, ", ");
            hy__write(w, a->name);
            hy__write(w, "=");
            hy_attr_text(a, node->record, text, sizeof text);
            hy__write(w, text);
        }
        if (k == node->nin) hy__write(w, ")");
    }
}

/* An expression, without recursion: the stack holds a node and the input that comes next. */
typedef struct hy__open_call { const hy__node *node; int next, brackets; } hy__open_call;

static void hy__write_call(hy__writer *w, const hy__node *node, hy__open_call *stack)
{
    int n = 0, scalar, left;
    stack[n].node = node;
    stack[n].brackets = 0;
    stack[n++].next = 0;
    while (n) {
        hy__open_call *top = &stack[n - 1];
        const hy__edge *e;
        hy__write_between(w, top->node, top->next);
        if (top->next == top->node->nin) {
            if (top->brackets) hy__write(w, ")");
            n--;
            continue;
        }
        e = &top->node->in[top->next++];
        if (!hy__written_inline(w, e->node)) { hy__write_leaf(w, e); continue; }
        stack[n].brackets = hy__infix(w->g->root, top->node->op, &scalar, &left) &&
                            hy__infix(w->g->root, e->node->op, &scalar, &left);
        if (stack[n].brackets) hy__write(w, "(");
        stack[n].node = e->node;
        stack[n++].next = 0;
    }
}

static void hy__write_program(hy__writer *w, hy__open_call *stack)
{
    hy_graph *g = w->g;
    int i, k;
    for (i = 0; i < g->n; i++) for (k = 0; k < g->node[i]->nin; k++)
        w->uses[g->place[g->node[i]->in[k].node->number]]++;
    for (i = 0; i < g->heads; i++) w->uses[g->place[g->head[i].node->number]]++;
    for (i = 0; i < g->n; i++) {
        if (!g->node[i]->op || hy__written_inline(w, g->node[i])) continue;
        hy__write(w, g->node[i]->name);
        hy__write(w, " = ");
        hy__write_call(w, g->node[i], stack);
        hy__write(w, "\n");
    }
    hy__write(w, "print(");
    for (i = 0; i < g->heads; i++) {
        if (i) hy__write(w, ", ");
        if (hy__written_inline(w, g->head[i].node)) hy__write_call(w, g->head[i].node, stack);
        else hy__write_leaf(w, &g->head[i]);
    }
    hy__write(w, ")\n");
}

HY_API size_t hy_graph_text(hy_graph *g, hy_form form, char *buffer, size_t bytes)
{
    hy__writer w;
    hy__open_call *stack;
    if (bytes) buffer[0] = 0;
    if (!g) return 0;
    w.out.text = buffer;
    w.out.n = 0;
    w.out.cap = bytes;
    w.g = g;
    w.form = form;
    w.uses = (int *)hy__alloc_zero(&g->root->heap, (size_t)g->n * sizeof *w.uses + 1);
    stack = (hy__open_call *)hy__alloc(&g->root->heap, ((size_t)g->n + 1) * sizeof *stack);
    if (w.uses && stack) hy__write_program(&w, stack);
    hy__free(&g->root->heap, w.uses);
    hy__free(&g->root->heap, stack);
    if (bytes) buffer[w.out.n < bytes ? w.out.n : bytes - 1] = 0;
    return w.out.n;
}

/* MARK: - 22 >>execute ----------------------------------------------------------------------------------
 *
 * An executor holds everything one graph needs to run for one frame and one set of input types: inferred
 * types, bound jobs, an arena for what lies between. A run patches pointers and runs jobs; it allocates
 * nothing but outputs, which come from the frame's cache.
 */
typedef struct hy__slot { hy_tensor t; int head; } hy__slot;  /* a value: where it lies; is it an output? */

/* first: number of its outputs' slot */
typedef struct hy__step { hy_job job; int first; hy_tensor *tensor; } hy__step;

typedef struct hy__executor {
    hy__attached head;                  /* next: of another frame */
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

static void hy__executor_free(hy_root *root, hy__attached *it)
{
    hy__executor *x = (hy__executor *)(void *)it;
    hy__heap *heap = &root->heap;
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
    int i, k, v = 0, var = 0, failed = 0;
    for (i = 0; i < g->n && !failed; i++) {
        hy__node *node = g->node[i];
        x->first[node->number] = v;
        if (!node->op) {
            for (var = 0; !node->held && !node->param && g->var[var] != node; ) var++;
            x->slot[v].t.type = node->held ? node->constant.type : node->param ? node->param->array.t.type : input[var];
            v++;
            continue;
        }
        if (hy__call_open(F, &c, node->op, node->nin, node->record)) return -1;
        for (k = 0; k < node->nin; k++)
            c.type[k] = x->slot[x->first[node->in[k].node->number] + node->in[k].output].t.type;
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
            if (s->t.data && !s->head) {
                s->t.data = (void *)(uintptr_t)arena;
                arena += hy__round64((size_t)hy__bytes(&s->t.type)) + 64;
            }
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
        for (k = 0; k < node->nin; k++) x->source[at + k] = x->first[node->in[k].node->number] +
            node->in[k].output;
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
    x->head.free_fn = hy__executor_free;
    x->owner = F;
    x->training = F->training;
    for (i = 0; i < g->n; i++) {
        x->slots += g->node[i]->nout;
        x->tensors += g->node[i]->nin + g->node[i]->nout;
    }
    x->slot = (hy__slot *)hy__alloc_zero(heap, (size_t)(x->slots + 1) * sizeof *x->slot);
    x->first = (int *)hy__alloc_zero(heap, (size_t)(g->store->n + 1) * sizeof *x->first);
    x->step = (hy__step *)hy__alloc_zero(heap, (size_t)(g->n + 1) * sizeof *x->step);
    x->tensor = (hy_tensor *)hy__alloc_zero(heap, (size_t)(x->tensors + 1) * sizeof *x->tensor);
    x->source = (int *)hy__alloc_zero(heap, (size_t)(x->tensors + 1) * sizeof *x->source);
    if (x->first) memset(x->first, 0xff, (size_t)g->store->n * sizeof *x->first);       /* -1: not needed */
    if (!x->slot || !x->first || !x->step || !x->tensor || !x->source) hy__no_memory(F, "executor");
    else if (!hy__executor_infer(F, g, x, input)) {
        for (i = 0; i < g->heads; i++) x->slot[x->first[g->head[i].node->number] + g->head[i].output].head =
            1;
        if (x->dynamic || !hy__executor_bind(F, g, x)) return x;
    }
    hy__executor_free(F->root, &x->head);
    return NULL;
}

/* Node by node through emit_run: for graphs whose shapes depend on values. */
static int hy__replay(hy_frame *F, hy_graph *g, hy_array *const *input, hy__executor *x, hy_array **out)
{
    hy_array **value = (hy_array **)hy__alloc_zero(&F->root->heap, (size_t)(x->slots + 1) * sizeof *value),
        *y, **in;
    int i, k, var = 0;
    if (!value) { hy__no_memory(F, "replay"); return -1; }
    for (i = 0; i < g->n && !F->code; i++) {
        hy__node *node = g->node[i];
        int at = x->first[node->number];
        if (node->param) { value[at] = &node->param->array; continue; }
        if (!node->op && node->held) {
            value[at] = hy__handle(F);
            if (!value[at]) break;
            value[at]->t = node->constant;
            value[at]->buffer = hy__buffer_hold(node->held);
            continue;
        }
        if (!node->op) {
            for (var = 0; g->var[var] != node; ) var++;
            value[at] = input[var];
            continue;
        }
        in = (hy_array **)hy__alloc(&F->root->heap, (size_t)(node->nin + 1) * sizeof *in);
        if (!in) { hy__no_memory(F, "replay"); break; }
        for (k = 0; k < node->nin; k++)
            in[k] = value[x->first[node->in[k].node->number] + node->in[k].output];
        y = F->emit(F, node->op, node->nin, in, node->record, 0, NULL);
        hy__free(&F->root->heap, (void *)in);
        for (k = 0; y && k < (y->count ? y->count : 1); k++) value[at + k] = y->count ? y->item[k] : y;
    }
    for (i = 0; i < g->heads && !F->code; i++)
        out[i] = value[x->first[g->head[i].node->number] + g->head[i].output];
    hy__free(&F->root->heap, (void *)value);
    return F->code ? -1 : 0;
}

static int hy__execute(hy_frame *F, hy_graph *g, hy__executor *x, hy_array *const *input, hy_array **out)
{
    int i, k;
    uint64_t stream = F->stream;
    for (i = 0; i < g->vars; i++)
        if (x->first[g->var[i]->number] >= 0) x->slot[x->first[g->var[i]->number]].t.data = input[i]->t.data;
    for (i = 0; i < g->n; i++)
        if (g->node[i]->param) x->slot[x->first[g->node[i]->number]].t.data = g->node[i]->param->array.t.data;
    for (i = 0; i < g->heads; i++) {
        hy__slot *s = &x->slot[x->first[g->head[i].node->number] + g->head[i].output];
        out[i] = NULL;
        for (k = 0; k < i; k++)
            if (g->head[k].node == g->head[i].node && g->head[k].output == g->head[i].output) out[i] = out[k];
        if (out[i]) continue;
        if (g->head[i].node->op) {
            out[i] = hy__make(F, &s->t.type, "outputs");
            if (!out[i]) return -1;
            s->t.data = out[i]->t.data;
        } else if (g->head[i].node->held) {
            out[i] = hy__make(F, &g->head[i].node->constant.type, "outputs");
            if (!out[i]) return -1;
            hy__copy_tensor(&out[i]->t, &g->head[i].node->constant);
        } else if (g->head[i].node->param) out[i] = &g->head[i].node->param->array;
        else {
            for (k = 0; g->var[k] != g->head[i].node; k++) continue;
            out[i] = input[k];
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
        int slot = x->first[g->var[i]->number];
        const hy_type *have = slot < 0 ? &input[i]->t.type : &x->slot[slot].t.type;
        if (have->dtype != input[i]->t.type.dtype || !hy__same_shape(&have->shape, &input[i]->t.type.shape))
            return 0;
    }
    return 1;
}

/* Does an input agree with what its variable was declared as? */
static int hy__check_input_type(hy_frame *F, const hy__node *var, const hy_array *x)
{
    const hy_type *want = &var->constant.type;
    int d, fits = !want->dtype || want->dtype == x->t.type.dtype;
    if (want->shape.ndim >= 0) {
        fits &= want->shape.ndim == x->t.type.shape.ndim;
        for (d = 0; fits && d < want->shape.ndim; d++)
            fits = want->shape.dim[d] < 0 || want->shape.dim[d] == x->t.type.shape.dim[d];
    }
    if (!fits) hy__fail(F, HY_ERROR_SHAPE, "hy_graph_run: %s is %z %t, the input %z %t", var->name,
                        &want->shape,
                        (int)want->dtype, &x->t.type.shape, (int)x->t.type.dtype);
    return fits;
}

/* Inputs packed, checked and typed. */
static int hy__graph_inputs(hy_frame *F, hy_graph *g, hy_array *inputs, hy_array **in, hy_type *type)
{
    int i;
    for (i = 0; i < g->vars; i++) {
        hy_array *x = inputs->count ? inputs->item[i] : inputs;
        if (!hy__concrete(F, x, "hy_graph_run", "an array with values") || !hy__check_input_type(F, g->var[i],
                x)) return -1;
        if (F->recording && x->tape) {
            hy__fail(F, HY_ERROR_GRADIENT,
                     "hy_graph_run: a compiled graph is not recorded: call the operators");
            return -1;
        }
        in[i] = hy__packed_array(F, x);
        if (!in[i]) return -1;
        type[i] = in[i]->t.type;
    }
    return 0;
}

/* A frame's executor of a graph, taken off the graph's list; NULL when it has none. */
static hy__executor *hy__executor_take(hy_root *root, hy_graph *g, const hy_frame *owner)
{
    hy__attached **at, *x;
    hy__acquire(&root->lock);
    for (at = &g->programs; *at && ((hy__executor *)(void *)*at)->owner != owner; at = &(*at)->next) continue;
    x = *at;
    if (x) *at = x->next;
    hy__release(&root->lock);
    return (hy__executor *)(void *)x;
}

static void hy__executor_give(hy_root *root, hy_graph *g, hy__executor *x)
{
    hy__acquire(&root->lock);
    x->head.next = g->programs;
    g->programs = &x->head;
    hy__release(&root->lock);
}

/* A frame that closes takes its executors along. */
static void hy__executors_close(hy_frame *F)
{
    hy_root *root = F->root;
    hy_graph *g;
    hy__attached **at, *x, *gone = NULL;
    hy__acquire(&root->lock);
    for (g = root->graphs; g; g = g->next)
        for (at = &g->programs; (x = *at) != NULL; ) {
            if (((hy__executor *)(void *)x)->owner != F) { at = &x->next; continue; }
            *at = x->next;
            x->next = gone;
            gone = x;
        }
    hy__release(&root->lock);
    hy__attached_free(root, gone);
}

static hy_array *hy__graph_call(hy_frame *F, hy_graph *g, hy_array **in, hy_array **out, const hy_type *type)
{
    hy__executor *x = hy__executor_take(F->root, g, F);
    if (!hy__executor_fits(x, F, g, in)) {
        hy__executor_free(F->root, &x->head);
        x = hy__executor_new(F, g, type);
        if (!x) return NULL;
    }
    hy__executor_give(F->root, g, x);
    if (x->dynamic ? hy__replay(F, g, in, x, out) : hy__execute(F, g, x, in, out)) return NULL;
    return g->heads == 1 ? out[0] : hy_group_of(F, g->heads, out);
}

HY_API hy_array *hy_graph_run(hy_frame *F, hy_graph *g, hy_array *inputs)
{
    hy__buffer *room;
    hy_array **in, *y = NULL;
    hy_type *type;
    int n = g ? g->vars : 0;
    if (!F || F->code) return NULL;
    if (!g || g->root != F->root || (n && hy_count(F, inputs) != n)) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_graph_run: the graph has %d variables, %d inputs were given", n,
                 inputs ? hy_count(F, inputs) : 0);
        return NULL;
    }
    room = hy__buffer_new(&F->cache, (size_t)n * sizeof *type + (size_t)(n + g->heads) * sizeof *in);
    if (!room) return (hy_array *)hy__no_memory(F, "hy_graph_run");
    type = (hy_type *)room->data;
    in = (hy_array **)(void *)(type + n);
    if (!hy__graph_inputs(F, g, inputs, in, type)) y = hy__graph_call(F, g, in, in + n, type);
    hy__buffer_drop(&F->cache, room);
    return y;
}

typedef struct hy__ticket { int hit; char reason[256]; } hy__ticket;
static int hy__graph_execute(hy_frame *F, hy_graph *g, hy_array *const *in, hy_array **out,
                             const hy__mode *mode, int limit, hy__ticket *ticket)
{
    hy_type type[64];
    int i;
    (void)mode; (void)limit;
    for (i = 0; i < g->vars; i++) type[i] = in[i]->t.type;
    if (ticket) { ticket->hit = 1; ticket->reason[0] = 0; }
    return hy__graph_call(F, g, (hy_array **)in, out, type) ? 0 : -1;
}

static void hy__graph_programs(hy_graph *g, int *programs, size_t *bytes)
{
    const hy__attached *it;
    (void)bytes;
    for (it = g->programs; it; it = it->next) ++*programs;
}

/* MARK: - 23 >>trace ------------------------------------------------------------------------------------
 *
 * emit_trace: an operator becomes a node. Shapes and types flow as far as they are known.
 */

/* The variable of a parameter, one per store. */
static hy__node *hy__param_node(hy_frame *S, hy__param *p)
{
    hy__node *node;
    int i;
    for (i = S->param_nodes - 1; i >= 0; i--) if (S->param_node[i]->param == p) return S->param_node[i];
    node = hy__node_new(S, NULL, 0, 1, NULL, p->name);
    if (!node) return NULL;
    node->param = p;
    node->aux = p->aux;
    node->type[0] = node->constant.type = p->array.t.type;
    if (hy__grow(&S->root->heap, (void **)&S->param_node, &S->param_cap, S->param_nodes + 1,
                 sizeof *S->param_node)) hy__no_memory(S, "trace");
    if (S->code || hy__node_join(S, S->graph->store, node)) { hy__node_discard(S, node); return NULL; }
    return S->param_node[S->param_nodes++] = node;
}

/* An array with values becomes a constant, captured by reference. Frames that trace may use what their
 * caller and the root own: a sibling's arrays may die any time. */
static hy__node *hy__captured_node(hy_frame *S, hy_array *x, const hy_op *op)
{
    hy__node *node;
    int i;
    for (i = S->graph->store->n - 1; i >= 0 && i > S->graph->store->n - 64; i--) {
        node = S->graph->store->node[i];
        if (node->held && node->held == x->buffer && node->constant.data == x->t.data &&
            !memcmp(node->constant.stride, x->t.stride, sizeof x->t.stride[0] * (size_t)x->t.type.shape.ndim) &&
            hy__same_type(&node->constant.type, &x->t.type)) return node;
    }
    if (x->frame->root != S->root || (S->traced_for && x->frame != S->traced_for && x->kept <= 0)) {
        hy__fail(S, HY_ERROR_ARGUMENT, "%s: the array belongs to another %s", op->name,
                 x->frame->root != S->root ? "hy_open" : "frame: hy_keep it there before it is used here");
        return NULL;
    }
    x->buffer->watched = 1;
    node = hy__constant_node(S, &x->t, x->buffer);
    if (node && hy__node_join(S, S->graph->store, node)) { hy__node_discard(S, node); return NULL; }
    return node;
}

/* The edge an argument stands for. */
static int hy__trace_edge(hy_frame *S, hy_array *x, const hy_op *op, hy__edge *edge)
{
    hy__node *node = x->node;
    if (x->frame != S && node) {
        hy__fail(S, HY_ERROR_ARGUMENT, "%s: the symbol belongs to another symbolic frame", op->name);
        return -1;
    }
    if (!node) node = x->param ? hy__param_node(S, hy__param_of(x)) : hy__captured_node(S, x, op);
    if (!node) return -1;
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

/* Known sizes must be addressable, so that arithmetic on them cannot overflow. */
static int hy__sane_type(hy_frame *S, const hy_type *type, const char *who)
{
    hy_type known = *type;
    int d;
    if (known.shape.ndim < 0) return 1;
    if (!known.dtype) known.dtype = HY_F64;
    for (d = 0; d < known.shape.ndim && d < HY_MAX_DIM; d++) if (known.shape.dim[d] == -1)
        known.shape.dim[d] = 1;
    return hy__check_type(S, &known, who);
}

static int hy__traceable(hy_frame *S, const hy__call *c, const hy_op *op)
{
    int i;
    for (i = 0; i < c->nin + c->nout; i++) if (!hy__sane_type(S, &c->type[i], op->name)) return 0;
    return 1;
}

/* --- names --- */
/* As MXNet numbers them: relu of "relu", _plus of a + b, _plusscalar of a + 1. */
static void hy__put_hint(hy__line *line, const hy_root *root, const hy_op *op)
{
    static const struct { int op; const char *hint; } words[] = {
        { HY_OP_add, "_plus" }, { HY_OP_sub, "_minus" }, { HY_OP_mul, "_mul" }, { HY_OP_div, "_div" },
        { HY_OP_elemwise_add, "_plus" }, { HY_OP_elemwise_sub, "_minus" }, { HY_OP_elemwise_mul, "_mul" },
        { HY_OP_elemwise_div, "_div" }, { HY_OP_mod, "_mod" }, { HY_OP_power, "_power" } };
    const char *s = op->mxnet ? op->mxnet : op->name;
    size_t i, n = strlen(s);
    for (i = 0; i < sizeof words / sizeof *words; i++)
        if (root->ops[words[i].op] == op) { hy__puts(line, words[i].hint); return; }
    if (n > 7 && *s == '_' && !strcmp(s + n - 7, "_scalar")) {
        hy__put(line, s, n - 7);
        hy__puts(line, "scalar");
        return;
    }
    for (; *s; s++) {
        char c = (char)(*s >= 'A' && *s <= 'Z' ? *s - 'A' + 'a' : *s);
        hy__put(line, &c, 1);
    }
}

/* The number after the latest node of this name in this scope. */
static int hy__next_number(const hy_frame *S, const char *base, size_t n, int scope)
{
    const hy__nodes *store = S->graph->store;
    int i, v;
    for (i = store->n - 1; i >= 0; i--) {
        const hy__node *node = store->node[i];
        const char *s = node->name + n;
        if (!node->counted || node->scope != scope || strncmp(node->name, base, n) || *s < '0' || *s > '9')
            continue;
        for (v = 0; *s >= '0' && *s <= '9'; s++) v = v * 10 + *s - '0';
        if (!*s) return v + 1;
    }
    return 0;
}

static void hy__auto_name(hy_frame *S, const hy_op *op, char *text, size_t bytes)
{
    hy__line line;
    line.text = text;
    line.cap = bytes - 12;
    line.n = 0;
    text[0] = 0;
    if (S->scope) hy__puts(&line, S->scope->prefix);
    hy__put_hint(&line, S->root, op);
    line.cap = bytes;
    hy__put_int(&line, hy__next_number(S, text, line.n, S->scope ? S->scope->id : 0));
}

HY_API hy_array *hy_named(hy_frame *S, hy_array *x, const char *name)
{
    char *copy;
    if (!hy__alive(S, x, "hy_named")) return NULL;
    if (!x->node || x->frame != S || !name) {
        hy__fail(S, HY_ERROR_ARGUMENT, "hy_named: %s", name ? "only values being traced have names"
                 : "the name is NULL");
        return NULL;
    }
    copy = (char *)hy__alloc(&S->root->heap, strlen(name) + 1);
    if (!copy) return (hy_array *)hy__no_memory(S, "hy_named");
    memcpy(copy, name, strlen(name) + 1);
    hy__free(&S->root->heap, x->node->given);
    x->node->name = x->node->given = copy;
    x->node->counted = 0;
    return x;
}

HY_API const char *hy_name_of(hy_frame *F, hy_array *x)
{
    if (!hy__alive(F, x, "hy_name_of")) return NULL;
    return x->node ? x->node->name : x->param ? hy__param_of(x)->name : NULL;
}

/* --- operators become nodes --- */
/* What the edges of a node know decides its outputs' types, and perhaps its inputs'. */
static int hy__trace_types(hy_frame *S, hy__node *node, hy__call *c)
{
    int i;
    c->name = node->name;
    for (i = 0; i < node->nin; i++) c->type[i] = node->in[i].node->type[node->in[i].output];
    if (hy__infer_call(S, c, node->op, node->record, NULL) || !hy__traceable(S, c, node->op)) return -1;
    for (i = 0; i < node->nin; i++) node->in[i].node->type[node->in[i].output] = c->type[i];
    memcpy(node->type, c->type + node->nin, (size_t)node->nout * sizeof *c->type);
    return 0;
}

static hy_array *hy__emit_trace(hy_frame *S, const hy_op *op, int n, hy_array *const *in, const void *record,
                                int nsub, hy_graph *const *sub)
{
    hy__call c;
    hy__node *node;
    hy_array *y = NULL;
    char name[256];
    int i;
    (void)nsub; (void)sub;
    if (!hy__check_count(S, op, n, record) || hy__call_open(S, &c, op, n, record)) return NULL;
    hy__auto_name(S, op, name, sizeof name);
    node = hy__node_new(S, op, n, c.nout, record, name);
    for (i = 0; node && i < n && !hy__trace_edge(S, in[i], op, &node->in[i]); i++) continue;
    if (node && !S->code && !hy__trace_types(S, node, &c) && !hy__node_join(S, S->graph->store, node)) {
        node->counted = 1;
        node->scope = S->scope ? S->scope->id : 0;
        if (op->flags & HY_OP_RANDOM) node->rank = S->ranks++;
        y = hy__trace_outputs(S, &c, node);
    } else hy__node_discard(S, node);
    hy__call_close(S, &c);
    return y;
}

HY_API hy_array *hy_var(hy_frame *S, const char *name, const hy_var_opt *opt)
{
    hy__node *node;
    if (!S || S->code) return NULL;
    if (!S->graph || !name) {
        hy__fail(S, HY_ERROR_ARGUMENT, "hy_var: %s", name ? "the frame is not symbolic: use hy_symbolic"
                 : "the name is NULL");
        return NULL;
    }
    node = hy__node_new(S, NULL, 0, 1, NULL, name);
    if (!node) return NULL;
    node->type[0].dtype = opt ? opt->dtype : HY_DTYPE_NONE;
    node->type[0].shape = opt && opt->shaped ? opt->shape : hy__no_shape();
    node->constant.type = node->type[0];
    node->aux = opt && opt->aux;
    if (hy__sane_type(S, &node->type[0], name) && !hy__node_join(S, S->graph->store, node)) return hy__node_handle(S, node, 0);
    hy__node_discard(S, node);
    return NULL;
}

/* --- symbols as values: their insides, and graphs put into graphs --- */
HY_API hy_array *hy_internals(hy_frame *S, hy_array *x)
{
    hy_graph *g;
    hy_array *group = NULL;
    int i, k, n = 0, at;
    if (!hy__alive(S, x, "hy_internals")) return NULL;
    g = hy_compile(S, x);
    if (!g) return NULL;
    for (i = 0; i < g->n; i++) n += hy__visible(g->node[i], -1, &at);
    group = hy__group_make(S, n);
    for (i = n = 0; group && i < g->n; i++)
        for (k = 0; k < hy__visible(g->node[i], -1, &at); k++) {
            group->item[n] = hy__node_handle(S, g->node[i], k);
            if (!group->item[n++]) { group = NULL; break; }
        }
    hy_graph_free(S, g);
    return group;
}

HY_API hy_array *hy_output_named(hy_frame *S, hy_array *group, const char *name)
{
    hy_array *found = NULL;
    char text[512];
    hy__line line;
    int i;
    if (!hy__alive(S, group, "hy_output_named")) return NULL;
    line.text = text;
    line.cap = sizeof text;
    for (i = 0; i < (group->count ? group->count : 1); i++) {
        hy_array *x = group->count ? group->item[i] : group;
        if (!x || !x->node) continue;
        line.n = 0;
        text[0] = 0;
        hy__put_output_name(&line, x->node, x->output);
        if (!name || strcmp(text, name)) continue;
        if (found) {
            hy__fail(S, HY_ERROR_ARGUMENT, "hy_output_named: multiple outputs with name %s", name);
            return NULL;
        }
        found = x;
    }
    if (!found) hy__fail(S, HY_ERROR_UNKNOWN, "hy_output_named: Cannot find output that matches name %s",
                         name ? name : "NULL");
    return found;
}

/* Which replacement is meant for this variable? */
static int hy__replaced_by(const hy__node *node, int n, const char *const *names)
{
    int i;
    for (i = 0; i < n && (node->op || node->held || strcmp(names[i], node->name)); i++) continue;
    return i < n ? i : -1;
}

static int hy__compose_check(hy_frame *S, const hy_graph *g, int n, const char *const *names,
                             hy_array *const *values)
{
    char list[256];
    hy__line line;
    int i, k, found;
    for (i = 0; i < n; i++) {
        if (!hy__alive(S, values[i], "hy_compose")) return -1;
        for (found = k = 0; k < g->n; k++) found |= hy__replaced_by(g->node[k], 1, names + i) == 0;
        if (found && !values[i]->count) continue;
        line.text = list;
        line.cap = sizeof list;
        line.n = 0;
        list[0] = 0;
        for (k = 0; k < g->n; k++)
            if (!g->node[k]->op && !g->node[k]->held) { hy__puts(&line, " "); hy__puts(&line, g->node[k]->name); }
        if (found) hy__fail(S, HY_ERROR_ARGUMENT, "hy_compose: %s is a group, single value is required", names[i]);
        else hy__fail(S, HY_ERROR_UNKNOWN, "hy_compose: Keyword argument name %s not found. Candidate arguments:%s",
                      names[i], list);
        return -1;
    }
    return 0;
}

/* The node in S that stands for one of the graph: a given value's, or a copy over the copies of its inputs. */
static int hy__compose_node(hy_frame *S, const hy_graph *g, int i, const hy__edge *made, hy__edge *to)
{
    hy__node *node = hy__node_copy(S, g->node[i]);
    hy__call c;
    int k, failed = 0;
    if (!node) return -1;
    for (k = 0; k < node->nin; k++) {
        const hy__edge *from = &made[g->place[g->node[i]->in[k].node->number]];
        node->in[k].node = from->node;
        node->in[k].output = g->node[i]->in[k].node->op ? g->node[i]->in[k].output : from->output;
    }
    if (node->op && (node->op->flags & HY_OP_RANDOM)) node->rank = S->ranks++;
    if (node->op) {
        failed = hy__call_open(S, &c, node->op, node->nin, node->record);
        if (!failed) { failed = hy__trace_types(S, node, &c); hy__call_close(S, &c); }
    }
    if (failed || hy__node_join(S, S->graph->store, node)) { hy__node_discard(S, node); return -1; }
    to->node = node;
    to->output = 0;
    return 0;
}

static const hy_op hy__compose_op = { "hy_compose", NULL, NULL, "what errors name", NULL, NULL, NULL, 0, 0, 0,
                                     NULL, NULL, NULL, NULL, NULL };
HY_API hy_array *hy_compose(hy_frame *S, hy_graph *g, int n, const char *const *names, hy_array *const *values)
{
    hy__edge *made;
    hy_array *y = NULL;
    int i, at;
    if (!S || S->code) return NULL;
    if (!S->graph || !g || g->root != S->root) {
        hy__fail(S, HY_ERROR_ARGUMENT, "hy_compose: %s", S->graph ? "the graph is NULL or of another hy_open"
                 : "the frame is not symbolic: use hy_symbolic");
        return NULL;
    }
    if (hy__compose_check(S, g, n, names, values)) return NULL;
    made = (hy__edge *)hy__alloc_zero(&S->root->heap, (size_t)g->n * sizeof *made + 1);
    if (!made) return (hy_array *)hy__no_memory(S, "hy_compose");
    for (i = 0; i < g->n && !S->code; i++) {
        at = hy__replaced_by(g->node[i], n, names);
        if (g->node[i]->param) { made[i].node = hy__param_node(S, g->node[i]->param); continue; }
        if (at < 0) hy__compose_node(S, g, i, made, &made[i]);
        else hy__trace_edge(S, values[at], &hy__compose_op, &made[i]);
    }
    y = S->code ? NULL : hy__group_make(S, g->heads);
    for (i = 0; y && i < g->heads; i++) {
        const hy__edge *head = &made[g->place[g->head[i].node->number]];
        y->item[i] = hy__node_handle(S, head->node, g->head[i].node->op ? g->head[i].output : head->output);
        if (!y->item[i]) y = NULL;
    }
    hy__free(&S->root->heap, made);
    return y && g->heads == 1 ? y->item[0] : y;
}

/* --- opening and closing --- */
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
    if (root->free_blocks) root->free_blocks(root);
    while (root->graphs) {
        hy_graph *g = root->graphs;
        root->graphs = g->next;
        hy__graph_drop(g);
    }
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
    fork->seed = F->seed ^ 0x9e3779b97f4a7c15u * ++F->forks;
    return fork;
}

static void hy__frame_free(hy_frame *F)
{
    hy_root *root = F->root;
    int i;
    hy__executors_close(F);
    while (F->kept.n) hy__handle_drop(F, F->kept.at[--F->kept.n]);
    while (F->live.n) hy__handle_drop(F, F->live.at[--F->live.n]);
    hy__cache_empty(&F->cache);
    hy__free(&root->heap, F->kept.at);
    hy__free(&root->heap, F->live.at);
    hy__free(&root->heap, F->mark);
    hy__free(&root->heap, F->scratch);
    hy__free(&root->heap, (void *)F->param_node);
    for (i = 0; i < F->aliases.cap; i++) hy__free(&root->heap, (void *)(uintptr_t)F->aliases.key[i]);
    hy__free(&root->heap, (void *)F->aliases.key);
    hy__free(&root->heap, F->aliases.value);
    if (F->free_first) {
        hy__acquire(&root->lock);
        F->free_last->item = (hy_array **)(void *)root->spare;
        root->spare = F->free_first;
        hy__release(&root->lock);
    }
    hy__free(&root->heap, F);
    if (HY__ADD(&root->frames, -1) == 0) hy__root_free(root);
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

HY_API int hy_close(hy_frame *F)
{
    int code;
    if (!F) return HY_ERROR_MEMORY;
    code = (int)F->code;
    hy__graph_drop(F->graph);
    hy__frame_free(F);
    return code;
}

/* --- arguments: groups within groups, opened --- */
enum { HY__NEST = 8 };

typedef struct hy__flat {
    hy__buffer *room;
    hy_array  **at;                     /* the arrays, None left out */
    int         n;
    char       *full;                   /* "x", "(xn(xx)n)": how they are grouped; n is None */
    char       *form;                   /* the same without what makes no difference: "(xn(xx))" */
} hy__flat;

static int hy__measure(const hy_array *x, int depth, int *leaves, int *chars)
{
    int i;
    *chars += 2;
    if (!x) return 0;
    if (x->state != HY__LIVE || depth > HY__NEST) return -1;
    if (!x->count) { ++*leaves; return 0; }
    for (i = 0; i < x->count; i++) if (hy__measure(x->item[i], depth + 1, leaves, chars)) return -1;
    return 0;
}

static char *hy__spread_out(hy__flat *flat, hy_array *x, char *form)
{
    int i;
    if (!x) { *form++ = 'n'; return form; }
    if (!x->count) { flat->at[flat->n++] = x; *form++ = 'x'; return form; }
    *form++ = '(';
    for (i = 0; i < x->count; i++) form = hy__spread_out(flat, x->item[i], form);
    *form++ = ')';
    return form;
}

/* None at the end of the arguments may as well be left out, and a group of one is that one. */
static void hy__normal_form(const char *full, char *form)
{
    size_t n = strlen(full);
    memcpy(form, full, n + 1);
    if (*full != '(') return;
    while (n > 2 && form[n - 2] == 'n') n--;
    form[n - 1] = ')';
    form[n] = 0;
    if (!strcmp(form, "(x)")) { form[0] = 'x'; form[1] = 0; }
}

static void hy__flat_close(hy_frame *F, hy__flat *flat) { hy__buffer_drop(&F->cache, flat->room); }

static int hy__flat_open(hy_frame *F, hy__flat *flat, hy_array *x, const char *who)
{
    int leaves = 0, chars = 1;
    flat->room = NULL;
    if (hy__measure(x, 0, &leaves, &chars)) {
        if (hy__alive(F, x, who))
            hy__fail(F, HY_ERROR_ARGUMENT, "%s: groups within groups, more than %d deep, or of dead arrays", who,
                     (int)HY__NEST);
        return -1;
    }
    flat->room = hy__buffer_new(&F->cache, (size_t)leaves * sizeof *flat->at + 2 * (size_t)chars);
    if (!flat->room) { hy__no_memory(F, who); return -1; }
    flat->at = (hy_array **)flat->room->data;
    flat->full = (char *)(flat->at + leaves);
    flat->form = flat->full + chars;
    flat->n = 0;
    *hy__spread_out(flat, x, flat->full) = 0;
    hy__normal_form(flat->full, flat->form);
    return 0;
}

/* The arrays grouped as the form says; it moves on behind what was read. */
static hy_array *hy__group_as(hy_frame *F, const char **form, hy_array ***at)
{
    const char *s;
    hy_array *group, *item;
    int n = 0, depth = 0;
    if (**form == 'n') { ++*form; return NULL; }
    if (**form == 'x') { ++*form; return *(*at)++; }
    for (s = *form + 1; *s && (depth || *s != ')'); s++) {
        if (!depth) n++;
        depth += (*s == '(') - (*s == ')');
    }
    group = hy__group_make(F, n);
    for (++*form, n = 0; group && **form && **form != ')'; n++) {
        item = hy__group_as(F, form, at);
        group->item[n] = item;
    }
    if (**form) ++*form;
    return group;
}

/* --- the graphs that a C function became --- */
typedef hy_array *(*hy__traced_fn)(hy_frame *S, void *user, hy_array *x);

typedef struct hy__trace {
    struct hy__trace *next;
    hy_graph *graph;
    int       asked, training;          /* for which it holds, if it asked */
    int       n;
    hy_type  *type;                     /* of the inputs it was made with: the same */
    char     *in, *out;                 /* how they are grouped */
    char      bound[256];
} hy__trace;

typedef struct hy__traces {
    hy__lock   lock;                    /* held while tracing */
    hy__trace *first, *retired;         /* the latest first; retired ones may still be running elsewhere */
    hy_cache_stats stats;
} hy__traces;

static void hy__trace_free(hy_frame *F, hy__trace *t)
{
    hy_graph_free(F, t->graph);
    hy__free(&F->root->heap, t);
}

static void hy__traces_retire(hy__traces *all)
{
    hy__trace *t = all->first, *last = t;
    if (!t) return;
    while (last->next) last = last->next;
    last->next = all->retired;
    all->retired = t;
    HY__STORE(&all->first, (hy__trace *)NULL);
}

static void hy__traces_free(hy_frame *F, hy__traces *all)
{
    hy__trace *t;
    hy__traces_retire(all);
    while ((t = all->retired) != NULL) { all->retired = t->next; hy__trace_free(F, t); }
}

/* Does a trace hold for these arguments? */
static int hy__trace_fits(const hy_frame *F, const hy__trace *t, const hy__flat *in)
{
    int i;
    if (strcmp(t->in, in->form) || ((t->asked & HY__ASKED_TRAINING) && t->training != F->training)) return 0;
    for (i = 0; t->asked && i < t->n; i++) {
        const hy_type *now = &in->at[i]->t.type;
        if ((t->asked & HY__ASKED_DTYPE) && now->dtype != t->type[i].dtype) return 0;
        if ((t->asked & HY__ASKED_SHAPE) && !hy__same_shape(&now->shape, &t->type[i].shape)) return 0;
    }
    return 1;
}

/* Why is there no trace for these arguments? */
static void hy__trace_reason(const hy_frame *F, const hy__trace *t, const hy__flat *in, char *text, size_t bytes)
{
    hy__line line;
    int i;
    line.text = text;
    line.cap = bytes;
    line.n = 0;
    text[0] = 0;
    if (!t) { hy__puts(&line, "first call"); return; }
    if (strcmp(t->in, in->form)) {
        hy__puts(&line, "the arguments are ");
        hy__puts(&line, in->form);
        hy__puts(&line, ", were ");
        hy__puts(&line, t->in);
        return;
    }
    if ((t->asked & HY__ASKED_TRAINING) && t->training != F->training) {
        hy__puts(&line, F->training ? "training, was inference" : "inference, was training");
        return;
    }
    for (i = 0; i < t->n; i++) {
        if (hy__same_type(&in->at[i]->t.type, &t->type[i])) continue;
        hy__puts(&line, "input ");
        hy__put_int(&line, i);
        hy__puts(&line, " is ");
        hy__put_shape(&line, &in->at[i]->t.type.shape);
        hy__puts(&line, " ");
        hy__puts(&line, hy_dtype_name(in->at[i]->t.type.dtype));
        hy__puts(&line, ", was ");
        hy__put_shape(&line, &t->type[i].shape);
        hy__puts(&line, " ");
        hy__puts(&line, hy_dtype_name(t->type[i].dtype));
        hy__puts(&line, ", and forward asked: ");
        hy__puts(&line, t->bound);
        return;
    }
}

/* A frame for one trace; its error becomes the caller's. */
static hy_frame *hy__tracer_open(hy_frame *F)
{
    hy_frame *S = hy__frame_new(F->root);
    if (!S) return (hy_frame *)hy__no_memory(F, "trace");
    S->emit = S->emit_below = hy__emit_trace;
    S->training = F->training;
    S->traced_for = F;
    S->graph = hy__graph_new(F, NULL);
    if (S->graph) return S;
    hy__frame_free(S);
    return NULL;
}

static void hy__tracer_close(hy_frame *F, hy_frame *S)
{
    if (S->code && !F->code) {
        F->code = S->code;
        memcpy(F->text, S->text, sizeof F->text);
    }
    hy__graph_drop(S->graph);
    hy__frame_free(S);
}

/* Variables for the arguments: "data", or "data0", "data1", ... They know their types, the graph does not. */
static int hy__trace_inputs(hy_frame *S, const hy__flat *in, hy_array **var)
{
    char name[24];
    hy__line line;
    int i;
    for (i = 0; i < in->n; i++) {
        line.text = name;
        line.cap = sizeof name;
        line.n = 0;
        hy__puts(&line, "data");
        if (in->n > 1) hy__put_int(&line, i);
        var[i] = hy_var(S, name, NULL);
        if (!var[i]) return -1;
        var[i]->t.type = var[i]->node->type[0] = in->at[i]->t.type;
    }
    return 0;
}

/* What forward returned, as heads: an array with values goes through an identity. */
static hy_graph *hy__trace_heads(hy_frame *S, hy__flat *out)
{
    int i;
    if (!out->n) hy__fail(S, HY_ERROR_ARGUMENT, "forward returned no array");
    for (i = 0; i < out->n; i++) if (!out->at[i]->node) out->at[i] = hy_identity(S, out->at[i]);
    return S->code ? NULL : hy_compile(S, out->n == 1 ? out->at[0] : hy_group_of(S, out->n, out->at));
}

static hy__trace *hy__trace_keep(hy_frame *F, hy_frame *S, hy_graph *g, const hy__flat *in, const hy__flat *out)
{
    size_t types = (size_t)in->n * sizeof(hy_type), a = strlen(in->form) + 1, b = strlen(out->full) + 1;
    hy__trace *t = (hy__trace *)hy__alloc_zero(&F->root->heap, hy__round64(sizeof *t) + types + a + b);
    int i;
    if (!t) { hy__no_memory(F, "trace"); hy_graph_free(F, g); return NULL; }
    t->graph = g;
    t->asked = S->asked;
    t->training = S->training;
    t->n = in->n;
    t->type = (hy_type *)(void *)((char *)t + hy__round64(sizeof *t));
    t->in = (char *)t->type + types;
    t->out = t->in + a;
    for (i = 0; i < in->n; i++) t->type[i] = in->at[i]->t.type;
    memcpy(t->in, in->form, a);
    memcpy(t->out, out->full, b);
    memcpy(t->bound, S->bound, sizeof t->bound);
    for (i = 0; i < g->vars; i++)
        if (g->place[g->var[i]->number] < 0)
            hy__warn(F, "The %d-th input to HybridBlock is not used by any computation", i);
    return t;
}

/* Runs the C function once over symbols. */
static hy__trace *hy__trace_make(hy_frame *F, hy__traced_fn fn, void *user, const hy__flat *in)
{
    hy_frame *S = hy__tracer_open(F);
    hy__buffer *room = hy__buffer_new(&F->cache, (size_t)in->n * sizeof(hy_array *));
    hy_array **var = room ? (hy_array **)room->data : NULL, *x, *y;
    const char *form = in->full;
    hy_graph *g;
    hy__flat out;
    hy__trace *t = NULL;
    out.room = NULL;
    if (S && !var) hy__no_memory(S, "trace");
    if (S && var && !hy__trace_inputs(S, in, var)) {
        x = hy__group_as(S, &form, &var);
        y = S->code ? NULL : fn(S, user, x);
        if (!S->code && !y) hy__fail(S, HY_ERROR_ARGUMENT, "forward returned NULL");
        if (!S->code && !hy__flat_open(S, &out, y, "forward")) {
            g = hy__trace_heads(S, &out);
            if (g && g->vars != in->n) {
                hy__fail(S, HY_ERROR_ARGUMENT, "Unknown input to HybridBlock: %s", g->var[in->n]->name);
                hy_graph_free(F, g);
            } else if (g) t = hy__trace_keep(F, S, g, in, &out);
        }
        hy__flat_close(S, &out);
    }
    hy__buffer_drop(&F->cache, room);
    if (S) hy__tracer_close(F, S);
    return t;
}

/* Parameters whose shape only the graph knows get it, and their values. */
static int hy__trace_ready(hy_frame *F, const hy_graph *g, const hy__flat *in)
{
    hy__types T;
    int i, some = 0, failed;
    for (i = 0; i < g->n; i++) some |= g->node[i]->param && !g->node[i]->param->array.buffer;
    if (!some) return 0;
    if (hy__types_open(F, g, &T)) return -1;
    for (i = 0; i < g->vars; i++)
        if (g->place[g->var[i]->number] >= 0)
            T.type[T.first[g->place[g->var[i]->number]]] = in->at[i]->t.type;
    failed = hy__infer_graph(F, g, &T);
    for (i = 0; i < g->n && !failed; i++)
        if (g->node[i]->param && !g->node[i]->param->array.buffer)
            failed = hy__param_fill(F, g->node[i]->param, &T.type[T.first[i]]);
    hy__types_close(F, &T);
    return failed ? -1 : 0;
}

/* The trace for these arguments, made if there is none. */
static hy__trace *hy__trace_find(hy_frame *F, hy__traces *all, hy__traced_fn fn, void *user, const hy__flat *in,
                                 int limit)
{
    hy__trace *t, **last;
    int n = 0;
    for (t = HY__LOAD(&all->first); t; t = t->next) if (hy__trace_fits(F, t, in)) return t;
    hy__acquire(&all->lock);
    for (t = all->first; t && !hy__trace_fits(F, t, in); t = t->next) continue;
    if (!t) {
        char reason[sizeof all->stats.reason];
        hy__trace_reason(F, all->first, in, reason, sizeof reason);
        t = hy__trace_make(F, fn, user, in);
        if (t) {
            all->stats.traces++;
            memcpy(all->stats.reason, reason, sizeof reason);
            t->next = all->first;
            HY__STORE(&all->first, t);
            for (last = &t->next; *last; last = &(*last)->next) if (++n >= limit) break;
            if (*last) {                /* the oldest goes */
                (*last)->next = all->retired;
                all->retired = *last;
                HY__STORE(last, (hy__trace *)NULL);
            }
        }
    }
    hy__release(&all->lock);
    return t;
}

/* --- calling --- */

/* What runs a compiled graph under recording; its gradient is another graph. See >>autograd. */
typedef struct hy__graph_rec { hy__mode mode; int limit; hy__ticket *ticket; } hy__graph_rec;
static const hy_arg hy__graph_in[] = { { "data", HY_ARG_LIST }, { NULL, HY_ARG_ONE } };
static const hy_arg hy__graph_out[] = { { "output", HY_ARG_LIST }, { NULL, HY_ARG_ONE } };
static const hy_op hy__graph_op = { "_graph", NULL, NULL, "a compiled program", hy__graph_in, hy__graph_out, NULL,
                                    sizeof(hy__graph_rec), 0, 0, NULL, NULL, NULL, NULL, NULL };

/* Inputs of a graph as an operator: its variables, then its parameters in order. */
static int hy__graph_leaves(const hy_graph *g)
{
    int i, n = g->vars;
    for (i = 0; i < g->n; i++) n += g->node[i]->param != NULL;
    return n;
}

/* Runs a graph, on the tape if the frame records; a group of many outputs. */
static int hy__graph_apply(hy_frame *F, hy_graph *g, hy_array *const *in, hy_array **out, hy__graph_rec *rec)
{
    hy__buffer *room;
    hy_array **all, *y;
    int i, n = g->vars;
    if (!F->recording) return hy__graph_execute(F, g, in, out, &rec->mode, rec->limit, rec->ticket);
    room = hy__buffer_new(&F->cache, (size_t)hy__graph_leaves(g) * sizeof *all + 1);
    if (!room) { hy__no_memory(F, "hy_call"); return -1; }
    all = (hy_array **)room->data;
    memcpy(all, in, (size_t)n * sizeof *all);
    for (i = 0; i < g->n; i++) if (g->node[i]->param) all[n++] = &g->node[i]->param->array;
    y = F->emit(F, &hy__graph_op, n, all, rec, 1, &g);
    hy__buffer_drop(&F->cache, room);
    for (i = 0; y && i < g->heads; i++) out[i] = g->heads > 1 ? y->item[i] : y;
    return y ? 0 : -1;
}

/* Runs the trace of fn for these arguments, which are arrays with values, and regroups what comes out. */
static hy_array *hy__traced_run(hy_frame *F, hy__traces *all, hy__trace *t, const hy__flat *in,
                                hy__graph_rec *rec)
{
    hy__buffer *room = hy__buffer_new(&F->cache, (size_t)(in->n + t->graph->heads) * sizeof(hy_array *));
    hy_array **packed, **out, *y = NULL;
    hy__ticket ticket;
    const char *form = t->out;
    int i;
    if (!room) return (hy_array *)hy__no_memory(F, "hy_call");
    packed = (hy_array **)room->data;
    out = packed + in->n;
    ticket.hit = 1;
    rec->ticket = &ticket;
    for (i = 0; i < in->n; i++) packed[i] = F->recording && !hy__packed(&in->at[i]->t) ? hy_identity(F, in->at[i])
            : hy__packed_array(F, in->at[i]);
    if (!F->code && !hy__graph_apply(F, t->graph, packed, out, rec)) y = hy__group_as(F, &form, &out);
    hy__buffer_drop(&F->cache, room);
    if (ticket.hit) HY__ADD(&all->stats.hits, 1);
    else {
        hy__acquire(&all->lock);
        all->stats.misses++;
        memcpy(all->stats.reason, ticket.reason, sizeof all->stats.reason);
        hy__release(&all->lock);
    }
    return y;
}

static hy_array *hy__traced_call(hy_frame *F, hy__traces *all, hy__traced_fn fn, void *user, hy_array *x,
                                 hy__graph_rec *rec)
{
    hy__flat in;
    hy__trace *t;
    hy_array *y = NULL;
    int i;
    if (hy__flat_open(F, &in, x, "hy_call")) return NULL;
    if (!in.n) hy__fail(F, HY_ERROR_ARGUMENT, "there must be one NDArray or one Symbol in the input");
    for (i = 0; i < in.n && hy__concrete(F, in.at[i], "hy_call", "a symbolic frame: hy_call does not support "
                                         "mixed NDArrays and Symbols"); i++) continue;
    t = F->code ? NULL : hy__trace_find(F, all, fn, user, &in, rec->limit);
    if (t && !hy__trace_ready(F, t->graph, &in)) y = hy__traced_run(F, all, t, &in, rec);
    hy__flat_close(F, &in);
    return y;
}
/* MARK: - 24 >>block ------------------------------------------------------------------------------------
 *
 * Blocks: children, parameters, names, calls. A block's prefix is settled when it is added to another, or
 * first needed; the names of its parameters follow. hy_call runs forward line by line; for a hybridized block
 * it runs what forward became, see >>trace. Blocks belong to the root until hy_block_free.
 */
typedef struct hy__child { char *name; hy_block *block; int shared; } hy__child;
typedef struct hy__hooked { hy_hook when; hy_hook_fn fn; void *user; int id; } hy__hooked;

struct hy__house {                      /* what a block has besides the user's struct */
    hy_root    *root;
    hy_block   *next;                   /* of the root's list of all blocks */
    hy_block   *parent;                 /* who frees it; NULL: the root */
    char       *alias, *prefix, *name;  /* "dense", "net0_dense0_", "net0_dense0"; no name: not settled yet */
    char       *label;                  /* under which it was added: "features" */
    int         empty;                  /* the prefix was given as "" */
    hy_block   *inner_of;               /* its prefix follows this block's */
    hy__names   counters;               /* of hy_name_scope */
    int         hybrid, active;
    hy_hybridize_opt opt;
    hy__child  *child;
    int         children, child_cap;
    hy__param **param;
    int         params, param_cap;
    hy__hooked *hook;
    int         hooks, hook_cap, hook_id;
    hy__traces  traces;
    uint64_t    changes, seen, sum;     /* own; of the root and of all below when last looked at */
};

static char *hy__string(hy_frame *F, const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    char *s = (char *)hy__alloc(&F->root->heap, n + m + 1);
    if (!s) return (char *)hy__no_memory(F, "name");
    memcpy(s, a, n);
    memcpy(s + n, b, m + 1);
    return s;
}

static void hy__changed(hy_block *block)
{
    block->house->changes++;
    HY__ADD(&block->house->root->changes, 1);
}

/* --- making and freeing --- */
static void hy__param_free(hy_frame *F, hy__param *p)
{
    hy__param **at;
    if (p->same) {
        for (at = &p->same->sharer; *at && *at != p; at = &(*at)->next_sharer) continue;
        if (*at) *at = p->next_sharer;
    }
    while (p->sharer) {                 /* the first of the others takes over */
        hy__param *s = p->sharer, *heir = s;
        p->sharer = s->next_sharer;
        heir->same = NULL;
        for (heir->sharer = p->sharer, s = p->sharer; s; s = s->next_sharer) s->same = heir;
        heir->next_sharer = NULL;
        p->sharer = NULL;
    }
    hy__buffer_drop(&F->cache, p->array.buffer);
    hy__buffer_drop(&F->cache, p->set);
    hy__tape_drop(F, p->array.tape);
    p->array.state = HY__DEAD;
    hy__free(&F->root->heap, (void *)(uintptr_t)p->name);
    hy__free(&F->root->heap, (void *)(uintptr_t)p->local);
    hy__free(&F->root->heap, (void *)(uintptr_t)p->path);
    hy__free(&F->root->heap, p);
}

/* One block without its children. */
static void hy__block_free_one(hy_frame *F, hy_block *block)
{
    hy__heap *heap = &F->root->heap;
    struct hy__house *h = block->house;
    int i;
    hy__traces_free(F, &h->traces);
    for (i = 0; i < h->params; i++) hy__param_free(F, h->param[i]);
    for (i = 0; i < h->children; i++) hy__free(heap, h->child[i].name);
    for (i = 0; i < h->counters.cap; i++) hy__free(heap, (void *)(uintptr_t)h->counters.key[i]);
    hy__free(heap, (void *)h->counters.key);
    hy__free(heap, h->counters.value);
    hy__free(heap, h->alias);
    hy__free(heap, h->prefix);
    hy__free(heap, h->name);
    hy__free(heap, h->label);
    hy__free(heap, h->child);
    hy__free(heap, (void *)h->param);
    hy__free(heap, h->hook);
    hy__lock_done(&h->traces.lock);
    if (block->free_fn) block->free_fn(block);
    hy__free(heap, h);
    hy__free(heap, block);
}

/* When the root goes: everything, in any order. */
static void hy__free_blocks(hy_root *root)
{
    hy_frame *F = root->house;
    hy_block *b, *next;
    if (!F) return;
    F->code = HY_ERROR_OK;
    for (b = root->blocks; b; b = b->house->next)               /* graphs first: they name parameters */
        hy__traces_free(F, &b->house->traces);
    for (b = root->blocks; b; b = next) { next = b->house->next; hy__block_free_one(F, b); }
    root->blocks = NULL;
    hy__cache_empty(&F->cache);
    hy__free(&root->heap, F->live.at);
    hy__free(&root->heap, F);
    root->house = NULL;
}

/* Parameters belong to this frame, which nobody holds. */
static hy_frame *hy__house_frame(hy_frame *F)
{
    hy_root *root = F->root;
    hy__acquire(&root->lock);
    if (!root->house) {
        root->house = (hy_frame *)hy__alloc_zero(&root->heap, sizeof *root->house);
        if (root->house) {
            root->house->root = root;
            root->house->cache.heap = &root->heap;
            root->free_blocks = hy__free_blocks;
        }
    }
    hy__release(&root->lock);
    return root->house ? root->house : (hy_frame *)hy__no_memory(F, "hy_block_new");
}

/* "hybrid_net" -> "hybridnet" */
static char *hy__alias_of(hy_frame *F, const char *kind)
{
    char *alias = hy__string(F, kind, ""), *to = alias;
    for (; alias && *kind; kind++)
        if (*kind != '_') *to++ = (char)(*kind >= 'A' && *kind <= 'Z' ? *kind - 'A' + 'a' : *kind);
    if (alias) *to = 0;
    return alias;
}

HY_API hy_block *hy_block_new(hy_frame *F, size_t bytes, const char *kind, hy_forward_fn forward, int hybrid)
{
    hy_block *block;
    struct hy__house *h;
    if (!F || F->code) return NULL;
    if (bytes < sizeof *block || !kind || !forward) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_block_new: %s", forward ? "the struct must begin with a hy_block"
                 : "forward is NULL");
        return NULL;
    }
    if (!hy__house_frame(F)) return NULL;
    block = (hy_block *)hy__alloc_zero(&F->root->heap, bytes);
    h = (struct hy__house *)hy__alloc_zero(&F->root->heap, sizeof *h);
    if (h) h->alias = hy__alias_of(F, kind);
    if (!block || !h || !h->alias || hy__lock_init(&h->traces.lock)) {
        hy__free(&F->root->heap, block);
        if (h) hy__free(&F->root->heap, h->alias);
        hy__free(&F->root->heap, h);
        return (hy_block *)hy__no_memory(F, "hy_block_new");
    }
    block->forward = forward;
    block->kind = kind;
    block->house = h;
    h->root = F->root;
    h->hybrid = hybrid;
    hy__acquire(&F->root->lock);
    h->next = F->root->blocks;
    F->root->blocks = block;
    hy__release(&F->root->lock);
    return block;
}

static int hy__block_ok(hy_frame *F, const hy_block *block, const char *who)
{
    if (!F || F->code) return 0;
    if (!block) hy__fail(F, HY_ERROR_ARGUMENT, "%s: the block is NULL", who);
    else if (block->house->root != F->root)
        hy__fail(F, HY_ERROR_ARGUMENT, "%s: the block belongs to another hy_open", who);
    else return 1;
    return 0;
}

/* All blocks below and this one, parents before children; shared ones once. The caller drops *room. */
static hy_block **hy__family(hy_frame *F, hy_block *block, int *n, hy__buffer **room)
{
    hy__buffer *wide;
    hy_block **list;
    int cap = 64, i, k, j;
    *n = 0;
    *room = hy__buffer_new(&F->cache, (size_t)cap * sizeof *list);
    if (!*room) return (hy_block **)hy__no_memory(F, "blocks");
    list = (hy_block **)(*room)->data;
    list[(*n)++] = block;
    for (i = 0; i < *n; i++) {
        const struct hy__house *h = list[i]->house;
        for (k = 0; k < h->children; k++) {
            for (j = 0; j < *n && list[j] != h->child[k].block; j++) continue;
            if (j < *n) continue;
            if (*n == cap) {
                wide = hy__buffer_new(&F->cache, (size_t)(2 * cap) * sizeof *list);
                if (!wide) { hy__buffer_drop(&F->cache, *room); return (hy_block **)hy__no_memory(F, "blocks"); }
                memcpy(wide->data, list, (size_t)cap * sizeof *list);
                hy__buffer_drop(&F->cache, *room);
                *room = wide;
                list = (hy_block **)wide->data;
                cap *= 2;
            }
            list[(*n)++] = h->child[k].block;
        }
    }
    return list;
}

/* A block dies with what it owns; blocks it shares with others stay. */
HY_API void hy_block_free(hy_frame *F, hy_block *block)
{
    hy__buffer *room;
    hy_block **list, **at, *parent;
    int n, i, k;
    hy_error_t code;
    if (!F || !block || block->house->root != F->root) return;
    code = F->code;
    F->code = HY_ERROR_OK;
    parent = block->house->parent;
    for (i = 0; parent && i < parent->house->children; i++)
        if (parent->house->child[i].block == block) {
            struct hy__house *h = parent->house;
            hy__free(&F->root->heap, h->child[i].name);
            memmove(h->child + i, h->child + i + 1, (size_t)(--h->children - i) * sizeof *h->child);
            hy__changed(parent);
            break;
        }
    list = hy__family(F, block, &n, &room);
    HY__ADD(&F->root->changes, 1);
    for (i = 0; list && i < n; i++) {
        hy_block *up = list[i];
        for (k = 0; up && up != block && k <= n; k++) up = up->house->parent;
        if (up != block) list[i] = NULL;        /* someone else's */
    }
    for (i = 0; list && i < n; i++) if (list[i]) hy__traces_free(F, &list[i]->house->traces);
    for (i = 0; list && i < n; i++) {
        if (!list[i]) continue;
        hy__acquire(&F->root->lock);
        for (at = &F->root->blocks; *at != list[i]; at = &(*at)->house->next) continue;
        *at = list[i]->house->next;
        hy__release(&F->root->lock);
        hy__block_free_one(F, list[i]);
    }
    if (list) hy__buffer_drop(&F->cache, room);
    if (code) F->code = code;
}

/* --- names --- */
/* The next number of an alias in a scope, or in this frame. */
static int hy__count_alias(hy_frame *F, hy__names *counters, const char *alias)
{
    int n = hy__names_find(counters, alias) + 1;
    char *key = n ? NULL : hy__string(F, alias, "");
    if (F->code) return -1;
    if (hy__names_add(&F->root->heap, counters, key ? key : alias, n)) {
        hy__free(&F->root->heap, key);
        hy__no_memory(F, "name");
        return -1;
    }
    return n;
}

/* Settles the names: what was given, or alias and number, after the scope's or the owner's prefix. */
static const char *hy__prefix(hy_frame *F, hy_block *block)
{
    struct hy__house *h = block->house;
    hy_block *scope = NULL;
    const char *outer = "";
    char number[16], *tail, *joined;
    hy__line line;
    int n, i;
    if (h->name) return h->prefix;
    for (i = F->namings - 1; i >= 0 && !scope && !h->inner_of; i--)
        if (F->naming[i] != block && !F->naming[i]->house->empty) scope = F->naming[i];
    if (h->inner_of) outer = hy__prefix(F, h->inner_of);
    else if (scope) outer = scope->house->prefix;
    if (!outer) return NULL;
    h->empty = h->prefix && !*h->prefix;
    if (h->prefix) tail = hy__string(F, h->prefix, "");
    else {
        n = hy__count_alias(F, scope ? &scope->house->counters : &F->aliases, h->alias);
        line.text = number;
        line.cap = sizeof number;
        line.n = 0;
        hy__put_int(&line, n);
        hy__puts(&line, "_");
        tail = n < 0 ? NULL : hy__string(F, h->alias, number);
    }
    joined = tail ? hy__string(F, outer, tail) : NULL;
    h->name = joined ? hy__string(F, joined, "") : NULL;
    hy__free(&F->root->heap, tail);
    if (!h->name) { hy__free(&F->root->heap, joined); return NULL; }
    if (*h->name && h->name[strlen(h->name) - 1] == '_') h->name[strlen(h->name) - 1] = 0;
    hy__free(&F->root->heap, h->prefix);
    return h->prefix = joined;
}

HY_API hy_block *hy_set_prefix(hy_frame *F, hy_block *block, const char *prefix)
{
    char *copy;
    if (!hy__block_ok(F, block, "hy_set_prefix")) return NULL;
    if (!prefix || block->house->name) {
        hy__fail(F, HY_ERROR_STATE, "hy_set_prefix: %s", prefix ? "the block already has its names"
                 : "the prefix is NULL");
        return NULL;
    }
    copy = hy__string(F, prefix, "");
    if (!copy) return NULL;
    hy__free(&F->root->heap, block->house->prefix);
    block->house->prefix = copy;
    return block;
}

HY_API hy_block *hy_set_alias(hy_frame *F, hy_block *block, const char *alias)
{
    char *copy;
    if (!hy__block_ok(F, block, "hy_set_alias")) return NULL;
    copy = hy__string(F, alias ? alias : block->kind, "");
    if (!copy) return NULL;
    hy__free(&F->root->heap, block->house->alias);
    block->house->alias = copy;
    return block;
}

HY_API void hy_name_scope(hy_frame *F, hy_block *block)
{
    if (!hy__block_ok(F, block, "hy_name_scope") || !hy__prefix(F, block)) return;
    if (F->namings == (int)(sizeof F->naming / sizeof *F->naming))
        hy__fail(F, HY_ERROR_STATE, "hy_name_scope: %d scopes are open already", F->namings);
    else F->naming[F->namings++] = block;
}

HY_API void hy_name_scope_end(hy_frame *F)
{
    if (!F) return;
    if (F->namings) F->namings--;
    else hy__fail(F, HY_ERROR_STATE, "hy_name_scope_end: no scope is open");
}

HY_API const char *hy_block_prefix(hy_frame *F, hy_block *block)
{
    return hy__block_ok(F, block, "hy_block_prefix") ? hy__prefix(F, block) : NULL;
}

HY_API const char *hy_block_name(hy_frame *F, hy_block *block)
{
    return hy__block_ok(F, block, "hy_block_name") && hy__prefix(F, block) ? block->house->name : NULL;
}

/* --- children --- */
static int hy__is_below(hy_frame *F, hy_block *top, const hy_block *block)
{
    hy__buffer *room;
    int n, i, found = 0;
    hy_block **list = hy__family(F, top, &n, &room);
    for (i = 0; list && i < n; i++) found |= list[i] == block;
    if (list) hy__buffer_drop(&F->cache, room);
    return found;
}

static int hy__child_place(const struct hy__house *h, const char *name)
{
    int i;
    for (i = 0; i < h->children && strcmp(h->child[i].name, name); i++) continue;
    return i;
}

static hy_block *hy__adopt(hy_frame *F, hy_block *block, const char *name, hy_block *child, int shared)
{
    struct hy__house *h = block->house;
    char number[16], *copy;
    hy__line line;
    int at;
    if (h->hybrid && !child->house->hybrid) {
        hy__fail(F, HY_ERROR_ARGUMENT, "Children of HybridBlock must also be HybridBlock, but %s has type %s: make "
                 "it with HY_BLOCK_NEW, or its parent with HY_PLAIN_BLOCK_NEW", name ? name : "the child",
                 child->kind);
        return NULL;
    }
    if (hy__is_below(F, child, block)) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_add_child: %s would contain itself", child->kind);
        return NULL;
    }
    if (!name) {
        line.text = number;
        line.cap = sizeof number;
        line.n = 0;
        hy__put_int(&line, h->children);
        name = number;
    }
    at = hy__child_place(h, name);
    copy = hy__string(F, name, "");
    if (!copy || !hy__prefix(F, child)) { hy__free(&F->root->heap, copy); return NULL; }
    if (at == h->children) {
        if (hy__grow(&F->root->heap, (void **)&h->child, &h->child_cap, h->children + 1, sizeof *h->child)) {
            hy__free(&F->root->heap, copy);
            return (hy_block *)hy__no_memory(F, "hy_add_child");
        }
        h->children++;
    } else hy__free(&F->root->heap, h->child[at].name);         /* the one replaced stays the root's */
    h->child[at].name = copy;
    h->child[at].block = child;
    h->child[at].shared = shared || child->house->parent != NULL;
    if (!h->child[at].shared) {
        char *label = hy__string(F, name, "");
        child->house->parent = block;
        if (label) { hy__free(&F->root->heap, child->house->label); child->house->label = label; }
    }
    if (h->active && !child->house->active) { child->house->active = 1; child->house->opt = h->opt; }
    hy__changed(block);
    return child;
}

HY_API hy_block *hy_add_child(hy_frame *F, hy_block *block, const char *name, hy_block *child)
{
    if (!hy__block_ok(F, block, "hy_add_child") || !hy__block_ok(F, child, "hy_add_child")) return NULL;
    return hy__adopt(F, block, name, child, 0);
}

/* A child that another block owns. */
static hy_block *hy__add_shared_child(hy_frame *F, hy_block *block, const char *name, hy_block *child)
{
    if (!hy__block_ok(F, block, "hy_add_child") || !hy__block_ok(F, child, "hy_add_child")) return NULL;
    return hy__adopt(F, block, name, child, 1);
}

/* A child that a layer makes for itself: its prefix is the layer's and what follows, whenever that settles. */
static hy_block *hy__add_inner_child(hy_frame *F, hy_block *block, const char *name, const char *prefix,
                                     hy_block *child)
{
    if (!child || !hy_set_prefix(F, child, prefix)) return NULL;
    child->house->inner_of = block;
    child->house->parent = NULL;
    {
        struct hy__house *h = block->house;
        char *copy = hy__string(F, name, ""), *label = hy__string(F, name, "");
        if (!copy || !label || hy__grow(&F->root->heap, (void **)&h->child, &h->child_cap, h->children + 1,
                                        sizeof *h->child)) {
            hy__free(&F->root->heap, copy);
            hy__free(&F->root->heap, label);
            return (hy_block *)hy__no_memory(F, "hy_add_child");
        }
        h->child[h->children].name = copy;
        h->child[h->children].block = child;
        h->child[h->children++].shared = 0;
        hy__free(&F->root->heap, child->house->label);
        child->house->label = label;
        child->house->parent = block;
    }
    return child;
}

HY_API int hy_length(hy_frame *F, hy_block *block)
{
    return hy__block_ok(F, block, "hy_length") ? block->house->children : 0;
}

static hy__child *hy__child_at(hy_frame *F, hy_block *block, int i)
{
    int n;
    if (!hy__block_ok(F, block, "hy_child")) return NULL;
    n = block->house->children;
    if (i >= -n && i < n) return &block->house->child[i < 0 ? i + n : i];
    hy__fail(F, HY_ERROR_INDEX, "hy_child: index %d of a block with %d children", i, n);
    return NULL;
}

HY_API hy_block *hy_child(hy_frame *F, hy_block *block, int i)
{
    hy__child *child = hy__child_at(F, block, i);
    return child ? child->block : NULL;
}

HY_API const char *hy_child_name(hy_frame *F, hy_block *block, int i)
{
    hy__child *child = hy__child_at(F, block, i);
    return child ? child->name : NULL;
}

HY_API void hy_visit(hy_frame *F, hy_block *block, hy_visit_fn fn, void *user)
{
    struct { hy_block *block; int next; } stack[64];
    int n = 0;
    if (!hy__block_ok(F, block, "hy_visit")) return;
    stack[n].block = block;
    stack[n++].next = 0;
    while (n && !F->code) {
        const struct hy__house *h = stack[n - 1].block->house;
        if (stack[n - 1].next == h->children) { fn(F, stack[--n].block, user); continue; }
        if (n == 64) { hy__fail(F, HY_ERROR_STATE, "hy_visit: blocks are nested more than 64 deep"); return; }
        stack[n].block = h->child[stack[n - 1].next++].block;
        stack[n++].next = 0;
    }
}

HY_API int hy_add_hook(hy_frame *F, hy_block *block, hy_hook when, hy_hook_fn fn, void *user)
{
    struct hy__house *h;
    if (!hy__block_ok(F, block, "hy_add_hook")) return -1;
    h = block->house;
    if (!fn) { hy__fail(F, HY_ERROR_ARGUMENT, "hy_add_hook: the function is NULL"); return -1; }
    if (hy__grow(&F->root->heap, (void **)&h->hook, &h->hook_cap, h->hooks + 1, sizeof *h->hook)) {
        hy__no_memory(F, "hy_add_hook");
        return -1;
    }
    h->hook[h->hooks].when = when;
    h->hook[h->hooks].fn = fn;
    h->hook[h->hooks].user = user;
    h->hook[h->hooks++].id = ++h->hook_id;
    return h->hook_id;
}

HY_API void hy_remove_hook(hy_frame *F, hy_block *block, int hook)
{
    struct hy__house *h;
    int i;
    if (!hy__block_ok(F, block, "hy_remove_hook")) return;
    h = block->house;
    for (i = 0; i < h->hooks && h->hook[i].id != hook; i++) continue;
    if (i == h->hooks) { hy__fail(F, HY_ERROR_UNKNOWN, "hy_remove_hook: the block has no hook %d", hook); return; }
    memmove(h->hook + i, h->hook + i + 1, (size_t)(--h->hooks - i) * sizeof *h->hook);
}

/* --- parameters --- */
static const char *hy__param_name(hy_frame *F, hy__param *p)
{
    const char *prefix;
    if (p->name) return p->name;
    prefix = hy__prefix(F, p->block);
    if (prefix) p->name = hy__string(F, prefix, p->local);
    return p->name;
}

HY_API hy_array *hy_add_param(hy_frame *F, hy_block *block, const char *name, hy_shape shape,
                              const hy_param_opt *opt)
{
    struct hy__house *h;
    hy__param *p;
    int i;
    if (!hy__block_ok(F, block, "hy_add_param")) return NULL;
    h = block->house;
    for (i = 0; i < h->params; i++)
        if (name && !strcmp(h->param[i]->local, name)) {
            hy__fail(F, HY_ERROR_ARGUMENT, "Overriding Parameter attribute %s is not allowed", name);
            return NULL;
        }
    for (i = 0; i < shape.ndim && shape.dim[i] >= -1; i++) continue;
    if (!name || shape.ndim < 0 || shape.ndim > HY_MAX_DIM || i < shape.ndim) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_add_param: %s", name ? "bad shape" : "the name is NULL");
        return NULL;
    }
    p = (hy__param *)hy__alloc_zero(&F->root->heap, sizeof *p);
    if (p) p->local = hy__string(F, name, "");
    if (!p || !p->local || hy__grow(&F->root->heap, (void **)&h->param, &h->param_cap, h->params + 1,
                                    sizeof *h->param)) {
        if (p) hy__free(&F->root->heap, (void *)(uintptr_t)p->local);
        hy__free(&F->root->heap, p);
        return (hy_array *)hy__no_memory(F, "hy_add_param");
    }
    p->array.state = HY__LIVE;
    p->array.kept = 1;
    p->array.frame = hy__house_frame(F);
    p->array.param = p;
    p->array.t.type.dtype = opt && opt->dtype ? opt->dtype : HY_F32;
    p->array.t.type.shape = p->declared = shape;
    hy__pack_strides(&p->array.t);
    p->block = block;
    if (opt) p->init = opt->init;
    p->aux = opt && opt->aux;
    p->req = (opt && (opt->no_grad || opt->aux)) || !hy__floating(p->array.t.type.dtype) ? HY_GRAD_NULL
        : HY_GRAD_WRITE;
    p->lr_mult = opt && opt->lr_mult != 0 ? opt->lr_mult : 1;
    p->wd_mult = opt && opt->wd_mult != 0 ? opt->wd_mult : 1;
    h->param[h->params++] = p;
    hy__changed(block);
    return &p->array;
}

/* A parameter by its handle. */
static hy__param *hy__param_at(hy_frame *F, hy_array *x, const char *who)
{
    if (!hy__alive(F, x, who)) return NULL;
    if (x->param) return hy__param_of(x);
    hy__fail(F, HY_ERROR_ARGUMENT, "%s: the array is no parameter", who);
    return NULL;
}

/* Gives it values now, or at the first call when its shape is not known. */
static void hy__param_initialize(hy_frame *F, hy__param *p, const hy_init *init, int force)
{
    if (p->array.buffer && !force) {
        hy__warn(F, "Parameter '%s' is already initialized, ignoring", p->name);
        return;
    }
    memset(&p->wanted, 0, sizeof p->wanted);
    if (init) p->wanted = *init;
    p->deferred = 1;
    if (p->array.buffer) {
        if (HY__LOAD(&p->array.buffer->pins)) {
            hy__fail(F, HY_ERROR_STATE, "hy_reinitialize: a recorded backward still needs '%s'", p->name);
            return;
        }
        hy__buffer_drop(&F->cache, p->array.buffer);
        p->array.buffer = NULL;
    }
    if (hy__shape_known(&p->array.t.type.shape)) {
        hy_type type = p->array.t.type;
        hy__param_fill(F, p, &type);
        F->fresh = NULL;
    }
}

/* "features.0.weight", by which initial values are seeded. */
static int hy__set_path(hy_frame *F, hy__param *p, const char *path)
{
    char *copy;
    if (p->path && !strcmp(p->path, path)) return 0;
    copy = hy__string(F, path, "");
    if (!copy) return -1;
    hy__free(&F->root->heap, (void *)(uintptr_t)p->path);
    p->path = copy;
    return 0;
}

/* Visits every parameter below a block in order: its own, then its children's. Stops when fn says so. */
typedef int (*hy__param_fn)(hy_frame *F, hy__param *p, const char *path, void *user);
static void hy__each_param(hy_frame *F, hy_block *block, hy__param_fn fn, void *user)
{
    struct { hy_block *block; int next; size_t end; } stack[64];
    char path[1024];
    hy__line line;
    int n = 0, i;
    line.text = path;
    line.cap = sizeof path;
    line.n = 0;
    path[0] = 0;
    stack[n].block = block;
    stack[n].end = 0;
    stack[n++].next = -1;
    while (n && !F->code) {
        const struct hy__house *h = stack[n - 1].block->house;
        line.n = stack[n - 1].end;
        path[line.n] = 0;
        if (stack[n - 1].next < 0) {
            stack[n - 1].next = 0;
            for (i = 0; i < h->params && !F->code; i++) {
                line.n = stack[n - 1].end;
                hy__puts(&line, h->param[i]->local);
                if (!hy__param_name(F, h->param[i]) || fn(F, h->param[i], path, user)) return;
            }
            continue;
        }
        if (stack[n - 1].next == h->children) { n--; continue; }
        if (n == 64) { hy__fail(F, HY_ERROR_STATE, "blocks are nested more than 64 deep"); return; }
        hy__puts(&line, h->child[stack[n - 1].next].name);
        hy__puts(&line, ".");
        stack[n].block = h->child[stack[n - 1].next++].block;
        stack[n].end = line.n;
        stack[n++].next = -1;
    }
}

/* Marks what a walk has met. */
static uint64_t hy__stamp(hy_frame *F) { return F ? HY__ADD(&F->root->next_id, 1) : 0; }

typedef struct hy__initializing { const hy_init *init; int force; uint64_t stamp; } hy__initializing;
static int hy__initialize_one(hy_frame *F, hy__param *p, const char *path, void *user)
{
    const hy__initializing *with = (const hy__initializing *)user;
    hy__param *real = p->same ? p->same : p;
    if (real->seen == with->stamp) return 0;    /* shared: once is enough */
    real->seen = with->stamp;
    if (hy__set_path(F, p, path)) return -1;
    if (!real->path && hy__set_path(F, real, path)) return -1;
    hy__param_initialize(F, real, with->init, with->force);
    return F->code != HY_ERROR_OK;
}

HY_API void hy_initialize(hy_frame *F, hy_block *block, const hy_init *init)
{
    hy__initializing with;
    with.init = init;
    with.force = 0;
    with.stamp = hy__stamp(F);
    if (hy__block_ok(F, block, "hy_initialize")) hy__each_param(F, block, hy__initialize_one, &with);
}

HY_API void hy_reinitialize(hy_frame *F, hy_block *block, const hy_init *init)
{
    hy__initializing with;
    with.init = init;
    with.force = 1;
    with.stamp = hy__stamp(F);
    if (hy__block_ok(F, block, "hy_reinitialize")) hy__each_param(F, block, hy__initialize_one, &with);
}

/* --- regular expressions: . [a-z] [^a] ^ $ \ ( | ) * + ? --- */
typedef struct hy__regex { const char *text; int steps; } hy__regex;

/* Behind one item: a character, a class or a bracket. */
static const char *hy__regex_item_end(const char *p)
{
    int depth = 0;
    if (*p == '\\' && p[1]) return p + 2;
    if (*p == '[') {
        p++;
        if (*p == '^') p++;
        if (*p == ']') p++;
        while (*p && *p != ']') p++;
        return *p ? p + 1 : p;
    }
    if (*p != '(') return p + 1;
    for (; *p; p++) {
        if (*p == '\\' && p[1]) { p++; continue; }
        if (*p == '[') { p = hy__regex_item_end(p) - 1; continue; }
        depth += (*p == '(') - (*p == ')');
        if (!depth) return p + 1;
    }
    return p;
}

static int hy__regex_class(const char *p, const char *end, char c)
{
    int negate = *p == '^', hit = 0;
    const char *first = p += negate;
    for (; p < end && (*p != ']' || p == first); p++)
        if (p[1] == '-' && p + 2 < end && p[2] != ']') { hit |= c >= p[0] && c <= p[2]; p += 2; }
        else hit |= *p == c;
    return hit != negate;
}

/* One item that is no bracket against one character. */
static int hy__regex_single(const char *p, const char *end, char c)
{
    if (!c) return 0;
    if (*p == '.') return 1;
    if (*p == '[') return hy__regex_class(p + 1, end, c);
    if (*p != '\\') return *p == c;
    switch (p[1]) {
    case 'd': return c >= '0' && c <= '9';
    case 'w': return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    case 's': return c == ' ' || c == '\t' || c == '\n';
    default: return p[1] == c;
    }
}

/* Does what stands in [p, end), then what stands in `then`, match at s? Steps are bounded, so that no pattern
 * hangs; brackets nest in the recursion, at most as deep as the pattern is long. */
typedef struct hy__regex_rest { const char *p, *end; const struct hy__regex_rest *then; } hy__regex_rest;
static int hy__regex_match(hy__regex *r, const char *p, const char *end, const char *s,
                           const hy__regex_rest *then, int depth)
{
    const char *item, *bar;
    hy__regex_rest rest;
    if (++r->steps > 20000 || depth > 200) return 0;
    for (bar = p; bar < end; bar = hy__regex_item_end(bar))
        if (*bar == '|')
            return hy__regex_match(r, p, bar, s, then, depth + 1) ||
                   hy__regex_match(r, bar + 1, end, s, then, depth + 1);
    if (p == end) return !then || hy__regex_match(r, then->p, then->end, s, then->then, depth + 1);
    if (*p == '^') return s == r->text && hy__regex_match(r, p + 1, end, s, then, depth + 1);
    if (*p == '$') return !*s && hy__regex_match(r, p + 1, end, s, then, depth + 1);
    item = hy__regex_item_end(p);
    rest.end = end;
    rest.then = then;
    if (*p == '(') {
        int many = item < end && (*item == '*' || *item == '+');
        rest.p = item < end && (*item == '*' || *item == '+' || *item == '?') ? item + 1 : item;
        if (many) {                     /* once, and then perhaps the same again */
            hy__regex_rest again;
            again.p = p;
            again.end = end;
            again.then = then;
            if (hy__regex_match(r, p + 1, item - 1, s, &rest, depth + 1)) return 1;
            if (*s && hy__regex_match(r, p + 1, item - 1, s, &again, depth + 1)) return 1;
            return *item == '*' && hy__regex_match(r, rest.p, end, s, then, depth + 1);
        }
        if (hy__regex_match(r, p + 1, item - 1, s, &rest, depth + 1)) return 1;
        return item < end && *item == '?' && hy__regex_match(r, rest.p, end, s, then, depth + 1);
    }
    if (item < end && (*item == '*' || *item == '+' || *item == '?')) {
        const char *t = s;
        int least = *item == '+', most = *item == '?';
        while (hy__regex_single(p, item, *t) && (!most || t == s)) t++;
        for (; t >= s + least; t--) if (hy__regex_match(r, item + 1, end, t, then, depth + 1)) return 1;
        return 0;
    }
    return hy__regex_single(p, item, *s) && hy__regex_match(r, item, end, s + 1, then, depth + 1);
}

static int hy__match(const char *pattern, const char *text)
{
    hy__regex r;
    r.text = text;
    r.steps = 0;
    return hy__regex_match(&r, pattern, pattern + strlen(pattern), text, NULL, 0);
}

/* --- lists of parameters --- */
typedef struct hy__collecting {
    const char *pattern;
    hy_array  **at;
    int         n, cap;
    hy__buffer *room;
    uint64_t    stamp;
} hy__collecting;

static int hy__collect_one(hy_frame *F, hy__param *p, const char *path, void *user)
{
    hy__collecting *all = (hy__collecting *)user;
    hy__param *real = p->same ? p->same : p;
    (void)path;
    if (real->seen == all->stamp || (all->pattern && !hy__match(all->pattern, real->name))) return 0;
    real->seen = all->stamp;
    if (all->n == all->cap) {
        hy__buffer *wide = hy__buffer_new(&F->cache, (size_t)(2 * all->cap + 32) * sizeof *all->at);
        if (!wide) { hy__no_memory(F, "hy_collect_params"); return -1; }
        all->cap = 2 * all->cap + 32;
        if (all->n) memcpy(wide->data, all->at, (size_t)all->n * sizeof *all->at);
        hy__buffer_drop(&F->cache, all->room);
        all->room = wide;
        all->at = (hy_array **)wide->data;
    }
    all->at[all->n++] = &p->array;
    return 0;
}

HY_API hy_params hy_collect_params(hy_frame *F, hy_block *block, const char *pattern)
{
    hy__collecting all;
    hy_params list;
    hy_array *holder;
    list.n = 0;
    list.at = NULL;
    if (!hy__block_ok(F, block, "hy_collect_params")) return list;
    memset(&all, 0, sizeof all);
    all.pattern = pattern;
    all.stamp = hy__stamp(F);
    hy__each_param(F, block, hy__collect_one, &all);
    holder = F->code ? NULL : hy__handle(F);            /* the list lives in this scope */
    if (!holder) { hy__buffer_drop(&F->cache, all.room); return list; }
    holder->buffer = all.room;
    list.n = all.n;
    list.at = all.at;
    return list;
}

typedef struct hy__searching { const char *path; const hy__param *param; hy__param *found; } hy__searching;
static int hy__search_one(hy_frame *F, hy__param *p, const char *path, void *user)
{
    hy__searching *s = (hy__searching *)user;
    if (s->path ? strcmp(s->path, path) != 0 : p != s->param && p->same != s->param) return 0;
    s->found = p;
    if (!s->path) hy__set_path(F, p, path);
    return 1;
}

HY_API hy_array *hy_param(hy_frame *F, hy_block *block, const char *path)
{
    hy__searching s;
    memset(&s, 0, sizeof s);
    s.path = path ? path : "";
    if (!hy__block_ok(F, block, "hy_param")) return NULL;
    hy__each_param(F, block, hy__search_one, &s);
    if (!s.found) hy__fail(F, HY_ERROR_UNKNOWN, "hy_param: there is no parameter %s", s.path);
    return s.found ? &s.found->array : NULL;
}

HY_API const char *hy_param_path(hy_frame *F, hy_block *block, hy_array *x)
{
    hy__searching s;
    memset(&s, 0, sizeof s);
    s.param = hy__param_at(F, x, "hy_param_path");
    if (!s.param || !hy__block_ok(F, block, "hy_param_path")) return NULL;
    hy__each_param(F, block, hy__search_one, &s);
    return s.found ? s.found->path : NULL;
}

HY_API hy_shape hy_param_shape(hy_frame *F, hy_array *x)
{
    hy__param *p = hy__param_at(F, x, "hy_param_shape");
    return p ? p->array.t.type.shape : hy__no_shape();
}

HY_API int hy_param_ready(hy_frame *F, hy_array *x)
{
    hy__param *p = hy__param_at(F, x, "hy_param_ready");
    return p && p->array.buffer;
}

/* Does a value's shape agree with what is known of the parameter's? */
static int hy__shape_agrees(const hy_shape *want, const hy_shape *have)
{
    int d;
    if (want->ndim != have->ndim) return 0;
    for (d = 0; d < want->ndim; d++) if (want->dim[d] >= 0 && want->dim[d] != have->dim[d]) return 0;
    return 1;
}

HY_API void hy_set_param(hy_frame *F, hy_array *x, hy_array *value)
{
    hy__param *p = hy__param_at(F, x, "hy_set_param");
    hy_type type;
    if (!p || !hy__concrete(F, value, "hy_set_param", "an array with values")) return;
    if (!hy__shape_agrees(&p->array.t.type.shape, &value->t.type.shape)) {
        hy__fail(F, HY_ERROR_SHAPE, "hy_set_param: parameter '%s': Expected shape %z is incompatible with given "
                 "shape %z", hy__param_name(F, p), &p->array.t.type.shape, &value->t.type.shape);
        return;
    }
    if (p->array.buffer) { hy_assign(F, &p->array, value); return; }
    if (!hy__param_name(F, p)) return;
    type = value->t.type;
    type.dtype = p->array.t.type.dtype;
    p->deferred = 1;
    if (!hy__param_fill(F, p, &type)) hy_assign(F, &p->array, value);
    F->fresh = NULL;
}

HY_API void hy_set_init(hy_frame *F, hy_array *x, const hy_init *init)
{
    hy__param *p = hy__param_at(F, x, "hy_set_init");
    if (!p) return;
    memset(&p->init, 0, sizeof p->init);
    if (init) p->init = *init;
}

HY_API double hy_lr_mult(hy_frame *F, hy_array *x)
{
    hy__param *p = hy__param_at(F, x, "hy_lr_mult");
    return p ? p->lr_mult : 0;
}

HY_API double hy_wd_mult(hy_frame *F, hy_array *x)
{
    hy__param *p = hy__param_at(F, x, "hy_wd_mult");
    return p ? p->wd_mult : 0;
}

HY_API void hy_set_mult(hy_frame *F, hy_array *x, double lr_mult, double wd_mult)
{
    hy__param *p = hy__param_at(F, x, "hy_set_mult");
    if (!p) return;
    p->lr_mult = lr_mult;
    p->wd_mult = wd_mult;
}

/* A gradient that was there goes when the request changes. */
static void hy__param_request(hy_frame *F, hy__param *p, hy_grad_req req)
{
    if (p->req == req || p->aux || (req && !hy__floating(p->array.t.type.dtype))) return;
    p->req = req;
    hy__tape_drop(F, p->array.tape);
    p->array.tape = NULL;
}

HY_API void hy_set_grad_req(hy_frame *F, hy_block *block, const char *pattern, hy_grad_req req)
{
    hy_params all;
    int i;
    hy_begin(F);
    all = hy_collect_params(F, block, pattern);
    if (F && !F->code && (unsigned)req > HY_GRAD_ADD)
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_set_grad_req: no such request");
    for (i = 0; i < all.n && !F->code; i++) hy__param_request(F, hy__param_of(all.at[i]), req);
    hy_end(F);
}

HY_API void hy_zero_grad(hy_frame *F, hy_block *block)
{
    hy_params all;
    int i;
    hy_begin(F);
    all = hy_collect_params(F, block, NULL);
    for (i = 0; i < all.n && !F->code; i++) {
        hy__tape *leaf = hy__param_of(all.at[i])->array.tape;
        if (leaf && leaf->grad.buffer) memset(leaf->grad.t.data, 0, (size_t)hy__bytes(&leaf->grad.t.type));
    }
    hy_end(F);
}

HY_API hy_array *hy_add_constant(hy_frame *F, hy_block *block, const char *name, hy_array *value)
{
    hy_param_opt opt;
    hy_array *x;
    if (!hy__concrete(F, value, "hy_add_constant", "an array with values")) return NULL;
    memset(&opt, 0, sizeof opt);
    opt.dtype = value->t.type.dtype;
    opt.no_grad = 1;
    x = hy_add_param(F, block, name, value->t.type.shape, &opt);
    if (x) hy_set_param(F, x, value);
    return F->code ? NULL : x;
}

/* --- parameters of one block used by another --- */
static int hy__share_one(hy_frame *F, hy__param *p, const char *path, void *user)
{
    hy__searching s;
    hy__param *from;
    memset(&s, 0, sizeof s);
    s.path = path;
    hy__each_param(F, (hy_block *)user, hy__search_one, &s);
    if (!s.found || F->code) return F->code != HY_ERROR_OK;
    from = s.found->same ? s.found->same : s.found;
    if (from == p || p->same == from) return 0;
    if (p->array.t.type.dtype != from->array.t.type.dtype ||
        (!hy__shape_agrees(&p->array.t.type.shape, &from->array.t.type.shape) &&
         !hy__shape_agrees(&from->array.t.type.shape, &p->array.t.type.shape))) {
        hy__fail(F, HY_ERROR_SHAPE, "hy_share_params: '%s' is %z, '%s' is %z", p->name, &p->array.t.type.shape,
                 from->name, &from->array.t.type.shape);
        return -1;
    }
    if (p->same || p->sharer) {
        hy__fail(F, HY_ERROR_STATE, "hy_share_params: '%s' is shared already", p->name);
        return -1;
    }
    p->same = from;
    p->next_sharer = from->sharer;
    from->sharer = p;
    hy__tape_drop(F, p->array.tape);
    p->array.tape = NULL;
    hy__buffer_drop(&F->cache, p->array.buffer);
    p->array.buffer = from->array.buffer ? hy__buffer_hold(from->array.buffer) : NULL;
    p->array.t = from->array.t;
    hy__changed(p->block);
    return 0;
}

HY_API void hy_share_params(hy_frame *F, hy_block *block, hy_block *from)
{
    if (!hy__block_ok(F, block, "hy_share_params") || !hy__block_ok(F, from, "hy_share_params")) return;
    hy__each_param(F, block, hy__share_one, from);
}

static int hy__cast_one(hy_frame *F, hy__param *p, const char *path, void *user)
{
    hy_dtype dtype = *(const hy_dtype *)user;
    hy_tensor old = p->array.t;
    hy__buffer *b = NULL;
    (void)path;
    if (p->same || old.type.dtype == dtype || !hy__floating(old.type.dtype)) return 0;
    if (dtype == HY_F16 && (p->keep_wide || p->aux)) return 0;
    p->array.t.type.dtype = dtype;
    if (p->array.buffer) {
        b = hy__buffer_new(&F->cache, (size_t)hy__bytes(&p->array.t.type));
        if (!b) { p->array.t = old; hy__no_memory(F, "hy_cast_block"); return -1; }
        b->watched = 1;
        p->array.t.data = b->data;
        hy__pack_strides(&p->array.t);
        hy__copy_tensor(&p->array.t, &old);
        hy__buffer_drop(&F->cache, p->array.buffer);
        p->array.buffer = b;
    }
    hy__tape_drop(F, p->array.tape);
    p->array.tape = NULL;
    hy__param_sync(F, p);
    hy__changed(p->block);
    return 0;
}

HY_API void hy_cast_block(hy_frame *F, hy_block *block, hy_dtype dtype)
{
    if (!hy__block_ok(F, block, "hy_cast_block")) return;
    if (!hy__floating(dtype)) {
        hy__fail(F, HY_ERROR_DTYPE, "hy_cast_block: parameters are floating point, %t is not", (int)dtype);
        return;
    }
    HY__ADD(&F->root->epoch, 1);
    hy__each_param(F, block, hy__cast_one, &dtype);
}

/* --- a table of layers --- */
typedef struct hy__layer_row { const hy_block *block; hy_array *y; } hy__layer_row;
struct hy__summary { hy__layer_row *row; int n, cap; };

/* Called as each block returns, hence children first. */
static void hy__summary_note(hy_frame *S, const hy_block *block, hy_array *y)
{
    struct hy__summary *all = S->summary;
    if (hy__grow(&S->root->heap, (void **)&all->row, &all->cap, all->n + 1, sizeof *all->row)) {
        hy__no_memory(S, "hy_summary");
        return;
    }
    all->row[all->n].block = block;
    all->row[all->n++].y = hy_keep(S, y);
}

/* "1,234,567" */
static void hy__put_grouped(hy__line *line, int64_t v)
{
    char digits[32];
    hy__line d;
    size_t i;
    d.text = digits;
    d.cap = sizeof digits;
    d.n = 0;
    hy__put_int(&d, v);
    for (i = 0; i < d.n; i++) {
        hy__put(line, digits + i, 1);
        if (i + 1 < d.n && (d.n - i - 1) % 3 == 0) hy__puts(line, ",");
    }
}

/* Right-aligned in a column. */
static void hy__put_column(hy__sink sink, const hy__line *line, size_t width)
{
    size_t pad = line->n < width ? width - line->n : 0;
    while (pad--) sink.put(sink.user, " ", 1);
    sink.put(sink.user, line->text, line->n);
}

/* Elements of a parameter, as far as this trace found its shape; -1: not known. */
static int64_t hy__param_size(hy_frame *S, const hy__param *p)
{
    const hy__param *real = p->same ? p->same : p;
    const hy_shape *shape = &real->array.t.type.shape;
    int i;
    for (i = 0; i < S->param_nodes && !hy__shape_known(shape); i++)
        if (S->param_node[i]->param == real) shape = &S->param_node[i]->type[0].shape;
    return hy__shape_known(shape) ? hy__size(shape) : -1;
}

static void hy__summary_row(hy__sink sink, const char *name, const hy_array *y, int64_t params)
{
    char text[160];
    hy__line line;
    line.text = text;
    line.cap = sizeof text;
    line.n = 0;
    hy__puts(&line, name);
    hy__put_column(sink, &line, 20);
    for (line.n = 0; y && y->count; y = y->item[0]) continue;
    if (y) hy__put_shape(&line, &y->t.type.shape);
    hy__put_column(sink, &line, 44);
    line.n = 0;
    if (params >= 0) hy__put_grouped(&line, params);
    else hy__puts(&line, "?");
    hy__put_column(sink, &line, 16);
    sink.put(sink.user, "\n", 1);
}

static void hy__summary_line(hy__sink sink, const char *c)
{
    int i;
    for (i = 0; i < 80; i++) sink.put(sink.user, c, 1);
    sink.put(sink.user, "\n", 1);
}

static void hy__summary_total(hy__sink sink, const char *what, int64_t v)
{
    char text[120];
    hy__line line;
    line.text = text;
    line.cap = sizeof text;
    line.n = 0;
    hy__puts(&line, what);
    hy__put_grouped(&line, v);
    hy__puts(&line, "\n");
    sink.put(sink.user, text, line.n);
}

static void hy__write_summary(hy_frame *S, hy__sink sink, hy_array *x)
{
    const struct hy__summary *all = S->summary;
    int64_t total = 0, trainable = 0, unique = 0;
    uint64_t stamp = hy__stamp(S);
    char name[64];
    hy__line line;
    int i, k;
    line.text = name;
    line.cap = sizeof name;
    hy__summary_line(sink, "-");
    sink.put(sink.user, "        Layer (type)                                Output Shape         Param #\n", 81);
    hy__summary_line(sink, "=");
    hy__summary_row(sink, "Input", x, 0);
    for (i = 0; i < all->n; i++) {
        const struct hy__house *h = all->row[i].block->house;
        int64_t own = 0;
        for (k = 0; k < h->params; k++) {
            hy__param *real = h->param[k]->same ? h->param[k]->same : h->param[k];
            int64_t n = hy__param_size(S, real);
            own = n < 0 || own < 0 ? -1 : own + n;
            if (n < 0) continue;
            total += n;
            if (real->req != HY_GRAD_NULL) trainable += n;
            if (real->seen != stamp) unique += n;
            real->seen = stamp;
        }
        line.n = 0;
        hy__puts(&line, all->row[i].block->kind);
        hy__puts(&line, "-");
        hy__put_int(&line, i + 1);
        hy__summary_row(sink, name, all->row[i].y, own);
    }
    hy__summary_line(sink, "=");
    sink.put(sink.user, "Parameters in forward computation graph, duplicate included\n", 60);
    hy__summary_total(sink, "   Total params: ", total);
    hy__summary_total(sink, "   Trainable params: ", trainable);
    hy__summary_total(sink, "   Non-trainable params: ", total - trainable);
    hy__summary_total(sink, "Shared params in forward computation graph: ", total - unique);
    hy__summary_total(sink, "Unique parameters in model: ", unique);
    hy__summary_line(sink, "-");
}

/* Shapes come from a trace: nothing is computed. */
static void hy__summarize(hy_frame *F, hy_block *block, hy_array *x, hy__sink sink)
{
    struct hy__summary all;
    hy__flat in;
    hy_frame *S;
    hy__buffer *room;
    const char *form;
    hy_array **var, *sx;
    if (!hy__block_ok(F, block, "hy_summary") || hy__flat_open(F, &in, x, "hy_summary")) return;
    S = hy__tracer_open(F);
    room = hy__buffer_new(&F->cache, (size_t)in.n * sizeof *var);
    memset(&all, 0, sizeof all);
    if (S && room) {
        S->summary = &all;
        var = (hy_array **)room->data;
        form = in.full;
        if (!hy__trace_inputs(S, &in, var)) {
            sx = hy__group_as(S, &form, &var);
            hy_call_at(S, block, sx, NULL, 0);
            if (!S->code) hy__write_summary(S, sink, sx);
        }
    } else if (S) hy__no_memory(S, "hy_summary");
    hy__free(&F->root->heap, all.row);
    if (S) hy__tracer_close(F, S);
    hy__buffer_drop(&F->cache, room);
    hy__flat_close(F, &in);
}

/* --- layers, nested --- */
static void hy__write_block(hy_frame *F, hy_block *block, hy__sink sink)
{
    struct { const hy_block *block; int next; } stack[64];
    char text[512];
    int n = 0, i;
    stack[n].block = block;
    stack[n++].next = 0;
    sink.put(sink.user, block->kind, strlen(block->kind));
    sink.put(sink.user, "(", 1);
    while (n) {
        const struct hy__house *h = stack[n - 1].block->house;
        if (!stack[n - 1].next && stack[n - 1].block->describe) {
            text[0] = 0;
            stack[n - 1].block->describe(stack[n - 1].block, text, sizeof text);
            sink.put(sink.user, text, strlen(text));
            stack[n - 1].next = h->children;    /* its own children are part of what it says */
        } else if (!stack[n - 1].next && h->children) sink.put(sink.user, "\n", 1);
        if (stack[n - 1].next == h->children) {
            for (i = 0; i < n - 1 && h->children && !stack[n - 1].block->describe; i++)
                sink.put(sink.user, "  ", 2);
            sink.put(sink.user, ")\n", 2);
            n--;
            continue;
        }
        if (n == 64) { hy__fail(F, HY_ERROR_STATE, "hy_block_text: blocks are nested more than 64 deep"); return; }
        for (i = 0; i < n; i++) sink.put(sink.user, "  ", 2);
        sink.put(sink.user, "(", 1);
        sink.put(sink.user, h->child[stack[n - 1].next].name, strlen(h->child[stack[n - 1].next].name));
        sink.put(sink.user, "): ", 3);
        stack[n].block = h->child[stack[n - 1].next++].block;
        sink.put(sink.user, stack[n].block->kind, strlen(stack[n].block->kind));
        sink.put(sink.user, "(", 1);
        stack[n++].next = 0;
    }
}

/* --- calling --- */
static void hy__run_hooks(hy_frame *F, hy_block *block, hy_hook when, hy_array *x, hy_array *y)
{
    int i;
    for (i = 0; i < block->house->hooks; i++)
        if (block->house->hook[i].when == when)
            block->house->hook[i].fn(F, block, x, y, block->house->hook[i].user);
}

/* forward between its hooks, in a scope of its own. */
static hy_array *hy__forward(hy_frame *F, hy_block *block, hy_array *x)
{
    int marks = F->marks, floor = F->floor;
    hy_array *y = NULL;
    hy_begin(F);
    if (F->code) return NULL;
    F->floor = marks + 1;
    hy__run_hooks(F, block, HY_HOOK_BEFORE, x, NULL);
    if (!F->code) y = block->forward(F, block, x);
    if (!F->code && y) hy__run_hooks(F, block, HY_HOOK_AFTER, x, y);
    while (F->marks > marks + 1) hy_end(F);
    F->floor = floor;
    if (F->code) y = NULL;
    if (y && y->frame == F) y = hy_return(F, y);
    hy_end(F);
    return y;
}

static hy_array *hy__forward_traced(hy_frame *S, void *user, hy_array *x)
{
    hy__scope *scope = (hy__scope *)user, own = *scope;
    hy_array *y;
    own.outer = NULL;
    own.id = ++S->scopes;
    S->scope = &own;
    y = hy__forward(S, own.block, x);
    S->scope = NULL;
    return y;
}

/* Did anything below change since the graphs were made? The sum grows with every change. */
static void hy__revalidate(hy_frame *F, hy_block *block)
{
    struct hy__house *h = block->house;
    hy__buffer *room;
    uint64_t now = HY__LOAD(&F->root->changes), sum = 0;
    hy_block **list;
    int n, i;
    hy__acquire(&h->traces.lock);
    list = h->seen == now ? NULL : hy__family(F, block, &n, &room);
    if (list) {
        for (i = 0; i < n; i++) sum += list[i]->house->changes + 1;
        if (sum != h->sum) hy__traces_retire(&h->traces);
        h->sum = sum;
        HY__STORE(&h->seen, now);
        hy__buffer_drop(&F->cache, room);
    }
    hy__release(&h->traces.lock);
}

static hy_array *hy__call_compiled(hy_frame *F, hy_block *block, hy_array *x)
{
    struct hy__house *h = block->house;
    hy__graph_rec rec;
    if (HY__LOAD(&h->seen) != HY__LOAD(&F->root->changes)) hy__revalidate(F, block);
    memset(&rec, 0, sizeof rec);
    rec.mode.training = F->training;
    rec.mode.exact = h->opt.exact;
    rec.mode.off = h->opt.off;
    rec.mode.print = h->opt.print;
    rec.mode.threads = h->opt.threads;
    rec.limit = h->opt.static_shape ? 1 : h->opt.cache > 0 ? h->opt.cache : 16;
    return F->code ? NULL : hy__traced_call(F, &h->traces, hy__forward_traced, F->scope, x, &rec);
}

HY_API hy_array *hy_call_at(hy_frame *F, hy_block *block, hy_array *x, const char *file, int line)
{
    struct hy__house *h;
    hy__scope scope;
    hy_array *y;
    if (!F || F->code) return NULL;
    if (!x) { hy__fail(F, HY_ERROR_ARGUMENT, "hy_call: the input is NULL"); return NULL; }
    if (!hy__block_ok(F, block, "hy_call")) return NULL;
    h = block->house;
    if (!hy__prefix(F, block)) return NULL;
    scope.outer = F->scope;
    scope.block = block;
    scope.prefix = h->prefix;
    scope.label = h->label ? h->label : h->name;
    scope.file = file;
    scope.line = line;
    scope.id = F->graph ? ++F->scopes : 0;
    if (!scope.outer && !F->graph) F->fresh = NULL;
    F->scope = &scope;
    y = h->active && h->hybrid && !F->graph ? hy__call_compiled(F, block, x) : hy__forward(F, block, x);
    F->scope = scope.outer;
    if (F->summary && y) hy__summary_note(F, block, y);
    if (!scope.outer && !F->graph) {
        if (F->code) hy__take_back(F);
        F->fresh = NULL;
    }
    return y;
}

/* For operators that see a parameter only inside a packed one: its shape, as far as the layer knows it. */
static void hy__settle_param(hy_frame *F, hy_array *x, hy_shape shape)
{
    hy__param *p = hy__param_at(F, x, "forward");
    hy__node *node = p && F->graph ? hy__param_node(F, p) : NULL;
    hy_type type;
    int d;
    if (!p || F->code) return;
    type = node ? node->type[0] : p->array.t.type;
    for (d = 0; d < shape.ndim && d < type.shape.ndim; d++) {
        if (type.shape.dim[d] < 0) type.shape.dim[d] = shape.dim[d];
        else if (shape.dim[d] >= 0 && shape.dim[d] != type.shape.dim[d]) break;
    }
    if (d < shape.ndim || shape.ndim != type.shape.ndim)
        hy__fail(F, HY_ERROR_SHAPE, "parameter '%s' is %z, the input needs %z", p->name, &type.shape, &shape);
    else if (node) node->type[0] = type;
    else if (!p->array.buffer && hy__shape_known(&type.shape)) hy__param_fill(F, p, &type);
}

/* What layers call their operator: the prefix and "fwd". */
static hy_array *hy__fwd(hy_frame *F, hy_array *x)
{
    char text[256];
    hy__line line;
    hy_array *first = x && x->count ? x->item[0] : x;
    if (!first || !F->graph || !F->scope || !first->node) return x;
    line.text = text;
    line.cap = sizeof text;
    line.n = 0;
    hy__puts(&line, F->scope->prefix);
    hy__puts(&line, "fwd");
    return hy_named(F, first, text) ? x : NULL;
}

/* --- hybridize --- */
HY_API void hy_hybridize(hy_frame *F, hy_block *block, const hy_hybridize_opt *opt)
{
    hy__buffer *room;
    hy_hybridize_opt plain;
    hy_block **list;
    int n, i;
    if (!hy__block_ok(F, block, "hy_hybridize")) return;
    memset(&plain, 0, sizeof plain);
    if (!opt) opt = &plain;
    if (opt->static_shape && !opt->static_alloc) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_hybridize: static_alloc must be True when static_shape is True");
        return;
    }
    if (opt->threads < 0 || opt->cache < 0 || (opt->off & ~HY_PASS_ALL)) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_hybridize: threads, cache or off is out of range");
        return;
    }
    list = hy__family(F, block, &n, &room);
    if (!list) return;
    for (i = 0; i < n; i++) {
        struct hy__house *h = list[i]->house;
        h->active = !opt->inactive;
        h->opt = *opt;
        hy__changed(list[i]);
        if (i && h->hooks && h->hybrid && !opt->inactive)
            hy__warn(F, "hy_hybridize: the hooks of %s will run when it is traced only", list[i]->kind);
    }
    hy__buffer_drop(&F->cache, room);
}

HY_API hy_cache_stats hy_cache_info(hy_frame *F, hy_block *block)
{
    hy_cache_stats stats;
    hy__traces *all;
    const hy__trace *t;
    int i;
    memset(&stats, 0, sizeof stats);
    if (!hy__block_ok(F, block, "hy_cache_info")) return stats;
    all = &block->house->traces;
    hy__acquire(&all->lock);
    stats = all->stats;
    stats.hits = HY__LOAD(&all->stats.hits);
    if (all->first) memcpy(stats.bound, all->first->bound, sizeof stats.bound);
    for (t = all->first; t; t = t->next) {
        hy__graph_programs(t->graph, &stats.programs, &stats.bytes);
        for (i = 0; i < t->graph->n; i++) stats.constants += t->graph->node[i]->held != NULL;
    }
    hy__release(&all->lock);
    return stats;
}

HY_API hy_graph *hy_graph_of(hy_frame *F, hy_block *block)
{
    hy__trace *t;
    if (!hy__block_ok(F, block, "hy_graph_of")) return NULL;
    t = HY__LOAD(&block->house->traces.first);
    if (!t) hy__fail(F, HY_ERROR_STATE, "hy_graph_of: Please first call hy_hybridize and then hy_call at least "
                     "once");
    return t ? t->graph : NULL;
}

/* --- text --- */
static hy__sink hy__buffer_sink_of(hy__buffer_sink *b, char *buffer, size_t bytes)
{
    hy__sink sink;
    b->text = buffer;
    b->n = 0;
    b->cap = bytes;
    if (bytes) buffer[0] = 0;
    sink.put = hy__sink_to_buffer;
    sink.user = b;
    return sink;
}

HY_API void hy_summary(hy_frame *F, hy_block *block, hy_array *x)
{
    hy__sink sink;
    sink.put = hy__sink_to_print;
    sink.user = F;
    hy__summarize(F, block, x, sink);
}

HY_API size_t hy_summary_text(hy_frame *F, hy_block *block, hy_array *x, char *buffer, size_t bytes)
{
    hy__buffer_sink b;
    hy__summarize(F, block, x, hy__buffer_sink_of(&b, buffer, bytes));
    if (bytes) buffer[b.n < bytes ? b.n : bytes - 1] = 0;
    return b.n;
}

HY_API size_t hy_block_text(hy_frame *F, hy_block *block, char *buffer, size_t bytes)
{
    hy__buffer_sink b;
    hy__sink sink = hy__buffer_sink_of(&b, buffer, bytes);
    if (!hy__block_ok(F, block, "hy_block_text")) return 0;
    hy__write_block(F, block, sink);
    if (bytes) buffer[b.n < bytes ? b.n : bytes - 1] = 0;
    return b.n;
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
    size_t head = hy__round64(sizeof(hy__tape)),
        values = hy__round64((size_t)(nin + nout) * sizeof(hy__value));
    hy__buffer *room = hy__buffer_new(&F->cache, head + values + (op ? op->record : 0));
    hy__tape *tape = room ? (hy__tape *)room->data : NULL;
    if (!tape) return (hy__tape *)hy__no_memory(F, op ? op->name : "hy_attach_grad");
    memset(tape, 0, head + values);
    tape->room = room;
    tape->refs = 1;
    tape->id = HY__ADD(&F->root->next_id, 1);
    tape->frame = F;
    tape->training = F->training;
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
    if (!bytes || !x->buffer) { v->t.data = NULL; hy__pack_strides(&v->t); return; }
    v->buffer = hy__buffer_hold(x->buffer);
    HY__ADD(&v->buffer->pins, 1);
}

/* Is input number i a running statistic? Gradients never read those, so they may change meanwhile. */
static int hy__is_aux(const hy_op *op, const void *record, int i)
{
    int arg, hidden;
    for (arg = 0; op->in[arg].name; arg++) {
        int n = hy__arg_count(op, op->in, 0, arg, record, &hidden);
        if (n < 0 || i < n) return op->in[arg].kind == HY_ARG_AUX;
        i -= n;
    }
    return 0;
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
    for (i = 0; i < n; i++) hy__hold_value(&tape->value[i], in[i], bytes && !hy__is_aux(op, record, i));
    for (i = 0; i < c->nout; i++) {
        hy__hold_value(&tape->value[n + i], out[i], bytes);
        out[i]->tape = tape;
        out[i]->output = i;
        tape->refs++;
    }
    hy__tape_drop(F, tape);
    return y;
}

static hy_array *hy__emit_record(hy_frame *F, const hy_op *op, int n, hy_array *const *in, const void *record,
                                 int nsub,
                                 hy_graph *const *sub)
{
    hy__call c;
    hy_array *few[HY__FEW], **out = few, *y;
    hy__buffer *room = NULL;
    int i, tracked = 0;
    for (i = 0; i < n; i++) tracked |= in[i]->tape != NULL;
    if (!tracked || !op->grad) return F->emit_below(F, op, n, in, record, nsub, sub);
    if (hy__call_open(F, &c, op, n, record)) return NULL;
    if (c.nout > HY__FEW) {
        room = hy__buffer_new(&F->cache, (size_t)c.nout * sizeof *out);
        out = room ? (hy_array **)room->data : NULL;
    }
    y = out ? hy__record_call(F, op, n, in, record, &c, out) : (hy_array *)hy__no_memory(F, op->name);
    hy__buffer_drop(&F->cache, room);
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
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_attach_grad: %s", hy__floating(x->t.type.dtype)
                 ? "no such request" :
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
    hy__fail(F, HY_ERROR_GRADIENT,
             "hy_grad_of: the array has no gradient: call hy_attach_grad on it before it is used");
    return NULL;
}

/* --- backward --- */
typedef struct hy__found { hy__tape *tape; int slot; } hy__found;  /* slot: of its first output's gradient */
typedef struct hy__backward {
    hy_frame  *F;
    hy__tape **tape;                    /* what the heads reach; after sorting youngest first */
    int        n;
    hy__found *found;                   /* the same by address: open addressing */
    int        slots;
    int        graph;                   /* gradients are recorded too */
    hy_array **grad;                    /* per tape and output, NULL is zero */
    int        grads;
    hy__buffer *tape_room, *found_room, *grad_room;  /* from the cache: a training loop allocates nothing */
} hy__backward;

static hy__found *hy__find_tape(const hy__backward *B, const hy__tape *tape)
{
    uint64_t i = tape->id * 0x9e3779b97f4a7c15u >> 20;
    while (B->found[i & (uint64_t)(B->slots - 1)].tape && B->found[i & (uint64_t)(B->slots - 1)].tape != tape)
        i++;
    return &B->found[i & (uint64_t)(B->slots - 1)];
}

static int hy__widen_found(hy__backward *B)
{
    hy__cache *cache = &B->F->cache;
    int i, wide = B->slots ? 2 * B->slots : 64;
    hy__buffer *found = hy__buffer_new(cache, (size_t)wide * sizeof *B->found);
    hy__buffer *tapes = hy__buffer_new(cache, (size_t)wide * sizeof *B->tape);
    if (!found || !tapes) { hy__buffer_drop(cache, found); hy__buffer_drop(cache, tapes); return -1; }
    memset(found->data, 0, (size_t)wide * sizeof *B->found);
    if (B->n) memcpy(tapes->data, B->tape, (size_t)B->n * sizeof *B->tape);
    hy__buffer_drop(cache, B->found_room);
    hy__buffer_drop(cache, B->tape_room);
    B->found_room = found;
    B->tape_room = tapes;
    B->found = (hy__found *)found->data;
    B->tape = (hy__tape **)tapes->data;
    B->slots = wide;
    for (i = 0; i < B->n; i++) hy__find_tape(B, B->tape[i])->tape = B->tape[i];
    return 0;
}

static int hy__reach(hy__backward *B, hy__tape *tape)
{
    hy__found *at;
    if (!tape) return 0;
    if (2 * B->n >= B->slots && hy__widen_found(B)) {
        hy__no_memory(B->F, "hy_backward");
        return -1;
    }
    at = hy__find_tape(B, tape);
    if (at->tape) return 0;
    at->tape = tape;
    B->tape[B->n++] = tape;
    return 0;
}

/* Youngest first: a heap sort, which takes no memory and no recursion. */
static void hy__sort_tapes(hy__tape **t, int n)
{
    int start = n / 2, end = n, root, child;
    while (end > 1) {
        hy__tape *moving;
        if (start > 0) moving = t[--start];
        else { moving = t[--end]; t[end] = t[0]; }
        for (root = start; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end && t[child + 1]->id < t[child]->id) child++;
            if (moving->id <= t[child]->id) break;
            t[root] = t[child];
        }
        t[root] = moving;
    }
}

/* Everything the heads depend on, and room for its gradients. */
static int hy__backward_open(hy__backward *B, hy_array *heads)
{
    int i, k, count = heads->count ? heads->count : 1;
    for (i = 0; i < count; i++) {
        hy_array *x = heads->count ? heads->item[i] : heads;
        if (!hy__concrete(B->F, x, "hy_backward", "an array with values")) return -1;
        if (!x->tape) {
            hy__fail(B->F, HY_ERROR_GRADIENT,
                     "hy_backward: head %d was not computed from an array with hy_attach_grad "
                     "between hy_record and hy_pause", i);
            return -1;
        }
        if (hy__reach(B, x->tape)) return -1;
    }
    for (i = 0; i < B->n; i++) {
        if (B->tape[i]->spent) {
            hy__fail(B->F, HY_ERROR_STATE,
                     "hy_backward: %s was already run backward and its values are gone: set "
                     "retain the first time", B->tape[i]->op->name);
            return -1;
        }
        for (k = 0; k < B->tape[i]->nin; k++) if (hy__reach(B, B->tape[i]->value[k].tape)) return -1;
    }
    hy__sort_tapes(B->tape, B->n);
    for (i = 0; i < B->n; i++) {
        hy__find_tape(B, B->tape[i])->slot = B->grads;
        B->grads += B->tape[i]->op ? B->tape[i]->nout : 1;
    }
    B->grad_room = hy__buffer_new(&B->F->cache, (size_t)(B->grads + 1) * sizeof *B->grad);
    if (!B->grad_room) { hy__no_memory(B->F, "hy_backward"); return -1; }
    B->grad = (hy_array **)B->grad_room->data;
    memset(B->grad, 0, (size_t)(B->grads + 1) * sizeof *B->grad);
    return 0;
}

static void hy__backward_close(hy__backward *B)
{
    hy__buffer_drop(&B->F->cache, B->tape_room);
    hy__buffer_drop(&B->F->cache, B->found_room);
    hy__buffer_drop(&B->F->cache, B->grad_room);
}

/* Where the gradient of an output is collected; NULL when the heads do not reach it. */
static hy_array **hy__grad_slot(hy__backward *B, const hy__tape *tape, int output)
{
    hy__found *at = tape ? hy__find_tape(B, tape) : NULL;
    return at && at->tape ? &B->grad[at->slot + (tape->op ? output : 0)] : NULL;
}

static void hy__contribute(hy__backward *B, const hy__tape *tape, int output, hy_array *g)
{
    hy_array **slot = g ? hy__grad_slot(B, tape, output) : NULL;
    if (slot) *slot = *slot ? hy_add(B->F, *slot, g) : g;
}

/* A gradient looks like what it is the gradient of. */
static int hy__check_gradient(hy_frame *F, const hy_array *g, const hy_type *of, const char *who, int i)
{
    if (!hy__concrete(F, g, who, "an array with values")) return -1;
    if (hy__same_shape(&g->t.type.shape, &of->shape) && g->t.type.dtype == of->dtype) return 0;
    hy__fail(F, HY_ERROR_SHAPE, "%s: number %d is %z %t, its gradient %z %t", who, i, &of->shape,
             (int)of->dtype,
             &g->t.type.shape, (int)g->t.type.dtype);
    return -1;
}

static int hy__seed_heads(hy__backward *B, hy_array *heads, hy_array *head_grads)
{
    hy_frame *F = B->F;
    int i, count = heads->count ? heads->count : 1;
    if (head_grads && hy_count(F, head_grads) != count) {
        hy__fail(F, HY_ERROR_ARGUMENT, "hy_backward: %d heads, %d head gradients", count,
                 hy_count(F, head_grads));
        return -1;
    }
    for (i = 0; i < count; i++) {
        hy_array *x = heads->count ? heads->item[i] : heads, *g;
        g = head_grads ? (head_grads->count ? head_grads->item[i] : head_grads) : hy_ones_like(F, x);
        if (!g || hy__check_gradient(F, g, &x->t.type, "hy_backward", i)) return -1;
        hy__contribute(B, x->tape, x->output, g);
    }
    return F->code ? -1 : 0;
}

/* The handles that a gradient works on, and its result handed on to what the call was computed from. */
static void hy__run_grad(hy__backward *B, hy__tape *tape, hy_diff *D, int *want)
{
    hy_frame *F = B->F;
    int i;
    for (i = 0; i < D->nin + D->nout; i++) {
        D->in[i] = hy__value_handle(F, &tape->value[i]);
        if (!D->in[i]) return;
        if (i < D->nin) { D->dx[i] = NULL; want[i] = tape->value[i].tape != NULL; }
        else if (B->graph) { D->in[i]->tape = tape; D->in[i]->output = i - D->nin; HY__ADD(&tape->refs, 1); }
    }
    for (i = 0; i < D->nout; i++) D->dy[i] = *hy__grad_slot(B, tape, i);
    if (D->op->grad(F, D)) hy__fail(F, HY_ERROR_GRADIENT, "%s: its gradient failed", D->op->name);
    for (i = 0; i < D->nin && !F->code; i++)
        if (want[i] && D->dx[i] && !hy__check_gradient(F, D->dx[i], &tape->value[i].t.type, D->op->name, i))
            hy__contribute(B, tape->value[i].tape, tape->value[i].output, D->dx[i]);
}

static int hy__backward_call(hy__backward *B, hy__tape *tape)
{
    hy_frame *F = B->F;
    hy_diff D;
    hy__buffer *room = NULL;
    hy_array *few[4 * HY__FEW], **all = few;
    int wanted[HY__FEW], *want = wanted, i, some = 0, total = 2 * (tape->nin + tape->nout);
    for (i = 0; i < tape->nout; i++) some |= *hy__grad_slot(B, tape, i) != NULL;
    if (!some) return 0;
    if (total > 4 * HY__FEW || tape->nin > HY__FEW) {
        room = hy__buffer_new(&F->cache, (size_t)total * (sizeof *all + sizeof *want));
        if (!room) { hy__no_memory(F, tape->op->name); return -1; }
        all = (hy_array **)room->data;
        want = (int *)(void *)(all + total);
    }
    memset(&D, 0, sizeof D);
    D.op = tape->op;
    D.attr = tape->record;
    D.training = tape->training;
    D.nin = tape->nin;
    D.nout = tape->nout;
    D.in = all;
    D.out = D.in + D.nin;
    D.dy = D.out + D.nout;
    D.dx = D.dy + D.nout;
    D.want = want;
    hy__run_grad(B, tape, &D, want);
    hy__buffer_drop(&F->cache, room);
    return F->code ? -1 : 0;
}

/* A leaf takes its gradient as its request says. */
static void hy__backward_leaf(hy__backward *B, hy__tape *leaf)
{
    hy_frame *F = B->F;
    hy_array *g = *hy__grad_slot(B, leaf, 0), *to;
    if (!g) return;
    if (leaf->frame != F) {
        hy__fail(F, HY_ERROR_STATE,
                 "hy_backward: the gradient belongs to another frame: use hy_grad, and add up there");
        return;
    }
    to = hy__value_handle(F, &leaf->grad);
    if (to && leaf->req == HY_GRAD_ADD) hy_add_to(F, to, g);
    else if (to) hy_assign(F, to, g);
}

static void hy__backward_run(hy__backward *B, hy_array *heads, hy_array *head_grads, int leaves)
{
    int i, recording = B->F->recording;
    hy__set_recording(B->F, B->graph);
    if (!hy__backward_open(B, heads) && !hy__seed_heads(B, heads, head_grads))
        for (i = 0; i < B->n && !B->F->code; i++) {
            hy__tape *tape = B->tape[i];
            if (tape->op) hy__backward_call(B, tape);
            else if (leaves) hy__backward_leaf(B, tape);
        }
    hy__set_recording(B->F, recording);
}

/* The values of what has been run backward are let go. */
static void hy__backward_spend(hy__backward *B)
{
    int i;
    for (i = 0; i < B->n && !B->F->code; i++)
        if (B->tape[i]->op) { hy__tape_empty(B->F, B->tape[i]); B->tape[i]->spent = 1; }
}

HY_API void hy_backward(hy_frame *F, hy_array *heads, const hy_backward_opt *opt)
{
    hy__backward B;
    if (!hy__alive(F, heads, "hy_backward")) return;
    memset(&B, 0, sizeof B);
    B.F = F;
    hy_begin(F);
    if (!F->code) hy__backward_run(&B, heads, opt ? opt->head_grads : NULL, 1);
    if (!(opt && opt->retain)) hy__backward_spend(&B);
    hy__backward_close(&B);
    hy_end(F);
}

/* The gradient of one variable: an array of its own, whatever it was collected from. */
static hy_array *hy__collect_grad(hy__backward *B, hy_array *x, int i)
{
    hy_array **slot, *g;
    int recording = B->F->recording;
    if (!hy__concrete(B->F, x, "hy_grad", "an array with values")) return NULL;
    if (!x->tape) {
        hy__fail(B->F, HY_ERROR_GRADIENT, "hy_grad: variable %d has no hy_attach_grad", i);
        return NULL;
    }
    slot = hy__grad_slot(B, x->tape, x->output);
    hy__set_recording(B->F, B->graph);
    g = slot && *slot ? hy_identity(B->F, *slot) : hy_zeros_like(B->F, x);
    hy__set_recording(B->F, recording);
    return g;
}

HY_API hy_array *hy_grad(hy_frame *F, hy_array *heads, hy_array *variables, const hy_grad_opt *opt)
{
    hy__backward B;
    hy_array *y = NULL;
    int i, n;
    if (!hy__alive(F, heads, "hy_grad") || !hy__alive(F, variables, "hy_grad")) return NULL;
    n = hy_count(F, variables);
    memset(&B, 0, sizeof B);
    B.F = F;
    B.graph = opt && opt->create_graph;
    hy_begin(F);
    if (!F->code) hy__backward_run(&B, heads, opt ? opt->head_grads : NULL, 0);
    if (!F->code && variables->count) y = hy__group_make(F, n);
    for (i = 0; i < n && !F->code; i++) {
        hy_array *g = hy__collect_grad(&B, hy_get(F, variables, i), i);
        if (variables->count) y->item[i] = g;
        else y = g;
    }
    y = F->code ? NULL : hy_return(F, y);
    if (!B.graph && !(opt && opt->retain)) hy__backward_spend(&B);
    hy__backward_close(&B);
    hy_end(F);
    return y;
}

/* --- checking a gradient against finite differences --- */

/* Weights that tell outputs apart; the function checked is sum(y w). */
static double hy__weight(int64_t k, int output) { return 0.5 + (double)((k * 7 + output) % 11) / 11; }

static double hy__weighed(hy_frame *F, hy_array *y)
{
    double sum = 0;
    int i, n = hy_count(F, y);
    for (i = 0; i < n; i++) {
        hy_array *x = hy__packed_array(F, hy_get(F, y, i));
        int64_t k, size = x ? hy__size(&x->t.type.shape) : 0;
        for (k = 0; k < size; k++)
            sum += hy__weight(k, i) *
                   hy__load((const char *)x->t.data + k * hy__traits[x->t.type.dtype].size, x->t.type.dtype);
    }
    return sum;
}

static hy_array *hy__weights_like(hy_frame *F, hy_array *y)
{
    int i, n = hy_count(F, y);
    hy_array *group = hy__group_make(F, n);
    for (i = 0; group && i < n; i++) {
        hy_array *x = hy_get(F, y, i), *w = hy__make(F, &x->t.type, "hy_check_grad");
        int64_t k;
        if (!w) return NULL;
        for (k = 0; k < hy__size(&x->t.type.shape); k++)
            hy__store((char *)w->t.data + k * hy__traits[x->t.type.dtype].size, x->t.type.dtype,
                      hy__weight(k, i));
        group->item[i] = w;
    }
    return group;
}

/* How far the gradient of one input is from its difference quotients. */
static double hy__check_input(hy_frame *F, hy_function fn, void *user, hy_array *inputs, hy_array *x,
                              hy_array *g,
                              double step)
{
    double worst = 0;
    int64_t k, n = hy__size(&x->t.type.shape);
    int size = hy__traits[x->t.type.dtype].size;
    uint64_t stream = F->stream;
    for (k = 0; k < n && !F->code; k++) {
        char *at = (char *)x->t.data + k * size;
        double v = hy__load(at, x->t.type.dtype), up, down, quotient, error;
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
        error = fabs(hy__load((const char *)g->t.data + k * size, x->t.type.dtype) - quotient) / (1 +
                fabs(quotient));
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

static int hy__attach_inputs(hy_frame *F, hy_array *inputs)
{
    int i, n = hy_count(F, inputs);
    for (i = 0; i < n; i++) {
        hy_array *x = hy_get(F, inputs, i);
        if (!hy__concrete(F, x, "hy_check_grad", "an array with values")) return -1;
        if (!hy__packed(&x->t)) {
            hy__fail(F, HY_ERROR_ARGUMENT, "hy_check_grad: input %d is a strided view: use hy_copy", i);
            return -1;
        }
        if (hy__floating(x->t.type.dtype)) hy_attach_grad(F, x, HY_GRAD_WRITE);
    }
    return F->code ? -1 : 0;
}

/* Records one call and runs it backward. */
static void hy__check_backward(hy_frame *F, hy_function fn, void *user, hy_array *inputs)
{
    hy_backward_opt opt;
    hy_array *y;
    int recording = F->recording;
    uint64_t stream = F->stream;
    memset(&opt, 0, sizeof opt);
    hy__set_recording(F, 1);
    y = fn(F, inputs, user);
    hy__set_recording(F, recording);
    F->stream = stream;
    if (!y) return;
    opt.head_grads = hy__weights_like(F, y);
    if (opt.head_grads) hy_backward(F, y, &opt);
}

HY_API double hy_check_grad(hy_frame *F, hy_function fn, void *user, hy_array *inputs, double step)
{
    double worst = 0;
    int i, n, recording, training;
    if (!hy__alive(F, inputs, "hy_check_grad")) return HUGE_VAL;
    recording = F->recording;
    training = F->training;
    n = hy_count(F, inputs);
    hy_begin(F);
    hy__set_recording(F, 0);
    F->training = 1;
    if (!F->code && !hy__attach_inputs(F, inputs)) hy__check_backward(F, fn, user, inputs);
    for (i = 0; i < n && !F->code; i++) {
        hy_array *x = hy_get(F, inputs, i);
        double error = x->tape ? hy__check_input(F, fn, user, inputs, x, hy_grad_of(F, x), step) : 0;
        if (!(error <= worst)) worst = error;
    }
    hy__set_recording(F, recording);
    F->training = training;
    hy_end(F);
    return F->code ? HUGE_VAL : worst;
}
#endif

/* MARK: - 99 >>end --------------------------------------------------------------------------------------
 *
 * HISTORY
 *   0.1.0  the imperative half: frames, arrays, operators, gradients, a first trace.
 */
#if defined(__clang__)
#pragma clang fp contract(on)
#elif defined(__GNUC__)
#pragma GCC pop_options
#endif
#endif /* HYBRID_IMPLEMENTATION */

/*
 * hybrid.h is available under two licences. Choose the one you prefer.
 * ---
 * ALTERNATIVE A - MIT License
 * Copyright (c) 2026 The hybrid.h authors
 * Permission is hereby granted, free of charge, to any person obtaining a copy of
 * this software and associated documentation files (the "Software"), to deal in
 * the Software without restriction, including without limitation the rights to
 * use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies
 * of the Software, and to permit persons to whom the Software is furnished to do
 * so, subject to the following conditions:
 * The above copyright notice and this permission notice shall be included in all
 * copies or substantial portions of the Software.
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 * IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 * FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 * AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
 * LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 * OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
 * SOFTWARE.
 * ---
 * ALTERNATIVE B - Public Domain (www.unlicense.org)
 * This is free and unencumbered software released into the public domain.
 * Anyone is free to copy, modify, publish, use, compile, sell, or distribute this
 * software, either in source code form or as a compiled binary, for any purpose,
 * commercial or non-commercial, and by any means.
 * In jurisdictions that recognize copyright laws, the author or authors of this
 * software dedicate any and all copyright interest in the software to the public
 * domain. We make this dedication for the benefit of the public at large and to
 * the detriment of our heirs and successors. We intend this dedication to be an
 * overt act of relinquishment in perpetuity of all present and future rights to
 * this software under copyright law.
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 * IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 * FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 * AUTHORS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN
 * ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION
 * WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 */
