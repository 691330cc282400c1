/* The verdict: two tests on the coverage at 19 levels.

   CONSERVATIVE claims something of every level at once, so the worst level
   decides and no correction is due (intersection-union test: Berger 1982).
   OVERCONFIDENT
   claims that there is a level, one of 19: each is tested at delta / 19. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/diag.h"
#include "diag/diag.h"
#include "num/dist.h"

/* Beyond this many pairs nobody goes. */
static const double MOST = 1e9;

/* With fewer effective points ranks are mostly the random share of theta*
   itself, which is uniform whatever the estimator does. */
static const double FEW_POINTS = 10;

static const char *const names[] = {
    [BNRE_CONSERVATIVE] = "CONSERVATIVE",
    [BNRE_OVERCONFIDENT] = "OVERCONFIDENT",
    [BNRE_INCONCLUSIVE] = "INCONCLUSIVE",
    [BNRE_UNINFORMATIVE] = "UNINFORMATIVE",
    [BNRE_BLIND] = "BLIND",
};

const char *bnre_verdict_name(bnre_verdict verdict)
{
    return names[verdict];
}

int bnre__verdict_find(const char *name, bnre_verdict *out)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) {
            *out = (bnre_verdict)i;
            return 1;
        }
    return 0;
}

/* Whether the one-sided lower bound on the probability behind k of n is at
   least p: if k or more were that rare under p (Clopper and Pearson 1934).
   Through the distribution function, so that k and n need not be whole, and one
   call of it takes the place of a quantile. */
static int lower_bound_reaches(double k, double n, double p, double delta)
{
    if (p <= 0)
        return 1;
    return k > 0 && bnre__beta_cdf(p, k, n - k + 1) <= delta;
}

/* Whether the one-sided upper bound is below p. */
static int upper_bound_misses(double k, double n, double p, double delta)
{
    return k < n && p > 0 && bnre__beta_cdf(1 - p, n - k, k + 1) < delta;
}

/* Whether n pairs with coverage `share` would be called `verdict`. */
static int would_decide(const double *share, double n, double delta, double eps,
                        bnre_verdict verdict)
{
    const int conservative = verdict == BNRE_CONSERVATIVE;

    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++) {
        double p = bnre_diag_level(i) - eps, k = share[i] * n;

        if (conservative && !lower_bound_reaches(k, n, p, delta))
            return 0;
        if (!conservative &&
            upper_bound_misses(k, n, p, delta / BNRE_DIAG_LEVELS))
            return 1;
    }
    return conservative;
}

/* How many pairs of such coverage would decide: doubled until they do, then by
   bisection to 0.5 %, each time 19 tests. */
static size_t needed_pairs(const bnre_coverage *coverage, double delta,
                           double eps, bnre_verdict verdict)
{
    double few = (double)coverage->n, many = few;

    while (!would_decide(coverage->share, many, delta, eps, verdict)) {
        few = many;
        many *= 2;
        if (many > MOST)
            return 0;
    }
    while (many - few > 0.005 * many + 1) {
        double middle = (few + many) / 2;

        if (would_decide(coverage->share, middle, delta, eps, verdict))
            many = middle;
        else
            few = middle;
    }
    return (size_t)ceil(many);
}

static void find_worst(const bnre_coverage *coverage, bnre_judgement *out)
{
    out->margin = INFINITY;
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++) {
        double margin = coverage->share[i] - bnre_diag_level(i);

        if (margin < out->margin) {
            out->margin = margin;
            out->worst = i;
        }
    }
}

void bnre__judge(const bnre_coverage *coverage, bnre_estimate gain,
                 double delta, double eps, double least_gain,
                 bnre_judgement *out)
{
    const double n = (double)coverage->n;
    int conservative = 1, overconfident = 0, reachable = 1, informative;

    *out = (bnre_judgement){.delta = delta,
                            .eps = eps,
                            .least_gain = least_gain,
                            .n = coverage->n,
                            .gain = gain,
                            .ess = NAN,
                            .chance = NAN};
    find_worst(coverage, out);
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++) {
        double p = bnre_diag_level(i) - eps, k = (double)coverage->covered[i];

        out->low[i] = upper_bound_misses(k, n, p, delta / BNRE_DIAG_LEVELS);
        overconfident |= out->low[i];
        conservative &= lower_bound_reaches(k, n, p, delta);
        reachable &= coverage->share[i] >= p;
    }
    /* A gain of -inf has no error, and is not above anything. */
    informative =
        isnan(gain.mean) ||
        gain.mean - bnre__normal_quantile(1 - delta) * gain.error > least_gain;
    if (!informative) {
        out->verdict = BNRE_UNINFORMATIVE;
    } else if (conservative) {
        out->verdict = BNRE_CONSERVATIVE;
    } else if (overconfident) {
        out->verdict = BNRE_OVERCONFIDENT;
    } else {
        out->verdict = BNRE_INCONCLUSIVE;
        out->expected = reachable ? BNRE_CONSERVATIVE : BNRE_OVERCONFIDENT;
        out->needed = needed_pairs(coverage, delta, eps, out->expected);
    }
}

/* "0.45, 0.50 and 0.55", or "0.20 to 0.95" where more than three adjoin. */
static bnre_status add_levels(bnre__text *text, const int *low)
{
    const char *between = "";

    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++) {
        size_t last = i;

        if (!low[i])
            continue;
        while (last + 1 < BNRE_DIAG_LEVELS && low[last + 1])
            last++;
        BNRE_DO(bnre__text_add(text, "%s%.2f", between, bnre_diag_level(i)));
        if (last > i)
            BNRE_DO(bnre__text_add(text, " to %.2f", bnre_diag_level(last)));
        between = ", ";
        i = last;
    }
    return BNRE_OK;
}

static bnre_status add_uninformative(bnre__text *text, const bnre_judgement *j)
{
    BNRE_DO(bnre__text_add(
        text,
        ": the information gain of %.3f +- %.3f nats is not clearly above "
        "%g, so this posterior tells hardly more than the prior, whatever its "
        "coverage",
        j->gain.mean, j->gain.error, j->least_gain));
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++) {
        if (!j->low[i])
            continue;
        BNRE_DO(bnre__text_add(text, "; coverage is too low besides, at "));
        return add_levels(text, j->low);
    }
    return BNRE_OK;
}

/* Chance hides errors and makes none: what is too low is so all the same. */
static bnre_status add_blind(bnre__text *text, const bnre_judgement *j)
{
    size_t i = 0;

    if (j->steps > 0)
        BNRE_DO(bnre__text_add(
            text,
            ": no verdict is given. After %zu steps each way the Markov chains "
            "still remember where they began: %.0f %% of what the ranks say is "
            "chance, which hides the errors of any estimator. Take more steps",
            j->steps, 100 * j->chance));
    else
        BNRE_DO(bnre__text_add(
            text,
            ": no verdict is given. The posteriors are too narrow for the "
            "points at which they were looked at: %.1f of them bear weight for "
            "a typical pair, and %.0f %% of what the ranks say is chance, "
            "which hides the errors of any estimator. Take more points",
            j->ess, 100 * j->chance));
    if (j->tried > 0)
        BNRE_DO(bnre__text_add(text, " (up to %zu were tried)", j->tried));
    BNRE_DO(bnre__text_add(text, ", or ask about fewer parameters"));
    while (i < BNRE_DIAG_LEVELS && !j->low[i])
        i++;
    if (i < BNRE_DIAG_LEVELS) {
        BNRE_DO(bnre__text_add(
            text, ". As far as can be seen coverage is too low, at "));
        BNRE_DO(add_levels(text, j->low));
    }
    return bnre__text_add(text, ".");
}

static bnre_status add_overconfident(bnre__text *text, const bnre_judgement *j)
{
    BNRE_DO(bnre__text_add(text, " at "));
    BNRE_DO(add_levels(text, j->low));
    return bnre__text_add(
        text,
        ": regions hold the truth less often than they claim (worst at %.2f: "
        "%.3f)",
        bnre_diag_level(j->worst), bnre_diag_level(j->worst) + j->margin);
}

static bnre_status add_inconclusive(bnre__text *text, const bnre_judgement *j)
{
    if (j->needed == 0)
        return bnre__text_add(text,
                              ": coverage lies so near the tolerance that no "
                              "number of pairs would decide");
    return bnre__text_add(
        text,
        ": %zu pairs do not decide; about %zu would, and if coverage stays as "
        "it is they would say %s",
        j->n, j->needed, bnre_verdict_name(j->expected));
}

bnre_status bnre_judgement_words(const bnre_judgement *j, char **out)
{
    bnre_status status = BNRE_OK;
    bnre__text text = {0};

    *out = NULL;
    BNRE_TRY(bnre__text_add(&text, "%s", bnre_verdict_name(j->verdict)));
    switch (j->verdict) {
    case BNRE_CONSERVATIVE:
        BNRE_TRY(bnre__text_add(&text,
                                ": regions hold the truth at least as often "
                                "as they claim, at every level"));
        break;
    case BNRE_OVERCONFIDENT:
        BNRE_TRY(add_overconfident(&text, j));
        break;
    case BNRE_INCONCLUSIVE:
        BNRE_TRY(add_inconclusive(&text, j));
        break;
    case BNRE_UNINFORMATIVE:
        BNRE_TRY(add_uninformative(&text, j));
        break;
    case BNRE_BLIND:
        BNRE_TRY(add_blind(&text, j));
        goto said;
    }
    BNRE_TRY(bnre__text_add(&text,
                            ". Within %g, on average over %s, at confidence %g "
                            "with %zu pairs; nothing is said about a single "
                            "observation.",
                            j->eps, j->over != NULL ? j->over : "the prior",
                            1 - j->delta, j->n));
    if (isnan(j->gain.mean))
        BNRE_TRY(bnre__text_add(
            &text, " Whether it tells more than the prior is not known here."));
    if (j->ess < FEW_POINTS)
        BNRE_TRY(bnre__text_add(&text,
                                " Few points bear weight (%.1f per pair): "
                                "these posteriors are so narrow that errors "
                                "may go unseen; use more points.",
                                j->ess));
said:
    *out = text.data;
    text.data = NULL;
done:
    bnre__free(text.data);
    return status;
}

bnre_status bnre__judgement_check(const bnre_judgement *judgement, int strict)
{
    if (judgement->verdict == BNRE_CONSERVATIVE ||
        (judgement->verdict == BNRE_INCONCLUSIVE && !strict))
        return BNRE_OK;
    return bnre_fail(BNRE_EDOUBT, "the check failed: %s",
                     bnre_verdict_name(judgement->verdict));
}
