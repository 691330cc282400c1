/* bench.h - what the programs of this directory share: a clock, medians,
   the end after an error, and rows of the table that `make bench` leaves
   behind. */
#ifndef BNRE_BENCH_H
#define BNRE_BENCH_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bnre/status.h"

static inline double bench_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void bench_check(bnre_status status)
{
    if (status == BNRE_OK)
        return;
    fprintf(stderr, "%s\n", bnre_error_message());
    exit(1);
}

static inline int bench_ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts the values. */
static inline double bench_median(size_t n, double *value)
{
    qsort(value, n, sizeof *value, bench_ascending);
    return value[n / 2];
}

/* A row for the file that BNRE_BENCH_CSV names, if it does:

     name, unit, value, baseline, ratio, fraction of the FMA peak

   of which the last three stay empty here; compare.py fills them. */
__attribute__((format(printf, 3, 4))) static inline void
bench_row(const char *unit, double value, const char *name, ...)
{
    const char *path = getenv("BNRE_BENCH_CSV");
    FILE *file = path == NULL ? NULL : fopen(path, "a");
    va_list args;

    if (file == NULL)
        return;
    fputc('"', file);
    va_start(args, name);
    vfprintf(file, name, args);
    va_end(args);
    fprintf(file, "\",%s,%.6g,,,\n", unit, value);
    fclose(file);
}

#endif
