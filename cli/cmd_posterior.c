#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "posterior_output.h"
#include "print_posterior.h"
#include "print_trust.h"

enum { MOST_LEVELS = 32 };

struct args {
    struct common common;
    bnre_opt_list observation;
    char *grid, *levels, *truth, *show, *format, *output;
    int method;
    size_t samples, bank, steps;
    double temper;
    int regions, local;
};

/* In the order of the words of --method. */
static const bnre_posterior_method methods[] = {
    BNRE_METHOD_AUTO, BNRE_METHOD_GRID, BNRE_METHOD_BANK, BNRE_METHOD_CHAIN,
    BNRE_METHOD_DRAWS};

#define AT(field) offsetof(struct args, field)
static const bnre_opt opts[] = {
    {"observation", BNRE_OPT_LIST, AT(observation), NULL, NULL, "FILE",
     BNRE_OPT_RESULT | BNRE_OPT_NEEDED,
     "what was observed: .npy, .npz, .h5 (array x), text, or DATASET:ROW; "
     "several files, or rows in a file, are independent observations of the "
     "same parameters"},
    {"samples", BNRE_OPT_SIZE, AT(samples), "10000", "[1, 1e8]", "N",
     BNRE_OPT_RESULT, "draws of the posterior to write"},
    {"grid", BNRE_OPT_TEXT, AT(grid), "auto", NULL, "auto|paper|N",
     BNRE_OPT_RESULT,
     "for up to 3 parameters: N cells of equal prior mass per parameter, or "
     "the nodes of the reference; auto lays a fine grid over where the mass "
     "is"},
    {"method", BNRE_OPT_CHOICE, AT(method), "auto",
     "auto|grid|bank|chain|draws", "WORD", BNRE_OPT_RESULT,
     "how: a grid for up to 3 parameters, weighted draws of the prior, or "
     "Markov chains, or independent draws of a conditional density (auto: a "
     "grid if possible, else draws, else chains)"},
    {"levels", BNRE_OPT_TEXT, AT(levels), "0.683,0.954,0.997", NULL, "C,C,...",
     BNRE_OPT_RESULT, "levels of the regions of highest density"},
    {"regions", BNRE_OPT_CHOICE, AT(regions), "nominal",
     "nominal|conformal|both", "WORD", BNRE_OPT_RESULT,
     "of the picture: those that the posterior says, or those with a "
     "guarantee, as far as the estimator was calibrated"},
    {"local", BNRE_OPT_FLAG, AT(local), NULL, NULL, NULL, BNRE_OPT_RESULT,
     "also conformal regions from the calibration pairs most like the "
     "observation: approximate"},
    {"temper", BNRE_OPT_REAL, AT(temper), NULL, "(0, 1]", "T", 0,
     "widen the posterior towards the prior: p exp(T l) (default: what the "
     "estimator says)"},
    {"truth", BNRE_OPT_TEXT, AT(truth), NULL, NULL, "A,B,...", BNRE_OPT_RESULT,
     "the parameters behind the observation, to be marked (default: those of "
     "the dataset that it is a row of)"},
    {"bank", BNRE_OPT_SIZE, AT(bank), "65536", "[2, 1e8]", "N", BNRE_OPT_RESULT,
     "draws of the prior, for the bank and for chains to start from"},
    {"steps", BNRE_OPT_SIZE, AT(steps), "6400", "[4, 1e7]", "N",
     BNRE_OPT_RESULT, "steps of Markov chains at most"},
    {"show", BNRE_OPT_TEXT, AT(show), NULL, NULL, "A,B,...", BNRE_OPT_RESULT,
     "parameters in the picture, in this order (default: all, on several pages "
     "if there are more than 8)"},
    {"format", BNRE_OPT_TEXT, AT(format), "svg,pdf", NULL, "svg,pdf,png",
     BNRE_OPT_RESULT, "of the picture"},
    {"output", BNRE_OPT_TEXT, AT(output), "posterior", NULL, "DIR", 0,
     "where the files go"},
};

struct work {
    const struct args *args;
    const char *path; /* of the estimator */
    bnre_estimator *estimator;
    char print[33]; /* of the estimator as it is in the file */
    const bnre_estimator_info *info;
    bnre_density density;
    bnre_observations observed;
    double *truth; /* (dim) or NULL */
    size_t levels;
    double level[MOST_LEVELS];
    bnre_posterior_opts opts;
    bnre_posterior_files files;
    bnre_pool *pool;
    bnre_session *session;
    bnre_posterior *posterior;
    size_t conformals; /* 0, or as many as levels */
    bnre_conformal_region conformal[MOST_LEVELS], local[MOST_LEVELS];
    char *certificate; /* before another --temper; or NULL */
    size_t calibrated; /* pairs, before another --temper */
    bnre_guarantee guarantee;
    size_t warnings;
    char **warning;  /* (warnings) */
    bnre_node *made; /* how it comes about */
    bnre_output *output;
};

static void clear_work(struct work *work)
{
    bnre_output_close(work->output);
    bnre_node_destroy(work->made);
    bnre_posterior_destroy(work->posterior);
    bnre_session_close(work->session);
    bnre_pool_destroy(work->pool);
    for (size_t i = 0; i < work->warnings; i++)
        free(work->warning[i]);
    free(work->warning);
    free(work->certificate);
    free(work->truth);
    bnre_observations_clear(&work->observed);
    bnre_estimator_close(work->estimator);
}

/* ---- what is asked for ---- */

/* Numbers separated by commas; *n receives how many. */
static bnre_status read_list(const char *text, const char *rule,
                             const char *what, size_t room, double *out,
                             size_t *n)
{
    bnre_status status = BNRE_OK;

    for (*n = 0;; *n += 1) {
        const size_t length = strcspn(text, ",");
        char part[64];

        if (*n == room)
            return bnre_fail(BNRE_EUSAGE, "%s: more than %zu values", what,
                             room);
        snprintf(part, sizeof part, "%.*s", (int)length, text);
        CLI_TRY(bnre_read_real(part, rule, what, &out[*n]));
        if (text[length] == 0)
            break;
        text += length + 1;
    }
    *n += 1;
done:
    return status;
}

static bnre_status read_method(struct work *work)
{
    const struct args *args = work->args;
    bnre_status status = BNRE_OK;

    work->opts.method = methods[args->method];
    if (strcmp(args->grid, "auto") == 0)
        return BNRE_OK;
    if (work->opts.method != BNRE_METHOD_AUTO &&
        work->opts.method != BNRE_METHOD_GRID)
        return bnre_fail(BNRE_EUSAGE, "--grid and --method exclude each other");
    if (strcmp(args->grid, "paper") == 0) {
        work->opts.method = BNRE_METHOD_PAPER;
    } else {
        work->opts.method = BNRE_METHOD_GRID;
        CLI_TRY(
            bnre_read_size(args->grid, "[1, inf)", "--grid", &work->opts.grid));
    }
done:
    return status;
}

/* The truth as given, or that of the dataset the observation is a row of. */
static bnre_status read_truth(struct work *work)
{
    const size_t dim = work->info->dim_theta;
    const double *known = work->observed.theta;
    bnre_status status = BNRE_OK;
    size_t n = 0;

    if (work->args->truth == NULL &&
        (known == NULL || work->observed.dim != dim))
        return BNRE_OK;
    work->truth = malloc(dim * sizeof *work->truth);
    if (work->truth == NULL)
        return bnre_fail(BNRE_ENOMEM, "no memory");
    if (work->args->truth == NULL) {
        memcpy(work->truth, known, dim * sizeof *work->truth);
        return BNRE_OK;
    }
    CLI_TRY(read_list(work->args->truth, "(-inf, inf)", "--truth", dim,
                      work->truth, &n));
    if (n != dim)
        return bnre_fail(BNRE_EUSAGE,
                         "--truth has %zu value%s, the estimator has %zu "
                         "parameters",
                         n, n == 1 ? "" : "s", dim);
done:
    return status;
}

static bnre_status open_estimator(struct work *work)
{
    bnre_status status = BNRE_OK;

    CLI_TRY(bnre_estimator_open(work->path, &work->estimator));
    work->info = bnre_estimator_describe(work->estimator);
    if (bnre_estimator_prior(work->estimator) == NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "%s is a classifier without parameters: it has no "
                         "posterior",
                         work->path);
    CLI_TRY(bnre_estimator_fingerprint(work->estimator, work->print));
    /* Tempering anew drops it. */
    CLI_TRY(cli_copy(work->info->certificate, &work->certificate));
    work->calibrated = work->info->scores;
    if (work->args->temper > 0)
        CLI_TRY(bnre_estimator_set_temper(work->estimator, work->args->temper));
    work->guarantee = (bnre_guarantee){.certificate = work->certificate,
                                       .temper = work->info->temper,
                                       .outside = (double)NAN};
    work->density = bnre_estimator_density(work->estimator, BNRE_ALL_MEMBERS);
done:
    return status;
}

/* Keep a warning for the file of results. */
static bnre_status keep_warning(struct work *work, const char *text)
{
    char **more =
        realloc(work->warning, (work->warnings + 1) * sizeof *work->warning);
    bnre_status status = BNRE_OK;

    if (more == NULL)
        return bnre_fail(BNRE_ENOMEM, "no memory");
    work->warning = more;
    CLI_TRY(cli_copy(text, &work->warning[work->warnings]));
    work->warnings++;
done:
    return status;
}

/* Say it, and keep it for the file of results. */
static bnre_status warn(struct work *work, const char *text)
{
    cli_note(&work->args->common, "warning: %s", text);
    return keep_warning(work, text);
}

/* What tells the value apart from the range, however near it is. */
static double outside_spread(const bnre_estimator_outside *outside)
{
    const double beyond = outside->value < outside->low
                              ? outside->low - outside->value
                              : outside->value - outside->high;

    return fmin(beyond, outside->high - outside->low);
}

/* Data unlike all simulated ones are where networks guess. */
static bnre_status warn_outside(struct work *work)
{
    bnre_status status = BNRE_OK;
    char text[400], at[BNRE_READABLE], low[BNRE_READABLE], high[BNRE_READABLE];

    for (size_t k = 0; k < work->observed.n; k++) {
        const bnre_estimator_outside outside = bnre_estimator_compare_x(
            work->estimator, work->observed.x + k * work->observed.x_size);

        const double spread = outside_spread(&outside);

        work->guarantee.beyond += outside.count;
        if (outside.count == 0)
            continue;
        snprintf(text, sizeof text,
                 "observation %zu is unlike the simulated ones: %zu of its %zu "
                 "values lie outside their range; value %zu is %s, in training "
                 "it was from %s to %s. The posterior cannot be relied on "
                 "there",
                 k, outside.count, work->observed.x_size, outside.worst,
                 bnre_readable_real(outside.value, spread, at),
                 bnre_readable_real(outside.low, spread, low),
                 bnre_readable_real(outside.high, spread, high));
        CLI_TRY(warn(work, text));
    }
done:
    return status;
}

/* A ratio that is not normalised for these data. */
static bnre_status warn_evidence(struct work *work)
{
    const double temper = bnre_estimator_describe(work->estimator)->temper;
    char why[BNRE_DOUBT];

    if (!bnre_posterior_far(work->posterior, work->observed.n, temper, why))
        return BNRE_OK;
    return warn(work, why);
}

static void describe_files(struct work *work)
{
    const struct args *args = work->args;

    work->files = bnre_posterior_files_default();
    work->files.directory = args->output;
    work->files.force = 1; /* what is there is looked at by the output */
    work->files.samples = args->samples;
    work->files.seed = args->common.seed;
    work->files.levels = work->levels;
    work->files.level = work->level;
    work->files.truth = work->truth;
    work->files.formats = args->format;
    work->files.show = args->show;
}

static bnre_status prepare(struct work *work)
{
    const struct args *args = work->args;
    bnre_status status = BNRE_OK;
    bnre_observation_form form;

    work->opts = bnre_posterior_opts_default();
    work->opts.seed = args->common.seed;
    work->opts.bank = args->bank;
    work->opts.steps = args->steps;
    work->opts.draws = args->samples;
    CLI_TRY(read_method(work));
    CLI_TRY(read_list(args->levels, "(0, 1)", "--levels", MOST_LEVELS,
                      work->level, &work->levels));
    CLI_TRY(open_estimator(work));
    form =
        (bnre_observation_form){.ndim = work->info->ndim,
                                .shape = work->info->shape,
                                .x_name = work->info->x_name,
                                .prior = bnre_estimator_prior(work->estimator)};
    CLI_TRY(bnre_observations_read(&form, args->observation.count,
                                   (const char *const *)args->observation.text,
                                   &work->observed));
    work->guarantee.observations = work->observed.n;
    CLI_TRY(read_truth(work));
    describe_files(work);
    CLI_TRY(bnre_posterior_files_check(&work->files,
                                       bnre_estimator_prior(work->estimator)));
    CLI_TRY(warn_outside(work));
done:
    return status;
}

/* ---- the work ---- */

static bnre_status compute(struct work *work)
{
    bnre_status status = BNRE_OK;
    struct progress progress;
    bnre_monitor monitor;

    CLI_TRY(bnre_pool_create(work->args->common.threads, &work->pool));
    CLI_TRY(bnre_session_open(&work->density, work->pool, &work->session));
    CLI_TRY(bnre_session_observe(work->session, work->observed.n,
                                 work->observed.x));
    monitor = cli_progress_start(&progress, "posterior", &work->args->common);
    work->opts.monitor = &monitor;
    status =
        bnre_posterior_compute(work->session, &work->opts, &work->posterior);
    work->opts.monitor = NULL;
    cli_progress_finish(&progress);
done:
    return status;
}

/* Regions with a guarantee, where there are calibration pairs; they were single
   observations, and say nothing of several. */
static bnre_status make_conformal(struct work *work)
{
    bnre_status status = BNRE_OK;

    if (work->info->scores == 0 || work->observed.n != 1) {
        const char *why = work->observed.n != 1
                              ? "calibration is for single observations"
                              : "the estimator is not calibrated, or for "
                                "another --temper (bnre train --calibrate)";

        if (work->args->regions > 0 || work->args->local)
            return bnre_fail(BNRE_EUSAGE, "there are no conformal regions: %s",
                             why);
        if (work->calibrated > 0)
            cli_note(&work->args->common, "there are no conformal regions: %s",
                     why);
        return BNRE_OK;
    }
    status = bnre_conformal_regions(work->estimator, work->session,
                                    work->observed.x, work->posterior, 0,
                                    work->levels, work->level, work->conformal);
    if (status == BNRE_EDOUBT && work->args->regions == 0 && !work->args->local)
        return warn(work, bnre_error_message());
    CLI_TRY(status);
    if (work->args->local)
        CLI_TRY(bnre_conformal_regions(work->estimator, work->session,
                                       work->observed.x, work->posterior, 1,
                                       work->levels, work->level, work->local));
    work->conformals = work->levels;
done:
    return status;
}

/* "unlike the simulated ones", by what the estimator sees in them. */
static bnre_status warn_unlike(struct work *work)
{
    double *const least = &work->guarantee.outside;
    bnre_status status = BNRE_OK;
    char text[200], words[BNRE_READABLE];
    double p;

    for (size_t k = 0; k < work->observed.n; k++) {
        CLI_TRY(bnre_outside_estimator(
            work->estimator, work->observed.x + k * work->observed.x_size, &p));
        *least = fmin(*least, p); /* NaN is no number to compare with */
        if (!(p < BNRE_UNLIKE))
            continue;
        snprintf(text, sizeof text,
                 "observation %zu is unlike the pairs of the calibration (%s): "
                 "no guarantee holds for it",
                 k, bnre_readable_p_words(p, words));
        CLI_TRY(warn(work, text));
    }
done:
    return status;
}

/* How the result came about; the caller destroys *out. */
static bnre_status record(const struct work *work, bnre_node **out)
{
    bnre_status status = BNRE_OK;
    bnre_node *settings = NULL;
    char text[33];

    CLI_TRY(bnre_opt_record(opts, sizeof opts / sizeof *opts, work->args,
                            &settings));
    CLI_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, out));
    CLI_TRY(bnre_node_set(*out, "estimator", work->print));
    snprintf(text, sizeof text, "%.17g",
             bnre_estimator_describe(work->estimator)->temper);
    CLI_TRY(bnre_node_set(*out, "temper", text));
    snprintf(text, sizeof text, "%llu",
             (unsigned long long)work->args->common.seed);
    CLI_TRY(bnre_node_set(*out, "seed", text));
    bnre_observations_fingerprint(&work->observed, text);
    CLI_TRY(bnre_node_set(*out, "observed", text));
    status = bnre_node_add(*out, "settings", settings);
    settings = NULL;
done:
    bnre_node_destroy(settings);
    return status;
}

static bnre_status open_output(struct work *work)
{
    bnre_status status = BNRE_OK;

    CLI_TRY(record(work, &work->made));
    CLI_TRY(cli_posterior_open(&work->args->common, work->args->output,
                               work->path, &work->args->observation, work->made,
                               &work->output));
done:
    return status;
}

static bnre_status write_files(const struct work *work, const char *doubt)
{
    const struct args *args = work->args;
    bnre_posterior_files files = work->files;
    const bnre_assurance assurance = {.n = work->conformals,
                                      .region = work->conformal,
                                      .local = args->local ? work->local : NULL,
                                      .guarantee = work->guarantee,
                                      .warnings = work->warnings,
                                      .warning =
                                          (const char *const *)work->warning};
    bnre_status status = BNRE_OK;
    bnre_contour contour[2 * MOST_LEVELS];
    char path[CLI_PATH], note[BNRE_NOTE];
    int drawn = 1;

    files.made = work->made;
    files.directory = bnre_output_place(work->output);
    bnre_assurance_show(&assurance, (bnre_regions)args->regions, contour, note,
                        &files);
    CLI_TRY(
        bnre_posterior_save(work->posterior, work->session, &files, &drawn));
    snprintf(path, sizeof path, "%s/posterior.json", files.directory);
    CLI_TRY(bnre_assurance_add_json(path, &assurance));
    if (!drawn)
        cli_note(&args->common,
                 "gnuplot was not found: the picture is there as script and "
                 "data, %s/corner.gp",
                 args->output);
    CLI_TRY(bnre_output_publish(work->output,
                                drawn ? NULL : "gnuplot was not found", doubt));
done:
    return status;
}

/* What is drawn, and where. */
static bnre_status print_pictures(const struct work *work)
{
    bnre_status status = BNRE_OK;
    char *words = NULL;

    CLI_TRY(bnre_posterior_pictures(
        &work->files, bnre_estimator_prior(work->estimator), &words));
    cli_print("  pictures      ");
    cli_print_wrapped(stdout, words, 16, 16);
done:
    bnre_free(words);
    return status;
}

static void print_plan(const struct work *work)
{
    char shape[CLI_NUMBER], number[CLI_NUMBER];

    cli_print("would make the posterior of %s observation%s of shape %s\n",
              cli_count(work->observed.n, number),
              work->observed.n == 1 ? "" : "s",
              cli_shape(work->info->shape, work->info->ndim, shape));
    cli_print("  %s samples and pictures in %s\n",
              cli_count(work->args->samples, number), work->args->output);
}

static bnre_status run(const void *fields, size_t n, const char *const *operand)
{
    const struct args *args = fields;
    struct work work = {.args = args, .path = operand[0]};
    bnre_status status = BNRE_OK;
    char why[BNRE_DOUBT];
    int classified = 0, doubtful;

    (void)n;
    CLI_TRY(cli_classify(work.path, &args->observation, &args->common,
                         &classified));
    if (classified)
        goto done;
    CLI_TRY(prepare(&work));
    if (args->common.dry_run) {
        print_plan(&work);
        CLI_TRY(print_pictures(&work));
        goto done;
    }
    CLI_TRY(open_output(&work));
    if (bnre_output_done(work.output)) {
        status = cli_posterior_recall(&args->common, args->output, work.output);
        goto done;
    }
    CLI_TRY(compute(&work));
    doubtful = bnre_posterior_doubt(work.posterior, why);
    if (doubtful)
        CLI_TRY(keep_warning(&work, why));
    CLI_TRY(warn_evidence(&work));
    CLI_TRY(make_conformal(&work));
    CLI_TRY(warn_unlike(&work));
    CLI_TRY(write_files(&work, doubtful ? why : NULL));
    if (!args->common.quiet)
        CLI_TRY(cli_print_posterior(work.posterior, work.session, work.levels,
                                    work.level, work.truth));
    if (!args->common.quiet && work.conformals > 0)
        CLI_TRY(cli_print_conformal(work.conformals, work.conformal,
                                    args->local ? work.local : NULL,
                                    &work.guarantee));
    if (!args->common.quiet)
        CLI_TRY(cli_print_guarantee(&work.guarantee));
    if (!args->common.quiet)
        CLI_TRY(print_pictures(&work));
    fflush(stdout);
    cli_note(&args->common,
             "files are in %s: posterior.json, samples.csv, "
             "corner.svg, ...",
             args->output);
    if (doubtful)
        status = bnre_fail(BNRE_EDOUBT, "%s", why);
done:
    clear_work(&work);
    return status;
}

const struct command cli_posterior = {
    .name = "posterior",
    .title = "from an observation to a posterior: samples, regions, a picture",
    .usage = "EST.h5 --observation FILE [options]",
    .text =
        "Computes the posterior of the parameters given what was observed, and "
        "writes it to DIR: numbers (posterior.json), draws (samples.csv, "
        "samples.npy), draws and grid density (posterior.h5), and a corner "
        "plot with its data and script (corner.svg, .pdf, .dat, .gp; of more "
        "than 8 parameters on several pages, corner-2.svg, ..., with all of "
        "them one by one in corner-marginals.svg). Up to 3 "
        "parameters are evaluated on a grid, more are sampled by Markov "
        "chains, which are checked for convergence (exit status 3 if they did "
        "not, or if draws of the prior are worth too few). An observation "
        "unlike all simulated ones is warned about. With "
        "a classifier (bnre train --classes) every row of the files gets a "
        "line of CSV on stdout: its log ratio and the probability that it is "
        "of the first class.",
    .examples =
        "  bnre posterior slcp-bnre.h5 --observation obs.npy\n"
        "  bnre posterior slcp-bnre.h5 --observation test.h5:12 -o row12\n"
        "  bnre posterior est.h5 --observation a.npy --observation b.npy\n"
        "  bnre posterior est.h5 --observation obs.csv --show mass,spin\n"
        "  bnre posterior est.h5 --observation obs.csv --levels 0.5,0.95 "
        "--temper 0.8\n"
        "  bnre posterior classifier.h5 --observation rows.csv > classes.csv\n",
    .opts = opts,
    .n_opts = sizeof opts / sizeof *opts,
    .size = sizeof(struct args),
    .least = 1,
    .most = 1,
    .run = run,
};
