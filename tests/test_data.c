/* Datasets, loaders and readers. */

/* Sample i of a made-up dataset: the number i and its bits. */
static int data_made(void *user, int64_t i, uint64_t random, const void *const *in, void *const *out)
{
    float *x = (float *)out[0];
    (void)in;
    if (user && i == *(int64_t *)user) return 1;
    x[0] = (float)i;
    x[1] = (float)(random % 1000);
    *(int64_t *)out[1] = i * i;
    return 0;
}
/* Its first part reversed, its second dropped. */
static int data_turn(void *user, int64_t i, uint64_t random, const void *const *in, void *const *out)
{
    const float *x = (const float *)in[0];
    float *y = (float *)out[0];
    (void)user; (void)i; (void)random;
    y[0] = x[1];
    y[1] = x[0] + 0.5f;
    return 0;
}
static const hy_type data_types[2] = { { HY_F32, { 1, { 2 } } }, { HY_I64, { 0, { 0 } } } };

static int data_text(hy_frame *F, hy_array *batch, char *text, int n)
{
    hy_array *x = hy_count(F, batch) > 1 ? hy_get(F, batch, 1) : batch;
    int64_t i;
    for (i = 0; i < hy_dim(F, x, 0); i++)
        n += sprintf(text + n, "%g ", hy_ndim(F, x) == 1 ? hy_value(F, x, i) : hy_value(F, x, i, 0));
    n += sprintf(text + n, "| ");
    return n;
}

/* Two epochs of batches as text. */
static void data_epochs(hy_frame *F, hy_loader *L, int epochs, char *text)
{
    int e, n = 0;
    for (e = 0; e < epochs && !hy_error(F); e++) {
        int64_t batches = hy_loader_length(F, L), seen = 0;
        for (;;) {
            hy_array *batch;
            hy_begin(F);
            batch = hy_next(F, L);
            if (batch) { n = data_text(F, batch, text, n); seen++; }
            hy_end(F);
            if (!batch) break;
        }
        CHECK(seen == batches);
        n += sprintf(text + n, "\n");
    }
    text[n] = 0;
}

static void test_data_batches(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *index = hy_arange(F, 0, 7, 1), *cubes = hy_mul(F, hy_mul(F, index, index), index);
    hy_dataset *D = hy_dataset_arrays(F, hy_group(F, hy_reshape(F, cubes, HY_INTS(7, 1), NULL), index));
    hy_loader_opt o;
    char text[400];
    memset(&o, 0, sizeof o);
    CHECK(hy_dataset_length(F, D) == 7);
    data_epochs(F, hy_loader_new(F, D, 3, &o), 2, text);
    CHECK_STR(text, "0 1 2 | 3 4 5 | 6 | \n0 1 2 | 3 4 5 | 6 | \n");
    o.last_batch = HY_LAST_DISCARD;
    data_epochs(F, hy_loader_new(F, D, 3, &o), 2, text);
    CHECK_STR(text, "0 1 2 | 3 4 5 | \n0 1 2 | 3 4 5 | \n");
    o.last_batch = HY_LAST_ROLLOVER;
    o.prefetch = 2;
    data_epochs(F, hy_loader_new(F, D, 3, &o), 3, text);
    CHECK_STR(text, "0 1 2 | 3 4 5 | \n6 0 1 | 2 3 4 | \n5 6 0 | 1 2 3 | 4 5 6 | \n");
    data_epochs(F, hy_loader_new(F, D, 10, &o), 3, text);
    CHECK_STR(text, "\n0 1 2 3 4 5 6 0 1 2 | \n3 4 5 6 0 1 2 3 4 5 | \n");
    CHECK_NEAR(hy_value(F, hy_get(F, hy_dataset_get(F, D, 4), 0), 0, 0), 64, 0);
    CHECK(hy_close(F) == 0);
}

/* Batches are the same for any number of threads and of batches made at a time; each sample comes once. */
static void test_data_threads(void)
{
    char text[6][4000];
    int k, i;
    for (k = 0; k < 6; k++) {
        hy_desc desc;
        hy_frame *F;
        hy_dataset *D;
        hy_loader_opt o;
        memset(&desc, 0, sizeof desc);
        memset(&o, 0, sizeof o);
        desc.threads = k % 3 + 1;
        F = hy_open(&desc);
        D = hy_dataset_map(F, hy_dataset_of(F, 50, 2, data_types, data_made, NULL), 1, data_types, data_turn, NULL);
        o.shuffle = 1;
        o.seed = 5;
        o.prefetch = 1 + 2 * k;
        data_epochs(F, hy_loader_new(F, D, 8, &o), 2, text[k]);
        CHECK(hy_close(F) == 0);
        CHECK_STR(text[k], text[0]);
    }
    {
        hy_frame *F = hy_open(NULL);
        hy_loader_opt o;
        hy_loader *L;
        int seen[50] = { 0 };
        memset(&o, 0, sizeof o);
        o.shuffle = 1;
        L = hy_loader_new(F, hy_dataset_of(F, 50, 2, data_types, data_made, NULL), 8, &o);
        for (;;) {
            hy_array *batch = hy_next(F, L);
            if (!batch) break;
            for (i = 0; i < hy_dim(F, hy_get(F, batch, 0), 0); i++) {
                int at = (int)hy_value(F, hy_get(F, batch, 0), i, 0);
                CHECK_NEAR(hy_value(F, hy_get(F, batch, 1), i), at * at, 0);
                seen[at]++;
            }
        }
        for (i = 0; i < 50; i++) CHECK(seen[i] == 1);
        CHECK(hy_close(F) == 0);
    }
}

static void test_data_errors(void)
{
    hy_frame *F = hy_open(NULL);
    hy_loader_opt o;
    int64_t bad = 9;
    hy_dataset *D;
    hy_loader *L;
    int i;
    memset(&o, 0, sizeof o);
    CHECK(!hy_dataset_arrays(F, hy_group(F, hy_ones(F, HY_SHAPE(3)), hy_ones(F, HY_SHAPE(4)))));
    train_expect(F, "array 1 has shape (4,)");
    CHECK(!hy_dataset_arrays(F, hy_scalar(F, 1)));
    train_expect(F, "array 0 has shape ()");
    CHECK(!hy_dataset_of(F, -1, 2, data_types, data_made, NULL));
    train_expect(F, "-1 samples");
    CHECK(!hy_dataset_of(F, 3, 2, data_types, NULL, NULL));
    train_expect(F, "the function or the list of types is NULL");
    D = hy_dataset_of(F, 20, 2, data_types, data_made, &bad);
    CHECK(!hy_loader_new(F, D, 0, NULL));
    train_expect(F, "batch_size is 0");
    o.last_batch = 7;
    CHECK(!hy_loader_new(F, D, 4, &o));
    train_expect(F, "last_batch 7");
    L = hy_loader_new(F, D, 4, NULL);
    CHECK(hy_next(F, L) && hy_next(F, L) && !hy_next(F, L));
    train_expect(F, "could not make sample 9");
    bad = -1;
    CHECK_NEAR(hy_value(F, hy_get(F, hy_next(F, L), 0), 0, 0), 8, 0);       /* the loader goes on where it was */
    CHECK(!hy_dataset_get(F, D, 20));
    train_expect(F, "sample 20 of 20");
    for (i = 0; i < 17 && D; i++) D = hy_dataset_map(F, D, 1, data_types, data_turn, NULL);
    train_expect(F, "more than 16 datasets");
    hy_loader_rewind(F, L);
    CHECK_NEAR(hy_value(F, hy_get(F, hy_next(F, L), 0), 0, 0), 0, 0);
    CHECK(hy_close(F) == 0);
}

/* In steady state a batch takes nothing from the allocator. */
static void test_data_no_allocation(void)
{
    hy_frame *F = hy_open(NULL);
    hy_loader_opt o;
    hy_loader *L;
    int64_t calls = 0;
    int i;
    memset(&o, 0, sizeof o);
    o.shuffle = 1;
    L = hy_loader_new(F, hy_dataset_of(F, 24, 2, data_types, data_made, NULL), 8, &o);
    for (i = 0; i < 40; i++) {
        if (i == 20) calls = hy_memory_use(F).calls;
        hy_begin(F);
        hy_next(F, L);
        hy_end(F);
    }
    CHECK(hy_memory_use(F).calls == calls && hy_close(F) == 0);
}

/* --- readers --- */
static const unsigned char data_idx[] = { 0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 250 };
static const unsigned char data_idx_wide[] = { 0, 0, 0x0b, 1, 0, 0, 0, 2, 0xff, 0xfe, 1, 2 };
static const char data_csv[] = "a, b\n1, 2.5\r\n\n-3e2 ,4\n";

static void data_put32(unsigned char **to, uint32_t v)
{
    int i;
    for (i = 0; i < 4; i++) *(*to)++ = (unsigned char)(v >> 8 * i);
}
/* A record of 8 bytes of data; kind 1: cut where the data holds the magic number. */
static void data_record(unsigned char **to, uint32_t flag, float label, const unsigned char *data, int cut)
{
    uint32_t bits, i, n = 24 + 4 * flag + 8;
    memcpy(&bits, &label, 4);
    data_put32(to, 0xced7230au);
    data_put32(to, cut ? (uint32_t)1 << 29 | (n - 8 + 2) : n);
    data_put32(to, flag);
    data_put32(to, bits);
    for (i = 0; i < 4; i++) data_put32(to, i);
    for (i = 0; i < flag; i++) data_put32(to, 0x3f800000u);
    if (!cut) { memcpy(*to, data, 8); *to += 8; return; }
    memcpy(*to, data, 2);
    memset(*to + 2, 0, 2);
    *to += 4;
    data_put32(to, 0xced7230au);
    data_put32(to, (uint32_t)3 << 29 | 2);
    memcpy(*to, data + 6, 2);
    memset(*to + 2, 0, 2);
    *to += 4;
}

/* A large record and many that hold nothing: no room is asked for what the file has not. */
static void test_data_hollow(void)
{
    enum { LARGE = 1 << 20, HOLLOW = 4096 };
    unsigned char *records = (unsigned char *)calloc(32 + LARGE + 8 * HOLLOW, 1), *to = records;
    hy_frame *F = hy_open(NULL);
    hy_type type = { HY_U8, { 1, { LARGE } } };
    int i;
    data_put32(&to, 0xced7230au);
    data_put32(&to, 24 + LARGE);
    for (to += 24 + LARGE, i = 0; i < HOLLOW; i++) { data_put32(&to, 0xced7230au); data_put32(&to, 0); }
    CHECK(!hy_records_from(F, records, (size_t)(to - records), type));
    train_expect(F, "record 1 is too short for its labels");
    CHECK(hy_memory_use(F).peak < (size_t)64 * LARGE);
    free(records);
    CHECK(hy_close(F) == 0);
}

static void test_data_readers(void)
{
    static const unsigned char plain[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, magic[8] = { 9, 8, 0x0a, 0x23, 0xd7, 0xce, 7, 6 };
    static const unsigned char jpeg[8] = { 0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4 };
    static unsigned char cifar[2 * 3073];
    unsigned char records[400], *to = records;
    hy_frame *F = hy_open(NULL);
    hy_type type = { HY_U8, { 1, { 8 } } };
    hy_csv_opt csv;
    hy_array *x;
    size_t n;
    memset(&csv, 0, sizeof csv);
    csv.skip = 1;
    x = hy_idx_from(F, data_idx, sizeof data_idx);
    CHECK(x && hy_dtype_of(F, x) == HY_U8 && hy_dim(F, x, 1) == 3 && hy_value(F, x, 1, 2) == 250);
    x = hy_idx_from(F, data_idx_wide, sizeof data_idx_wide);
    CHECK(x && hy_dtype_of(F, x) == HY_I32 && hy_value(F, x, 0) == -2 && hy_value(F, x, 1) == 258);
    cifar[3073] = 9;
    cifar[3073 + 1 + 1024] = 77;
    x = hy_cifar_from(F, cifar, sizeof cifar, 10);
    CHECK(x && hy_value(F, hy_get(F, x, 1), 1) == 9 && hy_value(F, hy_get(F, x, 0), 1, 1, 0, 0) == 77);
    cifar[3073 + 1 + 2048 + 32 * 5 + 7] = 78;
    x = hy_cifar_as_from(F, cifar, sizeof cifar, 10, HY_LAYOUT_NHWC);
    CHECK(x && hy_value(F, hy_get(F, x, 1), 1) == 9 && hy_dim(F, hy_get(F, x, 0), 3) == 3);
    CHECK(hy_value(F, hy_get(F, x, 0), 1, 0, 0, 1) == 77 && hy_value(F, hy_get(F, x, 0), 1, 5, 7, 2) == 78);
    CHECK(hy_item(F, hy_sum(F, hy_cast(F, hy_get(F, x, 0), HY_F32), HY_ALL, NULL)) == 155);
    CHECK(!hy_cifar_as_from(F, cifar, sizeof cifar, 10, HY_LAYOUT_NCW));
    train_expect(F, "CIFAR comes as HY_LAYOUT_NCHW or HY_LAYOUT_NHWC");
    cifar[3073 + 1 + 2048 + 32 * 5 + 7] = 0;
    x = hy_csv_from(F, data_csv, sizeof data_csv - 1, &csv);
    CHECK(x && hy_dim(F, x, 0) == 2 && hy_dim(F, x, 1) == 2 && hy_value(F, x, 1, 0) == -300 &&
          hy_value(F, x, 0, 1) == 2.5);
    data_record(&to, 0, 3, plain, 0);
    data_record(&to, 0, 4, magic, 1);
    x = hy_records_from(F, records, (size_t)(to - records), type);
    CHECK(x && hy_value(F, hy_get(F, x, 1), 1) == 4 && hy_value(F, hy_get(F, x, 0), 1, 3) == 0x23 &&
          hy_value(F, hy_get(F, x, 0), 1, 7) == 6 && hy_value(F, hy_get(F, x, 0), 0, 7) == 8);
    for (n = 0; n < (size_t)(to - records); n++) {      /* cut short anywhere but between records */
        if (n == 0 || n == 40) continue;
        CHECK(!hy_records_from(F, records, n, type) && hy_error(F));
        hy_clear(F);
    }
    data_record(&to, 2, 4, plain, 0);
    CHECK(!hy_records_from(F, records, (size_t)(to - records), type));
    train_expect(F, "record 2 has another number of labels");
    to = records;
    data_record(&to, 0, 4, jpeg, 0);
    CHECK(!hy_records_from(F, records, (size_t)(to - records), type));
    train_expect(F, "record 0 is a JPEG image");
    for (n = 0; n < sizeof data_idx; n++) {
        CHECK(!hy_idx_from(F, data_idx, n));
        CHECK(hy_error(F) != NULL);
        hy_clear(F);
    }
    CHECK(!hy_cifar_from(F, cifar, sizeof cifar - 1, 10));
    train_expect(F, "no whole number of images");
    cifar[0] = 10;
    CHECK(!hy_cifar_from(F, cifar, sizeof cifar, 10));
    train_expect(F, "label 10");
    CHECK(!hy_csv_from(F, data_csv, sizeof data_csv - 1, NULL));
    train_expect(F, "line 1: no number");
    CHECK(!hy_csv_from(F, "1,2\n3\n", 6, NULL));
    train_expect(F, "line 2: another number of columns");
    CHECK(!hy_csv_from(F, "1,\n", 3, NULL));
    train_expect(F, "a number is missing");
    CHECK(!hy_csv_from(F, "1\0" "2\n", 4, NULL));
    train_expect(F, "a byte 0");
    CHECK(!hy_read_idx(F, "data_nowhere"));
    train_expect(F, "cannot be opened");
    CHECK(!hy_idx_from(F, "\x1f\x8b\x08\x00", 4));
    train_expect(F, "gzip");
    CHECK(hy_close(F) == 0);
}

static int data_oom_program(hy_frame *F)
{
    hy_csv_opt csv;
    hy_dataset *D = hy_dataset_of(F, 10, 2, data_types, data_made, NULL);
    hy_dataset *M = D ? hy_dataset_map(F, D, 1, data_types, data_turn, NULL) : NULL;
    hy_loader_opt o;
    hy_loader *L;
    hy_array *x, *batch = NULL;
    int ok = 0, i;
    memset(&o, 0, sizeof o);
    memset(&csv, 0, sizeof csv);
    csv.skip = 1;
    o.prefetch = 2;
    L = M ? hy_loader_new(F, M, 3, &o) : NULL;
    for (i = 0; L && i < 2; i++) batch = hy_next(F, L);
    x = hy_csv_from(F, data_csv, sizeof data_csv - 1, &csv);
    ok = batch && x && hy_value(F, batch, 0, 1) == 3.5 && hy_value(F, x, 1, 1) == 4;
    if (L) hy_loader_free(F, L);
    if (M) hy_dataset_free(F, M);
    if (D) hy_dataset_free(F, D);
    return ok && !hy_error(F);
}
static void test_data_oom(void) { oom_walk(data_oom_program, 1); }

/* A batch for which there was no memory comes with the next call. */
static void data_nothing_lost(int workers, int at)
{
    int failed = 1;
    long n;
    for (n = 0; failed && n < 1000; n++) {
        oom_meter meter;
        hy_frame *F = oom_open(&meter, 1000000, 0, 1);
        hy_dataset *D = hy_dataset_of(F, 12, 2, data_types, data_made, NULL);
        hy_loader_opt o;
        hy_loader *L;
        hy_array *x;
        int64_t sample = 0;
        int i;
        memset(&o, 0, sizeof o);
        o.prefetch = 2;
        o.num_workers = workers;
        L = hy_loader_new(F, D, 3, &o);
        failed = 0;
        do {
            if (!failed && sample == 3 * at) meter.left = n;
            x = hy_next(F, L);
            meter.left = 1000000;
            if (!x && hy_error(F)) { train_expect(F, "out of memory"); failed++; continue; }
            for (i = 0; x && i < 3; i++) CHECK_NEAR(hy_value(F, hy_get(F, x, 0), i, 0), (double)sample++, 0);
        } while (x || (failed && sample == 3 * at));
        CHECK(sample == 12 && failed < 2 && !hy_close(F));
    }
    CHECK(!failed);
}
static void test_data_nothing_lost(void)
{
    int at;
    for (at = 0; at < 4; at++) {
        data_nothing_lost(0, at);
        data_nothing_lost(2, at);
    }
}

static void test_data(void)
{
    RUN(test_data_batches);
    RUN(test_data_threads);
    RUN(test_data_errors);
    RUN(test_data_no_allocation);
    RUN(test_data_readers);
    RUN(test_data_hollow);
    RUN(test_data_oom);
    RUN(test_data_nothing_lost);
}
