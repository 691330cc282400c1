/* exported.h - estimators of every kind that can be exported. */
#ifndef BNRE_TEST_EXPORTED_H
#define BNRE_TEST_EXPORTED_H

#include "infer/estimator/estimator.h"

/* The i-th of them and its name; NULL past the last. Weights are random. Close
   it with bnre_estimator_close(). */
bnre_estimator *exported_case(size_t i, const char **name);

/* One with this description, scalers fitted to some_theta() and some_x(). */
bnre_estimator *exported_estimator(const char *task, size_t ndim,
                                   const size_t *shape, const char *network,
                                   int conditional, size_t members,
                                   size_t folds);

#endif
