/* What is said of the turns of a loop: by hy_profile, by hy_check. */
typedef struct { hy_block base; int calls, which; } turns_net;

static hy_array *turns_inner(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    turns_net *net = (turns_net *)user;
    net->calls++;
    s = hy_add(F, s, hy_square(F, x));
    if (net->which == 2 && net->calls % 5 == 3) s = hy_negative(F, s);
    if (net->which == 3) s = hy_add_scalar(F, s, net->calls);
    return hy_group(F, s, s);
}

static hy_array *turns_outer(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    hy_array *y = hy_foreach(F, turns_inner, x, hy_zeros(F, HY_SHAPE(1)), user);
    return hy_group(F, hy_get(F, y, 0), hy_add(F, s, hy_get(F, y, 1)));
}

static hy_array *turns_small(hy_frame *F, hy_array *v, void *user)
{
    (void)user;
    return hy_lesser_scalar(F, v, 30);
}

static hy_array *turns_grow(hy_frame *F, hy_array *v, void *user)
{
    turns_net *net = (turns_net *)user;
    v = hy_mul_scalar(F, v, 2);
    if (net->which == 5) v = ++net->calls % 3 ? hy_abs(F, v) : hy_relu(F, v);
    return hy_group(F, NULL, v);
}

static hy_array *turns_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    turns_net *net = (turns_net *)self;
    if (net->which >= 4)
        return hy_get(F, hy_while_loop(F, turns_small, turns_grow, hy_add_scalar(F, hy_mean(F, x, HY_ALL, NULL), 1),
                                       9, net), 1);
    return hy_get(F, hy_foreach(F, net->which ? turns_outer : turns_inner, x, hy_zeros(F, HY_SHAPE(1)), net), 1);
}

static hy_array *turns_input(hy_frame *F, int which)
{
    hy_array *x = hy_arange(F, 0, 6, 1);
    return which ? hy_reshape(F, x, HY_INTS(3, 2), NULL) : x;
}

/* One event a turn, in the mode that is asked for, on the program's threads. */
static void turns_profile(int which, int hybrid, int threads, int recorded, int want)
{
    hy_frame *F = control_open(threads);
    turns_net *net = HY_BLOCK_NEW(F, turns_net, turns_forward);
    hy_array *x = turns_input(F, which), *y;
    hy_event e;
    int i, turns = 0, seen = 0;
    net->which = which;
    if (hybrid) hy_hybridize(F, &net->base, NULL);
    hy_call(F, &net->base, x);
    hy_profile(F, "");
#ifndef HYBRID_NO_TRAIN
    if (recorded) { hy_attach_grad(F, x, HY_GRAD_WRITE); hy_record(F); }
    y = hy_call(F, &net->base, x);
    if (recorded) { hy_backward(F, y, NULL); hy_pause(F); }
#else
    y = hy_call(F, &net->base, x);
#endif
    hy_profile(F, NULL);
    CHECK(y != NULL);
    for (i = 0; !hy_profile_event(F, i, &e); i++) {
        if (e.kind != HY_EVENT_TURN) continue;
        turns++;
        seen |= !strcmp(e.what, "turn 2");
        CHECK(e.seconds >= 0 && e.call == 1 + (recorded && e.call == 2) && strstr(e.name, "foreach"));
    }
    CHECK_NEAR(turns, want, 0);
    CHECK(seen || want < 3);
#ifndef HYBRID_NO_IO
    y = hy_profile_to(F);
    CHECK(y && strstr((const char *)hy_data(F, y), "\"cat\":\"turn\""));
#endif
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

static void test_turns_profile(void)
{
    turns_profile(0, 0, 1, 0, 6);
    turns_profile(0, 1, 1, 0, 6);
    turns_profile(0, 1, 3, 0, 6);
    turns_profile(1, 0, 1, 0, 3 + 3 * 2);
    turns_profile(1, 1, 2, 0, 3 + 3 * 2);
#ifndef HYBRID_NO_TRAIN
    turns_profile(0, 1, 1, 1, 12);
#endif
}

/* hy_check: silent where bodies are what they say, else it names turn and operator. */
static void test_turns_check(void)
{
    static const char *const said[] = { NULL, NULL, "its operator 3 is negative, of the graph none",
        "its operator 3 is add_scalar, of the graph the same with other attributes", NULL,
        "turn 1 of a loop or branch: its operator 2 is abs, of the graph relu" };
    char text[4000];
    int which;
    for (which = 0; which < 6; which++) {
        hy_frame *F = control_open(1);
        turns_net *net = HY_BLOCK_NEW(F, turns_net, turns_forward);
        int found;
        net->which = which;
        if (which == 5) net->calls = 1;
        found = hy_check_text(F, &net->base, turns_input(F, which), text, sizeof text);
        if (!CHECK(said[which] ? found > 0 && strstr(text, said[which]) : !found)) printf("%d: %s", which, text);
        CHECK_STR(hy_error(F), NULL);
        CHECK(hy_close(F) == 0);
    }
}

static void test_turns(void)
{
    RUN(test_turns_profile);
    RUN(test_turns_check);
}
