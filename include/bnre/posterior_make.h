/* posterior_make.h - the command `posterior` as a call.

   From an estimator and what was observed to a directory of files
   (posterior_files.h), with everything that belongs to it: the checks of what
   was asked for, warnings, conformal regions, what the certificate says of this
   observation, how the result came about, and whether it may be used. The
   command line and studies both call it, so that they cannot differ. */
#ifndef BNRE_POSTERIOR_MAKE_H
#define BNRE_POSTERIOR_MAKE_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/certificate.h"
#include "bnre/conformal.h"
#include "bnre/density.h"
#include "bnre/estimator.h"
#include "bnre/observation.h"
#include "bnre/opt.h"
#include "bnre/pool.h"
#include "bnre/posterior.h"
#include "bnre/posterior_files.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the options say; their help is the documentation of the fields. */
typedef struct bnre_posterior_settings {
    bnre_opt_list observation;
    char *grid, *levels, *truth, *show, *format;
    int method;
    size_t samples, bank, steps;
    double temper, widen; /* 0 = the estimator's */
    int regions, local;
} bnre_posterior_settings;

/* The table of options: rows for the command line and records, with offsets in
   bnre_posterior_settings. bnre_opt_init() fills in the defaults. */
BNRE_API const bnre_opt *bnre_posterior_options(size_t *n);

typedef struct bnre_posterior_request {
    const char *estimator; /* its file */
    const bnre_posterior_settings *settings;
    const bnre_observations *observed; /* what settings->observation holds, for
                                          those who have read it; or NULL */
    uint64_t seed;
    const char *input; /* another file that must not be written over; or NULL */
    int force;         /* replace another result */
    int dry_run;       /* check everything, and make nothing */
    int if_calibrated; /* without calibration there are no conformal regions,
                          also where they are asked for: no error */
    bnre_pool *pool;   /* NULL = one thread */
    const bnre_monitor *monitor; /* notes are warnings; NULL = silent */
} bnre_posterior_request;

enum { BNRE_POSTERIOR_LEVELS = 32 }; /* at most */

/* What came of it, for those who tell people. */
typedef struct bnre_posterior_outcome {
    int found; /* the same result was there already: nothing was done, and of
                  what follows `doubt` alone is known */
    char doubt[BNRE_DOUBT]; /* why it must not be used; "" = it may */
    int drawn;              /* 0: there was no gnuplot for the picture */

    bnre_estimator *estimator; /* tempered as was asked for */
    bnre_density density;      /* its own */
    size_t observations;
    size_t levels;
    double level[BNRE_POSTERIOR_LEVELS];
    double *truth;              /* (dim) or NULL */
    bnre_posterior_files files; /* as they were asked for */
    bnre_session *session;
    bnre_posterior *posterior; /* NULL if nothing was made */
    size_t conformals;         /* 0, or as many as levels */
    bnre_conformal_region conformal[BNRE_POSTERIOR_LEVELS];
    bnre_conformal_region local[BNRE_POSTERIOR_LEVELS]; /* if asked for */
    bnre_certificate certificate; /* of the estimator as it was trained */
    bnre_guarantee guarantee;
    size_t warnings;
    char **warning; /* (warnings), also in posterior.json */
} bnre_posterior_outcome;

/* Make the posterior in `directory`; the directories that lead to it are made.
   It is published as one thing (output.h), and where the same is there already
   nothing is done. The caller clears *outcome in any case, and keeps settings
   and pool until then.
   Errors: EDOUBT with outcome->doubt for a posterior that must not be used: it
   is in its place all the same. Otherwise there is nothing new: EDOUBT without
   it for conformal regions that were asked for and cannot be resolved; EUSAGE
   for settings and observations that do not fit the estimator; those of
   bnre_estimator_open(), bnre_observations_read(), bnre_output_open(),
   bnre_posterior_compute() (EINTR among them) and bnre_posterior_save(). */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_posterior_make(const bnre_posterior_request *request,
                    const char *directory, bnre_posterior_outcome *outcome);
BNRE_API void bnre_posterior_outcome_clear(bnre_posterior_outcome *outcome);

#ifdef __cplusplus
}
#endif
#endif
