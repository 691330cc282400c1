#include "nn/schedule.h"

#include <math.h>

static const double least_cut = 1e-8, threshold = 1e-4, factor = 0.1;

void bnre__schedule_init(bnre__schedule *schedule, bnre__schedule_kind kind,
                         double rate, size_t epochs)
{
    *schedule = (bnre__schedule){.kind = kind,
                                 .start = rate,
                                 .rate = rate,
                                 .epochs = epochs,
                                 .patience = 10,
                                 .best = INFINITY};
}

static void look_for_plateau(bnre__schedule *schedule, double loss)
{
    if (loss < schedule->best * (1 - threshold)) {
        schedule->best = loss;
        schedule->bad = 0;
    } else {
        schedule->bad++;
    }
    if (schedule->bad > schedule->patience) {
        schedule->bad = 0;
        if (!bnre__schedule_at_floor(schedule))
            schedule->rate *= factor;
    }
}

int bnre__schedule_at_floor(const bnre__schedule *schedule)
{
    return schedule->kind == BNRE__SCHEDULE_PLATEAU &&
           schedule->rate - schedule->rate * factor <= least_cut;
}

double bnre__schedule_next(bnre__schedule *schedule, double loss)
{
    const double part = schedule->epochs == 0 ? 0
                                              : (double)++schedule->epoch /
                                                    (double)schedule->epochs;

    if (schedule->kind == BNRE__SCHEDULE_PLATEAU)
        look_for_plateau(schedule, loss);
    else if (schedule->kind == BNRE__SCHEDULE_COSINE)
        schedule->rate = schedule->start * 0.5 * (1 + cos(acos(-1) * part));
    return schedule->rate;
}
