/* study_corners.h - corner plots of a study's cells, with the same axes. */
#ifndef BNRE_REPORT_STUDY_CORNERS_H
#define BNRE_REPORT_STUDY_CORNERS_H

#include "study/page/gallery.h"

enum { BNRE__MOST_CORNERS = 12 };

/* Draw page `page` of a cell's first run to DIR/figures/NAME, each parameter
   from the lowest to the highest that any run of the task shows. *found is 0,
   and nothing is drawn, where it has none that can be read. Errors: as
   bnre__figure_draw(). */
BNRE_MUST_CHECK bnre_status bnre__study_corner_draw(
    const bnre__findings *findings, size_t cell, size_t page, const char *name,
    const char *formats, int *found, int *drawn);

/* Whether there are others to be compared with. */
int bnre__study_corners_shared(const bnre__findings *findings, size_t cell);

#endif
