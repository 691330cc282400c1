/* classes.c - the report of a classifier, as it is kept in its file. */
#include "bnre/classes.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "data/dataset.h"
#include "data/rows.h"
#include "infer/estimator/classes.h"
#include "num/sigmoid.h"

enum { BLOCK_BYTES = 1 << 20, BLOCK_ROWS = 4096 };

/* ---- the report ---- */

struct sums {
    double d, squares, right, entropy;
};

/* One class; in the bins `error` is a variance and the others are sums until
   all rows are there. */
static void add_class(bnre_class_report *out, size_t n, const double *logit,
                      int is_first, struct sums *sums)
{
    const double weight = 0.5 / (double)n;

    for (size_t i = 0; i < n; i++) {
        const double l = logit[i], d = bnre__sigmoid(l), miss = is_first - d;
        size_t k = (size_t)(d * BNRE_CLASS_BINS);
        bnre_class_bin *bin =
            &out->bin[k < BNRE_CLASS_BINS ? k : BNRE_CLASS_BINS - 1];

        sums->d += d;
        sums->squares += d * d;
        sums->right += l == 0 ? 0.5 : (l > 0) == is_first;
        sums->entropy += bnre__softplus(is_first ? -l : l);
        bin->share += weight;
        bin->predicted += weight * d;
        bin->observed += weight * is_first;
        bin->error += weight * weight * miss * miss;
    }
}

/* What |N(0, 1)| is on average: what remains of a difference that is 0. */
#define MEAN_OF_NOISE 0.7978845608028654

static void finish_bins(bnre_class_report *out)
{
    for (size_t k = 0; k < BNRE_CLASS_BINS; k++) {
        bnre_class_bin *bin = &out->bin[k];
        const double share = bin->share, deviation = sqrt(bin->error);

        if (share == 0)
            continue;
        out->calibration += fabs(bin->predicted - bin->observed);
        out->calibration_chance += MEAN_OF_NOISE * deviation;
        bin->predicted /= share;
        bin->observed /= share;
        bin->error = deviation / share;
    }
}

static double variance_of_mean(const struct sums *sums, double n)
{
    const double mean = sums->d / n;

    return fmax(0, sums->squares / n - mean * mean) / (n - 1);
}

bnre_status bnre__class_report_make(size_t n, const double *first, size_t m,
                                    const double *second,
                                    bnre_class_report *out)
{
    struct sums a = {0}, b = {0};
    const double na = (double)n, nb = (double)m;
    double right[2];

    *out = (bnre_class_report){.rows = {n, m}};
    if (n < 2 || m < 2)
        return bnre_fail(BNRE_EUSAGE,
                         "%zu and %zu rows are too few to tell how good a "
                         "classifier is: 2 of each class are needed, some "
                         "hundred are useful",
                         n, m);
    for (size_t i = 0; i < n + m; i++)
        if (isnan(i < n ? first[i] : second[i - n]))
            return bnre_fail(BNRE_ENUM, "the logit of row %zu is not a number",
                             i < n ? i : i - n);
    add_class(out, n, first, 1, &a);
    add_class(out, m, second, 0, &b);
    finish_bins(out);
    out->balance = a.d / na + b.d / nb;
    out->balance_error =
        sqrt(variance_of_mean(&a, na) + variance_of_mean(&b, nb));
    right[0] = a.right / na;
    right[1] = b.right / nb;
    out->accuracy = (right[0] + right[1]) / 2;
    out->accuracy_error =
        sqrt(right[0] * (1 - right[0]) / na + right[1] * (1 - right[1]) / nb) /
        2;
    out->cross_entropy = a.entropy / na + b.entropy / nb;
    return BNRE_OK;
}

/* ---- rows of files ---- */

static bnre_status check_kind(const bnre_estimator *est)
{
    if (est->info.kind == BNRE_ESTIMATOR_CLASSIFIER)
        return BNRE_OK;
    return bnre_fail(BNRE_EUSAGE, "the estimator is of log ratios, it is no "
                                  "classifier of two classes");
}

static bnre_status check_shape(const bnre_estimator *est,
                               const bnre_dataset_info *info)
{
    if (info->x_size == est->info.x_size)
        return BNRE_OK;
    return bnre_fail(BNRE_EFORMAT,
                     "rows have %zu values, the classifier was trained on %zu: "
                     "are these the same columns?",
                     info->x_size, est->info.x_size);
}

/* Logits of all rows that did not fail; *out is the caller's. */
static bnre_status logits_of(const bnre_estimator *est, bnre_pool *pool,
                             bnre_dataset *data, double **out, size_t *n)
{
    bnre_status status = BNRE_OK;
    const bnre_dataset_info *info = bnre_dataset_describe(data);
    const size_t size = info->x_size;
    bnre__block block = {0};
    double *x = NULL;

    *n = 0;
    BNRE_TRY(check_shape(est, info));
    BNRE_TRY(bnre__dataset_arrange(data, NULL, est->info.x_name));
    BNRE_NEW(*out, info->rows);
    BNRE_TRY(bnre__block_init(
        &block, info, bnre__rows_within(info, BLOCK_BYTES, BLOCK_ROWS)));
    BNRE_NEW(x, block.rows * info->x_size);
    for (size_t first = 0, rows; first < info->rows; first += rows) {
        size_t kept = 0;

        rows = info->rows - first;
        rows = rows < block.rows ? rows : block.rows;
        BNRE_TRY(
            bnre_dataset_read(data, first, rows, NULL, NULL, x, block.status));
        for (size_t i = 0; i < rows; i++)
            if (block.status[i] == BNRE_DRAW_OK)
                memmove(x + kept++ * size, x + i * size, size * sizeof *x);
        BNRE_TRY(bnre_estimator_log_ratio(est, pool, kept, NULL, x, *out + *n));
        *n += kept;
    }
done:
    bnre__free(x);
    bnre__block_clear(&block);
    return status;
}

bnre_status bnre__classifier_assess(const bnre_estimator *est, bnre_pool *pool,
                                    bnre_dataset *first, bnre_dataset *second,
                                    bnre_class_report *out)
{
    bnre_status status = BNRE_OK;
    double *logit[2] = {NULL, NULL};
    size_t n, m;

    BNRE_TRY(check_kind(est));
    BNRE_TRY(logits_of(est, pool, first, &logit[0], &n));
    BNRE_TRY(logits_of(est, pool, second, &logit[1], &m));
    BNRE_TRY(bnre__class_report_make(n, logit[0], m, logit[1], out));
done:
    bnre__free(logit[1]);
    bnre__free(logit[0]);
    return status;
}
