/* layout.h - how the cells of a study are shown: what varies along an axis, and
   what makes lines of their own.

   The axis is the swept key with the most numbers (the number of simulations
   before others), or else the one with the most values; the method is never the
   axis. Cells that differ in nothing but the axis make a series. A cell for
   which the axis has no meaning (lambda in the method nre) or that chose its
   own value (`auto` among numbers) is shown for comparison all along it. */
#ifndef BNRE_PAGE_LAYOUT_H
#define BNRE_PAGE_LAYOUT_H

#include "study/page/saved.h"

#define BNRE__NO_CELL ((size_t)-1)

typedef struct bnre__tick {
    const char *text;
    double at; /* the number, or 1, 2, ... for words */
} bnre__tick;

typedef struct bnre__series {
    char *label;
    int method;      /* 'n' of nre or 'b' of bnre */
    size_t model;    /* a cell of it */
    size_t *cell;    /* (ticks) or BNRE__NO_CELL */
    size_t constant; /* the cell without a place on the axis, or the same */
} bnre__series;

typedef struct bnre__layout {
    const bnre__saved_study *study;
    const char *task;  /* cells of this task only */
    const char *key;   /* the axis; NULL if there is none, with one tick */
    int numeric, log2; /* log2: all of its numbers are powers of two */
    int logarithmic;
    bnre__tick *tick; /* in growing order, words as they come */
    size_t ticks, tick_room;
    bnre__series *series;
    size_t n, series_room;
} bnre__layout;

/* Errors: ENOMEM. Cleared on failure. */
BNRE_MUST_CHECK bnre_status bnre__layout_init(const bnre__saved_study *study,
                                              const char *task,
                                              bnre__layout *out);
void bnre__layout_clear(bnre__layout *layout);

/* Whether a run of any of its cells has this number. */
int bnre__layout_knows(const bnre__layout *layout, bnre__quantity quantity,
                       size_t which);

/* What the axis is called in figures, and its value at a tick: "2^{10}" if
   `enhanced`, or "65,536". */
const char *bnre__layout_title(const bnre__layout *layout);
const char *bnre__layout_text(const bnre__layout *layout, size_t tick,
                              int enhanced, char out[64]);

#endif
