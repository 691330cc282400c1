/* prior_line.h - single parameters of a prior, to be drawn beside a posterior.
 */
#ifndef BNRE_OUTPUT_PRIOR_LINE_H
#define BNRE_OUTPUT_PRIOR_LINE_H

#include "output/raster.h"

typedef struct bnre__prior_line bnre__prior_line;

/* The prior is borrowed. Errors: ENOMEM, as below. */
BNRE_MUST_CHECK bnre_status bnre__prior_line_create(const bnre_prior *prior,
                                                    bnre__prior_line **out);
void bnre__prior_line_destroy(bnre__prior_line *line); /* NULL is fine */

/* density (n) of the parameter of the raster: means over its pieces, or, where
   constraints leave it without a formula, what a grid of the prior or draws
   from it say. */
BNRE_MUST_CHECK bnre_status bnre__prior_line_fill(const bnre__prior_line *line,
                                                  const bnre__raster *raster,
                                                  double *density);

#endif
