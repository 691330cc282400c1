/* estimator.h - trained estimators: what is in a file, and log ratios from it.

   An estimator is a file with everything that is needed to use it: networks
   (one or several members of an ensemble), scalers, priors, and how it was
   made. Neither the simulator nor the data are needed.

   A `ratio` estimator gives l(theta, x), an estimate of log p(x|theta) - log
   p(x). A `classifier` tells two classes of x apart: it has no theta and no
   prior, and gives log p(class 1|x) - log p(class 0|x) for classes of equal
   weight. */
#ifndef BNRE_ESTIMATOR_H
#define BNRE_ESTIMATOR_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/dataset.h"
#include "bnre/density.h"
#include "bnre/prior.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bnre_estimator bnre_estimator;

typedef enum bnre_estimator_kind {
    BNRE_ESTIMATOR_RATIO,
    BNRE_ESTIMATOR_CLASSIFIER
} bnre_estimator_kind;

/* How members become one estimate. */
typedef enum bnre_combine {
    BNRE_COMBINE_RATIO,      /* log mean_k exp(l_k) */
    BNRE_COMBINE_PROBABILITY /* logit of mean_k sigmoid(l_k), the mean being
                                kept within [1e-6, 1 - 1e-6] */
} bnre_combine;

/* Pairs of one dataset that went into an estimator. */
typedef struct bnre_estimator_data {
    size_t rows;          /* simulations used, failed ones included */
    size_t failed;        /* of these */
    char fingerprint[33]; /* of the dataset they came from; "" if none */
} bnre_estimator_data;

typedef struct bnre_estimator_info {
    bnre_estimator_kind kind;
    size_t members;
    size_t dim_theta;
    size_t ndim; /* of x */
    size_t shape[BNRE_MAX_NDIM];
    size_t x_size;                 /* product of shape */
    const char *const *theta_name; /* (dim_theta) */
    const char *const *x_name;     /* (x_size), if the training data had names
                                      for their columns; else NULL */
    size_t weights;                /* trained numbers of one member */

    /* How it was made. */
    const char *task;     /* YAML, see bnre_task_text(); "" for classifiers */
    const char *network;  /* YAML, presets and repeats written out */
    const char *settings; /* YAML: method, lambda, seed, ... */
    const char *version;  /* of the program that made it */
    bnre_estimator_data training, validation, scheduling;
    const char *failure; /* "outcome" or "missing": what failed simulations
                            were taken to mean */
    bnre_combine combine;
    double temper; /* log ratios are multiplied by it, 0 < temper <= 1 */

    /* Of conditional densities (methods npe and bnpe), else 0, NULL and 1:
       factors of one parameter each, in this order, with so many components;
       all widths are multiplied by `widen` >= 1. Log ratios are log q(theta|x)
       - log p(theta), q being normalised. */
    size_t factors, components;
    const char *const *order; /* (factors): names of parameters */
    double widen;
    int weighed; /* some simulations were missing, and others counted by
                    1 / P(result | theta), so that theta is of the prior */

    /* 0, or the simulations lie in so many folds and members f, f + folds, ...
       have seen nothing of fold f. */
    size_t folds;

    /* Of an estimator that knows the prior only within a region around one
       observation: the share of the prior that this is, and how much of the
       posterior it may leave out by the estimate that made it; else 1 and 0.
       Outside the region log ratios are -inf. */
    double region, cut;

    /* What was found out about it later; NULL and 0 if nothing was. */
    const char *certificate;   /* YAML: what was certified, on which pairs */
    size_t scores;             /* of pairs for calibration, */
    const double *calibration; /* (scores) in order */
    size_t views;              /* numbers of each of these pairs that tell which
                                  are alike; 0 = not known */
    const float *view;         /* (scores, views) */
    size_t cross_scores;       /* of simulations it was trained on, each by the
                                  members that have not seen it, as trained: */
    const double *cross_score; /* (cross_scores) by fold, in order in each, */
    const uint8_t *cross_fold; /* and the folds */
} bnre_estimator_info;

/* One member of the ensemble, and its training epoch by epoch. Columns that are
   there are called epoch, learning_rate, lambda, train_loss,
   train_cross_entropy, train_balance, validation_loss,
   validation_cross_entropy, validation_balance, schedule_loss; there may be
   more. All belongs to the estimator. */
typedef struct bnre_estimator_member {
    uint64_t seed;
    size_t best, last; /* epochs whose weights are kept, from 1 */
    int uses_best;     /* else those of the last epoch */
    size_t epochs, columns;
    const char *const *name; /* (columns) */
    const double *history;   /* (epochs, columns); NaN = not known */
} bnre_estimator_member;

/* Open a file. Nothing in it is trusted: shapes are checked before anything is
   allocated. Errors: EIO; EFORMAT with what is wrong; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_estimator_open(const char *path,
                                                         bnre_estimator **out);

/* Whether a file says that it is an estimator, be it sound or not. */
BNRE_API int bnre_estimator_recognise(const char *path);

BNRE_API void bnre_estimator_close(bnre_estimator *est); /* NULL is fine */

/* Write it; equal estimators give equal bytes, and the file appears whole or
   not at all. Errors: EEXIST unless `force`; EIO; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_estimator_save(const bnre_estimator *est, const char *path, int force);

BNRE_API const bnre_estimator_info *
bnre_estimator_describe(const bnre_estimator *est);
BNRE_API bnre_estimator_member
bnre_estimator_describe_member(const bnre_estimator *est, size_t member);

/* How theta or x are standardised before a network sees them: elements of a
   column share their location and scale. */
typedef struct bnre_scaling {
    size_t columns;  /* 0 = values pass as they are */
    size_t log;      /* of these, columns of which the logarithm is taken, */
    size_t asinh;    /* with tails so long that they are squashed, */
    size_t constant; /* and that never changed in the data */
} bnre_scaling;
BNRE_API bnre_scaling bnre_estimator_scaling(const bnre_estimator *est,
                                             int of_x);

/* Hash of all that is in an estimator, 32 hexadecimal digits and a final 0. It
   is stored with it, and a file that does not match is refused. Errors:
   ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_estimator_fingerprint(const bnre_estimator *est, char out[33]);

/* Owned by the estimator; NULL for classifiers. */
BNRE_API const bnre_prior *bnre_estimator_prior(const bnre_estimator *est);

/* All are for sessions and calls that begin after it. What was certified or
   calibrated for another value is dropped. Errors: EUSAGE unless
   0 < temper <= 1 and 1 <= widen <= 100, or for a ratio that is to be
   widened. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_estimator_set_temper(bnre_estimator *est, double temper);
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_estimator_set_widen(bnre_estimator *est, double widen);

/* ---- log ratios ---- */

#define BNRE_ALL_MEMBERS ((size_t)-1)

/* The estimate as a function, of one member (from 0) or of all, multiplied by
   temper. It borrows the estimator, has gradients, and serves any number of
   threads at once, each in its session. Only for ratio estimators. */
BNRE_API bnre_density bnre_estimator_density(const bnre_estimator *est,
                                             size_t member);

/* out (n): temper * l of the pairs (theta_i, x_i); theta (n, dim_theta) is
   ignored by classifiers, x (n, x_size). The pool may be NULL and never changes
   a bit. Errors: ENUM with the row when a value or a result is not finite;
   ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_estimator_log_ratio(const bnre_estimator *est, bnre_pool *pool, size_t n,
                         const double *theta, const double *x, double *out);

/* The same plus the log density of the prior: log p(theta_i | x_i), not
   normalised; -inf outside the prior's support. Errors: also EINVAL where the
   prior has no density. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_estimator_log_posterior(
    const bnre_estimator *est, bnre_pool *pool, size_t n, const double *theta,
    const double *x, double *out);

/* Of the methods npe and bnpe the density of each parameter given x (x_size) and
   those before it in info->order is known in closed form: the first one's is its
   marginal posterior. value (factors, n): quantiles at the probabilities p (n),
   0 < p < 1, the earlier parameters being as in theta (dim_theta); density
   (factors, n): the density there, of values in a list the probability. Errors:
   EUSAGE where there are none: ratios, a temper, a region of the prior, or
   conditions that do not put parameters in order; those of the estimator. */
BNRE_API int bnre_estimator_has_conditionals(const bnre_estimator *est);
BNRE_API BNRE_MUST_CHECK bnre_status bnre_estimator_conditionals(
    const bnre_estimator *est, const double *x, const double *theta, size_t n,
    const double *p, double *value, double *density);

/* ---- the estimator and its data ---- */

/* Whether an observation (x_size) is like the simulated ones. */
typedef struct bnre_estimator_outside {
    size_t count;     /* elements below the smallest or above the largest
                         value that they had in training */
    size_t worst;     /* the element farthest outside, if count > 0, */
    double value;     /* its value, */
    double low, high; /* and between what it was in training */
    size_t coarse;    /* elements with the digits of a float, where training had
                         more and needed them: they were rounded on their way */
    size_t coarsest;  /* one of them, if coarse > 0 */
} bnre_estimator_outside;

BNRE_API bnre_estimator_outside
bnre_estimator_compare_x(const bnre_estimator *est, const double *x);

#ifdef __cplusplus
}
#endif
#endif
