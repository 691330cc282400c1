/* optim.h - how the learning rate changes from epoch to epoch. */
#ifndef BNRE_NN_OPTIM_H
#define BNRE_NN_OPTIM_H

#include <stddef.h>

typedef enum bnre__schedule_kind {
    BNRE__SCHEDULE_CONSTANT,
    BNRE__SCHEDULE_COSINE,  /* from the start to 0 over `epochs` */
    BNRE__SCHEDULE_PLATEAU, /* divided by ten after `patience` + 1 epochs
                               without an improvement of the loss by 1e-4 of
                               itself */
    BNRE__SCHEDULE_GENTLE   /* the same, by three, down to a hundredth */
} bnre__schedule_kind;

typedef struct bnre__schedule {
    bnre__schedule_kind kind;
    double start, rate;
    size_t epochs, epoch; /* in all; ended so far */
    size_t patience, bad;
    double best;
} bnre__schedule;

void bnre__schedule_init(bnre__schedule *schedule, bnre__schedule_kind kind,
                         double rate, size_t epochs);

/* An epoch ended with this loss (which the plateau rule looks at): the rate of
   the next one. A cut by less than 1e-8 is not made, so the plateau rule ends
   there: bnre__schedule_at_floor() tells. */
double bnre__schedule_next(bnre__schedule *schedule, double loss);
int bnre__schedule_at_floor(const bnre__schedule *schedule);

#endif
