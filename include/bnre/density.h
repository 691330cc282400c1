/* density.h - a posterior as a function.

   Grids, samplers and diagnostics see an estimated posterior only through this
   record: for one x, the logarithm of q(theta | x) / p(theta) for a batch of
   theta, up to a constant that may depend on x. So they work for trained
   estimators, for exact posteriors, and for those of other programs alike. */
#ifndef BNRE_DENSITY_H
#define BNRE_DENSITY_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/prior.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bnre_density {
    const bnre_prior *prior;   /* borrowed; theta has its dimensions */
    size_t x_size;             /* numbers of one observation */
    const char *const *x_name; /* (x_size) borrowed; NULL: without names */
    void *context;             /* borrowed, shared by all sessions */

    /* Each thread works in a session of its own. open and close may both be
       NULL: the context then serves as the session of every thread. */
    bnre_status (*open)(void *context, void **session);
    void (*close)(void *session);

    /* The observation x (x_size) that what follows is about; copied. */
    bnre_status (*observe)(void *session, const double *x);

    /* out (n) from theta (n, dim), inside the support of the prior. gradient
       (n, dim), unless NULL, receives d out / d theta. A result may be -inf,
       never NaN or +inf. */
    bnre_status (*log_ratio)(void *session, size_t n, const double *theta,
                             double *out, double *gradient);
    int has_gradient; /* 0: `gradient` is always NULL */

    /* Of an ensemble, otherwise 0 and NULL: the same `out`, and each
       (members, n) of its members by itself, from one evaluation. */
    size_t members;
    bnre_status (*log_ratio_each)(void *session, size_t n, const double *theta,
                                  double *out, double *each);

    /* Unless NULL, something like `out` at less cost, such as what one member
       of an ensemble says: for where to look, not for what is there. */
    bnre_status (*rough)(void *session, size_t n, const double *theta,
                         double *out);

    /* Unless NULL: theta (n, dim), independent draws of the normalised q(theta
       | x) within the support of the prior; log ratios are then log q - log p,
       without any constant. Draw number first + i depends on it and the seed
       alone. */
    bnre_status (*draw)(void *session, uint64_t seed, uint64_t first, size_t n,
                        double *theta);
} bnre_density;

#ifdef __cplusplus
}
#endif
#endif
