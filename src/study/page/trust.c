/* What trust has to say: certificates, conformal regions, advice. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/certificate.h"
#include "bnre/posterior.h"
#include "bnre/text.h"
#include "study/page/html.h"

static void add_mark(bnre__text *page, const char *class, size_t n, size_t of,
                     const char *words)
{
    if (n == 0)
        return;
    bnre__text_put(page, "<span class=\"mark %s\">", class);
    if (n != of || n > 1)
        bnre__text_put(page, "%zu ", n);
    bnre__text_put(page, "%s</span> ", words);
}

void bnre__html_certificates(bnre__text *page, const bnre__saved_study *study,
                             size_t first, size_t runs)
{
    size_t yes = 0, no = 0, blind = 0;

    for (size_t i = first; i < first + runs; i++) {
        const bnre_certificate *of = &study->run[i].certificate;

        yes += of->words != NULL && of->certified;
        blind += of->words != NULL && of->blind;
        no += of->words != NULL && !of->certified && !of->blind;
    }
    add_mark(page, "good", yes, runs, "CERTIFIED");
    add_mark(page, "open", no, runs, "NOT CERTIFIED");
    add_mark(page, "open", blind, runs, "NOT CERTIFIED (blind)");
}

/* ---- of one run ---- */

static double real_of(const bnre__json *object, const char *key)
{
    return bnre__json_as_real(bnre__json_find(object, key));
}

/* A file may hold anything: 0 for what is no count. */
static size_t count_of(const bnre__json *object, const char *key)
{
    const double value = real_of(object, key);

    return value > 0 && value < 1e15 ? (size_t)value : 0;
}

static bnre_status add_p_words(bnre__text *page, double p)
{
    char words[BNRE_READABLE];

    return bnre__html_escape(page, bnre_readable_p_words(p, words));
}

static bnre_status add_likeness(bnre__text *page, const bnre__saved_run *run)
{
    const double p = real_of(run->posterior, "outside_p");
    bnre_status status = BNRE_OK;

    if (isnan(p))
        return BNRE_OK;
    bnre__text_put(page, "<dt>observation</dt><dd>%s the simulated data (",
                   p < BNRE_UNLIKE ? "unlike" : "looks like");
    BNRE_TRY(add_p_words(page, p));
    bnre__text_put(page, ", among the calibration pairs as the "
                         "estimator sees them)</dd>\n");
done:
    return status;
}

bnre_status bnre__html_outside(bnre__text *page, const bnre__saved_study *study)
{
    bnre_status status = BNRE_OK;
    double least = 1;
    size_t n = 0;

    for (size_t i = 0; i < study->runs; i++) {
        const double p = real_of(study->run[i].posterior, "outside_p");

        n += p < BNRE_UNLIKE;
        least = fmin(least, p);
    }
    if (n == 0)
        return BNRE_OK;
    bnre__text_put(
        page,
        "<div class=\"note\" role=\"note\"><p><strong>The observation is "
        "unlike the simulated data</strong> (in %zu of %zu runs, at the most "
        "unlike ",
        n, study->runs);
    BNRE_TRY(add_p_words(page, least));
    bnre__text_put(page, "): the simulator or the prior may miss "
                         "something, and no verdict here holds for "
                         "such data.</p></div>\n");
done:
    return status;
}

/* Whether the posterior of a run should not be used as it is; see
   bnre_posterior_doubt(). */
static int is_doubtful(const bnre__saved_run *run)
{
    const bnre__json *chains = bnre__json_find(run->posterior, "chains");
    const bnre__json *method = bnre__json_find(run->posterior, "method");
    const bnre__json *evidence = bnre__json_find(run->posterior, "evidence");
    const char *name = bnre__json_as_text(method);

    if (chains != NULL)
        return !bnre__json_as_flag(bnre__json_find(chains, "converged"));
    return name != NULL && strcmp(name, "bank") == 0 &&
           real_of(evidence, "ess") < BNRE_FEWEST_DRAWS;
}

void bnre__html_doubts(bnre__text *page, const bnre__saved_study *study)
{
    size_t n = 0;

    for (size_t i = 0; i < study->runs; i++)
        n += is_doubtful(&study->run[i]) != 0;
    if (n == 0)
        return;
    bnre__text_put(
        page,
        "<div class=\"note\" role=\"note\"><p><strong>The posterior of the "
        "observation should not be used</strong> in %zu of %zu runs: its "
        "Markov "
        "chains did not converge, or it is worth fewer than %d distinct draws "
        "of the prior. The details of each run say which.</p></div>\n",
        n, study->runs, BNRE_FEWEST_DRAWS);
}

/* What was warned of when the posterior was made. */
static bnre_status add_warnings(bnre__text *page, const bnre__saved_run *run)
{
    const bnre__json *list = bnre__json_find(run->posterior, "warnings");
    bnre_status status = BNRE_OK;

    for (size_t i = 0; i < bnre__json_count(list); i++) {
        const char *text = bnre__json_as_text(bnre__json_at(list, i));

        if (text == NULL)
            continue;
        bnre__text_put(page, "<dt>warning</dt><dd>");
        BNRE_TRY(bnre__html_escape(page, text));
        bnre__text_put(page, "</dd>\n");
    }
done:
    return status;
}

static void add_estimate(bnre__text *page, const bnre__json *object,
                         const char *key)
{
    const bnre_estimate estimate = bnre__json_estimate(object, key);

    bnre__html_number(page, 4, estimate.mean);
    bnre__text_put(page, " ± ");
    bnre__html_number(page, 4, estimate.error);
}

static void add_theory(bnre__text *page, const bnre__saved_run *run)
{
    const bnre__json *found = bnre__json_find(run->diagnosis, "theorem");

    if (found == NULL)
        return;
    bnre__text_put(
        page, "<dt>theory</dt><dd>what holds for every classifier %s here (",
        bnre__json_as_flag(bnre__json_find(found, "holds"))
            ? "holds"
            : "does <strong>not</strong> hold");
    bnre__html_count(page, count_of(found, "pairs"));
    bnre__text_put(page, " pairs, with the exact classifier e): the "
                         "bounds on E[log e/d] are kept by ");
    add_estimate(page, found, "joint_gap");
    bnre__text_put(page, " on joint and by ");
    add_estimate(page, found, "marginal_gap");
    bnre__text_put(page, " on marginal pairs; e has balance ");
    add_estimate(page, found, "exact_balance");
    bnre__text_put(page, "</dd>\n");
}

/* "0.12 (0.05 to 0.20)" of KEY, KEY_low and KEY_high. */
static void add_range(bnre__text *page, const bnre__json *object,
                      const char *key)
{
    char end[48];

    bnre__html_number(page, 2, real_of(object, key));
    bnre__text_put(page, " (");
    snprintf(end, sizeof end, "%.40s_low", key);
    bnre__html_number(page, 2, real_of(object, end));
    bnre__text_put(page, " to ");
    snprintf(end, sizeof end, "%.40s_high", key);
    bnre__html_number(page, 2, real_of(object, end));
    bnre__text_put(page, ")");
}

static void add_learning(bnre__text *page, const bnre__saved_run *run)
{
    const bnre__json *found = bnre__json_find(run->diagnosis, "learning_curve");
    const bnre__json *list = bnre__json_find(found, "budgets");

    if (found == NULL)
        return;
    bnre__text_put(page, "<dt>learning curve</dt><dd>");
    for (size_t i = 0; i < bnre__json_count(list); i++) {
        const bnre__json *budget = bnre__json_at(list, i);

        bnre__text_put(page, "%s", i > 0 ? ", " : "");
        add_estimate(page, budget, "information");
        bnre__text_put(page, " nats with ");
        bnre__html_count(page, count_of(budget, "simulations"));
    }
    bnre__text_put(page, " simulations; twice as many would bring about ");
    add_range(page, found, "doubling");
    bnre__text_put(page, " and 95 %% regions of × ");
    add_range(page, found, "doubling_volume");
    bnre__text_put(page, " the size</dd>\n");
}

bnre_status bnre__html_trust_facts(bnre__text *page, const bnre__saved_run *run)
{
    const bnre_certificate *of = &run->certificate;
    bnre_status status = BNRE_OK;
    size_t tested = 0, passed = 0;

    for (size_t i = 0; i < of->n; i++) {
        tested += of->candidate[i].test > 0;
        passed += (size_t)of->candidate[i].passed;
    }
    if (of->words != NULL) {
        bnre__text_put(page, "<dt>certificate</dt><dd>");
        BNRE_TRY(bnre__html_escape(page, of->words));
        if (real_of(run->diagnosis, "observations") > 1)
            bnre__text_put(page,
                           ". For single observations: it says "
                           "nothing of the %g taken together that "
                           "the verdict is about",
                           real_of(run->diagnosis, "observations"));
        bnre__text_put(page,
                       "</dd>\n<dt>chosen</dt><dd>lambda %g and "
                       "temper %g, of %zu candidate%s",
                       of->lambda, of->temper, of->n, of->n == 1 ? "" : "s");
        if (of->select.use > 0) {
            bnre__text_put(page, " compared on ");
            bnre__html_count(page, of->select.use);
            bnre__text_put(page, " pairs");
        }
        if (of->certify.use > 0) {
            bnre__text_put(page, "; %zu %s to be tested on ", tested,
                           tested == 1 ? "was" : "were");
            bnre__html_count(page, of->certify.use);
            bnre__text_put(page, " others, the safest first, and ");
            if (passed > 0)
                bnre__text_put(page, "%zu passed", passed);
            else
                bnre__text_put(page, "none passed");
        }
        bnre__text_put(page, "</dd>\n");
    }
    if (of->calibrate.use > 0 && !of->calibrate.blind) {
        bnre__text_put(page, "<dt>calibrated</dt><dd>with ");
        bnre__html_count(page, of->calibrate.use);
        bnre__text_put(
            page,
            " pairs: conformal regions (%s) hold the truth as often as they "
            "say, on average over data of this simulator and prior, whatever "
            "the estimator's faults</dd>\n",
            bnre__json_find(run->posterior, "conformal") != NULL
                ? "below"
                : "of <code>bnre posterior</code>");
    }
    BNRE_TRY(add_likeness(page, run));
    BNRE_TRY(add_warnings(page, run));
    add_theory(page, run);
    add_learning(page, run);
done:
    return status;
}

bnre_status bnre__html_conformal(bnre__text *page, const bnre__saved_run *run)
{
    const bnre__json *list = bnre__json_find(run->posterior, "conformal");
    bnre_status status = BNRE_OK;

    if (bnre__json_count(list) == 0)
        return BNRE_OK;
    bnre__text_put(
        page, "<h3>Regions of the observation</h3>\n<p class=\"soft\">Sizes "
              "are shares of the prior. Posterior: the smallest region with "
              "this much of the estimated posterior. Conformal: enlarged or "
              "shrunk until it keeps its word on the calibration pairs.</p>\n"
              "<div class=\"wide\" tabindex=\"0\" role=\"region\" "
              "aria-label=\"Regions of the observation\"><table><thead><tr>"
              "<th scope=\"col\" class=\"n\">level</th><th scope=\"col\" "
              "class=\"n\">posterior</th><th scope=\"col\" class=\"n\">"
              "conformal</th><th scope=\"col\" class=\"n\">size paid</th></tr>"
              "</thead><tbody>\n");
    for (size_t i = 0; i < bnre__json_count(list); i++) {
        const bnre__json *region = bnre__json_at(list, i);

        bnre__text_put(page, "<tr><td class=\"n\">%g %%%s</td><td class=\"n\">",
                       100 * real_of(region, "level"),
                       bnre__json_as_flag(bnre__json_find(region, "local"))
                           ? ", local (approximate)"
                           : "");
        bnre__html_real(page, real_of(region, "nominal_prior_mass"), 0);
        bnre__text_put(page, "</td><td class=\"n\">");
        bnre__html_real(page, real_of(region, "prior_mass"), 0);
        bnre__text_put(page, "</td><td class=\"n\">× ");
        bnre__html_number(page, 2, real_of(region, "paid"));
        bnre__text_put(page, "</td></tr>\n");
    }
    bnre__text_put(page, "</tbody></table></div>\n<ul>\n");
    for (size_t i = 0; i < bnre__json_count(list); i++) {
        const bnre__json *region = bnre__json_at(list, i);

        bnre__text_put(page, "<li>");
        BNRE_TRY(bnre__html_escape(
            page, bnre__json_as_text(bnre__json_find(region, "words"))));
        bnre__text_put(page, "</li>\n");
    }
    bnre__text_put(page, "</ul>\n");
done:
    return status;
}

static const char *advice_of(const bnre__saved_run *run, size_t i)
{
    const bnre__json *list = bnre__json_find(run->diagnosis, "advice");

    return bnre__json_as_text(bnre__json_find(bnre__json_at(list, i), "text"));
}

bnre_status bnre__html_run_advice(bnre__text *page, const bnre__saved_run *run)
{
    bnre_status status = BNRE_OK;
    const char *text;

    if (advice_of(run, 0) == NULL)
        return BNRE_OK;
    bnre__text_put(page, "<h3>What to do next</h3>\n<ul>\n");
    for (size_t i = 0; (text = advice_of(run, i)) != NULL; i++) {
        bnre__text_put(page, "<li>");
        BNRE_TRY(bnre__html_escape(page, text));
        bnre__text_put(page, "</li>\n");
    }
    bnre__text_put(page, "</ul>\n");
done:
    return status;
}

/* ---- of all ---- */

enum { MOST_ADVICE = 12, MOST_NAMES = 6 };

static int advises(const bnre__saved_run *run, const char *advice)
{
    const char *text;

    for (size_t i = 0; (text = advice_of(run, i)) != NULL; i++)
        if (strcmp(text, advice) == 0)
            return 1;
    return 0;
}

/* Whether a run before this one says the same. */
static int is_said(const bnre__saved_study *study, size_t run,
                   const char *advice)
{
    for (size_t i = 0; i < run; i++)
        if (advises(&study->run[i], advice))
            return 1;
    return 0;
}

/* For whom: all runs, or some of them, by cell. */
static bnre_status add_advised(bnre__text *page, const bnre__saved_study *study,
                               const char *advice)
{
    bnre_status status = BNRE_OK;
    size_t said = 0, asked = 0, cells = 0;

    for (size_t i = 0; i < study->runs; i++) {
        said += (size_t)advises(&study->run[i], advice);
        asked += advice_of(&study->run[i], 0) != NULL;
    }
    if (said == asked)
        return BNRE_OK;
    bnre__text_put(page, " <small>(");
    for (size_t c = 0; c < study->cells; c++) {
        const bnre__saved_cell *cell = &study->cell[c];
        size_t n = 0;

        for (size_t i = cell->first; i < cell->first + cell->runs; i++)
            n += (size_t)advises(&study->run[i], advice);
        if (n == 0 || ++cells > MOST_NAMES)
            continue;
        bnre__text_put(page, "%s", cells > 1 ? "; " : "");
        BNRE_TRY(bnre__html_escape(page, cell->name));
        if (n < cell->runs)
            bnre__text_put(page, ", %zu of %zu runs", n, cell->runs);
    }
    if (cells > MOST_NAMES)
        bnre__text_put(page, "; and %zu more", cells - MOST_NAMES);
    bnre__text_put(page, ")</small>");
done:
    return status;
}

bnre_status bnre__html_advice(bnre__text *page, const bnre__saved_study *study)
{
    bnre_status status = BNRE_OK;
    const char *text;
    size_t shown = 0;

    for (size_t i = 0; i < study->runs && shown <= MOST_ADVICE; i++)
        for (size_t k = 0; (text = advice_of(&study->run[i], k)) != NULL; k++) {
            if (is_said(study, i, text) || ++shown > MOST_ADVICE)
                continue;
            if (shown == 1)
                bnre__text_put(page, "<section id=\"advice\">\n<h2>"
                                     "What to do next</h2>\n<ul>\n");
            bnre__text_put(page, "<li>");
            BNRE_TRY(bnre__html_escape(page, text));
            BNRE_TRY(add_advised(page, study, text));
            bnre__text_put(page, "</li>\n");
        }
    if (shown > MOST_ADVICE)
        bnre__text_put(page, "<li>and more, run by run, under <a "
                             "href=\"#runs\">every run</a></li>\n");
    if (shown > 0)
        bnre__text_put(page, "</ul>\n</section>\n");
done:
    return status;
}
