/* theorem.h - what theory says of every classifier, checked on pairs.

   Let d(theta, x) be any classifier of joint and marginal pairs, e the exact
   one, and B = E_joint[d] + E_marginal[d] the balance of d. Then

     E_joint[log(e / d)]               >= -log B
     E_marginal[log((1 - e) / (1 - d))] >= -log(2 - B)

   and e itself is balanced, B = 1. For a balanced d the right sides are 0
   (compare theorems 1 and 2 of Delaunoy and others, NeurIPS 2022): on average
   it is less sure than the exact classifier, of both classes. The
   exact classifier needs the likelihood, so this is for tasks that can tell it
   (gaussian, weinberg, slcp). */
#ifndef BNRE_TRUST_THEOREM_H
#define BNRE_TRUST_THEOREM_H

#include <stddef.h>

#include "bnre/certificate.h"
#include "bnre/dataset.h"
#include "bnre/density.h"
#include "bnre/diag.h"
#include "bnre/status.h"
#include "bnre/task.h"

/* Check d = sigmoid(l) of a density, whose l must be the logit of a classifier
   (as estimators give it at temper 1), on n >= 20 pairs theta (n, dim),
   x (n, x_size); marginal pairs are the same thetas shifted by one. The
   evidence p(x) comes from points where the likelihood is. The monitor (may be
   NULL) can stop it. Errors: EUSAGE for a task without a likelihood, or too few
   pairs; EINTR; those of the density; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__theorem_check(
    bnre_task *task, const bnre_density *density, size_t n, const double *theta,
    const double *x, const bnre_monitor *monitor, bnre_theorem *out);

/* The same with the first `most` valid pairs of a dataset. `task` may be NULL
   where the dataset names one that is built in. */
BNRE_MUST_CHECK bnre_status bnre__theorem_check_dataset(
    bnre_task *task, const bnre_density *density, bnre_dataset *data,
    size_t most, const bnre_monitor *monitor, bnre_theorem *out);

#endif
