/* arrange.c - columns of a dataset in the order that somebody else has them. */
#include "data/arrange.h"

#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "data/dataset.h"

static int is_identity(size_t n, const size_t *from)
{
    for (size_t i = 0; i < n; i++)
        if (from[i] != i)
            return 0;
    return 1;
}

/* Where the wanted columns are; *from stays NULL where they are in place. */
static bnre_status find_columns(const char *what, const bnre__names *have,
                                const bnre__names *want, size_t **from)
{
    bnre_status status = BNRE_OK;
    size_t *found = NULL;

    BNRE_NEW(found, want->n);
    BNRE_TRY(bnre__names_match(what, have, want, found));
    if (!is_identity(want->n, found)) {
        *from = found;
        found = NULL;
    }
done:
    bnre__free(found);
    return status;
}

static bnre_status copy_order(size_t n, const size_t *from, size_t **out)
{
    bnre_status status = BNRE_OK;

    if (from == NULL)
        return BNRE_OK;
    BNRE_NEW(*out, n);
    memcpy(*out, from, n * sizeof **out);
done:
    return status;
}

/* Names in the order in which the columns come from now on. */
static bnre_status order_names(size_t n, const size_t *from,
                               const char *const *name, const char *const **out)
{
    bnre_status status = BNRE_OK;
    const char **ordered = NULL;

    if (from == NULL || name == NULL)
        return BNRE_OK;
    BNRE_NEW(ordered, n);
    for (size_t i = 0; i < n; i++)
        ordered[i] = name[from[i]];
    *out = ordered;
done:
    return status;
}

/* What `info` says from now on. */
static bnre_status describe(bnre_dataset *data)
{
    bnre_status status = BNRE_OK;
    bnre_dataset_info *info = &data->info;

    BNRE_TRY(order_names(info->dim_theta, data->theta_from,
                         data->stored.theta_name, &data->theta_ordered));
    BNRE_TRY(order_names(info->x_size, data->x_from, data->stored.x_name,
                         &data->x_ordered));
    if (data->theta_ordered != NULL)
        info->theta_name = data->theta_ordered;
    if (data->x_ordered != NULL)
        info->x_name = data->x_ordered;
    if (data->theta_from != NULL || data->x_from != NULL)
        BNRE_NEW(data->scratch, data->stored.dim_theta + info->x_size);
done:
    return status;
}

static bnre_status begin(bnre_dataset *data)
{
    bnre__dataset_arrange_clear(data);
    if (!data->only_x)
        data->info.dim_theta = data->stored.dim_theta;
    data->info.theta_name = data->stored.theta_name;
    data->info.x_name = data->stored.x_name;
    return BNRE_OK;
}

/* Whether more parameters are there than are wanted, those among them: then
   *from tells where, and others are as if they were not there. */
static bnre_status choose_some(const bnre__names *have, const bnre__names *want,
                               size_t **from)
{
    bnre_status status = BNRE_OK;
    size_t *found = NULL;

    if (have->n <= want->n)
        return BNRE_OK;
    BNRE_NEW(found, want->n);
    for (size_t i = 0; i < want->n; i++) {
        while (found[i] < have->n &&
               strcmp(have->name[found[i]], want->name[i]) != 0)
            found[i]++;
        if (found[i] == have->n)
            goto done;
    }
    *from = found;
    found = NULL;
done:
    bnre__free(found);
    return status;
}

static bnre_status arrange_theta(bnre_dataset *data, const bnre_prior *prior)
{
    const bnre_dataset_info *info = &data->stored;
    bnre__names have = {data->path, info->dim_theta, info->theta_name};
    bnre__names want = {.owner = "the task", .n = bnre_prior_dim(prior)};
    bnre_status status = BNRE_OK;
    const char **name = NULL;

    if (!data->theta_named || data->only_x)
        return BNRE_OK;
    BNRE_NEW(name, want.n);
    for (size_t i = 0; i < want.n; i++)
        name[i] = bnre_prior_name(prior, i);
    want.name = name;
    BNRE_TRY(choose_some(&have, &want, &data->theta_from));
    if (data->theta_from != NULL) {
        data->info.dim_theta = want.n;
        goto done;
    }
    BNRE_TRY(find_columns("parameters", &have, &want, &data->theta_from));
done:
    bnre__free(name);
    return status;
}

bnre_status bnre__dataset_arrange(bnre_dataset *data, const bnre_prior *prior,
                                  const char *const *x_name)
{
    const bnre_dataset_info *info = &data->stored;
    const bnre__names have = {data->path, info->x_size, info->x_name};
    const bnre__names want = {"the training data", info->x_size, x_name};

    BNRE_DO(begin(data));
    if (prior != NULL)
        BNRE_DO(arrange_theta(data, prior));
    if (x_name != NULL && info->x_name != NULL)
        BNRE_DO(find_columns("columns of x", &have, &want, &data->x_from));
    return describe(data);
}

bnre_status bnre__dataset_arrange_like(bnre_dataset *data,
                                       const bnre_dataset *other)
{
    BNRE_DO(begin(data));
    data->info.dim_theta = other->info.dim_theta;
    BNRE_DO(
        copy_order(data->info.dim_theta, other->theta_from, &data->theta_from));
    BNRE_DO(copy_order(data->info.x_size, other->x_from, &data->x_from));
    return describe(data);
}

void bnre__dataset_arrange_clear(bnre_dataset *data)
{
    bnre__free(data->scratch);
    bnre__free((void *)data->x_ordered);
    bnre__free((void *)data->theta_ordered);
    bnre__free(data->x_from);
    bnre__free(data->theta_from);
    data->scratch = NULL;
    data->x_ordered = data->theta_ordered = NULL;
    data->x_from = data->theta_from = NULL;
}

static void reorder_theta(const bnre_dataset *data, size_t n, double *theta)
{
    const size_t dim = data->info.dim_theta;

    for (size_t i = 0; i < n; i++, theta += dim) {
        memcpy(data->scratch, theta, dim * sizeof *theta);
        for (size_t j = 0; j < dim; j++)
            theta[j] = data->scratch[data->theta_from[j]];
    }
}

static void reorder_x(const bnre_dataset *data, size_t n, double *x)
{
    const size_t size = data->info.x_size;

    for (size_t i = 0; i < n; i++, x += size) {
        memcpy(data->scratch, x, size * sizeof *x);
        for (size_t j = 0; j < size; j++)
            x[j] = data->scratch[data->x_from[j]];
    }
}

int bnre__dataset_chooses(const bnre_dataset *data)
{
    return data->theta_from != NULL &&
           data->info.dim_theta < data->stored.dim_theta;
}

void bnre__dataset_choose(const bnre_dataset *data, size_t n, const double *all,
                          double *theta)
{
    const size_t dim = data->info.dim_theta, stored = data->stored.dim_theta;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < dim; j++)
            theta[i * dim + j] = all[i * stored + data->theta_from[j]];
}

void bnre__dataset_reorder(const bnre_dataset *data, size_t n, double *theta,
                           double *x)
{
    if (theta != NULL && data->theta_from != NULL &&
        !bnre__dataset_chooses(data))
        reorder_theta(data, n, theta);
    if (x != NULL && data->x_from != NULL)
        reorder_x(data, n, x);
}
