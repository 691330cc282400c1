/* bench_resnet.c - speed of the reference network on pictures of 3 x 50 x 50: a
   training step with 128 simulations, and phi of a batch and of one picture,
   beside what the fused multiply-adds of the machine allow. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bnre/net.h"
#include "num/kernels.h"

enum { BATCH = 128, X = 3 * 50 * 50 };

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

static double median(size_t n, double *values)
{
    qsort(values, n, sizeof *values, compare);
    return values[n / 2];
}

/* A product that stays in the first cache, in operations per second. */
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

struct bench {
    bnre_net *net;
    bnre_plan *plan;
    float *w, *buffers, *x, *theta, *joint, *marginal;
    uint32_t index[BATCH];
};

static void check(bnre_status status)
{
    if (status == BNRE_OK)
        return;
    fprintf(stderr, "%s\n", bnre_error_message());
    exit(1);
}

static void make(struct bench *b, bnre_pool *pool)
{
    const size_t shape[] = {3, 50, 50};
    const bnre_net_input input = {2, 3, shape};
    const bnre_plan_opts opts = {.batch = BATCH, .train = 1, .pool = pool};
    bnre_rng rng = bnre_rng_stream(1, 0, 0);
    bnre_node *settings = NULL;

    check(bnre_net_paper("spatial_sir", &settings));
    check(bnre_net_create(settings, &input, &b->net));
    check(bnre_plan_create(b->net, &opts, &b->plan));
    bnre_node_destroy(settings);
    b->w = calloc(bnre_net_weights(b->net), sizeof *b->w);
    b->buffers = calloc(bnre_net_buffers(b->net), sizeof *b->buffers);
    b->x = calloc((size_t)BATCH * X, sizeof *b->x);
    b->theta = calloc((size_t)BATCH * 2, sizeof *b->theta);
    b->joint = calloc(BATCH, sizeof *b->joint);
    b->marginal = calloc(BATCH, sizeof *b->marginal);
    bnre_net_init(b->net, &rng, b->w, b->buffers);
    bnre_plan_set(b->plan, b->w, b->buffers);
    /* Each cell is in one of three states. */
    for (size_t i = 0; i < BATCH; i++)
        for (size_t p = 0; p < X / 3; p++)
            b->x[i * X + bnre_rng_below(&rng, 3) * (X / 3) + p] = 1;
    for (size_t i = 0; i < (size_t)BATCH * 2; i++)
        b->theta[i] = (float)bnre_rng_uniform(&rng);
    for (uint32_t i = 0; i < BATCH; i++)
        b->index[i] = (i + 1) % BATCH;
}

static void clear(struct bench *b)
{
    free(b->marginal);
    free(b->joint);
    free(b->theta);
    free(b->x);
    free(b->buffers);
    free(b->w);
    bnre_plan_destroy(b->plan);
    bnre_net_destroy(b->net);
}

int main(int argc, char **argv)
{
    const size_t turns = argc > 1 ? (size_t)atoi(argv[1]) : 5;
    const size_t threads_to = argc > 2 ? (size_t)atoi(argv[2]) : 2;
    const bnre_adam adam = {
        .learning_rate = 1e-4, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
    double *best = calloc(turns, sizeof *best);
    double *forward = calloc(turns, sizeof *forward);
    double *step = calloc(turns, sizeof *step);
    double *evaluate = calloc(turns, sizeof *evaluate);
    double *single = calloc(turns, sizeof *single);

    for (size_t threads = 1; threads <= threads_to; threads++) {
        struct bench b = {0};
        bnre_pool *pool = NULL;
        bnre_pairs pairs;

        check(bnre_pool_create(threads, &pool));
        make(&b, pool);
        pairs = (bnre_pairs){BATCH, b.theta, b.x, b.theta, b.index};
        for (size_t i = 0; i < turns; i++) {
            double t[5];

            best[i] = peak(bnre__kernels_best()) * (double)threads;
            t[0] = now();
            bnre_plan_train_forward(b.plan, &pairs, b.joint, b.marginal);
            t[1] = now();
            for (size_t k = 0; k < BATCH; k++) {
                b.joint[k] *= 1e-3f;
                b.marginal[k] *= 1e-3f;
            }
            bnre_plan_update(b.plan, b.joint, b.marginal, &adam);
            t[2] = now();
            bnre_plan_pairs(b.plan, &pairs, b.joint, b.marginal);
            t[3] = now();
            bnre_plan_observe(b.plan, b.x);
            t[4] = now();
            forward[i] = t[1] - t[0];
            step[i] = t[2] - t[0];
            evaluate[i] = t[3] - t[2];
            single[i] = t[4] - t[3];
        }
        printf("%s, %zu thread%s: limit %.0f GFLOP/s\n", bnre_kernels_name(),
               threads, threads == 1 ? "" : "s", 1e-9 * median(turns, best));
        printf("  ResNet-18 training step  %7.1f ms  %6.0f simulations/s  "
               "(least %.1f ms, forward %.1f ms)\n",
               1e3 * median(turns, step), BATCH / median(turns, step),
               1e3 * step[0], 1e3 * median(turns, forward));
        printf("  evaluation of a batch    %7.1f ms  %6.0f simulations/s\n",
               1e3 * median(turns, evaluate), BATCH / median(turns, evaluate));
        printf("  phi of one picture       %7.1f ms\n",
               1e3 * median(turns, single));
        clear(&b);
        bnre_pool_destroy(pool);
    }
    free(single);
    free(evaluate);
    free(step);
    free(forward);
    free(best);
    return 0;
}
