/* pairing.h - which theta meets which x in the marginal pairs of a batch. */
#ifndef BNRE_INFER_PAIRING_H
#define BNRE_INFER_PAIRING_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/rng.h"
#include "bnre/status.h"

typedef struct bnre__pairing {
    int permute; /* theta and x by independent permutations, fixed points
                    included; else all thetas on a circle, and each x gets a
                    theta some places farther than its own */
    size_t n, thetas;
    size_t room;       /* of all arrays */
    size_t *order;     /* (thetas) */
    size_t *place;     /* (thetas) on the circle */
    size_t *x_order;   /* (n) */
    uint32_t *x_index; /* (n) */
} bnre__pairing;

void bnre__pairing_clear(bnre__pairing *pairing);

/* Draw the permutations (of theta first), or the circle, of a batch. Start from
   {.permute}. Spare thetas take part; n of all are used. Errors:
   ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__pairing_draw(bnre__pairing *pairing,
                                               bnre_rng *rng, size_t n,
                                               size_t spare);

/* Which theta (of the batch, spare ones last) marginal pair i has. `shift` from
   1 to thetas - 1 tells how far it comes from on the circle; permutations
   ignore it. */
size_t bnre__pairing_theta(const bnre__pairing *pairing, size_t i,
                           size_t shift);

/* The thetas of all marginal pairs, into out (n, dim). */
void bnre__pairing_gather(const bnre__pairing *pairing, size_t dim,
                          const float *theta, size_t shift, float *out);

#endif
