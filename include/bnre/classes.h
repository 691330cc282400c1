/* classes.h - classifiers of two classes of rows: how good they are.

   bnre_train() makes one from the rows of two files (bnre_train_opts.classes).
   With l(x) the logit, d(x) = sigmoid(l) is the probability that x is of the
   first class when both are equally frequent. All numbers here give the two
   classes the same weight, however many rows they have. */
#ifndef BNRE_CLASSES_H
#define BNRE_CLASSES_H

#include <stddef.h>

#include "bnre/dataset.h"
#include "bnre/estimator.h"
#include "bnre/pool.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BNRE_CLASS_BINS = 10 };

/* Rows with d from k/10 to (k+1)/10. */
typedef struct bnre_class_bin {
    double share;     /* of all rows; 0: the others mean nothing */
    double predicted; /* mean of d */
    double observed;  /* share of the first class */
    double error;     /* standard error of their difference */
} bnre_class_bin;

typedef struct bnre_class_report {
    size_t rows[2]; /* of the first and of the second class */

    /* Mean of d over the first class plus that over the second, 1 for an exact
       classifier, and its standard error. */
    double balance, balance_error;
    /* Share of rows on the right side of d = 1/2, and its standard error. */
    double accuracy, accuracy_error;
    double cross_entropy; /* mean of each class, added; chance is 2 log 2 */

    /* Expected calibration error: mean over rows of |predicted - observed| in
       their bin; and what a calibrated classifier would show by chance, since
       rows are few. */
    double calibration, calibration_chance;
    bnre_class_bin bin[BNRE_CLASS_BINS];
} bnre_class_report;

/* The report that was made in training, on rows held out for it. Errors: EUSAGE
   when there is none. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_classifier_report(const bnre_estimator *est, bnre_class_report *out);

/* ---- more than two ----

   bnre_train_make() with more than two files makes an estimator of one
   categorical parameter, the class: a conditional density (npe, bnpe), whose
   balance is that of each class against all others. Posterior probabilities
   of the classes follow for any prior odds. */

enum { BNRE_MOST_MODELS = 1024 };

/* Classes of such an estimator; 0 for others. */
BNRE_API size_t bnre_models_count(const bnre_estimator *est);

/* How good it is on rows held out for that. All classes have the same weight,
   however many rows they have. */
typedef struct bnre_models_report {
    size_t n;     /* classes; 0: nothing is known, and the rest is NULL or 0 */
    char **name;  /* (n) */
    size_t *rows; /* (n) */
    double *confusion; /* (n, n) share of the rows of class i that are most
                          probably of class j by the estimator */
    double *balance, *balance_error; /* (n) of each against the others: 1 */
    double accuracy, accuracy_error; /* share of rows on the diagonal */
    double cross_entropy;            /* chance is log n */
    double calibration, calibration_chance; /* as in bnre_class_report, over the
                                               probabilities of all classes */
} bnre_models_report;

/* What the classes are called, and nothing else of it. The caller clears *out in
   any case. Errors: EUSAGE for other estimators; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_models_names(const bnre_estimator *est, bnre_models_report *out);

/* The one that was made in training. Errors: EUSAGE if there is none; EFORMAT;
   ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_models_report_of(const bnre_estimator *est, bnre_models_report *out);
BNRE_API void bnre_models_report_clear(bnre_models_report *report);

/* probability (rows, n) of the classes of x (rows, x_size), for prior odds (n;
   NULL: equal). Errors: EUSAGE for other estimators; ENUM; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_models_probability(
    const bnre_estimator *est, bnre_pool *pool, const double *odds, size_t rows,
    const double *x, double *probability);

#ifdef __cplusplus
}
#endif
#endif
