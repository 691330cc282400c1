/* operations.h - how many multiply-adds a network needs.

   What has to be computed, not what any program computes: phi(x) once for the
   joint and the marginal pair and once for all theta; of a dilated stack only
   the positions that reach its output; an affine layer without activation
   together with the next. Additions, activations, norms and maxima are not
   counted. A program may do with fewer (Winograd's convolutions).

   This is the cost that results may depend on (trust.h, `effort`), the same on
   every machine. What people are told to wait for, seconds of this machine with
   its simulators and files, is timed: study/costs.h. */
#ifndef BNRE_NN_OPERATIONS_H
#define BNRE_NN_OPERATIONS_H

#include "nn/net.h"

typedef struct bnre__work {
    double step;  /* for a simulation in a training step: forward, to the
                     weights, and to the inputs where anything is to be learnt
                     before them */
    double x;     /* for an x, of log ratios */
    double theta; /* for each theta after that */
} bnre__work;

bnre__work bnre__net_work(const bnre__net *net);

#endif
