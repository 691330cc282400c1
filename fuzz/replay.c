/* replay.c - a target without libFuzzer: runs files, and those in directories.

   So any compiler builds the targets, and the ordinary tests run all inputs of
   fuzz/corpus through them. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "input.h"

static size_t inputs;

static int replay_file(const char *path, size_t size)
{
    uint8_t *data =
        malloc(size > 0 ? size : 1); /* exact: reading on is found */
    FILE *file = fopen(path, "rb");
    const int whole =
        data != NULL && file != NULL && fread(data, 1, size, file) == size;

    if (file != NULL)
        fclose(file);
    if (whole) {
        /* Said before, so that a crash has a name. */
        printf("%s\n", path);
        fflush(stdout);
        LLVMFuzzerTestOneInput(data, size);
        inputs++;
    }
    free(data);
    return whole;
}

static int replay(const char *path)
{
    struct dirent **entry = NULL;
    struct stat info;
    int n, good = 1;

    if (stat(path, &info) != 0)
        return 0;
    if (!S_ISDIR(info.st_mode))
        return replay_file(path, (size_t)info.st_size);
    n = scandir(path, &entry, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char inner[4096];

        snprintf(inner, sizeof inner, "%s/%s", path, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.')
            good = replay(inner) && good;
        free(entry[i]);
    }
    free(entry);
    return n >= 0 && good;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!replay(argv[i])) {
            fprintf(stderr, "cannot read all of %s\n", argv[i]);
            return 1;
        }
    printf("%zu inputs\n", inputs);
    return inputs > 0 ? 0 : 1;
}
