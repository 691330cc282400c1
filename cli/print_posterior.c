#include "print_posterior.h"

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
        printf("  method        grid of ");
        for (size_t i = 0; i < points->dim; i++)
            printf(i > 0 ? " x %zu" : "%zu", points->axis[i]);
        printf(points->kind == BNRE_POINTS_GRID ? " cells\n" : " nodes\n");
        break;
    case BNRE_POINTS_BANK:
        printf("  method        bank of %s draws of the prior, worth %s%s\n",
               cli_count(points->n, number),
               cli_count((size_t)evidence.ess, other),
               bnre_prior_has_density(points->prior) ? "" : " distinct ones");
        break;
    case BNRE_POINTS_CHAIN:
        printf("  method        %zu Markov chains of %zu steps, %s "
               "evaluations\n",
               report->chains, report->steps,
               cli_count(report->evaluations, number));
        printf("  convergence   %s\n", report->why);
        break;
    }
    printf("  log evidence  %.4f", evidence.log_z);
    if (evidence.error > 0)
        printf(" +- %.4f", evidence.error);
    printf(" (of the ratio: log of its mean over the prior)\n");
}

static int name_width(const bnre_prior *prior)
{
    size_t width = strlen("parameter");

    for (size_t i = 0; i < bnre_prior_dim(prior); i++)
        if (strlen(bnre_prior_name(prior, i)) > width)
            width = strlen(bnre_prior_name(prior, i));
    return (int)width;
}

static bnre_status print_parameters(const bnre_posterior *posterior,
                                    const double *truth)
{
    const bnre_prior *prior = bnre_posterior_points(posterior)->prior;
    const size_t dim = bnre_prior_dim(prior);
    const int width = name_width(prior);
    bnre_summary *summary = malloc(dim * sizeof *summary);
    bnre_status status = BNRE_OK;

    if (summary == NULL)
        return bnre_fail(BNRE_ENOMEM, "no memory");
    CLI_TRY(bnre_posterior_summary(posterior, summary));
    printf("\n  %-*s %10s %10s %10s %21s %21s %10s%s\n", width, "parameter",
           "mean", "sd", "median", "68 %", "95 %", "densest",
           truth != NULL ? "      truth" : "");
    for (size_t i = 0; i < dim; i++) {
        const bnre_summary *s = &summary[i];

        printf("  %-*s %10.4g %10.4g %10.4g %10.4g %10.4g %10.4g %10.4g "
               "%10.4g",
               width, bnre_prior_name(prior, i), s->mean, s->sd, s->median,
               s->low68, s->high68, s->low95, s->high95, s->mode);
        if (truth != NULL)
            printf(" %10.4g", truth[i]);
        printf("\n");
    }
done:
    free(summary);
    return status;
}

static bnre_status print_regions(bnre_posterior *posterior, size_t levels,
                                 const double *level)
{
    bnre_region *region = malloc(levels * sizeof *region);
    bnre_status status = BNRE_OK;
    int parts;

    if (region == NULL)
        return bnre_fail(BNRE_ENOMEM, "no memory");
    CLI_TRY(bnre_posterior_regions(posterior, levels, level, region));
    parts = levels > 0 && region[0].parts > 0;
    printf("\n  %-9s %12s %12s%s\n", "region", "of the prior", "volume",
           parts ? "  parts" : "");
    for (size_t i = 0; i < levels; i++) {
        printf("  %-9g %12.4g %12.4g", region[i].level, region[i].prior_mass,
               region[i].volume);
        if (parts)
            printf(" %6zu", region[i].parts);
        printf("\n");
    }
done:
    free(region);
    return status;
}

bnre_status cli_print_posterior(bnre_posterior *posterior,
                                bnre_session *session, size_t levels,
                                const double *level, const double *truth)
{
    bnre_status status = BNRE_OK;
    double rank;

    printf("posterior\n");
    print_method(posterior);
    CLI_TRY(print_parameters(posterior, truth));
    CLI_TRY(print_regions(posterior, levels, level));
    if (truth != NULL) {
        CLI_TRY(bnre_posterior_rank(posterior, session, truth, &rank));
        printf("\n  the truth is on the border of the %.1f %% region\n",
               100 * rank);
    }
done:
    return status;
}
