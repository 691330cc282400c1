/* Networks, layers, losses and optimiser against an independent implementation,
   all in double precision. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "double_net.h"
#include "infer/train/loss.h"
#include "nn/net.h"
#include "nn/optim.h"
#include "nn/plan.h"
#include "resnet_mini.h"

static void compare(size_t n, const double *ours, const double *theirs,
                    double relative, double absolute, const char *what)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(ours[i] - theirs[i]) <=
              relative * fabs(theirs[i]) + absolute)) {
            print_error("%s[%zu] = %.17g, reference %.17g\n", what, i, ours[i],
                        theirs[i]);
            fail();
        }
}

static void compare_tensor(const double *ours, const ref *theirs,
                           double relative, double absolute, const char *what)
{
    size_t n;
    double *values = tensor(theirs, &n);

    compare(n, ours, values, relative, absolute, what);
    bnre__free(values);
}

/* ---- single layers ---- */

/* The settings of a layer by its name in the reference. */
static const char *layer_yaml(const char *name)
{
    static const char *const known[][2] = {
        {"selu", "selu"},
        {"leaky_relu_0.01", "leaky_relu: {slope: 0.01}"},
        {"linear_3_to_4", "linear: {width: 4}"},
        {"conv1d_k3_pad1", "conv1d: {channels: 3, kernel: 3, padding: 1}"},
        {"conv1d_k2_dilation4",
         "conv1d: {channels: 3, kernel: 2, dilation: 4}"},
        {"conv2d_k7_stride2_pad3_nobias",
         "conv2d: {channels: 2, kernel: 7, stride: 2, padding: 3, bias: no}"},
        {"conv2d_k3_stride2_pad1_nobias",
         "conv2d: {channels: 2, kernel: 3, stride: 2, padding: 1, bias: no}"},
        {"conv2d_k1_stride2_nobias",
         "conv2d: {channels: 2, kernel: 1, stride: 2, bias: no}"},
        {"adaptive_avg_pool2d_to_1x1", "avgpool"},
        {"batchnorm2d_train", "batchnorm"},
        {"batchnorm2d_eval", "batchnorm"},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i][0], name) == 0)
            return known[i][1];
    print_error("no settings for the reference layer %s\n", name);
    fail();
    return NULL;
}

struct single {
    bnre__sequence *sequence;
    bnre__pass pass;
    double *x, *dy, *dx, *store, *dstore, *w, *dw, *buffer;
};

/* A sequence of one layer around a case with x (rows, shape...). */
static void set_up(struct single *s, const ref *c, const char *yaml,
                   const char *dy)
{
    char text[256];
    size_t dim[8], n, ndim = ref_count(ref_at(c, "x/shape")), at = 0, at2 = 0;
    bnre_node *list = NULL;
    bnre__shape in;

    *s = (struct single){0};
    for (size_t i = 0; i < ndim; i++)
        dim[i] = (size_t)ref_number(ref_at(c, "x/shape/%zu", i));
    if (ndim == 1) { /* one value per row */
        dim[1] = 1;
        ndim = 2;
    }
    assert_ok(bnre__shape_set(&in, ndim - 1, dim + 1));
    snprintf(text, sizeof text, "- %s", yaml);
    assert_ok(bnre_yaml_parse(text, NULL, &list));
    assert_ok(
        bnre__sequence_create(list, &in, "test", &at, &at2, &s->sequence));
    bnre_node_destroy(list);
    s->x = tensor(ref_at(c, "x"), &n);
    s->dy = tensor(ref_at(c, "%s", dy), &n);
    s->dx = calloc(dim[0] * in.size, sizeof(double));
    s->store = calloc(dim[0] * s->sequence->row + s->sequence->fixed + 1,
                      sizeof(double));
    s->dstore = calloc(dim[0] * s->sequence->row + s->sequence->fixed + 1,
                       sizeof(double));
    s->w = calloc(at + 1, sizeof(double));
    s->dw = calloc(at + 1, sizeof(double));
    s->buffer = calloc(at2 + 1, sizeof(double));
    s->pass = (bnre__pass){
        .n = dim[0], .train = 1, .w = s->w, .dw = s->dw, .buffer = s->buffer};
}

static void tear_down(struct single *s)
{
    free(s->buffer);
    free(s->dw);
    free(s->w);
    free(s->dstore);
    free(s->store);
    free(s->dx);
    bnre__free(s->dy);
    bnre__free(s->x);
    bnre__sequence_destroy(s->sequence);
}

static void single_layers_agree(void **state)
{
    ref *root = ref_load("nn/layers.json");

    (void)state;
    for (size_t k = 0; k < ref_count(ref_at(root, "cases")); k++) {
        const ref *c = ref_at(root, "cases/%zu", k);
        const char *name = ref_text(ref_at(c, "name"));
        struct single s;
        double reference[4096];

        set_up(&s, c, layer_yaml(name), "grad_out");
        gather(ref_at(c, "params"), 0, s.w);
        s.pass.train = strstr(name, "_eval") == NULL;
        if (ref_has(c, "running_mean_before")) {
            ref_numbers(ref_at(c, "running_mean_before/data"), 2, s.buffer);
            ref_numbers(ref_at(c, "running_var_before/data"), 2, s.buffer + 2);
        }
        compare_tensor(
            bnre__sequence_forward(s.sequence, &s.pass, s.x, s.store),
            ref_at(c, "y"), 1e-10, 1e-13, name);
        bnre__sequence_backward(s.sequence, &s.pass, s.x, s.store, s.dy, s.dx,
                                s.dstore);
        compare_tensor(s.dx, ref_at(c, "grad_x"), 1e-10, 1e-13, name);
        assert_int_equal(gather(ref_at(c, "grad_params"), 0, reference),
                         s.sequence->weights);
        compare(s.sequence->weights, s.dw, reference, 1e-10, 1e-13, name);
        if (ref_has(c, "running_mean_after")) {
            ref_numbers(ref_at(c, "running_mean_after/data"), 2, reference);
            ref_numbers(ref_at(c, "running_var_after/data"), 2, reference + 2);
            compare(4, s.buffer, reference, 1e-10, 1e-13, "running");
        }
        tear_down(&s);
    }
    ref_free(root);
}

static void maxima_agree_also_in_ties(void **state)
{
    ref *root = ref_load("nn/maxpool.json");

    (void)state;
    for (size_t k = 0; k < ref_count(ref_at(root, "cases")); k++) {
        const ref *c = ref_at(root, "cases/%zu", k);
        struct single s;
        char yaml[128];

        snprintf(yaml, sizeof yaml,
                 "maxpool%dd: {kernel: 3, padding: 1, stride: %d}",
                 (int)ref_number(ref_at(c, "dims")),
                 (int)ref_number(ref_at(c, "stride")));
        set_up(&s, c, yaml, "grad_out");
        compare_tensor(
            bnre__sequence_forward(s.sequence, &s.pass, s.x, s.store),
            ref_at(c, "y"), 0, 0, "maxpool");
        bnre__sequence_backward(s.sequence, &s.pass, s.x, s.store, s.dy, s.dx,
                                s.dstore);
        compare_tensor(s.dx, ref_at(c, "grad_in"), 1e-12, 1e-15, "maxpool dx");
        tear_down(&s);
    }
    ref_free(root);
}

/* ---- losses ---- */

static void losses_agree(void **state)
{
    ref *root = ref_load("nn/losses.json");

    (void)state;
    for (size_t k = 0; k < ref_count(ref_at(root, "cases")); k++) {
        const ref *c = ref_at(root, "cases/%zu", k);
        size_t n;
        double *a = tensor(ref_at(c, "logits_joint"), &n);
        double *b = tensor(ref_at(c, "logits_marginal"), &n), da[16], db[16];
        bnre__loss loss = bnre__loss_balanced(ref_number(ref_at(c, "lambda")),
                                              n, a, b, da, db);

        assert_close(loss.value, ref_number(ref_at(c, "stable/loss")), 1e-12);
        assert_close(loss.cross_entropy,
                     ref_number(ref_at(c, "stable/cross_entropy")), 1e-12);
        assert_close(loss.balance - 1,
                     ref_number(ref_at(c, "stable/balance_minus_one")), 1e-12);
        compare_tensor(da, ref_at(c, "stable/grad_joint"), 1e-10, 1e-15, "da");
        compare_tensor(db, ref_at(c, "stable/grad_marginal"), 1e-10, 1e-15,
                       "db");
        bnre__free(a);
        bnre__free(b);
    }
    ref_free(root);
}

/* ---- complete networks ---- */

struct batch {
    size_t n;
    double *theta, *x, *theta_marginal, *x_marginal;
};

static void load_batch(const ref *root, size_t dim_theta, size_t x_size,
                       struct batch *b)
{
    size_t size;

    b->n = (size_t)ref_number(ref_at(root, "batch_size"));
    b->theta = tensor(ref_at(root, "theta"), &size);
    b->x = tensor(ref_at(root, "x"), &size);
    b->theta_marginal = calloc(b->n * dim_theta, sizeof(double));
    b->x_marginal = calloc(b->n * x_size, sizeof(double));
    for (size_t i = 0; i < b->n; i++) {
        size_t p = (size_t)ref_number(ref_at(root, "perm_theta/%zu", i));
        size_t q = (size_t)ref_number(ref_at(root, "perm_x/%zu", i));

        memcpy(b->theta_marginal + i * dim_theta, b->theta + p * dim_theta,
               dim_theta * sizeof(double));
        memcpy(b->x_marginal + i * x_size, b->x + q * x_size,
               x_size * sizeof(double));
    }
}

static void clear_batch(struct batch *b)
{
    bnre__free(b->theta);
    bnre__free(b->x);
    free(b->theta_marginal);
    free(b->x_marginal);
}

/* Forward both ways, loss, and the gradient into plain->dw. */
static double loss_and_gradient(bnre__plain *plain, const struct batch *b,
                                double lambda, double *joint, double *marginal)
{
    double da[16], db[16];
    bnre__loss loss;

    bnre__plain_forward(plain, 0, 1, b->n, b->theta, b->x, joint);
    bnre__plain_forward(plain, 1, 1, b->n, b->theta_marginal, b->x_marginal,
                        marginal);
    loss = bnre__loss_balanced(lambda, b->n, joint, marginal, da, db);
    memset(plain->dw, 0, plain->net->weights * sizeof *plain->dw);
    bnre__plain_backward(plain, 0, da, NULL, NULL);
    bnre__plain_backward(plain, 1, db, NULL, NULL);
    return loss.value;
}

static void train_and_compare(bnre__plain *plain, const struct batch *b,
                              const ref *run, double lambda, double decay)
{
    const size_t n = plain->net->weights;
    double *m = calloc(n, sizeof *m), *v = calloc(n, sizeof *v);
    double *after = calloc(n, sizeof *after), joint[16], marginal[16];
    bnre__adam adam = bnre__adam_default();

    adam.decay = decay;
    for (size_t t = 1; t <= 5; t++) {
        double loss = loss_and_gradient(plain, b, lambda, joint, marginal);

        assert_close(
            loss, ref_number(ref_at(run, "losses_before_each_step/%zu", t - 1)),
            1e-9);
        bnre__adam_step(&adam, t, n, plain->dw, plain->w, m, v);
    }
    assert_int_equal(gather(ref_at(run, "after_5_steps"), 0, after), n);
    compare(n, plain->w, after, 1e-9, 1e-7, "weights after 5 steps");
    bnre__plain_forward(plain, 0, 0, b->n, b->theta, b->x, joint);
    compare_tensor(joint, ref_at(run, "logits_joint_eval_mode_after"), 1e-7,
                   1e-7, "logits after");
    free(after);
    free(v);
    free(m);
}

static void check_network(const char *file, const char *yaml, size_t ndim,
                          const size_t *shape)
{
    ref *root = ref_load(file);
    bnre__net *net = net_from(yaml, 2, ndim, shape);
    double *reference = calloc(net->weights, sizeof *reference);
    double joint[16], marginal[16];
    bnre__plain *plain = NULL;
    struct batch b;

    load_batch(root, 2, net->x.size, &b);
    assert_ok(bnre__plain_create(net, b.n, &plain));
    for (int balanced = 0; balanced < 2; balanced++) {
        const char *method = balanced ? "bnre" : "nre";
        static const char *const runs[] = {"adamw_lr1e-3_wd0",
                                           "adamw_lr1e-3_wd1e-2"};
        double lambda = balanced ? 100 : 0;

        for (int r = 0; r < 2; r++) {
            double loss;

            if (!ref_has(root, "%s/%s", method, runs[r]))
                continue;
            assert_int_equal(gather(ref_at(root, "initial"), 0, plain->w),
                             net->weights);
            assert_int_equal(gather(ref_at(root, "initial"), 1, plain->buffer),
                             net->buffers);
            if (ref_has(root, "logits_joint_eval_mode_initial")) {
                bnre__plain_forward(plain, 0, 0, b.n, b.theta, b.x, joint);
                compare_tensor(joint,
                               ref_at(root, "logits_joint_eval_mode_initial"),
                               1e-10, 1e-13, "eval mode");
            }
            loss = loss_and_gradient(plain, &b, lambda, joint, marginal);
            compare_tensor(joint, ref_at(root, "logits_joint"), 1e-10, 1e-13,
                           "joint");
            compare_tensor(marginal, ref_at(root, "logits_marginal"), 1e-10,
                           1e-13, "marginal");
            assert_close(loss, ref_number(ref_at(root, "%s/loss", method)),
                         1e-10);
            if (ref_has(root, "%s/gradients", method)) {
                gather(ref_at(root, "%s/gradients", method), 0, reference);
                compare(net->weights, plain->dw, reference, 1e-10, 1e-12,
                        "gradient");
            }
            if (ref_has(root, "running_stats_after_one_joint_then_one_marginal_"
                              "pass")) {
                gather(ref_at(root, "running_stats_after_one_joint_then_one_"
                                    "marginal_pass"),
                       1, reference);
                compare(net->buffers, plain->buffer, reference, 1e-10, 1e-13,
                        "running statistics");
            }
            gather(ref_at(root, "initial"), 1, plain->buffer);
            train_and_compare(plain, &b, ref_at(root, "%s/%s", method, runs[r]),
                              lambda, r == 0 ? 0 : 1e-2);
        }
    }
    clear_batch(&b);
    bnre__plain_destroy(plain);
    free(reference);
    bnre__net_destroy(net);
    ref_free(root);
}

static void the_mlp_agrees(void **state)
{
    (void)state;
    check_network("nn/mlp.json",
                  "head: {hidden: [16, 16], activation: selu}\n"
                  "theta_first: yes\n",
                  1, (const size_t[]){8});
}

static void the_convolutional_network_agrees(void **state)
{
    (void)state;
    check_network("nn/conv1d.json",
                  "embedding:\n"
                  "  - scale: {scale: 100}\n"
                  "  - transpose\n"
                  "  - conv1d: {channels: 3, kernel: 1}\n"
                  "  - repeat:\n"
                  "      times: 2\n"
                  "      layers:\n"
                  "        - conv1d: {channels: 3, kernel: 3, padding: 1}\n"
                  "        - selu\n"
                  "        - maxpool1d: {kernel: 3, padding: 1, stride: 2}\n"
                  "        - conv1d: {channels: 3, kernel: 3, padding: 1}\n"
                  "        - selu\n"
                  "        - maxpool1d: {kernel: 3, padding: 1, stride: 1}\n"
                  "  - flatten\n"
                  "head: {hidden: [8, 8], activation: selu}\n",
                  2, (const size_t[]){33, 2});
}

static void the_dilated_network_agrees(void **state)
{
    (void)state;
    check_network("nn/dilated_conv1d.json",
                  "embedding:\n"
                  "  - conv1d: {channels: 4, kernel: 1}\n"
                  "  - conv1d: {channels: 4, kernel: 2}\n"
                  "  - selu\n"
                  "  - conv1d: {channels: 4, kernel: 2, dilation: 2}\n"
                  "  - selu\n"
                  "  - conv1d: {channels: 4, kernel: 2, dilation: 4}\n"
                  "  - selu\n"
                  "  - conv1d: {channels: 4, kernel: 2, dilation: 8}\n"
                  "  - selu\n"
                  "  - flatten\n"
                  "head: {hidden: [8, 8], activation: selu}\n",
                  2, (const size_t[]){2, 16});
}

static void the_residual_network_agrees(void **state)
{
    char yaml[8192];

    (void)state;
    resnet_mini_yaml(sizeof yaml, yaml);
    check_network("nn/resnet18_mini.json", yaml, 3,
                  (const size_t[]){3, 34, 34});
}

/* ---- optimiser and schedule ---- */

static void optimiser_trajectories_agree(void **state)
{
    static const struct {
        const char *name;
        double decay;
    } runs[] = {{"adamw_lr1e-3_wd0", 0},
                {"adamw_lr1e-3_wd1e-2", 1e-2},
                {"adam_lr1e-3", 0}};
    ref *root = ref_load("nn/optimizer.json");
    double g[60], expected[60];

    (void)state;
    ref_numbers(ref_at(root, "gradients/data"), 60, g);
    for (size_t r = 0; r < 3; r++) {
        double w[6], m[6] = {0}, v[6] = {0};
        bnre__adam adam = bnre__adam_default();

        adam.decay = runs[r].decay;
        ref_numbers(ref_at(root, "initial/data"), 6, w);
        ref_numbers(ref_at(root, "%s/data", runs[r].name), 60, expected);
        for (size_t t = 1; t <= 10; t++) {
            bnre__adam_step(&adam, t, 6, g + 6 * (t - 1), w, m, v);
            compare(6, w, expected + 6 * (t - 1), 1e-10, 1e-13, runs[r].name);
        }
    }
    ref_free(root);
}

static void the_plateau_rule_agrees(void **state)
{
    ref *root = ref_load("nn/optimizer.json");

    (void)state;
    for (size_t k = 0; k < ref_count(ref_at(root, "plateau")); k++) {
        const ref *c = ref_at(root, "plateau/%zu", k);
        size_t n = ref_count(ref_at(c, "losses"));
        bnre__schedule schedule;

        bnre__schedule_init(&schedule, BNRE__SCHEDULE_PLATEAU, 1e-3, n);
        for (size_t i = 0; i < n; i++) {
            double rate = bnre__schedule_next(
                &schedule, ref_number(ref_at(c, "losses/%zu", i)));
            double expected =
                ref_number(ref_at(c, "lr_after_each_epoch/%zu", i));

            assert_close(rate / expected, 1, 1e-12);
        }
    }
    ref_free(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_layers_agree),
        cmocka_unit_test(maxima_agree_also_in_ties),
        cmocka_unit_test(losses_agree),
        cmocka_unit_test(the_mlp_agrees),
        cmocka_unit_test(the_convolutional_network_agrees),
        cmocka_unit_test(the_dilated_network_agrees),
        cmocka_unit_test(the_residual_network_agrees),
        cmocka_unit_test(optimiser_trajectories_agree),
        cmocka_unit_test(the_plateau_rule_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
