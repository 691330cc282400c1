/* Pairs to select, certify and calibrate with: from files, or simulated. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/value.h"
#include "bnre/dataset.h"
#include "bnre/settings.h"
#include "infer/estimator/estimator.h"
#include "trust/trust.h"

int bnre__trust_is_count(const char *text, size_t *count)
{
    return bnre__read_size(text, NULL, "pairs", count) == BNRE_OK;
}

bnre_status bnre__trust_stem(const char *path, char **out)
{
    const size_t n = strlen(path);

    if (n <= 3 || strcmp(path + n - 3, ".h5") != 0)
        return bnre_fail(BNRE_EUSAGE, "%s: an estimator's file ends in .h5",
                         path);
    return bnre__text_format(out, "%.*s", (int)(n - 3), path);
}

/* Anybody may have written a data file: what it names is built in, or is not
   run. */
static bnre_status refuse_foreign(const bnre_node *task, const char *data)
{
    const bnre_node *simulator = bnre_node_find(task, "simulator");

    if (simulator == NULL)
        return BNRE_OK;
    return bnre_fail(
        BNRE_EUSAGE,
        "%s names a %s as its simulator, and what a data file names is never "
        "run: if you trust it, name the task yourself with `task: FILE.yaml`",
        data,
        bnre_node_find(simulator, "plugin") != NULL ? "plugin" : "program");
}

/* The task of the training data, as something that simulates. */
static bnre_status make_task(bnre__trust_run *run)
{
    bnre_status status = BNRE_OK;
    bnre_dataset *data = NULL;
    bnre_node *node = NULL;
    const char *text;

    if (run->task != NULL)
        return BNRE_OK;
    if (run->train->task != NULL)
        return bnre_task_open(run->train->task, 0, NULL, &run->task);
    BNRE_TRY(bnre_dataset_open(run->train->data, &data));
    text = bnre_dataset_describe(data)->task;
    if (text == NULL)
        BNRE_THROW(BNRE_EUSAGE, "%s does not tell its task", run->train->data);
    BNRE_TRY(bnre_yaml_parse(text, run->train->data, &node));
    BNRE_TRY(refuse_foreign(node, run->train->data));
    BNRE_TRY(bnre_task_describe(node, &run->task));
done:
    bnre_node_destroy(node);
    bnre_dataset_close(data);
    return status;
}

static bnre_status simulate(bnre__trust_run *run, size_t count,
                            bnre_split split, const char *path)
{
    bnre_simulate_opts opts = bnre_simulate_opts_default();
    bnre_status status = make_task(run);

    if (status == BNRE_EUSAGE)
        return bnre_fail(BNRE_EUSAGE,
                         "pairs to %s with are needed and cannot be simulated "
                         "(%s); or give a dataset with --%s FILE, or 0 for "
                         "none",
                         bnre_split_name(split), bnre_error_message(),
                         bnre_split_name(split));
    BNRE_TRY(status);
    bnre__trust_note(run, "%zu pairs to %s with: %s", count,
                     bnre_split_name(split), path);
    BNRE_TRY(bnre__refuse_input(path, run->train->data));
    BNRE_TRY(bnre__refuse_input(path, run->train->validation));
    BNRE_TRY(bnre__refuse_input(path, run->train->schedule));
    opts.count = count;
    opts.seed = run->train->seed;
    opts.split = split;
    opts.force = run->train->force;
    opts.pool = run->train->pool;
    opts.monitor = run->train->monitor;
    BNRE_TRY(bnre_simulate(run->task, &opts, path, NULL));
done:
    return status;
}

static bnre_status look_at(bnre__trust_pairs *pairs)
{
    const bnre_dataset_info *info;

    BNRE_DO(bnre_dataset_open(pairs->path, &pairs->data));
    info = bnre_dataset_describe(pairs->data);
    pairs->rows = info->rows;
    pairs->n = info->rows - info->failed;
    if (info->stored_fingerprint != NULL)
        snprintf(pairs->fingerprint, sizeof pairs->fingerprint, "%s",
                 info->stored_fingerprint);
    else
        BNRE_DO(bnre_dataset_fingerprint(pairs->data, pairs->fingerprint));
    return BNRE_OK;
}

bnre_status bnre__trust_pairs_open(const char *asked, bnre_split split,
                                   bnre__trust_pairs *out)
{
    size_t count;

    out->what = bnre_split_name(split);
    if (asked == NULL || bnre__trust_is_count(asked, &count))
        return BNRE_OK;
    BNRE_DO(bnre__strdup(asked, &out->path));
    return look_at(out);
}

bnre_status bnre__trust_pairs_simulate(bnre__trust_run *run, const char *asked,
                                       size_t preset, bnre_split split,
                                       bnre__trust_pairs *out)
{
    bnre_status status = BNRE_OK;
    size_t count = preset;
    char *stem = NULL;

    if ((asked != NULL && !bnre__trust_is_count(asked, &count)) || count == 0)
        return BNRE_OK;
    BNRE_TRY(bnre__trust_stem(run->path, &stem));
    BNRE_TRY(bnre__text_format(&out->path, "%s.%s.h5", stem,
                               bnre_split_name(split)));
    BNRE_TRY(simulate(run, count, split, out->path));
    BNRE_TRY(look_at(out));
done:
    bnre__free(stem);
    return status;
}

void bnre__trust_pairs_close(bnre__trust_pairs *pairs)
{
    bnre_dataset_close(pairs->data);
    bnre__free(pairs->as_read);
    bnre__free(pairs->hash);
    bnre__free(pairs->path);
    *pairs = (bnre__trust_pairs){0};
}

bnre_status bnre__trust_fail_seen(const bnre__trust_pairs *pairs, size_t seen)
{
    return bnre_fail(
        BNRE_EUSAGE,
        "%s: %zu of the pairs to %s with are ones that the estimator is "
        "trained on: simulate fresh ones with `split: %s`",
        pairs->path, seen, pairs->what, pairs->what);
}

bnre_status bnre__trust_refuse_seen(const bnre_estimator *est,
                                    bnre__trust_pairs *pairs)
{
    size_t seen;

    BNRE_DO(bnre__estimator_overlap(est, pairs->data, &seen));
    if (seen > 0)
        BNRE_DO(bnre__trust_fail_seen(pairs, seen));
    return BNRE_OK;
}
