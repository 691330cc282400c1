/* made.h - made-up simulators: a table of rows, and an estimator trained on it.

   Each is a task in YAML (parameters, priors, conditions; no simulator) and a
   function that makes x from theta. Rows go through a CSV file. */
#ifndef BNRE_TEST_MADE_H
#define BNRE_TEST_MADE_H

#include "bnre/estimator.h"
#include "bnre/train.h"

typedef struct made {
    const char *task; /* YAML */
    size_t dim, x_size;
    /* x (x_size) from theta (dim); 0 = done, else the status of a failed
       simulation: 1 = invalid, 2 and more = lost. */
    int (*simulate)(bnre_rng *rng, const double *theta, double *x);
    /* theta, unless it is drawn from the prior of the task: then NULL. */
    void (*draw)(bnre_rng *rng, double *theta);
} made;

/* Write `rows` of it to a new file in the scratch directory, and its task
   beside; the names are static until the next call. */
const char *made_data(const made *of, const char *name, size_t rows,
                      uint64_t seed);
const char *made_task(const made *of);

/* Options for it: method npe, two hidden layers of 32, batches of 64, 120
   epochs at most, one member. */
bnre_train_opts made_opts(const made *of, const char *data);

/* Train and open; `result` may be NULL. */
bnre_estimator *made_train(const bnre_train_opts *opts,
                           bnre_train_result *result);

#endif
