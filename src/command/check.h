/* check.h - the parts of the command `check`. */
#ifndef BNRE_COMMAND_CHECK_H
#define BNRE_COMMAND_CHECK_H

#include "bnre/command.h"
#include "bnre/posterior.h"
#include "output/output.h"
#include "trust/check.h"

typedef struct bnre__check_work {
    const bnre_check_request *request;
    const bnre_check_settings *settings;
    const char *directory;
    bnre_check_outcome *outcome;
    bnre_estimator *estimator;
    char print[33]; /* of the estimator as it is in the file */
    bnre_density density;
    bnre_observations own;
    const bnre_observations *observed; /* its own, or the request's */
    size_t summaries;
    bnre__check_summary **summary; /* (summaries) */
    bnre_task *task;               /* NULL: nothing is simulated, */
    char *why;                     /* and why */
    bnre_dataset *data;            /* fresh pairs that were given; or NULL */
    bnre_session *session;
    bnre_posterior *posterior;
    size_t draws;  /* to simulate from, */
    size_t n;      /* and that were simulated */
    double *theta; /* (n, dim) */
    double *y;     /* (n, observations, x_size) */
    size_t m;
    double *bank; /* (m, dim): draws of the same posterior */
    bnre_node *made;
    bnre__output_files *output;
} bnre__check_work;

/* The task to simulate, if there is one that may be run; else work->why.
   Errors: EUSAGE for one that is not the estimator's; those of opening. */
BNRE_MUST_CHECK bnre_status bnre__check_find_task(bnre__check_work *work);

/* Draw from the posterior: bank. */
BNRE_MUST_CHECK bnre_status bnre__check_draw(bnre__check_work *work);

/* Simulate from the draws, or read what was simulated elsewhere: theta, y, n.
 */
BNRE_MUST_CHECK bnre_status bnre__check_simulate(bnre__check_work *work);

/* Pairs of the prior to choose the nearest from: those that were given, or new
   ones; *own receives what the caller closes. NULL: none, and why. */
BNRE_MUST_CHECK bnre_status bnre__check_pairs(bnre__check_work *work,
                                              bnre_dataset **own,
                                              bnre_dataset **out, char **why);

#endif
