/* threads: the engine of 1-D convolutions against the plain one, on random
   networks, on every set of kernels and on any number of threads. */
#include <math.h>
#include <stdlib.h>

#include "floats.h"
#include "nn/embed.h"
#include "nn/net.h"
#include "random_signal_net.h"

enum { BATCH = 19, NETS = 120 };

static float *random_floats(size_t n, uint64_t row)
{
    return normal_floats(71, row, n, 1);
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
    float *phi, *dw, *dx;
};

static struct outcome empty_outcome(const bnre__net *net)
{
    return (struct outcome){
        .phi = random_floats(BATCH * net->embedding->out.size, 0),
        .dw = random_floats(net->weights, 0),
        .dx = random_floats(BATCH * net->x.size, 0),
    };
}

static void clear_outcome(struct outcome *o)
{
    free(o->dx);
    free(o->dw);
    free(o->phi);
}

struct data {
    float *w, *x, *dphi;
};

static struct data make_data(const bnre__net *net, uint64_t k)
{
    bnre_rng rng = bnre_rng_stream(72, 0, k);
    struct data d = {
        .w = random_floats(net->weights, 1),
        .x = random_floats(BATCH * net->x.size, 10 + k),
        .dphi = random_floats(BATCH * net->embedding->out.size, 1000 + k),
    };

    bnre__net_init(net, &rng, d.w, NULL);
    return d;
}

static void clear_data(struct data *d)
{
    free(d->dphi);
    free(d->x);
    free(d->w);
}

static void run(const bnre__embed_type *type, const bnre__net *net,
                const bnre__embed_opts *opts, const struct data *d, size_t n,
                struct outcome *o)
{
    void *engine = NULL;
    const float *phi;

    assert_ok(type->create(net, opts, &engine));
    /* Other weights and more rows before, that must leave no trace. */
    type->set(engine, o->dw, NULL);
    (void)type->forward(engine, BATCH, o->dx, 0);
    type->set(engine, d->w, NULL);
    phi = type->forward(engine, n, d->x, 1);
    memcpy(o->phi, phi, n * net->embedding->out.size * sizeof *phi);
    if (opts->train)
        type->backward(engine, d->dphi, o->dw, o->dx);
    type->destroy(engine);
}

/* Every set of kernels against the plain engine, for whole groups of eight or
   sixteen observations and for others. */
static void check_net(uint64_t k)
{
    size_t shape[2];
    bnre__net *net = random_signal_net(k, shape);
    const size_t n = (const size_t[]){1, 8, 11, 16, 19}[k % 5];
    const size_t phi = net->embedding->out.size;
    bnre__embed_opts opts = {.batch = BATCH, .train = 1};
    struct data d = make_data(net, k);
    struct outcome fast = empty_outcome(net), plain = empty_outcome(net);
    const bnre__kernels *set;

    assert_ptr_equal(bnre__embed_choose(net, 1), &bnre__embed_conv1d);
    run(&bnre__embed_plain, net, &opts, &d, n, &plain);
    for (size_t i = 0; (set = bnre__kernels_set(i)) != NULL; i++) {
        opts.kernels = set;
        opts.train = 0;
        run(&bnre__embed_conv1d, net, &opts, &d, n, &fast);
        compare(n * phi, fast.phi, plain.phi, 1e-5, "phi", k, set->name);
        opts.train = 1;
        run(&bnre__embed_conv1d, net, &opts, &d, n, &fast);
        compare(n * phi, fast.phi, plain.phi, 1e-5, "phi", k, set->name);
        compare(net->embedding->weights, fast.dw, plain.dw, 1e-4, "dw", k,
                set->name);
        compare(n * net->x.size, fast.dx, plain.dx, 1e-4, "dx", k, set->name);
    }
    clear_outcome(&plain);
    clear_outcome(&fast);
    clear_data(&d);
    bnre__net_destroy(net);
}

static void engines_agree(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < NETS; k++)
        check_net(k);
}

/* The derivative of x alone, or of the weights alone, is no other. */
static void parts_of_the_way_back_are_the_same(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 20; k++) {
        size_t shape[2];
        bnre__net *net = random_signal_net(k, shape);
        struct data d = make_data(net, k);
        struct outcome both = empty_outcome(net), one = empty_outcome(net);
        void *engine = NULL;

        assert_ok(bnre__embed_conv1d.create(
            net, &(bnre__embed_opts){.batch = BATCH, .train = 1}, &engine));
        bnre__embed_conv1d.set(engine, d.w, NULL);
        (void)bnre__embed_conv1d.forward(engine, BATCH, d.x, 1);
        bnre__embed_conv1d.backward(engine, d.dphi, both.dw, both.dx);
        bnre__embed_conv1d.backward(engine, d.dphi, NULL, one.dx);
        bnre__embed_conv1d.backward(engine, d.dphi, one.dw, NULL);
        assert_memory_equal(one.dw, both.dw,
                            net->embedding->weights * sizeof *one.dw);
        assert_memory_equal(one.dx, both.dx,
                            BATCH * net->x.size * sizeof *one.dx);
        bnre__embed_conv1d.destroy(engine);
        clear_outcome(&one);
        clear_outcome(&both);
        clear_data(&d);
        bnre__net_destroy(net);
    }
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 20; k++) {
        size_t shape[2];
        bnre__net *net = random_signal_net(k, shape);
        struct data d = make_data(net, k);
        struct outcome one = empty_outcome(net), many = empty_outcome(net);
        bnre__embed_opts opts = {.batch = BATCH, .train = 1};

        run(&bnre__embed_conv1d, net, &opts, &d, BATCH, &one);
        for (size_t threads = 2; threads <= 3; threads++) {
            assert_ok(bnre_pool_create(threads, &opts.pool));
            run(&bnre__embed_conv1d, net, &opts, &d, BATCH, &many);
            bnre_pool_destroy(opts.pool);
            assert_memory_equal(one.phi, many.phi,
                                BATCH * net->embedding->out.size *
                                    sizeof *one.phi);
            assert_memory_equal(one.dw, many.dw,
                                net->embedding->weights * sizeof *one.dw);
            assert_memory_equal(one.dx, many.dx,
                                BATCH * net->x.size * sizeof *one.dx);
        }
        clear_outcome(&many);
        clear_outcome(&one);
        clear_data(&d);
        bnre__net_destroy(net);
    }
}

/* A network whose first signals are made again on the way back, in groups of
   eight and of sixteen. */
static void trees_are_the_same_in_sets_that_round_alike(void **state)
{
    const bnre__net_input input = {
        .dim_theta = 2, .ndim = 2, .shape = (const size_t[]){2, 8192}};
    bnre__embed_opts opts = {.batch = BATCH, .train = 1};
    struct outcome first, other;
    const bnre__kernels *set;
    bnre_node *settings = NULL;
    bnre__net *net = NULL;
    const char *rounding = NULL;
    struct data d;

    (void)state;
    assert_ok(bnre__net_paper("gw", &settings));
    assert_ok(bnre__net_create(settings, &input, &net));
    bnre_node_destroy(settings);
    d = make_data(net, 3);
    first = empty_outcome(net);
    other = empty_outcome(net);
    for (size_t i = 1; (opts.kernels = set = bnre__kernels_set(i)) != NULL;
         i++) {
        const int again =
            rounding != NULL && strcmp(rounding, set->rounding) == 0;
        struct outcome *o = again ? &other : &first;

        run(&bnre__embed_conv1d, net, &opts, &d, BATCH, o);
        rounding = set->rounding;
        if (!again)
            continue;
        assert_memory_equal(o->phi, first.phi,
                            BATCH * net->embedding->out.size * sizeof *o->phi);
        assert_memory_equal(o->dw, first.dw, net->weights * sizeof *o->dw);
        assert_memory_equal(o->dx, first.dx,
                            BATCH * net->x.size * sizeof *o->dx);
    }
    clear_outcome(&other);
    clear_outcome(&first);
    clear_data(&d);
    bnre__net_destroy(net);
}

static void a_step_allocates_nothing(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 20; k++) {
        size_t shape[2];
        bnre__net *net = random_signal_net(k, shape);
        struct data d = make_data(net, k);
        struct outcome o = empty_outcome(net);
        void *engine = NULL;

        assert_ok(bnre__embed_conv1d.create(
            net, &(bnre__embed_opts){.batch = BATCH, .train = 1}, &engine));
        bnre__alloc_fail_at(1);
        bnre__embed_conv1d.set(engine, d.w, NULL);
        (void)bnre__embed_conv1d.forward(engine, BATCH, d.x, 1);
        bnre__embed_conv1d.backward(engine, d.dphi, o.dw, o.dx);
        assert_false(bnre__alloc_failed());
        bnre__alloc_fail_at(0);
        bnre__embed_conv1d.destroy(engine);
        clear_outcome(&o);
        clear_data(&d);
        bnre__net_destroy(net);
    }
}

static bnre_status make_one(void *arg)
{
    void *engine = NULL;
    bnre_status status = bnre__embed_conv1d.create(
        arg, &(bnre__embed_opts){.batch = 2, .train = 1}, &engine);

    bnre__embed_conv1d.destroy(engine);
    return status;
}

static void lack_of_memory_is_reported(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 6; k++) {
        size_t shape[2];
        bnre__net *net = random_signal_net(k, shape);

        assert_survives_lack_of_memory(make_one, net);
        bnre__net_destroy(net);
    }
}

static bnre__net *net_of(const char *embedding, size_t channels, size_t length)
{
    const size_t shape[] = {channels, length};
    const bnre__net_input input = {.dim_theta = 2, .ndim = 2, .shape = shape};
    char yaml[512];
    bnre_node *settings = NULL;
    bnre__net *net = NULL;

    snprintf(yaml, sizeof yaml,
             "embedding: %s\nhead: {hidden: [8], activation: selu}\n",
             embedding);
    assert_ok(bnre_yaml_parse(yaml, NULL, &settings));
    assert_ok(bnre__net_create(settings, &input, &net));
    bnre_node_destroy(settings);
    return net;
}

/* Layers that this engine does not know, and values in another order. */
static void other_nets_do_not_fit(void **state)
{
    static const char *const embeddings[] = {
        "[flatten]",
        "[relu, flatten]",
        "[conv1d: {channels: 2, kernel: 3}, batchnorm]",
        "[conv1d: {channels: 2, kernel: 3}, transpose]",
        "[selu, reshape: {shape: [9, 2]}, conv1d: {channels: 2, kernel: 2}]",
        "[conv1d: {channels: 2, kernel: 3}, avgpool]",
        "[linear: {width: 4}, flatten]",
        "[conv1d: {channels: 1, kernel: 8}, scale: {scale: [1, 2]}]",
    };

    (void)state;
    for (size_t i = 0; i < sizeof embeddings / sizeof *embeddings; i++) {
        bnre__net *net = net_of(embeddings[i], 2, 9);

        assert_false(bnre__embed_conv1d.fits(net, 1));
        bnre__net_destroy(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_agree),
        cmocka_unit_test(parts_of_the_way_back_are_the_same),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(trees_are_the_same_in_sets_that_round_alike),
        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(lack_of_memory_is_reported),
        cmocka_unit_test(other_nets_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
