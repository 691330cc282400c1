#include "advise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "print_trust.h"

enum { MOST = 2000 }; /* pairs that are enough here */

void cli_findings_clear(struct cli_findings *findings)
{
    bnre_advice_clear(&findings->advice);
    free(findings->certificate);
}

bnre_status cli_keep_certificate(const bnre_estimator *estimator,
                                 struct cli_findings *findings)
{
    const bnre_estimator_info *info = bnre_estimator_describe(estimator);
    bnre_status status = BNRE_OK;

    CLI_TRY(cli_copy(info->certificate, &findings->certificate));
    findings->tested = info->temper;
    findings->guarantee = (bnre_guarantee){.certificate = findings->certificate,
                                           .temper = info->temper,
                                           .outside = (double)NAN};
done:
    return status;
}

/* The certificate, if it is about the posteriors that are looked at. */
static const char *certificate_here(const struct cli_findings *findings)
{
    const bnre_guarantee *guarantee = &findings->guarantee;

    return guarantee->temper == findings->tested && guarantee->observations <= 1
               ? findings->certificate
               : NULL;
}

static bnre_status read_observation(const struct cli_wishes *wishes,
                                    bnre_observations *observed)
{
    const bnre_dataset_info *info = bnre_dataset_describe(wishes->data);
    const char *const path[] = {wishes->observation};

    const bnre_observation_form form = {
        .ndim = info->ndim,
        .shape = info->shape,
        .x_name = info->x_name,
    };

    return bnre_observations_read(&form, 1, path, observed);
}

/* What a data file names is not run: of a plugin, the user has to name it. */
static bnre_status refuse_foreign(const struct cli_wishes *wishes)
{
    const char *text = bnre_dataset_describe(wishes->data)->task;
    bnre_status status = BNRE_OK;
    bnre_node *node = NULL;

    if (text == NULL || wishes->task != NULL)
        return BNRE_OK;
    CLI_TRY(bnre_yaml_parse(text, NULL, &node));
    if (bnre_node_find(node, "simulator") != NULL)
        CLI_TRY(bnre_fail(BNRE_EUSAGE,
                          "--theorems needs the plugin of the task, and what a "
                          "data file names is never run: if you trust it, name "
                          "the task yourself with --task FILE.yaml"));
done:
    bnre_node_destroy(node);
    return status;
}

bnre_status cli_check_wishes(const struct cli_wishes *wishes)
{
    bnre_observations observed = {0};
    bnre_dataset *learned = NULL;
    bnre_status status = BNRE_OK;

    if (wishes->estimator == NULL)
        return BNRE_OK;
    if (wishes->observation != NULL)
        CLI_TRY(read_observation(wishes, &observed));
    if (wishes->learning_curve != NULL)
        CLI_TRY(bnre_dataset_open(wishes->learning_curve, &learned));
    if (wishes->theorems > 0 && wishes->theorems < BNRE_DIAG_LEAST)
        CLI_TRY(bnre_fail(BNRE_EUSAGE, "--theorems %zu: %d pairs are the least",
                          wishes->theorems, BNRE_DIAG_LEAST));
    if (wishes->theorems > 0 && wishes->data != NULL)
        CLI_TRY(refuse_foreign(wishes));
done:
    bnre_dataset_close(learned);
    bnre_observations_clear(&observed);
    return status;
}

bnre_status cli_record_wishes(const struct cli_wishes *wishes, bnre_node *made)
{
    bnre_observations observed = {0};
    bnre_dataset *learned = NULL;
    bnre_status status = BNRE_OK;
    char text[33];

    if (wishes->estimator == NULL)
        return BNRE_OK;
    if (wishes->observation != NULL) {
        CLI_TRY(read_observation(wishes, &observed));
        bnre_observations_fingerprint(&observed, text);
        CLI_TRY(bnre_node_set(made, "observed", text));
    }
    if (wishes->learning_curve != NULL) {
        CLI_TRY(bnre_dataset_open(wishes->learning_curve, &learned));
        CLI_TRY(bnre_dataset_fingerprint(learned, text));
        CLI_TRY(bnre_node_set(made, "learning_curve", text));
    }
    if (wishes->theorems > 0) {
        snprintf(text, sizeof text, "%zu", wishes->theorems);
        CLI_TRY(bnre_node_set(made, "theorems", text));
    }
done:
    bnre_dataset_close(learned);
    bnre_observations_clear(&observed);
    return status;
}

/* How far the observation is from the pairs; NaN if there is none. */
static bnre_status look_outside(const struct cli_wishes *wishes, double *p)
{
    bnre_observations observed = {0};
    bnre_status status = BNRE_OK;

    *p = (double)NAN;
    if (wishes->observation == NULL)
        return BNRE_OK;
    CLI_TRY(read_observation(wishes, &observed));
    CLI_TRY(bnre_outside_dataset(wishes->data, MOST, observed.x, p));
done:
    bnre_observations_clear(&observed);
    return status;
}

/* The exact classifier comes from the task of the data, which the user has to
   name if it is not built in. */
static bnre_status check_theorems(const struct cli_wishes *wishes,
                                  const bnre_density *density,
                                  const bnre_monitor *monitor,
                                  bnre_theorem *out)
{
    const char *recorded = bnre_dataset_describe(wishes->data)->task;
    bnre_status status = BNRE_OK;
    bnre_task *task = NULL;

    if (wishes->task != NULL) {
        CLI_TRY(bnre_task_open(wishes->task, 0, NULL, &task));
        if (recorded != NULL && strcmp(recorded, bnre_task_text(task)) != 0)
            CLI_TRY(bnre_fail(BNRE_EUSAGE, "%s is of another task than %s",
                              wishes->data_path, wishes->task));
    }
    CLI_TRY(bnre_theorem_check_dataset(task, density, wishes->data,
                                       wishes->theorems, monitor, out));
done:
    bnre_task_destroy(task);
    return status;
}

static bnre_status work_on(const struct cli_wishes *wishes,
                           const bnre_monitor *monitor,
                           struct cli_findings *findings)
{
    const bnre_density density =
        bnre_estimator_density(wishes->estimator, BNRE_ALL_MEMBERS);
    bnre_status status = BNRE_OK, restored;
    char stem[CLI_PATH];

    if (wishes->theorems > 0)
        CLI_TRY(check_theorems(wishes, &density, monitor, &findings->theorem));
    if (wishes->learning_curve == NULL)
        return BNRE_OK;
    snprintf(stem, sizeof stem, "%s.learning", wishes->estimator_path);
    CLI_TRY(bnre_estimator_set_temper(wishes->estimator, wishes->temper));
    status = bnre_learning_curve_make(wishes->estimator, wishes->learning_curve,
                                      wishes->data_path, MOST, stem,
                                      wishes->pool, monitor, &findings->curve);
    restored = bnre_estimator_set_temper(wishes->estimator, 1);
    CLI_TRY(status);
    status = restored;
done:
    return status;
}

bnre_status cli_advise(const struct cli_wishes *wishes, const bnre_diag *diag,
                       struct cli_findings *findings)
{
    bnre_advice_opts opts = {.outside = (double)NAN};
    bnre_status status = BNRE_OK;
    struct progress progress;
    bnre_monitor monitor;

    if (wishes->estimator != NULL) {
        opts.estimator = bnre_estimator_describe(wishes->estimator);
        opts.certificate = certificate_here(findings);
        CLI_TRY(look_outside(wishes, &opts.outside));
        CLI_TRY(
            bnre_failures_missing(opts.estimator, wishes->data, &opts.missing));
        if (wishes->theorems > 0 || wishes->learning_curve != NULL) {
            monitor = cli_progress_start(&progress, "advise", wishes->common);
            status = work_on(wishes, &monitor, findings);
            cli_progress_finish(&progress);
            CLI_TRY(status);
        }
        if (findings->curve.n > 0)
            opts.curve = &findings->curve;
    }
    CLI_TRY(bnre_advise(diag, &opts, &findings->advice));
done:
    return status;
}

bnre_status cli_print_findings(const struct cli_findings *findings)
{
    bnre_status status = BNRE_OK;

    if (findings->theorem.n > 0)
        cli_print_theorem(&findings->theorem);
    if (findings->curve.n > 0)
        cli_print_curve(&findings->curve);
    if (findings->certificate != NULL) {
        cli_print("\n");
        CLI_TRY(cli_print_guarantee(&findings->guarantee));
    }
    cli_print_advice(&findings->advice);
done:
    return status;
}

bnre_status cli_add_findings(const struct cli_findings *findings,
                             const char *json)
{
    return bnre_advice_add_json(
        json, &findings->advice, certificate_here(findings),
        findings->theorem.n > 0 ? &findings->theorem : NULL,
        findings->curve.n > 0 ? &findings->curve : NULL);
}
