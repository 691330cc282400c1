/* sheet.h - figures of several panels: places in inches, axes of a study, bands
   and legends. */
#ifndef BNRE_REPORT_SHEET_H
#define BNRE_REPORT_SHEET_H

#include "output/figure.h"
#include "study/page/layout.h"

typedef struct bnre__sheet {
    bnre__figure *figure;
    double width, height; /* inches */
    double panel;         /* width of the panel that was placed last */
    size_t blocks;        /* of the table so far */
} bnre__sheet;

/* Begin the figure DIR/figures/NAME. Errors: ENOMEM, as below. */
BNRE_MUST_CHECK bnre_status bnre__sheet_open(const char *dir, const char *name,
                                             double width, double height,
                                             bnre__sheet *out);
void bnre__sheet_close(bnre__sheet *sheet);

/* The next panel: what is inside its axes, from the lower left corner. */
BNRE_MUST_CHECK bnre_status bnre__sheet_place(bnre__sheet *sheet, double left,
                                              double bottom, double width,
                                              double height);

/* `what` is title, xlabel or ylabel. */
BNRE_MUST_CHECK bnre_status bnre__sheet_title(bnre__sheet *sheet,
                                              const char *what,
                                              const char *text);

/* End a block of the table; gives its number. */
BNRE_MUST_CHECK bnre_status bnre__sheet_block(bnre__sheet *sheet, size_t *out);

/* The range and the ticks of the horizontal axis. */
BNRE_MUST_CHECK bnre_status bnre__sheet_axis(bnre__sheet *sheet,
                                             const bnre__layout *layout);

/* How long the longest word along an axis of words is, in inches, if they do
   not fit side by side below a panel and are written aslant; else 0. */
double bnre__sheet_slant(const bnre__layout *layout, double width);

/* A legend: what is added appears downwards from the place in inches. */
typedef struct bnre__legend {
    double x, y;
    double step; /* to the next entry, downwards; 0 = to the right */
    double left; /* where lines of one to the right begin */
} bnre__legend;

/* Inches that a legend at the right side needs: of the ticks, or of the series
   if there is one tick; `least` as a rule. */
double bnre__legend_margin(const bnre__layout *layout, double least);

/* Lines that a legend of `n` series to the right needs, from `left` on. */
size_t bnre__legend_lines(const bnre__layout *layout, size_t n, double left,
                          double width);

/* All legends of a sheet stand on a last, empty panel, begun by this. */
BNRE_MUST_CHECK bnre_status bnre__sheet_legends(bnre__sheet *sheet);
BNRE_MUST_CHECK bnre_status bnre__legend_add(bnre__sheet *sheet,
                                             bnre__legend *legend,
                                             const char *colour, int dashed,
                                             const char *text);
/* Of the axis' values, by colour; leaves some out if there are many. */
BNRE_MUST_CHECK bnre_status bnre__legend_ticks(bnre__sheet *sheet,
                                               const bnre__layout *layout,
                                               bnre__legend *legend);

/* Draw all; *drawn is 0 without gnuplot. */
BNRE_MUST_CHECK bnre_status bnre__sheet_draw(bnre__sheet *sheet,
                                             const char *formats, int *drawn);

/* The colour of a tick (viridis), and of a series. */
const char *bnre__tick_colour(const bnre__layout *layout, size_t tick,
                              char out[8]);
/* Of its cell without a place on the axis: dark, if it is the only one. */
const char *bnre__constant_colour(const bnre__layout *layout, size_t series,
                                  char out[8]);
const char *bnre__series_colour(const bnre__layout *layout, size_t series,
                                char out[8]);

#endif
