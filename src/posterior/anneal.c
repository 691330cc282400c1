/* From the prior to the posterior by annealed importance weights: each step
   is as large as the effective number of walkers allows (found by
   bisection), then walkers are chosen anew and moved. A sequential Monte Carlo
   sampler (Del Moral, Doucet, Jasra, J. R. Statist. Soc. B 68, 2006).
   O(steps times walkers) evaluations. */
#include "posterior/anneal.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

enum { MOST_STAGES = 300, MOST_STEPS = 8 /* per stage */ };

const bnre__anneal_pace bnre__anneal_careful = {0.5, 2, 2};
const bnre__anneal_pace bnre__anneal_brisk = {0.4, 1, 1};

/* Weights exp(step ratio) of walkers, scaled to the largest; their effective
   number is returned. */
static double weigh(size_t n, const double *ratio, double step, double *weight)
{
    double most = -HUGE_VAL, sum = 0, squares = 0;

    for (size_t k = 0; k < n; k++)
        most = fmax(most, ratio[k]);
    for (size_t k = 0; k < n; k++) {
        weight[k] = ratio[k] > -HUGE_VAL ? exp(step * (ratio[k] - most)) : 0;
        sum += weight[k];
        squares += weight[k] * weight[k];
    }
    return sum * sum / squares;
}

/* The largest step, up to `most`, that leaves `wanted` walkers effective. */
static double largest_step(size_t n, const double *ratio, double most,
                           double wanted, double *weight)
{
    double low = 0, high = most;

    if (weigh(n, ratio, most, weight) >= wanted)
        return most;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);

        if (weigh(n, ratio, middle, weight) >= wanted)
            low = middle;
        else
            high = middle;
    }
    weigh(n, ratio, low, weight);
    return low;
}

/* Choose walkers `to` out of `from` by weight, at equal distances along the sum
   of weights from a random start: systematic resampling (Kitagawa 1996), O(n).
 */
static void choose(const bnre__target *target, const bnre__walkers *from,
                   const double *weight, bnre_rng *rng, bnre__walkers *to)
{
    double total = 0, sum = 0, step, mark;
    size_t k = 0;

    for (size_t i = 0; i < from->n; i++)
        total += weight[i];
    step = total / (double)to->n;
    mark = step * bnre_rng_uniform(rng);
    sum = weight[0];
    for (size_t i = 0; i < to->n; i++, mark += step) {
        while (sum <= mark && k + 1 < from->n)
            sum += weight[++k];
        while (weight[k] == 0 && k > 0) /* the end, reached by rounding */
            k--;
        bnre__walkers_copy(target, to, i, from, k);
    }
}

static bnre_status draw_bank(bnre__target *target, bnre_rng *rng,
                             bnre__walkers *bank)
{
    bnre_status status = BNRE_OK;
    double *theta = NULL;

    BNRE_NEW(theta, target->dim);
    for (size_t k = 0; k < bank->n; k++) {
        bnre_prior_draw(target->prior, rng, theta);
        bnre__target_to_real(target, theta, bank->z + k * target->m);
    }
    BNRE_TRY(bnre__target_evaluate(target, bank, 0));
done:
    bnre__free(theta);
    return status;
}

static size_t count_possible(const bnre__walkers *walkers)
{
    size_t count = 0;

    for (size_t k = 0; k < walkers->n; k++)
        count += walkers->ratio[k] > -HUGE_VAL;
    return count;
}

/* The first stage: from a bank that is larger than the population. */
static bnre_status start(bnre__moves *moves, size_t n, bnre_rng *prior_rng,
                         bnre_rng *rng, bnre__walkers *walkers, double *beta)
{
    bnre_status status = BNRE_OK;
    bnre__walkers bank = {0};
    double *weight = NULL, wanted;
    size_t possible;

    BNRE_TRY(bnre__walkers_init(&bank, n, moves->target));
    BNRE_NEW(weight, n);
    BNRE_TRY(draw_bank(moves->target, prior_rng, &bank));
    possible = count_possible(&bank);
    if (possible == 0)
        BNRE_THROW(BNRE_ENUM,
                   "the log ratio is -inf at all %zu draws of the prior: no "
                   "theta of the prior explains the observation",
                   n);
    wanted = fmin((double)walkers->n, 0.5 * (double)possible);
    *beta = largest_step(n, bank.ratio, 1, wanted, weight);
    choose(moves->target, &bank, weight, rng, walkers);
done:
    bnre__free(weight);
    bnre__walkers_clear(&bank);
    return status;
}

/* Move the walkers until each was moved often enough on average. */
static bnre_status stir(bnre__moves *moves, bnre__anneal_pace pace,
                        bnre__walkers *walkers, double beta, bnre_rng *rng)
{
    double moved = 0;

    BNRE_DO(bnre__moves_learn(moves, walkers->n, walkers->z, rng));
    for (int i = 0; i < MOST_STEPS && (i < pace.least || moved < pace.moved);
         i++) {
        BNRE_DO(bnre__moves_step(moves, walkers, beta, 0.5, rng));
        moved += moves->leaping + moves->local;
    }
    return BNRE_OK;
}

bnre_status bnre__anneal(bnre__moves *moves, bnre__anneal_pace pace,
                         size_t bank, bnre_rng *prior_rng, bnre_rng *rng,
                         bnre__walkers *walkers, size_t *stages)
{
    bnre_status status = BNRE_OK;
    bnre__walkers old = {0};
    double *weight = NULL, beta = 0;

    *stages = 1;
    BNRE_TRY(bnre__walkers_init(&old, walkers->n, moves->target));
    BNRE_NEW(weight, walkers->n);
    BNRE_TRY(start(moves, bank, prior_rng, rng, walkers, &beta));
    BNRE_TRY(stir(moves, pace, walkers, beta, rng));
    while (beta < 1) {
        double step;

        if (++*stages > MOST_STAGES)
            BNRE_THROW(BNRE_ENUM,
                       "the log ratio varies too strongly over the prior: "
                       "beta reached %g of 1 in %d steps",
                       beta, MOST_STAGES);
        step =
            largest_step(walkers->n, walkers->ratio, 1 - beta,
                         pace.share * (double)count_possible(walkers), weight);
        for (size_t k = 0; k < walkers->n; k++)
            bnre__walkers_copy(moves->target, &old, k, walkers, k);
        choose(moves->target, &old, weight, rng, walkers);
        beta = beta + step < 1 ? beta + step : 1;
        BNRE_TRY(stir(moves, pace, walkers, beta, rng));
    }
done:
    bnre__free(weight);
    bnre__walkers_clear(&old);
    return status;
}
