/* sample_map.h - a smooth coordinate for a parameter known by draws.

   With G the share of draws below a value, and L = log G - log(1 - G) laid on
   [0, 1] so that the smallest draw is at 0 and the largest at 1, the coordinate
   is (G + L) / 2: half of the line is shared out evenly among the draws, and
   the other half stretches thin tails, as coordinates of families without
   bounds do. A sharp end stays an end, and outside nothing is known. It is
   taken at up to 65 knots, equally far from each other in the coordinate, and
   in between by monotone cubic pieces (Fritsch and Carlson): smooth, and with
   few draws no rougher than these tell. */
#ifndef BNRE_PRIOR_SAMPLE_MAP_H
#define BNRE_PRIOR_SAMPLE_MAP_H

#include <stddef.h>

enum { BNRE__SAMPLE_KNOTS = 65 };

typedef struct bnre__sample_map {
    size_t n; /* knots */
    double value[BNRE__SAMPLE_KNOTS], c[BNRE__SAMPLE_KNOTS];
    double slope[BNRE__SAMPLE_KNOTS]; /* d c / d value */
} bnre__sample_map;

/* From `rows` draws in order, of which not all are equal. */
void bnre__sample_map_init(bnre__sample_map *map, size_t rows,
                           const double *sorted);

/* c in [0, 1] with its derivative (unless NULL), and back. */
double bnre__sample_map_of(const bnre__sample_map *map, double value,
                           double *slope);
double bnre__sample_map_value(const bnre__sample_map *map, double c);

#endif
