#include "data/thin.h"
#include "num/streams.h"

#include <string.h>

/* Whether the order of rows says nothing of them. */
static int is_shuffled(const bnre_dataset_info *info)
{
    return info->settings != NULL && strstr(info->settings, "\ntheta") == NULL;
}

bnre__thin bnre__thin_begin(const bnre_dataset_info *info, size_t n,
                            size_t most, uint64_t seed, bnre_split split)
{
    return (bnre__thin){
        .rng = bnre_rng_stream(seed, bnre__purpose(BNRE_USE_SELECT, split), 0),
        .draws = !is_shuffled(info),
        .left = n,
        .want = most > 0 && most < n ? most : n};
}

int bnre__thin_next(bnre__thin *thin)
{
    int taken;

    if (thin->want == 0)
        return 0;
    taken = !thin->draws || bnre_rng_below(&thin->rng, thin->left) < thin->want;
    thin->left--;
    thin->want -= (size_t)taken;
    return taken;
}
