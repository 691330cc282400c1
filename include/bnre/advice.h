/* advice.h - what `diagnose` adds to a diagnosis: what more simulations would
   bring, whether theory holds, and what to do next in plain words. */
#ifndef BNRE_ADVICE_H
#define BNRE_ADVICE_H

#include <stddef.h>

#include "bnre/diag.h"

#ifdef __cplusplus
extern "C" {
#endif

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
