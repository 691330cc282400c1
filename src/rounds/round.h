/* round.h - one round after the other. */
#ifndef BNRE_ROUNDS_ROUND_H
#define BNRE_ROUNDS_ROUND_H

#include "infer/estimator/region.h"
#include "rounds/rounds.h"

/* Where the rounds are. A region has a number, its epoch: 0 is the whole prior.
   Simulations of the present epoch check and teach, earlier ones that lie
   within the region teach. */
typedef struct bnre__round {
    size_t number;        /* of the round, from 1 */
    size_t epoch;         /* of the region */
    bnre__region *region; /* NULL: the whole prior */
    size_t files;
    struct {
        char *path;
        size_t epoch, rows;
        int dropped; /* of a region that was too small: no draws of the present
                        one */
    } simulated[BNRE__MOST_ROUNDS + 1];
    size_t learned, teach; /* rows of the round's data, and of these those that
                              only teach */
    double alpha;          /* that was cut off so far, in all */
    double level;          /* that the next region should have */
    char *estimator;       /* file of the last round, */
    char *maker;           /* and of that which made the region */
    int cut_off;           /* the region was too small */
} bnre__round;

/* Truths that fall outside their own regions, by members that have not seen
   them, and an upper bound of how often that is, with 95 % confidence; NaN if
   the estimator has no folds. */
typedef struct bnre__round_outside {
    double level; /* of these regions: what q leaves outside */
    size_t looked, outside;
    double bound;
} bnre__round_outside;

/* What a round learns from, in the coordinates of its region. (place.c) */
BNRE_MUST_CHECK bnre_status bnre__round_gather(const bnre__infer *infer,
                                               bnre__round *round,
                                               const char *path);
/* The level at which an estimator in the coordinates of its data leaves about
   `share` of the truths outside: of the rows of the file `data` but for the last
   `teach`. (place.c) */
BNRE_MUST_CHECK bnre_status bnre__round_level(const char *inner,
                                              const char *data, size_t teach,
                                              double share,
                                              bnre__round_outside *out);

/* All rounds; *estimator is the file of the last one, which the caller
   frees. (round.c) */
BNRE_MUST_CHECK bnre_status bnre__infer_rounds(bnre__infer *infer,
                                               char **estimator);

/* Parts of a round that infer.c has: `count` simulations, for theta (count,
   dim) or drawn from the prior if NULL; and a training. */
BNRE_MUST_CHECK bnre_status bnre__infer_simulate(bnre__infer *infer,
                                                 size_t round, size_t count,
                                                 const double *theta,
                                                 const bnre_monitor *monitor,
                                                 const char *path);
BNRE_MUST_CHECK bnre_status bnre__infer_train(bnre__infer *infer, size_t round,
                                              const char *data, size_t teach,
                                              const bnre_monitor *monitor,
                                              const char *path);

#endif
