/* The tests and the random programs in one program, for a compiler that takes minutes for the library: "programs", first on
 * the command line, asks for these. */
#define main tests_main
#include "all.c"
#undef main
#undef static
#if defined(__clang__)
#pragma clang optimize on
#elif defined(__GNUC__)
#pragma GCC reset_options
#endif
#define main programs_main
#include "programs.c"
#undef main

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "programs")) return programs_main(argc - 1, argv + 1);
    return tests_main(argc, argv);
}
