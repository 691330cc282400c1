/* trust.h - the sharpest estimator that is certified to be conservative.

   Two things make posteriors wider and so safer: a stronger balance penalty
   (lambda, which needs training) and tempering (p exp(tau l), which does not).
   bnre_trust_train() trains along a path of lambda, each step starting from the
   last (and if none of them looks safe, once from fresh weights with lambda
   100), and looks at every pair (lambda, tau):

     select pairs    for each candidate the smallest coverage - level over all
                     levels (its margin), and the information gain; those that
                     no other beats in both are the frontier
     certify pairs   from the safest to the sharpest: is the lower bound of
                     coverage at confidence 1 - delta at least level - eps at
                     every level? The first failure ends it; the last that
                     passed is the result.

   As the order was chosen on other pairs, the error of all tests together stays
   delta. It ends with the sharpest whose margin on the select pairs is not
   negative, so that the result does not sit on the edge of what passes, and
   begins with more tempered posteriors of the same networks: these need one
   look at the certify pairs for all. Without them (temper given) it goes along
   the frontier.

   All of it takes as long as `effort` trainings: as many pairs are looked at
   (which: see `most` in diag.h), and lambda goes on for as long, as this
   allows. A few hundred pairs of a kind are looked at whatever they cost, and
   lambda goes on while no candidate looks safe. The cost is counted from the
   sizes of networks and data and not timed, so that results do not depend on
   the machine; simulating pairs is no part of it. */
#ifndef BNRE_TRUST_H
#define BNRE_TRUST_H

#include <stddef.h>

#include "bnre/certificate.h"
#include "bnre/train.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BNRE_TRUST_SELECT = 2000, BNRE_TRUST_CERTIFY = 10000 };
enum { BNRE_TRUST_CALIBRATE = 1000 };

/* Where it comes from that an estimator can be trusted. The default is auto for
   npe and bnpe where neither lambda nor temper nor widen is a number, and for
   temper NaN; never for the recipe paper, classes, or members that cannot be
   laid in folds; else no. */
typedef enum bnre_trust_mode {
    BNRE_TRUST_DEFAULT, /* what the rest implies, see below */
    BNRE_TRUST_AUTO,    /* out of fold: from the simulations themselves */
    BNRE_TRUST_FRESH,   /* from fresh pairs */
    BNRE_TRUST_NO       /* nowhere: what is given by hand is taken */
} bnre_trust_mode;

typedef struct bnre_trust_opts {
    int trust;     /* bnre_trust_mode */
    double temper; /* NaN: choose it; else what the result gets; 0 = 1 */
    double widen;  /* what the result gets, of conditional densities; 0 = 1 */

    /* Pairs: a dataset, or a number to be simulated into STEM.select.h5, ...
       beside the estimator (which needs a task that can be simulated). NULL:
       the numbers above, and for `calibrate` none unless something is chosen;
       "0": none. */
    const char *select, *certify, *calibrate;

    double delta, eps; /* of the certificate: 0.05, 0.02 */
    double effort;     /* trainings that choosing may cost: 2.5, the first
                          included */
    size_t points;     /* for each pair, about so many; 0: 13, 26, 64 or 512
                          for 1, 2, 3 or more parameters; up to four times as
                          many where these do not resolve the posteriors */
    int keep;          /* the estimators of the path, PATH.lambda-L.h5 */
} bnre_trust_opts;

BNRE_API bnre_trust_opts bnre_trust_opts_default(void);

typedef struct bnre_trust_result {
    bnre_train_result train; /* of the estimator that was chosen */
    bnre_certificate certificate;
    size_t selecting, certifying, calibrating; /* pairs that were evaluated */
    size_t left_out; /* pairs there are that were not, for their cost */
    size_t epochs, plain_epochs; /* of all members: of the path, and of its
                               first estimator, which is a plain training */
    bnre_coverage coverage;      /* of the chosen one on the certify pairs */
} bnre_trust_result;

BNRE_API void bnre_trust_result_clear(bnre_trust_result *result);

/* Train as bnre_train() does, with train->lambda (NaN: chosen), opts->temper or
   both chosen, and write the estimator with its certificate and the scores of
   calibration pairs. Interrupted, the same call goes on from the
   last checkpoint of training.
   Errors: as bnre_train() and bnre_simulate(); EUSAGE when pairs are needed and
   neither given nor to be simulated, or when they void the guarantee: trained
   on, shared by two purposes, of another task or prior (all found before the
   first training). What cannot be certified is no error: see the
   certificate. Clear *result in any case. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_trust_train(const bnre_train_opts *train, const bnre_trust_opts *opts,
                 const char *path, bnre_trust_result *result);

#ifdef __cplusplus
}
#endif
#endif
