/* check.h - whether a model fits what was observed, and whether its estimator
   can be trusted there.

   From draws theta_j of the posterior of x_o, and y_j simulated from each:

   Fit. A statistic T of x_o is compared with T of the y_j. Its p-value is
   min(1, 2 min(a, b)), a and b being the shares, x_o counted among them, with
   T(y_j) <= T(x_o) and T(y_j) >= T(x_o): ties count on both sides, so that
   discrete data make p larger, never smaller. p is 2 / (n + 1) at least.

   These are posterior predictive p-values. x_o has led to the theta_j and is
   then compared with what they predict, so p lies nearer to 1/2 than a uniform
   number does if the model is right: P(p <= a) is 2 a at most (Meng 1994) and
   mostly far below a; it is a for statistics that do not depend on theta.
   A small p is evidence that either the simulator or the posterior is wrong; a
   large one shows only that this statistic sees nothing.

     values      of x, each against what is predicted for it. They are corrected
                 for their number by the law of the farthest of them (Westfall
                 and Young 1993), however they depend on each other: together
                 they are one test
     summaries   that the user names
     neighbours  the mean distance to the 10 nearest, of x_o and of each y_j
                 among all others
     ratio       log r(theta_j, x_o) against log r(theta_j, y_j)

   The tests are corrected for their number by Holm's method.

   Here: posterior simulation-based calibration (Sailynoja et al. 2025). The
   theta_j and y_j are pairs of a joint law whose prior is the posterior of x_o;
   given both x_o and y_j that of theta is proportional to it times r(theta,
   y_j), and ranks of theta_j in it are uniform if r is right. This tests the
   estimator at data like the y_j, and never the posterior of x_o itself, which
   is the prior here, right or wrong.

   Near: the coverage of pairs of the prior whose x are most like x_o to the
   estimator. They are chosen by x alone, which leaves theta a draw of its
   posterior; choosing by theta would change the prior. This tests posteriors of
   data near x_o, on average over these. */
#ifndef BNRE_CHECK_H
#define BNRE_CHECK_H

#include <stddef.h>

#include "bnre/diag.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A statistic: what it is of x_o, of the y_j (quantiles 2.5 %, 50 %, 97.5 %),
   and how likely that is. NaN where there is no such number. */
typedef struct bnre_check_test {
    char *name; /* "values", "neighbours", "ratio", or a summary's text */
    double observed, low, median, high;
    double p;        /* of it alone */
    double adjusted; /* by Holm's method, among all tests */
} bnre_check_test;

/* One value of x. */
typedef struct bnre_check_value {
    double observed;
    double low95, low68, median, high68, high95; /* predicted */
    double p;                                    /* of it alone */
    double adjusted;                             /* for the number of values */
} bnre_check_value;

typedef struct bnre_check {
    size_t draws; /* simulations that x_o was compared with */
    size_t observations, x_size;
    double alpha; /* it does not fit if an adjusted p is below */
    int fits;
    size_t tests;
    bnre_check_test *test;   /* (tests) */
    bnre_check_value *value; /* (observations, x_size) */
    size_t worst;            /* value that is farthest */
} bnre_check;

/* ---- all of a check ---- */

typedef enum bnre_check_verdict {
    BNRE_CHECK_FITS,
    BNRE_CHECK_MISFIT,
    BNRE_CHECK_UNCHECKED /* nothing was simulated */
} bnre_check_verdict;

typedef struct bnre_check_report {
    bnre_check_verdict verdict;
    char *words;      /* the verdict in a sentence or two */
    char *unchecked;  /* why nothing was simulated; NULL: something was */
    size_t failed;    /* simulations from the posterior, which are left out */
    bnre_check check; /* unless UNCHECKED */

    /* What simulates nothing: values beyond all that they were in training;
       how likely an x so far from the calibration pairs is (NaN: there are none
       to compare with); and log E_prior r(theta, x_o), which is 0 for a ratio
       that is right (NaN for several observations). */
    size_t beyond;
    double outside, log_z;

    bnre_diag *here;     /* NULL: not looked at */
    double here_uniform; /* p-value: the smallest of all parameters and the rank
                            by density, corrected (Holm) */
    bnre_diag *near;     /* NULL: not looked at, */
    char *no_near;       /* and why */
    size_t near_of;      /* how many pairs it was chosen from */
} bnre_check_report;

/* FITS, MISFIT, UNCHECKED */
BNRE_API const char *bnre_check_verdict_name(bnre_check_verdict verdict);

/* What these can say and cannot: a sentence or two. */
BNRE_API const char *bnre_check_here_means(void);
BNRE_API const char *bnre_check_near_means(void);

#ifdef __cplusplus
}
#endif
#endif
