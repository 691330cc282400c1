/* trust_certify.c - the test of the frontier, and how it went in words. Tests in
   an order that was fixed on other pairs, up to the first failure, cost no more
   than one ("fixed sequence", as in Angelopoulos and others 2021, "Learn then
   test"). One look at the pairs for each network serves all its tempers. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "diag/diag.h"
#include "trust/trust.h"

void bnre__trust_note(const bnre__trust_run *run, const char *fmt, ...)
{
    const bnre_monitor *monitor = run->train->monitor;
    char text[512];
    va_list args;

    if (monitor == NULL || monitor->note == NULL)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    monitor->note(monitor->context, text);
}

/* ---- the tests ---- */

int bnre__trust_is_conservative(const bnre_coverage *coverage, double delta,
                                double eps)
{
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++)
        if (bnre__binomial_lower(coverage->covered[i], coverage->n, delta) <
            bnre_diag_level(i) - eps)
            return 0;
    return 1;
}

static size_t candidate_at(const bnre_certificate *c, size_t test)
{
    size_t i = 0;

    while (i < c->n && c->candidate[i].test != test)
        i++;
    return i;
}

static void take(bnre__trust_run *run, size_t candidate,
                 const bnre_diag_curve *curve)
{
    const bnre_coverage *coverage = &curve->coverage;
    bnre_certificate *c = &run->result->certificate;

    run->result->coverage = *coverage;
    c->chosen = candidate;
    c->information = curve->information;
    c->ess = curve->ess_median;
    c->levels = BNRE_DIAG_LEVELS;
    for (size_t i = 0; i < c->levels; i++) {
        c->level[i] = bnre_diag_level(i);
        c->coverage[i] = coverage->share[i];
        c->lower_bound[i] = bnre__binomial_lower(coverage->covered[i],
                                                 coverage->n, run->opts->delta);
    }
}

/* How many steps have a part in the sequence. */
static size_t count_steps(const bnre__trust_run *run, size_t length)
{
    int part[BNRE__STEPS] = {0};
    size_t n = 0;

    for (size_t t = 1; t <= length; t++) {
        int *own = &part[bnre__trust_step_of(
            run, candidate_at(&run->result->certificate, t))];

        n += !*own;
        *own = 1;
    }
    return n;
}

static bnre_status test_all(bnre__trust_run *run, size_t length)
{
    bnre_certificate *result = &run->result->certificate;
    bnre_diag *diag[BNRE__STEPS] = {0}; /* made when first needed */
    bnre_status status = BNRE_OK;

    bnre__trust_plan_tests(run, count_steps(run, length));
    for (size_t t = 1; t <= length; t++) {
        const size_t i = candidate_at(result, t);
        const size_t step = bnre__trust_step_of(run, i);
        bnre_candidate *c = &result->candidate[i];
        const bnre_diag_curve *curve;

        if (diag[step] == NULL)
            BNRE_TRY(bnre__trust_look(run, step, &run->certify, &diag[step]));
        curve = &diag[step]->curve[i % run->tempers];
        c->blind = curve->judgement.verdict == BNRE_BLIND;
        c->passed = !c->blind && bnre__trust_is_conservative(&curve->coverage,
                                                             run->opts->delta,
                                                             run->opts->eps);
        if (t == 1 || c->passed)
            take(run, i, curve);
        result->blind = t == 1 && c->blind;
        if (!c->passed)
            break;
        result->certified = 1;
    }
done:
    for (size_t i = 0; i < BNRE__STEPS; i++)
        bnre_diag_destroy(diag[i]);
    return status;
}

/* Nothing can be seen of any candidate: the last training, which is the most
   cautious. */
static void choose_blind(bnre__trust_run *run)
{
    bnre_certificate *result = &run->result->certificate;

    result->blind = 1;
    result->chosen = (run->steps - 1) * run->tempers;
    result->information = result->candidate[result->chosen].information;
}

/* Without pairs to certify with: the sharpest that looks safe. */
static void choose_untested(bnre_certificate *result, size_t length)
{
    result->ess = NAN;
    result->chosen = length > 0 ? candidate_at(result, length) : 0;
    if (result->n > 0)
        result->information = result->candidate[result->chosen].information;
}

/* With this many effective points for a pair, an estimator that is clearly
   wrong looks so. */
static const double FEW_POINTS = 5;

/* With this many, they are not why one is blind. */
static const double MANY_POINTS = 50;

static bnre_status warn_of_few_points(bnre_certificate *result)
{
    char *words = NULL;

    if (!(result->ess < FEW_POINTS) || result->blind)
        return BNRE_OK;
    BNRE_DO(bnre__text_format(&words,
                              "%s. Few points bear weight (%.1f per pair): "
                              "these posteriors are so narrow that errors may "
                              "go unseen; use more points (--points)",
                              result->words, result->ess));
    bnre__free(result->words);
    result->words = words;
    return BNRE_OK;
}

static bnre_status say(bnre__trust_run *run)
{
    bnre_certificate *result = &run->result->certificate;
    const bnre_candidate *c = &result->candidate[result->chosen];
    const double percent = 100 * (1 - run->opts->delta);
    const char *method = bnre_method_name(run->trained[0].method);
    char where[80] = "";
    int uninformative;

    bnre__free(result->words);
    result->words = NULL;
    if (result->blind && result->ess >= MANY_POINTS)
        BNRE_DO(bnre__text_format(
            &result->words,
            "NOT CERTIFIED (blind): the Markov chains by which posteriors of "
            "so many parameters were looked at remember where they began, so "
            "that nothing is known of them; fewer parameters, or --method "
            "bnpe, would help. This is %s, lambda %g and temper %g",
            method, c->lambda, c->temper));
    else if (result->blind)
        BNRE_DO(bnre__text_format(
            &result->words,
            "NOT CERTIFIED (blind): the posteriors are too narrow for the "
            "points at which they were looked at (%.1f bear weight for a "
            "typical pair), so that nothing is known of them; more points "
            "(--points N) or fewer parameters would help. This is %s, lambda "
            "%g and temper %g",
            result->ess, method, c->lambda, c->temper));
    else if (run->certify.n < BNRE_DIAG_LEAST)
        BNRE_DO(bnre__text_format(
            &result->words,
            "NOT CERTIFIED: there are no pairs to certify with; %s, lambda %g "
            "and temper %g are the sharpest choice that looks conservative on "
            "%zu select pairs",
            method, c->lambda, c->temper, run->select.use));
    else if (!result->certified)
        BNRE_DO(bnre__text_format(
            &result->words,
            "NOT CERTIFIED: %zu pairs%s do not suffice, or no choice is "
            "conservative; this is the safest, %s, lambda %g and temper %g",
            run->certify.use,
            run->certify.use < run->certify.n ? " (more with --effort)" : "",
            method, c->lambda, c->temper));
    else {
        if (run->certify.missing > 0)
            snprintf(where, sizeof where,
                     " where simulations give a result (%.2g %% are missing)",
                     100 * run->certify.missing);
        uninformative = !(result->information.mean >
                          0.05 + 1.645 * result->information.error);
        BNRE_DO(bnre__text_format(
            &result->words,
            "CERTIFIED conservative: on %zu fresh pairs regions of every level "
            "contain the truth at least as often as they say, within %g, on "
            "average over the prior%s, with %g %% confidence (%s, lambda %g, "
            "temper %g, information %.2f nats%s)",
            run->certify.use, run->opts->eps, where, percent, method, c->lambda,
            c->temper, result->information.mean,
            uninformative ? ": next to nothing is learned" : ""));
    }
    return warn_of_few_points(result);
}

bnre_status bnre__trust_certify(bnre__trust_run *run)
{
    bnre_certificate *result = &run->result->certificate;
    const size_t length = bnre__trust_frontier(result->n, result->candidate);

    if (length == 0 && result->n > 0 && result->candidate[0].blind)
        choose_blind(run);
    else if (run->certify.n >= BNRE_DIAG_LEAST)
        BNRE_DO(test_all(run, length));
    else
        choose_untested(result, length);
    return say(run);
}
