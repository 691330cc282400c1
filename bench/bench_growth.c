/* bench_growth.c - how the time of a training step grows with a network's width
   and depth, with the batch, and with the length of x; on one core.

   Beside the time: what a simulation costs, and which part of the core's peak
   (measured in turns) the needed operations make. */
#include <string.h>

#include "bench.h"
#include "bnre/settings.h"
#include "infer/train/loss.h"
#include "nn/net.h"
#include "nn/operations.h"
#include "nn/plan.h"
#include "peak.h"

enum { DIM = 2, ROUNDS = 7 };

struct size {
    const char *embedding; /* preset, or NULL for a head alone */
    size_t width, depth, batch, length;
};

static bnre__net *make_net(const struct size *size)
{
    const size_t shape[] = {2, size->length};
    const bnre__net_input input = {.dim_theta = DIM,
                                   .ndim = size->embedding == NULL ? 1 : 2,
                                   .shape = size->embedding == NULL ? shape + 1
                                                                    : shape};
    char yaml[1024] = "head: {activation: selu, hidden: [";
    bnre_node *settings = NULL;
    bnre__net *net = NULL;

    if (size->embedding != NULL) {
        snprintf(yaml, sizeof yaml, "preset: %s", size->embedding);
    } else {
        for (size_t i = 0; i < size->depth; i++)
            snprintf(yaml + strlen(yaml), sizeof yaml - strlen(yaml), "%s%zu",
                     i == 0 ? "" : ", ", size->width);
        snprintf(yaml + strlen(yaml), sizeof yaml - strlen(yaml), "]}");
    }
    bench_check(bnre_yaml_parse(yaml, NULL, &settings));
    bench_check(bnre__net_create(settings, &input, &net));
    bnre_node_destroy(settings);
    return net;
}

static float *random_floats(size_t n)
{
    bnre_rng rng = bnre_rng_stream(1, 0, n);
    float *p = calloc(n, sizeof *p);

    for (size_t i = 0; p != NULL && i < n; i++)
        p[i] = (float)bnre_rng_normal(&rng);
    return p;
}

struct data {
    float *theta, *x, *logits; /* (2 n, DIM), (n, x), (4 n) */
};

static void step(bnre__plan *plan, size_t n, const struct data *d)
{
    const bnre__adam adam = bnre__adam_default();
    const bnre__minibatch pairs = {n, d->theta, d->x, d->theta + n * DIM, NULL};

    bnre__plan_train_forward(plan, &pairs, d->logits, d->logits + n);
    bnre__loss_balanced(100, n, d->logits, d->logits + n, d->logits + 2 * n,
                        d->logits + 3 * n);
    bnre__plan_update(plan, d->logits + 2 * n, d->logits + 3 * n, &adam);
}

static double peak(void)
{
    const double start = bench_now(), operations = bench_reach_peak();

    return operations / (bench_now() - start);
}

static void measure(const char *what, size_t value, const struct size *size)
{
    bnre__net *net = make_net(size);
    const bnre__plan_opts opts = {.batch = size->batch, .train = 1};
    const double operations =
        2 * (double)size->batch * bnre__net_work(net).step;
    float *w = calloc(bnre__net_weights(net), sizeof *w);
    float *buffers = calloc(bnre__net_buffers(net) + 1, sizeof *buffers);
    const struct data d = {random_floats(2 * size->batch * DIM),
                           random_floats(size->batch * net->x.size),
                           calloc(4 * size->batch, sizeof *d.logits)};
    bnre_rng rng = bnre_rng_stream(1, 0, 0);
    bnre__plan *plan = NULL;
    double seconds[ROUNDS], part[ROUNDS], start, one;
    size_t times;

    bnre__net_init(net, &rng, w, buffers);
    bench_check(bnre__plan_create(net, &opts, &plan));
    bnre__plan_set(plan, w, buffers);
    step(plan, size->batch, &d); /* the first takes longer */
    start = bench_now();
    step(plan, size->batch, &d);
    times = 1 + (size_t)(0.05 / (bench_now() - start));
    for (int r = 0; r < ROUNDS; r++) {
        start = bench_now();
        for (size_t i = 0; i < times; i++)
            step(plan, size->batch, &d);
        seconds[r] = (bench_now() - start) / (double)times;
        part[r] = operations / seconds[r] / peak();
    }
    one = bench_median(ROUNDS, seconds);
    printf("| %-28s | %6zu | %9.3f ms | %9.1f us | %8.1f | %4.0f %% |\n", what,
           value, one * 1e3, one / (double)size->batch * 1e6, operations * 1e-6,
           100 * bench_median(ROUNDS, part));
    fflush(stdout);
    bench_row("ms", one * 1e3, "step, %s %zu", what, value);
    bnre__plan_destroy(plan);
    free(d.logits);
    free(d.x);
    free(d.theta);
    free(buffers);
    free(w);
    bnre__net_destroy(net);
}

int main(void)
{
    const struct size usual = {NULL, 256, 6, 128, 8};
    struct size size = usual;

    printf("| %-28s | %6s | %12s | %12s | 10^6 op. | of peak |\n", "", "",
           "step", "simulation");
    printf("|---|---|---|---|---|---|\n");
    for (size.width = 32; size.width <= 1024; size.width *= 2)
        measure("6 layers, width", size.width, &size);
    for (size = usual, size.depth = 1; size.depth <= 16; size.depth *= 2)
        measure("width 256, layers", size.depth, &size);
    for (size = usual, size.batch = 16; size.batch <= 1024; size.batch *= 2)
        measure("6 x 256, batch", size.batch, &size);
    for (size = usual; size.length <= 8192; size.length *= 8)
        measure("6 x 256, x of length", size.length, &size);
    size = (struct size){"cnn1d", 0, 0, 128, 256};
    for (; size.length <= 4096; size.length *= 4)
        measure("preset cnn1d, x of length", size.length, &size);
    size = (struct size){"dilated_cnn", 0, 0, 128, 512};
    for (; size.length <= 8192; size.length *= 4)
        measure("preset dilated_cnn, length", size.length, &size);
    return 0;
}
