/* panels.h - panels that figures over a study are made of, and what they share:
   the axis, colours, legends. Errors stay in the figure (output/figure.h). */
#ifndef BNRE_PAGE_PANELS_H
#define BNRE_PAGE_PANELS_H

#include "output/panel.h"
#include "study/page/layout.h"

/* ---- what they share (panels.c) ---- */

/* Begin the figure DIR/figures/NAME; a panel with nothing set from the panel
   before it; the last panel, which is empty and carries the legends. */
void bnre__panels_begin(bnre__figure *out, const bnre__saved_study *study,
                        const char *name, double width, double height);
void bnre__panels_place(bnre__figure *figure, double left, double bottom,
                        double width, double height);
void bnre__panels_last(bnre__figure *figure);
BNRE_MUST_CHECK bnre_status bnre__panels_end(bnre__figure *figure,
                                             const char *formats, int *drawn);

/* `what` is title, xlabel or ylabel. */
void bnre__panels_title(bnre__figure *figure, const char *what,
                        const char *text);

/* How long the longest word along an axis of words is, in inches, if they do
   not fit side by side below a panel and are written aslant; else 0. */
double bnre__panels_slant(const bnre__layout *layout, double width);

/* The colour of a tick, and of the cell of a series without a place on the
   axis: dark, if it is the only one. */
const char *bnre__tick_colour(const bnre__layout *layout, size_t tick,
                              char out[8]);
const char *bnre__constant_colour(const bnre__layout *layout, size_t series);

enum { BNRE__MOST_SERIES = 9 };

/* Inches that a legend at the right side needs: of the ticks, or of the series
   if there is one tick; `least` as a rule. */
double bnre__legend_margin(const bnre__layout *layout, double least);

/* Lines that a legend of the series to the right needs, from `left` on. */
size_t bnre__legend_lines(const bnre__layout *layout, double left,
                          double width);

/* Of the axis' values, by colour, leaving some out if there are many; of the
   series. */
void bnre__legend_ticks(bnre__legend *legend, const bnre__layout *layout);
void bnre__legend_series(bnre__legend *legend, const bnre__layout *layout);
void bnre__legend_line(bnre__legend *legend, const char *colour, int dashed,
                       const char *text);

/* ---- the panels, each in a file of its own ---- */

#define BNRE__ALL_SERIES ((size_t)-1)

/* Expected coverage against credibility: the curves of one series in the
   colours of the ticks, or one tick of all series in their own. Those without a
   place on the axis are dashed. */
void bnre__coverage_panel(bnre__figure *figure, const bnre__layout *layout,
                          size_t series);

/* A number against the axis. */
typedef struct bnre__trend {
    const char *label; /* of the vertical axis */
    bnre__quantity quantity;
    size_t which;            /* handed to it */
    int median;              /* over runs, else the mean */
    int from_one;            /* the distance of the mean from 1 */
    bnre__quantity baseline; /* a line to compare with, a mean; or NULL */
    int from_zero;           /* the vertical axis begins at 0 */
} bnre__trend;

void bnre__trend_panel(bnre__figure *figure, const bnre__layout *layout,
                       const bnre__trend *trend);

/* The posterior of the first parameter in each cell of the series, the mean
   over its runs, in the colours of the ticks. */
void bnre__posterior_panel(bnre__figure *figure, const bnre__layout *layout,
                           size_t series);

/* Losses of all runs, by epoch: a column of BNRE__HISTORY_... */
void bnre__training_panel(bnre__figure *figure, const bnre__layout *layout,
                          size_t series, size_t column);

#endif
