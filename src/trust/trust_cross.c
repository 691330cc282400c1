/* trust_cross.c - trust within the simulations one has: `trust: auto`.

   The scheme. N simulations lie in F folds, and M members are trained, M/F for
   each fold, which never touch it (infer/train/folds.h). For every simulation i
   the members of its fold are an ensemble that is a stranger to it, and the
   rank of theta_i in it is a fair one. All M members together are delivered.

     candidates  widths of the densities times c = 2, 1.75, 1.55, ..., 1
                 (ratios: temper 0.3 to 1), from wide to narrow: written down
                 here, before any data
     test        is the lower bound of coverage out of fold at confidence
                 1 - delta at least level - eps, at all 19 levels?
     order       from wide to narrow; the first failure ends it, the last that
                 passed is the result: CROSS-CHECKED. The order is fixed, and
                 nothing is tested after a failure, so that of all tests
                 together one is wrong with the probability of one (fixed
                 sequence): choosing on these ranks costs nothing.
     else        the widest failed. Then it is delivered, and called
                 INCONCLUSIVE with the number of simulations that would decide,
                 or NOT CROSS-CHECKED where coverage is too low in earnest.

   What is tested, and what not.

     the mean    over folds of the coverage of their ensembles. Given the
                 members of a fold its rows are fresh, so each fold is binomial;
                 a sum of binomials with different shares varies less than one
                 with their mean. But a row of fold f taught the members of all
                 other folds, so ranks of different folds are dependent. Where
                 training is stable (no row changes much) this vanishes as N
                 grows (Bayle, Bayle, Janson, Mackey 2020); for small N bounds
                 are taken as if there were fewer simulations: N / DEPENDENCE.
     pessimism   M/F members on (1 - 1/F) N rows are tested, M are delivered:
                 the mixture of more members is wider as a rule.
     optimism    none from choosing (see order). None from the draws that ranks
                 come from: they are of the very ensemble that is tested, L of
                 them, at its c or a wider one of which they are weighed
                 draws; given the points, theta_i is any of them with a
                 probability proportional to its weight if q is right, and ties
                 are broken by chance.

   How a row could have influenced what ranks it, and why it does not:

     training, stopping, learning rate, scaling of x and theta, order of
     batches: folds.h.
     copies: a leak is one simulation on both sides. Equal theta (but for
     rounding: infer/train/near.h) or equal x lie in one fold, unless they are
     whole numbers that come out equal by nature: independent draws that happen
     to agree are no copies, and a test of rows none of whose like was seen
     would be another, harder one than that of what is delivered. A file that
     was joined with itself is seen even then: folds.h. Rows are known by what
     they hold; equal ones in different folds are told apart by their order in
     the file.
     warm starts: members start from random weights of their seed.
     seeds: those of folds, members and draws are of different streams; the
     fold of a row follows from its number.
     marginal theta in the balance: of the same fold (diag.h, `group`).
     settings (method, network, lambda, ...): given before. Who tries several
     and takes the one that is checked has chosen on these ranks: then it is a
     test among several, as the documentation says.
     a prior known by draws, or fitted: from the prior's own file, no row.
     failed rows: an outcome has no rank. Where rows are missing the others
     count by 1 / P(result | theta), of densities by what has seen nothing of
     their folds (validity.h), so that coverage is that of the prior; bounds are
     as of so many equal rows. Ratios know no P: their coverage is of
     parameters whose simulations give a result, as is said.
     the offset of x: a constant that only decides on rounding (folds.h).
     values that come again and again (train/gaps.h): looked for outside the
     fold, as scalers are fitted. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/text.h"
#include "diag/diag.h"
#include "trust/cross.h"
#include "trust/missing.h"
#include "trust/trust.h"

/* Bounds are those of so many times fewer simulations. It is caution: 214 runs of
   four tasks show 1.04 +- 0.08 (docs/trust.md). */
#define DEPENDENCE 1.25

/* So many ranks are enough: bounds are then within 0.005. */
enum { MOST_RANKS = 20000 };
/* And so many scores: coverage of regions then varies by 0.007 at most. */
enum { MOST_SCORES = 2000 };

/* Ranks among shared draws may be chance to this degree: errors appear smaller
   by as much (diag/sight.c). A width for which it is more gets its own. */
#define MOST_SHARED_CHANCE 0.05

static const double widths[] = {2, 1.75, 1.55, 1.4, 1.3, 1.2, 1.12, 1.05, 1};
static const double tempers[] = {0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Coverage with as many pairs as the ranks are worth. */
static bnre_coverage discount(const bnre_coverage *coverage)
{
    bnre_coverage out = *coverage;

    out.n = (size_t)floor((double)coverage->n / DEPENDENCE);
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++)
        out.covered[i] =
            (size_t)floor(coverage->share[i] * (double)out.n + 1e-9);
    return out;
}

/* How many widths from the first on are looked at by draws of the first. Of
   normal densities in D dimensions, those of widths s times smaller have among
   the draws of the wider one weights of which the share

     (sqrt(2 s^2 - 1) / s^2)^D

   bears the whole (sum w)^2 / sum w^2: half or more, here. */
static size_t served(const bnre_estimator *est, size_t n, const double *widen)
{
    const double D = (double)bnre_estimator_describe(est)->factors;
    size_t count = 1;

    for (; count < n; count++) {
        const double s2 = pow(widen[0] / widen[count], 2);

        if (pow(sqrt(2 * s2 - 1) / s2, D) < 0.5)
            break;
    }
    return count;
}

/* What is found out of fold: for some widths by draws of the first, or, without
   any, for all tempers at once. */
static bnre_status look(bnre__trust_run *run, bnre__cross *cross,
                        bnre_estimator *est, size_t n, const double *widen,
                        bnre_diag **out)
{
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_status status = BNRE_OK;

    if (n > 0) {
        BNRE_TRY(bnre_estimator_set_widen(est, widen[0]));
        opts.widen = n > 1 ? widen : NULL;
        opts.n_widen = n > 1 ? n : 0;
    } else {
        opts.temper = tempers;
        opts.n_temper = COUNT(tempers);
    }
    opts.delta = run->opts->delta;
    opts.eps = run->opts->eps;
    opts.seed = run->train->seed;
    opts.pool = run->train->pool;
    opts.monitor = run->train->monitor;
    BNRE_TRY(bnre__cross_diagnose(cross, &opts, out));
done:
    return status;
}

static void take(bnre__trust_run *run, size_t candidate,
                 const bnre_diag_curve *curve)
{
    const bnre_coverage worth = discount(&curve->coverage);
    bnre_certificate *c = &run->result->certificate;

    run->result->coverage = curve->coverage;
    c->chosen = candidate;
    c->widen = c->candidate[candidate].widen;
    c->information = curve->information;
    c->ess = curve->ess_median;
    c->auc = curve->coverage.auc;
    c->balance = curve->balanced;
    c->levels = BNRE_DIAG_LEVELS;
    for (size_t i = 0; i < c->levels; i++) {
        c->level[i] = bnre_diag_level(i);
        c->coverage[i] = curve->coverage.share[i];
        c->lower_bound[i] =
            bnre__binomial_lower(worth.covered[i], worth.n, run->opts->delta);
    }
}

/* Coverage alone, as far as it can be told. */
static bnre_judgement judge(const bnre__trust_run *run,
                            const bnre_diag_curve *curve)
{
    const bnre_coverage worth = discount(&curve->coverage);
    bnre_judgement out;

    bnre__judge(&worth, (bnre_estimate){NAN, NAN}, run->opts->delta,
                run->opts->eps, 0, &out);
    out.needed = (size_t)ceil((double)out.needed * DEPENDENCE *
                              (double)run->result->certificate.cross.use /
                              (double)curve->coverage.n);
    return out;
}

/* Whether widths are chosen, and not tempers. */
static int widens(const bnre__trust_run *run, const bnre_estimator *est)
{
    return bnre_estimator_describe(est)->factors > 0 && !run->choose_temper;
}

static void list_candidates(bnre__trust_run *run, int widen)
{
    bnre_certificate *c = &run->result->certificate;

    c->n = widen ? COUNT(widths) : COUNT(tempers);
    for (size_t i = 0; i < c->n; i++)
        c->candidate[i] = (bnre_candidate){.lambda = run->trained[0].lambda,
                                           .temper = widen ? 1 : tempers[i],
                                           .widen = widen ? widths[i] : 1,
                                           .margin = NAN,
                                           .information = {NAN, NAN}};
}

/* Whether a diagnosis shows curve c well enough. */
static int shows(const bnre_diag *diag, size_t c)
{
    return c < diag->n_curves &&
           diag->curve[c].judgement.chance <= MOST_SHARED_CHANCE;
}

/* From wide to narrow; the judgement of the first that failed. */
static bnre_status test_all(bnre__trust_run *run, bnre__cross *cross,
                            bnre_estimator *est, int widen,
                            bnre_judgement *judgement)
{
    bnre_certificate *result = &run->result->certificate;
    bnre_status status = BNRE_OK;
    bnre_diag *diag = NULL;
    size_t first = 0; /* the candidate of the first curve */

    for (size_t i = 0; i < result->n; i++) {
        bnre_candidate *c = &result->candidate[i];
        const bnre_diag_curve *curve;

        if (diag == NULL || (widen && !shows(diag, i - first))) {
            const size_t n = !widen ? 0
                             : cross->density.many > 0
                                 ? served(est, result->n - i, widths + i)
                                 : 1;

            bnre_diag_destroy(diag);
            diag = NULL;
            first = i;
            BNRE_TRY(look(run, cross, est, n, widths + i, &diag));
        }
        curve = &diag->curve[i - first];
        *judgement = judge(run, curve);
        c->test = i + 1;
        c->blind = curve->judgement.verdict == BNRE_BLIND;
        c->margin = c->blind ? (double)NAN : judgement->margin;
        c->information = curve->information;
        c->passed = !c->blind && judgement->verdict == BNRE_CONSERVATIVE;
        if (i == 0 || c->passed)
            take(run, i, curve);
        result->blind = i == 0 && c->blind;
        if (!c->passed)
            break;
        result->checked = 1;
    }
done:
    bnre_diag_destroy(diag);
    return status;
}

/* "widths times 1.2", "temper 0.8" */
static const char *name_candidate(const bnre__trust_run *run, char out[64])
{
    const bnre_certificate *result = &run->result->certificate;
    const bnre_candidate *c = &result->candidate[result->chosen];
    const char *method = bnre_method_name(run->trained[0].method);

    if (c->temper < 1)
        snprintf(out, 64, "%s, temper %g", method, c->temper);
    else
        snprintf(out, 64, "%s, widths times %g", method, c->widen);
    return out;
}

static bnre_status say_checked(bnre__trust_run *run, double missing,
                               const char *name)
{
    bnre_certificate *c = &run->result->certificate;
    const int uninformative =
        !(c->information.mean > 0.05 + 1.645 * c->information.error);
    const size_t worth = run->result->coverage.n;
    char where[80] = "", count[BNRE_READABLE], weighed[120] = "";

    if (worth < c->cross.use)
        snprintf(weighed, sizeof weighed,
                 "; others are missing, so that each counts by 1 / P(result | "
                 "theta): they are worth %zu equal ones",
                 worth);
    if (missing > 0)
        snprintf(where, sizeof where,
                 " where simulations give a result (%.2g %% are missing)",
                 100 * missing);
    return bnre__text_format(
        &c->words,
        "CROSS-CHECKED: regions of every level contain the truth at least as "
        "often as they say, within %g, on average over the prior%s: so it is "
        "for the %s simulations themselves, each judged by the %zu of %zu "
        "networks that have not seen it (%s, information %.2f nats%s%s). Such "
        "smaller ensembles are what was tested, and the confidence of %g %% "
        "is approximate; --certify N tests the whole one on fresh pairs",
        run->opts->eps, where, bnre_readable_count(c->cross.use, count),
        c->members / c->folds, c->members, name, c->information.mean,
        uninformative ? ": next to nothing is learned" : "", weighed,
        100 * (1 - run->opts->delta));
}

static bnre_status say(bnre__trust_run *run, const bnre_judgement *judgement)
{
    bnre_certificate *c = &run->result->certificate;
    char name[64], count[BNRE_READABLE], needed[BNRE_READABLE];
    const char *chosen = name_candidate(run, name);

    bnre_readable_count(c->cross.use, count);
    if (c->checked)
        return say_checked(run, c->cross.missing, chosen);
    if (c->blind)
        return bnre__text_format(
            &c->words,
            "NOT CROSS-CHECKED (blind): the posteriors are too narrow for the "
            "points at which they were looked at, so that nothing is known of "
            "them. This is %s, the most cautious choice",
            chosen);
    if (judgement->verdict == BNRE_OVERCONFIDENT)
        return bnre__text_format(
            &c->words,
            "NOT CROSS-CHECKED: out of fold even the most cautious choice, %s, "
            "is overconfident: its %.0f %% regions contain the truth in %.1f "
            "%% of %s simulations. More simulations or another network would "
            "help",
            chosen, 100 * bnre_diag_level(judgement->worst),
            100 * (bnre_diag_level(judgement->worst) + judgement->margin),
            count);
    if (judgement->needed == 0)
        return bnre__text_format(
            &c->words,
            "INCONCLUSIVE: %s simulations are too few to tell whether regions "
            "contain the truth as often as they say. This is the most "
            "cautious choice, %s; more simulations would decide",
            count, chosen);
    return bnre__text_format(
        &c->words,
        "INCONCLUSIVE: %s simulations are too few to tell whether regions "
        "contain the truth as often as they say; about %s would decide. This "
        "is the most cautious choice, %s",
        count, bnre_readable_count(judgement->needed, needed), chosen);
}

/* ---- fresh pairs ---- */

/* What fresh pairs say of the whole ensemble at one width or temper. */
static bnre_status look_fresh(bnre__trust_run *run, bnre_estimator *est,
                              const bnre_candidate *c, bnre_diag **out)
{
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_density density;

    if (est->info.factors > 0)
        BNRE_DO(bnre_estimator_set_widen(est, c->widen));
    BNRE_DO(bnre_estimator_set_temper(est, c->temper));
    density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    opts.delta = run->opts->delta;
    opts.eps = run->opts->eps;
    opts.seed = run->train->seed;
    opts.pool = run->train->pool;
    opts.monitor = run->train->monitor;
    return bnre_diagnose_dataset(&density, run->certify.data, 1, &opts, out);
}

static void take_fresh(bnre__trust_run *run, size_t candidate,
                       const bnre_diag_curve *curve)
{
    bnre_certificate *c = &run->result->certificate;

    run->result->coverage = curve->coverage;
    c->chosen = candidate;
    c->widen = c->candidate[candidate].widen;
    c->information = curve->information;
    for (size_t i = 0; i < c->levels; i++) {
        c->coverage[i] = curve->coverage.share[i];
        c->lower_bound[i] = bnre__binomial_lower(
            curve->coverage.covered[i], curve->coverage.n, run->opts->delta);
    }
}

static bnre_status say_fresh(bnre__trust_run *run)
{
    bnre_certificate *c = &run->result->certificate;
    char name[64], where[80] = "";
    const char *chosen = name_candidate(run, name);

    bnre__free(c->words);
    c->words = NULL;
    if (run->certify.missing > 0)
        snprintf(where, sizeof where,
                 " where simulations give a result (%.2g %% are missing)",
                 100 * run->certify.missing);
    if (c->certified)
        return bnre__text_format(
            &c->words,
            "CERTIFIED conservative: on %zu fresh pairs regions of every level "
            "contain the truth at least as often as they say, within %g, on "
            "average over the prior%s, with %g %% confidence (%s, information "
            "%.2f nats)",
            run->certify.use, run->opts->eps, where,
            100 * (1 - run->opts->delta), chosen, c->information.mean);
    return bnre__text_format(
        &c->words,
        "NOT CERTIFIED: %zu fresh pairs do not suffice, or no choice is "
        "conservative; this is the most cautious, %s",
        run->certify.use, chosen);
}

/* From the widest to what was chosen out of fold, or where nothing could be, to
   the narrowest: the first failure ends it. The order does not depend on these
   pairs, so that the confidence is exact. */
static bnre_status certify(bnre__trust_run *run, bnre_estimator *est)
{
    bnre_certificate *c = &run->result->certificate;
    const size_t last = c->checked ? c->chosen : c->n - 1;
    bnre_status status = BNRE_OK;
    bnre_diag *diag = NULL;

    BNRE_TRY(bnre__trust_refuse_seen(est, &run->certify));
    run->certify.use = run->certify.n;
    c->checked = 0;
    for (size_t i = 0; i <= last; i++) {
        const bnre_diag_curve *curve;
        int passed;

        bnre_diag_destroy(diag);
        diag = NULL;
        BNRE_TRY(look_fresh(run, est, &c->candidate[i], &diag));
        curve = &diag->curve[0];
        passed = curve->judgement.verdict != BNRE_BLIND &&
                 bnre__trust_is_conservative(&curve->coverage, run->opts->delta,
                                             run->opts->eps);
        if (i == 0 || passed)
            take_fresh(run, i, curve);
        if (!passed)
            break;
        c->certified = 1;
    }
    BNRE_TRY(say_fresh(run));
done:
    bnre_diag_destroy(diag);
    return status;
}

/* Too few for any rank to tell: the most cautious choice. */
static bnre_status give_up(bnre__trust_run *run)
{
    bnre_certificate *c = &run->result->certificate;
    const double least = log(run->opts->delta) / log(0.95 - run->opts->eps);

    c->widen = c->candidate[0].widen;
    c->needed = (size_t)ceil(DEPENDENCE * ceil(least));
    return bnre__text_format(
        &c->words,
        "INCONCLUSIVE: %zu simulations are too few to tell anything; %zu are "
        "the least that could. This is the most cautious choice",
        c->cross.use, c->needed);
}

bnre_status bnre__trust_cross_scores(bnre__trust_run *run, bnre_estimator *est)
{
    bnre_status status = BNRE_OK;
    bnre_dataset *data = NULL;
    bnre__cross cross = {0};

    BNRE_TRY(bnre_dataset_open(run->train->data, &data));
    BNRE_TRY(
        bnre__cross_init(&cross, est, data, MOST_SCORES, run->train->seed));
    BNRE_TRY(bnre__cross_level(&cross, run->train->seed));
    if (cross.n >= BNRE_DIAG_LEAST)
        BNRE_TRY(bnre__cross_calibrate(&cross, run->train->pool, est));
done:
    bnre__cross_clear(&cross);
    bnre_dataset_close(data);
    return status;
}

bnre_status bnre__trust_cross(bnre__trust_run *run)
{
    bnre_certificate *c = &run->result->certificate;
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;
    bnre_dataset *data = NULL;
    bnre__cross cross = {0};
    bnre_judgement judgement = {0};

    BNRE_TRY(bnre_estimator_open(run->step[0], &est));
    BNRE_TRY(bnre_dataset_open(run->train->data, &data));
    BNRE_TRY(bnre__cross_init(&cross, est, data, MOST_RANKS, run->train->seed));
    list_candidates(run, widens(run, est));
    c->folds = est->info.folds;
    c->members = est->info.members;
    c->cross = (bnre_certificate_pairs){
        .given = 1, .use = cross.n, .rows = est->info.training.rows};
    memcpy(c->cross.fingerprint, est->info.training.fingerprint,
           sizeof c->cross.fingerprint);
    if (cross.weight == NULL)
        BNRE_TRY(bnre__missing_share(
            data, (bnre_failure_mode)run->train->failure, &c->cross.missing));
    if (cross.n < BNRE_DIAG_LEAST) {
        BNRE_TRY(give_up(run));
    } else {
        BNRE_TRY(test_all(run, &cross, est, widens(run, est), &judgement));
        c->needed = c->checked ? 0 : judgement.needed;
        BNRE_TRY(say(run, &judgement));
    }
    if (run->certify.n >= BNRE_DIAG_LEAST)
        BNRE_TRY(certify(run, est));
done:
    bnre__cross_clear(&cross);
    bnre_dataset_close(data);
    bnre_estimator_close(est);
    return status;
}
