/* bench_simulate.c - a million rows of the gaussian task: simulated into a
   file, read back, and their fingerprint. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "bnre/dataset.h"

enum { ROWS = 1000000, BLOCK = 4096, REPEATS = 3, DIM = 2 };

static void print(const char *what, size_t threads, double seconds,
                  size_t bytes)
{
    printf("%-22s %7zu %9.3f %12.2f %9.1f\n", what, threads, seconds,
           ROWS / seconds * 1e-6, (double)bytes / seconds * 1e-6);
    bench_row("rows/s", ROWS / seconds, "%s, %zu thread%s", what, threads,
              threads == 1 ? "" : "s");
}

static size_t simulate(bnre_task *task, size_t threads, const char *path)
{
    bnre_simulate_opts opts = bnre_simulate_opts_default();
    bnre_simulate_result result;
    double best = 1e300;

    bench_check(bnre_pool_create(threads, &opts.pool));
    opts.count = ROWS;
    opts.seed = 1;
    opts.force = 1;
    for (int i = 0; i < REPEATS; i++) {
        double start = bench_now(), seconds;

        bench_check(bnre_simulate(task, &opts, path, &result));
        seconds = bench_now() - start;
        if (seconds < best)
            best = seconds;
    }
    print("simulate to .h5", threads, best, result.bytes);
    bnre_pool_destroy(opts.pool);
    return result.bytes;
}

static void read_back(const char *path, size_t bytes)
{
    static double theta[BLOCK * DIM];
    static double x[BLOCK * DIM];
    static uint8_t status[BLOCK];
    bnre_dataset *data;
    double best = 1e300;

    for (int i = 0; i < REPEATS; i++) {
        double start = bench_now(), seconds;

        bench_check(bnre_dataset_open(path, &data));
        for (size_t first = 0; first < ROWS; first += BLOCK) {
            size_t n = ROWS - first < BLOCK ? ROWS - first : BLOCK;

            bench_check(
                bnre_dataset_read(data, first, n, theta, NULL, x, status));
        }
        bnre_dataset_close(data);
        seconds = bench_now() - start;
        if (seconds < best)
            best = seconds;
    }
    print("open and read", 1, best, bytes);
}

static void take_fingerprint(const char *path, size_t bytes)
{
    bnre_dataset *data;
    char text[33];
    double start = bench_now();

    bench_check(bnre_dataset_open(path, &data));
    bench_check(bnre_dataset_fingerprint(data, text));
    bnre_dataset_close(data);
    print("open and fingerprint", 1, bench_now() - start, bytes);
}

int main(void)
{
    const char *path = "bench_simulate.h5";
    bnre_task *task;
    size_t bytes;

    bench_check(bnre_task_open("gaussian", 0, NULL, &task));
    printf("%d rows of the gaussian task, best of %d, file in the page cache\n",
           ROWS, REPEATS);
    printf("%-22s %7s %9s %12s %9s\n", "", "threads", "seconds", "10^6 rows/s",
           "MB/s");
    bytes = simulate(task, 1, path);
    bytes = simulate(task, 2, path);
    read_back(path, bytes);
    take_fingerprint(path, bytes);
    unlink(path);
    bnre_task_destroy(task);
    return 0;
}
