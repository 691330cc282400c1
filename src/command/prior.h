/* prior.h - one prior for one or several estimators, maybe another than that of
   their training. */
#ifndef BNRE_COMMAND_PRIOR_H
#define BNRE_COMMAND_PRIOR_H

#include "bnre/estimator.h"
#include "bnre/prior.h"
#include "bnre/settings.h"

/* The prior of all parameters of n estimators, those of the first one first: as
   in training, or as `file` (may be NULL) says. This is a YAML file with
   `parameters`, and maybe `constraint` or `prior_samples`, as in a task;
   parameters that it leaves out keep their prior, and conditions stay unless it
   has its own. `odds` (NULL: none) stand for a file: they are those of the
   classes that the first estimator tells apart. *record (may be NULL) tells what it came to be. The caller
   destroys both. Errors: EUSAGE for parameters that estimators share with
   different priors and the file does not name, or without a file with different
   conditions on them, and for names that none of them has; those of reading;
   ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__prior_of(size_t n,
                                           const bnre_estimator *const *est,
                                           const char *file, const char *odds,
                                           bnre_prior **out,
                                           bnre_node **record);

/* EUSAGE for what rounds around one observation have made. */
BNRE_MUST_CHECK bnre_status
bnre__prior_refuse_region(const bnre_estimator *est);

/* Whether a dataset says that it was simulated for that prior, whose record this
   is; `file` and `path` name both. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__prior_of_data(const bnre_node *record,
                                                const char *file,
                                                const bnre_dataset *data,
                                                const char *path, int *same);

#endif
