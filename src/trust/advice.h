/* advice.h - what to do next, in plain words, from what a diagnosis found; the
   learning curve and the unlikeness of an observation that it looks at. */
#ifndef BNRE_TRUST_ADVICE_H
#define BNRE_TRUST_ADVICE_H

#include <stddef.h>

#include "bnre/certificate.h"
#include "bnre/diag.h"
#include "bnre/estimator.h"
#include "bnre/status.h"

/* Fill in what follows from information and volume, with the errors of the
   differences between neighbouring budgets on the same pairs (2). */
void bnre__learning_extrapolate(bnre_learning_curve *curve,
                                const double error[2]);

/* Train on parts of the dataset `data` that the estimator was made from, with
   its settings, along the same path of lambda if there was one (trust.h), and
   diagnose on `most` of `pairs` (as in bnre_diag_opts). A part has a quarter or
   half of what was learned from; where that was all of the data, validation
   pairs having a file of their own, more of it is taken, to hold some out.
   Files STEM.4.h5, STEM.2.h5 and such are made on the way and removed. Errors:
   EUSAGE if this is not the estimator's data; as bnre_train() and
   bnre_diagnose_dataset(). */
BNRE_MUST_CHECK bnre_status bnre__learning_curve_make(
    const bnre_estimator *est, const char *data, const char *pairs, size_t most,
    const char *stem, bnre_pool *pool, const bnre_monitor *monitor,
    bnre_learning_curve *out);

/* How unlike n simulated x (rows of `size` numbers) an observation is: the mean
   distance to its ten nearest among them, in units of each number's spread,
   compared with that of the simulated ones among each other. Gives the share of
   them (itself counted) that are at least as far from the others: a p-value,
   exact if the observation is one more such draw. Errors: EUSAGE for fewer than
   20 rows; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__outside_pvalue(size_t n, size_t size,
                                                 const double *row,
                                                 const double *x, double *p);

/* The same among up to `most` valid rows of a dataset. */
BNRE_MUST_CHECK bnre_status bnre__outside_dataset(bnre_dataset *data,
                                                  size_t most, const double *x,
                                                  double *p);

/* The same from the calibration pairs that an estimator keeps, by what it sees
   in x. *p is NaN if it keeps fewer than 100: no p-value of so few could be
   below BNRE_UNLIKE (certificate.h). */
BNRE_MUST_CHECK bnre_status bnre__outside_estimator(const bnre_estimator *est,
                                                    const double *x, double *p);

typedef struct bnre__advice_opts {
    const bnre_estimator_info *estimator; /* may be NULL: samples */
    const bnre_learning_curve *curve;     /* may be NULL */
    const bnre_certificate *certificate;  /* of the posterior that is looked
                                             at; may be NULL */
    double outside; /* p-value of an observation; NaN = none was given */
    double missing; /* share of the pairs (failures.h), 0 = none */
} bnre__advice_opts;

/* Where the verdict is CONSERVATIVE, patterns in the ranks of single parameters
   are told as what they are then: joint regions are safe, intervals of that
   parameter alone may not be. Errors: ENOMEM. The caller clears *out in any
   case. */
BNRE_MUST_CHECK bnre_status bnre__advise(const bnre_diag *diag,
                                         const bnre__advice_opts *opts,
                                         bnre_advice *out);
void bnre__advice_clear(bnre_advice *advice);

#endif
