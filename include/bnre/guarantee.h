/* guarantee.h - what holds for the observation at hand, in words.

   Certificates and conformal regions speak of data from the simulator and the
   prior, on average, and of the posterior that was tested. They say nothing of
   an observation that is unlike such data, of several taken together, or of
   another temper or width. */
#ifndef BNRE_GUARANTEE_H
#define BNRE_GUARANTEE_H

#include <stddef.h>

#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Observations with p-values (bnre_outside_estimator) below are unlike the
   simulated data. */
#define BNRE_UNLIKE 0.01

typedef struct bnre_guarantee {
    const char *certificate; /* as the estimator was trained: YAML, or NULL */
    double temper;           /* of the posterior at hand */
    double widen;            /* likewise; 0 = 1 */
    size_t observations;     /* that it takes together; 0 = 1 */
    double outside; /* p-value, the smallest of several observations; NaN =
                       none */
    size_t beyond;  /* values beyond the range of training; looked at only
                       where there is no p-value */
} bnre_guarantee;

/* Whether the observation is unlike the simulated data; *why (may be NULL) then
   receives the reason, as "the observation is unlike ... (p = 0.003)". */
enum { BNRE_WHY = 96 };
BNRE_API int bnre_guarantee_void(const bnre_guarantee *guarantee,
                                 char why[BNRE_WHY]);

/* The words of the certificate if it holds here, else why it does not. The
   caller frees *text with bnre_free(). Errors: EFORMAT; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_guarantee_words(const bnre_guarantee *guarantee, char **text);

#ifdef __cplusplus
}
#endif
#endif
