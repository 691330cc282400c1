/* trials.h - what simulators and networks take on this machine, from short
   trials. */
#ifndef BNRE_STUDY_TRIALS_H
#define BNRE_STUDY_TRIALS_H

#include "study/study.h"

/* Of a network, or of the chain of networks of a density, in seconds. */
typedef struct bnre__rates {
    char *net;    /* its factors, if it is of a density, and its text */
    double step;  /* per simulation of a training step */
    double check; /* per simulation of a validation pass */
    double look;  /* to set an x */
    double point; /* per theta after that */
    double draw;  /* likewise, of a draw of the posterior, if it can be drawn
                     from */
} bnre__rates;

/* What was timed already. Begins with {.study = ...}. */
typedef struct bnre__trials {
    const bnre_study *study;
    bnre__rates *rates;
    size_t n, room;
} bnre__trials;
void bnre__trials_clear(bnre__trials *trials);

/* Seconds of a simulation. Programs are not started just to know: a guess.
   Errors: ESIM; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__time_row(const bnre_task *task, double *out);

/* Of the network of a cell; *out is good until the next call. Errors: EUSAGE
   for a cell without a network; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__time_cell(bnre__trials *trials,
                                            const bnre__cell *cell,
                                            const bnre__rates **out);

/* How many weights a member has. Errors: as above. */
BNRE_MUST_CHECK bnre_status bnre__cell_weights(const bnre_study *study,
                                               const bnre__cell *cell,
                                               size_t *out);

#endif
