#include "study/page/sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "output/wrap.h"

bnre_status bnre__sheet_open(const char *dir, const char *name, double width,
                             double height, bnre__sheet *out)
{
    bnre_status status = BNRE_OK;
    char *stem = NULL;

    *out = (bnre__sheet){.width = width, .height = height};
    BNRE_TRY(bnre__text_format(&stem, "%s/figures/%s", dir, name));
    BNRE_TRY(bnre__figure_create(stem, width, height, &out->figure));
    BNRE_TRY(bnre__figure_script(
        out->figure,
        "small = format eq 'png' ? ',16' : format eq 'pdf' ? ',8' : ',11'\n"
        "set tics font small\n"
        /* gnuplot keeps more room for numbers in SVG than they take. */
        "lift = format eq 'svg' ? 2.6 : 1.2\n"
        "set multiplot\n"));
done:
    bnre__free(stem);
    return status;
}

void bnre__sheet_close(bnre__sheet *sheet)
{
    bnre__figure_destroy(sheet->figure);
    sheet->figure = NULL;
}

bnre_status bnre__sheet_place(bnre__sheet *sheet, double left, double bottom,
                              double width, double height)
{
    sheet->panel = width;
    return bnre__figure_script(
        sheet->figure,
        "\nset lmargin at screen %.4f; set rmargin at screen %.4f\n"
        "set bmargin at screen %.4f; set tmargin at screen %.4f\n"
        "unset title; unset xlabel; unset ylabel; unset logscale\n"
        "set xtics autofreq; set ytics autofreq\n"
        "set xrange [*:*]; set yrange [*:*]\n",
        left / sheet->width, (left + width) / sheet->width,
        bottom / sheet->height, (bottom + height) / sheet->height);
}

bnre_status bnre__sheet_title(bnre__sheet *sheet, const char *what,
                              const char *text)
{
    bnre_status status = BNRE_OK;

    if (strcmp(what, "title") == 0)
        return bnre__wrap_title(sheet->figure, text, sheet->panel,
                                sheet->panel + 0.4, "offset 0,-0.5");
    BNRE_TRY(bnre__figure_script(sheet->figure, "set %s ", what));
    BNRE_TRY(bnre__figure_quoted(sheet->figure, text));
    BNRE_TRY(bnre__figure_script(sheet->figure, " offset %s\n",
                                 *what == 'y' ? "lift,0" : "0,0.4"));
done:
    return status;
}

bnre_status bnre__sheet_block(bnre__sheet *sheet, size_t *out)
{
    *out = sheet->blocks++;
    return bnre__figure_data(sheet->figure, "\n\n");
}

/* ---- the axis ---- */

enum { MOST_TICKS = 8 };

/* Inches of a letter, on average: on the axis, and with room in legends; and
   of a line there. */
static const double inch_small = 0.06, inch_letter = 0.075, inch_line = 0.2;

double bnre__sheet_slant(const bnre__layout *layout, double width)
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

/* The text of a tick is the user's where it is no number. */
static bnre_status write_tick(bnre__sheet *sheet, const bnre__layout *layout,
                              size_t i)
{
    bnre_status status = BNRE_OK;
    char text[64];

    bnre__layout_text(layout, i, 1, text);
    if (layout->numeric)
        BNRE_TRY(bnre__figure_script(sheet->figure, "'%s'", text));
    else
        BNRE_TRY(bnre__figure_tic(sheet->figure, text));
done:
    return status;
}

bnre_status bnre__sheet_axis(bnre__sheet *sheet, const bnre__layout *layout)
{
    const size_t step = tick_step(layout, MOST_TICKS);
    const double slant = bnre__sheet_slant(layout, sheet->panel);
    const double first = layout->tick[0].at;
    const double last = layout->tick[layout->ticks - 1].at;
    const double ratio = pow(last / first, 0.04);
    const double low = layout->logarithmic ? first / ratio
                       : layout->numeric   ? first - 0.04 * (last - first)
                                           : 0.5;
    const double high = layout->logarithmic ? last * ratio
                        : layout->numeric   ? last + 0.04 * (last - first)
                                            : last + 0.5;
    bnre_status status = BNRE_OK;

    if (layout->logarithmic)
        BNRE_TRY(bnre__figure_script(sheet->figure, "set logscale x 2\n"));
    BNRE_TRY(bnre__figure_script(
        sheet->figure, "set xrange [%.9g:%.9g]\nset xtics (", low, high));
    for (size_t i = 0; i < layout->ticks; i += step) {
        BNRE_TRY(write_tick(sheet, layout, i));
        BNRE_TRY(bnre__figure_script(sheet->figure, " %.9g%s",
                                     layout->tick[i].at,
                                     i + step < layout->ticks ? ", " : ")"));
    }
    BNRE_TRY(bnre__figure_script(sheet->figure, "%s\n",
                                 slant > 0 ? " rotate by 30 right" : ""));
    BNRE_TRY(bnre__sheet_title(sheet, "xlabel", bnre__layout_title(layout)));
    /* gnuplot leaves room as if words stood upright. */
    if (slant > 0)
        BNRE_TRY(bnre__figure_script(
            sheet->figure, "set xlabel offset 0,%.2f\n", 0.4 + 1.8 * slant));
done:
    return status;
}

/* ---- colours ---- */

const char *bnre__tick_colour(const bnre__layout *layout, size_t tick,
                              char out[8])
{
    return bnre__figure_colour(
        layout->ticks > 1 ? (double)tick / (double)(layout->ticks - 1) : 0.35,
        out);
}

/* The methods have colours of their own as long as there is one series of
   each. */
const char *bnre__series_colour(const bnre__layout *layout, size_t series,
                                char out[8])
{
    static const char *const colour[] = {"#0072b2", "#d55e00", "#009e73",
                                         "#cc79a7", "#e69f00", "#56b4e9",
                                         "#7f3c8d", "#666666"};
    size_t same = 0, at = series;

    for (size_t s = 0; s < layout->n; s++)
        same += layout->series[s].method == layout->series[series].method;
    if (layout->n == 1 || (layout->n == 2 && same == 1))
        at = layout->series[series].method == 'n';
    snprintf(out, 8, "%s", colour[at % (sizeof colour / sizeof *colour)]);
    return out;
}

const char *bnre__constant_colour(const bnre__layout *layout, size_t series,
                                  char out[8])
{
    size_t n = 0;

    for (size_t s = 0; s < layout->n; s++)
        n += layout->series[s].constant != BNRE__NO_CELL;
    if (n > 1)
        return bnre__series_colour(layout, series, out);
    snprintf(out, 8, "#333333");
    return out;
}

/* ---- legends ---- */

bnre_status bnre__sheet_legends(bnre__sheet *sheet)
{
    return bnre__figure_script(
        sheet->figure, "\nset lmargin at screen 0; set rmargin at screen 1\n"
                       "set bmargin at screen 0; set tmargin at screen 1\n"
                       "unset border; unset tics; unset title; unset grid\n"
                       "unset xlabel; unset ylabel; unset logscale\n"
                       "set xrange [0:1]; set yrange [0:1]\n");
}

static double entry_width(const char *text)
{
    return 0.55 + inch_letter * (double)strlen(text);
}

double bnre__legend_margin(const bnre__layout *layout, double least)
{
    double margin = least;

    for (size_t i = 0; i < layout->ticks && !layout->numeric; i++)
        margin = fmax(margin, entry_width(layout->tick[i].text));
    for (size_t s = 0; s < layout->n && layout->ticks == 1; s++)
        margin = fmax(margin, entry_width(layout->series[s].label));
    return margin;
}

size_t bnre__legend_lines(const bnre__layout *layout, size_t n, double left,
                          double width)
{
    size_t lines = 1;
    double x = left;

    for (size_t s = 0; s < layout->n && s < n; s++) {
        const double wide = entry_width(layout->series[s].label);

        if (x > left && x + wide > width) {
            x = left;
            lines++;
        }
        x += wide;
    }
    return lines;
}

bnre_status bnre__legend_add(bnre__sheet *sheet, bnre__legend *legend,
                             const char *colour, int dashed, const char *text)
{
    bnre_status status = BNRE_OK;
    double at;

    if (legend->step == 0 && legend->x > legend->left &&
        legend->x + entry_width(text) > sheet->width) {
        legend->x = legend->left;
        legend->y -= inch_line;
    }
    at = legend->x + (colour != NULL ? 0.28 : 0);
    if (colour != NULL)
        BNRE_TRY(bnre__figure_script(
            sheet->figure,
            "set arrow from screen %.4f, screen %.4f to screen %.4f, screen "
            "%.4f nohead linewidth 2 linecolor rgb '%s'%s\n",
            legend->x / sheet->width, legend->y / sheet->height,
            (legend->x + 0.22) / sheet->width, legend->y / sheet->height,
            colour, dashed ? " dashtype (6,4)" : ""));
    BNRE_TRY(bnre__figure_script(sheet->figure, "set label "));
    BNRE_TRY(bnre__figure_quoted(sheet->figure, text));
    BNRE_TRY(bnre__figure_script(sheet->figure,
                                 " at screen %.4f, screen %.4f left font "
                                 "small\n",
                                 at / sheet->width, legend->y / sheet->height));
    legend->y -= legend->step;
    if (legend->step == 0)
        legend->x += entry_width(text);
done:
    return status;
}

bnre_status bnre__legend_ticks(bnre__sheet *sheet, const bnre__layout *layout,
                               bnre__legend *legend)
{
    const size_t step = tick_step(layout, 10);
    bnre_status status = BNRE_OK;
    char text[64], colour[8];

    if (layout->key == NULL)
        return BNRE_OK;
    BNRE_TRY(
        bnre__legend_add(sheet, legend, NULL, 0, bnre__layout_title(layout)));
    for (size_t i = 0; i < layout->ticks; i += step)
        BNRE_TRY(bnre__legend_add(sheet, legend,
                                  bnre__tick_colour(layout, i, colour), 0,
                                  bnre__layout_text(layout, i, 0, text)));
done:
    return status;
}

bnre_status bnre__sheet_draw(bnre__sheet *sheet, const char *formats,
                             int *drawn)
{
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__figure_script(sheet->figure, "plot -1\nunset multiplot\n"));
    BNRE_TRY(bnre__figure_draw(sheet->figure, formats, drawn));
done:
    return status;
}
