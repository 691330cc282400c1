/* folds.h - which simulations a member may see.

   The simulations lie in F folds, and members f, f + F, f + 2F, ... see nothing
   of fold f. So for every simulation some of the members are strangers to it,
   and what these say of it is a fair test (trust/cross.c).

   What "nothing" means here, and where a row of its fold could have come in:

     training     rows of the fold have no role in the member's loaders
     stopping     each member holds out a random tenth of its own rows, and its
                  best epoch, its learning rate and its end follow from these
     scaling      x (and theta of ratios) are scaled by constants that are
                  fitted to the rows outside the fold, one scaler for each fold
     spreading    values of parameters that come again and again stand for their
                  surroundings (gaps.h), by the values outside the fold
     marginals    the theta that a ratio meets an x with are of its own rows;
                  failed rows, whose theta alone counts, are in folds as well
     order        batches are shuffled, and held-out rows drawn, by the member's
                  seed and the numbers of its own rows

   Two things are common to all: the network and the settings, which are given
   before, and the offset of x, a constant that is taken off doubles before they
   become floats, of which no more than the rounding depends on single rows.

   Rows that are copies of each other must not be on both sides. Rows with equal
   theta or equal x are therefore in one fold: repeated parameters, files that
   were joined twice. Theta that are the same but for rounding (near.h) are
   equal here. Equal values that are what the task is like are no copies,
   and do not bind:

     theta   where the prior has whole numbers alone, and more than a hundredth
             of the rows share theirs with others. To know a value of theta is
             then to know the prior; a continuous theta that comes again was
             drawn once, and densities may have learned where it lies
     x       where all of them are whole numbers, likewise: that two simulations
             count the same says nothing of one from the other
     either  where binding would put more than a quarter of a fold together
             (parameters on a grid, x that is rounded): first x, then theta.
             Theta only if it is on a grid: the values of each parameter are
             whole numbers of some step apart, and most of their combinations
             are there. A few points that were simulated
             again and again bind whatever happens, as densities would learn
             where these points lie, and theirs are the only ones tested

   Of rows with equal theta that bind, and of stretches that are equal, the first
   alone is judged later: the others teach, but would count one draw of the prior
   several times. (Rows with equal x are independent draws until the contrary is
   known, as where nothing was detected: they all count.)

   Where neither binds, equal pairs (theta, x) are independent draws as a rule,
   and then they are in folds by chance, as they must be: with all of them in
   one fold no member could learn what is most frequent there. A simulation that
   was copied cannot be told from another that came out equal, but a file that
   was joined with itself can: rows in stretches that are equal one after the
   other bind (copies.h). */
#ifndef BNRE_INFER_FOLDS_H
#define BNRE_INFER_FOLDS_H

#include "bnre/prior.h"
#include "data/subset.h"

enum {
    BNRE__EVERY_FOLD = 254, /* of rows that teach all members, and check none */
    BNRE__NO_FOLD = 255
};

/* What puts rows into the same fold, as a sum. */
enum {
    BNRE__BIND_NOTHING = 0,
    BNRE__BIND_THETA = 1, /* equal theta */
    BNRE__BIND_X = 2,
    BNRE__BIND_EITHER = BNRE__BIND_THETA | BNRE__BIND_X,
    BNRE__BIND_STRETCHES = 4 /* equal rows one after the other */
};

typedef struct bnre__folds {
    size_t count;  /* 0 = there are none */
    size_t rows;   /* of the file */
    uint8_t *fold; /* (rows); NO_FOLD: the row is not used; EVERY_FOLD: by all
                      members */
    size_t *group; /* (rows): the first row that it is bound to */
    uint8_t *copy; /* (rows): whether it repeats the draw of an earlier one */
    size_t copies; /* how many do */
    int binding;
    size_t strange;  /* a parameter whose values do not follow the prior,
                        or that of no parameter: as many as there are */
    double distance; /* and by how much: bnre__prior_distance() */
    int eased;       /* what does not bind since too much would be together */
} bnre__folds;

/* Rows of the role TRAIN of a subset's file get folds: by seed, number of folds
   and number of the row alone, unless rows are bound. `prior` (NULL: unknown)
   says which parameters are whole numbers. The last `teach` rows of
   the file are in no fold: every member learns from them. Start from {0}; clear
   it in any case. Errors: EUSAGE when there are fewer groups than folds; as
   bnre_dataset_read(). */
BNRE_MUST_CHECK bnre_status bnre__folds_draw(bnre__folds *folds,
                                             const bnre__subset *set,
                                             size_t count, size_t teach,
                                             const bnre_prior *prior,
                                             uint64_t seed);
void bnre__folds_clear(bnre__folds *folds);

/* How many rows of another file are copies of some in folds, by the same rule.
   Members that stop by these would have seen all folds. */
BNRE_MUST_CHECK bnre_status bnre__folds_shared(const bnre__folds *folds,
                                               const bnre__subset *set,
                                               const bnre__subset *other,
                                               size_t *count);

/* Rows outside a fold: all of them to train on, or with a tenth of them to
   validate with, drawn by `seed`; bound rows stay together here too. Start from
   {0}. */
BNRE_MUST_CHECK bnre_status bnre__folds_outside(const bnre__folds *folds,
                                                size_t fold,
                                                bnre__roles *roles);
BNRE_MUST_CHECK bnre_status bnre__folds_split(const bnre__folds *folds,
                                              size_t fold, uint64_t seed,
                                              bnre__roles *roles);

#endif
