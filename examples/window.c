/* cc -O2 examples/window.c -o window -lm -lpthread $(sdl2-config --cflags --libs)
 *     ./window                 the game asks for digits, you draw them
 *     ./window --frames 600    a recorded hand draws them, through SDL's event queue and without a screen; a third
 *                              word names a .bmp for the last frame
 * A game with a network in it. The program makes up digits and learns to read them, a batch a frame; then it reads
 * the drawing anew in each frame, in much less than a millisecond, in the game's own job system, and asks for no
 * memory. Needs SDL2: libsdl2-dev on Debian and Ubuntu.
 */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include "strokes.h"
#include <SDL.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the game's jobs: a loop whose items are handed out under a lock --- */

typedef struct {
    SDL_mutex  *lock;
    SDL_cond   *change;
    SDL_Thread *thread[8];
    int         workers, started, stop;
    hy_item_fn  fn;
    void       *arg;
    int64_t     next, finished, n;
} jobs;

static void jobs_take(jobs *j, int worker)              /* with the lock held */
{
    while (j->next < j->n) {
        int64_t i = j->next++;
        SDL_UnlockMutex(j->lock);
        j->fn(j->arg, i, worker);
        SDL_LockMutex(j->lock);
        if (++j->finished == j->n) SDL_CondBroadcast(j->change);
    }
}

static int jobs_main(void *argument)
{
    jobs *j = (jobs *)argument;
    int worker;
    SDL_LockMutex(j->lock);
    worker = ++j->started;                              /* the game's own thread is worker 0 */
    while (!j->stop) {
        SDL_CondWait(j->change, j->lock);
        jobs_take(j, worker);
    }
    SDL_UnlockMutex(j->lock);
    return 0;
}

static void jobs_for(void *user, int64_t n, hy_item_fn fn, void *arg)
{
    jobs *j = (jobs *)user;
    SDL_LockMutex(j->lock);
    j->fn = fn;
    j->arg = arg;
    j->next = j->finished = 0;
    j->n = n;
    SDL_CondBroadcast(j->change);
    jobs_take(j, 0);
    while (j->finished < n) SDL_CondWait(j->change, j->lock);
    SDL_UnlockMutex(j->lock);
}

static void jobs_open(jobs *j)
{
    int most = SDL_GetCPUCount() < 4 ? SDL_GetCPUCount() : 4;
    memset(j, 0, sizeof *j);
    j->lock = SDL_CreateMutex();
    j->change = SDL_CreateCond();
    for (j->workers = 1; j->workers < most; j->workers++)
        if (!(j->thread[j->workers] = SDL_CreateThread(jobs_main, "jobs", j))) break;
}

static void jobs_close(jobs *j)
{
    SDL_LockMutex(j->lock);
    j->stop = 1;
    SDL_CondBroadcast(j->change);
    SDL_UnlockMutex(j->lock);
    while (--j->workers > 0) SDL_WaitThread(j->thread[j->workers], NULL);
    SDL_DestroyCond(j->change);
    SDL_DestroyMutex(j->lock);
}

/* --- the network --- */

enum { STEPS = 400, BATCH = 40, PIXELS = SIDE * SIDE };

typedef struct {
    hy_frame   *F;
    hy_block   *net, *loss;             /* what learns */
    hy_block   *answer;                 /* that network, its ten scores made probabilities */
    hy_trainer *trainer;
    hy_array   *image;                  /* what it looks at, once it has learnt */
    void       *buffer;                 /* all memory that an answer takes */
    int         calls;                  /* of the allocator */
    float       images[BATCH][PIXELS], losses[STEPS];
    int         steps;
} reader;

static void *count_alloc(void *calls, size_t bytes) { ++*(int *)calls; return malloc(bytes); }
static void count_free(void *calls, void *block) { ++*(int *)calls; free(block); }

static void reader_open(reader *r, jobs *j)
{
    hy_desc desc = { 0 };
    hy_nn_conv_opt conv = { 0 };
    hy_nn_dense_opt dense = { 0 };
    hy_optim_opt adam = { 0 };
    hy_frame *F;
    memset(r, 0, sizeof *r);
    desc.threads = j->workers;
    desc.parallel_for = jobs_for;
    desc.parallel_user = j;
    desc.allocator.alloc_fn = count_alloc;
    desc.allocator.free_fn = count_free;
    desc.allocator.user_data = &r->calls;
    r->F = F = hy_open(&desc);
    conv.activation = dense.activation = "relu";
    r->net = hy_append(F, hy_nn_hybrid_sequential(F), hy_nn_conv2d(F, 8, HY_INTS(5), &conv),
                       hy_nn_max_pool2d(F, HY_INTS(2), NULL), hy_nn_conv2d(F, 16, HY_INTS(3), &conv),
                       hy_nn_max_pool2d(F, HY_INTS(2), NULL), hy_nn_dense(F, 48, &dense), hy_nn_dense(F, 10, NULL));
    hy_initialize(F, r->net, NULL);
    hy_hybridize(F, r->net, NULL);
    r->loss = hy_loss_softmax_ce(F, NULL);
    adam.learning_rate = 0.003;
    r->trainer = hy_trainer_new(F, r->net, hy_optim_adam(&adam), NULL);
}

/* One step, on digits that were never seen before. */
static void reader_learn(reader *r)
{
    float labels[BATCH];
    static drawing by_somebody;
    hy_frame *F = r->F;
    hy_array *L;
    int i;
    for (i = 0; i < BATCH; i++) {
        labels[i] = (float)(i % 10);
        strokes_sample((uint32_t)(r->steps * BATCH + i), i % 10, &by_somebody, r->images[i]);
    }
    hy_begin(F);
    hy_record(F);
    L = hy_call(F, r->net, hy_floats(F, HY_SHAPE(BATCH, 1, SIDE, SIDE), r->images[0]));
    L = hy_call(F, r->loss, hy_group(F, L, hy_floats(F, HY_SHAPE(BATCH), labels)));
    hy_pause(F);
    hy_backward(F, L, NULL);
    hy_step(F, r->trainer, BATCH);
    r->losses[r->steps++] = (float)hy_item(F, hy_mean(F, L, HY_ALL, NULL));
    hy_end(F);
}

/* How likely each digit is. */
static void reader_read(reader *r, const drawing *d, float *likely)
{
    float *image;
    hy_array *y;
    hy_begin(r->F);
    image = (float *)hy_write(r->F, r->image);
    if (image) strokes_image(d, 2, image);
    y = hy_call(r->F, r->answer, r->image);
    if (hy_data(r->F, y)) memcpy(likely, hy_data(r->F, y), 10 * sizeof *likely);
    hy_end(r->F);
}

/* From now on it answers: as one compiled program, in one block of memory of the size that the plan says. The first
 * answer, to an empty drawing, finds its way; the others only follow. */
static void reader_ready(reader *r)
{
    static drawing empty;
    float likely[10];
    hy_frame *F = r->F;
    hy_plan_info plan;
    r->answer = hy_append(F, hy_nn_hybrid_sequential(F), r->net, hy_nn_hybrid_lambda_op(F, "softmax"));
    hy_hybridize(F, r->answer, NULL);
    r->image = hy_zeros(F, HY_SHAPE(1, 1, SIDE, SIDE));
    plan = hy_plan(F, r->answer, r->image);
    r->buffer = malloc(plan.total);
    hy_bind(F, r->answer, r->image, r->buffer, plan.total);
    reader_read(r, &empty, likely);
}

static int reader_close(reader *r)
{
    int failed;
    if (hy_error(r->F)) fprintf(stderr, "%s\n", hy_error(r->F));
    failed = hy_close(r->F);
    free(r->buffer);
    return failed;
}

/* --- the game --- */

enum { WIDE = 900, HIGH = 560, PAD = 480, PAD_X = 40, PAD_Y = 40, PATIENCE = 45 };

static const char wanted[] = "7294106385";              /* the digits that it asks for */

typedef struct {
    drawing pad;
    int     down, idle;                 /* is the pen down; frames since it was lifted */
    int     take, taken;                /* judge the drawing; it was judged: the next stroke begins another */
    int     asked, right, wrong[10];    /* digits so far; the last ten */
    int     reads;                      /* the likeliest digit, -1 if nothing is drawn */
    float   likely[10];
    double  took, all;                  /* seconds of an answer, of all answers */
    int     answers, late;              /* how many; how many took longer than a millisecond */
    int     calls;                      /* of the allocator in this frame */
    int     quit;
} game;

static void game_take(game *g)
{
    g->take = 0;
    if (!g->pad.n || g->taken) return;
    g->taken = 1;
    g->wrong[g->asked % 10] = g->reads != wanted[g->asked % 10] - '0';
    g->right += !g->wrong[g->asked % 10];
    g->asked++;
}

static void game_pen(game *g, int x, int y, int moves)
{
    if (moves && !g->down) return;
    if (!moves && (x < PAD_X || x > PAD_X + PAD || y < PAD_Y || y > PAD_Y + PAD)) return;
    if (g->taken) g->pad.n = g->taken = 0;
    g->down = 1;
    strokes_add(&g->pad, (float)x, (float)y, moves);
}

static void game_event(game *g, const SDL_Event *e)
{
    switch (e->type) {
    case SDL_QUIT: g->quit = 1; break;
    case SDL_MOUSEBUTTONDOWN: game_pen(g, e->button.x, e->button.y, 0); break;
    case SDL_MOUSEMOTION: game_pen(g, e->motion.x, e->motion.y, 1); break;
    case SDL_MOUSEBUTTONUP: g->down = g->idle = 0; break;
    case SDL_KEYDOWN:
        if (e->key.keysym.sym == SDLK_SPACE) g->take = 1;
        if (e->key.keysym.sym == SDLK_ESCAPE) g->quit = 1;
        break;
    default: break;
    }
}

/* A frame: what the player did, what the network says to it. */
static void game_frame(game *g, reader *r)
{
    int before = r->calls, i;
    SDL_Event e;
    while (SDL_PollEvent(&e)) game_event(g, &e);
    g->reads = -1;
    memset(g->likely, 0, sizeof g->likely);
    if (g->pad.n) {
        double start = hy_seconds();
        reader_read(r, &g->pad, g->likely);
        g->took = hy_seconds() - start;
        g->all += g->took;
        g->answers++;
        g->late += g->took > 0.001;
        for (i = g->reads = 0; i < 10; i++) if (g->likely[i] > g->likely[g->reads]) g->reads = i;
    }
    if (g->take || (!g->down && ++g->idle == PATIENCE)) game_take(g);
    g->calls = r->calls - before;
}

/* --- the picture, made of lines and boxes --- */

enum { NIGHT = 0x12151b, CARD = 0x1b2029, GREY = 0x3a4353, QUIET = 0x98a2b3, WHITE = 0xe8ebf0, BLUE = 0x6c9bff,
       GREEN = 0x4cc38a, RED = 0xff6b6f };

static uint32_t screen[HIGH][WIDE];

/* A part of a colour over what is there. */
static void tint(int x, int y, uint32_t colour, float part)
{
    uint32_t mixed = 0;
    int shift;
    if (part <= 0 || x < 0 || y < 0 || x >= WIDE || y >= HIGH) return;
    for (shift = 0; shift < 24; shift += 8) {
        float old = (float)(screen[y][x] >> shift & 255), new_one = (float)(colour >> shift & 255);
        mixed |= (uint32_t)(old + (new_one - old) * (part < 1 ? part : 1)) << shift;
    }
    screen[y][x] = mixed;
}

static void line(const pen_point *a, const pen_point *b, float thick, uint32_t colour)
{
    float reach = thick / 2 + 1;
    int left = (int)(fminf(a->x, b->x) - reach), right = (int)(fmaxf(a->x, b->x) + reach), x, y;
    int top = (int)(fminf(a->y, b->y) - reach), bottom = (int)(fmaxf(a->y, b->y) + reach);
    for (y = top; y <= bottom; y++)
        for (x = left; x <= right; x++)
            tint(x, y, colour, thick / 2 + 0.5f - strokes_distance((float)x, (float)y, a, b));
}

/* A box with round corners. */
static void box(int left, int top, int wide, int high, float corner, uint32_t colour)
{
    int x, y;
    for (y = 0; y < high; y++)
        for (x = 0; x < wide; x++) {
            float dx = fmaxf(fmaxf(corner - (float)x, (float)x - (float)wide + 1 + corner), 0);
            float dy = fmaxf(fmaxf(corner - (float)y, (float)y - (float)high + 1 + corner), 0);
            tint(left + x, top + y, colour, corner + 0.5f - sqrtf(dx * dx + dy * dy));
        }
}

static void lines(const drawing *d, float x, float y, float thick, uint32_t colour)
{
    pen_point last = { 0, 0, 0 };
    int i;
    for (i = 0; i < d->n; i++) {
        pen_point p = d->at[i];
        p.x += x;
        p.y += y;
        line(p.down ? &last : &p, &p, thick, colour);
        last = p;
    }
}

/* Letters are strokes, too. */
static const char *const letters[26] = {
    "19 40 40 79|26 66", "10 19|10 50 71 73 44 14|44 75 78 59 19", "71 50 20 13 16 29 59 78", "10 19|10 50 82 77 49 19",
    "70 10 10 19 19 79|14 64", "70 10 10 19|14 64", "71 50 20 13 16 29 59 79 75 75 45", "10 19|70 79|14 74", "40 49",
    "60 67 59 29 17", "10 19|70 15|34 79", "10 19 19 79", "09 00 00 46 46 90 90 99", "19 10 10 79 79 70",
    "40 10 13 16 19 49 79 76 73 70 40", "10 19|10 50 72 73 45 15", "40 10 13 16 19 49 79 76 73 70 40|56 79",
    "10 19|10 50 72 73 45 15|45 79", "71 50 20 12 34 55 77 69 49 28 17", "00 80|40 49", "10 17 29 59 77 70",
    "10 49 49 80", "00 29 29 43 43 69 69 90", "10 79|70 19", "10 44 44 70|44 49", "10 70 70 19 19 79"
};

/* Capital letters, digits, dots. */
static void text(float x, float y, float size, uint32_t colour, const char *words)
{
    static drawing d;
    strokes_hand hand = { 0, 0, 0, 0, 0 };
    strokes_dice dice = { 0 };
    hand.xx = hand.yy = size / 10;
    for (; *words; words++, x += size * 0.95f) {
        const char *word = *words >= '0' && *words <= '9' ? strokes_font[*words - '0'][0] :
                           *words >= 'A' && *words <= 'Z' ? letters[*words - 'A'] : *words == '.' ? "49" : NULL;
        d.n = 0;
        if (word) strokes_write(&d, word, &hand, &dice);
        lines(&d, x + size / 2, y + size / 2, size / 9, colour);
    }
}

static void number(float x, float y, float size, uint32_t colour, double value, int places, const char *words)
{
    char all[64];
    snprintf(all, sizeof all, "%.*f %s", places, value, words);
    text(x, y, size, colour, all);
}

/* A picture that the network sees, each of its pixels three of the screen's wide. */
static void picture(int left, int top, const float *image)
{
    int x, y;
    for (y = 0; y < 3 * SIDE; y++)
        for (x = 0; x < 3 * SIDE; x++) tint(left + x, top + y, WHITE, image[y / 3 * SIDE + x / 3]);
}

static void paint_learning(const reader *r)
{
    pen_point a = { 0, 0, 0 }, b = { 0, 0, 0 };
    int i;
    number(PAD_X + 290, PAD_Y + 30, 16, QUIET, r->losses[r->steps - 1], 3, "LOSS");
    for (i = 0; i < r->steps; i++) {
        b.x = PAD_X + 30 + (float)i * (PAD - 60) / STEPS;
        b.y = PAD_Y + PAD - 30 - fminf(r->losses[i], 2.5f) / 2.5f * (PAD - 60);
        if (i) line(&a, &b, 3, BLUE);
        a = b;
    }
    text(570, 50, 16, QUIET, "LEARNING");
    text(570, 80, 30, WHITE, "TO READ");
    number(570, 150, 16, QUIET, r->steps, 0, "BATCHES");
    for (i = 0; i < 20; i++) picture(566 + i % 5 * 62, 240 + i / 5 * 72, r->images[i]);
}

static void paint_game(const game *g, const reader *r)
{
    char digit[2] = { 0, 0 };
    int i, high;
    if (!g->pad.n) text(PAD_X + 170, PAD_Y + PAD / 2 - 8, 16, GREY, "DRAW HERE");
    lines(&g->pad, 0, 0, 16, !g->taken ? WHITE : g->wrong[(g->asked - 1) % 10] ? RED : GREEN);
    text(570, 50, 16, QUIET, "PLEASE DRAW A");
    digit[0] = wanted[g->asked % 10];
    text(580, 90, 90, WHITE, digit);
    for (i = 0; i < 10; i++) {
        box(570 + 30 * i, 240, 22, 130, 6, CARD);
        high = (int)(130 * g->likely[i]);
        if (high > 5) box(570 + 30 * i, 370 - high, 22, high, 6, i == g->reads ? BLUE : GREY);
        digit[0] = (char)('0' + i);
        text(574 + (float)(30 * i), 382, 14, i == g->reads ? BLUE : QUIET, digit);
    }
    for (i = 0; i < 10 && i < g->asked; i++) {
        digit[0] = wanted[i];
        text(700 + (float)(i % 5 * 34), 110 + (float)(i / 5 * 40), 22, g->wrong[i] ? RED : GREEN, digit);
    }
    number(570, 430, 14, QUIET, g->took * 1e3, 3, "MS AN ANSWER");
    number(570, 460, 14, QUIET, g->calls, 0, "ALLOCATIONS A FRAME");
    number(570, 490, 14, QUIET, hy_threads(r->F), 0, "WORKERS");
}

static void paint(SDL_Renderer *to, SDL_Texture *texture, const game *g, const reader *r)
{
    int x, y;
    for (y = 0; y < HIGH; y++) for (x = 0; x < WIDE; x++) screen[y][x] = NIGHT;
    box(PAD_X, PAD_Y, PAD, PAD, 18, CARD);
    if (r->buffer) paint_game(g, r); else paint_learning(r);
    SDL_UpdateTexture(texture, NULL, screen, sizeof screen[0]);
    SDL_RenderCopy(to, texture, NULL, NULL);
    SDL_RenderPresent(to);
}

static void save(const char *file)
{
    SDL_Surface *all = SDL_CreateRGBSurfaceFrom(screen, WIDE, HIGH, 32, sizeof screen[0], 0xff0000, 0xff00, 0xff, 0);
    SDL_SaveBMP(all, file);
    SDL_FreeSurface(all);
}

/* --- a recorded hand, which is in nothing that the network learns from --- */

static const char *const recorded[10] = {               /* x,y of points from 0 to 99; a bar lifts the pen */
    "62,17 53,13 44,15 36,22 31,33 29,46 30,59 34,71 41,80 50,84 59,81 66,73 70,62 72,49 71,36 68,25 61,17 55,15",
    "37,31 43,27 48,21 52,13 52,24 51,37 51,50 50,63 50,76 49,88|35,88 44,88 54,87 64,88",
    "31,27 36,18 45,13 55,14 63,20 65,30 60,41 53,51 45,61 37,71 30,82 34,78 42,76 51,80 60,85 71,83",
    "32,17 42,14 53,15 60,21 59,31 53,39 44,45 53,46 62,51 66,61 64,72 57,81 47,86 37,85 29,78",
    "43,15 40,26 36,38 32,50 30,58 40,59 51,58 62,57 73,57|64,34 63,46 62,58 61,70 60,81 59,92",
    "68,14 58,15 47,15 38,16 37,26 36,37 35,45 44,42 54,43 62,49 66,59 65,70 59,79 50,85 40,86 31,82",
    "58,11 49,21 42,33 37,45 34,58 36,71 43,80 53,83 62,79 67,70 65,61 57,56 47,58 39,64 36,70",
    "28,18 38,17 49,16 60,16 70,17 66,28 60,40 55,52 51,64 48,76 46,89|38,53 48,52 58,51 66,51",
    "61,21 53,14 43,16 38,24 41,34 50,42 59,50 65,60 64,72 56,80 46,81 37,75 35,64 41,54 50,46 58,37 63,28 61,20",
    "64,24 56,17 46,16 38,23 36,33 41,42 51,44 59,39 64,30 66,22 65,36 63,50 60,64 55,77 47,86 37,88",
};

static void push(Uint32 type, int x, int y)
{
    SDL_Event e;
    memset(&e, 0, sizeof e);
    e.type = type;
    if (type == SDL_KEYDOWN) e.key.keysym.sym = SDLK_SPACE;
    else if (type == SDL_MOUSEMOTION) { e.motion.x = x; e.motion.y = y; }
    else { e.button.x = x; e.button.y = y; e.button.button = SDL_BUTTON_LEFT; }
    SDL_PushEvent(&e);
}

/* Draws one digit after another, each in so many frames; a press of the space bar says that it is finished. */
static void replay(int frame, int frames_each)
{
    const char *at = recorded[wanted[frame / frames_each] - '0'], *p;
    int part = frame % frames_each, points = 1, down = 0, i, x, y;
    for (p = at; *p; p++) points += *p == ' ' || *p == '|';
    for (i = 0; i < points * (part + 1) / frames_each; i++) {
        int now = i >= points * part / frames_each;     /* the points before were drawn in frames before */
        char *end;
        x = PAD_X + (int)strtol(at, &end, 10) * PAD / 100;
        y = PAD_Y + (int)strtol(end + 1, &end, 10) * PAD / 100;
        if (now) push(down ? SDL_MOUSEMOTION : SDL_MOUSEBUTTONDOWN, x, y);
        down = *end == ' ';
        if (now && !down) push(SDL_MOUSEBUTTONUP, x, y);
        at = end + 1;
    }
    if (part == frames_each - 1) push(SDL_KEYDOWN, 0, 0);
}

/* Until the next frame is due: 60 a second, or 62 and a half. */
static void rest(Uint32 *due)
{
    Uint32 now = SDL_GetTicks();
    if (now < *due) SDL_Delay(*due - now);
    *due = SDL_GetTicks() + 1000 / 60;
}

int main(int argc, char **argv)
{
    static game g;
    static reader r;
    static jobs j;
    int frames = argc > 2 && !strcmp(argv[1], "--frames") ? atoi(argv[2]) : 0, each, frame, later = 0, failed;
    Uint32 due = 0;
    SDL_Window *window;
    SDL_Renderer *to;
    SDL_Texture *texture;
    if (frames) SDL_setenv("SDL_VIDEODRIVER", "dummy", 1);
    if (SDL_Init(SDL_INIT_VIDEO)) { fprintf(stderr, "SDL: %s\n", SDL_GetError()); return 1; }
    window = SDL_CreateWindow("A network reads what you draw", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED,
                              WIDE, HIGH, SDL_WINDOW_RESIZABLE);
    to = SDL_CreateRenderer(window, -1, 0);
    texture = SDL_CreateTexture(to, SDL_PIXELFORMAT_RGB888, SDL_TEXTUREACCESS_STREAMING, WIDE, HIGH);
    if (!texture) { fprintf(stderr, "SDL: %s\n", SDL_GetError()); return 1; }
    SDL_RenderSetLogicalSize(to, WIDE, HIGH);

    jobs_open(&j);
    reader_open(&r, &j);
    while (r.steps < STEPS && !g.quit && !hy_error(r.F)) {
        SDL_Event e;
        while (SDL_PollEvent(&e)) g.quit |= e.type == SDL_QUIT;
        reader_learn(&r);
        if (frames) continue;                           /* no screen: no time is lost with one */
        paint(to, texture, &g, &r);
        rest(&due);
    }
    reader_ready(&r);
    each = frames < 10 ? 1 : frames < 600 ? frames / 10 : 60;
    for (frame = 0; (!frames || frame < frames) && !g.quit && !hy_error(r.F); frame++) {
        if (frames && frame < 10 * each) replay(frame, each);
        game_frame(&g, &r);
        if (frame) later += g.calls;
        paint(to, texture, &g, &r);
        if (!frames) rest(&due);
    }
    printf("%d frames, allocator calls after the first: %d, digits right: %d of %d\n", frame, later, g.right, g.asked);
    if (g.answers)
        printf("an answer took %.3f ms, %d of %d more than 1 ms\n", g.all / g.answers * 1e3, g.late, g.answers);
    if (frames && argc > 3) save(argv[3]);
    failed = reader_close(&r);
    jobs_close(&j);
    SDL_DestroyRenderer(to);
    SDL_DestroyWindow(window);
    SDL_Quit();
    return failed;
}
