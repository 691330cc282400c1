/* legend.h - a legend placed by hand, where a picture has an empty corner. */
#ifndef BNRE_REPORT_LEGEND_H
#define BNRE_REPORT_LEGEND_H

#include "output/figure.h"

/* In inches from the lower left; each row moves y down by a step. Labels and
   objects belong to the panel plotted next. */
typedef struct bnre__legend {
    bnre__figure *figure;
    double width, height; /* of the figure */
    double x, y, step;
} bnre__legend;

/* A row "name words" behind a filled box, or behind a stroke in a gnuplot style
   ("linestyle 8"). Errors: as bnre__figure_script(). */
BNRE_MUST_CHECK bnre_status bnre__legend_box(bnre__legend *legend,
                                             const char *border,
                                             const char *fill, const char *name,
                                             const char *words);
BNRE_MUST_CHECK bnre_status bnre__legend_stroke(bnre__legend *legend,
                                                const char *style,
                                                const char *name);

#define BNRE__LEGEND_SMALL 0.85 /* of a step: lines of small print */

/* Lines of small print, parted by \n, in the font `small` of the script. */
BNRE_MUST_CHECK bnre_status bnre__legend_note(bnre__legend *legend,
                                              const char *note);

#endif
