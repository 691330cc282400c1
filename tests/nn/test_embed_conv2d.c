/* The engine for pictures against the plain one: random networks, every set of
   kernels. */
#include <math.h>
#include <stdlib.h>

#include "floats.h"
#include "nn/conv2d/winograd.h"
#include "nn/net.h"
#include "random_picture_net.h"

enum { BATCH = 7, NETS = 24 };

static float *random_floats(size_t n, uint64_t row, double size)
{
    return normal_floats(61, row, n, size);
}

static void compare(size_t n, const float *fast, const float *plain,
                    double tolerance, const char *what, uint64_t k,
                    const char *set)
{
    assert_floats_agree(n, fast, plain, tolerance, "net %u, kernels %s, %s",
                        (unsigned)k, set, what);
}

/* What an engine makes of a batch. */
struct outcome {
    float *phi, *dw, *dx, *buffers;
};

static struct outcome empty_outcome(const bnre__net *net)
{
    const size_t phi = net->embedding->out.size;

    return (struct outcome){
        .phi = random_floats(BATCH * phi, 0, 1),
        .dw = random_floats(net->weights, 0, 1),
        .dx = random_floats(BATCH * net->x.size, 0, 1),
        .buffers = random_floats(net->buffers + 1, 0, 1),
    };
}

static void clear_outcome(struct outcome *o)
{
    free(o->buffers);
    free(o->dx);
    free(o->dw);
    free(o->phi);
}

struct data {
    float *w, *buffers, *x, *dphi;
};

static struct data make_data(const bnre__net *net, uint64_t k)
{
    bnre_rng rng = bnre_rng_stream(62, 0, k);
    struct data d = {
        .w = random_floats(net->weights, 1, 1),
        .buffers = random_floats(net->buffers + 1, 2, 1),
        .x = random_floats(BATCH * net->x.size, 10 + k, 1),
        .dphi = random_floats(BATCH * net->embedding->out.size, 1000 + k, 1),
    };

    bnre__net_init(net, &rng, d.w, d.buffers);
    /* Norms that do something: their scales and shifts are no longer 1, 0. */
    for (size_t i = 0; i < net->weights; i++)
        d.w[i] += (float)(0.1 * bnre_rng_normal(&rng));
    return d;
}

static void clear_data(struct data *d)
{
    free(d->dphi);
    free(d->x);
    free(d->buffers);
    free(d->w);
}

static void run(const bnre__embed_type *type, const bnre__net *net,
                const bnre__embed_opts *opts, const struct data *d, size_t n,
                int train, struct outcome *o)
{
    void *engine = NULL;
    const float *phi;

    assert_ok(type->create(net, opts, &engine));
    type->set(engine, d->w, d->buffers);
    /* Something else before, that must leave no trace in phi. */
    (void)type->forward(engine, BATCH, d->x, 0);
    phi = type->forward(engine, n, d->x, train);
    memcpy(o->phi, phi, n * net->embedding->out.size * sizeof *phi);
    type->backward(engine, d->dphi, o->dw, o->dx);
    type->get_buffers(engine, o->buffers);
    type->destroy(engine);
}

/* Every set of kernels against the plain engine; frees the net. Errors are
   relative to the largest value: a few units of float's resolution, times what
   the layers make of them. */
static void check_net(bnre__net *net, uint64_t k, double tolerance)
{
    bnre__embed_opts opts = {.batch = BATCH, .train = 1};
    struct data d = make_data(net, k);
    struct outcome fast = empty_outcome(net), plain = empty_outcome(net);
    const bnre__kernels *set;

    assert_ptr_equal(bnre__embed_choose(net, 1), &bnre__embed_conv2d);
    for (int train = 0; train < 2; train++) {
        const size_t n = train ? BATCH : BATCH - 4;

        run(&bnre__embed_plain, net, &opts, &d, n, train, &plain);
        /* The plainest kernels are slow: not for all nets. */
        for (size_t i = k >= 8; (set = bnre__kernels_set(i)) != NULL; i++) {
            opts.kernels = set;
            run(&bnre__embed_conv2d, net, &opts, &d, n, train, &fast);
            compare(n * net->embedding->out.size, fast.phi, plain.phi,
                    tolerance, "phi", k, set->name);
            compare(net->embedding->weights, fast.dw, plain.dw, 2 * tolerance,
                    "dw", k, set->name);
            compare(n * net->x.size, fast.dx, plain.dx, 2 * tolerance, "dx", k,
                    set->name);
            compare(net->embedding->buffers, fast.buffers, plain.buffers,
                    tolerance, "running statistics", k, set->name);
        }
    }
    clear_outcome(&plain);
    clear_outcome(&fast);
    clear_data(&d);
    bnre__net_destroy(net);
}

static void engines_agree(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < NETS; k++) {
        size_t shape[3];

        check_net(random_picture_net(k, shape), k, 1e-4);
    }
}

/* One convolution, three by three, after one that lets it choose. */
static bnre__net *small_net(const size_t shape[3], size_t in, size_t out,
                            size_t padding, int bias)
{
    const bnre__net_input input = {.dim_theta = 2, .ndim = 3, .shape = shape};
    bnre_node *settings = NULL;
    bnre__net *net = NULL;
    char yaml[512];

    snprintf(yaml, sizeof yaml,
             "embedding: [conv2d: {channels: %zu, kernel: 1}, conv2d: "
             "{channels: %zu, kernel: 3, padding: %zu, bias: %s}]\nhead: "
             "{hidden: [8], activation: selu}\n",
             in, out, padding, bias ? "yes" : "no");
    assert_ok(bnre_yaml_parse(yaml, NULL, &settings));
    assert_ok(bnre__net_create(settings, &input, &net));
    bnre_node_destroy(settings);
    assert_true(bnre__conv2d_is_winograd(&net->embedding->layer[1]));
    return net;
}

/* Three by three taps on pictures of all sizes, where fewer products do. */
static void small_convolutions_agree(void **state)
{
    bnre_rng rng = bnre_rng_stream(69, 0, 0);

    (void)state;
    for (size_t i = 0; i < 12; i++) {
        const size_t shape[] = {2, i + 2, 2 + bnre_rng_below(&rng, 12)};
        const size_t in = 16 + bnre_rng_below(&rng, 18);
        const size_t out = 16 + bnre_rng_below(&rng, 18);

        check_net(small_net(shape, in, out, 1 + i % 2, i % 3 == 0), 100 + i,
                  1e-5);
    }
}

/* What fits into caches at once is no matter of results. */
static void blocks_of_pictures_change_nothing(void **state)
{
    enum { MANY = 3 * STRIP - 1 };
    const size_t shape[] = {2, 9, 7};
    bnre__net *net = small_net(shape, 16, 33, 1, 1);
    const size_t phi = net->embedding->out.size, n = net->embedding->weights;
    struct data d = make_data(net, 1);
    float *x = random_floats(MANY * net->x.size, 2, 1);
    float *dphi = random_floats(MANY * phi, 3, 1);
    float *result[2][3];

    (void)state;
    for (int blocks = 0; blocks < 2; blocks++) {
        struct conv2d *engine = NULL;
        float **r = result[blocks];

        r[0] = random_floats(MANY * phi, 4, 1);
        r[1] = random_floats(MANY * net->x.size, 5, 1);
        r[2] = random_floats(n, 6, 1);
        assert_ok(bnre__embed_conv2d.create(
            net, &(bnre__embed_opts){.batch = MANY, .train = 1},
            (void **)&engine));
        bnre__embed_conv2d.set(engine, d.w, d.buffers);
        assert_ptr_equal(engine->op[1].type, &bnre__conv2d_winograd);
        if (blocks)
            ((struct winograd *)engine->op[1].state)->block = STRIP;
        memcpy(r[0], bnre__embed_conv2d.forward(engine, MANY, x, 1),
               MANY * phi * sizeof *dphi);
        bnre__embed_conv2d.backward(engine, dphi, r[2], r[1]);
        bnre__embed_conv2d.destroy(engine);
    }
    assert_memory_equal(result[0][0], result[1][0], MANY * phi * sizeof *x);
    assert_memory_equal(result[0][1], result[1][1],
                        MANY * net->x.size * sizeof *x);
    compare(n, result[1][2], result[0][2], 1e-5, "dw", 0, "best");
    for (int blocks = 0; blocks < 2; blocks++)
        for (int r = 0; r < 3; r++)
            free(result[blocks][r]);
    free(dphi);
    free(x);
    clear_data(&d);
    bnre__net_destroy(net);
}

/* The value of a picture does not depend on those beside it in a batch, not
   even if these are more than are evaluated at a time. */
static void pictures_do_not_see_each_other(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < NETS; k++) {
        size_t shape[3];
        bnre__net *net = random_picture_net(k, shape);
        const size_t phi = net->embedding->out.size;
        const size_t n = k < 2 ? 150 : BATCH;
        struct data d = make_data(net, k);
        float *x = random_floats(n * net->x.size, 7, 1);
        float *all = random_floats(n * phi, 0, 1);
        void *engine = NULL;

        assert_ok(bnre__embed_conv2d.create(
            net, &(bnre__embed_opts){.batch = n}, &engine));
        bnre__embed_conv2d.set(engine, d.w, d.buffers);
        memcpy(all, bnre__embed_conv2d.forward(engine, n, x, 0),
               n * phi * sizeof *all);
        for (size_t i = 0; i < n; i++)
            assert_memory_equal(
                bnre__embed_conv2d.forward(engine, 1, x + i * net->x.size, 0),
                all + i * phi, phi * sizeof *all);
        bnre__embed_conv2d.destroy(engine);
        free(all);
        free(x);
        clear_data(&d);
        bnre__net_destroy(net);
    }
}

/* Engines without room for the way back, whose values share memory. */
static void engines_for_evaluation_agree(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < NETS; k++) {
        size_t shape[3];
        bnre__net *net = random_picture_net(k, shape);
        const size_t bytes = BATCH * net->embedding->out.size * sizeof(float);
        struct data d = make_data(net, k);
        void *engine[2] = {NULL, NULL};
        const float *phi[2];

        for (int train = 0; train < 2; train++) {
            assert_ok(bnre__embed_conv2d.create(
                net, &(bnre__embed_opts){.batch = BATCH, .train = train},
                &engine[train]));
            bnre__embed_conv2d.set(engine[train], d.w, d.buffers);
            for (int times = 0; times < 2; times++)
                phi[train] =
                    bnre__embed_conv2d.forward(engine[train], BATCH, d.x, 0);
        }
        assert_memory_equal(phi[0], phi[1], bytes);
        for (int train = 0; train < 2; train++)
            bnre__embed_conv2d.destroy(engine[train]);
        clear_data(&d);
        bnre__net_destroy(net);
    }
}

static void a_step_allocates_nothing(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 10; k++) {
        size_t shape[3];
        bnre__net *net = random_picture_net(k, shape);
        struct data d = make_data(net, k);
        struct outcome o = empty_outcome(net);
        void *engine = NULL;

        assert_ok(bnre__embed_conv2d.create(
            net, &(bnre__embed_opts){.batch = BATCH, .train = 1}, &engine));
        bnre__alloc_fail_at(1);
        bnre__embed_conv2d.set(engine, d.w, d.buffers);
        (void)bnre__embed_conv2d.forward(engine, BATCH, d.x, 1);
        bnre__embed_conv2d.backward(engine, d.dphi, o.dw, o.dx);
        assert_false(bnre__alloc_failed());
        bnre__alloc_fail_at(0);
        bnre__embed_conv2d.destroy(engine);
        clear_outcome(&o);
        clear_data(&d);
        bnre__net_destroy(net);
    }
}

static bnre_status make_one(void *arg)
{
    void *engine = NULL;
    bnre_status status = bnre__embed_conv2d.create(
        arg, &(bnre__embed_opts){.batch = 2, .train = 1}, &engine);

    bnre__embed_conv2d.destroy(engine);
    return status;
}

static void lack_of_memory_is_reported(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 6; k++) {
        size_t shape[3];
        bnre__net *net = random_picture_net(k, shape);

        assert_survives_lack_of_memory(make_one, net);
        bnre__net_destroy(net);
    }
}

/* Vectors, and what is flattened at once, are pictures of one position: linear
   layers are products of whole matrices. */
static void linear_layers_agree(void **state)
{
    static const struct {
        size_t ndim, shape[3];
        const char *embedding;
    } nets[] = {
        {1, {5}, "[linear: {width: 3}]"},
        {1, {40}, "[linear: {width: 33}, selu, linear: {width: 70}, elu]"},
        {1, {17}, "[linear: {width: 64, bias: no}, gelu, linear: {width: 2}]"},
        {1, {9}, "[scale: {shift: 1, scale: 2}, tanh, linear: {width: 20}]"},
        {1, {20}, "[batchnorm, linear: {width: 18}, batchnorm, relu, flatten]"},
        {1,
         {6},
         "[linear: {width: 24}, residual: {layers: [linear: {width: 24}, "
         "selu]}, linear: {width: 4}]"},
        {2, {3, 7}, "[flatten, linear: {width: 30}, selu, linear: {width: 5}]"},
        {3, {2, 3, 4}, "[scale: {scale: 3}, flatten, linear: {width: 9}]"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        const bnre__net_input input = {
            .dim_theta = 2, .ndim = nets[i].ndim, .shape = nets[i].shape};
        char yaml[512];
        bnre_node *settings = NULL;
        bnre__net *net = NULL;

        snprintf(yaml, sizeof yaml,
                 "embedding: %s\nhead: {hidden: [8], activation: selu}\n",
                 nets[i].embedding);
        assert_ok(bnre_yaml_parse(yaml, NULL, &settings));
        assert_ok(bnre__net_create(settings, &input, &net));
        bnre_node_destroy(settings);
        check_net(net, i, 1e-5);
    }
}

/* Layers this engine does not know, and shapes that are no pictures. */
static void other_nets_do_not_fit(void **state)
{
    static const char *const embeddings[] = {
        "[conv2d: {channels: 2, kernel: 3}, layernorm]",
        "[relu, flatten]",
        "[linear: {width: 4}, conv2d: {channels: 2, kernel: 3}]",
        "[conv2d: {channels: 2, kernel: 1}, maxpool2d: {kernel: 9}]",
        ("[residual: {layers: [conv2d: {channels: 81, kernel: 9}], shortcut: "
         "[conv2d: {channels: 1, kernel: 1}]}]"),
    };
    const size_t shape[] = {3, 9, 9};
    const bnre__net_input input = {.dim_theta = 2, .ndim = 3, .shape = shape};

    (void)state;
    for (size_t i = 0; i < sizeof embeddings / sizeof *embeddings; i++) {
        char yaml[512];
        bnre_node *settings = NULL;
        bnre__net *net = NULL;

        snprintf(yaml, sizeof yaml,
                 "embedding: %s\nhead: {hidden: [8], activation: selu}\n",
                 embeddings[i]);
        assert_ok(bnre_yaml_parse(yaml, NULL, &settings));
        assert_ok(bnre__net_create(settings, &input, &net));
        assert_false(bnre__embed_conv2d.fits(net, 1));
        bnre_node_destroy(settings);
        bnre__net_destroy(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_agree),
        cmocka_unit_test(small_convolutions_agree),
        cmocka_unit_test(linear_layers_agree),
        cmocka_unit_test(blocks_of_pictures_change_nothing),
        cmocka_unit_test(pictures_do_not_see_each_other),
        cmocka_unit_test(engines_for_evaluation_agree),
        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(lack_of_memory_is_reported),
        cmocka_unit_test(other_nets_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
