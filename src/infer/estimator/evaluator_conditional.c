/* evaluator_conditional.c - what evaluating conditional densities has beside
   ratios: a prior that is fitted or has conditions, gradients, draws. */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "infer/estimator/evaluator.h"
#include "num/streams.h"
#include "prior/prior.h"

/* ---- conditions of the prior ---- */

static int rejects(const bnre__evaluator *eval)
{
    const bnre__conditional *c = eval->est->conditional;

    return c != NULL && bnre__coordinates_reject(c->coordinates);
}

static uint64_t hash_of(const void *bytes, size_t n, uint64_t seed)
{
    bnre__hash hash;
    uint64_t out;

    bnre__hash_init(&hash, seed, 0, 0);
    bnre__hash_add(&hash, bytes, n);
    bnre__hash_end(&hash, &out);
    return out;
}

static void make_keys(bnre__evaluator *eval)
{
    for (size_t k = 0; k < eval->members; k++) {
        const bnre__member *member =
            &eval->est->member[eval->first + k * eval->step];

        eval->key[k] =
            hash_of(member->weights[member->uses],
                    eval->est->info.weights * sizeof **member->weights, 0);
    }
}

bnre_status bnre__evaluator_init_prior(bnre__evaluator *eval)
{
    const bnre__conditional *c = eval->est->conditional;
    bnre_status status = BNRE_OK;

    if (c != NULL && c->prior_chain != NULL) {
        BNRE_TRY(bnre__conditional_prior_plan(c, BNRE__EVALUATOR_BLOCK, 1,
                                              &eval->prior));
        BNRE_NEW(eval->log_prior, eval->block);
    }
    if (!rejects(eval))
        return BNRE_OK;
    BNRE_NEW(eval->mass, eval->members);
    BNRE_NEW(eval->log_mass, eval->pairs);
    BNRE_NEW(eval->key, eval->members);
    make_keys(eval);
    eval->precision = 1e-3;
done:
    return status;
}

void bnre__evaluator_weigh(bnre__evaluator *eval, size_t i)
{
    const bnre_estimator *est = eval->est;
    const size_t size = est->info.x_size;
    double mean = 0;

    for (size_t k = 0; k < eval->members; k++) {
        eval->mass[k] = bnre__conditional_mass(
            est->conditional, eval->chain[k], eval->widen, &eval->room,
            hash_of(eval->raw + i * size, size * sizeof *eval->raw,
                    eval->key[k]),
            eval->precision, eval->slope);
        mean += eval->mass[k] / (double)eval->members;
    }
    eval->log_mass[i] = log(mean);
}

/* Subtract the fitted density from all members' logits. */
static void subtract_prior(bnre__evaluator *eval, size_t n)
{
    const bnre_estimator *est = eval->est;

    bnre__conditional_log_ratio(est->conditional, eval->prior, 1, &eval->room,
                                n, eval->theta, NULL, eval->log_prior);
    for (size_t i = 0; i < eval->members * n; i++)
        eval->logit[i] -= eval->log_prior[i % n];
}

void bnre__evaluator_add_prior(bnre__evaluator *eval, size_t n,
                               const double *theta, int one_x)
{
    const bnre_estimator *est = eval->est;
    const bnre__conditional *c = est->conditional;

    if (eval->prior != NULL)
        subtract_prior(eval, n);
    if (c == NULL || !bnre__prior_is_constrained(c->prior))
        return;
    for (size_t i = 0; i < n; i++) {
        const double add =
            bnre__coordinates_log_share(c->coordinates,
                                        theta + i * est->info.dim_theta) -
            (eval->mass == NULL ? 0 : eval->log_mass[one_x ? 0 : i]);

        for (size_t k = 0; k < eval->members; k++)
            eval->logit[k * n + i] += (float)add;
    }
}

/* ---- gradients ---- */

bnre_status bnre__evaluator_prepare_chains(bnre__evaluator *eval)
{
    const bnre_estimator *est = eval->est;
    bnre_status status = BNRE_OK;

    if (eval->dtheta == NULL) {
        BNRE_NEW(eval->dc, BNRE__EVALUATOR_BLOCK * est->conditional->factors);
        BNRE_NEW(eval->dc_prior,
                 BNRE__EVALUATOR_BLOCK * est->conditional->factors);
        BNRE_NEW(eval->dtheta,
                 eval->members * BNRE__EVALUATOR_BLOCK * est->info.dim_theta);
    }
    for (size_t k = 0; k < eval->members; k++) {
        if (eval->chain_back[k] == NULL)
            BNRE_TRY(
                bnre__evaluator_make_chain(eval, k, 1, &eval->chain_back[k]));
        bnre__chain_observe(eval->chain_back[k], 1, bnre__evaluator_x(eval, k));
    }
    eval->ready = 1;
done:
    return status;
}

bnre_status bnre__evaluator_slopes(bnre__evaluator *eval, size_t n,
                                   const double *theta)
{
    const bnre_estimator *est = eval->est;
    const bnre__conditional *c = est->conditional;
    const size_t dim = est->info.dim_theta;

    if (eval->prior != NULL)
        BNRE_DO(bnre__conditional_gradient(c, eval->prior, 1, &eval->room, n,
                                           eval->theta, eval->log_prior,
                                           eval->dc_prior));
    for (size_t k = 0; k < eval->members; k++) {
        double *dtheta = eval->dtheta + k * n * dim;

        BNRE_DO(bnre__conditional_gradient(c, eval->chain_back[k], eval->widen,
                                           &eval->room, n, eval->theta,
                                           eval->logit + k * n, eval->dc));
        for (size_t i = 0; eval->prior != NULL && i < n * c->factors; i++)
            eval->dc[i] -= eval->dc_prior[i];
        for (size_t i = 0; i < n; i++)
            bnre__coordinates_back(c->coordinates, theta + i * dim,
                                   eval->dc + i * c->factors, dtheta + i * dim);
    }
    return BNRE_OK;
}

/* ---- draws ---- */

/* Draws that are still to be made: an ensemble is the mixture of its members, so
   each draw takes one of them by chance, and again where the constraints of the
   prior reject it. */
struct draws {
    size_t n;
    size_t *row;      /* (block): where the draw goes, */
    uint32_t *x;      /* of which x it is, */
    uint32_t *member; /* and whose */
    bnre_rng *rng;
};

static bnre_status init_draws(struct draws *draws, size_t block)
{
    bnre_status status = BNRE_OK;

    BNRE_NEW(draws->row, block);
    BNRE_NEW(draws->x, block);
    BNRE_NEW(draws->member, block);
    BNRE_NEW(draws->rng, block);
done:
    return status;
}

static void clear_draws(struct draws *draws)
{
    bnre__free(draws->rng);
    bnre__free(draws->member);
    bnre__free(draws->x);
    bnre__free(draws->row);
}

static void add_draw(struct draws *draws, size_t row, uint32_t x,
                     const bnre_rng *rng)
{
    draws->row[draws->n] = row;
    draws->x[draws->n] = x;
    draws->rng[draws->n++] = *rng;
}

/* Those of a member, in their order. */
static void take_draws(const struct draws *waiting, uint32_t member,
                       struct draws *own)
{
    own->n = 0;
    for (size_t i = 0; i < waiting->n; i++)
        if (waiting->member[i] == member)
            add_draw(own, waiting->row[i], waiting->x[i], &waiting->rng[i]);
}

/* One trial for all that are waiting; those that are rejected wait again, in
   `again`. */
static void try_draws(bnre__evaluator *eval, struct draws *waiting,
                      struct draws *own, struct draws *again, double *theta)
{
    const bnre_estimator *est = eval->est;
    const size_t dim = est->info.dim_theta;

    for (size_t i = 0; i < waiting->n; i++)
        waiting->member[i] =
            (uint32_t)bnre_rng_below(&waiting->rng[i], eval->members);
    again->n = 0;
    for (size_t k = 0; k < eval->members; k++) {
        take_draws(waiting, (uint32_t)k, own);
        if (own->n > 0)
            bnre__conditional_draw(est->conditional, eval->chain[k],
                                   eval->widen, &eval->room, own->n, own->x,
                                   own->rng, eval->drawn);
        for (size_t i = 0; i < own->n; i++) {
            const double *one = eval->drawn + i * dim;

            memcpy(theta + own->row[i] * dim, one, dim * sizeof *theta);
            if (bnre_prior_log_density(est->conditional->prior, one) ==
                -HUGE_VAL)
                add_draw(again, own->row[i], own->x[i], &own->rng[i]);
        }
    }
}

/* Draws first, first + 1, ... with a seed for each x, n of each. */
static bnre_status draw_all(bnre__evaluator *eval, const uint64_t *seed,
                            uint64_t first, size_t n, double *theta)
{
    enum { TRIALS = 1000 };
    const size_t all = eval->observed * n;
    bnre_status status = BNRE_OK;
    struct draws part[3] = {{0}}, *waiting = &part[0], *again = &part[1];

    if (eval->drawn == NULL)
        BNRE_NEW(eval->drawn, eval->block * eval->est->info.dim_theta);
    for (size_t i = 0; i < 3; i++)
        BNRE_TRY(init_draws(&part[i], all < eval->block ? all : eval->block));
    for (size_t done = 0, rows; done < all; done += rows) {
        rows = all - done < eval->block ? all - done : eval->block;
        waiting->n = 0;
        for (size_t i = done; i < done + rows; i++) {
            const bnre_rng rng = bnre_rng_stream(
                seed[i / n], bnre__purpose(BNRE_USE_DRAW, BNRE_SPLIT_TEST),
                first + i % n);

            add_draw(waiting, i, (uint32_t)(i / n), &rng);
        }
        for (int trial = 0; waiting->n > 0 && trial < TRIALS; trial++) {
            struct draws *const keep = waiting;

            try_draws(eval, waiting, &part[2], again, theta);
            waiting = again;
            again = keep;
        }
        if (waiting->n > 0)
            BNRE_THROW(BNRE_ENUM,
                       "none of %d draws of the posterior fulfils the "
                       "constraints of the prior: it was not learned that they "
                       "hold; more simulations may help",
                       TRIALS);
    }
done:
    for (size_t i = 0; i < 3; i++)
        clear_draws(&part[i]);
    return status;
}

bnre_status bnre__evaluator_draw(bnre__evaluator *eval, uint64_t seed,
                                 uint64_t first, size_t n, double *theta)
{
    return draw_all(eval, &seed, first, n, theta);
}

bnre_status bnre__evaluator_draw_many(bnre__evaluator *eval,
                                      const uint64_t *seed, size_t n,
                                      double *theta)
{
    return draw_all(eval, seed, 0, n, theta);
}
