/* Classifiers of two classes: what they say to rows, and how good they are. */
#include <math.h>

#include "cli.h"

static bnre_status print_row(void *context, size_t row, double log_ratio,
                             double probability)
{
    (void)context;
    if (isnan(log_ratio))
        cli_print("%zu,,\n", row);
    else
        cli_print("%zu,%.9g,%.9g\n", row, log_ratio, probability);
    return BNRE_OK;
}

bnre_status cli_classify(const char *path, const bnre_opt_list *file,
                         const struct common *common, int *is)
{
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;
    bnre_pool *pool = NULL;
    size_t rows = 0, outside = 0;

    *is = 0;
    CLI_TRY(bnre_estimator_open(path, &est));
    if (bnre_estimator_describe(est)->kind != BNRE_ESTIMATOR_CLASSIFIER)
        goto done;
    *is = 1;
    CLI_TRY(bnre_pool_create(common->threads, &pool));
    cli_print("row,log_ratio,probability\n");
    CLI_TRY(bnre_classify(est, pool, file->count, file->text, print_row, NULL,
                          &rows, &outside));
    if (outside > 0)
        cli_note(common,
                 "warning: %zu of the %zu rows have values outside of all that "
                 "the classifier was trained on: it guesses there",
                 outside, rows);
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
