/* posterior_each_files.c - posteriors of the rows of a dataset as files: a table,
   the same for programs, and one array of draws. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "command/posterior_each.h"
#include "io/csv.h"
#include "io/file.h"
#include "io/json.h"
#include "io/npy.h"

static const char *const summary_name[BNRE__EACH_SUMMARY] = {
    "mean", "sd", "median", "low_68", "high_68", "low_95", "high_95", "mode"};
static const char *const further_name[BNRE__EACH_FURTHER] = {
    "log_evidence",
    "log_evidence_error",
    "effective_draws",
    "truth_in_region",
    "outside",
    "outside_p",
    "doubt"};

struct files {
    bnre__file *csv, *npy;
    bnre__json *root, *list;
    double *number, *draws, *line;
};

static bnre_status begin_csv(const bnre__each *each, struct files *files)
{
    bnre_status status = BNRE_OK;
    char **own = NULL;
    const char **name = NULL;

    BNRE_NEW(own, each->dim * BNRE__EACH_SUMMARY);
    BNRE_NEW(name, 1 + each->numbers);
    name[0] = "row";
    for (size_t i = 0; i < each->dim * BNRE__EACH_SUMMARY; i++) {
        BNRE_TRY(bnre__text_format(
            &own[i], "%s.%s", each->info->theta_name[i / BNRE__EACH_SUMMARY],
            summary_name[i % BNRE__EACH_SUMMARY]));
        name[1 + i] = own[i];
    }
    memcpy(name + 1 + each->dim * BNRE__EACH_SUMMARY, further_name,
           sizeof further_name);
    BNRE_TRY(bnre__csv_write_header(files->csv, 1 + each->numbers, name));
done:
    for (size_t i = 0; own != NULL && i < each->dim * BNRE__EACH_SUMMARY; i++)
        bnre__free(own[i]);
    bnre__free(own);
    bnre__free(name);
    return status;
}

static bnre_status begin_files(const bnre__each *each, struct files *files)
{
    const char *place = bnre__output_place(each->work->output);
    const size_t shape[] = {each->rows, each->samples, each->dim};
    bnre_status status = BNRE_OK;
    bnre__json *names;
    char *path = NULL;

    BNRE_TRY(bnre__text_format(&path, "%s/summaries.csv", place));
    BNRE_TRY(bnre__file_create(path, &files->csv));
    BNRE_TRY(begin_csv(each, files));
    bnre__free(path);
    path = NULL;
    BNRE_TRY(bnre__text_format(&path, "%s/samples.npy", place));
    BNRE_TRY(bnre__file_create(path, &files->npy));
    BNRE_TRY(bnre__npy_write_header(files->npy, 'f', sizeof(double), 3, shape));
    BNRE_TRY(bnre__json_create(&files->root));
    BNRE_TRY(bnre__json_list(files->root, "parameters", &names));
    for (size_t i = 0; i < each->dim; i++)
        BNRE_TRY(bnre__json_text(names, NULL, each->info->theta_name[i]));
    BNRE_TRY(bnre__json_list(files->root, "posteriors", &files->list));
    BNRE_NEW(files->number, each->numbers);
    BNRE_NEW(files->line, 1 + each->numbers);
    BNRE_NEW(files->draws, each->samples * each->dim);
done:
    bnre__free(path);
    return status;
}

static bnre_status add_json(const bnre__each *each, const struct files *files,
                            size_t row)
{
    const double *number = files->number, *further;
    bnre__json *one, *parameter;

    further = number + each->dim * BNRE__EACH_SUMMARY;
    BNRE_DO(bnre__json_object(files->list, NULL, &one));
    BNRE_DO(bnre__json_size(one, "row", row));
    for (size_t i = 0; i < each->dim; i++) {
        BNRE_DO(bnre__json_object(one, each->info->theta_name[i], &parameter));
        for (size_t k = 0; k < BNRE__EACH_SUMMARY; k++)
            BNRE_DO(bnre__json_real(parameter, summary_name[k],
                                    number[i * BNRE__EACH_SUMMARY + k]));
    }
    for (size_t k = 0; k < BNRE__EACH_FURTHER; k++)
        BNRE_DO(bnre__json_real(one, further_name[k], further[k]));
    return BNRE_OK;
}

static void count(const bnre__each *each, const double *number)
{
    bnre_posterior_rows *rows = &each->work->outcome->each;
    const double *further = number + each->dim * BNRE__EACH_SUMMARY;

    rows->failed += isnan(further[BNRE__EACH_DOUBT]) != 0;
    rows->outside += further[BNRE__EACH_OUTSIDE] > 0;
    rows->unlike += further[BNRE__EACH_OUTSIDE_P] < BNRE_UNLIKE;
    rows->doubtful += further[BNRE__EACH_DOUBT] > 0;
}

/* Rows in their order, whatever that of the journal. A row that two processes
   have computed is the same in both. */
static bnre_status copy_rows(const bnre__each *each, struct files *files)
{
    size_t n, next = 0;
    const bnre__journal_record *record =
        bnre__journal_records(each->journal, &n);
    const size_t bytes = each->samples * each->dim * sizeof(double);
    const size_t head = each->numbers * sizeof(double);

    for (size_t i = 0; i < n && next < each->rows; i++) {
        if (record[i].first != next)
            continue;
        if (record[i].bytes != head + bytes)
            return bnre_fail(BNRE_EFORMAT, "%s: row %zu is damaged", each->path,
                             next);
        BNRE_DO(bnre__journal_read(each->journal, &record[i], 0, head,
                                   files->number));
        BNRE_DO(bnre__journal_read(each->journal, &record[i], head, bytes,
                                   files->draws));
        files->line[0] = (double)next;
        memcpy(files->line + 1, files->number, head);
        BNRE_DO(
            bnre__csv_write_row(files->csv, 1 + each->numbers, files->line));
        BNRE_DO(bnre__file_write(files->npy, files->draws, bytes));
        BNRE_DO(add_json(each, files, next));
        count(each, files->number);
        next++;
    }
    if (next < each->rows)
        return bnre_fail(BNRE_EFORMAT, "%s: row %zu is missing", each->path,
                         next);
    return BNRE_OK;
}

/* What concerns many rows is said once. */
static bnre_status warn_rows(const bnre__each *each)
{
    const bnre_posterior_rows *rows = &each->work->outcome->each;
    char text[300];

    if (rows->outside > 0) {
        snprintf(text, sizeof text,
                 "%zu of %zu rows are unlike the simulated ones, with values "
                 "outside their range (column outside): their posteriors "
                 "cannot be relied on",
                 rows->outside, rows->rows);
        BNRE_DO(bnre__posterior_warn(each->work, text));
    }
    if (rows->unlike > 0) {
        snprintf(text, sizeof text,
                 "%zu of %zu rows are unlike the pairs of the calibration "
                 "(outside_p below %g): no guarantee holds for them",
                 rows->unlike, rows->rows, BNRE_UNLIKE);
        BNRE_DO(bnre__posterior_warn(each->work, text));
    }
    if (rows->failed > 0) {
        snprintf(text, sizeof text,
                 "%zu of %zu rows failed and have no x: their results are NaN",
                 rows->failed, rows->rows);
        BNRE_DO(bnre__posterior_warn(each->work, text));
    }
    return BNRE_OK;
}

static bnre_status end_json(const bnre__each *each, struct files *files)
{
    const bnre_posterior_outcome *outcome = each->work->outcome;
    const bnre_posterior_rows *rows = &outcome->each;
    bnre_status status = BNRE_OK;
    bnre__json *list;
    char *path = NULL, *words = NULL;

    BNRE_TRY(bnre__json_size(files->root, "rows", rows->rows));
    BNRE_TRY(bnre__json_size(files->root, "samples", each->samples));
    BNRE_TRY(bnre__json_size(files->root, "failed", rows->failed));
    BNRE_TRY(bnre__json_size(files->root, "outside", rows->outside));
    BNRE_TRY(bnre__json_size(files->root, "unlike", rows->unlike));
    BNRE_TRY(bnre__json_size(files->root, "doubtful", rows->doubtful));
    BNRE_TRY(bnre_guarantee_words(&outcome->guarantee, &words));
    BNRE_TRY(bnre__json_text(files->root, "certificate", words));
    BNRE_TRY(bnre__json_list(files->root, "warnings", &list));
    for (size_t i = 0; i < outcome->warnings; i++)
        BNRE_TRY(bnre__json_text(list, NULL, outcome->warning[i]));
    BNRE_TRY(bnre__json_text(files->root, "version", BNRE_VERSION));
    BNRE_TRY(bnre__made_add(files->root, each->work->made));
    BNRE_TRY(bnre__text_format(&path, "%s/each.json",
                               bnre__output_place(each->work->output)));
    BNRE_TRY(bnre__json_write(files->root, path));
done:
    bnre_free(words);
    bnre__free(path);
    return status;
}

bnre_status bnre__each_write(const bnre__each *each)
{
    bnre_posterior_outcome *outcome = each->work->outcome;
    struct files files = {0};
    bnre_status status = BNRE_OK;
    char why[BNRE_DOUBT] = "";

    BNRE_TRY(begin_files(each, &files));
    BNRE_TRY(copy_rows(each, &files));
    BNRE_TRY(warn_rows(each));
    if (outcome->each.doubtful > 0)
        snprintf(why, sizeof why,
                 "%zu of %zu posteriors must not be used (column doubt of "
                 "summaries.csv): their draws are too few, or their Markov "
                 "chains did not converge",
                 outcome->each.doubtful, outcome->each.rows);
    BNRE_TRY(end_json(each, &files));
    status = bnre__file_commit(files.csv);
    files.csv = NULL;
    BNRE_TRY(status);
    status = bnre__file_commit(files.npy);
    files.npy = NULL;
    BNRE_TRY(status);
    BNRE_TRY(bnre__output_publish(each->work->output, NULL,
                                  why[0] != 0 ? why : NULL));
    memcpy(outcome->doubt, why, sizeof why);
done:
    bnre__free(files.draws);
    bnre__free(files.line);
    bnre__free(files.number);
    bnre__json_destroy(files.root);
    bnre__file_discard(files.npy);
    bnre__file_discard(files.csv);
    return status;
}
