/* sample_map.c - a smooth coordinate for a parameter known by draws. */
#include "prior/sample_map.h"

#include <math.h>

/* ---- knots ---- */

/* The value below which a share g of the draws lies: draw k stands for the
   share (k + 1/2) / rows. */
static double sample_quantile(size_t rows, const double *sorted, double g)
{
    const double at = fmin(fmax(g * (double)rows - 0.5, 0), (double)(rows - 1));
    const size_t k = (size_t)at;
    const double part = at - (double)k;

    return k + 1 < rows ? sorted[k] + part * (sorted[k + 1] - sorted[k])
                        : sorted[rows - 1];
}

/* Between neighbours in the middle there are then 20 draws or so. */
static size_t count_knots(size_t rows)
{
    const size_t n = 1 + rows / 5;

    return n < 3 ? 3 : n > BNRE__SAMPLE_KNOTS ? BNRE__SAMPLE_KNOTS : n;
}

/* Values that are drawn often share a knot, in the middle of theirs. */
static void add_knot(bnre__sample_map *map, double value, double c,
                     size_t *alike)
{
    double *last = map->n > 0 ? &map->c[map->n - 1] : NULL;

    if (last != NULL && !(value > map->value[map->n - 1])) {
        *last = (*last * (double)*alike + c) / (double)(*alike + 1);
        ++*alike;
        return;
    }
    map->value[map->n] = value;
    map->c[map->n++] = c;
    *alike = 1;
}

/* Slopes of the secants on both sides, joined harmonically, which keeps the
   pieces monotone. */
static void find_slopes(bnre__sample_map *map)
{
    for (size_t k = 0; k < map->n; k++) {
        const size_t a = k > 0 ? k - 1 : 0, b = k + 1 < map->n ? k : k - 1;
        const double left =
            (map->c[a + 1] - map->c[a]) / (map->value[a + 1] - map->value[a]);
        const double right =
            (map->c[b + 1] - map->c[b]) / (map->value[b + 1] - map->value[b]);

        map->slope[k] = 2 / (1 / left + 1 / right);
    }
}

/* The share of draws below coordinate c: that with c = (G + L) / 2, L being the
   logit of G laid on [0, 1]. */
static double share_at(double c, double far)
{
    double low = 0, high = 1;

    for (int i = 0; i < 60; i++) {
        const double g = low + (high - low) / 2;
        const double l = (log(g) - log1p(-g) + far) / (2 * far);

        if ((g + l) / 2 < c)
            low = g;
        else
            high = g;
    }
    return low;
}

void bnre__sample_map_init(bnre__sample_map *map, size_t rows,
                           const double *sorted)
{
    const size_t knots = count_knots(rows);
    const double far = log(2 * (double)rows - 1); /* logit of the largest */
    size_t alike = 0;

    map->n = 0;
    for (size_t k = 0; k < knots; k++) {
        const double c = (double)k / (double)(knots - 1);

        add_knot(map,
                 k == 0 ? sorted[0]
                 : k + 1 == knots
                     ? sorted[rows - 1]
                     : sample_quantile(rows, sorted, share_at(c, far)),
                 c, &alike);
    }
    map->c[0] = 0;
    map->c[map->n - 1] = 1;
    find_slopes(map);
}

/* ---- there and back ---- */

/* The piece of a cubic between knots k and k + 1 at t in [0, 1]. */
static double piece(const bnre__sample_map *map, size_t k, double t,
                    double *slope)
{
    const double h = map->value[k + 1] - map->value[k];
    const double rise = map->c[k + 1] - map->c[k];
    const double p = h * map->slope[k], q = h * map->slope[k + 1];
    const double u = 3 * rise - 2 * p - q, v = p + q - 2 * rise;

    if (slope != NULL)
        *slope = (p + t * (2 * u + t * 3 * v)) / h;
    return map->c[k] + t * (p + t * (u + t * v));
}

static size_t find(size_t n, const double *knot, double at)
{
    size_t low = 0, high = n - 1;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (knot[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double bnre__sample_map_of(const bnre__sample_map *map, double value,
                           double *slope)
{
    const double inside =
        fmin(fmax(value, map->value[0]), map->value[map->n - 1]);
    const size_t k = find(map->n, map->value, inside);
    const double h = map->value[k + 1] - map->value[k];
    const double c = piece(map, k, (inside - map->value[k]) / h, slope);

    return fmin(fmax(c, 0), 1);
}

double bnre__sample_map_value(const bnre__sample_map *map, double c)
{
    const size_t k = find(map->n, map->c, c);
    double low = 0, high = 1;

    for (int i = 0; i < 60 && low < high; i++) {
        const double middle = low + (high - low) / 2;

        if (piece(map, k, middle, NULL) < c)
            low = middle;
        else
            high = middle;
    }
    return fmin(map->value[k] +
                    (low + high) / 2 * (map->value[k + 1] - map->value[k]),
                map->value[map->n - 1]);
}
