/* change.c - from one prior to another: what of the new one the old one does not
   reach, and with which probability its draws are draws of the new one. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "num/streams.h"
#include "prior/prior.h"

enum { DRAWS = 65536, SEED = 1 };

/* Whether its values have masses, and no density. */
static int is_whole(const bnre_prior *prior, size_t i)
{
    size_t n = 0;

    (void)bnre__prior_values(prior, i, &n);
    return n > 0;
}

/* Where parameter i of `from` is in `to`. */
static bnre_status find(const bnre_prior *from, size_t i, const bnre_prior *to,
                        size_t *out)
{
    const char *name = bnre_prior_name(from, i);

    for (*out = 0; *out < bnre_prior_dim(to); *out += 1)
        if (strcmp(bnre_prior_name(to, *out), name) == 0)
            return BNRE_OK;
    return bnre_fail(BNRE_EUSAGE, "the new prior says nothing of %s", name);
}

/* Of independent parameters between bounds the mass beyond these is known. */
static int is_box(const bnre_prior *prior)
{
    return bnre_prior_has_density(prior) &&
           !bnre__prior_is_constrained(prior) && !bnre__prior_depends(prior);
}

static double mass_outside(const bnre_prior *from, const bnre_prior *to,
                           const size_t *place)
{
    double log_inside = 0;

    for (size_t i = 0; i < bnre_prior_dim(from); i++) {
        double low, high, beyond;

        bnre_prior_support(from, i, &low, &high);
        /* Values at the ends are inside. */
        beyond = bnre_prior_cdf(to, place[i], nextafter(low, -HUGE_VAL)) +
                 (1 - bnre_prior_cdf(to, place[i], high));
        log_inside += log1p(-fmin(beyond, 1));
    }
    return fabs(expm1(log_inside)); /* never -0 */
}

/* The smallest bound on v beyond which no more than the allowed share of mass
   is lost, from v (n) in increasing order: n (lost - share) = j - M sum 1 / v
   of the j largest. A bound that is hardly smaller than the largest is not
   worth a loss. */
static void find_bound(size_t n, const double *v, bnre_prior_change *out)
{
    const double allowed = BNRE_PRIOR_LOST * DRAWS;
    double sum = 0, most = v[n - 1];

    out->most = v[n - 1];
    for (size_t j = 1; j <= n; j++) {
        sum += 1 / v[n - j];
        most = ((double)j - allowed) / sum;
        if (most > 0 && (j == n || most >= v[n - j - 1]))
            break;
    }
    if (most > 0 && most < 0.9 * v[n - 1]) {
        out->most = most;
        out->lost += BNRE_PRIOR_LOST;
    }
}

/* Whether a draw is where one simulation in a million would be. */
static int is_far(const bnre_prior *from, const double *low, const double *high,
                  const double *own)
{
    for (size_t i = 0; i < bnre_prior_dim(from); i++)
        if (own[i] < low[i] || own[i] > high[i])
            return 1;
    return 0;
}

static bnre_status look_at_draws(const bnre_prior *from, const bnre_prior *to,
                                 const size_t *place, bnre_prior_change *out)
{
    const size_t dim = bnre_prior_dim(from);
    const int known = dim == bnre_prior_dim(to) && bnre_prior_has_density(to);
    bnre_status status = BNRE_OK;
    bnre_rng rng = bnre_rng_stream(
        SEED, bnre__purpose(BNRE_USE_CHANGE, BNRE_SPLIT_TEST), 0);
    double *theta = NULL, *own = NULL, *v = NULL, share;
    double *low = NULL, *high = NULL;
    size_t inside = 0, far = 0;

    BNRE_NEW(theta, bnre_prior_dim(to));
    BNRE_NEW(own, dim);
    BNRE_NEW(v, DRAWS);
    BNRE_NEW(low, dim);
    BNRE_NEW(high, dim);
    for (size_t i = 0; i < dim; i++) {
        low[i] = bnre_prior_quantile(from, i, 1e-6);
        high[i] = bnre_prior_quantile(from, i, 1 - 1e-6);
    }
    for (size_t k = 0; k < DRAWS; k++) {
        double log_from;

        bnre_prior_draw(to, &rng, theta);
        for (size_t i = 0; i < dim; i++)
            own[i] = theta[place[i]];
        log_from = bnre_prior_log_density(from, own);
        if (log_from == -HUGE_VAL)
            continue;
        far += (size_t)is_far(from, low, high, own);
        if (known)
            v[inside] = exp(bnre_prior_log_density(to, theta) - log_from);
        inside++;
    }
    share = 1 - (double)inside / DRAWS;
    out->far = (double)far / DRAWS;
    /* Where it is computed, draws only show what bounds do not tell. */
    if (!out->exact ||
        share > out->outside + 5 * sqrt((out->outside + 1e-4) / DRAWS)) {
        out->outside = share;
        out->exact = 0;
    }
    out->lost = out->outside;
    if (!isnan(out->most) && known && inside > 0) {
        bnre__sort_doubles(inside, v);
        find_bound(inside, v, out);
    } else {
        out->most = NAN;
    }
done:
    bnre__free(high);
    bnre__free(low);
    bnre__free(v);
    bnre__free(own);
    bnre__free(theta);
    return status;
}

bnre_status bnre_prior_compare(const bnre_prior *from, const bnre_prior *to,
                               bnre_prior_change *out)
{
    const size_t dim = bnre_prior_dim(from);
    bnre_status status = BNRE_OK;
    size_t *place = NULL;

    *out = (bnre_prior_change){0};
    BNRE_NEW(place, dim);
    for (size_t i = 0; i < dim; i++) {
        BNRE_TRY(find(from, i, to, &place[i]));
        if ((bnre__prior_is_fixed(to, place[i]) &&
             !bnre__prior_is_fixed(from, i)) ||
            is_whole(to, place[i]) != is_whole(from, i))
            out->most = NAN;
    }
    if (!bnre_prior_has_density(from))
        BNRE_THROW(BNRE_EUSAGE,
                   "the prior of training is known by samples only: where it "
                   "has mass, and how much, cannot be told, so that another "
                   "prior cannot take its place");
    if (is_box(from) && is_box(to)) {
        out->exact = 1;
        out->outside = mass_outside(from, to, place);
    }
    BNRE_TRY(look_at_draws(from, to, place, out));
done:
    bnre__free(place);
    return status;
}
