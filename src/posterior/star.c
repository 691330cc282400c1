/* Chains from theta* to a hub and from there to many ends; why is in star.h. A
   pair costs an annealed population, then `steps` steps (moves.c) of one walker
   back and of `ends` and the population forward. */
#include "posterior/star.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "posterior/anneal.h"
#include "posterior/posterior.h"

enum {
    POPULATION = 80, /* at least, and */
    PER_AXIS = 8,    /* so many for each parameter: they tell covariances */
    BANK = 4,        /* draws of the prior for each of them */
    SETTLE = 3,      /* steps in which their sizes are adapted at the end */
    ROUNDS = 12      /* of bridge sampling; its error shrinks by as many orders
                        of magnitude as the two sides overlap */
};

bnre_status bnre__star_init(bnre__star *star, bnre_session *session,
                            size_t ends, size_t steps, int careful)
{
    const bnre_density *density = bnre__session_density(session);
    const size_t dim = bnre_prior_dim(density->prior);
    const size_t others =
        PER_AXIS * dim > POPULATION ? PER_AXIS * dim : POPULATION;
    const size_t all = ends + others;
    const size_t room = all > BANK * others ? all : BANK * others;
    bnre_status status = BNRE_OK;

    *star = (bnre__star){.ends = ends,
                         .steps = steps,
                         .others = others,
                         .careful = careful,
                         .tau = 1};
    BNRE_TRY(bnre__target_init(&star->target, session, room));
    BNRE_TRY(bnre__moves_init(&star->moves, &star->target, all));
    BNRE_TRY(bnre__walkers_init(&star->first, others, &star->target));
    BNRE_TRY(bnre__walkers_init(&star->hub, 1, &star->target));
    BNRE_TRY(bnre__walkers_init(&star->walkers, all, &star->target));
    BNRE_NEW(star->strides, steps);
    BNRE_NEW(star->leap_ratio, steps * all);
    BNRE_NEW(star->leap_weight, steps * all);
    BNRE_NEW(star->place, others);
done:
    return status;
}

void bnre__star_clear(bnre__star *star)
{
    bnre__free(star->place);
    bnre__free(star->leap_weight);
    bnre__free(star->leap_ratio);
    bnre__free(star->strides);
    bnre__walkers_clear(&star->walkers);
    bnre__walkers_clear(&star->hub);
    bnre__walkers_clear(&star->first);
    bnre__moves_clear(&star->moves);
    bnre__target_clear(&star->target);
    *star = (bnre__star){0};
}

/* ---- what knows x alone ---- */

/* The sizes of steps start anew: not even those of other x matter. */
static void reset_sizes(bnre__moves *moves)
{
    const double m = (double)moves->target->m;

    moves->scale = 2.38 / sqrt(2 * m);
    moves->stride = 1 / pow(m, 0.25);
}

static bnre_status find(bnre__star *star, bnre_rng *rng)
{
    bnre__moves *moves = &star->moves;
    size_t stages;

    /* On the way one component will do, and what one member says. */
    moves->mixture.most = 1;
    star->target.rough = !moves->glides;
    BNRE_DO(bnre__anneal(
        moves, star->careful ? bnre__anneal_careful : bnre__anneal_brisk,
        BANK * star->others, rng, rng, &star->first, &stages));
    star->target.rough = 0;
    BNRE_DO(bnre__target_evaluate(&star->target, &star->first, 0));
    for (int i = 0; i < SETTLE; i++)
        BNRE_DO(bnre__moves_step(moves, &star->first, 1, 0.5, rng));
    moves->mixture.most = BNRE__MIXTURE_MOST;
    return bnre__moves_learn(moves, star->others, star->first.z, rng);
}

bnre_status bnre__star_tune(bnre__star *star, double tau, bnre_rng *rng)
{
    bnre_status status = BNRE_OK;

    star->tau = tau;
    star->leaps = 0;
    reset_sizes(&star->moves);
    BNRE_TRY(bnre_session_temper(star->target.session, tau));
    status = find(star, rng);
    star->lost = status == BNRE_ENUM;
    if (star->lost)
        status = BNRE_OK; /* who cannot find a posterior is not shown one */
    for (size_t i = 0; i < star->steps; i++)
        star->strides[i] = bnre__moves_strides(&star->moves, rng);
    BNRE_TRY(status);
    BNRE_TRY(bnre_session_temper(star->target.session, 1));
done:
    return status;
}

/* ---- what starts from theta* ---- */

static bnre_status go_back(bnre__star *star, double *own, bnre_rng *rng)
{
    bnre__target_to_real(&star->target, own, star->hub.z);
    BNRE_DO(bnre__target_evaluate(&star->target, &star->hub, 0));
    memcpy(own, star->hub.theta, star->target.dim * sizeof *own);
    for (size_t i = star->steps; i-- > 0;)
        BNRE_DO(bnre__moves_mirrored(&star->moves, &star->hub, star->strides[i],
                                     rng));
    return BNRE_OK;
}

static void keep_leaps(bnre__star *star)
{
    const size_t n = star->walkers.n;

    memcpy(star->leap_ratio + star->leaps, star->moves.leap_ratio,
           n * sizeof *star->leap_ratio);
    memcpy(star->leap_weight + star->leaps, star->moves.log_weight,
           n * sizeof *star->leap_weight);
    star->leaps += n;
}

static bnre_status go_forward(bnre__star *star, bnre_rng *rng)
{
    for (size_t k = 0; k < star->ends; k++)
        bnre__walkers_copy(&star->target, &star->walkers, k, &star->hub, 0);
    for (size_t k = 0; k < star->others; k++)
        bnre__walkers_copy(&star->target, &star->walkers, star->ends + k,
                           &star->first, k);
    star->leaps = 0;
    for (size_t i = 0; i < star->steps; i++) {
        BNRE_DO(bnre__moves_mirrored(&star->moves, &star->walkers,
                                     star->strides[i], rng));
        keep_leaps(star);
    }
    return BNRE_OK;
}

bnre_status bnre__star_draw(bnre__star *star, bnre_rng *rng, double *own,
                            double *theta)
{
    const size_t bytes = star->target.dim * sizeof *theta;

    if (star->lost) {
        for (size_t k = 0; k < star->ends; k++)
            memcpy(theta + k * star->target.dim, own, bytes);
        return BNRE_OK;
    }
    BNRE_DO(bnre_session_temper(star->target.session, star->tau));
    BNRE_DO(go_back(star, own, rng));
    BNRE_DO(go_forward(star, rng));
    BNRE_DO(bnre_session_temper(star->target.session, 1));
    memcpy(theta, star->walkers.theta, star->ends * bytes);
    return BNRE_OK;
}

/* ---- what the population tells ---- */

/* log q_tau / g of other k, g being the density of leaps. */
static double log_weight_of(const bnre__star *star, size_t k, double factor)
{
    const bnre__walkers *walkers = &star->walkers;

    return factor * walkers->ratio[star->ends + k] +
           walkers->base[star->ends + k] -
           bnre__moves_log_leap(&star->moves, walkers, star->ends + k);
}

/* log of the mean of exp() of leaps' weights: importance sampling. */
static double mean_of_leaps(const bnre__star *star, double extra)
{
    double top = -HUGE_VAL, sum = 0;

    for (size_t i = 0; i < star->leaps; i++)
        if (star->leap_weight[i] > -HUGE_VAL)
            top = fmax(top, star->leap_weight[i] + extra * star->leap_ratio[i]);
    if (top == -HUGE_VAL)
        return NAN;
    for (size_t i = 0; i < star->leaps; i++)
        if (star->leap_weight[i] > -HUGE_VAL)
            sum +=
                exp(star->leap_weight[i] + extra * star->leap_ratio[i] - top);
    return top + log(sum / (double)star->leaps);
}

/* Meng and Wong (Statistica Sinica 6, 1996): with w = p exp(tau l) / g, at n
   leaps from g and m others from q,

     Z = mean_g[w / (m w + n Z)] / mean_q[1 / (m w + n Z)],   Z = 1 in units of
   the last guess here. */
double bnre__star_evidence(const bnre__star *star, double tau)
{
    const double factor = tau / star->tau, extra = factor - 1;
    const double n = (double)star->leaps, m = (double)star->others;
    double log_z = star->lost ? (double)NAN : mean_of_leaps(star, extra);

    for (int round = 0; round < ROUNDS && isfinite(log_z); round++) {
        double above = 0, below = 0, total = 0;

        for (size_t i = 0; i < star->leaps; i++)
            if (star->leap_weight[i] > -HUGE_VAL)
                above += 1 / (m + n * exp(log_z - star->leap_weight[i] -
                                          extra * star->leap_ratio[i]));
        for (size_t k = 0; k < star->others; k++) {
            /* Others are of q at the tau of the chains. */
            const double share =
                exp(extra * (star->walkers.ratio[star->ends + k] -
                             star->walkers.ratio[star->ends]));

            total += share;
            below +=
                share / (m * exp(log_weight_of(star, k, factor) - log_z) + n);
        }
        log_z += log(above / n) - log(below / total);
    }
    return log_z;
}

static int falling(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

/* The share of the population that is denser, and a random part of what ties.
 */
static double place_of(const bnre__star *star, double density, bnre_rng *rng)
{
    size_t low = 0, high = star->others, ties = 0;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (star->place[middle] > density)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + ties < star->others && star->place[low + ties] == density)
        ties++;
    return ((double)low + bnre_rng_uniform(rng) * (double)(ties + 1)) /
           (double)(star->others + 1);
}

bnre__recall bnre__star_recall(bnre__star *star, double own, const double *end,
                               bnre_rng *rng)
{
    const bnre_prior *prior = star->target.prior;
    const bnre__walkers *walkers = &star->walkers;
    bnre__recall recall = {0.5, 0.5, 0};
    double sum = 0, squares = 0;

    if (star->lost)
        return recall;
    for (size_t k = 0; k < star->others; k++)
        star->place[k] =
            bnre_prior_log_density(
                prior, walkers->theta + (star->ends + k) * star->target.dim) +
            walkers->ratio[star->ends + k];
    qsort(star->place, star->others, sizeof *star->place, falling);
    recall.own = place_of(star, own, rng);
    for (size_t k = 0; k < star->ends; k++) {
        const double place = place_of(star, end[k], rng);

        sum += place;
        squares += place * place;
    }
    recall.mean = sum / (double)star->ends;
    recall.spread =
        12 * (squares / (double)star->ends - recall.mean * recall.mean);
    return recall;
}
