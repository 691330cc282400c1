/* guarantee.c - what holds for the observation at hand, in words. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/certificate.h"
#include "bnre/text.h"

int bnre_guarantee_void(const bnre_guarantee *guarantee, char why[BNRE_WHY])
{
    const size_t n = guarantee->beyond;
    char words[BNRE_READABLE];

    if (guarantee->outside < BNRE_UNLIKE) {
        if (why != NULL)
            snprintf(why, BNRE_WHY,
                     "the observation is unlike the simulated data (%s)",
                     bnre_readable_p_words(guarantee->outside, words));
        return 1;
    }
    if (!isnan(guarantee->outside) || n == 0)
        return 0;
    if (why != NULL)
        snprintf(why, BNRE_WHY,
                 "%zu of the values observed lie%s outside the range of the "
                 "simulated data",
                 n, n == 1 ? "s" : "");
    return 1;
}

bnre_status bnre_guarantee_words(const bnre_guarantee *guarantee, char **text)
{
    const bnre_certificate none = bnre_certificate_none();
    const bnre_certificate *c =
        guarantee->certificate != NULL ? guarantee->certificate : &none;
    const double widen = guarantee->widen > 0 ? guarantee->widen : 1;
    const int tested = c->kind != BNRE_CERTIFICATE_NONE;
    const int cross = c->kind == BNRE_CERTIFICATE_CROSS && !c->certified;
    const char *not_so = cross ? "NOT CROSS-CHECKED" : "NOT CERTIFIED";
    const char *of = c->certified ? "certificate of this estimator is"
                     : cross      ? "tests out of fold were"
                                  : "tests on fresh pairs were";
    char why[BNRE_WHY];

    *text = NULL;
    if (bnre_guarantee_void(guarantee, why))
        return bnre__text_format(
            text, "no guarantee holds here: %s%s", why,
            bnre_certificate_passed(c)
                ? "; the estimator's certificate is for data from its "
                  "simulator and prior (bnre info shows it)"
                : "");
    if (tested && fabs(c->temper - guarantee->temper) > 1e-12)
        return bnre__text_format(
            text,
            "%s: the %s for temper %g and not for %g (without `temper` the "
            "posterior is that of %g)",
            not_so, of, c->temper, guarantee->temper, c->temper);
    if (tested && fabs(c->widen - widen) > 1e-12)
        return bnre__text_format(
            text,
            "%s: the %s for widths times %g and not for %g (without `widen` "
            "the posterior is that of %g)",
            not_so, of, c->widen, widen, c->widen);
    if (tested && guarantee->experiments > 1)
        return bnre__text_format(
            text,
            "%s: the %s for single experiments and not for %zu taken together",
            not_so, of, guarantee->experiments);
    if (tested && guarantee->other_prior)
        return bnre__text_format(
            text,
            "%s: the %s for the prior of training and not for another (bnre "
            "diagnose with `prior` tests it on pairs)",
            not_so, of);
    if (tested && guarantee->observations > 1)
        return bnre__text_format(
            text,
            "%s: the %s for single observations and not for %zu "
            "taken together",
            not_so, of, guarantee->observations);
    return bnre__strdup(bnre_certificate_words(c), text);
}
