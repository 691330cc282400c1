/* results.c - results.csv: a row for each run, every metric. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/certificate.h"
#include "io/file.h"
#include "output/diagnosis_record.h"
#include "study/job.h"
#include "study/study.h"

/* A run's row: a map from columns to texts. */
struct record {
    const bnre__job *job;
    size_t run;
    char *dir;
    bnre_node *row;
    bnre_study_outcome *outcome;
};

static bnre_status put_real(bnre_node *row, const char *column, double value)
{
    char text[32];

    /* What is not known is left empty. */
    return bnre_node_set(row, column,
                         isnan(value) ? "" : bnre__text_real(value, text));
}

static bnre_status put_size(bnre_node *row, const char *column, uint64_t value)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRIu64, value);
    return bnre_node_set(row, column, text);
}

/* ---- what was run ---- */

/* One that was chosen is a finding: see put_choice(). */
static bnre_status put_lambda(bnre_node *row, const bnre__fields *fields)
{
    if (!bnre_method_is_balanced(fields->train.method))
        return bnre_node_set(row, "lambda", "0");
    if (isnan(fields->train.lambda))
        return bnre_node_set(row, "lambda", "auto");
    return put_real(row, "lambda", fields->train.lambda);
}

static bnre_status put_settings(const struct record *record)
{
    static const char *const usual[] = {"method", "lambda", "recipe",
                                        "simulations", "members"};
    const bnre_study *study = record->job->study;
    const bnre__cell *cell = bnre__run_cell(record->job, record->run);
    const bnre_train_opts *train = &cell->fields.train;
    const size_t repeat = bnre__run_repeat(record->job, record->run);
    bnre_node *row = record->row;

    BNRE_DO(bnre_node_set(row, "cell", cell->name));
    BNRE_DO(put_size(row, "repeat", repeat));
    BNRE_DO(put_size(
        row, "seed",
        bnre__study_seed(study, (size_t)(cell - study->cell), repeat)));
    BNRE_DO(bnre_node_set(row, "task",
                          bnre_task_name(study->task[cell->task].task)));
    BNRE_DO(bnre_node_set(row, "method", bnre_method_name(train->method)));
    BNRE_DO(put_lambda(row, &cell->fields));
    BNRE_DO(bnre_node_set(row, "recipe",
                          train->recipe == BNRE_RECIPE_PAPER ? "paper"
                                                             : "default"));
    BNRE_DO(put_size(row, "simulations", train->simulations));
    BNRE_DO(put_size(row, "members", train->members));
    for (size_t i = 0; i < study->keys; i++) {
        int known = 0;

        for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
            known = known || strcmp(study->key[i], usual[k]) == 0;
        if (!known)
            BNRE_DO(
                bnre_node_set(row, study->key[i],
                              cell->value[i] != NULL ? cell->shown[i] : ""));
    }
    return BNRE_OK;
}

/* ---- what training came to ---- */

/* A column of the history in the epoch whose weights are used, the mean over
   all members. */
static double in_used_epoch(const bnre_estimator *est, const char *column)
{
    const size_t members = bnre_estimator_describe(est)->members;
    double sum = 0;

    for (size_t k = 0; k < members; k++) {
        const bnre_estimator_member m = bnre_estimator_describe_member(est, k);
        const size_t epoch = m.uses_best ? m.best : m.last;
        size_t c = 0;

        while (c < m.columns && strcmp(m.name[c], column) != 0)
            c++;
        if (c == m.columns || epoch == 0 || epoch > m.epochs)
            return NAN;
        sum += m.history[(epoch - 1) * m.columns + c];
    }
    return sum / (double)members;
}

/* What was chosen in training, and whether it is certified. */
static bnre_status put_choice(const struct record *record,
                              const bnre_estimator *est)
{
    bnre_certificate certificate;
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre_certificate_of(est, &certificate));
    if (certificate.kind == BNRE_CERTIFICATE_NONE)
        goto done;
    BNRE_TRY(bnre_node_set(record->row, "certified",
                           certificate.certified ? "yes" : "no"));
    if (certificate.kind == BNRE_CERTIFICATE_CROSS)
        BNRE_TRY(bnre_node_set(record->row, "checked",
                               certificate.checked ? "yes" : "no"));
    BNRE_TRY(put_real(record->row, "chosen_lambda", certificate.lambda));
    BNRE_TRY(put_real(record->row, "chosen_temper", certificate.temper));
    if (certificate.kind == BNRE_CERTIFICATE_CROSS)
        BNRE_TRY(put_real(record->row, "chosen_widen", certificate.widen));
done:
    bnre_certificate_clear(&certificate);
    return status;
}

static bnre_status put_training(const struct record *record)
{
    static const char *const columns[] = {"train_loss", "validation_loss",
                                          "validation_cross_entropy",
                                          "validation_balance"};
    bnre_estimator_member first;
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;
    char *path = NULL;

    BNRE_TRY(bnre__text_format(&path, "%s/estimator.h5", record->dir));
    BNRE_TRY(bnre_estimator_open(path, &est));
    first = bnre_estimator_describe_member(est, 0);
    BNRE_TRY(put_size(record->row, "last_epoch", first.last));
    BNRE_TRY(put_size(record->row, "best_epoch", first.best));
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        BNRE_TRY(
            put_real(record->row, columns[i], in_used_epoch(est, columns[i])));
    BNRE_TRY(put_choice(record, est));
done:
    bnre_estimator_close(est);
    bnre__free(path);
    return status;
}

/* ---- what the diagnosis found ---- */

static bnre_status put_estimate(bnre_node *row, const char *name,
                                const char *suffix, bnre_estimate estimate)
{
    bnre_status status = BNRE_OK;
    char *column = NULL;

    BNRE_TRY(bnre__text_format(&column, "%s%s", name, suffix));
    BNRE_TRY(put_real(row, column, estimate.mean));
    bnre__free(column);
    column = NULL;
    BNRE_TRY(bnre__text_format(&column, "%s%s_error", name, suffix));
    BNRE_TRY(put_real(row, column, estimate.error));
done:
    bnre__free(column);
    return status;
}

static bnre_status put_levels(bnre_node *row, const char *name,
                              const double value[BNRE_DIAG_LEVELS])
{
    char column[64];

    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++) {
        snprintf(column, sizeof column, "%s_0.%02zu", name, 5 * (i + 1));
        BNRE_DO(put_real(row, column, value[i]));
    }
    return BNRE_OK;
}

static bnre_status put_parameter(bnre_node *row,
                                 const bnre_diag_parameter *parameter)
{
    bnre_status status = BNRE_OK;
    char *suffix = NULL, *column = NULL;

    BNRE_TRY(bnre__text_format(&suffix, ".%s", parameter->name));
    BNRE_TRY(put_estimate(row, "bias", suffix, parameter->bias));
    BNRE_TRY(put_estimate(row, "variance", suffix, parameter->variance));
    BNRE_TRY(bnre__text_format(&column, "sbc_p%s", suffix));
    BNRE_TRY(put_real(row, column, parameter->sbc.ks_p));
done:
    bnre__free(column);
    bnre__free(suffix);
    return status;
}

static bnre_status put_found(bnre_node *row,
                             const bnre__diagnosis_record *found,
                             const bnre_diag_curve *curve)
{
    const bnre_models_report *models = &found->models;
    const bnre_diag *diag = found->diag;

    BNRE_DO(put_real(row, "pairs", (double)diag->n));
    BNRE_DO(put_estimate(row, "auc", "", curve->coverage.auc));
    BNRE_DO(put_estimate(row, "mean_auc", "", curve->coverage.mean_auc));
    BNRE_DO(put_estimate(row, "information", "", curve->information));
    BNRE_DO(put_estimate(row, "log_posterior", "", diag->log_posterior));
    BNRE_DO(
        put_estimate(row, "raw_log_posterior", "", diag->raw_log_posterior));
    BNRE_DO(put_estimate(row, "balance", "", diag->balance));
    BNRE_DO(
        put_estimate(row, "normalised_balance", "", diag->normalised_balance));
    BNRE_DO(put_estimate(row, "doubling", "", diag->doubling));
    BNRE_DO(put_real(row, "log_posterior_median", diag->log_posterior_median));
    BNRE_DO(put_real(row, "ess_median", curve->ess_median));
    BNRE_DO(put_real(row, "ess_low", curve->ess_low));
    BNRE_DO(put_estimate(row, "auc", "_tarp", diag->tarp.auc));
    if (diag->n_members > 0)
        BNRE_DO(put_estimate(row, "spread", "", diag->spread));
    if (models->n > 0) {
        BNRE_DO(put_real(row, "accuracy", models->accuracy));
        BNRE_DO(put_real(row, "accuracy_error", models->accuracy_error));
        BNRE_DO(put_real(row, "calibration", models->calibration));
        BNRE_DO(
            put_real(row, "calibration_chance", models->calibration_chance));
    }
    BNRE_DO(put_levels(row, "coverage", curve->coverage.share));
    BNRE_DO(put_levels(row, "volume", diag->volume));
    for (size_t i = 0; i < diag->dim; i++)
        BNRE_DO(put_parameter(row, &diag->parameter[i]));
    return BNRE_OK;
}

static bnre_status put_diagnosis(const struct record *record)
{
    bnre_study_outcome *outcome = record->outcome;
    bnre__diagnosis_record *found = NULL;
    bnre_status status = BNRE_OK;
    const bnre_diag_curve *curve;
    char *path = NULL;

    BNRE_TRY(bnre__text_format(&path, "%s/diagnose.json", record->dir));
    BNRE_TRY(bnre__diagnosis_read(path, &found));
    curve = bnre__diagnosis_curve(found);
    if (curve == NULL)
        BNRE_THROW(BNRE_EFORMAT, "%s has no verdict", path);
    snprintf(outcome->verdict, sizeof outcome->verdict, "%s",
             bnre_verdict_name(curve->judgement.verdict));
    outcome->auc = curve->coverage.auc.mean;
    outcome->information = curve->information.mean;
    BNRE_TRY(bnre_node_set(record->row, "verdict", outcome->verdict));
    BNRE_TRY(put_found(record->row, found, curve));
done:
    bnre__diagnosis_destroy(found);
    bnre__free(path);
    return status;
}

/* ---- the table ---- */

/* The row of a run; one that is not done has settings only. */
static bnre_status make_row(const bnre__job *job, size_t run, bnre_node **out,
                            bnre_study_outcome *outcome)
{
    const bnre__cell *cell = bnre__run_cell(job, run);
    struct record record = {.job = job, .run = run, .outcome = outcome};
    bnre_status status = BNRE_OK;
    int changed, damaged;
    bnre__stage next;

    *outcome =
        (bnre_study_outcome){.cell = run / job->study->fields.study.repeats,
                             .repeat = bnre__run_repeat(job, run),
                             .auc = NAN,
                             .information = NAN};
    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, out));
    record.row = *out;
    BNRE_TRY(put_settings(&record));
    BNRE_TRY(bnre__run_examine(job, run, &next, &changed, &damaged));
    outcome->done = next == BNRE__STAGES;
    if (!outcome->done)
        goto done;
    BNRE_TRY(bnre__run_path(job, run, &record.dir));
    BNRE_TRY(put_training(&record));
    if (cell->rows[BNRE_SPLIT_TEST] > 0)
        BNRE_TRY(put_diagnosis(&record));
done:
    bnre__free(record.dir);
    return status;
}

/* Columns in the order in which rows have them. */
static bnre_status collect_columns(size_t n, bnre_node *const *row,
                                   bnre_node *columns)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < row[i]->count; k++)
            if (bnre_node_find(columns, row[i]->child[k]->key) == NULL)
                BNRE_DO(bnre_node_set(columns, row[i]->child[k]->key, ""));
    return BNRE_OK;
}

static bnre_status write_cell(bnre__file *file, int first, const char *text)
{
    const int quote = strpbrk(text, ",\"\n") != NULL;

    if (!first)
        BNRE_DO(bnre__file_write(file, ",", 1));
    if (quote)
        BNRE_DO(bnre__file_write(file, "\"", 1));
    for (; *text != 0; text++) {
        if (*text == '"')
            BNRE_DO(bnre__file_write(file, "\"", 1));
        BNRE_DO(bnre__file_write(file, text, 1));
    }
    if (quote)
        BNRE_DO(bnre__file_write(file, "\"", 1));
    return BNRE_OK;
}

static bnre_status write_table(const char *path, const bnre_node *columns,
                               size_t n, bnre_node *const *row)
{
    bnre_status status = BNRE_OK;
    bnre__file *file = NULL;

    BNRE_TRY(bnre__file_create(path, &file));
    for (size_t k = 0; k < columns->count; k++)
        BNRE_TRY(write_cell(file, k == 0, columns->child[k]->key));
    BNRE_TRY(bnre__file_write(file, "\n", 1));
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < columns->count; k++) {
            const bnre_node *cell =
                bnre_node_find(row[i], columns->child[k]->key);

            BNRE_TRY(write_cell(file, k == 0, cell != NULL ? cell->text : ""));
        }
        BNRE_TRY(bnre__file_write(file, "\n", 1));
    }
done:
    return bnre__file_end(file, status);
}

bnre_status bnre__results_write(const bnre__job *job, bnre_study_result *result)
{
    bnre_status status = BNRE_OK;
    bnre_node **row = NULL, *columns = NULL;
    char *path = NULL;
    size_t n = 0;

    BNRE_NEW(result->outcome, job->runs);
    BNRE_NEW(row, job->runs);
    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &columns));
    for (size_t i = 0; i < job->runs; i++) {
        BNRE_TRY(make_row(job, i, &row[n], &result->outcome[i]));
        n++;
        result->failed += !result->outcome[i].done;
    }
    BNRE_TRY(collect_columns(n, row, columns));
    BNRE_TRY(bnre__job_path(job, &path, "results.csv"));
    BNRE_TRY(write_table(path, columns, n, row));
done:
    for (size_t i = 0; row != NULL && i < job->runs; i++)
        bnre_node_destroy(row[i]);
    bnre__free(row);
    bnre_node_destroy(columns);
    bnre__free(path);
    return status;
}
