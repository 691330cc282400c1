/* Figures over a study whose panels are of several kinds. */
#include "study/page/study_figures.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "study/page/panels.h"

/* Inches. */
static const double inch_left = 0.72, inch_bottom = 0.58, inch_top = 0.36;
static const double inch_gap = 0.62;
enum { ACROSS = 3 };

/* ---- words that captions share ---- */

static size_t most_runs(const bnre__layout *layout)
{
    const bnre__findings *findings = layout->findings;
    size_t most = 0;

    for (size_t i = 0; i < findings->cells; i++) {
        const bnre__cell_found *cell = &findings->cell[i];
        size_t n = 0;

        for (size_t k = cell->first; k < cell->first + cell->runs; k++)
            n += findings->run[k].diagnosis != NULL;
        most = n > most ? n : most;
    }
    return most;
}

static bnre_status add_bands(bnre__easel *easel, int median)
{
    const size_t runs = most_runs(easel->layout);

    if (runs > 1)
        return bnre__text_add(
            &easel->caption,
            " %s over up to %zu runs of each cell; bands are one standard "
            "deviation over runs to either side.",
            median ? "Medians" : "Means", runs);
    return bnre__text_add(
        &easel->caption, " One run of each cell; bands are 95 %% intervals for "
                         "the pairs it was tested on.");
}

bnre_status bnre__easel_explain(bnre__easel *easel, bnre__bands bands,
                                const char *text)
{
    const bnre__layout *layout = easel->layout;
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__text_add(&easel->caption, "%s", text));
    if (bands != BNRE__NO_BANDS)
        BNRE_TRY(add_bands(easel, bands == BNRE__BANDS_OF_MEDIANS));
    for (size_t s = 0; s < layout->n; s++)
        if (layout->series[s].constant != BNRE__NO_CELL)
            BNRE_TRY(bnre__text_add(&easel->caption, " Dashed: %s.",
                                    layout->series[s].label));
done:
    return status;
}

/* Series that have cells on the axis, which get panels of their own. */
size_t bnre__easel_panels(const bnre__layout *layout,
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

bnre_status bnre__easel_legend(bnre__sheet *sheet, const bnre__layout *layout,
                               bnre__legend legend)
{
    bnre_status status = BNRE_OK;
    char colour[8];

    for (size_t s = 0; s < layout->n && s < BNRE__MOST_SERIES; s++) {
        const int constant = layout->series[s].constant != BNRE__NO_CELL;

        BNRE_TRY(bnre__legend_add(sheet, &legend,
                                  constant
                                      ? bnre__constant_colour(layout, s, colour)
                                      : bnre__series_colour(layout, s, colour),
                                  constant, layout->series[s].label));
    }
done:
    return status;
}

/* ---- coverage ---- */

bnre_status bnre__draw_coverage(bnre__easel *easel)
{
    const bnre__layout *layout = easel->layout;
    const double side = 2.5, margin = bnre__legend_margin(
                                 layout, layout->ticks > 1 ? 1.15 : 1.6);
    size_t panel[BNRE__MOST_SERIES], n = bnre__easel_panels(layout, panel);
    bnre__sheet sheet = {0};
    bnre_status status = BNRE_OK;
    bnre__legend legend;
    size_t across, down;

    if (layout->ticks == 1 && n > 0)
        n = 1;
    if (n == 0 || !bnre__layout_knows(layout, bnre__quantity_auc, 0))
        return BNRE_OK;
    across = n < ACROSS ? n : ACROSS;
    down = (n + across - 1) / across;
    BNRE_TRY(bnre__sheet_open(easel->findings->dir, easel->name,
                              inch_left + (double)across * side +
                                  (double)(across - 1) * inch_gap + margin,
                              (double)down * (side + inch_bottom + inch_top),
                              &sheet));
    for (size_t i = 0; i < n; i++) {
        const size_t column = i % across, row = i / across;

        BNRE_TRY(bnre__sheet_place(
            &sheet, inch_left + (double)column * (side + inch_gap),
            inch_bottom +
                (double)(down - 1 - row) * (side + inch_bottom + inch_top),
            side, side));
        if (layout->ticks > 1)
            BNRE_TRY(bnre__sheet_title(&sheet, "title",
                                       layout->series[panel[i]].label));
        if (column == 0)
            BNRE_TRY(bnre__sheet_title(&sheet, "ylabel", "expected coverage"));
        BNRE_TRY(bnre__coverage_panel(
            &sheet, layout, layout->ticks > 1 ? panel[i] : BNRE__ALL_SERIES));
    }
    BNRE_TRY(bnre__sheet_legends(&sheet));
    legend = (bnre__legend){sheet.width - margin + 0.18,
                            sheet.height - inch_top - 0.1, 0.2, 0};
    if (layout->ticks > 1)
        BNRE_TRY(bnre__legend_ticks(&sheet, layout, &legend));
    else
        BNRE_TRY(bnre__easel_legend(&sheet, layout, legend));
    BNRE_TRY(bnre__sheet_draw(&sheet, easel->formats, &easel->drawn));
    BNRE_TRY(bnre__easel_explain(
        easel, BNRE__BANDS_OF_MEANS,
        "How often the true parameters lie in the region of highest posterior "
        "density, for each credibility. On the dashed diagonal regions hold "
        "what they promise, above it they are conservative, below it "
        "overconfident."));
done:
    bnre__sheet_close(&sheet);
    return status;
}

/* ---- lambda ---- */

static bnre_status fill_lambda(bnre__easel *easel, bnre__sheet *sheet,
                               size_t series)
{
    const bnre__layout *layout = easel->layout;
    const bnre__trend auc = {.label = "coverage AUC",
                             .quantity = bnre__quantity_auc,
                             .baseline = bnre__quantity_zero};
    const double side = 2.7, step = side + inch_left + 0.1,
                 rise = side + inch_bottom + inch_top;
    bnre_status status = BNRE_OK;

    BNRE_TRY(
        bnre__sheet_place(sheet, inch_left, inch_bottom + rise, side, side));
    BNRE_TRY(bnre__posterior_panel(sheet, layout, series));
    BNRE_TRY(bnre__sheet_place(sheet, inch_left + step, inch_bottom + rise,
                               side, side));
    BNRE_TRY(bnre__sheet_title(sheet, "ylabel", "expected coverage"));
    BNRE_TRY(bnre__coverage_panel(sheet, layout, series));
    BNRE_TRY(bnre__sheet_place(sheet, inch_left, inch_bottom, side, side));
    BNRE_TRY(bnre__trend_panel(sheet, layout, &auc));
    BNRE_TRY(
        bnre__sheet_place(sheet, inch_left + step, inch_bottom, side, side));
    BNRE_TRY(bnre__trend_panel(sheet, layout, &bnre__balance_trend));
done:
    return status;
}

static bnre_estimate posterior_of(const bnre__run_found *run, size_t which)
{
    (void)which;
    return (bnre_estimate){run->posterior != NULL ? 1 : NAN, 0};
}

bnre_status bnre__draw_lambda(bnre__easel *easel)
{
    const bnre__layout *layout = easel->layout;
    size_t panel[BNRE__MOST_SERIES];
    bnre__sheet sheet = {0};
    bnre_status status = BNRE_OK;
    bnre__legend legend;

    if (layout->key == NULL || strcmp(layout->key, "lambda") != 0 ||
        layout->ticks < 2 || bnre__easel_panels(layout, panel) == 0 ||
        !bnre__layout_knows(layout, posterior_of, 0))
        return BNRE_OK;
    BNRE_TRY(
        bnre__sheet_open(easel->findings->dir, easel->name, 8.2, 7.35, &sheet));
    BNRE_TRY(fill_lambda(easel, &sheet, panel[0]));
    BNRE_TRY(bnre__sheet_legends(&sheet));
    legend = (bnre__legend){7.15, sheet.height - inch_top - 0.1, 0.2, 0};
    BNRE_TRY(bnre__legend_ticks(&sheet, layout, &legend));
    legend.y -= 0.1;
    BNRE_TRY(bnre__legend_add(&sheet, &legend, "#d55e00", 0, "truth"));
    legend = (bnre__legend){inch_left, sheet.height - 0.17, 0, inch_left};
    BNRE_TRY(bnre__easel_legend(&sheet, layout, legend));
    BNRE_TRY(bnre__sheet_draw(&sheet, easel->formats, &easel->drawn));
    BNRE_TRY(bnre__easel_explain(
        easel, BNRE__BANDS_OF_MEANS,
        "The strength of the penalty: the posterior of the first parameter for "
        "the observation (mean of the densities of all runs), the expected "
        "coverage, its distance from the diagonal, and the balance error."));
done:
    bnre__sheet_close(&sheet);
    return status;
}

/* ---- posteriors of one parameter ---- */

static bnre_estimate line_of(const bnre__run_found *run, size_t which)
{
    const bnre__json *list = bnre__json_find(run->posterior, "parameters");

    (void)which;
    return (bnre_estimate){bnre__json_count(list) == 1 ? 1 : NAN, 0};
}

bnre_status bnre__draw_posterior(bnre__easel *easel)
{
    const bnre__layout *layout = easel->layout;
    const double wide = 2.7, high = 2.2,
                 margin = bnre__legend_margin(layout, 1.15);
    size_t panel[BNRE__MOST_SERIES], n = bnre__easel_panels(layout, panel);
    bnre__sheet sheet = {0};
    bnre_status status = BNRE_OK;
    bnre__legend legend;
    size_t across, down;

    /* For more parameters there are corner plots. */
    if (layout->ticks < 2 || n == 0 || strcmp(layout->key, "lambda") == 0 ||
        !bnre__layout_knows(layout, line_of, 0))
        return BNRE_OK;
    across = n < ACROSS ? n : ACROSS;
    down = (n + across - 1) / across;
    BNRE_TRY(bnre__sheet_open(easel->findings->dir, easel->name,
                              (double)across * (wide + inch_left) + margin,
                              (double)down * (high + inch_bottom + inch_top),
                              &sheet));
    for (size_t i = 0; i < n; i++) {
        BNRE_TRY(bnre__sheet_place(
            &sheet, inch_left + (double)(i % across) * (wide + inch_left),
            inch_bottom + (double)(down - 1 - i / across) *
                              (high + inch_bottom + inch_top),
            wide, high));
        BNRE_TRY(
            bnre__sheet_title(&sheet, "title", layout->series[panel[i]].label));
        BNRE_TRY(bnre__posterior_panel(&sheet, layout, panel[i]));
    }
    BNRE_TRY(bnre__sheet_legends(&sheet));
    legend = (bnre__legend){sheet.width - margin + 0.18,
                            sheet.height - inch_top - 0.1, 0.2, 0};
    BNRE_TRY(bnre__legend_ticks(&sheet, layout, &legend));
    BNRE_TRY(bnre__sheet_draw(&sheet, easel->formats, &easel->drawn));
    BNRE_TRY(bnre__easel_explain(
        easel, BNRE__NO_BANDS,
        "The posterior of the first parameter for the observation, the mean of "
        "the densities of all runs of a cell; the vertical line is the truth, "
        "where it is known."));
done:
    bnre__sheet_close(&sheet);
    return status;
}

/* ---- training ---- */

bnre_status bnre__draw_training(bnre__easel *easel)
{
    static const char *const row[] = {"cross entropy, training",
                                      "cross entropy, validation"};
    const bnre__layout *layout = easel->layout;
    const double wide = 2.6, high = 1.7,
                 margin = bnre__legend_margin(layout, 1.15), step = wide + 0.5;
    const size_t most = 4;
    size_t panel[BNRE__MOST_SERIES], n = bnre__easel_panels(layout, panel),
                                     i = 0;
    bnre__sheet sheet = {0};
    bnre_status status = BNRE_OK;
    bnre__legend legend;

    while (i < easel->findings->runs && easel->findings->run[i].epochs == 0)
        i++;
    if (n == 0 || i == easel->findings->runs)
        return BNRE_OK;
    n = n < most ? n : most;
    BNRE_TRY(bnre__sheet_open(easel->findings->dir, easel->name,
                              inch_left + (double)n * step +
                                  (layout->ticks > 1 ? margin - 0.4 : 0),
                              2 * high + 0.3 + inch_bottom + inch_top, &sheet));
    for (size_t r = 0; r < 2; r++)
        for (i = 0; i < n; i++) {
            BNRE_TRY(bnre__sheet_place(
                &sheet, inch_left + (double)i * step,
                inch_bottom + (double)(1 - r) * (high + 0.3), wide, high));
            if (r == 0)
                BNRE_TRY(bnre__sheet_title(&sheet, "title",
                                           layout->series[panel[i]].label));
            else
                BNRE_TRY(bnre__sheet_title(&sheet, "xlabel", "epoch"));
            if (i == 0)
                BNRE_TRY(bnre__sheet_title(&sheet, "ylabel", row[r]));
            BNRE_TRY(bnre__training_panel(&sheet, layout, panel[i],
                                          r == 0 ? BNRE__HISTORY_TRAIN
                                                 : BNRE__HISTORY_VALIDATION));
        }
    BNRE_TRY(bnre__sheet_legends(&sheet));
    legend = (bnre__legend){sheet.width - margin + 0.3,
                            sheet.height - inch_top - 0.1, 0.2, 0};
    if (layout->ticks > 1)
        BNRE_TRY(bnre__legend_ticks(&sheet, layout, &legend));
    BNRE_TRY(bnre__sheet_draw(&sheet, easel->formats, &easel->drawn));
    BNRE_TRY(bnre__text_add(
        &easel->caption,
        "Cross entropy by epoch, a line for each run, without the penalty; "
        "the dashed line at 2 log 2 is what guessing reaches."));
done:
    bnre__sheet_close(&sheet);
    return status;
}
