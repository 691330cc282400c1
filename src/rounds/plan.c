/* plan.c - how many rounds there are, and why there cannot be several. */
#include <string.h>

#include "base/mem.h"
#include "base/value.h"
#include "bnre/train.h"
#include "prior/prior.h"
#include "rounds/rounds.h"

/* Why there cannot be several rounds; NULL = there can. */
static const char *why_one(const bnre__infer *infer)
{
    const bnre_prior *prior = bnre_task_prior(infer->task);
    int others = 0;

    if (!bnre_method_is_conditional(infer->method))
        return "rounds need the methods npe or bnpe, whose densities can be "
               "drawn from; nre and bnre take one round";
    if (infer->observed.n > 1)
        return "rounds are for a single observation; several take one round";
    if (bnre__prior_depends(prior))
        return "a prior whose parameters depend on each other cannot be "
               "restricted to a region: take one round";
    if (bnre__prior_is_mixed(prior))
        return "a prior with integers or categories cannot be restricted to a "
               "region: take one round";
    if (!bnre_prior_has_density(prior))
        return "a prior known by draws only cannot be restricted to a region: "
               "it takes one round";
    if (bnre__prior_is_constrained(prior))
        (void)bnre__prior_orderings(prior, 0, NULL, &others);
    if (others)
        return "a prior with constraints other than orders such as a >= b "
               "cannot be restricted to a region: it takes one round";
    if (!infer->request->dry_run && !bnre_task_runs(infer->task))
        return "rounds need a simulator: given simulations alone take one "
               "round";
    return NULL;
}

/* Simulations that a round should have, and rounds that there should be. */
enum { LEAST_SHARE = 500, MOST_AUTO = 3 };

bnre_status bnre__infer_settle(bnre__infer *infer)
{
    const char *why = why_one(infer);
    const size_t all = infer->settings->simulations;

    if (strcmp(infer->settings->rounds, "auto") != 0) {
        BNRE_DO(bnre__read_size(infer->settings->rounds, "[1, 10]", "rounds",
                                &infer->rounds));
    } else {
        infer->rounds = all / LEAST_SHARE;
        infer->rounds = infer->rounds > MOST_AUTO ? MOST_AUTO : infer->rounds;
        if (why != NULL || infer->rounds == 0)
            infer->rounds = 1;
    }
    if (infer->rounds > 1 && infer->given_rows >= all)
        return bnre_fail(
            BNRE_EUSAGE,
            "%s has all simulations already: none are left for another round "
            "(use `rounds: 1` or more `simulations`)",
            infer->settings->data);
    if (infer->rounds > 1 && why != NULL)
        return bnre_fail(BNRE_EUSAGE, "%s", why);
    if (infer->rounds > 1 && all / infer->rounds < 32)
        return bnre_fail(BNRE_EUSAGE,
                         "%zu simulations are too few for %zu rounds: 32 in "
                         "each are the least",
                         all, infer->rounds);
    return BNRE_OK;
}
