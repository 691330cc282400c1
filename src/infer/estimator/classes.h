/* classes.h - the report of a classifier, as it is kept in its file. */
#ifndef BNRE_INFER_CLASSES_H
#define BNRE_INFER_CLASSES_H

#include "bnre/classes.h"
#include "infer/estimator/estimator.h"

/* Keep it with the estimator, in place of a certificate. (classes_text.c) */
BNRE_MUST_CHECK bnre_status bnre__classes_keep(bnre_estimator *est,
                                               const bnre_class_report *report);

/* The same of more than two classes, and their log ratios l (rows, n) for x
   (rows, x_size). (models.c) */
BNRE_MUST_CHECK bnre_status bnre__models_keep(bnre_estimator *est,
                                              const bnre_models_report *report);
BNRE_MUST_CHECK bnre_status bnre__models_log_ratio(const bnre_estimator *est,
                                                   bnre_pool *pool, size_t rows,
                                                   const double *x, double *l);

#endif
