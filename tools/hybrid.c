/* cc -O2 tools/hybrid.c -o hybrid -lm -lpthread
 *
 * The command-line tool of hybrid.h: looks at, draws, runs, times, checks and converts models. `hybrid help`
 * tells how. Results go to stdout, everything else to stderr. What it knows of models it asks through the
 * public calls of the header, so that each command is also an example of them.
 */
#define HYBRID_IMPLEMENTATION
#define HYBRID_SOURCE
#include "../hybrid.h"
#define HYBRID_ONNX_IMPLEMENTATION
#include "onnx.h"
#include "layered.h"
#include "prototype.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef _WIN32
#include <direct.h>
#include <io.h>
#define stderr_is_terminal() _isatty(2)
#define make_folder(name) _mkdir(name)
#define is_folder(mode)   (((mode) & _S_IFMT) == _S_IFDIR)
#define is_plain_file(mode) (((mode) & _S_IFMT) == _S_IFREG)
#else
#include <unistd.h>
#define stderr_is_terminal() isatty(2)
#define make_folder(name) mkdir(name, 0777)
#define is_folder(mode)   S_ISDIR(mode)
#define is_plain_file(mode) S_ISREG(mode)
#endif
#ifdef __GNUC__
#define LIKE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define LIKE_PRINTF(text, first)
#endif

enum { FINE, FAILED, MISUSED };         /* what the program ends with */
enum { MOST_THREADS = 32 };             /* numbers behind --threads */

/* --name value; "" without a value. about: which input, of --shape, --input and --value. */
typedef struct setting { const char *name, *value, *about; } setting;

typedef struct tool {
    hy_frame    *F;
    hy_frame    *first;                 /* while F is another */
    const char  *program, *command;
    const char **word;                  /* what is no option */
    setting     *set;
    char        *spare;                 /* room that F has left, and how much */
    size_t       left;
    int          words, sets, json;
    int          lively;                /* progress is shown: stderr is a terminal */
    double       share, begun;          /* of the bar: how far it is, and since when there is one */
    int          quiet;                 /* warnings of the library are not */
    int          extra;                 /* values that a part of a network lacks are no error */
    int          late;                  /* FAILED: something did, yet there is more to report */
    double       shown;                 /* when progress was; 0: nothing is to be erased */
    int          pictures;              /* that inputs were made of */
    hy_arrays    samples;               /* of quantize: what --samples names, ... */
    int64_t      count, batch;          /* ... how many there are, and how many go through at a time */
    setting     *told;                  /* name, value: layers, and why they stay f32, or NULL */
    int          tells;
    int          thread[MOST_THREADS], threads;         /* what --threads says */
} tool;

/* MARK: - messages, and the end -------------------------------------------------------------------------
 *
 * What fails ends the program then and there. All memory is the frame's, and files are written aside and
 * renamed, so that nothing has to be tidied up on the way.
 */

/* Names come from files of strangers: what steers terminals, turns or breaks lines becomes question marks. In
 * UTF-8 that is also U+0080 to U+009F, U+202A to U+202E, U+2066 to U+2069. */
static char *cleaned(char *text)
{
    unsigned char *s;
    for (s = (unsigned char *)text; *s; s++) {
        if (*s < ' ' || *s == 127) *s = '?';
        if (*s == 0xc2 && s[1] >= 0x80 && s[1] < 0xa0) s[0] = s[1] = '?';
        if (*s == 0xe2 && ((s[1] == 0x80 && s[2] >= 0xaa && s[2] <= 0xae) ||
                           (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9))) s[0] = s[1] = s[2] = '?';
    }
    return text;
}

static void progress_clear(tool *T)
{
    if (T->shown > 0) fprintf(stderr, "\r%79s\r", "");
    T->shown = 0;
}

/* A bar with the time left while share goes from 0 to 1; below 0 there is only the word. Not more than ten times a
 * second. */
static void progress(tool *T, const char *what, double share)
{
    static const char full[] = "####################", empty[] = "....................";
    double now = hy_seconds(), left;
    int n = share < 1 ? (int)(20 * share) : 20;
    char text[40] = "";
    if (share < T->share || T->begun <= 0) T->begun = now;     /* something else begins */
    T->share = share;
    left = share > 0 ? (now - T->begun) * (1 - share) / share : 0;
    if (!T->lively || (T->shown > 0 && now - T->shown < 0.1)) return;
    if (share > 0 && left < 3600) snprintf(text, sizeof text, "%d:%02d left", (int)left / 60, (int)left % 60);
    if (share > 0 && left >= 3600) snprintf(text, sizeof text, "%.0f h left", left / 3600);
    if (share < 0) fprintf(stderr, "\r%-79.79s", what);
    else fprintf(stderr, "\r%-30.30s [%.*s%.*s] %3.0f%% %-18s", what, n, full, 20 - n, empty, 100 * share, text);
    fflush(stderr);
    T->shown = now;
}

static void say(tool *T, const char *format, va_list args)
{
    char text[2048];
    vsnprintf(text, sizeof text, format, args);
    progress_clear(T);
    fflush(stdout);
    fprintf(stderr, "hybrid: %s\n", cleaned(text));
}

LIKE_PRINTF(2, 3) static void note(tool *T, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(T, format, args);
    va_end(args);
}

/* A reader of stdout that went away has had enough; a full disk is an error. */
static void end(tool *T, int code)
{
    progress_clear(T);
    if (!code) code = T->late;
    errno = 0;
    if (fflush(stdout) && errno != EPIPE && !code) {
        note(T, "stdout: %s", strerror(errno));
        code = FAILED;
    }
    hy_close(T->F);
    hy_close(T->first);
    free((void *)T->word);
    free(T->set);
    exit(code);
}

LIKE_PRINTF(3, 4) static void fail(tool *T, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(T, format, args);
    va_end(args);
    end(T, code);
}

/* A signal that comes while a file is being written waits for its end, or what was written aside would stay
 * there; one that comes at other times ends the program at once. */
static volatile sig_atomic_t signal_that_waits;
static void let_signal_wait(int number)
{
    signal(number, let_signal_wait);    /* System V takes handlers off */
    signal_that_waits = number;
}

static void writing(tool *T, int begins)
{
    static const int numbers[] = {
        SIGINT, SIGTERM,
#ifdef SIGHUP
        SIGHUP
#endif
    };
    static void (*before[3])(int);
    int i;
    for (i = 0; i < (int)(sizeof numbers / sizeof *numbers); i++) {
        if (!begins) signal(numbers[i], before[i]);
        else if ((before[i] = signal(numbers[i], let_signal_wait)) == SIG_IGN) signal(numbers[i], SIG_IGN);
    }
    if (begins || !signal_that_waits) return;
    note(T, "interrupted; no file is left half written");
    raise((int)signal_that_waits);
    end(T, FAILED);
}

/* Ends if a file of that name cannot be made: better now than when all the work is done. */
static void check_writable(tool *T, const char *name)
{
    struct stat info;
    int there = !stat(name, &info);
    FILE *f;
    if (there && !is_plain_file(info.st_mode) && !is_folder(info.st_mode)) return;      /* a stream */
    f = fopen(name, "ab");
    if (!f) fail(T, FAILED, "%s: the file cannot be made: %s", name, strerror(errno));
    fclose(f);
    if (!there) remove(name);
}

/* Which of "one|other" a word is, or -1. */
static int which_of(const char *words, const char *word)
{
    size_t n = strlen(word), k;
    int i;
    for (i = 0; words; words = words[k] ? words + k + 1 : NULL, i++) {
        k = strcspn(words, "|");
        if (k == n && !strncmp(words, word, n)) return i;
    }
    return -1;
}

/* Ends if the library has an error; says what options of this tool it may be about. */
static void check(tool *T)
{
    static const struct { const char *text, *commands, *hint; } hints[] = {
        { "allow_missing", "run", " (here: --random-params draws their values)" },
        { "allow_missing", "convert", " (here: --inputs names those that are inputs)" },
        { "ignore_extra", "show|graph|run|bench|check|convert|compile", " (here: --ignore-extra)" },
        { "which variables are inputs", "convert", " (here: --inputs names them)" },
        { "which variables are inputs", "run", " (here: --input names them)" },
        { "which variables are inputs", "show|graph|bench|check|compile",
          " (here: --shape or --input names them)" },
        { "is no C identifier", "compile", " (here: --prefix)" } };
    const char *text = hy_error(T->F), *hint = "";
    int i;
    if (!text) return;
    for (i = 0; i < (int)(sizeof hints / sizeof *hints); i++)
        if (strstr(text, hints[i].text) && which_of(hints[i].commands, T->command) >= 0) hint = hints[i].hint;
    fail(T, FAILED, "%s%s", text, hint);
}

static void library_warns(void *user, int level, int code, const char *text)
{
    tool *T = (tool *)user;
    (void)code;
    if (level == HY_LOG_WARNING && !T->quiet) note(T, "warning: %s", text);
}

static hy_frame *open_frame(tool *T, int threads)
{
    hy_desc desc;
    hy_frame *F;
    memset(&desc, 0, sizeof desc);
    desc.threads = threads;
    desc.log_fn = library_warns;
    desc.log_user = T;
    F = hy_open(&desc);
    if (!F) fail(T, FAILED, "out of memory");
    T->left = 0;
    return F;
}

/* MARK: - text --------------------------------------------------------------------------------------- */

/* Memory from the frame, cleared; it goes with the frame. Small pieces are cut out of large ones. */
static void *room(tool *T, size_t n, size_t size)
{
    enum { LARGE = 1 << 16 };
    size_t bytes = !size || n < SIZE_MAX / 4 / size ? (n * size + 16) / 16 * 16 : SIZE_MAX / 4;
    size_t some = bytes > LARGE / 4 ? bytes : LARGE;
    char *at = T->spare;
    if (bytes > T->left) {
        at = (char *)hy_write(T->F, hy_empty(T->F, HY_SHAPE((int64_t)some), HY_U8));
        if (!at) fail(T, FAILED, "%s", hy_error(T->F) ? hy_error(T->F) : "out of memory");
        memset(at, 0, some);
        if (some == bytes) return at;
        T->left = some;
    }
    T->spare = at + bytes;
    T->left -= bytes;
    return at;
}
#define ROOM(T, type, n) ((type *)room(T, (size_t)(n), sizeof(type)))

LIKE_PRINTF(2, 3) static char *text_of(tool *T, const char *format, ...)
{
    va_list args;
    char *text;
    int n;
    va_start(args, format);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    text = ROOM(T, char, n > 0 ? n : 0);
    va_start(args, format);
    vsnprintf(text, (size_t)(n > 0 ? n : 0) + 1, format, args);
    va_end(args);
    return text;
}

static int ends_in(const char *text, const char *ending)
{
    size_t n = strlen(text), k = strlen(ending);
    return n > k && !strcmp(text + n - k, ending);
}

/* "a, b, c, ...": the i-th of a list that grows; a long one is cut. */
static char *listed(tool *T, int i, char *list, const char *more)
{
    return i > 8 ? list : text_of(T, "%s%s%s", i ? list : "", i ? ", " : "", i < 8 ? more : "...");
}

static char *shape_text(tool *T, hy_shape shape)
{
    char text[HY_MAX_DIM * 24], *at = text;
    int i;
    for (i = 0; i < shape.ndim; i++)
        at += shape.dim[i] < 0 ? sprintf(at, ",?") : sprintf(at, ",%lld", (long long)shape.dim[i]);
    *at = 0;
    if (shape.ndim < 0) return text_of(T, "?");
    return text_of(T, "(%s%s)", text + (at > text), shape.ndim == 1 ? "," : "");
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

static const char *dtype_text(hy_dtype dtype) { return dtype ? hy_dtype_name(dtype) : ""; }

/* 12345678 as 12,345,678. */
static char *grouped(tool *T, double n)
{
    char digits[64], text[96];
    int i, k = 0, chars = sprintf(digits, "%.0f", n < 1e40 ? n : 1e40);
    for (i = 0; i < chars; i++) {
        if (i && (chars - i) % 3 == 0) text[k++] = ',';
        text[k++] = digits[i];
    }
    return text_of(T, "%.*s", k, text);
}

/* 1234567 as "1.23 M", 12 as "12"; in steps of 1024 as "1.18 MiB". */
static char *scaled(tool *T, double n, double step, const char *unit)
{
    const char *letter = step > 1000 ? " KMGTPE" : " kMGTPE";
    int i = 0;
    for (; n >= 999.5 && i < 6; i++) n /= step;
    return text_of(T, "%.*f%s%.*s%s%s", !i || n >= 99.95 ? 0 : n >= 9.995 ? 1 : 2, n, i || *unit ? " " : "",
                   i > 0, letter + i, i && step > 1000 ? "i" : "", unit);
}

static char *bytes_text(tool *T, size_t n) { return scaled(T, (double)n, 1024, "B"); }

/* --- the nearest of some words --- */
typedef struct nearest { const char *word, *best; int least; } nearest;

/* How many letters have to be changed, added or taken away. */
static int letters_apart(const char *a, const char *b)
{
    int row[65], i, k, left, corner, n = (int)strlen(a), m = (int)strlen(b);
    if (n > 64 || m > 64) return 65;
    for (i = 0; i <= n; i++) row[i] = i;
    for (k = 1; k <= m; k++)
        for (corner = row[0]++, i = 1; i <= n; i++) {
            left = corner + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[k - 1]));
            corner = row[i];
            row[i] = corner + 1 < left ? corner + 1 : left;
            if (row[i - 1] + 1 < row[i]) row[i] = row[i - 1] + 1;
        }
    return row[n];
}

static void nearest_try(nearest *near, const char *candidate)
{
    size_t n = strlen(near->word);
    int apart = n > 2 && strstr(candidate, near->word) ? 1 : letters_apart(near->word, candidate);
    if (apart > 1 + (int)n / 4 || 2 * apart > (int)strlen(candidate)) return;
    if (near->best && apart >= near->least) return;
    near->best = candidate;
    near->least = apart;
}

/* ": did you mean X?", or nothing. */
static const char *hint_of(tool *T, const nearest *near, const char *before)
{
    return near->best ? text_of(T, ": did you mean %s%s?", before, near->best) : "";
}

/* MARK: - reports: the same rows as a table or as JSON ----------------------------------------------------
 *
 * Rows have the cells of the columns, in order. In a table numbers stand on the right and what is not known
 * is blank; in JSON a row is an object, and what is not known is null.
 */
typedef struct column {
    const char *key, *head;             /* in JSON, in tables; NULL: not there */
    const char *format;                 /* of a number in tables, "," groups digits; NULL: it is a text */
    double      scale;                  /* of a number in tables */
} column;
#define TEXT(key, head) { key, head, NULL, 0 }
#define NUMBER(key, head, format, scale) { key, head, format, scale }

typedef struct report {
    tool         *T;
    int           depth, more;          /* of brackets in JSON; something stands before, in this one */
    const column *columns;
    int           n, next;              /* columns; which is due */
    char        **cell;
    int           cells, room;
} report;

/* --- JSON: two levels are laid out line by line, what is deeper stays on its line --- */

/* Bytes of the UTF-8 letter at s, 0 if it is none. */
static int utf8_bytes(const unsigned char *s)
{
    static const struct { unsigned char from, to, low, high; } lead[] = {       /* and of the byte behind */
        { 0xc2, 0xdf, 0x80, 0xbf }, { 0xe0, 0xe0, 0xa0, 0xbf }, { 0xe1, 0xec, 0x80, 0xbf },
        { 0xed, 0xed, 0x80, 0x9f }, { 0xee, 0xef, 0x80, 0xbf }, { 0xf0, 0xf0, 0x90, 0xbf },
        { 0xf1, 0xf3, 0x80, 0xbf }, { 0xf4, 0xf4, 0x80, 0x8f } };
    int i, k, n;
    if (*s < 0x80) return 1;
    for (i = 0; i < 8 && (*s < lead[i].from || *s > lead[i].to); i++) continue;
    if (i == 8 || s[1] < lead[i].low || s[1] > lead[i].high) return 0;
    n = *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : 4;
    for (k = 2; k < n; k++) if ((s[k] & 0xc0) != 0x80) return 0;
    return n;
}

static void json_quote(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    int n;
    for (putchar('"'); *s; s += n ? n : 1) {
        n = utf8_bytes(s);
        if (!n) fputs("\\ufffd", stdout);
        else if (*s == '"' || *s == '\\') printf("\\%c", *s);
        else if (*s < ' ') printf("\\u%04x", *s);
        else fwrite(s, 1, (size_t)n, stdout);
    }
    putchar('"');
}

static void json_next(report *r, const char *key)
{
    if (r->more) putchar(',');
    if (r->depth == 1 || r->depth == 2) printf("\n%*s", 2 * r->depth, "");
    else if (r->more) putchar(' ');
    r->more = 1;
    if (!key) return;
    json_quote(key);
    fputs(": ", stdout);
}

static void json_open(report *r, const char *key, int bracket)
{
    json_next(r, key);
    putchar(bracket);
    r->depth++;
    r->more = 0;
}

static void json_close(report *r, int bracket)
{
    r->depth--;
    if (r->more && r->depth < 2) printf("\n%*s", 2 * r->depth, "");
    putchar(bracket);
    r->more = 1;
    if (!r->depth) putchar('\n');
}

/* Facts beside the rows, in JSON only. */
static void json_raw(report *r, const char *key, const char *text)
{
    if (!r->T->json) return;
    json_next(r, key);
    fputs(text, stdout);
}

static void json_text(report *r, const char *key, const char *text)
{
    json_raw(r, key, text ? "" : "null");
    if (text && r->T->json) json_quote(text);
}

static void json_number(report *r, const char *key, double v)
{
    char text[64];
    snprintf(text, sizeof text, fabs(v) < 9e15 && v == floor(v) ? "%.0f" : "%.9g", v);
    json_raw(r, key, v - v == 0 ? text : "null");       /* JSON has no infinities */
}

/* --- rows --- */
static void report_open(tool *T, report *r)
{
    memset(r, 0, sizeof *r);
    r->T = T;
    if (T->json) json_open(r, NULL, '{');
}

static void report_close(report *r) { if (r->T->json) json_close(r, '}'); }

static void put_cell(report *r, const char *text)
{
    char **more;
    if (r->cells == r->room) {
        r->room = 2 * r->room + 64;
        more = ROOM(r->T, char *, r->room);
        if (r->cells) memcpy(more, r->cell, (size_t)r->cells * sizeof *more);
        r->cell = more;
    }
    r->cell[r->cells++] = cleaned(text_of(r->T, "%s", text));
}

static void rows_open(report *r, const char *key, const column *columns, int n)
{
    int i;
    r->columns = columns;
    r->n = n;
    r->next = r->cells = 0;
    if (r->T->json) json_open(r, key, '[');
    for (i = 0; i < n && !r->T->json; i++) if (columns[i].head) put_cell(r, columns[i].head);
}
#define ROWS_OPEN(r, key, columns) rows_open(r, key, columns, (int)(sizeof columns / sizeof *columns))

/* The cell that is due, given both ways; a row begins and ends by itself. ndim of shape -2: it is none. */
static void put(report *r, const char *text, double number, const hy_shape *shape)
{
    const column *c = &r->columns[r->next];
    int i;
    if (r->T->json && !r->next) json_open(r, NULL, '{');
    if (!r->T->json && c->head) put_cell(r, text ? text : "");
    else if (r->T->json && c->key && shape && shape->ndim >= 0) {
        json_open(r, c->key, '[');
        for (i = 0; i < shape->ndim; i++)
            json_number(r, NULL, shape->dim[i] < 0 ? HUGE_VAL : (double)shape->dim[i]);
        json_close(r, ']');
    } else if (r->T->json && c->key && c->format) json_number(r, c->key, number);
    else if (r->T->json && c->key) json_text(r, c->key, shape ? NULL : text);
    if (++r->next < r->n) return;
    r->next = 0;
    if (r->T->json) json_close(r, '}');
}

static void cell_text(report *r, const char *text) { put(r, text, 0, NULL); }
static void cell_shape(report *r, hy_shape shape) { put(r, shape_text(r->T, shape), 0, &shape); }

static void cell_number(report *r, double v)
{
    const column *c = &r->columns[r->next];
    char text[64] = "";
    if (v - v == 0 && *c->format != ',') snprintf(text, sizeof text, c->format, v * c->scale);
    put(r, v - v == 0 && *c->format == ',' ? grouped(r->T, v) : text, v, NULL);
}

static int letters(const char *text)    /* bytes of UTF-8 that do not begin a letter have no width */
{
    int n = 0;
    for (; *text; text++) n += (*text & 0xc0) != 0x80;
    return n;
}

/* Prints the table, now that its widths are known. Columns without a word under the heading are left out, so
 * is a heading without one, and blanks at the ends of lines. */
static void rows_close(report *r)
{
    const column *shown[16];
    int width[16] = { 0 }, used[16] = { 0 }, titled = 0, n = 0, i, k, pad;
    if (r->T->json) { json_close(r, ']'); return; }
    for (i = 0; i < r->n; i++) if (r->columns[i].head) shown[n++] = &r->columns[i];
    for (i = 0; i < r->cells; i++) {
        if (letters(r->cell[i]) > width[i % n]) width[i % n] = letters(r->cell[i]);
        used[i % n] |= *r->cell[i] && (i >= n || r->cells == n);
        titled |= *r->cell[i] && i < n;
    }
    for (i = titled ? 0 : n; i < r->cells; i += n) {
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

/* A whole number at *text, which moves behind it. 0, or nonzero. */
static int read_whole(const char **text, int64_t *v)
{
    char *behind;
    if (!isdigit((unsigned char)**text)) return -1;
    errno = 0;
    *v = strtoll(*text, &behind, 10);
    *text = behind;
    return errno;
}

/* A number among the options, or what it is without. */
static int64_t option_whole(tool *T, const char *name, int64_t least, int64_t most, int64_t missing)
{
    const char *given = option(T, name, 0), *text = given;
    int64_t v = missing;
    if (given && (read_whole(&text, &v) || *text || v < least || v > most))
        fail(T, MISUSED, "--%s %s: a whole number from %lld to %lld is due here", name, given,
             (long long)least, (long long)most);
    return v;
}

/* "1,3,224,224", up to a `:` or the end; of ? the size stays open: -1. 0, or nonzero. */
static int read_dims(const char **text, hy_shape *shape)
{
    shape->ndim = 0;
    if (!**text || **text == ':') return 0;
    for (;;) {
        if (shape->ndim == HY_MAX_DIM) return -1;
        if (**text == '?') { shape->dim[shape->ndim++] = -1; ++*text; }
        else if (read_whole(text, &shape->dim[shape->ndim++])) return -1;
        if (!**text || **text == ':') return 0;
        if (*(*text)++ != ',') return -1;
    }
}

/* MARK: - models ------------------------------------------------------------------------------------- */

typedef enum file_kind { FILE_NONE, FILE_FOLDER, FILE_SYMBOL, FILE_MODEL, FILE_ARRAYS, FILE_ONNX } file_kind;
typedef struct named { const char *name; hy_array *x; } named;
/* from: behind --input NAME= (how: or --value), or NULL. */
typedef struct input { const char *name, *how, *from; int node, number; hy_type type; hy_array *x; } input;

typedef struct model {
    const char *name;                   /* as the user calls it */
    const char *symbol, *params;        /* files; params: NULL, or where values are */
    file_kind   kind;                   /* of symbol; FILE_ARRAYS: there is no program, only params */
    hy_graph   *graph;
    hy_arrays   arrays;
    named      *index;                  /* the arrays in the order of their bare names */
    input      *input;                  /* as a call takes them */
    int         inputs, *place;         /* place: by node, which input it is, or -1 */
    hy_block   *whole;                  /* of an ONNX file: all of it, ... */
    input      *outer;                  /* ... what it takes, ... */
    int         outers;
    hy_block   *part;                   /* ... the first part of it, whose graph that is, ... */
    const char **output;                /* ... and its outputs, ... */
    const char *late;                   /* ... and the first node behind that, or "" */
} model;

static file_kind kind_of_file(tool *T, const char *name)
{
    struct stat info;
    char head[64] = { 0 };
    FILE *f;
    if (stat(name, &info)) return FILE_NONE;
    if (is_folder(info.st_mode)) return FILE_FOLDER;
    f = fopen(name, "rb");
    if (!f) fail(T, FAILED, "%s cannot be read: %s", name, strerror(errno));
    head[fread(head, 1, sizeof head - 1, f)] = 0;
    fclose(f);
    if (ends_in(name, ".onnx")) return FILE_ONNX;
    if (head[strspn(head, " \t\r\n")] == '{') return FILE_SYMBOL;
    /* Single files are zips that begin with the program. */
    if (memcmp(head, "PK\3\4", 4) || strncmp(head + 30, "model-symbol.json", 17)) return FILE_ARRAYS;
    return FILE_MODEL;
}

static int file_there(tool *T, const char *name) { return kind_of_file(T, name) > FILE_FOLDER; }

static double file_bytes(const char *name)
{
    struct stat info;
    return stat(name, &info) ? 0 : (double)info.st_size;
}

/* "prefix" of "prefix-symbol.json"; NULL if that is not its name. */
static char *prefix_of(tool *T, const char *symbol)
{
    return ends_in(symbol, "-symbol.json") ? text_of(T, "%.*s", (int)(strlen(symbol) - 12), symbol) : NULL;
}

static char *params_name(tool *T, const char *prefix)
{
    return text_of(T, "%s-%04d.params", prefix, (int)option_whole(T, "epoch", 0, 999999999, 0));
}

/* Which files are meant by a word of the command line. */
static void find_model(tool *T, const char *word, model *m)
{
    const char *prefix = word, *params = option(T, "params", 0);
    memset(m, 0, sizeof *m);
    m->name = m->symbol = word;
    m->kind = kind_of_file(T, word);
    if (m->kind <= FILE_FOLDER || (m->kind == FILE_ARRAYS && file_there(T, text_of(T, "%s-symbol.json", word)))) {
        m->symbol = text_of(T, "%s-symbol.json", word);
        if (!file_there(T, m->symbol))
            fail(T, FAILED, m->kind ? "%s is a folder: name a file in it, or what precedes -symbol.json"
                 : "there is neither a file %s nor %s-symbol.json", word, word);
        m->kind = FILE_SYMBOL;
    } else prefix = prefix_of(T, word);
    if (m->kind != FILE_SYMBOL && params)
        fail(T, MISUSED, "--params goes with a program alone, and %s has values", word);
    m->params = m->kind == FILE_SYMBOL ? params : word;
    if (m->params || !prefix) return;
    params = params_name(T, prefix);
    if (option(T, "epoch", 0) || file_there(T, params)) m->params = params;
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
    const named *found = NULL;
    key.name = name;
    if (m->index) found = (const named *)bsearch(&key, m->index, (size_t)m->arrays.n, sizeof key, by_name);
    return found ? found->x : NULL;
}

static hy_arrays load_arrays(tool *T, const char *file)
{
    hy_arrays a;
    if (file_bytes(file) > 16e6)
        progress(T, text_of(T, "reading %s of values ...", scaled(T, file_bytes(file), 1024, "B")), -1);
    a = hy_load(T->F, file);
    progress_clear(T);
    check(T);
    return a;
}

/* --- what options say of inputs --- */
/* What --shape, --input or --value says of an input, behind "NAME=", or NULL. */
static const char *said_of(const tool *T, const char *which, const char *name)
{
    const setting *s;
    for (s = T->set; s < T->set + T->sets; s++)
        if (s->about && !strcmp(s->name, which) && !strcmp(s->about, name))
            return s->value + strlen(name) + 1;
    return NULL;
}

/* The names that options may say something of: inputs of an ONNX file, else variables of the graph. */
static const char *known_name(const model *m, int i)
{
    const char *name = NULL;
    if (!m->whole) return hy_graph_name(m->graph, HY_NAMES_VARIABLES, i);
    return hy_onnx_input(m->whole, i, &name, NULL) ? NULL : name;
}

/* The one that a text begins with, up to some `=`; NULL: there is none. Names may hold a `=` too: the longest
 * is meant. */
static const char *name_in(const model *m, const char *text)
{
    const char *name, *longest = NULL;
    size_t n;
    int i;
    for (i = 0; (name = known_name(m, i)) != NULL; i++) {
        n = strlen(name);
        if (!strncmp(text, name, n) && text[n] == '=' && (!longest || n > strlen(longest))) longest = name;
    }
    return longest;
}

/* Every option of that name says something of an input, and once. */
static void check_names(tool *T, const model *m, const char *which)
{
    const char *known;
    setting *s;
    int k;
    for (s = T->set; s < T->set + T->sets; s++) if (!strcmp(s->name, which)) s->about = NULL;
    for (s = T->set; s < T->set + T->sets; s++) {
        const char *name, *about;
        nearest near = { NULL, NULL, 0 };
        if (strcmp(s->name, which)) continue;
        about = name_in(m, s->value);
        near.word = name = text_of(T, "%.*s", (int)strcspn(s->value, "="), s->value);
        if (!about && (!*name || !strchr(s->value, '=')))
            fail(T, MISUSED, "--%s %s: an input and = stand first, as in data=%s", which, s->value,
                 strcmp(which, "shape") ? "x.npy" : "1,3,224,224");
        for (k = 0; !about && (known = known_name(m, k)) != NULL; k++)
            if (!value_of(m, known)) nearest_try(&near, known);
        if (!about) {
            char *list = NULL;
            int n = 0;
            for (k = 0; (known = known_name(m, k)) != NULL; k++)
                if (!value_of(m, known)) list = listed(T, n++, list, known);
            fail(T, MISUSED, "%s has no input %s%s%s%s", m->name, name, hint_of(T, &near, ""),
                 list ? "; it has " : "", list ? list : "");
        }
        if (said_of(T, which, about)) fail(T, MISUSED, "--%s %s is given twice", which, about);
        s->about = about;
    }
}

/* All of it, of one input; its type is what is known so far. --value is another word for --input. */
static void read_settings(tool *T, input *in)
{
    const char *shape = said_of(T, "shape", in->name), *text = shape, *value = said_of(T, "value", in->name);
    in->how = value ? "value" : "input";
    in->from = said_of(T, "input", in->name);
    if (in->from && value)
        fail(T, MISUSED, "--value %s and --input %s: one of them is due", in->name, in->name);
    if (!in->from) in->from = value;
    if (text && (read_dims(&text, &in->type.shape) || *text))
        fail(T, MISUSED, "--shape %s=%s: up to %d sizes are due, as in 1,3,224,224", in->name, shape,
             (int)HY_MAX_DIM);
    if (shape && strchr(shape, '?') && strcmp(T->command, "show"))
        fail(T, MISUSED, "--shape %s=%s: %s needs the number: hybrid show leaves sizes open", in->name, shape,
             T->command);
}

/* Sizes that an input may have, as options take them: "1,3,64,64" for (?,3,?,?). */
static const char *sizes_like(tool *T, hy_shape shape)
{
    char *text;
    int i;
    if (shape.ndim < 0) return "1,3,64,64";
    for (i = 0; i < shape.ndim; i++)
        if (shape.dim[i] < 0) shape.dim[i] = !i ? 1 : i == 1 && shape.ndim == 4 ? 3 : 64;
    text = shape_text(T, shape);
    return text_of(T, "%.*s", (int)strcspn(text + 1, shape.ndim == 1 ? "," : ")"), text + 1);
}

/* An input made of "random:1,3,64,64:7", "zeros:...", "ones:..."; NULL if text begins with none of these. */
static hy_array *make_input(tool *T, const input *in, int number)
{
    const char *text = strchr(in->from, ':');
    char *word = text_of(T, "%.*s", text ? (int)(text - in->from) : 0, in->from);
    int kind = which_of("random|zeros|ones", word);
    hy_shape shape;
    int64_t seed = number;
    if (!text && which_of("random|zeros|ones", in->from) >= 0 && !file_there(T, in->from))
        fail(T, MISUSED, "--%s %s=%s: sizes are due behind it, as in %s:%s", in->how, in->name, in->from,
             in->from, sizes_like(T, in->type.shape));
    if (kind < 0) return NULL;
    text++;
    if (read_dims(&text, &shape) || strchr(in->from, '?') || (*text == ':' && (kind || (text++, read_whole(&text, &seed)))) || *text)
        fail(T, MISUSED, "--%s %s=%s: sizes are due, as in %s:1,3,64,64%s", in->how, in->name, in->from, word,
             kind ? "" : " or random:1,3,64,64:SEED");
    hy_seed(T->F, (uint64_t)seed);
    return kind == 0 ? hy_uniform(T->F, shape, 0, 1) : hy_full(T->F, shape, kind - 1);
}

/* The shape of n numbers that are written out for an input: its own where they fill it, else one line. Of sizes
 * that are open the last takes what there is, and others are 1. */
static hy_shape listed_shape(hy_shape own, int n)
{
    int64_t known = 1;
    int i, open = -1;
    if (own.ndim < 2) return own.ndim || n > 1 ? HY_SHAPE(n) : HY_SCALAR;
    for (i = 0; i < own.ndim; i++) {
        if (own.dim[i] > n || own.dim[i] == 0) return HY_SHAPE(n);
        if (own.dim[i] < 0) { own.dim[i] = 1; open = i; }
        known *= own.dim[i];
    }
    if (open >= 0 && n % known == 0) { own.dim[open] = n / known; known = n; }
    return known == n ? own : HY_SHAPE(n);
}

/* An input that is written out: "16000", "1,3,8,8"; NULL: it is no list of numbers. */
static hy_array *listed_input(tool *T, const input *in)
{
    double v[64];
    const char *at = in->from;
    char *behind;
    int n = 0;
    for (;; at = behind + 1) {
        v[n++] = strtod(at, &behind);
        if (behind == at || *behind != ',' || n == 64) break;
    }
    if (behind == at || *behind || file_there(T, in->from)) return NULL;
    return hy_from(T->F, listed_shape(in->type.shape, n), HY_F64, v);
}

/* An input from a file: x.npy, or x.npz:name where there are several arrays. */
static hy_array *read_input(tool *T, const input *in)
{
    const char *file = in->from, *colon = strrchr(file, ':');
    hy_array *x;
    hy_arrays a;
    if (file_there(T, file)) colon = NULL;
    a = load_arrays(T, colon ? text_of(T, "%.*s", (int)(colon - file), file) : file);
    if (!colon && a.n != 1)
        fail(T, MISUSED, "--%s %s=%s: there are %d arrays in it: choose one with :NAME behind", in->how,
             in->name, in->from, a.n);
    x = colon ? hy_array_named(T->F, a, colon + 1) : a.at[0];
    check(T);
    if (!x) fail(T, FAILED, "--%s %s=%s: it has no value", in->how, in->name, in->from);
    return x;
}

/* --- pictures: PPM (P6) and PGM (P5) --- */
typedef struct picture { int64_t width, height, most; int channels; const unsigned char *at; } picture;

/* A number of a header; comments stand between them. -1: there is none. */
static int64_t picture_number(FILE *f)
{
    int64_t v = -1;
    int c = getc(f);
    while (isspace(c) || c == '#') {
        if (c == '#') while (c != '\n' && c != EOF) c = getc(f);
        c = getc(f);
    }
    for (; isdigit(c) && v < 1 << 24; c = getc(f)) v = (v < 0 ? 0 : 10 * v) + c - '0';
    return isspace(c) ? v : -1;         /* one blank goes with it */
}

static picture read_picture(tool *T, const char *file)
{
    picture p;
    unsigned char *at;
    size_t bytes;
    int kind, more;
    FILE *f = fopen(file, "rb");
    if (!f) fail(T, FAILED, "%s cannot be read: %s", file, strerror(errno));
    getc(f);
    kind = getc(f);
    if (kind != '5' && kind != '6') fail(T, FAILED, "%s is a P%c: P6 and P5 are read, with bytes", file, kind);
    p.channels = kind == '6' ? 3 : 1;
    p.width = picture_number(f);
    p.height = picture_number(f);
    p.most = picture_number(f);
    if (p.width < 1 || p.height < 1 || p.width > 1 << 20 || p.height > 1 << 20 || p.most < 1 || p.most > 65535)
        fail(T, FAILED, "%s: its header is damaged: width, height and the largest value are due", file);
    bytes = (size_t)(p.width * p.height * p.channels * (p.most > 255 ? 2 : 1));
    if ((double)bytes > file_bytes(file)) fail(T, FAILED, "%s is cut short", file);
    at = ROOM(T, unsigned char, bytes);
    if (fread(at, 1, bytes, f) < bytes) fail(T, FAILED, "%s is cut short", file);
    more = getc(f) != EOF;
    fclose(f);
    if (more) note(T, "note: %s goes on behind its first picture, which is taken", file);
    p.at = at;
    return p;
}

/* Does it begin as one? Kinds that people have and that are not read are said. */
static int is_picture(tool *T, const input *in)
{
    const char *dot = strrchr(in->from, '.');
    char head[4] = "";
    FILE *f = file_there(T, in->from) ? fopen(in->from, "rb") : NULL;
    if (!f) return 0;
    head[fread(head, 1, 3, f)] = 0;
    fclose(f);
    if (dot && which_of("png|jpg|jpeg|bmp|gif|webp|PNG|JPG|JPEG", dot + 1) >= 0)
        fail(T, MISUSED, "--%s %s=%s: pictures are read as .ppm and .pgm (P6, P5)", in->how, in->name, in->from);
    return head[0] == 'P' && head[1] >= '1' && head[1] <= '6' && (isspace((unsigned char)head[2]) || head[2] == '#');
}

/* --mean or --std, one number for all channels or one for each. The text of it, or NULL. */
static const char *channel_numbers(tool *T, const char *name, int channels, double *to)
{
    const char *text = option(T, name, 0), *at = text;
    char *behind;
    int n = 0;
    for (; at; at = *behind ? behind + 1 : NULL) {
        double v = strtod(at, &behind);
        if (behind == at || (*behind && *behind != ',') || n == channels || v - v != 0)
            fail(T, MISUSED, "--%s %s: a number is due, or %d of them, one for each channel", name, text, channels);
        to[n++] = v;
    }
    if (n && n < channels && n > 1)
        fail(T, MISUSED, "--%s %s: a number is due, or %d of them, one for each channel", name, text, channels);
    for (; n == 1 && n < channels; n++) to[n] = to[0];
    for (n = 0; n < channels && text && !strcmp(name, "std"); n++)
        if (to[n] == 0) fail(T, MISUSED, "--std %s: nothing is divided by 0", text);
    return text;
}

/* What becomes of the picture's numbers: (v / divide - mean) / std, as far as options say so. In words. */
static const char *picture_scale(tool *T, const input *in, int channels, double *divide, double *mean,
                                 double *std)
{
    const char *by = option(T, "divide", 0), *less, *over, *text = "v";
    char *behind = NULL;
    int k;
    for (k = 0; k < 3; k++) { mean[k] = 0; std[k] = 1; }
    *divide = by ? strtod(by, &behind) : 1;
    if (by && (*behind || behind == by || !(*divide > 0 && *divide - *divide == 0)))
        fail(T, MISUSED, "--divide %s: a number above 0 is due, as in 255", by);
    less = channel_numbers(T, "mean", channels, mean);
    over = channel_numbers(T, "std", channels, std);
    if ((by || less || over) && in->type.dtype && in->type.dtype > HY_BF16)
        fail(T, MISUSED, "--divide, --mean and --std make numbers with fractions, and %s is %s", in->name,
             dtype_text(in->type.dtype));
    if (by) text = text_of(T, "v / %s", by);
    if (less) text = text_of(T, "%s - (%s)", text, less);
    if (over) text = text_of(T, less ? "(%s) / (%s)" : "%s / (%s)", text, over);
    return by || less || over ? text : NULL;
}

/* Where channels, height and width stand in the shape that is asked for: {1,2,3} of (1,3,H,W). With sizes at
 * both places channels come first, as they do where nothing is known. 0: it asks for no picture. */
static int picture_axes(tool *T, const input *in, int channels, int axis[3])
{
    const char *layout = option(T, "layout", 0);
    const hy_shape *s = &in->type.shape;
    int n = s->ndim < 0 ? 4 : s->ndim, last, first = n - 3;
    if (layout && which_of("CHW|HWC", layout) < 0) fail(T, MISUSED, "--layout %s: CHW or HWC is due", layout);
    axis[0] = -1;
    axis[1] = 0;
    axis[2] = 1;
    if (n == 2) return channels == 1;
    if (n != 3 && n != 4) return 0;
    last = s->ndim >= 0 && s->dim[n - 1] == channels && s->dim[first] != channels;
    if (layout) last = *layout == 'H';
    axis[0] = last ? n - 1 : first;
    axis[1] = first + !last;
    axis[2] = axis[1] + 1;
    return 1;
}

/* The picture in the shape that the input asks for, (1,3,H,W) where that is open. */
static hy_array *picture_input(tool *T, const input *in)
{
    picture p = read_picture(T, in->from);
    double divide, mean[3], std[3];
    const char *how = picture_scale(T, in, p.channels, &divide, mean, std);
    hy_shape s = in->type.shape;
    int64_t i, n = p.width * p.height, at, step[HY_MAX_DIM] = { 0 };
    float *v = ROOM(T, float, n * p.channels);
    int axis[3], k, fits = picture_axes(T, in, p.channels, axis), ndim = s.ndim < 0 ? 4 : s.ndim;
    if (!fits) s.ndim = 0;
    else for (s.ndim = ndim, k = 0; k < ndim; k++)
        s.dim[k] = k == axis[0] ? p.channels : k == axis[1] ? p.height : k == axis[2] ? p.width : 1;
    for (k = 0; fits && in->type.shape.ndim >= 0 && k < ndim; k++)
        fits = in->type.shape.dim[k] < 0 || in->type.shape.dim[k] == s.dim[k];
    if (!fits)
        fail(T, MISUSED, "--%s %s=%s: the picture is %lld wide and %lld high, with %d channel%s; %s takes %s",
             in->how, in->name, in->from, (long long)p.width, (long long)p.height, p.channels,
             p.channels > 1 ? "s" : "", in->name, shape_text(T, in->type.shape));
    for (k = ndim - 1, at = 1; k >= 0; at *= s.dim[k--]) step[k] = at;
    for (i = 0; i < n * p.channels; i++) {
        const int c = (int)(i % p.channels);
        const int64_t y = i / p.channels / p.width, x = i / p.channels % p.width;
        const double of = p.most > 255 ? 256 * p.at[2 * i] + p.at[2 * i + 1] : p.at[i];
        at = (axis[0] < 0 ? 0 : c * step[axis[0]]) + y * step[axis[1]] + x * step[axis[2]];
        v[at] = (float)((of / divide - mean[c]) / std[c]);
    }
    note(T, "note: %s: %s, %lld wide, %lld high, as %s %s, %s", in->name, in->from, (long long)p.width,
         (long long)p.height, shape_text(T, s), dtype_text(in->type.dtype ? in->type.dtype : HY_F32),
         how ? how : text_of(T, "its values (0 to %lld) as they are: --divide, --mean and --std scale them",
                             (long long)p.most));
    T->pictures++;
    return hy_from(T->F, s, HY_F32, v);
}

/* What is said of pictures where no input is one. */
static const char *picture_option(const tool *T)
{
    static const char *const names[] = { "divide", "mean", "std", "layout" };
    int i;
    for (i = 0; i < 4; i++) if (option(T, names[i], 0) && !T->pictures) return names[i];
    return NULL;
}
static void check_pictures(tool *T)
{
    if (picture_option(T))
        fail(T, MISUSED, "--%s goes with pictures, and no input is one: --%s", picture_option(T),
             option(T, "samples", 0) ? "samples x.ppm" : "input NAME=x.ppm");
}

/* In the type that is wanted. */
static hy_array *cast(tool *T, hy_array *x, hy_dtype wanted)
{
    check(T);
    return wanted && hy_dtype_of(T->F, x) != wanted ? hy_cast(T->F, x, wanted) : x;
}

static hy_type type_of(tool *T, hy_array *x)
{
    hy_type type = { HY_DTYPE_NONE, { -1, { 0 } } };
    if (x) type.dtype = hy_dtype_of(T->F, x);
    if (x) type.shape = hy_shape_of(T->F, x);
    return type;
}

/* --- samples, of quantize --- */
/* Is the k-th of --samples a picture, or random? Then it is made when the input's sizes are known. */
static int samples_are_made(tool *T, int k)
{
    input one;
    memset(&one, 0, sizeof one);
    one.name = "NAME";
    one.how = "samples";
    one.from = option(T, "samples", k);
    return (!strncmp(one.from, "random", 6) && strchr(":", one.from[6]) && !file_there(T, one.from)) ||
           is_picture(T, &one);
}
static void open_samples(tool *T)
{
    const char *file = option(T, "samples", 0), *colon = strrchr(file, ':');
    hy_array **one = ROOM(T, hy_array *, 1);
    int k;
    for (k = 1; option(T, "samples", k); k++)
        if (!samples_are_made(T, 0) || !samples_are_made(T, k))
            fail(T, MISUSED, "--samples is given twice: only pictures and random:N add up");
    if (samples_are_made(T, 0)) return;
    if (file_there(T, file)) colon = NULL;
    T->samples = load_arrays(T, colon ? text_of(T, "%.*s", (int)(colon - file), file) : file);
    if (!colon) return;
    *one = hy_array_named(T->F, T->samples, colon + 1);
    check(T);
    T->samples.n = 1;
    T->samples.at = one;
    T->samples.name = NULL;
}

/* What stands behind random: as sizes: of N, so many samples of the input's. */
static const char *random_samples(tool *T, const input *in, const char *text)
{
    const char *at = text + strcspn(text, ":") + 1, *behind = at;
    hy_shape shape = in->type.shape;
    int64_t n = 0;
    char *sizes;
    int d;
    if (!text[6] || read_whole(&behind, &n) || n < 1)
        fail(T, MISUSED, "--samples %s: how many, as in random:16, or their sizes are due", text);
    if (*behind == ',') return text;
    sizes = text_of(T, "%lld", (long long)n);
    for (d = 1; d < shape.ndim; d++) sizes = text_of(T, "%s,%lld", sizes, (long long)shape.dim[d]);
    if (shape.ndim < 0 || strchr(sizes, '-'))
        fail(T, MISUSED, "--samples %s: the sizes of %s are open, %s: --shape %s=%s says them", text, in->name,
             shape_text(T, shape), in->name, sizes_like(T, shape));
    return text_of(T, "random:%s%s", sizes, behind);
}

/* Samples of an input that are made: a picture is one. */
static void make_samples(tool *T, const input *in, int number)
{
    hy_arrays *all = &T->samples;
    hy_array **part, **at = ROOM(T, hy_array *, all->n + 1);
    const char *text, **name = ROOM(T, const char *, all->n + 1);
    int k, n = 0;
    while (option(T, "samples", n)) n++;
    part = ROOM(T, hy_array *, n);
    for (k = 0; k < n; k++) {
        input one = *in;
        text = option(T, "samples", k);
        one.how = "samples";
        one.from = strncmp(text, "random", 6) || file_there(T, text) ? text : random_samples(T, in, text);
        if (one.type.shape.ndim == 4) one.type.shape.dim[0] = -1;
        part[k] = make_input(T, &one, number + 16 * k);
        if (!part[k]) part[k] = picture_input(T, &one);
        check(T);
    }
    for (k = 0; k < all->n; k++) {
        at[k] = all->at[k];
        name[k] = all->name[k];
    }
    at[k] = n > 1 ? hy_concat(T->F, hy_group_of(T->F, n, part), 0) : part[0];
    name[k] = in->name;
    all->at = at;
    all->name = name;
    all->n++;
    check(T);
}

/* Those of an input: the array of its name, or the only one there is. */
static hy_array *samples_of(tool *T, const input *in, int number)
{
    const hy_arrays *all = &T->samples;
    char *list = NULL;
    int i;
    for (i = 0; i < all->n && all->name; i++) if (!strcmp(bare(all->name[i]), in->name)) return all->at[i];
    if (all->n == 1 && !number) return all->at[0];
    for (i = 0; i < all->n && all->name; i++) list = listed(T, i, list, all->name[i]);
    fail(T, MISUSED, "--samples %s: no array is called %s%s%s%s", option(T, "samples", 0), in->name,
         list ? "; there are " : "", list ? list : "",
         number ? " (each input has an array, named as it)"
         : " (choose one with :NAME behind, where the network has one input)");
    return NULL;
}

/* The largest number up to `most` that divides n. */
static int64_t divisor_of(int64_t n, int64_t most)
{
    while (most > 1 && n % most) most--;
    return most;
}

/* Samples from `first` on, as many as go through at a time. */
static hy_array *some_samples(tool *T, hy_array *x, int64_t first)
{
    return hy_view_slice(T->F, x, 0, first, first + T->batch, 1);
}

/* How many there are is the same for all inputs; the first batch of them stands for the input. */
static void take_samples(tool *T, input *in, int number)
{
    const char *file = option(T, "samples", 0);
    hy_array *x;
    int64_t n;
    if (samples_are_made(T, 0)) make_samples(T, in, number);
    x = samples_of(T, in, number);
    n = hy_ndim(T->F, x) ? hy_dim(T->F, x, 0) : 0;
    if (n < 1) fail(T, MISUSED, "--samples %s: %s has no samples: their axis is the first", file, in->name);
    if (T->count && n != T->count)
        fail(T, MISUSED, "--samples %s: %lld samples of %s, of another input %lld", file, (long long)n,
             in->name, (long long)T->count);
    T->count = n;
    if (!T->batch && in->type.shape.ndim > 0 && in->type.shape.dim[0] > 0) T->batch = in->type.shape.dim[0];
    if (option(T, "batch", 0)) T->batch = option_whole(T, "batch", 1, INT_MAX, 0);
    if (!T->batch) T->batch = divisor_of(n, 16);
    if (T->batch > n)
        fail(T, MISUSED, "--samples %s: %lld samples of %s; the network takes %lld at a time", file,
             (long long)n, in->name, (long long)T->batch);
    in->how = "samples";
    in->x = some_samples(T, x, 0);
    check(T);
    if (in->type.dtype && hy_dtype_of(T->F, in->x) != in->type.dtype)
        note(T, "note: %s is %s, the model wants %s: cast", in->name, dtype_text(hy_dtype_of(T->F, in->x)),
             dtype_text(in->type.dtype));
    in->x = cast(T, in->x, in->type.dtype);
    in->type = type_of(T, in->x);
}

/* The value of an input of which options say one; what --shape says beside it has to be so. */
static void take_input(tool *T, input *in, int number)
{
    hy_dtype wanted = in->type.dtype, given;
    hy_shape said = in->type.shape;
    int i, told = said_of(T, "shape", in->name) != NULL, made;
    if (option(T, "samples", 0) && !in->x) take_samples(T, in, number);
    if (!in->from || in->x) return;
    if (!*in->from)
        fail(T, MISUSED, strcmp(in->how, "value") ? "--input %s=: a file is due, or random:1,3,64,64"
             : "--value %s=: a number is due, or several, or a file", in->name);
    in->x = make_input(T, in, number);
    if (!in->x && (in->x = listed_input(T, in)) != NULL && in->type.shape.ndim < 0)
        note(T, "note: %s: as %s, as the model declares no shape: --shape %s=1,%lld says another", in->name,
             shape_text(T, hy_shape_of(T->F, in->x)), in->name, (long long)hy_size(T->F, in->x));
    if (!in->x && is_picture(T, in)) in->x = picture_input(T, in);
    made = in->x != NULL;
    check(T);
    if (!made) in->x = read_input(T, in);
    given = hy_dtype_of(T->F, in->x);
    if (!made && wanted && given != wanted)
        note(T, "note: %s is %s, the model wants %s: cast", in->name, dtype_text(given), dtype_text(wanted));
    in->x = cast(T, in->x, wanted ? wanted : made ? HY_F32 : given);
    in->type = type_of(T, in->x);
    for (i = 0; told && i < said.ndim; i++)
        told = said.ndim == in->type.shape.ndim && said.dim[i] == in->type.shape.dim[i];
    if (said_of(T, "shape", in->name) && (!told || said.ndim != in->type.shape.ndim))
        fail(T, MISUSED, "--shape %s=%s: what --%s gives is %s", in->name, said_of(T, "shape", in->name),
             in->how, shape_text(T, in->type.shape));
}

/* --- ONNX files --- */
static int is_command(const tool *T, const char *words) { return which_of(words, T->command) >= 0; }

/* What is given has to be as the file declares it, unless --shape says that another shape is meant. */
static void check_declared(tool *T, const input *in, hy_shape declared)
{
    hy_shape given = in->type.shape;
    int i;
    if (!in->x || declared.ndim < 0) return;
    for (i = 0; i < declared.ndim && given.ndim == declared.ndim; i++)
        if (declared.dim[i] >= 0 && declared.dim[i] != given.dim[i]) break;
    if (given.ndim != declared.ndim || i < declared.ndim)
        fail(T, MISUSED, "--%s %s: its shape is %s, of the file's input %s (--shape %s=... says that it is "
             "meant)", in->how, in->name, shape_text(T, given), shape_text(T, declared), in->name);
}

enum { MOST_SIZE = 1 << 30 };

/* What --size says of a name; NULL: nothing. */
static const char *size_said(const tool *T, const char *name, size_t n)
{
    const setting *s;
    for (s = T->set; s < T->set + T->sets; s++)
        if (!strcmp(s->name, "size") && !strncmp(s->value, name, n) && s->value[n] == '=') return s->value + n + 1;
    return NULL;
}

/* A size by the file's name for it, which may be a sum of products of others, "past + 1". -1: not all is said. */
static int64_t size_named(tool *T, const char *name)
{
    const char *said = size_said(T, name, strlen(name));
    int64_t sum = 0, term = 1, v = 0, sign = 1;
    if (said) return read_whole(&said, &v) ? -1 : v;
    for (;;) {
        name += strspn(name, " ");
        if (read_whole(&name, &v)) {
            const size_t n = strcspn(name, " ()+*-");
            said = n ? size_said(T, name, n) : NULL;
            if (!said || read_whole(&said, &v)) return -1;
            name += n;
        }
        if (v > MOST_SIZE || term * v > MOST_SIZE) return -1;
        term *= v;
        name += strspn(name, " ");
        if (*name == '*') { name++; continue; }
        sum += sign * term;
        if (!*name) return sum < 0 ? -1 : sum;
        if (*name != '+' && *name != '-') return -1;
        sign = *name++ == '+' ? 1 : -1;
        term = 1;
    }
}

/* Is it that name, or a word in it? */
static int size_in(const char *name, const char *word, size_t n)
{
    size_t k;
    if (strlen(name) == n && !strncmp(name, word, n)) return 1;
    for (; *name; name += k ? k : 1) {
        k = strcspn(name, " ,()+*-");
        if (k == n && !strncmp(name, word, n)) return 1;
    }
    return 0;
}

/* Sizes that the file names and leaves open become what --size says. Each option says one that there is. */
static void take_sizes(tool *T, const model *m)
{
    const setting *s, *other;
    int i, k, met, names = 0;
    char *list = NULL;
    for (i = 0; i < m->outers; i++)
        for (k = 0; k < m->outer[i].type.shape.ndim; k++) {
            const char *name = hy_onnx_size_name(m->whole, i, k);
            int64_t *dim = &m->outer[i].type.shape.dim[k];
            if (!*name || *dim >= 0) continue;
            if (!list || !size_in(list, name, strlen(name))) list = listed(T, names++, list, name);
            *dim = size_named(T, name);
        }
    for (s = T->set; s < T->set + T->sets; s++) {
        const char *equals = strchr(s->value, '='), *number = equals ? equals + 1 : "";
        int64_t v;
        if (strcmp(s->name, "size")) continue;
        if (!equals || read_whole(&number, &v) || *number || v > MOST_SIZE)
            fail(T, MISUSED, "--size %s: a name, = and a number are due, as in batch=4", s->value);
        for (other = T->set; other < s; other++)
            if (!strcmp(other->name, "size") && !strncmp(other->value, s->value, (size_t)(equals + 1 - s->value)))
                fail(T, MISUSED, "--size %.*s is given twice", (int)(equals - s->value), s->value);
        for (met = i = 0; i < m->outers; i++)
            for (k = 0; k < m->outer[i].type.shape.ndim; k++)
                met |= size_in(hy_onnx_size_name(m->whole, i, k), s->value, (size_t)(equals - s->value));
        if (!met)
            fail(T, MISUSED, "--size %s: %s has no such size%s%s", s->value, m->name, list ? "; it has " : "",
                 list ? list : "");
    }
}

/* The file as a block, and what options say of its inputs. */
static void open_onnx(tool *T, model *m)
{
    hy_shape declared;
    int i, n = 0;
    m->whole = hy_onnx_load(T->F, m->symbol);
    check(T);
    while (!hy_onnx_input(m->whole, n, NULL, NULL)) n++;
    m->outers = n;
    m->outer = ROOM(T, input, n);
    check_names(T, m, "shape");
    check_names(T, m, "input");
    check_names(T, m, "value");
    for (i = 0; i < n; i++) hy_onnx_input(m->whole, i, &m->outer[i].name, &m->outer[i].type);
    take_sizes(T, m);
    for (i = 0; i < n; i++) {
        input *in = &m->outer[i];
        declared = in->type.shape;
        read_settings(T, in);
        take_input(T, in, i);
        if (said_of(T, "shape", in->name)) hy_onnx_set_input(m->whole, i, in->type.shape);
        else check_declared(T, in, declared);
    }
    check_pictures(T);
    m->late = hy_onnx_late(T->F, m->whole, 0);
    check(T);
}

/* Nodes behind it are no part of a program: who saves one has to want that. */
static void tell_late(tool *T, const model *m)
{
    const char *kept = ": --part takes what stands before, whose outputs are what is read there";
    if (is_command(T, "convert|compile|quantize|ops") && !option(T, "part", 0))
        fail(T, FAILED, "%s: from %s on shapes hang on values, which is no part of a program%s", m->name,
             m->late, is_command(T, "ops") ? "" : kept);
    if (!is_command(T, "bench"))
        note(T, "note: %s: from %s on shapes hang on values, which is no part of a graph: %s", m->name,
             m->late, is_command(T, "check") ? "it runs line by line, and is not compared"
                                    : "outputs are what is read there");
}

/* The part of it that is a graph: for the values of inputs whose values decide shapes, and up to nodes that
 * give as much as values say. */
static void find_part(tool *T, model *m)
{
    hy_array **value = ROOM(T, hy_array *, m->outers);
    char *lacks = NULL;
    int i, lacking = 0;
    for (i = 0; i < m->outers; i++) {
        const input *in = &m->outer[i];
        int ndim = in->type.shape.ndim;
        value[i] = in->x;
        if (in->x || !hy_onnx_decides(m->whole, i)) continue;
        lacks = listed(T, lacking++, lacks, text_of(T, "--input %s=%s", in->name, ndim > 1 ? "FILE"
                                                    : ndim ? "1,2,..." : "1"));
    }
    if (lacks)
        fail(T, MISUSED, "%s: the shapes in it hang on values of inputs, which have to be said: %s", m->name,
             lacks);
    if (*m->late) tell_late(T, m);
    m->part = hy_onnx_part(T->F, m->whole, value);
    check(T);
}

static const input *outer_of(const model *m, const char *name)
{
    int i;
    for (i = 0; i < m->outers && strcmp(m->outer[i].name, name); i++) continue;
    return i < m->outers ? &m->outer[i] : NULL;
}

/* What the n outputs of an ONNX file, or of its part, are called. Members of a sequence stand side by side: of
 * the one output that can be some, as no type is declared. */
static const char **onnx_names(tool *T, const hy_block *block, int n)
{
    const char **name = ROOM(T, const char *, n + 1), *own;
    int declared = 0, i, k = 0, at = 0, more;
    hy_type type;
    while (!hy_onnx_output(block, declared, NULL, NULL)) declared++;
    for (i = 0, more = n - declared; i < declared && at < n; i++) {
        hy_onnx_output(block, i, &own, &type);
        if (type.dtype || !more) { name[at++] = own; continue; }
        for (k = 0; k <= more && at < n; k++) name[at++] = text_of(T, "%s.%d", own, k);
        more = 0;
    }
    for (; at < n; at++) name[at] = text_of(T, "output.%d", at);
    return name;
}

/* For sizes that are open 1 is taken, which some programs cannot be for. */
static void load_onnx_small(tool *T, model *m, hy_type *types, int n, const char *why, const char *first)
{
    int i, k;
    why = text_of(T, "%s", strchr(why, ':') + 2);
    hy_clear(T->F);
    for (i = 0; i < n; i++)
        for (k = 0; k < types[i].shape.ndim; k++) if (types[i].shape.dim[k] < 0) types[i].shape.dim[k] = 1;
    if (is_command(T, "show|graph|ops")) m->graph = hy_onnx_graph(T->F, m->part, types, &m->arrays);
    if (!m->graph)
        fail(T, MISUSED, "%s: %s: give their shapes, %s or --input NAME=FILE", m->name, why, first);
    note(T, "note: %s: %s: 1 is taken; %s or --input NAME=FILE says otherwise", m->name, why, first);
}

/* That part as a graph, for the sizes that are said, else declared. What is open stays so if the program does
 * not hang on it; if it does, a drawing takes 1 for it, and all else has to be told. */
static void load_onnx(tool *T, model *m)
{
    const char *name, *first = NULL;
    hy_type *types;
    int i, n = 0;
    open_onnx(T, m);
    find_part(T, m);
    while (!hy_onnx_input(m->part, n, NULL, NULL)) n++;
    types = ROOM(T, hy_type, n);
    for (i = 0; !hy_onnx_input(m->part, i, &name, NULL); i++) {
        types[i] = outer_of(m, name)->type;
        if (!first && !shape_known(types[i].shape))
            first = text_of(T, "--shape %s=%s", name, sizes_like(T, types[i].shape));
    }
    T->quiet++;                         /* what other formats lack is no news */
    m->graph = hy_onnx_graph(T->F, m->part, types, &m->arrays);
    if (!m->graph && first && hy_error_code(T->F) == HY_ERROR_SHAPE && strstr(hy_error(T->F), " open"))
        load_onnx_small(T, m, types, n, hy_error(T->F), first);
    T->quiet--;
    if (!m->graph && !n && m->outers)
        fail(T, FAILED, "%s: the values of all its inputs decide shapes, so that it runs line by line: there is "
             "no program (%s)", m->name, hy_error(T->F));
    check(T);
    m->output = onnx_names(T, m->part, hy_graph_heads(m->graph));
}

/* Reads what find_model has found. */
static void load_model(tool *T, model *m)
{
    int i;
    if (m->kind == FILE_ONNX) load_onnx(T, m);
    else if (m->kind != FILE_ARRAYS) m->graph = hy_load_symbol(T->F, m->symbol);
    check(T);
    if (m->params && m->kind != FILE_ONNX) m->arrays = load_arrays(T, m->params);
    if (!m->arrays.name) return;
    m->index = ROOM(T, named, m->arrays.n);
    for (i = 0; i < m->arrays.n; i++) {
        m->index[i].name = bare(m->arrays.name[i]);
        m->index[i].x = m->arrays.at[i];
    }
    qsort(m->index, (size_t)m->arrays.n, sizeof *m->index, by_name);
}

/* --- inputs --- */
/* Which variables are inputs, and in which order, is for the library to say, which looks at the names of
 * values. Sorted by name. 0: it cannot tell, so the user has to. */
typedef struct ordered { named by; int number; } ordered;
static int library_inputs(tool *T, const model *m, ordered **list)
{
    hy_import_opt opt = { NULL, 1, 1 };
    hy_arrays names = m->arrays;
    hy_block *block;
    const char *name;
    int n = 0;
    names.at = ROOM(T, hy_array *, names.n);
    T->quiet++;
    block = hy_import_from(T->F, m->graph, m->params ? &names : NULL, &opt);
    T->quiet--;
    hy_clear(T->F);
    *list = ROOM(T, ordered, hy_graph_count(m->graph));
    for (; block && (name = hy_input_name(T->F, block, n)) != NULL; n++) {
        (*list)[n].by.name = name;
        (*list)[n].number = n;
    }
    hy_block_free(T->F, block);         /* the names are the graph's */
    if (n) qsort(*list, (size_t)n, sizeof **list, by_name);
    return n;
}

static int by_number(const void *a, const void *b)
{
    const input *x = (const input *)a, *y = (const input *)b;
    return x->number != y->number ? (x->number < y->number ? -1 : 1) : x->node - y->node;
}

/* Finds the inputs: those of the library, then what else the user names. */
static void find_inputs(tool *T, model *m)
{
    ordered *list, key, *found;
    hy_node node;
    int i, said, n = library_inputs(T, m, &list);
    m->input = ROOM(T, input, hy_graph_count(m->graph));
    m->place = ROOM(T, int, hy_graph_count(m->graph));
    for (i = 0; !hy_graph_node(m->graph, i, &node); i++) {
        input *in = &m->input[m->inputs];
        m->place[i] = -1;
        if (node.kind != HY_NODE_VARIABLE) continue;
        in->name = node.name;
        in->type.shape.ndim = -1;
        read_settings(T, in);
        said = in->from || in->type.shape.ndim >= 0;
        in->node = i;
        key.by.name = node.name;
        found = n ? (ordered *)bsearch(&key, list, (size_t)n, sizeof key, by_name) : NULL;
        in->number = found ? found->number : said ? INT_MAX : -1;
        if (m->whole && outer_of(m, in->name)) in->x = outer_of(m, in->name)->x;
        m->inputs += in->number >= 0;
    }
    qsort(m->input, (size_t)m->inputs, sizeof *m->input, by_number);
    for (i = 0; i < m->inputs; i++) m->place[m->input[i].node] = i;
}

/* Opens the model that is to be looked at, or run. */
static void open_model(tool *T, model *m)
{
    find_model(T, T->word[0], m);
    if (m->kind == FILE_ARRAYS)
        fail(T, FAILED, "%s holds no program: name a -symbol.json, its prefix, or a single file", m->name);
    load_model(T, m);
    if (!m->whole) {
        if (option(T, "size", 0))
            fail(T, MISUSED, "--size %s: only ONNX files have names for sizes: --shape takes numbers", option(T, "size", 0));
        check_names(T, m, "shape");
        check_names(T, m, "input");
        check_names(T, m, "value");
    }
    find_inputs(T, m);
}

/* The input that node i of the graph is, or NULL. */
static input *input_at(const model *m, int i) { return m->place[i] < 0 ? NULL : &m->input[m->place[i]]; }

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

/* With the types that the graph tells of itself. */
static void analysis_open(tool *T, hy_graph *graph, analysis *a)
{
    hy_node node;
    int i, k, n = 0;
    check(T);
    a->graph = graph;
    a->nodes = hy_graph_count(graph);
    a->first = ROOM(T, int, a->nodes);
    for (i = 0; !hy_graph_node(graph, i, &node); i++, n += node.outputs) a->first[i] = n;
    a->type = ROOM(T, hy_type, n);
    for (i = 0; !hy_graph_node(graph, i, &node); i++)
        for (k = 0; k < node.outputs; k++) a->type[a->first[i] + k] = node.types[k];
}

/* The same program with every value as an output, so that inference tells the type of each. */
static hy_graph *with_all_values(tool *T, hy_graph *graph)
{
    hy_frame *S = hy_symbolic(T->F);
    hy_array *heads = hy_compose(S, graph, 0, NULL, NULL);
    hy_graph *all = heads ? hy_compile(S, hy_internals(S, heads)) : NULL;
    if (!all) hy_raise(T->F, HY_ERROR_STATE, hy_error(S) ? hy_error(S) : "out of memory");
    hy_close(S);
    check(T);
    return all;
}

/* Types of all values, as far as they follow from what is known: of inputs what the user says, of parameters
 * their values. Inputs learn theirs. */
static void analyse(tool *T, model *m, analysis *a)
{
    hy_graph *all = with_all_values(T, m->graph);
    hy_type *in, *out;
    hy_node node;
    int i, n = 0, at, output;
    analysis_open(T, m->graph, a);
    in = ROOM(T, hy_type, a->nodes);
    out = ROOM(T, hy_type, hy_graph_heads(all));
    for (i = 0; !hy_graph_node(m->graph, i, &node); i++) {
        const input *is = input_at(m, i);
        if (node.kind == HY_NODE_OP || node.kind == HY_NODE_CONSTANT) continue;
        in[n++] = is && !is->x ? is->type : type_of(T, is ? is->x : value_of(m, node.name));
    }
    hy_graph_infer(T->F, all, in, out);
    check(T);
    for (i = 0; i < hy_graph_heads(all); i++) {         /* nodes have the same numbers in both */
        at = hy_graph_head(all, i, &output);
        a->type[a->first[at] + output] = out[i];
    }
    hy_graph_free(T->F, all);
    for (i = 0; i < a->nodes; i++) if (input_at(m, i)) input_at(m, i)->type = *type_at(a, i, 0);
}

/* The same with the values that options say of inputs, which tell types of others. */
static void take_inputs(tool *T, model *m, analysis *a)
{
    int i, some = 0;
    analyse(T, m, a);
    for (i = 0; i < m->inputs; i++) {
        take_input(T, &m->input[i], i);
        some |= m->input[i].x != NULL;
    }
    check_pictures(T);
    if (some) analyse(T, m, a);
}

/* --- what kind of work an operator is --- */
typedef enum work { WORK_PRODUCT, WORK_WINDOW, WORK_NORM, WORK_MOVE, WORK_POINT } work;

static work work_of(const hy_op *op)
{
    static const char *const ops[] = {
        "convolution|deconvolution|fully_connected|dot|batch_dot|linalg_gemm2|attention|rnn|matmul_nbits"
        "|int8_convolution|int8_dense",
        "pooling|adaptive_avg_pooling|sum|mean|prod|nansum|nanprod|max|min|norm|moments|argmax|argmin"
        "|argmax_channel|softmax_cross_entropy",
        "batch_norm|layer_norm|group_norm|instance_norm|l2_normalization|lrn|softmax|log_softmax|softmin"
        "|softmax_activation|softmax_output",
        "identity|block_grad|make_loss|dropout|embedding|take|batch_take|pick|gather_nd|upsampling"
        "|linear_regression_output|mae_regression_output|shape_array|size_array" };
    int i;
    for (i = 0; i < 4; i++) if (which_of(ops[i], op->name) >= 0) return (work)i;
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

/* Of the operators that are sums of products; x, w and y: shapes of two inputs and of the output. */
static double product_flops(const hy_node *node, hy_shape x, hy_shape w, hy_shape y)
{
    static const double gates[] = { 1, 1, 4, 3 };       /* by HY_RNN_... */
    const char *op = node->op->name;
    double rows;
    int axis = x.ndim - 1;
    if (!strcmp(op, "rnn")) {           /* each weight once per step; biases are no products */
        rows = gates[number_of(node, "mode")] * number_of(node, "state_size") *
               (1 + number_of(node, "bidirectional")) * number_of(node, "num_layers");
        return x.ndim < 2 ? 0 : 2 * (double)x.dim[0] * (double)x.dim[1] * (size_of(w) - 2 * rows);
    }
    if (which_of("matmul_nbits|int8_dense", op) >= 0) return 2 * size_of(x) * number_of(node, "num_hidden");
    if (!strcmp(op, "int8_convolution")) {              /* whose weight lies in panels */
        const hy_ints *kernel = (const hy_ints *)field_of(node, "kernel");
        const int last = number_of(node, "layout") >= HY_LAYOUT_NWC;
        if (x.ndim < 2 || !kernel) return 0;
        rows = (double)x.dim[last ? x.ndim - 1 : 1] / number_of(node, "num_group");
        for (axis = 0; axis < kernel->n; axis++) rows *= (double)kernel->v[axis];
        return 2 * size_of(y) * rows;
    }
    if (!strcmp(op, "attention"))       /* each query with all keys, then their values */
        return w.ndim < 3 ? 0 : 2 * (size_of(x) + size_of(y)) * (double)w.dim[w.ndim - 2];
    if (which_of("dot|batch_dot|linalg_gemm2", op) < 0)
        return w.ndim && w.dim[0] ? 2 * size_of(w) / (double)w.dim[0] *
                                    size_of(strcmp(op, "deconvolution") ? y : x) : 0;
    if (number_of(node, "transpose_a"))
        axis = !strcmp(op, "dot") ? 0 : field_of(node, "axis") ? number_of(node, "axis") : -2;
    if (axis < 0) axis += x.ndim;
    return 2 * size_of(y) * (axis < 0 || axis >= x.ndim ? 1 : (double)x.dim[axis]);
}

/* FLOPs of a node, -1 if shapes are missing. */
static double flops_of(const analysis *a, int i)
{
    const hy_ints *kernel;
    hy_shape x, w, y = type_at(a, i, 0)->shape;
    hy_node node;
    double n = size_of(y);
    work kind;
    int k;
    if (hy_graph_node(a->graph, i, &node) || !node.op || (kind = work_of(node.op)) == WORK_MOVE) return 0;
    x = node.inputs ? type_of_input(a, i, 0)->shape : y;
    w = node.inputs > 1 ? type_of_input(a, i, 1)->shape : y;
    if (!shape_known(x) || !shape_known(w) || !shape_known(y)) return -1;
    if (kind == WORK_PRODUCT) return product_flops(&node, x, w, y);
    if (kind != WORK_WINDOW) return n;
    kernel = (const hy_ints *)field_of(&node, "kernel");
    if (!kernel || number_of(&node, "global_pool")) return size_of(x);
    for (k = 0; k < kernel->n; k++) n *= (double)kernel->v[k];
    return n;
}

/* --- what variables are --- */
/* m: the model whose graph it is of, as read; NULL: it was traced, and parameters are known as such. */
static int is_parameter(const model *m, int i, const hy_node *node)
{
    return node->kind == HY_NODE_PARAMETER ||
           (m && node->kind == HY_NODE_VARIABLE && !input_at(m, i) && !ends_in(node->name, "_label"));
}

/* unsized, uncounted: there are parameters without shapes, operators whose work is not known. */
typedef struct totals { double trainable, statistics, bytes, flops; int unsized, uncounted; } totals;

static totals totals_of(const model *m, const analysis *a)
{
    totals t = { 0, 0, 0, 0, 0, 0 };
    hy_node node;
    double flops;
    int i;
    for (i = 0; !hy_graph_node(a->graph, i, &node); i++) {
        const hy_type *type = type_at(a, i, 0);
        if (is_parameter(m, i, &node)) {
            t.unsized |= !shape_known(type->shape);
            *(node.aux ? &t.statistics : &t.trainable) += size_of(type->shape);
            t.bytes += size_of(type->shape) * (double)hy_dtype_size(type->dtype ? type->dtype : HY_F32);
        }
        flops = flops_of(a, i);
        t.uncounted |= flops < 0;
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
        if (used[at] || hy_graph_node(a->graph, at, &from) || !is_parameter(m, at, &from)) continue;
        used[at] = 1;
        n += size_of(type_at(a, at, 0)->shape);
    }
    return n;
}

/* MARK: - values ------------------------------------------------------------------------------------- */

typedef struct summary { double least, most, mean, odd; } summary;      /* odd: NaNs and infinities */

/* Over all elements that are numbers, a piece at a time. */
static summary summarise(tool *T, hy_array *x)
{
    double piece[1024], sum = 0, count;
    summary s = { HUGE_VAL, -HUGE_VAL, 0, 0 };
    int64_t n = x ? hy_size(T->F, x) : 0, from, k, some;
    hy_begin(T->F);
    if (n) x = hy_view_reshape(T->F, x, HY_SHAPE(n));
    for (from = 0; from < n; from += some) {
        some = n - from < 1024 ? n - from : 1024;
        hy_begin(T->F);
        hy_to(T->F, hy_view_slice(T->F, x, 0, from, from + some, 1), HY_F64, piece, sizeof piece);
        hy_end(T->F);
        check(T);
        for (k = 0; k < some; k++) {
            if (piece[k] - piece[k] != 0) { s.odd++; continue; }
            if (piece[k] < s.least) s.least = piece[k];
            if (piece[k] > s.most) s.most = piece[k];
            sum += piece[k];
        }
    }
    hy_end(T->F);
    count = (double)n - s.odd;
    s.mean = count > 0 ? sum / count : HUGE_VAL;
    return s;
}

/* For a file of arrays, and for the outputs of run. */
static const column array_columns[] = {
    TEXT("name", "array"), TEXT("dtype", "type"), TEXT("shape", "shape"), NUMBER("bytes", "bytes", ",", 1),
    NUMBER("min", "min", "%.6g", 1), NUMBER("max", "max", "%.6g", 1), NUMBER("mean", "mean", "%.6g", 1),
    NUMBER("not_finite", "not finite", "%.0f", 1), TEXT("file", NULL) };

static void array_row(report *r, const char *name, hy_array *x, const char *file)
{
    hy_type type = type_of(r->T, x);
    summary s = summarise(r->T, x);
    cell_text(r, name);
    cell_text(r, dtype_text(type.dtype));
    cell_shape(r, type.shape);
    cell_number(r, size_of(type.shape) * (double)hy_dtype_size(type.dtype));
    cell_number(r, s.least);
    cell_number(r, s.most);
    cell_number(r, s.mean);
    cell_number(r, r->T->json || s.odd > 0 ? s.odd : HUGE_VAL);
    cell_text(r, file);
}

/* Inputs as a call takes them. A program may have none: then there is one that it does not look at. */
static hy_array *all_as_one(tool *T, int n, hy_array *const *x)
{
    T->quiet += !n;                     /* what is said of that one is no news */
    if (!n) return hy_zeros(T->F, HY_SHAPE(1));
    return n > 1 ? hy_group_of(T->F, n, x) : x[0];
}

/* Ends if options say no value of some input. */
static void check_given(tool *T, const input *in, int n)
{
    const input *lacks = NULL;
    char *missing = NULL;
    int i, known, count = 0;
    for (i = 0; i < n; i++, in++) {
        if (in->x) continue;
        if (!lacks) lacks = in;
        known = in->type.shape.ndim >= 0;
        missing = listed(T, count++, missing,
                         text_of(T, "--input %s=FILE%s%s", in->name, known ? " of shape " : "",
                                 known ? shape_text(T, in->type.shape) : ""));
    }
    if (lacks) fail(T, MISUSED, "inputs are missing: %s; or make one up, as in --input %s=random:%s", missing,
                    lacks->name, sizes_like(T, lacks->type.shape));
}

/* What is said, else what may stand for it: random values, or none, for planning. */
static hy_array *some_input(tool *T, const input *in, int random)
{
    const hy_type *type = &in->type;
    if (in->x) return in->x;
    if (!random) return hy_empty(T->F, type->shape, type->dtype ? type->dtype : HY_F32);
    return cast(T, hy_uniform(T->F, type->shape, 0, 1), type->dtype);
}

/* What all of an ONNX file takes, or its part. */
static hy_array *onnx_inputs(tool *T, const model *m, hy_block *block)
{
    hy_array **x = ROOM(T, hy_array *, m->outers);
    const char *name;
    int n;
    hy_seed(T->F, 0);
    for (n = 0; !hy_onnx_input(block, n, &name, NULL); n++) x[n] = some_input(T, outer_of(m, name), 1);
    return all_as_one(T, n, x);
}

/* Inputs of the graph for commands that only need shapes. */
static hy_array *shaped_inputs(tool *T, const model *m, int random)
{
    hy_array **x = ROOM(T, hy_array *, m->inputs);
    int i;
    hy_seed(T->F, 0);
    for (i = 0; i < m->inputs; i++) x[i] = some_input(T, &m->input[i], random);
    return all_as_one(T, m->inputs, x);
}

/* --- blocks --- */
/* The inputs that lack a shape: "--shape data=1,3,64,64 or --input data=FILE; missing: data (?,3,?,?)"; NULL:
 * none does. */
static const char *inputs_unknown(tool *T, const model *m)
{
    const input *first = NULL;
    char *list = NULL;
    int i, n = 0;
    for (i = 0; i < m->inputs; i++) {
        const input *in = &m->input[i];
        if (shape_known(in->type.shape)) continue;
        if (!first) first = in;
        list = listed(T, n++, list, text_of(T, "%s %s", in->name, shape_text(T, in->type.shape)));
    }
    return first ? text_of(T, "--shape %s=%s or --input %s=FILE; missing: %s", first->name,
                           sizes_like(T, first->type.shape), first->name, list) : NULL;
}

/* The model as a block, and what becomes of parameters without values. */
enum { VALUES_GIVEN, VALUES_ZERO, VALUES_RANDOM };      /* given: there must be none */
static hy_block *make_block(tool *T, const model *m, int values, int64_t seed)
{
    hy_import_opt opt = { option(T, "inputs", 0), 0, 0 };
    hy_init zeros = hy_init_zeros();
    hy_block *block;
    size_t n = 0;
    char *at;
    int i;
    for (i = 0; i < m->inputs; i++) n += strlen(m->input[i].name) + 1;
    at = ROOM(T, char, n);
    if (n) opt.inputs = at;
    for (i = 0; i < m->inputs; i++) at += sprintf(at, i ? ",%s" : "%s", m->input[i].name);
    opt.allow_missing = values != VALUES_GIVEN;
    opt.ignore_extra = T->extra || option(T, "ignore-extra", 0) != NULL;
    block = hy_import_from(T->F, m->graph, m->params ? &m->arrays : NULL, &opt);
    hy_seed(T->F, (uint64_t)seed);
    T->quiet++;                         /* that some have values already is no news */
    if (block && values) hy_initialize(T->F, block, values == VALUES_ZERO ? &zeros : NULL);
    T->quiet--;
    if (block && !m->params && !T->first && which_of("bench|check", T->command) >= 0 &&
        hy_collect_params(T->F, block, NULL).n)
        note(T, "note: %s has no values: random ones are drawn", m->name);
    return block;
}

/* Nothing tells the values of its parameters, and it has some. */
static int lacks_values(tool *T, const model *m)
{
    hy_block *block = m->params ? NULL : make_block(T, m, VALUES_ZERO, 0);
    int lacks = block && hy_collect_params(T->F, block, NULL).n;
    check(T);
    hy_block_free(T->F, block);
    return lacks;
}

/* For commands that need shapes: model, inputs and types; all shapes must be known in the end. */
static void open_shaped(tool *T, model *m, analysis *a)
{
    const char *unknown;
    open_model(T, m);
    take_inputs(T, m, a);
    unknown = inputs_unknown(T, m);
    if (unknown) fail(T, MISUSED, "give the shapes of inputs, %s", unknown);
}

/* MARK: - hybrid ops --------------------------------------------------------------------------------- */

/* Internal operators appear in no file. */
static int op_is_shown(const hy_op *op) { return op->name[0] != '_' || op->mxnet; }

/* The default of an attribute as text; the library fills in those of options. */
static const char *default_text(tool *T, const hy_op *op, const hy_attr *a)
{
    int number = a->kind == HY_ATTR_int || a->kind == HY_ATTR_oint || a->kind == HY_ATTR_i64 ||
                 a->kind == HY_ATTR_real;
    void *plain = room(T, 1, op->record);
    char text[256];
    if (a->missing == HY_REQUIRED) return "required";
    if (a->missing == HY_NONE) return "None";
    if (number) return text_of(T, "%g", a->missing);
    hy_defaults(op, plain);
    hy_attr_text(a, plain, text, sizeof text);
    return text_of(T, "%s", text);
}

/* Operators of files and gradients only; programs have other functions for these. */
static int op_is_called(const hy_op *op) { return op->name[0] != '_'; }

/* An argument that an example may give: its default, or something of the kind that is due. */
static const char *sample_of(tool *T, const hy_attr *a)
{
    int given = a->missing != HY_REQUIRED && a->missing != HY_NONE;
    switch (a->kind) {
    case HY_ATTR_real:  return given ? text_of(T, "%g", a->missing) : "0.5";
    case HY_ATTR_dtype: return "HY_F32";
    case HY_ATTR_shape: return "HY_SHAPE(2, 3)";
    case HY_ATTR_ints:  return a->missing == HY_NONE ? "HY_ALL" : "HY_INTS(2, 2)";
    case HY_ATTR_oints: return "HY_INTS(HY_NONE, 2)";
    case HY_ATTR_reals: return "HY_REALS(0.5, 1)";
    case HY_ATTR_oint:  return given ? text_of(T, "%g", a->missing) : "HY_NONE";
    default:            return given ? text_of(T, "%g", a->missing) : "1";
    }
}

/* A call with the defaults: what they do not ask for is NULL. */
static const char *example_of(tool *T, const hy_op *op, const char *options)
{
    const char *call = text_of(T, "y = hy_%s(F", op->name);
    void *plain = room(T, 1, op->record + 1);
    const hy_attr *a;
    int i;
    hy_defaults(op, plain);
    for (i = 0; op->in[i].name; i++) {
        int many = op->count ? op->count(plain, 0, i) : 1;
        if (op->in[i].kind == HY_ARG_RARE) continue;
        if (many < 0) call = text_of(T, "%s, hy_group(F, a, b)", call);
        else call = text_of(T, "%s, %s", call, many ? op->in[i].name : "NULL");
    }
    for (a = op->attr; a && a->name; a++) if (!a->option) call = text_of(T, "%s, %s", call, sample_of(T, a));
    return text_of(T, "%s%s);", call, options ? ", NULL" : "");
}

/* What a C programmer asks first: options, prototype, a call, whether it has a gradient. */
static void op_in_c(report *r, const hy_op *op)
{
    const char *options = prototype_options(op, hy_op_find(r->T->F, "sum")), *example;
    prototype p;
    if (!op_is_called(op)) return;
    memset(&p, 0, sizeof p);
    if (options) prototype_struct(&p, options, op);
    prototype_function(&p, op, options, "");
    example = example_of(r->T, op, options);
    json_text(r, "prototype", p.text);
    json_text(r, "example", example);
    if (!r->T->json) printf("\n%s\n\nexample     %s\n", p.text, example);
}

static void op_args(report *r, const char *key, const hy_op *op, const hy_arg *args)
{
    static const char *const kinds[] = { "one", "optional", "list", "auxiliary", "hidden", "option", "hidden" };
    static const char *const notes[] = { "", "if its attributes ask for it", "any number of arrays",
                                         "running statistics, updated in training",
                                         "hidden: for the gradient",
                                         "an option; if its attributes ask for it",
                                         "hidden: for the gradient, any number" };
    static const column columns[] = {
        TEXT(NULL, ""), TEXT("name", ""), TEXT("kind", NULL), TEXT(NULL, "") };
    void *plain = room(r->T, 1, op->record + 1);
    int i, inputs = args == op->in;
    hy_defaults(op, plain);
    if (!r->T->json && args->name) printf("\n%s\n", key);
    for (i = 0, ROWS_OPEN(r, key, columns); args->name; args++, i++) {
        const char *otherwise = op->count && op->count(plain, 0, i) ? "or NULL, where attributes say so"
                                                                    : "or NULL; if attributes ask for it";
        cell_text(r, " ");
        cell_text(r, args->name);
        cell_text(r, kinds[args->kind]);
        cell_text(r, inputs && args->kind == HY_ARG_OPT ? otherwise : notes[args->kind]);
    }
    rows_close(r);
}

static void op_attributes(report *r, const hy_op *op)
{
    static const char *const types[] = { "bool", "bool", "int", "int or None", "int", "float", "dtype", "",
                                         "shape", "ints", "ints or None", "floats" };
    static const column columns[] = {
        TEXT(NULL, ""), TEXT("name", ""), TEXT("field", NULL), TEXT("type", ""), TEXT("default", NULL),
        TEXT(NULL, ""), TEXT("given", ""), TEXT("doc", "") };
    const hy_attr *a = op->attr;
    if (!r->T->json && a && a->name) printf("\nattributes\n");
    for (ROWS_OPEN(r, "attributes", columns); a && a->name; a++) {
        int needed = a->missing == HY_REQUIRED, words = a->kind == HY_ATTR_enum;
        const char *doc = words && strchr(a->doc, ':') ? strchr(a->doc, ':') + 1 : a->doc;
        const char *when = a->kind == HY_ATTR_inv ? "False: " : "";
        const char *otherwise = default_text(r->T, op, a);
        doc += strspn(doc, " ");
        cell_text(r, " ");
        cell_text(r, a->mxnet);
        cell_text(r, a->name);
        cell_text(r, words ? text_of(r->T, "%.*s", (int)strcspn(a->doc, ":"), a->doc) : types[a->kind]);
        cell_text(r, needed ? NULL : otherwise);
        cell_text(r, needed ? otherwise : text_of(r->T, "= %s", otherwise));
        cell_text(r, a->option ? "option" : "argument");
        doc = text_of(r->T, "%s%s", when, doc);
        cell_text(r, r->T->json || !strcmp(a->name, a->mxnet) ? doc : text_of(r->T, "%s (in C: %s)", doc, a->name));
    }
    rows_close(r);
}

static void show_op(tool *T, const hy_op *op)
{
    report r;
    report_open(T, &r);
    json_text(&r, "name", op->name);
    json_text(&r, "mxnet", op->mxnet);
    json_text(&r, "aliases", op->aliases);
    json_text(&r, "doc", op->doc);
    if (!T->json) printf("hy_%s: %s\n", op->name, op->doc);
    if (!T->json && (op->mxnet || op->aliases))
        printf("in files: %s%s%s\n", op->mxnet ? op->mxnet : "", op->mxnet && op->aliases ? "|" : "",
               op->aliases ? op->aliases : "");
    json_raw(&r, "gradient", op->grad ? "true" : "false");
    if (!T->json) printf("gradient: %s\n", op->grad ? "yes" : "none flows");
    op_in_c(&r, op);
    op_args(&r, "inputs", op, op->in);
    op_args(&r, "outputs", op, op->out);
    op_attributes(&r, op);
    report_close(&r);
}

/* --- the line for HYBRID_OPS: what models or sources use --- */

/* What functions that are no operators are made of: of those whose names begin so. */
static const struct { const char *begin, *ops; } made_of[] = {
    { "hy_initialize", "random_uniform|random_normal" }, { "hy_scalar", "_full" },
    { "hy_nn_dense", "fully_connected|activation" }, { "hy_nn_activation", "activation" },
    { "hy_nn_leaky_relu", "leaky_relu" }, { "hy_nn_prelu", "leaky_relu" }, { "hy_nn_elu", "leaky_relu" },
    { "hy_nn_selu", "leaky_relu" }, { "hy_nn_gelu", "leaky_relu" },
    { "hy_nn_swish", "sigmoid|mul_scalar|mul" },
    { "hy_nn_conv1d", "convolution|deconvolution|activation" },
    { "hy_nn_conv2d", "convolution|deconvolution|activation" },
    { "hy_nn_conv3d", "convolution|deconvolution|activation" },
    { "hy_nn_max_pool", "pooling" }, { "hy_nn_avg_pool", "pooling" }, { "hy_nn_global_", "pooling" },
    { "hy_nn_batch_norm", "batch_norm" }, { "hy_nn_layer_norm", "layer_norm" },
    { "hy_nn_group_norm", "group_norm" }, { "hy_nn_instance_norm", "instance_norm|swap_axes" },
    { "hy_nn_dropout", "dropout" }, { "hy_nn_embedding", "embedding" }, { "hy_nn_flatten", "flatten" },
    { "hy_nn_cast", "cast" }, { "hy_nn_to_tensor", "image_to_tensor" },
    { "hy_nn_normalize", "image_normalize" }, { "hy_nn_resize", "image_resize" },
    { "hy_nn_center_crop", "image_crop|image_resize" }, { "hy_nn_crop_resize", "image_crop|image_resize" },
    { "hy_nn_random_resized_crop", "image_random_resized_crop" },
    { "hy_nn_random_flip_left_right", "image_random_flip_left_right" },
    { "hy_nn_random_flip_top_bottom", "image_random_flip_top_bottom" },
    { "hy_nn_random_brightness", "image_random_brightness" },
    { "hy_nn_random_contrast", "image_random_contrast" },
    { "hy_nn_random_saturation", "image_random_saturation" }, { "hy_nn_random_hue", "image_random_hue" },
    { "hy_nn_random_color_jitter", "image_random_color_jitter" },
    { "hy_nn_random_lighting", "image_random_lighting" },
    { "hy_nn_concurrent", "concat" }, { "hy_nn_hybrid_concurrent", "concat" },
    { "hy_rnn_", "rnn|concat|swap_axes|split|stack|fully_connected|activation|sigmoid|tanh|dropout|where"
                 "|ones_like|zeros_like|_zeros" },
    { "hy_loss_", "abs|batch_dot|equal|exp|expand_dims|greater|log|log_softmax|maximum|mean|negative|norm"
                  "|pick|relu|reshape|reshape_like|softmax|softrelu|sqrt|square|squeeze|sum|where|zeros_like" },
};

/* hy_zeros is the operator _zeros, hy_uniform random_uniform. */
static int is_creator(const hy_op *op, const char *word)
{
    size_t n = strlen(op->name), most = strlen(word);
    return n > most && !strcmp(op->name + n - most, word) &&
           ((n - most == 1 && *op->name == '_') || (n - most == 7 && !strncmp(op->name, "random_", 7)));
}

/* Operators that a word of a source stands for. */
static void mark_word(tool *T, char *used, const char *word, int *int8)
{
    const hy_op *op;
    size_t i;
    int k;
    for (k = 0; (op = hy_op_at(T->F, k)) != NULL; k++)
        if (!strncmp(word, "hy_", 3) && (!strcmp(word + 3, op->name) || is_creator(op, word + 3))) used[k] = 1;
    *int8 |= !strncmp(word, "hy_quantize", 11);
    for (i = 0; i < sizeof made_of / sizeof *made_of; i++)
        if (!strncmp(word, made_of[i].begin, strlen(made_of[i].begin)))
            for (k = 0; (op = hy_op_at(T->F, k)) != NULL; k++)
                if (which_of(made_of[i].ops, op->name) >= 0) used[k] = 1;
}

static void mark_source(tool *T, char *used, const char *file, int *int8)
{
    FILE *f = fopen(file, "rb");
    char word[64];
    size_t n = 0;
    int c;
    if (!f) fail(T, FAILED, "%s cannot be read: %s", file, strerror(errno));
    do {
        c = fgetc(f);
        if (isalnum(c) || c == '_') { if (n + 1 < sizeof word) word[n++] = (char)c; continue; }
        word[n] = 0;
        if (n) mark_word(T, used, word, int8);
        n = 0;
    } while (c != EOF);
    fclose(f);
}

static int is_used(tool *T, const char *used, const char *name)
{
    const hy_op *op;
    int k;
    for (k = 0; (op = hy_op_at(T->F, k)) != NULL; k++) if (!strcmp(op->name, name)) return used[k];
    return 0;
}

/* hy_quantize makes of dense layers, convolutions and sums, those that a source has, their kin in int8. */
static void mark_int8(tool *T, char *used)
{
    static const char *const kin[][2] = { { "fully_connected", "int8_dense" },
                                          { "convolution", "int8_convolution" },
                                          { "add", "int8_add" }, { "elemwise_add", "int8_add" } };
    const hy_op *op;
    int i, k;
    for (k = 0; (op = hy_op_at(T->F, k)) != NULL; k++)
        for (i = 0; i < (int)(sizeof kin / sizeof *kin); i++)
            if (!strcmp(op->name, kin[i][1]) && is_used(T, used, kin[i][0])) used[k] = 1;
}

/* Operators of a graph and of the graphs that it runs. */
static void mark_graph(tool *T, char *used, hy_graph *g)
{
    enum { MOST = 256 };
    hy_graph *rest[MOST], *sub;
    const hy_op *op;
    hy_node node;
    int n = 0, i, k;
    for (rest[n++] = g; n > 0;) {
        g = rest[--n];
        for (i = 0; !hy_graph_node(g, i, &node); i++) {
            for (k = 0; node.op && (op = hy_op_at(T->F, k)) != NULL; k++) if (op == node.op) used[k] = 1;
            for (k = 0; (sub = hy_graph_sub(g, i, k)) != NULL; k++) {
                if (n == MOST) fail(T, FAILED, "programs run programs %d times", MOST);
                rest[n++] = sub;
            }
        }
    }
}

static int print_used(tool *T, int sources)
{
    const hy_op *op;
    char *used = (char *)room(T, 4096, 1);
    int i, wide = 0, int8 = 0;
    for (i = 0; i < T->words; i++) {
        model m;
        if (sources) { mark_source(T, used, T->word[i], &int8); continue; }
        find_model(T, T->word[i], &m);
        if (m.kind == FILE_ARRAYS) fail(T, FAILED, "%s holds arrays, no program", T->word[i]);
        m.params = NULL;
        load_model(T, &m);
        mark_graph(T, used, m.graph);
    }
    if (int8) mark_int8(T, used);
    printf("#define HYBRID_OPS(X)");
    for (i = 0; i < 4096 && (op = hy_op_at(T->F, i)) != NULL; i++) {
        int more = (int)strlen(op->name) + 4;
        if (!used[i]) continue;
        if (!wide || wide + more > 105) wide = printf(" \\\n   ") - 3;
        wide += printf(" X(%s)", op->name);
    }
    printf("\n");
    return FINE;
}

/* Families are the rooms of the header; what is in none of these is pointwise. */
static const char *const families[][2] = {
    { "reduce", "_average|sum|mean|prod|nansum|nanprod|max|min|norm|moments|"
      "allclose" },
    { "linear", "_np_matmul|fully_connected|dot|batch_dot|linalg_gemm2" },
    { "linalg", "_np_norm|linalg_inverse|linalg_det|linalg_slogdet|linalg_potrf|linalg_trsm|tril|triu" },
    { "softmax", "softmax|log_softmax|softmin|softmax_activation|softmax_output|linear_regression_output|"
      "logistic_regression_output|mae_regression_output|make_loss|softmax_cross_entropy|ctc_loss" },
    { "attention", "attention" },
    { "shapes", "_hsplit|_squeeze|reshape|reshape_like|flatten|transpose|expand_dims|squeeze|swap_axes|shape_array|size_array|"
      "concat|stack|vstack|hstack|dstack|column_stack|split|split_v2|slice|slice_axis|slice_like|repeat|tile|reverse|pad|diag|broadcast_to|"
      "broadcast_axis|broadcast_like|extend|"
      "atleast_1d|atleast_2d|atleast_3d|index_array|slice_assign|slice_assign_scalar" },
    { "indexing", "embedding|take|batch_take|pick|one_hot|gather_nd|scatter_nd|_gather_nd_grad|"
      "boolean_mask|nonzero|index_copy|put_rows|"
      "insert|insert_slice|insert_tensor" },
    { "sorting", "topk|sort|argsort|argmax|argmin|argmax_channel|unique|cumsum|"
      "histogram" },
    { "recurrence", "sequence_mask|sequence_last|sequence_reverse|rnn" },
    { "convolution", "convolution|deconvolution" },
    { "pooling", "pooling|adaptive_avg_pooling" },
    { "norms", "batch_norm|batch_norm_relu|layer_norm|group_norm|instance_norm|l2_normalization|lrn" },
    { "vision", "upsampling|crop|depth_to_space|space_to_depth|box_nms|box_iou|multibox_prior|multibox_detection|"
      "roi_pooling|roi_align" },
    { "detection", "multibox_target|proposal|"
      "bipartite_matching|box_encode" },
    { "sampling", "bilinear_resize|grid_generator|bilinear_sampler|spatial_transformer|im2col|col2im|"
      "deformable_convolution" },
    { "augment", "image_to_tensor|image_normalize|image_resize|image_crop|image_flip_left_right|"
      "image_flip_top_bottom|image_random_flip_left_right|image_random_flip_top_bottom|"
      "image_random_resized_crop|image_random_brightness|image_random_contrast|image_random_saturation|"
      "image_random_hue|image_random_color_jitter|image_adjust_lighting|image_random_lighting" },
    { "quantize", "int8_dense|int8_convolution|int8_table|int8_add|matmul_nbits" },
    { "creators", "_sample_gamma|random_uniform|random_normal|random_exponential|random_gamma|random_poisson|"
      "random_negative_binomial|random_general_negative_binomial|sample_multinomial|random_randint|uniform_like|"
      "normal_like|exponential_like|shuffle|_zeros|_ones|_full|_eye|_arange|_linspace|arange_like|"
      "_logspace" } };

static const char *family_of(const hy_op *op)
{
    size_t i;
    for (i = 0; i < sizeof families / sizeof *families; i++)
        if (which_of(families[i][1], op->name) >= 0) return families[i][0];
    return "pointwise";
}

static int is_family(const char *word)
{
    size_t i;
    for (i = 0; i < sizeof families / sizeof *families; i++) if (!strcmp(families[i][0], word)) return 1;
    return !strcmp(word, "pointwise");
}

static int run_ops(tool *T)
{
    static const column columns[] = {
        TEXT("name", "operator"), TEXT("mxnet", "in files"), TEXT("aliases", NULL), TEXT("family", "family"),
        TEXT("doc", "what it gives") };
    const char *name = !T->words ? "" : T->word[0] + (strncmp(T->word[0], "hy_", 3) ? 0 : 3);
    const hy_op *op = T->words ? hy_op_find(T->F, name) : NULL;
    const char *family = NULL;
    nearest near = { NULL, NULL, 0 };
    report r;
    int i, n = 0, used = option(T, "used", 0) != NULL, by = option(T, "used-by", 0) != NULL;
    if ((used || by) && (used == by || !T->words))
        fail(T, MISUSED, used && by ? "--used reads models, --used-by sources: one at a time, and both lists of X(...) in one line"
                                    : "--used goes with models, --used-by with sources, which have to be named");
    if (used || by) return print_used(T, by);
    if (T->words > 1) fail(T, MISUSED, "one operator at a time");
    if (op) { show_op(T, op); return FINE; }
    if (T->words && is_family(T->word[0])) family = T->word[0];
    near.word = name;
    for (i = 0; T->words && !family && (op = hy_op_at(T->F, i)) != NULL; i++) {
        if (op_is_shown(op)) nearest_try(&near, op->name);
        if (op->mxnet) nearest_try(&near, op->mxnet);
    }
    if (T->words && !family) fail(T, FAILED, "there is no operator %s%s", T->word[0], hint_of(T, &near, ""));
    report_open(T, &r);
    ROWS_OPEN(&r, "operators", columns);
    for (i = 0; (op = hy_op_at(T->F, i)) != NULL; i++) {
        if (!op_is_shown(op) || (family && strcmp(family, family_of(op)))) continue;
        cell_text(&r, op->name);
        cell_text(&r, op->mxnet);
        cell_text(&r, op->aliases);
        cell_text(&r, family_of(op));
        cell_text(&r, op->doc);
        n++;
    }
    rows_close(&r);
    report_close(&r);
    if (!T->json) printf("%d operators; hybrid ops NAME tells all about one\n", n);
    return FINE;
}

/* MARK: - hybrid show -------------------------------------------------------------------------------- */

static int show_arrays(tool *T, const model *m)
{
    report r;
    double bytes = 0, elements = 0;
    int i;
    report_open(T, &r);
    json_text(&r, "file", m->params);
    ROWS_OPEN(&r, "arrays", array_columns);
    for (i = 0; i < m->arrays.n; i++) {
        hy_type type = type_of(T, m->arrays.at[i]);
        const char *name = m->arrays.name ? m->arrays.name[i] : T->json ? NULL : text_of(T, "[%d]", i);
        if (!T->json) progress(T, "looking at the values", (double)i / m->arrays.n);
        array_row(&r, name, m->arrays.at[i], NULL);
        elements += size_of(type.shape);
        bytes += size_of(type.shape) * (double)hy_dtype_size(type.dtype);
    }
    progress_clear(T);
    rows_close(&r);
    report_close(&r);
    if (!T->json)
        printf("%d arrays, %s elements, %s bytes\n", m->arrays.n, grouped(T, elements), grouped(T, bytes));
    return FINE;
}

/* A plan's text with the file's names for "data" or "data0", "data1", which stand in its lines of sizes. */
static char *with_names(tool *T, const model *m, const char *text)
{
    size_t bytes = strlen(text) + 1, n = 0, most = 0;
    const char *at;
    char *to;
    int i;
    for (i = 0; i < m->outers; i++) if (strlen(m->outer[i].name) > most) most = strlen(m->outer[i].name);
    for (at = text; (at = strstr(at, "data")) != NULL; at++) bytes += most;
    to = ROOM(T, char, bytes);
    while (*text) {
        char *behind = NULL;
        i = strncmp(text, " data", 5) ? -1 : (int)strtol(text + 5, &behind, 10);
        if (i >= 0 && i < m->outers && *behind == '[') {
            n += (size_t)sprintf(to + n, " %s", m->outer[i].name);
            text = behind;
        } else to[n++] = *text++;
    }
    return to;
}

/* What a call takes; all zero if shapes are missing, or if the library cannot say. The same as formulas, if asked for. */
static hy_plan_info plan_of(tool *T, model *m, char **formulas)
{
    hy_plan_info plan;
    size_t n;
    hy_block *block;
    hy_array *x;
    memset(&plan, 0, sizeof plan);
    if (inputs_unknown(T, m)) return plan;
    x = shaped_inputs(T, m, 0);
    block = hy_error(T->F) ? NULL : make_block(T, m, VALUES_ZERO, 0);
    if (block) hy_hybridize(T->F, block, NULL);
    if (block) plan = hy_plan(T->F, block, x);
    if (block && option(T, "formulas", 0)) {
        if (m->whole && !*m->late) {                    /* whose graph above knows only these sizes */
            x = onnx_inputs(T, m, m->whole);
            hy_hybridize(T->F, block = m->whole, NULL);
        }
        n = hy_plan_text(T->F, block, x, NULL, 0);
        *formulas = ROOM(T, char, n + 1);
        hy_plan_text(T->F, block, x, *formulas, n + 1);
        if (block == m->whole) *formulas = with_names(T, m, *formulas);
    }
    if (!hy_error(T->F)) return plan;
    note(T, "note: memory is not known: %s", hy_error(T->F));
    hy_clear(T->F);
    memset(&plan, 0, sizeof plan);
    return plan;
}

static void show_layers(report *r, const model *m, const analysis *a)
{
    static const column columns[] = {
        TEXT("name", "layer"), TEXT("operator", "operator"), TEXT("shape", "output"),
        NUMBER("parameters", "parameters", ",", 1), NUMBER("flops", "MFLOPs", "%.4g", 1e-6) };
    char *used = ROOM(r->T, char, a->nodes);
    hy_node node;
    int i;
    ROWS_OPEN(r, "layers", columns);
    for (i = 0; !hy_graph_node(a->graph, i, &node); i++) {
        double flops = flops_of(a, i), n = parameters_of(m, a, i, used), least = r->T->json ? -1 : 0;
        if (!node.op && !input_at(m, i)) continue;
        cell_text(r, node.name);
        cell_text(r, node.op ? node.op->name : r->T->json ? NULL : "(input)");
        cell_shape(r, type_at(a, i, 0)->shape);
        cell_number(r, n > least ? n : HUGE_VAL);
        cell_number(r, flops > least ? flops : HUGE_VAL);
    }
    rows_close(r);
}

static void show_totals(report *r, const totals *t, const hy_plan_info *plan)
{
    const char *least[] = { "", " or more" };
    int no_flops = t->uncounted && t->flops == 0;
    double none = plan->total ? 0 : HUGE_VAL;
    tool *T = r->T;
    json_number(r, "trainable", t->trainable);
    json_number(r, "statistics", t->statistics);
    json_number(r, "bytes", t->bytes);
    json_number(r, "flops", no_flops ? HUGE_VAL : t->flops);
    json_raw(r, "parameters_known", t->unsized ? "false" : "true");     /* false: there may be more */
    json_raw(r, "flops_known", t->uncounted ? "false" : "true");
    json_number(r, "planned", none + (double)plan->total);
    json_number(r, "activations", none + (double)plan->activations);
    json_number(r, "unplanned", none + (double)plan->unplanned);
    if (T->json) return;
    printf("\nparameters  %s%s: %s trainable, %s running statistics; %s bytes\n",
           grouped(T, t->trainable + t->statistics), least[t->unsized], grouped(T, t->trainable),
           grouped(T, t->statistics), grouped(T, t->bytes));
    if (no_flops) printf("FLOPs       not known\n");
    else printf("FLOPs       %s%s per call\n", scaled(T, t->flops, 1000, ""), least[t->uncounted]);
    if (!plan->total) return;
    printf("memory      %s planned: activations %s (%s without reuse), outputs %s, packed parameters %s, "
           "scratch %s, the program %s\n", bytes_text(T, plan->total), bytes_text(T, plan->activations),
           bytes_text(T, plan->unplanned), bytes_text(T, plan->outputs), bytes_text(T, plan->packed),
           bytes_text(T, plan->shared + plan->scratch), bytes_text(T, plan->record));
    if (plan->dynamic) printf("            where values decide shapes, what follows is not in it\n");
}

/* What output i is called: in an ONNX file, else as MXNet does. */
static const char *output_name(const model *m, int i)
{
    return m->output ? m->output[i] : hy_graph_name(m->graph, HY_NAMES_OUTPUTS, i);
}

static void show_values(report *r, const model *m, const analysis *a)
{
    static const column columns[2][4] = {
        { TEXT(NULL, "inputs"), TEXT("name", ""), TEXT("shape", ""), TEXT("dtype", "") },
        { TEXT(NULL, "outputs"), TEXT("name", ""), TEXT("shape", ""), TEXT("dtype", "") } };
    int i, output = 0, node, out;
    for (out = 0; out < 2; out++) {
        ROWS_OPEN(r, out ? "outputs" : "inputs", columns[out]);
        for (i = 0; i < (out ? hy_graph_heads(a->graph) : m->inputs); i++) {
            const hy_type *type = out ? NULL : &m->input[i].type;
            node = hy_graph_head(a->graph, i, &output);
            if (out) type = type_at(a, node, output);
            cell_text(r, " ");
            cell_text(r, out ? output_name(m, i) : m->input[i].name);
            cell_shape(r, type->shape);
            cell_text(r, dtype_text(type->dtype));
        }
        rows_close(r);
    }
}

static int run_show(tool *T)
{
    const char *unknown;
    char *formulas = NULL;
    hy_plan_info plan;
    report r;
    totals t;
    model m;
    analysis a;
    find_model(T, T->word[0], &m);
    if (m.kind == FILE_ARRAYS) {
        load_model(T, &m);
        return show_arrays(T, &m);
    }
    open_model(T, &m);
    take_inputs(T, &m, &a);
    plan = plan_of(T, &m, &formulas);
    t = totals_of(&m, &a);
    report_open(T, &r);
    json_text(&r, "model", m.name);
    show_layers(&r, &m, &a);
    show_totals(&r, &t, &plan);
    show_values(&r, &m, &a);
    json_text(&r, "formulas", formulas);
    if (formulas && !T->json) printf("\n%s", formulas);
    report_close(&r);
    unknown = inputs_unknown(T, &m);
    if (unknown && !T->json) printf("for the rest give %s\n", unknown);
    return FINE;
}

/* MARK: - hybrid graph ------------------------------------------------------------------------------- */

/* What stays while inputs change: parameters, and what is computed of them alone. */
static char *settled_of(tool *T, const model *m, const analysis *a)
{
    char *settled = ROOM(T, char, a->nodes);
    hy_node node;
    int i, k, output;
    for (i = 0; !hy_graph_node(a->graph, i, &node); i++) {
        settled[i] = node.op ? node.inputs > 0 : node.kind != HY_NODE_VARIABLE || (m && !input_at(m, i));
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
        if (n < 0 || k < n || (arg[i].kind == HY_ARG_LIST && !(node->op->flags & HY_OP_CONTROL))) return arg[i].name;
        k -= n;
    }
    return "input";
}

/* An attribute as a drawing shows it, "kernel 3x3"; NULL: it says nothing that matters. */
static char *attribute_of(tool *T, const hy_node *node, const hy_attr *t, const void *plain)
{
    char now[256], then[256], *s;
    int window = which_of("kernel|stride|dilate|pad|adj|output_size|pad_end", t->mxnet);
    if (which_of("no_bias|layout|count_include_pad|pooling_convention|eps|momentum|fix_gamma|use_global_stats"
                 "|output_mean_var", t->mxnet) >= 0) return NULL;
    hy_attr_text(t, node->record, now, sizeof now);
    hy_attr_text(t, plain, then, sizeof then);
    if ((node->op->flags & HY_OP_CONTROL) && (strcmp(t->name, "limit") || !strcmp(now, "0"))) return NULL;
    if (t->option && !strcmp(now, then)) return NULL;
    if (window > 0 && strcmp(t->mxnet, "pad_end") && !now[strspn(now, window < 3 ? "(), 1" : "(), 0")]) return NULL;
    while (window >= 0 && (s = strstr(now, ", ")) != NULL) {
        *s = 'x';
        memmove(s + 1, s + 2, strlen(s + 1));
    }
    if (window < 0 || *now != '(') return text_of(T, "%s %s", t->mxnet, now);
    return text_of(T, "%s %.*s", t->mxnet, (int)strcspn(now + 1, ")"), now + 1);
}

/* "convolution, kernel 3x3, num_filter 64, weight (64,3,3,3)" */
static char *detail_of(tool *T, const analysis *a, int i, const char *settled, int all)
{
    const hy_type *type = type_at(a, i, 0);
    const hy_attr *t;
    const char *name;
    const char *more;
    char *text, what[400];
    void *plain;
    hy_node node;
    int k, output, told = 0;
    if (hy_graph_node(a->graph, i, &node) || !node.op)
        return text_of(T, "%s %s", shape_text(T, type->shape), dtype_text(type->dtype));
    hy_node_text(a->graph, i, what, sizeof what);
    text = text_of(T, "%s", what + (what[0] == '_'));
    plain = room(T, 1, node.op->record);
    hy_defaults(node.op, plain);
    for (t = node.record ? node.op->attr : NULL; t && t->name; t++) {
        more = attribute_of(T, &node, t, plain);
        if (more) text = listed(T, 1, text, more);
    }
    for (k = 0; k < node.inputs && !all && told <= 4; k++) {       /* of thousands the first four */
        if (!settled[hy_graph_input(a->graph, i, k, &output)]) continue;
        name = name_of_input(&node, k);
        type = type_of_input(a, i, k);
        if (!strcmp(name, "label") || (type->shape.ndim == 1 && (!strcmp(name, "bias") ||
                                                                  work_of(node.op) == WORK_NORM))) continue;
        more = told++ < 4 ? text_of(T, "%s %s", name, shape_text(T, type->shape)) : "...";
        text = listed(T, 1, text, more);
    }
    return text;
}

/* The part of a name that it shares with its neighbours: "stage1" of "stage1_conv0_fwd". */
static char *group_of(tool *T, const char *name)
{
    size_t n = strlen(name) - (ends_in(name, "_fwd") ? 4 : 0);
    while (n && name[n] != '_') n--;
    while (n && name[n - 1] == '_') n--;                /* of "stage1__plus0" too */
    return n ? text_of(T, "%.*s", (int)n, name) : NULL;
}

static int drawn_kind(const hy_node *node)
{
    static const int kinds[] = { 2, 7, 8, 6, 3 };       /* by work */
    if (!node->op) return node->kind == HY_NODE_VARIABLE ? 0 : 1;
    return !strcmp(node->op->name, "_fused") ? 5 : kinds[work_of(node->op)];
}

typedef struct drawing { layered_node *node; layered_edge *edge; int nodes, edges, *place; } drawing;

/* An arrow to the box that comes next, if the node is drawn that gives the value. */
static void draw_edge(tool *T, drawing *d, const analysis *a, int from, int output)
{
    layered_edge *e = &d->edge[d->edges];
    if (d->place[from] < 0) return;
    e->from = d->place[from];
    e->to = d->nodes;
    e->label = shape_text(T, type_at(a, from, output)->shape);
    d->edges++;
}

/* Boxes and arrows of a graph: m is the model it is of, read NULL if the graph was traced of it. */
static void draw(tool *T, const model *m, const model *read, const analysis *a, drawing *d)
{
    int all = option(T, "parameters", 0) != NULL, i, k, from, output = 0, links = 0, variables = 0;
    int heads = hy_graph_heads(a->graph);
    char *settled = settled_of(T, read, a);
    hy_node node;
    memset(d, 0, sizeof *d);
    for (i = 0; !hy_graph_node(a->graph, i, &node); i++) links += node.inputs;
    d->place = ROOM(T, int, a->nodes);
    d->node = ROOM(T, layered_node, a->nodes + heads);
    d->edge = ROOM(T, layered_edge, links + heads);
    for (i = 0; !hy_graph_node(a->graph, i, &node); i++) {
        layered_node *box = &d->node[d->nodes];
        int input_now = !read && node.kind == HY_NODE_VARIABLE && variables < m->inputs;
        d->place[i] = settled[i] && !all ? -1 : d->nodes;
        if (d->place[i] < 0) continue;
        box->title = input_now ? m->input[variables++].name : node.name;
        box->detail = detail_of(T, a, i, settled, all);
        box->group = node.op ? group_of(T, node.name) : NULL;
        box->kind = !node.op && settled[i] ? 1 : drawn_kind(&node);
        for (k = 0; k < node.inputs; k++) {
            from = hy_graph_input(a->graph, i, k, &output);
            draw_edge(T, d, a, from, output);
        }
        d->nodes++;
    }
    for (i = 0; i < heads; i++, d->nodes++) {
        d->node[d->nodes].title = output_name(m, i);
        d->node[d->nodes].kind = 4;
        from = hy_graph_head(a->graph, i, &output);
        draw_edge(T, d, a, from, output);
    }
}

/* A file is written aside and renamed, as the library does. */
typedef struct aside { const char *out, *part; FILE *f; } aside;
static aside aside_open(tool *T, const char *out)
{
    aside A;
    A.out = out;
    A.part = text_of(T, "%s.part", out);
    writing(T, 1);
    remove(A.part);                     /* of a run that was killed; a link is not followed */
    A.f = fopen(A.part, "wbx");
    if (!A.f) fail(T, FAILED, "%s: the file cannot be made: %s", A.part, strerror(errno));
    return A;
}

/* why: what went wrong so far, or NULL. */
static void aside_close(tool *T, const aside *A, const char *why)
{
    int failed = ferror(A->f) ? EIO : 0;
    if (fclose(A->f) && !failed) failed = errno;
    if (!failed && !why) {
#ifdef _WIN32
        remove(A->out);
#endif
        if (rename(A->part, A->out)) failed = errno;
    }
    if (failed || why) remove(A->part);
    writing(T, 0);
    if (failed || why) fail(T, FAILED, "%s: %s", A->out, why ? why : strerror(failed));
}

/* --- repeated blocks are drawn once --- */
/* What repeats: `times` blocks of `nodes` boxes each, from `first` on. */
typedef struct repeat { int first, nodes, times, between; } repeat;
enum { LONGEST_BLOCK = 400, LEAST_SAVED = 6 };

static const char *plain(const char *text) { return text ? text : ""; }

/* Do boxes i and i + apart stand for the same, fed by the same or by what stands as far before them? */
static int is_repeated(const drawing *d, const int *into, const char *folded, int i, int apart)
{
    const layered_node *x = &d->node[i], *y = x + apart;
    int k, n = into[i + 1] - into[i];
    if (folded[i] || folded[i + apart] || x->kind != y->kind || n != into[i + apart + 1] - into[i + apart]) return 0;
    if (x->kind == 0 || x->kind == 4 || strcmp(plain(x->detail), plain(y->detail))) return 0;
    for (k = 0; k < n; k++) {
        const layered_edge *e = &d->edge[into[i] + k], *f = &d->edge[into[i + apart] + k];
        if ((f->from != e->from && f->from - e->from != apart) || strcmp(plain(e->label), plain(f->label))) return 0;
    }
    return 1;
}

/* Cuts r to the blocks whose values only the next block uses, but for the last one's; what is between two of them. */
static void cut_repeat(const drawing *d, const int *into, repeat *r)
{
    int e, block, to;
    r->between = 0;
    for (e = into[r->first]; e < d->edges; e++) {
        block = d->edge[e].from < r->first ? -1 : (d->edge[e].from - r->first) / r->nodes;
        to = (d->edge[e].to - r->first) / r->nodes;
        if (block < 0 || block >= r->times - 1) continue;
        if (to > block + 1 || to >= r->times) r->times = block + 1;
        if (block == 0 && to == 1) {    /* the second block uses what the first one's own node uses: not a chain */
            int i = d->edge[e].to - r->nodes, k = e - into[d->edge[e].to];
            if (d->edge[into[i] + k].from == d->edge[e].from) r->times = 1;
            r->between++;
        }
    }
}

static int saved_by(const repeat *r) { return r->nodes * (r->times - 1); }

/* The blocks that save most boxes, and of those the ones with the fewest arrows between them; times 0: none. */
static repeat find_repeat(tool *T, const drawing *d, const int *into, const char *folded)
{
    int *length = ROOM(T, int, d->nodes + 1), apart, i;
    repeat best = { 0, 0, 0, 0 }, r;
    for (apart = 2; apart <= d->nodes / 2 && apart <= LONGEST_BLOCK; apart++) {
        memset(length, 0, (size_t)(d->nodes + 1) * sizeof *length);
        for (i = d->nodes - apart - 1; i >= 0; i--)
            length[i] = is_repeated(d, into, folded, i, apart) ? length[i + 1] + 1 : 0;
        for (i = 0; i < d->nodes; i++) {
            r.first = i;
            r.nodes = apart;
            r.times = length[i] / apart + 1;
            if (saved_by(&r) < LEAST_SAVED || (best.times && saved_by(&r) < saved_by(&best))) continue;
            cut_repeat(d, into, &r);
            if (r.times < 2 || saved_by(&r) < LEAST_SAVED) continue;
            if (!best.times || saved_by(&r) > saved_by(&best) ||
                (saved_by(&r) == saved_by(&best) && r.between < best.between)) best = r;
        }
    }
    return best;
}

/* Where box i of repeated blocks is drawn. */
static int first_of(const repeat *r, int i)
{
    int in = i >= r->first && i < r->first + r->nodes * r->times;
    return in ? r->first + (i - r->first) % r->nodes : i;
}

/* Takes all but the first of the blocks out of the drawing, and says of that how often it is there. */
static void fold(tool *T, drawing *d, const repeat *r, char *folded)
{
    int i, n = 0, end = r->first + r->nodes * r->times, gone = r->nodes * (r->times - 1);
    char *group = text_of(T, "\xC3\x97 %d: %s ... %s", r->times, plain(d->node[r->first].title),
                          plain(d->node[end - r->nodes].title));
    for (i = r->first; i < r->first + r->nodes; i++) {
        d->node[i].times = r->times;
        d->node[i].group = group;
        folded[i] = 1;
    }
    for (i = 0; i < d->edges; i++) {
        layered_edge e = d->edge[i];
        if (e.to >= r->first + r->nodes && e.to < end) continue;
        e.from = first_of(r, e.from);
        e.from -= e.from >= end ? gone : 0;
        e.to -= e.to >= end ? gone : 0;
        d->edge[n++] = e;
    }
    d->edges = n;
    memmove(d->node + end - gone, d->node + end, (size_t)(d->nodes - end) * sizeof *d->node);
    memmove(folded + end - gone, folded + end, (size_t)(d->nodes - end));
    d->nodes -= gone;
}

static void fold_repeats(tool *T, drawing *d)
{
    char *folded = ROOM(T, char, d->nodes + 1);
    int *into = ROOM(T, int, d->nodes + 2), i;
    repeat r;
    do {
        memset(into, 0, (size_t)(d->nodes + 2) * sizeof *into);
        for (i = 0; i < d->edges; i++) into[d->edge[i].to + 1]++;
        for (i = 0; i < d->nodes; i++) into[i + 1] += into[i];
        r = find_repeat(T, d, into, folded);
        if (r.times) fold(T, d, &r, folded);
    } while (r.times);
}

/* --- as a page --- */
static void put_html(FILE *f, const char *s) { layered__xml(f, s, strlen(s)); }

static void begin_page(FILE *f, const char *title)
{
    fputs(hy_page_text(HY_PAGE_HEAD), f);
    fputs("<title>", f);
    put_html(f, title);
    fputs("</title></head><body>\n<h1><bdi>", f);
    put_html(f, title);
    fputs("</bdi></h1>\n", f);
}

static int drawing_page(FILE *f, const char *title, int nodes, const layered_node *node, int edges,
                        const layered_edge *edge)
{
    int lack, narrow;
    begin_page(f, title);
    fprintf(f, "<style>.draw{overflow-x:auto;text-align:center}.key{margin-bottom:1rem}"
            "@media(prefers-color-scheme:dark){svg,.key i{filter:invert(.9) hue-rotate(180deg)}}"
            ".n{display:none}@media(max-width:40rem){.w{display:none}.n{display:block}}</style>\n"
            "<p>hybrid.h %s; a pointer on a box shows all of it</p>\n", hy_version());
    for (narrow = lack = 0; narrow < 2; narrow++) {
        fprintf(f, "<section class=\"%s\">", narrow ? "n" : "w");
        lack |= layered_element(f, narrow, nodes, node, edges, edge);
        fputs("</section>\n", f);
    }
    fputs("<script>document.querySelectorAll('.draw').forEach(function(e){e.scrollLeft="
          "(e.scrollWidth-e.clientWidth)/2})</script>\n", f);
    fputs(hy_page_text(HY_PAGE_END), f);
    return lack;
}

static void save_drawing(tool *T, const char *out, const char *title, const drawing *d)
{
    aside A = aside_open(T, out);
    int lack = (ends_in(out, ".dot") ? layered_dot : ends_in(out, ".html") ? drawing_page : layered_svg)(
        A.f, title, d->nodes, d->node, d->edges, d->edge);
    aside_close(T, &A, lack ? "out of memory" : NULL);
}

/* The graph as it runs: traced, then through the passes. */
static hy_graph *passed_graph(tool *T, model *m)
{
    hy_array *x = shaped_inputs(T, m, 0);
    hy_block *block = make_block(T, m, VALUES_ZERO, 0);
    check(T);
    hy_hybridize(T->F, block, NULL);
    hy_plan(T->F, block, x);            /* traces, and runs nothing */
    check(T);
    return hy_optimize(T->F, hy_graph_of(T->F, block), x, NULL);
}

static int run_graph(tool *T)
{
    const char *out = option(T, "out", 0), *title = strrchr(T->word[0], '/');
    int passes = option(T, "passes", 0) != NULL, nodes, edges;
    drawing d;
    analysis a;
    model m;
    if (!out || (!ends_in(out, ".svg") && !ends_in(out, ".dot") && !ends_in(out, ".html")))
        fail(T, MISUSED, "drawings are .svg, .html or .dot: say where this one goes, --out FILE.svg or another");
    if (passes) {
        open_shaped(T, &m, &a);
        analysis_open(T, passed_graph(T, &m), &a);
    } else {
        open_model(T, &m);
        take_inputs(T, &m, &a);
    }
    progress(T, "drawing ...", -1);
    draw(T, &m, passes ? NULL : &m, &a, &d);
    nodes = d.nodes;
    edges = d.edges;
    if (!option(T, "whole", 0)) fold_repeats(T, &d);
    title = text_of(T, "%s%s", title ? title + 1 : T->word[0], passes ? ", after the passes" : "");
    save_drawing(T, out, title, &d);
    progress_clear(T);
    printf("%s: %d nodes, %d edges", out, nodes, edges);
    if (d.nodes < nodes) printf("; %d drawn, as blocks that repeat are drawn once", d.nodes);
    printf("\n");
    return FINE;
}

/* MARK: - the page of a profile ------------------------------------------------------------------------ */

/* Draws the events on a canvas: a wheel or the buttons look closer, a drag moves along, a pointer tells. */
static const char timeline_begin[] =
    "(function(){\n"
    "var d=document,v=d.querySelector('canvas'),D=JSON.parse(d.getElementById('events').textContent),N=D.names,"
    "E=D.events,\n"
    "G={},rows=0,all=0,from=0,to=1,H=20,colour=['--c','--c','--a','--a','--c','--b','--b','--c'],over=null,"
    "held=null;\n"
    "E.forEach(function(e){var k=e[6]*1000+e[7],g=G[k]=G[k]||{open:[],deep:0,e:[]};g.e.push(e);"
    "all=Math.max(all,e[4]+e[5])});\n"
    "Object.keys(G).map(Number).sort(function(a,b){return a-b}).forEach(function(k){var g=G[k];\n"
    "g.e.sort(function(a,b){return a[4]-b[4]||b[5]-a[5]}).forEach(function(e){\n"
    "while(g.open.length&&g.open[g.open.length-1]<e[4]+e[5]-1e-6)g.open.pop();\n"
    "e.row=rows+g.open.length;g.open.push(e[4]+e[5]);g.deep=Math.max(g.deep,g.open.length)});rows+=g.deep});\n"
    "all=all||1;to=all;\n"
    "function time(t){var u=['ns','us','ms','s'],k=1;if(!t)return'0';while(Math.abs(t)>=1e3&&k<3){t/=1e3;k++}\n"
    "if(Math.abs(t)<1&&k==1){t*=1e3;k=0}return+t.toPrecision(4)+' '+u[k]}\n"
    "function hue(i){var h=0,s=N[i],k;for(k=0;k<s.length;k++)h=h*31+s.charCodeAt(k)|0;return Math.abs(h)%40-20}\n"
    "function label(e){return(e[0]==4?'early: ':e[0]==5?'trace: ':e[0]==6?'compile: ':'')+(N[e[1]]||N[e[2]])}\n"
    "function draw(){var q=devicePixelRatio||1,w=v.clientWidth,h=rows*H+26,c=v.getContext('2d'),"
    "s=getComputedStyle(d.documentElement),\n"
    "x=function(t){return(t-from)/(to-from)*w},step=Math.pow(10,Math.floor(Math.log10((to-from)/Math.max(2,"
    "w/110)))),n=(to-from)/step/(w/90),t;\n"
    "step*=n>5?10:n>2?5:n>1?2:1;\n"
    "v.style.height=h+'px';v.width=w*q;v.height=h*q;c.scale(q,q);c.font='12px system-ui,sans-serif';"
    "c.textBaseline='middle';\n"
    "function of(n){return s.getPropertyValue(n)}\n"
    "for(t=Math.ceil(from/step)*step;t<=to;t+=step){c.fillStyle=of('--rule');c.fillRect(x(t),18,1,h);"
    "c.fillStyle=of('--dim');\n"
    "n=time(t-0);var m=c.measureText(n).width;c.fillText(n,Math.min(Math.max(0,x(t)-m/2),w-m),9)}\n"
    "E.forEach(function(e){var l=Math.max(0,x(e[4])),r=Math.min(w,x(e[4]+e[5])),y=24+e.row*H,n=label(e);\n";
static const char timeline_end[] =
    "if(r<0||l>w)return;r=Math.max(r,l+.6);c.globalAlpha=e==over?1:e[0]==2||e[0]==3?.82+hue(e[2])/130:.75;\n"
    "c.fillStyle=of(colour[e[0]]);c.fillRect(l,y,Math.max(.5,r-l-.5),H-2);c.globalAlpha=1;\n"
    "if(r-l>36){c.fillStyle=e[0]<2||e[0]>6||e[0]==4?of('--ink'):'#fff';var k=Math.floor((r-l-10)/6.4);\n"
    "if(n.length>k)n=n.slice(0,Math.max(1,k-1))+'\\u2026';while(n.length>2&&"
    "c.measureText(n).width>r-l-8)n=n.slice(0,-2)+'\\u2026';\n"
    "c.fillText('\\u2068'+n+'\\u2069',l+4,y+H/2-1)}})}\n"
    "function look(a,b){var s=Math.max(1e-3,Math.min(all,b-a));a=Math.max(0,Math.min(all-s,a));from=a;to=a+s;"
    "draw()}\n"
    "function zoom(f,at){look(at-(at-from)*f,at+(to-at)*f)}\n"
    "function place(e){var r=v.getBoundingClientRect();return[from+(e.clientX-r.left)/r.width*(to-from),"
    "Math.floor((e.clientY-r.top-24)/H)]}\n"
    "v.addEventListener('pointermove',function(e){var p=place(e),was=over,g=.6*(to-from)/v.clientWidth;\n"
    "if(held){look(held[0]-(e.clientX-held[1])/v.clientWidth*(held[2]-held[0]),"
    "held[2]-(e.clientX-held[1])/v.clientWidth*(held[2]-held[0]));return}\n"
    "over=null;E.forEach(function(o){if(o.row==p[1]&&o[4]-g<=p[0]&&p[0]<=o[4]+o[5]+g)over=o});\n"
    "v.setAttribute('data-t',over?label(over)+'\\n'+N[over[2]]+(N[over[3]]?"
    "'\\n'+N[over[3]]:'')+'\\n'+time(over[5])+', from '+time(over[4])\n"
    "+(over[8]?'\\n'+over[8]+' bytes read and written':''):'');if(was!=over)draw()});\n"
    "v.addEventListener('pointerdown',function(e){held=[from,e.clientX,to];v.setPointerCapture(e.pointerId)});\n"
    "v.addEventListener('pointerup',function(){held=null});v.addEventListener('pointercancel',function(){"
    "held=null});\n"
    "v.addEventListener('wheel',function(e){e.preventDefault();zoom(e.deltaY>0?1.25:.8,place(e)[0])},{"
    "passive:false});\n"
    "v.addEventListener('dblclick',function(){look(0,all)});\n"
    "d.querySelectorAll('button').forEach(function(b,i){b.onclick=function(){i==2?look(0,all):zoom(i?2:.5,"
    "(from+to)/2)}});\n"
    "addEventListener('resize',draw);if(matchMedia)matchMedia('(prefers-color-scheme:dark)').addEventListener('"
    "change',draw);draw()})()\n";

enum { MOST_DRAWN = 20000, MOST_ROWS = 40 };

/* In at most four digits: "1.234 ms". */
static const char *digits(tool *T, double v, const char *unit)
{
    static const char *const prefix[] = { "n", "u", "m", "", "k", "M", "G", "T" };
    int k = 3;
    if (v == 0) return "0";
    for (; fabs(v) >= (k == 3 && !*unit ? 9999.5 : 999.95) && k < 7; k++) v /= 1000;
    for (; *unit && fabs(v) < 1 && k > 0; k--) v *= 1000;
    return text_of(T, "%.4g%s%s%s", v, *unit ? " " : "", prefix[k], unit);
}

/* A text in JSON that stands in a page. */
static void put_json(FILE *f, const char *s)
{
    fputc('"', f);
    while (*s) {
        const char *p = s;
        unsigned c = layered__char(&s);
        if (c < 0x20 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c == 0xFFFD)
            fprintf(f, "\\u%04x", c == ' ' && *p == '\n' ? '\n' : c);
        else fwrite(p, 1, (size_t)(s - p), f);
    }
    fputc('"', f);
}

/* Texts of the events, each once: what stands in the events is its number. */
typedef struct names { const char **at; int n, room, *slot; } names;
static unsigned hash_of(const char *s)
{
    unsigned h = 2166136261u;
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}
static int name_number(tool *T, names *all, const char *text)
{
    unsigned i = hash_of(text) % (unsigned)all->room;
    for (; all->slot[i]; i = (i + 1) % (unsigned)all->room)
        if (!strcmp(all->at[all->slot[i] - 1], text)) return all->slot[i] - 1;
    all->at[all->n++] = text_of(T, "%s", text);
    all->slot[i] = all->n;
    return all->n - 1;
}

/* Time of each operator, and of tracing and compiling. */
typedef struct spent { const char *what; double seconds, calls; } spent;
static int by_spent(const void *a, const void *b)
{
    double x = ((const spent *)a)->seconds, y = ((const spent *)b)->seconds;
    return x < y ? 1 : x > y ? -1 : strcmp(((const spent *)a)->what, ((const spent *)b)->what);
}
static int add_spent(spent *all, int n, const char *what, double seconds)
{
    int k;
    for (k = 0; k < n && strcmp(all[k].what, what); k++) continue;
    if (k == n) { all[n].what = what; n++; }
    all[k].seconds += seconds;
    all[k].calls++;
    return n;
}

static void put_tile(FILE *f, const char *value, const char *name)
{
    fprintf(f, "<div><strong>%s</strong>%s</div>", value, name);
}

static void put_spent(tool *T, FILE *f, const spent *all, int n)
{
    double sum = 0;
    int i;
    for (i = 0; i < n; i++) sum += all[i].seconds;
    fputs("<section class=\"all\"><h2>Time by operator</h2><table><tr><th>operator<th>calls<th>time<th class=\"bar\">"
          "share</tr>\n", f);
    for (i = 0; i < n && i < MOST_ROWS; i++) {
        double share = sum > 0 ? 100 * all[i].seconds / sum : 0;
        fputs("<tr data-t=\"", f);
        put_html(f, all[i].what);
        fprintf(f, "\n%.3g%% of the operators' time, %s each\"><td>", share,
                digits(T, all[i].seconds / all[i].calls, "s"));
        put_html(f, all[i].what);
        fprintf(f, "<td>%s<td>%s<td><s style=\"width:%.4g%%\"></s></tr>\n", digits(T, all[i].calls, ""),
                digits(T, all[i].seconds, "s"), share);
    }
    fputs("</table></section>\n", f);
}

/* The events as JSON: kind, name, what, shapes, microseconds from and for, frame, lane, bytes. */
static void put_events(tool *T, FILE *f, int n)
{
    names all;
    hy_event e;
    int i, name, what;
    memset(&all, 0, sizeof all);
    all.room = 6 * n + 7;
    all.at = ROOM(T, const char *, 3 * n + 1);
    all.slot = ROOM(T, int, all.room);
    fputs("<script type=\"application/json\" id=\"events\">{\"events\":[", f);
    for (i = 0; i < n && !hy_profile_event(T->F, i, &e); i++) {
        name = name_number(T, &all, e.name);
        what = name_number(T, &all, e.what);
        fprintf(f, "%s[%d,%d,%d,%d,%.3f,%.3f,%d,%d,%.0f]", i ? ",\n" : "", (int)e.kind, name, what,
                name_number(T, &all, e.shapes), 1e6 * e.start, 1e6 * e.seconds, e.frame, e.lane, (double)e.bytes);
    }
    fputs("],\n\"names\":[", f);
    for (i = 0; i < all.n; i++) {
        fputs(i ? ",\n" : "", f);
        put_json(f, all.at[i]);
    }
    fputs("]}</script>\n", f);
}

static void profile_page(tool *T, FILE *f)
{
    static const char *const kinds[] = { "call", "block", NULL, NULL, "early", "trace", "compile" };
    const char *title = strrchr(T->word[0], '/'), *name;
    double end = 0, calls = 0, held = 0, busy = 0;
    hy_event e;
    spent *all;
    int n = 0, drawn, i, rows = 0;
    while (!hy_profile_event(T->F, n, &e)) n++;
    all = ROOM(T, spent, n + 1);
    for (i = 0; !hy_profile_event(T->F, i, &e); i++) {
        if (e.start + e.seconds > end) end = e.start + e.seconds;
        if ((double)e.held > held) held = (double)e.held;
        calls += e.kind == HY_EVENT_CALL;
        if (e.kind == HY_EVENT_CALL || e.kind == HY_EVENT_BLOCK || e.kind == HY_EVENT_TURN) continue;
        name = e.kind == HY_EVENT_OP || e.kind == HY_EVENT_JOB ? e.what : kinds[e.kind];
        busy += e.kind == HY_EVENT_OP || e.kind == HY_EVENT_JOB ? e.seconds : 0;
        rows = add_spent(all, rows, name, e.seconds);
    }
    qsort(all, (size_t)rows, sizeof *all, by_spent);
    drawn = n < MOST_DRAWN ? n : MOST_DRAWN;
    begin_page(f, text_of(T, "Profile of %s", title ? title + 1 : T->word[0]));
    fprintf(f, "<style>canvas{display:block;width:100%%;touch-action:pan-y;cursor:grab;margin-top:.6rem}"
            "button{font:inherit;min-width:2.4rem;padding:.15rem .6rem;margin-right:.4rem;border:1px solid var(--rule);border-radius:8px;"
            "background:var(--bg);color:var(--ink)}</style>\n<p>hybrid.h %s, %s</p>\n"
            "<main><section class=\"all tiles\">", hy_version(), T->command);
    put_tile(f, digits(T, end, "s"), "in all");
    put_tile(f, digits(T, busy, "s"), "in operators");
    put_tile(f, digits(T, calls, ""), "calls");
    put_tile(f, digits(T, n, ""), "events");
    put_tile(f, digits(T, held, "B"), "held at most");
    fputs("</section>\n<section class=\"all\"><h2>Timeline</h2><div class=\"key\"><span>"
          "<i class=\"c\" style=\"width:.8em\"></i>calls, blocks</span><span><i class=\"a\"></i>operators</span><span><i class=\"b\"></i>trace, compile</span></div>"
          "<p>", f);
    if (drawn < n) fprintf(f, "The first %s of %s events. ", digits(T, drawn, ""), digits(T, n, ""));
    fputs("A wheel looks closer, a drag moves along.</p><button>+</button><button>&minus;</button><button>all</button>"
          "<canvas></canvas></section>\n", f);
    put_spent(T, f, all, rows);
    fputs("</main>\n", f);
    put_events(T, f, drawn);
    fprintf(f, "<script>%s%s</script>\n%s", timeline_begin, timeline_end, hy_page_text(HY_PAGE_END));
}

/* Starts the profile; a page is written by the tool when it ends. */
static void profile_begin(tool *T, const char *file)
{
    hy_profile(T->F, file && !ends_in(file, ".html") ? file : "");
}

/* Ends the profile. A trace that cannot be written must not take along what was measured. */
static void profile_end(tool *T, const char *file)
{
    int sound = !hy_error(T->F), failed;
    aside A;
    writing(T, 1);
    failed = hy_profile(T->F, NULL);
    writing(T, 0);
    if (file && ends_in(file, ".html")) {
        A = aside_open(T, file);
        profile_page(T, A.f);
        aside_close(T, &A, NULL);
    }
    if (!failed || !sound) return;
    note(T, "%s", hy_error(T->F));
    hy_clear(T->F);
    T->late = FAILED;
}

/* MARK: - hybrid run --------------------------------------------------------------------------------- */

/* Each name once. */
static void part_names(tool *T, const char **name, int n)
{
    int i, k;
    for (i = 0; i < n; i++)
        for (k = 0; k < i; k++)
            if (!strcmp(name[k], name[i])) { name[i] = text_of(T, "%s_%d", name[i], i); k = -1; }
}

/* Names that files may have. */
static const char **file_names(tool *T, const char *const *own, int n)
{
    const char **name = ROOM(T, const char *, n);
    char *s;
    int i;
    for (i = 0; i < n; i++) {
        char *text = cleaned(text_of(T, "%s", own[i]));
        for (s = text; *s; s++) if (strchr("/\\:*?\"<>|", *s)) *s = '_';
        name[i] = *text == '.' || !*text ? text_of(T, "output%s", text) : text;
    }
    part_names(T, name, n);
    return name;
}

static int is_arrays_file(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && which_of("npz|npy|params|safetensors", dot + 1) >= 0;
}

static void save(tool *T, const char *file, hy_arrays all)
{
    writing(T, 1);
    hy_save(T->F, file, all);
    writing(T, 0);
}

/* Into one file, or each into a file of its own in a folder; file[i] becomes where output i is. */
static void save_outputs(tool *T, const char *out, hy_arrays all, const char **file)
{
    hy_arrays one = all;
    const char **alone = file_names(T, all.name, all.n);
    int i, together = is_arrays_file(out);
    for (i = 0; i < all.n && ends_in(out, ".npz"); i++)         /* its members are files, too, to some */
        if (strstr(all.name[i], "..") || strchr(all.name[i], '\\')) all.name = alone;
    if (together) save(T, out, all);
    else if (kind_of_file(T, out) != FILE_FOLDER && make_folder(out))
        fail(T, FAILED, "%s: the folder cannot be made: %s", out, strerror(errno));
    one.n = 1;
    for (i = 0; i < all.n; i++, one.at++) {
        file[i] = together ? out : text_of(T, "%s%s%s.npy", out, ends_in(out, "/") ? "" : "/", alone[i]);
        progress(T, "writing", (double)i / all.n);
        if (!together) save(T, file[i], one);
    }
    progress_clear(T);
    check(T);
}

/* The outputs: into files, and what they are like. */
static void report_outputs(tool *T, const char *out, hy_arrays all, double seconds)
{
    const char **file = ROOM(T, const char *, all.n);
    report r;
    int i;
    if (out) save_outputs(T, out, all, file);
    report_open(T, &r);
    ROWS_OPEN(&r, "outputs", array_columns);
    for (i = 0; i < all.n; i++) array_row(&r, all.name[i], all.at[i], file[i]);
    rows_close(&r);
    json_number(&r, "seconds", seconds);
    report_close(&r);
    if (!T->json) printf("%.4f seconds\n", seconds);
}

/* The block that runs: of an ONNX file all of it, whatever values decide on the way. */
static hy_block *run_block(tool *T, model *m, hy_array **x)
{
    const char *seed = option(T, "random-params", 0);
    hy_block *block;
    hy_array **all;
    analysis a;
    int i;
    find_model(T, T->word[0], m);
    if (m->kind == FILE_ONNX) {
        open_onnx(T, m);
        check_given(T, m->outer, m->outers);
        T->quiet++;                     /* that the compiled part does not use all of it is no news */
        *x = onnx_inputs(T, m, m->whole);
        return m->whole;
    }
    open_model(T, m);
    if (!seed && lacks_values(T, m))
        fail(T, MISUSED, "%s has no values: give --params FILE, --epoch N or --random-params", m->name);
    take_inputs(T, m, &a);
    check_given(T, m->input, m->inputs);
    all = ROOM(T, hy_array *, m->inputs);
    for (i = 0; i < m->inputs; i++) all[i] = m->input[i].x;
    *x = all_as_one(T, m->inputs, all);
    block = make_block(T, m, seed ? VALUES_RANDOM : VALUES_GIVEN,
                       seed && *seed ? option_whole(T, "random-params", 0, INT64_MAX, 0) : 0);
    check(T);
    return block;
}

static int run_run(tool *T)
{
    const char *out = option(T, "output", 0), *trace = option(T, "profile", 0), **name;
    hy_block *block;
    hy_array *x, *y, **each;
    hy_arrays all;
    model m;
    int i;
    double begun;
    if (trace) check_writable(T, trace);
    if (out && is_arrays_file(out)) check_writable(T, out);
    block = run_block(T, &m, &x);
    if (!option(T, "imperative", 0)) hy_hybridize(T->F, block, NULL);
    if (trace) profile_begin(T, trace);
    begun = hy_seconds();
    y = hy_call(T->F, block, x);
    hy_wait_all(T->F);
    begun = hy_seconds() - begun;
    if (trace) profile_end(T, trace);
    check(T);
    all.n = hy_count(T->F, y);
    all.at = each = ROOM(T, hy_array *, all.n);
    all.name = name = m.whole ? onnx_names(T, m.whole, all.n) : ROOM(T, const char *, all.n);
    for (i = 0; i < all.n; i++) {
        each[i] = all.n == 1 ? y : hy_get(T->F, y, i);
        if (!m.whole) name[i] = output_name(&m, i);
    }
    part_names(T, name, all.n);
    report_outputs(T, out, all, begun);
    return FINE;
}

/* MARK: - hybrid bench ------------------------------------------------------------------------------- */

typedef struct timing { int threads, compiled; int64_t calls; double least, median, p99, total; } timing;
typedef struct cost { const char *name, *what; double seconds, flops; int64_t calls; } cost;
typedef struct bench {
    double   seconds;                   /* budget of each timing */
    int64_t  count;                     /* calls of each, 0: as many as the budget allows */
    timing  *at;
    int      n;
    cost    *cost;                      /* of the operators, the most expensive first */
    int      costs;
    int64_t  calls;                     /* that they were measured over */
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
    check(T);
    return hy_seconds() - begun;
}

/* Calls until the budget is spent; a tenth of it goes first, to warm up. */
static void measure(tool *T, const bench *b, hy_block *block, hy_array *x, timing *t)
{
    enum { MOST = 1 << 20 };
    double *times = ROOM(T, double, b->count ? b->count : MOST), begun = hy_seconds(), share = 0;
    char *what = text_of(T, "%s, %d thread%s", t->compiled ? "hybridized" : "imperative", t->threads,
                         t->threads > 1 ? "s" : "");
    int i;
    for (i = 0; i < 2 || (!b->count && hy_seconds() - begun < b->seconds / 10); i++) call_once(T, block, x);
    for (begun = hy_seconds(); share < 1 && t->calls < MOST; ) {
        times[t->calls] = call_once(T, block, x);
        t->total += times[t->calls++];
        share = b->count ? (double)t->calls / (double)b->count : (hy_seconds() - begun) / b->seconds;
        progress(T, what, share);
    }
    progress_clear(T);
    qsort(times, (size_t)t->calls, sizeof *times, by_value);
    t->least = times[0];
    t->median = (times[(t->calls - 1) / 2] + times[t->calls / 2]) / 2;
    t->p99 = times[(t->calls * 99 - 1) / 100];
}

/* --- time per operator --- */
static int cost_by_name(const void *a, const void *b)
{
    const cost *x = (const cost *)a, *y = (const cost *)b;
    int order = strcmp(x->name, y->name);
    return order ? order : strcmp(x->what, y->what);
}

static int cost_by_name_seconds(const void *a, const void *b)
{
    int order = cost_by_name(a, b);
    return order ? order : by_value(&((const cost *)a)->seconds, &((const cost *)b)->seconds);
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
    int i;
    for (i = 0; !hy_graph_node(a->graph, i, &node); i++) {
        double flops = flops_of(a, i);
        for (c = b->cost; node.op && c < b->cost + b->costs; c++) {
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
    b->cost = ROOM(T, cost, n);
    for (i = 0; !hy_profile_event(T->F, i, &e); i++) {
        cost *c = &b->cost[b->costs];
        b->calls += e.kind == HY_EVENT_CALL;
        if (e.kind != HY_EVENT_JOB || !e.call) continue;
        c->name = e.name;
        c->what = e.what;
        c->seconds = e.seconds;
        c->calls = 1;
        b->costs++;
    }
    qsort(b->cost, (size_t)b->costs, sizeof *b->cost, cost_by_name_seconds);
    for (n = i = 0; i < b->costs; i += k) {             /* medians, so that a hiccup is nobody's */
        for (k = 1; i + k < b->costs && !cost_by_name(&b->cost[i], &b->cost[i + k]); k++) continue;
        b->cost[n] = b->cost[i];
        b->cost[n].seconds = k * (b->cost[i + (k - 1) / 2].seconds + b->cost[i + k / 2].seconds) / 2;
        b->cost[n++].calls = k;
    }
    b->costs = n;
    qsort(b->cost, (size_t)b->costs, sizeof *b->cost, cost_by_seconds);
}

/* Some more calls, with the profile on. */
static void measure_operators(tool *T, bench *b, const model *m, hy_block *block, hy_array *x)
{
    const char *file = option(T, "profile", 0);
    double begun = hy_seconds();
    analysis a;
    int i;
    profile_begin(T, file);
    for (i = 0; i < 100 && (!i || hy_seconds() - begun < b->seconds / 2); i++) call_once(T, block, x);
    profile_end(T, file);
    check(T);
    gather_costs(T, b);
    if (block == m->whole) { block = m->part; x = onnx_inputs(T, m, block); }
    analysis_open(T, hy_optimize(T->F, hy_graph_of(T->F, block), x, NULL), &a);
    add_flops(b, &a);
}

/* Both ways in the frame that T has now; in the first one the operators too. */
static void bench_frame(tool *T, bench *b)
{
    hy_block *block;
    hy_array *x;
    analysis a;
    model m;
    int k;
    open_shaped(T, &m, &a);
    if (m.whole && *m.late) {           /* all of it; what the compiled part does not use is no news */
        T->quiet++;
        x = onnx_inputs(T, &m, m.whole);
        block = m.whole;
    } else {
        x = shaped_inputs(T, &m, 1);
        block = make_block(T, &m, VALUES_RANDOM, 0);
    }
    check(T);
    for (k = 0; k < 2; k++) {
        timing *t = &b->at[b->n++];
        t->threads = hy_threads(T->F);
        t->compiled = k;
        if (k) hy_hybridize(T->F, block, NULL);
        measure(T, b, block, x, t);
    }
    if (!b->cost) measure_operators(T, b, &m, block, x);
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
    json_text(&r, "model", T->word[0]);
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
        cell_text(&r, T->json || strlen(c->what) <= 40 ? c->what : text_of(T, "%.37s...", c->what));
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
    bench b;
    char *behind;
    int i;
    memset(&b, 0, sizeof b);
    b.seconds = text ? strtod(text, &behind) : 2;
    if (text && (behind == text || *behind || !(b.seconds > 0 && b.seconds <= 3600)))
        fail(T, MISUSED, "--seconds %s: a number above 0, up to 3600, is due here", text);
    b.count = option_whole(T, "count", 1, 1 << 20, 0);
    b.at = ROOM(T, timing, 2 * T->threads + 2);
    if (option(T, "profile", 0)) check_writable(T, option(T, "profile", 0));
    bench_frame(T, &b);
    for (i = 1; i < T->threads; i++) {
        T->first = T->F;
        T->F = open_frame(T, T->thread[i]);
        bench_frame(T, &b);
        hy_close(T->F);
        T->F = T->first;
        T->first = NULL;
        T->left = 0;
    }
    bench_report(T, &b);
    return FINE;
}

/* MARK: - hybrid check ------------------------------------------------------------------------------- */

static int run_check(tool *T)
{
    enum { ROOM_FOR_LINES = 1 << 16 };
    static const column columns[] = { TEXT("text", "") };
    char *text = ROOM(T, char, ROOM_FOR_LINES), *line;
    hy_block *block;
    hy_array *x;
    analysis a;
    report r;
    model m;
    int found;
    open_shaped(T, &m, &a);
    x = shaped_inputs(T, &m, 1);
    block = make_block(T, &m, VALUES_RANDOM, 0);
    check(T);
    progress(T, "running line by line, as a graph and as a program ...", -1);
    found = hy_check_text(T->F, block, x, text, ROOM_FOR_LINES);
    progress_clear(T);
    check(T);
    report_open(T, &r);
    json_text(&r, "model", m.name);
    json_number(&r, "differences", found);
    ROWS_OPEN(&r, "lines", columns);
    for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) cell_text(&r, line);
    rows_close(&r);
    report_close(&r);
    if (!T->json) printf("%s: %d difference%s\n", m.name, found, found == 1 ? "" : "s");
    return found ? FAILED : FINE;
}

/* MARK: - hybrid compile ----------------------------------------------------------------------------- */

static int written(tool *T, const char *file)
{
    progress_clear(T);
    check(T);
    printf("%s: %s bytes\n", file, grouped(T, file_bytes(file)));
    return FINE;
}

static int run_compile(tool *T)
{
    const char *out = option(T, "out", 0);
    hy_export_c_opt opt;
    hy_block *block;
    hy_array *x;
    analysis a;
    model m;
    if (!out) fail(T, MISUSED, "--out FILE.c says where the C source goes");
    memset(&opt, 0, sizeof opt);
    opt.prefix = option(T, "prefix", 0);
    opt.header = option(T, "header", 0);
    opt.weights = option(T, "weights", 0);
    opt.no_test = option(T, "no-test", 0) != NULL;
    open_shaped(T, &m, &a);
    x = shaped_inputs(T, &m, 1);
    block = make_block(T, &m, VALUES_GIVEN, 0);
    check(T);
    progress(T, "writing ...", -1);
    writing(T, 1);
    hy_export_c(T->F, block, x, out, &opt);
    writing(T, 0);
    if (opt.header) written(T, opt.header);
    if (opt.weights) written(T, opt.weights);
    return written(T, out);
}

/* MARK: - hybrid convert ----------------------------------------------------------------------------- */

typedef enum target { TO_ARRAYS, TO_SYMBOL, TO_PAIR, TO_SINGLE, TO_ONNX } target;

/* What B is to become, from --to or from its name. An ending of a stranger is refused: nobody who asks for
 * x.onnx wants a zip of that name. Numbers are no endings: the pair of mobilenet0.25 is called so. */
static target target_of(tool *T, const char *b)
{
    static const char *const endings[] = { ".params", ".npy", ".npz", ".safetensors", ".json", ".hybrid",
                                           ".model", ".onnx" };
    const char *to = option(T, "to", 0), *dot = strrchr(b, '.'), *slash = strrchr(b, '/');
    int i = to ? which_of("values|symbol|pair|single|onnx", to) : -1;
    nearest near = { NULL, NULL, 0 };
    if (to && i < 0) fail(T, MISUSED, "--to %s: values, symbol, pair, single or onnx is due", to);
    if (i == TO_ARRAYS && !is_arrays_file(b))
        fail(T, MISUSED, "%s: values go to .params, .npy, .npz or .safetensors", b);
    if (to) return (target)i;
    if (is_arrays_file(b)) return TO_ARRAYS;
    if (ends_in(b, "-symbol.json")) return TO_PAIR;
    if (ends_in(b, ".json")) return TO_SYMBOL;
    if (!dot || (slash && dot < slash) || !dot[1 + strspn(dot + 1, "0123456789")]) return TO_PAIR;
    if (ends_in(b, ".hybrid") || ends_in(b, ".model")) return TO_SINGLE;
    if (ends_in(b, ".onnx")) return TO_ONNX;
    near.word = dot;
    for (i = 0; i < (int)(sizeof endings / sizeof *endings); i++) nearest_try(&near, endings[i]);
    fail(T, MISUSED, "nothing is written as %s%s; known are .params .npy .npz .safetensors, -symbol.json (or "
         "no ending), .json, .hybrid, .model and .onnx, or say --to KIND", dot, hint_of(T, &near, ""));
    return TO_SINGLE;
}

/* Arrays without names get those that NumPy gives. */
static int convert_arrays(tool *T, const model *m, const char *b)
{
    hy_arrays all = m->arrays;
    const char **name = ROOM(T, const char *, all.n);
    int i;
    for (i = 0; i < all.n; i++) name[i] = text_of(T, "arr_%d", i);
    if (!all.name && !ends_in(b, ".params")) all.name = name;
    progress(T, "writing ...", -1);
    save(T, b, all);
    return written(T, b);
}

/* For the shapes that are said or declared: ONNX wants the types of all values. */
static int convert_to_onnx(tool *T, const char *b)
{
    hy_block *block;
    model m;
    analysis a;
    open_shaped(T, &m, &a);
    block = make_block(T, &m, VALUES_GIVEN, 0);
    check(T);
    progress(T, "writing ...", -1);
    writing(T, 1);
    hy_onnx_save(T->F, block, shaped_inputs(T, &m, 0), b, (int)option_whole(T, "opset", 13, 22, 17));
    writing(T, 0);
    return written(T, b);
}

static int run_convert(tool *T)
{
    const char *b = T->word[1], *prefix = b, *name = strrchr(b, '/');
    target to = target_of(T, b);
    hy_block *block = NULL;
    model m;
    name = name ? name + 1 : b;
    if (which_of("|.|..", name) >= 0) fail(T, MISUSED, "'%s' names no file to write", b);
    find_model(T, T->word[0], &m);
    if (m.kind == FILE_ARRAYS && to != TO_ARRAYS)
        fail(T, MISUSED, "%s holds values only, which go to .params, .npy, .npz or .safetensors", m.name);
    if (to == TO_ONNX) return convert_to_onnx(T, b);
    if (m.kind != FILE_ONNX && (option(T, "shape", 0) || option(T, "input", 0) || option(T, "value", 0)))
        fail(T, MISUSED, "--shape, --input and --value go with ONNX: nothing else is made for one size");
    if (m.kind != FILE_ONNX) check_pictures(T);
    load_model(T, &m);
    if (to == TO_SYMBOL) {
        writing(T, 1);
        hy_save_symbol(T->F, m.graph, b);
        writing(T, 0);
        return written(T, b);
    }
    if (to != TO_ARRAYS) block = make_block(T, &m, VALUES_GIVEN, 0);
    if (!m.params && (!block || hy_collect_params(T->F, block, NULL).n))
        fail(T, MISUSED, "%s has no values: give --params FILE or --epoch N%s", m.name,
             to == TO_PAIR ? "; --to symbol writes the program alone" : "");
    check(T);
    if (to == TO_ARRAYS) return convert_arrays(T, &m, b);
    if (to == TO_PAIR && ends_in(b, "-symbol.json")) prefix = prefix_of(T, b);
    if (to == TO_PAIR) b = text_of(T, "%s-symbol.json", prefix);
    progress(T, "writing ...", -1);
    writing(T, 1);
    T->quiet += to == TO_SINGLE;        /* what MXNet does not know is no news there */
    if (to == TO_SINGLE) hy_save_model(T->F, block, b);
    else hy_export(T->F, block, prefix, (int)option_whole(T, "epoch", 0, 999999999, 0));
    writing(T, 0);
    written(T, b);
    return to == TO_PAIR ? written(T, params_name(T, prefix)) : FINE;
}

/* MARK: - hybrid quantize ---------------------------------------------------------------------------- */

/* A layer, in the network as it was and in the copy. */
typedef struct dense {
    const char *name, *op, *why;        /* why: it stays f32, or "" */
    int at[2], output[2];
    double bytes[2], error, size, step, zero;   /* step and zero: of its bytes, if the copy leaves it in these */
} dense;

static int node_named(hy_graph *g, const char *name, hy_node *node)
{
    int i;
    for (i = 0; !hy_graph_node(g, i, node); i++)
        if (node->kind == HY_NODE_OP && !strcmp(node->name, name)) return i;
    return -1;
}

/* The one node that reads a node's result, or -1. */
static int reader_of(hy_graph *g, int at)
{
    hy_node node;
    int i, k, output, found = -1;
    for (i = at + 1; !hy_graph_node(g, i, &node); i++)
        for (k = 0; k < node.inputs; k++)
            if (hy_graph_input(g, i, k, &output) == at) { if (found >= 0) return -1; found = i; }
    return found;
}

static double attr_number(const hy_node *node, const char *name)
{
    char text[64];
    const hy_attr *a = node->op->attr;
    while (a->name && strcmp(a->name, name)) a++;
    return a->name && hy_attr_text(a, node->record, text, sizeof text) ? atof(text) : 0;
}

/* Bytes of what a layer reads beside its data. */
static double layer_bytes(tool *T, const model *m, int at)
{
    hy_node node, from;
    double n = 0;
    int k, output;
    hy_graph_node(m->graph, at, &node);
    for (k = 1; k < node.inputs; k++) {
        hy_array *x;
        if (hy_graph_node(m->graph, hy_graph_input(m->graph, at, k, &output), &from)) continue;
        x = value_of(m, from.name);
        if (x) n += (double)hy_size(T->F, x) * (double)hy_dtype_size(hy_dtype_of(T->F, x));
    }
    return n;
}

/* The layers that could be in int8. A batch norm or relu that the copy took into one is part of it: nodes
 * behind it whose names the copy lacks. */
static dense *find_layers(tool *T, const model *m, const model *q, int *n)
{
    dense *all = ROOM(T, dense, hy_graph_count(m->graph));
    hy_node node, other;
    int i, next;
    for (*n = i = 0; !hy_graph_node(m->graph, i, &node); i++) {
        dense *d = &all[*n];
        if (!node.op || which_of("convolution|fully_connected", node.op->name) < 0) continue;
        d->at[1] = node_named(q->graph, node.name, &other);
        if (d->at[1] < 0) continue;
        d->name = node.name;
        d->op = other.op->name;
        d->why = "";
        for (next = 0; next < T->tells; next++)
            if (!strcmp(T->told[next].name, node.name) && T->told[next].value) d->why = T->told[next].value;
        d->step = attr_number(&other, "out_scale");
        d->zero = attr_number(&other, "out_zero");
        d->at[0] = i;
        while ((next = reader_of(m->graph, d->at[0])) >= 0 && !hy_graph_node(m->graph, next, &node) &&
               which_of("batch_norm|batch_norm_relu|activation|relu", node.op->name) >= 0 &&
               node_named(q->graph, node.name, &other) < 0) d->at[0] = next;
        d->bytes[0] = layer_bytes(T, m, i);
        d->bytes[1] = layer_bytes(T, q, d->at[1]);
        (*n)++;
    }
    return all;
}

/* The network with the results of these layers as its outputs. */
static hy_block *layers_block(tool *T, const model *m, const dense *layer, int n, int which)
{
    hy_frame *S = hy_symbolic(T->F);
    hy_array *heads = hy_compose(S, m->graph, 0, NULL, NULL), *inner = heads ? hy_internals(S, heads) : NULL;
    hy_graph *all = inner ? hy_compile(S, inner) : NULL, *some = NULL;
    hy_array **list = ROOM(T, hy_array *, n);
    model part = *m;
    int i, k, output;
    for (i = 0; all && i < hy_graph_heads(all); i++)
        for (k = 0; k < n; k++)
            if (hy_graph_head(all, i, &output) == layer[k].at[which] && !output)
                list[k] = hy_get(S, inner, i);
    if (all) some = hy_compile(S, n > 1 ? hy_group_of(S, n, list) : list[0]);
    if (!some) hy_raise(T->F, HY_ERROR_STATE, hy_error(S) ? hy_error(S) : "out of memory");
    hy_close(S);
    check(T);
    part.graph = some;
    T->quiet++;                         /* what others need is no news */
    T->extra++;
    part.part = make_block(T, &part, VALUES_GIVEN, 0);
    T->extra--;
    T->quiet--;
    check(T);
    return part.part;
}

/* Batch i as a call takes it. */
static hy_array *sample_batch(tool *T, const model *m, int64_t i)
{
    hy_array **x = ROOM(T, hy_array *, m->inputs);
    int k;
    for (k = 0; k < m->inputs; k++)
        x[k] = cast(T, some_samples(T, samples_of(T, &m->input[k], k), i * T->batch), m->input[k].type.dtype);
    check(T);
    return all_as_one(T, m->inputs, x);
}

/* What a layer's results stand for. */
static hy_array *in_floats(tool *T, const dense *layer, hy_array *x)
{
    if (!x || hy_dtype_of(T->F, x) != HY_U8) return x;
    return hy_mul_scalar(T->F, hy_sub_scalar(T->F, hy_cast(T->F, x, HY_F32), layer->zero), layer->step);
}

/* How far each layer's results are off, of all samples together. */
static void measure_layers(tool *T, const model *m, const model *q, dense *layer, int n)
{
    hy_block *was = layers_block(T, m, layer, n, 0), *is = layers_block(T, q, layer, n, 1);
    int64_t i, batches = T->count / T->batch;
    int k;
    for (i = 0; i < batches; i++) {
        hy_array *x = sample_batch(T, m, i), *a, *b;
        hy_begin(T->F);
        a = hy_call(T->F, was, x);
        b = hy_call(T->F, is, x);
        for (k = 0; b && k < n; k++) {
            hy_array *u = n > 1 ? hy_get(T->F, a, k) : a;
            hy_array *v = in_floats(T, &layer[k], n > 1 ? hy_get(T->F, b, k) : b);
            double off = hy_item(T->F, hy_norm(T->F, hy_sub(T->F, u, v), HY_ALL, NULL));
            double size = hy_item(T->F, hy_norm(T->F, u, HY_ALL, NULL));
            layer[k].error += off * off;
            layer[k].size += size * size;
        }
        hy_end(T->F);
        check(T);
        progress(T, "comparing layers", (double)(i + 1) / (double)batches);
    }
    progress_clear(T);
    for (k = 0; k < n; k++) layer[k].error = layer[k].size > 0 ? sqrt(layer[k].error / layer[k].size) : 0;
}

static void quantize_goes_on(hy_frame *F, double share, void *user)
{
    (void)F;
    progress((tool *)user, "calibrating", share);
}

static void quantize_says(hy_frame *F, const char *layer, const char *why, void *user)
{
    tool *T = (tool *)user;
    setting *to;
    (void)F;
    if (T->tells % 64 == 0) {
        to = ROOM(T, setting, T->tells + 64);
        if (T->tells) memcpy(to, T->told, (size_t)T->tells * sizeof *to);
        T->told = to;
    }
    to = &T->told[T->tells++];
    memset(to, 0, sizeof *to);
    to->name = text_of(T, "%s", layer);
    to->value = why ? text_of(T, "%s", why) : NULL;
}

static void quantize_report(tool *T, const model *m, const dense *layer, int n,
                            const hy_quantize_report *found, const char *b)
{
    static const column columns[] = {
        TEXT("name", "layer"), TEXT("operator", "operator"), NUMBER("bytes_before", "bytes before", ",", 1),
        NUMBER("bytes", "bytes", ",", 1), NUMBER("error", "error so far", "%.3g%%", 100),
        TEXT("why", "float32, since") };
    const char *file = m->params ? m->params : m->symbol;
    report r;
    int k;
    report_open(T, &r);
    json_text(&r, "model", m->name);
    ROWS_OPEN(&r, "layers", columns);
    for (k = 0; k < n; k++) {
        cell_text(&r, layer[k].name);
        cell_text(&r, layer[k].op);
        cell_number(&r, layer[k].bytes[0]);
        cell_number(&r, layer[k].bytes[1]);
        cell_number(&r, layer[k].error);
        cell_text(&r, layer[k].why);
    }
    rows_close(&r);
    json_number(&r, "quantized", found->layers);
    json_number(&r, "left", found->left);
    json_number(&r, "samples", (double)(T->count / T->batch * T->batch));
    json_number(&r, "largest_difference", found->largest);
    json_number(&r, "mean_difference", found->mean);
    json_number(&r, "same_answers", found->same);
    json_number(&r, "bytes_before", file_bytes(file));
    json_number(&r, "bytes", file_bytes(b));
    report_close(&r);
    if (T->json) return;
    printf("\n%d layer%s in int8, %d left as they are; %s samples, %s calibration\n", found->layers,
           found->layers == 1 ? "" : "s", found->left, grouped(T, (double)(T->count / T->batch * T->batch)),
           option(T, "calibrate", 0) ? option(T, "calibrate", 0) : "largest");
    printf("results differ by %.3g at most, by %.3g on average; the largest stands in the same place in %.1f%% "
           "of rows\n", found->largest, found->mean, 100 * found->same);
    printf("%s: %s bytes, where %s has %s\n", b, grouped(T, file_bytes(b)), file,
           grouped(T, file_bytes(file)));
}

/* Writes the copy, and reads it again. */
static model save_quantized(tool *T, const model *m, hy_block *copy, const char *b, target to)
{
    const int pair = to == TO_PAIR;
    const char *prefix = pair && ends_in(b, "-symbol.json") ? prefix_of(T, b) : b;
    model q;
    memset(&q, 0, sizeof q);
    q.name = b;
    q.kind = pair ? FILE_SYMBOL : to == TO_ONNX ? FILE_ONNX : FILE_MODEL;
    q.symbol = pair ? text_of(T, "%s-symbol.json", prefix) : b;
    q.params = pair ? text_of(T, "%s-0000.params", prefix) : b;
    writing(T, 1);
    T->quiet++;                         /* that int8 is not MXNet's is no news */
    if (pair) hy_export(T->F, copy, prefix, 0);
    else if (to == TO_ONNX) hy_onnx_save(T->F, copy, shaped_inputs(T, m, 0), b, 17);
    else hy_save_model(T->F, copy, b);
    T->quiet--;
    writing(T, 0);
    load_model(T, &q);
    return q;
}

/* What the command line says; what the copy will be. */
static target quantize_options(tool *T, hy_quantize_opt *opt)
{
    const char *b = option(T, "out", 0), *how = option(T, "calibrate", 0);
    target to;
    memset(opt, 0, sizeof *opt);
    if (!option(T, "samples", 0))
        fail(T, MISUSED, "--samples FILE says what the network will get: how large its numbers are is counted");
    if (!b)
        fail(T, MISUSED, "--out B says where the copy goes: .hybrid, .model, .onnx, or what precedes -symbol.json");
    if (how && which_of("largest|entropy", how) < 0)
        fail(T, MISUSED, "--calibrate %s: largest or entropy is due", how);
    to = target_of(T, b);
    if (to != TO_SINGLE && to != TO_PAIR && to != TO_ONNX)
        fail(T, MISUSED, "--out %s: int8 goes into .hybrid, .model or .onnx, or a pair (-symbol.json, or no ending)",
             b);
    if (to != TO_PAIR) check_writable(T, b);
    opt->entropy = how && !strcmp(how, "entropy");
    opt->skip = option(T, "skip", 0);
    opt->all = option(T, "all", 0) != NULL;
    opt->tell = quantize_says;
    opt->each = quantize_goes_on;
    opt->user = T;
    return to;
}

/* All batches of samples. */
static hy_array *all_samples(tool *T, const model *m)
{
    int64_t i, batches = T->count / T->batch, over = T->count % T->batch;
    hy_array **batch = ROOM(T, hy_array *, batches);
    if (over)
        note(T, "note: the last %lld of %lld samples are no whole batch of %lld, and are left out",
             (long long)over, (long long)T->count, (long long)T->batch);
    for (i = 0; i < batches; i++) batch[i] = sample_batch(T, m, i);
    return hy_group_of(T->F, (int)batches, batch);
}

static int run_quantize(tool *T)
{
    hy_quantize_report found;
    hy_quantize_opt opt;
    hy_block *block, *copy;
    hy_array *samples;
    model m, q;
    analysis a;
    dense *layer;
    int n;
    const target to = quantize_options(T, &opt);
    opt.report = &found;
    open_samples(T);
    open_shaped(T, &m, &a);
    if (lacks_values(T, &m)) fail(T, MISUSED, "%s has no values: give --params FILE or --epoch N", m.name);
    if (!T->batch) fail(T, MISUSED, "%s has no inputs that samples could be of", m.name);
    block = make_block(T, &m, VALUES_GIVEN, 0);
    check(T);
    samples = all_samples(T, &m);
    progress(T, "calibrating", 0);
    copy = hy_quantize(T->F, block, samples, &opt);
    progress_clear(T);
    check(T);
    q = save_quantized(T, &m, copy, option(T, "out", 0), to);
    find_inputs(T, &q);
    layer = find_layers(T, &m, &q, &n);
    if (n) measure_layers(T, &m, &q, layer, n);
    quantize_report(T, &m, layer, n, &found, q.params);
    return FINE;
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
    "file of hy_save_model; or an ONNX file, whose name ends in .onnx."
#define WHAT_HELP \
    "\n\nWHAT is a file: x.npy, any other with one array, or FILE:ARRAY for one of several. Or numbers:\n" \
    "16000, 1,3,8,8. Or random:1,3,64,64 (uniform from 0 to 1; a seed may follow: random:1,3,64,64:7),\n" \
    "zeros:1,3,64,64, ones:1,3,64,64. Or a picture, x.ppm or x.pgm (P6, P5), of the size that the input has:\n" \
    "it goes in as (1,3,H,W), or as the input asks for it, its values as they are but for --divide, --mean, --std."
#define RANDOM_HELP " Parameters without values get random ones.\n"

static const command commands[] = {
    { "ops", "[NAME|FAMILY]", 0, 1024, "lists the operators, or tells all about one",
      "NAME is ours, MXNet's or an older one. Told are the C function and its options, a call of it, inputs,\n"
      "outputs and attributes, with their types, their defaults and what they mean. An attribute is an\n"
      "argument of the function, or an option: a field of the struct that comes last, where 0 is the default\n"
      "and NULL in place of the struct all defaults.\n\n"
      "hybrid ops --used MODEL ... and hybrid ops --used-by FILE.c ... print the line that leaves all other\n"
      "operators out of a build: #define HYBRID_OPS(X) ... before the implementation.", run_ops },
    { "show", "MODEL", 1, 1, "its layers, parameters, FLOPs and memory; arrays of a file",
      MODEL_HELP " Of .params, .npy, .npz and .safetensors the arrays are listed.\n\n"
      "FLOPs: a multiplication with its addition counts as 2 (convolution, deconvolution,\n"
      "fully_connected, dot, batch_dot, linalg_gemm2, attention, rnn, matmul_nbits; a bias is where the sum begins). Pooling and\n"
      "reductions count 1 per element that they read, other operators 1 per element that they give, those\n"
      "that only move elements nothing. Memory is what a hybridized call plans for.", run_show },
    { "graph", "MODEL --out FILE", 1, 1, "draws a model, as SVG, as a page or for Graphviz",
      MODEL_HELP " FILE ends in .svg, .html or .dot.\n"
      "Blocks that repeat are drawn once, with how often.", run_graph },
    { "run", "MODEL --input NAME=WHAT ...", 1, 1, "runs a model on arrays from files",
      MODEL_HELP WHAT_HELP "\n\nFILE of --output ends in .npz, .params or .safetensors (.npy for one output); any other name is\n"
      "a folder, made if need be, with one .npy for each output.", run_run },
    { "bench", "MODEL --input NAME=WHAT ...", 1, 1, "times a model, line by line and hybridized",
      MODEL_HELP RANDOM_HELP
      "Operators are timed in calls of their own, hybridized, with the first number of --threads.",
      run_bench },
    { "check", "MODEL --input NAME=WHAT ...", 1, 1, "does the compiled model compute what it says?",
      MODEL_HELP RANDOM_HELP "Ends with 1 if there are differences.", run_check },
    { "compile", "MODEL --shape NAME=SIZES ... --out FILE.c", 1, 1, "writes a model as C source",
      MODEL_HELP " FILE.c needs libm only:\n"
      "int PREFIX_run(const float *data, float *out, void *workspace), for such shapes. Built with\n"
      "-DPREFIX_TEST it is a program that checks results of random inputs.", run_compile },
    { "convert", "A B", 2, 2, "brings models and arrays from one form to another",
      "A is a model (as in the other commands) or a file of arrays. The name of B says what to write:\n"
      "  x.params x.npy x.npz x.safetensors   the values\n"
      "  x-symbol.json, or x without ending   x-symbol.json and x-0000.params\n"
      "  x.json                               the program alone, as MXNet 1.x writes it\n"
      "  x.hybrid x.model                     a single file\n"
      "  x.onnx                               ONNX, for inputs of the shapes declared or given by --shape\n"
      "Other endings are refused, unless --to says what to write.", run_convert },
    { "quantize", "MODEL --samples FILE --out B", 1, 1, "writes a copy in int8, and tells what it costs",
      MODEL_HELP "\n\nDense layers and convolutions become int8, with the batch norm and the relu behind them. FILE holds\n"
      "samples as the network will get them: .npz, .npy or another file of arrays, one for each input, named\n"
      "as it; a single input takes the only array, or FILE:ARRAY. Their first axis counts them. Or FILE is a picture\n"
      "(.ppm, .pgm; --samples for each), or random:16, random:16,3,64,64, random:16:SEED: from 0 to 1, for a try.\n"
      "B is a single file (.hybrid, .model), ONNX (.onnx, whose nodes have names of their own) or a pair.\n\n"
      "Layers that are slower in int8 by a table of costs, the same on every machine, stay float32; --all takes\n"
      "them, too. Told are, for each layer, the bytes of its parameters, how far its results are off, with all\n"
      "that came before it (the norm of the difference as a share of the norm), and why it stays float32. --skip\n"
      "leaves the worst as they are.",
      run_quantize },
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* value: what follows; NULL: nothing; "[=X]": it may follow behind = only. */
typedef struct known_option { const char *commands, *name, *value; int many; const char *help; } known_option;
#define WITH_MODEL "show|graph|run|bench|check|compile|convert|quantize"
#define WITH_INPUTS "show|graph|run|bench|check|compile|convert"
static const known_option options[] = {
    { "show", "shape", "NAME=?,3,64,64", 1, "the shape of an input, ? for what stays open; again for each" },
    { "graph|bench|check|compile|quantize", "shape", "NAME=1,3,64,64", 1,
      "the shape of an input; again for each" },
    { "convert", "shape", "NAME=1,3,64,64", 1, "the shape of an input, from and to ONNX, where a file leaves sizes open" },
    { "run", "shape", "NAME=1,3,64,64", 1, "the shape that the value has to have" },
    { WITH_MODEL, "size", "NAME=N", 1, "a size that an ONNX file leaves open and names, in all its inputs" },
    { "show", "formulas", NULL, 0, "also the memory of each value as a formula of the sizes of inputs" },
    { WITH_INPUTS, "input", "NAME=WHAT", 1, "the value of an input, and so its shape; again for each" },
    { WITH_INPUTS, "value", "NAME=WHAT", 1, "another word for --input" },
    { WITH_MODEL, "divide", "N", 0, "of pictures: (value / N - mean) / std goes in; 1" },
    { WITH_MODEL, "mean", "N,N,N", 0, "for each channel, or one for all; 0" },
    { WITH_MODEL, "std", "N,N,N", 0, "for each channel, or one for all; 1" },
    { WITH_MODEL, "layout", "CHW", 0, "of pictures: CHW or HWC, where the network's input does not tell" },
    { "run", "output", "FILE", 0, "where outputs go; without it only a summary is printed" },
    { "graph", "out", "FILE", 0, "the drawing: .svg, .html (a page) or .dot" },
    { "graph", "whole", NULL, 0, "draw blocks that repeat each time" },
    { "graph", "passes", NULL, 0, "the graph as it runs, after the passes; shapes must be known" },
    { "graph", "parameters", NULL, 0, "draw parameters too" },
    { WITH_MODEL, "params", "FILE", 0, "the values, if they are not beside the program" },
    { WITH_MODEL, "epoch", "N", 0, "the number in MODEL-000N.params; 0" },
    { "run", "random-params", "[=SEED]", 0, "draw values for parameters that have none" },
    { WITH_MODEL, "ignore-extra", NULL, 0, "values of parameters that it lacks are no error" },
    { "run", "imperative", NULL, 0, "line by line instead of hybridized" },
    { "run|quantize", "threads", "N", 0, "at most so many; one per core" },
    { "bench", "threads", "N,N,...", 0, "time with each of these; one per core" },
    { "bench", "seconds", "S", 0, "for each timing; 2" },
    { "bench", "count", "N", 0, "calls of each timing, instead of seconds" },
    { "run|bench", "profile", "FILE", 0, "write a page (.html), or a trace for chrome://tracing and ui.perfetto.dev" },
    { "compile", "out", "FILE.c", 0, "the C source" },
    { "compile", "prefix", "NAME", 0, "what all names begin with; FILE" },
    { "compile", "header", "FILE.h", 0, "its prototype and sizes, too" },
    { "compile", "weights", "FILE", 0, "the weights, which PREFIX_run is given then" },
    { "compile", "no-test", NULL, 0, "without the program that checks" },
    { "convert", "inputs", "NAME,NAME", 0, "its inputs in order, if neither files nor names tell them" },
    { "convert", "to", "KIND", 0, "values, symbol, pair, single or onnx, whatever the name of B" },
    { "convert|compile|quantize", "part", NULL, 0, "of an ONNX file what stands before shapes that hang on values" },
    { "convert", "opset", "N", 0, "of an ONNX file that is written: 13 to 22; 17" },
    { "quantize", "samples", "FILE", 1, "what the network will get; a picture, or random:N (both may be repeated)" },
    { "quantize", "out", "B", 0, "the copy: x.hybrid, x.model, x.onnx, or what precedes -symbol.json" },
    { "quantize", "calibrate", "HOW", 0, "thresholds by the largest number, or by entropy; largest" },
    { "quantize", "skip", "LAYERS", 0, "layers to leave as they are: dense1,conv0, parts of names between _" },
    { "quantize", "all", NULL, 0, "every layer that can be int8, also where that is slower" },
    { "quantize", "batch", "N", 0, "samples that go through at a time; as declared, else up to 16" },
    { "ops", "used", NULL, 0, "the line for HYBRID_OPS that models need" },
    { "ops", "used-by", NULL, 0, "the same for sources; it may hold some that they do not need" },
    { "ops|show|run|bench|check|quantize", "json", NULL, 0, "print JSON" },
    { "help", "header", "FILE", 0, "hybrid.h, whose manual is printed; beside the tool, or in the working folder" },
    { "ops|" WITH_MODEL, "help", NULL, 0, "print this" },
};
enum { OPTIONS = sizeof options / sizeof *options };

static int belongs(const known_option *o, const command *c) { return which_of(o->commands, c->name) >= 0; }

static void print_usage(const command *c)
{
    char text[64];
    int i;
    printf("usage: hybrid %s %s [options]\n\n%s\n\noptions\n", c->name, c->words, c->help);
    for (i = 0; i < OPTIONS; i++) {
        const known_option *o = &options[i];
        snprintf(text, sizeof text, "--%s%s%s", o->name, !o->value || *o->value == '[' ? "" : " ", o->value ? o->value : "");
        if (belongs(o, c)) printf("  %-24s %s\n", text, o->help);
    }
}

static int print_help(void)
{
    int i;
    printf("usage: hybrid COMMAND ...\n\n"
           "Looks at, draws, runs, times, checks and converts models of hybrid.h and MXNet.\n\n");
    for (i = 0; i < COMMANDS; i++)
        printf("  %-8s %-30s %s\n", commands[i].name, commands[i].words, commands[i].brief);
    printf("  %-8s %-30s %s\n\n", "help", "COMMAND", "tells all about a command; so does COMMAND --help");
    printf("  %-8s %-30s %s\n\n", "help", "TOPIC", "prints a section of the manual; hybrid help topics lists them");
    printf("Ends with 0 when all went well; with 1 when a file, a model or a call failed, or differs; with\n"
           "2 when the command line is wrong or lacks something, be it a word, a shape, an input or values.\n"
           "Results go to stdout, messages to stderr. This is version %s.\n", hy_version());
    return FINE;
}

/* MARK: - the manual ----------------------------------------------------------------------------------
 *
 * It stands in a comment of hybrid.h: sections whose titles are in capitals, from >>manual to the next room.
 */

static FILE *open_header(tool *T)
{
    const char *given = option(T, "header", 0), *slash = strrchr(T->program, '/');
    FILE *f;
#ifdef _WIN32
    if (!slash) slash = strrchr(T->program, '\\');
#endif
    if (given) {
        f = fopen(given, "r");
        if (!f) fail(T, FAILED, "%s: %s", given, strerror(errno));
        return f;
    }
    f = slash ? fopen(text_of(T, "%.*s/hybrid.h", (int)(slash - T->program), T->program), "r") : NULL;
    if (!f) f = fopen("hybrid.h", "r");
    if (!f) fail(T, MISUSED, "the manual stands in hybrid.h, which is neither beside the tool nor here: --header FILE says where");
    return f;
}

static int is_title(const char *line)
{
    const char *s = line + 3;
    if (strncmp(line, " * ", 3) || !isupper((unsigned char)*s)) return 0;
    while (isupper((unsigned char)*s) || isdigit((unsigned char)*s) || strchr(" ,-()_+", *s)) if (!*s++) return 1;
    return 0;
}

/* Does a title have a word that begins so? All of it, if it is several words. */
static int is_about(const char *title, const char *topic)
{
    size_t n = strlen(topic);
    const char *s = title;
    for (; *s; s++) {
        size_t i = 0;
        if (s > title && isalnum((unsigned char)s[-1])) continue;
        while (i < n && s[i] && tolower((unsigned char)s[i]) == tolower((unsigned char)topic[i])) i++;
        if (n && i == n) return 1;
    }
    return 0;
}

/* Prints the sections that are about a topic, or all titles. Returns how many. */
static int print_sections(tool *T, FILE *f, const char *topic, nearest *near)
{
    char line[1024];
    int in_manual = 0, prints = 0, n = 0;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\r\n")] = 0;
        if (!strncmp(line, "/* MARK:", 8)) in_manual = strstr(line, ">>manual") != NULL;
        if (!in_manual || strncmp(line, " *", 2) || !strcmp(line, " */")) { prints = 0; continue; }
        if (is_title(line)) {
            char *c, *title = text_of(T, "%s", line + 3);
            for (c = title; *c; c++) *c = (char)tolower((unsigned char)*c);
            nearest_try(near, title);
            prints = topic && is_about(title, topic);
            if (prints || !topic) printf("%s%s\n", topic && n ? "\n" : "", topic ? line + 3 : title);
            n += prints || !topic;
        } else if (prints) printf("%s\n", line[2] ? line + 3 : "");
    }
    return n;
}

/* A name without what differs between C, Gluon and MXNet: hy_nn_batch_norm and gluon.nn.BatchNorm are nnbatchnorm. */
static const char *plain_name(tool *T, const char *name)
{
    static const char *const fronts[] = { "hy_", "mx.", "mxnet.", "gluon." };
    char *text, *to;
    size_t i, n;
    for (i = 0; i < sizeof fronts / sizeof *fronts; i++)
        if (n = strlen(fronts[i]), !strncmp(name, fronts[i], n)) name += n;
    to = text = text_of(T, "%s", name);
    for (; *name; name++) if (isalnum((unsigned char)*name)) *to++ = (char)tolower((unsigned char)*name);
    *to = 0;
    n = strlen(text);
    if (n > 8 && !strncmp(text, "loss", 4) && !strcmp(text + n - 4, "loss")) text[n - 4] = 0;
    return text;
}

/* Gluon's name of what is called otherwise here, both plain. */
static const char *const other_names[] = {
    "trainer", "trainernew", "data.dataloader", "loadernew", "data.arraydataset", "datasetarrays", "parameter", "addparam",
    "block", "blocknew", "hybridblock", "blocknew", "losssoftmaxcrossentropy", "losssoftmaxce",
    "losssigmoidbinarycrossentropy", "losssigmoidbce", "autograd.record", "record", "autograd.pause", "pause",
    "autograd.grad", "grad", "autograd.backward", "backward", "nd.array", "from", "nd.save", "save", "nd.load", "load" };

/* Is the name of a function what is asked for? Layers, losses and the like go without their first word, too. */
static int is_called(tool *T, const char *function, const char *topic)
{
    static const char *const rooms[] = { "", "nn", "rnn", "loss", "optim", "metric", "init", "dataset", "image" };
    const char *is = plain_name(T, function), *asked = plain_name(T, topic);
    size_t i;
    if (!strncmp(asked, "optimizer", 9)) asked = text_of(T, "optim%s", asked + 9);
    for (i = 0; i < sizeof other_names / sizeof *other_names; i += 2)
        if (!strcmp(asked, plain_name(T, other_names[i])) || !strcmp(plain_name(T, text_of(T, "loss%s", asked)), other_names[i]))
            return !strcmp(is, other_names[i + 1]);
    for (i = 0; i < sizeof rooms / sizeof *rooms; i++)
        if (!strcmp(is, plain_name(T, text_of(T, "%s%s", rooms[i], asked)))) return 1;
    return 0;
}

/* The struct of a function's options, as the header has it. */
static void print_options(FILE *f, const char *declaration)
{
    char line[1024], name[64];
    const char *s = strstr(declaration, "_opt *"), *end = NULL;
    long here = 0, begin = 0;
    size_t n = 0;
    if (!s) return;
    for (s += 4; s > declaration && (isalnum((unsigned char)s[-1]) || s[-1] == '_'); s--) if (++n == sizeof name - 1) return;
    memcpy(name, s, n);
    name[n] = 0;
    rewind(f);
    for (; !end && fgets(line, sizeof line, f) && strncmp(line, "/* MARK: - 10", 13); here = ftell(f)) {
        if (!strncmp(line, "typedef struct", 14)) begin = here;
        s = strchr(line, '}');
        end = s ? strstr(s, name) : NULL;                       /* one struct may have several names */
        if (end && !strchr(",;", end[n])) end = NULL;
    }
    if (!end) return;
    fseek(f, begin, SEEK_SET);
    do end = fgets(line, sizeof line, f); while (end && fputs(line, stdout) >= 0 && !strchr(line, '}'));
}

/* A macro that is called as a function, without what it expands to. 1: it is that. */
static int print_macro(tool *T, const char *line, const char *comment, const char *topic)
{
    const char *name = line + 8, *close = strchr(line, ')'), *remark = strstr(line, "/* ");
    if (strncmp(line, "#define hy_", 11) || !close || strcspn(name, "( ") != strcspn(name, "(")) return 0;
    if (!is_called(T, text_of(T, "%.*s", (int)strcspn(name, "("), name), topic)) return 0;
    printf("%s%.*s%s%s", comment, (int)(close + 1 - name), name, remark ? "  " : "\n", remark ? remark : "");
    return 1;
}

/* Prints the prototypes of a function with the comments before and behind them, and its options. Returns how many. */
static int print_functions(tool *T, FILE *f, const char *topic)
{
    char line[1024], comment[8192] = "", declaration[2048];
    int behind = 0, speaks = 0, n = 0, other = 0;
    rewind(f);
    while (fgets(line, sizeof line, f) && strncmp(line, "/* MARK: - 10", 13)) {
        const char *open = strchr(line, '('), *at;
        if (behind && !strncmp(line, "    /*", 6)) fputs(line, stdout);
        behind = 0;
        if (!strncmp(line, "/*", 2) || (speaks && !strncmp(line, " *", 2))) {
            if (!strncmp(line, "/*", 2)) *comment = 0;
            if (strncmp(line, "/* ---", 6) && strlen(comment) + strlen(line) < sizeof comment) strcat(comment, line);
            speaks = !strstr(line, "*/");
            continue;
        }
        if (*line == '#') {             /* of two languages C */
            other = !strncmp(line, "#ifdef __cplusplus", 18) || (other && strncmp(line, "#e", 2));
            if (!other) n += print_macro(T, line, comment, topic);
            continue;
        }
        if (strncmp(line, "HY_API", 6) || !open) {      /* what a function gives may stand behind the comment */
            if (*line != ' ' && *line != '}' && strncmp(line, "typedef enum", 12)) *comment = 0;
            continue;
        }
        for (at = open; at > line && (isalnum((unsigned char)at[-1]) || at[-1] == '_'); at--) continue;
        if (!is_called(T, text_of(T, "%.*s", (int)(open - at), at), topic)) continue;
        printf("%s%s%s", n++ ? "\n" : "", comment, line);
        strcpy(declaration, line);
        while (!strchr(line, ';') && fgets(line, sizeof line, f)) {
            fputs(line, stdout);
            if (strlen(declaration) + strlen(line) < sizeof declaration) strcat(declaration, line);
        }
        behind = 1;
        if (strstr(declaration, "_opt *")) {
            long here = ftell(f);
            if (fgets(line, sizeof line, f) && !strncmp(line, "    /*", 6)) fputs(line, stdout);
            print_options(f, declaration);
            fseek(f, here, SEEK_SET);
            behind = 0;
        }
    }
    return n;
}

/* A command's name wins: `hybrid help run` is about the command. */
static int help_about(tool *T, const command *c, const char *topic)
{
    nearest near = { NULL, NULL, 0 };
    FILE *f;
    int i, n;
    near.word = topic;
    for (i = 0; i < COMMANDS; i++) {
        if (!strcmp(commands[i].name, topic)) return print_usage(&commands[i]), FINE;
        nearest_try(&near, commands[i].name);
    }
    if (!strcmp(topic, "help")) return print_usage(c), FINE;
    f = open_header(T);
    n = print_sections(T, f, strcmp(topic, "topics") ? topic : NULL, &near);
    if (!n && !hy_op_find(T->F, topic)) n = print_functions(T, f, topic);
    fclose(f);
    if (!n && hy_op_find(T->F, topic)) fail(T, MISUSED, "%s is an operator: hybrid ops %s tells all about it", topic, topic);
    if (!n) fail(T, MISUSED, "there is no command and no topic %s%s (hybrid help, hybrid help topics)", topic, hint_of(T, &near, ""));
    return FINE;
}

static const command help_command = {
    "help", "COMMAND|TOPIC", 0, 1, "", "Tells all about a command, or prints a section of the manual, which stands in hybrid.h;\n"
    "hybrid help topics lists them. A topic is a word of a section's title, or how it begins. A name of a function,\n"
    "of a layer, loss, optimiser, metric or dataset, also as Gluon has it (hy_write, nn.Dense, gluon.Trainer), prints\n"
    "its prototype, what is said of it, and its options.", NULL };

/* The option that a word names, up to `=`. */
static const known_option *find_option(tool *T, const command *c, const char *word)
{
    char *name = text_of(T, "%.*s", (int)strcspn(word, "="), word);
    const char *plain = strcmp(name, "-h") ? name + strspn(name, "-") : "help";
    nearest near = { NULL, NULL, 0 };
    int i;
    near.word = plain;
    for (i = 0; i < OPTIONS; i++) {
        if (!belongs(&options[i], c)) continue;
        if (!strcmp(options[i].name, plain) && (name[1] == '-' || name[1] == 'h')) return &options[i];
        nearest_try(&near, options[i].name);
    }
    fail(T, MISUSED, "%s has no option %s%s (hybrid help %s)", c->name, name, hint_of(T, &near, "--"),
         c->name);
    return NULL;
}

static void read_words(tool *T, const command *c, int argc, char **argv)
{
    int i, plain = 0;
    for (i = 2; i < argc; i++) {
        const known_option *o;
        const char *value = strchr(argv[i], '=');
        if (plain || argv[i][0] != '-' || !argv[i][1]) { T->word[T->words++] = argv[i]; continue; }
        if (!strcmp(argv[i], "--")) { plain = 1; continue; }
        o = find_option(T, c, argv[i]);
        if (!o->value && value) fail(T, MISUSED, "--%s takes no value", o->name);
        if (o->value && *o->value != '[' && !value && i + 1 == argc)
            fail(T, MISUSED, "--%s %s: the value is missing", o->name, o->value);
        if (!o->many && option(T, o->name, 0)) fail(T, MISUSED, "--%s is given twice", o->name);
        T->set[T->sets].name = o->name;
        T->set[T->sets].value = value ? value + 1 : !o->value || *o->value == '[' ? "" : argv[++i];
        if (o->value && *o->value != '[' && !*T->set[T->sets].value)
            fail(T, MISUSED, "--%s %s: the value is empty", o->name, o->value);
        T->sets++;
    }
    if (option(T, "help", 0)) return;
    if (T->words < c->least)
        fail(T, MISUSED, "hybrid %s %s: a word is missing (hybrid help %s)", c->name, c->words, c->name);
    if (T->words > c->most)
        fail(T, MISUSED, "hybrid %s %s: '%s' is too much (hybrid help %s)", c->name, c->words,
             T->word[c->most], c->name);
}

static void read_threads(tool *T, int several)
{
    const char *given = option(T, "threads", 0), *text = given;
    int64_t n = 0;
    while (text) {
        if (T->threads == MOST_THREADS || read_whole(&text, &n) || n < 1 || n > 1024 ||
            (*text && !(several && *text == ',')))
            fail(T, MISUSED, "--threads %s: %s due here", given,
                 several ? "numbers from 1 to 1024, with commas between, are" : "a number from 1 to 1024 is");
        T->thread[T->threads++] = (int)n;
        text = *text ? text + 1 : NULL;
    }
}

static int dispatch(tool *T, int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    const command *c = strcmp(name, "help") ? NULL : &help_command;
    nearest near = { NULL, NULL, 0 };
    int i;
    near.word = name;
    T->F = open_frame(T, 0);            /* for texts */
    if (!*name) fail(T, MISUSED, "what is to be done? hybrid help lists the commands");
    if (!strcmp(name, "--version")) return printf("hybrid %s\n", hy_version()) < 0;
    if (which_of("--help|-h", name) >= 0) return print_help();
    for (i = 0; i < COMMANDS && !c; i++) {
        if (!strcmp(commands[i].name, name)) c = &commands[i];
        nearest_try(&near, commands[i].name);
    }
    if (!c) fail(T, MISUSED, "there is no command %s%s (hybrid help)", name, hint_of(T, &near, ""));
    read_words(T, c, argc, argv);
    if (c == &help_command) return T->words ? help_about(T, c, T->word[0]) : print_help();
    if (option(T, "help", 0)) return print_usage(c), FINE;
    T->command = c->name;
    T->json = option(T, "json", 0) != NULL;
    read_threads(T, !strcmp(c->name, "bench"));
    hy_close(T->F);
    T->F = open_frame(T, T->threads ? T->thread[0] : 0);
    return c->run(T);
}

int main(int argc, char **argv)
{
    tool T;
    memset(&T, 0, sizeof T);
#ifdef SIGPIPE
    signal(SIGPIPE, SIG_IGN);           /* a pipe that closes must not cut short what is being saved */
#endif
    T.lively = stderr_is_terminal();
    T.program = argc ? argv[0] : "";
    T.word = (const char **)calloc((size_t)argc + 1, sizeof *T.word);
    T.set = (setting *)calloc((size_t)argc + 1, sizeof *T.set);
    if (!T.word || !T.set) fail(&T, FAILED, "out of memory");
    end(&T, dispatch(&T, argc, argv));
    return 0;
}
