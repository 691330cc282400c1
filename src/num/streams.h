/* streams.h - what the library's random streams are for.

   A purpose is a use and the split of data it serves, so that no split shares a
   number with another. The numbers stand behind every file ever made: a use is
   added, never changed. */
#ifndef BNRE_NUM_STREAMS_H
#define BNRE_NUM_STREAMS_H

#include "bnre/rng.h"

typedef enum bnre__use {
    BNRE_USE_PRIOR = 1, /* theta and nuisance of a row */
    BNRE_USE_SIMULATE,  /* the simulator's own numbers */
    BNRE_USE_SEED,      /* seeds handed to external programs */
    BNRE_USE_MODEL,     /* parameters of the model that a row is of */

    BNRE_USE_MEMBER = 16, /* seeds of the members of an ensemble */
    BNRE_USE_SELECT,      /* which rows of a file are used, and for what */
    BNRE_USE_WEIGHTS,     /* weights to start from */
    BNRE_USE_ORDER,       /* of rows in an epoch */
    BNRE_USE_PAIR,        /* which theta meets which x in a batch */
    BNRE_USE_GAIN,        /* points of the prior, to measure what was learned */
    BNRE_USE_FOLD,        /* folds of rows, and rows that members hold out */
    BNRE_USE_LEVEL,       /* rows that are kept where others are missing */
    BNRE_USE_CHANGE,      /* draws of another prior, and rows kept for it */

    BNRE_USE_POINTS = 32, /* where posteriors are evaluated; row: hash of x */
    BNRE_USE_RANKS,       /* ties and reference points; row: hash of a pair */
    BNRE_USE_MARGINAL,    /* the theta of marginal pairs in a diagnosis */

    BNRE_USE_BANK = 48, /* draws of the prior that a posterior starts from */
    BNRE_USE_CHAIN,     /* Markov chains */
    BNRE_USE_RESAMPLE,  /* draws from a posterior on points */
    BNRE_USE_CLIMB,     /* steps towards the peak of a posterior */
    BNRE_USE_DRAW,      /* draws of conditional densities */
    BNRE_USE_MASS, /* shifts behind their accepted mass; seed: weights, x */
    BNRE_USE_EACH, /* seeds of the posteriors of the rows of a dataset */

    BNRE_USE_SCORES = 64, /* points behind conformal scores; row: hash of x */
    BNRE_USE_VIEWS,       /* theta at which x are compared */

    BNRE_USE_ROUND = 80, /* seeds of the simulations of a round */
    BNRE_USE_REGION,     /* draws of the prior within a region */

    BNRE_USE_CHECK = 96 /* seeds of the simulations of a check */
} bnre__use;

static inline uint32_t bnre__purpose(bnre__use use, bnre_split split)
{
    return (uint32_t)use << 8 | (uint32_t)split;
}

#endif
