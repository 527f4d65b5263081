/* What systems do differently: names of files, folders, what is read-only, time, threads of another kind. */
#ifndef _WIN32
#include <sys/stat.h>
#if defined(__unix__) || defined(__APPLE__)
#define machine_folder(name) mkdir(name, 0777)
#endif
#else
#include <direct.h>
#include <io.h>
#define machine_folder(name) _mkdir(name)
#endif

static int machine_save(hy_frame *F, const char *name, double value)
{
    hy_array *x = hy_full(F, HY_SHAPE(5), value);
    hy_arrays all = { 1, NULL, NULL };
    all.at = &x;
    return hy_save(F, name, all);
}

/* The value there, or -1. */
static double machine_load(hy_frame *F, const char *name)
{
    hy_arrays all = hy_load(F, name);
    return all.n == 1 && hy_size(F, all.at[0]) == 5 ? hy_value(F, all.at[0], 4) : -1;
}

/* Saved under a name, and read again. */
static int machine_keeps(const char *name)
{
    hy_frame *F = hy_open(NULL);
    int right = !machine_save(F, name, 3) && machine_load(F, name) == 3;
    if (!right) printf("    %s\n", hy_error(F));
    hy_close(F);
    hy__remove(name);
    return right;
}

/* What is said about a name, loaded from or, given an array, saved to. */
static const char *machine_says(const char *name, int save)
{
    static char text[300];
    hy_frame *F = hy_open(NULL);
    if (save) machine_save(F, name, 1);
    else hy_load(F, name);
    sprintf(text, "%.250s", hy_error(F) ? hy_error(F) : "");
    hy_close(F);
    return text;
}

static void machine_names_are_utf8(void)
{
    CHECK(machine_keeps("machine_plain.npy"));
    CHECK(machine_keeps("machine_\xc3\xa4\xe2\x82\xac\xf0\x9d\x84\x9e.params"));
    CHECK(machine_keeps("./machine_\xce\xbb.npy"));
    CHECK(strstr(machine_says("machine_\xc3\xa4_absent.npy", 0), "no such file") != NULL);
#ifdef _WIN32
    CHECK(machine_keeps(".\\machine_\xce\xbb.npy"));
    CHECK(*machine_says("machine_\xff.npy", 0) && *machine_says("machine_\xff.npy", 1));
    {
        hy_frame *F = hy_open(NULL);
        FILE *file;
        machine_save(F, "machine_\xce\xbb.npy", 1);
        file = _wfopen(L"machine_\x3bb.npy", L"rb");        /* as Windows itself calls it */
        CHECK(file != NULL);
        if (file) fclose(file);
        CHECK(hy_close(F) == 0 && !hy__remove("machine_\xce\xbb.npy"));
    }
#endif
}

static void machine_long_names_are_refused(void)
{
    char name[6000];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = 0;
    CHECK(*machine_says(name, 0) && *machine_says(name, 1));
}

/* A folder is no file, and saving there leaves nothing behind. */
static void machine_folders_are_no_files(void)
{
#ifdef machine_folder
    CHECK(!machine_folder("machine_folder"));
    CHECK(strstr(machine_says("machine_folder", 0), "machine_folder") != NULL);
    CHECK(strstr(machine_says("machine_folder", 1), "machine_folder") != NULL);
    CHECK(machine_keeps("machine_folder/\xc3\xb6.params"));
    CHECK(strstr(machine_says("machine_absent/x.params", 1), "no such file or folder") != NULL);
    CHECK(!rmdir("machine_folder"));                        /* it was empty */
#endif
}

static void machine_read_only_files_stay(void)
{
#ifdef machine_folder
    hy_frame *F = hy_open(NULL);
    machine_save(F, "machine_kept.npy", 7);
    CHECK(!chmod("machine_kept.npy", 0444));
    CHECK(strstr(machine_says("machine_kept.npy", 1), "permission denied") != NULL);
    CHECK(machine_load(F, "machine_kept.npy") == 7);
    CHECK(!chmod("machine_kept.npy", 0666) && hy_close(F) == 0 && !remove("machine_kept.npy"));
#endif
}

static void machine_saves_replace_and_leave_nothing(void)
{
    hy_frame *F = hy_open(NULL);
    FILE *aside;
    int i;
    for (i = 0; i < 3; i++) CHECK(!machine_save(F, "machine_again.npy", i));
    CHECK(machine_load(F, "machine_again.npy") == 2);
    aside = fopen("machine_again.npy.hy.part", "rb");
    CHECK(!aside);
    if (aside) fclose(aside);
    CHECK(hy_close(F) == 0 && !remove("machine_again.npy"));
}

static void machine_time_goes_on(void)
{
    double start = hy_seconds(), now = start;
    int turns = 0;
    while (now - start < 2e-3 && turns++ < 100000000) now = hy_seconds();
    CHECK(now - start >= 2e-3 && now - start < 100);
}

#ifndef HYBRID_NO_THREADS
typedef struct machine_counter { hy__lock lock; hy__signal wake; int value, ready; } machine_counter;
HY__THREAD_MAIN(machine_counts)
{
    machine_counter *c = (machine_counter *)arg;
    int i;
    hy__acquire(&c->lock);
    while (!c->ready) hy__wait(&c->wake, &c->lock);
    hy__release(&c->lock);
    for (i = 0; i < 10000; i++) {
        hy__acquire(&c->lock);
        c->value++;
        hy__release(&c->lock);
        if (i % 1000 == 0) hy__yield();
    }
    return 0;
}

static void machine_threads_wait_and_exclude(void)
{
    machine_counter c;
    hy__thread thread[4];
    int i, n = 0;
    memset(&c, 0, sizeof c);
    CHECK(!hy__lock_init(&c.lock));
    hy__signal_init(&c.wake);
    for (i = 0; i < 4; i++) n += !hy__thread_start(&thread[n], machine_counts, &c);
    hy__acquire(&c.lock);
    c.ready = 1;
    hy__wake_all(&c.wake);
    hy__release(&c.lock);
    for (i = 0; i < n; i++) hy__thread_join(thread[i]);
    CHECK(n == 4 && c.value == 40000);
    hy__signal_done(&c.wake);
    hy__lock_done(&c.lock);
}
#endif

static void test_machines(void)
{
    RUN(machine_names_are_utf8);
    RUN(machine_long_names_are_refused);
    RUN(machine_folders_are_no_files);
    RUN(machine_read_only_files_stay);
    RUN(machine_saves_replace_and_leave_nothing);
    RUN(machine_time_goes_on);
#ifndef HYBRID_NO_THREADS
    RUN(machine_threads_wait_and_exclude);
#endif
}
