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

/* A host that keeps what it is given, and runs it as the test says. */
enum { LATER_JOBS = 64 };
typedef struct later_host {
    int refuses, at_once, n;
    struct { void (*fn)(void *arg); void *arg; int ran; } job[LATER_JOBS];
} later_host;

static int later_start(void *user, void (*fn)(void *arg), void *arg)
{
    later_host *host = (later_host *)user;
    if (host->refuses || host->n == LATER_JOBS) return 1;
    if (host->at_once) { fn(arg); return 0; }
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
typedef struct later_chance { uint64_t state; } later_chance;
static int later_pick(later_chance *c, int n)
{
    c->state = c->state * 6364136223846793005u + 1442695040888963407u;
    return (int)((c->state >> 33) % (uint64_t)n);
}
static void later_sequence(uint64_t number)
{
    later_chance c;
    later_host host;
    hy_frame *F, *G;
    hy_block *net[LATER_NETS];
    hy_array *x[LATER_NETS];
    hy_ticket *t[LATER_TICKETS];
    float due[LATER_TICKETS], value[LATER_NETS];
    int i, k, n = 0, steps, hosts;
    c.state = number * 0x9e3779b97f4a7c15u + 1;
    memset(&host, 0, sizeof host);
    hosts = later_pick(&c, 3);
    F = later_open(1 + later_pick(&c, 3), hosts == 1 ? &host : NULL);
    G = hy_fork(F);
    for (i = 0; i < LATER_NETS; i++) {
        net[i] = hy_nn_dense(F, 2, NULL);
        hy_initialize(F, net[i], NULL);
        hy_hybridize(F, net[i], NULL);
        x[i] = hy_full(F, HY_SHAPE(1 + i, 4), value[i] = (float)(i + 1));
        hy_call(F, net[i], x[i]);
        hy_fill(F, hy_param(F, net[i], "weight"), 1);
    }
    for (steps = 20 + later_pick(&c, 60); steps && !hy_error(F); steps--) {
        i = later_pick(&c, LATER_NETS);
        k = n ? later_pick(&c, n) : 0;
        hy_begin(F);
        switch (later_pick(&c, 9)) {
        case 0: case 1: case 2:
            if (n == LATER_TICKETS) break;
            t[n] = hy_later(F, net[i], x[i]);
            due[n++] = 4 * value[i];
            break;
        case 3: case 4:
            if (!n) break;
            CHECK(hy_value(F, hy_wait(F, t[k]), 0, 1) == due[k]);
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
            if (later_pick(&c, 4)) CHECK(hy_value(F, hy_call(F, net[i], x[i]), 0, 1) == 4 * value[i]);
            else if (n) {                               /* from another frame */
                CHECK(hy_value(G, hy_wait(G, t[k]), 0, 1) == due[k]);
                t[k] = t[--n];
                due[k] = due[n];
            } else if (later_pick(&c, 2)) hy_wait_all(F);
        }
        hy_end(F);
    }
    CHECK(!hy_error(F) && !hy_error(G));
    if (hy_error(F)) printf("    sequence %d: %s\n", (int)number, hy_error(F));
    hy_close(G);
    CHECK(hy_close(F) == 0);
    later_host_ends(&host);
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

static void test_later(void)
{
    RUN(thread_later_orders);
#ifndef HYBRID_NO_THREADS                       /* without threads a host is never asked */
    RUN(thread_later_reads);
    RUN(thread_later_closed);
#endif
    RUN(thread_later_errors);
    RUN(thread_later_bound);
    RUN(thread_later_oom);
    RUN(thread_later_shared);
    RUN(thread_later_sequences);
}
