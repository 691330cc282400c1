/* posterior.h - the command `posterior` in the making: what its parts share, and
   what the texts among its settings mean. */
#ifndef BNRE_COMMAND_POSTERIOR_H
#define BNRE_COMMAND_POSTERIOR_H

#include "bnre/command.h"
#include "io/json.h"
#include "output/output.h"

/* Simulations from draws of the posterior. */
typedef struct bnre__predictive {
    bnre_posterior_data data; /* of the following; n is 0 if there are none */
    size_t shape[BNRE_MAX_NDIM];
    double *theta, *x;
    char fingerprint[33];
} bnre__predictive;

typedef struct bnre__posterior_work {
    const bnre_posterior_request *request;
    const bnre_posterior_settings *settings;
    const char *directory;
    bnre_posterior_outcome *outcome;
    char print[33]; /* of the estimator as it is in the file */
    bnre_observations own;
    const bnre_observations *observed; /* its own, or the request's; NULL with
                                          settings->each */
    const double *x;                   /* what the session observes, */
    size_t x_n;                        /* so many times */
    bnre_posterior_opts opts;
    size_t calibrated; /* pairs, before another temper */
    bnre_node *made;   /* how it comes about */

    /* Of another prior and of further experiments; NULL without. */
    bnre_node *prior;        /* as it came to be */
    bnre_observations *more; /* (outcome->others) */
    char **more_estimator;   /* (outcome->others) files, as they were named */
    const char **more_file;  /* likewise of the observations */
    double *joint_x;
    bnre_dataset *pairs; /* of settings->calibrate, */
    int own_pairs;       /* which were simulated for the other prior */

    bnre__predictive predictive;
    bnre__output_files *output;
} bnre__posterior_work;

/* How the result comes about; the caller destroys *out. */
BNRE_MUST_CHECK bnre_status
bnre__posterior_record(const bnre__posterior_work *work, bnre_node **out);

/* The density of settings->prior and settings->also, once the estimator is open
   and work->observed is known (NULL: one observation, without further
   experiments); what is observed becomes work->x. (posterior_join.c) */
BNRE_MUST_CHECK bnre_status bnre__posterior_join(bnre__posterior_work *work);
/* What of it the result depends on, into the map of how it comes about. */
BNRE_MUST_CHECK bnre_status
bnre__posterior_record_join(const bnre__posterior_work *work, bnre_node *made);
/* And what there is to tell of it in the file of results. */
BNRE_MUST_CHECK bnre_status
bnre__posterior_add_join(const bnre__posterior_work *work, bnre__json *root);
/* Conformal regions from settings->calibrate, under the other prior. */
BNRE_MUST_CHECK bnre_status
bnre__posterior_conformal(bnre__posterior_work *work);
void bnre__posterior_clear_join(bnre__posterior_work *work);

/* "ESTIMATOR=OBSERVATION", or one after the other: text `at` of the list, which
   moves on. The caller frees *estimator. Errors: EUSAGE for half a pair. */
BNRE_MUST_CHECK bnre_status bnre__posterior_also(const bnre_opt_list *list,
                                                 size_t *at, char **estimator,
                                                 const char **observation);
/* A further experiment. The caller destroys *estimator and clears *observed,
   also on failure. Errors: EUSAGE for an estimator that cannot be one of
   several; those of bnre_estimator_open() and bnre_observations_read(). */
BNRE_MUST_CHECK bnre_status bnre__posterior_open_also(
    const char *path, const char *observation, bnre_estimator **estimator,
    bnre_observations *observed);

/* The density of each parameter given those before it, into the file of results,
   where it is known in closed form. (posterior_conditionals.c) */
BNRE_MUST_CHECK bnre_status bnre__posterior_add_conditionals(
    const bnre__posterior_work *work, bnre__json *root);

/* A posterior for each row of settings->each, once the estimator is open. */
BNRE_MUST_CHECK bnre_status bnre__posterior_each(bnre__posterior_work *work);

/* Say a warning; and keep it, too, for the file of results; or keep it alone. */
void bnre__posterior_note(const bnre__posterior_work *work, const char *text);
BNRE_MUST_CHECK bnre_status bnre__posterior_warn(bnre__posterior_work *work,
                                                 const char *text);
BNRE_MUST_CHECK bnre_status
bnre__posterior_keep_warning(bnre__posterior_work *work, const char *text);

/* Of observations beyond what was simulated; of a ratio that is not normalised
   for them; of those unlike the pairs of the calibration. */
BNRE_MUST_CHECK bnre_status
bnre__posterior_warn_outside(bnre__posterior_work *work);
BNRE_MUST_CHECK bnre_status
bnre__posterior_warn_evidence(bnre__posterior_work *work);
BNRE_MUST_CHECK bnre_status
bnre__posterior_warn_unlike(bnre__posterior_work *work);

/* How many draws there are to be. */
size_t bnre__posterior_samples(const bnre_posterior_settings *settings);

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
