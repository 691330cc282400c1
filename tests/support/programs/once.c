/* once MODE [SEED A BAD] - a simulator that is run once per simulation.

   The right answer is `seed%100000 a 2a`, as in hostile.c; with bad = 1 comes
   what MODE says. The values come from the arguments or, in the mode "file",
   from a file input.txt of lines `name = value`. It notes its process number as
   hostile does. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pids.h"

static unsigned long seed;
static double a, bad;

static void read_file(void)
{
    FILE *file = fopen("input.txt", "r");
    char line[256];

    if (file == NULL)
        exit(97);
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, " seed = %lu", &seed) == 1 ||
            sscanf(line, " bad = %lf", &bad) == 1)
            continue;
        sscanf(line, " a = %lf", &a);
    }
    fclose(file);
}

static void answer(FILE *file)
{
    fprintf(file, "  %lu,\n%.9gD+00\n\n %.9g", seed % 100000, a, 2 * a);
}

static void answer_file(void)
{
    FILE *file;

    mkdir("results", 0777);
    file = fopen("results/x.dat", "w");
    if (file == NULL)
        exit(96);
    answer(file);
    fclose(file);
    printf("chatter that is no answer\n");
}

static void misbehave(const char *mode)
{
    if (strcmp(mode, "exit") == 0) {
        answer(stdout);
        fprintf(stderr, "cannot converge\n");
        exit(4);
    }
    if (strcmp(mode, "sleep") == 0)
        pause();
    if (strcmp(mode, "error") == 0)
        printf("error: no root\nwhatever");
    if (strcmp(mode, "few") == 0)
        printf("1 2");
    if (strcmp(mode, "many") == 0)
        printf("1\n2\n3\n4\n");
    if (strcmp(mode, "trail") == 0) {
        answer(stdout);
        printf(" done");
    }
    if (strcmp(mode, "flood") == 0)
        for (int i = 0; i < 1 << 20; i++)
            printf("0.5 0.5 0.5\n");
    if (strcmp(mode, "f32") == 0)
        fwrite(&a, 4, 2, stdout);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";

    note_pid();
    if (argc == 5) {
        seed = strtoul(argv[2], NULL, 10);
        a = strtod(argv[3], NULL);
        bad = strtod(argv[4], NULL);
    } else {
        read_file();
    }
    if (bad > 0.5) {
        misbehave(mode);
    } else if (strncmp(mode, "file", 4) == 0) {
        answer_file();
    } else if (strcmp(mode, "f32") == 0) {
        const float x[] = {(float)(seed % 100000), (float)a, 2 * (float)a};

        fwrite(x, sizeof *x, 3, stdout);
    } else {
        answer(stdout);
    }
    return 0;
}
