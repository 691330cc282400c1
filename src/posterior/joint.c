/* joint.c - one density from the ratios of several experiments under any prior:
   each session of it holds a session of each experiment. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/density.h"
#include "num/streams.h"
#include "posterior/posterior.h"

struct part {
    bnre_density density;
    size_t observations, dim, x_size; /* x_size: of all its observations */
    size_t *place; /* (dim): where its parameters are in the prior */
    bnre_prior_change change;
};

struct bnre_joint {
    const bnre_prior *prior;
    size_t dim, n, x_size;
    struct part *part; /* (n) */
};

struct session {
    const bnre_joint *joint;
    bnre_session **of; /* (n) */
    size_t room;       /* rows of what follows */
    double *theta;     /* (room, dim) of an experiment's parameters */
    size_t *row;       /* (room) where they come from */
    double *value;     /* (room) */
    double *slope;     /* (room, dim) */
};

/* ---- making ---- */

static bnre_status find_places(const bnre_joint *joint, struct part *part,
                               unsigned char *used)
{
    bnre_status status = BNRE_OK;

    BNRE_NEW(part->place, part->dim);
    for (size_t i = 0; i < part->dim; i++) {
        const char *name = bnre_prior_name(part->density.prior, i);
        size_t at = 0;

        while (at < joint->dim &&
               strcmp(bnre_prior_name(joint->prior, at), name) != 0)
            at++;
        if (at == joint->dim)
            BNRE_THROW(BNRE_EUSAGE, "the prior says nothing of %s", name);
        part->place[i] = at;
        used[at] = 1;
    }
done:
    return status;
}

static bnre_status check_outside(const bnre_joint *joint,
                                 const struct part *part)
{
    if (part->change.outside <= BNRE_PRIOR_OUTSIDE)
        return BNRE_OK;
    for (size_t i = 0; i < part->dim; i++) {
        const size_t at = part->place[i];
        double low, high, from, to;

        bnre_prior_support(part->density.prior, i, &low, &high);
        bnre_prior_support(joint->prior, at, &from, &to);
        if (from >= low && to <= high)
            continue;
        return bnre_fail(
            BNRE_EUSAGE,
            "%.3g of the prior is where nothing was simulated, more than %g: "
            "%s is %s, and was %s in training. Narrow the prior, or train on "
            "simulations of a wider one",
            part->change.outside, BNRE_PRIOR_OUTSIDE,
            bnre_prior_name(joint->prior, at),
            bnre_prior_text(joint->prior, at),
            bnre_prior_text(part->density.prior, i));
    }
    return bnre_fail(
        BNRE_EUSAGE,
        "%.3g of the prior is where nothing was simulated (outside "
        "the conditions between parameters), more than %g",
        part->change.outside, BNRE_PRIOR_OUTSIDE);
}

static bnre_status add_parts(bnre_joint *joint,
                             const bnre_experiment *experiment)
{
    bnre_status status = BNRE_OK;
    unsigned char *used = NULL;

    BNRE_NEW(used, joint->dim);
    for (size_t k = 0; k < joint->n; k++) {
        struct part *part = &joint->part[k];

        part->density = experiment[k].density;
        part->density.floor_single = 1;
        part->observations = experiment[k].observations;
        part->dim = bnre_prior_dim(part->density.prior);
        part->x_size = part->observations * part->density.x_size;
        joint->x_size += part->x_size;
        if (part->observations == 0)
            BNRE_THROW(BNRE_EINVAL, "an experiment without observations");
        BNRE_TRY(find_places(joint, part, used));
        BNRE_TRY(bnre_prior_compare(part->density.prior, joint->prior,
                                    &part->change));
        BNRE_TRY(check_outside(joint, part));
    }
    for (size_t i = 0; i < joint->dim; i++)
        if (!used[i])
            BNRE_THROW(BNRE_EUSAGE,
                       "the prior speaks of %s, which is no parameter here",
                       bnre_prior_name(joint->prior, i));
done:
    bnre__free(used);
    return status;
}

bnre_status bnre_joint_create(const bnre_prior *prior, size_t n,
                              const bnre_experiment *experiment,
                              bnre_joint **out)
{
    bnre_status status = BNRE_OK;
    bnre_joint *joint = NULL;

    *out = NULL;
    BNRE_NEW(joint, 1);
    joint->prior = prior;
    joint->dim = bnre_prior_dim(prior);
    BNRE_NEW(joint->part, n);
    joint->n = n;
    BNRE_TRY(add_parts(joint, experiment));
    *out = joint;
    joint = NULL;
done:
    bnre_joint_destroy(joint);
    return status;
}

void bnre_joint_destroy(bnre_joint *joint)
{
    if (joint == NULL)
        return;
    for (size_t k = 0; k < joint->n; k++)
        bnre__free(joint->part[k].place);
    bnre__free(joint->part);
    bnre__free(joint);
}

const bnre_prior_change *bnre_joint_change(const bnre_joint *joint, size_t i)
{
    return &joint->part[i].change;
}

/* ---- a session of it ---- */

static void close_session(void *self)
{
    struct session *session = self;

    if (session == NULL)
        return;
    for (size_t k = 0; session->of != NULL && k < session->joint->n; k++)
        bnre_session_close(session->of[k]);
    bnre__free(session->slope);
    bnre__free(session->value);
    bnre__free(session->row);
    bnre__free(session->theta);
    bnre__free(session->of);
    bnre__free(session);
}

static bnre_status open_session(void *context, void **out)
{
    const bnre_joint *joint = context;
    bnre_status status = BNRE_OK;
    struct session *session = NULL;

    *out = NULL;
    BNRE_NEW(session, 1);
    session->joint = joint;
    BNRE_NEW(session->of, joint->n);
    for (size_t k = 0; k < joint->n; k++)
        BNRE_TRY(
            bnre_session_open(&joint->part[k].density, NULL, &session->of[k]));
    *out = session;
    session = NULL;
done:
    close_session(session);
    return status;
}

static bnre_status observe(void *self, const double *x)
{
    struct session *session = self;

    for (size_t k = 0; k < session->joint->n; k++) {
        const struct part *part = &session->joint->part[k];

        BNRE_DO(bnre_session_observe(session->of[k], part->observations, x));
        x += part->x_size;
    }
    return BNRE_OK;
}

static bnre_status make_room(struct session *session, size_t n)
{
    bnre_status status = BNRE_OK;

    if (n <= session->room)
        return BNRE_OK;
    bnre__free(session->theta);
    bnre__free(session->row);
    bnre__free(session->value);
    bnre__free(session->slope);
    session->theta = session->value = session->slope = NULL;
    session->row = NULL;
    session->room = 0;
    BNRE_NEW(session->theta, n * session->joint->dim);
    BNRE_NEW(session->row, n);
    BNRE_NEW(session->value, n);
    BNRE_NEW(session->slope, n * session->joint->dim);
    session->room = n;
done:
    return status;
}

/* The parameters of an experiment among all. */
static void take_own(const struct part *part, const double *theta, double *own)
{
    for (size_t j = 0; j < part->dim; j++)
        own[j] = theta[part->place[j]];
}

/* The rows that an experiment knows of, as it has its parameters. */
static size_t gather(struct session *session, const struct part *part, size_t n,
                     const double *theta, double *out)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        double *own = session->theta + kept * part->dim;

        take_own(part, theta + i * session->joint->dim, own);
        if (out[i] == -HUGE_VAL)
            continue;
        if (bnre_prior_has_density(part->density.prior) &&
            bnre_prior_log_density(part->density.prior, own) == -HUGE_VAL)
            out[i] = -HUGE_VAL;
        else
            session->row[kept++] = i;
    }
    return kept;
}

static bnre_status add_part(struct session *session, size_t k, size_t n,
                            const double *theta, double *out, double *gradient,
                            int rough)
{
    const struct part *part = &session->joint->part[k];
    const size_t dim = session->joint->dim;
    const size_t kept = gather(session, part, n, theta, out);

    if (kept == 0)
        return BNRE_OK;
    if (rough)
        BNRE_DO(bnre__session_rough(session->of[k], kept, session->theta,
                                    session->value));
    else
        BNRE_DO(bnre_session_log_ratio(
            session->of[k], kept, session->theta, session->value,
            gradient != NULL ? session->slope : NULL));
    for (size_t i = 0; i < kept; i++) {
        const size_t row = session->row[i];

        out[row] += session->value[i];
        for (size_t j = 0; gradient != NULL && j < part->dim; j++)
            gradient[row * dim + part->place[j]] +=
                session->slope[i * part->dim + j];
    }
    return BNRE_OK;
}

static bnre_status sum(struct session *session, size_t n, const double *theta,
                       double *out, double *gradient, int rough)
{
    BNRE_DO(make_room(session, n));
    memset(out, 0, n * sizeof *out);
    if (gradient != NULL)
        memset(gradient, 0, n * session->joint->dim * sizeof *gradient);
    for (size_t k = 0; k < session->joint->n; k++)
        BNRE_DO(add_part(session, k, n, theta, out, gradient, rough));
    return BNRE_OK;
}

static bnre_status log_ratio(void *self, size_t n, const double *theta,
                             double *out, double *gradient)
{
    return sum(self, n, theta, out, gradient, 0);
}

static bnre_status rough(void *self, size_t n, const double *theta, double *out)
{
    return sum(self, n, theta, out, NULL, 1);
}

/* ---- pairs of the experiment's own prior ---- */

/* By how much the prior is denser there than the experiment's own, as a log;
   -HUGE_VAL where either is none. */
static double log_change(const bnre_joint *joint, const double *theta,
                         double *own)
{
    const struct part *part = &joint->part[0];
    double from;

    take_own(part, theta, own);
    from = bnre_prior_log_density(part->density.prior, own);
    return from > -HUGE_VAL ? bnre_prior_log_density(joint->prior, theta) - from
                            : -HUGE_VAL;
}

static bnre_status keep(void *context, size_t n, const double *theta, double *p)
{
    const bnre_joint *joint = context;
    const struct part *part = &joint->part[0];
    bnre_status status = BNRE_OK;
    double *own = NULL;

    BNRE_NEW(own, joint->dim);
    for (size_t i = 0; i < n; i++) {
        const double change = log_change(joint, theta + i * joint->dim, own);

        p[i] =
            change == -HUGE_VAL ? 0 : fmin(1, exp(change) / part->change.most);
    }
done:
    bnre__free(own);
    return status;
}

/* ---- draws of an experiment's own density, and their weights ---- */

/* The share `floor` comes from its prior, as the ratio has it: draws are of
   (1 - floor) q + floor p, and the posterior over that is p' / p. */
static bnre_status draw(void *self, uint64_t seed, uint64_t first, size_t n,
                        double *theta)
{
    struct session *session = self;
    const struct part *part = &session->joint->part[0];

    BNRE_DO(make_room(session, n));
    BNRE_DO(bnre_session_draw(session->of[0], seed, first, n, session->theta));
    for (size_t i = 0; i < n; i++) {
        double *own = session->theta + i * part->dim;
        bnre_rng rng = bnre_rng_stream(
            seed, bnre__purpose(BNRE_USE_CHANGE, BNRE_SPLIT_CALIBRATE),
            first + i);

        if (bnre_rng_uniform(&rng) < part->density.floor)
            bnre_prior_draw(part->density.prior, &rng, own);
        for (size_t j = 0; j < part->dim; j++)
            theta[i * part->dim + part->place[j]] = own[j];
    }
    return BNRE_OK;
}

static bnre_status weigh(void *context, size_t n, const double *theta,
                         double *log_w)
{
    const bnre_joint *joint = context;
    bnre_status status = BNRE_OK;
    double *own = NULL;

    BNRE_NEW(own, joint->dim);
    for (size_t i = 0; i < n; i++)
        log_w[i] = log_change(joint, theta + i * joint->dim, own);
done:
    bnre__free(own);
    return status;
}

static int can_weigh(const bnre_joint *joint)
{
    const struct part *part = &joint->part[0];

    return joint->n == 1 && part->observations == 1 &&
           part->density.draw != NULL && part->density.weigh == NULL &&
           bnre_prior_has_density(part->density.prior) &&
           bnre_prior_has_density(joint->prior) && !isnan(part->change.most);
}

/* Of a single experiment: where simulations were missing, as it says. */
static bnre_status result(void *context, size_t n, const double *theta,
                          double *p)
{
    const bnre_joint *joint = context;
    const struct part *part = &joint->part[0];
    bnre_status status = BNRE_OK;
    double *own = NULL;

    BNRE_NEW(own, n * part->dim);
    for (size_t i = 0; i < n * part->dim; i++)
        own[i] = theta[i / part->dim * joint->dim + part->place[i % part->dim]];
    status = part->density.result(part->density.context, n, own, p);
done:
    bnre__free(own);
    return status;
}

bnre_density bnre_joint_density(const bnre_joint *joint)
{
    bnre_density density = {.prior = joint->prior,
                            .x_size = joint->x_size,
                            .context = (void *)joint,
                            .open = open_session,
                            .close = close_session,
                            .observe = observe,
                            .log_ratio = log_ratio,
                            .has_gradient = 1,
                            .rough = rough};

    for (size_t k = 0; k < joint->n; k++)
        if (!joint->part[k].density.has_gradient)
            density.has_gradient = 0;
    if (can_weigh(joint)) {
        density.draw = draw;
        density.weigh = weigh;
    }
    if (joint->n == 1) {
        if (joint->part[0].observations == 1)
            density.x_name = joint->part[0].density.x_name;
        if (!isnan(joint->part[0].change.most))
            density.keep = keep;
        if (joint->part[0].density.result != NULL)
            density.result = result;
    }
    return density;
}
