/* A number of the cells of a study against what is varied. */
#include <math.h>

#include "study/page/panels.h"

struct value {
    int known;
    double middle, low, high;
};

static struct value find_value(const bnre__layout *layout,
                               const bnre__trend *trend, size_t cell)
{
    struct value out = {0};
    bnre__spread spread;
    double half;

    if (cell == BNRE__NO_CELL)
        return out;
    spread =
        bnre__cell_spread(layout->study, cell, trend->quantity, trend->which);
    if (spread.n == 0)
        return out;
    out.known = 1;
    out.middle = trend->median ? spread.median : spread.mean;
    /* 1.96 standard errors are 95 %. */
    half = spread.n > 1             ? spread.sd
           : isfinite(spread.error) ? 1.96 * spread.error
                                    : 0;
    if (trend->from_one) {
        out.middle = fabs(1 - out.middle);
        half = 0;
    }
    out.low = out.middle - half;
    out.high = out.middle + half;
    if (trend->from_zero)
        out.low = fmax(0, out.low);
    return out;
}

/* Series beside each other, where the axis has words. */
static double place_of(const bnre__layout *layout, size_t series, size_t tick)
{
    if (layout->numeric)
        return layout->tick[tick].at;
    return layout->tick[tick].at +
           0.5 * (((double)series + 0.5) / (double)layout->n - 0.5);
}

static void plot_series(bnre__figure *figure, const bnre__layout *layout,
                        const bnre__trend *trend, size_t series)
{
    const bnre__series *one = &layout->series[series];
    const char *colour = bnre__series_colour(layout, series);
    struct value value = find_value(layout, trend, one->constant);
    size_t block, n = 0;

    if (value.known)
        bnre__figure_script(figure,
                            ", \\\n  %.9g with lines linewidth 1.6 "
                            "dashtype (5,3) linecolor rgb '%s'",
                            value.middle,
                            bnre__constant_colour(layout, series));
    bnre__figure_data(figure, "# %s, %s: %s, value, low, high\n", trend->label,
                      layout->study->cell[one->model].name,
                      bnre__layout_title(layout));
    for (size_t t = 0; t < layout->ticks; t++) {
        value = find_value(layout, trend, one->cell[t]);
        if (!value.known)
            continue;
        bnre__figure_data(figure, "%.9g %.9g %.9g %.9g\n",
                          place_of(layout, series, t), value.middle, value.low,
                          value.high);
        n++;
    }
    if (n == 0)
        bnre__figure_data(figure, "# nothing yet\n");
    block = bnre__figure_block(figure, n);
    if (n > 0 && layout->numeric)
        bnre__figure_script(
            figure,
            ", \\\n  data index %zu using 1:3:4 with filledcurves fillstyle "
            "transparent solid 0.18 noborder linecolor rgb '%s', \\\n"
            "  data index %zu using 1:2 with linespoints linewidth 1.8 "
            "pointtype 7 pointsize 0.45 linecolor rgb '%s'",
            block, colour, block, colour);
    else if (n > 0)
        bnre__figure_script(
            figure,
            ", \\\n  data index %zu using 1:2:3:4 with yerrorbars linewidth "
            "1.8 pointtype 7 pointsize 0.6 linecolor rgb '%s'",
            block, colour);
}

/* The mean over all cells: that of the prior is the same for all. NaN if it is
   not known, or not asked for. */
static double find_baseline(const bnre__layout *layout,
                            const bnre__trend *trend)
{
    double sum = 0;
    size_t n = 0;

    for (size_t s = 0; s < layout->n && trend->baseline != NULL; s++)
        for (size_t t = 0; t < layout->ticks; t++) {
            const size_t cell = layout->series[s].cell[t];
            bnre__spread spread;

            if (cell == BNRE__NO_CELL)
                continue;
            spread = bnre__cell_spread(layout->study, cell, trend->baseline, 0);
            sum += spread.n > 0 ? spread.mean : 0;
            n += spread.n > 0;
        }
    return n > 0 ? sum / (double)n : NAN;
}

void bnre__trend_panel(bnre__figure *figure, const bnre__layout *layout,
                       const bnre__trend *trend)
{
    const int known = bnre__layout_knows(layout, trend->quantity, trend->which);
    const double baseline = find_baseline(layout, trend);

    bnre__panels_axis(figure, layout);
    /* gnuplot finds no range for nothing. */
    bnre__figure_script(figure, "set yrange [%s:%s]\n",
                        trend->from_zero || !known ? "0" : "*",
                        known ? "*" : "1");
    bnre__panels_title(figure, "ylabel", trend->label);
    if (isfinite(baseline))
        bnre__figure_script(figure, "plot %.9g with lines linestyle 8",
                            baseline);
    else
        bnre__figure_script(figure, "plot 1/0");
    for (size_t s = 0; s < layout->n; s++)
        plot_series(figure, layout, trend, s);
    bnre__figure_script(figure, "\n");
}
