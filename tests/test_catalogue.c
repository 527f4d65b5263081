/* The prototypes of >>operators are those of the operators' rows. */
#include "../tools/prototype.h"

/* Text without its line ends and margins: how lines are broken is a matter of taste. */
static void catalogue_flatten(char *text)
{
    char *to = text;
    int space = 0;
    for (; *text; text++) {
        if (*text == ' ' || *text == '\n') { space = 1; continue; }
        if (space) *to++ = ' ';
        space = 0;
        *to++ = *text;
    }
    *to = 0;
}

static int catalogue_count(const char *text, const char *what)
{
    int n = 0;
    while ((text = strstr(text, what)) != NULL) { n++; text++; }
    return n;
}

static char *catalogue_list(void)
{
    static const char begin[] = " >>operators ---", end[] = " >>api ---";
    FILE *file = fopen("tests/../hybrid.h", "rb");
    size_t most = 16 << 20, n;
    char *text = (char *)malloc(most), *from, *to;
    if (!CHECK(file != NULL) || !CHECK(text != NULL)) { free(text); return NULL; }
    n = fread(text, 1, most - 1, file);
    fclose(file);
    text[n] = 0;
    from = strstr(text, begin);
    to = from ? strstr(from, end) : NULL;
    if (!CHECK(to != NULL)) { free(text); return NULL; }
    *to = 0;
    memmove(text, from, strlen(from) + 1);
    catalogue_flatten(text);
    return text;
}

/* One operator: options where they are its own, function, what it gives. */
static void catalogue_of(prototype *p, const hy_op *op, const hy_op *sum)
{
    const char *options = prototype_options(op, sum);
    char doc[300];
    memset(p, 0, sizeof *p);
    if (options && (op == sum || op->attr != sum->attr)) prototype_struct(p, options, op);
    prototype_function(p, op, options, "HY_API ");
    p->indent = 4;
    snprintf(doc, sizeof doc, " /* %s */", op->doc);
    prototype_add(p, doc);
}

static void catalogue_is_written_out(void)
{
    hy_frame *F = hy_open(NULL);
    const hy_op *op, *sum = hy_op_find(F, "sum");
    char *list = catalogue_list();
    int i, structs = 0;
    for (i = 0; list && (op = hy_op_at(F, i)) != NULL; i++) {
        prototype p;
        catalogue_of(&p, op, sum);
        structs += strstr(p.text, "typedef struct") != NULL;
        catalogue_flatten(p.text);
        if (strstr(list, p.text)) continue;
        CHECK(!"the list of prototypes has this line");
        catalogue_of(&p, op, sum);
        printf("    into >>operators of hybrid.h, where hy_%s stands:\n%s\n", i ? hy_op_at(F, i - 1)->name : op->name, p.text);
    }
    if (list) CHECK(catalogue_count(list, "HY_API hy_array *hy_") == i);
    if (list) CHECK(catalogue_count(list, "typedef struct") == structs);
    free(list);
    CHECK(hy_close(F) == 0);
}

/* Where each argument is one array an operator is asked for no numbers. */
static void catalogue_counts_what_varies(void)
{
    hy_frame *F = hy_open(NULL);
    const hy_op *op;
    const hy_arg *arg;
    int i, side, varies, asked = 0;
    for (i = 0; (op = hy_op_at(F, i)) != NULL; i++) {
        for (side = varies = 0; side < 2; side++)
            for (arg = side ? op->out : op->in; arg->name; arg++)
                varies |= arg->kind != HY_ARG_ONE && arg->kind != HY_ARG_AUX;
        if (!CHECK((op->count != NULL) == varies)) printf("    %s\n", op->name);
        asked += varies;
    }
    CHECK(asked > 30 && asked < i / 4);
    CHECK(hy_close(F) == 0);
}

static void test_catalogue(void)
{
    RUN(catalogue_is_written_out);
    RUN(catalogue_counts_what_varies);
}
