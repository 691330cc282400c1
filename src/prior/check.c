/* check.c - parameters that a prior cannot have drawn are refused. */
#include <math.h>

#include "base/text.h"
#include "prior/prior.h"

bnre_status bnre__prior_check(const bnre_prior *prior, const char *what,
                              size_t first, size_t n, const double *theta)
{
    const size_t dim = bnre_prior_dim(prior);
    char number[32];

    for (size_t i = 0; i < n * dim; i++) {
        const char *name = bnre_prior_name(prior, i % dim);
        double low, high;

        if (!isfinite(theta[i]))
            return bnre_fail(BNRE_ENUM, "%s %zu: %s is not a finite number",
                             what, first + i / dim, name);
        bnre_prior_support(prior, i % dim, &low, &high);
        if (theta[i] < low || theta[i] > high ||
            (theta[i] != rint(theta[i]) &&
             bnre__prior_values(prior, i % dim, NULL) != BNRE__CONTINUOUS))
            return bnre_fail(BNRE_EUSAGE,
                             "%s %zu: %s = %s is outside its prior %s: were "
                             "these pairs made for another task?",
                             what, first + i / dim, name,
                             bnre__text_real(theta[i], number),
                             bnre_prior_text(prior, i % dim));
    }
    for (size_t i = 0; bnre__prior_is_constrained(prior) && i < n; i++)
        if (bnre_prior_log_density(prior, theta + i * dim) == -HUGE_VAL)
            return bnre_fail(BNRE_EUSAGE,
                             "%s %zu breaks a constraint of the prior: were "
                             "these pairs made for another task?",
                             what, first + i);
    return BNRE_OK;
}
