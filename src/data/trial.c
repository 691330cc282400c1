/* trial.c - the first simulations of a long run, and what they tell of it. */
#include "data/trial.h"

#include <stdio.h>

static const double WORTH_TELLING = 10; /* seconds */

static const char *describe_duration(double seconds, char out[32])
{
    if (seconds < 1)
        snprintf(out, 32, "%.2g s", seconds);
    else if (seconds < 90)
        snprintf(out, 32, "%.*f s", seconds < 10, seconds);
    else if (seconds < 90 * 60)
        snprintf(out, 32, "%.0f min", seconds / 60);
    else if (seconds < 48 * 3600)
        snprintf(out, 32, "%.1f h", seconds / 3600);
    else
        snprintf(out, 32, "%.1f days", seconds / 86400);
    return out;
}

void bnre__trial_tell(const bnre_monitor *monitor, const bnre__block *block,
                      size_t n, double seconds, size_t others, size_t workers)
{
    const double all = seconds * (double)others / (double)workers;
    char text[512], each[32], total[32];
    size_t failed = 0, at = 0;

    if (monitor == NULL || monitor->note == NULL)
        return;
    for (size_t i = n; i-- > 0;)
        if (block->status[i] != BNRE_DRAW_OK) {
            failed++;
            at = i;
        }
    if (failed > 0) {
        snprintf(text, sizeof text, "trial: %zu of %zu simulations failed: %s",
                 failed, n, block->reason[at]);
        monitor->note(monitor->context, text);
    }
    if (all < WORTH_TELLING)
        return;
    snprintf(text, sizeof text,
             "trial: %zu simulations, %s each; the other %zu will take about "
             "%s with %zu worker%s",
             n, describe_duration(seconds, each), others,
             describe_duration(all, total), workers, workers == 1 ? "" : "s");
    monitor->note(monitor->context, text);
}
