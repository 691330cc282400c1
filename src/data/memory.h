/* memory.h - simulations into arrays of the caller. */
#ifndef BNRE_DATA_MEMORY_H
#define BNRE_DATA_MEMORY_H

#include "bnre/dataset.h"

/* Rows opts->first ... of the stream (seed, split), opts->count of them: x
   (count, x_size) of theta (count, dim), which is drawn first if draw_theta.
   Of the options, `theta` and what is for files have no part in it. The rows
   are those of bnre_simulate(), x in double precision. status (count) may be
   NULL. Errors: EUSAGE for tasks that cannot be run, and for external programs;
   ENUM for a theta that is not finite; ESIM; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__simulate_memory(
    const bnre_task *task, const bnre_simulate_opts *opts, int draw_theta,
    double *theta, double *x, uint8_t *status);

#endif
