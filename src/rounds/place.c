/* place.c - simulations in the coordinates of a region: the dataset that a
   round learns from, and how often truths fall outside their own regions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/diag.h"
#include "bnre/settings.h"
#include "data/dataset.h"
#include "data/gather.h"
#include "diag/diag.h"
#include "infer/estimator/estimator.h"
#include "rounds/round.h"
#include "task/task.h"

/* ---- the task of places ---- */

/* Uniform within the cube, but for parameters that are fixed. */
static bnre_status add_parameters(const bnre_prior *prior, bnre_node *map)
{
    bnre_node *parameters;

    BNRE_DO(bnre_node_branch(map, "parameters", BNRE_NODE_MAP, &parameters));
    for (size_t i = 0; i < bnre_prior_dim(prior); i++) {
        double low, high;

        bnre_prior_support(prior, i, &low, &high);
        BNRE_DO(bnre_node_set(parameters, bnre_prior_name(prior, i),
                              low < high ? "uniform(0, 1)"
                                         : bnre_prior_text(prior, i)));
    }
    return BNRE_OK;
}

static bnre_status add_observable(const bnre_task *task, bnre_node *map)
{
    bnre_node *list;
    char text[32];

    BNRE_DO(bnre_node_branch(map, "observable", BNRE_NODE_LIST, &list));
    for (size_t i = 0; i < task->ndim; i++) {
        snprintf(text, sizeof text, "%zu", task->shape[i]);
        BNRE_DO(bnre_node_set(list, NULL, text));
    }
    return BNRE_OK;
}

/* The text of the task whose parameters are places in a region. */
static bnre_status describe(const bnre_task *task, char **out)
{
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL, *transform;
    char *name = NULL;

    BNRE_TRY(bnre__text_format(&name, "%s_places", task->name));
    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &map));
    BNRE_TRY(bnre_node_set(map, "name", name));
    BNRE_TRY(add_parameters(task->prior, map));
    BNRE_TRY(add_observable(task, map));
    if (task->transform.log_x) {
        BNRE_TRY(bnre_node_branch(map, "transform", BNRE_NODE_MAP, &transform));
        BNRE_TRY(bnre_node_set(transform, "x", "log"));
    }
    BNRE_TRY(bnre_node_write(map, out));
done:
    bnre_node_destroy(map);
    bnre__free(name);
    return status;
}

/* ---- the simulations of all rounds ---- */

/* Those of one round that count now. */
struct file {
    bnre_dataset *data;
    size_t n;
    size_t *row;
    double *u; /* (n, dim), or NULL */
};

static void close_file(struct file *file)
{
    bnre_dataset_close(file->data);
    bnre__free(file->row);
    bnre__free(file->u);
}

/* Rows inside the region, with their places; all without one. */
static bnre_status sort_rows(const bnre__round *round, bnre_pool *pool,
                             size_t dim, struct file *file)
{
    const size_t n = bnre_dataset_describe(file->data)->rows;
    bnre_status status = BNRE_OK;
    double *theta = NULL, *log_w = NULL;

    BNRE_NEW(file->row, n);
    if (round->region == NULL) {
        for (size_t i = 0; i < n; i++)
            file->row[file->n++] = i;
        goto done;
    }
    BNRE_NEW(theta, n * dim);
    BNRE_NEW(file->u, n * dim);
    BNRE_NEW(log_w, n);
    BNRE_TRY(bnre_dataset_read(file->data, 0, n, theta, NULL, NULL, NULL));
    BNRE_TRY(bnre__region_map(round->region, pool, n, theta, file->u, log_w));
    for (size_t i = 0; i < n; i++)
        if (log_w[i] > -HUGE_VAL) {
            memmove(file->u + file->n * dim, file->u + i * dim,
                    dim * sizeof *file->u);
            file->row[file->n++] = i;
        }
done:
    bnre__free(log_w);
    bnre__free(theta);
    return status;
}

/* Sources in order: those that check, then those that teach. */
static size_t list_sources(const bnre__round *round, size_t n,
                           const struct file *file, bnre__gather_source *out,
                           size_t *teach)
{
    size_t sources = 0;

    *teach = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < n; k++) {
            const int checks = round->simulated[k].epoch == round->epoch;

            if (file[k].n == 0 || checks != (pass == 0) ||
                round->simulated[k].dropped)
                continue;
            out[sources++] = (bnre__gather_source){.data = file[k].data,
                                                   .n = file[k].n,
                                                   .row = file[k].row,
                                                   .theta = file[k].u};
            *teach += checks ? 0 : file[k].n;
        }
    return sources;
}

bnre_status bnre__round_gather(const bnre__infer *infer, bnre__round *round,
                               const char *path)
{
    const bnre_prior *prior = bnre_task_prior(infer->task);
    const size_t n = round->files;
    bnre__gather_source source[BNRE__MOST_ROUNDS + 1];
    struct file file[BNRE__MOST_ROUNDS + 1] = {{0}};
    bnre_status status = BNRE_OK;
    char *task = NULL, print[33];
    size_t sources;

    for (size_t k = 0; k < n; k++) {
        BNRE_TRY(bnre_dataset_open(round->simulated[k].path, &file[k].data));
        BNRE_TRY(bnre__dataset_arrange(file[k].data, prior, NULL));
        BNRE_TRY(sort_rows(round, infer->request->pool, bnre_prior_dim(prior),
                           &file[k]));
    }
    sources = list_sources(round, n, file, source, &round->teach);
    round->learned = 0;
    for (size_t k = 0; k < sources; k++)
        round->learned += source[k].n;
    if (round->region != NULL)
        BNRE_TRY(describe(infer->task, &task));
    BNRE_TRY(bnre__dataset_gather(
        sources, source, task != NULL ? task : bnre_task_text(infer->task),
        task != NULL ? "gathered: places in a region\ntheta: given\n"
                     : "gathered: simulations of the prior\n",
        path, print));
done:
    bnre_free(task);
    for (size_t k = 0; k < n; k++)
        close_file(&file[k]);
    return status;
}

/* ---- truths outside ---- */

/* Look at a row by the members of its fold. */
static bnre_status look_at(const bnre__region *region, size_t fold,
                           const double *theta, const double *x,
                           bnre__region_room **room, int *outside)
{
    bnre_status status = BNRE_OK;
    double *u = NULL, log_w;

    BNRE_NEW(u, region->earlier->info.dim_theta);
    if (*room == NULL)
        BNRE_TRY(bnre__region_room_open_fold(region, fold, room));
    BNRE_TRY(bnre__region_room_observe(*room, x));
    BNRE_TRY(bnre__region_places(*room, 1, theta, u, &log_w));
    *outside = log_w == -HUGE_VAL;
done:
    bnre__free(u);
    return status;
}

static bnre_status count_outside(const bnre__region *region, bnre_dataset *data,
                                 size_t rows, bnre__round_outside *out)
{
    enum { MOST = 2000 };
    const bnre_estimator *est = region->earlier;
    const bnre_dataset_info *info = bnre_dataset_describe(data);
    const size_t dim = info->dim_theta;
    bnre__region_room *room[BNRE__MOST_FOLDS] = {NULL};
    bnre_status status = BNRE_OK;
    double *theta = NULL, *x = NULL;
    uint32_t *met = NULL; /* of equal rows each is met in turn */
    uint8_t flag;
    size_t fold;

    out->level = region->level;
    out->looked = out->outside = 0;
    BNRE_NEW(theta, info->dim_theta);
    BNRE_NEW(x, info->x_size);
    BNRE_NEW(met, est->hashes);
    for (size_t i = 0; i < rows && out->looked < MOST; i++) {
        int outside = 0;

        BNRE_TRY(bnre_dataset_read(data, i, 1, theta, NULL, x, &flag));
        if (flag != BNRE_DRAW_OK ||
            !bnre__estimator_fold_of(
                est, bnre__row_hash(dim, theta, info->x_size, x), met, &fold))
            continue;
        BNRE_TRY(look_at(region, fold, theta, x, &room[fold], &outside));
        out->looked++;
        out->outside += (size_t)outside;
    }
done:
    for (size_t f = 0; f < BNRE__MOST_FOLDS; f++)
        bnre__region_room_close(room[f]);
    bnre__free(met);
    bnre__free(x);
    bnre__free(theta);
    return status;
}

/* The smallest and the largest level, and steps between. */
static const double LEAST = 1e-5, MOST_OUTSIDE = 0.3, STEP = 1.5;

/* Whether a further truth is outside with a chance of at most `share`: by the
   rank of its own level among those of the others. */
static int is_enough(const bnre__round_outside *now, double share)
{
    return (double)(now->outside + 1) <= share * (double)(now->looked + 1);
}

/* Up or down from `share` to the largest level that is enough. With too few
   truths to tell it is what q says. */
static bnre_status find_level(bnre__region *region, bnre_dataset *data,
                              size_t rows, double share,
                              bnre__round_outside *out)
{
    bnre__round_outside now;
    int up;

    region->level = share;
    BNRE_DO(count_outside(region, data, rows, out));
    if ((double)(out->looked + 1) * share < 1)
        return BNRE_OK;
    up = is_enough(out, share);
    for (;;) {
        region->level = out->level * (up ? STEP : 1 / STEP);
        if (region->level < LEAST || region->level > MOST_OUTSIDE)
            return BNRE_OK;
        BNRE_DO(count_outside(region, data, rows, &now));
        if (up && !is_enough(&now, share))
            return BNRE_OK;
        *out = now;
        if (!up && is_enough(out, share))
            return BNRE_OK;
    }
}

bnre_status bnre__round_level(const char *inner, const char *data, size_t teach,
                              double share, bnre__round_outside *out)
{
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;
    bnre__region *region = NULL;
    bnre_dataset *rows = NULL;
    double *x = NULL;

    *out = (bnre__round_outside){.level = share, .bound = NAN};
    BNRE_TRY(bnre_estimator_open(inner, &est));
    if (est->info.folds == 0)
        goto done;
    BNRE_NEW(x, est->info.x_size);
    BNRE_TRY(bnre_dataset_open(data, &rows));
    BNRE_TRY(bnre__estimator_arrange(est, rows));
    status = bnre__region_create(est, x, share, &region);
    est = NULL;
    BNRE_TRY(status);
    BNRE_TRY(find_level(region, rows, bnre_dataset_describe(rows)->rows - teach,
                        share, out));
    if (out->looked > 0)
        out->bound = bnre__binomial_upper(out->outside, out->looked, 0.05);
done:
    bnre__free(x);
    bnre__region_destroy(region);
    bnre_dataset_close(rows);
    bnre_estimator_close(est);
    return status;
}
