/* hybrid.h's other half for C source: hy_export_c and the jit - public domain or MIT, as hybrid.h says
 *
 * hybrid.h includes this file at its end where HYBRID_SOURCE is defined. It uses what stands there; hybrid.h
 * uses nothing of it but what it declares itself: hy_export_c, and hy__jit_graph, which compiles a graph.
 *
 * INDEX. A room names only what stands above it.
 *     >>c_text      C as text: lines, loops        >>c_formulas  functions, formulas
 *     >>c_pointwise element by element, moves      >>c_products  products
 *     >>c_windows   convolution, pooling           >>c_lines     along axes: softmax, sums, norms
 *     >>c_indexing  sorting, indexing, sequences   >>c_images    images, boxes, regions
 *     >>c_layers    recurrence, attention          >>c_control   loops, branches, int8; who writes what
 *     >>source      programs as C source           >>jit         and as machine code
 */
#if HYBRID_VERSION != 400
#error "tools/source.h is of hybrid.h 0.4.0: take both from one version"
#endif
HY__COLD_ROOMS

/* MARK: - 79 >>c_text ----------------------------------------------------------------------------------
 *
 * C source as text: lines and literals, functions that a file gets when something in it names them, loops and
 * where they read.
 */
enum { HY__C_LANES = 32, HY__C_LONE_LANES = 64, HY__C_ROWS = 4, HY__C_DIMS = 2 * HY_MAX_DIM, HY__C_TEXT = 256,
       HY__C_LINE = 4096, HY__C_COLUMNS = 110, HY__C_NUMBER = 56 };

typedef struct hy__c hy__c;
typedef struct hy__c_step hy__c_step;
typedef void (*hy__c_fn)(hy__c *c, const hy__c_step *s);

typedef struct hy__c_value {            /* an output of a node */
    const hy_type *type;
    int    where, index;                /* HY__AT_...; which input, head or blob it is */
    int    root;                        /* the value whose memory it shares, or itself */
    int    from, to;                    /* steps it lives in */
    int    varies, reads;               /* from turn to turn; HY__C_EARLY and HY__C_LATE: who reads it */
    size_t offset;
} hy__c_value;
enum { HY__C_EARLY = 1, HY__C_LATE = 2 };               /* steps that are the same in all turns; others */

/* Weights as they are, or (lanes) in the order in which a product reads them: matrices, and for each of them
 * panels of so many columns, row after row. As they are, a column's rows lie side by side, or in two parts,
 * of which the second counts to `split`. */
typedef struct hy__c_part { int64_t start, rows, columns, lanes; } hy__c_part;      /* a matrix in a blob */
typedef struct hy__c_blob {
    const char *name;
    hy_tensor   from;
    int64_t     n, split, step_s;
    hy__c_part  all, *part;             /* matrices one behind the other, or each in its place among others */
    int         parts;
    size_t      offset;                 /* in a file of weights */
} hy__c_blob;

/* out[i] = in[base + sum of place * step], the innermost place first; (inverse) the other way round; (table)
 * by a list of indices. With several inputs, those that give something are inverse. */
typedef struct hy__c_map {
    int     dims, inverse, *table;
    int64_t base, n[HY__C_DIMS], step[HY__C_DIMS];
    double  fill;                       /* what stands where nothing comes */
} hy__c_map;

struct hy__c_step {
    const hy__node *node;
    const char *name;
    hy__c_fn  emit;
    const hy__node *tail;               /* what is done to results on their way out, or NULL */
    int       place, tail_at;           /* of the node; which input of the tail they are */
    int       y;                        /* the value of output 0 */
    int       packed;                   /* the blob that stands for input 1, or -1 */
    int       whole, tails;             /* halves are read as they are; it may have a tail */
    int       body, faults;             /* the first of its own, or 0; it may meet bad data */
    char     *takes;                    /* per input, input of the tail and result: is it a parameter? */
    size_t    scratch, halves, scratch_at;      /* its own, then f16 and bf16 in floats */
    hy__c_map *map;                     /* per output and input that gives elements, and of what none gives */
    int       gives;                    /* so many inputs give elements */
};

/* A program: the whole, or a body of control flow, which becomes functions of its own. */
typedef struct hy__c_body {
    hy_graph *g;
    int      *first, *uses;             /* by place, by value */
    hy__c_value *value;
    hy__c_step *step;
    const char **name, **var;           /* by place: of steps and inputs; by variable */
    int       values, steps;
    size_t    arena;
    const hy__node *of;                 /* whose body it is; the whole has none */
    int       outer, vary;              /* where that stands; variables that turns change, -1: no turns */
    int       early, faults;            /* so many steps, the first, are the same in all turns; some fault */
    const char *before, *turn;          /* its functions: of these, of the rest */
} hy__c_body;

/* THE LOOP DESCRIPTOR. What an operator does is a nest of loops: at each place of the result it goes through
 * some taps. Axes are letters, whose sizes are told first; each array is said by the letters of its dims, as
 * for einsum, so that where it is read is the sum of letter * step. y = x w', say:
 *
 *     hy__c_sizes(c, "ijk", rows, columns, depth);
 *     hy__c_nest_of(c, "ij.k", "ij", "ik", "jk");         places and, behind the dot, taps; then y, x0, x1
 *     hy__w(c, "%P {\ndouble sum = 0;\n%K sum += %0 * %1;\n%y = sum;\n}\n");
 *
 * The formulas of start, each tap, join and end stand in that text. %P opens the loops of all places, %K
 * those of all taps, as often as there are passes; %0, %1, ... and %y are the arrays where they are read, as
 * "x0[i * 8 + k]". A letter that is no loop is a term: its name is a number that the formula makes, as fh in
 * "fh = h * 2 + kh - 1". A span is a tap that goes from one such number to another. A bound is a term of a
 * place and a tap, place * stride + tap * dilate - pad: %B makes these numbers and leaves out taps that lie
 * beside the array. */
enum { HY__C_PLACE, HY__C_TAP, HY__C_TERM, HY__C_BOUND };
enum { HY__C_OUT = HY__FUSED_INPUTS, HY__C_ARRAYS, HY__C_AXES = HY__C_DIMS + 8, HY__C_LETTERS = 128 };
typedef struct hy__c_axis {
    const char *name, *from, *to;       /* from NULL: from 0; to NULL: to n; of a bound: place and tap */
    int     kind;
    int64_t stride, dilate, pad;        /* of a bound */
    int64_t n, step[HY__C_ARRAYS];
} hy__c_axis;
typedef struct hy__c_nest {
    const char *name[HY__C_ARRAYS];
    hy__c_axis  axis[HY__C_AXES];
    int         axes;
} hy__c_nest;
typedef struct hy__c_letter { char itself[2]; const char *name; int64_t size; } hy__c_letter;

enum { HY__C_MOST_HELPERS = 112 };
struct hy__c {
    hy_frame *F;
    hy__target *t;
    const char *prefix, *upper, *title;
    int       separate, records;        /* weights are another file; with recorded inputs and outputs */
    int       callable;                 /* by a list of pointers alone; 1 + how many of them are inputs */
    char      line[HY__C_LINE];
    int       letters, depth, goes_on;  /* of this line; braces that are open; the line before has no end */
    int       begun, items;             /* a part of this line is written already; of a list */
    unsigned  hidden;                   /* a bit for each choice that is open: is its text left out? */
    const hy__c_step *step;             /* whose lines are written */
    hy__c_step *learns;                 /* about this one: what do its lines name? Or NULL */
    char      named[16];                /* the word that is written, ... */
    int       spelled;                  /* ... so many letters of it */
    size_t    scratch;                  /* bytes that the operator works in, which its emitter says */
    char      needs[HY__C_MOST_HELPERS];        /* those that something asked for */
    hy_dtype  real;                     /* of numbers in the formula that is written */
    hy__c_nest nest;                    /* the loops that are written */
    hy__c_letter letter[HY__C_LETTERS]; /* its axes */
    const char *word[2];                /* %a and %b */
    hy__c_body *at, **body;             /* the program that is written now; all, inner behind outer ones */
    int       bodies, blobs;
    hy__names taken;
    struct hy__c_held *held;            /* all memory that goes at the end */
    hy__c_blob *blob;
    size_t    weights;
    hy_array *const *in;                /* what was recorded, ... */
    hy_array **out;                     /* ... and what came out */
};

/* The memory is zeroed and goes with the program. Where there is none, that is said already and NULL comes
 * back. */
struct hy__c_held { struct hy__c_held *next; double pad[7]; };
static void *hy__c_alloc(hy__c *c, size_t bytes)
{
    struct hy__c_held *room;
    room = (struct hy__c_held *)hy__alloc_zero(&c->F->root->heap, sizeof *room + bytes + 1);
    if (!room) return hy__no_memory(c->F, "hy_export_c");
    room->next = c->held;
    c->held = room;
    return room + 1;
}

/* Makes room for one more behind the first n. */
static int hy__c_grow(hy__c *c, void *list, int n, size_t each)
{
    void *old, *more;
    if (n & (n - 1)) return 0;          /* there is room for the next power of two */
    memcpy(&old, list, sizeof old);
    more = hy__c_alloc(c, 2 * (size_t)(n ? n : 1) * each);
    if (!more) return -1;
    if (n) memcpy(more, old, (size_t)n * each);
    memcpy(list, &more, sizeof more);
    return 0;
}

static char *hy__c_joined(hy__c *c, const char *a, const char *b)
{
    char *text = (char *)hy__c_alloc(c, strlen(a) + strlen(b) + 12);   /* 12: for the number of a name */
    return text ? strcat(strcpy(text, a), b) : NULL;
}

/* --- text --- *
 * %s text  %d int  %l int64  %v number as a literal of the current type  %t type in C  %r the current one
 * %p prefix  %u PREFIX  %a %b the words  %fi an int64, to which i counts: for (int i = 0; i < 10; i++)
 * %o the name of output int  %( begins a list  %, a comma before all items of it but the first
 * %<A%|B%> A if an int is not 0, else B, or nothing  %[x%] a real number x as one of the current type
 * %Fexp the function for that type  %{eps} the attribute of the operator  %p_NAME names a function of ours
 * $i the size of letter i  @i the loop of letter i  @i:k the same, to the size of letter k
 * of the nest: %P loops of places  %K loops of taps  %B bounds  %0 %1 %y arrays where they are read
 */
static const char *hy__c_type(hy_dtype dtype)
{
    static const char *const names[HY_DTYPE_COUNT] = {
        "void", "float", "double", "uint16_t", "uint16_t", "int8_t", "uint8_t", "int32_t", "int64_t",
        "uint8_t"
    };
    return names[dtype];
}

/* The type of a variable: an int for small ones, or compilers warn of comparing unsigned ones with 0. */
static const char *hy__c_local(hy_dtype dtype)
{
    return dtype == HY_U8 || dtype == HY_BOOL ? "int" : hy__c_type(dtype);
}

static int hy__c_is_half(hy_dtype dtype) { return dtype == HY_F16 || dtype == HY_BF16; }
static hy_dtype hy__c_wide(hy_dtype dtype) { return hy__c_is_half(dtype) ? HY_F32 : dtype; }

/* Writes a literal. Negative ones stand in brackets, so that any operator may stand before them. */
static const char *hy__c_number(char *to, double v, hy_dtype dtype)
{
    int single = dtype == HY_F32 || hy__c_is_half(dtype), below = v < 0 || (v == 0 && 1 / v < 0), n;
    if (single) v = (float)v;
    if (v != v || v == HUGE_VAL || v == -HUGE_VAL)
        return strcpy(to, v != v ? "NAN" : v > 0 ? "INFINITY" : "(-INFINITY)");
    if (below) *to = '(';
    n = below;
    n += single ? hy__text_float(to + n, (float)v, HY__AS_F32, 1e-4) : hy__text_f64(to + n, v);
    if (!hy__floating(dtype) && !memcmp(to + n - 2, ".0", 2)) n -= 2;
    if (single) to[n++] = 'f';
    if (below) to[n++] = ')';
    to[n] = 0;
    return to;
}

/* Drops steps of 1 and places of 0: "(i + 0) * 64 + k * 1" becomes "i * 64 + k". Returns how many letters at
 * s go; `keep`, if not 0, is written in their place. */
static int hy__c_is_noise(const char *s, int left, char before, char *keep)
{
    static const char *const nothing[] = { " * 1", " / 1", " + 0", " - 0" };
    const char *next = s + 4;
    int k;
    *keep = 0;
    if (left > 7 && !memcmp(s + 2, " + 0)", 5) && *s == '(' && strchr("([ ", before)) return *keep = s[1], 7;
    if (left > 5 && (*s == '[' || *s == '(') && !memcmp(s + 1, "0 + ", 4)) return *keep = *s, 5;
    for (k = 0; k < 4 && left > 4; k++)
        if (!memcmp(s, nothing[k], 4))
            return strchr(")];,", *next) ||
                   (left > 6 && *next == ' ' && strchr(k > 1 ? "+<" : "+-<", next[1])) ? 4 : 0;
    return 0;
}

static void hy__c_simplify(hy__c *c)
{
    int i, n, to = 0;
    char keep;
    for (i = 0; i < c->letters; i += n ? n : 1) {
        n = hy__c_is_noise(c->line + i, c->letters - i, to ? c->line[to - 1] : ' ', &keep);
        if (!n) keep = c->line[i];
        if (keep) c->line[to++] = keep;
    }
    c->letters = to;
}

static const char hy__c_spaces[] = "                                    ";

/* A long line is written as several, of which each but the last ends in a comma. */
static void hy__c_put_folded(hy__target *t, const char *s, int n, int deep)
{
    int i, indent = 4 * (deep < 8 ? deep : 8);
    int plain = *s != '#' && *s != '/' && !memchr(s, '"', (size_t)n);
    while (plain && n > HY__C_COLUMNS - indent) {
        for (i = HY__C_COLUMNS - indent; i > 1 && (s[i - 1] != ' ' || s[i - 2] != ','); i--) continue;
        if (i < 2) break;
        hy__put_bytes(t, s, (size_t)i - 1);
        hy__put_bytes(t, "\n", 1);
        hy__put_bytes(t, hy__c_spaces, (size_t)indent + 4);
        s += i;
        n -= i;
    }
    hy__put_bytes(t, s, (size_t)n);
    hy__put_bytes(t, "\n", 1);
}

static int hy__c_opened(const char *s, int n)
{
    int i, open = 0;
    for (i = 0; i < n; i++) open += (s[i] == '{') - (s[i] == '}');
    return open;
}

/* Text goes out line by line, each as far to the right as braces are open. */
static void hy__c_line(hy__c *c)
{
    const char *s = c->line;
    int n, deep = c->depth, open;
    hy__c_simplify(c);
    n = c->letters;
    while (n && *s == ' ' && !c->begun) { s++; n--; }
    open = hy__c_opened(s, n);
    if (c->begun) deep = c->begun = 0;
    else if (n && *s == '}') deep--;
    else if (c->goes_on && n && *s != '{') deep++;
    if (n && *s != '#' && deep > 0) hy__put_bytes(c->t, hy__c_spaces, (size_t)(deep < 8 ? 4 * deep : 32));
    if (n > 1 && *s == '*' && s[1] == ' ') hy__put_bytes(c->t, " ", 1);
    hy__c_put_folded(c->t, s, n, deep > 0 ? deep : 0);
    c->depth += open;
    c->goes_on = n > 6 && c->depth > 0 && !strchr(";{}:/,", s[n - 1]) && *s != '#' && memcmp(s + n - 6,
                                                                                             "_APART", 6);
    c->letters = 0;
}

static int hy__c_in_name(char c)
{
    return ((c | 32) >= 'a' && (c | 32) <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Reads along while a step is learned about: x0, x1, ... are its inputs, z0, z1, ... those of its tail. */
static void hy__c_notice(hy__c *c, char letter)
{
    hy__c_step *s = c->learns;
    const char *digits = c->named + 1;
    int k;
    if (hy__c_in_name(letter)) {
        if (c->spelled < (int)sizeof c->named - 1) c->named[c->spelled++] = letter;
        return;
    }
    c->named[c->spelled] = 0;
    if (!strcmp(c->named, "fault")) s->faults = 1;
    if (c->spelled > 1 && strchr("xz", *c->named) && !digits[strspn(digits, "0123456789")]) {
        k = atoi(digits) + (*c->named == 'z' ? s->node->nin : 0);
        if (k < s->node->nin + (s->tail ? s->tail->nin : 0)) s->takes[k] = 1;
    }
    c->spelled = 0;
}

static void hy__c_put(hy__c *c, const char *s, size_t n)
{
    for (; n && !c->hidden; n--, s++) {
        if (c->learns) hy__c_notice(c, *s);
        if (*s == '\n') { hy__c_line(c); continue; }
        if (c->letters == HY__C_LINE) {         /* a very long one comes in parts, as it is */
            hy__put_bytes(c->t, c->line, (size_t)c->letters);
            c->depth += hy__c_opened(c->line, c->letters);
            c->letters = 0;
            c->begun = 1;
        }
        c->line[c->letters++] = *s;
    }
}

/* The text goes to memory of the caller's, and is cut when that is full. */
static const char *hy__c_text(char *to, const char *format, ...)
{
    hy__line line = hy__line_open(to, HY__C_TEXT);
    va_list args;
    va_start(args, format);
    hy__format(&line, format, args);
    va_end(args);
    return to;
}

static void hy__c_puts(hy__c *c, const char *format, ...)
{
    char text[HY__C_TEXT];
    hy__line line = hy__line_open(text, HY__C_TEXT);
    va_list args;
    va_start(args, format);
    hy__format(&line, format, args);
    va_end(args);
    hy__c_put(c, text, line.n);
}

/* --- nests --- */
static const char *const hy__c_counters[HY__C_DIMS] = {
    "i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8", "i9", "i10", "i11", "i12", "i13", "i14", "i15"
};
static void hy__c_nest_new(hy__c *c, const char *x0, const char *x1, const char *y0)
{
    memset(&c->nest, 0, sizeof c->nest);
    c->nest.name[0] = x0;
    c->nest.name[1] = x1;
    c->nest.name[HY__C_OUT] = y0;
}

static hy__c_axis *hy__c_axis_of(hy__c *c, int kind, const char *name, int64_t n, int64_t x0, int64_t x1,
                                 int64_t y0)
{
    hy__c_axis *a = &c->nest.axis[c->nest.axes++];
    a->kind = kind;
    a->name = name;
    a->n = n;
    a->step[0] = x0;
    a->step[1] = x1;
    a->step[HY__C_OUT] = y0;
    return a;
}
/* Says where array k is read, as "o * 12 + k". */
static const char *hy__c_where(const hy__c *c, char *to, int k)
{
    hy__line line = hy__line_open(to, HY__C_TEXT);
    int i;
    for (i = 0; i < c->nest.axes; i++) {
        const hy__c_axis *a = &c->nest.axis[i];
        if (!a->step[k] || a->n == 1) continue;
        hy__say(&line, line.n ? " + %s" : "%s", a->name);
        if (a->step[k] != 1) hy__say(&line, " * %l", a->step[k]);
    }
    if (!line.n) hy__puts(&line, "0");
    return to;
}

/* Writes the loops of one kind, two a line. */
static void hy__c_put_loops(hy__c *c, int kind)
{
    int i, n = 0;
    for (i = 0; i < c->nest.axes; i++) {
        const hy__c_axis *a = &c->nest.axis[i];
        char to[HY__C_NUMBER];
        if (a->kind != kind) continue;
        to[hy__text_i64(to, a->n)] = 0;
        hy__c_puts(c, "%sfor (int %s = %s; %s < %s; %s++)", !n ? "" : n % 2 ? " " : "\n", a->name,
                   a->from ? a->from : "0", a->name, a->to ? a->to : to, a->name);
        n++;
    }
}

/* Tells the sizes of letters, each of which must be an int64_t. */
static void hy__c_sizes(hy__c *c, const char *letters, ...)
{
    va_list args;
    va_start(args, letters);
    for (; *letters; letters++) c->letter[(int)*letters].size = va_arg(args, int64_t);
    va_end(args);
}

/* The axis of a letter, which is a term if it is no loop. */
static hy__c_axis *hy__c_axis_at(hy__c *c, int letter)
{
    hy__c_letter *l = &c->letter[letter];
    int i;
    l->itself[0] = (char)letter;
    if (!l->name) l->name = l->itself;
    for (i = 0; i < c->nest.axes; i++) if (!strcmp(c->nest.axis[i].name, l->name)) return &c->nest.axis[i];
    return hy__c_axis_of(c, HY__C_TERM, l->name, 0, 0, 0, 0);
}

/* Array k has these dims, the last of which are side by side; it is read at 0 of those whose name is "".
 * Before a colon stands another name than its own. */
static void hy__c_dims(hy__c *c, int k, const char *letters)
{
    const char *colon = letters ? strchr(letters, ':') : NULL;
    if (colon) c->nest.name[k] = letters;
    if (colon) letters = colon + 1;
    for (; letters && *letters; letters++) {
        const char *behind;
        int64_t step = 1;
        if (c->letter[(int)*letters].name && !*c->letter[(int)*letters].name) continue;
        for (behind = letters + 1; *behind; behind++) step *= c->letter[(int)*behind].size;
        hy__c_axis_at(c, *letters)->step[k] = step;
    }
}

static void hy__c_nest_of(hy__c *c, const char *loops, const char *y0, const char *x0, const char *x1)
{
    int kind = HY__C_PLACE;
    hy__c_nest_new(c, "x0", "x1", "y0");
    for (; *loops; loops++) {
        hy__c_axis *a = *loops == '.' ? NULL : hy__c_axis_at(c, *loops);
        if (!a) { kind = HY__C_TAP; continue; }
        a->kind = kind;
        a->n = c->letter[(int)*loops].size;
    }
    hy__c_dims(c, HY__C_OUT, y0);
    hy__c_dims(c, 0, x0);
    hy__c_dims(c, 1, x1);
}

static void hy__c_put_bounds(hy__c *c)
{
    int i;
    for (i = 0; i < c->nest.axes; i++) {
        const hy__c_axis *a = &c->nest.axis[i];
        if (a->kind != HY__C_BOUND) continue;
        hy__c_puts(c, "const int %s = %s * %l + %s * %l - %l;\nif (%s < 0 || %s >= %l) continue;\n", a->name,
                   a->from, a->stride, a->to, a->dilate, a->pad, a->name, a->name, a->n);
    }
}

static void hy__c_put_array(hy__c *c, int k)
{
    char at[HY__C_TEXT];
    hy__c_put(c, c->nest.name[k], strcspn(c->nest.name[k], ":"));
    hy__c_puts(c, "[%s]", hy__c_where(c, at, k));
}

static void hy__c_put_loop(hy__c *c, const char *name, size_t n, int64_t to)
{
    char plain[8];
    memcpy(plain, name, n);
    plain[n] = 0;
    hy__c_puts(c, "for (int %s = 0; %s < %l; %s++)", plain, plain, to, plain);
}

/* --- helpers: functions that a file has when something in it asks for them --- *
 * Most are functions of hybrid.h, which keeps their text. Those of floats have no branches: compilers make
 * vector code of loops of them. These here are there as text only; no args: libm's. */
#define HY__C_HELPER(type, fn, args, ...) HY__KEPT(fn, #type, #args, #__VA_ARGS__)
HY__KEPT(hy__sqrt, "double", NULL, NULL)
HY__KEPT(hy__sqrtf, "float", NULL, NULL)
HY__C_HELPER(double, hy__sigmoid, (double x), { return 1 / (1 + exp(-x)); })
HY__C_HELPER(double, hy__softrelu, (double x), { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); })
HY__C_HELPER(double, hy__mish, (double x), { return x * tanh(hy__softrelu(x)); })
HY__C_HELPER(double, hy__gelu, (double x), { return 0.5 * x * (1 + erf(x * 0.7071067811865476)); })
HY__C_HELPER(float, hy__mod_f32, (float a, float b),
{
    const float r = b != 0 ? fmodf(a, b) : 0;
    if (r == 0) return b != 0 ? copysignf(r, b) : r;
    return (r < 0) != (b < 0) ? r + b : r;
})
HY__C_HELPER(int64_t, hy__index_due, (double x, int64_t n, int mode, int *fault),
{
    const int64_t at = hy__index_place(hy__to_i64(x), n, mode);
    if (at < 0) *fault = 1;
    return at < 0 ? 0 : at;
})
HY__C_HELPER(int64_t, hy__place_due, (double x, int64_t n, int *fault),
{
    const int64_t i = x == x ? hy__to_i64(x) : INT64_MAX, at = i < 0 ? i + n : i;
    if (at >= 0 && at <= n) return at;
    *fault = 1;
    return 0;
})
/* does a stand behind b, in rising order? NaN is the largest */
HY__C_HELPER(int, hy__after, (double a, double b), { return a > b || (a != a && b == b); })

/* What one names stands above it. */
static const hy__told *const hy__c_helpers[] = {
#define HY__C_ROW(name) &hy__##name##_told
    HY__C_ROW(bits_f32), HY__C_ROW(f32_of_bits), HY__C_ROW(f16_to_f32), HY__C_ROW(f32_to_f16),
    HY__C_ROW(bf16_to_f32), HY__C_ROW(f32_to_bf16), HY__C_ROW(to_i64), HY__C_ROW(clamp_i64),
    HY__C_ROW(whole), HY__C_ROW(abs_f32), HY__C_ROW(copysign_f32), HY__C_ROW(clamp_f32),
    HY__C_ROW(within_f32), HY__C_ROW(at_most_f32), HY__C_ROW(sqrt), HY__C_ROW(sqrtf), HY__C_ROW(chop_f32),
    HY__C_ROW(trunc_f32), HY__C_ROW(floor_f32), HY__C_ROW(ceil_f32), HY__C_ROW(round_f32),
    HY__C_ROW(rint_down_f32), HY__C_ROW(round_even_f32), HY__C_ROW(expm1_small_f32),
    HY__C_ROW(exp_reduce_f32), HY__C_ROW(exp_parts_f32), HY__C_ROW(exp_scaled_f32), HY__C_ROW(exp_f32),
    HY__C_ROW(half_exp_f32), HY__C_ROW(exp_down_f32), HY__C_ROW(exp_join_f32), HY__C_ROW(exp_far_f32),
    HY__C_ROW(expm1_down_f32), HY__C_ROW(expm1_f32), HY__C_ROW(sigmoid_f32), HY__C_ROW(tanh_f32),
    HY__C_ROW(mish_f32), HY__C_ROW(sinh_f32), HY__C_ROW(cosh_f32), HY__C_ROW(erf_fall_f32),
    HY__C_ROW(erf_f32), HY__C_ROW(gelu_f32), HY__C_ROW(log_tail_f32), HY__C_ROW(log_join_f32),
    HY__C_ROW(log_bits_f32), HY__C_ROW(log_split_f32), HY__C_ROW(log_ends_f32), HY__C_ROW(log_f32),
    HY__C_ROW(log2_f32), HY__C_ROW(log10_f32), HY__C_ROW(log1p_f32), HY__C_ROW(softrelu_f32),
    HY__C_ROW(asinh_f32), HY__C_ROW(acosh_f32), HY__C_ROW(atanh_f32), HY__C_ROW(trig_reduce_f32),
    HY__C_ROW(sin_small_f32), HY__C_ROW(cos_small_f32), HY__C_ROW(sin_turned_f32), HY__C_ROW(sin_f32),
    HY__C_ROW(cos_f32), HY__C_ROW(tan_f32), HY__C_ROW(asin_small_f32), HY__C_ROW(asin_f32),
    HY__C_ROW(acos_f32), HY__C_ROW(atan_small_f32), HY__C_ROW(atan_f32), HY__C_ROW(rcbrt_normal_f32),
    HY__C_ROW(cbrt_f32), HY__C_ROW(sigmoid), HY__C_ROW(softrelu), HY__C_ROW(mish), HY__C_ROW(gelu),
    HY__C_ROW(mod_f32), HY__C_ROW(mod_f64), HY__C_ROW(rint_down), HY__C_ROW(round_even), HY__C_ROW(sin_pi),
    HY__C_ROW(digamma), HY__C_ROW(trigamma), HY__C_ROW(erfinv), HY__C_ROW(lcm_of), HY__C_ROW(div_int64_t),
    HY__C_ROW(mod_int64_t), HY__C_ROW(pow_int64_t), HY__C_ROW(hypot_int64_t), HY__C_ROW(index_place),
    HY__C_ROW(index_due), HY__C_ROW(place_due), HY__C_ROW(log_sum), HY__C_ROW(exchange),
    HY__C_ROW(eliminate), HY__C_ROW(cholesky), HY__C_ROW(part_between), HY__C_ROW(part_of_range),
    HY__C_ROW(triangle_solve), HY__C_ROW(vector_norm), HY__C_ROW(extreme_of), HY__C_ROW(length),
    HY__C_ROW(turn_pair), HY__C_ROW(make_orthogonal), HY__C_ROW(singular_values), HY__C_ROW(bring_near),
    HY__C_ROW(after),
#ifndef HYBRID_NO_INT8
    HY__C_ROW(nbits_at)
#endif
};
enum { HY__C_HELPERS = (int)(sizeof hy__c_helpers / sizeof *hy__c_helpers), HY__C_OURS = 4 };     /* "hy__" */
typedef char hy__c_helpers_fit[HY__C_HELPERS <= (int)HY__C_MOST_HELPERS ? 1 : -1];

/* Finds the helper of this name; -1 means that there is none. */
static int hy__c_helper_at(const char *name)
{
    int i;
    for (i = 0; i < HY__C_HELPERS; i++) if (!strcmp(hy__c_helpers[i]->name + HY__C_OURS, name)) return i;
    return -1;
}

/* Something is written that names a helper. */
static void hy__c_need(hy__c *c, const char *name)
{
    int at = c->hidden ? -1 : hy__c_helper_at(name);
    if (at >= 0) c->needs[at] = 1;
}

/* Reads an attribute of the operator by its name, so that one emitter serves operators that share it. Where
 * there is none of that name, the answer is `missing`. */
static double hy__c_attr(const hy__node *node, const char *name, double missing)
{
    const hy_attr *a = hy__attr_named(node->op, name);
    const void *field = a ? (const char *)node->record + a->offset : NULL;
    if (!a) return missing;
    return a->kind == HY_ATTR_real ? *(const double *)field : *(const int *)field;
}
static const char *hy__c_limit(hy_dtype whole, int largest)
{
    static const char *const limits[][2] = { { "-128", "127" }, { "0", "255" }, { "INT32_MIN", "INT32_MAX" },
                                             { "INT64_MIN", "INT64_MAX" }, { "0", "1" } };
    return limits[whole - HY_I8][largest];
}

/* A literal; the least one has none. */
static const char *hy__c_whole(char *to, int64_t v)
{
    to[hy__text_i64(to, v)] = 0;
    return v == INT64_MIN ? "INT64_MIN" : to;
}

/* What stands before and behind a real number that becomes one of the current type. */
static void hy__c_put_cast(hy__c *c, int opens)
{
    const int real = hy__floating(c->real), truth = c->real == HY_BOOL;
    if (!real && !truth) hy__c_need(c, "clamp_i64");
    if (!real && !truth) hy__c_need(c, "to_i64");
    if (opens) hy__c_puts(c, real ? "(%s)(" : truth ? "(" : "(%s)%s_clamp_i64(%s_to_i64(",
                          hy__c_type(c->real), c->prefix, c->prefix);
    else if (real || truth) hy__c_puts(c, real ? ")" : ") != 0");
    else hy__c_puts(c, "), %s, %s)", hy__c_limit(c->real, 0), hy__c_limit(c->real, 1));
}

/* A name of a function of reals or an attribute. */
static size_t hy__c_read_name(char *to, const char *from)
{
    size_t n = 0;
    while (hy__c_in_name(from[n])) n++;
    memcpy(to, from, n);
    to[n] = 0;
    return n;
}

/* A function for the current type, ours or libm's; and the number of an attribute as a literal. */
static void hy__c_put_function(hy__c *c, char *name)
{
    char *end = name + strlen(name);
    const int single = c->real == HY_F32;
    const char *const ends[] = { single ? "_f32" : "_f64", single ? "f" : "", "" };
    int i = 0, at;
    do memcpy(end, ends[i], strlen(ends[i]) + 1);
    while ((at = hy__c_helper_at(name)) < 0 && ++i < 3);
    if (at < 0) memcpy(end, ends[1], strlen(ends[1]) + 1);
    else if (single && i == 2) hy__c_puts(c, "(float)");        /* some are there in doubles only */
    hy__c_need(c, name);
    if (at >= 0 && hy__c_helpers[at]->args) hy__c_puts(c, "%s_", c->prefix);
    hy__c_puts(c, "%s", name);
}
static void hy__c_put_attr(hy__c *c, const char *name)
{
    char text[HY__C_NUMBER];
    const hy_attr *a = hy__attr_named(c->step->node->op, name);
    hy__c_puts(c, "%s", hy__c_number(text, hy__c_attr(c->step->node, name, 0),
                                     a->kind == HY_ATTR_real ? c->real : HY_I32));
}

static void hy__w(hy__c *c, const char *format, ...)
{
    char text[HY__C_TEXT];
    const char *s;
    va_list args;
    va_start(args, format);
    for (; *format; format++) {
        size_t n = strcspn(format, "%$@");
        hy__c_put(c, format, n);
        format += n;
        if (!*format) break;
        s = NULL;
        n = *format == '%' && strchr("fFp{", format[1]) ? hy__c_read_name(text, format + 2) : 0;
        if (*format == '$') s = text, text[hy__text_i64(text, c->letter[(int)*++format].size)] = 0;
        else if (*format == '@') {
            const char *name = ++format;
            if (format[1] == ':') format += 2;
            hy__c_put_loop(c, name, 1, c->letter[(int)*format].size);
        } else switch (*++format) {
        case 's': s = va_arg(args, const char *); break;
        case 'd': text[hy__text_i64(text, va_arg(args, int))] = 0; s = text; break;
        case 'l': s = hy__c_whole(text, va_arg(args, int64_t)); break;
        case 'v': s = hy__c_number(text, va_arg(args, double), c->real); break;
        case 't': s = hy__c_type((hy_dtype)va_arg(args, int)); break;
        case 'r': s = hy__c_type(c->real); break;
        case 'p':
            s = c->prefix;
            if (n > 1) hy__c_need(c, text + 1);
            break;
        case 'u': s = c->upper; break;
        case 'a': case 'b': s = c->word[*format - 'a']; break;
        case 'P': hy__c_put_loops(c, HY__C_PLACE); break;
        case 'K': hy__c_put_loops(c, HY__C_TAP); break;
        case 'B': hy__c_put_bounds(c); break;
        case 'y': hy__c_put_array(c, HY__C_OUT); break;
        case '(': s = "("; c->items = 0; break;
        case ',': s = c->items++ ? ", " : NULL; break;
        case '[': case ']': hy__c_put_cast(c, *format == '['); break;
        case '<': c->hidden = c->hidden << 1 | !va_arg(args, int); break;
        case '|': c->hidden ^= 1; break;
        case '>': c->hidden >>= 1; break;
        case 'o': s = hy__c_text(text, c->at->g->heads > 1 ? "out%d" : "out", va_arg(args, int)); break;
        case 'f': hy__c_put_loop(c, text, n, va_arg(args, int64_t)); format += n; break;
        case 'F': hy__c_put_function(c, text); format += n; break;
        case '{': hy__c_put_attr(c, text); format += n + 1; break;
        default:
            if (*format >= '0' && *format <= '9') hy__c_put_array(c, *format - '0');
            else hy__c_put(c, format, 1);
        }
        if (s) hy__c_put(c, s, strlen(s));
    }
    va_end(args);
}

/* MARK: - 80 >>c_formulas ------------------------------------------------------------------------------
 *
 * What each element becomes: the formulas of the catalogue as text, and what emitters ask of an operator.
 */
/* Writes the text of a function, in which names of ours get the prefix and are needed, too. Each statement
 * and each brace ends a line. */
static void hy__c_write_told(hy__c *c, const char *s)
{
    static const char *const words[][2] = { { "HY__F32_INF", "INFINITY" }, { "HY__F32_NAN", "NAN" },
        { "HY__ROUNDER", "12582912.0f" }, { "HY__ROUNDING", "2.220446049250313e-16" },
        { "HY__PI", "3.14159265358979324" }, { "HY_INDEX_CLIP", "0" }, { "HY_INDEX_WRAP", "1" },
        { "HY__INDEX_SIGNED", "3" } };
    char word[HY__C_TEXT];
    const int known = (int)(sizeof words / sizeof *words);
    size_t n;
    int i, deep = 0;
    for (; *s; s += n) {
        const int ours = !strncmp(s, "hy__", HY__C_OURS) ? (int)HY__C_OURS : 0;
        n = hy__c_read_name(word, s);
        i = n ? hy__c_helper_at(word + ours) : -1;
        if (i >= 0 && (ours || !hy__c_helpers[i]->args)) c->needs[i] = 1;
        for (i = 0; i < known && strcmp(word, words[i][0]); i++) continue;
        if (i < known || ours) hy__w(c, ours ? "%p_%s" : "%s", ours ? word + ours : words[i][1]);
        else hy__c_put(c, s, n += !n);
        deep += (*s == '(') - (*s == ')');
        if (!deep && strchr(";{}", *s)) hy__w(c, "\n");
    }
}

static void hy__c_write_helper(hy__c *c, const hy__told *h)
{
    c->word[0] = h->type;
    c->word[1] = h->name + HY__C_OURS;
    if (!h->args) hy__w(c, "#ifdef __GNUC__  /* nobody looks at errno: loops of it become vector code */\n"
                        "extern %a %b(%a) __attribute__((const));\n#endif\n");
    else {
        hy__w(c, "static inline %a %p_%b%s\n", h->args);
        hy__c_write_told(c, h->text);
    }
}

/* Writes what is needed; before, to nowhere, from the end on, what tells which others that names. */
static void hy__c_write_helpers(hy__c *c)
{
    hy__target *to = c->t, nowhere;
    int i, some = 0;
    memset(&nowhere, 0, sizeof nowhere);
    nowhere.F = c->F;
    c->t = &nowhere;
    for (i = HY__C_HELPERS - 1; i >= 0; i--) if (c->needs[i]) hy__c_write_helper(c, hy__c_helpers[i]);
    c->t = to;
    for (i = 0; i < HY__C_HELPERS; i++) {
        if (c->needs[i]) hy__c_write_helper(c, hy__c_helpers[i]);
        some |= c->needs[i];
    }
    hy__w(c, "%<\n%>", some);
}

/* --- formulas: those of the catalogue as text --- *
 * x, a, b, p0, p1 stand for operands, V__T and V__U for the type and an unsigned one, V__f for a function f.
 */
#define HY__C_UNARY(name, mxnet, kind, formula, grad, doc) #formula,
#define HY__C_BINARY(name, speed, saves, broadcast, more, same, old, scalar, old_scalar, formula, ...) \
    #formula,
#define HY__C_EXTRA(name, of, formula, doc) #formula,
static const char *const hy__c_unary[] = { HY_UNARY_OPS(HY__C_UNARY) };
static const char *const hy__c_extra[] = { HY__EXTRAS(HY__C_EXTRA) };
static const char *const hy__c_binary[] = { HY_BINARY_OPS(HY__C_BINARY) };

/* The words of formulas for reals, and for integers where those differ; @a, @b, @c are what they are given.
 * Others name a function: V_EXP(x) is V__exp(x). */
static const struct { const char *name, *real, *whole; } hy__c_words[] = {
    { "K", "((V__T)@a)", NULL },
    { "SEL", "((@a) ? @b : @c)", NULL },
    { "BOOL", "((@a) ? 1 : 0)", NULL },
    { "MAX", "(((@a > @b) | (@a != @a)) ? @a : @b)", "(@a > @b ? @a : @b)" },
    { "MIN", "(((@a < @b) | (@a != @a)) ? @a : @b)", "(@a < @b ? @a : @b)" },
    { "NEG", "(-@a)", "((V__T)(0 - (V__U)@a))" },
    { "ADD", "(@a + @b)", "((V__T)((V__U)@a + (V__U)@b))" },
    { "SUB", "(@a - @b)", "((V__T)((V__U)@a - (V__U)@b))" },
    { "MUL", "(@a * @b)", "((V__T)((V__U)@a * (V__U)@b))" },
    { "DIV", "(@a / @b)", "((V__T)V__div_int64_t(@a, @b))" },
    { "MOD", "V__mod(@a, @b)", "((V__T)V__mod_int64_t(@a, @b))" },
    { "POW", "V__pow(@a, @b)", "((V__T)V__pow_int64_t(@a, @b))" },
    { "HYPOT", "V__hypot(@a, @b)", "((V__T)V__hypot_int64_t(@a, @b))" },
    { "ATAN2", "V__atan2(@a, @b)", "((V__T)atan2((double)@a, (double)@b))" },
    { "ROUND", "V__round(@a)", "@a" },
    { "RINT", "V__rint_down(@a)", "@a" },
    { "EVEN", "V__round_even(@a)", "@a" },
    { "CEIL", "V__ceil(@a)", "@a" },
    { "FLOOR", "V__floor(@a)", "@a" },
    { "TRUNC", "V__trunc(@a)", "@a" },
    { "ABS", "V__fabs(@a)", NULL },
    { "GAMMA", "V__tgamma(@a)", NULL },
    { "GAMMALN", "V__lgamma(@a)", NULL }
};

/* Splits the text between brackets, which begins at s, into up to three parts, and says where it ends. */
static const char *hy__c_parts(const char *s, const char **from, const char **to)
{
    int deep = 0, n = 0;
    for (from[0] = s; ; s++) {
        if (!deep && (*s == ',' || *s == ')')) {
            to[n++] = s;
            if (*s == ')') return s + 1;
            from[n] = s + 2;
        }
        deep += (*s == '(') - (*s == ')');
    }
}

/* Writes a formula of the catalogue with its words spelled out; V_EXP(x) is V__exp(x). */
static void hy__c_spell(hy__line *to, const char *s, const char *end, int whole)
{
    const char *from[3], *until[3], *text;
    char own[32];
    while (s < end) {
        const char *word = s + 2;
        size_t n, i;
        if (strncmp(s, "V_", 2) || *word == '_') { hy__put(to, s++, 1); continue; }
        n = strcspn(word, "(");
        s = hy__c_parts(word + n + 1, from, until);
        memcpy(own, "V__", 3);
        for (i = 0; i < n; i++) own[3 + i] = (char)(word[i] | 32);
        memcpy(own + 3 + n, "(@a)", 5);
        text = own;
        for (i = 0; i < sizeof hy__c_words / sizeof *hy__c_words; i++)
            if (strlen(hy__c_words[i].name) == n && !memcmp(hy__c_words[i].name, word, n))
                text = whole && hy__c_words[i].whole ? hy__c_words[i].whole : hy__c_words[i].real;
        for (; *text; text++) {
            if (*text != '@') { hy__put(to, text, 1); continue; }
            text++;
            hy__c_spell(to, from[*text - 'a'], until[*text - 'a'], whole);
        }
    }
}

/* Writes what a name of the formula stands for: an operand, a type or a function. */
static void hy__c_word(hy__c *c, const char *word, size_t n, const char (*operand)[HY__C_TEXT],
                       const double *p)
{
    char name[32];
    if (n == 1 && strchr("xabc", *word)) { hy__w(c, "%s", operand[*word == 'x' ? 0 : *word - 'a']); return; }
    if (n == 2 && *word == 'p' && c->real == HY_I64) {
        const int64_t limit = hy__to_i64(p[word[1] - '0']);     /* no double: it would make one of x, too */
        hy__w(c, limit < 0 && limit != INT64_MIN ? "(%l)" : "%l", limit);
        return;
    }
    if (n == 2 && *word == 'p') { hy__w(c, "%v", p[word[1] - '0']); return; }
    if (n == 4 && !memcmp(word, "V__T", 4)) { hy__w(c, "%s", hy__c_type(c->real)); return; }
    if (n == 4 && !memcmp(word, "V__U", 4)) { hy__w(c, "uint64_t"); return; }
    if (n < 4 || n > 24 || memcmp(word, "V__", 3)) { hy__c_put(c, word, n); return; }
    hy__c_read_name(name, word + 3);
    hy__c_put_function(c, name);
}

static void hy__c_formula(hy__c *c, const char *text, const char (*operand)[HY__C_TEXT], const double *p)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    while (*text) {
        size_t n = strspn(text, letters);
        if (!n) hy__c_put(c, text, n = 1);
        else if (*text >= '0' && *text <= '9') {        /* a number; 1e5 and 0.5 have no sign inside */
            n += text[n] == '.' ? 1 + strspn(text + n + 1, letters) : 0;
            hy__c_put(c, text, n);
        } else hy__c_word(c, text, n, operand, p);
        text += n;
    }
}

/* An operator by which each element goes its own way: its formula, operands a and b, and parameters. */
typedef struct hy__c_point {
    const char *text;
    char   spelled[2 * HY__C_TEXT];
    double p[2], number;
    int    scalar;
} hy__c_point;

static int hy__c_axis_attr(const hy__node *node) { return (int)hy__c_attr(node, "axis", -1); }

/* Formulas of operators that have none in the catalogue, and the attributes of those of its extra ones. */
static const struct { const char *text; int op[14]; } hy__c_plain[] = {
    { "x", { HY_OP_identity, HY_OP_block_grad, HY_OP_make_loss, HY_OP_identity_like,
             HY_OP_gradient_multiplier, HY_OP_linear_regression_output, HY_OP_mae_regression_output,
             HY_OP_reshape, HY_OP_reshape_like, HY_OP_flatten, HY_OP_expand_dims, HY_OP_squeeze,
             HY_OP__squeeze } },
    { "V_SIGMOID(x)", { HY_OP_logistic_regression_output } },
    { "a != 0 ? b : c", { HY_OP_where, HY_OP__np_where } },
    { "(V__T)(a & b)", { HY_OP__bitwise_and } },
    { "(V__T)(a | b)", { HY_OP__bitwise_or } },
    { "(V__T)(a ^ b)", { HY_OP__bitwise_xor } },
    { "(V__T)(~x)", { HY_OP__bitwise_not } },
    { "(V__T)V__lcm_of(a, b)", { HY_OP_lcm } }
};
static const struct { int op, extra; const char *p0, *p1; } hy__c_with_numbers[] = {
    { HY_OP_leaky_relu, HY__EXTRA_leaky, "slope", "slope" },
    { HY_OP_clip, HY__EXTRA_clip, "a_min", "a_max" },
    { HY_OP_smooth_l1, HY__EXTRA_smooth_l1, "scalar", "scalar" },
    { HY_OP_hard_sigmoid, HY__EXTRA_hard_sigmoid, "alpha", "beta" }
};

/* Finds the formula of such an operator, and its parameters. */
static void hy__c_own_point(const hy__node *node, int number, hy__c_point *at)
{
    static const int leaky[] = { HY__EXTRA_leaky, HY__EXTRA_elu, HY__EXTRA_selu, HY__EXTRA_gelu, 0,
                                 HY__EXTRA_leaky };
    const int act = (int)hy__c_attr(node, "act_type", 0);
    const hy__dropout_rec *drop = (const hy__dropout_rec *)node->record;
    size_t i, k;
    for (i = 0; i < sizeof hy__c_plain / sizeof *hy__c_plain; i++)
        for (k = 0; hy__c_plain[i].op[k]; k++)
            if (hy__c_plain[i].op[k] == number) at->text = hy__c_plain[i].text;
    for (i = 0; i < 4; i++)
        if (hy__c_with_numbers[i].op == number && (i || act != HY_LEAKY_PRELU)) {
            at->text = hy__c_extra[i ? hy__c_with_numbers[i].extra : leaky[act]];
            at->p[0] = hy__c_attr(node, hy__c_with_numbers[i].p0, 0);
            at->p[1] = hy__c_attr(node, hy__c_with_numbers[i].p1, 0);
        }
    if (number == HY_OP_activation) at->text = hy__c_unary[hy__activations[act].member];
    if (number == HY_OP_leaky_relu && act == HY_LEAKY_RRELU)
        at->p[0] = (hy__c_attr(node, "lower_bound", 0) + hy__c_attr(node, "upper_bound", 0)) / 2;
    if (number == HY_OP_smooth_l1) at->p[1] = 1 / (at->p[0] *= at->p[0]);
    if (number == HY_OP__bitwise_not && node->type[0].dtype == HY_BOOL) at->text = "(V__T)(!x)";
    if (number == HY_OP_dropout && (drop->mode != HY_DROP_ALWAYS || drop->p == 0)) at->text = "x";
    if (number != HY_OP_clip || node->type[0].dtype != HY_I64) return;
    if (at->p[0] != at->p[0]) at->p[0] = -HUGE_VAL;     /* a NaN is no limit */
    if (at->p[1] != at->p[1]) at->p[1] = HUGE_VAL;
}

/* Is there a formula for it? Operators that leave values as they are have one, too. */
static int hy__c_point_of(const hy__node *node, hy__c_point *at)
{
    const hy_op *op = node->op;
    const int unary = op && op->bind == hy__unary_bind, scalar = op && op->bind == hy__scalar_bind;
    const int rscalar = op && op->bind == hy__rscalar_bind;
    hy__line spelled = hy__line_open(at->spelled, sizeof at->spelled);
    memset(at, 0, sizeof *at);
    if (!op) return 0;
    if (unary) at->text = hy__c_unary[op->member];
    else if (op->bind == hy__binary_bind || scalar || rscalar) at->text = hy__c_binary[op->member];
    at->scalar = scalar ? 2 : rscalar;
    at->number = hy__c_attr(node, "scalar", 0);
    if (at->text)
        hy__c_spell(&spelled, at->text, at->text + strlen(at->text), !hy__floating(node->type[0].dtype));
    else {
        hy__c_own_point(node, hy__op_number(op), at);
        if (at->text) hy__c_spell(&spelled, at->text, at->text + strlen(at->text), 0);
    }
    if (at->text) at->text = at->spelled;
    return at->text != NULL || (hy__op_number(op) == HY_OP_add_n && node->nin <= HY__FUSED_INPUTS);
}

/* Writes the expression of one operator from the names of its operands, in its type. */
static void hy__c_expression(hy__c *c, const hy__node *node, const char (*operand)[HY__C_TEXT])
{
    hy__c_point at;
    char with_number[2][HY__C_TEXT];
    const char *wraps = hy__floating(c->real) ? "" : "(uint64_t)";
    int k;
    hy__c_point_of(node, &at);
    for (k = 0; k < node->nin && !at.text; k++) hy__w(c, "%s%s%s", k ? " + " : "", wraps, operand[k]);
    if (at.scalar) {
        hy__c_number(with_number[at.scalar - 1], at.number, c->real);
        memcpy(with_number[2 - at.scalar], operand[0], HY__C_TEXT);
        operand = (const char (*)[HY__C_TEXT])with_number;
    }
    if (at.text) hy__c_formula(c, at.text, operand, at.p);
}

/* --- what emitters ask --- */
static const hy_type *hy__c_in(const hy__c_step *s, int k) { return hy__edge_type(&s->node->in[k]); }
static const hy_type *hy__c_out(const hy__c_step *s) { return &s->node->type[0]; }
static int hy__c_value_of(const hy__c *c, const hy__edge *e)
{
    return c->at->first[c->at->g->place[e->node->number]] + e->output;
}
static int hy__c_wants(const hy__c *c, const hy__c_step *s, int output)
{
    return c->at->value[s->y + output].where != HY__NOWHERE;
}
static int hy__c_is_number(const hy__edge *e)          /* one that is written where it is used */
{
    return e->node->held && hy__size(&e->node->constant.type.shape) == 1;
}

/* The array is seen as so many whole lines. */
static hy__along hy__c_lines_of_rows(const hy_shape *x, int64_t rows)
{
    hy__along l = { 0, 0, 1 };
    l.outer = rows;
    l.n = rows ? hy__size(x) / rows : 0;
    return l;
}

/* MARK: - 81 >>c_pointwise -----------------------------------------------------------------------------
 *
 * Operators as C source: what each writes of itself, in plain loops over x0, x1, ... to y0, y1, .... How an
 * operator is written stands in one place: pointwise ones come from their formula in the catalogue, those
 * that only move elements from the map that they make of positions, all others from an emitter. Here those
 * by which each element goes its own way.
 */
/* --- pointwise: one loop for a group --- */
static const char *hy__c_need_half(hy__c *c, hy_dtype dtype)        /* its name */
{
    if (!hy__c_is_half(dtype)) return "";
    hy__c_need(c, dtype == HY_F16 ? "f16_to_f32" : "bf16_to_f32");
    hy__c_need(c, dtype == HY_F16 ? "f32_to_f16" : "f32_to_bf16");
    return dtype == HY_F16 ? "f16" : "bf16";
}

static const char *hy__c_load(hy__c *c, char *to, hy_dtype dtype, const char *array, const char *index)
{
    const char *half = hy__c_need_half(c, dtype);
    if (!*half) return hy__c_text(to, "%s[%s]", array, index);
    return hy__c_text(to, "%s_%s_to_f32(%s[%s])", c->prefix, half, array, index);
}

/* Does the formula of integers give a real number? One does that names functions of reals, or parameters. */
static int hy__c_leaves_whole(const hy__node *node)
{
    hy__c_point at;
    const char *text;
    char name[HY__C_TEXT];
    if (!hy__c_point_of(node, &at) || !at.text) return 0;
    if (hy__op_number(node->op) == HY_OP_clip && node->type[0].dtype == HY_I64) return 0;
    for (text = at.text; *text; text++) {
        int fn = -1;
        if (!strncmp(text, "V__", 3) && hy__c_read_name(name, text + 3) > 1 &&
            ((fn = hy__c_helper_at(name)) < 0 || strcmp(hy__c_helpers[fn]->type, "int64_t"))) return 1;
        if (*text == '.' || !strncmp(text, "p0", 2) || !strncmp(text, "p1", 2)) return 1;
    }
    return 0;
}

/* One line: a name for the result of an operator. Halves are rounded after each, as line by line. */
static void hy__c_result(hy__c *c, const hy__node *node, const char *name, const char (*operand)[HY__C_TEXT])
{
    hy_dtype dtype = node->type[0].dtype;
    const char *half = hy__c_need_half(c, dtype);
    const int whole = !hy__floating(dtype), reals = whole && hy__c_leaves_whole(node);
    const int rounds = reals || dtype == HY_BOOL;
    char wide[HY__FUSED_INPUTS][HY__C_TEXT];
    int k;
    c->real = hy__c_wide(dtype);
    hy__w(c, "const %s %s = ", hy__c_local(c->real), name);
    if (*half) hy__w(c, "%p_%s_to_f32(%p_f32_to_%s(", half, half);
    else if (whole) hy__w(c, rounds ? "%<(%>%[" : "%<(%>(%r)(", dtype == HY_BOOL);
    if (reals) {                        /* as line by line: INT64_MIN has no negative of its own */
        c->real = hy__traits[dtype].size == 1 ? HY_F32 : HY_F64;
        for (k = 0; k < node->nin; k++) hy__c_text(wide[k], "((%s)%s)", hy__c_type(c->real), operand[k]);
    }
    hy__c_expression(c, node, reals ? (const char (*)[HY__C_TEXT])wide : operand);
    c->real = hy__c_wide(dtype);
    hy__w(c, *half ? "));\n" : rounds ? "%]%<)%>;\n" : whole ? ");\n" : ";\n", dtype == HY_BOOL);
}

/* Writes what a pointwise node, or a group of them, makes of a0, a1, ...: a line for each operator. to[o]
 * names output o. */
static void hy__c_chain(hy__c *c, const hy__node *node, char (*to)[16])
{
    char outer[HY__FUSED_INPUTS][HY__C_TEXT], operand[HY__FUSED_INPUTS][HY__C_TEXT], name[HY__C_TEXT];
    const hy_graph *sub = hy__node_sub(node);
    int i, k, vars = sub ? sub->vars : 0;
    c->real = hy__c_wide(node->type[0].dtype);
    for (k = 0; k < node->nin && k < HY__FUSED_INPUTS; k++) {   /* loaded as a0, a1, ..., or numbers */
        const hy_tensor *x = &node->in[k].node->constant;
        if (!hy__c_is_number(&node->in[k])) hy__c_text(outer[k], "a%d", k);
        else hy__c_number(outer[k], hy__load(x->data, x->type.dtype), c->real);
    }
    if (!sub) {
        hy__c_result(c, node, "r", (const char (*)[HY__C_TEXT])outer);
        memcpy(to[0], "r", 2);
        return;
    }
    for (i = vars; i < sub->store->n; i++) {
        const hy__node *member = sub->store->node[i];
        for (k = 0; k < member->nin; k++) {
            int from = member->in[k].node->number;
            if (from < vars) memcpy(operand[k], outer[from], HY__C_TEXT);
            else hy__c_text(operand[k], "v%d", from - vars);
        }
        hy__c_result(c, member, hy__c_text(name, "v%d", i - vars), (const char (*)[HY__C_TEXT])operand);
    }
    for (i = 0; i < sub->heads; i++) {
        hy__c_text(name, "v%d", sub->head[i].node->number - vars);
        memcpy(to[i], name, 16);
    }
}

/* Does the emitter of a pointwise node read this input? A formula names the second as b, the third as c. */
static int hy__c_reads(const hy__node *node, int k)
{
    hy__c_point at;
    const char *b = at.spelled;
    if (hy__c_is_number(&node->in[k])) return 0;
    if (hy__node_sub(node) || k == 0 || !hy__c_point_of(node, &at) || !at.text) return 1;
    while ((b = strchr(b, 'a' + k)) != NULL &&
           (hy__c_in_name(b[1]) || (b > at.spelled && hy__c_in_name(b[-1])))) b++;
    return b != NULL;
}

/* Adds an axis. If all arrays go on along it where the last one ends, that one becomes longer instead, so
 * that inner loops are as long as can be. */
static void hy__c_join_axis(hy__c *c, int64_t n, const int64_t *step)
{
    hy__c_axis *a = c->nest.axes ? &c->nest.axis[c->nest.axes - 1] : NULL;
    int k;
    if (n == 1) return;
    for (k = 0; k < HY__C_ARRAYS && a; k++) if (a->step[k] != step[k] * n) a = NULL;
    if (!a) a = hy__c_axis_of(c, HY__C_PLACE, hy__c_counters[c->nest.axes], 1, 0, 0, 0);
    a->n *= n;
    memcpy(a->step, step, sizeof a->step);
}

/* Makes the nest of a pointwise node, whose operands may be broadcast. */
static void hy__c_walk(hy__c *c, const hy__node *node)
{
    const hy_shape *y = &node->type[0].shape;
    int64_t size[HY__C_ARRAYS], step[HY__C_ARRAYS];
    int k, d, ops = node->nin < HY__FUSED_INPUTS ? node->nin : HY__FUSED_INPUTS;
    hy__c_nest_new(c, "x0", "x1", "y0");
    memset(step, 0, sizeof step);
    if ((node->op->flags & HY_OP_VIEW) || hy__op_number(node->op) == HY_OP_identity_like) {
        step[0] = step[HY__C_OUT] = 1;  /* element by element, whatever the shapes */
        hy__c_join_axis(c, hy__size(y), step);
        return;
    }
    for (k = 0; k <= ops; k++) size[k] = hy__size(k == ops ? y : &hy__edge_type(&node->in[k])->shape);
    for (d = 0; d < y->ndim; d++) {
        for (k = 0; k <= ops; k++) {
            const hy_shape *x = k == ops ? y : &hy__edge_type(&node->in[k])->shape;
            const int rows = hy__op_number(node->op) == HY_OP_where && !k && x->ndim == 1 && y->ndim > 1;
            const int e = rows ? (d == 0 ? 0 : -1) : d - (y->ndim - x->ndim);
            if (e >= 0) size[k] /= hy__most(x->dim[e], 1);
            step[k == ops ? (int)HY__C_OUT : k] = e >= 0 && x->dim[e] != 1 ? size[k] : 0;
        }
        hy__c_join_axis(c, y->dim[d], step);
    }
}

static void hy__c_pointwise(hy__c *c, const hy__c_step *s)
{
    const hy__node *node = s->node;
    char text[HY__C_TEXT], index[HY__C_TEXT], array[HY__C_TEXT], last[HY__FUSED_STEPS][16];
    int k;
    hy__c_walk(c, node);
    hy__w(c, "%P {\n");
    for (k = 0; k < node->nin; k++) {
        hy_dtype dtype = hy__c_in(s, k)->dtype;
        if (!hy__c_reads(node, k)) continue;
        hy__c_load(c, text, dtype, hy__c_text(array, "x%d", k), hy__c_where(c, index, k));
        hy__w(c, "const %s a%d = %s;\n", hy__c_local(hy__c_wide(dtype)), k, text);
    }
    hy__c_chain(c, node, last);
    hy__c_where(c, index, HY__C_OUT);
    for (k = 0; k < node->nout; k++)
        if (hy__c_wants(c, s, k) && (k == 0 || hy__node_sub(node))) {
            const char *half = hy__c_need_half(c, node->type[k].dtype);
            hy__w(c, *half ? "y%d[%s] = %p_f32_to_%s(%s);\n" : "y%d[%s] = %s%s;\n", k, index, half, last[k]);
        }
    hy__w(c, "}\n");
}

/* Writes y0[index] = value, which is a format; if there is a tail, it is done to the value first. */
static void hy__c_store(hy__c *c, const hy__c_step *s, const char *value, const char *index_format, ...)
{
    char index[HY__C_TEXT];
    hy__line line = hy__line_open(index, HY__C_TEXT);
    va_list args;
    const hy__node *tail = s->tail;
    char last[HY__FUSED_STEPS][16];
    int k;
    va_start(args, index_format);
    hy__format(&line, index_format, args);
    va_end(args);
    hy__w(c, tail ? "const int at = %s;\n" : "y0[%s] = ", index);
    for (k = 0; tail && k < tail->nin; k++) {
        const hy_type *z = hy__edge_type(&tail->in[k]);
        if (k != s->tail_at && !hy__c_reads(tail, k)) continue;
        hy__w(c, "const %t a%d = ", (int)z->dtype, k);
        if (k == s->tail_at) hy__w(c, value);
        else hy__w(c, "z%d[%s]", k, hy__size(&z->shape) == 1 ? "0" : "at");
        hy__w(c, ";\n");
    }
    if (tail) hy__c_chain(c, tail, last);
    else hy__w(c, value);
    hy__w(c, tail ? "y0[at] = %s;\n" : ";\n", last[0]);
}

/* Products of integers add up in doubles, as line by line, and are kept within the type in the end. */
static hy_dtype hy__c_sum_type(const hy__c *c) { return hy__floating(c->real) ? c->real : HY_F64; }

/* --- moves --- */
static void hy__c_move_of(hy__c *c, const hy__c_map *m, const char *x, int output)
{
    const int inside = m->inverse ? (int)HY__C_OUT : 0, flat = m->inverse ? 0 : (int)HY__C_OUT;
    char y[HY__C_TEXT], number[HY__C_NUMBER];
    int64_t step[HY__C_ARRAYS], at = 1;
    int d;
    memset(step, 0, sizeof step);
    for (d = 0; d < m->dims; d++) at *= m->n[d];
    hy__c_nest_new(c, x, NULL, hy__c_text(y, "y%d", output));
    for (d = m->dims - 1; d >= 0; d--) {
        step[flat] = at /= hy__most(m->n[d], 1);
        step[inside] = m->step[d];
        hy__c_join_axis(c, m->n[d], step);
    }
    number[hy__text_i64(number, m->base)] = 0;
    if (m->base) hy__c_axis_of(c, HY__C_TERM, number, 0, !inside, 0, inside != 0);
    hy__w(c, x ? "%P %y = %0;\n" : "%P %y = %v;\n", m->fill);
}

/* Says what becomes of a number in such an array; halves are copied as bits, so it says theirs. */
static double hy__c_value_held(double v, hy_dtype dtype)
{
    uint64_t room = 0;
    uint16_t bits;
    hy__store(&room, dtype, v);
    memcpy(&bits, &room, sizeof bits);
    return hy__c_is_half(dtype) ? bits : hy__load((const char *)&room, dtype);
}

static void hy__c_moves(hy__c *c, const hy__c_step *s)
{
    const int maps = s->gives + 1;
    char x[HY__C_NUMBER];
    int64_t i;
    int o, k;
    for (o = 0; o < s->node->nout; o++) {
        const hy__c_map *m = &s->map[o * maps];
        int64_t n = hy__size(&s->node->type[o].shape);
        hy_dtype dtype = s->node->type[o].dtype;
        if (!hy__c_wants(c, s, o) || !n) continue;
        c->real = hy__c_is_half(dtype) ? HY_I32 : dtype;
        for (k = 0; k < maps && maps > 2; k++)
            if (m[k].inverse) hy__c_move_of(c, &m[k], k < s->gives ? hy__c_text(x, "x%d", k) : NULL, o);
        if (maps > 2) continue;
        if (m->inverse) hy__w(c, "%fi y%d[i] = %v;\n", n, o, m->fill);
        if (m->table) {
            hy__w(c, "%fi {\nstatic const int32_t from[] = {", n);
            for (i = 0; i < n; i++) hy__w(c, "%s%d", i % 16 ? ", " : i ? ",\n " : "\n ", m->table[i] - 1);
            hy__w(c, " };\ny%d[i] = %<from[i] < 0 ? (%t)%v : %>x0[from[i]];\n}\n", o, m->base > 0, (int)dtype,
                  m->fill);
        } else if (hy__size(&hy__c_in(s, 0)->shape)) hy__c_move_of(c, m, "x0", o);
    }
}

/* Sums more arrays than one group may have. */
static void hy__c_add_n(hy__c *c, const hy__c_step *s)
{
    const char *wraps = hy__floating(c->real) ? "" : "(uint64_t)";
    int k;
    hy__w(c, "%fi", hy__size(&hy__c_out(s)->shape));
    for (k = 0; k < s->node->nin; k++) hy__w(c, k ? " + %sx%d[i]" : " y0[i] = (%r)(%sx%d[i]", wraps, k);
    hy__w(c, ");\n");
}

/* The value of array[index] in another type. */
static void hy__c_converted(hy__c *c, const char *array, const char *index, hy_dtype from, hy_dtype to)
{
    const char *half = hy__c_need_half(c, to);
    char x[HY__C_TEXT];
    hy__c_load(c, x, from, array, index);
    if (*half) hy__w(c, "%p_f32_to_%s((float)%s)", half, x);
    else if (to == HY_BOOL) hy__w(c, "%s != 0", x);
    else hy__w(c, hy__floating(from) && !hy__floating(to) ? "%[%s%]" : "(%r)%s", x);
}

static void hy__c_cast(hy__c *c, const hy__c_step *s)
{
    hy__w(c, "%fi y0[i] = ", hy__size(&hy__c_out(s)->shape));
    hy__c_converted(c, "x0", "i", hy__c_in(s, 0)->dtype, hy__c_out(s)->dtype);
    hy__w(c, ";\n");
}

/* --- insert: where a line goes depends on how many are put before it --- */
static void hy__c_insert_place(hy__c *c, const hy__c_step *s, const hy__insertion *n, const char *k)
{
    char x[HY__C_TEXT];
    if (n->indices == 1) k = "0";
    if (s->node->nin < 3) { hy__w(c, "%l + %s * (%l)", n->first, k, n->step); return; }
    hy__c_load(c, x, hy__c_in(s, 2)->dtype, "x2", k);
    hy__w(c, "%p_place_due((double)%s, %l, fault)", x, n->n);
}
static void hy__c_insert(hy__c *c, const hy__c_step *s)
{
    const hy_type *arr = hy__c_in(s, 0), *v = hy__c_in(s, 1), *y = hy__c_out(s);
    const int obj = s->node->nin > 2;
    char from[HY__C_TEXT];
    int64_t step[HY_MAX_DIM];
    hy_tensor all;
    hy__insertion n;
    int d;
    hy__insertion_open(&n, s->node->op, s->node->record, &arr->shape, &v->shape,
                       obj ? &hy__c_in(s, 2)->shape : NULL);
    all.type = *y;
    hy__pack_strides(&all);
    hy__insert_steps(&n, &y->shape, &v->shape, step);
    if (n.lines) {
        hy__w(c, "%fk {\nconst int64_t at = ", n.lines);
        hy__c_insert_place(c, s, &n, "k");
        hy__w(c, ";\nint64_t to = at;\n%fj {\nconst int64_t other = ", n.lines);
        hy__c_insert_place(c, s, &n, "j");
        hy__w(c, ";\nto += other < at || (other == at && j < k);\n}\n");
        hy__c_nest_new(c, "x0", "x1", "y0");
        for (d = 0; d < y->shape.ndim; d++)
            hy__c_axis_of(c, d == n.axis ? HY__C_TERM : HY__C_PLACE, d == n.axis ? "to" : hy__c_counters[d],
                          y->shape.dim[d], 0, d == n.axis ? 0 : step[d], all.stride[d]);
        hy__c_axis_of(c, HY__C_TERM, "k", 0, 0, step[n.axis], 0);
        hy__w(c, v->dtype == y->dtype ? "%P %y = %1" : "%P %y = ");
        if (v->dtype != y->dtype) hy__c_converted(c, "x1", hy__c_where(c, from, 1), v->dtype, y->dtype);
        hy__w(c, ";\n}\n");
    }
    hy__w(c, "%fj {\nint64_t to = j;\n", n.n);
    if (n.lines) {
        hy__w(c, "%fk to += ", n.lines);
        hy__c_insert_place(c, s, &n, "k");
        hy__w(c, " <= j;\n");
    }
    hy__c_sizes(c, "otji", hy__product(&y->shape, 0, n.axis), y->shape.dim[n.axis], n.n,
                hy__product(&y->shape, n.axis + 1, y->shape.ndim));
    c->letter[(int)'t'].name = "to";
    hy__c_nest_of(c, "oi", "oti", "oji", NULL);
    hy__w(c, "%P %y = %0;\n}\n");
}

/* MARK: - 82 >>c_products ------------------------------------------------------------------------------
 *
 * Products: in tiles that stay in registers where weights stand still, else one sum after the other.
 */
/* --- products: a tile of rows by lanes, whose sums stay in registers --- *
 * y (m,n) = a (m,k) w (k,n) + bias, w in panels. Texts name the arrays. */
typedef struct hy__c_product {
    int64_t m, n, k;
    const char *a, *w, *bias, *to;      /* bias: NULL for none; to: NULL is the output, by way of the tail */
} hy__c_product;

/* Writes the loop of `name` from 0 to n by steps, then once more for what is left: the sizes inside are then
 * numbers, which compilers unroll. */
typedef struct hy__c_tile hy__c_tile;
typedef void (*hy__c_tile_fn)(hy__c *c, const hy__c_tile *t, int64_t n);
struct hy__c_tile {
    const hy__c_step *s;
    const void *what, *laid;
    int64_t rows, lanes;
    const char *column;
};
static void hy__c_split(hy__c *c, const char *name, int64_t n, int64_t step, hy__c_tile_fn each,
                        const hy__c_tile *t)
{
    int64_t whole = n / step * step;
    if (whole) {
        hy__w(c, "for (int %s = 0; %s < %l; %s += %l) {\n", name, name, whole, name, step);
        each(c, t, step);
        hy__w(c, "}\n");
    }
    if (n == whole) return;
    hy__w(c, "{\nconst int %s = %l;\n", name, whole);
    each(c, t, n - whole);
    hy__w(c, "}\n");
}

/* One row alone keeps as many sums as processors add at a time. */
static int64_t hy__c_lanes_for(int64_t rows) { return rows == 1 ? HY__C_LONE_LANES : HY__C_LANES; }

static void hy__c_sums(hy__c *c, int rows, int64_t lanes, const char *start)
{
    int r;
    hy__w(c, "%r ");
    for (r = c->items = 0; r < rows; r++) hy__w(c, "%,s%d[%l]", r, lanes);
    hy__w(c, ";\n%fq ", lanes);
    for (r = 0; r < rows; r++) hy__w(c, "s%d[q] = ", r);
    hy__w(c, "%s;\n", start);
}

static void hy__c_sums_add(hy__c *c, int rows, int64_t lanes, const char *term)
{
    int r;
    for (r = 0; r < rows; r++) hy__w(c, "%fq s%d[q] += u%d * %s;\n", lanes, r, r, term);
}

/* Writes one tile: rows i .. i + rows - 1, lanes from column `column` on. */
static void hy__c_product_tile(hy__c *c, const hy__c_tile *t, int64_t rows)
{
    const hy__c_product *p = (const hy__c_product *)t->what;
    char text[HY__C_TEXT], value[HY__C_TEXT];
    hy_dtype real = c->real;
    int r;
    hy__c_sums(c, (int)rows, t->lanes, p->bias ? hy__c_text(text, "%s[%s + q]", p->bias, t->column) : "0");
    hy__w(c, "%fk {\n", p->k);
    for (r = 0; r < rows; r++)
        hy__w(c, "const %t u%d = %s[(i + %d) * %l + k];\n", (int)real, r, p->a, r, p->k);
    hy__c_sums_add(c, (int)rows, t->lanes, hy__c_text(text, "w[k * %l + q]", t->lanes));
    hy__w(c, "}\n");
    for (r = 0; r < rows; r++) {
        hy__w(c, "%fq {\n", t->lanes);
        if (p->to) hy__w(c, "%s[(i + %d) * %l + %s + q] = s%d[q];\n", p->to, r, p->n, t->column, r);
        else hy__c_store(c, t->s, hy__c_text(value, "s%d[q]", r), "(i + %d) * %l + %s + q", r, p->n,
                         t->column);
        hy__w(c, "}\n");
        c->real = real;
    }
}

static void hy__c_product_panel(hy__c *c, const hy__c_tile *t, int64_t lanes)
{
    const hy__c_product *p = (const hy__c_product *)t->what;
    hy__c_tile rows = *t;
    rows.lanes = lanes;
    hy__w(c, "const %r *w = %s + p * %l;\n", p->w, p->k);
    hy__c_split(c, "i", p->m, HY__C_ROWS, hy__c_product_tile, &rows);
}

static void hy__c_write_product(hy__c *c, const hy__c_step *s, const hy__c_product *p)
{
    const hy__c_tile t = { s, p, NULL, 0, 0, "p" };
    hy__c_split(c, "p", p->n, hy__c_lanes_for(p->m), hy__c_product_panel, &t);
}

/* Writes one sum after the other, as the nest says: y = (start + sum of x0 * x1) * alpha. */
static void hy__c_sum_each(hy__c *c, const hy__c_step *s, const char *start, int bounds, double alpha)
{
    char at[HY__C_TEXT], number[HY__C_NUMBER];
    const hy_dtype type = hy__c_sum_type(c);
    const char *wide = hy__floating(c->real) ? "" : "(double)";
    hy__w(c, "%P {\n%t sum = %s%s;\n", (int)type, start ? wide : "", start ? start : "0");
    hy__w(c, bounds ? "%K {\n%Bsum += %s%0 * %1;\n}\n" : "%K sum += %s%0 * %1;\n", wide);
    if (alpha != 1) hy__w(c, "sum *= %s;\n", hy__c_number(number, alpha, type));
    hy__c_store(c, s, hy__floating(c->real) ? "sum" : "%[sum%]", "%s", hy__c_where(c, at, HY__C_OUT));
    hy__w(c, "}\n");
}

static void hy__c_fully_connected(hy__c *c, const hy__c_step *s)
{
    const int biased = !((const hy__fully_connected_rec *)s->node->record)->no_bias;
    const int64_t *w = hy__c_in(s, 1)->shape.dim, m = hy__size(&hy__c_out(s)->shape) / hy__most(w[0], 1);
    if (s->packed >= 0) {
        const hy__c_product p = { m, w[0], w[1], "x0", "x1", biased ? "x2" : NULL, NULL };
        hy__c_write_product(c, s, &p);
    } else {
        hy__c_sizes(c, "ijk", m, w[0], w[1]);
        hy__c_nest_of(c, "ij.k", "ij", "ik", "jk");
        hy__c_sum_each(c, s, biased ? "x2[j]" : NULL, 0, 1);
    }
}

/* Says how weights that stand still are packed: n columns for each of k rows. */
static int hy__c_pack_dense(hy__c *c, const hy__c_step *s, hy__c_blob *b)
{
    const hy_shape *w = &hy__c_in(s, 1)->shape;
    (void)c;
    b->all.columns = w->dim[0];
    b->all.rows = w->dim[1];
    b->all.lanes = hy__c_lanes_for(hy__size(&hy__c_out(s)->shape) / hy__most(w->dim[0], 1));
    return 0;
}

/* Products whose weights may be anything. Of batches: axis is where rows are; columns are the last axis, what
 * lies between is a batch, too. */
static void hy__c_matmul(hy__c *c, const hy__c_step *s)
{
    const int number = hy__op_number(s->node->op), gemm = number == HY_OP_linalg_gemm2;
    const int ta = (int)hy__c_attr(s->node, "transpose_a", 0);
    const int tb = (int)hy__c_attr(s->node, "transpose_b", 0);
    const hy_shape *x = &hy__c_in(s, 0)->shape, *w = &hy__c_in(s, 1)->shape;
    const int64_t ca = x->ndim ? x->dim[x->ndim - 1] : 1, cb = w->ndim ? w->dim[w->ndim - 1] : 1;
    if (number == HY_OP_dot) {
        const int64_t k = ta && x->ndim ? x->dim[0] : ca;
        hy__c_sizes(c, "ijk", k ? hy__size(x) / k : hy__size(&hy__c_out(s)->shape), k ? hy__size(w) / k : 1,
                    k);
        hy__c_nest_of(c, "ij.k", "ij", ta ? "ki" : "ik", tb ? "jk" : "kj");
    } else if (number == HY_OP__np_matmul) {
        const hy_shape *lead = x->ndim > w->ndim ? x : w;
        hy__c_sizes(c, "bijk", hy__product(lead, 0, lead->ndim - 2), x->ndim > 1 ? x->dim[x->ndim - 2] : 1,
                    w->ndim > 1 ? cb : 1, ca);
        hy__c_nest_of(c, "bij.k", "bij", x->ndim > 2 ? "bik" : "ik", w->ndim > 2 ? "bkj" : "kj");
    } else {
        const int given = gemm ? hy__c_axis_attr(s->node) : -2, axis = given < 0 ? given : given - x->ndim;
        const hy__along a = hy__along_axis(x, axis), b = hy__along_axis(w, axis);
        hy__c_sizes(c, "bihjk", a.outer, ta ? ca : a.n, a.inner / hy__most(ca, 1), tb ? b.n : cb,
                    ta ? a.n : ca);
        hy__c_nest_of(c, "bihj.k", "bihj", ta ? "bkhi" : "bihk", tb ? "bjhk" : "bkhj");
    }
    hy__c_sum_each(c, s, NULL, 0, hy__c_attr(s->node, "alpha", 1));
}

/* MARK: - 83 >>c_windows -------------------------------------------------------------------------------
 *
 * What slides over an image: convolution and pooling.
 */
#ifndef HYBRID_NO_VISION
/* --- windows --- *
 * Sizes of what slides, of which win is known first. */
typedef struct hy__c_window {
    hy__window win;
    int64_t batch, channels, filters, groups;
    int64_t fine_c, fine_p, coarse_c, coarse_p;     /* steps from channel to channel, from place to place */
    int64_t places, results, taps;
    int     last;
} hy__c_window;

static void hy__c_window_of(hy__c_window *w, const hy_shape *fine, const hy_shape *coarse, int last,
                            int groups)
{
    const int channel = last ? fine->ndim - 1 : 1;
    w->batch = fine->dim[0];
    w->channels = fine->dim[channel];
    w->filters = coarse->dim[channel];
    w->groups = groups;
    w->last = last;
    w->places = hy__window_size(w->win.fine);
    w->results = hy__window_size(w->win.coarse);
    w->taps = hy__window_size(w->win.kernel);
    w->fine_c = last ? 1 : w->places;
    w->fine_p = last ? w->channels : 1;
    w->coarse_c = last ? 1 : w->results;
    w->coarse_p = last ? w->filters : 1;
}

/* May a window lie beside what there is? */
static int hy__c_crosses(const hy__window *w, int d)
{
    return w->pad[d] || (w->coarse[d] - 1) * w->stride[d] + (w->kernel[d] - 1) * w->dilate[d] >= w->fine[d];
}

/* Is this dim trivial, so that nothing need be written for it? */
static int hy__c_is_flat(const hy__window *w, int d)
{
    return w->fine[d] == 1 && w->coarse[d] == 1 && w->kernel[d] == 1 && !w->pad[d];
}

static int64_t hy__c_behind(const int64_t *n, int d) { return (d < 1 ? n[1] : 1) * (d < 2 ? n[2] : 1); }

/* Places of the coarse array and taps, in all dims. Where a window may cross what there is of the fine one, a
 * bound leaves taps out; or (spans) they go from b.. to e.., where the window begins and ends within. */
static const char *const hy__c_window_names[][6] = { { "d", "kd", "fd", "ad", "bd", "ed" },
    { "h", "kh", "fh", "ah", "bh", "eh" }, { "v", "kv", "fv", "av", "bv", "ev" } };
static void hy__c_window_dims(hy__c *c, const hy__c_window *w, int fine, int coarse, int spans)
{
    const hy__window *v = &w->win;
    const int64_t per = w->last ? w->channels / w->groups : 1;
    int d;
    for (d = 0; d < 3; d++) {
        const char *const *name = hy__c_window_names[d];
        const int64_t step = w->fine_p * hy__c_behind(v->fine, d);
        const int crosses = hy__c_crosses(v, d);
        hy__c_axis *a;
        if (hy__c_is_flat(v, d)) continue;
        a = hy__c_axis_of(c, HY__C_PLACE, name[0], v->coarse[d], 0, 0, 0);
        a->step[coarse] = w->coarse_p * hy__c_behind(v->coarse, d);
        if (!crosses) a->step[fine] = v->stride[d] * step;
        a = hy__c_axis_of(c, HY__C_TAP, name[1], v->kernel[d], 0, per * hy__c_behind(v->kernel, d), 0);
        if (!crosses) a->step[fine] = v->dilate[d] * step;
        if (crosses && spans) {
            a->n = 0;                   /* even of one tap: it is the place that is read */
            a->from = name[4];
            a->to = name[5];
            a->step[fine] = step;
        }
        if (!crosses || spans) continue;
        a = hy__c_axis_of(c, HY__C_BOUND, name[2], v->fine[d], 0, 0, 0);
        a->step[fine] = step;
        a->from = name[0];
        a->to = name[1];
        a->stride = v->stride[d];
        a->dilate = v->dilate[d];
        a->pad = v->pad[d];
    }
}

/* All sums of a convolution, whatever direction: images n and filters o, places of the coarse array, taps of
 * the kernel (x1) and channels c of a group. fine, coarse: which arrays those are. group: room for a name. */
static void hy__c_window_nest(hy__c *c, const hy__c_window *w, int fine, int coarse, char *group)
{
    const int64_t per = w->channels / w->groups;
    hy__c_axis *a;
    hy__c_nest_new(c, "x0", "x1", "y0");
    a = hy__c_axis_of(c, HY__C_PLACE, "n", w->batch, 0, 0, 0);
    a->step[fine] = w->channels * w->places;
    a->step[coarse] = w->filters * w->results;
    hy__c_axis_of(c, HY__C_PLACE, "o", w->filters, 0, per * w->taps, 0)->step[coarse] = w->coarse_c;
    hy__c_text(group, "o / %l", w->filters / w->groups);
    if (w->groups > 1) hy__c_axis_of(c, HY__C_TERM, group, 0, 0, 0, 0)->step[fine] = per * w->fine_c;
    hy__c_axis_of(c, HY__C_TAP, "c", per, 0, w->last ? 1 : w->taps, 0)->step[fine] = w->fine_c;
    hy__c_window_dims(c, w, fine, coarse, 0);
}

/* How a convolution reads: its image is laid out with its border, places that one tap meets side by side
 * ("phases" of the stride); then each tap is a shift, and all results of a plane are one row. */
typedef struct hy__c_laid { int direct; int64_t phase[3], size[3], plane, channel, row, span; } hy__c_laid;

static hy__c_laid hy__c_laid_of(const hy__c_window *w)
{
    const hy__window *v = &w->win;
    hy__c_laid l;
    int d;
    l.direct = !w->last;
    l.plane = l.channel = 1;
    for (d = 0; d < 3; d++) {
        int64_t reach = (v->coarse[d] - 1) * v->stride[d] + (v->kernel[d] - 1) * v->dilate[d] + 1;
        l.phase[d] = v->stride[d];
        if (v->kernel[d] == 1) l.phase[d] = 1;
        l.size[d] = v->kernel[d] == 1 ? v->coarse[d] : (reach + v->stride[d] - 1) / v->stride[d];
        l.plane *= l.size[d];
        l.channel *= l.phase[d];
        if (v->pad[d] || v->stride[d] > 1 || l.size[d] != v->fine[d]) l.direct = 0;
    }
    l.channel *= l.plane;
    l.row = (v->coarse[0] - 1) * l.size[1] * l.size[2] + (v->coarse[1] - 1) * l.size[2] + v->coarse[2];
    l.span = l.direct && l.row == w->results;       /* results need no place of their own first */
    return l;
}

static int hy__c_pack_conv(hy__c *c, const hy__c_step *s, hy__c_blob *b)
{
    const hy__convolution_rec *r = (const hy__convolution_rec *)s->node->record;
    const hy_shape *w = &hy__c_in(s, 1)->shape;
    (void)c;
    b->all.columns = w->dim[0] / r->num_group;
    b->all.rows = w->dim[0] ? hy__size(w) / w->dim[0] : 0;
    b->all.lanes = HY__C_ROWS;
    if (!hy__channels_last(r->layout)) return 0;
    for (int d = 0; d < r->kernel.n; d++) b->split *= r->kernel.v[d];
    b->step_s = w->dim[w->ndim - 1];                /* (tap, channel) is read as (channel, tap) */
    return 0;
}

/* Lays out the image with its border, phase by phase, so that each tap becomes a shift. */
static void hy__c_conv_lay(hy__c *c, const hy__c_window *w, const hy__c_laid *l)
{
    const hy__window *v = &w->win;
    hy__c_sizes(c, "cxyzdhvHVpqC", w->channels, l->phase[0], l->phase[1], l->phase[2], l->size[0], l->size[1],
                l->size[2], v->fine[1], v->fine[2], l->plane, l->channel, w->fine_c);
    hy__c_sizes(c, "DPSTUQWFR", v->fine[0], v->pad[0], v->stride[0], v->pad[1], v->stride[1], v->pad[2],
                v->stride[2], w->fine_p, v->fine[2] * w->fine_p);
    hy__w(c, "@c for (int pd = 0; pd < $x; pd++) for (int ph = 0; ph < $y; ph++)\n"
          "for (int pv = 0; pv < $z; pv++) @d @h {\n"
          "const int fd = d * $S + pd - $P;\nconst int fh = h * $U + ph - $T;\n"
          "%r *line = image + c * $q + ((pd * $y + ph) * $z + pv) * $p + (d * $h + h) * $v;\n"
          "const int inside = fd >= 0 && fd < $D && fh >= 0 && fh < $H;\n"
          "const %r *from = x + c * $C + (fd * $H + fh) * $R;\n"
          "const int from_v = $Q > pv ? ($Q - pv + %l) / $W : 0;\n"
          "const int reach = (%l - pv + %l) / $W, to_v = reach < $v ? reach : $v;\n"
          "const int low = inside && from_v < to_v ? from_v : $v, high = low < $v ? to_v : $v;\n"
          "for (int v = 0; v < low; v++) line[v] = 0;\n"
          "for (int v = low; v < high; v++) line[v] = from[(v * $W + pv - $Q) * $F];\n"
          "for (int v = high; v < $v; v++) line[v] = 0;\n}\n", v->stride[2] - 1, v->fine[2] - 1 + v->pad[2],
          v->stride[2]);
}

/* How far from the first place of an image lies the one that tap t meets. */
static int64_t hy__c_tap_of(const hy__window *w, const hy__c_laid *l, int64_t t)
{
    int64_t at[3], phase = 0, place = 0;
    int k;
    at[0] = t / (w->kernel[1] * w->kernel[2]) * w->dilate[0];
    at[1] = t / w->kernel[2] % w->kernel[1] * w->dilate[1];
    at[2] = t % w->kernel[2] * w->dilate[2];
    for (k = 0; k < 3; k++) {
        phase = phase * l->phase[k] + at[k] % l->phase[k];
        place = place * l->size[k] + at[k] / w->stride[k];
    }
    return phase * l->plane + place;
}

/* Has each filter one channel? Then all taps are written out, or compilers would keep the sums in memory. */
enum { HY__C_MOST_TAPS = 49 };
static int hy__c_is_depthwise(const hy__c_window *w)
{
    return w->channels == w->groups && w->taps > 1 && w->taps <= HY__C_MOST_TAPS;
}

static void hy__c_depthwise_taps(hy__c *c, const hy__c_window *w, const hy__c_laid *l, int rows,
                                 int64_t lanes)
{
    int64_t t;
    int r;
    hy__w(c, "const %r *from = image + g * %l + p;\n", l->channel);
    for (t = 0; t < w->taps; t++)
        for (r = 0; r < rows; r++)
            hy__w(c, "%fq s%d[q] += w[%l] * from[q + %l];\n", lanes, r, t * rows + r,
                  hy__c_tap_of(&w->win, l, t));
}

static void hy__c_channel_taps(hy__c *c, const hy__c_window *w, const hy__c_laid *l, int rows, int64_t lanes)
{
    const int taps = w->taps > 1;
    int r;
    hy__c_sizes(c, "ctr", w->channels / w->groups, w->taps, (int64_t)rows);
    hy__w(c, "@c%< @t%> {\nconst %r *from = image + (g * $c + c) * %l + p%< + tap[t]%>;\n", taps, l->channel,
          taps);
    for (r = 0; r < rows; r++) hy__w(c, "const %r u%d = w[%<(c * $t + t)%|c%> * $r + %d];\n", r, taps, r);
    hy__c_sums_add(c, rows, lanes, "from[q]");
    hy__w(c, "}\n");
}

/* Writes a tile: filters of one block, lanes of the row of results from place `p` on. */
static void hy__c_conv_tile(hy__c *c, const hy__c_tile *t, int64_t lanes)
{
    const hy__c_window *w = (const hy__c_window *)t->what;
    const hy__c_laid *l = (const hy__c_laid *)t->laid;
    hy_dtype real = c->real;
    char value[HY__C_TEXT];
    int r, rows = (int)t->rows;
    hy__c_sums(c, rows, lanes, "0");
    if (hy__c_is_depthwise(w)) hy__c_depthwise_taps(c, w, l, rows, lanes);
    else hy__c_channel_taps(c, w, l, rows, lanes);
    for (r = 0; r < rows; r++) {
        hy__w(c, "%fq", lanes);
        if (!l->span) { hy__w(c, " row[%l + p + q] = s%d[q];\n", r * l->row, r); continue; }
        hy__w(c, " {\n");
        hy__c_store(c, t->s, hy__c_text(value, t->s->node->nin > 2 ? "s%d[q] + x2[o + %d]" : "s%d[q]", r, r),
                    "n * %l + (o + %d) * %l + p + q", w->filters * w->results, r, w->results);
        hy__w(c, "}\n");
        c->real = real;
    }
}

/* Writes all results of some filters. What lies between two rows of results is computed, but not kept. */
static void hy__c_conv_block(hy__c *c, const hy__c_tile *t, int64_t rows)
{
    const hy__c_window *w = (const hy__c_window *)t->what;
    const hy__c_laid *l = (const hy__c_laid *)t->laid;
    const int64_t each = w->filters / w->groups;
    hy_dtype real = c->real;
    hy__c_tile lanes = *t;
    lanes.rows = rows;
    hy__w(c, "const int o = g * %l + b;\nconst %r *w = x1 + o * %l;\n", each,
          w->channels / w->groups * w->taps);
    hy__c_split(c, "p", l->row, HY__C_LANES, hy__c_conv_tile, &lanes);
    if (l->span) return;
    hy__c_sizes(c, "ofdhvrsu", w->filters, rows, w->win.coarse[0], w->win.coarse[1], w->win.coarse[2], l->row,
                l->size[1] * l->size[2], l->size[2]);
    hy__w(c, "@f @d @h\n@v {\nconst %r sum = row[f * $r + d * $s + h * $u + v]%s;\n",
          t->s->node->nin > 2 ? " + x2[o + f]" : "");
    hy__c_store(c, t->s, "sum", "n * %l + (o + f) * %l + ((d * %l + h) * %l + v) * %l",
                w->filters * w->results, w->coarse_c, w->win.coarse[1], w->win.coarse[2], w->coarse_p);
    hy__w(c, "}\n");
    c->real = real;
}

/* Weights that the program is given are in no order of ours: then one sum is written after the other. */
static void hy__c_convolution(hy__c *c, const hy__c_step *s)
{
    hy__conv_attr a;
    hy__c_window w;
    hy__c_laid l;
    const hy__c_tile t = { s, &w, &l, 0, 0, NULL };
    char group[HY__C_TEXT];
    int64_t image, i;
    HY__CONV_ATTR(&a, (const hy__convolution_rec *)s->node->record);
    hy__conv_window(&w.win, &a, &hy__c_in(s, 0)->shape, &hy__c_out(s)->shape);
    hy__c_window_of(&w, &hy__c_in(s, 0)->shape, &hy__c_out(s)->shape, a.last, a.groups);
    if (s->packed < 0) {
        hy__c_window_nest(c, &w, 0, HY__C_OUT, group);
        hy__c_sum_each(c, s, s->node->nin > 2 ? "x2[o]" : NULL, 1, 1);
        return;
    }
    l = hy__c_laid_of(&w);
    if (w.taps > 1 && !hy__c_is_depthwise(&w)) {
        hy__w(c, "static const int tap[%l] = { ", w.taps);
        for (i = c->items = 0; i < w.taps; i++) hy__w(c, "%,%l", hy__c_tap_of(&w.win, &l, i));
        hy__w(c, " };\n");
    }
    image = l.direct ? 0 : l.channel * w.channels;
    c->scratch = (size_t)(image + (l.span ? 0 : HY__C_ROWS * l.row)) * hy_dtype_size(c->real);
    hy__w(c, "%<%|%r *image = (%r *)(void *)scratch;\n%>%<%|%r *row = (%r *)(void *)scratch + %l;\n%>"
          "%fn {\nconst %r *%<image%|x%> = x0 + n * %l;\n", l.direct, l.span != 0, image, w.batch, l.direct,
          w.channels * w.places);
    if (!l.direct) hy__c_conv_lay(c, &w, &l);
    hy__w(c, "%fg {\n", w.groups);
    hy__c_split(c, "b", w.filters / w.groups, HY__C_ROWS, hy__c_conv_block, &t);
    hy__w(c, "}\n}\n");
}

/* Writes where the windows of a place begin (a; b within what there is) and end (e); or (area) makes of the
 * sum y the mean over such places. */
enum { HY__C_ALL_PLACES = 1, HY__C_PLACES_WITHIN };
static void hy__c_pool_spans(hy__c *c, const hy__window *v, int area)
{
    int d;
    hy__w(c, area ? "double area = 1;\n" : "%P {\n");
    for (d = 0; d < 3; d++) {
        const int crosses = hy__c_crosses(v, d);
        if (hy__c_is_flat(v, d)) continue;
        c->word[0] = hy__c_window_names[d][0];
        hy__c_sizes(c, "kfspn", v->kernel[d], v->fine[d], v->stride[d], v->pad[d],
                    v->fine[d] + v->pad_end[d]);
        if (area) hy__w(c, !crosses ? "area *= $k;\n"
                        : area == HY__C_PLACES_WITHIN ? "area *= e%a > b%a ? e%a - b%a : 0;\n"
                                                      : "area *= (a%a + $k < $n ? a%a + $k : $n) - a%a;\n");
        else if (crosses) hy__w(c, "const int a%a = %a * $s - $p, b%a = a%a < 0 ? 0 : a%a, "
                                "e%a = a%a + $k < $f ? a%a + $k : $f;\n");
    }
    if (area) hy__w(c, "y = area > 0 ? y / area : 0;\n");
}

static void hy__c_pooling(hy__c *c, const hy__c_step *s)
{
    const hy__pooling_rec *r = (const hy__pooling_rec *)s->node->record;
    const int max = r->pool_type == HY_POOL_MAX, whole = !hy__floating(c->real);
    const hy_shape *x = &hy__c_in(s, 0)->shape, *y = &hy__c_out(s)->shape;
    const int power = r->pool_type == HY_POOL_LP ? r->p_value : 1;
    const char *each = max ? whole ? "if (first || e > y) y = e;\nfirst = 0" : "if (e > y || e != e) y = e"
        : power == 1 ? "y += e" : power == 2 ? "y += (double)e * e" : "y += (double)e * e * e";
    hy__pool_plan plan;
    hy__c_window w;
    hy__pool_window(&plan, r, x, y);
    w.win = plan.win;
    hy__c_window_of(&w, x, y, plan.last, 1);
    hy__c_nest_new(c, "x0", NULL, "y0");
    hy__c_axis_of(c, HY__C_PLACE, "n", w.batch, w.channels * w.places, 0, w.filters * w.results);
    hy__c_axis_of(c, HY__C_PLACE, "c", w.channels, w.fine_c, 0, w.coarse_c);
    hy__c_window_dims(c, &w, 0, HY__C_OUT, 1);
    hy__c_pool_spans(c, &w.win, 0);
    hy__w(c, max ? "%r y = %<0;\nint first = 1%|-INFINITY%>;\n" : "double y = 0;\n", whole);
    hy__w(c, "%K {\nconst %r e = %0;\n%s;\n}\n", each);
    if (r->pool_type == HY_POOL_AVG)
        hy__c_pool_spans(c, &w.win, r->exclude_pad ? HY__C_PLACES_WITHIN : HY__C_ALL_PLACES);
    if (power > 1) hy__w(c, "y = %s(y);\n", power == 2 ? "sqrt" : "cbrt");
    hy__w(c, max ? "%y = y;\n}\n" : "%y = %[y%];\n}\n");
}
#endif

/* MARK: - 84 >>c_lines ---------------------------------------------------------------------------------
 *
 * What goes along axes: softmax, losses, sums, reductions, norms.
 */
/* --- lines: what goes along one axis --- */
/* For each line: x and y are its first elements, taps k go along it. m: how many a line of results has. */
static void hy__c_open_lines(hy__c *c, const hy__c_step *s, hy__along l, int64_t m)
{
    hy__c_sizes(c, "okj", l.outer, l.n, l.inner);
    hy__w(c, "@o @j {\nconst %t *x = x0 + o * %l + j;\n", (int)hy__c_wide(hy__c_in(s, 0)->dtype),
          l.n * l.inner);
    if (m || !l.n) hy__w(c, "%t *y = y0 + o * %l + j;\n", (int)hy__c_wide(hy__c_out(s)->dtype),
                          m * l.inner);
    hy__c_nest_new(c, "x", NULL, "y");
    hy__c_axis_of(c, HY__C_TAP, "k", l.n, l.inner, 0, l.inner);
}

/* A length that was given, kept within 0 and the longest. */
static const char hy__c_length[] = "(int)%p_clamp_i64(%p_whole((double)x1[%s]), 0, %l);\n";

/* Softmax of x * factor along lines, each whole or as far as its length says. */
static void hy__c_softmax(hy__c *c, const hy__c_step *s)
{
    const hy_shape *x = &hy__c_in(s, 0)->shape;
    const hy__node *node = s->node;
    const int number = hy__op_number(node->op), multi = (int)hy__c_attr(node, "multi_output", 0);
    const int channel = multi || (int)hy__c_attr(node, "mode", -1) == HY_SOFTMAX_CHANNEL;
    const double factor = (number == HY_OP_softmin ? -1 : 1) / hy__c_attr(node, "temperature", 1);
    const int rows = number == HY_OP_softmax_output && !multi && !hy__c_attr(node, "preserve_shape", 0);
    const int lengths = number == HY_OP_softmax && node->nin > 1;
    const hy__along l = rows ? hy__c_lines_of_rows(x, x->dim[0])
        : hy__along_axis(x, channel ? 1 : hy__c_axis_attr(node));
    char at[HY__C_TEXT];
    if (!l.n) return;
    if (c->real != HY_F64) c->real = HY_F32;
    hy__c_open_lines(c, s, l, l.n);
    if (lengths) {
        hy__w(c, "const int n = ");
        hy__w(c, hy__c_length, hy__c_text(at, "o * %l + j", l.inner), l.n);
        c->nest.axis[0].to = "n";
    }
    hy__w(c, "%r top = -INFINITY, sum = 0;\n%K if (%0 * %v > top || %0 != %0) top = %0 * %v;\n", factor,
          factor);
    if (number == HY_OP_log_softmax)
        hy__w(c, "%K sum += %Fexp(%0 * %v - top);\nsum = %Flog(sum);\n%K %y = %0 * %v - top - sum;\n", factor,
              factor);
    else hy__w(c, "%K %y = %Fexp(%0 * %v - top);\n%K sum += %y;\n%K %y /= sum;\n", factor);
    hy__w(c, "%<for (int k = n; k < $k; k++) %y = 0;\n%>}\n", lengths);
}

static void hy__c_cross_entropy(hy__c *c, const hy__c_step *s)
{
    hy__w(c, "double loss = 0;\n");
    hy__c_open_lines(c, s, hy__along_axis(&hy__c_in(s, 0)->shape, -1), 0);
    hy__w(c, "%r top = -INFINITY, sum = 0;\n%K if (%0 > top || %0 != %0) top = %0;\n"
          "%K sum += %Fexp(%0 - top);\n"
          "loss += %Flog(sum) + top - x[%p_index_due((double)x1[o], $k, %d, fault)];\n}\n"
          "y0[0] = (%r)loss;\n", HY_INDEX_RAISE);
}

/* Sums over all paths that spell the labels, with blanks between, step by step in logarithms. */
static void hy__c_ctc_loss(hy__c *c, const hy__c_step *s)
{
    const hy__ctc_loss_rec *r = (const hy__ctc_loss_rec *)s->node->record;
    const int64_t *x = hy__c_in(s, 0)->shape.dim;
    int64_t most = hy__c_in(s, 1)->shape.dim[1], blank = r->blank_label ? x[2] - 1 : 0;
    hy__c_sizes(c, "tnkmpb", x[0], x[1], x[2], most, 2 * most + 1, blank);
    c->scratch = (size_t)(2 * (2 * most + 1) + x[2]) * sizeof(double) + (size_t)most * sizeof(int64_t);
    hy__w(c, "double *to = (double *)(void *)scratch, *before = to + $p, *p = before + $p;\n"
          "int64_t *label = (int64_t *)(void *)(p + $k);\n"
          "@n {\nint64_t steps = $t, count = $m, places, i;\ndouble all;\nint bad = 0;\n"
          "%<steps = %p_whole(x2[n]);\n%>%<count = %p_whole(x%d[n]);\n%>", r->use_data_lengths,
          r->use_label_lengths, 2 + (r->use_data_lengths != 0));
    hy__w(c, "bad = steps < 0 || steps > $t || count < 0 || count > $m;\n"
          "for (i = 0; i < count && !bad; i++) {\nlabel[i] = %p_whole(x1[n * $m + i]);\n"
          "%<if (label[i] == %d) break;\n%>bad = label[i] < 0 || label[i] >= $k;\n}\n"
          "if (bad) { *fault = 1; steps = i = 0; }\nplaces = 2 * i + 1;\n"
          "for (int64_t t = 0; t < steps; t++) {\nconst %r *from = x0 + (t * $n + n) * $k;\n"
          "double top = -INFINITY, sum = 0, *swap = before;\nbefore = to;\nto = swap;\n"
          "@k if (from[k] > top) top = from[k];\n@k sum += exp(from[k] - top);\n"
          "@k p[k] = from[k] - top - log(sum);\n"
          "for (int64_t k = 0; k < places; k++) {\ndouble a = t ? before[k] : k < 2 ? 0 : -INFINITY;\n"
          "if (t && k) a = %p_log_sum(a, before[k - 1]);\n"
          "if (t && k > 2 && (k & 1) && label[k / 2] != label[k / 2 - 1])\n"
          "a = %p_log_sum(a, before[k - 2]);\nto[k] = a + p[k & 1 ? label[k / 2] : $b];\n}\n}\n"
          "all = steps ? to[places - 1] : -INFINITY;\n"
          "if (steps && places > 1) all = %p_log_sum(all, to[places - 2]);\n"
          "y0[n] = all == -INFINITY ? 0 : (%r)-all;\n}\n", !r->use_label_lengths, r->blank_label ? -1 : 0);
}

static void hy__c_cumsum(hy__c *c, const hy__c_step *s)
{
    const int from = hy__floating(hy__c_in(s, 0)->dtype), to = hy__floating(c->real);
    const int truth = c->real == HY_BOOL;
    hy__along l = hy__along_axis(&hy__c_in(s, 0)->shape, ((const hy__cumsum_rec *)s->node->record)->axis);
    hy__c_open_lines(c, s, l, l.n);             /* for integers, each is made whole first */
    hy__w(c, from && to ? "double sum = 0;\n%K %y = (%r)(sum += %0);\n}\n"
          : "uint64_t sum = 0;\n%K %y = %<%|(%r)%>%<(int64_t)%>(sum += (uint64_t)"
            "%<%p_to_i64(%0)%|%0%>)%< != 0%>;\n}\n", truth, to, from, truth);
}

/* --- reductions --- */
/* Makes a nest whose places are the axes that stay and whose taps are those that go, and says how many taps
 * there are. x1 is another array, read by its own steps. */
static int64_t hy__c_fold(hy__c *c, const hy_shape *x, int bits, const char *x1, const int64_t *step)
{
    int64_t gone = 1, y = 1;
    int d;
    hy__c_nest_new(c, "x0", x1, "y0");
    for (d = 0; d < x->ndim; d++) *(bits >> d & 1 ? &gone : &y) *= x->dim[d];
    for (d = 0; d < x->ndim; d++) {
        const int goes = bits >> d & 1;
        if (!goes) y /= hy__most(x->dim[d], 1);
        if (x->dim[d] != 1)
            hy__c_axis_of(c, goes ? HY__C_TAP : HY__C_PLACE, hy__c_counters[d], x->dim[d],
                          hy__product(x, d + 1, x->ndim), step ? step[d] : 0, goes ? 0 : y);
    }
    return gone;
}

/* Writes a real number to output o at this place, if anybody wants it. */
static void hy__c_give(hy__c *c, const hy__c_step *s, int o, const char *value)
{
    char at[HY__C_TEXT];
    hy__w(c, "%<y%d[%s] = %[%s%];\n%>", hy__c_wants(c, s, o), o, hy__c_where(c, at, HY__C_OUT), value);
}

/* For each kind: what it begins with, what each element does to it, the same of integers; and two norms. */
enum { HY__C_NORM_1 = HY__MIN + 1, HY__C_NORM_2 };
static const struct { const char *start, *whole_start, *each, *whole; } hy__c_folds[] = {
    { "0", "0", "sum += e", "sum += (uint64_t)e" },                             /* HY__SUM */
    { "0", "0", "sum += e", "sum += (uint64_t)e" },                             /* HY__MEAN */
    { "1", "1", "sum *= e", "sum *= (uint64_t)e" },                             /* HY__PROD */
    { "0", "0", "if (e == e) sum += e", "sum += (uint64_t)e" },                 /* HY__NANSUM */
    { "1", "1", "if (e == e) sum *= e", "sum *= (uint64_t)e" },                 /* HY__NANPROD */
    { "-INFINITY", NULL, "if (e > sum || e != e) sum = e", "if (e > sum) sum = e" },    /* HY__MAX */
    { "INFINITY", NULL, "if (e < sum || e != e) sum = e", "if (e < sum) sum = e" },     /* HY__MIN */
    { "0", "0", "sum += fabs((double)e)", "sum += e < 0 ? 0 - (uint64_t)e : (uint64_t)e" },
    { "0", "0", "sum += (double)e * e", "sum += (uint64_t)e * (uint64_t)e" }
};

static void hy__c_reduce(hy__c *c, const hy__c_step *s)
{
    const hy_shape *x = &hy__c_in(s, 0)->shape, *like = s->node->nin > 1 ? &hy__c_in(s, 1)->shape : NULL;
    const hy__reduce_rec *r = (const hy__reduce_rec *)s->node->record;
    const hy__norm_rec *v = (const hy__norm_rec *)s->node->record;
    const int number = hy__op_number(s->node->op), norm = number == HY_OP_norm;
    const int kind = norm ? v->ord == 1 ? HY__C_NORM_1 : HY__C_NORM_2
        : like ? (int)HY__SUM : s->node->op->member;
    const hy_dtype each = hy__c_wide(hy__c_in(s, 0)->dtype);
    const int whole = !hy__floating(c->real) && !(norm && hy__floating(each));
    const char *start = whole ? hy__c_folds[kind].whole_start : hy__c_folds[kind].start;
    const char *end = kind != HY__C_NORM_2 ? "sum"
        : whole ? "(int64_t)sqrt((double)(int64_t)sum)" : "sqrt(sum)", *type = whole ? "uint64_t" : "double";
    int bits = like ? 0 : norm ? hy__known_axis_bits(&v->axis, 0, x->ndim)
        : hy__known_axis_bits(&r->axis, r->exclude, x->ndim), d;
    int64_t n;
    for (d = 0; d < x->ndim && like; d++) {
        int e = d - (x->ndim - like->ndim);
        if (e < 0 || (like->dim[e] == 1 && x->dim[d] != 1)) bits |= 1 << d;
    }
    n = hy__c_fold(c, x, bits, NULL, NULL);
    if (kind == HY__MAX || kind == HY__MIN) type = hy__c_type(c->real);
    if (!start) start = hy__c_limit(c->real, kind == HY__MIN);
    hy__w(c, "%P {\n%s sum = %s;\n%K {\nconst %t e = %0;\n%s;\n}\n", type, start, (int)each,
          whole ? hy__c_folds[kind].whole : hy__c_folds[kind].each);
    if (kind == HY__MEAN) hy__w(c, whole ? "sum = (uint64_t)((int64_t)sum / %l);\n" : "sum /= %l.0;\n",
                                whole ? hy__most(n, 1) : n);
    hy__w(c, norm && (!whole || c->real == HY_BOOL) ? "%y = %[%s%];\n}\n"
          : c->real == HY_BOOL ? "%y = %s != 0;\n}\n" : "%y = (%r)%s;\n}\n", end);
}

/* Integers that give integers add up as such. */
static void hy__c_histogram(hy__c *c, const hy__c_step *s)
{
    const hy__histogram_rec *r = (const hy__histogram_rec *)s->node->record;
    hy_dtype dtype = hy__c_in(s, 0)->dtype;
    const int bins = s->node->nin > 1;
    int64_t n = hy__c_out(s)->shape.dim[0], i;
    double low = 0, high = 0;
    c->real = HY_F64;
    hy__c_sizes(c, "nik", n, hy__size(&hy__c_in(s, 0)->shape), n + 1);
    if (!bins) hy__histogram_limits(&r->range, &low, &high);
    hy__w(c, bins ? "double e[$k];\n@i:k e[i] = (double)x1[i];\n@i:n if (!(e[i + 1] >= e[i])) *fault = 1;\n"
                  : "static const double e[] = {");
    for (i = 0; i <= n && !bins; i++)
        hy__w(c, "%s%v", i % 8 ? ", " : i ? ",\n " : "\n ", hy__histogram_edge(low, high, n, i, dtype));
    if (!bins) hy__w(c, " };\n");
    if (hy__c_wants(c, s, 0))
        hy__w(c, bins ? "@i:n y0[i] = 0;\n@i {\nconst int64_t at = %p_part_between(e, $n, (double)x0[i]);\n"
                        "if (at >= 0) y0[at]++;\n}\n"
                      : "@i:n y0[i] = 0;\n@i {\n"
                        "const int64_t at = %p_part_of_range(e, $n, (double)x0[i], %v, %v);\n"
                        "if (at >= 0) y0[at]++;\n}\n", low, high);
    if (hy__c_wants(c, s, 1)) hy__w(c, "@i:k y1[i] = (%t)e[i];\n", (int)hy__c_wide(dtype));
}
static void hy__c_allclose(hy__c *c, const hy__c_step *s)
{
    const int nan_differs = ((const hy__allclose_rec *)s->node->record)->nan_differs;
    c->real = HY_F64;
    hy__w(c, "int same = 1;\n%fi {\nconst double a = (double)x0[i], b = (double)x1[i];\nsame &= a == b"
          "%< || (a != a && b != b)%> || (b - b == 0 && fabs(a - b) <= %{atol} + %{rtol} * fabs(b));\n}\n"
          "*y0 = (uint8_t)same;\n", hy__size(&hy__c_in(s, 0)->shape), !nan_differs);
}

static void hy__c_average(hy__c *c, const hy__c_step *s)
{
    const hy___average_rec *r = (const hy___average_rec *)s->node->record;
    const hy_shape *x = &hy__c_in(s, 0)->shape, *w = s->node->nin > 1 ? &hy__c_in(s, 1)->shape : NULL;
    int bits = hy__known_axis_bits(&r->axis, 0, x->ndim), d;
    int64_t step[HY_MAX_DIM];
    for (d = 0; d < x->ndim; d++)
        step[d] = w && w->ndim != x->ndim ? (bits >> d & 1) : hy__product(x, d + 1, x->ndim);
    hy__c_fold(c, x, bits, "x1", step);
    hy__w(c, "%P {\ndouble sum = 0, all = 0;\n%K {\n%<const double w = (double)%1;\nsum += w * (double)%0;\n"
          "all += w;%|sum += (double)%0;\nall++;%>\n}\n", w != NULL);
    hy__c_give(c, s, 0, "(sum / all)");
    hy__c_give(c, s, 1, "all");
    hy__w(c, "}\n");
}

/* What is folded is gathered in so many lines of such a length, turned if columns are wanted or shorter. */
static void hy__c_np_norm(hy__c *c, const hy__c_step *s)
{
    const hy___np_norm_rec *r = (const hy___np_norm_rec *)s->node->record;
    const hy_shape *x = &hy__c_in(s, 0)->shape;
    hy_infer quiet;
    int axis[2], turned, n, kind, d;
    int64_t step[HY_MAX_DIM], rows, columns, lines, length;
    memset(&quiet, 0, sizeof quiet);
    n = hy__norm_axes(&quiet, r, x->ndim, axis);
    kind = hy__norm_kind(r, n);
    rows = n == 2 ? x->dim[axis[0]] : 1;
    columns = x->dim[axis[n - 1]];
    turned = kind == HY__NORM_COLUMNS || (kind == HY__NORM_SINGULAR && rows > columns);
    lines = turned ? columns : rows;
    length = turned ? x->dim[axis[0]] : columns;
    for (d = 0; d < x->ndim; d++)
        step[d] = d == axis[n - 1] ? (turned ? length : 1) : d != axis[0] ? 0 : turned ? 1 : length;
    hy__c_fold(c, x, 1 << axis[0] | 1 << axis[n - 1], "a", step);
    c->scratch = (size_t)((length + 1) * lines + 1) * sizeof(double);
    hy__c_sizes(c, "anl", lines * length, lines, length);
    hy__w(c, "double *a = (double *)(void *)scratch, *v = a + $a;\n(void)v;\n%P {\n%K %1 = (double)%0;\n"
          "double y = ");
    if (kind < HY__NORM_COLUMNS)
        hy__w(c, "%p_vector_norm(a, $a, %v, %d);\n", kind == HY__NORM_POWER ? r->flag == 1 ? 2 : r->ord : 0,
              (kind == HY__NORM_MOST) - (kind == HY__NORM_LEAST));
    else if (kind < HY__NORM_SINGULAR)
        hy__w(c, "0;\nfor (int i = 0; i < $a; i++) v[i / $l] = (i %% $l ? v[i / $l] : 0) + fabs(a[i]);\n"
              "y = %p_extreme_of(v, $n, %d);\n", r->ord > 0);
    else hy__w(c, "%p_bring_near(a, $a), sum = 0;\n%p_singular_values(a, $l, $n, v, NULL);\n"
               "@i:n sum += v[i];\ny *= %<sum%|%p_extreme_of(v, $n, %d)%>;\n", r->flag == 2, r->ord > 0);
    hy__c_give(c, s, 0, "y");
    hy__w(c, "}\n");
}
static const char hy__c_mean_and_var[] = "double mean = 0, var = 0;\n%K mean += %0;\nmean /= $n.0;\n"
    "%K var += (%0 - mean) * (%0 - mean);\n";
static void hy__c_moments(hy__c *c, const hy__c_step *s)
{
    const hy__moments_rec *r = (const hy__moments_rec *)s->node->record;
    const hy_shape *x = &hy__c_in(s, 0)->shape;
    hy__c_sizes(c, "n", hy__c_fold(c, x, hy__known_axis_bits(&r->axes, 0, x->ndim), NULL, NULL));
    hy__w(c, "%P {\n");
    hy__w(c, hy__c_mean_and_var);
    hy__w(c, "var /= $n.0;\n");
    hy__c_give(c, s, 0, "mean");
    hy__c_give(c, s, 1, "var");
    hy__w(c, "}\n");
}

/* --- normalisation --- */
/* Brings lines of x, along an axis or of a group each, to mean 0 and deviation 1, then to scale and shift. */
static void hy__c_norm_lines(hy__c *c, const hy__c_step *s)
{
    const hy_shape *x = &hy__c_in(s, 0)->shape;
    const int number = hy__op_number(s->node->op), layer = number == HY_OP_layer_norm;
    const int statistics = number != HY_OP_instance_norm;
    const int64_t groups = (int64_t)hy__c_attr(s->node, "num_groups", x->ndim > 1 ? (double)x->dim[1] : 1);
    const hy__along l = layer ? hy__along_axis(x, hy__c_axis_attr(s->node))
        : hy__c_lines_of_rows(x, x->dim[0] * groups);
    const hy_dtype real = c->real;
    char which[HY__C_TEXT] = "k", statistic[HY__C_TEXT] = "o";
    if (layer) hy__c_text(statistic, "o * %l + j", l.inner);
    else hy__c_text(which, "o %% %l", groups);
    hy__c_open_lines(c, s, l, l.n);
    hy__c_sizes(c, "n", hy__most(l.n, 1));
    hy__w(c, hy__c_mean_and_var);
    c->real = HY_F64;
    hy__w(c, "const double deviation = sqrt(var / $n.0 + %{eps});\n");
    c->real = real;
    hy__w(c, "const %r middle = (%r)mean, scale = (%r)(1 / deviation);\n"
          "%K %y = (%0 - middle) * scale * x1[%s] + x2[%s];\n", which, which);
    hy__w(c, "%<y1[%s] = (%r)mean;\n%>%<y2[%s] = (%r)deviation;\n%>}\n", statistics && hy__c_wants(c, s, 1),
          statistic, statistics && hy__c_wants(c, s, 2), statistic);
}

static void hy__c_batch_norm(hy__c *c, const hy__c_step *s)
{
    const hy__batch_norm_rec *r = (const hy__batch_norm_rec *)s->node->record;  /* or a copy of it */
    hy__along l = hy__along_axis(&hy__c_in(s, 0)->shape, r->axis);
    hy__c_sizes(c, "okj", l.outer, l.n, l.inner);
    hy__w(c, "@k {\nconst double inverse = 1 / sqrt((double)x4[k] + %{eps});\n"
          "const %r middle = x3[k], scale = (%r)(inverse%< * x1[k]%>), shift = x2[k];\n"
          "%<y1[k] = x3[k];\n%>%<y2[k] = (%r)inverse;\n%>@o @j {\nconst int at = (o * $k + k) * $j + j;\n"
          "const %r e = (x0[at] - middle) * scale + shift;\ny0[at] = %<e <= 0 ? 0 : %>e;\n}\n}\n",
          r->learn_gamma, hy__c_wants(c, s, 1), hy__c_wants(c, s, 2),
          hy__op_number(s->node->op) == HY_OP_batch_norm_relu);
}

static void hy__c_l2_normalization(hy__c *c, const hy__c_step *s)
{
    const hy__l2_normalization_rec *r = (const hy__l2_normalization_rec *)s->node->record;
    const hy_shape *x = &hy__c_in(s, 0)->shape;
    const int64_t rows = x->dim[0] * (r->mode == HY_L2_SPATIAL ? x->dim[1] : 1);
    const hy__along l = r->mode == HY_L2_CHANNEL ? hy__along_axis(x, 1) : hy__c_lines_of_rows(x, rows);
    hy__c_open_lines(c, s, l, l.n);
    hy__w(c, "double sum = %{eps};\n%K sum += (double)%0 * %0;\nconst double norm = sqrt(sum);\n"
          "%K %y = %0 / norm;\n}\n");
}

static void hy__c_prelu(hy__c *c, const hy__c_step *s)
{
    const hy_shape *x = &hy__c_in(s, 0)->shape;
    const hy__along l = hy__along_axis(x, x->ndim > 1 ? 1 : 0);
    const int64_t n = hy__size(&hy__c_in(s, 1)->shape);
    hy__c_sizes(c, "okj", l.outer, l.n, l.inner);
    hy__c_nest_of(c, "okj", "okj", "okj", n == 1 ? NULL : n == hy__size(x) ? "okj" : "k");
    hy__w(c, "%P %y = %0 > 0 ? %0 : %0 * %1;\n");
}

/* MARK: - 85 >>c_indexing ------------------------------------------------------------------------------
 *
 * What reads by places that values name, or by an order of values: sorting, indexing, sequences; and matrices
 * that are solved.
 */
/* --- sorting --- */
/* Those of so many rows that fit (NULL: all) in order: order[0 .. m - 1] are the best k. behind: whether row
 * order[p - 1] comes after row i. */
static void hy__c_best(hy__c *c, int64_t rows, int64_t k, const char *fits, const char *behind)
{
    hy__w(c, "int m = 0;\n%fi {\nint p;\n%<if (!(%s)) continue;\n%>p = m < %l ? m++ : m;\n"
          "for (; p > 0 && %s; p--) if (p < m) order[p] = order[p - 1];\nif (p < m) order[p] = i;\n}\n", rows,
          fits != NULL, fits ? fits : "", k, behind);
}

static void hy__c_sort(hy__c *c, const hy__c_step *s)
{
    const int number = hy__op_number(s->node->op), topk = number == HY_OP_topk;
    const int up = topk ? (int)hy__c_attr(s->node, "is_ascend", 0) : !hy__c_attr(s->node, "descending", 0);
    const int kind = (int)hy__c_attr(s->node, "ret_typ",
                                     number == HY_OP_sort ? HY_TOPK_VALUE : HY_TOPK_INDICES);
    const int indices = kind == HY_TOPK_INDICES ? 0 : kind == HY_TOPK_BOTH ? 1 : -1;
    const hy__along l = hy__along_axis(&hy__c_in(s, 0)->shape, hy__c_axis_attr(s->node));
    const int64_t most = (int64_t)hy__c_attr(s->node, "k", 0), k = most >= 1 && most < l.n ? most : l.n;
    char behind[HY__C_TEXT], mine[HY__C_TEXT], best[HY__C_TEXT];
    hy_dtype value = hy__c_wide(hy__c_in(s, 0)->dtype);
    if (!l.n) return;
    c->scratch = (size_t)l.n * sizeof(int32_t);         /* the best so far stay in order */
    hy__w(c, "int32_t *order = (int32_t *)(void *)scratch;\n%<%fi y0[i] = 0;\n%>", kind == HY_TOPK_MASK,
          hy__size(&hy__c_out(s)->shape));
    hy__c_open_lines(c, s, l, 0);
    hy__c_text(mine, "x[i * %l]", l.inner);
    hy__c_text(best, "x[order[p - 1] * %l]", l.inner);
    if (hy__floating(value)) hy__c_need(c, "after");
    hy__c_text(behind, hy__floating(value) ? "%s_after(%s, %s)" : "%s%s > %s",
               hy__floating(value) ? c->prefix : "", up ? best : mine, up ? mine : best);
    hy__c_best(c, l.n, k, NULL, behind);
    hy__c_sizes(c, "s", k);
    hy__w(c, "for (int i = 0; i < m; i++) {\n%<y0[(o * $k + order[i]) * $j + j] = 1;\n%>"
          "%<y0[(o * $s + i) * $j + j] = (%t)x[order[i] * $j];\n%>", kind == HY_TOPK_MASK,
          kind == HY_TOPK_VALUE || kind == HY_TOPK_BOTH, (int)value);
    if (indices >= 0 && hy__c_wants(c, s, indices))
        hy__w(c, "y%d[(o * $s + i) * $j + j] = (%t)order[i];\n", indices,
              (int)hy__c_wide(s->node->type[indices].dtype));
    hy__w(c, "}\n}\n");
}

static void hy__c_arg(hy__c *c, const hy__c_step *s)
{
    const int number = hy__op_number(s->node->op), real = hy__floating(hy__c_in(s, 0)->dtype);
    const int axis = number == HY_OP_argmax_channel ? 1 : hy__c_axis_attr(s->node);
    const hy__along l = hy__along_axis(&hy__c_in(s, 0)->shape, axis);
    hy__c_open_lines(c, s, l, 1);
    hy__c_axis_of(c, HY__C_TAP, "best", 0, 0, l.inner, 0);
    c->nest.name[1] = "x";
    hy__w(c, "int best = 0;\nfor (int k = 1; k < $k; k++)\n"
          "if (%0 %s %1%< || (%0 != %0 && %1 == %1)%>) best = k;\n*y = (%r)best;\n}\n",
          number == HY_OP_argmin ? "<" : ">", real);
}

/* --- indexing: "at" is the place in a of an array that has it, whose dim a is as long as can be --- */
/* Writes that place, as x1 says it: the nearest, from the start again, or a mistake if it lies beyond
 * (signed: counted from the end if negative). */
static void hy__c_write_index(hy__c *c, int mode)
{
    const int due = mode == HY_INDEX_RAISE || mode == HY__INDEX_SIGNED;
    hy__w(c, due ? "%p_index_due((double)%1, $a, %d, fault)"
                 : "%p_index_place(%p_to_i64((double)%1), $a, %d)", mode);
}

/* Slices or elements along an axis are read, or rows put. */
static void hy__c_indexed(hy__c *c, const hy__c_step *s)
{
    const int number = hy__op_number(s->node->op), embedding = number == HY_OP_embedding;
    const int picks = number == HY_OP_pick || number == HY_OP_batch_take, rows = number == HY_OP_put_rows;
    const int puts = rows || number == HY_OP_index_copy, index = rows ? 2 : !embedding;
    const hy__along l = hy__along_axis(&hy__c_in(s, embedding)->shape,
                                       (int)hy__c_attr(s->node, "axis", number == HY_OP_batch_take));
    hy__c_sizes(c, "oaki", l.outer, l.n, l.inner, !picks ? hy__size(&hy__c_in(s, index)->shape)
                : hy__size(&hy__c_out(s)->shape) / hy__most(l.outer * l.inner, 1));
    if (puts) hy__w(c, "%fi y0[i] = x0[i];\n", hy__size(&hy__c_in(s, 0)->shape));
    if (picks) hy__c_nest_of(c, "oik", "oik", "oak", "oik");
    else if (puts) hy__c_nest_of(c, "oi.k", "oak", rows ? "x1:oik" : "x2:oik", rows ? "x2:i" : "x1:i");
    else hy__c_nest_of(c, "oi.k", "oik", embedding ? "x1:oak" : "oak", embedding ? "x0:i" : "i");
    hy__w(c, "%P {\nconst int64_t at = ");
    hy__c_write_index(c, puts ? (int)HY_INDEX_RAISE : (int)hy__c_attr(s->node, "mode", HY_INDEX_CLIP));
    hy__w(c, ";\n%K %y = %0;\n}\n");
}

static void hy__c_one_hot(hy__c *c, const hy__c_step *s)
{
    const hy__one_hot_rec *r = (const hy__one_hot_rec *)s->node->record;
    hy__c_sizes(c, "ik", hy__size(&hy__c_in(s, 0)->shape), (int64_t)r->depth);
    hy__c_nest_of(c, "ik", "ik", "i", NULL);
    hy__w(c, "%P\n%y = %p_whole((double)%0) == k ? %v : %v;\n", hy__c_value_held(r->on_value, c->real),
          hy__c_value_held(r->off_value, c->real));
}

/* gather_nd, scatter_nd and the sums of its slices: tuples of an index name a slice of `whole`. */
static void hy__c_tuples(hy__c *c, const hy__c_step *s)
{
    int number = hy__op_number(s->node->op), gather = number == HY_OP_gather_nd, d;
    const hy_shape *whole = &(gather ? hy__c_in(s, 0) : hy__c_out(s))->shape, *index = &hy__c_in(s, 1)->shape;
    int64_t m = index->dim[0];
    char row[HY__C_NUMBER] = "0";
    if (!gather) hy__w(c, "%fi y0[i] = 0;\n", hy__size(whole));
    c->letter[(int)'d'].name = row;
    hy__c_sizes(c, "ik", hy__product(index, 1, index->ndim), hy__product(whole, (int)m, whole->ndim));
    hy__c_nest_of(c, "i.k", gather ? "ik" : "ak", gather ? "ak" : "ik", "di");
    hy__w(c, "%P {\nint64_t at = 0;\n");
    for (d = 0; d < m; d++) {
        row[hy__text_i64(row, d)] = 0;
        hy__c_sizes(c, "a", whole->dim[d]);
        hy__w(c, "at = at * $a + ");
        hy__c_write_index(c, HY__INDEX_SIGNED);
        hy__w(c, ";\n");
    }
    hy__w(c, gather || number == HY_OP_scatter_nd ? "%K %y = %0;\n}\n" : "%K %y += %0;\n}\n");
}

/* --- sequences: time is axis 0 or 1, the batch the other; s is the place along it that is read --- */
static void hy__c_sequence(hy__c *c, const hy__c_step *s)
{
    const hy_shape *x = &hy__c_in(s, 0)->shape;
    const int number = hy__op_number(s->node->op), last = number == HY_OP_sequence_last;
    const int mask = number == HY_OP_sequence_mask;
    const int axis = hy__c_axis_attr(s->node);
    const int64_t steps = x->dim[axis];
    c->letter[(int)'s'].name = mask ? "t" : last ? "(length > 0 ? length - 1 : 0)"
        : "(t < length ? length - 1 - t : t)";
    hy__c_sizes(c, "tsnk", steps, steps, x->dim[1 - axis], hy__product(x, 2, x->ndim));
    hy__c_nest_of(c, last ? "n.k" : "n.tk", last ? "nk" : axis ? "ntk" : "tnk", axis ? "nsk" : "snk", NULL);
    hy__w(c, "%P {\nconst int length = ");
    hy__w(c, s->node->nin > 1 ? hy__c_length : "$t;\n", "n", steps);
    hy__w(c, mask ? "%K\n%y = t < length ? %0 : (%r)%v;\n}\n" : "%K\n%y = %0;\n}\n",
          hy__c_value_held(hy__c_attr(s->node, "value", 0), c->real));
}

/* --- matrices, in doubles as here --- */
/* Each is at a. n: its order, q: as many numbers as it has, r: as many as b has, d: from one of its diagonal
 * to the next. */
static void hy__c_matrices(hy__c *c, const hy__c_step *s)
{
    const hy_shape *a = &hy__c_in(s, 0)->shape, *y = &hy__c_out(s)->shape;
    const int64_t n = a->dim[a->ndim - 1], all = hy__product(a, 0, a->ndim - 2), one = 1;
    const int64_t results = hy__size(y) / hy__most(all, 1);
    const int number = hy__op_number(s->node->op), det = number == HY_OP_linalg_det;
    c->scratch = (size_t)(n * n + results + 1) * sizeof(double);   /* 1: those of 0 x 0 are named, too */
    hy__c_sizes(c, "onqrd", results ? all : 0, n, n * n, results, n + 1);
    hy__w(c, "double *a = (double *)(void *)scratch, *b = a + $q;\n@o {\n@i:q a[i] = x0[o * $q + i];\n");
    if (det || number == HY_OP_linalg_slogdet) {
        hy__w(c, "double sign = %p_eliminate(a, $n, b, 0), product = sign, sum = 0;\n"
              "for (int i = 0; i < $n && sign != 0; i++) {\nproduct *= a[i * $d];\n"
              "sum += log(fabs(a[i * $d]));\nif (a[i * $d] < 0) sign = -sign;\n}\n");
        hy__w(c, "%<(void)sum;\ny0[o] = (%r)product;\n%|(void)product; (void)sum;\n%<y0[o] = (%r)sign;\n%>"
              "%<y1[o] = sign != 0 ? (%r)sum : -INFINITY;\n%>%>}\n", det, hy__c_wants(c, s, 0),
              !det && hy__c_wants(c, s, 1));
        return;
    }
    if (number == HY_OP_linalg_inverse)
        hy__w(c, "@i:q b[i] = i %% $d == 0;\nif (!%p_eliminate(a, $n, b, $n)) *fault = 1;\n"
              "%p_triangle_solve(a, $n, 1, 0, b, $n, 1, $n, $n);\n");
    else if (number == HY_OP_linalg_potrf)
        hy__w(c, "if (!%p_cholesky(a, b, $n)) *fault = 1;\n");
    else {
        const hy__linalg_trsm_rec *r = (const hy__linalg_trsm_rec *)s->node->record;
        const int turned = (r->transpose != 0) != (r->rightside != 0);
        const int64_t columns = y->dim[y->ndim - 1];
        hy__c_sizes(c, "ijuvm", turned ? one : n, turned ? n : one, r->rightside ? one : columns,
                    r->rightside ? columns : one, r->rightside ? y->dim[y->ndim - 2] : columns);
        hy__w(c, "@i:r b[i] = %{alpha} * (double)x1[o * $r + i];\n"
              "%p_triangle_solve(a, $i, $j, %d, b, $u, $v, $n, $m);\n", turned == (r->upper != 0));
    }
    hy__w(c, "@i:r y0[o * $r + i] = (%r)b[i];\n}\n");
}

static void hy__c_triangle(hy__c *c, const hy__c_step *s)
{
    const hy_shape *x = &hy__c_in(s, 0)->shape;
    const int64_t columns = x->dim[x->ndim - 1], rows = x->ndim > 1 ? x->dim[x->ndim - 2] : columns;
    hy__c_sizes(c, "oijk", hy__product(x, 0, x->ndim - 2), rows, columns,
                (int64_t)((const hy__tril_rec *)s->node->record)->k);
    hy__c_nest_of(c, "oij", "oij", x->ndim > 1 ? "oij" : "j", NULL);
    hy__w(c, "%P\n%y = j - i %s $k ? %0 : 0;\n", hy__op_number(s->node->op) == HY_OP_triu ? ">=" : "<=");
}

/* MARK: - 86 >>c_images --------------------------------------------------------------------------------
 *
 * Images and regions: windows that spread, places between places, boxes.
 */
#ifndef HYBRID_NO_VISION
/* --- images: windows again, and places between places --- */
static void hy__c_deconvolution(hy__c *c, const hy__c_step *s)
{
    const int whole = !hy__floating(c->real);
    char text[HY__C_TEXT];
    const hy__deconvolution_rec *r = (const hy__deconvolution_rec *)s->node->record;
    hy__conv_attr a;
    hy_ints pad, pad_end, adj;
    hy__c_window w;
    HY__CONV_ATTR(&a, r);
    hy__deconv_pad(r, &a, &hy__c_in(s, 0)->shape, &pad, &pad_end, &adj);
    a.pad = &pad;
    a.pad_end = &pad_end;               /* channels are the result's here, filters the input's */
    hy__conv_window(&w.win, &a, &hy__c_out(s)->shape, &hy__c_in(s, 0)->shape);
    hy__c_window_of(&w, &hy__c_out(s)->shape, &hy__c_in(s, 0)->shape, a.last, a.groups);
    if (whole) {
        c->scratch = (size_t)hy__size(&hy__c_out(s)->shape) * sizeof(double);
        hy__w(c, "double *sum = (double *)(void *)scratch;\n");
    }
    hy__c_sizes(c, "nci", w.batch, w.channels, w.places);
    hy__c_nest_of(c, "nci", a.last ? "nic" : "nci", NULL, NULL);
    if (whole) c->nest.name[HY__C_OUT] = "sum";
    hy__w(c, "%P\n%y = %s;\n", s->node->nin > 2 ? "x2[c]" : "0");
    hy__c_window_nest(c, &w, HY__C_OUT, 0, text);
    if (whole) c->nest.name[HY__C_OUT] = "sum";
    hy__w(c, "%P {\nconst %t e = %0;\n%K {\n%B%y += e * %1;\n}\n}\n%<%fi y0[i] = %[sum[i]%];\n%>",
          (int)hy__c_sum_type(c), whole, hy__size(&hy__c_out(s)->shape));
}

static void hy__c_sizes_of(hy__c *c, const char *letters, const hy_shape *shape)
{
    int d;
    for (d = 0; letters[d]; d++) c->letter[(int)letters[d]].size = shape->dim[d];
}

/* A tap that goes from one number to another. */
static void hy__c_span(hy__c *c, int letter, const char *from, const char *to)
{
    hy__c_axis *a = hy__c_axis_at(c, letter);
    a->kind = HY__C_TAP;
    a->n = 0;
    a->from = from;
    a->to = to;
}

/* Dims of input 0 are N, C, H and V, those of the result n, c, h and v; it is there that loops go. */
static void hy__c_images(hy__c *c, const hy__c_step *s)
{
    hy__c_sizes_of(c, "NCHV", &hy__c_in(s, 0)->shape);
    hy__c_sizes_of(c, "nchv", &hy__c_out(s)->shape);
    hy__c_nest_of(c, "nchv", "nchv", NULL, NULL);
}

static void hy__c_adaptive(hy__c *c, const hy__c_step *s)
{
    hy__c_images(c, s);
    hy__c_sizes_of(c, "ncik", &hy__c_in(s, 0)->shape);
    hy__c_nest_of(c, "nchv.ik", "nchv", "ncik", NULL);
    hy__c_span(c, 'i', "top", "bottom");
    hy__c_span(c, 'k', "left", "right");
    hy__w(c, "%P {\nconst int top = h * $H / $h, bottom = ((h + 1) * $H + $h - 1) / $h;\n"
          "const int left = v * $V / $v, right = ((v + 1) * $V + $v - 1) / $v;\ndouble sum = 0;\n"
          "%K sum += %0;\n%y = %[sum / ((bottom - top) * (right - left))%];\n}\n");
}

static void hy__c_lrn(hy__c *c, const hy__c_step *s)
{
    const hy__lrn_rec *r = (const hy__lrn_rec *)s->node->record;
    const hy__along l = hy__along_axis(&hy__c_in(s, 0)->shape, 1);
    const int near = r->nsize / 2;
    char from[HY__C_TEXT], to[HY__C_TEXT];
    hy__c_text(from, "(k < %d ? 0 : k - %d)", near, near);
    hy__c_text(to, "(k < %l ? k + %d : %l)", l.n - near, near + 1, l.n);
    hy__c_sizes(c, "okji", l.outer, l.n, l.inner, l.n);
    hy__c_nest_of(c, "okj.i", "okj", "oij", "x0:okj");
    hy__c_span(c, 'i', from, to);
    hy__w(c, "%P {\n%r sum = 0;\n%K sum += %0 * %0;\n%y = %1 * %Fpow(%{knorm} + %v * sum, %v);\n}\n",
          r->alpha / r->nsize, -r->beta);
}

/* Several inputs become as large as the result, and stand side by side or are summed. */
static void hy__c_upsampling(hy__c *c, const hy__c_step *s)
{
    const hy__upsampling_rec *r = (const hy__upsampling_rec *)s->node->record;
    const hy_shape *y = &hy__c_out(s)->shape;
    const int sum = r->multi_input_mode == HY_JOIN_SUM;
    char name[4][HY__C_TEXT];
    int64_t at = 0;
    int k;
    for (k = 0; k < s->node->nin; k++) {
        const hy_shape *x = &hy__c_in(s, k)->shape;
        hy__c_sizes_of(c, "nghv", y);
        hy__c_sizes_of(c, "ncij", x);
        c->letter[(int)'g'].name = hy__c_text(name[0], "(%l + c)", at);
        c->letter[(int)'i'].name = hy__c_text(name[1], "(h / %l)", y->dim[2] / hy__most(x->dim[2], 1));
        c->letter[(int)'j'].name = hy__c_text(name[2], "(v / %l)", y->dim[3] / hy__most(x->dim[3], 1));
        hy__c_nest_of(c, "nchv", "nghv", "ncij", NULL);
        c->nest.name[0] = hy__c_text(name[3], "x%d", k);
        hy__w(c, sum && k ? "%P\n%y += %0;\n" : "%P\n%y = %0;\n");
        if (!sum) at += x->dim[1];
    }
}

/* Dims of images (H,W,C), or of several. */
static void hy__c_picture(hy__c *c, const char *letters, const hy_shape *s)
{
    const hy__picture p = hy__picture_of(s);
    hy__c_sizes(c, letters, p.n, p.h, p.w, p.c);
}
/* Where a place of the result lies in the input: at a whole place, as areas do, or so that corners stay. */
static const char *const hy__c_resized_places[] = {
    "floor(%a * (1 / ($l.0 / $L.0)))", "(%a + 0.5) * $L.0 / $l.0 - 0.5", "%a * $e.0 / %l" };

/* Both resize operators: images (N,C,H,W), or pictures, whose channels are last. */
static void hy__c_resize(hy__c *c, const hy__c_step *s)
{
    const int last = hy__op_number(s->node->op) == HY_OP_image_resize;
    const int kind = last ? hy__c_attr(s->node, "interp", 0) != 0
        : hy__c_attr(s->node, "half_pixels", 0) != 0 ? 1 : 2;
    const hy_shape *in = &hy__c_in(s, 0)->shape, *out = &hy__c_out(s)->shape;
    int d;
    if (last) hy__c_picture(c, "NHVC", in); else hy__c_sizes_of(c, "NCHV", in);
    if (last) hy__c_picture(c, "nhvc", out); else hy__c_sizes_of(c, "nchv", out);
    c->letter[(int)'H'].name = "h1";
    c->letter[(int)'V'].name = "v1";
    hy__c_nest_of(c, last ? "nhvc" : "nchv", last ? "nhvc" : "nchv", last ? "nHVc" : "ncHV", NULL);
    hy__w(c, "%P {\n");
    for (d = 0; d < 2; d++) {
        const int64_t fine = c->letter[d ? (int)'V' : (int)'H'].size;
        const int64_t coarse = c->letter[d ? (int)'v' : (int)'h'].size;
        c->word[0] = d ? "v" : "h";
        hy__c_sizes(c, "Llse", fine, coarse, hy__c_axis_at(c, d ? 'V' : 'H')->step[0], fine - 1);
        hy__w(c, "const double %a0 = ");
        hy__w(c, !last && coarse < 2 ? "0.0" : hy__c_resized_places[kind], coarse - 1);
        hy__w(c, ", %ap = %a0 < 0 ? 0 : %a0 < $e ? %a0 : $e;\n"
              "const int %a1 = (int)%ap, %a2 = %a1 < $e ? $s : 0;\nconst double %af = %ap - %a1;\n");
    }
    hy__w(c, "const %t *a = &%0, *b = a + h2;\n"
          "const double k = hf > 0 ? (1 - hf) * a[0] + hf * b[0] : a[0];\n"
          "const double l = hf > 0 ? (1 - hf) * a[v2] + hf * b[v2] : a[v2];\n"
          "%y = %<(%r)(%|(uint8_t)floor((%>vf > 0 ? (1 - vf) * k + vf * l : k)%<%| + 0.5)%>;\n}\n",
          (int)hy__c_wide(hy__c_in(s, 0)->dtype), hy__floating(hy__c_out(s)->dtype),
          hy__floating(hy__c_out(s)->dtype));
}

static void hy__c_to_tensor(hy__c *c, const hy__c_step *s)
{
    hy__c_picture(c, "nhvc", &hy__c_in(s, 0)->shape);
    hy__c_nest_of(c, "nchv", "nchv", "nhvc", NULL);
    hy__w(c, "%P %y = (float)(%0 / 255.0);\n");
}

/* A table of doubles. */
static void hy__c_doubles(hy__c *c, const char *name, const double *v, int n)
{
    const hy_dtype real = c->real;
    int i;
    c->real = HY_F64;
    hy__w(c, "static const double %s[] = { ", name);
    for (i = 0, c->items = 0; i < n; i++) hy__w(c, "%,%v", v[i]);
    hy__w(c, " };\n");
    c->real = real;
}
static void hy__c_normalize(hy__c *c, const hy__c_step *s)
{
    const hy__image_normalize_rec *r = (const hy__image_normalize_rec *)s->node->record;
    const hy_shape *x = &hy__c_in(s, 0)->shape;
    const int64_t *dim = x->dim + x->ndim - 3;
    static const double none = 0, one = 1;
    hy__c_sizes(c, "nci", x->ndim > 3 ? x->dim[0] : (int64_t)1, dim[0], dim[1] * dim[2]);
    hy__c_nest_of(c, "nci", "nci", "nci", NULL);
    hy__c_doubles(c, "mean", r->mean.n > 0 ? r->mean.v : &none, r->mean.n > 0 ? r->mean.n : 1);
    hy__c_doubles(c, "std", r->std.n > 0 ? r->std.v : &one, r->std.n > 0 ? r->std.n : 1);
    hy__w(c, "%P {\nconst double e = %0;\n%y = %[(e - mean[%s]) / std[%s]%];\n}\n", r->mean.n > 1 ? "c" : "0",
          r->std.n > 1 ? "c" : "0");
}
static void hy__c_light(hy__c *c, const hy__c_step *s)
{
    const hy__image_adjust_lighting_rec *r = (const hy__image_adjust_lighting_rec *)s->node->record;
    double by[3];
    hy__draw_light(r->alpha.v, by);
    hy__c_picture(c, "nhvc", &hy__c_in(s, 0)->shape);
    hy__c_nest_of(c, "nhvc", "nhvc", "nhvc", NULL);
    if (c->letter[(int)'c'].size != 3) by[0] = by[1] = by[2] = 0;
    hy__c_doubles(c, "by", by, 3);
    hy__w(c, "%P {\nconst double e = %0;\n%y = %[e + by[c %% 3]%];\n}\n");
}

/* x and y, from -1 to 1, of place (h, v) in a grid of so many, mapped by six numbers at m. */
static const char hy__c_mapped[] =
    "const double down = $p.0 * h / $q - 1, across = $s.0 * v / $t - 1;\n"
    "const double gx = m[0] * across + m[1] * down + m[2];\n"
    "const double gy = m[3] * across + m[4] * down + m[5];\n";
static void hy__c_grid_sizes(hy__c *c, int64_t height, int64_t width)
{
    const int tall = height > 1, wide = width > 1;
    hy__c_sizes(c, "pqst", (int64_t)(2 * tall), height - tall, (int64_t)(2 * wide), width - wide);
}

static void hy__c_grid(hy__c *c, const hy__c_step *s)
{
    const hy_shape *y = &hy__c_out(s)->shape;
    const int affine = ((const hy__grid_generator_rec *)s->node->record)->transform_type == HY_GRID_AFFINE;
    hy__c_sizes_of(c, "nchv", y);
    hy__c_sizes(c, "m", y->dim[2] * y->dim[3]);
    hy__c_grid_sizes(c, y->dim[2], y->dim[3]);
    c->letter[(int)'c'].name = "";
    hy__c_nest_of(c, "nhv", "nchv", "nchv", NULL);
    hy__w(c, "%P {\n%r *y = &%y;\nconst %r *%<m = x0 + 6 * n%|x = &%0%>;\n", affine);
    hy__w(c, affine ? hy__c_mapped
          : "const double gx = $s.0 * ((double)x[0] + v) / $t - 1,\n"
            "gy = $p.0 * ((double)x[$m] + h) / $q - 1;\n");
    hy__w(c, "y[0] = (%r)gx;\ny[$m] = (%r)gy;\n}\n");
}

static void hy__c_sampler(hy__c *c, const hy__c_step *s)
{
    const int64_t *x = hy__c_in(s, 0)->shape.dim, *y = hy__c_out(s)->shape.dim;
    const int maps = hy__op_number(s->node->op) == HY_OP_spatial_transformer;
    hy__c_images(c, s);
    hy__c_nest_of(c, "nhv.c", "nchv", NULL, NULL);
    hy__c_sizes(c, "ij", x[2] - 1, x[3] - 1);
    hy__c_grid_sizes(c, y[2], y[3]);
    hy__w(c, maps ? "%P {\nconst %r *m = x1 + 6 * n;\n"
                  : "%P {\nconst double gx = x1[(2 * n * $h + h) * $v + v];\n"
                    "const double gy = x1[((2 * n + 1) * $h + h) * $v + v];\n");
    if (maps) hy__w(c, hy__c_mapped);
    hy__w(c, "const double u = (gx + 1) * 0.5 * $j, w = (gy + 1) * 0.5 * $i;\n"
          "const int inside = u > -1 && u < $V && w > -1 && w < $H;\n"
          "const int left = inside ? (int)floor(u) : 0, top = inside ? (int)floor(w) : 0;\n"
          "%K {\nconst %r *x = x0 + (n * $C + c) * $H * $V;\ndouble sum = 0;\n"
          "for (int k = 0; k < 4 && inside; k++) {\nconst int row = top + k / 2, column = left + k %% 2;\n"
          "if (row >= 0 && row < $H && column >= 0 && column < $V)\n"
          "sum += (1 - fabs(w - row)) * (1 - fabs(u - column)) * x[row * $V + column];\n}\n"
          "%y = (%r)sum;\n}\n}\n");
}

/* Writes where tap k of place q looks: p0, p1 and p2. */
static void hy__c_meeting(hy__c *c, const hy__window *w)
{
    int64_t taps = hy__window_size(w->kernel), places = hy__window_size(w->coarse);
    int d;
    for (d = 0; d < HY__SPACE; d++) {
        taps /= w->kernel[d];
        places /= w->coarse[d];
        hy__w(c, "const int p%d = q / %l %% %l * %l + k / %l %% %l * %l - %l;\n", d, places, w->coarse[d],
              w->stride[d], taps, w->kernel[d], w->dilate[d], w->pad[d]);
    }
}

/* Loops over images, channels, taps and places, between data and columns. */
static void hy__c_columns(hy__c *c, const hy__c_step *s)
{
    const int back = hy__op_number(s->node->op) == HY_OP_col2im;
    const hy_shape *fine = &(back ? hy__c_out(s) : hy__c_in(s, 0))->shape;
    hy__conv_attr a;
    hy__window w;
    if (back) HY__COLUMNS_ATTR(&a, (const hy__col2im_rec *)s->node->record);
    else HY__COLUMNS_ATTR(&a, (const hy__im2col_rec *)s->node->record);
    hy__columns_window(&w, &a, fine);
    hy__c_sizes(c, "nckqaDHV", fine->dim[0], fine->dim[1], hy__window_size(w.kernel),
                hy__window_size(w.coarse), hy__window_size(w.fine), w.fine[0], w.fine[1], w.fine[2]);
    hy__w(c, "%<%fi y0[i] = 0;\n%>@n @c @k @q {\n", back, hy__size(fine));
    hy__c_meeting(c, &w);
    hy__w(c, "const int inside = p0 >= 0 && p0 < $D && p1 >= 0 && p1 < $H && p2 >= 0 && p2 < $V;\n");
    hy__w(c, back ? "if (inside) y0[(n * $c + c) * $a + (p0 * $H + p1) * $V + p2] += "
                    "x0[((n * $c + c) * $k + k) * $q + q];\n}\n"
                  : "y0[((n * $c + c) * $k + k) * $q + q] = inside ? "
                    "x0[(n * $c + c) * $a + (p0 * $H + p1) * $V + p2] : 0;\n}\n");
}

/* Each sample is taken once, and goes to all filters of its group of channels. */
static void hy__c_deformable(hy__c *c, const hy__c_step *s)
{
    const hy__deformable_convolution_rec *r = (const hy__deformable_convolution_rec *)s->node->record;
    const hy_shape *x = &hy__c_in(s, 0)->shape;
    hy__conv_attr a;
    hy__window w;
    HY__COLUMNS_ATTR(&a, r);
    hy__columns_window(&w, &a, x);
    hy__c_sizes(c, "nqofghv", x->dim[0], hy__window_size(w.coarse), (int64_t)r->num_filter,
                (int64_t)r->num_filter / r->num_group, (int64_t)r->num_deformable_group, x->dim[2],
                x->dim[3]);
    hy__c_sizes(c, "kcied", hy__window_size(w.kernel), x->dim[1], x->dim[1] / r->num_group,
                x->dim[1] / r->num_deformable_group, x->dim[2] * x->dim[3]);
    hy__w(c, "@n @q {\n@o y0[(n * $o + o) * $q + q] = %s;\n@g @k {\n", r->no_bias ? "0" : "x3[o]");
    hy__c_meeting(c, &w);
    hy__w(c, "const %r *at = x1 + ((n * $g + g) * $k + k) * 2 * $q + q;\n"
          "const double u = p1 + (double)at[0], w = p2 + (double)at[$q];\n"
          "const int inside = p0 == 0 && u >= 0 && u < $h && w >= 0 && w < $v;\n"
          "const int row = inside ? (int)u : 0, column = inside ? (int)w : 0;\n"
          "const int below = row + 1 < $h ? $v : 0, right = column + 1 < $v;\n"
          "const double down = below ? u - row : 0, across = right ? w - column : 0;\n"
          "@e {\nconst int i = g * $e + e, f0 = i / $i * $f;\n"
          "const %r *a = x0 + (n * $c + i) * $d + row * $v + column, *b = a + below;\n");
    hy__w(c, "const double left = down > 0 ? (1 - down) * a[0] + down * b[0] : a[0];\n"
          "const double other = down > 0 ? (1 - down) * a[right] + down * b[right] : a[right];\n"
          "const %r v = (%r)(!inside ? 0 : across > 0 ? (1 - across) * left + across * other : left);\n"
          "@f y0[(n * $o + f0 + f) * $q + q] += x2[((f0 + f) * $i + i %% $i) * $k + k] * v;\n}\n}\n}\n");
}

/* --- boxes and regions --- */
/* Writes sides and area of the box whose four numbers stand at `from`; their names begin with its letter. */
static void hy__c_box(hy__c *c, const char *letter, const char *from, int center)
{
    c->word[0] = letter;
    c->word[1] = from;
    hy__w(c, center ? "const %r %aw = %b[2], %ah = %b[3], %al = %b[0] - %aw / 2, %at = %b[1] - %ah / 2;\n"
                      "const %r %ar = %b[0] + %aw / 2, %ab = %b[1] + %ah / 2;\n"
                    : "const %r %al = %b[0], %at = %b[1], %ar = %b[2], %ab = %b[3];\n"
                      "const %r %aw = %ar - %al, %ah = %ab - %at;\n");
    hy__w(c, "const %r %a_area = %aw < 0 || %ah < 0 ? 0 : %aw * %ah;\n");
}

/* Writes what part of their union boxes a and b have in common. */
static void hy__c_overlap(hy__c *c)
{
    hy__w(c, "const %r wide = (ar < br ? ar : br) - (al > bl ? al : bl);\n"
          "const %r tall = (ab < bb ? ab : bb) - (at > bt ? at : bt);\n"
          "const %r both = wide > 0 && tall > 0 ? wide * tall : 0;\n"
          "const %r part = both > 0 ? both / (a_area + b_area - both) : 0;\n");
}

/* Writes whether a box was kept that has too much in common with the one at u; `at` says where those are. */
static void hy__c_crowded(hy__c *c, const char *u, const char *at, int center)
{
    hy__c_box(c, "b", u, center);
    hy__w(c, "for (int j = 0; j < kept && !crowded; j++) {\nconst %r *v = %s;\n", at);
    hy__c_box(c, "a", "v", center);
    hy__c_overlap(c);
    hy__w(c, "crowded = part ");
}

static void hy__c_box_iou(hy__c *c, const hy__c_step *s)
{
    const int center = ((const hy__box_iou_rec *)s->node->record)->format;
    hy__c_sizes(c, "ijk", hy__size(&hy__c_in(s, 0)->shape) / 4, hy__size(&hy__c_in(s, 1)->shape) / 4,
                (int64_t)4);
    c->letter[(int)'k'].name = "";
    hy__c_nest_of(c, "ij", "ij", "ik", "jk");
    hy__w(c, "%P {\nconst %r *u = &%0, *v = &%1;\n");
    hy__c_box(c, "a", "u", center);
    hy__c_box(c, "b", "v", center);
    hy__c_overlap(c);
    hy__w(c, "%y = part;\n}\n");
}

static void hy__c_box_nms(hy__c *c, const hy__c_step *s)
{
    const hy__box_nms_rec *r = (const hy__box_nms_rec *)s->node->record;
    const hy_shape *x = &hy__c_in(s, 0)->shape;
    int64_t n = x->dim[x->ndim - 2], w = x->dim[x->ndim - 1], all = hy__size(x) / hy__most(n * w, 1);
    int64_t k = r->topk < 0 ? n : hy__least(r->topk, n);
    char fits[2 * HY__C_TEXT], text[HY__C_TEXT], number[HY__C_NUMBER], *end;
    hy__c_sizes(c, "oiksbc", all, n, w, (int64_t)r->score_index, (int64_t)r->coord_start,
                (int64_t)(r->id_index - r->coord_start));
    c->scratch = ((size_t)n + 1) * sizeof(int32_t);
    hy__w(c, "int32_t *order = (int32_t *)(void *)scratch;\n@o {\nconst %r *x = x0 + o * %l;\n"
          "%r *y = y0 + o * %l;\nint kept = 0;\n", n * w, n * w);
    hy__c_number(number, r->valid_thresh, c->real);
    hy__c_text(fits, "x[i * %l + %d] > %s", w, r->score_index, number);
    end = fits + strlen(fits);
    hy__c_number(number, r->background_id, c->real);
    if (r->id_index >= 0) hy__c_text(end, " && x[i * %l + %d] != %s", w, r->id_index, number);
    hy__c_text(text, "x[i * %l + %d] > x[order[p - 1] * %l + %d]", w, r->score_index, w, r->score_index);
    if (!k) hy__w(c, "for (; kept < $i; kept++) order[kept] = kept;\n");
    else {
        hy__c_best(c, n, k, fits, text);
        hy__w(c, "for (int i = 0; i < m; i++) {\nconst %r *u = x + order[i] * $k + $b;\nint crowded = 0;\n");
        hy__c_crowded(c, "u", hy__c_text(text, "x + order[j] * %l + %d", w, r->coord_start), r->in_format);
        hy__w(c, "> %{overlap_thresh}%< && %p_whole(u[$c]) == %p_whole(v[$c])%>;\n}\n"
              "if (!crowded) order[kept++] = order[i];\n}\n", r->id_index >= 0 && !r->force_suppress);
    }
    hy__w(c, "@i @k\ny[i * $k + k] = i < kept ? x[order[i] * $k + k] : -1;\n");
    if (k && r->in_format != r->out_format) {   /* one that begins below 0 stays as it is */
        hy__w(c, "for (int i = 0; i < kept; i++) {\n%r *v = y + i * $k + $b;\n"
              "const double a = v[0], b = v[1], c = v[2], d = v[3];\nif (a < 0) continue;\n");
        hy__w(c, r->in_format ? "v[0] = (%r)(a - c / 2);\nv[1] = (%r)(b - d / 2);\nv[2] = (%r)(a + c / 2);\n"
                                "v[3] = (%r)(b + d / 2);\n}\n"
                              : "v[0] = (%r)((a + c) / 2);\nv[1] = (%r)((b + d) / 2);\nv[2] = (%r)(c - a);\n"
                                "v[3] = (%r)(d - b);\n}\n");
    }
    hy__w(c, "%<@i y1[o * $i + i] = i < kept ? order[i] : -1;\n%>}\n", hy__c_wants(c, s, 1));
}

/* A row for each anchor that has a class: class, score and corners. */
static const char hy__c_detected[] =
    "@i:a {\n%r score = -1, *row = y + n * 6;\nint best = 0;\n"
    "for (int k = 1; k < $k; k++) {\nconst %r e = x0[(o * $k + k) * $a + i];\n"
    "if (e > score) { score = e; best = k; }\n}\n"
    "if (score < %{threshold} || !best) continue;\nrow[0] = (%r)(best - 1);\nrow[1] = score;\n"
    "for (int k = 0; k < 2; k++) {\nstatic const %r variance[4] = { %v, %v, %v, %v };\n"
    "const %r *shift = x1 + (o * $a + i) * 4, low = x2[i * 4 + k], high = x2[i * 4 + k + 2];\n"
    "const %r size = high - low, at = shift[k] * variance[k] * size + (low + high) / 2;\n"
    "const %r half = (%r)exp(shift[k + 2] * variance[k + 2]) * size / 2;\n"
    "row[2 + k] = %<at - half;\nrow[4 + k] = at + half%|at - half < 0 ? 0 : at - half > 1 ? 1 : at - half;\n"
    "row[4 + k] = at + half < 0 ? 0 : at + half > 1 ? 1 : at + half%>;\n}\n"
    "n++;\n}\nfor (int i = n * 6; i < $s; i++) y[i] = -1;\n";

static void hy__c_detection(hy__c *c, const hy__c_step *s)
{
    const hy__multibox_detection_rec *r = (const hy__multibox_detection_rec *)s->node->record;
    const hy_shape *x = &hy__c_in(s, 0)->shape;
    int64_t anchors = x->dim[2], most = r->nms_topk > 0 ? hy__least(r->nms_topk, anchors) : anchors;
    hy__c_sizes(c, "okasm", x->dim[0], x->dim[1], anchors, 6 * anchors, most);
    c->scratch = (size_t)anchors * (6 * hy_dtype_size(c->real) + sizeof(int32_t));
    hy__w(c, "%r *copy = (%r *)(void *)scratch;\nint32_t *order = (int32_t *)(void *)(copy + $s);\n"
          "(void)order;\n@o {\n%r *y = y0 + o * $s;\nint n = 0;\n");
    hy__w(c, hy__c_detected, hy__real_of(&r->variances, 0, 0.1), hy__real_of(&r->variances, 1, 0.1),
          hy__real_of(&r->variances, 2, 0.2), hy__real_of(&r->variances, 3, 0.2), r->no_clip);
    if (r->nms_threshold > 0 && r->nms_threshold <= 1) {
        hy__c_best(c, anchors, anchors, "i < n", "y[i * 6 + 1] > y[order[p - 1] * 6 + 1]");
        hy__w(c, "memcpy(copy, y, (size_t)n * 6 * sizeof *y);\nfor (int i = 0, kept = 0; i < m; i++) {\n"
              "%r *row = y + i * 6;\nint crowded = 0;\nif (i >= $m) { row[0] = -1; continue; }\n"
              "memcpy(row, copy + order[i] * 6, 6 * sizeof *y);\n");
        hy__c_crowded(c, "(row + 2)", "copy + order[j] * 6 + 2", 0);
        hy__w(c, ">= %{nms_threshold}%< && row[0] == v[-2]%>;\n}\n"
              "if (crowded) row[0] = -1; else order[kept++] = order[i];\n}\n", !r->force_suppress);
    }
    hy__w(c, "}\n");
}

/* Opens the loop of regions; image, inside, scaled corners are numbers of each. */
static void hy__c_open_regions(hy__c *c, const hy__c_step *s)
{
    hy__c_images(c, s);
    hy__c_nest_of(c, "n.chv", "nchv", NULL, NULL);
    hy__w(c, "%P {\nconst %r *roi = x1 + n * 5;\nconst int64_t image = %p_whole(roi[0]);\n"
          "const int inside = %<0%|image >= 0 && image < $N%>;\n", hy__c_in(s, 0)->shape.dim[0] < 1);
}

/* The same text for both axes. %a: the axis; L and l: its length in images and in results; i and e: where the
 * region begins and ends. */
static void hy__c_region_axis(hy__c *c, const hy__c_step *s, int across)
{
    c->word[0] = across ? "v" : "h";
    hy__c_sizes(c, "Llie", hy__c_in(s, 0)->shape.dim[2 + across], hy__c_out(s)->shape.dim[2 + across],
                (int64_t)(2 - across), (int64_t)(4 - across));
}

static void hy__c_roi_pooling(hy__c *c, const hy__c_step *s)
{
    int i;
    hy__c_open_regions(c, s);
    for (i = 0; i < 2; i++) {
        hy__c_region_axis(c, s, i);
        hy__w(c, "const int64_t %a0 = %p_whole(round(roi[$i] * %{spatial_scale})), %a1 = "
              "%p_whole(round(roi[$e] * %{spatial_scale}));\n"
              "const %r %as = (%r)(%a1 < %a0 ? 1 : %a1 - %a0 + 1) / $l;\n");
    }
    hy__w(c, "%K {\n");
    for (i = 0; i < 2; i++) {
        hy__c_region_axis(c, s, i);
        hy__w(c, "const int64_t %aa = %p_clamp_i64(%a0 + %p_whole(floor(%a * %as)), 0, $L);\n"
              "const int64_t %ab = %p_clamp_i64(%a0 + %p_whole(ceil((%a + 1) * %as)), 0, $L);\n");
    }
    hy__w(c, "const int64_t plane = (inside ? image * $C + c : c) * %l;\nint64_t best = -1;\n"
          "%r most = inside && ha < hb && va < vb ? -INFINITY : 0;\n"
          "for (int64_t i = ha; i < hb && inside; i++) for (int64_t k = va; k < vb; k++)\n"
          "if (x0[plane + i * $V + k] > most) { best = plane + i * $V + k; most = x0[best]; }\n%y = most;\n",
          hy__product(&hy__c_in(s, 0)->shape, 2, 4));
    c->nest.name[HY__C_OUT] = "y1";
    hy__w(c, "%<%y = best%|(void)best%>;\n}\n}\n", hy__c_wants(c, s, 1));
}

/* One axis of a sample: low, high and the share of high; those that lie outside are passed over. */
static const char hy__c_sample[] =
    "%r %a_at = %a0 + %a * %as + (%b + (%r)0.5) * %as / %an;\n"
    "if (!(%a_at >= -1 && %a_at <= $L)) continue;\nif (%a_at < 0) %a_at = 0;\n"
    "const int64_t %al = %p_clamp_i64((int64_t)%a_at, 0, $L - 1), %ah = %p_clamp_i64(%al + 1, 0, $L - 1);\n"
    "const %r %ap = %al < %ah ? %a_at - %al : 0;\n";

static void hy__c_roi_align(hy__c *c, const hy__c_step *s)
{
    const hy__roi_align_rec *r = (const hy__roi_align_rec *)s->node->record;
    const double corner = r->aligned ? 0.5 : 0.0;
    int i;
    hy__c_open_regions(c, s);
    for (i = 0; i < 2; i++) {
        hy__c_region_axis(c, s, i);
        hy__w(c, "const %r %a0 = roi[$i] * %{spatial_scale} - %v, "
              "%aw = roi[$e] * %{spatial_scale} - %v - %a0;\n"
              "%<if (inside && !(%aw > 0)) { *fault = 1; continue; }\nconst %r %as = %aw / $l;\n"
              "%|const %r %as = (%aw > 1 ? %aw : 1) / $l;\n%>"
              "const int64_t %an = %<%{sample_ratio}%|%p_whole(ceil(%as))%>;\n", corner, corner, r->aligned,
              r->sample_ratio > 0);
    }
    hy__w(c, "%K {\nconst %r *x = x0 + ((inside ? image : 0) * $C + %<(c * $h + h) * $v + v%|c%>) * %l;\n"
          "%r sum = 0;\n", r->position_sensitive, hy__product(&hy__c_in(s, 0)->shape, 2, 4));
    for (i = 0; i < 2; i++) {           /* a large region has most samples outside */
        hy__c_region_axis(c, s, i);
        hy__w(c, "const %r %ab = %a0 + %a * %as, %ad = %as / %an;\n"
              "const int64_t %af = inside ? %p_clamp_i64(%p_whole((-1 - %ab) / %ad) - 2, 0, %an) : 0;\n"
              "const int64_t %ae = inside ? %p_clamp_i64(%p_whole(($L - %ab) / %ad) + 2, 0, %an) : 0;\n");
    }
    for (i = 0; i < 2; i++) {
        hy__c_region_axis(c, s, i);
        c->word[1] = i ? "j" : "i";
        hy__w(c, "for (int64_t %b = %af; %b < %ae; %b++) {\n");
        hy__w(c, hy__c_sample);
    }
    hy__w(c, "const %r *a = x + hl * $V, *b = x + hh * $V;\n"
          "sum += (1 - hp) * (1 - vp) * a[vl] + (1 - hp) * vp * a[vh] + hp * (1 - vp) * b[vl] + hp * vp * "
          "b[vh];\n}\n}\n%y = inside ? sum / ((%r)hn * (%r)vn) : 0;\n}\n}\n");
}
#endif

/* MARK: - 87 >>c_layers --------------------------------------------------------------------------------
 *
 * Layers that are small programs: recurrence, attention.
 */
#ifndef HYBRID_NO_RNN
/* --- rnn: see >>ops; a layer is one product of all its input, then a walk along time --- */
/* wide: numbers that a step gives, in both directions. */
typedef struct hy__c_rnn { hy__rnn r; int64_t steps, batch, input, units, wide; } hy__c_rnn;

static void hy__c_rnn_of(const hy__c_step *s, hy__c_rnn *v)
{
    const int64_t *x = hy__c_in(s, 0)->shape.dim;
    hy__rnn_read(s->node->record, HY__RNN_FORWARD, &v->r);
    v->steps = x[0];
    v->batch = x[1];
    v->input = x[2];
    v->units = v->r.cell.units;
    v->wide = v->r.width * v->r.directions;
}

/* The matrices of one direction of a layer, from `at` on: where each begins, its rows (k) and columns (n). */
static int64_t hy__c_rnn_unit(const hy__c_rnn *v, int unit, int64_t at, hy__c_part *part)
{
    int k;
    for (k = 0; k < 2 + v->r.project; k++, part++) {
        part->start = at;
        part->rows = k == 2 ? v->units : k ? v->r.width : unit < v->r.directions ? v->input : v->wide;
        part->columns = k == 2 ? v->r.width : v->r.gate;
        part->lanes = hy__c_lanes_for(k == 2 ? 1 : k ? v->batch : v->steps * v->batch);
        at += part->rows * part->columns;
    }
    return at;
}

static int hy__c_pack_rnn(hy__c *c, const hy__c_step *s, hy__c_blob *b)
{
    hy__c_rnn v;
    int64_t at = 0;
    int unit, units;
    hy__c_rnn_of(s, &v);
    units = v.r.layers * v.r.directions;
    b->parts = units * (2 + v.r.project);
    b->part = (hy__c_part *)hy__c_alloc(c, (size_t)b->parts * sizeof *b->part);
    for (unit = 0; unit < units && b->part; unit++)
        at = hy__c_rnn_unit(&v, unit, at, b->part + unit * (2 + v.r.project));
    return b->part ? 0 : -1;
}

static void hy__c_rnn_product(hy__c *c, const hy__c_step *s, int64_t m, const hy__c_part *w, const char *a,
                              const char *to)
{
    char weights[HY__C_TEXT];
    hy__c_text(weights, "(x1 + %l)", w->start);
    if (s->packed >= 0) {
        const hy__c_product p = { m, w->columns, w->rows, a, weights, NULL, to };
        hy__c_write_product(c, s, &p);
        return;
    }
    hy__c_sizes(c, "ijk", m, w->columns, w->rows);
    hy__c_nest_of(c, "ij.k", "ij", "ik", "jk");
    c->nest.name[0] = a;
    c->nest.name[1] = weights;
    c->nest.name[HY__C_OUT] = to;
    hy__w(c, "%P {\n%r sum = 0;\n%K sum += %0 * %1;\n%y = sum;\n}\n");
}

/* New state and cell of sample n from its gates g and b = wh h; biases bx and bh. Gates stand $u apart. */
static void hy__c_rnn_cell(hy__c *c, const hy__c_rnn *v)
{
    static const char *const lstm[] = { "in", "forget", "fresh", "leave", NULL };
    static const char *const gru[] = { "reset", "update", NULL };
    const hy__rnn_cell *cell = &v->r.cell;
    const int is_lstm = cell->mode == HY_RNN_LSTM, is_gru = cell->mode == HY_RNN_GRU;
    const char *const *name = is_lstm ? lstm : gru;
    int64_t at = 0;
    hy__w(c, "%u_APART\n@j:u {\n");
    for (; (is_lstm || is_gru) && *name; name++, at += v->units) {
        hy__c_sizes(c, "G", at);
        hy__w(c, "const %r %s = %<%Ftanh%|%Fsigmoid%>(g[$G + j] + bx[$G + j] + b[$G + j] + bh[$G + j]);\n",
              *name, is_lstm && name == lstm + 2);
    }
    if (is_lstm) {
        hy__w(c, "%r e = forget * cell[n * $u + j] + in * fresh;\n%<if (e != e) e = %v;\n%>"
              "%<if (e < %v) e = %v;\n%>%<if (e > %v) e = %v;\n%>cell[n * $u + j] = e;\n"
              "full[n * $u + j] = leave * %Ftanh(e);\n}\n", cell->nan == cell->nan, cell->nan,
              cell->low > -HUGE_VAL, cell->low, cell->low, cell->high < HUGE_VAL, cell->high, cell->high);
    } else if (is_gru) {
        hy__c_sizes(c, "G", at);
        hy__w(c, "const %r fresh = %Ftanh(g[$G + j] + bx[$G + j] + reset * (b[$G + j] + bh[$G + j]));\n"
              "full[n * $u + j] = (1 - update) * fresh + update * h[n * $u + j];\n}\n");
    } else hy__w(c, "const %r e = g[j] + bx[j] + b[j] + bh[j];\n"
                 "full[n * $u + j] = %<%Ftanh(e)%|e <= 0 ? 0 : e%>;\n}\n", cell->mode == HY_RNN_TANH);
}

/* Writes one direction of a layer, from `low` to `high`; unit is its number among all. */
static void hy__c_rnn_walk(hy__c *c, const hy__c_step *s, const hy__c_rnn *v, const hy__c_part *part,
                           int unit)
{
    const int lstm = v->r.cell.mode == HY_RNN_LSTM, lengths = lstm ? 4 : 3;
    const int direction = unit % v->r.directions;
    const int64_t left = v->r.layers * v->r.directions - unit;
    const int64_t biases = hy__size(&hy__c_in(s, 1)->shape) - 2 * v->r.gate * left;
    int k;
    hy__c_sizes(c, "bHCdU", biases, v->batch * v->r.width, v->batch * v->units, direction * v->r.width,
                (int64_t)unit);
    hy__w(c, "{\nconst %r *bx = x1 + $b, *bh = bx + $g;\n");
    hy__c_rnn_product(c, s, v->steps * v->batch, &part[0], "low", "gates");
    hy__w(c, "memcpy(h, x2 + $U * $H, $H * sizeof *h);\n"
          "%<memcpy(cell, x3 + $U * $C, $C * sizeof *cell);\n%>"
          "for (int step = 0; step < $s; step++) {\nconst int t = %<last - %>step;\n", lstm, direction);
    hy__c_rnn_product(c, s, v->batch, &part[1], "h", "rec");
    hy__w(c, "@n {\nconst %r *g = gates + (t * $n + n) * $g, *b = rec + n * $g;\n"
          "%r *y = high + (t * $n + n) * $W + $d;\n"
          "%<if (t >= %p_whole((double)x%d[n])) {\n@j:w y[j] = 0;\ncontinue;\n}\n%>",
          s->node->nin > lengths, lengths);
    hy__c_rnn_cell(c, v);
    hy__w(c, v->r.project ? "%r *to = h + n * $w;\nconst %r *from = full + n * $u;\n"
                          : "memcpy(h + n * $w, full + n * $u, $u * sizeof *h);\n");
    if (v->r.project) hy__c_rnn_product(c, s, 1, &part[2], "from", "to");
    hy__w(c, "memcpy(y, h + n * $w, $w * sizeof *h);\n}\n}\n");
    for (k = 1; k < 3; k++)
        if (v->r.tensor[k == 1 ? HY__RNN_LAST : HY__RNN_LAST_CELL] >= 0 && hy__c_wants(c, s, k))
            hy__w(c, k == 1 ? "memcpy(y1 + $U * $H, h, $H * sizeof *h);\n"
                            : "memcpy(y2 + $U * $C, cell, $C * sizeof *h);\n");
    hy__w(c, "}\n");
}

static void hy__c_rnn_emit(hy__c *c, const hy__c_step *s)
{
    hy__c_rnn v;
    hy__c_part part[3];
    int64_t numbers, at = 0;
    int unit, d;
    hy__c_rnn_of(s, &v);
    hy__c_sizes(c, "snguwWlr", v.steps, v.batch, v.r.gate, v.units, v.r.width, v.wide, v.steps - 1,
                v.steps * v.batch * v.wide);
    numbers = v.batch * (v.r.gate + v.r.width + 2 * v.units + v.steps * (v.r.gate + 2 * v.wide));
    c->scratch = (size_t)numbers * hy_dtype_size(c->real);
    hy__w(c, "enum { last = $l };\n%r *gates = (%r *)(void *)scratch, *rec = gates + $s * $n * $g;\n"
          "%r *h = rec + $n * $g, *full = h + $n * $w, *cell = full + $n * $u, *between = cell + $n * $u;\n"
          "(void)cell; (void)last; (void)between;\n");
    for (unit = 0; unit < v.r.layers * v.r.directions; unit += v.r.directions) {
        const int odd = unit / v.r.directions % 2;
        hy__w(c, "{\nconst %r *low = %<x0%|between%< + $r%>%>;\n%r *high = %<y0%|between%< + $r%>%>;\n",
              !unit, !odd, unit / v.r.directions == v.r.layers - 1, odd);
        for (d = 0; d < v.r.directions; d++) {
            at = hy__c_rnn_unit(&v, unit + d, at, part);
            hy__c_rnn_walk(c, s, &v, part, unit + d);
        }
        hy__w(c, "}\n");
    }
}
#endif

/* --- attention: a row of scores at a time --- */
/* Array k is read at the sample b, a head and a row of it. */
static void hy__c_heads(hy__c *c, int k, const hy__heads *h, int head, int row)
{
    hy__c_axis_at(c, 'b')->step[k] = h->sample;
    hy__c_axis_at(c, head)->step[k] = h->head;
    hy__c_axis_at(c, row)->step[k] = h->row;
}

static void hy__c_attention(hy__c *c, const hy__c_step *s)
{
    static const char *const names[] = { "x0", "x1", "x2", "x3" };
    const hy__attention_rec *r = (const hy__attention_rec *)s->node->record;
    const hy_shape *q = &hy__c_in(s, 0)->shape, *k = &hy__c_in(s, 1)->shape, *v = &hy__c_in(s, 2)->shape;
    const int apart = q->ndim == 4, masked = r->use_mask;
    const int64_t heads = apart ? q->dim[1] : r->heads, keys = k->dim[apart + 1];
    const int64_t shared = hy__key_heads(r, k);
    const int64_t part = apart ? q->dim[3] : q->dim[2] / heads, each = apart ? v->dim[3] : v->dim[2] / shared;
    const hy__heads of_q = hy__heads_of(q, heads), of_k = hy__heads_of(k, shared);
    const hy__heads of_v = hy__heads_of(v, shared), of_y = hy__heads_of(&hy__c_out(s)->shape, heads);
    char own[HY__C_TEXT];
    hy__attend mask;
    if (!hy__size(&hy__c_out(s)->shape)) return;
    if (c->real != HY_F64) c->real = HY_F32;
    c->letter[(int)'g'].name = hy__c_text(own, "h / %d", (int)(shared ? heads / shared : 1));
    hy__c_sizes(c, "bhtpensrv", q->dim[0], heads, q->dim[apart + 1], part, each, keys,
                hy__least(r->past, keys) + 1, of_k.row, of_v.row);     /* s: so many the first query sees */
    hy__c_nest_of(c, "bht", NULL, NULL, NULL);
    memcpy(c->nest.name, names, sizeof names);
    hy__c_heads(c, 0, &of_q, 'h', 't');
    hy__c_heads(c, 1, &of_k, 'g', 'i');
    hy__c_heads(c, 2, &of_v, 'g', 'i');
    hy__c_heads(c, HY__C_OUT, &of_y, 'h', 't');
    hy__c_axis_at(c, 'i')->step[1] = hy__c_axis_at(c, 'i')->step[2] = 0;
    c->scratch = (size_t)hy__most(keys, 1) * hy_dtype_size(c->real);
    hy__w(c, "%r *p = (%r *)(void *)scratch;\n%P {\nconst %r *q = &%0, *k = &%1, *v = &%2;\n%r *y = &%y;\n");
    if (r->use_length)
        hy__w(c, "const int64_t length = x%d[0];\nconst int known = length >= 0 && length <= $n;\n"
              "const int64_t all = known ? length : 0;\n"
              "const int n = (int)%<(t + $s < all ? t + $s : all)%|all%>;\nif (!known) *fault = 1;\n",
              s->node->nin - 1, r->causal);
    else hy__w(c, r->causal ? "const int n = t + $s < $n ? t + $s : $n;\n" : "enum { n = $n };\n");
    hy__w(c, "%r top = -INFINITY, sum = 0;\nfor (int i = 0; i < n; i++) {\n%r a = 0;\n"
          "@d:p a += q[d] * k[i * $r + d];\n");
    if (masked) {
        memset(&mask, 0, sizeof mask);
        hy__attend_mask(&mask, &hy__c_in(s, 3)->shape);
        hy__c_heads(c, 3, &mask.mask, 'h', 't');
        hy__c_axis_at(c, 'i')->step[3] = mask.mask_step;
    }
    hy__w(c, !masked ? "a = a * %v;\n" : hy__c_in(s, 3)->dtype == HY_BOOL ? "a = %3 ? a * %v : -INFINITY;\n"
                                                                       : "a = a * %v + %3;\n",
          hy__score_scale(r, part));
    hy__w(c, "if (a > top || a != a) top = a;\np[i] = a;\n}\n@d:e y[d] = 0;\n"
          "%<if (top == -INFINITY) continue;\n%>"
          "for (int i = 0; i < n; i++) { p[i] = %Fexp(p[i] - top); sum += p[i]; }\n"
          "for (int i = 0; i < n; i++) @d:e\ny[d] += p[i] / sum * v[i * $v + d];\n}\n",
          masked && r->zero_hidden);
}

/* MARK: - 88 >>c_control -------------------------------------------------------------------------------
 *
 * Loops and branches, int8, and (hy__c_emitters) who writes what; >>source makes a file of it.
 */
/* --- control flow: bodies are functions of their own, which work in the scratch of the operator --- */
/* Where memory begins: of the bodies, of two places for each state, of results that nobody wants. */
typedef struct hy__c_turns { size_t at[2], states, spare, bytes; } hy__c_turns;

static int hy__c_is_cond(const hy__node *node) { return node->op->member == HY__COND; }

/* Counts the elements that one turn has of an operand. */
static int64_t hy__c_row(const hy__node *node, const hy_type *t)
{
    int64_t n = hy__size(&t->shape);
    return hy__c_is_cond(node) ? n : n / hy__most(t->shape.dim[0], 1);
}

/* Which parts of a body read its variable? */
static int hy__c_body_reads(const hy__c_body *b, int variable)
{
    int place = b->g->place[b->g->var[variable]->number];
    return place < 0 ? 0 : b->value[b->first[place]].reads;
}

/* Counts the bytes of a value; one that holds nothing is named, too, so it has some. */
static size_t hy__c_place_of(const hy_type *t) { return hy__round64((size_t)hy__most(hy__bytes(t), 1)); }

static void hy__c_turns_of(const hy__c *c, const hy__c_step *s, hy__c_turns *l)
{
    const hy__control_rec *r = (const hy__control_rec *)s->node->record;
    int i, k;
    memset(l, 0, sizeof *l);
    for (k = 0; k < s->node->nsub; k++) {
        l->at[k] = hy__c_is_cond(s->node) ? 0 : l->states;
        l->bytes = l->at[k] + hy__round64(c->body[s->body + k]->arena);
        if (l->bytes > l->states) l->states = l->bytes;
    }
    l->spare = l->states;
    for (i = 0; i < r->states; i++)
        l->spare += 2 * hy__c_place_of(hy__c_in(s, r->data + i));
    l->bytes = l->spare;
    for (i = 0; i < r->outputs; i++)
        if (!hy__c_wants(c, s, i)) l->bytes += hy__c_place_of(&s->node->type[i]);
}

/* Writes result i of the bodies as an argument of a call. */
static void hy__c_turn_result(hy__c *c, const hy__c_step *s, const hy__c_turns *l, int i)
{
    const hy__control_rec *r = (const hy__control_rec *)s->node->record;
    const hy_type *t = &s->node->type[i];
    size_t spare = l->spare;
    int k;
    for (k = 0; k < i; k++) if (!hy__c_wants(c, s, k)) spare += hy__c_place_of(&s->node->type[k]);
    if (i >= r->outputs) hy__w(c, "n%d", i - r->outputs);
    else if (!hy__c_wants(c, s, i)) hy__w(c, "(%t *)(void *)(scratch + %l)", (int)t->dtype, (int64_t)spare);
    else hy__w(c, "y%d%<%| + t * %l%>", i, hy__c_is_cond(s->node), hy__c_row(s->node, t));
}

/* Writes a call of a part of body k. */
static void hy__c_turn_call(hy__c *c, const hy__c_step *s, const hy__c_turns *l, int k, int part)
{
    const hy__control_rec *r = (const hy__control_rec *)s->node->record;
    const hy__c_body *b = c->body[s->body + k];
    int pred = hy__c_is_cond(s->node), data = r->data - pred, i, goes_on = !pred && k < s->node->nsub - 1;
    hy__w(c, "%p_%s%(", part == HY__C_EARLY ? b->before : b->turn);
    for (i = 0; i < b->g->vars; i++) {
        int at = hy__control_input(r, pred, i);
        if (!(hy__c_body_reads(b, i) & part)) continue;
        hy__w(c, "%,%<s%d%|x%d%>%< + t * %l%>", i >= data && i < data + r->states, i - data, at, i < data,
              hy__c_row(s->node, hy__c_in(s, at)));
    }
    for (i = 0; i < b->g->heads && part == HY__C_LATE; i++) {
        hy__w(c, goes_on ? "%,&goes_on" : "%,");
        if (!goes_on) hy__c_turn_result(c, s, l, i);
    }
    if (b->arena) hy__w(c, "%,scratch + %l", (int64_t)l->at[k]);
    if (c->separate) hy__w(c, "%,weights");
    hy__w(c, b->faults ? "%,fault);\n" : ");\n");
}

static void hy__c_turns_emit(hy__c *c, const hy__c_step *s)
{
    const hy__control_rec *r = (const hy__control_rec *)s->node->record;
    int64_t turns;
    int i, last = s->node->nsub - 1;
    hy__c_turns l;
    hy__c_turns_of(c, s, &l);
    c->scratch = l.bytes;
    if (hy__c_is_cond(s->node)) {       /* one body is called for a value that is not 0, the other for 0 */
        hy__w(c, "if (%<(x0[0] & 0x7fff)%|x0[0]%> != 0) {\n", hy__c_is_half(hy__c_in(s, 0)->dtype));
        hy__c_turn_call(c, s, &l, 0, HY__C_LATE);
        hy__w(c, "} else {\n");
        hy__c_turn_call(c, s, &l, 1, HY__C_LATE);
        hy__w(c, "}\n");
        return;
    }
    turns = r->limit > 0 ? r->limit : hy__c_in(s, 0)->shape.dim[0];
    for (i = 0; i < r->states; i++) {   /* each has two places, s and n, which change roles after a turn */
        const hy_type *t = hy__c_in(s, r->data + i);
        const int64_t each = (int64_t)hy__c_place_of(t), at = (int64_t)l.states;
        hy__w(c, "%t *s%d = (%t *)(void *)(scratch + %l), *n%d = (%t *)(void *)(scratch + %l);\n"
              "memcpy(s%d, x%d, %l);\n", (int)t->dtype, i, (int)t->dtype, at, i, (int)t->dtype, at + each, i,
              r->data + i, hy__bytes(t));
        l.states += 2 * (size_t)each;
    }
    if (last && c->body[s->body]->early) hy__c_turn_call(c, s, &l, 0, HY__C_EARLY);
    if (last) {
        hy_dtype dtype = hy__edge_type(&c->body[s->body]->g->head[0])->dtype;
        hy__w(c, "int t = 0;\nfor (; t < %l; t++) {\n%t goes_on;\n", turns, (int)dtype);
        hy__c_turn_call(c, s, &l, 0, HY__C_LATE);
        hy__w(c, "if (%<(goes_on & 0x7fff)%|goes_on%> == 0) break;\n", hy__c_is_half(dtype));
    } else hy__w(c, "%ft {\n", turns);
    if (c->body[s->body + last]->early) {       /* not where there is no turn: it may meet bad data */
        hy__w(c, "if (t == 0) ");
        hy__c_turn_call(c, s, &l, last, HY__C_EARLY);
    }
    hy__c_turn_call(c, s, &l, last, HY__C_LATE);
    for (i = 0; i < r->states; i++)
        hy__w(c, "%t *was%d = s%d;\ns%d = n%d;\nn%d = was%d;\n", (int)hy__c_in(s, r->data + i)->dtype, i, i,
              i, i, i, i);
    hy__w(c, "}\n");
    hy__c_sizes(c, "t", turns);
    for (i = 0; i < r->outputs && last; i++) {          /* rows that had no turn */
        hy__c_sizes(c, "r", hy__c_row(s->node, &s->node->type[i]));
        if (hy__c_wants(c, s, i))
            hy__w(c, "memset(y%d + t * $r, 0, (size_t)($t - t) * $r * sizeof *y%d);\n", i, i);
    }
    for (i = 0; i < r->states; i++)
        if (hy__c_wants(c, s, r->outputs + i))
            hy__w(c, "memcpy(y%d, s%d, %l);\n", r->outputs + i, i, hy__bytes(hy__c_in(s, r->data + i)));
}

#ifndef HYBRID_NO_INT8
/* --- in int8: data are rounded to scratch, channels last, then summed panel by panel --- */
static void hy__c_int8_plan(const hy__c_step *s, hy__int8_plan *p)
{
    const hy_type *x = hy__c_in(s, 0);
    const hy_shape *y = &hy__c_out(s)->shape;
    const void *r = s->node->record;
    int biased = s->node->nin > 3;
    memset(p, 0, sizeof *p);
    if (hy__op_number(s->node->op) == HY_OP_int8_dense)
        hy__int8_dense_plan(p, (const hy__int8_dense_rec *)r, x, y, biased);
#ifndef HYBRID_NO_VISION
    else hy__int8_conv_plan(p, (const hy__int8_convolution_rec *)r, x, &hy__c_in(s, 1)->shape, y, biased);
#endif
}

/* Where data stands and how it is rounded. */
static const char hy__c_int8_range[] =
    "float low = 0, high = 0, step, zero;\nfor (int64_t i = 0; i < %l; i++) {\n"
    "low = x0[i] < low ? x0[i] : low;\nhigh = x0[i] > high ? x0[i] : high;\n}\n"
    "step = (high - low) / 255;\nif (!(step > 0)) step = 1;\nzero = rintf(-low / step);\n"
    "zero = zero < 0 || zero != zero ? 0 : zero > 255 ? 255 : zero;\n";
static void hy__c_int8_result(hy__c *c, const hy__int8_plan *p)
{
    hy__w(c, "for (int k = p * 16; k < p * 16 + 16 && k < $K; k++) {\nconst int o = g * $K + k;\n%<%<"
          "float v = (float)sum[k %% 16] * (float)(x2[o]%< * step%> / %v)%< + (float)(x3[o] / %v)%>;\n"
          "v = v < %v ? %v : v > %v ? %v : v;\n%|"
          "const float v = (float)sum[k %% 16] * (x2[o]%< * step%>)%< + x3[o]%>;\n%>%>"
          "y0[n * $P + o * $Q + ((z * $y + y) * $x + x) * %l] = ", p->kind < 2, p->kind == 1, p->chunks > 0,
          p->out_scale, p->biased, p->out_scale, (double)p->low, (double)p->low, (double)p->high,
          (double)p->high, p->chunks > 0, p->biased, p->last ? p->groups * p->coarse_c : (int64_t)1);
    hy__w(c, p->kind > 1 ? "sum[k %% 16];\n}\n}\n" : p->kind ? "(%t)(rintf(v) + %d);\n}\n}\n"
          : p->low < 0 ? "v;\n}\n}\n" : "v < 0 ? 0 : v;\n}\n}\n",
          (int)hy__c_out(c->step)->dtype, p->out_zero);
}

static void hy__c_int8(hy__c *c, const hy__c_step *s)
{
    hy__int8_plan p;
    const char *unit;
    int64_t fine, all;
    int d, wide;
    hy__c_int8_plan(s, &p);
    wide = p.taken || p.chunks;         /* bytes less their zero have 9 bits */
    unit = wide ? "int16_t" : "int8_t";
    c->scratch = ((size_t)(p.images * p.groups * hy__int8_volume(p.wide) * p.fine_c) + HY__INT8_STEP) << wide;
    fine = p.groups * p.fine_c;
    all = p.groups * p.coarse_c;
    for (d = 0; d < 3; d++) {           /* of dim z: coarse z, fine Z, wide a, stride d, from D to L */
        static const char *const letters[] = { "zZadDL", "yYbeEM", "xXcfFN" };
        hy__c_sizes(c, letters[d], p.coarse[d], p.fine[d], p.wide[d], p.stride[d], -p.pad[d],
                    p.wide[d] - p.pad[d]);
    }
    hy__c_sizes(c, "ngpkKPQ", p.images, p.groups, p.panels, p.fine_c, p.coarse_c,
                fine * hy__int8_volume(p.fine), p.last ? (int64_t)1 : hy__int8_volume(p.fine));
    if (p.chunks) hy__w(c, hy__c_int8_range, hy__size(&hy__c_in(s, 0)->shape));
    hy__w(c, "%s *const data = (%s *)scratch, *q = data;\n@n @g\n"
          "for (int z = $D; z < $L; z++) for (int y = $E; y < $M; y++) for (int x = $F; x < $N; x++)\n"
          "@k {\nfloat v = 0;\nif (z >= 0 && z < $Z && y >= 0 && y < $Y && x >= 0 && x < $X)\n"
          "v = x0[n * $P + (g * $k + k) * $Q + ((z * $Y + y) * $X + x) * %l]%< - %d%>;\n", unit, unit,
          p.last ? fine : (int64_t)1, p.taken, p.zero);
    hy__w(c, p.taken ? "*q++ = (int16_t)v;\n}\n"
          : p.chunks ? "v *= 1 / step;\n"
                       "v = v != v ? 0 : v > 255 - zero ? 255 - zero : v < -zero ? -zero : v;\n"
                       "*q++ = (int16_t)rintf(v);\n}\n"
          : "v *= %v;\n*q++ = (int8_t)rintf(v != v ? 0 : v > 127 ? 127 : v < -128 ? -128 : v);\n}\n",
          (double)p.units.per_unit);
    hy__w(c, "for (int k = 0; k < 4; k++) q[k] = 0;\n");
    hy__c_sizes(c, "ijkstPQ", p.kernel[0], p.kernel[1],
                p.deep ? p.kernel[2] : p.stretches / (p.kernel[0] * p.kernel[1]), p.steps,
                p.stretches * p.steps * HY__INT8_BYTES, all * hy__int8_volume(p.coarse),
                p.last ? (int64_t)1 : hy__int8_volume(p.coarse));
    hy__w(c, "@n @g @p\n@z @y @x {\nconst int8_t *w = x1 + (g * $p + p) * $t;\n"
          "const %s *from = data + (((n * $g + g) * $a + z * $d) * $b + y * $e) * %l + x * %l;\n"
          "int32_t sum[16] = { 0 };\n@i @j @k {\n"
          "const %s *a = from + (i * %l + j * %l) * %l + k * %l;\n", unit, p.wide[2] * p.fine_c,
          p.stride[2] * p.fine_c, unit, p.dilate[0] * p.wide[1], p.dilate[1],
          p.wide[2] * p.fine_c, p.dilate[2] * p.fine_c);
    if (p.deep) hy__w(c, "const int8_t *v = w + ((i * %l + j / 4) * $k + k) * 64 + j %% 4;\n"
                      "for (int o = 0; o < 16 && p * 16 + o < $K; o++)\n"
                      "sum[o] += a[p * 16 + o] * v[4 * o];\n}\n",
                      hy__pieces(p.kernel[1], HY__INT8_STEP));
    else hy__w(c, "for (int t = 0; t < $s; t++, a += 4, w += 64) for (int o = 0; o < 16; o++)\n"
          "sum[o] += a[0] * w[4 * o] + a[1] * w[4 * o + 1] + a[2] * w[4 * o + 2] + a[3] * w[4 * o + 3];\n"
          "}\n");
    hy__c_int8_result(c, &p);
}

/* --- numbers of 8 bits one by one --- */
static void hy__c_int8_table(hy__c *c, const hy__c_step *s)
{
    hy__w(c, "for (int64_t i = 0; i < %l; i++) y0[i] = x1[x0[i]%s];\n", hy__size(&hy__c_out(s)->shape),
          hy__c_in(s, 0)->dtype == HY_I8 ? " + 128" : "");
}
static void hy__c_int8_add(hy__c *c, const hy__c_step *s)
{
    const hy__int8_add_rec *r = (const hy__int8_add_rec *)s->node->record;
    const int out = r->out_dtype != HY_F32, least = (r->out_dtype == HY_I8 ? -128 : 0) - r->out_zero;
    const int low = r->relu && least < 0 ? (least + 255 < 0 ? least + 255 : 0) : least;
    const double by = out ? r->out_scale : 1;
    hy__c_walk(c, s->node);
    hy__w(c, "%P {\nconst int a = %0 - %d, b = %1 - %d;\n", r->lhs_zero, r->rhs_zero);
    hy__w(c, "float v = %<(float)(a * b) * %v%|(float)a * %v + (float)b * %v%>;\n", r->multiply,
          (double)(float)(r->lhs_scale * r->rhs_scale / by), (double)(float)(r->lhs_scale / by),
          (double)(float)(r->rhs_scale / by));
    hy__w(c, out ? "v = v < %v ? %v : v > %v ? %v : v;\n%y = (%t)(rintf(v) + %d);\n}\n"
          : r->relu ? "%y = v < 0 ? 0 : v;\n}\n" : "%y = v;\n}\n", (double)low, (double)low,
          (double)(least + 255), (double)(least + 255), (int)r->out_dtype, r->out_zero);
}

/* --- weights of few bits: a block's sum, then its scale; with g_idx each number has its own block --- */
static void hy__c_matmul_nbits(hy__c *c, const hy__c_step *s)
{
    const hy__matmul_nbits_rec *r = (const hy__matmul_nbits_rec *)s->node->record;
    const hy_shape w = hy__nbits_shape(r);
    const int omitted = hy__nbits_omitted(r, &hy__c_in(s, 1)->shape);
    const int zeros = r->use_zero_points ? 3 : 0, index = r->use_g_idx ? 3 + (zeros > 0) : 0;
    char bias[HY__C_TEXT] = "0";
    if (!r->no_bias) hy__c_text(bias, "x%d[j]", s->node->nin - 1);
    hy__c_sizes(c, "ijbkR", hy__size(&hy__c_out(s)->shape) / r->num_hidden, (int64_t)r->num_hidden, w.dim[1],
                (int64_t)r->in_units, w.dim[1] * w.dim[2]);
    if (omitted) { hy__w(c, "@i @j y0[i * $j + j] = %s;\n", bias); return; }
    hy__w(c, "@i @j {\nconst uint8_t *w = x1 + j * $R;\nfloat sum = %s;\n@b {\nfloat part = 0;\n"
          "%<%|const int g = b;\n%>"
          "for (int k = b * %{block_size}; k < $k && k < (b + 1) * %{block_size}; k++) {\n"
          "%<const int64_t g = %p_index_due((double)x%d[k], $b, %d, fault);\n%>"
          "const float q = (float)%p_nbits_at(w, k, %{bits}) - ", bias, index, index, index,
          HY_INDEX_RAISE);
    if (!zeros) hy__w(c, "%d", 1 << (r->bits - 1));
    else if (r->real_zero_points) hy__w(c, "x3[j * $b + g]");
    else hy__w(c, "(float)%p_nbits_at(x3 + j * %l, g, %{bits})", hy__pieces(w.dim[1] * r->bits, 8));
    hy__w(c, ";\npart += x0[i * $k + k] * %<(q * x2[j * $b + g]);\n}\nsum += part;%|q;\n}\n"
          "sum += part * x2[j * $b + g];%>\n}\ny0[i * $j + j] = sum;\n}\n", index);
}
#endif

/* --- which emitter --- *
 * Rows without an emitter say of an operator that its results depend on no value (KNOWN), that each of its
 * elements comes from one place whatever the values (MOVES; of most the operator's own row says so; JOINS:
 * of any input), or that it has no C source although its row says that it moves elements. */
enum { HY__C_TAIL = 1, HY__C_WHOLE = 2, HY__C_KNOWN = 4, HY__C_MOVES = 8, HY__C_JOINS = 16 };
typedef struct hy__c_emitter {
    hy__c_fn emit;
    int      flags;
    int    (*pack)(hy__c *c, const hy__c_step *s, hy__c_blob *b);      /* weights that stand still, or NULL */
    int      op[9];                     /* operators that it writes, then 0, which is one with a formula */
} hy__c_emitter;

static const hy__c_emitter hy__c_emitters[] = {
    { hy__c_fully_connected, HY__C_TAIL, hy__c_pack_dense, { HY_OP_fully_connected } },
    { hy__c_matmul, HY__C_TAIL, NULL, { HY_OP_dot, HY_OP_batch_dot, HY_OP_linalg_gemm2, HY_OP__np_matmul } },
    { hy__c_add_n, 0, NULL, { HY_OP_add_n } },
    { hy__c_insert, HY__C_WHOLE, NULL, { HY_OP_insert, HY_OP_insert_slice, HY_OP_insert_tensor } },
    { hy__c_cast, HY__C_WHOLE, NULL, { HY_OP_cast, HY_OP_amp_cast, HY_OP__real, HY_OP__beside_number } },
    { hy__c_softmax, 0, NULL, { HY_OP_softmax, HY_OP_log_softmax, HY_OP_softmin, HY_OP_softmax_activation,
      HY_OP_softmax_output } },
    { hy__c_cross_entropy, 0, NULL, { HY_OP_softmax_cross_entropy } },
    { hy__c_ctc_loss, 0, NULL, { HY_OP_ctc_loss } },
    { hy__c_cumsum, 0, NULL, { HY_OP_cumsum } },
    { hy__c_triangle, 0, NULL, { HY_OP_tril, HY_OP_triu } },
    { hy__c_matrices, 0, NULL, { HY_OP_linalg_inverse, HY_OP_linalg_det, HY_OP_linalg_slogdet,
      HY_OP_linalg_potrf, HY_OP_linalg_trsm } },
    { hy__c_sort, 0, NULL, { HY_OP_topk, HY_OP_sort, HY_OP_argsort } },
    { hy__c_arg, 0, NULL, { HY_OP_argmax, HY_OP_argmin, HY_OP_argmax_channel } },
    { hy__c_reduce, 0, NULL, { HY_OP_sum, HY_OP_mean, HY_OP_prod, HY_OP_nansum, HY_OP_nanprod, HY_OP_max,
      HY_OP_min, HY_OP__sum_like, HY_OP_norm } },
    { hy__c_allclose, 0, NULL, { HY_OP_allclose } },
    { hy__c_histogram, 0, NULL, { HY_OP_histogram } },
    { hy__c_moments, 0, NULL, { HY_OP_moments } },
    { hy__c_average, 0, NULL, { HY_OP__average } },
    { hy__c_np_norm, 0, NULL, { HY_OP__np_norm } },
    { hy__c_norm_lines, 0, NULL, { HY_OP_layer_norm, HY_OP_group_norm, HY_OP_instance_norm } },
    { hy__c_batch_norm, 0, NULL, { HY_OP_batch_norm, HY_OP_batch_norm_relu } },
    { hy__c_l2_normalization, 0, NULL, { HY_OP_l2_normalization } },
    { hy__c_prelu, 0, NULL, { HY_OP_leaky_relu } },
    { hy__c_indexed, 0, NULL, { HY_OP_embedding, HY_OP_take, HY_OP_pick, HY_OP_batch_take, HY_OP_index_copy,
      HY_OP_put_rows } },
    { hy__c_one_hot, 0, NULL, { HY_OP_one_hot } },
    { hy__c_tuples, 0, NULL, { HY_OP_gather_nd, HY_OP_scatter_nd, HY_OP__gather_nd_grad } },
    { hy__c_sequence, 0, NULL, { HY_OP_sequence_mask, HY_OP_sequence_last, HY_OP_sequence_reverse } },
    { hy__c_attention, 0, NULL, { HY_OP_attention } },
#ifndef HYBRID_NO_INT8
    { hy__c_int8, 0, NULL, { HY_OP_int8_dense } },
    { hy__c_int8_table, 0, NULL, { HY_OP_int8_table } },
    { hy__c_int8_add, 0, NULL, { HY_OP_int8_add } },
    { hy__c_matmul_nbits, 0, NULL, { HY_OP_matmul_nbits } },
#endif
#ifndef HYBRID_NO_RNN
    { hy__c_rnn_emit, 0, hy__c_pack_rnn, { HY_OP_rnn } },
#endif
#ifndef HYBRID_NO_VISION
#ifndef HYBRID_NO_INT8
    { hy__c_int8, 0, NULL, { HY_OP_int8_convolution } },
#endif
    { hy__c_convolution, HY__C_TAIL, hy__c_pack_conv, { HY_OP_convolution } },
    { hy__c_pooling, 0, NULL, { HY_OP_pooling } },
    { hy__c_deconvolution, 0, NULL, { HY_OP_deconvolution } },
    { hy__c_adaptive, 0, NULL, { HY_OP_adaptive_avg_pooling } },
    { hy__c_lrn, 0, NULL, { HY_OP_lrn } },
    { hy__c_upsampling, 0, NULL, { HY_OP_upsampling } },
    { hy__c_box_iou, 0, NULL, { HY_OP_box_iou } },
    { hy__c_box_nms, 0, NULL, { HY_OP_box_nms } },
    { hy__c_detection, 0, NULL, { HY_OP_multibox_detection } },
    { hy__c_roi_pooling, 0, NULL, { HY_OP_roi_pooling } },
    { hy__c_roi_align, 0, NULL, { HY_OP_roi_align } },
    { hy__c_resize, 0, NULL, { HY_OP_bilinear_resize, HY_OP_image_resize } },
    { hy__c_to_tensor, 0, NULL, { HY_OP_image_to_tensor } },
    { hy__c_normalize, 0, NULL, { HY_OP_image_normalize } },
    { hy__c_light, 0, NULL, { HY_OP_image_adjust_lighting } },
    { hy__c_grid, 0, NULL, { HY_OP_grid_generator } },
    { hy__c_sampler, 0, NULL, { HY_OP_bilinear_sampler, HY_OP_spatial_transformer } },
    { hy__c_columns, 0, NULL, { HY_OP_im2col, HY_OP_col2im } },
    { hy__c_deformable, 0, NULL, { HY_OP_deformable_convolution } },
    { NULL, HY__C_KNOWN, NULL, { HY_OP_multibox_prior } },
    { NULL, HY__C_MOVES, NULL, { HY_OP_depth_to_space, HY_OP_space_to_depth, HY_OP_crop } },
#endif
    { NULL, HY__C_KNOWN, NULL, { HY_OP_shape_array, HY_OP_size_array, HY_OP_index_array, HY_OP_zeros_like,
      HY_OP_ones_like, HY_OP_arange_like } },
    { NULL, HY__C_JOINS, NULL, { HY_OP_concat, HY_OP_extend, HY_OP_stack, HY_OP_vstack, HY_OP_hstack,
      HY_OP_dstack, HY_OP_column_stack, HY_OP_slice_assign } },
    { NULL, HY__C_JOINS, NULL, { HY_OP_slice_assign_scalar, HY_OP_atleast_1d, HY_OP_atleast_2d,
      HY_OP_atleast_3d } },
    { NULL, 0, NULL, { HY_OP__pad_grad, HY_OP__diag_grad, HY_OP__slice_grad } },
    { NULL, 0, NULL, { 0 } }                    /* of all others */
};

static const hy__c_emitter *hy__c_emitter_row(const hy__node *node)
{
    const hy__c_emitter *e = hy__c_emitters;
    const int number = hy__op_number(node->op);
    int k;
    for (; *e->op; e++) for (k = 0; e->op[k]; k++) if (e->op[k] == number) return e;
    return e;
}

/* Loops backwards, or of a number of turns that is given, are those of gradients, as what is recomputed. */
static const hy__c_emitter *hy__c_emitter_of(const hy__node *node)
{
    static const hy__c_emitter turns = { hy__c_turns_emit, HY__C_WHOLE, NULL, { 0 } };
    const hy__control_rec *r = (const hy__control_rec *)node->record;
    const hy__c_emitter *e = hy__c_emitter_row(node);
    if (!(node->op->flags & HY_OP_CONTROL)) return e->emit ? e : NULL;
    return r->reverse || r->counted || r->keyed || r->own || node->op->member == HY__ONCE ? NULL : &turns;
}

/* Do its results not depend on any value? */
static int hy__c_is_known(const hy__node *node)
{
    if (node->op->flags & HY_OP_RANDOM) return 0;
    return (hy__op_number(node->op) >= 0 && !node->nin) || (hy__c_emitter_row(node)->flags & HY__C_KNOWN);
}

/* Operators whose elements come from one place each, whatever the values. */
static int hy__c_is_move(const hy__node *node)
{
    const hy__c_emitter *row = hy__c_emitter_row(node);
    if (*row->op) return row->flags & (HY__C_MOVES | HY__C_JOINS);
    return hy__op_number(node->op) >= 0 && (node->op->flags & HY_OP_MOVES) == HY_OP_MOVES;
}

static int hy__c_is_pointwise(const hy__node *node)
{
    hy__c_point at;
    return node->op == &hy__fused_op || hy__c_point_of(node, &at);
}

/* MARK: - 89 >>source -----------------------------------------------------------------------------------
 *
 * A program as C source, for fixed shapes: no library, no malloc, no threads. Parameters are frozen, the
 * passes run, and what is left is written operator by operator: a function each, called in order by
 * PREFIX_run. Values lie in one workspace, placed as >>plan places them. A pointwise operator that alone
 * reads a product is written into its loop: its "tail".
 */
/* --- freezing: parameters become constants, and variables of a body that stand for constants outside --- */
static int hy__c_freeze(hy__rewrite *R, const hy__node *node, const hy__edge *in, hy__edge *out)
{
    hy_frame *F = R->F;
    hy_array *x = node->param ? &node->param->array : NULL, *y;
    hy__node *const *given = (hy__node *const *)R->notes, *fresh;
    int k;
    (void)in;
    for (k = 0; given && k < node->nin; k++) {          /* variables, the first nodes of a body */
        hy__edge *e = &R->in[k];
        if (e->node->op || e->node->number >= R->from->vars || !given[e->node->number]) continue;
        e->node = hy__rewrite_join(R, hy__node_copy(F, given[e->node->number]));
        e->output = 0;
        R->value[R->first[hy__place_of(R, node->in[k].node)]] = *e;
        if (!e->node) return -1;
    }
    if (node->op || (!x && (!node->held || hy__packed(&node->constant)))) return 0;
    if (x && !hy__concrete(F, x, "hy_export_c", "hy_initialize")) return -1;
    if (!x) x = hy__handle_of(F, &node->constant, node->held);
    y = x ? hy_copy(F, x) : NULL;       /* of its own: nobody writes it while it is read */
    if (!y) return -1;
    fresh = hy__node_new(F, NULL, 0, 1, NULL, node->name);
    if (!fresh) return -1;
    fresh->type[0] = y->t.type;
    fresh->constant = y->t;
    fresh->held = hy__buffer_hold(y->buffer);
    fresh->early = 1;
    out->node = hy__rewrite_join(R, fresh);
    out->output = 0;
    return out->node ? 1 : -1;
}

/* Makes a graph with all types and without parameters; `of` is the operator whose body it is, or NULL.
 * Constants outside stand for variables of a body, but for those that are others in each turn. */
static hy_graph *hy__c_frozen(hy_frame *F, const hy_graph *from, const hy_type *input, const hy__mode *mode,
                              const hy__node *of)
{
    const hy__control_rec *r = of ? (const hy__control_rec *)of->record : NULL;
    const int pred = of && hy__c_is_cond(of);
    hy_graph *g = hy__typed_copy(F, from, input, mode);
    hy__rewrite R;
    hy__node **given;
    int i, failed;
    if (!g) return NULL;
    failed = hy__rewrite_open(&R, F, g, mode);
    given = of ? (hy__node **)hy__alloc_zero(&F->root->heap, ((size_t)g->vars + 1) * sizeof *given) : NULL;
    if (of && !given) hy__no_memory(F, "hy_export_c");
    for (i = given ? r->data - pred + r->states : 0; given && i < g->vars; i++) {
        given[i] = of->in[hy__control_input(r, pred, i)].node;
        if (!given[i]->held) given[i] = NULL;
    }
    R.notes = (void *)given;
    failed = failed || F->code || hy__rewrite_nodes(&R, hy__c_freeze);
    hy__graph_drop(g);
    return hy__rewrite_close(&R, failed);
}

/* Makes the graph that is written: frozen, with all types known, as the passes leave it. */
static hy_graph *hy__c_graph(hy_frame *F, const hy_graph *from, const hy_type *input, const hy__node *of)
{
    hy_graph *g;
    hy__mode mode;
    int i;
    memset(&mode, 0, sizeof mode);
    mode.off = HY_PASS_LAYOUT | HY_PASS_PROLOGUE | HY_PASS_FUSE | HY_PASS_ATTENTION;
    g = hy__c_frozen(F, from, input, &mode, of);
    if (g) g = hy__run_passes(F, g, &mode);
    mode.off = HY_PASS_LAYOUT | HY_PASS_PROLOGUE | HY_PASS_BATCH_NORM | HY_PASS_ATTENTION;
    if (g) g = hy__run_passes(F, g, &mode);         /* what folding batch norm left is folded, too */
    for (i = 0; g && i < g->n && !F->code; i++)
        if (!hy__types_known(g->node[i]->type, g->node[i]->nout)) {
            if (g->node[i]->op && (g->node[i]->op->flags & HY_OP_CONTROL)) hy__find_undecided(F, g, NULL);
            hy__fail(F, HY_ERROR_UNSUPPORTED,
                     "hy_export_c: values decide the shape of %s: C source is for fixed "
                     "shapes", g->node[i]->name);
        }
    if (g && !F->code) return g;
    hy__graph_drop(g);
    return NULL;
}

/* --- programs: the whole, then bodies, each behind the one that it stands in --- */
static int hy__c_program(hy__c *c, const hy_graph *from, const hy_type *input, const hy__node *of, int outer)
{
    hy__c_body *b;
    if (hy__c_grow(c, &c->body, c->bodies, sizeof *c->body) ||
        !(b = (hy__c_body *)hy__c_alloc(c, sizeof *b))) return -1;
    c->body[c->bodies++] = c->at = b;
    b->of = of;
    b->outer = outer;
    b->vary = -1;
    if (of && !hy__c_is_cond(of))
        b->vary = ((const hy__control_rec *)of->record)->data + ((const hy__control_rec *)of->record)->states;
    b->g = hy__c_graph(c->F, from, input, of);
    return b->g ? 0 : -1;
}

/* The whole, then the bodies of each operator that has some, made for the types of its inputs. */
static int hy__c_programs(hy__c *c, const hy_graph *from, const hy_type *input)
{
    int body, at, i, k;
    if (hy__c_program(c, from, input, NULL, -1)) return -1;
    for (body = 0; body < c->bodies; body++)
        for (at = 0; at < c->body[body]->g->n; at++) {
            const hy__node *node = c->body[body]->g->node[at];
            const hy__control_rec *r = (const hy__control_rec *)node->record;
            hy_type *type;
            int pred, n;
            if (!node->op || !(node->op->flags & HY_OP_CONTROL) || !hy__c_emitter_of(node)) continue;
            pred = hy__c_is_cond(node);
            n = hy__control_vars(r, pred);
            type = (hy_type *)hy__c_alloc(c, (size_t)n * sizeof *type);
            for (i = 0; type && i < n; i++)
                type[i] = hy__turn_type(r, pred, node->sub[node->nsub - 1], i,
                                        hy__edge_type(&node->in[hy__control_input(r, pred, i)]));
            for (k = 0; k < node->nsub; k++)
                if (!type || hy__c_program(c, node->sub[k], type, node, body)) return -1;
        }
    return 0;
}

/* --- names --- */
enum { HY__C_NAME = 180 };              /* letters of one, without the number that makes it unique */

/* Files have names already: macros, what is recorded, weights in another order. Macros are made of inputs,
 * which are to differ in more than capitals. */
static int hy__c_is_taken(const hy__c *c, const char *name)
{
    static const char *const numbered[] = { "out", "given", "due", "got" };
    size_t n = strlen(name), i, k;
    for (i = 0; i < 4; i++)
        if (!strncmp(name, numbered[i], k = strlen(numbered[i])) && !name[k + strspn(name + k, "0123456789")])
            return 1;
    if ((n >= 5 && !strcmp(name + n - 5, "_SIZE")) || (n >= 7 && !strcmp(name + n - 7, "_packed")) ||
        hy__names_find(&c->taken, name) >= 0) return 1;
    for (i = 0; i < (size_t)c->at->g->vars && c->at->var[i]; i++) {
        const char *other = c->at->var[i];
        for (k = 0; name[k] && (name[k] | 32) == (other[k] | 32); k++) continue;
        if (!name[k] && !other[k]) return 1;
    }
    return 0;
}

/* Letters, digits and underscores, not too many, and none of the compiler's own names; unique among those
 * that were taken before. */
static const char *hy__c_name(hy__c *c, const char *from, const char *behind)
{
    char *name = hy__c_joined(c, from[0] ? from : "value", behind);
    size_t n, i;
    int k;
    if (!name) return NULL;
    n = strlen(name);
    if (n > HY__C_NAME) n = HY__C_NAME;
    for (i = 0; i < n; i++)
        if (!hy__c_in_name(name[i]) || (!i && name[i] >= '0' && name[i] <= '9')) name[i] = '_';
    name[n] = 0;
    if (name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'))) name[0] = 'v';
    for (k = 2; hy__c_is_taken(c, name); k++) {
        name[n] = '_';
        name[n + 1 + (size_t)hy__text_i64(name + n + 1, k)] = 0;
    }
    if (!hy__names_add(&c->F->root->heap, &c->taken, name, 0)) return name;
    return (const char *)hy__no_memory(c->F, "hy_export_c");
}

static int hy__c_reserve(hy__c *c)
{
    static const char *const reserved[] = {
        "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
        "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return",
        "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void",
        "volatile", "while", "alignas", "alignof", "and", "asm", "bitand", "bitor", "bool", "catch", "class",
        "compl", "constexpr", "decltype", "delete", "explicit", "export", "false", "friend", "mutable",
        "namespace", "new", "noexcept", "not", "nullptr", "operator", "or", "private", "protected", "public",
        "template", "this", "throw", "true", "try", "typeid", "typename", "using", "virtual", "xor",
        "int8_t", "uint8_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "size_t", "memcpy",
        "memset", "NULL", "NAN", "INFINITY", "linux", "unix", "ws", "workspace", "weights", "run", "call",
        "memory", "test", "main", "name", "loaded", "H", "STEP", "APART", "TEST", "WORKSPACE", "WEIGHTS",
        "NO_MEMORY", "fault" };
    size_t k, n = sizeof reserved / sizeof *reserved;
    for (k = 0; k < n + (size_t)HY__C_HELPERS; k++) {
        const char *name = k < n ? reserved[k] : hy__c_helpers[k - n]->name + HY__C_OURS;
        if (!hy__names_add(&c->F->root->heap, &c->taken, name, 0)) continue;
        hy__no_memory(c->F, "hy_export_c");
        return -1;
    }
    return 0;
}

static int hy__c_names(hy__c *c)
{
    static const char *const parts[] = { "_turn", "_while", "_then", "_else" };
    hy__c_body *b = c->at;
    const hy_graph *g = b->g;
    int i, k;
    for (i = 0; i < g->vars && !c->F->code; i++) {
        int place = g->place[g->var[i]->number];
        const char *name = hy__c_name(c, g->var[i]->name, "");
        if (place >= 0) b->name[place] = name;
        b->var[i] = name;
    }
    for (i = 0; i < g->n && !c->F->code; i++)
        if (!b->name[i]) b->name[i] = hy__c_name(c, g->node[i]->name, "");
    if (!b->of || c->F->code) return c->F->code ? -1 : 0;
    for (k = 0; c->body[k]->of != b->of; k++) continue;
    i = hy__c_is_cond(b->of) ? 2 + (c->body[k] != b) : b->of->nsub > 1 && c->body[k] == b;
    b->turn = hy__c_name(c, b->of->name, parts[i]);
    b->before = b->turn ? hy__c_name(c, b->turn, "_before") : NULL;
    return b->before ? 0 : -1;
}

/* --- values that are there before the run --- */
static const char *hy__c_name_of(const hy__c *c, const hy__node *node)
{
    return c->at->name[c->at->g->place[node->number]];
}

static int hy__c_blob_add(hy__c *c, const hy_tensor *from, const char *name)
{
    hy__c_blob *b;
    if (hy__c_grow(c, &c->blob, c->blobs, sizeof *c->blob)) return -1;
    b = &c->blob[c->blobs];
    memset(b, 0, sizeof *b);
    b->from = *from;
    b->name = name;
    b->n = hy__size(&from->type.shape);
    b->split = 1;
    return c->blobs++;
}

/* The same values in the same order are written once: bodies often share them. */
static int hy__c_blob_once(hy__c *c, int at)
{
    const hy__c_blob *b = &c->blob[at];
    int k;
    for (k = 0; k < at; k++) {
        const hy__c_blob *o = &c->blob[k];
        if (o->from.data == b->from.data && hy__same_type(&o->from.type, &b->from.type) && !o->part &&
            !b->part && !memcmp(&o->all, &b->all, sizeof o->all) && o->split == b->split &&
            o->step_s == b->step_s) break;
    }
    if (k < at) c->blobs--;
    return k;
}

/* Finds the element that stands at i in a packed blob. */
static int64_t hy__c_blob_at(const hy__c_blob *b, int64_t i)
{
    const hy__c_part *p = b->parts ? b->part : &b->all;
    int64_t start, row, column, lanes;
    if (!b->all.lanes) return i;
    for (; b->parts && (i < p->start || i - p->start >= p->rows * p->columns); p++)
        if (p == b->part + b->parts - 1) return i;
    start = i - (i - p->start) % (p->rows * p->columns);
    i -= start;
    column = i / (p->rows * p->lanes) * p->lanes;
    i %= p->rows * p->lanes;
    lanes = hy__least(p->lanes, p->columns - column);
    row = i / lanes;
    return start + (column + i % lanes) * p->rows + row / b->split + row % b->split * b->step_s;
}

/* What an operator without inputs that count gives is a constant from here on. */
static int hy__c_compute(hy__c *c, const hy__node *node, int v)
{
    hy_frame *F = c->F;
    hy_array *in[4], *y;
    int k, number = hy__op_number(node->op);
    for (k = 0; k < node->nin && k < 4; k++) {
        const hy_type *t = hy__edge_type(&node->in[k]);
        in[k] = hy__blank(F, t->shape, t->dtype);
    }
    if (number == HY_OP__zeros || number == HY_OP__ones || number == HY_OP__full) { /* others say the shape */
        y = hy__blank(F, node->type[0].shape, node->type[0].dtype);
        hy_fill(F, y, hy__c_attr(node, "value", number == HY_OP__ones));
    } else y = F->code ? NULL : hy__emit_run(F, node->op, node->nin, in, node->record, 0, NULL);
    if (!y || F->code || y->count) return -1;
    c->at->value[v].where = HY__AT_CONSTANT;
    c->at->value[v].index = hy__c_blob_add(c, &y->t, hy__c_name_of(c, node));
    return c->at->value[v].index < 0 ? -1 : 0;
}

/* --- maps of positions --- */
/* Makes nested loops of a list of n places, counted from 1, if there are some that give it. */
static int hy__c_map_loops(hy__c_map *m, const int *a, int64_t n)
{
    int64_t stride = 1, i, k, run, left = n;
    int dims = 0;
    m->base = n ? a[0] - 1 : 0;
    while (left > 1) {
        int64_t step = a[stride] - a[0];
        for (run = 1; run < left && a[run * stride] - a[(run - 1) * stride] == step; run++) continue;
        while (left % run) run--;       /* every block is as long */
        if (run < 2 || dims == HY__C_DIMS) return -1;
        for (i = 0; i < left; i += run)
            for (k = 1; k < run; k++) if (a[(i + k) * stride] - a[(i + k - 1) * stride] != step) return -1;
        m->n[dims] = run;
        m->step[dims++] = step;
        stride *= run;
        left /= run;
    }
    m->dims = dims;
    return 0;
}

/* The places of elements below + 1 to below + inputs as a map of their own; below -1: of those that come from
 * nowhere. An input whose elements stay in place is copied whole: what comes after writes over it. */
static int hy__c_map_part(hy_frame *F, hy__c_map *m, const int *from, int64_t n, int64_t below,
                          int64_t inputs)
{
    hy_array *room = hy__blank(F, hy__shape1((below < 0 ? n : inputs) + 1), HY_I32);
    int64_t i, used = 0;
    int *to = room ? (int *)room->t.data : NULL, stays = 1;
    for (i = 0; to && i < n; i++) {
        const int64_t at = below < 0 ? (from[i] ? -1 : used) : from[i] - 1 - below;
        if (at < 0 || (below >= 0 && at >= inputs)) continue;
        if (to[at]) return -1;          /* one that goes to several places */
        used++;
        stays &= at == i;
        to[at] = (int)i + 1;
    }
    m->inverse = used > 0;
    if (!to || !used || used == inputs || below < 0) return to ? hy__c_map_loops(m, to, used) : -1;
    m->dims = 1;
    m->n[0] = inputs;
    m->step[0] = 1;
    return stays ? 0 : -1;
}

/* Where elements come from, counted from 1; 0: from nowhere. As loops over the result, over the input with
 * the rest filled, or as a table. */
static int hy__c_map_make(hy__c *c, hy__c_map *m, const int *from, int64_t n, int64_t inputs)
{
    int64_t i, filled = 0;
    for (i = 0; i < n; i++) filled += from[i] == 0;
    if (!filled && !hy__c_map_loops(m, from, n)) return 0;
    m->inverse = filled && n - filled == inputs && !hy__c_map_part(c->F, m, from, n, 0, inputs);
    if (m->inverse) return 0;
    m->base = filled > 0;
    m->table = (int *)hy__c_alloc(c, (size_t)n * sizeof(int));
    if (m->table) memcpy(m->table, from, (size_t)n * sizeof(int));
    return m->table ? 0 : -1;
}

/* Runs the operator on the positions of its elements: what comes out says where each came from. */
static int hy__c_map_of(hy__c *c, hy__c_step *s)
{
    hy_frame *F = c->F;
    const hy__node *node = s->node;
    const int number = hy__op_number(node->op);
    union { double align[HY__RECORD_MAX / 8]; char bytes[HY__RECORD_MAX]; } record;
    hy_array **in = (hy_array **)hy__c_alloc(c, (size_t)node->nin * sizeof *in), *y;
    double fill = hy__c_attr(node, number == HY_OP_pad ? "constant_value" : "scalar", 0), *given;
    int64_t n = 0, i, size;
    int o, k, failed = 0;
    memcpy(record.bytes, node->record, node->op->record);
    given = number == HY_OP_pad ? &((hy__pad_rec *)(void *)record.bytes)->constant_value
        : number == HY_OP_slice_assign_scalar ? &((hy__slice_assign_scalar_rec *)(void *)record.bytes)->scalar
        : NULL;
    if (given) *given = 0;
    s->gives = hy__c_emitter_row(node)->flags & HY__C_JOINS ? (int)hy__most(node->nin, 2) : 1;
    s->map = (hy__c_map *)hy__c_alloc(c, (size_t)(node->nout * (s->gives + 1)) * sizeof *s->map);
    if (!s->map || !in) return -1;
    hy_begin(F);
    for (k = 0; k < node->nin; k++) {
        in[k] = hy__blank(F, hy__c_in(s, k)->shape, HY_I32);
        size = in[k] && k < s->gives ? hy__size(&in[k]->t.type.shape) : 0;
        for (i = 0; i < size; i++) ((int *)in[k]->t.data)[i] = (int)++n;
    }
    y = F->code ? NULL : hy__emit_run(F, node->op, node->nin, in, record.bytes, 0, NULL);
    if (!y) failed = -1;
    for (o = 0; !failed && o < (y->count ? y->count : 1); o++) {
        hy_array *part = hy_copy(F, y->count ? y->item[o] : y);
        const int *from = part ? (const int *)part->t.data : NULL;
        const int64_t places = part ? hy__size(&part->t.type.shape) : 0;
        hy__c_map *m = &s->map[o * (s->gives + 1)];
        if (s->gives == 1) failed = !part || hy__c_map_make(c, m, from, places, n);
        for (k = 0, i = 0; k <= s->gives && s->gives > 1 && !failed; k++, i += size) {
            size = k < node->nin ? hy__size(&hy__c_in(s, k)->shape) : 0;
            failed = !part || hy__c_map_part(F, &m[k], from, places, k < s->gives ? i : -1, size);
        }
        for (k = 0; k <= s->gives; k++) m[k].fill = hy__c_value_held(fill, node->type[o].dtype);
    }
    hy_end(F);
    return failed ? -1 : 0;
}

/* --- what is done: steps and values --- */
static void hy__c_value_is(hy__c *c, const hy__node *node, int place, int where, int index)
{
    int k;
    for (k = 0; k < node->nout; k++) {
        hy__c_value *v = &c->at->value[c->at->first[place] + k];
        v->type = &node->type[k];
        v->where = where;
        v->index = index;
        v->root = c->at->first[place] + k;
    }
}

/* A view has the elements of its input in another shape, and no memory of its own unless it goes out. */
static int hy__c_alias(hy__c *c, const hy__node *node, int place)
{
    hy__c_value *v = &c->at->value[c->at->first[place]];
    int from;
    if (!(node->op->flags & HY_OP_VIEW) || node->nout != 1 || v->index >= 0) return 0;
    from = hy__c_value_of(c, &node->in[0]);
    v->root = c->at->value[from].root;
    v->type = &node->type[0];
    v->where = c->at->value[v->root].where;
    v->varies = c->at->value[v->root].varies;
    return 1;
}

/* May the pointwise node be done where its operand k is stored? */
static int hy__c_tail_fits(const hy__c *c, const hy__node *node, int k)
{
    const hy_type *x = hy__edge_type(&node->in[k]);
    int v = hy__c_value_of(c, &node->in[k]), i;
    if (c->at->uses[v] != 1 || node->nout != 1 || node->nin >= HY__FUSED_INPUTS || !hy__floating(x->dtype) ||
        hy__c_is_half(x->dtype) || hy__size(&x->shape) != hy__size(&node->type[0].shape)) return 0;
    for (i = 0; i < node->nin; i++) {
        const hy_type *t = hy__edge_type(&node->in[i]);
        int64_t n = hy__size(&t->shape);
        if (t->dtype != x->dtype || (n != 1 && n != hy__size(&x->shape))) return 0;
    }
    return x->dtype == node->type[0].dtype;
}

/* Joins a pointwise node to the step that gives one of its operands, which saves a pass over memory. */
static int hy__c_join_tail(hy__c *c, const hy__node *node, int place)
{
    hy__c_body *b = c->at;
    int k, i;
    for (k = 0; k < node->nin; k++) {
        int v = hy__c_value_of(c, &node->in[k]);
        if (!node->in[k].node->op || b->value[v].root != v || !hy__c_tail_fits(c, node, k) ||
            b->value[v].varies != b->value[b->first[place]].varies) continue;
        for (i = b->steps - 1; i >= 0; i--) if (b->step[i].y == v) break;
        if (i < 0 || b->step[i].tail || !b->step[i].tails || b->step[i].node->nout != 1) continue;
        b->step[b->steps] = b->step[i];
        b->step[i].emit = NULL;
        b->value[v].where = HY__NOWHERE;
        b->step[b->steps].tail = node;
        b->step[b->steps].tail_at = k;
        b->step[b->steps].place = place;
        b->step[b->steps++].y = b->first[place];
        return 1;
    }
    return 0;
}

/* Makes a step for a node that no other step does. Its weights, if they stand still, are packed. */
static int hy__c_step_of(hy__c *c, const hy__node *node, int place)
{
    const hy__c_emitter *e = hy__c_is_pointwise(node) ? NULL : hy__c_emitter_of(node);
    const hy__node *w = node->nin > 1 ? node->in[1].node : NULL;
    hy__c_step *s = &c->at->step[c->at->steps];
    int k;
    memset(s, 0, sizeof *s);
    s->node = node;
    s->name = c->at->name[place];
    s->place = place;
    s->packed = -1;
    s->y = c->at->first[place];
    s->whole = !e || (e->flags & HY__C_WHOLE);
    s->emit = e ? e->emit : hy__c_is_pointwise(node) ? hy__c_pointwise : hy__c_moves;
    s->tails = e && (e->flags & HY__C_TAIL);
    for (k = 1; k < c->bodies && !s->body; k++) if (c->body[k]->of == node) s->body = k;
    c->at->steps++;
    if (!e && !hy__c_is_pointwise(node) && hy__c_map_of(c, s)) return -1;
    if (!e || !e->pack || !w || !w->held || !hy__size(&w->constant.type.shape) ||
        !hy__floating(w->constant.type.dtype) || !hy__size(&hy__c_out(s)->shape)) return 0;
    s->packed = hy__c_blob_add(c, &w->constant, hy__c_joined(c, s->name, "_packed"));
    if (s->packed < 0) return -1;
    c->blob[s->packed].all.lanes = HY__C_LANES;
    if (!c->blob[s->packed].name || e->pack(c, s, &c->blob[s->packed])) return -1;
    s->packed = hy__c_blob_once(c, s->packed);
    return 0;
}

/* Is there something that writes it? Those without are named together. */
static int hy__c_covered(const hy__node *node)
{
    int k;
    for (k = 0; k < node->nin; k++)
        if (hy__size(&hy__edge_type(&node->in[k])->shape) >= INT_MAX) return 0;
    for (k = 0; k < node->nout; k++)
        if (hy__size(&node->type[k].shape) > INT_MAX / 16) return 0;
    if (hy__c_is_known(node) || hy__c_is_pointwise(node)) return 1;
    return hy__c_emitter_of(node) != NULL || hy__c_is_move(node);
}

/* Names, once, the operators that are not covered. */
static int hy__c_check(hy__c *c)
{
    char text[sizeof c->F->text / 2], name[HY__C_TEXT];
    hy__line line = hy__line_open(text, sizeof text);
    int i, k;
    for (k = 0; k < c->bodies; k++)
        for (i = 0; i < c->body[k]->g->n; i++) {
            const hy__node *node = c->body[k]->g->node[i];
            if (!node->op || hy__c_covered(node)) continue;
            if (!line.n || !strstr(text, hy__c_text(name, ", %s,", node->op->name)))
                hy__say(&line, line.n ? " %s," : ", %s,", node->op->name);
        }
    if (!line.n) return 0;
    text[strlen(text) - 1] = 0;
    return hy__fail(c->F, HY_ERROR_UNSUPPORTED, "hy_export_c: no C source is written for: %s", text + 2);
}

/* What the outputs of an operator are; what is the same in all turns is copied out by each. Emitters write y0
 * also where nobody reads it. */
static void hy__c_outputs_of(hy__c *c, const hy__node *node, int place)
{
    int k, varies = c->at->vary < 0, writes = !(node->op->flags & HY_OP_CONTROL) && hy__c_emitter_of(node);
    for (k = 0; k < node->nin; k++) varies |= c->at->value[hy__c_value_of(c, &node->in[k])].varies;
    for (k = 0; k < node->nout; k++) {
        hy__c_value *v = &c->at->value[c->at->first[place] + k];
        v->type = &node->type[k];
        v->root = c->at->first[place] + k;
        v->varies = varies;
        v->where = v->index >= 0 && varies ? HY__AT_HEAD
            : c->at->uses[v->root] || (k == 0 && writes) ? HY__AT_ARENA : HY__NOWHERE;
    }
}

static int hy__c_steps(hy__c *c)
{
    hy__c_body *b = c->at;
    hy_graph *g = b->g;
    int i, k;
    for (i = 0; i < b->values; i++) b->value[i].index = -1;
    for (i = g->heads - 1; i >= 0; i--) b->value[hy__c_value_of(c, &g->head[i])].index = i;
    for (i = 0; i < g->vars; i++) {
        int place = g->place[g->var[i]->number];
        if (place < 0) continue;
        hy__c_value_is(c, g->var[i], place, HY__AT_INPUT, i);
        b->value[b->first[place]].varies = i < b->vary || b->vary < 0;
    }
    for (i = 0; i < g->n; i++) {
        const hy__node *node = g->node[i];
        if (!node->op && node->held) hy__c_value_is(c, node, i, HY__AT_CONSTANT, -1);
        if (!node->op || hy__c_alias(c, node, i)) continue;
        hy__c_outputs_of(c, node, i);
        for (k = 0; k < node->nout && !hy__size(&node->type[k].shape); k++) continue;
        if (k == node->nout) continue;          /* nothing comes out */
        if (hy__c_is_known(node)) { if (hy__c_compute(c, node, b->first[i])) return -1; continue; }
        if (hy__c_is_pointwise(node) && hy__c_join_tail(c, node, i)) continue;
        if (hy__c_step_of(c, node, i)) return -1;
    }
    for (i = 0; i < b->steps && b->vary >= 0; i++) {    /* those that are the same in all turns come first */
        hy__c_step s = b->step[i];
        if (b->value[s.y].varies) continue;
        memmove(b->step + b->early + 1, b->step + b->early, (size_t)(i - b->early) * sizeof s);
        b->step[b->early++] = s;
    }
    return 0;
}

/* --- where values lie --- */
/* Counts the bytes of halves as floats; those without elements are named, too, so they have some. */
static size_t hy__c_floats(const hy_shape *s)
{
    return hy__round64((size_t)hy__most(hy__size(s), 1) * sizeof(float));
}

/* The arrays that a step's function may have as parameters: inputs x, inputs z of the tail, results y. */
typedef struct hy__c_port { const hy_type *type; const char *name; int k, value, half; } hy__c_port;

static int hy__c_tail_inputs(const hy__c_step *s) { return s->tail ? s->tail->nin : 0; }
static int hy__c_ports(const hy__c_step *s)
{
    return s->node->nin + hy__c_tail_inputs(s) + (s->tail ? s->tail : s->node)->nout;
}
static hy__c_port hy__c_port_of(const hy__c *c, const hy__c_step *s, int i)
{
    const int tail = i >= s->node->nin, out = i - s->node->nin - hy__c_tail_inputs(s);
    hy__c_port p;
    p.k = out >= 0 ? out : tail ? i - s->node->nin : i;
    p.name = out >= 0 ? "y" : tail ? "z" : "x";
    if (out >= 0) {
        p.type = &(s->tail ? s->tail : s->node)->type[out];
        p.value = s->y + out;
    } else {
        const hy__edge *e = &(tail ? s->tail : s->node)->in[p.k];
        p.type = hy__edge_type(e);
        p.value = hy__c_value_of(c, e);
    }
    p.half = !s->whole && hy__c_is_half(p.type->dtype);
    return p;
}

/* The lines of the operator, without what opens and closes its function. */
static void hy__c_write_lines(hy__c *c, const hy__c_step *s)
{
    c->real = hy__c_wide(s->node->type[0].dtype);
    memset(c->letter, 0, sizeof c->letter);
    c->letter[(int)'a'].name = "at";
    c->step = s;
    s->emit(c, s);
}

/* A dry run of a step's emitter, which finds the parameters of its function: inputs that its lines name, room
 * that it asks for, and where it says that data were bad. Halves that it wants as floats lie behind that. */
static void hy__c_learn(hy__c *c, hy__c_step *s)
{
    hy__target nowhere;
    int k;
    s->takes = (char *)hy__c_alloc(c, (size_t)hy__c_ports(s));
    if (!s->takes) return;
    memset(&nowhere, 0, sizeof nowhere);
    nowhere.F = c->F;
    c->t = &nowhere;
    c->learns = s;
    c->scratch = 0;
    hy__c_write_lines(c, s);
    c->learns = NULL;
    c->t = NULL;
    s->scratch = hy__round64(c->scratch);
    c->at->faults |= s->faults;
    for (k = 0; k < hy__c_ports(s); k++) {
        const hy__c_port p = hy__c_port_of(c, s, k);
        if (*p.name == 'y') s->takes[k] = (char)hy__c_wants(c, s, p.k);
        if (p.half && s->takes[k]) s->halves += hy__c_floats(&p.type->shape);
    }
}

/* A constant that something reads as it is is written. */
static void hy__c_touch(hy__c *c, int v, int step)
{
    hy__c_body *b = c->at;
    hy__c_value *x = &b->value[b->value[v].root];
    int i, late = step >= b->early;
    for (i = 0; i < b->g->n && x->where == HY__AT_CONSTANT && x->index < 0; i++) {
        const hy__node *node = b->g->node[i];
        int at = b->first[i] == b->value[v].root && node->held
            ? hy__c_blob_add(c, &node->constant, hy__c_name_of(c, node)) : -1;
        if (at >= 0) x->index = hy__c_blob_once(c, at);
    }
    if (x->from < 0) x->from = step;
    x->to = late && x->from < b->early ? b->steps : step;       /* there will be other turns */
    x->reads |= late ? HY__C_LATE : HY__C_EARLY;
}

/* Does head i go out by itself? Others are copied at the end. */
static int hy__c_is_own_head(const hy__c *c, int i)
{
    const hy__c_value *x = &c->at->value[c->at->value[hy__c_value_of(c, &c->at->g->head[i])].root];
    return x->where == HY__AT_HEAD && x->index == i;
}

static void hy__c_touch_all(hy__c *c)
{
    int i, k;
    for (i = 0; i < c->at->values; i++) c->at->value[i].from = -1;
    for (i = 0; i < c->at->steps; i++) {
        const hy__c_step *s = &c->at->step[i];
        for (k = 0; s->emit && k < hy__c_ports(s); k++)
            if (s->takes[k] && !(k == 1 && s->packed >= 0)) hy__c_touch(c, hy__c_port_of(c, s, k).value, i);
    }
    for (i = 0; i < c->at->g->heads; i++)
        if (!hy__c_is_own_head(c, i)) hy__c_touch(c, hy__c_value_of(c, &c->at->g->head[i]), c->at->steps);
}

static int hy__c_place(hy__c *c)
{
    hy__c_body *p = c->at;
    hy__block_of *b = (hy__block_of *)hy__c_alloc(c, (size_t)(p->values + p->steps) * sizeof *b);
    int i, n = 0;
    if (!b) return -1;
    for (i = 0; i < p->steps && !c->F->code; i++) if (p->step[i].emit) hy__c_learn(c, &p->step[i]);
    if (!c->F->code) hy__c_touch_all(c);
    for (i = 0; i < p->values + p->steps && !c->F->code; i++) {
        const hy__c_step *s = i < p->values ? NULL : &p->step[i - p->values];
        const hy__c_value *v = s ? NULL : &p->value[i];
        if (s ? !s->emit || s->scratch + s->halves == 0 : v->where != HY__AT_ARENA || v->root != i ||
            v->from < 0) continue;
        b[n].bytes = s ? hy__round64(s->scratch + s->halves) : hy__c_place_of(v->type);
        b[n].from = s ? i - p->values : v->from;
        b[n].to = s ? i - p->values : v->to;
        b[n++].value = i;
    }
    hy__sort_blocks(b, n, 0);
    p->arena = hy__place_by_size(b, n);
    while (n--) {
        if (b[n].value < p->values) p->value[b[n].value].offset = b[n].offset;
        else p->step[b[n].value - p->values].scratch_at = b[n].offset;
    }
    return c->F->code ? -1 : 0;
}

/* --- the file --- */
static void hy__c_write_types(hy__c *c, const hy__c_step *s)
{
    char text[HY__C_TEXT];
    const hy__node *last = s->tail ? s->tail : s->node;
    int k;
    hy__w(c, "/* %s: %s", s->name, s->node->op->name);
    if (s->node->op == &hy__fused_op) {
        const hy_graph *sub = hy__node_sub(s->node);
        for (k = sub->vars; k < sub->store->n; k++) hy__w(c, "%s %s", k > sub->vars ? "," : ":",
                                                          sub->store->node[k]->op->name);
    }
    for (k = 0; k < s->node->nin && k < 4; k++) {
        hy__c_text(text, "%s%z", k ? ", " : " ", &hy__c_in(s, k)->shape);
        hy__w(c, "%s", text);
    }
    hy__c_text(text, "%s -> %z", k < s->node->nin ? ", ..." : "", &last->type[0].shape);
    hy__w(c, "%s", text);
    if (s->tail) hy__w(c, ", then %s", s->tail->op->name);
    hy__w(c, " */\n");
}

/* Writes the numbers of a constant, 8 or 16 a line. */
static void hy__c_write_numbers(hy__c *c, const hy_tensor *from, const hy__c_blob *b, int64_t n)
{
    hy_dtype dtype = from->type.dtype;
    int64_t i, in_line = hy__floating(dtype) && !hy__c_is_half(dtype) ? 8 : 16;
    c->real = dtype;
    for (i = 0; i < n; i++) {
        const char *at = (const char *)from->data + (b ? hy__c_blob_at(b, i) : i) * hy__traits[dtype].size;
        hy__w(c, i % in_line ? ", " : i ? ",\n" : "\n");
        if (hy__c_is_half(dtype)) {
            uint16_t bits;
            memcpy(&bits, at, sizeof bits);
            hy__w(c, "%d", (int)bits);
        } else if (dtype == HY_I64) {
            int64_t v;
            memcpy(&v, at, sizeof v);
            hy__w(c, "%l", v);
        } else {
            char text[HY__C_NUMBER];
            size_t letters = strlen(hy__c_number(text, hy__load(at, dtype), dtype));
            hy__c_put(c, text + (*text == '('), letters - (*text == '(' ? 2u : 0u));
        }
    }
    if (!n) hy__w(c, " 0");
}

/* Not every compiler (tcc) makes a NaN or -inf at compile time: a table with one is written as its bits. */
static void hy__c_write_table(hy__c *c, const char *name, const hy_tensor *from, const hy__c_blob *b,
                              int64_t n)
{
    hy_tensor bits = *from;
    hy_dtype dtype = from->type.dtype;
    int64_t i, room = n ? n : 1;
    int plain = 1;
    for (i = 0; i < n && (dtype == HY_F32 || dtype == HY_F64) && plain; i++) {
        int64_t at = b ? hy__c_blob_at(b, i) : i;
        plain = hy__load((const char *)from->data + at * hy__traits[dtype].size, dtype) > -HUGE_VAL;
    }
    if (plain) hy__w(c, "static const %t %p_%s[%l] = {", (int)dtype, name, room);
    else {
        bits.type.dtype = dtype == HY_F32 ? HY_I32 : HY_I64;
        hy__w(c, "static const union { %t bits[%l]; %t value[%l]; } %p_%s = { {", (int)bits.type.dtype, room,
              (int)dtype, room, name);
    }
    hy__c_write_numbers(c, &bits, b, n);
    if (plain) hy__w(c, "\n};\n");
    else hy__w(c, "\n} };\n#define %p_%s %p_%s.value\n", name, name);
}

/* Writes a file of weights: each in the order of the source, at its offset, lowest bytes first. */
static void hy__c_put_weights(hy__target *t, const void *what)
{
    const hy__c *c = (const hy__c *)what;
    const int big = hy__big_endian();
    uint64_t start = t->n;
    char bytes[8];
    size_t byte;
    int64_t i;
    int k;
    for (k = 0; k < c->blobs; k++) {
        const hy__c_blob *b = &c->blob[k];
        size_t size = hy_dtype_size(b->from.type.dtype);
        while (t->n - start < b->offset) hy__put_u64(t, 1, 0);
        for (i = 0; i < b->n; i++) {
            const char *at = (const char *)b->from.data + hy__c_blob_at(b, i) * (int64_t)size;
            for (byte = 0; byte < size; byte++) bytes[byte] = at[big ? size - 1 - byte : byte];
            hy__put_bytes(t, bytes, size);
        }
    }
    while (t->n - start < c->weights) hy__put_u64(t, 1, 0);
}

/* Writes where weights lie, as an argument of a call. */
static void hy__c_write_blob(hy__c *c, const hy__c_blob *b)
{
    if (!c->separate) hy__w(c, "%p_%s", b->name);
    else hy__w(c, "(const %t *)(const void *)((const char *)weights + %l)", (int)b->from.type.dtype,
               (int64_t)b->offset);
}

/* Writes where a value lies, as an argument of a call. */
static void hy__c_write_where(hy__c *c, int v)
{
    const hy__c_value *x = &c->at->value[c->at->value[v].root];
    if (x->where == HY__AT_INPUT) hy__w(c, "%s", c->at->var[x->index]);
    else if (x->where == HY__AT_HEAD) hy__w(c, "%o", x->index);
    else if (x->where == HY__AT_ARENA) hy__w(c, "(%t *)(void *)(ws + %l)", (int)x->type->dtype,
                                             (int64_t)x->offset);
    else if (x->index < 0) hy__w(c, "0");
    else hy__c_write_blob(c, &c->blob[x->index]);
}

/* Writes the parameters of a step's function, or what a call gives for them. */
static void hy__c_write_ports(hy__c *c, const hy__c_step *s, int call)
{
    int k;
    hy__w(c, "%(");
    for (k = 0; k < hy__c_ports(s); k++) {
        const hy__c_port p = hy__c_port_of(c, s, k);
        if (!s->takes[k]) continue;
        hy__w(c, "%,");
        if (!call) hy__w(c, *p.name == 'y' ? "%t *restrict %s%d" : "const %t *restrict %s%d",
                         (int)p.type->dtype, !p.half ? p.name : *p.name == 'y' ? "e" : "half", p.k);
        else if (k == 1 && s->packed >= 0) hy__c_write_blob(c, &c->blob[s->packed]);
        else hy__c_write_where(c, p.value);
    }
    if (s->scratch + s->halves)
        hy__w(c, call ? "%,ws + %l" : "%,char *restrict scratch", (int64_t)s->scratch_at);
    if (s->body && c->separate) hy__w(c, call ? "%,weights" : "%,const void *weights");
    if (s->faults) hy__w(c, !call ? "%,int *fault" : c->at->of ? "%,fault" : "%,&fault");
    hy__w(c, ")");
}

/* Halves come in as floats before the body, or leave as halves behind it. */
static void hy__c_write_halves(hy__c *c, const hy__c_step *s, int behind)
{
    size_t at = s->scratch;
    int k;
    for (k = 0; k < hy__c_ports(s); k++) {
        const hy__c_port p = hy__c_port_of(c, s, k);
        const char *half;
        if (!p.half || !s->takes[k]) continue;
        half = hy__c_need_half(c, p.type->dtype);
        if (!behind) hy__w(c, "float *%s%d = (float *)(void *)(scratch + %l);\n", p.name, p.k, (int64_t)at);
        at += hy__c_floats(&p.type->shape);
        if (behind != (*p.name == 'y')) continue;
        hy__w(c, "%fi", hy__size(&p.type->shape));
        if (behind) hy__w(c, " e%d[i] = %p_f32_to_%s(y%d[i]);\n", p.k, half, p.k);
        else hy__w(c, " x%d[i] = %p_%s_to_f32(half%d[i]);\n", p.k, half, p.k);
    }
}

static void hy__c_write_step(hy__c *c, const hy__c_step *s)
{
    hy__c_write_types(c, s);
    hy__w(c, "%u_STEP void %p_%s", s->name);
    hy__c_write_ports(c, s, 0);
    hy__w(c, "\n{\n");
    if (!s->whole) hy__c_write_halves(c, s, 0);
    hy__c_write_lines(c, s);
    if (!s->whole) hy__c_write_halves(c, s, 1);
    hy__w(c, "}\n\n");
}

/* Writes the variables that a part reads (0: all), then where results go, as parameters. */
static void hy__c_write_parameters(hy__c *c, int part)
{
    const hy_graph *g = c->at->g;
    int i;
    hy__w(c, "%(");
    for (i = 0; i < g->vars; i++)
        if (!part || (hy__c_body_reads(c->at, i) & part))
            hy__w(c, "%,const %t *%s", (int)g->var[i]->type[0].dtype, c->at->var[i]);
    for (i = 0; i < g->heads && part != HY__C_EARLY; i++)
        hy__w(c, "%,%t *%o", (int)hy__edge_type(&g->head[i])->dtype, i);
}

static void hy__c_write_signature(hy__c *c)
{
    hy__w(c, "%<static %>int %p_run", c->callable);
    hy__c_write_parameters(c, 0);
    hy__w(c, "%,void *workspace%<, const void *weights%>)", c->separate);
}

static void hy__c_write_sizes(hy__c *c)
{
    char shape[HY__C_TEXT];
    int i;
    hy__w(c, "#define %u_WORKSPACE %l      /* bytes of memory that a run takes */\n", (int64_t)c->at->arena);
    hy__w(c, "%<#define %u_WEIGHTS %l      /* bytes of the file of weights */\n%>", c->separate,
          (int64_t)c->weights);
    for (i = 0; i < c->at->g->vars + c->at->g->heads; i++) {
        int out = i - c->at->g->vars;
        const hy_type *t = out < 0 ? &c->at->g->var[i]->type[0] : hy__edge_type(&c->at->g->head[out]);
        const char *s = out < 0 ? c->at->var[i] : "OUT";
        hy__w(c, "#define %u_");
        for (; *s; s++) {
            char letter = *s >= 'a' && *s <= 'z' ? (char)(*s - 32) : *s;
            hy__c_put(c, &letter, 1);
        }
        if (out >= 0 && c->at->g->heads > 1) hy__w(c, "%d", out);
        hy__w(c, "_SIZE %l      /* %s */\n", hy__size(&t->shape), hy__c_text(shape, "%z", &t->shape));
    }
}

/* Writes the calls of a part in order; behind the late ones, what comes out twice is copied. */
static void hy__c_write_calls(hy__c *c, int part)
{
    int i, early = part == HY__C_EARLY;
    for (i = early ? 0 : c->at->early; i < (early ? c->at->early : c->at->steps); i++) {
        const hy__c_step *s = &c->at->step[i];
        if (!s->emit) continue;
        hy__w(c, "%p_%s", s->name);
        hy__c_write_ports(c, s, 1);
        hy__w(c, ";\n");
    }
    for (i = 0; i < c->at->g->heads && !early; i++) {
        int v = hy__c_value_of(c, &c->at->g->head[i]);
        if (hy__c_is_own_head(c, i)) continue;
        hy__w(c, "memcpy(%o, ", i);
        hy__c_write_where(c, v);
        hy__w(c, ", %l);\n", hy__bytes(c->at->value[v].type));
    }
}

/* Results that hold nothing are named, or compilers warn of parameters that nobody uses. */
static void hy__c_write_voids(hy__c *c)
{
    int i;
    for (i = 0; i < c->at->g->heads; i++)
        if (hy__c_is_own_head(c, i) && !hy__size(&hy__edge_type(&c->at->g->head[i])->shape))
            hy__w(c, "(void)%o;\n", i);
}

static void hy__c_write_run(hy__c *c)
{
    int i;
    hy__w(c, "/* 0%<; -1 without memory to work in; -2: an index, label or region is none%|"
          ", or -1 without memory to work in%> */\n", c->at->faults);
    hy__c_write_signature(c);
    hy__w(c, "\n{\n%<#ifdef %u_NO_MEMORY\nchar *ws = (char *)workspace;\n#else\n"
          "static double memory[(%u_WORKSPACE + 7) / 8];\n"
          "char *ws = (char *)(workspace ? workspace : memory);\n#endif\nif (!ws) return -1;\n"
          "%|(void)workspace;\n%>", c->at->arena > 0);
    for (i = 0; i < c->at->g->vars; i++)
        if (!hy__c_body_reads(c->at, i)) hy__w(c, "(void)%s;\n", c->at->var[i]);
    hy__c_write_voids(c);
    hy__w(c, "%<(void)weights;\n%>%<int fault = 0;\n%>", c->separate && !c->weights, c->at->faults);
    hy__c_write_calls(c, HY__C_LATE);
    hy__w(c, "return %<fault ? -2 : %>0;\n}\n", c->at->faults);
}

/* Writes a part of a body as a function. */
static void hy__c_write_part(hy__c *c, int part)
{
    const hy__c_body *b = c->at;
    const int early = part == HY__C_EARLY;
    hy__w(c, "/* %s of %s */\nstatic void %p_%s", early ? "what is the same in all turns"
          : hy__c_is_cond(b->of) ? "a branch" : "a turn",
          c->body[b->outer]->name[c->body[b->outer]->g->place[b->of->number]], early ? b->before : b->turn);
    hy__c_write_parameters(c, part);
    if (b->arena) hy__w(c, "%,char *ws");
    if (c->separate) hy__w(c, "%,const void *weights");
    if (b->faults) hy__w(c, "%,int *fault");
    hy__w(c, ")\n{\n%<(void)weights;\n%>%<(void)fault;\n%>", c->separate, b->faults);
    if (!early) hy__c_write_voids(c);
    hy__c_write_calls(c, part);
    hy__w(c, "}\n\n");
}

/* How far, of the largest, a result may be off: numbers went through the least of the program's types, and
 * some programs make much of a rounding. C source adds one by one, so long sums stray further than both that
 * were recorded. */
static double hy__c_tolerance(const hy__c *c, int head)
{
    static const double tolerance[HY_DTYPE_COUNT] = { 0, 3e-5, 1e-10, 4e-3, 3e-2, 0, 0, 0, 0, 0 };
    const hy__nodes *s = c->at->g->store;
    const hy_tensor *due = &c->out[head]->t;
    double most = tolerance[due->type.dtype], largest, apart;
    int i, o;
    if (!hy__floating(due->type.dtype)) return most;
    apart = hy__check_distance(due, &c->out[c->at->g->heads + head]->t, &largest);
    if (apart < HUGE_VAL && 32 * apart > most * largest) most = 32 * apart / largest;
    for (i = 0; i < s->n; i++) {
        for (o = 0; o < s->node[i]->nout; o++)
            if (tolerance[s->node[i]->type[o].dtype] > most) most = tolerance[s->node[i]->type[o].dtype];
        if (most < 1.0 / 127 && hy__check_steps(s->node[i])) most = 1.0 / 127;
    }
    return most;
}

/* Writes inputs and results that were recorded, and a program that compares. */
static void hy__c_write_test(hy__c *c)
{
    char name[HY__C_TEXT];
    int i, heads = c->at->g->heads;
    hy__w(c, "\n#ifdef %u_TEST\n#include <stdio.h>\n\n");
    for (i = 0; i < c->at->g->vars + heads; i++) {
        const int out = i - c->at->g->vars;
        const hy_tensor *x = out < 0 ? &c->in[i]->t : &c->out[out]->t;
        hy__c_text(name, out < 0 ? "given%d" : "due%d", out < 0 ? i : out);
        hy__c_write_table(c, name, x, NULL, hy__size(&x->type.shape));
    }
    for (i = 0; i < heads; i++)
        hy__w(c, "static %t %p_got%d[%l];\n", (int)c->out[i]->t.type.dtype, i,
              hy__most(hy__size(&c->out[i]->t.type.shape), 1));
    hy__w(c, "%<static double %p_loaded[(%u_WEIGHTS + 7) / 8 + 1];\n%>"
          "\nint main(int argc, char **argv)\n{\ndouble worst, largest;\nint bad = 0;\n"
          "(void)argc; (void)argv;\n%<FILE *file = argc > 1 ? fopen(argv[1], \"rb\") : NULL;\n"
          "if (!file || fread(%p_loaded, 1, %u_WEIGHTS, file) != %u_WEIGHTS) { puts(\"no weights\"); "
          "return 2; }\nfclose(file);\n%>if (%p_run(", c->separate, c->separate);
    for (i = 0; i < c->at->g->vars; i++) hy__w(c, "%p_given%d, ", i);
    for (i = 0; i < heads; i++) hy__w(c, "%p_got%d, ", i);
    hy__w(c, c->separate ? "0, %p_loaded)) return 2;\n" : "0)) return 2;\n");
    for (i = 0; i < heads; i++) {
        hy_dtype dtype = c->out[i]->t.type.dtype;
        char got[HY__C_TEXT], due[HY__C_TEXT];
        hy__c_load(c, got, dtype, hy__c_text(name, "%s_got%d", c->prefix, i), "i");
        hy__c_load(c, due, dtype, hy__c_text(name, "%s_due%d", c->prefix, i), "i");
        c->real = HY_F64;
        hy__w(c, "worst = largest = 0;\n");
        hy__w(c, "%fi {\nconst double got = (double)%s, due = (double)%s, size = fabs(due);\n"
              "if (size > largest && size < INFINITY) largest = size;\n"
              "if (got == due || (got != got && due != due)) continue;\n"
              "if (!(fabs(got - due) <= worst) && worst == worst) worst = fabs(got - due);\n}\n",
              hy__size(&c->out[i]->t.type.shape), got, due);
        hy__w(c, "printf(\"%p: output %d: off by %%g at most, of %%g\\n\", worst, largest);\n"
              "if (!(worst <= %v * largest)) bad = 1;\n", i, hy__c_tolerance(c, i));
    }
    hy__w(c, "puts(bad ? \"%p: WRONG\" : \"%p: right\");\nreturn bad;\n}\n#endif\n");
}

/* Inner programs stand before what calls them. */
static void hy__c_write_body(hy__c *c)
{
    int i, k;
    for (k = c->bodies - 1; k >= 0; k--) {
        c->at = c->body[k];
        for (i = 0; i < c->at->steps; i++) if (c->at->step[i].emit) hy__c_write_step(c, &c->at->step[i]);
        if (k && c->at->early) hy__c_write_part(c, HY__C_EARLY);
        if (k) hy__c_write_part(c, HY__C_LATE);
    }
    hy__c_write_run(c);
    if (c->records) hy__c_write_test(c);
    if (!c->callable) return;           /* by an operator, with a list: inputs and parameters, then results */
    hy__w(c, "\nint %p_call(void *const *data, char *ws, const void *weights)\n{\nreturn %p_run(");
    for (i = 0; i < c->at->g->vars; i++)
        hy__w(c, "(const %t *)data[%d], ", (int)c->at->g->var[i]->type[0].dtype, i);
    for (i = 0; i < c->at->g->heads; i++)
        hy__w(c, "(%t *)data[%d], ", (int)hy__edge_type(&c->at->g->head[i])->dtype, c->callable - 1 + i);
    hy__w(c, "ws, weights);\n}\n");
}

/* Writes what the user called the network, in letters that cannot end a comment. */
static void hy__c_write_title(hy__c *c)
{
    const char *s = c->title;
    for (; *s; s++) hy__c_put(c, *s < ' ' || *s > '~' || strchr("*/\\", *s) ? "_" : s, 1);
}

static void hy__c_put_source(hy__target *t, const void *what)
{
    hy__c c = *(const hy__c *)what;
    hy__target nowhere;
    int i;
    memset(&nowhere, 0, sizeof nowhere);
    nowhere.F = c.F;
    c.t = &nowhere;
    hy__c_write_body(&c);               /* tells which helpers it needs */
    c.t = t;
    hy__w(&c, "/* ");
    hy__c_write_title(&c);
    hy__w(&c, " as C99, written by hybrid.h %s: no other library than libm, no allocation.\n"
          " *     cc -O3 -march=native -c %s.c\n", hy_version(), c.prefix);
    if (c.records) hy__w(&c,
            " * -D%u_TEST makes a program of it that checks results recorded when it was written.\n");
    hy__w(&c, " * The workspace may be NULL, then a static one is used; -D%u_NO_MEMORY leaves that out. */\n"
          "#include <math.h>\n#include <stdint.h>\n#include <string.h>\n"
          "#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) && "
          "!defined(__OPTIMIZE_SIZE__)\n"
          "#pragma GCC optimize(\"no-trapping-math\")    /* no compare can trap: loops of them become "
          "vector code */\n#endif\n\n");
    hy__c_write_sizes(&c);
    hy__w(&c, "#ifdef __cplusplus\n#define restrict __restrict\nextern \"C\"\n#endif\n");
    hy__c_write_signature(&c);
    hy__w(&c, ";\n\n");
    hy__w(&c, "#ifdef __GNUC__      /* inlined, compilers forget that arrays lie apart */\n"
          "#define %u_STEP static __attribute__((noinline))\n#else\n#define %u_STEP static\n#endif\n"
          "#if defined(__clang__)      /* what a loop writes is none of what it reads */\n"
          "#define %u_APART _Pragma(\"clang loop vectorize(assume_safety)\")\n#elif defined(__GNUC__)\n"
          "#define %u_APART _Pragma(\"GCC ivdep\")\n#else\n#define %u_APART\n#endif\n\n");
    hy__c_write_helpers(&c);
    for (i = 0; i < c.blobs && !c.separate; i++) {
        const hy__c_blob *b = &c.blob[i];
        hy__c_write_table(&c, b->name, &b->from, b->all.lanes ? b : NULL, b->n);
        hy__w(&c, "\n");
    }
    hy__c_write_body(&c);
}

static void hy__c_put_header(hy__target *t, const void *what)
{
    hy__c c = *(const hy__c *)what;
    c.t = t;
    hy__w(&c, "/* ");
    hy__c_write_title(&c);
    hy__w(&c, ": see %s.c */\n#ifndef %u_H\n#define %u_H\n#include <stdint.h>\n\n", c.prefix);
    hy__c_write_sizes(&c);
    hy__w(&c, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    c.depth = 0;
    hy__c_write_signature(&c);
    hy__w(&c, ";\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

/* --- from a network --- */
/* The prefix of all names is the caller's, or the name of the file. */
static int hy__c_prefix(hy__c *c, const char *prefix, const char *file)
{
    const char *name = prefix ? prefix : file, *slash;
    char *own, *upper;
    size_t n, i;
    int fits;
    for (slash = name; !prefix && (slash = strpbrk(name, "/\\")) != NULL; ) name = slash + 1;
    n = prefix ? strlen(name) : strcspn(name, ".");
    c->prefix = own = hy__c_joined(c, name, "");
    c->upper = upper = hy__c_joined(c, name, "");
    if (!own || !upper) return -1;
    own[n] = upper[n] = 0;
    fits = n > 0 && n < 64;
    for (i = 0; i < n; i++) {
        fits = fits && hy__c_in_name(own[i]) && (i || own[i] < '0' || own[i] > '9');
        if (own[i] >= 'a' && own[i] <= 'z') upper[i] = (char)(own[i] - 32);
    }
    return fits ? 0 : hy__fail(c->F, HY_ERROR_ARGUMENT,
                               "hy_export_c: '%s' is no C identifier of less than 64 letters%s", own,
                               prefix ? "" : ": give opt.prefix");
}

static int hy__c_rooms(hy__c *c)
{
    hy__c_body *b = c->at;
    size_t n = (size_t)b->g->n;
    int i, k;
    for (i = 0; i < b->g->n; i++) b->values += b->g->node[i]->nout;
    if (!(b->first = (int *)hy__c_alloc(c, n * sizeof *b->first)) ||
        !(b->name = (const char **)hy__c_alloc(c, n * sizeof *b->name)) ||
        !(b->var = (const char **)hy__c_alloc(c, (size_t)b->g->vars * sizeof *b->var)) ||
        !(b->step = (hy__c_step *)hy__c_alloc(c, n * sizeof *b->step)) ||
        !(b->value = (hy__c_value *)hy__c_alloc(c, (size_t)b->values * sizeof *b->value)) ||
        !(b->uses = (int *)hy__c_alloc(c, (size_t)b->values * sizeof *b->uses))) return -1;
    for (i = 1; i < b->g->n; i++) b->first[i] = b->first[i - 1] + b->g->node[i - 1]->nout;
    for (i = 0; i < b->g->n; i++)
        for (k = 0; k < b->g->node[i]->nin; k++) b->uses[hy__c_value_of(c, &b->g->node[i]->in[k])]++;
    for (i = 0; i < b->g->heads; i++) b->uses[hy__c_value_of(c, &b->g->head[i])]++;
    return 0;
}

static void hy__c_close(hy__c *c)
{
    hy__heap *heap = &c->F->root->heap;
    while (c->bodies) hy__graph_drop(c->body[--c->bodies]->g);
    hy__free(heap, (void *)c->taken.key);
    hy__free(heap, c->taken.value);
    while (c->held) {
        struct hy__c_held *next = c->held->next;
        hy__free(heap, c->held);
        c->held = next;
    }
}

/* The results that the compiled program has for these inputs, then those of line by line: two orders of the
 * same sums, whose distance tells how well the numbers are conditioned. Copies, because a bound program has
 * room for one set of outputs. */
static int hy__c_record(hy__c *c, hy_graph *g)
{
    hy__graph_rec rec;
    int i, failed = 0;
    memset(&rec, 0, sizeof rec);
    c->out = (hy_array **)hy__c_alloc(c, 2 * (size_t)g->heads * sizeof *c->out);
    for (; c->out && !failed && rec.mode.exact < 2; rec.mode.exact++) {
        hy_array **out = c->out + rec.mode.exact * g->heads;
        hy_begin(c->F);
        failed = hy__graph_execute(c->F, g, c->in, out, &rec);
        for (i = 0; i < g->heads && !failed; i++)
            failed = !(out[i] = hy_return(c->F, hy_copy(c->F, out[i])));
        hy_end(c->F);
    }
    return c->out && !failed ? 0 : -1;
}

/* Makes the program of a graph for inputs of such types, with all its bodies. */
static int hy__c_open_graph(hy__c *c, const hy_graph *g, const hy_type *input)
{
    int k;
    if (hy__c_programs(c, g, input) || hy__c_check(c) || hy__c_reserve(c)) return -1;
    for (k = 0; k < c->bodies; k++) {
        c->at = c->body[k];
        if (hy__c_rooms(c) || hy__c_names(c) || hy__c_steps(c)) return -1;
    }
    while (k--) {                       /* inner ones first: their memory is scratch of others */
        c->at = c->body[k];
        if (hy__c_place(c)) return -1;
    }
    for (k = 0; k < c->blobs; k++) {
        c->blob[k].offset = c->weights;
        c->weights += hy__round64((size_t)c->blob[k].n * hy_dtype_size(c->blob[k].from.type.dtype));
    }
    return 0;
}

/* Opens all that a file needs: prefix, program, and what is recorded. */
static int hy__c_open(hy__c *c, hy_frame *F, hy_graph *g, hy_array *const *in, const char *title,
                      const char *file,
                      const hy_export_c_opt *opt)
{
    hy_type *type;
    int i;
    memset(c, 0, sizeof *c);
    c->F = F;
    c->in = in;
    c->title = title;
    c->records = !(opt && opt->no_test);
    c->separate = opt && opt->weights;
    if (opt && ((opt->header && !strcmp(file, opt->header)) || (opt->weights && !strcmp(file,
                                                                                        opt->weights)) ||
                (opt->header && opt->weights && !strcmp(opt->header, opt->weights))))
        return hy__fail(F, HY_ERROR_ARGUMENT, "hy_export_c: source, header and weights are files of their "
                        "own");
    if (hy__c_prefix(c, opt ? opt->prefix : NULL, file)) return -1;
    type = (hy_type *)hy__c_alloc(c, (size_t)g->vars * sizeof *type);
    for (i = 0; type && i < g->vars; i++) type[i] = in[i]->t.type;
    if (!type || hy__c_open_graph(c, g, type)) return -1;
    return c->records ? hy__c_record(c, g) : 0;
}

static int hy__c_to_files(hy__c *c, const char *file, const hy_export_c_opt *opt)
{
    hy__pending p[3];
    int n = 0;
    memset(p, 0, sizeof p);
    p[n].name = file;
    p[n++].fn = hy__c_put_source;
    if (opt && opt->header) { p[n].name = opt->header; p[n++].fn = hy__c_put_header; }
    if (opt && opt->weights) { p[n].name = opt->weights; p[n++].fn = hy__c_put_weights; }
    p[0].what = p[1].what = p[2].what = c;
    return hy__to_files(c->F, p, n);
}

HY_API int hy_export_c(hy_frame *F, hy_block *net, hy_array *inputs, const char *file,
                       const hy_export_c_opt *opt)
{
    hy__flat in;
    hy__trace *t;
    hy__c c;
    int failed = -1, training;
    if (!F || F->code) return -1;
    if (!file) { hy__fail(F, HY_ERROR_ARGUMENT, "hy_export_c: the name of the file is NULL"); return -1; }
    if (!hy__export_ok(F, net, "hy_export_c")) return -1;
    training = F->training;
    F->training = 0;
    hy_begin(F);
    t = hy__export_call(F, net, inputs, "hy_export_c", &in);
    if (t) {
        if (!hy__c_open(&c, F, t->graph, in.at, net->kind, file, opt)) failed = hy__c_to_files(&c, file, opt);
        hy__c_close(&c);
    }
    hy__trace_leave(t);
    hy__flat_close(F, &in);
    hy_end(F);
    F->training = training;
    return failed;
}

/* MARK: - 90 >>jit -------------------------------------------------------------------------------------
 *
 * The same source, built by the system's compiler and loaded: a graph becomes one call into machine code.
 */
#ifdef HY__POSIX_FILES
#include <dlfcn.h>
#include <sys/wait.h>
typedef int (*hy__jit_fn)(void *const *data, char *workspace, const void *weights);

/* What a graph needs that has become one call. */
typedef struct hy__jit {
    hy__attached head;
    void      *library;
    hy__jit_fn run;
    char      *weights;
    size_t     arena;
} hy__jit;
typedef struct hy__jit_rec { int inputs, outputs; const hy__jit *ready; const hy_type *type; } hy__jit_rec;

static void hy__jit_free(hy_root *root, hy__attached *it)
{
    hy__jit *j = (hy__jit *)(void *)it;
    if (j->library) dlclose(j->library);
    hy__free(&root->heap, j->weights);
    hy__free(&root->heap, j);
}

static int hy__jit_count(const void *attr, int output, int index)
{
    (void)index;
    return output ? ((const hy__jit_rec *)attr)->outputs : ((const hy__jit_rec *)attr)->inputs;
}

static int hy__jit_infer(hy_infer *I)
{
    const hy__jit_rec *r = (const hy__jit_rec *)I->attr;
    int i;
    for (i = 0; i < I->nout; i++) {
        hy_infer_type(I, &I->out[i].dtype, r->type[i].dtype);
        hy_infer_shape(I, &I->out[i].shape, r->type[i].shape);
    }
    return I->status;
}

HY__RUN(hy__run_jit)
{
    const hy__jit *j = ((const hy__jit_rec *)job->attr)->ready;
    if (j->run(now->data, (char *)scratch, j->weights)) hy_fault(now);
}

static int hy__jit_bind(hy_job *job)
{
    job->scratch = ((const hy__jit_rec *)job->attr)->ready->arena;
    job->fault_text = "an index, a label or a region is none";
    return hy__one_stage(job, hy__run_jit, 1, 1);
}

static const hy_arg hy__jit_in[]  = { { "data", HY_ARG_LIST }, { NULL, HY_ARG_ONE } };
static const hy_arg hy__jit_out[] = { { "output", HY_ARG_LIST }, { NULL, HY_ARG_ONE } };
static const hy_op hy__jit_op = {
    "_jit", NULL, NULL, "a program that the system's compiler made", hy__jit_in, hy__jit_out, NULL,
    sizeof(hy__jit_rec), 0, 0, hy__jit_count, hy__jit_infer, hy__jit_bind, NULL, NULL
};

/* A new folder that only we may enter: its name is nobody's before, links included. */
static char *hy__jit_folder(hy__c *c)
{
    hy_frame *F = c->F;
    const char *home = getenv("TMPDIR");
    char *name;
    int i, k;
    for (i = 0; i < 16; i++) {
        uint64_t mix = ((uint64_t)(uintptr_t)F ^ (uint64_t)HY__PROCESS << 32 ^ (uint64_t)(hy_seconds() * 1e9))
                       * 0x9e3779b97f4a7c15u + (uint64_t)i;
        name = hy__c_joined(c, home && *home ? home : "/tmp", "/hybrid-................");
        if (!name) return NULL;
        for (k = 0; k < 16; k++)
            name[strlen(name) - 16 + (size_t)k] = "0123456789abcdef"[mix >> (60 - 4 * k) & 15];
        if (!mkdir(name, 0700)) return name;
    }
    hy__fail(F, HY_ERROR_FILE, "no folder can be made in %s", home && *home ? home : "/tmp");
    return NULL;
}

/* Without a shell, so that no name is read as anything else. 0 when it went well, or where the program does
 * not want to know of its children: loading will tell. */
static int hy__jit_compile(const char *source, const char *library, int native)
{
    const char *cc = getenv("HYBRID_CC");
    const char *plain[] = { cc && *cc ? cc : "cc", "-O3", "-w", "-fPIC", "-shared", "-o", library, source,
                            "-lm", native ? "-march=native" : NULL, NULL };
    int status = -1, k, quiet;
    pid_t child;
    child = fork();
    if (child == 0) {
        quiet = open("/dev/null", O_RDWR);
        for (k = 0; k < 3 && quiet >= 0; k++) dup2(quiet, k);
        execvp(plain[0], (char *const *)(uintptr_t)plain);
        _exit(127);
    }
    if (child < 0) return -1;
    while (waitpid(child, &status, 0) < 0) if (errno != EINTR) return errno == ECHILD ? 0 : -1;
    return status;
}

/* The source is written, built and loaded; then nothing of it is left in files. */
static void hy__jit_build(hy__c *c, hy__jit *j)
{
    hy_frame *F = c->F;
    char *folder = hy__jit_folder(c);
    char *source = folder ? hy__c_joined(c, folder, "/jit.c") : NULL;
    char *library = folder ? hy__c_joined(c, folder, "/jit.so") : NULL;
    void *symbol = NULL;
    if (source && library && !hy__to_file(F, source, hy__c_put_source, c)) {
        if (hy__jit_compile(source, library, 1) && hy__jit_compile(source, library, 0))
            hy__fail(F, HY_ERROR_STATE, "no C compiler did it: is there a cc, or what HYBRID_CC names?");
        else if (!(j->library = dlopen(library, RTLD_NOW | RTLD_LOCAL)))
            hy__fail(F, HY_ERROR_STATE, "what the compiler made cannot be loaded");
        else symbol = dlsym(j->library, "jit_call");
    }
    memcpy(&j->run, &symbol, sizeof symbol);
    if (library) remove(library);
    if (source) remove(source);
    if (folder) rmdir(folder);
}

/* The weights lie in memory as in a file of them, whose numbers have their lowest bytes first. */
static int hy__jit_weights(hy__c *c, hy__jit *j)
{
    hy__target t;
    j->weights = (char *)hy__alloc(&c->F->root->heap, c->weights + 1);
    if (!j->weights) hy__no_memory(c->F, "jit");
    else if (hy__big_endian()) hy__fail(c->F, HY_ERROR_UNSUPPORTED, "not on big-endian machines");
    if (c->F->code) return -1;
    memset(&t, 0, sizeof t);
    t.F = c->F;
    t.to = j->weights;
    hy__c_put_weights(&t, c);
    return 0;
}

/* Watches all values that the source has inside: when one is written, the program is made anew. */
static int hy__jit_watch(hy_frame *F, const hy_graph *g, hy__sources *sources)
{
    hy__rewrite R;
    int i;
    memset(&R, 0, sizeof R);
    R.F = F;
    R.sources = sources;
    for (i = 0; i < g->n; i++) {
        hy__buffer *b = g->node[i]->param ? g->node[i]->param->array.buffer : g->node[i]->held;
        if (b && hy__look_at(&R, b)) return -1;
    }
    return 0;
}

/* The fresh graph has the variables, the parameters, and one node that makes all heads of them. */
static int hy__jit_fill(hy_frame *F, const hy_graph *g, const hy__c *c, const hy__jit *j, hy_graph *fresh)
{
    hy__jit_rec rec;
    hy__node *node, *jit;
    int i, n = g->vars, failed = 0;
    for (i = 0; i < g->n; i++) n += g->node[i]->param != NULL;
    memset(&rec, 0, sizeof rec);
    rec.inputs = n;
    rec.outputs = g->heads;
    rec.ready = j;
    jit = hy__node_new(F, &hy__jit_op, n, g->heads, &rec, "jit");
    if (!jit) return -1;
    for (i = 0; i < g->heads; i++) jit->type[i] = *hy__edge_type(&c->at->g->head[i]);
    ((hy__jit_rec *)jit->record)->type = jit->type;
    for (n = i = 0; i < g->vars + g->n && !failed; i++) {
        const hy__node *from = i < g->vars ? g->var[i] : g->node[i - g->vars];
        if (i >= g->vars && !from->param) continue;
        node = hy__node_copy(F, from);
        failed = !node || hy__node_join(F, fresh->store, node);
        if (failed) hy__node_discard(F, node);
        else jit->in[n++].node = node;
    }
    failed = failed || hy__node_join(F, fresh->store, jit);
    if (failed) { hy__node_discard(F, jit); return -1; }
    if (hy__graph_room_heads(F, fresh, g->heads, 0)) return -1;
    for (i = 0; i < g->heads; i++) { fresh->head[i].node = jit; fresh->head[i].output = i; }
    return hy__graph_finish(F, fresh);
}

/* Is there a kernel for all of it? C source itself would refuse no type. */
static int hy__jit_binds(hy_frame *F, hy_graph *g)
{
    hy__mode mode;
    hy__plan plan;
    int failed;
    memset(&mode, 0, sizeof mode);
    failed = hy__plan_make(F, g, &mode, &plan);
    hy__plan_free(F->root, &plan);
    return failed;
}

/* Makes of a typed graph one call into machine code. NULL means that it cannot be, and the log says why. */
static hy_graph *hy__jit_graph(hy_frame *F, hy_graph *g)
{
    hy__heap *heap = &F->root->heap;
    hy__sources *sources = (hy__sources *)hy__alloc_zero(heap, sizeof *sources);
    hy__jit *j = (hy__jit *)hy__alloc_zero(heap, sizeof *j);
    hy_type *type;
    hy_graph *fresh = NULL;
    hy__c c;
    int i, failed;
    memset(&c, 0, sizeof c);
    c.F = F;
    hy__try(F);
    hy_begin(F);
    type = (hy_type *)hy__c_alloc(&c, (size_t)g->vars * sizeof *type);
    failed = !sources || !j || !type;
    if (failed) hy__no_memory(F, "jit");
    for (i = 0; i < g->vars && !failed; i++) type[i] = g->var[i]->type[0];
    failed = failed || hy__jit_binds(F, g) || hy__jit_watch(F, g, sources) || hy__c_prefix(&c, "jit", NULL);
    c.title = "jit";
    c.separate = 1;                     /* compilers take their time over long lists of numbers */
    c.callable = 1 + g->vars;           /* results stand behind the inputs of the node */
    for (i = 0; i < g->n; i++) c.callable += g->node[i]->param != NULL;
    failed = failed || hy__c_open_graph(&c, g, type) || hy__jit_weights(&c, j);
    if (!failed) {
        hy__jit_build(&c, j);
        j->arena = c.at->arena;
        fresh = j->run && !F->code ? hy__graph_new(F, NULL) : NULL;
        if (fresh && hy__jit_fill(F, g, &c, j, fresh)) { hy__graph_drop(fresh); fresh = NULL; }
    }
    hy__c_close(&c);
    hy_end(F);
    if (F->code && F->code != HY_ERROR_MEMORY) hy__warn(F, "jit: %s; the built-in program runs", F->text);
    hy__try_end(F, F->code != HY_ERROR_MEMORY);
    if (fresh) {
        j->head.free_fn = hy__jit_free;
        sources->head.free_fn = hy__sources_free;
        fresh->all = &sources->head;
        hy__table_add(heap, &fresh->derived, &sources->head.kept, 0);
        hy__table_add(heap, &fresh->derived, &j->head.kept, 0);
        return fresh;
    }
    if (sources) hy__sources_free(F->root, &sources->head);
    if (j) hy__jit_free(F->root, &j->head);
    return NULL;
}
#else
static hy_graph *hy__jit_graph(hy_frame *F, hy_graph *g)
{
    (void)g;
    hy__warn(F, "jit: not on this system; the built-in program runs");
    return NULL;
}
#endif
HY__WARM_ROOMS
