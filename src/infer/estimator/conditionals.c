/* conditionals.c - the density of each parameter given x and those before it, in
   closed form.

   Each member has it as a factor. Of the ensemble, a mixture of whole densities,
   it is the mixture of their factors, in which a member weighs as much as its
   earlier factors say of the earlier parameters. One pass of each member's
   networks serves all n quantiles, each of which is found by bisection: 60
   distribution functions of each member. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "infer/estimator/evaluator.h"

/* One factor of all members. */
struct slice {
    const bnre__conditional *c;
    size_t factor, members;
    bnre__line_density *q; /* (members) */
    float *raw;            /* (members, outputs), which they read */
    float *seen;           /* (factors) of theta */
    double *weight;        /* (members), which add up to 1 */
    double *log_weight;    /* (members), not normalised */
};

int bnre_estimator_has_conditionals(const bnre_estimator *est)
{
    return est->conditional != NULL && est->region == NULL &&
           est->info.temper == 1 &&
           (est->info.members == 1 ||
            est->info.combine == BNRE_COMBINE_RATIO) &&
           !bnre__coordinates_reject(est->conditional->coordinates);
}

static double log_density_of(const struct slice *s, size_t k, double at)
{
    return s->c->line[s->factor].type->log_density(&s->q[k], at);
}

/* The factor s->factor, whose number must be one more than at the last call, or
   0; theta (dim) has the earlier parameters. */
static void look(struct slice *s, const bnre__evaluator *eval)
{
    const bnre__conditional *c = s->c;
    const bnre__line *line = &c->line[s->factor];
    double largest = -HUGE_VAL, sum = 0;

    for (size_t k = 0; k < s->members; k++) {
        float *raw = s->raw + k * c->outputs;

        bnre__chain_factor(eval->chain[k], s->factor, 1, s->seen, c->factors,
                           NULL, raw);
        line->type->read(line, raw, eval->widen, &s->q[k]);
        largest = fmax(largest, s->log_weight[k]);
    }
    for (size_t k = 0; k < s->members; k++)
        sum += s->weight[k] = exp(s->log_weight[k] - largest);
    for (size_t k = 0; k < s->members; k++)
        s->weight[k] /= sum;
}

/* What members say of the parameter itself counts in the factors after it. */
static void pass(struct slice *s, const double *theta)
{
    const double at = bnre__coordinates_at(s->c->coordinates, s->factor, theta);

    for (size_t k = 0; k < s->members; k++)
        s->log_weight[k] += log_density_of(s, k, at);
    s->seen[s->factor] =
        (float)bnre__coordinates_seen(s->c->coordinates, s->factor, at);
}

static double cdf(const struct slice *s, double at)
{
    double sum = 0;

    for (size_t k = 0; k < s->members; k++)
        sum += s->weight[k] * s->c->line[s->factor].type->cdf(&s->q[k], at);
    return sum;
}

/* The coordinate below which there is p: between those of the members. */
static double quantile(const struct slice *s, double p)
{
    const bnre__line *line = &s->c->line[s->factor];
    double low = HUGE_VAL, high = -HUGE_VAL;

    if (line->range == BNRE__VALUES) {
        size_t value = 0;

        while (value + 1 < line->components && cdf(s, (double)value) < p)
            value++;
        return (double)value;
    }
    for (size_t k = 0; k < s->members; k++) {
        const double at = line->type->quantile(&s->q[k], p);

        low = fmin(low, at);
        high = fmax(high, at);
    }
    for (int i = 0; i < 60 && low < high; i++) {
        const double middle = low + (high - low) / 2;

        if (cdf(s, middle) < p)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}

/* d value / d coordinate, by a difference; the map is smooth. */
static double stretch(const struct slice *s, const double *theta, double at)
{
    const bnre__coordinates *map = s->c->coordinates;
    const bnre__range range = s->c->line[s->factor].range;
    const double h = 1e-5 * fmax(1e-3, fabs(at));
    const double low = range == BNRE__LINE ? at - h : fmax(at - h, 0);
    const double high = range == BNRE__UNIT ? fmin(at + h, 1) : at + h;

    return (bnre__coordinates_value(map, s->factor, theta, high) -
            bnre__coordinates_value(map, s->factor, theta, low)) /
           (high - low);
}

static void tell(const struct slice *s, const double *theta, size_t n,
                 const double *p, double *value, double *density)
{
    for (size_t i = 0; i < n; i++) {
        const double at = quantile(s, p[i]);

        density[i] = 0;
        for (size_t k = 0; k < s->members; k++)
            density[i] += s->weight[k] * exp(log_density_of(s, k, at));
        value[i] =
            bnre__coordinates_value(s->c->coordinates, s->factor, theta, at);
        if (s->c->line[s->factor].range != BNRE__VALUES)
            density[i] /= fabs(stretch(s, theta, at));
    }
}

static bnre_status make(struct slice *s, const bnre__evaluator *eval)
{
    bnre_status status = BNRE_OK;

    s->c = eval->est->conditional;
    s->members = eval->members;
    BNRE_NEW(s->q, s->members);
    BNRE_NEW(s->raw, s->members * s->c->outputs);
    BNRE_NEW(s->seen, s->c->factors);
    BNRE_NEW(s->weight, s->members);
    BNRE_NEW(s->log_weight, s->members);
done:
    return status;
}

bnre_status bnre_estimator_conditionals(const bnre_estimator *est,
                                        const double *x, const double *theta,
                                        size_t n, const double *p,
                                        double *value, double *density)
{
    const bnre_density q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    bnre_status status = BNRE_OK;
    struct slice s = {0};
    void *session = NULL;

    if (!bnre_estimator_has_conditionals(est))
        return bnre_fail(BNRE_EUSAGE,
                         "conditionals in closed form are of the methods npe "
                         "and bnpe, without a temper, a region or conditions "
                         "that are no order of parameters");
    BNRE_TRY(q.open(q.context, &session));
    BNRE_TRY(q.observe(session, x));
    BNRE_TRY(make(&s, session));
    for (; s.factor < s.c->factors; s.factor++) {
        look(&s, session);
        tell(&s, theta, n, p, value + s.factor * n, density + s.factor * n);
        pass(&s, theta);
    }
done:
    bnre__free(s.log_weight);
    bnre__free(s.weight);
    bnre__free(s.seen);
    bnre__free(s.raw);
    bnre__free(s.q);
    if (session != NULL)
        q.close(session);
    return status;
}
