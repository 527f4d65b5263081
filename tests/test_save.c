/* Files: formats, symbols old and new, export and import, what broken files meet. Files that MXNet made lie in
 * golden/mxnet; models of other people in ../shared/models are used where they are. */

#if defined(__unix__) || defined(__APPLE__)
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#define SAVE_UNIX 1
#ifdef __linux__
#include <sys/sysmacros.h>
#endif
#else
#define SAVE_UNIX 0
#ifdef _WIN32
#include <dirent.h>
#endif
#endif

#ifndef HYBRID_NO_THREADS
#include <pthread.h>
#endif

static const char *save_dir = "tests/golden/mxnet/";

/* Files are little-endian: only where memory is so too can values lie in them. */
static int save_in_place(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one;
}

static int save_same(hy_frame *F, hy_array *a, hy_array *b)
{
    return a && b && hy_dtype_of(F, a) == hy_dtype_of(F, b) && hy__same_shape(&a->t.type.shape, &b->t.type.shape) &&
           !memcmp(hy_data(F, a), hy_data(F, b), (size_t)hy_size(F, a) * hy_dtype_size(hy_dtype_of(F, a)));
}

/* The largest difference, relative to the largest value wanted. */
static double save_error(hy_frame *F, hy_array *got, hy_array *want)
{
    double most = 0, scale = 1e-9;
    int64_t i;
    const float *a, *b;
    if (!got || !want || hy_size(F, got) != hy_size(F, want)) return 1e9;
    got = hy_cast(F, got, HY_F32);
    want = hy_cast(F, want, HY_F32);
    a = (const float *)hy_data(F, got);
    b = (const float *)hy_data(F, want);
    for (i = 0; a && b && i < hy_size(F, want); i++) {
        if (fabs(a[i] - b[i]) > most) most = fabs(a[i] - b[i]);
        if (fabs(b[i]) > scale) scale = fabs(b[i]);
    }
    return a && b ? most / scale : 1e9;
}

static int save_exists(const char *file)
{
    FILE *f = fopen(file, "rb");
    if (f) fclose(f);
    return f != NULL;
}

static long save_size(const char *file)
{
    FILE *f = fopen(file, "rb");
    long n = -1;
    if (f && !fseek(f, 0, SEEK_END)) n = ftell(f);
    if (f) fclose(f);
    return n;
}

/* How many files of the folder were written aside and stayed. */
static int save_left(void)
{
    int n = 0;
#if SAVE_UNIX || defined(_WIN32)
    DIR *here = opendir(".");
    const struct dirent *e;
    while (here && (e = readdir(here)) != NULL) n += strstr(e->d_name, ".part") != NULL;
    if (here) closedir(here);
#endif
    return n;
}

static hy_array *save_text(hy_frame *F, const char *file)      /* the bytes of a file, followed by a 0 */
{
    long n = save_size(file);
    hy_array *x = n < 0 ? NULL : hy_empty(F, HY_SHAPE(n + 1), HY_U8);
    FILE *f = x ? fopen(file, "rb") : NULL;
    char *to = f ? (char *)hy_write(F, x) : NULL;
    if (to) to[fread(to, 1, (size_t)n, f)] = 0;
    if (f) fclose(f);
    return to ? x : NULL;
}

static hy_arrays save_some(hy_frame *F, hy_array **at, const char **name)
{
    static const hy_dtype types[] = { HY_F32, HY_F64, HY_F16, HY_BF16, HY_I8, HY_U8, HY_I32, HY_I64, HY_BOOL };
    static const char *const names[] = { "a", "arg:b.c", "\xc3\xa9 \"x\"", "d/e", "f", "g", "h", "i", "j", "none",
                                         "turned", "one" };
    hy_array *x = hy_normal(F, HY_SHAPE(3, 5), 0, 3);
    hy_arrays all;
    int i;
    for (i = 0; i < 9; i++) at[i] = hy_cast(F, x, types[i]);
    at[9] = hy_zeros(F, HY_SHAPE(0, 3));
    at[10] = hy_view_transpose(F, x, HY_ALL);
    at[11] = hy_scalar(F, 7);
    for (i = 0; i < 12; i++) name[i] = names[i];
    all.n = 12;
    all.at = at;
    all.name = name;
    return all;
}

static void save_formats(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *at[12], *bytes, *packed;
    const char *name[12];
    hy_arrays all = save_some(F, at, name), got, file;
    static const char *const files[] = { "save_t.params", "save_t.npy", "save_t.npz", "save_t.safetensors" };
    int f, i, borrow;
    for (f = 0; f < 4; f++) {
        all.n = f == HY_FORMAT_NPY ? 1 : 12;
        bytes = hy_save_to(F, (hy_format)f, all);
        CHECK(bytes && !hy_save(F, files[f], all));
        CHECK(save_size(files[f]) == (long)hy_size(F, bytes));
        for (borrow = 0; borrow < 2; borrow++) {
            got = hy_load_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), borrow);
            file = hy_load(F, files[f]);
            if (!CHECK(got.n == all.n && file.n == all.n)) continue;
            for (i = 0; i < all.n; i++) {
                packed = hy_copy(F, at[i]);
                CHECK(save_same(F, got.at[i], packed) && save_same(F, file.at[i], packed));
                if (got.name) CHECK_STR(got.name[i], name[i]);
            }
            CHECK((got.name != NULL) == (f != HY_FORMAT_NPY));
            if (f == HY_FORMAT_NPZ)     /* in place: nothing was copied */
                CHECK((borrow && save_in_place()) ==
                      ((const char *)hy_data(F, got.at[0]) > (const char *)hy_data(F, bytes) &&
                       (const char *)hy_data(F, got.at[0]) < (const char *)hy_data(F, bytes) + hy_size(F, bytes)));
        }
        CHECK(!hy_error(F));
        remove(files[f]);
    }
    all.n = 0;
    bytes = hy_save_to(F, HY_FORMAT_PARAMS, all);
    CHECK(hy_load_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), 0).n == 0 && !hy_error(F));
    all.n = 2;
    all.name = NULL;
    CHECK(!hy_save_to(F, HY_FORMAT_NPZ, all) && strstr(hy_error(F), "need names"));
    hy_clear(F);
    CHECK(!hy_save_to(F, HY_FORMAT_NPY, all) && strstr(hy_error(F), "one array"));
    hy_clear(F);
    CHECK(hy_save(F, "no/such/folder/x.params", all) && strstr(hy_error(F), "no/such/folder"));
    hy_clear(F);
    hy_load(F, "tests");                /* a folder */
    CHECK(hy_error(F) != NULL);
    hy_clear(F);
    CHECK(hy_close(F) == 0);
}

static hy_block *save_mlp(hy_frame *F)
{
    hy_nn_dense_opt relu = { 0 };
    hy_block *net = hy_nn_hybrid_sequential(F);
    int i;
    relu.activation = "relu";
    for (i = 0; i < 3; i++) hy_block_prefix(F, hy_nn_dense(F, 1, NULL));        /* dense0 to dense2 are taken */
    hy_append(F, net, hy_nn_dense(F, 256, &relu), hy_nn_dense(F, 128, &relu), hy_nn_dense(F, 2, NULL));
    hy_initialize(F, net, NULL);
    return net;
}

/* The book's network, to the byte. */
static void save_book(void)
{
    static const char *const lines[] = { "{", "  \"nodes\": [", "    {", "      \"op\": \"null\", ",
        "      \"name\": \"data\", ", "      \"inputs\": []", "    }, ", "    {", "      \"op\": \"null\", ",
        "      \"name\": \"dense3_weight\", " };
    hy_frame *F = hy_open(NULL);
    hy_block *net = save_mlp(F), *again, *model;
    hy_array *x = hy_normal(F, HY_SHAPE(1, 512), 0, 1), *wide = hy_normal(F, HY_SHAPE(16, 512), 0, 1), *y, *z, *text;
    const char *s;
    size_t n;
    int i;
    CHECK(hy_export(F, net, "my_mlp", 0) && strstr(hy_error(F), "first call"));
    hy_clear(F);
    hy_hybridize(F, net, NULL);
    y = hy_call(F, net, x);
    CHECK(!hy_export(F, net, "my_mlp", 0) && !hy_save_model(F, net, "my_mlp.model"));
    CHECK(save_size("my_mlp-0000.params") == 658320);
    CHECK(save_size("my_mlp-symbol.json") >= 2970 && save_size("my_mlp-symbol.json") <= 3072);
    CHECK(save_size("my_mlp.model") > 0 && save_size("my_mlp.model") <= 667648);
    text = save_text(F, "my_mlp-symbol.json");
    for (s = text ? (const char *)hy_data(F, text) : "", i = 0; i < 10; i++, s += n + 1) {
        n = strcspn(s, "\n");
        if (!CHECK(n == strlen(lines[i]) && !memcmp(s, lines[i], n))) break;
    }
    again = hy_import(F, "my_mlp", 0);
    model = hy_load_model(F, "my_mlp.model");
    CHECK(save_error(F, hy_call(F, again, x), y) < 1e-6 && save_error(F, hy_call(F, model, x), y) < 1e-6);
    hy_hybridize(F, model, NULL);
    z = hy_call(F, net, wide);          /* another batch */
    CHECK(save_error(F, hy_call(F, model, wide), z) < 1e-6 && save_error(F, hy_call(F, again, wide), z) < 1e-6);
    CHECK(!hy_export(F, model, "my_mlp2", 7));
    CHECK(text && save_same(F, text, save_text(F, "my_mlp2-symbol.json")));
    CHECK(save_same(F, save_text(F, "my_mlp-0000.params"), save_text(F, "my_mlp2-0007.params")));
    CHECK(!save_left());
    remove("my_mlp-symbol.json");
    remove("my_mlp-0000.params");
    remove("my_mlp2-symbol.json");
    remove("my_mlp2-0007.params");
    remove("my_mlp.model");
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* LeNet under the names of another epoch, imported by the names of its files; and a save that fails leaves what
 * was there. */
static void save_lenet(void)
{
    hy_frame *F = hy_open(NULL);
    hy_nn_conv_opt act = { 0 };
    hy_nn_dense_opt dense = { 0 };
    hy_block *net = hy_nn_hybrid_sequential(F), *again, *raw = hy_nn_dense(F, 3, NULL);
    hy_array *x = hy_normal(F, HY_SHAPE(2, 1, 28, 28), 0, 1), *y, *before;
    hy_import_opt opt = { 0 };
    hy_arrays one;
    act.activation = dense.activation = "sigmoid";
    hy_append(F, net, hy_nn_conv2d(F, 6, HY_INTS(5), &act), hy_nn_max_pool2d(F, HY_INTS(2), NULL),
              hy_nn_conv2d(F, 16, HY_INTS(3), &act), hy_nn_max_pool2d(F, HY_INTS(2), NULL), hy_nn_dense(F, 120, &dense),
              hy_nn_dense(F, 84, &dense), hy_nn_dense(F, 10, NULL));
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    y = hy_call(F, net, x);
    CHECK(!hy_export(F, net, "model", 1));
    opt.inputs = "data";
    again = hy_import_files(F, "model-symbol.json", "model-0001.params", &opt);
    CHECK(save_error(F, hy_call(F, again, x), y) < 1e-6);
    again = hy_import_files(F, "model-symbol.json", NULL, &opt);        /* without values */
    hy_initialize(F, again, NULL);
    CHECK(hy_dim(F, hy_call(F, again, x), 1) == 10);
    before = save_text(F, "model-0001.params");
    CHECK(!hy_error(F));
    hy_initialize(F, raw, NULL);        /* its shape is not known: nothing is written */
    CHECK(hy_save_parameters(F, raw, "model-0001.params", NULL) && strstr(hy_error(F), "deferred"));
    hy_clear(F);
    CHECK(save_same(F, before, save_text(F, "model-0001.params")) && !save_left());
    one.n = 1;
    one.at = &x;
    one.name = NULL;
    CHECK(hy_save(F, "tests", one) && strstr(hy_error(F), "cannot take the place"));   /* a folder */
    hy_clear(F);
    CHECK(!save_left());
    CHECK(hy_export(F, net, "model", -1) && strstr(hy_error(F), "below 0"));
    hy_clear(F);
    remove("model-symbol.json");
    remove("model-0001.params");
    CHECK(hy_close(F) == 0);
}

/* No room on the disk: what was there stays, and nothing else does. */
static void save_full_disk(void)
{
#if SAVE_UNIX
    hy_frame *F = hy_open(NULL);
    static const char *const files[] = { "save_t.params", "save_t.npy", "save_t.npz", "save_t.safetensors" };
    static const char *const name = "x";
    hy_array *x = hy_normal(F, HY_SHAPE(100, 100), 0, 1), *more = hy_zeros(F, HY_SHAPE(300, 300));
    hy_block *net = hy_nn_dense(F, 3, NULL);
    hy_arrays one;
    struct rlimit all, few;
    int i;
    one.n = 1;
    one.name = &name;
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    hy_call(F, net, x);
    CHECK(!hy_export(F, net, "save_t", 0));
    for (i = 0; i < 4; i++) { one.at = &x; CHECK(!hy_save(F, files[i], one)); }
    CHECK(!hy_error(F));
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &all);
    few = all;
    few.rlim_cur = 50000;
    setrlimit(RLIMIT_FSIZE, &few);
    for (i = 0; i < 4; i++) {
        one.at = &more;
        CHECK(hy_save(F, files[i], one) && hy_error(F) && strstr(hy_error(F), "larger than the system allows"));
        CHECK(hy_error(F) && strstr(hy_error(F), files[i]) != NULL);
        hy_clear(F);
    }
    few.rlim_cur = 900;                 /* room for the parameters, but not for the graph */
    setrlimit(RLIMIT_FSIZE, &few);
    CHECK(hy_export(F, net, "save_t", 0) && strstr(hy_error(F), "save_t-symbol.json"));
    hy_clear(F);
    setrlimit(RLIMIT_FSIZE, &all);
    signal(SIGXFSZ, SIG_DFL);
    CHECK(!save_left());
    for (i = 0; i < 4; i++) {
        CHECK(save_same(F, hy_load(F, files[i]).at[0], x));
        remove(files[i]);
    }
    CHECK(hy_import(F, "save_t", 0) != NULL);
    remove("save_t-symbol.json");
    remove("save_t-0000.params");
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
#endif
}

/* Zips whose numbers take 64 bits, that have many entries, that other programs wrote. */
static unsigned char *save_find(unsigned char *data, size_t n, const char *what)       /* 4 bytes; the last */
{
    for (n -= 4; n && memcmp(data + n, what, 4); n--) continue;
    return data + n;
}

static void save_zip(void)
{
    enum { MANY = 70000 };
    static const struct { const char *at; int offset; unsigned char is; const char *says; } broken[] = {
        { "PK\1\2", 8, 1, "encrypted" }, { "PK\1\2", 10, 8, "is compressed" }, { "PK\1\2", 24, 1, "two sizes" },
        { "PK\1\2", 0, 1, "no entry of a zip" }, { "PK\1\2", 42, 1, "no zip entry" }, { "PK\1\2", 16, 1, "checksum" },
        { "PK\1\2", 45, 1, "truncated" }, { "PK\1\2", 46, 0xff, "no UTF-8" }, { "PK\5\6", 0, 1, "without its directory" },
        { "PK\5\6", 19, 1, "truncated" }, { "PK\5\6", 10, 1, NULL }, { "PK\5\6", 10, 3, "no entry of a zip" } };
    static const char *const two[] = { "a", "b" };
    hy_frame *F = hy_open(NULL);
    hy_arrays a = hy_load(F, "tests/golden/mxnet/zip64.npz"), got;
    hy_array *at[2], *bytes;
    unsigned char *data, *place;
    size_t i, n;
    CHECK(a.n == 2 && hy_value(F, hy_array_named(F, a, "a"), 1, 0) == 3 && hy_item(F, hy_array_named(F, a, "b")) == 7);
    hy_load(F, "tests/golden/mxnet/deflated.npz");
    CHECK(hy_error(F) && strstr(hy_error(F), "deflated.npz, byte 126") && strstr(hy_error(F), "(entry w.npy)"));
    hy_clear(F);
    at[0] = hy_arange(F, 0, 41, 1);
    at[1] = hy_scalar(F, 5);
    a.n = 2;
    a.at = at;
    a.name = two;
    bytes = hy_save_to(F, HY_FORMAT_NPZ, a);
    n = (size_t)hy_size(F, bytes);
    data = (unsigned char *)malloc(n);
    for (i = 0; i < sizeof broken / sizeof *broken; i++) {
        memcpy(data, hy_data(F, bytes), n);
        place = save_find(data, n, broken[i].at);
        place[broken[i].offset] = place[broken[i].offset] == broken[i].is ? 0 : broken[i].is;
        got = hy_load_from(F, data, n, 0);
        if (!broken[i].says) CHECK(got.n == 1 && !hy_error(F));
        else if (!CHECK(hy_error(F) && strstr(hy_error(F), broken[i].says)))
            printf("    %s: %s\n", broken[i].says, hy_error(F) ? hy_error(F) : "no error");
        hy_clear(F);
    }
    free(data);
    at[0] = hy_arange(F, 0, 401, 1);    /* twice the first entry: more bytes than there are */
    bytes = hy_save_to(F, HY_FORMAT_NPZ, a);
    n = (size_t)hy_size(F, bytes);
    data = (unsigned char *)hy_write(F, bytes);
    place = save_find(data, n, "PK\1\2");
    i = (size_t)(place - save_find(data, (size_t)(place - data), "PK\1\2"));
    memcpy(place, place - i, i);
    hy_load_from(F, data, n, 0);
    CHECK(hy_error(F) && strstr(hy_error(F), "overlap"));
    hy_clear(F);
    if (!getenv("TEST_UNDER_VALGRIND")) {
        hy_array **many = (hy_array **)malloc(MANY * sizeof *many);
        const char **name = (const char **)malloc(MANY * sizeof *name);
        char *text = (char *)malloc(MANY * 8);
        for (i = 0; i < MANY; i++) {
            many[i] = at[1];
            name[i] = text + i * 8;
            sprintf(text + i * 8, "%05d", (int)i);
        }
        a.n = MANY;
        a.at = many;
        a.name = name;
        bytes = hy_save_to(F, HY_FORMAT_NPZ, a);
        got = hy_load_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), 1);
        CHECK(got.n == MANY && hy_item(F, got.at[MANY - 1]) == 5);
        CHECK(got.n == MANY && !strcmp(got.name[MANY - 1], "69999"));
        free((void *)many);
        free((void *)name);
        free(text);
    }
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* Safetensors: what belongs to no array or to two. */
static void save_safetensors(void)
{
    static const struct { const char *head, *says; } broken[] = {
        { "{\"a\":{\"dtype\":\"U8\",\"shape\":[16],\"data_offsets\":[0,16]}}", NULL },
        { "{\"a\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[8,16]}}", "byte 62: 8 bytes that belong to no array" },
        { "{\"a\":{\"dtype\":\"U8\",\"shape\":[17],\"data_offsets\":[0,17]}}", "truncated" },
        { "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,5]}}", "byte 54: 5 bytes for (4,) U8" },
        { "{\"a\":{\"dtype\":\"U3\",\"shape\":[4],\"data_offsets\":[0,4]}}", "byte 23: elements of type U3" },
        { "{\"a\":{\"dtype\":\"U8\",\"shape\":4,\"data_offsets\":[0,4]}}", "are due here" },
        { "{\"a\":{\"dtype\":\"U8\",\"shape\":[-4],\"data_offsets\":[0,4]}}", "whole number from 0" },
        { "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[4,0]}}", "whole number from 4" },
        { "{\"a\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8]},\"b\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[4,12]}}",
          "arrays that overlap" },
        { "{\"b\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[8,16]},\"a\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8]}}",
          NULL },
        { "{\"a\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8]},\"a\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[8,16]}}",
          "byte 62: a second array called 'a'" },
        { "{\"a\":3}", "are due here" } };
    hy_frame *F = hy_open(NULL);
    char text[400], *to;
    size_t i, n;
    int k;
    for (i = 0; i < sizeof broken / sizeof *broken; i++) {
        memset(text, 0, sizeof text);
        n = strlen(broken[i].head);
        text[0] = (char)n;
        memcpy(text + 8, broken[i].head, n);
        hy_load_from(F, text, 8 + n + 16, 0);
        if (!CHECK(broken[i].says ? hy_error(F) && strstr(hy_error(F), broken[i].says) != NULL : !hy_error(F)))
            printf("    %s: %s\n", broken[i].says, hy_error(F) ? hy_error(F) : "no error");
        hy_clear(F);
    }
    memset(text, 0, sizeof text);       /* the same bytes again and again */
    for (to = text + 8, k = 0; k < 4; k++)
        to += sprintf(to, "%c\"%d\":{\"dtype\":\"U8\",\"shape\":[100],\"data_offsets\":[0,100]}", k ? ',' : '{', k);
    *to++ = '}';
    text[0] = (char)(to - text - 8);
    hy_load_from(F, text, sizeof text, 0);
    CHECK(hy_error(F) && strstr(hy_error(F), "overlap"));
    hy_clear(F);
    CHECK(hy_close(F) == 0);
}

/* --- files that ask for more than they are --- */
typedef struct save_bytes { unsigned char *at; size_t n, cap; } save_bytes;
static void save_put(save_bytes *b, const void *data, size_t n)
{
    if (b->n + n > b->cap) {
        b->cap = 2 * b->cap + n;
        b->at = (unsigned char *)realloc(b->at, b->cap);
    }
    memcpy(b->at + b->n, data, n);
    b->n += n;
}

static void save_put_number(save_bytes *b, int bytes, uint64_t v)
{
    unsigned char text[8];
    int i;
    for (i = 0; i < bytes; i++) text[i] = (unsigned char)(v >> 8 * i);
    save_put(b, text, (size_t)bytes);
}

static save_bytes save_params_of(uint64_t n)
{
    save_bytes b = { NULL, 0, 0 };
    save_put_number(&b, 8, 0x112);
    save_put_number(&b, 8, 0);
    save_put_number(&b, 8, n);
    return b;
}

static int save_says(hy_frame *F, const char *what)     /* the error that is expected, and the frame goes on */
{
    int ok = hy_error(F) && strstr(hy_error(F), what) != NULL;
    if (!ok) printf("    wanted: %s\n    got:    %s\n", what, hy_error(F) ? hy_error(F) : "no error");
    hy_clear(F);
    return ok;
}

/* Rows of zeros that a file does not have: a few are what sparse arrays are for, many are a bomb. */
static void save_sparse_bomb(void)
{
    hy_frame *F = hy_open(NULL);
    int arrays, i;
    for (arrays = 2; arrays <= 20; arrays += 18) {
        save_bytes b = save_params_of((uint64_t)arrays);
        for (i = 0; i < arrays; i++) {
            save_put_number(&b, 4, 0xF993FAC9u);
            save_put_number(&b, 4, 1);
            save_put_number(&b, 4, 2);                          /* stored: no rows of one element */
            save_put_number(&b, 8, 0);
            save_put_number(&b, 8, 1);
            save_put_number(&b, 4, 2);                          /* of 8 MB */
            save_put_number(&b, 8, 1 << 21);
            save_put_number(&b, 8, 1);
            save_put_number(&b, 8, 1);
            save_put_number(&b, 4, 0);
            save_put_number(&b, 4, 6);                          /* no row numbers */
            save_put_number(&b, 4, 1);
            save_put_number(&b, 8, 0);
        }
        save_put_number(&b, 8, 0);
        hy_begin(F);
        if (arrays == 2) CHECK(hy_load_from(F, b.at, b.n, 0).n == 2 && !hy_error(F));
        else {
            hy_load_from(F, b.at, b.n, 0);
            CHECK(save_says(F, "too large for so small a file"));
        }
        hy_end(F);
        free(b.at);
    }
    CHECK(hy_memory_use(F).peak < 100u << 20);
    {                                   /* two rows, of which the values' own shape knows none: MXNet writes such */
        save_bytes b = save_params_of(1);
        hy_arrays a;
        save_put_number(&b, 4, 0xF993FAC9u);
        save_put_number(&b, 4, 1);
        save_put_number(&b, 4, 2);
        save_put_number(&b, 8, 0);
        save_put_number(&b, 8, 1);
        save_put_number(&b, 4, 2);
        save_put_number(&b, 8, 4);
        save_put_number(&b, 8, 1);
        save_put_number(&b, 8, 1);
        save_put_number(&b, 4, 3);                              /* bytes */
        save_put_number(&b, 4, 6);
        save_put_number(&b, 4, 1);
        save_put_number(&b, 8, 2);
        save_put(&b, "\7\11", 2);
        save_put_number(&b, 8, 1);
        save_put_number(&b, 8, 3);
        save_put_number(&b, 8, 0);
        a = hy_load_from(F, b.at, b.n, 0);
        CHECK(a.n == 1 && !memcmp(hy_data(F, a.at[0]), "\0\7\0\11", 4) && !hy_error(F));
        free(b.at);
    }
    {                                   /* compressed rows, one more than there can be */
        save_bytes b = save_params_of(1);
        save_put_number(&b, 4, 0xF993FAC9u);
        save_put_number(&b, 4, 2);
        save_put_number(&b, 4, 1);
        save_put_number(&b, 8, 0);
        save_put_number(&b, 4, 2);
        save_put_number(&b, 8, INT64_MAX);
        save_put_number(&b, 8, 0);
        save_put_number(&b, 8, 1);
        save_put_number(&b, 4, 0);
        for (i = 0; i < 2; i++) {
            save_put_number(&b, 4, 6);
            save_put_number(&b, 4, 1);
            save_put_number(&b, 8, 0);
        }
        save_put_number(&b, 8, 0);
        hy_load_from(F, b.at, b.n, 0);
        CHECK(save_says(F, "parts do not fit"));
        free(b.at);
    }
    CHECK(hy_close(F) == 0);
}

/* An error behind many arrays takes no more than no error; to look for each among all would not end. */
static void save_late_error(void)
{
    enum { MANY = 600000 };
    hy_frame *F = hy_open(NULL);
    int64_t calls[2];
    int i, bad;
    if (getenv("TEST_UNDER_VALGRIND")) { hy_close(F); return; }
    for (bad = 0; bad < 2; bad++) {
        save_bytes b = save_params_of(MANY);
        for (i = 0; i < MANY; i++) {
            save_put_number(&b, 4, 0xF993FACAu);
            save_put_number(&b, 4, 0);
            save_put_number(&b, 4, 0);
            save_put_number(&b, 8, 1);
            save_put_number(&b, 4, 0);
            save_put_number(&b, 4, 7);
        }
        save_put_number(&b, 8, bad ? 7 : 0);
        calls[bad] = hy_memory_use(F).calls;
        hy_begin(F);
        hy_load_from(F, b.at, b.n, 0);
        hy_end(F);
        calls[bad] = hy_memory_use(F).calls - calls[bad];
        free(b.at);
    }
    CHECK(save_says(F, "7 names for 600000 arrays"));
    CHECK(calls[1] <= calls[0] + 10);
    CHECK(hy_close(F) == 0);
}

/* Names and numbers at which readers could be mistaken. */
static void save_mistakable(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_arange(F, 0, 3, 1), *two[2], *bytes;
    const char *name[2];
    hy_arrays a, got;
    char text[300];
    size_t n;
    int f;
    a.at = two;
    two[0] = two[1] = x;
    a.name = name;
    for (f = 0; f < 4; f++) {
        if (f == HY_FORMAT_NPY) continue;
        a.n = 2;
        name[0] = name[1] = "a";
        CHECK(!hy_save_to(F, (hy_format)f, a) && save_says(F, "two arrays are called 'a'"));
        name[1] = "\xc3(";
        CHECK(!hy_save_to(F, (hy_format)f, a) && save_says(F, "array 1 is no UTF-8"));
        name[1] = NULL;
        CHECK(!hy_save_to(F, (hy_format)f, a) && save_says(F, "the name of array 1 is NULL"));
        a.n = -1;
        CHECK(!hy_save_to(F, (hy_format)f, a) && save_says(F, "-1 arrays"));
        a.n = 1;
        name[0] = "";
        bytes = hy_save_to(F, (hy_format)f, a);
        got = hy_load_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), 0);
        CHECK(got.n == 1 && !strcmp(got.name[0], "") && !hy_error(F));
        name[0] = "__metadata__";
        bytes = hy_save_to(F, (hy_format)f, a);
        if (f == HY_FORMAT_SAFETENSORS) CHECK(!bytes && save_says(F, "__metadata__"));
        else CHECK(hy_load_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), 0).n == 1);
    }
    a.n = 1;
    a.at = NULL;
    CHECK(!hy_save_to(F, HY_FORMAT_PARAMS, a) && save_says(F, "at NULL"));
    {                                   /* a head of 0x112 bytes begins as .params do */
        memset(text, ' ', sizeof text);
        n = (size_t)sprintf(text + 8, "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}");
        text[8 + n] = ' ';
        memcpy(text, "\x12\1\0\0\0\0\0\0", 8);
        got = hy_load_from(F, text, 8 + 0x112 + 1, 0);
        CHECK(got.n == 1 && hy_value(F, got.at[0], 0) == ' ' && !hy_error(F));
    }
    {                                   /* numpy's numbers that no type here has, and its words */
        static const struct { const char *head; int last; const char *says; } npy[] = {
            { "{'descr': '<u8', 'fortran_order': False, 'shape': (2,), }", 127, NULL },
            { "{'descr': '<u8', 'fortran_order': False, 'shape': (2,), }", 128, "byte 75: a number above" },
            { "{'descr': '<u8', 'fortran_order': 1, 'shape': (2,), }", 0, "neither True nor False" } };
        size_t i;
        for (i = 0; i < sizeof npy / sizeof *npy; i++) {
            memset(text, 0, sizeof text);
            n = strlen(npy[i].head);
            memcpy(text, "\x93NUMPY\1\0", 8);
            text[8] = (char)n;
            memcpy(text + 10, npy[i].head, n);
            text[10 + n + 15] = (char)npy[i].last;
            got = hy_load_from(F, text, 10 + n + 16, 1);
            if (npy[i].says) CHECK(save_says(F, npy[i].says));
            else CHECK(got.n == 1 && ((const int64_t *)hy_data(F, got.at[0]))[1] == (int64_t)127 << 56);
        }
    }
    {                                   /* '=' is the order of the machine; one byte has none */
        static const char *const heads[] = { "=f4", "=i2", "=u1", ">u1" };
        int i;
        for (i = 0; i < 4; i++) {
            const float wide[2] = { 1.5f, -2 };
            const int16_t h[2] = { 300, -2 };
            memset(text, 0, sizeof text);
            memcpy(text, "\x93NUMPY\1\0", 8);
            n = (size_t)sprintf(text + 10, "{'descr': '%s', 'fortran_order': False, 'shape': (2,), }", heads[i]);
            text[8] = (char)n;
            if (i == 0) memcpy(text + 10 + n, wide, sizeof wide);
            else if (i == 1) memcpy(text + 10 + n, h, sizeof h);
            else memcpy(text + 10 + n, "\7\10", 2);
            got = hy_load_from(F, text, 10 + n + (i == 0 ? 8 : i == 1 ? 4 : 2), 0);
            CHECK(got.n == 1 && hy_value(F, got.at[0], 0) == (i == 0 ? 1.5 : i == 1 ? 300 : 7));
            CHECK(got.n == 1 && hy_value(F, got.at[0], 1) == (i < 2 ? -2 : 8) && !hy_error(F));
        }
    }
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* Threads that save the same network do not meet: shared parameters are listed once, by their last names. */
#ifndef HYBRID_NO_THREADS
enum { SAVE_SHARED = 40 };
typedef struct save_lister { hy_frame *F; hy_block *net; int rounds, wrong, *arrived; } save_lister;
static void *save_list_often(void *user)
{
    save_lister *l = (save_lister *)user;
    hy_save_opt once = { 1 };
    hy_arrays a;
    int i;
    HY__ADD(l->arrived, 1);
    while (HY__LOAD(l->arrived) < 2) continue;
    for (i = 0; i < l->rounds; i++) {
        hy_begin(l->F);
        a = hy_parameters(l->F, l->net, &once);
        l->wrong += a.n != 2 || strcmp(a.name[0], "39.weight") || strcmp(a.name[1], "39.bias");
        l->wrong += hy_parameters(l->F, l->net, NULL).n != 2 * SAVE_SHARED;
        hy_end(l->F);
    }
    return NULL;
}
#endif

static void save_threads(void)
{
#ifndef HYBRID_NO_THREADS
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_sequential(F), *first = NULL, *b;
    hy_nn_dense_opt opt = { 0 };
    hy_save_opt once = { 1 };
    save_lister l[2];
    pthread_t thread;
    hy_arrays a;
    int i, arrived = 0;
    opt.in_units = 4;
    for (i = 0; i < SAVE_SHARED; i++) {
        b = hy_nn_dense(F, 4, &opt);
        if (first) hy_share_params(F, b, first);
        else first = b;
        hy_append(F, net, b);
    }
    hy_initialize(F, net, NULL);
    a = hy_parameters(F, net, &once);
    CHECK(a.n == 2 && !hy_set_parameters(F, net, a, NULL));     /* what shares has its values with it */
    for (i = 0; i < 2; i++) {
        l[i].F = hy_fork(F);
        l[i].net = net;
        l[i].rounds = 2000;
        l[i].arrived = &arrived;
        l[i].wrong = 0;
    }
    CHECK(!pthread_create(&thread, NULL, save_list_often, &l[1]));
    save_list_often(&l[0]);
    pthread_join(thread, NULL);
    for (i = 0; i < 2; i++) CHECK(!l[i].wrong && !hy_error(l[i].F) && !hy_close(l[i].F));
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
#endif
}

/* All arrays of a .params file are of the second form, or all of the third. */
static void save_one_form(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *at[3], *bytes;
    hy_arrays a, got;
    int odd;
    a.n = 3;
    a.at = at;
    a.name = NULL;
    for (odd = 0; odd < 3; odd++) {
        const unsigned char *data;
        at[0] = hy_ones(F, HY_SHAPE(2));
        at[1] = odd == 0 ? hy_ones(F, HY_SHAPE(2)) : odd == 1 ? hy_scalar(F, 3) : hy_zeros(F, HY_SHAPE(0, 2));
        at[2] = NULL;
        bytes = hy_save_to(F, HY_FORMAT_PARAMS, a);
        data = (const unsigned char *)hy_data(F, bytes);
        CHECK(data && data[24] == (odd ? 0xca : 0xc9) && !memcmp(data + 24, data + 24 + 4 + 4 + 12 + 8 + 4 + 8, 4));
        got = hy_load_from(F, data, (size_t)hy_size(F, bytes), 0);
        CHECK(got.n == 3 && !got.at[2] && save_same(F, got.at[1], at[1]));
    }
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* What is written to is a file, what a link points to, or a device; nothing else gives way, and nothing hangs. */
static void save_places(void)
{
#if SAVE_UNIX
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_arange(F, 0, 3, 1);
    char to[64];
    hy_arrays a;
    a.n = 1;
    a.at = &x;
    a.name = NULL;
    CHECK(!mkdir("save_d", 0777) && !symlink("save_d/real.params", "save_l") && !symlink("save_l", "save_ll") &&
          !symlink("save_o", "save_oo") && !symlink("save_oo", "save_o") && !mkfifo("save_f", 0666));
    CHECK(!hy_save(F, "save_ll", a) && readlink("save_ll", to, sizeof to) == 6 && readlink("save_l", to, sizeof to) == 18);
    CHECK(!hy_save(F, "save_ll", a) && save_same(F, hy_load(F, "save_d/real.params").at[0], x));
    CHECK(hy_save(F, "save_oo", a) && save_says(F, "the link leads nowhere"));
    CHECK(hy_save(F, "save_d", a) && save_says(F, "cannot take the place"));
    hy_load(F, "save_f");
    CHECK(save_says(F, "save_f: no regular file"));
    CHECK(!hy_load_symbol(F, "save_f") && save_says(F, "no regular file"));
#ifdef __linux__
    struct stat s;
    if (!mknod("save_n", S_IFCHR | 0666, makedev(1, 3))) {      /* another /dev/null, if we may */
        CHECK(!hy_save(F, "save_n", a) && !stat("save_n", &s) && S_ISCHR(s.st_mode));
        remove("save_n");
    }
    if (!mknod("save_n", S_IFCHR | 0666, makedev(1, 7))) {      /* another /dev/full */
        CHECK(hy_save(F, "save_n", a) && save_says(F, "is the disk full") && !stat("save_n", &s) && S_ISCHR(s.st_mode));
        remove("save_n");
    }
#endif
    CHECK(!save_left());
    remove("save_d/real.params");
    remove("save_d");
    remove("save_l");
    remove("save_ll");
    remove("save_o");
    remove("save_oo");
    remove("save_f");
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
#endif
}

/* A new file is as private as the old one; one that may not be written stays. */
static void save_modes(void)
{
#if SAVE_UNIX
    static const int modes[] = { 0600, 0640, 0644, 0606 };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_arange(F, 0, 3, 1), *other = hy_arange(F, 5, 9, 1);
    struct stat s;
    hy_arrays a;
    int i;
    a.n = 1;
    a.at = &x;
    a.name = NULL;
    CHECK(!hy_save(F, "save_m", a));
    for (i = 0; i < 4; i++) {
        CHECK(!chmod("save_m", (mode_t)modes[i]) && !hy_save(F, "save_m", a));
        CHECK(!stat("save_m", &s) && (int)(s.st_mode & 07777) == modes[i]);
    }
    CHECK(!chmod("save_m", 0444));
    a.at = &other;
    CHECK(hy_save(F, "save_m", a) && save_says(F, "save_m: the file may not be written: permission denied"));
    CHECK(!stat("save_m", &s) && (s.st_mode & 07777) == 0444 && save_same(F, hy_load(F, "save_m").at[0], x));
    CHECK(!save_left());
    remove("save_m");
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
#endif
}

/* What is written aside: one name, which the next save sweeps, whoever was killed; no link under it is followed. */
#if SAVE_UNIX
static void save_for_ever(const char *file)      /* in a child, until it is killed */
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_zeros(F, HY_SHAPE(1 << 18));
    hy_arrays a;
    a.n = 1;
    a.at = &x;
    a.name = NULL;
    while (!hy_save(F, file, a)) continue;
    _exit(1);
}
#endif

static void save_aside(void)
{
#if SAVE_UNIX
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_arange(F, 0, 3, 1);
    char name[300];
    hy_arrays a;
    int i, status, most = 0;
    FILE *f;
    a.n = 1;
    a.at = &x;
    a.name = NULL;
    CHECK(!hy_save(F, "save_k", a));
    for (i = 0; i < 30 && !getenv("TEST_UNDER_VALGRIND"); i++) {
        pid_t child = fork();
        if (!child) save_for_ever("save_k");
        usleep((useconds_t)(3000 + 731 * i));
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        CHECK(WIFSIGNALED(status));
        if (save_left() > most) most = save_left();
        CHECK(hy_load(F, "save_k").n == 1);
    }
    CHECK(most <= 1 && !hy_save(F, "save_k", a) && !save_left());
    for (i = 0; i < 2; i++) {           /* left behind, under both names: by two at once */
        char *left = hy__aside_name(F, "save_k", i);
        f = left ? fopen(left, "wb") : NULL;
        if (f) { fputs("half", f); fclose(f); }
        hy__free(&F->root->heap, left);
    }
    CHECK(save_left() == 2 && !hy_save(F, "save_k", a) && !save_left());
    {                                   /* two at once that are alive: both whole, none waits */
        pid_t child[2];
        for (i = 0; i < 2; i++) if (!(child[i] = fork())) save_for_ever("save_k");
        for (i = 0; i < 20; i++) {
            CHECK(!hy_save(F, "save_k", a));
            CHECK(hy_load(F, "save_k").n == 1);
        }
        for (i = 0; i < 2; i++) {
            CHECK(!waitpid(child[i], &status, WNOHANG));        /* no save failed */
            kill(child[i], SIGKILL);
            waitpid(child[i], &status, 0);
        }
    }
    for (i = 0; i < 2; i++) CHECK(!hy_save(F, "save_k", a));
    if (save_left()) {                  /* of three at once one may have a name of its own */
        DIR *here = opendir(".");
        const struct dirent *e;
        while (here && (e = readdir(here)) != NULL) if (strstr(e->d_name, ".hy.part")) remove(e->d_name);
        if (here) closedir(here);
    }
    f = fopen("save_v", "wb");          /* a link that waits there */
    if (f) { fputs("mine", f); fclose(f); }
    CHECK(!symlink("save_v", "save_k.hy.part") && !hy_save(F, "save_k", a) && save_size("save_v") == 4);
    CHECK(readlink("save_k.hy.part", name, 9) == 6 && !remove("save_k.hy.part"));
    CHECK(!link("save_v", "save_k.hy.part") && !hy_save(F, "save_k", a) && save_size("save_v") == 4 && !save_left());
    CHECK(!mkdir("save_k.hy.part", 0777) && !hy_save(F, "save_k", a) && !remove("save_k.hy.part"));
    CHECK(!mkfifo("save_k.hy.part", 0666) && !hy_save(F, "save_k", a) && !remove("save_k.hy.part"));
    remove("save_v");
    remove("save_k");
    memset(name, 'n', sizeof name);
    for (i = 240; i <= 255; i += 5) {   /* as long as names can be */
        name[i] = 0;
        CHECK(!hy_save(F, name, a) && hy_load(F, name).n == 1 && !save_left());
        remove(name);
        name[i] = 'n';
    }
    name[256] = 0;
    CHECK(hy_save(F, name, a) && save_says(F, "the name is too long") && !save_left());
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
#endif
}

/* An error tells the system's reason; a signal is none. */
#if SAVE_UNIX
static volatile sig_atomic_t save_ticks;
static void save_tick(int number) { (void)number; save_ticks++; }

/* A slow reader, and signals all the while. */
static void save_interrupted(hy_frame *F, hy_arrays a, long size)
{
    struct sigaction on, before;
    struct itimerval often, never;
    pid_t child;
    int status;
    CHECK(!mkfifo("save_f", 0600));
    memset(&on, 0, sizeof on);
    on.sa_handler = save_tick;          /* nothing is started again for us */
    sigaction(SIGALRM, &on, &before);
    if (!(child = fork())) {
        char some[4096];
        long n = 0, k;
        int f;
        usleep(20000);
        f = open("save_f", O_RDONLY);
        while ((k = (long)read(f, some, sizeof some)) > 0) { n += k; usleep(100); }
        _exit(n == size ? 0 : 1);
    }
    memset(&often, 0, sizeof often);
    never = often;
    often.it_interval.tv_usec = often.it_value.tv_usec = 500;
    setitimer(ITIMER_REAL, &often, NULL);
    CHECK(!hy_save(F, "save_f", a));
    setitimer(ITIMER_REAL, &never, NULL);
    signal(SIGALRM, SIG_IGN);           /* forgets one that is on its way */
    sigaction(SIGALRM, &before, NULL);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status) && save_ticks > 3);
    remove("save_f");
}
#endif

static void save_reasons(void)
{
#if SAVE_UNIX
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_zeros(F, HY_SHAPE(300000));
    long size;
    hy_arrays a;
    a.n = 1;
    a.at = &x;
    a.name = NULL;
    hy_load(F, "save_nowhere");
    CHECK(save_says(F, "save_nowhere: the file cannot be opened: no such file"));
    CHECK(hy_save(F, "save_no/x", a) && save_says(F, "save_no/x: the file cannot be made: no such file or folder"));
    CHECK(!hy_save(F, "save_r", a));
    size = save_size("save_r");
    if (geteuid()) {
        CHECK(!chmod("save_r", 0));
        hy_load(F, "save_r");
        CHECK(save_says(F, "save_r: the file cannot be opened: permission denied"));
    }
    hy_load(F, "save_r/x");
    CHECK(save_says(F, strerror(ENOTDIR)));
    remove("save_r");
    if (!getenv("TEST_UNDER_VALGRIND")) save_interrupted(F, a, size);     /* which delivers signals late */
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
#endif
}

/* Numbers that nobody reads cost no more than their letters; they are checked nevertheless. */
static void save_json_numbers(void)
{
    static const struct { const char *text; int ok; } words[] = {
        { "0", 1 }, { "-0", 1 }, { "12.5e-300", 1 }, { "1e+5", 1 }, { "1E5", 1 }, { "1.", 1 }, { "1e999999999999", 1 },
        { "-", 0 }, { "-.5", 0 }, { ".5", 0 }, { "+1", 0 }, { "1.2.3", 0 }, { "1e", 0 }, { "1e+", 0 }, { "--1", 0 },
        { "inf", 0 }, { "-inf", 0 }, { "nan", 0 }, { "0x1", 0 } };
    static const char tail[] = "\"nodes\":[{\"op\":\"null\",\"name\":\"x\",\"inputs\":[]}],\"arg_nodes\":[0],"
        "\"heads\":[[0,0,0]]}";
    enum { MB5 = 5000000 };
    hy_frame *F = hy_open(NULL);
    char *text = (char *)malloc(MB5 + sizeof tail), *to;
    size_t i;
    for (i = 0; i < sizeof words / sizeof *words; i++) {
        sprintf(text, "{\"attrs\":{\"u\":[%s, 1]},%s", words[i].text, tail);
        hy_symbol_from(F, text, strlen(text));
        if (!CHECK(words[i].ok ? !hy_error(F) : save_says(F, "malformed JSON")))
            printf("    %s: %s\n", words[i].text, hy_error(F) ? hy_error(F) : "no error");
        hy_clear(F);
    }
    for (to = text + sprintf(text, "{\"attrs\":{\"u\":["); to < text + MB5 - 100; to += 7) memcpy(to, "1e-300,", 7);
    sprintf(to, "0]},%s", tail);
    hy_symbol_from(F, text, strlen(text));
    CHECK(!hy_error(F));
    free(text);
    CHECK(hy_close(F) == 0);
}

/* What MXNet exported gives here what it gave there, line by line and compiled, and once more exported. */
static void save_golden(void)
{
    static const char *const names[] = { "np_hybridnet", "np_mlp", "bn", "module", "lstm", "curves", "concurrent",
                                         "embedding", "reduce" };
    char file[200];
    int i, k, n, round;
    for (i = 0; i < (int)(sizeof names / sizeof *names); i++) {
        hy_frame *F = hy_open(NULL);
        hy_array *in[4], *x, *y, *symbol;
        hy_arrays a, params;
        hy_block *net;
        sprintf(file, "%s%s", save_dir, names[i]);
        net = hy_import(F, file, 0);
        for (n = 0; n < 4; n++) {
            sprintf(file, "%s%s-in%d.npy", save_dir, names[i], n);
            if (!save_exists(file)) break;
            a = hy_load(F, file);
            in[n] = a.n ? a.at[0] : NULL;
        }
        x = n == 1 ? in[0] : hy_group_of(F, n, in);
        for (round = 0; round < 3 && !hy_error(F); round++) {
            if (round == 1) hy_hybridize(F, net, NULL);
            if (round == 2 && !hy_export_to(F, net, NULL, &symbol, &params))
                net = hy_import_from(F, hy_symbol_from(F, (const char *)hy_data(F, symbol), (size_t)hy_size(F, symbol)),
                                     &params, NULL);
            y = hy_call(F, net, x);
            for (k = 0; k < hy_count(F, y); k++) {
                sprintf(file, "%s%s-out%d.npy", save_dir, names[i], k);
                a = hy_load(F, file);
                if (!CHECK(a.n == 1 && save_error(F, hy_get(F, y, k), a.at[0]) < 1e-5)) printf("    %s\n", file);
            }
        }
        if (!CHECK(!hy_error(F))) printf("    %s: %s\n", names[i], hy_error(F));
        hy_close(F);
    }
}

static void save_golden_arrays(void)
{
    hy_frame *F = hy_open(NULL);
    hy_arrays a = hy_load(F, "tests/golden/mxnet/kinds.params");
    CHECK(a.n == 9 && hy_dtype_of(F, hy_array_named(F, a, "f64")) == HY_F64);
    CHECK(hy_value(F, hy_array_named(F, a, "i64"), 0) == 1099511627776.0);
    CHECK(hy_value(F, hy_array_named(F, a, "row"), 3, 1) == 4 && hy_value(F, hy_array_named(F, a, "row"), 2, 1) == 0);
    CHECK(hy_value(F, hy_array_named(F, a, "csr"), 2, 2) == 7 && hy_value(F, hy_array_named(F, a, "csr"), 0, 1) == 5);
    CHECK(hy_dtype_of(F, hy_array_named(F, a, "bool")) == HY_BOOL);
    a = hy_load(F, "tests/golden/mxnet/list.params");
    CHECK(a.n == 2 && !a.name);
    a = hy_load(F, "tests/golden/mxnet/z.npz");
    CHECK(a.n == 4 && hy_value(F, hy_array_named(F, a, "b"), 1, 0) == 3 && hy_item(F, hy_array_named(F, a, "c")) == 3);
    CHECK(hy_size(F, hy_array_named(F, a, "e")) == 0);
    CHECK(!hy_array_named(F, a, "q") && strstr(hy_error(F), "'q'"));
    hy_clear(F);
    CHECK(hy_close(F) == 0);
}

/* --- models of other people --- */
static void save_detectors(void)
{
    static const char *const names[] = { "lffd-plate-small", "lffd-plate", "lffd-head" };
    char file[200];
    int i, k;
    if (!save_exists("../shared/models/README.md")) return;
    for (i = 0; i < 3; i++) {
        hy_frame *F = hy_open(NULL);
        hy_block *net;
        hy_arrays a;
        hy_array *y;
        sprintf(file, "../shared/models/%s/model", names[i]);
        net = hy_import(F, file, 0);
        sprintf(file, "../shared/models/%s/input-data.npy", names[i]);
        a = hy_load(F, file);
        if (i) hy_hybridize(F, net, NULL);
        y = hy_call(F, net, a.n ? hy_cast(F, a.at[0], HY_F32) : NULL);
        for (k = 0; k < hy_count(F, y); k++) {
            sprintf(file, "../shared/models/%s/output-%d.npy", names[i], k);
            a = hy_load(F, file);
            CHECK(a.n == 1 && save_error(F, hy_get(F, y, k), a.at[0]) < 1e-4);
        }
        CHECK(k >= 6 && !hy_error(F));
        hy_close(F);
    }
}

static void save_old_files(void)
{
    hy_frame *F;
    hy_graph *g;
    hy_arrays a;
    hy_block *net;
    int i, k;
    if (!save_exists("../shared/models/README.md")) return;
    F = hy_open(NULL);
    g = hy_load_symbol(F, "../shared/models/mxnet-fixtures/save_000800.json");
    CHECK(g && hy_graph_count(g) == 19);
    CHECK_STR(hy_symbol_note(g, "fc1_weight", "__lr_mult__"), "1.2");
    CHECK_STR(hy_symbol_note(g, "fc1_weight", "__wd_mult__"), "0.3");
    CHECK_STR(hy_symbol_note(g, "fc1_weight", "__ctx_group__"), "stage1");
    CHECK_STR(hy_graph_name(g, HY_NAMES_AUX, 0), "batchnorm0_moving_mean");
    CHECK_STR(hy_graph_name(g, HY_NAMES_AUX, 1), "batchnorm0_moving_var");
    CHECK_STR(hy_graph_name(g, HY_NAMES_OUTPUTS, 0), "softmax_output");
    net = hy_nn_symbol_block(F, g, NULL);
    hy_initialize(F, net, NULL);
    CHECK(hy_lr_mult(F, hy_param(F, net, "fc1_weight")) == 1.2 && hy_lr_mult(F, hy_param(F, net, "fc1_bias")) == 1);
    CHECK(hy_size(F, hy_call(F, net, hy_ones(F, HY_SHAPE(2, 20)))) == 20);
    a = hy_load(F, "../shared/models/mxnet-fixtures/legacy_ndarray.v0");
    CHECK(a.n == 6 && !a.name);
    for (i = 0; i < a.n; i++) for (k = 0; k < 128; k++) CHECK(hy_value(F, a.at[i], k) == k);
    net = hy_import(F, "../shared/models/go-test/model", 0);
    CHECK(hy_size(F, hy_call(F, net, hy_ones(F, HY_SHAPE(3, 1)))) == 30);
    CHECK(!hy_error(F));
    hy_close(F);
}

static void save_zoo(void)
{
    static const struct { const char *name; hy_shape in; int64_t out; } nets[] = {
        { "mlp", { 2, { 2, 30 } }, 0 }, { "resnet18_v1", { 4, { 1, 3, 64, 64 } }, 1000 },
        { "squeezenet1.0", { 4, { 1, 3, 224, 224 } }, 1000 }, { "simple_pose_resnet18_v1b", { 4, { 1, 3, 64, 64 } }, 17 * 256 },
        { "ssd_512_resnet50_v1", { 4, { 1, 3, 128, 128 } }, 0 } };
    char file[200];
    int i;
    if (!save_exists("../shared/models/README.md")) return;
    for (i = 0; i < 5; i++) {
        hy_frame *F = hy_open(NULL);
        hy_init init = hy_init_normal(0.05);
        hy_graph *g;
        hy_block *net;
        hy_array *y;
        if (i == 4 && !hy_op_find(F, "_contrib_box_nms")) {
            CHECK(!hy_load_symbol(F, "../shared/models/symbols/ssd_512_resnet50_v1-symbol.json"));
            CHECK(strstr(hy_error(F), "_contrib_box_nms of node ssd0_box_nms0") != NULL);
            hy_close(F);
            continue;
        }
        sprintf(file, "../shared/models/symbols/%s-symbol.json", nets[i].name);
        g = hy_load_symbol(F, file);
        net = hy_nn_symbol_block(F, g, "data");
        if (i >= 2 && getenv("TEST_UNDER_VALGRIND")) {      /* two minutes of multiplications that other tests do */
            CHECK(g && net && !hy_error(F));
            hy_close(F);
            continue;
        }
        hy_initialize(F, net, &init);
        hy_hybridize(F, net, NULL);
        y = hy_call(F, net, hy_normal(F, nets[i].in, 0, 1));
        CHECK(y && (!nets[i].out || hy_size(F, y) == nets[i].out));
        if (!CHECK(!hy_error(F))) printf("    %s: %s\n", nets[i].name, hy_error(F));
        hy_close(F);
    }
}

/* --- what is broken --- */
#define SAVE_NODE(op, name, rest) "{\"op\": \"" op "\", \"name\": \"" name "\", " rest "\"inputs\": []}"
#define SAVE_TAIL(args, head) "], \"arg_nodes\": [" args "], \"heads\": [" head "]}"
static void save_broken_symbols(void)
{
    static const struct { const char *text, *says; } broken[] = {
        { "", "byte 0: malformed JSON" }, { "[]", "an object is due" }, { "{\"nodes\": [1", "comma or a closing bracket" },
        { "{\"nodes\": [}", "a value is due" }, { "{\"nodes\" 3}", "colon" }, { "{nodes: 3}", "name in quotes" },
        { "{} x", "more text behind the end" }, { "{\"a\": 3}", "Unknown field 'a'" }, { "{}", "nodes, arg_nodes and heads" },
        { "{\"nodes\": [], \"nodes\": []}", "comes twice" }, { "{\"nodes\": [" SAVE_TAIL("", ""), "without heads" },
        { "{\"nodes\": [{\"op\": \"null\"}" SAVE_TAIL("", ""), "op, name and inputs" },
        { "{\"nodes\": [" SAVE_NODE("null", "x", "\"foo\": 1, ") SAVE_TAIL("0", "[0,0]"), "Unknown field 'foo'" },
        { "{\"nodes\": [" SAVE_NODE("null", "x", "\"attrs\": {\"__shape__\": \"(1\"}, ") SAVE_TAIL("0", "[0,0]"), "'(1'" },
        { "{\"nodes\": [" SAVE_NODE("null", "x", "\"attrs\": {\"__shape__\": \"(99999999999,99999999999)\"}, ")
          SAVE_TAIL("0", "[0,0]"), "too large to be addressed" },
        { "{\"nodes\": [" SAVE_NODE("null", "x", "\"attrs\": {\"a\": 3}, ") SAVE_TAIL("0", "[0,0]"), "'a' is no text" },
        { "{\"nodes\": [" SAVE_NODE("Foo", "x", "") ", " SAVE_NODE("Bar", "y", "") SAVE_TAIL("", ""),
          "not registered: Foo of node x, Bar of node y" },
        { "{\"nodes\": [" SAVE_NODE("null", "x", "") SAVE_TAIL("0", "[1,0]"), "node 1 is none" },
        { "{\"nodes\": [" SAVE_NODE("null", "x", "") SAVE_TAIL("0", "[0,1]"), "no such output" },
        { "{\"nodes\": [" SAVE_NODE("null", "x", "") SAVE_TAIL("4", "[0,0]"), "whole number from 0 to 0" },
        { "{\"nodes\": [" SAVE_NODE("null", "x", "") SAVE_TAIL("0", "[0,-1]"), "whole number" },
        { "{\"nodes\": [" SAVE_NODE("null", "x", "") SAVE_TAIL("0", "[0,1.5]"), "whole number" },
        { "{\"nodes\": [" SAVE_NODE("null", "x", "") ", " SAVE_NODE("null", "x", "") SAVE_TAIL("0", "[0,0]"), "two variables" },
        { "{\"nodes\": [" SAVE_NODE("null", "\\ud800", "") SAVE_TAIL("0", "[0,0]"), "no character" },
        { "{\"nodes\": [" SAVE_NODE("null", "a\\u0000b", "") SAVE_TAIL("0", "[0,0]"), "no character" },
        { "{\"nodes\": [" SAVE_NODE("null", "\xff", "") SAVE_TAIL("0", "[0,0]"), "UTF-8" },
        { "{\"nodes\": [{\"op\": \"relu\", \"name\": \"r\", \"inputs\": [[0,0]]}" SAVE_TAIL("", "[0,0]"), "none that stands before" },
        { "{\"nodes\": [" SAVE_NODE("null", "x", "") ", {\"op\": \"FullyConnected\", \"name\": \"fc\", \"inputs\": [[0,0]]}"
          SAVE_TAIL("0", "[1,0]"), "num_hidden" },
        { "{\"nodes\": [" SAVE_NODE("null", "x", "") ", {\"op\": \"Activation\", \"name\": \"act\", \"attrs\": "
          "{\"act_type\": \"foo\"}, \"inputs\": [[0,0]]}" SAVE_TAIL("0", "[1,0]"), "node 'act'" },
        { "{\"nodes\": [" SAVE_NODE("null", "x", "") ", {\"op\": \"Activation\", \"name\": \"act\", \"attrs\": "
          "{\"act_typ\": \"relu\"}, \"inputs\": [[0,0]]}" SAVE_TAIL("0", "[1,0]"), "Cannot find argument 'act_typ'" },
        { "{\"nodes\": [" SAVE_NODE("null", "x", "") ", {\"op\": \"SliceChannel\", \"name\": \"s\", \"attrs\": "
          "{\"num_outputs\": \"999999\"}, \"inputs\": [[0,0]]}" SAVE_TAIL("0", "[1,0]"), "too many outputs" },
        { "{\"nodes\": [" SAVE_NODE("null", "x", "") ", {\"op\": \"elemwise_add\", \"name\": \"s\", \"inputs\": [[0,0]]}"
          "], \"attrs\": {\"mxnet_version\": [\"int\", 10901]}, \"arg_nodes\": [0], \"heads\": [[1,0]]}", "input rhs is missing" },
        { "{\"nodes\": [" SAVE_NODE("null", "x", "") ", {\"op\": \"relu\", \"name\": \"s\", \"inputs\": [[0,0],[0,0]]}"
          SAVE_TAIL("0", "[1,0]"), "2 inputs, 1 are due" },
        { "{\"nodes\": [" SAVE_NODE("null", "x", "") ", {\"op\": \"_plus_scalar\", \"name\": \"s\", \"attrs\": "
          "{\"scalar\": \"None\"}, \"inputs\": [[0,0]]}" SAVE_TAIL("0", "[1,0]"), "node 's'" } };
    hy_frame *F = hy_open(NULL);
    char deep[1200];
    size_t i;
    for (i = 0; i < sizeof broken / sizeof *broken; i++) {
        CHECK(!hy_symbol_from(F, broken[i].text, strlen(broken[i].text)));
        if (!CHECK(hy_error(F) && strstr(hy_error(F), broken[i].says)))
            printf("    %s\n    %s\n    %s\n", broken[i].text, broken[i].says, hy_error(F) ? hy_error(F) : "no error");
        hy_clear(F);
    }
    memset(deep, '[', sizeof deep);
    CHECK(!hy_symbol_from(F, deep, sizeof deep) && strstr(hy_error(F), "64 deep"));
    hy_clear(F);
    CHECK(hy_item(F, hy_sum(F, hy_ones(F, HY_SHAPE(4)), HY_ALL, NULL)) == 4);
    CHECK(hy_close(F) == 0);
}

/* The number that stands for None among integers is a number among reals. */
static void save_number_of_none(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_graph *g = hy_compile(S, hy_add_scalar(S, hy_var(S, "x", NULL), HY_NONE));
    hy_array *text = hy_symbol_to(F, g), *x = hy_zeros(F, HY_SHAPE(2)), *y = NULL;
    if (CHECK(text != NULL)) {
        const char *json = (const char *)hy_data(F, text);
        CHECK(strstr(json, "-2147483648") && !strstr(json, "None"));
        y = hy_graph_run(F, hy_symbol_from(F, json, (size_t)hy_size(F, text)), x);
    }
    CHECK(hy_value(F, y, 1) == -2147483648.0);
    CHECK(!hy_error(F) && !hy_error(S));
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* Every reader with every beginning of a good file, and with single bytes changed. */
static void save_hurt(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_dense(F, 2, NULL);
    hy_array *at[12], *bytes[5];
    const char *name[12];
    hy_arrays all = save_some(F, at, name);
    unsigned seed = 1;
    char *copy;
    int f, i;
    size_t n, size;
    hy_initialize(F, net, NULL);
    for (f = 0; f < 4; f++) {
        all.n = f == HY_FORMAT_NPY ? 1 : 12;
        bytes[f] = hy_save_to(F, (hy_format)f, all);
    }
    bytes[4] = hy_save_model_to(F, net, hy_ones(F, HY_SHAPE(1, 3)));
    for (f = 0; f < 5; f++) {
        size = (size_t)hy_size(F, bytes[f]);
        copy = (char *)malloc(size);
        memcpy(copy, hy_data(F, bytes[f]), size);
        for (n = 0; n < size; n += 1 + size / 400) {
            char *part = (char *)malloc(n + 1);         /* so that sanitizers see its end */
            memcpy(part, copy, n);
            hy_begin(F);
            if (f < 4) hy_load_from(F, part, n, 0);
            else hy_load_model_from(F, part, n, 0);
            CHECK(hy_error(F) != NULL);
            hy_clear(F);
            hy_end(F);
            free(part);
        }
        for (i = 0; i < 400; i++) {
            hy_block *b;
            size_t place = (seed = seed * 1103515245u + 12345u) / 65536u % size;
            char old = copy[place];
            copy[place] = (char)(seed >> 8);
            hy_begin(F);
            if (f < 4) hy_load_from(F, copy, size, i & 1);
            else if ((b = hy_load_model_from(F, copy, size, i & 1)) != NULL) hy_block_free(F, b);
            hy_clear(F);
            hy_end(F);
            copy[place] = old;
        }
        free(copy);
    }
    CHECK(hy_close(F) == 0);
}

/* --- parameters --- */
static hy_block *save_two(hy_frame *F, int in)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_nn_dense_opt o = { 0 };
    o.in_units = in;
    hy_append(F, net, hy_nn_dense(F, 3, &o), hy_nn_dense(F, 2, NULL));
    return net;
}

static void save_parameters(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *a = save_two(F, 4), *b = save_two(F, 0), *c = save_two(F, 5), *d = save_two(F, 4), *one, *two;
    hy_array *x = hy_normal(F, HY_SHAPE(2, 4), 0, 1), *y;
    hy_load_opt opt = { 0 };
    hy_save_opt once = { 1 };
    hy_arrays all;
    hy_initialize(F, a, NULL);
    y = hy_call(F, a, x);
    CHECK(!hy_save_parameters(F, a, "save_t.params", NULL));
    all = hy_load(F, "save_t.params");
    CHECK(all.n == 4);
    CHECK_STR(all.name[0], "0.weight");
    CHECK_STR(all.name[3], "1.bias");
    CHECK(!hy_load_parameters(F, b, "save_t.params", NULL));    /* never initialised */
    CHECK(save_same(F, hy_call(F, b, x), y));
    CHECK(hy_load_parameters(F, c, "save_t.params", NULL));
    CHECK(strstr(hy_error(F), "Failed loading Parameter '0.weight'") && strstr(hy_error(F), "(3,5)") != NULL);
    hy_clear(F);
    all.n = 3;
    CHECK(hy_set_parameters(F, d, all, NULL) && strstr(hy_error(F), "'1.bias' is missing"));
    hy_clear(F);
    opt.allow_missing = 1;
    CHECK(!hy_set_parameters(F, d, all, &opt));
    all.n = 4;
    one = hy_nn_hybrid_sequential(F);
    hy_append(F, one, hy_nn_dense(F, 3, NULL));
    CHECK(hy_set_parameters(F, one, all, NULL) && strstr(hy_error(F), "'1.weight', '1.bias'"));
    hy_clear(F);
    opt.ignore_extra = 1;
    CHECK(!hy_set_parameters(F, one, all, &opt));
    hy_cast_block(F, d, HY_F64);
    memset(&opt, 0, sizeof opt);
    CHECK(hy_set_parameters(F, d, all, &opt) && strstr(hy_error(F), "cast_dtype"));
    hy_clear(F);
    opt.cast_dtype = 1;
    CHECK(!hy_set_parameters(F, d, all, &opt) && hy_dtype_of(F, hy_param(F, d, "0.weight")) == HY_F64);
    opt.saved_dtype = 1;
    CHECK(!hy_set_parameters(F, d, all, &opt) && hy_dtype_of(F, hy_param(F, d, "0.weight")) == HY_F32);
    CHECK(save_same(F, hy_call(F, d, x), y));
    two = save_two(F, 4);               /* a layer alone: no dot in any name */
    CHECK(!hy_save_parameters(F, hy_child(F, a, 0), "save_t.params", NULL));
    CHECK(!hy_load_parameters(F, hy_child(F, two, 0), "save_t.params", NULL));
    CHECK(save_same(F, hy_param(F, two, "0.weight"), hy_param(F, a, "0.weight")));
    one = hy_nn_hybrid_sequential(F);   /* the same layer twice */
    two = hy_nn_dense(F, 4, NULL);
    hy_append(F, one, two, two);
    hy_initialize(F, one, NULL);
    hy_call(F, one, x);
    CHECK(hy_parameters(F, one, NULL).n == 4 && hy_parameters(F, one, &once).n == 2);
    CHECK_STR(hy_parameters(F, one, &once).name[0], "1.weight");        /* the last of its names */
    CHECK(!hy_set_parameters(F, one, hy_parameters(F, one, &once), NULL));
    remove("save_t.params");
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* Recurrent layers: what MXNet's save_parameters wrote goes in, and comes out under the same keys. */
static void save_recurrent(void)
{
    hy_frame *F = hy_open(NULL);
    hy_rnn_layer_opt opt = { 0 };
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_arrays theirs = hy_load(F, "tests/golden/mxnet/lstm_layers.params"), ours;
    int i;
    opt.num_layers = 2;
    opt.bidirectional = 1;
    hy_append(F, net, hy_rnn_lstm(F, 2, &opt), hy_nn_dense(F, 1, NULL));
    CHECK(theirs.n == 18 && !hy_load_parameters(F, net, "tests/golden/mxnet/lstm_layers.params", NULL));
    CHECK(save_same(F, hy_param(F, net, "0.r1_h2h_weight"),
                    hy_array_named(F, theirs, "0._unfused.1.r_cell.h2h_weight")));
    ours = hy_parameters(F, net, NULL);
    CHECK(ours.n == 18);
    for (i = 0; i < ours.n; i++) CHECK(save_same(F, ours.at[i], hy_array_named(F, theirs, ours.name[i])));
    CHECK(hy_dim(F, hy_call(F, net, hy_ones(F, HY_SHAPE(3, 1, 2))), 1) == 1 && !hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* The way to a parameter may be longer than any line: recurrent layers deep in a network, whose names differ at the
 * end only. */
enum { SAVE_DEEP = 40 };
static hy_block *save_deep(hy_frame *F)
{
    static const char *const layers[] = { "here", "there" };
    hy_rnn_layer_opt opt = { 0 };
    hy_block *top = hy_nn_hybrid_sequential(F), *net = top;
    int i;
    opt.input_size = 2;
    opt.bidirectional = 1;
    for (i = 0; i < SAVE_DEEP; i++)
        net = hy_add_child(F, net, "a_block_that_somebody_gave_a_name_of_fifty_letters", hy_nn_hybrid_sequential(F));
    for (i = 0; i < 2; i++) hy_add_child(F, net, layers[i], hy_rnn_gru(F, 2, &opt));
    return top;
}

static void save_long_paths(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = save_deep(F), *other = save_deep(F);
    hy_arrays ours, theirs;
    char want[64 * SAVE_DEEP];
    size_t lead;
    int i;
    for (lead = i = 0; i < SAVE_DEEP; i++)
        lead += (size_t)sprintf(want + lead, "a_block_that_somebody_gave_a_name_of_fifty_letters.");
    hy_initialize(F, net, NULL);
    CHECK(!hy_save_parameters(F, net, "save_t.params", NULL) && !hy_load_parameters(F, other, "save_t.params", NULL));
    ours = hy_parameters(F, net, NULL);
    theirs = hy_load(F, "save_t.params");
    if (CHECK(ours.n == 16 && theirs.n == 16))
        for (i = 0; i < 16; i++) {
            static const char *const part[] = { "i2h_weight", "h2h_weight", "i2h_bias", "h2h_bias" };
            sprintf(want + lead, "%s._unfused.0.%c_cell.%s", i < 8 ? "here" : "there", i & 4 ? 'r' : 'l', part[i & 3]);
            CHECK_STR(ours.name[i], want);
            CHECK_STR(theirs.name[i], want);
            sprintf(want + lead, "%s.%c0_%s", i < 8 ? "here" : "there", i & 4 ? 'r' : 'l', part[i & 3]);
            CHECK_STR(hy_param_path(F, net, ours.at[i]), want);
            CHECK(save_same(F, hy_param(F, other, want), ours.at[i]));
        }
    remove("save_t.params");
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* Of many parameters that are missing the first and the last are named. */
static void save_missing(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_array *x = hy_zeros(F, HY_SHAPE(1));
    const char *name = "other.weight";
    hy_load_opt opt = { 0 };
    hy_arrays one;
    int i;
    one.n = 1;
    one.at = &x;
    one.name = &name;
    opt.ignore_extra = 1;
    for (i = 0; i < 10; i++) hy_append(F, net, hy_nn_dense(F, 2, NULL));
    CHECK(hy_set_parameters(F, net, one, &opt));
    CHECK(hy_error(F) && strstr(hy_error(F), "'0.weight', '0.bias', '1.weight', '1.bias', ..., "
                                             "'8.bias', '9.weight', '9.bias'"));
    hy_clear(F);
    CHECK(hy_close(F) == 0);
}

/* --- graphs as blocks --- */
typedef struct save_outer { hy_block base; hy_block *inner; } save_outer;
static hy_array *save_outer_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *y = hy_call(F, ((save_outer *)(void *)self)->inner, x);
    return hy_mul_scalar(F, y, 2);
}

static void save_symbol_block(void)
{
    hy_frame *F = hy_open(NULL), *S;
    hy_block *net = save_two(F, 4), *b;
    save_outer *outer = HY_BLOCK_NEW(F, save_outer, save_outer_forward);
    hy_array *x = hy_normal(F, HY_SHAPE(2, 4), 0, 1), *y, *dx, *text;
    hy_arrays params;
    hy_import_opt opt = { 0 };
    hy_graph *g;
    hy_initialize(F, net, NULL);
    y = hy_call(F, net, x);
    CHECK(!hy_export_to(F, net, x, &text, &params) && params.n == 4);
    g = hy_symbol_from(F, (const char *)hy_data(F, text), (size_t)hy_size(F, text));
    CHECK(save_same(F, text, hy_symbol_to(F, g)));
    opt.inputs = "datum";
    CHECK(!hy_import_from(F, g, &params, &opt) && strstr(hy_error(F), "no input 'datum'; candidates are 'data'"));
    hy_clear(F);
    opt.inputs = "data";
    params.n = 3;
    CHECK(!hy_import_from(F, g, &params, &opt) && strstr(hy_error(F), "is missing"));
    hy_clear(F);
    params.n = 4;
    b = hy_import_from(F, g, &params, &opt);
    outer->inner = hy_add_child(F, &outer->base, "inner", b);
    CHECK(save_same(F, hy_call(F, b, x), y));
    CHECK(save_same(F, hy_call(F, &outer->base, x), hy_mul_scalar(F, y, 2)));
    hy_hybridize(F, &outer->base, NULL);
    CHECK(save_same(F, hy_call(F, &outer->base, x), hy_mul_scalar(F, y, 2)));
    CHECK(!hy_export_to(F, &outer->base, NULL, &text, &params) && params.n == 4);
#ifndef HYBRID_NO_TRAIN
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_sum(F, hy_call(F, &outer->base, x), HY_ALL, NULL);
    hy_pause(F);
    hy_backward(F, y, NULL);
    dx = hy_copy(F, hy_grad_of(F, x));
    hy_record(F);
    y = hy_sum(F, hy_mul_scalar(F, hy_call(F, net, x), 2), HY_ALL, NULL);
    hy_pause(F);
    hy_backward(F, y, NULL);
    CHECK(save_error(F, dx, hy_grad_of(F, x)) < 1e-6);
#else
    (void)dx;
#endif
    S = hy_symbolic(F);                 /* over a graph that was never in a file: parameters are shared */
    g = hy_compile(S, hy_call(S, net, hy_var(S, "x", NULL)));
    b = hy_nn_symbol_block(F, g, "x");
    CHECK(save_same(F, hy_call(F, b, x), hy_call(F, net, x)));
    hy_fill(F, hy_param(F, net, "1.bias"), 5);
    CHECK(save_same(F, hy_call(F, b, x), hy_call(F, net, x)));
    CHECK(!hy_error(S) && !hy_error(F));
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* A trace that asked for the batch size is written all the same, and the log says why it is bound. */
static char save_said[512];
/* Padding that differs before and behind. MXNet has none: a pair has a Pad in front, or what adj or a slice behind
 * makes of it, and gives the same; a model in one file says it. turns: it is the body of a loop. */
typedef struct save_padded { hy_block base; const char *op, *attrs; int turns; hy_array *weight; } save_padded;

static hy_array *save_padded_step(hy_frame *F, hy_array *x, hy_array *states, void *ctx)
{
    const save_padded *b = (const save_padded *)ctx;
    hy_array *in[2];
    in[0] = x;
    in[1] = b->weight;
    x = hy_apply(F, b->op, b->weight ? 2 : 1, in, b->attrs);
    return states ? hy_group(F, x, hy_add_scalar(F, states, 1)) : x;
}
static hy_array *save_padded_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    save_padded *b = (save_padded *)(void *)self;
    if (!b->turns) return hy_relu(F, save_padded_step(F, x, NULL, b));
    return hy_get(F, hy_foreach(F, save_padded_step, x, hy_zeros(F, HY_SHAPE(1)), b), 0);
}

static hy_array *save_padded_run(hy_frame *F, hy_array *symbol, const hy_arrays *params, hy_array *x)
{
    hy_graph *g = symbol ? hy_symbol_from(F, (const char *)hy_data(F, symbol), (size_t)hy_size(F, symbol)) : NULL;
    hy_block *net = g ? hy_import_from(F, g, params, NULL) : NULL;
    hy_array *y = net ? hy_call(F, net, x) : NULL;
    hy_graph_free(F, g);
    return y;
}

static double save_apart(hy_frame *F, hy_array *a, hy_array *b)
{
    if (!a || !b || hy_size(F, a) != hy_size(F, b)) return HUGE_VAL;
    return hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, a, b)), HY_ALL, NULL));
}

/* says: a word of the pair's text; - is put in front of one that it lacks, ! of what it is refused with. */
static void save_padded_case(const char *op, const char *attrs, hy_shape data, hy_shape weight, int turns, const char *says)
{
    hy_frame *F = hy_open(NULL);
    save_padded *b = (save_padded *)(void *)hy_block_new(F, sizeof *b, "padded", save_padded_forward, 1);
    hy_array *x = hy_normal(F, data, 0, 1), *y, *symbol = NULL, *again = NULL, *model, *text;
    hy_arrays params;
    hy_block *read;
    const char *s;
    int has;
    b->op = op;
    b->attrs = attrs;
    b->turns = turns;
    if (weight.ndim) {
        b->weight = hy_add_param(F, &b->base, "weight", weight, NULL);
        hy_initialize(F, &b->base, NULL);
        hy_assign(F, b->weight, hy_normal(F, weight, 0, 1));
    }
    hy_hybridize(F, &b->base, NULL);
    y = hy_call(F, &b->base, x);
    if (*says == '!') {
        CHECK(hy_export_to(F, &b->base, x, &symbol, &params) && hy_error(F) && strstr(hy_error(F), says + 1));
        hy_clear(F);
    } else if (CHECK(!hy_export_to(F, &b->base, x, &symbol, &params))) {
        s = (const char *)hy_data(F, text = hy_concat(F, hy_group(F, symbol, hy_cast(F, hy_zeros(F, HY_SHAPE(1)), HY_U8)), 0));
        has = s && strstr(s, says + (*says == '-')) != NULL;
        CHECK(has == (*says != '-') && s && !strstr(s, "pad_end") && text);
        CHECK(save_apart(F, save_padded_run(F, symbol, &params, x), y) < 1e-5);
    }
    model = hy_save_model_to(F, &b->base, x);
    read = model ? hy_load_model_from(F, hy_data(F, model), (size_t)hy_size(F, model), 0) : NULL;
    CHECK(read && save_apart(F, hy_call(F, read, x), y) == 0);
    if (read && symbol && CHECK(!hy_export_to(F, read, x, &again, &params)))
        CHECK(save_apart(F, save_padded_run(F, again, &params, x), y) < 1e-5);
    if (test_broken || hy_error(F)) printf("    %s %s: %s\n", op, attrs, hy_error(F) ? hy_error(F) : "no error");
    CHECK(!hy_error(F));
    hy_close(F);
}
static void save_padding_that_differs(void)
{
    const hy_shape image = HY_SHAPE(2, 3, 7, 8), kernel = HY_SHAPE(4, 3, 3, 3), none = { 0, { 0 } };
    save_padded_case("convolution", "kernel=(3,3) num_filter=4 no_bias=1 pad=(1,0) pad_end=(0,2)", image, kernel, 0,
                     "\"pad_width\": \"(0, 0, 0, 0, 1, 0, 0, 2)\"");
    save_padded_case("convolution", "kernel=(3,3) num_filter=4 no_bias=1 pad=(1,1) pad_end=(1,1)", image, kernel, 0, "-Pad");
    save_padded_case("convolution", "kernel=(3,3) num_filter=4 no_bias=1 stride=(2,2) pad_end=(1,1)",
                     HY_SHAPE(3, 1, 3, 7, 8), kernel, 1, "\"Pad\"");
    save_padded_case("deconvolution", "kernel=(3,3) num_filter=3 stride=(2,2) pad=(1,1) pad_end=(0,0)",
                     HY_SHAPE(2, 4, 5, 4), kernel, 0, "\"adj\": \"(1, 1)\"");
    save_padded_case("deconvolution", "kernel=(3,3) num_filter=3 stride=(2,2) pad=(0,1) pad_end=(1,0)",
                     HY_SHAPE(2, 4, 5, 4), kernel, 0, "\"end\": \"(None, None, -1, None)\"");
    save_padded_case("deconvolution", "kernel=(3,3) num_filter=3 pad=(2,1) pad_end=(0,0)", HY_SHAPE(3, 1, 4, 5, 4), kernel, 1,
                     "\"begin\": \"(0, 0, 2, 1)\"");
    save_padded_case("pooling", "kernel=(3,3) stride=(2,2) pad_end=(1,1)", image, none, 0, "\"constant_value\": \"-inf\"");
    save_padded_case("pooling", "kernel=(3,3) stride=(2,2) pad=(1,1) pad_end=(0,1) pool_type=avg", image, none, 0, "\"Pad\"");
    save_padded_case("pooling", "kernel=(3,3) stride=(3,3) pad=(1,1) pad_end=(0,0) pool_type=avg pooling_convention=full", image,
                     none, 0, "\"Pad\"");
    save_padded_case("pooling", "kernel=(3,3) stride=(2,2) pad_end=(1,1) pool_type=lp", image, none, 0, "\"Pad\"");
    save_padded_case("pooling", "kernel=(3,3) pad_end=(1,1) pool_type=avg count_include_pad=False", image, none, 0,
                     "!MXNet has no mean of real elements whose padding differs");
    save_padded_case("pooling", "kernel=(3,3) pad=(1,1) pad_end=(1,1) pool_type=avg count_include_pad=False", image, none, 0,
                     "-Pad");
}

/* A graph without types may say what no shape fits: it is written as it is. */
static void save_padding_of_any_length(void)
{
    static const char *const graph =
        "{\"nodes\":[{\"op\":\"null\",\"name\":\"x\",\"inputs\":[]},{\"op\":\"Pooling\",\"name\":\"y\",\"attrs\":{"
        "\"kernel\":\"%s\",\"pad\":\"(1,0)\",\"pad_end\":\"(0,2)\",\"pool_type\":\"lp\",\"p_value\":\"2\"},"
        "\"inputs\":[[0,0,0]]}],\"arg_nodes\":[0],\"heads\":[[1,0,0]]}";
    static const char *const kernel[] = { "(3,1,2,2)", "(3,1)" };
    int i;
    for (i = 0; i < 2; i++) {
        char text[512];
        hy_frame *F = hy_open(NULL);
        hy_graph *g, *again;
        hy_array *a, *b;
        sprintf(text, graph, kernel[i]);
        g = hy_symbol_from(F, text, strlen(text));
        a = hy_symbol_to(F, g);
        again = CHECK(a != NULL) ? hy_symbol_from(F, (const char *)hy_data(F, a), (size_t)hy_size(F, a)) : NULL;
        b = again ? hy_symbol_to(F, again) : NULL;
        CHECK(b && hy_size(F, a) == hy_size(F, b) && !memcmp(hy_data(F, a), hy_data(F, b), (size_t)hy_size(F, a)));
        if (hy_error(F)) printf("    %s: %s\n", kernel[i], hy_error(F));
        hy_graph_free(F, g);
        hy_graph_free(F, again);
        CHECK(hy_close(F) == 0);
    }
}

static void save_log(void *user, int level, int code, const char *text)
{
    (void)user; (void)code;
    if (level == HY_LOG_WARNING) strncpy(save_said, text, sizeof save_said - 1);
}
static hy_array *save_asks(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_reshape(F, x, HY_INTS(hy_dim(F, x, 0), -1), NULL);
}

static void save_bound(void)
{
    hy_desc desc;
    hy_frame *F;
    hy_block *net, *plain;
    hy_array *x;
    memset(&desc, 0, sizeof desc);
    desc.log_fn = save_log;
    F = hy_open(&desc);
    net = hy_nn_hybrid_lambda(F, save_asks, "asks");
    plain = hy_nn_sequential(F);
    x = hy_ones(F, HY_SHAPE(2, 3, 4));
    save_said[0] = 0;
    CHECK(hy_save_model_to(F, net, x) != NULL && strstr(save_said, "hy_dim of data") != NULL);
    CHECK(!hy_save_model_to(F, plain, x) && strstr(hy_error(F), "hybrid block"));
    hy_clear(F);
    net = save_two(F, 4);               /* without values */
    CHECK(!hy_save_model_to(F, net, hy_ones(F, HY_SHAPE(1, 4))) && strstr(hy_error(F), "hy_initialize"));
    hy_clear(F);
    CHECK(hy_close(F) == 0);
}

/* --- whose memory it is --- */
static void save_fill(hy_frame *F, hy_block *net, double v)
{
    hy_params all = hy_collect_params(F, net, NULL);
    int i;
    for (i = 0; i < all.n; i++) hy_set_param(F, all.at[i], hy_full(F, hy_param_shape(F, all.at[i]), v));
}

static void save_own_memory(void)
{
    hy_frame *F = hy_open(NULL), *other = hy_open(NULL), *S = hy_symbolic(F);
    hy_block *net = save_two(F, 4), *a, *b;
    hy_array *x = hy_ones(F, HY_SHAPE(1, 4)), *y, *symbol, *bytes, *at[4], *dead;
    hy_arrays params, loaded, bad;
    hy_var_opt shaped = { 0 };
    hy_graph *g;
    int i;
    hy_initialize(F, net, NULL);
    y = hy_call(F, net, x);
    hy_export_to(F, net, x, &symbol, &params);
    g = hy_symbol_from(F, (const char *)hy_data(F, symbol), (size_t)hy_size(F, symbol));
    bytes = hy_save_to(F, HY_FORMAT_PARAMS, params);
    loaded = hy_load_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), 0);
    a = hy_import_from(F, g, &loaded, NULL);
    b = hy_import_from(F, g, &loaded, NULL);
    save_fill(F, a, 7);                 /* neither the other block nor the arrays feel it, nor the one exported */
    CHECK(save_same(F, hy_call(F, b, x), y) && hy_value(F, hy_call(F, a, x), 0, 0) == 7 * (5 * 7 * 3) + 7);
    CHECK(save_same(F, loaded.at[0], params.at[0]));
    a = hy_import_from(F, g, &params, NULL);
    save_fill(F, a, 7);
    CHECK(save_same(F, hy_call(F, net, x), y));
    memcpy(at, loaded.at, sizeof at);
    bad = loaded;
    bad.at = at;
    shaped.shape = HY_SHAPE(3, 4);
    shaped.shaped = 1;
    shaped.dtype = HY_F32;
    hy_begin(F);
    dead = hy_ones(F, HY_SHAPE(3, 4));
    hy_end(F);
    for (i = 0; i < 5; i++) {
        static const char *const says[] = { "not implemented for Symbol", "used after its hy_end", "belongs to another hy_open",
                                            "a group of 2 arrays", "has not been initialized" };
        at[0] = i == 0 ? hy_var(S, "q", &shaped) : i == 1 ? dead : i == 2 ? hy_ones(other, HY_SHAPE(3, 4))
            : i == 3 ? hy_group(F, x, x) : hy_param(F, save_two(F, 4), "0.weight");
        CHECK(!hy_import_from(F, g, &bad, NULL) && save_says(F, says[i]));
        CHECK(hy_set_parameters(F, b, bad, NULL) && save_says(F, says[i]));
        CHECK(!hy_save_to(F, HY_FORMAT_NPZ, bad) && save_says(F, says[i]));
    }
    bad.n = -1;
    CHECK(!hy_import_from(F, g, &bad, NULL) && save_says(F, "-1 arrays"));
    CHECK(save_same(F, hy_call(F, b, x), y) && !hy_error(F));
    hy_close(S);
    hy_close(other);
    CHECK(hy_close(F) == 0);
}

/* A model in memory that is only lent: its bytes stay as they are, whatever is done to it. */
static void save_lent(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = save_two(F, 4), *b;
    hy_array *x = hy_ones(F, HY_SHAPE(1, 4)), *bytes, *before;
    hy_arrays list;
    hy_initialize(F, net, NULL);
    bytes = hy_save_model_to(F, net, x);
    before = hy_copy(F, bytes);
    b = hy_load_model_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), 1);
    CHECK(save_same(F, hy_call(F, b, x), hy_call(F, net, x)));
    list = hy_load_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), 1);
    CHECK(list.n == 4);
    if (save_in_place()) {
        CHECK((const char *)hy_data(F, list.at[0]) > (const char *)hy_data(F, bytes) &&
              (const char *)hy_data(F, list.at[0]) < (const char *)hy_data(F, bytes) + hy_size(F, bytes));
        hy_fill(F, list.at[0], 3);
        CHECK(save_says(F, "lent to be read"));
    }
    hy_hybridize(F, b, NULL);
    hy_call(F, b, x);
    save_fill(F, b, 7);
    CHECK(hy_value(F, hy_call(F, b, x), 0, 0) == 7 * (5 * 7 * 3) + 7);
    CHECK(!hy_set_parameters(F, b, hy_parameters(F, b, NULL), NULL));
    CHECK(save_same(F, bytes, before) && !hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* --- inputs: which, how many, in which order --- */
static hy_array *save_crossed(hy_frame *F, hy_block *self, hy_array *x)        /* 1 - 0, of (0, unused, 1) */
{
    (void)self;
    return hy_sub(F, hy_get(F, x, hy_count(F, x) - 1), hy_get(F, x, 0));
}
static hy_array *save_given(hy_frame *F, hy_block *self, hy_array *x)          /* all that are given, however grouped */
{
    hy_array *y = NULL;
    int i;
    (void)self;
    for (i = 0; i < hy_count(F, x); i++) {
        hy_array *item = hy_get(F, x, i);
        if (item && hy_count(F, item) > 1) item = hy_sub(F, hy_get(F, item, 1), hy_get(F, item, 0));
        if (item) y = y ? hy_sub(F, item, y) : item;
    }
    return y;
}
static hy_array *save_unread(hy_frame *F, hy_block *self, hy_array *x)         /* 5, whatever it is given */
{
    (void)self; (void)x;
    return hy_ones(F, HY_SHAPE(2));
}

/* The block out of memory, out of one file and out of a pair takes the inputs that the block took. */
static void save_inputs_of(hy_frame *F, hy_block *net, hy_array *x)
{
    hy_array *y = hy_call(F, net, x), *symbol, *again, *bytes;
    hy_arrays params;
    hy_block *b[4];
    hy_graph *g;
    int i;
    CHECK(!hy_export_for(F, net, x, "save_t", 0) && !hy_save_model(F, net, "save_t.model"));
    CHECK(!hy_export_to(F, net, x, &symbol, &params));
    g = hy_symbol_from(F, (const char *)hy_data(F, symbol), (size_t)hy_size(F, symbol));
    again = hy_symbol_to(F, g);
    CHECK(save_same(F, symbol, again));
    b[0] = hy_import_from(F, g, &params, NULL);
    b[1] = hy_import(F, "save_t", 0);
    b[2] = hy_load_model(F, "save_t.model");
    bytes = hy_save_model_to(F, b[2], NULL);            /* never called: as it came */
    CHECK(save_same(F, bytes, hy_save_model_to(F, b[0], NULL)));
    b[3] = hy_load_model_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), 1);
    for (i = 0; i < 8; i++) {
        if (i == 4) hy_hybridize(F, b[0], NULL);
        if (!CHECK(save_same(F, hy_call(F, b[i % 4], x), y))) printf("    block %d: %s\n", i, hy_error(F) ? hy_error(F) : "");
    }
    CHECK(save_same(F, hy_save_model_to(F, b[0], NULL), bytes));        /* traced again */
    remove("save_t-symbol.json");
    remove("save_t-0000.params");
    remove("save_t.model");
}

static void save_inputs(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *a = hy_full(F, HY_SHAPE(2), 10), *b = hy_full(F, HY_SHAPE(2), 3), *c = hy_full(F, HY_SHAPE(2), 500);
    hy_array *many[12], *pair, *y;
    hy_block *net, *other;
    int i;
    net = hy_nn_hybrid_lambda(F, save_crossed, "crossed");
    save_inputs_of(F, net, hy_group(F, a, b));
    CHECK(hy_value(F, hy_call(F, net, hy_group(F, a, b)), 0) == -7);
    save_inputs_of(F, hy_nn_hybrid_lambda(F, save_crossed, "crossed"), hy_group(F, a, c, b));
    for (i = 0; i < 12; i++) many[i] = i == 0 ? a : i == 11 ? b : c;
    save_inputs_of(F, hy_nn_hybrid_lambda(F, save_crossed, "crossed"), hy_group_of(F, 12, many));
    save_inputs_of(F, hy_nn_hybrid_lambda(F, save_unread, "unread"), a);
    save_inputs_of(F, hy_nn_hybrid_lambda(F, save_unread, "unread"), hy_group(F, a, b));
    many[1] = NULL;                     /* None in places, groups in groups */
    save_inputs_of(F, hy_nn_hybrid_lambda(F, save_given, "given"), hy_group_of(F, 2, many));
    many[2] = b;
    save_inputs_of(F, hy_nn_hybrid_lambda(F, save_given, "given"), hy_group_of(F, 3, many));
    pair = hy_group(F, b, c);
    many[1] = pair;
    save_inputs_of(F, hy_nn_hybrid_lambda(F, save_given, "given"), hy_group_of(F, 3, many));
    many[2] = NULL;
    save_inputs_of(F, hy_nn_hybrid_lambda(F, save_given, "given"), hy_group_of(F, 3, many));
    for (i = 0; i < 12; i++) many[i] = hy_full(F, HY_SHAPE(2), i * i);
    net = hy_nn_hybrid_lambda(F, save_given, "given");          /* data10 is behind data9 */
    save_inputs_of(F, net, hy_group_of(F, 12, many));
    other = hy_load_model_from(F, hy_data(F, hy_save_model_to(F, net, NULL)),
                               (size_t)hy_size(F, hy_save_model_to(F, net, NULL)), 0);
    y = hy_call(F, other, hy_group(F, a, b));
    CHECK(!y && save_says(F, "12 inputs are due, 2 are given"));
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* What is said of inputs by name, and what MXNet's files look like: crossed, stored, unused. */
static void save_inputs_named(void)
{
    static const char crossed[] = "{\"nodes\": [{\"op\": \"null\", \"name\": \"data1\", \"attrs\": {\"__storage_type__\": \"0\"}, "
        "\"inputs\": []}, {\"op\": \"null\", \"name\": \"data0\", \"inputs\": []}, {\"op\": \"elemwise_sub\", \"name\": \"s\", "
        "\"inputs\": [[0, 0, 0], [1, 0, 0]]}], \"arg_nodes\": [0, 1], \"heads\": [[2, 0, 0]]}";
    static const struct { const char *inputs, *says; double is; } asked[] = {
        { NULL, NULL, 7 }, { "data0,data1", NULL, 7 }, { " data1 , data0 ", NULL, -7 }, { "", "no input is named", 0 },
        { "  ", "no input is named", 0 }, { "data0,data1,", NULL, 7 }, { "data0,,data1", "an empty name among", 0 },
        { "data0,data0", "'data0' is listed twice", 0 }, { "data0,x y", "no input 'x y'; candidates are 'data1', 'data0'", 0 } };
    hy_frame *F = hy_open(NULL);
    hy_graph *g = hy_symbol_from(F, crossed, sizeof crossed - 1);
    hy_array *x = hy_group(F, hy_full(F, HY_SHAPE(2), 3), hy_full(F, HY_SHAPE(2), 10)), *bytes;
    hy_arrays none = { 0, NULL, NULL };
    hy_import_opt opt = { 0 };
    hy_block *b;
    size_t i;
    for (i = 0; i < sizeof asked / sizeof *asked; i++) {
        opt.inputs = asked[i].inputs;
        b = hy_import_from(F, g, &none, &opt);
        if (asked[i].says) CHECK(!b && save_says(F, asked[i].says));
        else {
            CHECK(hy_value(F, hy_call(F, b, x), 0) == asked[i].is);
            bytes = hy_save_model_to(F, hy_import_from(F, g, &none, &opt), NULL);
            b = hy_load_model_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), 0);
            CHECK(hy_value(F, hy_call(F, b, x), 0) == asked[i].is);
        }
    }
    {                                   /* a program that takes nothing */
        static const char *const names[] = { "data0", "data1" };
        hy_arrays all;
        all.n = 2;
        all.at = x->item;
        all.name = names;
        b = hy_import_from(F, g, &all, NULL);
        CHECK(hy_value(F, hy_call(F, b, hy_ones(F, HY_SHAPE(5))), 0) == 7);
    }
    CHECK(!hy_import(F, NULL, 0) && save_says(F, "hy_import: the prefix is NULL"));
    CHECK(!hy_import(F, "x", -2) && save_says(F, "hy_import: epoch -2"));
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* First values as MXNet's files name them, in letters of either case. */
static void save_init_names(void)
{
    static const char text[] = "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []}, {\"op\": \"null\", "
        "\"name\": \"a\", \"attrs\": {\"__shape__\": \"(2,)\", \"__init__\": \"[\\\"Constant\\\", {\\\"value\\\": 0.25}]\"}, "
        "\"inputs\": []}, {\"op\": \"null\", \"name\": \"b\", \"attrs\": {\"__shape__\": \"(2,)\", \"__init__\": \"One\"}, "
        "\"inputs\": []}, {\"op\": \"add_n\", \"name\": \"s\", \"attrs\": {\"num_args\": \"3\"}, \"inputs\": [[0, 0, 0], "
        "[1, 0, 0], [2, 0, 0]]}], \"arg_nodes\": [0, 1, 2], \"heads\": [[3, 0, 0]]}";
    hy_frame *F = hy_open(NULL);
    hy_block *b = hy_nn_symbol_block(F, hy_symbol_from(F, text, sizeof text - 1), "data");
    hy_initialize(F, b, NULL);
    CHECK(hy_value(F, hy_call(F, b, hy_zeros(F, HY_SHAPE(2))), 1) == 1.25 && !hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* The graph of a model in one file, by itself; and files under other names that are none. */
static void save_graph_of_model(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = save_two(F, 4), *b;
    hy_array *x = hy_ones(F, HY_SHAPE(1, 4)), *bytes, *symbol, *again;
    hy_arrays params, all;
    hy_graph *g;
    hy_initialize(F, net, NULL);
    bytes = hy_save_model_to(F, net, x);
    CHECK(!hy_export_to(F, net, x, &symbol, &params) && !hy_save_model(F, net, "save_t.model"));
    b = save_two(F, 4);
    hy_initialize(F, b, NULL);
    CHECK(hy_save_model(F, b, "save_t2.model") && save_says(F, "first call"));
    CHECK(!hy_save_model_for(F, b, x, "save_t2.model") && save_same(F, hy_call(F, hy_load_model(F, "save_t2.model"), x),
                                                                    hy_call(F, b, x)));
    remove("save_t2.model");
    g = hy_symbol_from(F, (const char *)hy_data(F, bytes), (size_t)hy_size(F, bytes));
    CHECK(g && save_same(F, hy_symbol_to(F, g), symbol));
    CHECK(save_same(F, hy_symbol_to(F, hy_load_symbol(F, "save_t.model")), symbol));
    all = hy_load(F, "save_t.model");
    b = hy_import_from(F, g, &all, NULL);
    CHECK(save_same(F, hy_call(F, b, x), hy_call(F, net, x)));
    b = hy_import_from(F, g, &all, NULL);       /* never called: as it came, or as it is by now */
    CHECK(!hy_export_to(F, b, NULL, &again, NULL) && save_same(F, again, symbol));
    hy_set_mult(F, hy_collect_params(F, b, NULL).at[0], 3, 1);
    CHECK(!hy_export_to(F, b, NULL, &again, NULL) && strstr((const char *)hy_data(F, again), "\"__lr_mult__\": \"3.0\""));
    CHECK(!hy_export_to(F, b, x, &again, NULL) && strstr((const char *)hy_data(F, again), "\"__lr_mult__\": \"3.0\""));
    b = hy_import_from(F, g, &all, NULL);
    hy_cast_block(F, b, HY_F64);
    CHECK(!hy_export_to(F, b, NULL, &again, NULL) && strstr((const char *)hy_data(F, again), "\"__dtype__\": \"1\""));
    b = hy_nn_symbol_block(F, g, "data");       /* nothing to write */
    CHECK(!hy_save_model_to(F, b, NULL) && save_says(F, "hy_initialize"));
    bytes = hy_save_to(F, HY_FORMAT_NPZ, params);
    CHECK(!hy_symbol_from(F, (const char *)hy_data(F, bytes), (size_t)hy_size(F, bytes)) &&
          save_says(F, "there is no model-symbol.json"));
    CHECK(!hy_load_model_from(F, hy_data(F, symbol), (size_t)hy_size(F, symbol), 0) && save_says(F, "hy_save_model wrote"));
    remove("save_t.model");
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* What belongs to a batch normalization: how it begins, and that it stays wide. */
static void save_norm(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_hybrid_sequential(F), *b;
    hy_array *x = hy_normal(F, HY_SHAPE(2, 4), 0, 1), *symbol;
    hy_arrays params;
    hy_append(F, net, hy_nn_dense(F, 4, NULL), hy_nn_batch_norm(F, NULL));
    hy_initialize(F, net, NULL);
    hy_set_prefix(F, net, "\1_");       /* MXNet writes it so */
    CHECK(!hy_export_to(F, net, x, &symbol, &params));
    b = hy_import_from(F, hy_symbol_from(F, (const char *)hy_data(F, symbol), (size_t)hy_size(F, symbol)), &params, NULL);
    CHECK(hy_call(F, b, x) != NULL);
    hy_cast_block(F, b, HY_F16);
    CHECK(hy_dtype_of(F, hy_call(F, b, hy_cast(F, x, HY_F16))) == HY_F16);
    b = hy_import_from(F, hy_symbol_from(F, (const char *)hy_data(F, symbol), (size_t)hy_size(F, symbol)), NULL, NULL);
    hy_initialize(F, b, NULL);
    CHECK(hy_call(F, b, x) != NULL);
    params = hy_parameters(F, b, NULL);
    CHECK(params.n == 6 && strstr(params.name[5], "running_var") && hy_value(F, params.at[5], 2) == 1);
    CHECK(params.n == 6 && strstr(params.name[4], "running_mean") && hy_value(F, params.at[4], 2) == 0);
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* --- memory that runs out --- */
static int save_oom_files(hy_frame *F)
{
    hy_array *at[12], *bytes, *again = NULL;
    const char *name[12];
    hy_arrays all = save_some(F, at, name), got;
    int f, ok = 1;
    for (f = 0; f < 4 && ok; f++) {
        all.n = f == HY_FORMAT_NPY ? 1 : 12;
        bytes = hy_save_to(F, (hy_format)f, all);
        if (!bytes) return 0;
        got = hy_load_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), f & 1);
        ok = got.n == all.n;
    }
    (void)again;
    return ok && !hy_error(F);
}

static int save_oom_model(hy_frame *F)
{
    hy_block *net = save_two(F, 4), *b;
    hy_array *x = hy_ones(F, HY_SHAPE(1, 4)), *bytes, *y, *z;
    hy_initialize(F, net, NULL);
    bytes = hy_save_model_to(F, net, x);
    b = bytes ? hy_load_model_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), 0) : NULL;
    if (!b) return 0;
    y = hy_call(F, net, x);
    z = hy_call(F, b, x);
    return y && z && save_same(F, y, z) && !hy_set_parameters(F, net, hy_parameters(F, net, NULL), NULL);
}

/* Inputs that are listed, and the graph by itself. */
static int save_oom_inputs(hy_frame *F)
{
    hy_block *net = hy_nn_hybrid_lambda(F, save_crossed, "crossed"), *b;
    hy_array *x = hy_full(F, HY_SHAPE(2), 10), *y = hy_ones(F, HY_SHAPE(2)), *bytes;
    hy_array *args = hy_group(F, x, y, hy_full(F, HY_SHAPE(2), 3));
    hy_graph *g;
    hy_import_opt opt = { "data2,data0", 0, 0 };
    hy_arrays none = { 0, NULL, NULL };
    bytes = hy_save_model_to(F, net, args);
    g = bytes ? hy_symbol_from(F, (const char *)hy_data(F, bytes), (size_t)hy_size(F, bytes)) : NULL;
    b = g ? hy_load_model_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), 1) : NULL;
    bytes = b ? hy_save_model_to(F, b, NULL) : NULL;
    y = bytes ? hy_call(F, b, args) : NULL;
    if (!y || hy_value(F, y, 0) != -7) return 0;
    b = hy_import_from(F, g, &none, &opt);
    y = b ? hy_call(F, b, hy_group(F, x, hy_full(F, HY_SHAPE(2), 3))) : NULL;
    return y && hy_value(F, y, 0) == 7;
}

static int save_oom_disk(hy_frame *F)
{
    hy_block *net = save_two(F, 4), *b = NULL;
    hy_array *x = hy_ones(F, HY_SHAPE(1, 4)), *y;
    hy_initialize(F, net, NULL);
    if (!hy_export_for(F, net, x, "save_oom", 0)) b = hy_import(F, "save_oom", 0);
    y = b ? hy_call(F, b, x) : NULL;
    return y && save_same(F, hy_call(F, net, x), y);
}

static void save_oom(void)
{
#if SAVE_UNIX
    int first = dup(1), again;          /* the lowest number that is free: no file may stay open */
    close(first);
#endif
    oom_walk(save_oom_files, 1);
    oom_walk(save_oom_model, 1);
    oom_walk(save_oom_inputs, 1);
    CHECK(!save_left());
#if SAVE_UNIX
    CHECK(!symlink("save_oom-0000.real", "save_oom-0000.params"));
#endif
    oom_walk(save_oom_disk, 1);
    CHECK(!save_left());
#if SAVE_UNIX
    again = dup(1);
    CHECK(again == first);
    close(again);
#endif
    remove("save_oom-symbol.json");
    remove("save_oom-0000.params");
    remove("save_oom-0000.real");
}

/* What an imported, never called block says of its parameters is what it is exported with. */
static void save_export_again(void)
{
    static const char text[] = "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []}, {\"op\": \"null\", \"name\": \"w\", "
        "\"attrs\": {\"__dtype__\": \"2\"}, \"inputs\": []}, {\"op\": \"broadcast_mul\", \"name\": \"y\", \"inputs\": [[0, 0, 0], [1, 0, 0]]}], "
        "\"arg_nodes\": [0, 1], \"heads\": [[2, 0, 0]], \"attrs\": {\"mxnet_version\": [\"int\", 10901]}}";
    hy_frame *F = hy_open(NULL);
    hy_array *w = hy_full(F, HY_SHAPE(1, 3), 2), *symbol = NULL, *x = hy_ones(F, HY_SHAPE(4, 3));
    const char *name = "w";
    hy_arrays given, params;
    hy_block *net;
    given.n = 1;
    given.at = &w;
    given.name = &name;
    net = hy_import_from(F, hy_symbol_from(F, text, sizeof text - 1), &given, NULL);
    CHECK_STR(hy_input_name(F, net, 0), "data");
    CHECK(!hy_input_name(F, net, 1) && !hy_input_name(F, net, -1) && !hy_error(F));
    hy_set_mult(F, hy_param(F, net, "w"), 5, 1);
    CHECK(!hy_export_to(F, net, NULL, &symbol, &params));
    if (CHECK(symbol != NULL)) {
        CHECK(strstr((const char *)hy_data(F, symbol), "\"__lr_mult__\": \"5.0\""));
        CHECK(params.n == 1 && !strcmp(params.name[0], "arg:w") && hy_dtype_of(F, params.at[0]) == HY_F32);
        net = hy_import_from(F, hy_symbol_from(F, (const char *)hy_data(F, symbol), strlen((const char *)hy_data(F, symbol))), &params, NULL);
        CHECK(hy_value(F, hy_call(F, net, x), 3, 2) == 2 && hy_lr_mult(F, hy_param(F, net, "w")) == 5);
    }
    CHECK(!hy_error(F));
    CHECK(!hy_input_name(F, hy_nn_dense(F, 2, NULL), 0));
    CHECK(hy_error(F) && strstr(hy_error(F), "was not imported"));
    hy_clear(F);
    CHECK(hy_close(F) == 0);
}

/* A network whose shapes only the whole graph tells, as where a recurrent layer begins with zeros, is traced when it
 * is loaded and called; the products before the layer have few rows, and must not read a weight laid out for them.
 * The same bits as what was saved, in both forms; and while hybridized with `exact`. */
static hy_array *save_line_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    x = hy_call(F, hy_child(F, self, 0), x);
    x = hy_reshape(F, hy_slice_axis(F, hy_reshape(F, x, HY_INTS(33), NULL), 0, 8, 32), HY_INTS(4, 2, 3), NULL);
    return hy_call(F, hy_child(F, self, 1), x);
}

static void save_line_by_line(void)
{
    int k, kind;
    for (kind = 0; kind < 3; kind++) {
        hy_frame *F = hy_open(NULL);
        hy_block *net = hy_block_new(F, sizeof(hy_block), "net", save_line_forward, 1), *read[2];
        hy_array *x = hy_uniform(F, HY_SHAPE(1, 17), -2, 2), *y, *file, *symbol;
        hy_hybridize_opt exact = { 0 };
        hy_arrays all;
        exact.exact = 1;
        hy_add_child(F, net, NULL, hy_nn_dense(F, 33, NULL));
        hy_add_child(F, net, NULL, kind == 0 ? hy_rnn_lstm(F, 3, NULL) :
                     kind == 1 ? hy_rnn_gru(F, 3, NULL) : hy_rnn_rnn(F, 3, NULL));
        hy_initialize(F, net, NULL);
        y = hy_call(F, net, x);
        file = hy_save_model_to(F, net, x);
        read[0] = hy_load_model_from(F, hy_data(F, file), (size_t)hy_size(F, file), 0);
        hy_export_to(F, net, x, &symbol, &all);
        read[1] = hy_import_from(F, hy_symbol_from(F, hy_data(F, symbol), (size_t)hy_size(F, symbol)), &all, NULL);
        for (k = 0; k < 2; k++) {
            if (!CHECK(save_same(F, hy_call(F, read[k], x), y))) printf("    kind %d, form %d\n", kind, k);
            hy_hybridize(F, read[k], &exact);
            CHECK(save_same(F, hy_call(F, read[k], x), y));
            exact.inactive = 1;
            hy_hybridize(F, read[k], &exact);
            CHECK(save_same(F, hy_call(F, read[k], x), y));
            exact.inactive = 0;
        }
        CHECK_STR(hy_error(F), NULL);
        CHECK(hy_close(F) == 0);
    }
}

/* Norms keep their bits: what a file of MXNet's says is read as sums along lines where it can be, ours as what ran. */
static const char *save_norm_says;
static hy_array *save_norm_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_apply(F, "_np_norm", 1, &x, save_norm_says);
}

static void save_norms(void)
{
    static const char *const says[] = { "axis=1", "axis=0 keepdims=True", "ord=1 axis=1", "ord=3 axis=0", "flag=1 axis=(0,2)",
                                        "ord=2 axis=(0,1)", "ord=inf axis=2" };
    int i, k, wide;
    for (i = 0; i < (int)(sizeof says / sizeof *says); i++)
        for (wide = 0; wide < 2; wide++) {
            hy_frame *F = hy_open(NULL);
            hy_block *net = hy_block_new(F, sizeof(hy_block), "net", save_norm_forward, 1), *read[4];
            hy_array *x = hy_cast(F, hy_uniform(F, HY_SHAPE(7, 19, 23), -2, 2), wide ? HY_F64 : HY_F32), *y;
            save_norm_says = says[i];
            y = hy_call(F, net, x);
            for (k = 0; k < 2; k++) {
                read[k] = tb_reloaded(F, net, x, k);
                read[2 + k] = tb_reloaded(F, read[k], NULL, !k);
                hy_hybridize(F, read[2 + k], NULL);
            }
            for (k = 0; k < 4; k++)
                if (!CHECK(save_same(F, hy_call(F, read[k], x), y))) printf("    %s, wide %d, %d\n", says[i], wide, k);
            CHECK_STR(hy_error(F), NULL);
            CHECK(hy_close(F) == 0);
        }
}

#ifndef HYBRID_NO_TRAIN
/* An array that two take has three gradients where gradients have gradients: they add up in the order in which those
 * ran, which depth-first from the heads is another. */
static hy_array *save_two_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *y = hy_exp(F, x), *first = hy_sigmoid(F, hy_slice_axis(F, y, 0, 2, 40));
    (void)self;
    y = hy_clip(F, y, -2, 2);
    return hy_group(F, hy_apply(F, "softrelu", 1, &y, ""), first);
}

static hy_array *save_second_gradient(hy_frame *F, hy_block *net, hy_array *from)
{
    hy_array *x = hy_copy(F, from), *y, *g;
    hy_grad_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.create_graph = 1;
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_call(F, net, x);
    g = hy_grad(F, y, x, &opt);
    y = hy_square(F, hy_sum(F, hy_mul(F, g, from), HY_ALL, NULL));
    hy_pause(F);
    hy_backward(F, y, NULL);
    return hy_grad_of(F, x);
}

static void save_second_gradients(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_block_new(F, sizeof(hy_block), "net", save_two_forward, 1), *read;
    hy_array *x = hy_uniform(F, HY_SHAPE(67), -9, 9), *due = save_second_gradient(F, net, x);
    hy_hybridize_opt exact;
    int k;
    memset(&exact, 0, sizeof exact);
    exact.exact = 1;
    for (k = 0; k < 4; k++) {
        read = tb_reloaded(F, net, x, k & 1);
        if (k & 2) hy_hybridize(F, read, &exact);
        if (!CHECK(save_same(F, save_second_gradient(F, read, x), due))) printf("    form %d\n", k);
    }
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}
#endif

static void test_save(void)
{
    RUN(save_formats);
    RUN(save_book);
    RUN(save_lenet);
    RUN(save_padding_that_differs);
    RUN(save_padding_of_any_length);
    RUN(save_full_disk);
    RUN(save_zip);
    RUN(save_safetensors);
    RUN(save_sparse_bomb);
    RUN(save_late_error);
    RUN(save_mistakable);
    RUN(save_one_form);
    RUN(save_places);
    RUN(save_modes);
    RUN(save_aside);
    RUN(save_reasons);
    RUN(save_json_numbers);
    RUN(save_threads);
    RUN(save_golden);
    RUN(save_golden_arrays);
    RUN(save_detectors);
    RUN(save_old_files);
    RUN(save_zoo);
    RUN(save_broken_symbols);
    RUN(save_number_of_none);
    RUN(save_hurt);
    RUN(save_parameters);
    RUN(save_recurrent);
    RUN(save_line_by_line);
    RUN(save_norms);
#ifndef HYBRID_NO_TRAIN
    RUN(save_second_gradients);
#endif
    RUN(save_long_paths);
    RUN(save_missing);
    RUN(save_symbol_block);
    RUN(save_bound);
    RUN(save_own_memory);
    RUN(save_lent);
    RUN(save_inputs);
    RUN(save_inputs_named);
    RUN(save_init_names);
    RUN(save_graph_of_model);
    RUN(save_norm);
    RUN(save_oom);
    RUN(save_export_again);
}
