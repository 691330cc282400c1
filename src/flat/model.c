/* model.c - estimators for bindings: log ratios and gradients of arrays. */
#include "flat/model.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "flat/describe.h"
#include "num/streams.h"

bnre_status bnre_model_open(const char *path, size_t threads, bnre_model **out)
{
    bnre_status status = BNRE_OK;
    bnre_model *model = NULL;

    *out = NULL;
    BNRE_NEW(model, 1);
    BNRE_TRY(bnre_estimator_open(path, &model->estimator));
    model->info = bnre_estimator_describe(model->estimator);
    model->prior = bnre_estimator_prior(model->estimator);
    if (model->prior != NULL)
        model->density =
            bnre_estimator_density(model->estimator, BNRE_ALL_MEMBERS);
    BNRE_TRY(bnre_pool_create(threads, &model->pool));
    *out = model;
    model = NULL;
done:
    bnre_model_close(model);
    return status;
}

void bnre_model_close(bnre_model *model)
{
    if (model == NULL)
        return;
    bnre_pool_destroy(model->pool);
    bnre_estimator_close(model->estimator);
    bnre__free(model);
}

size_t bnre_model_dim(const bnre_model *model)
{
    return model->info->dim_theta;
}

size_t bnre_model_x_size(const bnre_model *model)
{
    return model->info->x_size;
}

/* ---- what it is ---- */

bnre_status bnre_model_text(const bnre_model *model, char **json)
{
    bnre_status status = BNRE_OK;
    bnre__json *root = NULL;

    *json = NULL;
    BNRE_TRY(bnre__json_create(&root));
    BNRE_TRY(bnre__describe_estimator(model->estimator, root));
    BNRE_TRY(bnre__json_print(root, json));
done:
    bnre__json_destroy(root);
    return status;
}

bnre_status bnre_model_certificate(const bnre_model *model, char **json)
{
    bnre_status status = BNRE_OK;
    bnre__json *root = NULL;

    *json = NULL;
    BNRE_TRY(bnre__json_create(&root));
    BNRE_TRY(
        bnre__describe_yaml(root, "certificate", model->info->certificate));
    BNRE_TRY(bnre__json_print(bnre__json_find(root, "certificate"), json));
done:
    bnre__json_destroy(root);
    return status;
}

static bnre_status add_member(bnre__json *list,
                              const bnre_estimator_member *member)
{
    bnre__json *item, *columns, *column;

    BNRE_DO(bnre__json_object(list, NULL, &item));
    BNRE_DO(bnre__json_size(item, "seed", (size_t)member->seed));
    BNRE_DO(bnre__json_size(item, "best", member->best));
    BNRE_DO(bnre__json_size(item, "last", member->last));
    BNRE_DO(bnre__json_flag(item, "uses_best", member->uses_best));
    BNRE_DO(bnre__json_object(item, "columns", &columns));
    for (size_t c = 0; c < member->columns; c++) {
        BNRE_DO(bnre__json_list(columns, member->name[c], &column));
        for (size_t r = 0; r < member->epochs; r++)
            BNRE_DO(bnre__json_real(column, NULL,
                                    member->history[r * member->columns + c]));
    }
    return BNRE_OK;
}

bnre_status bnre_model_history(const bnre_model *model, char **json)
{
    bnre_status status = BNRE_OK;
    bnre__json *root = NULL, *list;

    *json = NULL;
    BNRE_TRY(bnre__json_create(&root));
    BNRE_TRY(bnre__json_list(root, "members", &list));
    for (size_t k = 0; k < model->info->members; k++) {
        const bnre_estimator_member member =
            bnre_estimator_describe_member(model->estimator, k);

        BNRE_TRY(add_member(list, &member));
    }
    BNRE_TRY(bnre__json_print(list, json));
done:
    bnre__json_destroy(root);
    return status;
}

/* ---- the prior ---- */

void bnre_model_log_prior(const bnre_model *model, size_t n,
                          const double *theta, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = model->prior == NULL
                     ? 0
                     : bnre_prior_log_density(
                           model->prior, theta + i * model->info->dim_theta);
}

void bnre_model_draw_prior(const bnre_model *model, uint64_t seed,
                           uint64_t first, size_t n, double *theta)
{
    for (size_t i = 0; model->prior != NULL && i < n; i++) {
        bnre_rng rng = bnre_rng_stream(
            seed, bnre__purpose(BNRE_USE_PRIOR, BNRE_SPLIT_TRAIN), first + i);

        bnre_prior_draw(model->prior, &rng, theta + i * model->info->dim_theta);
    }
}

/* ---- log ratios ---- */

static bnre_status check_theta(const bnre_model *model, size_t n,
                               const double *theta)
{
    const size_t dim = model->info->dim_theta;

    for (size_t i = 0; i < n * dim; i++)
        if (!isfinite(theta[i]))
            return bnre_fail(BNRE_ENUM, "theta: row %zu, %s is %s", i / dim,
                             model->info->theta_name[i % dim],
                             isnan(theta[i]) ? "NaN" : "infinite");
    return BNRE_OK;
}

/* One x for all theta, or with gradients: by sessions. */
static bnre_status by_session(const bnre_model *model, size_t n,
                              const double *theta, size_t rows, const double *x,
                              double *out, double *gradient)
{
    const size_t dim = model->info->dim_theta, step = rows == 1 ? n : 1;
    bnre_session *session = NULL;
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre_session_open(&model->density, model->pool, &session));
    for (size_t i = 0; i < n; i += step) {
        BNRE_TRY(bnre_session_observe(session, 1, x + i * model->info->x_size));
        BNRE_TRY(bnre_session_log_ratio(session, step, theta + i * dim, out + i,
                                        gradient != NULL ? gradient + i * dim
                                                         : NULL));
    }
done:
    bnre_session_close(session);
    return status;
}

/* Rows within the support, one after the other: which they are, and copies. */
struct inside {
    size_t n;
    size_t *row;
    double *theta, *x, *out, *gradient;
};

static void clear_inside(struct inside *in)
{
    bnre__free(in->gradient);
    bnre__free(in->out);
    bnre__free(in->x);
    bnre__free(in->theta);
    bnre__free(in->row);
}

static bnre_status gather(const bnre_model *model, size_t n,
                          const double *theta, size_t rows, const double *x,
                          int slopes, struct inside *in)
{
    const size_t dim = model->info->dim_theta, size = model->info->x_size;
    bnre_status status = BNRE_OK;

    BNRE_NEW(in->row, n);
    BNRE_NEW(in->theta, n * dim);
    BNRE_NEW(in->out, n);
    BNRE_NEW(in->x, rows * size);
    if (slopes)
        BNRE_NEW(in->gradient, n * dim);
    if (rows == 1)
        memcpy(in->x, x, size * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        if (bnre_prior_log_density(model->prior, theta + i * dim) == -HUGE_VAL)
            continue;
        memcpy(in->theta + in->n * dim, theta + i * dim, dim * sizeof *theta);
        if (rows > 1)
            memcpy(in->x + in->n * size, x + i * size, size * sizeof *x);
        in->row[in->n++] = i;
    }
done:
    return status;
}

static void scatter(const struct inside *in, size_t n, size_t dim, double *out,
                    double *gradient)
{
    for (size_t i = 0; i < n; i++)
        out[i] = -HUGE_VAL;
    if (gradient != NULL)
        memset(gradient, 0, n * dim * sizeof *gradient);
    for (size_t k = 0; k < in->n; k++) {
        out[in->row[k]] = in->out[k];
        if (gradient != NULL)
            memcpy(gradient + in->row[k] * dim, in->gradient + k * dim,
                   dim * sizeof *gradient);
    }
}

bnre_status bnre_model_log_ratio(const bnre_model *model, size_t n,
                                 const double *theta, size_t rows,
                                 const double *x, double *out, double *gradient)
{
    const size_t dim = model->info->dim_theta;
    bnre_status status = BNRE_OK;
    struct inside in = {0};

    if (n == 0)
        return BNRE_OK;
    if (rows != n && (rows != 1 || model->prior == NULL))
        return bnre_fail(BNRE_EINVAL,
                         "there are %zu rows of theta and %zu of x: expected "
                         "as many, or one x",
                         n, rows);
    if (model->prior == NULL && gradient != NULL)
        return bnre_fail(BNRE_EINVAL,
                         "a classifier has no gradient by parameters");
    if (model->prior == NULL)
        return bnre_estimator_log_ratio(model->estimator, model->pool, n, NULL,
                                        x, out);
    BNRE_TRY(check_theta(model, n, theta));
    BNRE_TRY(gather(model, n, theta, rows, x, gradient != NULL, &in));
    if (in.n == 0)
        scatter(&in, n, dim, out, gradient);
    if (in.n == 0)
        goto done;
    if (rows == 1 || gradient != NULL)
        BNRE_TRY(
            by_session(model, in.n, in.theta, rows, in.x, in.out, in.gradient));
    else
        BNRE_TRY(bnre_estimator_log_ratio(model->estimator, model->pool, in.n,
                                          in.theta, in.x, in.out));
    scatter(&in, n, dim, out, gradient);
done:
    clear_inside(&in);
    return status;
}
