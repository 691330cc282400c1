/* data.c - an estimator and data: rows it has seen, and observations
   unlike any of them. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "data/dataset.h"
#include "infer/estimator/file.h"
#include "infer/estimator/restricted.h"
#include "io/h5.h"
#include "prior/prior.h"

enum { BLOCK_BYTES = 1 << 20, BLOCK_ROWS = 4096 };

/* What an estimator needs of x that floats cannot hold is not in them. */
static bnre_status check_digits(const bnre_estimator *est,
                                const bnre_dataset *file)
{
    size_t j = 0;

    if (est->x_offset == NULL || file->wide || file->info.x_double)
        return BNRE_OK;
    while (j + 1 < est->info.x_size && est->x_offset[j] == 0)
        j++;
    return bnre_fail(BNRE_EFORMAT,
                     "%s has x in single precision, the estimator was trained "
                     "on more digits, and needs them: value %zu is about "
                     "%.17g. Make it again with the line \"precision: double\" "
                     "in the task, or from the numbers before they were "
                     "rounded",
                     file->path, j, est->x_offset[j]);
}

static bnre_status check_shape(const bnre_estimator *est,
                               const bnre_dataset *file)
{
    const bnre_estimator_info *info = &est->info;
    const bnre_dataset_info *data = &file->info;

    if (info->kind == BNRE_ESTIMATOR_RATIO &&
        info->dim_theta != data->dim_theta)
        return bnre_fail(BNRE_EFORMAT,
                         "%s has %zu parameters, the estimator %zu: was it "
                         "made for another task?",
                         file->path, data->dim_theta, info->dim_theta);
    if (info->x_size != data->x_size)
        return bnre_fail(
            BNRE_EFORMAT,
            "x has %zu values in %s, %zu for the estimator: was it "
            "made for another task?",
            data->x_size, file->path, info->x_size);
    return check_digits(est, file);
}

bnre_status bnre__estimator_arrange(const bnre_estimator *est,
                                    bnre_dataset *data)
{
    if (est->outline.prior != NULL && data->info.x_size == est->info.x_size &&
        data->stored.dim_theta > est->info.dim_theta)
        BNRE_DO(bnre__dataset_arrange(data, est->outline.prior, NULL));
    BNRE_DO(check_shape(est, data));
    return bnre__dataset_arrange(data, est->outline.prior, est->info.x_name);
}

/* Where a hash is first among those of the rows; `hashes` if it is not. */
static size_t find_hash(const bnre_estimator *est, uint64_t hash)
{
    size_t low = 0, high = est->hashes;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (est->hash[middle] < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low < est->hashes && est->hash[low] == hash ? low : est->hashes;
}

static int is_known(const bnre_estimator *est, uint64_t hash)
{
    return find_hash(est, hash) < est->hashes;
}

int bnre__estimator_fold_of(const bnre_estimator *est, uint64_t hash,
                            uint32_t *met, size_t *fold)
{
    size_t at = find_hash(est, hash), same = 1;

    if (at == est->hashes || est->row_fold == NULL)
        return 0;
    while (at + same < est->hashes && est->hash[at + same] == hash)
        same++;
    if (same > 1 && (met == NULL || met[at] == same))
        return 0;
    if (same > 1)
        at += met[at]++;
    *fold = est->row_fold[at];
    return *fold < est->info.folds; /* or all members have seen it */
}

/* Where parameters and x count something, pairs are the same by chance: more
   than a hundredth of these n are like another one. */
static int ties_by_chance(size_t n, uint64_t *hash)
{
    size_t ties = 0;

    bnre__sort_hashes(n, hash);
    for (size_t i = 1; i < n; i++)
        ties += hash[i] == hash[i - 1];
    return ties > n / 100;
}

bnre_status bnre__estimator_overlap(const bnre_estimator *est,
                                    bnre_dataset *data, size_t *count)
{
    bnre_status status = BNRE_OK;
    const bnre_dataset_info *info = bnre_dataset_describe(data);
    const size_t dim = est->info.dim_theta;
    const int mixed =
        est->outline.prior != NULL && bnre__prior_is_mixed(est->outline.prior);
    bnre__block block = {0};
    double *x = NULL;
    uint64_t *all = NULL, hash;
    size_t n, kept = 0;

    *count = 0;
    BNRE_TRY(bnre__estimator_arrange(est, data));
    if (mixed)
        BNRE_NEW(all, info->rows);
    BNRE_TRY(bnre__block_init(
        &block, info, bnre__rows_within(info, BLOCK_BYTES, BLOCK_ROWS)));
    BNRE_NEW(x, block.rows * info->x_size);
    for (size_t first = 0; first < info->rows; first += n) {
        n = info->rows - first < block.rows ? info->rows - first : block.rows;
        BNRE_TRY(bnre_dataset_read(data, first, n, block.theta, NULL, x,
                                   block.status));
        for (size_t i = 0; i < n; i++) {
            if (block.status[i] != BNRE_DRAW_OK)
                continue;
            hash = bnre__row_hash(dim, block.theta + i * info->dim_theta,
                                  info->x_size, x + i * info->x_size);
            *count += (size_t)is_known(est, hash);
            if (mixed)
                all[kept++] = hash;
        }
    }
    if (mixed && ties_by_chance(kept, all))
        *count = 0;
done:
    bnre__free(all);
    bnre__free(x);
    bnre__block_clear(&block);
    return status;
}

/* Whether pairs were simulated within the region of an estimator. */
static int is_within(const bnre_estimator *est, const bnre_dataset *data)
{
    char name[33], line[48];

    bnre__restricted_name(est, name);
    snprintf(line, sizeof line, "within: %s\n", name);
    return data->info.settings != NULL &&
           strstr(data->info.settings, line) != NULL;
}

bnre_status bnre__estimator_check_prior(const bnre_estimator *est,
                                        const bnre_dataset *data)
{
    if (est->region != NULL && !is_within(est, data))
        return bnre_fail(
            BNRE_EUSAGE,
            "this estimator knows the prior within a region around one "
            "observation only (%.3g of it), and %s is not of that: simulate "
            "pairs there, with `within: ESTIMATOR`; what the round "
            "itself found out is in the estimator (bnre info)",
            est->region->share, data->path);
    if (est->outline.prior == NULL || data->info.task == NULL)
        return BNRE_OK;
    return bnre__task_same_prior(data->info.task, data->path, est->info.task,
                                 "the estimator");
}

static double as_float(double value)
{
    return fabs(value) <= (double)FLT_MAX ? (double)(float)value : value;
}

/* Of whole numbers many are floats, too, though no one rounded them. */
static int are_whole(double offset, double low, double high)
{
    return offset == rint(offset) && low == rint(low) && high == rint(high);
}

bnre_estimator_outside bnre_estimator_compare_x(const bnre_estimator *est,
                                                const double *x)
{
    const size_t size = est->info.x_size;
    const float *low = est->summary.value;
    const float *high = low + (BNRE__LEVELS - 1) * size;
    bnre_estimator_outside out = {0};
    double farthest = 0;

    for (size_t j = 0; j < size; j++) {
        const double a = (double)low[j], b = (double)high[j];
        /* As training saw it. */
        const double value =
            as_float(x[j] - (est->x_offset != NULL ? est->x_offset[j] : 0));
        const double offset = est->x_offset != NULL ? est->x_offset[j] : 0;
        double far;

        if (offset != 0 && x[j] == as_float(x[j]) && !are_whole(offset, a, b)) {
            out.coarse++;
            out.coarsest = j;
        }

        if (value >= a && value <= b)
            continue;
        out.count++;
        /* In units of the range; a constant has none. */
        far = value < a ? a - value : value - b;
        far = b > a ? far / (b - a) : HUGE_VAL;
        if (out.count > 1 && !(far > farthest))
            continue;
        farthest = far;
        out.worst = j;
        out.value = value + offset;
        out.low = a + offset;
        out.high = b + offset;
    }
    return out;
}

bnre_status bnre__estimator_count_beside(const char *estimator, size_t *rows)
{
    bnre_status status = BNRE_OK;
    bnre__h5 *h5 = NULL;
    char *own = NULL, *print = NULL;
    int64_t n;
    int found;

    *rows = 0;
    BNRE_TRY(bnre__h5_open(estimator, &h5));
    BNRE_TRY(
        bnre__h5_text(h5, bnre__estimator_data_name[0], "fingerprint", &own));
    for (size_t i = 1; i < BNRE__DATASETS; i++) {
        const char *name = bnre__estimator_data_name[i];

        bnre__free(print);
        print = NULL;
        BNRE_TRY(bnre__h5_int(h5, name, "rows", &found, &n));
        BNRE_TRY(bnre__h5_text(h5, name, "fingerprint", &print));
        if (found && n > 0 && print != NULL && own != NULL &&
            strcmp(print, own) != 0)
            *rows += (size_t)n;
    }
done:
    bnre__free(print);
    bnre__free(own);
    bnre__h5_close(h5);
    return status == BNRE_ENOMEM ? status : BNRE_OK;
}
