#include "exported.h"

#include <stdlib.h>
#include <string.h>

#include "estimators.h"
#include "nn/net.h"
#include "support.h"

enum { ROWS = 200, MOST = 4096 };

/* Weights that make members differ, and statistics as training leaves them. */
static void fill(bnre_estimator *est, size_t k)
{
    bnre__member *m = &est->member[k];
    const size_t buffers = bnre__estimator_buffers(est);

    for (int e = 0; e < BNRE__EPOCHS; e++) {
        bnre_rng rng = bnre_rng_stream(75, 0, 2 * k + (size_t)e);

        if (est->conditional != NULL) {
            float output[MOST];

            bnre__conditional_begin(est->conditional, output);
            bnre__chain_init(est->conditional->chain, &rng, output,
                             m->weights[e], m->buffers[e]);
        } else {
            bnre__net_init(est->net, &rng, m->weights[e], m->buffers[e]);
        }
        for (size_t i = 0; i < est->info.weights; i++)
            m->weights[e][i] *= (float)(1.5 + 0.3 * bnre_rng_normal(&rng));
        for (size_t i = 0; i < buffers; i++)
            m->buffers[e][i] += (float)bnre_rng_uniform(&rng);
    }
    m->epoch[BNRE__BEST] = m->epoch[BNRE__LAST] = 1;
}

static void fit(bnre_estimator *est, size_t set, bnre__scaler *theta,
                bnre__scaler *x)
{
    static double t[ROWS * 64], data[ROWS * 1024];
    const bnre__scaler_spec of_theta = {.by = BNRE__SCALE_ELEMENT,
                                        .ndim = 1,
                                        .shape = &est->info.dim_theta,
                                        .log =
                                            est->outline.transform.log_theta};
    const bnre__scaler_spec of_x = {
        .by = bnre__estimator_scale_by(bnre__estimator_net(est)),
        .ndim = est->info.ndim,
        .shape = est->info.shape};

    for (size_t i = 0; i < ROWS; i++) {
        some_theta(est, i * (set + 1), t + i * est->info.dim_theta);
        some_x(est, i * (set + 1), data + i * est->info.x_size);
    }
    if (est->conditional == NULL)
        assert_ok(bnre__scaler_fit_f64(theta, &of_theta, ROWS, t));
    assert_ok(bnre__scaler_fit_f64(x, &of_x, ROWS, data));
}

bnre_estimator *exported_estimator(const char *task, size_t ndim,
                                   const size_t *shape, const char *network,
                                   int conditional, size_t members,
                                   size_t folds)
{
    bnre_node *settings = NULL;
    bnre_estimator *est = NULL;
    bnre__estimator_spec spec = {.kind = BNRE_ESTIMATOR_RATIO,
                                 .task = task,
                                 .ndim = ndim,
                                 .shape = shape,
                                 .conditional = conditional,
                                 .members = members,
                                 .folds = folds};

    assert_ok(bnre_yaml_parse(network, NULL, &settings));
    spec.network = settings;
    assert_ok(bnre__estimator_create(&spec, &est));
    for (size_t k = 0; k < members; k++)
        fill(est, k);
    for (size_t f = 0; f < folds; f++)
        fit(est, f, est->fold_theta == NULL ? &est->theta : &est->fold_theta[f],
            &est->fold_x[f]);
    fit(est, 0, &est->theta, &est->x);
    bnre_node_destroy(settings);
    return est;
}

static const char all_layers[] =
    "{embedding: [conv1d: {channels: 4, kernel: 3, stride: 2, padding: 1, "
    "dilation: 2}, batchnorm, selu, maxpool1d: {kernel: 3, stride: 2, padding: "
    "1}, transpose, layernorm, linear: {width: 5}, gelu, reshape: {shape: [5, "
    "6]}, scale: {shift: 0.1, scale: 2}, set_sum],\n"
    " head: [linear: {width: 12}, tanh, layernorm, residual: {layers: "
    "[linear: {width: 12}, leaky_relu], shortcut: [linear: {width: 12, bias: "
    "no}]}, batchnorm, elu, residual: {layers: [relu, linear: {width: 12}]}, "
    "scale: {scale: 3}, flatten, gelu, linear: {width: 1}]}";
static const char pictures[] =
    "{embedding: [conv2d: {channels: 3, kernel: 3, padding: 1}, batchnorm, "
    "relu, maxpool2d: {kernel: 2}, conv2d: {channels: 4, kernel: 2, bias: no}, "
    "avgpool], head: {hidden: [10, 10], activation: selu}, theta_first: yes}";
static const char items[] =
    "{embedding: [linear: {width: 6}, selu, set_mean], head: {hidden: [9], "
    "activation: elu}}";
static const char plain[] = "head: {hidden: [16, 16], activation: elu}";

static const char two[] =
    "parameters: {a: 'normal(3000, 0.02)', rate: 'log_uniform(0.01, 100)'}\n"
    "observable: [2, 24]\ntransform: {rate: log}\n";
static const char one_picture[] =
    "parameters: {m: 'uniform(10, 80)'}\nobservable: [1, 8, 6]\n";
static const char families[] =
    "parameters: {u: 'uniform(-1, 2)', l: 'log_uniform(0.1, 5)',\n"
    " n: 'normal(1, 3)', g: 'log_normal(0, 1)', h: half_normal(2),\n"
    " f: fixed(4), t: 'truncated_normal(0, 1, -1, 3)', e: exponential(2),\n"
    " w: 'weibull(1.5, 2)'}\nobservable: [3]\n";
static const char tails[] =
    "parameters: {c: 'cauchy(1, 2)', h: half_cauchy(3), u: 'uniform(0, 1)'}\n"
    "observable: [3]\n";
static const char more_families[] =
    "parameters: {g: 'gamma(1, 2)', b: 'beta(2, 3)',\n"
    " s: 'student_t(3, 1, 2)', i: 'inverse_gamma(2, 3)', k: 'gamma(3, 1)'}\n"
    "observable: [4, 2]\n";

bnre_estimator *exported_case(size_t i, const char **name)
{
    static const char *const names[] = {
        "layers", "pictures", "items",    "npe",    "npe_folds", "npe_pictures",
        "tails",  "plain",    "ensemble", "images", "samples"};
    const size_t wave[] = {2, 24}, picture[] = {1, 8, 6}, set[] = {4, 2},
                 three[] = {3};
    bnre_estimator *est = NULL;

    *name = i < sizeof names / sizeof *names ? names[i] : "";
    switch (i) {
    case 0:
        return exported_estimator(two, 2, wave, all_layers, 0, 2, 2);
    case 1:
        est = exported_estimator(one_picture, 3, picture, pictures, 0, 3, 0);
        bnre__estimator_set_combine(est, BNRE_COMBINE_PROBABILITY);
        assert_ok(bnre_estimator_set_temper(est, 0.7));
        return est;
    case 2:
        return exported_estimator(more_families, 2, set, items, 0, 1, 0);
    case 3:
        est = exported_estimator(families, 1, three, plain, 1, 2, 0);
        assert_ok(bnre_estimator_set_widen(est, 1.5));
        assert_ok(bnre_estimator_set_temper(est, 0.9));
        return est;
    case 4:
        return exported_estimator(families, 1, three, plain, 1, 4, 2);
    case 5:
        return exported_estimator(one_picture, 3, picture, pictures, 1, 1, 0);
    case 6:
        return exported_estimator(tails, 1, three, plain, 1, 1, 0);
    case 7:
    case 8:
    case 9:
    case 10:
        assert_ok(some_estimator_create((some_estimator)(i - 7), &est));
        return est;
    default:
        return NULL;
    }
}
