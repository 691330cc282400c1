/* Plans for pictures: against an independent implementation of a residual
   network, and against plain plans in training. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "infer/train/loss.h"
#include "nn/net.h"
#include "nn/plan.h"
#include "random_picture_net.h"
#include "reference.h"
#include "resnet_mini.h"

static float *floats(size_t n)
{
    float *p = calloc(n + 1, sizeof *p);

    assert_non_null(p);
    return p;
}

static float *tensor(const ref *node)
{
    size_t n;
    double *values = ref_array(ref_at(node, "data"), &n);
    float *out = floats(n);

    for (size_t i = 0; i < n; i++)
        out[i] = (float)values[i];
    bnre__free(values);
    return out;
}

/* The weights (running == 0) or the running statistics of an object of tensors,
   which are in the order of the net. */
static size_t gather(const ref *tensors, int running, float *out)
{
    size_t at = 0;

    for (size_t i = 0; i < ref_count(tensors); i++) {
        const char *key = ref_key(tensors, i);
        size_t n;
        double *values;

        if ((strstr(key, ".running_") != NULL) != running)
            continue;
        values = ref_array(ref_at(tensors, "%s/data", key), &n);
        for (size_t k = 0; k < n; k++)
            out[at++] = (float)values[k];
        bnre__free(values);
    }
    return at;
}

static void compare(size_t n, const float *ours, const float *theirs,
                    double tolerance, const char *what)
{
    assert_floats_agree(n, ours, theirs, tolerance, "%s", what);
}

enum { N = 5, THETA = 2, X = 3 * 34 * 34 };

struct mini {
    ref *root;
    bnre__net *net;
    bnre__plan *plan;
    float *w, *buffers, *theta, *x;
    float theta_marginal[N * THETA];
    uint32_t x_index[N];
    bnre__minibatch pairs;
};

static void set_up(struct mini *m)
{
    const size_t shape[] = {3, 34, 34};
    const bnre__net_input input = {
        .dim_theta = THETA, .ndim = 3, .shape = shape};
    const bnre__plan_opts opts = {.batch = N, .train = 1};
    bnre_node *settings = NULL;
    char yaml[8192];

    resnet_mini_yaml(sizeof yaml, yaml);
    assert_ok(bnre_yaml_parse(yaml, NULL, &settings));
    assert_ok(bnre__net_create(settings, &input, &m->net));
    bnre_node_destroy(settings);
    assert_ok(bnre__plan_create(m->net, &opts, &m->plan));
    m->root = ref_load("nn/resnet18_mini.json");
    m->w = floats(m->net->weights);
    m->buffers = floats(m->net->buffers);
    assert_int_equal(gather(ref_at(m->root, "initial"), 0, m->w),
                     m->net->weights);
    assert_int_equal(gather(ref_at(m->root, "initial"), 1, m->buffers),
                     m->net->buffers);
    m->theta = tensor(ref_at(m->root, "theta"));
    m->x = tensor(ref_at(m->root, "x"));
    for (size_t i = 0; i < N; i++) {
        const size_t p =
            (size_t)ref_number(ref_at(m->root, "perm_theta/%zu", i));

        memcpy(m->theta_marginal + i * THETA, m->theta + p * THETA,
               THETA * sizeof *m->theta);
        m->x_index[i] = (uint32_t)ref_number(ref_at(m->root, "perm_x/%zu", i));
    }
    m->pairs =
        (bnre__minibatch){N, m->theta, m->x, m->theta_marginal, m->x_index};
    bnre__plan_set(m->plan, m->w, m->buffers);
}

static void tear_down(struct mini *m)
{
    free(m->x);
    free(m->theta);
    free(m->buffers);
    free(m->w);
    bnre__plan_destroy(m->plan);
    bnre__net_destroy(m->net);
    ref_free(m->root);
}

static void compare_tensor(size_t n, const float *ours, const ref *theirs,
                           double tolerance, const char *what)
{
    float *values = tensor(theirs);

    compare(n, ours, values, tolerance, what);
    free(values);
}

static void a_pass_of_the_residual_network_agrees(void **state)
{
    struct mini m;
    float joint[N], marginal[N], dj[N], dm[N], *gradient, *reference;

    (void)state;
    set_up(&m);
    gradient = floats(m.net->weights);
    reference = floats(m.net->weights);
    bnre__plan_pairs(m.plan, &m.pairs, joint, marginal);
    compare_tensor(N, joint, ref_at(m.root, "logits_joint_eval_mode_initial"),
                   1e-5, "evaluation");
    bnre__plan_train_forward(m.plan, &m.pairs, joint, marginal);
    compare_tensor(N, joint, ref_at(m.root, "logits_joint"), 1e-5, "joint");
    compare_tensor(N, marginal, ref_at(m.root, "logits_marginal"), 1e-5,
                   "marginal");
    bnre__plan_get(m.plan, m.w, m.buffers);
    gather(
        ref_at(m.root, "running_stats_after_one_joint_then_one_marginal_pass"),
        1, reference);
    compare(m.net->buffers, m.buffers, reference, 1e-5, "running statistics");
    (void)bnre__loss_balanced(100, N, joint, marginal, dj, dm);
    bnre__plan_gradient(m.plan, dj, dm, gradient);
    gather(ref_at(m.root, "bnre/gradients"), 0, reference);
    compare(m.net->weights, gradient, reference, 2e-5, "gradient");
    free(reference);
    free(gradient);
    tear_down(&m);
}

/* Adam makes steps of equal size of small and large gradients, so weights are
   not compared: losses and logits are. */
static void training_of_the_residual_network_agrees(void **state)
{
    (void)state;
    for (int balanced = 0; balanced < 2; balanced++) {
        const bnre__adam adam = bnre__adam_default();
        struct mini m;
        float joint[N], marginal[N], dj[N], dm[N];
        const ref *run;

        set_up(&m);
        run = ref_at(m.root, "%s/adamw_lr1e-3_wd0", balanced ? "bnre" : "nre");
        for (size_t t = 0; t < 5; t++) {
            bnre__loss loss;

            bnre__plan_train_forward(m.plan, &m.pairs, joint, marginal);
            loss = bnre__loss_balanced(balanced ? 100 : 0, N, joint, marginal,
                                       dj, dm);
            assert_close(
                loss.value,
                ref_number(ref_at(run, "losses_before_each_step/%zu", t)),
                1e-4);
            bnre__plan_update(m.plan, dj, dm, &adam);
        }
        bnre__plan_pairs(m.plan, &m.pairs, joint, marginal);
        compare_tensor(N, joint, ref_at(run, "logits_joint_eval_mode_after"),
                       1e-3, "logits after training");
        tear_down(&m);
    }
}

/* ---- random networks ---- */

enum { BATCH = 6, NETS = 12 };

struct training {
    float *w, *buffers, joint[BATCH], marginal[BATCH];
};

static struct training train(uint64_t k, int plain)
{
    size_t shape[3];
    bnre__net *net = random_picture_net(k, shape);
    bnre_rng rng = bnre_rng_stream(65, 0, k);
    struct training t = {.w = floats(net->weights),
                         .buffers = floats(net->buffers)};
    float *x = floats(BATCH * net->x.size), theta[2 * BATCH];
    const uint32_t index[BATCH] = {3, 0, 5, 1, 2, 4};
    const bnre__minibatch pairs = {BATCH, theta, x, theta, index};
    bnre__adam adam = bnre__adam_default();
    const bnre__plan_opts opts = {.batch = BATCH, .train = 1, .plain = plain};
    bnre__plan *plan = NULL;

    /* So large that rounding errors of vanishing gradients (such as those of
       biases before a norm) make no steps. */
    adam.epsilon = 1e-2;
    adam.learning_rate = 1e-2;
    bnre__net_init(net, &rng, t.w, t.buffers);
    for (size_t i = 0; i < BATCH * net->x.size; i++)
        x[i] = (float)bnre_rng_normal(&rng);
    for (size_t i = 0; i < 2 * BATCH; i++)
        theta[i] = (float)bnre_rng_normal(&rng);
    assert_ok(bnre__plan_create(net, &opts, &plan));
    bnre__plan_set(plan, t.w, t.buffers);
    for (int step = 0; step < 4; step++) {
        float dj[BATCH], dm[BATCH];

        bnre__plan_train_forward(plan, &pairs, t.joint, t.marginal);
        (void)bnre__loss_balanced(100, BATCH, t.joint, t.marginal, dj, dm);
        bnre__plan_update(plan, dj, dm, &adam);
    }
    bnre__plan_pairs(plan, &pairs, t.joint, t.marginal);
    bnre__plan_get(plan, t.w, t.buffers);
    bnre__plan_destroy(plan);
    bnre__net_destroy(net);
    free(x);
    return t;
}

static void training_agrees_with_plain_plans(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < NETS; k++) {
        struct training fast = train(k, 0), plain = train(k, 1);

        compare(BATCH, fast.joint, plain.joint, 1e-3, "joint");
        compare(BATCH, fast.marginal, plain.marginal, 1e-3, "marginal");
        free(fast.w);
        free(fast.buffers);
        free(plain.w);
        free(plain.buffers);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_of_the_residual_network_agrees),
        cmocka_unit_test(training_of_the_residual_network_agrees),
        cmocka_unit_test(training_agrees_with_plain_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
