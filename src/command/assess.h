/* assess.h - how good an estimator of classes is on rows that it has not seen:
   accuracy, calibration, confusion. */
#ifndef BNRE_COMMAND_ASSESS_H
#define BNRE_COMMAND_ASSESS_H

#include "bnre/classes.h"
#include "command/diagnose.h"

/* Of pairs whose parameter is the class. Nothing for other estimators. The
   caller clears *out in any case. Errors: EUSAGE for a class with fewer than
   two rows; those of reading and evaluating. */
BNRE_MUST_CHECK bnre_status bnre__assess_pairs(const bnre_estimator *est,
                                               bnre_pool *pool,
                                               bnre_dataset *data,
                                               bnre_models_report *out);

/* `diagnose` with `classes`: all of it, into work->outcome->models and the file
   of results. */
BNRE_MUST_CHECK bnre_status bnre__diagnose_classes(bnre__diagnose_work *work);

#endif
