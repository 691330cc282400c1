/* corner_tics.h - tics of small panels, few enough for their labels. */
#ifndef BNRE_REPORT_CORNER_TICS_H
#define BNRE_REPORT_CORNER_TICS_H

#include "output/figure.h"

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
BNRE_MUST_CHECK bnre_status bnre__tics_set(bnre__figure *figure,
                                           const char *axis,
                                           const bnre__tics *tics, int labels);

#endif
