/* observation.h - what the commands about an observation, `posterior` and
   `check`, have in common. */
#ifndef BNRE_COMMAND_OBSERVATION_H
#define BNRE_COMMAND_OBSERVATION_H

#include "bnre/command.h"

/* The observation of an estimator: `given`, or else the files that are named,
   read into *own, which the caller clears. Errors: those of
   bnre_observations_read(). */
BNRE_MUST_CHECK bnre_status bnre__observation_read(
    const bnre_estimator *est, const bnre_observations *given,
    const bnre_opt_list *file, bnre_observations *own,
    const bnre_observations **out);

/* A map of how a result comes about: the estimator (its fingerprint `print`, as
   it is in the file) with its temper and widen, the seed, and what was observed
   (may be NULL). The caller destroys *out. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__observation_record(
    const char *print, double temper, double widen, uint64_t seed,
    const bnre_observations *observed, bnre_node **out);

/* Keep a warning in a list that grows; and say it, too. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__warning_keep(const char *text, size_t *n,
                                               char ***list);
BNRE_MUST_CHECK bnre_status bnre__warning_say(const bnre_monitor *monitor,
                                              const char *text, size_t *n,
                                              char ***list);

#endif
