/* cc -O2 tools/ops.c -o ops -lm -lpthread     Lists the operators: ops [NAME]; with a name its attributes. */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"

static void print_args(const char *title, const hy_arg *args)
{
    static const char *const kinds[] = { "", " (if asked for)", " (any number)", " (updated in training)", " (hidden)" };
    for (; args->name; args++) printf("  %-8s %s%s\n", title, args->name, kinds[args->kind]);
}

static void print_default(const hy_attr *a)
{
    if (a->missing == HY_REQUIRED) printf("required");
    else if (a->missing == HY_NONE) printf("None");
    else if (a->kind == HY_ATTR_enum) printf("%.*s", (int)strcspn(a->doc, "|:"), a->doc);
    else if (a->kind == HY_ATTR_dtype) printf("%s", a->missing != 0 ? hy_dtype_name((hy_dtype)(int)a->missing) : "that of the input");
    else if (a->kind == HY_ATTR_flag) printf("False");
    else if (a->kind == HY_ATTR_inv) printf("True");
    else if (a->kind == HY_ATTR_int || a->kind == HY_ATTR_real || a->kind == HY_ATTR_i64) printf("%g", a->missing);
    else printf("()");
}

static void print_op(const hy_op *op)
{
    const hy_attr *a;
    printf("hy_%s", op->name);
    if (op->mxnet) printf("   MXNet: %s", op->mxnet);
    if (op->aliases) printf("   also: %s", op->aliases);
    printf("\n  %s\n", op->doc);
    print_args("input", op->in);
    print_args("output", op->out);
    for (a = op->attr; a && a->name; a++) {
        printf("  %-8s %s = ", "attr", a->mxnet);
        print_default(a);
        if (strcmp(a->name, a->mxnet)) printf(" (field %s%s)", a->name, a->kind == HY_ATTR_inv ? ", the opposite" : "");
        printf(": %s\n", a->doc);
    }
}

int main(int argc, char **argv)
{
    hy_frame *F = hy_open(NULL);
    const hy_op *op;
    int i, mxnet = 0;
    if (argc > 1) {
        op = hy_op_find(F, argv[1]);
        if (op) print_op(op);
        else fprintf(stderr, "ops: there is no operator %s\n", argv[1]);
        hy_close(F);
        return op ? 0 : 1;
    }
    for (i = 0; (op = hy_op_at(F, i)) != NULL; i++) {
        if (op->name[0] != '_' || op->mxnet) printf("%-28s %-32s %s\n", op->name, op->mxnet ? op->mxnet : "", op->doc);
        mxnet += op->mxnet != NULL;
    }
    printf("%d operators, %d with a name in MXNet\n", i, mxnet);
    return hy_close(F);
}
