/* sample_rows.h - made-up rows, to be written and found again. */
#ifndef BNRE_TEST_SAMPLE_ROWS_H
#define BNRE_TEST_SAMPLE_ROWS_H

#include "data/rows.h"

enum { SAMPLE_DIM = 2, SAMPLE_NUISANCE = 1, SAMPLE_X = 6 };

/* Rows whose values are a function of the row's number, with theta (2),
   nuisance (1) and x (2, 3). With `failing`, every seventh row failed, for one
   of three reasons. Static storage, one at a time. */
bnre__rows sample_rows(size_t rows, int failing);

/* That row i, as read, is that of the sample. */
void sample_check(size_t i, int failing, const double *theta,
                  const double *nuisance, const double *x, uint8_t status);

#endif
