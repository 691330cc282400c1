/* Every run of the study, with its details. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "bnre/marginal.h"
#include "study/page/html.h"

/* To two digits of its error: parameters have all sizes. */
static void add_estimate(bnre__text *page, bnre_estimate value)
{
    bnre__text_put(page, "<td class=\"n\">");
    bnre__html_real(page, value.mean, value.error);
    if (isfinite(value.mean) && isfinite(value.error)) {
        bnre__text_put(page, "<span class=\"pm\"> ± ");
        bnre__html_real(page, value.error, value.error);
        bnre__text_put(page, "</span>");
    }
    bnre__text_put(page, "</td>");
}

static bnre_status add_item(bnre__text *page, const char *name,
                            const char *value)
{
    bnre_status status = BNRE_OK;

    if (value == NULL || value[0] == 0)
        return BNRE_OK;
    bnre__text_put(page, "<dt>%s</dt><dd>", name);
    BNRE_TRY(bnre__html_escape(page, value));
    bnre__text_put(page, "</dd>\n");
done:
    return status;
}

/* results.csv has all of its digits. */
static void add_loss(bnre__text *page, const char *text)
{
    const char *end = text != NULL ? text + strlen(text) : NULL;
    double loss;

    if (text == NULL || bnre__number_scan(text, end, &loss) != end)
        return;
    bnre__text_put(page, "<dt>validation loss</dt><dd>");
    bnre__html_number(page, 4, loss);
    bnre__text_put(page, "</dd>\n");
}

/* ---- tables of a run ---- */

/* Of the levels of highest density, the one nearest to 95 %; NULL in files of
   old, which have central intervals alone. */
static const bnre__json *wide_of(const bnre__json *parameter)
{
    const bnre__json *list = bnre__json_find(parameter, "highest_density");
    const bnre__json *best = NULL;
    double nearest = HUGE_VAL;

    for (size_t i = 0; i < bnre__json_count(list); i++) {
        const bnre__json *at = bnre__json_at(list, i);
        const double level = bnre__json_as_real(bnre__json_find(at, "level"));

        if (fabs(level - 0.95) < nearest) {
            nearest = fabs(level - 0.95);
            best = at;
        }
    }
    return best;
}

static void add_seen_head(bnre__text *page, const bnre__json *parameter)
{
    const bnre__json *wide = wide_of(parameter);

    bnre__text_put(page,
                   "<th scope=\"col\" class=\"n\">observation: median</th>"
                   "<th scope=\"col\" class=\"n\">");
    if (wide == NULL)
        bnre__text_put(page, "central 95 %%</th>");
    else
        bnre__text_put(page, "%g %% (highest density)</th>",
                       100 *
                           bnre__json_as_real(bnre__json_find(wide, "level")));
}

/* What the observation says of a parameter. */
static void add_seen(bnre__text *page, const bnre__json *parameter)
{
    const bnre__json *wide = wide_of(parameter);
    const bnre__json *list = bnre__json_find(wide, "intervals");
    bnre_marginal marginal = {.n = bnre__json_count(list)};
    char words[BNRE_MARGINAL_WORDS];

    bnre__text_put(page, "<td class=\"n\">");
    bnre__html_real(page,
                    bnre__json_as_real(bnre__json_find(parameter, "median")),
                    bnre__json_as_real(bnre__json_find(parameter, "sd")));
    if (marginal.n > BNRE_MARGINAL_PARTS)
        marginal.n = BNRE_MARGINAL_PARTS;
    for (size_t k = 0; k < marginal.n; k++) {
        const bnre__json *ends = bnre__json_at(list, k);

        marginal.low[k] = bnre__json_as_real(bnre__json_at(ends, 0));
        marginal.high[k] = bnre__json_as_real(bnre__json_at(ends, 1));
    }
    if (wide == NULL) {
        list = bnre__json_find(parameter, "central_95");
        marginal.n = 1;
        marginal.low[0] = bnre__json_as_real(bnre__json_at(list, 0));
        marginal.high[0] = bnre__json_as_real(bnre__json_at(list, 1));
    }
    bnre__text_put(page, "</td><td class=\"n\">");
    bnre__html_shown(page, bnre_marginal_words(&marginal, words));
    bnre__text_put(page, "</td>");
}

static bnre_status add_parameters(bnre__text *page, const bnre__saved_run *run)
{
    const bnre__json *list = bnre__json_find(run->diagnosis, "parameters");
    const bnre__json *seen = bnre__json_find(run->posterior, "parameters");
    bnre_status status = BNRE_OK;

    if (bnre__json_count(list) == 0)
        return BNRE_OK;
    bnre__text_put(
        page, "<div class=\"wide\" tabindex=\"0\" role=\"region\" "
              "aria-label=\"Parameters\"><table><thead><tr><th scope=\"col\">"
              "parameter</th><th scope=\"col\" class=\"n\">squared bias</th>"
              "<th scope=\"col\" class=\"n\">variance</th><th scope=\"col\" "
              "class=\"n\">SBC p</th>");
    if (seen != NULL)
        add_seen_head(page, bnre__json_at(seen, 0));
    bnre__text_put(page, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < bnre__json_count(list); i++) {
        const bnre__json *one = bnre__json_at(list, i);
        const bnre__json *at = bnre__json_at(seen, i);

        bnre__text_put(page, "<tr><td>");
        BNRE_TRY(bnre__html_escape(
            page, bnre__json_as_text(bnre__json_find(one, "name"))));
        bnre__text_put(page, "</td>");
        add_estimate(page, bnre__json_estimate(one, "bias"));
        add_estimate(page, bnre__json_estimate(one, "variance"));
        bnre__text_put(page, "<td class=\"n\">");
        bnre__html_p(page, bnre__json_as_real(bnre__json_find(
                               bnre__json_find(one, "sbc"), "ks_p")));
        bnre__text_put(page, "</td>");
        if (at != NULL)
            add_seen(page, at);
        bnre__text_put(page, "</tr>\n");
    }
    bnre__text_put(page, "</tbody></table></div>\n");
done:
    return status;
}

static void add_levels(bnre__text *page, const bnre__saved_run *run)
{
    if (!isfinite(run->share[0]))
        return;
    bnre__text_put(page,
                   "<div class=\"wide\" tabindex=\"0\" role=\"region\" "
                   "aria-label=\"Coverage by credibility\"><table><tbody>\n"
                   "<tr><th scope=\"row\">credibility</th>");
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++)
        bnre__text_put(page, "<td class=\"n\">%.2f</td>", bnre_diag_level(i));
    bnre__text_put(page, "</tr>\n<tr><th scope=\"row\">coverage</th>");
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++)
        bnre__text_put(page, "<td class=\"n\">%.3f</td>", run->share[i]);
    if (run->certificate.levels > 0)
        bnre__text_put(page, "</tr>\n<tr><th scope=\"row\">lower bound "
                             "when trained</th>");
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++) {
        const double bound = run->certificate.lower_bound[i];

        if (i < run->certificate.levels && isfinite(bound))
            bnre__text_put(page, "<td class=\"n\">%.3f</td>", bound);
    }
    bnre__text_put(page, "</tr>\n</tbody></table></div>\n");
}

/* Hashes of the files that stages have left. */
static bnre_status add_hashes(bnre__text *page, const bnre__saved_run *run)
{
    static const char *const stage[] = {"train", "diagnose", "posterior"};
    bnre_status status = BNRE_OK;

    for (size_t i = 0; i < sizeof stage / sizeof *stage; i++) {
        const bnre_node *map = bnre_node_find(run->stamp, stage[i]);

        for (size_t k = 0; map != NULL && k < map->count; k++) {
            const bnre_node *file = map->child[k];

            if (file->kind != BNRE_NODE_TEXT ||
                strcmp(file->key, "inputs") == 0)
                continue;
            bnre__text_put(page, "<dt>");
            BNRE_TRY(bnre__html_escape(page, file->key));
            bnre__text_put(page, "</dt><dd><code>");
            BNRE_TRY(bnre__html_escape(page, file->text));
            bnre__text_put(page, "</code></dd>\n");
        }
    }
done:
    return status;
}

static bnre_status add_test(bnre__text *page, const bnre__saved_run *run)
{
    const double points =
        bnre__json_as_real(bnre__json_find(run->diagnosis, "points"));
    const char *grid =
        bnre__json_as_text(bnre__json_find(run->diagnosis, "grid"));
    bnre_status status = BNRE_OK;

    if (run->pairs == 0)
        return BNRE_OK;
    bnre__text_put(page, "<dt>tested on</dt><dd>");
    bnre__html_count(page, run->pairs);
    bnre__text_put(page, " fresh pairs");
    if (points > 0 && points < 1e15) {
        bnre__text_put(page, ", posteriors by ");
        bnre__html_count(page, (size_t)points);
        bnre__text_put(page, " points");
    }
    if (grid != NULL) {
        bnre__text_put(page, " (");
        BNRE_TRY(bnre__html_escape(page, grid));
        bnre__text_put(page, ")");
    }
    bnre__text_put(page, "</dd>\n");
done:
    return status;
}

static bnre_status add_facts(bnre__text *page, const bnre__saved_study *study,
                             const bnre__saved_run *run)
{
    bnre_status status = BNRE_OK;

    bnre__text_put(page, "<dl>\n");
    BNRE_TRY(add_item(page, "verdict", run->words));
    BNRE_TRY(add_item(page, "reason", run->why));
    BNRE_TRY(bnre__html_trust_facts(page, run));
    BNRE_TRY(add_item(page, "directory", run->dir));
    BNRE_TRY(add_item(page, "seed", bnre__run_column(study, run, "seed")));
    BNRE_TRY(add_test(page, run));
    BNRE_TRY(add_item(page, "last epoch",
                      bnre__run_column(study, run, "last_epoch")));
    BNRE_TRY(add_item(page, "best epoch",
                      bnre__run_column(study, run, "best_epoch")));
    add_loss(page, bnre__run_column(study, run, "validation_loss"));
    BNRE_TRY(add_hashes(page, run));
    bnre__text_put(page, "</dl>\n");
done:
    return status;
}

/* ---- all of them ---- */

/* Figures of a run's own. */
static bnre_status add_figures(bnre__text *page, const bnre__saved_study *study,
                               const bnre__page_figures *figures,
                               const char *formats, size_t run)
{
    bnre_status status = BNRE_OK;

    for (size_t i = 0; i < figures->n; i++)
        if (figures->item[i].run == run + 1)
            BNRE_TRY(
                bnre__html_figure(page, study, &figures->item[i], formats));
done:
    return status;
}

static bnre_status add_run(bnre__text *page, const bnre__saved_study *study,
                           const bnre__page_figures *figures,
                           const char *formats, size_t i)
{
    static const char *const words[] = {
        [BNRE__RUN_DONE] = "done",       [BNRE__RUN_TRAINED] = "trained",
        [BNRE__RUN_MISSING] = "missing", [BNRE__RUN_FAILED] = "failed",
        [BNRE__RUN_DAMAGED] = "damaged", [BNRE__RUN_OTHER] = "out of date"};
    const bnre__saved_run *run = &study->run[i];
    bnre_status status = BNRE_OK;

    bnre__text_put(page,
                   "<details id=\"run-%zu\"%s><summary><span "
                   "class=\"mark %s\">",
                   i + 1, study->runs == 1 ? " open" : "",
                   bnre__html_class(run->verdict));
    BNRE_TRY(bnre__html_escape(page, run->verdict != NULL ? run->verdict
                                                          : words[run->state]));
    bnre__text_put(page, "</span> ");
    bnre__html_certificates(page, study, i, 1);
    BNRE_TRY(bnre__html_escape(page, study->cell[run->cell].name));
    bnre__text_put(page, " <small>run %zu", run->repeat);
    if (isfinite(run->auc.mean)) {
        bnre__text_put(page, ", AUC ");
        bnre__html_number(page, 3, run->auc.mean);
        bnre__text_put(page, ", information ");
        bnre__html_number(page, 3, run->information.mean);
    }
    bnre__text_put(page, "</small></summary><div>\n");
    BNRE_TRY(add_facts(page, study, run));
    add_levels(page, run);
    bnre__text_put(page, "<br>\n");
    BNRE_TRY(add_parameters(page, run));
    BNRE_TRY(bnre__html_conformal(page, run));
    BNRE_TRY(add_figures(page, study, figures, formats, i));
    if (study->runs > 1) /* else the whole page ends with it */
        BNRE_TRY(bnre__html_run_advice(page, run));
    bnre__text_put(page, "</div></details>\n");
done:
    return status;
}

bnre_status bnre__html_runs(bnre__text *page, const bnre__saved_study *study,
                            const bnre__page_figures *figures,
                            const char *formats)
{
    bnre_status status = BNRE_OK;

    if (study->runs == 0)
        return BNRE_OK;
    bnre__text_put(
        page, "<section id=\"runs\">\n<h2>Every run</h2>\n<p "
              "class=\"soft\">All numbers of all runs are in <a "
              "href=\"results.csv\">results.csv</a>, a row for each; the files "
              "of a run are in its directory.</p>\n");
    for (size_t i = 0; i < study->runs; i++)
        BNRE_TRY(add_run(page, study, figures, formats, i));
    bnre__text_put(page, "</section>\n");
done:
    return status;
}
