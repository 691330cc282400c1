/* mass.c - how much of a conditional density fulfils the conditions of its
   prior.

   Conditions that put parameters in order cut intervals
   (prior/coordinate.h). Of all others the accepted mass is the mean of an
   indicator over q. Points are a lattice, v_ij = frac(s_j + i
   sqrt(prime_j)), under eight random shifts s (Cranley and Patterson 1976),
   from whose means the error is known; u = 1 - |2 v - 1| has no jump at the
   ends, and quantiles of u are the draws. On the line of the last parameter
   that is spoken of nothing is drawn: its network answers for the whole
   line, on which the bounds of what is accepted are searched, and the
   distribution function gives the mass between them. At most 65,536 rows, each
   one pass of the networks up to that parameter. */
#include <math.h>
#include <string.h>

#include "infer/estimator/conditional.h"
#include "num/streams.h"
#include "prior/prior.h"

enum {
    SHIFTS = 8,
    LINE_POINTS = 16, /* between which bounds are searched */
    FEWEST = 256,     /* rows of all shifts */
    MOST = 65536
};

struct lattice {
    const bnre__conditional *c;
    bnre__chain_plan *plan;
    double widen;
    bnre__conditional_room *room;
    double *theta;  /* (dim) */
    size_t factors; /* up to the last that is spoken of */
    uint64_t key;
};

static double tent(double v)
{
    const double u = 1 - fabs(2 * (v - floor(v)) - 1);

    return fmin(fmax(u, 1e-12), 1 - 1e-12);
}

static size_t next_prime(size_t after)
{
    for (size_t n = after + 1;; n++) {
        size_t d = 2;

        while (d * d <= n && n % d != 0)
            d++;
        if (d * d > n)
            return n;
    }
}

/* The shift of a dimension: a number of its own for each. */
static double shift_of(const struct lattice *l, size_t shift, size_t factor)
{
    bnre_rng rng =
        bnre_rng_stream(l->key, bnre__purpose(BNRE_USE_MASS, BNRE_SPLIT_TEST),
                        (uint64_t)shift << 32 | factor);

    return bnre_rng_open(&rng);
}

/* The ends of a line, or where there are none, far out. */
static double line_end(bnre__range range, int upper)
{
    if (upper)
        return range == BNRE__UNIT ? 1 : 40;
    return range == BNRE__LINE ? -40 : 0;
}

/* Coordinates of n rows from `first` on, of all factors but the last, into
   room->c (factors, n); the last factor's raw numbers into room->raw. */
static void walk(const struct lattice *l, size_t shift, size_t first, size_t n)
{
    const bnre__conditional *c = l->c;
    size_t prime = 1;

    for (size_t j = 0; j < l->factors; j++) {
        const bnre__line *line = &c->line[j];
        const double at = shift_of(l, shift, j),
                     step = sqrt((double)(prime = next_prime(prime)));
        bnre__line_density q;

        bnre__chain_factor(l->plan, j, n, l->room->seen, c->factors, NULL,
                           l->room->raw);
        for (size_t i = 0; j + 1 < l->factors && i < n; i++) {
            double place;

            line->type->read(line, l->room->raw + i * c->outputs, l->widen, &q);
            place =
                line->type->quantile(&q, tent(at + (double)(first + i) * step));
            l->room->c[j * n + i] = (float)place;
            l->room->seen[i * c->factors + j] =
                (float)bnre__coordinates_seen(c->coordinates, j, place);
        }
    }
}

/* Whether the conditions hold where the last parameter has coordinate c. */
static int holds(const struct lattice *l, double c)
{
    const size_t last = l->factors - 1;

    l->theta[l->c->order[last]] =
        bnre__coordinates_value(l->c->coordinates, last, l->theta, c);
    return bnre__prior_others_hold(l->c->prior, l->theta);
}

/* Between low and high, of which one is accepted and the other is not. */
static double find_bound(const struct lattice *l, double low, double high)
{
    const int below = holds(l, low);

    for (int i = 0; i < 30; i++) {
        const double middle = low + (high - low) / 2;

        if (holds(l, middle) == below)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}

/* Coordinates at which to look, in order, equally likely each. */
static void spread_points(const bnre__line *line, const bnre__line_density *q,
                          double at[LINE_POINTS + 1])
{
    for (size_t k = 0; k < LINE_POINTS; k++) {
        const double c = line->type->place(q, ((double)k + 0.5) / LINE_POINTS);
        size_t i = k;

        for (; i > 0 && at[i - 1] > c; i--)
            at[i] = at[i - 1];
        at[i] = c;
    }
    at[LINE_POINTS] = line_end(line->range, 1);
}

/* Of values in a list, each that is accepted. */
static double accepted_values(const struct lattice *l, const bnre__line *line,
                              const bnre__line_density *q)
{
    double sum = 0;

    for (size_t k = 0; k < line->components; k++)
        if (holds(l, (double)k))
            sum += exp(line->type->log_density(q, (double)k));
    return sum;
}

/* The mass of a density on the last line that is accepted: bounds are between
   neighbours of about equal mass, so that what two bounds enclose between them
   is small if it is missed. */
static double accepted_mass(const struct lattice *l, const bnre__line *line,
                            const bnre__line_density *q)
{
    double at[LINE_POINTS + 1], sum = 0, from = 0;
    double before = line_end(line->range, 0);
    int inside;

    if (line->range == BNRE__VALUES)
        return accepted_values(l, line, q);
    inside = holds(l, before);
    spread_points(line, q, at);
    for (size_t k = 0; k <= LINE_POINTS; before = at[k++]) {
        double mass;

        if (holds(l, at[k]) == inside)
            continue;
        mass = line->type->cdf(q, find_bound(l, before, at[k]));
        sum += inside ? mass - from : 0;
        from = mass;
        inside = !inside;
    }
    return inside ? sum + 1 - from : sum;
}

/* The share of a row's line that is accepted. */
static double accepted(const struct lattice *l, size_t i, size_t n)
{
    const bnre__conditional *c = l->c;
    const size_t last = l->factors - 1;
    const bnre__line *line = &c->line[last];
    bnre__line_density q;

    for (size_t j = 0; j < last; j++)
        l->theta[c->order[j]] = bnre__coordinates_value(
            c->coordinates, j, l->theta, (double)l->room->c[j * n + i]);
    line->type->read(line, l->room->raw + i * c->outputs, l->widen, &q);
    return accepted_mass(l, line, &q);
}

static double add_rows(const struct lattice *l, size_t shift, size_t first,
                       size_t last)
{
    double sum = 0;

    for (size_t n; first < last; first += n) {
        n = last - first < l->room->rows ? last - first : l->room->rows;
        walk(l, shift, first, n);
        for (size_t i = 0; i < n; i++)
            sum += accepted(l, i, n);
    }
    return sum;
}

/* Fixed parameters have their value; *factors up to the last in conditions. */
static size_t begin(const bnre__conditional *c, double *theta)
{
    size_t factors = 0;

    for (size_t i = 0; i < bnre_prior_dim(c->prior); i++)
        theta[i] = bnre_prior_quantile(c->prior, i, 0.5);
    for (size_t j = 0; j < c->factors; j++)
        if (bnre__prior_others_name(c->prior, c->order[j]))
            factors = j + 1;
    return factors;
}

double bnre__conditional_mass(const bnre__conditional *c,
                              bnre__chain_plan *plan, double widen,
                              bnre__conditional_room *room, uint64_t key,
                              double precision, double *theta)
{
    struct lattice l = {c, plan, widen, room, theta, begin(c, theta), key};
    double sum[SHIFTS] = {0}, mean = 1, spread = 0;

    for (size_t done = 0, rows = FEWEST / SHIFTS;
         l.factors > 0 && rows <= MOST / SHIFTS; done = rows, rows *= 4) {
        mean = spread = 0;
        for (size_t s = 0; s < SHIFTS; s++) {
            sum[s] += add_rows(&l, s, done, rows);
            mean += sum[s] / (double)rows / SHIFTS;
        }
        for (size_t s = 0; s < SHIFTS; s++)
            spread += pow(sum[s] / (double)rows - mean, 2);
        spread = sqrt(spread / (SHIFTS * (SHIFTS - 1)));
        if (spread <= precision * mean)
            break;
    }
    /* Where none is accepted, draws are refused in words. */
    return fmax(mean, 1e-9);
}
