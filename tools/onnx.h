/* onnx.h - networks from ONNX files for hybrid.h - public domain or MIT
 *
 * In exactly one source file, after hybrid.h:
 *     #define HYBRID_ONNX_IMPLEMENTATION
 *     #include "onnx.h"
 *
 *     hy_frame *F   = hy_open(NULL);
 *     hy_block *net = hy_onnx_load(F, "model.onnx");
 *     hy_hybridize(F, net, NULL);
 *     y = hy_call(F, net, x);
 *     hy_onnx_save(F, net, x, "other.onnx", 0);
 *
 * The file becomes a block like any other: its initializers are parameters under their own names, inputs and
 * outputs stand in the order of the file, several of them in a group (a NULL member is an input left out). It
 * runs line by line, compiled, is trained further, bound and saved by the calls of hybrid.h. Sizes that the
 * file declares are those of calls, for numbers in it may be worked out by them; named ones are open, and
 * hy_onnx_set_input says that others are meant.
 *
 * What it does: forward walks over the nodes, each of which calls operators of hybrid.h. Nodes that depend
 * on constants and shapes alone are computed on the way, at the side of a trace, so that they leave only
 * numbers in the compiled program; whatever asked for a shape is traced anew when the shape changes. Two
 * things do not fit into one program; such a network is a plain block around a hybrid one:
 *     inputs whose values decide shapes (of Reshape, say) are read first and compiled in;
 *     nodes whose results have shapes that only values decide (NonMaxSuppression, NonZero ...), and all
 *     behind them, run line by line after the compiled part.
 * Of an If whose branches give the same types, a Loop that keeps the types of its states and gathers nothing,
 * and a Scan of more than 8 steps, the program keeps the bodies; others are taken apart, for which their
 * conditions and counts are read first. Sequences are lists beside the program, of as many values as shapes
 * and constants say; those that the network gives stand side by side. A network without inputs takes any one
 * array.
 *
 * What it reads: opset 1 to 27, typed and raw data, data beside the file (hy_onnx_from: in `folder`),
 * functions of the model; int16, uint16, uint32 and whole numbers of 2 and 4 bits as numbers of wider types,
 * inputs and outputs, too; of com.microsoft what ONNX Runtime's optimiser makes: gelu, products, convolutions
 * and norms with what stands around them, EmbedLayerNormalization, Attention, MultiHeadAttention,
 * GroupQueryAttention, RotaryEmbedding, DynamicQuantizeLSTM, the QLinear operators of its quantiser,
 * MatMulNBits, whose weights stay packed in memory. Scales that are 0, below 0 or no numbers are refused, so
 * are zero points of another type and attributes that change what such an operator gives and are not known.
 * int8 is written as what makes floats of 8 bits and 8 bits of floats around Conv, Gemm, MatMul, Add and Mul.
 * What cannot run is listed all at once: operator, node, reason. Nothing in a file is believed before it is
 * checked, and nothing here recurses.
 *
 * ROOMS  >>protobuf fields of messages   >>model   nodes, values, tensors, read once
 *        >>running  values of a call     >>ops     what each operator does, one function each
 *        >>table    one row an operator  >>loading a file becomes a block
 *        >>writing  a block becomes a file
 */
#ifndef HYBRID_ONNX_H
#define HYBRID_ONNX_H
#if defined(HYBRID_NO_IO) || defined(HYBRID_NO_VISION)
#error "onnx.h: HYBRID_NO_IO and HYBRID_NO_VISION leave out what it is made of: build without them"
#endif

/* A block from an ONNX file; NULL, and the frame's error, if that is not possible. */
HY_API hy_block *hy_onnx_from(hy_frame *F, const void *data, size_t bytes, const char *folder);
#ifndef HYBRID_NO_STDIO
HY_API hy_block *hy_onnx_load(hy_frame *F, const char *file);
#endif
/* Inputs and outputs of such a block in order: name, type (dtype 0, ndim -1, dim -1: the file leaves it
 * open). 0, or -1 past the end. */
HY_API int hy_onnx_input(const hy_block *block, int i, const char **name, hy_type *type);
HY_API int hy_onnx_output(const hy_block *block, int i, const char **name, hy_type *type);
/* Calls give input i in this shape (dim -1, ndim -1: any), not in that of the file: numbers that were worked
 * out by the file's own stay as they are. 0, or -1: past the end, or that is no shape. */
HY_API int hy_onnx_set_input(hy_block *block, int i, hy_shape shape);
/* What the file calls size k of input i that it leaves open: equal names are equal sizes; "": nothing. */
HY_API const char *hy_onnx_size_name(const hy_block *block, int i, int k);
/* The part of such a block that is hybrid, which belongs to it: all of it, or, where the values of some
 * inputs decide shapes, for these values (one place an input; NULL: not known), and up to the nodes that run
 * line by line. Those inputs are none of the part's; its outputs are what the nodes behind it read. The other
 * two: does input i decide shapes by its values? The i-th node that runs line by line, as
 * "NonMaxSuppression 'nms'"; "" past the end. */
HY_API hy_block *hy_onnx_part(hy_frame *F, hy_block *block, hy_array *const *values);
HY_API int hy_onnx_decides(const hy_block *block, int i);
HY_API const char *hy_onnx_late(hy_frame *F, const hy_block *block, int i);
/* The network as a graph for inputs of such types (NULL: as declared), variables and parameters under the
 * file's own names, and the values (NULL: not wanted): what hy_import_from takes. Sizes that are open (-1)
 * stay open if the program hangs on none of them: it is the same for four sizes each (1; from 64 on; from 160
 * on; primes), and chooses, compares, bounds and rounds nothing that comes of them. Else it is an error that
 * names the inputs. The block has to be hybrid: take its part. */
HY_API hy_graph *hy_onnx_graph(hy_frame *F, hy_block *block, const hy_type *types, hy_arrays *values);
/* Any block as an ONNX file, for inputs of such shapes: bytes (HY_U8). opset: 13 to 22; 0: 17. */
HY_API hy_array *hy_onnx_to(hy_frame *F, hy_block *block, hy_array *inputs, int opset);
#ifndef HYBRID_NO_STDIO
/* The same into a file, which takes its name when it is whole, as those of hybrid.h do: 0, or nonzero. */
HY_API int hy_onnx_save(hy_frame *F, hy_block *block, hy_array *inputs, const char *file, int opset);
#endif
#endif /* HYBRID_ONNX_H */

#if defined(HYBRID_ONNX_IMPLEMENTATION) && !defined(HYBRID_ONNX_IMPLEMENTED)
#define HYBRID_ONNX_IMPLEMENTED
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#ifndef HY_ONNX_MALLOC                  /* both or none */
#define HY_ONNX_MALLOC(bytes) malloc(bytes)
#define ONNX__LIBC
#define HY_ONNX_FREE(block)   free(block)
#endif

enum {
    ONNX__MOST_NODES = 1 << 18,         /* functions count once for every call */
    ONNX__MOST_STEPS = 1 << 24,         /* nodes that a call runs, turns of loops counted */
    ONNX__MOST_ATTRS = 1024,            /* of a node or a function */
    ONNX__MOST_COPIES = 64,             /* of a value by Identity, that are seen through */
    ONNX__MOST_DEPTH = 64,              /* of functions and branches within one another */
    ONNX__MOST_LISTED = 1 << 20,        /* values that the sequences of a call hold */
    ONNX__MOST_PROBES = 1000,           /* in the table of names, which is half empty at least */
    ONNX__LEAST_ROOM = 1 << 29,         /* bytes of memory that any file may take, ... */
    ONNX__ROOM_A_BYTE = 64,             /* ... and so many for each byte of its own: functions are copied */
    ONNX__BYTES_MOST = 24,              /* inputs of a node of numbers of 8 bits */
    ONNX__HOLE = 1 << 14,               /* bytes of a tensor that are not read before they are needed */
    ONNX__AHEAD = 512,                  /* bytes that are read beyond what is looked at */
    ONNX__SMALL = 64                    /* constants with more elements are parameters */
};

/* MARK: - >>protobuf ------------------------------------------------------------------------------------
 *
 * A message is a run of fields: number, kind, and a varint, 4 or 8 bytes, or a length and so many bytes.
 */
typedef struct { const unsigned char *at, *end; int bad; } onnx__bytes;
typedef struct { uint32_t number, kind; uint64_t value; onnx__bytes body; } onnx__field;

static uint64_t onnx__varint(onnx__bytes *b)
{
    uint64_t v = 0;
    int shift;
    for (shift = 0; b->at < b->end && shift < 64; shift += 7) {
        unsigned char c = *b->at++;
        v |= (uint64_t)(c & 127) << shift;
        if (c < 128) return v;
    }
    b->bad = 1;
    return 0;
}

static uint64_t onnx__fixed(onnx__bytes *b, int n)
{
    uint64_t v = 0;
    int i;
    if (b->end - b->at < n) { b->bad = 1; return 0; }
    for (i = 0; i < n; i++) v |= (uint64_t)b->at[i] << (8 * i);
    b->at += n;
    return v;
}

/* The next field: 1, or 0 at the end or where the message is broken (b->bad). */
static int onnx__next(onnx__bytes *b, onnx__field *f)
{
    uint64_t tag;
    if (b->bad || b->at >= b->end) return 0;
    tag = onnx__varint(b);
    f->number = (uint32_t)(tag >> 3);
    f->kind = (uint32_t)(tag & 7);
    f->value = 0;
    f->body.at = f->body.end = b->at;
    f->body.bad = 0;
    if (f->kind == 0) f->value = onnx__varint(b);
    else if (f->kind == 1) f->value = onnx__fixed(b, 8);
    else if (f->kind == 5) f->value = onnx__fixed(b, 4);
    else if (f->kind == 2) {
        uint64_t n = onnx__varint(b);
        if (b->bad || n > (uint64_t)(b->end - b->at)) { b->bad = 1; return 0; }
        f->body.at = b->at;
        b->at += n;
        f->body.end = b->at;
    } else b->bad = 1;
    return !b->bad;
}

static double onnx__float_of(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}

/* A repeated number comes packed, a run of them in one field, or one by one: the next, 0 at the end. */
static int onnx__packed(onnx__field *f, uint32_t kind, uint64_t *v)
{
    if (f->kind != 2) {
        if (f->kind != kind) return 0;
        *v = f->value;
        f->kind = 99;
        return 1;
    }
    if (f->body.bad || f->body.at >= f->body.end) return 0;
    *v = kind == 0 ? onnx__varint(&f->body) : onnx__fixed(&f->body, kind == 1 ? 8 : 4);
    return !f->body.bad;
}

/* MARK: - >>model ---------------------------------------------------------------------------------------
 *
 * A model is bodies (the graph, branches, one copy of a function for every call of it), lists of nodes over
 * one table of values. Names are looked up once, here. All memory is one chain that goes with the block.
 */
typedef struct onnx__tensor {
    const char *name;
    int         kind;                   /* ONNX's number of the type */
    hy_type     type;                   /* dtype 0: a type that hybrid.h has not */
    int64_t     count;                  /* elements */
    void       *data;                   /* packed; NULL before it is read */
    onnx__bytes raw;                    /* raw_data, or a run of typed fields */
    onnx__bytes message;
    const char *file;                   /* where the data lies, beside the model */
    int64_t     offset, length;
    int         outside;
} onnx__tensor;

typedef struct onnx__attr {
    const char   *name, *s, *ref;       /* ref: an attribute of the function instead */
    int           kind, n, body;        /* body: of a branch */
    double        f;
    int64_t       i, *ints;
    double       *floats;
    const char  **strings;
    onnx__tensor *t;
} onnx__attr;

struct onnx__run;
typedef hy_array *(*onnx__one)(hy_frame *F, hy_array *x);
typedef hy_array *(*onnx__two)(hy_frame *F, hy_array *a, hy_array *b);
typedef struct onnx__row {
    const char *name;
    unsigned    reads;                  /* bit i: the values of input i have to be known */
    void      (*fn)(struct onnx__run *R);
    onnx__one   one;
    onnx__two   two;
    int         special;                /* ONNX__SHAPES and so on */
} onnx__row;
enum {                                  /* what is special about an operator */
    ONNX__SHAPES = 1,                   /* it asks shapes only */
    ONNX__RANDOM,                       /* it draws numbers */
    ONNX__FLOW,                         /* it runs bodies */
    ONNX__FIRST,                        /* it reads input 0 alone, of the others it takes the type */
    ONNX__LISTS,                        /* it moves values about, whole ones in sequences */
    ONNX__DYNAMIC                       /* values decide the shape of what it gives */
};

typedef struct onnx__scaled { double scale; int zero, kind; } onnx__scaled;  /* kind: 2 uint8, 3 int8 */

/* A product of whole numbers, as the file says it all: inputs are data, weight, its scale, bias (floats). */
typedef struct onnx__steps {
    double x_scale, y_scale;            /* y_scale 0: results are floats */
    int    x_zero, y_zero, x_kind, y_kind;      /* kinds: 2 uint8, 3 int8; of data 1: floats in their range */
    int    relu, product, turned;       /* product: of matrices; its weight is turned already */
    int    less;                        /* what stands for 0 in weights of uint8 */
    int    whole_bias;                  /* bias counts in x_scale times the weight's */
    int    bytes;                       /* ONNX__SUM and so on, of data of 8 bits, instead of a product */
    struct onnx__node *inner;           /* the node itself, between what makes floats and rounds again, ... */
    int    inners, n;                   /* ... and others behind it that a table says, too */
    onnx__scaled *in;                   /* of each input; kind 0: it is as it is */
} onnx__steps;
enum {                                  /* what becomes of data of 8 bits */
    ONNX__SUM = 1,                      /* sums and products of two */
    ONNX__TABLE,                        /* each number by itself: a table says it */
    ONNX__MOVED,                        /* numbers move: they are rounded anew if steps change */
    ONNX__JOINED,                       /* several of them side by side */
    ONNX__AVERAGED                      /* their average, before it is told what they stand for */
};

typedef struct onnx__node {
    const char     *op, *domain, *name;
    int             nin, nout, *in, *out;       /* values; -1: left out */
    int             attrs, body;                /* body: what a call of a function runs, else -1 */
    onnx__attr     *attr;
    const onnx__row *row;
    const onnx__steps *steps;                   /* of a product of whole numbers, or NULL */
    int             home;                       /* the body it stands in */
    int             late;                       /* a shape before it is known only when the network runs */
    int             kept;                       /* If, Loop: a program may keep it, whatever values decide */
    int             kind, wraps;                /* of what it gives, if that stands in a carrier; wraps: it */
                                                /* may leave the carrier's bounds */
    int             number;                     /* grows from node to node of a body */
    const char     *said;                       /* what the file has instead; or NULL */
    int             said_from;                  /* its input i is that one's i + said_from */
    int             waits;                      /* sorting: links to it that are not met yet, ... */
    struct onnx__link *link;                    /* ... and those from it */
    struct onnx__node *next, *before;
} onnx__node;

/* reader, or a body in it, reads what maker gives; both stand in the same body. */
typedef struct onnx__link { onnx__node *maker, *reader; } onnx__link;

typedef struct onnx__body {
    onnx__node *first, *last;
    int         nin, nout, *in, *out;
    int         scope, parent, opset, depth;
    onnx__bytes message;                /* still to be read */
    int         is_function;
    onnx__node *caller, *owner;         /* owner: the node that runs it */
} onnx__body;

typedef struct onnx__slot {             /* a value of the model */
    const char *name;
    hy_type     type;                   /* as declared */
    const char **sizes;                 /* names of sizes that are open, HY_MAX_DIM of them; or NULL */
    onnx__tensor *tensor;               /* of an initializer or a constant */
    hy_array   *param;                  /* its parameter */
    onnx__node *maker, *user;           /* the node that gives it; the last one that reads it, ... */
    int         uses;                   /* ... and how many do, outputs of bodies counted */
    int         bound, result;          /* input of a body; output of the network */
    int         input, given, used, aux;        /* input: number + 1; given: its value decides shapes */
    int         kind;                   /* of numbers that stand in a carrier, else 0 */
    int         late, fixed, cut;       /* late: of a late node; fixed: constants and shapes decide it; */
                                        /* cut: a late node reads what an earlier one has made */
} onnx__slot;

typedef struct onnx__function { const char *domain, *name; onnx__bytes message; } onnx__function;

/* A file that is read where it is looked at: numbers of large tensors are holes in its memory, which nobody
 * touches, until they are read to where they are needed. */
typedef struct onnx__file {
#ifndef HYBRID_NO_STDIO
    FILE *f;
#endif
    unsigned char *data;
    size_t size, have;                  /* all before `have` is read, or a hole */
    size_t *hole;                       /* where they begin, in order */
    int holes, room;
} onnx__file;

typedef struct onnx__model {
    hy_frame   *F;                      /* while loading */
    onnx__file *from;                   /* likewise, or NULL: all is in memory */
    void       *memory;                 /* all blocks, a chain */
    char       *spare;
    size_t      left, most;             /* most: bytes that may still be asked for */
    onnx__body *body;
    onnx__slot *slot;
    onnx__function *function;
    int         bodies, body_room, slots, slot_room, functions, function_room, nodes, scopes;
    int        *table, table_room;      /* hash of (scope, name) -> slot + 1 */
    int        *scope_of;               /* of a slot */
    int         opset;
    int64_t     compared;               /* names of attributes that functions have by default */
    onnx__node *present;                /* the node that is being read */
    const char *folder, *file, *why;    /* why: the first fault of the file */
    char       *list;                   /* what cannot run */
    size_t      listed;
    int         failed;                 /* out of memory */
} onnx__model;

static void *onnx__room(onnx__model *m, size_t count, size_t size)
{
    enum { CHUNK = 1 << 16, HEAD = 32 };
    size_t bytes;
    char *at;
    if (m->failed || (size && count > SIZE_MAX / 2 / size)) { m->failed = 1; return NULL; }
    bytes = (count * size + 31) & ~(size_t)15;
    if (bytes > m->left) {
        size_t whole = bytes > CHUNK / 4 ? bytes : (size_t)CHUNK;
        char *block = whole > m->most ? NULL : (char *)HY_ONNX_MALLOC(whole + HEAD);
        if (whole > m->most && !m->why) m->why = "functions or sizes make it over 64 times its own bytes";
        if (!block) { m->failed = 1; return NULL; }
        m->most -= whole;
        memset(block, 0, whole + HEAD);
        memcpy(block, &m->memory, sizeof m->memory);
        m->memory = block;
        if (whole == bytes) return block + HEAD;
        m->spare = block + HEAD;
        m->left = whole;
    }
    at = m->spare;
    m->spare += bytes;
    m->left -= bytes;
    return at;
}
#define ONNX__ROOM(m, type, count) ((type *)onnx__room(m, (size_t)(count), sizeof(type)))

static void onnx__release(void *memory)
{
    while (memory) {
        void *next;
        memcpy(&next, memory, sizeof next);
        HY_ONNX_FREE(memory);
        memory = next;
    }
}

/* A list of `room` things that holds n gets twice the room; the old place stays with the chain. */
static void *onnx__grown(onnx__model *m, void *list, int n, int *room, size_t size)
{
    void *more;
    int wanted = *room ? 2 * *room : 16;
    if (n < *room) return list;
    more = onnx__room(m, (size_t)wanted, size);
    if (!more) return NULL;
    if (n) memcpy(more, list, (size_t)n * size);
    *room = wanted;
    return more;
}

static void onnx__broken(onnx__model *m, const char *why) { if (!m->why) m->why = why; }

static const char *onnx__text(onnx__model *m, onnx__bytes b)
{
    size_t n = (size_t)(b.end - b.at);
    char *text = ONNX__ROOM(m, char, n + 1);
    if (!text) return "";
    if (n) memcpy(text, b.at, n);
    if (memchr(text, 0, n)) onnx__broken(m, "a name holds a zero byte");
    return text;
}

/* --- values by name --- */
static uint32_t onnx__hash(int scope, const char *name)
{
    uint32_t h = 2166136261u ^ (uint32_t)scope * 2654435761u;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 16777619u;
    return h;
}

static int onnx__find(const onnx__model *m, int scope, const char *name)
{
    uint32_t at;
    if (!m->table_room) return -1;
    at = onnx__hash(scope, name) & (uint32_t)(m->table_room - 1);
    for (; m->table[at]; at = (at + 1) & (uint32_t)(m->table_room - 1)) {
        int k = m->table[at] - 1;
        if (m->scope_of[k] == scope && !strcmp(m->slot[k].name, name)) return k;
    }
    return -1;
}

static void onnx__enter(onnx__model *m, int k)
{
    uint32_t at = onnx__hash(m->scope_of[k], m->slot[k].name) & (uint32_t)(m->table_room - 1);
    int probes = 0;
    for (; m->table[at]; at = (at + 1) & (uint32_t)(m->table_room - 1))
        if (++probes > ONNX__MOST_PROBES) { onnx__broken(m, "names that stand in each other's way"); return; }
    m->table[at] = k + 1;
}

static int onnx__new_slot(onnx__model *m, int scope, const char *name)
{
    int room = m->slot_room, k = m->slots, i;
    onnx__slot *slot = (onnx__slot *)onnx__grown(m, m->slot, m->slots, &m->slot_room, sizeof *m->slot);
    int *scope_of = slot ? (int *)onnx__grown(m, m->scope_of, m->slots, &room, sizeof(int)) : NULL;
    if (!scope_of) return 0;
    m->slot = slot;
    m->scope_of = scope_of;
    if (2 * (k + 2) > m->table_room) {
        int wanted = m->table_room ? 2 * m->table_room : 64, *table = ONNX__ROOM(m, int, wanted);
        if (!table) return 0;
        m->table = table;
        m->table_room = wanted;
        for (i = 0; i < k; i++) onnx__enter(m, i);
    }
    memset(&m->slot[k], 0, sizeof m->slot[k]);
    m->slot[k].name = name;
    m->slot[k].type.shape.ndim = -1;
    m->scope_of[k] = scope;
    m->slots++;
    onnx__enter(m, k);
    return k;
}

/* The value of that name as a body sees it: its own, then those of the bodies around it. */
static int onnx__seen(onnx__model *m, int body, const char *name)
{
    int k, b;
    if (!*name) return -1;
    for (b = body; b >= 0; b = m->body[b].parent)
        if ((k = onnx__find(m, m->body[b].scope, name)) >= 0) return k;
    return onnx__new_slot(m, m->body[body].scope, name);        /* nobody sets it: found when it is read */
}

static int onnx__own(onnx__model *m, int body, const char *name)
{
    int k = *name ? onnx__find(m, m->body[body].scope, name) : -1;
    return !*name || k >= 0 ? k : onnx__new_slot(m, m->body[body].scope, name);
}

static int onnx__new_body(onnx__model *m, onnx__bytes message, int parent, int function, onnx__node *caller)
{
    onnx__body *list = (onnx__body *)onnx__grown(m, m->body, m->bodies, &m->body_room, sizeof *m->body);
    onnx__body *b;
    if (!list) return 0;
    m->body = list;
    b = &m->body[m->bodies];
    memset(b, 0, sizeof *b);
    b->message = message;
    b->scope = m->scopes++;
    b->parent = function ? -1 : parent;
    b->depth = parent < 0 ? 0 : m->body[parent].depth + 1;
    b->opset = parent < 0 ? m->opset : m->body[parent].opset;
    b->is_function = function;
    b->caller = caller;
    b->owner = m->present;
    if (b->depth > ONNX__MOST_DEPTH) onnx__broken(m, "functions or branches lie too deep within one another");
    return m->bodies++;
}

/* --- tensors --- */
/* Whole numbers of types that hybrid.h has not stand in wider ones, their carriers: quantised weights and
 * activations, which are moved about, cast and scaled. */
static const struct {
    hy_dtype    dtype;
    int         bytes;                  /* of an element; 0: a byte holds two or four; with a carrier */
    const char *name;
    hy_dtype    carrier;
    double      low, high;              /* what the carrier may hold */
} onnx__kinds[] = {
    { HY_DTYPE_NONE, 0, "undefined", HY_DTYPE_NONE, 0, 0 },
    { HY_F32, 4, "float", HY_DTYPE_NONE, 0, 0 },
    { HY_U8, 1, "uint8", HY_DTYPE_NONE, 0, 0 },
    { HY_I8, 1, "int8", HY_DTYPE_NONE, 0, 0 },
    { HY_DTYPE_NONE, 2, "uint16", HY_I32, 0, 65535 },
    { HY_DTYPE_NONE, 2, "int16", HY_I32, -32768, 32767 },
    { HY_I32, 4, "int32", HY_DTYPE_NONE, 0, 0 },
    { HY_I64, 8, "int64", HY_DTYPE_NONE, 0, 0 },
    { HY_DTYPE_NONE, 0, "string", HY_DTYPE_NONE, 0, 0 },
    { HY_BOOL, 1, "bool", HY_DTYPE_NONE, 0, 0 },
    { HY_F16, 2, "float16", HY_DTYPE_NONE, 0, 0 },
    { HY_F64, 8, "double", HY_DTYPE_NONE, 0, 0 },
    { HY_DTYPE_NONE, 4, "uint32", HY_I64, 0, 4294967295.0 },
    { HY_DTYPE_NONE, 8, "uint64", HY_DTYPE_NONE, 0, 0 },
    { HY_DTYPE_NONE, 0, "complex64", HY_DTYPE_NONE, 0, 0 },
    { HY_DTYPE_NONE, 0, "complex128", HY_DTYPE_NONE, 0, 0 },
    { HY_BF16, 2, "bfloat16", HY_DTYPE_NONE, 0, 0 },
    { HY_DTYPE_NONE, 1, "float8e4m3fn", HY_DTYPE_NONE, 0, 0 },
    { HY_DTYPE_NONE, 1, "float8e4m3fnuz", HY_DTYPE_NONE, 0, 0 },
    { HY_DTYPE_NONE, 1, "float8e5m2", HY_DTYPE_NONE, 0, 0 },
    { HY_DTYPE_NONE, 1, "float8e5m2fnuz", HY_DTYPE_NONE, 0, 0 },
    { HY_DTYPE_NONE, 0, "uint4", HY_U8, 0, 15 },
    { HY_DTYPE_NONE, 0, "int4", HY_I8, -8, 7 },
    { HY_DTYPE_NONE, 0, "float4e2m1", HY_DTYPE_NONE, 0, 0 },
    { HY_DTYPE_NONE, 1, "float8e8m0", HY_DTYPE_NONE, 0, 0 },
    { HY_DTYPE_NONE, 0, "uint2", HY_U8, 0, 3 },
    { HY_DTYPE_NONE, 0, "int2", HY_I8, -2, 1 }
};
enum { ONNX__KINDS = (int)(sizeof onnx__kinds / sizeof *onnx__kinds) };

static const char *onnx__kind_name(int64_t kind)
{
    return kind >= 0 && kind < ONNX__KINDS ? onnx__kinds[kind].name : "unknown";
}

static hy_dtype onnx__dtype(int64_t kind)
{
    if (kind < 0 || kind >= ONNX__KINDS) return HY_DTYPE_NONE;
    return onnx__kinds[kind].dtype;
}

/* Of the numbers of such a kind: their carrier, or their own type. */
static hy_dtype onnx__held_in(int64_t kind)
{
    hy_dtype d = onnx__dtype(kind);
    return d || kind < 0 || kind >= ONNX__KINDS ? d : onnx__kinds[kind].carrier;
}

/* The kind, if its numbers stand in a carrier; else 0. */
static int onnx__narrow(int64_t kind) { return onnx__dtype(kind) || !onnx__held_in(kind) ? 0 : (int)kind; }

static void onnx__read_place(onnx__model *m, onnx__tensor *t, onnx__bytes b)
{
    onnx__field f;
    const char *key = "", *value = "";
    while (onnx__next(&b, &f)) {
        if (f.number == 1) key = onnx__text(m, f.body);
        if (f.number == 2) value = onnx__text(m, f.body);
    }
    if (!strcmp(key, "location")) t->file = value;
    if (!strcmp(key, "offset")) t->offset = strtoll(value, NULL, 10);
    if (!strcmp(key, "length")) t->length = strtoll(value, NULL, 10);
}

/* What the message says of itself; its numbers stay where they are. */
static onnx__tensor *onnx__read_tensor(onnx__model *m, onnx__bytes b)
{
    onnx__tensor *t = ONNX__ROOM(m, onnx__tensor, 1);
    onnx__field f;
    uint64_t v;
    int i;
    if (!t) return NULL;
    t->name = "";
    t->message = b;
    t->length = -1;
    while (onnx__next(&b, &f)) {
        if (f.number == 1)
            while (onnx__packed(&f, 0, &v)) {
                if (t->type.shape.ndim >= HY_MAX_DIM || (int64_t)v < 0) onnx__broken(m, "a tensor's sizes");
                else t->type.shape.dim[t->type.shape.ndim++] = (int64_t)v;
            }
        if (f.number == 2) t->kind = f.value < ONNX__KINDS ? (int)f.value : 0;
        if (f.number == 8) t->name = onnx__text(m, f.body);
        if (f.number == 9) t->raw = f.body;
        if (f.number == 13) onnx__read_place(m, t, f.body);
        if (f.number == 14) t->outside = f.value == 1;
    }
    if (b.bad) onnx__broken(m, "a tensor's message");
    t->type.dtype = onnx__held_in(t->kind);
    for (t->count = 1, i = 0; i < t->type.shape.ndim; i++) {
        int64_t d = t->type.shape.dim[i];
        const uint64_t most = SIZE_MAX / 16 < (uint64_t)1 << 40 ? SIZE_MAX / 16 : (uint64_t)1 << 40;
        if (d && t->count > (int64_t)most / d) {
            onnx__broken(m, "a tensor of more than 2^40 elements, or than can be addressed");
            d = 0;
        }
        t->count *= d;
    }
    return t;
}

static void onnx__put(unsigned char *to, int bytes, uint64_t v)
{
    unsigned short narrow = (unsigned short)v;
    uint32_t word = (uint32_t)v;
    if (bytes == 1) *to = (unsigned char)v;
    else if (bytes == 2) memcpy(to, &narrow, 2);
    else if (bytes == 4) memcpy(to, &word, 4);
    else memcpy(to, &v, 8);
}

/* Typed fields: float_data, int32_data (of all that is small), int64_data, double_data, uint64_data. */
static int onnx__typed_data(const onnx__tensor *t, unsigned char *to, int bytes)
{
    uint32_t number = t->kind == 1 ? 4 : t->kind == 7 ? 7 : t->kind == 11 ? 10 : t->kind == 12 ? 11 : 5;
    uint32_t kind = t->kind == 1 ? 5 : t->kind == 11 ? 1 : 0;
    onnx__bytes b = t->message;
    onnx__field f;
    uint64_t v;
    int64_t n = 0;
    while (onnx__next(&b, &f))
        if (f.number == number)
            while (onnx__packed(&f, kind, &v)) {
                if (n == t->count) return 0;
                onnx__put(to + n++ * bytes, bytes, v);
            }
    return n == t->count;
}

#ifndef HYBRID_NO_STDIO
/* 1; 0: its place is none, or not so long; -1: there is no such file. */
static int onnx__outside_data(onnx__model *m, const onnx__tensor *t, unsigned char *to, size_t bytes)
{
    size_t n = strlen(m->folder ? m->folder : "") + strlen(t->file ? t->file : "") + 2;
    char *path = ONNX__ROOM(m, char, n);
    FILE *f;
    int fine;
    if (!path || !m->folder || !t->file || t->offset < 0 || (t->length >= 0 && (size_t)t->length < bytes))
        return 0;
    if (*t->file == '/' || *t->file == '\\' || strstr(t->file, "..") || strchr(t->file, ':')) return 0;
    sprintf(path, "%s%s", m->folder, t->file);
    f = fopen(path, "rb");
    if (!f) return -1;
    fine = t->offset <= LONG_MAX && !fseek(f, (long)t->offset, SEEK_SET) &&
        fread(to, 1, bytes, f) == bytes;
    fclose(f);
    return fine;
}
#else
static int onnx__outside_data(onnx__model *m, const onnx__tensor *t, unsigned char *to, size_t bytes)
{
    (void)m; (void)t; (void)to;
    return !bytes;
}
#endif

/* The same, and who lacks what is the fault of the file. */
static int onnx__fill_outside(onnx__model *m, const onnx__tensor *t, unsigned char *to, size_t bytes)
{
    int found = onnx__outside_data(m, t, to, bytes);
    char *why = found > 0 || m->why || m->failed ? NULL : ONNX__ROOM(m, char, 400);
    if (why)
        snprintf(why, 400, "the data of tensor '%.100s' is not in file '%.200s': %s", t->name,
                 t->file ? t->file : "", found < 0 ? "it is not there"
                 : !t->file || !*t->file ? "it has no name" : !m->folder ? "no folder is given"
                 : "it is shorter, or may not be read");
    if (why) m->why = why;
    return found > 0;
}

/* Raw data is little-endian: to or from what this machine has, in place. */
static void onnx__little(unsigned char *at, int bytes, size_t all)
{
    int little = 1;
    if (*(char *)&little) return;
    for (; all; all -= (size_t)bytes, at += bytes) {
        onnx__bytes b = { at, at + bytes, 0 };
        onnx__put(at, bytes, onnx__fixed(&b, bytes));
    }
}

#ifndef HYBRID_NO_STDIO
/* Is the place of a tensor's numbers a hole? */
static int onnx__is_hole(const onnx__model *m, const unsigned char *at)
{
    const onnx__file *from = m->from;
    int low = 0, high = from && at ? from->holes : 0;
    while (low < high) {
        const int half = low + (high - low) / 2;
        if (from->data + from->hole[half] < at) low = half + 1; else high = half;
    }
    return from && at && low < from->holes && from->data + from->hole[low] == at;
}

/* Numbers from where they lie: in memory, or in the file still. */
static int onnx__take(onnx__model *m, const unsigned char *at, unsigned char *to, size_t bytes)
{
    if (!onnx__is_hole(m, at)) { if (bytes) memcpy(to, at, bytes); return 1; }
    if (!fseek(m->from->f, (long)(at - m->from->data), SEEK_SET) &&
        fread(to, 1, bytes, m->from->f) == bytes) return 1;
    onnx__broken(m, "it changes while it is read");
    return 0;
}
#else
static int onnx__is_hole(const onnx__model *m, const unsigned char *at) { (void)m; (void)at; return 0; }
static int onnx__take(onnx__model *m, const unsigned char *at, unsigned char *to, size_t bytes)
{
    (void)m;
    if (bytes) memcpy(to, at, bytes);
    return 1;
}
#endif

/* As they lie in the file, then one by one in their carrier. */
static int onnx__fill_narrow(onnx__model *m, const onnx__tensor *t, unsigned char *to)
{
    int bytes = onnx__kinds[t->kind].bytes, size = (int)hy_dtype_size(t->type.dtype);
    double low = onnx__kinds[t->kind].low, high = onnx__kinds[t->kind].high;
    int bits = bytes ? 8 * bytes : high - low > 3 ? 4 : 2;
    onnx__tensor stored = *t;
    unsigned char *own;
    int64_t i;
    const int hole = onnx__is_hole(m, t->raw.at);
    if (!bytes) { stored.count = (t->count + 8 / bits - 1) / (8 / bits); bytes = 1; }
    own = (unsigned char *)HY_ONNX_MALLOC((size_t)stored.count * (size_t)bytes + 1);
    if (!own) { m->failed = 1; return 0; }
    if (t->outside ? !onnx__fill_outside(m, t, own, (size_t)(stored.count * bytes))
        : t->raw.at ? t->raw.end - t->raw.at != stored.count * bytes : !onnx__typed_data(&stored, own, bytes))
        onnx__broken(m, "a tensor has more or fewer numbers than its sizes say");
    else if (!t->outside && !t->raw.at) onnx__little(own, bytes, (size_t)(stored.count * bytes));
    else if (hole && !t->outside) onnx__take(m, t->raw.at, own, (size_t)(stored.count * bytes));
    for (i = 0; i < t->count && !m->why; i++) {
        const unsigned char *at = t->outside || hole || !t->raw.at ? own : t->raw.at;
        int64_t place = i * bits / 8;
        onnx__bytes b = { at + place, at + place + bytes, 0 };
        double v = (double)(onnx__fixed(&b, bytes) >> i * bits % 8 & (((uint64_t)1 << bits) - 1));
        if (v > high) v -= high - low + 1;
        onnx__put(to + i * size, size, (uint64_t)(int64_t)v);
    }
    HY_ONNX_FREE(own);
    return !m->why;
}

/* Its elements, packed, in `to`. 0: the file is broken. */
static int onnx__fill(onnx__model *m, const onnx__tensor *t, unsigned char *to)
{
    int bytes = onnx__kinds[t->kind].bytes;
    size_t all = (size_t)t->count * (size_t)bytes, have = (size_t)(t->raw.end - t->raw.at);
    int64_t i;
    if (onnx__narrow(t->kind)) return onnx__fill_narrow(m, t, to);
    if (t->outside ? !onnx__fill_outside(m, t, to, all) : t->raw.at ? have != all
        : !onnx__typed_data(t, to, bytes)) {
        onnx__broken(m, "a tensor has more or fewer numbers than its sizes say");
        return 0;
    }
    if (!t->outside && t->raw.at && !onnx__take(m, t->raw.at, to, all)) return 0;
    for (i = 0; t->kind == 9 && i < t->count; i++) to[i] = to[i] != 0;
    if (t->outside || t->raw.at) onnx__little(to, bytes, all);
    return 1;
}

/* How many bytes that takes; sizes that the file cannot fill are found before memory is asked for. */
static size_t onnx__data_bytes(onnx__model *m, const onnx__tensor *t)
{
    size_t all = (size_t)t->count * hy_dtype_size(t->type.dtype);
    if (!t->outside && all / 16 > (size_t)(t->message.end - t->message.at))
        onnx__broken(m, "a tensor has fewer numbers than its sizes say");
    return all;
}

/* Its elements in the chain; nothing where that cannot be. */
static void onnx__read_data(onnx__model *m, onnx__tensor *t)
{
    size_t all = t->data || !t->type.dtype ? 0 : onnx__data_bytes(m, t);
    if (t->data || !t->type.dtype || m->failed || m->why) return;
    t->data = onnx__room(m, all + 16, 1);
    if (t->data) onnx__fill(m, t, (unsigned char *)t->data);
}

/* --- nodes --- */
static onnx__tensor *onnx__numbers(onnx__model *m, int kind, int64_t n)
{
    onnx__tensor *t = ONNX__ROOM(m, onnx__tensor, 1);
    if (!t) return NULL;
    t->name = "";
    t->kind = kind;
    t->type.dtype = onnx__dtype(kind);
    t->count = n < 0 ? 1 : n;
    if (n >= 0) t->type.shape = HY_SHAPE(n);
    t->data = onnx__room(m, (size_t)t->count + 1, 8);
    return t;
}

static int onnx__count_packed(onnx__bytes b, uint32_t number, uint32_t kind)
{
    onnx__field f;
    uint64_t v;
    int n = 0;
    while (onnx__next(&b, &f))
        if (f.number == number) {
            if (number == 9) n++;
            else while (onnx__packed(&f, kind, &v)) n++;
        }
    return n;
}

static void onnx__read_attr(onnx__model *m, int body, onnx__bytes b, onnx__attr *a)
{
    onnx__bytes whole = b;
    onnx__field f;
    uint64_t v;
    int ni = onnx__count_packed(b, 8, 0), nf = onnx__count_packed(b, 7, 5), ns = onnx__count_packed(b, 9, 2);
    a->name = a->s = "";
    a->body = -1;
    a->n = ni > nf ? ni : nf;
    a->n = ns > a->n ? ns : a->n;               /* of all three, whichever a reader asks for */
    a->ints = ONNX__ROOM(m, int64_t, a->n + 1);
    a->floats = ONNX__ROOM(m, double, a->n + 1);
    a->strings = ONNX__ROOM(m, const char *, a->n + 1);
    for (ni = 0; !m->failed && ni < a->n; ni++) a->strings[ni] = "";
    ni = nf = ns = 0;
    while (!m->failed && onnx__next(&b, &f)) {
        if (f.number == 1) a->name = onnx__text(m, f.body);
        if (f.number == 2) a->f = onnx__float_of(f.value);
        if (f.number == 3) a->i = (int64_t)f.value;
        if (f.number == 4) a->s = onnx__text(m, f.body);
        if (f.number == 5) a->t = onnx__read_tensor(m, f.body);
        if (f.number == 5 && a->t) onnx__read_data(m, a->t);
        if (f.number == 6) a->body = onnx__new_body(m, f.body, body, 0, NULL);
        if (f.number == 7) while (onnx__packed(&f, 5, &v)) a->floats[nf++] = onnx__float_of(v);
        if (f.number == 8) while (onnx__packed(&f, 0, &v)) a->ints[ni++] = (int64_t)v;
        if (f.number == 9) a->strings[ns++] = onnx__text(m, f.body);
        if (f.number == 20) a->kind = (int)f.value;
        if (f.number == 21) a->ref = onnx__text(m, f.body);
    }
    if (b.bad || whole.bad) onnx__broken(m, "an attribute's message");
}

static const onnx__attr *onnx__attr_of(const onnx__node *n, const char *name)
{
    int i;
    for (i = 0; n && i < n->attrs; i++)
        if (!strcmp(n->attr[i].name, name)) return &n->attr[i];
    return NULL;
}

/* An attribute that names one of the function it stands in gets the caller's, or goes. */
static int onnx__resolve(const onnx__node *caller, onnx__attr *a)
{
    const onnx__attr *from = onnx__attr_of(caller, a->ref);
    const char *name = a->name;
    if (!from) return 0;
    *a = *from;
    a->name = name;
    return 1;
}

static int onnx__count_fields(onnx__bytes b, uint32_t number)
{
    onnx__field f;
    int n = 0;
    while (onnx__next(&b, &f)) n += f.number == number;
    return n;
}

/* A Constant is no node: its output is a tensor. */
static int onnx__is_constant(onnx__model *m, onnx__node *n)
{
    const onnx__attr *a = n->attrs ? n->attr : NULL;
    onnx__tensor *t = NULL;
    int i;
    if (strcmp(n->op, "Constant") || *n->domain || !a || n->nout < 1 || n->out[0] < 0) return 0;
    if (!strcmp(a->name, "value")) t = a->t;
    if (!strcmp(a->name, "value_float")) t = onnx__numbers(m, 1, -1);
    if (!strcmp(a->name, "value_floats")) t = onnx__numbers(m, 1, a->n);
    if (!strcmp(a->name, "value_int")) t = onnx__numbers(m, 7, -1);
    if (!strcmp(a->name, "value_ints")) t = onnx__numbers(m, 7, a->n);
    if (!t || !t->data) return 0;
    if (!strcmp(a->name, "value_float")) *(float *)t->data = (float)a->f;
    if (!strcmp(a->name, "value_int")) *(int64_t *)t->data = a->i;
    if (!strcmp(a->name, "value_ints")) memcpy(t->data, a->ints, sizeof(int64_t) * (size_t)a->n);
    for (i = 0; !strcmp(a->name, "value_floats") && i < a->n; i++)
        ((float *)t->data)[i] = (float)a->floats[i];
    m->slot[n->out[0]].tensor = t;
    m->slot[n->out[0]].kind = onnx__narrow(t->kind);
    return 1;
}

static const onnx__function *onnx__function_of(const onnx__model *m, const onnx__node *n)
{
    int i;
    for (i = 0; i < m->functions; i++)
        if (!strcmp(m->function[i].name, n->op) && !strcmp(m->function[i].domain, n->domain))
            return &m->function[i];
    return NULL;
}

static const char *onnx__domain(onnx__model *m, onnx__bytes b)
{
    const char *d = onnx__text(m, b);
    return strcmp(d, "ai.onnx") ? d : "";
}

static void onnx__read_node(onnx__model *m, int body, onnx__bytes b)
{
    onnx__node *n = ONNX__ROOM(m, onnx__node, 1), *caller = m->body[body].caller;
    const onnx__function *function;
    onnx__bytes again = b;
    onnx__field f;
    if (++m->nodes > ONNX__MOST_NODES) onnx__broken(m, "more than 2^18 nodes");
    if ((int64_t)m->nodes * m->functions > (int64_t)1 << 26) onnx__broken(m, "too many functions and nodes");
    if (onnx__count_fields(b, 5) > ONNX__MOST_ATTRS) onnx__broken(m, "more than 1024 attributes");
    if (!n || m->why) return;
    n->op = n->domain = n->name = "";
    n->body = -1;
    n->home = body;
    n->number = m->nodes;
    m->present = n;
    n->in = ONNX__ROOM(m, int, onnx__count_fields(b, 1) + 1);
    n->out = ONNX__ROOM(m, int, onnx__count_fields(b, 2) + 1);
    n->attr = ONNX__ROOM(m, onnx__attr, onnx__count_fields(b, 5) + 1);
    while (!m->failed && onnx__next(&b, &f)) {
        if (f.number == 3) n->name = onnx__text(m, f.body);
        if (f.number == 4) n->op = onnx__text(m, f.body);
        if (f.number == 7) n->domain = onnx__domain(m, f.body);
    }
    while (!m->failed && !m->why && onnx__next(&again, &f)) {
        if (f.number == 1) n->in[n->nin++] = onnx__seen(m, body, onnx__text(m, f.body));
        if (f.number == 2) n->out[n->nout++] = onnx__own(m, body, onnx__text(m, f.body));
        if (f.number == 5) {
            onnx__attr *a = &n->attr[n->attrs++];
            onnx__read_attr(m, body, f.body, a);
            if (a->ref && *a->ref && !onnx__resolve(caller, a)) n->attrs--;
        }
    }
    if (b.bad || again.bad) onnx__broken(m, "a node's message");
    if (m->failed || m->why || onnx__is_constant(m, n)) return;
    function = onnx__function_of(m, n);
    if (function) n->body = onnx__new_body(m, function->message, body, 1, n);
    n->before = m->body[body].last;
    if (m->body[body].last) m->body[body].last->next = n;
    else m->body[body].first = n;
    m->body[body].last = n;
}

/* --- graphs --- */
static void onnx__read_type(onnx__model *m, onnx__bytes b, hy_type *type, int *kind, const char ***sizes)
{
    onnx__field f, g, h, d;
    *sizes = NULL;
    while (onnx__next(&b, &f)) {                                /* TypeProto */
        if (f.number == 9 && !onnx__next(&f.body, &g)) continue;
        if (f.number == 9) { b = g.body; continue; }            /* .optional_type.elem_type */
        if (f.number != 1) { *kind = -1; continue; }
        while (onnx__next(&f.body, &g)) {                       /* .tensor_type */
            if (g.number == 1) { *kind = (int)g.value; type->dtype = onnx__held_in(*kind); }
            if (g.number != 2) continue;
            type->shape.ndim = 0;
            while (onnx__next(&g.body, &h)) {                   /* .shape */
                if (h.number != 1) continue;
                if (type->shape.ndim == HY_MAX_DIM) { onnx__broken(m, "more than 8 dims"); return; }
                type->shape.dim[type->shape.ndim++] = -1;
                while (onnx__next(&h.body, &d)) {
                    if (d.number == 1 && d.kind == 0 && (int64_t)d.value >= 0)
                        type->shape.dim[type->shape.ndim - 1] = (int64_t)d.value;
                    if (d.number != 2) continue;
                    if (!*sizes) *sizes = ONNX__ROOM(m, const char *, HY_MAX_DIM);
                    if (*sizes) (*sizes)[type->shape.ndim - 1] = onnx__text(m, d.body);
                }
            }
        }
    }
}

/* An input or output of a graph, or of a function, where it is a name alone. */
static int onnx__read_value(onnx__model *m, int body, onnx__bytes b, int plain, int own)
{
    hy_type type;
    const char *name = "", **sizes = NULL;
    onnx__field f;
    int k, kind = 0;
    memset(&type, 0, sizeof type);
    type.shape.ndim = -1;
    if (plain) name = onnx__text(m, b);
    else while (onnx__next(&b, &f)) {
        if (f.number == 1) name = onnx__text(m, f.body);
        if (f.number == 2) onnx__read_type(m, f.body, &type, &kind, &sizes);
    }
    if (!*name) { onnx__broken(m, "an input or output has no name"); return -1; }
    k = own ? onnx__own(m, body, name) : onnx__seen(m, body, name);
    if (m->failed || k < 0) return -1;
    if (!plain) m->slot[k].type = type;
    if (!plain) m->slot[k].sizes = sizes;
    if (!plain) m->slot[k].kind = onnx__narrow(kind);
    return k;
}

static void onnx__read_initializer(onnx__model *m, int body, onnx__bytes b)
{
    onnx__tensor *t = onnx__read_tensor(m, b);
    int k = t ? onnx__own(m, body, t->name) : -1;
    if (m->failed) return;
    if (k < 0) { onnx__broken(m, "an initializer has no name"); return; }
    m->slot[k].tensor = t;
    m->slot[k].kind = onnx__narrow(t->kind);
}

/* The attributes that a function has when its caller says nothing. */
static void onnx__default_attrs(onnx__model *m, int body, onnx__bytes b)
{
    onnx__node *caller = m->body[body].caller;
    onnx__field f;
    int n = onnx__count_fields(b, 11);
    onnx__attr *list = ONNX__ROOM(m, onnx__attr, n + caller->attrs + 1);
    if (n > ONNX__MOST_ATTRS) onnx__broken(m, "more than 1024 attributes");
    m->compared += (int64_t)n * (n + caller->attrs);            /* by name, below */
    if (m->compared > (int64_t)1 << 27) onnx__broken(m, "too many attributes of functions");
    if (!list || m->why) return;
    memcpy(list, caller->attr, sizeof *list * (size_t)caller->attrs);
    caller->attr = list;
    while (!m->failed && onnx__next(&b, &f))
        if (f.number == 11) {
            onnx__read_attr(m, body, f.body, &list[caller->attrs]);
            if (!onnx__attr_of(caller, list[caller->attrs].name)) caller->attrs++;
        }
}

static int onnx__opset_of(onnx__model *m, onnx__bytes b, int opset)
{
    const char *domain = "";
    onnx__field f;
    int version = 0;
    while (onnx__next(&b, &f)) {
        if (f.number == 1) domain = onnx__domain(m, f.body);
        if (f.number == 2) version = f.value < 10000 ? (int)f.value : 10000;
    }
    return *domain ? opset : version;
}

static void onnx__read_body(onnx__model *m, int body)
{
    int is_function = m->body[body].is_function, *in, *out, nin = 0, nout = 0;
    uint32_t in_field = is_function ? 4 : 11, out_field = is_function ? 5 : 12,
             node_field = is_function ? 7 : 1;
    onnx__bytes b = m->body[body].message, nodes = b, outputs = b;
    onnx__field f;
    in = ONNX__ROOM(m, int, onnx__count_fields(b, in_field) + 1);
    out = ONNX__ROOM(m, int, onnx__count_fields(b, out_field) + 1);
    if (is_function) onnx__default_attrs(m, body, b);
    while (!m->failed && onnx__next(&b, &f)) {
        if (f.number == in_field) in[nin++] = onnx__read_value(m, body, f.body, is_function, 1);
        if (!is_function && f.number == 5) onnx__read_initializer(m, body, f.body);
        if (!is_function && f.number == 15) onnx__broken(m, "sparse initializers are not read");
        if (is_function && f.number == 9)
            m->body[body].opset = onnx__opset_of(m, f.body, m->body[body].opset);
    }
    while (!m->failed && !m->why && onnx__next(&nodes, &f))
        if (f.number == node_field) onnx__read_node(m, body, f.body);
    while (!m->failed && !m->why && onnx__next(&outputs, &f))
        if (f.number == out_field) out[nout++] = onnx__read_value(m, body, f.body, is_function, 0);
    if (b.bad || nodes.bad) onnx__broken(m, "a graph's message");
    m->body[body].in = in;
    m->body[body].out = out;
    m->body[body].nin = nin;
    m->body[body].nout = nout;
}

static void onnx__read_function(onnx__model *m, onnx__bytes b)
{
    onnx__function *at, *list =
        (onnx__function *)onnx__grown(m, m->function, m->functions, &m->function_room, sizeof *list);
    onnx__field f;
    if (!list) return;
    m->function = list;
    at = &list[m->functions++];
    at->domain = at->name = "";
    at->message = b;
    while (onnx__next(&b, &f)) {
        if (f.number == 1) at->name = onnx__text(m, f.body);
        if (f.number == 10) at->domain = onnx__domain(m, f.body);
    }
}

/* Everything but the numbers of tensors; bodies found on the way wait for their turn. */
static void onnx__read_model(onnx__model *m, onnx__bytes b)
{
    onnx__bytes graph = { NULL, NULL, 0 };
    onnx__field f;
    int i;
    while (!m->failed && onnx__next(&b, &f)) {
        if (f.number == 7 && f.kind == 2) graph = f.body;
        if (f.number == 8) m->opset = onnx__opset_of(m, f.body, m->opset);
        if (f.number == 25) onnx__read_function(m, f.body);
    }
    if (b.bad || !graph.at) { onnx__broken(m, "this is no ONNX model"); return; }
    if (!m->opset) m->opset = 1;
    onnx__new_body(m, graph, -1, 0, NULL);
    for (i = 0; i < m->bodies && !m->failed && !m->why; i++) onnx__read_body(m, i);
}

/* MARK: - >>running -------------------------------------------------------------------------------------
 *
 * One call. Line by line, all operators go to the frame F. While F is a trace, what is known already,
 * constants and shapes and whatever depends on these alone, is computed at once in a frame K beside it; a
 * small parameter is both, known and part of the program. Bodies stand on a stack of their own.
 */
typedef struct onnx__value {
    hy_array *x, *known;                /* in the program; at its side */
    int       live;                     /* both, and the program has to compute it, too */
    int       open;                     /* some of the known numbers, i64, are codes of sizes, see onnx__len; */
                                        /* 2: as i32 in the file */
    struct onnx__sequence *list;            /* a sequence instead */
} onnx__value;

typedef struct onnx__sequence { struct onnx__sequence *before; int n; onnx__value at[1]; } onnx__sequence;

typedef struct onnx__active {           /* a body that runs */
    int         body;
    onnx__node *owner, *next;
    int64_t     step, steps, samples;   /* of Loop and Scan; samples: of a Scan's batch, 0 if it has none */
} onnx__active;

typedef struct onnx__given { hy_type type; size_t bytes; void *data; } onnx__given;

typedef struct onnx__net {
    hy_block      base;
    onnx__model   model;
    struct onnx__net *inner;            /* of the plain block around: the one that runs */
    hy_block     *mark;                 /* a child that changes with the given values */
    onnx__given  *given;                /* of the inner one: values of inputs that decide shapes */
    int           inputs, *in, opens, *open;    /* values that are inputs; whose numbers decide no shapes */
    int           late;                 /* nodes that run line by line behind the compiled ones */
    onnx__node  **after;                /* these */
    int           cuts, *cut;           /* what the inner one gives: values of the model */
    uint64_t     *decided;              /* takes note of numbers that decide something; NULL: nobody asks */
    int           retyped;              /* it becomes a graph for other types than the file's */
} onnx__net;

typedef struct onnx__run {
    hy_frame     *F, *trace, *K;        /* F: where the present node's operators go */
    onnx__net    *net;
    onnx__model  *m;
    onnx__node   *node;
    onnx__value  *value;
    int           opset, depth, late;   /* late: only late nodes run, else the others */
    int           blamed, steps, listed;        /* listed: values in all sequences so far */
    uint64_t      sizes;                /* the trace that codes of sizes are of; 0: there are none yet */
    onnx__sequence *lists;
    void        (*walk)(struct onnx__run *R, int body);         /* runs a body within an operator */
    onnx__active  stack[ONNX__MOST_DEPTH + 2];
} onnx__run;

static int64_t onnx__clamped(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

static int onnx__within(int64_t v, int64_t low, int64_t high) { return v >= low && v <= high; }

/* Numbers that decide something. Where they are others for other sizes, the program may be, too, though it is
 * the same for the sizes that were tried. */
static void onnx__note_decided(onnx__run *R, const void *bytes, size_t n)
{
    const unsigned char *at = (const unsigned char *)bytes;
    uint64_t *h = R->net->decided;
    while (h && at && n--) *h = (*h ^ *at++) * 1099511628211u;
}

/* The first error of a node, in whose name it stands. */
static void onnx__fail(onnx__run *R, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    hy_raise(R->F, HY_ERROR_UNSUPPORTED, text);
}

static int onnx__has(onnx__run *R, int i) { return i < R->node->nin && R->node->in[i] >= 0; }

/* --- sizes that calls take on: among known numbers they are codes, far from what sizes can be --- */
#define ONNX__CODES (-((int64_t)1 << 51))
enum { ONNX__MOST_CODES = 1 << 13, ONNX__MOST_LENS = 64 };

static int onnx__is_code(int64_t v) { return v <= ONNX__CODES && v > ONNX__CODES - ONNX__MOST_CODES; }

static hy_len onnx__len(const onnx__run *R, int64_t v)
{
    hy_len n = hy_len_is(v);
    if (R->sizes && onnx__is_code(v)) n.trace = R->sizes;
    return n;
}

static int64_t onnx__code(onnx__run *R, hy_len n)
{
    if (!hy_len_fixed(n)) R->sizes = n.trace;
    return n.code;
}

/* A size that fits among codes, else tied to its number. */
static hy_len onnx__coded(onnx__run *R, hy_len n)
{
    return hy_len_fixed(n) || onnx__is_code(n.code) ? n : hy_len_is(hy_len_value(R->trace, n));
}

/* Do known numbers look like codes? */
static int onnx__looks_open(hy_frame *K, hy_array *x)
{
    const int64_t *v;
    int64_t i, n;
    if (!x || hy_error(K) || hy_dtype_of(K, x) != HY_I64 || (n = hy_size(K, x)) < 1) return 0;
    v = (const int64_t *)hy_data(K, x);
    for (i = 0; v && i < n; i++) if (onnx__is_code(v[i])) return 1;
    return 0;
}

/* Sizes become numbers, to which the trace is tied then. */
static void onnx__settle(onnx__run *R, onnx__value *v)
{
    hy_frame *K = R->K;
    hy_array *x = v->open && !hy_error(K) ? hy_copy(K, v->known) : NULL;
    int64_t *at = x ? (int64_t *)hy_write(K, x) : NULL, i, n = x ? hy_size(K, x) : 0;
    for (i = 0; at && i < n; i++) at[i] = hy_len_value(R->trace, onnx__len(R, at[i]));
    if (at) v->known = v->open == 2 ? hy_cast(K, x, HY_I32) : x;
    v->open = 0;
}

/* Sizes as data of the program. */
static hy_array *onnx__len_data(onnx__run *R, const onnx__value *v)
{
    hy_frame *F = R->trace, *K = R->K;
    hy_array *part[ONNX__MOST_LENS], *all;
    const int64_t n = hy_size(K, v->known), *at = (const int64_t *)hy_data(K, v->known);
    hy_shape s = hy_shape_of(K, v->known);
    hy_ints to;
    int i;
    for (i = 0; at && i < n; i++) part[i] = hy_len_array(F, onnx__len(R, at[i]));
    if (!at || hy_error(F)) return NULL;
    for (i = 0; n > 1 && i < n; i++) part[i] = hy_reshape(F, part[i], HY_INTS(1), NULL);
    all = n > 1 ? hy_concat(F, hy_group_of(F, (int)n, part), 0) : part[0];
    for (to.n = s.ndim, i = 0; i < s.ndim; i++) to.v[i] = s.dim[i];
    if (s.ndim != (n > 1)) all = hy_reshape(F, all, to, NULL);
    return v->open == 2 ? hy_cast(F, all, HY_I32) : all;
}

static hy_array *onnx__copied(hy_frame *F, hy_frame *K, hy_array *x)
{
    hy_shape shape = hy_shape_of(K, x);
    if (hy_error(K)) { hy_raise(F, hy_error_code(K), hy_error(K)); return NULL; }
    if (!hy_size(K, x)) return hy_empty(F, shape, hy_dtype_of(K, x));
    return hy_from(F, shape, hy_dtype_of(K, x), hy_data(K, x));
}

/* A constant becomes an array where it is first asked for. */
static void onnx__load_constant(onnx__run *R, int k)
{
    onnx__slot *s = &R->m->slot[k];
    onnx__value *v = &R->value[k];
    hy_frame *F = R->K ? R->K : R->trace;
    if (v->x || v->known || !s->tensor) return;
    if (s->param) {
        v->x = s->param;
        if (R->K && s->tensor->count <= ONNX__SMALL) {
            v->known = s->param;
            v->live = 1;
        }
        return;
    }
    if (s->tensor->count)
        v->known = hy_from(F, s->tensor->type.shape, s->tensor->type.dtype, s->tensor->data);
    else v->known = hy_empty(F, s->tensor->type.shape, s->tensor->type.dtype);
    if (!R->K) { v->x = v->known; v->known = NULL; }
}

/* Input i as the present frame has it; NULL: it is left out, or an error stands. */
static hy_array *onnx__in(onnx__run *R, int i)
{
    onnx__value *v;
    if (!onnx__has(R, i)) return NULL;
    onnx__load_constant(R, R->node->in[i]);
    v = &R->value[R->node->in[i]];
    if (R->K && R->F == R->K) return v->known;
    if (!v->x && v->open && hy_size(R->K, v->known) > ONNX__MOST_LENS) onnx__settle(R, v);
    if (!v->x && v->open) return v->x = onnx__len_data(R, v);
    if (!v->x && v->known) v->x = onnx__copied(R->F, R->K, v->known);
    if (!v->x && R->K && hy_error(R->K)) hy_raise(R->F, hy_error_code(R->K), hy_error(R->K));
    if (!v->x) onnx__fail(R, "input %d, '%s', %s", i, R->m->slot[R->node->in[i]].name,
                          v->list ? "is a sequence" : "has no value");
    return v->x;
}

/* The same with its numbers, and the frame they can be read in. */
static hy_array *onnx__known(onnx__run *R, int i, hy_frame **F)
{
    onnx__value *v;
    *F = R->K ? R->K : R->F;
    if (!R->K) return onnx__in(R, i);
    if (!onnx__has(R, i)) return NULL;
    onnx__load_constant(R, R->node->in[i]);
    v = &R->value[R->node->in[i]];
    if (!v->known && hy_error(R->K)) hy_raise(R->F, hy_error_code(R->K), hy_error(R->K));
    if (!v->known)
        onnx__fail(
            R,
            "the value of input %d, '%s', decides shapes, and a compiled call only knows it when it runs: "
            "such a network runs line by line",
            i, R->m->slot[R->node->in[i]].name);
    if (v->open) onnx__settle(R, v);
    return v->known;
}

/* Is input i known, and are some of its numbers sizes that calls take on? */
static int onnx__is_open(onnx__run *R, int i)
{
    return R->K && R->F == R->trace && onnx__has(R, i) && R->value[R->node->in[i]].open;
}

/* The numbers of input i as sizes: how many, or -1. */
static int onnx__lens_in(onnx__run *R, int i, hy_len *to, int most)
{
    const onnx__value *v = &R->value[R->node->in[i]];
    hy_array *all = v->open || hy_dtype_of(R->K, v->known) == HY_I64 ? v->known : hy_cast(R->K, v->known, HY_I64);
    const int64_t n = hy_size(R->K, all), *at = (const int64_t *)hy_data(R->K, all);
    int k;
    if (n > most) { onnx__fail(R, "input %d has more than %d numbers", i, most); return -1; }
    for (k = 0; at && k < n; k++) to[k] = v->open ? onnx__len(R, at[k]) : hy_len_is(at[k]);
    return at ? (int)n : -1;
}

static int onnx__is_known(onnx__run *R, int i)
{
    if (!onnx__has(R, i)) return 0;
    onnx__load_constant(R, R->node->in[i]);
    return !R->K || R->value[R->node->in[i]].known != NULL;
}

static void onnx__out(onnx__run *R, int i, hy_array *x)
{
    onnx__value *v;
    if (i >= R->node->nout || R->node->out[i] < 0) return;
    v = &R->value[R->node->out[i]];
    if (R->K && R->F == R->K) v->known = x;
    else v->x = x;
}

static int onnx__wants(onnx__run *R, int i) { return i < R->node->nout && R->node->out[i] >= 0; }

/* --- attributes --- */
static int64_t onnx__int(onnx__run *R, const char *name, int64_t missing)
{
    const onnx__attr *a = onnx__attr_of(R->node, name);
    return a ? a->i : missing;
}

static int onnx__scans(onnx__run *R)            /* inputs that a Scan goes along */
{
    return (int)onnx__clamped(onnx__int(R, "num_scan_inputs", 0), 0, INT_MAX / 2);
}

static double onnx__float(onnx__run *R, const char *name, double missing)
{
    const onnx__attr *a = onnx__attr_of(R->node, name);
    return a ? a->f : missing;
}

static const char *onnx__string(onnx__run *R, const char *name, const char *missing)
{
    const onnx__attr *a = onnx__attr_of(R->node, name);
    return a ? a->s : missing;
}

/* Numbers of an attribute: 1 if it is there. */
static int onnx__ints(onnx__run *R, const char *name, hy_ints *to)
{
    const onnx__attr *a = onnx__attr_of(R->node, name);
    int i;
    to->n = 0;
    if (!a) return 0;
    if (a->n > HY_MAX_INTS) { onnx__fail(R, "%s: more than %d numbers", name, (int)HY_MAX_INTS); return 0; }
    for (i = 0; i < a->n; i++) to->v[i] = a->ints[i];
    to->n = a->n;
    return 1;
}

/* Numbers of an input: how many, -1 when they cannot be had. */
static int64_t onnx__read_numbers(onnx__run *R, int i, double *to, int64_t most)
{
    hy_frame *F;
    hy_array *x = onnx__known(R, i, &F);
    int64_t n = x ? hy_size(F, x) : -1;
    if (n < 0) return -1;
    if (n > most) { onnx__fail(R, "input %d has more than %d numbers", i, (int)most); return -1; }
    if (n && !hy_to(F, x, HY_F64, to, sizeof(double) * (size_t)n)) return -1;
    return n;
}

static int onnx__ints_in(onnx__run *R, int i, hy_ints *to)
{
    hy_frame *F;
    hy_array *x = onnx__known(R, i, &F);
    int64_t n = x ? hy_size(F, x) : -1;
    to->n = 0;
    if (n < 0) return 0;
    if (n > HY_MAX_INTS) {
        onnx__fail(R, "input %d has more than %d numbers", i, (int)HY_MAX_INTS);
        return 0;
    }
    if (n && !hy_to(F, x, HY_I64, to->v, sizeof(int64_t) * (size_t)n)) return 0;
    to->n = (int)n;
    return 1;
}

/* An attribute of old files that became input i. */
static int onnx__ints_of(onnx__run *R, const char *name, int i, hy_ints *to)
{
    if (onnx__has(R, i)) return onnx__ints_in(R, i, to);
    return onnx__ints(R, name, to);
}

static double onnx__number(onnx__run *R, int i, double missing)
{
    double v = missing;
    if (onnx__has(R, i) && onnx__read_numbers(R, i, &v, 1) < 1) return missing;
    return v;
}

/* The same where it has to be one number. */
static double onnx__single(onnx__run *R, int i, double missing)
{
    double v = missing;
    if (onnx__has(R, i) && onnx__read_numbers(R, i, &v, 1) != 1)
        onnx__fail(R, "input %d: one number is due", i);
    return v;
}

/* The same for a count or an axis. */
static int64_t onnx__whole(onnx__run *R, int i, double missing)
{
    double v = onnx__number(R, i, missing);
    const double most = 9e15;
    if (!(v == v)) return 0;
    return (int64_t)(v > most ? most : v < -most ? -most : v);
}

/* --- shapes --- */
/* The shape of x from that dim on, all of it known; what is before is not asked for, and may be of any size. */
static int onnx__shape_from(onnx__run *R, hy_array *x, int from, hy_shape *s)
{
    int i;
    s->ndim = 0;
    if (!x) return 0;
    if (from) {
        s->ndim = hy_ndim(R->F, x);
        for (i = 0; i < s->ndim; i++) s->dim[i] = i < from ? -1 : hy_dim(R->F, x, i);
    } else *s = hy_shape_of(R->F, x);
    if (s->ndim < 0) s->ndim = 0;
    if (hy_error(R->F)) return 0;
    for (i = from; i < s->ndim; i++)
        if (s->dim[i] < 0) { onnx__fail(R, "a shape is not known before the network runs"); return 0; }
    return 1;
}
static int onnx__shape(onnx__run *R, hy_array *x, hy_shape *s) { return onnx__shape_from(R, x, 0, s); }

static int onnx__rank(onnx__run *R, hy_array *x) { return x ? hy_ndim(R->F, x) : 0; }

/* The dims of x, which a trace is not tied to: how many, or -1. */
static int onnx__lens(onnx__run *R, hy_array *x, hy_len *n)
{
    int i, ndim = onnx__rank(R, x);
    if (!x) return -1;
    for (i = 0; i < ndim && !hy_error(R->F); i++) {
        n[i] = hy_len_of(R->F, x, i);
        if (!hy_error(R->F) && hy_len_fixed(n[i]) && n[i].code < 0)
            onnx__fail(R, "a shape is not known before the network runs");
    }
    return hy_error(R->F) ? -1 : ndim;
}

static int onnx__len_is(hy_len n, int64_t v) { return hy_len_fixed(n) && n.code == v; }

/* Are all of them numbers? Then they are the shape. */
static int onnx__plain(const hy_len *n, int ndim, hy_shape *s)
{
    int i;
    for (i = 0; i < ndim; i++) {
        if (!hy_len_fixed(n[i])) return 0;
        s->dim[i] = n[i].code;
    }
    s->ndim = ndim;
    return 1;
}

/* An axis of a shape of that many dims, counted from the front. */
static int onnx__axis(onnx__run *R, int64_t axis, int ndim)
{
    if (axis < 0) axis += ndim;
    if (axis < 0 || axis >= (ndim ? ndim : 1)) { onnx__fail(R, "axis %d of %d", (int)axis, ndim); return 0; }
    return (int)axis;
}

static int64_t onnx__product(const hy_shape *s, int from, int to)
{
    int64_t n = 1;
    for (; from < to; from++) n *= s->dim[from];
    return n;
}

static hy_array *onnx__to(onnx__run *R, hy_array *x, hy_shape s)
{
    hy_ints to;
    int i;
    to.n = s.ndim;
    for (i = 0; i < s.ndim; i++) {
        to.v[i] = s.dim[i];
        if (!s.dim[i] && x) {
            hy__zeros_opt opt;
            opt.dtype = hy_dtype_of(R->F, x);
            if (hy_size(R->F, x)) { onnx__fail(R, "elements do not fit a shape without any"); return NULL; }
            return hy__zeros(R->F, s, &opt);
        }
    }
    return hy_reshape(R->F, x, to, NULL);
}

static hy_array *onnx__to_lens(onnx__run *R, hy_array *x, const hy_len *n, int ndim)
{
    hy_shape s;
    return onnx__plain(n, ndim, &s) ? onnx__to(R, x, s) : hy_len_reshape(R->F, x, ndim, n);
}

static hy_len onnx__len_product(onnx__run *R, const hy_len *n, int from, int to)
{
    hy_len all = hy_len_is(1);
    for (; from < to; from++) all = hy_len_mul(R->F, all, n[from]);
    return all;
}

static hy_array *onnx__scalar_shape(onnx__run *R, hy_array *x) { return hy_reshape(R->F, x, HY_EMPTY, NULL); }

static int onnx__same_shape(hy_shape a, hy_shape b)
{
    int i;
    for (i = 0; a.ndim == b.ndim && i < a.ndim; i++) if (a.dim[i] != b.dim[i]) return 0;
    return a.ndim == b.ndim;
}

/* x repeated to a shape that it fits. */
static hy_array *onnx__spread(onnx__run *R, hy_array *x, hy_shape s)
{
    hy_shape own, longer = s;
    hy_len n[HY_MAX_DIM];
    hy_ints to;
    int i, have = onnx__lens(R, x, n);
    if (have < 0 || (!onnx__plain(n, have, &own) && !onnx__shape(R, x, &own)) || onnx__same_shape(own, s))
        return x;
    if (own.ndim < s.ndim) {
        for (i = 0; i < s.ndim; i++)
            longer.dim[i] = i < s.ndim - own.ndim ? 1 : own.dim[i - (s.ndim - own.ndim)];
        x = onnx__to(R, x, longer);
    }
    to.n = s.ndim;
    for (i = 0; i < s.ndim; i++) {
        to.v[i] = s.dim[i];
        if (!s.dim[i]) {
            hy__zeros_opt opt;
            opt.dtype = hy_dtype_of(R->F, x);
            return hy__zeros(R->F, s, &opt);
        }
    }
    return hy_broadcast_to(R->F, x, to);
}

/* What NumPy makes of two lists of sizes, in the first one. Which dims are 1 is certain; whether others agree
 * is asked where the arrays meet. */
static int onnx__both_lens(onnx__run *R, hy_len *a, int na, const hy_len *b, int nb)
{
    const int n = na > nb ? na : nb;
    int i;
    for (i = n - 1; i >= 0; i--) {
        hy_len one = hy_len_is(1), x = i >= n - na ? a[i - (n - na)] : one,
               y = i >= n - nb ? b[i - (n - nb)] : one;
        if (hy_len_fixed(x) && hy_len_fixed(y) && x.code != y.code && x.code != 1 && y.code != 1)
            onnx__fail(R, "shapes do not go together: %d beside %d", (int)x.code, (int)y.code);
        a[i] = onnx__len_is(x, 1) || (hy_len_fixed(x) && !onnx__len_is(y, 1)) ? y : x;
    }
    return n;
}

/* x repeated along its dims of size 1. */
static hy_array *onnx__spread_lens(onnx__run *R, hy_array *x, const hy_len *n, int ndim)
{
    hy_len own[HY_MAX_DIM], to[HY_MAX_DIM];
    hy_shape s, t;
    int i, have = onnx__lens(R, x, own), same = have == ndim;
    if (have < 0 || have > ndim) return x;
    if (onnx__plain(n, ndim, &s) && onnx__plain(own, have, &t)) return onnx__spread(R, x, s);
    for (i = 0; i < ndim; i++) {
        const int k = i - (ndim - have);
        to[i] = k < 0 || onnx__len_is(own[k], 1) ? n[i] : own[k];
        same = same && hy_len_same(to[i], own[k]);
    }
    return same ? x : hy_len_broadcast_to(R->F, x, ndim, to);
}

/* Numbers computed here as an array. */
static hy_array *onnx__from_doubles(onnx__run *R, hy_shape s, hy_dtype dtype, const double *v)
{
    hy_array *x = s.ndim && !onnx__product(&s, 0, s.ndim) ? hy_empty(R->F, s, HY_F64)
        : hy_from(R->F, s, HY_F64, v);
    return dtype == HY_F64 ? x : hy_cast(R->F, x, dtype);
}

static hy_array *onnx__filled(onnx__run *R, hy_shape s, hy_dtype dtype, double v)
{
    hy__full_opt opt;
    opt.dtype = dtype;
    return hy__full(R->F, s, v, &opt);
}

static hy_dtype onnx__type_in(onnx__run *R, int i)
{
    hy_array *x = onnx__in(R, i);
    return x ? hy_dtype_of(R->F, x) : HY_F32;
}

static hy_array *onnx__cast(onnx__run *R, hy_array *x, hy_dtype dtype)
{
    return x && hy_dtype_of(R->F, x) != dtype ? hy_cast(R->F, x, dtype) : x;
}

static int onnx__is_float(hy_dtype d) { return d == HY_F32 || d == HY_F64 || d == HY_F16 || d == HY_BF16; }

/* Sums and the like; axes of none means each. */
typedef hy_array *(*onnx__fold)(hy_frame *F, hy_array *x, hy_ints axis, const hy_reduce_opt *opt);
static hy_array *onnx__reduce(onnx__run *R, onnx__fold fold, hy_array *x, hy_ints axes, int keep)
{
    hy_reduce_opt opt;
    int ndim = onnx__rank(R, x);
    memset(&opt, 0, sizeof opt);
    opt.keepdims = keep;
    if (!x || !ndim) return x;
    if (!axes.n) axes = HY_ALL;
    x = fold(R->F, x, axes, &opt);
    return !keep && (axes.n < 0 || axes.n == ndim) ? onnx__scalar_shape(R, x) : x;
}

/* Elements [begin, end) of an axis, every step-th. */
static hy_array *onnx__cut(onnx__run *R, hy_array *x, int axis, int64_t begin, int64_t end, int64_t step)
{
    hy_ints b, e;
    hy_slice_opt opt;
    int i;
    b.n = e.n = opt.step.n = axis + 1;
    for (i = 0; i <= axis; i++) {
        b.v[i] = e.v[i] = HY_NONE;
        opt.step.v[i] = 1;
    }
    b.v[axis] = begin;
    e.v[axis] = end < 0 && step < 0 ? HY_NONE : end;
    opt.step.v[axis] = step;
    return hy_slice(R->F, x, b, e, &opt);
}

static hy_array *onnx__join(onnx__run *R, hy_array *a, hy_array *b, int axis)
{
    return hy_concat(R->F, hy_group(R->F, a, b), axis);
}

static hy_array *onnx__move(onnx__run *R, hy_array *x, int from, int to)
{
    hy_ints perm;
    int i, k = 0, ndim = onnx__rank(R, x);
    if (from == to) return x;
    perm.n = ndim;
    for (i = 0; i < ndim; i++) {
        if (k == from) k++;
        perm.v[i] = i == to ? from : k++;
    }
    return hy_transpose(R->F, x, perm);
}

static hy_array *onnx__where(onnx__run *R, hy_array *c, hy_array *a, hy_array *b)
{
    hy_array *x[3], *whole = NULL;
    hy_len own[3][HY_MAX_DIM], s[HY_MAX_DIM];
    hy_shape plain;
    int have[3], i, d, n = 0, same[3] = { 1, 1, 1 };
    x[0] = c;
    x[1] = a;
    x[2] = b;
    for (i = 0; i < 3; i++) {
        if ((have[i] = onnx__lens(R, x[i], own[i])) < 0) return NULL;
        n = onnx__both_lens(R, s, n, own[i], have[i]);
    }
    if (hy_error(R->F)) return NULL;
    for (i = 0; i < 3; i++) {
        for (d = 0; d < n; d++) same[i] = same[i] && have[i] == n && hy_len_same(own[i][d], s[d]);
        if (same[i]) whole = x[i];
    }
    for (i = 0; i < 3; i++)
        if (!same[i] && whole && !onnx__plain(s, n, &plain)) x[i] = hy_broadcast_like(R->F, x[i], whole, NULL);
        else x[i] = onnx__spread_lens(R, x[i], s, n);
    return hy_where(R->F, x[0], x[1], x[2]);
}

/* Room for numbers while a node is set up; it goes with the frame's bracket. */
static void *onnx__scratch(onnx__run *R, int64_t n, size_t size)
{
    hy_frame *F = R->K ? R->K : R->F;
    if (n < 0 || n > (int64_t)1 << 34) { onnx__fail(R, "too large"); return NULL; }
    return hy_write(F, hy_empty(F, HY_SHAPE((n + 1) * (int64_t)size), HY_U8));
}

/* MARK: - >>ops -----------------------------------------------------------------------------------------
 *
 * One function for each operator, or family of them, of ONNX; rows of >>table name them.
 */

/* --- pointwise --- */
static void onnx__do_one(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0);
    onnx__out(R, 0, R->node->row->one(R->F, x));
}

/* Files before opset 7 say where the second operand stands. */
static hy_array *onnx__second(onnx__run *R)
{
    hy_array *a = onnx__in(R, 0), *b = onnx__in(R, 1);
    int64_t axis = onnx__int(R, "axis", -1);
    hy_shape s;
    if (R->opset >= 7 || !onnx__int(R, "broadcast", 0) || axis < 0 || !onnx__shape(R, b, &s)) return b;
    while (s.ndim + axis < onnx__rank(R, a) && s.ndim < HY_MAX_DIM) s.dim[s.ndim++] = 1;
    return onnx__to(R, b, s);
}

/* A number beside an array needs no array of its own. */
typedef hy_array *(*onnx__by)(hy_frame *F, hy_array *x, double scalar);
static const struct { onnx__two two; onnx__by right, left; } onnx__scalars[] = {
    { hy_add, hy_add_scalar, hy_add_scalar }, { hy_sub, hy_sub_scalar, hy_rsub_scalar },
    { hy_mul, hy_mul_scalar, hy_mul_scalar }, { hy_div, hy_div_scalar, hy_rdiv_scalar },
    { hy_maximum, hy_maximum_scalar, hy_maximum_scalar },
    { hy_minimum, hy_minimum_scalar, hy_minimum_scalar } };

/* A float that is known by itself in a program, and line by line where constants and shapes decide it: both
 * compute the same then. */
static int onnx__one_known(onnx__run *R, int i, int most_dims, double *v)
{
    const onnx__slot *s = &R->m->slot[R->node->in[i]];
    hy_frame *F;
    hy_array *x;
    if (s->param || !onnx__is_known(R, i) || (!R->K && !s->fixed)) return 0;
    x = onnx__known(R, i, &F);
    if (!x || hy_ndim(F, x) > most_dims || hy_size(F, x) != 1 || !onnx__is_float(hy_dtype_of(F, x))) return 0;
    return hy_to(F, x, HY_F64, v, sizeof *v) != 0;
}

static int onnx__number_known(onnx__run *R, int i, double *v)
{
    return R->K && onnx__one_known(R, i, 0, v);
}

static void onnx__do_two(onnx__run *R)
{
    onnx__two two = R->node->row->two;
    double v;
    int i;
    for (i = 0; R->F != R->K && i < (int)(sizeof onnx__scalars / sizeof *onnx__scalars); i++) {
        if (onnx__scalars[i].two != two) continue;
        if (onnx__number_known(R, 1, &v)) onnx__out(R, 0, onnx__scalars[i].right(R->F, onnx__in(R, 0), v));
        else if (onnx__number_known(R, 0, &v))
            onnx__out(R, 0, onnx__scalars[i].left(R->F, onnx__in(R, 1), v));
        else continue;
        return;
    }
    onnx__out(R, 0, two(R->F, onnx__in(R, 0), onnx__second(R)));
}

static void onnx__do_compare(onnx__run *R)
{
    onnx__out(R, 0, onnx__cast(R, R->node->row->two(R->F, onnx__in(R, 0), onnx__second(R)), HY_BOOL));
}

/* Max, Min, Sum, Mean of any number of inputs. */
static void onnx__do_several(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0);
    int i;
    for (i = 1; i < R->node->nin; i++) x = R->node->row->two(R->F, x, onnx__in(R, i));
    if (!strcmp(R->node->op, "Mean")) x = hy_div_scalar(R->F, x, R->node->nin);
    onnx__out(R, 0, x);
}

static void onnx__do_pow(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *y = onnx__second(R);
    hy_dtype d = onnx__type_in(R, 0), e = onnx__type_in(R, 1);
    double v;
    if (onnx__is_float(d) && R->F != R->K && onnx__one_known(R, 1, 0, &v)) {    /* these round otherwise */
        onnx__out(R, 0, v == 2 ? hy_square(R->F, x) : v == 3 ? hy_mul(R->F, x, hy_square(R->F, x))
                  : v == 0.5 ? hy_sqrt(R->F, x) : v == -1 ? hy_reciprocal(R->F, x)
                  : hy_power_scalar(R->F, x, v));
        return;
    }
    if (d != e && !onnx__is_float(d)) {
        x = onnx__cast(R, x, HY_F64);
        e = HY_F64;
    } else e = d;
    onnx__out(R, 0, onnx__cast(R, hy_power(R->F, x, onnx__cast(R, y, e)), d));
}

static void onnx__do_mod(onnx__run *R)
{
    hy_array *a = onnx__in(R, 0), *b = onnx__in(R, 1), *y;
    if (!onnx__int(R, "fmod", 0)) y = hy_mod(R->F, a, b);
    else if (onnx__is_float(onnx__type_in(R, 0)))               /* with the sign of a, as in C */
        y = hy_mul(R->F, hy_sign(R->F, a), hy_mod(R->F, hy_abs(R->F, a), hy_abs(R->F, b)));
    else {                                                      /* the least integer has no absolute value */
        hy_array *apart = hy_not_equal(R->F, hy_lesser_scalar(R->F, a, 0), hy_lesser_scalar(R->F, b, 0));
        y = hy_mod(R->F, a, b);
        y = hy_sub(R->F, y, hy_mul(R->F, b, hy_logical_and(R->F, y, apart)));
    }
    if (y && onnx__is_float(hy_dtype_of(R->F, y)))              /* x mod 0 is 0 in hybrid.h */
        y = hy_add(R->F, y, hy_div(R->F, hy_zeros_like(R->F, b), b));
    onnx__out(R, 0, y);
}

/* By s places, in two steps, since 2^63 is no int64; by fewer than 0 or more than there are it is by all. */
static void onnx__do_bit_shift(onnx__run *R)
{
    hy_frame *F = R->F;
    hy_dtype d = onnx__type_in(R, 0);
    hy_array *x = onnx__cast(R, onnx__in(R, 0), HY_I64), *s = onnx__cast(R, onnx__in(R, 1), HY_I64), *by;
    int left = !strcmp(onnx__string(R, "direction", ""), "LEFT"), i;
    s = hy_add(
        F, s,
        hy_mul_scalar(F, hy_logical_or(F, hy_lesser_scalar(F, s, 0), hy_greater_scalar(F, s, 64)), 128));
    s = hy_minimum_scalar(F, s, 64);
    for (i = 0; i < 2; i++) {
        by = hy_rpower_scalar(F, hy_div_scalar(F, hy_add_scalar(F, s, i), 2), 2);
        if (left) x = hy_mul(F, x, by);
        else x = hy_div(F, hy_sub(F, x, hy_mod(F, x, by)), by);
    }
    if (left && d == HY_U8) x = hy_mod_scalar(F, x, 256);
    onnx__out(R, 0, onnx__cast(R, x, d));
}

/* and, or, xor of integers, bit by bit. */
static void onnx__do_bitwise(onnx__run *R)
{
    hy_dtype d = onnx__type_in(R, 0);
    int bits = 8 * (int)hy_dtype_size(d), i;
    hy_array *a = onnx__cast(R, onnx__in(R, 0), HY_I64), *b = onnx__cast(R, onnx__in(R, 1), HY_I64),
        *y = NULL;
    if (bits > 32) { onnx__fail(R, "whole numbers of 64 bits"); return; }
    a = hy_mod_scalar(R->F, a, ldexp(1, bits));
    b = hy_mod_scalar(R->F, b, ldexp(1, bits));
    for (i = 0; i < bits; i++) {
        double p = ldexp(1, i);
        hy_array *bit = R->node->row->two(R->F, hy_mod_scalar(R->F, hy_div_scalar(R->F, a, p), 2),
                                          hy_mod_scalar(R->F, hy_div_scalar(R->F, b, p), 2));
        bit = hy_mul_scalar(R->F, bit, p);
        y = y ? hy_add(R->F, y, bit) : bit;
    }
    onnx__out(R, 0, onnx__cast(R, y, d));
}

static void onnx__do_bitwise_not(onnx__run *R)
{
    hy_dtype d = onnx__type_in(R, 0);
    onnx__out(R, 0, hy_rsub_scalar(R->F, onnx__in(R, 0), d == HY_U8 ? 255 : -1));
}

static void onnx__do_is_inf(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *up, *down;
    up = hy_equal_scalar(R->F, x, INFINITY);
    down = hy_equal_scalar(R->F, x, -INFINITY);
    if (!onnx__int(R, "detect_positive", 1)) up = hy_zeros_like(R->F, x);
    if (!onnx__int(R, "detect_negative", 1)) down = hy_zeros_like(R->F, x);
    onnx__out(R, 0, onnx__cast(R, hy_logical_or(R->F, up, down), HY_BOOL));
}

static void onnx__do_is_nan(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0);
    onnx__out(R, 0, onnx__cast(R, hy_not_equal(R->F, x, x), HY_BOOL));
}

static void onnx__do_clip(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0);
    const onnx__attr *low = onnx__attr_of(R->node, "min"), *high = onnx__attr_of(R->node, "max");
    int whole = !onnx__is_float(onnx__type_in(R, 0));
    if (R->opset < 11) {
        if (low || high) x = hy_clip(R->F, x, low ? low->f : -INFINITY, high ? high->f : INFINITY);
    } else if (!whole && (!onnx__has(R, 1) || onnx__is_known(R, 1)) &&
               (!onnx__has(R, 2) || onnx__is_known(R, 2)) &&
               onnx__number(R, 1, -INFINITY) <= onnx__number(R, 2, INFINITY)) {
        x = hy_clip(R->F, x, onnx__number(R, 1, -INFINITY), onnx__number(R, 2, INFINITY));
    } else {
        if (onnx__has(R, 1)) x = hy_maximum(R->F, x, onnx__in(R, 1));
        if (onnx__has(R, 2)) x = hy_minimum(R->F, x, onnx__in(R, 2));
    }
    onnx__out(R, 0, x == onnx__in(R, 0) ? hy_identity(R->F, x) : x);
}

/* Activations with numbers. */
static hy_array *onnx__leaky(hy_frame *F, hy_array *x, int kind, double slope)
{
    hy_leaky_relu_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.slope = slope == 0 ? HY_ZERO : slope;
    return hy_leaky_relu(F, x, kind, &opt);
}

static hy_array *onnx__hard_sigmoid(hy_frame *F, hy_array *x, double alpha, double beta)
{
    hy_hard_sigmoid_opt opt;
    opt.alpha = alpha == 0 ? HY_ZERO : alpha;
    opt.beta = beta == 0 ? HY_ZERO : beta;
    return hy_hard_sigmoid(F, x, &opt);
}

static hy_array *onnx__celu(hy_frame *F, hy_array *x, double alpha)
{
    hy_array *low = hy_expm1(F, hy_div_scalar(F, hy_minimum_scalar(F, x, 0), alpha));
    return hy_add(F, hy_relu(F, x), hy_mul_scalar(F, low, alpha));
}

/* The activation of that name, of a node or of a recurrent gate; NULL: there is none. */
static hy_array *onnx__activation(hy_frame *F, const char *name, hy_array *x, double a, double b)
{
    if (!strcmp(name, "Relu")) return hy_relu(F, x);
    if (!strcmp(name, "Tanh")) return hy_tanh(F, x);
    if (!strcmp(name, "Sigmoid")) return hy_sigmoid(F, x);
    if (!strcmp(name, "Softsign")) return hy_softsign(F, x);
    if (!strcmp(name, "Softplus")) return hy_softrelu(F, x);
    if (!strcmp(name, "LeakyRelu")) return onnx__leaky(F, x, HY_LEAKY_LEAKY, a);
    if (!strcmp(name, "Elu")) return onnx__leaky(F, x, HY_LEAKY_ELU, a);
    if (!strcmp(name, "HardSigmoid")) return onnx__hard_sigmoid(F, x, a, b);
    if (!strcmp(name, "Affine")) return hy_add_scalar(F, hy_mul_scalar(F, x, a), b);
    if (!strcmp(name, "ScaledTanh")) return hy_mul_scalar(F, hy_tanh(F, hy_mul_scalar(F, x, b)), a);
    if (!strcmp(name, "ThresholdedRelu")) return hy_mul(F, x, hy_greater_scalar(F, x, a));
    if (!strcmp(name, "Celu")) return onnx__celu(F, x, a);
    if (!strcmp(name, "Swish")) return hy_mul(F, x, hy_sigmoid(F, a == 1 ? x : hy_mul_scalar(F, x, a)));
    return NULL;
}

static void onnx__alphas(const char *name, double *a, double *b)
{
    static const struct { const char *name; double a, b; } known[] = {
        { "LeakyRelu", 0.01, 0 }, { "Elu", 1, 0 }, { "HardSigmoid", 0.2, 0.5 }, { "Affine", 1, 0 },
        { "ScaledTanh", 1, 1 }, { "ThresholdedRelu", 1, 0 }, { "Celu", 1, 0 }, { "Swish", 1, 0 } };
    int i;
    for (i = 0; i < (int)(sizeof known / sizeof *known); i++)
        if (!strcmp(known[i].name, name)) { *a = known[i].a; *b = known[i].b; }
}

static void onnx__do_activation(onnx__run *R)
{
    double a = 0, b = 0;
    onnx__alphas(R->node->op, &a, &b);
    a = onnx__float(R, "alpha", a);
    b = onnx__float(R, "beta", b);
    onnx__out(R, 0, onnx__activation(R->F, R->node->op, onnx__in(R, 0), a, b));
}

static hy_array *onnx__hard_swish(hy_frame *F, hy_array *x)
{
    return hy_mul(F, x, onnx__hard_sigmoid(F, x, 1.0 / 6, 0.5));
}

static void onnx__do_swiglu(onnx__run *R)
{
    hy_array *gate = onnx__activation(R->F, "Swish", onnx__in(R, 0), onnx__float(R, "alpha", 1), 0);
    onnx__out(R, 0, hy_mul(R->F, gate, onnx__in(R, 1)));
}

static void onnx__do_selu(onnx__run *R)
{
    double alpha = onnx__float(R, "alpha", 1.67326319217681884765625),
        gamma = onnx__float(R, "gamma", 1.05070102214813232421875);
    onnx__out(R, 0, hy_mul_scalar(R->F, onnx__leaky(R->F, onnx__in(R, 0), HY_LEAKY_ELU, alpha), gamma));
}

/* x / 2 (1 + tanh(u)) is x sigmoid(2 u), u being sqrt(2 / pi) (x + 0.044715 x^3). */
static hy_array *onnx__gelu_tanh(hy_frame *F, hy_array *x)
{
    const double c = 2 * 0.7978845608028654;
    hy_array *by = hy_add_scalar(F, hy_mul_scalar(F, hy_square(F, x), 0.044715 * c), c);
    return hy_mul(F, x, hy_sigmoid(F, hy_mul(F, x, by)));
}

static void onnx__do_gelu(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0);
    if (!strcmp(onnx__string(R, "approximate", "none"), "tanh")) onnx__out(R, 0, onnx__gelu_tanh(R->F, x));
    else onnx__out(R, 0, onnx__leaky(R->F, x, HY_LEAKY_GELU, 1));
}

static void onnx__do_prelu(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *slope = onnx__in(R, 1);
    hy_shape s;
    if (R->opset < 7 && onnx__shape(R, slope, &s) && s.ndim == 1 && s.dim[0] > 1)
        while (s.ndim + 1 < onnx__rank(R, x)) s.dim[s.ndim++] = 1;
    if (R->opset < 7) slope = onnx__to(R, slope, s);
    onnx__out(R, 0, hy_add(R->F, hy_maximum_scalar(R->F, x, 0),
                           hy_mul(R->F, slope, hy_minimum_scalar(R->F, x, 0))));
}

static void onnx__do_shrink(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0);
    double bias = onnx__float(R, "bias", 0), lambd = onnx__float(R, "lambd", 0.5);
    hy_array *up = hy_mul(R->F, hy_sub_scalar(R->F, x, bias), hy_greater_scalar(R->F, x, lambd));
    hy_array *down = hy_mul(R->F, hy_add_scalar(R->F, x, bias), hy_lesser_scalar(R->F, x, -lambd));
    onnx__out(R, 0, hy_add(R->F, up, down));
}

static void onnx__do_where(onnx__run *R)
{
    onnx__out(R, 0, onnx__where(R, onnx__in(R, 0), onnx__in(R, 1), onnx__in(R, 2)));
}

/* Into a carrier: what is too large loses its high bits. */
static hy_array *onnx__narrowed(onnx__run *R, hy_array *x, int kind)
{
    hy_frame *F = R->F;
    double low = onnx__kinds[kind].low, span = onnx__kinds[kind].high - low + 1;
    x = hy_sub_scalar(F, onnx__cast(R, x, HY_I64), low);
    x = hy_add_scalar(F, hy_mod_scalar(F, x, span), low);
    return onnx__cast(R, x, onnx__kinds[kind].carrier);
}

static void onnx__do_cast(onnx__run *R)
{
    int64_t to = onnx__int(R, "to", 1);
    hy_dtype d = onnx__held_in(to);
    hy_array *x = onnx__in(R, 0);
    if (R->node->kind) { onnx__out(R, 0, onnx__narrowed(R, x, R->node->kind)); return; }
    if (onnx__has(R, 1)) {
        const onnx__value *like = &R->value[R->node->in[1]];
        d = like->x ? hy_dtype_of(R->trace, like->x) : like->open == 2 ? HY_I32
            : like->known ? hy_dtype_of(R->K, like->known) : HY_DTYPE_NONE;
    }
    if (!d) { onnx__fail(R, "hybrid.h has no type %s", onnx__kind_name(to)); return; }
    onnx__out(R, 0, hy_cast(R->F, d == HY_BOOL ? hy_not_equal_scalar(R->F, x, 0) : x, d));
}

/* The same bits as another type: they have to be known. */
static void onnx__do_bit_cast(onnx__run *R)
{
    hy_dtype d = onnx__dtype(onnx__int(R, "to", 1));
    hy_frame *F;
    hy_array *x = onnx__known(R, 0, &F);
    hy_shape s;
    if (!d || (x && hy_dtype_size(d) != hy_dtype_size(hy_dtype_of(F, x)))) {
        onnx__fail(R, "types of different sizes, or one that hybrid.h has not");
        return;
    }
    if (!x) return;
    s = hy_shape_of(F, x);
    onnx__out(R, 0, hy_size(F, x) ? hy_from(R->F, s, d, hy_data(F, x)) : hy_empty(R->F, s, d));
}

static void onnx__do_dropout(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0);
    double ratio = onnx__has(R, 1) ? onnx__number(R, 1, 0.5) : onnx__float(R, "ratio", 0.5);
    hy_dropout_opt opt;
    memset(&opt, 0, sizeof opt);
    if (onnx__number(R, 2, 0) != 0 && ratio > 0) {
        opt.mode = HY_DROP_ALWAYS;
        onnx__out(R, 0, x = hy_dropout(R->F, x, ratio, &opt));
        onnx__out(R, 1, onnx__cast(R, hy_not_equal_scalar(R->F, x, 0), HY_BOOL));
        return;
    }
    onnx__out(R, 0, R->K ? hy_dropout(R->F, x, ratio, NULL) : hy_dropout(R->F, x, ratio, NULL));
    if (onnx__wants(R, 1))
        onnx__out(R, 1, hy_cast(R->F, hy_ones_like(R->F, x), R->opset < 10 ? onnx__type_in(R, 0) : HY_BOOL));
}

/* --- shapes --- */
static void onnx__put_numbers(onnx__run *R, hy_shape s, const int64_t *v)
{
    hy_frame *F = R->F;
    if (R->K) R->F = R->K;
    onnx__out(R, 0, onnx__product(&s, 0, s.ndim) ? hy_from(R->F, s, HY_I64, v) : hy_empty(R->F, s, HY_I64));
    R->F = F;
}

/* Are its numbers what the program may be tied to by no number? Where a file is asked what its numbers decide
 * they stay numbers. */
static int onnx__leaves_open(const onnx__run *R) { return R->K && R->F == R->trace && !R->net->decided; }

static void onnx__do_shape(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0);
    hy_shape s;
    int64_t start = onnx__int(R, "start", 0), end = onnx__int(R, "end", HY_MAX_DIM + 1);
    const int open = onnx__leaves_open(R);
    int i;
    if (open) s.ndim = onnx__rank(R, x);
    else if (!onnx__shape(R, x, &s)) return;
    if (start < 0) start += s.ndim;
    if (end < 0) end += s.ndim;
    start = start < 0 ? 0 : start > s.ndim ? s.ndim : start;
    end = end < start ? start : end > s.ndim ? s.ndim : end;
    for (i = (int)start; open && i < end && !hy_error(R->F); i++) {
        s.dim[i] = onnx__code(R, onnx__coded(R, hy_len_of(R->F, x, i)));
        if (!hy_error(R->F) && s.dim[i] < 0 && !onnx__is_code(s.dim[i]))
            onnx__fail(R, "a shape is not known before the network runs");
    }
    if (!hy_error(R->F)) onnx__put_numbers(R, HY_SHAPE(end - start), s.dim + start);
}

static void onnx__do_size(onnx__run *R)
{
    hy_len n[HY_MAX_DIM];
    int64_t all;
    int ndim = onnx__lens(R, onnx__in(R, 0), n);
    if (ndim < 0) return;
    all = onnx__code(R, onnx__coded(R, onnx__len_product(R, n, 0, ndim)));
    if (!onnx__leaves_open(R)) all = hy_len_value(R->F, onnx__len(R, all));
    if (!hy_error(R->F)) onnx__put_numbers(R, HY_SCALAR, &all);
}

static const char onnx__any_would_do[] = "a size of -1 beside one of 0: any would do";

/* To sizes some of which calls take on. */
static void onnx__reshape_open(onnx__run *R, hy_array *x)
{
    const int zero = onnx__int(R, "allowzero", 0) != 0;
    hy_len own[HY_MAX_DIM], to[HY_MAX_DIM], rest = hy_len_is(1);
    int i, all = -1, n = onnx__lens_in(R, 1, to, HY_MAX_DIM), have = n < 0 ? -1 : onnx__lens(R, x, own);
    if (have < 0) return;
    for (i = 0; i < n; i++) {
        if (!hy_len_at_least(R->F, to[i], 1)) to[i] = hy_len_is(hy_len_value(R->F, to[i]));     /* it may be 0 or -1 */
        if (hy_len_fixed(to[i]) && to[i].code < -1) { onnx__fail(R, "a size of %d", (int)to[i].code); return; }
        if (onnx__len_is(to[i], 0) && !zero && i < have) to[i] = own[i];
        if (onnx__len_is(to[i], -1) && all >= 0) { onnx__fail(R, "two sizes of -1"); return; }
        if (onnx__len_is(to[i], -1)) all = i;
        else rest = hy_len_mul(R->F, rest, to[i]);
    }
    if (all >= 0 && !hy_len_at_least(R->F, rest, 1)) rest = hy_len_is(hy_len_value(R->F, rest));
    if (all >= 0 && onnx__len_is(rest, 0)) { onnx__fail(R, "%s", onnx__any_would_do); return; }
    if (all >= 0) to[all] = hy_len_div(R->F, onnx__len_product(R, own, 0, have), rest);
    onnx__out(R, 0, onnx__to_lens(R, x, to, n));
}

static void onnx__do_reshape(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0);
    hy_ints to;
    hy_shape s;
    hy_len own[HY_MAX_DIM];
    int i, zero = 0, have = 0, none = 0, rest = 0;
    if (onnx__is_open(R, 1)) { onnx__reshape_open(R, x); return; }
    if (!onnx__ints_of(R, "shape", 1, &to)) return;
    if (to.n > HY_MAX_DIM) { onnx__fail(R, "more than 8 dims"); return; }
    for (i = 0; i < to.n; i++) {
        zero |= to.v[i] == 0;
        if (to.v[i] < -1) { onnx__fail(R, "a size of %d", (int)to.v[i]); return; }
    }
    if (zero || (R->K && onnx__has(R, 1) && !R->m->slot[R->node->in[1]].tensor)) {
        have = onnx__lens(R, x, own);
        if (have < 0) return;
        for (i = 0; i < have; i++) none |= onnx__len_is(own[i], 0);
    }
    for (i = 0; !none && !onnx__int(R, "allowzero", 0) && i < to.n && i < have; i++)
        if (hy_len_fixed(own[i]) && own[i].code == to.v[i]) to.v[i] = 0;    /* none of the program's: it stays */
    if (!zero || (!none && !onnx__int(R, "allowzero", 0))) {
        onnx__out(R, 0, hy_reshape(R->F, x, to, NULL));
        return;
    }
    s.ndim = to.n;
    for (i = 0; i < to.n; i++)
        s.dim[i] = to.v[i] || onnx__int(R, "allowzero", 0) || i >= have ? to.v[i] : hy_len_value(R->F, own[i]);
    for (none = i = 0; i < to.n; i++) {
        none |= !s.dim[i];
        rest |= s.dim[i] < 0;
        if (s.dim[i] < 0) s.dim[i] = 0;
    }
    if (none && rest) onnx__fail(R, "%s", onnx__any_would_do);
    else onnx__out(R, 0, onnx__to(R, x, s));
}

static void onnx__do_transpose(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0);
    hy_ints perm;
    if (!onnx__ints(R, "perm", &perm)) perm = HY_ALL;
    onnx__out(R, 0, onnx__rank(R, x) < 2 ? hy_identity(R->F, x) : hy_transpose(R->F, x, perm));
}

static void onnx__do_unsqueeze(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0);
    hy_ints axes;
    hy_len own[HY_MAX_DIM], to[HY_MAX_DIM];
    hy_shape plain;
    int i, n, have, k = 0, more = 0, taken[2 * HY_MAX_INTS] = { 0 };
    if (!onnx__ints_of(R, "axes", 1, &axes) || (have = onnx__lens(R, x, own)) < 0) return;
    n = have + axes.n;
    if (n > HY_MAX_DIM) { onnx__fail(R, "more than 8 dims"); return; }
    for (i = 0; i < axes.n; i++) taken[onnx__axis(R, axes.v[i], n)] = 1;
    for (i = 0; i < n; i++) more += taken[i];
    for (i = 0; i < n; i++) to[i] = taken[i] || k == have ? hy_len_is(1) : own[k++];
    if (hy_error(R->F)) return;
    if (more < axes.n || onnx__plain(to, n, &plain)) { onnx__out(R, 0, onnx__to_lens(R, x, to, n)); return; }
    for (i = 0; i < n; i++) if (taken[i]) x = hy_expand_dims(R->F, x, i);
    onnx__out(R, 0, x);
}

static void onnx__do_squeeze(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0);
    hy_ints axes;
    hy_len own[HY_MAX_DIM], to[HY_MAX_DIM];
    int i, have, n = 0, some = onnx__ints_of(R, "axes", 1, &axes), gone[HY_MAX_DIM] = { 0 };
    if ((have = onnx__lens(R, x, own)) < 0) return;
    for (i = 0; i < axes.n; i++) gone[onnx__axis(R, axes.v[i], have)] = 1;
    for (i = 0; i < have && (!some || !axes.n); i++) gone[i] = onnx__len_is(own[i], 1);
    for (i = 0; i < have; i++) {
        if (gone[i] && !onnx__len_is(own[i], 1)) {
            onnx__fail(R, "axis %d has size %d", i, (int)hy_len_value(R->F, own[i]));
            return;
        }
        if (!gone[i]) to[n++] = own[i];
    }
    onnx__out(R, 0, onnx__to_lens(R, x, to, n));
}

static void onnx__do_flatten(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0);
    hy_len own[HY_MAX_DIM], to[2];
    int have;
    int64_t axis = onnx__int(R, "axis", 1);
    if (axis == 1 && onnx__rank(R, x) >= 2) { onnx__out(R, 0, hy_flatten(R->F, x)); return; }
    if ((have = onnx__lens(R, x, own)) < 0) return;
    if (axis < 0) axis += have;
    if (axis < 0 || axis > have) { onnx__fail(R, "axis %d", (int)axis); return; }
    to[0] = onnx__len_product(R, own, 0, (int)axis);
    to[1] = onnx__len_product(R, own, (int)axis, have);
    onnx__out(R, 0, onnx__to_lens(R, x, to, 2));
}

/* A cache: what the network gets, with something behind it, is given back by it. */
static int onnx__grows(const onnx__run *R, int in, int out)
{
    const onnx__node *n = R->node;
    return !n->home && R->m->slot[n->in[in]].input && out < n->nout && n->out[out] >= 0 &&
        R->m->slot[n->out[out]].result;
}

static void onnx__do_concat(onnx__run *R)
{
    hy_array **list = (hy_array **)onnx__scratch(R, R->node->nin, sizeof *list);
    int i, axis;
    if (list && !R->node->nin) onnx__fail(R, "nothing to join");
    if (!list) return;
    for (i = 0; i < R->node->nin; i++) list[i] = onnx__in(R, i);
    if (hy_error(R->F)) return;
    axis = onnx__axis(R, onnx__int(R, "axis", R->opset < 4 ? 1 : 0), onnx__rank(R, list[0]));
    if (R->node->nin == 2 && onnx__grows(R, 0, 0)) onnx__out(R, 0, hy_extend(R->F, list[0], list[1], axis));
    else onnx__out(R, 0, hy_concat(R->F, hy_group_of(R->F, R->node->nin, list), axis));
}

static void onnx__do_split(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0);
    hy_shape s;
    hy_ints parts;
    int64_t at = 0, n = R->node->nout, size;
    int i, axis, some = onnx__ints_of(R, "split", 1, &parts);
    s.ndim = onnx__rank(R, x);
    axis = onnx__axis(R, onnx__int(R, "axis", 0), s.ndim);
    if (hy_error(R->F) || !s.ndim) { if (x) onnx__fail(R, "no axis to split"); return; }
    s.dim[axis] = hy_len_value(R->F, hy_len_of(R->F, x, axis));
    if (s.dim[axis] < 0) onnx__fail(R, "a shape is not known before the network runs");
    if (hy_error(R->F)) return;
    size = (s.dim[axis] + n - 1) / (n ? n : 1);
    for (i = 0; i < n; i++) {
        int64_t part = some && i < parts.n ? parts.v[i] : size < s.dim[axis] - at ? size : s.dim[axis] - at;
        if (part < 0 || part > s.dim[axis] - at) {
            onnx__fail(R, "parts of %d elements", (int)s.dim[axis]);
            return;
        }
        onnx__out(R, i, onnx__cut(R, x, axis, at, at + part, 1));
        at += part;
    }
}

/* Does a slice end where the axis does though a place beyond that is given? Other axes may reach it. Places
 * as far as can be mean the axis' end. */
static int onnx__cuts_short(int64_t place, int64_t size)
{
    return !onnx__within(place, -size, size) && onnx__within(place, -INT32_MAX + 1, INT32_MAX - 1);
}

static hy_array *onnx__taken(onnx__run *R, hy_array *x, hy_array *at, int axis, int mode);

/* From or to sizes that calls take on: all of an axis that has just that size, else the places are data. */
static int onnx__slice_open(onnx__run *R, hy_array *x)
{
    hy_len b[HY_MAX_DIM], e[HY_MAX_DIM], size;
    hy_ints axes, steps;
    int i, n, round, some = onnx__ints_of(R, "axes", 3, &axes), step = onnx__has(R, 4) && onnx__ints_in(R, 4, &steps);
    onnx__value *first = &R->value[R->node->in[1]], *last = &R->value[R->node->in[2]];
    if (!first->known || !last->known) { onnx__fail(R, "starts and ends are due"); return 1; }
    n = onnx__lens_in(R, 1, b, HY_MAX_DIM);
    if (n < 0 || onnx__lens_in(R, 2, e, HY_MAX_DIM) != n || (some && axes.n != n) || (step && steps.n != n) || n > onnx__rank(R, x)) {
        onnx__fail(R, "as many starts, ends, axes and steps are due, at most one an axis");
        return 1;
    }
    for (round = 0; round < 2; round++)
        for (i = 0; i < n && !hy_error(R->F); i++) {
            const int axis = onnx__axis(R, some ? axes.v[i] : i, onnx__rank(R, x));
            hy_array *at;
            if (hy_error(R->F)) return 1;
            size = hy_len_of(R->F, x, axis);
            if (step && steps.v[i] != 1) return 0;
            if (onnx__len_is(b[i], 0) && (hy_len_same(e[i], size) || (hy_len_fixed(e[i]) && e[i].code >= INT32_MAX))) continue;
            if (!round && ((hy_len_fixed(e[i]) && e[i].code >= INT32_MAX) || !hy_len_at_least(R->F, b[i], 0) || !hy_len_at_least(R->F, hy_len_sub(R->F, e[i], b[i]), 0) ||
                !hy_len_at_least(R->F, hy_len_sub(R->F, size, e[i]), 0))) return 0;
            if (!round) continue;
            at = hy_len_arange(R->F, hy_len_sub(R->F, e[i], b[i]));
            if (!onnx__len_is(b[i], 0)) at = hy_add(R->F, at, hy_len_array(R->F, b[i]));
            x = onnx__taken(R, x, at, axis, HY_INDEX_RAISE);
        }
    if (!hy_error(R->F)) onnx__out(R, 0, x == onnx__in(R, 0) ? hy_identity(R->F, x) : x);
    return 1;
}

static void onnx__do_slice(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0);
    hy_ints starts, ends, axes, steps;
    hy_shape s;
    int i, some, step;
    if ((onnx__is_open(R, 1) || onnx__is_open(R, 2)) && onnx__slice_open(R, x)) return;
    if (!onnx__ints_of(R, "starts", 1, &starts) || !onnx__ints_of(R, "ends", 2, &ends)) return;
    some = onnx__ints_of(R, "axes", 3, &axes);
    step = onnx__has(R, 4) && onnx__ints_in(R, 4, &steps);
    s.ndim = onnx__rank(R, x);
    if (hy_error(R->F)) return;
    if (ends.n != starts.n || (some && axes.n != starts.n) || (step && steps.n != starts.n) ||
        starts.n > s.ndim) {
        onnx__fail(R, "as many starts, ends, axes and steps are due, at most one an axis");
        return;
    }
    for (i = 0; i < starts.n && !hy_error(R->F); i++) {
        int axis = some ? onnx__axis(R, axes.v[i], s.ndim) : i;
        int64_t d, by = step ? steps.v[i] : 1, b = starts.v[i], e = ends.v[i];
        hy_len n = hy_error(R->F) ? hy_len_is(0) : hy_len_of(R->F, x, axis);
        if (!by) { onnx__fail(R, "a step of 0"); return; }
        if (!hy_len_fixed(n) && !b && by == 1 && e >= INT32_MAX) continue;      /* all of it, however long */
        d = hy_len_value(R->F, n);
        if (!hy_error(R->F) && d < 0) onnx__fail(R, "a shape is not known before the network runs");
        if (hy_error(R->F)) return;
        if (onnx__cuts_short(b, d) || onnx__cuts_short(e, d)) onnx__note_decided(R, &d, sizeof d);
        if (b < 0) b = b < -d ? -1 : b + d;
        if (e < 0) e = e < -d ? -1 : e + d;
        b = by > 0 ? onnx__clamped(b, 0, d) : onnx__clamped(b, 0, d - 1);
        e = by > 0 ? onnx__clamped(e, 0, d) : onnx__clamped(e, -1, d - 1);
        if (by > 0 ? e <= b : e >= b || !d) {
            b = e = 0;
            by = 1;
        }
        if (b != 0 || e != d || by != 1) x = onnx__cut(R, x, axis, b, e, onnx__clamped(by, -(d + 1), d + 1));
    }
    onnx__out(R, 0, x == onnx__in(R, 0) ? hy_identity(R->F, x) : x);
}

/* Makes sizes that an array and its expansion have side by side comparable: a size beside a number is one,
 * and so is one that may be 1. Returns whether others meet, which the program asks then. */
static int onnx__meet(onnx__run *R, hy_len *n, int ndim, hy_len *own, int have)
{
    int i, k, meet = 0;
    for (i = ndim - 1, k = have - 1; i >= 0 && k >= 0 && !hy_error(R->F); i--, k--) {
        if (hy_len_same(n[i], own[k]) || onnx__len_is(n[i], 1) || onnx__len_is(own[k], 1)) continue;
        if (hy_len_fixed(own[k]) || !hy_len_at_least(R->F, n[i], 2)) n[i] = hy_len_is(hy_len_value(R->F, n[i]));
        if (hy_len_fixed(n[i]) && !onnx__len_is(n[i], 1)) own[k] = hy_len_is(hy_len_value(R->F, own[k]));
        meet |= !hy_len_fixed(n[i]);
    }
    return meet;
}

static void onnx__do_expand(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0);
    hy_ints to;
    hy_shape s;
    hy_len n[HY_MAX_DIM], own[HY_MAX_DIM];
    int i, ndim, have, meet;
    if (onnx__is_open(R, 1)) ndim = onnx__lens_in(R, 1, n, HY_MAX_DIM);
    else {
        if (!onnx__ints_in(R, 1, &to)) return;
        if (to.n > HY_MAX_DIM) { onnx__fail(R, "more than 8 dims"); return; }
        for (ndim = to.n, i = 0; i < ndim; i++) n[i] = hy_len_is(to.v[i]);
    }
    if (ndim < 0 || (have = onnx__lens(R, x, own)) < 0) return;
    for (i = 0; i < ndim; i++)
        if (hy_len_fixed(n[i]) && n[i].code < 0) { onnx__fail(R, "a size of %d", (int)n[i].code); return; }
    meet = onnx__meet(R, n, ndim, own, have);
    ndim = onnx__both_lens(R, n, ndim, own, have);
    if (!hy_error(R->F))
        onnx__out(R, 0, meet ? hy_len_broadcast_to(R->F, x, ndim, n)
                  : onnx__plain(own, have, &s) && onnx__plain(n, ndim, &s) ? onnx__spread(R, x, s)
                  : onnx__spread_lens(R, x, n, ndim));
}

static void onnx__do_tile(onnx__run *R)
{
    hy_ints reps;
    if (onnx__ints_in(R, 1, &reps)) onnx__out(R, 0, hy_tile(R->F, onnx__in(R, 0), reps));
}

/* Sizes that input 0 gives. */
static int onnx__shape_given(onnx__run *R, hy_shape *s)
{
    hy_ints to;
    int i;
    if (!onnx__ints_in(R, 0, &to)) return 0;
    if (to.n > HY_MAX_DIM) { onnx__fail(R, "more than 8 dims"); return 0; }
    s->ndim = to.n;
    for (i = 0; i < to.n; i++) {
        s->dim[i] = to.v[i];
        if (to.v[i] < 0) { onnx__fail(R, "a size of %d", (int)to.v[i]); return 0; }
    }
    return 1;
}

/* What ConstantOfShape was before there was one. */
static void onnx__do_constant_fill(onnx__run *R)
{
    hy_dtype d = onnx__dtype(onnx__int(R, "dtype", 1));
    hy_shape s;
    if (!d || onnx__int(R, "input_as_shape", 0) != 1 || onnx__attr_of(R->node, "extra_shape"))
        onnx__fail(R, "a type that hybrid.h has not, or no input with the shape");
    else if (onnx__shape_given(R, &s)) onnx__out(R, 0, onnx__filled(R, s, d, onnx__float(R, "value", 0)));
}

static void onnx__do_constant_of_shape(onnx__run *R)
{
    const onnx__attr *a = onnx__attr_of(R->node, "value");
    hy_dtype d = a && a->t && a->t->data ? a->t->type.dtype : HY_F32;
    hy_len n[HY_MAX_DIM];
    hy_shape s;
    int ndim;
    if (onnx__is_open(R, 0)) {
        hy_array *one = a && a->t && a->t->data && a->t->count > 0
            ? hy_from(R->F, HY_SCALAR, d, a->t->data) : onnx__filled(R, HY_SCALAR, d, 0);
        ndim = onnx__lens_in(R, 0, n, HY_MAX_DIM);
        if (ndim >= 0) onnx__out(R, 0, hy_len_broadcast_to(R->F, one, ndim, n));
        return;
    }
    if (!onnx__shape_given(R, &s)) return;
    if (!a || !a->t || !a->t->data || a->t->count < 1) onnx__out(R, 0, onnx__filled(R, s, d, 0));
    else onnx__out(R, 0, onnx__spread(R, hy_from(R->F, HY_SCALAR, d, a->t->data), s));
}

/* Whole numbers between sizes, one after another. */
static int onnx__range_open(onnx__run *R)
{
    hy_len begin, end;
    hy_array *y;
    double step = 1;
    int i, open = onnx__is_open(R, 0) || onnx__is_open(R, 1);
    const hy_dtype type = open && onnx__is_known(R, 0) ? onnx__type_in(R, 0) : HY_DTYPE_NONE;
    for (i = 0; i < 2; i++) open = open && onnx__is_known(R, i) && onnx__type_in(R, i) == type;
    if (!open || (type != HY_I64 && type != HY_I32) || onnx__is_open(R, 2)) return 0;
    step = onnx__number(R, 2, 1);
    if (step != 1 || onnx__lens_in(R, 0, &begin, 1) != 1 || onnx__lens_in(R, 1, &end, 1) != 1) return 0;
    if (hy_len_fixed(begin) && begin.code < 0) return 0;
    if ((hy_len_fixed(end) && !onnx__within(end.code, 0, INT32_MAX)) || (hy_len_fixed(begin) && begin.code > INT32_MAX) ||
        !hy_len_at_least(R->F, hy_len_sub(R->F, end, begin), 0)) return 0;
    y = hy_len_arange(R->F, hy_len_sub(R->F, end, begin));
    if (!onnx__len_is(begin, 0)) y = hy_add(R->F, y, hy_len_array(R->F, begin));
    onnx__out(R, 0, onnx__cast(R, y, type));
    return 1;
}

static void onnx__do_range(onnx__run *R)
{
    double start, limit, delta, *v;
    hy_dtype d = onnx__type_in(R, 0);
    int64_t i, n;
    if (onnx__range_open(R)) return;
    start = onnx__number(R, 0, 0);
    limit = onnx__number(R, 1, 0);
    delta = onnx__number(R, 2, 1);
    if (hy_error(R->F)) return;
    if (delta == 0 || !(fabs((limit - start) / delta) < 1e9)) {
        onnx__fail(R, "a step of %g", delta);
        return;
    }
    n = (int64_t)ceil((limit - start) / delta);
    if (n < 0) n = 0;
    v = (double *)onnx__scratch(R, n, sizeof *v);
    for (i = 0; v && i < n; i++) v[i] = start + (double)i * delta;
    if (v) onnx__out(R, 0, onnx__from_doubles(R, HY_SHAPE(n), d, v));
}

static void onnx__do_eye_like(onnx__run *R)
{
    hy_shape s;
    hy__eye_opt opt;
    opt.dtype = onnx__attr_of(R->node, "dtype") ? onnx__dtype(onnx__int(R, "dtype", 1)) : onnx__type_in(R, 0);
    if (!onnx__shape(R, onnx__in(R, 0), &s)) return;
    if (s.ndim != 2 || !opt.dtype) { onnx__fail(R, "a matrix is due, of a type that hybrid.h has"); return; }
    onnx__out(R, 0, hy__eye(R->F, s.dim[0], s.dim[1], onnx__int(R, "k", 0), &opt));
}

static void onnx__do_trilu(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *mask;
    hy_shape s, m;
    double *v;
    int64_t i, j, k = onnx__whole(R, 1, 0), rows, columns;
    int upper = onnx__int(R, "upper", 1) != 0;
    if (!onnx__shape(R, x, &s) || s.ndim < 2) return;
    m = HY_SHAPE(rows = s.dim[s.ndim - 2], columns = s.dim[s.ndim - 1]);
    if (!rows || !columns) { onnx__out(R, 0, hy_identity(R->F, x)); return; }
    v = (double *)onnx__scratch(R, rows * columns, sizeof *v);
    for (i = 0; v && i < rows; i++)
        for (j = 0; j < columns; j++) v[i * columns + j] = upper ? j - i >= k : j - i <= k;
    if (!v) return;
    mask = onnx__from_doubles(R, m, HY_BOOL, v);
    onnx__out(R, 0, onnx__where(R, mask, x, hy_zeros_like(R->F, x)));
}

/* DepthToSpace and SpaceToDepth. CRD: the channel comes first, before the place in the block. */
static void onnx__do_blocks(onnx__run *R)
{
    int64_t b = onnx__int(R, "blocksize", 1);
    hy_array *x = onnx__in(R, 0);
    int deep = !strcmp(R->node->op, "SpaceToDepth"), crd = !strcmp(onnx__string(R, "mode", "DCR"), "CRD");
    hy_shape s, to;
    if (!onnx__shape(R, x, &s)) return;
    if (s.ndim != 4 || b < 1 || b > 65536 || s.dim[1] > INT64_MAX / (b * b) || s.dim[2] > INT64_MAX / b ||
        s.dim[3] > INT64_MAX / b || (deep ? s.dim[2] % b || s.dim[3] % b : s.dim[1] % (b * b))) {
        onnx__fail(R, "blocks of %d", (int)onnx__clamped(b, INT32_MIN, INT32_MAX));
        return;
    }
    if (!crd) {
        onnx__out(R, 0, deep ? hy_space_to_depth(R->F, x, (int)b) : hy_depth_to_space(R->F, x, (int)b));
        return;
    }
    to = deep ? HY_SHAPE(s.dim[0], s.dim[1] * b * b, s.dim[2] / b, s.dim[3] / b)
        : HY_SHAPE(s.dim[0], s.dim[1] / (b * b), s.dim[2] * b, s.dim[3] * b);
    x = onnx__to(R, x, deep ? HY_SHAPE(s.dim[0], s.dim[1], to.dim[2], b, to.dim[3], b)
                 : HY_SHAPE(s.dim[0], to.dim[1], b, b, s.dim[2], s.dim[3]));
    x = hy_transpose(R->F, x, deep ? HY_INTS(0, 1, 3, 5, 2, 4) : HY_INTS(0, 1, 4, 2, 5, 3));
    onnx__out(R, 0, onnx__to(R, x, to));
}

/* The border of one axis: mode wrap, or a reflection, by indices. */
static hy_array *onnx__pad_axis(onnx__run *R, hy_array *x, int axis, int64_t d, int64_t before, int64_t after,
                                const char *mode)
{
    const int fits = d <= INT32_MAX && before <= INT32_MAX && after <= INT32_MAX;
    int64_t i, n = fits ? d + before + after : 0, period = !strcmp(mode, "wrap") ? d : d > 1 ? 2 * d - 2 : 1;
    double *v = (double *)onnx__scratch(R, n, sizeof *v);
    hy_take_opt opt;
    memset(&opt, 0, sizeof opt);
    if (!fits) { onnx__fail(R, "a border too large"); return NULL; }
    for (i = 0; v && i < n; i++) {
        int64_t at = i - before;
        if (!strcmp(mode, "edge")) at = onnx__clamped(at, 0, d - 1);
        else at = (at % period + period) % period;
        v[i] = (double)(at < d ? at : period - at);
    }
    return v ? hy_take(R->F, x, onnx__from_doubles(R, HY_SHAPE(n), HY_I64, v), axis, &opt) : NULL;
}

static hy_array *onnx__padded(onnx__run *R, hy_array *x, const hy_ints *pads, const char *mode, double value)
{
    hy_shape s;
    hy_ints width;
    hy_pad_opt opt;
    int i, any = 0;
    if (!onnx__shape(R, x, &s)) return NULL;
    width.n = 2 * s.ndim;
    for (i = 0; i < s.ndim; i++) {
        int64_t before = pads->v[i], after = pads->v[i + s.ndim];
        if (before < 0 || after < 0) {                          /* a border of less than nothing */
            int64_t b = before < -s.dim[i] ? s.dim[i] : before < 0 ? -before : 0;
            int64_t e = after < -s.dim[i] ? 0 : after < 0 ? s.dim[i] + after : s.dim[i];
            x = onnx__cut(R, x, i, b, e < b ? b : e, 1);
            s.dim[i] = e < b ? 0 : e - b;
        }
        width.v[2 * i] = before > 0 ? before : 0;
        width.v[2 * i + 1] = after > 0 ? after : 0;
        any |= before > 0 || after > 0;
        if (strcmp(mode, "constant") && (before > 0 || after > 0) && s.dim[i])
            x = onnx__pad_axis(R, x, i, s.dim[i], width.v[2 * i], width.v[2 * i + 1], mode);
    }
    if (!any || strcmp(mode, "constant")) return x;
    opt.constant_value = value;
    return hy_pad(R->F, x, width, HY_PAD_CONSTANT, &opt);
}

static void onnx__do_pad(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *y;
    hy_ints pads, axes, all;
    double value = R->opset < 11 ? onnx__float(R, "value", 0) : onnx__number(R, 2, 0);
    int i, ndim = onnx__rank(R, x);
    if (!onnx__ints_of(R, R->opset < 2 ? "paddings" : "pads", 1, &pads)) return;
    all.n = 2 * ndim;
    memset(all.v, 0, sizeof all.v);
    if (onnx__has(R, 3)) onnx__ints_in(R, 3, &axes);
    else for (axes.n = i = 0; i < ndim; i++) axes.v[axes.n++] = i;
    if (pads.n != 2 * axes.n) { onnx__fail(R, "%d pads for %d axes", pads.n, axes.n); return; }
    for (i = 0; i < axes.n; i++) {
        int axis = onnx__axis(R, axes.v[i], ndim);
        all.v[axis] = pads.v[i];
        all.v[axis + ndim] = pads.v[i + axes.n];
    }
    y = onnx__padded(R, x, &all, onnx__string(R, "mode", "constant"), value);
    onnx__out(R, 0, y == x ? hy_identity(R->F, x) : y);
}

static void onnx__do_center_crop_pad(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0);
    hy_ints to, axes, pads;
    hy_shape s;
    int i;
    if (!onnx__ints_in(R, 1, &to) || !onnx__shape(R, x, &s)) return;
    if (!onnx__ints(R, "axes", &axes)) for (axes.n = i = 0; i < s.ndim; i++) axes.v[axes.n++] = i;
    memset(pads.v, 0, sizeof pads.v);
    for (i = 0; i < axes.n && i < to.n; i++) {
        int axis = onnx__axis(R, axes.v[i], s.ndim);
        int64_t more = onnx__clamped(to.v[i], 0, INT64_MAX) - s.dim[axis], before = more / 2;
        pads.v[axis] = before;
        pads.v[axis + s.ndim] = more - before;
    }
    onnx__out(R, 0, hy_identity(R->F, onnx__padded(R, x, &pads, "constant", 0)));
}

/* --- reductions --- */
static hy_array *onnx__sum_of(onnx__run *R, hy_array *x, hy_ints axes, int keep)
{
    return onnx__reduce(R, hy_sum, x, axes, keep);
}

static void onnx__do_reduce(onnx__run *R)
{
    const char *kind = R->node->op + 6;         /* behind "Reduce" */
    hy_array *x = onnx__in(R, 0), *y, *top;
    hy_ints axes;
    int keep = onnx__int(R, "keepdims", 1) != 0;
    if (onnx__has(R, 1) ? !onnx__ints_in(R, 1, &axes) : (onnx__ints(R, "axes", &axes), 0)) return;
    if (!strcmp(kind, "L1")) x = hy_abs(R->F, x);
    if (!strcmp(kind, "L2") || !strcmp(kind, "SumSquare")) x = hy_square(R->F, x);
    if (!axes.n && onnx__int(R, "noop_with_empty_axes", 0)) {
        if (!strcmp(kind, "L2")) x = hy_sqrt(R->F, x);
        if (!strcmp(kind, "LogSum")) x = hy_log(R->F, x);
        onnx__out(R, 0, x == onnx__in(R, 0) ? hy_identity(R->F, x) : x);
        return;
    }
    if (onnx__type_in(R, 0) == HY_BOOL && (!strcmp(kind, "Max") || !strcmp(kind, "Min"))) {
        x = onnx__cast(R, x, HY_U8);            /* of none: no and yes */
        y = strcmp(kind, "Max") ? onnx__reduce(R, hy_min, x, axes, keep)
                                : onnx__reduce(R, hy_max, x, axes, keep);
        y = onnx__cast(R, hy_greater_scalar(R->F, y, 0), HY_BOOL);
    } else if (!strcmp(kind, "Max")) y = onnx__reduce(R, hy_max, x, axes, keep);
    else if (!strcmp(kind, "Min")) y = onnx__reduce(R, hy_min, x, axes, keep);
    else if (!strcmp(kind, "Mean")) y = onnx__reduce(R, hy_mean, x, axes, keep);
    else if (!strcmp(kind, "Prod")) y = onnx__reduce(R, hy_prod, x, axes, keep);
    else if (!strcmp(kind, "LogSumExp")) {
        hy_array *finite;
        top = onnx__reduce(R, hy_max, x, axes, 1);
        finite = hy_lesser_scalar(R->F, hy_abs(R->F, top), INFINITY);
        top = hy_where(R->F, finite, top, hy_zeros_like(R->F, top));
        y = hy_log(R->F, onnx__sum_of(R, hy_exp(R->F, hy_sub(R->F, x, top)), axes, 1));
        y = hy_add(R->F, y, top);
        y = keep ? y : onnx__sum_of(R, y, axes, 0);
    } else y = onnx__sum_of(R, x, axes, keep);
    if (!strcmp(kind, "L2")) y = hy_sqrt(R->F, y);
    if (!strcmp(kind, "LogSum")) y = hy_log(R->F, y);
    onnx__out(R, 0, y == x ? hy_identity(R->F, y) : y);
}

static void onnx__do_arg(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *y;
    hy_argmax_opt opt;
    hy_argmin_opt low;
    int ndim = onnx__rank(R, x), axis = onnx__axis(R, onnx__int(R, "axis", 0), ndim);
    int last = onnx__int(R, "select_last_index", 0) != 0, keep = onnx__int(R, "keepdims", 1) != 0;
    opt.keepdims = low.keepdims = keep;
    if (last) x = hy_reverse(R->F, x, HY_AXES(axis));
    y = strcmp(R->node->op, "ArgMax") ? hy_argmin(R->F, x, axis, &low) : hy_argmax(R->F, x, axis, &opt);
    y = onnx__cast(R, y, HY_I64);
    if (last) y = hy_rsub_scalar(R->F, y, (double)(hy_dim(R->F, x, axis) - 1));
    onnx__out(R, 0, !keep && ndim == 1 ? onnx__scalar_shape(R, y) : y);
}

static void onnx__do_top_k(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *both;
    hy_topk_opt opt;
    int64_t k = onnx__has(R, 1) ? onnx__whole(R, 1, 1) : onnx__int(R, "k", 1);
    int axis = onnx__axis(R, onnx__int(R, "axis", -1), onnx__rank(R, x));
    memset(&opt, 0, sizeof opt);
    opt.ret_typ = HY_TOPK_BOTH;
    opt.is_ascend = !onnx__int(R, "largest", 1);
    opt.dtype = HY_I64;
    if (k < 1 || k > INT32_MAX) { onnx__fail(R, "k is %d", (int)k); return; }
    both = hy_topk(R->F, x, axis, (int)k, &opt);
    if (!both) return;
    onnx__out(R, 0, hy_get(R->F, both, 0));
    onnx__out(R, 1, hy_get(R->F, both, 1));
}

/* Numbers of 16 bits are rounded after each step, as the standard's own definition does. */
static hy_array *onnx__softmax(onnx__run *R, hy_array *x, int64_t axis, int log)
{
    hy_frame *F = R->F;
    if (log) return hy_log_softmax(F, x, (int)axis, NULL);
    if (!x || hy_dtype_size(hy_dtype_of(F, x)) != 2) return hy_softmax(F, x, (int)axis, NULL);
    x = hy_exp(F, hy_sub(F, x, onnx__reduce(R, hy_max, x, HY_AXES(axis), 1)));
    return hy_div(F, x, onnx__sum_of(R, x, HY_AXES(axis), 1));
}

static void onnx__do_softmax(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *y;
    int log = !strcmp(R->node->op, "LogSoftmax"), hard = !strcmp(R->node->op, "Hardmax");
    int axis, ndim = onnx__rank(R, x);
    hy_shape s, flat = HY_SHAPE(1, 1);
    hy_argmax_opt arg;
    hy_one_hot_opt hot;
    axis = onnx__axis(R, onnx__int(R, "axis", R->opset < 13 ? 1 : -1), ndim);
    if ((R->opset < 13 || hard) && !onnx__shape(R, x, &s)) return;
    if (R->opset < 13) {                                        /* a matrix cut at the axis */
        flat.dim[0] = onnx__product(&s, 0, axis);
        flat.dim[1] = onnx__product(&s, axis, ndim);
        x = onnx__to(R, x, flat);
        axis = 1;
    }
    if (hard) {
        int64_t depth = hy_dim(R->F, x, axis);
        memset(&arg, 0, sizeof arg);
        memset(&hot, 0, sizeof hot);
        hot.dtype = onnx__type_in(R, 0);
        y = hy_one_hot(R->F, hy_argmax(R->F, x, axis, &arg), (int)depth, &hot);
        y = onnx__move(R, y, onnx__rank(R, y) - 1, axis);
    } else y = onnx__softmax(R, x, axis, log);
    onnx__out(R, 0, R->opset < 13 || hard ? onnx__to(R, y, s) : y);
}

static void onnx__do_cum_sum(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *y;
    hy_shape s;
    hy_frame *F = R->F;
    int axis = (int)onnx__clamped(onnx__whole(R, 1, 0), -99, 99), product = !strcmp(R->node->op, "CumProd");
    int reverse = onnx__int(R, "reverse", 0) != 0, exclusive = onnx__int(R, "exclusive", 0) != 0;
    int64_t d, by;
    if (!onnx__shape(R, x, &s)) return;
    axis = onnx__axis(R, axis, s.ndim);
    d = s.dim[axis];
    if (reverse) x = hy_reverse(F, x, HY_AXES(axis));
    if (exclusive && d) {                                       /* all but the last, behind a neutral one */
        hy_shape one = s;
        one.dim[axis] = 1;
        y = onnx__filled(R, one, onnx__type_in(R, 0), product);
        x = d > 1 ? onnx__join(R, y, onnx__cut(R, x, axis, 0, d - 1, 1), axis) : y;
    }
    y = x;
    if (!product) y = hy_cumsum(F, x, axis, NULL);
    else for (by = 1; by < d; by *= 2)                          /* each turn covers twice as many */
        y = onnx__join(R, onnx__cut(R, y, axis, 0, by, 1),
                       hy_mul(F, onnx__cut(R, y, axis, by, d, 1), onnx__cut(R, y, axis, 0, d - by, 1)), axis);
    onnx__out(R, 0, reverse ? hy_reverse(F, y, HY_AXES(axis)) : y == x ? hy_identity(F, y) : y);
}

static void onnx__do_lp_norm(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *n;
    hy_ints axes = HY_AXES(onnx__int(R, "axis", -1));
    if (onnx__int(R, "p", 2) == 1) n = onnx__sum_of(R, hy_abs(R->F, x), axes, 1);
    else n = hy_sqrt(R->F, onnx__sum_of(R, hy_square(R->F, x), axes, 1));
    n = hy_add(R->F, n, hy_equal_scalar(R->F, n, 0));           /* 0 / 0 is 0 here */
    onnx__out(R, 0, hy_div(R->F, x, n));
}

/* --- products --- */
static hy_array *onnx__matmul(onnx__run *R, hy_array *a, hy_array *b)
{
    hy_len own_a[HY_MAX_DIM], own_b[HY_MAX_DIM], out[HY_MAX_DIM];
    int many_a = onnx__rank(R, a), many_b = onnx__rank(R, b), row = many_a == 1, lead;
    if (!a || !b || hy_error(R->F)) return NULL;
    if (many_a < 1 || many_b < 1) { onnx__fail(R, "a matrix is due, not a number"); return NULL; }
    if (many_a == 1 && many_b == 1) return onnx__scalar_shape(R, hy_dot(R->F, a, b, NULL));
    if (many_b <= 2) return hy_dot(R->F, a, b, NULL);
    if (row) { a = hy_expand_dims(R->F, a, 0); many_a = 2; }
    if (onnx__lens(R, a, own_a) < 0 || onnx__lens(R, b, own_b) < 0) return NULL;
    memcpy(out, own_a, sizeof out);
    lead = onnx__both_lens(R, out, many_a - 2, own_b, many_b - 2);
    if (hy_error(R->F)) return NULL;
    out[lead] = own_a[many_a - 2];
    out[lead + 1] = own_a[many_a - 1];
    a = onnx__spread_lens(R, a, out, lead + 2);
    out[lead] = own_b[many_b - 2];
    out[lead + 1] = own_b[many_b - 1];
    b = onnx__spread_lens(R, b, out, lead + 2);
    a = hy_linalg_gemm2(R->F, a, b, NULL);
    if (!row) return a;
    out[lead] = own_b[many_b - 1];
    return onnx__to_lens(R, a, out, lead + 1);
}

static void onnx__do_matmul(onnx__run *R)
{
    onnx__out(R, 0, onnx__matmul(R, onnx__in(R, 0), onnx__in(R, 1)));
}

/* Input i times input j, if there is one: as a factor of the whole product where it is a number. */
static hy_array *onnx__factor_out(onnx__run *R, int i, int j, double *alpha)
{
    hy_array *x = onnx__in(R, i);
    double v;
    if (!onnx__has(R, j)) return x;
    if (onnx__type_in(R, i) != HY_F32 || !onnx__one_known(R, j, 1, &v))
        return hy_mul(R->F, x, onnx__in(R, j));
    *alpha *= v;
    return x;
}

/* What onnx__fuse_matmul makes: inputs 2 and 3 are factors of 0 and 1. All numbers among them are one factor
 * of the first, in attention the queries, which are fewer than the scores. */
static void onnx__do_scaled_matmul(onnx__run *R)
{
    double alpha = onnx__float(R, "alpha", 1);
    hy_array *a = onnx__factor_out(R, 0, 2, &alpha), *b = onnx__factor_out(R, 1, 3, &alpha);
    if (alpha != 1) a = hy_mul_scalar(R->F, a, alpha);
    onnx__out(R, 0, onnx__matmul(R, a, b));
}

static void onnx__do_det(onnx__run *R)
{
    hy_array *x = hy_linalg_det(R->F, onnx__cast(R, onnx__in(R, 0), HY_F64));
    if (onnx__rank(R, onnx__in(R, 0)) == 2) x = onnx__scalar_shape(R, x);
    onnx__out(R, 0, onnx__cast(R, x, onnx__type_in(R, 0)));
}

static hy_array *onnx__gemm(onnx__run *R)
{
    hy_array *a = onnx__in(R, 0), *b = onnx__in(R, 1), *c = onnx__in(R, 2), *y;
    double alpha = onnx__float(R, "alpha", 1), beta = onnx__float(R, "beta", 1);
    int ta = onnx__int(R, "transA", 0) != 0, tb = onnx__int(R, "transB", 0) != 0;
    hy_shape s;
    hy_dot_opt opt;
    hy_fully_connected_opt dense;
    memset(&dense, 0, sizeof dense);
    dense.no_flatten = 1;
    if (!onnx__shape(R, b, &s)) return NULL;
    if (!ta && tb && alpha == 1 && beta == 1 && s.ndim == 2 && onnx__is_float(onnx__type_in(R, 0)) && c &&
        hy_ndim(R->F, c) == 1 && hy_dim(R->F, c, 0) == s.dim[0] && s.dim[0] < INT32_MAX)
        return hy_fully_connected(R->F, a, b, c, (int)s.dim[0], &dense);
    opt.transpose_a = ta;
    opt.transpose_b = tb;
    y = hy_dot(R->F, a, b, &opt);
    if (alpha != 1) y = hy_mul_scalar(R->F, y, alpha);
    return c && beta != 0 ? hy_add(R->F, y, beta == 1 ? c : hy_mul_scalar(R->F, c, beta)) : y;
}

static void onnx__do_gemm(onnx__run *R) { onnx__out(R, 0, onnx__gemm(R)); }

/* --- indexing --- */
static hy_array *onnx__taken(onnx__run *R, hy_array *x, hy_array *at, int axis, int mode)
{
    hy_take_opt opt;
    opt.mode = mode;
    return hy_take(R->F, x, at, axis, &opt);
}

/* Numbers 0, 1, 2 ... times a factor, along one axis of so many dims. */
static hy_array *onnx__counter(onnx__run *R, int64_t n, int64_t factor, int axis, int ndim)
{
    double *v = (double *)onnx__scratch(R, n, sizeof *v);
    hy_shape s;
    int64_t i;
    for (i = 0; v && i < n; i++) v[i] = (double)(i * factor);
    s.ndim = ndim;
    for (i = 0; i < ndim; i++) s.dim[i] = i == axis ? n : 1;
    return v ? onnx__from_doubles(R, s, HY_I64, v) : NULL;
}

/* Are all indices of input i known before the network runs, and in -n .. n - 1? n has `each` numbers, which
 * apply in turn. *below: some are below 0. 0: they are not known, or an error stands. */
static int onnx__known_places(onnx__run *R, int i, const int64_t *n, int each, int *below)
{
    hy_frame *F;
    hy_array *x = R->K && onnx__is_known(R, i) ? onnx__known(R, i, &F) : NULL;
    int64_t count, k, piece[256], some, at;
    *below = 0;
    if (!x) return 0;
    count = hy_size(F, x);
    if (count) x = hy_view_reshape(F, x, HY_SHAPE(count));
    for (at = 0; at < count && !hy_error(F); at += some) {
        some = count - at < 240 ? count - at : 240;             /* a multiple of up to 8, but for 7 */
        if (each > 1) some -= some % each;
        hy_begin(F);
        hy_to(F, hy_view_slice(F, x, 0, at, at + some, 1), HY_I64, piece, sizeof piece);
        hy_end(F);
        for (k = 0; k < some && !hy_error(F); k++) {
            int64_t most = n[k % each];
            if (!onnx__within(piece[k], -most, most - 1))
                onnx__fail(R, "index %lld of input %d is out of range: the axis has %lld places",
                           (long long)piece[k], i, (long long)most);
            *below |= piece[k] < 0;
            if (hy_error(R->F)) return 0;
        }
    }
    return !hy_error(F);
}

/* Indices from -n on as places from 0 on. What is out of range stays so. */
static hy_array *onnx__from_end(onnx__run *R, hy_array *at, int64_t n)
{
    if (at && hy_dtype_of(R->F, at) != HY_I32) at = onnx__cast(R, at, HY_I64);
    return hy_add(R->F, at, hy_mul_scalar(R->F, hy_lesser_scalar(R->F, at, 0), (double)n));
}

/* Those where one that is out of range would become another place: that is an error as they look themselves
 * up. */
static hy_array *onnx__checked(onnx__run *R, hy_array *at, int64_t n)
{
    return onnx__taken(R, onnx__counter(R, n, 1, 0, 1), onnx__from_end(R, at, n), 0, HY_INDEX_RAISE);
}

/* Slices of x along an axis, at the indices that are input i. */
static hy_array *onnx__gathered_at(onnx__run *R, hy_array *x, int i, int axis)
{
    hy_array *at = onnx__in(R, i);
    hy_len size = x && at ? hy_len_of(R->F, x, axis) : hy_len_is(-1);
    int64_t n = -1;
    int below = 0, known = 0;
    if (hy_error(R->F) || onnx__len_is(size, -1)) return NULL;
    if (!hy_len_fixed(size) && (!onnx__is_known(R, i) || onnx__is_open(R, i))) {
        at = onnx__cast(R, at, HY_I64);
        at = hy_add(R->F, at, hy_mul(R->F, onnx__cast(R, hy_lesser_scalar(R->F, at, 0), HY_I64),
                                     hy_len_array(R->F, size)));
        return onnx__taken(R, x, at, axis, HY_INDEX_RAISE);
    }
    n = hy_len_value(R->F, size);
    if (!onnx__is_open(R, i)) known = onnx__known_places(R, i, &n, 1, &below);
    if (hy_error(R->F)) return NULL;
    if (!known || below) at = onnx__from_end(R, at, n);
    return onnx__taken(R, x, at, axis, known ? HY_INDEX_CLIP : HY_INDEX_RAISE);
}

static void onnx__do_gather(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *index;
    hy_len n[HY_MAX_DIM];
    hy_frame *F;
    double at;
    int axis, k, ndim;
    if (R->F != R->K && onnx__is_known(R, 1) && R->K && !onnx__is_open(R, 1) &&
        (ndim = onnx__lens(R, x, n)) > 0) {
        index = onnx__known(R, 1, &F);
        axis = onnx__axis(R, onnx__int(R, "axis", 0), ndim);
        if (index && !hy_ndim(F, index) && onnx__read_numbers(R, 1, &at, 1) == 1) {
            const int64_t size = hy_len_value(R->F, n[axis]);
            if (at < (double)size && at >= -(double)size) {     /* one place that is known: a slice */
                int64_t i = (int64_t)at + (at < 0 ? size : 0);
                x = onnx__cut(R, x, axis, i, i + 1, 1);
                for (k = axis; k + 1 < ndim; k++) n[k] = n[k + 1];
                onnx__out(R, 0, onnx__to_lens(R, x, n, ndim - 1));
                return;
            }
        }
    }
    axis = onnx__axis(R, onnx__int(R, "axis", 0), onnx__rank(R, x));
    onnx__out(R, 0, onnx__gathered_at(R, x, 1, axis));
}

/* Where the elements lie that indices along an axis mean, as if all stood in one row. */
static hy_array *onnx__places(onnx__run *R, hy_shape data, hy_array *at, int axis)
{
    hy_shape s;
    int i;
    int64_t stride = 1;
    if (hy_error(R->F) || !onnx__shape(R, at, &s)) return NULL;
    if (s.ndim != data.ndim) {
        onnx__fail(R, "indices of %d dims for data of %d", s.ndim, data.ndim);
        return NULL;
    }
    at = hy_mul_scalar(R->F, onnx__cast(R, at, HY_I64), (double)onnx__product(&data, axis + 1, data.ndim));
    for (i = data.ndim - 1; i >= 0; i--) {
        if (i != axis) at = hy_add(R->F, at, onnx__counter(R, s.dim[i], stride, i, s.ndim));
        stride *= data.dim[i];
    }
    return at;
}

/* The indices that are input i, each in its range. */
static hy_array *onnx__index_in(onnx__run *R, int i, int64_t n)
{
    hy_array *at = onnx__in(R, i);
    int below, known = onnx__known_places(R, i, &n, 1, &below);
    if (!known) return hy_error(R->F) ? NULL : onnx__checked(R, at, n);
    return below ? onnx__from_end(R, at, n) : at;
}

static hy_array *onnx__in_row(onnx__run *R, hy_array *x) { return hy_reshape(R->F, x, HY_INTS(-1), NULL); }

static void onnx__do_gather_elements(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *at = onnx__in(R, 1);
    hy_shape s;
    int axis;
    if (!onnx__shape(R, x, &s)) return;
    axis = onnx__axis(R, onnx__int(R, "axis", 0), s.ndim);
    if (hy_size(R->F, at) == 0) {
        onnx__out(R, 0, onnx__filled(R, hy_shape_of(R->F, at), onnx__type_in(R, 0), 0));
        return;
    }
    at = onnx__places(R, s, onnx__index_in(R, 1, s.dim[axis]), axis);
    onnx__out(R, 0, onnx__taken(R, onnx__in_row(R, x), at, 0, HY_INDEX_CLIP));
}

/* Places of slices, from index tuples along the last axis of input 1; *rest: dims that a slice has. */
static hy_array *onnx__tuples(onnx__run *R, hy_shape data, int batch, hy_shape *rest)
{
    hy_shape s;
    hy_array *at = onnx__in(R, 1), *y = NULL;
    int64_t stride = 1;
    int i, n, known, below;
    if (!onnx__shape(R, at, &s)) return NULL;
    n = s.ndim ? (int)s.dim[s.ndim - 1] : 0;
    if (!s.ndim || n < 1 || batch + n > data.ndim || batch >= s.ndim) {
        onnx__fail(R, "index tuples do not fit the data");
        return NULL;
    }
    rest->ndim = 0;
    for (i = batch + n; i < data.ndim; i++) rest->dim[rest->ndim++] = data.dim[i];
    known = onnx__known_places(R, 1, data.dim + batch, n, &below);
    if (hy_error(R->F)) return NULL;
    at = onnx__cast(R, at, HY_I64);
    for (i = n - 1; i >= 0; i--) {
        hy_shape less = s;
        hy_array *k = onnx__cut(R, at, s.ndim - 1, i, i + 1, 1);
        less.ndim--;
        k = onnx__to(R, k, less);
        if (!known) k = onnx__checked(R, k, data.dim[batch + i]);
        else if (below) k = onnx__from_end(R, k, data.dim[batch + i]);
        k = stride == 1 ? k : hy_mul_scalar(R->F, k, (double)stride);
        y = y ? hy_add(R->F, y, k) : k;
        stride *= data.dim[batch + i];
    }
    for (i = batch - 1; i >= 0; i--) {
        y = hy_add(R->F, y, onnx__counter(R, data.dim[i], stride, i, s.ndim - 1));
        stride *= data.dim[i];
    }
    return y;
}

/* data as so many slices of the shape `rest`. */
static hy_array *onnx__slices(onnx__run *R, hy_array *x, hy_shape rest)
{
    hy_ints to;
    int i;
    to.n = rest.ndim + 1;
    to.v[0] = -1;
    for (i = 0; i < rest.ndim; i++) to.v[i + 1] = rest.dim[i];
    return hy_reshape(R->F, x, to, NULL);
}

static void onnx__do_gather_nd(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *at;
    hy_shape s, rest;
    if (!onnx__shape(R, x, &s)) return;
    at = onnx__tuples(R, s, (int)onnx__clamped(onnx__int(R, "batch_dims", 0), 0, 8), &rest);
    if (at) onnx__out(R, 0, onnx__taken(R, onnx__slices(R, x, rest), at, 0, HY_INDEX_CLIP));
}

/* rows[at] = what; or added, or the larger, smaller, product, one after the other. */
static hy_array *onnx__scattered(onnx__run *R, hy_array *rows, hy_array *at, hy_array *what, const char *how)
{
    hy_array *y = rows;
    int64_t i, n;
    onnx__two two = !strcmp(how, "mul") ? hy_mul : !strcmp(how, "max") ? hy_maximum : hy_minimum;
    at = onnx__in_row(R, at);
    if (!strcmp(how, "none")) return hy_index_copy(R->F, rows, at, what);
    if (!strcmp(how, "add"))
        return hy_add(R->F, rows, hy__gather_nd_grad(R->F, what, hy_expand_dims(R->F, at, 0), rows));
    n = hy_size(R->F, at);
    if (n > 4096) { onnx__fail(R, "more than 4096 places with reduction %s", how); return NULL; }
    for (i = 0; i < n; i++) {
        hy_array *k = onnx__cut(R, at, 0, i, i + 1, 1), *u = onnx__cut(R, what, 0, i, i + 1, 1);
        y = hy_index_copy(R->F, y, k, two(R->F, onnx__taken(R, y, k, 0, HY_INDEX_CLIP), u));
    }
    return y;
}

static void onnx__do_scatter_elements(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *at = onnx__in(R, 1), *y;
    hy_shape s;
    int axis;
    if (!onnx__shape(R, x, &s)) return;
    if (!hy_size(R->F, at)) { onnx__out(R, 0, hy_identity(R->F, x)); return; }
    axis = onnx__axis(R, onnx__int(R, "axis", 0), s.ndim);
    at = onnx__places(R, s, onnx__index_in(R, 1, s.ndim ? s.dim[axis] : 1), axis);
    y = onnx__scattered(R, onnx__in_row(R, x), at, onnx__in_row(R, onnx__in(R, 2)),
                        onnx__string(R, "reduction", "none"));
    onnx__out(R, 0, onnx__to(R, y, s));
}

static void onnx__do_scatter_nd(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *at, *y;
    hy_shape s, rest;
    if (!onnx__shape(R, x, &s)) return;
    if (!hy_size(R->F, onnx__in(R, 1))) { onnx__out(R, 0, hy_identity(R->F, x)); return; }
    at = onnx__tuples(R, s, 0, &rest);
    if (!at) return;
    y = onnx__scattered(R, onnx__slices(R, x, rest), at, onnx__slices(R, onnx__in(R, 2), rest),
                        onnx__string(R, "reduction", "none"));
    onnx__out(R, 0, onnx__to(R, y, s));
}

static void onnx__do_one_hot(onnx__run *R)
{
    hy_array *at = onnx__in(R, 0), *values = onnx__in(R, 2), *y, *off, *on;
    hy_one_hot_opt opt;
    int64_t depth = onnx__whole(R, 1, 1);
    int ndim = onnx__rank(R, at), axis = onnx__axis(R, onnx__int(R, "axis", -1), ndim + 1);
    if (depth < 1 || depth > INT32_MAX) { onnx__fail(R, "a depth of %d", (int)depth); return; }
    memset(&opt, 0, sizeof opt);
    opt.dtype = onnx__type_in(R, 2);
    at = onnx__cast(R, at, HY_I64);
    at = hy_add(R->F, at, hy_mul_scalar(R->F, hy_lesser_scalar(R->F, at, 0), (double)depth));
    y = onnx__move(R, hy_one_hot(R->F, at, (int)depth, &opt), ndim, axis);
    off = onnx__cut(R, values, 0, 0, 1, 1);
    on = onnx__cut(R, values, 0, 1, 2, 1);
    onnx__out(R, 0, onnx__where(R, y, on, off));
}

static void onnx__do_compress(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *c = onnx__in(R, 1);
    int axis = 0;
    int64_t n, d;
    if (onnx__attr_of(R->node, "axis")) axis = onnx__axis(R, onnx__int(R, "axis", 0), onnx__rank(R, x));
    else x = onnx__in_row(R, x);
    n = c ? hy_size(R->F, c) : 0;
    d = x ? hy_dim(R->F, x, axis) : 0;
    if (n < d) c = onnx__join(R, c, onnx__filled(R, HY_SHAPE(d - n), HY_BOOL, 0), 0);
    if (n > d) c = onnx__cut(R, c, 0, 0, d, 1);
    onnx__out(R, 0, hy_boolean_mask(R->F, x, c, axis));
}

static void onnx__do_non_zero(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *at, *list[HY_MAX_DIM];
    hy_shape s;
    int64_t below = 1;
    int i;
    if (!onnx__shape(R, x, &s)) return;
    if (!s.ndim) { s = HY_SHAPE(1); x = onnx__to(R, x, s); }
    x = onnx__cast(R, hy_not_equal_scalar(R->F, onnx__in_row(R, x), 0), HY_BOOL);
    at = hy_boolean_mask(R->F, onnx__counter(R, onnx__product(&s, 0, s.ndim), 1, 0, 1), x, 0);
    for (i = s.ndim - 1; i >= 0; i--) {
        list[i] = hy_mod_scalar(R->F, below == 1 ? at : hy_div_scalar(R->F, at, (double)below),
                                (double)s.dim[i]);
        below *= s.dim[i];
    }
    onnx__out(R, 0, hy_stack(R->F, hy_group_of(R->F, s.ndim, list), 0));
}

static void onnx__do_reverse_sequence(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *n = onnx__in(R, 1);
    hy_sequence_reverse_opt opt;
    int swap = onnx__int(R, "batch_axis", 1) == 0;
    memset(&opt, 0, sizeof opt);
    opt.use_sequence_length = 1;
    if (swap) x = hy_swap_axes(R->F, x, 0, 1);
    x = hy_sequence_reverse(R->F, x, n, &opt);
    onnx__out(R, 0, swap ? hy_swap_axes(R->F, x, 0, 1) : x);
}

/* --- windows --- */
typedef struct onnx__window {           /* of a convolution or a pooling */
    int     dims;
    int64_t size[HY_MAX_DIM], kernel[HY_MAX_DIM], stride[HY_MAX_DIM], dilate[HY_MAX_DIM];
    int64_t before[HY_MAX_DIM], after[HY_MAX_DIM], out[HY_MAX_DIM];
} onnx__window;

/* kernel: sizes, if the attribute is left out. 0, with an error, when the attributes do not fit. */
static int onnx__window_of(onnx__run *R, hy_array *x, const int64_t *kernel, onnx__window *w)
{
    const char *pad = onnx__string(R, "auto_pad", "NOTSET");
    int ceil_mode = onnx__int(R, "ceil_mode", 0) != 0, i;
    hy_ints k, stride, dilate, pads;
    hy_shape s;
    if (!onnx__shape_from(R, x, 2, &s)) return 0;
    w->dims = s.ndim - 2;
    onnx__ints(R, "kernel_shape", &k);
    onnx__ints(R, "strides", &stride);
    onnx__ints(R, "dilations", &dilate);
    onnx__ints(R, "pads", &pads);
    if (w->dims < 1 || (k.n && k.n != w->dims) || (!k.n && !kernel) || (stride.n && stride.n != w->dims) ||
        (dilate.n && dilate.n != w->dims) || (pads.n && pads.n != 2 * w->dims)) {
        onnx__fail(R, "kernel_shape, strides, dilations and pads do not fit data of %d dims", s.ndim);
        return 0;
    }
    for (i = 0; i < w->dims; i++) {
        int64_t reach, rest;
        w->size[i] = s.dim[i + 2];
        w->kernel[i] = k.n ? k.v[i] : kernel[i];
        w->stride[i] = stride.n ? stride.v[i] : 1;
        w->dilate[i] = dilate.n ? dilate.v[i] : 1;
        w->before[i] = pads.n ? pads.v[i] : 0;
        w->after[i] = pads.n ? pads.v[i + w->dims] : 0;
        if (w->kernel[i] < 1 || w->stride[i] < 1 || w->dilate[i] < 1 ||
            w->kernel[i] > INT32_MAX / w->dilate[i] ||
            w->stride[i] > INT32_MAX || w->before[i] < 0 || w->after[i] < 0 || w->before[i] > INT32_MAX ||
            w->after[i] > INT32_MAX) {
            onnx__fail(R, "kernel %d, stride %d, dilation %d", (int)w->kernel[i], (int)w->stride[i],
                       (int)w->dilate[i]);
            return 0;
        }
        reach = (w->kernel[i] - 1) * w->dilate[i] + 1;
        if (!strncmp(pad, "SAME", 4)) {
            int64_t n = (w->size[i] + w->stride[i] - 1) / w->stride[i],
                all = (n - 1) * w->stride[i] + reach - w->size[i];
            if (all < 0) all = 0;
            w->before[i] = strcmp(pad, "SAME_LOWER") ? all / 2 : all - all / 2;
            w->after[i] = all - w->before[i];
        } else if (!strcmp(pad, "VALID")) w->before[i] = w->after[i] = 0;
        rest = w->size[i] + w->before[i] + w->after[i] - reach;
        rest += ceil_mode ? w->stride[i] - 1 : 0;
        w->out[i] = rest < 0 ? 0 : rest / w->stride[i] + 1;
        if (ceil_mode && (w->out[i] - 1) * w->stride[i] >= w->size[i] + w->before[i])
            w->out[i]--;   /* only border */
    }
    return 1;
}

static hy_ints onnx__list(const int64_t *v, int n)
{
    hy_ints list;
    memset(&list, 0, sizeof list);
    list.n = n;
    memcpy(list.v, v, sizeof *v * (size_t)n);
    return list;
}

static int onnx__even(const onnx__window *w)    /* the same border on both sides */
{
    return !memcmp(w->before, w->after, sizeof *w->before * (size_t)w->dims);
}

/* x with the window's border, where an operator cannot make it. */
static hy_array *onnx__bordered(onnx__run *R, hy_array *x, onnx__window *w, double value)
{
    hy_ints pads;
    int i, n = w->dims + 2;
    memset(&pads, 0, sizeof pads);
    pads.n = 2 * n;
    for (i = 0; i < w->dims; i++) {
        pads.v[i + 2] = w->before[i];
        pads.v[i + 2 + n] = w->after[i];
        w->size[i] += w->before[i] + w->after[i];
        w->before[i] = w->after[i] = 0;
    }
    return onnx__padded(R, x, &pads, "constant", value);
}

static hy_array *onnx__convolved(onnx__run *R, hy_array *x, hy_array *weight, hy_array *bias)
{
    hy_convolution_opt opt;
    onnx__window w;
    hy_shape s;
    memset(&opt, 0, sizeof opt);
    if (!onnx__shape(R, weight, &s) || !onnx__window_of(R, x, s.dim + 2, &w)) return NULL;
    if (s.ndim != w.dims + 2 || s.dim[0] > INT32_MAX) {
        onnx__fail(R, "a weight of %d dims", s.ndim);
        return NULL;
    }
    opt.stride = onnx__list(w.stride, w.dims);
    opt.dilate = onnx__list(w.dilate, w.dims);
    opt.pad = onnx__list(w.before, w.dims);
    if (!onnx__even(&w)) opt.pad_end = onnx__list(w.after, w.dims);
    opt.num_group = (int)onnx__clamped(onnx__int(R, "group", 1), 1, INT32_MAX);
    opt.no_bias = !bias;
    return hy_convolution(R->F, x, weight, bias, onnx__list(w.kernel, w.dims), (int)s.dim[0], &opt);
}

static void onnx__do_conv(onnx__run *R)
{
    onnx__out(R, 0, onnx__convolved(R, onnx__in(R, 0), onnx__in(R, 1), onnx__in(R, 2)));
}

static void onnx__do_conv_transpose(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *weight = onnx__in(R, 1), *bias = onnx__in(R, 2), *y;
    hy_ints out, more, pads;
    hy_deconvolution_opt opt;
    const char *pad = onnx__string(R, "auto_pad", "NOTSET");
    onnx__window w;
    hy_shape s;
    int64_t longer = 0;
    int i, groups = (int)onnx__clamped(onnx__int(R, "group", 1), 1, INT32_MAX), some;
    memset(&opt, 0, sizeof opt);
    if (!onnx__shape(R, weight, &s) || !onnx__window_of(R, x, s.dim + 2, &w)) return;
    some = onnx__ints(R, "output_shape", &out);
    onnx__ints(R, "output_padding", &more);
    for (i = 0; i < more.n; i++) more.v[i] = onnx__clamped(more.v[i], 0, INT32_MAX);
    for (i = 0; i < out.n; i++) out.v[i] = onnx__clamped(out.v[i], 1, INT32_MAX);
    if ((some && out.n < w.dims) || s.dim[1] > INT32_MAX / groups) {
        onnx__fail(R, "output_shape or group");
        return;
    }
    opt.stride = onnx__list(w.stride, w.dims);
    opt.dilate = onnx__list(w.dilate, w.dims);
    opt.num_group = groups;
    memset(&pads, 0, sizeof pads);
    pads.n = 2 * (w.dims + 2);
    for (i = 0; i < w.dims; i++) {              /* what lacks has the bias alone */
        int64_t extra = more.n > i ? more.v[i] : 0, before = w.before[i];
        int64_t whole = w.stride[i] * (w.size[i] - 1) + (w.kernel[i] - 1) * w.dilate[i] + 1;
        int64_t size = whole + extra - before - w.after[i];
        if (some || !strncmp(pad, "SAME", 4)) {
            int64_t all;
            size = some ? out.v[out.n - w.dims + i] : w.size[i] * w.stride[i];
            all = whole + extra - size;
            before = all < 0 ? 0 : !strcmp(pad, "SAME_UPPER") ? all / 2 : all - all / 2;
        }
        w.before[i] = before;
        w.after[i] = whole - before - size;
        more.v[i] = 0;
        if (w.after[i] >= 0) continue;
        if (-w.after[i] < w.stride[i]) more.v[i] = -w.after[i];
        else longer = pads.v[i + 2 + w.dims + 2] = -w.after[i];
        w.after[i] = 0;
    }
    more.n = w.dims;
    opt.pad = onnx__list(w.before, w.dims);
    if (!onnx__even(&w)) opt.pad_end = onnx__list(w.after, w.dims);
    opt.adj = more;
    opt.use_bias = bias && !longer;
    y = hy_deconvolution(R->F, x, weight, opt.use_bias ? bias : NULL, onnx__list(w.kernel, w.dims),
                         (int)s.dim[1] * groups, &opt);
    if (longer) y = onnx__padded(R, y, &pads, "constant", 0);
    if (bias && longer) {
        for (s = HY_SHAPE(s.dim[1] * groups); s.ndim <= w.dims; s.ndim++) s.dim[s.ndim] = 1;
        y = hy_add(R->F, y, onnx__to(R, bias, s));
    }
    onnx__out(R, 0, y);
}

/* One number per window from the strided slices that stand under each tap, taken together two by two. */
static hy_array *onnx__taps(onnx__run *R, hy_array *x, const onnx__window *w, onnx__two two)
{
    hy_array *y = NULL;
    hy_ints b, e;
    hy_slice_opt opt;
    int64_t at[HY_MAX_DIM] = { 0 }, taps = 1;
    int i;
    for (i = 0; i < w->dims; i++) taps = taps > 16384 ? taps : taps * w->kernel[i];
    if (taps > 16384) { onnx__fail(R, "a window of more than 16384 elements"); return NULL; }
    b.n = e.n = opt.step.n = w->dims + 2;
    for (;;) {
        for (i = -2; i < w->dims; i++) {
            b.v[i + 2] = e.v[i + 2] = HY_NONE;
            opt.step.v[i + 2] = 1;
            if (i < 0) continue;
            b.v[i + 2] = at[i] * w->dilate[i];
            e.v[i + 2] = b.v[i + 2] + (w->out[i] - 1) * w->stride[i] + 1;
            opt.step.v[i + 2] = w->stride[i];
        }
        y = y ? two(R->F, y, hy_slice(R->F, x, b, e, &opt)) : hy_slice(R->F, x, b, e, &opt);
        for (i = w->dims - 1; i >= 0 && ++at[i] == w->kernel[i]; i--) at[i] = 0;
        if (i < 0 || hy_error(R->F)) return y;
    }
}

/* The border of pooling by taps: as wide as the last window reaches. */
static void onnx__widen(onnx__window *w)
{
    int i;
    for (i = 0; i < w->dims; i++) {
        int64_t reach = (w->out[i] - 1) * w->stride[i] + (w->kernel[i] - 1) * w->dilate[i] + 1;
        if (reach > w->size[i] + w->before[i]) w->after[i] = reach - w->size[i] - w->before[i];
        else w->after[i] = 0;
    }
}

/* Can hy_pooling do it? No dilation, borders narrower than the window, no part of a window cut off. */
static int onnx__plain_window(const onnx__window *w)
{
    int i;
    for (i = 0; i < w->dims; i++) {
        const int64_t whole = w->size[i] + w->before[i] + w->after[i];
        if (w->dilate[i] != 1 || w->before[i] >= w->kernel[i] || w->after[i] >= w->kernel[i] ||
            whole < w->kernel[i] || (whole - w->kernel[i]) / w->stride[i] + 1 != w->out[i]) return 0;
    }
    return w->dims <= 3;
}

static hy_array *onnx__pooled(onnx__run *R, hy_array *x, const onnx__window *w, int type, int p, int exclude)
{
    hy_pooling_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.pool_type = type;
    opt.stride = onnx__list(w->stride, w->dims);
    opt.pad = onnx__list(w->before, w->dims);
    if (!onnx__even(w)) opt.pad_end = onnx__list(w->after, w->dims);
    opt.p_value = p;
    opt.exclude_pad = exclude;
    return hy_pooling(R->F, x, onnx__list(w->kernel, w->dims), &opt);
}

/* Which element of the whole array each window of max pooling takes: the first of the largest. */
static hy_array *onnx__pool_indices(onnx__run *R, hy_array *x, hy_array *values, hy_array *wide,
                                    const onnx__window *w, hy_shape s)
{
    hy_array *at = NULL, *wide_at, *y = NULL;
    hy_shape whole = s;
    onnx__window border = *w;
    hy_ints order, b, e;
    hy_slice_opt opt;
    int64_t stride = 1, tap[HY_MAX_DIM];
    int i, column = onnx__int(R, "storage_order", 0) != 0;
    (void)x;
    memset(&order, 0, sizeof order);
    for (i = s.ndim - 1; i >= 0; i--) {         /* numbers of elements; columns first if asked */
        int axis = column && i >= 2 ? 2 + (s.ndim - 1 - i) : i;
        hy_array *k = onnx__counter(R, s.dim[axis], stride, axis, s.ndim);
        at = at ? hy_add(R->F, at, k) : k;
        stride *= s.dim[axis];
    }
    at = onnx__spread(R, at, whole);
    wide_at = onnx__bordered(R, at, &border, 0);
    for (i = 0; i < w->dims; i++) tap[i] = w->kernel[i] - 1;
    b.n = e.n = opt.step.n = s.ndim;
    for (;;) {                                  /* from the last tap to the first, which so wins */
        hy_array *here, *v;
        for (i = 0; i < s.ndim; i++) {
            b.v[i] = e.v[i] = HY_NONE;
            opt.step.v[i] = 1;
            if (i < 2) continue;
            b.v[i] = tap[i - 2] * w->dilate[i - 2];
            e.v[i] = b.v[i] + (w->out[i - 2] - 1) * w->stride[i - 2] + 1;
            opt.step.v[i] = w->stride[i - 2];
        }
        v = hy_slice(R->F, wide, b, e, &opt);
        here = hy_slice(R->F, wide_at, b, e, &opt);
        y = y ? hy_where(R->F, hy_equal(R->F, v, values), here, y) : here;
        for (i = w->dims - 1; i >= 0 && --tap[i] < 0; i--) tap[i] = w->kernel[i] - 1;
        if (i < 0 || hy_error(R->F)) return y;
    }
}

static void onnx__do_max_pool(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *wide, *y;
    onnx__window w, border;
    hy_shape s;
    hy_dtype d = onnx__type_in(R, 0);
    if (!onnx__window_of(R, x, NULL, &w)) return;
    if (onnx__plain_window(&w) && !onnx__wants(R, 1) && (onnx__is_float(d) || d == HY_U8 || d == HY_I8)) {
        onnx__out(R, 0, onnx__pooled(R, x, &w, HY_POOL_MAX, 0, 0));
        return;
    }
    onnx__widen(&w);
    border = w;
    wide = onnx__bordered(R, x, &border, d == HY_U8 ? 0 : d == HY_I8 ? -128 : -INFINITY);
    onnx__out(R, 0, y = onnx__taps(R, wide, &w, hy_maximum));
    if (onnx__wants(R, 1) && onnx__shape(R, x, &s)) onnx__out(R, 1, onnx__pool_indices(R, x, y, wide, &w, s));
}

/* How many elements that count stand under each window, as an array for data of that many dims. */
static hy_array *onnx__window_counts(onnx__run *R, const onnx__window *w, int border_counts, hy_dtype d)
{
    hy_array *y = NULL;
    int64_t i, k;
    int axis;
    for (axis = 0; axis < w->dims; axis++) {
        double *v = (double *)onnx__scratch(R, w->out[axis], sizeof *v);
        hy_shape s;
        hy_array *n;
        if (!v) return NULL;
        for (i = 0; i < w->out[axis]; i++)
            for (v[i] = 0, k = 0; k < w->kernel[axis]; k++) {
                int64_t at = i * w->stride[axis] + k * w->dilate[axis] - w->before[axis];
                if (border_counts) v[i] += at < w->size[axis] + w->after[axis];
                else v[i] += at >= 0 && at < w->size[axis];
            }
        for (s.ndim = 0; s.ndim < w->dims + 2; s.ndim++) s.dim[s.ndim] = s.ndim == axis + 2 ? w->out[axis]
            : 1;
        for (i = 0; i < w->out[axis]; i++) v[i] = v[i] > 0 ? v[i] : 1;         /* none: their sum, 0, stays */
        n = onnx__from_doubles(R, s, d, v);
        y = y ? hy_mul(R->F, y, n) : n;
    }
    return y;
}

static void onnx__do_average_pool(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *wide, *n;
    onnx__window w, border;
    int all = onnx__int(R, "count_include_pad", 0) != 0;
    if (!onnx__window_of(R, x, NULL, &w)) return;
    if (onnx__plain_window(&w)) {
        onnx__out(R, 0, onnx__pooled(R, x, &w, HY_POOL_AVG, 0, !all));
        return;
    }
    n = onnx__window_counts(R, &w, all, onnx__type_in(R, 0));
    onnx__widen(&w);
    border = w;
    wide = onnx__bordered(R, x, &border, 0);
    onnx__out(R, 0, hy_div(R->F, onnx__taps(R, wide, &w, hy_add), n));
}

static void onnx__do_lp_pool(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *y;
    onnx__window w, border;
    double p = (double)onnx__int(R, "p", 2);
    if (!onnx__window_of(R, x, NULL, &w)) return;
    if (onnx__plain_window(&w) && (p == 1 || p == 2 || p == 3)) {
        onnx__out(R, 0, onnx__pooled(R, hy_abs(R->F, x), &w, HY_POOL_LP, (int)p, 0));
        return;
    }
    onnx__widen(&w);
    border = w;
    x = hy_power_scalar(R->F, hy_abs(R->F, onnx__bordered(R, x, &border, 0)), p);
    y = onnx__taps(R, x, &w, hy_add);
    onnx__out(R, 0, p == 2 ? hy_sqrt(R->F, y) : hy_power_scalar(R->F, y, 1 / p));
}

static hy_ints onnx__places_axes(onnx__run *R, hy_array *x)     /* all behind batch and channel */
{
    hy_ints axes;
    int i, n = onnx__rank(R, x);
    axes.n = 0;
    for (i = 2; i < n; i++) axes.v[axes.n++] = i;
    return axes;
}

static void onnx__do_global_pool(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0);
    hy_ints axes = onnx__places_axes(R, x);
    int n = onnx__rank(R, x);
    hy_pooling_opt opt;
    double p;
    memset(&opt, 0, sizeof opt);
    opt.global_pool = 1;
    if (!strcmp(R->node->op, "GlobalLpPool")) {
        p = (double)onnx__int(R, "p", 2);
        x = onnx__sum_of(R, hy_power_scalar(R->F, hy_abs(R->F, x), p), axes, 1);
        onnx__out(R, 0, hy_power_scalar(R->F, x, 1 / p));
        return;
    }
    opt.pool_type = strcmp(R->node->op, "GlobalMaxPool") ? HY_POOL_AVG : HY_POOL_MAX;
    if (n > 2 && n < 6) onnx__out(R, 0, hy_pooling(R->F, x, HY_EMPTY, &opt));
    else if (opt.pool_type == HY_POOL_MAX) onnx__out(R, 0, onnx__reduce(R, hy_max, x, axes, 1));
    else onnx__out(R, 0, onnx__reduce(R, hy_mean, x, axes, 1));
}

static void onnx__do_max_unpool(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *at = onnx__in(R, 1), *y;
    onnx__window w;
    hy_shape s, out;
    hy_ints to, pads;
    int i;
    if (!onnx__shape(R, x, &s) || !onnx__window_of(R, x, NULL, &w)) return;
    out = s;
    for (i = 0; i < w.dims; i++)
        out.dim[i + 2] = (w.size[i] - 1) * w.stride[i] + w.kernel[i] - w.before[i] - w.after[i];
    y = onnx__filled(R, HY_SHAPE(onnx__product(&out, 0, out.ndim)), onnx__type_in(R, 0), 0);
    y = onnx__to(R, hy_index_copy(R->F, y, onnx__in_row(R, at), onnx__in_row(R, x)), out);
    if (onnx__has(R, 2)) { /* places count in the small shape, then it grows at its end */
        if (!onnx__ints_in(R, 2, &to) || to.n != s.ndim) return;
        memset(&pads, 0, sizeof pads);
        pads.n = 2 * s.ndim;
        for (i = 0; i < s.ndim; i++) {
            if (to.v[i] < out.dim[i]) { onnx__fail(R, "output_shape is too small"); return; }
            pads.v[i + s.ndim] = to.v[i] - out.dim[i];
        }
        y = onnx__padded(R, y, &pads, "constant", 0);
    }
    onnx__out(R, 0, y);
}

/* --- norms --- */
/* A vector beside the channels of x. */
static hy_array *onnx__channels(onnx__run *R, hy_array *v, int ndim)
{
    hy_shape s;
    int i;
    if (!onnx__shape(R, v, &s)) return NULL;
    s.dim[1] = s.dim[0];
    s.dim[0] = 1;
    for (i = 2; i < ndim; i++) s.dim[i] = 1;
    s.ndim = ndim < 2 ? 2 : ndim;
    return onnx__to(R, v, s);
}

static hy_array *onnx__standard(onnx__run *R, hy_array *x, hy_array *mean, hy_array *var, double eps)
{
    return hy_div(R->F, hy_sub(R->F, x, mean), hy_sqrt(R->F, hy_add_scalar(R->F, var, eps)));
}

static void onnx__do_batch_norm(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *g = onnx__in(R, 1), *b = onnx__in(R, 2), *mean = onnx__in(R, 3),
        *var = onnx__in(R, 4);
    double eps = onnx__float(R, "epsilon", 1e-5), momentum = onnx__float(R, "momentum", 0.9);
    int n = onnx__rank(R, x), i, train = onnx__int(R, "training_mode", 0) != 0;
    hy_batch_norm_opt opt;
    hy_ints axes;
    if (hy_error(R->F) || !mean || !var) return;
    if (!train && R->m->slot[R->node->in[3]].aux && R->m->slot[R->node->in[4]].aux) {
        memset(&opt, 0, sizeof opt);
        opt.eps = eps == 0 ? HY_ZERO : eps;
        opt.momentum = momentum == 0 ? HY_ZERO : momentum;
        opt.learn_gamma = 1;
        onnx__out(R, 0, hy_batch_norm(R->F, x, g, b, mean, var, &opt));
        return;
    }
    if (train) {
        hy_array *m, *v;
        for (axes.n = i = 0; i < n; i++) if (i != 1) axes.v[axes.n++] = i;
        m = onnx__reduce(R, hy_mean, x, axes, 1);
        v = onnx__reduce(R, hy_mean, hy_square(R->F, hy_sub(R->F, x, m)), axes, 1);
        onnx__out(R, 1, hy_add(R->F, hy_mul_scalar(R->F, mean, momentum),
                               hy_mul_scalar(R->F, onnx__in_row(R, m), 1 - momentum)));
        onnx__out(R, 2, hy_add(R->F, hy_mul_scalar(R->F, var, momentum),
                               hy_mul_scalar(R->F, onnx__in_row(R, v), 1 - momentum)));
        x = onnx__standard(R, x, m, v, eps);
    } else x = onnx__standard(R, x, onnx__channels(R, mean, n), onnx__channels(R, var, n), eps);
    onnx__out(R, 0, hy_add(R->F, hy_mul(R->F, x, onnx__channels(R, g, n)), onnx__channels(R, b, n)));
}

static void onnx__do_instance_norm(onnx__run *R)
{
    hy_instance_norm_opt opt;
    double eps = onnx__float(R, "epsilon", 1e-5);
    opt.eps = eps == 0 ? HY_ZERO : eps;
    onnx__out(R, 0, hy_instance_norm(R->F, onnx__in(R, 0), onnx__in(R, 1), onnx__in(R, 2), &opt));
}

/* Everything from the axis on to mean 0 and variance 1, in f32 at least; b: NULL, or what is added. `told`
 * (NULL: nobody) takes the mean and one over the deviation. */
static hy_array *onnx__layer_normed(onnx__run *R, hy_array *x, hy_array *g, hy_array *b, int axis, double eps,
                                    hy_array **told)
{
    hy_array *m, *v;
    int n = onnx__rank(R, x), i;
    hy_dtype d = x ? hy_dtype_of(R->F, x) : HY_F32;
    hy_layer_norm_opt opt;
    hy_ints axes;
    memset(&opt, 0, sizeof opt);
    opt.eps = eps == 0 ? HY_ZERO : eps;
    if (axis == n - 1 && !told && onnx__rank(R, g) == 1 && (!b || onnx__rank(R, b) == 1)) {
        opt.axis = -1;
        if (!b) b = hy_zeros_like(R->F, g);
        return hy_layer_norm(R->F, x, g, b, &opt);
    }
    for (axes.n = 0, i = axis; i < n; i++) axes.v[axes.n++] = i;
    if (d == HY_F16 || d == HY_BF16) x = hy_cast(R->F, x, HY_F32);
    m = onnx__reduce(R, hy_mean, x, axes, 1);
    x = hy_sub(R->F, x, m);
    v = onnx__reduce(R, hy_mean, hy_square(R->F, x), axes, 1);
    v = hy_rsqrt(R->F, hy_add_scalar(R->F, v, eps));
    x = hy_mul(R->F, onnx__cast(R, hy_mul(R->F, x, v), d), g);
    if (told) { told[0] = m; told[1] = v; }
    return b ? hy_add(R->F, x, b) : x;
}

/* Output 0; what outputs 1 and 2 tell of it where they are wanted. */
static void onnx__put_layer_norm(onnx__run *R, hy_array *x, hy_array *g, hy_array *b, int axis, double eps)
{
    hy_array *told[2] = { NULL, NULL };
    int tell = onnx__wants(R, 1) || onnx__wants(R, 2);
    onnx__out(R, 0, onnx__layer_normed(R, x, g, b, axis, eps, tell ? told : NULL));
    onnx__out(R, 1, told[0]);
    onnx__out(R, 2, told[1]);
}

static void onnx__do_layer_norm(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0);
    int axis = onnx__axis(R, onnx__int(R, "axis", -1), onnx__rank(R, x));
    onnx__put_layer_norm(R, x, onnx__in(R, 1), onnx__in(R, 2), axis, onnx__float(R, "epsilon", 1e-5));
}

/* g x / sqrt(mean of x^2 + eps), as rows of a length of their own times the root of how many are in each. */
static hy_array *onnx__rms_normed(onnx__run *R, hy_array *x, hy_array *g, int axis, double eps)
{
    hy_dtype d = x ? hy_dtype_of(R->F, x) : HY_F32;
    hy_l2_normalization_opt opt;
    hy_shape s;
    double n;
    if (!onnx__shape(R, x, &s)) return NULL;
    n = (double)onnx__product(&s, axis, s.ndim);
    memset(&opt, 0, sizeof opt);
    opt.eps = n * eps;
    if (opt.eps == 0) opt.eps = HY_ZERO;
    if (d == HY_F16 || d == HY_BF16) x = hy_cast(R->F, x, HY_F32);
    x = onnx__to(R, x, HY_SHAPE(onnx__product(&s, 0, axis), onnx__product(&s, axis, s.ndim)));
    x = hy_mul_scalar(R->F, onnx__to(R, hy_l2_normalization(R->F, x, &opt), s), sqrt(n));
    return hy_mul(R->F, onnx__cast(R, x, d), g);
}

static void onnx__do_rms_norm(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0);
    int axis = onnx__axis(R, onnx__int(R, "axis", -1), onnx__rank(R, x));
    onnx__out(R, 0, onnx__rms_normed(R, x, onnx__in(R, 1), axis, onnx__float(R, "epsilon", 1e-5)));
}

static void onnx__do_group_norm(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *g = onnx__in(R, 1), *b = onnx__in(R, 2), *m, *v;
    int64_t groups = onnx__int(R, "num_groups", 1);
    hy_dtype d = onnx__type_in(R, 0);
    hy_shape s, sg, flat;
    if (!onnx__shape(R, x, &s) || !onnx__shape(R, g, &sg) || s.ndim < 2) return;
    if (groups < 1 || s.dim[1] % groups) {
        onnx__fail(R, "%d groups of %d channels", (int)groups, (int)s.dim[1]);
        return;
    }
    flat = HY_SHAPE(s.dim[0], groups, onnx__product(&s, 1, s.ndim) / groups);
    if (d == HY_F16 || d == HY_BF16) x = hy_cast(R->F, x, HY_F32);
    x = onnx__to(R, x, flat);
    m = onnx__reduce(R, hy_mean, x, HY_AXES(2), 1);
    v = onnx__reduce(R, hy_mean, hy_square(R->F, hy_sub(R->F, x, m)), HY_AXES(2), 1);
    x = onnx__cast(R, onnx__standard(R, x, m, v, onnx__float(R, "epsilon", 1e-5)), d);
    if (sg.dim[0] != s.dim[1]) {                                /* a number per group, before opset 21 */
        x = hy_mul(R->F, x, onnx__channels(R, g, 3));
        onnx__out(R, 0, onnx__to(R, hy_add(R->F, x, onnx__channels(R, b, 3)), s));
        return;
    }
    x = hy_mul(R->F, onnx__to(R, x, s), onnx__channels(R, g, s.ndim));
    onnx__out(R, 0, hy_add(R->F, x, onnx__channels(R, b, s.ndim)));
}

static void onnx__do_lrn(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0);
    double alpha = onnx__float(R, "alpha", 1e-4), beta = onnx__float(R, "beta", 0.75),
        bias = onnx__float(R, "bias", 1);
    hy_lrn_opt opt;
    opt.alpha = alpha == 0 ? HY_ZERO : alpha;
    opt.beta = beta == 0 ? HY_ZERO : beta;
    opt.knorm = bias == 0 ? HY_ZERO : bias;
    onnx__out(R, 0, hy_lrn(R->F, x, (int)onnx__clamped(onnx__int(R, "size", 1), 1, INT32_MAX), &opt));
}

static void onnx__do_mvn(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *m, *v;
    hy_ints axes;
    if (!onnx__ints(R, "axes", &axes)) axes = HY_AXES(0, 2, 3);
    m = onnx__reduce(R, hy_mean, x, axes, 1);
    x = hy_sub(R->F, x, m);
    v = hy_sqrt(R->F, onnx__reduce(R, hy_mean, hy_square(R->F, x), axes, 1));
    onnx__out(R, 0, hy_div(R->F, x, hy_add_scalar(R->F, v, 1e-9)));
}

static void onnx__do_flow(onnx__run *R) { onnx__fail(R, "no body"); }

/* --- losses --- */
static hy_array *onnx__averaged(onnx__run *R, hy_array *loss, hy_array *weight)
{
    const char *how = onnx__string(R, "reduction", "mean");
    hy_array *sum;
    if (!strcmp(how, "none")) return loss;
    sum = onnx__sum_of(R, loss, HY_EMPTY, 0);
    return strcmp(how, "mean") ? sum : hy_div(R->F, sum, onnx__sum_of(R, weight, HY_EMPTY, 0));
}

/* -weight[target] x[target] along axis 1; what has the label to be ignored counts for nothing. */
static hy_array *onnx__picked_loss(onnx__run *R, hy_array *x, hy_array *target, hy_array *weight)
{
    const onnx__attr *ignored = onnx__attr_of(R->node, "ignore_index");
    hy_pick_opt pick;
    hy_array *loss, *w, *counts = NULL;
    hy_dtype d = x ? hy_dtype_of(R->F, x) : HY_F32;
    memset(&pick, 0, sizeof pick);
    pick.mode = HY_INDEX_RAISE;
    if (ignored) {                              /* it may be no class at all */
        counts = hy_not_equal_scalar(R->F, target, (double)ignored->i);
        target = hy_mul(R->F, target, counts);
    }
    loss = hy_negative(R->F, hy_pick(R->F, x, target, 1, &pick));
    if (weight) w = onnx__taken(R, weight, target, 0, HY_INDEX_RAISE);
    else w = hy_ones_like(R->F, loss);
    if (ignored) w = hy_mul(R->F, w, onnx__cast(R, counts, d));
    return onnx__averaged(R, hy_mul(R->F, loss, w), w);
}

static void onnx__do_nll_loss(onnx__run *R)
{
    onnx__out(R, 0, onnx__picked_loss(R, onnx__in(R, 0), onnx__in(R, 1), onnx__in(R, 2)));
}

static void onnx__do_cross_entropy(onnx__run *R)
{
    hy_array *x = hy_log_softmax(R->F, onnx__in(R, 0), 1, NULL);
    onnx__out(R, 0, onnx__picked_loss(R, x, onnx__in(R, 1), onnx__in(R, 2)));
    onnx__out(R, 1, x);
}

/* --- images --- */
typedef struct onnx__resize {
    const char *mode, *where, *nearest;
    double a, from, to, outside;        /* from, to: the part that is cut out */
    int exclude, smooth, sized;         /* sized: sizes are given, not scales */
} onnx__resize;

/* The place in the input that an output's place means. */
static double onnx__origin(const onnx__resize *z, double x, double n, double m, double scale)
{
    const char *w = z->where;
    double length = z->sized ? m : n * scale;           /* may lie between whole numbers */
    if (!strcmp(w, "asymmetric")) return x / scale;
    if (!strcmp(w, "align_corners")) return length == 1 ? 0 : x * (n - 1) / (length - 1);
    if (!strcmp(w, "tf_half_pixel_for_nn")) return (x + 0.5) / scale;
    if (!strcmp(w, "pytorch_half_pixel")) return m > 1 ? (x + 0.5) / scale - 0.5 : 0;
    if (!strcmp(w, "half_pixel_symmetric")) return n / 2 * (1 - m / (scale * n)) + (x + 0.5) / scale - 0.5;
    if (!strcmp(w, "tf_crop_and_resize"))
        return m > 1 ? z->from * (n - 1) + x * (z->to - z->from) * (n - 1) / (m - 1)
            : 0.5 * (z->from + z->to) * (n - 1);
    return (x + 0.5) / scale - 0.5;
}

static double onnx__cubic(double x, double a)
{
    x = fabs(x);
    if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/* One row of the matrix that resizes an axis of n places: what the place x is made of. */
static void onnx__resize_row(const onnx__resize *z, double x, int64_t n, double scale, double *row)
{
    int cubic = !strcmp(z->mode, "cubic");
    double s = z->smooth && scale < 1 ? scale : 1, reach = (cubic ? 2 : 1) / s, sum = 0;
    int64_t first = (int64_t)floor(x - reach) + 1, last = (int64_t)ceil(x + reach) - 1, i;
    for (i = 0; i < n; i++) row[i] = 0;
    for (i = first; i <= last; i++) {
        double v = ((double)i - x) * s, k = cubic ? onnx__cubic(v, z->a) : 1 - fabs(v);
        if (k == 0 || (z->exclude && (i < 0 || i >= n))) continue;
        sum += k;
        row[onnx__clamped(i, 0, n - 1)] += k;
    }
    for (i = 0; i < n && sum != 0; i++) row[i] /= sum;
}

static double onnx__nearest(const onnx__resize *z, double x, double scale)
{
    const char *how = z->nearest;
    if (!strcmp(how, "simple")) return scale < 1 ? ceil(x) : floor(x);          /* of opset 10 */
    if (!strcmp(how, "floor")) return floor(x);
    if (!strcmp(how, "ceil")) return ceil(x);
    if (!strcmp(how, "round_prefer_ceil")) return floor(x + 0.5);
    return ceil(x - 0.5);
}

static hy_array *onnx__resize_axis(onnx__run *R, hy_array *x, int axis, int64_t n, int64_t m, double scale,
                                   const onnx__resize *z)
{
    int nearest = !strcmp(z->mode, "nearest"), crop = !strcmp(z->where, "tf_crop_and_resize");
    int ndim = onnx__rank(R, x), some = 0;
    double *row = (double *)onnx__scratch(R, nearest ? m : n * m, sizeof *row),
        *beyond = (double *)onnx__scratch(R, m, sizeof *row);
    hy_dtype d = x ? hy_dtype_of(R->F, x) : HY_F32;
    hy_shape s;
    hy_dot_opt opt;
    int64_t i;
    for (i = 0; row && beyond && i < m; i++) {
        double at = onnx__origin(z, (double)i, (double)n, (double)m, scale);
        beyond[i] = crop && (at < 0 || at > (double)(n - 1));
        some |= beyond[i] != 0;
        if (nearest) row[i] = fmin(fmax(onnx__nearest(z, at, scale), 0), (double)(n - 1));
        else onnx__resize_row(z, at, n, scale, row + i * n);
    }
    if (!row || !beyond || !x) return NULL;
    if (nearest) x = hy_take(R->F, x, onnx__from_doubles(R, HY_SHAPE(m), HY_I64, row), axis, NULL);
    else {
        opt.transpose_a = 0;
        opt.transpose_b = 1;
        x = hy_dot(R->F, onnx__move(R, x, axis, ndim - 1), onnx__from_doubles(R, HY_SHAPE(m, n), d, row),
                   &opt);
        x = onnx__move(R, x, ndim - 1, axis);
    }
    if (!some) return x;
    for (s.ndim = 0; s.ndim < ndim; s.ndim++) s.dim[s.ndim] = s.ndim == axis ? m : 1;
    return onnx__where(R, onnx__from_doubles(R, s, d, beyond),
                       onnx__from_doubles(R, HY_SCALAR, d, &z->outside), x);
}

static void onnx__do_resize(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0);
    int old = R->opset < 11, upsample = !strcmp(R->node->op, "Upsample"), i, scales_at = old ? 1 : 2, n = 0;
    const char *policy = onnx__string(R, "keep_aspect_ratio_policy", "stretch");
    double scales[HY_MAX_DIM], roi[2 * HY_MAX_DIM], ratio = 0;
    const onnx__attr *a = onnx__attr_of(R->node, "scales");
    hy_ints axes, sizes;
    hy_shape s;
    onnx__resize z;
    if (!onnx__shape(R, x, &s)) return;
    memset(&z, 0, sizeof z);
    z.mode = onnx__string(R, "mode", "nearest");
    if (strstr(z.mode, "linear")) z.mode = "linear";
    z.where =
        old || upsample ? "asymmetric" : onnx__string(R, "coordinate_transformation_mode", "half_pixel");
    z.nearest = old ? "simple" : upsample ? "floor" : onnx__string(R, "nearest_mode", "round_prefer_floor");
    z.a = onnx__float(R, "cubic_coeff_a", -0.75);
    z.exclude = onnx__int(R, "exclude_outside", 0) != 0;
    z.smooth = onnx__int(R, "antialias", 0) != 0;
    z.outside = onnx__float(R, "extrapolation_value", 0);
    if (!onnx__ints(R, "axes", &axes)) for (axes.n = i = 0; i < s.ndim; i++) axes.v[axes.n++] = i;
    sizes.n = 0;
    if (!old && onnx__has(R, 3) && !onnx__ints_in(R, 3, &sizes)) return;
    z.sized = sizes.n > 0;
    for (i = 0; a && i < a->n && i < HY_MAX_DIM; i++) scales[n++] = a->floats[i];
    if (!a && !sizes.n && onnx__has(R, scales_at))
        n = (int)onnx__read_numbers(R, scales_at, scales, HY_MAX_DIM);
    if (!strcmp(z.where, "tf_crop_and_resize") && onnx__read_numbers(R, 1, roi, 2 * HY_MAX_DIM) != 2 *
        axes.n) {
        onnx__fail(R, "roi does not fit");
        return;
    }
    if (hy_error(R->F) || axes.n > HY_MAX_DIM || (sizes.n ? sizes.n : n) != axes.n) {
        onnx__fail(R, "scales or sizes do not fit");
        return;
    }
    for (i = 0; i < axes.n && sizes.n; i++) {
        int64_t d = s.dim[onnx__axis(R, axes.v[i], s.ndim)];
        scales[i] = d || sizes.v[i] ? (double)sizes.v[i] / (double)(d ? d : 1) : 1;     /* none of none */
        if (!i || (strcmp(policy, "not_larger") ? scales[i] > ratio : scales[i] < ratio)) ratio = scales[i];
    }
    for (i = 0; i < axes.n && !hy_error(R->F); i++) {
        int axis = onnx__axis(R, axes.v[i], s.ndim);
        int64_t d = s.dim[axis], m;
        double scale = sizes.n && strcmp(policy, "stretch") ? ratio : scales[i];
        if (!(scale > 1e-6 && scale < 1e6)) { onnx__fail(R, "a scale of %g", scale); return; }
        if (!strcmp(z.where, "tf_crop_and_resize")) { z.from = roi[i]; z.to = roi[i + axes.n]; }
        m = sizes.n ? (int64_t)floor(scale * (double)d + 0.5) : (int64_t)floor((double)d * scale *
                (z.to > 0 ? z.to - z.from : 1));
        if (!sizes.n && z.to > 0) m = (int64_t)floor((double)d * (z.to - z.from) * scale);
        if (sizes.n && !strcmp(policy, "stretch")) m = sizes.v[i];
        if (m == d && scale == 1 && !(z.to > 0)) continue;
        if (m < 1 || d < 1 || m > INT32_MAX) { onnx__fail(R, "%d becomes %d", (int)d, (int)m); return; }
        x = onnx__resize_axis(R, x, axis, d, m, scale, &z);
    }
    onnx__out(R, 0, x == onnx__in(R, 0) ? hy_identity(R->F, x) : x);
}

static void onnx__do_affine_grid(onnx__run *R)
{
    hy_array *theta = onnx__in(R, 0), *base;
    hy_ints size;
    hy_shape s;
    hy_dot_opt opt;
    int corners = onnx__int(R, "align_corners", 0) != 0, dims, k;
    int64_t n = 1, i;
    double *v;
    if (!onnx__ints_in(R, 1, &size) || size.n < 4 || size.n > 5) {
        onnx__fail(R, "a size of 4 or 5 numbers is due");
        return;
    }
    dims = size.n - 2;
    for (k = 0; k < dims; k++) {
        if (size.v[k + 2] < 1 || n > ((int64_t)1 << 31) / size.v[k + 2]) {
            onnx__fail(R, "such a size");
            return;
        }
        n *= size.v[k + 2];
    }
    v = (double *)onnx__scratch(R, n * (dims + 1), sizeof *v);
    for (i = 0; v && i < n; i++) {              /* x, y (, z), 1 of each place */
        int64_t rest = i;
        for (k = dims - 1; k >= 0; k--) {
            int64_t d = size.v[k + 2], at = rest % d;
            v[i * (dims + 1) + dims - 1 - k] = corners ? d > 1 ? -1 + 2 * (double)at / (double)(d - 1) : -1
                : (2 * (double)at + 1) / (double)d - 1;
            rest /= d;
        }
        v[i * (dims + 1) + dims] = 1;
    }
    if (!v) return;
    opt.transpose_a = 0;
    opt.transpose_b = 1;
    base = onnx__from_doubles(R, HY_SHAPE(n, dims + 1), onnx__type_in(R, 0), v);
    base = hy_dot(R->F, onnx__to(R, theta, HY_SHAPE(-1, dims + 1)), base,
                  &opt);                /* (N dims, n) */
    base = hy_transpose(R->F, onnx__to(R, base, HY_SHAPE(size.v[0], dims, n)), HY_INTS(0, 2, 1));
    s.ndim = size.n;
    s.dim[0] = size.v[0];
    for (k = 0; k < dims; k++) s.dim[k + 1] = size.v[k + 2];
    s.dim[dims + 1] = dims;
    onnx__out(R, 0, onnx__to(R, base, s));
}

/* --- samples at any place: GridSample, DeformConv --- */
typedef struct onnx__sampling {
    hy_shape  data;
    int       dims, padding, corners;
    hy_array *rows, *first;
} onnx__sampling;
enum { ONNX__ZEROS, ONNX__BORDER, ONNX__REFLECTION };

/* Coordinates thrown back into [low, high]. */
static hy_array *onnx__reflected(hy_frame *F, hy_array *x, double low, double high)
{
    double range = high - low;
    if (range <= 0) return hy_zeros_like(F, x);
    x = hy_mod_scalar(F, hy_add_scalar(F, x, -low), 2 * range);
    return hy_add_scalar(F, hy_negative(F, hy_abs(F, hy_add_scalar(F, x, -range))), range + low);
}

/* data (N, C, ...) as rows of channels, and where each sample's rows begin, for places of that many dims. */
static void onnx__sampling_of(onnx__run *R, hy_array *x, int ndim, onnx__sampling *p)
{
    hy_ints perm;
    int i;
    perm.n = p->data.ndim;
    perm.v[0] = 0;
    for (i = 2; i < p->data.ndim; i++) perm.v[i - 1] = i;
    perm.v[p->data.ndim - 1] = 1;
    p->dims = p->data.ndim - 2;
    p->rows = hy_reshape(R->F, hy_transpose(R->F, x, perm), HY_INTS(-1, p->data.dim[1]), NULL);
    p->first = onnx__counter(R, p->data.dim[0], onnx__product(&p->data, 2, p->data.ndim), 0, ndim);
}

/* Channels at whole places at[...] (N, ...), last axis first, times a weight: (N, ..., C). */
static hy_array *onnx__sampled(onnx__run *R, const onnx__sampling *p, hy_array *const *at, hy_array *weight)
{
    hy_frame *F = R->F;
    hy_array *row = p->first, *w = weight;
    int64_t stride = 1;
    int k, n;
    for (k = 0; k < p->dims; k++) {
        int64_t d = p->data.dim[p->data.ndim - 1 - k];
        hy_array *x = at[k], *inside;
        if (p->padding == ONNX__REFLECTION)
            x = onnx__reflected(F, x, p->corners ? 0 : -0.5, p->corners ? (double)d - 1 : (double)d - 0.5);
        if (p->padding == ONNX__ZEROS) {
            inside = hy_logical_and(F, hy_greater_equal_scalar(F, x, 0),
                                    hy_lesser_equal_scalar(F, x, (double)d - 1));
            w = w ? hy_mul(F, w, inside) : inside;
        }
        x = hy_cast(F, hy_clip(F, hy_rint(F, x), 0, (double)d - 1), HY_I64);
        row = hy_add(F, row, stride == 1 ? x : hy_mul_scalar(F, x, (double)stride));
        stride *= d;
    }
    n = onnx__rank(R, row);
    row = hy_take(F, p->rows, row, 0, NULL);
    return w ? hy_mul(F, row, hy_expand_dims(F, w, n)) : row;
}

/* Channels at places between elements, linearly: the corners around them. */
static hy_array *onnx__sampled_linear(onnx__run *R, const onnx__sampling *p, hy_array *const *x)
{
    hy_frame *F = R->F;
    hy_array *low[3], *part[3], *at[3], *y = NULL, *v;
    int corner, k;
    for (k = 0; k < p->dims; k++) {
        low[k] = hy_floor(F, x[k]);
        part[k] = hy_sub(F, x[k], low[k]);
    }
    for (corner = 0; corner < 1 << p->dims; corner++) {
        hy_array *w = NULL, *one;
        for (k = 0; k < p->dims; k++) {
            int high = corner >> k & 1;
            at[k] = high ? hy_add_scalar(F, low[k], 1) : low[k];
            one = high ? part[k] : hy_rsub_scalar(F, part[k], 1);
            w = w ? hy_mul(F, w, one) : one;
        }
        v = onnx__sampled(R, p, at, w);
        y = y ? hy_add(F, y, v) : v;
    }
    return y;
}

static hy_array *onnx__cubic_weight(hy_frame *F, hy_array *part, int tap)       /* tap: 0 to 3 */
{
    double a = -0.75;
    hy_array *x = tap < 2 ? hy_add_scalar(F, part, 1 - tap) : hy_rsub_scalar(F, part, tap - 1), *y;
    if (tap == 1 || tap == 2) {
        y = hy_add_scalar(F, hy_mul_scalar(F, x, a + 2), -(a + 3));
        return hy_add_scalar(F, hy_mul(F, hy_mul(F, y, x), x), 1);
    }
    y = hy_add_scalar(F, hy_mul_scalar(F, x, a), -5 * a);
    y = hy_add_scalar(F, hy_mul(F, y, x), 8 * a);
    return hy_add_scalar(F, hy_mul(F, y, x), -4 * a);
}

static hy_array *onnx__sampled_cubic(onnx__run *R, const onnx__sampling *p, hy_array *const *x)
{
    hy_frame *F = R->F;
    hy_array *low[3], *part[3], *at[3], *y = NULL, *v;
    int tap, taps = 1, k;
    for (k = 0; k < p->dims; k++, taps *= 4) {
        low[k] = hy_floor(F, x[k]);
        part[k] = hy_sub(F, x[k], low[k]);
    }
    for (tap = 0; tap < taps; tap++) {
        hy_array *w = NULL, *one;
        for (k = 0; k < p->dims; k++) {
            int t = tap >> (2 * k) & 3;
            at[k] = hy_add_scalar(F, low[k], t - 1);
            one = onnx__cubic_weight(F, part[k], t);
            w = w ? hy_mul(F, w, one) : one;
        }
        v = onnx__sampled(R, p, at, w);
        y = y ? hy_add(F, y, v) : v;
    }
    return y;
}

static void onnx__do_grid_sample(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *grid = onnx__in(R, 1), *at[3], *y;
    const char *mode = onnx__string(R, "mode", "linear"), *pad = onnx__string(R, "padding_mode", "zeros");
    onnx__sampling p;
    hy_shape g;
    int k;
    if (!onnx__shape(R, x, &p.data) || !onnx__shape(R, grid, &g)) return;
    if (p.data.ndim < 3 || p.data.ndim > 5 || g.ndim != p.data.ndim || g.dim[g.ndim - 1] != p.data.ndim - 2) {
        onnx__fail(R, "a grid of %d dims for data of %d", g.ndim, p.data.ndim);
        return;
    }
    p.corners = onnx__int(R, "align_corners", 0) != 0;
    p.padding = !strcmp(pad, "border") ? ONNX__BORDER : !strcmp(pad, "reflection") ? ONNX__REFLECTION
        : ONNX__ZEROS;
    onnx__sampling_of(R, x, g.ndim - 1, &p);
    for (k = 0; k < p.dims; k++) {
        hy_shape less = g;
        double d = (double)p.data.dim[p.data.ndim - 1 - k];
        less.ndim--;
        at[k] = onnx__to(R, onnx__cut(R, grid, g.ndim - 1, k, k + 1, 1), less);
        at[k] = hy_add_scalar(R->F, at[k], 1);
        if (p.corners) at[k] = hy_mul_scalar(R->F, at[k], (d - 1) / 2);
        else at[k] = hy_mul_scalar(R->F, hy_add_scalar(R->F, hy_mul_scalar(R->F, at[k], d), -1), 0.5);
        if (!strcmp(mode, "nearest")) at[k] = hy_round_even(R->F, at[k]);
        else if (p.padding == ONNX__BORDER) {   /* of cubic ones each tap is, by itself */
            if (!strstr(mode, "cubic")) at[k] = hy_clip(R->F, at[k], 0, d - 1);
        }
        else if (p.padding == ONNX__REFLECTION)
            at[k] = onnx__reflected(R->F, at[k], p.corners ? 0 : -0.5, p.corners ? d - 1 : d - 0.5);
    }
    if (!strcmp(mode, "nearest")) y = onnx__sampled(R, &p, at, NULL);
    else y = strstr(mode, "cubic") ? onnx__sampled_cubic(R, &p, at) : onnx__sampled_linear(R, &p, at);
    onnx__out(R, 0, onnx__move(R, y, g.ndim - 1, 1));
}

/* Where the taps of a part of the channels lie: offsets (N, 2 taps, Ho, Wo) beside the window's places. */
static int onnx__deformed(onnx__run *R, const onnx__window *w, hy_array *offset, int64_t n, hy_array **at)
{
    int64_t taps = w->kernel[0] * w->kernel[1], i, j;
    int c;
    offset = hy_transpose(R->F, onnx__to(R, offset, HY_SHAPE(n, taps, 2, w->out[0], w->out[1])),
                          HY_INTS(2, 0, 3, 4, 1));
    for (c = 0; c < 2; c++) {
        hy_shape s = c ? HY_SHAPE(1, 1, w->out[1], taps) : HY_SHAPE(1, w->out[0], 1, taps);
        double *base = (double *)onnx__scratch(R, w->out[c] * taps, sizeof *base);
        hy_array *own =
            onnx__to(R, onnx__cut(R, offset, 0, c, c + 1, 1), HY_SHAPE(n, w->out[0], w->out[1], taps));
        if (!base) return 0;
        for (i = 0; i < w->out[c]; i++)
            for (j = 0; j < taps; j++)
                base[i * taps + j] = (double)(i * w->stride[c] - w->before[c] +
                                              (c ? j % w->kernel[1] : j / w->kernel[1]) * w->dilate[c]);
        at[1 - c] = hy_add(R->F, own, onnx__from_doubles(R, s, onnx__type_in(R, 0), base));
    }
    return 1;
}

/* A convolution whose taps lie where offsets say: samples, then a product with the weight. */
static void onnx__do_deform_conv(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *weight = onnx__in(R, 1), *offset = onnx__in(R, 2), *bias = onnx__in(R, 3),
             *mask = onnx__in(R, 4), *all = NULL, *y = NULL, *at[2], *v, *k;
    int64_t groups = onnx__int(R, "group", 1), parts = onnx__int(R, "offset_group", 1), g, taps, in, out, n;
    onnx__window w;
    hy_shape s, sw, so;
    hy_dot_opt opt;
    if (!onnx__shape(R, x, &s) || !onnx__shape(R, weight, &sw) || !onnx__window_of(R, x, sw.dim + 2, &w))
        return;
    if (!onnx__shape(R, offset, &so)) return;
    taps = w.dims == 2 && w.kernel[0] < 4096 && w.kernel[1] < 4096 ? w.kernel[0] * w.kernel[1] : 0;
    if (!taps || !onnx__within(parts, 1, s.dim[1]) || !onnx__within(groups, 1, s.dim[1]) ||
        sw.dim[0] % groups || s.dim[1] % parts || s.dim[1] % groups || so.ndim != 4 ||
        so.dim[1] != 2 * parts * taps) {
        onnx__fail(R, "offsets do not fit, or more than 2 dims");
        return;
    }
    n = s.dim[0];
    in = s.dim[1] / parts;
    for (g = 0; g < parts; g++) {               /* channels of each part: (N, Ho, Wo, taps, channels) */
        onnx__sampling p;
        p.data = s;
        p.data.dim[1] = in;
        p.padding = ONNX__ZEROS;
        p.corners = 1;
        onnx__sampling_of(R, onnx__cut(R, x, 1, g * in, (g + 1) * in, 1), 4, &p);
        if (!onnx__deformed(R, &w, onnx__cut(R, offset, 1, g * 2 * taps, (g + 1) * 2 * taps, 1), n, at))
            return;
        v = onnx__sampled_linear(R, &p, at);
        if (mask) {
            k = onnx__cut(R, mask, 1, g * taps, (g + 1) * taps, 1);
            k = onnx__to(R, k, HY_SHAPE(n, taps, w.out[0], w.out[1], 1));
            v = hy_mul(R->F, v, hy_transpose(R->F, k, HY_INTS(0, 2, 3, 1, 4)));
        }
        all = all ? onnx__join(R, all, v, 4) : v;
    }
    all = hy_transpose(R->F, all, HY_INTS(0, 1, 2, 4, 3));      /* (N, Ho, Wo, C, taps) */
    opt.transpose_a = 0;
    opt.transpose_b = 1;
    in = s.dim[1] / groups;
    out = sw.dim[0] / groups;
    for (g = 0; g < groups; g++) {
        v = onnx__to(R, onnx__cut(R, all, 3, g * in, (g + 1) * in, 1),
                     HY_SHAPE(n, w.out[0], w.out[1], in * taps));
        k = onnx__to(R, onnx__cut(R, weight, 0, g * out, (g + 1) * out, 1), HY_SHAPE(out, in * taps));
        v = hy_dot(R->F, v, k, &opt);
        y = y ? onnx__join(R, y, v, 3) : v;
    }
    if (bias) y = hy_add(R->F, y, bias);
    onnx__out(R, 0, onnx__move(R, y, 3, 1));
}

/* Places of samples along one axis: the regions' (R, 1), places (1, bins * samples) -> (R, places). */
static hy_array *onnx__roi_places(onnx__run *R, hy_array *rois, int axis, int64_t bins, int64_t samples)
{
    hy_frame *F = R->F;
    double scale = onnx__float(R, "spatial_scale", 1), *v;
    int half = R->opset >= 16 && strcmp(onnx__string(R, "coordinate_transformation_mode", "half_pixel"),
                                        "output_half_pixel");
    hy_array *low =
        hy_add_scalar(F, hy_mul_scalar(F, onnx__cut(R, rois, 1, axis, axis + 1, 1), scale), half ? -0.5 : 0);
    hy_array *size = hy_mul_scalar(F, hy_sub(F, onnx__cut(R, rois, 1, axis + 2, axis + 3, 1),
                                             onnx__cut(R, rois, 1, axis, axis + 1, 1)), scale);
    int64_t i;
    if (!half) size = hy_maximum_scalar(F, size, 1);
    v = (double *)onnx__scratch(R, bins * samples, sizeof *v);
    for (i = 0; v && i < bins * samples; i++)
        v[i] = ((double)(i / samples) + ((double)(i % samples) + 0.5) / (double)samples) / (double)bins;
    if (!v) return NULL;
    return hy_add(
        F, low, hy_mul(F, size, onnx__from_doubles(R, HY_SHAPE(1, bins * samples), onnx__type_in(R, 1), v)));
}

/* The largest of the weighted corners of all samples, which is what the standard's reference computes. */
static void onnx__do_roi_max(onnx__run *R, int64_t high, int64_t wide, int64_t samples)
{
    hy_frame *F = R->F;
    hy_array *rois = onnx__in(R, 1), *at[2], *low[2], *part[2], *inside[2], *corner[2], *y = NULL, *v;
    hy_shape s;
    onnx__sampling p;
    int i, k;
    if (!onnx__shape(R, onnx__in(R, 0), &p.data) || !onnx__shape(R, rois, &s)) return;
    p.padding = ONNX__BORDER;
    p.corners = 1;
    onnx__sampling_of(R, onnx__in(R, 0), 3, &p);
    p.first =
        hy_mul_scalar(F, onnx__cast(R, onnx__in(R, 2), HY_I64), (double)(p.data.dim[2] * p.data.dim[3]));
    p.first = onnx__to(R, p.first, HY_SHAPE(s.dim[0], 1, 1));
    for (i = 0; i < 2; i++) {                   /* columns (R, 1, places), then rows (R, places, 1) */
        double d = (double)p.data.dim[3 - i];
        v = hy_expand_dims(F, onnx__roi_places(R, rois, i, i ? high : wide, samples), i ? 2 : 1);
        inside[i] = hy_mul(F, hy_greater_equal_scalar(F, v, -1), hy_lesser_equal_scalar(F, v, d));
        v = hy_clip(F, v, 0, d - 1);
        low[i] = hy_floor(F, v);
        part[i] = hy_sub(F, v, low[i]);
    }
    for (k = 0; k < 4; k++) {
        for (i = 0; i < 2; i++) {
            at[i] = hy_add_scalar(F, low[i], k >> i & 1);
            corner[i] = hy_mul(F, inside[i], k >> i & 1 ? part[i] : hy_rsub_scalar(F, part[i], 1));
        }
        v = onnx__sampled(R, &p, at, hy_mul(F, corner[0], corner[1]));
        y = y ? hy_maximum(F, y, v) : v;
    }
    y = onnx__to(R, y, HY_SHAPE(s.dim[0], high, samples, wide, samples, p.data.dim[1]));
    y = hy_max(F, y, HY_AXES(2, 4), NULL);
    onnx__out(R, 0, hy_transpose(F, y, HY_INTS(0, 3, 1, 2)));
}

static void onnx__do_roi_align(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *rois = onnx__in(R, 1), *batch;
    hy_roi_align_opt opt;
    hy_shape s;
    int64_t samples = onnx__int(R, "sampling_ratio", 0), high = onnx__int(R, "output_height", 1),
        wide = onnx__int(R, "output_width", 1);
    memset(&opt, 0, sizeof opt);
    opt.sample_ratio = samples < 1 || samples > 1000 ? -1 : (int)samples;
    opt.aligned = R->opset >= 16 && strcmp(onnx__string(R, "coordinate_transformation_mode", "half_pixel"),
                                           "output_half_pixel");
    if (!strcmp(onnx__string(R, "mode", "avg"), "max")) {
        if (samples >= 1 && samples <= 100 && high >= 1 && high <= 4096 && wide >= 1 && wide <= 4096)
            onnx__do_roi_max(R, high, wide, samples);
        else onnx__fail(R, "mode max wants a sampling_ratio");
        return;
    }
    if (!onnx__shape(R, rois, &s)) return;
    batch = onnx__to(R, onnx__cast(R, onnx__in(R, 2), onnx__type_in(R, 1)), HY_SHAPE(s.dim[0], 1));
    onnx__out(R, 0, hy_roi_align(R->F, x, onnx__join(R, batch, rois, 1), HY_INTS(high, wide),
                                 onnx__float(R, "spatial_scale", 1), &opt));
}

static void onnx__do_max_roi_pool(onnx__run *R)
{
    hy_ints size;
    if (!onnx__ints(R, "pooled_shape", &size) || size.n != 2) { onnx__fail(R, "pooled_shape"); return; }
    onnx__out(R, 0, hy_roi_pooling(R->F, onnx__in(R, 0), onnx__in(R, 1), size,
                                   onnx__float(R, "spatial_scale", 1)));
}

/* Blocks of columns, added up in an image. */
typedef struct onnx__blocks {
    int     dims;
    int64_t image[3], block[3], step[3], gap[3], before[3], padded[3], count[3];
    int64_t taps, blocks, whole;        /* places of a block, blocks, places of the padded image */
} onnx__blocks;

/* One axis of it: 0 when the numbers cannot be. */
static int onnx__block_axis(onnx__blocks *z, int k, int64_t after)
{
    if (!onnx__within(z->image[k], 1, INT32_MAX) || !onnx__within(z->block[k], 1, 65536) ||
        !onnx__within(z->step[k], 1, 65536) || !onnx__within(z->gap[k], 1, 65536) || z->taps > 65536)
        return 0;
    if (!onnx__within(z->before[k], 0, INT32_MAX) || !onnx__within(after, 0, INT32_MAX)) return 0;
    z->padded[k] = z->image[k] + z->before[k] + after;
    z->count[k] = (z->padded[k] - z->gap[k] * (z->block[k] - 1) - 1) / z->step[k] + 1;
    if (z->count[k] < 1 || z->padded[k] > INT32_MAX || z->whole > (int64_t)1 << 31 ||
        z->blocks > (int64_t)1 << 31)
        return 0;
    z->taps *= z->block[k];
    z->blocks *= z->count[k];
    z->whole *= z->padded[k];
    return 1;
}

static int onnx__blocks_of(onnx__run *R, onnx__blocks *z)
{
    hy_ints image, block, stride, dilate, pads;
    int k, n;
    if (!onnx__ints_in(R, 1, &image) || !onnx__ints_in(R, 2, &block)) return 0;
    onnx__ints(R, "strides", &stride);
    onnx__ints(R, "dilations", &dilate);
    onnx__ints(R, "pads", &pads);
    n = z->dims = image.n;
    z->taps = z->blocks = z->whole = 1;
    if (n < 1 || n > 3 || block.n != n || (stride.n && stride.n != n) || (dilate.n && dilate.n != n) ||
        (pads.n && pads.n != 2 * n)) {
        onnx__fail(R, "images of 1 to 3 dims");
        return 0;
    }
    for (k = 0; k < n; k++) {
        z->image[k] = image.v[k];
        z->block[k] = block.v[k];
        z->step[k] = stride.n ? stride.v[k] : 1;
        z->gap[k] = dilate.n ? dilate.v[k] : 1;
        z->before[k] = pads.n ? pads.v[k] : 0;
        if (!onnx__block_axis(z, k, pads.n ? pads.v[k + n] : 0)) {
            onnx__fail(R, "blocks do not fit");
            return 0;
        }
    }
    return 1;
}

/* Where place `tap` of a block lies in the padded image. */
static int64_t onnx__block_place(const onnx__blocks *z, int64_t tap, int64_t block)
{
    int64_t at = 0, row = 1;
    int k;
    for (k = z->dims - 1; k >= 0; k--) {
        at += (block % z->count[k] * z->step[k] + tap % z->block[k] * z->gap[k]) * row;
        row *= z->padded[k];
        tap /= z->block[k];
        block /= z->count[k];
    }
    return at;
}

static void onnx__do_col2im(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *zeros, *at;
    onnx__blocks z;
    hy_shape s, out;
    int64_t i, rows;
    double *v;
    int k;
    if (!onnx__shape(R, x, &s) || !onnx__blocks_of(R, &z)) return;
    if (s.ndim != 3 || z.blocks != s.dim[2] || s.dim[1] % z.taps) {
        onnx__fail(R, "data of %d dims for %d blocks", s.ndim, (int)z.blocks);
        return;
    }
    v = (double *)onnx__scratch(R, z.taps * z.blocks, sizeof *v);
    for (i = 0; v && i < z.taps * z.blocks; i++)
        v[i] = (double)onnx__block_place(&z, i / z.blocks, i % z.blocks);
    if (!v) return;
    at = onnx__from_doubles(R, HY_SHAPE(1, z.taps * z.blocks), HY_I64, v);
    rows = s.dim[0] * s.dim[1] / z.taps;
    x = hy_transpose(R->F, onnx__to(R, x, HY_SHAPE(rows, z.taps * z.blocks)), HY_INTS(1, 0));
    zeros = onnx__filled(R, HY_SHAPE(z.whole, rows), onnx__type_in(R, 0), 0);
    x = hy_transpose(R->F, hy__gather_nd_grad(R->F, x, at, zeros), HY_INTS(1, 0));
    out = HY_SHAPE(s.dim[0], s.dim[1] / z.taps);
    for (k = 0; k < z.dims; k++) out.dim[out.ndim++] = z.padded[k];
    x = onnx__to(R, x, out);
    for (k = 0; k < z.dims; k++)
        if (z.padded[k] != z.image[k]) x = onnx__cut(R, x, k + 2, z.before[k], z.before[k] + z.image[k], 1);
    onnx__out(R, 0, x);
}

/* --- recurrence --- */
typedef struct onnx__recurrent {        /* one direction */
    hy_array   *x, *w, *r, *wb, *rb, *h, *c, *peep, *alive;     /* x: (T, N, I); alive: (T, N, 1) or NULL */
    hy_array   *on;                     /* alive at the step before, as wide as h; NULL: all */
    int         gates, step;
    int64_t     T, N, H;
    const char *act[3];
    double      a[3], b[3], clip;
    int         input_forget, linear_before, rounds;    /* rounds: what products read is rounded to 8 bits */
} onnx__recurrent;

static hy_array *onnx__gate(onnx__run *R, const onnx__recurrent *z, hy_array *all, int i)
{
    return onnx__cut(R, all, onnx__rank(R, all) - 1, i * z->H, (i + 1) * z->H, 1);
}

static hy_array *onnx__act(onnx__run *R, const onnx__recurrent *z, int i, hy_array *x)
{
    hy_array *y;
    if (z->clip > 0 && i < 2) x = hy_clip(R->F, x, -z->clip, z->clip);  /* not the cell, as in onnxruntime */
    y = onnx__activation(R->F, z->act[i], x, z->a[i], z->b[i]);
    if (!y && x) onnx__fail(R, "activation %.40s", z->act[i]);
    return y;
}

static hy_array *onnx__turned(hy_frame *F, hy_array *x, hy_array *w)    /* x w^T */
{
    hy_dot_opt opt;
    opt.transpose_a = 0;
    opt.transpose_b = 1;
    return hy_dot(F, x, w, &opt);
}

static hy_array *onnx__rounded(onnx__run *R, hy_array *x);

/* The next h from the gates x w^T + wb of a step; z->c moves on, too. */
static hy_array *onnx__cell(onnx__run *R, onnx__recurrent *z, hy_array *xg)
{
    hy_frame *F = R->F;
    hy_array *hg, *i, *o, *f, *c, *n, *p, *h;
    if (z->gates == 3) {                        /* GRU: update, reset, hidden */
        hy_array *u, *k;
        hg = onnx__turned(F, z->h, z->r);
        if (z->rb) hg = hy_add(F, hg, z->rb);
        u = onnx__act(R, z, 0, hy_add(F, onnx__gate(R, z, xg, 0), onnx__gate(R, z, hg, 0)));
        k = onnx__act(R, z, 0, hy_add(F, onnx__gate(R, z, xg, 1), onnx__gate(R, z, hg, 1)));
        if (z->linear_before) n = hy_mul(F, k, onnx__gate(R, z, hg, 2));
        else {
            n = onnx__turned(F, hy_mul(F, k, z->h), onnx__cut(R, z->r, 0, 2 * z->H, 3 * z->H, 1));
            if (z->rb) n = hy_add(F, n, onnx__cut(R, z->rb, 0, 2 * z->H, 3 * z->H, 1));
        }
        n = onnx__act(R, z, 1, hy_add(F, onnx__gate(R, z, xg, 2), n));
        return hy_add(F, hy_mul(F, hy_rsub_scalar(F, u, 1), n), hy_mul(F, u, z->h));
    }
    h = z->h;
    if (z->rounds) h = onnx__rounded(R, z->on ? hy_mul(F, h, z->on) : h);   /* the range of who was alive */
    hg = hy_add(F, xg, onnx__turned(F, h, z->r));
    if (z->rb) hg = hy_add(F, hg, z->rb);
    if (z->gates == 1) return onnx__act(R, z, 0, hg);
    i = onnx__gate(R, z, hg, 0);                /* LSTM: input, output, forget, cell */
    o = onnx__gate(R, z, hg, 1);
    f = onnx__gate(R, z, hg, 2);
    p = z->peep;
    if (p) {
        i = hy_add(F, i, hy_mul(F, onnx__cut(R, p, 0, 0, z->H, 1), z->c));
        f = hy_add(F, f, hy_mul(F, onnx__cut(R, p, 0, 2 * z->H, 3 * z->H, 1), z->c));
    }
    i = onnx__act(R, z, 0, i);
    f = z->input_forget ? hy_rsub_scalar(F, i, 1) : onnx__act(R, z, 0, f);
    c = hy_add(F, hy_mul(F, f, z->c), hy_mul(F, i, onnx__act(R, z, 1, onnx__gate(R, z, hg, 3))));
    if (p) o = hy_add(F, o, hy_mul(F, onnx__cut(R, p, 0, z->H, 2 * z->H, 1), c));
    o = onnx__act(R, z, 0, o);
    z->c = c;
    return hy_mul(F, o, onnx__act(R, z, 2, c));
}

/* All steps of a direction: (T, N, H); the last states stay in z. Steps beyond a sequence's length give 0 and
 * leave the states as they are. */
static hy_array *onnx__unrolled(onnx__run *R, onnx__recurrent *z, int backward)
{
    hy_frame *F = R->F;
    hy_array **steps = (hy_array **)onnx__scratch(R, z->T, sizeof *steps), *all;
    int64_t k;
    all = onnx__turned(F, z->rounds ? onnx__rounded(R, z->x) : z->x, z->w);
    if (z->wb) all = hy_add(F, all, z->wb);
    for (k = 0; steps && k < z->T && !hy_error(F); k++) {
        int64_t t = backward ? z->T - 1 - k : k;
        hy_array *h0 = z->h, *c0 = z->c, *h;
        h = onnx__cell(R, z, onnx__to(R, onnx__cut(R, all, 0, t, t + 1, 1), HY_SHAPE(z->N, z->gates * z->H)));
        if (z->alive) {
            z->on = hy_broadcast_to(F, onnx__to(R, onnx__cut(R, z->alive, 0, t, t + 1, 1), HY_SHAPE(z->N, 1)),
                                    HY_INTS(z->N, z->H));
            steps[t] = hy_mul(F, h, z->on);
            h = hy_where(F, z->on, h, h0);
            if (z->c) z->c = hy_where(F, z->on, z->c, c0);
        } else steps[t] = h;
        z->h = h;
    }
    if (!steps || hy_error(F)) return NULL;
    return hy_stack(F, hy_group_of(F, (int)z->T, steps), 0);
}

/* 1 while a step lies within its sequence: (T, N, 1). */
static hy_array *onnx__alive(onnx__run *R, hy_array *lengths, int64_t T, int64_t N, hy_dtype d)
{
    hy_array *t = onnx__cast(R, onnx__counter(R, T, 1, 0, 2), d);
    t = hy_lesser(R->F, t, onnx__to(R, onnx__cast(R, lengths, d), HY_SHAPE(1, N)));
    return onnx__to(R, t, HY_SHAPE(T, N, 1));
}

/* Names of a direction's activations, with their numbers. */
/* Old files write them small. */
static const char *onnx__curve(const char *name)
{
    static const char *const curves[] = { "Relu", "Tanh", "Sigmoid", "Affine", "LeakyRelu", "ThresholdedRelu",
        "ScaledTanh", "HardSigmoid", "Elu", "Softsign", "Softplus" };
    size_t i, k;
    for (i = 0; i < sizeof curves / sizeof *curves; i++) {
        for (k = 0; name[k] && (name[k] | 32) == (curves[i][k] | 32); k++) {}
        if (!name[k] && !curves[i][k]) return curves[i];
    }
    return name;
}

static void onnx__activations(onnx__run *R, onnx__recurrent *z, int direction)
{
    static const char *const usual[4][3] = { { "", "", "" }, { "Tanh", "", "" }, { "Sigmoid", "Tanh", "" },
                                             { "Sigmoid", "Tanh", "Tanh" } };
    const onnx__attr *names = onnx__attr_of(R->node, "activations"),
        *as = onnx__attr_of(R->node, "activation_alpha");
    const onnx__attr *bs = onnx__attr_of(R->node, "activation_beta");
    int n = z->gates == 1 ? 1 : z->gates == 3 ? 2 : 3, i;
    for (i = 0; i < n; i++) {
        int at = direction * n + i;
        z->act[i] = onnx__curve(names && at < names->n ? names->strings[at] : usual[n][i]);
        z->a[i] = z->b[i] = 0;
        onnx__alphas(z->act[i], &z->a[i], &z->b[i]);
        if (as && at < as->n) z->a[i] = as->floats[at];
        if (bs && at < bs->n) z->b[i] = bs->floats[at];
    }
}

static hy_array *onnx__direction(onnx__run *R, hy_array *x,
                                 int d)      /* what belongs to it, without the axis */
{
    hy_shape s;
    int i;
    if (!x || !onnx__shape(R, x, &s)) return NULL;
    for (i = 0; i + 1 < s.ndim; i++) s.dim[i] = s.dim[i + 1];
    s.ndim--;
    return onnx__to(R, onnx__cut(R, x, 0, d, d + 1, 1), s);
}

#ifndef HYBRID_NO_RNN
/* hy_rnn's gates stand in another order: LSTM input, forget, cell, output; GRU reset, update, hidden. */
static hy_array *onnx__gates_sorted(onnx__run *R, hy_array *x, int gates, int64_t H)
{
    static const int lstm[] = { 0, 2, 3, 1 }, gru[] = { 1, 0, 2 };
    hy_array *part[4];
    int i;
    if (gates == 1) return x;
    for (i = 0; i < gates; i++) {
        int k = gates == 4 ? lstm[i] : gru[i];
        part[i] = onnx__cut(R, x, 0, k * H, (k + 1) * H, 1);
    }
    return hy_concat(R->F, hy_group_of(R->F, gates, part), 0);
}

/* What hy_rnn does: the usual activations, no peepholes, no clipping. 1: done. */
static int onnx__fused_rnn(onnx__run *R, const onnx__recurrent *z, hy_array *h0, hy_array *c0, int dirs)
{
    hy_array *list[8], *packed, *y, *b = onnx__in(R, 3);
    hy_frame *F = R->F;
    hy_rnn_opt opt;
    int d, i, n = 0, mode = z->gates == 4 ? HY_RNN_LSTM : z->gates == 3 ? HY_RNN_GRU : HY_RNN_TANH;
    const onnx__attr *names = onnx__attr_of(R->node, "activations");
    for (i = 0; names && i < names->n; i++) {
        const char *due = z->gates == 1 ? "Tanh" : i % (z->gates == 4 ? 3 : 2) ? "Tanh" : "Sigmoid";
        if (strcmp(names->strings[i], due)) return 0;
    }
    if (z->clip > 0 || onnx__has(R, 7) || onnx__has(R, 4) || (z->gates == 3 && !z->linear_before) ||
        z->input_forget ||
        !strcmp(onnx__string(R, "direction", "forward"), "reverse") ||
            hy_dtype_of(F, z->x) != HY_F32) return 0;
    for (d = 0; d < dirs; d++) {
        list[n++] = onnx__in_row(R, onnx__gates_sorted(R, onnx__direction(R, onnx__in(R, 1), d), z->gates,
                                                       z->H));
        list[n++] = onnx__in_row(R, onnx__gates_sorted(R, onnx__direction(R, onnx__in(R, 2), d), z->gates,
                                                       z->H));
    }
    for (d = 0; d < dirs; d++) {
        hy_array *one = b ? onnx__direction(R, b, d) : onnx__filled(R, HY_SHAPE(2 * z->gates * z->H), HY_F32,
                                                                    0);
        list[n++] = onnx__gates_sorted(R, onnx__cut(R, one, 0, 0, z->gates * z->H, 1), z->gates, z->H);
        list[n++] = onnx__gates_sorted(R, onnx__cut(R, one, 0, z->gates * z->H, 2 * z->gates * z->H, 1),
                                       z->gates, z->H);
    }
    packed = hy_concat(F, hy_group_of(F, n, list), 0);
    memset(&opt, 0, sizeof opt);
    opt.bidirectional = dirs == 2;
    opt.state_outputs = 1;
    y = hy_rnn(F, z->x, packed, h0, c0, NULL, (int)z->H, 1, mode, &opt);
    if (!y) return 1;
    list[0] = onnx__to(R, hy_get(F, y, 0), HY_SHAPE(z->T, z->N, dirs, z->H));
    onnx__out(R, 0, hy_transpose(F, list[0], HY_INTS(0, 2, 1, 3)));
    onnx__out(R, 1, hy_get(F, y, 1));
    if (z->gates == 4) onnx__out(R, 2, hy_get(F, y, 2));
    return 1;
}
#endif

/* DynamicQuantizeLSTM rounds a step's states by the range of all sequences in it, so that those that are read
 * backward all begin at the first step. Steps that no sequence reaches have no say in the range of x. */
static hy_array *onnx__backward_rounded(onnx__run *R, onnx__recurrent *z, hy_array *lengths)
{
    hy_sequence_reverse_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.use_sequence_length = 1;
    z->x = hy_sequence_reverse(R->F, z->x, lengths, &opt);
    return hy_sequence_reverse(R->F, onnx__unrolled(R, z, 0), lengths, &opt);
}

static hy_array *onnx__reached(onnx__run *R, hy_array *x, hy_array *lengths, int64_t T)
{
    hy_array *last = onnx__reduce(R, hy_max, onnx__cast(R, lengths, HY_I64), HY_EMPTY, 0);
    hy_array *on = onnx__alive(R, last, T, 1, HY_F32);
    return onnx__where(R, hy_broadcast_like(R->F, on, x, NULL), x, hy_zeros_like(R->F, x));
}

/* The weights of DynamicQuantizeLSTM as LSTM has them: (directions, gates, inputs), in f32. Their scale and
 * zero point are numbers of a direction, or of each of its gates. */
static hy_array *onnx__dequantized_gates(onnx__run *R, int i, int scale)
{
    hy_array *q = onnx__in(R, i), *by[2];
    hy_shape s, own;
    int k;
    if (!onnx__shape(R, q, &s) || s.ndim != 3) { onnx__fail(R, "weights of 3 dims are due"); return NULL; }
    q = hy_cast(R->F, q, HY_F32);
    for (k = 0; k < 2; k++) {
        by[k] = onnx__in(R, scale + k);
        if (!by[k] && k) continue;
        if (!onnx__shape(R, by[k], &own) || own.ndim < 1 || own.ndim > 2 || own.dim[0] != s.dim[0] ||
            (own.ndim == 2 && own.dim[1] != s.dim[2]) ||
            (k && onnx__type_in(R, scale + k) != onnx__type_in(R, i))) {
            onnx__fail(R, "input %d does not fit the weights: a number for each direction or gate is due",
                       scale + k);
            return NULL;
        }
        by[k] = onnx__to(R, onnx__cast(R, by[k], HY_F32),
                         HY_SHAPE(s.dim[0], 1, own.ndim == 2 ? s.dim[2] : 1));
    }
    if (by[1]) q = hy_sub(R->F, q, by[1]);
    return hy_transpose(R->F, hy_mul(R->F, q, by[0]), HY_INTS(0, 2, 1));
}

static void onnx__do_rnn(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *w = onnx__in(R, 1), *r = onnx__in(R, 2), *lengths = onnx__in(R, 4);
    hy_array *y[2], *h[2], *c[2], *h0, *c0 = NULL;
    const char *direction = onnx__string(R, "direction", "forward");
    int layout = onnx__int(R, "layout", 0) != 0, dirs = !strcmp(direction, "bidirectional") ? 2 : 1;
    int d, backward;
    hy_frame *F = R->F;
    onnx__recurrent z;
    hy_shape s, sr;
    memset(&z, 0, sizeof z);
    z.rounds = !strcmp(R->node->op, "DynamicQuantizeLSTM");
    z.gates = z.rounds || !strcmp(R->node->op, "LSTM") ? 4 : !strcmp(R->node->op, "GRU") ? 3 : 1;
    if (z.rounds) {
        w = onnx__dequantized_gates(R, 1, 8);
        r = onnx__dequantized_gates(R, 2, 10);
    }
    if (layout) x = hy_swap_axes(F, x, 0, 1);
    if (!onnx__shape(R, x, &s) || !onnx__shape(R, r, &sr)) return;
    if (s.ndim != 3 || sr.ndim != 3 || sr.dim[0] != dirs || s.dim[0] < 1) {
        onnx__fail(R, "X, W and R of 3 dims are due");
        return;
    }
    z.x = x;
    z.T = s.dim[0];
    z.N = s.dim[1];
    z.H = sr.dim[2];
    z.clip = onnx__float(R, "clip", 0);
    z.input_forget = onnx__int(R, "input_forget", 0) != 0;
    z.linear_before = onnx__int(R, "linear_before_reset", 0) != 0;
    h0 = onnx__has(R, 5) ? onnx__in(R, 5) : onnx__filled(R, HY_SHAPE(dirs, z.N, z.H), onnx__type_in(R, 0), 0);
    if (z.gates == 4)
        c0 = onnx__has(R, 6) ? onnx__in(R, 6) : onnx__filled(R, HY_SHAPE(dirs, z.N, z.H), onnx__type_in(R, 0),
                                                             0);
    if (layout && onnx__has(R, 5)) h0 = hy_swap_axes(F, h0, 0, 1);
    if (layout && onnx__has(R, 6)) c0 = hy_swap_axes(F, c0, 0, 1);
#ifndef HYBRID_NO_RNN
    if (!layout && !z.rounds && onnx__fused_rnn(R, &z, h0, c0, dirs)) return;
#endif
    if (lengths) z.alive = onnx__alive(R, lengths, z.T, z.N, onnx__type_in(R, 0));
    if (lengths && z.rounds) x = onnx__reached(R, x, lengths, z.T);
    for (d = 0; d < dirs; d++) {
        hy_array *b = onnx__direction(R, onnx__in(R, 3), d);
        onnx__activations(R, &z, d);
        z.w = onnx__direction(R, w, d);
        z.r = onnx__direction(R, r, d);
        z.wb = b ? onnx__cut(R, b, 0, 0, z.gates * z.H, 1) : NULL;
        z.rb = b ? onnx__cut(R, b, 0, z.gates * z.H, 2 * z.gates * z.H, 1) : NULL;
        z.peep = onnx__direction(R, z.gates == 4 ? onnx__in(R, 7) : NULL, d);
        z.h = onnx__direction(R, h0, d);
        z.c = onnx__direction(R, c0, d);
        z.x = x;
        z.on = NULL;
        backward = d || !strcmp(direction, "reverse");
        y[d] = backward && lengths && z.rounds ? onnx__backward_rounded(R, &z, lengths)
            : onnx__unrolled(R, &z, backward);
        h[d] = z.h;
        c[d] = z.c;
    }
    if (hy_error(F)) return;
    onnx__out(R, 0, hy_stack(F, hy_group_of(F, dirs, y), layout ? 2 : 1));
    if (layout) onnx__out(R, 0, hy_swap_axes(F, hy_stack(F, hy_group_of(F, dirs, y), 2), 0, 1));
    onnx__out(R, 1, hy_stack(F, hy_group_of(F, dirs, h), layout));
    if (z.gates == 4) onnx__out(R, 2, hy_stack(F, hy_group_of(F, dirs, c), layout));
}

/* --- quantised numbers --- */
/* A zero point has the type of the numbers that it is one of. */
static int onnx__zero_due(onnx__run *R, int zero, hy_dtype type)
{
    if (!onnx__has(R, zero) || onnx__type_in(R, zero) == type) return 1;
    onnx__fail(R, "input %d, a zero point, is of %s, its numbers of %s", zero + R->node->said_from,
               hy_dtype_name(onnx__type_in(R, zero)), hy_dtype_name(type));
    return 0;
}

/* A scale that is known is above 0 and finite. */
static int onnx__steps_due(onnx__run *R, int scale, int zero, hy_dtype type)
{
    hy_frame *F;
    hy_array *x;
    double *v;
    int64_t i, n;
    if (type && !onnx__zero_due(R, zero, type)) return 0;
    if (!onnx__is_known(R, scale)) return 1;
    x = onnx__known(R, scale, &F);
    n = x ? hy_size(F, x) : 0;
    v = x ? (double *)onnx__scratch(R, n, sizeof *v) : NULL;
    if (n && (!v || !hy_to(F, x, HY_F64, v, sizeof *v * (size_t)n))) return 0;
    for (i = 0; i < n; i++)
        if (!(v[i] > 0 && v[i] < HUGE_VAL)) {
            onnx__fail(R, "input %d, a scale, has %g: above 0 and finite is due",
                       scale + R->node->said_from, v[i]);
            return 0;
        }
    return 1;
}

/* A scale or zero point beside x: one number, one an element of the axis, or one a block. */
static hy_array *onnx__beside(onnx__run *R, hy_array *v, hy_array *x, int64_t block)
{
    hy_len own[HY_MAX_DIM];
    hy_shape s;
    int64_t along;
    int axis, ndim, i;
    if (!onnx__shape(R, v, &s)) return NULL;
    if (onnx__product(&s, 0, s.ndim) == 1) return onnx__scalar_shape(R, v);
    ndim = onnx__lens(R, x, own);
    axis = ndim < 0 ? 0 : onnx__axis(R, onnx__int(R, "axis", 1), ndim);
    if (ndim < 0 || hy_error(R->F)) return NULL;
    along = hy_len_value(R->F, own[axis]);              /* a trace is tied to that one */
    if (s.ndim == 1 && !block && s.dim[0] != along) {
        onnx__fail(R, "%lld scales or zero points for %lld numbers of axis %d", (long long)s.dim[0],
                   (long long)along, axis);
        return NULL;
    }
    if (s.ndim == 1 && !block) {
        s.dim[axis] = s.dim[0];
        for (i = 0; i < ndim; i++) if (i != axis) s.dim[i] = 1;
        s.ndim = ndim;
        return onnx__to(R, v, s);
    }
    if (s.ndim != ndim || block < 1 || block > INT32_MAX) {
        onnx__fail(R, "blocks of %d", (int)block);
        return NULL;
    }
    v = hy_repeat(R->F, v, (int)block, axis);
    return s.dim[axis] * block == along ? v : onnx__cut(R, v, axis, 0, along, 1);
}

static hy_array *onnx__dequantized(onnx__run *R, hy_array *x, hy_array *scale, hy_array *zero, int64_t block)
{
    hy_dtype d = scale ? hy_dtype_of(R->F, scale) : HY_F32;
    hy_array *y = onnx__cast(R, x, d == HY_F64 ? HY_F64 : HY_F32);
    if (zero)
        y = hy_sub(R->F, y, onnx__cast(R, onnx__beside(R, zero, x, block), d == HY_F64 ? HY_F64 : HY_F32));
    y = hy_mul(R->F, y, onnx__cast(R, onnx__beside(R, scale, x, block), d == HY_F64 ? HY_F64 : HY_F32));
    return onnx__cast(R, y, d);
}

static hy_array *onnx__quantized(onnx__run *R, hy_array *x, hy_array *scale, hy_array *zero, hy_dtype d,
                                 int64_t block)
{
    int kind = R->node->kind;
    hy_array *y = onnx__cast(R, x, HY_F32);
    y = hy_round_even(R->F, hy_div(R->F, y, onnx__cast(R, onnx__beside(R, scale, x, block), HY_F32)));
    if (zero) y = hy_add(R->F, y, onnx__cast(R, onnx__beside(R, zero, x, block), HY_F32));
    if (kind) y = hy_clip(R->F, y, onnx__kinds[kind].low, onnx__kinds[kind].high);
    return hy_cast(R->F, y, d);                 /* which saturates */
}

static void onnx__do_quantize(onnx__run *R)
{
    hy_dtype d = onnx__has(R, 2) ? onnx__type_in(R, 2) : onnx__int(R, "output_dtype", 0)
        ? onnx__held_in(onnx__int(R, "output_dtype", 0)) : HY_U8;
    if (!d) {
        onnx__fail(R, "hybrid.h has no type %s", onnx__kind_name(onnx__int(R, "output_dtype", 0)));
        return;
    }
    if (!onnx__steps_due(R, 1, 2, HY_DTYPE_NONE)) return;
    onnx__out(R, 0, onnx__quantized(R, onnx__in(R, 0), onnx__in(R, 1), onnx__in(R, 2), d,
                                    onnx__int(R, "block_size", 0)));
}

static void onnx__do_dequantize(onnx__run *R)
{
    if (!onnx__steps_due(R, 1, 2, onnx__type_in(R, 0))) return;
    onnx__out(R, 0, onnx__dequantized(R, onnx__in(R, 0), onnx__in(R, 1), onnx__in(R, 2),
                                      onnx__int(R, "block_size", 0)));
}

/* The range of x as 256 steps: their size, and (u8) which of them is 0. */
static void onnx__steps_of(onnx__run *R, hy_array *x, hy_array **scale, hy_array **zero)
{
    hy_frame *F = R->F;
    hy_array *low = hy_minimum_scalar(F, onnx__reduce(R, hy_min, x, HY_EMPTY, 0), 0),
        *high = hy_maximum_scalar(F, onnx__reduce(R, hy_max, x, HY_EMPTY, 0), 0);
    *scale = hy_div_scalar(F, hy_sub(F, high, low), 255);
    *scale = hy_add(F, *scale, onnx__cast(R, hy_equal_scalar(F, *scale, 0), HY_F32));   /* 1: all are 0 */
    *zero = hy_round_even(F, hy_clip(F, hy_div(F, hy_negative(F, low), *scale), 0, 255));
    *zero = hy_cast(F, *zero, HY_U8);
}

static void onnx__do_dynamic_quantize(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *scale, *zero;
    onnx__steps_of(R, x, &scale, &zero);
    onnx__out(R, 0, onnx__quantized(R, x, scale, zero, HY_U8, 0));
    onnx__out(R, 1, scale);
    onnx__out(R, 2, zero);
}

/* x on the nearest of 256 steps. */
static hy_array *onnx__rounded(onnx__run *R, hy_array *x)
{
    hy_array *scale, *zero;
    onnx__steps_of(R, x, &scale, &zero);
    return onnx__dequantized(R, onnx__quantized(R, x, scale, zero, HY_U8, 0), scale, zero, 0);
}

/* Integers less their zero point, in doubles: products of them are exact. The zero point of the first operand
 * of a product belongs to rows, that of the second to columns. */
static hy_array *onnx__centered(onnx__run *R, hy_array *x, hy_array *zero, int rows)
{
    hy_shape s;
    x = onnx__cast(R, x, HY_F64);
    if (!zero || !onnx__shape(R, zero, &s)) return x;
    zero = onnx__cast(R, zero, HY_F64);
    if (s.ndim == 1 && s.dim[0] > 1 && rows) zero = onnx__to(R, zero, HY_SHAPE(s.dim[0], 1));
    return hy_sub(R->F, x, s.ndim == 1 && s.dim[0] == 1 ? onnx__scalar_shape(R, zero) : zero);
}

#ifdef HYBRID_NO_INT8
static void onnx__do_whole(onnx__run *R) { onnx__fail(R, "HYBRID_NO_INT8 leaves it out"); }
#else
/* --- products of whole numbers: a weight in panels of 16 filters, steps of 4 neighbours --- */
/* (groups, filters, channels, rows, taps that are joined) as (panels, steps, 16, 4), filled up with zeros. */
static hy_array *onnx__in_panels(onnx__run *R, hy_array *w, int64_t groups, int64_t filters, int64_t channels,
                                 int64_t rows, int64_t joined)
{
    const int64_t many = (filters + 15) / 16, steps = (channels * joined + 3) / 4;
    hy_ints pads;
    memset(&pads, 0, sizeof pads);
    pads.n = 8;
    pads.v[5] = many * 16 - filters;
    pads.v[7] = steps * 4 - channels * joined;
    w = onnx__to(R, w, HY_SHAPE(groups, filters, channels, rows, joined));
    w = hy_transpose(R->F, w, HY_INTS(0, 1, 3, 4, 2));
    w = onnx__to(R, w, HY_SHAPE(groups, filters, rows, joined * channels));
    w = onnx__padded(R, w, &pads, "constant", 0);
    w = onnx__to(R, w, HY_SHAPE(groups * many, 16, rows * steps, 4));
    return hy_transpose(R->F, w, HY_INTS(0, 2, 1, 3));
}

/* (channels, 1, ...), each channel by itself: 4 taps below each other are a step, filled up with zeros. */
static hy_array *onnx__in_panels_deep(onnx__run *R, hy_array *w, const hy_shape *s)
{
    const int64_t many = (s->dim[0] + 15) / 16, high = s->ndim > 3 ? s->dim[s->ndim - 2] : 1;
    const int64_t fours = (high + 3) / 4, deep = s->ndim > 4 ? s->dim[2] : 1, wide = s->dim[s->ndim - 1];
    hy_ints pads;
    memset(&pads, 0, sizeof pads);
    pads.n = 8;
    pads.v[4] = many * 16 - s->dim[0];
    pads.v[6] = fours * 4 - high;
    w = onnx__padded(R, onnx__to(R, w, HY_SHAPE(s->dim[0], deep, high, wide)), &pads, "constant", 0);
    w = onnx__to(R, w, HY_SHAPE(many, 16, deep, fours, 4, wide));
    w = hy_transpose(R->F, w, HY_INTS(0, 2, 3, 5, 1, 4));
    return onnx__to(R, w, HY_SHAPE(many, deep * fours * wide, 16, 4));
}

/* The weight as int8, its scale for each of n filters with that of the data, the bias as floats. 0: they do
 * not fit. */
static int onnx__whole_weight(onnx__run *R, int64_t n, hy_array **w, hy_array **scale, hy_array **bias)
{
    const onnx__steps *z = R->node->steps;
    hy_frame *F = R->F;
    int64_t scales;
    hy_shape s;
    *w = onnx__in(R, 1);
    *scale = onnx__in(R, 2);
    *bias = onnx__in(R, 3);
    if (!onnx__shape(R, *scale, &s) || !*w) return 0;
    if (z->less) *w = hy_cast(F, hy_sub_scalar(F, hy_cast(F, *w, HY_F32), z->less), HY_I8);
    scales = onnx__product(&s, 0, s.ndim);
    if (hy_dtype_of(F, *w) != HY_I8 || (scales != 1 && scales != n)) {
        onnx__fail(R, "weights of %s, %d scales for %d filters", hy_dtype_name(hy_dtype_of(F, *w)),
                   (int)scales, (int)n);
        return 0;
    }
    *scale = onnx__spread(R, onnx__to(R, *scale, HY_SHAPE(scales)), HY_SHAPE(n));
    *scale = onnx__cast(R, *scale, HY_F32);
    if (z->x_kind != 1) *scale = hy_mul_scalar(F, *scale, z->x_scale);
    if (*bias && z->whole_bias) *bias = hy_mul(F, hy_cast(F, *bias, HY_F32), *scale);
    if (*bias) {
        if (!onnx__shape(R, *bias, &s)) return 0;
        *bias = onnx__spread(R, onnx__to(R, *bias, HY_SHAPE(onnx__product(&s, 0, s.ndim))), HY_SHAPE(n));
        *bias = onnx__cast(R, *bias, HY_F32);
    }
    return !hy_error(F);
}

static hy_array *onnx__whole_data(onnx__run *R)
{
    static const hy_dtype types[] = { HY_DTYPE_NONE, HY_F32, HY_U8, HY_I8 };
    hy_array *x = onnx__in(R, 0);
    if (x && hy_dtype_of(R->F, x) != types[R->node->steps->x_kind]) {
        onnx__fail(R, "data of %s, a zero point of %s", hy_dtype_name(hy_dtype_of(R->F, x)),
                   hy_dtype_name(types[R->node->steps->x_kind]));
        return NULL;
    }
    return x;
}
#define ONNX__STEPS_INTO(opt, z) \
    ((opt).relu = (z)->relu, (opt).no_bias = !bias, (opt).own_range = (z)->x_kind == 1, \
     (opt).zero = (z)->x_kind == 1 ? 0 : (z)->x_zero, (opt).out_scale = (z)->y_scale, \
     (opt).out_zero = (z)->y_scale > 0 ? (z)->y_zero : 0, \
     (opt).out_dtype = (z)->y_scale > 0 ? (z)->y_kind == 3 ? HY_I8 : HY_U8 : HY_F32)

/* Groups of few channels: floats add up their sums exactly, as there are so few products in each. */
static hy_array *onnx__whole_apart(onnx__run *R, hy_array *x, hy_array *w, hy_array *scale, hy_array *bias)
{
    const onnx__steps *z = R->node->steps;
    const hy_dtype d = z->y_kind == 3 ? HY_I8 : HY_U8;
    hy_frame *F = R->F;
    hy_array *step = NULL, *zero, *y;
    const int ndim = onnx__rank(R, w);
    if (z->x_kind == 1) {
        onnx__steps_of(R, x, &step, &zero);
        x = hy_cast(F, onnx__quantized(R, x, step, zero, HY_U8, 0), HY_F32);
        x = hy_sub(F, x, hy_cast(F, zero, HY_F32));
        scale = hy_mul(F, scale, step);
    } else x = hy_sub_scalar(F, hy_cast(F, x, HY_F32), z->x_zero);
    y = onnx__convolved(R, x, hy_cast(F, w, HY_F32), NULL);
    y = hy_mul(F, y, onnx__channels(R, scale, ndim));
    if (bias) y = hy_add(F, y, onnx__channels(R, bias, ndim));
    if (z->relu) y = hy_relu(F, y);
    if (!z->y_scale) return y;
    y = hy_add_scalar(F, hy_round_even(F, hy_div_scalar(F, y, z->y_scale)), z->y_zero);
    return hy_cast(F, hy_clip(F, y, d == HY_I8 ? -128 : 0, d == HY_I8 ? 127 : 255), d);
}

static hy_array *onnx__whole_convolved(onnx__run *R)
{
    const onnx__steps *z = R->node->steps;
    hy_array *x = onnx__whole_data(R), *w = onnx__in(R, 1), *scale, *bias;
    const int64_t groups = onnx__clamped(onnx__int(R, "group", 1), 1, INT32_MAX);
    hy_int8_convolution_opt opt;
    onnx__window window;
    int64_t joined, taps;
    hy_shape s;
    memset(&opt, 0, sizeof opt);
    if (!x || !onnx__shape(R, w, &s) || !onnx__window_of(R, x, s.dim + 2, &window)) return NULL;
    if (s.ndim != window.dims + 2 || s.dim[0] < 1 || s.dim[0] > INT32_MAX || s.dim[0] % groups) {
        onnx__fail(R, "a weight of %d dims, %d groups", s.ndim, (int)groups);
        return NULL;
    }
    if (!onnx__whole_weight(R, s.dim[0], &w, &scale, &bias)) return NULL;
    joined = window.dilate[window.dims - 1] == 1 ? s.dim[s.ndim - 1] : 1;
    taps = onnx__product(&s, 2, s.ndim);
    if (groups > 1 && groups == s.dim[0] && s.dim[1] == 1 && hy_dim(R->F, x, 1) == groups && taps > 0)
        w = onnx__in_panels_deep(R, w, &s);
    else if (groups > 1 && s.dim[1] < 4 && taps < 128) return onnx__whole_apart(R, x, w, scale, bias);
    else w = onnx__in_panels(R, w, groups, s.dim[0] / groups, s.dim[1], taps / (joined ? joined : 1),
                             joined);
    opt.stride = onnx__list(window.stride, window.dims);
    opt.dilate = onnx__list(window.dilate, window.dims);
    opt.pad = onnx__list(window.before, window.dims);
    if (!onnx__even(&window)) opt.pad_end = onnx__list(window.after, window.dims);
    opt.num_group = (int)groups;
    opt.in_channels = (int)(groups * s.dim[1]);
    ONNX__STEPS_INTO(opt, z);
    return hy_int8_convolution(R->F, x, w, scale, bias, onnx__list(window.kernel, window.dims), (int)s.dim[0],
                               1, &opt);
}

static hy_array *onnx__whole_product(onnx__run *R)
{
    const onnx__steps *z = R->node->steps;
    hy_array *x = onnx__whole_data(R), *w = onnx__in(R, 1), *scale, *bias;
    hy_int8_dense_opt opt;
    hy_shape s;
    int64_t n, k;
    memset(&opt, 0, sizeof opt);
    if (!x || !onnx__shape(R, w, &s)) return NULL;
    n = s.ndim == 2 ? s.dim[z->turned ? 0 : 1] : 0;
    k = s.ndim == 2 ? s.dim[z->turned ? 1 : 0] : 0;
    if (n < 1 || n > INT32_MAX || hy_ndim(R->F, x) < 1 || hy_dim(R->F, x, hy_ndim(R->F, x) - 1) != k) {
        onnx__fail(R, "a weight of %d dims does not fit the data", s.ndim);
        return NULL;
    }
    if (!onnx__whole_weight(R, n, &w, &scale, &bias)) return NULL;
    if (!z->turned) w = hy_transpose(R->F, w, HY_INTS(1, 0));
    w = onnx__in_panels(R, w, 1, n, k, 1, 1);
    opt.no_flatten = 1;
    opt.in_units = (int)k;
    ONNX__STEPS_INTO(opt, z);
    return hy_int8_dense(R->F, x, w, scale, bias, (int)n, 1, &opt);
}

/* All 256 numbers of a type, as those which they stand for. */
static hy_array *onnx__all_bytes(onnx__run *R, double scale, int zero, int kind)
{
    double v[256];
    int i;
    for (i = 0; i < 256; i++) v[i] = (i - (kind == 3 ? 128 : 0) - zero) * scale;
    return onnx__from_doubles(R, HY_SHAPE(256), HY_F32, v);
}

/* Floats as the node's results are rounded, if they are. */
static hy_array *onnx__in_steps(onnx__run *R, hy_array *y)
{
    const onnx__steps *z = R->node->steps;
    const hy_dtype d = z->y_kind == 3 ? HY_I8 : HY_U8;
    hy_frame *F = R->F;
    if (!(z->y_scale > 0)) return y;
    y = hy_add_scalar(F, hy_round_even(F, hy_div_scalar(F, y, z->y_scale)), z->y_zero);
    return hy_cast(F, hy_clip(F, y, d == HY_I8 ? -128 : 0, d == HY_I8 ? 127 : 255), d);
}

/* x by a table of what the node gives. */
static hy_array *onnx__by_table(onnx__run *R, hy_array *x, hy_array *table)
{
    return hy_int8_table(R->F, x, onnx__in_steps(R, table));
}

static hy_array *onnx__restepped(onnx__run *R, hy_array *x, const onnx__scaled *from)
{
    const onnx__steps *z = R->node->steps;
    if (from->scale == z->y_scale && from->zero == z->y_zero && from->kind == z->y_kind) return x;
    return onnx__by_table(R, x, onnx__all_bytes(R, from->scale, from->zero, from->kind));
}

/* What the node itself gives where its input i has that value. */
static hy_array *onnx__inner(onnx__run *R, onnx__node *inner, int i, hy_array *x)
{
    onnx__node *outer = R->node;
    onnx__value kept = R->value[inner->in[i]], got = R->value[inner->out[0]], none;
    hy_array *y;
    memset(&none, 0, sizeof none);
    R->value[inner->in[i]] = none;
    R->value[inner->in[i]].x = x;
    R->value[inner->in[i]].known = R->F == R->K ? x : NULL;
    R->node = inner;
    R->node->row->fn(R);
    y = R->F == R->K ? R->value[inner->out[0]].known : R->value[inner->out[0]].x;
    R->node = outer;
    R->value[inner->in[i]] = kept;
    if (inner->out[0] != outer->out[0]) R->value[inner->out[0]] = got;
    return y;
}

static hy_array *onnx__sum_of_bytes(onnx__run *R)
{
    const onnx__steps *z = R->node->steps;
    hy_array *a = onnx__in(R, 0), *b = onnx__in(R, 1), *keep;
    hy_int8_add_opt opt;
    hy_len own[2][HY_MAX_DIM], both[HY_MAX_DIM];
    int swap, i, ndim, less = onnx__lens(R, b, own[1]), have = onnx__lens(R, a, own[0]);
    memset(&opt, 0, sizeof opt);
    if (have < 0 || less < 0) return NULL;
    memcpy(both, own[0], sizeof both);
    ndim = onnx__both_lens(R, both, have, own[1], less);
    if (ndim < 0 || hy_error(R->F)) return NULL;
    for (swap = have < ndim, i = 0; i < have && !swap; i++) swap = !hy_len_same(both[i], own[0][i]);
    if (swap) { keep = a; a = b; b = keep; less = have; }
    a = onnx__spread_lens(R, a, both, ndim);
    for (; less < ndim; less++) b = hy_expand_dims(R->F, b, 0);         /* of as many dims */
    opt.lhs_zero = z->in[swap].zero;
    opt.rhs_zero = z->in[!swap].zero;
    opt.multiply = !strcmp(z->inner->op, "Mul");
    opt.relu = z->relu;
    opt.out_scale = z->y_scale;
    opt.out_zero = z->y_scale > 0 ? z->y_zero : 0;
    opt.out_dtype = z->y_scale > 0 ? z->y_kind == 3 ? HY_I8 : HY_U8 : HY_F32;
    return hy_int8_add(R->F, a, b, z->in[swap].scale, z->in[!swap].scale, &opt);
}

/* One operator of numbers of 8 bits; what it reads has the type of its zero point. */
static hy_array *onnx__of_bytes(onnx__run *R)
{
    const onnx__steps *z = R->node->steps;
    hy_array *x[ONNX__BYTES_MOST];
    int i, which = 0, axis;
    for (i = 0; i < z->n; i++) {
        x[i] = onnx__in(R, i);
        if (!z->in[i].kind) continue;
        which = i;
        if (x[i] && hy_dtype_of(R->F, x[i]) != (z->in[i].kind == 3 ? HY_I8 : HY_U8)) {
            onnx__fail(R, "input %d is of %s, not of the type of its zero point", i,
                       hy_dtype_name(hy_dtype_of(R->F, x[i])));
            return NULL;
        }
    }
    if (hy_error(R->F)) return NULL;
    switch (z->bytes) {
    case ONNX__SUM: return onnx__sum_of_bytes(R);
    case ONNX__TABLE: {
        hy_array *table = onnx__all_bytes(R, z->in[which].scale, z->in[which].zero, z->in[which].kind);
        table = onnx__inner(R, z->inner, which, table);
        for (i = 1; i < z->inners; i++) table = onnx__inner(R, z->inner + i, z->inner[i].number, table);
        return onnx__by_table(R, x[which], onnx__to(R, table, HY_SHAPE(256)));
    }
    case ONNX__AVERAGED: {
        hy_array *y = onnx__inner(R, z->inner, which, hy_cast(R->F, x[which], HY_F32));
        return onnx__in_steps(R, hy_mul_scalar(R->F, hy_sub_scalar(R->F, y, z->in[which].zero),
                                               z->in[which].scale));
    }
    case ONNX__MOVED: return onnx__restepped(R, onnx__inner(R, z->inner, which, x[which]), &z->in[which]);
    default:
        for (i = 0; i < z->n; i++) x[i] = onnx__restepped(R, x[i], &z->in[i]);
        axis = hy_error(R->F) ? 0 : onnx__axis(R, onnx__int(R, "axis", 1), hy_ndim(R->F, x[0]));
        return z->n == 1 ? x[0] : hy_concat(R->F, hy_group_of(R->F, z->n, x), axis);
    }
}

static void onnx__do_whole(onnx__run *R)
{
    if (!R->node->steps) onnx__fail(R, "a file does not have it");
    else if (R->node->steps->bytes) onnx__out(R, 0, onnx__of_bytes(R));
    else onnx__out(R, 0, R->node->steps->product ? onnx__whole_product(R) : onnx__whole_convolved(R));
}
#endif

static int onnx__integers_due(onnx__run *R)
{
    return onnx__zero_due(R, 2, onnx__type_in(R, 0)) && onnx__zero_due(R, 3, onnx__type_in(R, 1));
}

static void onnx__do_matmul_integer(onnx__run *R)
{
    hy_array *a = onnx__centered(R, onnx__in(R, 0), onnx__in(R, 2), 1),
        *b = onnx__centered(R, onnx__in(R, 1), onnx__in(R, 3), 0);
    if (onnx__integers_due(R)) onnx__out(R, 0, hy_cast(R->F, onnx__matmul(R, a, b), HY_I32));
}

static void onnx__do_conv_integer(onnx__run *R)
{
    hy_array *x = onnx__centered(R, onnx__in(R, 0), onnx__in(R, 2), 0), *w = onnx__in(R, 1),
        *zero = onnx__in(R, 3);
    hy_shape s, sw;
    if (!onnx__integers_due(R)) return;
    if (zero && onnx__shape(R, zero, &s) && s.ndim == 1 && s.dim[0] > 1 && onnx__shape(R, w, &sw)) {
        while (s.ndim < sw.ndim) s.dim[s.ndim++] = 1;
        zero = onnx__to(R, zero, s);
    }
    onnx__out(R, 0, hy_cast(R->F, onnx__convolved(R, x, onnx__centered(R, w, zero, 0), NULL), HY_I32));
}

static hy_array *onnx__requantized(onnx__run *R, hy_array *y, hy_array *sa, hy_array *sb, hy_array *sy,
                                   hy_array *zy)
{
    hy_array *scale = hy_div(R->F, hy_mul(R->F, onnx__cast(R, sa, HY_F64), onnx__cast(R, sb, HY_F64)),
                             onnx__cast(R, sy, HY_F64));
    y = hy_round_even(R->F, hy_mul(R->F, y, scale));
    y = hy_add(R->F, y, onnx__cast(R, zy, HY_F64));
    return hy_cast(R->F, y, zy ? hy_dtype_of(R->F, zy) : HY_U8);
}

static int onnx__qlinear_due(onnx__run *R)
{
    return onnx__steps_due(R, 1, 2, onnx__type_in(R, 0)) && onnx__steps_due(R, 4, 5, onnx__type_in(R, 3)) &&
        onnx__steps_due(R, 6, 7, HY_DTYPE_NONE);
}

/* What was not taken apart when the file was read. */
static void onnx__do_qlinear_other(onnx__run *R)
{
    onnx__fail(R, "%d inputs: each has a scale and a zero point, so has the result", R->node->nin);
}

static void onnx__do_qlinear_matmul(onnx__run *R)
{
    hy_array *a = onnx__centered(R, onnx__in(R, 0), onnx__in(R, 2), 1),
        *b = onnx__centered(R, onnx__in(R, 3), onnx__in(R, 5), 0);
    hy_array *sa = onnx__in(R, 1);
    hy_shape s;
    if (!onnx__qlinear_due(R)) return;
    if (sa && onnx__shape(R, sa, &s) && s.ndim == 1 && s.dim[0] > 1)
        sa = onnx__to(R, sa, HY_SHAPE(s.dim[0], 1));
    onnx__out(R, 0, onnx__requantized(R, onnx__matmul(R, a, b), sa, onnx__in(R, 4), onnx__in(R, 6),
                                      onnx__in(R, 7)));
}

static void onnx__do_qlinear_conv(onnx__run *R)
{
    hy_array *x = onnx__centered(R, onnx__in(R, 0), onnx__in(R, 2), 0), *w = onnx__in(R, 3),
        *sw = onnx__in(R, 4), *zw = onnx__in(R, 5), *y;
    hy_array *bias = onnx__in(R, 8);
    hy_shape s, shape;
    if (!onnx__qlinear_due(R) || !onnx__shape(R, w, &shape) || !onnx__shape(R, sw, &s)) return;
    if (s.ndim == 1 && s.dim[0] > 1) {
        hy_shape z = shape;
        int i;
        for (i = 1; i < z.ndim; i++) z.dim[i] = 1;
        sw = onnx__channels(R, sw, shape.ndim);
        zw = onnx__to(R, zw, z);
    }
    y = onnx__convolved(R, x, onnx__centered(R, w, zw, 0), bias ? hy_cast(R->F, bias, HY_F64) : NULL);
    onnx__out(R, 0, onnx__requantized(R, y, onnx__in(R, 1), sw, onnx__in(R, 6), onnx__in(R, 7)));
}

/* --- attention --- */
static hy_array *onnx__heads(onnx__run *R, hy_array *x,
                             int64_t heads)  /* (B, T, heads D) as (B, heads, T, D) */
{
    hy_shape s;
    if (!onnx__shape(R, x, &s) || s.ndim != 3) return x;
    if (heads < 1 || s.dim[2] % heads) {
        onnx__fail(R, "%d heads of %d", (int)heads, (int)s.dim[2]);
        return NULL;
    }
    x = onnx__to(R, x, HY_SHAPE(s.dim[0], s.dim[1], heads, s.dim[2] / heads));
    return hy_transpose(R->F, x, HY_INTS(0, 2, 1, 3));
}

static hy_array *onnx__unheaded(onnx__run *R, hy_array *x)
{
    hy_shape s;
    if (!onnx__shape(R, x, &s)) return NULL;
    return onnx__to(R, hy_transpose(R->F, x, HY_INTS(0, 2, 1, 3)),
                    HY_SHAPE(s.dim[0], s.dim[2], s.dim[1] * s.dim[3]));
}

/* Which keys a query may see, as what is added to the scores: 0 or -inf; NULL: all. */
static hy_array *onnx__causal_bias(onnx__run *R, int64_t queries, int64_t keys, int64_t past, hy_array *valid,
                                   int64_t batch)
{
    hy_frame *F = R->F;
    int causal = onnx__int(R, "is_causal", 0) != 0;
    int64_t left = onnx__int(R, "left_window_size", -1), right = onnx__int(R, "right_window_size", -1);
    hy_array *q, *k, *away, *no = NULL;
    if (!causal && left < 0 && right < 0 && !valid) return NULL;
    q = onnx__counter(R, queries, 1, 2, 4);
    k = onnx__counter(R, keys, 1, 3, 4);
    if (valid) valid = onnx__to(R, onnx__cast(R, valid, HY_I64), HY_SHAPE(batch, 1, 1, 1));
    if (valid && !onnx__has(R, 4)) q = hy_add(F, q, hy_sub_scalar(F, valid, (double)queries));
    else if (past) q = hy_add_scalar(F, q, (double)past);
    away = hy_sub(F, k, q);
    if (causal || right == 0) no = hy_greater_scalar(F, away, 0);
    else if (right > 0) no = hy_greater_scalar(F, away, (double)right);
    if (left >= 0) {
        hy_array *early = hy_lesser_scalar(F, away, (double)-left);
        no = no ? hy_logical_or(F, no, early) : early;
    }
    if (valid) {
        hy_array *beyond = hy_greater_equal(F, k, valid);
        no = no ? hy_logical_or(F, no, beyond) : beyond;
    }
    no = onnx__cast(R, no, HY_F32);
    return hy_where(F, no, onnx__filled(R, hy_shape_of(F, no), HY_F32, -INFINITY), hy_zeros_like(F, no));
}

static hy_array *onnx__mask_bias(onnx__run *R, hy_array *mask, int64_t keys)
{
    hy_shape s;
    if (!onnx__shape(R, mask, &s)) return NULL;
    if (hy_dtype_of(R->F, mask) == HY_BOOL) {
        mask = hy_cast(R->F, mask, HY_F32);
        mask = hy_where(R->F, mask, hy_zeros_like(R->F, mask), onnx__filled(R, s, HY_F32, -INFINITY));
    } else mask = onnx__cast(R, mask, HY_F32);
    if (s.ndim && s.dim[s.ndim - 1] < keys) {   /* keys that it leaves out are not seen */
        s.dim[s.ndim - 1] = keys - s.dim[s.ndim - 1];
        mask = onnx__join(R, mask, onnx__filled(R, s, HY_F32, -INFINITY), s.ndim - 1);
    }
    return mask;
}

static hy_array *onnx__shared_heads(onnx__run *R, hy_array *x,
                                    int64_t heads)   /* each key head for several */
{
    int64_t own = x ? hy_dim(R->F, x, 1) : 1;
    if (own == heads || own < 1) return x;
    if (heads % own) { onnx__fail(R, "%d heads share %d", (int)heads, (int)own); return NULL; }
    return hy_repeat(R->F, x, (int)(heads / own), 1);
}

/* One operator does it where nothing is asked in between. 16 bits have roundings of their own. */
static int onnx__attention_at_once(onnx__run *R)
{
    hy_dtype d = onnx__type_in(R, 0);
    hy_dtype fine = onnx__dtype(onnx__int(R, "softmax_precision", 0));
    return (d == HY_F32 || d == HY_F64) && (!fine || fine == d) && !onnx__wants(R, 3) && !onnx__has(R, 6) &&
           onnx__float(R, "softcap", 0) == 0 && onnx__int(R, "left_window_size", -1) < 0 &&
           onnx__int(R, "right_window_size", -1) < 0;
}

/* The mask as that operator takes it; keys that it leaves out are not seen. */
static hy_array *onnx__whole_mask(onnx__run *R, int64_t keys)
{
    hy_array *mask = onnx__in(R, 3);
    hy_dtype d = onnx__type_in(R, 3);
    hy_shape s;
    if (!onnx__shape(R, mask, &s)) return NULL;
    if (d != HY_BOOL) mask = onnx__cast(R, mask, d = onnx__type_in(R, 0));
    if (s.ndim && s.dim[s.ndim - 1] < keys) {
        s.dim[s.ndim - 1] = keys - s.dim[s.ndim - 1];
        mask = onnx__join(R, mask, onnx__filled(R, s, d, d == HY_BOOL ? 0 : -INFINITY), s.ndim - 1);
    }
    return mask;
}

static void onnx__attend(onnx__run *R, hy_array *q, hy_array *k, hy_array *v, int64_t past)
{
    int flat = onnx__rank(R, k) == 3;
    int64_t heads = onnx__int(R, "q_num_heads", 0), shared = onnx__int(R, "kv_num_heads", 0);
    double scale = onnx__float(R, "scale", 0);
    hy_attention_opt opt;
    if (flat && (!onnx__within(heads, 1, INT32_MAX) || !onnx__within(shared, 1, INT32_MAX))) {
        onnx__fail(R, "%d heads, %d of keys", (int)heads, (int)shared);
        return;
    }
    memset(&opt, 0, sizeof opt);
    opt.heads = flat ? (int)heads : 1;
    opt.kv_heads = flat ? (int)shared : 0;
    opt.scale = onnx__attr_of(R->node, "scale") && scale == 0 ? HY_ZERO : scale;
    opt.causal = onnx__int(R, "is_causal", 0) != 0;
    opt.past = (int)onnx__clamped(past, 0, INT32_MAX);
    opt.use_mask = opt.zero_hidden = onnx__has(R, 3);
    if (opt.use_mask && k) opt.mask = onnx__whole_mask(R, hy_dim(R->F, k, flat ? 1 : 2));
    q = hy_attention(R->F, q, k, v, &opt);
    onnx__out(R, 0, !flat && onnx__rank(R, onnx__in(R, 0)) == 3 ? onnx__unheaded(R, q) : q);
}

/* The past, which is input i, and behind it x: output `out`. */
static hy_array *onnx__joined(onnx__run *R, int i, hy_array *x, int out)
{
    return onnx__grows(R, i, out) ? hy_extend(R->F, onnx__in(R, i), x, 2) : onnx__join(R, onnx__in(R, i), x, 2);
}

static void onnx__do_attention(onnx__run *R)
{
    hy_frame *F = R->F;
    hy_array *q = onnx__in(R, 0), *k = onnx__in(R, 1), *v = onnx__in(R, 2), *score, *bias, *mask, *p;
    hy_dtype d = onnx__type_in(R, 0), fine;
    double softcap = onnx__float(R, "softcap", 0), scale;
    int flat = onnx__rank(R, q) == 3, mode = (int)onnx__int(R, "qk_matmul_output_mode", 0);
    int64_t past = 0;
    hy_shape sq, sk;
    if (onnx__attention_at_once(R) && !onnx__has(R, 4) && !onnx__wants(R, 1) && !onnx__wants(R, 2)) {
        onnx__attend(R, q, k, v, 0);
        return;
    }
    if (flat) {
        q = onnx__heads(R, q, onnx__int(R, "q_num_heads", 0));
        k = onnx__heads(R, k, onnx__int(R, "kv_num_heads", 0));
        v = onnx__heads(R, v, onnx__int(R, "kv_num_heads", 0));
    }
    if (onnx__has(R, 4)) {
        past = hy_dim(F, onnx__in(R, 4), 2);
        k = onnx__joined(R, 4, k, 1);
        v = onnx__joined(R, 5, v, 2);
    }
    onnx__out(R, 1, !onnx__wants(R, 1) ? NULL : onnx__has(R, 4) ? k : hy_identity(F, k));
    onnx__out(R, 2, !onnx__wants(R, 2) ? NULL : onnx__has(R, 4) ? v : hy_identity(F, v));
    if (onnx__attention_at_once(R)) { onnx__attend(R, q, k, v, past); return; }
    if (!onnx__shape(R, q, &sq) || !onnx__shape(R, k, &sk)) return;
    if (sq.ndim != 4 || sk.ndim != 4) { onnx__fail(R, "queries and keys of 3 or 4 dims are due"); return; }
    scale = onnx__attr_of(R->node, "scale") ? onnx__float(R, "scale", 1) : 1 / sqrt((double)sq.dim[3]);
    k = onnx__shared_heads(R, k, sq.dim[1]);
    v = onnx__shared_heads(R, v, sq.dim[1]);
    if (d == HY_F32)
        score = onnx__matmul(R, hy_mul_scalar(F, q, scale), hy_transpose(F, k, HY_INTS(0, 1, 3, 2)));
    else {                                    /* 16 bits are rounded as the standard says */
        hy_array *half = onnx__filled(R, HY_SHAPE(1), d, sqrt(scale));
        k = hy_transpose(F, hy_mul(F, k, half), HY_INTS(0, 1, 3, 2));
        score = onnx__cast(R, onnx__matmul(R, hy_mul(F, q, half), k), HY_F32);
    }
    if (mode == 0) onnx__out(R, 3, onnx__cast(R, score, d));
    if (softcap > 0) score = hy_mul_scalar(F, hy_tanh(F, hy_div_scalar(F, score, softcap)), softcap);
    if (mode == 1) onnx__out(R, 3, onnx__cast(R, score, d));
    bias = onnx__causal_bias(R, sq.dim[2], sk.dim[2], past, onnx__in(R, 6), sq.dim[0]);
    mask = onnx__has(R, 3) ? onnx__mask_bias(R, onnx__in(R, 3), sk.dim[2]) : NULL;
    if (bias) mask = mask ? hy_add(F, mask, bias) : bias;
    if (mask) score = hy_add(F, score, mask);
    if (mode == 2) onnx__out(R, 3, onnx__cast(R, score, d));
    fine = onnx__dtype(onnx__int(R, "softmax_precision", 0));
    p = onnx__softmax(R, onnx__cast(R, score, fine ? fine : d), -1, 0);
    if (mask) {                                 /* a query that sees no key gives zeros */
        hy_array *seen = hy_greater_scalar(F, onnx__reduce(R, hy_max, score, HY_AXES(-1), 1), -INFINITY);
        p = onnx__where(R, seen, p, hy_zeros_like(F, p));
    }
    p = onnx__cast(R, p, d);
    if (mode == 3) onnx__out(R, 3, p);
    p = onnx__matmul(R, p, v);
    onnx__out(R, 0, flat ? onnx__unheaded(R, p) : p);
}

/* x of 4 dims, heads on such an axis, of each of which the first `part` numbers turn by (B or 1, T, part / 2). */
static hy_array *onnx__rotated(onnx__run *R, hy_array *x, int heads, hy_array *c, hy_array *sn, int64_t part,
                               int pairs)
{
    hy_frame *F = R->F;
    const int64_t half = part / 2;
    hy_array *a, *b, *rest = NULL, *y;
    hy_shape s;
    if (!onnx__shape(R, x, &s)) return NULL;
    c = hy_expand_dims(F, c, heads);
    sn = hy_expand_dims(F, sn, heads);
    if (part < s.dim[3]) rest = onnx__cut(R, x, 3, part, s.dim[3], 1);
    a = pairs ? onnx__cut(R, x, 3, 0, part, 2) : onnx__cut(R, x, 3, 0, half, 1);
    b = pairs ? onnx__cut(R, x, 3, 1, part, 2) : onnx__cut(R, x, 3, half, part, 1);
    x = hy_sub(F, hy_mul(F, a, c), hy_mul(F, b, sn));
    y = hy_add(F, hy_mul(F, a, sn), hy_mul(F, b, c));
    s.dim[3] = part;
    y = pairs ? onnx__to(R, hy_stack(F, hy_group(F, x, y), 4), s) : onnx__join(R, x, y, 3);
    return rest ? onnx__join(R, y, rest, 3) : y;
}

/* Of (B, heads, T, D), or (B, T, heads D), which stays as it lies. */
static void onnx__do_rotary(onnx__run *R)
{
    hy_frame *F = R->F;
    hy_array *x = onnx__in(R, 0), *c = onnx__in(R, 1), *sn = onnx__in(R, 2);
    int flat = onnx__rank(R, x) == 3, pairs = onnx__int(R, "interleaved", 0) != 0;
    int64_t part, heads = onnx__int(R, "num_heads", 0);
    hy_shape whole, s;
    if (!onnx__shape(R, x, &whole) || (whole.ndim != 3 && whole.ndim != 4)) {
        onnx__fail(R, "data of 3 or 4 dims is due");
        return;
    }
    s = whole;
    if (flat && (heads < 1 || s.dim[2] % heads)) {
        onnx__fail(R, "%d heads of %d", (int)heads, (int)s.dim[2]);
        return;
    }
    if (flat) x = onnx__to(R, x, s = HY_SHAPE(s.dim[0], s.dim[1], heads, s.dim[2] / heads));
    part = onnx__int(R, "rotary_embedding_dim", 0);
    if (part < 1 || part > s.dim[3]) part = s.dim[3];
    if (onnx__has(R, 3)) {
        c = hy_take(F, c, onnx__in(R, 3), 0, NULL);
        sn = hy_take(F, sn, onnx__in(R, 3), 0, NULL);
    }
    x = onnx__rotated(R, x, 1 + flat, c, sn, part, pairs);
    onnx__out(R, 0, flat ? onnx__to(R, x, whole) : x);
}

static void onnx__do_causal_conv(onnx__run *R)
{
    hy_frame *F = R->F;
    hy_array *x = onnx__in(R, 0), *w = onnx__in(R, 1), *b = onnx__in(R, 2), *y;
    const char *act = onnx__string(R, "activation", "none");
    hy_convolution_opt opt;
    hy_shape s, sw, before;
    hy_dtype d = onnx__type_in(R, 0);
    int64_t n;
    if (!onnx__shape(R, x, &s) || !onnx__shape(R, w, &sw) || s.ndim != 3 || sw.ndim != 3) return;
    before = HY_SHAPE(s.dim[0], s.dim[1], n = sw.dim[2] - 1);
    if (n) x = onnx__join(R, onnx__has(R, 3) ? onnx__in(R, 3) : onnx__filled(R, before, d, 0), x, 2);
    memset(&opt, 0, sizeof opt);
    opt.num_group = (int)s.dim[1];
    opt.no_bias = !b;
    y = hy_convolution(F, x, w, b, HY_INTS(sw.dim[2]), (int)sw.dim[0], &opt);
    if (!strcmp(act, "silu") || !strcmp(act, "swish")) {
        hy_array *wide = onnx__cast(R, y, HY_F32);
        y = onnx__cast(R, hy_mul(F, wide, hy_sigmoid(F, wide)), d);
    }
    onnx__out(R, 0, y);
    if (onnx__wants(R, 1)) onnx__out(R, 1, onnx__cut(R, x, 2, s.dim[2], s.dim[2] + n, 1));
}

static void onnx__do_linear_attention(onnx__run *R)
{
    hy_frame *F = R->F;
    const char *rule = onnx__string(R, "update_rule", "gated_delta");
    int64_t heads = onnx__int(R, "q_num_heads", 1), shared = onnx__int(R, "kv_num_heads", 1), T, t, dk, dv, B;
    int gated = !strncmp(rule, "gated", 5), delta = strstr(rule, "delta") != NULL;
    hy_array *q = onnx__heads(R, onnx__in(R, 0), heads), *k = onnx__heads(R, onnx__in(R, 1), shared),
        *v = onnx__heads(R, onnx__in(R, 2), shared);
    hy_array *g = onnx__in(R, 4), *b = onnx__in(R, 5), *S = onnx__in(R, 3), **steps, *y;
    hy_dtype d = onnx__type_in(R, 0);
    double scale = onnx__float(R, "scale", 0);
    hy_shape sq, sv;
    if (!onnx__shape(R, q, &sq) || !onnx__shape(R, v, &sv)) return;
    if (sq.ndim != 4 || sv.ndim != 4) { onnx__fail(R, "queries and values of 3 dims are due"); return; }
    B = sq.dim[0]; T = sq.dim[2]; dk = sq.dim[3]; dv = sv.dim[3];
    if (scale == 0) scale = 1 / sqrt((double)dk);
    q = onnx__cast(R, q, HY_F32);
    k = onnx__cast(R, k, HY_F32);
    v = onnx__cast(R, v, HY_F32);
    S = S ? onnx__cast(R, S, HY_F32) : onnx__filled(R, HY_SHAPE(B, shared, dk, dv), HY_F32, 0);
    if (g) g = hy_exp(F, onnx__cast(R, onnx__heads(R, g, shared), HY_F32));     /* (B, shared, T, dk or 1) */
    if (b) b = onnx__cast(R, onnx__heads(R, b, hy_dim(F, b, 2) == 1 ? 1 : shared), HY_F32);
    steps = (hy_array **)onnx__scratch(R, T, sizeof *steps);
    for (t = 0; steps && t < T && !hy_error(F); t++) {
        hy_array *qt = onnx__cut(R, q, 2, t, t + 1, 1), *kt = onnx__cut(R, k, 2, t, t + 1, 1),
            *vt = onnx__cut(R, v, 2, t, t + 1, 1);
        hy_array *column = hy_swap_axes(F, kt, 2, 3);           /* (B, shared, dk, 1) */
        if (gated && g) S = hy_mul(F, S, hy_swap_axes(F, onnx__cut(R, g, 2, t, t + 1, 1), 2, 3));
        if (delta) vt = hy_sub(F, vt, onnx__matmul(R, kt, S));
        if (delta && b) vt = hy_mul(F, vt, onnx__cut(R, b, 2, t, t + 1, 1));
        S = hy_add(F, S, hy_mul(F, column, vt));
        steps[t] = onnx__matmul(R, qt, onnx__shared_heads(R, S, heads));
    }
    if (!steps || hy_error(F)) return;
    y = hy_mul_scalar(F, T == 1 ? steps[0] : hy_concat(F, hy_group_of(F, (int)T, steps), 2), scale);
    onnx__out(R, 0, onnx__cast(R, onnx__unheaded(R, y), d));
    onnx__out(R, 1, onnx__cast(R, S, onnx__has(R, 3) ? onnx__type_in(R, 3) : d));
}

/* past with the rows u, in each sample from the place that `begin` says on (NULL: from 0 on), going round if
 * `circular`. */
static hy_array *onnx__rows_put(onnx__run *R, hy_array *past, hy_array *u, hy_array *begin, int axis,
                                int circular)
{
    hy_frame *F = R->F;
    hy_array *at;
    hy_shape s, su, place;
    int i;
    if (!onnx__shape(R, past, &s) || !onnx__shape(R, u, &su)) return NULL;
    place.ndim = s.ndim;
    for (i = 0; i < s.ndim; i++) place.dim[i] = i ? 1 : s.dim[0];
    at = onnx__counter(R, su.dim[axis], 1, axis, s.ndim);
    if (begin) at = hy_add(F, at, onnx__to(R, onnx__cast(R, begin, HY_I64), place));
    if (circular) at = hy_mod_scalar(F, at, (double)s.dim[axis]);
    else at = onnx__checked(R, at, s.dim[axis]);
    if (!begin || s.dim[0] == 1) {              /* the same places in all samples */
        place.ndim = 1;
        place.dim[0] = su.dim[axis];
        return hy_put_rows(F, past, u, onnx__to(R, at, place), axis);
    }
    at = onnx__places(R, s, onnx__spread(R, at, su), axis);
    return onnx__to(R, onnx__scattered(R, onnx__in_row(R, past), at, onnx__in_row(R, u), "none"), s);
}

static void onnx__do_tensor_scatter(onnx__run *R)
{
    hy_array *past = onnx__in(R, 0);
    const int axis = onnx__axis(R, onnx__int(R, "axis", -2), onnx__rank(R, past));
    const int circular = !strcmp(onnx__string(R, "mode", "linear"), "circular");
    if (!hy_error(R->F)) onnx__out(R, 0, onnx__rows_put(R, past, onnx__in(R, 1), onnx__in(R, 2), axis, circular));
}

/* --- sums over named axes --- */
/* x with its letters in the order of `to`, axes of size 1 where it has none. */
static hy_array *onnx__lettered(onnx__run *R, hy_array *x, const char *have, const char *to)
{
    hy_ints perm;
    hy_shape s, own;
    const char *at;
    int k;
    if (!onnx__shape(R, x, &own)) return NULL;
    if (strlen(to) > HY_MAX_DIM) { onnx__fail(R, "more than 8 axes"); return NULL; }
    for (perm.n = 0, s.ndim = 0, at = to; *at; at++) {
        const char *found = strchr(have, *at);
        k = found ? (int)(found - have) : -1;
        s.dim[s.ndim++] = k < 0 ? 1 : own.dim[k];
        if (k >= 0) perm.v[perm.n++] = k;
    }
    return onnx__to(R, perm.n > 1 ? hy_transpose(R->F, x, perm) : x, s);
}

/* A letter that stands twice: the diagonal. have loses the second one. */
static hy_array *onnx__diagonals(onnx__run *R, hy_array *x, char *have)
{
    int i, j;
    for (i = 0; have[i]; i++)
        for (j = i + 1; have[j]; j++) {
            hy_diag_opt opt;
            char c = have[i];
            size_t n = strlen(have);
            if (have[j] != c) continue;
            opt.axis1 = i ? i : HY_ZERO;
            opt.axis2 = j;
            x = hy_diag(R->F, x, 0, &opt);      /* the diagonal becomes the last axis */
            memmove(have + j, have + j + 1, n - (size_t)j);
            memmove(have + i, have + i + 1, n - 1 - (size_t)i);
            n = strlen(have);
            have[n] = c;
            have[n + 1] = 0;
            i = -1;
            break;
        }
    return x;
}

/* a and b, of letters la and lb, multiplied, and what neither `out` nor a later operand needs summed: a
 * product of matrices over letters of both, those alone, those summed. Gives its letters in lo. */
static hy_array *onnx__einsum_pair(onnx__run *R, hy_array *a, const char *la, hy_array *b, const char *lb,
                                   const char *needed, char *lo)
{
    char both[32] = "", first[32] = "", second[32] = "", inner[32] = "", to[128];
    const char *at;
    hy_shape sa, sb, s;
    int64_t size[4] = { 1, 1, 1, 1 };
    if (!onnx__shape(R, a, &sa) || !onnx__shape(R, b, &sb)) return NULL;
    for (at = la; *at; at++) {
        int64_t d = sa.dim[at - la];
        char one[2] = { *at, 0 };
        int in_b = strchr(lb, *at) != NULL, kept = strchr(needed, *at) != NULL;
        if (in_b && kept) { strcat(both, one); size[0] *= d; }
        else if (in_b) { strcat(inner, one); size[3] *= d; }
        else { strcat(first, one); size[1] *= d; }
    }
    for (at = lb; *at; at++)
        if (!strchr(la, *at)) { char one[2] = { *at, 0 }; strcat(second, one); size[2] *= sb.dim[at - lb]; }
    for (at = la; *at; at++) {                  /* sizes have to agree */
        const char *other = strchr(lb, *at);
        if (other && sa.dim[at - la] != sb.dim[other - lb]) {
            onnx__fail(R, "sizes of %c differ", *at);
            return NULL;
        }
    }
    sprintf(to, "%s%s%s", both, first, inner);
    a = onnx__to(R, onnx__lettered(R, a, la, to), HY_SHAPE(size[0], size[1], size[3]));
    sprintf(to, "%s%s%s", both, inner, second);
    b = onnx__to(R, onnx__lettered(R, b, lb, to), HY_SHAPE(size[0], size[3], size[2]));
    sprintf(lo, "%s%s%s", both, first, second);
    if (strlen(lo) > HY_MAX_DIM) { onnx__fail(R, "more than 8 axes"); return NULL; }
    for (s.ndim = 0, at = lo; *at; at++) {
        const char *k = strchr(la, *at);
        s.dim[s.ndim++] = k ? sa.dim[k - la] : sb.dim[strchr(lb, *at) - lb];
    }
    return onnx__to(R, hy_linalg_gemm2(R->F, a, b, NULL), s);
}

/* "ij,jk->ik" without blanks, its dots as letters (capital A and on, from the right); 0: it is malformed. */
static int onnx__einsum_terms(onnx__run *R, char term[9][32], char *out)
{
    const char *e = onnx__string(R, "equation", "");
    char all[256] = "", *to = term[0];
    int n = 0, i, k, most = 0, explicit_out = 0, used = 0;
    for (i = 0; i < 9; i++) term[i][0] = 0;
    *out = 0;
    for (; *e; e++) {
        size_t len = strlen(to);
        if (*e == ' ') continue;
        if (*e == ',') { if (++n > 7 || explicit_out) return 0; to = term[n]; continue; }
        if (e[0] == '-' && e[1] == '>') { explicit_out = 1; to = out; e++; continue; }
        if (len > 12) return 0;
        if (e[0] == '.' && e[1] == '.' && e[2] == '.') {
            int own = 0;
            e += 2;
            if (!explicit_out) {
                const char *rest = e + 1;
                int letters = (int)len;
                for (; *rest && *rest != ',' && *rest != '-'; rest++) letters += *rest != ' ';
                own = onnx__rank(R, onnx__in(R, n)) - letters;
                if (own < 0) return 0;
                if (own > most) most = own;
            } else own = most;
            for (k = own; k > 0; k--) { char one[2] = { (char)('0' + k - 1), 0 }; strcat(to, one); }
            continue;
        }
        if (!((*e >= 'a' && *e <= 'z') || (*e >= 'A' && *e <= 'Z'))) return 0;
        to[len] = *e;
        to[len + 1] = 0;
    }
    n++;
    if (n != R->node->nin) return 0;
    for (i = 0; i < n; i++) if ((int)strlen(term[i]) != onnx__rank(R, onnx__in(R, i))) return 0;
    if (explicit_out) return n;
    for (k = most; k > 0; k--) out[used++] = (char)('0' + k - 1);
    for (i = 0; i < n; i++) strncat(all, term[i], 12);
    for (k = 'A'; k <= 'z'; k++) {              /* letters that stand once, in their order */
        const char *at = strchr(all, k);
        if (at && !strchr(at + 1, k) && used < 12) out[used++] = (char)k;
    }
    out[used] = 0;
    return n;
}

static void onnx__do_einsum(onnx__run *R)
{
    char term[9][32], out[32], needed[256], now[128];
    hy_array *x, *y;
    hy_ints axes;
    int n, i, k;
    n = onnx__einsum_terms(R, term, out);
    if (n < 1) { onnx__fail(R, "equation '%.60s'", onnx__string(R, "equation", "")); return; }
    y = onnx__diagonals(R, onnx__in(R, 0), term[0]);
    sprintf(now, "%.31s", term[0]);
    for (i = 1; i < n && !hy_error(R->F); i++) {
        char next[128];
        x = onnx__diagonals(R, onnx__in(R, i), term[i]);
        sprintf(needed, "%.31s", out);
        for (k = i + 1; k < n; k++) strncat(needed, term[k], 12);
        y = onnx__einsum_pair(R, y, now, x, term[i], needed, next);
        sprintf(now, "%.100s", next);
    }
    if (hy_error(R->F)) return;
    for (axes.n = i = k = 0; now[i]; i++) {     /* letters that nobody needs any more */
        if (strchr(out, now[i])) needed[k++] = now[i];
        else axes.v[axes.n++] = i;
    }
    needed[k] = 0;
    if (axes.n) y = onnx__reduce(R, hy_sum, y, axes, 0);
    y = onnx__lettered(R, y, needed, out);
    onnx__out(R, 0, n == 1 && y == onnx__in(R, 0) ? hy_identity(R->F, y) : y);
}

/* --- signals --- */
/* (n, 2 m) matrix: cosines and sines of the transform from n samples to m. */
static hy_array *onnx__fourier(onnx__run *R, int64_t n, int64_t m, int64_t length, int sine, double sign,
                               hy_dtype d)
{
    double *v = (double *)onnx__scratch(R, n * m, sizeof *v), turn = 6.283185307179586;
    int64_t i, k;
    for (i = 0; v && i < n; i++)
        for (k = 0; k < m; k++) {
            double w = turn * (double)(i * k % length) / (double)length;
            v[i * m + k] = sine ? sign * sin(w) : cos(w);
        }
    return v ? onnx__from_doubles(R, HY_SHAPE(n, m), d, v) : NULL;
}

/* The transform of (..., n) and its imaginary part, or NULL: (..., m, 2), or the real part alone. */
static hy_array *onnx__transformed(onnx__run *R, hy_array *re, hy_array *im, int64_t n, int64_t m,
                                   int64_t length, int inverse, int real_only)
{
    hy_frame *F = R->F;
    hy_dtype d = hy_dtype_of(F, re);
    hy_array *c = onnx__fourier(R, n, m, length, 0, 1, d),
        *s = onnx__fourier(R, n, m, length, 1, inverse ? 1 : -1, d), *x, *y;
    x = hy_dot(F, re, c, NULL);
    if (im) x = hy_sub(F, x, hy_dot(F, im, s, NULL));
    y = hy_dot(F, re, s, NULL);
    if (im) y = hy_add(F, y, hy_dot(F, im, c, NULL));
    if (inverse) {
        x = hy_div_scalar(F, x, (double)length);
        y = hy_div_scalar(F, y, (double)length);
    }
    if (real_only) return hy_expand_dims(F, x, onnx__rank(R, x));
    return hy_stack(F, hy_group(F, x, y), onnx__rank(R, x));
}

static hy_array *onnx__without_last(onnx__run *R, hy_array *x, int64_t at)
{
    hy_shape s;
    if (!onnx__shape(R, x, &s)) return NULL;
    s.ndim--;
    return onnx__to(R, onnx__cut(R, x, s.ndim, at, at + 1, 1), s);
}

static void onnx__do_dft(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *re, *im = NULL, *y;
    int inverse = onnx__int(R, "inverse", 0) != 0, half = onnx__int(R, "onesided", 0) != 0, axis, back;
    hy_shape s;
    int64_t length, n, m;
    if (!onnx__shape(R, x, &s) || s.ndim < 2) return;
    axis = onnx__axis(R, R->opset < 20 ? onnx__int(R, "axis", 1) : onnx__whole(R, 2, -2), s.ndim);
    if (axis == s.ndim - 1) { onnx__fail(R, "the axis of real and imaginary parts"); return; }
    n = s.dim[axis];
    back = inverse && half;                     /* from half a spectrum to real numbers */
    length = onnx__whole(R, 1, back ? 2.0 * (double)(n - 1) : (double)n);
    if (length < 1 || length > 1 << 20) { onnx__fail(R, "a length of %d", (int)length); return; }
    re = onnx__without_last(R, x, 0);
    if (s.dim[s.ndim - 1] == 2) im = onnx__without_last(R, x, 1);
    re = onnx__move(R, re, axis, s.ndim - 2);
    if (im) im = onnx__move(R, im, axis, s.ndim - 2);
    if (back) {                                 /* the other half is the conjugate of the first */
        int last = s.ndim - 2;
        int64_t have = length / 2 + 1 < n ? length / 2 + 1 : n, rest = length - have;
        hy_array *r2 = rest > 0 ? hy_reverse(R->F, onnx__cut(R, re, last, 1, rest + 1, 1), HY_AXES(last))
            : NULL;
        re = onnx__cut(R, re, last, 0, have, 1);
        if (r2) re = onnx__join(R, re, r2, last);
        if (im) {
            hy_array *i2 = rest > 0 ? hy_negative(R->F, hy_reverse(R->F,
                    onnx__cut(R, im, last, 1, rest + 1, 1), HY_AXES(last))) : NULL;
            im = onnx__cut(R, im, last, 0, have, 1);
            if (i2) im = onnx__join(R, im, i2, last);
        }
        n = length;
    }
    if (n > length) {
        re = onnx__cut(R, re, s.ndim - 2, 0, length, 1);
        if (im) im = onnx__cut(R, im, s.ndim - 2, 0, length, 1);
        n = length;
    }
    m = half && !inverse ? length / 2 + 1 : length;
    y = onnx__transformed(R, re, im, n, m, length, inverse, back);
    onnx__out(R, 0, onnx__move(R, y, s.ndim - 2, axis));
}

static void onnx__do_stft(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *window = onnx__in(R, 2), *re, *im = NULL, *at;
    int64_t step = onnx__whole(R, 1, 1), length, frames, i, j;
    int half = onnx__int(R, "onesided", 1) != 0;
    hy_shape s;
    double *v;
    if (!onnx__shape(R, x, &s) || s.ndim < 2) return;
    length = onnx__has(R, 3) ? onnx__whole(R, 3, 1) : window ? hy_dim(R->F, window, 0) : 0;
    if (length < 1 || length > 1 << 16 || step < 1 || s.dim[1] < length) {
        onnx__fail(R, "frames of %d", (int)length);
        return;
    }
    frames = (s.dim[1] - length) / step + 1;
    v = (double *)onnx__scratch(R, frames * length, sizeof *v);
    for (i = 0; v && i < frames; i++) for (j = 0; j < length; j++) v[i * length + j] = (double)(i * step + j);
    if (!v) return;
    at = onnx__from_doubles(R, HY_SHAPE(frames, length), HY_I64, v);
    re = s.ndim == 3 ? onnx__without_last(R, x, 0) : x;
    re = hy_take(R->F, re, at, 1, NULL);
    if (s.ndim == 3 && s.dim[2] == 2) im = hy_take(R->F, onnx__without_last(R, x, 1), at, 1, NULL);
    if (window) re = hy_mul(R->F, re, window);
    if (window && im) im = hy_mul(R->F, im, window);
    onnx__out(R, 0, onnx__transformed(R, re, im, length, half ? length / 2 + 1 : length, length, 0, 0));
}

static void onnx__do_window(onnx__run *R)
{
    double n = onnx__number(R, 0, 0), a[3] = { 0.5, 0.5, 0 }, *v, turn = 6.283185307179586;
    hy_dtype d = onnx__dtype(onnx__int(R, "output_datatype", 1));
    int64_t i, size;
    if (hy_error(R->F)) return;
    if (!strcmp(R->node->op, "HammingWindow")) { a[0] = 25.0 / 46; a[1] = 21.0 / 46; }
    if (!strcmp(R->node->op, "BlackmanWindow")) { a[0] = 0.42; a[2] = 0.08; }
    if (!(n >= 0 && n < 1e8) || !d) { onnx__fail(R, "a window of %g", n); return; }
    size = (int64_t)n;
    if (!onnx__int(R, "periodic", 1)) n = n > 1 ? n - 1 : 1;
    v = (double *)onnx__scratch(R, size, sizeof *v);
    for (i = 0; v && i < size; i++)
        v[i] = a[0] - a[1] * cos(turn * (double)i / n) + a[2] * cos(2 * turn * (double)i / n);
    if (v) onnx__out(R, 0, onnx__from_doubles(R, HY_SHAPE(size), d, v));
}

/* Triangles over the bins of a spectrum, equal distances apart in mel. */
static void onnx__do_mel_weights(onnx__run *R)
{
    double mels = onnx__number(R, 0, 0), length = onnx__number(R, 1, 0), rate = onnx__number(R, 2, 1), *v;
    double low = 2595 * log10(1 + onnx__number(R, 3, 0) / 700),
           high = 2595 * log10(1 + onnx__number(R, 4, 0) / 700);
    int64_t rows, n, i, j, at[3];
    int k;
    if (hy_error(R->F)) return;
    if (!(mels >= 1 && mels <= 1 << 20 && length >= 0 && length <= 1 << 24 && rate >= 1 && low >= 0 &&
          high >= low)) {
        onnx__fail(R, "such numbers of bins");
        return;
    }
    n = (int64_t)mels;
    rows = (int64_t)length / 2 + 1;
    v = (double *)onnx__scratch(R, rows * n, sizeof *v);
    if (!v) return;
    memset(v, 0, sizeof *v * (size_t)(rows * n));
    for (i = 0; i < n; i++) {
        for (k = 0; k < 3; k++) {                               /* left foot, top, right foot */
            double hertz = 700 * (pow(10, (low + (double)(i + k) * (high - low) / (mels + 2)) / 2595) - 1);
            at[k] = (int64_t)fmin(floor((length + 1) * hertz / rate), (double)rows);
        }
        for (j = at[0]; j <= at[1] && j < rows; j++)
            v[j * n + i] = at[1] == at[0] ? 1 : (double)(j - at[0]) / (double)(at[1] - at[0]);
        for (j = at[1]; j < at[2] && j < rows; j++)
            v[j * n + i] = (double)(at[2] - j) / (double)(at[2] - at[1]);
    }
    onnx__out(R, 0,
              onnx__from_doubles(R, HY_SHAPE(rows, n), onnx__dtype(onnx__int(R, "output_datatype", 1)), v));
}

/* --- counted n-grams --- */
/* How often each of n grams of `size` numbers occurs in the rows of x (B, C): (B, n). */
static hy_array *onnx__occurrences(onnx__run *R, hy_array *x, const int64_t *grams, int64_t n, int size)
{
    hy_frame *F = R->F;
    hy_shape s;
    hy_array *y = NULL, *hit, *w;
    int64_t skip, skips = size == 1 ? 0 : onnx__int(R, "max_skip_count", 0), reach;
    int64_t *column = (int64_t *)onnx__scratch(R, n, sizeof *column);
    int k;
    int64_t i;
    if (!column || !onnx__shape(R, x, &s)) return NULL;
    for (skip = 1; skip - 1 <= skips && (reach = (size - 1) * skip) < s.dim[1]; skip++) {
        for (hit = NULL, k = 0; k < size; k++) {
            for (i = 0; i < n; i++) column[i] = grams[i * size + k];
            w = onnx__cut(R, x, 1, k * skip, s.dim[1] - reach + k * skip, 1);
            w = hy_equal(F, hy_expand_dims(F, w, 2), hy_from(F, HY_SHAPE(1, 1, n), HY_I64, column));
            hit = hit ? hy_logical_and(F, hit, w) : w;
        }
        hit = hy_sum(F, onnx__cast(R, hit, HY_F32), HY_AXES(1), NULL);
        y = y ? hy_add(F, y, hit) : hit;
    }
    return y ? y : onnx__filled(R, HY_SHAPE(s.dim[0], n), HY_F32, 0);
}

static void onnx__do_tfidf(onnx__run *R)
{
    const onnx__attr *counts = onnx__attr_of(R->node, "ngram_counts"),
                     *pool = onnx__attr_of(R->node, "pool_int64s"),
                     *place = onnx__attr_of(R->node, "ngram_indexes"),
                     *weights = onnx__attr_of(R->node, "weights");
    int64_t least = onnx__int(R, "min_gram_length", 1), most = onnx__int(R, "max_gram_length", 1),
            columns = 0, id = 0, *from;
    const char *mode = onnx__string(R, "mode", "TF");
    hy_array *x = onnx__cast(R, onnx__in(R, 0), HY_I64), *y = NULL, *part;
    double *weight;
    hy_shape s;
    int64_t i, batch;
    int k;
    if (!onnx__shape(R, x, &s)) return;
    for (i = 0; place && i < place->n; i++)
        columns = place->ints[i] >= columns ? onnx__clamped(place->ints[i], 0, 1 << 24) + 1 : columns;
    if (!counts || !pool || !place || s.ndim < 1 || s.ndim > 2 || columns > 1 << 24 || counts->n > 64) {
        onnx__fail(R, "n-grams of whole numbers are due, and data of 1 or 2 dims");
        return;
    }
    batch = s.ndim == 2 ? s.dim[0] : 1;
    x = onnx__to(R, x, HY_SHAPE(batch, s.dim[s.ndim - 1]));
    from = (int64_t *)onnx__scratch(R, columns, sizeof *from);  /* the gram, counted from 1, of a column */
    weight = (double *)onnx__scratch(R, columns, sizeof *weight);
    if (!from || !weight) return;
    for (i = 0; i < columns; i++) from[i] = 0;
    for (i = 0; i < columns; i++) weight[i] = weights && i < weights->n ? weights->floats[i] : 1;
    y = onnx__filled(R, HY_SHAPE(batch, 1), HY_F32, 0);
    for (k = 0; k < counts->n; k++) {
        int64_t begin = counts->ints[k], end = k + 1 < counts->n ? counts->ints[k + 1] : pool->n, n;
        if (begin < 0 || end < begin || end > pool->n || id + (end - begin) / (k + 1) > place->n) {
            onnx__fail(R, "ngram_counts do not fit");
            return;
        }
        n = (end - begin) / (k + 1);
        if (!n) continue;
        for (i = 0; i < n; i++) {
            int64_t to = place->ints[id + i];
            if (to < 0 || from[to]) { onnx__fail(R, "two n-grams of one index"); return; }
            from[to] = id + i + 1;
        }
        id += n;
        part = k + 1 < least || k + 1 > most ? onnx__filled(R, HY_SHAPE(batch, n), HY_F32, 0)
            : onnx__occurrences(R, x, pool->ints + begin, n, k + 1);
        y = onnx__join(R, y, part, 1);
    }
    y = hy_take(R->F, y, hy_from(R->F, HY_SHAPE(columns), HY_I64, from), 1, NULL);
    if (!strcmp(mode, "IDF")) y = onnx__cast(R, hy_greater_scalar(R->F, y, 0), HY_F32);
    if (strcmp(mode, "TF")) y = hy_mul(R->F, y, onnx__from_doubles(R, HY_SHAPE(1, columns), HY_F32, weight));
    onnx__out(R, 0, s.ndim == 2 ? y : onnx__to(R, y, HY_SHAPE(columns)));
}

/* --- columns of tables, of ai.onnx.ml --- */
static void onnx__do_features(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *at;
    int n = onnx__rank(R, x), axis = n == 1 ? 1 : n - 1;
    if (n == 1) x = hy_expand_dims(R->F, x, 0);
    at = onnx__in_row(R, onnx__index_in(R, 1, x ? hy_dim(R->F, x, axis) : 0));
    onnx__out(R, 0, onnx__taken(R, x, at, axis, HY_INDEX_CLIP));
}

static void onnx__do_binarizer(onnx__run *R)
{
    hy_array *x = hy_greater_scalar(R->F, onnx__in(R, 0), onnx__float(R, "threshold", 0));
    onnx__out(R, 0, onnx__cast(R, x, onnx__type_in(R, 0)));
}

/* --- steps of training: rate, turn, then values, gradients and states, so many of each --- */
typedef struct onnx__learning { hy_array *rate, *turn, *x, *g, *v, *h; } onnx__learning;

static void onnx__learn_momentum(onnx__run *R, onnx__learning *z)
{
    hy_frame *F = R->F;
    double alpha = onnx__float(R, "alpha", 0), beta = onnx__float(R, "beta", 0);
    hy_array *later = onnx__cast(R, hy_greater_scalar(F, z->turn, 0), HY_F32), *by;
    by = hy_add_scalar(F, hy_mul_scalar(F, later, beta - 1), 1);                /* beta, but 1 in turn 0 */
    z->v = hy_add(F, hy_mul_scalar(F, z->v, alpha), hy_mul(F, z->g, by));
    by = strcmp(onnx__string(R, "mode", ""), "nesterov") ? z->v
                                                         : hy_add(F, z->g, hy_mul_scalar(F, z->v, alpha));
    z->x = hy_sub(F, z->x, hy_mul(F, by, z->rate));
}

static void onnx__learn_adagrad(onnx__run *R, onnx__learning *z)
{
    hy_frame *F = R->F;
    hy_array *rate = hy_add_scalar(F, hy_mul_scalar(F, z->turn, onnx__float(R, "decay_factor", 0)), 1);
    rate = hy_div(F, z->rate, rate);
    z->v = hy_add(F, z->v, hy_square(F, z->g));
    z->x = hy_sub(F, z->x, hy_div(F, hy_mul(F, z->g, rate),
                                  hy_add_scalar(F, hy_sqrt(F, z->v), onnx__float(R, "epsilon", 0))));
}

static void onnx__learn_adam(onnx__run *R, onnx__learning *z)
{
    hy_frame *F = R->F;
    double alpha = onnx__float(R, "alpha", 0.9), beta = onnx__float(R, "beta", 0.999);
    hy_array *later = onnx__cast(R, hy_greater_scalar(F, z->turn, 0), HY_F32), *rate;
    hy_array *turn = hy_maximum_scalar(F, z->turn, 1);                          /* turn 0 is not corrected */
    z->v = hy_add(F, hy_mul_scalar(F, z->v, alpha), hy_mul_scalar(F, z->g, 1 - alpha));
    z->h = hy_add(F, hy_mul_scalar(F, z->h, beta), hy_mul_scalar(F, hy_square(F, z->g), 1 - beta));
    rate = hy_div(F, hy_sqrt(F, hy_rsub_scalar(F, hy_rpower_scalar(F, turn, beta), 1)),
                  hy_rsub_scalar(F, hy_rpower_scalar(F, turn, alpha), 1));
    rate = hy_add_scalar(F, hy_mul(F, hy_add_scalar(F, rate, -1), later), 1);
    rate = hy_mul(F, rate, z->rate);
    z->x = hy_sub(F, z->x, hy_mul(F, rate, hy_div(F, z->v, hy_add_scalar(F, hy_sqrt(F, z->h),
                                                                        onnx__float(R, "epsilon", 0)))));
    z->x = hy_mul_scalar(F, z->x, 1 - onnx__float(R, "norm_coefficient_post", 0));
}

static void onnx__do_learn(onnx__run *R)
{
    int adam = !strcmp(R->node->op, "Adam"), kinds = adam ? 4 : 3, n = (R->node->nin - 2) / kinds, i;
    double decay = onnx__float(R, "norm_coefficient", 0);
    for (i = 0; i < n; i++) {
        onnx__learning z;
        z.rate = onnx__cast(R, onnx__in(R, 0), onnx__type_in(R, 2 + i));
        z.turn = onnx__cast(R, onnx__in(R, 1), onnx__type_in(R, 2 + i));
        z.x = onnx__in(R, 2 + i);
        z.g = hy_add(R->F, onnx__in(R, 2 + n + i), hy_mul_scalar(R->F, z.x, decay));
        z.v = onnx__in(R, 2 + 2 * n + i);
        z.h = adam ? onnx__in(R, 2 + 3 * n + i) : NULL;
        if (adam) onnx__learn_adam(R, &z);
        else if (!strcmp(R->node->op, "Momentum")) onnx__learn_momentum(R, &z);
        else onnx__learn_adagrad(R, &z);
        onnx__out(R, i, z.x);
        onnx__out(R, n + i, z.v);
        if (adam) onnx__out(R, 2 * n + i, z.h);
    }
}

/* --- sequences: values that move as they are, so that all of it happens beside the program --- */
static onnx__value onnx__value_in(onnx__run *R, const onnx__node *n, int i)
{
    onnx__value none = { NULL, NULL, 0, 0, NULL };
    if (i >= n->nin || n->in[i] < 0) return none;
    onnx__load_constant(R, n->in[i]);
    return R->value[n->in[i]];
}

static hy_array *onnx__in_trace(onnx__run *R, onnx__value v)
{
    if (!v.x && v.open && hy_size(R->K, v.known) <= ONNX__MOST_LENS) return onnx__len_data(R, &v);
    if (!v.x && v.open) onnx__settle(R, &v);
    return v.x || !v.known ? v.x : onnx__copied(R->trace, R->K, v.known);
}

/* Elements [from, to) of a value along an axis, which goes if it is not kept, in the frames that know it. */
static onnx__value onnx__piece(onnx__run *R, onnx__value v, int64_t axis, int64_t from, int64_t to, int keep)
{
    onnx__value y = { NULL, NULL, 0, 0, NULL };
    hy_frame *F = R->F;
    int known;
    for (known = 0; known < 2; known++) {
        hy_array *x = known ? v.known : v.x, *part;
        hy_shape s;
        int k, n;
        if (!x) continue;
        R->F = known ? R->K : R->trace;
        k = onnx__axis(R, axis, onnx__rank(R, x));
        part = onnx__cut(R, x, k, from, to, 1);
        if (!keep && onnx__shape(R, part, &s)) {
            for (n = k; n + 1 < s.ndim; n++) s.dim[n] = s.dim[n + 1];
            s.ndim--;
            part = onnx__to(R, part, s);
        }
        if (known) y.known = part;
        else y.x = part;
    }
    R->F = F;
    return y;
}

static onnx__sequence *onnx__new_list(onnx__run *R, int64_t n)
{
    onnx__sequence *list;
    if (n < 0 || n > ONNX__MOST_LISTED - R->listed) {
        onnx__fail(R, "sequences that are too long");
        return NULL;
    }
    list = (onnx__sequence *)HY_ONNX_MALLOC(sizeof *list + sizeof *list->at * (size_t)n);
    if (!list) { hy_raise(R->F, HY_ERROR_MEMORY, "out of memory"); return NULL; }
    memset(list, 0, sizeof *list + sizeof *list->at * (size_t)n);
    list->n = (int)n;
    list->before = R->lists;
    R->lists = list;
    R->listed += (int)n;
    return list;
}

static void onnx__put_sequence(onnx__run *R, onnx__sequence *list)
{
    onnx__value v = { NULL, NULL, 0, 0, NULL };
    v.list = list;
    if (onnx__wants(R, 0)) R->value[R->node->out[0]] = v;
}

static onnx__sequence *onnx__list_in(onnx__run *R, int i)
{
    onnx__sequence *list = onnx__value_in(R, R->node, i).list;
    if (!list) onnx__fail(R, "input %d is no sequence", i);
    return list;
}

/* The place that input i names, counted from the end where it is negative; `missing` if it is left out. */
static int onnx__place_in(onnx__run *R, int i, int n, int missing)
{
    int64_t at = onnx__has(R, i) ? onnx__whole(R, i, 0) : missing;
    if (at < 0) at += n;
    if (at < 0 || at > n) { onnx__fail(R, "place %d of %d", (int)at, n); return -1; }
    return (int)at;
}

static void onnx__do_list(onnx__run *R)                 /* SequenceEmpty, SequenceConstruct */
{
    onnx__sequence *list = onnx__new_list(R, R->node->nin);
    int i;
    for (i = 0; list && i < list->n; i++) list->at[i] = onnx__value_in(R, R->node, i);
    onnx__put_sequence(R, list);
}

static void onnx__do_list_insert(onnx__run *R)
{
    onnx__sequence *from = onnx__list_in(R, 0), *list = from ? onnx__new_list(R, from->n + 1) : NULL;
    int i, at = list ? onnx__place_in(R, 2, from->n, from->n) : -1;
    for (i = 0; at >= 0 && i < list->n; i++)
        list->at[i] = i == at ? onnx__value_in(R, R->node, 1) : from->at[i - (i > at)];
    onnx__put_sequence(R, list);
}

static void onnx__do_list_erase(onnx__run *R)
{
    onnx__sequence *from = onnx__list_in(R, 0),
                   *list = from && from->n ? onnx__new_list(R, from->n - 1) : NULL;
    int i, at = list ? onnx__place_in(R, 1, from->n, from->n - 1) : -1;
    if (from && !list) onnx__fail(R, "the sequence is empty");
    for (i = 0; at >= 0 && i < list->n; i++) list->at[i] = from->at[i + (i >= at)];
    onnx__put_sequence(R, list);
}

static void onnx__do_list_at(onnx__run *R)
{
    onnx__sequence *list = onnx__list_in(R, 0);
    int at = list ? onnx__place_in(R, 1, list->n, 0) : -1;
    if (list && at == list->n) onnx__fail(R, "place %d of %d", at, list->n);
    else if (at >= 0 && onnx__wants(R, 0)) R->value[R->node->out[0]] = list->at[at];
}

static void onnx__do_list_length(onnx__run *R)
{
    onnx__sequence *list = onnx__list_in(R, 0);
    int64_t n = list ? list->n : 0;
    if (list) onnx__put_numbers(R, HY_SCALAR, &n);
}

static void onnx__do_list_concat(onnx__run *R)
{
    onnx__sequence *list = onnx__list_in(R, 0);
    hy_array **part = list && list->n ? (hy_array **)onnx__scratch(R, list->n, sizeof *part) : NULL;
    int fresh = onnx__int(R, "new_axis", 0) != 0, known = R->K != NULL, i, axis;
    if (list && !list->n) onnx__fail(R, "the sequence is empty");
    if (!part) return;
    for (i = 0; i < list->n; i++) known = known && list->at[i].known;
    if (known) R->F = R->K;
    for (i = 0; i < list->n; i++) part[i] = known ? list->at[i].known : onnx__in_trace(R, list->at[i]);
    axis = onnx__axis(R, onnx__int(R, "axis", 0), onnx__rank(R, part[0]) + fresh);
    for (i = 0; fresh && i < list->n; i++) part[i] = hy_expand_dims(R->F, part[i], axis);
    if (!hy_error(R->F)) onnx__out(R, 0, hy_concat(R->F, hy_group_of(R->F, list->n, part), axis));
    R->F = R->trace;
}

/* Parts of one length, of lengths that input 1 lists, or single slices. */
static void onnx__do_list_split(onnx__run *R)
{
    onnx__value v = onnx__value_in(R, R->node, 0);
    onnx__sequence *list;
    hy_frame *K = R->K ? R->K : R->F;
    hy_array *sizes = onnx__has(R, 1) ? onnx__known(R, 1, &K) : NULL;
    int64_t d, at = 0, part = 1, n, i, *each = NULL;
    int axis, keep = onnx__has(R, 1) || onnx__int(R, "keepdims", 1) != 0;
    hy_shape s;
    if (!v.x) R->F = K;
    if (!onnx__shape(R, v.x ? v.x : v.known, &s) || (onnx__has(R, 1) && !sizes)) return;
    R->F = R->trace;
    axis = onnx__axis(R, onnx__int(R, "axis", 0), s.ndim);
    d = s.ndim ? s.dim[axis] : 0;
    if (sizes && hy_ndim(K, sizes)) {
        n = hy_size(K, sizes);
        each = (int64_t *)onnx__scratch(R, n, sizeof *each);
        if (!each || (n && !hy_to(K, sizes, HY_I64, each, sizeof *each * (size_t)n))) return;
    } else {
        part = onnx__whole(R, 1, 1);
        n = part > 0 ? (d + part - 1) / part : -1;
    }
    list = onnx__new_list(R, n);
    for (i = 0; list && i < n && !hy_error(R->F); i++) {
        int64_t size = each ? each[i] : part < d - at ? part : d - at;
        if (size < 0 || size > d - at) { onnx__fail(R, "parts of %d elements", (int)d); return; }
        list->at[i] = onnx__piece(R, v, axis, at, at + size, keep);
        at += size;
    }
    onnx__put_sequence(R, list);
}

/* --- values that may be missing --- */
static void onnx__do_optional(onnx__run *R)             /* Optional, OptionalGetElement */
{
    onnx__value v = onnx__value_in(R, R->node, 0);
    if (!v.x && !v.known && !v.list && strcmp(R->node->op, "Optional")) onnx__fail(R, "there is no element");
    else if (onnx__wants(R, 0)) R->value[R->node->out[0]] = v;
}

static void onnx__do_has_element(onnx__run *R)
{
    onnx__value v = onnx__value_in(R, R->node, 0);
    hy_frame *F = R->F;
    if (R->K) R->F = R->K;
    onnx__out(R, 0, onnx__filled(R, HY_SCALAR, HY_BOOL, v.x || v.known || v.list));
    R->F = F;
}

/* --- random numbers --- */
static void onnx__do_random(onnx__run *R)
{
    hy_ints to;
    hy_shape s;
    hy_array *y;
    const char *op = R->node->op;
    hy_dtype d = onnx__attr_of(R->node, "dtype") ? onnx__dtype(onnx__int(R, "dtype", 1)) : onnx__has(R, 0)
        ? onnx__type_in(R, 0) : HY_F32;
    hy_random_normal_opt normal;
    hy_random_uniform_opt uniform;
    int i;
    if (onnx__has(R, 0)) {
        if (!onnx__shape(R, onnx__in(R, 0), &s)) return;
    } else {
        onnx__ints(R, "shape", &to);
        s.ndim = to.n > HY_MAX_DIM ? 0 : to.n;
        for (i = 0; i < s.ndim; i++) s.dim[i] = to.v[i];
    }
    normal.dtype = uniform.dtype = onnx__is_float(d) ? d : HY_F32;
    if (!strcmp(op, "Bernoulli")) {
        y = hy_random_uniform(R->F, s, 0, 1, &uniform);
        y = onnx__cast(R, hy_lesser(R->F, y, onnx__cast(R, onnx__in(R, 0), uniform.dtype)), d ? d : HY_F32);
    } else if (strstr(op, "Normal"))
        y = hy_random_normal(R->F, s, onnx__float(R, "mean", 0), onnx__float(R, "scale", 1), &normal);
    else y = hy_random_uniform(R->F, s, onnx__float(R, "low", 0), onnx__float(R, "high", 1), &uniform);
    onnx__out(R, 0, y);
}

/* --- operators of this file: what no others together do --- */
enum { ONNX__NMS, ONNX__UNIQUE, ONNX__OWN };
static const hy_op *onnx__own_op(hy_frame *F, int which);

typedef struct onnx__nms_record { int64_t most; double overlap, threshold; int center; } onnx__nms_record;
typedef struct onnx__unique_record { int sorted; } onnx__unique_record;

typedef struct onnx__box { double low[2], high[2], area, score; int64_t at; } onnx__box;

static void onnx__box_of(onnx__box *b, const float *p, int center)
{
    int k;
    for (k = 0; k < 2; k++) {                   /* middle and size, or any two corners */
        double a = center ? p[k] - p[k + 2] / 2.0 : p[k], z = center ? p[k] + p[k + 2] / 2.0 : p[k + 2];
        int swap = !center && z < a;
        b->low[k] = swap ? z : a;
        b->high[k] = swap ? a : z;
    }
    b->area = (b->high[0] - b->low[0]) * (b->high[1] - b->low[1]);
}

static double onnx__overlap(const onnx__box *a, const onnx__box *b)
{
    double side[2], both;
    int k;
    for (k = 0; k < 2; k++) {
        side[k] = (a->high[k] < b->high[k] ? a->high[k] : b->high[k]) -
                  (a->low[k] > b->low[k] ? a->low[k] : b->low[k]);
        if (!(side[k] > 0)) return 0;
    }
    both = a->area + b->area - side[0] * side[1];
    return both > 0 ? side[0] * side[1] / both : 0;
}

/* The best first, of equals the earlier one. */
static void onnx__sort_boxes(onnx__box *box, int64_t n)
{
    int64_t gap, i, k;
    for (gap = 1; gap < n / 3; gap = 3 * gap + 1) continue;
    for (; gap > 0; gap /= 3)
        for (i = gap; i < n; i++) {
            onnx__box one = box[i];
            for (k = i; k >= gap && (box[k - gap].score < one.score ||
                                     (box[k - gap].score == one.score && box[k - gap].at > one.at)); k -= gap)
                box[k] = box[k - gap];
            box[k] = one;
        }
}

/* (image, class, box) of all that stay; box has room for those of an image. How many. */
static int64_t onnx__suppress(const onnx__nms_record *r, const float *boxes, const float *scores, hy_shape s,
                              int64_t *to, onnx__box *box)
{
    int64_t images = s.dim[0], classes = s.dim[1], n = s.dim[2], b, c, i, k, have = 0;
    for (b = 0; b < images; b++)
        for (c = 0; c < classes; c++) {
            const float *score = scores + (b * classes + c) * n;
            int64_t some = 0, kept = 0;
            for (i = 0; i < n; i++) {
                if (!(score[i] > r->threshold)) continue;
                onnx__box_of(&box[some], boxes + (b * n + i) * 4, r->center);
                box[some].score = score[i];
                box[some++].at = i;
            }
            onnx__sort_boxes(box, some);
            for (i = 0; i < some && kept < r->most; i++) {
                for (k = 0; k < kept && !(onnx__overlap(&box[k], &box[i]) > r->overlap); k++) continue;
                if (k < kept) continue;
                box[kept] = box[i];
                to[3 * have] = b;
                to[3 * have + 1] = c;
                to[3 * have + 2] = box[kept].at;
                kept++;
                have++;
            }
        }
    return have;
}

/* Rows for all that could stay, and how many do. */
static int onnx__nms_infer(hy_infer *I)
{
    const onnx__nms_record *r = (const onnx__nms_record *)I->attr;
    hy_shape *boxes = &I->in[0].shape, *scores = &I->in[1].shape, want = HY_SHAPE(-1, 3);
    int64_t lists;
    hy_infer_type(I, &I->in[0].dtype, HY_F32);
    hy_infer_type(I, &I->in[1].dtype, HY_F32);
    hy_infer_type(I, &I->out[0].dtype, HY_I64);
    hy_infer_type(I, &I->out[1].dtype, HY_I64);
    hy_infer_shape(I, boxes, HY_SHAPE(-1, -1, 4));
    hy_infer_shape(I, scores, HY_SHAPE(-1, -1, -1));
    if (I->status < 0) return -1;
    hy_infer_dim(I, &scores->dim[0], boxes->dim[0]);
    hy_infer_dim(I, &scores->dim[2], boxes->dim[1]);
    if (scores->dim[0] >= 0 && scores->dim[1] >= 0 && scores->dim[2] >= 0) {
        lists = scores->dim[0] * scores->dim[1];
        want.dim[0] = r->most < scores->dim[2] ? r->most : scores->dim[2];
        if (lists && want.dim[0] > INT32_MAX / lists)
            return hy_infer_fail(I, HY_ERROR_SHAPE, "too many boxes");
        want.dim[0] *= lists;
    }
    hy_infer_shape(I, &I->out[0].shape, want);
    hy_infer_shape(I, &I->out[1].shape, HY_SHAPE(1));
    return I->status;
}

static void onnx__nms_run(const hy_job *job, hy_run *now, int stage, int64_t item, void *scratch,
                          void *shared)
{
    (void)stage; (void)item; (void)shared;
    *(int64_t *)now->data[3] = onnx__suppress(
        (const onnx__nms_record *)job->attr, (const float *)now->data[0], (const float *)now->data[1],
        job->in[1].type.shape, (int64_t *)now->data[2], (onnx__box *)scratch);
}

static int onnx__nms_bind(hy_job *job)
{
    job->run = onnx__nms_run;
    job->stages = 1;
    job->items[0] = 1;
    job->scratch = sizeof(onnx__box) * (size_t)(job->in[1].type.shape.dim[2] + 1);
    job->cost = (double)(job->in[1].type.shape.dim[1] * job->in[1].type.shape.dim[2]) * 20;
    return 0;
}

static void onnx__do_nms(onnx__run *R)
{
    onnx__nms_record r;
    hy_array *in[2], *y;
    int64_t n = 0;
    memset(&r, 0, sizeof r);
    r.most = (int64_t)fmin(fmax(onnx__number(R, 2, 0), 0), INT32_MAX);
    r.overlap = onnx__number(R, 3, 0);
    r.threshold = onnx__number(R, 4, -INFINITY);
    r.center = onnx__int(R, "center_point_box", 0) != 0;
    in[0] = onnx__in(R, 0);
    in[1] = onnx__in(R, 1);
    y = hy_emit(R->F, onnx__own_op(R->F, ONNX__NMS), 2, in, &r);
    if (y && hy_to(R->F, hy_get(R->F, y, 1), HY_I64, &n, sizeof n))
        onnx__out(R, 0, onnx__cut(R, hy_get(R->F, y, 0), 0, 0, n, 1));
}

/* --- slices that differ: rows of a matrix of doubles --- */
static int onnx__row_order(const double *x, int64_t width, int64_t a, int64_t b)
{
    int64_t i;
    for (i = 0; i < width; i++) if (x[a * width + i] != x[b * width + i]) return x[a * width + i] < x[b *
            width + i] ? -1 : 1;
    return 0;
}

/* Heap sort of row numbers; equal rows stay in their order. */
static void onnx__sort_rows(const double *x, int64_t width, int64_t *order, int64_t n)
{
    int64_t i, end, root, child, t;
#define ONNX__LESS(a, b) \
    (onnx__row_order(x, width, a, b) < 0 || (!onnx__row_order(x, width, a, b) && (a) < (b)))
    for (i = 0; i < n; i++) order[i] = i;
    for (i = n / 2 - 1, end = n; end > 1;) {
        if (i >= 0) root = i--;
        else {
            t = order[--end];
            order[end] = order[0];
            order[0] = t;
            root = 0;
        }
        for (; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end && ONNX__LESS(order[child], order[child + 1])) child++;
            if (!ONNX__LESS(order[root], order[child])) break;
            t = order[root];
            order[root] = order[child];
            order[child] = t;
        }
    }
#undef ONNX__LESS
}

/* First places, place of each row among them, counts; work: 3 n numbers. How many differ. */
static int64_t onnx__differing(const double *x, hy_shape s, int sorted, int64_t *first, int64_t *inverse,
                               int64_t *count, int64_t *work)
{
    int64_t n = s.dim[0], width = s.dim[1], i, k = -1, *order = work, *group = work + n, *name = work + 2 * n,
        all;
    onnx__sort_rows(x, width, order, n);
    for (i = 0; i < n; i++) {
        if (!i || onnx__row_order(x, width, order[i - 1], order[i])) k++;
        group[order[i]] = k;
    }
    all = k + 1;
    for (i = 0; i < all; i++) name[i] = sorted ? i : -1;
    for (i = k = 0; i < n && !sorted; i++) if (name[group[i]] < 0) name[group[i]] = k++;
    if (!first) return all;
    for (i = 0; i < all; i++) count[i] = 0;
    for (i = 0; i < n; i++) {
        int64_t to = name[group[i]];
        if (!count[to]++) first[to] = i;
        inverse[i] = to;
    }
    return all;
}

static int onnx__unique_infer(hy_infer *I)
{
    hy_shape want = HY_SHAPE(-1), *x = &I->in[0].shape;
    int i;
    hy_infer_type(I, &I->in[0].dtype, HY_F64);
    hy_infer_shape(I, x, HY_SHAPE(-1, -1));
    for (i = 0; i < 3; i++) hy_infer_type(I, &I->out[i].dtype, HY_I64);
    if (I->status < 0) return -1;
    if (I->value) {
        int64_t *work = (int64_t *)HY_ONNX_MALLOC(sizeof *work * (size_t)(3 * x->dim[0] + 1));
        if (!work) return hy_infer_fail(I, HY_ERROR_MEMORY, "out of memory");
        want.dim[0] = onnx__differing((const double *)I->value[0].data, *x, 1, NULL, NULL, NULL, work);
        HY_ONNX_FREE(work);
    }
    hy_infer_shape(I, &I->out[0].shape, want);
    hy_infer_shape(I, &I->out[2].shape, want);
    want.dim[0] = x->dim[0];
    hy_infer_shape(I, &I->out[1].shape, want);
    return I->status;
}

static void onnx__unique_run(const hy_job *job, hy_run *now, int stage, int64_t item, void *scratch,
                             void *shared)
{
    int64_t n = job->in[0].type.shape.dim[0], *work = (int64_t *)scratch;
    (void)stage; (void)item; (void)shared;
    onnx__differing((const double *)now->data[0], job->in[0].type.shape,
                    ((const onnx__unique_record *)job->attr)->sorted,
                    now->data[1] ? (int64_t *)now->data[1] : work + 3 * n, now->data[2]
                        ? (int64_t *)now->data[2] : work + 4 * n,
                    now->data[3] ? (int64_t *)now->data[3] : work + 5 * n, work);
}

static int onnx__unique_bind(hy_job *job)
{
    job->run = onnx__unique_run;
    job->stages = 1;
    job->items[0] = 1;
    job->scratch = sizeof(int64_t) * (size_t)(6 * job->in[0].type.shape.dim[0] + 1);
    job->cost = (double)job->in[0].type.shape.dim[0] * 100;
    return 0;
}

static void onnx__do_unique(onnx__run *R)
{
    hy_array *x = onnx__in(R, 0), *rows, *all, *at;
    onnx__unique_record r;
    int axis = 0;
    hy_shape s;
    r.sorted = onnx__int(R, "sorted", 1) != 0;
    if (onnx__attr_of(R->node, "axis")) axis = onnx__axis(R, onnx__int(R, "axis", 0), onnx__rank(R, x));
    else x = onnx__in_row(R, x);
    if (!onnx__shape(R, x, &s)) return;
    rows = onnx__move(R, onnx__cast(R, x, HY_F64), axis, 0);
    rows = onnx__to(R, rows, HY_SHAPE(s.dim[axis], onnx__product(&s, 0, s.ndim) / (s.dim[axis] ? s.dim[axis]
                                                                                   : 1)));
    all = hy_emit(R->F, onnx__own_op(R->F, ONNX__UNIQUE), 1, &rows, &r);
    if (!all) return;
    at = hy_get(R->F, all, 0);
    onnx__out(R, 0, hy_take(R->F, x, at, axis, NULL));
    onnx__out(R, 1, at);
    onnx__out(R, 2, hy_get(R->F, all, 1));
    onnx__out(R, 3, hy_get(R->F, all, 2));
}

#define ONNX__ARG(name) { name, HY_ARG_ONE }
#define ONNX__END       { NULL, HY_ARG_ONE }
#define ONNX__ATTR(op, name, kind, missing, what) \
    { #name, #name, HY_ATTR_##kind, 0, offsetof(onnx__##op##_record, name), missing, what }
#define ONNX__NO_MORE   { NULL, NULL, HY_ATTR_flag, 0, 0, 0, NULL }
static const hy_arg onnx__in1[] = { ONNX__ARG("data"), ONNX__END };
static const hy_arg onnx__nms_in[] = { ONNX__ARG("boxes"), ONNX__ARG("scores"), ONNX__END };
static const hy_arg onnx__nms_out[] = { ONNX__ARG("rows"), ONNX__ARG("count"), ONNX__END };
static const hy_arg onnx__unique_out[] = {
    ONNX__ARG("first"), ONNX__ARG("inverse"), ONNX__ARG("count"), ONNX__END };
static const hy_attr onnx__nms_attr[] = {
    ONNX__ATTR(nms, most, i64, 0, "boxes of a class at most"),
    ONNX__ATTR(nms, overlap, real, 0, "what overlaps more goes"),
    ONNX__ATTR(nms, threshold, real, 0, "scores have to be above"),
    ONNX__ATTR(nms, center, flag, 0, "boxes are middle and size"), ONNX__NO_MORE };
static const hy_attr onnx__unique_attr[] = {
    ONNX__ATTR(unique, sorted, flag, 1, "by size, else as they come"), ONNX__NO_MORE };
static const hy_op onnx__own_ops[ONNX__OWN] = {
    { "onnx_nms", NULL, NULL, "boxes that no better one of their class overlaps", onnx__nms_in, onnx__nms_out,
      onnx__nms_attr, sizeof(onnx__nms_record), 0, 0, NULL, onnx__nms_infer, onnx__nms_bind, NULL, NULL },
    { "onnx_unique", NULL, NULL, "rows that differ", onnx__in1, onnx__unique_out, onnx__unique_attr,
      sizeof(onnx__unique_record), HY_OP_DYNAMIC, 0, NULL, onnx__unique_infer, onnx__unique_bind, NULL,
      NULL }
};
#undef ONNX__ARG
#undef ONNX__END
#undef ONNX__ATTR
#undef ONNX__NO_MORE

static const hy_op *onnx__own_op(hy_frame *F, int which)
{
    if (!hy_op_find(F, onnx__own_ops[which].name)) hy_register(F, &onnx__own_ops[which]);
    return hy_op_find(F, onnx__own_ops[which].name);
}

/* --- operators of ONNX Runtime (com.microsoft): what its optimiser makes of those above --- */
/* Input i, which has to be there. */
static hy_array *onnx__due(onnx__run *R, int i, const char *name)
{
    if (!onnx__has(R, i)) { onnx__fail(R, "input %d, %s, is due", i, name); return NULL; }
    return onnx__in(R, i);
}

/* Input i, a vector as long as the last axis of x; NULL: it is left out, or an error stands. */
static hy_array *onnx__beside_last(onnx__run *R, int i, const char *name, hy_array *x)
{
    hy_array *v = onnx__in(R, i);
    hy_shape s, sx;
    if (!v || !onnx__shape(R, v, &s) || !onnx__shape(R, x, &sx)) return NULL;
    if (s.ndim == 1 && sx.ndim && s.dim[0] == sx.dim[sx.ndim - 1]) return v;
    onnx__fail(R, "input %d, %s, is no vector of %lld numbers", i, name,
               (long long)(sx.ndim ? sx.dim[sx.ndim - 1] : 0));
    return NULL;
}

/* The same, which has to be there. */
static hy_array *onnx__due_beside(onnx__run *R, int i, const char *name, hy_array *x)
{
    return onnx__due(R, i, name) ? onnx__beside_last(R, i, name, x) : NULL;
}

static void onnx__do_bias_gelu(onnx__run *R)
{
    hy_array *x = onnx__due(R, 0, "A"), *b = onnx__due_beside(R, 1, "B", x);
    if (b) onnx__out(R, 0, onnx__leaky(R->F, hy_add(R->F, x, b), HY_LEAKY_GELU, 1));
}

static void onnx__do_fast_gelu(onnx__run *R)
{
    hy_array *x = onnx__due(R, 0, "X"), *b = onnx__beside_last(R, 1, "bias", x);
    if (hy_error(R->F)) return;
    onnx__out(R, 0, onnx__gelu_tanh(R->F, b ? hy_add(R->F, x, b) : x));
}

static void onnx__do_quick_gelu(onnx__run *R)
{
    hy_array *x = onnx__due(R, 0, "X");
    onnx__out(R, 0, onnx__activation(R->F, "Swish", x, onnx__float(R, "alpha", 1.702f), 0));
}

/* An operand of FusedMatMul: with `batches` its first axis becomes that of rows, with `turn` its last two
 * change places. */
static hy_array *onnx__turned_operand(onnx__run *R, int i, const char *name, int batches, int turn)
{
    hy_array *x = onnx__due(R, i, name);
    int n = onnx__rank(R, x), k;
    hy_ints axes;
    if (!x || n < 2 || (!turn && (!batches || n < 3))) return x;
    memset(&axes, 0, sizeof axes);
    axes.n = n;
    for (k = 0; k < n; k++) axes.v[k] = !batches || k == n - 1 ? k : k == n - 2 ? 0 : k + 1;
    if (turn) {
        int64_t last = axes.v[n - 1];
        axes.v[n - 1] = axes.v[n - 2];
        axes.v[n - 2] = last;
    }
    return hy_transpose(R->F, x, axes);
}

static void onnx__do_fused_matmul(onnx__run *R)
{
    hy_array *a = onnx__turned_operand(R, 0, "A", onnx__int(R, "transBatchA", 0) != 0,
                                       onnx__int(R, "transA", 0) != 0),
        *b = onnx__turned_operand(R, 1, "B", onnx__int(R, "transBatchB", 0) != 0,
                                  onnx__int(R, "transB", 0) != 0);
    double alpha = onnx__float(R, "alpha", 1);
    a = onnx__matmul(R, a, b);
    onnx__out(R, 0, alpha == 1 ? a : hy_mul_scalar(R->F, a, alpha));
}

/* --- MatMulNBits --- */
#ifdef HYBRID_NO_INT8
static void onnx__do_matmul_nbits(onnx__run *R) { onnx__fail(R, "HYBRID_NO_INT8 leaves it out"); }
#else
/* A whole number among the attributes, which has to be there (missing -1) and lie within these bounds. */
static int onnx__due_int(onnx__run *R, const char *name, int64_t missing, int64_t least, int64_t most)
{
    const int64_t v = onnx__int(R, name, missing);
    if (!hy_error(R->F) && (v < least || v > most)) {
        if (!onnx__attr_of(R->node, name)) onnx__fail(R, "attribute %s is due", name);
        else onnx__fail(R, "%s is %lld: a number from %lld to %lld is due", name, (long long)v,
                        (long long)least, (long long)most);
    }
    return hy_error(R->F) ? 0 : (int)v;
}

/* Input i as (n, columns), which may also lie flat; NULL: it is left out, or an error stands. */
static hy_array *onnx__nbits_table(onnx__run *R, int i, const char *name, int64_t n, int64_t columns)
{
    hy_array *x = onnx__in(R, i);
    hy_shape s;
    int64_t size = 1;
    int k;
    if (!x || !onnx__shape(R, x, &s)) return NULL;
    for (k = 0; k < s.ndim; k++) size *= s.dim[k];
    if (size == n * columns && (s.ndim == 1 || s.dim[0] == n))
        return s.ndim == 2 ? x : hy_reshape(R->F, x, HY_INTS(n, columns), NULL);
    onnx__fail(R, "input %d, %s, does not fit: (%lld,%lld) is due", i, name, (long long)n,
               (long long)columns);
    return NULL;
}

/* Input i, n numbers, or `whole` of which the first n count; NULL: it is left out, or an error stands. */
static hy_array *onnx__nbits_line(onnx__run *R, int i, const char *name, int64_t n, int64_t whole)
{
    hy_array *x = onnx__in(R, i);
    hy_shape s;
    if (!x || !onnx__shape(R, x, &s)) return NULL;
    if (s.ndim == 1 && s.dim[0] == n) return x;
    if (s.ndim == 1 && s.dim[0] == whole) return hy_slice_axis(R->F, x, 0, 0, (int)n);
    onnx__fail(R, "input %d, %s, does not fit: %lld numbers are due", i, name, (long long)n);
    return NULL;
}

/* Does the packed weight fit? 1: it does, 2: a size of it is 0, which says that there is none, 0: an error
 * stands. */
static int onnx__nbits_fits(onnx__run *R, hy_array *b, int n, int blocks, int bytes)
{
    const int due[3] = { n, blocks, bytes };
    hy_shape s;
    int i, none = 0;
    if (!b || !onnx__shape(R, b, &s)) return 0;
    for (i = 0; i < 3 && s.ndim == 3 && (s.dim[i] == due[i] || !s.dim[i]); i++) none |= !s.dim[i];
    if (i < 3) onnx__fail(R, "input 1, B, does not fit: (%d,%d,%d) is due", n, blocks, bytes);
    else if (hy_dtype_of(R->F, b) != HY_U8) onnx__fail(R, "input 1, B, is not uint8");
    return hy_error(R->F) ? 0 : 1 + none;
}

static void onnx__do_matmul_nbits(onnx__run *R)
{
    hy_array *a = onnx__due(R, 0, "A"), *b = onnx__due(R, 1, "B"), *s = onnx__due(R, 2, "scales");
    hy_array *bias = NULL;
    const int k = onnx__due_int(R, "K", -1, 1, INT_MAX), n = onnx__due_int(R, "N", -1, 1, INT_MAX);
    const int bits = onnx__due_int(R, "bits", 4, 2, 8);
    const int block = onnx__due_int(R, "block_size", -1, 16, 1 << 30);
    int blocks, fits;
    hy_matmul_nbits_opt opt;
    hy_shape sa;
    memset(&opt, 0, sizeof opt);
    opt.accuracy_level = onnx__due_int(R, "accuracy_level", 0, 0, 4);
    onnx__due_int(R, "weight_prepacked", 0, 0, 0);
    if (hy_error(R->F)) return;
    if (block & (block - 1)) { onnx__fail(R, "block_size is %d: a power of two is due", block); return; }
    blocks = (int)(((int64_t)k + block - 1) / block);
    if (!onnx__shape(R, a, &sa)) return;
    if (!sa.ndim || sa.dim[sa.ndim - 1] != k) {
        onnx__fail(R, "input 0, A, has no rows of %d numbers", k);
        return;
    }
    fits = onnx__nbits_fits(R, b, n, blocks, block / 8 * bits);
    if (fits) bias = onnx__nbits_line(R, 5, "bias", n, n);
    if (fits == 1) {
        s = onnx__nbits_table(R, 2, "scales", n, blocks);
        opt.use_zero_points = onnx__has(R, 3);
        opt.real_zero_points = opt.use_zero_points && hy_dtype_of(R->F, onnx__in(R, 3)) != HY_U8;
        opt.zero_points = onnx__nbits_table(R, 3, "zero_points", n, opt.real_zero_points ? blocks
                                            : ((int64_t)blocks * bits + 7) / 8);
        opt.use_g_idx = onnx__has(R, 4);
        opt.g_idx = onnx__nbits_line(R, 4, "g_idx", k, (int64_t)blocks * block);
    }
    opt.no_bias = !onnx__has(R, 5);
    if (hy_error(R->F)) return;
    onnx__out(R, 0, hy_matmul_nbits(R->F, a, b, s, bias, k, n, bits, block, &opt));
}
#endif

/* What follows a product or a convolution. Its numbers are attributes of a name each, or a list. */
static hy_array *onnx__followed(onnx__run *R, hy_array *x)
{
    static const char one[] = "activation_alpha", two[] = "activation_beta", last[] = "activation_gamma";
    static const struct { const char *name; int numbers; const char *number[2]; } follow[] = {
        { "Relu", 0, { NULL, NULL } }, { "Tanh", 0, { NULL, NULL } }, { "Sigmoid", 0, { NULL, NULL } },
        { "Softplus", 0, { NULL, NULL } }, { "Softsign", 0, { NULL, NULL } },
        { "LeakyRelu", 1, { one, NULL } }, { "Elu", 1, { one, NULL } }, { "Celu", 1, { one, NULL } },
        { "ThresholdedRelu", 1, { one, NULL } },
        { "HardSigmoid", 2, { one, two } }, { "Clip", 2, { one, two } }, { "HardSwish", 2, { one, two } },
        { "Selu", 2, { one, last } } };
    const char *name = onnx__string(R, "activation", "");
    const onnx__attr *list = onnx__attr_of(R->node, "activation_params");
    double v[2] = { 0, 0 };
    int i, k, most = (int)(sizeof follow / sizeof *follow);
    if (!*name || !x) return x;
    for (k = 0; k < most && strcmp(name, follow[k].name); k++) continue;
    if (k == most) { onnx__fail(R, "activation %.40s", name); return NULL; }
    for (i = 0; i < follow[k].numbers; i++)
        if (list ? i < list->n : onnx__attr_of(R->node, follow[k].number[i]) != NULL)
            v[i] = list ? list->floats[i] : onnx__float(R, follow[k].number[i], 0);
        else { onnx__fail(R, "activation %s takes %d numbers", name, follow[k].numbers); return NULL; }
    if (!strcmp(name, "Clip")) return hy_clip(R->F, x, v[0], v[1]);
    if (!strcmp(name, "HardSwish")) return hy_mul(R->F, x, onnx__hard_sigmoid(R->F, x, v[0], v[1]));
    if (!strcmp(name, "Selu"))
        return hy_mul_scalar(R->F, onnx__leaky(R->F, x, HY_LEAKY_ELU, v[0]), v[1]);
    return onnx__activation(R->F, name, x, v[0], v[1]);
}

static void onnx__do_fused_gemm(onnx__run *R)
{
    if (onnx__due(R, 0, "A") && onnx__due(R, 1, "B")) onnx__out(R, 0, onnx__followed(R, onnx__gemm(R)));
}

static void onnx__do_fused_conv(onnx__run *R)
{
    hy_array *x = onnx__due(R, 0, "X"), *w = onnx__due(R, 1, "W");
    if (!x || !w) return;
    x = onnx__convolved(R, x, w, onnx__in(R, 2));
    if (onnx__has(R, 3)) x = hy_add(R->F, x, onnx__in(R, 3));
    onnx__out(R, 0, onnx__followed(R, x));
}

/* The sum that is normalised: input + skip + bias, whose skip may be one for the whole batch. */
static hy_array *onnx__skip_sum(onnx__run *R, int bias)
{
    hy_array *x = onnx__due(R, 0, "input"), *skip = onnx__due(R, 1, "skip"), *b;
    hy_shape s, sk;
    int i, k;
    if (!x || !skip || !onnx__shape(R, x, &s) || !onnx__shape(R, skip, &sk)) return NULL;
    if (s.ndim < 2 || s.ndim > 3) {
        onnx__fail(R, "an input of 2 or 3 dims is due, not of %d", s.ndim);
        return NULL;
    }
    k = s.ndim - sk.ndim;
    for (i = k; k >= 0 && i < s.ndim && (sk.dim[i - k] == s.dim[i] || (!i && sk.dim[0] == 1)); i++) continue;
    if (i < s.ndim || k > s.ndim - 2) { onnx__fail(R, "skip does not fit the input"); return NULL; }
    b = onnx__beside_last(R, bias, "bias", x);
    if (hy_error(R->F)) return NULL;
    x = hy_add(R->F, x, skip);
    if (b) x = hy_add(R->F, x, b);
    onnx__out(R, 3, x);
    return x;
}

static void onnx__do_skip_layer_norm(onnx__run *R)
{
    hy_array *x = onnx__skip_sum(R, 4), *g = onnx__due_beside(R, 2, "gamma", x), *b;
    if (!x || !g) return;
    b = onnx__beside_last(R, 3, "beta", x);
    if (!hy_error(R->F))
        onnx__put_layer_norm(R, x, g, b, onnx__rank(R, x) - 1, onnx__float(R, "epsilon", 1e-12f));
}

static void onnx__do_skip_rms_norm(onnx__run *R)
{
    hy_array *x = onnx__skip_sum(R, 3), *g = onnx__due_beside(R, 2, "gamma", x);
    if (x && g)
        onnx__out(R, 0, onnx__rms_normed(R, x, g, onnx__rank(R, x) - 1, onnx__float(R, "epsilon", 1e-12f)));
}

/* Words, places and segments of a text, each a row of a table, are added and normalised. */
static void onnx__do_embed_layer_norm(onnx__run *R)
{
    hy_array *ids = onnx__due(R, 0, "input_ids"), *words = onnx__due(R, 2, "word_embedding"),
        *places = onnx__due(R, 3, "position_embedding"), *segments = onnx__in(R, 4), *x, *at, *g, *b, *mask;
    hy_shape s, st, sw;
    if (!onnx__shape(R, ids, &s) || !onnx__shape(R, places, &st) || !onnx__shape(R, words, &sw)) return;
    if (s.ndim != 2 || st.ndim != 2 || sw.ndim != 2) {
        onnx__fail(R, "numbers (batch, length) and tables of 2 dims are due");
        return;
    }
    if ((segments != NULL) != onnx__has(R, 1)) {
        onnx__fail(R, "segment_ids and segment_embedding go together");
        return;
    }
    x = onnx__gathered_at(R, words, 0, 0);
    if (onnx__has(R, 8)) at = onnx__gathered_at(R, places, 8, 0);
    else {
        if (s.dim[1] > st.dim[0]) {
            onnx__fail(R, "a text of %d in a table of %d places", (int)s.dim[1], (int)st.dim[0]);
            return;
        }
        at = onnx__cut(R, places, 0, 0, s.dim[1], 1);
    }
    x = hy_add(R->F, x, at);
    if (segments) x = hy_add(R->F, x, onnx__gathered_at(R, segments, 1, 0));
    g = onnx__due_beside(R, 5, "gamma", x);
    b = g ? onnx__due_beside(R, 6, "beta", x) : NULL;
    if (!g || !b) return;
    onnx__out(R, 0, onnx__layer_normed(R, x, g, b, 2, onnx__float(R, "epsilon", 1e-12f), NULL));
    if (onnx__has(R, 7)) mask = onnx__reduce(R, hy_sum, onnx__in(R, 7), HY_AXES(1), 0);
    else mask = onnx__filled(R, HY_SHAPE(s.dim[0]), HY_I32, 0);
    onnx__out(R, 1, onnx__cast(R, mask, HY_I32));
    onnx__out(R, 2, x);
}

/* --- attention of ONNX Runtime (com.microsoft) --- */
/* Refuses what the node says beyond the attributes of a list and its first inputs, of which `more` names those
 * behind; attributes that say nothing may stand. */
static int onnx__says_only(onnx__run *R, const char *const *attrs, int inputs, const char *const *more)
{
    const onnx__node *n = R->node;
    int i, k;
    for (i = 0; i < n->attrs; i++) {
        const onnx__attr *a = &n->attr[i];
        for (k = 0; attrs[k] && strcmp(attrs[k], a->name); k++) continue;
        if (attrs[k] || (!a->i && a->f == 0 && !a->n && (!a->s || !*a->s || !strcmp(a->s, "NONE")))) continue;
        onnx__fail(R, "attribute %.60s is not taken", a->name);
        return 0;
    }
    for (i = inputs; i < n->nin; i++) {
        if (n->in[i] < 0) continue;
        for (k = 0; k < i - inputs && more[k]; k++) continue;
        onnx__fail(R, "input %d, %s, is not taken", i, more[k] ? more[k] : "which nobody knows");
        return 0;
    }
    return 1;
}

/* Heads, keys and values of a node, and what is asked of them. */
typedef struct onnx__asked {
    hy_array *q, *k, *v;                /* all (B, T, heads D), or all (B, heads, T, D) */
    hy_array *mask;                     /* is added to the scores, (B or 1, heads or 1, T or 1, S); or NULL */
    hy_array *length;                   /* so many keys are read; or NULL: all */
    hy_array *sink;                     /* (heads) scores of a key whose value is 0; or NULL */
    int64_t   batch, queries, keys, heads, shared, past;
    int       causal;
    double    softcap;
} onnx__asked;

/* A count of heads, which has to be there. */
static int64_t onnx__due_heads(onnx__run *R, const char *name)
{
    const int64_t heads = onnx__int(R, name, 0);
    if (onnx__within(heads, 1, INT32_MAX)) return heads;
    onnx__fail(R, onnx__attr_of(R->node, name) ? "%s is %lld" : "attribute %s is due", name, (long long)heads);
    return 0;
}

/* Adds `fill` to the scores where `no`, which may be broadcast, is not 0, besides `mask` if there is one. */
static hy_array *onnx__hidden(onnx__run *R, hy_array *no, double fill, hy_array *mask)
{
    hy_dtype d = onnx__type_in(R, 0);
    no = onnx__cast(R, no, d);
    if (!no) return NULL;
    no = hy_where(R->F, no, onnx__filled(R, hy_shape_of(R->F, no), d, fill), hy_zeros_like(R->F, no));
    return mask ? hy_add(R->F, mask, no) : no;
}

/* Scores that input i says are no keys': lengths, with beginnings behind them, or one number a key. */
static hy_array *onnx__padding(onnx__run *R, int i, const char *name, const onnx__asked *A, int begins)
{
    hy_array *x = onnx__in(R, i), *at, *no;
    hy_frame *F = R->F;
    hy_shape s;
    if (!x || !onnx__shape(R, x, &s)) return NULL;
    if (s.ndim == 1 && (s.dim[0] == A->batch || (begins && s.dim[0] == 2 * A->batch))) {
        const hy_shape one = HY_SHAPE(A->batch, 1, 1, 1);
        at = onnx__counter(R, A->keys, 1, 3, 4);
        x = onnx__cast(R, x, HY_I64);
        no = hy_greater_equal(F, at, onnx__to(R, onnx__cut(R, x, 0, 0, A->batch, 1), one));
        if (s.dim[0] > A->batch)
            no = hy_logical_or(F, no, hy_lesser(F, at, onnx__to(R, onnx__cut(R, x, 0, A->batch, s.dim[0], 1),
                                                                one)));
    } else if (s.ndim > 1 && s.ndim < 4 && s.dim[0] == A->batch && s.dim[s.ndim - 1] == A->keys &&
               (s.ndim == 2 || s.dim[1] == A->queries))
        no = hy_lesser_equal_scalar(F, onnx__to(R, x, HY_SHAPE(A->batch, 1, s.ndim == 2 ? 1 : A->queries,
                                                               A->keys)), 0);
    else {
        onnx__fail(R, "input %d, %s, does not fit: (%lld), (%lld,%lld) or (%lld,%lld,%lld) is due", i, name,
                   (long long)A->batch, (long long)A->batch, (long long)A->keys, (long long)A->batch,
                   (long long)A->queries, (long long)A->keys);
        return NULL;
    }
    return onnx__hidden(R, no, onnx__float(R, "mask_filter_value", -10000), NULL);
}

/* Input i, which is added to the scores, beside what is there. */
static hy_array *onnx__score_bias(onnx__run *R, int i, const onnx__asked *A, int64_t keys, hy_array *mask)
{
    hy_array *x = onnx__in(R, i);
    hy_shape s;
    if (!x || !onnx__shape(R, x, &s)) return mask;
    if (s.ndim != 4 || (s.dim[0] != 1 && s.dim[0] != A->batch) || (s.dim[1] != 1 && s.dim[1] != A->heads) ||
        s.dim[2] != A->queries || s.dim[3] != keys) {
        onnx__fail(R, "input %d, attention_bias, does not fit: (%lld or 1,%lld or 1,%lld,%lld) is due", i,
                   (long long)A->batch, (long long)A->heads, (long long)A->queries, (long long)keys);
        return NULL;
    }
    if (keys < A->keys) {
        s.dim[3] = A->keys - keys;
        x = onnx__join(R, x, onnx__filled(R, s, hy_dtype_of(R->F, x), 0), 3);
    }
    return mask ? hy_add(R->F, mask, x) : x;
}

/* The mask with a key more, whose value is 0 and whose score its head says. */
static void onnx__sunk(onnx__run *R, onnx__asked *A)
{
    hy_dtype d = onnx__type_in(R, 0);
    hy_array *none, *sink = onnx__to(R, A->sink, HY_SHAPE(1, A->heads, 1, 1));
    hy_shape s = HY_SHAPE(A->batch, A->heads, A->queries, A->keys);
    A->mask = A->mask ? onnx__spread(R, A->mask, s) : onnx__filled(R, s, d, 0);
    s.dim[3] = 1;
    A->mask = onnx__join(R, A->mask, onnx__spread(R, sink, s), 3);
    if (!onnx__shape(R, A->k, &s)) return;
    s.dim[2] = 1;
    A->k = onnx__join(R, A->k, none = onnx__filled(R, s, d, 0), 2);
    A->v = onnx__join(R, A->v, none, 2);
    A->keys++;
}

/* The operators apart, for scores that a tanh limits. */
static hy_array *onnx__softcapped(onnx__run *R, const onnx__asked *A, double scale)
{
    hy_frame *F = R->F;
    hy_array *k = onnx__shared_heads(R, A->k, A->heads), *v = onnx__shared_heads(R, A->v, A->heads), *s;
    s = onnx__matmul(R, hy_mul_scalar(F, A->q, scale / A->softcap), hy_transpose(F, k, HY_INTS(0, 1, 3, 2)));
    s = hy_mul_scalar(F, hy_tanh(F, s), A->softcap);
    if (A->mask) s = hy_add(F, s, A->mask);
    return onnx__matmul(R, onnx__softmax(R, s, -1, 0), v);
}

/* (B, T, heads D) of what was asked for: output 0. */
static void onnx__answer(onnx__run *R, onnx__asked *A)
{
    const int flat = onnx__rank(R, A->q) == 3;
    double scale = onnx__float(R, "scale", 0);
    hy_attention_opt opt;
    hy_array *y;
    if (hy_error(R->F)) return;
    if ((A->sink || A->softcap != 0) && A->causal) {
        hy_array *at = hy_add_scalar(R->F, onnx__counter(R, A->queries, 1, 2, 4), (double)A->past);
        at = hy_greater(R->F, onnx__counter(R, A->keys, 1, 3, 4), at);
        A->mask = onnx__hidden(R, at, -INFINITY, A->mask);
        A->causal = 0;
    }
    if ((A->sink || A->softcap != 0) && A->length) {
        hy_array *ends = onnx__to(R, A->length, HY_SHAPE(1, 1, 1, 1));
        ends = hy_greater_equal(R->F, onnx__counter(R, A->keys, 1, 3, 4), ends);
        A->mask = onnx__hidden(R, ends, -INFINITY, A->mask);
        A->length = NULL;
    }
    if (A->sink) onnx__sunk(R, A);
    if (A->softcap != 0) {
        if (scale == 0) scale = 1 / sqrt((double)hy_dim(R->F, A->q, 3));
        y = onnx__softcapped(R, A, scale);
    } else {
        memset(&opt, 0, sizeof opt);
        opt.heads = flat ? (int)A->heads : 1;
        opt.kv_heads = flat ? (int)A->shared : 0;
        opt.scale = scale;
        opt.causal = A->causal;
        opt.past = (int)onnx__clamped(A->past, 0, INT32_MAX);
        opt.use_mask = A->mask != NULL;
        opt.mask = A->mask;
        opt.use_length = A->length != NULL;
        opt.length = A->length;
        y = hy_attention(R->F, A->q, A->k, A->v, &opt);
    }
    onnx__out(R, 0, flat ? y : onnx__unheaded(R, y));
}

/* Columns [at, at + n) of (B, T, all). */
static hy_array *onnx__columns(onnx__run *R, hy_array *x, int64_t at, int64_t n)
{
    return onnx__cut(R, x, 2, at, at + n, 1);
}

/* Widths of queries, keys and values of the product, each so many heads. */
static int onnx__widths(onnx__run *R, int64_t all, int64_t heads, int64_t *width)
{
    hy_ints given;
    int i;
    if (!onnx__ints(R, "qkv_hidden_sizes", &given)) given.n = 0;
    for (i = 0; i < 3; i++) width[i] = given.n == 3 ? given.v[i] : all / 3;
    for (i = 0; i < 3; i++)
        if (!onnx__within(width[i], 1, all) || width[i] % heads) {
            onnx__fail(R, "%lld heads of %lld columns", (long long)heads, (long long)width[i]);
            return 0;
        }
    if ((!given.n || given.n == 3) && width[0] == width[1] && width[0] + width[1] + width[2] == all) return 1;
    onnx__fail(R, "qkv_hidden_sizes do not fit weights of %lld columns", (long long)all);
    return 0;
}

static void onnx__do_whole_attention(onnx__run *R)
{
    static const char *const attrs[] = { "num_heads", "unidirectional", "qkv_hidden_sizes", "scale",
        "mask_filter_value", NULL };
    static const char *const more[] = { "past_sequence_length", NULL };
    hy_array *x = onnx__due(R, 0, "input"), *w = onnx__due(R, 1, "weights"), *b, *past;
    hy_frame *F = R->F;
    onnx__asked A;
    hy_shape s, sw, sp;
    int64_t width[3];
    memset(&A, 0, sizeof A);
    if (!x || !w || !onnx__says_only(R, attrs, 6, more) || !onnx__shape(R, x, &s) || !onnx__shape(R, w, &sw))
        return;
    A.heads = A.shared = onnx__due_heads(R, "num_heads");
    if (!A.heads) return;
    if (s.ndim != 3 || sw.ndim != 2 || sw.dim[0] != s.dim[2]) {
        onnx__fail(R, "an input (batch, length, width) and weights (width, columns) are due");
        return;
    }
    if (!onnx__widths(R, sw.dim[1], A.heads, width)) return;
    A.batch = s.dim[0];
    A.queries = s.dim[1];
    A.causal = onnx__int(R, "unidirectional", 0) != 0;
    x = onnx__matmul(R, x, w);
    b = onnx__beside_last(R, 2, "bias", x);
    if (b) x = hy_add(F, x, b);
    A.q = onnx__columns(R, x, 0, width[0]);
    A.k = onnx__columns(R, x, width[0], width[1]);
    A.v = onnx__columns(R, x, 2 * width[0], width[2]);
    if (onnx__has(R, 4) || onnx__wants(R, 1)) {         /* a pair of keys and values, (2, B, heads, T, D) */
        A.q = onnx__heads(R, A.q, A.heads);
        A.k = hy_stack(F, hy_group(F, onnx__heads(R, A.k, A.heads), onnx__heads(R, A.v, A.heads)), 0);
        past = onnx__in(R, 4);
        if (width[2] != width[0]) {
            onnx__fail(R, "keys of %lld and values of %lld columns have no past and present",
                       (long long)width[0], (long long)width[2]);
            return;
        }
        if (past && onnx__shape(R, past, &sp)) {
            if (sp.ndim != 5 || sp.dim[0] != 2 || sp.dim[1] != A.batch || sp.dim[2] != A.heads ||
                sp.dim[4] != width[0] / A.heads) {
                onnx__fail(R, "input 4, past, does not fit: (2,%lld,%lld,rows,%lld) is due", (long long)A.batch,
                           (long long)A.heads, (long long)(width[0] / A.heads));
                return;
            }
            A.past = sp.dim[3];
            if (onnx__grows(R, 4, 1)) A.k = hy_extend(F, past, A.k, 3);
            else A.k = onnx__join(R, past, A.k, 3);
        }
        onnx__out(R, 1, A.k);
        s = HY_SHAPE(A.batch, A.heads, A.past + A.queries, width[0] / A.heads);
        A.v = onnx__to(R, onnx__cut(R, A.k, 0, 1, 2, 1), s);
        A.k = onnx__to(R, onnx__cut(R, A.k, 0, 0, 1, 1), s);
    }
    A.keys = A.past + A.queries;
    A.mask = onnx__padding(R, 3, "mask_index", &A, 1);
    A.mask = onnx__score_bias(R, 5, &A, A.keys, A.mask);
    onnx__answer(R, &A);
}

/* Keys or values (input i) as they came, or behind a past (input `before`), which is given back (output out). */
static hy_array *onnx__behind_past(onnx__run *R, hy_array *x, int before, const char *name, int out,
                                   onnx__asked *A)
{
    hy_shape s, sp;
    if (!onnx__has(R, before) && !onnx__wants(R, out)) return x;
    x = onnx__heads(R, x, A->shared);
    if (onnx__has(R, before)) {
        if (!onnx__shape(R, x, &s) || !onnx__shape(R, onnx__in(R, before), &sp)) return NULL;
        if (sp.ndim != 4 || sp.dim[0] != s.dim[0] || sp.dim[1] != s.dim[1] || sp.dim[3] != s.dim[3]) {
            onnx__fail(R, "input %d, %s, does not fit: (%lld,%lld,rows,%lld) is due", before, name,
                       (long long)s.dim[0], (long long)s.dim[1], (long long)s.dim[3]);
            return NULL;
        }
        A->past = sp.dim[2];
        x = onnx__joined(R, before, x, out);
    }
    onnx__out(R, out, x);
    return x;
}

/* Queries, keys and values that may be packed: (B, T, heads, 3, D), or (B, S, heads, 2, D) beside queries. */
static int onnx__unpacked(onnx__run *R, onnx__asked *A)
{
    hy_array *x = onnx__in(R, onnx__has(R, 1)), *part[3];
    hy_shape s;
    int i, n = onnx__has(R, 1) ? 2 : 3;
    if (!onnx__shape(R, x, &s)) return 0;
    if (s.ndim != 5 || s.dim[2] != A->heads || s.dim[3] != n) {
        onnx__fail(R, "input %d does not fit: without a %s (batch,rows,%lld,%d,size) is due", 3 - n,
                   n == 2 ? "value" : "key", (long long)A->heads, n);
        return 0;
    }
    for (i = 0; i < n; i++)
        part[i] = onnx__to(R, onnx__cut(R, x, 3, i, i + 1, 1), HY_SHAPE(s.dim[0], s.dim[1], A->heads * s.dim[4]));
    if (n == 3) A->q = part[0];
    A->k = part[n - 2];
    A->v = part[n - 1];
    return 1;
}

/* Do three dims fit one another? And the bias of all three is added; keys that come apart have none. */
static int onnx__multi_head_fits(onnx__run *R, onnx__asked *A)
{
    hy_array *bias = onnx__in(R, 3);
    hy_shape q, k, v, b;
    int apart, i;
    if (!onnx__shape(R, A->q, &q) || !onnx__shape(R, A->k, &k) || !onnx__shape(R, A->v, &v)) return 0;
    apart = k.ndim == 4 && v.ndim == 4;
    for (i = 0; i < 3; i++)
        if ((i ? i == 1 ? k.dim[2] : v.dim[2] : q.dim[2]) % A->heads && !(i && apart)) break;
    if (i < 3 || q.ndim != 3 || (!apart && (k.ndim != 3 || v.ndim != 3 || k.dim[2] != q.dim[2])) ||
        (apart && (k.dim[1] != A->heads || v.dim[1] != A->heads || k.dim[2] != v.dim[2] ||
                   k.dim[3] * A->heads != q.dim[2])) ||
        k.dim[0] != q.dim[0] || v.dim[0] != q.dim[0] || k.dim[1] != v.dim[1]) {
        onnx__fail(R, "query, key and value do not fit one another, or %lld heads", (long long)A->heads);
        return 0;
    }
    A->batch = q.dim[0];
    A->queries = q.dim[1];
    A->keys = k.dim[1 + apart];
    if (!bias) return !hy_error(R->F);
    if (!onnx__shape(R, bias, &b)) return 0;
    i = (int)(apart ? v.dim[1] * v.dim[3] : v.dim[2]);
    if (b.ndim != 1 || b.dim[0] != 2 * q.dim[2] + i) {
        onnx__fail(R, "input 3, bias, is no vector of %lld numbers", (long long)(2 * q.dim[2] + i));
        return 0;
    }
    A->q = hy_add(R->F, A->q, onnx__cut(R, bias, 0, 0, q.dim[2], 1));
    if (apart) return 1;
    A->k = hy_add(R->F, A->k, onnx__cut(R, bias, 0, q.dim[2], 2 * q.dim[2], 1));
    A->v = hy_add(R->F, A->v, onnx__cut(R, bias, 0, 2 * q.dim[2], b.dim[0], 1));
    return 1;
}

static void onnx__do_multi_head(onnx__run *R)
{
    static const char *const attrs[] = { "num_heads", "unidirectional", "scale", "mask_filter_value", NULL };
    static const char *const more[] = { "past_sequence_length", "cache_indirection", NULL };
    onnx__asked A;
    memset(&A, 0, sizeof A);
    A.q = onnx__due(R, 0, "query");
    A.k = onnx__in(R, 1);
    A.v = onnx__in(R, 2);
    if (!A.q || !onnx__says_only(R, attrs, 8, more)) return;
    if (onnx__wants(R, 3)) { onnx__fail(R, "output 3, qk, is not made"); return; }
    A.heads = A.shared = onnx__due_heads(R, "num_heads");
    if (!A.heads || (!A.v && !onnx__unpacked(R, &A))) return;
    if (!A.k) { onnx__fail(R, "input 1, key, is due beside value"); return; }
    if (onnx__has(R, 6) != onnx__has(R, 7)) { onnx__fail(R, "past_key and past_value go together"); return; }
    if (!onnx__multi_head_fits(R, &A)) return;
    A.causal = onnx__int(R, "unidirectional", 0) != 0 && A.queries > 1;     /* the last query sees all keys */
    if (A.causal && A.queries != A.keys) {
        onnx__fail(R, "unidirectional: %lld queries beside %lld keys", (long long)A.queries, (long long)A.keys);
        return;
    }
    A.k = onnx__behind_past(R, A.k, 6, "past_key", 1, &A);
    A.v = onnx__behind_past(R, A.v, 7, "past_value", 2, &A);
    if (onnx__rank(R, A.k) == 4 || onnx__rank(R, A.v) == 4) {
        A.q = onnx__heads(R, A.q, A.heads);
        A.k = onnx__heads(R, A.k, A.heads);
        A.v = onnx__heads(R, A.v, A.heads);
    }
    if (hy_error(R->F)) return;
    A.keys += A.past;
    A.mask = onnx__padding(R, 4, "key_padding_mask", &A, 0);
    A.mask = onnx__score_bias(R, 5, &A, A.keys, A.mask);
    onnx__answer(R, &A);
}

/* cos or sin (input i) of the places `at`: (B or 1, T, half). */
static hy_array *onnx__turn_table(onnx__run *R, int i, const char *name, hy_array *at)
{
    hy_array *x = onnx__due(R, i, name);
    hy_shape s;
    if (!x || !onnx__shape(R, x, &s)) return NULL;
    if (s.ndim == 2) return onnx__taken(R, x, at, 0, HY_INDEX_RAISE);
    onnx__fail(R, "input %d, %s, of %d dims: (places, half) is due", i, name, s.ndim);
    return NULL;
}

/* Places of the queries: (B, T) as they are, or the first one that is given and those behind it. */
static hy_array *onnx__turn_places(onnx__run *R, int i, int64_t batch, int64_t queries, int first)
{
    hy_array *at = onnx__in(R, i);
    hy_shape s;
    if (!at || !onnx__shape(R, at, &s)) return NULL;
    at = onnx__cast(R, at, HY_I64);
    if (s.ndim == 2 && s.dim[0] == batch && s.dim[1] == queries) {
        if (!first) return at;
        at = onnx__cut(R, onnx__in_row(R, at), 0, 0, 1, 1);
    } else if (s.ndim != 1 || s.dim[0] != 1) {
        onnx__fail(R, "input %d, position_ids, does not fit: (1) or (%lld,%lld) is due", i, (long long)batch,
                   (long long)queries);
        return NULL;
    }
    return hy_add(R->F, onnx__counter(R, queries, 1, 1, 2), onnx__to(R, at, HY_SHAPE(1, 1)));
}

/* (B, T, heads D), or its heads apart, turned by tables as they come from onnx__turn_table. */
static hy_array *onnx__turned_heads(onnx__run *R, hy_array *x, int64_t heads, hy_array *c, hy_array *sn,
                                    int64_t part, int pairs)
{
    hy_shape s, sc, ss;
    int flat = onnx__rank(R, x) == 3;
    if (!x || !c || !sn || !onnx__shape(R, x, &s) || !onnx__shape(R, c, &sc) || !onnx__shape(R, sn, &ss))
        return NULL;
    if (flat) {
        if (!part && heads < 1) heads = s.dim[2] / (sc.dim[2] ? 2 * sc.dim[2] : 1);
        if (heads < 1 || s.dim[2] % heads) {
            onnx__fail(R, "%lld heads of %lld", (long long)heads, (long long)s.dim[2]);
            return NULL;
        }
        x = onnx__to(R, x, HY_SHAPE(s.dim[0], s.dim[1], heads, s.dim[2] / heads));
    }
    if (!part) part = 2 * sc.dim[2];
    if (!onnx__same_shape(sc, ss) || 2 * sc.dim[2] != part || part < 1 || part > hy_dim(R->F, x, 3)) {
        onnx__fail(R, "cos_cache and sin_cache of %lld and %lld columns do not fit heads of %lld, of which %lld "
                   "turn", (long long)sc.dim[2], (long long)ss.dim[2], (long long)hy_dim(R->F, x, 3),
                   (long long)part);
        return NULL;
    }
    x = onnx__rotated(R, x, flat ? 2 : 1, c, sn, part, pairs);
    return flat ? onnx__to(R, x, s) : x;
}

static void onnx__do_rotary_of_places(onnx__run *R)
{
    static const char *const attrs[] = { "num_heads", "rotary_embedding_dim", "interleaved", "scale", NULL };
    static const char *const more[] = { NULL };
    hy_array *x = onnx__due(R, 0, "input"), *at, *c, *sn;
    hy_shape s;
    int64_t part = onnx__int(R, "rotary_embedding_dim", 0);
    if (!x || !onnx__due(R, 1, "position_ids") || !onnx__says_only(R, attrs, 4, more) || !onnx__shape(R, x, &s))
        return;
    if (s.ndim != 3 && s.ndim != 4) { onnx__fail(R, "an input of 3 or 4 dims is due, not of %d", s.ndim); return; }
    if (onnx__float(R, "scale", 1) != 1) { onnx__fail(R, "scale is not taken, but 1"); return; }
    if (part < 0 || (part && s.ndim == 3 && !onnx__due_heads(R, "num_heads"))) {
        if (part < 0) onnx__fail(R, "rotary_embedding_dim is %lld", (long long)part);
        return;
    }
    at = onnx__turn_places(R, 1, s.dim[0], s.dim[s.ndim - 2], 0);
    c = at ? onnx__turn_table(R, 2, "cos_cache", at) : NULL;
    sn = at ? onnx__turn_table(R, 3, "sin_cache", at) : NULL;
    x = onnx__turned_heads(R, x, onnx__int(R, "num_heads", 0), c, sn, part, onnx__int(R, "interleaved", 0) != 0);
    if (x) onnx__out(R, 0, x);
}

/* --- GroupQueryAttention: a cache of one size, or one that grows, and lengths by sample --- */
typedef struct onnx__grouped {
    onnx__asked A;
    hy_array   *at, *begin;             /* places of queries: (B or 1, T); the first ones, (B): NULL: `past` */
    int64_t     width, total, rows;     /* numbers of a head; keys with the new ones; rows of the past */
    int         first;                  /* nothing stands before the queries */
} onnx__grouped;

/* Query, key and value as they came, or packed side by side; their heads apart. */
static int onnx__grouped_heads(onnx__run *R, onnx__grouped *G)
{
    onnx__asked *A = &G->A;
    hy_array *q = onnx__due(R, 0, "query"), *k = onnx__in(R, 1), *v = onnx__in(R, 2);
    hy_shape s, sk, sv;
    int64_t all;
    A->heads = onnx__due_heads(R, "num_heads");
    A->shared = A->heads ? onnx__due_heads(R, "kv_num_heads") : 0;
    if (!q || !A->shared || !onnx__shape(R, q, &s)) return 0;
    if (onnx__has(R, 1) != onnx__has(R, 2)) { onnx__fail(R, "key and value go together"); return 0; }
    all = k ? A->heads : A->heads + 2 * A->shared;
    if (A->heads % A->shared || s.ndim != 3 || s.dim[2] % all || !s.dim[2]) {
        onnx__fail(R, "%lld heads that share %lld do not fit the query", (long long)A->heads,
                   (long long)A->shared);
        return 0;
    }
    A->batch = s.dim[0];
    A->queries = s.dim[1];
    G->width = s.dim[2] / all;
    if (!k) {
        k = onnx__columns(R, q, A->heads * G->width, A->shared * G->width);
        v = onnx__columns(R, q, (A->heads + A->shared) * G->width, A->shared * G->width);
        q = onnx__columns(R, q, 0, A->heads * G->width);
    }
    sk = HY_SHAPE(A->batch, A->queries, A->shared * G->width);
    if (!onnx__shape(R, k, &s) || !onnx__shape(R, v, &sv)) return 0;
    if (!onnx__same_shape(s, sk) || !onnx__same_shape(sv, sk)) {
        onnx__fail(R, "key and value of (%lld,%lld,%lld) are due", (long long)sk.dim[0], (long long)sk.dim[1],
                   (long long)sk.dim[2]);
        return 0;
    }
    A->q = onnx__heads(R, q, A->heads);
    A->k = onnx__heads(R, k, A->shared);
    A->v = onnx__heads(R, v, A->shared);
    return !hy_error(R->F);
}

/* Where the queries stand, which the lengths say and the rows of the past. */
static int onnx__grouped_places(onnx__run *R, onnx__grouped *G)
{
    onnx__asked *A = &G->A;
    hy_array *ends = onnx__due(R, 5, "seqlens_k");
    hy_shape s, due = HY_SHAPE(A->batch, A->shared, 0, G->width), value;
    double end;
    int i;
    for (i = 3; i < 5 && onnx__has(R, 3); i++) {
        if (!onnx__due(R, i, i == 3 ? "past_key" : "past_value") || !onnx__shape(R, onnx__in(R, i), &s)) return 0;
        due.dim[2] = i == 3 && s.ndim == 4 ? s.dim[2] : due.dim[2];
        if (onnx__same_shape(s, due)) continue;
        onnx__fail(R, "input %d, %s, does not fit: (%lld,%lld,rows,%lld) is due", i,
                   i == 3 ? "past_key" : "past_value", (long long)due.dim[0], (long long)due.dim[1],
                   (long long)due.dim[3]);
        return 0;
    }
    if (!onnx__has(R, 3) && onnx__has(R, 4)) { onnx__fail(R, "input 3, past_key, is due"); return 0; }
    G->rows = due.dim[2];
    if (!ends || !onnx__due(R, 6, "total_sequence_length") || !onnx__shape(R, ends, &value)) return 0;
    if (onnx__product(&value, 0, value.ndim) != A->batch) {
        onnx__fail(R, "input 5, seqlens_k, has no %lld numbers", (long long)A->batch);
        return 0;
    }
    G->total = (int64_t)onnx__single(R, 6, 0);
    if (hy_error(R->F)) return 0;
    if (G->total < A->queries || G->total > G->rows + A->queries) {
        onnx__fail(R, "total_sequence_length is %lld with %lld rows before %lld", (long long)G->total,
                   (long long)G->rows, (long long)A->queries);
        return 0;
    }
    G->first = G->total == A->queries;
    A->past = G->first ? 0 : G->total - A->queries;
    A->keys = G->rows > G->total ? G->rows : G->total;
    G->at = onnx__counter(R, A->queries, 1, 1, 2);
    if (A->past) G->at = hy_add_scalar(R->F, G->at, (double)A->past);
    ends = onnx__to(R, onnx__cast(R, ends, HY_I64), HY_SHAPE(A->batch));
    if (A->batch == 1 && onnx__is_known(R, 5) && onnx__read_numbers(R, 5, &end, 1) == 1 &&
        (end < 0 || end >= (double)G->total || (!G->first && end + 1 < (double)A->queries))) {
        onnx__fail(R, "seqlens_k is %g with a total_sequence_length of %lld", end, (long long)G->total);
        return 0;
    }
    A->length = hy_add_scalar(R->F, ends, 1);
    if (G->first) return 1;
    G->begin = hy_add_scalar(R->F, A->length, -(double)A->queries);
    if (A->batch > 1 || G->total <= G->rows)
        G->at = hy_add(R->F, onnx__counter(R, A->queries, 1, 1, 2),
                       onnx__to(R, G->begin, HY_SHAPE(A->batch, 1)));
    return !hy_error(R->F);
}

/* The new rows behind those that are there (input i), which is what comes out: output `out`. */
static hy_array *onnx__grouped_rows(onnx__run *R, const onnx__grouped *G, hy_array *x, int i, int out)
{
    const onnx__asked *A = &G->A;
    hy_array *past = onnx__in(R, i);
    if (past && A->batch == 1 && G->rows + A->queries == G->total) x = onnx__joined(R, i, x, out);
    else if (past && G->rows) {
        if (A->keys > G->rows)
            past = onnx__join(R, past, onnx__filled(R, HY_SHAPE(A->batch, A->shared, A->keys - G->rows, G->width),
                                                    hy_dtype_of(R->F, past), 0), 2);
        x = onnx__rows_put(R, past, x, G->first ? NULL : G->begin, 2, 0);
    }
    onnx__out(R, out, x);
    return x;
}

/* Queries and keys turned by their places. */
static void onnx__grouped_turned(onnx__run *R, onnx__grouped *G)
{
    onnx__asked *A = &G->A;
    const int pairs = onnx__int(R, "rotary_interleaved", 0) != 0;
    hy_array *at = G->at, *c, *sn;
    if (onnx__has(R, 9)) at = onnx__turn_places(R, 9, A->batch, A->queries, G->first);
    c = at ? onnx__turn_table(R, 7, "cos_cache", at) : NULL;
    sn = at ? onnx__turn_table(R, 8, "sin_cache", at) : NULL;
    A->q = onnx__turned_heads(R, A->q, A->heads, c, sn, 0, pairs);
    A->k = onnx__turned_heads(R, A->k, A->shared, c, sn, 0, pairs);
}

/* Which keys are hidden from which query, where the operator's own causality and length do not say it. */
static void onnx__grouped_mask(onnx__run *R, onnx__grouped *G)
{
    onnx__asked *A = &G->A;
    hy_frame *F = R->F;
    const int64_t window = onnx__int(R, "local_window_size", -1);
    const int grown = A->batch == 1 && G->rows + A->queries == G->total && !G->first;
    hy_array *key = onnx__counter(R, A->keys, 1, 3, 4), *no = NULL, *early, *at;
    hy_shape s;
    if (!onnx__shape(R, G->at, &s)) return;
    at = onnx__to(R, G->at, HY_SHAPE(s.dim[0], 1, s.dim[1], 1));
    if (!A->causal) no = hy_greater_equal(F, key, onnx__to(R, A->length, HY_SHAPE(A->batch, 1, 1, 1)));
    else if (!G->first && !grown && (A->batch > 1 || A->queries > 1)) no = hy_greater(F, key, at);
    if (window > 0) {
        early = hy_lesser_equal(F, key, hy_add_scalar(F, at, -(double)window));
        no = no ? hy_logical_or(F, no, early) : early;
    }
    if (no) A->mask = onnx__hidden(R, no, -INFINITY, NULL);
    if (grown)          /* a length that is none of these is an error when it is read */
        A->length = onnx__taken(R, hy_from(F, HY_SHAPE(1), HY_I64, &G->total),
                                hy_add_scalar(F, A->length, -(double)G->total), 0, HY_INDEX_RAISE);
    else if (G->first || A->batch > 1 || A->queries > 1 || !A->causal) A->length = NULL;
    else A->causal = 0;                                 /* one query sees so many rows */
    if (!G->first && !grown && A->causal && (A->batch > 1 || A->queries > 1)) A->causal = 0;
}

static void onnx__do_grouped(onnx__run *R)
{
    static const char *const attrs[] = { "num_heads", "kv_num_heads", "scale", "softcap", "do_rotary",
        "rotary_interleaved", "local_window_size", "smooth_softmax", "causal", "qk_norm_epsilon",
        "q_norm_epsilon", "k_norm_epsilon", NULL };
    static const char *const more[] = { "k_scale", "v_scale", "q_norm_weight", "k_norm_weight", "query_seqlens",
        NULL };
    const int64_t window = onnx__int(R, "local_window_size", -1);
    onnx__grouped G;
    onnx__asked *A = &G.A;
    memset(&G, 0, sizeof G);
    if (!onnx__says_only(R, attrs, 12, more)) return;
    if (onnx__wants(R, 3)) { onnx__fail(R, "output 3, output_qk, is not made"); return; }
    if (!onnx__grouped_heads(R, &G) || !onnx__grouped_places(R, &G)) return;
    A->causal = onnx__int(R, "causal", 1) != 0;
    A->softcap = onnx__float(R, "softcap", 0);
    if (window == 0 || window < -1 || (window > 0 && !A->causal) || !(A->softcap >= 0)) {
        onnx__fail(R, "a local_window_size of %lld, a softcap of %g", (long long)window, A->softcap);
        return;
    }
    if (onnx__int(R, "do_rotary", 0)) onnx__grouped_turned(R, &G);
    if (hy_error(R->F)) return;
    A->k = onnx__grouped_rows(R, &G, A->k, 3, 1);
    A->v = onnx__grouped_rows(R, &G, A->v, 4, 2);
    if (G.first && G.rows) {                            /* a cache of one size: the new rows alone are read */
        A->k = onnx__cut(R, A->k, 2, 0, A->queries, 1);
        A->v = onnx__cut(R, A->v, 2, 0, A->queries, 1);
    }
    if (G.first) A->keys = A->queries;
    onnx__grouped_mask(R, &G);
    A->mask = onnx__score_bias(R, 10, A, G.total, A->mask);
    A->sink = onnx__in(R, 11);
    if (A->sink && hy_size(R->F, A->sink) != A->heads) {
        onnx__fail(R, "input 11, head_sink, is no vector of %lld numbers", (long long)A->heads);
        return;
    }
    if (!A->sink && onnx__int(R, "smooth_softmax", 0))
        A->sink = onnx__filled(R, HY_SHAPE(A->heads), onnx__type_in(R, 0), 0);
    onnx__answer(R, A);
}

/* --- ensembles of trees --- */
/* Nodes, then leaves, which lead to themselves: all trees of all samples go down side by side. */
typedef struct onnx__trees {
    int64_t   nodes, leaves, roots, targets, depth, widest;     /* widest: of the sets of nodes */
    int64_t  *feature, *mode, *target, *missing, *way[2];       /* way: where a node leads: yes, no */
    double   *split, *weight, *sets;
    int       modes, tracks;            /* bits of the modes there are; does any send NaN the first way? */
} onnx__trees;
enum { ONNX__MOST_LEVELS = 256, ONNX__MEMBER = 6 };

/* Numbers of an attribute that is a tensor; NULL: there are others than `n`, if that is not negative. */
static double *onnx__attr_numbers(onnx__run *R, const char *name, int64_t *n)
{
    const onnx__attr *a = onnx__attr_of(R->node, name);
    hy_frame *F = R->K ? R->K : R->F;
    double *v;
    if (!a || !a->t || !a->t->data || (*n >= 0 && a->t->count != *n)) return NULL;
    *n = a->t->count;
    v = (double *)onnx__scratch(R, *n, sizeof *v);
    if (v && *n)
        hy_to(F, hy_from(F, HY_SHAPE(*n), a->t->type.dtype, a->t->data), HY_F64, v, sizeof *v * (size_t)*n);
    return v;
}

/* Whole numbers of an attribute, each at least 0 and below the bound; NULL: they are not. */
static const int64_t *onnx__attr_below(onnx__run *R, const char *name, int64_t n, int64_t bound)
{
    const onnx__attr *a = onnx__attr_of(R->node, name);
    int64_t i;
    if (!a || a->n != n) return NULL;
    for (i = 0; i < n; i++) if (!onnx__within(a->ints[i], 0, bound - 1)) return NULL;
    return a->ints;
}

/* Where nodes lead; how many levels there are below the roots. */
static int onnx__tree_ways(onnx__run *R, onnx__trees *t, const int64_t *roots)
{
    static const char *const ids[] = { "nodes_truenodeids", "nodes_falsenodeids" };
    static const char *const ends[] = { "nodes_trueleafs", "nodes_falseleafs" };
    const int64_t all = t->nodes + t->leaves;
    char *here = (char *)onnx__scratch(R, 2 * all, 1), *below = here + all;
    int64_t i;
    int way, more = 1;
    if (!here) return 0;
    for (way = 0; way < 2; way++) {
        const int64_t *to = onnx__attr_below(R, ids[way], t->nodes, all);
        const int64_t *leaf = onnx__attr_below(R, ends[way], t->nodes, 2);
        t->way[way] = (int64_t *)onnx__scratch(R, all, sizeof(int64_t));
        if (!to || !leaf || !t->way[way]) return 0;
        for (i = 0; i < all; i++) t->way[way][i] = i < t->nodes ? to[i] + (leaf[i] ? t->nodes : 0) : i;
        for (i = 0; i < t->nodes; i++) if (t->way[way][i] >= all || (!leaf[i] && to[i] >= t->nodes)) return 0;
    }
    memset(here, 0, (size_t)all);
    for (i = 0; i < t->roots; i++) here[roots[i]] = 1;
    for (t->depth = 0; more && t->depth <= ONNX__MOST_LEVELS; t->depth++) {
        memset(below, 0, (size_t)all);
        for (more = 0, i = 0; i < t->nodes; i++)
            for (way = 0; here[i] && way < 2; way++) {
                below[t->way[way][i]] = 1;
                more |= t->way[way][i] < t->nodes;
            }
        memcpy(here, below, (size_t)all);
    }
    return !more;
}

/* Sets stand one behind the other, each with a NaN behind it, for the nodes that compare with one. */
static int onnx__tree_sets(onnx__run *R, onnx__trees *t)
{
    const int64_t all = t->nodes + t->leaves;
    int64_t n = -1, i, k, at = 0, size = 0;
    double *v = t->modes >> ONNX__MEMBER & 1 ? onnx__attr_numbers(R, "membership_values", &n) : NULL;
    if (!(t->modes >> ONNX__MEMBER & 1)) return 1;
    for (i = 0; v && i < n; i++) {
        size = v[i] == v[i] ? size + 1 : 0;
        if (size > t->widest) t->widest = size;
    }
    if (!t->widest) t->widest = 1;
    if (!v || t->widest > (1 << 22) / all) return 0;
    t->sets = (double *)onnx__scratch(R, all * t->widest, sizeof *v);
    for (i = 0; t->sets && i < all * t->widest; i++) t->sets[i] = NAN;
    for (i = 0; t->sets && i < t->nodes; i++) {
        if (t->mode[i] != ONNX__MEMBER) continue;
        for (k = 0; at < n && k < t->widest && v[at] == v[at]; at++) t->sets[i * t->widest + k++] = v[at];
        at++;
    }
    return t->sets != NULL;
}

static int onnx__read_trees(onnx__run *R, onnx__trees *t, const int64_t **roots)
{
    const onnx__attr *targets = onnx__attr_of(R->node, "n_targets");
    const onnx__attr *root = onnx__attr_of(R->node, "tree_roots");
    const int64_t *feature, *target, *missing;
    double *mode, *split, *weight;
    int64_t i, all;
    memset(t, 0, sizeof *t);
    t->nodes = t->leaves = -1;
    mode = onnx__attr_numbers(R, "nodes_modes", &t->nodes);
    split = onnx__attr_numbers(R, "nodes_splits", &t->nodes);
    weight = onnx__attr_numbers(R, "leaf_weights", &t->leaves);
    t->targets = targets ? targets->i : 1;
    t->roots = root ? root->n : 0;
    if (!mode || !split || !weight || !t->nodes || !t->leaves || !t->roots) return 0;
    if (!onnx__within(t->targets, 1, 1 << 20)) return 0;
    feature = onnx__attr_below(R, "nodes_featureids", t->nodes, INT32_MAX);
    target = onnx__attr_below(R, "leaf_targetids", t->leaves, t->targets);
    missing = onnx__attr_below(R, "nodes_missing_value_tracks_true", t->nodes, 2);
    *roots = onnx__attr_below(R, "tree_roots", t->roots, t->nodes);
    all = t->nodes + t->leaves;
    t->feature = (int64_t *)onnx__scratch(R, all, sizeof(int64_t));
    t->mode = (int64_t *)onnx__scratch(R, all, sizeof(int64_t));
    t->target = (int64_t *)onnx__scratch(R, all, sizeof(int64_t));
    t->missing = (int64_t *)onnx__scratch(R, all, sizeof(int64_t));
    t->split = (double *)onnx__scratch(R, all, sizeof(double));
    t->weight = (double *)onnx__scratch(R, all, sizeof(double));
    if (!feature || !target || !*roots || hy_error(R->F)) return 0;
    for (i = 0; i < all; i++) {
        const int node = i < t->nodes;
        t->feature[i] = node ? feature[i] : 0;
        t->split[i] = node ? split[i] : 0;
        t->mode[i] = node && mode[i] >= 0 && mode[i] <= (int)ONNX__MEMBER ? (int64_t)mode[i] : 0;
        t->missing[i] = node && missing ? missing[i] : 0;
        t->target[i] = node ? 0 : target[i - t->nodes];
        t->weight[i] = node ? 0 : weight[i - t->nodes];
        if (node) t->modes |= 1 << t->mode[i];
        t->tracks |= t->missing[i] != 0;
    }
    return onnx__tree_ways(R, t, *roots) && onnx__tree_sets(R, t);
}

static hy_array *onnx__looked_up(onnx__run *R, const int64_t *list, int64_t n, hy_array *at)
{
    return hy_take(R->F, hy_from(R->F, HY_SHAPE(n), HY_I64, list), at, 0, NULL);
}

/* Is it so at the nodes where all are? v: what these compare. */
static hy_array *onnx__tree_test(onnx__run *R, const onnx__trees *t, hy_array *at, hy_array *v)
{
    static const onnx__two tests[] = { hy_lesser_equal, hy_lesser, hy_greater_equal, hy_greater, hy_equal,
                                       hy_not_equal };
    const int64_t all = t->nodes + t->leaves;
    hy_frame *F = R->F;
    hy_dtype d = hy_dtype_of(F, v);
    hy_array *split = hy_take(F, onnx__from_doubles(R, HY_SHAPE(all), d, t->split), at, 0, NULL);
    hy_array *yes = NULL, *one;
    int m;
    for (m = 0; m <= ONNX__MEMBER; m++) {
        if (!(t->modes >> m & 1)) continue;
        if (m < ONNX__MEMBER) one = tests[m](F, v, split);
        else {
            one = hy_take(F, onnx__from_doubles(R, HY_SHAPE(all, t->widest), d, t->sets), at, 0, NULL);
            one = onnx__reduce(R, hy_max, hy_equal(F, one, hy_expand_dims(F, v, 2)), HY_AXES(2), 0);
        }
        if (yes) yes = hy_where(F, hy_equal_scalar(F, onnx__looked_up(R, t->mode, all, at), m), one, yes);
        else yes = one;
    }
    if (!t->tracks) return yes;
    return hy_where(F, hy_equal(F, v, v), yes, hy_cast(F, onnx__looked_up(R, t->missing, all, at), d));
}

/* What the leaves say of each target: summed, averaged, the smallest or the largest. */
static hy_array *onnx__tree_votes(onnx__run *R, const onnx__trees *t, hy_array *at, hy_dtype d, int64_t batch)
{
    const int64_t all = t->nodes + t->leaves, how = onnx__int(R, "aggregate_function", 1);
    hy_frame *F = R->F;
    hy_array *w = hy_take(F, onnx__from_doubles(R, HY_SHAPE(all), d, t->weight), at, 0, NULL);
    hy_array *own = hy_expand_dims(F, onnx__looked_up(R, t->target, all, at), 2);
    hy_shape s = HY_SHAPE(batch, t->roots, t->targets);
    own = hy_cast(F, hy_equal(F, own, onnx__counter(R, t->targets, 1, 2, 3)), d);  /* batch, roots, targets */
    w = onnx__spread(R, hy_expand_dims(F, w, 2), s);
    if (how < 2) w = onnx__reduce(R, hy_sum, hy_mul(F, own, w), HY_AXES(1), 0);
    else {
        const double far = d == HY_F64 ? 1.7976931348623157e308 : 3.4028234663852886e38;
        w = hy_where(F, own, w, onnx__filled(R, s, d, how == 2 ? far : -far));
        w = how == 2 ? onnx__reduce(R, hy_min, w, HY_AXES(1), 0) : onnx__reduce(R, hy_max, w, HY_AXES(1), 0);
    }
    return how ? w : hy_div_scalar(F, w, (double)t->roots);
}

static void onnx__do_tree_ensemble(onnx__run *R)
{
    hy_frame *F = R->F;
    hy_array *x = onnx__in(R, 0), *at, *rows, *flat, *v;
    hy_dtype given = onnx__type_in(R, 0), d = given == HY_F64 ? HY_F64 : HY_F32;
    int64_t i, after = onnx__int(R, "post_transform", 0);
    const int64_t *roots = NULL;
    onnx__trees t;
    hy_shape s;
    if (!onnx__shape(R, x, &s)) return;
    if (s.ndim != 2 || !onnx__read_trees(R, &t, &roots)) {
        onnx__fail(R, "data of 2 dims, and trees of at most %d levels that are whole, are due",
                   (int)ONNX__MOST_LEVELS);
        return;
    }
    for (i = 0; i < t.nodes; i++) {
        if (t.feature[i] < s.dim[1]) continue;
        onnx__fail(R, "feature %d of %d", (int)t.feature[i], (int)s.dim[1]);
        return;
    }
    if (after > 2) { onnx__fail(R, "post_transform %d", (int)after); return; }
    at = onnx__spread(R, hy_from(F, HY_SHAPE(1, t.roots), HY_I64, roots), HY_SHAPE(s.dim[0], t.roots));
    rows = hy_mul_scalar(F, onnx__cast(R, onnx__counter(R, s.dim[0], 1, 0, 2), HY_I64), (double)s.dim[1]);
    flat = hy_reshape(F, onnx__cast(R, x, d), HY_INTS(-1), NULL);
    for (i = 0; i < t.depth; i++) {
        v = hy_take(F, flat, hy_add(F, onnx__looked_up(R, t.feature, t.nodes + t.leaves, at), rows), 0, NULL);
        at = hy_where(F, onnx__tree_test(R, &t, at, v), onnx__looked_up(R, t.way[0], t.nodes + t.leaves, at),
                      onnx__looked_up(R, t.way[1], t.nodes + t.leaves, at));
    }
    v = onnx__tree_votes(R, &t, at, d, s.dim[0]);
    v = after == 1 ? onnx__softmax(R, v, -1, 0) : after == 2 ? hy_sigmoid(F, v) : v;
    onnx__out(R, 0, onnx__cast(R, v, given));
}

/* MARK: - >>table ---------------------------------------------------------------------------------------
 *
 * A row for each operator: name, which inputs have to be known (bit i: input i), what does it.
 */
#define ONNX__DO(name, reads, fn)    { name, reads, onnx__do_##fn, NULL, NULL, 0 }
#define ONNX__ONE(name, fn)          { name, 0, onnx__do_one, fn, NULL, 0 }
#define ONNX__TWO(name, how, fn)     { name, 0, onnx__do_##how, NULL, fn, 0 }
#define ONNX__WITH(name, fn, what)   { name, 0, onnx__do_##fn, NULL, NULL, what }
static const onnx__row onnx__rows[] = {
    ONNX__ONE("Abs", hy_abs), ONNX__ONE("Acos", hy_arccos), ONNX__ONE("Acosh", hy_arccosh),
    ONNX__ONE("Asin", hy_arcsin), ONNX__ONE("Asinh", hy_arcsinh), ONNX__ONE("Atan", hy_arctan),
    ONNX__ONE("Atanh", hy_arctanh), ONNX__ONE("Ceil", hy_ceil), ONNX__ONE("Cos", hy_cos),
    ONNX__ONE("Cosh", hy_cosh), ONNX__ONE("Erf", hy_erf), ONNX__ONE("Exp", hy_exp),
    ONNX__ONE("Floor", hy_floor), ONNX__ONE("HardSwish", onnx__hard_swish),
    ONNX__ONE("Identity", hy_identity), ONNX__ONE("Log", hy_log), ONNX__ONE("Mish", hy_mish),
    ONNX__ONE("Neg", hy_negative), ONNX__ONE("Not", hy_logical_not), ONNX__ONE("Reciprocal", hy_reciprocal),
    ONNX__ONE("Relu", hy_relu), ONNX__ONE("Round", hy_round_even), ONNX__ONE("Sigmoid", hy_sigmoid),
    ONNX__ONE("Sign", hy_sign), ONNX__ONE("Sin", hy_sin), ONNX__ONE("Sinh", hy_sinh),
    ONNX__ONE("Softplus", hy_softrelu), ONNX__ONE("Softsign", hy_softsign), ONNX__ONE("Sqrt", hy_sqrt),
    ONNX__ONE("Tan", hy_tan), ONNX__ONE("Tanh", hy_tanh), ONNX__TWO("Add", two, hy_add),
    ONNX__TWO("Sub", two, hy_sub), ONNX__TWO("Mul", two, hy_mul), ONNX__TWO("Div", two, hy_div),
    ONNX__TWO("And", compare, hy_logical_and), ONNX__TWO("Or", compare, hy_logical_or),
    ONNX__TWO("Xor", compare, hy_logical_xor), ONNX__TWO("Equal", compare, hy_equal),
    ONNX__TWO("Less", compare, hy_lesser), ONNX__TWO("LessOrEqual", compare, hy_lesser_equal),
    ONNX__TWO("Greater", compare, hy_greater), ONNX__TWO("GreaterOrEqual", compare, hy_greater_equal),
    ONNX__TWO("Max", several, hy_maximum), ONNX__TWO("Min", several, hy_minimum),
    ONNX__TWO("Sum", several, hy_add), ONNX__TWO("Mean", several, hy_add),
    ONNX__TWO("BitwiseAnd", bitwise, hy_logical_and), ONNX__TWO("BitwiseOr", bitwise, hy_logical_or),
    ONNX__TWO("BitwiseXor", bitwise, hy_logical_xor), ONNX__DO("BitwiseNot", 0, bitwise_not),
    ONNX__DO("BitShift", 0, bit_shift), ONNX__DO("Pow", 0, pow), ONNX__DO("Mod", 0, mod),
    ONNX__DO("IsInf", 0, is_inf), ONNX__DO("IsNaN", 0, is_nan), ONNX__DO("Clip", 0, clip),
    ONNX__DO("LeakyRelu", 0, activation), ONNX__DO("Elu", 0, activation),
    ONNX__DO("HardSigmoid", 0, activation), ONNX__DO("ThresholdedRelu", 0, activation),
    ONNX__DO("Celu", 0, activation), ONNX__DO("Swish", 0, activation), ONNX__DO("Selu", 0, selu),
    ONNX__DO("SwiGLU", 0, swiglu), ONNX__DO("Gelu", 0, gelu), ONNX__DO("PRelu", 0, prelu),
    ONNX__DO("Shrink", 0, shrink), ONNX__DO("Where", 0, where), ONNX__DO("Cast", 0, cast),
    ONNX__WITH("CastLike", cast, ONNX__FIRST), ONNX__DO("BitCast", 1, bit_cast),
    { "Dropout", 6, onnx__do_dropout, NULL, NULL, ONNX__RANDOM },
    ONNX__WITH("Shape", shape, ONNX__SHAPES), ONNX__WITH("Size", size, ONNX__SHAPES),
    ONNX__DO("Reshape", 2, reshape), ONNX__DO("Transpose", 0, transpose),
    ONNX__DO("Unsqueeze", 2, unsqueeze), ONNX__DO("Squeeze", 2, squeeze), ONNX__DO("Flatten", 0, flatten),
    ONNX__DO("Concat", 0, concat), ONNX__DO("Split", 2, split), ONNX__DO("Slice", 30, slice),
    ONNX__DO("DynamicSlice", 30, slice),
    ONNX__DO("Expand", 2, expand), ONNX__DO("Tile", 2, tile),
    ONNX__DO("ConstantFill", 1, constant_fill), ONNX__DO("ConstantOfShape", 1, constant_of_shape),
    ONNX__DO("Range", 7, range),
    ONNX__DO("EyeLike", 0, eye_like), ONNX__DO("Trilu", 2, trilu),
    ONNX__DO("DepthToSpace", 0, blocks), ONNX__DO("SpaceToDepth", 0, blocks),
    ONNX__DO("Pad", 14, pad), ONNX__DO("CenterCropPad", 2, center_crop_pad),
    ONNX__DO("ReduceSum", 2, reduce), ONNX__DO("ReduceMean", 2, reduce), ONNX__DO("ReduceMax", 2, reduce),
    ONNX__DO("ReduceMin", 2, reduce), ONNX__DO("ReduceProd", 2, reduce), ONNX__DO("ReduceL1", 2, reduce),
    ONNX__DO("ReduceL2", 2, reduce), ONNX__DO("ReduceSumSquare", 2, reduce),
    ONNX__DO("ReduceLogSum", 2, reduce), ONNX__DO("ReduceLogSumExp", 2, reduce), ONNX__DO("ArgMax", 0, arg),
    ONNX__DO("ArgMin", 0, arg), ONNX__DO("TopK", 2, top_k), ONNX__DO("Softmax", 0, softmax),
    ONNX__DO("LogSoftmax", 0, softmax), ONNX__DO("Hardmax", 0, softmax), ONNX__DO("CumSum", 2, cum_sum),
    ONNX__DO("CumProd", 2, cum_sum), ONNX__DO("LpNormalization", 0, lp_norm), ONNX__DO("MatMul", 0, matmul),
    ONNX__DO("hybrid.ScaledMatMul", 0, scaled_matmul),
    ONNX__DO("Gemm", 0, gemm), ONNX__DO("Gather", 0, gather),
    ONNX__DO("GatherElements", 0, gather_elements), ONNX__DO("GatherND", 0, gather_nd),
    ONNX__DO("Scatter", 0, scatter_elements), ONNX__DO("ScatterElements", 0, scatter_elements),
    ONNX__DO("ScatterND", 0, scatter_nd), ONNX__DO("OneHot", 2, one_hot),
    ONNX__WITH("Compress", compress, ONNX__DYNAMIC), ONNX__WITH("NonZero", non_zero, ONNX__DYNAMIC),
    ONNX__DO("ReverseSequence", 0, reverse_sequence), ONNX__DO("Conv", 0, conv),
    ONNX__DO("ConvTranspose", 0, conv_transpose), ONNX__DO("MaxPool", 0, max_pool),
    ONNX__DO("AveragePool", 0, average_pool), ONNX__DO("LpPool", 0, lp_pool),
    ONNX__DO("GlobalAveragePool", 0, global_pool), ONNX__DO("GlobalMaxPool", 0, global_pool),
    ONNX__DO("GlobalLpPool", 0, global_pool), ONNX__DO("MaxUnpool", 4, max_unpool),
    ONNX__DO("BatchNormalization", 0, batch_norm), ONNX__DO("InstanceNormalization", 0, instance_norm),
    ONNX__DO("LayerNormalization", 0, layer_norm), ONNX__DO("RMSNormalization", 0, rms_norm),
    ONNX__DO("SimplifiedLayerNormalization", 0, rms_norm),
    ONNX__DO("GroupNormalization", 0, group_norm), ONNX__DO("LRN", 0, lrn),
    ONNX__DO("MeanVarianceNormalization", 0, mvn), ONNX__DO("NegativeLogLikelihoodLoss", 0, nll_loss),
    ONNX__DO("SoftmaxCrossEntropyLoss", 0, cross_entropy), ONNX__DO("Resize", 14, resize),
    ONNX__DO("Upsample", 2, resize), ONNX__DO("AffineGrid", 2, affine_grid),
    ONNX__DO("GridSample", 0, grid_sample), ONNX__DO("DeformConv", 0, deform_conv),
    ONNX__DO("RoiAlign", 0, roi_align), ONNX__DO("MaxRoiPool", 0, max_roi_pool),
    ONNX__DO("Col2Im", 6, col2im), ONNX__DO("RNN", 0, rnn), ONNX__DO("LSTM", 0, rnn),
    ONNX__DO("GRU", 0, rnn), ONNX__DO("QuantizeLinear", 0, quantize),
    ONNX__DO("DequantizeLinear", 0, dequantize), ONNX__DO("DynamicQuantizeLinear", 0, dynamic_quantize),
    ONNX__DO("MatMulInteger", 0, matmul_integer), ONNX__DO("ConvInteger", 0, conv_integer),
    ONNX__DO("QLinearMatMul", 0, qlinear_matmul), ONNX__DO("QLinearConv", 0, qlinear_conv),
    ONNX__DO("com.microsoft.QLinearAdd", 0, qlinear_other),
    ONNX__DO("com.microsoft.QLinearMul", 0, qlinear_other),
    ONNX__DO("com.microsoft.QLinearConcat", 0, qlinear_other),
    ONNX__DO("com.microsoft.QLinearSigmoid", 0, qlinear_other),
    ONNX__DO("com.microsoft.QLinearLeakyRelu", 0, qlinear_other),
    ONNX__DO("com.microsoft.QLinearSoftmax", 0, qlinear_other),
    ONNX__DO("com.microsoft.QLinearAveragePool", 0, qlinear_other),
    ONNX__DO("com.microsoft.QLinearGlobalAveragePool", 0, qlinear_other),
    ONNX__DO("hybrid.h.whole numbers", 0, whole),
    ONNX__DO("Attention", 0, attention), ONNX__DO("RotaryEmbedding", 0, rotary),
    ONNX__DO("CausalConvWithState", 0, causal_conv), ONNX__DO("LinearAttention", 0, linear_attention),
    ONNX__DO("TensorScatter", 0, tensor_scatter), ONNX__DO("Einsum", 0, einsum), ONNX__DO("DFT", 6, dft),
    ONNX__DO("STFT", 10, stft), ONNX__DO("HannWindow", 1, window), ONNX__DO("HammingWindow", 1, window),
    ONNX__DO("BlackmanWindow", 1, window),
    { "NonMaxSuppression", 28, onnx__do_nms, NULL, NULL, ONNX__DYNAMIC },
    ONNX__WITH("Unique", unique, ONNX__DYNAMIC), ONNX__DO("Det", 0, det),
    ONNX__WITH("RandomNormal", random, ONNX__RANDOM), ONNX__DO("MelWeightMatrix", 31, mel_weights),
    ONNX__DO("TfIdfVectorizer", 0, tfidf), ONNX__DO("ai.onnx.ml.ArrayFeatureExtractor", 0, features),
    ONNX__DO("ai.onnx.ml.TreeEnsemble", 0, tree_ensemble),
    ONNX__DO("ai.onnx.ml.Binarizer", 0, binarizer), ONNX__DO("ai.onnx.preview.training.Adagrad", 0, learn),
    ONNX__DO("ai.onnx.preview.training.Adam", 0, learn),
    ONNX__DO("ai.onnx.preview.training.Momentum", 0, learn),
    ONNX__WITH("RandomUniform", random, ONNX__RANDOM), ONNX__WITH("RandomNormalLike", random, ONNX__RANDOM),
    ONNX__WITH("RandomUniformLike", random, ONNX__RANDOM), ONNX__WITH("Bernoulli", random, ONNX__RANDOM),
    ONNX__WITH("SequenceEmpty", list, ONNX__LISTS), ONNX__WITH("SequenceConstruct", list, ONNX__LISTS),
    { "SequenceInsert", 4, onnx__do_list_insert, NULL, NULL, ONNX__LISTS },
    { "SequenceErase", 2, onnx__do_list_erase, NULL, NULL, ONNX__LISTS },
    { "SequenceAt", 2, onnx__do_list_at, NULL, NULL, ONNX__LISTS },
    ONNX__WITH("SequenceLength", list_length, ONNX__LISTS),
    ONNX__WITH("ConcatFromSequence", list_concat, ONNX__LISTS),
    { "SplitToSequence", 2, onnx__do_list_split, NULL, NULL, ONNX__LISTS },
    ONNX__WITH("Optional", optional, ONNX__LISTS), ONNX__WITH("OptionalGetElement", optional, ONNX__LISTS),
    ONNX__WITH("OptionalHasElement", has_element, ONNX__LISTS), ONNX__WITH("SequenceMap", flow, ONNX__FLOW),
    ONNX__WITH("If", flow, ONNX__FLOW), ONNX__WITH("Loop", flow, ONNX__FLOW),
    ONNX__WITH("Scan", flow, ONNX__FLOW),
    ONNX__WITH("ai.onnx.preview.FlexAttention", flow, ONNX__FLOW),
    ONNX__DO("com.microsoft.Gelu", 0, gelu), ONNX__DO("com.microsoft.BiasGelu", 0, bias_gelu),
    ONNX__DO("com.microsoft.FastGelu", 0, fast_gelu), ONNX__DO("com.microsoft.QuickGelu", 0, quick_gelu),
    ONNX__DO("com.microsoft.DynamicQuantizeLSTM", 0, rnn),
    ONNX__DO("com.microsoft.FusedMatMul", 0, fused_matmul),
    ONNX__DO("com.microsoft.MatMulNBits", 0, matmul_nbits),
    ONNX__DO("com.microsoft.FusedGemm", 0, fused_gemm), ONNX__DO("com.microsoft.FusedConv", 0, fused_conv),
    ONNX__DO("com.microsoft.SkipLayerNormalization", 0, skip_layer_norm),
    ONNX__DO("com.microsoft.SkipSimplifiedLayerNormalization", 0, skip_rms_norm),
    ONNX__DO("com.microsoft.EmbedLayerNormalization", 0, embed_layer_norm),
    ONNX__DO("com.microsoft.Attention", 0, whole_attention),
    ONNX__DO("com.microsoft.MultiHeadAttention", 0, multi_head),
    ONNX__DO("com.microsoft.GroupQueryAttention", 64, grouped),
    ONNX__DO("com.microsoft.RotaryEmbedding", 0, rotary_of_places) };
#undef ONNX__DO
#undef ONNX__ONE
#undef ONNX__TWO
#undef ONNX__WITH
enum { ONNX__ROWS = (int)(sizeof onnx__rows / sizeof *onnx__rows) };

static const onnx__row *onnx__row_of(const onnx__node *n)
{
    size_t k = strlen(n->domain);
    int i;
    for (i = 0; i < ONNX__ROWS; i++) {
        const char *name = onnx__rows[i].name;
        if (!*n->domain ? !strcmp(name, n->op)
                        : !strncmp(name, n->domain, k) && name[k] == '.' && !strcmp(name + k + 1, n->op))
            return &onnx__rows[i];
    }
    return NULL;
}

/* MARK: - >>loading -------------------------------------------------------------------------------------
 *
 * The walk over nodes that forward is, and how a file becomes a block.
 */

/* --- bodies within one another --- */
static const onnx__attr *onnx__branch(const onnx__node *n, const char *name)
{
    const onnx__attr *a = onnx__attr_of(n, name);
    return a && a->body >= 0 ? a : NULL;
}

static void onnx__push(onnx__run *R, int body, onnx__node *owner, int64_t steps)
{
    onnx__active *a = &R->stack[R->depth++];
    a->body = body;
    a->owner = owner;
    a->next = R->m->body[body].first;
    a->step = a->samples = 0;
    a->steps = steps;
}

/* One more piece of what Loop and Scan gather, along a new axis, behind or before the others. */
static onnx__value onnx__gathered(onnx__run *R, onnx__value all, onnx__value piece, int64_t axis, int first,
                                  int before)
{
    onnx__value y = { NULL, NULL, 0, 0, NULL };
    int known = R->K && piece.known && (first || all.known), k;
    hy_array *p, *a;
    if (piece.open == 2) onnx__settle(R, &piece);       /* pieces are of one type */
    p = known ? piece.known : onnx__in_trace(R, piece);
    a = known ? all.known : first ? NULL : onnx__in_trace(R, all);
    R->F = known ? R->K : R->trace;
    k = onnx__axis(R, axis, onnx__rank(R, p) + 1);
    p = hy_expand_dims(R->F, p, k);
    if (!first) p = before ? onnx__join(R, p, a, k) : onnx__join(R, a, p, k);
    if (known) y.known = p;
    else y.x = p;
    y.open = known && (piece.open || (!first && all.open));
    R->F = R->trace;
    return y;
}

static int64_t onnx__listed(const onnx__node *n, const char *name, int i, int64_t missing)
{
    const onnx__attr *a = onnx__attr_of(n, name);
    return a && i < a->n ? a->ints[i] : missing;
}

/* What a turn of a Scan sees of an input. */
static onnx__value onnx__scanned(onnx__run *R, onnx__value v, const onnx__active *a, int64_t axis, int back)
{
    int64_t steps = a->samples ? a->steps / a->samples : a->steps, at = a->step % steps;
    if (a->samples) v = onnx__piece(R, v, 0, a->step / steps, a->step / steps + 1, 0);
    if (back) at = steps - 1 - at;
    return onnx__piece(R, v, axis, at, at + 1, 0);
}

static void onnx__turn_scan(onnx__run *R, onnx__active *a)
{
    onnx__body *b = &R->m->body[a->body];
    const onnx__node *n = a->owner;
    const char *directions = a->samples ? "directions" : "scan_input_directions";
    int i, batched = a->samples > 0, scans = onnx__scans(R), states = b->nin - scans;
    int64_t steps = batched ? a->steps / a->samples : a->steps;
    for (i = 0; batched && i < states && a->step % steps == 0; i++)
        R->value[b->in[i]] =
            onnx__piece(R, onnx__value_in(R, n, i + 1), 0, a->step / steps, a->step / steps + 1, 0);
    for (i = 0; i < scans; i++)
        R->value[b->in[states + i]] =
            onnx__scanned(R, onnx__value_in(R, n, batched + states + i), a,
                          onnx__listed(n, "scan_input_axes", i, 0), onnx__listed(n, directions, i, 0) != 0);
}

/* SequenceMap: the next element of each sequence, of single values the same in each turn. */
static void onnx__turn_map(onnx__run *R, onnx__active *a)
{
    onnx__body *b = &R->m->body[a->body];
    int i;
    for (i = 0; i < b->nin; i++) {
        onnx__value v = onnx__value_in(R, a->owner, i);
        if (v.list && a->step >= v.list->n) { onnx__fail(R, "sequences of different lengths"); return; }
        R->value[b->in[i]] = v.list ? v.list->at[a->step] : v;
    }
}

/* Inputs of the next turn of a body. */
static void onnx__turn(onnx__run *R, onnx__active *a)
{
    onnx__body *b = &R->m->body[a->body];
    hy_frame *F = R->K ? R->K : R->trace;
    onnx__value v = { NULL, NULL, 0, 0, NULL };
    hy_array *at;
    int i;
    a->next = b->first;
    R->node = a->owner;
    if (!strcmp(a->owner->op, "Scan")) onnx__turn_scan(R, a);
    if (!strcmp(a->owner->op, "SequenceMap")) onnx__turn_map(R, a);
    if (strcmp(a->owner->op, "Loop")) return;
    for (i = 0; i < 2 && i < b->nin; i++) {             /* the turn's number, and that it goes on */
        int64_t number = i ? 1 : a->step;
        at = hy_from(F, HY_SCALAR, HY_I64, &number);
        if (i) at = hy_cast(F, at, HY_BOOL);
        if (R->K) v.known = at;
        else v.x = at;
        R->value[b->in[i]] = v;
    }
}

static void onnx__begin_map(onnx__run *R, onnx__node *n, int body)
{
    onnx__body *b = &R->m->body[body];
    onnx__sequence *list = onnx__list_in(R, 0), *out;
    onnx__value v = { NULL, NULL, 0, 0, NULL };
    int i;
    if (!list) return;
    if (b->nin != n->nin || n->nout > b->nout) {
        onnx__fail(R, "inputs and outputs of the body do not fit");
        return;
    }
    for (i = 0; i < n->nout; i++) {
        out = v.list = onnx__new_list(R, list->n);
        if (out && n->out[i] >= 0) R->value[n->out[i]] = v;
    }
    if (!list->n || hy_error(R->F)) return;
    onnx__push(R, body, n, list->n);
    onnx__turn(R, &R->stack[R->depth - 1]);
}

/* --- bodies that the program keeps: what values decide is decided when it runs --- */
enum { ONNX__UNROLLED = 8 };            /* a Scan of more steps is a loop of the program */

typedef struct onnx__kept {
    onnx__run  *R;
    onnx__node *node;
    int         body[2];                /* of an If: both; else the first */
    int         states;
    hy_array   *limit;                  /* of a Loop: the most turns, if an array says it */
} onnx__kept;

/* One of n arrays that came together. */
static hy_array *onnx__member(hy_frame *F, hy_array *x, int n, int i) { return n == 1 ? x : hy_get(F, x, i); }

static void onnx__set_value(onnx__run *R, int slot, hy_array *x)
{
    onnx__value v = { NULL, NULL, 0, 0, NULL };
    v.x = x;
    R->value[slot] = v;
}

/* A body in a trace of its own. What it computes belongs to that, so values are afterwards as before; x: what
 * its inputs are. Its outputs from `first` on, as one array or group. */
static hy_array *onnx__run_kept(onnx__kept *k, hy_frame *F, int body, hy_array *const *x, int first,
                                hy_array **test)
{
    onnx__run *R = k->R;
    onnx__body *b = &R->m->body[body];
    hy_frame *outer = R->trace;
    size_t bytes = sizeof *R->value * (size_t)R->m->slots;
    onnx__value *before = (onnx__value *)HY_ONNX_MALLOC(bytes + 1);
    hy_array **y = (hy_array **)HY_ONNX_MALLOC(sizeof *y * (size_t)(b->nout + 1)), *all = NULL;
    int i;
    for (i = 0; i < R->m->slots; i++) onnx__settle(R, &R->value[i]);    /* a size is its trace's own */
    if (!before || !y) hy_raise(F, HY_ERROR_MEMORY, "out of memory");
    else {
        memcpy(before, R->value, bytes);
        for (i = 0; x && i < b->nin; i++) onnx__set_value(R, b->in[i], x[i]);
        R->trace = R->F = F;
        R->walk(R, body);
        for (i = 0; i < b->nout && !hy_error(F); i++) {
            onnx__load_constant(R, b->out[i]);
            y[i] = onnx__in_trace(R, R->value[b->out[i]]);
            if (y[i]) y[i] = hy_identity(F, y[i]);
            else onnx__fail(R, "output %d of a body has no value", i);
        }
        memcpy(R->value, before, bytes);
        R->trace = R->F = outer;
        R->sizes = 0;
        R->node = k->node;
        if (test && !hy_error(F)) *test = onnx__cast(R, y[0], HY_BOOL);
        if (!hy_error(F) && b->nout > first)
            all = b->nout - first == 1 ? y[first] : hy_group_of(F, b->nout - first, y + first);
    }
    HY_ONNX_FREE(before);
    HY_ONNX_FREE(y);
    return all;
}

static hy_array *onnx__kept_then(hy_frame *F, hy_array *x, void *user)
{
    onnx__kept *k = (onnx__kept *)user;
    (void)x;
    return onnx__run_kept(k, F, k->body[0], NULL, 0, NULL);
}

static hy_array *onnx__kept_else(hy_frame *F, hy_array *x, void *user)
{
    onnx__kept *k = (onnx__kept *)user;
    (void)x;
    return onnx__run_kept(k, F, k->body[1], NULL, 0, NULL);
}

/* Variables of a loop: the turn's number, whether it goes on, states. */
static hy_array *onnx__kept_test(hy_frame *F, hy_array *v, void *user)
{
    const onnx__kept *k = (const onnx__kept *)user;
    hy_array *go = hy_cast(F, hy_get(F, v, 1), HY_I64);
    return k->limit ? hy_logical_and(F, go, hy_lesser(F, hy_get(F, v, 0), k->limit)) : go;
}

static hy_array *onnx__kept_turn(hy_frame *F, hy_array *v, void *user)
{
    onnx__kept *k = (onnx__kept *)user;
    int i, n = k->states + 2;
    hy_array **x = (hy_array **)HY_ONNX_MALLOC(sizeof *x * (size_t)n), *y = NULL, *go = NULL;
    if (!x) { hy_raise(F, HY_ERROR_MEMORY, "out of memory"); return NULL; }
    for (i = 0; i < n; i++) x[i] = hy_get(F, v, i);
    y = onnx__run_kept(k, F, k->body[0], x, 1, &go);
    x[0] = hy_add_scalar(F, x[0], 1);
    x[1] = go;
    for (i = 0; i < k->states; i++) x[i + 2] = onnx__member(F, y, k->states, i);
    y = hy_group(F, NULL, hy_group_of(F, n, x));
    HY_ONNX_FREE(x);
    return y;
}

/* A step of a Scan: inputs of the body are states, then slices. */
static hy_array *onnx__kept_step(hy_frame *F, hy_array *slices, hy_array *states, void *user)
{
    onnx__kept *k = (onnx__kept *)user;
    const onnx__body *b = &k->R->m->body[k->body[0]];
    int i, scans = b->nin - k->states, n = b->nout;
    hy_array **x = (hy_array **)HY_ONNX_MALLOC(sizeof *x * (size_t)(b->nin + n + 1)), *y, *part[2];
    if (!x) { hy_raise(F, HY_ERROR_MEMORY, "out of memory"); return NULL; }
    for (i = 0; i < b->nin; i++)
        x[i] = i < k->states ? onnx__member(F, states, k->states, i)
                             : onnx__member(F, slices, scans, i - k->states);
    y = onnx__run_kept(k, F, k->body[0], x, 0, NULL);
    for (i = 0; i < n; i++) x[i] = onnx__member(F, y, n, i);
    part[0] = n == k->states       ? NULL
              : n - k->states == 1 ? x[k->states]
                                   : hy_group_of(F, n - k->states, x + k->states);
    part[1] = !k->states ? NULL : k->states == 1 ? x[0] : hy_group_of(F, k->states, x);
    y = hy_error(F) ? NULL : hy_group_of(F, 2, part);
    HY_ONNX_FREE(x);
    return y;
}

static void onnx__keep_if(onnx__run *R, onnx__node *n)
{
    const onnx__attr *yes = onnx__branch(n, "then_branch"), *no = onnx__branch(n, "else_branch");
    onnx__kept k = { NULL, NULL, { 0, 0 }, 0, NULL };
    hy_array *y;
    int i;
    if (!yes || !no) { onnx__fail(R, "a branch is missing"); return; }
    k.R = R;
    k.node = n;
    k.body[0] = yes->body;
    k.body[1] = no->body;
    y = hy_cond(R->F, onnx__in(R, 0), onnx__kept_then, onnx__kept_else, NULL, &k);
    for (i = 0; y && i < n->nout; i++)
        if (n->out[i] >= 0) onnx__set_value(R, n->out[i], onnx__member(R->F, y, n->nout, i));
}

static void onnx__keep_loop(onnx__run *R, onnx__node *n, int body)
{
    onnx__kept k = { NULL, NULL, { 0, 0 }, 0, NULL };
    double most = onnx__is_known(R, 0) ? onnx__single(R, 0, 1e15) : 1e15;
    hy_array **x = (hy_array **)onnx__scratch(R, n->nin, sizeof *x), *y;
    hy_shape none = HY_SCALAR;
    int i;
    if (!x || hy_error(R->F)) return;
    for (i = 0; most < 1 && i < n->nout; i++)
        if (n->out[i] >= 0) R->value[n->out[i]] = onnx__value_in(R, n, i + 2);
    if (most < 1) return;
    k.R = R;
    k.node = n;
    k.body[0] = body;
    k.states = n->nin - 2;
    if (onnx__has(R, 0) && !onnx__is_known(R, 0))
        k.limit = onnx__to(R, onnx__cast(R, onnx__in(R, 0), HY_I64), none);
    x[0] = onnx__filled(R, none, HY_I64, 0);
    x[1] = onnx__has(R, 1) ? onnx__to(R, onnx__cast(R, onnx__in(R, 1), HY_BOOL), none)
        : onnx__filled(R, none, HY_BOOL, 1);
    for (i = 2; i < n->nin; i++) x[i] = onnx__in(R, i);
    if (hy_error(R->F)) return;
    y = hy_while_loop(R->F, onnx__kept_test, onnx__kept_turn, hy_group_of(R->F, n->nin, x),
                      (int64_t)fmin(most, INT32_MAX / 2), &k);
    if (y) y = hy_get(R->F, y, 1);
    for (i = 0; y && i < n->nout; i++)
        if (n->out[i] >= 0) onnx__set_value(R, n->out[i], hy_get(R->F, y, i + 2));
}

/* Scans as rows of axis 0, in the order in which they are read. */
static void onnx__keep_scan(onnx__run *R, onnx__node *n, int body, int states)
{
    onnx__kept k = { NULL, NULL, { 0, 0 }, 0, NULL };
    hy_array **x = (hy_array **)onnx__scratch(R, n->nin, sizeof *x), *y, *part[2];
    int i, scans = n->nin - states, outs = R->m->body[body].nout - states;
    for (i = 0; x && i < n->nin; i++) {
        x[i] = onnx__in(R, i);
        if (i < states || !x[i]) continue;
        x[i] = onnx__move(R, x[i], onnx__axis(R, onnx__listed(n, "scan_input_axes", i - states, 0),
                                              onnx__rank(R, x[i])), 0);
        if (onnx__listed(n, "scan_input_directions", i - states, 0))
            x[i] = hy_reverse(R->F, x[i], HY_AXES(0));
    }
    if (!x || hy_error(R->F)) return;
    k.R = R;
    k.node = n;
    k.body[0] = body;
    k.states = states;
    part[0] = scans == 1 ? x[states] : hy_group_of(R->F, scans, x + states);
    part[1] = !states ? NULL : states == 1 ? x[0] : hy_group_of(R->F, states, x);
    y = hy_foreach(R->F, onnx__kept_step, part[0], part[1], &k);
    part[0] = y ? hy_get(R->F, y, 0) : NULL;
    part[1] = y ? hy_get(R->F, y, 1) : NULL;
    for (i = 0; y && i < n->nout; i++) {
        hy_array *out;
        if (n->out[i] < 0) continue;
        out = i < states ? onnx__member(R->F, part[1], states, i)
                         : onnx__member(R->F, part[0], outs, i - states);
        if (i >= states) {
            if (onnx__listed(n, "scan_output_directions", i - states, 0))
                out = hy_reverse(R->F, out, HY_AXES(0));
            out = onnx__move(R, out, 0, onnx__axis(R, onnx__listed(n, "scan_output_axes", i - states, 0),
                                                   onnx__rank(R, out)));
        }
        onnx__set_value(R, n->out[i], out);
    }
}

/* Scan of opset 8 has a batch in front of everything, whose samples run one after the other. */
static void onnx__begin_scan(onnx__run *R, onnx__node *n, int body)
{
    onnx__body *b = &R->m->body[body];
    int i, batched = R->opset < 9, scans = onnx__scans(R),
           states = n->nin - batched - scans;
    onnx__value v;
    hy_shape s;
    int64_t steps, batch = 1;
    if (scans < 1 || states < 0 || b->nin != states + scans || b->nout < states ||
        (batched && n->in[0] >= 0)) {
        onnx__fail(R, "inputs and outputs of the body do not fit, or lengths of sequences");
        return;
    }
    for (i = 0; !batched && i < states; i++) R->value[b->in[i]] = onnx__value_in(R, n, i);
    v = onnx__value_in(R, n, states + batched);
    R->F = v.x ? R->trace : R->K;
    if (!onnx__shape(R, v.x ? v.x : v.known, &s) || (batched && s.ndim < 2)) return;
    steps = s.dim[batched ? 1 : onnx__axis(R, onnx__listed(n, "scan_input_axes", 0, 0), s.ndim)];
    R->F = R->trace;
    if (batched) batch = s.dim[0];
    if (steps < 1 || batch < 1) { onnx__fail(R, "a Scan without steps"); return; }
    if (R->K && !batched && steps > ONNX__UNROLLED) { onnx__keep_scan(R, n, body, states); return; }
    onnx__push(R, body, n, steps * batch);
    R->stack[R->depth - 1].samples = batched ? batch : 0;
    onnx__turn(R, &R->stack[R->depth - 1]);
}

static void onnx__begin_loop(onnx__run *R, onnx__node *n, int body)
{
    onnx__body *b = &R->m->body[body];
    double most, go;
    int i;
    if (b->nin != n->nin || b->nin < 2 || b->nout < b->nin - 1 || n->nout > b->nout - 1) {
        onnx__fail(R, "inputs and outputs of the body do not fit");
        return;
    }
    if (R->K && n->kept) { onnx__keep_loop(R, n, body); return; }
    most = onnx__single(R, 0, 1e15);
    go = onnx__single(R, 1, 1);
    if (hy_error(R->F)) return;
    for (i = 2; i < n->nin; i++) R->value[b->in[i]] = onnx__value_in(R, n, i);
    if (most < 1 || go == 0) {
        for (i = 0; i < n->nout; i++) {
            hy_type t = R->m->slot[b->out[i + 1]].type;
            if (i < n->nin - 2) { R->value[n->out[i]] = onnx__value_in(R, n, i + 2); continue; }
            t.shape.ndim = t.shape.ndim < 0 ? 1 : t.shape.ndim + 1;
            memmove(t.shape.dim + 1, t.shape.dim, sizeof *t.shape.dim * (HY_MAX_DIM - 1));
            t.shape.dim[0] = 0;
            if (n->out[i] >= 0) R->value[n->out[i]].x = hy_empty(R->F, t.shape, t.dtype ? t.dtype : HY_F32);
        }
        return;
    }
    onnx__push(R, body, n, (int64_t)most);
    onnx__turn(R, &R->stack[R->depth - 1]);
}

/* What a body of one input makes of x; x itself where there is none. */
static hy_array *onnx__through(onnx__run *R, onnx__node *n, const char *name, hy_array *x)
{
    const onnx__attr *a = onnx__branch(n, name);
    const onnx__body *b = a ? &R->m->body[a->body] : NULL;
    if (!b || hy_error(R->F)) return x;
    if (b->nin != 1 || b->nout != 1) { onnx__fail(R, "%s: one input and output are due", name); return NULL; }
    onnx__set_value(R, b->in[0], x);
    R->walk(R, a->body);
    R->node = n;
    R->F = R->trace;
    R->opset = R->m->body[n->home].opset;
    if (hy_error(R->F)) return NULL;
    onnx__load_constant(R, b->out[0]);
    return onnx__in_trace(R, R->value[b->out[0]]);
}

/* Attention that bodies change between: the scores before softmax, the probabilities behind it. */
static void onnx__flex_attention(onnx__run *R, onnx__node *n)
{
    hy_frame *F = R->F;
    hy_array *q = onnx__in(R, 0), *k = onnx__in(R, 1), *v = onnx__in(R, 2), *half, *p;
    hy_dtype d = onnx__type_in(R, 0), fine = onnx__dtype(onnx__int(R, "softmax_precision", 0));
    hy_shape s;
    double scale;
    if (!fine) fine = d == HY_F64 ? HY_F64 : HY_F32;
    if (!onnx__shape(R, q, &s)) return;
    if (s.ndim != 4 || onnx__rank(R, k) != 4 || onnx__rank(R, v) != 4) {
        onnx__fail(R, "queries, keys and values of 4 dims are due");
        return;
    }
    if (fine == d && !onnx__branch(n, "score_mod") && !onnx__branch(n, "prob_mod")) {
        onnx__attend(R, q, k, v, 0);
        return;
    }
    scale = onnx__float(R, "scale", 1 / sqrt((double)s.dim[3]));
    half = onnx__filled(R, HY_SHAPE(1), d, sqrt(scale));
    k = hy_mul(F, onnx__shared_heads(R, k, s.dim[1]), half);
    v = onnx__shared_heads(R, v, s.dim[1]);
    p = onnx__matmul(R, hy_mul(F, q, half), hy_transpose(F, k, HY_INTS(0, 1, 3, 2)));
    p = onnx__through(R, n, "score_mod", onnx__cast(R, p, fine));
    p = onnx__softmax(R, onnx__cast(R, p, fine), -1, 0);
    p = onnx__cast(R, onnx__through(R, n, "prob_mod", p), fine);
    onnx__out(R, 0, onnx__cast(R, onnx__matmul(R, p, onnx__cast(R, v, fine)), d));
}

/* A node that runs a body: a function of the model, If, Loop, Scan. */
static void onnx__begin(onnx__run *R, onnx__node *n)
{
    const onnx__attr *a;
    onnx__body *b;
    int i;
    if (R->depth > ONNX__MOST_DEPTH) { onnx__fail(R, "bodies lie too deep within one another"); return; }
    if (n->body >= 0) {
        b = &R->m->body[n->body];
        for (i = 0; i < b->nin; i++) R->value[b->in[i]] = onnx__value_in(R, n, i);
        onnx__push(R, n->body, n, 1);
        return;
    }
    if (!strcmp(n->op, "FlexAttention")) { onnx__flex_attention(R, n); return; }
    if (!strcmp(n->op, "If") && n->kept && !onnx__is_known(R, 0)) { onnx__keep_if(R, n); return; }
    a = onnx__branch(n, !strcmp(n->op, "If") ? onnx__single(R, 0, 0) != 0 ? "then_branch" : "else_branch"
                     : "body");
    if (hy_error(R->F)) return;
    if (!a) { onnx__fail(R, "the body is missing"); return; }
    if (!strcmp(n->op, "If")) onnx__push(R, a->body, n, 1);
    else if (!strcmp(n->op, "Loop")) onnx__begin_loop(R, n, a->body);
    else if (!strcmp(n->op, "SequenceMap")) onnx__begin_map(R, n, a->body);
    else onnx__begin_scan(R, n, a->body);
}

/* A state of a Scan keeps its type and, as far as it is known, its shape. */
static int onnx__keeps_state(onnx__run *R, onnx__value was, onnx__value is)
{
    hy_frame *before = was.x ? R->trace : R->K, *after = is.x ? R->trace : R->K;
    hy_array *x = was.x ? was.x : was.known, *y = is.x ? is.x : is.known;
    hy_shape s, t;
    int i;
    if (!x || !y) return 1;
    s = hy_shape_of(before, x);
    t = hy_shape_of(after, y);
    if (hy_dtype_of(before, x) != hy_dtype_of(after, y)) return 0;
    for (i = 0; i < s.ndim && i < t.ndim; i++)
        if (s.dim[i] >= 0 && t.dim[i] >= 0 && s.dim[i] != t.dim[i]) return 0;
    return s.ndim < 0 || t.ndim < 0 || s.ndim == t.ndim;
}

/* The results of a turn of Loop or Scan: pieces go behind the others, states on to the next turn. */
static void onnx__end_turn(onnx__run *R, onnx__active *a, int states, int loop)
{
    onnx__body *b = &R->m->body[a->body];
    onnx__node *n = a->owner;
    int64_t steps = a->samples ? a->steps / a->samples : 0;
    int i, last = a->samples && a->step % steps == steps - 1;
    for (i = states; i + loop < b->nout && i < n->nout; i++)
        if (n->out[i] >= 0)
            R->value[n->out[i]] =
                onnx__gathered(R, R->value[n->out[i]], R->value[b->out[i + loop]],
                               onnx__listed(n, "scan_output_axes", i - states, 0), !a->step,
                               onnx__listed(n, "scan_output_directions", i - states, 0) != 0);
    a->step++;
    for (i = 0; i < states; i++) {
        onnx__value v = R->value[b->out[i + loop]];
        if (!loop && !hy_error(R->F) && !onnx__keeps_state(R, R->value[b->in[i]], v)) {
            onnx__fail(R, "state %d has another type or shape after a turn than before it", i);
            return;
        }
        if (a->step < a->steps) R->value[b->in[i + 2 * loop]] = v;
        if (i >= n->nout || n->out[i] < 0) continue;
        if (last) R->value[n->out[i]] = onnx__gathered(R, R->value[n->out[i]], v, 0, a->step == steps, 0);
        else if (!a->samples && a->step == a->steps) R->value[n->out[i]] = v;
    }
}

/* (samples * steps, ...) as (samples, steps, ...). */
static void onnx__split_samples(onnx__run *R, const onnx__active *a, int states)
{
    const onnx__node *n = a->owner;
    int i;
    for (i = states; i < n->nout; i++) {
        onnx__value *v = n->out[i] < 0 ? NULL : &R->value[n->out[i]];
        hy_shape s;
        if (!v || !(v->x || v->known)) continue;
        R->F = v->x ? R->trace : R->K;
        if (!onnx__shape(R, v->x ? v->x : v->known, &s) || s.ndim == HY_MAX_DIM) continue;
        memmove(s.dim + 2, s.dim + 1, sizeof *s.dim * (size_t)(s.ndim - 1));
        s.dim[0] = a->samples;
        s.dim[1] = a->steps / a->samples;
        s.ndim++;
        if (v->x) v->x = onnx__to(R, v->x, s);
        else v->known = onnx__to(R, v->known, s);
    }
    R->F = R->trace;
}

/* What a Loop's body says last: whether there is another turn. */
static int onnx__goes_on(onnx__run *R, const onnx__active *a)
{
    onnx__node ask = *a->owner;                 /* the body's first output, read as an input */
    double go;
    ask.nin = 1;
    ask.in = R->m->body[a->body].out;
    R->node = &ask;
    go = onnx__single(R, 0, 1);
    R->node = a->owner;
    return go != 0;
}

/* A body has come to its end: what it gives goes on, or it takes another turn. */
static void onnx__end(onnx__run *R)
{
    onnx__active *a = &R->stack[R->depth - 1];
    onnx__body *b = &R->m->body[a->body];
    onnx__node *n = a->owner;
    int i, loop = n && n->body < 0 && !strcmp(n->op, "Loop"),
           scan = n && n->body < 0 && !strcmp(n->op, "Scan"),
           map = n && n->body < 0 && !strcmp(n->op, "SequenceMap"), states = 0;
    R->node = n;
    for (i = 0; i < b->nout; i++) onnx__load_constant(R, b->out[i]);
    if (loop || scan) {
        states = loop ? n->nin - 2 : b->nin - onnx__scans(R);
        if (loop && !onnx__goes_on(R, a)) a->steps = a->step + 1;
        onnx__end_turn(R, a, states, loop);
    } else {
        for (i = 0; n && i < n->nout && i < b->nout; i++)
            if (n->out[i] >= 0 && map) R->value[n->out[i]].list->at[a->step] = R->value[b->out[i]];
            else if (n->out[i] >= 0) R->value[n->out[i]] = R->value[b->out[i]];
        a->step++;
    }
    if (a->step < a->steps) { onnx__turn(R, a); return; }
    if (a->samples) onnx__split_samples(R, a, states);
    R->depth--;
}

/* --- the walk --- */
/* An error gets the name of the node that it came of. */
static void onnx__blame(onnx__run *R)
{
    char text[1024];
    hy_error_t code;
    const char *why;
    int named;
    if (R->K && hy_error(R->K) && !hy_error(R->trace))
        hy_raise(R->trace, hy_error_code(R->K), hy_error(R->K));
    why = hy_error(R->trace);
    if (!why || R->blamed) return;
    R->blamed = 1;
    code = hy_error_code(R->trace);
    named = R->node && *R->node->name;
    snprintf(text, sizeof text, "%s%s%s%s: %s", !R->node ? "the model" : R->node->said ? R->node->said : R->node->op,
             named ? " '" : "", named ? R->node->name : "", named ? "'" : "", why);
    if (strstr(text, " [in ")) *strstr(text, " [in ") = 0;     /* it is said once more */
    hy_clear(R->trace);
    hy_raise(R->trace, code, text);
}

/* The node's operators, in the present frame; what grew beyond a carrier's bounds comes back. */
static void onnx__do(onnx__run *R, const onnx__node *n)
{
    const onnx__value *y = n->wraps && n->out[0] >= 0 ? &R->value[n->out[0]] : NULL;
    n->row->fn(R);
    if (y) onnx__out(R, 0, onnx__narrowed(R, R->F == R->K ? y->known : y->x, n->kind));
}

/* Are all numbers below 0, or is none? */
static int onnx__all_signs(hy_frame *K, hy_array *x, int below)
{
    double v = 0;
    if (!hy_size(K, x)) return 0;
    hy_begin(K);
    x = below ? hy_max(K, x, HY_ALL, NULL) : hy_min(K, x, HY_ALL, NULL);
    v = hy_item(K, hy_cast(K, x, HY_F64));
    hy_end(K);
    return below ? v < 0 : v >= 0;
}

/* Takes note of what the node decides by, all of which is known: a choice, a comparison, a bound, or what is
 * rounded. That sizes are not those below 0, which stand for others in files, is no news. */
static void onnx__note_choice(onnx__run *R, const onnx__node *n)
{
    static const char ops[] = " If Equal Less LessOrEqual Greater GreaterOrEqual Min Max Clip Mod Floor Ceil "
        "Round Sign Abs Relu BitShift Cast Div ArgMax ArgMin TopK ReduceMax ReduceMin NonZero ";
    hy_frame *K = R->K;
    hy_array *x = n->nin && n->in[0] >= 0 ? R->value[n->in[0]].known : NULL, *y;
    char op[32];
    int i, rounds = 1;
    snprintf(op, sizeof op, " %.24s ", n->op);
    if (!x || !strstr(ops, op) || hy_error(K)) return;
    if (!strcmp(n->op, "Div")) rounds = !onnx__is_float(hy_dtype_of(K, x));
    if (!strcmp(n->op, "Cast")) {
        hy_dtype to = onnx__dtype(onnx__int(R, "to", 0));
        rounds = to == HY_BOOL || (onnx__is_float(hy_dtype_of(K, x)) && !onnx__is_float(to));
    }
    y = !strcmp(n->op, "Equal") && n->nin > 1 && n->in[1] >= 0 ? R->value[n->in[1]].known : NULL;
    if (y && ((onnx__all_signs(K, x, 0) && onnx__all_signs(K, y, 1)) ||
              (onnx__all_signs(K, x, 1) && onnx__all_signs(K, y, 0)))) return;
    for (i = 0; rounds && i < n->nin && !hy_error(K); i++) {
        x = n->in[i] >= 0 ? R->value[n->in[i]].known : NULL;
        if (x) onnx__note_decided(R, hy_data(K, x), (size_t)hy_size(K, x) * hy_dtype_size(hy_dtype_of(K, x)));
    }
}

/* Sums, differences, products, quotients of known sizes. 0: they are none of these. */
static int onnx__two_lens(onnx__run *R, onnx__node *n)
{
    const onnx__value *a = &R->value[n->in[0]], *b = &R->value[n->in[1]];
    const int64_t na = hy_size(R->K, a->known), nb = hy_size(R->K, b->known);
    const int64_t *x = (const int64_t *)hy_data(R->K, a->known), *y = (const int64_t *)hy_data(R->K, b->known);
    int64_t to[ONNX__MOST_LENS];
    hy_shape s = hy_shape_of(R->K, (na > nb || (na == nb && hy_ndim(R->K, a->known) > hy_ndim(R->K, b->known))
                              ? a : b)->known);
    hy_frame *F = R->trace;
    int i;
    if (na != nb && hy_ndim(R->K, (na > nb ? b : a)->known) > s.ndim) return 0;
    if (hy_dtype_of(R->K, a->known) != HY_I64 || hy_dtype_of(R->K, b->known) != HY_I64 || na < 1 || nb < 1 ||
        na > ONNX__MOST_LENS || nb > ONNX__MOST_LENS || (na != nb && na != 1 && nb != 1) || !x || !y ||
        (na == nb && na > 1 && (hy_ndim(R->K, a->known) > 1 || hy_ndim(R->K, b->known) > 1))) return 0;
    for (i = 0; i < (na > nb ? na : nb); i++) {
        hy_len u = onnx__len(R, x[na > 1 ? i : 0]), v = onnx__len(R, y[nb > 1 ? i : 0]);
        hy_len z;
        if (*n->op == 'D' && (!hy_len_at_least(F, u, 0) || !hy_len_at_least(F, v, 1))) return 0;    /* it rounds to 0 */
        z = !strcmp(n->op, "Add") ? hy_len_add(F, u, v) : !strcmp(n->op, "Sub") ? hy_len_sub(F, u, v)
            : !strcmp(n->op, "Mul") ? hy_len_mul(F, u, v) : hy_len_div(F, u, v);
        to[i] = onnx__code(R, onnx__coded(R, z));
    }
    if (hy_error_code(F) == HY_ERROR_ARGUMENT) { hy_clear(F); return 0; }       /* no size: numbers wrap round */
    if (hy_error(F)) return 1;
    R->value[n->out[0]].known = hy_from(R->K, s, HY_I64, to);
    return 1;
}

/* Are all sizes among them 0 or more? */
static int onnx__never_below(onnx__run *R, const onnx__value *v)
{
    const int64_t n = hy_size(R->K, v->known), *at = (const int64_t *)hy_data(R->K, v->known);
    int64_t i;
    for (i = 0; at && i < n; i++) if (onnx__is_code(at[i]) && !hy_len_at_least(R->trace, onnx__len(R, at[i]), 0)) return 0;
    return at != NULL;
}
/* Do all of them fit into i32, and in all calls of this trace? */
static int onnx__stays_narrow(onnx__run *R, const onnx__value *v)
{
    const int64_t n = hy_size(R->K, v->known), *at = (const int64_t *)hy_data(R->K, v->known);
    int64_t i;
    for (i = 0; at && i < n; i++) {
        const hy_len len = onnx__len(R, at[i]);
        if (!hy_len_below(R->trace, len, (int64_t)INT32_MAX + 1) || hy_len_below(R->trace, len, -(int64_t)INT32_MAX))
            return 0;
    }
    return at != NULL;
}

/* What becomes of a node whose inputs are all known, some as sizes that calls take on: they move as they are,
 * what is counted by them is sizes again, the program makes data of them where no shape is decided by that, or
 * they become numbers. */
enum { ONNX__AS_NUMBERS, ONNX__AS_PLACES, ONNX__AS_SIZES, ONNX__AS_DATA, ONNX__AS_CAST };
static int onnx__open_way(onnx__run *R, const onnx__node *n)
{
    static const char moves[] = " Gather Slice Squeeze Unsqueeze Reshape Identity ";    /* of their first input */
    char op[32];
    int i, later = 0, decides = 0, narrow = 0, to = 0;
    snprintf(op, sizeof op, " %.24s ", n->op);
    if (n->body >= 0 || n->wraps || n->nout != 1 || n->out[0] < 0) return ONNX__AS_NUMBERS;
    for (i = 0; i < n->nin; i++) {
        const onnx__value *v = n->in[i] < 0 ? NULL : &R->value[n->in[i]];
        if (v && v->open && i) later = 1;
        narrow |= v && v->open == 2;
        if (v && !v->open && onnx__looks_open(R->K, v->known)) return ONNX__AS_NUMBERS;
    }
    for (i = 0; i < n->nout; i++) decides |= R->m->slot[n->out[i]].used;
    if (strstr(moves, op) && !later) return ONNX__AS_PLACES;
    if (!strcmp(n->op, "Cast")) {
        to = onnx__int(R, "to", 0);
        if (to == 7 || (to == 6 && onnx__stays_narrow(R, &R->value[n->in[0]]))) return ONNX__AS_CAST;
    }
    if (narrow) return decides || n->row->special ? ONNX__AS_NUMBERS : ONNX__AS_DATA;
    if (strstr(" Add Sub Mul Div ", op) && n->nin == 2 && R->opset >= 7) return ONNX__AS_SIZES;
    if (!strcmp(n->op, "Concat") || !strcmp(n->op, "Shape")) return ONNX__AS_PLACES;
    if (!strcmp(n->op, "Where") && n->in[0] >= 0 && !R->value[n->in[0]].open) return ONNX__AS_PLACES;
    if (!strcmp(n->op, "Equal") && n->nin == 2)         /* sizes are not what stands for others in files */
        for (i = 0; i < 2; i++)
            if (n->in[0] >= 0 && n->in[1] >= 0 && !R->value[n->in[i]].open && onnx__never_below(R, &R->value[n->in[1 - i]]) &&
                onnx__all_signs(R->K, R->value[n->in[i]].known, 1)) return ONNX__AS_PLACES;
    return decides || n->row->special ? ONNX__AS_NUMBERS : ONNX__AS_DATA;
}

/* Are there sizes among what a node gives? */
static void onnx__opened(onnx__run *R, const onnx__node *n, int way, onnx__value *v)
{
    const int narrow = way == ONNX__AS_CAST ? onnx__int(R, "to", 0) == 6
                       : way == ONNX__AS_PLACES && R->value[n->in[0]].open == 2;
    v->open = onnx__looks_open(R->K, v->known) * (1 + narrow);
    if (narrow && !v->open) v->known = hy_cast(R->K, v->known, HY_I32);
}

static void onnx__step(onnx__run *R, onnx__node *n)
{
    int i, known = R->K != NULL && (!n->row || n->row->special != ONNX__RANDOM), live = 0, open = 0, way = 0;
    onnx__value none = { NULL, NULL, 0, 0, NULL };
    R->F = R->trace;
    for (i = 0; i < n->nin; i++)
        if (n->in[i] >= 0) {
            onnx__load_constant(R, n->in[i]);
            if (i && n->row && n->row->special == ONNX__FIRST) continue;
            known = known && R->value[n->in[i]].known != NULL;
            live |= R->value[n->in[i]].live;
            open |= R->value[n->in[i]].open;
        }
    if (open && (known || n->body >= 0 || n->row->special == ONNX__FLOW || n->row->special == ONNX__LISTS)) {
        way = known && !live ? onnx__open_way(R, n) : ONNX__AS_NUMBERS;
        for (i = 0; i < n->nin && way == ONNX__AS_NUMBERS; i++)
            if (n->in[i] >= 0) onnx__settle(R, &R->value[n->in[i]]);
    }
    if (known && R->net->decided && n->body < 0) onnx__note_choice(R, n);
    for (i = 0; i < n->nout; i++) if (n->out[i] >= 0) R->value[n->out[i]] = none;
    if (n->body >= 0 || n->row->special == ONNX__FLOW) { onnx__begin(R, n); return; }
    if (n->row->special == ONNX__LISTS) { n->row->fn(R); return; }
    if (n->row->one == hy_identity) {
        onnx__value v = onnx__value_in(R, n, 0);
        if (onnx__wants(R, 0) && onnx__has(R, 0) &&
            (v.list || (R->m->slot[n->in[0]].tensor && !n->home && !R->m->slot[n->out[0]].result))) {
            R->value[n->out[0]] = v;            /* a copy would have to be the file's tensor itself */
            return;
        }
    }
    if (way == ONNX__AS_DATA) known = 0;
    if (way == ONNX__AS_SIZES) {
        if (onnx__two_lens(R, n)) known = 1;
        else {
            for (i = 0; i < n->nin; i++) onnx__settle(R, &R->value[n->in[i]]);
            way = ONNX__AS_NUMBERS;
        }
    }
    if (known && way != ONNX__AS_SIZES && way != ONNX__AS_CAST) {
        R->F = R->K;
        onnx__do(R, n);
        R->F = R->trace;
    }
    if (way == ONNX__AS_CAST) R->value[n->out[0]].known = R->value[n->in[0]].known;
    if ((!known || live) && !(known && n->row->special == ONNX__SHAPES)) onnx__do(R, n);
    for (i = 0; i < n->nout; i++)
        if (n->out[i] >= 0) {
            onnx__value *v = &R->value[n->out[i]];
            v->live = known && live;
            if (R->sizes && v->known && (way || (n->row->special == ONNX__SHAPES && !known)))
                onnx__opened(R, n, way, v);
        }
}

/* The nodes of a body: of the model's, those that are late, or all others; of those within, all. */
static void onnx__walk(onnx__run *R, int body)
{
    int floor = R->depth;
    if (floor > ONNX__MOST_DEPTH) { onnx__fail(R, "bodies lie too deep within one another"); return; }
    onnx__push(R, body, NULL, 1);
    while (R->depth > floor) {
        onnx__active *a = &R->stack[R->depth - 1];
        onnx__node *n = a->next;
        R->opset = R->m->body[a->body].opset;
        R->node = n;
        if (n) {
            if (++R->steps > ONNX__MOST_STEPS) onnx__fail(R, "more than 2^24 steps");
            a->next = n->next;
            if (R->depth > 1 || n->late == R->late) onnx__step(R, n);
        } else onnx__end(R);
        if (hy_error(R->trace) || (R->K && hy_error(R->K))) { onnx__blame(R); break; }
    }
    R->depth = floor;
}

static int onnx__enough(hy_frame *F, int due, int count)
{
    char text[128];
    if (count == due || !due) return 1;         /* without inputs it takes any array */
    snprintf(text, sizeof text, "the network takes %d inputs, not %d", due, count);
    hy_raise(F, HY_ERROR_ARGUMENT, text);
    return 0;
}

/* Is an input of the type that the file declares? Other numbers of the file may have been worked out by it. */
static int onnx__as_declared(hy_frame *F, const onnx__slot *s, hy_array *x)
{
    char text[256];
    if (s->type.dtype && hy_dtype_of(F, x) != s->type.dtype && !hy_error(F)) {
        snprintf(text, sizeof text, "input '%.100s' is of type %s, not %s", s->name, hy_dtype_name(s->type.dtype),
                 hy_dtype_name(hy_dtype_of(F, x)));
        hy_raise(F, HY_ERROR_DTYPE, text);
    }
    snprintf(text, sizeof text, "input '%.100s' (hy_onnx_set_input says if another shape is meant)", s->name);
    return !hy_error(F) && hy_expect_shape(F, x, s->type.shape, text);
}

static void onnx__bind_inputs(onnx__run *R, hy_array *x)
{
    onnx__body *b = &R->m->body[0];
    int i, n = 0, count = x ? hy_count(R->F, x) : 0, due = 0, all = R->late;
    for (i = 0; i < b->nin; i++) due += R->m->slot[b->in[i]].input > 0 &&
        (all || !R->net->given[R->m->slot[b->in[i]].input - 1].data);
    if (!onnx__enough(R->F, due, count)) return;
    for (i = 0; i < b->nin; i++) {
        onnx__slot *s = &R->m->slot[b->in[i]];
        onnx__given *g = s->input ? &R->net->given[s->input - 1] : NULL;
        onnx__value *v = &R->value[b->in[i]];
        hy_frame *F = R->K ? R->K : R->F;
        if (!g) continue;
        if (all || !g->data) {
            v->x = hy_get(R->F, x, n++);
            if (v->x && !R->net->retyped && !onnx__as_declared(R->F, s, v->x)) return;
            continue;
        }
        v->known = g->bytes ? hy_from(F, g->type.shape, g->type.dtype, g->data)
            : hy_empty(F, g->type.shape, g->type.dtype);
        if (!R->K) { v->x = v->known; v->known = NULL; }
    }
}

/* Values of the model as one array or group; the members of a sequence stand side by side. */
static hy_array *onnx__outputs(onnx__run *R, const int *list, int n)
{
    hy_array **y, *all = NULL;
    int i, k, members = 0;
    R->F = R->trace;
    R->node = NULL;
    for (i = 0; i < n; i++) {
        onnx__load_constant(R, list[i]);
        members += R->value[list[i]].list ? R->value[list[i]].list->n : 1;
    }
    y = (hy_array **)HY_ONNX_MALLOC(sizeof *y * (size_t)(members + 1));
    if (!y) { hy_raise(R->trace, HY_ERROR_MEMORY, "out of memory"); return NULL; }
    for (members = i = 0; i < n; i++) {
        const onnx__slot *s = &R->m->slot[list[i]];
        const onnx__value *v = &R->value[list[i]];
        for (k = 0; k < (v->list ? v->list->n : 1); k++, members++) {
            y[members] = onnx__in_trace(R, v->list ? v->list->at[k] : *v);
            if (y[members] && (s->input || s->param || (R->K && v->known)))
                y[members] = hy_identity(R->F, y[members]);
            if (!y[members]) onnx__fail(R, "output '%s' has no value", s->name);
        }
    }
    if (!hy_error(R->F)) all = members == 1 ? y[0] : hy_group_of(R->F, members, y);
    HY_ONNX_FREE(y);
    return all;
}

static int onnx__run_open(onnx__run *R, hy_frame *F, onnx__net *net)
{
    size_t bytes = sizeof *R->value * (size_t)(net->model.slots + 1);
    memset(R, 0, sizeof *R);
    R->F = R->trace = F;
    R->net = net;
    R->m = &net->model;
    R->walk = onnx__walk;
    R->value = (onnx__value *)HY_ONNX_MALLOC(bytes);
    if (R->value) memset(R->value, 0, bytes);
    else hy_raise(F, HY_ERROR_MEMORY, "out of memory");
    if (R->value && hy_mode(F)[0] == 's' && (R->K = hy_fork(F)) == NULL)
        hy_raise(F, HY_ERROR_MEMORY, "out of memory");
    return !hy_error(F);
}

static void onnx__run_close(onnx__run *R)
{
    onnx__blame(R);
    if (R->K) { hy_clear(R->K); hy_close(R->K); }
    HY_ONNX_FREE(R->value);
    while (R->lists) {
        onnx__sequence *list = R->lists;
        R->lists = list->before;
        HY_ONNX_FREE(list);
    }
}

static hy_array *onnx__forward(hy_frame *F, hy_block *self, hy_array *x)
{
    onnx__net *net = (onnx__net *)self;
    onnx__run R;
    hy_array *y = NULL;
    if (hy_error(F)) return NULL;
    if (onnx__run_open(&R, F, net)) {
        onnx__bind_inputs(&R, x);
        if (!hy_error(F)) onnx__walk(&R, 0);
        if (!hy_error(F)) y = onnx__outputs(&R, net->cut, net->cuts);
    }
    onnx__run_close(&R);
    return y;
}

/* What the inner network gave goes on through the late nodes. */
static hy_array *onnx__finish(hy_frame *F, onnx__net *net, hy_array *x, hy_array *cut)
{
    onnx__run R;
    hy_array *y = NULL;
    int i;
    if (hy_error(F)) return NULL;
    if (onnx__run_open(&R, F, net)) {
        R.late = 1;
        onnx__bind_inputs(&R, x);
        for (i = 0; i < net->cuts; i++) R.value[net->cut[i]].x = net->cuts == 1 ? cut : hy_get(F, cut, i);
        if (!hy_error(F)) onnx__walk(&R, 0);
        if (!hy_error(F)) y = onnx__outputs(&R, net->model.body[0].out, net->model.body[0].nout);
    }
    onnx__run_close(&R);
    return y;
}

/* --- the block around, where values decide shapes --- */
static int onnx__give(hy_frame *F, onnx__given *g, hy_array *x)
{
    size_t bytes = (size_t)hy_size(F, x) * hy_dtype_size(hy_dtype_of(F, x));
    hy_type type;
    void *data;
    const void *from = bytes ? hy_data(F, x) : NULL;
    if (hy_error(F)) return 0;
    type.dtype = hy_dtype_of(F, x);
    type.shape = hy_shape_of(F, x);
    if (g->data && g->bytes == bytes && g->type.dtype == type.dtype &&
        onnx__same_shape(g->type.shape, type.shape) &&
        (!bytes || !memcmp(g->data, from, bytes))) return 0;
    data = HY_ONNX_MALLOC(bytes + 1);
    if (!data) { hy_raise(F, HY_ERROR_MEMORY, "out of memory"); return 0; }
    if (bytes) memcpy(data, from, bytes);
    HY_ONNX_FREE(g->data);
    g->data = data;
    g->bytes = bytes;
    g->type = type;
    return 1;
}

/* Those for other values: a block that changes loses its programs. */
static void onnx__drop_programs(hy_frame *F, onnx__net *net)
{
    hy_block *before = net->mark;
    net->mark = hy_add_child(F, &net->base, "given", hy_nn_identity(F));
    hy_block_free(F, before);
}

static hy_array *onnx__forward_given(hy_frame *F, hy_block *self, hy_array *x)
{
    onnx__net *net = ((onnx__net *)self)->inner;
    onnx__body *b = &net->model.body[0];
    int64_t bytes = (int64_t)sizeof(hy_array *) * (net->inputs + 1);
    hy_array **rest = (hy_array **)hy_write(F, hy_empty(F, HY_SHAPE(bytes), HY_U8)), *y;
    int i, n = 0, k = 0, changed = 0;
    if (!rest || hy_error(F)) return NULL;
    if (!onnx__enough(F, net->inputs, hy_count(F, x))) return NULL;
    for (i = 0; i < b->nin; i++) {
        onnx__slot *s = &net->model.slot[b->in[i]];
        hy_array *in;
        if (!s->input) continue;
        in = hy_get(F, x, k++);
        if (s->given && in && onnx__as_declared(F, s, in)) changed |= onnx__give(F, &net->given[s->input - 1], in);
        else rest[n++] = in;
        if (hy_error(F)) return NULL;
    }
    if (changed)
        onnx__drop_programs(F, net);
    if (!net->cuts) y = NULL;
    else if (!n) y = onnx__forward(F, &net->base, NULL);
    else y = hy_call(F, &net->base, n == 1 ? rest[0] : hy_group_of(F, n, rest));
    return net->late ? onnx__finish(F, net, x, y) : y;
}

/* --- from the file to the block --- */
static void onnx__complain(onnx__model *m, const char *op, const char *name, const char *why)
{
    enum { ROOM = 2000 };
    if (!m->list) m->list = ONNX__ROOM(m, char, ROOM + 1);
    if (!m->list || m->listed + 200 > ROOM) return;
    m->listed += (size_t)snprintf(m->list + m->listed, 180, "%s%.60s%s%.60s%s: %.50s", m->listed ? "; " : "",
                                  op, *name ? " '" : "", name, *name ? "'" : "", why);
}

/* Is the value there when the node runs: made before it, or before the node whose body it stands in? */
static int onnx__made_before(const onnx__model *m, int k, const onnx__node *n)
{
    const onnx__slot *s = &m->slot[k];
    if (s->tensor || s->bound) return 1;
    if (!s->maker) return 0;
    while (n && n->home != s->maker->home) n = m->body[n->home].owner;
    return n && s->maker->number < n->number;
}

/* --- nodes in any order --- */
/* A node of body b, or b as the body of that node, reads value k: the link that this makes, if any. */
static int onnx__link_of(const onnx__model *m, int b, onnx__node *reader, int k, onnx__link *to)
{
    onnx__node *maker = k >= 0 ? m->slot[k].maker : NULL;
    while (maker && reader && b != maker->home) {       /* out to the body where it is made */
        reader = m->body[b].owner;
        b = reader ? reader->home : b;
    }
    to->maker = maker;
    to->reader = reader;
    return maker && reader;
}

/* All links of the model; to: NULL only counts them. *sorted: they all lead on. */
static int onnx__all_links(const onnx__model *m, onnx__link *to, int *sorted)
{
    onnx__link one;
    onnx__node *n;
    int b, i, count = 0;
    *sorted = 1;
    for (b = 0; b < m->bodies; b++) {
        for (n = m->body[b].first; n; n = n->next)
            for (i = 0; i < n->nin; i++) {
                if (!onnx__link_of(m, b, n, n->in[i], &one)) continue;
                *sorted &= one.maker->number < one.reader->number;
                if (to) to[count] = one;
                count++;
            }
        for (i = 0; m->body[b].owner && i < m->body[b].nout; i++) {
            n = m->body[b].owner;
            if (!onnx__link_of(m, n->home, n, m->body[b].out[i], &one) || one.maker == n) continue;
            *sorted &= one.maker->number < one.reader->number;
            if (to) to[count] = one;
            count++;
        }
    }
    return count;
}

static int onnx__by_maker(const void *a, const void *b)
{
    int x = ((const onnx__link *)a)->maker->number, y = ((const onnx__link *)b)->maker->number;
    return (x > y) - (x < y);
}

/* A heap of nodes, the first of the file on top. */
static void onnx__push_ready(onnx__node **heap, int n, onnx__node *node)
{
    for (; n && heap[(n - 1) / 2]->number > node->number; n = (n - 1) / 2) heap[n] = heap[(n - 1) / 2];
    heap[n] = node;
}

static onnx__node *onnx__pop_ready(onnx__node **heap, int n)
{
    onnx__node *top = heap[0], *down = heap[n - 1];
    int i = 0, k;
    for (; (k = 2 * i + 1) < n - 1; i = k) {
        if (k + 1 < n - 1 && heap[k + 1]->number < heap[k]->number) k++;
        if (down->number <= heap[k]->number) break;
        heap[i] = heap[k];
    }
    heap[i] = down;
    return top;
}

/* What still waits does so for nodes that wait: back from one of them into the circle, which is told. */
static void onnx__tell_circle(onnx__model *m, const onnx__link *link, int links)
{
    onnx__node *n = NULL;
    int i;
    for (i = 0; i < links; i++) {
        if (!link[i].maker->waits || !link[i].reader->waits) continue;
        n = link[i].reader;
        n->before = link[i].maker;
    }
    for (i = 0; n && i <= m->nodes; i++) n = n->before;
    if (n) onnx__complain(m, n->op, n->name, "it reads what is made of its own result");
}

/* Makers before readers, else as in the file: of those that wait for nobody, the first. */
static void onnx__sort_nodes(onnx__model *m)
{
    int sorted, links = onnx__all_links(m, NULL, &sorted), count = 0, left = 0, b, i;
    onnx__link *link = sorted ? NULL : ONNX__ROOM(m, onnx__link, links + 1), *at;
    onnx__node *n, **ready = sorted ? NULL : ONNX__ROOM(m, onnx__node *, m->nodes + 1);
    if (!link || !ready) return;
    onnx__all_links(m, link, &sorted);
    qsort(link, (size_t)links, sizeof *link, onnx__by_maker);
    for (i = links; i-- > 0;) {
        link[i].maker->link = &link[i];
        link[i].reader->waits++;
    }
    for (b = 0; b < m->bodies; b++) {
        for (n = m->body[b].first; n; n = n->next, left++) if (!n->waits) onnx__push_ready(ready, count++, n);
        m->body[b].first = m->body[b].last = NULL;
    }
    while (count) {
        onnx__body *body;
        n = onnx__pop_ready(ready, count--);
        body = &m->body[n->home];
        n->before = body->last;
        n->next = NULL;
        if (body->last) body->last->next = n;
        else body->first = n;
        body->last = n;
        for (at = n->link; at && at < link + links && at->maker == n; at++)
            if (!--at->reader->waits) onnx__push_ready(ready, count++, at->reader);
        left--;
    }
    if (left) onnx__tell_circle(m, link, links);
    for (b = 0; b < m->bodies; b++)
        for (i = 0, n = m->body[b].first; n; n = n->next) n->number = i++;
}

static void onnx__check_order(onnx__model *m)
{
    onnx__node *n;
    int b, i;
    for (b = 0; b < m->bodies; b++) {
        for (i = 0; i < m->body[b].nin; i++) m->slot[m->body[b].in[i]].bound = 1;
        for (n = m->body[b].first; n; n = n->next)
            for (i = 0; i < n->nout; i++) if (n->out[i] >= 0) m->slot[n->out[i]].maker = n;
    }
    onnx__sort_nodes(m);
    if (m->list) return;
    for (b = 0; b < m->bodies; b++)
        for (n = m->body[b].first; n; n = n->next)
            for (i = 0; i < n->nin; i++)
                if (n->in[i] >= 0 && !onnx__made_before(m, n->in[i], n))
                    onnx__complain(m, n->op, n->name, "an input that no node before it gives");
    for (b = 0; b < m->bodies; b++)
        for (i = 0; i < m->body[b].nout; i++) {
            onnx__slot *s = &m->slot[m->body[b].out[i]];
            s->result |= !b;
            if (!s->tensor && !s->bound && !s->maker)
                onnx__complain(m, "output", s->name, "no node gives it");
        }
}

/* --- what files write apart, as one operator --- */
static void onnx__count_uses(onnx__model *m)
{
    onnx__node *n;
    int b, i;
    for (i = 0; i < m->slots; i++) m->slot[i].uses = 0;
    for (b = 0; b < m->bodies; b++) {
        for (n = m->body[b].first; n; n = n->next)
            for (i = 0; i < n->nin; i++)
                if (n->in[i] >= 0) {
                    m->slot[n->in[i]].uses++;
                    m->slot[n->in[i]].user = n;
                }
        for (i = 0; i < m->body[b].nout; i++) m->slot[m->body[b].out[i]].uses += 2;
    }
}

/* --- ONNX Runtime's operators of numbers of 8 bits --- *
 * They are taken apart: what makes floats, the operator, what rounds its result. */
static const struct { const char *op, *plain; int first, many; } onnx__qlinear[] = {
    { "QLinearAdd", "Add", 0, 2 }, { "QLinearMul", "Mul", 0, 2 }, { "QLinearSigmoid", "Sigmoid", 0, 1 },
    { "QLinearLeakyRelu", "LeakyRelu", 0, 1 }, { "QLinearSoftmax", "Softmax", 0, 1 },
    { "QLinearAveragePool", "AveragePool", 0, 1 }, { "QLinearGlobalAveragePool", "GlobalAveragePool", 0, 1 },
    { "QLinearConcat", "Concat", 2, -1 } };     /* first: its inputs begin there; -1: as many as there are */

/* A node before n that gives one value: it. -1: no memory. */
static int onnx__put_before(onnx__model *m, onnx__node *n, const char *op, int nin, const int *in)
{
    onnx__node *made = ONNX__ROOM(m, onnx__node, 1);
    int *room = ONNX__ROOM(m, int, nin + 1), k;
    if (!made || !room) return -1;
    k = onnx__new_slot(m, m->body[n->home].scope, "");
    memset(made, 0, sizeof *made);
    made->op = op;
    made->domain = "";
    made->name = n->name;
    made->nin = nin;
    made->nout = 1;
    made->in = (int *)memcpy(room, in, sizeof *in * (size_t)nin);
    made->out = room + nin;
    made->body = -1;
    made->home = n->home;
    made->number = n->number;
    *made->out = k;
    made->next = n;
    made->before = n->before;
    if (n->before) n->before->next = made;
    else m->body[n->home].first = made;
    n->before = made;
    m->slot[k].maker = made;
    return k;
}

static void onnx__take_apart(onnx__model *m, onnx__node *n)
{
    const int ways = sizeof onnx__qlinear / sizeof *onnx__qlinear;
    int way = 0, i, many, step, *in, last[3], k;
    while (way < ways && strcmp(n->op, onnx__qlinear[way].op)) way++;
    if (way == ways || n->nout != 1 || n->out[0] < 0) return;
    many = onnx__qlinear[way].many;
    if (many < 0) many = (n->nin - 2) / 3;
    step = onnx__qlinear[way].first ? 0 : 3 * many;     /* of the result */
    if (many < 1 || n->nin > 3 * many + 2 || n->nin < 3 * many + 1 || n->in[step] < 0) return;
    in = ONNX__ROOM(m, int, many);
    for (i = 0; in && i < many; i++) {
        k = onnx__qlinear[way].first + 3 * i;
        in[i] = onnx__put_before(m, n, "DequantizeLinear", k + 2 < n->nin && n->in[k + 2] >= 0 ? 3 : 2,
                                 n->in + k);
        if (in[i] < 0) return;
        n->before->said = n->op;
        n->before->said_from = k;
    }
    if (!in) return;
    last[0] = onnx__put_before(m, n, onnx__qlinear[way].plain, many, in);
    if (last[0] < 0) return;
    n->before->attr = n->attr;
    n->before->attrs = n->attrs;
    n->before->said = n->said = n->op;
    n->said_from = step - 1;
    last[1] = n->in[step];
    last[2] = step + 1 < n->nin ? n->in[step + 1] : -1;
    n->op = "QuantizeLinear";
    n->domain = "";
    n->nin = last[2] < 0 ? 2 : 3;
    n->attrs = 0;
    n->in = ONNX__ROOM(m, int, 3);
    if (n->in) memcpy(n->in, last, sizeof last);
    else n->nin = 0;
}

/* The node of that kind which gives a value; NULL: another does. */
static onnx__node *onnx__made_by(const onnx__model *m, int k, const char *op)
{
    onnx__node *n = k < 0 ? NULL : m->slot[k].maker;
    return n && !*n->domain && !strcmp(n->op, op) && n->body < 0 && n->nout == 1 ? n : NULL;
}

/* The node of that kind which alone reads what n gives. */
static onnx__node *onnx__read_by(const onnx__model *m, const onnx__node *n, const char *op)
{
    const onnx__slot *s = n ? &m->slot[n->out[0]] : NULL;
    return s && s->uses == 1 && onnx__made_by(m, s->user->out[0], op) == s->user && s->user->home == n->home
        ? s->user : NULL;
}

/* Of two operands the one that is not k. */
static int onnx__other(const onnx__node *n, int k)
{
    return !n || n->nin != 2 ? -1 : n->in[0] == k ? n->in[1] : n->in[1] == k ? n->in[0] : -1;
}

/* What the file says of a value, which copies of copies may stand for. */
static onnx__tensor *onnx__tensor_of(const onnx__model *m, int k)
{
    const onnx__node *n;
    int copies;
    for (copies = 0; copies < ONNX__MOST_COPIES && (n = onnx__made_by(m, k, "Identity")) != NULL; copies++)
        k = n->nin == 1 ? n->in[0] : -1;
    return k < 0 ? NULL : m->slot[k].tensor;
}

/* The node of that kind which gives a value to one reader only, in the same body. */
static onnx__node *onnx__made_for(const onnx__model *m, int k, const char *op, const onnx__node *reader)
{
    onnx__node *n = onnx__made_by(m, k, op);
    return n && m->slot[k].uses == 1 && n->home == reader->home ? n : NULL;
}

/* Is it that number, as the file knows it? */
static int onnx__is_number(onnx__model *m, int k, double v, double *found)
{
    onnx__tensor *t = onnx__tensor_of(m, k);
    double have;
    if (!t || t->count != 1 || (t->kind != 1 && t->kind != 11)) return 0;
    onnx__read_data(m, t);
    if (!t->data) return 0;
    have = t->kind == 1 ? (double)*(const float *)t->data : *(const double *)t->data;
    if (found) *found = have;
    return found || fabs(have - v) <= 1e-6 * v;
}

#ifndef HYBRID_NO_INT8
/* --- products of whole numbers: what stands around them --- */
/* One number of the file above 0: a scale. */
static int onnx__is_step(onnx__model *m, int k, double *v)
{
    return onnx__is_number(m, k, 0, v) && *v > 0 && *v < HUGE_VAL;
}

/* A zero point of the file: its number and kind, those that stand alone. Left out, it is 0 of uint8. */
static int onnx__is_zero(onnx__model *m, int k, int *v, int *kind)
{
    onnx__tensor *t = onnx__tensor_of(m, k);
    *v = 0;
    *kind = 2;
    if (k < 0) return 1;
    if (!t || t->count != 1 || (t->kind != 2 && t->kind != 3)) return 0;
    onnx__read_data(m, t);
    if (!t->data) return 0;
    *kind = t->kind;
    *v = t->kind == 2 ? *(const unsigned char *)t->data : *(const signed char *)t->data;
    return 1;
}

/* Are weights of this kind, less these zero points, of 8 bits with a sign? *less: what goes off. */
static int onnx__is_even(onnx__model *m, int weight, int zero, int *less)
{
    const onnx__tensor *w = onnx__tensor_of(m, weight);
    onnx__tensor *t = onnx__tensor_of(m, zero);
    const unsigned char *v;
    int64_t i;
    *less = 0;
    if (!w || (w->kind != 2 && w->kind != 3)) return 0;
    if (zero < 0) return w->kind == 3;
    if (!t || t->kind != w->kind) return 0;
    onnx__read_data(m, t);
    v = (const unsigned char *)t->data;
    *less = t->kind == 2 ? 128 : 0;
    for (i = 0; v && i < t->count; i++) if (v[i] != *less) return 0;
    return v != NULL;
}

/* The scales of n filters, or one: all above 0 and finite, and along the right axis. */
static int onnx__is_scales(onnx__model *m, int k, int64_t n)
{
    onnx__tensor *t = onnx__tensor_of(m, k);
    int64_t i;
    if (!t || t->kind != 1 || t->type.shape.ndim > 1 || (t->count != 1 && t->count != n)) return 0;
    onnx__read_data(m, t);
    for (i = 0; t->data && i < t->count; i++) {
        const float v = ((const float *)t->data)[i];
        if (!(v > 0 && v < HUGE_VAL)) return 0;
    }
    return t->data != NULL;
}

/* Size of a weight that the file says along an axis; -1: it does not. */
static int64_t onnx__size_said(const onnx__model *m, int k, int axis, int ndim)
{
    const onnx__tensor *t = onnx__tensor_of(m, k);
    return t && t->type.shape.ndim == ndim ? t->type.shape.dim[axis] : -1;
}

static int onnx__dims_said(const onnx__model *m, int k)
{
    const onnx__tensor *t = onnx__tensor_of(m, k);
    return t ? t->type.shape.ndim : -1;
}

/* The node becomes a product of whole numbers; a relu that reads it alone, and what rounds it, go with it. */
static void onnx__become_whole(onnx__model *m, onnx__node *n, const onnx__steps *z, int x, int w, int scale,
                               int bias)
{
    onnx__steps *to = ONNX__ROOM(m, onnx__steps, 1);
    onnx__attr *attr = n->attr;
    int *in = ONNX__ROOM(m, int, 4), attrs = n->attrs;
    onnx__node *next, *last = n;
    double step;
    int zero, kind;
    if (!to || !in) return;
    *to = *z;
    if (!to->y_scale && (next = onnx__read_by(m, last, "Relu")) != NULL) { to->relu = 1; last = next; }
    next = to->y_scale ? NULL : onnx__read_by(m, last, "QuantizeLinear");
    if (next && next->nin > 1 && next->in[0] == last->out[0] && onnx__is_step(m, next->in[1], &step) &&
        onnx__is_zero(m, next->nin > 2 ? next->in[2] : -1, &zero, &kind) &&
        !onnx__attr_of(next, "output_dtype") && !onnx__attr_of(next, "block_size") &&
        (!onnx__attr_of(next, "saturate") || onnx__attr_of(next, "saturate")->i)) {
        to->y_scale = step;
        to->y_zero = zero;
        to->y_kind = kind;
        last = next;
    }
    in[0] = x;
    in[1] = w;
    in[2] = scale;
    in[3] = bias;
    last->op = "whole numbers";
    last->domain = "hybrid.h";
    last->in = in;
    last->nin = 4;
    last->attr = attr;
    last->attrs = attrs;
    last->steps = to;
}

/* Data that DequantizeLinear gives of 8 bits, one scale and zero point for all: which value it reads. */
static int onnx__whole_of(onnx__model *m, int k, onnx__steps *z)
{
    const onnx__node *q = onnx__made_by(m, k, "DequantizeLinear");
    if (!q || q->nin < 2 || q->in[0] < 0 || onnx__attr_of(q, "block_size") ||
        onnx__attr_of(q, "output_dtype") || !onnx__is_step(m, q->in[1], &z->x_scale) ||
        !onnx__is_zero(m, q->nin > 2 ? q->in[2] : -1, &z->x_zero, &z->x_kind)) return -1;
    return q->nin > 2 && q->in[2] >= 0 ? q->in[0] : -1;    /* its type is that of the zero point */
}

/* Conv, MatMul or Gemm of what DequantizeLinear gives. */
static void onnx__fuse_whole(onnx__model *m, onnx__node *n)
{
    const int conv = !strcmp(n->op, "Conv"), gemm = !strcmp(n->op, "Gemm");
    const onnx__node *w = n->nin > 1 ? onnx__made_by(m, n->in[1], "DequantizeLinear") : NULL;
    const onnx__attr *a, *turn = onnx__attr_of(n, "transB");
    onnx__steps z;
    int x, dims, axis, filters;
    memset(&z, 0, sizeof z);
    if (!w || w->nin < 2 || w->in[0] < 0 || onnx__attr_of(w, "block_size")) return;
    x = onnx__whole_of(m, n->in[0], &z);
    dims = onnx__dims_said(m, w->in[0]);
    if (x < 0 || (conv ? dims < 3 : dims != 2)) return;
    z.product = !conv;
    z.turned = gemm && turn && turn->i;
    filters = conv || z.turned ? 0 : 1;
    a = onnx__attr_of(w, "axis");
    axis = a ? (int)onnx__clamped(a->i < 0 ? a->i + dims : a->i, -1, 99) : 1;
    if (!onnx__is_even(m, w->in[0], w->nin > 2 ? w->in[2] : -1, &z.less) ||
        !onnx__is_scales(m, w->in[1], onnx__size_said(m, w->in[0], filters, dims)) ||
        (onnx__tensor_of(m, w->in[1])->count != 1 && axis != filters)) return;
    if (gemm) {
        const onnx__attr *alpha = onnx__attr_of(n, "alpha"), *beta = onnx__attr_of(n, "beta"),
            *over = onnx__attr_of(n, "transA");
        const onnx__tensor *t = n->nin > 2 && n->in[2] >= 0 ? onnx__tensor_of(m, n->in[2]) : NULL;
        const onnx__node *q = n->nin > 2 ? onnx__made_by(m, n->in[2], "DequantizeLinear") : NULL;
        if (q) t = onnx__tensor_of(m, q->in[0]);
        if ((alpha && alpha->f != 1) || (beta && beta->f != 1) || (over && over->i)) return;
        if (n->nin > 2 && n->in[2] >= 0 && (!t || t->type.shape.ndim != 1)) return;
    }
    onnx__become_whole(m, n, &z, x, w->in[0], w->in[1], n->nin > 2 ? n->in[2] : -1);
}

/* QLinearConv and QLinearMatMul whose scales and zero points stand in the file. */
static void onnx__fuse_qlinear(onnx__model *m, onnx__node *n)
{
    const int conv = !strcmp(n->op, "QLinearConv"), dims = n->nin > 3 ? onnx__dims_said(m, n->in[3]) : -1;
    onnx__steps z;
    memset(&z, 0, sizeof z);
    z.product = !conv;
    z.whole_bias = conv;
    if (n->nin < 8 || (conv ? dims < 3 : dims != 2) || n->in[2] < 0 || n->in[7] < 0 ||
        !onnx__is_step(m, n->in[1], &z.x_scale) || !onnx__is_step(m, n->in[6], &z.y_scale) ||
        !onnx__is_zero(m, n->in[2], &z.x_zero, &z.x_kind) ||
        !onnx__is_zero(m, n->in[7], &z.y_zero, &z.y_kind) ||
        !onnx__is_even(m, n->in[3], n->in[5], &z.less) ||
        !onnx__is_scales(m, n->in[4], onnx__size_said(m, n->in[3], conv ? 0 : 1, dims))) return;
    n->said = n->op;
    onnx__become_whole(m, n, &z, n->in[0], n->in[3], n->in[4], conv && n->nin > 8 ? n->in[8] : -1);
}

/* The bias that is added to what n gives, to each filter its number; *last is the sum then. */
static int onnx__added_bias(onnx__model *m, onnx__node **last, int conv, int64_t filters)
{
    onnx__node *sum = onnx__read_by(m, *last, "Add");
    const int k = onnx__other(sum, (*last)->out[0]);
    const onnx__node *wide = conv ? onnx__made_by(m, k, "Reshape") : NULL;
    const onnx__tensor *t = onnx__tensor_of(m, wide ? wide->in[0] : k), *to;
    if (k < 0 || !t || t->kind != 1 || t->count != filters || t->type.shape.ndim != 1 ||
        conv != (wide != NULL))
        return -1;
    if (wide) {                                 /* as (1, filters, 1 ...) */
        const int64_t *v;
        int64_t i;
        to = wide->nin > 1 ? onnx__tensor_of(m, wide->in[1]) : NULL;
        if (!to || to->kind != 7 || to->count < 3) return -1;
        onnx__read_data(m, (onnx__tensor *)(uintptr_t)to);
        v = (const int64_t *)to->data;
        for (i = 0; v && i < to->count; i++)
            if (i == 1 ? v[i] != -1 && v[i] != filters : v[i] != 1) return -1;
        if (!v) return -1;
    }
    *last = sum;
    return wide ? wide->in[0] : k;
}

/* DynamicQuantizeLinear, a product, and what makes floats of it again. */
static void onnx__fuse_dynamic(onnx__model *m, onnx__node *n)
{
    const int conv = !strcmp(n->op, "ConvInteger"), dims = n->nin > 1 ? onnx__dims_said(m, n->in[1]) : -1;
    const onnx__node *d = n->nin > 2 && n->in[0] >= 0 ? m->slot[n->in[0]].maker : NULL, *by;
    onnx__node *cast = onnx__read_by(m, n, "Cast"), *last;
    const onnx__attr *to = cast ? onnx__attr_of(cast, "to") : NULL;
    onnx__attr *attr = n->attr;
    const int attrs = n->attrs;
    onnx__steps z;
    int scale, bias;
    int64_t filters;
    memset(&z, 0, sizeof z);
    if (!d || *d->domain || d->body >= 0 || strcmp(d->op, "DynamicQuantizeLinear") || d->nout != 3 ||
        d->nin != 1 || n->in[0] != d->out[0] || n->in[2] != d->out[2] || d->home != n->home ||
        (conv ? dims < 3 : dims != 2) || !to || to->i != 1) return;
    last = onnx__read_by(m, cast, "Mul");
    by = onnx__made_by(m, onnx__other(last, cast->out[0]), "Mul");
    scale = by ? onnx__other(by, d->out[1]) : -1;
    filters = onnx__size_said(m, n->in[1], conv ? 0 : 1, dims);
    if (scale < 0 || !onnx__is_even(m, n->in[1], n->nin > 3 ? n->in[3] : -1, &z.less) ||
        !onnx__is_scales(m, scale, filters) ||
        (conv && onnx__tensor_of(m, scale)->count != 1)) return;
    z.product = !conv;
    z.x_kind = 1;
    bias = onnx__added_bias(m, &last, conv, filters);
    last->attr = attr;
    last->attrs = attrs;
    onnx__become_whole(m, last, &z, d->in[0], n->in[1], scale, bias);
}

/* --- data of 8 bits between DequantizeLinear and QuantizeLinear --- */
/* One number, however it is written. */
static int onnx__is_single(onnx__model *m, int k)
{
    const onnx__node *q;
    int i;
    for (i = 0; i < 4; i++) {
        const onnx__tensor *t = onnx__tensor_of(m, k);
        if (t) return t->count == 1;
        q = onnx__made_by(m, k, "DequantizeLinear");
        if (!q) q = onnx__made_by(m, k, "QuantizeLinear");
        if (!q) return 0;
        k = q->in[0];
    }
    return 0;
}

static int onnx__bytes_kind(const onnx__node *n)
{
    static const char *const each[] = { "Relu", "HardSwish", "HardSigmoid", "Sigmoid", "Tanh", "LeakyRelu",
        "Elu", "Gelu", "Erf", "Sqrt", "Exp", "Abs", "Neg", "Clip", "Softplus", "Softsign", "Mish", "Selu",
        "Celu", "Add", "Sub", "Mul", "Div", "Pow", NULL };
    static const char *const moves[] = { "MaxPool", "Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze",
        "Slice", "Gather", "Expand", "Identity", "DepthToSpace", NULL };
    const char *const *s;
    if (*n->domain || n->nout != 1 || n->out[0] < 0 || n->nin < 1) return 0;
    if (!strcmp(n->op, "Concat")) return ONNX__JOINED;
    if (!strcmp(n->op, "GlobalAveragePool")) return ONNX__AVERAGED;
    for (s = each; *s; s++) if (!strcmp(n->op, *s)) return ONNX__TABLE;
    for (s = moves; *s; s++) if (!strcmp(n->op, *s)) return ONNX__MOVED;
    return 0;
}

/* Its inputs as values of 8 bits, or as they are; 0: it is not all that is needed. */
static int onnx__bytes_in(onnx__model *m, const onnx__node *n, onnx__steps *z, int *in)
{
    int i, whole = 0, single = 0;
    for (i = 0; i < n->nin; i++) {
        onnx__steps one;
        memset(&one, 0, sizeof one);
        in[i] = n->in[i] < 0 || onnx__is_single(m, n->in[i]) ? -1 : onnx__whole_of(m, n->in[i], &one);
        single += in[i] < 0;
        if (in[i] < 0) { in[i] = n->in[i]; continue; }
        z->in[i].scale = one.x_scale;
        z->in[i].zero = one.x_zero;
        z->in[i].kind = one.x_kind;
        whole++;
        if (z->bytes == ONNX__MOVED && i) return 0;
    }
    if (z->bytes == ONNX__JOINED) return !single;
    if (z->bytes == ONNX__TABLE && whole == 2 && n->nin == 2 && z->in[0].kind == z->in[1].kind &&
        (!strcmp(n->op, "Add") || !strcmp(n->op, "Mul"))) {
        z->bytes = ONNX__SUM;
        return 1;
    }
    if (whole != 1) return 0;
    for (i = 0; i < n->nin; i++) {              /* what else it reads stands in the file */
        if (n->in[i] < 0 || z->in[i].kind) continue;
        if (z->bytes == ONNX__TABLE ? !onnx__is_single(m, n->in[i]) : !onnx__tensor_of(m, n->in[i]))
            return 0;
    }
    return 1;
}

/* The node that alone reads what n gives, if a table says it, too: which of its inputs that is; -1: none. */
static int onnx__table_goes_on(onnx__model *m, const onnx__node *n, onnx__node **next)
{
    const onnx__slot *s = &m->slot[n->out[0]];
    onnx__node *u = s->uses == 1 ? s->user : NULL;
    int i, at = -1;
    if (!u || u->home != n->home || u->body >= 0 || u->nin > 3 || onnx__bytes_kind(u) != ONNX__TABLE)
        return -1;
    for (i = 0; i < u->nin; i++) {
        if (u->in[i] == n->out[0]) at = i;
        else if (u->in[i] >= 0 && !onnx__is_single(m, u->in[i])) return -1;
    }
    *next = u;
    return at;
}

/* What numbers of 8 bits stand for is never NaN: where(isnan(x), number, x) is x. A number in a line of one
 * gives an x without dims one: not to what Softmax gave, which has some. */
static void onnx__fuse_nan(onnx__model *m, onnx__node *n)
{
    const onnx__node *asks = n->nin == 3 ? onnx__made_by(m, n->in[0], "IsNaN") : NULL, *q;
    const onnx__tensor *t = asks ? onnx__tensor_of(m, n->in[1]) : NULL;
    onnx__steps z;
    int x;
    memset(&z, 0, sizeof z);
    if (!t || t->count != 1 || asks->in[0] != n->in[2] || (x = onnx__whole_of(m, n->in[2], &z)) < 0) return;
    q = t->type.shape.ndim == 1 ? onnx__made_by(m, x, "QuantizeLinear") : NULL;
    if (t->type.shape.ndim && (!q || !onnx__made_by(m, q->in[0], "Softmax"))) return;
    n->op = "Identity";
    n->in += 2;
    n->nin = 1;
}

/* The node and what rounds its result become one of numbers of 8 bits. */
static void onnx__fuse_bytes(onnx__model *m, onnx__node *n)
{
    onnx__node *q, *last = n, *inner, *nodes[ONNX__BYTES_MOST];
    onnx__steps *z;
    int *in, k, place[ONNX__BYTES_MOST];
    double step;
    nodes[0] = n;
    place[0] = 0;
    if (!onnx__bytes_kind(n) || n->nin > ONNX__BYTES_MOST) return;
    for (k = 0; k < n->nin; k++) if (onnx__made_by(m, n->in[k], "DequantizeLinear")) break;
    if (k == n->nin) return;
    z = ONNX__ROOM(m, onnx__steps, 1);
    inner = ONNX__ROOM(m, onnx__node, ONNX__BYTES_MOST);
    in = ONNX__ROOM(m, int, n->nin);
    if (!z || !inner || !in) return;
    memset(z, 0, sizeof *z);
    z->bytes = onnx__bytes_kind(n);
    z->n = n->nin;
    z->in = ONNX__ROOM(m, onnx__scaled, n->nin);
    if (!z->in) return;
    memset(z->in, 0, sizeof *z->in * (size_t)n->nin);
    if (!onnx__bytes_in(m, n, z, in)) return;
    z->inners = 1;
    if (z->bytes == ONNX__TABLE) {
        while (z->inners < ONNX__BYTES_MOST && (k = onnx__table_goes_on(m, last, &last)) >= 0) {
            nodes[z->inners] = last;
            place[z->inners++] = k;
        }
    }
    q = z->bytes == ONNX__SUM ? onnx__read_by(m, last, "Relu") : NULL;
    if (q) { z->relu = 1; last = q; }
    q = onnx__read_by(m, last, "QuantizeLinear");
    if (!q || q->nin < 2 || q->in[0] != last->out[0] || !onnx__is_step(m, q->in[1], &step) ||
        !onnx__is_zero(m, q->nin > 2 ? q->in[2] : -1, &z->y_zero, &z->y_kind) ||
        onnx__attr_of(q, "output_dtype") || onnx__attr_of(q, "block_size")) return;
    z->y_scale = step;
    for (k = 0; k < z->inners; k++) {
        inner[k] = *nodes[k];
        inner[k].number = place[k];             /* of the input that is the value before */
        inner[k].row = onnx__row_of(nodes[k]);
        if (!inner[k].row) return;
    }
    z->inner = inner;
    q->op = "whole numbers";
    q->domain = "hybrid.h";
    q->in = in;
    q->nin = n->nin;
    q->attr = n->attr;
    q->attrs = n->attrs;
    q->steps = z;
}

#endif

/* --- products: scales of what they multiply --- */
/* Is it one number of the file, or looks like one that shapes tell? */
static int onnx__is_scale(const onnx__model *m, int k)
{
    const onnx__tensor *t = onnx__tensor_of(m, k);
    return t ? t->count == 1 && t->type.shape.ndim < 2 : onnx__made_by(m, k, "Sqrt") != NULL;
}

/* in[i] without its scale, which becomes in[2 + i]. */
static void onnx__take_scale(const onnx__model *m, const onnx__node *n, int *in, int i)
{
    const onnx__node *by = onnx__made_for(m, in[i], "Mul", n);
    int k;
    for (k = 0; by && by->nin == 2 && !by->attrs && k < 2; k++)
        if (onnx__is_scale(m, by->in[k]) && !onnx__is_scale(m, by->in[1 - k])) {
            in[2 + i] = by->in[k];
            in[i] = by->in[1 - k];
            return;
        }
}

/* (q c) (k c)^T, as attention is exported. q k^T / c stays: the division joins what comes behind, a mask. So
 * does the transpose: it is a walk when the product's operand is laid out. */
static void onnx__fuse_matmul(onnx__model *m, onnx__node *n)
{
    onnx__attr *attr = ONNX__ROOM(m, onnx__attr, 1);
    int *in = ONNX__ROOM(m, int, 4);
    double v;
    if (!attr || !in || n->nin != 2 || n->attrs) return;
    in[0] = n->in[0];
    in[1] = n->in[1];
    in[2] = in[3] = -1;
    onnx__take_scale(m, n, in, 0);
    onnx__take_scale(m, n, in, 1);
    if (in[2] < 0 || in[3] < 0) return;
    n->op = "ScaledMatMul";
    n->domain = "hybrid";
    n->in = in;
    n->nin = 4;
    if (in[2] != in[3] || !onnx__is_number(m, in[2], 0, &v)) return;
    in[2] = in[3] = -1;                         /* the file's own number, on both sides: no weight */
    attr->name = "alpha";
    attr->f = v * v;
    attr->body = -1;
    n->attr = attr;
    n->attrs = 1;
}

/* Whole numbers that an attribute says, or since a later opset a tensor: how many, -1 if it is neither. */
static int64_t onnx__ints_said(onnx__model *m, const onnx__node *n, const char *name, int i,
                               const int64_t **v)
{
    const onnx__attr *a = onnx__attr_of(n, name);
    onnx__tensor *t = a || i >= n->nin ? NULL : onnx__tensor_of(m, n->in[i]);
    if (a) { *v = a->ints; return a->n; }
    if (!t || t->kind != 7 || t->count > 2 * HY_MAX_DIM) return -1;
    onnx__read_data(m, t);
    *v = (const int64_t *)t->data;
    return *v ? t->count : -1;
}

/* A border of zeros around the data of a convolution is the convolution's. */
static void onnx__fuse_pad(onnx__model *m, onnx__node *conv)
{
    const onnx__node *pad = conv->nin ? onnx__made_by(m, conv->in[0], "Pad") : NULL;
    const onnx__attr *mode = onnx__attr_of(pad, "mode"), *own = onnx__attr_of(conv, "pads");
    const int64_t *v;
    onnx__attr *list;
    int64_t n, i, k;
    int in;
    if (!pad || onnx__attr_of(conv, "auto_pad") || (mode && strcmp(mode->s, "constant")) || pad->nin > 3)
        return;
    if (onnx__attr_of(pad, "value") ||
        (pad->nin > 2 && pad->in[2] >= 0 && !onnx__is_number(m, pad->in[2], 0, NULL)))
        return;
    n = onnx__ints_said(m, pad, "pads", 1, &v) / 2;
    if (n < 3 || n > HY_MAX_DIM || (own && own->n != 2 * (n - 2))) return;
    for (i = 0; i < 2 * n; i++) if (v[i] < 0 || v[i] > INT32_MAX / 2 || (i % n < 2 && v[i])) return;
    list = ONNX__ROOM(m, onnx__attr, conv->attrs + 1);
    if (!list) return;
    for (in = 0, i = 0; i < conv->attrs; i++) if (&conv->attr[i] != own) list[in++] = conv->attr[i];
    list[in].name = "pads";
    list[in].body = -1;
    list[in].n = (int)(2 * (n - 2));
    list[in].ints = ONNX__ROOM(m, int64_t, 2 * n);
    if (!list[in].ints) return;
    for (i = 0; i < 2; i++)
        for (k = 2; k < n; k++)
            list[in].ints[i * (n - 2) + k - 2] = v[i * n + k] + (own ? own->ints[i * (n - 2) + k - 2] : 0);
    conv->attr = list;
    conv->attrs = in + 1;
    conv->in[0] = pad->in[0];
}

/* Nodes whose results nobody reads any more go, the last ones first: what these read may be unread then. */
static void onnx__drop_unread(onnx__model *m)
{
    onnx__node *n;
    int b, i;
    onnx__count_uses(m);
    for (b = m->bodies - 1; b >= 0; b--)
        for (n = m->body[b].last; n; n = n->before) {
            int uses = 0;
            for (i = 0; i < n->nout; i++) if (n->out[i] >= 0) uses += m->slot[n->out[i]].uses;
            if (uses) continue;
            for (i = 0; i < n->nin; i++) if (n->in[i] >= 0) m->slot[n->in[i]].uses--;
            if (n->before) n->before->next = n->next;
            else m->body[b].first = n->next;
            if (n->next) n->next->before = n->before;
            else m->body[b].last = n->before;
        }
}

static void onnx__fuse(onnx__model *m)
{
    onnx__node *n;
    int b;
    for (b = 0; b < m->bodies; b++)
        for (n = m->body[b].first; n; n = n->next)
            if (n->body < 0 && !strcmp(n->domain, "com.microsoft")) onnx__take_apart(m, n);
    onnx__count_uses(m);
    for (b = 0; b < m->bodies; b++)
        for (n = m->body[b].first; n; n = n->next) {
            if (*n->domain || n->nout != 1 || n->out[0] < 0) continue;
            if (!strcmp(n->op, "Conv")) onnx__fuse_pad(m, n);
#ifndef HYBRID_NO_INT8
            if (!strcmp(n->op, "Conv") || !strcmp(n->op, "MatMul") || !strcmp(n->op, "Gemm"))
                onnx__fuse_whole(m, n);
            if (!strcmp(n->op, "Where")) onnx__fuse_nan(m, n);
            onnx__fuse_bytes(m, n);
            if (!strcmp(n->op, "QLinearConv") || !strcmp(n->op, "QLinearMatMul")) onnx__fuse_qlinear(m, n);
            if (!strcmp(n->op, "ConvInteger") || !strcmp(n->op, "MatMulInteger")) onnx__fuse_dynamic(m, n);
#endif
            if (!strcmp(n->op, "MatMul")) onnx__fuse_matmul(m, n);
        }
    onnx__drop_unread(m);
}

static int onnx__is_among(const char *word, const char *const *list)
{
    while (*list && strcmp(word, *list)) list++;
    return *list != NULL;
}

/* Numbers in carriers go through operators that are sure of them: which kind a node gives, or that it takes
 * none. */
static void onnx__find_kinds(onnx__model *m, onnx__node *n)
{
    static const char *const moves[] = { "Identity", "Reshape", "Transpose", "Squeeze", "Unsqueeze",
        "Flatten", "Gather", "GatherElements", "GatherND", "Slice", "Concat", "Split", "Expand", "Tile",
        "Max", "Min", "Relu", "DepthToSpace", "SpaceToDepth", "MaxPool", NULL };
    static const char *const reads[] = { "Cast", "CastLike", "QuantizeLinear", "DequantizeLinear", "Shape",
        "Size", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "ArgMax", "ArgMin", NULL };
    static const char *const counts[] = { "Add", "Sub", "Mul", "Div", "Pow", "Mod", "Neg", "Abs", "Sum",
        "ReduceSum", "CumSum", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot", "BitShift", NULL };
    const onnx__attr *to = onnx__attr_of(n, strcmp(n->op, "Cast") ? "output_dtype" : "to");
    int i, kind[3] = { 0, 0, 0 }, read = onnx__is_among(n->op, reads);
    int count = onnx__is_among(n->op, counts), move = count || onnx__is_among(n->op, moves);
    for (i = 0; i < n->nin; i++) {
        int k = n->in[i] < 0 ? 0 : m->slot[n->in[i]].kind;
        if (i < 3) kind[i] = k;
        if (k && (n->body >= 0 || *n->domain || (!move && !read)))
            onnx__complain(m, n->op, n->name, onnx__kind_name(k));
    }
    if (n->body >= 0 || *n->domain) return;
    if (move) n->kind = kind[0];
    else if (!strcmp(n->op, "CastLike")) n->kind = kind[1];
    else if (!strcmp(n->op, "QuantizeLinear") && kind[2]) n->kind = kind[2];
    else if (!strcmp(n->op, "QuantizeLinear") || !strcmp(n->op, "Cast"))
        n->kind = to ? onnx__narrow(to->i) : 0;
    n->wraps = n->kind && count;
    for (i = 0; i < n->nout && n->kind; i++) if (n->out[i] >= 0) m->slot[n->out[i]].kind = n->kind;
}

static void onnx__check_nodes(onnx__model *m)
{
    onnx__node *n;
    int b, i;
    onnx__check_order(m);
    if (!m->list) onnx__fuse(m);
    for (b = 0; b < m->bodies; b++)
        for (n = m->body[b].first; n; n = n->next) {
            onnx__find_kinds(m, n);
            if (n->body >= 0) continue;
            n->row = onnx__row_of(n);
            if (!n->row) onnx__complain(m, n->op, n->name, *n->domain ? n->domain : "no such operator here");
            else for (i = 0; i < n->nin; i++)
                if (n->in[i] >= 0 && m->slot[n->in[i]].tensor && !m->slot[n->in[i]].tensor->type.dtype)
                    onnx__complain(m, n->op, n->name, onnx__kind_name(m->slot[n->in[i]].tensor->kind));
            if (n->row && !strcmp(n->op, "BatchNormalization"))
                for (i = 3; i < n->nin && i < 5; i++)
                    if (n->in[i] >= 0 && m->slot[n->in[i]].tensor) m->slot[n->in[i]].aux = 1;
        }
}

static int onnx__mark(onnx__model *m, int k)
{
    if (k < 0 || m->slot[k].used) return 0;
    return m->slot[k].used = 1;
}

/* Does the file say the whole type of both values, and the same? */
static int onnx__alike(const onnx__model *m, int a, int b)
{
    const hy_type *x = &m->slot[a].type, *y = &m->slot[b].type;
    int i;
    for (i = 0; i < x->shape.ndim; i++) if (x->shape.dim[i] < 0) return 0;
    return x->dtype && x->dtype == y->dtype && x->shape.ndim >= 0 && onnx__same_shape(x->shape, y->shape);
}

/* Whether a program can keep an If or a Loop: nothing in it may change its type, and a Loop gathers nothing,
 * as nobody knows how much. Others are taken apart, for which their conditions have to be known. */
static int onnx__can_keep(const onnx__model *m, const onnx__node *n)
{
    const onnx__attr *yes = onnx__branch(n, "then_branch"), *no = onnx__branch(n, "else_branch"),
        *turn = onnx__branch(n, "body");
    const onnx__body *a, *b;
    int i;
    if (!strcmp(n->op, "If") && yes && no) {
        a = &m->body[yes->body];
        b = &m->body[no->body];
        if (a->nout != n->nout || b->nout != n->nout || !n->nout) return 0;
        for (i = 0; i < n->nout; i++) if (!onnx__alike(m, a->out[i], b->out[i])) return 0;
        return 1;
    }
    if (strcmp(n->op, "Loop") || !turn) return 0;
    a = &m->body[turn->body];
    if (a->nin != n->nin || a->nin < 3 || a->nout != a->nin - 1) return 0;
    for (i = 2; i < a->nin; i++) if (!onnx__alike(m, a->in[i], a->out[i - 1])) return 0;
    return 1;
}

/* A body whose inputs decide shapes cannot be kept: which turn it is has to be known. */
static int onnx__still_kept(const onnx__model *m, const onnx__node *n)
{
    const onnx__attr *turn = onnx__branch(n, "body");
    const onnx__body *b = turn ? &m->body[turn->body] : NULL;
    int i;
    for (i = 0; b && i < b->nin; i++) if (m->slot[b->in[i]].used) return 0;
    return 1;
}

/* Inputs of a body that decide shapes come from those of its node, and from states that the turn before gave.
 * A Loop that is taken apart also has to know whether it goes on. */
static int onnx__mark_turns(onnx__model *m, const onnx__node *n)
{
    const onnx__attr *turn = onnx__branch(n, "body");
    const onnx__body *b = turn ? &m->body[turn->body] : NULL;
    int i, more = 0, loop = !strcmp(n->op, "Loop");
    for (i = 0; b && i < b->nin && i < n->nin; i++) {
        if (!m->slot[b->in[i]].used) continue;
        more |= onnx__mark(m, n->in[i]);
        if (i >= 2 * loop && i - loop < b->nout) more |= onnx__mark(m, b->out[i - loop]);
    }
    if (b && loop && !n->kept && b->nout) more |= onnx__mark(m, b->out[0]);
    return more;
}

/* Does body b belong to a node that is late? */
static int onnx__late_body(const onnx__model *m, int b)
{
    const onnx__node *top = NULL;
    for (; b; b = top->home) {
        top = m->body[b].owner;
        if (!top) return 0;
    }
    return top && top->late;
}

/* Values whose numbers decide shapes, and all that these are computed from. early: of nodes that are not
 * late. */
static void onnx__find_given(onnx__model *m, int early)
{
    onnx__node *n;
    int b, i, k, more = 1, turn;
    for (i = 0; i < m->slots; i++) m->slot[i].used = 0;
    for (turn = 0; more && turn < 100; turn++)
        for (more = 0, b = m->bodies - 1; b >= 0; b--)
            for (n = m->body[b].last; n; n = n->before) {
                int wanted = 0, flow = n->body >= 0 || n->row->special == ONNX__FLOW;
                if (early && (n->late || onnx__late_body(m, b))) continue;
                if (!turn && !early) n->kept = flow && n->body < 0 && onnx__can_keep(m, n);
                else if (n->kept && !onnx__still_kept(m, n)) { n->kept = 0; more = 1; }
                for (i = 0; i < n->nout; i++) wanted |= n->out[i] >= 0 && m->slot[n->out[i]].used;
                if (!flow && n->row->special == ONNX__SHAPES) continue;
                for (i = 0; i < n->nin && (!i || flow || n->row->special != ONNX__FIRST); i++)
                    if (wanted || (!flow && i < 31 && (n->row->reads >> i & 1)))
                        more |= onnx__mark(m, n->in[i]);
                if (n->body >= 0) {
                    onnx__body *f = &m->body[n->body];
                    for (i = 0; wanted && i < f->nout; i++) more |= onnx__mark(m, f->out[i]);
                    for (i = 0; i < f->nin && i < n->nin; i++)
                        if (m->slot[f->in[i]].used) more |= onnx__mark(m, n->in[i]);
                }
                for (i = 0; flow && wanted && i < n->attrs; i++) {
                    onnx__body *f = n->attr[i].body < 0 ? NULL : &m->body[n->attr[i].body];
                    for (k = 0; f && k < f->nout; k++) more |= onnx__mark(m, f->out[k]);
                }
                if (flow && n->body < 0) more |= onnx__mark_turns(m, n);
                if (flow && n->body < 0 && !n->kept && strcmp(n->op, "Scan") &&
                    strcmp(n->op, "FlexAttention"))
                    for (i = 0; i < n->nin && i < (strcmp(n->op, "If") ? 2 : 1); i++)
                        more |= onnx__mark(m, n->in[i]);
            }
    for (i = 0; i < m->slots; i++) m->slot[i].given = m->slot[i].input && m->slot[i].used;
}

/* Gives a parameter the values of the file, from where they lie in it. */
typedef struct onnx__filling { onnx__model *m; const onnx__tensor *t; } onnx__filling;
static void onnx__init_param(hy_frame *F, const hy_init *init, const char *name, hy_array *x)
{
    const onnx__filling *from = (const onnx__filling *)init->more;
    const size_t bytes = (size_t)from->t->count * hy_dtype_size(from->t->type.dtype);
    void *to = hy_write(F, x);
    (void)name;
    if (to && from->t->data) memcpy(to, from->t->data, bytes);
    else if (to && !onnx__fill(from->m, from->t, (unsigned char *)to)) memset(to, 0, bytes);
}

/* Late nodes: operators that give values of shapes not known before, unless constants and shapes alone decide
 * them, and all that comes of those. */
static void onnx__find_late(onnx__model *m)
{
    onnx__node *n;
    int b, i, more = 1, turn;
    for (i = 0; i < m->slots; i++) {
        m->slot[i].fixed = m->slot[i].tensor || m->slot[i].given;
        m->slot[i].late = 0;
    }
    for (b = 0; b < m->bodies; b++)
        for (n = m->body[b].first; n; n = n->next) {
            int flow = n->body >= 0 || n->row->special == ONNX__FLOW;
            int fixed = !flow && n->row->special != ONNX__RANDOM;
            for (i = 0; i < n->nin && fixed && n->row->special != ONNX__SHAPES; i++)
                fixed = n->in[i] < 0 || m->slot[n->in[i]].fixed || (i && n->row->special == ONNX__FIRST);
            for (i = 0; i < n->nout; i++) if (n->out[i] >= 0) m->slot[n->out[i]].fixed = fixed;
            n->late = !flow && !fixed && n->row->special == ONNX__DYNAMIC;
        }
    for (turn = 0; more && turn < 100; turn++)
        for (more = 0, b = m->bodies - 1; b >= 0; b--)
            for (n = m->body[b].first; n; n = n->next) {
                int late = n->late;
                for (i = 0; i < n->nin; i++) late |= n->in[i] >= 0 && m->slot[n->in[i]].late;
                if (!late) continue;
                if (b && m->body[b].owner && !m->body[b].owner->late) more = m->body[b].owner->late = 1;
                n->late = 1;
                for (i = 0; i < n->nout; i++)
                    if (n->out[i] >= 0 && !m->slot[n->out[i]].late) more = m->slot[n->out[i]].late = 1;
            }
}

/* Which inputs have to be known, and what runs line by line? Where some nodes do in any case, an input whose
 * values are asked for by such nodes alone is known soon enough when they run. */
static void onnx__find_parts(onnx__model *m)
{
    int i, given = 0, late = 0;
    onnx__find_given(m, 0);
    onnx__find_late(m);
    for (i = 0; i < m->slots; i++) { given |= m->slot[i].given; late |= m->slot[i].late; }
    if (!given || !late) return;
    for (i = 0; i < m->slots; i++) m->slot[i].given = 0;
    onnx__find_late(m);
    onnx__find_given(m, 1);
    onnx__find_late(m);
}

static void onnx__list_inputs(onnx__net *net)
{
    onnx__model *m = &net->model;
    const onnx__body *b = &m->body[0];
    int i, n = 0;
    net->in = ONNX__ROOM(m, int, net->inputs + 1);
    net->open = ONNX__ROOM(m, int, net->inputs + 1);
    net->given = ONNX__ROOM(m, onnx__given, net->inputs + 1);
    if (m->failed) return;
    for (i = 0; i < b->nin; i++) {
        if (!m->slot[b->in[i]].input) continue;
        net->in[n++] = b->in[i];
        if (!m->slot[b->in[i]].given) net->open[net->opens++] = b->in[i];
    }
}

static void onnx__mark_cut(onnx__model *m, int k) { if (k >= 0 && m->slot[k].cut) m->slot[k].cut = 2; }

/* Which values the part that is compiled has to give: outputs, and what late nodes read. */
static void onnx__find_cuts(onnx__net *net)
{
    onnx__model *m = &net->model;
    onnx__node *n, *top;
    int b, i, up;
    for (n = m->body[0].first; n; n = n->next) net->late += n->late;
    net->after = ONNX__ROOM(m, onnx__node *, net->late + 1);
    for (i = 0, n = m->body[0].first; net->after && n; n = n->next) if (n->late) net->after[i++] = n;
    if (!net->late) {
        net->cut = m->body[0].out;
        net->cuts = m->body[0].nout;
        return;
    }
    net->cut = ONNX__ROOM(m, int, m->slots + 1);
    if (!net->cut) return;
    for (n = m->body[0].first; n; n = n->next)          /* what is made early ... */
        for (i = 0; i < n->nout && !n->late; i++) if (n->out[i] >= 0) m->slot[n->out[i]].cut = 1;
    for (b = 0; b < m->bodies; b++) {                   /* ... and read late, also deep in a body */
        for (top = NULL, up = b; up; up = top->home) top = m->body[up].owner;
        for (n = m->body[b].first; n; n = n->next)
            for (i = 0; (top ? top : n)->late && i < n->nin; i++) onnx__mark_cut(m, n->in[i]);
        for (i = 0; top && top->late && i < m->body[b].nout; i++) onnx__mark_cut(m, m->body[b].out[i]);
    }
    for (i = 0; i < m->body[0].nout; i++) onnx__mark_cut(m, m->body[0].out[i]);
    for (i = 0; i < m->slots; i++) if (m->slot[i].cut == 2) net->cut[net->cuts++] = i;
}

/* Numbers stay numbers; all else is a parameter, to be trained where it is a float of the file's. */
static void onnx__add_params(onnx__net *net, hy_frame *F)
{
    onnx__model *m = &net->model;
    int i;
    for (i = 0; i < m->slots && !hy_error(F) && !m->why && !m->failed; i++) {
        onnx__slot *s = &m->slot[i];
        onnx__tensor *t = s->tensor;
        onnx__filling *from;
        hy_param_opt opt;
        char name[300];
        int weight;
        if (!t || !t->type.dtype || !s->uses) continue;
        weight = t->data == NULL && onnx__is_float(t->type.dtype);
        if (!t->count || (!(weight && t->type.shape.ndim > 0) && t->count <= ONNX__SMALL && !s->aux)) {
            onnx__read_data(m, t);
            continue;
        }
        if (!t->data) onnx__data_bytes(m, t);
        from = ONNX__ROOM(m, onnx__filling, 1);
        if (!from || m->why) break;
        from->m = m;
        from->t = t;
        memset(&opt, 0, sizeof opt);
        opt.dtype = t->type.dtype;
        opt.no_grad = !weight;
        opt.aux = s->aux;
        opt.init.fn = onnx__init_param;
        opt.init.more = from;
        snprintf(name, sizeof name, m->scope_of[i] || !*s->name ? "%.200s.%d" : "%.200s", s->name, i);
        s->param = hy_add_param(F, &net->base, name, t->type.shape, &opt);
    }
    if (!m->why && !m->failed) hy_initialize(F, &net->base, NULL);
    for (i = 0; i < m->slots; i++) if (m->slot[i].param) hy_set_init(F, m->slot[i].param, NULL);
}

static void onnx__free(hy_block *self)
{
    onnx__net *net = (onnx__net *)self;
    int i;
    for (i = 0; net->given && i < net->inputs; i++) HY_ONNX_FREE(net->given[i].data);
    onnx__release(net->model.memory);
}

/* what: about the operators that m->list has. */
static int onnx__refuse(hy_frame *F, const onnx__model *m, const char *what)
{
    const char *file = m->file ? m->file : "";
    char text[2400];
    if (m->failed && !m->why) { hy_raise(F, HY_ERROR_MEMORY, "onnx: out of memory"); return 1; }
    if (m->why || m->list)
        snprintf(text, sizeof text, "onnx: %.250s%s%s: %s", file, *file ? ": " : "",
                 m->why ? "the file is broken" : what, m->why ? m->why : m->list);
    else return hy_error(F) != NULL;
    hy_raise(F, m->why ? HY_ERROR_FORMAT : HY_ERROR_UNSUPPORTED, text);
    return 1;
}

static hy_block *onnx__from(hy_frame *F, const void *data, size_t bytes, const char *folder, const char *file,
                            onnx__file *from)
{
    onnx__model m;
    onnx__net *net, *around = NULL;
    onnx__bytes all = { (const unsigned char *)data, (const unsigned char *)data + bytes, 0 };
    int i, given = 0, inputs = 0;
    if (!F || hy_error(F)) return NULL;
    memset(&m, 0, sizeof m);
    m.folder = folder;
    m.file = file;
    m.from = from;
    m.most = ONNX__LEAST_ROOM +
        (bytes < SIZE_MAX / 2 / ONNX__ROOM_A_BYTE ? ONNX__ROOM_A_BYTE * bytes : SIZE_MAX / 2);
    if (!data) all.at = all.end = NULL;
    onnx__read_model(&m, all);
    if (!m.why && !m.failed) {
        onnx__check_nodes(&m);
        for (i = 0; i < m.body[0].nin; i++) {
            onnx__slot *s = &m.slot[m.body[0].in[i]];
            if (s->tensor) continue;
            s->input = ++inputs;
            if (!s->type.dtype) onnx__complain(&m, "input", s->name, "of a type that hybrid.h has not");
        }
        if (!m.list) onnx__find_parts(&m);
        for (i = 0; i < m.slots; i++) given |= m.slot[i].given;
    }
    if (onnx__refuse(F, &m, "what cannot run here")) { onnx__release(m.memory); return NULL; }
    net = HY_BLOCK_NEW(F, onnx__net, onnx__forward);
    if (!net) { onnx__release(m.memory); return NULL; }
    net->model = m;
    net->base.free_fn = onnx__free;
    net->inputs = inputs;
    onnx__find_cuts(net);
    onnx__list_inputs(net);
    hy_set_prefix(F, &net->base, "");
    onnx__add_params(net, F);
    if (!hy_error(F) && (given || net->late)) {
        around = HY_PLAIN_BLOCK_NEW(F, onnx__net, onnx__forward_given);
        if (around) {
            around->inner = net;
            hy_set_prefix(F, &around->base, "");
            hy_add_child(F, &around->base, "model", &net->base);
        }
    }
    if (onnx__refuse(F, &net->model, "what cannot run here")) {
        hy_block_free(F, around ? &around->base : &net->base);
        return NULL;
    }
    net->model.file = NULL;                     /* both are the caller's */
    net->model.from = NULL;
    return around ? &around->base : &net->base;
}

HY_API hy_block *hy_onnx_from(hy_frame *F, const void *data, size_t bytes, const char *folder)
{
    return onnx__from(F, data, bytes, folder, NULL, NULL);
}

#ifndef HYBRID_NO_STDIO
/* Pages of 2 MB are touched for a third of the time; a host's own memory is its own affair. */
static void onnx__huge(unsigned char *data, size_t room)
{
#if defined(MADV_HUGEPAGE) && defined(ONNX__LIBC)
    const uintptr_t page = (uintptr_t)2 << 20, from = ((uintptr_t)data + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)data + room) / page * page;
    if (end > from) (void)madvise((void *)from, end - from, MADV_HUGEPAGE);
#endif
    (void)data; (void)room;
}

/* All up to a place is there, and some more. */
static int onnx__need(onnx__file *from, size_t to)
{
    const size_t more = from->size - to < ONNX__AHEAD ? from->size : to + ONNX__AHEAD;
    if (to <= from->have) return 1;
    if (fread(from->data + from->have, 1, more - from->have, from->f) != more - from->have) return 0;
    from->have = more;
    return 1;
}

/* Leaves out what the file's numbers take. */
static int onnx__leave(onnx__file *from, size_t at, size_t end)
{
    if (from->holes == from->room) {
        const int room = from->room ? 2 * from->room : 64;
        size_t *more = (size_t *)HY_ONNX_MALLOC((size_t)room * sizeof *more);
        if (!more) return 0;
        if (from->holes) memcpy(more, from->hole, (size_t)from->holes * sizeof *more);
        HY_ONNX_FREE(from->hole);
        from->hole = more;
        from->room = room;
    }
    from->hole[from->holes++] = at;
    if (end <= from->have) return 1;
    from->have = end;
    return !fseek(from->f, (long)end, SEEK_SET);
}

/* Reads a message but the numbers of large tensors: those of the graph (7) of a model are its fields 5, and
 * their bytes their fields 9. 0: it cannot be read so, and the reader may say why. */
static int onnx__read_around(onnx__file *from, size_t at, size_t end, int depth)
{
    static const uint32_t inner[] = { 7, 5, 9 };
    while (at < end) {
        onnx__bytes b = { from->data + at, from->data + end, 0 };
        onnx__field f;
        int fine;
        if (!onnx__need(from, end - at < ONNX__AHEAD ? end : at + ONNX__AHEAD) || !onnx__next(&b, &f)) return 0;
        at = (size_t)(b.at - from->data);
        if (f.kind != 2) continue;
        if (f.number != inner[depth]) fine = onnx__need(from, at);
        else if (depth < 2) fine = onnx__read_around(from, (size_t)(f.body.at - from->data), at, depth + 1);
        else if (f.body.end - f.body.at < ONNX__HOLE) fine = onnx__need(from, at);
        else fine = onnx__leave(from, (size_t)(f.body.at - from->data), at);
        if (!fine) return 0;
    }
    return 1;
}

/* The whole file, twice the room whenever it is full: pipes have no size. 0: there is no memory. */
static int onnx__read_whole(onnx__file *from)
{
    size_t room = from->size ? from->size + 1 : (size_t)1 << 16, got = 1;
    from->have = 0;
    from->holes = 0;
    rewind(from->f);
    while (got) {
        unsigned char *more = (unsigned char *)HY_ONNX_MALLOC(room);
        if (!more) return 0;
        onnx__huge(more, room);
        if (from->have) memcpy(more, from->data, from->have);
        HY_ONNX_FREE(from->data);
        from->data = more;
        got = fread(from->data + from->have, 1, room - from->have, from->f);
        from->have += got;
        while (got && from->have < room) {
            got = fread(from->data + from->have, 1, room - from->have, from->f);
            from->have += got;
        }
        room *= 2;
    }
    from->size = from->have;
    return 1;
}

static int onnx__read_file(onnx__file *from)
{
    if (!fseek(from->f, 0, SEEK_END) && ftell(from->f) > 0) from->size = (size_t)ftell(from->f);
    rewind(from->f);
    if (from->size) from->data = (unsigned char *)HY_ONNX_MALLOC(from->size);
    if (from->data && onnx__read_around(from, 0, from->size, 0)) return 1;
    HY_ONNX_FREE(from->data);
    from->data = NULL;
    return onnx__read_whole(from);
}

HY_API hy_block *hy_onnx_load(hy_frame *F, const char *file)
{
    onnx__file from;
    hy_block *net = NULL;
    char *folder, text[400];
    size_t n = file ? strlen(file) : 0;
    if (!F || hy_error(F)) return NULL;
    memset(&from, 0, sizeof from);
    from.f = n ? fopen(file, "rb") : NULL;
    if (!from.f) {
        snprintf(text, sizeof text, "onnx: %.300s cannot be read", n ? file : "a file without a name");
        hy_raise(F, HY_ERROR_FILE, text);
        return NULL;
    }
    folder = (char *)HY_ONNX_MALLOC(n + 1);
    if (!folder || !onnx__read_file(&from)) hy_raise(F, HY_ERROR_MEMORY, "onnx: out of memory");
    else {
        memcpy(folder, file, n + 1);
        while (n && folder[n - 1] != '/' && folder[n - 1] != '\\') n--;
        folder[n] = 0;
        net = onnx__from(F, from.data, from.size, folder, file, &from);
    }
    fclose(from.f);
    HY_ONNX_FREE(folder);
    HY_ONNX_FREE(from.data);
    HY_ONNX_FREE(from.hole);
    return net;
}
#endif

/* Of the block that a user has: the model's own input, or output; of the hybrid part alone: what it takes and
 * gives. -1: there is none. */
static int onnx__slot_of(const onnx__net *net, int i, int output)
{
    const onnx__net *part = net->inner ? net->inner : net;
    const onnx__body *b = &part->model.body[0];
    const int *ins = net->inner ? part->in : part->open, *outs = net->inner ? b->out : part->cut;
    int n = output ? net->inner ? b->nout : part->cuts : net->inner ? part->inputs : part->opens;
    return i < 0 || i >= n ? -1 : output ? outs[i] : ins[i];
}

static int onnx__describe(const hy_block *block, int i, int output, const char **name, hy_type *type)
{
    const onnx__net *net = (const onnx__net *)block;
    int slot = net ? onnx__slot_of(net, i, output) : -1;
    if (slot < 0) return -1;
    net = net->inner ? net->inner : net;
    if (name) *name = net->model.slot[slot].name;
    if (type) *type = net->model.slot[slot].type;
    return 0;
}

HY_API int hy_onnx_input(const hy_block *block, int i, const char **name, hy_type *type)
{
    return onnx__describe(block, i, 0, name, type);
}

HY_API int hy_onnx_output(const hy_block *block, int i, const char **name, hy_type *type)
{
    return onnx__describe(block, i, 1, name, type);
}

HY_API int hy_onnx_set_input(hy_block *block, int i, hy_shape shape)
{
    onnx__net *net = (onnx__net *)block;
    const int slot = net ? onnx__slot_of(net, i, 0) : -1;
    int d;
    if (slot < 0 || shape.ndim < -1 || shape.ndim > HY_MAX_DIM) return -1;
    for (d = 0; d < shape.ndim; d++) if (shape.dim[d] < -1) return -1;
    (net->inner ? net->inner : net)->model.slot[slot].type.shape = shape;
    return 0;
}

HY_API const char *hy_onnx_size_name(const hy_block *block, int i, int k)
{
    const onnx__net *net = (const onnx__net *)block;
    int slot = net && k >= 0 && k < HY_MAX_DIM ? onnx__slot_of(net, i, 0) : -1;
    const char **sizes = slot < 0 ? NULL : (net->inner ? net->inner : net)->model.slot[slot].sizes;
    return sizes && sizes[k] ? sizes[k] : "";
}

HY_API int hy_onnx_decides(const hy_block *block, int i)
{
    const onnx__net *net = (const onnx__net *)block;
    int slot = net && net->inner ? onnx__slot_of(net, i, 0) : -1;
    return slot >= 0 && net->inner->model.slot[slot].given;
}

HY_API const char *hy_onnx_late(hy_frame *F, const hy_block *block, int i)
{
    const onnx__net *net = (const onnx__net *)block;
    const onnx__node *n;
    char text[256];
    if (!net || !net->inner || i < 0 || i >= net->inner->late) return "";
    n = net->inner->after[i];
    snprintf(text, sizeof text, *n->name ? "%.100s '%.100s'" : "%.100s", n->op, n->name);
    return (const char *)hy_data(F, hy_from(F, HY_SHAPE((int64_t)strlen(text) + 1), HY_U8, text));
}

HY_API hy_block *hy_onnx_part(hy_frame *F, hy_block *block, hy_array *const *values)
{
    onnx__net *net = block ? ((onnx__net *)block)->inner : NULL;
    const onnx__body *b = net ? &net->model.body[0] : NULL;
    char text[300];
    int i, k = 0, changed = 0;
    if (hy_error(F) || !net) return hy_error(F) ? NULL : block;
    for (i = 0; i < b->nin && !hy_error(F); i++) {
        const onnx__slot *s = &net->model.slot[b->in[i]];
        hy_array *x = s->input && values ? values[k] : NULL;
        k += s->input > 0;
        if (!s->given) continue;
        if (!x || hy_dtype_of(F, x) != s->type.dtype) {
            snprintf(text, sizeof text, "onnx: the values of input '%.100s' decide shapes: %s of type %s are "
                     "due", s->name, x ? "they" : "some", hy_dtype_name(s->type.dtype));
            hy_raise(F, x ? HY_ERROR_DTYPE : HY_ERROR_ARGUMENT, text);
        } else changed |= onnx__give(F, &net->given[s->input - 1], x);
    }
    if (!net->cuts)
        hy_raise(F, HY_ERROR_UNSUPPORTED, "onnx: all nodes run line by line: there is no hybrid part");
    if (changed && !hy_error(F)) onnx__drop_programs(F, net);
    return hy_error(F) ? NULL : &net->base;
}

static int onnx__by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Inputs of the block that the graph reads, in order: what nobody reads is gone. To be freed. */
static char *onnx__read_inputs(const hy_block *block, hy_graph *graph)
{
    const char *name, **have;
    size_t bytes = 1, vars = 0;
    char *list, *at;
    int i;
    while (hy_graph_name(graph, HY_NAMES_VARIABLES, (int)vars)) vars++;
    for (i = 0; !hy_onnx_input(block, i, &name, NULL); i++) bytes += strlen(name) + 1;
    list = at = (char *)HY_ONNX_MALLOC(bytes);
    have = (const char **)HY_ONNX_MALLOC(sizeof *have * (vars + 1));
    if (list && have) {
        for (i = 0; i < (int)vars; i++) have[i] = hy_graph_name(graph, HY_NAMES_VARIABLES, i);
        qsort(have, vars, sizeof *have, onnx__by_name);
        for (*at = 0, i = 0; !hy_onnx_input(block, i, &name, NULL); i++)
            if (bsearch(&name, have, vars, sizeof *have, onnx__by_name))
                at += sprintf(at, "%s%s", at == list ? "" : ",", name);
    }
    HY_ONNX_FREE(have);
    if (list && !have) { HY_ONNX_FREE(list); list = NULL; }
    return list;
}

/* A program as files have it: a traced graph holds its parameters and constants; here they become variables
 * with values beside them. */
typedef struct onnx__program {
    hy_array *text;
    hy_arrays values;
    uint64_t  decided;                  /* by which numbers: a sum over them */
} onnx__program;

static void onnx__apart(hy_frame *F, hy_block *block, hy_graph *graph, onnx__program *p)
{
    hy_block *holder;
    char *list = onnx__read_inputs(block, graph);
    if (!list) { hy_raise(F, HY_ERROR_MEMORY, "onnx: out of memory"); return; }
    holder = hy_nn_symbol_block(F, graph, list);
    HY_ONNX_FREE(list);
    if (holder) hy__program_to(F, holder, NULL, &p->text, &p->values, "onnx");
}

/* Is it no node of a program but an array that is there: numbers known beforehand, or a parameter? */
static int onnx__is_there(hy_frame *S, const hy_block *block, hy_array *x)
{
    const onnx__model *m = &((const onnx__net *)block)->model;
    int i, there = !hy_name_of(S, x);
    for (i = 0; i < m->slots; i++) there |= m->slot[i].param == x;
    return there;
}

/* Outputs under their names; one that is an input as it came, or is there, gets a node of its own. */
static hy_array *onnx__named(hy_frame *S, hy_block *block, hy_array **in, int n, hy_array *y)
{
    const char *name;
    int i, k, count = hy_count(S, y);
    hy_array **all = (hy_array **)HY_ONNX_MALLOC(sizeof *all * (size_t)(count + 1));
    if (!all) hy_raise(S, HY_ERROR_MEMORY, "onnx: out of memory");
    for (i = 0; i < count && !hy_error(S); i++) {
        all[i] = count > 1 ? hy_get(S, y, i) : y;
        for (k = 0; k < n && all[i] != in[k]; k++) {}
        if (k < n || onnx__is_there(S, block, all[i])) all[i] = hy_identity(S, all[i]);
        if (!hy_onnx_output(block, i, &name, NULL)) hy_named(S, all[i], name);
    }
    if (!hy_error(S)) y = count > 1 ? hy_group_of(S, count, all) : all[0];
    HY_ONNX_FREE(all);
    return y;
}

/* Variables for the inputs, of such types; how many there are. */
static int onnx__variables(hy_frame *S, hy_block *block, const hy_type *types, hy_array **in)
{
    const char *name;
    int i;
    for (i = 0; !hy_onnx_input(block, i, &name, NULL); i++) {
        hy_var_opt opt;
        memset(&opt, 0, sizeof opt);
        opt.dtype = types[i].dtype;
        opt.shaped = 1;
        opt.shape = types[i].shape;
        in[i] = hy_var(S, name, &opt);
    }
    return i;
}

/* Ends a symbolic frame; its error becomes F's. */
static void onnx__end_symbols(hy_frame *F, hy_frame *S)
{
    if (!S) hy_raise(F, HY_ERROR_MEMORY, "onnx: out of memory");
    if (S && hy_error(S)) hy_raise(F, hy_error_code(S), hy_error(S));
    hy_clear(S);
    hy_close(S);
}

/* The same program with inputs of other types: sizes that are open again. */
static hy_graph *onnx__retyped(hy_frame *F, hy_block *block, hy_graph *graph, const hy_type *types,
                               hy_array **in)
{
    hy_frame *S = hy_symbolic(F);
    hy_array *y;
    hy_graph *again = NULL;
    size_t count = (size_t)hy_graph_count(graph) + 1;
    const char *name, **names = (const char **)HY_ONNX_MALLOC(sizeof *names * count);
    int i, k, n = S && names ? onnx__variables(S, block, types, in) : 0, used = 0;
    if (S && !names) hy_raise(S, HY_ERROR_MEMORY, "onnx: out of memory");
    for (k = 0; names && (name = hy_graph_name(graph, HY_NAMES_VARIABLES, k)) != NULL; k++)
        for (i = 0; i < n; i++) {
            const char *own = "";
            hy_onnx_input(block, i, &own, NULL);
            if (i < used || strcmp(own, name)) continue;
            names[used] = name;                 /* variables stand in the order of inputs */
            in[used++] = in[i];
            break;
        }
    y = hy_compose(S, graph, used, names, in);
    if (S && !hy_error(S)) again = hy_compile(S, y);
    HY_ONNX_FREE(names);
    onnx__end_symbols(F, S);
    return again;
}

/* The program as it is traced for inputs of such types, all known, and written for inputs of those, some of
 * whose sizes may be open. 0: it is not to be had. */
static int onnx__trace_program(hy_frame *F, hy_block *block, const hy_type *traced, const hy_type *written,
                               int n, onnx__program *p)
{
    hy_frame *S = hy_symbolic(F);
    hy_array **in = (hy_array **)HY_ONNX_MALLOC(sizeof *in * (size_t)(n + 1)), *y = NULL;
    hy_graph *graph = NULL;
    p->decided = 14695981039346656037u;
    if (S && !in) hy_raise(S, HY_ERROR_MEMORY, "onnx: out of memory");
    if (S && in) {
        onnx__variables(S, block, traced, in);
        ((onnx__net *)block)->decided = traced == written ? NULL : &p->decided;
        y = hy_call(S, block, n == 1 ? in[0] : n ? hy_group_of(S, n, in) : hy_scalar(S, 0));
        ((onnx__net *)block)->decided = NULL;
        y = onnx__named(S, block, in, n, y);
        if (!hy_error(S)) graph = hy_compile(S, y);
    }
    onnx__end_symbols(F, S);
    if (graph && traced != written) graph = onnx__retyped(F, block, graph, written, in);
    HY_ONNX_FREE(in);
    p->text = NULL;
    p->values.n = 0;
    if (graph && !hy_error(F)) onnx__apart(F, block, graph, p);
    return p->text && !hy_error(F);
}

/* --- sizes that are open --- */
/* Programs that are equal, byte by byte, and came of equal decisions. */
static int onnx__same_program(hy_frame *F, const onnx__program *a, const onnx__program *b)
{
    int64_t bytes = hy_size(F, a->text);
    int i;
    if (bytes != hy_size(F, b->text) || a->decided != b->decided) return 0;
    if (memcmp(hy_data(F, a->text), hy_data(F, b->text), (size_t)bytes)) return 0;
    for (i = 0; a->values.n == b->values.n && i < a->values.n; i++) {
        hy_array *x = a->values.at[i], *y = b->values.at[i];
        hy_dtype d = hy_dtype_of(F, x);
        bytes = hy_size(F, x) * (int64_t)hy_dtype_size(d);
        if (strcmp(a->values.name[i], b->values.name[i]) || d != hy_dtype_of(F, y) ||
            !onnx__same_shape(hy_shape_of(F, x), hy_shape_of(F, y)) ||
            (bytes && memcmp(hy_data(F, x), hy_data(F, y), (size_t)bytes))) return 0;
    }
    return a->values.n == b->values.n && !hy_error(F);
}

/* Is a branch chosen by sizes? Then a few of them tell nothing about others. */
static int onnx__branches_by_size(const hy_block *block)
{
    const onnx__model *m = &((const onnx__net *)block)->model;
    const onnx__node *n;
    int b;
    for (b = 0; b < m->bodies; b++)
        for (n = m->body[b].first; n; n = n->next)
            if ((!strcmp(n->op, "If") || !strcmp(n->op, "Loop")) && !n->kept) return 1;
    return 0;
}

/* Sizes to try in place of open ones: 1 everywhere, or others, the same where the file gives the same name.
 * What networks divide by is a factor of those of two turns: 32; those of the last have none, by which
 * windows end and are padded otherwise. */
static void onnx__try_sizes(const hy_block *block, const hy_type *types, int n, int turn, int only,
                            hy_type *to)
{
    static const int prime[8] = { 251, 257, 263, 269, 271, 277, 281, 283 };
    int i, k, b, c, number = 0;
    for (i = 0; i < n; i++) {
        to[i] = types[i];
        for (k = 0; k < types[i].shape.ndim; k++) {
            const char *name = hy_onnx_size_name(block, i, k);
            int same = -1, at = 0, by = only < 0 || i == only ? turn : 1;
            if (types[i].shape.dim[k] >= 0) continue;
            for (b = 0; b <= i && *name && same < 0; b++)
                for (c = 0; c < types[b].shape.ndim && (b < i || c < k) && same < 0; c++) {
                    if (types[b].shape.dim[c] >= 0) continue;
                    if (!strcmp(hy_onnx_size_name(block, b, c), name)) same = at;
                    at++;
                }
            at = same >= 0 ? same : number;
            number++;
            at %= 8;
            to[i].shape.dim[k] = !by ? 1 : by == 1 ? 64 + 32 * at : by == 2 ? 160 + 64 * at : prime[at];
        }
    }
}

/* Some sizes more: is the program another? -1: it cannot be had for these. */
static int onnx__differs(hy_frame *F, hy_block *block, const hy_type *types, const hy_type *sizes, int n,
                         const onnx__program *p)
{
    onnx__program other;
    int differs = -1;
    hy_begin(F);
    if (onnx__trace_program(F, block, sizes, types, n, &other)) differs = !onnx__same_program(F, p, &other);
    if (hy_error_code(F) != HY_ERROR_MEMORY) hy_clear(F);
    hy_end(F);
    return differs;
}

/* "x (?,3,?,?)", behind what the list holds. */
static void onnx__list_open(const hy_block *block, int i, const hy_type *type, char *list, size_t room)
{
    const char *name = "";
    size_t n = strlen(list);
    int k;
    hy_onnx_input(block, i, &name, NULL);
    if (n + 300 > room) return;
    n += (size_t)sprintf(list + n, "%s%.100s (", n ? ", " : "", name);
    for (k = 0; k < type->shape.ndim; k++)
        n += (size_t)sprintf(list + n, type->shape.dim[k] < 0 ? "%s?" : "%s%lld", k ? "," : "",
                             (long long)type->shape.dim[k]);
    sprintf(list + n, type->shape.ndim == 1 ? ",)" : ")");
}

/* The program for all sizes that are open, if it hangs on none of them: sizes() has room for n types. */
static int onnx__open_program(hy_frame *F, hy_block *block, const hy_type *types, hy_type *sizes, int n,
                              onnx__program *p)
{
    char list[1000] = "", text[1200];
    int i, k, open, all = 0, sound = 0;
    if (!onnx__branches_by_size(block)) {
        onnx__try_sizes(block, types, n, 1, -1, sizes);
        sound = onnx__trace_program(F, block, sizes, types, n, p);
        if (!sound && hy_error_code(F) != HY_ERROR_MEMORY) hy_clear(F);
    }
    if (sound) {
        onnx__try_sizes(block, types, n, 0, -1, sizes);
        all = onnx__differs(F, block, types, sizes, n, p) > 0;          /* of 1 much cannot be had, ... */
        onnx__try_sizes(block, types, n, 3, -1, sizes);
        all = all || onnx__differs(F, block, types, sizes, n, p) > 0;   /* ... and of primes some */
        onnx__try_sizes(block, types, n, 2, -1, sizes);
        if (!all && !onnx__differs(F, block, types, sizes, n, p)) return !hy_error(F);
    }
    for (i = 0; i < n && !hy_error(F); i++) {
        for (open = k = 0; k < types[i].shape.ndim; k++) open |= types[i].shape.dim[k] < 0;
        if (!open) continue;
        onnx__try_sizes(block, types, n, 2, i, sizes);
        if (all || !sound || onnx__differs(F, block, types, sizes, n, p))
            onnx__list_open(block, i, &types[i], list, sizeof list);
    }
    snprintf(text, sizeof text, "onnx: the program hangs on sizes that are open: %s", list);
    if (!hy_error(F)) hy_raise(F, HY_ERROR_SHAPE, text);
    return 0;
}

HY_API hy_graph *hy_onnx_graph(hy_frame *F, hy_block *block, const hy_type *types, hy_arrays *values)
{
    hy_type *own, declared;
    onnx__program p;
    const char *name;
    char text[300];
    int i, k, n = 0, open = 0, sound;
    if (!F || hy_error(F) || !block) return NULL;
    if (((onnx__net *)block)->inner) {
        hy_raise(F, HY_ERROR_UNSUPPORTED, "onnx: values decide shapes in this network: it is hybrid in part");
        return NULL;
    }
    while (!hy_onnx_input(block, n, NULL, NULL)) n++;
    own = (hy_type *)HY_ONNX_MALLOC(sizeof *own * 2 * (size_t)(n + 1));
    if (!own) hy_raise(F, HY_ERROR_MEMORY, "onnx: out of memory");
    for (i = 0; own && !hy_onnx_input(block, i, &name, &declared); i++) {
        own[i] = types ? types[i] : declared;
        snprintf(text, sizeof text, "onnx: input '%.100s': how many dims it has is open", name);
        if (own[i].shape.ndim < 0 && !hy_error(F)) hy_raise(F, HY_ERROR_SHAPE, text);
        for (k = 0; k < own[i].shape.ndim; k++) open += own[i].shape.dim[k] < 0;
        if (open > 1000 && !hy_error(F)) hy_raise(F, HY_ERROR_SHAPE, "onnx: more than 1000 sizes are open");
    }
    ((onnx__net *)block)->retyped = types != NULL;
    sound = own && !hy_error(F) && (open ? onnx__open_program(F, block, own, own + n + 1, n, &p)
                                         : onnx__trace_program(F, block, own, own, n, &p));
    ((onnx__net *)block)->retyped = 0;
    HY_ONNX_FREE(own);
    if (!sound) return NULL;
    if (values) *values = p.values;
    return hy_symbol_from(F, (const char *)hy_data(F, p.text), (size_t)hy_size(F, p.text));
}

/* MARK: - >>writing -------------------------------------------------------------------------------------
 *
 * A block as an ONNX file: its program is exported, the types of all values are worked out, and each operator
 * becomes one node or a few. What has no counterpart is listed all at once.
 */
typedef struct onnx__buffer { unsigned char *at; size_t n, room; int failed; } onnx__buffer;

static void onnx__write(onnx__buffer *b, const void *data, size_t n)
{
    if (!b->failed && b->n + n > b->room) {
        size_t room = 2 * (b->n + n) + 256;
        unsigned char *more = (unsigned char *)HY_ONNX_MALLOC(room);
        if (!more) b->failed = 1;
        else {
            if (b->n) memcpy(more, b->at, b->n);
            HY_ONNX_FREE(b->at);
            b->at = more;
            b->room = room;
        }
    }
    if (b->failed) return;
    if (n) memcpy(b->at + b->n, data, n);
    b->n += n;
}

static void onnx__write_varint(onnx__buffer *b, uint64_t v)
{
    unsigned char text[10];
    size_t n = 0;
    for (; v > 127; v >>= 7) text[n++] = (unsigned char)(v & 127) | 128;
    text[n++] = (unsigned char)v;
    onnx__write(b, text, n);
}

static void onnx__write_int(onnx__buffer *b, int field, int64_t v)
{
    onnx__write_varint(b, (uint64_t)field << 3);
    onnx__write_varint(b, (uint64_t)v);
}

static void onnx__write_bytes(onnx__buffer *b, int field, const void *data, size_t n)
{
    onnx__write_varint(b, (uint64_t)field << 3 | 2);
    onnx__write_varint(b, n);
    onnx__write(b, data, n);
}

static void onnx__write_text(onnx__buffer *b, int field, const char *text)
{
    onnx__write_bytes(b, field, text, strlen(text));
}

/* A message within another; it is empty again, to be used for the next. */
static void onnx__write_message(onnx__buffer *b, int field, onnx__buffer *inner)
{
    b->failed |= inner->failed;
    onnx__write_bytes(b, field, inner->at, inner->n);
    inner->n = 0;
}

typedef struct onnx__writer {
    hy_frame   *F;
    hy_graph   *graph;
    hy_arrays   values;
    int         opset, number;          /* of names that are made up */
    int         microsoft;              /* some operators are ONNX Runtime's */
    onnx__model names;                  /* memory, and the list of what cannot be written */
    onnx__buffer body, node, attr, part;        /* body: of the graph */
    int        *first;                  /* values of node i begin at type[first[i]] */
    hy_type    *type;
    const char **name;                  /* of each node: a block that is called twice has nodes of one name */
    int         at;                     /* the node that is being written */
    const unsigned char *laid;          /* of nodes: weights of int8 alone need it; they are laid out anew */
    hy_array  **made;                   /* values of nodes that are such weights and depend on no input */
    hy_node     now;
    hy_dtype    data;                   /* what ONNX's operators compute on there */
} onnx__writer;

static int onnx__kind_of(hy_dtype d)
{
    int i;
    for (i = 1; i < ONNX__KINDS && onnx__kinds[i].dtype != d; i++) continue;
    return i < ONNX__KINDS ? i : 0;
}

static const char *onnx__made_up(onnx__writer *W, const char *what)
{
    char *name = ONNX__ROOM(&W->names, char, strlen(what) + 16);
    if (!name) return "";
    do sprintf(name, "%s.%d", what, W->number++);
    while (onnx__find(&W->names, 0, name) >= 0);
    return name;
}

/* The first result has its node's name. */
static const char *onnx__value_name(onnx__writer *W, int node, int output)
{
    hy_node n;
    char *name;
    int i, at;
    if (hy_graph_node(W->graph, node, &n)) return "";
    if (!output) return W->name[node];
    if (strncmp(n.op->name, "split", 5) && strcmp(n.op->name, "rnn"))
        onnx__complain(&W->names, n.op->name, n.name, "more than its first result");
    name = ONNX__ROOM(&W->names, char, strlen(W->name[node]) + 32);
    if (!name) return "";
    at = sprintf(name, "%s.out%d", W->name[node], output);
    for (i = 0; i < 15 && onnx__find(&W->names, 0, name) >= 0; i++) strcpy(name + at++, "_");
    return name;
}

static const char *onnx__arg(onnx__writer *W, int k)
{
    int output = 0, from = hy_graph_input(W->graph, W->at, k, &output);
    return from < 0 ? "" : onnx__value_name(W, from, output);
}

static const hy_type *onnx__arg_type(onnx__writer *W, int k)
{
    int output = 0, from = hy_graph_input(W->graph, W->at, k, &output);
    return &W->type[W->first[from < 0 ? 0 : from] + output];
}

static const hy_type *onnx__result_type(onnx__writer *W, int output)
{
    return &W->type[W->first[W->at] + output];
}
static const char *onnx__result(onnx__writer *W) { return onnx__value_name(W, W->at, 0); }

/* --- tensors --- */
static void onnx__put_tensor(onnx__writer *W, int field, onnx__buffer *to, const char *name, hy_dtype d,
                             hy_shape s, const void *data,
                             size_t bytes)
{
    onnx__buffer *t = &W->part;
    int i;
    for (i = 0; i < s.ndim; i++) onnx__write_int(t, 1, s.dim[i]);
    onnx__write_int(t, 2, onnx__kind_of(d));
    onnx__write_text(t, 8, name);
    onnx__write_bytes(t, 9, data, bytes);
    if (!t->failed) onnx__little(t->at + t->n - bytes, (int)hy_dtype_size(d), bytes);
    onnx__write_message(to, field, t);
}

static const char *onnx__ints_out(onnx__writer *W, const int64_t *v, int n)     /* as an input of a node */
{
    const char *name = onnx__made_up(W, "ints");
    onnx__put_tensor(W, 5, &W->body, name, HY_I64, HY_SHAPE(n), v, sizeof *v * (size_t)n);
    return name;
}

static const char *onnx__number_out(onnx__writer *W, double v, hy_dtype d)
{
    const char *name = onnx__made_up(W, "number");
    hy_array *x = hy_cast(W->F, hy_from(W->F, HY_SCALAR, HY_F64, &v), d);
    const void *data = hy_data(W->F, x);
    if (data) onnx__put_tensor(W, 5, &W->body, name, d, HY_SCALAR, data, hy_dtype_size(d));
    return name;
}

/* --- nodes: attributes first, then onnx__put_node --- */
static void onnx__attr_int(onnx__writer *W, const char *name, int64_t v)
{
    onnx__write_text(&W->attr, 1, name);
    onnx__write_int(&W->attr, 3, v);
    onnx__write_int(&W->attr, 20, 2);
    onnx__write_message(&W->node, 5, &W->attr);
}

static void onnx__attr_float(onnx__writer *W, const char *name, double v)
{
    float f = (float)v;
    uint32_t bits;
    unsigned char four[4];
    int i;
    memcpy(&bits, &f, 4);
    for (i = 0; i < 4; i++) four[i] = (unsigned char)(bits >> (8 * i));
    onnx__write_text(&W->attr, 1, name);
    onnx__write_varint(&W->attr, 2 << 3 | 5);
    onnx__write(&W->attr, four, 4);
    onnx__write_int(&W->attr, 20, 1);
    onnx__write_message(&W->node, 5, &W->attr);
}

static void onnx__attr_text(onnx__writer *W, const char *name, const char *v)
{
    onnx__write_text(&W->attr, 1, name);
    onnx__write_text(&W->attr, 4, v);
    onnx__write_int(&W->attr, 20, 3);
    onnx__write_message(&W->node, 5, &W->attr);
}

static void onnx__attr_ints(onnx__writer *W, const char *name, const int64_t *v, int n)
{
    int i;
    onnx__write_text(&W->attr, 1, name);
    for (i = 0; i < n; i++) onnx__write_int(&W->attr, 8, v[i]);
    onnx__write_int(&W->attr, 20, 7);
    onnx__write_message(&W->node, 5, &W->attr);
}

/* What ONNX's operators take, from opset 13 on and more from another; those that are not here take all. */
enum {
    ONNX__REALS = 1 << HY_F32 | 1 << HY_F64 | 1 << HY_F16, ONNX__BRAINS = 1 << HY_BF16,
    ONNX__LONG = 1 << HY_I32 | 1 << HY_I64, ONNX__SHORT = 1 << HY_I8 | 1 << HY_U8,
    ONNX__NUMBERS = ONNX__REALS | ONNX__BRAINS | ONNX__LONG | ONNX__SHORT
};
static const struct { int types, more, since; const char *ops; } onnx__takes[] = {
    { ONNX__REALS, ONNX__BRAINS, 22, " Acos Acosh Asin Asinh Atan Atanh AveragePool Conv ConvTranspose Cos DeformConv "
      "Cosh Elu GRU GlobalAveragePool GlobalMaxPool HardSigmoid InstanceNormalization LSTM RNN Selu Sin Sinh "
      "Softplus Softsign Tan " },
    { ONNX__REALS | ONNX__SHORT, ONNX__BRAINS, 22, " MaxPool " },
    { ONNX__REALS, ONNX__BRAINS, 14, " BatchNormalization " },
    { ONNX__REALS, ONNX__BRAINS, 16, " LeakyRelu " },
    { ONNX__REALS | ONNX__LONG, ONNX__BRAINS, 16, " PRelu " },
    { ONNX__NUMBERS & ~ONNX__BRAINS, ONNX__BRAINS, 16, " GreaterOrEqual LessOrEqual " },
    { (ONNX__NUMBERS & ~ONNX__BRAINS) | 1 << HY_BOOL, ONNX__BRAINS, 16, " Where " },
    { ONNX__REALS | ONNX__BRAINS, 0, 0, " Ceil Erf Exp Floor Gelu LRN LayerNormalization Log LogSoftmax "
      "Reciprocal Sigmoid Softmax Sqrt Sum Tanh " },
    { ONNX__REALS | ONNX__BRAINS, ONNX__LONG | 1 << HY_I8, 14, " Relu " },
    { ONNX__REALS | ONNX__BRAINS | ONNX__LONG, 0, 0, " Gemm MatMul ReduceMean ReduceProd ReduceSum " },
    { ONNX__REALS | ONNX__LONG, ONNX__BRAINS, 15, " Pow " },
    { ONNX__REALS | ONNX__BRAINS | ONNX__LONG, ONNX__SHORT, 14, " Add Div Mul Sub " },
    { ONNX__NUMBERS & ~(1 << HY_U8), 0, 0, " Neg " },
    { ONNX__NUMBERS, 0, 0, " Abs ArgMax ArgMin Clip Greater Less Max Min Mod Sign " },
    { ONNX__NUMBERS, 1 << HY_BOOL, 20, " ReduceMax ReduceMin " } };

static void onnx__refused(onnx__writer *W, const char *why)
{
    onnx__complain(&W->names, W->now.op->name, W->now.name, why);
}

/* The node whose inputs and outputs have been written. */
static void onnx__end_node(onnx__writer *W, const char *op)
{
    const size_t n = sizeof onnx__takes / sizeof *onnx__takes;
    char text[80];
    size_t i;
    int types = -1;
    snprintf(text, sizeof text, " %s ", op);
    for (i = 0; i < n && !strstr(onnx__takes[i].ops, text); i++) continue;
    if (i < n) types = onnx__takes[i].types | (W->opset < onnx__takes[i].since ? 0 : onnx__takes[i].more);
    if (!(types >> W->data & 1)) {
        snprintf(text, sizeof text, "%s takes no %s in opset %d", op, hy_dtype_name(W->data), W->opset);
        onnx__refused(W, text);
    }
    onnx__write_text(&W->node, 4, op);
    onnx__write_message(&W->body, 1, &W->node);
}

/* A node of up to five inputs, "" for those left out at the end; out NULL: a made-up name, which it gives. */
static const char *onnx__put_node(onnx__writer *W, const char *op, const char *a, const char *b,
                                  const char *c, const char *d, const char *e,
                                  const char *out)
{
    const char *in[5];
    int i, n = 5;
    in[0] = a; in[1] = b; in[2] = c; in[3] = d; in[4] = e;
    while (n && (!in[n - 1] || !*in[n - 1])) n--;
    if (!out) out = onnx__made_up(W, op);
    for (i = 0; i < n; i++) onnx__write_text(&W->node, 1, in[i] ? in[i] : "");
    onnx__write_text(&W->node, 2, out);
    onnx__end_node(W, op);
    return out;
}
#define ONNX__PUT1(W, op, a, out)    onnx__put_node(W, op, a, "", "", "", "", out)
#define ONNX__PUT2(W, op, a, b, out) onnx__put_node(W, op, a, b, "", "", "", out)

/* --- attributes of our operators --- */
static const void *onnx__record(onnx__writer *W, const char *name)
{
    const hy_attr *a;
    for (a = W->now.op->attr; a && a->name; a++)
        if (!strcmp(a->name, name)) return (const char *)W->now.record + a->offset;
    return NULL;
}

static int onnx__our_int(onnx__writer *W, const char *name)
{
    const void *p = onnx__record(W, name); return p ? *(const int *)p : 0;
}
static double onnx__our_real(onnx__writer *W, const char *name)
{
    const void *p = onnx__record(W, name); return p ? *(const double *)p : 0;
}
static hy_ints onnx__our_ints(onnx__writer *W, const char *name)
{
    const void *p = onnx__record(W, name);
    return p ? *(const hy_ints *)p : HY_EMPTY;
}

static const char *onnx__cast_out(onnx__writer *W, const char *x, hy_dtype d, const char *out)
{
    onnx__attr_int(W, "to", onnx__kind_of(d));
    return ONNX__PUT1(W, "Cast", x, out);
}

static void onnx__to_shape(onnx__writer *W, const char *x, const hy_shape *s, const char *out)
{
    int i;
    for (i = 0; i < s->ndim && s->dim[i]; i++) continue;
    if (i < s->ndim && W->opset < 14) onnx__refused(W, "a size of 0, in opset 13");
    else if (i < s->ndim) onnx__attr_int(W, "allowzero", 1);
    ONNX__PUT2(W, "Reshape", x, onnx__ints_out(W, s->dim, s->ndim), out);
}

static const char *onnx__transposed(onnx__writer *W, const char *x, int ndim, int a, int b, const char *out)
{
    int64_t perm[HY_MAX_DIM];
    int i;
    for (i = 0; i < ndim; i++) perm[i] = i == a ? b : i == b ? a : i;
    onnx__attr_ints(W, "perm", perm, ndim);
    return ONNX__PUT1(W, "Transpose", x, out);
}

/* --- one function for each family of our operators --- */
static void onnx__put_same(onnx__writer *W, const char *op)
{
    onnx__put_node(W, op, onnx__arg(W, 0), W->now.inputs > 1 ? onnx__arg(W, 1) : "", "", "", "",
                   onnx__result(W));
}

/* Here whole numbers wrap round; there one that the type does not hold cannot be said. */
static const char *onnx__scalar_out(onnx__writer *W)
{
    const double k = onnx__our_real(W, "scalar");
    hy_array *x = hy_cast(W->F, hy_from(W->F, HY_SCALAR, HY_F64, &k), W->data);
    if (!onnx__is_float(W->data) && hy_item(W->F, x) != trunc(k))
        onnx__refused(W, "a number that its type does not hold");
    return onnx__number_out(W, k, W->data);
}

static void onnx__put_compare(onnx__writer *W, const char *op)
{
    const double k = onnx__our_real(W, "scalar");
    const char *y, *other = W->now.inputs > 1 ? onnx__arg(W, 1) : onnx__scalar_out(W);
    if (k != floor(k) && !onnx__is_float(W->data)) onnx__refused(W, "whole numbers with a fraction");
    y = ONNX__PUT2(W, *op == '!' ? "Equal" : op, onnx__arg(W, 0), other, NULL);
    if (*op == '!') y = ONNX__PUT1(W, "Not", y, NULL);
    onnx__cast_out(W, y, onnx__result_type(W, 0)->dtype, onnx__result(W));
}

static void onnx__put_scalar(onnx__writer *W, const char *op)
{
    const char *x = onnx__arg(W, 0), *k = onnx__scalar_out(W);
    int left = W->now.op->name[0] == 'r';       /* rsub_scalar */
    ONNX__PUT2(W, op, left ? k : x, left ? x : k, onnx__result(W));
}

/* Of whole numbers the sign is that of the divisor, here and there; of floats ONNX has C's. */
static void onnx__put_mod(onnx__writer *W, const char *op)
{
    if (onnx__is_float(W->data)) onnx__refused(W, "of floats");
    else if (W->now.inputs > 1) onnx__put_same(W, op);
    else onnx__put_scalar(W, op);
}

static void onnx__put_square(onnx__writer *W, const char *op)
{
    ONNX__PUT2(W, op, onnx__arg(W, 0), onnx__arg(W, 0), onnx__result(W));
}
static void onnx__put_rsqrt(onnx__writer *W, const char *op)
{
    ONNX__PUT1(W, "Reciprocal", ONNX__PUT1(W, op, onnx__arg(W, 0), NULL), onnx__result(W));
}

static void onnx__put_identity(onnx__writer *W, const char *op)
{
    ONNX__PUT1(W, op, onnx__arg(W, 0), onnx__result(W));
}

static void onnx__put_dropout(onnx__writer *W, const char *op)
{
    if (onnx__our_int(W, "mode") == HY_DROP_ALWAYS && onnx__our_real(W, "p") > 0)
        onnx__refused(W, "mode always");
    else onnx__put_identity(W, op);
}

static void onnx__put_activation(onnx__writer *W, const char *op)
{
    static const char *const names[] = { "Relu", "Sigmoid", "Tanh", "Softplus", "Softsign" };
    int k = onnx__our_int(W, "act_type");
    (void)op;
    if (k > 4) onnx__refused(W, "this activation");
    else ONNX__PUT1(W, names[k], onnx__arg(W, 0), onnx__result(W));
}

static void onnx__put_leaky(onnx__writer *W, const char *op)
{
    hy_dtype d = onnx__arg_type(W, 0)->dtype;
    const char *x = onnx__arg(W, 0), *y;
    (void)op;
    switch (onnx__our_int(W, "act_type")) {
    case HY_LEAKY_LEAKY:
    case HY_LEAKY_RRELU:
        onnx__attr_float(W, "alpha", onnx__our_int(W, "act_type") == HY_LEAKY_LEAKY
                         ? onnx__our_real(W, "slope")
                         : (onnx__our_real(W, "lower_bound") + onnx__our_real(W, "upper_bound")) / 2);
        ONNX__PUT1(W, "LeakyRelu", x, onnx__result(W));
        return;
    case HY_LEAKY_ELU:
        onnx__attr_float(W, "alpha", onnx__our_real(W, "slope"));
        ONNX__PUT1(W, "Elu", x, onnx__result(W));
        return;
    case HY_LEAKY_SELU:
        ONNX__PUT1(W, "Selu", x, onnx__result(W));
        return;
    case HY_LEAKY_GELU:                 /* below opset 20 in parts, whose terms may cancel */
        if (W->opset >= 20) { ONNX__PUT1(W, "Gelu", x, onnx__result(W)); return; }
        y = ONNX__PUT1(W, "Erf", ONNX__PUT2(W, "Mul", x, onnx__number_out(W, 0.7071067811865476, d), NULL),
                       NULL);
        y = ONNX__PUT2(W, "Add", y, onnx__number_out(W, 1, d), NULL);
        y = ONNX__PUT2(W, "Mul", ONNX__PUT2(W, "Mul", x, onnx__number_out(W, 0.5, d), NULL), y,
                       onnx__result(W));
        return;
    default: {
        hy_shape s = onnx__arg_type(W, 1)->shape;
        if (s.ndim == 1 && s.dim[0] > 1)
            for (; s.ndim + 1 < onnx__arg_type(W, 0)->shape.ndim; s.ndim++) s.dim[s.ndim] = 1;
        y = onnx__made_up(W, "slope");
        onnx__to_shape(W, onnx__arg(W, 1), &s, y);
        ONNX__PUT2(W, "PRelu", x, y, onnx__result(W));
    } }
}

/* Inputs that are left out are named so, in ONNX Runtime's order: zero points, g_idx, bias. */
static void onnx__put_matmul_nbits(onnx__writer *W, const char *op)
{
    static const char *const ints[] = { "K", "in_units", "N", "num_hidden", "bits", "bits", "block_size",
                                        "block_size", "accuracy_level", "accuracy_level" };
    int i, n, next = 3, there[6] = { 1, 1, 1, 0, 0, 0 };
    there[3] = onnx__our_int(W, "use_zero_points");
    there[4] = onnx__our_int(W, "use_g_idx");
    there[5] = !onnx__our_int(W, "no_bias");
    if (there[4] && onnx__arg_type(W, there[3] ? 4 : 3)->dtype != HY_I32)
        onnx__refused(W, "g_idx that is not int32");
    for (i = 0; i < 10; i += 2)
        if (i < 8 || onnx__our_int(W, ints[i + 1])) onnx__attr_int(W, ints[i], onnx__our_int(W, ints[i + 1]));
    for (n = 6; !there[n - 1]; n--) continue;
    for (i = 0; i < n; i++)
        onnx__write_text(&W->node, 1, !there[i] ? "" : i < 3 ? onnx__arg(W, i) : onnx__arg(W, next++));
    onnx__write_text(&W->node, 2, onnx__result(W));
    onnx__write_text(&W->node, 7, "com.microsoft");
    W->microsoft = 1;
    onnx__end_node(W, op);
}

/* What hangs on no input, or on a shape alone: its numbers are written. */
static void onnx__put_constant(onnx__writer *W, const char *op)
{
    const hy_type *t = onnx__result_type(W, 0);
    hy_array *x;
    const void *data;
    (void)op;
    if (!strcmp(op, "emit")) x = hy_emit(W->F, W->now.op, 0, NULL, W->now.record);
    else x = hy_cast(W->F, hy_full(W->F, t->shape, strcmp(op, "full") ? *op == '1'
                                   : onnx__our_real(W, "value")), t->dtype);
    data = x && hy_size(W->F, x) ? hy_data(W->F, x) : "";
    if (!hy_error(W->F))
        onnx__put_tensor(W, 5, &W->body, onnx__result(W), hy_dtype_of(W->F, x), hy_shape_of(W->F, x), data,
                                          (size_t)hy_size(W->F, x) * hy_dtype_size(hy_dtype_of(W->F, x)));
}

static void onnx__put_clip(onnx__writer *W, const char *op)
{
    hy_dtype d = onnx__arg_type(W, 0)->dtype;
    if (onnx__our_real(W, "a_min") > onnx__our_real(W, "a_max")) onnx__refused(W, "a_min above a_max");
    onnx__put_node(W, op, onnx__arg(W, 0), onnx__number_out(W, onnx__our_real(W, "a_min"), d),
                   onnx__number_out(W, onnx__our_real(W, "a_max"), d), "", "", onnx__result(W));
}

/* Mish itself came with opset 18. */
static void onnx__put_mish(onnx__writer *W, const char *op)
{
    const char *y = ONNX__PUT1(W, "Tanh", ONNX__PUT1(W, "Softplus", onnx__arg(W, 0), NULL), NULL);
    ONNX__PUT2(W, op, onnx__arg(W, 0), y, onnx__result(W));
}

static void onnx__put_hard_sigmoid(onnx__writer *W, const char *op)
{
    onnx__attr_float(W, "alpha", onnx__our_real(W, "alpha"));
    onnx__attr_float(W, "beta", onnx__our_real(W, "beta"));
    ONNX__PUT1(W, op, onnx__arg(W, 0), onnx__result(W));
}

static void onnx__put_softmax(onnx__writer *W, const char *op)
{
    const hy_dtype d = onnx__result_type(W, 0)->dtype;
    const char *x = onnx__arg(W, 0);
    if (onnx__our_real(W, "temperature") != 1 || onnx__our_int(W, "use_length")) {
        onnx__refused(W, "a temperature or lengths");
        return;
    }
    if (d != W->data && hy_dtype_size(d) >= hy_dtype_size(W->data)) {           /* in the wider type */
        x = onnx__cast_out(W, x, d, NULL);
        W->data = d;
    }
    onnx__attr_int(W, "axis", onnx__our_int(W, "axis"));
    x = ONNX__PUT1(W, op, x, d == W->data ? onnx__result(W) : NULL);
    if (d != W->data) onnx__cast_out(W, x, d, onnx__result(W));
}

/* An empty list of axes means all, here and there, but not what is left when all are left out. */
static void onnx__put_reduce(onnx__writer *W, const char *op)
{
    hy_ints axes = onnx__our_ints(W, "axis"), rest;
    int ndim = onnx__arg_type(W, 0)->shape.ndim, keep = onnx__our_int(W, "keepdims"), left, i, k;
    const char *list = "", *y;
    for (left = rest.n = i = 0; i < ndim; i++) {
        for (k = 0; k < axes.n && axes.v[k] != i && axes.v[k] + ndim != i; k++) continue;
        if (axes.n < 1 || (k < axes.n) == !onnx__our_int(W, "exclude")) rest.v[rest.n++] = i;
        else left++;
    }
    if (!rest.n && ndim) { ONNX__PUT1(W, "Identity", onnx__arg(W, 0), onnx__result(W)); return; }
    if (left && (W->opset >= 18 || !strcmp(op, "ReduceSum"))) list = onnx__ints_out(W, rest.v, rest.n);
    else if (left) onnx__attr_ints(W, "axes", rest.v, rest.n);
    onnx__attr_int(W, "keepdims", keep);
    if (left || keep || !ndim) { ONNX__PUT2(W, op, onnx__arg(W, 0), list, onnx__result(W)); return; }
    y = ONNX__PUT2(W, op, onnx__arg(W, 0), list, NULL);         /* all axes: ours is (1,) */
    onnx__to_shape(W, y, &onnx__result_type(W, 0)->shape, onnx__result(W));
}

static void onnx__put_dense(onnx__writer *W, const char *op)
{
    const char *x = onnx__arg(W, 0), *bias = W->now.inputs > 2 ? onnx__arg(W, 2) : "";
    int ndim = onnx__arg_type(W, 0)->shape.ndim;
    if (*bias && onnx__arg_type(W, 2)->shape.ndim > 1) {        /* a column */
        hy_shape row = HY_SHAPE(onnx__our_int(W, "num_hidden"));
        const char *column = bias;
        bias = onnx__made_up(W, "bias");
        onnx__to_shape(W, column, &row, bias);
    }
    if (ndim != 2 && onnx__our_int(W, "no_flatten")) {
        x = ONNX__PUT2(W, "MatMul", x, onnx__transposed(W, onnx__arg(W, 1), 2, 0, 1, NULL), *bias ? NULL
                       : onnx__result(W));
        if (*bias) ONNX__PUT2(W, "Add", x, bias, onnx__result(W));
        return;
    }
    if (ndim != 2) {
        onnx__attr_int(W, "axis", 1);
        x = ONNX__PUT1(W, "Flatten", x, NULL);
    }
    onnx__attr_int(W, "transB", 1);
    onnx__put_node(W, op, x, onnx__arg(W, 1), bias, "", "", onnx__result(W));
}

/* Strides and the like, where ours may be empty. */
static void onnx__window_out(onnx__writer *W, const char *name, const char *ours, int dims, int64_t missing)
{
    hy_ints v = onnx__our_ints(W, ours), end = v;
    int64_t list[2 * HY_MAX_DIM];
    int i, twice = !strcmp(name, "pads");
    if (twice && onnx__our_ints(W, "pad_end").n > 0) end = onnx__our_ints(W, "pad_end");
    for (i = 0; i < dims; i++) {
        list[i] = v.n > i ? v.v[i] : missing;
        list[i + dims] = end.n > i ? end.v[i] : missing;
    }
    onnx__attr_ints(W, name, list, dims * (1 + twice));
}

static int onnx__channels_first(onnx__writer *W)
{
    if (onnx__our_int(W, "layout") <= HY_LAYOUT_NCDHW) return 1;
    onnx__refused(W, "channels last");
    return 0;
}

static void onnx__put_conv(onnx__writer *W, const char *op)
{
    int dims = onnx__arg_type(W, 0)->shape.ndim - 2;
    if (!onnx__channels_first(W)) return;
    onnx__window_out(W, "kernel_shape", "kernel", dims, 1);
    onnx__window_out(W, "strides", "stride", dims, 1);
    onnx__window_out(W, "dilations", "dilate", dims, 1);
    if (!strcmp(op, "ConvTranspose") && onnx__our_ints(W, "target_shape").n) {
        onnx__refused(W, "target_shape");
        return;
    }
    onnx__window_out(W, "pads", "pad", dims, 0);
    if (!strcmp(op, "ConvTranspose")) onnx__window_out(W, "output_padding", "adj", dims, 0);
    onnx__attr_int(W, "group", onnx__our_int(W, "num_group"));
    onnx__put_node(W, op, onnx__arg(W, 0), onnx__arg(W, 1), W->now.inputs > 2 ? onnx__arg(W, 2) : "", "", "",
                   onnx__result(W));
}

/* Where the padded image holds tap t of the window at place l, both counted line by line. */
static int64_t onnx__tap_place(const hy_ints *kernel, const hy_ints *stride, const hy_ints *dilate,
                               const int64_t *image, const int64_t *places, int64_t t, int64_t l)
{
    int64_t at = 0, step = 1;
    int i;
    for (i = kernel->n - 1; i >= 0; i--) {
        const int64_t by = stride->n > i ? stride->v[i] : 1, apart = dilate->n > i ? dilate->v[i] : 1;
        at += step * (l % places[i] * by + t % kernel->v[i] * apart);
        step *= image[i];
        t /= kernel->v[i];
        l /= places[i];
    }
    return at;
}

/* Windows as columns: the padded image in one line, of which the places are gathered. */
static void onnx__put_im2col(onnx__writer *W, const char *op)
{
    const hy_ints kernel = onnx__our_ints(W, "kernel"), pad = onnx__our_ints(W, "pad");
    const hy_ints stride = onnx__our_ints(W, "stride"), dilate = onnx__our_ints(W, "dilate");
    const hy_shape *x = &onnx__arg_type(W, 0)->shape, *y = &onnx__result_type(W, 0)->shape;
    int64_t ends[2 * HY_MAX_DIM] = { 0 }, image[HY_MAX_DIM], places[HY_MAX_DIM], flat[3] = { 0, 0, 1 }, *at;
    int64_t taps = 1, t, l;
    const char *data = onnx__arg(W, 0);
    int i, padded = 0;
    for (i = 0; i < kernel.n; i++) {
        const int64_t border = pad.n > i ? pad.v[i] : 0, apart = dilate.n > i ? dilate.v[i] : 1;
        ends[i + 2] = ends[x->ndim + i + 2] = border;
        padded |= border > 0;
        image[i] = x->dim[i + 2] + 2 * border;
        places[i] = (image[i] - apart * (kernel.v[i] - 1) - 1) / (stride.n > i ? stride.v[i] : 1) + 1;
        flat[2] *= image[i];
        taps *= kernel.v[i];
    }
    at = ONNX__ROOM(&W->names, int64_t, (size_t)(taps * y->dim[2]));
    if (!at) return;
    for (t = 0; t < taps; t++)
        for (l = 0; l < y->dim[2]; l++)
            at[t * y->dim[2] + l] = onnx__tap_place(&kernel, &stride, &dilate, image, places, t, l);
    if (padded) data = ONNX__PUT2(W, "Pad", data, onnx__ints_out(W, ends, 2 * x->ndim), NULL);
    data = ONNX__PUT2(W, "Reshape", data, onnx__ints_out(W, flat, 3), NULL);
    onnx__attr_int(W, "axis", 2);
    data = ONNX__PUT2(W, op, data, onnx__ints_out(W, at, (int)(taps * y->dim[2])), NULL);
    flat[1] = y->dim[1];
    flat[2] = y->dim[2];
    ONNX__PUT2(W, "Reshape", data, onnx__ints_out(W, flat, 3), onnx__result(W));
}

static void onnx__put_col2im(onnx__writer *W, const char *op)
{
    const hy_ints size = onnx__our_ints(W, "output_size"), kernel = onnx__our_ints(W, "kernel");
    if (W->opset < 18) { onnx__refused(W, "Col2Im, which comes with opset 18"); return; }
    onnx__window_out(W, "strides", "stride", size.n, 1);
    onnx__window_out(W, "dilations", "dilate", size.n, 1);
    onnx__window_out(W, "pads", "pad", size.n, 0);
    onnx__put_node(W, op, onnx__arg(W, 0), onnx__ints_out(W, size.v, size.n),
                   onnx__ints_out(W, kernel.v, kernel.n), "", "", onnx__result(W));
}

/* What stands at one place per channel of the offsets, and per line of an axis: (1,C,n,1), (1,C,1,n) or (1,C,1,1). */
static const char *onnx__lines_out(onnx__writer *W, const double *v, hy_shape s)
{
    const hy_dtype d = onnx__arg_type(W, 1)->dtype;
    const char *name = onnx__made_up(W, "lines");
    hy_array *x = hy_cast(W->F, hy_from(W->F, s, HY_F64, v), d);
    const void *data = hy_data(W->F, x);
    if (data) onnx__put_tensor(W, 5, &W->body, name, d, s, data, (size_t)hy_size(W->F, x) * hy_dtype_size(d));
    return name;
}

/* Where the taps lie before they are moved, along one of two axes; 0 for the offsets of the other. */
static const char *onnx__tap_lines(onnx__writer *W, int axis, const hy_ints *kernel)
{
    const hy_ints pad = onnx__our_ints(W, "pad"), stride = onnx__our_ints(W, "stride");
    const hy_ints dilate = onnx__our_ints(W, "dilate");
    const int64_t c = onnx__arg_type(W, 1)->shape.dim[1], n = onnx__result_type(W, 0)->shape.dim[axis + 2];
    double *v = ONNX__ROOM(&W->names, double, (size_t)(c * n) + 1);
    int64_t i, j;
    if (!v) return "";
    for (i = 0; i < c; i++)
        for (j = 0; j < n; j++) {
            const int64_t tap = i / 2 % (kernel->v[0] * kernel->v[1]);
            const int64_t step = axis ? tap % kernel->v[1] : tap / kernel->v[1];
            v[i * n + j] = i % 2 != axis ? 0 : (double)(j * (stride.n > axis ? stride.v[axis] : 1) -
                (pad.n > axis ? pad.v[axis] : 0) + step * (dilate.n > axis ? dilate.v[axis] : 1));
        }
    return onnx__lines_out(W, v, axis ? HY_SHAPE(1, c, 1, n) : HY_SHAPE(1, c, n, 1));
}

/* Ours takes the last pixel for what lies between it and the border, and nothing before the first; DeformConv
 * fades to 0 on both sides. So offsets that lead behind the last pixel lead to it, and those that leave the
 * image lead far away. */
static void onnx__put_deform_conv(onnx__writer *W, const char *op)
{
    enum { FAR_AWAY = -32768 };         /* f16 has it */
    const hy_ints kernel = onnx__our_ints(W, "kernel");
    const hy_shape *x = &onnx__arg_type(W, 0)->shape, *o = &onnx__arg_type(W, 1)->shape;
    const hy_dtype d = onnx__arg_type(W, 1)->dtype;
    const char *offset = onnx__arg(W, 1), *rows, *columns, *at, *inside, *last, *behind;
    double *size;
    int64_t i;
    if (W->opset < 19) { onnx__refused(W, "DeformConv, which comes with opset 19"); return; }
    if (!onnx__channels_first(W)) return;
    size = ONNX__ROOM(&W->names, double, (size_t)o->dim[1] + 1);
    if (!size) return;
    rows = onnx__tap_lines(W, 0, &kernel);
    columns = onnx__tap_lines(W, 1, &kernel);
    for (i = 0; i < o->dim[1]; i++) size[i] = (double)x->dim[2 + i % 2];
    at = ONNX__PUT2(W, "Add", ONNX__PUT2(W, "Add", offset, rows, NULL), columns, NULL);
    inside = ONNX__PUT2(W, "GreaterOrEqual", at, onnx__number_out(W, 0, d), NULL);
    inside = ONNX__PUT2(W, "And", inside,
                        ONNX__PUT2(W, "Less", at, onnx__lines_out(W, size, HY_SHAPE(1, o->dim[1], 1, 1)), NULL),
                        NULL);
    for (i = 0; i < o->dim[1]; i++) size[i]--;
    last = onnx__lines_out(W, size, HY_SHAPE(1, o->dim[1], 1, 1));
    behind = ONNX__PUT2(W, "Greater", at, last, NULL);
    last = ONNX__PUT2(W, "Sub", ONNX__PUT2(W, "Sub", last, rows, NULL), columns, NULL);
    offset = onnx__put_node(W, "Where", behind, last, offset, "", "", NULL);
    offset = onnx__put_node(W, "Where", inside, offset, onnx__number_out(W, FAR_AWAY, d), "", "", NULL);
    onnx__window_out(W, "kernel_shape", "kernel", 2, 1);
    onnx__window_out(W, "strides", "stride", 2, 1);
    onnx__window_out(W, "dilations", "dilate", 2, 1);
    onnx__window_out(W, "pads", "pad", 2, 0);
    onnx__attr_int(W, "group", onnx__our_int(W, "num_group"));
    onnx__attr_int(W, "offset_group", onnx__our_int(W, "num_deformable_group"));
    onnx__put_node(W, op, onnx__arg(W, 0), onnx__arg(W, 2), offset, W->now.inputs > 3 ? onnx__arg(W, 3) : "", "",
                   onnx__result(W));
}

static void onnx__put_pooling(onnx__writer *W, const char *op)
{
    static const char *const local[] = { "MaxPool", "AveragePool" },
        *const all[] = { "GlobalMaxPool", "GlobalAveragePool" };
    int type = onnx__our_int(W, "pool_type"), dims = onnx__arg_type(W, 0)->shape.ndim - 2, i;
    const int full = onnx__our_int(W, "convention") == HY_CONVENTION_FULL;
    const hy_ints stride = onnx__our_ints(W, "stride"), pad = onnx__our_ints(W, "pad"),
        after = onnx__our_ints(W, "pad_end"), kernel = onnx__our_ints(W, "kernel");
    (void)op;
    if (type > HY_POOL_AVG || onnx__our_int(W, "convention") == HY_CONVENTION_SAME) {
        onnx__refused(W, "this kind of pooling");
        return;
    }
    if (!onnx__channels_first(W)) return;
    if (onnx__our_int(W, "global_pool")) {
        ONNX__PUT1(W, all[type], onnx__arg(W, 0), onnx__result(W));
        return;
    }
    for (i = 0; i < dims; i++) {
        if ((pad.n <= i || pad.v[i] < kernel.v[i]) && (after.n <= i || after.v[i] < kernel.v[i])) continue;
        onnx__refused(W, "a border as wide as the window");             /* the standard has none such */
        return;
    }
    for (i = 0; i < dims && full; i++) {
        const int64_t step = stride.n > i ? stride.v[i] : 1, before = pad.n > i ? pad.v[i] : 0;
        const int64_t last = (onnx__result_type(W, 0)->shape.dim[i + 2] - 1) * step;
        if (last < onnx__arg_type(W, 0)->shape.dim[i + 2] + before) continue;
        onnx__refused(W, "a window that begins behind the data");       /* ONNX leaves it out */
        return;
    }
    onnx__window_out(W, "kernel_shape", "kernel", dims, 1);
    onnx__window_out(W, "strides", "stride", dims, 1);
    onnx__window_out(W, "pads", "pad", dims, 0);
    onnx__attr_int(W, "ceil_mode", full);
    if (type == HY_POOL_AVG) onnx__attr_int(W, "count_include_pad", !onnx__our_int(W, "exclude_pad"));
    ONNX__PUT1(W, local[type], onnx__arg(W, 0), onnx__result(W));
}

static void onnx__put_batch_norm(onnx__writer *W, const char *op)
{
    const char *gamma = onnx__arg(W, 1);
    int axis = onnx__our_int(W, "axis");
    if (axis != 1 && axis != 1 - onnx__arg_type(W, 0)->shape.ndim) {
        onnx__refused(W, "another axis than 1");
        return;
    }
    if (W->opset < 15 && onnx__arg_type(W, 1)->dtype != W->data)
        onnx__refused(W, "parameters of another type, before opset 15");
    if (!onnx__our_int(W, "learn_gamma")) {     /* then it counts as 1 */
        hy_array *ones = hy_cast(W->F, hy_ones(W->F, onnx__arg_type(W, 1)->shape),
                                 onnx__arg_type(W, 1)->dtype);
        const void *data = hy_data(W->F, ones);
        gamma = onnx__made_up(W, "ones");
        if (data)
            onnx__put_tensor(W, 5, &W->body, gamma, onnx__arg_type(W, 1)->dtype, onnx__arg_type(W, 1)->shape,
                             data,
                                   (size_t)hy_size(W->F, ones) * hy_dtype_size(onnx__arg_type(W, 1)->dtype));
    }
    onnx__attr_float(W, "epsilon", onnx__our_real(W, "eps"));
    onnx__attr_float(W, "momentum", onnx__our_real(W, "momentum"));
    onnx__put_node(W, op, onnx__arg(W, 0), gamma, onnx__arg(W, 2), onnx__arg(W, 3), onnx__arg(W, 4),
                   onnx__result(W));
}

static void onnx__put_norm(onnx__writer *W, const char *op)
{
    int layer = !strcmp(op, "LayerNormalization"), axis = onnx__our_int(W, "axis");
    if (layer && (W->opset < 17 || (axis != -1 && axis != onnx__arg_type(W, 0)->shape.ndim - 1))) {
        onnx__refused(W, "another axis than the last, or an opset below 17");
        return;
    }
    onnx__attr_float(W, "epsilon", onnx__our_real(W, "eps"));
    if (layer) onnx__attr_int(W, "axis", -1);
    onnx__put_node(W, op, onnx__arg(W, 0), onnx__arg(W, 1), onnx__arg(W, 2), "", "", onnx__result(W));
}

static void onnx__put_lrn(onnx__writer *W, const char *op)
{
    onnx__attr_int(W, "size", onnx__our_int(W, "nsize"));
    onnx__attr_float(W, "alpha", onnx__our_real(W, "alpha"));
    onnx__attr_float(W, "beta", onnx__our_real(W, "beta"));
    onnx__attr_float(W, "bias", onnx__our_real(W, "knorm"));
    ONNX__PUT1(W, op, onnx__arg(W, 0), onnx__result(W));
}

/* Reshape, expand_dims, squeeze: 0 and -1 mean the same there; all else is the shape found. */
static void onnx__put_reshape(onnx__writer *W, const char *op)
{
    hy_ints to = onnx__our_ints(W, "shape");
    int i, plain = !strcmp(W->now.op->name, "reshape") && !onnx__our_int(W, "reverse") && to.n > 0;
    for (i = 0; i < to.n; i++) plain = plain && to.v[i] >= -1;
    if (plain) ONNX__PUT2(W, op, onnx__arg(W, 0), onnx__ints_out(W, to.v, to.n), onnx__result(W));
    else onnx__to_shape(W, onnx__arg(W, 0), &onnx__result_type(W, 0)->shape, onnx__result(W));
}

static void onnx__put_flatten(onnx__writer *W, const char *op)
{
    onnx__attr_int(W, "axis", 1);
    ONNX__PUT1(W, op, onnx__arg(W, 0), onnx__result(W));
}

static void onnx__put_transpose(onnx__writer *W, const char *op)
{
    hy_ints axes = onnx__our_ints(W, "axes");
    int ndim = onnx__arg_type(W, 0)->shape.ndim, i, a = onnx__our_int(W, "dim1"),
        b = onnx__our_int(W, "dim2");
    if (!strcmp(W->now.op->name, "swap_axes")) {
        onnx__transposed(W, onnx__arg(W, 0), ndim, a < 0 ? a + ndim : a, b < 0 ? b + ndim : b,
                         onnx__result(W));
        return;
    }
    for (i = 0; i < axes.n; i++) if (axes.v[i] < 0) axes.v[i] += ndim;
    if (axes.n > 0) onnx__attr_ints(W, "perm", axes.v, axes.n);
    ONNX__PUT1(W, op, onnx__arg(W, 0), onnx__result(W));
}

static void onnx__put_list(onnx__writer *W, const char *op)     /* Concat, Sum */
{
    const char *axis = !strcmp(W->now.op->name, "concat") ? "dim" : "axis";
    int stack = !strcmp(W->now.op->name, "stack"), i;
    const char **list = ONNX__ROOM(&W->names, const char *, W->now.inputs + 1);
    if (!list) return;
    for (i = 0; i < W->now.inputs; i++) {
        int64_t at = onnx__our_int(W, axis);
        list[i] = stack ? ONNX__PUT2(W, "Unsqueeze", onnx__arg(W, i), onnx__ints_out(W, &at, 1), NULL)
            : onnx__arg(W, i);
    }
    if (strcmp(op, "Sum")) onnx__attr_int(W, "axis", onnx__our_int(W, axis));
    for (i = 0; i < W->now.inputs; i++) onnx__write_text(&W->node, 1, list[i]);
    onnx__write_text(&W->node, 2, onnx__result(W));
    onnx__end_node(W, op);
}

static void onnx__put_slice(onnx__writer *W, const char *op)
{
    const int along = !strcmp(W->now.op->name, "slice_axis");
    hy_ints begin = along ? HY_INTS(onnx__our_int(W, "begin")) : onnx__our_ints(W, "begin");
    hy_ints end = along ? HY_INTS(onnx__our_int(W, "end")) : onnx__our_ints(W, "end");
    hy_ints step = along ? HY_EMPTY : onnx__our_ints(W, "step");
    const hy_shape *to = &onnx__result_type(W, 0)->shape;
    int64_t axes[HY_MAX_INTS];
    int i;
    for (i = 0; i < begin.n; i++) axes[i] = along ? onnx__our_int(W, "axis") : i;
    if (!begin.n) { ONNX__PUT1(W, "Identity", onnx__arg(W, 0), onnx__result(W)); return; }
    for (i = 0; i < begin.n; i++) {
        if (step.n <= i || step.v[i] == HY_NONE || !step.v[i]) step.v[i] = 1;
        if (begin.v[i] == HY_NONE) begin.v[i] = step.v[i] > 0 ? 0 : INT32_MAX;
        if (end.n <= i || end.v[i] == HY_NONE) end.v[i] = step.v[i] > 0 ? INT32_MAX : -INT32_MAX;
        if (!to->dim[axes[i] < 0 ? axes[i] + to->ndim : axes[i]])       /* ONNX begins within the axis */
            begin.v[i] = end.v[i] = 0;
    }
    onnx__put_node(W, op, onnx__arg(W, 0), onnx__ints_out(W, begin.v, begin.n),
                   onnx__ints_out(W, end.v, begin.n),
                   onnx__ints_out(W, axes, begin.n), onnx__ints_out(W, step.v, begin.n), onnx__result(W));
}

static void onnx__put_split(onnx__writer *W, const char *op)
{
    int axis = onnx__our_int(W, "axis"), i, n = W->now.outputs;
    int64_t *sizes = ONNX__ROOM(&W->names, int64_t, n + 1);
    if (!sizes || onnx__our_int(W, "squeeze_axis")) { onnx__refused(W, "parts without the axis"); return; }
    if (axis < 0) axis += onnx__arg_type(W, 0)->shape.ndim;
    for (i = 0; i < n; i++) sizes[i] = onnx__result_type(W, i)->shape.dim[axis];
    onnx__attr_int(W, "axis", axis);
    onnx__write_text(&W->node, 1, onnx__arg(W, 0));
    onnx__write_text(&W->node, 1, onnx__ints_out(W, sizes, n));
    for (i = 0; i < n; i++) onnx__write_text(&W->node, 2, onnx__value_name(W, W->at, i));
    onnx__end_node(W, op);
}

static void onnx__put_expand(onnx__writer *W, const char *op)   /* broadcast_to and its kin */
{
    const hy_shape *s = &onnx__result_type(W, 0)->shape;
    ONNX__PUT2(W, op, onnx__arg(W, 0), onnx__ints_out(W, s->dim, s->ndim), onnx__result(W));
}

static void onnx__put_tile(onnx__writer *W, const char *op)
{
    hy_ints reps = onnx__our_ints(W, "reps");
    if (reps.n != onnx__arg_type(W, 0)->shape.ndim) {
        onnx__refused(W, "other than a number for each axis");
        return;
    }
    ONNX__PUT2(W, op, onnx__arg(W, 0), onnx__ints_out(W, reps.v, reps.n), onnx__result(W));
}

static void onnx__put_pad(onnx__writer *W, const char *op)
{
    static const char *const modes[] = { "constant", "edge", "reflect" };
    hy_ints width = onnx__our_ints(W, "pad_width"), pads;
    int i;
    pads.n = width.n;
    for (i = 0; i < width.n; i++) pads.v[i % 2 * (width.n / 2) + i / 2] = width.v[i];
    onnx__attr_text(W, "mode", modes[onnx__our_int(W, "mode") % 3]);
    onnx__put_node(W, op, onnx__arg(W, 0), onnx__ints_out(W, pads.v, pads.n),
                   onnx__number_out(W, onnx__our_real(W, "constant_value"), onnx__arg_type(W, 0)->dtype), "",
                       "", onnx__result(W));
}

static void onnx__put_product(onnx__writer *W, const char *op)
{
    const char *in[2];
    int k, plain = !strcmp(W->now.op->name, "dot"), na = onnx__arg_type(W, 0)->shape.ndim,
        nb = onnx__arg_type(W, 1)->shape.ndim;
    double alpha = onnx__record(W, "alpha") ? onnx__our_real(W, "alpha") : 1;
    if ((plain && nb > 2) || (onnx__record(W, "axis") && onnx__our_int(W, "axis") != -2 &&
                              onnx__our_int(W, "axis") != na - 2) ||
        (plain && na > 2 && onnx__our_int(W, "transpose_a"))) {
        onnx__refused(W, "these axes");
        return;
    }
    for (k = 0; k < 2; k++) {
        int ndim = k ? nb : na;
        in[k] = onnx__arg(W, k);
        if (ndim > 1 && onnx__our_int(W, k ? "transpose_b" : "transpose_a"))
            in[k] = onnx__transposed(W, in[k], ndim, ndim - 2, ndim - 1, NULL);
    }
    if (plain && na == 1 && nb == 1) {
        onnx__to_shape(W, ONNX__PUT2(W, op, in[0], in[1], NULL), &onnx__result_type(W, 0)->shape,
                       onnx__result(W));
        return;
    }
    in[0] = ONNX__PUT2(W, op, in[0], in[1], alpha == 1 ? onnx__result(W) : NULL);
    if (alpha != 1)
        ONNX__PUT2(W, "Mul", in[0], onnx__number_out(W, alpha, onnx__arg_type(W, 0)->dtype), onnx__result(W));
}

/* Input k of attention with its heads on axis 1; turned: rows and columns change places. */
static const char *onnx__heads_out(onnx__writer *W, int k, int64_t heads, int64_t shared_by, int turned)
{
    static const int64_t straight[4] = { 0, 2, 1, 3 }, other[4] = { 0, 2, 3, 1 };
    const char *x = onnx__arg(W, k);
    int64_t split[4] = { 0, 0, 0, 0 }, which[64], i;
    if (onnx__arg_type(W, k)->shape.ndim == 3) {
        split[2] = heads;
        split[3] = onnx__arg_type(W, k)->shape.dim[2] / heads;
        x = ONNX__PUT2(W, "Reshape", x, onnx__ints_out(W, split, 4), NULL);
        onnx__attr_ints(W, "perm", turned ? other : straight, 4);
        x = ONNX__PUT1(W, "Transpose", x, NULL);
    } else if (turned) x = onnx__transposed(W, x, 4, 2, 3, NULL);
    if (shared_by < 2) return x;
    if (heads * shared_by > 64) { onnx__refused(W, "more than 64 heads that share keys"); return x; }
    for (i = 0; i < heads * shared_by; i++) which[i] = i / shared_by;
    onnx__attr_int(W, "axis", 1);
    return ONNX__PUT2(W, "Gather", x, onnx__ints_out(W, which, (int)(heads * shared_by)), NULL);
}

/* begin, begin + 1, ... */
static const char *onnx__range_out(onnx__writer *W, int64_t begin, int64_t n)
{
    return onnx__put_node(W, "Range", onnx__number_out(W, (double)begin, HY_I64),
                          onnx__number_out(W, (double)(begin + n), HY_I64), onnx__number_out(W, 1, HY_I64),
                          "", "", NULL);
}

/* Scores with what is hidden at -inf. */
static const char *onnx__masked_out(onnx__writer *W, const char *s, int64_t queries, int64_t keys)
{
    const hy_dtype d = onnx__arg_type(W, 0)->dtype;
    const int64_t column[2] = { -1, 1 };
    const char *rows;
    if (W->now.inputs > 3 && onnx__arg_type(W, 3)->dtype == HY_BOOL)
        s = onnx__put_node(W, "Where", onnx__arg(W, 3), s, onnx__number_out(W, -HUGE_VAL, d), "", "", NULL);
    else if (W->now.inputs > 3) s = ONNX__PUT2(W, "Add", s, onnx__arg(W, 3), NULL);
    if (!onnx__our_int(W, "causal")) return s;
    if (queries < 0 || keys < 0) { onnx__refused(W, "causal, of unknown length"); return s; }
    rows = onnx__range_out(W, (int64_t)onnx__our_int(W, "past") + 1, queries);
    rows = ONNX__PUT2(W, "Reshape", rows, onnx__ints_out(W, column, 2), NULL);
    rows = ONNX__PUT2(W, "Less", onnx__range_out(W, 0, keys), rows, NULL);
    return onnx__put_node(W, "Where", rows, s, onnx__number_out(W, -HUGE_VAL, d), "", "", NULL);
}

/* As hy_attention has it, in the operators of opset 13. */
static void onnx__put_attention(onnx__writer *W, const char *op)
{
    const hy_shape *q = &onnx__arg_type(W, 0)->shape, *k = &onnx__arg_type(W, 1)->shape;
    const hy_dtype d = onnx__arg_type(W, 0)->dtype;
    const int apart = q->ndim == 4, kv_heads = onnx__our_int(W, "kv_heads");
    const int64_t heads = apart ? q->dim[1] : onnx__our_int(W, "heads"), last = -1;
    const int64_t shared = apart ? k->dim[1] : kv_heads ? kv_heads : heads;
    const int64_t joined[3] = { 0, 0, apart ? 0 : onnx__result_type(W, 0)->shape.dim[2] };
    const int64_t part = heads < 1 ? -1 : apart ? q->dim[3] : q->dim[2] / heads;
    double scale = onnx__our_real(W, "scale");
    const char *s, *p, *hidden = NULL, *axes = "";
    if (part < 1 || shared < 1) { onnx__refused(W, "of unknown or no heads"); return; }
    if (onnx__our_int(W, "use_length")) { onnx__refused(W, "with a length"); return; }
    if (scale == 0) scale = 1 / sqrt((double)part);
    s = ONNX__PUT2(W, op, onnx__heads_out(W, 0, heads, 1, 0),
                   onnx__heads_out(W, 1, shared, heads / shared, 1), NULL);
    if (scale != 1) s = ONNX__PUT2(W, "Mul", s, onnx__number_out(W, scale, d), NULL);
    s = onnx__masked_out(W, s, q->dim[apart + 1], k->dim[apart + 1]);
    if (W->now.inputs > 3 && onnx__our_int(W, "zero_hidden")) {
        if (W->opset >= 18) axes = onnx__ints_out(W, &last, 1);
        else onnx__attr_ints(W, "axes", &last, 1);
        hidden = ONNX__PUT2(W, "ReduceMax", s, axes, NULL);
        hidden = ONNX__PUT2(W, "Equal", hidden, onnx__number_out(W, -HUGE_VAL, d), NULL);
    }
    onnx__attr_int(W, "axis", -1);
    p = ONNX__PUT1(W, "Softmax", s, NULL);
    if (hidden) p = onnx__put_node(W, "Where", hidden, onnx__number_out(W, 0, d), p, "", "", NULL);
    s = onnx__heads_out(W, 2, shared, heads / shared, 0);
    s = ONNX__PUT2(W, op, p, s, apart ? onnx__result(W) : NULL);
    if (apart) return;
    ONNX__PUT2(W, "Reshape", onnx__transposed(W, s, 4, 1, 2, NULL), onnx__ints_out(W, joined, 3),
               onnx__result(W));
}

static void onnx__put_gather(onnx__writer *W, const char *op)
{
    int take = !strcmp(W->now.op->name, "take");
    const hy_shape *x = &onnx__arg_type(W, !take)->shape;
    int axis = take ? onnx__our_int(W, "axis") : 0, mode = take ? onnx__our_int(W, "mode") : HY_INDEX_CLIP;
    double n = (double)x->dim[axis < 0 ? axis + x->ndim : axis];
    const char *at = onnx__arg(W, take);
    W->data = HY_I64;
    if (onnx__arg_type(W, take)->dtype != HY_I64) at = onnx__cast_out(W, at, HY_I64, NULL);
    if (mode == HY_INDEX_CLIP)                  /* ONNX counts from the end below 0 */
        at = onnx__put_node(W, "Clip", at, onnx__number_out(W, 0, HY_I64), onnx__number_out(W, n - 1, HY_I64),
                            "", "", NULL);
    if (mode == HY_INDEX_WRAP) at = ONNX__PUT2(W, "Mod", at, onnx__number_out(W, n, HY_I64), NULL);
    onnx__attr_int(W, "axis", axis);
    ONNX__PUT2(W, op, onnx__arg(W, !take), at, onnx__result(W));
}

static void onnx__put_cast(onnx__writer *W, const char *op)
{
    const hy_dtype d = onnx__result_type(W, 0)->dtype;
    const char *x = onnx__arg(W, 0);
    (void)op;
    if (onnx__is_float(W->data) && (d == HY_U8 || d == HY_I8))  /* ours saturates, there it is not said */
        x = onnx__put_node(W, "Clip", x, onnx__number_out(W, d == HY_I8 ? -128 : 0, W->data),
                           onnx__number_out(W, d == HY_I8 ? 127 : 255, W->data), "", "", NULL);
    onnx__cast_out(W, x, d, onnx__result(W));
}

static void onnx__put_logic(onnx__writer *W, const char *op)
{
    const char *a = onnx__cast_out(W, onnx__arg(W, 0), HY_BOOL, NULL);
    const char *b = onnx__cast_out(W, onnx__arg(W, 1), HY_BOOL, NULL);
    onnx__cast_out(W, ONNX__PUT2(W, op, a, b, NULL), onnx__result_type(W, 0)->dtype, onnx__result(W));
}

static void onnx__put_where(onnx__writer *W, const char *op)
{
    const char *c = onnx__arg(W, 0);
    hy_shape s = onnx__arg_type(W, 0)->shape;
    if (onnx__arg_type(W, 0)->dtype != HY_BOOL) c = onnx__cast_out(W, c, HY_BOOL, NULL);
    W->data = onnx__arg_type(W, 1)->dtype;
    if (s.ndim == 1 && onnx__arg_type(W, 1)->shape.ndim > 1) {          /* one for each row */
        const char *flat = c;
        while (s.ndim < onnx__arg_type(W, 1)->shape.ndim) s.dim[s.ndim++] = 1;
        c = onnx__made_up(W, "rows");
        onnx__to_shape(W, flat, &s, c);
    }
    onnx__put_node(W, op, c, onnx__arg(W, 1), onnx__arg(W, 2), "", "", onnx__result(W));
}

static void onnx__put_arg(onnx__writer *W, const char *op)
{
    const hy_type *t = onnx__result_type(W, 0);
    int axis = onnx__our_int(W, "axis");
    if (axis == HY_NONE) { onnx__refused(W, "without an axis"); return; }
    onnx__attr_int(W, "axis", axis);
    onnx__attr_int(W, "keepdims", onnx__our_int(W, "keepdims"));
    op = ONNX__PUT1(W, op, onnx__arg(W, 0), NULL);
    if (onnx__arg_type(W, 0)->shape.ndim > 1) onnx__cast_out(W, op, t->dtype, onnx__result(W));
    else onnx__to_shape(W, onnx__cast_out(W, op, t->dtype, NULL), &t->shape, onnx__result(W));
}

static void onnx__put_upsampling(onnx__writer *W, const char *op)
{
    const hy_shape *s = &onnx__result_type(W, 0)->shape;
    if (W->now.inputs != 1) { onnx__refused(W, "several inputs"); return; }
    onnx__attr_text(W, "mode", "nearest");
    onnx__attr_text(W, "coordinate_transformation_mode", "asymmetric");
    onnx__attr_text(W, "nearest_mode", "floor");
    onnx__put_node(W, op, onnx__arg(W, 0), "", "", onnx__ints_out(W, s->dim, s->ndim), "", onnx__result(W));
}

/* A part of hy_rnn's one vector, (rows, columns) for each gate, in ONNX's order of gates. */
static const char *onnx__rnn_part(onnx__writer *W, int64_t from, int gates, int64_t rows, int64_t columns)
{
    static const int lstm[] = { 0, 3, 1, 2 }, gru[] = { 1, 0, 2 };
    const char *piece[4] = { "", "", "", "" };
    int i;
    for (i = 0; i < gates; i++) {
        int64_t k = gates == 4 ? lstm[i] : gates == 3 ? gru[i] : 0, axis = 0,
            begin = from + k * rows * columns, end = begin + rows * columns;
        piece[i] = onnx__put_node(W, "Slice", onnx__arg(W, 1), onnx__ints_out(W, &begin, 1),
                                  onnx__ints_out(W, &end, 1),
                                  onnx__ints_out(W, &axis, 1), "", NULL);
    }
    onnx__attr_int(W, "axis", 0);
    return onnx__put_node(W, "Concat", piece[0], piece[1], piece[2], piece[3], "", NULL);
}

/* W, R or B of all directions from one part, or two, of each. */
static const char *onnx__rnn_input(onnx__writer *W, int64_t from, int64_t step, int64_t second, int dirs,
                                   int gates, int64_t rows,
                                   int64_t columns)
{
    const char *part[4] = { "", "", "", "" };
    int64_t shape[3];
    int d, n = 0;
    for (d = 0; d < dirs; d++) {
        part[n++] = onnx__rnn_part(W, from + d * step, gates, rows, columns);
        if (second) part[n++] = onnx__rnn_part(W, from + d * step + second, gates, rows, columns);
    }
    onnx__attr_int(W, "axis", 0);
    shape[0] = dirs;
    shape[1] = gates * rows * (second ? 2 : 1);
    shape[2] = columns;
    return ONNX__PUT2(W, "Reshape", onnx__put_node(W, "Concat", part[0], part[1], part[2], part[3], "", NULL),
                      onnx__ints_out(W, shape, second ? 2 : 3), NULL);
}

static void onnx__put_rnn(onnx__writer *W, const char *op)
{
    static const char *const ops[] = { "RNN", "RNN", "LSTM", "GRU" };
    static const int64_t perm[] = { 0, 2, 1, 3 };
    int mode = onnx__our_int(W, "mode"), gates = mode == HY_RNN_LSTM ? 4 : mode == HY_RNN_GRU ? 3 : 1, i,
        dirs;
    int64_t H = onnx__our_int(W, "state_size"), I = onnx__arg_type(W, 0)->shape.dim[2],
        one = gates * H * (I + H);
    const char *y, *in[7];
    (void)op;
    if (onnx__our_int(W, "num_layers") != 1 || onnx__our_int(W, "use_sequence_length") ||
        mode == HY_RNN_RELU || onnx__our_int(W, "projection_size") != HY_NONE ||
        onnx__our_real(W, "clip_min") != HY_NONE ||
        onnx__our_real(W, "clip_max") != HY_NONE) {
        onnx__refused(W, "several layers, lengths, relu, clip or projection");
        return;
    }
    dirs = onnx__our_int(W, "bidirectional") ? 2 : 1;
    in[0] = onnx__arg(W, 0);
    in[1] = onnx__rnn_input(W, 0, one, 0, dirs, gates, H, I);
    in[2] = onnx__rnn_input(W, gates * H * I, one, 0, dirs, gates, H, H);
    in[3] = onnx__rnn_input(W, dirs * one, 2 * gates * H, gates * H, dirs, gates, H, 1);
    in[4] = "";
    in[5] = onnx__arg(W, 2);
    in[6] = gates == 4 ? onnx__arg(W, 3) : "";
    onnx__attr_int(W, "hidden_size", H);
    onnx__attr_text(W, "direction", dirs == 2 ? "bidirectional" : "forward");
    if (gates == 3) onnx__attr_int(W, "linear_before_reset", 1);
    for (i = 0; i < (gates == 4 ? 7 : 6); i++) onnx__write_text(&W->node, 1, in[i]);
    y = onnx__made_up(W, "sequence");
    onnx__write_text(&W->node, 2, y);
    for (i = 1; i < W->now.outputs && i < (gates == 4 ? 3 : 2) && onnx__our_int(W, "state_outputs"); i++)
        onnx__write_text(&W->node, 2, onnx__value_name(W, W->at, i));
    onnx__end_node(W, ops[mode]);
    onnx__attr_ints(W, "perm", perm, 4);        /* (T, directions, N, H) */
    onnx__to_shape(W, ONNX__PUT1(W, "Transpose", y, NULL), &onnx__result_type(W, 0)->shape, onnx__result(W));
}

/* --- in int8: numbers of 8 bits become floats, and results whole numbers again --- */
static hy_array *onnx__value_of(onnx__writer *W, const char *name)
{
    int i;
    for (i = 0; i < W->values.n; i++)
        if (!strncmp(W->values.name[i], "arg:", 4) || !strncmp(W->values.name[i], "aux:", 4))
            if (!strcmp(W->values.name[i] + 4, name)) return W->values.at[i];
    return NULL;
}

static const char *onnx__floats_out(onnx__writer *W, const char *x, hy_dtype d, double scale, double zero)
{
    W->data = d;
    return onnx__put_node(W, "DequantizeLinear", x, onnx__number_out(W, scale, HY_F32),
                          onnx__number_out(W, zero, d), "", "", NULL);
}
static void onnx__bytes_out(onnx__writer *W, const char *x, hy_dtype d, double scale, double zero,
                            const char *out)
{
    W->data = HY_F32;
    onnx__put_node(W, "QuantizeLinear", x, onnx__number_out(W, scale, HY_F32), onnx__number_out(W, zero, d),
                   "", "", out);
}

/* A result in floats: relu, then 8 bits if it has so many. out of the operator before: whether any follow. */
static int onnx__int8_goes_on(onnx__writer *W)
{
    return onnx__our_int(W, "relu") || onnx__result_type(W, 0)->dtype != HY_F32;
}
static void onnx__int8_end(onnx__writer *W, const char *y)
{
    const hy_dtype d = onnx__result_type(W, 0)->dtype;
    W->data = HY_F32;
    if (onnx__our_int(W, "relu")) y = ONNX__PUT1(W, "Relu", y, d == HY_F32 ? onnx__result(W) : NULL);
    if (d != HY_F32)
        onnx__bytes_out(W, y, d, onnx__our_real(W, "out_scale"), onnx__our_int(W, "out_zero"),
                        onnx__result(W));
}

static void onnx__put_int8_add(onnx__writer *W, const char *op)
{
    const hy_dtype d = onnx__arg_type(W, 0)->dtype;
    const char *a, *b, *out = onnx__int8_goes_on(W) ? NULL : onnx__result(W);
    a = onnx__floats_out(W, onnx__arg(W, 0), d, onnx__our_real(W, "lhs_scale"), onnx__our_int(W, "lhs_zero"));
    b = onnx__floats_out(W, onnx__arg(W, 1), d, onnx__our_real(W, "rhs_scale"), onnx__our_int(W, "rhs_zero"));
    W->data = HY_F32;
    onnx__int8_end(W, ONNX__PUT2(W, onnx__our_int(W, "multiply") ? "Mul" : op, a, b, out));
}

static void onnx__put_int8_table(onnx__writer *W, const char *op)
{
    const char *at = onnx__cast_out(W, onnx__arg(W, 0), HY_I32, NULL);
    if (onnx__arg_type(W, 0)->dtype == HY_I8) {         /* its least number is the first */
        W->data = HY_I32;
        at = ONNX__PUT2(W, "Add", at, onnx__number_out(W, 128, HY_I32), NULL);
    }
    ONNX__PUT2(W, op, onnx__arg(W, 1), at, onnx__result(W));
}

/* A weight in panels as the file's (filters, channels of a group, kernel ...), and its scale for each filter,
 * less the step of data. No scale is below 0: its filter is turned round. 0: they are not known. */
static int onnx__int8_weight(onnx__writer *W, const hy_shape *s, int64_t groups, int64_t joined, double step,
                             const char **w, const char **scale)
{
    int output = 0, k;
    hy_node n[2];
    hy_array *x[2] = { NULL, NULL };
    const int64_t filters = s->dim[0], many = filters / groups, panels = (many + 15) / 16;
    const int64_t taps = onnx__product(s, 2, s->ndim), length = s->dim[1] * joined;
    const int64_t steps = (length + 3) / 4, high = s->ndim > 3 ? s->dim[s->ndim - 2] : 1;
    const int deep = groups > 1 && onnx__arg_type(W, 1)->shape.dim[0] == (groups + 15) / 16;
    const int sums = onnx__result_type(W, 0)->dtype == HY_I32;          /* which no scale multiplies */
    const signed char *from;
    signed char *to = ONNX__ROOM(&W->names, signed char, onnx__product(s, 0, s->ndim));
    float *by = ONNX__ROOM(&W->names, float, filters);
    int64_t o, c, t;
    for (k = 0; k < 2; k++) {
        const int at = hy_graph_input(W->graph, W->at, 1 + k, &output);
        if (at >= 0 && !hy_graph_node(W->graph, at, &n[k]))
            x[k] = n[k].kind == HY_NODE_OP ? W->made[at] : onnx__value_of(W, n[k].name);
        if (!x[k]) { onnx__refused(W, "a weight or scale that inputs decide"); return 0; }
    }
    from = (const signed char *)hy_data(W->F, x[0]);
    if (!from || !to || !by || !hy_to(W->F, x[1], HY_F32, by, sizeof *by * (size_t)filters)) return 0;
    for (o = 0; o < filters; o++) {
        const float most = by[o];
        int turn = most < 0 && !sums;
        if (!(most - most == 0)) { onnx__refused(W, "a scale that is no number"); return 0; }
        for (c = 0; c < s->dim[1]; c++)
            for (t = 0; t < taps; t++) {
                const int64_t wide = s->dim[s->ndim - 1], y = t / wide % high, z = t / wide / high;
                const int64_t along = deep ? y % 4 : t % joined * s->dim[1] + c, in = deep ? o : o % many;
                int64_t at = deep ? o / 16 * (taps / wide / high) + z : o / many * panels + in / 16;
                if (deep) at = (at * ((high + 3) / 4) + y / 4) * wide + t % wide;
                else at = (at * (taps / joined) + t / joined) * steps + along / 4;
                at = at * 64 + in % 16 * 4 + along % 4;
                to[(o * s->dim[1] + c) * taps + t] = most != 0 || sums ? from[at] : 0;
                turn = turn && from[at] != -128;
            }
        if (most < 0 && !turn && !sums) {
            onnx__refused(W, "a scale below 0 beside a weight of -128");
            return 0;
        }
        for (t = 0; t < s->dim[1] * taps && turn; t++)
            to[o * s->dim[1] * taps + t] = (signed char)-to[o * s->dim[1] * taps + t];
        by[o] = most == 0 ? 1 : (float)((turn ? -most : most) / step);
    }
    *w = onnx__made_up(W, n[0].name);
    *scale = onnx__made_up(W, n[1].name);
    onnx__put_tensor(W, 5, &W->body, *w, HY_I8, *s, to, (size_t)onnx__product(s, 0, s->ndim));
    onnx__put_tensor(W, 5, &W->body, *scale, HY_F32, HY_SHAPE(filters), by, sizeof *by * (size_t)filters);
    return 1;
}

/* int8_dense and int8_convolution: sums of the whole numbers themselves, or between what makes floats of 8
 * bits and 8 bits of floats. */
static void onnx__put_int8(onnx__writer *W, const char *op)
{
    const hy_type *in = onnx__arg_type(W, 0);
    const int conv = !strcmp(op, "Conv"), rows = !conv && onnx__our_int(W, "no_flatten");
    const int sums = onnx__result_type(W, 0)->dtype == HY_I32, dims = in->shape.ndim - 2;
    const hy_ints kernel = onnx__our_ints(W, "kernel"), dilate = onnx__our_ints(W, "dilate");
    const int64_t groups = conv ? onnx__our_int(W, "num_group") : 1;
    const double step = in->dtype == HY_F32 && !onnx__our_int(W, "own_range")
        ? (double)(float)(onnx__our_real(W, "threshold") / 127) : 1;
    const char *x = onnx__arg(W, 0), *bias = W->now.inputs > 3 ? onnx__arg(W, 3) : "";
    const char *w, *scale, *zero = NULL, *out;
    int64_t joined = 1;
    hy_dtype d = in->dtype == HY_F32 ? HY_I8 : in->dtype;
    hy_shape s;
    int i;
    if (conv && !onnx__channels_first(W)) return;
    s.ndim = conv ? in->shape.ndim : 2;
    s.dim[0] = onnx__our_int(W, conv ? "num_filter" : "num_hidden");
    s.dim[1] = conv ? in->shape.dim[1] / groups : rows ? in->shape.dim[in->shape.ndim - 1]
        : onnx__product(&in->shape, 1, in->shape.ndim);
    for (i = 0; i < dims && conv; i++) s.dim[2 + i] = kernel.v[i];
    if (conv && (dilate.n < dims || dilate.v[dims - 1] == 1)) joined = kernel.v[dims - 1];
    if (!onnx__int8_weight(W, &s, groups, joined, step, &w, &scale)) return;
    if (!conv && !rows && in->shape.ndim != 2) {
        onnx__attr_int(W, "axis", 1);
        x = ONNX__PUT1(W, "Flatten", x, NULL);
    }
    if (in->dtype == HY_F32 && onnx__our_int(W, "own_range")) {
        const char *q = onnx__made_up(W, "steps"), *size = onnx__made_up(W, "step");
        zero = onnx__made_up(W, "zero");
        onnx__write_text(&W->node, 1, x);
        onnx__write_text(&W->node, 2, q);
        onnx__write_text(&W->node, 2, size);
        onnx__write_text(&W->node, 2, zero);
        onnx__end_node(W, "DynamicQuantizeLinear");
        x = sums ? q : onnx__put_node(W, "DequantizeLinear", q, size, zero, "", "", NULL);
    } else {
        const double middle = in->dtype == HY_F32 ? 0 : onnx__our_int(W, "zero");
        if (in->dtype == HY_F32) {
            const char *q = onnx__made_up(W, "bytes");
            onnx__bytes_out(W, x, d, step, 0, q);
            x = q;
        }
        if (sums) zero = onnx__number_out(W, middle, d);
        else x = onnx__floats_out(W, x, d, step, middle);
    }
    W->data = sums ? d : HY_F32;
    if (!sums) {
        onnx__attr_int(W, "axis", 0);
        w = onnx__put_node(W, "DequantizeLinear", w, scale, "", "", "", NULL);
    }
    out = sums || onnx__int8_goes_on(W) ? NULL : onnx__result(W);
    if (conv) {
        onnx__window_out(W, "kernel_shape", "kernel", dims, 1);
        onnx__window_out(W, "strides", "stride", dims, 1);
        onnx__window_out(W, "dilations", "dilate", dims, 1);
        onnx__window_out(W, "pads", "pad", dims, 0);
        onnx__attr_int(W, "group", groups);
    } else if (sums || (rows && in->shape.ndim != 2)) w = onnx__transposed(W, w, 2, 0, 1, NULL);
    else onnx__attr_int(W, "transB", 1);
    if (sums) onnx__put_node(W, conv ? "ConvInteger" : "MatMulInteger", x, w, zero, "", "", onnx__result(W));
    else if (rows && in->shape.ndim != 2) {
        x = ONNX__PUT2(W, "MatMul", x, w, *bias ? NULL : out);
        onnx__int8_end(W, *bias ? ONNX__PUT2(W, "Add", x, bias, out) : x);
    } else onnx__int8_end(W, onnx__put_node(W, op, x, w, bias, "", "", out));
}

/* --- a row for each operator that can be written --- */
typedef struct onnx__way { const char *name, *op; void (*put)(onnx__writer *W, const char *op); } onnx__way;
static const onnx__way onnx__ways[] = {
    { "relu", "Relu", onnx__put_same }, { "sigmoid", "Sigmoid", onnx__put_same },
        { "tanh", "Tanh", onnx__put_same },
    { "softrelu", "Softplus", onnx__put_same }, { "softsign", "Softsign", onnx__put_same },
        { "exp", "Exp", onnx__put_same },
    { "log", "Log", onnx__put_same }, { "sqrt", "Sqrt", onnx__put_same }, { "abs", "Abs", onnx__put_same },
    { "negative", "Neg", onnx__put_same }, { "floor", "Floor", onnx__put_same },
        { "ceil", "Ceil", onnx__put_same }, { "round_even", "Round", onnx__put_same },
    { "erf", "Erf", onnx__put_same }, { "sin", "Sin", onnx__put_same }, { "cos", "Cos", onnx__put_same },
        { "tan", "Tan", onnx__put_same },
    { "arcsin", "Asin", onnx__put_same }, { "arccos", "Acos", onnx__put_same },
        { "arctan", "Atan", onnx__put_same },
    { "sinh", "Sinh", onnx__put_same }, { "cosh", "Cosh", onnx__put_same },
        { "arcsinh", "Asinh", onnx__put_same },
    { "arccosh", "Acosh", onnx__put_same }, { "arctanh", "Atanh", onnx__put_same },
        { "reciprocal", "Reciprocal", onnx__put_same },
    { "sign", "Sign", onnx__put_same }, { "square", "Mul", onnx__put_square },
    { "mish", "Mul", onnx__put_mish },
        { "rsqrt", "Sqrt", onnx__put_rsqrt },
    { "add", "Add", onnx__put_same }, { "elemwise_add", "Add", onnx__put_same },
        { "sub", "Sub", onnx__put_same },
    { "elemwise_sub", "Sub", onnx__put_same }, { "mul", "Mul", onnx__put_same },
        { "elemwise_mul", "Mul", onnx__put_same },
    { "div", "Div", onnx__put_same }, { "elemwise_div", "Div", onnx__put_same },
        { "power", "Pow", onnx__put_same },
    { "maximum", "Max", onnx__put_same }, { "minimum", "Min", onnx__put_same },
        { "equal", "Equal", onnx__put_compare },
    { "greater", "Greater", onnx__put_compare }, { "lesser", "Less", onnx__put_compare },
    { "greater_equal", "GreaterOrEqual", onnx__put_compare },
    { "lesser_equal", "LessOrEqual", onnx__put_compare },
    { "not_equal", "!", onnx__put_compare }, { "equal_scalar", "Equal", onnx__put_compare },
        { "not_equal_scalar", "!", onnx__put_compare }, { "logical_not", "Equal", onnx__put_compare },
    { "greater_scalar", "Greater", onnx__put_compare }, { "lesser_scalar", "Less", onnx__put_compare },
    { "greater_equal_scalar", "GreaterOrEqual", onnx__put_compare },
        { "lesser_equal_scalar", "LessOrEqual", onnx__put_compare },
    { "add_scalar", "Add", onnx__put_scalar }, { "sub_scalar", "Sub", onnx__put_scalar },
        { "mul_scalar", "Mul", onnx__put_scalar },
    { "div_scalar", "Div", onnx__put_scalar }, { "power_scalar", "Pow", onnx__put_scalar },
        { "maximum_scalar", "Max", onnx__put_scalar },
    { "minimum_scalar", "Min", onnx__put_scalar }, { "rsub_scalar", "Sub", onnx__put_scalar },
        { "rdiv_scalar", "Div", onnx__put_scalar },
    { "rpower_scalar", "Pow", onnx__put_scalar }, { "identity", "Identity", onnx__put_identity },
    { "mod", "Mod", onnx__put_mod }, { "mod_scalar", "Mod", onnx__put_mod },
    { "rmod_scalar", "Mod", onnx__put_mod },
    { "block_grad", "Identity", onnx__put_identity }, { "dropout", "Identity", onnx__put_dropout },
    { "make_loss", "Identity", onnx__put_identity }, { "activation", "", onnx__put_activation },
        { "leaky_relu", "", onnx__put_leaky },
    { "clip", "Clip", onnx__put_clip }, { "hard_sigmoid", "HardSigmoid", onnx__put_hard_sigmoid },
    { "softmax", "Softmax", onnx__put_softmax }, { "log_softmax", "LogSoftmax", onnx__put_softmax },
    { "sum", "ReduceSum", onnx__put_reduce }, { "mean", "ReduceMean", onnx__put_reduce },
        { "max", "ReduceMax", onnx__put_reduce },
    { "min", "ReduceMin", onnx__put_reduce }, { "prod", "ReduceProd", onnx__put_reduce },
    { "fully_connected", "Gemm", onnx__put_dense }, { "convolution", "Conv", onnx__put_conv },
    { "im2col", "Gather", onnx__put_im2col }, { "col2im", "Col2Im", onnx__put_col2im },
    { "deformable_convolution", "DeformConv", onnx__put_deform_conv },
    { "deconvolution", "ConvTranspose", onnx__put_conv }, { "pooling", "", onnx__put_pooling },
    { "batch_norm", "BatchNormalization", onnx__put_batch_norm },
        { "layer_norm", "LayerNormalization", onnx__put_norm },
    { "instance_norm", "InstanceNormalization", onnx__put_norm }, { "lrn", "LRN", onnx__put_lrn },
    { "reshape", "Reshape", onnx__put_reshape }, { "reshape_like", "Reshape", onnx__put_reshape },
    { "expand_dims", "Reshape", onnx__put_reshape }, { "squeeze", "Reshape", onnx__put_reshape },
    { "flatten", "Flatten", onnx__put_flatten }, { "transpose", "Transpose", onnx__put_transpose },
    { "swap_axes", "Transpose", onnx__put_transpose }, { "concat", "Concat", onnx__put_list },
        { "stack", "Concat", onnx__put_list }, { "extend", "Concat", onnx__put_list },
    { "add_n", "Sum", onnx__put_list }, { "slice", "Slice", onnx__put_slice },
        { "slice_axis", "Slice", onnx__put_slice },
    { "split", "Split", onnx__put_split }, { "split_v2", "Split", onnx__put_split },
        { "broadcast_to", "Expand", onnx__put_expand },
    { "broadcast_axis", "Expand", onnx__put_expand }, { "broadcast_like", "Expand", onnx__put_expand },
        { "tile", "Tile", onnx__put_tile },
    { "pad", "Pad", onnx__put_pad }, { "dot", "MatMul", onnx__put_product },
        { "batch_dot", "MatMul", onnx__put_product }, { "attention", "MatMul", onnx__put_attention },
    { "linalg_gemm2", "MatMul", onnx__put_product }, { "embedding", "Gather", onnx__put_gather },
        { "take", "Gather", onnx__put_gather },
    { "cast", "Cast", onnx__put_cast }, { "amp_cast", "Cast", onnx__put_cast },
        { "where", "Where", onnx__put_where },
        { "argmax", "ArgMax", onnx__put_arg },
    { "matmul_nbits", "MatMulNBits", onnx__put_matmul_nbits },
    { "logical_and", "And", onnx__put_logic }, { "logical_or", "Or", onnx__put_logic },
        { "logical_xor", "Xor", onnx__put_logic },
    { "int8_dense", "Gemm", onnx__put_int8 }, { "int8_convolution", "Conv", onnx__put_int8 },
    { "int8_table", "Gather", onnx__put_int8_table }, { "int8_add", "Add", onnx__put_int8_add },
    { "argmin", "ArgMin", onnx__put_arg }, { "upsampling", "Resize", onnx__put_upsampling },
    { "_zeros", "0", onnx__put_constant }, { "zeros_like", "0", onnx__put_constant },
        { "_ones", "1", onnx__put_constant },
    { "ones_like", "1", onnx__put_constant }, { "_full", "full", onnx__put_constant },
        { "_arange", "emit", onnx__put_constant },
    { "_eye", "emit", onnx__put_constant }, { "_linspace", "emit", onnx__put_constant },
        { "rnn", "", onnx__put_rnn } };

/* --- the whole --- */
/* Is input k of the node a weight or a scale of int8? */
static int onnx__is_laid(const hy_node *node, int k)
{
    return node->kind == HY_NODE_OP && (k == 1 || k == 2) &&
        (!strcmp(node->op->name, "int8_dense") || !strcmp(node->op->name, "int8_convolution"));
}

/* The values of those weights that operators make of what is stored. */
static void onnx__make_laid(onnx__writer *W, const unsigned char *wanted)
{
    hy_frame *S = hy_symbolic(W->F);
    hy_array *heads = S ? hy_compose(S, W->graph, 0, NULL, NULL) : NULL, *inner, **at, *y;
    hy_graph *all, *picked;
    hy_import_opt opt;
    hy_block *block;
    const char *name;
    int i, n = 0, count, output, open = 0;
    memset(&opt, 0, sizeof opt);
    opt.ignore_extra = 1;
    inner = heads ? hy_internals(S, heads) : NULL;
    all = inner ? hy_compile(S, inner) : NULL;
    count = hy_graph_heads(all);
    at = ONNX__ROOM(&W->names, hy_array *, count + 1);
    for (i = 0; at && i < count; i++)
        if (wanted[hy_graph_head(all, i, &output)] && !output) at[n++] = hy_get(S, inner, i);
    picked = n ? hy_compile(S, hy_group_of(S, n, at)) : NULL;
    for (i = 0; picked && (name = hy_graph_name(picked, HY_NAMES_INPUTS, i)) != NULL; i++)
        open |= !onnx__value_of(W, name);
    block = picked && !open ? hy_import_from(W->F, picked, &W->values, &opt) : NULL;
    y = block ? hy_call(W->F, block, NULL) : NULL;
    for (i = 0, n = 0; y && i < count; i++) {
        const int node = hy_graph_head(all, i, &output);
        if (wanted[node] && !output) W->made[node] = hy_count(W->F, y) ? hy_get(W->F, y, n++) : y;
    }
    hy_block_free(W->F, block);
    hy_graph_free(W->F, picked);
    hy_graph_free(W->F, all);
    if (S && hy_error(S)) hy_raise(W->F, hy_error_code(S), hy_error(S));
    hy_clear(S);
    hy_close(S);
}

/* What is there for weights of int8 alone, and their values. */
static void onnx__find_laid(onnx__writer *W)
{
    const int count = hy_graph_count(W->graph);
    unsigned char *laid = ONNX__ROOM(&W->names, unsigned char, count + 1);
    unsigned char *needed = ONNX__ROOM(&W->names, unsigned char, count + 1);
    unsigned char *wanted = ONNX__ROOM(&W->names, unsigned char, count + 1);
    hy_node node;
    int i, k, output = 0, some = 0;
    W->made = ONNX__ROOM(&W->names, hy_array *, count + 1);
    if (!laid || !needed || !wanted || !W->made) return;
    memset(laid, 0, (size_t)count + 1);
    memset(needed, 0, (size_t)count + 1);
    memset(wanted, 0, (size_t)count + 1);
    memset(W->made, 0, sizeof *W->made * ((size_t)count + 1));
    for (i = 0; i < hy_graph_heads(W->graph); i++) needed[hy_graph_head(W->graph, i, &output)] = 1;
    for (i = count - 1; i >= 0; i--) {          /* users stand behind what they use */
        if (hy_graph_node(W->graph, i, &node)) continue;
        laid[i] &= !needed[i];
        for (k = 0; k < node.inputs; k++) {
            const int from = hy_graph_input(W->graph, i, k, &output);
            hy_node maker;
            if (from < 0 || hy_graph_node(W->graph, from, &maker)) continue;
            if (laid[i] || onnx__is_laid(&node, k)) laid[from] = 1;
            else needed[from] = 1;
            if (!onnx__is_laid(&node, k) || maker.kind != HY_NODE_OP || output) continue;
            wanted[from] = 1;
            some = 1;
        }
    }
    W->laid = laid;
    if (some) onnx__make_laid(W, wanted);
}

/* Types of all values, from those of inputs and parameters. */
static void onnx__find_types(onnx__writer *W, hy_block *reader, hy_array *inputs)
{
    hy_frame *S = hy_symbolic(W->F);
    hy_array *heads = S ? hy_compose(S, W->graph, 0, NULL, NULL) : NULL;
    hy_graph *all = heads ? hy_compile(S, hy_internals(S, heads)) : NULL;
    hy_type *in, *out;
    const char *name;
    hy_node node;
    int i, k, n = 0, m = 0, count = hy_graph_count(W->graph);
    if (S && hy_error(S)) hy_raise(W->F, hy_error_code(S), hy_error(S));
    hy_clear(S);
    hy_close(S);
    W->first = ONNX__ROOM(&W->names, int, count + 1);
    W->name = ONNX__ROOM(&W->names, const char *, count + 1);
    for (i = 0; W->first && W->name && !hy_graph_node(W->graph, i, &node); i++) {
        W->first[i] = n;
        n += node.outputs;
        W->name[i] = onnx__find(&W->names, 0, node.name) < 0 ? node.name : onnx__made_up(W, node.name);
        onnx__new_slot(&W->names, 0, W->name[i]);       /* these names are taken */
    }
    W->type = ONNX__ROOM(&W->names, hy_type, n + 1);
    in = ONNX__ROOM(&W->names, hy_type, count + 1);
    out = ONNX__ROOM(&W->names, hy_type, n + 1);
    if (!all || !W->first || !W->name || !out || W->names.failed) { hy_graph_free(W->F, all); return; }
    for (i = 0; !hy_graph_node(W->graph, i, &node); i++) {
        hy_array *x = node.kind == HY_NODE_OP ? NULL : onnx__value_of(W, node.name);
        if (node.kind == HY_NODE_OP) continue;
        for (k = 0; !x && (name = hy_input_name(W->F, reader, k)) != NULL; k++)
            if (!strcmp(name, node.name)) x = hy_get(W->F, inputs, k);
        in[m].dtype = x ? hy_dtype_of(W->F, x) : HY_DTYPE_NONE;
        if (x) in[m].shape = hy_shape_of(W->F, x);
        else in[m].shape.ndim = -1;
        m++;
    }
    hy_graph_infer(W->F, all, in, out);
    for (i = 0; i < hy_graph_heads(all); i++) {
        int output, at = hy_graph_head(all, i, &output);
        W->type[W->first[at] + output] = out[i];
    }
    hy_graph_free(W->F, all);
}

static void onnx__put_value_info(onnx__writer *W, int field, const char *name, const hy_type *type)
{
    onnx__buffer *shape = &W->attr, *dim = &W->part, *t = &W->node;
    onnx__buffer tensor = { NULL, 0, 0, 0 };
    int i;
    for (i = 0; i < type->shape.ndim; i++) {
        onnx__write_int(dim, 1, type->shape.dim[i]);
        onnx__write_message(shape, 1, dim);
    }
    onnx__write_int(&tensor, 1, onnx__kind_of(type->dtype));
    onnx__write_message(&tensor, 2, shape);
    onnx__write_message(dim, 1, &tensor);       /* TypeProto */
    onnx__write_text(t, 1, name);
    onnx__write_message(t, 2, dim);
    onnx__write_message(&W->body, field, t);
    HY_ONNX_FREE(tensor.at);
}

static void onnx__put_nodes(onnx__writer *W)
{
    size_t k;
    for (W->at = 0; !hy_graph_node(W->graph, W->at, &W->now) && !hy_error(W->F); W->at++) {
        hy_array *x = W->now.kind == HY_NODE_OP ? NULL : onnx__value_of(W, W->now.name);
        if (W->laid && W->laid[W->at] && (W->now.kind == HY_NODE_OP || x)) continue;
        if (W->now.kind != HY_NODE_OP) {
            size_t bytes = x ? (size_t)hy_size(W->F, x) * hy_dtype_size(hy_dtype_of(W->F, x)) : 0;
            if (x) onnx__put_tensor(W, 5, &W->body, W->now.name, hy_dtype_of(W->F, x), hy_shape_of(W->F, x),
                                    bytes ? hy_data(W->F, x) : "", bytes);
            continue;
        }
        for (k = 0; k < sizeof onnx__ways / sizeof *onnx__ways; k++)
            if (!strcmp(onnx__ways[k].name, W->now.op->name)) break;
        if (k == sizeof onnx__ways / sizeof *onnx__ways) onnx__refused(W, "ONNX has no such operator");
        else {
            W->data = (W->now.inputs ? onnx__arg_type(W, 0) : onnx__result_type(W, 0))->dtype;
            onnx__ways[k].put(W, onnx__ways[k].op);
        }
        W->node.n = W->attr.n = 0;              /* what a refused one has begun */
    }
}

/* In the order in which the block takes them, also those that nothing uses. */
static void onnx__put_inputs(onnx__writer *W, hy_block *reader, hy_array *inputs)
{
    const char *name;
    int k;
    for (k = 0; (name = hy_input_name(W->F, reader, k)) != NULL; k++) {
        hy_array *x = hy_get(W->F, inputs, k);
        hy_type type;
        type.dtype = hy_dtype_of(W->F, x);
        type.shape = hy_shape_of(W->F, x);
        onnx__put_value_info(W, 11, *name ? name : onnx__made_up(W, "unused"), &type);
    }
}

static hy_array *onnx__put_model(onnx__writer *W, hy_block *reader, hy_array *inputs)
{
    onnx__buffer model = { NULL, 0, 0, 0 };
    hy_array *bytes = NULL;
    int i, output;
    onnx__put_inputs(W, reader, inputs);
    onnx__put_nodes(W);
    onnx__write_text(&W->body, 2, "hybrid");
    for (i = 0; i < hy_graph_heads(W->graph); i++) {
        int at = hy_graph_head(W->graph, i, &output);
        onnx__put_value_info(W, 12, onnx__value_name(W, at, output), &W->type[W->first[at] + output]);
    }
    onnx__write_int(&model, 1, W->opset < 15 ? 7 : 8);          /* versions of the file's form */
    onnx__write_text(&model, 2, "hybrid.h");
    onnx__write_text(&W->part, 1, "");
    onnx__write_int(&W->part, 2, W->opset);
    onnx__write_message(&model, 8, &W->part);
    if (W->microsoft) {
        onnx__write_text(&W->part, 1, "com.microsoft");
        onnx__write_int(&W->part, 2, 1);
        onnx__write_message(&model, 8, &W->part);
    }
    onnx__write_message(&model, 7, &W->body);
    if (onnx__refuse(W->F, &W->names, "what cannot be written")) (void)0;
    else if (model.failed) hy_raise(W->F, HY_ERROR_MEMORY, "onnx: out of memory");
    else bytes = hy_from(W->F, HY_SHAPE((int64_t)model.n), HY_U8, model.at);
    HY_ONNX_FREE(model.at);
    return bytes;
}

HY_API hy_array *hy_onnx_to(hy_frame *F, hy_block *block, hy_array *inputs, int opset)
{
    onnx__writer W;
    hy_array *text = NULL, *bytes = NULL;
    hy_block *reader;
    int named;
    if (!F || hy_error(F)) return NULL;
    if (!inputs) {
        hy_raise(F, HY_ERROR_ARGUMENT, "hy_onnx_to: the inputs are NULL: their shapes are written");
        return NULL;
    }
    memset(&W, 0, sizeof W);
    W.F = F;
    W.names.most = SIZE_MAX;
    W.opset = opset ? opset : 17;
    if (W.opset < 13 || W.opset > 22) {
        hy_raise(F, HY_ERROR_ARGUMENT, "hy_onnx_to: opsets 13 to 22 are written");
        return NULL;
    }
    named = hy_input_name(F, block, 0) != NULL;         /* what was read from a file keeps its names */
    if (!named) hy_clear(F);
    if (hy__program_to(F, block, named ? NULL : inputs, &text, &W.values, "hy_onnx_to")) return NULL;
    W.graph = hy_symbol_from(F, (const char *)hy_data(F, text), (size_t)hy_size(F, text));
    reader = hy_import_from(F, W.graph, &W.values, NULL);
    if (reader) onnx__find_types(&W, reader, inputs);
    if (reader) onnx__find_laid(&W);
    if (W.names.failed) hy_raise(F, HY_ERROR_MEMORY, "onnx: out of memory");
    if (reader && !hy_error(F)) bytes = onnx__put_model(&W, reader, inputs);
    hy_block_free(F, reader);
    hy_graph_free(F, W.graph);
    HY_ONNX_FREE(W.body.at);
    HY_ONNX_FREE(W.node.at);
    HY_ONNX_FREE(W.attr.at);
    HY_ONNX_FREE(W.part.at);
    onnx__release(W.names.memory);
    return bytes;
}

#ifndef HYBRID_NO_STDIO
HY_API int hy_onnx_save(hy_frame *F, hy_block *block, hy_array *inputs, const char *file, int opset)
{
    int failed;
    if (!F || hy_error(F)) return -1;
    if (!file) hy_raise(F, HY_ERROR_ARGUMENT, "hy_onnx_save: the name of the file is NULL");
    hy_begin(F);
    failed = hy_save_bytes(F, file, hy_onnx_to(F, block, inputs, opset));
    hy_end(F);
    return failed;
}
#endif
#endif /* HYBRID_ONNX_IMPLEMENTATION */
