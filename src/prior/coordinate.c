/* coordinate.c - parameters in the coordinates of their prior. */
#include "prior/coordinate.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "num/dist.h"
#include "prior/prior.h"
#include "prior/sample_map.h"

struct factor {
    size_t parameter;
    bnre__range range;
    int upper;        /* of half a line: the bound is above */
    double low, high; /* between which the parameter is in any case */

    bnre__discrete discrete; /* of values in a list: what they are, and mean */
    double mean, scale;      /* and standard deviation of their coordinates */

    const bnre__joint *block; /* of parameters that it depends on, or NULL, */
    bnre__given given;        /* and what the earlier ones say of it */

    /* Earlier parameters that this one is not below, or not above. */
    size_t lows, highs;
    size_t *at_least, *at_most;
};

struct bnre__coordinates {
    const bnre_prior *prior;
    size_t dim, factors;
    struct factor *factor; /* (factors) */
    bnre__sample_map *map; /* (factors) of a prior known by draws; else NULL */
    int cut;               /* some interval is not the family's own */
    int reject;
};

/* ---- orders ---- */

/* at_most[i * dim + j]: parameter i is at most parameter j, for some reason. */
static void close_order(size_t dim, unsigned char *at_most)
{
    for (size_t k = 0; k < dim; k++)
        for (size_t i = 0; i < dim; i++)
            for (size_t j = 0; at_most[i * dim + k] && j < dim; j++)
                at_most[i * dim + j] |= at_most[k * dim + j];
}

/* Bounds of the prior go on through the order: if a <= b and b <= 3, a <= 3. */
static void spread_bounds(size_t dim, const unsigned char *at_most, double *low,
                          double *high)
{
    for (size_t i = 0; i < dim; i++)
        for (size_t j = 0; j < dim; j++)
            if (at_most[i * dim + j]) {
                low[j] = fmax(low[j], low[i]);
                high[i] = fmin(high[i], high[j]);
            }
}

static void take_ordering(size_t dim, const bnre__ordering *o,
                          unsigned char *at_most, double *low, double *high)
{
    if (o->below != BNRE__NO_PARAMETER && o->above != BNRE__NO_PARAMETER)
        at_most[o->below * dim + o->above] = 1;
    else if (o->below != BNRE__NO_PARAMETER)
        high[o->below] = fmin(high[o->below], o->high);
    else if (o->above != BNRE__NO_PARAMETER)
        low[o->above] = fmax(low[o->above], o->low);
}

static bnre_status list_bounds(const bnre__coordinates *c, struct factor *f,
                               size_t j, const unsigned char *at_most)
{
    bnre_status status = BNRE_OK;

    BNRE_NEW(f->at_least, c->factors);
    BNRE_NEW(f->at_most, c->factors);
    for (size_t k = 0; k < j; k++) {
        const size_t earlier = c->factor[k].parameter;

        if (at_most[earlier * c->dim + f->parameter])
            f->at_least[f->lows++] = earlier;
        if (at_most[f->parameter * c->dim + earlier])
            f->at_most[f->highs++] = earlier;
    }
done:
    return status;
}

/* Mean and standard deviation of the places in a list of values. */
static void measure_values(const bnre_prior *prior, struct factor *f, size_t n)
{
    double square = 0;

    f->range = BNRE__VALUES;
    f->mean = 0;
    for (size_t k = 0; k < n; k++) {
        const double mass = bnre__prior_mass(prior, f->parameter, k);

        f->mean += mass * (double)k;
        square += mass * (double)k * (double)k;
    }
    f->scale = sqrt(fmax(square - f->mean * f->mean, 1e-12));
    if (f->discrete == BNRE__CATEGORIES) {
        f->mean = 0;
        f->scale = 1;
    }
}

static void choose_range(const bnre_prior *prior, struct factor *f)
{
    size_t n;
    const int below = isfinite(f->low) || f->lows > 0;
    const int above = isfinite(f->high) || f->highs > 0;

    f->discrete = bnre__prior_values(prior, f->parameter, &n);
    if (f->discrete != BNRE__CONTINUOUS) {
        measure_values(prior, f, n);
        return;
    }
    f->upper = above && !below;
    f->range = below && above   ? BNRE__UNIT
               : below || above ? BNRE__HALF
                                : BNRE__LINE;
}

static bnre_status find_bounds(bnre__coordinates *c)
{
    const size_t dim = c->dim;
    bnre_status status = BNRE_OK;
    bnre__ordering *ordering = NULL;
    unsigned char *at_most = NULL;
    double *low = NULL, *high = NULL;
    size_t n;

    n = bnre__prior_orderings(c->prior, 0, NULL, &c->reject);
    BNRE_NEW(ordering, n);
    BNRE_NEW(at_most, dim * dim);
    BNRE_NEW(low, dim);
    BNRE_NEW(high, dim);
    bnre__prior_orderings(c->prior, n, ordering, &c->reject);
    c->cut = n > 0;
    for (size_t i = 0; i < dim; i++)
        bnre_prior_support(c->prior, i, &low[i], &high[i]);
    for (size_t k = 0; k < n; k++)
        take_ordering(dim, &ordering[k], at_most, low, high);
    close_order(dim, at_most);
    spread_bounds(dim, at_most, low, high);
    for (size_t j = 0; j < c->factors; j++) {
        struct factor *f = &c->factor[j];

        f->low = low[f->parameter];
        f->high = high[f->parameter];
        BNRE_TRY(list_bounds(c, f, j, at_most));
        choose_range(c->prior, f);
    }
done:
    bnre__free(high);
    bnre__free(low);
    bnre__free(at_most);
    bnre__free(ordering);
    return status;
}

/* Of a factor in a block: which of the block come before it. */
static void find_given(bnre__coordinates *c, size_t j)
{
    struct factor *f = &c->factor[j];
    size_t place, other, m = 0, which[BNRE__JOINT];

    f->block = bnre__prior_joint(c->prior, f->parameter, &place);
    for (size_t k = 0; f->block != NULL && k < j; k++)
        if (bnre__prior_joint(c->prior, c->factor[k].parameter, &other) ==
            f->block)
            which[m++] = other;
    if (f->block != NULL)
        bnre__joint_given(f->block, place, m, which, &f->given);
}

/* ---- making ---- */

bnre_status bnre__coordinates_create(const bnre_prior *prior, size_t factors,
                                     const size_t *order,
                                     bnre__coordinates **out)
{
    bnre_status status = BNRE_OK;
    bnre__coordinates *c = NULL;
    size_t rows;

    *out = NULL;
    BNRE_NEW(c, 1);
    c->prior = prior;
    c->dim = bnre_prior_dim(prior);
    BNRE_NEW(c->factor, factors);
    c->factors = factors;
    for (size_t j = 0; j < factors; j++)
        c->factor[j].parameter = order[j];
    BNRE_TRY(find_bounds(c));
    for (size_t j = 0; j < factors; j++)
        find_given(c, j);
    if (bnre__prior_samples(prior, &rows) != NULL) {
        BNRE_NEW(c->map, factors);
        for (size_t j = 0; j < factors; j++)
            bnre__sample_map_init(&c->map[j], rows,
                                  bnre__prior_sorted(prior, order[j]));
    }
    *out = c;
    c = NULL;
done:
    bnre__coordinates_destroy(c);
    return status;
}

void bnre__coordinates_destroy(bnre__coordinates *c)
{
    if (c == NULL)
        return;
    for (size_t j = 0; j < c->factors; j++) {
        bnre__free(c->factor[j].at_least);
        bnre__free(c->factor[j].at_most);
    }
    bnre__free(c->map);
    bnre__free(c->factor);
    bnre__free(c);
}

bnre__range bnre__coordinates_range(const bnre__coordinates *c, size_t factor)
{
    return c->factor[factor].range;
}

int bnre__coordinates_alone(const bnre__coordinates *c, size_t factor)
{
    const struct factor *f = &c->factor[factor];

    return f->lows == 0 && f->highs == 0 && f->block == NULL;
}

int bnre__coordinates_reject(const bnre__coordinates *c)
{
    return c->reject;
}

/* ---- intervals ---- */

/* Where a parameter can be, and what share of its family that is: F of the
   bounds. If a bound is an earlier parameter, which. */
struct interval {
    double low, high;
    double below, up_to; /* F */
    size_t low_from, high_from;
};

static struct interval interval_of(const bnre__coordinates *c,
                                   const struct factor *f, const double *theta)
{
    struct interval in = {.low = f->low,
                          .high = f->high,
                          .up_to = 1,
                          .low_from = BNRE__NO_PARAMETER,
                          .high_from = BNRE__NO_PARAMETER};

    if (!c->cut)
        return in;
    for (size_t k = 0; k < f->lows; k++)
        if (theta[f->at_least[k]] > in.low)
            in.low = theta[in.low_from = f->at_least[k]];
    for (size_t k = 0; k < f->highs; k++)
        if (theta[f->at_most[k]] < in.high)
            in.high = theta[in.high_from = f->at_most[k]];
    if (isfinite(in.low))
        in.below = bnre_prior_cdf(c->prior, f->parameter, in.low);
    if (isfinite(in.high))
        in.up_to = bnre_prior_cdf(c->prior, f->parameter, in.high);
    return in;
}

/* Of an interval without any mass, the least there is. */
static double share_of(const struct interval *in)
{
    return fmax(in->up_to - in->below, DBL_MIN);
}

/* ---- parameters that depend on earlier ones ---- */

/* The mean of a parameter given those before it. */
static double mean_given(const struct factor *f, const double *theta)
{
    const bnre__joint *block = f->block;
    size_t place = 0;
    double sum;

    while (block->at[place] != f->parameter)
        place++;
    sum = block->mean[place];
    for (size_t k = 0; k < f->given.m; k++)
        sum += f->given.slope[k] * (theta[block->at[f->given.which[k]]] -
                                    block->mean[f->given.which[k]]);
    return sum;
}

/* Its coordinate: log F - log(1 - F) of a normal number. */
static double dependent_at(const struct factor *f, const double *theta)
{
    const double z = (theta[f->parameter] - mean_given(f, theta)) / f->given.sd;

    return log(fmax(bnre__normal_cdf(z), DBL_MIN)) -
           log(fmax(bnre__normal_cdf(-z), DBL_MIN));
}

static double dependent_value(const struct factor *f, const double *theta,
                              double at)
{
    /* From the nearer end, where F is small. */
    const double share = 1 / (1 + exp(fabs(at)));
    const double z = bnre__normal_quantile(fmax(share, DBL_MIN));

    return mean_given(f, theta) + f->given.sd * (at < 0 ? z : -z);
}

/* d c / d theta, to the parameter itself and with slopes to those before. */
static void dependent_back(const struct factor *f, const double *theta,
                           double dc, double *dtheta)
{
    const double z = (theta[f->parameter] - mean_given(f, theta)) / f->given.sd;
    const double density = exp(-0.5 * z * z - 0.91893853320467274);
    const double slope = fmin(density / fmax(bnre__normal_cdf(z), DBL_MIN) +
                                  density / fmax(bnre__normal_cdf(-z), DBL_MIN),
                              1e300);

    dtheta[f->parameter] += dc * slope / f->given.sd;
    for (size_t k = 0; k < f->given.m; k++)
        dtheta[f->block->at[f->given.which[k]]] -=
            dc * slope / f->given.sd * f->given.slope[k];
}

/* ---- coordinates ---- */

static double coordinate(const struct factor *f, const struct interval *in,
                         double share)
{
    const double below = fmax(share, DBL_MIN);
    const double above = fmax(1 - share, DBL_EPSILON / 2);

    if (f->range == BNRE__UNIT)
        return fmin(fmax((share - in->below) / share_of(in), 0), 1);
    if (f->range == BNRE__LINE)
        return log(below) - log(above);
    return fmax(0, f->upper ? -log(below / in->up_to)
                            : -log(above / (1 - in->below)));
}

double bnre__coordinates_at(const bnre__coordinates *c, size_t j,
                            const double *theta)
{
    const struct factor *f = &c->factor[j];
    const size_t i = f->parameter;
    const struct interval in = interval_of(c, f, theta);

    if (f->range == BNRE__VALUES)
        return (double)bnre__prior_index(c->prior, i, theta[i]);
    if (f->block != NULL)
        return dependent_at(f, theta);
    return c->map != NULL
               ? bnre__sample_map_of(&c->map[j], theta[i], NULL)
               : coordinate(f, &in, bnre_prior_cdf(c->prior, i, theta[i]));
}

void bnre__coordinates_of(const void *coordinates, const double *theta,
                          float *out)
{
    const bnre__coordinates *c = coordinates;

    memset(out, 0, c->dim * sizeof *out);
    for (size_t j = 0; j < c->factors; j++)
        out[c->factor[j].parameter] = (float)bnre__coordinates_at(c, j, theta);
}

/* F within (0, 1). */
static double open_share(double share)
{
    return fmin(fmax(share, DBL_MIN), 1 - DBL_EPSILON / 2);
}

double bnre__coordinates_value(const bnre__coordinates *c, size_t j,
                               const double *theta, double at)
{
    const struct factor *f = &c->factor[j];
    const struct interval in = interval_of(c, f, theta);
    double share, value;

    if (f->range == BNRE__VALUES)
        return bnre__prior_value(c->prior, f->parameter, (size_t)(at + 0.5));
    if (f->block != NULL)
        return dependent_value(f, theta, at);
    if (c->map != NULL)
        return bnre__sample_map_value(&c->map[j], at);
    if (f->range == BNRE__UNIT)
        share = in.below + at * (in.up_to - in.below);
    else if (f->range == BNRE__HALF)
        share =
            f->upper ? in.up_to * exp(-at) : in.below * exp(-at) - expm1(-at);
    else
        share = at < 0 ? exp(at) / (1 + exp(at)) : 1 / (1 + exp(-at));
    value = bnre_prior_quantile(c->prior, f->parameter, open_share(share));
    return c->cut ? fmin(fmax(value, in.low), in.high) : value;
}

double bnre__coordinates_log_share(const bnre__coordinates *c,
                                   const double *theta)
{
    double sum = bnre__prior_log_share(c->prior);

    for (size_t j = 0; c->cut && j < c->factors; j++) {
        const struct interval in = interval_of(c, &c->factor[j], theta);

        if (c->factor[j].range == BNRE__VALUES)
            continue;
        sum -= log(share_of(&in));
    }
    return sum;
}

/* ---- the way back ---- */

/* Derivatives of a coordinate by F of the value and of both bounds. */
struct slopes {
    double share, below, up_to;
};

static struct slopes slopes_of(const struct factor *f,
                               const struct interval *in, double share)
{
    const double below = fmax(share, DBL_MIN);
    const double above = fmax(1 - share, DBL_EPSILON / 2);
    const double all = share_of(in), c = (share - in->below) / all;

    if (f->range == BNRE__UNIT)
        return (struct slopes){1 / all, (c - 1) / all, -c / all};
    if (f->range == BNRE__LINE)
        return (struct slopes){1 / below + 1 / above, 0, 0};
    if (f->upper)
        return (struct slopes){-1 / below, 0, 1 / fmax(in->up_to, DBL_MIN)};
    return (struct slopes){1 / above, -1 / fmax(1 - in->below, DBL_EPSILON / 2),
                           0};
}

/* Huge, but no infinity: slopes at ends where a density is not finite. */
static double tame(double value)
{
    return fmin(fmax(value, -1e300), 1e300);
}

static void back_factor(const bnre__coordinates *c, const struct factor *f,
                        const double *theta, double dc, double *dtheta)
{
    const size_t i = f->parameter;
    const struct interval in = interval_of(c, f, theta);
    const struct slopes s =
        slopes_of(f, &in, bnre_prior_cdf(c->prior, i, theta[i]));
    const double all = share_of(&in);

    dtheta[i] += tame(
        dc * tame(s.share * bnre__prior_density_of(c->prior, i, theta[i])));
    if (in.low_from != BNRE__NO_PARAMETER)
        dtheta[in.low_from] +=
            tame((dc * s.below + 1 / all) *
                 bnre__prior_density_of(c->prior, i, in.low));
    if (in.high_from != BNRE__NO_PARAMETER)
        dtheta[in.high_from] +=
            tame((dc * s.up_to - 1 / all) *
                 bnre__prior_density_of(c->prior, i, in.high));
}

void bnre__coordinates_back(const bnre__coordinates *c, const double *theta,
                            const double *dc, double *dtheta)
{
    memset(dtheta, 0, c->dim * sizeof *dtheta);
    for (size_t j = 0; j < c->factors; j++) {
        const size_t i = c->factor[j].parameter;
        double slope;

        if (c->factor[j].range == BNRE__VALUES)
            continue;
        if (c->factor[j].block != NULL) {
            dependent_back(&c->factor[j], theta, dc[j], dtheta);
        } else if (c->map == NULL) {
            back_factor(c, &c->factor[j], theta, dc[j], dtheta);
        } else {
            (void)bnre__sample_map_of(&c->map[j], theta[i], &slope);
            dtheta[i] += dc[j] * slope;
        }
    }
}

/* ---- for networks ---- */

double bnre__coordinates_seen(const bnre__coordinates *c, size_t j, double at)
{
    const struct factor *f = &c->factor[j];

    return f->range == BNRE__VALUES ? (at - f->mean) / f->scale
                                    : bnre__coordinate_standard(f->range, at);
}

double bnre__coordinates_seen_slope(const bnre__coordinates *c, size_t j)
{
    const bnre__range range = c->factor[j].range;

    return range == BNRE__VALUES ? 0 : bnre__coordinate_standard_slope(range);
}

double bnre__coordinate_standard(bnre__range range, double c)
{
    return range == BNRE__UNIT   ? 3.4641016151377546 * (c - 0.5)
           : range == BNRE__HALF ? c - 1
                                 : c * 0.5513288954217921; /* sqrt(3) / pi */
}

double bnre__coordinate_standard_slope(bnre__range range)
{
    return bnre__coordinate_standard(range, 1) -
           bnre__coordinate_standard(range, 0);
}
