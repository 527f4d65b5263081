/* cc -O2 examples/agent.c -o agent -lm -lpthread
 * An agent learns its way through a maze by policy gradient (REINFORCE): it plays, and what led to a good end
 * becomes likelier. Then it plays inside a fixed buffer, as a game would run it, without a call of malloc. */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"

enum { SIDE = 5, PLACES = SIDE * SIDE, GAMES = 32, STEPS = 20, ROUNDS = 120 };
static const char *const map = "S...."
                               ".#.#."
                               "...#."
                               ".#..."
                               "...#G";

static int move(int place, int action)                  /* up, down, left, right; walls stop */
{
    static const int dx[4] = { 0, 0, -1, 1 }, dy[4] = { -1, 1, 0, 0 };
    int x = place % SIDE + dx[action], y = place / SIDE + dy[action];
    return x < 0 || x >= SIDE || y < 0 || y >= SIDE || map[y * SIDE + x] == '#' ? place : y * SIDE + x;
}

static uint32_t state = 12345;
static double chance(void)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) / 16777216.0;
}

static int choose(const float *p)                       /* an action with these probabilities */
{
    double left = chance();
    int a;
    for (a = 0; a < 3 && left >= p[a]; a++) left -= p[a];
    return a;
}

static hy_array *look(hy_frame *F, const int *place, int n)     /* one-hot, one row a game */
{
    float see[GAMES * PLACES] = { 0 };
    int i;
    for (i = 0; i < n; i++) see[i * PLACES + place[i]] = 1;
    return hy_floats(F, HY_SHAPE(n, PLACES), see);
}

/* All games of a round side by side: places, actions, and the reward from each step on. */
static double play(hy_frame *F, hy_block *policy, int (*place)[GAMES], float (*action)[GAMES], float (*gain)[GAMES])
{
    int now[GAMES] = { 0 }, over[GAMES] = { 0 }, won = 0, t, i;
    for (t = 0; t < STEPS; t++) {
        const float *p;
        hy_begin(F);
        p = (const float *)hy_data(F, hy_softmax(F, hy_call(F, policy, look(F, now, GAMES)), -1, NULL));
        for (i = 0; p && i < GAMES; i++) {
            int a = choose(p + 4 * i);
            place[t][i] = now[i];
            action[t][i] = (float)a;
            gain[t][i] = 0;
            if (over[i]) continue;
            now[i] = move(now[i], a);
            gain[t][i] = now[i] == place[t][i] ? -0.1f : -0.02f;        /* time is short, walls hurt */
            if (map[now[i]] == 'G') { gain[t][i] = 1; over[i] = 1; won++; }
        }
        hy_end(F);
    }
    for (t = STEPS - 2; t >= 0; t--)
        for (i = 0; i < GAMES; i++) gain[t][i] += 0.95f * gain[t + 1][i];
    return (double)won / GAMES;
}

/* One step up the gradient of log p(action) times how much better than the average it went. */
static void learn(hy_frame *F, hy_block *policy, hy_block *loss, hy_trainer *T, int (*place)[GAMES],
                  float (*action)[GAMES], float (*gain)[GAMES])
{
    int t, i;
    double mean = 0;
    for (t = 0; t < STEPS; t++) for (i = 0; i < GAMES; i++) mean += gain[t][i] / (STEPS * GAMES);
    for (t = 0; t < STEPS; t++) for (i = 0; i < GAMES; i++) if (gain[t][i] != 0) gain[t][i] -= (float)mean;
    for (t = 0; t < STEPS; t++) {
        hy_array *y;
        hy_begin(F);
        hy_record(F);
        y = hy_call(F, policy, look(F, place[t], GAMES));
        y = hy_call(F, loss, hy_group(F, y, hy_floats(F, HY_SHAPE(GAMES), action[t]),
                                      hy_floats(F, HY_SHAPE(GAMES, 1), gain[t])));
        hy_pause(F);
        hy_backward(F, y, NULL);
        hy_end(F);
    }
    hy_step(F, T, GAMES);                               /* gradients of all steps have added up */
    hy_zero_grad(F, policy);
}

int main(void)
{
    static int place[STEPS][GAMES];
    static float action[STEPS][GAMES], gain[STEPS][GAMES];
    static char buffer[1 << 16];
    hy_frame *F = hy_open(NULL);
    hy_block *policy = hy_nn_hybrid_sequential(F), *loss = hy_loss_softmax_ce(F, NULL);
    hy_init xavier = hy_init_xavier(NULL);
    hy_nn_dense_opt dense = { 0 };
    hy_optim_opt adam = { 0 };
    hy_trainer *T;
    double won = 0;
    int round, at = 0, steps;
    int64_t calls = 0;

    dense.activation = "tanh";
    hy_append(F, policy, hy_nn_dense(F, 32, &dense), hy_nn_dense(F, 4, NULL));
    hy_initialize(F, policy, &xavier);
    hy_hybridize(F, policy, NULL);
    hy_hybridize(F, loss, NULL);
    hy_set_grad_req(F, policy, NULL, HY_GRAD_ADD);
    adam.learning_rate = 0.02;
    T = hy_trainer_new(F, policy, hy_optim_adam(&adam), NULL);
    for (round = 0; round < ROUNDS && !hy_error(F); round++) {
        won = play(F, policy, place, action, gain);
        if (!round) printf("at first %s of the games are won\n", won < 0.3 ? "few" : "many");
        learn(F, policy, loss, T, place, action, gain);
    }
    printf("after %d rounds %s are won\n", ROUNDS, won > 0.8 ? "most" : "too few");

    hy_bind(F, policy, look(F, &at, 1), buffer, sizeof buffer);
    for (steps = 0; steps < STEPS && map[at] != 'G' && !hy_error(F); steps++) {
        hy_begin(F);
        if (steps == 2) calls = hy_memory_use(F).calls;
        at = move(at, (int)hy_item(F, hy_argmax(F, hy_call(F, policy, look(F, &at, 1)), 1, NULL)));
        hy_end(F);
    }
    printf("the best way has %d steps, and took %d calls of the allocator\n", steps,
           (int)(hy_memory_use(F).calls - calls));
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    return hy_close(F);
}
