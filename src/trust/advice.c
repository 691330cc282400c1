/* From numbers to what to do about them. */

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/certificate.h"
#include "bnre/settings.h"
#include "bnre/text.h"
#include "trust/advice.h"

/* Bounds in standard errors beyond which a pattern of ranks is named: 4 are
   passed by chance once in 16,000. */
#define CLEAR 4.0

static bnre_status add(bnre_advice *advice, const char *topic, char *text)
{
    bnre_status status = BNRE_OK;
    size_t room = advice->n;

    BNRE_GROW(advice->item, room, advice->n + 1);
    advice->item[advice->n].topic = topic;
    advice->item[advice->n++].text = text;
    text = NULL;
done:
    bnre__free(text);
    return status;
}

#define SAY(topic, ...)                                                        \
    do {                                                                       \
        char *text = NULL;                                                     \
                                                                               \
        BNRE_DO(bnre__text_format(&text, __VA_ARGS__));                        \
        BNRE_DO(add(advice, topic, text));                                     \
    } while (0)

void bnre__advice_clear(bnre_advice *advice)
{
    for (size_t i = 0; i < advice->n; i++)
        bnre__free(advice->item[i].text);
    bnre__free(advice->item);
    *advice = (bnre_advice){0};
}

/* ---- the verdict ---- */

/* The largest temper of the diagnosis that is conservative; 0 if none is. */
static double safe_temper(const bnre_diag *diag)
{
    double best = 0;

    for (size_t i = 0; i < diag->n_curves; i++)
        if (diag->curve[i].judgement.verdict == BNRE_CONSERVATIVE)
            best = fmax(best, diag->curve[i].tau);
    return best;
}

static bnre_status on_overconfidence(const bnre_diag *diag, bnre_advice *advice)
{
    const double temper = safe_temper(diag);

    if (temper > 0)
        SAY("caution",
            "more caution: regions are too small. On these pairs `temper: %g` "
            "is conservative and needs no training; fresh pairs should confirm "
            "it",
            temper);
    else
        SAY("caution",
            "more caution: regions are too small. Training with `trust: auto` "
            "finds how much caution suffices and checks it; without training "
            "anew, diagnose with `temper: 1,0.9,0.8,0.7`");
    return BNRE_OK;
}

/* What lets one see more, for the points that there were. */
static const char *more_points(const bnre_diag *diag)
{
    if (diag->evaluations == 0)
        return "more samples: so few for each pair show nothing, ten are the "
               "least and a hundred or more of use";
    switch (diag->grid) {
    case BNRE_DIAG_CHAINS:
        return "more steps: `steps: N` lets the Markov chains take up to N "
               "each way. Or fewer parameters: those that you ask about, the "
               "others drawn by the simulator as nuisance";
    case BNRE_DIAG_CELLS:
    case BNRE_DIAG_PAPER:
        return "other points: this grid is too coarse for these posteriors. "
               "Without `grid` they are placed where the posterior is";
    case BNRE_DIAG_BANK:
        return "more points: `most_points: N` lets the diagnosis take up to N "
               "draws of the prior for each pair; a prior that is known by "
               "samples needs more of these, or a density in their place";
    default:
        return "more points: `most_points: N` lets the diagnosis take up to N "
               "for each pair, and it takes no more than it needs. Or fewer "
               "parameters: those that you ask about, the others drawn by the "
               "simulator as nuisance";
    }
}

static bnre_status on_verdict(const bnre_diag *diag, int chosen,
                              bnre_advice *advice)
{
    const bnre_judgement *j = &diag->curve[0].judgement;

    switch (j->verdict) {
    case BNRE_OVERCONFIDENT:
        BNRE_DO(on_overconfidence(diag, advice));
        break;
    case BNRE_UNINFORMATIVE:
        SAY("simulations",
            "next to nothing was learned about the parameters: more "
            "simulations, a smaller lambda, or another network. Coverage says "
            "nothing here, as the prior itself covers perfectly");
        break;
    case BNRE_INCONCLUSIVE:
        if (j->needed > 0)
            SAY("pairs",
                "more pairs to diagnose with: about %zu in all%s%s would "
                "decide, and say %s if coverage stays as it is",
                j->needed, j->over != NULL ? " of " : "",
                j->over != NULL ? j->over : "", bnre_verdict_name(j->expected));
        else
            SAY("pairs", "coverage is at the edge of what is asked for: no "
                         "number of pairs would decide");
        break;
    case BNRE_BLIND:
        SAY("points",
            "%s. Until then nothing is known of this estimator, and nothing "
            "else is advised",
            more_points(diag));
        break;
    case BNRE_CONSERVATIVE:
        SAY("enough",
            "enough: regions contain the truth at least as often as "
            "they say, on average over %s",
            j->over != NULL ? j->over : "the prior");
        if (diag->curve[0].coverage.auc.mean > 0.1 && !chosen)
            SAY("caution",
                "less caution would do: regions are much larger "
                "than needed. Training with `trust: auto` returns the "
                "sharpest estimator that is still conservative");
        break;
    }
    return BNRE_OK;
}

static bnre_status on_missing(const bnre__advice_opts *opts,
                              bnre_advice *advice)
{
    const double share = 100 * opts->missing;

    if (opts->estimator != NULL && opts->estimator->weighed)
        SAY("pairs",
            "%.2g %% of the pairs are missing: of the others some were left "
            "out by chance, by the P(result | theta) that was learned in "
            "training, so that all this is an average over the prior",
            share);
    else
        SAY("pairs",
            "%.2g %% of the pairs are missing: all this is an average over "
            "parameters whose simulations give a result, and nothing is known "
            "of others. Where bnre info says that failures depend on the "
            "parameters, repeat what was lost",
            share);
    return BNRE_OK;
}

/* ---- simulations ---- */

static bnre_status on_curve(const bnre_learning_curve *curve,
                            bnre_advice *advice)
{
    const size_t most = curve->simulations[2];

    if (curve->gain_high < 0.05)
        SAY("enough",
            "more simulations would bring little: from %zu to twice as many "
            "about %.2f nats (%.2f to %.2f), 95 %% regions %.2f times as large "
            "(%.2f to %.2f)",
            most, curve->gain, curve->gain_low, curve->gain_high, curve->shrink,
            curve->shrink_low, curve->shrink_high);
    else
        SAY("simulations",
            "more simulations pay: twice as many (%zu) would bring about %.2f "
            "nats of information (%.2f to %.2f) and make 95 %% regions about "
            "%.2f times as large (%.2f to %.2f)",
            2 * most, curve->gain, curve->gain_low, curve->gain_high,
            curve->shrink, curve->shrink_low, curve->shrink_high);
    return BNRE_OK;
}

/* ---- the estimator ---- */

static bnre_status on_estimator(const bnre_diag *diag,
                                const bnre_estimator_info *info,
                                bnre_advice *advice)
{
    if (info == NULL)
        return BNRE_OK;
    if (info->members == 1)
        SAY("ensemble", "an ensemble: `members: 5` is as a rule both sharper "
                        "and safer than a single network");
    else if (diag->n_members > 1 && diag->spread.mean > 1)
        SAY("ensemble",
            "members disagree: their log ratios at the truth differ by %.1f "
            "nats (standard deviation). More simulations, or more members",
            diag->spread.mean);
    return BNRE_OK;
}

/* Mean and spread of ranks that should be uniform, in standard errors. */
static void find_pattern(size_t n, const double *rank, double *slope,
                         double *width)
{
    double mean = 0, square = 0;

    for (size_t i = 0; i < n; i++)
        mean += rank[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        square += (rank[i] - 0.5) * (rank[i] - 0.5) / (double)n;
    *slope = (mean - 0.5) * sqrt(12 * (double)n);
    *width = (square - 1.0 / 12) * sqrt(180 * (double)n);
}

/* Where joint regions are safe, what single parameters show is no reason for
   more caution, but for care with their intervals. */
static bnre_status on_single(const char *name, size_t dim, double slope,
                             bnre_advice *advice)
{
    const char *joint = dim > 1 ? "joint regions" : "regions";
    const char *alone = dim > 1 ? " alone" : "";

    if (slope != 0)
        SAY("pattern",
            "%s are safe, but intervals of %s%s are shifted: it is estimated "
            "too %s on average (its ranks slope). A larger network, a longer "
            "training or more simulations would help",
            joint, name, alone, slope > 0 ? "low" : "high");
    else
        SAY("pattern",
            "%s are safe, but intervals of %s%s may be too short (its ranks "
            "pile up at both ends)",
            joint, name, alone);
    return BNRE_OK;
}

static bnre_status on_patterns(const bnre_diag *diag, bnre_advice *advice)
{
    const int safe = diag->n_curves > 0 &&
                     diag->curve[0].judgement.verdict == BNRE_CONSERVATIVE;

    for (size_t k = 0; k < diag->dim; k++) {
        const bnre_diag_parameter *parameter = &diag->parameter[k];
        double slope, width;

        find_pattern(diag->n, parameter->rank, &slope, &width);
        if (fabs(slope) <= CLEAR || fabs(slope) <= fabs(width) / 2)
            slope = 0;
        if (safe && (slope != 0 || width > CLEAR))
            BNRE_DO(on_single(parameter->name, diag->dim, slope, advice));
        else if (slope != 0)
            SAY("pattern",
                "%s is estimated too %s on average (its ranks slope): a larger "
                "network, a longer training or more simulations; look at how "
                "it enters x",
                parameter->name, slope > 0 ? "low" : "high");
        else if (width > CLEAR)
            SAY("pattern",
                "posteriors of %s are too narrow (its ranks pile up at both "
                "ends): more caution or more simulations",
                parameter->name);
        else if (width < -CLEAR)
            SAY("pattern",
                "posteriors of %s are wider than exact ones (its ranks pile "
                "up in the middle): what caution costs, and no fault",
                parameter->name);
    }
    return BNRE_OK;
}

static bnre_status on_observation(double p, bnre_advice *advice)
{
    char words[BNRE_READABLE];

    if (isnan(p))
        return BNRE_OK;
    bnre_readable_p_words(p, words);
    if (p < BNRE_UNLIKE)
        SAY("observation",
            "the observation is unlike the simulated data (%s): the "
            "simulator or the prior may miss something, and no verdict here "
            "holds for such data",
            words);
    else
        SAY("observation", "the observation looks like the simulated data (%s)",
            words);
    return BNRE_OK;
}

/* Ranks and gains are then chance for a good part, and no ground for advice. */
static int is_blind(const bnre_diag *diag)
{
    return diag->n_curves > 0 && diag->curve[0].judgement.verdict == BNRE_BLIND;
}

bnre_status bnre__advise(const bnre_diag *diag, const bnre__advice_opts *opts,
                         bnre_advice *out)
{
    /* Estimators that are only calibrated have a certificate, too. */
    const int chosen = opts->certificate != NULL &&
                       opts->certificate->kind != BNRE_CERTIFICATE_NONE;

    *out = (bnre_advice){0};
    if (!isnan(opts->outside) && opts->outside < BNRE_UNLIKE)
        BNRE_DO(on_observation(opts->outside, out));
    if (diag->n_curves > 0)
        BNRE_DO(on_verdict(diag, chosen, out));
    if (opts->missing > 0)
        BNRE_DO(on_missing(opts, out));
    if (!is_blind(diag)) {
        if (opts->curve != NULL)
            BNRE_DO(on_curve(opts->curve, out));
        BNRE_DO(on_estimator(diag, opts->estimator, out));
        BNRE_DO(on_patterns(diag, out));
    }
    if (opts->outside >= BNRE_UNLIKE)
        BNRE_DO(on_observation(opts->outside, out));
    return BNRE_OK;
}
