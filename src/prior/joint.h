/* joint.h - parameters that depend on each other in the prior:

     [a, b]: multivariate_normal([0, 1], [[4, 1], [1, 2]])

   The text is that of each of its parameters. Each alone is normal, and given
   some of the others as well. */
#ifndef BNRE_PRIOR_JOINT_H
#define BNRE_PRIOR_JOINT_H

#include <stddef.h>

#include "bnre/status.h"

enum { BNRE__JOINT = 16 }; /* parameters at most */

typedef struct bnre__joint {
    size_t n;
    char *name[BNRE__JOINT];
    size_t at[BNRE__JOINT]; /* which parameters of the prior */
    double mean[BNRE__JOINT];
    double covariance[BNRE__JOINT * BNRE__JOINT]; /* (n, n), and its factor: */
    double factor[BNRE__JOINT * BNRE__JOINT];     /* L L^T, lower triangle */
} bnre__joint;

/* Whether a text is that of a block. */
int bnre__joint_is(const char *text);

/* From its text. Errors: EUSAGE with the text and the column; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__joint_create(const char *text,
                                               bnre__joint **out);
void bnre__joint_destroy(bnre__joint *block); /* NULL is fine */

/* The text that reads back to the same; the caller owns it. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__joint_write(const bnre__joint *block,
                                              char **out);

/* Of theta (all parameters of the prior): log p - sum of the log densities of
   each alone. */
double bnre__joint_dependence(const bnre__joint *block, const double *theta);

/* From independent parameters, each as if it were alone, to those of the block,
   in place: parameter k depends on those before it in the block. And back. */
void bnre__joint_join(const bnre__joint *block, double *theta);
void bnre__joint_part(const bnre__joint *block, double *theta);

/* Parameter k given m others, which (m): its mean is mean + sum of slope_j
   (theta_j - mean_j). */
typedef struct bnre__given {
    size_t m;
    size_t which[BNRE__JOINT]; /* within the block */
    double slope[BNRE__JOINT];
    double sd;
} bnre__given;
void bnre__joint_given(const bnre__joint *block, size_t k, size_t m,
                       const size_t *which, bnre__given *out);

#endif
