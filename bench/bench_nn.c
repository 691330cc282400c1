/* bench_nn.c - the fast head: one training step of 128 simulations, and the
   posterior on a 90 x 90 grid, against the machine's own limit.

   The limit is measured in the same run, in turns: fused multiply-adds on
   registers with nothing to load. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bnre/net.h"
#include "nn/mlp.h"

enum { BATCH = 128, GRID = 8100, TURNS = 9 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, TURNS, sizeof *values, compare);
    return values[TURNS / 2];
}

/* A product so small that all of it stays in the first cache: what this set of
   kernels reaches at best, in operations per second. */
static double peak(const bnre__kernels *kernels)
{
    enum { ROWS = BNRE__TILE, INPUTS = 480, PANELS = 1, TIMES = 20000 };
    static _Alignas(64) float a[ROWS * INPUTS], w[INPUTS * 16], y[ROWS * 16];
    const bnre__product product = {.rows = ROWS,
                                   .inputs = INPUTS,
                                   .panels = PANELS,
                                   .a = a,
                                   .w = w,
                                   .y = y,
                                   .activation = BNRE__IDENTITY};
    const double start = now();

    for (int i = 0; i < TIMES; i++)
        kernels->product(&product, 0, ROWS);
    return 2.0 * ROWS * INPUTS * 16 * TIMES / (now() - start);
}

static double step_operations(const bnre_net *net)
{
    /* Forward, to inputs and to weights, of 256 pairs. */
    return 3 * 2.0 * 2 * BATCH * (double)bnre_net_weights(net);
}

struct bench {
    bnre_net *net;
    bnre__mlp *mlp;
    float *phi, *theta, *logits;
    uint32_t *index;
};

static void make(struct bench *b, size_t observations, size_t pairs, int train,
                 bnre_pool *pool)
{
    const size_t shape[] = {8};
    const bnre_net_input input = {2, 1, shape};
    const bnre__mlp_opts opts = {.observations = observations,
                                 .pairs = pairs,
                                 .train = train,
                                 .pool = pool};
    bnre_rng rng = bnre_rng_stream(1, 0, 0);
    bnre_node *settings = NULL;
    float *w;

    if (bnre_net_paper("slcp", &settings) != BNRE_OK ||
        bnre_net_create(settings, &input, &b->net) != BNRE_OK ||
        bnre__mlp_create(b->net, &opts, &b->mlp) != BNRE_OK) {
        fprintf(stderr, "%s\n", bnre_error_message());
        exit(1);
    }
    bnre_node_destroy(settings);
    w = calloc(bnre_net_weights(b->net), sizeof *w);
    bnre_net_init(b->net, &rng, w, NULL);
    bnre__mlp_set(b->mlp, BNRE__MLP_WEIGHTS, w);
    free(w);
    b->phi = calloc(observations * 8, sizeof *b->phi);
    b->theta = calloc(pairs * 2, sizeof *b->theta);
    b->logits = calloc(pairs, sizeof *b->logits);
    b->index = calloc(pairs, sizeof *b->index);
    for (size_t i = 0; i < observations * 8; i++)
        b->phi[i] = (float)bnre_rng_normal(&rng);
    for (size_t i = 0; i < pairs; i++) {
        b->theta[2 * i] = (float)bnre_rng_normal(&rng);
        b->theta[2 * i + 1] = (float)bnre_rng_normal(&rng);
        b->index[i] = (uint32_t)bnre_rng_below(&rng, observations);
    }
}

static void clear(struct bench *b)
{
    free(b->index);
    free(b->logits);
    free(b->theta);
    free(b->phi);
    bnre__mlp_destroy(b->mlp);
    bnre_net_destroy(b->net);
}

static double time_step(struct bench *b)
{
    const bnre_adam adam = bnre_adam_default();
    const double start = now();
    enum { STEPS = 20 };

    for (uint64_t t = 1; t <= STEPS; t++) {
        bnre__mlp_observe(b->mlp, BATCH, b->phi);
        bnre__mlp_forward(b->mlp, 2 * BATCH, b->theta, b->index, b->logits);
        for (size_t i = 0; i < 2 * BATCH; i++)
            b->logits[i] *= 1e-3f;
        bnre__mlp_backward(b->mlp, b->logits, NULL, NULL);
        bnre__mlp_update(b->mlp, &adam, t);
    }
    return (now() - start) / STEPS;
}

/* One observation, 8100 nodes in blocks that stay in cache. */
static double time_grid(struct bench *b)
{
    const double start = now();
    enum { BLOCK = 540, TIMES = 3 };

    for (int k = 0; k < TIMES; k++) {
        bnre__mlp_observe(b->mlp, 1, b->phi);
        for (size_t i = 0; i < GRID; i += BLOCK)
            bnre__mlp_forward(b->mlp, BLOCK, b->theta, b->index, b->logits);
    }
    return (now() - start) / TIMES;
}

int main(void)
{
    for (size_t threads = 1; threads <= 2; threads++) {
        double best[TURNS], step[TURNS], grid[TURNS], limit;
        bnre_pool *pool = NULL;
        struct bench train = {0}, evaluate = {0};

        if (bnre_pool_create(threads, &pool) != BNRE_OK)
            return 1;
        make(&train, BATCH, 2 * BATCH, 1, pool);
        make(&evaluate, 1, 540, 0, pool);
        for (int turn = 0; turn < TURNS; turn++) {
            best[turn] = peak(bnre__kernels_best());
            step[turn] = time_step(&train);
            grid[turn] = time_grid(&evaluate);
        }
        limit = median(best) * (double)threads;
        printf("%s, %zu thread%s: limit %.0f GFLOP/s\n",
               bnre__kernels_best()->name, threads, threads == 1 ? "" : "s",
               limit * 1e-9);
        printf("  MLP 6x256 training step     %7.2f ms  %8.0f simulations/s  "
               "%3.0f %% of the limit\n",
               1e3 * median(step), BATCH / median(step),
               100 * step_operations(train.net) / median(step) / limit);
        printf("  MLP 6x256 posterior, 90x90  %7.2f ms  %8.0f nodes/s        "
               "%3.0f %% of the limit\n",
               1e3 * median(grid), GRID / median(grid),
               100 * 2.0 * GRID * (double)bnre_net_weights(evaluate.net) /
                   median(grid) / limit);
        clear(&evaluate);
        clear(&train);
        bnre_pool_destroy(pool);
    }
    return 0;
}
