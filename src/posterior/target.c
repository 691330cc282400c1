/* A posterior on the real line of every free parameter, with the chain rule
   for gradients, and the walkers that move there. */
#include "posterior/target.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "posterior/posterior.h"
#include "prior/prior.h"

enum { MOST_DIM = 256 }; /* of vectors kept on the stack */

bnre_status bnre__target_init(bnre__target *target, bnre_session *session,
                              size_t room)
{
    const bnre_density *density = bnre__session_density(session);
    bnre_status status = BNRE_OK;

    *target = (bnre__target){.session = session,
                             .prior = density->prior,
                             .dim = bnre_prior_dim(density->prior),
                             .has_gradient = density->has_gradient,
                             .room = room};
    if (!bnre_prior_has_density(target->prior))
        return bnre_fail(BNRE_EUSAGE,
                         "the prior is known by samples only, so no Markov "
                         "chain can move in it: use a bank of its draws");
    if (bnre__prior_is_mixed(target->prior))
        return bnre_fail(
            BNRE_EUSAGE,
            "the prior has parameters with values in a list (integer, "
            "categorical, bernoulli, poisson), between which no Markov chain "
            "of this program moves: use a bank of draws of the prior, or an "
            "estimator of `method: npe` or bnpe, which draws by itself");
    if (target->dim > MOST_DIM)
        return bnre_fail(BNRE_EUSAGE, "%zu parameters are more than %d",
                         target->dim, MOST_DIM);
    BNRE_NEW(target->free, target->dim);
    for (size_t i = 0; i < target->dim; i++) {
        double low, high;

        bnre_prior_support(target->prior, i, &low, &high);
        if (low < high)
            target->free[target->m++] = i;
    }
    if (target->m == 0)
        return bnre_fail(BNRE_EUSAGE, "all parameters are fixed: there is "
                                      "nothing to sample");
    BNRE_NEW(target->kept, room * target->dim);
    BNRE_NEW(target->row, room);
    BNRE_NEW(target->value, room);
    if (target->has_gradient)
        BNRE_NEW(target->slope, room * target->dim);
done:
    return status;
}

void bnre__target_clear(bnre__target *target)
{
    bnre__free(target->slope);
    bnre__free(target->value);
    bnre__free(target->row);
    bnre__free(target->kept);
    bnre__free(target->free);
}

bnre_status bnre__walkers_init(bnre__walkers *walkers, size_t n,
                               const bnre__target *target)
{
    bnre_status status = BNRE_OK;

    *walkers = (bnre__walkers){.n = n};
    BNRE_NEW(walkers->z, n * target->m);
    BNRE_NEW(walkers->theta, n * target->dim);
    BNRE_NEW(walkers->ratio, n);
    BNRE_NEW(walkers->base, n);
    if (target->has_gradient) {
        BNRE_NEW(walkers->dratio, n * target->m);
        BNRE_NEW(walkers->dbase, n * target->m);
    }
done:
    return status;
}

void bnre__walkers_clear(bnre__walkers *walkers)
{
    bnre__free(walkers->dbase);
    bnre__free(walkers->dratio);
    bnre__free(walkers->base);
    bnre__free(walkers->ratio);
    bnre__free(walkers->theta);
    bnre__free(walkers->z);
}

void bnre__walkers_copy(const bnre__target *target, bnre__walkers *to, size_t i,
                        const bnre__walkers *from, size_t j)
{
    memcpy(to->z + i * target->m, from->z + j * target->m,
           target->m * sizeof *to->z);
    memcpy(to->theta + i * target->dim, from->theta + j * target->dim,
           target->dim * sizeof *to->theta);
    to->ratio[i] = from->ratio[j];
    to->base[i] = from->base[j];
}

void bnre__target_to_real(const bnre__target *target, const double *theta,
                          double *z)
{
    double all[MOST_DIM];

    bnre__prior_to_real(target->prior, theta, all);
    for (size_t i = 0; i < target->m; i++)
        z[i] = all[target->free[i]];
}

/* d log p / d theta by differences, since samplers correct for inexact slopes;
   a step of 1e-5 in z. 0 at the edge of a constraint. */
static double prior_slope(const bnre_prior *prior, double *theta, size_t i,
                          double dtheta)
{
    const double keep = theta[i], step = 1e-5 * dtheta;
    double above, below;

    theta[i] = keep + step;
    above = bnre_prior_log_density(prior, theta);
    theta[i] = keep - step;
    below = bnre_prior_log_density(prior, theta);
    theta[i] = keep;
    return isfinite(above) && isfinite(below) && step > 0
               ? (above - below) / (2 * step)
               : 0;
}

/* Walker k as far as the prior goes: theta, base and its gradient; dtheta (dim)
   is returned for the chain rule. */
static void place(const bnre__target *target, bnre__walkers *walkers, size_t k,
                  int gradient, double *dtheta)
{
    double *theta = walkers->theta + k * target->dim;
    const double *z = walkers->z + k * target->m;
    double all[MOST_DIM] = {0}, dlogj[MOST_DIM], log_jacobian;

    walkers->base[k] = walkers->ratio[k] = -HUGE_VAL;
    for (size_t i = 0; i < target->m; i++) {
        if (!isfinite(z[i]))
            return;
        all[target->free[i]] = z[i];
    }
    bnre__prior_from_real(target->prior, all, theta, &log_jacobian, dlogj,
                          dtheta);
    walkers->base[k] =
        bnre_prior_log_density(target->prior, theta) + log_jacobian;
    if (isnan(walkers->base[k]))
        walkers->base[k] = -HUGE_VAL;
    for (size_t i = 0; gradient && i < target->m; i++) {
        const size_t j = target->free[i];

        walkers->dbase[k * target->m + i] =
            prior_slope(target->prior, theta, j, dtheta[j]) * dtheta[j] +
            dlogj[j];
    }
}

/* Gradients of the ratio with respect to theta times d theta / d z. */
static void chain_rule(const bnre__target *target, bnre__walkers *walkers,
                       size_t k, const double *slope)
{
    double all[MOST_DIM] = {0}, theta[MOST_DIM], dtheta[MOST_DIM];

    for (size_t i = 0; i < target->m; i++)
        all[target->free[i]] = walkers->z[k * target->m + i];
    bnre__prior_from_real(target->prior, all, theta, NULL, NULL, dtheta);
    for (size_t i = 0; i < target->m; i++)
        walkers->dratio[k * target->m + i] =
            slope[target->free[i]] * dtheta[target->free[i]];
}

bnre_status bnre__target_evaluate(bnre__target *target, bnre__walkers *walkers,
                                  int gradient)
{
    const size_t dim = target->dim;
    double dtheta[MOST_DIM];
    size_t kept = 0;

    for (size_t k = 0; k < walkers->n; k++) {
        place(target, walkers, k, gradient, dtheta);
        if (walkers->base[k] == -HUGE_VAL)
            continue;
        memcpy(target->kept + kept * dim, walkers->theta + k * dim,
               dim * sizeof *target->kept);
        target->row[kept++] = k;
    }
    if (target->rough && !gradient)
        BNRE_DO(bnre__session_rough(target->session, kept, target->kept,
                                    target->value));
    else
        BNRE_DO(bnre_session_log_ratio(target->session, kept, target->kept,
                                       target->value,
                                       gradient ? target->slope : NULL));
    target->evaluations += kept;
    for (size_t k = 0; k < kept; k++) {
        walkers->ratio[target->row[k]] = target->value[k];
        if (gradient)
            chain_rule(target, walkers, target->row[k],
                       target->slope + k * dim);
    }
    return BNRE_OK;
}
