/* The numbers of a network line by line, compiled, and compiled on other threads, side by side. */
#ifndef MODES_H
#define MODES_H

/* A copy of y, to be freed; its frame is closed. */
static float *modes_take(hy_frame *F, hy_array *y, int64_t *n)
{
    float *v;
    *n = hy_size(F, y);
    v = (float *)calloc((size_t)*n + 1, sizeof *v);
    if (v && hy_data(F, y)) memcpy(v, hy_data(F, y), (size_t)*n * sizeof *v);
    if (hy_error(F)) printf("%s\n", hy_error(F));
    CHECK(hy_close(F) == 0);
    return v;
}

/* Compiled is about the same, and has the same bits on other threads. All are freed. */
static void modes_compare(float *plain, int64_t n, float *fast, int64_t m, float *again, int64_t l)
{
    int64_t i;
    CHECK(n > 0 && n == m && n == l);
    for (i = 0; i < n && n == m; i++)
        if (!(fabs((double)plain[i] - (double)fast[i]) <= 1e-5 * (1 + fabs((double)plain[i])))) break;
    CHECK(i == n);
    CHECK(n == l && !memcmp(fast, again, (size_t)n * sizeof *fast));
    free(plain);
    free(fast);
    free(again);
}

#endif
