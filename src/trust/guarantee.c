#include "bnre/guarantee.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"
#include "bnre/settings.h"
#include "bnre/text.h"
#include "bnre/trust.h"
#include "trust/missing.h"

/* What of a certificate decides whether it speaks of this posterior. */
struct tested {
    int chosen; /* else it is of a calibration only */
    int certified;
    double temper; /* NaN if it does not say */
    double widen;  /* 1 if it does not say */
};

static bnre_status read_tested(const char *certificate, struct tested *out)
{
    bnre_status status = BNRE_OK;
    const bnre_node *certified, *temper, *widen;
    bnre_node *map = NULL;

    *out = (struct tested){.temper = NAN, .widen = 1};
    if (certificate == NULL)
        return BNRE_OK;
    BNRE_TRY(bnre_yaml_parse(certificate, "certificate", &map));
    certified = bnre_node_find(map, "certified");
    temper = bnre_node_find(map, "temper");
    out->chosen = certified != NULL && certified->kind == BNRE_NODE_TEXT;
    out->certified = out->chosen && strcmp(certified->text, "yes") == 0;
    if (temper == NULL || temper->kind != BNRE_NODE_TEXT ||
        bnre__number_scan(temper->text, temper->text + strlen(temper->text),
                          &out->temper) == NULL)
        out->temper = NAN;
    widen = bnre_node_find(map, "widen");
    if (widen != NULL && widen->kind == BNRE_NODE_TEXT &&
        bnre__number_scan(widen->text, widen->text + strlen(widen->text),
                          &out->widen) == NULL)
        out->widen = NAN;
done:
    bnre_node_destroy(map);
    return status;
}

bnre_status bnre__guarantee_missing(const bnre_guarantee *guarantee,
                                    double *share)
{
    bnre_status status = BNRE_OK;
    const bnre_node *pairs, *missing;
    bnre_node *map = NULL;

    *share = 0;
    if (guarantee->certificate == NULL)
        return BNRE_OK;
    BNRE_TRY(bnre_yaml_parse(guarantee->certificate, "certificate", &map));
    pairs = bnre_node_find(map, "calibrate");
    missing = pairs != NULL && pairs->kind == BNRE_NODE_MAP
                  ? bnre_node_find(pairs, "missing")
                  : NULL;
    if (missing != NULL && missing->kind == BNRE_NODE_TEXT &&
        bnre__number_scan(missing->text, missing->text + strlen(missing->text),
                          share) == NULL)
        *share = 0;
done:
    bnre_node_destroy(map);
    return status;
}

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
    const double widen = guarantee->widen > 0 ? guarantee->widen : 1;
    bnre_status status = BNRE_OK;
    struct tested tested;
    char why[BNRE_WHY];
    const char *rest;

    *text = NULL;
    BNRE_TRY(read_tested(guarantee->certificate, &tested));
    rest = tested.certified ? "; the estimator's certificate is for data from "
                              "its simulator and prior (bnre info shows it)"
                            : "";
    if (bnre_guarantee_void(guarantee, why))
        status =
            bnre__text_format(text, "no guarantee holds here: %s%s", why, rest);
    else if (tested.chosen && fabs(tested.temper - guarantee->temper) > 1e-12)
        status = bnre__text_format(
            text,
            "NOT CERTIFIED: the %s for temper %g and not for %g (without "
            "--temper the posterior is that of %g)",
            tested.certified ? "certificate of this estimator is"
                             : "tests on fresh pairs were",
            tested.temper, guarantee->temper, tested.temper);
    else if (tested.chosen && fabs(tested.widen - widen) > 1e-12)
        status = bnre__text_format(
            text,
            "NOT CERTIFIED: the %s for widths times %g and not for %g (without "
            "--widen the posterior is that of %g)",
            tested.certified ? "certificate of this estimator is"
                             : "tests on fresh pairs were",
            tested.widen, widen, tested.widen);
    else if (tested.chosen && guarantee->observations > 1)
        status = bnre__text_format(
            text,
            "NOT CERTIFIED: the %s for single observations and not for %zu "
            "taken together",
            tested.certified ? "certificate of this estimator is"
                             : "tests on fresh pairs were",
            guarantee->observations);
    else
        status = bnre_certificate_words(guarantee->certificate, text);
done:
    return status;
}
