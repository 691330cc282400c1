/* bench_densities.c - conditional densities, in processor time of one thread.

   Five members of 3 x 64 with eight components, or ten where it says so. For
   each line `CASE TIMES` on stdin it prints the seconds of one repetition, the
   operations of the networks that it needs, and what it counts:

     train/two      a training with 1,024 simulations of slcp; training steps of
                    all members
     train/ten      likewise of ten parameters; information in nats
     heads/two      training steps of the networks alone: both heads of a member,
                    64 rows each; steps
     heads/ten      likewise all ten; steps
     joint/ten      one network of 6 x 256 for a ratio of all ten; likewise
     draws/ten      10,000 draws for one observation; draws
     scores/ten     1,000 draws for one observation and their densities; draws
     pairs/two      10,000 pairs diagnosed with 100 draws each; pairs
     pairs/ten      1,000 of ten parameters; pairs
     pairs10/two    the same with ten members; pairs
     pairs10/ten    likewise; pairs
     peak           fused multiply-adds on registers; 0

   compare.py starts it, takes turns with PyTorch, and makes the table; without
   stdin's lines, as `bench_densities all`, it does each once. */
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "bnre/dataset.h"
#include "bnre/diag.h"
#include "bnre/estimator.h"
#include "bnre/settings.h"
#include "bnre/train.h"
#include "nn/chain.h"
#include "peak.h"

enum {
    MEMBERS = 5,
    MORE_MEMBERS = 10,
    WIDTH = 64,
    OUTPUTS = 24, /* of a head: weights, places and widths */
    BATCH = 64,
    ROWS = 1024,
    LEARNT = 922, /* the rest chooses the epoch */
    DRAWS = 10000,
    POINTS = 100, /* draws for a pair */
    SCORES = 1000
};

static const char TRAIN[] = "bench_densities.train.tmp.h5";
static const char TEST[] = "bench_densities.test.tmp.h5";
static const char ESTIMATOR[] = "bench_densities.estimator.tmp.h5";

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- tasks ---- */

struct task {
    const char *name, *word;
    char *option; /* NULL: none */
    size_t factors, x, pairs;
};

static char ten[] = "dim=10";
static const struct task tasks[] = {{"slcp", "two", NULL, 2, 8, 10000},
                                    {"gaussian", "ten", ten, 10, 10, 1000}};

struct bench {
    const struct task *task; /* whose estimator is there; NULL: none */
    size_t members;
    bnre_estimator *estimator;
    bnre_density density;
    bnre_dataset *data;
};

static void simulate(const struct task *of, size_t rows, bnre_split split,
                     const char *path)
{
    bnre_simulate_opts opts = bnre_simulate_opts_default();
    const char *const options[] = {of->option};
    bnre_task *task;

    opts.count = rows;
    opts.split = split;
    opts.force = 1;
    bench_check(
        bnre_task_open(of->name, of->option == NULL ? 0 : 1, options, &task));
    bench_check(bnre_simulate(task, &opts, path, NULL));
    bnre_task_destroy(task);
}

static bnre_train_result train(int method, size_t members)
{
    bnre_train_opts opts = bnre_train_opts_default();
    bnre_train_result result;

    opts.data = (char *)TRAIN;
    opts.method = method;
    opts.members = members;
    opts.force = 1;
    bench_check(bnre_train(&opts, ESTIMATOR, &result));
    return result;
}

static void clear(struct bench *b)
{
    bnre_dataset_close(b->data);
    bnre_estimator_close(b->estimator);
    *b = (struct bench){0};
    unlink(TRAIN);
    unlink(TEST);
    unlink(ESTIMATOR);
    unlink("bench_densities.estimator.tmp.history.csv");
}

/* An estimator of the task, unless it is that of the last time. */
static void make(struct bench *b, const struct task *task, size_t members)
{
    if (b->task == task && b->members == members)
        return;
    clear(b);
    b->task = task;
    b->members = members;
    simulate(task, ROWS, BNRE_SPLIT_TRAIN, TRAIN);
    simulate(task, task->pairs, BNRE_SPLIT_TEST, TEST);
    train(BNRE_METHOD_BNPE, members);
    bench_check(bnre_estimator_open(ESTIMATOR, &b->estimator));
    b->density = bnre_estimator_density(b->estimator, BNRE_ALL_MEMBERS);
    bench_check(bnre_dataset_open(TEST, &b->data));
}

/* ---- operations that are needed, two for each multiply-add ---- */

static double rest_of_head(void)
{
    return 2.0 * (2.0 * WIDTH * WIDTH + WIDTH * OUTPUTS);
}

/* Of a simulation in a step: forward, to the weights, and to the inputs of all
   layers but the first. */
static double step_operations(const struct task *task)
{
    double sum = 0;

    for (size_t j = 0; j < task->factors; j++)
        sum += 3 * rest_of_head() + 2 * 2.0 * (double)(task->x + j) * WIDTH;
    return sum;
}

/* Of a theta, the x being known: the first factor is the same for all. */
static double theta_operations(const struct task *task)
{
    double sum = 0;

    for (size_t j = 1; j < task->factors; j++)
        sum += rest_of_head() + 2.0 * (double)j * WIDTH;
    return sum;
}

static double x_operations(const struct task *task, size_t members)
{
    return (double)members *
           (rest_of_head() + 2.0 * (double)(task->factors * task->x) * WIDTH);
}

/* ---- cases ---- */

struct answer {
    double seconds, operations, count;
};

static struct answer do_train(struct bench *b, const struct task *task)
{
    struct answer out;
    bnre_train_result result;
    double start;

    clear(b);
    simulate(task, ROWS, BNRE_SPLIT_TRAIN, TRAIN);
    start = now();
    result = train(BNRE_METHOD_BNPE, MEMBERS);
    out.seconds = now() - start;
    out.operations = (double)(result.epochs * LEARNT) * step_operations(task);
    out.count = task->factors == 2
                    ? (double)(result.epochs * ((LEARNT + BATCH - 1) / BATCH))
                    : result.information;
    return out;
}

static struct answer do_joint(struct bench *b, const struct task *task)
{
    bnre_train_result result;
    double start;

    clear(b);
    simulate(task, ROWS, BNRE_SPLIT_TRAIN, TRAIN);
    start = now();
    result = train(BNRE_METHOD_NRE, 1);
    return (struct answer){now() - start, 0, result.information};
}

/* Steps of a member's heads: forward, back, AdamW; no mixtures, no data. */
static struct answer do_heads(struct bench *b, const struct task *task)
{
    enum { STEPS = 200 };
    const size_t theta = BATCH * task->factors;
    const bnre__net_input input = {.dim_theta = task->factors,
                                   .ndim = 1,
                                   .shape = &task->x,
                                   .outputs = OUTPUTS};
    const bnre__plan_opts opts = {.batch = BATCH, .train = 1};
    const bnre__adam adam = bnre__adam_default();
    float *values = calloc(theta + BATCH * task->x, sizeof *values);
    float *dout = calloc(2 * theta * OUTPUTS, sizeof *dout), *w;
    bnre_rng rng = bnre_rng_stream(1, 0, 0);
    struct answer out = {.count = STEPS};
    bnre_node *settings = NULL;
    bnre__chain_plan *plan;
    bnre__chain *chain;

    (void)b;
    bench_check(
        bnre_yaml_parse("head: {hidden: [64, 64, 64]}", NULL, &settings));
    bench_check(bnre__chain_create(settings, &input, &chain));
    bench_check(bnre__chain_plan_create(chain, &opts, &plan));
    w = calloc(bnre__chain_weights(chain), sizeof *w);
    for (size_t i = 0; i < bnre__chain_weights(chain); i++)
        w[i] = (float)(0.1 * bnre_rng_normal(&rng));
    for (size_t i = 0; i < theta + BATCH * task->x; i++)
        values[i] = (float)bnre_rng_normal(&rng);
    for (size_t i = 0; i < theta * OUTPUTS; i++)
        dout[i] = (float)(0.01 * bnre_rng_normal(&rng));
    bnre__chain_set(plan, w, NULL);
    for (int i = -10; i < STEPS; i++) { /* the first ones take longer */
        if (i == 0)
            out.seconds = -now();
        bnre__chain_forward(plan, 1, BATCH, values, values + theta,
                            dout + theta * OUTPUTS);
        bnre__chain_update(plan, dout, &adam);
    }
    out.seconds += now();
    out.operations = STEPS * BATCH * step_operations(task);
    bnre__chain_plan_destroy(plan);
    bnre__chain_destroy(chain);
    bnre_node_destroy(settings);
    free(w);
    free(dout);
    free(values);
    return out;
}

static struct answer do_draws(struct bench *b, const struct task *task)
{
    double *theta = calloc(DRAWS * task->factors, sizeof *theta);
    double *x = calloc(task->x, sizeof *x);
    bnre_session *session;
    struct answer out = {.count = DRAWS};
    double start;

    make(b, task, MEMBERS);
    bench_check(bnre_session_open(&b->density, NULL, &session));
    start = now();
    bench_check(bnre_session_observe(session, 1, x));
    bench_check(bnre_session_draw(session, 1, 0, DRAWS, theta));
    out.seconds = now() - start;
    out.operations =
        x_operations(task, MEMBERS) + DRAWS * theta_operations(task);
    bnre_session_close(session);
    free(x);
    free(theta);
    return out;
}

static struct answer do_scores(struct bench *b, const struct task *task)
{
    double *theta = calloc(SCORES * task->factors, sizeof *theta);
    double *x = calloc(task->x, sizeof *x);
    double *score = calloc(SCORES, sizeof *score);
    bnre_session *session;
    struct answer out = {.count = SCORES};
    double start;

    make(b, task, MEMBERS);
    bench_check(bnre_session_open(&b->density, NULL, &session));
    start = now();
    bench_check(bnre_session_observe(session, 1, x));
    bench_check(bnre_session_draw(session, 1, 0, SCORES, theta));
    bench_check(bnre_session_log_ratio(session, SCORES, theta, score, NULL));
    out.seconds = now() - start;
    out.operations =
        x_operations(task, MEMBERS) + MEMBERS * SCORES * theta_operations(task);
    bnre_session_close(session);
    free(score);
    free(x);
    free(theta);
    return out;
}

static struct answer diagnose(struct bench *b, const struct task *task,
                              size_t members)
{
    bnre_diag_opts opts = bnre_diag_opts_default();
    const double n = (double)task->pairs;
    struct answer out = {.count = n};
    bnre_diag *diag;
    double start;

    make(b, task, members);
    start = now();
    bench_check(bnre_diagnose_dataset(&b->density, b->data, 1, &opts, &diag));
    out.seconds = now() - start;
    /* All members' densities of the draws and of theta*; the member that made a
       draw has run for it. */
    out.operations =
        n * (x_operations(task, members) +
             (double)members * (POINTS + 1.0) * theta_operations(task));
    bnre_diag_destroy(diag);
    return out;
}

static struct answer do_pairs(struct bench *b, const struct task *task)
{
    return diagnose(b, task, MEMBERS);
}

static struct answer do_pairs10(struct bench *b, const struct task *task)
{
    return diagnose(b, task, MORE_MEMBERS);
}

static struct answer do_peak(struct bench *b, const struct task *task)
{
    struct answer out = {.count = 0};
    const double start = now();

    (void)b;
    (void)task;
    out.operations = bench_reach_peak();
    out.seconds = now() - start;
    return out;
}

static const struct {
    const char *name;
    struct answer (*run)(struct bench *b, const struct task *task);
    size_t task;
    const char *title;
} cases[] = {
    {"train/two", do_train, 0, "train 5 members, slcp, 1,024 simulations"},
    {"train/ten", do_train, 1, "train 5 members, ten parameters"},
    {"heads/two", do_heads, 0, "200 steps of a member's two heads"},
    {"heads/ten", do_heads, 1, "200 steps of a member's ten heads"},
    {"joint/ten", do_joint, 1, "train 6 x 256 for the joint ratio of ten"},
    {"draws/ten", do_draws, 1, "10,000 draws of ten parameters"},
    {"scores/ten", do_scores, 1, "1,000 draws of ten and their densities"},
    {"pairs/two", do_pairs, 0, "10,000 pairs of two parameters diagnosed"},
    {"pairs/ten", do_pairs, 1, "1,000 pairs of ten parameters diagnosed"},
    {"pairs10/two", do_pairs10, 0, "the same of two with ten members"},
    {"pairs10/ten", do_pairs10, 1, "the same of ten with ten members"},
    {"peak", do_peak, 0, NULL},
};
enum { CASES = sizeof cases / sizeof *cases };

static struct answer repeat(struct bench *b, size_t k, size_t times)
{
    struct answer sum = cases[k].run(b, &tasks[cases[k].task]);

    for (size_t i = 1; i < times; i++)
        sum.seconds += cases[k].run(b, &tasks[cases[k].task]).seconds;
    sum.seconds /= (double)times;
    return sum;
}

static int serve(struct bench *b)
{
    char line[64], name[32];
    size_t times;

    puts("bnre, conditional densities");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        struct answer out;
        size_t k = 0;

        if (sscanf(line, "%31s %zu", name, &times) != 2)
            return 2;
        while (k < CASES && strcmp(name, cases[k].name) != 0)
            k++;
        if (k == CASES)
            return 2;
        out = repeat(b, k, times);
        printf("%.9g %.9g %.9g\n", out.seconds, out.operations, out.count);
        fflush(stdout);
    }
    return 0;
}

static int all(struct bench *b)
{
    for (size_t k = 0; cases[k].title != NULL; k++) {
        const struct answer out = repeat(b, k, 1);
        const struct answer peak = repeat(b, CASES - 1, 10);
        const double part =
            out.operations / out.seconds * peak.seconds / peak.operations;

        printf("%-44s %8.3f s", cases[k].title, out.seconds);
        if (out.operations > 0)
            printf("  %3.0f %% of the peak", 100 * part);
        printf("  (%g)\n", out.count);
        bench_row("s", out.seconds, "%s", cases[k].title);
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct bench b = {0};
    const int result =
        argc > 1 && strcmp(argv[1], "serve") == 0 ? serve(&b) : all(&b);

    clear(&b);
    return result;
}
