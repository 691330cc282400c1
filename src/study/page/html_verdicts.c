/* What the study has come to: verdicts by cell, and what stands against them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "study/page/html.h"
#include "study/page/panels.h"

static const struct meaning {
    const char *verdict, *words;
} meanings[] = {
    {"CONSERVATIVE", "regions hold the truth at least as often as they say"},
    {"OVERCONFIDENT", "at some credibility, regions hold the truth less often "
                      "than they say"},
    {"INCONCLUSIVE", "the test pairs are too few to tell which"},
    {"UNINFORMATIVE", "the posterior knows hardly more than the prior"},
    {"BLIND", "the points at which posteriors were looked at are too few to "
              "tell anything: more of them, or fewer parameters"},
};
enum { MEANINGS = sizeof meanings / sizeof *meanings };

static size_t count_verdicts(const bnre__findings *findings, size_t first,
                             size_t runs, const char *verdict)
{
    size_t n = 0;

    for (size_t i = first; i < first + runs; i++)
        n += findings->run[i].verdict != NULL &&
             strcmp(findings->run[i].verdict, verdict) == 0;
    return n;
}

/* Runs that have no verdict, by state. */
static size_t count_states(const bnre__findings *findings, size_t first,
                           size_t runs, bnre__run_state state)
{
    size_t n = 0;

    for (size_t i = first; i < first + runs; i++)
        n +=
            findings->run[i].verdict == NULL && findings->run[i].state == state;
    return n;
}

static const char *const state_words[] = {
    [BNRE__RUN_DONE] = "no verdict", [BNRE__RUN_TRAINED] = "not diagnosed",
    [BNRE__RUN_MISSING] = "missing", [BNRE__RUN_FAILED] = "failed",
    [BNRE__RUN_DAMAGED] = "damaged", [BNRE__RUN_OTHER] = "out of date",
};

static bnre_status add_marks(bnre__text *page, const bnre__findings *findings,
                             size_t first, size_t runs)
{
    bnre_status status = BNRE_OK;

    for (size_t i = 0; i < MEANINGS; i++) {
        const char *verdict = meanings[i].verdict;
        const size_t n = count_verdicts(findings, first, runs, verdict);

        if (n == 0)
            continue;
        BNRE_TRY(bnre__text_add(page, "<span class=\"mark %s\">",
                                bnre__html_class(verdict)));
        if (n != runs || n > 1)
            BNRE_TRY(bnre__text_add(page, "%zu ", n));
        BNRE_TRY(bnre__text_add(page, "%s</span>", verdict));
    }
    for (size_t i = 0; i <= BNRE__RUN_OTHER; i++) {
        const size_t n =
            count_states(findings, first, runs, (bnre__run_state)i);

        if (n == 0)
            continue;
        BNRE_TRY(bnre__text_add(page, "<span class=\"mark none\">"));
        if (n != runs || n > 1)
            BNRE_TRY(bnre__text_add(page, "%zu ", n));
        BNRE_TRY(bnre__text_add(page, "%s</span>", state_words[i]));
    }
done:
    return status;
}

static bnre_status add_spread(bnre__text *page, const bnre__findings *findings,
                              size_t cell, bnre__quantity quantity)
{
    bnre_status status = BNRE_OK;
    bnre__spread spread;

    BNRE_TRY(bnre__cell_spread(findings, cell, quantity, 0, &spread));
    BNRE_TRY(bnre__text_add(page, "<td class=\"n\">"));
    BNRE_TRY(bnre__html_number(page, 3, spread.mean));
    if (spread.n > 0) {
        BNRE_TRY(bnre__text_add(page, "<span class=\"pm\"> ± "));
        BNRE_TRY(bnre__html_number(page, 3,
                                   spread.n > 1 ? spread.sd : spread.error));
        BNRE_TRY(bnre__text_add(page, "</span>"));
    }
    BNRE_TRY(bnre__text_add(page, "</td>"));
done:
    return status;
}

/* A run whose lambda or temper were chosen, with this outcome; NULL if there
   is none. */
static const bnre_certificate *find_choice(const bnre__findings *findings,
                                           int certified)
{
    for (size_t i = 0; i < findings->runs; i++) {
        const bnre_certificate *of = &findings->run[i].certificate;

        if (of->words != NULL && of->certified == certified)
            return of;
    }
    return NULL;
}

static int has_choices(const bnre__findings *findings)
{
    return find_choice(findings, 0) != NULL || find_choice(findings, 1) != NULL;
}

static double chosen_lambda(const bnre_certificate *certificate)
{
    return certificate->lambda;
}

static double chosen_temper(const bnre_certificate *certificate)
{
    return certificate->temper;
}

/* What was chosen in a cell's runs: the range of a number. */
static bnre_status add_range(bnre__text *page, const bnre__findings *findings,
                             const bnre__cell_found *cell, const char *name,
                             double (*chosen)(const bnre_certificate *))
{
    bnre_status status = BNRE_OK;
    double low = HUGE_VAL, high = -HUGE_VAL;

    for (size_t i = cell->first; i < cell->first + cell->runs; i++) {
        const bnre_certificate *of = &findings->run[i].certificate;
        const double value = chosen(of);

        if (of->words == NULL || isnan(value))
            continue;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    if (low > high)
        return BNRE_OK;
    BNRE_TRY(bnre__text_add(page, "%s %g", name, low));
    if (high > low)
        BNRE_TRY(bnre__text_add(page, " to %g", high));
done:
    return status;
}

static bnre_status add_choices(bnre__text *page, const bnre__findings *findings,
                               const bnre__cell_found *cell)
{
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__text_add(page, "<small>"));
    BNRE_TRY(add_range(page, findings, cell, "λ", chosen_lambda));
    BNRE_TRY(add_range(page, findings, cell, ", temper", chosen_temper));
    BNRE_TRY(bnre__text_add(page, "</small>"));
done:
    return status;
}

static bnre_status add_certificates(bnre__text *page,
                                    const bnre__findings *findings,
                                    const bnre__cell_found *cell)
{
    bnre_status status = BNRE_OK;
    size_t before;

    BNRE_TRY(bnre__text_add(page, "<td>"));
    before = page->length;
    BNRE_TRY(bnre__html_certificates(page, findings, cell->first, cell->runs));
    if (page->length > before)
        BNRE_TRY(add_choices(page, findings, cell));
    else
        BNRE_TRY(bnre__text_add(page, "–"));
    BNRE_TRY(bnre__text_add(page, "</td>"));
done:
    return status;
}

static bnre_status add_cell(bnre__text *page, const bnre__findings *findings,
                            size_t cell)
{
    const bnre__cell_found *of = &findings->cell[cell];
    bnre_status status = BNRE_OK;
    size_t done = 0;

    for (size_t i = of->first; i < of->first + of->runs; i++)
        done += findings->run[i].state == BNRE__RUN_DONE;
    BNRE_TRY(bnre__text_add(page, "<tr>"));
    for (size_t k = 0; k < findings->keys; k++) {
        BNRE_TRY(bnre__text_add(page, "<td>"));
        BNRE_TRY(
            bnre__html_escape(page, of->value[k] != NULL ? of->value[k] : "–"));
        BNRE_TRY(bnre__text_add(page, "</td>"));
    }
    if (findings->keys == 0) {
        BNRE_TRY(bnre__text_add(page, "<td>"));
        BNRE_TRY(bnre__html_escape(page, of->name));
        BNRE_TRY(bnre__text_add(page, "</td>"));
    }
    BNRE_TRY(bnre__text_add(page, "<td>"));
    BNRE_TRY(add_marks(page, findings, of->first, of->runs));
    BNRE_TRY(bnre__text_add(page, "</td>"));
    if (has_choices(findings))
        BNRE_TRY(add_certificates(page, findings, of));
    BNRE_TRY(add_spread(page, findings, cell, bnre__quantity_auc));
    BNRE_TRY(add_spread(page, findings, cell, bnre__quantity_information));
    BNRE_TRY(add_spread(page, findings, cell, bnre__quantity_balance));
    BNRE_TRY(bnre__text_add(page,
                            "<td class=\"n\">%zu of %zu</td><td><a "
                            "href=\"#run-%zu\">details</a></td></tr>\n",
                            done, of->runs, of->first + 1));
done:
    return status;
}

static bnre_status explain_choices(bnre__text *page,
                                   const bnre__findings *findings)
{
    const bnre_certificate *certified = find_choice(findings, 1);
    bnre_status status = BNRE_OK;

    if (certified != NULL)
        BNRE_TRY(bnre__text_add(
            page,
            "<dt><span class=\"mark good\">CERTIFIED</span></dt><dd>chosen "
            "automatically, and tested when it was trained, on pairs of its "
            "own: if it were overconfident, it would have passed with a "
            "probability of %g at most</dd>\n",
            certified->delta));
    if (find_choice(findings, 0) != NULL)
        BNRE_TRY(bnre__text_add(
            page, "<dt><span class=\"mark open\">NOT CERTIFIED</span></dt><dd>"
                  "chosen automatically, but it did not pass that test, or "
                  "there was none</dd>\n"));
done:
    return status;
}

/* The tolerance and confidence of verdicts: those of the first there is. */
static bnre_status explain(bnre__text *page, const bnre__findings *findings)
{
    const bnre__run_found *run = NULL;
    bnre_status status = BNRE_OK;

    for (size_t i = 0; i < findings->runs && run == NULL; i++)
        if (findings->run[i].verdict != NULL)
            run = &findings->run[i];
    if (run == NULL)
        goto done;
    BNRE_TRY(bnre__text_add(page, "<dl>"));
    for (size_t i = 0; i < MEANINGS; i++)
        if (count_verdicts(findings, 0, findings->runs, meanings[i].verdict) >
            0)
            BNRE_TRY(bnre__text_add(
                page, "<dt><span class=\"mark %s\">%s</span></dt><dd>%s</dd>\n",
                bnre__html_class(meanings[i].verdict), meanings[i].verdict,
                meanings[i].words));
    BNRE_TRY(explain_choices(page, findings));
    BNRE_TRY(
        bnre__text_add(page, "</dl>\n<p class=\"soft\">All of it within "));
    BNRE_TRY(bnre__text_add(
        page, "%g, with confidence %g, on average over the prior: ",
        bnre__json_as_real(bnre__json_find(run->diagnosis, "eps")),
        1 - bnre__json_as_real(bnre__json_find(run->diagnosis, "delta"))));
    BNRE_TRY(bnre__text_add(
        page, "for single observations it may be otherwise. Tested on "));
    BNRE_TRY(bnre__html_count(page, run->pairs));
    BNRE_TRY(bnre__text_add(
        page,
        " fresh pairs. AUC: mean distance of "
        "the expected coverage from the credibility, positive is conservative. "
        "Information: nats gained beyond the prior. Balance: 1 for the exact "
        "classifier. %s</p>\n",
        findings->cell[0].runs > 1
            ? "Means over runs ± one standard deviation over runs."
            : "± one standard error of the single run."));
done:
    return status;
}

bnre_status bnre__html_verdicts(bnre__text *page,
                                const bnre__findings *findings)
{
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__text_add(page,
                            "<section id=\"verdicts\">\n"
                            "<h2>Can these posteriors be trusted?</h2>\n"));
    if (findings->cells == 0) {
        BNRE_TRY(bnre__text_add(page, "<p>No run has begun yet.</p>\n"
                                      "</section>\n"));
        goto done;
    }
    BNRE_TRY(bnre__text_add(page, "<p>"));
    BNRE_TRY(add_marks(page, findings, 0, findings->runs));
    BNRE_TRY(bnre__text_add(page, "</p>\n<div class=\"wide\" tabindex=\"0\" "
                                  "role=\"region\" aria-label=\"Verdicts by "
                                  "cell\"><table>\n<thead><tr>"));
    for (size_t k = 0; k < findings->keys; k++) {
        BNRE_TRY(bnre__text_add(page, "<th scope=\"col\">"));
        BNRE_TRY(bnre__html_escape(page, findings->key[k]));
        BNRE_TRY(bnre__text_add(page, "</th>"));
    }
    BNRE_TRY(bnre__text_add(
        page,
        "%s<th scope=\"col\">verdict</th>%s<th scope=\"col\" class=\"n\">"
        "coverage AUC</th><th scope=\"col\" class=\"n\">information</th>"
        "<th scope=\"col\" class=\"n\">balance</th><th scope=\"col\" "
        "class=\"n\">runs</th><th></th></tr></thead>\n<tbody>\n",
        findings->keys == 0 ? "<th scope=\"col\">cell</th>" : "",
        has_choices(findings) ? "<th scope=\"col\">certificate</th>" : ""));
    for (size_t i = 0; i < findings->cells; i++)
        BNRE_TRY(add_cell(page, findings, i));
    BNRE_TRY(bnre__text_add(page, "</tbody></table></div>\n"));
    BNRE_TRY(explain(page, findings));
    BNRE_TRY(bnre__text_add(page, "</section>\n"));
done:
    return status;
}

/* ---- what is missing or wrong ---- */

static bnre_status list_problems(bnre__text *page,
                                 const bnre__findings *findings,
                                 bnre__run_state state, const char *words)
{
    enum { MOST = 10 };
    const size_t n = findings->count[state];
    bnre_status status = BNRE_OK;
    size_t told = 0;

    if (n == 0)
        return BNRE_OK;
    BNRE_TRY(bnre__text_add(page,
                            "<div class=\"note\" role=\"note\"><p><strong>%zu "
                            "of %zu runs %s</strong></p>",
                            n, findings->runs, words));
    for (size_t i = 0; i < findings->runs && told < MOST; i++) {
        const bnre__run_found *run = &findings->run[i];

        if (run->state != state)
            continue;
        told++;
        BNRE_TRY(bnre__text_add(page, "<p><code>"));
        BNRE_TRY(bnre__html_escape(page, run->dir));
        BNRE_TRY(bnre__text_add(page, "</code>"));
        if (run->why != NULL) {
            BNRE_TRY(bnre__text_add(page, ": "));
            BNRE_TRY(bnre__html_escape(page, run->why));
        }
        BNRE_TRY(bnre__text_add(page, "</p>"));
    }
    if (n > MOST)
        BNRE_TRY(bnre__text_add(page, "<p>and %zu more</p>", n - MOST));
    BNRE_TRY(bnre__text_add(page, "</div>\n"));
done:
    return status;
}

/* Runs that nobody wanted to look at. */
static bnre_status note_undiagnosed(bnre__text *page,
                                    const bnre__findings *findings)
{
    size_t n = 0;

    for (size_t i = 0; i < findings->runs; i++)
        n += findings->run[i].state == BNRE__RUN_DONE &&
             findings->run[i].diagnosis == NULL;
    if (n == 0)
        return BNRE_OK;
    return bnre__text_add(
        page,
        "<div class=\"note\" role=\"note\"><p><strong>%zu of %zu runs were "
        "not diagnosed</strong>, as <code>test: 0</code> asks: whether their "
        "posteriors can be trusted is not known.</p></div>\n",
        n, findings->runs);
}

bnre_status bnre__html_notes(bnre__text *page, const bnre__findings *findings,
                             const bnre__gallery *gallery)
{
    bnre_status status = BNRE_OK;

    if (findings->cells == 0)
        BNRE_TRY(bnre__text_add(
            page, "<div class=\"note\" role=\"note\"><p><strong>Nothing was "
                  "trained yet.</strong> Its data may still be simulated; "
                  "<code>bnre run</code> goes on with it.</p></div>\n"));
    BNRE_TRY(list_problems(page, findings, BNRE__RUN_MISSING,
                           "are not done yet; <code>bnre run</code> goes on "
                           "with them."));
    BNRE_TRY(list_problems(page, findings, BNRE__RUN_TRAINED,
                           "are trained and not diagnosed yet; <code>bnre "
                           "run</code> goes on with them."));
    BNRE_TRY(note_undiagnosed(page, findings));
    BNRE_TRY(list_problems(page, findings, BNRE__RUN_FAILED,
                           "failed; <code>bnre run</code> tries them again."));
    BNRE_TRY(list_problems(page, findings, BNRE__RUN_DAMAGED,
                           "have damaged files; <code>bnre run</code> makes "
                           "them again."));
    BNRE_TRY(list_problems(page, findings, BNRE__RUN_OTHER,
                           "were made with other settings than the study has "
                           "now, and are left out; <code>bnre run</code> makes "
                           "them again."));
    BNRE_TRY(bnre__html_outside(page, findings));
    BNRE_TRY(bnre__html_doubts(page, findings));
    if (!gallery->drawn)
        BNRE_TRY(bnre__text_add(
            page,
            "<div class=\"note\" role=\"note\"><p><strong>There are no "
            "pictures: gnuplot was not found.</strong> Their data and scripts "
            "are in <code>figures/</code>; install gnuplot and run <code>bnre "
            "report</code> again.</p></div>\n"));
done:
    return status;
}
