/* certificate.h - what an estimator was found to be worth, and what of it holds
   for the observation at hand.

   A certificate is made once, in training (trust.h), and kept in the file of
   the estimator as YAML. It tells what was chosen, on which pairs, and whether
   it passed. src/trust/certificate.c is the only place
   that knows its keys.

   Certificates and conformal regions speak of data from the simulator and the
   prior, on average, and of the posterior that was tested. They say nothing of
   an observation that is unlike such data, of several taken together, or of
   another temper or width: bnre_guarantee tells which of these is the case. */
#ifndef BNRE_CERTIFICATE_H
#define BNRE_CERTIFICATE_H

#include <stddef.h>

#include "bnre/diag.h"
#include "bnre/estimator.h"
#include "bnre/posterior.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the estimator was judged. In files of every kind but `fresh` the key
   `kind` has its name; those of version 0.1.0 have no such key. */
typedef enum bnre_certificate_kind {
    BNRE_CERTIFICATE_NONE,  /* not at all: it is calibrated, or not even that */
    BNRE_CERTIFICATE_FRESH, /* chosen on select pairs, tested on certify pairs */
    BNRE_CERTIFICATE_CROSS /* chosen out of fold, on the simulations that it was
                               trained on; tested on certify pairs if there are
                               any */
} bnre_certificate_kind;

/* Pairs that had a part in it. */
typedef struct bnre_certificate_pairs {
    int given;   /* 0: there were none */
    size_t use;  /* that were evaluated */
    size_t rows; /* of the dataset; 0: the file does not say */
    char fingerprint[33];
    int blind;      /* nothing could be calibrated with them */
    double missing; /* share of the rows that are missing, by chance */
} bnre_certificate_pairs;

/* One choice of lambda and temper. */
typedef struct bnre_candidate {
    double lambda, temper;
    double widen;  /* factor of the widths; 1 = as they are */
    int fresh;     /* trained from fresh weights, not along the path */
    double margin; /* smallest coverage - level on the select pairs */
    bnre_estimate information; /* there, in nats */
    int frontier;              /* no other is both safer and sharper */
    size_t test;               /* its place in the sequence from 1; 0 = none */
    int passed;                /* the test, if it was made */
    int blind;                 /* its posteriors are not resolved by the points
                                  (diag.h): margin is NaN, it has no part */
} bnre_candidate;

/* Numbers are NaN where the certificate does not tell them. */
typedef struct bnre_certificate {
    int given; /* 0: the estimator has none */
    bnre_certificate_kind kind;
    int certified;  /* on fresh pairs */
    int checked;    /* out of fold */
    int blind;      /* not certified, as nothing can be seen: see diag.h */
    char *words;    /* the outcome in a sentence or two; NULL = none */
    char method[8]; /* "nre", "bnre", "npe", "bnpe"; "": it does not say */
    double lambda, temper;     /* what was chosen */
    double widen;              /* factor of the widths; 1 = as they are */
    int fresh;                 /* whether from fresh weights */
    bnre_estimate information; /* of the chosen one, on the certify pairs */
    double ess;                /* effective points there, the median */
    double effort;             /* trainings that choosing has cost, by count */
    double delta, eps;
    char *request; /* what was asked for; NULL = not known */
    bnre_certificate_pairs select, certify, calibrate;

    /* Out of fold (kind CROSS), else 0 and NaN: the simulations that were
       ranked, by members / folds networks each; coverage AUC and balance of the
       chosen one; and how many simulations would decide (0: not known) */
    bnre_certificate_pairs cross;
    size_t folds, members;
    bnre_estimate auc, balance;
    size_t needed;

    size_t levels; /* 0, or those of the chosen one on the certify pairs: */
    double level[BNRE_DIAG_LEVELS], coverage[BNRE_DIAG_LEVELS],
        lower_bound[BNRE_DIAG_LEVELS];
    size_t n;
    bnre_candidate *candidate; /* (n) by lambda, then by falling temper */
    size_t chosen;             /* of them */
} bnre_certificate;

/* No certificate: everything is unknown. Nothing to clear. */
BNRE_API bnre_certificate bnre_certificate_none(void);

/* That of an estimator. Errors: as above. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_certificate_of(const bnre_estimator *estimator, bnre_certificate *out);

BNRE_API void bnre_certificate_clear(bnre_certificate *certificate);

/* Whether it may be used without doubt: CERTIFIED or CROSS-CHECKED. */
static inline int bnre_certificate_passed(const bnre_certificate *certificate)
{
    return certificate->certified || certificate->checked;
}

/* What it says, in a sentence; "NOT CERTIFIED ..." without one. Lives as long
   as the certificate. */
BNRE_API const char *
bnre_certificate_words(const bnre_certificate *certificate);

/* ---- the observation at hand ---- */

/* Observations with p-values below are unlike the
   simulated data. */
#define BNRE_UNLIKE 0.01

typedef struct bnre_guarantee {
    const bnre_certificate *certificate; /* as the estimator was trained; NULL
                                            = none */
    double temper;                       /* of the posterior at hand */
    double widen;                        /* likewise; 0 = 1 */
    size_t observations;                 /* that it takes together; 0 = 1 */
    double outside;     /* p-value, the smallest of several observations; NaN =
                       none */
    size_t beyond;      /* values beyond the range of training; looked at only
                       where there is no p-value */
    int other_prior;    /* another than that of training */
    size_t experiments; /* that it takes together; 0 = 1 */
} bnre_guarantee;

/* Whether the observation is unlike the simulated data; *why (may be NULL) then
   receives the reason, as "the observation is unlike ... (p = 0.003)". */
enum { BNRE_WHY = 96 };
BNRE_API int bnre_guarantee_void(const bnre_guarantee *guarantee,
                                 char why[BNRE_WHY]);

/* The words of the certificate if it holds here, else why it does not. The
   caller frees *text with bnre_free(). Errors: ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_guarantee_words(const bnre_guarantee *guarantee, char **text);

/* ---- conformal regions: they contain the truth as often as they say ---- */

/* From m calibration pairs for a level (src/trust/conformal.h has the law). */
typedef struct bnre_conformal {
    double level;
    size_t pairs;   /* m */
    size_t k;       /* qhat is the k-th smallest score */
    double qhat;    /* 1: all of the support, the pairs are too few */
    double assured; /* coverage that this set of pairs reaches or exceeds with
                       95 % confidence: a quantile of Beta(k, m + 1 - k) */
    double mean;    /* of that law */
    int local;      /* from pairs like the observation: approximate */
    int cross;      /* out of fold: pairs are the simulations to learn from, and
                       coverage is `assured` at least, on average */
    double worth;   /* under another prior than that of the pairs: how many of
                       its own they are worth by their weights, and coverage is
                       `assured` at least, on average; else 0 */
} bnre_conformal;

/* Nominal and conformal region of one observation. */
typedef struct bnre_conformal_region {
    bnre_conformal conformal;
    bnre_region nominal;
    bnre_region region; /* conformal: its level is its posterior mass */
    double paid;        /* its share of the prior over the nominal one's */
} bnre_conformal_region;

/* "the 95 % conformal region contains the true parameters in at least 95 % of
   cases ...", or that it does not, and why, if the guarantee is void for what
   was observed (NULL = nothing is known of it). The caller frees *text with
   bnre_free(). Errors: EFORMAT; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_conformal_words(const bnre_conformal *conformal,
                     const bnre_guarantee *guarantee, char **text);

/* ---- advice: what `diagnose` adds to a diagnosis ----

   What more simulations would bring, whether theory holds, and what to do next
   in plain words. */

/* What more simulations bring: the same training on a quarter and on half of
   them, and the estimator itself, all on the same pairs. */
typedef struct bnre_learning_curve {
    size_t n;                     /* budgets: 3 */
    size_t simulations[3];        /* rising */
    bnre_estimate information[3]; /* in nats */
    double volume[3];             /* mean share of the prior in 95 % regions */
    double volume_error[3];       /* standard errors */

    /* What doubling the last budget would bring, if gains go on shrinking as
       they did: the guess, and between what it lies if they stop shrinking, or
       shrink to a quarter. */
    double gain, gain_low, gain_high;       /* in nats */
    double shrink, shrink_low, shrink_high; /* volume of 95 % regions, as a
                                               factor */
} bnre_learning_curve;

/* What theory says of every classifier, checked on pairs: on average a balanced
   one is less sure than the exact one (src/trust/theorem.h). */
typedef struct bnre_theorem {
    size_t n;        /* pairs of each class */
    size_t left_out; /* others, whose x were rounded (to float) so coarsely that
                        their own theta cannot have made them */
    bnre_estimate balance;         /* B of the classifier, */
    bnre_estimate exact_balance;   /* and of the exact one */
    bnre_estimate joint, marginal; /* the left sides */
    bnre_estimate joint_gap;    /* left side - right side, which must not be */
    bnre_estimate marginal_gap; /* negative; errors of both sides together */
    int holds;                  /* all three, within three standard errors */
} bnre_theorem;

typedef struct bnre_advice {
    size_t n;
    struct bnre_advice_item {
        const char *topic; /* "enough", "caution", "simulations", "pairs",
                              "points", "ensemble", "pattern", "observation" */
        char *text;
    } * item; /* (n) the most urgent first */
} bnre_advice;

#ifdef __cplusplus
}
#endif
#endif
