/* run.c - external programs behind the interface of simulators. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "task/external/external.h"
#include "task/seed.h"

void bnre__external_values(const bnre__simulator *simulator,
                           const bnre__batch *batch, size_t i, double *value)
{
    memcpy(value, batch->theta + i * simulator->dim_theta,
           simulator->dim_theta * sizeof *value);
    if (simulator->dim_nuisance > 0)
        memcpy(value + simulator->dim_theta,
               batch->nuisance + i * simulator->dim_nuisance,
               simulator->dim_nuisance * sizeof *value);
}

/* ---- what a program says besides its answers ---- */

void bnre__external_listen(const bnre__external *external,
                           bnre__process *process, bnre__tail *tail)
{
    char bytes[16384];

    /* Bounded, so that a flood cannot keep us here. */
    for (int i = 0; i < 16 && process->diagnostics >= 0; i++) {
        ssize_t got = read(process->diagnostics, bytes, sizeof bytes);

        if (got > 0) {
            bnre__tail_add(tail, bytes, (size_t)got);
            bnre__log_add(external->log, bytes, (size_t)got);
        } else if (got == 0) {
            close(process->diagnostics);
            process->diagnostics = -1;
        } else if (errno != EINTR) {
            break;
        }
    }
}

/* ---- advice ---- */

/* A word as a shell would need it. */
static bnre_status add_word(bnre__text *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789-_./+=:,@%";
    const char *separator = text->length > 0 ? " " : "";

    if (word[0] != 0 && word[strspn(word, plain)] == 0)
        return bnre__text_add(text, "%s%s", separator, word);
    BNRE_DO(bnre__text_add(text, "%s'", separator));
    for (; *word != 0; word++)
        BNRE_DO(bnre__text_add(text, *word == '\'' ? "'\\''" : "%c", *word));
    return bnre__text_add(text, "'");
}

/* How to run row i of the batch by hand. */
static bnre_status add_by_hand(const bnre__simulator *simulator,
                               const bnre__batch *batch, size_t i,
                               bnre__text *text)
{
    bnre_status status = BNRE_OK;
    const bnre__external *external = simulator->self;
    const uint32_t seed =
        bnre__program_seed(batch->seed, batch->split, batch->row + i);
    char **argv = NULL;
    double *value = NULL;

    BNRE_NEW(value, external->dim);
    bnre__external_values(simulator, batch, i, value);
    if (!external->once) {
        BNRE_TRY(bnre__text_add(text, "echo "));
        BNRE_TRY(bnre__dialogue_request(seed, external->dim, value, text));
        text->data[text->length - 1] = ' '; /* for its line end */
        BNRE_TRY(bnre__text_add(text, "|"));
    }
    BNRE_TRY(bnre__arguments_create(external, seed, value, &argv));
    for (size_t k = 0; argv[k] != NULL; k++)
        BNRE_TRY(add_word(text, argv[k]));
done:
    bnre__arguments_destroy(argv);
    bnre__free(value);
    return status;
}

static bnre_status advise(const bnre__simulator *simulator,
                          const bnre__batch *batch, size_t i, const char *what,
                          bnre_status status)
{
    const bnre__external *external = simulator->self;
    bnre__text hand = {0};

    if (add_by_hand(simulator, batch, i, &hand) == BNRE_OK)
        bnre_fail(status, "%s. To see for yourself, in %s%s: %.400s%s", what,
                  external->directory,
                  external->template != NULL ? ", with a file made from the "
                                               "template"
                                             : "",
                  hand.data, hand.length > 400 ? " ..." : "");
    else
        bnre_fail(status, "%s", what);
    bnre__free(hand.data);
    return status;
}

bnre_status bnre__external_finish(const bnre__simulator *simulator,
                                  const bnre__batch *batch, size_t i)
{
    const bnre__external *external = simulator->self;
    const bnre_draw outcome = (bnre_draw)batch->status[i];
    const unsigned long long row = batch->row + i;
    bnre__losses losses;
    char what[2 * BNRE_REASON_SIZE + 200];

    if (external->abort && outcome != BNRE_DRAW_OK) {
        snprintf(what, sizeof what, "row %llu failed: %s; on_failure is abort",
                 row, batch->reason[i]);
        return advise(simulator, batch, i, what, BNRE_ESIM);
    }
    if (bnre__tally_add(external->tally, batch->row + i, outcome,
                        batch->reason[i], &losses)) {
        const int slow = strncmp(losses.reason, "timed out", 9) == 0;

        snprintf(what, sizeof what,
                 "most simulations are lost, %zu of the first %zu; %zu times: "
                 "%s%s",
                 losses.lost, losses.rows, losses.times, losses.reason,
                 !slow            ? ""
                 : external->once ? " (is the timeout long enough?)"
                                  : " (does the program flush its output after "
                                    "each line, and is the timeout long "
                                    "enough?)");
        return advise(simulator, batch, i, what, BNRE_ESIM);
    }
    return BNRE_OK;
}

/* ---- as a simulator ---- */

struct state {
    bnre__dialogue *dialogue; /* one of the two */
    bnre__launch *launch;
};

static void close_external(const bnre__simulator *simulator, void *arg)
{
    struct state *state = arg;

    (void)simulator;
    if (state == NULL)
        return;
    bnre__dialogue_close(state->dialogue);
    bnre__launch_close(state->launch);
    bnre__free(state);
}

static bnre_status open_external(const bnre__simulator *simulator, void **out)
{
    bnre_status status = BNRE_OK;
    const bnre__external *external = simulator->self;
    struct state *state = NULL;

    *out = NULL;
    BNRE_NEW(state, 1);
    if (external->once)
        BNRE_TRY(bnre__launch_open(simulator, &state->launch));
    else
        BNRE_TRY(bnre__dialogue_open(simulator, &state->dialogue));
    *out = state;
    state = NULL;
done:
    close_external(simulator, state);
    return status;
}

static bnre_status run_external(const bnre__simulator *simulator, void *arg,
                                const bnre__batch *batch)
{
    struct state *state = arg;

    (void)simulator;
    return state->launch != NULL ? bnre__launch_run(state->launch, batch)
                                 : bnre__dialogue_run(state->dialogue, batch);
}

static bnre_status describe_external(const bnre__simulator *simulator,
                                     bnre_node *task)
{
    bnre_node *map = NULL;

    BNRE_DO(bnre_node_branch(task, "simulator", BNRE_NODE_MAP, &map));
    return bnre__external_describe(simulator->self, map);
}

static bnre_status settle_external(const bnre__simulator *simulator, void *arg)
{
    const bnre__external *external = simulator->self;
    struct state *state = arg;
    bnre__losses losses;

    /* Who has mended the program wants these rows again. */
    if (bnre__tally_ask(external->tally, &losses))
        return bnre_fail(BNRE_ESIM, "most simulations are lost: %s",
                         losses.reason);
    return state->dialogue == NULL ? BNRE_OK
                                   : bnre__dialogue_settle(state->dialogue);
}

static size_t count_workers(const bnre__simulator *simulator)
{
    const bnre__external *external = simulator->self;

    return external->workers;
}

static bnre_status begin_external(const bnre__simulator *simulator,
                                  const char *log)
{
    const bnre__external *external = simulator->self;

    bnre__tally_reset(external->tally);
    return bnre__log_set(external->log, log);
}

static void destroy_external(void *self)
{
    bnre__external_destroy(self);
}

const bnre__simulator_kind bnre__external_simulator = {
    .open = open_external,
    .run = run_external,
    .settle = settle_external,
    .explain = advise,
    .close = close_external,
    .destroy = destroy_external,
    .describe = describe_external,
    .workers = count_workers,
    .begin = begin_external,
};
