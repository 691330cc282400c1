/* describe.c - estimators, tasks and datasets as JSON. */
#include "flat/describe.h"

#include <math.h>

#include "base/mem.h"
#include "bnre/flat.h"
#include "bnre/train.h"

bnre_status bnre__describe_yaml(bnre__json *root, const char *key,
                                const char *yaml)
{
    bnre_status status = BNRE_OK;
    bnre_node *node = NULL;

    if (yaml == NULL || yaml[0] == 0)
        return bnre__json_text(root, key, NULL);
    BNRE_TRY(bnre_yaml_parse(yaml, NULL, &node));
    BNRE_TRY(bnre__json_settings(root, key, node));
done:
    bnre_node_destroy(node);
    return status;
}

bnre_status bnre__describe_texts(bnre__json *root, const char *key, size_t n,
                                 const char *const *text)
{
    bnre__json *list;

    if (text == NULL && n > 0)
        return bnre__json_text(root, key, NULL);
    BNRE_DO(bnre__json_list(root, key, &list));
    for (size_t i = 0; i < n; i++)
        BNRE_DO(bnre__json_text(list, NULL, text[i]));
    return BNRE_OK;
}

static bnre_status add_shape(bnre__json *root, size_t ndim, const size_t *shape)
{
    bnre__json *list;

    BNRE_DO(bnre__json_list(root, "shape", &list));
    for (size_t i = 0; i < ndim; i++)
        BNRE_DO(bnre__json_size(list, NULL, shape[i]));
    return BNRE_OK;
}

/* Ends and moments that are not finite are null. */
static bnre_status add_prior(bnre__json *root, const char *key,
                             const bnre_prior *prior)
{
    const size_t dim = prior != NULL ? bnre_prior_dim(prior) : 0;
    bnre__json *list, *item;

    BNRE_DO(bnre__json_list(root, key, &list));
    for (size_t i = 0; i < dim; i++) {
        double low, high, mean, variance;

        bnre_prior_support(prior, i, &low, &high);
        bnre_prior_moments(prior, i, &mean, &variance);
        BNRE_DO(bnre__json_object(list, NULL, &item));
        BNRE_DO(bnre__json_text(item, "name", bnre_prior_name(prior, i)));
        BNRE_DO(bnre__json_text(item, "prior", bnre_prior_text(prior, i)));
        BNRE_DO(bnre__json_real(item, "low", low));
        BNRE_DO(bnre__json_real(item, "high", high));
        BNRE_DO(bnre__json_real(item, "mean", mean));
        BNRE_DO(bnre__json_real(item, "sd", sqrt(variance)));
    }
    return BNRE_OK;
}

static bnre_status add_data(bnre__json *root, const char *key,
                            const bnre_estimator_data *data)
{
    bnre__json *item;

    if (data->rows == 0)
        return bnre__json_text(root, key, NULL);
    BNRE_DO(bnre__json_object(root, key, &item));
    BNRE_DO(bnre__json_size(item, "rows", data->rows));
    BNRE_DO(bnre__json_size(item, "failed", data->failed));
    BNRE_DO(bnre__json_text(item, "fingerprint", data->fingerprint));
    return BNRE_OK;
}

/* The method is one of its settings. */
static bnre_status add_method(bnre__json *root, const char *yaml)
{
    bnre_status status = BNRE_OK;
    bnre_node *settings = NULL;
    const bnre_node *method;

    BNRE_TRY(bnre_yaml_parse(yaml, NULL, &settings));
    method = bnre_node_find(settings, "method");
    BNRE_TRY(
        bnre__json_text(root, "method", method != NULL ? method->text : NULL));
done:
    bnre_node_destroy(settings);
    return status;
}

bnre_status bnre__describe_estimator(const bnre_estimator *est,
                                     bnre__json *root)
{
    const bnre_estimator_info *info = bnre_estimator_describe(est);
    char print[33];

    BNRE_DO(bnre__json_text(root, "kind",
                            info->kind == BNRE_ESTIMATOR_CLASSIFIER
                                ? "classifier"
                            : info->factors > 0 ? "density"
                                                : "ratio"));
    BNRE_DO(add_method(root, info->settings));
    BNRE_DO(bnre__json_size(root, "members", info->members));
    BNRE_DO(add_prior(root, "parameters", bnre_estimator_prior(est)));
    BNRE_DO(add_shape(root, info->ndim, info->shape));
    BNRE_DO(bnre__describe_texts(root, "x_names", info->x_size, info->x_name));
    BNRE_DO(bnre__json_real(root, "temper", info->temper));
    BNRE_DO(bnre__json_real(root, "widen", info->widen));
    BNRE_DO(bnre__describe_texts(root, "order", info->factors, info->order));
    BNRE_DO(bnre__json_size(root, "folds", info->folds));
    BNRE_DO(bnre__json_size(root, "weights", info->weights));
    BNRE_DO(bnre__json_size(root, "calibrated", info->scores));
    BNRE_DO(bnre__describe_yaml(root, "task", info->task));
    BNRE_DO(bnre__describe_yaml(root, "network", info->network));
    BNRE_DO(bnre__describe_yaml(root, "settings", info->settings));
    BNRE_DO(bnre__describe_yaml(root, "certificate", info->certificate));
    BNRE_DO(add_data(root, "training", &info->training));
    BNRE_DO(add_data(root, "validation", &info->validation));
    BNRE_DO(bnre__json_text(root, "version", info->version));
    BNRE_DO(bnre_estimator_fingerprint(est, print));
    BNRE_DO(bnre__json_text(root, "fingerprint", print));
    return BNRE_OK;
}

bnre_status bnre__describe_task(const bnre_task *task, bnre__json *root)
{
    const size_t *shape;
    size_t ndim;

    BNRE_DO(bnre__json_text(root, "name", bnre_task_name(task)));
    BNRE_DO(add_prior(root, "parameters", bnre_task_prior(task)));
    BNRE_DO(add_prior(root, "nuisance", bnre_task_nuisance(task)));
    shape = bnre_task_observable(task, &ndim);
    BNRE_DO(add_shape(root, ndim, shape));
    BNRE_DO(bnre__json_flag(root, "runs", bnre_task_runs(task)));
    BNRE_DO(bnre__json_flag(root, "tractable", bnre_task_tractable(task)));
    BNRE_DO(bnre__json_text(root, "text", bnre_task_text(task)));
    return BNRE_OK;
}

bnre_status bnre__describe_dataset(const bnre_dataset *data, bnre__json *root)
{
    const bnre_dataset_info *info = bnre_dataset_describe(data);

    BNRE_DO(bnre__json_text(root, "format", info->format));
    BNRE_DO(bnre__json_size(root, "rows", info->rows));
    BNRE_DO(bnre__json_size(root, "failed", info->failed));
    BNRE_DO(bnre__describe_texts(root, "parameters", info->dim_theta,
                                 info->theta_name));
    BNRE_DO(bnre__describe_texts(root, "nuisance", info->dim_nuisance,
                                 info->nuisance_name));
    BNRE_DO(add_shape(root, info->ndim, info->shape));
    BNRE_DO(bnre__describe_texts(root, "x_names", info->x_size, info->x_name));
    BNRE_DO(bnre__json_flag(root, "x_double", info->x_double));
    BNRE_DO(bnre__describe_yaml(root, "task", info->task));
    BNRE_DO(bnre__describe_yaml(root, "settings", info->settings));
    BNRE_DO(bnre__json_text(root, "version", info->version));
    return BNRE_OK;
}
