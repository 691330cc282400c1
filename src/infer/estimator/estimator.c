/* estimator.c - an estimator in memory: made from a specification,
   described, destroyed. */
#include "infer/estimator/estimator.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "base/text.h"
#include "data/writer.h"
#include "infer/estimator/region.h"
#include "nn/net.h"
#include "prior/prior.h"

/* ---- making ---- */

static bnre_status make_outline(bnre_estimator *est,
                                const bnre__estimator_spec *spec)
{
    bnre__outline *outline = &est->outline;

    if (spec->kind == BNRE_ESTIMATOR_RATIO)
        BNRE_DO(
            bnre__outline_read(outline, spec->task, spec->file, spec->draws));
    if (spec->ndim > BNRE_MAX_NDIM)
        return bnre_fail(BNRE_EUSAGE,
                         "x has %zu dimensions, at most %d are possible",
                         spec->ndim, BNRE_MAX_NDIM);
    if (outline->ndim > 0 && spec->ndim > 0 &&
        (outline->ndim != spec->ndim ||
         memcmp(outline->shape, spec->shape,
                spec->ndim * sizeof *spec->shape) != 0))
        return bnre_fail(BNRE_EUSAGE,
                         "x is not of the shape that the task says");
    if (outline->ndim == 0) {
        outline->ndim = spec->ndim;
        for (size_t i = 0; i < spec->ndim; i++)
            outline->shape[i] = spec->shape[i];
        BNRE_DO(bnre__task_shape_size(outline->ndim, outline->shape,
                                      &outline->x_size));
    }
    if (outline->x_size == 0)
        return bnre_fail(BNRE_EUSAGE, "x is empty");
    return BNRE_OK;
}

static bnre_status describe(bnre_estimator *est,
                            const bnre__estimator_spec *spec)
{
    bnre_status status = BNRE_OK;
    bnre_estimator_info *info = &est->info;
    const bnre__outline *outline = &est->outline;

    info->kind = spec->kind;
    info->members = spec->members;
    info->folds = spec->folds;
    info->ndim = outline->ndim;
    memcpy(info->shape, outline->shape, sizeof info->shape);
    info->x_size = outline->x_size;
    if (outline->prior != NULL)
        info->dim_theta = bnre_prior_dim(outline->prior);
    BNRE_NEW(est->theta_name, info->dim_theta);
    for (size_t i = 0; i < info->dim_theta; i++)
        est->theta_name[i] = bnre_prior_name(outline->prior, i);
    info->theta_name = est->theta_name;
    BNRE_TRY(bnre__strdup(spec->task != NULL ? spec->task : "", &est->task));
    BNRE_TRY(bnre__strdup(BNRE_VERSION, &est->version));
    BNRE_TRY(bnre__estimator_set_settings(est, ""));
    info->task = est->task;
    info->version = est->version;
    info->temper = 1;
    info->region = 1;
    bnre__estimator_set_failure(est, 0);
done:
    return status;
}

static bnre_status make_members(bnre_estimator *est)
{
    bnre_status status = BNRE_OK;
    const size_t n = est->info.members, folds = est->info.folds;
    const size_t weights = est->info.weights;
    const size_t buffers = bnre__estimator_buffers(est);

    if (n > SIZE_MAX / sizeof(float) / (weights + buffers + 1))
        BNRE_THROW(BNRE_ENOMEM, "%zu members are too many", n);
    BNRE_NEW(est->member, n);
    BNRE_NEW(est->view, n + 1 + 2 * folds);
    for (size_t k = 0; k < n; k++)
        est->view[k] = (bnre__view){est, k, 1, 1, 0};
    est->view[n] = (bnre__view){est, 0, 1, n, 0};
    for (size_t f = 0; f < folds; f++)
        for (int plain = 0; plain < 2; plain++)
            est->view[n + 1 + f + (plain ? folds : 0)] =
                (bnre__view){est, f, folds, n / folds, plain};
    for (int e = 0; e < BNRE__EPOCHS; e++) {
        BNRE_NEW(est->weights[e], n * weights);
        BNRE_NEW(est->buffers[e], n * buffers);
        for (size_t k = 0; k < n; k++) {
            est->member[k].weights[e] = est->weights[e] + k * weights;
            est->member[k].buffers[e] = est->buffers[e] + k * buffers;
        }
    }
done:
    return status;
}

bnre_status bnre__estimator_name_columns(bnre_estimator *est, size_t n,
                                         const char *const *name)
{
    bnre_status status = BNRE_OK;

    BNRE_NEW(est->column, n);
    est->columns = n;
    for (size_t i = 0; i < n; i++)
        BNRE_TRY(bnre__strdup(name[i], &est->column[i]));
done:
    return status;
}

/* The names of the parameters in the order of their factors. */
static bnre_status list_order(bnre_estimator *est)
{
    bnre_status status = BNRE_OK;
    const bnre__conditional *conditional = est->conditional;

    BNRE_NEW(est->order, conditional->factors);
    for (size_t j = 0; j < conditional->factors; j++)
        est->order[j] = est->theta_name[conditional->order[j]];
    est->info.order = est->order;
    est->info.factors = conditional->factors;
    est->info.components = conditional->components;
done:
    return status;
}

static bnre_status make_network(bnre_estimator *est,
                                const bnre__estimator_spec *spec,
                                const bnre__net_input *input)
{
    est->info.widen = 1;
    if (spec->conditional) {
        BNRE_DO(bnre__conditional_create(
            est->outline.prior, spec->network, input, spec->ordered,
            spec->order,
            spec->components > 0 ? spec->components : BNRE__COMPONENTS,
            &est->conditional));
        BNRE_DO(list_order(est));
        est->info.weights = bnre__chain_weights(est->conditional->chain);
    } else {
        BNRE_DO(bnre__net_create(spec->network, input, &est->net));
        est->info.weights = bnre__net_weights(est->net);
    }
    est->info.network = bnre__net_text(bnre__estimator_net(est));
    return BNRE_OK;
}

/* Conditional densities see theta in the coordinates of its prior, whatever the
   fold. */
static bnre_status make_fold_scalers(bnre_estimator *est)
{
    const size_t folds = est->info.folds;
    bnre_status status = BNRE_OK;

    BNRE_NEW(est->fold_x, folds);
    if (est->conditional == NULL)
        BNRE_NEW(est->fold_theta, folds);
    for (size_t f = 0; f < folds; f++) {
        bnre__scaler_set_none(&est->fold_x[f], est->info.x_size);
        if (est->fold_theta != NULL)
            bnre__scaler_set_none(&est->fold_theta[f], est->info.dim_theta);
    }
done:
    return status;
}

/* Which parameters are categories: levels (dim), that the caller owns. */
static bnre_status list_levels(const bnre_estimator *est, size_t **levels)
{
    bnre_status status = BNRE_OK;

    BNRE_NEW(*levels, est->info.dim_theta);
    for (size_t i = 0; i < est->info.dim_theta; i++)
        if (bnre__prior_values(est->outline.prior, i, &(*levels)[i]) !=
            BNRE__CATEGORIES)
            (*levels)[i] = 0;
done:
    return status;
}

bnre_status bnre__estimator_create(const bnre__estimator_spec *spec,
                                   bnre_estimator **out)
{
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;
    bnre__net_input input;
    size_t *levels = NULL;

    *out = NULL;
    if (spec->members == 0)
        return bnre_fail(BNRE_EUSAGE, "an estimator needs a member");
    if (spec->folds > 0 && (spec->folds < 2 || spec->folds > BNRE__MOST_FOLDS ||
                            spec->members % spec->folds != 0))
        return bnre_fail(BNRE_EUSAGE,
                         "%zu members cannot be shared by %zu folds: each of 2 "
                         "to %d folds has equally many",
                         spec->members, spec->folds, BNRE__MOST_FOLDS);
    BNRE_NEW(est, 1);
    BNRE_TRY(make_outline(est, spec));
    BNRE_TRY(describe(est, spec));
    BNRE_TRY(list_levels(est, &levels));
    input = (bnre__net_input){.dim_theta = est->info.dim_theta,
                              .levels = levels,
                              .ndim = est->info.ndim,
                              .shape = est->info.shape};
    BNRE_TRY(make_network(est, spec, &input));
    if (spec->weights > 0 && spec->weights != est->info.weights)
        BNRE_THROW(BNRE_EUSAGE, "the network has %zu weights, not %zu",
                   est->info.weights, spec->weights);
    BNRE_TRY(make_members(est));
    if (spec->columns > 0)
        BNRE_TRY(
            bnre__estimator_name_columns(est, spec->columns, spec->column));
    bnre__scaler_set_none(&est->theta, est->info.dim_theta);
    bnre__scaler_set_none(&est->x, est->info.x_size);
    if (est->conditional != NULL) {
        est->theta.map = bnre__coordinates_of;
        est->theta.context = est->conditional->coordinates;
    }
    if (spec->folds > 0)
        BNRE_TRY(make_fold_scalers(est));
    est->summary.size = est->info.x_size;
    BNRE_NEW(est->summary.value, BNRE__LEVELS * est->info.x_size);
    *out = est;
    est = NULL;
done:
    bnre__free(levels);
    bnre_estimator_close(est);
    return status;
}

void bnre_estimator_close(bnre_estimator *est)
{
    if (est == NULL)
        return;
    for (size_t i = 0; est->column != NULL && i < est->columns; i++)
        bnre__free(est->column[i]);
    for (size_t k = 0; est->member != NULL && k < est->info.members; k++)
        bnre__free(est->member[k].history);
    for (int e = 0; e < BNRE__EPOCHS; e++) {
        bnre__free(est->buffers[e]);
        bnre__free(est->weights[e]);
    }
    for (size_t i = 0; est->x_name != NULL && i < est->info.x_size; i++)
        bnre__free(est->x_name[i]);
    bnre__free(est->x_name);
    for (size_t f = 0; f < est->info.folds; f++) {
        if (est->fold_theta != NULL)
            bnre__scaler_clear(&est->fold_theta[f]);
        if (est->fold_x != NULL)
            bnre__scaler_clear(&est->fold_x[f]);
    }
    bnre__free(est->fold_theta);
    bnre__free(est->fold_x);
    bnre__free(est->row_fold);
    if (est->region != NULL)
        est->outline.prior = est->cube; /* the other one was borrowed */
    bnre__region_destroy(est->region);
    bnre__free(est->image);
    bnre__free(est->region_sets);
    bnre__free(est->region_x);
    bnre__free(est->view);
    bnre__free(est->member);
    bnre__free(est->hash);
    bnre__free(est->column);
    bnre__free(est->x_offset);
    bnre__summary_clear(&est->summary);
    bnre__scaler_clear(&est->x);
    bnre__scaler_clear(&est->theta);
    bnre__free(est->order);
    bnre__conditional_destroy(est->conditional);
    bnre__net_destroy(est->net);
    bnre__free(est->theta_name);
    bnre__free(est->score);
    bnre__free(est->seen);
    bnre__free(est->cross_score);
    bnre__free(est->cross_fold);
    bnre__free(est->certificate);
    bnre__free(est->version);
    bnre__free(est->settings);
    bnre__free(est->task);
    bnre__outline_clear(&est->outline);
    bnre__free(est);
}

/* ---- filling in ---- */

bnre_status bnre__estimator_set_x_names(bnre_estimator *est,
                                        const char *const *name)
{
    bnre_status status = BNRE_OK;

    if (name == NULL)
        return BNRE_OK;
    BNRE_TRY(bnre__names_check("columns of x", est->info.x_size, name));
    BNRE_NEW(est->x_name, est->info.x_size);
    for (size_t i = 0; i < est->info.x_size; i++)
        BNRE_TRY(bnre__strdup(name[i], &est->x_name[i]));
    est->info.x_name = (const char *const *)est->x_name;
done:
    return status;
}

bnre_status bnre__estimator_set_settings(bnre_estimator *est,
                                         const char *settings)
{
    char *copy = NULL;

    BNRE_DO(bnre__strdup(settings, &copy));
    bnre__free(est->settings);
    est->settings = copy;
    est->info.settings = copy;
    return BNRE_OK;
}

void bnre__estimator_set_failure(bnre_estimator *est, int missing)
{
    est->info.failure = missing ? "missing" : "outcome";
}

bnre_status bnre__estimator_set_history(bnre_estimator *est, size_t member,
                                        size_t epochs, const double *history)
{
    bnre_status status = BNRE_OK;
    bnre__member *m = &est->member[member];
    double *copy = NULL;

    BNRE_NEW(copy, epochs * est->columns);
    if (epochs * est->columns > 0)
        memcpy(copy, history, epochs * est->columns * sizeof *copy);
    bnre__free(m->history);
    m->history = copy;
    m->epochs = epochs;
done:
    return status;
}

bnre_status bnre__estimator_set_hashes(bnre_estimator *est, size_t n,
                                       const uint64_t *hash)
{
    bnre_status status = BNRE_OK;
    uint64_t *copy = NULL;
    size_t kept = 0;

    BNRE_NEW(copy, n);
    if (n > 0)
        memcpy(copy, hash, n * sizeof *copy);
    bnre__sort_hashes(n, copy);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || copy[i] != copy[i - 1])
            copy[kept++] = copy[i];
    bnre__free(est->hash);
    est->hash = copy;
    est->hashes = kept;
done:
    return status;
}

/* A row in its fold. */
struct placed {
    uint64_t hash;
    size_t order;
    uint8_t fold;
};

static int by_place(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash > y->hash ? 1 : -1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Rows `from` to `end` are equal: one of them is enough if all are in one
   fold. */
static size_t count_kept(const struct placed *row, size_t from, size_t end)
{
    for (size_t i = from + 1; i < end; i++)
        if (row[i].fold != row[from].fold)
            return end - from;
    return end - from > 1 ? 1 : end - from;
}

bnre_status bnre__estimator_set_row_folds(bnre_estimator *est, size_t n,
                                          const uint64_t *hash,
                                          const uint8_t *fold)
{
    bnre_status status = BNRE_OK;
    struct placed *row = NULL;
    uint64_t *all = NULL;
    uint8_t *of = NULL;
    size_t kept = 0, at = 0;

    BNRE_NEW(row, n);
    BNRE_NEW(all, est->hashes + n);
    BNRE_NEW(of, est->hashes + n);
    for (size_t i = 0; i < n; i++)
        row[i] = (struct placed){hash[i], i, fold[i]};
    qsort(row, n, sizeof *row, by_place);
    for (size_t k = 0; k < est->hashes; k++) {
        size_t end, count;

        while (at < n && row[at].hash < est->hash[k])
            at++;
        for (end = at; end < n && row[end].hash == est->hash[k];)
            end++;
        count = count_kept(row, at, end);
        for (size_t i = 0; i < (count > 0 ? count : 1); i++) {
            all[kept] = est->hash[k];
            of[kept++] = count > 0 ? row[at + i].fold : 0;
        }
    }
    bnre__free(est->hash);
    bnre__free(est->row_fold);
    est->hash = all;
    est->row_fold = of;
    est->hashes = kept;
    all = NULL;
    of = NULL;
done:
    bnre__free(of);
    bnre__free(all);
    bnre__free(row);
    return status;
}

const bnre__net *bnre__estimator_net(const bnre_estimator *est)
{
    return est->conditional != NULL ? bnre__chain_net(est->conditional->chain)
                                    : est->net;
}

size_t bnre__estimator_buffers(const bnre_estimator *est)
{
    return bnre__net_buffers(bnre__estimator_net(est));
}

bnre__scale_by bnre__estimator_scale_by(const bnre__net *net)
{
    static const struct {
        const char *layer;
        bnre__scale_by by;
    } table[] = {
        {"flatten", BNRE__SCALE_ELEMENT},   {"reshape", BNRE__SCALE_ELEMENT},
        {"transpose", BNRE__SCALE_FEATURE}, {"linear", BNRE__SCALE_FEATURE},
        {"set_mean", BNRE__SCALE_FEATURE},  {"set_sum", BNRE__SCALE_FEATURE},
    };

    if (net->x.ndim < 2 || net->embedding->count == 0)
        return BNRE__SCALE_ELEMENT;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(net->embedding->layer[0].type->name, table[i].layer) == 0)
            return table[i].by;
    return BNRE__SCALE_CHANNEL;
}

/* ---- looking inside ---- */

const bnre_estimator_info *bnre_estimator_describe(const bnre_estimator *est)
{
    return &est->info;
}

bnre_estimator_member bnre_estimator_describe_member(const bnre_estimator *est,
                                                     size_t member)
{
    const bnre__member *m = &est->member[member];

    return (bnre_estimator_member){
        .seed = m->seed,
        .best = m->epoch[BNRE__BEST],
        .last = m->epoch[BNRE__LAST],
        .uses_best = m->uses == BNRE__BEST,
        .epochs = m->epochs,
        .columns = est->columns,
        .name = (const char *const *)est->column,
        .history = m->history,
    };
}

bnre_scaling bnre_estimator_scaling(const bnre_estimator *est, int of_x)
{
    const bnre__scaler *scaler = of_x ? &est->x : &est->theta;

    return (bnre_scaling){
        .columns = scaler->columns,
        .log = bnre__scaler_count(scaler, BNRE__SCALED_LOG),
        .asinh = bnre__scaler_count(scaler, BNRE__SCALED_ASINH),
        .constant = bnre__scaler_count(scaler, BNRE__SCALED_CONSTANT),
    };
}

const bnre_prior *bnre_estimator_prior(const bnre_estimator *est)
{
    return est->outline.prior;
}
