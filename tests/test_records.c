/* RecordIO by number: in any order, by any number of threads, and what a bad file or index is told. */
#if !defined(HYBRID_NO_TRAIN) && !defined(HYBRID_NO_IO)
enum { RECORDS = 40, RECORDS_ROOM = 40 * 64 };
/* Records of 8 bytes, i + 10 k, every third cut at a magic number within; where each begins. */
static size_t records_make(unsigned char *file, uint32_t flag, size_t *at)
{
    unsigned char *to = file, data[8];
    int i, k;
    for (i = 0; i < RECORDS; i++) {
        for (k = 0; k < 8; k++) data[k] = (unsigned char)(i + k);
        if (i % 3 == 2) memcpy(data + 2, "\x0a\x23\xd7\xce", 4);
        at[i] = (size_t)(to - file);
        data_record(&to, flag, (float)i / 2, data, i % 3 == 2);
    }
    return (size_t)(to - file);
}

/* Lines in another order: record 7 i. */
static int records_index(char *text, const size_t *at)
{
    int i, n = 0;
    for (i = 0; i < RECORDS; i++) n += sprintf(text + n, "%d\t%lu\n", i * 7 % RECORDS, (unsigned long)at[i * 7 % RECORDS]);
    return n;
}

static const hy_type records_type = { HY_U8, { 1, { 8 } } };

static void test_records_by_number(void)
{
    static unsigned char file[RECORDS_ROOM];
    size_t at[RECORDS], bytes;
    char index[RECORDS * 24];
    int n, i, k, workers, indexed;
    for (indexed = 0; indexed < 2; indexed++) for (workers = 0; workers < 4; workers += 3) {
        hy_frame *F = control_open(2);
        uint32_t flag = workers ? 2 : 0;
        hy_dataset *D;
        hy_loader *L;
        hy_loader_opt o;
        hy_array *all, *x;
        bytes = records_make(file, flag, at);
        n = records_index(index, at);
        all = hy_records_from(F, file, bytes, records_type);
        D = hy_dataset_records_from(F, file, bytes, indexed ? index : NULL, (size_t)n, records_type);
        CHECK(hy_dataset_length(F, D) == RECORDS);
        memset(&o, 0, sizeof o);
        o.num_workers = workers;
        L = hy_loader_new(F, D, RECORDS, &o);
        x = hy_next(F, L);
        for (i = 0; x && i < RECORDS; i++) {
            int from = indexed ? i * 7 % RECORDS : i;
            for (k = 0; k < 8; k++)
                CHECK(hy_value(F, hy_get(F, x, 0), i, k) == hy_value(F, hy_get(F, all, 0), from, k));
            if (flag) CHECK(hy_value(F, hy_get(F, x, 1), i, 1) == hy_value(F, hy_get(F, all, 1), from, 1));
            else CHECK(hy_value(F, hy_get(F, x, 1), i) == hy_value(F, hy_get(F, all, 1), from));
        }
        CHECK_STR(hy_error(F), NULL);
        CHECK(hy_close(F) == 0);
    }
}

#ifndef HYBRID_NO_STDIO
static void test_records_files(void)
{
    static unsigned char file[RECORDS_ROOM];
    size_t at[RECORDS], bytes = records_make(file, 0, at);
    char index[RECORDS * 24];
    int n = records_index(index, at), i;
    hy_frame *F = control_open(1);
    FILE *to = fopen("records_test.rec", "wb");
    hy_dataset *D;
    fwrite(file, 1, bytes, to);
    fclose(to);
    to = fopen("records_test.idx", "wb");
    fwrite(index, 1, (size_t)n, to);
    fclose(to);
    D = hy_dataset_records(F, "records_test.rec", "records_test.idx", records_type);
    CHECK(hy_dataset_length(F, D) == RECORDS);
    for (i = RECORDS - 1; i >= 0; i -= 13)
        CHECK(hy_value(F, hy_get(F, hy_dataset_get(F, D, i), 1), 0) == (i * 7 % RECORDS) / 2.);
    D = hy_dataset_records(F, "records_test.rec", NULL, records_type);
    CHECK(hy_value(F, hy_get(F, hy_dataset_get(F, D, 6), 1), 0) == 3);
    to = fopen("records_test.rec", "wb");               /* it becomes shorter while it is open */
    fwrite(file, 1, at[3], to);
    fclose(to);
    hy_dataset_get(F, D, 30);                           /* from what was read before, or an error */
    hy_clear(F);
    CHECK(!hy_dataset_records(F, "records_test.rec", "records_test.idx", records_type));
    train_expect(F, "truncated");
    CHECK(!hy_dataset_records(F, "records_nowhere.rec", NULL, records_type));
    train_expect(F, "cannot be opened");
    CHECK(!hy_dataset_records(F, "records_test.rec", "records_nowhere.idx", records_type));
    train_expect(F, "cannot be opened");
    CHECK(hy_close(F) == 0);
    remove("records_test.rec");
    remove("records_test.idx");
}
#endif

static void test_records_errors(void)
{
    static const struct { const char *index, *said; } bad[] = {
        { "0\n", "line 1 of the index" }, { "0 0\nx 4\n", "line 2 of the index" }, { "0 0 0\n", "line 1 of the index" },
        { "0 99999999999999999999\n", "line 1 of the index" }, { "0 4\n", "does not begin with the magic number" },
        { "0 1234567890123\n", "truncated" }, { "-1 0\n", "line 1 of the index" } };
    static unsigned char file[RECORDS_ROOM], cut[RECORDS_ROOM];
    size_t at[RECORDS], bytes = records_make(file, 0, at), n, k;
    hy_frame *F = control_open(1);
    hy_type type = records_type;
    hy_dataset *D;
    for (k = 0; k < sizeof bad / sizeof *bad; k++) {
        CHECK(!hy_dataset_records_from(F, file, bytes, bad[k].index, strlen(bad[k].index), type));
        train_expect(F, bad[k].said);
    }
    for (n = 1; n < at[3]; n++) {                       /* cut short anywhere but between records */
        if (n == at[1] || n == at[2]) continue;
        CHECK(!hy_dataset_records_from(F, file, n, NULL, 0, type) && hy_error(F));
        hy_clear(F);
    }
    D = hy_dataset_records_from(F, file, 0, NULL, 0, type);
    CHECK(D && hy_dataset_length(F, D) == 0);
    memcpy(cut, file, bytes);
    cut[at[4] + 8] = 3;                                 /* another number of labels than the first has */
    D = hy_dataset_records_from(F, cut, bytes, NULL, 0, type);
    CHECK(D && !hy_dataset_get(F, D, 4));
    train_expect(F, "could not make sample");
    type.shape.dim[0] = 9;
    CHECK(!hy_dataset_records_from(F, file, bytes, NULL, 0, type));
    train_expect(F, "holds 8 bytes of data, where 9 are due");
    CHECK(hy_close(F) == 0);
}

static int records_oom(hy_frame *F)
{
    static unsigned char file[RECORDS_ROOM];
    size_t at[RECORDS], bytes = records_make(file, 0, at);
    hy_dataset *D = hy_dataset_records_from(F, file, bytes, "0 0\n1 40\n", 9, records_type);
    hy_array *x = D ? hy_dataset_get(F, D, 0) : NULL;
    return x && !hy_error(F);
}

static void test_records_oom(void) { oom_walk(records_oom, 1); }
#endif

static void test_records(void)
{
#if !defined(HYBRID_NO_TRAIN) && !defined(HYBRID_NO_IO)
    RUN(test_records_by_number);
#ifndef HYBRID_NO_STDIO
    RUN(test_records_files);
#endif
    RUN(test_records_errors);
    RUN(test_records_oom);
#endif
}
