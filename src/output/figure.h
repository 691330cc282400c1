/* figure.h - pictures, drawn by gnuplot from a script and a table.

   A figure is STEM.gp and STEM.dat, which stay beside the pictures STEM.svg,
   STEM.pdf, ... so that anyone can restyle them: `gnuplot STEM.gp` draws
   STEM.svg again. The script starts with a common style: line styles 1 to 8
   (colours that the colour-blind can tell apart) and thin borders. It refers to
   its table by the variable `data`.

   A figure fails once, at its end: what puts it together returns nothing. */
#ifndef BNRE_OUTPUT_FIGURE_H
#define BNRE_OUTPUT_FIGURE_H

#include <stddef.h>

#include "base/text.h"
#include "bnre/status.h"

typedef struct bnre__figure {
    double width, height; /* inches of paper; on a screen 1 inch is 96 points */
    double panel;         /* width of the panel that was placed last */
    size_t blocks;        /* of the table, as bnre__figure_block() counts */
    bnre__text stem, script, data;
} bnre__figure;

/* Begin the figure of this stem, which ends with bnre__figure_end(), or is
   given up with bnre__figure_clear(). {0} is an empty one. */
void bnre__figure_begin(bnre__figure *out, double width, double height,
                        const char *stem, ...) BNRE_PRINTF(4, 5);
void bnre__figure_clear(bnre__figure *figure);

/* Add to the script, and to the table. Two empty lines in the table begin the
   next block (`index` in gnuplot). A script runs: text that we did not write
   goes into it by the functions below, never by %s. In the table %s is for
   remarks, and made safe to show. */
void bnre__figure_script(bnre__figure *figure, const char *fmt, ...)
    BNRE_PRINTF(2, 3);
void bnre__figure_data(bnre__figure *figure, const char *fmt, ...)
    BNRE_PRINTF(2, 3);

/* End a block of the table that has so many rows; gives its number. gnuplot
   does not count one without rows. */
size_t bnre__figure_block(bnre__figure *figure, size_t rows);

/* `text` as gnuplot shows it literally, in quotes that it cannot leave: for all
   that users or files say. Text beside a tic is another matter. */
void bnre__figure_quoted(bnre__figure *figure, const char *text);
void bnre__figure_quoted_part(bnre__figure *figure, const char *text,
                              size_t bytes);
void bnre__figure_tic(bnre__figure *figure, const char *text);

/* Let it fail with this status, if it has not yet. */
void bnre__figure_fail(bnre__figure *figure, bnre_status status);

/* Write script and table, and draw in each of the formats ("svg,pdf,png") what
   is not there yet; pictures of another script or table are removed. Equal
   figures give equal bytes. The figure is cleared in any case.
   Without gnuplot *drawn is 0 and all else is well. Errors: EIO; EUSAGE for an
   unknown format; EIO with gnuplot's own words when it fails; those of
   bnre__figure_fail(); ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__figure_end(bnre__figure *figure,
                                             const char *formats, int *drawn);

/* Whether all of the formats are known, for complaining early. Errors: EUSAGE
   as above. */
BNRE_MUST_CHECK bnre_status bnre__figure_check_formats(const char *formats);

/* ---- colours, "#rrggbb" ---- */

#define BNRE__INK "#1f4e79" /* of a posterior */
#define BNRE__INK_TRUTH "#d55e00"
#define BNRE__INK_DASHED "#222222"
#define BNRE__INK_CONSTANT "#333333" /* of what does not vary along an axis */
#define BNRE__INK_TESTED "#555555"
#define BNRE__INK_CHOSEN "#d00000"

/* That of the i-th thing of one kind: line styles 1 to 6 have the first six. */
const char *bnre__colour_of(size_t i);

/* Of t in [0, 1] on the map from dark violet to yellow that budgets are shown
   in (viridis, up to 0.92 to stay visible on white). */
const char *bnre__colour_scale(double t, char out[8]);

/* Of region c out of n, from pale to dark. */
const char *bnre__colour_region(size_t c, size_t n, char out[8]);

#endif
