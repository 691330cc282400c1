/* arrange.h - columns of a dataset in the order that somebody else has them. */
#ifndef BNRE_DATA_ARRANGE_H
#define BNRE_DATA_ARRANGE_H

#include "bnre/dataset.h"

/* Arrange a dataset as another of the same file was. */
BNRE_MUST_CHECK bnre_status
bnre__dataset_arrange_like(bnre_dataset *data, const bnre_dataset *other);

/* Rows that were read, from the file's order of columns to the arranged one;
   arrays that are NULL, and datasets that are as they were, stay as they are.
 */
void bnre__dataset_reorder(const bnre_dataset *data, size_t n, double *theta,
                           double *x);

/* Whether some of the file's parameters are left out; then those that are not,
   from rows with all of them (n, as stored) into theta (n, dim_theta). */
int bnre__dataset_chooses(const bnre_dataset *data);
void bnre__dataset_choose(const bnre_dataset *data, size_t n, const double *all,
                          double *theta);

/* Free what was arranged. */
void bnre__dataset_arrange_clear(bnre_dataset *data);

#endif
