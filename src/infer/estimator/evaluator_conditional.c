/* evaluator_conditional.c - what evaluating conditional densities has beside
   ratios: a prior that is fitted or has conditions, and gradients. */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "infer/estimator/evaluator.h"
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
