/* Which ways a program goes, each of them gone, and how often each operator went each way. */
#ifndef PROGRAMS_TABLE_H
#define PROGRAMS_TABLE_H

/* --- a way --- */
/* The call with another batch size fails only where it does line by line, or in a branch that was not
 * taken: then it has no results. Of several faults in a program either may be met first. */
static int pg_wider_agrees(void)
{
    int i;
    if (pg_line.wider[0] || !pg_other.wider[0]) return 1;
    if (pg_line.error[0]) return 1;     /* line by line came no further than a call before that */
    for (i = 0; i < pg_line.n; i++) if (!strncmp(pg_line.item[i].name, "wider", 5)) pg_line.item[i].whole = 2;
    if (pg_other.P->loops) return 1;
    pg_say("error at another batch size: %s\n", pg_other.wider);
    return 0;
}

/* A network that runs as it is has a copy in int8, unless it cannot be written at all. */
static int pg_copies(const pg_result *line)
{
    if (line->error[0] || pg_other.P->wrong || !pg_line.error[0] || strcmp(pg_line.where, "building"))
        return 1;
    if (strstr(pg_line.error, "no name in files") || pg_line.code == HY_ERROR_MEMORY) return 1;
    if (strstr(pg_line.error, "nothing but zeros") || strstr(pg_line.error, "nan from batch") ||
        strstr(pg_line.error, "inf from batch") || strstr(pg_line.error, "that is not finite")) return 1;
    if (strstr(pg_line.error, "a matrix is")) return 1;  /* of what comes of int8 */
    /* parameters of layers in what no result needs */
    if (strstr(pg_line.error, "cannot be inferred")) return 1;
    pg_say("no copy in int8: %s\n", pg_line.error);
    return 0;
}

/* How often a body gives a leaf to something. */
static int pg_leaf_uses(const pg_program *P, int body, int leaf)
{
    const pg_body *b = &P->body[body];
    int i, k, n = 0;
    for (i = 0; i < b->n; i++) {
        const pg_step *s = &P->step[b->step[i]];
        for (k = 0; k < s->n; k++) n += s->in[k] == ~leaf;
        for (k = 0; k < s->nstate; k++) n += s->state[k] == ~leaf;
        for (k = 0; k < pg_bodies(s); k++) n += pg_leaf_uses(P, s->body[k], leaf);
    }
    for (k = 0; k < b->nout; k++) n += b->out[k] == ~leaf;
    return n;
}
/* Is an item of this name a statistic, of a layer or of the program? */
static int pg_is_statistic(const pg_program *P, const char *name)
{
    char own[24];
    int k, is = strstr(name, "_running_") != NULL;
    for (k = 0; k < P->nleaf && !is; k++) {
        snprintf(own, sizeof own, "_p%d ", k);
        is = P->leaf[k].kind == PG_AUX && strstr(name, own);
    }
    return is;
}
/* A graph of heads may lack what a child or a body is given and does not use: its statistics, and numbers
 * that it draws; what reads such statistics otherwise has others after a call that learns. */
static void pg_pass_statistics(void)
{
    const pg_program *P = pg_other.P;
    int i, read = 0;
    for (i = 0; i < P->nleaf; i++) read |= P->leaf[i].kind == PG_AUX && pg_leaf_uses(P, 0, i) > 1;
    for (i = 0; i < pg_line.n && (P->children || P->loops); i++) {
        const char *name = pg_line.item[i].name;
        if (pg_line.item[i].whole != 1 && (strncmp(name, "stepped", 7) || !pg_is_statistic(P, name)) &&
            (!read || !strncmp(name, "first", 5))) continue;
        pg_line.item[i].whole = 2;
        pg_line.item[i].name[0] = 0;
    }
}

/* Runs it into pg_other, and what it is compared with, if that is not line by line. The caller forgets
 * pg_other. */
static int pg_try_way(const pg_program *P, const pg_way *way)
{
    static pg_result line;
    const pg_way *due = way->due;
    int ok, copied, first = 1;
    pg_fails_at = 0;
    do {
        if (!first) pg_forget(&pg_other);
        pg_fails_at++;
        pg_run(P, way, &pg_other);
        if (pg_other.skipped) {
            if (pg_other.kept) pg_say("%d blocks of memory are lost\n", (int)pg_other.kept);
            return !pg_other.kept;
        }
        if (!due && pg_other.P != P) due = &pg_due_needed;
        if (due && first) {
            pg_forget_nearness();
            line = pg_line;
            pg_line.n = 0;
            pg_run(pg_other.P, due, &pg_line);
        }
        copied = !(way->flags & PG_INT8) || pg_copies(&line);
        first = 0;
        if (way->flags & PG_SYMBOL) pg_pass_statistics();
        pg_nudging.due = due ? due : &pg_ways[0];
        pg_written_out = (way->flags & PG_ONNX) != 0;
        ok = copied && pg_wider_agrees() && pg_agrees(pg_other.P, way);
        if ((way->flags & PG_BATCH) && pg_line.wider[0])
            pg_count_reason(way, "the other size is an error line by line", 39);
    } while (ok && (way->flags & PG_WALK) && pg_other.taken >= pg_fails_at);
    if (due) {
        pg_forget(&pg_line);
        pg_line = line;
        pg_forget_nearness();
    }
    return ok;
}

/* --- its ways --- */
/* A layer that hy_quantize may take. */
static int pg_has_layer(const pg_program *P)
{
    int i, k;
    for (i = 0; i < P->body[0].n; i++) {
        const pg_step *s = &P->step[P->body[0].step[i]];
        if (s->kind == PG_LAYER_CALL && s->dtype == HY_F32 &&
            (!strcmp(s->op, "dense") || !strcmp(s->op, "conv")))
            return 1;
        if (s->kind != PG_OP || s->n < 2 ||
            (strcmp(s->op, "fully_connected") && strcmp(s->op, "convolution")))
            continue;
        k = s->in[1];
        if (k < 0 && P->leaf[~k].kind == PG_PARAM && P->leaf[~k].dtype == HY_F32) return 1;
    }
    return 0;
}
static int pg_weight(const pg_program *P, const pg_way *way)
{
    if ((way->flags & PG_CHILDREN) && !P->children) return 0;
    if ((way->flags & PG_LATER) && P->number < PG_SECOND) return 0;
    if ((way->flags & PG_INT8) && pg_has_layer(P)) return way->weight * (P->network ? 6 : 3);
    if ((way->flags & PG_BATCH) && P->network) return way->weight * 4;
    return way->weight;
}
/* Those of the rare ones that it is one in so many for; then those whose names' hashes with the number are
 * the largest of so many as the way weighs. */
static int pg_draw_ways(const pg_program *P, int *drawn)
{
    uint64_t mix = pg_mix(P->number + 11);
    int n = 0, k, i, again;
    for (k = PG_WAYS - 1; k > 2 && n < 4; k--)
        if (pg_ways[k].one_in &&
            (pg_mix(mix ^ pg_word(pg_ways[k].name)) >> 9) % (uint64_t)pg_ways[k].one_in == 0)
            drawn[n++] = k;
    while (n < 4) {
        uint64_t most = 0, h;
        int best = 3;
        for (k = 3; k < PG_WAYS; k++) {
            int weight = pg_weight(P, &pg_ways[k]);
            for (again = i = 0; i < n; i++) again |= drawn[i] == k;
            for (i = 0; i < weight && !again; i++) {
                h = pg_mix(mix ^ pg_word(pg_ways[k].name) ^ (uint64_t)i << 50);
                if (h < most) continue;
                most = h;
                best = k;
            }
        }
        drawn[n++] = best;
    }
    return n;
}

/* --- the table --- */
static long pg_table[HY_OP_COUNT][PG_WAYS];             /* how often an operator went a way */
static struct { long programs, failed; double seconds; } pg_went[PG_WAYS];
static int pg_tabled;                                   /* 1: as a table, 2: as lines to be added up */
static void pg_tabulate_body(hy_frame *F, const pg_program *P, int body, int way)
{
    const pg_body *b = &P->body[body];
    int i, k;
    for (i = 0; i < b->n; i++) {
        const pg_step *s = &P->step[b->step[i]];
        const hy_op *op = s->kind == PG_OP ? hy_op_find(F, s->op) : NULL;
        if (op && (op->flags >> HY__NUMBER_SHIFT) < HY_OP_COUNT)
            pg_table[op->flags >> HY__NUMBER_SHIFT][way]++;
        for (k = 0; k < pg_bodies(s); k++) pg_tabulate_body(F, P, s->body[k], way);
    }
}
/* What no result needs counts for nothing. */
static void pg_tabulate(hy_frame *F, const pg_program *P, const pg_way *way)
{
    static pg_program needed;
    needed = *P;
    pg_tidy(&needed);
    pg_tabulate_body(F, &needed, 0, (int)(way - pg_ways));
}

static double pg_seconds(void)                          /* of a processor, that of compilers included */
{
#ifdef HY__POSIX_FILES
    struct rusage mine, theirs;
    getrusage(RUSAGE_SELF, &mine);
    getrusage(RUSAGE_CHILDREN, &theirs);
    return (double)(mine.ru_utime.tv_sec + mine.ru_stime.tv_sec + theirs.ru_utime.tv_sec +
                    theirs.ru_stime.tv_sec) +
           1e-6 * (double)(mine.ru_utime.tv_usec + mine.ru_stime.tv_usec + theirs.ru_utime.tv_usec +
                           theirs.ru_stime.tv_usec);
#else
    return (double)clock() / CLOCKS_PER_SEC;
#endif
}

typedef struct pg_counts {
    long programs, wrong, errors, loops, random, failed, ways, steps;
    double seconds;
} pg_counts;
static pg_counts pg_total;
static const pg_way *pg_failed_way;
static const char *volatile pg_now_way = "line";        /* for who catches a signal */
static volatile uint64_t pg_now;

/* Columns of the table: some are gone in several ways. */
static int pg_columns(const char **column, int *column_of)
{
    int n = 0, k, i;
    for (k = 0; k < PG_WAYS; k++) {
        for (i = 0; i < n && strcmp(column[i], pg_ways[k].column); i++) continue;
        if (i == n) column[n++] = pg_ways[k].column;
        column_of[k] = i;
    }
    return n;
}
/* Why an operator is seldom, or never, in a column. */
static const char *pg_exception(hy_frame *F, int number, int column, const int *column_of)
{
    static char text[200];
    long refused = 0;
    int k, one_in = 0, always = 0, isa = 0;
    for (k = 0; k < PG_WAYS; k++) {
        if (column_of[k] != column) continue;
        refused += pg_refused[number][k];
        one_in = pg_ways[k].one_in;
        always |= pg_ways[k].weight != 0;
        isa |= pg_ways[k].isa && !pg_went[k].programs;
    }
    if (isa) return "the processor, or the compiler, has no such instructions";
    if (refused) {
        snprintf(text, sizeof text, "left out %ld times, and with it what comes of it", refused);
        return text;
    }
    if (!always && one_in) {
        snprintf(text, sizeof text, "one program in %d goes this way", one_in);
        return text;
    }
    if (hy_op_at(F, number)->flags & HY_OP_DYNAMIC)
        return "values decide its shape: one draw in three is kept, and none in a body";
    snprintf(text, sizeof text, "%ld line by line", pg_table[number][0]);
    return text;
}
static long pg_print_seldom(hy_frame *F, long due)
{
    const char *column[PG_WAYS];
    int column_of[PG_WAYS], n = pg_columns(column, column_of), c, k, at = 0, in = 0;
    long seldom = 0, least = -1, v;
    size_t i;
    for (i = 0; i < sizeof ops_rows / sizeof *ops_rows; i++) {
        int number = ops_rows[i].number;
        for (c = 0; c < n && ops_rows[i].ref->cases[0]; c++) {
            for (v = 0, k = 0; k < PG_WAYS; k++) if (column_of[k] == c) v += pg_table[number][k];
            if (v < due) {
                printf("seldom: %s, %s: %ld, due %ld; %s\n", hy_op_at(F, number)->name, column[c], v, due,
                       pg_exception(F, number, c, column_of));
                seldom++;
            } else if (least < 0 || v < least) { least = v; at = number; in = c; }
        }
    }
    if (least >= 0)
        printf("the smallest of the other cells: %s, %s: %ld\n", hy_op_at(F, at)->name, column[in], least);
    return seldom;
}
static void pg_print_table(hy_frame *F)
{
    const char *column[PG_WAYS];
    int column_of[PG_WAYS], n = pg_columns(column, column_of), c, k;
    long due = pg_total.programs < 100000 ? pg_total.programs / 1000 : 100, v;
    size_t i;
    printf("%-36s", "operator");
    for (c = 0; c < n; c++) printf(" %*s", strlen(column[c]) > 5 ? (int)strlen(column[c]) : 5, column[c]);
    printf("\n");
    for (i = 0; i < sizeof ops_rows / sizeof *ops_rows; i++) {
        printf("%-36s", hy_op_at(F, ops_rows[i].number)->name);
        for (c = 0; c < n; c++) {
            for (v = 0, k = 0; k < PG_WAYS; k++) if (column_of[k] == c) v += pg_table[ops_rows[i].number][k];
            printf(" %*ld", strlen(column[c]) > 5 ? (int)strlen(column[c]) : 5, v);
        }
        printf("\n");
    }
    v = pg_print_seldom(F, due);
    printf("%ld cells are below %ld\n", v, due);
}
static void pg_print_ways(void)
{
    int k, i;
    for (k = 0; k < PG_WAYS; k++)
        if (pg_went[k].programs || pg_tabled)
            printf("way %-16s %8ld programs, %ld failed, %.3f ms each\n", pg_ways[k].name,
                   pg_went[k].programs, pg_went[k].failed,
                   1000 * pg_went[k].seconds / (double)(pg_went[k].programs ? pg_went[k].programs : 1));
    for (i = 0; i < PG_REASONS && pg_reasons[i].count; i++)
        if (pg_tabled || strstr(pg_reasons[i].text, "tcc") || strstr(pg_reasons[i].text, "processor"))
            printf("%s, %ld times: %s\n", pg_ways[pg_reasons[i].way].name, pg_reasons[i].count,
                   pg_reasons[i].text);
    if (pg_int8_copies) printf("int8: %ld layers in %ld copies\n", pg_int8_layers, pg_int8_copies);
    if (pg_known_met) printf("%ld programs fail as is known, see pg_known_numbers\n", pg_known_met);
}
static void pg_print_total(void)
{
    if (pg_nudging.programs)
        printf("%ld programs differ by more than rounding promises, %ld of them by their own condition\n",
               pg_nudging.programs, pg_nudging.excuses);
    printf(
        "%ld programs (%ld wrong on purpose, %ld that fail otherwise, %ld with loops, "
        "%ld with random numbers, %.1f steps),\n"
        "%ld ways beside line by line, %ld failed, %.2f ms of CPU time a program\n",
        pg_total.programs, pg_total.wrong, pg_total.errors, pg_total.loops, pg_total.random,
        (double)pg_total.steps / (double)(pg_total.programs ? pg_total.programs : 1), pg_total.ways,
        pg_total.failed, 1000.0 * pg_total.seconds / (double)(pg_total.programs ? pg_total.programs : 1));
    if (pg_sized.calls)
        printf("%ld calls of a set of sizes, %ld of them by a program that took these on\n", pg_sized.calls,
               pg_sized.resizes);
}

/* All counts as lines, and read again: those of several processes add up. */
static void pg_print_cells(void)
{
    int i, k;
    for (i = 0; i < HY_OP_COUNT; i++)
        for (k = 0; k < PG_WAYS; k++)
            if (pg_table[i][k] || pg_refused[i][k])
                printf("cell %d %d %ld %ld\n", i, k, pg_table[i][k], pg_refused[i][k]);
    for (k = 0; k < PG_WAYS; k++)
        printf("went %d %ld %ld %.6f\n", k, pg_went[k].programs, pg_went[k].failed, pg_went[k].seconds);
    for (i = 0; i < PG_REASONS && pg_reasons[i].count; i++)
        printf("reason %d %ld %s\n", pg_reasons[i].way, pg_reasons[i].count, pg_reasons[i].text);
    printf("known %ld\n", pg_known_met);
    printf("int8 %ld %ld\n", pg_int8_layers, pg_int8_copies);
    printf("nudged %ld %ld\n", pg_nudging.programs, pg_nudging.excuses);
    printf("total %ld %ld %ld %ld %ld %ld %ld %ld %.6f\n", pg_total.programs, pg_total.wrong, pg_total.errors,
           pg_total.loops, pg_total.random, pg_total.failed, pg_total.ways, pg_total.steps, pg_total.seconds);
}
static int pg_merge(const char *name)
{
    char line[512], text[100];
    FILE *f = fopen(name, "r");
    long v[8];
    double seconds;
    int i, k;
    if (!f) { printf("%s cannot be read\n", name); return -1; }
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "cell %d %d %ld %ld", &i, &k, &v[0], &v[1]) == 4 && i >= 0 && i < HY_OP_COUNT &&
            k >= 0 && k < PG_WAYS) {
            pg_table[i][k] += v[0];
            pg_refused[i][k] += v[1];
        } else if (sscanf(line, "went %d %ld %ld %lf", &k, &v[0], &v[1], &seconds) == 4 && k >= 0 &&
                   k < PG_WAYS) {
            pg_went[k].programs += v[0];
            pg_went[k].failed += v[1];
            pg_went[k].seconds += seconds;
        } else if (sscanf(line, "reason %d %ld %99[^\n]", &k, &v[0], text) == 3 && k >= 0 && k < PG_WAYS) {
            for (i = 0; i < PG_REASONS - 1 && pg_reasons[i].count; i++)
                if (pg_reasons[i].way == k && !strcmp(pg_reasons[i].text, text)) break;
            strcpy(pg_reasons[i].text, text);
            pg_reasons[i].way = k;
            pg_reasons[i].count += v[0];
        } else if (sscanf(line, "known %ld", &v[0]) == 1)
            pg_known_met += v[0];
        else if (sscanf(line, "int8 %ld %ld", &v[0], &v[1]) == 2) {
            pg_int8_layers += v[0];
            pg_int8_copies += v[1];
        } else if (sscanf(line, "nudged %ld %ld", &v[0], &v[1]) == 2) {
            pg_nudging.programs += v[0];
            pg_nudging.excuses += v[1];
        } else if (sscanf(line, "total %ld %ld %ld %ld %ld %ld %ld %ld %lf", v, v + 1, v + 2, v + 3, v + 4,
                          v + 5, v + 6, v + 7, &seconds) == 9) {
            pg_total.programs += v[0];
            pg_total.wrong += v[1];
            pg_total.errors += v[2];
            pg_total.loops += v[3];
            pg_total.random += v[4];
            pg_total.failed += v[5];
            pg_total.ways += v[6];
            pg_total.steps += v[7];
            pg_total.seconds += seconds;
        }
    }
    return fclose(f);
}

/* --- a crash says where --- */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
void __sanitizer_set_death_callback(void (*fn)(void));
#else
static void pg_crashed(int number)
{
    printf("signal %d\n    program %llu, way %s\n", number, (unsigned long long)pg_now, pg_now_way);
    fflush(stdout);
    signal(number, SIG_DFL);
    raise(number);
}
#endif
static void pg_died(void)
{
    printf("the end\n    program %llu, way %s\n", (unsigned long long)pg_now, pg_now_way);
    fflush(stdout);
}
static void pg_catch(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    __sanitizer_set_death_callback(pg_died);
#else
    signal(SIGSEGV, pg_crashed);
    signal(SIGFPE, pg_crashed);
    signal(SIGABRT, pg_crashed);
    signal(SIGILL, pg_crashed);
    signal(SIGTERM, pg_crashed);
#ifdef SIGPROF
    signal(SIGPROF, pg_crashed);
#endif
#ifdef SIGALRM
    signal(SIGALRM, pg_crashed);
#endif
#ifdef SIGBUS
    signal(SIGBUS, pg_crashed);
#endif
    (void)pg_died;
#endif
}
#endif
