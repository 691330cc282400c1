/* bench_resnet.c - where the time of the reference network on pictures of 3 x
   50 x 50 goes: a training step with 128 simulations, its forward part,
   evaluation of a batch, and phi of one picture. Called as `bench_resnet [TURNS
   [THREADS]]`. */
#include "bench.h"
#include "nn/net.h"
#include "nn/plan.h"
#include "peak.h"

enum { BATCH = 128, X = 3 * 50 * 50, MOST_TURNS = 99 };

struct bench {
    bnre__net *net;
    bnre__plan *plan;
    float *w, *buffers, *x, *theta;
    float joint[BATCH], marginal[BATCH];
    uint32_t index[BATCH];
};

/* Seconds of each turn. */
struct times {
    double peak[MOST_TURNS]; /* operations per second */
    double forward[MOST_TURNS], step[MOST_TURNS];
    double evaluation[MOST_TURNS], picture[MOST_TURNS];
};

static void make(struct bench *b, bnre_pool *pool)
{
    const size_t shape[] = {3, 50, 50};
    const bnre__net_input input = {.dim_theta = 2, .ndim = 3, .shape = shape};
    const bnre__plan_opts opts = {.batch = BATCH, .train = 1, .pool = pool};
    bnre_rng rng = bnre_rng_stream(1, 0, 0);
    bnre_node *settings = NULL;

    bench_check(bnre__net_paper("spatial_sir", &settings));
    bench_check(bnre__net_create(settings, &input, &b->net));
    bench_check(bnre__plan_create(b->net, &opts, &b->plan));
    bnre_node_destroy(settings);
    b->w = calloc(bnre__net_weights(b->net), sizeof *b->w);
    b->buffers = calloc(bnre__net_buffers(b->net), sizeof *b->buffers);
    b->x = calloc((size_t)BATCH * X, sizeof *b->x);
    b->theta = calloc((size_t)BATCH * 2, sizeof *b->theta);
    bnre__net_init(b->net, &rng, b->w, b->buffers);
    bnre__plan_set(b->plan, b->w, b->buffers);
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
    free(b->theta);
    free(b->x);
    free(b->buffers);
    free(b->w);
    bnre__plan_destroy(b->plan);
    bnre__net_destroy(b->net);
}

static void turn(struct bench *b, size_t i, struct times *times)
{
    const bnre__minibatch pairs = {BATCH, b->theta, b->x, b->theta, b->index};
    const bnre__adam adam = bnre__adam_default();
    double start = bench_now();

    times->peak[i] = bench_reach_peak() / (bench_now() - start);
    start = bench_now();
    bnre__plan_train_forward(b->plan, &pairs, b->joint, b->marginal);
    times->forward[i] = bench_now() - start;
    for (size_t k = 0; k < BATCH; k++) {
        b->joint[k] *= 1e-3f;
        b->marginal[k] *= 1e-3f;
    }
    bnre__plan_update(b->plan, b->joint, b->marginal, &adam);
    times->step[i] = bench_now() - start;
    start = bench_now();
    bnre__plan_pairs(b->plan, &pairs, b->joint, b->marginal);
    times->evaluation[i] = bench_now() - start;
    start = bench_now();
    bnre__plan_observe(b->plan, b->x);
    times->picture[i] = bench_now() - start;
}

static void tell(const char *what, size_t threads, size_t turns, double *value)
{
    const double median = 1e3 * bench_median(turns, value);

    printf("  %-22s %8.1f ms  (least %.1f)\n", what, median, 1e3 * value[0]);
    bench_row("ms", median, "ResNet-18, %s, %zu threads", what, threads);
}

int main(int argc, char **argv)
{
    static struct times times;
    const int wish = argc > 1 ? atoi(argv[1]) : 9;
    const size_t turns = wish < 1            ? 1
                         : wish > MOST_TURNS ? MOST_TURNS
                                             : (size_t)wish;
    const size_t most = argc > 2 ? (size_t)atoi(argv[2]) : 2;

    for (size_t threads = 1; threads <= most; threads++) {
        struct bench b = {0};
        bnre_pool *pool = NULL;

        bench_check(bnre_pool_create(threads, &pool));
        make(&b, pool);
        for (size_t i = 0; i < turns; i++)
            turn(&b, i, &times);
        printf("%s, %zu thread%s, peak of one %.0f GFLOP/s\n",
               bnre_kernels_name(), threads, threads == 1 ? "" : "s",
               1e-9 * bench_median(turns, times.peak));
        tell("training step", threads, turns, times.step);
        tell("its forward part", threads, turns, times.forward);
        tell("evaluation of 128", threads, turns, times.evaluation);
        tell("phi of one picture", threads, turns, times.picture);
        clear(&b);
        bnre_pool_destroy(pool);
    }
    return 0;
}
