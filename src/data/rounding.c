/* rounding.c - what x loses when it becomes a float. */
#include "data/rounding.h"

#include <math.h>
#include <stdio.h>

void bnre__rounding_add(size_t n, bnre__rounding *all,
                        const bnre__rounding *other)
{
    for (size_t j = 0; all != NULL && other != NULL && j < n; j++) {
        if (!other[j].seen)
            continue;
        if (!all[j].seen) {
            all[j] = other[j];
            continue;
        }
        all[j].low = fmin(all[j].low, other[j].low);
        all[j].high = fmax(all[j].high, other[j].high);
        all[j].error = fmax(all[j].error, other[j].error);
    }
}

/* The first value that loses more than this share of its range; n if there is
   none. */
static size_t find_lost(size_t n, const bnre__rounding *all, double share)
{
    for (size_t j = 0; j < n; j++) {
        const double range = all[j].high - all[j].low;

        if (all[j].seen && range > 0 && all[j].error > share * range)
            return j;
    }
    return n;
}

bnre_status bnre__rounding_check(size_t n, const bnre__rounding *all)
{
    const size_t j = find_lost(n, all, 1e-3);

    if (j == n)
        return BNRE_OK;
    return bnre_fail(BNRE_EUSAGE,
                     "value %zu of x lies between %.12g and %.12g: single "
                     "precision would round it by up to %.2g. Add the line "
                     "\"precision: double\" to the task to keep all digits of "
                     "x (or \"precision: single\" if this value does not "
                     "matter)",
                     j, all[j].low, all[j].high, all[j].error);
}

void bnre__rounding_tell(const bnre_monitor *monitor, size_t n,
                         const bnre__rounding *all)
{
    char text[512];
    size_t j;

    if (monitor == NULL || monitor->note == NULL || all == NULL)
        return;
    j = find_lost(n, all, 1e-3 / 4);
    if (j == n)
        return;
    snprintf(text, sizeof text,
             "warning: value %zu of x lies between %.12g and %.12g and is kept "
             "in single precision, which rounds it by up to %.2g: the line "
             "\"precision: double\" in the task keeps all digits of x",
             j, all[j].low, all[j].high, all[j].error);
    monitor->note(monitor->context, text);
}
