/* What may be wrong with a training that came to its end. */
#include <math.h>

#include "infer/train.h"

#define CHANCE (2 * log(2))

/* A classifier closer than this to 1/2 everywhere says nothing; with fewer
   simulations than these hardly anything can be learned; and so much is lost
   where an earlier epoch was better. */
#define NEAR_HALF 0.02
#define FEW_ROWS 512
#define MUCH 0.05

const char *bnre_train_warning(unsigned warning)
{
    switch (warning) {
    case BNRE_TRAIN_COLLAPSED:
        return "the classifier says 1/2 to everything: it learned nothing, and "
               "the posterior is the prior. Try --method nre or a smaller "
               "--lambda, more simulations, or another network; or x does not "
               "depend on theta";
    case BNRE_TRAIN_DIVERGED:
        return "the validation loss is worse than chance: lower "
               "--learning-rate, or use --weights best";
    case BNRE_TRAIN_OVERFITTED:
        return "the last epoch is much worse in validation than the best one: "
               "the network learned its data by heart. Use --weights best or "
               "more simulations";
    case BNRE_TRAIN_FEW:
        return "there are few simulations: expect a posterior that is far from "
               "exact, and diagnose it";
    case BNRE_TRAIN_SKIPPED:
        return "steps were skipped since their loss was not a finite number: "
               "lower --learning-rate, or give --clip 1";
    default:
        return NULL;
    }
}

unsigned bnre__train_doubts(const bnre_train_result *result,
                            const bnre__trained *first, int uses_last)
{
    const bnre__history *history = &first->history;
    const double best =
        history->row[first->epoch[BNRE__BEST] - 1][BNRE__VALIDATION_LOSS];
    const double last =
        history->row[first->epoch[BNRE__LAST] - 1][BNRE__VALIDATION_LOSS];
    unsigned doubts = 0;

    if (first->distance < NEAR_HALF ||
        (isnan(first->distance) &&
         fabs(result->cross_entropy - CHANCE) < NEAR_HALF * NEAR_HALF))
        doubts |= BNRE_TRAIN_COLLAPSED;
    if (!(result->cross_entropy < CHANCE + NEAR_HALF))
        doubts |= BNRE_TRAIN_DIVERGED;
    else if (uses_last && last > best + MUCH)
        doubts |= BNRE_TRAIN_OVERFITTED;
    if (result->simulations < FEW_ROWS)
        doubts |= BNRE_TRAIN_FEW;
    if (result->skipped > 0)
        doubts |= BNRE_TRAIN_SKIPPED;
    return doubts;
}
