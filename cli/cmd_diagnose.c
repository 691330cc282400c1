#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "diagnosis_files.h"
#include "print_diag.h"

struct args {
    struct common common;
    char *data, *samples, *grid, *most_points, *temper, *format, *output;
    size_t points, draws, observations;
    int check, strict, normalised, each_member, allow_seen;
    double delta, eps;
    char *learning_curve, *observation, *task;
    size_t theorems;
};

#define AT(field) offsetof(struct args, field)
static const bnre_opt opts[] = {
    {"data", BNRE_OPT_TEXT, AT(data), NULL, NULL, "FILE", 0,
     "fresh pairs: simulate them with --split test"},
    {"check", BNRE_OPT_FLAG, AT(check), NULL, NULL, NULL, 0,
     "exit with status 3 if OVERCONFIDENT, UNINFORMATIVE or BLIND"},
    {"strict", BNRE_OPT_FLAG, AT(strict), NULL, NULL, NULL, 0,
     "exit with status 3 also if INCONCLUSIVE"},
    {"grid", BNRE_OPT_TEXT, AT(grid), "auto", NULL, "auto|paper|N",
     BNRE_OPT_RESULT,
     "points for each pair: a random one in each of many cells, small where "
     "the posterior is (auto); N cells of equal prior mass per parameter, for "
     "up to 3 parameters; or the grid of the reference"},
    {"points", BNRE_OPT_SIZE, AT(points), "0", "[0, 1e6]", "N", BNRE_OPT_RESULT,
     "cells at most with auto (0: 96, 384 or 512 for 1, 2 or more "
     "parameters)"},
    {"draws", BNRE_OPT_SIZE, AT(draws), "0", "[0, 1e7]", "N", BNRE_OPT_RESULT,
     "points for each pair drawn instead: from the posterior itself where that "
     "is possible (npe, bnpe; 0: 100), else from the prior (0: 512 for priors "
     "known by samples)"},
    {"most_points", BNRE_OPT_TEXT, AT(most_points), NULL, NULL, "N",
     BNRE_OPT_RESULT,
     "where these points do not resolve the posteriors twice as many are "
     "taken, and again, up to N for each pair (default 8192); if that does not "
     "suffice the verdict is BLIND"},
    {"observations", BNRE_OPT_SIZE, AT(observations), "1", "[1, 10000]", "K",
     BNRE_OPT_RESULT,
     "observations of the same parameters: K rows in turn make a pair"},
    {"temper", BNRE_OPT_TEXT, AT(temper), NULL, NULL, "T,T,...",
     BNRE_OPT_RESULT,
     "posteriors widened towards the prior, p exp(T l), 0 < T <= 1; the first "
     "is shown in full (default: what the estimator says)"},
    {"each_member", BNRE_OPT_FLAG, AT(each_member), NULL, NULL, NULL,
     BNRE_OPT_RESULT, "look at the members of an ensemble too"},
    {"delta", BNRE_OPT_REAL, AT(delta), "0.05", "(0, 1)", "X", BNRE_OPT_RESULT,
     "the verdict has confidence 1 - X"},
    {"eps", BNRE_OPT_REAL, AT(eps), "0.02", "[0, 1)", "X", BNRE_OPT_RESULT,
     "coverage may be too low by this much"},
    {"samples", BNRE_OPT_TEXT, AT(samples), NULL, NULL, "FILE", 0,
     "diagnose samples made elsewhere: .npz or .h5 with samples (pairs, "
     "samples, parameters), and if known theta, log_density, "
     "log_density_true; or .npy"},
    {"normalised", BNRE_OPT_FLAG, AT(normalised), NULL, NULL, NULL,
     BNRE_OPT_RESULT, "their densities integrate to 1, so give information"},
    {"learning_curve", BNRE_OPT_TEXT, AT(learning_curve), NULL, NULL, "DATA", 0,
     "the data of the training: trains on a quarter and half of them, to tell "
     "what more simulations would bring"},
    {"observation", BNRE_OPT_TEXT, AT(observation), NULL, NULL, "FILE", 0,
     "what was observed: is it like the pairs?"},
    {"theorems", BNRE_OPT_SIZE, AT(theorems), "0", "[0, 1e6]", "N", 0,
     "check what theory says of every classifier on N pairs, for tasks with a "
     "known likelihood"},
    {"task", BNRE_OPT_TEXT, AT(task), NULL, NULL, "FILE", 0,
     "the task of the pairs, for --theorems with a likelihood in a plugin: "
     "what "
     "a data file names is not run"},
    {"allow_seen", BNRE_OPT_FLAG, AT(allow_seen), NULL, NULL, NULL,
     BNRE_OPT_RESULT,
     "go on with pairs that the estimator was trained on: the result will be "
     "too good"},
    {"format", BNRE_OPT_TEXT, AT(format), "svg,pdf", NULL, "svg,pdf,png",
     BNRE_OPT_RESULT, "of the figures"},
    {"output", BNRE_OPT_TEXT, AT(output), NULL, NULL, "FILE.json", 0,
     "results; FILE.csv, FILE-pairs.csv and figures come beside it"},
};

/* What is diagnosed. */
struct work {
    const struct args *args;
    const char *estimator_path; /* NULL: none */
    bnre_estimator *estimator;
    char print[33]; /* of the estimator as it is in the file */
    bnre_dataset *data;
    bnre_task *task; /* of the data, for samples */
    bnre_density density;
    double *temper, *theta;
    bnre_diag_samples samples;
    bnre_diag_opts opts;
    bnre_pool *pool;
    bnre_diag *diag;
    struct cli_findings findings;
    bnre_node *made;     /* how it comes about; NULL: nothing is written */
    bnre_output *output; /* likewise */
};

static void clear_work(struct work *work)
{
    bnre_output_close(work->output);
    bnre_node_destroy(work->made);
    cli_findings_clear(&work->findings);
    bnre_diag_destroy(work->diag);
    bnre_pool_destroy(work->pool);
    if (work->theta != NULL)
        work->samples.theta = NULL;
    bnre_diag_samples_clear(&work->samples);
    free(work->theta);
    free(work->temper);
    bnre_task_destroy(work->task);
    bnre_dataset_close(work->data);
    bnre_estimator_close(work->estimator);
}

static bnre_status fail_memory(void)
{
    return bnre_fail(BNRE_ENOMEM, "no memory");
}

static bnre_status read_grid(const struct args *args, bnre_diag_opts *to)
{
    bnre_status status = BNRE_OK;

    to->draws = args->draws;
    to->fitted = args->points;
    if (args->most_points != NULL)
        CLI_TRY(bnre_read_size(args->most_points, "[1, 1e7]", "--most-points",
                               &to->most_points));
    if (args->draws > 0 && strcmp(args->grid, "auto") != 0)
        return bnre_fail(BNRE_EUSAGE, "--grid and --draws exclude each other");
    if (args->points > 0 &&
        (args->draws > 0 || strcmp(args->grid, "auto") != 0))
        return bnre_fail(BNRE_EUSAGE, "--points excludes --grid and --draws");
    if (strcmp(args->grid, "paper") == 0) {
        to->grid = BNRE_DIAG_PAPER;
    } else if (strcmp(args->grid, "auto") != 0) {
        to->grid = BNRE_DIAG_CELLS;
        CLI_TRY(bnre_read_size(args->grid, "[1, inf)", "--grid", &to->cells));
    }
done:
    return status;
}

/* "0.5,1" into the list; without one, what the estimator says. */
static bnre_status read_temper(struct work *work)
{
    const char *text = work->args->temper;
    bnre_status status = BNRE_OK;
    size_t n = 1;

    for (const char *c = text; c != NULL && *c != 0; c++)
        n += *c == ',';
    work->temper = malloc(n * sizeof *work->temper);
    if (work->temper == NULL)
        return fail_memory();
    work->temper[0] = bnre_estimator_describe(work->estimator)->temper;
    for (size_t i = 0; text != NULL && i < n; i++) {
        size_t length = strcspn(text, ",");
        char part[64];

        snprintf(part, sizeof part, "%.*s", (int)length, text);
        CLI_TRY(bnre_read_real(part, "(0, 1]", "--temper", &work->temper[i]));
        text += length + (text[length] == ',');
    }
    work->opts.temper = work->temper;
    work->opts.n_temper = n;
    /* Log ratios as they are, to be tempered by the diagnosis. */
    CLI_TRY(bnre_estimator_set_temper(work->estimator, 1));
done:
    return status;
}

/* Pairs of another prior, or that were trained on. */
static bnre_status refuse_wrong(const struct work *work)
{
    const size_t rows = bnre_dataset_describe(work->data)->rows;
    bnre_status status = BNRE_OK;
    char number[CLI_NUMBER], other[CLI_NUMBER];
    size_t seen = 0;

    CLI_TRY(bnre_estimator_overlap(work->estimator, work->data, &seen));
    CLI_TRY(bnre_estimator_check_prior(work->estimator, work->data));
    if (seen == 0)
        return BNRE_OK;
    if (!work->args->allow_seen)
        return bnre_fail(
            BNRE_EUSAGE,
            "%s of the %s pairs are ones that the estimator was trained on: "
            "simulate fresh ones with --split test (or --allow-seen)",
            cli_count(seen, number), cli_count(rows, other));
    cli_note(&work->args->common,
             "warning: %s of the %s pairs are ones that the estimator was "
             "trained on",
             cli_count(seen, number), cli_count(rows, other));
done:
    return status;
}

static bnre_status open_estimator(struct work *work)
{
    const struct args *args = work->args;
    bnre_status status = BNRE_OK;

    CLI_TRY(bnre_estimator_open(work->estimator_path, &work->estimator));
    if (bnre_estimator_prior(work->estimator) == NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "%s is a classifier without parameters: there is no "
                         "posterior to diagnose (bnre info tells how good it "
                         "is)",
                         work->estimator_path);
    CLI_TRY(bnre_estimator_fingerprint(work->estimator, work->print));
    if (args->samples != NULL)
        return BNRE_OK;
    CLI_TRY(cli_keep_certificate(work->estimator, &work->findings));
    CLI_TRY(read_temper(work));
    work->findings.guarantee.temper = work->temper[0];
    work->findings.guarantee.observations = args->observations;
    work->opts.each_member = args->each_member;
    work->density = bnre_estimator_density(work->estimator, BNRE_ALL_MEMBERS);
    CLI_TRY(refuse_wrong(work));
done:
    return status;
}

/* The prior that samples are compared with: of the estimator, or of the task
   that the data are from. */
static bnre_status find_prior(struct work *work)
{
    bnre_status status = BNRE_OK;
    bnre_node *node = NULL;
    const char *text;

    if (work->estimator != NULL) {
        work->samples.prior = bnre_estimator_prior(work->estimator);
        return BNRE_OK;
    }
    text = work->data != NULL ? bnre_dataset_describe(work->data)->task : NULL;
    if (text == NULL)
        return BNRE_OK;
    CLI_TRY(bnre_yaml_parse(text, NULL, &node));
    CLI_TRY(bnre_task_describe(node, &work->task));
    work->samples.prior = bnre_task_prior(work->task);
done:
    bnre_node_destroy(node);
    return status;
}

/* True parameters from the dataset, if the samples do not bring them. */
static bnre_status find_theta(struct work *work)
{
    bnre_status status = BNRE_OK;
    const bnre_dataset_info *info;

    if (work->data == NULL) {
        const bnre_estimator_info *own =
            work->estimator != NULL ? bnre_estimator_describe(work->estimator)
                                    : NULL;

        if (work->samples.theta != NULL && own != NULL)
            CLI_TRY(bnre_diag_samples_arrange(&work->samples, own->dim_theta,
                                              own->theta_name));
        if (work->samples.theta != NULL)
            return BNRE_OK;
        return bnre_fail(BNRE_EUSAGE,
                         "%s has no array theta: give the true parameters "
                         "with --data",
                         work->args->samples);
    }
    info = bnre_dataset_describe(work->data);
    if (work->samples.prior != NULL)
        CLI_TRY(bnre_dataset_arrange(work->data, work->samples.prior, NULL));
    CLI_TRY(bnre_diag_samples_arrange(&work->samples, info->dim_theta,
                                      info->theta_name));
    if (work->samples.theta != NULL)
        return BNRE_OK;
    if (info->rows != work->samples.n || info->dim_theta != work->samples.dim)
        return bnre_fail(BNRE_EUSAGE,
                         "samples are for %zu pairs of %zu parameters, %s has "
                         "%zu of %zu",
                         work->samples.n, work->samples.dim, work->args->data,
                         info->rows, info->dim_theta);
    work->theta = malloc(info->rows * info->dim_theta * sizeof *work->theta);
    if (work->theta == NULL)
        return fail_memory();
    work->samples.theta = work->theta;
    CLI_TRY(bnre_dataset_read(work->data, 0, info->rows, work->theta, NULL,
                              NULL, NULL));
done:
    return status;
}

static bnre_status diagnose_samples(struct work *work)
{
    bnre_status status = BNRE_OK;

    CLI_TRY(bnre_diag_samples_read(work->args->samples, &work->samples));
    work->samples.normalised = work->args->normalised;
    CLI_TRY(find_prior(work));
    CLI_TRY(find_theta(work));
    CLI_TRY(bnre_diagnose_samples(&work->samples, &work->opts, &work->diag));
done:
    return status;
}

static bnre_status diagnose_estimator(struct work *work)
{
    struct progress progress;
    bnre_monitor monitor =
        cli_progress_start(&progress, "diagnose", &work->args->common);
    bnre_status status;

    work->opts.pool = work->pool;
    work->opts.monitor = &monitor;
    status = bnre_diagnose_dataset(&work->density, work->data,
                                   work->args->observations, &work->opts,
                                   &work->diag);
    cli_progress_finish(&progress);
    return status;
}

/* What is asked for beyond the diagnosis. */
static struct cli_wishes wishes_of(const struct work *work)
{
    const struct args *args = work->args;

    return (struct cli_wishes){
        .common = &args->common,
        .estimator = args->samples == NULL ? work->estimator : NULL,
        .estimator_path = work->estimator_path,
        .temper = work->temper != NULL ? work->temper[0] : 1,
        .data = work->data,
        .data_path = args->data,
        .learning_curve = args->learning_curve,
        .observation = args->observation,
        .task = args->task,
        .theorems = args->theorems,
        .pool = work->pool};
}

static bnre_status check_wishes(const struct work *work)
{
    const struct cli_wishes wishes = wishes_of(work);

    return cli_check_wishes(&wishes);
}

/* And what follows from all of it. */
static bnre_status advise(struct work *work)
{
    const struct cli_wishes wishes = wishes_of(work);

    return cli_advise(&wishes, work->diag, &work->findings);
}

/* How the result came about; the caller destroys *out. */
static bnre_status record(const struct work *work, bnre_node **out)
{
    const struct cli_wishes wishes = wishes_of(work);
    bnre_status status = BNRE_OK;
    bnre_node *settings = NULL;
    char print[33];

    CLI_TRY(bnre_opt_record(opts, sizeof opts / sizeof *opts, work->args,
                            &settings));
    CLI_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, out));
    if (work->estimator != NULL)
        CLI_TRY(bnre_node_set(*out, "estimator", work->print));
    if (work->data != NULL) {
        CLI_TRY(bnre_dataset_fingerprint(work->data, print));
        CLI_TRY(bnre_node_set(*out, "data", print));
    }
    if (work->args->samples != NULL) {
        CLI_TRY(bnre_file_fingerprint(work->args->samples, print));
        CLI_TRY(bnre_node_set(*out, "samples", print));
    }
    snprintf(print, sizeof print, "%llu",
             (unsigned long long)work->args->common.seed);
    CLI_TRY(bnre_node_set(*out, "seed", print));
    CLI_TRY(cli_record_wishes(&wishes, *out));
    status = bnre_node_add(*out, "settings", settings);
    settings = NULL;
done:
    bnre_node_destroy(settings);
    return status;
}

/* Before the work: who writes what, and what is there. */
static bnre_status open_output(struct work *work)
{
    const struct args *args = work->args;
    const char *const input[] = {work->estimator_path, args->data,
                                 args->samples,        args->learning_curve,
                                 args->observation,    args->common.config};
    bnre_status status = BNRE_OK;

    if (args->output == NULL)
        return BNRE_OK;
    CLI_TRY(record(work, &work->made));
    CLI_TRY(cli_diagnosis_open(args->output, sizeof input / sizeof *input,
                               input, work->made, args->common.force,
                               &work->output));
done:
    return status;
}

static bnre_status write_files(const struct work *work, const char *unfinished)
{
    const struct args *args = work->args;
    const struct cli_diagnosis diagnosis = {.common = &args->common,
                                            .path = args->output,
                                            .diag = work->diag,
                                            .findings = &work->findings,
                                            .made = work->made,
                                            .formats = args->format,
                                            .unfinished = unfinished};

    return work->output == NULL
               ? BNRE_OK
               : cli_diagnosis_publish(&diagnosis, work->output);
}

static bnre_status check_args(const struct args *args, size_t n)
{
    if (n == 0 && args->samples == NULL)
        return bnre_fail(BNRE_EUSAGE, "which estimator? bnre diagnose EST.h5 "
                                      "--data FILE");
    if (args->data == NULL && args->samples == NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "--data is needed: fresh pairs to diagnose with");
    if (args->samples != NULL &&
        (args->temper != NULL || args->each_member || args->observations > 1))
        return bnre_fail(BNRE_EUSAGE, "samples are what they are: --temper, "
                                      "--each-member and --observations do "
                                      "not go with --samples");
    if (args->output == NULL)
        return BNRE_OK;
    if (!cli_ends_with(args->output, ".json"))
        return bnre_fail(BNRE_EUSAGE, "the output is a .json file, not %s",
                         args->output);
    return BNRE_OK;
}

static void print_plan(const struct work *work)
{
    const struct args *args = work->args;
    char number[CLI_NUMBER];

    if (args->samples != NULL)
        cli_print("would diagnose the samples in %s\n", args->samples);
    else
        cli_print("would diagnose %s on %s rows of %s\n", work->estimator_path,
                  cli_count(bnre_dataset_describe(work->data)->rows, number),
                  args->data);
    if (args->output != NULL)
        cli_print("  results in %s\n", args->output);
}

/* An interrupted diagnosis is told as far as it came. */
static bnre_status finish(struct work *work, bnre_status found)
{
    const struct args *args = work->args;
    bnre_status status = BNRE_OK, advised;

    if (found != BNRE_OK && work->diag == NULL)
        return found;
    advised = advise(work);
    if (!args->common.quiet || args->output == NULL) {
        cli_print("%s",
                  args->samples != NULL ? args->samples : work->estimator_path);
        cli_print("%s%s\n", args->data != NULL ? " on " : "",
                  args->data != NULL ? args->data : "");
        CLI_TRY(cli_print_diag(work->diag));
        CLI_TRY(cli_print_findings(&work->findings));
    }
    fflush(stdout);
    CLI_TRY(write_files(work, found == BNRE_EINTR  ? "it was interrupted"
                              : advised != BNRE_OK ? "there is no advice"
                                                   : NULL));
    CLI_TRY(advised); /* what was diagnosed is not lost with it */
    if (found == BNRE_EINTR)
        return bnre_fail(BNRE_EINTR,
                         "interrupted after %zu of %zu pairs: the "
                         "result is of these",
                         work->diag->n, work->diag->asked);
    if ((args->check || args->strict) && work->diag->n_curves == 0)
        return cli_diagnosis_fail_check();
    if (args->check || args->strict)
        status =
            bnre_judgement_check(&work->diag->curve[0].judgement, args->strict);
done:
    return status;
}

static bnre_status run(const void *fields, size_t n, const char *const *operand)
{
    const struct args *args = fields;
    struct work work = {.args = args, .opts = bnre_diag_opts_default()};
    bnre_status status = BNRE_OK;

    CLI_TRY(check_args(args, n));
    work.estimator_path = n > 0 ? operand[0] : NULL;
    work.opts.seed = args->common.seed;
    work.opts.delta = args->delta;
    work.opts.eps = args->eps;
    CLI_TRY(read_grid(args, &work.opts));
    if (args->data != NULL)
        CLI_TRY(bnre_dataset_open(args->data, &work.data));
    if (work.estimator_path != NULL)
        CLI_TRY(open_estimator(&work));
    CLI_TRY(check_wishes(&work));
    if (args->common.dry_run) {
        print_plan(&work);
        goto done;
    }
    CLI_TRY(open_output(&work));
    if (work.output != NULL && bnre_output_done(work.output)) {
        status = cli_diagnosis_recall(&args->common, args->output, work.output,
                                      args->check, args->strict);
        goto done;
    }
    CLI_TRY(bnre_pool_create(args->common.threads, &work.pool));
    status = finish(&work, args->samples != NULL ? diagnose_samples(&work)
                                                 : diagnose_estimator(&work));
done:
    clear_work(&work);
    return status;
}

const struct command cli_diagnose = {
    .name = "diagnose",
    .title = "tell from fresh pairs whether an estimator can be trusted",
    .usage = "EST.h5 --data FILE [options]",
    .text =
        "Looks at the posteriors of pairs (theta, x) that the estimator has "
        "not seen: how often regions contain the true theta (coverage), how "
        "much was learned (information gain), where it errs (bias, SBC). The "
        "verdict is CONSERVATIVE, OVERCONFIDENT, INCONCLUSIVE, "
        "UNINFORMATIVE or, where nothing can be seen, BLIND; it holds on "
        "average over the prior, not for a single "
        "observation. Ctrl-C ends it with the pairs done so far.",
    .examples =
        "  bnre simulate --task slcp --split test --count 10000 -o test.h5\n"
        "  bnre diagnose slcp.h5 --data test.h5 -o diagnose.json\n"
        "  bnre diagnose slcp.h5 --data test.h5 --check || echo do not use\n"
        "  bnre diagnose slcp.h5 --data test.h5 --temper 1,0.9,0.8,0.7\n"
        "  bnre diagnose --samples flow.npz --data test.h5\n",
    .opts = opts,
    .n_opts = sizeof opts / sizeof *opts,
    .size = sizeof(struct args),
    .most = 1,
    .run = run,
};
