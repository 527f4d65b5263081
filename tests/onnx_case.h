/* Cases of ONNX: a folder each, with model.onnx, case.txt and arrays as .npy; case.txt has a line for each array:
 *     tol RTOL ATOL
 *     input SET INDEX NAME DTYPE RANK DIMS... FILE          output SET INDEX NAME DTYPE RANK DIMS... FILE
 */
enum { ONNX_MOST = 64 };

typedef struct onnx_case {
    char   folder[1024];
    double rtol, atol;
    int    inputs, outputs, sets;
    char   input[ONNX_MOST][64], output[ONNX_MOST][64], name[ONNX_MOST][128];  /* files; names of inputs */
    int    input_set[ONNX_MOST], output_set[ONNX_MOST], place[ONNX_MOST];
} onnx_case;

static int onnx_read_case(onnx_case *c)
{
    char path[1100], line[4096], word[4], name[512], dtype[32], *at;
    int set, index, rank, n, i;
    FILE *f;
    snprintf(path, sizeof path, "%s/case.txt", c->folder);
    f = fopen(path, "r");
    if (!f) return 0;
    c->inputs = c->outputs = c->sets = 0;
    c->rtol = 1e-3;
    c->atol = 1e-7;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        sscanf(line, "tol %lf %lf", &c->rtol, &c->atol);
        if (sscanf(line, "%3s", word) != 1 || (strcmp(word, "inp") && strcmp(word, "out"))) continue;
        if (sscanf(line, "%*s %d %d %511s %31s %d%n", &set, &index, name, dtype, &rank, &n) != 5) continue;
        at = line + n;
        for (i = 0; i < rank; i++) strtol(at, &at, 10);
        while (*at == ' ') at++;
        if (set >= c->sets) c->sets = set + 1;
        if (*word == 'i' && c->inputs < ONNX_MOST) {
            snprintf(c->input[c->inputs], 64, "%.63s", at);
            snprintf(c->name[c->inputs], 128, "%.127s", name);
            c->place[c->inputs] = index;
            c->input_set[c->inputs++] = set;
        } else if (*word == 'o' && c->outputs < ONNX_MOST) {
            snprintf(c->output[c->outputs], 64, "%.63s", at);
            c->output_set[c->outputs++] = set;
        }
    }
    fclose(f);
    return 1;
}

static hy_array *onnx_read_array(hy_frame *F, const onnx_case *c, const char *file)
{
    char path[1200];
    hy_arrays a;
    snprintf(path, sizeof path, "%s/%s", c->folder, file);
    a = hy_load(F, path);
    return a.n == 1 ? a.at[0] : NULL;
}

/* What is wrong with got, or NULL. */
static const char *onnx_compare(hy_frame *F, const onnx_case *c, hy_array *got, hy_array *want)
{
    static char text[300];
    hy_shape a, b;
    int64_t i, n;
    double *x, *y;
    if (!got || !want) return "nothing";
    a = hy_shape_of(F, got);
    b = hy_shape_of(F, want);
    if (!onnx__same_shape(a, b)) {
        snprintf(text, sizeof text, "shape: %d dims (%d ...) for %d (%d ...)", a.ndim, a.ndim ? (int)a.dim[0]
                 : 0, b.ndim,
                 b.ndim ? (int)b.dim[0] : 0);
        return text;
    }
    if (hy_dtype_of(F, got) != hy_dtype_of(F, want)) {
        snprintf(text, sizeof text, "type: %s for %s", hy_dtype_name(hy_dtype_of(F, got)),
                 hy_dtype_name(hy_dtype_of(F, want)));
        return text;
    }
    n = hy_size(F, got);
    x = (double *)malloc(sizeof *x * (size_t)(n + 1));
    y = (double *)malloc(sizeof *y * (size_t)(n + 1));
    *text = 0;
    if (n && (!hy_to(F, got, HY_F64, x, sizeof *x * (size_t)n) ||
              !hy_to(F, want, HY_F64, y, sizeof *y * (size_t)n)))
        strcpy(text, "not readable");
    for (i = 0; i < n && !*text; i++) {
        int fine = isnan(y[i]) ? isnan(x[i]) : isinf(y[i]) ? x[i] == y[i]
            : fabs(x[i] - y[i]) <= c->atol + c->rtol * fabs(y[i]);
        if (!fine) snprintf(text, sizeof text, "value %d of %d: %.9g for %.9g", (int)i, (int)n, x[i], y[i]);
    }
    free(x);
    free(y);
    return *text ? text : NULL;
}

/* One set, twice where compiled: the second call takes the program of the first. NULL, or what went wrong. */
static const char *onnx_run_set(hy_frame *F, const onnx_case *c, hy_block *net, int set)
{
    static char text[1200];
    hy_array *in[ONNX_MOST], *y;
    const char *why = NULL, *name;
    int i, k, n = 0;
    for (; !hy_onnx_input(net, n, &name, NULL); n++)
        for (in[n] = NULL, i = 0; i < c->inputs; i++)
            if (c->input_set[i] == set && !strcmp(c->name[i], name))
                in[n] = onnx_read_array(F, c, c->input[i]);
    y = hy_call(F, net, n == 1 ? in[0] : n ? hy_group_of(F, n, in) : hy_scalar(F, 0));
    for (i = k = 0; i < c->outputs && !why && !hy_error(F); i++) {
        if (c->output_set[i] != set) continue;
        why = onnx_compare(F, c, hy_count(F, y) > 1 ? hy_get(F, y, k) : y,
                           onnx_read_array(F, c, c->output[i]));
        k++;
    }
    if (!hy_error(F)) return why;
    snprintf(text, sizeof text, "%.1100s", hy_error(F));
    hy_clear(F);
    return text;
}

static const char *onnx_run_case(const onnx_case *c, int compiled)
{
    static char text[2500];
    hy_frame *F = hy_open(NULL);
    char path[1200];
    const char *why = NULL;
    hy_block *net;
    int set, turn;
    snprintf(path, sizeof path, "%s/model.onnx", c->folder);
    net = hy_onnx_load(F, path);
    if (net && compiled) hy_hybridize(F, net, NULL);
    for (set = 0; net && set < c->sets && !why; set++)
        for (turn = 0; turn < 1 + compiled && !why; turn++) {
            hy_begin(F);
            why = onnx_run_set(F, c, net, set);
            hy_end(F);
        }
    if (hy_error(F) || why) snprintf(text, sizeof text, "%s", hy_error(F) ? hy_error(F) : why);
    why = hy_error(F) || why ? text : NULL;
    hy_clear(F);
    hy_close(F);
    return why;
}
