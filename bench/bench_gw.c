/* bench_gw.c - time of a gravitational-wave simulation, and what limits it:
   random numbers are timed alone, two threads against one. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "task/plugin.h"

#define ROWS 100
#define REPEATS 9
#define MIDDLE (REPEATS / 2)
#define X_SIZE (2 * 8192)
#define NORMALS (4 * 32128) /* of one row of the reference chain */

struct job {
    pthread_t thread;
    const bnre_plugin *record;
    int chain;
    uint64_t row;
    double x[X_SIZE];
};

/* All of the record's priors are uniform. */
static void draw_prior(const bnre_plugin_parameter *list, bnre_rng *rng,
                       double *value)
{
    for (; list->name != NULL; list++) {
        double low = 0, high = 0;

        if (sscanf(list->prior, "uniform(%lf, %lf)", &low, &high) != 2)
            fprintf(stderr, "%s is not uniform\n", list->name);
        *value++ = low + (high - low) * bnre_rng_uniform(rng);
    }
}

static void *simulate(void *arg)
{
    struct job *job = arg;
    const bnre_plugin_value option = {.choice = job->chain};
    char reason[BNRE_REASON_SIZE] = "";
    void *state;

    if (job->record->create(&option, &state, reason) != BNRE_DRAW_OK)
        return NULL;
    for (uint64_t i = 0; i < ROWS; i++) {
        bnre_rng rng = bnre_rng_stream(1, 0, job->row + i);
        double theta[2], nuisance[8];

        draw_prior(job->record->parameters, &rng, theta);
        draw_prior(job->record->nuisance, &rng, nuisance);
        if (job->record->draw(state, &rng, theta, nuisance, job->x, reason) !=
            BNRE_DRAW_OK)
            fprintf(stderr, "%s\n", reason);
    }
    job->record->destroy(state);
    return NULL;
}

/* Seconds for ROWS rows on each of n threads. */
static double time_threads(struct job *jobs, int n, int chain)
{
    double start = bench_now();

    for (int i = 0; i < n; i++) {
        jobs[i].chain = chain;
        jobs[i].row = (uint64_t)i * ROWS;
        pthread_create(&jobs[i].thread, NULL, simulate, &jobs[i]);
    }
    for (int i = 0; i < n; i++)
        pthread_join(jobs[i].thread, NULL);
    return bench_now() - start;
}

static double time_normals(void)
{
    bnre_rng rng = bnre_rng_stream(1, 0, 0);
    double best = 1e9, sum = 0;

    for (int r = 0; r < 10 * REPEATS; r++) {
        double start = bench_now();

        for (int i = 0; i < NORMALS; i++)
            sum += bnre_rng_normal(&rng);
        best = fmin(best, bench_now() - start);
    }
    return sum < 1e300 ? best : 0;
}

int main(void)
{
    static const char *const names[] = {"reference", "clean"};
    static struct job jobs[2];
    const bnre_plugin *record;

    if (bnre__plugin_find("gw", &record) != BNRE_OK || record == NULL) {
        printf("gw is not there: it needs FFTW (libfftw3-dev)\n");
        return 0;
    }
    for (int i = 0; i < 2; i++)
        jobs[i] = (struct job){.record = record};
    for (int chain = 0; chain < 2; chain++) {
        double one[REPEATS], ratio[REPEATS];

        /* In turns: clocks drift and others may be at work, so that single
           ratios scatter. */
        for (int r = 0; r < REPEATS; r++) {
            one[r] = time_threads(jobs, 1, chain);
            ratio[r] = 2 * one[r] / time_threads(jobs, 2, chain);
        }
        qsort(one, REPEATS, sizeof *one, bench_ascending);
        qsort(ratio, REPEATS, sizeof *ratio, bench_ascending);
        printf("%-9s  %6.2f ms on one core (%.2f to %.2f); two threads do "
               "%.2f times as much (%.2f to %.2f)\n",
               names[chain], one[MIDDLE] / ROWS * 1e3, one[0] / ROWS * 1e3,
               one[REPEATS - 1] / ROWS * 1e3, ratio[MIDDLE], ratio[0],
               ratio[REPEATS - 1]);
        bench_row("ms", one[MIDDLE] / ROWS * 1e3, "gw, %s chain", names[chain]);
    }
    printf("%-9s  %6.2f ms for the %d random numbers of the reference chain\n",
           "", time_normals() * 1e3, NORMALS);
    return 0;
}
