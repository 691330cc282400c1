/* posterior.h - what the texts among the settings of the command `posterior`
   mean. */
#ifndef BNRE_COMMAND_POSTERIOR_H
#define BNRE_COMMAND_POSTERIOR_H

#include "bnre/command.h"

/* Simulations from draws of the posterior. */
typedef struct bnre__predictive {
    bnre_posterior_data data; /* of the following; n is 0 if there are none */
    size_t shape[BNRE_MAX_NDIM];
    double *theta, *x;
    char fingerprint[33];
} bnre__predictive;

/* Those that the settings name. Errors: EUSAGE if nothing is to be written with
   them, or if they are of another task; those of datasets; ENOMEM. */
BNRE_MUST_CHECK bnre_status
bnre__predictive_read(const bnre_posterior_settings *settings,
                      const bnre_estimator *est, bnre__predictive *out);
void bnre__predictive_clear(bnre__predictive *p);

/* Method and grid, which must go together. Errors: EUSAGE. */
BNRE_MUST_CHECK bnre_status bnre__posterior_method(
    const bnre_posterior_settings *settings, bnre_posterior_opts *opts);

/* "0.5,0.95" into out; *n receives how many. Errors: EUSAGE. */
BNRE_MUST_CHECK bnre_status bnre__posterior_levels(
    const char *text, double out[BNRE_POSTERIOR_LEVELS], size_t *n);

/* The parameters behind the observation: "1,2.5", or those of the dataset that
   it is a row of if `text` is NULL; *out (dim) is NULL if neither tells. The
   caller frees it. Errors: EUSAGE for other than dim numbers; ENOMEM. */
BNRE_MUST_CHECK bnre_status
bnre__posterior_truth(const char *text, const bnre_observations *observed,
                      size_t dim, double **out);

#endif
