/* kernels.c - which set of kernels this machine runs: the best that it has,
   or the one that BNRE_KERNELS names. */
#include "num/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "num/kernel_sets.h"

/* From plain to fast; a set is listed if this machine can run it. */
const bnre__kernels *bnre__kernels_set(size_t i)
{
    if (i == 0)
        return &bnre__kernels_ref;
    if (i == 1)
        return &bnre__kernels_portable;
#ifdef BNRE_HAVE_AVX2
    if (i == 2 && __builtin_cpu_supports("avx2") &&
        __builtin_cpu_supports("fma"))
        return &bnre__kernels_avx2;
#endif
    return NULL;
}

const bnre__kernels *bnre__kernels_best(void)
{
    const char *wanted = getenv("BNRE_KERNELS");
    const bnre__kernels *best = NULL, *set;

    for (size_t i = 0; (set = bnre__kernels_set(i)) != NULL; i++) {
        best = set;
        if (wanted != NULL && strcmp(wanted, set->name) == 0)
            return set;
    }
    return best;
}

bnre_status bnre__kernels_check(void)
{
    const char *wanted = getenv("BNRE_KERNELS");
    const bnre__kernels *set;
    char names[128] = "";
    size_t used = 0;

    for (size_t i = 0; (set = bnre__kernels_set(i)) != NULL; i++) {
        if (wanted == NULL || *wanted == 0 || strcmp(wanted, set->name) == 0)
            return BNRE_OK;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 i == 0 ? "" : ", ", set->name);
    }
    return bnre_fail(BNRE_EUSAGE,
                     "the environment variable BNRE_KERNELS is \"%s\": the "
                     "sets of kernels for this machine are %s",
                     wanted, names);
}
