/* section_trust.c - what trust has to say: certificates, conformal regions,
   advice. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/certificate.h"
#include "bnre/posterior.h"
#include "bnre/text.h"
#include "study/page/html.h"
#include "trust/certificate.h"

void bnre__trust_marks(bnre__page *page, size_t first, size_t runs)
{
    static const char *const words[] = {
        "CERTIFIED",    "CROSS-CHECKED",     "NOT CERTIFIED",
        "INCONCLUSIVE", "NOT CROSS-CHECKED", "NOT CERTIFIED (blind)"};
    enum { WORDS = sizeof words / sizeof *words, GOOD = 2 };
    int count[WORDS] = {0};

    for (size_t i = first; i < first + runs; i++) {
        const bnre_certificate *of = &page->study->run[i].certificate;

        if (of->words == NULL)
            continue;
        for (size_t k = 0; k < WORDS; k++)
            if (of->blind ? k == WORDS - 1
                          : strcmp(bnre__certificate_word(of), words[k]) == 0)
                count[k]++;
    }
    for (size_t k = 0; k < WORDS; k++) {
        bnre__html_mark(page, k < GOOD ? "good" : "open", (size_t)count[k],
                        runs, words[k]);
        if (count[k] > 0)
            bnre__html(page, " ");
    }
}

/* ---- notes ---- */

static double outside_of(const bnre__saved_run *run)
{
    return bnre__json_real_of(run->posterior, "outside_p");
}

/* "p = 0.03" */
#define P_WORDS(p) bnre_readable_p_words(p, (char[BNRE_READABLE]){0})

/* That the observation is unlike what was simulated. */
static void note_outside(bnre__page *page)
{
    const bnre__saved_study *study = page->study;
    double least = 1;
    size_t n = 0;

    for (size_t i = 0; i < study->runs; i++) {
        n += outside_of(&study->run[i]) < BNRE_UNLIKE;
        least = fmin(least, outside_of(&study->run[i]));
    }
    if (n > 0)
        bnre__html(page,
                   BNRE__NOTE
                   "The observation is unlike the simulated data</strong> (in "
                   "%zu of %zu runs, at the most unlike %s): the simulator or "
                   "the prior may miss something, and no verdict here holds "
                   "for such data." BNRE__NOTE_END,
                   n, study->runs, P_WORDS(least));
}

/* Whether the posterior of a run should not be used as it is; see
   bnre__posterior_doubt(). */
static int is_doubtful(const bnre__saved_run *run)
{
    const bnre__json *chains = bnre__json_find(run->posterior, "chains");
    const bnre__json *evidence = bnre__json_find(run->posterior, "evidence");
    const char *method = bnre__json_text_of(run->posterior, "method");

    if (chains != NULL)
        return !bnre__json_flag_of(chains, "converged");
    return method != NULL && strcmp(method, "bank") == 0 &&
           bnre__json_real_of(evidence, "ess") < BNRE_FEWEST_DRAWS;
}

void bnre__trust_notes(bnre__page *page)
{
    size_t n = 0;

    note_outside(page);
    for (size_t i = 0; i < page->study->runs; i++)
        n += is_doubtful(&page->study->run[i]) != 0;
    if (n > 0)
        bnre__html(page,
                   BNRE__NOTE
                   "The posterior of the observation should not be used"
                   "</strong> in %zu of %zu runs: its Markov chains did not "
                   "converge, or it is worth fewer than %d distinct draws of "
                   "the prior. The details of each run say "
                   "which." BNRE__NOTE_END,
                   n, page->study->runs, BNRE_FEWEST_DRAWS);
}

/* ---- facts of one run ---- */

/* On which pairs the candidates were judged, and how many passed. */
static void add_tests(bnre__page *page, const bnre_certificate *of)
{
    size_t tested = 0, passed = 0;

    for (size_t i = 0; i < of->n; i++) {
        tested += of->candidate[i].test > 0;
        passed += (size_t)of->candidate[i].passed;
    }
    if (of->kind == BNRE_CERTIFICATE_CROSS) {
        bnre__html(page,
                   ", widths times %g, of %zu candidates from wide to narrow: "
                   "%zu passed out of fold, on %s simulations",
                   of->widen, of->n, passed, BNRE__COUNT(of->cross.use));
        if (of->certify.use > 0)
            bnre__html(page, "; then on %s fresh pairs: %s",
                       BNRE__COUNT(of->certify.use),
                       bnre__certificate_word(of));
        return;
    }
    bnre__html(page, ", of %zu candidate%s", of->n, of->n == 1 ? "" : "s");
    if (of->select.use > 0)
        bnre__html(page, " compared on %s pairs", BNRE__COUNT(of->select.use));
    if (of->certify.use == 0)
        return;
    bnre__html(
        page, "; %zu %s to be tested on %s others, the safest first, and ",
        tested, tested == 1 ? "was" : "were", BNRE__COUNT(of->certify.use));
    if (passed > 0)
        bnre__html(page, "%zu passed", passed);
    else
        bnre__html(page, "none passed");
}

static void add_certificate(bnre__page *page, const bnre__saved_run *run)
{
    const bnre_certificate *of = &run->certificate;
    const size_t together =
        run->diagnosis != NULL ? run->diagnosis->diag->observations : 0;

    bnre__html(page, "<dt>certificate</dt><dd>%s", of->words);
    if (together > 1)
        bnre__html(
            page,
            ". For single observations: it says nothing of the %zu taken "
            "together that the verdict is about",
            together);
    bnre__html(page, "</dd>\n<dt>chosen</dt><dd>lambda %g and temper %g",
               of->lambda, of->temper);
    add_tests(page, of);
    bnre__html(page, "</dd>\n");
}

/* All simulations that an estimator has cost. */
static void add_budget(bnre__page *page, const bnre__saved_run *run)
{
    const bnre_certificate *of = &run->certificate;
    const char *text = bnre__run_column(page->study, run, "simulations");
    const size_t learn = text != NULL ? (size_t)strtoull(text, NULL, 10) : 0;
    const size_t more = of->select.rows + of->certify.rows + of->calibrate.rows;

    if (learn == 0)
        return;
    bnre__html(page, "<dt>budget</dt><dd>%s simulations to learn from, ",
               BNRE__COUNT(learn));
    if (run->beside > 0)
        bnre__html(page, "%s for validation and learning rate, ",
                   BNRE__COUNT(run->beside));
    bnre__html(page,
               "%s to select, certify and calibrate with, %s in all</dd>\n",
               BNRE__COUNT(more), BNRE__COUNT(learn + run->beside + more));
}

static void add_calibration(bnre__page *page, const bnre__saved_run *run)
{
    bnre__html(page, "<dt>calibrated</dt><dd>with %s pairs: conformal regions ",
               BNRE__COUNT(run->certificate.calibrate.use));
    if (bnre__json_find(run->posterior, "conformal") != NULL)
        bnre__html(page, "(below)");
    else
        bnre__html(page, "(of <code>bnre posterior</code>)");
    bnre__html(page,
               " hold the truth as often as they say, on average over data of "
               "this simulator and prior, whatever the estimator's faults"
               "</dd>\n");
}

/* What was warned of when the posterior was made. */
static void add_warnings(bnre__page *page, const bnre__saved_run *run)
{
    const bnre__json *list = bnre__json_find(run->posterior, "warnings");

    for (size_t i = 0; i < bnre__json_count(list); i++) {
        const char *text = bnre__json_as_text(bnre__json_at(list, i));

        if (text != NULL)
            bnre__html(page, "<dt>warning</dt><dd>%s</dd>\n", text);
    }
}

static void add_estimate(bnre__page *page, bnre_estimate estimate)
{
    bnre__html(page, "%s ± %s", BNRE__FIXED(4, estimate.mean),
               BNRE__FIXED(4, estimate.error));
}

static void add_theory(bnre__page *page, const bnre__saved_run *run)
{
    const bnre_theorem *found =
        run->diagnosis != NULL ? &run->diagnosis->theorem : NULL;

    if (found == NULL || found->n == 0)
        return;
    bnre__html(page, "<dt>theory</dt><dd>what holds for every classifier ");
    if (found->holds)
        bnre__html(page, "holds");
    else
        bnre__html(page, "does <strong>not</strong> hold");
    bnre__html(page,
               " here (%s pairs, with the exact classifier e): the bounds on "
               "E[log e/d] are kept by ",
               BNRE__COUNT(found->n));
    add_estimate(page, found->joint_gap);
    bnre__html(page, " on joint and by ");
    add_estimate(page, found->marginal_gap);
    bnre__html(page, " on marginal pairs; e has balance ");
    add_estimate(page, found->exact_balance);
    bnre__html(page, "</dd>\n");
}

/* "0.12 (0.05 to 0.20)" */
static void add_range(bnre__page *page, double value, double low, double high)
{
    bnre__html(page, "%s (%s to %s)", BNRE__FIXED(2, value),
               BNRE__FIXED(2, low), BNRE__FIXED(2, high));
}

static void add_learning(bnre__page *page, const bnre__saved_run *run)
{
    const bnre_learning_curve *found =
        run->diagnosis != NULL ? &run->diagnosis->curve : NULL;

    if (found == NULL || found->n == 0)
        return;
    bnre__html(page, "<dt>learning curve</dt><dd>");
    for (size_t i = 0; i < found->n; i++) {
        if (i > 0)
            bnre__html(page, ", ");
        add_estimate(page, found->information[i]);
        bnre__html(page, " nats with %s", BNRE__COUNT(found->simulations[i]));
    }
    bnre__html(page, " simulations; twice as many would bring about ");
    add_range(page, found->gain, found->gain_low, found->gain_high);
    bnre__html(page, " and 95 %% regions of × ");
    add_range(page, found->shrink, found->shrink_low, found->shrink_high);
    bnre__html(page, " the size</dd>\n");
}

void bnre__trust_facts(bnre__page *page, const bnre__saved_run *run)
{
    const bnre_certificate *of = &run->certificate;
    const double p = outside_of(run);

    if (of->words != NULL)
        add_certificate(page, run);
    add_budget(page, run);
    if (of->calibrate.use > 0 && !of->calibrate.blind)
        add_calibration(page, run);
    if (!isnan(p))
        bnre__html(page,
                   "<dt>observation</dt><dd>%s the simulated data (%s, among "
                   "the calibration pairs as the estimator sees them)</dd>\n",
                   p < BNRE_UNLIKE ? "unlike" : "looks like", P_WORDS(p));
    if (bnre__json_text_of(run->under_prior, "words") != NULL)
        bnre__html(page, "<dt>under the other prior</dt><dd>%s</dd>\n",
                   bnre__json_text_of(run->under_prior, "words"));
    add_warnings(page, run);
    add_theory(page, run);
    add_learning(page, run);
}

/* ---- regions of one run ---- */

/* Whether regions come from the simulations to learn from. */
static int is_cross(const bnre__json *list)
{
    return bnre__json_flag_of(bnre__json_at(list, 0), "out_of_fold");
}

void bnre__trust_regions(bnre__page *page, const bnre__saved_run *run)
{
    const bnre__json *list = bnre__json_find(run->posterior, "conformal");

    if (bnre__json_count(list) == 0)
        return;
    bnre__html(page,
               "<h3>Regions of the observation</h3>\n<p class=\"soft\">Sizes "
               "are shares of the prior. Posterior: the smallest region with "
               "this much of the estimated posterior. Conformal: enlarged or "
               "shrunk until it keeps its word %s.</p>\n",
               is_cross(list) ? "on the simulations themselves, each judged "
                                "by networks that have not seen it"
                              : "on the calibration pairs");
    bnre__html_table(page, "Regions of the observation");
    bnre__html(page,
               "<thead><tr><th scope=\"col\" class=\"n\">level</th><th "
               "scope=\"col\" class=\"n\">posterior</th><th scope=\"col\" "
               "class=\"n\">conformal</th><th scope=\"col\" class=\"n\">size "
               "paid</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < bnre__json_count(list); i++) {
        const bnre__json *region = bnre__json_at(list, i);

        bnre__html(
            page,
            "<tr><td class=\"n\">%g %%%s</td><td class=\"n\">%s</td><td "
            "class=\"n\">%s</td><td class=\"n\">× %s</td></tr>\n",
            100 * bnre__json_real_of(region, "level"),
            bnre__json_flag_of(region, "local") ? ", local (approximate)" : "",
            BNRE__REAL(bnre__json_real_of(region, "nominal_prior_mass"), 0),
            BNRE__REAL(bnre__json_real_of(region, "prior_mass"), 0),
            BNRE__FIXED(2, bnre__json_real_of(region, "paid")));
    }
    bnre__html(page, BNRE__TABLE_END "<ul>\n");
    for (size_t i = 0; i < bnre__json_count(list); i++)
        bnre__html(page, "<li>%s</li>\n",
                   bnre__json_text_of(bnre__json_at(list, i), "words"));
    bnre__html(page, "</ul>\n");
}

/* ---- advice ---- */

static const char *advice_of(const bnre__saved_run *run, size_t i)
{
    return run->diagnosis != NULL && i < run->diagnosis->advice.n
               ? run->diagnosis->advice.item[i].text
               : NULL;
}

void bnre__trust_advice(bnre__page *page, const bnre__saved_run *run)
{
    const char *text;

    if (advice_of(run, 0) == NULL)
        return;
    bnre__html(page, "<h3>What to do next</h3>\n<ul>\n");
    for (size_t i = 0; (text = advice_of(run, i)) != NULL; i++)
        bnre__html(page, "<li>%s</li>\n", text);
    bnre__html(page, "</ul>\n");
}

enum { MOST_ADVICE = 12, MOST_NAMES = 6 };

static int advises(const bnre__saved_run *run, const char *advice)
{
    const char *text;

    for (size_t i = 0; (text = advice_of(run, i)) != NULL; i++)
        if (strcmp(text, advice) == 0)
            return 1;
    return 0;
}

/* How many of these runs say it. */
static size_t count_advising(const bnre__saved_study *study, size_t first,
                             size_t runs, const char *advice)
{
    size_t n = 0;

    for (size_t i = first; i < first + runs; i++)
        n += (size_t)advises(&study->run[i], advice);
    return n;
}

/* For whom: all runs, or some of them, by cell. */
static void add_advised(bnre__page *page, const char *advice)
{
    const bnre__saved_study *study = page->study;
    size_t asked = 0, cells = 0;

    for (size_t i = 0; i < study->runs; i++)
        asked += advice_of(&study->run[i], 0) != NULL;
    if (count_advising(study, 0, study->runs, advice) == asked)
        return;
    bnre__html(page, " <small>(");
    for (size_t c = 0; c < study->cells; c++) {
        const bnre__saved_cell *cell = &study->cell[c];
        const size_t n = count_advising(study, cell->first, cell->runs, advice);

        if (n == 0 || ++cells > MOST_NAMES)
            continue;
        bnre__html(page, "%s%s", cells > 1 ? "; " : "", cell->name);
        if (n < cell->runs)
            bnre__html(page, ", %zu of %zu runs", n, cell->runs);
    }
    if (cells > MOST_NAMES)
        bnre__html(page, "; and %zu more", cells - MOST_NAMES);
    bnre__html(page, ")</small>");
}

void bnre__section_advice(bnre__page *page)
{
    const bnre__saved_study *study = page->study;
    const char *text;
    size_t shown = 0;

    for (size_t i = 0; i < study->runs && shown <= MOST_ADVICE; i++)
        for (size_t k = 0; (text = advice_of(&study->run[i], k)) != NULL; k++) {
            if (count_advising(study, 0, i, text) > 0 || ++shown > MOST_ADVICE)
                continue;
            if (shown == 1)
                bnre__html(page, "<section id=\"advice\">\n<h2>What to do "
                                 "next</h2>\n<ul>\n");
            bnre__html(page, "<li>%s", text);
            add_advised(page, text);
            bnre__html(page, "</li>\n");
        }
    if (shown > MOST_ADVICE)
        bnre__html(page, "<li>and more, run by run, under <a "
                         "href=\"#runs\">every run</a></li>\n");
    if (shown > 0)
        bnre__html(page, "</ul>\n</section>\n");
}
