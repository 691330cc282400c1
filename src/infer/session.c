#include "infer/session.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

enum { BLOCK = 256 }; /* theta at a time */

struct bnre__session {
    const bnre_estimator *est;
    size_t first, members; /* which of them */
    double temper;
    bnre_combine combine;
    size_t pairs;

    bnre_plan **plan; /* (members), forward only */
    bnre_plan **back; /* (members), with gradients; NULL until asked for */
    int ready;        /* `back` knows x */

    float *x;        /* (pairs, x_size) as the networks see it */
    float *theta;    /* (BLOCK, dim) likewise */
    double *slope;   /* (BLOCK, dim): d of that / d theta */
    float *logit;    /* (members, BLOCK) */
    double *weight;  /* (members, BLOCK): d result / d logit */
    float *gradient; /* (BLOCK, dim) of one member */
};

/* ---- opening ---- */

static bnre_status make_plan(const bnre__session *session, size_t k, int train,
                             bnre_plan **out)
{
    const bnre_estimator *est = session->est;
    const bnre__member *member = &est->member[session->first + k];
    const size_t half = BLOCK / 2;
    const bnre_plan_opts opts = {
        .batch = !train && session->pairs > half ? session->pairs : half,
        .observations = train ? 1 : session->pairs,
        .train = train,
    };
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre_plan_create(est->net, &opts, out));
    bnre_plan_set(*out, member->weights[member->uses],
                  member->buffers[member->uses]);
done:
    return status;
}

bnre_status bnre__session_open(const bnre_estimator *est, size_t member,
                               size_t pairs, bnre__session **out)
{
    bnre_status status = BNRE_OK;
    const int all = member == BNRE_ALL_MEMBERS;
    const size_t dim = est->info.dim_theta;
    bnre__session *session = NULL;

    *out = NULL;
    if (!all && member >= est->info.members)
        return bnre_fail(BNRE_EINVAL, "member %zu of %zu", member,
                         est->info.members);
    BNRE_NEW(session, 1);
    session->est = est;
    session->first = all ? 0 : member;
    session->members = all ? est->info.members : 1;
    session->temper = est->info.temper;
    session->combine = est->info.combine;
    session->pairs = pairs;
    BNRE_NEW(session->plan, session->members);
    BNRE_NEW(session->back, session->members);
    for (size_t k = 0; k < session->members; k++)
        BNRE_TRY(make_plan(session, k, 0, &session->plan[k]));
    BNRE_NEW(session->x, pairs * est->info.x_size);
    BNRE_NEW(session->theta, BLOCK * dim);
    BNRE_NEW(session->slope, BLOCK * dim);
    BNRE_NEW(session->logit, session->members * BLOCK);
    BNRE_NEW(session->weight, session->members * BLOCK);
    BNRE_NEW(session->gradient, BLOCK * dim);
    *out = session;
    session = NULL;
done:
    bnre__session_close(session);
    return status;
}

void bnre__session_close(bnre__session *session)
{
    if (session == NULL)
        return;
    for (size_t k = 0; session->plan != NULL && k < session->members; k++)
        bnre_plan_destroy(session->plan[k]);
    for (size_t k = 0; session->back != NULL && k < session->members; k++)
        bnre_plan_destroy(session->back[k]);
    bnre__free(session->gradient);
    bnre__free(session->weight);
    bnre__free(session->logit);
    bnre__free(session->slope);
    bnre__free(session->theta);
    bnre__free(session->x);
    bnre__free(session->back);
    bnre__free(session->plan);
    bnre__free(session);
}

/* ---- one x, many theta ---- */

bnre_status bnre__session_observe(bnre__session *session, const float *x)
{
    const bnre_estimator *est = session->est;
    const bnre__scaler_spec spec = {0};
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__scaler_check_f32(&est->x, &spec, 0, 1, x));
    bnre__scaler_apply_f32(&est->x, 1, x, session->x);
    for (size_t k = 0; k < session->members; k++)
        bnre_plan_observe(session->plan[k], session->x);
    session->ready = 0;
done:
    return status;
}

/* Gradients take more memory, which few need. */
static bnre_status prepare_back(bnre__session *session)
{
    bnre_status status = BNRE_OK;

    for (size_t k = 0; k < session->members; k++) {
        if (session->back[k] == NULL)
            BNRE_TRY(make_plan(session, k, 1, &session->back[k]));
        bnre_plan_observe(session->back[k], session->x);
    }
    session->ready = 1;
done:
    return status;
}

/* Temper, and refuse what is no log ratio. */
static bnre_status finish(const bnre__session *session, size_t first, size_t n,
                          double *out)
{
    for (size_t i = 0; i < n; i++) {
        if (isnan(out[i]) || out[i] == HUGE_VAL)
            return bnre_fail(BNRE_ENUM,
                             "row %zu: the network answers %g; theta or x is "
                             "far outside what it was trained on",
                             first + i, out[i]);
        out[i] *= session->temper;
    }
    return BNRE_OK;
}

/* d out / d theta of a block, whose logits are known: the members' own by
   their weights, then the scaler's. */
static void block_gradient(bnre__session *session, size_t n, double *gradient)
{
    const size_t dim = session->est->info.dim_theta;

    memset(gradient, 0, n * dim * sizeof *gradient);
    for (size_t k = 0; k < session->members; k++) {
        const double *weight = session->weight + k * n;

        bnre_plan_logits_gradient(session->back[k], n, session->theta,
                                  session->logit + k * n, session->gradient,
                                  NULL);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < dim; j++)
                gradient[i * dim + j] +=
                    weight[i] * (double)session->gradient[i * dim + j];
    }
    for (size_t i = 0; i < n * dim; i++)
        gradient[i] *= session->temper * session->slope[i];
}

bnre_status bnre__session_log_ratio(bnre__session *session, size_t n,
                                    const double *theta, double *out,
                                    double *gradient)
{
    bnre_status status = BNRE_OK;
    const bnre_estimator *est = session->est;
    const size_t dim = est->info.dim_theta;

    if (gradient != NULL && !session->ready)
        BNRE_TRY(prepare_back(session));
    for (size_t first = 0, rows; first < n; first += rows) {
        rows = n - first < BLOCK ? n - first : BLOCK;
        bnre__scaler_apply_f64(&est->theta, rows, theta + first * dim,
                               session->theta,
                               gradient == NULL ? NULL : session->slope);
        for (size_t k = 0; k < session->members; k++)
            bnre_plan_logits(session->plan[k], rows, session->theta,
                             session->logit + k * rows);
        bnre__ensemble(session->combine, session->members, rows, session->logit,
                       out + first, gradient == NULL ? NULL : session->weight);
        BNRE_TRY(finish(session, first, rows, out + first));
        if (gradient != NULL)
            block_gradient(session, rows, gradient + first * dim);
    }
done:
    return status;
}

/* ---- pairs ---- */

static bnre_status scale_pairs(bnre__session *session, size_t first, size_t n,
                               const double *theta, const float *x)
{
    const bnre_estimator *est = session->est;
    const size_t dim = est->info.dim_theta;
    const bnre__scaler_spec spec = {0};
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__scaler_check_f32(&est->x, &spec, first, n, x));
    bnre__scaler_apply_f32(&est->x, n, x, session->x);
    for (size_t i = 0; i < n * dim; i++)
        if (!isfinite(theta[i]))
            BNRE_THROW(BNRE_ENUM, "row %zu: %s is %g, not a finite number",
                       first + i / dim, est->theta_name[i % dim], theta[i]);
    bnre__scaler_apply_f64(&est->theta, n, theta, session->theta, NULL);
done:
    return status;
}

bnre_status bnre__session_pairs(bnre__session *session, size_t first, size_t n,
                                const double *theta, const float *x,
                                double *out)
{
    bnre_status status = BNRE_OK;
    const bnre_pairs pairs = {.n = n, .theta = session->theta, .x = session->x};

    BNRE_TRY(scale_pairs(session, first, n, theta, x));
    for (size_t k = 0; k < session->members; k++)
        bnre_plan_pairs(session->plan[k], &pairs, session->logit + k * n, NULL);
    bnre__ensemble(session->combine, session->members, n, session->logit, out,
                   NULL);
    BNRE_TRY(finish(session, first, n, out));
done:
    return status;
}
