/* diagnose_prior.c - the command `diagnose` under another prior than that of
   training.

   Pairs are draws of the prior of training, p; those of another one, p', are had
   by taking each with probability min(1, v / M), v = p' / p. What is looked at
   is then exactly a sample of min(p', M p), normalised, with the ranks of the
   posterior under p', and the test of coverage on it is the usual one:

   - M comes from draws of p' that have nothing to do with the pairs. The largest
     v of the pairs themselves would not do: the pair that has it would always
     be taken.
   - The chance number of a pair is that of its row, and has no part in its rank.
   - A share `lost` of p' has a larger v than M or lies where p has no mass.
     Coverage under p' is at least that under the sample's law less this share,
     which is therefore taken from eps.
   - Pairs without mass under p' (v = 0) are never taken; ties of v change
     nothing. Ranks break their ties by numbers of their own.
   - With a large M few pairs are left; fewer than 20 are refused, and some more
     make the verdict INCONCLUSIVE, as few pairs of any prior do.

   Pairs whose file says that they were simulated for p' are taken as they are.

   Ranks. Given x, theta* is a draw of the new posterior, q p' / p but for a
   constant. Beside L draws of q it is the true one of them with a probability
   proportional to v = p' / p at each, whatever L is: the rank (sum of v over
   denser ones + U v*) / sum of all v is exactly uniform if q is right (diag/
   rank.h). It is uniform for pairs of p' alone: of pairs of p all points would
   be alike. So it is used where conditional densities can be drawn from and
   there are more than three parameters, or whole numbers. Up to three parameters
   cells are better, which are small where the new posterior is; and where v is
   so uneven that the draws are worth too few (BLIND), chains go on.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "command/diagnose.h"
#include "command/prior.h"

bnre_status bnre__diagnose_prior(bnre__diagnose_work *work)
{
    const bnre_estimator *est = work->estimator;
    bnre_diagnose_outcome *outcome = work->outcome;
    bnre_status status = BNRE_OK;
    bnre_experiment experiment;

    if (work->settings->prior == NULL)
        return BNRE_OK;
    if (est == NULL || work->data == NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "another prior needs an estimator and pairs");
    BNRE_DO(bnre__prior_refuse_region(est));
    experiment = (bnre_experiment){
        .density = bnre_estimator_density(est, BNRE_ALL_MEMBERS),
        .observations = 1};
    BNRE_TRY(bnre__prior_of(1, &est, work->settings->prior, NULL, &work->prior,
                            &work->prior_as));
    BNRE_TRY(bnre_joint_create(work->prior, 1, &experiment, &work->joint));
    outcome->other_prior = 1;
    outcome->change = *bnre_joint_change(work->joint, 0);
    outcome->guarantee.other_prior = 1;
    work->opts.over = "the new prior";
    BNRE_TRY(bnre__prior_of_data(work->prior_as, work->settings->prior,
                                 work->data, work->settings->data,
                                 &outcome->own_pairs));
    if (outcome->own_pairs)
        goto done;
    if (isnan(outcome->change.most))
        BNRE_THROW(BNRE_EUSAGE,
                   "pairs of the prior of training cannot stand for this one, "
                   "which is known by samples or fixes a parameter: simulate "
                   "pairs for it");
    if (work->opts.eps <= outcome->change.lost)
        BNRE_THROW(BNRE_EUSAGE,
                   "eps: %g is less than what pairs of another prior leave "
                   "open, %.2g",
                   work->opts.eps, outcome->change.lost);
    work->opts.eps -= outcome->change.lost;
done:
    return status;
}

bnre_status bnre__diagnose_record_prior(const bnre__diagnose_work *work,
                                        bnre_node *made)
{
    bnre_node *copy = NULL;

    if (work->joint == NULL)
        return BNRE_OK;
    BNRE_DO(bnre_node_copy(work->prior_as, &copy));
    return bnre_node_add(made, "prior", copy);
}
