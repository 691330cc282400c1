/* model.h - an estimator and the threads that evaluate it. */
#ifndef BNRE_FLAT_MODEL_H
#define BNRE_FLAT_MODEL_H

#include "bnre/estimator.h"
#include "bnre/flat.h"

struct bnre_model {
    bnre_estimator *estimator;
    const bnre_estimator_info *info;
    const bnre_prior *prior; /* NULL for classifiers */
    bnre_density density;    /* likewise, empty */
    bnre_pool *pool;
};

#endif
