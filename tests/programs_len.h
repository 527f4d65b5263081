/* Programs whose forward asks for sizes by hy_len_of: steps that compute shapes, places and numbers of them,
 * and what is drawn of these. Inputs have dims that are symbols, and the program is called with several sizes
 * in turn: see programs_sizes.h. */
#ifndef PROGRAMS_LEN_H
#define PROGRAMS_LEN_H

/* What such a step does with its input: sizes are asked for as it runs. a: its numbers. kept: sizes that
 * forward asked for at its begin. */
PG_TEXT(len,
    typedef struct len_job {
        hy_frame *F;
        hy_array *x, *other;
        const int *a;
        const hy_len *kept;
        int nd, k;
        hy_len d[8];
    } len_job;
    static hy_array *len_number(len_job *J, hy_array *n)
    {
        return hy_mul_scalar(J->F, hy_cast(J->F, n, hy_dtype_of(J->F, J->x)), 0.0625);
    }
    static hy_len len_total(hy_frame *F, int n, const hy_len *d)
    {
        hy_len all = hy_len_is(1);
        int i;
        for (i = 0; i < n; i++) all = hy_len_mul(F, all, d[i]);
        return all;
    }
    static hy_array *len_take(hy_frame *F, hy_array *x, hy_array *at, int axis)
    {
        hy_take_opt wrap = { 0 };
        wrap.mode = HY_INDEX_WRAP;
        return hy_take(F, x, at, axis, &wrap);
    }
    static hy_array *len_shaped(hy_frame *F, hy_array *x, int n, const hy_len *to)
    {
        hy_len own[8], have, want = len_total(F, n, to);
        hy_array *zero;
        int i, nd = hy_ndim(F, x);
        for (i = 0; i < nd; i++) own[i] = hy_len_of(F, x, i);
        have = len_total(F, nd, own);
        if (hy_len_fixed(have) && hy_len_value(F, have) == 0) {
            zero = hy_cast(F, hy_zeros(F, HY_SHAPE(1)), hy_dtype_of(F, x));
            return n ? hy_len_broadcast_to(F, zero, n, to) : hy_reshape(F, zero, HY_EMPTY, NULL);
        }
        for (i = 0; i < n && n == nd; i++)
            if (!hy_len_same(own[i], to[i])) x = len_take(F, x, hy_len_arange(F, to[i]), i);
        if (n == nd) return x;
        x = hy_len_reshape(F, x, 1, &have);
        if (!hy_len_same(have, want)) x = len_take(F, x, hy_len_arange(F, want), 0);
        return hy_len_reshape(F, x, n, to);
    }
    static hy_len len_told(len_job *J, int seed)
    {
        hy_len have[12], v;
        unsigned r = (unsigned)seed * 2654435761u + 12345u;
        int i, n = 0, steps = 1 + (int)(r >> 8) % 3, m;
        for (i = 0; i < J->nd; i++) have[n++] = J->d[i];
        if (J->other && hy_ndim(J->F, J->other) > 0) have[n++] = hy_len_of(J->F, J->other, 0);
        for (i = 0; i < 3 && J->kept; i++) have[n++] = J->kept[i];
        v = have[(r >> 16) % (unsigned)n];
        for (i = 0; i < steps; i++) {
            hy_len w = have[((r = r * 1664525u + 1013904223u) >> 16) % (unsigned)n];
            m = 1 + (int)(r >> 28) % 3;
            switch ((r >> 22) % 10) {
            case 0: case 1: v = hy_len_add(J->F, v, w); break;
            case 2: v = hy_len_sub(J->F, v, w); break;
            case 3: v = hy_len_sub(J->F, v, hy_len_is(m)); break;
            case 4: v = hy_len_add(J->F, v, hy_len_is(m)); break;
            case 5: v = hy_len_mul(J->F, v, hy_len_is(m)); break;
            case 6: v = i ? v : hy_len_mul(J->F, v, w); break;
            case 7: v = hy_len_div(J->F, v, hy_len_is(m)); break;
            case 8: v = hy_len_div(J->F, v, hy_len_add(J->F, w, hy_len_is(1))); break;
            default: v = hy_len_sub(J->F, hy_len_mul(J->F, v, hy_len_is(2)), w);
            }
        }
        return v;
    }
    static hy_len len_count(len_job *J, int seed)
    {
        hy_len v = J->d[seed % J->nd];
        if (seed % 16 == 15) return len_told(J, seed);
        if (J->kept && seed % 3 == 0) v = J->kept[seed % 2];
        if (J->other && seed % 5 < 3 && hy_ndim(J->F, J->other) > 0) v = hy_len_of(J->F, J->other, 0);
        if (seed / 8 % 3 == 0) v = hy_len_add(J->F, v, J->d[J->k]);
        return seed / 8 % 3 == 1 ? hy_len_add(J->F, v, hy_len_is(1 + seed % 2)) : v;
    }
    static hy_array *len_merge(len_job *J)
    {
        hy_len to[8];
        int i, k = J->nd > 1 ? J->a[0] % (J->nd - 1) : 0;
        if (J->nd < 2) return hy_tanh(J->F, J->x);
        for (i = 0; i + 1 < J->nd; i++) to[i] = J->d[i + (i > k)];
        to[k] = hy_len_mul(J->F, J->d[k], J->d[k + 1]);
        return hy_len_reshape(J->F, J->x, J->nd - 1, to);
    }
    static hy_array *len_flat(len_job *J)
    {
        hy_len all = len_total(J->F, J->nd, J->d);
        return hy_len_reshape(J->F, J->x, 1, &all);
    }
    static hy_array *len_split(len_job *J)
    {
        hy_array *both = hy_group(J->F, J->x, hy_mul_scalar(J->F, J->x, 0.5));
        hy_len to[8];
        int i, k = J->k;
        if (J->nd > 5) return hy_sin(J->F, J->x);
        for (i = 0; i <= J->nd; i++) to[i] = J->d[i > k ? i - 1 : i < J->nd ? i : k];
        to[k] = J->a[1] % 2 ? hy_len_is(2) : J->d[k];
        to[k + 1] = J->a[1] % 2 ? J->d[k] : hy_len_is(2);
        return hy_len_reshape(J->F, hy_concat(J->F, both, k), J->nd + 1, to);
    }
    static hy_array *len_fold(len_job *J)
    {
        const int by = 2 + J->a[1] % 2;
        hy_len to[8], m = hy_len_div(J->F, J->d[J->k], hy_len_is(by));
        hy_array *x = J->x;
        int i;
        if (J->nd > 5) return hy_sin(J->F, x);
        for (i = 0; i <= J->nd; i++) to[i] = J->d[i > J->k ? i - 1 : i < J->nd ? i : J->k];
        to[J->k] = m;
        to[J->k + 1] = hy_len_is(by);
        x = len_take(J->F, x, hy_len_arange(J->F, hy_len_mul(J->F, m, hy_len_is(by))), J->k);
        return hy_len_reshape(J->F, x, J->nd + 1, to);
    }
    static hy_array *len_turn(len_job *J)
    {
        hy_ints axes;
        int i;
        axes.n = J->nd;
        for (i = 0; i < J->nd; i++)
            axes.v[i] = ((J->a[1] % 2 ? i : J->nd - 1 - i) + J->k) % J->nd;
        return hy_transpose(J->F, J->x, axes);
    }
    static hy_array *len_spread(len_job *J)
    {
        hy_len to[8];
        int i;
        if (J->nd > 5) return hy_sin(J->F, J->x);
        for (i = 0; i < J->nd; i++) to[i + (i >= J->k)] = J->d[i];
        to[J->k] = J->a[1] % 4 == 0 ? hy_len_is(J->a[1] % 3) : len_count(J, J->a[1]);
        return hy_len_broadcast_to(J->F, hy_expand_dims(J->F, J->x, J->k), J->nd + 1, to);
    }
    static hy_array *len_lead(len_job *J)
    {
        hy_len to[8];
        int i;
        if (J->nd > 5) return hy_sin(J->F, J->x);
        for (i = 0; i < J->nd; i++) to[i + 1] = J->d[i];
        to[0] = len_count(J, J->a[1]);
        return hy_len_broadcast_to(J->F, J->x, J->nd + 1, to);
    }
    static hy_array *len_ones(len_job *J)
    {
        hy_len to[8];
        int i, n = 0;
        for (i = 0; i < J->nd; i++) if (!hy_len_same(J->d[i], hy_len_is(1))) to[n++] = J->d[i];
        return hy_len_reshape(J->F, J->x, n, to);
    }
    static hy_array *len_weigh(len_job *J)
    {
        hy_len to[8];
        hy_array *at = len_number(J, hy_len_arange(J->F, J->d[J->k]));
        int i;
        for (i = 0; i < J->nd; i++) to[i] = hy_len_is(1);
        to[J->k] = J->d[J->k];
        at = hy_len_reshape(J->F, hy_add_scalar(J->F, at, 0.5), J->nd, to);
        return J->a[1] % 2 ? hy_mul(J->F, J->x, at) : hy_sub(J->F, at, J->x);
    }
    static hy_array *len_data(len_job *J)
    {
        hy_array *n = len_number(J, hy_len_array(J->F, len_told(J, J->a[1])));
        return J->a[0] % 2 ? hy_add(J->F, J->x, n) : hy_mul(J->F, n, J->x);
    }
    static hy_array *len_rows(len_job *J)
    {
        return len_take(J->F, J->x, hy_len_arange(J->F, len_count(J, J->a[1])), J->k);
    }
    static hy_array *len_shifted(len_job *J)
    {
        hy_array *at = hy_len_arange(J->F, len_count(J, J->a[1]));
        at = hy_add(J->F, at, hy_len_array(J->F, len_told(J, J->a[2])));
        return len_take(J->F, J->x, at, J->k);
    }
    static hy_array *len_back(len_job *J)
    {
        hy_array *last = hy_len_array(J->F, hy_len_sub(J->F, J->d[J->k], hy_len_is(1)));
        return len_take(J->F, J->x, hy_sub(J->F, last, hy_len_arange(J->F, J->d[J->k])), J->k);
    }
    static hy_array *len_grow(len_job *J)
    {
        hy_len m = len_count(J, J->a[1]);
        hy_array *more = len_take(J->F, hy_mul_scalar(J->F, J->x, 0.5), hy_len_arange(J->F, m), J->k);
        if (J->a[2] % 3 == 0) return hy_extend(J->F, J->x, more, J->k);
        return hy_concat(J->F, J->a[2] % 3 == 1 ? hy_group(J->F, J->x, more)
                                                : hy_group(J->F, more, J->x, more), J->k);
    }
    static hy_array *len_put(len_job *J)
    {
        hy_len at = hy_len_div(J->F, J->d[J->k], hy_len_is(2 + J->a[1] % 2));
        hy_array *row = hy_sin(J->F, hy_slice_axis(J->F, J->x, J->k, 0, 1));
        return hy_put_rows(J->F, J->x, row, hy_reshape(J->F, hy_len_array(J->F, at), HY_INTS(1), NULL), J->k);
    }
    static hy_array *len_value(len_job *J)
    {
        const int64_t m = hy_len_value(J->F, J->a[1] % 3 ? J->d[J->k] : len_told(J, J->a[1]));
        if (J->a[2] % 4 == 0) return hy_mul_scalar(J->F, J->x, (double)m * 0.125);
        if (J->a[2] % 4 == 1) return m > 4 ? hy_tanh(J->F, J->x) : hy_sin(J->F, J->x);
        if (J->a[2] % 4 == 2) return hy_slice_axis(J->F, J->x, J->k, 0, m > 2 ? (int)m - 1 : 1);
        return len_take(J->F, J->x, hy_arange(J->F, 0, m > 0 ? (double)m : 1, 1), J->k);
    }
    static hy_array *len_dim(len_job *J)
    {
        hy_ints to;
        int i;
        to.n = J->nd;
        for (i = 0; i < J->nd; i++) to.v[i] = J->a[1] >> i & 1 ? hy_dim(J->F, J->x, i) : 0;
        if (J->a[1] >> J->nd & 1) to.v[J->k] = -1;
        return hy_reshape(J->F, hy_mul_scalar(J->F, J->x, 0.5), to, NULL);
    }
    static hy_array *len_like(len_job *J)
    {
        hy_len to[8];
        int i, n = J->other ? hy_ndim(J->F, J->other) : 0;
        for (i = 0; i < n; i++) to[i] = hy_len_of(J->F, J->other, i);
        return J->other ? len_shaped(J->F, J->x, n, to) : J->x;
    }
    static hy_array *len_sum(len_job *J)
    {
        hy_len to[8];
        int i, n;
        hy_array *y;
        if (!J->other) return hy_sin(J->F, J->x);
        n = hy_ndim(J->F, J->other);
        for (i = 0; i < n; i++) to[i] = hy_len_of(J->F, J->other, i);
        if (n == J->nd) {
            for (i = 0; i < n && hy_len_same(to[i], J->d[i]); i++) continue;
            if (i == n) return hy_add(J->F, J->x, J->other);
        }
        y = len_shaped(J->F, J->other, J->nd, J->d);
        return hy_add(J->F, J->x, y);
    }
    static hy_array *len_fixed(len_job *J)
    {
        hy_len to[2];
        to[0] = hy_len_is(1 + J->a[1] % 3);
        to[1] = hy_len_is(2 + J->a[2] % 3);
        return len_shaped(J->F, J->x, J->a[0] % 2 + 1, to);
    }
    static hy_array *len_one(len_job *J)
    {
        return hy_reshape(J->F, hy_sum(J->F, J->x, HY_ALL, NULL), HY_INTS(1), NULL);
    }
    static hy_array *len_bound(len_job *J)
    {
        hy_len less = hy_len_sub(J->F, J->d[J->k], hy_len_is(1 + J->a[1] % 4));
        if (!hy_len_at_least(J->F, less, 0)) {
            const int64_t n = hy_len_value(J->F, less);
            less = hy_len_is(n < 0 ? 0 : n);
        }
        return len_take(J->F, J->x, hy_len_arange(J->F, less), J->k);
    }
    static hy_array *len_head(len_job *J)
    {
        hy_len c = hy_len_sub(J->F, J->d[J->k], hy_len_is(2));
        if (hy_len_at_least(J->F, c, 0)) return hy_slice_axis(J->F, J->x, J->k, 0, 2);
        return hy_slice_axis(J->F, J->x, J->k, 0, hy_len_value(J->F, J->d[J->k]) < 2 ? 1 : 2);
    }
    static hy_array *len_cube(len_job *J)
    {
        hy_len to[3];
        to[0] = len_total(J->F, J->nd - 2, J->d);
        to[1] = J->d[J->nd - 2];
        to[2] = J->d[J->nd - 1];
        return hy_len_reshape(J->F, J->x, 3, to);
    }
    static hy_array *len_scores(len_job *J)
    {
        hy_batch_dot_opt turned = { 0, 1 };
        hy_array *q = J->nd > 1 ? len_cube(J) : J->x;
        return J->nd > 1 ? hy_mul_scalar(J->F, hy_batch_dot(J->F, q, q, &turned), 0.5) : hy_sin(J->F, q);
    }
    static hy_array *len_mask(len_job *J)
    {
        hy_len row[2], col[2];
        hy_array *at, *to, *mask;
        if (J->nd < 2) return hy_sin(J->F, J->x);
        row[0] = col[1] = hy_len_is(1);
        row[1] = J->d[J->nd - 1];
        col[0] = J->d[J->nd - 2];
        at = hy_len_reshape(J->F, hy_len_arange(J->F, row[1]), 2, row);
        to = hy_len_reshape(J->F, hy_len_arange(J->F, col[0]), 2, col);
        if (J->a[1] % 2) to = hy_add(J->F, to, hy_len_array(J->F, hy_len_sub(J->F, row[1], col[0])));
        mask = hy_lesser_equal(J->F, at, to);
        if (J->a[1] % 3 == 0) mask = hy_len_broadcast_to(J->F, mask, J->nd, J->d);
        mask = hy_cast(J->F, mask, hy_dtype_of(J->F, J->x));
        return hy_add(J->F, J->x, hy_mul_scalar(J->F, hy_sub_scalar(J->F, mask, 1), J->a[2] % 2 ? 1000 : 4));
    }
    static hy_array *len_weighted(len_job *J)
    {
        hy_array *p = J->x, *v = J->other, *y;
        hy_len to[8];
        int i, n = v ? hy_ndim(J->F, v) : 0;
        len_job K = *J;
        if (n < 2 || J->nd != 3) return hy_sin(J->F, p);
        for (i = 0; i < n; i++) to[i] = hy_len_of(J->F, v, i);
        K.x = v;
        K.nd = n;
        for (i = 0; i < n; i++) K.d[i] = to[i];
        y = hy_batch_dot(J->F, p, len_cube(&K), NULL);
        return hy_len_reshape(J->F, y, n, to);
    }
    static hy_array *len_shape(len_job *J)
    {
        hy_array *s = hy_shape_array(J->F, J->x), *n = hy_size_array(J->F, J->x);
        s = len_number(J, hy_slice_axis(J->F, s, 0, J->k, J->k + 1));
        return J->a[1] % 2 ? hy_add(J->F, J->x, s) : hy_mul(J->F, J->x, len_number(J, n));
    }
    static hy_array *len_table(len_job *J)
    {
        hy_array *at = hy_len_arange(J->F, J->d[J->k]);
        hy_len to[8];
        int i;
        if (!J->other || hy_ndim(J->F, J->other) != 1) return hy_sin(J->F, J->x);
        for (i = 0; i < J->nd; i++) to[i] = hy_len_is(1);
        to[J->k] = J->d[J->k];
        at = len_take(J->F, J->other, at, 0);
        return hy_add(J->F, J->x, hy_len_reshape(J->F, at, J->nd, to));
    }
    static const struct len_row { const char *name; hy_array *(*run)(len_job *J); } len_steps[] = {
        { "merge", len_merge }, { "flat", len_flat }, { "split", len_split }, { "fold", len_fold },
        { "turn", len_turn }, { "spread", len_spread }, { "lead", len_lead }, { "ones", len_ones },
        { "weigh", len_weigh }, { "data", len_data }, { "rows", len_rows }, { "shifted", len_shifted },
        { "back", len_back }, { "grow", len_grow }, { "put", len_put }, { "value", len_value },
        { "dim", len_dim }, { "like", len_like }, { "sum", len_sum }, { "fixed", len_fixed },
        { "one", len_one }, { "bound", len_bound }, { "head", len_head }, { "scores", len_scores },
        { "mask", len_mask }, { "weighted", len_weighted }, { "shape", len_shape }, { "table", len_table },
    };
    static hy_array *len_step(hy_frame *F, const char *name, int n, hy_array **x, const int *a,
                              const hy_len *kept)
    {
        len_job J;
        int i;
        J.F = F;
        J.x = x[0];
        J.other = n > 1 ? x[1] : NULL;
        J.a = a;
        J.kept = a[3] ? kept : NULL;
        J.nd = hy_ndim(F, x[0]);
        if (hy_error(F)) return NULL;
        if (J.nd < 1) return hy_tanh(F, x[0]);
        J.k = a[0] % J.nd;
        for (i = 0; i < J.nd; i++) J.d[i] = hy_len_of(F, x[0], i);
        for (i = 0; i < (int)(sizeof len_steps / sizeof *len_steps); i++)
            if (!strcmp(name, len_steps[i].name)) return len_steps[i].run(&J);
        return NULL;
    }
)
#endif
