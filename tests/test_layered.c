/* Pictures of graphs (tools/layered.h), judged by what the SVG says: where boxes and wires are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long layered_blocks, layered_left;   /* pieces of memory in use; allocations until one fails, or -1 */

static void *layered_calloc(size_t n, size_t size)
{
    void *p = layered_left && (layered_left < 0 || layered_left--) ? calloc(n, size) : NULL;
    layered_blocks += p != NULL;
    return p;
}
static void layered_drop(void *p)
{
    layered_blocks -= p != NULL;
    free(p);
}
#define calloc layered_calloc
#define free layered_drop
#include "../tools/layered.h"
#undef calloc
#undef free

enum { LAYERED_NODES = 400, LAYERED_EDGES = 2000 };
typedef struct {
    int nodes, edges;
    layered_node node[LAYERED_NODES];
    layered_edge edge[LAYERED_EDGES];
} layered_case;
typedef struct { double x, y, w, h; } layered_box;

/* --- a case to draw --- */
static layered_case *layered_new(int nodes)
{
    layered_case *c = (layered_case *)calloc(1, sizeof *c);
    int i;
    c->nodes = nodes;
    for (i = 0; i < nodes; i++) {
        c->node[i].title = "convolution";
        c->node[i].detail = i % 3 ? NULL : "64 of 3x3";
        c->node[i].kind = 2 + i % 7;
    }
    return c;
}

static void layered_join(layered_case *c, int from, int to, const char *label)
{
    c->edge[c->edges].from = from;
    c->edge[c->edges].to = to;
    c->edge[c->edges++].label = label;
}

static unsigned layered_seed;
static int layered_random(int n)
{
    layered_seed = layered_seed * 1103515245u + 12345u;
    return (int)(layered_seed >> 8) % n;
}

/* What is written, in memory of its own. */
typedef int layered_writer(FILE *, const char *, int, const layered_node *, int, const layered_edge *);
static char *layered_written(layered_writer *write, const char *title, const layered_case *c)
{
    FILE *f = tmpfile();
    char *text;
    long size;
    layered_left = -1;
    CHECK(write(f, title, c->nodes, c->node, c->edges, c->edge) == 0);
    CHECK(layered_blocks == 0);
    size = ftell(f);
    text = (char *)calloc(1, (size_t)size + 1);
    rewind(f);
    CHECK(fread(text, 1, (size_t)size, f) == (size_t)size);
    fclose(f);
    return text;
}

/* --- reading it --- */
/* Elements nest, attributes are quoted, and every & begins one of the entities. */
static int layered_is_xml(const char *s)
{
    const char *open[16];
    int depth = 0, n;
    for (; *s; s++) {
        if (*s == '&') {
            if (strncmp(s, "&lt;", 4) && strncmp(s, "&gt;", 4) && strncmp(s, "&amp;", 5) &&
                strncmp(s, "&quot;", 6)) return 0;
        } else if ((unsigned char)*s < ' ' && *s != '\n') return 0;
        else if (*s == '<' && s[1] == '/') {
            n = (int)strcspn(s += 2, ">");
            if (!depth-- || strncmp(open[depth], s, (size_t)n) || !strchr(" >", open[depth][n])) return 0;
            s += n;
        } else if (*s == '<') {
            if (depth == 16) return 0;
            open[depth++] = ++s;
            for (n = 0; *s && (n || *s != '>'); s++) n ^= *s == '"';
            if (!*s) return 0;
            depth -= s[-1] == '/';
        }
    }
    return depth == 0;
}

/* The boxes, in the order of the nodes. */
static int layered_boxes(const char *svg, layered_box *box)
{
    int n = 0;
    for (; (svg = strstr(svg, "<g><title>")) != NULL; svg++, n++)
        if (sscanf(strstr(svg, "<rect"), "<rect x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"", &box[n].x,
                   &box[n].y, &box[n].w, &box[n].h) != 4) return -1;
    return n;
}

static int layered_inside(const layered_box *box, int n, double x, double y)
{
    int i;
    for (i = 0; i < n; i++)
        if (x > box[i].x + 1 && x < box[i].x + box[i].w - 1 &&
            y > box[i].y + 1 && y < box[i].y + box[i].h - 1)
            return 1;
    return 0;
}

/* Walks along a path in small steps. Returns whether it stays outside of boxes and within the picture. */
static int layered_clear(const char *d, const layered_box *box, int n, const layered_box *view)
{
    double x = 0, y = 0, c[6], t;
    int used, k;
    for (; *d != '"'; d += used) {
        if (*d == 'l') return 1;                /* arrow heads: they begin where a wire ends */
        if (sscanf(d, "M%lf %lf%n", &x, &y, &used) == 2) continue;
        if (sscanf(d, "V%lf%n", &c[5], &used) == 1) c[0] = c[2] = c[4] = x, c[1] = y, c[3] = c[5];
        else if (sscanf(d, "C%lf %lf %lf %lf %lf %lf%n", c, c + 1, c + 2, c + 3, c + 4, c + 5, &used) != 6)
            return 0;
        for (k = 0; k <= 16; k++) {
            double u = 1 - (t = k / 16.0), px, py;
            px = u * u * u * x + 3 * u * u * t * c[0] + 3 * u * t * t * c[2] + t * t * t * c[4];
            py = u * u * u * y + 3 * u * u * t * c[1] + 3 * u * t * t * c[3] + t * t * t * c[5];
            if (px < 0 || py < 0 || px > view->w || py > view->h || layered_inside(box, n, px, py)) return 0;
        }
        x = c[4];
        y = c[5];
    }
    return 1;
}

/* What must hold of every picture. acyclic: all edges lead downward. */
static void layered_check(const layered_case *c, int acyclic)
{
    char *svg = layered_written(layered_svg, "a <title> & more", c);
    char *again = layered_written(layered_svg, "a <title> & more", c);
    const char *at;
    layered_box box[LAYERED_NODES], view;
    int i, k, n = layered_boxes(svg, box), edges = 0, heads = 0;
    CHECK(layered_is_xml(svg));
    CHECK_STR(again, svg);
    CHECK(n == c->nodes);
    CHECK(sscanf(strstr(svg, "viewBox"), "viewBox=\"0 0 %lf %lf\"", &view.w, &view.h) == 2);
    for (i = 0; i < n; i++) {
        CHECK(box[i].x >= 10 && box[i].y >= 10);
        CHECK(box[i].x + box[i].w <= view.w - 10 && box[i].y + box[i].h <= view.h - 5);
        for (k = 0; k < i; k++)
            CHECK(box[i].x + box[i].w + 10 < box[k].x || box[k].x + box[k].w + 10 < box[i].x ||
                  box[i].y + box[i].h + 10 < box[k].y || box[k].y + box[k].h + 10 < box[i].y);
    }
    for (i = 0; i < c->edges; i++) {
        int from = c->edge[i].from, to = c->edge[i].to;
        if (from < 0 || from >= n || to < 0 || to >= n) continue;
        edges++;
        if (acyclic) CHECK(box[from].y + box[from].h + 10 < box[to].y);
    }
    for (at = svg; (at = strstr(at, " d=\"")) != NULL; at += 4)
        CHECK(layered_clear(at + 4, box, n, &view));
    for (at = svg; (at = strstr(at, "l-3.5 -7h7z")) != NULL; at++) heads++;
    CHECK(heads == edges);
    free(svg);
    free(again);
}

static double layered_count(const layered_case *c, layered__graph *g)
{
    layered_left = -1;
    CHECK(layered__plan(g, c->nodes, c->node, c->edges, c->edge) == 0);
    return layered__crossings(g, LAYERED__GET(g, int, g->points));
}

static double layered_crossings(const layered_case *c)
{
    layered__graph g;
    double crossings = layered_count(c, &g);
    layered__free(&g);
    return crossings;
}

/* --- cases --- */
static void layered_chain(layered_case *c)
{
    int i;
    for (i = 1; i < c->nodes; i++) layered_join(c, i - 1, i, "1x64x56x56");
}

static void layered_draws_a_chain_straight(void)
{
    layered_case *c = layered_new(60);
    layered__graph g;
    int i;
    layered_chain(c);
    for (i = 0; i + 3 < 60; i += 4) layered_join(c, i, i + 3, "1x64x56x56");     /* skips, beside the chain */
    layered_check(c, 1);
    CHECK(layered_count(c, &g) == 0);
    for (i = 1; i < 60; i++) CHECK(fabs(g.point[i].x - g.point[0].x) < 0.01);
    for (i = 60; i < g.points; i++) CHECK(fabs(g.point[i].x - g.point[0].x) > 20);
    layered__free(&g);
    free(c);
}

static void layered_uncrosses_what_can_be(void)
{
    layered_case *c = layered_new(4), *tree = layered_new(127), *full = layered_new(6);
    layered_case *wide = layered_new(200);
    int i;
    layered_join(c, 0, 3, NULL);
    layered_join(c, 1, 2, NULL);
    CHECK(layered_crossings(c) == 0);
    layered_join(c, 0, 2, NULL);
    layered_join(c, 1, 3, NULL);
    CHECK(layered_crossings(c) == 1);
    for (i = 1; i < 127; i++) layered_join(tree, (i - 1) / 2, i, NULL);
    CHECK(layered_crossings(tree) == 0);
    layered_check(tree, 1);
    for (i = 0; i < 126; i++) tree->edge[i].from = i + 1, tree->edge[i].to = i / 2;     /* upside down */
    CHECK(layered_crossings(tree) == 0);
    for (i = 0; i < 9; i++) layered_join(full, i % 3, 3 + i / 3, NULL);
    CHECK(layered_crossings(full) == 9);            /* three to three, in two rows: always nine */
    for (i = 0; i < 100; i++) layered_join(wide, i, 100 + i * 37 % 100, NULL);
    CHECK(layered_crossings(wide) == 0);
    layered_check(wide, 1);
    free(c);
    free(tree);
    free(full);
    free(wide);
}

/* Few more crossings than the best of all orders of two rows of five. */
static int layered_fewest(const layered_case *c)
{
    int order[120][5], n = 0, a, b, i, k, best = 1000;
    for (i = 0; i < 3125; i++) {
        int digit[5], seen = 0;
        for (k = 0, a = i; k < 5; k++, a /= 5) seen |= 1 << (digit[k] = a % 5);
        if (seen == 31) memcpy(order[n++], digit, sizeof digit);
    }
    for (a = 0; a < n; a++)
        for (b = 0; b < n; b++) {
            int crossings = 0;
            for (i = 0; i < c->edges; i++)
                for (k = 0; k < i; k++)
                    crossings += (order[a][c->edge[i].from] - order[a][c->edge[k].from]) *
                                 (order[b][c->edge[i].to - 5] - order[b][c->edge[k].to - 5]) < 0;
            if (crossings < best) best = crossings;
        }
    return best;
}

static void layered_crosses_little(void)
{
    int round, i;
    double best = 0, ours = 0;
    layered_seed = 1;
    for (round = 0; round < 40; round++) {
        layered_case *c = layered_new(10);
        for (i = 0; i < 5; i++) layered_join(c, i, 5 + layered_random(5), NULL);
        for (i = 0; i < 5; i++) layered_join(c, layered_random(5), 5 + i, NULL);
        best += layered_fewest(c);
        ours += layered_crossings(c);
        free(c);
    }
    CHECK(best > 0 && ours >= best && ours <= 1.05 * best);
}

/* Where one value goes to many who use nothing else, one wire passes the rows, not many. */
static void layered_pulls_fans_down(void)
{
    layered_case *c = layered_new(20);
    layered__graph g;
    int i;
    for (i = 1; i < 10; i++) layered_join(c, i - 1, i, NULL);
    for (i = 10; i < 15; i++) {
        layered_join(c, 0, 15, NULL);
        layered_join(c, 15, i, NULL);
        layered_join(c, i, 9, NULL);
    }
    layered_check(c, 1);
    layered_count(c, &g);
    for (i = 10; i < 15; i++) CHECK(g.point[i].row == 8);
    CHECK(g.points == 20 + 6);
    layered__free(&g);
    free(c);
}

/* One wire for all who use a value: it forks late, and takes no more places than the longest needs. */
static void layered_shares_wires(void)
{
    layered_case *c = layered_new(20);
    layered__graph g;
    int i, k;
    for (i = 1; i < 20; i++)
        for (k = 0; k < i; k++) layered_join(c, k, i, "4x4");
    layered_check(c, 1);
    layered_count(c, &g);
    CHECK(g.wires == 19);
    CHECK(g.points == 20 + 18 * 19 / 2);
    layered__free(&g);
    for (i = 0; i < c->edges; i++) c->edge[i].label = i % 3 ? i % 3 == 1 ? "4x4" : "5x5" : NULL;
    layered_check(c, 1);
    free(c);
}

static void layered_pulls_parameters_down(void)
{
    layered_case *c = layered_new(60);
    layered__graph g;
    int i;
    for (i = 0; i < 30; i++) {
        c->node[30 + i].kind = 1;
        if (i) layered_join(c, i - 1, i, NULL);
        if (i) layered_join(c, 30 + i, i, NULL);
    }
    layered_check(c, 1);
    CHECK(layered_count(c, &g) == 0);
    for (i = 1; i < 30; i++) {
        CHECK(g.point[30 + i].row == i - 1);
        CHECK(fabs(g.point[i].x - g.point[0].x) < 0.01);
    }
    layered__free(&g);
    free(c);
}

/* A group stands on a common ground unless somebody else stands between. */
static void layered_paints_grounds(void)
{
    layered_case *c = layered_new(12);
    char *svg;
    int i;
    layered_chain(c);
    for (i = 2; i < 6; i++) c->node[i].group = "stage1";
    for (i = 7; i < 12; i += 2) c->node[i].group = "apart";
    layered_check(c, 1);
    svg = layered_written(layered_svg, NULL, c);
    CHECK(strstr(svg, ">stage1</text>") != NULL);
    CHECK(strstr(svg, "apart") == NULL);
    free(svg);
    free(c);
}

static void layered_draws_random_graphs(void)
{
    int round, i;
    for (round = 0; round < 40; round++) {
        int nodes = 2 + layered_random(round < 39 ? 40 : 120);
        int edges = layered_random(3 * nodes);
        layered_case *c = layered_new(nodes);
        for (i = 0; i < edges; i++) {
            int from = layered_random(nodes - 1);
            int to = from + 1 + layered_random(nodes - 1 - from);
            layered_join(c, from, to, i % 4 ? "1x2x3" : i % 8 ? NULL : "7x7");
            c->node[to].group = from % 5 ? NULL : "group";
        }
        layered_check(c, 1);
        for (i = 0; i < c->edges; i++) c->edge[i].to = layered_random(nodes);            /* and with cycles */
        layered_check(c, 0);
        free(c);
    }
}

static void layered_survives_hostile_input(void)
{
    static const char *odd[] = {
        NULL, "", "<b a=\"1\">&amp;</b>", "\x01\x02\n\t\x7F", "\xC3\x28\xFF\xED\xA0\x80\xF4\x90\x80\x80",
        "\xE6\xBC\xA2\xE5\xAD\x97 \xCE\xB1\xCE\xB2", "\xE2\x82", "\"}; rm \\ \\n"
    };
    layered_case *c = layered_new(0);
    int i;
    layered_check(c, 1);
    layered_join(c, 0, 0, "x");
    layered_check(c, 1);
    c->nodes = 8;
    for (i = 0; i < 8; i++) {
        c->node[i].title = odd[i];
        c->node[i].detail = odd[(i + 3) % 8];
        c->node[i].group = odd[i / 4];
        c->node[i].kind = i == 7 ? -5 : i == 6 ? 1000 : i;
        layered_join(c, i, i, odd[i]);
        layered_join(c, i, (i + 1) % 8, odd[i]);
        layered_join(c, (i + 4) % 8, i, NULL);
    }
    layered_join(c, -1, 2, NULL);
    layered_join(c, 2, 8, "y");
    layered_join(c, 2147483647, -2147483647, "y");
    layered_check(c, 0);
    free(c);
}

static void layered_cuts_long_texts(void)
{
    char *text = (char *)calloc(1, 100001);
    layered_case *c = layered_new(3);
    char *svg;
    layered_box box[3];
    memset(text, 'm', 100000);
    c->node[0].title = c->node[0].detail = c->node[1].detail = text;
    layered_join(c, 0, 1, text);
    layered_join(c, 0, 1, "other");
    layered_check(c, 1);
    svg = layered_written(layered_svg, text, c);
    CHECK(layered_boxes(svg, box) == 3);
    CHECK(box[0].w < 400 && box[1].w < 400);
    CHECK(strstr(svg, "mm\xE2\x80\xA6</text>") != NULL);
    free(svg);
    free(text);
    free(c);
}

static void layered_draws_what_is_long(void)
{
    enum { N = 40000 };
    layered_node *node = (layered_node *)calloc(N, sizeof *node);
    layered_edge *edge = (layered_edge *)calloc(2 * N, sizeof *edge);
    int i, edges = 0;
    FILE *f = tmpfile();
    for (i = 1; i < N; i++) {
        edge[edges].from = i - 1;
        edge[edges++].to = i;
        if (i % 16 == 0) {
            edge[edges].from = i / 2;
            edge[edges++].to = i;           /* half of the picture long: most go aside */
        }
    }
    layered_left = -1;
    CHECK(layered_svg(f, NULL, N, node, edges, edge) == 0);
    CHECK(ftell(f) > N * 50L);
    CHECK(layered_blocks == 0);
    fclose(f);
    free(node);
    free(edge);
}

static void layered_reports_failures(void)
{
    layered_case *c = layered_new(30);
    FILE *full = fopen("/dev/full", "w"), *f = tmpfile();
    int i, result = -1;
    layered_chain(c);
    for (i = 0; i + 5 < 30; i++) layered_join(c, i, i + 5, "skip");
    for (i = 0; result && i < 1000; i++) {      /* each allocation in turn fails */
        layered_left = i;
        result = layered_svg(f, "t", c->nodes, c->node, c->edges, c->edge);
        CHECK(layered_blocks == 0);
        CHECK(result == 0 || ftell(f) == 0);
    }
    CHECK(result == 0 && i > 20);
    fclose(f);
    layered_left = -1;
    if (!full) { free(c); return; }
    CHECK(layered_svg(full, "t", c->nodes, c->node, c->edges, c->edge) == -1);
    fclose(full);
    full = fopen("/dev/full", "w");
    CHECK(layered_dot(full, "t", c->nodes, c->node, c->edges, c->edge) == -1);
    fclose(full);
    free(c);
}

static void layered_writes_dot(void)
{
    layered_case *c = layered_new(2);
    char *dot;
    c->node[0].title = "a \"b\" \\ c";
    c->node[0].detail = "d";
    c->node[1].title = NULL;
    layered_join(c, 0, 1, "1x2");
    layered_join(c, 0, 7, "lost");
    dot = layered_written(layered_dot, "t", c);
    CHECK(!strncmp(dot, "digraph {\n", 10));
    CHECK(strstr(dot, "rankdir=TB") != NULL);
    CHECK(strstr(dot, "n0 [label=\"a \\\"b\\\" \\\\ c\\nd\"") != NULL);
    CHECK(strstr(dot, "n0 -> n1 [label=\"1x2\"]\n") != NULL);
    CHECK(strstr(dot, "lost") == NULL);
    free(dot);
    free(c);
}

/* What stands for several has a ground, tidy or not, that says for how many; in a page boxes say all in data-t. */
static int layered_page(FILE *f, const char *title, int nodes, const layered_node *node, int edges,
                        const layered_edge *edge)
{
    return layered_element(f, title != NULL, nodes, node, edges, edge);
}

static void layered_draws_repeats(void)
{
    layered_case *c = layered_new(5);
    layered_box box[5];
    char *svg, *page, *narrow;
    int i;
    double wide, small;
    for (i = 0; i < 4; i++) layered_join(c, i, i + 1, "1x2");
    for (i = 1; i < 4; i += 2) {                /* node 2, which is none of them, stands between */
        c->node[i].group = "a<b ... c";
        c->node[i].times = 12;
    }
    c->node[1].title = "a title of some length & <more>";
    svg = layered_written(layered_svg, NULL, c);
    CHECK(layered_is_xml(svg) && layered_boxes(svg, box) == 5);
    CHECK(strstr(svg, ">\xC3\x97 12</text>") != NULL && strstr(svg, "\xC3\x97 12</title>") != NULL);
    page = layered_written(layered_page, NULL, c);
    narrow = layered_written(layered_page, "", c);
    CHECK(layered_is_xml(page) && !strstr(page, "http") && !strstr(page, "<title>"));
    CHECK(strstr(page, "<g data-t=\"a title of some length &amp; &lt;more&gt;") && strstr(page, "data-t=\"a&lt;b ... c\""));
    CHECK(strstr(page, "<div class=\"key\">") == page);
    CHECK(sscanf(strstr(page, "max-width"), "max-width:%lfpx", &wide) == 1);
    CHECK(sscanf(strstr(narrow, "max-width"), "max-width:%lfpx", &small) == 1 && small <= wide);
    CHECK(!strstr(narrow, ">a title of some length &amp; &lt;more&gt;<"));
    free(svg);
    free(page);
    free(narrow);
    free(c);
}

static void test_layered(void)
{
    RUN(layered_draws_a_chain_straight);
    RUN(layered_uncrosses_what_can_be);
    RUN(layered_crosses_little);
    RUN(layered_shares_wires);
    RUN(layered_pulls_fans_down);
    RUN(layered_pulls_parameters_down);
    RUN(layered_paints_grounds);
    RUN(layered_draws_random_graphs);
    RUN(layered_survives_hostile_input);
    RUN(layered_cuts_long_texts);
    RUN(layered_draws_what_is_long);
    RUN(layered_reports_failures);
    RUN(layered_writes_dot);
    RUN(layered_draws_repeats);
}
