/* What the panels of figures over a study share: axis, colours, legends. */
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

void bnre__panels_axis(bnre__figure *figure, const bnre__layout *layout)
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
const char *bnre__series_colour(const bnre__layout *layout, size_t series)
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
    return n > 1 ? bnre__series_colour(layout, series) : BNRE__INK_CONSTANT;
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
                                   : bnre__series_colour(layout, s),
                          constant, layout->series[s].label);
    }
}
