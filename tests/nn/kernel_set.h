/* kernel_set.h - sets of kernels that round alike, one after the other. */
#ifndef TESTS_NN_KERNEL_SET_H
#define TESTS_NN_KERNEL_SET_H

#include <stdlib.h>
#include <string.h>

#include "num/kernels.h"
#include "support.h"

/* Use the next set, from number *i on, that rounds as the one the test began
   with: the best of this machine, or that of BNRE_KERNELS. 0 past the last, and
   the first is used again. */
static inline int use_next_set(size_t *i)
{
    static const bnre__kernels *first;
    const bnre__kernels *set;
    const char *rounding;

    if (first == NULL)
        first = bnre__kernels_best();
    assert_int_equal(setenv("BNRE_KERNELS", first->name, 1), 0);
    rounding = first->rounding;
    while ((set = bnre__kernels_set(*i)) != NULL) {
        ++*i;
        if (strcmp(set->rounding, rounding) == 0) {
            assert_int_equal(setenv("BNRE_KERNELS", set->name, 1), 0);
            return 1;
        }
    }
    return 0;
}

#endif
