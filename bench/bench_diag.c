/* bench_diag.c - what a diagnosis costs, in processor time of one thread.

   bench_diag          seconds for 10,000 pairs of each task, from fewer pairs
   bench_diag serve    for each line `CASE TIMES` on stdin the seconds of a pair
                       of slcp; the cases are `default` (exact ranks) and
                       `paper` (the reference's 90 x 90 nodes); compare.py takes
                       turns with PyTorch */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "bnre/dataset.h"
#include "bnre/diag.h"
#include "bnre/estimator.h"
#include "bnre/train.h"

static const char TRAIN[] = "bench_diag.train.tmp.h5";
static const char TEST[] = "bench_diag.test.tmp.h5";
static const char ESTIMATOR[] = "bench_diag.estimator.tmp.h5";

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void simulate(const char *name, size_t rows, bnre_split split,
                     const char *path)
{
    bnre_simulate_opts opts = bnre_simulate_opts_default();
    bnre_task *task;

    opts.count = rows;
    opts.split = split;
    opts.force = 1;
    bench_check(bnre_task_open(name, 0, NULL, &task));
    bench_check(bnre_simulate(task, &opts, path, NULL));
    bnre_task_destroy(task);
}

struct bench {
    bnre_estimator *estimator;
    bnre_density density;
    bnre_dataset *data;
};

/* The network of the reference, trained a little, so that posteriors have a
   shape; and pairs to look at. */
static void make(struct bench *b, const char *task, size_t rows, size_t epochs,
                 size_t pairs)
{
    bnre_train_opts opts = bnre_train_opts_default();
    bnre_train_result result;

    simulate(task, rows, BNRE_SPLIT_TRAIN, TRAIN);
    simulate(task, pairs, BNRE_SPLIT_TEST, TEST);
    opts.data = (char *)TRAIN;
    opts.recipe = BNRE_RECIPE_PAPER;
    opts.method = BNRE_METHOD_NRE;
    opts.epochs = epochs;
    opts.force = 1;
    bench_check(bnre_train(&opts, ESTIMATOR, &result));
    bench_check(bnre_estimator_open(ESTIMATOR, &b->estimator));
    b->density = bnre_estimator_density(b->estimator, BNRE_ALL_MEMBERS);
    bench_check(bnre_dataset_open(TEST, &b->data));
}

static void clear(struct bench *b)
{
    bnre_dataset_close(b->data);
    bnre_estimator_close(b->estimator);
    unlink(TRAIN);
    unlink(TEST);
    unlink(ESTIMATOR);
    unlink("bench_diag.estimator.tmp.history.csv");
}

/* Seconds for a pair; evaluations of the network, unless NULL. */
static double diagnose(const struct bench *b, bnre_diag_grid grid,
                       size_t *evaluations, double *effective)
{
    bnre_diag_opts opts = bnre_diag_opts_default();
    double start = now(), spent;
    bnre_diag *diag;

    opts.grid = grid;
    bench_check(bnre_diagnose_dataset(&b->density, b->data, 1, &opts, &diag));
    spent = (now() - start) / (double)diag->n;
    if (evaluations != NULL) {
        *evaluations = diag->evaluations;
        *effective = diag->curve[0].ess_median;
    }
    bnre_diag_destroy(diag);
    return spent;
}

static void list_tasks(void)
{
    static const struct {
        const char *name;
        size_t rows, epochs, pairs;
    } task[] = {{"weinberg", 1024, 20, 100}, {"slcp", 1024, 20, 100},
                {"mg1", 1024, 20, 100},      {"lotka_volterra", 256, 1, 40},
                {"gw", 256, 1, 40},          {"spatial_sir", 192, 1, 20}};

    printf("%-16s %10s %12s %10s %12s\n", "task", "pairs", "evaluations",
           "effective", "10,000 pairs");
    for (size_t i = 0; i < sizeof task / sizeof *task; i++) {
        struct bench b;
        size_t evaluations;
        double effective, seconds;
        bnre_task *there;

        if (bnre_task_open(task[i].name, 0, NULL, &there) != BNRE_OK) {
            printf("%s\n", bnre_error_message()); /* built without FFTW */
            continue;
        }
        bnre_task_destroy(there);
        make(&b, task[i].name, task[i].rows, task[i].epochs, task[i].pairs);
        seconds = 1e4 * diagnose(&b, BNRE_DIAG_AUTO, &evaluations, &effective);
        printf("%-16s %10zu %12zu %10.0f %10.1f s\n", task[i].name,
               task[i].pairs, evaluations, effective, seconds);
        fflush(stdout);
        bench_row("s", seconds,
                  "diagnosis of 10000 pairs (%s), extrapolated from %zu",
                  task[i].name, task[i].pairs);
        clear(&b);
    }
}

static int serve(void)
{
    struct bench b;
    char line[64], name[16];
    size_t times;

    make(&b, "slcp", 1024, 20, 20);
    puts("bnre, diagnosis");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL &&
           sscanf(line, "%15s %zu", name, &times) == 2) {
        double spent = 0;

        for (size_t k = 0; k < times; k++)
            spent += diagnose(&b,
                              strcmp(name, "paper") == 0 ? BNRE_DIAG_PAPER
                                                         : BNRE_DIAG_AUTO,
                              NULL, NULL);
        printf("%.9g\n", spent / (double)times);
        fflush(stdout);
    }
    clear(&b);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "serve") == 0)
        return serve();
    list_tasks();
    return 0;
}
