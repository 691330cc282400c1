/* parameters.h - where the parameters of a row come from. */
#ifndef BNRE_DATA_PARAMETERS_H
#define BNRE_DATA_PARAMETERS_H

#include "base/text.h"
#include "bnre/simulate.h"

/* The parameters and nuisance parameters of a row: drawn from its own stream,
   whatever else is simulated with it, or from that of the first row it shares
   them with, or the given ones. Nuisance parameters are each row's own. */
void bnre__parameters_draw(const bnre_task *task,
                           const bnre_simulate_opts *opts, uint64_t row,
                           double *theta, double *nuisance);

/* Given parameters suffice and are finite; a note if they are outside of the
   prior's support. */
BNRE_MUST_CHECK bnre_status
bnre__parameters_check(const bnre_task *task, const bnre_simulate_opts *opts);

/* Add what tells given parameters, or those that rows share, from others to the
   text of the settings; nothing when each row draws its own. */
BNRE_MUST_CHECK bnre_status bnre__parameters_describe(
    const bnre_task *task, const bnre_simulate_opts *opts, bnre__text *out);

#endif
