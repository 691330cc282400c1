/* target.h - a posterior on the real line of every free parameter.

   Samplers move in z, where nothing has bounds: theta = theta(z) as in
   bnre__prior_from_real(), and

     log pi_beta(z) = beta l(theta) + log p(theta) + log |d theta / d z|

   with beta from 0, the prior, to 1, the posterior. The first part is called
   ratio, the rest base. */
#ifndef BNRE_POSTERIOR_TARGET_H
#define BNRE_POSTERIOR_TARGET_H

#include "bnre/density.h"

typedef struct bnre__target {
    bnre_session *session; /* borrowed */
    const bnre_prior *prior;
    size_t dim;         /* of theta */
    size_t m;           /* free parameters, the dimension of z */
    size_t *free;       /* (m) which ones */
    int has_gradient;   /* of the ratio */
    int rough;          /* ratios may be rough ones (density.h), without
                           gradients */
    size_t evaluations; /* of the ratio so far, those with gradient included */

    size_t room;   /* rows of what follows */
    double *kept;  /* (room, dim) theta that the prior allows, */
    size_t *row;   /* (room) their rows, */
    double *value; /* (room) ratios */
    double *slope; /* (room, dim) and gradients */
} bnre__target;

/* n walkers, or n proposals for them. The gradients are with respect to z. */
typedef struct bnre__walkers {
    size_t n;
    double *z;              /* (n, m) */
    double *theta;          /* (n, dim) */
    double *ratio, *base;   /* (n); ratio is -inf where base is */
    double *dratio, *dbase; /* (n, m), where asked for */
} bnre__walkers;

/* Room for batches of up to `room` walkers. Errors: EUSAGE for a prior known by
   draws or without free parameters; ENOMEM. Clear it in any case. */
BNRE_MUST_CHECK bnre_status bnre__target_init(bnre__target *target,
                                              bnre_session *session,
                                              size_t room);
void bnre__target_clear(bnre__target *target);

BNRE_MUST_CHECK bnre_status bnre__walkers_init(bnre__walkers *walkers, size_t n,
                                               const bnre__target *target);
void bnre__walkers_clear(bnre__walkers *walkers);
/* Walker i becomes number j of `from`, without gradients. */
void bnre__walkers_copy(const bnre__target *target, bnre__walkers *to, size_t i,
                        const bnre__walkers *from, size_t j);

/* Everything that follows from z; gradients too if `gradient`. A z that is not
   finite has base -inf. */
BNRE_MUST_CHECK bnre_status bnre__target_evaluate(bnre__target *target,
                                                  bnre__walkers *walkers,
                                                  int gradient);

/* z (m) of a theta (dim). */
void bnre__target_to_real(const bnre__target *target, const double *theta,
                          double *z);

#endif
