/* What the weighted points of a pair say. */
#include <math.h>

#include "diag/look.h"

/* Weights of a set for one tau. */
struct weights {
    double tau, top; /* weight = exp(tau l + log mass - top) */
    double total, squares;
    double log_z;
};

static double log_add(double a, double b)
{
    double top = fmax(a, b);

    return top > -HUGE_VAL ? top + log(exp(a - top) + exp(b - top)) : top;
}

/* What the points stand for that the evidence is the mean of. */
static double mass_counted(const bnre__look *look)
{
    return look->displaced == BNRE_NO_POINT
               ? look->mass - 0.5 * exp(look->log_mass[look->at])
               : look->mass;
}

/* By the chains. Where they are lost nothing is known, so nothing is gained. */
static double evidence(const bnre__look *look, double tau)
{
    return look->star.lost ? tau * look->log_ratio[look->at]
                           : bnre__star_evidence(&look->star, tau);
}

/* log Z. With theta* among the points the evidence is too large on average,
   without it (the displaced point in its place) its logarithm is too small, by
   Jensen's inequality; for an exact posterior both errors are the same to first
   order in 1 / J. So theta* and the displaced point count half each. */
static double normaliser(const bnre__look *look, const struct weights *w)
{
    const double own = look->weight[look->at];
    double log_sum;

    if (look->job->grid == BNRE_DIAG_DRAWS && look->job->density->weigh == NULL)
        return 0;                           /* it is normalised */
    if (look->job->grid == BNRE_DIAG_DRAWS) /* the mean of w; theta* as below */
        return w->total > 0 ? w->top + log(w->total - 0.5 * own) -
                                  log((double)look->n - 0.5)
                            : -HUGE_VAL;
    if (look->job->grid == BNRE_DIAG_CHAINS)
        return evidence(look, w->tau);
    if (!(w->total > 0))
        return -HUGE_VAL;
    if (look->job->grid == BNRE_DIAG_PAPER)
        return w->top + log(w->total);
    log_sum = w->top + log(w->total - 0.5 * own);
    if (look->displaced != BNRE_NO_POINT)
        log_sum = log_add(log_sum, w->tau * look->log_ratio[look->displaced] +
                                       look->log_mass[look->at] - log(2));
    return log_sum - log(mass_counted(look));
}

/* Draws of the posterior itself, or ends of chains. */
static int is_drawn(const bnre__look *look)
{
    return look->job->grid == BNRE_DIAG_DRAWS ||
           look->job->grid == BNRE_DIAG_CHAINS;
}

/* What points are compared by. Of values in a list many points are the same: the
   last bits of a log ratio, which may depend on the place in a batch, shall not
   tell them apart. */
static double comparable(const bnre__look *look, double log_density)
{
    return look->mixed ? rint(log_density * 65536) / 65536 : log_density;
}

/* Draws of another density, which are weighed. */
static int is_weighed(const bnre__look *look)
{
    return look->job->grid == BNRE_DIAG_DRAWS &&
           look->job->density->weigh != NULL;
}

/* log w of draw k: of draws of another density, or, where log_ratio is of
   another width than was drawn from, q / (q that was drawn from). */
static double log_weight(const bnre__look *look, size_t k)
{
    if (is_weighed(look))
        return look->log_mass[k];
    if (look->log_ratio == look->drawn)
        return 0;
    return look->drawn[k] > -HUGE_VAL ? look->log_ratio[k] - look->drawn[k]
                                      : -HUGE_VAL;
}

/* Draws of the posterior itself weigh the same. Of draws of h(theta | x) and
   theta* of the posterior, given all of them, each is the true one with a
   probability proportional to w, the posterior over h: so that ranks with these
   weights are uniform for a right posterior, however few draws there are. */
static struct weights weigh_draws(bnre__look *look)
{
    struct weights w = {.tau = 1, .top = -HUGE_VAL};

    for (size_t k = 0; k < look->n; k++)
        w.top = bnre__larger(w.top, log_weight(look, k));
    for (size_t k = 0; k < look->n; k++) {
        const double weight =
            w.top > -HUGE_VAL ? exp(log_weight(look, k) - w.top) : 0;

        look->value[k] =
            comparable(look, look->log_prior[k] + look->log_ratio[k]);
        look->weight[k] = weight;
        w.total += weight;
        w.squares += weight * weight;
    }
    return w;
}

/* Weights and densities of the set. */
static struct weights weigh(bnre__look *look, double tau)
{
    struct weights w = {.tau = tau, .top = -HUGE_VAL};

    if (look->job->grid == BNRE_DIAG_DRAWS)
        return weigh_draws(look);

    for (size_t k = 0; k < look->n; k++)
        w.top =
            bnre__larger(w.top, tau * look->log_ratio[k] + look->log_mass[k]);
    for (size_t k = 0; k < look->n; k++) {
        const double l = tau * look->log_ratio[k];
        const double weight =
            w.top > -HUGE_VAL ? exp(l + look->log_mass[k] - w.top) : 0;

        look->value[k] = comparable(look, look->log_prior[k] + l);
        look->weight[k] = weight;
        w.total += weight;
        w.squares += weight * weight;
    }
    return w;
}

static double rank(const bnre__look *look, const struct weights *w)
{
    /* The reference looks at what is denser only. */
    const double u = look->job->grid == BNRE_DIAG_PAPER ? 0 : look->u;

    return bnre__rank(look->n, look->weight, look->value, w->total, look->at,
                      u);
}

static double gain_of(const bnre__look *look, const struct weights *w)
{
    const double l = w->tau * look->log_ratio[look->at];

    return l > -HUGE_VAL ? l - w->log_z : l;
}

static double sigmoid(double l)
{
    return 1 / (1 + exp(-l));
}

static void note_balance(const bnre__look *look, size_t i,
                         const struct weights *w)
{
    const bnre__look_job *job = look->job;
    const double own = look->log_ratio[look->at];
    const double other = look->log_ratio[look->other];

    job->found->balance[i] =
        job->observations == 1 ? sigmoid(own) + sigmoid(other) : NAN;
    job->found->normalised[i] = w->log_z > -HUGE_VAL
                                    ? sigmoid(w->tau * own - w->log_z) +
                                          sigmoid(w->tau * other - w->log_z)
                                    : 0;
}

/* What the gain would be with as many points again. */
static void note_doubling(const bnre__look *look, size_t i,
                          const struct weights *w)
{
    double mass = mass_counted(look);
    double log_sum = w->log_z + log(mass);

    look->job->found->gain_change[i] = NAN;
    if (look->n_more == 0 || !(w->log_z > -HUGE_VAL) ||
        !(look->log_ratio[look->at] > -HUGE_VAL))
        return;
    for (size_t k = 0; k < look->n_more; k++) {
        log_sum = log_add(log_sum, w->tau * look->log_ratio[look->more + k] +
                                       look->more_mass[k]);
        mass += exp(look->more_mass[k]);
    }
    look->job->found->gain_change[i] = w->log_z - (log_sum - log(mass));
}

/* Mean and variance of each parameter; theta* and the displaced point count
   half as in the evidence: otherwise the mean would lean to theta*, or lack
   what theta* stands for. */
static void note_moments(const bnre__look *look, size_t i,
                         const struct weights *w)
{
    const bnre__look_job *job = look->job;
    const double *theta = bnre__look_row(look, look->at);
    const int paper = job->grid == BNRE_DIAG_PAPER;
    double scale = 1, away = 0, total;

    if (look->displaced != BNRE_NO_POINT && w->total > 0) {
        const double l = w->tau * look->log_ratio[look->displaced] +
                         look->log_mass[look->at];
        const double top = fmax(w->top, l);

        scale = exp(w->top - top);
        away = 0.5 * exp(l - top);
    }
    total =
        scale * (w->total - (paper ? 0 : 0.5 * look->weight[look->at])) + away;
    for (size_t d = 0; d < look->dim; d++) {
        /* Relative to theta*, which itself then adds nothing. */
        double first = 0, second = 0, off;

        for (size_t k = 0; k < look->n; k++) {
            off = bnre__look_row(look, k)[d] - theta[d];
            first += look->weight[k] * off;
            second += look->weight[k] * off * off;
        }
        if (away > 0) {
            off = bnre__look_row(look, look->displaced)[d] - theta[d];
            first = scale * first + away * off;
            second = scale * second + away * off * off;
        }
        first = total > 0 ? first / total : 0;
        second = total > 0 ? second / total : 0;
        job->found->error[i * look->dim + d] = first;
        job->found->variance[i * look->dim + d] =
            fmax(0, second - first * first);
    }
}

/* The same of draws, theta* not among them. */
static void note_draws(const bnre__look *look, size_t i)
{
    const double *theta = bnre__look_row(look, look->at);
    const double draws = (double)(look->n - 1);
    bnre__found *found = look->job->found;

    for (size_t d = 0; d < look->dim; d++) {
        double first = 0, second = 0;

        for (size_t k = 0; k < look->n; k++)
            first += bnre__look_row(look, k)[d] - theta[d];
        first /= draws;
        for (size_t k = 0; k < look->n; k++) {
            const double off = bnre__look_row(look, k)[d] - theta[d] - first;

            second += k != look->at ? off * off : 0;
        }
        found->error[i * look->dim + d] = first;
        found->variance[i * look->dim + d] = second / (draws - 1);
    }
}

/* The same of the population that the chains have beside them: ends have a hub
   in common, and are nearer to each other than to theta*. */
static void note_population(const bnre__look *look, size_t i, double tau)
{
    const bnre__star *star = &look->star;
    const double *theta = bnre__look_row(look, look->at);
    const double extra = tau / star->tau - 1;
    const double *ratio = star->walkers.ratio + star->ends;
    bnre__found *found = look->job->found;

    for (size_t d = 0; d < look->dim; d++) {
        double total = 0, squares = 0, first = 0, second = 0;

        for (size_t k = 0; k < star->others; k++) {
            const double weight = exp(extra * (ratio[k] - ratio[0]));
            const double off =
                star->walkers.theta[(star->ends + k) * look->dim + d] -
                theta[d];

            total += weight;
            squares += weight * weight;
            first += weight * off;
            second += weight * off * off;
        }
        first /= total;
        found->error[i * look->dim + d] = first;
        found->variance[i * look->dim + d] =
            fmax(0, second - total * first * first) / (total - squares / total);
    }
}

/* Ranks by each parameter, and by the distance from a random point. Uses
   value. */
static void note_ranks(bnre__look *look, size_t i, const struct weights *w)
{
    const bnre__look_job *job = look->job;
    const size_t dim = look->dim;

    for (size_t d = 0; d < dim; d++) {
        for (size_t k = 0; k < look->n; k++)
            look->value[k] = -bnre__look_row(look, k)[d];
        job->found->rank[i * dim + d] = bnre__rank(
            look->n, look->weight, look->value, w->total, look->at, look->u);
    }
    for (size_t k = 0; k < look->n; k++) {
        double squares = 0;

        for (size_t d = 0; d < dim; d++) {
            double off = (bnre__look_row(look, k)[d] - look->reference[d]) /
                         job->spread[d];

            squares += off * off;
        }
        look->value[k] = -squares;
    }
    job->diag->tarp_rank[i] = bnre__rank(look->n, look->weight, look->value,
                                         w->total, look->at, look->u);
}

static void keep_volume(const bnre__look *look, size_t i, const double *share)
{
    for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++)
        look->job->found->volume[i * BNRE_DIAG_LEVELS + k] = (float)share[k];
}

/* Of the prior's mass, how much is in the regions: the mean of p / q over draws
   of q, taken to be 0 outside. */
static void note_drawn_volume(const bnre__look *look, size_t i,
                              const struct weights *w)
{
    const double most = 600; /* so that sums stay finite */
    double share[BNRE_DIAG_LEVELS], all = 0, total = 0;
    size_t n = 0;

    for (size_t k = 0; k < look->n; k++) {
        const double weight = look->weight[k];
        const double mass =
            weight > 0
                ? weight *
                      exp(fmin(most, w->log_z - w->tau * look->log_ratio[k]))
                : 0;

        if (k == look->at)
            continue;
        look->ranked[n++] = (bnre__ranked){look->value[k], weight, mass};
        all += mass;
        total += weight;
    }
    bnre__region_shares(n, look->ranked, 0, share);
    for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++)
        share[k] = all > 0 ? fmin(1, share[k] * (all / total)) : 1;
    keep_volume(look, i, share);
}

/* The same by the masses of the points. Theta* has its place here too: it
   stands for what it displaced. */
static void note_volume(const bnre__look *look, size_t i)
{
    const int paper = look->job->grid == BNRE_DIAG_PAPER;
    double share[BNRE_DIAG_LEVELS];

    for (size_t k = 0; k < look->n; k++)
        look->ranked[k] = (bnre__ranked){look->value[k], look->weight[k],
                                         paper ? 1 : exp(look->log_mass[k])};
    bnre__region_shares(look->n - (size_t)paper, look->ranked, paper, share);
    keep_volume(look, i, share);
}

/* How many points bear the weight. Draws of a prior known by draws may be the
   same, and then count once: in the eyes of a posterior they are one. */
static double effective(const bnre__look *look, const struct weights *w)
{
    if (look->row != NULL && !is_drawn(look))
        return bnre__distinct_ess(bnre__distinct_rows(look->n, look->dim,
                                                      look->theta, look->weight,
                                                      look->row),
                                  look->row);
    return w->squares > 0 ? w->total * w->total / w->squares : 0;
}

double bnre__look_anchor(const bnre_diag *diag, double tau)
{
    const double reach = 0.6;
    double anchor, most = 0;

    /* From the smallest upwards, each serves what is within its reach. */
    do {
        anchor = HUGE_VAL;
        for (size_t c = 0; c < diag->n_curves; c++)
            if (diag->curve[c].tau > most)
                anchor = fmin(anchor, diag->curve[c].tau);
        most = anchor / reach;
    } while (most < tau);
    return anchor;
}

/* Whether the set at hand is for curve c. */
static int is_served(const bnre__look *look, size_t c)
{
    const bnre_diag *diag = look->job->diag;

    return look->job->grid != BNRE_DIAG_CHAINS ||
           bnre__look_anchor(diag, diag->curve[c].tau) == look->anchor;
}

/* Whether the chains forget theta*, as the densities at tau = anchor tell. Ends
   that all are in one place tell nothing, and count as one. Uses value. */
static void note_recall(bnre__look *look, size_t i, bnre_rng *rng)
{
    enum { FEW = 1 };
    const double least_spread = 0.25;
    const bnre_diag *diag = look->job->diag;
    bnre__recall recall;
    size_t n = 0;

    for (size_t k = 0; k < look->n; k++)
        if (k != look->at)
            look->value[n++] =
                look->log_prior[k] + look->anchor * look->log_ratio[k];
    recall = bnre__star_recall(&look->star,
                               look->log_prior[look->at] +
                                   look->anchor * look->log_ratio[look->at],
                               look->value, rng);
    for (size_t c = 0; c < diag->n_curves; c++) {
        double *place = look->job->found->place + 2 * (i * diag->n_curves + c);

        if (!is_served(look, c))
            continue;
        place[0] = recall.own;
        place[1] = recall.mean;
        if (recall.spread < least_spread && diag->curve[c].ess[i] > FEW)
            diag->curve[c].ess[i] = FEW;
    }
}

static void note_curve(bnre__look *look, size_t i, bnre_diag_curve *curve,
                       const struct weights *w)
{
    const double own = look->log_ratio[look->at];
    const double other = look->log_ratio[look->other];

    curve->balance[i] =
        look->job->observations == 1 ? sigmoid(own) + sigmoid(other) : NAN;
    curve->rank[i] = rank(look, w);
    curve->gain[i] = gain_of(look, w);
    curve->ess[i] = effective(look, w);
}

void bnre__look_note(bnre__look *look, size_t i, bnre_rng *rng)
{
    const bnre__look_job *job = look->job;
    double *const drawn = look->log_ratio;
    struct weights w = {0};

    look->drawn = drawn;
    job->found->log_ratio[i] = look->log_ratio[look->at];
    job->found->log_prior[i] = bnre_prior_has_density(job->density->prior)
                                   ? look->log_prior[look->at]
                                   : NAN;
    /* The first comes last: what follows is about it. */
    for (size_t c = job->diag->n_curves; c-- > 0;) {
        if (!is_served(look, c))
            continue;
        if (job->opts->n_widen > 0)
            look->log_ratio = drawn + c * look->wide;
        w = weigh(look, job->diag->curve[c].tau);
        w.log_z = normaliser(look, &w);
        note_curve(look, i, &job->diag->curve[c], &w);
    }
    note_balance(look, i, &w);
    note_doubling(look, i, &w);
    if (is_drawn(look)) {
        if (is_weighed(look))
            note_moments(look, i, &w);
        else if (job->grid == BNRE_DIAG_CHAINS && !look->star.lost)
            note_population(look, i, w.tau);
        else
            note_draws(look, i);
        note_drawn_volume(look, i, &w);
    } else {
        note_moments(look, i, &w);
        note_volume(look, i);
    }
    note_ranks(look, i, &w);
    if (job->grid == BNRE_DIAG_CHAINS)
        note_recall(look, i, rng);
}

double bnre__look_rank(bnre__look *look, double tau)
{
    struct weights w;

    look->drawn = look->log_ratio;
    w = weigh(look, tau);

    return rank(look, &w);
}
