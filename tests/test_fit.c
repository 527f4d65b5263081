/* hy_fit: two moons of points learnt, the same compiled and line by line, on any number of threads. */

static int fit_sample(void *user, int64_t i, uint64_t random, const void *const *in, void *const *out)
{
    float *x = (float *)out[0], angle = (float)(i % 100) * 0.0314159f, far = (float)(i % 7) * 0.05f;
    int side = i / 100 % 2;
    (void)user; (void)random; (void)in;
    x[0] = side ? 1 - cosf(angle) : cosf(angle) + far;
    x[1] = side ? 0.5f - sinf(angle) - far : sinf(angle);
    *(int32_t *)out[1] = side;
    return 0;
}
static const hy_type fit_types[2] = { { HY_F32, { 1, { 2 } } }, { HY_I32, { 0, { 0 } } } };

typedef struct fit_setting {
    hy_frame *F;
    hy_block *net, *loss;
    hy_trainer *T;
    hy_loader *train, *test;
    hy_fit_opt opt;
} fit_setting;

static void fit_open(fit_setting *s, int hybrid, int threads)
{
    hy_desc desc;
    hy_nn_dense_opt dense;
    hy_optim_opt o;
    hy_loader_opt l;
    hy_init init = hy_init_xavier(NULL);
    hy_dataset *D;
    memset(s, 0, sizeof *s);
    memset(&desc, 0, sizeof desc);
    memset(&dense, 0, sizeof dense);
    memset(&o, 0, sizeof o);
    memset(&l, 0, sizeof l);
    desc.threads = threads;
    desc.seed = 3;
    s->F = hy_open(&desc);
    s->net = hy_nn_hybrid_sequential(s->F);
    dense.activation = "tanh";
    hy_append(s->F, s->net, hy_nn_dense(s->F, 16, &dense), hy_nn_dense(s->F, 2, NULL));
    hy_initialize(s->F, s->net, &init);
    if (hybrid) hy_hybridize(s->F, s->net, NULL);
    s->loss = hy_loss_softmax_ce(s->F, NULL);
    o.learning_rate = 0.05;
    s->T = hy_trainer_new(s->F, s->net, hy_optim_adam(&o), NULL);
    D = hy_dataset_of(s->F, 200, 2, fit_types, fit_sample, NULL);
    l.shuffle = 1;
    s->train = hy_loader_new(s->F, D, 20, &l);
    s->test = hy_loader_new(s->F, D, 64, NULL);
    s->opt.metric = hy_metric_accuracy(s->F, NULL);
    s->opt.progress = -1;
}

static void test_fit_learns(void)
{
    double first[30], other[30];
    int k, i;
    for (k = 0; k < 3; k++) {
        fit_setting s;
        hy_history h;
        fit_open(&s, k > 0, k + 1);
        s.opt.epochs = 30;
        h = hy_fit(s.F, s.net, s.loss, s.T, s.train, s.test, &s.opt);
        if (!CHECK(h.n == 30)) { puts(hy_error(s.F)); hy_close(s.F); return; }
        for (i = 0; i < 30; i++) (k ? other : first)[i] = h.at[i].validation_loss;
        if (!CHECK(h.at[29].samples == 200 && h.at[29].validation_metric > 0.97 && h.at[29].loss < 0.15))
            printf("    loss %g, accuracy %g\n", h.at[29].loss, h.at[29].validation_metric);
        CHECK(hy_num_update(s.F, s.T) == 300);
        if (k) CHECK(!memcmp(first, other, sizeof first));
        CHECK(hy_close(s.F) == 0);
    }
}

/* Files: the best parameters, the history, the page. */
static int fit_stop(hy_frame *F, const hy_epoch *e, void *user)
{
    (void)F;
    return e->epoch == *(int *)user;
}
static int fit_rude(hy_frame *F, const hy_epoch *e, void *user)
{
    (void)e;
    if (*(int *)user) hy_end(F);
    else CHECK(hy_close(F) == HY_ERROR_STATE);
    return 0;
}
static long fit_file(const char *name, char *text, size_t room)
{
    FILE *f = fopen(name, "rb");
    size_t n = f ? fread(text, 1, room - 1, f) : 0;
    if (f) fclose(f);
    text[n] = 0;
    remove(name);
    return (long)n;
}
/* `each` neither closes the frame nor ends a bracket of its caller's. */
static void test_fit_rude(void)
{
    fit_setting s;
    int end;
    fit_open(&s, 1, 2);
    s.opt.epochs = 2;
    s.opt.each = fit_rude;
    s.opt.user = &end;
    for (end = 0; end < 2; end++) {
        hy_begin(s.F);
        CHECK(!hy_fit(s.F, s.net, s.loss, s.T, s.train, s.test, &s.opt).n);
        CHECK(hy_error(s.F) && strstr(hy_error(s.F), end ? "there is no open hy_begin" : "must not close"));
        hy_clear(s.F);
        hy_end(s.F);
        CHECK(!hy_error(s.F));
    }
    s.opt.each = NULL;
    CHECK(hy_fit(s.F, s.net, s.loss, s.T, s.train, s.test, &s.opt).n == 2);
    CHECK(hy_close(s.F) == 0);
}

static void test_fit_files(void)
{
    static char text[60000];
    fit_setting s;
    hy_history h;
    int last = 3;
    fit_open(&s, 1, 2);
    s.opt.epochs = 10;
    s.opt.higher = 1;
    s.opt.each = fit_stop;
    s.opt.user = &last;
    s.opt.checkpoint = "fit_best.params";
    s.opt.history = "fit.csv";
    s.opt.report = "fit.html";
    h = hy_fit(s.F, s.net, s.loss, s.T, s.train, s.test, &s.opt);
    CHECK(h.n == 4 && hy_load_parameters(s.F, s.net, "fit_best.params", NULL) == 0);
    fit_file("fit_best.params", text, sizeof text);
    CHECK(fit_file("fit.csv", text, sizeof text) > 0 && strstr(text, "epoch,loss,metric") == text);
    CHECK(strstr(text, "\n3,") != NULL && !strstr(text, "\n4,"));
    CHECK(fit_file("fit.html", text, sizeof text) > 0 && strstr(text, "<!DOCTYPE html>") == text);
    CHECK(strstr(text, "<path class=\"b\"") && strstr(text, "Dense(") && strstr(text, "</table>") && strstr(text, "<td>"));
    CHECK(strstr(text, "_graph") || strstr(text, "fully_connected"));
    CHECK(hy_close(s.F) == 0);
}

/* Whatever operators, layers and metrics are called, a page has no markup of theirs, JSON is JSON, and a file is read
 * again. Numbers on the page are short. */
static void fit_marked_run(const hy_job *job, hy_run *now, int stage, int64_t item, void *scratch, void *shared)
{
    (void)job; (void)stage; (void)scratch; (void)shared;
    ((float *)now->data[1])[item] = ((const float *)now->data[0])[item];
}

static int fit_marked_bind(hy_job *job)
{
    job->run = fit_marked_run;
    job->stages = 1;
    job->items[0] = hy__size(&job->out[0].type.shape);
    return 0;
}

static int fit_marked_grad(hy_frame *F, hy_diff *D)
{
    D->dx[0] = hy_identity(F, D->dy[0]);
    return 0;
}

static hy_op fit_marked_op(const char *name)
{
    static const hy_arg in[] = { { "x", HY_ARG_ONE }, { NULL, HY_ARG_ONE } };
    hy_op op;
    memset(&op, 0, sizeof op);
    op.name = name;
    op.doc = "x, under a name that is none";
    op.in = op.out = in;
    op.infer = hy_infer_pointwise;
    op.bind = fit_marked_bind;
    op.grad = fit_marked_grad;
    return op;
}

typedef struct { hy_block base; hy_block *net; const hy_op *op; } fit_marked_net;
static hy_array *fit_marked_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    x = hy_call(F, ((fit_marked_net *)self)->net, x);
    return hy_named(F, hy_emit(F, ((fit_marked_net *)self)->op, 1, &x, NULL), "mine");
}

static int fit_long_numbers(const char *text)           /* on a page: so many numbers of more than 12 figures */
{
    size_t figures;
    int n = 0;
    for (; *text; text += figures + !figures) {
        figures = strspn(text, "0123456789.");
        n += figures > 12;
    }
    return n;
}

#if HY__TEXT
static void test_fit_figures(void)      /* four of them, of whatever size */
{
    static const double from[] = { 1016.4345317683238, 9999.6, 12345.6, 0.0123456, 999.96, -1016.4, 1e300 / 3, 0 };
    static const double to[] = { 1016, 10000, 12350, 0.01235, 1000, -1016, 3.333e299, 0 };
    int i;
    for (i = 0; i < 8; i++) CHECK_NEAR(hy__short(from[i]), to[i], 1e-14 * fabs(to[i]));
    CHECK(hy__short(HUGE_VAL) == HUGE_VAL);
}
#endif

static void test_fit_marked(void)
{
    static const char name[] = "<img src=x onerror=\"alert('1')\">\\</td>&amp; */", bad[] = "bad\xff";
    static char text[60000];
    hy_op op = fit_marked_op(name), other = fit_marked_op(bad);
    fit_marked_net *n;
    fit_setting s;
    hy_array *b;
    int hybrid;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        hy_metric_opt metric = { 0 };
        fit_open(&s, 0, 1);
        CHECK(!hy_register(s.F, &op) && !hy_register(s.F, &other));
        n = HY_BLOCK_NEW(s.F, fit_marked_net, fit_marked_forward);
        hy_set_prefix(s.F, &n->base, "<b>&\"");
        n->net = hy_add_child(s.F, &n->base, "<i>", s.net);
        n->op = &op;
        if (hybrid) hy_hybridize(s.F, &n->base, NULL);
        metric.name = "<u>";
        s.opt.metric = hy_metric_accuracy(s.F, &metric);
        s.opt.report = "fit.html";
        hy_fit(s.F, &n->base, s.loss, s.T, s.train, s.test, &s.opt);
        CHECK(fit_file("fit.html", text, sizeof text) > 0 && strstr(text, "&lt;img src=x") && strstr(text, "&lt;i&gt;"));
        CHECK(!strstr(text, "<img") && !strstr(text, "<b>") && !strstr(text, "<i>") && !strstr(text, "<u>"));
        CHECK(fit_long_numbers(text) == 0);
        hy_profile(s.F, "");
        hy_call(s.F, &n->base, hy_ones(s.F, HY_SHAPE(3, 2)));
        hy_profile(s.F, NULL);
        b = hy_profile_to(s.F);
        CHECK(b && prof_is_json((const char *)hy_data(s.F, b), (size_t)hy_size(s.F, b)));
        CHECK(b && strstr((const char *)hy_data(s.F, b), "\\\"alert('1')\\\""));
        b = hy_save_model_to(s.F, &n->base, hy_ones(s.F, HY_SHAPE(3, 2)));
        CHECK(b && hy_load_model_from(s.F, hy_data(s.F, b), (size_t)hy_size(s.F, b), 0));
        CHECK_STR(hy_error(s.F), NULL);
        n->op = &other;
        hy_hybridize(s.F, &n->base, NULL);      /* traced anew, with the other operator */
        CHECK(!hy_save_model_to(s.F, &n->base, hy_ones(s.F, HY_SHAPE(3, 2))));
        train_expect(s.F, "has a name that is no UTF-8 text");
        hy_close(s.F);
    }
}

static void fit_logged(void *user, int level, int code, const char *text)
{
    (void)code; (void)text;
    ((int *)user)[level]++;
}

/* Patience; a batch without a label; a label that is no class; a path that cannot be written. */
static void test_fit_errors(void)
{
    fit_setting s;
    hy_history h;
    int said[HY_LOG_PRINT + 1] = { 0 };
    hy_loader *alone;
    fit_open(&s, 1, 1);
    s.opt.epochs = 60;
    s.opt.patience = 2;
    s.opt.higher = 1;
    h = hy_fit(s.F, s.net, s.loss, s.T, s.train, s.test, &s.opt);
    CHECK(h.n > 2 && h.n < 60 && !h.at[h.n - 1].best && !h.at[h.n - 2].best);
    s.opt.epochs = -1;
    hy_fit(s.F, s.net, s.loss, s.T, s.train, NULL, &s.opt);
    train_expect(s.F, "epochs is -1");
    hy_fit(s.F, s.net, NULL, s.T, s.train, NULL, NULL);
    train_expect(s.F, "the block is NULL");
    alone = hy_loader_new(s.F, hy_dataset_arrays(s.F, hy_ones(s.F, HY_SHAPE(8, 2))), 4, NULL);
    hy_fit(s.F, s.net, s.loss, s.T, alone, NULL, NULL);
    train_expect(s.F, "a batch is a group of data and label");
    alone = hy_loader_new(s.F, hy_dataset_arrays(s.F, hy_group(s.F, hy_ones(s.F, HY_SHAPE(8, 2)),
                                                               hy_full(s.F, HY_SHAPE(8), 2))), 4, NULL);
    hy_fit(s.F, s.net, s.loss, s.T, alone, NULL, NULL);
    train_expect(s.F, "an index is out of range");
    s.F->root->desc.log_fn = fit_logged;
    s.F->root->desc.log_user = said;
    s.opt.epochs = 3;
    s.opt.history = "no_such_folder/fit.csv";
    h = hy_fit(s.F, s.net, s.loss, s.T, s.train, NULL, &s.opt);
    CHECK(!hy_error(s.F) && h.n == 3 && h.unwritten && strstr(h.unwritten, "no_such_folder/fit.csv"));
    CHECK(!said[HY_LOG_ERROR] && said[HY_LOG_WARNING] == 1);
    s.F->root->desc.log_fn = NULL;
    s.opt.history = NULL;
    s.opt.report = "no_such_folder/fit.html";
    h = hy_fit(s.F, s.net, s.loss, s.T, s.train, NULL, &s.opt);
    CHECK(!hy_error(s.F) && h.n == 3 && h.unwritten && strstr(h.unwritten, "no_such_folder/fit.html"));
    s.opt.report = NULL;
    s.opt.checkpoint = "no_such_folder/best.params";        /* what would be lost is an error */
    CHECK(!hy_fit(s.F, s.net, s.loss, s.T, s.train, NULL, &s.opt).n);
    train_expect(s.F, "no_such_folder/best.params");
    CHECK(!hy_is_recording(s.F) && hy_close(s.F) == 0);
}

/* An epoch is all batches, also where some of the loader's have been taken before. */
static void test_fit_whole_epochs(void)
{
    double loss[2];
    int64_t samples[2];
    int taken, workers;
    for (workers = 0; workers < 3; workers += 2) {
        for (taken = 0; taken < 2; taken++) {
            fit_setting s;
            hy_loader_opt l;
            hy_history h;
            memset(&l, 0, sizeof l);
            fit_open(&s, 1, 1);
            l.num_workers = workers;
            l.last_batch = HY_LAST_ROLLOVER;
            s.test = hy_loader_new(s.F, hy_dataset_of(s.F, 200, 2, fit_types, fit_sample, NULL), 64, &l);
            if (taken) hy_next(s.F, s.test);
            h = hy_fit(s.F, s.net, s.loss, s.T, s.train, s.test, NULL);
            CHECK(h.n == 1);
            loss[taken] = h.n ? h.at[0].validation_loss : 0;
            hy_next(s.F, s.train);
            h = hy_fit(s.F, s.net, s.loss, s.T, s.train, NULL, NULL);
            samples[taken] = h.n ? h.at[0].samples : 0;
            CHECK(hy_close(s.F) == 0);
        }
        CHECK(loss[0] == loss[1] && samples[0] == 200 && samples[1] == 200);
    }
}

/* A step of a compiled network is one program forward, one backward, and takes nothing from the allocator. */
typedef struct fit_watch { int64_t calls; int epochs; } fit_watch;
static int fit_memory(hy_frame *F, const hy_epoch *e, void *user)
{
    fit_watch *w = (fit_watch *)user;
    int64_t calls = hy_memory_use(F).calls;
    if (e->epoch >= 4) CHECK(calls == w->calls);
    w->calls = calls;
    w->epochs++;
    return 0;
}
static void test_fit_no_allocation(void)
{
    fit_setting s;
    fit_watch w;
    hy_event e;
    int i, calls = 0;
    memset(&w, 0, sizeof w);
    fit_open(&s, 1, 1);
    s.opt.epochs = 8;
    s.opt.each = fit_memory;
    s.opt.user = &w;
    hy_fit(s.F, s.net, s.loss, s.T, s.train, NULL, &s.opt);
    CHECK(w.epochs == 8);
    s.opt.epochs = 2;
    hy_profile(s.F, "");
    hy_fit(s.F, s.net, s.loss, s.T, s.train, NULL, &s.opt);
    hy_profile(s.F, NULL);
    for (i = 0; !hy_profile_event(s.F, i, &e); i++) calls += e.kind == HY_EVENT_CALL;
    CHECK(calls == 2 * 10 * 2);
    CHECK(hy_close(s.F) == 0);
}

#ifdef HY__POSIX_FILES
/* What hy_fit shows where stdout is a terminal, and where it is none. */
int posix_openpt(int flags);
int grantpt(int fd);
int unlockpt(int fd);
char *ptsname(int fd);

static int fit_slow(void *user, int64_t i, uint64_t random, const void *const *in, void *const *out)
{
    usleep(1000);                       /* bars are drawn ten times a second */
    return fit_sample(user, i, random, in, out);
}

typedef struct fit_heard { char text[4000]; int calls, level, whole; } fit_heard;
static void fit_hear(void *user, int level, int code, const char *text)
{
    fit_heard *h = (fit_heard *)user;
    size_t n = strlen(h->text);
    (void)code;
    h->calls++;
    h->level = level;
    h->whole += strchr(text, '\n') == text + strlen(text) - 1;
    snprintf(h->text + n, sizeof h->text - n, "%s", text);
}

/* What stands on a screen in the end: a carriage return goes back and what follows is written over. */
static void fit_screen(const char *written, char *screen)
{
    char *line = screen, *at = screen, *end = screen;
    for (; *written; written++) {
        if (*written == '\r') at = line;
        else if (*written == '\n') {
            while (end > line && end[-1] == ' ') end--;
            *end++ = '\n';
            line = at = end;
        } else {
            *at++ = *written;
            if (at > end) end = at;
        }
    }
    while (end > line && end[-1] == ' ') end--;
    *end = 0;
}

/* Runs two epochs with stdout at a terminal or a file; what was written. */
static void fit_shown(int terminal, int progress, fit_heard *heard, char *text, int room)
{
    int master = terminal ? posix_openpt(O_RDWR | O_NOCTTY) : open("fit.out", O_RDWR | O_CREAT | O_TRUNC, 0600);
    int fd = terminal && !grantpt(master) && !unlockpt(master) ? open(ptsname(master), O_RDWR | O_NOCTTY) : master;
    int kept, n = 0;
    fit_setting s;
    fit_open(&s, 1, 1);
    s.train = hy_loader_new(s.F, hy_dataset_of(s.F, 200, 2, fit_types, fit_slow, NULL), 20, NULL);
    s.opt.epochs = 2;
    s.opt.progress = progress;
    if (heard) memset(heard, 0, sizeof *heard);
    if (heard) { s.F->root->desc.log_fn = fit_hear; s.F->root->desc.log_user = heard; }
    fflush(stdout);
    kept = dup(1);
    dup2(fd, 1);
    CHECK(hy_fit(s.F, s.net, s.loss, s.T, s.train, s.test, &s.opt).n == 2);
    fflush(stdout);
    dup2(kept, 1);
    close(kept);
    if (!terminal) lseek(master, 0, SEEK_SET);
    else fcntl(master, F_SETFL, O_NONBLOCK);
    while (n < room - 1) {
        int more = (int)read(master, text + n, (size_t)(room - 1 - n));
        if (more <= 0) break;
        n += more;
    }
    text[n] = 0;
    if (fd != master) close(fd);
    close(master);
    remove("fit.out");
    s.F->root->desc.log_fn = NULL;
    CHECK(hy_close(s.F) == 0);
}

/* Two lines, as they are without a bar. */
static int fit_two_lines(const char *text)
{
    int e, n = 0;
    double loss;
    for (; sscanf(text, "epoch %d: loss %lf", &e, &loss) == 2 && e == n; n++) {
        size_t size = strcspn(text, "\n");
        if (memchr(text, '[', size) || memchr(text, '\r', size) || !text[size]) return 0;
        text += size + 1;
    }
    return n == 2 && !*text;
}

static void test_fit_shown(void)
{
    static char text[20000], screen[20000];
    static fit_heard heard;
    int progress, terminal = posix_openpt(O_RDWR | O_NOCTTY);
    for (progress = 0; progress < 2 && terminal >= 0; progress++) {
        fit_shown(1, progress, NULL, text, sizeof text);
        if (!CHECK(strstr(text, "\repoch 0 [") && strstr(text, "%, loss ") && strstr(text, "/s, ")
                   && strstr(text, " left") && strstr(text, "\repoch 1 [")))
            printf("    %s\n", text);
        fit_screen(text, screen);
        if (!CHECK(fit_two_lines(screen))) printf("    %s\n", screen);
        fit_shown(1, progress, &heard, text, sizeof text);
        CHECK(!*text && heard.calls == 2 && heard.whole == 2 && heard.level == HY_LOG_PRINT && fit_two_lines(heard.text));
    }
    if (terminal >= 0) {
        fit_shown(1, -1, &heard, text, sizeof text);
        CHECK(!*text && !heard.calls);
        close(terminal);
    }
    fit_shown(0, 0, &heard, text, sizeof text);
    CHECK(!*text && !heard.calls);
    fit_shown(0, 0, NULL, text, sizeof text);
    CHECK(!*text);
    fit_shown(0, 1, &heard, text, sizeof text);
    CHECK(!*text && heard.calls == 2 && heard.whole == 2 && fit_two_lines(heard.text));
    fit_shown(0, 1, NULL, text, sizeof text);
    CHECK(fit_two_lines(text));
}
#endif

static int fit_oom_program(hy_frame *F)
{
    hy_block *net = hy_nn_dense(F, 2, NULL), *loss = hy_loss_softmax_ce(F, NULL);
    hy_trainer *T = NULL;
    hy_dataset *D = hy_dataset_of(F, 6, 2, fit_types, fit_sample, NULL);
    hy_loader *L = D ? hy_loader_new(F, D, 3, NULL) : NULL;
    hy_history h;
    h.n = 0;
    if (net) hy_initialize(F, net, NULL);
    if (net) hy_hybridize(F, net, NULL);
    if (net && !hy_error(F)) T = hy_trainer_new(F, net, hy_optim_sgd(NULL), NULL);
    if (L && T && loss) h = hy_fit(F, net, loss, T, L, NULL, NULL);
    if (T) hy_trainer_free(F, T);
    if (L) hy_loader_free(F, L);
    if (D) hy_dataset_free(F, D);
    if (loss) hy_block_free(F, loss);
    if (net) hy_block_free(F, net);
    return h.n == 1 && !hy_error(F);
}
static void test_fit_oom(void) { oom_walk(fit_oom_program, 1); }

static void test_fit(void)
{
    RUN(test_fit_learns);
    RUN(test_fit_files);
    RUN(test_fit_rude);
#if HY__TEXT
    RUN(test_fit_figures);
#endif
    RUN(test_fit_marked);
    RUN(test_fit_errors);
    RUN(test_fit_whole_epochs);
    RUN(test_fit_no_allocation);
    RUN(test_fit_oom);
#ifdef HY__POSIX_FILES
    RUN(test_fit_shown);
#endif
}
