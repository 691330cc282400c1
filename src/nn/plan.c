/* plan.c - how a network is run.

   The head goes through the fast engine (mlp.h) where it fits; phi(x) is then
   computed once for the joint and the marginal pair, and once per observation,
   by one of the engines of embed.h. Other nets are run plainly as a whole.

   Denormal numbers count as zero from the entry of a function of this file that
   computes to its exit, in all threads alike. */
#include <string.h>

#include "base/float_mode.h"
#include "base/mem.h"
#include "nn/adam.h"
#include "nn/embed.h"
#include "nn/mlp/mlp.h"
#include "nn/net.h"
#include "nn/plain.h"
#include "nn/plan.h"

struct bnre__plan {
    const bnre__net *net;
    size_t batch;
    uint64_t steps;

    bnre__plain *plain; /* the whole net, or NULL */
    bnre__mlp *mlp;     /* the head, or NULL */

    /* Beside the fast head: the embedding's weights are the first of w. */
    const bnre__embed_type *type;
    void *embed;
    bnre_pool *pool;
    float *w, *dw;
    float *dphi;     /* (observations, phi) */
    float *dphi_sum; /* (phi): of one observation */
    uint32_t *index; /* (2 batch): observation of each pair */

    float *m, *v;    /* moments, all of the net; of the head only when plain */
    size_t n;        /* simulations of the last training pass, */
    int both;        /* and whether it had marginal pairs */
    float *theta;    /* (2 batch, dim_theta) */
    float *dtheta;   /* likewise, where there are categories */
    float *logits;   /* (2 batch) */
    float *dlogits;  /* (2 batch) */
    float *gathered; /* one x, or (batch, x) when plain: x of the pairs */
    float *gradient; /* all of the net, for clipping */
    float *spare;    /* (batch, x) when plain: dx of the rows */
};

/* ---- making ---- */

static bnre_status make_fast(bnre__plan *plan, const bnre__plan_opts *opts)
{
    bnre_status status = BNRE_OK;
    const bnre__net *net = plan->net;
    const size_t observations =
        opts->observations > 0 ? opts->observations : plan->batch;

    BNRE_TRY(bnre__mlp_create(net,
                              &(bnre__mlp_opts){.observations = observations,
                                                .pairs = 2 * plan->batch,
                                                .train = opts->train,
                                                .pool = opts->pool},
                              &plan->mlp));
    plan->pool = opts->pool;
    plan->type = bnre__embed_choose(net, opts->train);
    BNRE_TRY(plan->type->create(net,
                                &(bnre__embed_opts){.batch = observations,
                                                    .train = opts->train,
                                                    .pool = opts->pool},
                                &plan->embed));
    BNRE_NEW(plan->w, net->weights);
    BNRE_NEW(plan->index, 2 * plan->batch);
    BNRE_NEW(plan->gathered, net->x.size);
    if (opts->train) {
        BNRE_NEW(plan->dw, net->embedding->weights);
        BNRE_NEW(plan->dphi, observations * net->embedding->out.size);
        BNRE_NEW(plan->dphi_sum, net->embedding->out.size);
    }
done:
    return status;
}

static bnre_status make_plain(bnre__plan *plan, const bnre__plan_opts *opts)
{
    bnre_status status = BNRE_OK;
    const size_t size = plan->batch * plan->net->x.size;

    BNRE_TRY(bnre__plain_create(plan->net, plan->batch, &plan->plain));
    BNRE_NEW(plan->gathered, size);
    if (opts->train)
        BNRE_NEW(plan->spare, size);
done:
    return status;
}

bnre_status bnre__plan_create(const bnre__net *net, const bnre__plan_opts *opts,
                              bnre__plan **out)
{
    bnre_status status = BNRE_OK;
    bnre__plan *plan = NULL;

    *out = NULL;
    if (opts->batch == 0)
        return bnre_fail(BNRE_EINVAL, "a plan needs a batch of 1 or more");
    if (net->outputs != 1)
        return bnre_fail(BNRE_EINVAL, "a plan is for nets with one output");
    BNRE_TRY(bnre__kernels_check());
    BNRE_NEW(plan, 1);
    plan->net = net;
    plan->batch = opts->batch;
    if (!opts->plain && bnre__mlp_fits(net))
        BNRE_TRY(make_fast(plan, opts));
    else
        BNRE_TRY(make_plain(plan, opts));
    BNRE_NEW(plan->theta, 2 * plan->batch * net->dim_theta);
    if (opts->train && net->levels != NULL)
        BNRE_NEW(plan->dtheta, 2 * plan->batch * net->dim_theta);
    BNRE_NEW(plan->logits, 2 * plan->batch);
    if (opts->train) {
        BNRE_NEW(plan->m, net->weights);
        BNRE_NEW(plan->v, net->weights);
        BNRE_NEW(plan->gradient, net->weights);
        BNRE_NEW(plan->dlogits, 2 * plan->batch);
    }
    *out = plan;
    plan = NULL;
done:
    bnre__plan_destroy(plan);
    return status;
}

void bnre__plan_destroy(bnre__plan *plan)
{
    if (plan == NULL)
        return;
    bnre__free(plan->spare);
    bnre__free(plan->gradient);
    bnre__free(plan->gathered);
    bnre__free(plan->dlogits);
    bnre__free(plan->logits);
    bnre__free(plan->dtheta);
    bnre__free(plan->theta);
    bnre__free(plan->v);
    bnre__free(plan->m);
    bnre__free(plan->index);
    bnre__free(plan->dphi_sum);
    bnre__free(plan->dphi);
    bnre__free(plan->dw);
    bnre__free(plan->w);
    if (plan->type != NULL)
        plan->type->destroy(plan->embed);
    bnre__mlp_destroy(plan->mlp);
    bnre__plain_destroy(plan->plain);
    bnre__free(plan);
}

/* ---- weights in and out ---- */

static float *weights_of(const bnre__plan *plan)
{
    return plan->plain != NULL ? plan->plain->w : plan->w;
}

void bnre__plan_set(bnre__plan *plan, const float *weights,
                    const float *buffers)
{
    const bnre__net *net = plan->net;

    memcpy(weights_of(plan), weights, net->weights * sizeof *weights);
    if (plan->mlp != NULL) {
        bnre__mlp_set(plan->mlp, BNRE__MLP_WEIGHTS, weights);
        plan->type->set(plan->embed, plan->w, buffers);
    } else if (net->buffers > 0) {
        memcpy(plan->plain->buffer, buffers, net->buffers * sizeof *buffers);
    }
}

void bnre__plan_get(const bnre__plan *plan, float *weights, float *buffers)
{
    const bnre__net *net = plan->net;

    memcpy(weights, weights_of(plan), net->weights * sizeof *weights);
    if (plan->mlp != NULL) {
        bnre__mlp_get(plan->mlp, BNRE__MLP_WEIGHTS, weights);
        plan->type->get_buffers(plan->embed, buffers);
    } else if (net->buffers > 0) {
        memcpy(buffers, plan->plain->buffer, net->buffers * sizeof *buffers);
    }
}

void bnre__plan_set_moments(bnre__plan *plan, const float *first,
                            const float *second, uint64_t steps)
{
    const size_t bytes = plan->net->weights * sizeof *first;

    memcpy(plan->m, first, bytes);
    memcpy(plan->v, second, bytes);
    plan->steps = steps;
    if (plan->mlp == NULL)
        return;
    bnre__mlp_set(plan->mlp, BNRE__MLP_FIRST_MOMENT, first);
    bnre__mlp_set(plan->mlp, BNRE__MLP_SECOND_MOMENT, second);
}

void bnre__plan_get_moments(const bnre__plan *plan, float *first, float *second,
                            uint64_t *steps)
{
    const size_t bytes = plan->net->weights * sizeof *first;

    memcpy(first, plan->m, bytes);
    memcpy(second, plan->v, bytes);
    *steps = plan->steps;
    if (plan->mlp == NULL)
        return;
    bnre__mlp_get(plan->mlp, BNRE__MLP_FIRST_MOMENT, first);
    bnre__mlp_get(plan->mlp, BNRE__MLP_SECOND_MOMENT, second);
}

/* ---- forward ---- */

/* phi of n rows of x, given to the head. */
static void embed(bnre__plan *plan, size_t n, const float *x, int train)
{
    bnre__mlp_observe(plan->mlp, n,
                      plan->type->forward(plan->embed, n, x, train));
}

static void gather_x(bnre__plan *plan, const bnre__minibatch *pairs)
{
    const size_t size = plan->net->x.size;

    for (size_t i = 0; i < pairs->n; i++)
        memcpy(plan->gathered + i * size,
               pairs->x +
                   (pairs->x_index == NULL ? i : pairs->x_index[i]) * size,
               size * sizeof *pairs->x);
}

/* n theta as the head has them, from row `first` of plan->theta on. */
static const float *take_theta(bnre__plan *plan, size_t first, size_t n,
                               const float *theta)
{
    const bnre__net *net = plan->net;
    float *to = plan->theta + first * net->dim_theta;

    if (net->levels != NULL)
        bnre__net_widen(net, n, net->given, theta, to);
    else if (net->dim_theta > 0)
        memcpy(to, theta, n * net->dim_theta * sizeof *to);
    return to;
}

static void forward_both(bnre__plan *plan, const bnre__minibatch *pairs,
                         int train, float *joint, float *marginal)
{
    const size_t n = pairs->n;
    const int both = pairs->theta_marginal != NULL;

    plan->n = n;
    plan->both = both;
    if (plan->plain != NULL) {
        bnre__plain_forward(plan->plain, 0, train, n,
                            take_theta(plan, 0, n, pairs->theta), pairs->x,
                            joint);
        if (!both)
            return;
        gather_x(plan, pairs);
        bnre__plain_forward(plan->plain, 1, train, n,
                            take_theta(plan, n, n, pairs->theta_marginal),
                            plan->gathered, marginal);
        return;
    }
    embed(plan, n, pairs->x, train);
    (void)take_theta(plan, 0, n, pairs->theta);
    if (both)
        (void)take_theta(plan, n, n, pairs->theta_marginal);
    for (size_t i = 0; i < n; i++) {
        plan->index[i] = (uint32_t)i;
        plan->index[n + i] =
            pairs->x_index == NULL ? (uint32_t)i : pairs->x_index[i];
    }
    bnre__mlp_forward(plan->mlp, both ? 2 * n : n, plan->theta, plan->index,
                      plan->logits);
    memcpy(joint, plan->logits, n * sizeof *joint);
    if (both)
        memcpy(marginal, plan->logits + n, n * sizeof *marginal);
}

void bnre__plan_train_forward(bnre__plan *plan, const bnre__minibatch *pairs,
                              float *joint, float *marginal)
{
    const bnre__float_mode mode = bnre__float_mode_flush();

    forward_both(plan, pairs, 1, joint, marginal);
    bnre__float_mode_set(mode);
}

void bnre__plan_pairs(bnre__plan *plan, const bnre__minibatch *pairs,
                      float *joint, float *marginal)
{
    const bnre__float_mode mode = bnre__float_mode_flush();

    forward_both(plan, pairs, 0, joint, marginal);
    bnre__float_mode_set(mode);
}

/* ---- backward ---- */

/* From the logits to the head and to the embedding's part of dw. */
static void backward(bnre__plan *plan, const float *djoint,
                     const float *dmarginal)
{
    const int embedding = plan->net->embedding->weights > 0;

    if (plan->plain != NULL) {
        memset(plan->plain->dw, 0,
               plan->net->weights * sizeof *plan->plain->dw);
        bnre__plain_backward(plan->plain, 0, djoint, NULL, NULL);
        if (plan->both)
            bnre__plain_backward(plan->plain, 1, dmarginal, NULL, NULL);
        return;
    }
    memcpy(plan->dlogits, djoint, plan->n * sizeof *djoint);
    if (plan->both)
        memcpy(plan->dlogits + plan->n, dmarginal, plan->n * sizeof *dmarginal);
    bnre__mlp_backward(plan->mlp, plan->dlogits, embedding ? plan->dphi : NULL,
                       NULL);
    if (embedding)
        plan->type->backward(plan->embed, plan->dphi, plan->dw, NULL);
}

static void collect_gradient(bnre__plan *plan, float *gradient)
{
    if (plan->plain != NULL) {
        memcpy(gradient, plan->plain->dw,
               plan->net->weights * sizeof *gradient);
        return;
    }
    memcpy(gradient, plan->dw,
           plan->net->embedding->weights * sizeof *gradient);
    bnre__mlp_gradient(plan->mlp, gradient);
}

void bnre__plan_gradient(bnre__plan *plan, const float *djoint,
                         const float *dmarginal, float *gradient)
{
    const bnre__float_mode mode = bnre__float_mode_flush();

    backward(plan, djoint, dmarginal);
    collect_gradient(plan, gradient);
    bnre__float_mode_set(mode);
}

/* The whole gradient has to be known before any weight may move. */
static void update_clipped(bnre__plan *plan, const bnre__adam *adam)
{
    const size_t n = plan->net->weights;
    uint64_t steps;
    double factor;

    collect_gradient(plan, plan->gradient);
    factor = bnre__clip_factor(adam, n, plan->gradient);
    for (size_t i = 0; i < n; i++)
        plan->gradient[i] = (float)(factor * (double)plan->gradient[i]);
    if (plan->mlp != NULL) {
        bnre__mlp_get(plan->mlp, BNRE__MLP_WEIGHTS, plan->w);
        bnre__plan_get_moments(plan, plan->m, plan->v, &steps);
    }
    bnre__adam_step(adam, plan->steps, n, plan->gradient, weights_of(plan),
                    plan->m, plan->v);
    if (plan->mlp != NULL) {
        bnre__mlp_set(plan->mlp, BNRE__MLP_WEIGHTS, plan->w);
        plan->type->set(plan->embed, plan->w, NULL);
        bnre__plan_set_moments(plan, plan->m, plan->v, plan->steps);
    }
}

static void update_fast(bnre__plan *plan, const bnre__adam *adam)
{
    const bnre__adam_rates rates = bnre__adam_rates_of(adam, plan->steps);

    bnre__mlp_update(plan->mlp, adam, plan->steps);
    bnre__adam_block(bnre__kernels_best(), plan->pool, &rates,
                     plan->net->embedding->weights, plan->dw, plan->w, plan->m,
                     plan->v);
    plan->type->set(plan->embed, plan->w, NULL);
}

void bnre__plan_update(bnre__plan *plan, const float *djoint,
                       const float *dmarginal, const bnre__adam *adam)
{
    const bnre__float_mode mode = bnre__float_mode_flush();

    backward(plan, djoint, dmarginal);
    plan->steps++;
    if (adam->clip > 0) {
        update_clipped(plan, adam);
    } else if (plan->plain != NULL) {
        bnre__adam_step(adam, plan->steps, plan->net->weights, plan->plain->dw,
                        plan->plain->w, plan->m, plan->v);
    } else {
        update_fast(plan, adam);
    }
    bnre__float_mode_set(mode);
}

/* ---- one observation ---- */

void bnre__plan_observe(bnre__plan *plan, const float *x)
{
    const bnre__float_mode mode = bnre__float_mode_flush();
    const size_t size = plan->net->x.size;

    /* The plain path wants one x for each pair. */
    for (size_t i = 0; i < (plan->plain != NULL ? plan->batch : 1); i++)
        memcpy(plan->gathered + i * size, x, size * sizeof *x);
    if (plan->mlp != NULL)
        embed(plan, 1, plan->gathered, 0);
    bnre__float_mode_set(mode);
}

/* How many theta go through at a time. */
static size_t block_of(const bnre__plan *plan)
{
    return plan->plain != NULL ? plan->batch : 2 * plan->batch;
}

static void forward_block(bnre__plan *plan, size_t n, const float *theta,
                          float *logits)
{
    if (plan->net->levels != NULL)
        theta = take_theta(plan, 0, n, theta);
    if (plan->plain != NULL) {
        bnre__plain_forward(plan->plain, 0, 0, n, theta, plan->gathered,
                            logits);
        return;
    }
    memset(plan->index, 0, n * sizeof *plan->index);
    bnre__mlp_forward(plan->mlp, n, theta, plan->index, logits);
}

void bnre__plan_logits(bnre__plan *plan, size_t n, const float *theta,
                       float *logits)
{
    const bnre__float_mode mode = bnre__float_mode_flush();
    const size_t block = block_of(plan), dim = plan->net->given;

    for (size_t i = 0; i < n; i += block)
        forward_block(plan, n - i < block ? n - i : block, theta + i * dim,
                      logits + i);
    bnre__float_mode_set(mode);
}

/* d / d x of the sum of a block's logits is added to dx when plain; else what
   goes back to phi is added up. */
static void backward_block(bnre__plan *plan, size_t n, float *dtheta, float *dx)
{
    const size_t size = plan->net->x.size;
    const size_t phi = plan->net->embedding->out.size;

    for (size_t i = 0; i < n; i++)
        plan->dlogits[i] = 1;
    if (plan->plain != NULL) {
        bnre__plain_backward(plan->plain, 0, plan->dlogits, dtheta,
                             plan->spare);
        for (size_t r = 0; dx != NULL && r < n; r++)
            for (size_t j = 0; j < size; j++)
                dx[j] += plan->spare[r * size + j];
        return;
    }
    bnre__mlp_backward(plan->mlp, plan->dlogits, plan->dphi, dtheta);
    for (size_t j = 0; j < phi; j++)
        plan->dphi_sum[j] += plan->dphi[j];
}

void bnre__plan_logits_gradient(bnre__plan *plan, size_t n, const float *theta,
                                float *logits, float *dtheta, float *dx)
{
    const bnre__float_mode mode = bnre__float_mode_flush();
    const size_t block = block_of(plan), dim = plan->net->given;
    const size_t phi = plan->net->embedding->out.size;

    if (plan->plain == NULL)
        memset(plan->dphi_sum, 0, phi * sizeof *plan->dphi_sum);
    else if (dx != NULL)
        memset(dx, 0, plan->net->x.size * sizeof *dx);
    for (size_t i = 0; i < n; i += block) {
        const size_t rows = n - i < block ? n - i : block;

        forward_block(plan, rows, theta + i * dim, logits + i);
        backward_block(plan, rows,
                       dtheta == NULL              ? NULL
                       : plan->net->levels != NULL ? plan->dtheta
                                                   : dtheta + i * dim,
                       dx);
        if (dtheta != NULL && plan->net->levels != NULL)
            bnre__net_narrow(plan->net, rows, plan->dtheta, dtheta + i * dim);
    }
    if (plan->plain == NULL && dx != NULL)
        plan->type->backward(plan->embed, plan->dphi_sum, NULL, dx);
    bnre__float_mode_set(mode);
}

const char *bnre_kernels_name(void)
{
    return bnre__kernels_best()->name;
}

const char *bnre_kernels_rounding(void)
{
    return bnre__kernels_best()->rounding;
}
