/* A number of the cells of a study against what is varied. */
#include <math.h>

#include "base/mem.h"
#include "study/page/panels.h"

bnre_estimate bnre__quantity_auc(const bnre__run_found *run, size_t which)
{
    (void)which;
    return run->auc;
}

bnre_estimate bnre__quantity_balance(const bnre__run_found *run, size_t which)
{
    (void)which;
    return run->balance;
}

bnre_estimate bnre__quantity_information(const bnre__run_found *run,
                                         size_t which)
{
    (void)which;
    return run->information;
}

struct value {
    int known;
    double middle, low, high;
};

static bnre_status find_value(const bnre__layout *layout,
                              const bnre__trend *trend, size_t cell,
                              struct value *out)
{
    bnre_status status = BNRE_OK;
    bnre__spread spread;
    double half;

    *out = (struct value){0};
    if (cell == BNRE__NO_CELL)
        return BNRE_OK;
    BNRE_TRY(bnre__cell_spread(layout->findings, cell, trend->quantity,
                               trend->which, &spread));
    if (spread.n == 0)
        goto done;
    out->known = 1;
    out->middle = trend->median ? spread.median : spread.mean;
    /* 1.96 standard errors are 95 %. */
    half = spread.n > 1             ? spread.sd
           : isfinite(spread.error) ? 1.96 * spread.error
                                    : 0;
    if (trend->from_one) {
        out->middle = fabs(1 - out->middle);
        half = 0;
    }
    out->low = out->middle - half;
    out->high = out->middle + half;
    if (trend->from_zero)
        out->low = fmax(0, out->low);
done:
    return status;
}

/* Series beside each other, where the axis has words. */
static double place_of(const bnre__layout *layout, size_t series, size_t tick)
{
    if (layout->numeric)
        return layout->tick[tick].at;
    return layout->tick[tick].at +
           0.5 * (((double)series + 0.5) / (double)layout->n - 0.5);
}

static bnre_status plot_series(bnre__sheet *sheet, const bnre__layout *layout,
                               const bnre__trend *trend, size_t series)
{
    const bnre__series *one = &layout->series[series];
    bnre_status status = BNRE_OK;
    struct value value;
    size_t block, n = 0;
    char colour[8];

    BNRE_TRY(find_value(layout, trend, one->constant, &value));
    if (value.known)
        BNRE_TRY(bnre__figure_script(
            sheet->figure,
            ", \\\n  %.9g with lines linewidth 1.6 "
            "dashtype (5,3) linecolor rgb '%s'",
            value.middle, bnre__constant_colour(layout, series, colour)));
    bnre__series_colour(layout, series, colour);
    BNRE_TRY(bnre__figure_data(
        sheet->figure, "# %s, %s: %s, value, low, high\n", trend->label,
        layout->findings->cell[one->model].name, bnre__layout_title(layout)));
    for (size_t t = 0; t < layout->ticks; t++) {
        BNRE_TRY(find_value(layout, trend, one->cell[t], &value));
        if (!value.known)
            continue;
        BNRE_TRY(bnre__figure_data(sheet->figure, "%.9g %.9g %.9g %.9g\n",
                                   place_of(layout, series, t), value.middle,
                                   value.low, value.high));
        n++;
    }
    if (n == 0)
        BNRE_TRY(bnre__figure_data(sheet->figure, "# nothing yet\n"));
    BNRE_TRY(bnre__sheet_block(sheet, &block));
    if (n == 0) {
        sheet->blocks--; /* gnuplot does not count a block without rows */
        goto done;
    }
    if (layout->numeric)
        BNRE_TRY(bnre__figure_script(
            sheet->figure,
            ", \\\n  data index %zu using 1:3:4 with filledcurves fillstyle "
            "transparent solid 0.18 noborder linecolor rgb '%s', \\\n"
            "  data index %zu using 1:2 with linespoints linewidth 1.8 "
            "pointtype 7 pointsize 0.45 linecolor rgb '%s'",
            block, colour, block, colour));
    else
        BNRE_TRY(bnre__figure_script(
            sheet->figure,
            ", \\\n  data index %zu using 1:2:3:4 with yerrorbars linewidth "
            "1.8 pointtype 7 pointsize 0.6 linecolor rgb '%s'",
            block, colour));
done:
    return status;
}

/* The mean over all cells: that of the prior is the same for all. */
static bnre_status find_baseline(const bnre__layout *layout,
                                 const bnre__trend *trend, double *out)
{
    bnre_status status = BNRE_OK;
    bnre__spread spread;
    double sum = 0;
    size_t n = 0;

    for (size_t s = 0; s < layout->n; s++)
        for (size_t t = 0; t < layout->ticks; t++) {
            const size_t cell = layout->series[s].cell[t];

            if (cell == BNRE__NO_CELL)
                continue;
            BNRE_TRY(bnre__cell_spread(layout->findings, cell, trend->baseline,
                                       0, &spread));
            sum += spread.n > 0 ? spread.mean : 0;
            n += spread.n > 0;
        }
    *out = n > 0 ? sum / (double)n : NAN;
done:
    return status;
}

bnre_status bnre__trend_panel(bnre__sheet *sheet, const bnre__layout *layout,
                              const bnre__trend *trend)
{
    bnre_status status = BNRE_OK;
    const int known = bnre__layout_knows(layout, trend->quantity, trend->which);
    double baseline = NAN;

    BNRE_TRY(bnre__sheet_axis(sheet, layout));
    /* gnuplot finds no range for nothing. */
    BNRE_TRY(bnre__figure_script(sheet->figure, "set yrange [%s:%s]\n",
                                 trend->from_zero || !known ? "0" : "*",
                                 known ? "*" : "1"));
    BNRE_TRY(bnre__sheet_title(sheet, "ylabel", trend->label));
    if (trend->baseline != NULL)
        BNRE_TRY(find_baseline(layout, trend, &baseline));
    if (isfinite(baseline))
        BNRE_TRY(bnre__figure_script(
            sheet->figure, "plot %.9g with lines linestyle 8", baseline));
    else
        BNRE_TRY(bnre__figure_script(sheet->figure, "plot 1/0"));
    for (size_t s = 0; s < layout->n; s++)
        BNRE_TRY(plot_series(sheet, layout, trend, s));
    BNRE_TRY(bnre__figure_script(sheet->figure, "\n"));
done:
    return status;
}
