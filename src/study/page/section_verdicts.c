/* section_verdicts.c - what the study has come to: verdicts by cell, and
   what stands against them. */
#include <math.h>
#include <string.h>

#include "bnre/text.h"
#include "study/page/html.h"
#include "trust/certificate.h"

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

    for (size_t i = first; i < first + runs; i++) {
        const char *found = bnre__saved_verdict(&study->run[i]);

        n += found != NULL && strcmp(found, verdict) == 0;
    }
    return n;
}

/* Runs that have no verdict, by state. */
static size_t count_states(const bnre__saved_study *study, size_t first,
                           size_t runs, bnre__run_state state)
{
    size_t n = 0;

    for (size_t i = first; i < first + runs; i++)
        n += bnre__saved_verdict(&study->run[i]) == NULL &&
             study->run[i].state == state;
    return n;
}

static const char *const state_words[] = {
    [BNRE__RUN_DONE] = "no verdict", [BNRE__RUN_TRAINED] = "not diagnosed",
    [BNRE__RUN_MISSING] = "missing", [BNRE__RUN_FAILED] = "failed",
    [BNRE__RUN_DAMAGED] = "damaged", [BNRE__RUN_OTHER] = "out of date",
};

static void add_marks(bnre__page *page, size_t first, size_t runs)
{
    for (size_t i = 0; i < MEANINGS; i++) {
        const char *verdict = meanings[i].verdict;

        bnre__html_mark(page, bnre__html_class(verdict),
                        count_verdicts(page->study, first, runs, verdict), runs,
                        verdict);
    }
    for (size_t i = 0; i <= BNRE__RUN_OTHER; i++)
        bnre__html_mark(
            page, "none",
            count_states(page->study, first, runs, (bnre__run_state)i), runs,
            state_words[i]);
}

/* ---- what was chosen ---- */

/* A run with this word, and one that was chosen with this outcome; NULL if there
   is none. */
static const bnre_certificate *find_word(const bnre__saved_study *study,
                                         const char *word)
{
    for (size_t i = 0; i < study->runs; i++)
        if (strcmp(bnre__certificate_word(&study->run[i].certificate), word) ==
            0)
            return &study->run[i].certificate;
    return NULL;
}

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
static void add_range(bnre__page *page, const bnre__saved_cell *cell,
                      const char *name,
                      double (*chosen)(const bnre_certificate *))
{
    double low = HUGE_VAL, high = -HUGE_VAL;

    for (size_t i = cell->first; i < cell->first + cell->runs; i++) {
        const bnre_certificate *of = &page->study->run[i].certificate;
        const double value = chosen(of);

        if (of->words == NULL || isnan(value))
            continue;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    if (low <= high)
        bnre__html(page, "%s %g", name, low);
    if (low < high)
        bnre__html(page, " to %g", high);
}

static void add_certificates(bnre__page *page, const bnre__saved_cell *cell)
{
    size_t before;

    bnre__html(page, "<td>");
    before = page->text.length;
    bnre__trust_marks(page, cell->first, cell->runs);
    if (page->text.length > before) {
        bnre__html(page, "<small>");
        add_range(page, cell, "λ", chosen_lambda);
        add_range(page, cell, ", temper", chosen_temper);
        bnre__html(page, "</small></td>");
    } else {
        bnre__html(page, "–</td>");
    }
}

/* ---- the table ---- */

static void add_spread(bnre__page *page, size_t cell, bnre__quantity quantity)
{
    const bnre__spread spread =
        bnre__cell_spread(page->study, cell, quantity, 0);

    bnre__html(page, "<td class=\"n\">%s", BNRE__FIXED(3, spread.mean));
    if (spread.n > 0)
        bnre__html(page, "<span class=\"pm\"> ± %s</span>",
                   BNRE__FIXED(3, spread.n > 1 ? spread.sd : spread.error));
    bnre__html(page, "</td>");
}

static void add_cell(bnre__page *page, size_t cell)
{
    const bnre__saved_study *study = page->study;
    const bnre__saved_cell *of = &study->cell[cell];
    size_t done = 0;

    for (size_t i = of->first; i < of->first + of->runs; i++)
        done += study->run[i].state == BNRE__RUN_DONE;
    bnre__html(page, "<tr>");
    for (size_t k = 0; k < study->keys; k++)
        bnre__html(page, "<td>%s</td>",
                   of->value[k] != NULL ? of->value[k] : "–");
    if (study->keys == 0)
        bnre__html(page, "<td>%s</td>", of->name);
    bnre__html(page, "<td>");
    add_marks(page, of->first, of->runs);
    bnre__html(page, "</td>");
    if (has_choices(study))
        add_certificates(page, of);
    add_spread(page, cell, bnre__quantity_auc);
    add_spread(page, cell, bnre__quantity_information);
    add_spread(page, cell, bnre__quantity_balance);
    bnre__html(page,
               "<td class=\"n\">%zu of %zu</td><td><a href=\"#run-%zu\">details"
               "</a></td></tr>\n",
               done, of->runs, of->first + 1);
}

static void add_table(bnre__page *page)
{
    const bnre__saved_study *study = page->study;

    bnre__html_table(page, "Verdicts by cell");
    bnre__html(page, "\n<thead><tr>");
    for (size_t k = 0; k < study->keys; k++)
        bnre__html(page, "<th scope=\"col\">%s</th>", study->key[k]);
    if (study->keys == 0)
        bnre__html(page, "<th scope=\"col\">cell</th>");
    bnre__html(page, "<th scope=\"col\">verdict</th>");
    if (has_choices(study))
        bnre__html(page, "<th scope=\"col\">certificate</th>");
    bnre__html(page,
               "<th scope=\"col\" class=\"n\">coverage AUC</th><th "
               "scope=\"col\" class=\"n\">information</th><th scope=\"col\" "
               "class=\"n\">balance</th><th scope=\"col\" class=\"n\">runs</th>"
               "<th></th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < study->cells; i++)
        add_cell(page, i);
    bnre__html(page, BNRE__TABLE_END);
}

/* The tolerance and confidence of verdicts: those of the first there is. */
static void explain(bnre__page *page)
{
    const bnre__saved_study *study = page->study;
    const bnre_certificate *certified = find_choice(study, 1);
    const bnre_diag_curve *curve = NULL;

    for (size_t i = 0; i < study->runs && curve == NULL; i++)
        curve = bnre__diagnosis_curve(study->run[i].diagnosis);
    if (curve == NULL)
        return;
    bnre__html(page, "<dl>");
    for (size_t i = 0; i < MEANINGS; i++)
        if (count_verdicts(study, 0, study->runs, meanings[i].verdict) > 0)
            bnre__html(
                page, "<dt><span class=\"mark %s\">%s</span></dt><dd>%s</dd>\n",
                bnre__html_class(meanings[i].verdict), meanings[i].verdict,
                meanings[i].words);
    if (certified != NULL)
        bnre__html(
            page,
            "<dt><span class=\"mark good\">CERTIFIED</span></dt><dd>chosen "
            "automatically, and tested when it was trained, on pairs of its "
            "own: if it were overconfident, it would have passed with a "
            "probability of %g at most</dd>\n",
            certified->delta);
    if (find_word(study, "CROSS-CHECKED") != NULL)
        bnre__html(page,
                   "<dt><span class=\"mark good\">CROSS-CHECKED</span></dt>"
                   "<dd>each simulation was judged by networks that had not "
                   "seen it, and regions contained the truth often enough: a "
                   "test of smaller ensembles, with approximate "
                   "confidence</dd>\n");
    if (find_word(study, "NOT CERTIFIED") != NULL)
        bnre__html(page,
                   "<dt><span class=\"mark open\">NOT CERTIFIED</span></dt><dd>"
                   "chosen automatically, but it did not pass that test, or "
                   "there was none</dd>\n");
    bnre__html(
        page,
        "</dl>\n<p class=\"soft\">All of it within %g, with confidence %g, on "
        "average over the prior: for single observations it may be otherwise. "
        "Tested on %s fresh pairs. AUC: mean distance of the expected coverage "
        "from the credibility, positive is conservative. Information: nats "
        "gained beyond the prior. Balance: 1 for the exact classifier. %s</p>"
        "\n",
        curve->judgement.eps, 1 - curve->judgement.delta,
        BNRE__COUNT(curve->judgement.n),
        study->cell[0].runs > 1
            ? "Means over runs ± one standard deviation over runs."
            : "± one standard error of the single run.");
}

void bnre__section_verdicts(bnre__page *page)
{
    bnre__html(page, "<section id=\"verdicts\">\n"
                     "<h2>Can these posteriors be trusted?</h2>\n<p>");
    if (page->study->cells == 0) {
        bnre__html(page, "No run has begun yet.</p>\n</section>\n");
        return;
    }
    add_marks(page, 0, page->study->runs);
    bnre__html(page, "</p>\n");
    add_table(page);
    explain(page);
    bnre__html(page, "</section>\n");
}

/* ---- what is missing or wrong ---- */

static void list_problems(bnre__page *page, bnre__run_state state,
                          const char *words, const char *remedy)
{
    enum { MOST = 10 };
    const bnre__saved_study *study = page->study;
    const size_t n = study->count[state];
    size_t told = 0;

    if (n == 0)
        return;
    bnre__html(page,
               BNRE__NOTE "%zu of %zu runs %s; <code>bnre run</code> "
                          "%s.</strong></p>",
               n, study->runs, words, remedy);
    for (size_t i = 0; i < study->runs && told < MOST; i++) {
        const bnre__saved_run *run = &study->run[i];

        if (run->state != state)
            continue;
        told++;
        bnre__html(page, "<p><code>%s</code>%s%s</p>", run->dir,
                   run->why != NULL ? ": " : "", run->why);
    }
    if (n > MOST)
        bnre__html(page, "<p>and %zu more</p>", n - MOST);
    bnre__html(page, "</div>\n");
}

/* Runs that nobody wanted to look at. */
static void note_undiagnosed(bnre__page *page)
{
    const bnre__saved_study *study = page->study;
    size_t n = 0;

    for (size_t i = 0; i < study->runs; i++)
        n += study->run[i].state == BNRE__RUN_DONE &&
             study->run[i].diagnosis == NULL;
    if (n > 0)
        bnre__html(page,
                   BNRE__NOTE
                   "%zu of %zu runs were not diagnosed</strong>, as <code>"
                   "test: 0</code> asks: whether their posteriors can be "
                   "trusted is not known." BNRE__NOTE_END,
                   n, study->runs);
}

void bnre__section_notes(bnre__page *page)
{
    if (page->study->cells == 0)
        bnre__html(page, BNRE__NOTE
                   "Nothing was trained yet.</strong> Its data may still be "
                   "simulated; <code>bnre run</code> goes on with "
                   "it." BNRE__NOTE_END);
    list_problems(page, BNRE__RUN_MISSING, "are not done yet",
                  "goes on with them");
    list_problems(page, BNRE__RUN_TRAINED, "are trained and not diagnosed yet",
                  "goes on with them");
    note_undiagnosed(page);
    list_problems(page, BNRE__RUN_FAILED, "failed", "tries them again");
    list_problems(page, BNRE__RUN_DAMAGED, "have damaged files",
                  "makes them again");
    list_problems(page, BNRE__RUN_OTHER,
                  "were made with other settings than the study has now, and "
                  "are left out",
                  "makes them again");
    bnre__trust_notes(page);
    if (!page->figures->drawn)
        bnre__html(page, BNRE__NOTE
                   "There are no pictures: gnuplot was not found.</strong> "
                   "Their data and scripts are in <code>figures/</code>; "
                   "install gnuplot and run <code>bnre report</code> "
                   "again." BNRE__NOTE_END);
}
