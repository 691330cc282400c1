/* gallery.h - the figures of a study. */
#ifndef BNRE_REPORT_GALLERY_H
#define BNRE_REPORT_GALLERY_H

#include "study/page/findings.h"

typedef struct bnre__picture {
    char *name;          /* its files are DIR/figures/NAME.* */
    const char *heading; /* static text */
    const char *task;    /* of the cells that it shows; NULL = of all */
    size_t run;          /* whose own it is, from 1; 0 = of all */
    size_t cell;         /* whose corner plot it is, from 1; 0 = it is none */
    char *caption;
} bnre__picture;

typedef struct bnre__gallery {
    bnre__picture *picture;
    size_t n, room;
    int drawn; /* 0: there is no gnuplot, only data and scripts */
} bnre__gallery;

/* Draw all that there is something to show for, in formats such as "svg,pdf",
   into DIR/figures, which is made. Figures of ours that are there and have
   nothing to show any more are removed. Errors: as bnre__figure_draw().
   Cleared on failure. */
BNRE_MUST_CHECK bnre_status bnre__gallery_draw(const bnre__findings *findings,
                                               const char *formats,
                                               bnre__gallery *out);
void bnre__gallery_clear(bnre__gallery *gallery);

#endif
