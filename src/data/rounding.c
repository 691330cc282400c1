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

void bnre__rounding_tell(const bnre_monitor *monitor, size_t n,
                         const bnre__rounding *all)
{
    char text[512];

    if (monitor == NULL || monitor->note == NULL || all == NULL)
        return;
    for (size_t j = 0; j < n; j++) {
        const double range = all[j].high - all[j].low;

        if (!all[j].seen || !(range > 0) || !(all[j].error > 1e-3 * range / 4))
            continue;
        snprintf(text, sizeof text,
                 "warning: value %zu of x lies between %.10g and %.10g and is "
                 "stored as a float, which rounds it by up to %.2g: let the "
                 "simulator take a constant off it, or keep the results in a "
                 "file of float64 or text of your own",
                 j, all[j].low, all[j].high, all[j].error);
        monitor->note(monitor->context, text);
        return;
    }
}
