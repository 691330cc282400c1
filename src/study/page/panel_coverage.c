/* Expected coverage of the cells of a study. */
#include <math.h>

#include "study/page/panels.h"

static bnre_estimate share_at(const bnre__saved_run *run, size_t level)
{
    return (bnre_estimate){run->share[level],
                           (run->high[level] - run->low[level]) / 2};
}

/* A block: level, mean over runs, and a standard deviation below and above it;
   of a single run its interval. And its curve in the plot. */
static void plot_cell(bnre__figure *figure, const bnre__layout *layout,
                      size_t cell, const char *colour, int dashed)
{
    const bnre__saved_study *study = layout->study;
    size_t block;
    int known = 1;

    if (cell == BNRE__NO_CELL)
        return;
    bnre__figure_data(figure, "# %s: level, coverage, low, high\n0 0 0 0\n",
                      study->cell[cell].name);
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++) {
        const bnre__spread spread = bnre__cell_spread(study, cell, share_at, i);
        const double half = spread.n > 1 ? spread.sd : spread.error;

        known = known && spread.n > 0;
        if (spread.n > 0)
            bnre__figure_data(figure, "%.2f %.6g %.6g %.6g\n",
                              bnre_diag_level(i), spread.mean,
                              fmax(0, spread.mean - half),
                              fmin(1, spread.mean + half));
    }
    bnre__figure_data(figure, "1 1 1 1\n");
    block = bnre__figure_block(figure, 2);
    if (!known)
        return;
    bnre__figure_script(
        figure,
        ", \\\n  data index %zu using 1:3:4 with filledcurves fillstyle "
        "transparent solid 0.18 noborder linecolor rgb '%s', \\\n"
        "  data index %zu using 1:2 with lines linewidth 1.8 linecolor rgb "
        "'%s'%s",
        block, colour, block, colour, dashed ? " dashtype (5,3)" : "");
}

void bnre__coverage_panel(bnre__figure *figure, const bnre__layout *layout,
                          size_t series)
{
    char colour[8];

    bnre__panels_title(figure, "xlabel", "credibility");
    bnre__figure_script(figure, "set xrange [0:1]; set yrange [0:1]\n"
                                "set xtics 0.25; set ytics 0.25\n"
                                "plot x with lines linestyle 8");
    for (size_t s = 0; s < layout->n; s++) {
        const bnre__series *one = &layout->series[s];

        plot_cell(figure, layout, one->constant,
                  bnre__constant_colour(layout, s), 1);
        if (series == BNRE__ALL_SERIES)
            plot_cell(figure, layout, one->cell[0],
                      bnre__series_colour(layout, s), 0);
        for (size_t t = 0; s == series && t < layout->ticks; t++)
            plot_cell(figure, layout, one->cell[t],
                      bnre__tick_colour(layout, t, colour), 0);
    }
    bnre__figure_script(figure, "\n");
}
