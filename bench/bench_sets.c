/* bench_sets.c - the sets of kernels that this processor has, beside each other:
   training steps of small and large networks on one core, in turns, by
   processor time.

   "of peak" counts the operations that the result needs; the peak, multiply-adds
   on registers in the longest vectors there are, is measured in the turns, too. */
#include <string.h>

#include "bench.h"
#include "bnre/settings.h"
#include "infer/train/loss.h"
#include "nn/net.h"
#include "nn/operations.h"
#include "nn/plan.h"
#include "peak.h"

enum { DIM = 2, ROUNDS = 11, SETS = 8, BATCH = 128 };

static const struct {
    const char *name;
    const char *yaml; /* or NULL: the reference's network of the task `name` */
    size_t batch, ndim, shape[3];
} cases[] = {
    {"6 x 256 selu",
     "head: {hidden: [256, 256, 256, 256, 256, 256], activation: selu}",
     BATCH,
     1,
     {8}},
    {"3 x 64 elu", "head: {hidden: [64, 64, 64]}", BATCH, 1, {8}},
    {"3 x 64 elu", "head: {hidden: [64, 64, 64]}", 64, 1, {8}},
    {"3 x 64 relu",
     "head: {hidden: [64, 64, 64], activation: relu}",
     64,
     1,
     {8}},
    {"3 x 64 selu",
     "head: {hidden: [64, 64, 64], activation: selu}",
     64,
     1,
     {8}},
    {"3 x 64 tanh",
     "head: {hidden: [64, 64, 64], activation: tanh}",
     64,
     1,
     {8}},
    {"3 x 64 gelu",
     "head: {hidden: [64, 64, 64], activation: gelu}",
     64,
     1,
     {8}},
    {"lotka_volterra", NULL, BATCH, 2, {1001, 2}},
    {"gw", NULL, BATCH, 2, {2, 8192}},
    {"spatial_sir", NULL, BATCH, 3, {3, 50, 50}},
    {"linear embedding",
     "embedding: [linear: {width: 256}, selu, linear: {width: 256}, selu, "
     "linear: {width: 256}, selu]\nhead: {hidden: [32], activation: selu}",
     BATCH,
     1,
     {64}},
};

struct model {
    bnre__net *net;
    bnre__plan *plan[SETS];
    size_t n;
    float *theta, *x;
    double operations; /* of a step */
};

static double processor_time(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static float *random_floats(size_t n)
{
    bnre_rng rng = bnre_rng_stream(1, 0, n);
    float *p = calloc(n, sizeof *p);

    for (size_t i = 0; p != NULL && i < n; i++)
        p[i] = (float)bnre_rng_normal(&rng);
    return p;
}

/* Plans take their kernels from the environment. */
static const bnre__kernels *use(size_t set)
{
    const bnre__kernels *kernels = bnre__kernels_set(set);

    if (kernels != NULL)
        setenv("BNRE_KERNELS", kernels->name, 1);
    return kernels;
}

static void make(struct model *m, size_t c)
{
    const bnre__net_input input = {
        .dim_theta = DIM, .ndim = cases[c].ndim, .shape = cases[c].shape};
    const bnre__plan_opts opts = {.batch = cases[c].batch, .train = 1};
    bnre_rng rng = bnre_rng_stream(1, 0, 0);
    bnre_node *settings = NULL;
    float *w, *buffers;

    bench_check(cases[c].yaml == NULL
                    ? bnre__net_paper(cases[c].name, &settings)
                    : bnre_yaml_parse(cases[c].yaml, NULL, &settings));
    bench_check(bnre__net_create(settings, &input, &m->net));
    bnre_node_destroy(settings);
    m->n = opts.batch;
    m->theta = random_floats(2 * m->n * DIM);
    m->x = random_floats(m->n * m->net->x.size);
    m->operations = 2 * (double)m->n * bnre__net_work(m->net).step;
    w = calloc(bnre__net_weights(m->net), sizeof *w);
    buffers = calloc(bnre__net_buffers(m->net) + 1, sizeof *buffers);
    bnre__net_init(m->net, &rng, w, buffers);
    for (size_t s = 1; s < SETS && use(s) != NULL; s++) {
        bench_check(bnre__plan_create(m->net, &opts, &m->plan[s]));
        bnre__plan_set(m->plan[s], w, buffers);
    }
    free(buffers);
    free(w);
}

static void clear(struct model *m)
{
    for (size_t s = 1; s < SETS; s++)
        bnre__plan_destroy(m->plan[s]);
    free(m->x);
    free(m->theta);
    bnre__net_destroy(m->net);
}

/* Seconds of one step, from `times`. */
static double steps(struct model *m, size_t set, size_t times)
{
    const bnre__adam adam = bnre__adam_default();
    const bnre__minibatch pairs = {m->n, m->theta, m->x, m->theta + m->n * DIM,
                                   NULL};
    float joint[BATCH], marginal[BATCH], dj[BATCH], dm[BATCH];
    const double start = processor_time();

    (void)use(set);
    for (size_t i = 0; i < times; i++) {
        bnre__plan_train_forward(m->plan[set], &pairs, joint, marginal);
        bnre__loss_balanced(100, m->n, joint, marginal, dj, dm);
        bnre__plan_update(m->plan[set], dj, dm, &adam);
    }
    return (processor_time() - start) / (double)times;
}

static double peak(void)
{
    const double start = processor_time(), operations = bench_reach_peak();

    return operations / (processor_time() - start);
}

static void measure(size_t c, size_t base)
{
    static double seconds[SETS][ROUNDS], ratio[ROUNDS], part[ROUNDS];
    struct model m = {0};
    const bnre__kernels *set;
    double peaks[ROUNDS];
    size_t times;

    make(&m, c);
    (void)steps(&m, base, 1); /* the first takes longer */
    times = 1 + (size_t)(0.04 / steps(&m, base, 1));
    for (int r = 0; r < ROUNDS; r++) {
        peaks[r] = peak();
        for (size_t s = 1; bnre__kernels_set(s) != NULL; s++)
            seconds[s][r] = steps(&m, s, times);
    }
    for (size_t s = 1; (set = bnre__kernels_set(s)) != NULL; s++) {
        for (int r = 0; r < ROUNDS; r++) {
            ratio[r] = seconds[base][r] / seconds[s][r];
            part[r] = m.operations / seconds[s][r] / peaks[r];
        }
        printf("| %-16s | %5zu | %-8s | %9.3f ms | %5.2f | %4.0f %% |\n",
               cases[c].name, m.n, set->name, 1e3 * seconds[s][ROUNDS / 2],
               bench_median(ROUNDS, ratio), 100 * bench_median(ROUNDS, part));
        fflush(stdout);
        bench_row("ms", 1e3 * seconds[s][ROUNDS / 2], "step of %s, %zu, %s",
                  cases[c].name, m.n, set->name);
    }
    clear(&m);
}

/* All cases, or those with the numbers given. */
int main(int argc, char **argv)
{
    const bnre__kernels *set;
    size_t base = 1;

    for (size_t s = 1; (set = bnre__kernels_set(s)) != NULL; s++)
        if (strcmp(set->name, "avx2") == 0)
            base = s;
    printf("| network | simulations | kernels | step | times as fast as %s | "
           "of peak |\n|---|---|---|---|---|---|\n",
           bnre__kernels_set(base)->name);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int wanted = argc < 2;

        for (int i = 1; i < argc; i++)
            wanted |= strtoul(argv[i], NULL, 10) == c;
        if (wanted)
            measure(c, base);
    }
    return 0;
}
