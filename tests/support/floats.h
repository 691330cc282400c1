/* floats.h - arrays of floats for kernels: random ones, and comparisons. */
#ifndef BNRE_TEST_FLOATS_H
#define BNRE_TEST_FLOATS_H

#include <stddef.h>
#include <stdint.h>

/* n normal numbers times `size`, the same for a seed and a row, in memory that
   kernels may read; free() them. */
float *normal_floats(uint64_t seed, uint64_t row, size_t n, double size);

/* |fast - plain| <= tolerance (|plain| + 1) of each; `what` and the set of
   kernels are told of one that is farther away. */
void assert_each_close(size_t n, const float *fast, const float *plain,
                       double tolerance, const char *what, const char *set);

#endif
