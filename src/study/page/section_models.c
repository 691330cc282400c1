/* section_models.c - which model: what each run says of the observation, and how
   well it tells the models apart. */
#include <math.h>
#include <string.h>

#include "bnre/text.h"
#include "study/page/html.h"

static const bnre_node *models_of(const bnre__page *page)
{
    const bnre_node *models =
        bnre_node_find(bnre_node_find(page->study->settings, "task"), "models");

    return models != NULL && models->kind == BNRE_NODE_MAP ? models : NULL;
}

/* As far as it is of so many models; else NULL. */
static const bnre_models_report *report_of(const bnre__saved_run *run, size_t n)
{
    return run->diagnosis != NULL && n > 0 && run->diagnosis->models.n == n
               ? &run->diagnosis->models
               : NULL;
}

static void begin_table(bnre__page *page, const char *label, const char *first,
                        const bnre_node *models)
{
    bnre__html_table(page, label);
    bnre__html(page, "<thead><tr><th scope=\"col\">%s</th>", first);
    for (size_t k = 0; k < models->count; k++)
        bnre__html(page, "<th scope=\"col\" class=\"n\">%s</th>",
                   models->child[k]->key);
}

/* Posterior probabilities of the observation. */
static void add_probabilities(bnre__page *page, const bnre_node *models)
{
    const bnre__saved_study *study = page->study;
    const char *odds = bnre__saved_setting(study, "odds");
    const bnre__json *list;
    size_t known = 0;

    for (size_t i = 0; i < study->runs; i++)
        known += study->run[i].posterior != NULL;
    if (known == 0)
        return;
    bnre__html(page, "<p>Posterior probabilities of the models for what was "
                     "observed");
    if (odds != NULL)
        bnre__html(page, ", for prior odds %s", odds);
    bnre__html(page, ":</p>\n");
    begin_table(page, "Probabilities of the models", "run", models);
    bnre__html(page, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < study->runs; i++) {
        const bnre__saved_run *run = &study->run[i];

        if (run->posterior == NULL)
            continue;
        list = bnre__json_find(
            bnre__json_at(bnre__json_find(run->posterior, "parameters"), 0),
            "probabilities");
        bnre__html(page, "<tr><td>%s, %zu</td>", study->cell[run->cell].name,
                   run->repeat);
        for (size_t k = 0; k < models->count; k++)
            bnre__html(
                page, "<td class=\"n\">%s</td>",
                BNRE__FIXED(3, bnre__json_as_real(bnre__json_at(list, k))));
        bnre__html(page, "</tr>\n");
    }
    bnre__html(page, BNRE__TABLE_END);
}

/* Of a run: the share of each model's rows that is taken for which. */
static void add_confusion(bnre__page *page, const bnre__saved_run *run,
                          const bnre_node *models)
{
    const bnre_models_report *report = report_of(run, models->count);

    bnre__html(page,
               "<h3>%s, %zu</h3>\n<p>Accuracy %s <span class=\"pm\">&plusmn; "
               "%s</span>; probabilities are off by %s on average, of which "
               "chance alone would show %s. Rows of each model, and what they "
               "are taken for:</p>\n",
               page->study->cell[run->cell].name, run->repeat,
               BNRE__FIXED(4, report->accuracy),
               BNRE__FIXED(4, report->accuracy_error),
               BNRE__FIXED(4, report->calibration),
               BNRE__FIXED(4, report->calibration_chance));
    begin_table(page, "Confusion", "rows of", models);
    bnre__html(page, "<th scope=\"col\" class=\"n\">balance (1)</th></tr>"
                     "</thead><tbody>\n");
    for (size_t c = 0; c < models->count; c++) {
        bnre__html(page, "<tr><th scope=\"row\">%s</th>",
                   models->child[c]->key);
        for (size_t k = 0; k < models->count; k++)
            bnre__html(
                page, "<td class=\"n\">%s %%</td>",
                BNRE__FIXED(1, 100 * report->confusion[c * report->n + k]));
        bnre__html(page, "<td class=\"n\">%s</td></tr>\n",
                   BNRE__FIXED(3, report->balance[c]));
    }
    bnre__html(page, BNRE__TABLE_END);
}

void bnre__section_models(bnre__page *page)
{
    const bnre_node *models = models_of(page);

    if (models == NULL)
        return;
    bnre__html(page, "<section id=\"models\">\n<h2>Which model</h2>\n");
    add_probabilities(page, models);
    for (size_t i = 0; i < page->study->runs; i++)
        if (report_of(&page->study->run[i], models->count) != NULL)
            add_confusion(page, &page->study->run[i], models);
    bnre__html(page, "</section>\n");
}
