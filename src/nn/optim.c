/* optim.c - AdamW, plainly, and the learning rate from epoch to epoch: constant,
   or divided after a plateau. */
#include "nn/optim.h"

#include <math.h>

#include "nn/plain.h"
#include "nn/plan.h"

bnre__adam bnre__adam_default(void)
{
    return (bnre__adam){
        .learning_rate = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
}

void bnre__adam_step(const bnre__adam *adam, uint64_t t, size_t n,
                     const bnre__real *g, bnre__real *w, bnre__real *m,
                     bnre__real *v)
{
    const double correct1 = 1 - pow(adam->beta1, (double)t);
    const double correct2 = 1 - pow(adam->beta2, (double)t);

    for (size_t i = 0; i < n; i++) {
        const double gradient = (double)g[i];
        double first = (double)m[i], second = (double)v[i];

        first += (1 - adam->beta1) * (gradient - first);
        second += (1 - adam->beta2) * (gradient * gradient - second);
        m[i] = (bnre__real)first;
        v[i] = (bnre__real)second;
        w[i] = (bnre__real)((double)w[i] *
                                (1 - adam->learning_rate * adam->decay) -
                            adam->learning_rate * (first / correct1) /
                                (sqrt(second / correct2) + adam->epsilon));
    }
}

double bnre__clip_factor(const bnre__adam *adam, size_t n, const bnre__real *g)
{
    double squares = 0;

    if (adam->clip <= 0)
        return 1;
    for (size_t i = 0; i < n; i++)
        squares += (double)g[i] * (double)g[i];
    return sqrt(squares) <= adam->clip ? 1 : adam->clip / sqrt(squares);
}

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
