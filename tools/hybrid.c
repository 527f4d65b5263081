/* cc -O2 tools/hybrid.c -o hybrid -lm -lpthread
 *
 * The command-line tool of hybrid.h: looks at, draws, runs, times, checks and converts models. `hybrid help`
 * tells how. Results go to stdout, everything else to stderr. What it knows of models it asks through the
 * public calls of the header, so that each command is also an example of them.
 */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include "layered.h"
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#ifdef _WIN32
#include <direct.h>
#include <io.h>
#define on_terminal(file) _isatty(_fileno(file))
#define make_folder(name) _mkdir(name)
#define is_folder(mode)   (((mode) & _S_IFMT) == _S_IFDIR)
#else
#include <unistd.h>
#define on_terminal(file) isatty((file) == stderr ? 2 : 1)
#define make_folder(name) mkdir(name, 0777)
#define is_folder(mode)   S_ISDIR(mode)
#endif
#ifdef __GNUC__
#define LIKE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define LIKE_PRINTF(text, first)
#endif

enum { FINE, FAILED, MISUSED };         /* what the program ends with */

typedef struct setting { const char *name, *value; } setting;   /* --name value; "" without a value */

typedef struct tool {
    hy_frame      *F;
    const char   **word;                /* what is no option */
    int            words;
    setting       *set;
    int            sets;
    int            json;
    int            lively;              /* progress is shown: stderr is a terminal */
    double         shown;               /* when it was last; 0: nothing is to be erased */
    int            quiet;               /* no warnings of the library now */
    char           note[512];           /* a text that outlives the frame's error */
} tool;

/* MARK: - messages ----------------------------------------------------------------------------------- */

/* Names come from files of strangers: what steers terminals or breaks lines becomes a question mark. */
static char *cleaned(char *text)
{
    char *s;
    for (s = text; *s; s++) if ((unsigned char)*s < ' ' || *s == 127) *s = '?';
    return text;
}

static void progress_clear(tool *T)
{
    if (T->shown > 0) fprintf(stderr, "\r%79s\r", "");
    T->shown = 0;
}

/* A bar while share goes from 0 to 1; below 0 there is only the word. Not more than ten times a second. */
static void progress(tool *T, const char *what, double share)
{
    char bar[31];
    double now = hy_seconds();
    int i;
    if (!T->lively || (T->shown > 0 && now - T->shown < 0.1)) return;
    for (i = 0; i < 30; i++) bar[i] = share * 30 > i ? '#' : '.';
    bar[30] = 0;
    if (share < 0) fprintf(stderr, "\r%-79.79s", what);
    else fprintf(stderr, "\r%-30.30s [%s] %3.0f%%", what, bar, 100 * share);
    fflush(stderr);
    T->shown = now;
}

LIKE_PRINTF(3, 4) static int complain(tool *T, int code, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    progress_clear(T);
    fflush(stdout);
    fprintf(stderr, "hybrid: %s\n", cleaned(text));
    return code;
}

/* What the library says went wrong, and what option of this tool it may be about. */
static int library_failed(tool *T)
{
    const char *text = hy_error(T->F), *hint = "";
    if (!text) return complain(T, FAILED, "out of memory");
    if (strstr(text, "allow_missing")) hint = " (here: --random-params draws their values)";
    if (strstr(text, "ignore_extra")) hint = " (here: --ignore-extra)";
    return complain(T, FAILED, "%s%s", text, hint);
}

/* The end of what may have failed. */
static int done(tool *T) { return hy_error(T->F) ? library_failed(T) : FINE; }

static void library_warns(void *user, int level, int code, const char *text)
{
    (void)code;
    if (level == HY_LOG_WARNING && !((tool *)user)->quiet) complain((tool *)user, FINE, "warning: %s", text);
}

/* --- the nearest of some words --- */
typedef struct nearest { const char *word, *best; int least; } nearest;

/* How many letters have to be changed, added or taken away. */
static int letters_apart(const char *a, const char *b)
{
    int row[65], i, k, left, corner, n = (int)strlen(a), m = (int)strlen(b);
    if (n > 64 || m > 64) return 65;
    for (i = 0; i <= n; i++) row[i] = i;
    for (k = 1; k <= m; k++) {
        for (corner = row[0], row[0] = k, i = 1; i <= n; i++) {
            left = corner + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[k - 1]));
            corner = row[i];
            row[i] = corner + 1 < left ? corner + 1 : left;
            if (row[i - 1] + 1 < row[i]) row[i] = row[i - 1] + 1;
        }
    }
    return row[n];
}

static void nearest_try(nearest *near, const char *candidate)
{
    size_t n = strlen(near->word);
    int apart = n > 2 && strstr(candidate, near->word) ? 1 : letters_apart(near->word, candidate);
    if (apart > 1 + (int)n / 4 || (near->best && apart >= near->least)) return;
    near->best = candidate;
    near->least = apart;
}

/* ": did you mean X?", or nothing. */
static const char *nearest_hint(const nearest *near, char *text, size_t bytes)
{
    text[0] = 0;
    if (near->best) snprintf(text, bytes, ": did you mean %s?", near->best);
    return text;
}

/* MARK: - text --------------------------------------------------------------------------------------- */

/* Memory from the frame, cleared; it goes with the frame. NULL: the frame says so. */
static void *room(tool *T, size_t bytes)
{
    hy_array *x = hy_empty(T->F, HY_SHAPE((int64_t)bytes + 1), HY_U8);
    void *at = x ? hy_write(T->F, x) : NULL;
    if (at) memset(at, 0, bytes + 1);
    return at;
}

LIKE_PRINTF(2, 3) static char *text_of(tool *T, const char *format, ...)
{
    va_list args;
    char *text;
    int n;
    va_start(args, format);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    text = n < 0 ? NULL : (char *)room(T, (size_t)n);
    if (!text) return NULL;
    va_start(args, format);
    vsnprintf(text, (size_t)n + 1, format, args);
    va_end(args);
    return text;
}

static int ends_in(const char *text, const char *ending)
{
    size_t n = strlen(text), k = strlen(ending);
    return n > k && !strcmp(text + n - k, ending);
}

/* Is word one of "one|other"? */
static int is_one_of(const char *words, const char *word)
{
    size_t n = strlen(word), k;
    for (; words; words = words[k] ? words + k + 1 : NULL) {
        k = strcspn(words, "|");
        if (k == n && !strncmp(words, word, n)) return 1;
    }
    return 0;
}

enum { SHAPE_TEXT = 200 };              /* room for a shape */
static const char *shape_text(hy_shape shape, char *text)
{
    char *at = text;
    int i;
    if (shape.ndim < 0) return strcpy(text, "?");
    *at++ = '(';
    for (i = 0; i < shape.ndim; i++) {
        if (i) *at++ = ',';
        at += shape.dim[i] < 0 ? sprintf(at, "?") : sprintf(at, "%lld", (long long)shape.dim[i]);
    }
    strcpy(at, shape.ndim == 1 ? ",)" : ")");
    return text;
}

static int shape_known(hy_shape shape)
{
    int i;
    for (i = 0; i < shape.ndim && shape.dim[i] >= 0; i++) continue;
    return shape.ndim >= 0 && i == shape.ndim;
}

static double size_of(hy_shape shape)   /* elements; 0 if not known */
{
    double n = shape_known(shape);
    int i;
    for (i = 0; i < shape.ndim; i++) n *= (double)shape.dim[i];
    return n;
}

/* 12345678 as 12,345,678. */
static const char *grouped(double n, char *text)
{
    char digits[64];
    int i, k = 0, chars = sprintf(digits, "%.0f", n < 1e40 ? n : 1e40);
    for (i = 0; i < chars; i++) {
        if (i && (chars - i) % 3 == 0 && digits[i - 1] != '-') text[k++] = ',';
        text[k++] = digits[i];
    }
    text[k] = 0;
    return text;
}

/* 1234567 as "1.23 M", 12 as "12 "; step is 1000, or 1024 for bytes. */
static const char *scaled(double n, double step, char *text)
{
    static const char *const units[] = { "", "k", "M", "G", "T", "P", "E" };
    int i = 0;
    while (n >= 999.5 && i < 6) { n /= step; i++; }
    sprintf(text, "%.*f %s", !i || n >= 99.95 ? 0 : n >= 9.995 ? 1 : 2, n, units[i]);
    return text;
}

/* Letters as they show: bytes of UTF-8 that do not begin one have no width. */
static int letters(const char *text)
{
    int n = 0;
    for (; *text; text++) n += (*text & 0xc0) != 0x80;
    return n;
}

/* MARK: - JSON --------------------------------------------------------------------------------------- */

/* Two levels are laid out line by line, what is deeper stays on its line. */
typedef struct json { int depth, more; } json;

/* Bytes of the UTF-8 letter at s, 0 if it is none. */
static int utf8_bytes(const unsigned char *s)
{
    int n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3
        : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0, i;
    for (i = 1; i < n; i++) if ((s[i] & 0xc0) != 0x80) return 0;
    if (n == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f))) return 0;
    if (n == 4 && ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))) return 0;
    return n;
}

static void json_quote(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    int n;
    putchar('"');
    for (; *s; s += n ? n : 1) {
        n = utf8_bytes(s);
        if (!n) fputs("\\ufffd", stdout);
        else if (*s == '"' || *s == '\\') printf("\\%c", *s);
        else if (*s < ' ') printf("\\u%04x", *s);
        else fwrite(s, 1, (size_t)n, stdout);
    }
    putchar('"');
}

static void json_next(json *j, const char *key)
{
    if (j->more) putchar(',');
    if (j->depth == 1 || j->depth == 2) printf("\n%*s", 2 * j->depth, "");
    else if (j->more) putchar(' ');
    j->more = 1;
    if (!key) return;
    json_quote(key);
    fputs(": ", stdout);
}

static void json_open(json *j, const char *key, int bracket)
{
    json_next(j, key);
    putchar(bracket);
    j->depth++;
    j->more = 0;
}

static void json_close(json *j, int bracket)
{
    j->depth--;
    if (j->more && j->depth < 2) printf("\n%*s", 2 * j->depth, "");
    putchar(bracket);
    j->more = 1;
    if (!j->depth) putchar('\n');
}

static void json_text(json *j, const char *key, const char *text)
{
    json_next(j, key);
    if (text) json_quote(text);
    else fputs("null", stdout);
}

static void json_number(json *j, const char *key, double v)
{
    json_next(j, key);
    if (v - v != 0) fputs("null", stdout);              /* JSON has no infinities */
    else if (fabs(v) < 9e15 && v == floor(v)) printf("%.0f", v);
    else printf("%.9g", v);
}

static void json_bool(json *j, const char *key, int v)
{
    json_next(j, key);
    fputs(v ? "true" : "false", stdout);
}

static void json_shape(json *j, const char *key, hy_shape shape)
{
    int i;
    if (shape.ndim < 0) { json_text(j, key, NULL); return; }
    json_open(j, key, '[');
    for (i = 0; i < shape.ndim; i++) json_number(j, NULL, shape.dim[i] < 0 ? HUGE_VAL : (double)shape.dim[i]);
    json_close(j, ']');
}

/* MARK: - reports: the same rows as a table or as JSON ----------------------------------------------------
 *
 * Rows have the cells of the columns, in order. In a table numbers stand on the right and what is not known
 * is blank; in JSON a row is an object, and what is not known is null.
 */
typedef struct column {
    const char *key, *head;             /* in JSON, in tables; NULL: not there */
    const char *format;                 /* of a number in tables; NULL: it is a text */
    double      scale;                  /* of a number in tables */
} column;

#define TEXT(key, head) { key, head, NULL, 0 }
#define NUMBER(key, head, format, scale) { key, head, format, scale }

typedef struct report {
    tool         *T;
    json          j;
    const column *columns;
    int           n, next;              /* columns; which is due */
    char        **cell;
    int           cells, room;
} report;

static void report_open(tool *T, report *r)
{
    memset(r, 0, sizeof *r);
    r->T = T;
    if (T->json) json_open(&r->j, NULL, '{');
}

static void report_close(report *r) { if (r->T->json) json_close(&r->j, '}'); }

static void put_cell(report *r, const char *text)
{
    char **more;
    int i;
    if (r->cells == r->room) {
        more = (char **)room(r->T, (size_t)(2 * r->room + 64) * sizeof *more);
        for (i = 0; more && i < r->cells; i++) more[i] = r->cell[i];
        if (!more) return;
        r->cell = more;
        r->room = 2 * r->room + 64;
    }
    r->cell[r->cells] = text_of(r->T, "%s", text);
    if (r->cell[r->cells]) cleaned(r->cell[r->cells++]);
}

static void rows_open(report *r, const char *key, const column *columns, int n)
{
    int i;
    r->columns = columns;
    r->n = n;
    r->next = r->cells = 0;
    if (r->T->json) json_open(&r->j, key, '[');
    for (i = 0; i < n && !r->T->json; i++) if (columns[i].head) put_cell(r, columns[i].head);
}
#define ROWS_OPEN(r, key, columns) rows_open(r, key, columns, (int)(sizeof columns / sizeof *columns))

/* The column that is due; a row begins and ends by itself. */
static const column *cell_open(report *r)
{
    if (r->T->json && !r->next) json_open(&r->j, NULL, '{');
    return &r->columns[r->next];
}

static void cell_close(report *r)
{
    if (++r->next < r->n) return;
    r->next = 0;
    if (r->T->json) json_close(&r->j, '}');
}

static void cell_text(report *r, const char *text)
{
    const column *c = cell_open(r);
    if (r->T->json && c->key) json_text(&r->j, c->key, text);
    if (!r->T->json && c->head) put_cell(r, text ? text : "");
    cell_close(r);
}

static void cell_number(report *r, double v)
{
    const column *c = cell_open(r);
    char text[64] = "";
    if (r->T->json && c->key) json_number(&r->j, c->key, v);
    if (!r->T->json && c->head) {
        if (v - v == 0 && *c->format == ',') grouped(v * c->scale, text);
        else if (v - v == 0) snprintf(text, sizeof text, c->format, v * c->scale);
        put_cell(r, text);
    }
    cell_close(r);
}

static void cell_shape(report *r, hy_shape shape)
{
    const column *c = cell_open(r);
    char text[SHAPE_TEXT];
    if (r->T->json && c->key) json_shape(&r->j, c->key, shape);
    if (!r->T->json && c->head) put_cell(r, shape_text(shape, text));
    cell_close(r);
}

/* Prints the table, now that its widths are known. Columns without a word under the heading are left out, so
 * is a heading without one, and blanks at the ends of lines. */
static void rows_close(report *r)
{
    const column *shown[16];
    int width[16] = { 0 }, used[16] = { 0 }, titled = 0, n = 0, i, k, pad;
    if (r->T->json) { json_close(&r->j, ']'); return; }
    for (i = 0; i < r->n; i++) if (r->columns[i].head) shown[n++] = &r->columns[i];
    for (i = 0; i < r->cells; i++) {
        if (letters(r->cell[i]) > width[i % n]) width[i % n] = letters(r->cell[i]);
        used[i % n] |= *r->cell[i] && (i >= n || r->cells == n);
        titled |= *r->cell[i] && i < n;
    }
    for (i = titled ? 0 : n; i + n <= r->cells; i += n) {
        for (pad = k = 0; k < n; k++) {
            const char *text = r->cell[i + k];
            int lack = width[k] - letters(text), lead = shown[k]->format ? lack : 0;
            if (!used[k]) continue;
            if (*text) printf("%*s%s", pad + lead, "", text);
            pad = *text ? lack - lead + 2 : pad + lack + 2;
        }
        printf("\n");
    }
}

/* MARK: - options ------------------------------------------------------------------------------------ */

/* The value of the i-th option of that name, NULL if there are not so many. */
static const char *option(const tool *T, const char *name, int i)
{
    int k;
    for (k = 0; k < T->sets; k++) if (!strcmp(T->set[k].name, name) && i-- == 0) return T->set[k].value;
    return NULL;
}

/* A whole number at *text, which moves behind it. */
static int read_whole(const char **text, int64_t *v)
{
    char *end;
    long long n;
    if (!isdigit((unsigned char)**text)) return -1;
    errno = 0;
    n = strtoll(*text, &end, 10);
    *text = end;
    *v = n;
    return errno ? -1 : 0;
}

/* A number among the options; *v stays as it is without it. */
static int option_whole(tool *T, const char *name, int64_t least, int64_t most, int64_t *v)
{
    const char *given = option(T, name, 0), *text = given;
    if (!given) return FINE;
    if (!read_whole(&text, v) && !*text && *v >= least && *v <= most) return FINE;
    return complain(T, MISUSED, "--%s %s: a whole number from %lld to %lld is due here", name, given,
                    (long long)least, (long long)most);
}

/* "1,3,224,224", up to a `:` or the end. */
static int read_dims(const char **text, hy_shape *shape)
{
    shape->ndim = 0;
    if (!**text || **text == ':') return 0;
    for (;;) {
        if (shape->ndim == HY_MAX_DIM || read_whole(text, &shape->dim[shape->ndim++])) return -1;
        if (!**text || **text == ':') return 0;
        if (*(*text)++ != ',') return -1;
    }
}

/* MARK: - models ------------------------------------------------------------------------------------- */

typedef enum file_kind { FILE_NONE, FILE_FOLDER, FILE_SYMBOL, FILE_MODEL, FILE_ARRAYS } file_kind;

typedef struct named { const char *name; hy_array *x; } named;
typedef struct input { const char *name, *from; hy_type type; hy_array *x; } input;

typedef struct model {
    const char *name;                   /* as the user calls it */
    const char *symbol, *params;        /* files; params: NULL, or where values are */
    file_kind   kind;                   /* of symbol; FILE_ARRAYS: there is no program, only params */
    hy_graph   *graph;
    hy_arrays   arrays;
    named      *index;                  /* the arrays in the order of their bare names */
    input      *input;                  /* those variables of the graph that are no parameters */
    int         inputs, *place;         /* place: by node, which input it is, or -1 */
} model;

static file_kind kind_of_file(const char *name)
{
    struct stat info;
    char head[64] = { 0 };
    FILE *f;
    int i = 0;
    if (stat(name, &info)) return FILE_NONE;
    if (is_folder(info.st_mode)) return FILE_FOLDER;
    f = fopen(name, "rb");
    if (!f) return FILE_ARRAYS;         /* reading it will tell why not */
    if (fread(head, 1, sizeof head - 1, f) == 0) head[0] = 0;
    fclose(f);
    while (head[i] && strchr(" \t\r\n", head[i])) i++;
    if (head[i] == '{') return FILE_SYMBOL;
    /* Single files are zips; ours begin with the program. */
    if (memcmp(head, "PK\3\4", 4) || strncmp(head + 30, "model-symbol.json", 17)) return FILE_ARRAYS;
    return FILE_MODEL;
}

static int file_there(const char *name) { return name && kind_of_file(name) > FILE_FOLDER; }

/* "prefix" of "prefix-symbol.json"; NULL if that is not its name. */
static char *prefix_of(tool *T, const char *symbol)
{
    return ends_in(symbol, "-symbol.json") ? text_of(T, "%.*s", (int)(strlen(symbol) - 12), symbol) : NULL;
}

static char *params_name(tool *T, const char *prefix, int64_t epoch)
{
    return text_of(T, "%s-%04d.params", prefix, (int)epoch);
}

/* Which files are meant by a word of the command line. */
static int find_model(tool *T, const char *word, model *m)
{
    int64_t epoch = 0;
    const char *prefix = word;
    memset(m, 0, sizeof *m);
    m->name = word;
    m->symbol = word;
    m->kind = kind_of_file(word);
    if (option_whole(T, "epoch", 0, 999999999, &epoch)) return MISUSED;
    if (m->kind <= FILE_FOLDER) {
        m->symbol = text_of(T, "%s-symbol.json", word);
        if (!file_there(m->symbol)) {
            if (m->kind == FILE_FOLDER)
                return complain(T, FAILED, "%s is a folder: name a file in it, or what precedes -symbol.json",
                                word);
            return complain(T, FAILED, "there is neither a file %s nor %s-symbol.json", word, word);
        }
        m->kind = FILE_SYMBOL;
    } else prefix = m->kind == FILE_SYMBOL ? prefix_of(T, word) : NULL;
    if (m->kind != FILE_SYMBOL && option(T, "params", 0))
        return complain(T, MISUSED, "--params goes with a program alone, and %s has values", word);
    if (m->kind != FILE_SYMBOL) m->params = word;
    else if (option(T, "params", 0)) m->params = option(T, "params", 0);
    else if (prefix) {
        m->params = params_name(T, prefix, epoch);
        if (!option(T, "epoch", 0) && !file_there(m->params)) m->params = NULL;
    }
    return done(T);
}

/* Without "arg:" and "aux:". */
static const char *bare(const char *name)
{
    return !strncmp(name, "arg:", 4) || !strncmp(name, "aux:", 4) ? name + 4 : name;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

/* The value of a variable, or NULL. */
static hy_array *value_of(const model *m, const char *name)
{
    named key = { NULL, NULL };
    const named *found;
    key.name = name;
    if (!m->index) return NULL;
    found = (const named *)bsearch(&key, m->index, (size_t)m->arrays.n, sizeof key, by_name);
    return found ? found->x : NULL;
}

static double file_bytes(const char *name)
{
    struct stat info;
    return stat(name, &info) ? 0 : (double)info.st_size;
}

static hy_arrays load_arrays(tool *T, const char *file)
{
    char size[32], what[80];
    hy_arrays a;
    if (file_bytes(file) > 16e6) {
        snprintf(what, sizeof what, "reading %s B of values ...", scaled(file_bytes(file), 1024, size));
        progress(T, what, -1);
    }
    a = hy_load(T->F, file);
    progress_clear(T);
    return a;
}

/* Reads what find_model has found. */
static int load_model(tool *T, model *m)
{
    int i;
    if (m->kind != FILE_ARRAYS) m->graph = hy_load_symbol(T->F, m->symbol);
    if (m->params && !hy_error(T->F)) m->arrays = load_arrays(T, m->params);
    if (!hy_error(T->F) && m->arrays.n && m->arrays.name) {
        m->index = (named *)room(T, (size_t)m->arrays.n * sizeof *m->index);
        for (i = 0; m->index && i < m->arrays.n; i++) {
            m->index[i].name = bare(m->arrays.name[i]);
            m->index[i].x = m->arrays.at[i];
        }
        if (m->index) qsort(m->index, (size_t)m->arrays.n, sizeof *m->index, by_name);
    }
    return done(T);
}

/* For commands that need a program. */
static int open_model(tool *T, model *m)
{
    int code = find_model(T, T->word[0], m);
    if (!code && m->kind == FILE_ARRAYS)
        return complain(T, FAILED, "%s holds no program: name a -symbol.json, its prefix, or a single file",
                        m->name);
    return code ? code : load_model(T, m);
}

/* --- inputs --- */
/* What --shape or --input says of a variable, behind "NAME=", or NULL. */
static const char *said_of(const tool *T, const char *which, const char *variable)
{
    const char *text;
    size_t n = strlen(variable);
    int i;
    for (i = 0; (text = option(T, which, i)) != NULL; i++)
        if (!strncmp(text, variable, n) && text[n] == '=') return text + n + 1;
    return NULL;
}

/* Is a variable an input, if nobody says so? The rule of hy_import. */
static int looks_like_input(const model *m, const hy_node *v)
{
    const char *s = v->name;
    if (v->aux || ends_in(s, "_label")) return 0;
    if (m->params) return !value_of(m, s) && !hy_symbol_note(m->graph, s, "__storage_type__");
    if (strncmp(s, "data", 4)) return 0;
    for (s += 4; isdigit((unsigned char)*s); s++) continue;
    return !*s;
}

/* Every --shape or --input names a variable of the graph, once. */
static int check_names(tool *T, const model *m, const char *which)
{
    const char *text, *known;
    char *name, hint[256];
    nearest near;
    int i, k, seen;
    for (i = 0; (text = option(T, which, i)) != NULL; i++) {
        name = text_of(T, "%.*s", (int)strcspn(text, "="), text);
        if (!name) return library_failed(T);
        if (!*name || !strchr(text, '='))
            return complain(T, MISUSED, "--%s %s: an input and = stand first, as in data=%s", which, text,
                            strcmp(which, "shape") ? "x.npy" : "1,3,224,224");
        memset(&near, 0, sizeof near);
        near.word = name;
        for (seen = k = 0; (known = hy_graph_name(m->graph, HY_NAMES_VARIABLES, k)) != NULL; k++) {
            seen += !strcmp(known, name);
            if (!value_of(m, known)) nearest_try(&near, known);
        }
        if (!seen) return complain(T, FAILED, "%s has no input %s%s", m->name, name,
                                   nearest_hint(&near, hint, sizeof hint));
        if (said_of(T, which, name) != text + strlen(name) + 1)
            return complain(T, MISUSED, "--%s %s is given twice", which, name);
    }
    return FINE;
}

/* Which variables are inputs: those the user names, and those that look like it. */
static int find_inputs(tool *T, model *m, const char *which)
{
    int i, n = hy_graph_count(m->graph), code = check_names(T, m, which);
    hy_node node;
    m->input = (input *)room(T, (size_t)n * sizeof *m->input);
    m->place = (int *)room(T, (size_t)n * sizeof *m->place);
    if (code || hy_error(T->F)) return code ? code : library_failed(T);
    for (i = 0; !hy_graph_node(m->graph, i, &node); i++) {
        input *in = &m->input[m->inputs];
        m->place[i] = -1;
        if (node.kind != HY_NODE_VARIABLE) continue;
        in->from = said_of(T, which, node.name);
        in->name = node.name;
        in->type.shape.ndim = -1;
        if (in->from || looks_like_input(m, &node)) m->place[i] = m->inputs++;
    }
    return FINE;
}

/* The input that node i of the graph is, or NULL. */
static input *input_at(const model *m, int i) { return m->place[i] < 0 ? NULL : &m->input[m->place[i]]; }

/* The shapes that --shape gives. */
static int read_shapes(tool *T, model *m)
{
    const char *text;
    int i, code = find_inputs(T, m, "shape");
    for (i = 0; i < m->inputs && !code; i++) {
        text = m->input[i].from;
        if (text && (read_dims(&text, &m->input[i].type.shape) || *text))
            code = complain(T, MISUSED, "--shape %s=%s: up to %d sizes are due, as in 1,3,224,224",
                            m->input[i].name, m->input[i].from, (int)HY_MAX_DIM);
    }
    return code;
}

/* MARK: - analysis: types of all values, and work ---------------------------------------------------- */

typedef struct analysis {
    hy_graph *graph;
    int       nodes, *first;            /* values of node i begin at first[i] */
    hy_type  *type;
} analysis;

static const hy_type *type_at(const analysis *a, int node, int output)
{
    return &a->type[a->first[node] + output];
}

static const hy_type *type_of_input(const analysis *a, int node, int k)
{
    int output = 0, from = hy_graph_input(a->graph, node, k, &output);
    return type_at(a, from, output);
}

static int analysis_open(tool *T, hy_graph *graph, analysis *a)
{
    hy_node node;
    int i, k, n = 0;
    memset(a, 0, sizeof *a);
    a->graph = graph;
    a->nodes = hy_graph_count(graph);
    a->first = (int *)room(T, ((size_t)a->nodes + 1) * sizeof *a->first);
    for (i = 0; a->first && !hy_graph_node(graph, i, &node); i++, n += node.outputs) a->first[i] = n;
    if (a->first) a->first[i] = n;
    a->type = (hy_type *)room(T, (size_t)n * sizeof *a->type);
    if (hy_error(T->F)) return library_failed(T);
    for (i = 0; !hy_graph_node(graph, i, &node); i++)
        for (k = 0; k < node.outputs; k++) a->type[a->first[i] + k] = node.types[k];
    return FINE;
}

/* What is known before anything is inferred: of inputs what the user says, of parameters their values. */
static void known_types(tool *T, const model *m, hy_type *types)
{
    hy_node node;
    hy_array *x;
    const input *in;
    int i, n = 0;
    for (i = 0; !hy_graph_node(m->graph, i, &node); i++) {
        if (node.kind == HY_NODE_OP || node.kind == HY_NODE_CONSTANT) continue;
        types[n].dtype = HY_DTYPE_NONE;
        types[n].shape.ndim = -1;
        in = input_at(m, i);
        x = in ? in->x : value_of(m, node.name);
        if (in) types[n] = in->type;
        if (x) {
            types[n].dtype = hy_dtype_of(T->F, x);
            types[n].shape = hy_shape_of(T->F, x);
        }
        n++;
    }
}

/* The same program with every value as an output, so that inference tells the type of each. */
static hy_graph *with_all_values(tool *T, hy_frame *S, hy_graph *graph)
{
    hy_array *heads = hy_compose(S, graph, 0, NULL, NULL);
    hy_graph *all = heads ? hy_compile(S, hy_internals(S, heads)) : NULL;
    if (all && hy_graph_count(all) == hy_graph_count(graph)) return all;
    hy_raise(T->F, HY_ERROR_STATE, hy_error(S) ? hy_error(S) : "the graph could not be copied");
    hy_graph_free(T->F, all);
    return NULL;
}

/* Types of all values of the model's graph, as far as they follow from what is known. Inputs learn theirs. */
static int analyse(tool *T, model *m, analysis *a)
{
    hy_frame *S = hy_symbolic(T->F);
    hy_graph *all = NULL;
    hy_type *in, *out;
    int i, node, output;
    if (analysis_open(T, m->graph, a)) { hy_close(S); return FAILED; }
    all = with_all_values(T, S, m->graph);
    in = (hy_type *)room(T, (size_t)a->nodes * sizeof *in);
    out = (hy_type *)room(T, all ? (size_t)hy_graph_heads(all) * sizeof *out : 0);
    if (all && in && out) {
        known_types(T, m, in);
        hy_graph_infer(T->F, all, in, out);
        for (i = 0; i < hy_graph_heads(all); i++) {
            node = hy_graph_head(all, i, &output);
            a->type[a->first[node] + output] = out[i];
        }
    }
    hy_graph_free(T->F, all);
    hy_close(S);
    if (hy_error(T->F)) return library_failed(T);
    for (i = 0; i < a->nodes; i++) if (input_at(m, i)) input_at(m, i)->type = *type_at(a, i, 0);
    return FINE;
}

/* --- what kind of work an operator is --- */
enum { WORK_PRODUCT, WORK_WINDOW, WORK_NORM, WORK_MOVE, WORK_POINT };

static int work_of(const hy_op *op)
{
    static const struct { int work; const char *ops; } kinds[] = {
        { WORK_PRODUCT, "convolution|deconvolution|fully_connected|dot|batch_dot|linalg_gemm2|rnn" },
        { WORK_WINDOW, "pooling|adaptive_avg_pooling|sum|mean|prod|nansum|nanprod|max|min|norm|moments|argmax"
                       "|argmin|argmax_channel|softmax_cross_entropy" },
        { WORK_NORM, "batch_norm|layer_norm|group_norm|instance_norm|l2_normalization|lrn|softmax|log_softmax"
                     "|softmin|softmax_activation|softmax_output" },
        { WORK_MOVE, "identity|block_grad|make_loss|dropout|embedding|take|batch_take|pick|gather_nd"
                     "|upsampling|linear_regression_output|mae_regression_output|shape_array|size_array" } };
    size_t i;
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_one_of(kinds[i].ops, op->name)) return kinds[i].work;
    if (op->flags & HY_OP_POINTWISE) return WORK_POINT;
    return (op->flags & HY_OP_VIEW) || (op->flags & HY_OP_MOVES) == HY_OP_MOVES ? WORK_MOVE : WORK_POINT;
}

/* The field of an attribute in a record, NULL if the operator has none of that name. */
static const void *field_of(const hy_node *node, const char *name)
{
    const hy_attr *a = node->record ? node->op->attr : NULL;
    for (; a && a->name; a++) if (!strcmp(a->name, name)) return (const char *)node->record + a->offset;
    return NULL;
}

static int number_of(const hy_node *node, const char *name)
{
    const int *v = (const int *)field_of(node, name);
    return v ? *v : 0;
}

/* Of the operators that are sums of products. */
static double product_flops(const analysis *a, int i, const hy_node *node)
{
    hy_shape x = type_of_input(a, i, 0)->shape, w = type_of_input(a, i, 1)->shape;
    double of_x = size_of(x), of_w = size_of(w), of_y = size_of(type_at(a, i, 0)->shape), gates, rows;
    const char *op = node->op->name;
    int axis = x.ndim - 1;
    if (!shape_known(x) || !shape_known(w) || !shape_known(type_at(a, i, 0)->shape)) return -1;
    if (!strcmp(op, "rnn")) {           /* each weight once per step; biases are no products */
        gates = number_of(node, "mode") == HY_RNN_LSTM ? 4 : number_of(node, "mode") == HY_RNN_GRU ? 3 : 1;
        rows = gates * number_of(node, "state_size") * (1 + number_of(node, "bidirectional"));
        if (x.ndim < 2) return 0;
        return 2.0 * (double)x.dim[0] * (double)x.dim[1] * (of_w - 2 * rows * number_of(node, "num_layers"));
    }
    if (!is_one_of("dot|batch_dot|linalg_gemm2", op)) {
        if (!w.ndim || !w.dim[0]) return 0;
        return 2 * of_w / (double)w.dim[0] * (strcmp(op, "deconvolution") ? of_y : of_x);
    }
    if (number_of(node, "transpose_a"))
        axis = !strcmp(op, "dot") ? 0 : field_of(node, "axis") ? number_of(node, "axis") : -2;
    if (axis < 0) axis += x.ndim;
    return axis < 0 || axis >= x.ndim ? 2 : 2 * of_y * (double)x.dim[axis];
}

/* FLOPs of a node, -1 if shapes are missing. */
static double flops_of(const analysis *a, int i)
{
    const hy_ints *kernel;
    hy_node node;
    double n;
    int k, work;
    if (hy_graph_node(a->graph, i, &node) || !node.op) return 0;
    work = work_of(node.op);
    if (work == WORK_MOVE) return 0;
    if (work == WORK_PRODUCT && node.inputs > 1) return product_flops(a, i, &node);
    n = shape_known(type_at(a, i, 0)->shape) ? size_of(type_at(a, i, 0)->shape) : -1;
    if (work != WORK_WINDOW || n < 0 || !node.inputs) return n;
    kernel = (const hy_ints *)field_of(&node, "kernel");
    if (!kernel || number_of(&node, "global_pool"))
        return shape_known(type_of_input(a, i, 0)->shape) ? size_of(type_of_input(a, i, 0)->shape) : -1;
    for (k = 0; k < kernel->n; k++) n *= (double)kernel->v[k];
    return n;
}

/* --- what variables are --- */
/* m: the model whose graph it is of, as read; NULL: it was traced, and parameters are known as such. */
static int is_parameter(const model *m, int i, const hy_node *node)
{
    return node->kind == HY_NODE_PARAMETER || (m && node->kind == HY_NODE_VARIABLE && !input_at(m, i));
}

typedef struct totals { double trainable, statistics, bytes, flops; int unknown; } totals;

static totals totals_of(const model *m, const analysis *a)
{
    totals t;
    hy_node node;
    double flops;
    int i;
    memset(&t, 0, sizeof t);
    for (i = 0; !hy_graph_node(a->graph, i, &node); i++) {
        const hy_type *type = type_at(a, i, 0);
        if (is_parameter(m, i, &node) && !ends_in(node.name, "_label")) {
            t.unknown |= !shape_known(type->shape);
            *(node.aux ? &t.statistics : &t.trainable) += size_of(type->shape);
            t.bytes += size_of(type->shape) * (double)hy_dtype_size(type->dtype ? type->dtype : HY_F32);
        }
        flops = flops_of(a, i);
        t.unknown |= flops < 0;
        t.flops += flops > 0 ? flops : 0;
    }
    return t;
}

/* Elements of the parameters that node i is the first to use; used: what others have, by node. */
static double parameters_of(const model *m, const analysis *a, int i, char *used)
{
    hy_node node, from;
    double n = 0;
    int k, at, output;
    for (k = 0; !hy_graph_node(a->graph, i, &node) && k < node.inputs; k++) {
        at = hy_graph_input(a->graph, i, k, &output);
        if (at < 0 || used[at] || hy_graph_node(a->graph, at, &from) || !is_parameter(m, at, &from)) continue;
        used[at] = 1;
        if (!ends_in(from.name, "_label")) n += size_of(type_at(a, at, 0)->shape);
    }
    return n;
}

/* MARK: - values ------------------------------------------------------------------------------------- */

typedef struct summary { double least, most, mean; int64_t odd; } summary;     /* odd: NaNs and infinities */

/* Over all elements that are numbers, a piece at a time. */
static summary summarise(tool *T, hy_array *x)
{
    enum { PIECE = 1024 };
    double piece[PIECE], sum = 0;
    summary s = { HUGE_VAL, -HUGE_VAL, 0, 0 };
    int64_t n, from, k, some;
    if (!x) { s.least = s.most = s.mean = HUGE_VAL; return s; }
    n = hy_size(T->F, x);
    hy_begin(T->F);
    x = hy_view_reshape(T->F, x, HY_SHAPE(n));
    for (from = 0; from < n && !hy_error(T->F); from += some) {
        hy_begin(T->F);
        some = n - from < PIECE ? n - from : PIECE;
        some = (int64_t)(hy_to(T->F, hy_view_slice(T->F, x, 0, from, from + some, 1), HY_F64, piece,
                               sizeof piece) / sizeof *piece);
        hy_end(T->F);
        for (k = 0; k < some; k++) {
            if (piece[k] - piece[k] != 0) { s.odd++; continue; }
            if (piece[k] < s.least) s.least = piece[k];
            if (piece[k] > s.most) s.most = piece[k];
            sum += piece[k];
        }
    }
    hy_end(T->F);
    s.mean = n > s.odd ? sum / (double)(n - s.odd) : HUGE_VAL;
    if (n == s.odd) s.least = s.most = HUGE_VAL;
    return s;
}

/* An input made of "random:1,3,64,64:7", "zeros:...", "ones:..."; 0 if text begins with none of these. */
static int make_input(tool *T, const input *in, int number, hy_array **x)
{
    static const char *const kinds[] = { "random:", "zeros:", "ones:" };
    const char *text = in->from;
    hy_shape shape;
    int64_t seed = number;
    int kind;
    for (kind = 0; kind < 3 && strncmp(text, kinds[kind], strlen(kinds[kind])); kind++) continue;
    if (kind == 3) return 0;
    text += strlen(kinds[kind]);
    if (read_dims(&text, &shape) || (*text == ':' && (kind || (text++, read_whole(&text, &seed)))) || *text)
        return complain(T, MISUSED, "--input %s=%s: sizes are due, as in %s1,3,64,64%s", in->name, in->from,
                        kinds[kind], kind ? "" : " or random:1,3,64,64:SEED");
    hy_seed(T->F, (uint64_t)seed);
    *x = kind == 0 ? hy_uniform(T->F, shape, 0, 1) : kind == 1 ? hy_zeros(T->F, shape) : hy_ones(T->F, shape);
    if (*x && in->type.dtype && in->type.dtype != HY_F32) *x = hy_cast(T->F, *x, in->type.dtype);
    return done(T);
}

/* An input from a file: x.npy, or x.npz:name where there are several arrays. */
static int read_input(tool *T, const input *in, hy_array **x)
{
    const char *file = in->from, *member = NULL, *colon = strrchr(file, ':');
    hy_arrays a;
    if (colon && !file_there(file)) {
        file = text_of(T, "%.*s", (int)(colon - file), file);
        member = colon + 1;
    }
    a = file ? load_arrays(T, file) : hy_load(T->F, NULL);
    if (!hy_error(T->F) && !member && a.n != 1)
        return complain(T, FAILED, "--input %s=%s: there are %d arrays in it: choose one with :NAME behind",
                        in->name, in->from, a.n);
    if (!hy_error(T->F)) *x = member ? hy_array_named(T->F, a, member) : a.at[0];
    if (!hy_error(T->F) && !*x)
        return complain(T, FAILED, "--input %s=%s: it has no value", in->name, in->from);
    return done(T);
}

/* --- blocks --- */
static hy_array *group_inputs(tool *T, const model *m)
{
    hy_array **at = (hy_array **)room(T, (size_t)m->inputs * sizeof *at);
    int i;
    for (i = 0; at && i < m->inputs; i++) at[i] = m->input[i].x;
    return m->inputs == 1 && at ? at[0] : at ? hy_group_of(T->F, m->inputs, at) : NULL;
}

/* Inputs for commands that only need shapes: random values, or zeros. */
static int shaped_inputs(tool *T, model *m, int random)
{
    int i;
    hy_seed(T->F, 0);
    for (i = 0; i < m->inputs; i++) {
        input *in = &m->input[i];
        in->x = random ? hy_uniform(T->F, in->type.shape, 0, 1) : hy_zeros(T->F, in->type.shape);
        if (in->x && in->type.dtype && in->type.dtype != HY_F32) in->x = hy_cast(T->F, in->x, in->type.dtype);
    }
    return done(T);
}

/* "a, b, c, ...": the i-th of a list that grows; a long one is cut. */
static char *listed(tool *T, int i, char *list, const char *more)
{
    if (i > 8 || !more || (i && !list)) return list;
    return text_of(T, "%s%s%s", i ? list : "", i ? ", " : "", i < 8 ? more : "...");
}

/* The inputs that lack a shape, in words: "data (?,3,?,?), mask ?". */
static const char *inputs_unknown(tool *T, const model *m)
{
    char *list = NULL, shape[SHAPE_TEXT];
    int i, n = 0;
    for (i = 0; i < m->inputs; i++) {
        const input *in = &m->input[i];
        if (shape_known(in->type.shape)) continue;
        list = listed(T, n++, list, text_of(T, "%s %s", in->name, shape_text(in->type.shape, shape)));
    }
    return list;
}

/* The model as a block. init: how parameters without values begin; NULL: all must have values. */
static hy_block *make_block(tool *T, const model *m, const hy_init *init, int64_t seed)
{
    hy_import_opt opt;
    hy_block *block;
    size_t n = 1;
    char *names, *at;
    int i;
    for (i = 0; i < m->inputs; i++) n += strlen(m->input[i].name) + 1;
    names = at = (char *)room(T, n);
    for (i = 0; i < m->inputs && names; i++) at += sprintf(at, i ? ",%s" : "%s", m->input[i].name);
    memset(&opt, 0, sizeof opt);
    opt.inputs = m->inputs ? names : NULL;
    opt.allow_missing = init != NULL;
    opt.ignore_extra = option(T, "ignore-extra", 0) != NULL;
    block = hy_import_from(T->F, m->graph, m->params ? &m->arrays : NULL, &opt);
    hy_seed(T->F, (uint64_t)seed);
    T->quiet = 1;                       /* that some have values already is no news */
    if (block && init) hy_initialize(T->F, block, init->fn ? init : NULL);
    T->quiet = 0;
    return block;
}

/* Model, inputs and types for commands with --shape; all shapes must be known in the end. */
static int open_shaped(tool *T, model *m, analysis *a)
{
    const char *unknown;
    int code = open_model(T, m);
    if (!code) code = read_shapes(T, m);
    if (!code) code = analyse(T, m, a);
    if (code) return code;
    unknown = inputs_unknown(T, m);
    if (!unknown) return FINE;
    return complain(T, FAILED, "give the shapes of inputs, --shape %s=1,3,224,224 or the like; missing: %s",
                    m->input[0].name, unknown);
}

/* MARK: - hybrid ops --------------------------------------------------------------------------------- */

/* Internal operators appear in no file. */
static int op_is_shown(const hy_op *op) { return op->name[0] != '_' || op->mxnet; }

/* The default of an attribute as text. */
static const char *default_text(const hy_attr *a, char *text, size_t bytes)
{
    const char *word = a->doc;
    int k = (int)a->missing;
    if (a->missing == HY_NONE) return "None";
    switch (a->kind) {
    case HY_ATTR_flag: return k ? "True" : "False";
    case HY_ATTR_inv: return k ? "False" : "True";
    case HY_ATTR_dtype: return k ? hy_dtype_name((hy_dtype)k) : "None";
    case HY_ATTR_enum:
        while (k-- > 0 && word[strcspn(word, "|:")] == '|') word += strcspn(word, "|:") + 1;
        snprintf(text, bytes, "%.*s", (int)strcspn(word, "|:"), word);
        return text;
    case HY_ATTR_int: case HY_ATTR_oint: case HY_ATTR_i64: case HY_ATTR_real:
        snprintf(text, bytes, "%g", a->missing);
        return text;
    default: return "()";
    }
}

/* The type of an attribute; an enum's words. */
static const char *attr_type(const hy_attr *a, char *text, size_t bytes)
{
    static const char *const names[] = { "bool", "bool", "int", "int or None", "int", "float", "dtype", "",
                                         "shape", "ints", "ints or None" };
    if (a->kind == HY_ATTR_enum) {
        snprintf(text, bytes, "%.*s", (int)strcspn(a->doc, ":"), a->doc);
        return text;
    }
    return (size_t)a->kind < sizeof names / sizeof *names ? names[a->kind] : "floats";
}

static const char *attr_doc(const hy_attr *a)
{
    const char *doc = a->kind == HY_ATTR_enum ? strchr(a->doc, ':') : NULL;
    return doc ? doc + 1 + strspn(doc + 1, " ") : a->doc;
}

static void op_args(report *r, const char *key, const hy_arg *args)
{
    static const char *const kinds[] = { "one", "optional", "list", "auxiliary", "hidden" };
    static const char *const notes[] = { "", "if its attributes ask for it", "any number of arrays",
                                         "running statistics, updated in training",
                                         "hidden: for the gradient" };
    static const column columns[] = {
        TEXT(NULL, ""), TEXT("name", ""), TEXT("kind", NULL), TEXT(NULL, "") };
    if (!r->T->json && args->name) printf("\n%s\n", key);
    for (ROWS_OPEN(r, key, columns); args->name; args++) {
        cell_text(r, " ");
        cell_text(r, args->name);
        cell_text(r, kinds[args->kind]);
        cell_text(r, notes[args->kind]);
    }
    rows_close(r);
}

static void op_attributes(report *r, const hy_op *op)
{
    static const column columns[] = {
        TEXT(NULL, ""), TEXT("name", ""), TEXT("field", NULL), TEXT("type", ""),
        TEXT("default", NULL), TEXT(NULL, ""), TEXT("doc", "") };
    const hy_attr *a = op->attr;
    char text[256], missing[256], shown[300];
    if (!r->T->json && a && a->name) printf("\nattributes\n");
    for (ROWS_OPEN(r, "attributes", columns); a && a->name; a++) {
        int needed = a->missing == HY_REQUIRED;
        const char *otherwise = needed ? "" : default_text(a, missing, sizeof missing);
        cell_text(r, " ");
        cell_text(r, a->mxnet);
        cell_text(r, a->name);
        cell_text(r, attr_type(a, text, sizeof text));
        cell_text(r, needed ? NULL : otherwise);
        snprintf(shown, sizeof shown, needed ? "required" : "= %s", otherwise);
        cell_text(r, shown);
        snprintf(shown, sizeof shown, "%s (in C: %s%s)", attr_doc(a), a->name,
                 a->kind == HY_ATTR_inv ? ", the opposite" : "");
        cell_text(r, r->T->json || !strcmp(a->name, a->mxnet) ? attr_doc(a) : shown);
    }
    rows_close(r);
}

static void show_op(tool *T, const hy_op *op)
{
    const char *words;
    report r;
    size_t k;
    report_open(T, &r);
    if (T->json) {
        json_text(&r.j, "name", op->name);
        json_text(&r.j, "mxnet", op->mxnet);
        json_text(&r.j, "aliases", op->aliases);
        json_text(&r.j, "doc", op->doc);
    } else {
        printf("hy_%s: %s\n", op->name, op->doc);
        if (op->mxnet) printf("in files: %s", op->mxnet);
        for (words = op->aliases; words; words = words[k] ? words + k + 1 : NULL) {
            k = strcspn(words, "|");
            printf("%s%.*s", words == op->aliases && !op->mxnet ? "in files: " : ", ", (int)k, words);
        }
        if (op->mxnet || op->aliases) printf("\n");
    }
    op_args(&r, "inputs", op->in);
    op_args(&r, "outputs", op->out);
    op_attributes(&r, op);
    report_close(&r);
}

static int unknown_op(tool *T)
{
    nearest near = { NULL, NULL, 0 };
    const hy_op *op;
    char hint[256];
    int i;
    near.word = T->word[0];
    for (i = 0; (op = hy_op_at(T->F, i)) != NULL; i++) {
        if (op_is_shown(op)) nearest_try(&near, op->name);
        if (op->mxnet) nearest_try(&near, op->mxnet);
    }
    return complain(T, FAILED, "there is no operator %s%s", T->word[0],
                    nearest_hint(&near, hint, sizeof hint));
}

static int run_ops(tool *T)
{
    static const column columns[] = {
        TEXT("name", "operator"), TEXT("mxnet", "in files"), TEXT("aliases", NULL),
        TEXT("doc", "what it gives") };
    const hy_op *op;
    report r;
    int i, n = 0;
    if (T->words) {
        op = hy_op_find(T->F, T->word[0]);
        if (!op) return unknown_op(T);
        show_op(T, op);
        return FINE;
    }
    report_open(T, &r);
    ROWS_OPEN(&r, "operators", columns);
    for (i = 0; (op = hy_op_at(T->F, i)) != NULL; i++) {
        if (!op_is_shown(op)) continue;
        cell_text(&r, op->name);
        cell_text(&r, op->mxnet);
        cell_text(&r, op->aliases);
        cell_text(&r, op->doc);
        n++;
    }
    rows_close(&r);
    report_close(&r);
    if (!T->json) printf("%d operators; hybrid ops NAME tells all about one\n", n);
    return FINE;
}

/* MARK: - hybrid show -------------------------------------------------------------------------------- */

static double bytes_of(hy_type type) { return size_of(type.shape) * (double)hy_dtype_size(type.dtype); }

static hy_type type_of(tool *T, hy_array *x)
{
    hy_type type = { HY_DTYPE_NONE, { -1, { 0 } } };
    if (x) {
        type.dtype = hy_dtype_of(T->F, x);
        type.shape = hy_shape_of(T->F, x);
    }
    return type;
}

static void cell_dtype(report *r, hy_dtype dtype) { cell_text(r, dtype ? hy_dtype_name(dtype) : NULL); }

/* For a file of arrays, and for the outputs of run. */
static const column array_columns[] = {
    TEXT("name", "array"), TEXT("dtype", "type"), TEXT("shape", "shape"),
    NUMBER("bytes", "bytes", ",", 1), NUMBER("min", "min", "%.6g", 1), NUMBER("max", "max", "%.6g", 1),
    NUMBER("mean", "mean", "%.6g", 1), NUMBER("not_finite", "not finite", "%.0f", 1), TEXT("file", NULL) };

static void array_row(report *r, const char *name, hy_array *x, const char *file)
{
    hy_type type = type_of(r->T, x);
    summary s = summarise(r->T, x);
    cell_text(r, name);
    cell_dtype(r, type.dtype);
    cell_shape(r, type.shape);
    cell_number(r, bytes_of(type));
    cell_number(r, s.least);
    cell_number(r, s.most);
    cell_number(r, s.mean);
    cell_number(r, r->T->json || s.odd ? (double)s.odd : HUGE_VAL);
    cell_text(r, file);
}

static int show_arrays(tool *T, const model *m)
{
    report r;
    char number[64], place[32];
    double bytes = 0, elements = 0;
    int i;
    report_open(T, &r);
    if (T->json) json_text(&r.j, "file", m->params);
    ROWS_OPEN(&r, "arrays", array_columns);
    for (i = 0; i < m->arrays.n && !hy_error(T->F); i++) {
        hy_type type = type_of(T, m->arrays.at[i]);
        if (!T->json) progress(T, "looking at the values", (double)i / m->arrays.n);
        snprintf(place, sizeof place, "[%d]", i);
        array_row(&r, m->arrays.name ? m->arrays.name[i] : T->json ? NULL : place, m->arrays.at[i], NULL);
        elements += size_of(type.shape);
        bytes += bytes_of(type);
    }
    progress_clear(T);
    if (hy_error(T->F)) return library_failed(T);
    rows_close(&r);
    report_close(&r);
    if (T->json) return FINE;
    printf("%d arrays, %s elements, ", m->arrays.n, grouped(elements, number));
    printf("%s bytes\n", grouped(bytes, number));
    return FINE;
}

/* What a call takes; all zero if shapes are missing, or with a word of why the library cannot say. */
static hy_plan_info plan_of(tool *T, model *m, const char **why)
{
    hy_plan_info plan;
    hy_init zeros = hy_init_zeros();
    hy_block *block;
    memset(&plan, 0, sizeof plan);
    *why = NULL;
    if (inputs_unknown(T, m)) return plan;
    if (shaped_inputs(T, m, 0)) return plan;
    block = make_block(T, m, &zeros, 0);
    if (block) hy_hybridize(T->F, block, NULL);
    if (block) plan = hy_plan(T->F, block, group_inputs(T, m));
    if (hy_error(T->F) && hy_error_code(T->F) != HY_ERROR_MEMORY) {
        snprintf(T->note, sizeof T->note, "%s", hy_error(T->F));
        *why = cleaned(T->note);
        hy_clear(T->F);
        memset(&plan, 0, sizeof plan);
    }
    return plan;
}

static void show_layers(report *r, const model *m, const analysis *a)
{
    static const column columns[] = {
        TEXT("name", "layer"), TEXT("operator", "operator"), TEXT("shape", "output"),
        NUMBER("parameters", "parameters", ",", 1), NUMBER("flops", "MFLOPs", "%.4g", 1e-6) };
    char *used = (char *)room(r->T, (size_t)a->nodes);
    hy_node node;
    double flops, n;
    int i;
    ROWS_OPEN(r, "layers", columns);
    for (i = 0; used && !hy_graph_node(a->graph, i, &node); i++) {
        if (!node.op && !input_at(m, i)) continue;
        flops = flops_of(a, i);
        n = parameters_of(m, a, i, used);
        cell_text(r, node.name);
        cell_text(r, node.op ? node.op->name : r->T->json ? NULL : "(input)");
        cell_shape(r, type_at(a, i, 0)->shape);
        cell_number(r, r->T->json || n > 0 ? n : HUGE_VAL);
        cell_number(r, flops > 0 || (r->T->json && flops == 0) ? flops : HUGE_VAL);
    }
    rows_close(r);
}

static void show_value(report *r, const char *name, const hy_type *type)
{
    cell_text(r, " ");
    cell_text(r, name);
    cell_shape(r, type->shape);
    cell_dtype(r, type->dtype);
}

static void show_values(report *r, const model *m, const analysis *a)
{
    static const column in[] = {
        TEXT(NULL, "inputs"), TEXT("name", ""), TEXT("shape", ""), TEXT("dtype", "") };
    static const column out[] = {
        TEXT(NULL, "outputs"), TEXT("name", ""), TEXT("shape", ""), TEXT("dtype", "") };
    int i, output, node;
    ROWS_OPEN(r, "inputs", in);
    for (i = 0; i < m->inputs; i++) show_value(r, m->input[i].name, &m->input[i].type);
    rows_close(r);
    ROWS_OPEN(r, "outputs", out);
    for (i = 0; i < hy_graph_heads(a->graph); i++) {
        node = hy_graph_head(a->graph, i, &output);
        show_value(r, hy_graph_name(a->graph, HY_NAMES_OUTPUTS, i), type_at(a, node, output));
    }
    rows_close(r);
}

static void totals_json(json *j, const totals *t, const hy_plan_info *plan)
{
    double none = plan->total ? 0 : HUGE_VAL;
    json_open(j, "parameters", '{');
    json_number(j, "trainable", t->trainable);
    json_number(j, "statistics", t->statistics);
    json_number(j, "bytes", t->bytes);
    json_close(j, '}');
    json_number(j, "flops", t->flops);
    json_bool(j, "complete", !t->unknown);              /* or are these the least that it can be? */
    json_open(j, "memory", '{');
    json_number(j, "planned", none + (double)plan->total);
    json_number(j, "activations", none + (double)plan->activations);
    json_number(j, "unplanned", none + (double)plan->unplanned);
    json_close(j, '}');
}

static void totals_print(const totals *t, const hy_plan_info *plan, const char *why)
{
    const char *least = t->unknown ? " or more" : "";
    char x[64], y[64];
    printf("\nparameters  %s%s: ", grouped(t->trainable + t->statistics, x), least);
    printf("%s trainable, %s running statistics; ", grouped(t->trainable, x), grouped(t->statistics, y));
    printf("%s bytes\n", grouped(t->bytes, x));
    if (t->unknown && t->flops == 0) printf("FLOPs       not known\n");
    else printf("FLOPs       %s%s per call\n", scaled(t->flops, 1000, x), least);
    if (why) printf("memory      not known: %s\n", why);
    if (!plan->total) return;
    printf("memory      %sB planned: ", scaled((double)plan->total, 1024, x));
    printf("activations %sB, without reuse %sB; ", scaled((double)plan->activations, 1024, x),
           scaled((double)plan->unplanned, 1024, y));
    printf("outputs %sB, packed parameters %sB, ", scaled((double)plan->outputs, 1024, x),
           scaled((double)plan->packed, 1024, y));
    printf("scratch %sB\n", scaled((double)(plan->shared + plan->scratch), 1024, x));
    if (plan->dynamic) printf("            where values decide shapes, what follows is not in it\n");
}

static int run_show(tool *T)
{
    const char *why, *unknown;
    hy_plan_info plan;
    report r;
    totals t;
    model m;
    analysis a;
    int code = find_model(T, T->word[0], &m);
    if (!code) code = load_model(T, &m);
    if (code) return code;
    if (m.kind == FILE_ARRAYS) return show_arrays(T, &m);
    code = read_shapes(T, &m);
    if (!code) code = analyse(T, &m, &a);
    if (code) return code;
    plan = plan_of(T, &m, &why);
    if (hy_error(T->F)) return library_failed(T);
    t = totals_of(&m, &a);
    report_open(T, &r);
    if (T->json) json_text(&r.j, "model", m.name);
    show_layers(&r, &m, &a);
    if (T->json) totals_json(&r.j, &t, &plan);
    else totals_print(&t, &plan, why);
    show_values(&r, &m, &a);
    report_close(&r);
    unknown = inputs_unknown(T, &m);
    if (unknown && !T->json)
        printf("for the rest give --shape %s=1,3,224,224 or the like; missing: %s\n", m.input[0].name,
               unknown);
    return done(T);
}

/* MARK: - hybrid graph ------------------------------------------------------------------------------- */

/* What stays while inputs change: parameters, and what is computed of them alone. */
static char *settled_of(tool *T, const model *m, const analysis *a)
{
    char *settled = (char *)room(T, (size_t)a->nodes);
    hy_node node;
    int i, k, output;
    for (i = 0; settled && !hy_graph_node(a->graph, i, &node); i++) {
        settled[i] = node.kind == HY_NODE_CONSTANT || is_parameter(m, i, &node) || (node.op && node.inputs);
        for (k = 0; k < node.inputs && settled[i]; k++)
            settled[i] = settled[hy_graph_input(a->graph, i, k, &output)];
    }
    return settled;
}

/* What the operator calls its k-th input. */
static const char *name_of_input(const hy_node *node, int k)
{
    const hy_arg *arg = node->op->in;
    int i, n;
    for (i = 0; arg[i].name; i++) {
        n = node->op->count ? node->op->count(node->record, 0, i) : 1;
        if (n < 0 || arg[i].kind == HY_ARG_LIST || k < n) return arg[i].name;
        k -= n;
    }
    return "input";
}

/* An attribute as a drawing shows it, "kernel 3x3"; NULL: it says nothing that matters. */
static char *attribute_of(tool *T, const hy_node *node, const hy_attr *t, const void *plain)
{
    char now[256], then[256], *s;
    int window = is_one_of("kernel|stride|dilate|pad|adj|output_size|block_size", t->mxnet);
    if (is_one_of("no_bias|layout|count_include_pad|pooling_convention|eps|momentum|fix_gamma"
                  "|use_global_stats|output_mean_var", t->mxnet)) return NULL;
    hy_attr_text(t, node->record, now, sizeof now);
    hy_attr_text(t, plain, then, sizeof then);
    if (t->option && !strcmp(now, then)) return NULL;
    if (window && t->option && !now[strspn(now, "(), 0")]) return NULL;
    if (is_one_of("stride|dilate", t->mxnet) && !now[strspn(now, "(), 1")]) return NULL;
    while (window && (s = strstr(now, ", ")) != NULL) {
        *s = 'x';
        memmove(s + 1, s + 2, strlen(s + 1));
    }
    if (window && *now == '(') return text_of(T, "%s %.*s", t->mxnet, (int)strcspn(now + 1, ")"), now + 1);
    return text_of(T, "%s %s", t->mxnet, now);
}

/* "convolution, kernel 3x3, num_filter 64, weight (64,3,3,3)" */
static char *detail_of(tool *T, const analysis *a, int i, const char *settled, int all)
{
    hy_node node;
    const hy_attr *t;
    const hy_type *type;
    const char *name;
    char shape[SHAPE_TEXT], *text, *more;
    void *plain;
    int k, output;
    type = type_at(a, i, 0);
    if (hy_graph_node(a->graph, i, &node) || !node.op)
        return text_of(T, "%s %s", shape_text(type->shape, shape), type->dtype ? hy_dtype_name(type->dtype)
                       : "");
    text = text_of(T, "%s", !strcmp(node.op->name, "_fused") ? "fused" : node.op->name);
    plain = room(T, node.op->record);
    if (plain) hy_defaults(node.op, plain);
    for (t = node.record && plain ? node.op->attr : NULL; t && t->name; t++) {
        more = attribute_of(T, &node, t, plain);
        if (more) text = listed(T, 1, text, more);
    }
    for (k = 0; k < node.inputs && !all; k++) {
        if (!settled[hy_graph_input(a->graph, i, k, &output)]) continue;
        name = name_of_input(&node, k);
        type = type_of_input(a, i, k);
        if (!strcmp(name, "label") || (type->shape.ndim == 1 && (!strcmp(name, "bias") ||
                                                                  work_of(node.op) == WORK_NORM))) continue;
        text = listed(T, 1, text, text_of(T, "%s %s", name, shape_text(type->shape, shape)));
    }
    return text;
}

/* The part of a name that it shares with its neighbours: "stage1" of "stage1_conv0_fwd". */
static char *group_of(tool *T, const char *name)
{
    size_t n = strlen(name) - (ends_in(name, "_fwd") ? 4 : 0);
    while (n && name[n] != '_') n--;
    return n ? text_of(T, "%.*s", (int)n, name) : NULL;
}

static int drawn_kind(const hy_node *node)
{
    static const int kinds[] = { 2, 7, 8, 6, 3 };       /* of WORK_PRODUCT, WINDOW, NORM, MOVE, POINT */
    if (!node->op) return node->kind == HY_NODE_VARIABLE ? 0 : 1;
    return !strcmp(node->op->name, "_fused") ? 5 : kinds[work_of(node->op)];
}

typedef struct drawing { layered_node *node; layered_edge *edge; int nodes, edges; } drawing;

static void draw_edge(tool *T, drawing *d, const analysis *a, int from, int to, int node, int output)
{
    char shape[SHAPE_TEXT];
    d->edge[d->edges].from = from;
    d->edge[d->edges].to = to;
    d->edge[d->edges++].label = text_of(T, "%s", shape_text(type_at(a, node, output)->shape, shape));
}

/* Boxes and arrows of a graph: m is the model it is of, read NULL if the graph was traced of it. */
static int draw(tool *T, const model *m, const model *read, const analysis *a, drawing *d)
{
    int all = option(T, "parameters", 0) != NULL, i, k, from, output, links = 0, variables = 0;
    int heads = hy_graph_heads(a->graph), *place = (int *)room(T, (size_t)a->nodes * sizeof *place);
    char *settled = settled_of(T, read, a);
    hy_node node;
    for (i = 0; !hy_graph_node(a->graph, i, &node); i++) links += node.inputs;
    d->node = (layered_node *)room(T, (size_t)(a->nodes + heads) * sizeof *d->node);
    d->edge = (layered_edge *)room(T, (size_t)(links + heads) * sizeof *d->edge);
    for (i = 0; !hy_error(T->F) && !hy_graph_node(a->graph, i, &node); i++) {
        layered_node *box = &d->node[d->nodes];
        const char *name = node.name;
        if (!read && node.kind == HY_NODE_VARIABLE && variables < m->inputs)
            name = m->input[variables++].name;
        place[i] = settled[i] && !all ? -1 : d->nodes;
        if (place[i] < 0) continue;
        box->title = name;
        box->detail = detail_of(T, a, i, settled, all);
        box->group = node.op ? group_of(T, name) : NULL;
        box->kind = is_parameter(read, i, &node) ? 1 : drawn_kind(&node);
        for (k = 0; k < node.inputs; k++) {
            from = hy_graph_input(a->graph, i, k, &output);
            if (place[from] >= 0) draw_edge(T, d, a, place[from], d->nodes, from, output);
        }
        d->nodes++;
    }
    for (i = 0; !hy_error(T->F) && i < heads; i++) {
        from = hy_graph_head(a->graph, i, &output);
        d->node[d->nodes].title = hy_graph_name(m->graph, HY_NAMES_OUTPUTS, i);
        d->node[d->nodes].kind = 4;
        if (place[from] >= 0) draw_edge(T, d, a, place[from], d->nodes, from, output);
        d->nodes++;
    }
    return done(T);
}

/* Written aside and renamed, as the library does. */
static int save_drawing(tool *T, const char *out, const char *title, const drawing *d)
{
    const char *part = text_of(T, "%s.part", out);
    FILE *f = part ? fopen(part, "wb") : NULL;
    int failed, lack;
    if (!part) return library_failed(T);
    if (!f) return complain(T, FAILED, "%s: the file cannot be made: %s", part, strerror(errno));
    lack = ends_in(out, ".dot") ? layered_dot(f, title, d->nodes, d->node, d->edges, d->edge)
        : layered_svg(f, title, d->nodes, d->node, d->edges, d->edge);
    failed = ferror(f) != 0;
    if (fclose(f) || failed || lack) {
        remove(part);
        return complain(T, FAILED, lack ? "%s: out of memory" : "%s: writing failed: is the disk full?", out);
    }
#ifdef _WIN32
    remove(out);
#endif
    if (!rename(part, out)) return FINE;
    failed = errno;
    remove(part);
    return complain(T, FAILED, "%s: the file cannot be replaced: %s", out, strerror(failed));
}

/* The graph as it runs: traced, then through the passes. */
static hy_graph *passed_graph(tool *T, model *m)
{
    hy_init zeros = hy_init_zeros();
    hy_block *block = shaped_inputs(T, m, 0) ? NULL : make_block(T, m, &zeros, 0);
    hy_array *x = block ? group_inputs(T, m) : NULL;
    if (block) hy_hybridize(T->F, block, NULL);
    if (x) hy_plan(T->F, block, x);     /* traces, and runs nothing */
    return hy_error(T->F) || !x ? NULL : hy_optimize(T->F, hy_graph_of(T->F, block), x, NULL);
}

static int run_graph(tool *T)
{
    const char *out = option(T, "out", 0), *title;
    int passes = option(T, "passes", 0) != NULL, code;
    hy_graph *graph = NULL;
    drawing d = { NULL, NULL, 0, 0 };
    analysis a;
    model m;
    if (!out || (!ends_in(out, ".svg") && !ends_in(out, ".dot")))
        return complain(T, MISUSED, "say where the drawing goes: --out FILE.svg or --out FILE.dot");
    if (passes) {
        code = open_shaped(T, &m, &a);
        graph = code ? NULL : passed_graph(T, &m);
        if (!graph) return code ? code : library_failed(T);
        code = analysis_open(T, graph, &a);
    } else {
        code = open_model(T, &m);
        if (!code) code = read_shapes(T, &m);
        if (!code) code = analyse(T, &m, &a);
    }
    progress(T, "drawing", -1);
    if (!code) code = draw(T, &m, passes ? NULL : &m, &a, &d);
    title = strrchr(m.name, '/') ? strrchr(m.name, '/') + 1 : m.name;
    if (passes) title = text_of(T, "%s, after the passes", title);
    if (!code) code = save_drawing(T, out, title, &d);
    progress_clear(T);
    if (!code) printf("%s: %d nodes, %d edges\n", out, d.nodes, d.edges);
    hy_graph_free(T->F, graph);
    return code;
}

/* MARK: - hybrid run --------------------------------------------------------------------------------- */

static int run_inputs(tool *T, model *m, analysis *a)
{
    char shape[SHAPE_TEXT], *missing = NULL;
    int i, n = 0, code = analyse(T, m, a);              /* the types that parameters tell */
    for (i = 0; i < m->inputs && !code; i++) {
        input *in = &m->input[i];
        hy_dtype wanted = in->type.dtype;
        if (in->from) code = make_input(T, in, i, &in->x);
        if (in->from && !code && !in->x) code = read_input(T, in, &in->x);
        if (code || !in->x || !wanted || hy_dtype_of(T->F, in->x) == wanted) continue;
        complain(T, FINE, "note: %s is %s, the model wants %s: cast", in->name,
                 hy_dtype_name(hy_dtype_of(T->F, in->x)), hy_dtype_name(wanted));
        in->x = hy_cast(T->F, in->x, wanted);
    }
    if (!code) code = analyse(T, m, a); /* and inputs */
    for (i = 0; i < m->inputs && !code; i++) {
        const input *in = &m->input[i];
        if (in->x) continue;
        shape_text(in->type.shape, shape);
        missing = listed(T, n++, missing, text_of(T, "--input %s=FILE of shape %s", in->name, shape));
    }
    return code || !missing ? code : complain(T, MISUSED, "inputs are missing: %s", missing);
}

/* Outputs under names that files may have, each once. */
static char **file_names(tool *T, const model *m, int n)
{
    char **name = (char **)room(T, (size_t)n * sizeof *name), *s;
    int i, k;
    for (i = 0; name && i < n; i++) {
        name[i] = text_of(T, "%s", hy_graph_name(m->graph, HY_NAMES_OUTPUTS, i));
        if (!name[i]) return NULL;
        for (s = cleaned(name[i]); *s; s++) if (strchr("/\\:*?\"<>|", *s)) *s = '_';
        if (name[i][0] == '.' || !name[i][0]) name[i] = text_of(T, "output%s", name[i]);
        for (k = 0; k < i && name[i]; k++)
            if (!strcmp(name[k], name[i])) { name[i] = text_of(T, "%s_%d", name[i], i); k = -1; }
        if (!name[i]) return NULL;
    }
    return name;
}

static int is_arrays_file(const char *name)
{
    return ends_in(name, ".npz") || ends_in(name, ".npy") || ends_in(name, ".params") ||
           ends_in(name, ".safetensors");
}

/* Into one file, or each into a file of its own in a folder; file[i] becomes where output i is. */
static int save_outputs(tool *T, const char *out, char **name, hy_array **y, int n, const char **file)
{
    hy_arrays all;
    int i;
    all.n = n;
    all.at = y;
    all.name = (const char *const *)name;
    if (is_arrays_file(out)) {
        for (i = 0; i < n; i++) file[i] = out;
        return hy_save(T->F, out, all) ? library_failed(T) : FINE;
    }
    if (kind_of_file(out) != FILE_FOLDER && make_folder(out))
        return complain(T, FAILED, "%s: the folder cannot be made: %s", out, strerror(errno));
    for (i = 0; i < n; i++) {
        progress(T, "writing", (double)i / n);
        file[i] = text_of(T, "%s%s%s.npy", out, ends_in(out, "/") ? "" : "/", name[i]);
        all.n = 1;
        all.at = y + i;
        if (!file[i] || hy_save(T->F, file[i], all)) return library_failed(T);
    }
    progress_clear(T);
    return FINE;
}

static void print_outputs(tool *T, char **name, hy_array **y, int n, const char **file, double seconds)
{
    report r;
    int i;
    report_open(T, &r);
    ROWS_OPEN(&r, "outputs", array_columns);
    for (i = 0; i < n; i++) array_row(&r, name[i], y[i], file[i]);
    rows_close(&r);
    if (T->json) json_number(&r.j, "seconds", seconds);
    else printf("%.4f seconds\n", seconds);
    report_close(&r);
}

/* Do all parameters have values, or may they be drawn? */
static int check_values(tool *T, const model *m, int64_t *seed)
{
    int code = FINE;
    *seed = 0;
    if (option(T, "random-params", 0) && *option(T, "random-params", 0))
        code = option_whole(T, "random-params", 0, INT64_MAX, seed);
    if (!code && !m->params && !option(T, "random-params", 0))
        return complain(T, FAILED, "%s has no values of its parameters: give --params FILE, --epoch N or "
                        "--random-params", m->name);
    return code;
}

static int run_run(tool *T)
{
    const char *out = option(T, "output", 0), *trace = option(T, "profile", 0), **file;
    hy_block *block;
    hy_array *x, *y = NULL, **each;
    hy_init plain;
    model m;
    analysis a;
    char **name;
    int64_t seed;
    int i, n, code = open_model(T, &m);
    double begun;
    if (!code) code = check_values(T, &m, &seed);
    if (!code) code = find_inputs(T, &m, "input");
    if (!code) code = run_inputs(T, &m, &a);
    if (code) return code;
    memset(&plain, 0, sizeof plain);
    block = make_block(T, &m, option(T, "random-params", 0) ? &plain : NULL, seed);
    x = block ? group_inputs(T, &m) : NULL;
    if (x && !option(T, "imperative", 0)) hy_hybridize(T->F, block, NULL);
    if (x && trace) hy_profile(T->F, trace);
    begun = hy_seconds();
    if (x) y = hy_call(T->F, block, x);
    hy_wait_all(T->F);
    begun = hy_seconds() - begun;
    if (x && trace) hy_profile(T->F, NULL);
    if (!y || hy_error(T->F)) return library_failed(T);
    n = hy_count(T->F, y);
    each = (hy_array **)room(T, (size_t)n * sizeof *each);
    file = (const char **)room(T, (size_t)n * sizeof *file);
    name = file_names(T, &m, n);
    for (i = 0; each && i < n; i++) each[i] = n == 1 ? y : hy_get(T->F, y, i);
    if (hy_error(T->F)) return library_failed(T);
    if (out) code = save_outputs(T, out, name, each, n, file);
    if (!code) print_outputs(T, name, each, n, file, begun);
    return hy_error(T->F) && !code ? library_failed(T) : code;
}

/* MARK: - hybrid bench ------------------------------------------------------------------------------- */

typedef struct timing { int threads, compiled; int64_t calls; double least, median, p99, total; } timing;
typedef struct cost { const char *name, *what; double seconds, flops; int64_t calls; } cost;
typedef struct bench {
    timing  *at;
    int      n;
    cost    *cost;                      /* of the operators, the most expensive first */
    int      costs;
    int64_t  calls;                     /* that they were measured over */
    double   seconds;                   /* budget of each timing */
    int64_t  count;                     /* calls of each, 0: as many as the budget allows */
} bench;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double call_once(tool *T, hy_block *block, hy_array *x)
{
    double begun = hy_seconds();
    hy_begin(T->F);
    hy_call(T->F, block, x);
    hy_wait_all(T->F);
    hy_end(T->F);
    return hy_seconds() - begun;
}

/* Calls until the budget is spent; a tenth of it goes first, to warm up. */
static void measure(tool *T, const bench *b, hy_block *block, hy_array *x, timing *t)
{
    enum { MOST = 1 << 20 };
    int64_t most = b->count && b->count < MOST ? b->count : MOST;
    double *times = (double *)room(T, (size_t)most * sizeof *times), begun = hy_seconds(), share;
    char what[64];
    int i;
    snprintf(what, sizeof what, "%s, %d thread%s", t->compiled ? "hybridized" : "imperative", t->threads,
             t->threads > 1 ? "s" : "");
    for (i = 0; i < 2 || (!b->count && hy_seconds() - begun < b->seconds / 10); i++) {
        call_once(T, block, x);
        if (!times || hy_error(T->F)) return;
    }
    for (begun = hy_seconds(); t->calls < most && !hy_error(T->F); t->calls++) {
        share = b->count ? (double)t->calls / (double)most : (hy_seconds() - begun) / b->seconds;
        if (!b->count && share >= 1 && t->calls) break;
        progress(T, what, share);
        times[t->calls] = call_once(T, block, x);
        t->total += times[t->calls];
    }
    progress_clear(T);
    qsort(times, (size_t)t->calls, sizeof *times, by_value);
    t->least = times[0];
    t->median = times[t->calls / 2];
    t->p99 = times[(t->calls * 99 - 1) / 100];
}

/* --- time per operator --- */
static int cost_by_name(const void *a, const void *b)
{
    const cost *x = (const cost *)a, *y = (const cost *)b;
    int order = strcmp(x->name, y->name);
    return order ? order : strcmp(x->what, y->what);
}

static int cost_by_seconds(const void *a, const void *b)
{
    double x = ((const cost *)a)->seconds, y = ((const cost *)b)->seconds;
    return x < y ? 1 : x > y ? -1 : cost_by_name(a, b);
}

/* FLOPs of what ran, by the names of the nodes; of fused operators each counts. */
static void add_flops(bench *b, const analysis *a)
{
    const char *s;
    hy_node node;
    cost *c;
    double flops;
    int i;
    for (i = 0; !hy_graph_node(a->graph, i, &node); i++) {
        if (!node.op) continue;
        flops = flops_of(a, i);
        for (c = b->cost; c < b->cost + b->costs; c++) {
            if (strcmp(c->name, node.name) || strncmp(c->what, node.op->name, strlen(node.op->name)))
                continue;
            for (c->flops = flops, s = c->what; *s; s++) if (*s == ',') c->flops += flops;
        }
    }
}

/* Gathers the events of the profile into costs. */
static void gather_costs(tool *T, bench *b)
{
    hy_event e;
    int i, n = 0, k;
    while (!hy_profile_event(T->F, n, &e)) n++;
    b->cost = (cost *)room(T, (size_t)n * sizeof *b->cost);
    for (i = 0; b->cost && i < n; i++) {
        if (hy_profile_event(T->F, i, &e)) break;
        if (e.kind == HY_EVENT_CALL) b->calls++;
        if (e.kind != HY_EVENT_JOB || !e.call) continue;
        b->cost[b->costs].name = e.name;
        b->cost[b->costs].what = e.what;
        b->cost[b->costs].calls = 1;
        b->cost[b->costs++].seconds = e.seconds;
    }
    if (!b->costs) return;
    qsort(b->cost, (size_t)b->costs, sizeof *b->cost, cost_by_name);
    for (i = 1, k = 0; i < b->costs; i++) {
        if (cost_by_name(&b->cost[k], &b->cost[i])) { b->cost[++k] = b->cost[i]; continue; }
        b->cost[k].seconds += b->cost[i].seconds;
        b->cost[k].calls++;
    }
    b->costs = k + 1;
    qsort(b->cost, (size_t)b->costs, sizeof *b->cost, cost_by_seconds);
}

/* Some more calls, with the profile on. */
static int measure_operators(tool *T, bench *b, hy_block *block, hy_array *x)
{
    const char *file = option(T, "profile", 0);
    double begun = hy_seconds();
    hy_graph *graph;
    analysis a;
    int i, code;
    if (hy_profile(T->F, file ? file : "")) return library_failed(T);
    for (i = 0; i < 100 && (!i || hy_seconds() - begun < b->seconds / 2) && !hy_error(T->F); i++)
        call_once(T, block, x);
    if (hy_profile(T->F, NULL) || hy_error(T->F)) return library_failed(T);
    gather_costs(T, b);
    graph = hy_optimize(T->F, hy_graph_of(T->F, block), x, NULL);
    code = graph ? analysis_open(T, graph, &a) : library_failed(T);
    if (!code) add_flops(b, &a);
    hy_graph_free(T->F, graph);
    return code;
}

/* Both ways in a frame that has so many threads; operators too, if asked for. */
static int bench_frame(tool *T, bench *b, int operators)
{
    hy_init plain;
    hy_block *block = NULL;
    hy_array *x = NULL;
    analysis a;
    model m;
    int k, code = open_shaped(T, &m, &a);
    memset(&plain, 0, sizeof plain);
    if (!code) code = shaped_inputs(T, &m, 1);
    if (code) return code;
    block = make_block(T, &m, &plain, 0);
    if (block) x = group_inputs(T, &m);
    for (k = 0; k < 2 && !hy_error(T->F); k++) {
        timing *t = &b->at[b->n++];
        t->threads = hy_threads(T->F);
        t->compiled = k;
        if (k) hy_hybridize(T->F, block, NULL);
        measure(T, b, block, x, t);
    }
    if (hy_error(T->F)) return library_failed(T);
    return operators ? measure_operators(T, b, block, x) : FINE;
}

/* The i-th number of --threads 1,2,4; 0 behind the last, -1: there is none where one is due. */
static int64_t threads_at(const tool *T, int i)
{
    const char *text = option(T, "threads", 0);
    int64_t n;
    if (!text) return 0;
    for (;; text++) {
        if (read_whole(&text, &n) || n < 1 || n > 1024 || (*text && *text != ',')) return -1;
        if (i-- == 0) return n;
        if (!*text) return 0;
    }
}

static void bench_report(tool *T, const bench *b)
{
    static const column times[] = {
        TEXT("mode", ""), NUMBER("threads", "threads", "%.0f", 1), NUMBER("calls", "calls", "%.0f", 1),
        NUMBER("median", "median ms", "%.4f", 1e3), NUMBER("p99", "p99 ms", "%.4f", 1e3),
        NUMBER("min", "min ms", "%.4f", 1e3), NUMBER("calls_per_second", "calls/s", "%.1f", 1) };
    static const column operators[] = {
        TEXT("operator", "operator"), TEXT("node", "node"),
        NUMBER("seconds_per_call", "us per call", "%.1f", 1e6), NUMBER("share", "share", "%.1f%%", 100),
        NUMBER("flops_per_second", "GFLOP/s", "%.1f", 1e-9) };
    double all = 0;
    report r;
    int i;
    report_open(T, &r);
    if (T->json) json_text(&r.j, "model", T->word[0]);
    ROWS_OPEN(&r, "timings", times);
    for (i = 0; i < b->n; i++) {
        const timing *t = &b->at[i];
        cell_text(&r, t->compiled ? "hybridized" : "imperative");
        cell_number(&r, t->threads);
        cell_number(&r, (double)t->calls);
        cell_number(&r, t->median);
        cell_number(&r, t->p99);
        cell_number(&r, t->least);
        cell_number(&r, (double)t->calls / t->total);
    }
    rows_close(&r);
    if (!T->json) printf("\nhybridized, %d thread%s, %lld calls, operator by operator\n", b->at[0].threads,
                         b->at[0].threads > 1 ? "s" : "", (long long)b->calls);
    for (i = 0; i < b->costs; i++) all += b->cost[i].seconds;
    ROWS_OPEN(&r, "operators", operators);
    for (i = 0; i < b->costs; i++) {
        const cost *c = &b->cost[i];
        cell_text(&r, c->what);
        cell_text(&r, c->name);
        cell_number(&r, c->seconds / (double)b->calls);
        cell_number(&r, c->seconds / all);
        cell_number(&r, c->flops > 0 ? c->flops * (double)c->calls / c->seconds : HUGE_VAL);
    }
    rows_close(&r);
    report_close(&r);
}

static int run_bench(tool *T)
{
    const char *text = option(T, "seconds", 0);
    int64_t threads;
    hy_desc desc;
    bench b;
    char *end;
    int n = 0, i, code;
    memset(&b, 0, sizeof b);
    memset(&desc, 0, sizeof desc);
    b.seconds = text ? strtod(text, &end) : 2;
    if (text && (end == text || *end || !(b.seconds > 0 && b.seconds <= 3600)))
        return complain(T, MISUSED, "--seconds %s: a number above 0, up to 3600, is due here", text);
    code = option_whole(T, "count", 1, 1 << 20, &b.count);
    while (threads_at(T, n) > 0) n++;
    b.at = (timing *)room(T, (size_t)(2 * n + 2) * sizeof *b.at);
    if (!code) code = b.at ? bench_frame(T, &b, 1) : library_failed(T);
    for (i = 1; (threads = threads_at(T, i)) > 0 && !code; i++) {
        tool other = *T;
        desc.threads = (int)threads;
        other.F = hy_open(&desc);
        code = other.F ? bench_frame(&other, &b, 0) : complain(T, FAILED, "out of memory");
        hy_close(other.F);
    }
    if (code) return code;
    bench_report(T, &b);
    return FINE;
}

/* MARK: - hybrid check ------------------------------------------------------------------------------- */

static int run_check(tool *T)
{
    enum { ROOM = 1 << 16 };
    static const column columns[] = { TEXT("text", "") };
    report r;
    hy_init plain;
    hy_block *block = NULL;
    hy_array *x = NULL;
    analysis a;
    model m;
    char *text, *line;
    int found = -1, code = open_shaped(T, &m, &a);
    memset(&plain, 0, sizeof plain);
    if (!code) code = shaped_inputs(T, &m, 1);
    if (code) return code;
    block = make_block(T, &m, &plain, 0);
    if (block) x = group_inputs(T, &m);
    text = (char *)room(T, ROOM);
    progress(T, "running line by line, as a graph and as a program ...", -1);
    if (x && text) found = hy_check_text(T->F, block, x, text, ROOM);
    progress_clear(T);
    if (found < 0) return library_failed(T);
    report_open(T, &r);
    if (T->json) json_text(&r.j, "model", m.name);
    if (T->json) json_number(&r.j, "differences", found);
    ROWS_OPEN(&r, "lines", columns);
    for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) cell_text(&r, line);
    rows_close(&r);
    report_close(&r);
    if (!T->json) printf("%s: %d difference%s\n", m.name, found, found == 1 ? "" : "s");
    return found ? FAILED : FINE;
}

/* MARK: - hybrid convert ----------------------------------------------------------------------------- */

typedef enum target { TO_ARRAYS, TO_SYMBOL, TO_PAIR, TO_SINGLE, TO_NOTHING } target;

/* What B is to become, from --to or from its name. */
static target target_of(tool *T, const char *b)
{
    static const char *const names[] = { "values", "symbol", "pair", "single" };
    const char *to = option(T, "to", 0), *dot = strrchr(b, '.'), *slash = strrchr(b, '/');
    int i;
    for (i = 0; to && i < 4; i++) if (!strcmp(to, names[i])) return (target)i;
    if (to) return TO_NOTHING;
    if (is_arrays_file(b)) return TO_ARRAYS;
    if (ends_in(b, "-symbol.json")) return TO_PAIR;
    if (ends_in(b, ".json")) return TO_SYMBOL;
    if (!dot || (slash && dot < slash) || !dot[1 + strspn(dot + 1, "0123456789")]) return TO_PAIR;
    return TO_SINGLE;
}

static void tell(const char *file)
{
    char text[64];
    printf("%s: %s bytes\n", file, grouped(file_bytes(file), text));
}

/* Arrays without names get those that NumPy gives. */
static int convert_arrays(tool *T, model *m, const char *b)
{
    hy_arrays all = m->arrays;
    const char **name;
    int i;
    if (!m->params) return complain(T, FAILED, "%s has no values: give --params FILE or --epoch N", m->name);
    if (!all.name && !ends_in(b, ".params")) {
        name = (const char **)room(T, (size_t)all.n * sizeof *name);
        for (i = 0; name && i < all.n; i++) name[i] = text_of(T, "arr_%d", i);
        all.name = name;
    }
    progress(T, "writing ...", -1);
    if (hy_error(T->F) || hy_save(T->F, b, all)) return library_failed(T);
    progress_clear(T);
    tell(b);
    return FINE;
}

static int convert_model(tool *T, model *m, const char *b, target to)
{
    int64_t epoch = 0;
    const char *prefix = to != TO_PAIR ? NULL : ends_in(b, "-symbol.json") ? prefix_of(T, b) : b;
    const char *symbol = prefix ? text_of(T, "%s-symbol.json", prefix) : b;
    hy_block *block;
    int code = option_whole(T, "epoch", 0, 999999999, &epoch);
    if (code) return code;
    if (to == TO_SYMBOL || (to == TO_PAIR && !m->params)) {
        if (!symbol || hy_save_symbol(T->F, m->graph, symbol)) return library_failed(T);
        tell(symbol);
        return FINE;
    }
    if (!m->params)
        return complain(T, FAILED, "%s has no values, which a single file holds too: give --params FILE or "
                        "--epoch N", m->name);
    block = make_block(T, m, NULL, 0);
    progress(T, "writing ...", -1);
    if (block && to == TO_PAIR) hy_export(T->F, block, prefix, (int)epoch);
    if (block && to == TO_SINGLE) hy_save_model(T->F, block, b);
    if (hy_error(T->F)) return library_failed(T);
    progress_clear(T);
    tell(symbol);
    if (to == TO_PAIR) tell(params_name(T, prefix, epoch));
    return FINE;
}

static int run_convert(tool *T)
{
    const char *b = T->word[1];
    target to = target_of(T, b);
    model m;
    int code = find_model(T, T->word[0], &m);
    if (code) return code;
    if (to == TO_NOTHING)
        return complain(T, MISUSED, "--to %s: values, symbol, pair or single is due", option(T, "to", 0));
    if (m.kind == FILE_ARRAYS && to != TO_ARRAYS)
        return complain(T, FAILED, "%s holds values only, which go to .params, .npy, .npz or .safetensors",
                        m.name);
    code = load_model(T, &m);
    if (code) return code;
    return to == TO_ARRAYS ? convert_arrays(T, &m, b) : convert_model(T, &m, b, to);
}

/* MARK: - the command line --------------------------------------------------------------------------- */

typedef struct command {
    const char *name, *words;           /* what stands behind it */
    int         least, most;            /* words */
    const char *brief, *help;
    int       (*run)(tool *T);
} command;

#define MODEL_HELP \
    "MODEL is what stands before -symbol.json and -0000.params, the -symbol.json itself, or a single\n" \
    "file of hy_save_model."

static const command commands[] = {
    { "ops", "[NAME]", 0, 1, "lists the operators, or tells all about one",
      "Lists the operators; with a name (ours, MXNet's or an older one) its inputs, outputs and\n"
      "attributes with types, defaults and what they mean.", run_ops },
    { "show", "MODEL", 1, 1, "its layers, parameters, FLOPs and memory; arrays of a file",
      MODEL_HELP " Of .params, .npy, .npz and .safetensors the arrays are listed.\n\n"
      "FLOPs: a multiplication with its addition counts as 2 (convolution, deconvolution,\n"
      "fully_connected, dot, batch_dot, linalg_gemm2, rnn; a bias is where the sum begins). Pooling and\n"
      "reductions count 1 per element that they read, other operators 1 per element that they give, those\n"
      "that only move elements nothing. Memory is what a hybridized call plans for.", run_show },
    { "graph", "MODEL --out FILE", 1, 1, "draws a model, as SVG or for Graphviz",
      MODEL_HELP " FILE ends in .svg or .dot.", run_graph },
    { "run", "MODEL --input NAME=WHAT ...", 1, 1, "runs a model on arrays from files",
      MODEL_HELP "\n\nWHAT is a file: x.npy, any other with one array, or FILE:ARRAY for one of several. Or\n"
      "random:1,3,64,64 (uniform from 0 to 1; a seed may follow: random:1,3,64,64:7), zeros:1,3,64,64,\n"
      "ones:1,3,64,64. FILE of --output ends in .npz, .params or .safetensors (.npy for one output); any\n"
      "other name is a folder, made if need be, with one .npy for each output.", run_run },
    { "bench", "MODEL --shape NAME=SIZES ...", 1, 1, "times a model, line by line and hybridized",
      MODEL_HELP " Parameters without values get random ones.\n\n"
      "Operators are timed in calls of their own, hybridized, with the first number of --threads.",
      run_bench },
    { "check", "MODEL --shape NAME=SIZES ...", 1, 1, "does the compiled model compute what it says?",
      MODEL_HELP " Parameters without values get random ones.\n"
      "Ends with 1 if there are differences.", run_check },
    { "convert", "A B", 2, 2, "brings models and arrays from one form to another",
      "A is a model (as in the other commands) or a file of arrays. The name of B says what to write:\n"
      "  x.params x.npy x.npz x.safetensors   the values\n"
      "  x-symbol.json, or x without ending   x-symbol.json and x-0000.params\n"
      "  x.json                               the program alone, as MXNet 1.x writes it\n"
      "  x.anything                           a single file", run_convert },
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* value: what follows; NULL: nothing; "[=X]": it may follow behind = only. */
typedef struct known_option { const char *commands, *name, *value; int many; const char *help; } known_option;
#define WITH_MODEL "show|graph|run|bench|check|convert"
static const known_option options[] = {
    { "show|graph|bench|check", "shape", "NAME=1,3,64,64", 1, "the shape of an input; again for each" },
    { "run", "input", "NAME=WHAT", 1, "the value of an input; again for each" },
    { "run", "output", "FILE", 0, "where outputs go; without it only a summary is printed" },
    { "graph", "out", "FILE", 0, "the drawing: .svg or .dot" },
    { "graph", "passes", NULL, 0, "the graph as it runs, after the passes; shapes must be known" },
    { "graph", "parameters", NULL, 0, "draw parameters too" },
    { WITH_MODEL, "params", "FILE", 0, "the values, if they are not beside the program" },
    { WITH_MODEL, "epoch", "N", 0, "the number in MODEL-000N.params; 0" },
    { "run", "random-params", "[=SEED]", 0, "draw values for parameters that have none" },
    { WITH_MODEL, "ignore-extra", NULL, 0, "values of parameters that it lacks are no error" },
    { "run", "imperative", NULL, 0, "line by line instead of hybridized" },
    { "run", "threads", "N", 0, "at most so many; one per core" },
    { "bench", "threads", "N,N,...", 0, "time with each of these; one per core" },
    { "bench", "seconds", "S", 0, "for each timing; 2" },
    { "bench", "count", "N", 0, "calls of each timing, instead of seconds" },
    { "run|bench", "profile", "FILE", 0, "write a trace for chrome://tracing and ui.perfetto.dev" },
    { "convert", "to", "KIND", 0, "values, symbol, pair or single, whatever the name of B" },
    { "ops|show|run|bench|check", "json", NULL, 0, "print JSON" },
    { "ops|show|graph|run|bench|check|convert", "help", NULL, 0, "print this" },
};
enum { OPTIONS = sizeof options / sizeof *options };

static const command *command_named(const char *name)
{
    int i;
    for (i = 0; i < COMMANDS; i++) if (!strcmp(commands[i].name, name)) return &commands[i];
    return NULL;
}

static void print_help(const command *c)
{
    char text[64];
    int i;
    if (c) {
        printf("usage: hybrid %s %s [options]\n\n%s\n\noptions\n", c->name, c->words, c->help);
        for (i = 0; i < OPTIONS; i++) {
            const char *value = options[i].value;
            if (!is_one_of(options[i].commands, c->name)) continue;
            snprintf(text, sizeof text, "--%s%s%s", options[i].name, !value || *value == '[' ? "" : " ",
                     value ? value : "");
            printf("  %-24s %s\n", text, options[i].help);
        }
        return;
    }
    printf("usage: hybrid COMMAND ...\n\n"
           "Looks at, draws, runs, times, checks and converts models of hybrid.h and MXNet.\n\n");
    for (i = 0; i < COMMANDS; i++)
        printf("  %-8s %-30s %s\n", commands[i].name, commands[i].words, commands[i].brief);
    printf("  %-8s %-30s %s\n\n", "help", "COMMAND", "tells all about a command; so does COMMAND --help");
    printf("Ends with 0 when all went well, with 1 when something failed or differs, with 2 when it was\n"
           "called in a wrong way. Results go to stdout, messages to stderr. This is version %s.\n",
           hy_version());
}

static const known_option *option_named(const char *command_name, const char *name, size_t n)
{
    int i;
    for (i = 0; i < OPTIONS; i++)
        if (strlen(options[i].name) == n && !strncmp(options[i].name, name, n) &&
            is_one_of(options[i].commands, command_name)) return &options[i];
    return NULL;
}

static int unknown_option(tool *T, const command *c, const char *word)
{
    nearest near = { NULL, NULL, 0 };
    char name[128], dashed[64], hint[256];
    int i;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    near.word = name + strspn(name, "-");
    for (i = 0; i < OPTIONS; i++)
        if (is_one_of(options[i].commands, c->name)) nearest_try(&near, options[i].name);
    if (near.best) {
        snprintf(dashed, sizeof dashed, "--%s", near.best);
        near.best = dashed;
    }
    return complain(T, MISUSED, "%s has no option %s%s (hybrid help %s)", c->name, name,
                    nearest_hint(&near, hint, sizeof hint), c->name);
}

/* One option, at argv[*i], which moves to its value if that is a word of its own. */
static int read_option(tool *T, const command *c, int argc, char **argv, int *i)
{
    const char *word = argv[*i] + 2;
    size_t n = strcspn(word, "=");
    const known_option *o = strncmp(argv[*i], "--", 2) ? NULL : option_named(c->name, word, n);
    setting *s = &T->set[T->sets];
    if (!strcmp(argv[*i], "-h")) o = option_named(c->name, "help", 4);
    if (!o) return unknown_option(T, c, argv[*i]);
    s->name = o->name;
    s->value = word[n] == '=' ? word + n + 1 : "";
    if (!o->value && word[n] == '=') return complain(T, MISUSED, "--%s takes no value", o->name);
    if (o->value && *o->value != '[' && word[n] != '=') {
        if (*i + 1 == argc) return complain(T, MISUSED, "--%s %s: the value is missing", o->name, o->value);
        s->value = argv[++*i];
    }
    if (!o->many && option(T, o->name, 0)) return complain(T, MISUSED, "--%s is given twice", o->name);
    T->sets++;
    return FINE;
}

static int read_words(tool *T, const command *c, int argc, char **argv)
{
    int i, plain = 0, code = FINE;
    for (i = 2; i < argc && !code; i++) {
        if (!plain && !strcmp(argv[i], "--")) plain = 1;
        else if (!plain && argv[i][0] == '-' && argv[i][1]) code = read_option(T, c, argc, argv, &i);
        else T->word[T->words++] = argv[i];
    }
    if (code || option(T, "help", 0)) return code;
    if (T->words < c->least)
        return complain(T, MISUSED, "hybrid %s %s: a word is missing (hybrid help %s)", c->name, c->words,
                        c->name);
    if (T->words > c->most)
        return complain(T, MISUSED, "hybrid %s %s: '%s' is too much (hybrid help %s)", c->name, c->words,
                        T->word[c->most], c->name);
    return FINE;
}

/* The command, in a frame. */
static int run_command(tool *T, const command *c)
{
    hy_desc desc;
    int64_t threads = threads_at(T, 0);
    int code, n = 0;
    while (threads_at(T, n) > 0) n++;
    if (threads_at(T, n) < 0 || (n > 1 && strcmp(c->name, "bench")))
        return complain(T, MISUSED, "--threads %s: %s from 1 to 1024 due here", option(T, "threads", 0),
                        strcmp(c->name, "bench") ? "a number is" : "numbers with commas between are");
    memset(&desc, 0, sizeof desc);
    desc.threads = (int)threads;
    desc.log_fn = library_warns;
    desc.log_user = T;
    T->json = option(T, "json", 0) != NULL;
    T->F = hy_open(&desc);
    if (!T->F) return complain(T, FAILED, "out of memory");
    code = c->run(T);
    progress_clear(T);
    hy_close(T->F);
    return code;
}

/* Is everything printed? A reader that went away has had enough. */
static int finish(tool *T, int code)
{
    errno = 0;
    if (fflush(stdout) && errno != EPIPE) return complain(T, FAILED, "stdout: %s", strerror(errno));
    return code;
}

static int dispatch(tool *T, int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    const command *c = command_named(name);
    nearest near = { NULL, NULL, 0 };
    char hint[256];
    int i, code;
    if (!strcmp(name, "--version")) {
        printf("hybrid %s\n", hy_version());
        return FINE;
    }
    if (is_one_of("help|--help|-h", name) && argc < 3) {
        print_help(NULL);
        return FINE;
    }
    if (!strcmp(name, "help")) c = command_named(name = argv[2]);
    if (c && !strcmp(argv[1], "help")) {
        print_help(c);
        return FINE;
    }
    if (!c) {
        near.word = name;
        for (i = 0; i < COMMANDS; i++) nearest_try(&near, commands[i].name);
        return complain(T, MISUSED, *name ? "there is no command %s%s (hybrid help)"
                        : "%s%swhat is to be done? hybrid help lists the commands", name,
                        nearest_hint(&near, hint, sizeof hint));
    }
    code = read_words(T, c, argc, argv);
    if (code || !option(T, "help", 0)) return code ? code : run_command(T, c);
    print_help(c);
    return FINE;
}

int main(int argc, char **argv)
{
    tool T;
    int code;
    memset(&T, 0, sizeof T);
#ifdef SIGPIPE
    signal(SIGPIPE, SIG_IGN);           /* a pipe that closes must not cut short what is being saved */
#endif
    T.lively = on_terminal(stderr);
    T.word = (const char **)calloc((size_t)argc + 1, sizeof *T.word);
    T.set = (setting *)calloc((size_t)argc + 1, sizeof *T.set);
    code = T.word && T.set ? dispatch(&T, argc, argv) : complain(&T, FAILED, "out of memory");
    code = finish(&T, code);
    free((void *)T.word);
    free(T.set);
    return code;
}
