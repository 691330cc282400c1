/* diagnose_samples.c - posteriors made elsewhere, for the command `diagnose`.
 */
#include "base/mem.h"
#include "bnre/settings.h"
#include "command/diagnose.h"
#include "output/diag_files.h"

struct elsewhere {
    bnre_diag_samples samples;
    bnre_task *task; /* of the data */
    double *theta;   /* of the data, if the samples do not bring them */
};

/* The prior that samples are compared with: of the estimator, or of the task
   that the data are from. */
static bnre_status find_prior(const bnre__diagnose_work *work,
                              struct elsewhere *found)
{
    bnre_status status = BNRE_OK;
    bnre_node *node = NULL;
    const char *text;

    if (work->estimator != NULL) {
        found->samples.prior = bnre_estimator_prior(work->estimator);
        return BNRE_OK;
    }
    text = work->data != NULL ? bnre_dataset_describe(work->data)->task : NULL;
    if (text == NULL)
        return BNRE_OK;
    BNRE_TRY(bnre_yaml_parse(text, NULL, &node));
    BNRE_TRY(bnre_task_describe(node, &found->task));
    found->samples.prior = bnre_task_prior(found->task);
done:
    bnre_node_destroy(node);
    return status;
}

/* Samples that stand alone bring the true parameters. */
static bnre_status arrange_alone(const bnre__diagnose_work *work,
                                 bnre_diag_samples *samples)
{
    const bnre_estimator_info *info;

    if (samples->theta == NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "%s has no array theta: give the true parameters "
                         "with data: FILE",
                         work->settings->samples_file);
    if (work->estimator == NULL)
        return BNRE_OK;
    info = bnre_estimator_describe(work->estimator);
    return bnre__diag_samples_arrange(samples, info->dim_theta,
                                      info->theta_name);
}

/* True parameters from the dataset, if the samples do not bring them. */
static bnre_status find_theta(const bnre__diagnose_work *work,
                              struct elsewhere *found)
{
    bnre_diag_samples *samples = &found->samples;
    bnre_status status = BNRE_OK;
    const bnre_dataset_info *info;

    if (work->data == NULL)
        return arrange_alone(work, samples);
    info = bnre_dataset_describe(work->data);
    if (samples->prior != NULL)
        BNRE_TRY(bnre_dataset_arrange(work->data, samples->prior, NULL));
    BNRE_TRY(
        bnre__diag_samples_arrange(samples, info->dim_theta, info->theta_name));
    if (samples->theta != NULL)
        return BNRE_OK;
    if (info->rows != samples->n || info->dim_theta != samples->dim)
        BNRE_THROW(BNRE_EUSAGE,
                   "samples are for %zu pairs of %zu parameters, %s has %zu of "
                   "%zu",
                   samples->n, samples->dim, work->settings->data, info->rows,
                   info->dim_theta);
    BNRE_NEW(found->theta, info->rows * info->dim_theta);
    samples->theta = found->theta;
    BNRE_TRY(bnre_dataset_read(work->data, 0, info->rows, found->theta, NULL,
                               NULL, NULL));
done:
    return status;
}

bnre_status bnre__diagnose_elsewhere(const bnre__diagnose_work *work)
{
    struct elsewhere found = {0};
    bnre_status status = BNRE_OK;

    BNRE_TRY(
        bnre__diag_samples_read(work->settings->samples_file, &found.samples));
    found.samples.normalised = work->settings->normalised;
    BNRE_TRY(find_prior(work, &found));
    BNRE_TRY(find_theta(work, &found));
    BNRE_TRY(bnre_diagnose_samples(&found.samples, &work->opts,
                                   &work->outcome->diag));
done:
    if (found.theta != NULL) /* those of a file are its own */
        found.samples.theta = NULL;
    bnre__diag_samples_clear(&found.samples);
    bnre__free(found.theta);
    bnre_task_destroy(found.task);
    return status;
}
