/* data.c - tasks and datasets for bindings. */
#include "base/mem.h"
#include "bnre/flat.h"
#include "data/memory.h"
#include "flat/describe.h"

bnre_status bnre_task_parse(const char *text, bnre_task **out)
{
    bnre_status status = BNRE_OK;
    const bnre_node *task;
    bnre_node *root = NULL;

    *out = NULL;
    BNRE_TRY(bnre_yaml_parse(text, NULL, &root));
    task = bnre_node_find(root, "task");
    BNRE_TRY(bnre_task_create(task != NULL ? task : root, out));
done:
    bnre_node_destroy(root);
    return status;
}

size_t bnre_task_dim(const bnre_task *task)
{
    return bnre_prior_dim(bnre_task_prior(task));
}

bnre_status bnre_task_json(const bnre_task *task, char **json)
{
    bnre_status status = BNRE_OK;
    bnre__json *root = NULL;

    *json = NULL;
    BNRE_TRY(bnre__json_create(&root));
    BNRE_TRY(bnre__describe_task(task, root));
    BNRE_TRY(bnre__json_print(root, json));
done:
    bnre__json_destroy(root);
    return status;
}

bnre_status bnre_task_simulate(const bnre_task *task, size_t threads,
                               uint64_t seed, uint64_t first, size_t n,
                               int draw_theta, double *theta, double *x,
                               uint8_t *status_out)
{
    bnre_simulate_opts opts = bnre_simulate_opts_default();
    bnre_status status = BNRE_OK;

    opts.seed = seed;
    opts.first = (size_t)first;
    opts.count = n;
    BNRE_TRY(bnre_pool_create(threads, &opts.pool));
    BNRE_TRY(
        bnre__simulate_memory(task, &opts, draw_theta, theta, x, status_out));
done:
    bnre_pool_destroy(opts.pool);
    return status;
}

bnre_status bnre_dataset_json(const bnre_dataset *data, char **json)
{
    bnre_status status = BNRE_OK;
    bnre__json *root = NULL;

    *json = NULL;
    BNRE_TRY(bnre__json_create(&root));
    BNRE_TRY(bnre__describe_dataset(data, root));
    BNRE_TRY(bnre__json_print(root, json));
done:
    bnre__json_destroy(root);
    return status;
}
