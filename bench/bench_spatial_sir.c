/* bench_spatial_sir.c - time of an epidemic, averaged over the prior, beside
   the plain algorithm and beside the random numbers of the plain algorithm
   alone (two for each cell in each step that is really done). */
#include <pthread.h>
#include <stdio.h>

#include "../tests/support/sir_plain.h"
#include "bench.h"
#include "bnre/plugin.h"

extern const bnre_plugin bnre_sim_spatial_sir;

enum { GRID = 50, STEPS = 100, AREA = GRID * GRID };
enum { ROUNDS = 10, PLAIN_ROWS = 40, ROWS = 1000, THREAD_ROWS = 10000 };

struct job {
    pthread_t thread;
    uint64_t first, rows;
    double words; /* random ones that were used */
    double x[3 * AREA];
};

static bnre_rng begin(uint64_t row, double *theta)
{
    bnre_rng rng = bnre_rng_stream(1, 0, row);

    theta[0] = bnre_rng_uniform(&rng);
    theta[1] = bnre_rng_uniform(&rng);
    return rng;
}

static void *simulate(void *arg)
{
    struct job *job = arg;
    const bnre_plugin_value options[] = {{.text = "", .number = GRID},
                                         {.text = "", .number = STEPS}};
    char reason[BNRE_REASON_SIZE] = "";
    void *state;

    if (bnre_sim_spatial_sir.create(options, &state, reason) != BNRE_DRAW_OK) {
        fprintf(stderr, "%s\n", reason);
        return NULL;
    }
    job->words = 0;
    for (uint64_t i = 0; i < job->rows; i++) {
        double theta[2];
        bnre_rng rng = begin(job->first + i, theta);

        bnre_sim_spatial_sir.draw(state, &rng, theta, NULL, job->x, reason);
        job->words += 4.0 * rng.block - (BNRE_RNG_WORDS - rng.used);
    }
    bnre_sim_spatial_sir.destroy(state);
    return NULL;
}

/* Seconds for `rows` rows on each of n threads. */
static double time_threads(struct job *jobs, int n, uint64_t rows)
{
    double start = bench_now();

    for (int i = 0; i < n; i++) {
        jobs[i].first = (uint64_t)i * rows;
        jobs[i].rows = rows;
        pthread_create(&jobs[i].thread, NULL, simulate, &jobs[i]);
    }
    for (int i = 0; i < n; i++)
        pthread_join(jobs[i].thread, NULL);
    return bench_now() - start;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

int main(void)
{
    static struct job jobs[2];
    static struct sir_plain lattice;
    double fast = 0, plain = 0, numbers = 0, words = 0, steps = 0, sum = 0;
    double one = 1e9, two = 1e9;

    /* Taking turns, so that a change of the clock hits all alike. */
    for (uint64_t round = 0; round < ROUNDS; round++) {
        size_t done[PLAIN_ROWS];
        double start = bench_now();

        for (uint64_t i = 0; i < PLAIN_ROWS; i++) {
            double theta[2];
            bnre_rng rng = begin(round * ROWS + i, theta);

            done[i] =
                sir_plain_draw(&lattice, &rng, GRID, STEPS, theta, jobs[0].x);
        }
        plain += bench_now() - start;
        start = bench_now();
        for (uint64_t i = 0; i < PLAIN_ROWS; i++) {
            bnre_rng rng = bnre_rng_stream(2, 0, i);

            for (size_t n = 2 * AREA * done[i]; n > 0; n--)
                sum += bnre_rng_uniform(&rng);
            steps += (double)done[i];
        }
        numbers += bench_now() - start;
        jobs[0].first = round * ROWS;
        jobs[0].rows = ROWS;
        start = bench_now();
        simulate(&jobs[0]);
        fast += bench_now() - start;
        words += jobs[0].words;
    }
    for (int r = 0; r < 3; r++) {
        one = least(one, time_threads(jobs, 1, THREAD_ROWS));
        two = least(two, time_threads(jobs, 2, THREAD_ROWS));
    }
    fast /= (double)ROUNDS * ROWS;
    plain /= (double)ROUNDS * PLAIN_ROWS;
    numbers /= (double)ROUNDS * PLAIN_ROWS;
    steps /= (double)ROUNDS * PLAIN_ROWS;
    printf("spatial_sir     %8.1f us  %6.0f simulations/s, one core\n",
           fast * 1e6, 1 / fast);
    bench_row("us", fast * 1e6, "spatial_sir, an epidemic");
    bench_row("us", plain * 1e6, "spatial_sir, the plain algorithm");
    printf("plain algorithm %8.1f us  %6.1f times spatial_sir\n", plain * 1e6,
           plain / fast);
    printf("its numbers     %8.1f us  %6.1f times spatial_sir\n", numbers * 1e6,
           numbers / fast);
    printf("random words    %8.0f     of %.0f (%.0f steps on average)\n",
           words / ((double)ROUNDS * ROWS), 4 * AREA * steps, steps);
    printf("two threads     %8.2f     times one\n", 2 * one / two);
    printf("largest part: going through the cells that can be infected\n");
    return sum < 0;
}
