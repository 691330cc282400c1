#include "probe.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "bnre/settings.h"
#include "support.h"

probe the_probe;

void probe_reset(void)
{
    the_probe = (probe){.stop_at = PROBE_NOWHERE,
                        .kill_at = PROBE_NOWHERE,
                        .slow_at = PROBE_NOWHERE};
}

static bnre_draw draw_probe(void *state, bnre_rng *rng, const double *theta,
                            const double *nuisance, double *x, char *reason)
{
    const long row = (long)rng->row;

    (void)state;
    if (row == the_probe.kill_at)
        raise(SIGKILL);
    if (row == the_probe.slow_at)
        nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 50000000}, NULL);
    if (row == the_probe.stop_at) {
        snprintf(reason, BNRE_REASON_SIZE, "no more of row %ld", row);
        return BNRE_DRAW_STOP;
    }
    if (the_probe.drawn != NULL && row < PROBE_ROWS)
        the_probe.drawn[row]++;
    for (size_t j = 0; j < 4; j++)
        x[j] = the_probe.offset + theta[j % 2] +
               nuisance[0] * bnre_rng_normal(rng);
    if (!the_probe.failing || row % 11 != 5)
        return BNRE_DRAW_OK;
    snprintf(reason, BNRE_REASON_SIZE, "%s fell over",
             row % 2 == 0 ? "an even row" : "an odd row");
    return row % 3 == 0 ? BNRE_DRAW_LOST : BNRE_DRAW_INVALID;
}

static const bnre_plugin_parameter parameters[] = {
    {"a", "uniform(0, 1)", NULL}, {"b", "normal(2, 3)", NULL}, {0}};
static const bnre_plugin_parameter nuisance_parameters[] = {
    {"c", "uniform(1, 2)", NULL}, {0}};

static const bnre_plugin record = {
    .abi = BNRE_PLUGIN_ABI,
    .name = "probe",
    .title = "tells what was asked of it",
    .parameters = parameters,
    .nuisance = nuisance_parameters,
    .observable = "2, 2",
    .draw = draw_probe,
};

bnre_task *probe_task(void)
{
    bnre_node *settings = NULL;
    bnre_task *task;

    if (the_probe.precision != NULL) {
        assert_ok(bnre_node_create(BNRE_NODE_MAP, NULL, &settings));
        assert_ok(bnre_node_set(settings, "precision", the_probe.precision));
    }
    assert_ok(bnre_task_create_plugin(&record, settings, &task));
    bnre_node_destroy(settings);
    return task;
}

bnre_simulate_opts probe_opts(size_t count, bnre_pool *pool)
{
    bnre_simulate_opts opts = bnre_simulate_opts_default();

    opts.count = count;
    opts.seed = 1;
    opts.pool = pool;
    return opts;
}

bnre_status probe_simulate(const char *path, const bnre_simulate_opts *opts,
                           bnre_simulate_result *result)
{
    bnre_task *task = probe_task();
    bnre_status status = bnre_simulate(task, opts, path, result);

    bnre_task_destroy(task);
    return status;
}
