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

static size_t count_verdicts(const bnre__saved_study *study, size_t first,
                             size_t runs, const char *verdict)
{
    size_t n = 0;

    for (size_t i = first; i < first + runs; i++)
        n += study->run[i].verdict != NULL &&
             strcmp(study->run[i].verdict, verdict) == 0;
    return n;
}

/* Runs that have no verdict, by state. */
static size_t count_states(const bnre__saved_study *study, size_t first,
                           size_t runs, bnre__run_state state)
{
    size_t n = 0;

    for (size_t i = first; i < first + runs; i++)
        n += study->run[i].verdict == NULL && study->run[i].state == state;
    return n;
}

static const char *const state_words[] = {
    [BNRE__RUN_DONE] = "no verdict", [BNRE__RUN_TRAINED] = "not diagnosed",
    [BNRE__RUN_MISSING] = "missing", [BNRE__RUN_FAILED] = "failed",
    [BNRE__RUN_DAMAGED] = "damaged", [BNRE__RUN_OTHER] = "out of date",
};

static void add_marks(bnre__text *page, const bnre__saved_study *study,
                      size_t first, size_t runs)
{
    for (size_t i = 0; i < MEANINGS; i++) {
        const char *verdict = meanings[i].verdict;
        const size_t n = count_verdicts(study, first, runs, verdict);

        if (n == 0)
            continue;
        bnre__text_put(page, "<span class=\"mark %s\">",
                       bnre__html_class(verdict));
        if (n != runs || n > 1)
            bnre__text_put(page, "%zu ", n);
        bnre__text_put(page, "%s</span>", verdict);
    }
    for (size_t i = 0; i <= BNRE__RUN_OTHER; i++) {
        const size_t n = count_states(study, first, runs, (bnre__run_state)i);

        if (n == 0)
            continue;
        bnre__text_put(page, "<span class=\"mark none\">");
        if (n != runs || n > 1)
            bnre__text_put(page, "%zu ", n);
        bnre__text_put(page, "%s</span>", state_words[i]);
    }
}

static void add_spread(bnre__text *page, const bnre__saved_study *study,
                       size_t cell, bnre__quantity quantity)
{
    bnre__spread spread;

    spread = bnre__cell_spread(study, cell, quantity, 0);
    bnre__text_put(page, "<td class=\"n\">");
    bnre__html_number(page, 3, spread.mean);
    if (spread.n > 0) {
        bnre__text_put(page, "<span class=\"pm\"> ± ");
        bnre__html_number(page, 3, spread.n > 1 ? spread.sd : spread.error);
        bnre__text_put(page, "</span>");
    }
    bnre__text_put(page, "</td>");
}

/* A run whose lambda or temper were chosen, with this outcome; NULL if there
   is none. */
static const bnre_certificate *find_choice(const bnre__saved_study *study,
                                           int certified)
{
    for (size_t i = 0; i < study->runs; i++) {
        const bnre_certificate *of = &study->run[i].certificate;

        if (of->words != NULL && of->certified == certified)
            return of;
    }
    return NULL;
}

static int has_choices(const bnre__saved_study *study)
{
    return find_choice(study, 0) != NULL || find_choice(study, 1) != NULL;
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
static void add_range(bnre__text *page, const bnre__saved_study *study,
                      const bnre__saved_cell *cell, const char *name,
                      double (*chosen)(const bnre_certificate *))
{
    double low = HUGE_VAL, high = -HUGE_VAL;

    for (size_t i = cell->first; i < cell->first + cell->runs; i++) {
        const bnre_certificate *of = &study->run[i].certificate;
        const double value = chosen(of);

        if (of->words == NULL || isnan(value))
            continue;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    if (low > high)
        return;
    bnre__text_put(page, "%s %g", name, low);
    if (high > low)
        bnre__text_put(page, " to %g", high);
}

static void add_choices(bnre__text *page, const bnre__saved_study *study,
                        const bnre__saved_cell *cell)
{
    bnre__text_put(page, "<small>");
    add_range(page, study, cell, "λ", chosen_lambda);
    add_range(page, study, cell, ", temper", chosen_temper);
    bnre__text_put(page, "</small>");
}

static void add_certificates(bnre__text *page, const bnre__saved_study *study,
                             const bnre__saved_cell *cell)
{
    size_t before;

    bnre__text_put(page, "<td>");
    before = page->length;
    bnre__html_certificates(page, study, cell->first, cell->runs);
    if (page->length > before)
        add_choices(page, study, cell);
    else
        bnre__text_put(page, "–");
    bnre__text_put(page, "</td>");
}

static bnre_status add_cell(bnre__text *page, const bnre__saved_study *study,
                            size_t cell)
{
    const bnre__saved_cell *of = &study->cell[cell];
    bnre_status status = BNRE_OK;
    size_t done = 0;

    for (size_t i = of->first; i < of->first + of->runs; i++)
        done += study->run[i].state == BNRE__RUN_DONE;
    bnre__text_put(page, "<tr>");
    for (size_t k = 0; k < study->keys; k++) {
        bnre__text_put(page, "<td>");
        BNRE_TRY(
            bnre__html_escape(page, of->value[k] != NULL ? of->value[k] : "–"));
        bnre__text_put(page, "</td>");
    }
    if (study->keys == 0) {
        bnre__text_put(page, "<td>");
        BNRE_TRY(bnre__html_escape(page, of->name));
        bnre__text_put(page, "</td>");
    }
    bnre__text_put(page, "<td>");
    add_marks(page, study, of->first, of->runs);
    bnre__text_put(page, "</td>");
    if (has_choices(study))
        add_certificates(page, study, of);
    add_spread(page, study, cell, bnre__quantity_auc);
    add_spread(page, study, cell, bnre__quantity_information);
    add_spread(page, study, cell, bnre__quantity_balance);
    bnre__text_put(page,
                   "<td class=\"n\">%zu of %zu</td><td><a "
                   "href=\"#run-%zu\">details</a></td></tr>\n",
                   done, of->runs, of->first + 1);
done:
    return status;
}

static void explain_choices(bnre__text *page, const bnre__saved_study *study)
{
    const bnre_certificate *certified = find_choice(study, 1);

    if (certified != NULL)
        bnre__text_put(
            page,
            "<dt><span class=\"mark good\">CERTIFIED</span></dt><dd>chosen "
            "automatically, and tested when it was trained, on pairs of its "
            "own: if it were overconfident, it would have passed with a "
            "probability of %g at most</dd>\n",
            certified->delta);
    if (find_choice(study, 0) != NULL)
        bnre__text_put(
            page, "<dt><span class=\"mark open\">NOT CERTIFIED</span></dt><dd>"
                  "chosen automatically, but it did not pass that test, or "
                  "there was none</dd>\n");
}

/* The tolerance and confidence of verdicts: those of the first there is. */
static bnre_status explain(bnre__text *page, const bnre__saved_study *study)
{
    const bnre__saved_run *run = NULL;
    bnre_status status = BNRE_OK;

    for (size_t i = 0; i < study->runs && run == NULL; i++)
        if (study->run[i].verdict != NULL)
            run = &study->run[i];
    if (run == NULL)
        goto done;
    bnre__text_put(page, "<dl>");
    for (size_t i = 0; i < MEANINGS; i++)
        if (count_verdicts(study, 0, study->runs, meanings[i].verdict) > 0)
            bnre__text_put(
                page, "<dt><span class=\"mark %s\">%s</span></dt><dd>%s</dd>\n",
                bnre__html_class(meanings[i].verdict), meanings[i].verdict,
                meanings[i].words);
    explain_choices(page, study);
    bnre__text_put(page, "</dl>\n<p class=\"soft\">All of it within ");
    bnre__text_put(
        page, "%g, with confidence %g, on average over the prior: ",
        bnre__json_as_real(bnre__json_find(run->diagnosis, "eps")),
        1 - bnre__json_as_real(bnre__json_find(run->diagnosis, "delta")));
    bnre__text_put(page,
                   "for single observations it may be otherwise. Tested on ");
    bnre__html_count(page, run->pairs);
    bnre__text_put(
        page,
        " fresh pairs. AUC: mean distance of "
        "the expected coverage from the credibility, positive is conservative. "
        "Information: nats gained beyond the prior. Balance: 1 for the exact "
        "classifier. %s</p>\n",
        study->cell[0].runs > 1
            ? "Means over runs ± one standard deviation over runs."
            : "± one standard error of the single run.");
done:
    return status;
}

bnre_status bnre__html_verdicts(bnre__text *page,
                                const bnre__saved_study *study)
{
    bnre_status status = BNRE_OK;

    bnre__text_put(page, "<section id=\"verdicts\">\n"
                         "<h2>Can these posteriors be trusted?</h2>\n");
    if (study->cells == 0) {
        bnre__text_put(page, "<p>No run has begun yet.</p>\n"
                             "</section>\n");
        goto done;
    }
    bnre__text_put(page, "<p>");
    add_marks(page, study, 0, study->runs);
    bnre__text_put(page, "</p>\n<div class=\"wide\" tabindex=\"0\" "
                         "role=\"region\" aria-label=\"Verdicts by "
                         "cell\"><table>\n<thead><tr>");
    for (size_t k = 0; k < study->keys; k++) {
        bnre__text_put(page, "<th scope=\"col\">");
        BNRE_TRY(bnre__html_escape(page, study->key[k]));
        bnre__text_put(page, "</th>");
    }
    bnre__text_put(
        page,
        "%s<th scope=\"col\">verdict</th>%s<th scope=\"col\" class=\"n\">"
        "coverage AUC</th><th scope=\"col\" class=\"n\">information</th>"
        "<th scope=\"col\" class=\"n\">balance</th><th scope=\"col\" "
        "class=\"n\">runs</th><th></th></tr></thead>\n<tbody>\n",
        study->keys == 0 ? "<th scope=\"col\">cell</th>" : "",
        has_choices(study) ? "<th scope=\"col\">certificate</th>" : "");
    for (size_t i = 0; i < study->cells; i++)
        BNRE_TRY(add_cell(page, study, i));
    bnre__text_put(page, "</tbody></table></div>\n");
    BNRE_TRY(explain(page, study));
    bnre__text_put(page, "</section>\n");
done:
    return status;
}

/* ---- what is missing or wrong ---- */

static bnre_status list_problems(bnre__text *page,
                                 const bnre__saved_study *study,
                                 bnre__run_state state, const char *words)
{
    enum { MOST = 10 };
    const size_t n = study->count[state];
    bnre_status status = BNRE_OK;
    size_t told = 0;

    if (n == 0)
        return BNRE_OK;
    bnre__text_put(page,
                   "<div class=\"note\" role=\"note\"><p><strong>%zu "
                   "of %zu runs %s</strong></p>",
                   n, study->runs, words);
    for (size_t i = 0; i < study->runs && told < MOST; i++) {
        const bnre__saved_run *run = &study->run[i];

        if (run->state != state)
            continue;
        told++;
        bnre__text_put(page, "<p><code>");
        BNRE_TRY(bnre__html_escape(page, run->dir));
        bnre__text_put(page, "</code>");
        if (run->why != NULL) {
            bnre__text_put(page, ": ");
            BNRE_TRY(bnre__html_escape(page, run->why));
        }
        bnre__text_put(page, "</p>");
    }
    if (n > MOST)
        bnre__text_put(page, "<p>and %zu more</p>", n - MOST);
    bnre__text_put(page, "</div>\n");
done:
    return status;
}

/* Runs that nobody wanted to look at. */
static void note_undiagnosed(bnre__text *page, const bnre__saved_study *study)
{
    size_t n = 0;

    for (size_t i = 0; i < study->runs; i++)
        n += study->run[i].state == BNRE__RUN_DONE &&
             study->run[i].diagnosis == NULL;
    if (n == 0)
        return;
    bnre__text_put(
        page,
        "<div class=\"note\" role=\"note\"><p><strong>%zu of %zu runs were "
        "not diagnosed</strong>, as <code>test: 0</code> asks: whether their "
        "posteriors can be trusted is not known.</p></div>\n",
        n, study->runs);
}

bnre_status bnre__html_notes(bnre__text *page, const bnre__saved_study *study,
                             const bnre__page_figures *figures)
{
    bnre_status status = BNRE_OK;

    if (study->cells == 0)
        bnre__text_put(
            page, "<div class=\"note\" role=\"note\"><p><strong>Nothing was "
                  "trained yet.</strong> Its data may still be simulated; "
                  "<code>bnre run</code> goes on with it.</p></div>\n");
    BNRE_TRY(list_problems(page, study, BNRE__RUN_MISSING,
                           "are not done yet; <code>bnre run</code> goes on "
                           "with them."));
    BNRE_TRY(list_problems(page, study, BNRE__RUN_TRAINED,
                           "are trained and not diagnosed yet; <code>bnre "
                           "run</code> goes on with them."));
    note_undiagnosed(page, study);
    BNRE_TRY(list_problems(page, study, BNRE__RUN_FAILED,
                           "failed; <code>bnre run</code> tries them again."));
    BNRE_TRY(list_problems(page, study, BNRE__RUN_DAMAGED,
                           "have damaged files; <code>bnre run</code> makes "
                           "them again."));
    BNRE_TRY(list_problems(page, study, BNRE__RUN_OTHER,
                           "were made with other settings than the study has "
                           "now, and are left out; <code>bnre run</code> makes "
                           "them again."));
    BNRE_TRY(bnre__html_outside(page, study));
    bnre__html_doubts(page, study);
    if (!figures->drawn)
        bnre__text_put(
            page,
            "<div class=\"note\" role=\"note\"><p><strong>There are no "
            "pictures: gnuplot was not found.</strong> Their data and scripts "
            "are in <code>figures/</code>; install gnuplot and run <code>bnre "
            "report</code> again.</p></div>\n");
done:
    return status;
}
