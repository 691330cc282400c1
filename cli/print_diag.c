/* print_diag.c - a diagnosis for people. */
#include "print.h"

#include <math.h>
#include <string.h>

enum { LABEL = 18 };

/* "label   mean +- error"; the line is left open. */
static void print_estimate(const char *label, bnre_estimate e, int digits)
{
    cli_print("  %-*s", LABEL, label);
    if (isnan(e.mean))
        cli_print("not known");
    else
        cli_print("%.*f +- %.*f", digits, e.mean, digits, e.error);
}

static void print_work(const bnre_diag *diag)
{
    static const char *const where[] = {
        [BNRE_DIAG_AUTO] = "",
        [BNRE_DIAG_CELLS] = "in cells of equal prior mass",
        [BNRE_DIAG_FITTED] = "in cells fitted to each posterior",
        [BNRE_DIAG_BANK] = "drawn from the prior",
        [BNRE_DIAG_PAPER] = "on the grid of the reference",
        [BNRE_DIAG_DRAWS] = "drawn from each posterior",
        [BNRE_DIAG_CHAINS] = "ends of Markov chains from the true parameters",
    };
    char number[CLI_NUMBER], other[CLI_NUMBER];

    cli_print("  %-*s%s", LABEL, "pairs", cli_count(diag->n, number));
    if (diag->n < diag->asked)
        cli_print(" of %s (interrupted)", cli_count(diag->asked, other));
    if (diag->observations > 1)
        cli_print(", %zu observations each", diag->observations);
    cli_print("\n  %-*s%s per pair, %s\n", LABEL, "points",
              cli_count(diag->points, number), where[diag->grid]);
    if (diag->grid == BNRE_DIAG_CHAINS && diag->n_curves > 0)
        cli_print("  %-*s%zu each way, after which %.0f %% is chance\n", LABEL,
                  "steps", diag->curve[0].judgement.steps,
                  100 * diag->curve[0].judgement.chance);
    if (diag->grid == BNRE_DIAG_FITTED || diag->grid == BNRE_DIAG_CHAINS)
        cli_print("  %-*s%s per pair\n", LABEL, "evaluations",
                  cli_count(diag->evaluations, number));
    if (diag->n_curves > 0 && diag->grid != BNRE_DIAG_DRAWS &&
        diag->grid != BNRE_DIAG_CHAINS)
        cli_print("  %-*s%.0f per pair (fewer than %.0f for 5 %% of pairs)\n",
                  LABEL, "effective points", diag->curve[0].ess_median,
                  ceil(diag->curve[0].ess_low));
}

static void print_levels(const bnre_diag_curve *curve)
{
    const bnre_coverage *c = &curve->coverage;
    const double confidence = 100 * (1 - curve->judgement.delta);

    cli_print("\n  level   coverage   %g %% interval\n", confidence);
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++)
        cli_print("   %.2f      %.3f   %.3f to %.3f%s\n", bnre_diag_level(i),
                  c->share[i], c->low[i], c->high[i],
                  curve->judgement.low[i] ? "   too low" : "");
    cli_print("  all levels at once: within %.3f\n\n", c->band);
}

static void print_curve(const bnre_diag *diag, const bnre_diag_curve *curve)
{
    print_levels(curve);
    print_estimate("coverage AUC", curve->coverage.auc, 4);
    cli_print(" (1/2 - mean rank: %.4f +- %.4f)\n",
              curve->coverage.mean_auc.mean, curve->coverage.mean_auc.error);
    print_estimate("information gain", curve->information, 3);
    cli_print(" nats");
    if (!isnan(diag->doubling.mean))
        cli_print(" (%+.4f with twice the points)", diag->doubling.mean);
    putchar('\n');
    print_estimate("log posterior", diag->log_posterior, 3);
    if (!isnan(diag->log_posterior_median))
        cli_print(", median %.3f", diag->log_posterior_median);
    putchar('\n');
    print_estimate("  not normalised", diag->raw_log_posterior, 3);
    putchar('\n');
    print_estimate("balance", diag->balance, 4);
    putchar('\n');
    print_estimate("  normalised", diag->normalised_balance, 4);
    putchar('\n');
}

/* To two digits of its error. */
static void print_number(bnre_estimate e)
{
    char number[BNRE_READABLE];

    cli_print("%12s", bnre_readable_real(e.mean, e.error, number));
}

static void print_p(double p, int width)
{
    char number[BNRE_READABLE];

    cli_print("%*s", width, bnre_readable_p(p, number));
}

static void print_parameters(const bnre_diag *diag)
{
    int wide = LABEL - 1; /* no name is cut, none pushes numbers aside */

    for (size_t k = 0; k < diag->dim; k++)
        wide =
            cli_name_width(1, (const char *[]){diag->parameter[k].name}, wide);
    wide++;
    cli_print("\n  %-*s%12s%12s%12s%12s\n", wide, "parameter", "bias^2",
              "variance", "SBC: KS p", "chi2 p");
    for (size_t k = 0; k < diag->dim; k++) {
        const bnre_diag_parameter *p = &diag->parameter[k];

        cli_print("  %-*s", wide, p->name);
        print_number(p->bias);
        print_number(p->variance);
        print_p(p->sbc.ks_p, 12);
        print_p(p->sbc.chi_square_p, 12);
        putchar('\n');
    }
    cli_print("  %-*s", wide, "TARP");
    print_p(diag->tarp_uniformity.ks_p, 36);
    print_p(diag->tarp_uniformity.chi_square_p, 12);
    putchar('\n');
}

static void print_members(const bnre_diag *diag)
{
    if (diag->n_members == 0)
        return;
    cli_print("\n  %-*s%.3f nats between members\n", LABEL, "spread",
              diag->spread.mean);
    for (size_t i = 0; i < diag->n_members; i++)
        cli_print("  member %-*zucoverage AUC %.4f +- %.4f\n", LABEL - 7, i + 1,
                  diag->member_auc[i].mean, diag->member_auc[i].error);
}

static void print_tempers(const bnre_diag *diag)
{
    if (diag->n_curves < 2)
        return;
    cli_print(
        "\n  temper   coverage AUC   worst margin   gain (nats)   verdict\n");
    for (size_t i = 0; i < diag->n_curves; i++) {
        const bnre_diag_curve *c = &diag->curve[i];
        char auc[BNRE_READABLE], margin[BNRE_READABLE], gain[BNRE_READABLE];

        cli_print("  %6.3g   %12s   %12s   %11s   %s\n", c->tau,
                  bnre_readable_real(c->coverage.auc.mean, 0.001, auc),
                  bnre_readable_real(c->judgement.margin, 0.001, margin),
                  bnre_readable_real(c->information.mean, 0.01, gain),
                  bnre_verdict_name(c->judgement.verdict));
    }
}

static bnre_status print_diag(const bnre_diag *diag)
{
    bnre_status status = BNRE_OK;
    char *words = NULL;

    print_work(diag);
    if (diag->n_curves > 0)
        print_curve(diag, &diag->curve[0]);
    print_parameters(diag);
    print_members(diag);
    print_tempers(diag);
    putchar('\n');
    if (diag->n_curves == 0) {
        cli_print_wrapped(stdout,
                          "NO VERDICT: samples without densities give no "
                          "coverage. Look at SBC and TARP: small p mean that "
                          "ranks are not uniform.",
                          0, 0);
        goto done;
    }
    CLI_TRY(bnre_judgement_words(&diag->curve[0].judgement, &words));
    cli_print_wrapped(stdout, words, 0, 0);
done:
    bnre_free(words);
    return status;
}

/* ---- all that is told of the command ---- */

static void print_plan(const bnre_diagnose_settings *settings,
                       const char *estimator, const char *output,
                       const bnre_diagnose_outcome *outcome)
{
    char number[CLI_NUMBER];

    if (settings->samples_file != NULL)
        cli_print("would diagnose the samples in %s\n", settings->samples_file);
    else if (settings->classes.count > 0)
        cli_print("would judge %s by %s rows of %zu classes\n", estimator,
                  cli_count(outcome->rows, number), settings->classes.count);
    else
        cli_print("would diagnose %s on %s rows of %s\n", estimator,
                  cli_count(outcome->rows, number), settings->data);
    if (output != NULL)
        cli_print("  results in %s\n", output);
}

static bnre_status print_outcome(const bnre_diagnose_settings *settings,
                                 const char *estimator,
                                 const bnre_diagnose_outcome *outcome)
{
    const char *samples = settings->samples_file, *data = settings->data;
    bnre_status status = BNRE_OK;

    cli_print("%s", samples != NULL ? samples : estimator);
    cli_print("%s%s\n", data != NULL ? " on " : "", data != NULL ? data : "");
    if (outcome->other_prior)
        cli_print("  prior         another than that of training, %.2g of it "
                  "outside of that;\n                %s\n",
                  outcome->change.outside,
                  outcome->own_pairs
                      ? "the pairs were simulated for it"
                      : "pairs are taken with probability proportional to "
                        "the quotient of the two");
    CLI_TRY(print_diag(outcome->diag));
    if (outcome->theorem.n > 0)
        cli_print_theorem(&outcome->theorem);
    if (outcome->curve.n > 0)
        cli_print_curve(&outcome->curve);
    if (outcome->certificate.given) {
        cli_print("\n");
        CLI_TRY(cli_print_guarantee(&outcome->guarantee));
    }
    cli_print_advice(&outcome->advice);
    if (outcome->models.n > 0)
        cli_print_models_report(&outcome->models);
done:
    return status;
}

/* What is known without pairs. */
static void print_known(const char *estimator,
                        const bnre_diagnose_outcome *outcome)
{
    const bnre_certificate *c = &outcome->certificate;
    char number[CLI_NUMBER];

    cli_print("%s out of fold\n", estimator);
    cli_print("  simulations       %s, each judged by %zu of %zu networks, "
              "which have not seen it\n",
              cli_count(c->cross.use, number), c->members / c->folds,
              c->members);
    cli_print("  coverage AUC      %.4f +- %.4f\n", c->auc.mean, c->auc.error);
    cli_print("  information gain  %.3f +- %.3f nats%s\n", c->information.mean,
              c->information.error,
              c->certify.use > 0 ? ", on fresh pairs" : "");
    cli_print("  balance           %.4f +- %.4f (1 is balanced)\n",
              c->balance.mean, c->balance.error);
    if (c->levels > 0)
        cli_print("\n  level  coverage  lower bound%s\n",
                  c->certify.use > 0 ? " (fresh pairs)" : "");
    for (size_t i = 0; i < c->levels; i++)
        cli_print("  %5.2f  %8.4f  %11.4f\n", c->level[i], c->coverage[i],
                  c->lower_bound[i]);
    cli_print("\n");
    cli_fact("verdict", "%s, %s", outcome->verdict,
             c->certify.use > 0 ? "on fresh pairs" : "out of fold");
    cli_print_certificate(c);
}

/* Also what was found before something failed. */
bnre_status cli_print_diagnosis(const struct common *common,
                                const bnre_diagnose_settings *settings,
                                const char *estimator, const char *output,
                                const bnre_diagnose_outcome *outcome,
                                bnre_status made)
{
    bnre_status status = BNRE_OK;

    if (made == BNRE_OK && common->dry_run)
        print_plan(settings, estimator, output, outcome);
    if (outcome->known)
        print_known(estimator, outcome);
    if (outcome->found && !common->quiet) {
        cli_print("%s (was there already)\n", output);
        if (outcome->verdict[0] != 0)
            cli_fact("verdict", "%s", outcome->verdict);
    }
    if (outcome->diag == NULL && outcome->models.n > 0 &&
        (!common->quiet || output == NULL)) {
        cli_print("%s on rows of %zu classes\n", estimator, outcome->models.n);
        cli_print_models_report(&outcome->models);
    }
    if (outcome->diag != NULL && (!common->quiet || output == NULL))
        CLI_TRY(print_outcome(settings, estimator, outcome));
    fflush(stdout);
    if (!outcome->drawn)
        cli_note(common,
                 "gnuplot was not found: figures are there as scripts and "
                 "data, %.*s-*.gp",
                 (int)(strlen(output) - strlen(".json")), output);
done:
    return status;
}
