/* How near two results are where rounding may differ: in default passes, on another instruction set, as C
 * source. */
#ifndef PROGRAMS_NEAR_H
#define PROGRAMS_NEAR_H

/* What is promised is 2^-18 (of f32; of other types in their epsilon) of the sum of the absolute terms of
 * an element: large terms may cancel, so the element itself says little. Nobody knows those terms; but if
 * each number on the way is moved a little, up or down at random, an element moves by about that much of
 * its terms. So the program is run in f64, every number of every leaf and every step's result times 1 + or
 * - 2^-20, a few times with other signs; the largest change, over 2^-20, stands for the sum. It sees two
 * more things that no bound on paper would: where a step jumps (a comparison, an index, a kink whose side
 * the rounding decides) the change is as large as the jump; and what gradients owe to the numbers that
 * they are made of. Whole numbers stay: they are indices, and have no rounding. */
enum { PG_SHAKES = 12 };
typedef struct pg_nearness { int runs; pg_result still, moved[PG_SHAKES]; } pg_nearness;
static pg_nearness pg_near_now;         /* of the program that is being checked */

/* --- the program's own condition --- *
 * All that sees jumps at the numbers of f64, and what cancels between steps. Where a way differs by more,
 * the program runs once more as it is due, in its own types, with each number of its inputs and parameters,
 * of what each step gives, and of the weights of its gradients, moved up or down by chance: four times by a
 * unit in the last place, then by up to 4, then by up to 16, which is half of 2^-18. What moves an element by
 * an eighth of the difference, half of it, or twice as much, is the program's own condition: a comparison, a
 * floor or a sort between two numbers that are next to each other, a sum whose terms cancel. And where one
 * of the two is no number, or infinite, numbers whose product is infinite are a condition; in a program that
 * is given such numbers on purpose they are one for all that comes of them: 0 times infinity is no number
 * or nothing, by what is left out, and a comparison or whole number hides which. */
enum { PG_NUDGES = 48 };
static const double pg_condition[] = { 8, 2, 0.5 };
static int pg_nudge_kind(int run) { return run < 8 ? run / 4 : 2; }
static struct pg_nudging {
    int runs;                           /* of the program and way that are checked */
    pg_result moved[PG_NUDGES];
    const pg_way *due;                  /* what it is compared with */
    uint64_t number;                    /* one more than that of the last program */
    int excused, overflows;             /* ... in some way; of the runs */
    long programs, excuses;             /* how many asked, and how many it excused in some way */
} pg_nudging;

static void pg_forget_nudges(void)
{
    while (pg_nudging.runs > 0) pg_forget(&pg_nudging.moved[--pg_nudging.runs]);
}
static void pg_count_nudged(const pg_program *P, int excused)
{
    struct pg_nudging *N = &pg_nudging;
    if (N->number != P->number + 1) { N->number = P->number + 1; N->programs++; N->excused = 0; }
    if (excused && !N->excused) { N->excused = 1; N->excuses++; }
}

static void pg_forget_nearness(void)
{
    int k;
    pg_forget_nudges();
    if (pg_near_now.runs) pg_forget(&pg_near_now.still);
    for (k = 1; k < pg_near_now.runs; k++) pg_forget(&pg_near_now.moved[k]);
    pg_near_now.runs = 0;
}

/* The least precise type of a program, in terms of f32. */
static double pg_coarseness(const pg_program *P)
{
    hy_dtype dtype = HY_F32;
    int i;
    for (i = 0; i < P->nvalue; i++) dtype = pg_coarser(dtype, P->fact[i].coarse);
    for (i = 0; i < P->nleaf; i++) dtype = pg_coarser(dtype, P->leaf[i].dtype);
    return hy__traits[dtype].epsilon / hy__traits[HY_F32].epsilon;
}

/* The epsilon that the promise for an item is in, in terms of f32. */
static double pg_scale(const pg_item *a)
{
    hy_dtype dtype = hy__floating(a->type.dtype) ? pg_coarser(a->type.dtype, a->fact.coarse) : HY_F32;
    return hy__traits[dtype].epsilon / hy__traits[HY_F32].epsilon;
}

/* One more run: the first as it is, the others shaken. */
static void pg_run_once_more(const pg_program *P)
{
    int k = pg_near_now.runs++;
    pg_shake = k ? ldexp(pg_coarseness(P), -20) : 0;
    pg_shake_draw = P->number * 64 + (uint64_t)k;
    pg_run(P, &pg_wide_way, k ? &pg_near_now.moved[k] : &pg_near_now.still);
    pg_shake = 0;
}

/* The largest number of an item, where a convolution may go by squares: that is off by a part of the largest
 * sum, not of its element's. Of other programs 0. */
static double pg_largest(const pg_program *P, const pg_item *a)
{
    int64_t i, n = a && P->squares && hy__floating(a->type.dtype) ? pg_elements(&a->type.shape) : 0;
    double most = 0;
    for (i = 0; i < n; i++)
        if (fabs(pg_element(a, i)) > most && fabs(pg_element(a, i)) <= DBL_MAX) most = fabs(pg_element(a, i));
    return most;
}

/* What element i may be off by after the runs that were made; infinity: by anything. largest: see above. */
static double pg_allowance(const pg_program *P, const pg_item *a, const pg_item *still, int64_t i,
                           double largest)
{
    double x = pg_element(a, i), w = pg_element(still, i), coarse = pg_coarseness(P), moved;
    double most = fabs(w) > largest ? fabs(w) : largest;
    int k;
    for (k = 1; k < pg_near_now.runs; k++) {
        const pg_item *m = pg_named(&pg_near_now.moved[k], a->name);
        if (!m || !hy__same_shape(&a->type.shape, &m->type.shape)) return HUGE_VAL;
        moved = fabs(pg_element(m, i) - w) / ldexp(coarse, -20);
        if (moved != moved) return HUGE_VAL;
        if (moved > most) most = moved;
    }
    if (x != x || w != w || fabs(x) == HUGE_VAL || most == HUGE_VAL)
        return coarse > 1 || w != w ? HUGE_VAL : 0;
    if (!hy__floating(a->type.dtype) && most == fabs(w)) return 0;
    /* Terms of a softmax's or a norm's gradient cancel within the operator, where nothing is shaken. */
    if (a->whole == 2 && most > 0 && most < 1e-9) return ldexp(pg_scale(a), -20);
    return ldexp(pg_scale(a), -18) * 4 * most + 16 * fabs(x - w);
}

/* Does a nudge move element i of a by as much as it differs from y? */
static int pg_moves(const pg_item *a, const pg_item *moved, int64_t i, double y, double times)
{
    double x = pg_element(a, i), m;
    if (!moved) return 0;
    if (!hy__same_shape(&a->type.shape, &moved->type.shape)) return 1;
    m = pg_element(moved, i);
    if (!hy__floating(a->type.dtype) && times < 1) times = 1;   /* it jumps, and not twice as far */
    if (fabs(x) <= DBL_MAX && fabs(y) <= DBL_MAX) return !(fabs(m - x) * times < fabs(x - y));
    return fabs(x) <= DBL_MAX ? !(fabs(m) <= DBL_MAX) : m != x && (m == m || x == x);
}
/* The item of this name of run k, which is made if none asked for it yet. */
static const pg_item *pg_nudged_item(const pg_program *P, const char *name, int k)
{
    struct pg_nudging *N = &pg_nudging;
    if (!N->runs) N->overflows = 0;
    if (k == N->runs) {
        pg_nudge = 1 << (2 * pg_nudge_kind(k));
        pg_nudge_draw = P->number * 64 + (uint64_t)k;
        pg_overflows = 0;
        pg_run(P, N->due, &N->moved[N->runs++]);
        N->overflows |= pg_overflows;
        pg_nudge = 0;
    }
    return pg_named(&N->moved[k], name);
}
static int pg_is_condition(const pg_program *P, const pg_item *a, double y, int64_t i)
{
    struct pg_nudging *N = &pg_nudging;
    int k, moves = 0;
    if (P->wrong || !N->due) return 0;
    for (k = 0; k < PG_NUDGES && !moves; k++) {
        const pg_item *moved = pg_nudged_item(P, a->name, k);
        moves = pg_moves(a, moved, i, y, pg_condition[pg_nudge_kind(k)]) ||
                (N->overflows && (P->odd == 1 || P->odd == 2 ||
                                  !(fabs(y) <= DBL_MAX && fabs(pg_element(a, i)) <= DBL_MAX)));
    }
    pg_count_nudged(P, moves);
    return moves;
}

/* How many there are may be decided by numbers: of those that are next to each other a way finds two where
 * another finds one. Does a nudge move each size at least as far? */
static int pg_size_is_condition(const pg_program *P, const pg_item *a, const hy_type *b)
{
    const hy_shape *from = &a->type.shape, *to = &b->shape;
    int k, d, moves = 0;
    if (!P->dynamic || P->wrong || !pg_nudging.due || a->type.dtype != b->dtype || from->ndim != to->ndim)
        return 0;
    for (k = 0; k < PG_NUDGES && !moves; k++) {
        const pg_item *moved = pg_nudged_item(P, a->name, k);
        moves = moved && moved->type.shape.ndim == to->ndim;
        for (d = 0; d < to->ndim && moves; d++) {
            int64_t by = to->dim[d] - from->dim[d], size = moved->type.shape.dim[d] - from->dim[d];
            moves = by < 0 ? size <= by : by == 0 || size >= by;
        }
    }
    pg_count_nudged(P, moves);
    return moves;
}

/* The least number that is rounded as all others are. */
static double pg_least(hy_dtype dtype)
{
    return dtype == HY_F64 ? DBL_MIN : dtype == HY_F16 ? ldexp(1, -24) : hy__floating(dtype) ? FLT_MIN : 0;
}

/* 1 if b is as near to a as was promised; else where not. */
static int pg_near(const pg_program *P, const pg_item *a, const pg_item *b, int64_t *at)
{
    int64_t i, n = pg_elements(&a->type.shape);
    double largest = -1;
    const pg_item *still;
    for (i = 0; i < n; i++) {
        double x = pg_element(a, i), y = pg_element(b, i);
        if (x == y || (x != x && y != y) || fabs(x - y) < pg_least(a->type.dtype)) continue;
        if (hy__floating(a->type.dtype) && fabs(x - y) <= ldexp(fabs(x) * pg_scale(a), -18)) continue;
        while (pg_near_now.runs < 5) pg_run_once_more(P);
        still = pg_named(&pg_near_now.still, a->name);
        if (!still || !hy__same_shape(&a->type.shape, &still->type.shape)) continue;
        if (largest < 0) largest = pg_largest(P, still);
        for (;;) {
            double allowed = pg_allowance(P, a, still, i, largest);
            if (allowed == HUGE_VAL || fabs(x - y) <= allowed) break;
            if (pg_near_now.runs == PG_SHAKES) {
                if (pg_is_condition(P, a, y, i)) break;
                *at = i;
                return 0;
            }
            pg_run_once_more(P);
        }
    }
    return 1;
}
#endif
