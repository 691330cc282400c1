/* classes.h - the report of a classifier, as it is kept in its file. */
#ifndef BNRE_INFER_CLASSES_H
#define BNRE_INFER_CLASSES_H

#include "bnre/classes.h"
#include "infer/estimator/estimator.h"

/* Keep it with the estimator, in place of a certificate. (classes_text.c) */
BNRE_MUST_CHECK bnre_status bnre__classes_keep(bnre_estimator *est,
                                               const bnre_class_report *report);

#endif
