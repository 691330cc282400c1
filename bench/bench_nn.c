/* bench_nn.c - the networks of the reference experiments, timed on demand.

   Called as `bench_nn THREADS`. For each line `CASE TIMES` on stdin it prints
   the seconds of one repetition and the operations that it needs (two for each
   multiply-add of nn/operations.h):

     step/TASK     a training step of 128 simulations with the balanced loss
     nre/TASK      the same without balance
     models/TASK   a step of THREADS models at once, one on each thread
     grid/TASK     log ratios on 90 x 90 nodes for one observation
     peak          fused multiply-adds on registers, in all threads

   compare.py starts it, takes turns with PyTorch, and makes the table. */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "infer/train/loss.h"
#include "nn/net.h"
#include "nn/operations.h"
#include "nn/plan.h"
#include "peak.h"

enum { BATCH = 128, AXIS = 90, NODES = AXIS * AXIS, DIM = 2, MODELS = 64 };

static const struct {
    const char *name;
    size_t ndim, shape[3];
} tasks[] = {
    {"slcp", 1, {8}},
    {"lotka_volterra", 2, {1001, 2}},
    {"gw", 2, {2, 8192}},
    {"spatial_sir", 3, {3, 50, 50}},
};

static float *random_floats(size_t n, bnre_rng *rng)
{
    float *p = calloc(n, sizeof *p);

    for (size_t i = 0; p != NULL && i < n; i++)
        p[i] = (float)bnre_rng_normal(rng);
    return p;
}

/* ---- one network ---- */

struct bench {
    bnre__net *net;
    bnre__plan *plan;
    float *w, *buffers, *theta, *x, *logits;
    uint32_t index[BATCH];
};

static void make_net(struct bench *b, const char *task, bnre_rng *rng)
{
    bnre_node *settings = NULL;

    for (size_t t = 0; t < sizeof tasks / sizeof *tasks; t++) {
        const bnre__net_input input = {
            .dim_theta = DIM, .ndim = tasks[t].ndim, .shape = tasks[t].shape};

        if (strcmp(task, tasks[t].name) != 0)
            continue;
        bench_check(bnre__net_paper(task, &settings));
        bench_check(bnre__net_create(settings, &input, &b->net));
        bnre_node_destroy(settings);
        b->w = calloc(bnre__net_weights(b->net), sizeof *b->w);
        b->buffers = calloc(bnre__net_buffers(b->net) + 1, sizeof *b->w);
        bnre__net_init(b->net, rng, b->w, b->buffers);
        return;
    }
    fprintf(stderr, "bench_nn: unknown task %s\n", task);
    exit(1);
}

static void make(struct bench *b, const char *task, int train, bnre_pool *pool)
{
    /* A block of 2 x 270 nodes stays in the second cache. */
    const bnre__plan_opts opts = {
        .batch = train ? BATCH : 270, .train = train, .pool = pool};
    bnre_rng rng = bnre_rng_stream(1, 0, 0);

    make_net(b, task, &rng);
    bench_check(bnre__plan_create(b->net, &opts, &b->plan));
    bnre__plan_set(b->plan, b->w, b->buffers);
    b->theta = random_floats((train ? 2 * BATCH : NODES) * DIM, &rng);
    b->x = random_floats((train ? BATCH : 1) * b->net->x.size, &rng);
    b->logits = calloc(NODES, sizeof *b->logits);
    for (size_t i = 0; i < BATCH; i++)
        b->index[i] = (uint32_t)((i * 37 + 11) % BATCH);
}

static void clear(struct bench *b)
{
    free(b->logits);
    free(b->x);
    free(b->theta);
    free(b->buffers);
    free(b->w);
    bnre__plan_destroy(b->plan);
    bnre__net_destroy(b->net);
    *b = (struct bench){0};
}

static void step(struct bench *b, double lambda)
{
    const bnre__adam adam = bnre__adam_default();
    const bnre__minibatch pairs = {BATCH, b->theta, b->x,
                                   b->theta + BATCH * DIM, b->index};
    float joint[BATCH], marginal[BATCH], dj[BATCH], dm[BATCH];

    bnre__plan_train_forward(b->plan, &pairs, joint, marginal);
    bnre__loss_balanced(lambda, BATCH, joint, marginal, dj, dm);
    bnre__plan_update(b->plan, dj, dm, &adam);
}

/* Log ratios of all nodes, then weights that add up to 1. */
static void grid(struct bench *b)
{
    double largest = -INFINITY, sum = 0;

    bnre__plan_observe(b->plan, b->x);
    bnre__plan_logits(b->plan, NODES, b->theta, b->logits);
    for (size_t i = 0; i < NODES; i++)
        largest = fmax(largest, (double)b->logits[i]);
    for (size_t i = 0; i < NODES; i++) {
        const double weight = exp((double)b->logits[i] - largest);

        b->logits[i] = (float)weight;
        sum += weight;
    }
    for (size_t i = 0; i < NODES; i++)
        b->logits[i] = (float)((double)b->logits[i] / sum);
}

/* ---- the cases ---- */

struct state {
    bnre_pool *pool;
    size_t threads;
    char kind[16];
    char made_for[64];          /* the models that are there */
    size_t models;              /* more than one for models/ only */
    struct bench model[MODELS]; /* each in a thread of its own */
    size_t times;
    double operations[MODELS]; /* of peak, by thread */
};

static bnre_status run_models(void *arg, size_t worker, size_t first,
                              size_t last)
{
    struct state *s = arg;

    (void)worker;
    for (size_t i = first; i < last; i++)
        for (size_t k = 0; k < s->times; k++)
            if (strcmp(s->kind, "grid") == 0)
                grid(&s->model[i]);
            else
                step(&s->model[i], strcmp(s->kind, "nre") == 0 ? 0 : 100);
    return BNRE_OK;
}

static bnre_status run_peak(void *arg, size_t worker, size_t first, size_t last)
{
    struct state *s = arg;

    (void)worker;
    for (size_t i = first; i < last; i++)
        for (size_t k = 0; k < s->times; k++)
            s->operations[i] = bench_reach_peak();
    return BNRE_OK;
}

static void clear_models(struct state *s)
{
    for (size_t i = 0; i < s->models; i++)
        clear(&s->model[i]);
    s->models = 0;
}

/* Unless those of the last time will do. */
static void make_models(struct state *s, const char *task)
{
    const int train = strcmp(s->kind, "grid") != 0;
    const size_t n = strcmp(s->kind, "models") == 0 ? s->threads : 1;
    char wanted[sizeof s->made_for];

    snprintf(wanted, sizeof wanted, "%zu %d %s", n, train, task);
    if (strcmp(wanted, s->made_for) == 0)
        return;
    clear_models(s);
    memcpy(s->made_for, wanted, sizeof wanted);
    for (; s->models < n; s->models++)
        make(&s->model[s->models], task, train, n > 1 ? NULL : s->pool);
    s->times = 1; /* the first takes longer */
    bench_check(bnre_pool_for(s->pool, n, 1, run_models, s));
}

static double time_models(struct state *s, double *operations)
{
    const bnre__work work = bnre__net_work(s->model[0].net);
    const double start = bench_now();

    bench_check(bnre_pool_for(s->pool, s->models, 1, run_models, s));
    *operations = 2 * (double)s->models *
                  (strcmp(s->kind, "grid") == 0 ? work.x + NODES * work.theta
                                                : BATCH * work.step);
    return bench_now() - start;
}

static double time_peak(struct state *s, double *operations)
{
    const double start = bench_now();

    bench_check(bnre_pool_for(s->pool, s->threads, 1, run_peak, s));
    *operations = 0;
    for (size_t i = 0; i < s->threads; i++)
        *operations += s->operations[i];
    return bench_now() - start;
}

static int answer(struct state *s, const char *line)
{
    char task[32];
    double seconds, operations;

    if (sscanf(line, "peak %zu", &s->times) == 1) {
        seconds = time_peak(s, &operations);
    } else {
        size_t times;

        if (sscanf(line, "%15[a-z]/%31s %zu", s->kind, task, &times) != 3)
            return 2;
        make_models(s, task);
        s->times = times;
        seconds = time_models(s, &operations);
    }
    printf("%.9g %.9g\n", seconds / (double)s->times, operations);
    fflush(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    static struct state state;
    char line[128];
    int result = 0;

    state.threads = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    if (state.threads < 1 || state.threads > MODELS) {
        fprintf(stderr, "usage: bench_nn THREADS, up to %d\n", MODELS);
        return 2;
    }
    bench_check(bnre_pool_create(state.threads, &state.pool));
    printf("bnre, %s kernels, %zu thread%s\n", bnre_kernels_name(),
           state.threads, state.threads == 1 ? "" : "s");
    fflush(stdout);
    while (result == 0 && fgets(line, sizeof line, stdin) != NULL)
        result = answer(&state, line);
    clear_models(&state);
    bnre_pool_destroy(state.pool);
    return result;
}
