/* Expected coverage of the cells of a study. */
#include <math.h>

#include "base/mem.h"
#include "study/page/panels.h"

static bnre_estimate share_at(const bnre__run_found *run, size_t level)
{
    return (bnre_estimate){run->share[level],
                           (run->high[level] - run->low[level]) / 2};
}

/* A block: level, mean over runs, and a standard deviation below and above it;
   of a single run its interval. */
static bnre_status add_curve(bnre__sheet *sheet, const bnre__layout *layout,
                             size_t cell, int *known, size_t *block)
{
    const bnre__findings *findings = layout->findings;
    bnre_status status = BNRE_OK;
    bnre__spread spread;

    BNRE_TRY(bnre__figure_data(sheet->figure,
                               "# %s: level, coverage, low, high\n0 0 0 0\n",
                               findings->cell[cell].name));
    *known = 1;
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++) {
        double half;

        BNRE_TRY(bnre__cell_spread(findings, cell, share_at, i, &spread));
        *known = *known && spread.n > 0;
        if (spread.n == 0)
            continue;
        half = spread.n > 1 ? spread.sd : spread.error;
        BNRE_TRY(bnre__figure_data(sheet->figure, "%.2f %.6g %.6g %.6g\n",
                                   bnre_diag_level(i), spread.mean,
                                   fmax(0, spread.mean - half),
                                   fmin(1, spread.mean + half)));
    }
    BNRE_TRY(bnre__figure_data(sheet->figure, "1 1 1 1\n"));
    BNRE_TRY(bnre__sheet_block(sheet, block));
done:
    return status;
}

/* Add the curve to the plot that is being put together. */
static bnre_status plot_cell(bnre__sheet *sheet, const bnre__layout *layout,
                             size_t cell, const char *colour, int dashed)
{
    bnre_status status = BNRE_OK;
    size_t block = 0;
    int known;

    if (cell == BNRE__NO_CELL)
        return BNRE_OK;
    BNRE_TRY(add_curve(sheet, layout, cell, &known, &block));
    if (!known)
        goto done;
    BNRE_TRY(bnre__figure_script(
        sheet->figure,
        ", \\\n  data index %zu using 1:3:4 with filledcurves fillstyle "
        "transparent solid 0.18 noborder linecolor rgb '%s', \\\n"
        "  data index %zu using 1:2 with lines linewidth 1.8 linecolor rgb "
        "'%s'%s",
        block, colour, block, colour, dashed ? " dashtype (5,3)" : ""));
done:
    return status;
}

bnre_status bnre__coverage_panel(bnre__sheet *sheet, const bnre__layout *layout,
                                 size_t series)
{
    bnre_status status = BNRE_OK;
    char colour[8];

    BNRE_TRY(bnre__sheet_title(sheet, "xlabel", "credibility"));
    BNRE_TRY(bnre__figure_script(sheet->figure,
                                 "set xrange [0:1]; set yrange [0:1]\n"
                                 "set xtics 0.25; set ytics 0.25\n"
                                 "plot x with lines linestyle 8"));
    for (size_t s = 0; s < layout->n; s++) {
        const bnre__series *one = &layout->series[s];

        if (one->constant != BNRE__NO_CELL)
            BNRE_TRY(plot_cell(sheet, layout, one->constant,
                               bnre__constant_colour(layout, s, colour), 1));
        if (series == BNRE__ALL_SERIES)
            BNRE_TRY(plot_cell(sheet, layout, one->cell[0],
                               bnre__series_colour(layout, s, colour), 0));
        for (size_t t = 0; s == series && t < layout->ticks; t++)
            BNRE_TRY(plot_cell(sheet, layout, one->cell[t],
                               bnre__tick_colour(layout, t, colour), 0));
    }
    BNRE_TRY(bnre__figure_script(sheet->figure, "\n"));
done:
    return status;
}
