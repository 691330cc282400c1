/* processor.c - makes the steady clock of a program the processor time that it
   has used: turns.py builds it and loads it before the programs, so that other
   work on the machine counts less. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static int (*real)(clockid_t, struct timespec *);

    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    return real(clock == CLOCK_MONOTONIC ? CLOCK_PROCESS_CPUTIME_ID : clock,
                now);
}
