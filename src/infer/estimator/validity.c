/* validity.c - how probable it is that a simulation gives a result. */
#include "infer/estimator/validity.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "bnre/settings.h"
#include "nn/net.h"
#include "num/sigmoid.h"

enum { PARTS = BNRE__VALIDITY_PARTS };

bnre_status bnre__validity_create(size_t factors, size_t sets,
                                  bnre__validity **out)
{
    const bnre__net_input input = {
        .dim_theta = 1, .ndim = 1, .shape = &factors, .outputs = 1};
    bnre_status status = BNRE_OK;
    bnre__validity *v = NULL;
    bnre_node *network = NULL;

    *out = NULL;
    BNRE_NEW(v, 1);
    v->factors = factors;
    v->sets = sets;
    BNRE_TRY(bnre_yaml_parse("head: {hidden: [32, 32], activation: elu}", NULL,
                             &network));
    BNRE_TRY(bnre__chain_create(network, &input, &v->chain));
    BNRE_NEW(v->weights, sets * PARTS * bnre__chain_weights(v->chain));
    BNRE_NEW(v->share, sets);
    *out = v;
    v = NULL;
done:
    bnre_node_destroy(network);
    bnre__validity_destroy(v);
    return status;
}

void bnre__validity_destroy(bnre__validity *v)
{
    if (v == NULL)
        return;
    bnre__free(v->share);
    bnre__free(v->weights);
    bnre__chain_destroy(v->chain);
    bnre__free(v);
}

size_t bnre__validity_part(const bnre__validity *v, const float *seen)
{
    bnre__hash hash;
    uint64_t out;

    bnre__hash_init(&hash, 0, 0, 0);
    bnre__hash_add(&hash, seen, v->factors * sizeof *seen);
    bnre__hash_end(&hash, &out);
    return (size_t)(out % PARTS);
}

float *bnre__validity_at(const bnre__validity *v, size_t set, size_t part)
{
    return v->weights + (set * PARTS + part) * bnre__chain_weights(v->chain);
}

bnre_status bnre__validity_plan_init(bnre__validity_plan *plan,
                                     const bnre__validity *v, size_t set,
                                     size_t batch)
{
    const bnre__plan_opts opts = {.batch = batch};
    bnre_status status = BNRE_OK;

    *plan = (bnre__validity_plan){.validity = v,
                                  .first = set == BNRE__ALL_SETS ? 0 : set,
                                  .sets = set == BNRE__ALL_SETS ? v->sets : 1,
                                  .batch = batch};
    BNRE_NEW(plan->plan, plan->sets * PARTS);
    BNRE_NEW(plan->nothing, batch);
    BNRE_NEW(plan->logit, batch);
    for (size_t k = 0; k < plan->sets * PARTS; k++) {
        BNRE_TRY(bnre__chain_plan_create(v->chain, &opts, &plan->plan[k]));
        bnre__chain_set(
            plan->plan[k],
            bnre__validity_at(v, plan->first + k / PARTS, k % PARTS), NULL);
    }
done:
    return status;
}

void bnre__validity_plan_clear(bnre__validity_plan *plan)
{
    for (size_t k = 0; plan->plan != NULL && k < plan->sets * PARTS; k++)
        bnre__chain_plan_destroy(plan->plan[k]);
    bnre__free(plan->logit);
    bnre__free(plan->nothing);
    bnre__free(plan->plan);
    *plan = (bnre__validity_plan){0};
}

void bnre__validity_of(bnre__validity_plan *plan, int own, size_t n,
                       const float *seen, double *p)
{
    const bnre__validity *v = plan->validity;
    const double each =
        1 / (double)(own ? plan->sets : plan->sets * (size_t)PARTS);

    memset(p, 0, n * sizeof *p);
    for (size_t k = 0; k < plan->sets * PARTS; k++) {
        bnre__chain_forward(plan->plan[k], 0, n, plan->nothing, seen,
                            plan->logit);
        for (size_t i = 0; i < n; i++)
            if (!own ||
                bnre__validity_part(v, seen + i * v->factors) == k % PARTS)
                p[i] += each * bnre__sigmoid((double)plan->logit[i]);
    }
    for (size_t i = 0; i < n; i++)
        p[i] = fmax(p[i], BNRE__LEAST_VALID);
}
