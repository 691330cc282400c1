/* assess.c - how good an estimator of classes is on rows that it has not seen:
   of pairs whose parameter is the class, or of a file for each class. */
#include "command/diagnose.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "data/dataset.h"
#include "infer/estimator/classes.h"
#include "output/diagnosis_record.h"
#include "output/output.h"

enum { ROWS = 1024 };

/* Log ratios of the rows of each class so far. */
struct answers {
    const bnre_estimator *est;
    bnre_pool *pool;
    size_t n; /* classes */
    size_t rows[BNRE_MOST_MODELS], room[BNRE_MOST_MODELS];
    double *l[BNRE_MOST_MODELS]; /* (rows, n) */
};

static void clear_answers(struct answers *answers)
{
    for (size_t c = 0; c < answers->n; c++)
        bnre__free(answers->l[c]);
}

/* Of two classes the estimator gives the difference alone. */
static bnre_status evaluate(const struct answers *answers, size_t rows,
                            const double *x, double *l)
{
    if (bnre_models_count(answers->est) > 0)
        return bnre__models_log_ratio(answers->est, answers->pool, rows, x, l);
    BNRE_DO(bnre_estimator_log_ratio(answers->est, answers->pool, rows, NULL, x,
                                     l));
    for (size_t i = rows; i-- > 0;) {
        l[2 * i] = l[i];
        l[2 * i + 1] = 0;
    }
    return BNRE_OK;
}

/* Rows of the dataset that are valid: of class c, or of that which theta (rows)
   says if c is `n`. */
static bnre_status add_rows(struct answers *answers, bnre_dataset *data,
                            size_t c)
{
    const bnre_dataset_info *info = bnre_dataset_describe(data);
    const size_t n = answers->n, size = info->x_size;
    bnre_status status = BNRE_OK;
    double *x = NULL, *theta = NULL, *l = NULL;
    uint8_t *drawn = NULL;

    BNRE_NEW(x, ROWS * size);
    BNRE_NEW(theta, ROWS * (info->dim_theta + 1));
    BNRE_NEW(l, ROWS * n);
    BNRE_NEW(drawn, ROWS);
    for (size_t first = 0, rows; first < info->rows; first += rows) {
        size_t valid = 0;

        rows = info->rows - first < ROWS ? info->rows - first : ROWS;
        BNRE_TRY(bnre_dataset_read(data, first, rows, c == n ? theta : NULL,
                                   NULL, x, drawn));
        for (size_t i = 0; i < rows; i++)
            if (drawn[i] == BNRE_DRAW_OK) {
                memmove(x + valid * size, x + i * size, size * sizeof *x);
                theta[valid++] = theta[i];
            }
        BNRE_TRY(evaluate(answers, valid, x, l));
        for (size_t i = 0; i < valid; i++) {
            const size_t k = c < n ? c : (size_t)theta[i];

            if (k >= n)
                continue;
            BNRE_GROW(answers->l[k], answers->room[k],
                      (answers->rows[k] + 1) * n);
            memcpy(answers->l[k] + answers->rows[k]++ * n, l + i * n,
                   n * sizeof *l);
        }
    }
done:
    bnre__free(drawn);
    bnre__free(l);
    bnre__free(theta);
    bnre__free(x);
    return status;
}

bnre_status bnre__assess_pairs(const bnre_estimator *est, bnre_pool *pool,
                               bnre_dataset *data, bnre_models_report *out)
{
    struct answers answers = {
        .est = est, .pool = pool, .n = bnre_models_count(est)};
    bnre_models_report names = {0};
    bnre_status status = BNRE_OK;

    *out = (bnre_models_report){0};
    if (answers.n == 0)
        return BNRE_OK;
    BNRE_TRY(bnre_models_names(est, &names));
    BNRE_TRY(add_rows(&answers, data, answers.n));
    BNRE_TRY(bnre__models_report_make(
        answers.n, (const char *const *)names.name, answers.rows,
        (const double *const *)answers.l, out));
done:
    bnre_models_report_clear(&names);
    clear_answers(&answers);
    return status;
}

/* ---- a file for each class ---- */

static bnre_status check_request(const bnre__diagnose_work *work, size_t n)
{
    const bnre_diagnose_settings *s = work->settings;
    const char *other = s->data != NULL             ? "data"
                        : s->samples_file != NULL   ? "samples_file"
                        : s->prior != NULL          ? "prior"
                        : s->temper != NULL         ? "temper"
                        : s->learning_curve != NULL ? "learning_curve"
                        : s->theorems > 0           ? "theorems"
                        : s->observations > 1       ? "observations"
                        : s->check || s->strict     ? "check"
                                                    : NULL;

    if (n == 0)
        return bnre_fail(BNRE_EUSAGE,
                         "classes are for estimators that were trained with "
                         "`classes`: give `data: FILE`, pairs of parameters "
                         "and x");
    if (other != NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "%s does not go with classes: of rows of classes "
                         "accuracy, calibration and confusion are told, and "
                         "no verdict",
                         other);
    if (s->classes.count != n)
        return bnre_fail(BNRE_EUSAGE,
                         "the estimator tells %zu classes apart, and rows of "
                         "%zu are given: a file of each is needed, in the "
                         "order of the training",
                         n, s->classes.count);
    return BNRE_OK;
}

static bnre_status open_class(const struct answers *answers, const char *path,
                              bnre_dataset **out)
{
    const bnre_estimator_info *info = bnre_estimator_describe(answers->est);

    BNRE_DO(bnre_dataset_open_x(path, out));
    if (bnre_dataset_describe(*out)->x_size != info->x_size)
        return bnre_fail(BNRE_EUSAGE,
                         "a row of %s has %zu values, the estimator was "
                         "trained on rows of %zu: are these the same columns?",
                         path, bnre_dataset_describe(*out)->x_size,
                         info->x_size);
    return bnre__dataset_arrange(*out, NULL, info->x_name);
}

static bnre_status write_results(const bnre__diagnose_work *work)
{
    const bnre__diagnosis_record record = {.models = work->outcome->models,
                                           .made = work->made};
    const char *slash = strrchr(work->path, '/');
    bnre_status status = BNRE_OK;
    char *path = NULL;

    BNRE_TRY(bnre__text_format(&path, "%s/%s", bnre__output_place(work->output),
                               slash != NULL ? slash + 1 : work->path));
    BNRE_TRY(bnre__diagnosis_write(&record, path));
    BNRE_TRY(bnre__output_publish(work->output, NULL, NULL));
done:
    bnre__free(path);
    return status;
}

static bnre_status judge(bnre__diagnose_work *work, struct answers *answers,
                         bnre_dataset *const *data)
{
    const bnre_opt_list *file = &work->settings->classes;
    bnre_models_report names = {0};
    bnre_status status = BNRE_OK;

    if (bnre_models_count(answers->est) > 0)
        BNRE_TRY(bnre_models_names(answers->est, &names));
    for (size_t c = 0; c < answers->n; c++)
        BNRE_TRY(add_rows(answers, data[c], c));
    BNRE_TRY(bnre__models_report_make(
        answers->n,
        (const char *const *)(names.n > 0 ? names.name : file->text),
        answers->rows, (const double *const *)answers->l,
        &work->outcome->models));
done:
    bnre_models_report_clear(&names);
    return status;
}

bnre_status bnre__diagnose_classes(bnre__diagnose_work *work)
{
    const bnre_opt_list *file = &work->settings->classes;
    bnre_dataset *data[BNRE_MOST_MODELS] = {0};
    struct answers answers = {.pool = work->request->pool};
    bnre_status status = BNRE_OK;

    if (work->request->estimator == NULL)
        return bnre_fail(BNRE_EUSAGE, "which estimator? Name its file");
    if (work->path != NULL && !bnre__ends_with(work->path, ".json"))
        return bnre_fail(BNRE_EUSAGE, "the output is a .json file, not %s",
                         work->path);
    BNRE_TRY(bnre_estimator_open(work->request->estimator, &work->estimator));
    answers.est = work->estimator;
    answers.n = bnre_classify_count(work->estimator);
    BNRE_TRY(check_request(work, answers.n));
    BNRE_TRY(bnre_estimator_fingerprint(work->estimator, work->print));
    for (size_t c = 0; c < answers.n; c++) {
        BNRE_TRY(open_class(&answers, file->text[c], &data[c]));
        work->outcome->rows += bnre_dataset_describe(data[c])->rows;
        BNRE_TRY(bnre_dataset_fingerprint(data[c], work->of_class[c]));
    }
    if (work->request->dry_run)
        goto done;
    if (work->path != NULL)
        BNRE_TRY(bnre__diagnose_open(work));
    BNRE_TRY(judge(work, &answers, data));
    if (work->output != NULL && !bnre__output_done(work->output))
        BNRE_TRY(write_results(work));
done:
    for (size_t c = 0; c < BNRE_MOST_MODELS; c++)
        bnre_dataset_close(data[c]);
    clear_answers(&answers);
    return status;
}
