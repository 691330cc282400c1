/* clock.c - durations: one clock for time-outs, checkpoints and progress. */
#include "base/clock.h"

#include <time.h>

double bnre__clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
