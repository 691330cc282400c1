/* section_runs.c - every run of the study, with its details; and of each the
   posteriors of the rows of a dataset, if there are any. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "bnre/posterior_files.h"
#include "bnre/text.h"
#include "io/file.h"
#include "study/page/html.h"

/* ---- facts ---- */

static void add_item(bnre__page *page, const char *name, const char *value)
{
    if (value != NULL && value[0] != 0)
        bnre__html(page, "<dt>%s</dt><dd>%s</dd>\n", name, value);
}

/* results.csv has all of its digits. */
static void add_loss(bnre__page *page, const char *text)
{
    const char *end = text != NULL ? text + strlen(text) : NULL;
    double loss;

    if (text != NULL && bnre__number_scan(text, end, &loss) == end)
        add_item(page, "validation loss", BNRE__FIXED(4, loss));
}

static void add_test(bnre__page *page, const bnre__saved_run *run)
{
    const bnre_diag *diag =
        run->diagnosis != NULL ? run->diagnosis->diag : NULL;

    if (diag == NULL || diag->n == 0)
        return;
    bnre__html(page, "<dt>tested on</dt><dd>%s fresh pairs",
               BNRE__COUNT(diag->n));
    if (diag->points > 0)
        bnre__html(page, ", posteriors by %s points",
                   BNRE__COUNT(diag->points));
    bnre__html(page, " (%s)", bnre__diag_grid_name(diag->grid));
    bnre__html(page, "</dd>\n");
}

/* Hashes of the files that stages have left. */
static void add_hashes(bnre__page *page, const bnre__saved_run *run)
{
    static const char *const stage[] = {"train", "diagnose", "posterior"};

    for (size_t i = 0; i < sizeof stage / sizeof *stage; i++) {
        const bnre_node *map = bnre_node_find(run->stamp, stage[i]);

        for (size_t k = 0; map != NULL && k < map->count; k++) {
            const bnre_node *file = map->child[k];

            if (file->kind == BNRE_NODE_TEXT &&
                strcmp(file->key, "inputs") != 0)
                bnre__html(page, "<dt>%s</dt><dd><code>%s</code></dd>\n",
                           file->key, file->text);
        }
    }
}

static void add_facts(bnre__page *page, const bnre__saved_run *run)
{
    const bnre__saved_study *study = page->study;

    bnre__html(page, "<dl>\n");
    if (run->diagnosis != NULL)
        add_item(page, "verdict", run->diagnosis->words);
    add_item(page, "reason", run->why);
    bnre__trust_facts(page, run);
    add_item(page, "directory", run->dir);
    add_item(page, "seed", bnre__run_column(study, run, "seed"));
    add_test(page, run);
    add_item(page, "last epoch", bnre__run_column(study, run, "last_epoch"));
    add_item(page, "best epoch", bnre__run_column(study, run, "best_epoch"));
    add_loss(page, bnre__run_column(study, run, "validation_loss"));
    add_hashes(page, run);
    bnre__html(page, "</dl>\n");
}

/* ---- tables ---- */

static void add_row(bnre__page *page, const char *name, size_t n,
                    const double *value, int digits)
{
    bnre__html(page, "<tr><th scope=\"row\">%s</th>", name);
    for (size_t i = 0; i < n; i++)
        bnre__html(page, "<td class=\"n\">%s</td>",
                   BNRE__FIXED(digits, value[i]));
    bnre__html(page, "</tr>\n");
}

static void add_levels(bnre__page *page, const bnre__saved_run *run)
{
    const bnre_certificate *certificate = &run->certificate;
    const bnre_diag_curve *curve = bnre__diagnosis_curve(run->diagnosis);
    double level[BNRE_DIAG_LEVELS];

    if (curve == NULL || !isfinite(curve->coverage.share[0]))
        return;
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++)
        level[i] = bnre_diag_level(i);
    bnre__html_table(page, "Coverage by credibility");
    bnre__html(page, "<tbody>\n");
    add_row(page, "credibility", BNRE_DIAG_LEVELS, level, 2);
    add_row(page, "coverage", BNRE_DIAG_LEVELS, curve->coverage.share, 3);
    if (certificate->levels > 0)
        add_row(page, "lower bound when trained", certificate->levels,
                certificate->lower_bound, 3);
    bnre__html(page, BNRE__TABLE_END);
}

/* To two digits of its error: parameters have all sizes. */
static void add_estimate(bnre__page *page, bnre_estimate value)
{
    bnre__html(page, "<td class=\"n\">%s", BNRE__REAL(value.mean, value.error));
    if (isfinite(value.mean) && isfinite(value.error))
        bnre__html(page, "<span class=\"pm\"> ± %s</span>",
                   BNRE__REAL(value.error, value.error));
    bnre__html(page, "</td>");
}

/* Of the levels of highest density, the one nearest to 95 %; NULL in files of
   old, which have central intervals alone. */
static const bnre__json *wide_of(const bnre__json *parameter)
{
    const bnre__json *list = bnre__json_find(parameter, "highest_density");
    const bnre__json *best = NULL;
    double nearest = HUGE_VAL;

    for (size_t i = 0; i < bnre__json_count(list); i++) {
        const bnre__json *at = bnre__json_at(list, i);
        const double level = bnre__json_real_of(at, "level");

        if (fabs(level - 0.95) < nearest) {
            nearest = fabs(level - 0.95);
            best = at;
        }
    }
    return best;
}

/* What the observation says of a parameter. */
static void add_seen(bnre__page *page, const bnre__json *parameter)
{
    const bnre__json *wide = wide_of(parameter);
    const bnre__json *list = bnre__json_find(wide, "intervals");
    const bnre__json *central = bnre__json_find(parameter, "central_95");
    bnre_marginal marginal = {.n = wide != NULL ? bnre__json_count(list) : 1,
                              .whole =
                                  bnre__json_find(parameter, "values") != NULL};
    char words[BNRE_MARGINAL_WORDS];

    if (marginal.n > BNRE_MARGINAL_PARTS)
        marginal.n = BNRE_MARGINAL_PARTS;
    for (size_t k = 0; k < marginal.n; k++) {
        const bnre__json *ends =
            wide != NULL ? bnre__json_at(list, k) : central;

        marginal.low[k] = bnre__json_as_real(bnre__json_at(ends, 0));
        marginal.high[k] = bnre__json_as_real(bnre__json_at(ends, 1));
    }
    bnre__html(page, "<td class=\"n\">%s</td><td class=\"n\">%s</td>",
               BNRE__REAL(bnre__json_real_of(parameter, "median"),
                          bnre__json_real_of(parameter, "sd")),
               BNRE__SHOWN(bnre_marginal_words(&marginal, words)));
}

static void add_head(bnre__page *page, const bnre__json *seen)
{
    const bnre__json *wide = wide_of(bnre__json_at(seen, 0));

    bnre__html_table(page, "Parameters");
    bnre__html(page,
               "<thead><tr><th scope=\"col\">parameter</th><th scope=\"col\" "
               "class=\"n\">squared bias</th><th scope=\"col\" class=\"n\">"
               "variance</th><th scope=\"col\" class=\"n\">SBC p</th>");
    if (seen != NULL)
        bnre__html(page, "<th scope=\"col\" class=\"n\">observation: median"
                         "</th><th scope=\"col\" class=\"n\">");
    if (seen != NULL && wide == NULL)
        bnre__html(page, "central 95 %%</th>");
    else if (seen != NULL)
        bnre__html(page, "%g %% (highest density)</th>",
                   100 * bnre__json_real_of(wide, "level"));
    bnre__html(page, "</tr></thead><tbody>\n");
}

static void add_parameters(bnre__page *page, const bnre__saved_run *run)
{
    const bnre_diag *diag =
        run->diagnosis != NULL ? run->diagnosis->diag : NULL;
    const bnre__json *seen = bnre__json_find(run->posterior, "parameters");

    if (diag == NULL || diag->dim == 0)
        return;
    add_head(page, seen);
    for (size_t i = 0; i < diag->dim; i++) {
        const bnre_diag_parameter *one = &diag->parameter[i];
        const bnre__json *at = bnre__json_at(seen, i);

        bnre__html(page, "<tr><td>%s</td>", one->name);
        add_estimate(page, one->bias);
        add_estimate(page, one->variance);
        bnre__html(page, "<td class=\"n\">%s</td>", BNRE__P(one->sbc.ks_p));
        if (at != NULL)
            add_seen(page, at);
        bnre__html(page, "</tr>\n");
    }
    bnre__html(page, BNRE__TABLE_END);
}

/* ---- all of them ---- */

static void add_run(bnre__page *page, size_t i)
{
    static const char *const words[] = {
        [BNRE__RUN_DONE] = "done",       [BNRE__RUN_TRAINED] = "trained",
        [BNRE__RUN_MISSING] = "missing", [BNRE__RUN_FAILED] = "failed",
        [BNRE__RUN_DAMAGED] = "damaged", [BNRE__RUN_OTHER] = "out of date"};
    const bnre__saved_study *study = page->study;
    const bnre__saved_run *run = &study->run[i];
    const char *verdict = bnre__saved_verdict(run);
    const bnre_diag_curve *curve = bnre__diagnosis_curve(run->diagnosis);

    bnre__html(page,
               "<details id=\"run-%zu\"%s><summary><span class=\"mark %s\">%s"
               "</span> ",
               i + 1, study->runs == 1 ? " open" : "",
               bnre__html_class(verdict),
               verdict != NULL ? verdict : words[run->state]);
    bnre__trust_marks(page, i, 1);
    bnre__html(page, "%s <small>run %zu", study->cell[run->cell].name,
               run->repeat);
    if (curve != NULL && isfinite(curve->coverage.auc.mean))
        bnre__html(page, ", AUC %s, information %s",
                   BNRE__FIXED(3, curve->coverage.auc.mean),
                   BNRE__FIXED(3, curve->information.mean));
    bnre__html(page, "</small></summary><div>\n");
    add_facts(page, run);
    add_levels(page, run);
    bnre__html(page, "<br>\n");
    add_parameters(page, run);
    bnre__trust_regions(page, run);
    for (size_t k = 0; k < page->figures->n; k++)
        if (page->figures->item[k].run == i + 1)
            bnre__html_figure(page, &page->figures->item[k]);
    if (study->runs > 1) /* else the whole page ends with it */
        bnre__trust_advice(page, run);
    bnre__html(page, "</div></details>\n");
}

void bnre__section_runs(bnre__page *page)
{
    if (page->study->runs == 0)
        return;
    bnre__html(page,
               "<section id=\"runs\">\n<h2>Every run</h2>\n<p class=\"soft\">"
               "All numbers of all runs are in <a href=\"results.csv\">"
               "results.csv</a>, a row for each; the files of a run are in its "
               "directory.</p>\n");
    for (size_t i = 0; i < page->study->runs; i++)
        add_run(page, i);
    bnre__html(page, "</section>\n");
}

/* ---- the rows of a dataset ---- */

/* A line for a run; nothing if its results are not there, or damaged. */
static bnre_status add_rows(bnre__page *page, const bnre__saved_run *run)
{
    bnre_status status = BNRE_OK;
    bnre__json *root = NULL;
    char *path = NULL;

    BNRE_TRY(bnre__text_format(&path, "%s/%s/each/each.json", page->study->dir,
                               run->dir));
    if (!bnre__file_exists(path) || bnre__json_read(path, &root) != BNRE_OK)
        goto done;
    bnre__html(page,
               "<tr><td>%s, %zu</td><td class=\"n\">%s</td><td class=\"n\">%s"
               "</td><td class=\"n\">%s</td><td>%s/each/summaries.csv</td></tr>"
               "\n",
               page->study->cell[run->cell].name, run->repeat,
               BNRE__COUNT(bnre__json_size_of(root, "rows")),
               BNRE__COUNT(bnre__json_size_of(root, "outside")),
               BNRE__COUNT(bnre__json_size_of(root, "doubtful")), run->dir);
done:
    bnre__json_destroy(root);
    bnre__free(path);
    return status;
}

void bnre__section_rows(bnre__page *page)
{
    const char *file = bnre__saved_setting(page->study, "each");
    bnre_status status = BNRE_OK;

    if (file == NULL)
        return;
    bnre__html(
        page,
        "<section id=\"rows\">\n<h2>Every row of %s</h2>\n<p>A posterior "
        "of each row, by each run: means, deviations, intervals and "
        "densest points in a table, samples in "
        "<code>each/samples.npy</code>.</p>\n",
        file);
    bnre__html_table(page, "Posteriors of the rows");
    bnre__html(page,
               "<thead><tr><th scope=\"col\">run</th><th scope=\"col\" "
               "class=\"n\">rows</th><th scope=\"col\" class=\"n\">unlike "
               "training</th><th scope=\"col\" class=\"n\">doubtful</th>"
               "<th scope=\"col\">table</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < page->study->runs && status == BNRE_OK; i++)
        status = add_rows(page, &page->study->run[i]);
    bnre__html(page, BNRE__TABLE_END "</section>\n");
}
