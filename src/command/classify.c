/* classify.c - the command `posterior` for classifiers: what they say of rows. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/value.h"
#include "bnre/classes.h"
#include "bnre/command.h"
#include "data/dataset.h"

enum { ROWS = 4096 };

struct work {
    const bnre_estimator *estimator;
    bnre_pool *pool;
    bnre_classify_fn fn;
    void *context;
    size_t row, outside;
    double *x;       /* (ROWS, x_size) */
    uint8_t *status; /* (ROWS) */
    double *logit;   /* (ROWS), of two classes */
    size_t classes;
    double *probability;           /* (ROWS, classes) */
    double odds[BNRE_MOST_MODELS]; /* (classes) */
};

size_t bnre_classify_count(const bnre_estimator *estimator)
{
    return bnre_estimator_describe(estimator)->kind == BNRE_ESTIMATOR_CLASSIFIER
               ? 2
               : bnre_models_count(estimator);
}

/* "1,1,2"; NULL: all are 1. */
static bnre_status read_odds(struct work *work, const char *text)
{
    char number[64];
    size_t n = 0;

    for (; text == NULL && n < work->classes; n++)
        work->odds[n] = 1;
    for (const char *at = text; at != NULL; n++) {
        const size_t length = strcspn(at, ",");

        if (n == work->classes || length >= sizeof number)
            return bnre_fail(BNRE_EUSAGE, "odds %s: %zu numbers are needed",
                             text, work->classes);
        memcpy(number, at, length);
        number[length] = 0;
        BNRE_DO(bnre__read_real(number, "(0, inf)", "odds", &work->odds[n]));
        at = at[length] != 0 ? at + length + 1 : NULL;
    }
    if (n < work->classes)
        return bnre_fail(BNRE_EUSAGE,
                         "odds %s: %zu numbers are needed, one for each class",
                         text, work->classes);
    return BNRE_OK;
}

/* Log ratios and probabilities of n rows from row i of the block on. */
static bnre_status answer(struct work *work, size_t i, size_t n)
{
    const size_t size = bnre_estimator_describe(work->estimator)->x_size;
    const double *x = work->x + i * size;
    double *p = work->probability + i * work->classes;

    if (bnre_models_count(work->estimator) > 0)
        return bnre_models_probability(work->estimator, work->pool, work->odds,
                                       n, x, p);
    BNRE_DO(bnre_estimator_log_ratio(work->estimator, work->pool, n, NULL, x,
                                     work->logit + i));
    for (size_t k = 0; k < n; k++) {
        const double l =
            work->logit[i + k] + log(work->odds[0] / work->odds[1]);

        p[2 * k] = 1 / (1 + exp(-l));
        p[2 * k + 1] = 1 / (1 + exp(l));
    }
    return BNRE_OK;
}

static bnre_status check_size(const struct work *work, const char *path,
                              const bnre_dataset_info *info)
{
    const size_t wanted = bnre_estimator_describe(work->estimator)->x_size;

    if (info->x_size == wanted)
        return BNRE_OK;
    return bnre_fail(BNRE_EUSAGE,
                     "a row of %s has %zu values, the classifier was trained "
                     "on rows of %zu: are these the same columns?",
                     path, info->x_size, wanted);
}

/* The first so many rows of the block, failed ones left out. */
static bnre_status tell_rows(struct work *work, size_t first, size_t n)
{
    const size_t size = bnre_estimator_describe(work->estimator)->x_size;
    bnre_status status = BNRE_OK;

    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && work->status[end] == BNRE_DRAW_OK;)
            end++;
        BNRE_TRY(answer(work, i, end - i));
        for (size_t k = i; k < end; k++) {
            work->outside +=
                bnre_estimator_compare_x(work->estimator, work->x + k * size)
                    .count > 0;
            BNRE_TRY(work->fn(work->context, first + k, work->logit[k],
                              work->classes,
                              work->probability + k * work->classes));
        }
        for (; end < n && work->status[end] != BNRE_DRAW_OK; end++)
            BNRE_TRY(
                work->fn(work->context, first + end, NAN, work->classes, NULL));
    }
done:
    return status;
}

static bnre_status classify_dataset(struct work *work, const char *path)
{
    bnre_status status = BNRE_OK;
    bnre_dataset *data = NULL;
    const bnre_dataset_info *info;

    BNRE_TRY(bnre_dataset_open_x(path, &data));
    info = bnre_dataset_describe(data);
    BNRE_TRY(check_size(work, path, info));
    BNRE_TRY(bnre__dataset_arrange(
        data, NULL, bnre_estimator_describe(work->estimator)->x_name));
    for (size_t first = 0, n; first < info->rows; first += n) {
        n = info->rows - first < ROWS ? info->rows - first : ROWS;
        BNRE_TRY(bnre_dataset_read(data, first, n, NULL, NULL, work->x,
                                   work->status));
        BNRE_TRY(tell_rows(work, work->row + first, n));
    }
    work->row += info->rows;
done:
    bnre_dataset_close(data);
    return status;
}

/* Numbers alone, or a row of a dataset, as `posterior` takes them. */
static bnre_status classify_observation(struct work *work, const char *path)
{
    const bnre_estimator_info *info = bnre_estimator_describe(work->estimator);
    const bnre_observation_form form = {
        .ndim = info->ndim, .shape = info->shape, .x_name = info->x_name};
    bnre_observations observed = {0};
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre_observations_read(&form, 1, &path, &observed));
    for (size_t first = 0, n; first < observed.n; first += n) {
        n = observed.n - first < ROWS ? observed.n - first : ROWS;
        memcpy(work->x, observed.x + first * info->x_size,
               n * info->x_size * sizeof *work->x);
        memset(work->status, BNRE_DRAW_OK, n);
        BNRE_TRY(tell_rows(work, work->row + first, n));
    }
    work->row += observed.n;
done:
    bnre_observations_clear(&observed);
    return status;
}

static int is_numbers(const char *path)
{
    const char *colon = strrchr(path, ':');

    return bnre__ends_with(path, ".txt") ||
           (colon != NULL && colon[1] != 0 &&
            colon[1 + strspn(colon + 1, "0123456789")] == 0);
}

static bnre_status classify_file(struct work *work, const char *path)
{
    return is_numbers(path) ? classify_observation(work, path)
                            : classify_dataset(work, path);
}

bnre_status bnre_classify(const bnre_estimator *estimator, bnre_pool *pool,
                          const char *odds, size_t n, char *const *path,
                          bnre_classify_fn fn, void *context, size_t *rows,
                          size_t *outside)
{
    const bnre_estimator_info *info = bnre_estimator_describe(estimator);
    struct work work = {
        .estimator = estimator, .pool = pool, .fn = fn, .context = context};
    bnre_status status = BNRE_OK;

    work.classes = bnre_classify_count(estimator);
    if (work.classes == 0)
        return bnre_fail(BNRE_EUSAGE, "the estimator is no classifier");
    if (n == 0)
        return bnre_fail(BNRE_EUSAGE, "which rows are to be told apart? Give "
                                      "`observation: FILE`");
    BNRE_DO(read_odds(&work, odds));
    BNRE_NEW(work.x, ROWS * info->x_size);
    BNRE_NEW(work.status, ROWS);
    BNRE_NEW(work.logit, ROWS);
    BNRE_NEW(work.probability, ROWS * work.classes);
    for (size_t i = 0; i < n; i++)
        BNRE_TRY(classify_file(&work, path[i]));
    *rows = work.row;
    *outside = work.outside;
done:
    bnre__free(work.probability);
    bnre__free(work.logit);
    bnre__free(work.status);
    bnre__free(work.x);
    return status;
}
