/* charts.c - figures over a study: where their panels are, and what captions
   say. */
#include "study/page/charts.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "study/page/panels.h"

/* Inches. */
static const double inch_left = 0.72, inch_bottom = 0.58, inch_top = 0.36;
static const double inch_gap = 0.62;
enum { ACROSS = 3, MOST_PARAMETERS = 6 };

/* ---- words that captions share ---- */

enum bands { NO_BANDS, BANDS_OF_MEANS, BANDS_OF_MEDIANS };

static size_t most_runs(const bnre__layout *layout)
{
    const bnre__saved_study *study = layout->study;
    size_t most = 0;

    for (size_t i = 0; i < study->cells; i++) {
        const bnre__saved_cell *cell = &study->cell[i];
        size_t n = 0;

        for (size_t k = cell->first; k < cell->first + cell->runs; k++)
            n += study->run[k].diagnosis != NULL;
        most = n > most ? n : most;
    }
    return most;
}

/* The caption: `text`, and then what is to be said about runs and bands, and
   about dashed lines. */
static void explain(bnre__chart *chart, enum bands bands, const char *text)
{
    const bnre__layout *layout = chart->layout;
    const size_t runs = most_runs(layout);

    bnre__text_put(&chart->caption, "%s", text);
    if (bands != NO_BANDS && runs > 1)
        bnre__text_put(
            &chart->caption,
            " %s over up to %zu runs of each cell; bands are one standard "
            "deviation over runs to either side.",
            bands == BANDS_OF_MEDIANS ? "Medians" : "Means", runs);
    else if (bands != NO_BANDS)
        bnre__text_put(&chart->caption,
                       " One run of each cell; bands are 95 %% intervals for "
                       "the pairs it was tested on.");
    for (size_t s = 0; s < layout->n; s++)
        if (layout->series[s].constant != BNRE__NO_CELL)
            bnre__text_put(&chart->caption, " Dashed: %s.",
                           layout->series[s].label);
}

/* ---- panels of a series each ---- */

/* Series that have cells on the axis, which get panels of their own. */
static size_t list_series(const bnre__layout *layout,
                          size_t out[BNRE__MOST_SERIES])
{
    size_t n = 0;

    for (size_t s = 0; s < layout->n && n < BNRE__MOST_SERIES; s++)
        for (size_t t = 0; t < layout->ticks; t++)
            if (layout->series[s].cell[t] != BNRE__NO_CELL) {
                out[n++] = s;
                break;
            }
    return n;
}

/* A legend at the right side, below the top of the panels. */
static bnre__legend beside(bnre__figure *figure, double from_right)
{
    return (bnre__legend){.figure = figure,
                          .x = figure->width - from_right,
                          .y = figure->height - inch_top - 0.1,
                          .step = 0.2,
                          .small = 1};
}

/* One above them, in lines. */
static bnre__legend above(bnre__figure *figure, double left)
{
    return (bnre__legend){.figure = figure,
                          .x = left,
                          .y = figure->height - 0.17,
                          .left = left,
                          .small = 1};
}

bnre_status bnre__chart_coverage(bnre__chart *chart)
{
    const bnre__layout *layout = chart->layout;
    const int many = layout->ticks > 1;
    const double side = 2.5, rise = side + inch_bottom + inch_top,
                 margin = bnre__legend_margin(layout, many ? 1.15 : 1.6);
    size_t series[BNRE__MOST_SERIES], n = list_series(layout, series);
    size_t across, down;
    bnre__figure figure;
    bnre__legend legend;

    if (!many && n > 0)
        n = 1;
    if (n == 0 || !bnre__layout_knows(layout, bnre__quantity_auc, 0))
        return BNRE_OK;
    across = n < ACROSS ? n : ACROSS;
    down = (n + across - 1) / across;
    bnre__panels_begin(&figure, chart->study, chart->name,
                       inch_left + (double)across * side +
                           (double)(across - 1) * inch_gap + margin,
                       (double)down * rise);
    for (size_t i = 0; i < n; i++) {
        const size_t column = i % across, row = i / across;

        bnre__panels_place(
            &figure, inch_left + (double)column * (side + inch_gap),
            inch_bottom + (double)(down - 1 - row) * rise, side, side);
        if (many)
            bnre__panels_title(&figure, "title",
                               layout->series[series[i]].label);
        if (column == 0)
            bnre__panels_title(&figure, "ylabel", "expected coverage");
        bnre__coverage_panel(&figure, layout,
                             many ? series[i] : BNRE__ALL_SERIES);
    }
    bnre__panels_last(&figure);
    legend = beside(&figure, margin - 0.18);
    if (many)
        bnre__legend_ticks(&legend, layout);
    else
        bnre__legend_series(&legend, layout);
    explain(
        chart, BANDS_OF_MEANS,
        "How often the true parameters lie in the region of highest posterior "
        "density, for each credibility. On the dashed diagonal regions hold "
        "what they promise, above it they are conservative, below it "
        "overconfident.");
    return bnre__panels_end(&figure, chart->formats, &chart->drawn);
}

static bnre_estimate line_of(const bnre__saved_run *run, size_t which)
{
    const bnre__json *list = bnre__json_find(run->posterior, "parameters");

    (void)which;
    return (bnre_estimate){bnre__json_count(list) == 1 ? 1 : NAN, 0};
}

bnre_status bnre__chart_posterior(bnre__chart *chart)
{
    const bnre__layout *layout = chart->layout;
    const double wide = 2.7, high = 2.2, rise = high + inch_bottom + inch_top,
                 margin = bnre__legend_margin(layout, 1.15);
    size_t series[BNRE__MOST_SERIES], n = list_series(layout, series);
    size_t across, down;
    bnre__figure figure;
    bnre__legend legend;

    /* For more parameters there are corner plots. */
    if (layout->ticks < 2 || n == 0 || strcmp(layout->key, "lambda") == 0 ||
        !bnre__layout_knows(layout, line_of, 0))
        return BNRE_OK;
    across = n < ACROSS ? n : ACROSS;
    down = (n + across - 1) / across;
    bnre__panels_begin(&figure, chart->study, chart->name,
                       (double)across * (wide + inch_left) + margin,
                       (double)down * rise);
    for (size_t i = 0; i < n; i++) {
        bnre__panels_place(
            &figure, inch_left + (double)(i % across) * (wide + inch_left),
            inch_bottom + (double)(down - 1 - i / across) * rise, wide, high);
        bnre__panels_title(&figure, "title", layout->series[series[i]].label);
        bnre__posterior_panel(&figure, layout, series[i]);
    }
    bnre__panels_last(&figure);
    legend = beside(&figure, margin - 0.18);
    bnre__legend_ticks(&legend, layout);
    explain(
        chart, NO_BANDS,
        "The posterior of the first parameter for the observation, the mean of "
        "the densities of all runs of a cell; the vertical line is the truth, "
        "where it is known.");
    return bnre__panels_end(&figure, chart->formats, &chart->drawn);
}

static int has_history(const bnre__saved_study *study)
{
    for (size_t i = 0; i < study->runs; i++)
        if (study->run[i].epochs > 0)
            return 1;
    return 0;
}

bnre_status bnre__chart_training(bnre__chart *chart)
{
    static const struct {
        const char *label;
        size_t column;
    } row[] = {{"loss, training", BNRE__HISTORY_TRAIN},
               {"loss, validation", BNRE__HISTORY_VALIDATION}};
    const bnre__layout *layout = chart->layout;
    const double wide = 2.6, high = 1.7, step = wide + 0.5,
                 margin = bnre__legend_margin(layout, 1.15);
    const size_t most = 4;
    size_t series[BNRE__MOST_SERIES], n = list_series(layout, series);
    bnre__figure figure;
    bnre__legend legend;

    if (n == 0 || !has_history(chart->study))
        return BNRE_OK;
    n = n < most ? n : most;
    bnre__panels_begin(&figure, chart->study, chart->name,
                       inch_left + (double)n * step +
                           (layout->ticks > 1 ? margin - 0.4 : 0),
                       2 * high + 0.3 + inch_bottom + inch_top);
    for (size_t r = 0; r < 2; r++)
        for (size_t i = 0; i < n; i++) {
            bnre__panels_place(&figure, inch_left + (double)i * step,
                               inch_bottom + (double)(1 - r) * (high + 0.3),
                               wide, high);
            if (r == 0)
                bnre__panels_title(&figure, "title",
                                   layout->series[series[i]].label);
            else
                bnre__panels_title(&figure, "xlabel", "epoch");
            if (i == 0)
                bnre__panels_title(&figure, "ylabel", row[r].label);
            bnre__training_panel(&figure, layout, series[i], row[r].column);
        }
    bnre__panels_last(&figure);
    legend = beside(&figure, margin - 0.3);
    if (layout->ticks > 1)
        bnre__legend_ticks(&legend, layout);
    bnre__text_put(
        &chart->caption,
        "Loss by epoch without the penalty, a line for each network: the cross "
        "entropy of NRE and BNRE, of NPE and BNPE the negative log density of "
        "the true parameters relative to the prior. The dashed line is what "
        "guessing reaches: 2 log 2, and 0.");
    return bnre__panels_end(&figure, chart->formats, &chart->drawn);
}

/* ---- numbers against what is varied ---- */

/* Panels side by side, rows of them, and the legend of series above. */
static bnre_status draw_trends(bnre__chart *chart, size_t n,
                               const bnre__trend *trend,
                               const char *const *title, size_t across)
{
    const bnre__layout *layout = chart->layout;
    const double wide = across > 2 ? 2.3 : 3.1, high = across > 2 ? 1.8 : 2.3;
    /* Words that are written aslant, at 30 degrees, go below and to the left */
    const double slant = bnre__panels_slant(layout, wide);
    const double bottom = inch_bottom + 0.5 * slant,
                 left = fmax(inch_left,
                             0.87 * slant - wide / 2 / (double)layout->ticks);
    const double step = wide + inch_left,
                 rise = high + bottom + (title != NULL ? 0.44 : 0.12);
    const double width = left + (double)across * step - inch_left + 0.25;
    const size_t down = (n + across - 1) / across,
                 lines = bnre__legend_lines(layout, left, width);
    bnre__figure figure;
    bnre__legend legend;

    bnre__panels_begin(&figure, chart->study, chart->name, width,
                       (double)down * rise + (title != NULL ? 0.22 : 0.3) +
                           0.2 * (double)(lines - 1));
    for (size_t i = 0; i < n; i++) {
        bnre__panels_place(&figure, left + (double)(i % across) * step,
                           bottom + (double)(down - 1 - i / across) * rise,
                           wide, high);
        if (title != NULL && title[i] != NULL)
            bnre__panels_title(&figure, "title", title[i]);
        bnre__trend_panel(&figure, layout, &trend[i]);
    }
    bnre__panels_last(&figure);
    legend = above(&figure, left);
    bnre__legend_series(&legend, layout);
    return bnre__panels_end(&figure, chart->formats, &chart->drawn);
}

/* Trends with their caption, where there is an axis to draw them along, and
   something to draw: a study may be without diagnoses, or not have them yet. */
static bnre_status show(bnre__chart *chart, size_t n, const bnre__trend *trend,
                        const char *const *title, size_t across,
                        const char *caption)
{
    int known = 0;

    for (size_t i = 0; i < n && !known; i++)
        known = bnre__layout_knows(chart->layout, trend[i].quantity,
                                   trend[i].which);
    if (chart->layout->ticks < 2 || !known)
        return BNRE_OK;
    explain(chart,
            trend->from_one ? NO_BANDS
            : trend->median ? BANDS_OF_MEDIANS
                            : BANDS_OF_MEANS,
            caption);
    return draw_trends(chart, n, trend, title, across);
}

/* 0 for runs that are done. */
static bnre_estimate zero_of(const bnre__saved_run *run, size_t which)
{
    (void)which;
    return (bnre_estimate){run->diagnosis != NULL ? 0 : NAN, 0};
}

static const bnre__trend auc_trend = {.label = "coverage AUC",
                                      .quantity = bnre__quantity_auc,
                                      .baseline = zero_of},
                         balance_trend = {.label = "balance error |1 - B|",
                                          .quantity = bnre__quantity_balance,
                                          .from_one = 1,
                                          .from_zero = 1};

bnre_status bnre__chart_auc(bnre__chart *chart)
{
    const bnre__trend trend[] = {auc_trend,
                                 {.label = "information gain (nats)",
                                  .quantity = bnre__quantity_information,
                                  .baseline = zero_of}};

    return show(
        chart, 2, trend, NULL, 2,
        "Left: mean distance of the expected coverage from the diagonal, "
        "positive where posteriors are conservative. Right: what the posterior "
        "knows beyond the prior, on average. The dashed line is at zero.");
}

static bnre_estimate log_posterior(const bnre__saved_run *run, size_t which)
{
    const bnre__diagnosis_record *found = run->diagnosis;

    if (found == NULL)
        return (bnre_estimate){NAN, NAN};
    return which ? found->diag->raw_log_posterior : found->diag->log_posterior;
}

/* The prior's on the same pairs. */
static bnre_estimate prior_of(const bnre__saved_run *run, size_t which)
{
    (void)which;
    return (bnre_estimate){log_posterior(run, 0).mean -
                               bnre__quantity_information(run, 0).mean,
                           0};
}

bnre_status bnre__chart_log_posterior(bnre__chart *chart)
{
    bnre__trend trend[] = {{.label = "expected log posterior",
                            .quantity = log_posterior,
                            .median = 1,
                            .baseline = prior_of},
                           {0}};
    static const char *const title[] = {"normalised",
                                        "as estimated, not normalised"};

    trend[1] = trend[0];
    trend[1].which = 1;
    return show(
        chart, 2, trend, title, 2,
        "Log density of the true parameters, on average over the test pairs: "
        "the higher, the sharper around the truth. The dashed line is the "
        "prior's.");
}

static bnre_diag_parameter parameter_of(const bnre__saved_run *run, size_t i)
{
    const bnre_estimate unknown = {NAN, NAN};

    if (run->diagnosis == NULL || i >= run->diagnosis->diag->dim)
        return (bnre_diag_parameter){.bias = unknown, .variance = unknown};
    return run->diagnosis->diag->parameter[i];
}

static bnre_estimate bias_of(const bnre__saved_run *run, size_t which)
{
    return parameter_of(run, which).bias;
}

static bnre_estimate variance_of(const bnre__saved_run *run, size_t which)
{
    return parameter_of(run, which).variance;
}

/* The first run of the task that was diagnosed; NULL if there is none. */
static const bnre__saved_run *find_diagnosed(const bnre__chart *chart)
{
    const bnre__saved_study *study = chart->study;

    for (size_t i = 0; i < study->runs; i++) {
        const char *task = study->cell[study->run[i].cell].task;

        if (study->run[i].diagnosis != NULL &&
            (chart->layout->task == NULL ||
             (task != NULL && strcmp(task, chart->layout->task) == 0)))
            return &study->run[i];
    }
    return NULL;
}

bnre_status bnre__chart_bias(bnre__chart *chart)
{
    bnre__trend trend[2 * MOST_PARAMETERS] = {{0}};
    const char *title[2 * MOST_PARAMETERS] = {0};
    const bnre__saved_run *run = find_diagnosed(chart);
    size_t n;

    if (run == NULL)
        return BNRE_OK;
    n = run->diagnosis->diag->dim;
    n = n < MOST_PARAMETERS ? n : MOST_PARAMETERS;
    for (size_t i = 0; i < n; i++) {
        title[i] = parameter_of(run, i).name;
        trend[i] = (bnre__trend){.label = "squared bias",
                                 .quantity = bias_of,
                                 .which = i,
                                 .median = 1,
                                 .from_zero = 1};
        trend[n + i] = trend[i];
        trend[n + i].label = "variance";
        trend[n + i].quantity = variance_of;
    }
    if (n == 0)
        return BNRE_OK;
    return show(
        chart, 2 * n, trend, title, n == 1 ? 2 : n,
        "Squared distance of the posterior mean from the truth, and the "
        "variance of the posterior, both on average over the test pairs and "
        "divided by the squared width of the prior.");
}

bnre_status bnre__chart_balance(bnre__chart *chart)
{
    return show(
        chart, 1, &balance_trend, NULL, 1,
        "How far the classifier is from balance, which the penalty of BNRE "
        "asks for: B, the mean of its outputs on joint pairs plus that on "
        "marginal pairs, averaged over runs first, is 1 for the exact one.");
}

/* ---- lambda ---- */

static bnre_estimate posterior_of(const bnre__saved_run *run, size_t which)
{
    (void)which;
    return (bnre_estimate){run->posterior != NULL ? 1 : NAN, 0};
}

bnre_status bnre__chart_lambda(bnre__chart *chart)
{
    const bnre__layout *layout = chart->layout;
    const double side = 2.7, right = inch_left + side + inch_left + 0.1,
                 upper = inch_bottom + side + inch_bottom + inch_top;
    size_t series[BNRE__MOST_SERIES];
    bnre__figure figure;
    bnre__legend legend;

    if (layout->key == NULL || strcmp(layout->key, "lambda") != 0 ||
        layout->ticks < 2 || list_series(layout, series) == 0 ||
        !bnre__layout_knows(layout, posterior_of, 0))
        return BNRE_OK;
    bnre__panels_begin(&figure, chart->study, chart->name, 8.2, 7.35);
    bnre__panels_place(&figure, inch_left, upper, side, side);
    bnre__posterior_panel(&figure, layout, series[0]);
    bnre__panels_place(&figure, right, upper, side, side);
    bnre__panels_title(&figure, "ylabel", "expected coverage");
    bnre__coverage_panel(&figure, layout, series[0]);
    bnre__panels_place(&figure, inch_left, inch_bottom, side, side);
    bnre__trend_panel(&figure, layout, &auc_trend);
    bnre__panels_place(&figure, right, inch_bottom, side, side);
    bnre__trend_panel(&figure, layout, &balance_trend);
    bnre__panels_last(&figure);
    legend = beside(&figure, figure.width - 7.15);
    bnre__legend_ticks(&legend, layout);
    legend.y -= 0.1;
    bnre__legend_line(&legend, BNRE__INK_TRUTH, 0, "truth");
    legend = above(&figure, inch_left);
    bnre__legend_series(&legend, layout);
    explain(
        chart, BANDS_OF_MEANS,
        "The strength of the penalty: the posterior of the first parameter for "
        "the observation (mean of the densities of all runs), the expected "
        "coverage, its distance from the diagonal, and the balance error.");
    return bnre__panels_end(&figure, chart->formats, &chart->drawn);
}
