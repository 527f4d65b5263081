/* cc -O2 examples/symbolic.c -o symbolic -lm -lpthread
 *
 * Symbolic programming in three steps: define the program, compile it, run it. fancy_func is the one of
 * imperative.c; called with a symbolic frame it computes nothing, it writes a program down. The compiler sees
 * all of it: it can compute what is constant, and leave out memory that nobody looks at. */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <stdio.h>
#include <string.h>

static hy_array *add(hy_frame *F, hy_array *a, hy_array *b, const char *name)
{
    hy_array *sum = hy_add(F, a, b);
    return strcmp(hy_mode(F), "symbol") ? sum : hy_named(F, sum, name);
}

static hy_array *fancy_func(hy_frame *F, hy_array *a, hy_array *b, hy_array *c, hy_array *d)
{
    hy_array *e = add(F, a, b, "e");
    hy_array *f = add(F, c, d, "f");
    hy_array *g = add(F, e, f, "g");
    return g;
}

static void show(hy_graph *graph, hy_form form)
{
    char text[200] = "";
    hy_graph_text(graph, form, text, sizeof text);
    printf("%s\n", text);
}

static int operators(hy_graph *graph)
{
    hy_node node;
    int i, n = 0;
    for (i = 0; !hy_graph_node(graph, i, &node); i++) n += node.kind == HY_NODE_OP;
    return n;
}

/* The flow of data: inputs in the first row, every other node below its inputs and in their middle. */
static void draw(hy_graph *graph, const char *path)
{
    int x[16] = { 0 }, y[16] = { 0 }, inputs = 0, i, k;
    FILE *svg = fopen(path, "w");
    hy_node node;
    if (!svg) return;
    fprintf(svg, "<svg xmlns='http://www.w3.org/2000/svg' width='340' height='240' font-family='serif' "
            "font-size='18' text-anchor='middle'>\n<marker id='head' orient='auto' refX='8' refY='4' "
            "markerWidth='8' markerHeight='8'><path d='M0 0L8 4L0 8z'/></marker>\n");
    for (i = 0; i < 16 && !hy_graph_node(graph, i, &node); i++) {
        if (!node.inputs) { x[i] = 50 + 80 * inputs++; y[i] = 40; }
        for (k = 0; k < node.inputs; k++) {
            int from = hy_graph_input(graph, i, k, NULL);
            x[i] += x[from] / node.inputs;
            if (y[i] < y[from] + 80) y[i] = y[from] + 80;
        }
        fprintf(svg, "<circle cx='%d' cy='%d' r='20' fill='none' stroke='black'/>", x[i], y[i]);
        fprintf(svg, "<text x='%d' y='%d'>%s</text>\n", x[i], y[i] + 6, node.name);
        for (k = 0; k < node.inputs; k++) {
            int from = hy_graph_input(graph, i, k, NULL);
            fprintf(svg, "<path d='M%d %dL%d %d' stroke='black' marker-end='url(#head)'/>\n",
                    x[from], y[from] + 20, x[i], y[i] - 20);
        }
    }
    fprintf(svg, "</svg>\n");
    fclose(svg);
}

/* Memory above the inputs, at most, line by line (no graph) or compiled. */
static double megabytes(hy_frame *F, hy_graph *graph, hy_array *x)
{
    size_t before;
    double peak;
    hy_trim(F);
    hy_begin(F);
    before = hy_memory_mark(F);
    if (graph) hy_graph_run(F, graph, x);
    else fancy_func(F, hy_get(F, x, 0), hy_get(F, x, 1), hy_get(F, x, 2), hy_get(F, x, 3));
    peak = (double)(hy_memory_use(F).peak - before) / 1e6;
    hy_end(F);                          /* e, f and g live until here */
    return peak;
}

int main(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_shape million = HY_SHAPE(1000000);
    hy_graph *constant, *folded, *graph;
    hy_array *a, *b, *c, *d, *x;

    /* Of numbers: everything is known when it is compiled. */
    a = hy_scalar(F, 1);
    b = hy_scalar(F, 2);
    c = hy_scalar(F, 3);
    d = hy_scalar(F, 4);
    x = hy_group(F, a, b, c, d);
    constant = hy_compile(S, fancy_func(S, a, b, c, d));
    show(constant, HY_FORM_LINES);
    show(constant, HY_FORM_INLINE);
    folded = hy_optimize(F, constant, NULL, NULL);
    show(folded, HY_FORM_INLINE);
    printf("%g\n", hy_item(F, hy_graph_run(F, folded, NULL)));
    printf("operators: %d, then %d\n", operators(constant), operators(folded));

    /* Of variables: define, compile, run with inputs. */
    a = hy_var(S, "a", NULL);
    b = hy_var(S, "b", NULL);
    c = hy_var(S, "c", NULL);
    d = hy_var(S, "d", NULL);
    graph = hy_compile(S, fancy_func(S, a, b, c, d));
    draw(graph, "symbolic.svg");        /* a, b -> e; c, d -> f; e, f -> g */
    printf("%g\n", hy_item(F, hy_graph_run(F, graph, x)));

    x = hy_group(F, hy_ones(F, million), hy_ones(F, million), hy_ones(F, million), hy_ones(F, million));
    printf("activations: %d bytes\n", (int)hy_graph_plan(F, graph, x).activations);
    printf("imperative: %.0f MB above the inputs\n", megabytes(F, NULL, x));
    printf("compiled:   %.0f MB above the inputs\n", megabytes(F, graph, x));

    if (hy_error(S)) hy_raise(F, hy_error_code(S), hy_error(S));
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    hy_close(S);
    return hy_close(F);
}
