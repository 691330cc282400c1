/* panel.h - what figures of several panels have in common: places in inches,
   names on several lines, tics, legends. */
#ifndef BNRE_OUTPUT_PANEL_H
#define BNRE_OUTPUT_PANEL_H

#include "output/figure.h"

/* Let the variable `small` of the script be the font of small print. */
#define BNRE__SMALL_FONT                                                       \
    "small = format eq 'png' ? ',16' : format eq 'pdf' ? ',8' : ',11'\n"

/* The next panel: what is inside its axes, from the lower left corner. */
void bnre__panel_place(bnre__figure *figure, double left, double bottom,
                       double width, double height);

/* `what` is title, xlabel or ylabel; `how` is gnuplot's. A title stands on one
   line if `width` inches hold it, else on several of `most` inches, in the font
   `small`. */
void bnre__panel_label(bnre__figure *figure, const char *what, const char *text,
                       const char *how);
void bnre__panel_title(bnre__figure *figure, const char *text, double width,
                       double most, const char *how);

/* ---- lines ---- */

/* The next line of the text *at, which moves past it: at most `most` letters,
   broken at blanks, which go, or after marks such as _ and -, else anywhere; \n
   ends a line, too. Gives its *bytes, or NULL at the end. */
const char *bnre__line_next(const char **at, size_t most, size_t *bytes);
size_t bnre__line_count(const char *text, size_t most);

enum { BNRE__NUMBERS = 1024 };

/* Numbers in words (bnre/marginal.h) with true minus signs, broken between
   parts alone where these fit into `most` letters. Gives `out`. */
const char *bnre__line_numbers(const char *words, size_t most,
                               char out[BNRE__NUMBERS]);

/* ---- tics of small panels, few enough for their labels ---- */

enum { BNRE__TICS = 16 };

typedef struct bnre__tics {
    size_t n;
    double first, step;
    size_t letters;      /* of the longest label */
    size_t every, phase; /* labels are at tics phase, phase + every, ... */
} bnre__tics;

/* About three, off the ends of a panel so that labels do not meet those of its
   neighbour; some have none where `room` letters along the axis do not hold
   all. */
bnre__tics bnre__tics_find(double from, double to, double room);

/* `axis` is x or y. */
void bnre__tics_set(bnre__figure *figure, const char *axis,
                    const bnre__tics *tics, int labels);

/* ---- legends ---- */

/* Placed by hand, in inches from the lower left. Its labels belong to the panel
   that is plotted next. */
typedef struct bnre__legend {
    bnre__figure *figure;
    double x, y; /* of the next entry */
    double step; /* to the one after, downwards; 0 = to the right, on as many
                    lines as it takes */
    double left; /* where lines of one to the right begin */
    int small;   /* in the font `small` */
} bnre__legend;

/* Inches that an entry takes. */
double bnre__legend_width(const char *text);

/* Entries behind a filled box; behind a stroke in a gnuplot style ("linestyle
   8"; NULL = none); lines of small print. */
void bnre__legend_box(bnre__legend *legend, const char *fill, const char *text);
void bnre__legend_stroke(bnre__legend *legend, const char *style,
                         const char *text);
void bnre__legend_note(bnre__legend *legend, const char *note);

#define BNRE__LEGEND_SMALL 0.85 /* of a step: lines of small print */

#endif
