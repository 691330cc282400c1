/* print_classes.c - classifiers of two classes and more: what they say to rows, and how good they are. */
#include <math.h>

#include "print.h"

static bnre_status print_row(void *context, size_t row, double log_ratio,
                             size_t n, const double *probability)
{
    const int two = *(const int *)context;

    if (two && probability == NULL)
        cli_print("%zu,,\n", row);
    else if (two)
        cli_print("%zu,%.9g,%.9g\n", row, log_ratio, probability[0]);
    if (two)
        return BNRE_OK;
    cli_print("%zu", row);
    for (size_t k = 0; k < n; k++)
        if (probability == NULL)
            cli_print(",");
        else
            cli_print(",%.9g", probability[k]);
    cli_print("\n");
    return BNRE_OK;
}

static bnre_status print_header(const bnre_estimator *est, int two)
{
    bnre_status status = BNRE_OK;
    bnre_models_report report = {0};

    if (two) {
        cli_print("row,log_ratio,probability\n");
        return BNRE_OK;
    }
    CLI_TRY(bnre_models_names(est, &report));
    cli_print("row");
    for (size_t k = 0; k < report.n; k++)
        cli_print(",%s", report.name[k]);
    cli_print("\n");
done:
    bnre_models_report_clear(&report);
    return status;
}

bnre_status cli_classify(const struct cli_work *work,
                         const bnre_posterior_settings *settings, int *is)
{
    const bnre_opt_list *file = &settings->observation;
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;
    size_t rows = 0, outside = 0;
    int two;

    *is = 0;
    CLI_TRY(bnre_estimator_open(work->operand[0], &est));
    if (bnre_classify_count(est) == 0)
        goto done;
    *is = 1;
    two = bnre_models_count(est) == 0;
    CLI_TRY(print_header(est, two));
    CLI_TRY(bnre_classify(est, work->pool, settings->odds, file->count,
                          file->text, print_row, &two, &rows, &outside));
    if (outside > 0)
        cli_note(work->common,
                 "warning: %zu of the %zu rows have values outside of all that "
                 "the classifier was trained on: it guesses there",
                 outside, rows);
done:
    bnre_estimator_close(est);
    return status;
}

/* What rows of a class are taken for: of many classes the most frequent. */
static void print_taken_for(const bnre_models_report *report, size_t i)
{
    enum { ALL = 8, FEW = 3 };
    const double *of = report->confusion + i * report->n;
    size_t told = 0;

    for (size_t k = 0; report->n <= ALL && k < report->n; k++)
        cli_print(" %6.1f %%", 100 * of[k]);
    for (double last = HUGE_VAL; report->n > ALL && told < FEW;) {
        double most = 0;

        for (size_t k = 0; k < report->n; k++)
            most = of[k] < last ? fmax(most, of[k]) : most;
        if (!(most > 0))
            break;
        for (size_t k = 0; k < report->n && told < FEW; k++)
            if (of[k] == most)
                cli_print("%s %s %.1f %%", told++ > 0 ? "," : "",
                          report->name[k], 100 * most);
        last = most;
    }
    cli_print("\n");
}

void cli_print_models_report(const bnre_models_report *report)
{
    const int width =
        cli_name_width(report->n, (const char *const *)report->name, 12);

    cli_print("  on rows not learned from, the classes having equal weight:\n"
              "  accuracy      %.4f +- %.4f\n"
              "  log loss      %.4f; chance is %.4f\n"
              "  calibration   %.4f off on average; chance alone would show "
              "%.4f\n\n",
              report->accuracy, report->accuracy_error, report->cross_entropy,
              log((double)report->n), report->calibration,
              report->calibration_chance);
    cli_print("  %-*s %8s %18s  taken for\n", width, "class", "rows",
              "balance");
    for (size_t i = 0; i < report->n; i++) {
        cli_print("  %-*s %8zu %8.4f +- %.4f ", width, report->name[i],
                  report->rows[i], report->balance[i],
                  report->balance_error[i]);
        print_taken_for(report, i);
    }
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
