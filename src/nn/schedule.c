/* The learning rate from epoch to epoch: constant, or divided after a
   plateau. */
#include "nn/schedule.h"

#include <math.h>

static const double least_cut = 1e-8, threshold = 1e-4, factor = 0.1,
                    gentle = 1.0 / 3, gentle_floor = 0.01;

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
    /* Losses may be negative; of positive ones it is a ten-thousandth. */
    const double enough = schedule->best > 0 ? 1 - threshold : 1 + threshold;

    if (loss < schedule->best * enough) {
        schedule->best = loss;
        schedule->bad = 0;
    } else {
        schedule->bad++;
    }
    if (schedule->bad > schedule->patience) {
        schedule->bad = 0;
        if (!bnre__schedule_at_floor(schedule))
            schedule->rate *=
                schedule->kind == BNRE__SCHEDULE_GENTLE ? gentle : factor;
    }
}

int bnre__schedule_at_floor(const bnre__schedule *schedule)
{
    if (schedule->kind == BNRE__SCHEDULE_GENTLE)
        return schedule->rate <= schedule->start * gentle_floor;
    return schedule->kind == BNRE__SCHEDULE_PLATEAU &&
           schedule->rate - schedule->rate * factor <= least_cut;
}

double bnre__schedule_next(bnre__schedule *schedule, double loss)
{
    const double part = schedule->epochs == 0 ? 0
                                              : (double)++schedule->epoch /
                                                    (double)schedule->epochs;

    if (schedule->kind == BNRE__SCHEDULE_PLATEAU ||
        schedule->kind == BNRE__SCHEDULE_GENTLE)
        look_for_plateau(schedule, loss);
    else if (schedule->kind == BNRE__SCHEDULE_COSINE)
        schedule->rate = schedule->start * 0.5 * (1 + cos(acos(-1) * part));
    return schedule->rate;
}
