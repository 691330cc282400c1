/* Training of the runs of a study, epoch by epoch. */
#include <math.h>

#include "study/page/panels.h"

/* More points than this on a line are not seen. */
enum { MOST_POINTS = 150 };

/* The lines of a run: one for each member, apart by an empty line. Gives how
   many rows these are. */
static size_t add_run(bnre__figure *figure, const bnre__saved_run *run,
                      size_t column)
{
    const size_t width = BNRE__HISTORY_COLUMNS;
    size_t step, longest = 0, rows = 0;

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
            bnre__figure_data(figure, "%.0f %.6g\n", row[BNRE__HISTORY_EPOCH],
                              row[column]);
            rows++;
        }
        if (last)
            bnre__figure_data(figure, "\n");
    }
    return rows;
}

static void plot_cell(bnre__figure *figure, const bnre__layout *layout,
                      size_t cell, size_t column, const char *colour,
                      int dashed)
{
    const bnre__saved_study *study = layout->study;
    size_t rows = 0, block;

    if (cell == BNRE__NO_CELL)
        return;
    bnre__figure_data(figure, "# %s: epoch, loss\n", study->cell[cell].name);
    for (size_t i = 0; i < study->cell[cell].runs; i++)
        rows +=
            add_run(figure, &study->run[study->cell[cell].first + i], column);
    block = bnre__figure_block(figure, rows);
    if (rows > 0)
        bnre__figure_script(figure,
                            ", \\\n  data index %zu using 1:2 with lines "
                            "linewidth 1.1 linecolor rgb '%s'%s",
                            block, colour, dashed ? " dashtype (3,2)" : "");
}

/* Whether runs of a cell are of one kind or the other. */
static void find_kinds(const bnre__layout *layout, size_t cell, int kind[2])
{
    const bnre__saved_study *study = layout->study;

    for (size_t i = 0; cell != BNRE__NO_CELL && i < study->cell[cell].runs; i++)
        kind[study->run[study->cell[cell].first + i].densities != 0] = 1;
}

void bnre__training_panel(bnre__figure *figure, const bnre__layout *layout,
                          size_t series, size_t column)
{
    const bnre__series *one = &layout->series[series];
    int kind[2] = {0, 0};
    char colour[8];

    for (size_t t = 0; t < layout->ticks; t++)
        find_kinds(layout, one->cell[t], kind);
    find_kinds(layout, one->constant, kind);
    bnre__figure_script(
        figure,
        "set yrange [*:*]\nset xrange [0:*]\n"
        "plot %s with lines linestyle 8%s",
        kind[1] ? "0" : "2 * log(2)",
        kind[0] && kind[1] ? ", 2 * log(2) with lines linestyle 8" : "");
    for (size_t t = 0; t < layout->ticks; t++)
        plot_cell(figure, layout, one->cell[t], column,
                  bnre__tick_colour(layout, t, colour), 0);
    plot_cell(figure, layout, one->constant, column,
              bnre__constant_colour(layout, series), 1);
    bnre__figure_script(figure, "\n");
}
