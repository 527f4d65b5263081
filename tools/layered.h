/* layered.h - layered drawings of directed graphs, as SVG or for Graphviz - public domain or MIT
 *
 *     layered_node node[] = { { "data", "1x3x224x224", NULL, 0, 1 }, { "conv0", "64 of 7x7", NULL, 2, 1 } };
 *     layered_edge edge[] = { { 0, 1, "1x3x224x224" } };
 *     layered_svg(stdout, "a small net", 2, node, 1, edge);
 *
 * Made for networks: a long chain with branches and skip connections. Needs libc only. The steps:
 *   wires     edges that carry the same value (same source, same label) share a wire, which forks on its way
 *   rows      the longest way from a source gives a node its row; what hangs loose is pulled to its use
 *   bends     a wire that passes a row has a point there, so that the row keeps a place free for it
 *   order     points of a row change places until few wires cross
 *   blocks    points that should stand in one vertical line: the longest way through a node, and long wires
 *   columns   blocks get their x: near their neighbours, and far enough from what stands beside them
 *   drawing   wires run straight down beside boxes and curve only between rows, so they never touch a box
 * Edges that close a cycle, and those too long to keep places for, run dashed along the right margin.
 * Nothing here recurses, and memory grows with nodes + edges. The same graph always gives the same bytes.
 */
#ifndef LAYERED_H
#define LAYERED_H
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* kind: 0 input, 1 parameter or constant, 2 convolution or matrix product, 3 pointwise, 4 output, 5 fused,
 * 6 shape only, 7 pooling or reduction, 8 normalisation. Texts are UTF-8 and may be NULL. Nodes with the same
 * group stand on a common ground where that is tidy. times: above 1 the node stands for so many, as its whole
 * group does, which then always has a ground. */
typedef struct { const char *title, *detail, *group; int kind, times; } layered_node;
/* label: what flows, its shape for example, or NULL. Edges from or to no node are left out. */
typedef struct { int from, to; const char *label; } layered_edge;

enum { LAYERED__KINDS = 9, LAYERED__WIRES = 8, LAYERED__ISOLATED = 10, LAYERED__LANES = 12 };

typedef struct {
    int node, first_line, lines, first_bend, bends;     /* a bend in each row it passes, from the top */
    const char *label;
    double label_width, port;                           /* port: the x where it leaves its node */
} layered__wire;

typedef struct { int from, to, wire, aside; double port; } layered__line;  /* port: the x where it arrives */

typedef struct {
    int row, place;                     /* where it stands */
    int wire;                           /* of a bend; -1: it is a node */
    int up, ups, down, downs;           /* its neighbours in the rows above and below: parts of graph->near */
    int length_up, length_down;         /* longest ways to a source and to a sink */
    int above, below, block;            /* the points it is in line with */
    double x, left, right, height;      /* the middle, and how far it reaches from there */
} layered__point;

typedef struct { const char *name; int first, last, times; double left, right; } layered__ground;

typedef struct {
    const layered_node *node;
    int nodes, lines, wires, points, rows, blocks, links, grounds;
    layered__line *line;                /* the edges that count, those of a wire together */
    layered__wire *wire;                /* those of a node together */
    int *first_wire;                    /* of a node; nodes + 1 of them */
    layered__point *point;              /* the nodes, then the bends */
    int *sorted;                        /* nodes from sources to sinks */
    int *near, *row, *first;            /* row: points, row by row; first[r]: where row r begins */
    layered__ground *ground;
    double *top, *bottom, *straight;    /* of rows; straight: how far below wires do not bend, for labels */
    void *memory;                       /* everything allocated, a chain */
    int broken;                         /* an allocation failed */
    int in_page, narrow;                /* drawn for a page, which shows what boxes are when they are pointed at */
} layered__graph;

static void *layered__get(layered__graph *g, size_t count, size_t size)
{
    void **p = NULL;
    if (count < (~(size_t)0 - 64) / size) p = (void **)calloc(1, 16 + (count + 1) * size);
    if (!p) { g->broken = 1; return NULL; }
    *p = g->memory;
    g->memory = p;
    return (char *)p + 16;
}
/* Zeroed room for count things and one more, until layered__free; NULL, and g->broken, without memory. */
#define LAYERED__GET(g, type, count) ((type *)layered__get(g, (size_t)(count), sizeof(type)))

static void layered__free(layered__graph *g)
{
    while (g->memory) {
        void *next = *(void **)g->memory;
        free(g->memory);
        g->memory = next;
    }
}

typedef struct { double key, second; int item; } layered__key;

static int layered__compare(const void *a, const void *b)
{
    const layered__key *x = (const layered__key *)a, *y = (const layered__key *)b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    if (x->second != y->second) return x->second < y->second ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

/* --- text --- */
/* The character at *s, which moves on; what is not UTF-8, or not allowed in XML, gives U+FFFD. */
static unsigned layered__char(const char **s)
{
    const unsigned char *p = (const unsigned char *)*s;
    int n = *p < 0x80 ? 0 : *p < 0xC2 ? -1 : *p < 0xE0 ? 1 : *p < 0xF0 ? 2 : *p < 0xF5 ? 3 : -1, i;
    unsigned c = n > 0 ? *p & (0x3Fu >> n) : *p;
    (*s)++;
    if (n < 0) return 0xFFFD;
    for (i = 1; i <= n; i++) {
        if ((p[i] & 0xC0) != 0x80) return 0xFFFD;
        c = c << 6 | (p[i] & 0x3F);
    }
    if (n == 2 && (c < 0x800 || (c >= 0xD800 && c < 0xE000) || c >= 0xFFFE)) return 0xFFFD;
    if (n == 3 && (c < 0x10000 || c > 0x10FFFF)) return 0xFFFD;
    *s += n;
    return c < 0x20 ? ' ' : c == 0x7F ? 0xFFFD : c;
}

/* About how wide a character is in a sans-serif font of size 1. */
static double layered__char_width(unsigned c)
{
    if (c >= 0x1100) return c >= 0x2000 && c < 0x2E80 ? 0.75 : 1;
    if (c >= 0x80) return 0.62;
    if (strchr("ijl|'!.,:;I", (int)c)) return 0.28;
    if (strchr("ft()[]{}r-/\\ \"`*", (int)c)) return 0.37;
    if (strchr("mwMW@%<>=+~", (int)c)) return 0.88;
    return c >= 'A' && c <= 'Z' ? 0.71 : 0.56;
}

static double layered__text_width(const char *s, int bytes, double size)
{
    const char *end = s + bytes;
    double width = 0;
    while (s < end) width += layered__char_width(layered__char(&s));
    return width * size;
}

typedef struct { const char *text; int bytes, cut; double size, width; } layered__text;

/* The part of s that fits into room. With more != 0 a further line follows, so break at a blank or comma
 * if one is near the end, else cut: an ellipsis follows. */
static layered__text layered__fit(const char *s, double size, double room, int more)
{
    layered__text t;
    const char *p = s, *fits = s, *gap = NULL;
    double width = 0;
    while (*p) {
        const char *q = p;
        width += layered__char_width(layered__char(&p)) * size;
        if (width > room) break;
        if (strchr(" ,/", *q) && width > room / 2) gap = p;
        if (more || width <= room - size) fits = p;
    }
    t.cut = 0;
    if (width <= room) fits = p;
    else if (more) fits = gap ? gap : fits;
    else t.cut = 1;
    t.text = s;
    t.bytes = (int)(fits - s);
    t.size = size;
    t.width = layered__text_width(s, t.bytes, size) + (t.cut ? size : 0);
    return t;
}

/* The lines of a node's box. */
static int layered__lines(const layered_node *node, layered__text *line, int narrow)
{
    const char *detail = node->detail ? node->detail : "";
    int n = 0, small = node->kind == 1, room = narrow ? 92 : 190;
    if (node->title && *node->title) {
        line[n] = layered__fit(node->title, small ? 10 : 12, narrow ? 92 : 220, 0);
        if (!small) line[n].width *= 1.07;      /* bold */
        n++;
    }
    if (*detail) {
        line[n] = layered__fit(detail, small ? 9 : 10, room, 1);
        detail += line[n++].bytes;
        while (*detail == ' ') detail++;
        if (*detail) line[n] = layered__fit(detail, small ? 9 : 10, room, 0), n++;
    }
    return n;
}

static void layered__xml(FILE *out, const char *s, size_t bytes)
{
    const char *end = s + bytes;
    while (s < end) {
        const char *p = s;
        unsigned c = layered__char(&s);
        if (c == 0xFFFD) fputs("\xEF\xBF\xBD", out);
        else if (c == '<') fputs("&lt;", out);
        else if (c == '>') fputs("&gt;", out);
        else if (c == '&') fputs("&amp;", out);
        else if (c == '"') fputs("&quot;", out);
        else if (c < 0x80) fputc((int)c, out);
        else fwrite(p, 1, (size_t)(s - p), out);
    }
}

/* --- wires --- */
static int layered__is_edge(const layered_edge *e, int nodes)
{
    return e->from >= 0 && e->from < nodes && e->to >= 0 && e->to < nodes;
}

static int layered__same(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

/* Lines of a source with the same label make a wire; beyond LAYERED__WIRES labels all share the last one. */
static void layered__make_wires(layered__graph *g, int edges, const layered_edge *edge)
{
    layered__key *key = LAYERED__GET(g, layered__key, edges);
    int i, w, begin = 0;
    g->line = LAYERED__GET(g, layered__line, edges);
    g->wire = LAYERED__GET(g, layered__wire, edges);
    g->first_wire = LAYERED__GET(g, int, g->nodes + 1);
    if (g->broken) return;
    for (i = 0; i < edges; i++) {
        if (!layered__is_edge(&edge[i], g->nodes)) continue;
        key[g->lines].key = edge[i].from;
        key[g->lines++].item = i;
    }
    qsort(key, (size_t)g->lines, sizeof *key, layered__compare);
    for (i = 0; i < g->lines; i++) {
        const layered_edge *e = &edge[key[i].item];
        if (!i || key[i].key != key[i - 1].key) begin = g->wires;
        for (w = begin; w < g->wires && !layered__same(g->wire[w].label, e->label); w++) {}
        if (w == begin + LAYERED__WIRES) g->wire[--w].label = NULL;
        if (w == g->wires) {
            g->wire[w].node = e->from;
            g->wire[w].label = e->label;
            g->first_wire[e->from + 1] = ++g->wires;
        }
        key[i].second = w;
    }
    for (i = 0; i < g->nodes; i++) if (!g->first_wire[i + 1]) g->first_wire[i + 1] = g->first_wire[i];
    for (i = 0; i < g->lines; i++) key[i].key = 0;
    qsort(key, (size_t)g->lines, sizeof *key, layered__compare);
    for (i = 0; i < g->lines; i++) {
        w = g->line[i].wire = (int)key[i].second;
        g->line[i].from = edge[key[i].item].from;
        g->line[i].to = edge[key[i].item].to;
        if (!g->wire[w].lines++) g->wire[w].first_line = i;
    }
}

static int layered__first_line(const layered__graph *g, int node)
{
    int w = g->first_wire[node];
    return w < g->wires ? g->wire[w].first_line : g->lines;
}

/* --- rows --- */
/* Sorts the nodes from sources to sinks by a walk into the depth; a line back into it closes a cycle. */
static void layered__sort(layered__graph *g)
{
    int *next = LAYERED__GET(g, int, g->nodes), *stack = LAYERED__GET(g, int, g->nodes);
    char *state = LAYERED__GET(g, char, g->nodes), *fed = LAYERED__GET(g, char, g->nodes);
    int i, k, pass, depth, done = g->nodes;
    g->sorted = LAYERED__GET(g, int, g->nodes);
    if (g->broken) return;
    for (i = 0; i < g->lines; i++) if (g->line[i].from != g->line[i].to) fed[g->line[i].to] = 1;
    for (i = 0; i < g->nodes; i++) next[i] = layered__first_line(g, i);
    for (pass = 0; pass < 2; pass++)        /* sources first, then what only cycles lead to */
        for (k = 0; k < g->nodes; k++) {
            i = pass ? k : g->nodes - 1 - k;
            if (state[i] || (!pass && fed[i])) continue;
            stack[0] = i;
            state[i] = 1;
            for (depth = 1; depth > 0;) {
                int v = stack[depth - 1];
                if (next[v] == layered__first_line(g, v + 1)) {
                    state[v] = 2;
                    g->sorted[--done] = v;
                    depth--;
                    continue;
                }
                else {
                    layered__line *line = &g->line[next[v]++];
                    if (state[line->to] == 1) line->aside = 1;
                    else if (!state[line->to]) state[stack[depth++] = line->to] = 1;
                }
            }
        }
}

/* The longest ways from each node to a source and to a sink. Returns the longest of all. */
static int layered__make_lengths(layered__graph *g, char *linked)
{
    layered__point *p = g->point;
    int i, k, longest = 0;
    for (i = 0; i < g->nodes; i++)
        for (k = layered__first_line(g, g->sorted[i]); k < layered__first_line(g, g->sorted[i] + 1); k++) {
            const layered__line *line = &g->line[k];
            if (line->aside) continue;
            linked[line->from] = linked[line->to] = 1;
            if (p[line->to].length_up <= p[line->from].length_up)
                p[line->to].length_up = p[line->from].length_up + 1;
            if (p[line->to].length_up > longest) longest = p[line->to].length_up;
        }
    for (i = g->nodes - 1; i >= 0; i--)
        for (k = layered__first_line(g, g->sorted[i]); k < layered__first_line(g, g->sorted[i] + 1); k++) {
            const layered__line *line = &g->line[k];
            if (!line->aside && p[line->from].length_down <= p[line->to].length_down)
                p[line->from].length_down = p[line->to].length_down + 1;
        }
    return longest;
}

/* The lowest row a node may have below which no line leads upward, or -1 if no line leads on. */
static int layered__lowest(const layered__graph *g, int node)
{
    int k, lowest = -1;
    for (k = layered__first_line(g, node); k < layered__first_line(g, node + 1); k++) {
        int row = g->point[g->line[k].to].row - 1;
        if (!g->line[k].aside && (lowest < 0 || row < lowest)) lowest = row;
    }
    return lowest;
}

/* Where all that use a value use nothing else, they come as low as all can: one wire gets longer, not
 * many. */
static void layered__pull_fans(layered__graph *g)
{
    int *into = LAYERED__GET(g, int, g->nodes), i, k;
    if (g->broken) return;
    for (i = 0; i < g->lines; i++) into[g->line[i].to]++;
    for (i = g->nodes - 1; i >= 0; i--) {
        const layered__wire *wire = &g->wire[g->first_wire[g->sorted[i]]];
        int wires = g->first_wire[g->sorted[i] + 1] - g->first_wire[g->sorted[i]], slack = g->rows;
        if (wires != 1 || wire->lines < 2) continue;
        for (k = wire->first_line; k < wire->first_line + wire->lines; k++) {
            int to = g->line[k].to, low = layered__lowest(g, to);
            if (into[to] > 1 || low < 0) slack = 0;
            else if (low - g->point[to].row < slack) slack = low - g->point[to].row;
        }
        for (k = wire->first_line; slack && k < wire->first_line + wire->lines; k++)
            g->point[g->line[k].to].row += slack;
    }
}

/* Rows: as high as possible. Then whatever no node of a longest way leads to, a parameter for example, is
 * pulled down to where it is used. Isolated nodes fill rows of their own width. */
static void layered__make_rows(layered__graph *g)
{
    char *fixed = LAYERED__GET(g, char, g->nodes), *linked = LAYERED__GET(g, char, g->nodes);
    int i, k, longest, isolated = 0;
    if (g->broken) return;
    longest = layered__make_lengths(g, linked);
    for (i = 0; i < g->nodes; i++) {
        layered__point *p = &g->point[g->sorted[i]];
        if (p->length_up + p->length_down == longest) fixed[g->sorted[i]] = 1;
        for (k = layered__first_line(g, g->sorted[i]); k < layered__first_line(g, g->sorted[i] + 1); k++)
            if (!g->line[k].aside && fixed[g->sorted[i]]) fixed[g->line[k].to] = 1;
    }
    for (i = g->nodes - 1; i >= 0; i--) {
        layered__point *p = &g->point[g->sorted[i]];
        int lowest = layered__lowest(g, g->sorted[i]);
        p->row = fixed[g->sorted[i]] || lowest < 0 ? p->length_up : lowest;
        if (!linked[g->sorted[i]]) p->row = isolated++ / LAYERED__ISOLATED;
        if (p->row >= g->rows) g->rows = p->row + 1;
    }
    layered__pull_fans(g);
}

/* --- bends --- */
/* Lines go aside, longest first, until the bends of the others stay within a budget. */
static void layered__limit(layered__graph *g)
{
    int *count = LAYERED__GET(g, int, g->rows + 1), i, limit;
    double budget = 100000 + 2.0 * (g->nodes + (double)g->lines), used = 0;
    if (g->broken) return;
    for (i = 0; i < g->lines; i++)
        if (!g->line[i].aside) count[g->point[g->line[i].to].row - g->point[g->line[i].from].row]++;
    for (limit = 0; limit < g->rows; limit++)
        if ((used += (double)limit * count[limit]) > budget) break;
    for (i = 0; i < g->lines; i++)
        if (g->point[g->line[i].to].row - g->point[g->line[i].from].row >= limit) g->line[i].aside = 1;
}

/* The point in the row above its target from which a line comes. */
static int layered__last(const layered__graph *g, const layered__line *line)
{
    int span = g->point[line->to].row - g->point[line->from].row;
    return span < 2 ? line->from : g->wire[line->wire].first_bend + span - 2;
}

static void layered__make_bends(layered__graph *g)
{
    int i, w, bends = 0;
    layered__point *old = g->point;
    layered__limit(g);
    if (g->broken) return;
    for (i = 0; i < g->lines; i++) {
        int span = g->point[g->line[i].to].row - g->point[g->line[i].from].row;
        layered__wire *wire = &g->wire[g->line[i].wire];
        if (!g->line[i].aside && span - 1 > wire->bends) wire->bends = span - 1;
    }
    for (w = 0; w < g->wires; w++) {
        g->wire[w].first_bend = g->nodes + bends;
        bends += g->wire[w].bends;
    }
    g->points = g->nodes + bends;
    g->point = LAYERED__GET(g, layered__point, g->points);
    if (g->broken) { g->point = old; return; }
    memcpy(g->point, old, (size_t)g->nodes * sizeof *old);
    for (i = 0; i < g->nodes; i++) g->point[i].wire = -1;
    for (w = 0; w < g->wires; w++)
        for (i = 0; i < g->wire[w].bends; i++) {
            layered__point *p = &g->point[g->wire[w].first_bend + i];
            p->wire = w;
            p->row = g->point[g->wire[w].node].row + 1 + i;
            p->length_up = g->point[g->wire[w].node].length_up;
        }
    for (i = 0; i < g->lines; i++) {        /* a bend leads as far as the longest way its line leads to */
        int last = layered__last(g, &g->line[i]), length = g->point[g->line[i].to].length_down;
        for (; !g->line[i].aside && last >= g->nodes && g->point[last].length_down < length; last--) {
            g->point[last].length_down = length;
            if (last == g->wire[g->line[i].wire].first_bend) break;
        }
    }
}

/* A link between points of neighbouring rows: counts it, or, once the places are known, notes it. */
static void layered__link(layered__graph *g, int a, int b, int note)
{
    layered__point *from = &g->point[a], *to = &g->point[b];
    if (note) {
        g->near[from->down + from->downs] = b;
        g->near[to->up + to->ups] = a;
    }
    from->downs++;
    to->ups++;
    g->links++;
}

static void layered__make_links(layered__graph *g)
{
    int pass, i, w, at = 0;
    for (pass = 0; pass < 2; pass++) {
        if (pass) g->near = LAYERED__GET(g, int, 2 * (size_t)g->links);
        if (g->broken) return;
        for (i = 0; pass && i < g->points; i++) {
            layered__point *p = &g->point[i];
            p->up = at;
            p->down = at += p->ups;
            at += p->downs;
            p->ups = p->downs = 0;
        }
        g->links = 0;
        for (w = 0; w < g->wires; w++)
            for (i = 0; i < g->wire[w].bends; i++)
                layered__link(g, i ? g->wire[w].first_bend + i - 1 : g->wire[w].node,
                              g->wire[w].first_bend + i, pass);
        for (i = 0; i < g->lines; i++)
            if (!g->line[i].aside) layered__link(g, layered__last(g, &g->line[i]), g->line[i].to, pass);
    }
}

/* --- order --- */
/* Sorts n points of one row, which are some point's neighbours, by place. */
static void layered__sort_near(const layered__graph *g, int *near, int n, layered__key *room)
{
    int i;
    for (i = 1; i < n && g->point[near[i - 1]].place <= g->point[near[i]].place; i++) {}
    if (i >= n) return;
    for (i = 0; i < n; i++) {
        room[i].key = g->point[near[i]].place;
        room[i].item = near[i];
    }
    qsort(room, (size_t)n, sizeof *room, layered__compare);
    for (i = 0; i < n; i++) near[i] = room[i].item;
}

/* A first order: walks from the sources with the longest way down, the longest way first, so that the
 * spine of a network comes to stand left, and most trees come out without crossings. */
static void layered__first_order(layered__graph *g, layered__key *room)
{
    int *stack = LAYERED__GET(g, int, 2 * (size_t)g->links + (size_t)g->points), i, k, n = 0;
    int *count = LAYERED__GET(g, int, g->rows);
    g->row = LAYERED__GET(g, int, g->points);
    g->first = LAYERED__GET(g, int, g->rows + 1);
    if (g->broken) return;
    for (i = 0; i < g->points; i++) g->first[g->point[i].row + 1]++;
    for (i = 0; i < g->rows; i++) g->first[i + 1] += g->first[i];
    for (i = 0; i < g->points; i++) {
        room[i].key = -g->point[i].length_down;
        room[i].item = i;
        g->point[i].place = -1;
    }
    qsort(room, (size_t)g->points, sizeof *room, layered__compare);
    for (i = 0; i < g->points; i++) stack[g->points - 1 - i] = room[i].item;
    for (n = g->points; n > 0;) {
        layered__point *p = &g->point[stack[--n]];
        if (p->place >= 0) continue;
        p->place = count[p->row]++;
        g->row[g->first[p->row] + p->place] = (int)(p - g->point);
        for (k = 0; k < p->ups + p->downs; k++) {   /* near[up...] and near[down...] are one piece */
            const layered__point *q = &g->point[g->near[p->up + k]];
            room[k].key = k < p->ups ? q->length_up : g->points + q->length_down;
            room[k].item = k;
        }
        qsort(room, (size_t)k, sizeof *room, layered__compare);
        for (i = 0; i < k; i++) stack[n++] = g->near[p->up + room[i].item];
    }
}

/* Crossings between row r and the next: pairs of links in different order above and below. tree: of sums. */
static double layered__crossings_below(const layered__graph *g, int r, int *tree)
{
    int width = g->first[r + 2] - g->first[r + 1], i, k, j, seen = 0;
    double crossings = 0;
    memset(tree, 0, ((size_t)width + 1) * sizeof *tree);
    for (i = g->first[r]; i < g->first[r + 1]; i++) {
        const layered__point *p = &g->point[g->row[i]];
        for (k = 0; k < p->downs; k++) {
            crossings += seen;
            for (j = g->point[g->near[p->down + k]].place + 1; j > 0; j -= j & -j) crossings -= tree[j];
        }
        for (k = 0; k < p->downs; k++)
            for (seen++, j = g->point[g->near[p->down + k]].place + 1; j <= width; j += j & -j) tree[j]++;
    }
    return crossings;
}

static double layered__crossings(const layered__graph *g, int *tree)
{
    double crossings = 0;
    int r;
    for (r = 0; r + 1 < g->rows; r++) crossings += layered__crossings_below(g, r, tree);
    return crossings;
}

/* Sorts a row by the mean place of neighbours above or below; without any, by what stands left of it. */
static void layered__by_mean(layered__graph *g, int r, int upward, layered__key *room)
{
    int i, k, n = g->first[r + 1] - g->first[r], *row = g->row + g->first[r];
    double last = -1;
    for (i = 0; i < n; i++) {
        const layered__point *p = &g->point[row[i]];
        const int *near = g->near + (upward ? p->down : p->up);
        int count = upward ? p->downs : p->ups;
        double sum = 0;
        for (k = 0; k < count; k++) sum += g->point[near[k]].place;
        room[i].key = last = count ? sum / count : last;
        room[i].item = i;
    }
    qsort(room, (size_t)n, sizeof *room, layered__compare);
    for (i = 0; i < n; i++) room[i].item = row[room[i].item];
    for (i = 0; i < n; i++) g->point[row[i] = room[i].item].place = i;
}

/* Crossings of a's links with b's if a stands left of b, less those if it stands right. Lists are sorted. */
static double layered__gain(const layered__graph *g, const int *a, int as, const int *b, int bs)
{
    int i, less = 0, upto = 0;
    double gain = 0;
    for (i = 0; i < as; i++) {
        int place = g->point[a[i]].place;
        while (less < bs && g->point[b[less]].place < place) less++;
        while (upto < bs && g->point[b[upto]].place <= place) upto++;
        gain += less - (bs - upto);
    }
    return gain;
}

/* Swaps neighbours of a row while fewer links cross for it. Returns how many crossings that saved. */
static double layered__swap(layered__graph *g, int r, layered__key *room)
{
    int i, again = 1, rounds, n = g->first[r + 1] - g->first[r], *row = g->row + g->first[r];
    double saved = 0;
    for (i = 0; i < n; i++) {
        layered__point *p = &g->point[row[i]];
        layered__sort_near(g, g->near + p->up, p->ups, room);
        layered__sort_near(g, g->near + p->down, p->downs, room);
    }
    for (rounds = 0; again && rounds < 10; rounds++)
        for (again = i = 0; i + 1 < n; i++) {
            layered__point *a = &g->point[row[i]], *b = &g->point[row[i + 1]];
            double gain = layered__gain(g, g->near + a->up, a->ups, g->near + b->up, b->ups) +
                          layered__gain(g, g->near + a->down, a->downs, g->near + b->down, b->downs);
            int left = row[i];
            if (gain <= 0) continue;
            saved += gain;
            row[i] = row[i + 1];
            row[i + 1] = left;
            a->place++;
            b->place--;
            again = 1;
        }
    return saved;
}

/* Moves points of every row a good way at random, always the same way for the same seed. */
static void layered__shake(layered__graph *g, unsigned seed, layered__key *room)
{
    int r, i;
    for (r = 0; r < g->rows; r++) {
        int n = g->first[r + 1] - g->first[r], *row = g->row + g->first[r];
        for (i = 0; i < n; i++) {
            seed = seed * 1664525u + 1013904223u;
            room[i].key = i + (seed >> 8) / 16777216.0 * n;
            room[i].item = row[i];
        }
        qsort(room, (size_t)n, sizeof *room, layered__compare);
        for (i = 0; i < n; i++) g->point[row[i] = room[i].item].place = i;
    }
}

/* Sweeps down and up, sorting by means and swapping, with a shake when stuck; keeps the best order seen. */
static void layered__order(layered__graph *g)
{
    int *tree = LAYERED__GET(g, int, g->points), *best = LAYERED__GET(g, int, g->points);
    int i, r, sweep, dull = 0;
    layered__key *room = LAYERED__GET(g, layered__key, g->points + 2 * (size_t)g->links);
    int sweeps = 6 + (int)(1500000 / (g->points + g->links + 1));
    double crossings, least;
    if (!g->broken) layered__first_order(g, room);
    if (g->broken) return;
    least = layered__crossings(g, tree);
    memcpy(best, g->row, (size_t)g->points * sizeof *best);
    for (sweep = 0; sweep < sweeps && sweep < 150 && least > 0; sweep++) {
        if (dull && dull % 5 == 0) layered__shake(g, (unsigned)sweep, room);
        for (i = 1; sweep && i < g->rows; i++)
            layered__by_mean(g, sweep & 1 ? i : g->rows - 1 - i, !(sweep & 1), room);
        for (i = 0; i < 4; i++) {
            double saved = 0;
            for (r = 0; r < g->rows; r++) saved += layered__swap(g, r, room);
            if (saved <= 0) break;
        }
        crossings = layered__crossings(g, tree);
        dull = crossings < least ? 0 : dull + 1;
        if (crossings >= least) continue;
        least = crossings;
        memcpy(best, g->row, (size_t)g->points * sizeof *best);
    }
    memcpy(g->row, best, (size_t)g->points * sizeof *best);
    for (r = 0; r < g->rows; r++)
        for (i = g->first[r]; i < g->first[r + 1]; i++) g->point[g->row[i]].place = i - g->first[r];
    for (i = 0; i < g->points; i++) {
        layered__sort_near(g, g->near + g->point[i].up, g->point[i].ups, room);
        layered__sort_near(g, g->near + g->point[i].down, g->point[i].downs, room);
    }
}

/* --- blocks --- */
/* The length of the longest way through a neighbour; parameters count least. */
static int layered__length(const layered__graph *g, int i, int upward)
{
    const layered__point *p = &g->point[i];
    if (!upward) return p->length_down;
    return g->node[p->wire < 0 ? i : g->wire[p->wire].node].kind == 1 ? -1 : p->length_up;
}

/* The neighbour to stand in line with: on the longest way, the middle one of an odd number, else none. */
static int layered__favourite(const layered__graph *g, const int *near, int n, int upward)
{
    int i, longest = -2, count = 0;
    for (i = 0; i < n; i++) {
        int length = layered__length(g, near[i], upward);
        if (length > longest) longest = length, count = 0;
        count += length == longest && (!i || near[i] != near[i - 1]);
    }
    if (count % 2 == 0) return -1;
    for (i = 0, count /= 2; i < n; i++)
        if (layered__length(g, near[i], upward) == longest && (!i || near[i] != near[i - 1]) && !count--)
            return near[i];
    return -1;
}

/* Puts points of row r in line with points of the next where both want it and nothing in line is crossed.
 * kind: how many of the two are bends. */
static void layered__align(layered__graph *g, int r, int kind, const int *wish, int *right)
{
    const int *row = g->row + g->first[r];
    int i, n = g->first[r + 1] - g->first[r], left = -1;
    right[n] = g->points;
    for (i = n - 1; i >= 0; i--) {
        int below = g->point[row[i]].below;
        right[i] = below >= 0 ? g->point[below].place : right[i + 1];
    }
    for (i = 0; i < n; i++) {
        layered__point *a = &g->point[row[i]], *b = wish[row[i]] < 0 ? NULL : &g->point[wish[row[i]]];
        if (b && a->below < 0 && b->above < 0 && (a->wire >= 0) + (b->wire >= 0) == kind && b->place > left &&
            b->place < right[i]) {
            a->below = wish[row[i]];
            b->above = row[i];
        }
        if (a->below >= 0) left = g->point[a->below].place;
    }
}

static void layered__make_blocks(layered__graph *g)
{
    static const int order[] = { 0, 2, 1 };     /* boxes, long wires, then their ends */
    int *down = LAYERED__GET(g, int, g->points), *up = LAYERED__GET(g, int, g->points);
    int *right = LAYERED__GET(g, int, g->points), i, r, k;
    if (g->broken) return;
    for (i = 0; i < g->points; i++) {
        layered__point *p = &g->point[i];
        down[i] = layered__favourite(g, g->near + p->down, p->downs, 0);
        up[i] = layered__favourite(g, g->near + p->up, p->ups, 1);
        p->above = p->below = -1;
    }
    for (i = 0; i < g->points; i++) if (down[i] >= 0 && up[down[i]] != i) down[i] = -1;
    for (r = 0; r + 1 < g->rows; r++)
        for (k = 0; k < 3; k++) layered__align(g, r, order[k], down, right);
    for (i = 0; i < g->points; i++) {
        layered__point *p = &g->point[g->row[i]];
        p->block = p->above < 0 ? g->blocks++ : g->point[p->above].block;
    }
}

/* --- columns --- */
typedef struct {
    int *head;                          /* of a block the first point */
    double *x, *need, *other;           /* of a block; need and other are room to work in */
    double work;                        /* points looked at, so that it can end */
} layered__columns;

/* The point beside another, right if sign is 1 and left if it is -1; -1: none. */
static int layered__beside(const layered__graph *g, int i, int sign)
{
    const layered__point *p = &g->point[i];
    int at = g->first[p->row] + p->place + sign;
    return at < g->first[p->row] || at >= g->first[p->row + 1] ? -1 : g->row[at];
}

/* How far the middles of neighbours in a row must be apart. */
static double layered__apart(const layered__graph *g, int i, int j, int sign)
{
    const layered__point *a = &g->point[sign > 0 ? i : j], *b = &g->point[sign > 0 ? j : i];
    return a->right + b->left + (a->wire < 0 && b->wire < 0 ? 22 : a->wire < 0 || b->wire < 0 ? 14 : 12);
}

/* Numbers the blocks so that whatever stands right of a block has a higher number. */
static void layered__number_blocks(layered__graph *g, layered__columns *c)
{
    int *waits = LAYERED__GET(g, int, g->blocks), *rank = LAYERED__GET(g, int, g->blocks);
    int *head = LAYERED__GET(g, int, g->blocks), *queue = LAYERED__GET(g, int, g->blocks);
    int i, n = 0, done, at, right;
    if (g->broken) return;
    for (i = 0; i < g->points; i++) {
        const layered__point *p = &g->point[g->row[i]];
        if (p->above < 0) head[p->block] = g->row[i];
        waits[p->block] += p->place > 0;
    }
    for (i = 0; i < g->blocks; i++) if (!waits[i]) queue[n++] = i;
    for (done = 0; done < n; done++) {
        rank[queue[done]] = done;
        c->head[done] = head[queue[done]];
        for (at = c->head[done]; at >= 0; at = g->point[at].below)
            if ((right = layered__beside(g, at, 1)) >= 0 && !--waits[g->point[right].block])
                queue[n++] = g->point[right].block;
    }
    for (i = 0; i < g->points; i++) g->point[i].block = rank[g->point[i].block];
}

/* Takes blocks apart: half way between pushing everything right and pushing everything left. */
static void layered__spread(const layered__graph *g, layered__columns *c)
{
    double *high = c->need, *low = c->other;
    int b, at, next;
    memcpy(high, c->x, (size_t)g->blocks * sizeof *high);
    memcpy(low, c->x, (size_t)g->blocks * sizeof *low);
    for (b = 0; b < g->blocks; b++)
        for (at = c->head[b]; at >= 0; at = g->point[at].below) {
            double x = (next = layered__beside(g, at, 1)) < 0 ? 0 : high[b] + layered__apart(g, at, next, 1);
            if (next >= 0 && high[g->point[next].block] < x) high[g->point[next].block] = x;
        }
    for (b = g->blocks - 1; b >= 0; b--)
        for (at = c->head[b]; at >= 0; at = g->point[at].below) {
            double x = (next = layered__beside(g, at, -1)) < 0 ? 0 : low[b] - layered__apart(g, at, next, -1);
            if (next >= 0 && low[g->point[next].block] > x) low[g->point[next].block] = x;
        }
    for (b = 0; b < g->blocks; b++) c->x[b] = (low[b] + high[b]) / 2;
}

/* How strongly a link draws its ends together. A parameter goes where it is used, not vice versa. */
static double layered__pull(const layered__graph *g, const layered__point *p, const layered__point *q)
{
    if (p->wire >= 0 || q->wire >= 0) return p->wire >= 0 && q->wire >= 0 ? 4 : 1;
    if (p->row > q->row) p = q;
    return g->node[p - g->point].kind == 1 && p->downs == 1 ? 0.1 : 4;
}

/* Where a block would like to stand: at the mean of what it is linked to, above, below, or both. */
static double layered__wanted(const layered__graph *g, const layered__columns *c, int b, int above, int below)
{
    double sum = 0, weight = 0;
    int at, k;
    for (at = c->head[b]; at >= 0; at = g->point[at].below) {
        const layered__point *p = &g->point[at];
        for (k = above ? 0 : p->ups; k < p->ups + (below ? p->downs : 0); k++) {
            const layered__point *q = &g->point[g->near[p->up + k]];
            double pull = layered__pull(g, p, q);
            if (q->block == b) continue;
            sum += pull * c->x[q->block];
            weight += pull;
        }
    }
    return weight > 0 ? sum / weight : c->x[b];
}

/* How far each block must go (need) if one goes d to the right (sign 1) or left (-1). Returns the last
 * such. */
static int layered__push(const layered__graph *g, layered__columns *c, int block, int sign, double d)
{
    int b, at, last = block;
    c->need[block] = d;
    for (b = block; sign * b <= sign * last; b += sign, c->work++)
        for (at = c->need[b] > 0 ? c->head[b] : -1; at >= 0; at = g->point[at].below, c->work++) {
            int next = layered__beside(g, at, sign), to = next < 0 ? b : g->point[next].block;
            double need = c->need[b] - sign * (c->x[to] - c->x[b]);
            if (next < 0 || (need += layered__apart(g, at, next, sign)) <= c->need[to]) continue;
            c->need[to] = need;
            if (sign * to > sign * last) last = to;
        }
    return last;
}

/* How that changes the sum of squared lengths of links. */
static double layered__change(const layered__graph *g, layered__columns *c, int block, int sign, int last)
{
    double change = 0;
    int b, at, k;
    for (b = block; sign * b <= sign * last; b += sign)
        for (at = c->need[b] > 0 ? c->head[b] : -1; at >= 0; at = g->point[at].below)
            for (k = 0; k < g->point[at].ups + g->point[at].downs; k++, c->work++) {
                const layered__point *p = &g->point[at], *q = &g->point[g->near[p->up + k]];
                double old = c->x[b] - c->x[q->block], now = old + sign * (c->need[b] - c->need[q->block]);
                double seen = c->need[q->block] > 0 ? 2 : 1;        /* from both ends */
                change += layered__pull(g, p, q) * (now * now - old * old) / seen;
            }
    return change;
}

/* Moves a block where it would like to stand, or half or a quarter as far, with all that is in its way,
 * if that is good for the whole. */
static int layered__move(const layered__graph *g, layered__columns *c, int block)
{
    double d = layered__wanted(g, c, block, 1, 1) - c->x[block];
    int sign = d < 0 ? -1 : 1, round, b, last, good = 0;
    for (round = 0, d = fabs(d); round < 3 && !good && d > 0.25; round++, d /= 2) {
        last = layered__push(g, c, block, sign, d);
        good = layered__change(g, c, block, sign, last) < 0;
        for (b = block; sign * b <= sign * last; b += sign) {
            if (good) c->x[b] += sign * c->need[b];
            c->need[b] = 0;
        }
    }
    return good;
}

/* First all blocks go where they like and are taken apart, over and over; then one by one. */
static void layered__make_columns(layered__graph *g)
{
    layered__columns c;
    int i, pass, moved = 1;
    double effort = g->points + 2.0 * g->links;
    c.work = 0;
    c.head = LAYERED__GET(g, int, g->blocks);
    c.x = LAYERED__GET(g, double, g->blocks);
    c.need = LAYERED__GET(g, double, g->blocks);
    c.other = LAYERED__GET(g, double, g->blocks);
    if (!g->broken) layered__number_blocks(g, &c);
    if (g->broken) return;
    layered__spread(g, &c);
    for (pass = 0; pass < 4 || (pass < 30 && c.work < 1e7); pass++, c.work += effort) {
        for (i = 0; i < g->points; i++) {
            int both = pass > 5, up = pass % 2;
            const layered__point *p = &g->point[g->row[up ? g->points - 1 - i : i]];
            if (p->above < 0) c.x[p->block] = layered__wanted(g, &c, p->block, both || !up, both || up);
        }
        layered__spread(g, &c);
    }
    for (i = 0; i < g->blocks; i++) c.need[i] = 0;
    for (pass = 0; pass < 200 && moved && c.work < 5e7; pass++, c.work += effort)
        for (moved = i = 0; i < g->blocks && c.work < 5e7; i++)
            moved |= layered__move(g, &c, pass & 1 ? i : g->blocks - 1 - i);
    for (i = 0; i < g->points; i++) g->point[i].x = c.x[g->point[i].block];
}

/* --- drawing: measures --- */
/* Sizes of boxes: the text, and room for what starts below them and what ends above. A label stands right
 * of the place where its wire starts, so it takes part in how far a node reaches. */
static void layered__measure(layered__graph *g)
{
    int *into = LAYERED__GET(g, int, g->nodes), i, w, k;
    if (g->broken) return;
    for (i = 0; i < g->lines; i++) into[g->line[i].to]++;
    for (i = 0; i < g->nodes; i++) {
        layered__point *p = &g->point[i];
        layered__text line[3];
        double width = 40, slots = 0, arrows = 9.0 * into[i] + 16;
        int n = layered__lines(&g->node[i], line, g->narrow), wires = g->first_wire[i + 1] - g->first_wire[i];
        for (k = 0; k < n; k++) if (line[k].width + 20 > width) width = line[k].width + 20;
        for (w = g->first_wire[i]; w < g->first_wire[i + 1]; w++) {
            const char *label = g->wire[w].label;
            g->wire[w].label_width = label && *label ? layered__fit(label, 10, 140, 0).width : 0;
            slots += 16 + g->wire[w].label_width;
        }
        if (arrows < 160) arrows = into[i] < 6 ? 28.0 * into[i] - 8 : 160;  /* all may come from one side */
        if (arrows > 300) arrows = 300;
        if (width < arrows) width = arrows;
        if (wires > 1 && width < slots) width = slots;
        p->height = !n ? 20 : g->node[i].kind == 1 ? 8 + 11 * n : 11 + 13 * n;
        p->left = p->right = ceil(width / 2);
        if (wires == 1 && slots - 10 > p->right) p->right = slots - 10;
    }
}

/* Where wires leave a node: in the middle; several side by side, in the order of where they lead. */
static void layered__leave(layered__graph *g, int node)
{
    layered__key key[LAYERED__WIRES];
    int begin = g->first_wire[node], wires = g->first_wire[node + 1] - begin, w, k;
    double width = 0, x = g->point[node].x;
    for (w = 0; w < wires; w++) {
        layered__wire *wire = &g->wire[begin + w];
        key[w].key = key[w].second = 0;
        key[w].item = begin + w;
        for (k = wire->first_line; k < wire->first_line + wire->lines; k++)
            key[w].key += g->point[wire->bends ? wire->first_bend : g->line[k].to].x / wire->lines;
        wire->port = x;
        width += 16 + wire->label_width;
    }
    if (wires < 2) return;
    qsort(key, (size_t)wires, sizeof *key, layered__compare);
    for (w = 0, x -= width / 2; w < wires; w++) {
        g->wire[key[w].item].port = floor(x + 6);
        x += 16 + g->wire[key[w].item].label_width;
    }
}

static double layered__within(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* Where n lines, from left to right, reach a node: straight from above if they can, but apart. */
static void layered__arrive(const layered__graph *g, const layered__point *p, const layered__key *key, int n)
{
    double room = 2 * p->left - 20, space = n < 2 ? 0 : layered__within(room / (n - 1), 0, 14), last = 0;
    double low = p->x - room / 2, high = p->x + room / 2 - (n - 1) * space;
    int i;
    for (i = 0; i < n; i++) {           /* pushed right, then pushed left, then the mean of both */
        double x = layered__within(key[i].second, low + i * space, high + i * space);
        g->line[key[i].item].port = last = i && x < last + space ? last + space : x;
    }
    for (i = n - 1; i >= 0; i--) {
        double x = layered__within(key[i].second, low + i * space, high + i * space);
        last = i < n - 1 && x > last - space ? last - space : x;
        g->line[key[i].item].port = floor((g->line[key[i].item].port + last) / 2);
    }
}

static void layered__make_ports(layered__graph *g)
{
    layered__key *key = LAYERED__GET(g, layered__key, g->lines);
    int i, begin;
    if (g->broken) return;
    for (i = 0; i < g->nodes; i++) layered__leave(g, i);
    for (i = 0; i < g->lines; i++) {
        const layered__line *line = &g->line[i];
        int last = line->aside ? -1 : layered__last(g, line);
        key[i].item = i;
        key[i].key = line->to;
        key[i].second = last < 0 ? 1e300 : last < g->nodes ? g->wire[line->wire].port : g->point[last].x;
    }
    qsort(key, (size_t)g->lines, sizeof *key, layered__compare);
    for (begin = i = 0; i < g->lines; i++) {
        if (i + 1 < g->lines && key[i + 1].key == key[i].key) continue;
        layered__arrive(g, &g->point[g->line[key[i].item].to], key + begin, i + 1 - begin);
        begin = i + 1;
    }
}

static int layered__by_group(const void *a, const void *b)
{
    const layered_node *x = *(const layered_node *const *)a, *y = *(const layered_node *const *)b;
    int order = strcmp(x->group, y->group);
    return order ? order : x < y ? -1 : x > y;
}

/* A group may have a common ground where no other node stands between its own and the wires it begins. */
static int layered__is_tidy(const layered__graph *g, layered__ground *ground, double *work)
{
    int i, check;
    for (check = 0; check < 2; check++)
        for (i = g->first[ground->first]; i < g->first[ground->last + 1]; i++, ++*work) {
            const layered__point *p = &g->point[g->row[i]];
            int node = p->wire < 0 ? g->row[i] : g->wire[p->wire].node;
            int inside = layered__same(g->node[node].group, ground->name);
            if (check) {
                if (p->wire >= 0 || inside) continue;
                if (p->x + p->left > ground->left - 8 && p->x - p->left < ground->right + 8) return 0;
            }
            else if (inside && p->wire >= 0 && p->row < ground->last) {
                if (ground->left > p->x) ground->left = p->x;
                if (ground->right < p->x) ground->right = p->x;
            }
        }
    return 1;
}

static void layered__find_grounds(layered__graph *g)
{
    const layered_node **member = LAYERED__GET(g, const layered_node *, g->nodes);
    int i, begin, n = 0;
    double work = 0;
    g->ground = LAYERED__GET(g, layered__ground, g->nodes);
    if (g->broken) return;
    for (i = 0; i < g->nodes; i++) if (g->node[i].group && *g->node[i].group) member[n++] = &g->node[i];
    qsort((void *)member, (size_t)n, sizeof *member, layered__by_group);
    for (begin = i = 0; i < n; i++) {
        const layered__point *p = &g->point[member[i] - g->node];
        layered__ground *ground = &g->ground[g->grounds];
        if (i == begin) {
            ground->name = member[i]->group;
            ground->times = member[i]->times;
            ground->first = ground->last = p->row;
            ground->left = ground->right = p->x;
        }
        if (p->row < ground->first) ground->first = p->row;
        if (p->row > ground->last) ground->last = p->row;
        if (p->x - p->left < ground->left) ground->left = p->x - p->left;
        if (p->x + p->right > ground->right) ground->right = p->x + p->right;
        if (i + 1 < n && !strcmp(member[i + 1]->group, ground->name)) continue;
        if ((i > begin + 1 && work < 1e7 && layered__is_tidy(g, ground, &work)) || ground->times > 1) g->grounds++;
        begin = i + 1;
    }
}

/* Heights of rows and of the gaps between: room for labels, and more the farther a wire goes sideways. */
static double layered__make_heights(layered__graph *g, double y)
{
    double *far = LAYERED__GET(g, double, g->rows), *above = LAYERED__GET(g, double, g->rows);
    int i, k, r;
    g->top = LAYERED__GET(g, double, g->rows + 1);
    g->bottom = LAYERED__GET(g, double, g->rows + 1);
    g->straight = LAYERED__GET(g, double, g->rows + 1);
    if (g->broken) return y;
    for (i = 0; i < g->wires; i++)
        if (g->wire[i].label_width > 0) g->straight[g->point[g->wire[i].node].row] = 15;
    for (i = 0; i < g->points; i++) {
        const layered__point *p = &g->point[i];
        if (g->bottom[p->row] < p->height) g->bottom[p->row] = p->height;
        for (k = 0; k < p->downs; k++) {
            double d = fabs(g->point[g->near[p->down + k]].x - p->x);
            if (far[p->row] < d) far[p->row] = d;
        }
    }
    for (i = 0; i < g->grounds; i++) above[g->ground[i].first] = 14;
    for (r = 0; r < g->rows; r++) {
        double curve = 9 + 0.12 * far[r];
        g->top[r] = y += above[r];
        g->bottom[r] += y;
        y = floor(g->bottom[r] + g->straight[r] + (curve < 48 ? curve : 48) + 9);
    }
    return y;
}

/* --- drawing: SVG --- */
typedef struct { const char *name, *fill, *stroke; } layered__look;

static const layered__look *layered__look_of(int kind)
{
    static const layered__look look[LAYERED__KINDS] = {
        { "input", "#e2f0dc", "#5b9a4a" },
        { "parameter", "#f4f4f2", "#a9a9a4" },
        { "convolution, product", "#d9e6f7", "#4a78b5" },
        { "pointwise", "#fdf0cf", "#c99a2e" },
        { "output", "#f8dcd8", "#bf5b50" },
        { "fused", "#e6def4", "#7d5fb2" },
        { "shape", "#ffffff", "#9aa0a6" },
        { "pooling, reduction", "#d5eeeb", "#3f958c" },
        { "normalisation", "#f3e6d6", "#b0804a" }
    };
    return &look[kind >= 0 && kind < LAYERED__KINDS ? kind : 3];
}

typedef struct { FILE *out; double x, y, below; } layered__pen;     /* below: a line down to there is due */

static void layered__lift(layered__pen *pen)
{
    if (pen->below != pen->y) fprintf(pen->out, "V%.0f", pen->below);
    pen->y = pen->below;
}

static void layered__move_to(layered__pen *pen, double x, double y)
{
    layered__lift(pen);
    fprintf(pen->out, "M%.0f %.0f", pen->x = x, pen->y = pen->below = y);
}

static void layered__down_to(layered__pen *pen, double y) { pen->below = y; }

/* A curve that begins and ends upright, by way of a height between the two, or beyond both to turn round. */
static void layered__curve_to(layered__pen *pen, double x, double y, double by)
{
    if (x == pen->x) { pen->below = y; return; }
    layered__lift(pen);
    fprintf(pen->out, "C%.0f %.0f %.0f %.0f %.0f %.0f", pen->x, by, x, by, x, y);
    pen->x = x;
    pen->y = pen->below = y;
}

/* Where wires begin to curve below a row, and where they must be straight again. */
static double layered__gap_top(const layered__graph *g, int r) { return g->bottom[r] + g->straight[r]; }
static double layered__gap_end(const layered__graph *g, int r)
{
    return r + 1 < g->rows ? g->top[r + 1] - 9 : layered__gap_top(g, r) + 20;
}

static double layered__box_top(const layered__graph *g, int i)
{
    const layered__point *p = &g->point[i];
    return floor((g->top[p->row] + g->bottom[p->row] - p->height) / 2);
}

static double layered__box_bottom(const layered__graph *g, int i)
{
    return layered__box_top(g, i) + g->point[i].height;
}

/* Through the gap below row r. */
static void layered__through(const layered__graph *g, layered__pen *pen, int r, double x)
{
    double top = layered__gap_top(g, r), end = layered__gap_end(g, r);
    layered__curve_to(pen, x, end, floor((top + end) / 2));
}

/* The wire of a value: down through its bends, and from there to each target. */
static void layered__draw_wire(const layered__graph *g, layered__pen *pen, const layered__wire *wire)
{
    int i, row = g->point[wire->node].row;
    fputs(g->node[wire->node].kind == 1 ? "<path stroke=\"#b9bab5\" d=\"" : "<path d=\"", pen->out);
    layered__move_to(pen, wire->port, layered__box_bottom(g, wire->node));
    layered__down_to(pen, layered__gap_top(g, row));
    for (i = 0; i < wire->bends; i++, row++) {
        layered__through(g, pen, row, g->point[wire->first_bend + i].x);
        layered__down_to(pen, layered__gap_top(g, row + 1));
    }
    for (i = wire->first_line; i < wire->first_line + wire->lines; i++) {
        const layered__line *line = &g->line[i];
        int last = line->aside ? -1 : layered__last(g, line);
        double x, y;
        if (last < 0) continue;
        x = last < g->nodes ? wire->port : g->point[last].x;
        y = layered__gap_top(g, g->point[last].row);
        if (pen->x != x || pen->below != y) layered__move_to(pen, x, y);
        layered__through(g, pen, g->point[last].row, line->port);
        layered__down_to(pen, layered__box_top(g, line->to) - 5);
    }
    layered__lift(pen);
    fputs("\"/>\n", pen->out);
}

/* A line along the margin, down or up to its target. */
static void layered__draw_aside(const layered__graph *g, layered__pen *pen, const layered__line *line,
                                double lane)
{
    int from = g->point[line->from].row, to = g->point[line->to].row;
    double begin = layered__gap_top(g, from), end = g->top[to] - 9;
    double above = to ? layered__gap_top(g, to - 1) : g->top[0] - 20;
    fputs("<path d=\"", pen->out);
    layered__move_to(pen, g->wire[line->wire].port, layered__box_bottom(g, line->from));
    layered__down_to(pen, begin);
    if (to > from + 1) {
        layered__through(g, pen, from, lane);
        layered__down_to(pen, above);
        layered__through(g, pen, to - 1, line->port);
    } else {
        layered__curve_to(pen, lane, begin, layered__gap_end(g, from));
        layered__down_to(pen, end);
        layered__curve_to(pen, line->port, end, above);
    }
    layered__down_to(pen, layered__box_top(g, line->to) - 5);
    layered__lift(pen);
    fputs("\"/>\n", pen->out);
}

/* A text that was fitted, to the end of its element. */
static void layered__draw_text(FILE *out, const layered__text *t)
{
    layered__xml(out, t->text, (size_t)t->bytes);
    fputs(t->cut ? "\xE2\x80\xA6</text>\n" : "</text>\n", out);
}

static void layered__draw_lines(const layered__graph *g, FILE *out, double right)
{
    layered__pen pen;
    int i, w, lane = 0;
    memset(&pen, 0, sizeof pen);
    pen.out = out;
    fputs("<g fill=\"none\" stroke=\"#6b7078\" stroke-width=\"1.2\">\n", out);
    for (w = 0; w < g->wires; w++) layered__draw_wire(g, &pen, &g->wire[w]);
    fputs("</g>\n<g fill=\"none\" stroke=\"#8a6fb0\" stroke-dasharray=\"5 3\">\n", out);
    for (i = 0; i < g->lines; i++)
        if (g->line[i].aside)
            layered__draw_aside(g, &pen, &g->line[i], right + 8 * (1 + lane++ % LAYERED__LANES));
    fputs("</g>\n<path fill=\"#55595f\" d=\"", out);
    for (i = 0; i < g->lines; i++)
        fprintf(out, "M%.0f %.0fl-3.5 -7h7z\n", g->line[i].port, layered__box_top(g, g->line[i].to));
    fputs("\"/>\n<g font-size=\"10\" fill=\"#4f545b\">\n", out);
    for (w = 0; w < g->wires; w++) {
        double x = g->wire[w].port + 4, y = g->bottom[g->point[g->wire[w].node].row] + 1;
        layered__text t;
        if (g->wire[w].label_width <= 0) continue;
        t = layered__fit(g->wire[w].label, 10, 140, 0);
        fprintf(out, "<rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"12\" fill=\"#fff\" "
                "fill-opacity=\"0.8\"/><text x=\"%.0f\" y=\"%.0f\">", x - 1, y, t.width + 2, x, y + 10);
        layered__draw_text(out, &t);
    }
    fputs("</g>\n", out);
}

static void layered__draw_grounds(const layered__graph *g, FILE *out)
{
    const layered__ground *ground;
    for (ground = g->ground; ground < g->ground + g->grounds; ground++) {
        double top = g->top[ground->first] - 19, left = ground->left - 8, width = ground->right + 8 - left;
        char times[24];
        int again = ground->times > 1;
        layered__text t;
        snprintf(times, sizeof times, "\xC3\x97 %d", ground->times);
        t = layered__fit(again ? times : ground->name, again ? 12 : 9, width - 8, 0);
        if (g->in_page) fputs("<g data-t=\"", out);
        if (g->in_page) layered__xml(out, ground->name, strlen(ground->name));
        if (g->in_page) fputs("\">", out);
        fprintf(out, "<rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" rx=\"8\" fill=\"%s/>"
                "<text x=\"%.0f\" y=\"%.0f\" font-size=\"%s>", left, top, width,
                layered__gap_top(g, ground->last) + 5 - top,
                again ? "#edf1f8\" stroke=\"#7d8aa3\" stroke-dasharray=\"4 3\"" : "#f3f5f9\"", left + 6,
                top + (again ? 15 : 11),
                again ? "12\" font-weight=\"bold\" fill=\"#4f5d78\"" : "9\" fill=\"#8a92a0\"");
        layered__draw_text(out, &t);
        if (g->in_page) fputs("</g>\n", out);
    }
}

static void layered__draw_box(const layered__graph *g, FILE *out, int i)
{
    const layered_node *node = &g->node[i];
    const layered__point *p = &g->point[i];
    const layered__look *look = layered__look_of(node->kind);
    layered__text line[3];
    int n = layered__lines(node, line, g->narrow), k;
    double y = layered__box_top(g, i);
    fputs(g->in_page ? "<g data-t=\"" : "<g><title>", out);
    if (node->title) layered__xml(out, node->title, strlen(node->title));
    if (node->title && node->detail) fputs("\n", out);
    if (node->detail) layered__xml(out, node->detail, strlen(node->detail));
    if (node->times > 1) fprintf(out, "\n\xC3\x97 %d", node->times);
    fprintf(out, "%s<rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" rx=\"%.0f\" fill=\"%s\" "
            "stroke=\"%s\"/>\n", g->in_page ? "\">" : "</title>", p->x - p->left, y, 2 * p->left, p->height,
            node->kind == 0 || node->kind == 4 ? p->height / 2 : 5, look->fill, look->stroke);
    for (k = 0, y += node->kind == 1 ? 1 : 2; k < n; k++) {
        int title = !k && node->title && *node->title;
        y += node->kind == 1 ? 11 : 13;
        fprintf(out, "<text x=\"%.0f\" y=\"%.0f\" font-size=\"%.0f\"%s>", p->x, y, line[k].size,
                !title ? " fill=\"#555\"" : node->kind == 1 ? "" : " font-weight=\"bold\"");
        layered__draw_text(out, &line[k]);
    }
    fputs("</g>\n", out);
}

/* The title and a legend of the kinds that occur, in lines of the given width; with out NULL it only
 * measures. Returns where they end. */
static void layered__write_key(const layered__graph *g, FILE *out)
{
    int i, k;
    fputs("<div class=\"key\">", out);
    for (k = 0; k < LAYERED__KINDS; k++) {
        for (i = 0; i < g->nodes && layered__look_of(g->node[i].kind) != layered__look_of(k); i++) continue;
        if (i < g->nodes)
            fprintf(out, "<span><i style=\"background:%s;border:1px solid %s\"></i>%s</span>",
                    layered__look_of(k)->fill, layered__look_of(k)->stroke, layered__look_of(k)->name);
    }
    fputs("</div>\n", out);
}

static double layered__draw_head(const layered__graph *g, FILE *out, const char *title, double width)
{
    int seen[LAYERED__KINDS] = { 0 }, i, kinds = 0;
    double x = 20, y = 16;
    if (title && *title) {
        layered__text t = layered__fit(title, 16, width - 40, 0);
        y = 34;
        if (out) fputs("<text x=\"20\" y=\"30\" font-size=\"16\" font-weight=\"bold\">", out);
        if (out) layered__draw_text(out, &t);
    }
    for (i = 0; i < g->nodes; i++) kinds += !seen[layered__look_of(g->node[i].kind) - layered__look_of(0)]++;
    if (kinds < 2 || g->in_page) return y + 10;
    for (i = 0; i < LAYERED__KINDS; i++) {
        const layered__look *look = layered__look_of(i);
        double room = floor(32 + layered__text_width(look->name, (int)strlen(look->name), 10));
        if (!seen[i]) continue;
        if (x > 20 && x + room > width) x = 20, y += 17;
        if (out)
            fprintf(out, "<rect x=\"%.0f\" y=\"%.0f\" width=\"14\" height=\"10\" rx=\"3\" fill=\"%s\" "
                    "stroke=\"%s\"/><text x=\"%.0f\" y=\"%.0f\" font-size=\"10\" fill=\"#555\">%s</text>\n",
                    x, y + 8, look->fill, look->stroke, x + 19, y + 17, look->name);
        x += room;
    }
    return y + 34;
}

/* Everything before drawing; returns 0 or -1. */
static int layered__arrange(layered__graph *g, int nodes, const layered_node *node, int edges,
                            const layered_edge *edge)
{
    g->node = node;
    g->nodes = nodes > 0 ? nodes : 0;
    g->point = LAYERED__GET(g, layered__point, g->nodes);
    if (!g->broken) layered__make_wires(g, edges > 0 ? edges : 0, edge);
    if (!g->broken) layered__measure(g);
    if (!g->broken) layered__sort(g);
    if (!g->broken) layered__make_rows(g);
    if (!g->broken) layered__make_bends(g);
    if (!g->broken) layered__make_links(g);
    if (!g->broken) layered__order(g);
    if (!g->broken) layered__make_blocks(g);
    if (!g->broken) layered__make_columns(g);
    return g->broken ? -1 : 0;
}

static int layered__plan(layered__graph *g, int nodes, const layered_node *node, int edges,
                         const layered_edge *edge)
{
    memset(g, 0, sizeof *g);
    return layered__arrange(g, nodes, node, edges, edge);
}

/* Moves the picture to the right of x = 20, onto whole numbers, and says how far it then reaches. */
static double layered__shift(layered__graph *g)
{
    double left = 0, right = 0;
    int i;
    for (i = 0; i < g->points; i++) {
        const layered__point *p = &g->point[i];
        if (!i || p->x - p->left < left) left = p->x - p->left;
        if (!i || p->x + p->right > right) right = p->x + p->right;
    }
    for (i = 0; i < g->points; i++) g->point[i].x = floor(g->point[i].x + 20.5 - left);
    return ceil(right + 20 - left);
}

/* Everything else before drawing: places on the page. */
static void layered__lay_out(layered__graph *g, const char *title, double *right, double *width,
                             double *height)
{
    int i, lanes = 0;
    *right = layered__shift(g);
    layered__make_ports(g);
    if (g->broken) return;
    layered__find_grounds(g);
    for (i = 0; i < g->lines; i++) lanes += g->line[i].aside;
    *width = *right + 20 + (lanes ? 8 * (lanes < LAYERED__LANES ? lanes : LAYERED__LANES) + 8 : 0);
    if (*width < 320) *width = 320;
    *height = layered__draw_head(g, NULL, title, *width) + (lanes ? 30 : 6);
    *height = layered__make_heights(g, *height) + (lanes ? 20 : 0);
}

static int layered__draw(FILE *out, const char *title, int nodes, const layered_node *node, int edges,
                         const layered_edge *edge, int in_page, int narrow)
{
    layered__graph g;
    double right = 0, width = 0, height = 0;
    int i, lack;
    memset(&g, 0, sizeof g);
    g.in_page = in_page;
    g.narrow = narrow;
    lack = in_page ? layered__arrange(&g, nodes, node, edges, edge)
        : layered__plan(&g, nodes, node, edges, edge);
    if (!lack) layered__lay_out(&g, title, &right, &width, &height);
    if (!g.broken && in_page) layered__write_key(&g, out);
    if (!g.broken) {
        if (in_page)
            fprintf(out, "<div class=\"draw\" data-scrolls><svg style=\"width:100%%;max-width:%.0fpx;"
                    "min-width:%.0fpx\"", width, 0.8 * width);
        else
            fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\"", width, height);
        fprintf(out, " viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" "
                "fill=\"#1d2126\">\n", width, height);
        if (!in_page) fputs("<title>", out);
        if (!in_page && title) layered__xml(out, title, strlen(title));
        if (!in_page) fputs("</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", out);
        layered__draw_head(&g, out, title, width);
        layered__draw_grounds(&g, out);
        layered__draw_lines(&g, out, right);
        fputs("<g text-anchor=\"middle\">\n", out);
        for (i = 0; i < g.nodes; i++) layered__draw_box(&g, out, i);
        fputs(in_page ? "</g>\n</svg></div>\n" : "</g>\n</svg>\n", out);
    }
    layered__free(&g);
    return g.broken || fflush(out) || ferror(out) ? -1 : 0;
}

static int layered_svg(FILE *out, const char *title, int nodes, const layered_node *node, int edges,
                       const layered_edge *edge)
{
    return layered__draw(out, title, nodes, node, edges, edge, 0, 0);
}

/* The same as elements of a page, with the legend before it: what a box is stands in data-t, for what shows it.
 * narrow: for a telephone. */
static int layered_element(FILE *out, int narrow, int nodes, const layered_node *node, int edges,
                           const layered_edge *edge)
{
    return layered__draw(out, NULL, nodes, node, edges, edge, 1, narrow);
}

/* --- for Graphviz --- */
static void layered__quote(FILE *out, const char *s)
{
    while (s && *s) {
        const char *p = s;
        unsigned c = layered__char(&s);
        if (c == '"' || c == '\\') fputc('\\', out);
        if (c == 0xFFFD) fputs("\xEF\xBF\xBD", out);
        else if (c < 0x80) fputc((int)c, out);
        else fwrite(p, 1, (size_t)(s - p), out);
    }
}

static int layered_dot(FILE *out, const char *title, int nodes, const layered_node *node, int edges,
                       const layered_edge *edge)
{
    int i;
    fputs("digraph {\n  rankdir=TB\n  labelloc=t\n  label=\"", out);
    layered__quote(out, title);
    fputs("\"\n  node [shape=box style=\"rounded,filled\" fontname=Helvetica fontsize=12]\n"
          "  edge [fontname=Helvetica fontsize=10 color=\"#6b7078\"]\n", out);
    for (i = 0; i < nodes; i++) {
        const layered__look *look = layered__look_of(node[i].kind);
        fprintf(out, "  n%d [label=\"", i);
        layered__quote(out, node[i].title);
        if (node[i].title && *node[i].title && node[i].detail && *node[i].detail) fputs("\\n", out);
        layered__quote(out, node[i].detail);
        if (node[i].times > 1) fprintf(out, "\\n\xC3\x97 %d", node[i].times);
        fprintf(out, "\" fillcolor=\"%s\" color=\"%s\"%s]\n", look->fill, look->stroke,
                node[i].kind == 0 || node[i].kind == 4 ? " shape=ellipse" : "");
    }
    for (i = 0; i < edges; i++) {
        if (!layered__is_edge(&edge[i], nodes)) continue;
        fprintf(out, "  n%d -> n%d", edge[i].from, edge[i].to);
        if (edge[i].label && *edge[i].label) {
            fputs(" [label=\"", out);
            layered__quote(out, edge[i].label);
            fputs("\"]", out);
        }
        fputs("\n", out);
    }
    fputs("}\n", out);
    return fflush(out) || ferror(out) ? -1 : 0;
}
#endif
