/* Arrays that grow: hy_extend beside hy_concat, in place and copied, by one frame and by several. */
static hy_array *grow_rows(hy_frame *F, int axis, int64_t n, double from)
{
    hy_shape s = HY_SHAPE(2, 3, 4);
    s.dim[axis] = n;
    return hy_view_reshape(F, hy_arange(F, from, from + (double)(24 / (axis + 2) * n), 1), s);
}
static int grow_same(hy_frame *F, hy_array *a, hy_array *b)
{
    return a && b && hy__same_shape(&a->t.type.shape, &b->t.type.shape) &&
        hy_item(F, hy_sum(F, hy_not_equal(F, a, b), HY_ALL, NULL)) == 0;
}
static int grow_there(const hy_array *x, const hy_array *y) { return x->t.data == y->t.data && x->buffer == y->buffer; }

/* Along each axis, from nothing: the numbers of concat; what is copied is copied seldom. */
static void grow_is_concat(void)
{
    hy_frame *F = hy_open(NULL);
    int axis, i;
    for (axis = -3; axis < 3; axis++) {
        const int at = axis < 0 ? axis + 3 : axis;
        hy_array *x = grow_rows(F, at, 0, 0), *all = x, *y;
        int copies = 0;
        for (i = 0; i < 40; i++) {
            hy_array *rows = grow_rows(F, at, i % 3, 100 * i);
            y = hy_extend(F, x, rows, axis);
            all = hy_concat(F, hy_group(F, all, rows), axis);
            FINE(F);
            if (!CHECK(grow_same(F, y, all))) break;
            copies += !grow_there(x, y);
            x = y;
        }
        CHECK(copies > 3 && copies < 10);
        CHECK(!memcmp(hy_data(F, x), hy_data(F, all), (size_t)hy__bytes(&all->t.type)));
    }
    FINE(F);
    CHECK(hy_close(F) == 0);
}

/* With room nothing is copied and nothing allocated. */
static void grow_with_room_allocates_nothing(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_with_room(F, hy_zeros(F, HY_SHAPE(2, 1, 3)), 1, 50), *first = x, *rows = hy_ones(F, HY_SHAPE(2, 1, 3));
    int64_t calls = 0;
    int i;
    CHECK(hy_with_room(F, x, -2, 50)->t.data == x->t.data && hy_with_room(F, x, 1, 51)->t.data != x->t.data);
    for (i = 0; i < 49; i++) {
        hy_array *y = hy_extend(F, x, rows, 1);
        if (i == 2) calls = hy_memory_use(F).calls;
        CHECK(grow_there(x, y));
        if (x != first) hy_free(F, x);
        x = y;
    }
    CHECK(hy_memory_use(F).calls == calls);
    CHECK(hy_item(F, hy_sum(F, x, HY_ALL, NULL)) == 2 * 49 * 3 && hy_item(F, hy_sum(F, first, HY_ALL, NULL)) == 0);
    CHECK(!grow_there(x, hy_extend(F, x, rows, 1)));            /* it is full */
    FINE(F);
    CHECK(!hy_with_room(F, x, 1, 49));
    FAILS(F, HY_ERROR_INDEX, "hy_with_room: axis 1, capacity 49 of shape (2,50,3)");
    CHECK(!hy_with_room(F, x, 3, 100));
    FAILS(F, HY_ERROR_INDEX, "axis 3");
    CHECK(!hy_with_room(F, x, 0, INT64_MAX));
    FAILS(F, HY_ERROR_MEMORY, "hy_with_room");
    CHECK(hy_close(F) == 0);
}

/* x stays what it was: who extends it a second time gets a copy, and so does who has gone back. */
static void grow_forks_and_goes_back(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_extend(F, hy_arange(F, 0, 4, 1), hy_arange(F, 4, 5, 1), 0), *y, *z, *w;
    y = hy_extend(F, x, hy_arange(F, 10, 12, 1), 0);
    z = hy_extend(F, x, hy_arange(F, 20, 22, 1), 0);
    CHECK(grow_there(x, y) && !grow_there(x, z));
    ARRAY_IS(F, x, 0, 1, 2, 3, 4);
    ARRAY_IS(F, y, 0, 1, 2, 3, 4, 10, 11);
    ARRAY_IS(F, z, 0, 1, 2, 3, 4, 20, 21);
    w = hy_view_slice(F, y, 0, 3, HY_NONE, 1);                  /* a window goes on where it ends */
    CHECK(hy_extend(F, w, hy_arange(F, 0, 0, 1), 0)->buffer == y->buffer);
    ARRAY_IS(F, hy_extend(F, w, hy_arange(F, 7, 8, 1), 0), 3, 4, 10, 11, 7);
    CHECK(hy_extend(F, hy_view_slice(F, y, 0, 0, 6, 1), hy_arange(F, 7, 8, 1), 0)->buffer != y->buffer);
    CHECK(hy_extend(F, hy_view_slice(F, y, 0, 0, HY_NONE, 2), hy_arange(F, 7, 8, 1), 0)->buffer != y->buffer);
    y = hy_with_room(F, hy_arange(F, 0, 4, 1), 0, 9);
    z = hy_extend(F, y, hy_arange(F, 4, 7, 1), 0);
    hy_free(F, z);                                              /* what was behind y is nobody's */
    z = hy_extend(F, y, hy_arange(F, 8, 9, 1), 0);
    CHECK(grow_there(y, z));
    ARRAY_IS(F, z, 0, 1, 2, 3, 8);
    z = hy_extend(F, y, hy_view_slice(F, z, 0, 1, 4, 1), 0);    /* rows out of the same memory */
    ARRAY_IS(F, z, 0, 1, 2, 3, 1, 2, 3);
    ARRAY_IS(F, hy_extend(F, z, z, 0), 0, 1, 2, 3, 1, 2, 3, 0, 1, 2, 3, 1, 2, 3);
    FINE(F);
    CHECK(hy_close(F) == 0);
}

/* Who writes does not write into what others have. */
static void grow_is_written_apart(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_with_room(F, hy_zeros(F, HY_SHAPE(2, 2)), 1, 8), *y = hy_extend(F, x, hy_ones(F, HY_SHAPE(2, 1)), 1), *v;
    hy_set_value(F, x, 5, 0, 0);
    ARRAY_IS(F, x, 5, 0, 0, 0);
    ARRAY_IS(F, y, 0, 0, 1, 0, 0, 1);
    CHECK(!grow_there(x, y));
    v = hy_view_index(F, y, 0, 1);
    hy_fill(F, v, 7);
    FAILS(F, HY_ERROR_STATE, "hy_extend or hy_with_room");
    hy_set_value(F, hy_view_slice(F, y, 1, 0, 2, 1), 7, 1, 1);  /* it could be an array that grew into y, and is none */
    FAILS(F, HY_ERROR_STATE, "hy_extend or hy_with_room");
    ARRAY_IS(F, y, 0, 0, 1, 0, 0, 1);
    hy_fill(F, y, 2);                                           /* y moves away from its view */
    ARRAY_IS(F, v, 0, 0, 1);
    ARRAY_IS(F, y, 2, 2, 2, 2, 2, 2);
    x = hy_extend(F, hy_zeros(F, HY_SHAPE(2, 2)), hy_ones(F, HY_SHAPE(2, 1)), 1);
    CHECK(!hy__packed(&x->t));
    ((float *)hy_write(F, x))[5] = 9;                           /* packed, and nobody else's */
    ARRAY_IS(F, x, 0, 0, 1, 0, 0, 9);
    x = hy_with_room(F, hy_zeros(F, HY_SHAPE(2)), 0, 8);
    v = x->buffer ? hy_view_slice(F, x, 0, 0, 1, 1) : NULL;
    hy_free(F, x);
    hy_fill(F, v, 3);                                           /* the only one left */
    ARRAY_IS(F, v, 3);
    FINE(F);
    CHECK(hy_close(F) == 0);
}

/* Of parameters, borrowed arrays and views it is a copy; other types, dims and axes are errors. */
static void grow_of_any_array(void)
{
    static float lent[] = { 1, 2, 3, 4 };
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_dense(F, 2, NULL);
    hy_array *x = hy_borrow(F, HY_SHAPE(2, 2), HY_F32, lent), *w, *g;
    ARRAY_IS(F, hy_extend(F, x, x, 0), 1, 2, 3, 4, 1, 2, 3, 4);
    ARRAY_IS(F, hy_extend(F, hy_view_transpose(F, x, HY_ALL), hy_zeros(F, HY_SHAPE(2, 1)), 1), 1, 3, 0, 2, 4, 0);
    hy_initialize(F, net, NULL);
    hy_call(F, net, x);
    w = hy_param(F, net, "weight");
    g = hy_extend(F, w, x, 0);
    CHECK(grow_same(F, g, hy_concat(F, hy_group(F, w, x), 0)) && w->buffer != g->buffer);
    FINE(F);
    CHECK(!hy_extend(F, x, hy_cast(F, x, HY_F64), 0));
    FAILS(F, HY_ERROR_DTYPE, "extend");
    CHECK(!hy_extend(F, x, hy_zeros(F, HY_SHAPE(2, 3)), 0));
    FAILS(F, HY_ERROR_SHAPE, "extend");
    CHECK(!hy_extend(F, x, x, 2));
    FAILS(F, HY_ERROR_INDEX, "extend");
    CHECK(!hy_extend(F, x, hy_zeros(F, HY_SHAPE(2)), 0));
    FAILS(F, HY_ERROR_SHAPE, "extend");
    CHECK(hy_close(F) == 0);
}

/* Recorded calls: gradients are those of concat, of x before and after. */
static void grow_is_recorded(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *a = hy_ones(F, HY_SHAPE(2, 2)), *b = hy_ones(F, HY_SHAPE(2, 2)), *x, *y;
    hy_attach_grad(F, a, HY_GRAD_WRITE);
    hy_attach_grad(F, b, HY_GRAD_WRITE);
    hy_record(F);
    x = hy_extend(F, hy_mul_scalar(F, a, 3), b, 1);
    y = hy_extend(F, hy_with_room(F, x, 1, 9), b, 1);
    CHECK(grow_there(x, y));
    y = hy_add(F, hy_sum(F, hy_mul(F, y, y), HY_ALL, NULL), hy_sum(F, x, HY_ALL, NULL));
    hy_backward(F, y, NULL);
    ARRAY_IS(F, hy_grad_of(F, a), 21, 21, 21, 21);
    ARRAY_IS(F, hy_grad_of(F, b), 5, 5, 5, 5);
    FINE(F);
    CHECK(hy_close(F) == 0);
}

/* Frames side by side that extend the same array: one in place, each right. */
typedef struct grow_race { hy_frame *F; hy_array *x; double mine; int good, there; } grow_race;
static void *grow_racing(void *arg)
{
    grow_race *r = (grow_race *)arg;
    hy_array *y = r->x;
    int i;
    hy_begin(r->F);
    for (i = 0; i < 6; i++) y = hy_extend(r->F, y, hy_full(r->F, HY_SHAPE(2, 1), r->mine), 1);
    r->there = y && y->buffer == r->x->buffer;
    r->good = y && hy_item(r->F, hy_sum(r->F, y, HY_ALL, NULL)) == 12 * r->mine + 6 &&
        hy_item(r->F, hy_sum(r->F, r->x, HY_ALL, NULL)) == 6;
    return NULL;
}
static void grow_in_frames_side_by_side(void)
{
    hy_frame *F = hy_open(NULL);
    grow_race race[3];
    pthread_t thread[3];
    int turn, i;
    for (i = 0; i < 3; i++) race[i].F = i ? hy_fork(F) : F;
    for (turn = 0; turn < 30; turn++) {
        hy_array *x;
        hy_begin(F);
        x = hy_with_room(F, hy_ones(F, HY_SHAPE(2, 3)), 1, 10);
        for (i = 0; i < 3; i++) { race[i].x = x; race[i].mine = i + 2; }
        for (i = 1; i < 3; i++) CHECK(!FRAME_START(&thread[i], grow_racing, &race[i]));
        grow_racing(&race[0]);
        for (i = 1; i < 3; i++) CHECK(!FRAME_JOIN(thread[i]));
        CHECK(race[0].good && race[1].good && race[2].good);
        CHECK(race[0].there + race[1].there + race[2].there <= 1);      /* all live still */
        for (i = 0; i < 3; i++) hy_end(race[i].F);
        hy_end(F);
    }
    for (i = 2; i >= 0; i--) { FINE(race[i].F); CHECK(hy_close(race[i].F) == 0); }
}

/* Random walks over a dozen arrays: extended, cut, freed, written; each is what concat made of it. */
static void grow_random_walks(void)
{
    hy_frame *F = hy_open(NULL);
    unsigned seed = 1;
    int step, i, k;
    hy_array *x[12], *want[12];
    for (i = 0; i < 12; i++) { x[i] = hy_keep(F, hy_zeros(F, HY_SHAPE(2, 2))); want[i] = hy_keep(F, hy_zeros(F, HY_SHAPE(2, 2))); }
    for (step = 0; step < 3000; step++) {
        hy_array *a = NULL, *b = NULL;
        hy_begin(F);
        seed = seed * 1103515245 + 12345;
        i = (int)(seed >> 8) % 12;
        k = (int)(seed >> 16) % 12;
        switch (!hy_size(F, x[i]) ? 5 : hy_size(F, x[i]) > 60 ? 0 : (seed >> 20) % 8) {
        case 0: a = hy_slice_axis(F, x[i], 1, 0, 1); b = hy_slice_axis(F, want[i], 1, 0, 1); break;
        case 1: a = hy_with_room(F, x[i], 1, 40); b = hy_copy(F, want[i]); break;
        case 2: hy_set_value(F, x[i], step, 1, 0); hy_set_value(F, want[i], step, 1, 0); break;
        case 3: a = hy_slice_axis(F, x[i], 1, 1, HY_NONE); b = hy_slice_axis(F, want[i], 1, 1, HY_NONE); break;
        case 4: a = hy_extend(F, x[i], x[k], 1); b = hy_concat(F, hy_group(F, want[i], want[k]), 1); break;
        default: b = hy_full(F, HY_SHAPE(2, 1), step);
                 a = hy_extend(F, x[i], b, -1); b = hy_concat(F, hy_group(F, want[i], b), 1);
        }
        if (a) {
            hy_free(F, x[k]);
            hy_free(F, want[k]);
            x[k] = hy_keep(F, a);
            want[k] = hy_keep(F, b);
        }
        for (k = 0; k < 12; k++) if (!CHECK(grow_same(F, x[k], want[k]))) { step = 3000; break; }
        hy_end(F);
    }
    FINE(F);
    CHECK(hy_close(F) == 0);
}

/* Attention and products read a cache where it lies, to the same bits as packed. */
static hy_array *grow_read(hy_frame *F, int how, hy_array *q, hy_array *k, hy_array *v)
{
    hy_attention_opt opt = { 0 };
    hy_linalg_gemm2_opt turn = { 0 };
    turn.transpose_b = how > 1;
    if (how == 0) return hy_attention(F, q, k, v, NULL);
    if (how == 1) { opt.causal = 1; opt.past = 3; return hy_attention(F, q, k, v, &opt); }
    if (how == 2) return hy_linalg_gemm2(F, q, k, &turn);
    if (how == 3) return hy_linalg_gemm2(F, hy_linalg_gemm2(F, q, k, &turn), v, NULL);
    if (how == 4) return hy_batch_dot(F, hy_linalg_gemm2(F, q, k, &turn), v, NULL);
    return hy_apply(F, "_npi_matmul", 2, (hy_array *[]){ hy_linalg_gemm2(F, q, k, &turn), v }, NULL);
}
static void grow_is_read_where_it_lies(void)
{
    static const int samples[] = { 1, 2, 1 }, heads[] = { 3, 2, 1 };
    hy_frame *F = hy_open(NULL);
    int how, i, t, n;
    for (t = 0; t < 2; t++) for (i = 0; i < 3; i++) {
        hy_shape one = HY_SHAPE(samples[i], heads[i], 1, 8);
        const hy_dtype dtype = t ? HY_BF16 : HY_F32;
        hy_array *k = hy_cast(F, hy_uniform(F, one, -1, 1), dtype), *v = hy_cast(F, hy_uniform(F, one, -1, 1), dtype);
        hy_array *q = hy_cast(F, hy_uniform(F, HY_SHAPE(samples[i], heads[i], 2, 8), -1, 1), dtype);
        k = hy_with_room(F, k, 2, 64);
        for (n = 1; n < 50; n += 1 + n / 4) {
            one.dim[2] = 1 + n / 4;
            k = hy_extend(F, k, hy_cast(F, hy_uniform(F, one, -1, 1), dtype), 2);
            v = hy_extend(F, v, hy_cast(F, hy_uniform(F, one, -1, 1), dtype), 2);
            for (how = 0; how < 6; how++) {
                hy_array *y = grow_read(F, how, q, k, v), *z = grow_read(F, how, q, hy_copy(F, k), hy_copy(F, v));
                FINE(F);
                if (!CHECK(y && z && !memcmp(hy_data(F, y), hy_data(F, z), (size_t)hy__bytes(&y->t.type)))) printf("    %d %d %d\n", t, i, how);
            }
        }
        CHECK(samples[i] * heads[i] == 1 || (!hy__packed(&k->t) && !hy__packed(&v->t)));
        CHECK(!grow_read(F, 0, q, k, q) && hy_error(F));
        hy_clear(F);
    }
    CHECK(hy_close(F) == 0);
}

/* Places outside of a cache, line by line, compiled and bound: the index is named, and the cache stays. */
static hy_array *grow_put(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_put_rows(F, hy_get(F, x, 0), hy_get(F, x, 1), hy_get(F, x, 2), 1);
}
static hy_block *grow_loaded(hy_frame *F, hy_block *net, hy_array *x)
{
    hy_array *file = hy_save_model_to(F, net, x);
    return file ? hy_load_model_from(F, hy_data(F, file), (size_t)hy_size(F, file), 0) : NULL;
}
static void grow_puts_rows(void)
{
    static char room[1 << 16];
    int way, i;
    for (way = 0; way < 4; way++) {                             /* the last one is saved and loaded */
        hy_frame *F = hy_open(NULL);
        hy_block *net = hy_block_new(F, sizeof(hy_block), "put", grow_put, 1);
        hy_array *x = hy_arange(F, 0, 8, 1), *r = hy_full(F, HY_SHAPE(2, 1), 9), *at = hy_cast(F, hy_full(F, HY_SHAPE(1), 2), HY_I64);
        x = hy_view_reshape(F, x, HY_SHAPE(2, 4));
        if (way) hy_hybridize(F, net, NULL);
        if (way == 3) net = grow_loaded(F, net, hy_group(F, x, r, at));
        CHECK(way != 2 || !hy_bind(F, net, hy_group(F, x, r, at), room, sizeof room));
        for (i = 0; i < 3; i++) {
            hy_begin(F);
            ARRAY_IS(F, hy_call(F, net, hy_group(F, x, r, at)), 0, 1, 9, 3, 4, 5, 9, 7);
            hy_end(F);
        }
        ARRAY_IS(F, x, 0, 1, 2, 3, 4, 5, 6, 7);
        FINE(F);
        for (i = 0; i < 2; i++) {
            hy_begin(F);
            hy_fill(F, at, i ? -1 : 4);
            CHECK(!hy_call(F, net, hy_group(F, x, r, at)));
            FAILS(F, HY_ERROR_INDEX, i ? "an index is out of range: -1, of 4" : "an index is out of range: 4, of 4");
            hy_end(F);
        }
        ARRAY_IS(F, x, 0, 1, 2, 3, 4, 5, 6, 7);
        CHECK(!hy_put_rows(F, x, r, hy_cast(F, at, HY_F32), 1));
        FAILS(F, HY_ERROR_DTYPE, "put_rows");
        CHECK(hy_close(F) == 0);
    }
}

/* Attention to the first rows of a cache: as to those alone; a length beyond is named, in each way. */
static hy_array *grow_attend(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_attention_opt opt = { 0 };
    (void)self;
    opt.use_length = 1;
    opt.length = hy_get(F, x, 2);
    return hy_attention(F, hy_get(F, x, 0), hy_get(F, x, 1), hy_get(F, x, 1), &opt);
}
static void grow_attends_to_a_length(void)
{
    static char room[1 << 18];
    int way, n;
    for (way = 0; way < 4; way++) {                             /* the last one is saved and loaded */
        hy_frame *F = hy_open(NULL);
        hy_block *net = hy_block_new(F, sizeof(hy_block), "attend", grow_attend, 1);
        hy_array *q = hy_uniform(F, HY_SHAPE(1, 2, 1, 8), -1, 1), *k = hy_uniform(F, HY_SHAPE(1, 2, 40, 8), -1, 1), *x, *y, *z;
        hy_array *length = hy_cast(F, hy_ones(F, HY_SCALAR), HY_I64);
        x = hy_group(F, q, k, length);
        if (way) hy_hybridize(F, net, NULL);
        if (way == 3) net = grow_loaded(F, net, x);
        CHECK(way != 2 || !hy_bind(F, net, x, room, sizeof room));
        for (n = 0; n < 44; n += 3) {
            hy_begin(F);
            hy_fill(F, length, n > 40 ? n % 2 ? -n : n : n);
            y = hy_call(F, net, x);
            if (n > 40) FAILS(F, HY_ERROR_INDEX, n % 2 ? "length goes beyond the rows: -" : "length goes beyond the rows: 42, of 40");
            else if (!n) CHECK(hy_item(F, hy_sum(F, hy_abs(F, y), HY_ALL, NULL)) == 0);
            else {
                z = hy_slice_axis(F, k, 2, 0, n);
                z = hy_attention(F, q, z, z, NULL);
                CHECK(hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, y, z)), HY_ALL, NULL)) < 1e-5);
            }
            FINE(F);
            hy_end(F);
        }
        CHECK(hy_close(F) == 0);
    }
}

static int grow_walked(hy_frame *F)
{
    hy_array *x = hy_arange(F, 0, 3, 1), *y = NULL;
    int i;
    for (i = 0; i < 8; i++) y = hy_extend(F, i == 3 ? hy_with_room(F, y, 0, 20) : i ? y : x, x, 0);
    hy_set_value(F, x, 9, 0);
    hy_set_value(F, y, 9, 0);
    return y && hy_item(F, hy_sum(F, y, HY_ALL, NULL)) == 36 && hy_size(F, y) == 27;
}
static void grow_where_memory_fails(void) { oom_walk(grow_walked, 1); }

static void test_grow(void)
{
    RUN(grow_is_concat);
    RUN(grow_with_room_allocates_nothing);
    RUN(grow_forks_and_goes_back);
    RUN(grow_is_written_apart);
    RUN(grow_of_any_array);
    RUN(grow_is_recorded);
    RUN(grow_in_frames_side_by_side);
    RUN(grow_random_walks);
    RUN(grow_is_read_where_it_lies);
    RUN(grow_puts_rows);
    RUN(grow_attends_to_a_length);
    RUN(grow_where_memory_fails);
}
