/* failures.h - where in the space of parameters simulations fail.

   What a failure means is the user's to say (train.h, `failure`); that it
   depends on the parameters is what the data can show. */
#ifndef BNRE_FAILURES_H
#define BNRE_FAILURES_H

#include <stddef.h>

#include "bnre/dataset.h"
#include "bnre/estimator.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BNRE_FAILURE_PARTS = 5 };

/* One parameter, its values cut into five parts with as many rows each. */
typedef struct bnre_failure_place {
    const char *name; /* of the dataset */
    double edge[BNRE_FAILURE_PARTS + 1];
    double share[BNRE_FAILURE_PARTS]; /* of the rows there, that failed */
    size_t worst;                     /* part with the largest share */
    double p; /* P(shares at least so different | failures do not depend on this
                 parameter), chi-square */
} bnre_failure_place;

/* out (dim_theta); *failed (may be NULL) receives the share of all rows.
   Errors: EUSAGE for fewer than 25 rows; those of reading; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_failures_locate(
    bnre_dataset *data, bnre_failure_place *out, double *failed);

/* The parameter on which failures depend most, if they do: "depend on rate: 31
   % fail from 1.2 to 1.4", else "no sign that they depend on the parameters".
   The caller frees *text with bnre_free(). Errors: the same. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_failures_words(bnre_dataset *data,
                                                         char **text);

/* The share of all rows that count as missing for an estimator (train.h,
   `failure`). If it is not 0, whatever is said of the valid rows "on average
   over the prior" is an average over parameters whose simulations give a
   result. Errors: EFORMAT; those of reading; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_failures_missing(
    const bnre_estimator_info *estimator, bnre_dataset *data, double *share);

#ifdef __cplusplus
}
#endif
#endif
