// What the program that tests/front.awk makes needs: the ways of one call must give the same values, or the same error.
#include <cstdio>
#include <cstring>
#include <string>

static hy_frame *F, *S;
static hy_array *x, *y, *out;
static hy_block *net;
static hy_graph *graph;
static hy_dataset *data;
static hy_arrays list;
static hy::value v(nullptr, nullptr);
static char text[4096];
static const char *what;
static std::string due;
static int ways, bad, calls, gave;

static std::string told(hy_array *a)
{
    char buffer[4096];
    if (!a) return "none";
    if (hy_count(F, a) == 1 && hy_ndim(F, a) >= 0 && hy_dtype_of(F, a) != HY_DTYPE_NONE) {
        hy_text(F, a, buffer, sizeof buffer);
        return buffer;
    }
    std::string all = "(";
    for (int i = 0; i < hy_count(F, a) && !hy_error(F); i++) all += told(hy_get(F, a, i)) + ",";
    return all + ")";
}

static void front_way(const std::string &result)
{
    const std::string now = (hy_error(F) ? hy_error(F) : hy_error(S) ? hy_error(S) : "") + (" " + result);
    gave += !hy_error(F) && !hy_error(S);
    if (ways++ == 0) due = now;
    else if (now != due) bad++, std::printf("%s, way %d: %s\n    due: %s\n", what, ways, now.c_str(), due.c_str());
    hy_clear(F);
    hy_clear(S);
    hy_seed(F, 1);
    calls++;
}
static void next(hy_array *a) { const std::string s = hy_error(F) ? "" : told(a); front_way(s); }
static void next(const hy::value &a) { next(a.array); }
static void next(hy_frame *other)
{
    hy_close(other);
    front_way("");
}
static void next() { front_way(""); }
template <class T> static void next(const T &) { front_way(""); }
static void begin(const char *name) { what = name; ways = 0; }
static const char *fresh()
{
    static char name[32];
    static int n;
    std::sprintf(name, "p%d", n++);
    return name;
}
#define NEXT next
#define BEGIN begin

static void front_begin()
{
    F = hy_open(NULL);
    x = hy_full(F, HY_SHAPE(2, 2), 0.25);
    y = hy_full(F, HY_SHAPE(2, 2), 0.75);
    v = hy::value(F, x);
    net = hy_nn_dense(F, 2, NULL);
    hy_initialize(F, net, NULL);
    hy_call(F, net, x);
    data = hy_dataset_arrays(F, x);
    S = hy_symbolic(F);
    graph = hy_compile(S, hy_var(S, "x", NULL));
    if (hy_error(F)) bad++, std::puts(hy_error(F));
    hy_seed(F, 1);
}
static int front_end(int functions)
{
    hy_close(S);
    bad += hy_close(F) != 0;
    std::printf("%d functions, %d calls of which %d gave a result, %d differ\n", functions, calls, gave, bad);
    return bad != 0;
}
