/* saved.c - a study as its directory holds it, read. */
#include "study/page/saved.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/sort.h"
#include "base/text.h"
#include "bnre/dataset.h"
#include "bnre/settings.h"
#include "infer/estimator/file.h"
#include "io/file.h"

enum { LARGEST = 1 << 24 };

/* ---- the study ---- */

static bnre_status read_study(bnre__saved_study *study)
{
    bnre_status status = BNRE_OK;
    const bnre_node *title;
    char *path = NULL;
    size_t bytes;

    BNRE_TRY(bnre__text_format(&path, "%s/study.yaml", study->dir));
    if (!bnre__file_exists(path))
        BNRE_THROW(BNRE_EUSAGE,
                   "%s holds no study: it has no study.yaml; name the "
                   "directory that `bnre run` made",
                   study->dir);
    BNRE_TRY(bnre__file_read_all(path, LARGEST, &study->text, &bytes));
    BNRE_TRY(bnre_yaml_parse(study->text, path, &study->settings));
    title = bnre_node_find(study->settings, "title");
    study->title =
        title != NULL && title->kind == BNRE_NODE_TEXT ? title->text : "";
done:
    bnre__free(path);
    return status;
}

static bnre_status add_key(bnre__saved_study *study, const char *key)
{
    bnre_status status = BNRE_OK;

    for (size_t i = 0; i < study->keys; i++)
        if (strcmp(study->key[i], key) == 0)
            return BNRE_OK;
    BNRE_GROW(study->key, study->key_room, study->keys + 1);
    BNRE_TRY(bnre__strdup(key, &study->key[study->keys]));
    study->keys++;
done:
    return status;
}

/* The axes of the sweep; under `together` keys go in groups. */
static bnre_status list_keys(bnre__saved_study *study)
{
    const bnre_node *sweep = bnre_node_find(study->settings, "sweep");

    for (size_t i = 0; sweep != NULL && i < sweep->count; i++) {
        const bnre_node *axis = sweep->child[i];
        int groups = 0;

        for (size_t k = 0; k < axis->count; k++) {
            const bnre_node *group = axis->child[k];

            if (strncmp(axis->key, "together", 8) != 0 ||
                group->kind != BNRE_NODE_MAP)
                continue;
            groups = 1;
            for (size_t m = 0; m < group->count; m++)
                BNRE_DO(add_key(study, group->child[m]->key));
        }
        if (!groups && axis->count > 0)
            BNRE_DO(add_key(study, axis->key));
    }
    return BNRE_OK;
}

/* ---- what is planned ---- */

const char *bnre__run_column(const bnre__saved_study *study,
                             const bnre__saved_run *run, const char *column)
{
    return bnre__table_find(&study->table, run->row, column);
}

const char *bnre__saved_setting(const bnre__saved_study *study, const char *key)
{
    const bnre_node *node = bnre_node_find(study->settings, key);

    return node != NULL && node->kind == BNRE_NODE_TEXT ? node->text : NULL;
}

static const char *cell_value(const bnre__saved_study *study, size_t row,
                              const char *key)
{
    const char *text = bnre__table_find(&study->table, row, key);
    const char *method = bnre__table_find(&study->table, row, "method");

    if (text == NULL || text[0] == 0)
        return NULL;
    if (strcmp(key, "lambda") == 0 && method != NULL &&
        strcmp(method, "nre") == 0)
        return NULL;
    return text;
}

static bnre_status add_cell(bnre__saved_study *study, size_t row)
{
    bnre_status status = BNRE_OK;
    bnre__saved_cell *cell;

    BNRE_GROW(study->cell, study->cell_room, study->cells + 1);
    cell = &study->cell[study->cells++];
    cell->name = bnre__table_find(&study->table, row, "cell");
    cell->task = bnre__table_find(&study->table, row, "task");
    cell->task = cell->task != NULL ? cell->task : "";
    cell->first = row;
    BNRE_NEW(cell->value, study->keys);
    for (size_t i = 0; i < study->keys; i++)
        cell->value[i] = cell_value(study, row, study->key[i]);
done:
    return status;
}

/* Rows of one cell follow each other. */
static bnre_status list_runs(bnre__saved_study *study)
{
    const bnre__table *table = &study->table;
    bnre_status status = BNRE_OK;

    BNRE_NEW(study->run, table->rows);
    BNRE_NEW(study->room, table->rows);
    for (size_t i = 0; i < table->rows; i++) {
        const char *name = bnre__table_find(table, i, "cell");
        const char *repeat = bnre__table_find(table, i, "repeat");
        bnre__saved_run *run = &study->run[i];

        /* It is the name of a directory, in which files are looked for. */
        if (strchr(name, '/') != NULL || name[0] == '.')
            BNRE_THROW(BNRE_EFORMAT,
                       "%s/results.csv: \"%s\" is no name of a cell",
                       study->dir, name);
        if (study->cells == 0 ||
            strcmp(study->cell[study->cells - 1].name, name) != 0)
            BNRE_TRY(add_cell(study, i));
        study->cell[study->cells - 1].runs++;
        study->runs++;
        run->row = i;
        run->cell = study->cells - 1;
        run->repeat = (size_t)strtoul(repeat, NULL, 10);
        BNRE_TRY(
            bnre__text_format(&run->dir, "runs/%s/%zu", name, run->repeat));
    }
done:
    return status;
}

static int has_column(const bnre__table *table, const char *name)
{
    for (size_t i = 0; i < table->cols; i++)
        if (strcmp(table->name[i], name) == 0)
            return 1;
    return 0;
}

static bnre_status read_plan(bnre__saved_study *study)
{
    bnre_status status = BNRE_OK;
    char *path = NULL;

    BNRE_TRY(list_keys(study));
    BNRE_TRY(bnre__text_format(&path, "%s/results.csv", study->dir));
    if (!bnre__file_exists(path))
        goto done;
    BNRE_TRY(bnre__table_read(path, &study->table));
    if (!has_column(&study->table, "cell") ||
        !has_column(&study->table, "repeat"))
        BNRE_THROW(BNRE_EFORMAT,
                   "%s has no columns cell and repeat: it was not written by "
                   "`bnre run`",
                   path);
    BNRE_TRY(list_runs(study));
done:
    bnre__free(path);
    return status;
}

/* ---- what is in a run's directory ---- */

/* The path of a run's file if it is there, else NULL; the caller frees it. */
static bnre_status find_file(const bnre__saved_study *study,
                             const bnre__saved_run *run, const char *name,
                             char **out)
{
    BNRE_DO(bnre__text_format(out, "%s/%s/%s", study->dir, run->dir, name));
    if (!bnre__file_exists(*out)) {
        bnre__free(*out);
        *out = NULL;
    }
    return BNRE_OK;
}

/* A file of a run that cannot be read makes the run damaged, and is no failure
   otherwise. */
static bnre_status note_damage(bnre__saved_run *run, bnre_status problem)
{
    if (problem == BNRE_OK || problem == BNRE_ENOMEM)
        return problem;
    run->state = BNRE__RUN_DAMAGED;
    bnre__free(run->why);
    run->why = NULL;
    return bnre__strdup(bnre_error_message(), &run->why);
}

static double number_in(const char *text)
{
    double value;

    if (text == NULL ||
        bnre__number_scan(text, text + strlen(text), &value) == NULL)
        return NAN;
    return value;
}

static bnre_status read_history(bnre__saved_run *run, const char *path)
{
    static const char *const of_ratios[BNRE__HISTORY_COLUMNS] = {
        "member", "epoch", "train_cross_entropy", "validation_cross_entropy"};
    static const char *const of_densities[BNRE__HISTORY_COLUMNS] = {
        "member", "epoch", "train_log_loss", "validation_log_loss"};
    const char *const *column;
    bnre_status status = BNRE_OK;
    bnre__table table = {0};

    BNRE_TRY(bnre__table_read(path, &table));
    run->densities =
        table.rows > 0 && bnre__table_find(&table, 0, "train_log_loss") != NULL;
    column = run->densities ? of_densities : of_ratios;
    BNRE_NEW(run->history, table.rows * BNRE__HISTORY_COLUMNS);
    for (size_t i = 0; i < table.rows; i++)
        for (size_t k = 0; k < BNRE__HISTORY_COLUMNS; k++)
            run->history[i * BNRE__HISTORY_COLUMNS + k] =
                number_in(bnre__table_find(&table, i, column[k]));
    run->epochs = table.rows;
done:
    bnre__table_clear(&table);
    return status;
}

static bnre_status read_failure(bnre__saved_run *run, const char *path)
{
    size_t bytes;

    BNRE_DO(bnre__file_read_all(path, LARGEST, &run->why, &bytes));
    run->why[strcspn(run->why, "\n")] = 0;
    run->state = BNRE__RUN_FAILED;
    return BNRE_OK;
}

/* Whether the files are those of the run that is planned: the seed follows from
   all settings of the training. */
static int is_other(const bnre__saved_study *study, const bnre__saved_run *run)
{
    const char *planned = bnre__run_column(study, run, "seed");
    const bnre_node *seed = bnre_node_find(run->stamp, "seed");

    return planned != NULL && seed != NULL && seed->kind == BNRE_NODE_TEXT &&
           strcmp(seed->text, planned) != 0;
}

static bnre_status read_stamp(bnre__saved_study *study, bnre__saved_run *run)
{
    bnre_status status = BNRE_OK;
    char *path = NULL;

    BNRE_TRY(find_file(study, run, "run.yaml", &path));
    if (path == NULL)
        goto done;
    status = note_damage(run, bnre_yaml_read(path, &run->stamp));
    if (run->stamp != NULL)
        run->state = is_other(study, run) ? BNRE__RUN_OTHER : BNRE__RUN_TRAINED;
done:
    bnre__free(path);
    return status;
}

/* Whether the study has test pairs for the run, in its cell or for all. */
static int wants_diagnosis(const bnre__saved_study *study,
                           const bnre__saved_run *run)
{
    const char *test = bnre__saved_setting(study, "test");

    for (size_t k = 0; k < study->keys; k++)
        if (strcmp(study->key[k], "test") == 0)
            test = study->cell[run->cell].value[k];
    return test == NULL || number_in(test) != 0;
}

/* An estimator without one that can be read has none here. */
static bnre_status find_certificate(const char *estimator,
                                    bnre_certificate *out)
{
    const bnre_status status = bnre__certificate_of_file(estimator, out);

    return status == BNRE_ENOMEM ? status : BNRE_OK;
}

/* A file of a stage that is done, or NULL. */
static bnre_status find_result(const bnre__saved_study *study,
                               const bnre__saved_run *run, const char *stage,
                               const char *name, char **out)
{
    *out = NULL;
    return bnre_node_find(run->stamp, stage) != NULL
               ? find_file(study, run, name, out)
               : BNRE_OK;
}

static bnre_status read_json(const bnre__saved_study *study,
                             bnre__saved_run *run, const char *stage,
                             const char *name, bnre__json **out)
{
    bnre_status status = BNRE_OK;
    char *path = NULL;

    BNRE_TRY(find_result(study, run, stage, name, &path));
    if (path != NULL)
        BNRE_TRY(note_damage(run, bnre__json_read(path, out)));
done:
    bnre__free(path);
    return status;
}

static bnre_status read_results(bnre__saved_study *study, bnre__saved_run *run)
{
    bnre_status status = BNRE_OK;
    char *estimator = NULL, *diagnosis = NULL, *history = NULL;

    BNRE_TRY(find_file(study, run, "estimator.h5", &estimator));
    if (estimator != NULL) {
        BNRE_TRY(find_certificate(estimator, &run->certificate));
        BNRE_TRY(bnre__estimator_count_beside(estimator, &run->beside));
    }
    BNRE_TRY(find_result(study, run, "diagnose", "diagnose.json", &diagnosis));
    if (diagnosis != NULL || !wants_diagnosis(study, run))
        run->state = BNRE__RUN_DONE;
    if (diagnosis != NULL)
        BNRE_TRY(
            note_damage(run, bnre__diagnosis_read(diagnosis, &run->diagnosis)));
    BNRE_TRY(find_file(study, run, "history.csv", &history));
    if (history != NULL)
        BNRE_TRY(note_damage(run, read_history(run, history)));
    BNRE_TRY(read_json(study, run, "posterior", "posterior/posterior.json",
                       &run->posterior));
    BNRE_TRY(read_json(study, run, "check", "check/check.json", &run->check));
    BNRE_TRY(read_json(study, run, "prior", "diagnose-prior.json",
                       &run->under_prior));
done:
    bnre__free(history);
    bnre__free(diagnosis);
    bnre__free(estimator);
    return status;
}

static bnre_status read_run(bnre__saved_study *study, bnre__saved_run *run)
{
    bnre_status status = BNRE_OK;
    char *failure = NULL;

    run->state = BNRE__RUN_MISSING;
    BNRE_TRY(find_file(study, run, "failure.txt", &failure));
    if (failure != NULL)
        BNRE_TRY(note_damage(run, read_failure(run, failure)));
    else
        BNRE_TRY(read_stamp(study, run));
    if (run->state == BNRE__RUN_TRAINED)
        BNRE_TRY(read_results(study, run));
    study->count[run->state]++;
done:
    bnre__free(failure);
    return status;
}

/* ---- the data ---- */

/* Reasons, the most frequent first, and where in the space of parameters. */
static bnre_status describe_failures(bnre_dataset *file, char **out)
{
    enum { REASONS = 3, ENOUGH = 100 }; /* rows to tell where some fail */
    bnre_failure list[REASONS];
    bnre_status status = BNRE_OK;
    bnre__text text = {0};
    char *where = NULL;
    size_t n = 0;

    BNRE_TRY(bnre_dataset_failures(file, REASONS, list, &n));
    for (size_t i = 0; i < n; i++)
        bnre__text_put(
            &text, "%s%zu x %s: %s", i > 0 ? "; " : "", list[i].count,
            list[i].status == BNRE_DRAW_LOST ? "lost" : "invalid",
            list[i].reason[0] != 0 ? list[i].reason : "no reason given");
    if (bnre_dataset_describe(file)->rows >= ENOUGH) {
        BNRE_TRY(bnre_failures_words(file, &where));
        bnre__text_put(&text, "%s%s", n > 0 ? "; " : "", where);
    }
    status = bnre__text_take(&text, out);
done:
    bnre_free(where);
    bnre__free(text.data);
    return status;
}

/* One that is broken counts for nothing. */
static bnre_status look_at_data(bnre__saved_study *study, const char *name)
{
    bnre_status status = BNRE_OK;
    bnre_dataset *file = NULL;
    bnre__saved_data *data;
    char *path = NULL;

    BNRE_GROW(study->data, study->data_room, study->datasets + 1);
    data = &study->data[study->datasets];
    *data = (bnre__saved_data){0};
    BNRE_TRY(bnre__strdup(name, &data->name));
    study->datasets++;
    BNRE_TRY(bnre__text_format(&path, "%s/data/%s", study->dir, name));
    status = bnre_dataset_open(path, &file);
    if (status == BNRE_OK) {
        data->rows = bnre_dataset_describe(file)->rows;
        data->failed = bnre_dataset_describe(file)->failed;
        if (data->failed > 0)
            status = describe_failures(file, &data->failures);
    }
    if (status != BNRE_ENOMEM)
        status = BNRE_OK;
done:
    bnre_dataset_close(file);
    bnre__free(path);
    return status;
}

static int compare_data(const void *a, const void *b)
{
    return strcmp(((const bnre__saved_data *)a)->name,
                  ((const bnre__saved_data *)b)->name);
}

static bnre_status list_data(bnre__saved_study *study)
{
    bnre_status status = BNRE_OK;
    const struct dirent *entry;
    DIR *directory = NULL;
    char *path = NULL;

    BNRE_TRY(bnre__text_format(&path, "%s/data", study->dir));
    directory = opendir(path);
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        const size_t length = strlen(entry->d_name);

        if (length > 3 && strcmp(entry->d_name + length - 3, ".h5") == 0)
            BNRE_TRY(look_at_data(study, entry->d_name));
    }
    if (study->datasets > 1)
        qsort(study->data, study->datasets, sizeof *study->data, compare_data);
done:
    if (directory != NULL)
        closedir(directory);
    bnre__free(path);
    return status;
}

/* ---- all of it ---- */

bnre_status bnre__saved_read(const char *dir, bnre__saved_study *out)
{
    bnre_status status = BNRE_OK;

    *out = (bnre__saved_study){.dir = dir};
    BNRE_TRY(read_study(out));
    BNRE_TRY(read_plan(out));
    for (size_t i = 0; i < out->runs; i++)
        BNRE_TRY(read_run(out, &out->run[i]));
    BNRE_TRY(list_data(out));
done:
    if (status != BNRE_OK)
        bnre__saved_clear(out);
    return status;
}

void bnre__saved_clear(bnre__saved_study *study)
{
    for (size_t i = 0; study->run != NULL && i < study->table.rows; i++) {
        bnre__saved_run *run = &study->run[i];

        bnre__free(run->dir);
        bnre__free(run->why);
        bnre_node_destroy(run->stamp);
        bnre__diagnosis_destroy(run->diagnosis);
        bnre__json_destroy(run->posterior);
        bnre__json_destroy(run->check);
        bnre__json_destroy(run->under_prior);
        bnre_certificate_clear(&run->certificate);
        bnre__free(run->history);
    }
    bnre__free(study->run);
    bnre__free(study->room);
    for (size_t i = 0; i < study->cells; i++)
        bnre__free(study->cell[i].value);
    bnre__free(study->cell);
    for (size_t i = 0; i < study->keys; i++)
        bnre__free(study->key[i]);
    bnre__free(study->key);
    for (size_t i = 0; i < study->datasets; i++) {
        bnre__free(study->data[i].name);
        bnre__free(study->data[i].failures);
    }
    bnre__free(study->data);
    bnre__table_clear(&study->table);
    bnre_node_destroy(study->settings);
    bnre__free(study->text);
    *study = (bnre__saved_study){0};
}

/* ---- a number over runs ---- */

bnre__spread bnre__cell_spread(const bnre__saved_study *study, size_t cell,
                               bnre__quantity quantity, size_t which)
{
    const bnre__saved_cell *of = &study->cell[cell];
    bnre__spread out = {0, NAN, NAN, NAN, NAN};
    double *value = study->room, sum = 0, squares = 0;
    size_t n = 0;

    for (size_t i = of->first; i < of->first + of->runs; i++) {
        const bnre_estimate one = quantity(&study->run[i], which);

        if (!isfinite(one.mean))
            continue;
        value[n++] = one.mean;
        sum += one.mean;
        out.error = one.error;
    }
    if (n == 0)
        return out;
    bnre__sort_doubles(n, value);
    out.n = n;
    out.mean = sum / (double)n;
    out.median = (value[(n - 1) / 2] + value[n / 2]) / 2;
    for (size_t i = 0; i < n; i++)
        squares += (value[i] - out.mean) * (value[i] - out.mean);
    out.sd = sqrt(squares / (double)n);
    if (n > 1)
        out.error = NAN;
    return out;
}

static const bnre_estimate unknown = {NAN, NAN};

bnre_estimate bnre__quantity_auc(const bnre__saved_run *run, size_t which)
{
    const bnre_diag_curve *curve = bnre__diagnosis_curve(run->diagnosis);

    (void)which;
    return curve != NULL ? curve->coverage.auc : unknown;
}

bnre_estimate bnre__quantity_balance(const bnre__saved_run *run, size_t which)
{
    (void)which;
    return run->diagnosis != NULL ? run->diagnosis->diag->balance : unknown;
}

bnre_estimate bnre__quantity_information(const bnre__saved_run *run,
                                         size_t which)
{
    const bnre_diag_curve *curve = bnre__diagnosis_curve(run->diagnosis);

    (void)which;
    return curve != NULL ? curve->information : unknown;
}

const char *bnre__saved_verdict(const bnre__saved_run *run)
{
    const bnre_diag_curve *curve = bnre__diagnosis_curve(run->diagnosis);

    return curve != NULL ? bnre_verdict_name(curve->judgement.verdict) : NULL;
}
