/* A study from its file to its results. */
#include <math.h>
#include <string.h>

#include "cli.h"

struct args {
    struct common common;
    bnre_opt_list set;
    char *seed, *output;
    int no_report;
};

#define AT(field) offsetof(struct args, field)
static const bnre_opt opts[] = {
    {"set", BNRE_OPT_LIST, AT(set), NULL, NULL, "KEY=VALUE", 0,
     "set KEY to VALUE, over what the file says, for example epochs=10, "
     "task.options.dim=3 or 'sweep.simulations=[256, 512]'"},
    {"seed", BNRE_OPT_TEXT, AT(seed), NULL, NULL, "N", 0,
     "short for --set seed=N"},
    {"output", BNRE_OPT_TEXT, AT(output), NULL, NULL, "DIR", 0,
     "directory for the results (default: the name of the study's file without "
     "its ending)"},
    {"no_report", BNRE_OPT_FLAG, AT(no_report), NULL, NULL, NULL, 0,
     "do not write report.html and the figures; `bnre report` can write them "
     "later"},
};

enum { MOST_SETTINGS = 200, SHOWN = 40 };

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
    cli_print("; %zu run%s of each\n", info.repeats,
              info.repeats > 1 ? "s" : "");
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

static bnre_status print_plan(const bnre_study *study, size_t workers,
                              const char *path)
{
    bnre_status status = BNRE_OK;
    bnre_study_estimate estimate;

    CLI_TRY(bnre_study_estimate_costs(study, &estimate));
    cli_print("would run the study \"%s\" in %s\n\n",
              bnre_study_describe(study).title, path);
    print_cells(study);
    print_datasets(study, estimate.unknown);
    print_costs(estimate, workers);
    cli_print("\n# the study\n");
    cli_print_lines(stdout, bnre_study_describe(study).text);
done:
    return status;
}

/* ---- the results ---- */

/* Mean and standard deviation over the runs of a cell that are done; NaN if
   there is none, or one alone. */
struct spread {
    double mean, sd;
};

static struct spread spread_of(const bnre_study_result *result, size_t cell,
                               double (*value)(const bnre_study_outcome *))
{
    double n = 0, sum = 0, squares = 0;

    for (size_t i = 0; i < result->runs; i++)
        if (result->outcome[i].cell == cell && result->outcome[i].done) {
            n++;
            sum += value(&result->outcome[i]);
        }
    for (size_t i = 0; i < result->runs; i++)
        if (result->outcome[i].cell == cell && result->outcome[i].done) {
            double d = value(&result->outcome[i]) - sum / n;

            squares += d * d;
        }
    return (struct spread){sum / n, n > 1 ? sqrt(squares / n) : NAN};
}

static double auc_of(const bnre_study_outcome *outcome)
{
    return outcome->auc;
}

static double information_of(const bnre_study_outcome *outcome)
{
    return outcome->information;
}

/* "CONSERVATIVE", or "2 CONSERVATIVE, 1 INCONCLUSIVE". */
static void list_verdicts(const bnre_study_result *result, size_t cell,
                          char *out, size_t room)
{
    size_t runs = 0, used = 0;

    out[0] = 0;
    for (size_t i = 0; i < result->runs; i++)
        runs += result->outcome[i].cell == cell;
    for (size_t i = 0; i < result->runs && used < room; i++) {
        const bnre_study_outcome *one = &result->outcome[i];
        const char *word = one->done ? one->verdict : "failed";
        size_t count = 0, before = 0;

        if (one->cell != cell || word[0] == 0)
            continue;
        for (size_t k = 0; k < result->runs; k++) {
            const bnre_study_outcome *other = &result->outcome[k];

            if (other->cell != cell ||
                strcmp(other->done ? other->verdict : "failed", word) != 0)
                continue;
            count++;
            before += k < i;
        }
        if (before > 0)
            continue;
        if (count == runs)
            snprintf(out, room, "%s", word);
        else
            used += (size_t)snprintf(out + used, room - used, "%s%zu %s",
                                     used > 0 ? ", " : "", count, word);
    }
}

static void print_results(const bnre_study *study,
                          const bnre_study_result *result)
{
    const bnre_study_info info = bnre_study_describe(study);
    size_t width = 4;

    for (size_t i = 0; i < info.cells && i < SHOWN; i++) {
        const size_t length = strlen(bnre_study_cell_at(study, i).name);

        width = length > width ? length : width;
    }
    cli_print("  %-*s  %8s  %6s  %11s  %s\n", (int)width, "cell", "AUC", "+-",
              "information", "verdict");
    for (size_t i = 0; i < info.cells; i++) {
        const struct spread auc = spread_of(result, i, auc_of);
        const struct spread gain = spread_of(result, i, information_of);
        char verdict[200], sd[16] = "-";

        if (i == SHOWN) {
            cli_print("  ... all of them are in results.csv\n");
            break;
        }
        list_verdicts(result, i, verdict, sizeof verdict);
        cli_print("  %-*s  ", (int)width, bnre_study_cell_at(study, i).name);
        if (!isnan(auc.sd))
            snprintf(sd, sizeof sd, "%.3f", auc.sd);
        if (isnan(auc.mean))
            cli_print("%8s  %6s  %11s  %s\n", "-", "-", "-", verdict);
        else
            cli_print("%+8.3f  %6s  %11.3f  %s\n", auc.mean, sd, gain.mean,
                      verdict);
    }
}

static void print_summary(const bnre_study *study, const char *path,
                          const bnre_study_result *result, double seconds)
{
    char number[CLI_NUMBER], other[CLI_NUMBER];

    cli_print("%s\n", path);
    cli_print("  runs          %s", cli_count(result->runs, number));
    if (result->found > 0)
        cli_print(", %s %s done already", cli_count(result->found, other),
                  result->found == 1 ? "was" : "were");
    cli_print("\n  simulations   %s\n", cli_count(result->simulations, number));
    cli_print("  time          %s\n\n", cli_duration(seconds, number));
    print_results(study, result);
    cli_print("\n  results       %s/results.csv\n", path);
}

/* ---- the command ---- */

static bnre_status choose_output(const struct args *args, const char *file,
                                 char out[CLI_PATH])
{
    const char *base = strrchr(file, '/');
    const char *dot;
    int length;

    base = base != NULL ? base + 1 : file;
    dot = strrchr(base, '.');
    if (args->output != NULL)
        length = snprintf(out, CLI_PATH, "%s", args->output);
    else if (dot == NULL || dot == base)
        return bnre_fail(BNRE_EUSAGE, "name the directory of results with -o");
    else
        length = snprintf(out, CLI_PATH, "%.*s", (int)(dot - base), base);
    if (length >= CLI_PATH)
        return bnre_fail(BNRE_EUSAGE, "the name of the output is too long");
    return BNRE_OK;
}

static bnre_status read_study(const struct args *args, const char *file,
                              bnre_study **out)
{
    const char *set[MOST_SETTINGS + 1];
    char seed[64];
    size_t n = args->set.count;

    if (n > MOST_SETTINGS)
        return bnre_fail(BNRE_EUSAGE, "--set was given %zu times, at most %d",
                         n, MOST_SETTINGS);
    for (size_t i = 0; i < n; i++)
        set[i] = args->set.text[i];
    if (args->seed != NULL) {
        snprintf(seed, sizeof seed, "seed=%s", args->seed);
        set[n++] = seed;
    }
    /* A dry run loads no plugin. */
    return (args->common.dry_run ? bnre_study_look : bnre_study_read)(file, n,
                                                                      set, out);
}

/* What looks wrong before anything is done, each once. */
static void print_doubts(const struct args *args, const bnre_study *study)
{
    const size_t n = bnre_study_describe(study).cells;

    for (size_t i = 0; i < n; i++) {
        const char *doubt = bnre_study_cell_at(study, i).doubt;
        size_t k = 0;

        while (strcmp(bnre_study_cell_at(study, k).doubt, doubt) != 0)
            k++;
        if (doubt[0] != 0 && k == i)
            cli_note(&args->common, "warning: %s", doubt);
    }
}

/* Verdicts and the page, also if some runs have failed; that failure stays. */
static bnre_status finish_study(const struct args *args,
                                const bnre_study *study, const char *path,
                                const bnre_study_result *result, double seconds,
                                bnre_status outcome)
{
    char message[1024];
    bnre_status status = BNRE_OK;

    snprintf(message, sizeof message, "%s", bnre_error_message());
    if (!args->common.quiet)
        print_summary(study, path, result, seconds);
    if (!args->no_report)
        status = cli_write_report(&args->common, path, "svg,pdf");
    return outcome != BNRE_OK ? bnre_fail(outcome, "%s", message) : status;
}

static bnre_status run_study(const struct args *args, bnre_study *study,
                             const bnre_executor *executor, const char *path)
{
    bnre_study_opts settings = {.force = args->common.force,
                                .executor = executor};
    bnre_study_result result = {0};
    bnre_status status = BNRE_OK;
    struct progress progress;
    bnre_monitor monitor;
    double seconds;

    monitor = cli_progress_start(&progress, "run", &args->common);
    progress.bare = 1;
    settings.monitor = &monitor;
    status = bnre_study_run(study, &settings, path, &result);
    seconds = cli_progress_finish(&progress);
    if (status == BNRE_EINTR)
        status = bnre_fail(BNRE_EINTR,
                           "interrupted: what is done so far is safe in %s; "
                           "run the same command again to go on",
                           path);
    if (result.outcome != NULL && executor->leads)
        status = finish_study(args, study, path, &result, seconds, status);
    bnre_study_result_clear(&result);
    return status;
}

/* The directory gets a study.yaml of its own, which must not be the one that is
   run: comments would be lost. Without --force the library refuses it. */
static bnre_status keep_study(const char *path, const char *file)
{
    char own[CLI_PATH + 16];

    snprintf(own, sizeof own, "%s/study.yaml", path);
    return bnre_output_refuse_inputs(own, 1, &file);
}

static bnre_status run(const void *fields, size_t n, const char *const *operand)
{
    const struct args *args = fields;
    bnre_executor executor = {0};
    bnre_status status = BNRE_OK;
    bnre_study *study = NULL;
    char path[CLI_PATH];

    (void)n;
    CLI_TRY(cli_executor_open(args->common.threads, &executor));
    status = choose_output(args, operand[0], path);
    if (status == BNRE_OK && args->common.force)
        status = keep_study(path, operand[0]);
    if (status == BNRE_OK)
        status = read_study(args, operand[0], &study);
    CLI_TRY(executor.agree(executor.context, status));
    if (executor.leads)
        print_doubts(args, study);
    if (!args->common.dry_run)
        CLI_TRY(run_study(args, study, &executor, path));
    else if (executor.leads)
        CLI_TRY(print_plan(study, executor.workers, path));
done:
    bnre_study_destroy(study);
    cli_executor_close(&executor);
    return status;
}

const struct command cli_run = {
    .name = "run",
    .title = "simulate, train, diagnose and report a study",
    .usage = "STUDY.yaml [-o DIR] [options]",
    .text =
        "Runs a whole study: simulates its data, trains and diagnoses every "
        "cell of its sweep, with repeats, and writes results.csv (a row for "
        "each run), figures, and a page for readers, report.html. The same "
        "command continues a study that was stopped; after a change of the "
        "file it repeats only what the change affects. --dry-run shows the "
        "cells, data, time and disk space. A study is a file of settings: the "
        "task, the options of train and diagnose, and simulations, test, "
        "validation, schedule, repeats and seed. Each of them can be a list "
        "under `sweep`; the cells are the product of these lists.",
    .examples = "  bnre run studies/quickstart.yaml -o quickstart\n"
                "  bnre run study.yaml --dry-run\n"
                "  bnre run study.yaml --set repeats=1 --set "
                "'sweep.simulations=[256]'\n"
                "  mpirun -n 8 bnre-mpi run study.yaml -o results\n"
                "\n"
                "a study:\n"
                "  task: slcp\n"
                "  repeats: 3\n"
                "  sweep:\n"
                "    method: [nre, bnre, bnpe]\n"
                "    simulations: [1024, 4096]\n",
    .opts = opts,
    .n_opts = sizeof opts / sizeof *opts,
    .size = sizeof(struct args),
    .least = 1,
    .most = 1,
    .run = run,
};
