/* posterior_warnings.c - what people are told of a posterior while it is made:
   observations unlike the simulated ones, ratios that cannot be right. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/text.h"
#include "command/observation.h"
#include "command/posterior.h"
#include "posterior/posterior.h"
#include "trust/advice.h"

void bnre__posterior_note(const bnre__posterior_work *work, const char *text)
{
    const bnre_monitor *monitor = work->request->monitor;

    if (monitor != NULL && monitor->note != NULL)
        monitor->note(monitor->context, text);
}

/* ---- warnings ---- */

bnre_status bnre__posterior_keep_warning(bnre__posterior_work *work,
                                         const char *text)
{
    return bnre__warning_keep(text, &work->outcome->warnings,
                              &work->outcome->warning);
}

bnre_status bnre__posterior_warn(bnre__posterior_work *work, const char *text)
{
    return bnre__warning_say(work->request->monitor, text,
                             &work->outcome->warnings, &work->outcome->warning);
}

/* What tells the value apart from the range, however near it is. */
static double outside_spread(const bnre_estimator_outside *outside)
{
    const double beyond = outside->value < outside->low
                              ? outside->low - outside->value
                              : outside->value - outside->high;

    return fmin(beyond, outside->high - outside->low);
}

/* What was rounded says less, and something else, than it seems to. */
static bnre_status warn_coarse(bnre__posterior_work *work, size_t k,
                               const bnre_estimator_outside *outside)
{
    char text[400];

    snprintf(text, sizeof text,
             "value %zu of observation %zu has only the digits of single "
             "precision, but the estimator was trained on more, and needs "
             "them: it was probably rounded by a file or program on its way. "
             "Give it in double precision, or as text with all its digits",
             outside->coarsest, k);
    return bnre__posterior_warn(work, text);
}

/* Data unlike all simulated ones are where networks guess. */
bnre_status bnre__posterior_warn_outside(bnre__posterior_work *work)
{
    char text[400], at[BNRE_READABLE], low[BNRE_READABLE], high[BNRE_READABLE];

    for (size_t k = 0; k < work->observed->n; k++) {
        const bnre_estimator_outside outside = bnre_estimator_compare_x(
            work->outcome->estimator,
            work->observed->x + k * work->observed->x_size);

        const double spread = outside_spread(&outside);

        if (outside.coarse > 0)
            BNRE_DO(warn_coarse(work, k, &outside));
        work->outcome->guarantee.beyond += outside.count;
        if (outside.count == 0)
            continue;
        snprintf(text, sizeof text,
                 "observation %zu is unlike the simulated ones: %zu of its %zu "
                 "values lie outside their range; value %zu is %s, in training "
                 "it was from %s to %s. The posterior cannot be relied on "
                 "there",
                 k, outside.count, work->observed->x_size, outside.worst,
                 bnre_readable_real(outside.value, spread, at),
                 bnre_readable_real(outside.low, spread, low),
                 bnre_readable_real(outside.high, spread, high));
        BNRE_DO(bnre__posterior_warn(work, text));
    }
    return BNRE_OK;
}

/* A ratio that is not normalised for these data. */
bnre_status bnre__posterior_warn_evidence(bnre__posterior_work *work)
{
    char why[BNRE_DOUBT];

    /* Under another prior, or of several experiments, log Z is something
       else. */
    if (work->outcome->joint != NULL)
        return BNRE_OK;
    if (!bnre__posterior_far(work->outcome->posterior, work->observed->n,
                             work->outcome->guarantee.temper, why))
        return BNRE_OK;
    return bnre__posterior_warn(work, why);
}

/* "unlike the simulated ones", by what the estimator sees in them. */
bnre_status bnre__posterior_warn_unlike(bnre__posterior_work *work)
{
    double *const least = &work->outcome->guarantee.outside;
    char text[200], words[BNRE_READABLE];
    double p;

    for (size_t k = 0; k < work->observed->n; k++) {
        BNRE_DO(bnre__outside_estimator(
            work->outcome->estimator,
            work->observed->x + k * work->observed->x_size, &p));
        *least = fmin(*least, p); /* NaN is no number to compare with */
        if (!(p < BNRE_UNLIKE))
            continue;
        snprintf(text, sizeof text,
                 "observation %zu is unlike the pairs of the calibration (%s): "
                 "no guarantee holds for it",
                 k, bnre_readable_p_words(p, words));
        BNRE_DO(bnre__posterior_warn(work, text));
    }
    return BNRE_OK;
}
