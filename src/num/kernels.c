/* kernels.c - which set of kernels this machine runs: the best that it has,
   or the one that BNRE_KERNELS names. */
#include "num/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "num/kernel_sets.h"
#include "num/x86.h"

/* From plain to fast; a set is listed if this machine can run it. */
const bnre__kernels *bnre__kernels_set(size_t i)
{
    if (i == 0)
        return &bnre__kernels_ref;
    if (i == 1)
        return &bnre__kernels_portable;
#ifdef BNRE_HAVE_X86
    if (i == 2 && bnre__has_avx2())
        return &bnre__kernels_avx2;
    if (i == 3 && bnre__has_avx512())
        return &bnre__kernels_avx512;
#endif
    return NULL;
}

/* The set of that name; NULL = there is none. No wish means the best. */
static const bnre__kernels *find(const char *wanted)
{
    const bnre__kernels *best = NULL, *set;

    for (size_t i = 0; (set = bnre__kernels_set(i)) != NULL; best = set, i++)
        if (wanted != NULL && strcmp(wanted, set->name) == 0)
            return set;
    return wanted == NULL || *wanted == 0 ? best : NULL;
}

const bnre__kernels *bnre__kernels_best(void)
{
    const bnre__kernels *set = find(getenv("BNRE_KERNELS"));

    return set != NULL ? set : find(NULL);
}

bnre_status bnre__kernels_check(void)
{
    const char *wanted = getenv("BNRE_KERNELS");
    const bnre__kernels *set;
    char names[128] = "";
    size_t used = 0;

    if (find(wanted) != NULL)
        return BNRE_OK;
    for (size_t i = 0; (set = bnre__kernels_set(i)) != NULL; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 i == 0 ? "" : ", ", set->name);
    return bnre_fail(BNRE_EUSAGE,
                     "the environment variable BNRE_KERNELS is \"%s\": the "
                     "sets of kernels for this machine are %s",
                     wanted, names);
}
