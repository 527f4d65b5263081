/* For programs that walk a folder of cases of ONNX. */
#include <dirent.h>

static int onnx_by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The cases of a folder whose names have a part, in order: how many; -1: it is none. */
static int onnx_case_names(const char *folder, const char *part, char **names, int most)
{
    struct dirent *entry;
    DIR *d = opendir(folder);
    int n = 0;
    if (!d) return -1;
    while ((entry = readdir(d)) != NULL && n < most)
        if (*entry->d_name != '.' && strstr(entry->d_name, part)) names[n++] = strdup(entry->d_name);
    closedir(d);
    qsort(names, (size_t)n, sizeof *names, onnx_by_text);
    return n;
}
