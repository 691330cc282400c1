/* print_study.c - what people are told of a study: its plan and its results. */
#include <math.h>

#include "print.h"

enum { SHOWN = 40 }; /* cells, at most */

/* ---- the plan ---- */

static void print_cells(const bnre_study *study)
{
    const bnre_study_info info = bnre_study_describe(study);
    char number[CLI_NUMBER];

    cli_print("cells           %s", cli_count(info.cells, number));
    if (info.keys > 0)
        cli_print(", of");
    for (size_t i = 0; i < info.keys; i++)
        cli_print("%s %s", i > 0 ? "," : "", info.key[i]);
    cli_print("; %zu run%s of each\n", info.repeats, CLI_PLURAL(info.repeats));
    for (size_t i = 0; i < info.cells; i++) {
        if (i == SHOWN) {
            cli_print("  ... and %s more\n",
                      cli_count(info.cells - SHOWN, number));
            break;
        }
        cli_print("  %s\n", bnre_study_cell_at(study, i).name);
    }
}

static void print_datasets(const bnre_study *study, int unknown)
{
    const bnre_study_info info = bnre_study_describe(study);
    char number[CLI_NUMBER], size[CLI_NUMBER];
    size_t rows = 0;

    for (size_t i = 0; i < info.datasets; i++)
        rows += bnre_study_dataset_at(study, i).rows;
    cli_print("simulations     %s in all\n", cli_count(rows, number));
    for (size_t i = 0; i < info.datasets; i++) {
        const bnre_study_dataset data = bnre_study_dataset_at(study, i);

        cli_print("  %-30s %12s rows %10s\n", data.name,
                  cli_count(data.rows, number),
                  unknown ? "" : cli_bytes(data.bytes, size));
    }
}

static void print_costs(bnre_study_estimate estimate, size_t workers)
{
    const double all = estimate.simulate + estimate.train + estimate.diagnose;
    char number[CLI_NUMBER];

    if (estimate.unknown) {
        cli_print(
            "time, disk      not known: a dry run does not load the plugin, "
            "which tells the\n                parameters and the shape of "
            "x\n");
        return;
    }
    cli_print("time            about %s with %zu at a time:",
              cli_duration(all / (double)workers, number), workers);
    cli_print(" simulations %s%s,",
              cli_duration(estimate.simulate / (double)workers, number),
              estimate.external ? " (a guess)" : "");
    cli_print(" training %s,",
              cli_duration(estimate.train / (double)workers, number));
    cli_print(" diagnosis %s\n",
              cli_duration(estimate.diagnose / (double)workers, number));
    cli_print("disk            about %s\n",
              cli_bytes(estimate.data + estimate.runs, number));
}

void cli_print_study_plan(const bnre_run_outcome *outcome, size_t workers)
{
    const bnre_study *study = outcome->study;

    cli_print("would run the study \"%s\" in %s\n\n",
              bnre_study_describe(study).title, outcome->path);
    print_cells(study);
    print_datasets(study, outcome->estimate.unknown);
    print_costs(outcome->estimate, workers);
    cli_print("\n# the study\n");
    cli_print_lines(stdout, bnre_study_describe(study).text);
}

static void print_results(const bnre_study *study,
                          const bnre_study_result *result)
{
    const bnre_study_info info = bnre_study_describe(study);
    int width = 4;

    for (size_t i = 0; i < info.cells && i < SHOWN; i++)
        width = cli_name_width(
            1, (const char *[]){bnre_study_cell_at(study, i).name}, width);
    cli_print("  %-*s  %8s  %6s  %11s  %s\n", width, "cell", "AUC", "+-",
              "information", "verdict");
    for (size_t i = 0; i < info.cells; i++) {
        const bnre_study_summary sum = bnre_study_summarise(result, i);
        char sd[16] = "-";

        if (i == SHOWN) {
            cli_print("  ... all of them are in results.csv\n");
            break;
        }
        cli_print("  %-*s  ", width, bnre_study_cell_at(study, i).name);
        if (!isnan(sum.auc_sd))
            snprintf(sd, sizeof sd, "%.3f", sum.auc_sd);
        if (isnan(sum.auc))
            cli_print("%8s  %6s  %11s  %s\n", "-", "-", "-", sum.verdicts);
        else
            cli_print("%+8.3f  %6s  %11.3f  %s\n", sum.auc, sd, sum.information,
                      sum.verdicts);
    }
}

void cli_print_study(const bnre_run_outcome *outcome)
{
    const bnre_study_result *result = &outcome->result;
    char number[CLI_NUMBER], other[CLI_NUMBER];

    cli_print("%s\n", outcome->path);
    cli_print("  runs          %s", cli_count(result->runs, number));
    if (result->found > 0)
        cli_print(", %s %s done already", cli_count(result->found, other),
                  result->found == 1 ? "was" : "were");
    cli_print("\n");
    cli_fact("simulations", "%s", cli_count(result->simulations, number));
    cli_fact("time", "%s\n", cli_duration(outcome->seconds, number));
    print_results(outcome->study, result);
    cli_print("\n  results       %s/results.csv\n", outcome->path);
}

void cli_print_page(const struct common *common, const char *directory,
                    const bnre_report_result *result)
{
    if (!result->drawn)
        cli_note(common,
                 "gnuplot was not found: the figures' data and scripts are in "
                 "%s/figures; install gnuplot, then: bnre report %s",
                 directory, directory);
    if (common->quiet)
        return;
    if (result->done < result->runs)
        cli_fact("runs", "%zu of %zu are done", result->done, result->runs);
    cli_fact("report", "%s/report.html", directory);
}
