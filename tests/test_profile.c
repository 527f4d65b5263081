/* hy_profile: what is timed, how it nests, and the file, which a small reader of JSON checks to the last byte. */

#include <sys/stat.h>
#include <unistd.h>

static const char *prof_file = "profile_test.json";

/* --- a reader of JSON: strict, as far as the grammar goes --- */
static const char *prof_value(const char *s, int depth);
static const char *prof_blank(const char *s) { return s + strspn(s, " \n\r\t"); }

static const char *prof_string(const char *s)           /* behind the string, or NULL */
{
    if (*s++ != '"') return NULL;
    for (; *s != '"'; s++) {
        if ((unsigned char)*s < ' ') return NULL;
        if (*s != '\\') continue;
        if (*++s == 'u') {
            if (strspn(s + 1, "0123456789abcdefABCDEF") < 4) return NULL;
            s += 4;
        } else if (!*s || !strchr("\"\\/bfnrt", *s)) return NULL;
    }
    return s + 1;
}

static const char *prof_number(const char *s)
{
    size_t n;
    s += *s == '-';
    n = strspn(s, "0123456789");
    if (!n || (*s == '0' && n > 1)) return NULL;
    s += n;
    if (*s != '.') return s;
    n = strspn(s + 1, "0123456789");
    return n ? s + 1 + n : NULL;
}

static const char *prof_members(const char *s, char end, int depth)
{
    s = prof_blank(s + 1);
    if (*s == end) return s + 1;
    for (;; s = prof_blank(s + 1)) {
        if (end == '}') {
            if (!(s = prof_string(s)) || *(s = prof_blank(s)) != ':') return NULL;
            s = prof_blank(s + 1);
        }
        if (!(s = prof_value(s, depth + 1))) return NULL;
        s = prof_blank(s);
        if (*s == end) return s + 1;
        if (*s != ',') return NULL;
    }
}

static const char *prof_value(const char *s, int depth)
{
    if (depth > 20) return NULL;
    if (*s == '{') return prof_members(s, '}', depth);
    if (*s == '[') return prof_members(s, ']', depth);
    return *s == '"' ? prof_string(s) : prof_number(s);
}

static int prof_is_json(const char *text, size_t n)
{
    const char *end = strlen(text) == n && hy__utf8_until(text, n) == n ? prof_value(prof_blank(text), 0) : NULL;
    return end && !*prof_blank(end);
}

/* How many lines of the text have these words. */
static int prof_lines(const char *text, const char *a, const char *b)
{
    int n = 0;
    const char *line, *next;
    for (line = text; *line; line = next) {
        const char *x = strstr(line, a), *y = strstr(line, b);
        next = strchr(line, '\n');
        next = next ? next + 1 : line + strlen(line);
        n += x && x < next && y && y < next;
    }
    return n;
}

static char *prof_read(const char *file)                /* the caller frees it */
{
    FILE *f = fopen(file, "rb");
    long n = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
    char *text = n >= 0 ? (char *)malloc((size_t)n + 1) : NULL;
    if (text) {
        rewind(f);
        text[fread(text, 1, (size_t)n, f)] = 0;
        if (!CHECK(prof_is_json(text, (size_t)n))) printf("    %.300s\n", text);
    }
    if (f) fclose(f);
    return text;
}

/* --- counting and comparing events --- */
static int prof_count(hy_frame *F, int kind)            /* -1: all */
{
    hy_event e;
    int i, n = 0;
    for (i = 0; !hy_profile_event(F, i, &e); i++) n += kind < 0 || (int)e.kind == kind;
    return n;
}

static int prof_find(hy_frame *F, hy_event_kind kind, const char *name, hy_event *e)
{
    int i;
    for (i = 0; !hy_profile_event(F, i, e); i++) if (e->kind == kind && !strcmp(e->name, name)) return 1;
    return 0;
}

static int64_t prof_ns(double seconds) { return (int64_t)(seconds * 1e9 + .5); }

/* In one row events lie within one another or apart, and nothing is longer than what it is part of. */
static void prof_nests(hy_frame *F)
{
    hy_event a, b;
    int i, k;
    for (i = 0; !hy_profile_event(F, i, &a); i++) {
        int64_t a0 = prof_ns(a.start), a1 = a0 + prof_ns(a.seconds);
        CHECK(a0 >= 0 && a1 >= a0 && a.frame >= 1 && a.lane >= 0);
        for (k = 0; k < i && !test_broken; k++) {
            int64_t b0, b1;
            hy_profile_event(F, k, &b);
            if (b.frame != a.frame || b.lane != a.lane) continue;
            b0 = prof_ns(b.start);
            b1 = b0 + prof_ns(b.seconds);
            if (!CHECK(b1 <= a0 || a1 <= b0 || (a0 <= b0 && b1 <= a1) || (b0 <= a0 && a1 <= b1)))
                printf("    %s and %s\n", a.name, b.name);
        }
    }
}

/* The same of the file's text: every dur ends where it should, in thousandths of microseconds. */
static void prof_file_nests(const char *text)
{
    static int64_t from[4000], to[4000];
    static int row[4000];
    int n = 0, i, k;
    const char *s = text, *at;
    for (; (s = strstr(s, "\"ph\":\"X\"")) != NULL && n < 4000; s++, n++) {
        row[n] = atoi(strstr(s, "\"tid\":") + 6);
        at = strstr(s, "\"ts\":") + 5;
        from[n] = atoll(at) * 1000 + atoll(strchr(at, '.') + 1);
        CHECK(strchr(at, ',') - strchr(at, '.') == 4);
        at = strstr(s, "\"dur\":") + 6;
        to[n] = from[n] + atoll(at) * 1000 + atoll(strchr(at, '.') + 1);
    }
    CHECK(n > 0 && n < 4000);
    for (i = 0; i < n; i++)
        for (k = 0; k < i; k++)
            CHECK(row[i] != row[k] || to[k] <= from[i] || to[i] <= from[k] || (from[i] <= from[k] && to[k] <= to[i]) ||
                  (from[k] <= from[i] && to[i] <= to[k]));
}

/* Branches side by side, something to fuse, something that only parameters decide. */
static hy_array *prof_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *a, *b, *c;
    (void)self;
    a = hy_softmax(F, hy_transpose(F, x, HY_AXES(1, 0)), -1, NULL);
    b = hy_dot(F, x, hy_transpose(F, hy_tanh(F, x), HY_AXES(1, 0)), NULL);
    c = hy_sort(F, hy_add_scalar(F, hy_relu(F, x), 2), 1, NULL);
    return hy_group(F, hy_sum(F, a, HY_AXES(0), NULL), hy_sum(F, b, HY_AXES(1), NULL),
                    hy_mul(F, hy_mul_scalar(F, hy_sum(F, c, HY_AXES(1), NULL), .5), hy_exp(F, hy_sum(F, x, HY_AXES(1), NULL))));
}

static hy_array *prof_outputs(hy_frame *F, hy_array *y)
{
    return y && y->count ? hy_concat(F, y, 0) : y;
}

/* --- the tests --- */
static void prof_line_by_line(void)
{
    hy_frame *F = tb_open(1);
    hy_array *x = hy_full(F, HY_SHAPE(2, 3), 2), *w = hy_full(F, HY_SHAPE(3, 4), 1), *y;
    hy_event e;
    CHECK(hy_profile_event(F, 0, &e) == -1);
    CHECK(hy_profile(F, NULL) != 0);
    ERR(F, HY_ERROR_STATE, "nothing is being timed");
    CHECK(hy_profile(F, "") == 0);
    y = hy_mul_scalar(F, hy_relu(F, x), 1);
    y = hy_dot(F, y, w, NULL);
    hy_add_to(F, y, y);
    CHECK(hy_value(F, y, 1, 3) == 12);
    CHECK(prof_count(F, -1) == 4);
    hy_profile(F, NULL);
    hy_relu(F, x);                                      /* no longer seen */
    CHECK(prof_count(F, -1) == 4 && prof_count(F, HY_EVENT_OP) == 4);
    CHECK(prof_find(F, HY_EVENT_OP, "relu", &e) && e.bytes == 48 && e.call == 0 && e.lane == 0 && e.seconds > 0);
    CHECK_STR(e.shapes, "(2,3) float32 -> (2,3) float32");
    CHECK(e.type.dtype == HY_F32 && e.type.shape.ndim == 2 && e.type.shape.dim[1] == 3);
    CHECK(prof_find(F, HY_EVENT_OP, "dot", &e) && e.bytes == 4 * (6 + 12 + 8));
    CHECK_STR(e.what, "dot");
    CHECK_STR(e.shapes, "(2,3) float32, (3,4) float32 -> (2,4) float32");
    CHECK(prof_find(F, HY_EVENT_OP, "add", &e));        /* hy_add_to */
    CHECK(hy_profile_event(F, -1, &e) == -1 && hy_profile_event(F, prof_count(F, -1), &e) == -1);
    CHECK(hy_profile_event(F, 2, &e) == 0);
    CHECK_STR(e.name, "dot");
    CHECK(hy_profile_event(F, 0, &e) == 0);             /* back again */
    CHECK_STR(e.name, "relu");
    prof_nests(F);
    CHECK(hy_profile(F, "") == 0);                      /* forgets */
    CHECK(prof_count(F, -1) == 0);
    hy_profile(F, NULL);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static hy_array *prof_refused_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_dot(F, hy_relu(F, x), x, NULL);
}

/* A failing call is an event, the operator that refused is none. Stopping works, and the error stays. */
static void prof_failures(void)
{
    hy_frame *F = tb_open(1);
    hy_block *net = tb_block(F, "refused", prof_refused_forward);
    hy_array *x = tb_ramp(F, HY_SHAPE(2, 3));
    hy_event e;
    hy_profile(F, "");
    CHECK(!hy_call(F, net, x));
    CHECK(hy_profile(F, NULL) == 0);
    ERR(F, HY_ERROR_SHAPE, "dot");
    CHECK(prof_count(F, -1) == 2 && prof_find(F, HY_EVENT_OP, "relu", &e));
    CHECK(prof_find(F, HY_EVENT_CALL, hy_block_name(F, net), &e) && e.type.dtype == HY_DTYPE_NONE && !e.shapes[0]);
    prof_nests(F);
    CHECK(hy_close(F) == 0);
}

static void prof_compiled(int threads, int off)
{
    hy_desc desc;
    hy_frame *F;
    hy_block *net;
    hy_array *x, *want;
    hy_hybridize_opt opt;
    hy_plan_info plan;
    hy_event e;
    int i, calls, fused = 0, lanes = 0;
    memset(&desc, 0, sizeof desc);
    memset(&opt, 0, sizeof opt);
    desc.threads = threads;
    opt.off = off | HY_PASS_SIZES;      /* else one program takes on both sizes */
    F = hy_open(&desc);
    net = tb_block(F, "prof", prof_forward);
    x = tb_ramp(F, HY_SHAPE(30, 40));
    want = hy_keep(F, prof_outputs(F, hy_call(F, net, x)));
    hy_profile(F, "");
    CHECK(tb_same(F, prof_outputs(F, hy_call(F, net, x)), want));       /* line by line */
    CHECK(prof_count(F, HY_EVENT_CALL) == 1 && prof_count(F, HY_EVENT_JOB) == 0);
    hy_hybridize(F, net, &opt);
    hy_profile(F, "");
    for (i = 0; i < 3; i++) {
        CHECK(tb_same(F, prof_outputs(F, hy_call(F, net, x)), want));
        calls = prof_count(F, HY_EVENT_CALL);
        CHECK(calls == i + 1 && prof_count(F, HY_EVENT_TRACE) == 1 && prof_count(F, HY_EVENT_COMPILE) == 1);
    }
    hy_call(F, net, tb_ramp(F, HY_SHAPE(20, 40)));      /* another program of the same trace */
    CHECK(prof_count(F, HY_EVENT_TRACE) == 1 && prof_count(F, HY_EVENT_COMPILE) == 2);
    hy_profile(F, NULL);
    plan = hy_plan(F, net, x);
    CHECK(prof_count(F, HY_EVENT_JOB) == 4 * plan.jobs);
    CHECK(prof_find(F, HY_EVENT_TRACE, hy_block_name(F, net), &e));
    CHECK_STR(e.what, "first call");
    for (i = 0; !hy_profile_event(F, i, &e); i++) {
        if (e.kind == HY_EVENT_COMPILE && e.call == 4) CHECK_STR(e.what, "data is (20,40) float32, was (30,40) float32");
        if (e.kind == HY_EVENT_OP) { CHECK(e.call == 0); continue; }            /* prof_outputs */
        CHECK(e.call >= 1 && e.call <= 4);
        fused += e.kind == HY_EVENT_JOB && !strncmp(e.what, "_fused(", 7) && e.what[strlen(e.what) - 1] == ')';
        lanes += e.lane > 0;
        if (e.kind == HY_EVENT_JOB) CHECK(e.busy > 0 && e.busy <= e.seconds * threads + 1e-9 && e.shapes[0]);
    }
    CHECK(off & HY_PASS_FUSE ? !fused : fused > 0);
    CHECK(threads > 1 ? lanes > 0 : !lanes);
    prof_nests(F);
    OK(F);
    CHECK(hy_close(F) == 0);
}
static void prof_compiled_alone(void) { prof_compiled(1, 0); }
static void prof_compiled_unfused(void) { prof_compiled(1, HY_PASS_FUSE); }
#ifndef HYBRID_NO_THREADS
static void prof_compiled_with_threads(void) { prof_compiled(4, 0); }
#endif

/* Jobs that only parameters decide run once, not in every call. */
static void prof_early(void)
{
    hy_frame *F = tb_open(2);
    hy_block *net = tb_conv(F, 4, 3);
    hy_array *x = tb_ramp(F, HY_SHAPE(1, 3, 8, 8));
    hy_plan_info plan;
    int i;
    hy_block *outer = tb_chain(F);
    hy_add_child(F, outer, NULL, net);
    hy_add_child(F, outer, NULL, tb_norm(F));
    hy_initialize(F, outer, NULL);
    hy_call(F, outer, x);
    hy_hybridize(F, outer, NULL);
    hy_profile(F, "");
    for (i = 0; i < 3; i++) hy_call(F, outer, x);
    hy_profile(F, NULL);
    plan = hy_plan(F, outer, x);
    CHECK(prof_count(F, HY_EVENT_JOB) == 3 * plan.jobs);
    CHECK(prof_count(F, HY_EVENT_EARLY) > 0);
    i = prof_count(F, HY_EVENT_EARLY);
    hy_profile(F, "");
    hy_call(F, outer, x);
    CHECK(prof_count(F, HY_EVENT_EARLY) == 0);
    hy_fill(F, hy_collect_params(F, outer, NULL).at[0], .25);
    hy_call(F, outer, x);
    CHECK(prof_count(F, HY_EVENT_EARLY) > 0 && prof_count(F, HY_EVENT_EARLY) <= i);
    prof_nests(F);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* Blocks within a call, line by line, and what a trace of one of them is part of. */
static void prof_blocks(void)
{
    hy_frame *F = tb_open(3);
    hy_block *net = tb_mlp(F);
    hy_array *x = tb_ramp(F, HY_SHAPE(2, 12));
    hy_event call, e;
    int i, inner = 0;
    hy_initialize(F, net, NULL);
    hy_call(F, net, x);
    hy_profile(F, "");
    hy_call(F, net, x);
    hy_profile(F, NULL);
    OK(F);
    CHECK(prof_find(F, HY_EVENT_CALL, hy_block_name(F, net), &call));
    CHECK_STR(call.what, net->kind);
    for (i = 0; !hy_profile_event(F, i, &e); i++) {
        CHECK(e.call == 1 && prof_ns(e.start) >= prof_ns(call.start));
        CHECK(prof_ns(e.start + e.seconds) <= prof_ns(call.start + call.seconds));
        inner += e.kind == HY_EVENT_BLOCK;
    }
    CHECK(inner == 3 && prof_count(F, HY_EVENT_OP) == 3 && prof_count(F, HY_EVENT_CALL) == 1);
    CHECK(prof_find(F, HY_EVENT_BLOCK, hy_block_name(F, hy_child(F, net, 2)), &e));
    CHECK_STR(e.what, "dense");
    CHECK_STR(e.shapes, "-> (2,4) float32");
    prof_nests(F);
    CHECK(hy_close(F) == 0);
}

/* Values that decide shapes: section by section, but jobs all the same. */
static void prof_dynamic(void)
{
    hy_frame *F = tb_open(4), *S = hy_symbolic(F);
    hy_array *x = hy_var(S, "x", NULL), *m = hy_var(S, "m", NULL), *in, *y;
    hy_graph *g = hy_compile(S, hy_mul_scalar(S, hy_boolean_mask(S, hy_relu(S, hy_add_scalar(S, x, 3)), m, 0), 2));
    hy_event e;
    float mask[4] = { 1, 0, 0, 1 };
    OK(S);
    in = hy_group(F, tb_ramp(F, HY_SHAPE(4, 5)), hy_floats(F, HY_SHAPE(4), mask));
    hy_profile(F, "");
    y = hy_graph_run(F, g, in);
    CHECK(hy_dim(F, y, 0) == 2);
    hy_profile(F, NULL);
    CHECK(prof_count(F, HY_EVENT_CALL) == 1 && prof_count(F, HY_EVENT_COMPILE) == 3 && prof_count(F, HY_EVENT_OP) == 0);
    CHECK(prof_count(F, HY_EVENT_JOB) == 3);
    CHECK(prof_find(F, HY_EVENT_JOB, "_contrib_boolean_mask0", &e));
    CHECK(strstr(e.shapes, "-> (2,5) float32") != NULL);
    hy_graph_free(F, g);
    hy_close(S);
    CHECK(prof_find(F, HY_EVENT_JOB, "_contrib_boolean_mask0", &e));     /* the graph is gone, its names are not */
    CHECK_STR(e.what, "boolean_mask");
    CHECK(prof_find(F, HY_EVENT_JOB, "relu0", &e));
    CHECK_STR(e.what, "_fused(add_scalar,relu)");
    prof_nests(F);
    OK(F);
    CHECK(hy_close(F) == 0);
}

#ifndef HYBRID_NO_TRAIN
static void prof_gradients(void)
{
    hy_frame *F = tb_open(5);
    hy_block *net = tb_block(F, "prof", prof_forward);
    hy_array *x = tb_ramp(F, HY_SHAPE(6, 7)), *want = NULL;
    int i, jobs = 0;
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    for (i = 0; i < 4; i++) {
        if (i == 2) { hy_hybridize(F, net, NULL); hy_profile(F, ""); }
        hy_begin(F);
        hy_record(F);
        hy_backward(F, prof_outputs(F, hy_call(F, net, x)), NULL);
        hy_pause(F);
        if (!i) want = hy_keep(F, hy_copy(F, hy_grad_of(F, x)));
        CHECK(tb_close(F, hy_grad_of(F, x), want));
        hy_end(F);
        if (i == 2) jobs = prof_count(F, HY_EVENT_JOB);
    }
    hy_profile(F, NULL);
    CHECK(jobs > 0 && prof_count(F, HY_EVENT_JOB) == 2 * jobs);
    CHECK(prof_count(F, HY_EVENT_TRACE) == 1 && prof_count(F, HY_EVENT_COMPILE) == 2);  /* there and back */
    prof_nests(F);
    OK(F);
    CHECK(hy_close(F) == 0);
}
#endif

static void prof_bound(void)
{
    hy_frame *F = tb_open(6);
    hy_block *net = tb_block(F, "prof", prof_forward);
    hy_array *x = tb_ramp(F, HY_SHAPE(30, 40)), *want = hy_keep(F, prof_outputs(F, hy_call(F, net, x)));
    hy_plan_info plan;
    void *buffer;
    int i;
    hy_hybridize(F, net, NULL);
    plan = hy_plan(F, net, x);
    buffer = malloc(plan.total);
    CHECK(hy_bind(F, net, x, buffer, plan.total) == 0);
    hy_profile(F, "");
    for (i = 0; i < 3; i++) {
        hy_begin(F);
        CHECK(tb_same(F, prof_outputs(F, hy_call(F, net, x)), want));
        hy_end(F);
    }
    hy_profile(F, NULL);
    CHECK(prof_count(F, HY_EVENT_JOB) == 3 * plan.jobs && prof_count(F, HY_EVENT_COMPILE) == 0);
    prof_nests(F);
    OK(F);
    CHECK(hy_close(F) == 0);
    free(buffer);
}

/* Off it costs nothing that can be counted. */
/* A forward that is being traced runs in a frame that soon dies. */
static hy_array *prof_meddler_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    hy_profile(F, NULL);
    return hy_relu(F, x);
}

static void prof_traced(void)
{
    hy_frame *F = tb_open(3);
    hy_block *net = hy_block_new(F, sizeof(hy_block), "meddler", prof_meddler_forward, 1);
    hy_array *x = tb_ramp(F, HY_SHAPE(2, 3));
    hy_hybridize(F, net, NULL);
    hy_profile(F, "");
    hy_call(F, net, x);
    ERR(F, HY_ERROR_TRACE, "hy_profile: forward is being traced");
    hy_relu(F, x);
    CHECK(hy_profile(F, NULL) == 0 && prof_count(F, HY_EVENT_OP) == 1);
    CHECK(hy_close(F) == 0);
}

/* Operators of an imported block are called as in its file, line by line too; the block as its kind. */
static void prof_imported(void)
{
    static const char text[] = "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []}, {\"op\": \"relu\", \"name\": "
        "\"first\", \"inputs\": [[0, 0, 0]]}, {\"op\": \"relu\", \"name\": \"second\", \"inputs\": [[1, 0, 0]]}], \"arg_nodes\": [0], "
        "\"heads\": [[2, 0, 0]]}";
    hy_frame *F = tb_open(3);
    hy_block *net = hy_nn_symbol_block(F, hy_symbol_from(F, text, sizeof text - 1), "data");
    hy_array *x = tb_ramp(F, HY_SHAPE(2, 3));
    hy_event e;
    hy_profile(F, "");
    hy_call(F, net, x);
    hy_relu(F, x);
    hy_profile(F, NULL);
    OK(F);
    CHECK(prof_count(F, HY_EVENT_OP) == 3 && prof_find(F, HY_EVENT_OP, "first", &e));
    CHECK_STR(e.what, "relu");
    CHECK(prof_find(F, HY_EVENT_OP, "second", &e) && prof_find(F, HY_EVENT_OP, "relu", &e));
    CHECK(prof_find(F, HY_EVENT_CALL, "SymbolBlock", &e));
    CHECK(hy_close(F) == 0);
}

static void prof_off(void)
{
    hy_frame *F = tb_open(7);
    hy_block *net = tb_block(F, "prof", prof_forward);
    hy_array *x = tb_ramp(F, HY_SHAPE(30, 40));
    int64_t calls = 0;
    int i;
    hy_hybridize(F, net, NULL);
    hy_profile(F, "");
    for (i = 0; i < 20; i++) {
        if (i == 5) hy_profile(F, NULL);
        if (i == 10) calls = hy_memory_use(F).calls;
        hy_begin(F);
        hy_call(F, net, x);
        hy_relu(F, x);
        hy_end(F);
    }
    CHECK(hy_memory_use(F).calls == calls);
    CHECK(prof_count(F, HY_EVENT_CALL) == 5);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* --- the file --- */
static void prof_names(void)
{
    static const char *const name[] = { "a \"b\" \\ c/d", "tab\tand\nline\x01\x1f", "gr\xc3\xbc\xc3\x9f \xe2\x82\xac",
                                        "no utf \xff\xc3", "" };
    static const char *const text[] = { "\"a \\\"b\\\" \\\\ c/d\"", "\"tab\\tand\\nline\\u0001\\u001f\"",
                                        "\"gr\xc3\xbc\xc3\x9f \xe2\x82\xac\"", "\"no utf ??\"" };
    char endless[600];
    hy_frame *F = tb_open(8), *S = hy_symbolic(F);
    hy_array *x = hy_var(S, "x", NULL), *y = x, *bytes;
    hy_graph *g;
    hy_event e;
    int i;
    for (i = 0; i < 4; i++) y = hy_named(S, hy_sort(S, y, i & 1, NULL), name[i]);
    memset(endless, 'n', sizeof endless - 1);
    endless[sizeof endless - 1] = 0;
    g = hy_compile(S, hy_named(S, hy_sort(S, y, 0, NULL), endless));
    OK(S);
    hy_profile(F, "");
    hy_graph_run(F, g, tb_ramp(F, HY_SHAPE(3, 4)));
    hy_profile(F, NULL);
    hy_close(S);
    for (i = 0; i < 4; i++) CHECK(prof_find(F, HY_EVENT_JOB, name[i], &e));
    endless[HY__EVENT_TEXT] = 0;                        /* cut, but there */
    CHECK(prof_find(F, HY_EVENT_JOB, endless, &e));
    bytes = hy_profile_to(F);
    OK(F);
    if (CHECK(bytes && hy_dtype_of(F, bytes) == HY_U8)) {
        const char *json = (const char *)hy_data(F, bytes);
        CHECK(prof_is_json(json, (size_t)hy_size(F, bytes)));
        for (i = 0; i < 4; i++) CHECK(strstr(json, text[i]) != NULL);
    }
    CHECK(hy_close(F) == 0);
}

static void prof_writes(void)
{
    hy_desc desc;
    hy_frame *F;
    hy_block *net;
    hy_array *x;
    char *text;
    int i;
    memset(&desc, 0, sizeof desc);
    desc.threads = 3;
    F = hy_open(&desc);
    net = tb_block(F, "prof", prof_forward);
    x = tb_ramp(F, HY_SHAPE(30, 40));
    hy_hybridize(F, net, NULL);
    remove(prof_file);
    CHECK(hy_profile(F, prof_file) == 0);
    for (i = 0; i < 5; i++) hy_call(F, net, x);
    CHECK(hy_profile(F, NULL) == 0);
    text = prof_read(prof_file);
    if (CHECK(text != NULL)) {
        CHECK(!strncmp(text, "{\"displayTimeUnit\"", 17) && strstr(text, "\"dropped\":0}") != NULL);
        CHECK(prof_lines(text, "\"ph\":\"X\"", "\"name\"") == prof_count(F, -1));
        CHECK(prof_lines(text, "\"cat\":\"job\"", "\"busy_us\":") == prof_count(F, HY_EVENT_JOB));
        CHECK(prof_lines(text, "\"cat\":\"trace\"", "\"why\":\"first call\"") == 1);
        CHECK(prof_lines(text, "\"cat\":\"compile\"", "\"ph\":\"X\"") == 1);
        CHECK(prof_lines(text, "\"cat\":\"call\"", "\"kind\":\"prof\"") == 5);
        CHECK(prof_lines(text, "\"ph\":\"M\"", "\"frame 1\"") == 1);
        CHECK(prof_lines(text, "\"ph\":\"C\"", "\"held\":") >= 2);
        prof_file_nests(text);
    }
    free(text);
    remove(prof_file);
    CHECK(hy_close(F) == 0);
}

static void prof_file_trouble(void)
{
    tb_log log;
    hy_frame *F = tb_open_log(&log), *fork;
    char *text;
    CHECK(hy_profile(F, "no/such/folder/trace.json") != 0);     /* said at once */
    ERR(F, HY_ERROR_FILE, "no/such/folder");
    mkdir("prof_folder", 0777);
    CHECK(hy_profile(F, "prof_folder/trace.json") == 0);
    CHECK(rmdir("prof_folder") == 0);
    hy_ones(F, HY_SHAPE(3));
    CHECK(hy_profile(F, NULL) != 0);
    ERR(F, HY_ERROR_FILE, "prof_folder");
    CHECK(prof_count(F, -1) == 1);                      /* what was seen is not lost */
    CHECK(hy_item(F, hy_sum(F, hy_ones(F, HY_SHAPE(3)), HY_ALL, NULL)) == 3);
    remove(prof_file);
    hy_profile(F, prof_file);
    hy_dot(F, hy_ones(F, HY_SHAPE(2, 3)), hy_ones(F, HY_SHAPE(4)), NULL);
    CHECK(hy_error(F) != NULL);
    CHECK(hy_profile(F, prof_file) != 0);               /* starting needs a frame without error */
    CHECK(hy_profile(F, NULL) == 0);                    /* the file is written, the error stays */
    ERR(F, HY_ERROR_SHAPE, "dot");
    text = prof_read(prof_file);
    CHECK(text && prof_lines(text, "\"cat\":\"op\"", "\"ph\":\"X\"") == 2);
    free(text);
    remove(prof_file);
    fork = hy_fork(F);                                  /* whoever started also ends it by closing */
    hy_profile(fork, prof_file);
    hy_ones(F, HY_SHAPE(3));
    CHECK(hy_close(fork) == 0);
    text = prof_read(prof_file);
    CHECK(text && prof_lines(text, "\"cat\":\"op\"", "\"ph\":\"X\"") == 1);
    free(text);
    remove(prof_file);
    hy_ones(F, HY_SHAPE(3));
    CHECK(prof_count(F, -1) == 1);
    fork = hy_fork(F);
    hy_profile(fork, "");
    hy_ones(fork, HY_SHAPE(3));
    CHECK(hy_profile(F, NULL) == 0 && prof_count(F, -1) == 1);  /* or any other frame does */
    CHECK(hy_close(fork) == 0 && !log.warnings);
    hy_profile(F, "no/such/folder/trace.json");
    CHECK(hy_close(F) == HY_ERROR_FILE);
}

/* Beyond the bound events are counted, not kept. */
static void prof_too_many(void)
{
    tb_log log;
    hy_frame *F = tb_open_log(&log);
    hy_array *x = hy_ones(F, HY_SHAPE(2)), *bytes;
    char want[64];
    int i;
    hy_profile(F, "");
    for (i = 0; i < HYBRID_PROFILE_EVENTS + 37; i++) {
        hy_begin(F);
        hy_relu(F, x);
        hy_end(F);
    }
    CHECK(hy_profile(F, NULL) == 0 && log.warnings == 1);
    CHECK(strstr(log.text, "37 events were left out") != NULL);
    CHECK(F->root->profile.n == HYBRID_PROFILE_EVENTS);
    if (HYBRID_PROFILE_EVENTS <= 100000) {
        bytes = hy_profile_to(F);
        CHECK(bytes && prof_is_json((const char *)hy_data(F, bytes), (size_t)hy_size(F, bytes)));
        sprintf(want, "\"events\":%d,\"dropped\":37}", (int)HYBRID_PROFILE_EVENTS);
        CHECK(bytes && strstr((const char *)hy_data(F, bytes), want) != NULL);
    }
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* --- memory --- */
static int prof_oom_program(hy_frame *F)
{
    hy_block *net = tb_block(F, "prof", prof_forward);
    hy_array *x = tb_ramp(F, HY_SHAPE(6, 7)), *y = NULL, *bytes;
    int i, right = 0;
    hy_profile(F, prof_file);
    if (net) hy_hybridize(F, net, NULL);
    for (i = 0; i < 3 && net; i++) y = hy_call(F, net, x);
    y = prof_outputs(F, y);
    right = y && hy_size(F, y) == 3 * 6;
    bytes = hy_profile_to(F);
    right = right && bytes && prof_is_json((const char *)hy_data(F, bytes), (size_t)hy_size(F, bytes));
    if (F->root->profile.on) hy_profile(F, NULL);
    return right;
}

static int prof_oom_close_program(hy_frame *F)          /* hy_close writes, or cannot */
{
    hy_array *y;
    hy_profile(F, prof_file);
    y = hy_sort(F, hy_ones(F, HY_SHAPE(3, 4)), 1, NULL);
    return y && hy_value(F, y, 2, 3) == 1;
}

static void prof_oom(void) { oom_walk(prof_oom_program, 1); remove(prof_file); }
static void prof_oom_threads(void) { oom_walk(prof_oom_program, 3); remove(prof_file); }
static void prof_oom_close(void) { oom_walk(prof_oom_close_program, 1); remove(prof_file); }

/* --- threads --- */
#ifndef HYBRID_NO_THREADS
typedef struct prof_job { pthread_t thread; hy_frame *F; hy_block *net; hy_array *x, *want; int same; } prof_job;

static void *prof_fork_calls(void *arg)
{
    prof_job *job = (prof_job *)arg;
    hy_event e;
    int i;
    for (i = 0; i < 40; i++) {
        hy_begin(job->F);
        job->same += tb_same(job->F, prof_outputs(job->F, hy_call(job->F, job->net, job->x)), job->want);
        hy_profile_event(job->F, i, &e);
        hy_end(job->F);
    }
    return NULL;
}

static void prof_threads(void)
{
    prof_job job[4];
    hy_frame *F = thread_open(2);
    hy_block *net = tb_block(F, "prof", prof_forward);
    hy_array *x = hy_keep(F, tb_ramp(F, HY_SHAPE(30, 40))), *bytes;
    hy_array *want = hy_keep(F, prof_outputs(F, hy_call(F, net, x)));
    hy_event e;
    int i, calls[5] = { 0, 0, 0, 0, 0 };
    hy_hybridize(F, net, NULL);
    hy_profile(F, "");
    memset(job, 0, sizeof job);
    for (i = 0; i < 4; i++) {
        job[i].F = hy_fork(F);
        job[i].net = net;
        job[i].x = x;
        job[i].want = want;
    }
    for (i = 0; i < 4; i++) pthread_create(&job[i].thread, NULL, prof_fork_calls, &job[i]);
    for (i = 0; i < 3; i++) {                           /* asked while the others run */
        hy_begin(F);
        bytes = hy_profile_to(F);
        CHECK(bytes && prof_is_json((const char *)hy_data(F, bytes), (size_t)hy_size(F, bytes)));
        hy_end(F);
    }
    for (i = 0; i < 4; i++) pthread_join(job[i].thread, NULL);
    hy_profile(F, NULL);
    for (i = 0; i < 4; i++) {
        CHECK(job[i].same == 40);
        CHECK(hy_close(job[i].F) == 0);
    }
    for (i = 0; !hy_profile_event(F, i, &e); i++)
        if (CHECK(e.frame >= 1 && e.frame <= 4) && e.kind == HY_EVENT_CALL) calls[e.frame]++;
    if (F->root->profile.n < HYBRID_PROFILE_EVENTS) for (i = 1; i <= 4; i++) CHECK(calls[i] == 40);
    prof_nests(F);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* On and off while others run. */
static void prof_threads_on_and_off(void)
{
    prof_job job[3];
    hy_frame *F = thread_open(1);
    hy_block *net = tb_block(F, "prof", prof_forward);
    hy_array *x = hy_keep(F, tb_ramp(F, HY_SHAPE(30, 40)));
    hy_array *want = hy_keep(F, prof_outputs(F, hy_call(F, net, x)));
    int i;
    hy_hybridize(F, net, NULL);
    memset(job, 0, sizeof job);
    for (i = 0; i < 3; i++) {
        job[i].F = hy_fork(F);
        job[i].net = net;
        job[i].x = x;
        job[i].want = want;
        pthread_create(&job[i].thread, NULL, prof_fork_calls, &job[i]);
    }
    for (i = 0; i < 60; i++) {
        CHECK(hy_profile(F, "") == 0);
        if (i % 3) CHECK(hy_profile(F, NULL) == 0);
    }
    for (i = 0; i < 3; i++) pthread_join(job[i].thread, NULL);
    for (i = 0; i < 3; i++) {
        CHECK(job[i].same == 40);
        CHECK(hy_close(job[i].F) == 0);
    }
    prof_nests(F);
    CHECK(hy_close(F) == 0);
}
#endif

/* Rows behind an array are written in its own memory: the profile knows what came of it, too. */
static void prof_extend(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_zeros(F, HY_SHAPE(1, 3)), *row = hy_ones(F, HY_SHAPE(1, 3));
    int i;
    CHECK(hy_profile(F, "") == 0);
    for (i = 0; i < 9; i++) x = hy_extend(F, x, row, 0);
    CHECK(hy_profile(F, NULL) == 0);
    CHECK(x && hy_value(F, x, 9, 2) == 1 && hy_shape_of(F, x).dim[0] == 10);
    CHECK_STR(hy_error(F), NULL);
    CHECK(!hy_close(F));
}

static void test_profile(void)
{
    RUN(prof_line_by_line);
    RUN(prof_failures);
    RUN(prof_compiled_alone);
    RUN(prof_compiled_unfused);
#ifndef HYBRID_NO_THREADS
    RUN(prof_compiled_with_threads);
#endif
    RUN(prof_early);
    RUN(prof_blocks);
    RUN(prof_dynamic);
#ifndef HYBRID_NO_TRAIN
    RUN(prof_gradients);
#endif
    RUN(prof_bound);
    RUN(prof_imported);
    RUN(prof_off);
    RUN(prof_traced);
    RUN(prof_names);
    RUN(prof_writes);
    RUN(prof_file_trouble);
    RUN(prof_too_many);
    RUN(prof_oom);
    RUN(prof_oom_threads);
    RUN(prof_oom_close);
    RUN(prof_extend);
#ifndef HYBRID_NO_THREADS
    RUN(prof_threads);
    RUN(prof_threads_on_and_off);
#endif
}
