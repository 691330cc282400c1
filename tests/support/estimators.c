#include "estimators.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/settings.h"
#include "data/rows.h"
#include "nn/net.h"
#include "nn/plan.h"
#include "support.h"

enum { ROWS = 300, EPOCHS = 4 };

static const struct recipe {
    const char *task; /* NULL: a classifier */
    size_t ndim, shape[2];
    const char *network;
    size_t members;
    bnre__scale_by by;
} recipes[EST_KINDS] = {
    [EST_PLAIN] = {"name: gaussian\n"
                   "parameters: {a: 'normal(0, 2)', b: 'uniform(-1, 3)'}\n"
                   "observable: [3]\n",
                   1,
                   {3},
                   "head: {hidden: [12, 12], activation: gelu}",
                   1,
                   BNRE__SCALE_NONE},
    [EST_ENSEMBLE] = {"name: queue\n"
                      "simulator: {command: [./no-such-program]}\n"
                      "parameters: {rate: 'log_uniform(0.01, 100)', shift: "
                      "'student_t(2, 5, 3)'}\n"
                      "constraint: [rate < 90]\n"
                      "observable: [3]\n"
                      "transform: {rate: log}\n",
                      1,
                      {3},
                      "{theta_first: yes, head: {hidden: [16, 16], activation: "
                      "tanh}}",
                      3,
                      BNRE__SCALE_ELEMENT},
    [EST_IMAGES] = {"name: waves\n"
                    "simulator: {plugin: ./no-such-plugin.so}\n"
                    "parameters: {m: 'uniform(10, 80)'}\n"
                    "observable: [2, 8]\n"
                    "transform: {x: log}\n",
                    2,
                    {2, 8},
                    "{embedding: [conv1d: {channels: 3, kernel: 3, padding: 1},"
                    " batchnorm, relu, maxpool1d: {kernel: 2}, flatten], head: "
                    "{hidden: [10], activation: selu}}",
                    2,
                    BNRE__SCALE_CHANNEL},
    [EST_SAMPLES] = {"name: mine\n"
                     "simulator: {command: [x]}\n"
                     "parameters: {a: samples, b: samples}\n"
                     "prior_samples: {file: gone.csv}\n"
                     "observable: [3]\n",
                     1,
                     {3},
                     "head: {hidden: [8], activation: relu}",
                     1,
                     BNRE__SCALE_ELEMENT},
    [EST_CLASSIFIER] = {NULL,
                        2,
                        {4, 2},
                        "{embedding: [linear: {width: 5}, tanh, set_mean], "
                        "head: {hidden: [6], activation: selu}}",
                        2,
                        BNRE__SCALE_FEATURE},
};

void some_theta(const bnre_estimator *est, uint64_t i, double *theta)
{
    bnre_rng rng = bnre_rng_stream(70, 0, i);

    if (est->outline.prior != NULL)
        bnre_prior_draw(est->outline.prior, &rng, theta);
}

/* Positive, with a tail in every third element. */
void some_x(const bnre_estimator *est, uint64_t i, double *x)
{
    bnre_rng rng = bnre_rng_stream(71, 0, i);

    for (size_t j = 0; j < est->info.x_size; j++) {
        const double z = bnre_rng_normal(&rng);

        x[j] = (double)(float)(j % 3 == 2 ? exp(3 * z) : 5 + fabs(z));
    }
}

static bnre_status fit_scalers(bnre_estimator *est, bnre__scale_by by,
                               const double *theta, const double *x)
{
    bnre_status status = BNRE_OK;
    uint8_t *log_x = NULL;
    float *single = NULL;
    bnre__scaler_spec spec = {
        .by = by == BNRE__SCALE_NONE ? by : BNRE__SCALE_ELEMENT,
        .ndim = 1,
        .shape = &est->info.dim_theta,
        .log = est->outline.transform.log_theta,
        .name = est->theta_name};

    if (est->info.dim_theta > 0)
        BNRE_TRY(bnre__scaler_fit_f64(&est->theta, &spec, ROWS, theta));
    BNRE_NEW(log_x, est->info.x_size);
    memset(log_x, est->outline.transform.log_x, est->info.x_size);
    spec = (bnre__scaler_spec){.by = by,
                               .ndim = est->info.ndim,
                               .shape = est->info.shape,
                               .log = log_x};
    BNRE_TRY(bnre__scaler_fit_f64(&est->x, &spec, ROWS, x));
    BNRE_NEW(single, ROWS * est->info.x_size);
    for (size_t i = 0; i < ROWS * est->info.x_size; i++)
        single[i] = (float)x[i];
    BNRE_TRY(bnre__summary_fit(&est->summary, ROWS, est->info.x_size, single));
done:
    bnre__free(single);
    bnre__free(log_x);
    return status;
}

static bnre_status fill_member(bnre_estimator *est, size_t k)
{
    bnre_status status = BNRE_OK;
    bnre__member *m = &est->member[k];
    double history[EPOCHS * 3];

    m->seed = UINT64_MAX - k;
    for (int e = 0; e < BNRE__EPOCHS; e++) {
        bnre_rng rng = bnre_rng_stream(72, 0, 2 * k + (size_t)e);

        bnre__net_init(est->net, &rng, m->weights[e], m->buffers[e]);
        for (size_t i = 0; i < est->info.weights; i++)
            m->weights[e][i] *= 2; /* so that members differ */
        for (size_t i = 0; i < bnre__net_buffers(est->net); i++)
            m->buffers[e][i] += (float)bnre_rng_uniform(&rng);
    }
    m->epoch[BNRE__BEST] = 1 + k % EPOCHS;
    m->epoch[BNRE__LAST] = EPOCHS - k % 2;
    m->uses = k % 2 == 0 ? BNRE__BEST : BNRE__LAST;
    for (size_t i = 0; i < EPOCHS; i++) {
        history[3 * i] = (double)(i + 1);
        history[3 * i + 1] = 1.3 - 0.1 * (double)(i + k);
        history[3 * i + 2] = i == 2 ? (double)NAN : 1 + 0.01 * (double)k;
    }
    BNRE_TRY(bnre__estimator_set_history(est, k, EPOCHS - k % 2, history));
done:
    return status;
}

static bnre_status fill(bnre_estimator *est, bnre__scale_by by)
{
    bnre_status status = BNRE_OK;
    const size_t dim = est->info.dim_theta, size = est->info.x_size;
    double *theta = NULL;
    double *x = NULL;
    uint64_t hash[ROWS];

    BNRE_NEW(theta, ROWS * dim);
    BNRE_NEW(x, ROWS * size);
    for (size_t i = 0; i < ROWS; i++) {
        some_theta(est, i, theta + i * dim);
        some_x(est, i, x + i * size);
        hash[i] = bnre__row_hash(dim, theta + i * dim, size, x + i * size);
    }
    BNRE_TRY(fit_scalers(est, by, theta, x));
    for (size_t k = 0; k < est->info.members; k++)
        BNRE_TRY(fill_member(est, k));
    BNRE_TRY(bnre__estimator_set_hashes(est, ROWS, hash));
    BNRE_TRY(bnre__estimator_set_settings(
        est, "method: bnre\nlambda: 100\nseed: 3\nsimulations: 300\n"));
    est->info.training = (bnre_estimator_data){
        .rows = 270, .failed = 3, .fingerprint = "0123456789abcdef"};
    est->info.validation = (bnre_estimator_data){.rows = 30};
done:
    bnre__free(x);
    bnre__free(theta);
    return status;
}

bnre_status some_estimator_create(some_estimator kind, bnre_estimator **out)
{
    static const char *const columns[] = {"epoch", "validation_cross_entropy",
                                          "validation_balance"};
    const struct recipe *recipe = &recipes[kind];
    bnre_status status = BNRE_OK;
    bnre_node *network = NULL;
    bnre_estimator *est = NULL;
    double sample[40];
    bnre__draws draws = {.rows = 20, .dim = 2, .value = sample};

    for (size_t i = 0; i < 40; i++)
        sample[i] = sin((double)(i + 1));
    *out = NULL;
    BNRE_TRY(bnre_yaml_parse(recipe->network, NULL, &network));
    BNRE_TRY(bnre__estimator_create(
        &(bnre__estimator_spec){.kind = recipe->task == NULL
                                            ? BNRE_ESTIMATOR_CLASSIFIER
                                            : BNRE_ESTIMATOR_RATIO,
                                .task = recipe->task,
                                .draws = &draws,
                                .ndim = recipe->ndim,
                                .shape = recipe->shape,
                                .network = network,
                                .members = recipe->members,
                                .columns = 3,
                                .column = columns},
        &est));
    BNRE_TRY(fill(est, recipe->by));
    *out = est;
    est = NULL;
done:
    bnre_estimator_close(est);
    bnre_node_destroy(network);
    return status;
}

/* z of one value by the definition in scaler.h. */
static float scale(const bnre__scaler *scaler, size_t j, double value)
{
    size_t c;
    double z;

    if (scaler->columns == 0)
        return (float)value;
    c = j / scaler->inner % scaler->columns;
    z = scaler->flags[c] & BNRE__SCALED_LOG ? log(value) : value;
    z = (z - scaler->location[c]) / scaler->scale[c];
    return (float)(scaler->flags[c] & BNRE__SCALED_ASINH ? asinh(z) : z);
}

double plain_log_ratio(const bnre_estimator *est, size_t member,
                       const double *theta, const double *x)
{
    const bnre__member *m = &est->member[member];
    const bnre__plan_opts opts = {.batch = 1, .plain = 1};
    float z[64], t[8], logit;
    bnre__plan *plan = NULL;

    for (size_t j = 0; j < est->info.x_size; j++)
        z[j] = scale(&est->x, j, x[j]);
    for (size_t j = 0; j < est->info.dim_theta; j++)
        t[j] = scale(&est->theta, j, theta[j]);
    assert_ok(bnre__plan_create(est->net, &opts, &plan));
    bnre__plan_set(plan, m->weights[m->uses], m->buffers[m->uses]);
    bnre__plan_observe(plan, z);
    bnre__plan_logits(plan, 1, t, &logit);
    bnre__plan_destroy(plan);
    return (double)logit;
}
