/* figure.h - pictures, drawn by gnuplot from a script and a table.

   A figure is STEM.gp and STEM.dat, which stay beside the pictures STEM.svg,
   STEM.pdf, ... so that anyone can restyle them: `gnuplot STEM.gp` draws
   STEM.svg again. The script starts with a common style: line styles 1 to 8
   (colours that the colour-blind can tell apart), thin borders, and the
   functions of colour maps. It refers to its table by the variable `data`. */
#ifndef BNRE_REPORT_FIGURE_H
#define BNRE_REPORT_FIGURE_H

#include <stddef.h>

#include "bnre/status.h"

typedef struct bnre__figure bnre__figure;

/* `width` and `height` in inches of paper (on a screen 1 inch is 96 points).
   Errors: ENOMEM, as below. */
BNRE_MUST_CHECK bnre_status bnre__figure_create(const char *stem, double width,
                                                double height,
                                                bnre__figure **out);
void bnre__figure_destroy(bnre__figure *figure); /* NULL is fine */

/* Add to the script, and to the table. Two empty lines in the table begin the
   next block (`index` in gnuplot). A script runs: text that we did not write
   goes into it by the functions below, never by %s. In the table %s is for
   remarks, and made safe to show. */
BNRE_MUST_CHECK bnre_status bnre__figure_script(bnre__figure *figure,
                                                const char *fmt, ...)
    BNRE_PRINTF(2, 3);
BNRE_MUST_CHECK bnre_status bnre__figure_data(bnre__figure *figure,
                                              const char *fmt, ...)
    BNRE_PRINTF(2, 3);

/* `text` as gnuplot shows it literally, in quotes that it cannot leave: for all
   that users or files say. Text beside a tic is another matter. */
BNRE_MUST_CHECK bnre_status bnre__figure_quoted(bnre__figure *figure,
                                                const char *text);
BNRE_MUST_CHECK bnre_status bnre__figure_tic(bnre__figure *figure,
                                             const char *text);

/* Write script and table, and draw in each of the formats ("svg,pdf,png") what
   is not there yet; pictures of another script or table are removed. Equal
   figures give equal bytes.
   Without gnuplot *drawn is 0 and all else is well. Errors: EIO; EUSAGE for an
   unknown format; EIO with gnuplot's own words when it fails. */
BNRE_MUST_CHECK bnre_status bnre__figure_draw(bnre__figure *figure,
                                              const char *formats, int *drawn);

/* Whether all of the formats are known, for complaining early. Errors: EUSAGE
   as above. */
BNRE_MUST_CHECK bnre_status bnre__figure_check_formats(const char *formats);

/* The colour "#rrggbb" of t in [0, 1] on the map from dark violet to yellow
   that budgets are shown in (viridis, up to 0.92 to stay visible on white). */
const char *bnre__figure_colour(double t, char out[8]);

#endif
