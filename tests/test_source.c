/* Programs as C source: every operator's reference cases are written, compiled by the system's compiler and compared
 * with the compiled program; networks likewise, and what is asked for wrongly. */

/* tcc is quickest; else the compiler that HYBRID_CC or `cc` names. NULL: there is none. */
static const char *source_compiler(void)
{
    static const char *found;
    if (found) return found;
    if (!system("command -v tcc > /dev/null 2>&1")) found = "tcc";
    else if (getenv("HYBRID_CC")) found = getenv("HYBRID_CC");
    else if (!system("command -v cc > /dev/null 2>&1")) found = "cc -O0";
    return found;
}

static int source_runs(const char *file)
{
    char command[600];
    sprintf(command, "%s -w -o source.run %s -lm > source.log 2>&1 && ./source.run >> source.log 2>&1", source_compiler(), file);
    if (!system(command)) return 1;
    sprintf(command, "tail -3 source.log; cp %s source.failed.c", file);
    return system(command) != system(command);
}

/* Operators that have no source: gradients, random numbers, and what values give a shape. */
static int source_is_left_out(const hy_op *op)
{
    static const char *const names[] = { "boolean_mask", "box_nms", "box_iou", "multibox_detection", "roi_pooling",
                                         "roi_align", "ctc_loss", NULL };
    const char *const *s = names;
    size_t n = strlen(op->name);
    if ((op->flags & HY_OP_RANDOM) && strcmp(op->name, "dropout") && strcmp(op->name, "leaky_relu") && strcmp(op->name, "rnn"))
        return 1;                                       /* these three draw in training only */
    for (; *s; s++) if (!strcmp(op->name, *s)) return 1;
    return op->name[0] == '_' && n > 5 && (!strcmp(op->name + n - 5, "_grad") || strstr(op->name, "_scale") ||
                                           strstr(op->name, "_gather") || strstr(op->name, "_window_sum"));
}

/* Writes a case as PREFIX.c; fixed: all inputs but the first are constants. -1: there is no source for it. */
static int source_case(hy_frame *F, const ops_row *row, const char *text, hy_dtype dtype, int fixed, const char *prefix)
{
    const hy_op *op = hy_op_at(F, row->number);
    hy_frame *S = hy_symbolic(F);
    hy_array *arg[REF_MAX], *given[REF_MAX], *s;
    hy_export_c_opt opt = { 0 };
    ops_inputs in;
    ops_case c;
    hy__c w;
    hy_graph *g = NULL;
    char file[64];
    int i, n = 0, done = 0, vars = 0;
    ops_open_case(&c, text);
    hy_begin(F);
    in = ops_arrays(F, op, &c, dtype, 0);
    for (i = 0; i < in.n; i++) {
        hy_var_opt var = { 0 };
        var.shaped = 1;
        var.shape = hy_shape_of(F, in.x[i]);
        var.dtype = hy_dtype_of(F, in.x[i]);
        arg[i] = fixed && i ? in.x[i] : hy_var(S, "x", &var);
        if (!(fixed && i)) given[vars++] = in.x[i];
    }
    s = c.ref.training || ops_mixes(op, &c, dtype) ? NULL : hy_apply(S, row->name, in.n, arg, c.attrs);
    hy_clear(S);
    g = s ? hy_compile(S, s) : NULL;
    if (g && vars) {
        sprintf(file, "%s.c", prefix);
        opt.prefix = prefix;
        if (!hy__c_open(&w, F, g, given, "a case", file, &opt)) done = !hy__c_to_files(&w, file, &opt);
        hy__c_close(&w);
        n = hy_error_code(F) == HY_ERROR_UNSUPPORTED ? -1 : 0;
        if (n) hy_clear(F);
        ops_complain(F, text);
    }
    hy_graph_free(F, g);
    hy_close(S);
    hy_end(F);
    ops_close_case(&c);
    return n ? n : done;
}

static void source_op(const void *what)
{
    const ops_row *row = (const ops_row *)what;
    hy_frame *F = hy_open(NULL);
    const hy_op *op = hy_op_at(F, row->number);
    const char *letters;
    char prefix[64];
    int k, n = 0, fixed, refused = 0;
    FILE *all = fopen("source.c", "w");
    for (letters = row->ref->dtypes; *letters; letters++)
        for (k = 0; row->ref->cases[k] && (k < 2 || *letters == 'f' || *letters == row->ref->dtypes[0]); k++)
            for (fixed = 0; fixed < 2; fixed++) {
                hy_dtype dtype = (hy_dtype)(strchr(ops_letters, *letters) - ops_letters);
                sprintf(prefix, "case%d", n);
                switch (source_case(F, row, row->ref->cases[k], dtype, fixed, prefix)) {
                case 1:
                    fprintf(all, "#define CASE%d_TEST\n#define main main%d\n#include \"case%d.c\"\n#undef main\n", n, n, n);
                    n++;
                    break;
                case -1: refused++;
                }
            }
    fprintf(all, "int main(void) { return 0");
    for (k = 0; k < n; k++) fprintf(all, " | main%d(0, 0)", k);
    fprintf(all, "; }\n");
    fclose(all);
    if (source_is_left_out(op)) CHECK(n == 0);
    else if (strcmp(op->name, "take") && strcmp(op->name, "dropout") && !CHECK(!refused)) printf("    no source for %s\n", op->name);
    if (n) CHECK(source_runs("source.c"));
    for (k = 0; k < n; k++) { sprintf(prefix, "case%d.c", k); remove(prefix); }
    hy_close(F);
}

static void test_source(void)
{
    size_t i;
    char name[64];
    if (!source_compiler()) return;
    for (i = 0; i < sizeof ops_rows / sizeof *ops_rows; i++) {
        sprintf(name, "source %s", ops_rows[i].name);
        if (!test_wanted(name)) continue;
        test_begin();
        source_op(&ops_rows[i]);
        test_end(name);
    }
}
