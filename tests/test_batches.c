/* Samplers, samples chosen from a dataset, and batchify: orders and batches as MXNet's gluon.data has them. */
#ifndef HYBRID_NO_TRAIN

/* --- orders --- */
static int64_t batches_backward(void *user, int64_t epoch, uint64_t random, int64_t *numbers, int64_t length)
{
    int64_t i, n = *(const int64_t *)user;
    (void)random;
    if (n < 0) return n;
    for (i = 0; i < n && i < length; i++) numbers[i] = length - 1 - (i + epoch) % length;
    return n;
}
static int batches_thirds(void *user, int64_t i, const hy_part *sample)
{
    if (user && i == *(int64_t *)user) return -1;
    return sample->type.shape.ndim == 0 && *(const float *)sample->data == (float)(i * i) && i % 3 == 0;
}
static int batches_square(void *user, int64_t i, uint64_t random, const void *const *in, void *const *out)
{
    (void)user; (void)random; (void)in;
    *(float *)out[0] = (float)(i * i);
    return 0;
}
static hy_dataset *batches_squares(hy_frame *F, int64_t n)
{
    static const hy_type type = { HY_F32, { 0, { 0 } } };
    return hy_dataset_of(F, n, 1, &type, batches_square, NULL);
}

static const char *batches_numbers(hy_frame *F, hy_sampler *S, int64_t epoch)
{
    static char text[400];
    hy_array *x = hy_sampler_numbers(F, S, epoch);
    int64_t i;
    int n = 0;
    text[0] = 0;
    for (i = 0; x && i < hy_dim(F, x, 0); i++) n += sprintf(text + n, "%s%g", i ? " " : "", hy_value(F, x, i));
    return text;
}

static void batches_orders(void)
{
    hy_frame *F = hy_open(NULL);
    int64_t four = 4;
    hy_sampler *S = hy_sampler_sequential(F, 5, 3);
    CHECK_STR(batches_numbers(F, S, 0), "3 4 5 6 7");
    CHECK_STR(batches_numbers(F, S, 9), "3 4 5 6 7");
    CHECK_STR(batches_numbers(F, hy_sampler_sequential(F, 0, 3), 0), "");
    CHECK_STR(batches_numbers(F, hy_sampler_interval(F, 13, 3, 0), 0), "0 3 6 9 12 1 4 7 10 2 5 8 11");
    CHECK_STR(batches_numbers(F, hy_sampler_interval(F, 13, 3, 1), 0), "0 3 6 9 12");
    CHECK_STR(batches_numbers(F, hy_sampler_interval(F, 4, 4, 0), 0), "0 1 2 3");
    CHECK_STR(batches_numbers(F, hy_sampler_filter(F, batches_squares(F, 11), batches_thirds, NULL), 0), "0 3 6 9");
    S = hy_sampler_of(F, 6, batches_backward, &four);
    CHECK_STR(batches_numbers(F, S, 0), "5 4 3 2");
    CHECK_STR(batches_numbers(F, S, 4), "1 0 5 4");
    CHECK(hy_close(F) == 0);
}

/* A random order has each number once, another in each epoch, and each number in each place about as often. */
static void batches_random(void)
{
    enum { N = 6, EPOCHS = 3000 };
    hy_frame *F = hy_open(NULL);
    hy_sampler *S = hy_sampler_random(F, N, 17), *other = hy_sampler_random(F, N, 18);
    int count[N][N], e, i, k, same = 0, apart = 0;
    memset(count, 0, sizeof count);
    for (e = 0; e < EPOCHS; e++) {
        const int64_t *at, *to;
        int seen = 0;
        hy_begin(F);
        at = (const int64_t *)hy_data(F, hy_sampler_numbers(F, S, e));
        to = (const int64_t *)hy_data(F, hy_sampler_numbers(F, other, e));
        for (i = 0; i < N; i++) { seen |= 1 << at[i]; count[i][at[i]]++; apart += at[i] != to[i]; }
        CHECK(seen == (1 << N) - 1);
        to = (const int64_t *)hy_data(F, hy_sampler_numbers(F, S, e + 1));
        for (i = 0; i < N && at[i] == to[i]; i++) continue;
        same += i == N;
        hy_end(F);
    }
    CHECK(same < EPOCHS / 200 && apart > EPOCHS * N / 2);
    for (i = 0; i < N; i++)             /* 500 due, 20 is the deviation */
        for (k = 0; k < N; k++) CHECK(count[i][k] > 400 && count[i][k] < 600);
    CHECK(hy_close(F) == 0);
}

/* --- a loader's batches --- */
typedef struct batches_how {
    hy_loader_opt opt;
    int64_t size;
    int threads, given_up;              /* batches of the second epoch, which is given up then; 0: it is not */
} batches_how;
typedef hy_loader *(*batches_make)(hy_frame *F, batches_how *how);

/* A host's job system, last item first; its jobs may not begin others. */
static void batches_jobs(void *user, int64_t n, hy_item_fn fn, void *arg)
{
    int *inside = (int *)user;
    CHECK(!*inside);
    for (*inside = 1; n-- > 0; ) fn(arg, n, (int)(n & 1));
    *inside = 0;
}
static hy_frame *batches_open(int threads, int *inside)
{
    hy_desc desc;
    memset(&desc, 0, sizeof desc);
    *inside = 0;
    desc.threads = threads < 4 ? threads : 2;
    if (threads == 4) { desc.parallel_for = batches_jobs; desc.parallel_user = inside; }
    return hy_open(&desc);
}

/* Epochs as text: numbers of the first part's first column, `|` behind batches; \n behind epochs. */
static int batches_epochs(batches_make make, batches_how *how, int epochs, char *text, size_t room)
{
    int e, n = 0, inside;
    hy_frame *F = batches_open(how->threads, &inside);
    hy_loader *L = make(F, how);
    size_t hash = 0;
    for (e = 0; e < epochs && !hy_error(F); e++) {
        int64_t due = hy_loader_length(F, L), seen = 0, i, m;
        for (;; seen++) {
            hy_array *batch, *x;
            const unsigned char *bytes;
            if (e == 1 && how->given_up && seen == how->given_up) { hy_loader_rewind(F, L); seen = due; break; }
            hy_begin(F);
            batch = hy_next(F, L);
            if (!batch) { hy_end(F); break; }
            x = hy_count(F, batch) > 1 ? hy_get(F, batch, 0) : batch;
            for (i = 0; i < hy_count(F, batch); i++) {          /* every bit of it */
                hy_array *part = hy_get(F, batch, (int)i);
                bytes = (const unsigned char *)hy_data(F, part);
                for (m = hy_size(F, part) * (int64_t)hy_dtype_size(hy_dtype_of(F, part)); m > 0; m--)
                    hash = hash * 31 + *bytes++;
            }
            for (i = 0; i < hy_dim(F, x, 0) && (size_t)n + 40 < room; i++)
                n += sprintf(text + n, "%g ", hy_value(F, hy_reshape(F, x, HY_INTS(-1), NULL),
                                                      i * (hy_size(F, x) / hy_dim(F, x, 0))));
            n += sprintf(text + n, "| ");
            hy_end(F);
        }
        CHECK(seen == due);
        n += sprintf(text + n, "\n");
    }
    sprintf(text + n, "%llx", (unsigned long long)hash);
    if (hy_error(F)) printf("    %s\n", hy_error(F));
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
    return n;                           /* without the hash */
}

/* The same for any number of workers, threads and batches ahead, in an epoch given up too. */
static void batches_all_ways(batches_make make, batches_how *how, int epochs, const char *want)
{
    static const int workers[] = { 0, 1, 3, 7 };
    static char first[2][4000], text[4000];
    int k, up, threads, n;
    for (up = 0; up < 2; up++)
        for (k = 0; k < 4; k++)
            for (threads = 1; threads < 5; threads += threads < 3 ? 2 : 1) {       /* 4: the host's */
                how->opt.num_workers = workers[k];
                how->opt.prefetch = k == 2 ? 2 : threads == 3 ? 1 + k : 0;
                how->threads = threads;
                how->given_up = up;
                n = batches_epochs(make, how, epochs, k || threads > 1 ? text : first[up], sizeof text);
                if (k || threads > 1) CHECK_STR(text, first[up]);
                if (!k && threads == 1 && !up && want && !CHECK(!strncmp(first[0], want, (size_t)n) && want[n] == 0))
                    printf("    want %s    got  %s\n", want, first[0]);
            }
}

static hy_loader *batches_sampled(hy_frame *F, batches_how *how)
{
    how->opt.sampler = hy_sampler_interval(F, 7, 2, 0);
    return hy_loader_new(F, batches_squares(F, 7), how->size, &how->opt);
}
static hy_loader *batches_batched(hy_frame *F, batches_how *how)
{
    hy_loader_opt o = how->opt;
    hy_sampler *S = hy_sampler_batch(F, hy_sampler_interval(F, 7, 2, 0), how->size, o.last_batch);
    o.last_batch = 0;
    o.sampler = NULL;
    o.batch_sampler = S;
    return hy_loader_new(F, batches_squares(F, 7), 0, &o);
}

/* What mxnet.gluon.data gives for these, beside the same by a sampler of batches. */
static void batches_last_ones(void)
{
    batches_how how;
    memset(&how, 0, sizeof how);
    how.size = 3;
    batches_all_ways(batches_sampled, &how, 3, "0 4 16 | 36 1 9 | 25 | \n0 4 16 | 36 1 9 | 25 | \n"
                     "0 4 16 | 36 1 9 | 25 | \n");
    batches_all_ways(batches_batched, &how, 1, "0 4 16 | 36 1 9 | 25 | \n");
    how.opt.last_batch = HY_LAST_DISCARD;
    batches_all_ways(batches_sampled, &how, 2, "0 4 16 | 36 1 9 | \n0 4 16 | 36 1 9 | \n");
    batches_all_ways(batches_batched, &how, 2, "0 4 16 | 36 1 9 | \n0 4 16 | 36 1 9 | \n");
    how.opt.last_batch = HY_LAST_ROLLOVER;
    batches_all_ways(batches_sampled, &how, 3, "0 4 16 | 36 1 9 | \n25 0 4 | 16 36 1 | \n9 25 0 | 4 16 36 | 1 9 25 | \n");
    batches_all_ways(batches_batched, &how, 3, "0 4 16 | 36 1 9 | \n25 0 4 | 16 36 1 | \n9 25 0 | 4 16 36 | 1 9 25 | \n");
    how.size = 10;
    batches_all_ways(batches_sampled, &how, 3, "\n0 4 16 36 1 9 25 0 4 16 | \n36 1 9 25 0 4 16 36 1 9 | \n");
}

/* hy_sampler_random gives the order of shuffle, and so does a loader of it. */
static hy_loader *batches_shuffled(hy_frame *F, batches_how *how)
{
    how->opt.shuffle = how->size < 0;
    how->opt.seed = 5;
    how->opt.sampler = how->size < 0 ? NULL : hy_sampler_random(F, 20, 5);
    return hy_loader_new(F, batches_squares(F, 20), 6, &how->opt);
}
static void batches_as_shuffle(void)
{
    static char text[2][4000];
    batches_how how;
    memset(&how, 0, sizeof how);
    how.size = -1;
    how.threads = 1;
    batches_epochs(batches_shuffled, &how, 3, text[0], sizeof text[0]);
    how.size = 1;
    batches_epochs(batches_shuffled, &how, 3, text[1], sizeof text[1]);
    CHECK_STR(text[0], text[1]);
    batches_all_ways(batches_shuffled, &how, 3, NULL);
}

/* Batches of one sample, of two, of three: an end behind each; another order in each epoch. */
static int64_t batches_growing(void *user, int64_t epoch, uint64_t random, int64_t *numbers, int64_t length)
{
    int64_t n = 0, i = 0, k, rows;
    (void)user; (void)random; (void)length;
    for (rows = 1; rows < 4 - epoch % 2; rows++) {
        for (k = 0; k < rows; k++) numbers[n++] = i++;
        if (rows < 3) numbers[n++] = -1;
    }
    return n;
}
static hy_loader *batches_own(hy_frame *F, batches_how *how)
{
    how->opt.batch_sampler = hy_sampler_of_batches(F, 6, 3, batches_growing, NULL);
    return hy_loader_new(F, batches_squares(F, 6), 0, &how->opt);
}
static void batches_of_ones_own(void)
{
    batches_how how;
    memset(&how, 0, sizeof how);
    batches_all_ways(batches_own, &how, 3, "0 | 1 4 | 9 16 25 | \n0 | 1 4 | \n0 | 1 4 | 9 16 25 | \n");
}

/* --- some samples of a dataset --- */
static const char *batches_samples(hy_frame *F, hy_dataset *D)
{
    static char text[400];
    int64_t i;
    int n = 0;
    text[0] = 0;
    for (i = 0; i < hy_dataset_length(F, D); i++)
        n += sprintf(text + n, "%s%g", i ? " " : "", hy_item(F, hy_dataset_get(F, D, i)));
    return text;
}
static int batches_add_one(void *user, int64_t i, uint64_t random, const void *const *in, void *const *out)
{
    (void)random; (void)user;
    *(float *)out[0] = *(const float *)in[0] + 1 + 100 * (float)i;
    return 0;
}
static int batches_odd(void *user, int64_t i, const hy_part *sample)
{
    (void)user; (void)i;
    return (int)*(const float *)sample->data & 1;
}
static hy_loader *batches_picked(hy_frame *F, batches_how *how)
{
    hy_type type = { HY_F32, { 0, { 0 } } };
    hy_dataset *D = hy_dataset_take(F, batches_squares(F, 30), 25);
    D = hy_dataset_map(F, hy_dataset_shard(F, D, 3, 1), 1, &type, batches_add_one, NULL);
    D = hy_dataset_filter(F, D, batches_odd, NULL);
    return hy_loader_new(F, D, 3, &how->opt);
}
static void batches_some(void)
{
    hy_frame *F = hy_open(NULL);
    hy_dataset *D = batches_squares(F, 10), *E;
    batches_how how;
    CHECK_STR(batches_samples(F, hy_dataset_shard(F, D, 3, 0)), "0 1 4 9");
    CHECK_STR(batches_samples(F, hy_dataset_shard(F, D, 3, 1)), "16 25 36");
    CHECK_STR(batches_samples(F, hy_dataset_shard(F, D, 3, 2)), "49 64 81");
    CHECK_STR(batches_samples(F, hy_dataset_shard(F, D, 12, 10)), "");
    CHECK_STR(batches_samples(F, hy_dataset_shard(F, D, 1, 0)), "0 1 4 9 16 25 36 49 64 81");
    CHECK_STR(batches_samples(F, hy_dataset_take(F, D, 3)), "0 1 4");
    CHECK_STR(batches_samples(F, hy_dataset_take(F, D, 300)), "0 1 4 9 16 25 36 49 64 81");
    CHECK_STR(batches_samples(F, hy_dataset_take(F, D, 0)), "");
    CHECK_STR(batches_samples(F, hy_dataset_filter(F, D, batches_odd, NULL)), "1 9 25 49 81");
    CHECK_STR(batches_samples(F, hy_dataset_sample(F, D, hy_sampler_interval(F, 8, 5, 0))), "0 25 1 36 4 49 9 16");
    E = hy_dataset_take(F, hy_dataset_shard(F, hy_dataset_filter(F, D, batches_odd, NULL), 2, 1), 1);
    CHECK_STR(batches_samples(F, E), "49");
    E = hy_dataset_arrays(F, hy_arange(F, 0, 10, 1));                   /* of arrays alike */
    CHECK_STR(batches_samples(F, hy_dataset_shard(F, hy_dataset_filter(F, E, batches_odd, NULL), 2, 0)), "1 3 5");
    memset(&how, 0, sizeof how);
    batches_all_ways(batches_picked, &how, 2, "201 445 697 | 957 | \n201 445 697 | 957 | \n");
    hy_dataset_free(F, D);
    CHECK(!hy_dataset_get(F, hy_dataset_take(F, E, 1), 4));
    train_expect(F, "sample 4 of 1");
    CHECK(hy_close(F) == 0);
}

/* --- samples with sizes of their own --- */
/* Sample i: a line of i % 4 + 1 numbers i, i + 1 ..., a table, and its number. */
static int batches_line(void *user, int64_t i, uint64_t random, const hy_part *in, hy_part *out)
{
    int64_t k, n = out[0].type.shape.dim[0] = i % 4 + 1;
    (void)in;
    out[1].type.shape.dim[0] = 1 + i % 2;
    out[1].type.shape.dim[2] = n;
    if (user && i == *(int64_t *)user) out[1].type.shape.dim[1] = 5;
    for (k = 0; out[0].data && k < n; k++) ((float *)out[0].data)[k] = (float)(i + k);
    for (k = 0; out[1].data && k < (1 + i % 2) * 2 * n; k++) ((int64_t *)out[1].data)[k] = 10 * i + k;
    if (out[2].data) *(int64_t *)out[2].data = (int64_t)(random % 1000);
    return 0;
}
static const hy_type batches_types[3] = { { HY_F32, { 1, { -1 } } }, { HY_I64, { 3, { -1, 2, -1 } } },
                                          { HY_I64, { 0, { 0 } } } };
/* Twice as long. */
static int batches_twice(void *user, int64_t i, uint64_t random, const hy_part *in, hy_part *out)
{
    int64_t k, n = in[0].type.shape.dim[0];
    (void)user; (void)i; (void)random;
    out[0].type.shape.dim[0] = 2 * n;
    for (k = 0; out[0].data && k < 2 * n; k++) ((float *)out[0].data)[k] = ((const float *)in[0].data)[k % n];
    return 0;
}
/* Its sum: as large for all. */
static int batches_total(void *user, int64_t i, uint64_t random, const hy_part *in, hy_part *out)
{
    int64_t k;
    float sum = 0;
    (void)user; (void)i; (void)random;
    if (!out[0].data) return 0;
    for (k = 0; k < in[0].type.shape.dim[0]; k++) sum += ((const float *)in[0].data)[k];
    *(float *)out[0].data = sum;
    return 0;
}

static hy_loader *batches_padded(hy_frame *F, batches_how *how)
{
    hy_batchify_pad_opt pad;
    hy_batchify *part[3];
    memset(&pad, 0, sizeof pad);
    pad.val = -1;
    part[0] = hy_batchify_pad(F, &pad);
    pad.dtype = HY_F32;
    pad.round_to = 4;
    part[1] = hy_batchify_pad(F, &pad);
    part[2] = hy_batchify_stack(F);
    how->opt.batchify = hy_batchify_group(F, 3, part);
    how->opt.shuffle = (int)how->size;
    return hy_loader_new(F, hy_dataset_of_parts(F, 11, 3, batches_types, batches_line, NULL), 4, &how->opt);
}
static hy_loader *batches_mapped(hy_frame *F, batches_how *how)
{
    hy_dataset *D = hy_dataset_of_parts(F, 11, 3, batches_types, batches_line, NULL);
    hy_type total = { HY_F32, { 0, { 0 } } };
    D = hy_dataset_map_parts(F, D, 1, batches_types, batches_twice, NULL);
    D = hy_dataset_map_parts(F, hy_dataset_take(F, D, 9), 1, how->size ? &total : batches_types,
                             how->size ? batches_total : batches_twice, NULL);
    how->opt.batchify = how->size ? NULL : hy_batchify_pad(F, NULL);
    how->opt.shuffle = 0;
    return hy_loader_new(F, D, 4, &how->opt);
}

static void batches_open_sizes(void)
{
    batches_how how;
    hy_frame *F = hy_open(NULL);
    hy_array *batch, *x;
    memset(&how, 0, sizeof how);
    batch = hy_next(F, batches_padded(F, &how));
    x = hy_get(F, batch, 0);
    CHECK(hy_count(F, batch) == 3 && hy_ndim(F, x) == 2 && hy_dim(F, x, 1) == 4);
    CHECK(hy_value(F, x, 0, 0) == 0 && hy_value(F, x, 0, 1) == -1 && hy_value(F, x, 2, 2) == 4);
    CHECK(hy_value(F, x, 2, 3) == -1);
    x = hy_get(F, batch, 1);
    CHECK(hy_dtype_of(F, x) == HY_F32 && hy_dim(F, x, 0) == 4 && hy_dim(F, x, 1) == 4 && hy_dim(F, x, 2) == 4);
    CHECK(hy_dim(F, x, 3) == 4);
    CHECK(hy_value(F, x, 1, 1, 1, 1) == 17 && hy_value(F, x, 1, 1, 1, 2) == -1 && hy_value(F, x, 0, 0, 1, 0) == 1);
    CHECK(hy_value(F, x, 0, 1, 1, 0) == -1 && hy_value(F, x, 1, 1, 2, 1) == -1 && hy_value(F, x, 3, 1, 1, 3) == 45);
    CHECK(hy_ndim(F, hy_get(F, batch, 2)) == 1);
    x = hy_get(F, hy_dataset_get(F, hy_dataset_of_parts(F, 11, 3, batches_types, batches_line, NULL), 6), 1);
    CHECK(hy_dim(F, x, 0) == 1 && hy_dim(F, x, 1) == 1 && hy_dim(F, x, 3) == 3 && hy_value(F, x, 0, 0, 1, 0) == 63);
    CHECK(hy_close(F) == 0);
    batches_all_ways(batches_padded, &how, 2, "0 1 2 3 | 4 5 6 7 | 8 9 10 | \n0 1 2 3 | 4 5 6 7 | 8 9 10 | \n");
    how.size = 1;
    batches_all_ways(batches_padded, &how, 3, NULL);
    batches_all_ways(batches_mapped, &how, 2, "0 6 18 36 | 8 22 42 68 | 16 | \n0 6 18 36 | 8 22 42 68 | 16 | \n");
    how.size = 0;
    batches_all_ways(batches_mapped, &how, 2, NULL);
}

/* --- batchify of arrays --- */
static hy_array *batches_longest(hy_frame *F, int n, hy_array *const *samples, void *user)
{
    int i, best = 0;
    if (user) return NULL;
    for (i = 0; i < n; i++) if (hy_size(F, samples[i]) > hy_size(F, samples[best])) best = i;
    return hy_mul_scalar(F, samples[best], n);
}
static void batches_of_arrays(void)
{
    static const float v[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    hy_frame *F = hy_open(NULL);
    hy_array *a[3], *b[2], *x, *g[2];
    hy_batchify *two[2];
    hy_batchify_pad_opt pad;
    a[0] = hy_floats(F, HY_SHAPE(4), v);
    a[1] = hy_floats(F, HY_SHAPE(3), v + 3);
    a[2] = hy_floats(F, HY_SHAPE(2), v + 6);
    x = hy_batchify_call(F, hy_batchify_pad(F, NULL), 3, a);            /* the example of MXNet's Pad */
    CHECK(hy_dim(F, x, 0) == 3 && hy_dim(F, x, 1) == 4 && hy_value(F, x, 1, 2) == 6 && hy_value(F, x, 1, 3) == 0);
    CHECK(hy_value(F, x, 2, 1) == 8 && hy_value(F, x, 2, 2) == 0);
    memset(&pad, 0, sizeof pad);
    pad.val = -1;
    b[0] = hy_floats(F, HY_SHAPE(2, 4), v);
    b[1] = hy_view_transpose(F, hy_floats(F, HY_SHAPE(2, 2), v), HY_AXES(1, 0));
    x = hy_batchify_call(F, hy_batchify_pad(F, &pad), 2, b);
    CHECK(hy_ndim(F, x) == 3 && hy_value(F, x, 1, 0, 1) == 3 && hy_value(F, x, 1, 1, 1) == 4 && hy_value(F, x, 1, 1, 2) == -1);
    CHECK(hy_value(F, x, 0, 1, 3) == 8);
    pad.round_to = 8;
    pad.dtype = HY_I8;
    x = hy_batchify_call(F, hy_batchify_pad(F, &pad), 3, a);
    CHECK(hy_dtype_of(F, x) == HY_I8 && hy_dim(F, x, 1) == 8 && hy_value(F, x, 0, 3) == 4 && hy_value(F, x, 0, 4) == -1);
    x = hy_batchify_call(F, hy_batchify_of(F, batches_longest, NULL), 3, a);
    CHECK(hy_dim(F, x, 0) == 4 && hy_value(F, x, 3) == 12);
    g[0] = hy_group(F, a[0], b[1]);
    g[1] = hy_group(F, a[2], b[1]);
    two[0] = hy_batchify_pad(F, NULL);
    two[1] = hy_batchify_stack(F);
    x = hy_batchify_call(F, hy_batchify_group(F, 2, two), 2, g);
    CHECK(hy_count(F, x) == 2 && hy_value(F, hy_get(F, x, 0), 1, 1) == 8 && hy_dim(F, hy_get(F, x, 1), 0) == 2);
    a[0] = hy_empty(F, HY_SHAPE(0), HY_F32);                            /* nothing of it: all is padding */
    x = hy_batchify_call(F, hy_batchify_pad(F, NULL), 3, a);
    CHECK(hy_dim(F, x, 1) == 3 && hy_value(F, x, 0, 2) == 0 && hy_value(F, x, 1, 2) == 6);
    CHECK(!hy_batchify_call(F, hy_batchify_stack(F), 3, a));
    train_expect(F, "hy_batchify_call: sample 1 of the batch is float32 (3,), sample 0 is float32 (0,): "
                 "hy_batchify_stack takes equal ones");
    a[1] = b[0];
    CHECK(!hy_batchify_call(F, hy_batchify_pad(F, NULL), 2, a));
    train_expect(F, "sample 1 of the batch is float32 (2,4), sample 0 is float32 (0,): hy_batchify_pad takes as many dims");
    CHECK(!hy_batchify_call(F, two[0], 2, g));
    train_expect(F, "hy_batchify_pad takes one array, and samples have 2 parts");
    CHECK(!hy_batchify_call(F, hy_batchify_group(F, 2, two), 3, a));
    train_expect(F, "hy_batchify_group of 2 for samples of 1 parts");
    CHECK(!hy_batchify_call(F, hy_batchify_of(F, batches_longest, &pad), 3, a));
    train_expect(F, "the function of the batchify gave NULL");
    CHECK(hy_close(F) == 0);
}

/* --- samples through blocks --- */
/* Twice the square root of it, and noise. */
static hy_array *batches_noise(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    x = hy_expand_dims(F, hy_sqrt(F, x), 0);
    return hy_add(F, hy_mul_scalar(F, x, 2), hy_uniform(F, HY_SHAPE(1), 0, 0.5));
}
/* Of a line, a table and a number: the line doubled and cut to its first half, and the number twice. */
static hy_array *batches_mixed(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *line = hy_get(F, x, 0), *number = hy_get(F, x, 2);
    (void)self;
    return hy_group(F, hy_dropout(F, hy_concat(F, hy_group(F, line, line), 0), 0.5, NULL), number, number);
}
static hy_loader *batches_through(hy_frame *F, batches_how *how)
{
    hy_block *block = hy_block_new(F, sizeof *block, "Noise", batches_noise, 1);
    hy_dataset *D;
    if (how->size) hy_hybridize(F, block, NULL);
    D = hy_dataset_transform(F, hy_dataset_take(F, batches_squares(F, 12), 11), block);
    how->opt.shuffle = 1;
    return hy_loader_new(F, D, 4, &how->opt);
}
static hy_loader *batches_through_first(hy_frame *F, batches_how *how)
{
    hy_dataset *D = hy_dataset_arrays(F, hy_group(F, hy_arange(F, 0, 9, 1), hy_arange(F, 9, 18, 1)));
    hy_block *dense = hy_nn_dense(F, 2, NULL);
    hy_initialize(F, dense, NULL);
    hy_seed(F, 3);
    how->opt.shuffle = 0;
    if (how->size) hy_hybridize(F, dense, NULL);
    D = hy_dataset_transform_first(F, D, hy_block_new(F, sizeof(hy_block), "Noise", batches_noise, 1));
    return hy_loader_new(F, hy_dataset_transform_first(F, D, dense), 4, &how->opt);
}
static hy_loader *batches_through_open(hy_frame *F, batches_how *how)
{
    hy_dataset *D = hy_dataset_of_parts(F, 11, 3, batches_types, batches_line, NULL);
    hy_batchify *part[3];
    hy_block *block = hy_block_new(F, sizeof *block, "Mixed", batches_mixed, 1);
    if (how->size) hy_hybridize(F, block, NULL);
    D = hy_dataset_transform(F, D, block);
    part[0] = hy_batchify_pad(F, NULL);
    part[1] = part[2] = hy_batchify_stack(F);
    how->opt.batchify = hy_batchify_group(F, 3, part);
    return hy_loader_new(F, D, 3, &how->opt);
}

static void batches_transforms(void)
{
    static char text[2][4000];
    batches_how how;
    hy_frame *F = hy_open(NULL);
    hy_array *x;
    double sum = 0;
    int i;
    memset(&how, 0, sizeof how);
    x = hy_next(F, batches_through(F, &how));
    CHECK(hy_ndim(F, x) == 2 && hy_dim(F, x, 0) == 4 && hy_dim(F, x, 1) == 1);
    how.opt.shuffle = 0;
    x = hy_next(F, batches_through_first(F, &how));
    CHECK(hy_count(F, x) == 2 && hy_dim(F, hy_get(F, x, 0), 2) == 2 && hy_value(F, hy_get(F, x, 1), 3) == 12);
    x = hy_dataset_get(F, hy_dataset_transform(F, batches_squares(F, 9), hy_block_new(F, sizeof(hy_block), "Noise",
                       batches_noise, 1)), 7);
    CHECK(hy_item(F, x) >= 14 && hy_item(F, x) < 14.5);
    for (i = 0; i < 9; i++) sum += hy_item(F, hy_dataset_get(F, hy_dataset_transform(F, batches_squares(F, 9),
        hy_block_new(F, sizeof(hy_block), "Noise", batches_noise, 1)), i)) - 2 * i;
    CHECK(sum > 9 * 0.1 && sum < 9 * 0.4);              /* each draws for itself */
    CHECK(hy_dataset_length(F, hy_dataset_transform(F, hy_dataset_take(F, batches_squares(F, 9), 0), hy_nn_dense(F, 1,
          NULL))) == 0);
    CHECK(hy_close(F) == 0);
    for (how.size = 0; how.size < 2; how.size++) {      /* line by line and compiled */
        batches_all_ways(batches_through, &how, 3, NULL);
        batches_all_ways(batches_through_first, &how, 2, NULL);
        batches_all_ways(batches_through_open, &how, 2, "0 1 2 | 3 4 5 | 6 7 8 | 9 10 | \n0 1 2 | 3 4 5 | 6 7 8 | 9 10 | \n");
        how.opt.batchify = NULL;
        how.threads = 2;
        how.given_up = 0;
        batches_epochs(batches_through, &how, 2, text[how.size], sizeof *text);
    }
    CHECK_STR(text[0], text[1]);
}

static hy_array *batches_picky(hy_frame *F, hy_block *self, hy_array *x)
{
    int n = (int)hy_item(F, x);
    (void)self;
    if (n == 9) return hy_add(F, hy_ones(F, HY_SHAPE(2)), hy_ones(F, HY_SHAPE(3)));
    if (n == 25) return hy_group(F, x, x);
    return n == 49 ? hy_ones(F, HY_SHAPE(2)) : x;
}
/* Errors name the sample and what the block says; blocks and datasets may go at any time. */
static void batches_transform_errors(void)
{
    int workers, how;
    for (workers = 0; workers < 4; workers += 3) for (how = 0; how < 5; how++) {
        hy_frame *F = control_open(2);
        hy_block *block = hy_block_new(F, sizeof *block, "Picky", batches_picky, 0);
        hy_dataset *D = hy_dataset_transform(F, batches_squares(F, 40), block);
        hy_loader_opt o;
        hy_loader *L;
        memset(&o, 0, sizeof o);
        o.num_workers = workers;
        L = hy_loader_new(F, D, 1, &o);
        CHECK(hy_next(F, L) && hy_next(F, L) && hy_next(F, L));
        if (how == 0) {
            CHECK(!hy_next(F, L));
            train_expect(F, "hy_next: the function of the dataset could not make sample 3: Error in operator add: shapes (2,) and (3,)");
            CHECK(!hy_dataset_get(F, D, 5));
            train_expect(F, "could not make sample 5: the block gave 2 arrays, for sample 0 1");
            CHECK(!hy_dataset_get(F, D, 7));
            train_expect(F, "sample 7: its part 0 has type float32 (2,), where float32 () is due");
            CHECK(hy_item(F, hy_dataset_get(F, D, 6)) == 36);
            CHECK(!hy_dataset_transform(F, D, NULL));
            train_expect(F, "hy_dataset_transform: the block is NULL");
            D = hy_dataset_sample(F, batches_squares(F, 9), hy_sampler_sequential(F, 2, 3));
            CHECK(!hy_dataset_transform(F, D, block));
            train_expect(F, "hy_dataset_transform: Error in operator add: ");
        }
        if (how == 1) hy_block_free(F, block);
        if (how == 1) {
            CHECK(!hy_next(F, L));
            train_expect(F, "or the block of a transform");
        }
        if (how == 2) hy_dataset_free(F, D);
        if (how == 3) hy_loader_free(F, L);
        CHECK(!hy_error(F));
        CHECK(hy_close(F) == 0);
    }
}

/* --- what is refused --- */
static hy_loader *batches_loader(hy_frame *F, hy_sampler *S, hy_sampler *batch, int64_t size, int shuffle)
{
    hy_loader_opt o;
    memset(&o, 0, sizeof o);
    o.sampler = S;
    o.batch_sampler = batch;
    o.shuffle = shuffle;
    return hy_loader_new(F, batches_squares(F, 4), size, &o);
}
static int64_t batches_crowded(void *user, int64_t epoch, uint64_t random, int64_t *numbers, int64_t length)
{
    int64_t i;
    (void)random;
    for (i = 0; i < length; i++) numbers[i] = *(const int64_t *)user && i == 1 ? -1 : i % 4;
    if (*(const int64_t *)user == 2) numbers[0] = -1;
    return epoch ? -1 : length;
}
static void batches_errors(void)
{
    hy_frame *F = hy_open(NULL);
    hy_dataset *D = batches_squares(F, 10);
    hy_sampler *S, *B;
    hy_loader *L;
    int64_t seven = 7, two = 2;
    int k;
    CHECK(!hy_sampler_interval(F, 5, 0, 0));
    train_expect(F, "hy_sampler_interval: interval is 0, where 1 to the length, 5, is due");
    CHECK(!hy_sampler_interval(F, 5, 6, 0));
    train_expect(F, "interval is 6");
    CHECK(!hy_sampler_sequential(F, -1, 0));
    train_expect(F, "hy_sampler_sequential: length is -1");
    CHECK(!hy_sampler_sequential(F, 1, -2));
    train_expect(F, "start is -2");
    CHECK(!hy_sampler_of(F, 3, NULL, NULL));
    train_expect(F, "hy_sampler_of: the function is NULL");
    CHECK(!hy_sampler_filter(F, D, batches_thirds, &seven));
    train_expect(F, "hy_sampler_filter: the function gave up on sample 7");
    CHECK(!hy_dataset_filter(F, D, NULL, NULL));
    train_expect(F, "hy_dataset_filter: the function is NULL");
    CHECK(!hy_dataset_filter(F, D, batches_thirds, &seven));
    train_expect(F, "hy_dataset_filter: the function gave up on sample 7");
    CHECK(!hy_dataset_shard(F, D, 3, 3));
    train_expect(F, "hy_dataset_shard: index is 3, which is none of 3 shards");
    CHECK(!hy_dataset_shard(F, D, 3, -1));
    train_expect(F, "index is -1");
    CHECK(!hy_dataset_shard(F, D, 0, 0));
    train_expect(F, "num_shards is 0");
    CHECK(!hy_dataset_take(F, D, -1));
    train_expect(F, "hy_dataset_take: count is -1");
    CHECK(!hy_dataset_sample(F, D, hy_sampler_sequential(F, 5, 6)));
    train_expect(F, "hy_dataset_sample: number 4 of the sampler is 10, which is none of 10 samples");
    S = hy_sampler_sequential(F, 4, 0);
    B = hy_sampler_batch(F, S, 3, HY_LAST_KEEP);
    CHECK(!hy_sampler_batch(F, S, 0, 0));
    train_expect(F, "hy_sampler_batch: batch_size is 0");
    CHECK(!hy_sampler_batch(F, S, 2, 3));
    train_expect(F, "last_batch 3");
    CHECK(!hy_sampler_batch(F, B, 2, 0));
    train_expect(F, "hy_sampler_batch: this sampler gives batches");
    CHECK(!hy_sampler_numbers(F, B, 0));
    train_expect(F, "this sampler gives batches");
    CHECK(!hy_dataset_sample(F, D, B));
    train_expect(F, "this sampler gives batches");
    CHECK(!batches_loader(F, B, NULL, 2, 0));
    train_expect(F, "this sampler gives batches");
    CHECK(!batches_loader(F, NULL, S, 0, 0));
    train_expect(F, "batch_sampler gives no batches");
    CHECK(!batches_loader(F, S, NULL, 2, 1));
    train_expect(F, "shuffle and sampler");
    CHECK(!batches_loader(F, NULL, B, 2, 0));
    train_expect(F, "say nothing beside batch_sampler");
    CHECK(!batches_loader(F, NULL, NULL, 0, 0));
    train_expect(F, "batch_size is 0");
    for (k = 0; k < 2; k++) {           /* out of range: in each epoch anew, and the loader stays as it was */
        L = batches_loader(F, hy_sampler_sequential(F, 3, 2), NULL, 2, 0);
        CHECK(!hy_next(F, L));
        train_expect(F, "hy_next: number 2 of the sampler is 4, which is none of 4 samples");
    }
    two = -3;
    L = batches_loader(F, hy_sampler_of(F, 4, batches_backward, &two), NULL, 3, 0);
    CHECK(!hy_next(F, L));
    train_expect(F, "hy_next: the function of the sampler gave up on epoch 0");
    CHECK(hy_loader_length(F, L) == 0);
    train_expect(F, "the function of the sampler gave up on epoch 0");
    two = 3;
    CHECK(hy_loader_length(F, L) == 1 && hy_value(F, hy_next(F, L), 2) == 1 && !hy_next(F, L));
    two = 5;
    CHECK(!hy_next(F, L));
    train_expect(F, "gave for epoch 1 5 numbers, more than the 4");
    two = 0;
    L = batches_loader(F, NULL, hy_sampler_of_batches(F, 4, 2, batches_crowded, &two), 0, 0);
    CHECK(!hy_next(F, L));
    train_expect(F, "hy_next: batch 0 of the sampler has at least 3 samples, where 1 to 2 are due");
    two = 2;
    CHECK(!hy_next(F, L));
    train_expect(F, "batch 0 of the sampler has 0 samples");
    L = batches_loader(F, S, NULL, 2, 0);
    CHECK(hy_next(F, L) != NULL);
    hy_sampler_free(F, S);
    CHECK(!hy_next(F, L));
    train_expect(F, "hy_next: the sampler was freed");
    CHECK(!batches_loader(F, NULL, B, 0, 0));
    train_expect(F, "hy_loader_new: the sampler was freed, or the one whose numbers it takes");
    CHECK(hy_close(F) == 0);
}

static hy_array *batches_frees(hy_frame *F, int n, hy_array *const *samples, void *user)
{
    hy_loader_free(F, *(hy_loader **)user);
    (void)n;
    return samples[0];
}
static hy_array *batches_nexts(hy_frame *F, int n, hy_array *const *samples, void *user)
{
    hy_next(F, *(hy_loader **)user);
    (void)n;
    return samples[0];
}
static hy_array *batches_closes(hy_frame *F, int n, hy_array *const *samples, void *user)
{
    hy_close(F);
    (void)n; (void)user;
    return samples[0];
}
static void batches_open_errors(void)
{
    static const hy_batchify_fn bad[] = { batches_frees, batches_nexts, batches_closes };
    static const char *said[] = { "must not free it", "goes through this loader", "must not close its own frame" };
    int64_t five = 5;
    int workers, k;
    for (workers = 0; workers < 4; workers += 3) {
        hy_frame *F = control_open(2);
        hy_type two[2];
        hy_loader_opt o;
        hy_loader *L;
        hy_dataset *D = hy_dataset_of_parts(F, 11, 3, batches_types, batches_line, &five);
        batches_how how;
        memset(&o, 0, sizeof o);
        memset(&how, 0, sizeof how);
        CHECK(!hy_dataset_of(F, 4, 2, batches_types, data_made, NULL));
        train_expect(F, "hy_dataset_of: part 0 has shape (?,): sizes of -1 are told sample by sample");
        two[0] = two[1] = batches_types[0];
        two[1].shape.dim[0] = -2;
        CHECK(!hy_dataset_of_parts(F, 4, 2, two, batches_line, NULL));
        train_expect(F, "negative");
        o.num_workers = workers;
        L = hy_loader_new(F, D, 2, &o);
        CHECK(!hy_next(F, L));          /* samples 0 and 1 differ */
        train_expect(F, "hy_next: sample 1 of the batch is float32 (2,), sample 0 is float32 (1,): "
                     "hy_batchify_stack takes equal ones, hy_batchify_pad such");
        L = hy_loader_new(F, D, 1, &o);
        for (k = 0; k < 5; k++) CHECK(hy_next(F, L) != NULL);           /* one by one they are all stacked */
        CHECK(!hy_next(F, L));
        train_expect(F, "hy_next: the function of the dataset could not make sample 5: its part 1 has type "
                     "int64 (2,5,2), where int64 (?,2,?) is due");
        five = -1;
        CHECK(hy_value(F, hy_get(F, hy_next(F, L), 0), 0, 0) == 5);
        hy_loader_free(F, L);           /* its workers read `five` */
        five = 5;
        o.batchify = hy_batchify_pad(F, NULL);
        CHECK(!hy_loader_new(F, D, 2, &o));
        train_expect(F, "hy_loader_new: hy_batchify_pad takes one array, and samples have 3 parts");
        for (k = 0; k < 3; k++) {
            o.batchify = hy_batchify_of(F, bad[k], &L);
            L = hy_loader_new(F, batches_squares(F, 4), 2, &o);
            CHECK(!hy_next(F, L));
            train_expect(F, said[k]);
        }
        CHECK(hy_close(F) == 0);
    }
}

/* --- memory --- */
static int batches_oom(hy_frame *F)
{
    batches_how how;
    hy_loader *L;
    hy_array *x = NULL;
    double sum = 0;
    int i;
    memset(&how, 0, sizeof how);
    L = batches_padded(F, &how);
    for (i = 0; L && i < 4; i++) {
        hy_begin(F);
        x = hy_next(F, L);
        if (x) sum += hy_dim(F, hy_get(F, x, 0), 0);
        hy_end(F);
    }
    hy_loader_free(F, L);
    L = batches_sampled(F, (memset(&how, 0, sizeof how), how.size = 3, &how));
    for (i = 0; L && i < 3; i++) if ((x = hy_next(F, L)) != NULL) sum += hy_value(F, x, 0);
    L = batches_own(F, (memset(&how, 0, sizeof how), &how));
    for (i = 0; L && i < 3; i++) if ((x = hy_next(F, L)) != NULL) sum += hy_value(F, x, 0);
    L = batches_picked(F, (memset(&how, 0, sizeof how), &how));
    if (L && (x = hy_next(F, L)) != NULL) sum += hy_value(F, x, 1);
    how.threads = 0;
    how.opt.sampler = NULL;
    L = batches_through(F, &how);
    if (L && (x = hy_next(F, L)) != NULL) sum += 1000 * hy_dim(F, x, 0);
    return sum == 4000 + 11 + 0 + 36 + 25 + 0 + 1 + 9 + 445 && !hy_error(F);
}
static void batches_out_of_memory(void) { oom_walk(batches_oom, 1); }

/* In steady state padding takes nothing from the allocator, nor does a sampler, nor a block. */
static void batches_no_allocation(void)
{
    static const batches_make makes[] = { batches_padded, batches_own, batches_through, batches_through };
    int workers, k;
    for (workers = 0; workers < 3; workers += 2) for (k = 0; k < 4; k++) {
        hy_frame *F = control_open(1);
        batches_how how;
        hy_loader *L;
        int64_t before = 0, calls = -1;
        int i, turn;
        memset(&how, 0, sizeof how);
        how.opt.num_workers = workers;
        how.size = k == 3;
        L = makes[k](F, &how);
        for (turn = 0; turn < 40 && (turn < 3 || calls != before); turn++) {    /* a thread may get its first sample late */
            before = hy_memory_use(F).calls;
            for (i = 0; i < 100; i++) {
                hy_begin(F);
                hy_next(F, L);
                hy_end(F);
            }
            calls = hy_memory_use(F).calls;
        }
        CHECK(calls == before && calls > 0 && !hy_error(F));
        CHECK(hy_close(F) == 0);
    }
}
#endif

static void test_batches(void)
{
#ifndef HYBRID_NO_TRAIN
    RUN(batches_orders);
    RUN(batches_random);
    RUN(batches_last_ones);
    RUN(batches_as_shuffle);
    RUN(batches_of_ones_own);
    RUN(batches_some);
    RUN(batches_open_sizes);
    RUN(batches_of_arrays);
    RUN(batches_transforms);
    RUN(batches_transform_errors);
    RUN(batches_errors);
    RUN(batches_open_errors);
    RUN(batches_out_of_memory);
    RUN(batches_no_allocation);
#endif
}
