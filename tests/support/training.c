#include "training.h"

#include <stdlib.h>
#include <string.h>

#include "bnre/settings.h"
#include "support.h"

const char *training_data(const char *name, const char *task, size_t count,
                          bnre_split split)
{
    const char *path = scratch_path(name);
    bnre_simulate_opts opts = bnre_simulate_opts_default();
    bnre_task *made;

    opts.count = count;
    opts.split = split;
    opts.force = 1;
    assert_ok(bnre_task_open(task, 0, NULL, &made));
    assert_ok(bnre_simulate(made, &opts, path, NULL));
    bnre_task_destroy(made);
    return path;
}

bnre_node *training_network(const char *yaml)
{
    bnre_node *node;

    assert_ok(bnre_yaml_parse(yaml, NULL, &node));
    return node;
}

bnre_train_opts training_opts(const char *data, const bnre_node *network)
{
    bnre_train_opts opts = bnre_train_opts_default();

    opts.data = data;
    opts.settings = network;
    opts.method = BNRE_METHOD_BNRE;
    opts.batch_size = 32;
    opts.epochs = 3;
    opts.save_every = 1e9;
    return opts;
}
