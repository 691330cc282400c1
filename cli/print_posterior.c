/* print_posterior.c - a posterior as tables for people. */
#include "print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void print_method(const bnre_posterior *posterior)
{
    const bnre_points *points = bnre_posterior_points(posterior);
    const bnre_chain_report *report = bnre_posterior_report(posterior);
    const bnre_evidence evidence = bnre_posterior_evidence(posterior);
    char number[CLI_NUMBER], other[CLI_NUMBER];

    switch (points->kind) {
    case BNRE_POINTS_GRID:
    case BNRE_POINTS_PAPER:
        cli_print("  method        grid of ");
        for (size_t i = 0; i < points->dim; i++)
            cli_print(i > 0 ? " x %zu" : "%zu", points->axis[i]);
        cli_print(points->kind == BNRE_POINTS_GRID ? " cells\n" : " nodes\n");
        break;
    case BNRE_POINTS_BANK:
        cli_fact("method", "bank of %s draws of the prior, worth %s%s",
                 cli_count(points->n, number),
                 cli_count((size_t)evidence.ess, other),
                 bnre_prior_has_density(points->prior) ? "" : " distinct ones");
        break;
    case BNRE_POINTS_CHAIN:
        cli_fact("method", "%zu Markov chains of %zu steps, %s evaluations",
                 report->chains, report->steps,
                 cli_count(report->evaluations, number));
        cli_fact("convergence", "%s", report->why);
        break;
    case BNRE_POINTS_DRAWS:
        cli_fact("method", "%s independent draws",
                 cli_count(points->n, number));
        break;
    }
    cli_print("  log evidence  %.4f", evidence.log_z);
    if (evidence.error > 0)
        cli_print(" +- %.4f", evidence.error);
    cli_print(" (of the ratio: log of its mean over the prior)\n");
}

/* ---- parameters ---- */

enum { COLUMNS = 8, TOLD_LEVELS = 2 };

struct row {
    char cell[COLUMNS][BNRE_MARGINAL_WORDS];
};

/* The smallest of the levels, in increasing order; gives how many. */
static size_t choose_levels(size_t levels, const double *level,
                            double out[TOLD_LEVELS])
{
    size_t n = 0;

    for (size_t i = 0; i < levels; i++) {
        double more = level[i];

        for (size_t k = 0; k < n; k++)
            if (more < out[k]) {
                const double keep = out[k];

                out[k] = more;
                more = keep;
            }
        if (n < TOLD_LEVELS)
            out[n++] = more;
    }
    return n;
}

static void write_head(struct row *row, size_t levels, const double *level,
                       const double *truth)
{
    static const char *const words[] = {"mean", "sd", "median"};
    size_t c = 0;

    for (; c < 3; c++)
        snprintf(row->cell[c], sizeof *row->cell, "%s", words[c]);
    for (size_t i = 0; i < levels; i++)
        snprintf(row->cell[c++], sizeof *row->cell, "%g %%", 100 * level[i]);
    snprintf(row->cell[c++], sizeof *row->cell, "densest");
    if (truth != NULL)
        snprintf(row->cell[c], sizeof *row->cell, "truth");
}

/* Numbers to two digits of the standard deviation. */
static void write_row(struct row *row, const bnre_summary *s, size_t levels,
                      const bnre_marginal *marginal, const double *truth)
{
    size_t c = 0;

    bnre_readable_real(s->mean, s->sd, row->cell[c++]);
    bnre_readable_real(s->sd, s->sd, row->cell[c++]);
    bnre_readable_real(s->median, s->sd, row->cell[c++]);
    for (size_t i = 0; i < levels; i++)
        bnre_marginal_words(&marginal[i], row->cell[c++]);
    bnre_readable_real(s->mode, s->sd, row->cell[c++]);
    if (truth != NULL)
        bnre_readable_real(*truth, s->sd, row->cell[c]);
}

/* n rows below the head: of the parameters `which` (n). */
static void print_rows(const bnre_prior *prior, size_t n, const size_t *which,
                       const struct row *row)
{
    int width[COLUMNS] = {0}, names = (int)strlen("parameter");

    for (size_t i = 0; i <= n; i++)
        for (size_t c = 0; c < COLUMNS; c++)
            width[c] =
                cli_name_width(1, (const char *[]){row[i].cell[c]}, width[c]);
    for (size_t i = 0; i < n; i++)
        names = cli_name_width(
            1, (const char *[]){bnre_prior_title(prior, which[i])}, names);
    for (size_t i = 0; i <= n; i++) {
        cli_print("  %-*s", names,
                  i == 0 ? "parameter" : bnre_prior_title(prior, which[i - 1]));
        for (size_t c = 0; c < COLUMNS && width[c] > 0; c++)
            cli_print("  %*s", width[c] < 7 ? 7 : width[c], row[i].cell[c]);
        cli_print("\n");
    }
}

/* The likeliest values of a whole number, in their order. */
static void print_values(const bnre_posterior *posterior, size_t i)
{
    enum { MOST = 1024, TOLD = 8 };
    const bnre_prior *prior = bnre_posterior_points(posterior)->prior;
    double value[MOST], probability[MOST], least = 0, shown = 0;
    const size_t all =
        bnre_posterior_values(posterior, i, MOST, value, probability);
    const size_t n = all < MOST ? all : MOST;
    size_t told = n;

    while (told > TOLD) { /* raise the bar until few are above it */
        double next = 1;

        for (size_t k = 0; k < n; k++)
            if (probability[k] > least && probability[k] < next)
                next = probability[k];
        least = next;
        told = 0;
        for (size_t k = 0; k < n; k++)
            told += probability[k] > least;
    }
    cli_print("  %s:", bnre_prior_title(prior, i));
    for (size_t k = 0; k < n; k++)
        if (probability[k] > least || told == n) {
            cli_print("%s %.0f (%.4f)", shown > 0 ? "," : "", value[k],
                      probability[k]);
            shown += probability[k];
        }
    cli_print(told < n ? ", others (%.4f)\n" : "\n", 1 - shown);
}

static bnre_status print_parameters(const bnre_posterior *posterior,
                                    size_t levels, const double *level,
                                    const double *truth, const char *show)
{
    const bnre_prior *prior = bnre_posterior_points(posterior)->prior;
    const size_t dim = bnre_prior_dim(prior);
    bnre_summary *summary = malloc(dim * sizeof *summary);
    struct row *row = calloc(dim + 1, sizeof *row);
    size_t *which = calloc(dim, sizeof *which), shown;
    bnre_marginal marginal[TOLD_LEVELS];
    double told[TOLD_LEVELS];
    const size_t n = choose_levels(levels, level, told);
    bnre_status status = BNRE_OK;

    if (summary == NULL || row == NULL || which == NULL) {
        status = bnre_fail(BNRE_ENOMEM, "no memory");
        goto done;
    }
    CLI_TRY(bnre_posterior_summary(posterior, summary));
    CLI_TRY(bnre_posterior_shown(prior, show, &shown, which));
    write_head(&row[0], n, told, truth);
    for (size_t k = 0; k < shown; k++) {
        const size_t i = which[k];

        CLI_TRY(bnre_marginal_find(posterior, i, n, told, marginal));
        write_row(&row[k + 1], &summary[i], n, marginal,
                  truth != NULL ? &truth[i] : NULL);
    }
    putchar('\n');
    print_rows(prior, shown, which, row);
    if (n > 0)
        cli_print(
            "  (%%: where the density of the parameter alone is highest, as "
            "in the picture)\n");
    for (size_t k = 0; k < shown; k++)
        if (bnre_posterior_values(posterior, which[k], 0, NULL, NULL) > 0)
            print_values(posterior, which[k]);
done:
    free(which);
    free(row);
    free(summary);
    return status;
}

static bnre_status print_regions(bnre_posterior *posterior, size_t levels,
                                 const double *level)
{
    bnre_region *region = malloc(levels * sizeof *region);
    bnre_status status = BNRE_OK;
    char mass[BNRE_READABLE], volume[BNRE_READABLE];
    int parts, known = 1;

    if (region == NULL)
        return bnre_fail(BNRE_ENOMEM, "no memory");
    CLI_TRY(bnre_posterior_regions(posterior, levels, level, region));
    parts = levels > 0 && region[0].parts > 0;
    cli_print("\n  %-9s %12s %12s%s\n", "region", "of the prior", "volume",
              parts ? "  parts" : "");
    for (size_t i = 0; i < levels; i++) {
        known = known && !isnan(region[i].volume);
        cli_print("  %-9g %12s %12s", region[i].level,
                  bnre_readable_real(region[i].prior_mass, 0, mass),
                  bnre_readable_real(region[i].volume, 0, volume));
        if (parts)
            cli_print(" %6zu", region[i].parts);
        cli_print("\n");
    }
    if (!known)
        cli_print(
            "  (volumes are not known: the prior is known by draws, not by "
            "its density)\n");
done:
    free(region);
    return status;
}

static bnre_status print_posterior(bnre_posterior *posterior,
                                   bnre_session *session, size_t levels,
                                   const double *level, const double *truth,
                                   const char *show)
{
    bnre_status status = BNRE_OK;
    double rank;

    cli_print("posterior\n");
    print_method(posterior);
    CLI_TRY(print_parameters(posterior, levels, level, truth, show));
    CLI_TRY(print_regions(posterior, levels, level));
    if (truth != NULL) {
        CLI_TRY(bnre_posterior_rank(posterior, session, truth, &rank));
        cli_print("\n  the truth is on the border of the %.1f %% region\n",
                  100 * rank);
    }
done:
    return status;
}

/* ---- all that is told of the command ---- */

/* What is drawn, and where. */
static bnre_status print_pictures(const bnre_posterior_outcome *outcome)
{
    bnre_status status = BNRE_OK;
    char *words = NULL;

    CLI_TRY(bnre_posterior_pictures(&outcome->files, outcome->density.prior,
                                    &words));
    cli_words("pictures", words);
done:
    bnre_free(words);
    return status;
}

static bnre_status print_plan(const char *output,
                              const bnre_posterior_outcome *outcome)
{
    const bnre_estimator_info *info =
        bnre_estimator_describe(outcome->estimator);
    char shape[CLI_NUMBER], number[CLI_NUMBER];

    cli_print("would make the posterior of %s observation%s of shape %s\n",
              cli_count(outcome->observations, number),
              CLI_PLURAL(outcome->observations),
              cli_shape(info->shape, info->ndim, shape));
    cli_print("  %s samples and pictures in %s\n",
              cli_count(outcome->files.samples, number), output);
    return print_pictures(outcome);
}

/* Posteriors of many rows: how many of what. */
static void print_each(const bnre_posterior_settings *settings,
                       const bnre_posterior_rows *each)
{
    char number[CLI_NUMBER], other[CLI_NUMBER];

    cli_print("posteriors of %s row%s of %s\n", cli_count(each->rows, number),
              CLI_PLURAL(each->rows), settings->each);
    if (each->kept > 0)
        cli_fact("kept", "%s from before an interruption",
                 cli_count(each->kept, number));
    cli_fact("unlike",
             "%s with values outside the range of training, %s unlike "
             "calibration pairs",
             cli_count(each->outside, number), cli_count(each->unlike, other));
    cli_fact("doubtful", "%s", cli_count(each->doubtful, number));
}

/* Which prior it stands on, and of how many experiments. */
static void print_joint(const bnre_posterior_outcome *outcome)
{
    double outside = 0;

    if (outcome->joint == NULL)
        return;
    for (size_t k = 0; k <= outcome->others; k++) {
        const double one = bnre_joint_change(outcome->joint, k)->outside;

        outside = one > outside ? one : outside;
    }
    if (outcome->others > 0)
        cli_fact("experiments", "%zu, of %zu parameters together",
                 1 + outcome->others, bnre_prior_dim(outcome->prior));
    if (outcome->guarantee.other_prior)
        cli_fact(
            "prior",
            "another than that of training; %.2g of it lies outside of that",
            outside);
}

static bnre_status print_outcome(const bnre_posterior_settings *settings,
                                 const bnre_posterior_outcome *outcome)
{
    bnre_status status = BNRE_OK;

    CLI_TRY(print_posterior(outcome->posterior, outcome->session,
                            outcome->levels, outcome->level, outcome->truth,
                            settings->show));
    print_joint(outcome);
    if (outcome->conformals > 0)
        CLI_TRY(cli_print_conformal(outcome->conformals, outcome->conformal,
                                    settings->local ? outcome->local : NULL,
                                    &outcome->guarantee));
    CLI_TRY(cli_print_guarantee(&outcome->guarantee));
    CLI_TRY(print_pictures(outcome));
done:
    return status;
}

bnre_status cli_print_posterior(const struct common *common,
                                const bnre_posterior_settings *settings,
                                const char *output,
                                const bnre_posterior_outcome *outcome)
{
    const bnre_posterior_rows *each = &outcome->each;
    bnre_status status = BNRE_OK;
    char number[CLI_NUMBER];

    if (common->dry_run && each->rows == 0)
        return print_plan(output, outcome);
    if (common->dry_run) {
        cli_print("would make the posteriors of %s row%s of %s in %s\n",
                  cli_count(each->rows, number), CLI_PLURAL(each->rows),
                  settings->each, output);
        return BNRE_OK;
    }
    if (!outcome->found && each->rows == 0 && !outcome->drawn)
        cli_note(common,
                 "gnuplot was not found: the picture is there as script and "
                 "data, %s/corner.gp",
                 output);
    if (!common->quiet && outcome->found) {
        cli_print("%s (was there already)\n", output);
    } else if (!common->quiet && each->rows > 0) {
        print_each(settings, each);
        CLI_TRY(cli_print_guarantee(&outcome->guarantee));
    } else if (!common->quiet) {
        CLI_TRY(print_outcome(settings, outcome));
    }
    fflush(stdout);
    if (!outcome->found)
        cli_note(common, "files are in %s: %s", output,
                 each->rows > 0
                     ? "each.json, summaries.csv, samples.npy"
                     : "posterior.json, samples.csv, corner.svg, ...");
done:
    return status;
}
