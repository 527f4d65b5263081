/* Calls that return at once: whatever threads, hosts and orders there are, a ticket gives what the call would have
 * given; what it reads stays; nothing hangs, and nothing is lost. Every name contains "thread", so that it runs under
 * ThreadSanitizer. */
typedef struct later_net { hy_block base; hy_block *dense; } later_net;

static hy_array *later_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    later_net *net = (later_net *)(void *)self;
    hy_array *a = hy_get(F, x, 0), *b = hy_get(F, x, 1);
    a = hy_add(F, hy_call(F, net->dense, a), hy_normal(F, HY_SHAPE(3, 4), 0, 1));
    return hy_group(F, a, hy_group(F, hy_identity(F, b), hy_sum(F, a, HY_ALL, NULL)));
}

typedef struct later_chance { uint64_t state; } later_chance;
static int later_pick(later_chance *c, int n)
{
    c->state = c->state * 6364136223846793005u + 1442695040888963407u;
    return (int)((c->state >> 33) % (uint64_t)n);
}

/* A host that keeps what it is given, and runs it as the test says: or, with moods, as it likes. */
enum { LATER_JOBS = 64 };
typedef struct later_host {
    int refuses, at_once, n;
    later_chance *moods;
    struct { void (*fn)(void *arg); void *arg; int ran; } job[LATER_JOBS];
} later_host;

static int later_start(void *user, void (*fn)(void *arg), void *arg)
{
    later_host *host = (later_host *)user;
    const int mood = host->moods ? later_pick(host->moods, 6) : -1;
    if (host->refuses || host->n == LATER_JOBS || mood == 0) return 1;
    if (host->at_once || mood == 1) { fn(arg); return 0; }
    if (mood == 2) { fn(arg); return 1; }       /* both */
    host->job[host->n].fn = fn;
    host->job[host->n].ran = 0;
    host->job[host->n++].arg = arg;
    return 0;
}
static void later_host_runs(later_host *host, int i)
{
    host->job[i].ran = 1;
    host->job[i].fn(host->job[i].arg);
}
/* Behind hy_close each call that was promised may still come, but no second one. */
static void later_host_ends(later_host *host)
{
    while (host->n) if (!host->job[--host->n].ran) later_host_runs(host, host->n);
}

static hy_frame *later_open(int threads, later_host *host)
{
    hy_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.threads = threads;
    desc.seed = 7;
    if (host) { desc.start = later_start; desc.start_user = host; }
    return hy_open(&desc);
}

static later_net *later_make(hy_frame *F)
{
    later_net *net = HY_BLOCK_NEW(F, later_net, later_forward);
    if (!net) return NULL;
    net->dense = hy_add_child(F, &net->base, "dense", hy_nn_dense(F, 4, NULL));
    hy_initialize(F, &net->base, NULL);
    hy_hybridize(F, &net->base, NULL);
    return net;
}

static hy_array *later_input(hy_frame *F, int k)
{
    return hy_group(F, hy_full(F, HY_SHAPE(3, 5), 0.25 * k), hy_full(F, HY_SHAPE(2), k));
}

static int later_same(hy_frame *F, hy_array *a, hy_frame *G, hy_array *b)
{
    const void *p, *q;
    int i;
    if (!a || !b || hy_count(F, a) != hy_count(G, b)) return 0;
    for (i = 0; hy_count(F, a) > 1 && i < hy_count(F, a); i++)
        if (!later_same(F, hy_get(F, a, i), G, hy_get(G, b, i))) return 0;
    if (hy_count(F, a) > 1) return 1;
    p = hy_data(F, a);
    q = hy_data(G, b);
    return p && q && hy_size(F, a) == hy_size(G, b) && !memcmp(p, q, (size_t)hy_size(F, a) * 4);
}

/* Eight calls, and eight tickets of another frame of the same seed, in four orders of waiting. */
static void later_case(int threads, int hosts)
{
    later_host host;
    hy_frame *F, *G;
    later_net *net, *other;
    hy_ticket *t[8];
    hy_array *want[8], *got;
    int i, k, order;
    for (order = 0; order < 4; order++) {
        memset(&host, 0, sizeof host);
        host.refuses = hosts == 2;
        host.at_once = hosts == 3;
        F = later_open(threads, NULL);
        G = later_open(threads, hosts ? &host : NULL);
        net = later_make(F);
        other = later_make(G);
        for (i = 0; i < 8; i++) want[i] = hy_call(F, &net->base, later_input(F, i));
        for (i = 0; i < 8; i++) CHECK((t[i] = hy_later(G, &other->base, later_input(G, i))) != NULL);
        for (i = 0; i < host.n; i += 2) later_host_runs(&host, host.n - 1 - i);      /* some, in another order */
        for (k = 0; k < 8; k++) {
            i = order == 0 ? k : order == 1 ? 7 - k : (5 * k + order) % 8;
            got = hy_wait(G, t[i]);
            CHECK(got && later_same(F, want[i], G, got));
        }
        for (i = 0; i < host.n; i++) later_host_runs(&host, i);         /* late, and some twice */
        CHECK(!hy_wait(G, t[3]) && strstr(hy_error(G), "the ticket is used up"));
        hy_clear(G);
        CHECK(later_same(F, hy_call(F, &net->base, later_input(F, 9)), G, hy_call(G, &other->base, later_input(G, 9))));
        CHECK(!hy_error(F) && !hy_error(G));
        CHECK(hy_close(F) == 0 && hy_close(G) == 0);
        later_host_ends(&host);
    }
}
static void thread_later_orders(void)
{
    int threads, hosts;
    for (threads = 1; threads < 4; threads++) for (hosts = 0; hosts < 4; hosts++) later_case(threads, hosts);
}

HY__UNUSED static void later_denied(hy_frame *F, const char *what)
{
    CHECK(hy_error(F) && strstr(hy_error(F), what) && strstr(hy_error(F), "hy_wait"));
    if (test_broken) printf("    %s: %s\n", what, hy_error(F) ? hy_error(F) : "no error");
    hy_clear(F);
}

HY__UNUSED static hy_array *later_inside(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    hy_later(F, hy_nn_dense(F, 2, NULL), x);
    return x;
}

/* What a ticket reads is not written, by none of the ways; afterwards it is again. A host that runs nothing keeps it
 * unread until hy_wait. */
HY__UNUSED static void thread_later_reads(void)
{
    later_host host;
    hy_frame *F, *other;
    hy_block *net, *lambda;
    hy_array *x, *w, *five;
    hy_ticket *t;
    memset(&host, 0, sizeof host);
    F = later_open(2, &host);
    net = hy_nn_dense(F, 4, NULL);
    five = hy_ones(F, HY_SHAPE(4, 5));
    hy_initialize(F, net, NULL);
    CHECK(!hy_later(F, net, five) && strstr(hy_error(F), "call hy_hybridize first"));
    hy_clear(F);
    hy_hybridize(F, net, NULL);
    x = hy_ones(F, HY_SHAPE(3, 5));
    hy_call(F, net, x);
    w = hy_param(F, net, "weight");
    t = hy_later(F, net, x);
    CHECK(t && hy_ready(F, t) == 0);
    hy_write(F, x);                             later_denied(F, "hy_write");
    hy_touch(F, x);                             later_denied(F, "hy_touch");
    hy_set_value(F, x, 1, 0, 0);                later_denied(F, "hy_set_value");
    hy_fill(F, x, 1);                           later_denied(F, "hy_fill");
    hy_assign(F, x, x);                         later_denied(F, "hy_assign");
    hy_add_to(F, x, x);                         later_denied(F, "hy_add_to");
    hy_fill(F, w, 1);                           later_denied(F, "hy_fill");
    hy_set_param(F, w, five);                   later_denied(F, "hy_");
    hy_reinitialize(F, net, NULL);              later_denied(F, "hy_reinitialize");
    hy_cast_block(F, net, HY_F16);              later_denied(F, "hy_cast_block");
    hy_block_free(F, net);                      later_denied(F, "hy_block_free");
#ifndef HYBRID_NO_TRAIN
    {
        hy_optim_opt sgd;
        hy_trainer *T;
        hy_array *L;
        memset(&sgd, 0, sizeof sgd);
        T = hy_trainer_new(F, net, hy_optim_sgd(&sgd), NULL);
        hy_record(F);
        CHECK(!hy_later(F, net, x) && strstr(hy_error(F), "recorded"));
        hy_clear(F);
        L = hy_sum(F, hy_call(F, net, x), HY_ALL, NULL);
        hy_pause(F);
        hy_backward(F, L, NULL);
        hy_step(F, T, 1);                       later_denied(F, "hy_step");
    }
#endif
    hy_hybridize(F, net, NULL);                 later_denied(F, "hy_hybridize");
    CHECK(hy_value(F, hy_wait(F, t), 0, 0) == hy_value(F, hy_call(F, net, x), 0, 0));
    hy_fill(F, w, 0.5);
    hy_fill(F, x, 2);
    CHECK(!hy_error(F));
    CHECK(hy_value(F, hy_wait(F, hy_later(F, net, x)), 0, 0) == 5);
    lambda = hy_nn_lambda(F, later_inside, "inside");
    hy_call(F, lambda, x);
    CHECK(hy_error(F) && strstr(hy_error(F), "forward"));
    hy_clear(F);
    other = hy_open(NULL);
    t = hy_later(F, net, x);
    CHECK(!hy_wait(other, t) && strstr(hy_error(other), "another hy_open"));
    hy_close(other);
    CHECK(!hy_later(F, net, NULL) && hy_error(F));
    CHECK(!hy_wait(F, t));                      /* beside a standing error nothing happens, and nothing is lost */
    hy_clear(F);
    CHECK(hy_wait(F, t) != NULL);
    t = hy_later(F, net, hy_ones(F, HY_SHAPE(3, 6)));
    CHECK(!t && hy_error(F));                   /* sizes are checked at once */
    hy_clear(F);
    CHECK(hy_close(F) == 0);
    later_host_ends(&host);
}

/* Errors stay in the ticket: values decide them. */
static hy_array *later_solves(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_linalg_inverse(F, x);
}
static void thread_later_errors(void)
{
    int threads;
    for (threads = 1; threads < 4; threads++) {
        hy_frame *F = later_open(threads, NULL);
        hy_block *net = hy_nn_hybrid_lambda(F, later_solves, "solves");
        hy_array *good = hy_full(F, HY_SHAPE(1, 1), 2), *bad = hy_zeros(F, HY_SHAPE(1, 1));
        hy_ticket *t[3];
        hy_hybridize(F, net, NULL);
        t[0] = hy_later(F, net, good);
        t[1] = hy_later(F, net, bad);
        t[2] = hy_later(F, net, good);
        CHECK(!hy_error(F));
        CHECK(hy_item(F, hy_wait(F, t[0])) == 0.5 && !hy_error(F));
        CHECK(!hy_wait(F, t[1]) && hy_error(F) && strstr(hy_error(F), "singular"));
        hy_clear(F);
        CHECK(hy_item(F, hy_wait(F, t[2])) == 0.5 && !hy_error(F));
        t[0] = hy_later(F, net, bad);
        t[1] = hy_later(F, net, good);
        hy_drop(F, hy_later(F, net, bad));
        CHECK(hy_wait_all(F) == HY_ERROR_ARGUMENT || hy_error(F));
        hy_clear(F);
        CHECK(hy_ready(F, t[1]) == -1);         /* hy_wait_all has ended it */
        hy_clear(F);
        CHECK(hy_wait_all(F) == 0);
        hy_later(F, net, good);
        CHECK(hy_close(F) == 0);
    }
}

/* Bound networks: a lane for each call beside others, with a buffer of its own; nothing is allocated. */
static void thread_later_bound(void)
{
    hy_frame *F = later_open(3, NULL);
    hy_block *net = hy_nn_dense(F, 4, NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(3, 5)), *want;
    char *buffer[3];
    hy_ticket *t[3];
    size_t bytes;
    int64_t calls = 0;
    int i, k;
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    want = hy_call(F, net, x);
    bytes = hy_plan(F, net, x).total;
    for (i = 0; i < 3; i++) buffer[i] = (char *)malloc(bytes);
    CHECK(!hy_bind(F, net, x, buffer[0], bytes));
    CHECK(!hy_later(F, net, x) && strstr(hy_error(F), "hy_bind_lane"));
    hy_clear(F);
    CHECK(hy_bind_lane(F, net, x, -1, buffer[1], bytes) && strstr(hy_error(F), "numbered"));
    hy_clear(F);
    CHECK(hy_bind_lane(F, net, x, 0, buffer[1], bytes - 1) && strstr(hy_error(F), "bytes"));
    hy_clear(F);
    CHECK(!hy_bind_lane(F, net, x, 0, buffer[1], bytes) && !hy_bind_lane(F, net, x, 1, buffer[2], bytes));
    for (k = 0; k < 200; k++) {
        hy_begin(F);
        for (i = 0; i < 2; i++) t[i] = hy_later(F, net, x);
        if (k == 3) {
            CHECK(!hy_later(F, net, x) && strstr(hy_error(F), "hy_wait first"));
            hy_clear(F);
        }
        for (i = 0; i < 2; i++) CHECK(later_same(F, want, F, hy_wait(F, t[i])));
        CHECK(later_same(F, want, F, hy_call(F, net, x)));
        hy_end(F);
        if (k == 100) calls = hy_memory_use(F).calls;
    }
    CHECK(hy_memory_use(F).calls == calls && !hy_error(F));
    CHECK(hy_close(F) == 0);
    for (i = 0; i < 3; i++) free(buffer[i]);
}

/* After hy_close the host's calls find nothing; each was promised once. */
HY__UNUSED static void thread_later_closed(void)
{
    later_host host;
    oom_meter meter;
    hy_desc desc;
    hy_frame *F;
    hy_block *net;
    int i;
    memset(&host, 0, sizeof host);
    memset(&desc, 0, sizeof desc);
    meter.left = 1000000;
    meter.blocks = meter.once = 0;
    desc.allocator.alloc_fn = oom_alloc;
    desc.allocator.free_fn = oom_free;
    desc.allocator.user_data = &meter;
    desc.start = later_start;
    desc.start_user = &host;
    F = hy_open(&desc);
    net = hy_nn_dense(F, 4, NULL);
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    for (i = 0; i < 5; i++) hy_later(F, net, hy_ones(F, HY_SHAPE(3, 5)));
    later_host_runs(&host, 2);
    CHECK(hy_close(F) == 0);
    later_host_ends(&host);
    CHECK(meter.blocks == 0);
}

/* Memory that ends at any place: an error, and what can be waited for still gives what it should. */
static int later_scarce(hy_frame *F)
{
    later_net *net;
    hy_ticket *t[2];
    hy_array *y, *x;
    double a;
    hy_wait_all(F);                             /* what an earlier try has left */
    hy_clear(F);
    net = later_make(F);
    if (!net) return 0;
    x = later_input(F, 1);
    t[0] = hy_later(F, &net->base, x);
    t[1] = hy_later(F, &net->base, x);
    y = hy_wait(F, t[0]);
    a = y ? hy_value(F, hy_get(F, hy_get(F, y, 1), 0), 0) : 0;
    hy_drop(F, t[1]);
    hy_wait_all(F);
    return a == 1;
}
static void thread_later_oom(void)
{
    oom_walk(later_scarce, 1);
}

/* Random sequences: calls, tickets, writes, waits, drops, a host that forgets, other frames, closes. */
enum { LATER_NETS = 3, LATER_TICKETS = 12 };
/* Memory for any thread, which ends when the test says so. */
typedef struct later_meter { int left, blocks; } later_meter;
static void *later_alloc(void *user, size_t bytes)
{
    later_meter *meter = (later_meter *)user;
    void *block = HY__ADD(&meter->left, -1) < 0 ? NULL : malloc(bytes);
    if (block) HY__ADD(&meter->blocks, 1);
    return block;
}
static void later_free(void *user, void *block)
{
    HY__ADD(&((later_meter *)user)->blocks, -1);
    free(block);
}
/* The value is right; or memory had ended, and then a second try gives it, or says that the call itself failed. */
static int later_right(hy_frame *F, hy_ticket *t, double due, later_meter *meter, int poor)
{
    double got;
    hy_begin(F);
    got = hy_value(F, hy_wait(F, t), 0, 1);
    hy_end(F);
    if (!poor) return got == due && !hy_error(F);
    HY__STORE(&meter->left, 1 << 30);
    if (!hy_error(F)) return got == due;
    if (hy_error_code(F) != HY_ERROR_MEMORY) return 0;
    hy_clear(F);
    hy_begin(F);
    got = hy_value(F, hy_wait(F, t), 0, 1);
    hy_end(F);
    if (!hy_error(F)) return got == due;
    got = hy_error_code(F) == HY_ERROR_MEMORY || strstr(hy_error(F), "used up") != NULL;
    hy_clear(F);
    return got != 0;
}
static void later_sequence(uint64_t number)
{
    static char room[3][1 << 14];
    later_meter meter;
    hy_desc desc;
    later_chance c;
    later_host host;
    hy_frame *F, *G;
    hy_block *net[LATER_NETS];
    hy_array *x[LATER_NETS];
    hy_ticket *t[LATER_TICKETS];
    float due[LATER_TICKETS], value[LATER_NETS];
    int i, k, n = 0, steps, hosts, scarce, poor, bound;
    c.state = number * 0x9e3779b97f4a7c15u + 1;
    memset(&host, 0, sizeof host);
    memset(&desc, 0, sizeof desc);
    hosts = later_pick(&c, 4);
    bound = later_pick(&c, 4) == 0;
    poor = later_pick(&c, 2);                   /* memory ends now and then */
    host.moods = hosts == 2 ? &c : NULL;
    meter.left = 1 << 30;
    meter.blocks = 0;
    desc.threads = 1 + later_pick(&c, 3);
    desc.seed = 7;
    desc.allocator.alloc_fn = later_alloc;
    desc.allocator.free_fn = later_free;
    desc.allocator.user_data = &meter;
    if (hosts == 1 || hosts == 2) { desc.start = later_start; desc.start_user = &host; }
    F = hy_open(&desc);
    G = hy_fork(F);
    for (i = 0; i < LATER_NETS; i++) {
        net[i] = hy_nn_dense(F, 2, NULL);
        hy_initialize(F, net[i], NULL);
        hy_hybridize(F, net[i], NULL);
        x[i] = hy_full(F, HY_SHAPE(1 + i, 4), value[i] = (float)(i + 1));
        hy_begin(F);
        hy_call(F, net[i], x[i]);
        hy_end(F);
        hy_fill(F, hy_param(F, net[i], "weight"), 1);
    }
    if (bound) {
        hy_bind(F, net[0], x[0], room[0], sizeof room[0]);
        for (i = 0; i < 2; i++) hy_bind_lane(F, net[0], x[0], i, room[i + 1], sizeof room[0]);
    }
    for (steps = 20 + later_pick(&c, 60); steps && !hy_error(F) && !test_broken; steps--) {
        i = later_pick(&c, LATER_NETS);
        k = n ? later_pick(&c, n) : 0;
        scarce = poor && later_pick(&c, 8) == 0;
        if (scarce) HY__STORE(&meter.left, later_pick(&c, 6));
        hy_begin(F);
        switch (hy_error(F) ? -1 : later_pick(&c, 9)) {
        case -1: break;
        case 0: case 1: case 2:
            if (n == LATER_TICKETS) break;
            t[n] = hy_later(F, net[i], x[i]);
            if (t[n]) due[n++] = 4 * value[i];
            else CHECK(scarce || (bound && !i && strstr(hy_error(F), "hy_wait first")));
            hy_clear(F);
            break;
        case 3: case 4:
            if (!n) break;
            CHECK(later_right(F, t[k], due[k], &meter, poor));
            t[k] = t[--n];
            due[k] = due[n];
            break;
        case 5:
            if (!n) break;
            hy_drop(F, t[k]);
            t[k] = t[--n];
            due[k] = due[n];
            break;
        case 6:                                         /* written, or refused while it is read */
            hy_fill(F, x[i], value[i] + 1);
            if (!hy_error(F)) value[i] += 1;
            else CHECK(strstr(hy_error(F), "hy_wait") != NULL);
            hy_clear(F);
            break;
        case 7:
            if (host.n) later_host_runs(&host, later_pick(&c, host.n));
            else if (n) hy_ready(F, t[k]);
            break;
        default:
            if (later_pick(&c, 4)) {
                float got = (float)hy_value(F, hy_call(F, net[i], x[i]), 0, 1);
                CHECK(scarce ? !hy_error(F) || hy_error_code(F) == HY_ERROR_MEMORY : got == 4 * value[i]);
                if (scarce) hy_clear(F);
            } else if (n) {                             /* from another frame */
                CHECK(later_right(G, t[k], due[k], &meter, poor));
                t[k] = t[--n];
                due[k] = due[n];
            } else if (later_pick(&c, 2)) {
                hy_wait_all(F);
                if (scarce) hy_clear(F);
            }
        }
        HY__STORE(&meter.left, 1 << 30);
        if (scarce) hy_clear(F);
        hy_end(F);
        if (scarce) hy_clear(F);
    }
    CHECK(!hy_error(F) && !hy_error(G));
    if (hy_error(F) || test_broken) printf("    sequence %d: %s\n", (int)number, hy_error(F) ? hy_error(F) : "");
    hy_close(G);
    CHECK(hy_close(F) == 0);
    host.moods = NULL;
    later_host_ends(&host);
    if (!CHECK(meter.blocks == 0)) printf("    sequence %d: %d blocks\n", (int)number, meter.blocks);
}
/* A gradient that a ticket reads; one result twice; an input of one frame that is waited for in the next. */
static hy_array *later_pair(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    x = hy_relu(F, x);
    return hy_group(F, x, x);
}
static void thread_later_shared(void)
{
    hy_frame *F = later_open(2, NULL);
    hy_block *net = hy_nn_hybrid_lambda(F, later_pair, "pair");
    hy_ticket *t = NULL;
    int64_t calls = 0;
    int i;
    hy_hybridize(F, net, NULL);
    for (i = 0; i < 300; i++) {
        hy_array *x;
        hy_begin(F);
        x = hy_full(F, HY_SHAPE(3, 5), i);
        if (t && (i % 3 || i > 150)) CHECK(hy_value(F, hy_get(F, hy_wait(F, t), 1), 0, 0) == i - 1);
        else if (t) hy_drop(F, t);
        t = hy_later(F, net, x);
        if (i == 200) calls = hy_memory_use(F).calls;
        hy_end(F);
    }
    CHECK(hy_memory_use(F).calls == calls && !hy_error(F));
    hy_wait_all(F);
#ifndef HYBRID_NO_TRAIN
    {
        later_host host;
        hy_array *x;
        memset(&host, 0, sizeof host);
        hy_close(F);
        F = later_open(2, &host);
        net = hy_nn_hybrid_lambda(F, later_pair, "pair");
        hy_hybridize(F, net, NULL);
        x = hy_ones(F, HY_SHAPE(2));
        hy_attach_grad(F, x, HY_GRAD_WRITE);
        hy_record(F);
        x = hy_mul(F, x, x);
        hy_pause(F);
#ifndef HYBRID_NO_THREADS
        {
            hy_array *w = hy_ones(F, HY_SHAPE(2)), *L;
            hy_attach_grad(F, w, HY_GRAD_WRITE);
            t = hy_later(F, net, hy_grad_of(F, w));
            hy_record(F);
            L = hy_sum(F, hy_mul(F, w, w), HY_ALL, NULL);
            hy_pause(F);
            hy_backward(F, L, NULL);            later_denied(F, "hy_backward");
            CHECK(hy_value(F, hy_get(F, hy_wait(F, t), 0), 0) == 0);
            hy_backward(F, L, NULL);
            CHECK(hy_value(F, hy_grad_of(F, w), 0) == 2 && !hy_error(F));
        }
#endif
        CHECK(hy_close(F) == 0);
        later_host_ends(&host);
        return;
    }
#endif
    CHECK(hy_close(F) == 0);
}
static void thread_later_sequences(void)
{
    uint64_t i, n = getenv("TEST_LATER") ? (uint64_t)atol(getenv("TEST_LATER")) : 300;
    for (i = 0; i < n && !test_broken; i++) later_sequence(i);
}

/* A block that waits for a ticket, and what is above and below it, are not changed; nor are half of their values. */
HY__UNUSED static hy_array *later_square(hy_frame *F, hy_array *x, void *user)
{
    (void)user;
    return hy_square(F, hy_get(F, x, 0));
}
HY__UNUSED static void later_hook(hy_frame *F, hy_block *block, hy_array *x, hy_array *y, void *user)
{
    (void)F; (void)block; (void)x; (void)y; (void)user;
}
HY__UNUSED static void thread_later_blocks(void)
{
    later_host host;
    hy_frame *F, *G;
    hy_block *net, *outer, *first, *inner, *shared, *twin, *apart;
    hy_array *x, *w;
    hy_arrays all;
    hy_ticket *t;
    double before;
    int hook;
    memset(&host, 0, sizeof host);
    F = later_open(2, &host);
    G = hy_fork(F);
    outer = hy_nn_hybrid_sequential(F);
    first = hy_append(F, outer, hy_nn_dense(F, 5, NULL));
    net = hy_nn_hybrid_sequential(F);
    inner = hy_nn_dense(F, 4, NULL);
    hy_append(F, net, inner);
    hy_append(F, outer, net);
    shared = hy_nn_hybrid_sequential(F);        /* has the child of net, which does not own it */
    hy_add_child(F, shared, "shared", inner);
    twin = hy_nn_dense(F, 4, NULL);
    apart = hy_nn_dense(F, 4, NULL);
    hy_initialize(F, outer, NULL);
    hy_initialize(F, twin, NULL);
    hy_initialize(F, apart, NULL);
    hook = hy_add_hook(F, inner, HY_HOOK_AFTER, later_hook, NULL);
    hy_hybridize(F, shared, NULL);
    hy_hybridize(F, outer, NULL);
    x = hy_ones(F, HY_SHAPE(3, 5));
    hy_call(F, outer, x);
    hy_call(F, shared, x);
    hy_call(F, twin, x);
    hy_call(F, apart, x);
    all = hy_parameters(F, outer, NULL);
    w = hy_param(F, outer, "0.weight");
    before = hy_value(F, w, 0, 0);
    t = hy_later(F, shared, x);
    hy_add_hook(F, inner, HY_HOOK_BEFORE, later_hook, NULL);    later_denied(F, "hy_add_hook");
    hy_add_hook(F, shared, HY_HOOK_BEFORE, later_hook, NULL);   later_denied(F, "hy_add_hook");
    hy_remove_hook(F, inner, hook);             later_denied(F, "hy_remove_hook");
    hy_set_recompute(G, inner, 1);              later_denied(G, "hy_set_recompute");
    hy_add_param(F, inner, "more", HY_SHAPE(1), NULL);          later_denied(F, "hy_add_param");
    hy_add_constant(F, inner, "more", x);       later_denied(F, "hy_add_param");
    hy_append(F, shared, apart);                later_denied(F, "hy_add_child");
    hy_share_params(F, inner, twin);            later_denied(F, "hy_share_params");
    hy_share_params(F, twin, inner);            later_denied(F, "hy_share_params");
    hy_hybridize(F, outer, NULL);               later_denied(F, "hy_hybridize");
    hy_block_free(F, inner);                    later_denied(F, "hy_block_free");
    hy_block_free(G, outer);                    later_denied(G, "hy_block_free");
    hy_reinitialize(F, outer, NULL);            later_denied(F, "hy_reinitialize");
    hy_set_parameters(F, outer, all, NULL);     later_denied(F, "hy_load_parameters");
    hy_cast_block(F, outer, HY_F64);            later_denied(F, "hy_cast_block");
    hy_set_grad_req(F, outer, NULL, HY_GRAD_NULL);              later_denied(F, "hy_set_grad_req");
    hy_attach_grad(F, hy_param(F, inner, "weight"), HY_GRAD_ADD);       later_denied(F, "hy_attach_grad");
    if (HY__TEXT) { hy_check(F, outer, x);      later_denied(F, "hy_check"); }
#ifndef HYBRID_NO_TRAIN
    hy_check_grad(F, later_square, NULL, hy_group(F, x), 1e-3); later_denied(F, "hy_check_grad");
#endif
    CHECK(hy_value(F, w, 0, 0) == before && hy_value(F, x, 0, 0) == 1);     /* not a half of it */
    hy_add_hook(F, first, HY_HOOK_AFTER, later_hook, NULL);     /* what is beside it may be changed */
    hy_set_recompute(F, net, 1);
    hy_hybridize(F, apart, NULL);
    hy_block_free(F, apart);
    CHECK(!hy_error(F) && !hy_error(G));
    CHECK(later_same(F, hy_call(F, shared, x), F, hy_wait(F, t)));
    hy_set_recompute(F, net, 0);
    hy_remove_hook(F, inner, hook);
    hy_share_params(F, inner, twin);
    hy_block_free(F, outer);
    CHECK(!hy_error(F) && !hy_error(G));
    CHECK(hy_close(F) == 0 && hy_close(G) == 0);
    later_host_ends(&host);
}

/* A program that writes running statistics which it has from outside, and which a ticket reads. */
HY__UNUSED static hy_array *later_mean, *later_var;
HY__UNUSED static hy_array *later_norm(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *ones = hy_ones(F, HY_SHAPE(3)), *zeros = hy_zeros(F, HY_SHAPE(3));
    (void)self;
    return hy_batch_norm(F, x, ones, zeros, later_mean, later_var, NULL);
}
HY__UNUSED static void thread_later_statistics(void)
{
#ifndef HYBRID_NO_TRAIN
    later_host host;
    hy_frame *F;
    hy_block *net, *norm;
    hy_array *x, *statistics;
    hy_ticket *t;
    memset(&host, 0, sizeof host);
    F = later_open(2, &host);
    net = hy_nn_hybrid_lambda(F, later_pair, "pair");
    norm = hy_nn_batch_norm(F, NULL);
    hy_initialize(F, norm, NULL);
    hy_hybridize(F, norm, NULL);
    hy_hybridize(F, net, NULL);
    x = hy_reshape(F, hy_arange(F, 0, 6, 1), HY_INTS(2, 3), NULL);
    hy_call(F, norm, x);
    statistics = hy_param(F, norm, "running_mean");
    t = hy_later(F, net, statistics);
    hy_set_training(F, 1);
    CHECK(!hy_later(F, norm, x) && strstr(hy_error(F), "running statistics") && strstr(hy_error(F), "hy_call"));
    hy_clear(F);
    hy_call(F, norm, x);                        later_denied(F, "running_mean");
    hy_set_training(F, 0);
    hy_freeze_batch_norm(F, norm, 1);           /* the ticket calls another block */
    hy_freeze_batch_norm(F, norm, 0);
    CHECK(!hy_error(F) && hy_value(F, hy_get(F, hy_wait(F, t), 0), 0) == 0);
    t = hy_later(F, norm, x);
    hy_freeze_batch_norm(F, norm, 1);           later_denied(F, "hy_freeze_batch_norm");
    if (HY__TEXT) { hy_check(F, norm, x);       later_denied(F, "hy_check"); }
    CHECK(hy_wait(F, t) && !hy_error(F));
    later_mean = hy_zeros(F, HY_SHAPE(3));      /* from outside */
    later_var = hy_ones(F, HY_SHAPE(3));
    norm = hy_nn_hybrid_lambda(F, later_norm, "norm");
    hy_hybridize(F, norm, NULL);
    hy_set_training(F, 1);
    hy_call(F, norm, x);
    hy_fill(F, later_mean, 1);
    hy_set_training(F, 0);
    t = hy_later(F, net, later_mean);
    hy_set_training(F, 1);
    hy_call(F, norm, x);                        later_denied(F, "");
    hy_set_training(F, 0);
    CHECK(hy_value(F, hy_get(F, hy_wait(F, t), 0), 0) == 1);
    hy_set_training(F, 1);
    hy_call(F, norm, x);
    CHECK(!hy_error(F) && hy_value(F, later_mean, 0) != 1);
    CHECK(hy_close(F) == 0);
    later_host_ends(&host);
#endif
}

/* An operator that asks for its own ticket while that runs, and closes what must stay open. */
static hy_frame *later_here, *later_there;
static hy_ticket *later_now;
static int later_asked;
static void later_ask_run(const hy_job *job, hy_run *now, int stage, int64_t item, void *scratch, void *shared)
{
    hy_frame *frame[2];
    int i;
    (void)stage; (void)item; (void)scratch; (void)shared;
    memcpy(now->data[job->nin], now->data[0], sizeof(float));
    if (!later_here) return;
    frame[0] = later_here;
    frame[1] = later_there;
    later_here = NULL;
    for (i = 0; i < 2 && later_now; i++) {
        CHECK(!hy_wait(frame[i], later_now) && strstr(hy_error(frame[i]), "at work here"));
        hy_clear(frame[i]);
    }
    CHECK(hy_close(frame[0]) == HY_ERROR_STATE);
    hy_clear(frame[0]);
    CHECK(hy_close(frame[1]) == HY_ERROR_STATE || frame[1] == frame[0] || !later_now);
    hy_clear(frame[1]);
    CHECK(!hy_later(frame[1], NULL, NULL));
    hy_clear(frame[1]);
    if (later_now) CHECK(hy_wait_all(frame[0]) != 0);
    hy_clear(frame[0]);
    later_asked++;
}
static int later_ask_bind(hy_job *job)
{
    job->run = later_ask_run;
    job->stages = 1;
    job->items[0] = 1;
    job->cost = 1;
    return 0;
}
static const hy_arg later_ask_in[] = { { "data", HY_ARG_ONE }, { NULL, HY_ARG_ONE } };
static const hy_arg later_ask_out[] = { { "output", HY_ARG_ONE }, { NULL, HY_ARG_ONE } };
static const hy_op later_ask_op = {
    "later_ask", NULL, NULL, "asks for its own ticket", later_ask_in, later_ask_out, NULL, 0,
    0, 0, NULL, hy_infer_pointwise, later_ask_bind, NULL, NULL
};
static hy_array *later_asks(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_add_scalar(F, hy_emit(F, &later_ask_op, 1, &x, NULL), 1);
}
static void thread_later_callbacks(void)
{
    int way;
    for (way = 0; way < 4; way++) {             /* begun by hy_wait, hy_wait of a fork, hy_later, hy_wait_all */
        later_host host;
        hy_frame *F, *G;
        hy_block *net;
        hy_array *x, *y = NULL;
        hy_ticket *t;
        memset(&host, 0, sizeof host);
        F = later_open(1, way == 2 ? NULL : &host);
        G = hy_fork(F);
        hy_register(F, &later_ask_op);
        net = hy_nn_hybrid_lambda(F, later_asks, "asks");
        hy_hybridize(F, net, NULL);
        x = hy_full(F, HY_SHAPE(1), 3);
        later_asked = 0;
        later_here = NULL;
        hy_call(F, net, x);
        later_now = NULL;
        later_there = way == 1 ? G : F;
        if (way == 2) later_here = F;           /* in hy_later nobody has the ticket yet */
        t = hy_later(F, net, x);
        later_now = t;
#ifndef HYBRID_NO_THREADS
        if (way != 2) later_here = F;
#endif
        if (way == 3) hy_wait_all(F);
        else y = hy_wait(later_there, t);
        CHECK(way == 3 || hy_value(later_there, y, 0) == 4);
        CHECK(!hy_error(F) && !hy_error(G));
#ifndef HYBRID_NO_THREADS
        CHECK(later_asked == 1);
#endif
        later_here = NULL;
        CHECK(hy_close(G) == 0 && hy_close(F) == 0);
        later_host_ends(&host);
    }
}

/* Within a trace and a symbolic frame nothing is waited for, nor begun. */
static hy_ticket *later_traced;
static int later_refused;
static hy_array *later_waits(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    if (!later_traced) return x;
    CHECK(hy_ready(F, later_traced) == -1 && strstr(hy_error(F), "a trace has no values"));
    hy_clear(F);
    hy_drop(F, later_traced);
    CHECK(hy_error(F) && strstr(hy_error(F), "a trace has no values"));
    hy_clear(F);
    hy_wait(F, later_traced);
    CHECK(hy_error(F) && hy_error_code(F) == HY_ERROR_TRACE);
    later_refused++;
    return x;
}
static void thread_later_traced(void)
{
    hy_frame *F = later_open(2, NULL), *S = hy_symbolic(F);
    hy_block *net = hy_nn_hybrid_lambda(F, later_pair, "pair"), *waits;
    hy_array *x = hy_ones(F, HY_SHAPE(2)), *y;
    hy_hybridize(F, net, NULL);
    waits = hy_nn_hybrid_lambda(F, later_waits, "waits");
    hy_hybridize(F, waits, NULL);
    later_traced = hy_later(F, net, x);
    CHECK(!hy_call(F, waits, x) && later_refused == 1 && strstr(hy_error(F), "wait before the call"));
    hy_clear(F);
    CHECK(!hy_later(S, net, hy_var(S, "x", NULL)) && strstr(hy_error(S), "hy_later"));
    hy_clear(S);
    CHECK(!hy_wait(S, later_traced) && hy_error_code(S) == HY_ERROR_TRACE);
    hy_close(S);
    hy_raise(F, HY_ERROR_USER, "something stands");
    CHECK(!hy_later(F, net, x) && !hy_wait(F, later_traced) && hy_ready(F, later_traced) == -1);
    CHECK(!strcmp(hy_error(F), "something stands"));
    hy_clear(F);
    y = hy_wait(F, later_traced);
    CHECK(y && hy_value(F, hy_get(F, y, 0), 0) == 1);
    later_traced = NULL;
    CHECK(hy_close(F) == 0);
}

/* What the program was made for stays until the ticket has run, however many others are made: forward is asked
 * again by no thread. */
static int later_forwards;
static hy_array *later_counts(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    later_forwards++;
    return hy_add_scalar(F, x, hy_dim(F, x, 0));
}
HY__UNUSED static void thread_later_evicted(void)
{
    later_host host;
    hy_hybridize_opt one;
    hy_frame *F;
    hy_block *net;
    hy_ticket *t[6];
    int i, made;
    memset(&host, 0, sizeof host);
    memset(&one, 0, sizeof one);
    one.cache = 1;
    F = later_open(2, &host);
    net = hy_nn_hybrid_lambda(F, later_counts, "counts");
    hy_hybridize(F, net, &one);
    later_forwards = 0;
    for (i = 0; i < 6; i++) t[i] = hy_later(F, net, hy_ones(F, HY_SHAPE(i + 1)));
    made = later_forwards;
    for (i = 0; i < 6; i++) CHECK(hy_value(F, hy_wait(F, t[i]), 0) == i + 2);
    CHECK(later_forwards == made && !hy_error(F));
    hy_call(F, net, hy_ones(F, HY_SHAPE(9)));   /* the next new one makes them as few as was asked for */
    CHECK(hy_cache_info(F, net).programs <= 2);
    CHECK(hy_close(F) == 0);
    later_host_ends(&host);
}

/* A network that was once called later takes its gradients as before. */
#ifndef HYBRID_NO_TRAIN
static int later_takes(hy_frame *F, hy_array *w)
{
    const void *before = w->tape->grad.t.data;
    hy_array *L;
    hy_begin(F);
    hy_record(F);
    L = hy_sum(F, hy_mul(F, w, w), HY_ALL, NULL);
    hy_pause(F);
    hy_backward(F, L, NULL);
    CHECK(hy_value(F, hy_grad_of(F, w), 0) == 2);
    hy_end(F);
    return before != w->tape->grad.t.data;
}
#endif
static void thread_later_takes(void)
{
#ifndef HYBRID_NO_TRAIN
    hy_frame *F = later_open(3, NULL), *G;
    hy_block *net = hy_nn_hybrid_lambda(F, later_pair, "pair");
    hy_array *w = hy_ones(F, HY_SHAPE(64));
    hy_hybridize(F, net, NULL);
    hy_attach_grad(F, w, HY_GRAD_WRITE);
    CHECK(later_takes(F, w));
    hy_begin(F);
    hy_wait(F, hy_later(F, net, hy_grad_of(F, w)));
    hy_drop(F, hy_later(F, net, w));
    hy_end(F);
    hy_wait_all(F);
    CHECK(later_takes(F, w));
    G = hy_fork(F);
    CHECK(!later_takes(F, w));
    hy_close(G);
    CHECK(later_takes(F, w) && !hy_error(F));
    CHECK(hy_close(F) == 0);
#endif
}

/* Memory that ends while lanes are bound. */
static int later_scarce_lanes(hy_frame *F)
{
    static char buffer[3][1 << 16];
    hy_block *net;
    hy_array *x, *y;
    hy_ticket *t[2];
    int i;
    net = hy_nn_dense(F, 4, NULL);
    x = hy_ones(F, HY_SHAPE(3, 5));
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    if (hy_bind(F, net, x, buffer[0], sizeof buffer[0])) return 0;
    for (i = 0; i < 2; i++) if (hy_bind_lane(F, net, x, i, buffer[i + 1], sizeof buffer[0])) return 0;
    for (i = 0; i < 2; i++) t[i] = hy_later(F, net, x);
    y = hy_copy(F, hy_call(F, net, x));
    for (i = 0; i < 2; i++) if (!later_same(F, y, F, hy_wait(F, t[i]))) return 0;
    hy_block_free(F, net);
    return !hy_error(F);
}
static int later_scarce_lane(hy_frame *F)
{
    int right;
    hy_wait_all(F);                             /* what an earlier try has left */
    hy_clear(F);
    hy_begin(F);
    right = later_scarce_lanes(F);
    hy_end(F);
    return right;
}
static void thread_later_lanes_oom(void)
{
    oom_walk(later_scarce_lane, 1);
}

/* --- many threads, and processes --- */
#if !defined(HYBRID_NO_THREADS) && !defined(_WIN32)
#include <pthread.h>
/* A host that does what it likes: at once, on a thread of its own, later, twice, never; and may say no beside. */
typedef struct later_job { void (*fn)(void *arg); void *arg; struct later_job *next; } later_job;
typedef struct later_crew {
    pthread_mutex_t lock;
    later_job *first, *lost;
    uint64_t   state;
    int        stop;
    pthread_t  thread;
} later_crew;
static void *later_crew_main(void *arg)
{
    later_crew *crew = (later_crew *)arg;
    int stop = 0;
    while (!stop) {
        later_job *job;
        pthread_mutex_lock(&crew->lock);
        stop = crew->stop;
        job = stop ? NULL : crew->first;
        if (job) crew->first = job->next;
        pthread_mutex_unlock(&crew->lock);
        if (job) { job->fn(job->arg); free(job); }
        else if (!stop) hy__yield();
    }
    return NULL;
}
static void later_crew_give(later_job **list, void (*fn)(void *arg), void *arg)
{
    later_job *job = (later_job *)malloc(sizeof *job);
    job->fn = fn;
    job->arg = arg;
    job->next = *list;                          /* the last one first */
    *list = job;
}
static int later_crew_start(void *user, void (*fn)(void *arg), void *arg)
{
    later_crew *crew = (later_crew *)user;
    int what;
    pthread_mutex_lock(&crew->lock);
    crew->state = crew->state * 6364136223846793005u + 1442695040888963407u;
    what = (int)((crew->state >> 33) % 8);
    if (what < 4) later_crew_give(&crew->first, fn, arg);
    if (what == 3) later_crew_give(&crew->first, fn, arg);
    if (what == 7) later_crew_give(&crew->lost, fn, arg);       /* until all is over */
    pthread_mutex_unlock(&crew->lock);
    if (what == 4 || what == 5) fn(arg);        /* at once ... */
    return what == 2 || what == 5 || what == 6; /* ... and says no beside */
}
static void later_crew_open(later_crew *crew, uint64_t seed)
{
    memset(crew, 0, sizeof *crew);
    crew->state = seed;
    pthread_mutex_init(&crew->lock, NULL);
    CHECK(!pthread_create(&crew->thread, NULL, later_crew_main, crew));
}
/* Does what it still has to do, before the last frame closes: some it has refused beside, some it has twice. */
static void later_crew_close(later_crew *crew)
{
    later_job *job;
    pthread_mutex_lock(&crew->lock);
    crew->stop = 1;
    pthread_mutex_unlock(&crew->lock);
    pthread_join(crew->thread, NULL);
    while ((job = crew->first) != NULL) { crew->first = job->next; job->fn(job->arg); free(job); }
    while ((job = crew->lost) != NULL) { crew->lost = job->next; job->fn(job->arg); free(job); }
    pthread_mutex_destroy(&crew->lock);
}

/* Frames of one root, each with a thread. What one has given out another may take. */
typedef struct later_worker {
    hy_frame  *F;
    hy_block  *net;
    uint64_t   seed;
    int        rounds, wrong;
    pthread_t  thread;
} later_worker;
static void *later_worker_main(void *arg)
{
    later_worker *w = (later_worker *)arg;
    hy_frame *F = w->F;
    hy_array *x = hy_full(F, HY_SHAPE(3, 4), 2);
    hy_ticket *t[4];
    double due[4], value = 2;
    int n = 0, k;
    later_chance c;
    c.state = w->seed;
    for (; w->rounds && !w->wrong; w->rounds--) {
        hy_begin(F);
        switch (later_pick(&c, 5)) {
        case 0: case 1:
            if (n == 4) break;
            due[n] = 4 * value;
            t[n] = hy_later(F, w->net, x);
            n += t[n] != NULL;
            break;
        case 2:
            if (!n) break;
            k = later_pick(&c, n--);
            w->wrong |= hy_value(F, hy_wait(F, t[k]), 0, 0) != due[k];
            t[k] = t[n];
            due[k] = due[n];
            break;
        case 3:
            if (!n) break;
            k = later_pick(&c, n--);
            if (later_pick(&c, 3)) { while (!hy_ready(F, t[k]) && later_pick(&c, 50)) hy__yield(); }
            hy_drop(F, t[k]);
            t[k] = t[n];
            due[k] = due[n];
            break;
        default:
            hy_fill(F, x, value + 1);
            if (!hy_error(F)) value++;
            hy_clear(F);
            if (later_pick(&c, 20) == 0) { hy_wait_all(F); n = 0; }
        }
        w->wrong |= hy_error(F) != NULL;
        if (hy_error(F)) printf("    %s\n", hy_error(F));
        hy_end(F);
    }
    w->wrong |= hy_close(F) != 0;               /* both close at once, with tickets of theirs */
    return NULL;
}
static void later_crowd(uint64_t seed, int hosts)
{
    later_crew crew;
    later_worker w[2];
    hy_desc desc;
    hy_frame *F;
    hy_block *net;
    int i;
    memset(&desc, 0, sizeof desc);
    desc.threads = 1 + (int)(seed % 3);
    if (hosts) {
        later_crew_open(&crew, seed);
        desc.start = later_crew_start;
        desc.start_user = &crew;
    }
    F = hy_open(&desc);
    net = hy_nn_dense(F, 2, NULL);
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    hy_call(F, net, hy_ones(F, HY_SHAPE(3, 4)));
    hy_fill(F, hy_param(F, net, "weight"), 1);
    for (i = 0; i < 2; i++) {
        memset(&w[i], 0, sizeof w[i]);
        w[i].F = i && !hosts ? F : hy_fork(F);
        w[i].net = net;
        w[i].seed = seed * 2 + (uint64_t)i;
        w[i].rounds = 60;
    }
    for (i = 0; i < 2; i++) CHECK(!pthread_create(&w[i].thread, NULL, later_worker_main, &w[i]));
    for (i = 0; i < 2; i++) { pthread_join(w[i].thread, NULL); CHECK(!w[i].wrong); }
    if (hosts) { later_crew_close(&crew); CHECK(hy_close(F) == 0); }
}
static void thread_later_crowds(void)
{
    uint64_t i, n = getenv("TEST_LATER") ? (uint64_t)atol(getenv("TEST_LATER")) / 10 : 30;
    for (i = 0; i < n && !test_broken; i++) later_crowd(i, (int)(i % 2));
}

/* One ticket, two threads: one gets it. */
typedef struct later_taker { hy_frame *F; hy_ticket *t; int got, denied; pthread_t thread; } later_taker;
static void *later_taker_main(void *arg)
{
    later_taker *w = (later_taker *)arg;
    hy_array *y = hy_wait(w->F, w->t);
    w->got = y && hy_value(w->F, hy_get(w->F, y, 0), 0) == 1;
    w->denied = !y && hy_error(w->F) && (strstr(hy_error(w->F), "another thread has the result") ||
                                         strstr(hy_error(w->F), "used up"));
    hy_clear(w->F);
    return NULL;
}
static void thread_later_takers(void)
{
    int i, k;
    for (k = 0; k < 40; k++) {
        hy_frame *F = later_open(1 + k % 3, NULL);
        hy_block *net = hy_nn_hybrid_lambda(F, later_pair, "pair");
        later_taker w[2];
        hy_hybridize(F, net, NULL);
        memset(w, 0, sizeof w);
        w[0].t = w[1].t = hy_later(F, net, hy_ones(F, HY_SHAPE(50)));
        for (i = 0; i < 2; i++) { w[i].F = hy_fork(F); pthread_create(&w[i].thread, NULL, later_taker_main, &w[i]); }
        for (i = 0; i < 2; i++) pthread_join(w[i].thread, NULL);
        CHECK(w[0].got + w[1].got == 1 && w[0].denied + w[1].denied == 1);
        for (i = 0; i < 2; i++) hy_close(w[i].F);
        CHECK(hy_close(F) == 0);
    }
}

#if !defined(__SANITIZE_THREAD__)
#include <sys/wait.h>
#include <unistd.h>
/* A child of fork: what waited there it runs itself, what ran on another thread has no result, and it goes on. */
static volatile int later_stuck;
static void later_stick_run(const hy_job *job, hy_run *now, int stage, int64_t item, void *scratch, void *shared)
{
    (void)stage; (void)item; (void)scratch; (void)shared;
    memcpy(now->data[job->nin], now->data[0], sizeof(float));
    while (HY__LOAD(&later_stuck) == 1) hy__yield();
}
static int later_stick_bind(hy_job *job)
{
    job->run = later_stick_run;
    job->stages = 1;
    job->items[0] = 1;
    job->cost = 1;
    return 0;
}
static const hy_op later_stick_op = {
    "later_stick", NULL, NULL, "stays until it is let go", later_ask_in, later_ask_out, NULL, 0,
    0, 0, NULL, hy_infer_pointwise, later_stick_bind, NULL, NULL
};
static hy_array *later_sticks(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_emit(F, &later_stick_op, 1, &x, NULL);
}
static int later_child(hy_frame *F, hy_block *net, hy_block *stick, hy_ticket *runs, hy_ticket *waits, int deep)
{
    hy_ticket *t;
    hy_array *x = hy_full(F, HY_SHAPE(1), 5);
    int status;
    pid_t child;
    HY__STORE(&later_stuck, 0);
    if (deep) {                                 /* two at once: a child of the child, and itself */
        child = fork();
        if (!child) _exit(later_child(F, net, stick, runs, waits, 0));
        if (waitpid(child, &status, 0) != child || status) return 10;
    }
    if (hy_ready(F, runs) != 0) return 1;
    if (hy_wait(F, runs) || !hy_error(F) || !strstr(hy_error(F), "forked while")) return 2;
    hy_clear(F);
    if (hy_value(F, hy_get(F, hy_wait(F, waits), 0), 0) != 2) return 3;
    t = hy_later(F, net, x);
    if (hy_value(F, hy_get(F, hy_wait(F, t), 0), 0) != 5) return 4;
    t = hy_later(F, stick, x);
    if (hy_value(F, hy_wait(F, t), 0) != 5) return 5;
    hy_later(F, net, x);
    hy_fill(F, hy_ones(F, HY_SHAPE(2)), 1);
    return hy_close(F) ? 6 : 0;
}
static void thread_later_forks(void)
{
    hy_frame *F = later_open(2, NULL);
    hy_block *net = hy_nn_hybrid_lambda(F, later_pair, "pair"), *stick = hy_nn_hybrid_lambda(F, later_sticks, "stick");
    hy_array *x = hy_full(F, HY_SHAPE(1), 2);
    hy_ticket *runs, *waits;
    pid_t child[2];
    int i, status, quiet = 0;
    hy_register(F, &later_stick_op);
    hy_hybridize(F, net, NULL);
    hy_hybridize(F, stick, NULL);
    hy_call(F, stick, x);
    HY__STORE(&later_stuck, 1);
    runs = hy_later(F, stick, x);               /* holds the only thread */
    while (HY__LOAD(&F->root->pool->jobs) && quiet++ < 100000000) hy__yield();
    hy__acquire(&F->root->later->lock);         /* it has begun: nobody has a lock of the library's now */
    hy__release(&F->root->later->lock);
    waits = hy_later(F, net, x);
    fflush(stdout);
    for (i = 0; i < 2; i++) {                   /* two forks at once */
        child[i] = fork();
        if (!child[i]) {
            alarm(60);
            _exit(later_child(F, net, stick, runs, waits, i));
        }
    }
    for (i = 0; i < 2; i++) {
        CHECK(waitpid(child[i], &status, 0) == child[i] && WIFEXITED(status) && WEXITSTATUS(status) == 0);
        if (status) printf("    child %d: status %d\n", i, status);
    }
    HY__STORE(&later_stuck, 0);
    CHECK(hy_value(F, hy_wait(F, runs), 0) == 2);
    CHECK(hy_value(F, hy_get(F, hy_wait(F, waits), 0), 0) == 2);
    CHECK(!hy_error(F) && hy_close(F) == 0);
}
#endif
#endif

/* A result that is what the call was given takes no memory, call after call. */
static hy_array *later_gives_back(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)F;
    (void)self;
    return x;
}
static void thread_later_given(void)
{
    hy_frame *F = later_open(2, NULL);
    hy_block *net = hy_block_new(F, sizeof(hy_block), "net", later_gives_back, 1);
    hy_array *x = hy_ones(F, HY_SHAPE(3, 3)), *y;
    int64_t before = 0;
    int i;
    hy_hybridize(F, net, NULL);
    for (i = 0; i < 40; i++) {
        if (i == 36) before = hy_memory_use(F).calls;
        hy_begin(F);
        y = hy_wait(F, hy_later(F, net, x));
        CHECK(y && hy_value(F, y, 2, 2) == 1);
        hy_end(F);
    }
    CHECK(hy_memory_use(F).calls == before);
    CHECK_STR(hy_error(F), NULL);
    CHECK(!hy_close(F));
}

static void test_later(void)
{
    RUN(thread_later_orders);
#ifndef HYBRID_NO_THREADS                       /* without threads a host is never asked */
    RUN(thread_later_reads);
    RUN(thread_later_closed);
    RUN(thread_later_blocks);
    RUN(thread_later_statistics);
    RUN(thread_later_evicted);
#endif
    RUN(thread_later_callbacks);
    RUN(thread_later_traced);
    RUN(thread_later_takes);
    RUN(thread_later_lanes_oom);
#if !defined(HYBRID_NO_THREADS) && !defined(_WIN32)
    RUN(thread_later_crowds);
    RUN(thread_later_takers);
#if !defined(__SANITIZE_THREAD__)
    RUN(thread_later_forks);
#endif
#endif
    RUN(thread_later_errors);
    RUN(thread_later_bound);
    RUN(thread_later_oom);
    RUN(thread_later_shared);
    RUN(thread_later_given);
    RUN(thread_later_sequences);
}
