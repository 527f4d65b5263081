/* cc -O1 tests/onnx.c -o onnx -lm -lpthread && ./onnx FOLDER [part of a name]
 *
 * Runs cases of ONNX's own suite, each in a folder of its own with model.onnx, case.txt and arrays, line by line
 * and compiled. One line for each case that does not pass, then how many did.
 */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#define HYBRID_ONNX_IMPLEMENTATION
#include "../tools/onnx.h"
#include "onnx_case.h"
#include "onnx_names.h"

int main(int argc, char **argv)
{
    static onnx_case c;
    static char *names[5000];
    const char *folder = argc > 1 ? argv[1] : ".", *part = argc > 2 ? argv[2] : "";
    int n = onnx_case_names(folder, part, names, 5000), i, mode, passed[2] = { 0, 0 };
    if (n < 0) { printf("%s is no folder\n", folder); return 1; }
    for (i = 0; i < n; i++) {
        snprintf(c.folder, sizeof c.folder, "%s/%s", folder, names[i]);
        if (!onnx_read_case(&c)) { free(names[i]); continue; }
        for (mode = 0; mode < 2; mode++) {
            const char *why = onnx_run_case(&c, mode);
            if (!why) passed[mode]++;
            else printf("%s %s: %s\n", mode ? "compiled" : "line-by-line", names[i], why);
            fflush(stdout);
        }
        free(names[i]);
    }
    printf("%d cases: %d pass line by line, %d compiled\n", n, passed[0], passed[1]);
    return passed[0] != n || passed[1] != n;
}
