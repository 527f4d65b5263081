/* A network as C, alone: no hybrid.h. -DNET="\"net.h\"" names its header; what it reads and what is due are files of floats. */
#include NET
#include <stdio.h>

static int read(const char *file, float *to, size_t most)
{
    FILE *f = fopen(file, "rb");
    size_t n = f ? fread(to, sizeof(float), most + 1, f) : 0;
    if (f) fclose(f);
    return n == most;
}

int main(int argc, char **argv)
{
    static float in[NET_DATA_SIZE + 1], due[NET_OUT_SIZE + 1], out[NET_OUT_SIZE];
    static double workspace[NET_WORKSPACE / sizeof(double) + 1];
    int i;
    if (argc != 3 || !read(argv[1], in, NET_DATA_SIZE) || !read(argv[2], due, NET_OUT_SIZE)) return 2;
    if (net_run(in, out, workspace)) return 3;
    for (i = 0; i < NET_OUT_SIZE; i++) {
        float off = out[i] > due[i] ? out[i] - due[i] : due[i] - out[i];
        if (!(off <= 1e-5f + 1e-5f * (due[i] > 0 ? due[i] : -due[i]))) {
            printf("%d: %.9g, due %.9g\n", i, out[i], due[i]);
            return 1;
        }
    }
    return 0;
}
