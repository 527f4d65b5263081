/* clang as it compiles for MSVC, with headers of mingw: these take clang for a compiler without attributes. Included
 * before everything else. */
#include <stddef.h>
#include <stdint.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <stdio.h>
#include <process.h>
#include <errno.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <io.h>
#undef __attribute__
#undef va_start
#undef va_arg
#undef va_end
#undef va_copy
#define va_start __builtin_va_start
#define va_arg __builtin_va_arg
#define va_end __builtin_va_end
#define va_copy __builtin_va_copy
/* There a long double is a double; here it is 80 bits in functions that are linked. */
#define fabsl fabs
#define logl log
#define sqrtl sqrt
