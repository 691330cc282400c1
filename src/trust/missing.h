/* missing.h - simulations of which nothing is known.

   Pairs to look at are the valid ones. Where the others count as part of the
   model that is as it should be: what is observed is valid, too. Where they
   count as missing, valid pairs have their theta not from the prior but from
   that part of it where results are not lost, and so has all that is said of
   them on average. */
#ifndef BNRE_TRUST_MISSING_H
#define BNRE_TRUST_MISSING_H

#include "bnre/dataset.h"
#include "bnre/estimator.h"
#include "bnre/train.h"

/* The share of all rows. Errors: those of reading; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__missing_share(bnre_dataset *data,
                                                bnre_failure_mode mode,
                                                double *share);

/* The share of all rows that count as missing for an estimator (train.h,
   `failure`). If it is not 0, whatever is said of the valid rows "on average
   over the prior" is an average over parameters whose simulations give a
   result. Errors: EFORMAT; those of reading; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__failures_missing(
    const bnre_estimator_info *estimator, bnre_dataset *data, double *share);

#endif
