#define _XOPEN_SOURCE 700
#include "outside.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bnre/settings.h"
#include "support.h"
#include "task/seed.h"

static size_t count_entries(const char *path)
{
    DIR *stream = opendir(path);
    size_t n = 0;

    assert_non_null(stream);
    while (readdir(stream) != NULL)
        n++;
    closedir(stream);
    return n;
}

static size_t descriptors_before;
static char temporary[4096];

const char *outside_pid_file(void)
{
    static char path[4096 + 16];
    const char *relative = scratch_path("pids");
    char *directory = realpath(".", NULL);

    snprintf(path, sizeof path, "%s/%s", directory, relative);
    free(directory);
    remove(path);
    setenv("HOSTILE_PIDS", path, 1);
    return path;
}

size_t outside_count_alive(size_t *noted)
{
    FILE *file = fopen(getenv("HOSTILE_PIDS"), "r");
    size_t alive = 0, all = 0;
    long pid;

    while (file != NULL && fscanf(file, "%ld", &pid) == 1) {
        all++;
        alive += kill((pid_t)pid, 0) == 0 || errno != ESRCH;
    }
    if (file != NULL)
        fclose(file);
    if (noted != NULL)
        *noted = all;
    return alive;
}

const char *outside_temporary(void)
{
    char *directory = realpath(".", NULL);

    snprintf(temporary, sizeof temporary, "%s/tmp.XXXXXX", directory);
    free(directory);
    assert_non_null(mkdtemp(temporary));
    setenv("TMPDIR", temporary, 1);
    return temporary;
}

outside *outside_open(const char *yaml, size_t n)
{
    static const char *const name[] = {"a", "bad"};
    const bnre__placeholders names = {2, name};
    outside *rig = test_calloc(1, sizeof *rig);
    bnre__external *external = NULL;
    bnre_node *settings = NULL;

    if (getenv("OUTSIDE_DRIVEN") == NULL) {
        outside_pid_file();
        outside_temporary();
    }
    descriptors_before = count_entries("/proc/self/fd");
    assert_ok(bnre_yaml_parse(yaml, "test", &settings));
    assert_ok(bnre__external_create(settings, &names, &external));
    bnre_node_destroy(settings);
    rig->simulator = (bnre__simulator){.kind = &bnre__external_simulator,
                                       .self = external,
                                       .dim_theta = 1,
                                       .dim_nuisance = 1,
                                       .x_size = OUTSIDE_X};
    assert_ok(rig->simulator.kind->open(&rig->simulator, &rig->state));
    rig->n = n;
    rig->theta = test_calloc(n, sizeof *rig->theta);
    rig->nuisance = test_calloc(n, sizeof *rig->nuisance);
    rig->x = test_calloc(n * OUTSIDE_X, sizeof *rig->x);
    rig->status = test_calloc(n, sizeof *rig->status);
    rig->reason = test_calloc(n, sizeof *rig->reason);
    for (size_t i = 0; i < n; i++) {
        rig->theta[i] = 1 + (double)i / 4;
        rig->status[i] = 255;
    }
    return rig;
}

bnre_status outside_run(outside *rig, size_t first, size_t last)
{
    const bnre__batch batch = {.seed = 7,
                               .split = BNRE_SPLIT_TEST,
                               .row = first,
                               .n = last - first,
                               .theta = rig->theta + first,
                               .nuisance = rig->nuisance + first,
                               .x = rig->x + first * OUTSIDE_X,
                               .status = rig->status + first,
                               .reason = rig->reason + first};

    return rig->simulator.kind->run(&rig->simulator, rig->state, &batch);
}

bnre_status outside_settle(outside *rig)
{
    return rig->simulator.kind->settle(&rig->simulator, rig->state);
}

void outside_close(outside *rig)
{
    rig->simulator.kind->close(&rig->simulator, rig->state);
    rig->simulator.kind->destroy(rig->simulator.self);
    test_free(rig->theta);
    test_free(rig->nuisance);
    test_free(rig->x);
    test_free(rig->status);
    test_free(rig->reason);
    test_free(rig);
    assert_int_equal(outside_count_alive(NULL), 0);
    assert_int_equal(count_entries("/proc/self/fd"), descriptors_before);
    assert_int_equal(rmdir(temporary), 0); /* empty, then */
}

void assert_row_ok(const outside *rig, size_t i)
{
    const uint32_t seed = bnre__program_seed(7, BNRE_SPLIT_TEST, i);
    const float *x = rig->x + i * OUTSIDE_X;

    if (rig->status[i] != BNRE_DRAW_OK)
        fail_msg("row %zu: status %d, %s", i, rig->status[i], rig->reason[i]);
    if (x[0] != (float)(seed % 100000) || x[1] != (float)rig->theta[i] ||
        x[2] != 2 * (float)rig->theta[i])
        fail_msg("row %zu has the answer %g %g %g of another", i, (double)x[0],
                 (double)x[1], (double)x[2]);
    assert_string_equal(rig->reason[i], "");
}

void assert_row_fails(const outside *rig, size_t i, bnre_draw outcome,
                      const char *reason)
{
    if (rig->status[i] != outcome || !is_told(rig->reason[i], reason))
        fail_msg("row %zu: status %d, \"%s\" instead of %d, \"%s\"", i,
                 rig->status[i], rig->reason[i], outcome, reason);
    for (size_t j = 0; j < OUTSIDE_X; j++)
        assert_true(isnan(rig->x[i * OUTSIDE_X + j]));
}
