/* region_room.h - what one thread needs to find its way in a region: for those
   who make regions. */
#ifndef BNRE_INFER_REGION_ROOM_H
#define BNRE_INFER_REGION_ROOM_H

#include "infer/estimator/evaluator.h"
#include "infer/estimator/region.h"
#include "num/line_set.h"

struct bnre__region_room {
    const bnre__region *region;
    const bnre__conditional *conditional;
    const double *sets; /* region->sets */
    size_t asks;        /* factors up to the last that follows: the networks
                           are asked for these */
    double beta;
    bnre__evaluator *eval;    /* of the earlier estimator, which observes x */
    bnre__region_room *outer; /* of the region that it has itself, or NULL */
    double *c;                /* (block, dim): places in the outer region, or
                                 coordinates of the prior (block, factors) */
    float *raw;               /* (members, block, outputs) of a factor */
    double *log_q;            /* (members, block): of the factors so far */
    bnre__set_part *part;     /* (members * components) */
    double *near, *ends;      /* (factors): places near ends of sets that are
                                 no bounds of the prior, and how many of these
                                 ends there were */
};

/* From now on these sets: region->sets, or others. */
void bnre__region_room_use(bnre__region_room *room, const double *sets);

/* Rows are from now on of other parameters: begin with the first factor. */
void bnre__region_room_begin(const bnre__region_room *room, size_t n,
                             double *log_w);

/* One factor of n <= block rows, either way: from coordinates room->c (n,
   factors) to places u (n, dim), or back. log_w is added to. */
void bnre__region_room_pass(bnre__region_room *room, size_t j, size_t n,
                            int back, double *u, double *log_w);

/* The set of factor j for row i, whose earlier factors are in room->c; of one
   that follows, after it was passed. */
void bnre__region_room_set(const bnre__region_room *room, size_t j, size_t i,
                           bnre__line_set *out);

#endif
