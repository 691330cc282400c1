/* print_trust.c - guarantees and advice for people. */
#include "print.h"

#include <math.h>

static void print_region(const bnre_conformal_region *r, int is_void)
{
    char nominal[BNRE_READABLE], region[BNRE_READABLE], paid[BNRE_READABLE],
        qhat[BNRE_READABLE];

    cli_print("  %-9g %12s %12s %9s %10s", r->conformal.level,
              bnre_readable_real(r->nominal.prior_mass, 0, nominal),
              bnre_readable_real(r->region.prior_mass, 0, region),
              bnre_readable_real(r->paid, 0.1 * r->paid, paid),
              bnre_readable_real(r->conformal.qhat, 0, qhat));
    if (is_void || r->conformal.local)
        cli_print(" %11s", "-");
    else
        cli_print(" %9.1f %%", 100 * r->conformal.assured);
    cli_print("%s\n", r->conformal.local ? "  approximate" : "");
}

/* Of the coverage that this set of calibration pairs achieves. */
static void print_laws(size_t n, const bnre_conformal_region *region)
{
    char words[1024];
    size_t laws = 0, at;

    at = (size_t)snprintf(words, sizeof words,
                          "assured: with 95 %% confidence, as coverage with "
                          "these pairs has the law");
    for (size_t i = 0; i < n && at + 80 < sizeof words; i++) {
        const bnre_conformal *c = &region[i].conformal;

        if (c->k <= c->pairs && !c->cross && !(c->worth > 0))
            at += (size_t)snprintf(
                words + at, sizeof words - at, "%s Beta(%zu, %zu) at %g",
                laws++ > 0 ? "," : "", c->k, c->pairs + 1 - c->k, c->level);
    }
    if (laws == 0)
        return;
    cli_print("  ");
    cli_print_wrapped(stdout, words, 2, 2);
}

static bnre_status print_words(size_t n, const bnre_conformal_region *region,
                               const bnre_guarantee *guarantee)
{
    bnre_status status = BNRE_OK;
    char *words = NULL;

    for (size_t i = 0; i < n; i++) {
        bnre_free(words);
        words = NULL;
        CLI_TRY(bnre_conformal_words(&region[i].conformal, guarantee, &words));
        cli_print("  ");
        cli_print_wrapped(stdout, words, 2, 2);
    }
done:
    bnre_free(words);
    return status;
}

bnre_status cli_print_conformal(size_t n, const bnre_conformal_region *region,
                                const bnre_conformal_region *local,
                                const bnre_guarantee *guarantee)
{
    char why[BNRE_WHY], words[BNRE_WHY + 64];
    const int is_void = bnre_guarantee_void(guarantee, why);
    bnre_status status = BNRE_OK;

    cli_print("\n  conformal regions (share of the prior; paid = conformal / "
              "nominal)\n");
    cli_print(
        "  %-9s %12s %12s %9s %10s %11s\n", "region", "nominal", "conformal",
        "paid", "qhat",
        n > 0 && (region[0].conformal.cross || region[0].conformal.worth > 0)
            ? "at least"
            : "assured");
    for (size_t i = 0; i < n; i++)
        print_region(&region[i], is_void);
    for (size_t i = 0; local != NULL && i < n; i++)
        print_region(&local[i], is_void);
    if (is_void) { /* once is enough */
        snprintf(words, sizeof words,
                 "no guarantee holds for these regions: %s", why);
        cli_print("  ");
        cli_print_wrapped(stdout, words, 2, 2);
        return BNRE_OK;
    }
    print_laws(n, region);
    CLI_TRY(print_words(n, region, guarantee));
    if (local != NULL)
        CLI_TRY(print_words(n, local, guarantee));
done:
    return status;
}

void cli_print_certificate(const bnre_certificate *certificate)
{
    cli_words("certificate", bnre_certificate_words(certificate));
}

bnre_status cli_print_guarantee(const bnre_guarantee *guarantee)
{
    bnre_status status = BNRE_OK;
    char *words = NULL;

    CLI_TRY(bnre_guarantee_words(guarantee, &words));
    cli_words("certificate", words);
done:
    bnre_free(words);
    return status;
}

void cli_print_theorem(const bnre_theorem *theorem)
{
    cli_print("\ntheory, with the exact classifier e on %zu pairs\n",
              theorem->n);
    if (theorem->left_out > 0)
        cli_print(
            "  left out: %zu more, for which x in single precision is too "
            "coarse\n",
            theorem->left_out);
    cli_print("  exact balance          %.4f +- %.4f (1)\n",
              theorem->exact_balance.mean, theorem->exact_balance.error);
    cli_print("  balance B              %.4f +- %.4f\n", theorem->balance.mean,
              theorem->balance.error);
    cli_print(
        "  E_joint[log e/d]       %.4f >= %.4f = -log B, by %.4f +- %.4f\n",
        theorem->joint.mean, -log(theorem->balance.mean),
        theorem->joint_gap.mean, theorem->joint_gap.error);
    cli_print("  E_marg[log 1-e/1-d]    %.4f >= %.4f = -log(2 - B), by %.4f +- "
              "%.4f\n",
              theorem->marginal.mean, -log(2 - theorem->balance.mean),
              theorem->marginal_gap.mean, theorem->marginal_gap.error);
    cli_print("  %s\n",
              theorem->holds
                  ? "all of it holds within three standard errors"
                  : "NOT all of it holds within three standard errors");
}

void cli_print_curve(const bnre_learning_curve *curve)
{
    char number[CLI_NUMBER], volume[BNRE_READABLE], error[BNRE_READABLE];

    cli_print("\nlearning curve\n  %12s %18s %20s\n", "simulations",
              "information", "95 % of the prior");
    for (size_t i = 0; i < curve->n; i++)
        cli_print("  %12s %9.3f +- %5.3f %10s +- %6s\n",
                  cli_count(curve->simulations[i], number),
                  curve->information[i].mean, curve->information[i].error,
                  bnre_readable_real(curve->volume[i], curve->volume_error[i],
                                     volume),
                  bnre_readable_real(curve->volume_error[i],
                                     curve->volume_error[i], error));
}

void cli_print_advice(const bnre_advice *advice)
{
    if (advice->n > 0)
        cli_print("\nwhat to do\n");
    for (size_t i = 0; i < advice->n; i++) {
        cli_print("  * ");
        cli_print_wrapped(stdout, advice->item[i].text, 4, 4);
    }
}
