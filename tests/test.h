/* A test is a function; a check that fails says where and goes on. */
#ifndef TEST_H
#define TEST_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
static int setenv(const char *name, const char *value, int over) { (void)over; return _putenv_s(name, value); }
static int unsetenv(const char *name) { return _putenv_s(name, ""); }
#endif

static int test_passed, test_failed;    /* cases */
static int test_broken;                 /* checks that failed in the running case */
static const char *test_filter;
static int test_part, test_parts = 1, test_asked;       /* "2/5" runs the second of five parts */

#define CHECK(condition) test_check((condition) != 0, #condition, __FILE__, __LINE__)
#define CHECK_STR(got, want) test_check_text(got, want, __FILE__, __LINE__)
#define CHECK_NEAR(got, want, tolerance) test_check_near(got, want, tolerance, __FILE__, __LINE__)
#define RUN(test) test_run(#test, test)

/* What a test compares with is loops over loops at times: those are optimised, unlike the rest of the tests. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__TINYC__)
#define TEST_HOT __attribute__((optimize("O3")))
#else
#define TEST_HOT
#endif

static int test_check(int ok, const char *what, const char *file, int line)
{
    if (!ok && test_broken++ < 5) printf("%s:%d: %s\n", file, line, what);
    return ok;
}

static int test_check_text(const char *got, const char *want, const char *file, int line)
{
    int ok = got && want ? !strcmp(got, want) : got == want;
    if (!ok && test_broken++ < 5)
        printf("%s:%d: got  \"%s\"\n%*swant \"%s\"\n", file, line, got ? got : "(null)", (int)strlen(file) + 6, "",
               want ? want : "(null)");
    return ok;
}

static int test_check_near(double got, double want, double tolerance, const char *file, int line)
{
    double error = got > want ? got - want : want - got;
    int ok = got == want || error <= tolerance;
    if (!ok && test_broken++ < 5) printf("%s:%d: got %.9g, want %.9g\n", file, line, got, want);
    return ok;
}

/* Code that a test compiles and loads: valgrind may not know its instructions, MemorySanitizer not what it writes. */
static int test_may_load_code(void)
{
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
    return 0;
#endif
#endif
    return !getenv("TEST_UNDER_VALGRIND");
}

/* Does the name hold one of the words, which stand as "oom|frame_|save"? */
static int test_has_word(const char *name, const char *words)
{
    size_t n;
    for (; *name; name++) {
        const char *word = words;
        for (;; word += n + 1) {
            n = strcspn(word, "|");
            if (!strncmp(name, word, n)) return 1;
            if (!word[n]) break;
        }
    }
    return 0;
}

/* What the command line asks for: words of which a test's name has one, or a share of all tests. */
static void test_ask(const char *filter)
{
    int part, parts;
    test_filter = filter;
    if (!filter || sscanf(filter, "%d/%d", &part, &parts) != 2 || part < 1 || parts < part) return;
    test_filter = NULL;
    test_part = part - 1;
    test_parts = parts;
}

static int test_wanted(const char *name)
{
    if (test_filter) return test_has_word(name, test_filter);
    return test_asked++ % test_parts == test_part;
}

static void test_begin(void) { test_broken = 0; }
static void test_end(const char *name)
{
    if (test_broken) { test_failed++; printf("FAILED %s\n", name); }
    else test_passed++;
}

static void test_run(const char *name, void (*test)(void))
{
    if (!test_wanted(name)) return;
    test_begin();
    test();
    test_end(name);
}
#endif
