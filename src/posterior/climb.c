/* Looking for the peak of a posterior: an evolution strategy from the
   densest point on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "num/streams.h"
#include "posterior/cholesky.h"
#include "posterior/posterior.h"
#include "prior/prior.h"

/* The densest of some thousand draws is far from the peak in many dimensions.
   An evolution strategy climbs on from there: each generation is drawn around a
   centre in the shape of the posterior, and its best quarter is the next
   centre; the size of steps follows success (Beyer and Schwefel 2002). At most
   5,120 evaluations. */
enum { GENERATIONS = 80, CHILDREN = 64, PARENTS = 16 };

struct child {
    double log_density;
    size_t index;
};

struct climb {
    bnre_session *session;
    const bnre_prior *prior;
    size_t dim;
    double *factor;        /* (dim, dim) of the posterior's covariance */
    double *centre, *best; /* (dim) */
    double highest;        /* log density at the best */
    double *allowed;       /* (CHILDREN, dim) children */
    double *ratio, *base;  /* (CHILDREN) */
    struct child child[CHILDREN];
};

static int compare_children(const void *a, const void *b)
{
    const struct child *x = a, *y = b;

    if (x->log_density != y->log_density)
        return x->log_density < y->log_density ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

/* The shape of the posterior; without its correlations if they leave no room.
   A fixed parameter does not move; values in a list stay those of the best. */
static bnre_status find_shape(struct climb *climb,
                              const bnre_posterior *posterior)
{
    const size_t dim = climb->dim;
    bnre_status status = BNRE_OK;
    double *mean = NULL, *covariance = NULL, log_det;

    BNRE_NEW(mean, dim);
    BNRE_NEW(covariance, dim * dim);
    bnre_posterior_moments(posterior, mean, covariance);
    for (size_t i = 0; i < dim; i++)
        if (!(covariance[i * dim + i] > 0))
            covariance[i * dim + i] = 1e-300;
    if (!bnre__cholesky(dim, covariance, climb->factor, &log_det)) {
        memset(climb->factor, 0, dim * dim * sizeof *climb->factor);
        for (size_t i = 0; i < dim; i++)
            climb->factor[i * dim + i] = sqrt(covariance[i * dim + i]);
    }
done:
    bnre__free(covariance);
    bnre__free(mean);
    return status;
}

/* Children around the centre; *n of them are where the prior allows. */
static void breed(struct climb *climb, double size, bnre_rng *rng, size_t *n)
{
    const size_t dim = climb->dim;

    *n = 0;
    for (size_t k = 0; k < CHILDREN; k++) {
        double step[256], *theta = climb->allowed + *n * dim;

        for (size_t i = 0; i < dim; i++)
            step[i] = size * bnre_rng_normal(rng);
        memcpy(theta, climb->centre, dim * sizeof *theta);
        for (size_t i = 0; i < dim; i++)
            for (size_t j = 0; j <= i; j++)
                theta[i] += climb->factor[i * dim + j] * step[j];
        for (size_t i = 0; i < dim; i++) {
            double low, high;

            bnre_prior_support(climb->prior, i, &low, &high);
            theta[i] = low == high ? low : theta[i];
            if (bnre__prior_values(climb->prior, i, NULL) != BNRE__CONTINUOUS)
                theta[i] = climb->best[i];
        }
        climb->base[*n] = bnre_prior_log_density(climb->prior, theta);
        if (isfinite(climb->base[*n]))
            *n += 1;
    }
}

/* One generation; whether it found a better place. */
static bnre_status evolve(struct climb *climb, double size, bnre_rng *rng,
                          int *better)
{
    const size_t dim = climb->dim;
    size_t n, parents;

    *better = 0;
    breed(climb, size, rng, &n);
    if (n == 0)
        return BNRE_OK;
    BNRE_DO(bnre_session_log_ratio(climb->session, n, climb->allowed,
                                   climb->ratio, NULL));
    for (size_t k = 0; k < n; k++)
        climb->child[k] = (struct child){climb->base[k] + climb->ratio[k], k};
    qsort(climb->child, n, sizeof *climb->child, compare_children);
    parents = n < PARENTS ? n : PARENTS;
    memset(climb->centre, 0, dim * sizeof *climb->centre);
    for (size_t k = 0; k < parents; k++)
        for (size_t i = 0; i < dim; i++)
            climb->centre[i] +=
                climb->allowed[climb->child[k].index * dim + i] /
                (double)parents;
    if (climb->child[0].log_density > climb->highest) {
        *better = 1;
        climb->highest = climb->child[0].log_density;
        memcpy(climb->best, climb->allowed + climb->child[0].index * dim,
               dim * sizeof *climb->best);
    }
    return BNRE_OK;
}

static bnre_status go_up(struct climb *climb, bnre_rng *rng)
{
    double size = 0.5;

    for (int g = 0; g < GENERATIONS && size > 1e-4; g++) {
        int better;

        BNRE_DO(evolve(climb, size, rng, &better));
        size *= better ? 1.05 : 0.75;
    }
    return BNRE_OK;
}

bnre_status bnre__posterior_climb(bnre_posterior *posterior,
                                  bnre_session *session, uint64_t seed)
{
    const bnre_points *points = posterior->points;
    const size_t dim = points->dim;
    struct climb climb = {
        .session = session, .prior = points->prior, .dim = dim};
    bnre_rng rng = bnre_rng_stream(
        seed, bnre__purpose(BNRE_USE_CLIMB, BNRE_SPLIT_TEST), 0);
    bnre_status status = BNRE_OK;

    if (!bnre_prior_has_density(points->prior) || dim > 256)
        return BNRE_OK;
    BNRE_NEW(climb.factor, dim * dim);
    BNRE_NEW(climb.centre, dim);
    BNRE_NEW(climb.best, dim);
    BNRE_NEW(climb.allowed, CHILDREN * dim);
    BNRE_NEW(climb.ratio, CHILDREN);
    BNRE_NEW(climb.base, CHILDREN);
    BNRE_TRY(find_shape(&climb, posterior));
    climb.highest =
        bnre_posterior_mode(posterior, climb.best) + posterior->log_z;
    memcpy(climb.centre, climb.best, dim * sizeof *climb.centre);
    BNRE_TRY(go_up(&climb, &rng));
    posterior->peak_density = climb.highest;
    posterior->peak = climb.best;
    climb.best = NULL;
done:
    bnre__free(climb.base);
    bnre__free(climb.ratio);
    bnre__free(climb.allowed);
    bnre__free(climb.best);
    bnre__free(climb.centre);
    bnre__free(climb.factor);
    return status;
}
