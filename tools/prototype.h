/* An operator's options and prototype as C, written from its tables: as they stand in >>operators. */
#ifndef PROTOTYPE_H
#define PROTOTYPE_H
#include <stdio.h>
#include <string.h>

enum { PROTOTYPE_COLUMNS = 110, PROTOTYPE_BYTES = 4000 };

typedef struct prototype { char text[PROTOTYPE_BYTES]; size_t used; int column, indent; } prototype;

/* A piece goes to the next line when it does not fit into this one. */
static void prototype_add(prototype *p, const char *piece)
{
    int length = (int)strlen(piece);
    if (p->used + (size_t)length + (size_t)p->indent + 2 > sizeof p->text) return;
    if (p->column + length > PROTOTYPE_COLUMNS) {
        piece += *piece == ' ';
        length = (int)strlen(piece);
        p->used += (size_t)sprintf(p->text + p->used, "\n%*s", p->indent, "");
        p->column = p->indent;
    }
    p->used += (size_t)sprintf(p->text + p->used, "%s", piece);
    p->column += length;
}

static void prototype_line(prototype *p, int indent)
{
    if (p->used + 1 < sizeof p->text) p->text[p->used++] = '\n';
    p->text[p->used] = 0;
    p->column = 0;
    p->indent = indent;
}

static const char *prototype_type(hy_attr_kind kind)
{
    switch (kind) {
    case HY_ATTR_i64:   return "int64_t ";
    case HY_ATTR_real:  return "double ";
    case HY_ATTR_dtype: return "hy_dtype ";
    case HY_ATTR_shape: return "hy_shape ";
    case HY_ATTR_ints:
    case HY_ATTR_oints: return "hy_ints ";
    case HY_ATTR_reals: return "hy_reals ";
    default:            return "int ";
    }
}

/* The default of an option as a comment, if it is not 0. */
static const char *prototype_default(const hy_attr *a, char *text, size_t size)
{
    text[0] = 0;
    if (a->missing == HY_NONE) snprintf(text, size, " /* none */");
    else if (a->kind == HY_ATTR_dtype && a->missing == HY_F32) snprintf(text, size, " /* HY_F32 */");
    else if (a->missing != 0) snprintf(text, size, " /* %g */", a->missing);
    return text;
}

/* What hy_NAME_opt is called by: reductions share one. */
static const char *prototype_options(const hy_op *op, const hy_op *sum)
{
    const hy_attr *a;
    for (a = op->attr; a && a->name; a++) if (a->option) return op->attr == sum->attr ? "reduce" : op->name;
    return NULL;
}

static void prototype_struct(prototype *p, const char *options, const hy_op *op)
{
    const hy_attr *a = op->attr;
    const hy_arg *in = op->in;
    char piece[300], otherwise[60];
    p->indent = 4;
    snprintf(piece, sizeof piece, "typedef struct hy_%s_opt {", options);
    for (; a->name; a++) {
        if (!a->option) continue;
        prototype_add(p, piece);
        snprintf(piece, sizeof piece, " %s%s%s;", prototype_type(a->kind), a->name,
                 prototype_default(a, otherwise, sizeof otherwise));
    }
    for (; in->name; in++) {
        if (in->kind != HY_ARG_RARE) continue;
        prototype_add(p, piece);
        snprintf(piece, sizeof piece, " hy_array *%s;", in->name);
    }
    snprintf(piece + strlen(piece), sizeof piece - strlen(piece), " } hy_%s_opt;", options);
    prototype_add(p, piece);
    prototype_line(p, 0);
}

/* The argument before is complete when the next one is known, or the end. */
static void prototype_argument(prototype *p, char argument[300], const char *type, const char *name)
{
    char next[300];
    snprintf(next, sizeof next, " %s%s", type, name);
    strcat(argument, ",");
    prototype_add(p, argument);
    strcpy(argument, next);
}

/* The function; `before` is HY_API in the header. */
static void prototype_function(prototype *p, const hy_op *op, const char *options, const char *before)
{
    const hy_arg *in = op->in;
    const hy_attr *a;
    char argument[300], type[200];
    p->indent = snprintf(argument, sizeof argument - 20, "%shy_array *hy_%s(", before, op->name);
    strcat(argument, "hy_frame *F");
    for (; in->name; in++)
        if (in->kind != HY_ARG_RARE) prototype_argument(p, argument, "hy_array *", in->name);
    for (a = op->attr; a && a->name; a++)
        if (!a->option) prototype_argument(p, argument, prototype_type(a->kind), a->name);
    snprintf(type, sizeof type, "const hy_%s_opt *", options ? options : "");
    if (options) prototype_argument(p, argument, type, "opt");
    strcat(argument, ");");
    prototype_add(p, argument);
}
#endif
