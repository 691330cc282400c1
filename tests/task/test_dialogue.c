/* threads: several conversations at once, and large ones. */
#include <stdio.h>
#include <string.h>

#include "bnre/pool.h"
#include "bnre/settings.h"
#include "outside.h"
#include "support.h"

/* Requests of 40 kB and answers of 400 kB do not fit into pipes: whoever writes
   without reading waits for ever. */
static void large_requests_and_answers_pass(void **state)
{
    enum { N = 20000, M = 2000, ROWS = 12 };
    static char name[M][8];
    static const char *list[M];
    const bnre__placeholders names = {M, list};
    bnre__external *external = NULL;
    bnre__simulator simulator = {
        .kind = &bnre__external_simulator, .dim_theta = M, .x_size = N};
    bnre_node *settings = NULL;
    void *own = NULL;
    double *theta = test_calloc(ROWS * M, sizeof *theta);
    float *x = test_calloc((size_t)ROWS * N, sizeof *x);
    uint8_t flags[ROWS];
    char reason[ROWS][BNRE_REASON_SIZE];
    const bnre__batch batch = {
        .n = ROWS, .theta = theta, .x = x, .status = flags, .reason = reason};

    (void)state;
    for (int i = 0; i < M; i++) {
        snprintf(name[i], sizeof name[i], "p%d", i);
        list[i] = name[i];
    }
    for (int i = 0; i < ROWS * M; i++)
        theta[i] = (1 + i / M) / 3.0;
    assert_ok(bnre_yaml_parse("{command: [./bulk, '20000', '2000']}", NULL,
                              &settings));
    assert_ok(bnre__external_create(settings, &names, &external));
    simulator.self = external;
    assert_ok(simulator.kind->open(&simulator, &own));
    assert_ok(simulator.kind->run(&simulator, own, &batch));
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;

        for (int j = 0; j < M; j++)
            sum += (1 + i) / 3.0;
        assert_int_equal(flags[i], BNRE_DRAW_OK);
        for (int j = 0; j < N; j++)
            assert_true(x[(size_t)i * N + (size_t)j] == (float)sum);
    }
    assert_ok(simulator.kind->settle(&simulator, own));
    simulator.kind->close(&simulator, own);
    simulator.kind->destroy(external);
    bnre_node_destroy(settings);
    test_free(theta);
    test_free(x);
}

struct job {
    outside *rig;
    void *state[4];
};

static bnre_status run_chunk(void *arg, size_t worker, size_t first,
                             size_t last)
{
    struct job *job = arg;
    outside mine = *job->rig;

    mine.state = job->state[worker];
    return outside_run(&mine, first, last);
}

/* A program that crashes now and then, on one to four threads and in batches of
   different lengths: every row ends the same way. */
static void rows_do_not_depend_on_threads_or_batches(void **state)
{
    enum { ROWS = 200 };
    static const struct {
        size_t threads, chunk;
    } cases[] = {{1, ROWS}, {2, 16}, {4, 7}, {2, 1}};

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        outside *rig = outside_open("{command: [./hostile, exit]}", ROWS);
        struct job job = {.rig = rig};
        bnre_pool *pool = NULL;

        for (size_t i = 0; i < ROWS; i++)
            rig->nuisance[i] = i % 41 == 3 || i == 45;
        for (size_t i = 0; i < cases[k].threads; i++)
            assert_ok(
                rig->simulator.kind->open(&rig->simulator, &job.state[i]));
        assert_ok(bnre_pool_create(cases[k].threads, &pool));
        assert_ok(bnre_pool_for(pool, ROWS, cases[k].chunk, run_chunk, &job));
        bnre_pool_destroy(pool);
        for (size_t i = 0; i < ROWS; i++) {
            if (rig->nuisance[i] > 0)
                assert_row_fails(rig, i, BNRE_DRAW_LOST,
                                 "exit status 3: matrix is singular");
            else
                assert_row_ok(rig, i);
        }
        for (size_t i = 0; i < cases[k].threads; i++) {
            assert_ok(
                rig->simulator.kind->settle(&rig->simulator, job.state[i]));
            rig->simulator.kind->close(&rig->simulator, job.state[i]);
        }
        outside_close(rig);
    }
}

static void diagnostics_go_to_the_log(void **state)
{
    outside *rig = outside_open("{command: [./hostile, exit]}", 2);
    bnre__external *external = rig->simulator.self;
    const char *path = scratch_path("sim.log");
    char text[256] = "";
    FILE *file;

    (void)state;
    assert_ok(bnre__log_set(external->log, path));
    assert_ok(outside_run(rig, 0, 1));
    file = fopen(path, "r");
    assert_null(file); /* nothing was said yet */
    rig->nuisance[1] = 1;
    assert_ok(outside_run(rig, 1, 2));
    outside_close(rig);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_non_null(strstr(text, "first line\nmatrix is singular\n"));
}

static void a_full_log_stops_growing(void **state)
{
    const char *path = scratch_path("full.log");
    bnre__log *log = NULL;
    char *block = test_calloc(1 << 20, 1);
    FILE *file;

    (void)state;
    assert_ok(bnre__log_create(&log));
    assert_ok(bnre__log_set(log, path));
    for (int i = 0; i < 20; i++)
        bnre__log_add(log, block, 1 << 20);
    bnre__log_destroy(log);
    file = fopen(path, "r");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    assert_in_range(ftell(file), 16 << 20, (16 << 20) + 100);
    fclose(file);
    test_free(block);
}

static bnre_status run_two_rows(void *arg)
{
    outside mine = *(outside *)arg;
    const bnre__simulator_kind *kind = mine.simulator.kind;
    bnre_status status = kind->open(&mine.simulator, &mine.state);

    if (status != BNRE_OK)
        return status;
    status = outside_run(&mine, 0, 2);
    kind->close(&mine.simulator, mine.state);
    return status;
}

static void lack_of_memory_is_reported(void **state)
{
    static const char *const yaml[] = {
        "{command: [./hostile, honest]}",
        "{command: [./once, p, '{seed}', '{a}', '{bad}']}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof yaml / sizeof *yaml; i++) {
        outside *rig = outside_open(yaml[i], 2);

        assert_survives_lack_of_memory(run_two_rows, rig);
        assert_row_ok(rig, 0);
        assert_row_ok(rig, 1);
        outside_close(rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_requests_and_answers_pass),
        cmocka_unit_test(rows_do_not_depend_on_threads_or_batches),
        cmocka_unit_test(diagnostics_go_to_the_log),
        cmocka_unit_test(a_full_log_stops_growing),
        cmocka_unit_test(lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
