/* evaluator.c - evaluating an estimator: all that one thread needs. */
#include "infer/estimator/evaluator.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "infer/estimator/estimator.h"
#include "nn/plan.h"
#include "num/logistic.h"
#include "num/sigmoid.h"

/* What member k sees of x, and of a block of theta. */
static size_t set_of(const bnre__evaluator *eval, size_t k)
{
    return k % eval->sets;
}

float *bnre__evaluator_x(const bnre__evaluator *eval, size_t k)
{
    return eval->x + set_of(eval, k) * eval->pairs * eval->est->info.x_size;
}

static size_t theta_at(const bnre__evaluator *eval, size_t k)
{
    return eval->est->fold_theta == NULL
               ? 0
               : set_of(eval, k) * eval->block * eval->est->info.dim_theta;
}

static float *theta_of(const bnre__evaluator *eval, size_t k)
{
    return eval->theta + theta_at(eval, k);
}

/* ---- one estimate from several members ---- */

static const double edge = 1e-6; /* of mean probabilities */

/* log mean_k exp(l_k); its derivative by l_k is the share of exp(l_k). */
static double combine_ratios(size_t members, size_t n, const float *logit,
                             double *weight)
{
    double top = -HUGE_VAL, sum = 0;

    for (size_t k = 0; k < members; k++) {
        if (isnan(logit[k * n]))
            return NAN;
        top = fmax(top, (double)logit[k * n]);
    }
    if (isinf(top)) { /* all -inf; or +inf, which the caller refuses */
        for (size_t k = 0; weight != NULL && k < members; k++)
            weight[k * n] = 0;
        return top;
    }
    for (size_t k = 0; k < members; k++)
        sum += exp((double)logit[k * n] - top);
    for (size_t k = 0; weight != NULL && k < members; k++)
        weight[k * n] = exp((double)logit[k * n] - top) / sum;
    return top + log(sum / (double)members);
}

/* logit(p), p = mean_k sigmoid(l_k); its derivative by l_k is
   sigmoid'(l_k) / (K p (1 - p)). */
static double combine_probabilities(size_t members, size_t n,
                                    const float *logit, double *weight)
{
    double yes = 0, no = 0;

    for (size_t k = 0; k < members; k++) {
        yes += bnre__sigmoid((double)logit[k * n]) / (double)members;
        no += bnre__sigmoid(-(double)logit[k * n]) / (double)members;
    }
    for (size_t k = 0; weight != NULL && k < members; k++) {
        const double l = (double)logit[k * n];

        weight[k * n] = yes < edge || no < edge
                            ? 0
                            : bnre__sigmoid(l) * bnre__sigmoid(-l) /
                                  ((double)members * yes * no);
    }
    if (yes < edge)
        return log(edge) - log1p(-edge);
    if (no < edge)
        return log1p(-edge) - log(edge);
    return log(yes) - log(no);
}

void bnre__ensemble(bnre_combine combine, size_t members, size_t n,
                    const float *logit, double *out, double *weight)
{
    const int ratios = members == 1 || combine != BNRE_COMBINE_PROBABILITY;

    if (ratios)
        bnre__kernels_best()->logistic->line->mean(members, n, logit, out);
    for (size_t i = 0; i < n; i++) {
        double *w = weight == NULL ? NULL : weight + i;

        if (!ratios)
            out[i] = combine_probabilities(members, n, logit + i, w);
        else if (!isfinite(out[i]))
            out[i] = combine_ratios(members, n, logit + i, w);
        else if (weight != NULL)
            (void)combine_ratios(members, n, logit + i, w);
    }
}

/* ---- opening ---- */

static const bnre__member *member_of(const bnre__evaluator *eval, size_t k)
{
    return &eval->est->member[eval->first + k * eval->step];
}

static bnre_status make_plan(const bnre__evaluator *eval, size_t k, int train,
                             bnre__plan **out)
{
    const bnre_estimator *est = eval->est;
    const bnre__member *member = member_of(eval, k);
    const size_t half = BNRE__EVALUATOR_BLOCK / 2;
    const bnre__plan_opts opts = {
        .batch = !train && eval->pairs > half ? eval->pairs : half,
        .observations = train ? 1 : eval->pairs,
        .train = train,
    };

    BNRE_DO(bnre__plan_create(est->net, &opts, out));
    bnre__plan_set(*out, member->weights[member->uses],
                   member->buffers[member->uses]);
    return BNRE_OK;
}

bnre_status bnre__evaluator_make_chain(const bnre__evaluator *eval, size_t k,
                                       int train, bnre__chain_plan **out)
{
    const bnre__member *member = member_of(eval, k);
    const bnre__plan_opts opts = {.batch = !train && eval->pairs >
                                                         BNRE__EVALUATOR_BLOCK
                                               ? eval->pairs
                                               : BNRE__EVALUATOR_BLOCK,
                                  .train = train};

    BNRE_DO(bnre__chain_plan_create(eval->est->conditional->chain, &opts, out));
    bnre__chain_set(*out, member->weights[member->uses],
                    member->buffers[member->uses]);
    return BNRE_OK;
}

static bnre_status make_plans(bnre__evaluator *eval)
{
    const bnre__conditional *conditional = eval->est->conditional;
    bnre_status status = BNRE_OK;

    BNRE_NEW(eval->plan, eval->members);
    BNRE_NEW(eval->back, eval->members);
    BNRE_NEW(eval->chain, eval->members);
    BNRE_NEW(eval->chain_back, eval->members);
    for (size_t k = 0; k < eval->members; k++)
        BNRE_TRY(conditional != NULL
                     ? bnre__evaluator_make_chain(eval, k, 0, &eval->chain[k])
                     : make_plan(eval, k, 0, &eval->plan[k]));
    if (conditional != NULL)
        BNRE_TRY(bnre__conditional_room_init(&eval->room, conditional,
                                             eval->block, eval->pairs));
done:
    return status;
}

bnre_status bnre__evaluator_open(const bnre__view *view, size_t pairs,
                                 bnre__evaluator **out)
{
    bnre_status status = BNRE_OK;
    const bnre_estimator *est = view->est;
    const size_t dim = est->info.dim_theta;
    bnre__evaluator *eval = NULL;

    *out = NULL;
    BNRE_NEW(eval, 1);
    eval->est = est;
    eval->first = view->first;
    eval->step = view->step;
    eval->members = view->members;
    eval->sets = est->info.folds > 0 && view->step == 1 && view->members > 1
                     ? est->info.folds
                     : 1;
    eval->temper = view->plain ? 1 : est->info.temper;
    eval->widen = view->plain ? 1 : est->info.widen;
    eval->combine = est->info.combine;
    eval->pairs = pairs;
    eval->block =
        est->conditional != NULL ? BNRE__EVALUATOR_ROWS : BNRE__EVALUATOR_BLOCK;
    if (eval->block < pairs)
        eval->block = pairs;
    BNRE_TRY(make_plans(eval));
    BNRE_TRY(bnre__evaluator_init_prior(eval));
    BNRE_NEW(eval->raw, pairs * est->info.x_size);
    BNRE_NEW(eval->x, eval->sets * pairs * est->info.x_size);
    BNRE_NEW(eval->index, eval->block);
    BNRE_NEW(eval->theta, eval->sets * eval->block * dim);
    BNRE_NEW(eval->slope, eval->sets * eval->block * dim);
    BNRE_NEW(eval->logit, eval->members * eval->block);
    BNRE_NEW(eval->weight, eval->members * eval->block);
    *out = eval;
    eval = NULL;
done:
    bnre__evaluator_close(eval);
    return status;
}

void bnre__evaluator_close(bnre__evaluator *eval)
{
    if (eval == NULL)
        return;
    for (size_t k = 0; eval->plan != NULL && k < eval->members; k++)
        bnre__plan_destroy(eval->plan[k]);
    for (size_t k = 0; eval->chain != NULL && k < eval->members; k++)
        bnre__chain_plan_destroy(eval->chain[k]);
    for (size_t k = 0; eval->chain_back != NULL && k < eval->members; k++)
        bnre__chain_plan_destroy(eval->chain_back[k]);
    bnre__free(eval->chain_back);
    bnre__chain_plan_destroy(eval->prior);
    bnre__free(eval->log_prior);
    bnre__free(eval->dtheta);
    bnre__free(eval->dc_prior);
    bnre__free(eval->dc);
    bnre__free(eval->key);
    bnre__free(eval->log_mass);
    bnre__free(eval->mass);
    bnre__known_clear(&eval->known);
    bnre__free(eval->drawn);
    bnre__free(eval->index);
    bnre__conditional_room_clear(&eval->room);
    for (size_t k = 0; eval->back != NULL && k < eval->members; k++)
        bnre__plan_destroy(eval->back[k]);
    bnre__free(eval->gradient);
    bnre__free(eval->weight);
    bnre__free(eval->wide);
    bnre__free(eval->logit);
    bnre__free(eval->slope);
    bnre__free(eval->theta);
    bnre__free(eval->x);
    bnre__free(eval->raw);
    bnre__free(eval->back);
    bnre__free(eval->chain);
    bnre__free(eval->plan);
    bnre__free(eval);
}

/* ---- x as the networks see it ---- */

/* What a float makes of it; beyond their range there is none. */
static double as_float(double value)
{
    return fabs(value) <= (double)FLT_MAX ? (double)(float)value
                                          : copysign(HUGE_VAL, value);
}

static bnre_status scale_x(const bnre__evaluator *eval, size_t first, size_t n,
                           const double *x)
{
    const bnre_estimator *est = eval->est;
    const bnre__scaler_spec spec = {0};

    /* Where training saw floats, 0.1 shall be what 0.1 was there. */
    for (size_t i = 0; i < n * est->info.x_size; i++)
        eval->raw[i] = est->x_offset != NULL ? x[i] : as_float(x[i]);
    BNRE_DO(bnre__scaler_check_f64(&est->x, &spec, first, n, eval->raw));
    for (size_t k = 0; k < eval->sets; k++)
        bnre__scaler_apply_f64(bnre__estimator_scale_x(est, eval->first + k), n,
                               eval->raw, bnre__evaluator_x(eval, k), NULL);
    return BNRE_OK;
}

void bnre__evaluator_scale(const bnre__evaluator *eval, const double *theta,
                           float *to)
{
    bnre__scaler_apply_f64(bnre__estimator_scale_theta(eval->est, eval->first),
                           1, theta, to, NULL);
}

static void scale_theta(const bnre__evaluator *eval, size_t n,
                        const double *theta, int slopes)
{
    const size_t sets = eval->est->fold_theta == NULL ? 1 : eval->sets;

    for (size_t k = 0; k < sets && k < eval->members; k++)
        bnre__scaler_apply_f64(
            bnre__estimator_scale_theta(eval->est, eval->first + k), n, theta,
            theta_of(eval, k), slopes ? eval->slope + theta_at(eval, k) : NULL);
}

/* ---- few x, many theta ---- */

int bnre__evaluator_takes_many(const bnre_estimator *est)
{
    return est->conditional != NULL &&
           !bnre__coordinates_reject(est->conditional->coordinates);
}

bnre_status bnre__evaluator_observe(bnre__evaluator *eval, size_t n,
                                    const double *x)
{
    BNRE_DO(scale_x(eval, 0, n, x));
    eval->observed = n;
    eval->known.n = 0;
    for (size_t k = 0; k < eval->members; k++)
        if (eval->est->conditional != NULL)
            bnre__chain_observe(eval->chain[k], n, bnre__evaluator_x(eval, k));
        else
            bnre__plan_observe(eval->plan[k], bnre__evaluator_x(eval, k));
    eval->ready = eval->weighed = 0;
    return BNRE_OK;
}

/* Gradients take more memory, which few need. */
static bnre_status prepare_back(bnre__evaluator *eval)
{
    bnre_status status = BNRE_OK;

    if (eval->est->conditional != NULL)
        return bnre__evaluator_prepare_chains(eval);
    if (eval->gradient == NULL)
        BNRE_NEW(eval->gradient, eval->members * BNRE__EVALUATOR_BLOCK *
                                     eval->est->info.dim_theta);
    for (size_t k = 0; k < eval->members; k++) {
        if (eval->back[k] == NULL)
            BNRE_TRY(make_plan(eval, k, 1, &eval->back[k]));
        bnre__plan_observe(eval->back[k], bnre__evaluator_x(eval, k));
    }
    eval->ready = 1;
done:
    return status;
}

/* Temper, and refuse what is no log ratio. */
static bnre_status finish(const bnre__evaluator *eval, size_t first, size_t n,
                          double *out)
{
    for (size_t i = 0; i < n; i++) {
        if (isnan(out[i]) || out[i] == HUGE_VAL)
            return bnre_fail(BNRE_ENUM,
                             "row %zu: the network answers %g; theta or x is "
                             "far outside what it was trained on",
                             first + i, out[i]);
        out[i] *= eval->temper;
    }
    return BNRE_OK;
}

/* d out / d theta of a block: the members' own by their weights and their
   scaler's. */
static void block_gradient(const bnre__evaluator *eval, size_t n,
                           double *gradient)
{
    const size_t size = n * eval->est->info.dim_theta;

    memset(gradient, 0, size * sizeof *gradient);
    if (eval->est->conditional != NULL) {
        for (size_t i = 0; i < eval->members * size; i++)
            gradient[i % size] +=
                eval->temper * eval->weight[i / (size / n)] * eval->dtheta[i];
        return;
    }
    for (size_t k = 0; k < eval->members; k++)
        for (size_t i = 0; i < size; i++)
            gradient[i] +=
                eval->weight[k * n + i / (size / n)] *
                (double)eval->gradient[k * size + i] *
                (eval->sets > 1 ? eval->slope[theta_at(eval, k) + i] : 1);
    for (size_t i = 0; i < size; i++)
        gradient[i] *= eval->temper * (eval->sets > 1 ? 1 : eval->slope[i]);
}

/* The members' own, of a block that begins at row `first` out of n; each with
   its own mass. */
static void block_each(const bnre__evaluator *eval, size_t first, size_t rows,
                       size_t n, double *each)
{
    for (size_t k = 0; k < eval->members; k++) {
        const double add =
            eval->mass == NULL ? 0 : eval->log_mass[0] - log(eval->mass[k]);

        for (size_t i = 0; i < rows; i++)
            each[k * n + first + i] =
                eval->temper * ((double)eval->logit[k * rows + i] + add);
    }
}

/* Of all members, for n rows of eval->theta with the x that was observed. */
static void find_logits(bnre__evaluator *eval, size_t n)
{
    const bnre_estimator *est = eval->est;

    for (size_t k = 0; k < eval->members; k++) {
        float *l = eval->logit + k * n;

        if (est->conditional != NULL)
            bnre__conditional_log_ratio(est->conditional, eval->chain[k],
                                        eval->widen, &eval->room, n,
                                        theta_of(eval, k), NULL, l);
        else
            bnre__plan_logits(eval->plan[k], n, theta_of(eval, k), l);
    }
}

bnre_status bnre__evaluator_log_ratio(bnre__evaluator *eval, size_t n,
                                      const double *theta, double *out,
                                      double *gradient, double *each)
{
    const size_t dim = eval->est->info.dim_theta;
    const size_t block = gradient != NULL ? BNRE__EVALUATOR_BLOCK : eval->block;

    if (gradient != NULL && !eval->ready)
        BNRE_DO(prepare_back(eval));
    if (eval->mass != NULL && !eval->weighed) {
        bnre__evaluator_weigh(eval, 0);
        eval->weighed = 1;
    }
    for (size_t first = 0, rows; first < n; first += rows) {
        rows = n - first < block ? n - first : block;
        scale_theta(eval, rows, theta + first * dim, gradient != NULL);
        if (gradient == NULL)
            find_logits(eval, rows);
        if (gradient != NULL && eval->est->conditional != NULL)
            BNRE_DO(bnre__evaluator_slopes(eval, rows, theta + first * dim));
        for (size_t k = 0; gradient != NULL && eval->est->conditional == NULL &&
                           k < eval->members;
             k++)
            bnre__plan_logits_gradient(eval->back[k], rows, theta_of(eval, k),
                                       eval->logit + k * rows,
                                       eval->gradient + k * rows * dim, NULL);
        bnre__evaluator_add_prior(eval, rows, theta + first * dim, 1);
        bnre__ensemble(eval->combine, eval->members, rows, eval->logit,
                       out + first, gradient == NULL ? NULL : eval->weight);
        BNRE_DO(finish(eval, first, rows, out + first));
        if (gradient != NULL)
            block_gradient(eval, rows, gradient + first * dim);
        if (each != NULL)
            block_each(eval, first, rows, n, each);
    }
    return BNRE_OK;
}

/* The members' log ratios of a block for each width, in eval->wide. */
static void find_wide(bnre__evaluator *eval, size_t n, size_t widths,
                      const double *widen)
{
    const size_t members = eval->members;
    float *l[BNRE__EVALUATOR_WIDTHS];

    for (size_t k = 0; k < members; k++) {
        for (size_t w = 0; w < widths; w++)
            l[w] = eval->wide + (w * members + k) * n;
        bnre__evaluator_ask(eval, k, n, widths, widen, l);
    }
}

bnre_status bnre__evaluator_log_ratio_many(bnre__evaluator *eval, size_t rows,
                                           const double *theta, size_t widths,
                                           const double *widen, double *out)
{
    const size_t dim = eval->est->info.dim_theta, all = eval->observed * rows;
    const size_t members = eval->members;
    const int as_drawn = widths == 0;
    bnre_status status = BNRE_OK;

    if (widths > BNRE__EVALUATOR_WIDTHS)
        return bnre_fail(BNRE_EINVAL, "%zu widths: %d are the most", widths,
                         BNRE__EVALUATOR_WIDTHS);
    if (widths == 0) {
        widths = 1;
        widen = &eval->widen;
    }
    if (eval->wide == NULL)
        BNRE_NEW(eval->wide, BNRE__EVALUATOR_WIDTHS * members * eval->block);
    for (size_t first = 0, n; first < all; first += n) {
        n = all - first < eval->block ? all - first : eval->block;
        BNRE_TRY(bnre__evaluator_find(eval, rows, theta, first, n, as_drawn));
        find_wide(eval, n, widths, widen);
        for (size_t w = 0; w < widths; w++) {
            double *to = out + w * all + first;

            memcpy(eval->logit, eval->wide + w * members * n,
                   members * n * sizeof *eval->logit);
            bnre__evaluator_add_prior(eval, n, theta + first * dim, 1);
            bnre__ensemble(eval->combine, members, n, eval->logit, to, NULL);
            BNRE_TRY(finish(eval, first, n, to));
        }
    }
done:
    return status;
}

bnre_status bnre__evaluator_rough(bnre__evaluator *eval, size_t n,
                                  const double *theta, double *out)
{
    const size_t members = eval->members;
    const int weighed = eval->weighed;
    bnre_status status;

    /* Masses are constants, which do not matter here. */
    eval->members = 1;
    eval->weighed = 1;
    status = bnre__evaluator_log_ratio(eval, n, theta, out, NULL, NULL);
    eval->members = members;
    eval->weighed = weighed;
    return status;
}

/* ---- pairs ---- */

static bnre_status scale_pairs(bnre__evaluator *eval, size_t first, size_t n,
                               const double *theta, const double *x)
{
    const bnre_estimator *est = eval->est;
    const size_t dim = est->info.dim_theta;

    BNRE_DO(scale_x(eval, first, n, x));
    for (size_t i = 0; i < n * dim; i++)
        if (!isfinite(theta[i]))
            return bnre_fail(
                BNRE_ENUM, "row %zu: %s is %g, not a finite number",
                first + i / dim, est->theta_name[i % dim], theta[i]);
    scale_theta(eval, n, theta, 0);
    return BNRE_OK;
}

bnre_status bnre__evaluator_pairs(bnre__evaluator *eval, size_t first, size_t n,
                                  const double *theta, const double *x,
                                  double *out)
{
    BNRE_DO(scale_pairs(eval, first, n, theta, x));
    for (size_t i = 0; eval->mass != NULL && i < n; i++) {
        for (size_t k = 0; k < eval->members; k++)
            bnre__chain_observe(eval->chain[k], 1,
                                bnre__evaluator_x(eval, k) +
                                    i * eval->est->info.x_size);
        bnre__evaluator_weigh(eval, i);
    }
    for (size_t k = 0; k < eval->members; k++) {
        const bnre__minibatch pairs = {.n = n,
                                       .theta = theta_of(eval, k),
                                       .x = bnre__evaluator_x(eval, k)};

        if (eval->est->conditional != NULL)
            bnre__conditional_pairs(eval->est->conditional, eval->chain[k],
                                    eval->widen, &eval->room, n, pairs.theta,
                                    pairs.x, eval->logit + k * n);
        else
            bnre__plan_pairs(eval->plan[k], &pairs, eval->logit + k * n, NULL);
    }
    bnre__evaluator_add_prior(eval, n, theta, 0);
    bnre__ensemble(eval->combine, eval->members, n, eval->logit, out, NULL);
    return finish(eval, first, n, out);
}
