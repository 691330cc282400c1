/* bench_sims.c - simulations per second of every built-in task.

   Each task runs with its default options, and once more for every other word
   that an option of its can have. Rows are simulated in batches as `bnre
   simulate` does, parameters being drawn beforehand; one thread and two take
   turns and the best of several runs counts. The last columns tell how many
   random words a simulation uses and which part of its time (one thread) their
   generation alone would take. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "bench.h"
#include "bnre/pool.h"
#include "bnre/task.h"
#include "num/streams.h"
#include "task/plugin.h"
#include "task/simulator.h"

enum { BATCH = 64, ROWS = 32 * BATCH, REPEATS = 5, THREADS = 2 };

static const double SECONDS = 0.15; /* of one run */

/* One thread's part: its state of the simulator and room for a batch. */
struct worker {
    void *state;
    float *x;
    uint8_t status[BATCH];
    char reason[BATCH][BNRE_REASON_SIZE];
};

struct bench {
    const bnre_task *task;
    const bnre__simulator *simulator;
    size_t batch; /* rows in one */
    size_t n;     /* batches of a run; rows repeat after ROWS */
    double *theta, *nuisance;
    struct worker worker[THREADS];
    double ns_per_word;
};

static bnre_status run_batches(void *arg, size_t worker, size_t first,
                               size_t last)
{
    struct bench *bench = arg;
    struct worker *own = &bench->worker[worker];
    const bnre__simulator *simulator = bench->simulator;
    bnre_status status = BNRE_OK;

    for (size_t i = first; i < last; i++) {
        size_t row = i * bench->batch % ROWS;
        bnre__batch batch = {
            .seed = 1,
            .split = BNRE_SPLIT_TEST,
            .row = row,
            .n = bench->batch,
            .theta = bench->theta + row * simulator->dim_theta,
            .nuisance = bench->nuisance + row * simulator->dim_nuisance,
            .x = own->x,
            .status = own->status,
            .reason = own->reason,
        };

        BNRE_TRY(simulator->kind->run(simulator, own->state, &batch));
    }
done:
    return status;
}

static bnre_status prepare(struct bench *bench)
{
    const bnre__simulator *simulator = bench->simulator;
    bnre_status status = BNRE_OK;

    BNRE_NEW(bench->theta, ROWS * simulator->dim_theta);
    BNRE_NEW(bench->nuisance, ROWS * simulator->dim_nuisance);
    for (size_t i = 0; i < ROWS; i++) {
        bnre_rng rng = bnre_rng_stream(
            1, bnre__purpose(BNRE_USE_PRIOR, BNRE_SPLIT_TEST), i);

        bnre_prior_draw(bnre_task_prior(bench->task), &rng,
                        bench->theta + i * simulator->dim_theta);
        bnre_prior_draw(bnre_task_nuisance(bench->task), &rng,
                        bench->nuisance + i * simulator->dim_nuisance);
    }
    for (size_t i = 0; i < THREADS; i++) {
        BNRE_NEW(bench->worker[i].x, BATCH * simulator->x_size);
        BNRE_TRY(simulator->kind->open(simulator, &bench->worker[i].state));
    }
done:
    return status;
}

static void clear(struct bench *bench)
{
    for (size_t i = 0; i < THREADS; i++) {
        bench->simulator->kind->close(bench->simulator, bench->worker[i].state);
        bnre__free(bench->worker[i].x);
    }
    bnre__free(bench->nuisance);
    bnre__free(bench->theta);
}

static bnre_status time_batches(struct bench *bench, bnre_pool *pool,
                                double *seconds)
{
    double start = bench_now();
    bnre_status status = bnre_pool_for(pool, bench->n, 1, run_batches, bench);

    *seconds = bench_now() - start;
    return status;
}

/* Batches of a few milliseconds at most, and as many of them as fill a run. */
static bnre_status choose_sizes(struct bench *bench)
{
    enum { TRIALS = 32 };
    double seconds = 0;
    bnre_status status;

    bench->batch = 1;
    bench->n = TRIALS;
    BNRE_TRY(time_batches(bench, NULL, &seconds));
    if (seconds / TRIALS * BATCH < 5e-3)
        bench->batch = BATCH;
    BNRE_TRY(time_batches(bench, NULL, &seconds));
    bench->n *= 1 + (size_t)(SECONDS / seconds);
done:
    return status;
}

/* Mean number of random words that the simulations of a run take from their
   streams. */
static bnre_status count_words(const struct bench *bench, double *words)
{
    const size_t run = bench->n * bench->batch, rows = run < ROWS ? run : ROWS;
    const bnre__simulator *simulator = bench->simulator;
    const bnre__plugin *plugin = simulator->self;
    const bnre_plugin *record = plugin->record;
    char reason[BNRE_REASON_SIZE] = "";
    bnre_status status = BNRE_OK;
    double *x = NULL;
    void *state = NULL;

    *words = 0;
    BNRE_NEW(x, simulator->x_size);
    if (record->create != NULL &&
        record->create(plugin->value, &state, reason) != BNRE_DRAW_OK)
        BNRE_THROW(BNRE_ESIM, "%s", reason);
    for (size_t i = 0; i < rows; i++) {
        bnre_rng rng = bnre_rng_stream(
            1, bnre__purpose(BNRE_USE_SIMULATE, BNRE_SPLIT_TEST), i);

        record->draw(state, &rng, bench->theta + i * simulator->dim_theta,
                     bench->nuisance + i * simulator->dim_nuisance, x, reason);
        *words += 4.0 * rng.block - (BNRE_RNG_WORDS - rng.used);
    }
    *words /= (double)rows;
    if (record->destroy != NULL)
        record->destroy(state);
done:
    bnre__free(x);
    return status;
}

static double time_words(void)
{
    enum { WORDS = 1 << 22 };
    double best = 1e9;
    volatile uint32_t sink; /* the loop must have a result */
    uint32_t sum = 0;

    for (int r = 0; r < REPEATS; r++) {
        bnre_rng rng = bnre_rng_stream(1, 0, (uint64_t)r);
        double start = bench_now(), seconds;

        for (int i = 0; i < WORDS; i++)
            sum ^= bnre_rng_u32(&rng);
        seconds = bench_now() - start;
        if (seconds < best)
            best = seconds;
    }
    sink = sum;
    (void)sink;
    return 1e9 * best / WORDS;
}

static bnre_status measure(struct bench *bench, bnre_pool *pool,
                           const char *title)
{
    double best[2] = {1e9, 1e9}, words, rows;
    bnre_status status = BNRE_OK;

    BNRE_TRY(prepare(bench));
    BNRE_TRY(choose_sizes(bench));
    for (int r = 0; r < REPEATS; r++) {
        for (int k = 0; k < 2; k++) {
            double seconds = 0;

            BNRE_TRY(time_batches(bench, k == 0 ? NULL : pool, &seconds));
            if (seconds < best[k])
                best[k] = seconds;
        }
    }
    BNRE_TRY(count_words(bench, &words));
    rows = (double)(bench->n * bench->batch);
    printf("%-32s %10.0f %10.0f %6.2f %10.1f %7.0f %%\n", title, rows / best[0],
           rows / best[1], best[0] / best[1], words,
           1e-7 * words * bench->ns_per_word * rows / best[0]);
    for (int k = 0; k < 2; k++)
        bench_row("simulations/s", rows / best[k], "simulate %s, %d thread%s",
                  title, k + 1, k == 0 ? "" : "s");
done:
    clear(bench);
    return status;
}

/* The task with one option ("key=value") or none. */
static bnre_status bench_task(const char *name, const char *option,
                              double ns_per_word, bnre_pool *pool)
{
    struct bench bench = {.ns_per_word = ns_per_word};
    bnre_task *task = NULL;
    bnre_status status = BNRE_OK;
    char title[128];

    BNRE_TRY(bnre_task_open(name, option != NULL, &option, &task));
    bench.task = task;
    bench.simulator = bnre__task_simulator(task);
    snprintf(title, sizeof title, "%s%s%s", name, option ? " " : "",
             option ? option : "");
    BNRE_TRY(measure(&bench, pool, title));
done:
    bnre_task_destroy(task);
    return status;
}

/* The default, then each other word of each option that has words. */
static bnre_status bench_variants(const bnre_plugin *record, double ns_per_word,
                                  bnre_pool *pool)
{
    const bnre_plugin_option *option = record->options;
    bnre_status status;

    BNRE_TRY(bench_task(record->name, NULL, ns_per_word, pool));
    for (; option != NULL && option->name != NULL; option++) {
        const char *word = option->rule;

        if (word == NULL || word[0] == '[' || word[0] == '(')
            continue;
        for (;;) {
            int length = (int)strcspn(word, "|");
            char text[128];

            snprintf(text, sizeof text, "%s=%.*s", option->name, length, word);
            if (strcmp(text + strlen(option->name) + 1, option->preset) != 0)
                BNRE_TRY(bench_task(record->name, text, ns_per_word, pool));
            if (word[length] == 0)
                break;
            word += length + 1;
        }
    }
done:
    return status;
}

int main(void)
{
    bnre_pool *pool = NULL;
    bnre_status status = BNRE_OK;
    double ns_per_word = time_words();
    const char *name;

    BNRE_TRY(bnre_pool_create(THREADS, &pool));
    printf("%.2f ns per random word\n", ns_per_word);
    printf("%-32s %10s %10s %6s %10s %9s\n", "simulations per second",
           "1 thread", "2 threads", "ratio", "words", "of time");
    for (size_t i = 0; (name = bnre_task_builtin_name(i)) != NULL; i++) {
        const bnre_plugin *record;

        if (bnre_task_builtin(name, &record) != BNRE_OK)
            printf("%-32s %s\n", name, bnre_error_message());
        else
            BNRE_TRY(bench_variants(record, ns_per_word, pool));
    }
done:
    if (status != BNRE_OK)
        fprintf(stderr, "bench_sims: %s\n", bnre_error_message());
    bnre_pool_destroy(pool);
    return status != BNRE_OK;
}
