/* trial.h - the first simulations of a long run, and what they tell of it. */
#ifndef BNRE_DATA_TRIAL_H
#define BNRE_DATA_TRIAL_H

#include "bnre/status.h"
#include "data/rows.h"

/* Tell the monitor which of the first n rows of the block failed, and how long
   the `others` will take if one takes `seconds` and so many work at a time;
   nothing if all is well and soon over. */
void bnre__trial_tell(const bnre_monitor *monitor, const bnre__block *block,
                      size_t n, double seconds, size_t others, size_t workers);

#endif
