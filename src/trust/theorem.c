/* The inequalities of the theory, with the exact classifier of a task. */
#include "bnre/certificate.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/density.h"
#include "bnre/rng.h"
#include "bnre/settings.h"
#include "data/dataset.h"
#include "diag/cells.h"
#include "diag/rank.h"
#include "num/streams.h"
#include "trust/theorem.h"

/* ---- the likelihood as a density ---- */

struct exact {
    bnre_task *task;
    size_t dim, size;
    double *x; /* (size) observed */
};

static bnre_status observe(void *session, const double *x)
{
    struct exact *exact = session;

    memcpy(exact->x, x, exact->size * sizeof *x);
    return BNRE_OK;
}

static bnre_status log_likelihood(void *session, size_t n, const double *theta,
                                  double *out, double *gradient)
{
    struct exact *exact = session;

    (void)gradient;
    for (size_t i = 0; i < n; i++)
        BNRE_DO(bnre_task_log_likelihood(exact->task, theta + i * exact->dim,
                                         exact->x, &out[i]));
    return BNRE_OK;
}

/* ---- logits ---- */

static double log_sigmoid(double l)
{
    return l >= 0 ? -log1p(exp(-l)) : l - log1p(exp(l));
}

/* Log ratios of joint pairs are below this once in 10^13: P(l < -t) <= exp(-t),
   as exp(-l) is 1 on average over joint pairs. */
static const double IMPOSSIBLE = -30;

struct work {
    bnre_session *exact, *classifier;
    bnre__cells *cells;                           /* for evidence, */
    size_t room;                                  /* so many at most */
    double *theta, *log_mass, *log_prior, *value; /* of their points */
    double *joint[2], *marginal[2]; /* (n) logits of d, and of e */
};

/* log p(x), from points where the likelihood is; i names their random numbers.
   At most two evaluations of the likelihood for each cell, of which there are
   up to four times as many as in a diagnosis. */
static bnre_status find_evidence(struct work *work, size_t i, double *log_z)
{
    bnre_rng rng = bnre_rng_stream(
        1, bnre__purpose(BNRE_USE_POINTS, BNRE_SPLIT_TEST), (uint64_t)i);
    size_t n, evaluations = 0;
    double top = -HUGE_VAL, sum = 0, mass = 0;

    BNRE_DO(bnre__cells_fit(work->cells, work->exact, &evaluations));
    n = bnre__cells_draw_all(work->cells, &rng, 0, work->theta, work->log_mass,
                             work->log_prior, NULL);
    BNRE_DO(
        bnre_session_log_ratio(work->exact, n, work->theta, work->value, NULL));
    for (size_t k = 0; k < n; k++)
        top = fmax(top, work->value[k] + work->log_mass[k]);
    for (size_t k = 0; k < n && top > -HUGE_VAL; k++) {
        sum += exp(work->value[k] + work->log_mass[k] - top);
        mass += exp(work->log_mass[k]);
    }
    *log_z = sum > 0 ? top + log(sum / mass) : -HUGE_VAL;
    return BNRE_OK;
}

static bnre_status open_work(struct work *work, const bnre_density *likelihood,
                             const bnre_density *density, size_t n)
{
    enum { MORE = 4 }; /* times the cells of a diagnosis */
    const bnre_prior *prior = likelihood->prior;
    const size_t dim = bnre_prior_dim(prior);
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__cells_create(prior, 0, 0, &work->cells));
    work->room = MORE * bnre__cells_room(work->cells);
    bnre__cells_destroy(work->cells);
    work->cells = NULL;
    BNRE_TRY(bnre__cells_create(prior, work->room, 0, &work->cells));
    BNRE_NEW(work->theta, work->room * dim);
    BNRE_NEW(work->log_mass, work->room);
    BNRE_NEW(work->log_prior, work->room);
    BNRE_NEW(work->value, work->room);
    for (int k = 0; k < 2; k++) {
        BNRE_NEW(work->joint[k], n);
        BNRE_NEW(work->marginal[k], n);
    }
    BNRE_TRY(bnre_session_open(likelihood, NULL, &work->exact));
    BNRE_TRY(bnre_session_open(density, NULL, &work->classifier));
done:
    return status;
}

static void close_work(struct work *work)
{
    bnre_session_close(work->classifier);
    bnre_session_close(work->exact);
    for (int k = 0; k < 2; k++) {
        bnre__free(work->marginal[k]);
        bnre__free(work->joint[k]);
    }
    bnre__free(work->value);
    bnre__free(work->log_prior);
    bnre__free(work->log_mass);
    bnre__free(work->theta);
    bnre__cells_destroy(work->cells);
}

/* Leave out what cannot be: data that were rounded so coarsely that their own
   parameters can no longer have made them. Gives how many stay. */
static size_t leave_out(struct work *work, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (!(work->joint[1][i] > IMPOSSIBLE))
            continue;
        for (int k = 0; k < 2; k++) {
            work->joint[k][kept] = work->joint[k][i];
            work->marginal[k][kept] = work->marginal[k][i];
        }
        kept++;
    }
    return kept;
}

/* The logits of pair i, both classifiers, both classes. */
static bnre_status look_at(struct work *work, size_t i, const double *theta,
                           const double *other, const double *x)
{
    double log_z;

    BNRE_DO(bnre_session_observe(work->classifier, 1, x));
    BNRE_DO(bnre_session_log_ratio(work->classifier, 1, theta,
                                   &work->joint[0][i], NULL));
    BNRE_DO(bnre_session_log_ratio(work->classifier, 1, other,
                                   &work->marginal[0][i], NULL));
    BNRE_DO(bnre_session_observe(work->exact, 1, x));
    BNRE_DO(find_evidence(work, i, &log_z));
    BNRE_DO(bnre_session_log_ratio(work->exact, 1, theta, &work->joint[1][i],
                                   NULL));
    BNRE_DO(bnre_session_log_ratio(work->exact, 1, other, &work->marginal[1][i],
                                   NULL));
    work->joint[1][i] -= log_z;
    work->marginal[1][i] -= log_z;
    return BNRE_OK;
}

/* ---- sums ---- */

/* `scratch` (n). */
static void sum_up(const struct work *work, size_t n, double *scratch,
                   bnre_theorem *out)
{
    const double *a = work->joint[0], *b = work->marginal[0];
    const double *ea = work->joint[1], *eb = work->marginal[1];
    double balance;

    out->n = n;
    for (size_t i = 0; i < n; i++)
        scratch[i] = exp(log_sigmoid(ea[i])) + exp(log_sigmoid(eb[i]));
    out->exact_balance = bnre__estimate(n, scratch, 1);
    for (size_t i = 0; i < n; i++)
        scratch[i] = exp(log_sigmoid(a[i])) + exp(log_sigmoid(b[i]));
    out->balance = bnre__estimate(n, scratch, 1);
    balance = out->balance.mean;
    for (size_t i = 0; i < n; i++)
        scratch[i] = log_sigmoid(ea[i]) - log_sigmoid(a[i]);
    out->joint = bnre__estimate(n, scratch, 1);
    /* log B is as good as linear in B here, so that a pair's part in it is
       d / B. */
    for (size_t i = 0; i < n; i++)
        scratch[i] +=
            (exp(log_sigmoid(a[i])) + exp(log_sigmoid(b[i]))) / balance;
    out->joint_gap = bnre__estimate(n, scratch, 1);
    out->joint_gap.mean = out->joint.mean + log(balance);
    for (size_t i = 0; i < n; i++)
        scratch[i] = log_sigmoid(-eb[i]) - log_sigmoid(-b[i]);
    out->marginal = bnre__estimate(n, scratch, 1);
    for (size_t i = 0; i < n; i++)
        scratch[i] -=
            (exp(log_sigmoid(a[i])) + exp(log_sigmoid(b[i]))) / (2 - balance);
    out->marginal_gap = bnre__estimate(n, scratch, 1);
    out->marginal_gap.mean = out->marginal.mean + log(2 - balance);
    out->holds =
        out->joint_gap.mean >= -3 * out->joint_gap.error &&
        out->marginal_gap.mean >= -3 * out->marginal_gap.error &&
        fabs(out->exact_balance.mean - 1) <= 3 * out->exact_balance.error;
}

static bnre_status check(const bnre_task *task, const bnre_density *density,
                         size_t n)
{
    if (!bnre_task_tractable(task))
        return bnre_fail(BNRE_EUSAGE,
                         "the task %s does not tell its likelihood: there is "
                         "no exact classifier to compare with",
                         bnre_task_name(task));
    if (n < BNRE_DIAG_LEAST)
        return bnre_fail(BNRE_EUSAGE, "%zu pairs are too few: %d are the least",
                         n, BNRE_DIAG_LEAST);
    if (!bnre_prior_has_density(bnre_task_prior(task)))
        return bnre_fail(BNRE_EUSAGE, "the prior is known by draws only: there "
                                      "is no exact classifier");
    if (bnre_prior_dim(bnre_task_prior(task)) !=
            bnre_prior_dim(density->prior) ||
        bnre_task_x_size(task) != density->x_size)
        return bnre_fail(BNRE_EUSAGE, "the pairs are of another task");
    return BNRE_OK;
}

bnre_status bnre__theorem_check(bnre_task *task, const bnre_density *density,
                                size_t n, const double *theta, const double *x,
                                const bnre_monitor *monitor, bnre_theorem *out)
{
    struct exact exact = {.task = task,
                          .dim = bnre_prior_dim(bnre_task_prior(task)),
                          .size = bnre_task_x_size(task)};
    const bnre_density likelihood = {.prior = bnre_task_prior(task),
                                     .x_size = exact.size,
                                     .context = &exact,
                                     .observe = observe,
                                     .log_ratio = log_likelihood};
    struct work work = {0};
    bnre_status status = BNRE_OK;
    double *scratch = NULL;
    size_t kept;

    BNRE_TRY(check(task, density, n));
    BNRE_NEW(exact.x, exact.size);
    BNRE_NEW(scratch, n);
    BNRE_TRY(open_work(&work, &likelihood, density, n));
    for (size_t i = 0; i < n; i++) {
        BNRE_TRY(look_at(&work, i, theta + i * exact.dim,
                         theta + (i + 1) % n * exact.dim, x + i * exact.size));
        if (monitor != NULL && monitor->progress != NULL &&
            monitor->progress(monitor->context, i + 1, 0, n) != 0)
            BNRE_THROW(BNRE_EINTR, "interrupted");
    }
    kept = leave_out(&work, n);
    if (kept < BNRE_DIAG_LEAST)
        BNRE_THROW(BNRE_ENUM,
                   "%zu of %zu pairs cannot have been made by their own "
                   "parameters: are they of this task?",
                   n - kept, n);
    sum_up(&work, kept, scratch, out);
    out->left_out = n - kept;
done:
    close_work(&work);
    bnre__free(scratch);
    bnre__free(exact.x);
    return status;
}

/* The task of a dataset. What it names besides a built-in one is not run. */
static bnre_status recorded_task(const bnre_dataset_info *info, bnre_task **out)
{
    bnre_status status = BNRE_OK;
    bnre_node *node = NULL;

    if (info->task == NULL)
        return bnre_fail(BNRE_EUSAGE, "the pairs do not tell their task");
    BNRE_TRY(bnre_yaml_parse(info->task, NULL, &node));
    if (bnre_node_find(node, "simulator") != NULL)
        BNRE_THROW(BNRE_EUSAGE,
                   "the pairs are of a plugin or program, and what a data file "
                   "names is never run: if you trust it, name the task "
                   "yourself with `task: FILE.yaml`");
    BNRE_TRY(bnre_task_describe(node, out));
done:
    bnre_node_destroy(node);
    return status;
}

bnre_status bnre__theorem_check_dataset(bnre_task *task,
                                        const bnre_density *density,
                                        bnre_dataset *data, size_t most,
                                        const bnre_monitor *monitor,
                                        bnre_theorem *out)
{
    const bnre_dataset_info *info = bnre_dataset_describe(data);
    const size_t rows = info->rows < most ? info->rows : most;
    bnre_status status = BNRE_OK;
    double *theta = NULL;
    double *x = NULL;
    uint8_t *drawn = NULL;
    bnre_task *recorded = NULL;
    size_t n = 0;

    if (task == NULL) {
        BNRE_TRY(recorded_task(info, &recorded));
        task = recorded;
    }
    BNRE_NEW(theta, rows * info->dim_theta);
    BNRE_NEW(x, rows * info->x_size);
    BNRE_NEW(drawn, rows);
    BNRE_TRY(bnre__dataset_arrange(data, density->prior, density->x_name));
    BNRE_TRY(bnre_dataset_read(data, 0, rows, theta, NULL, x, drawn));
    for (size_t i = 0; i < rows; i++)
        if (drawn[i] == BNRE_DRAW_OK) {
            memmove(theta + n * info->dim_theta, theta + i * info->dim_theta,
                    info->dim_theta * sizeof *theta);
            memmove(x + n * info->x_size, x + i * info->x_size,
                    info->x_size * sizeof *x);
            n++;
        }
    BNRE_TRY(bnre__theorem_check(task, density, n, theta, x, monitor, out));
done:
    bnre__free(drawn);
    bnre__free(x);
    bnre__free(theta);
    bnre_task_destroy(recorded);
    return status;
}
