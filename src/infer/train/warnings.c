/* What may be wrong with a training that came to its end. */
#include <math.h>

#include "infer/train/train.h"

/* A classifier with less certainty than this, the mean of |2 d - 1|, says
   nothing; with fewer simulations than these hardly anything can be learned;
   losses that differ by so much do not differ by chance. */
#define UNCERTAIN 0.04
#define FEW_ROWS 512
#define MUCH 0.05

const char *bnre_train_warning(unsigned warning)
{
    switch (warning) {
    case BNRE_TRAIN_COLLAPSED:
        return "the classifier says 1/2 to everything: it learned nothing, and "
               "the posterior is the prior. Try `method: nre` or a smaller "
               "`lambda`, more simulations, or another network; or x does not "
               "depend on theta";
    case BNRE_TRAIN_DIVERGED:
        return "the validation loss is worse than chance: lower "
               "`learning_rate`, or use `weights: best`";
    case BNRE_TRAIN_OVERFITTED:
        return "the last epoch is much worse in validation than the best one: "
               "the network learned its data by heart. Use `weights: best` or "
               "more simulations";
    case BNRE_TRAIN_FEW:
        return "there are few simulations: expect a posterior that is far from "
               "exact, and diagnose it";
    case BNRE_TRAIN_SKIPPED:
        return "steps were skipped since their loss was not a finite number: "
               "lower `learning_rate`, or give `clip: 1`";
    default:
        return NULL;
    }
}

unsigned bnre__train_doubts(const bnre_train_result *result,
                            const bnre__trained *first, int uses_last)
{
    const bnre__history *history = &first->history;
    const double *best =
        bnre__history_row(history, first->epoch[BNRE__BEST] - 1);
    const double *last =
        bnre__history_row(history, first->epoch[BNRE__LAST] - 1);
    const double *used = uses_last ? last : best;
    unsigned doubts = 0;

    if (used[BNRE__VALIDATION_CERTAINTY] < UNCERTAIN)
        doubts |= BNRE_TRAIN_COLLAPSED;
    if (!(result->cross_entropy < result->chance + MUCH))
        doubts |= BNRE_TRAIN_DIVERGED;
    else if (uses_last &&
             last[BNRE__VALIDATION_LOSS] > best[BNRE__VALIDATION_LOSS] + MUCH)
        doubts |= BNRE_TRAIN_OVERFITTED;
    if (result->simulations < FEW_ROWS)
        doubts |= BNRE_TRAIN_FEW;
    if (result->skipped > 0)
        doubts |= BNRE_TRAIN_SKIPPED;
    return doubts;
}
