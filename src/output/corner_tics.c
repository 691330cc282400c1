/* Tics at round numbers, as people read them. */
#include "output/corner_tics.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "bnre/text.h"

/* 1, 2, 5, 10, ...: the first that is not below `rough`, times 0.75. */
static double round_step(double rough)
{
    const double ten = pow(10, floor(log10(rough)));
    const double times = rough / ten;

    return ten * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

static const char *write_label(double at, double step, char out[BNRE_READABLE])
{
    /* Steps have one digit, and a spread is shown to two. */
    return bnre_readable_real(fabs(at) < 1e-9 * step ? 0 : at, 10 * step, out);
}

static size_t widest(const bnre__tics *tics)
{
    char label[BNRE_READABLE];
    size_t most = 0;

    for (size_t k = 0; k < tics->n; k++) {
        const size_t n =
            (size_t)snprintf(NULL, 0, "%s",
                             write_label(tics->first + (double)k * tics->step,
                                         tics->step, label));

        most = n > most ? n : most;
    }
    return most;
}

bnre__tics bnre__tics_find(double from, double to, double room)
{
    const double air = 0.07 * (to - from);
    bnre__tics tics = {.step = round_step((to - from) / 3.2), .every = 1};
    double between; /* letters from tic to tic */

    tics.first = ceil((from + air) / tics.step) * tics.step;
    while (tics.n < BNRE__TICS &&
           tics.first + (double)tics.n * tics.step <= to - air)
        tics.n++;
    tics.letters = widest(&tics);
    between = tics.step / (to - from) * room;
    while (tics.every < BNRE__TICS &&
           (double)tics.every * between < (double)tics.letters + 1.5)
        tics.every++;
    tics.phase = tics.n > 0 ? (tics.n - 1) % tics.every / 2 : 0;
    return tics;
}

bnre_status bnre__tics_set(bnre__figure *figure, const char *axis,
                           const bnre__tics *tics, int labels)
{
    bnre_status status = BNRE_OK;
    char label[BNRE_READABLE];

    BNRE_TRY(bnre__figure_script(figure, "set %stics (", axis));
    for (size_t k = 0; k < tics->n; k++) {
        const double at = tics->first + (double)k * tics->step;
        const int minus = *write_label(at, tics->step, label) == '-';
        const int labelled = labels && k % tics->every == tics->phase;

        BNRE_TRY(bnre__figure_script(
            figure, "%s'%s%s' %.15g", k > 0 ? ", " : "",
            labelled && minus ? "−" : "", labelled ? label + minus : "",
            fabs(at) < 1e-9 * tics->step ? 0 : at));
    }
    BNRE_TRY(bnre__figure_script(figure, ")\n"));
done:
    return status;
}
