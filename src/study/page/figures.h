/* figures.h - the figures of the page: which there are, and their files. */
#ifndef BNRE_PAGE_FIGURES_H
#define BNRE_PAGE_FIGURES_H

#include "study/page/saved.h"

typedef struct bnre__page_figure {
    char *name;          /* its files are DIR/figures/NAME.* */
    const char *heading; /* static text */
    const char *task;    /* of the cells that it shows; NULL = of all */
    size_t run;          /* whose own it is, from 1; 0 = of all */
    size_t cell;         /* whose corner plot it is, from 1; 0 = it is none */
    char *caption;
} bnre__page_figure;

enum { BNRE__MOST_CORNERS = 12 }; /* cells whose corner plots are shown */

typedef struct bnre__page_figures {
    bnre__page_figure *item;
    size_t n, room;
    int drawn; /* 0: there is no gnuplot, only data and scripts */
} bnre__page_figures;

/* Draw all that there is something to show for, in formats such as "svg,pdf",
   into DIR/figures, which is made. Figures of ours that are there and have
   nothing to show any more are removed. Errors: as bnre__figure_end().
   Cleared on failure. */
BNRE_MUST_CHECK bnre_status
bnre__page_figures_draw(const bnre__saved_study *study, const char *formats,
                        bnre__page_figures *out);
void bnre__page_figures_clear(bnre__page_figures *figures);

#endif
