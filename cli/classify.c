/* Classifiers of two classes: what they say to rows, and how good they are. */
#include <math.h>
#include <stdlib.h>

#include "cli.h"

enum { ROWS = 4096 };

static bnre_status check_size(const bnre_estimator *est, const char *path,
                              const bnre_dataset_info *info)
{
    const size_t wanted = bnre_estimator_describe(est)->x_size;

    if (info->x_size == wanted)
        return BNRE_OK;
    return bnre_fail(BNRE_EUSAGE,
                     "a row of %s has %zu values, the classifier was trained "
                     "on rows of %zu: are these the same columns?",
                     path, info->x_size, wanted);
}

struct block {
    double *x;       /* (ROWS, x_size) */
    uint8_t *status; /* (ROWS) */
    double *logit;   /* (ROWS) */
};

/* What the first so many rows of a block get, failed ones left out. */
static bnre_status print_rows(const bnre_estimator *est, bnre_pool *pool,
                              const struct block *block, size_t first, size_t n,
                              size_t *outside)
{
    const size_t size = bnre_estimator_describe(est)->x_size;
    bnre_status status = BNRE_OK;

    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && block->status[end] == BNRE_DRAW_OK;)
            end++;
        CLI_TRY(bnre_estimator_log_ratio(
            est, pool, end - i, NULL, block->x + i * size, block->logit + i));
        for (size_t k = i; k < end; k++) {
            const double l = block->logit[k];

            *outside +=
                bnre_estimator_compare_x(est, block->x + k * size).count > 0;
            cli_print("%zu,%.9g,%.9g\n", first + k, l, 1 / (1 + exp(-l)));
        }
        for (; end < n && block->status[end] != BNRE_DRAW_OK; end++)
            cli_print("%zu,,\n", first + end);
    }
done:
    return status;
}

static bnre_status classify_file(const bnre_estimator *est, bnre_pool *pool,
                                 const char *path, size_t *row, size_t *outside)
{
    bnre_status status = BNRE_OK;
    bnre_dataset *data = NULL;
    const bnre_dataset_info *info;
    struct block block = {NULL, NULL, NULL};

    CLI_TRY(bnre_dataset_open_x(path, &data));
    info = bnre_dataset_describe(data);
    CLI_TRY(check_size(est, path, info));
    CLI_TRY(
        bnre_dataset_arrange(data, NULL, bnre_estimator_describe(est)->x_name));
    block.x = calloc(ROWS * info->x_size, sizeof *block.x);
    block.status = calloc(ROWS, 1);
    block.logit = calloc(ROWS, sizeof *block.logit);
    if (block.x == NULL || block.status == NULL || block.logit == NULL) {
        status = bnre_fail(BNRE_ENOMEM, "no memory for %d rows", ROWS);
        goto done;
    }
    for (size_t first = 0, n; first < info->rows; first += n) {
        n = info->rows - first < ROWS ? info->rows - first : ROWS;
        CLI_TRY(bnre_dataset_read(data, first, n, NULL, NULL, block.x,
                                  block.status));
        CLI_TRY(print_rows(est, pool, &block, *row + first, n, outside));
    }
    *row += info->rows;
done:
    free(block.logit);
    free(block.status);
    free(block.x);
    bnre_dataset_close(data);
    return status;
}

bnre_status cli_classify(const char *path, const bnre_opt_list *file,
                         const struct common *common, int *is)
{
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;
    bnre_pool *pool = NULL;
    size_t row = 0, outside = 0;

    *is = 0;
    CLI_TRY(bnre_estimator_open(path, &est));
    if (bnre_estimator_describe(est)->kind != BNRE_ESTIMATOR_CLASSIFIER)
        goto done;
    *is = 1;
    CLI_TRY(bnre_pool_create(common->threads, &pool));
    cli_print("row,log_ratio,probability\n");
    for (size_t i = 0; i < file->count; i++)
        CLI_TRY(classify_file(est, pool, file->text[i], &row, &outside));
    if (outside > 0)
        cli_note(common,
                 "warning: %zu of the %zu rows have values outside of all that "
                 "the classifier was trained on: it guesses there",
                 outside, row);
done:
    bnre_pool_destroy(pool);
    bnre_estimator_close(est);
    return status;
}

void cli_print_class_report(const bnre_class_report *report)
{
    cli_print("  held out      %zu rows of the first class, %zu of the second, "
              "for the rest:\n"
              "  balance       %.4f +- %.4f (1 is balanced)\n"
              "  accuracy      %.4f +- %.4f, the classes having equal weight\n"
              "  calibration   %.4f off on average; chance alone would show "
              "%.4f\n",
              report->rows[0], report->rows[1], report->balance,
              report->balance_error, report->accuracy, report->accuracy_error,
              report->calibration, report->calibration_chance);
    cli_print("\n  %-12s %8s %10s %14s\n", "probability", "rows", "predicted",
              "first class");
    for (size_t k = 0; k < BNRE_CLASS_BINS; k++) {
        const bnre_class_bin *bin = &report->bin[k];

        if (bin->share > 0)
            cli_print("  %.1f - %.1f    %6.1f %% %10.3f %7.3f +- %.3f\n",
                      (double)k / BNRE_CLASS_BINS,
                      (double)(k + 1) / BNRE_CLASS_BINS, 100 * bin->share,
                      bin->predicted, bin->observed, bin->error);
    }
}
