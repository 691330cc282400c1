/* bench_train.c - what training costs beside the network: loading, shuffling,
   pairs, the loss; in processor time of one thread. Then a whole training, of
   slcp with the recipe of the paper, against what its steps and forward passes
   would take alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "bnre/dataset.h"
#include "bnre/settings.h"
#include "infer/train/loss.h"
#include "infer/train/step.h"
#include "nn/net.h"
#include "nn/plan.h"

enum { ROWS = 8192, BATCH = 128, TURNS = 5 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct bench {
    bnre__net *net;
    bnre__subset *subset;
    bnre__scaler theta, x;
    bnre__trainer trainer;
};

static void make(struct bench *b, const char *name, const char *path,
                 bnre_train_opts *opts, bnre__train_inputs *inputs)
{
    bnre_simulate_opts simulate = bnre_simulate_opts_default();
    bnre_node *settings = NULL;
    bnre_task *task;
    bnre__net_input input = {0};

    simulate.count = ROWS;
    simulate.force = 1;
    bench_check(bnre_task_open(name, 0, NULL, &task));
    bench_check(bnre_simulate(task, &simulate, path, NULL));
    bench_check(bnre__subset_open(path, &(bnre__subset_opts){0}, &b->subset));
    bench_check(bnre__subset_keep(b->subset));
    input.dim_theta = b->subset->info->dim_theta;
    input.shape = bnre_task_observable(task, &input.ndim);
    if (strcmp(name, "gaussian") == 0) /* small, so that all else matters */
        bench_check(bnre_yaml_parse(
            "head: {hidden: [64, 64, 64], activation: selu}", NULL, &settings));
    else
        bench_check(bnre__net_paper(name, &settings));
    bench_check(bnre__net_create(settings, &input, &b->net));
    bnre_node_destroy(settings);
    bnre_task_destroy(task);
    bench_check(bnre__scaler_fit_f64(
        &b->theta,
        &(bnre__scaler_spec){
            .by = BNRE__SCALE_ELEMENT, .ndim = 1, .shape = &input.dim_theta},
        1024, b->subset->theta));
    bench_check(bnre__scaler_fit_f32(
        &b->x,
        &(bnre__scaler_spec){.by = BNRE__SCALE_ELEMENT,
                             .ndim = b->subset->info->ndim,
                             .shape = b->subset->info->shape},
        1024, b->subset->x));
    bench_check(bnre__subset_scale(b->subset, &b->theta, &b->x));
    *inputs = (bnre__train_inputs){.net = b->net,
                                   .theta = &b->theta,
                                   .x = &b->x,
                                   .train = b->subset,
                                   .validation = b->subset};
    *opts = bnre_train_opts_default();
    opts->method = BNRE_METHOD_BNRE;
    opts->lambda = 100;
    opts->batch_size = BATCH;
    opts->epochs = 500;
    opts->learning_rate = 1e-4;
    opts->pairing = BNRE_PAIRING_DERANGEMENT;
    b->trainer = (bnre__trainer){.opts = opts, .inputs = inputs, .seed = 1};
    bench_check(bnre__trainer_init(&b->trainer, NULL));
    b->trainer.state.epoch = 1;
    b->trainer.state.schedule.rate = 1e-4;
}

static void clear(struct bench *b)
{
    bnre__trainer_clear(&b->trainer);
    bnre__scaler_clear(&b->x);
    bnre__scaler_clear(&b->theta);
    bnre__subset_close(b->subset);
    bnre__net_destroy(b->net);
}

static void start(struct bench *b)
{
    float *w = calloc(bnre__net_weights(b->net) + 1, sizeof *w);
    float *buffers = calloc(bnre__net_buffers(b->net) + 1, sizeof *buffers);
    bnre_rng rng = bnre_rng_stream(1, 0, 0);

    bnre__net_init(b->net, &rng, w, buffers);
    bnre__plan_set(b->trainer.plan, w, buffers);
    free(buffers);
    free(w);
}

/* Seconds per batch of a whole pass. */
static double whole(struct bench *b, int pass)
{
    bnre__loader *loader = b->trainer.loader[pass];
    bnre__batch_rows rows;
    double begin = now();
    size_t n = 0;

    b->trainer.state.pass = (uint64_t)pass;
    b->trainer.state.batch = 0;
    bench_check(bnre__loader_begin(loader, 1));
    for (;; n++) {
        bench_check(bnre__loader_next(loader, &rows));
        if (rows.n == 0)
            break;
        bench_check(bnre__trainer_batch(&b->trainer, &rows));
    }
    return (now() - begin) / (double)n;
}

/* Seconds per batch of all but the network: the same pass with logits that cost
   nothing. */
static double beside(struct bench *b, int pass)
{
    enum { SHIFTS = 7 };
    static float a[BATCH], c[SHIFTS * BATCH], d[BATCH], e[BATCH],
        theta[64 * BATCH];
    static const size_t shift[SHIFTS] = {1, 2, 3, 4, 5, 6, 7};
    static double room[4 * BATCH];
    bnre__pairing *pairing = &b->trainer.pairing[pass];
    bnre__loader *loader = b->trainer.loader[pass];
    bnre__set_sums sums = {0};
    bnre__batch_rows rows;
    double begin = now();
    size_t n = 0;

    bench_check(bnre__loader_begin(loader, 1));
    for (;; n++) {
        bnre_rng rng = bnre_rng_stream(1, 0, n);

        bench_check(bnre__loader_next(loader, &rows));
        if (rows.n == 0)
            break;
        bench_check(bnre__pairing_draw(pairing, &rng, rows.n, 0));
        for (size_t s = 0; s < (pass == BNRE__PASS_TRAIN ? 1 : SHIFTS); s++)
            bnre__pairing_gather(pairing, b->subset->info->dim_theta,
                                 rows.theta, shift[s], theta);
        for (size_t i = 0; i < rows.n; i++)
            a[i] = c[i] = rows.theta[i];
        if (pass == BNRE__PASS_TRAIN)
            bnre__loss_balanced(100, rows.n, a, c, d, e);
        else
            bnre__set_add_shifts(&sums, pairing, rows.n, a, SHIFTS, shift, c,
                                 room);
    }
    return (now() - begin) / (double)n;
}

/* ---- a whole training ---- */

/* Epochs that are measured, and of the recipe: from a short and a long run
   follow the cost of an epoch and of all that is done once. */
enum { SHORT = 1, LONG = 6, PAPER = 500, RUNS = 3, CALLS = 64 };

struct kernels {
    double step, forward; /* seconds for a batch of 128 */
};

/* The network alone: the same batch again and again. */
static struct kernels time_kernels(struct bench *b)
{
    const bnre__adam adam = bnre__adam_default();
    static float joint[BATCH], marginal[BATCH], dj[BATCH], dm[BATCH];
    static uint32_t index[BATCH];
    const bnre__minibatch pairs = {BATCH, b->subset->scaled_theta, b->subset->x,
                                   b->subset->scaled_theta + 2 * BATCH, index};
    struct kernels out;
    double begin;

    for (uint32_t i = 0; i < BATCH; i++)
        index[i] = (i * 37 + 11) % BATCH;
    begin = now();
    for (int k = 0; k < CALLS; k++) {
        bnre__plan_train_forward(b->trainer.plan, &pairs, joint, marginal);
        bnre__loss_balanced(100, BATCH, joint, marginal, dj, dm);
        bnre__plan_update(b->trainer.plan, dj, dm, &adam);
    }
    out.step = (now() - begin) / CALLS;
    begin = now();
    for (int k = 0; k < CALLS; k++)
        bnre__plan_pairs(b->trainer.plan, &pairs, joint, marginal);
    out.forward = (now() - begin) / CALLS;
    return out;
}

static double time_training(char *const path[3], size_t epochs)
{
    bnre_train_opts opts = bnre_train_opts_default();
    const char *out = "bench_train.tmp.est.h5";
    double begin = now();

    opts.method = BNRE_METHOD_BNRE;
    opts.data = path[0];
    opts.validation = path[1];
    opts.schedule = path[2];
    opts.recipe = BNRE_RECIPE_PAPER;
    opts.epochs = epochs;
    opts.force = 1;
    bench_check(bnre_train(&opts, out, NULL));
    begin = now() - begin;
    unlink(out);
    unlink("bench_train.tmp.est.history.csv");
    return begin;
}

static void make_sets(char *const path[3])
{
    static const bnre_split split[] = {BNRE_SPLIT_TRAIN, BNRE_SPLIT_VALIDATE,
                                       BNRE_SPLIT_SCHEDULE};
    bnre_task *task;

    bench_check(bnre_task_open("slcp", 0, NULL, &task));
    for (size_t i = 0; i < 3; i++) {
        bnre_simulate_opts opts = bnre_simulate_opts_default();

        opts.count = ROWS;
        opts.split = split[i];
        opts.force = 1;
        bench_check(bnre_simulate(task, &opts, path[i], NULL));
    }
    bnre_task_destroy(task);
}

/* Kernels and trainings take turns; medians of ratios within a turn. */
static void whole_training(const char *data)
{
    static char name[3][32] = {"bench_train.tmp.t.h5", "bench_train.tmp.v.h5",
                               "bench_train.tmp.s.h5"};
    char *const path[3] = {name[0], name[1], name[2]};
    double ratio[RUNS], epoch[RUNS], total[RUNS], once[RUNS], all[RUNS];
    const size_t batches = ROWS / BATCH;
    bnre__train_inputs inputs;
    bnre_train_opts opts;
    struct bench b = {0};

    make_sets(path);
    make(&b, "slcp", data, &opts, &inputs);
    start(&b);
    time_kernels(&b);
    for (int k = 0; k < RUNS; k++) {
        const struct kernels before = time_kernels(&b);
        const double few = time_training(path, SHORT);
        const double many = time_training(path, LONG);
        const struct kernels after = time_kernels(&b);
        const double predicted =
            (double)batches *
            ((before.step + after.step) / 2 + (before.forward + after.forward));
        const double each = (many - few) / (LONG - SHORT);

        once[k] = few - SHORT * each;
        epoch[k] = predicted * PAPER;
        total[k] = once[k] + each * PAPER;
        ratio[k] = total[k] / epoch[k];
        all[k] = each / predicted;
        printf("turn %d: step %.3f ms, forward %.3f ms; an epoch %.3f s, the "
               "network alone %.3f s; once %.2f s\n",
               k + 1, 1e3 * (before.step + after.step) / 2,
               1e3 * (before.forward + after.forward) / 2, each, predicted,
               once[k]);
    }
    for (size_t i = 0; i < 3; i++)
        unlink(path[i]);
    clear(&b);
    bench_row("s", bench_median(RUNS, epoch),
              "train slcp 8192 paper, 500 epochs, predicted");
    bench_row("s", bench_median(RUNS, total),
              "train slcp 8192 paper, 500 epochs, from 1 and 6");
    bench_row("ratio", bench_median(RUNS, ratio),
              "train slcp 8192 paper, measured / predicted");
    printf("slcp, recipe paper, 8192 simulations, 500 epochs: predicted %.1f "
           "s, measured %.1f s, ratio %.3f (an epoch alone %.3f; at most "
           "%.3f is wanted)\n",
           bench_median(RUNS, epoch), bench_median(RUNS, total),
           bench_median(RUNS, ratio), bench_median(RUNS, all), 1 / 0.85);
}

int main(int argc, char **argv)
{
    static const char *const tasks[] = {"gaussian", "weinberg", "slcp",
                                        "lotka_volterra"};
    const char *path = "bench_train.tmp.h5";

    printf("%-16s %-12s %10s %10s %9s\n", "task", "pass", "in all", "all but",
           "overhead");
    printf("%-16s %-12s %10s %10s\n", "", "", "", "network");
    for (size_t t = 0; t < 4; t++)
        for (int pass = 0; pass < 2; pass++) {
            double other = 1e9, all = 1e9;
            bnre__train_inputs inputs;
            bnre_train_opts opts;
            struct bench b = {0};

            if (argc > 1 && strcmp(argv[1], tasks[t]) != 0)
                continue;
            make(&b, tasks[t], path, &opts, &inputs);
            start(&b);
            for (int k = 0; k < TURNS; k++) {
                const double x = beside(&b, pass), y = whole(&b, pass);

                other = x < other ? x : other;
                all = y < all ? y : all;
            }
            printf("%-16s %-12s %7.3f ms %7.3f ms %7.1f %%\n", tasks[t],
                   pass == 0 ? "training" : "validation", 1e3 * all,
                   1e3 * other, 100 * other / (all - other));
            clear(&b);
        }
    if (argc < 2 || strcmp(argv[1], "whole") == 0)
        whole_training(path);
    unlink(path);
    return 0;
}
