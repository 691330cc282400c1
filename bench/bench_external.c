/* bench_external.c - simulations per second of a trivial external program over
   the line protocol, with one and two workers, and for one run each.

   The program is this one, called with an argument. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench.h"
#include "bnre/pool.h"
#include "bnre/settings.h"
#include "task/external/external.h"

enum { DIM = 2, X_SIZE = 8, CHUNK = 256, WORKERS = 2 };

static void print_row(unsigned long seed, const double *theta)
{
    for (int i = 0; i < X_SIZE; i++)
        printf("%.9g ", theta[0] + i * theta[1] + (double)(seed % 1000));
    printf("\n");
    fflush(stdout);
}

static int serve(void)
{
    char line[256];

    while (fgets(line, sizeof line, stdin) != NULL) {
        char *at = line;
        unsigned long seed = strtoul(at, &at, 10);
        double theta[DIM];

        for (int i = 0; i < DIM; i++)
            theta[i] = strtod(at, &at);
        print_row(seed, theta);
    }
    return 0;
}

static int serve_once(char **argv)
{
    const double theta[DIM] = {strtod(argv[3], NULL), strtod(argv[4], NULL)};

    print_row(strtoul(argv[2], NULL, 10), theta);
    return 0;
}

struct job {
    bnre__simulator simulator;
    void *state[WORKERS];
    double *theta;
    float *x;
    uint8_t *status;
    char (*reason)[BNRE_REASON_SIZE];
};

static bnre_status simulate(void *arg, size_t worker, size_t first, size_t last)
{
    struct job *job = arg;
    const bnre__batch batch = {.seed = 1,
                               .row = first,
                               .n = last - first,
                               .theta = job->theta + first * DIM,
                               .x = job->x + first * X_SIZE,
                               .status = job->status + first,
                               .reason = job->reason + first};

    return job->simulator.kind->run(&job->simulator, job->state[worker],
                                    &batch);
}

static bnre_status open_job(struct job *job, const char *yaml, size_t n)
{
    static const char *const name[] = {"a", "b"};
    const bnre__placeholders names = {DIM, name};
    bnre__external *external = NULL;
    bnre_node *settings = NULL;
    bnre_status status = bnre_yaml_parse(yaml, "bench", &settings);

    if (status == BNRE_OK)
        status = bnre__external_create(settings, &names, &external);
    bnre_node_destroy(settings);
    *job = (struct job){.simulator = {.kind = &bnre__external_simulator,
                                      .self = external,
                                      .dim_theta = DIM,
                                      .x_size = X_SIZE}};
    for (size_t i = 0; i < WORKERS && status == BNRE_OK; i++)
        status = job->simulator.kind->open(&job->simulator, &job->state[i]);
    job->theta = calloc(n * DIM, sizeof *job->theta);
    job->x = calloc(n * X_SIZE, sizeof *job->x);
    job->status = calloc(n, sizeof *job->status);
    job->reason = calloc(n, sizeof *job->reason);
    for (size_t i = 0; i < n * DIM; i++)
        job->theta[i] = 1 / (1.0 + (double)i);
    return status;
}

static void close_job(struct job *job)
{
    for (size_t i = 0; i < WORKERS; i++)
        job->simulator.kind->close(&job->simulator, job->state[i]);
    job->simulator.kind->destroy(job->simulator.self);
    free(job->theta);
    free(job->x);
    free(job->status);
    free(job->reason);
}

static int measure(const char *what, const char *settings, size_t workers,
                   size_t n, size_t chunk)
{
    char *self = realpath("/proc/self/exe", NULL), yaml[8192];
    bnre_pool *pool = NULL;
    bnre_status status;
    struct job job;
    double start;

    snprintf(yaml, sizeof yaml, settings, self);
    status = open_job(&job, yaml, n);
    if (status == BNRE_OK)
        status = bnre_pool_create(workers, &pool);
    start = bnre__clock();
    if (status == BNRE_OK)
        status = bnre_pool_for(pool, n, chunk, simulate, &job);
    if (status == BNRE_OK) {
        const double rate = (double)n / (bnre__clock() - start);

        printf("%-34s %zu worker%s %9.0f simulations/s\n", what, workers,
               workers == 1 ? " " : "s", rate);
        bench_row("simulations/s", rate, "external program, %s, %zu worker%s",
                  what, workers, workers == 1 ? "" : "s");
    } else {
        printf("%s: %s\n", what, bnre_error_message());
    }
    close_job(&job);
    bnre_pool_destroy(pool);
    free(self);
    return status != BNRE_OK;
}

int main(int argc, char **argv)
{
    const char *text = "{command: ['%s', serve]}";
    const char *once = "{command: ['%s', once, '{seed}', '{a}', '{b}']}";
    int failed = 0;

    if (argc == 2)
        return serve();
    if (argc == 5)
        return serve_once(argv);
    for (size_t workers = 1; workers <= WORKERS; workers++) {
        failed |= measure("kept running, 8 values as text", text, workers,
                          100000, CHUNK);
        failed |= measure("one run per simulation", once, workers, 500, 1);
    }
    printf(
        "limited by: writing and reading numbers and a system call for each\n"
        "answer of the program; by starting two processes for each run\n");
    return failed;
}
