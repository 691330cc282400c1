/* panels.c - panels of figures over a study: what they share (axis, colours,
   legends), coverage, training, and trends. */
#include "study/page/panels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void bnre__panels_begin(bnre__figure *out, const bnre__saved_study *study,
                        const char *name, double width, double height)
{
    bnre__figure_begin(out, width, height, "%s/figures/%s", study->dir, name);
    bnre__figure_script(
        out, BNRE__SMALL_FONT
        "set tics font small\n"
        /* gnuplot keeps more room for numbers in SVG than they take. */
        "lift = format eq 'svg' ? 2.6 : 1.2\n"
        "set multiplot\n");
}

void bnre__panels_place(bnre__figure *figure, double left, double bottom,
                        double width, double height)
{
    bnre__figure_script(figure, "\n");
    bnre__panel_place(figure, left, bottom, width, height);
    bnre__figure_script(
        figure, "unset title; unset xlabel; unset ylabel; unset logscale\n"
                "set xtics autofreq; set ytics autofreq\n"
                "set xrange [*:*]; set yrange [*:*]\n");
}

void bnre__panels_last(bnre__figure *figure)
{
    bnre__figure_script(figure,
                        "\nset lmargin at screen 0; set rmargin at screen 1\n"
                        "set bmargin at screen 0; set tmargin at screen 1\n"
                        "unset border; unset tics; unset title; unset grid\n"
                        "unset xlabel; unset ylabel; unset logscale\n"
                        "set xrange [0:1]; set yrange [0:1]\n");
}

bnre_status bnre__panels_end(bnre__figure *figure, const char *formats,
                             int *drawn)
{
    bnre__figure_script(figure, "plot -1\nunset multiplot\n");
    return bnre__figure_end(figure, formats, drawn);
}

void bnre__panels_title(bnre__figure *figure, const char *what,
                        const char *text)
{
    if (strcmp(what, "title") == 0)
        bnre__panel_title(figure, text, figure->panel, figure->panel + 0.4,
                          "offset 0,-0.5");
    else
        bnre__panel_label(figure, what, text,
                          *what == 'y' ? "offset lift,0" : "offset 0,0.4");
}

/* ---- the axis ---- */

enum { MOST_TICKS = 8 };

/* Inches of a letter on the axis, on average, and with room. */
static const double inch_small = 0.06, inch_letter = 0.075;

double bnre__panels_slant(const bnre__layout *layout, double width)
{
    size_t longest = 0;

    for (size_t i = 0; i < layout->ticks && !layout->numeric; i++) {
        const size_t length = strlen(layout->tick[i].text);

        longest = length > longest ? length : longest;
    }
    if ((double)(longest * layout->ticks) * inch_letter < width)
        return 0;
    return (double)longest * inch_small;
}

static size_t tick_step(const bnre__layout *layout, size_t most)
{
    return (layout->ticks + most - 1) / most;
}

/* The range and the ticks of the horizontal axis. */
static void draw_axis(bnre__figure *figure, const bnre__layout *layout)
{
    const size_t step = tick_step(layout, MOST_TICKS);
    const double slant = bnre__panels_slant(layout, figure->panel);
    const double first = layout->tick[0].at;
    const double last = layout->tick[layout->ticks - 1].at;
    const double ratio = pow(last / first, 0.04);
    const double low = layout->logarithmic ? first / ratio
                       : layout->numeric   ? first - 0.04 * (last - first)
                                           : 0.5;
    const double high = layout->logarithmic ? last * ratio
                        : layout->numeric   ? last + 0.04 * (last - first)
                                            : last + 0.5;
    char text[64];

    bnre__figure_script(figure, "%sset xrange [%.9g:%.9g]\nset xtics (",
                        layout->logarithmic ? "set logscale x 2\n" : "", low,
                        high);
    for (size_t i = 0; i < layout->ticks; i += step) {
        bnre__layout_text(layout, i, 1, text);
        /* It is the user's where it is no number. */
        if (layout->numeric)
            bnre__figure_script(figure, "'%s'", text);
        else
            bnre__figure_tic(figure, text);
        bnre__figure_script(figure, " %.9g%s", layout->tick[i].at,
                            i + step < layout->ticks ? ", " : ")");
    }
    bnre__figure_script(figure, "%s\n", slant > 0 ? " rotate by 30 right" : "");
    bnre__panels_title(figure, "xlabel", bnre__layout_title(layout));
    /* gnuplot leaves room as if words stood upright. */
    if (slant > 0)
        bnre__figure_script(figure, "set xlabel offset 0,%.2f\n",
                            0.4 + 1.8 * slant);
}

/* ---- colours ---- */

const char *bnre__tick_colour(const bnre__layout *layout, size_t tick,
                              char out[8])
{
    return bnre__colour_scale(
        layout->ticks > 1 ? (double)tick / (double)(layout->ticks - 1) : 0.35,
        out);
}

/* The methods have colours of their own as long as there is one series of
   each. */
static const char *series_colour(const bnre__layout *layout, size_t series)
{
    size_t same = 0;

    for (size_t s = 0; s < layout->n; s++)
        same += layout->series[s].method == layout->series[series].method;
    if (layout->n == 1 || (layout->n == 2 && same == 1))
        return bnre__colour_of(layout->series[series].method == 'n');
    return bnre__colour_of(series);
}

const char *bnre__constant_colour(const bnre__layout *layout, size_t series)
{
    size_t n = 0;

    for (size_t s = 0; s < layout->n; s++)
        n += layout->series[s].constant != BNRE__NO_CELL;
    return n > 1 ? series_colour(layout, series) : BNRE__INK_CONSTANT;
}

/* ---- legends ---- */

double bnre__legend_margin(const bnre__layout *layout, double least)
{
    double margin = least;

    for (size_t i = 0; i < layout->ticks && !layout->numeric; i++)
        margin = fmax(margin, bnre__legend_width(layout->tick[i].text));
    for (size_t s = 0; s < layout->n && layout->ticks == 1; s++)
        margin = fmax(margin, bnre__legend_width(layout->series[s].label));
    return margin;
}

size_t bnre__legend_lines(const bnre__layout *layout, double left, double width)
{
    size_t lines = 1;
    double x = left;

    for (size_t s = 0; s < layout->n && s < BNRE__MOST_SERIES; s++) {
        const double wide = bnre__legend_width(layout->series[s].label);

        if (x > left && x + wide > width) {
            x = left;
            lines++;
        }
        x += wide;
    }
    return lines;
}

void bnre__legend_line(bnre__legend *legend, const char *colour, int dashed,
                       const char *text)
{
    char style[64];

    snprintf(style, sizeof style, "linewidth 2 linecolor rgb '%s'%s", colour,
             dashed ? " dashtype (6,4)" : "");
    bnre__legend_stroke(legend, style, text);
}

void bnre__legend_ticks(bnre__legend *legend, const bnre__layout *layout)
{
    const size_t step = tick_step(layout, 10);
    char text[64], colour[8];

    if (layout->key == NULL)
        return;
    bnre__legend_stroke(legend, NULL, bnre__layout_title(layout));
    for (size_t i = 0; i < layout->ticks; i += step)
        bnre__legend_line(legend, bnre__tick_colour(layout, i, colour), 0,
                          bnre__layout_text(layout, i, 0, text));
}

void bnre__legend_series(bnre__legend *legend, const bnre__layout *layout)
{
    for (size_t s = 0; s < layout->n && s < BNRE__MOST_SERIES; s++) {
        const int constant = layout->series[s].constant != BNRE__NO_CELL;

        bnre__legend_line(legend,
                          constant ? bnre__constant_colour(layout, s)
                                   : series_colour(layout, s),
                          constant, layout->series[s].label);
    }
}

static bnre_estimate share_at(const bnre__saved_run *run, size_t level)
{
    const bnre_diag_curve *curve = bnre__diagnosis_curve(run->diagnosis);

    if (curve == NULL)
        return (bnre_estimate){NAN, NAN};
    return (bnre_estimate){
        curve->coverage.share[level],
        (curve->coverage.high[level] - curve->coverage.low[level]) / 2};
}

/* A block: level, mean over runs, and a standard deviation below and above it;
   of a single run its interval. And its curve in the plot. */
static void plot_coverage(bnre__figure *figure, const bnre__layout *layout,
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

        plot_coverage(figure, layout, one->constant,
                      bnre__constant_colour(layout, s), 1);
        if (series == BNRE__ALL_SERIES)
            plot_coverage(figure, layout, one->cell[0],
                          series_colour(layout, s), 0);
        for (size_t t = 0; s == series && t < layout->ticks; t++)
            plot_coverage(figure, layout, one->cell[t],
                          bnre__tick_colour(layout, t, colour), 0);
    }
    bnre__figure_script(figure, "\n");
}

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

static void plot_losses(bnre__figure *figure, const bnre__layout *layout,
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
        plot_losses(figure, layout, one->cell[t], column,
                    bnre__tick_colour(layout, t, colour), 0);
    plot_losses(figure, layout, one->constant, column,
                bnre__constant_colour(layout, series), 1);
    bnre__figure_script(figure, "\n");
}

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
    const char *colour = series_colour(layout, series);
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

    draw_axis(figure, layout);
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
