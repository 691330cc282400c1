/* Training of the runs of a study, epoch by epoch. */
#include <math.h>

#include "base/mem.h"
#include "study/page/panels.h"

/* More points than this on a line are not seen. */
enum { MOST_POINTS = 150 };

/* The lines of a run: one for each member, apart by an empty line. */
static bnre_status add_run(bnre__sheet *sheet, const bnre__run_found *run,
                           size_t column, size_t *rows)
{
    const size_t width = BNRE__HISTORY_COLUMNS;
    bnre_status status = BNRE_OK;
    size_t step = 1, longest = 0;

    for (size_t i = 0; i < run->epochs; i++) {
        const double epoch = run->history[i * width + BNRE__HISTORY_EPOCH];

        if (epoch > (double)longest && epoch < 1e9)
            longest = (size_t)epoch;
    }
    step = longest / MOST_POINTS + 1;
    for (size_t i = 0; i < run->epochs; i++) {
        const double *row = run->history + i * width;
        const int last =
            i + 1 == run->epochs ||
            row[width + BNRE__HISTORY_MEMBER] != row[BNRE__HISTORY_MEMBER];

        if (isfinite(row[column]) &&
            (last || (size_t)row[BNRE__HISTORY_EPOCH] % step == 0 ||
             row[BNRE__HISTORY_EPOCH] == 1)) {
            BNRE_TRY(bnre__figure_data(sheet->figure, "%.0f %.6g\n",
                                       row[BNRE__HISTORY_EPOCH], row[column]));
            (*rows)++;
        }
        if (last)
            BNRE_TRY(bnre__figure_data(sheet->figure, "\n"));
    }
done:
    return status;
}

static bnre_status plot_cell(bnre__sheet *sheet, const bnre__layout *layout,
                             size_t cell, size_t column, const char *colour,
                             int dashed)
{
    const bnre__findings *findings = layout->findings;
    const bnre__cell_found *of = &findings->cell[cell];
    bnre_status status = BNRE_OK;
    size_t rows = 0, block;

    BNRE_TRY(bnre__figure_data(sheet->figure, "# %s: epoch, cross entropy\n",
                               of->name));
    for (size_t i = of->first; i < of->first + of->runs; i++)
        BNRE_TRY(add_run(sheet, &findings->run[i], column, &rows));
    BNRE_TRY(bnre__sheet_block(sheet, &block));
    if (rows == 0) {
        sheet->blocks--;
        goto done;
    }
    BNRE_TRY(bnre__figure_script(sheet->figure,
                                 ", \\\n  data index %zu using 1:2 with lines "
                                 "linewidth 1.1 linecolor rgb '%s'%s",
                                 block, colour,
                                 dashed ? " dashtype (3,2)" : ""));
done:
    return status;
}

bnre_status bnre__training_panel(bnre__sheet *sheet, const bnre__layout *layout,
                                 size_t series, size_t column)
{
    const bnre__series *one = &layout->series[series];
    bnre_status status = BNRE_OK;
    char colour[8];

    BNRE_TRY(bnre__figure_script(sheet->figure,
                                 "set yrange [*:*]\nset xrange [0:*]\n"
                                 "plot 2 * log(2) with lines linestyle 8"));
    for (size_t t = 0; t < layout->ticks; t++)
        if (one->cell[t] != BNRE__NO_CELL)
            BNRE_TRY(plot_cell(sheet, layout, one->cell[t], column,
                               bnre__tick_colour(layout, t, colour), 0));
    if (one->constant != BNRE__NO_CELL)
        BNRE_TRY(plot_cell(sheet, layout, one->constant, column,
                           bnre__constant_colour(layout, series, colour), 1));
    BNRE_TRY(bnre__figure_script(sheet->figure, "\n"));
done:
    return status;
}
