/* infer.h - from a simulator and an observation to a posterior, in one call.

   The command `infer` simulates, trains, checks what it has learned out of
   fold, and computes the posterior of one observation, in rounds: after a round
   the prior is restricted to a region that holds nearly all of the posterior,
   and what is left of the simulations is spent there. Everything is kept in one
   directory:

     infer.yaml        what was asked for
     round-K/          simulations and estimator of each round
     estimator.h5      that of the last round
     posterior/        samples, numbers and pictures (posterior_files.h)
     infer.json        numbers of all rounds
     report.html       the page: posterior, trust, cost, how to make it again

   Each of these appears whole or not at all, and a call after an interruption
   goes on to the same bytes. */
#ifndef BNRE_INFER_H
#define BNRE_INFER_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/pool.h"
#include "bnre/posterior.h"
#include "bnre/settings.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the options say; their help is the documentation of the fields. */
typedef struct bnre_infer_settings {
    char *task;
    bnre_opt_list option, observation;
    size_t simulations;
    char *rounds;
    int method;
    char *data;
    double alpha;
    size_t samples;
    char *truth, *format;
    size_t workers;
    char *output; /* directory */
} bnre_infer_settings;

/* The table of options, with offsets in bnre_infer_settings. */
BNRE_API const bnre_opt *bnre_infer_options(size_t *n);

typedef struct bnre_infer_request {
    const bnre_infer_settings *settings;
    uint64_t seed;
    const char *input; /* another file that must not be written over; or NULL */
    int force;         /* replace another result */
    int dry_run;       /* check everything, and make nothing */
    bnre_pool *pool;   /* NULL = one thread */
    const bnre_monitor *monitor; /* notes are warnings; NULL = silent */
} bnre_infer_request;

typedef struct bnre_infer_outcome {
    int found;     /* the same result was there already: nothing was done */
    char *summary; /* lines for people: what came of it, or would be done */
    char *page;    /* path of report.html */
    char
        doubt[BNRE_DOUBT]; /* why the posterior must not be used; "" = it may */
} bnre_infer_outcome;

/* Infer into settings->output. The caller clears *outcome in any case.
   Errors: EUSAGE for settings that contradict each other, and for what rounds
   cannot do; EEXIST when the directory holds the result of other settings,
   unless `force`; EDOUBT with outcome->doubt for a posterior that must not be
   used, which is in its place all the same; those of bnre_simulate_make(),
   bnre_train_make(), bnre_posterior_make(), EINTR among them. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_infer(const bnre_infer_request *request, bnre_infer_outcome *outcome);
BNRE_API void bnre_infer_outcome_clear(bnre_infer_outcome *outcome);

#ifdef __cplusplus
}
#endif
#endif
