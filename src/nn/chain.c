/* chain.c - passes of a chain: a network for each parameter, given those before
   it. */
#include "nn/chain_parts.h"

#include <string.h>

#include "base/float_mode.h"
#include "base/mem.h"
#include "nn/adam.h"
#include "nn/embed.h"
#include "nn/mlp/mlp.h"
#include "nn/net.h"
#include "nn/plain.h"
#include "nn/plan.h"

struct bnre__chain_plan {
    const bnre__chain *chain;
    size_t batch, n;
    bnre_pool *pool;
    uint64_t steps;

    bnre__plain **plain; /* (factors): whole nets layer by layer; or NULL */
    bnre__mlp **head;    /* (factors) */
    const bnre__embed_type *type;
    void *embed;

    float *w, *dw, *m, *v; /* all; the heads' when they are asked for */
    float *theta, *dtheta; /* (batch, widest): what a head sees of it */
    size_t observed, told; /* how many x, and with `first` for so many */
    float *x;     /* when plain (2, batch, x size): these, and of rows */
    float *first; /* (batch, outputs) of the first factor for each */
    float *dphi, *dphi_sum;
    uint32_t *index; /* (2, batch): 0, 1, ... and 0, 0, ... */
};

/* ---- plans ---- */

static int fits(const bnre__chain *chain)
{
    for (size_t j = 0; j < chain->factors; j++)
        if (!bnre__mlp_fits(chain->net[j]))
            return 0;
    return 1;
}

static bnre_status make_fast(bnre__chain_plan *plan,
                             const bnre__plan_opts *opts)
{
    const bnre__chain *chain = plan->chain;
    bnre__mlp_opts head = {.observations = plan->batch,
                           .pairs = plan->batch,
                           .train = opts->train,
                           .pool = opts->pool};
    const bnre__embed_opts embed = {
        .batch = plan->batch, .train = opts->train, .pool = opts->pool};
    bnre_status status = BNRE_OK;

    BNRE_NEW(plan->head, chain->factors);
    /* The last has the most inputs, and in passes one by one room for all. */
    for (size_t j = chain->factors; j-- > 0;) {
        BNRE_TRY(bnre__mlp_create(chain->net[j], &head, &plan->head[j]));
        if (!opts->train)
            head.share = plan->head[chain->factors - 1];
    }
    plan->type = bnre__embed_choose(chain->net[0], opts->train);
    BNRE_TRY(plan->type->create(chain->net[0], &embed, &plan->embed));
done:
    return status;
}

static bnre_status make_plain(bnre__chain_plan *plan)
{
    const bnre__chain *chain = plan->chain;
    bnre_status status = BNRE_OK;

    BNRE_NEW(plan->plain, chain->factors);
    for (size_t j = 0; j < chain->factors; j++)
        BNRE_TRY(
            bnre__plain_create(chain->net[j], plan->batch, &plan->plain[j]));
done:
    return status;
}

static bnre_status make_room(bnre__chain_plan *plan, int train)
{
    const bnre__chain *chain = plan->chain;
    const bnre__net *net = chain->net[0];
    const size_t phi = plan->batch * net->embedding->out.size;
    const size_t widest = chain->net[chain->factors - 1]->dim_theta;
    bnre_status status = BNRE_OK;

    BNRE_NEW(plan->w, chain->weights);
    BNRE_NEW(plan->theta, plan->batch * (widest + 1));
    if (train)
        BNRE_NEW(plan->dtheta, plan->batch * (widest + 1));
    if (plan->plain != NULL)
        BNRE_NEW(plan->x, 2 * plan->batch * net->x.size);
    BNRE_NEW(plan->first, plan->batch * chain->outputs);
    BNRE_NEW(plan->index, 2 * plan->batch);
    for (size_t i = 0; i < plan->batch; i++)
        plan->index[i] = (uint32_t)i;
    if (train) {
        BNRE_NEW(plan->dw, chain->weights);
        BNRE_NEW(plan->m, chain->weights);
        BNRE_NEW(plan->v, chain->weights);
        BNRE_NEW(plan->dphi, phi);
        BNRE_NEW(plan->dphi_sum, phi);
    }
done:
    return status;
}

bnre_status bnre__chain_plan_create(const bnre__chain *chain,
                                    const bnre__plan_opts *opts,
                                    bnre__chain_plan **out)
{
    bnre__chain_plan *plan = NULL;
    bnre_status status = BNRE_OK;

    *out = NULL;
    if (opts->batch == 0)
        return bnre_fail(BNRE_EINVAL, "a plan needs a batch of 1 or more");
    BNRE_TRY(bnre__kernels_check());
    BNRE_NEW(plan, 1);
    plan->chain = chain;
    plan->batch = opts->batch;
    plan->pool = opts->pool;
    if (!opts->plain && fits(chain))
        BNRE_TRY(make_fast(plan, opts));
    else
        BNRE_TRY(make_plain(plan));
    BNRE_TRY(make_room(plan, opts->train));
    *out = plan;
    plan = NULL;
done:
    bnre__chain_plan_destroy(plan);
    return status;
}

void bnre__chain_plan_destroy(bnre__chain_plan *plan)
{
    if (plan == NULL)
        return;
    bnre__free(plan->index);
    bnre__free(plan->dphi_sum);
    bnre__free(plan->dphi);
    bnre__free(plan->first);
    bnre__free(plan->x);
    bnre__free(plan->dtheta);
    bnre__free(plan->theta);
    bnre__free(plan->v);
    bnre__free(plan->m);
    bnre__free(plan->dw);
    bnre__free(plan->w);
    if (plan->type != NULL)
        plan->type->destroy(plan->embed);
    for (size_t j = 0; j < plan->chain->factors; j++) {
        if (plan->head != NULL)
            bnre__mlp_destroy(plan->head[j]);
        if (plan->plain != NULL)
            bnre__plain_destroy(plan->plain[j]);
    }
    bnre__free(plan->head);
    bnre__free(plan->plain);
    bnre__free(plan);
}

/* ---- weights in and out ---- */

/* Copy the heads' blocks between the engines and one of ours. */
static void set_heads(bnre__chain_plan *plan, bnre__mlp_block which,
                      const float *all)
{
    for (size_t j = 0; plan->head != NULL && j < plan->chain->factors; j++)
        bnre__mlp_set(plan->head[j], which,
                      bnre__chain_as_net(plan->chain, j, all));
}

static void get_heads(const bnre__chain_plan *plan, bnre__mlp_block which,
                      float *all)
{
    for (size_t j = 0; plan->head != NULL && j < plan->chain->factors; j++)
        bnre__mlp_get(plan->head[j], which,
                      bnre__chain_as_net(plan->chain, j, all));
}

/* The plain nets have the embedding once each. */
static void set_plain(bnre__chain_plan *plan)
{
    const bnre__chain *chain = plan->chain;

    for (size_t j = 0; j < chain->factors; j++) {
        float *w = plan->plain[j]->w;

        memcpy(w, plan->w, chain->embedding * sizeof *w);
        memcpy(w + chain->embedding, plan->w + chain->head_at[j],
               (chain->net[j]->weights - chain->embedding) * sizeof *w);
    }
}

static void set_engines(bnre__chain_plan *plan, const float *buffers)
{
    if (plan->head != NULL) {
        set_heads(plan, BNRE__MLP_WEIGHTS, plan->w);
        plan->type->set(plan->embed, plan->w, buffers);
        return;
    }
    set_plain(plan);
    if (buffers == NULL || plan->chain->buffers == 0)
        return;
    for (size_t j = 0; j < plan->chain->factors; j++)
        memcpy(plan->plain[j]->buffer, buffers,
               plan->chain->buffers * sizeof *buffers);
}

void bnre__chain_set(bnre__chain_plan *plan, const float *weights,
                     const float *buffers)
{
    memcpy(plan->w, weights, plan->chain->weights * sizeof *weights);
    set_engines(plan, buffers);
}

void bnre__chain_get(const bnre__chain_plan *plan, float *weights,
                     float *buffers)
{
    memcpy(weights, plan->w, plan->chain->weights * sizeof *weights);
    get_heads(plan, BNRE__MLP_WEIGHTS, weights);
    if (plan->head != NULL)
        plan->type->get_buffers(plan->embed, buffers);
    else if (plan->chain->buffers > 0)
        memcpy(buffers, plan->plain[0]->buffer,
               plan->chain->buffers * sizeof *buffers);
}

void bnre__chain_set_moments(bnre__chain_plan *plan, const float *first,
                             const float *second, uint64_t steps)
{
    const size_t bytes = plan->chain->weights * sizeof *first;

    memcpy(plan->m, first, bytes);
    memcpy(plan->v, second, bytes);
    plan->steps = steps;
    set_heads(plan, BNRE__MLP_FIRST_MOMENT, first);
    set_heads(plan, BNRE__MLP_SECOND_MOMENT, second);
}

void bnre__chain_get_moments(const bnre__chain_plan *plan, float *first,
                             float *second, uint64_t *steps)
{
    const size_t bytes = plan->chain->weights * sizeof *first;

    memcpy(first, plan->m, bytes);
    memcpy(second, plan->v, bytes);
    *steps = plan->steps;
    get_heads(plan, BNRE__MLP_FIRST_MOMENT, first);
    get_heads(plan, BNRE__MLP_SECOND_MOMENT, second);
}

/* ---- passes of pairs ---- */

/* The first `count` values of each row, as a factor's head has them. */
static const float *first_values(bnre__chain_plan *plan, size_t n,
                                 const float *theta, size_t stride,
                                 size_t count)
{
    if (plan->chain->net[count]->levels != NULL) {
        bnre__net_widen(plan->chain->net[count], n, stride, theta, plan->theta);
        return plan->theta;
    }
    for (size_t i = 0; count > 0 && i < n; i++)
        memcpy(plan->theta + i * count, theta + i * stride,
               count * sizeof *theta);
    return plan->theta;
}

void bnre__chain_forward(bnre__chain_plan *plan, int train, size_t n,
                         const float *theta, const float *x, float *out)
{
    const bnre__float_mode mode = bnre__float_mode_flush();
    const bnre__chain *chain = plan->chain;
    const float *phi = NULL;

    plan->n = n;
    if (plan->head != NULL)
        phi = plan->type->forward(plan->embed, n, x, train);
    for (size_t j = 0; j < chain->factors; j++) {
        const float *seen = first_values(plan, n, theta, chain->factors, j);
        float *to = out + j * n * chain->outputs;

        if (plan->head == NULL) {
            /* Engines of embeddings count a pass in training twice. */
            bnre__plain_forward(plan->plain[j], 0, 2 * train, n, seen, x, to);
            continue;
        }
        bnre__mlp_observe(plan->head[j], n, phi);
        bnre__mlp_forward(plan->head[j], n, seen, plan->index, to);
    }
    bnre__float_mode_set(mode);
}

/* Into plan->dw for plain nets, and for the embedding of fast ones. */
static void backward_plain(bnre__chain_plan *plan, const float *dout)
{
    const bnre__chain *chain = plan->chain;

    memset(plan->dw, 0, chain->weights * sizeof *plan->dw);
    for (size_t j = 0; j < chain->factors; j++) {
        const size_t head = chain->net[j]->weights - chain->embedding;
        float *dw = plan->plain[j]->dw;

        memset(dw, 0, chain->net[j]->weights * sizeof *dw);
        bnre__plain_backward(plan->plain[j], 0,
                             dout + j * plan->n * chain->outputs, NULL, NULL);
        for (size_t i = 0; i < chain->embedding; i++)
            plan->dw[i] += dw[i];
        memcpy(plan->dw + chain->head_at[j], dw + chain->embedding,
               head * sizeof *dw);
    }
}

static void backward_fast(bnre__chain_plan *plan, const float *dout)
{
    const bnre__chain *chain = plan->chain;
    const size_t phi = plan->n * chain->net[0]->embedding->out.size;
    float *const dphi = chain->embedding > 0 ? plan->dphi : NULL;

    for (size_t j = 0; j < chain->factors; j++) {
        bnre__mlp_backward(plan->head[j], dout + j * plan->n * chain->outputs,
                           dphi, NULL);
        for (size_t i = 0; dphi != NULL && i < phi; i++)
            plan->dphi_sum[i] = dphi[i] + (j == 0 ? 0 : plan->dphi_sum[i]);
    }
    if (dphi != NULL)
        plan->type->backward(plan->embed, plan->dphi_sum, plan->dw, NULL);
}

static void backward(bnre__chain_plan *plan, const float *dout)
{
    if (plan->head != NULL)
        backward_fast(plan, dout);
    else
        backward_plain(plan, dout);
}

/* The heads' part of the gradient too. */
static void collect_gradient(bnre__chain_plan *plan)
{
    for (size_t j = 0; plan->head != NULL && j < plan->chain->factors; j++)
        bnre__mlp_gradient(plan->head[j],
                           bnre__chain_as_net(plan->chain, j, plan->dw));
}

void bnre__chain_gradient(bnre__chain_plan *plan, const float *dout,
                          float *gradient)
{
    const bnre__float_mode mode = bnre__float_mode_flush();

    backward(plan, dout);
    collect_gradient(plan);
    memcpy(gradient, plan->dw, plan->chain->weights * sizeof *gradient);
    bnre__float_mode_set(mode);
}

/* By the plain optimiser, from a gradient that is known as a whole. */
static void update_whole(bnre__chain_plan *plan, const bnre__adam *adam)
{
    const size_t n = plan->chain->weights;
    uint64_t steps;
    double factor;

    collect_gradient(plan);
    factor = bnre__clip_factor(adam, n, plan->dw);
    for (size_t i = 0; factor < 1 && i < n; i++)
        plan->dw[i] = (float)(factor * (double)plan->dw[i]);
    get_heads(plan, BNRE__MLP_WEIGHTS, plan->w);
    bnre__chain_get_moments(plan, plan->m, plan->v, &steps);
    bnre__adam_step(adam, plan->steps, n, plan->dw, plan->w, plan->m, plan->v);
    set_engines(plan, NULL);
    bnre__chain_set_moments(plan, plan->m, plan->v, plan->steps);
}

void bnre__chain_update(bnre__chain_plan *plan, const float *dout,
                        const bnre__adam *adam)
{
    const bnre__float_mode mode = bnre__float_mode_flush();
    const bnre__adam_rates rates = bnre__adam_rates_of(adam, plan->steps + 1);

    backward(plan, dout);
    plan->steps++;
    if (adam->clip > 0 || plan->head == NULL) {
        update_whole(plan, adam);
    } else {
        for (size_t j = 0; j < plan->chain->factors; j++)
            bnre__mlp_update(plan->head[j], adam, plan->steps);
        bnre__adam_block(bnre__kernels_best(), plan->pool, &rates,
                         plan->chain->embedding, plan->dw, plan->w, plan->m,
                         plan->v);
        if (plan->chain->embedding > 0)
            plan->type->set(plan->embed, plan->w, NULL);
    }
    bnre__float_mode_set(mode);
}

/* ---- observations that stay ---- */

void bnre__chain_observe(bnre__chain_plan *plan, size_t n, const float *x)
{
    const bnre__float_mode mode = bnre__float_mode_flush();
    const size_t size = plan->chain->net[0]->x.size;
    const float *phi = NULL;

    plan->observed = n;
    plan->told = 0;
    if (plan->head == NULL)
        memcpy(plan->x, x, n * size * sizeof *x);
    else
        phi = plan->type->forward(plan->embed, n, x, 0);
    for (size_t j = 0; phi != NULL && j < plan->chain->factors; j++)
        bnre__mlp_observe(plan->head[j], n, phi);
    bnre__float_mode_set(mode);
}

/* Of n <= batch rows, each with an x of those observed. */
static void run_factor(bnre__chain_plan *plan, size_t factor, size_t n,
                       const float *theta, size_t stride, const uint32_t *index,
                       float *out)
{
    const size_t size = plan->chain->net[0]->x.size;
    const float *seen = first_values(plan, n, theta, stride, factor);
    float *x;

    if (plan->head != NULL) {
        bnre__mlp_forward(plan->head[factor], n, seen, index, out);
        return;
    }
    x = plan->x + plan->batch * size;
    for (size_t i = 0; i < n; i++)
        memcpy(x + i * size, plan->x + index[i] * size, size * sizeof *x);
    bnre__plain_forward(plan->plain[factor], 0, 0, n, seen, x, out);
}

/* Run once for each x. */
const float *bnre__chain_first(bnre__chain_plan *plan)
{
    const bnre__float_mode mode = bnre__float_mode_flush();

    if (plan->told == 0)
        run_factor(plan, 0, plan->observed, plan->theta, 0, plan->index,
                   plan->first);
    plan->told = plan->observed;
    bnre__float_mode_set(mode);
    return plan->first;
}

static void copy_first(bnre__chain_plan *plan, size_t n, const uint32_t *index,
                       float *out)
{
    const size_t outputs = plan->chain->outputs;
    const float *first = bnre__chain_first(plan);

    for (size_t i = 0; i < n; i++)
        memcpy(out + i * outputs,
               first + (index == NULL ? 0 : index[i]) * outputs,
               outputs * sizeof *out);
}

void bnre__chain_factor(bnre__chain_plan *plan, size_t factor, size_t n,
                        const float *theta, size_t stride,
                        const uint32_t *index, float *out)
{
    bnre__float_mode mode;

    if (factor == 0) {
        copy_first(plan, n, index, out);
        return;
    }
    mode = bnre__float_mode_flush();
    for (size_t i = 0, rows; i < n; i += rows) {
        rows = n - i < plan->batch ? n - i : plan->batch;
        run_factor(plan, factor, rows, theta + i * stride, stride,
                   index ? index + i : plan->index + plan->batch,
                   out + i * plan->chain->outputs);
    }
    bnre__float_mode_set(mode);
}

void bnre__chain_factor_back(bnre__chain_plan *plan, size_t factor, size_t n,
                             const float *dout, float *dtheta)
{
    const bnre__float_mode mode = bnre__float_mode_flush();
    const bnre__net *net = plan->chain->net[factor];
    float *to = net->levels != NULL ? plan->dtheta : dtheta;

    if (plan->head == NULL)
        bnre__plain_backward(plan->plain[factor], 0, dout, to, NULL);
    else
        bnre__mlp_backward(plan->head[factor], dout, NULL, to);
    if (net->levels != NULL)
        bnre__net_narrow(net, n, to, dtheta);
    bnre__float_mode_set(mode);
}
