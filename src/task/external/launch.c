/* launch.c - a program that is run once for each simulation, in a scratch
   directory of its own. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "task/external/external.h"
#include "task/seed.h"

struct bnre__launch {
    const bnre__simulator *simulator;
    const bnre__external *external;
    char *supervisor; /* path */
    char *place;      /* of scratch directories, once it is known */
    char *answer;     /* (longest + 1) */
    size_t length, longest;
    double *value; /* (external->dim) */
    double *x;     /* (x_size) */
    bnre__tail tail;
};

/* One simulation under way. */
struct run {
    uint32_t seed;
    char **argv;
    bnre__process process;
};

void bnre__launch_close(bnre__launch *launch)
{
    if (launch == NULL)
        return;
    bnre__free(launch->place);
    bnre__free(launch->supervisor);
    bnre__free(launch->x);
    bnre__free(launch->value);
    bnre__free(launch->answer);
    bnre__free(launch);
}

bnre_status bnre__launch_open(const bnre__simulator *simulator,
                              bnre__launch **out)
{
    bnre_status status = BNRE_OK;
    const bnre__external *external = simulator->self;
    bnre__launch *launch = NULL;

    *out = NULL;
    if (external->template != NULL && external->content == NULL)
        return bnre_fail(BNRE_ESIM, "the template %s is not in %s",
                         external->template, external->directory);
    BNRE_NEW(launch, 1);
    BNRE_TRY(bnre__supervisor_find(&launch->supervisor));
    launch->simulator = simulator;
    launch->external = external;
    launch->longest =
        external->reply == BNRE__REPLY_TEXT
            ? 65536 + 64 * simulator->x_size
            : bnre__answer_bytes(external->reply, simulator->x_size);
    BNRE_NEW(launch->answer, launch->longest + 1);
    BNRE_NEW(launch->value, external->dim);
    BNRE_NEW(launch->x, simulator->x_size);
    *out = launch;
    launch = NULL;
done:
    bnre__launch_close(launch);
    return status;
}

/* ---- before ---- */

void bnre__arguments_destroy(char **argv)
{
    for (size_t i = 0; argv != NULL && argv[i] != NULL; i++)
        bnre__free(argv[i]);
    bnre__free(argv);
}

bnre_status bnre__arguments_create(const bnre__external *external,
                                   uint32_t seed, const double *value,
                                   char ***out)
{
    bnre_status status = BNRE_OK;
    char **argv = NULL;

    *out = NULL;
    BNRE_NEW(argv, external->argc + 1);
    for (size_t i = 0; i < external->argc; i++) {
        bnre__text text = {0};

        status = bnre__pattern_fill(external->argument[i], seed, value, &text);
        argv[i] = text.data;
        BNRE_TRY(status);
    }
    *out = argv;
    argv = NULL;
done:
    bnre__arguments_destroy(argv);
    return status;
}

/* Take `place` if directories can be made in it. */
static bnre_status consider(bnre__launch *launch, const char *place)
{
    char *real =
        place == NULL || launch->place != NULL ? NULL : realpath(place, NULL);
    bnre_status status = BNRE_OK;

    if (real != NULL && access(real, W_OK | X_OK) == 0)
        status = bnre__strdup(real, &launch->place);
    free(real);
    return status;
}

/* Where scratch directories are made: where the user says, in the usual place,
   or, if neither can be written, beside the output. */
static bnre_status find_place(bnre__launch *launch)
{
    const char *log = bnre__log_path(launch->external->log);
    const char *slash = log == NULL ? NULL : strrchr(log, '/');
    const char *wanted = getenv("TMPDIR");
    bnre_status status = BNRE_OK;
    char *beside = NULL;

    if (launch->place != NULL)
        return BNRE_OK;
    BNRE_TRY(bnre__text_format(&beside, "%.*s",
                               slash == NULL ? 1 : (int)(slash - log) + 1,
                               slash == NULL ? "." : log));
    BNRE_TRY(consider(launch, wanted));
    BNRE_TRY(consider(launch, "/tmp"));
    BNRE_TRY(consider(launch, beside));
    if (launch->place == NULL)
        BNRE_TRY(
            bnre__strdup(wanted != NULL && wanted[0] != 0 ? wanted : "/tmp",
                         &launch->place));
done:
    bnre__free(beside);
    return status;
}

static bnre_status write_input(const bnre__launch *launch,
                               const struct run *run)
{
    bnre_status status = BNRE_OK;
    const bnre__external *external = launch->external;
    bnre__text text = {0};
    char *path = NULL;
    FILE *file = NULL;

    if (external->content == NULL)
        return BNRE_OK;
    BNRE_TRY(
        bnre__pattern_fill(external->content, run->seed, launch->value, &text));
    BNRE_TRY(bnre__text_format(&path, "%s/%s", run->process.scratch,
                               external->input));
    file = fopen(path, "w");
    if (file == NULL || fwrite(text.data, 1, text.length, file) != text.length)
        BNRE_THROW(BNRE_EIO, "cannot write %s: %s", path, strerror(errno));
    if (fclose(file) != 0) {
        file = NULL;
        BNRE_THROW(BNRE_EIO, "cannot write %s: %s", path, strerror(errno));
    }
    file = NULL;
done:
    if (file != NULL)
        fclose(file);
    bnre__free(path);
    bnre__free(text.data);
    return status;
}

/* ---- meanwhile ---- */

/* What is printed beyond the longest answer is read and dropped, so that the
   program can end; launch->length then says that it was too much. */
static void read_output(bnre__launch *launch, bnre__process *process)
{
    char dropped[4096];
    const int keep = launch->external->output == NULL;
    size_t room = launch->longest + 1 - launch->length;
    ssize_t got;

    if (keep && room > 0)
        got = read(process->output, launch->answer + launch->length, room);
    else
        got = read(process->output, dropped, sizeof dropped);
    if (got > 0 && keep && room > 0)
        launch->length += (size_t)got;
    if (got == 0) {
        close(process->output);
        process->output = -1;
    }
}

/* Read what was written before the end, but no more than a pipe holds: a
   descendant may still be writing. */
static void read_rest(bnre__launch *launch, bnre__process *process)
{
    for (int i = 0; i < 64 && process->output >= 0; i++) {
        struct pollfd fd = {.fd = process->output, .events = POLLIN};

        if (poll(&fd, 1, 0) <= 0)
            break;
        read_output(launch, process);
    }
    bnre__external_listen(launch->external, process, &launch->tail);
}

static void wait_for_end(bnre__launch *launch, bnre__process *process)
{
    const double until = bnre__clock() + launch->external->timeout;

    while (!process->ended) {
        struct pollfd fd[3] = {
            {.fd = process->report, .events = POLLIN},
            {.fd = process->output, .events = POLLIN},
            {.fd = process->diagnostics, .events = POLLIN},
        };
        double left = until - bnre__clock();

        if (left <= 0)
            return;
        if (poll(fd, 3, left > 3600 ? 3600000 : (int)(left * 1e3) + 1) <= 0)
            continue;
        if (fd[1].revents != 0)
            read_output(launch, process);
        if (fd[2].revents != 0)
            bnre__external_listen(launch->external, process, &launch->tail);
        if (fd[0].revents != 0)
            bnre__process_look(process);
    }
    read_rest(launch, process);
}

/* ---- afterwards ---- */

static int read_output_file(bnre__launch *launch, const struct run *run,
                            char reason[BNRE_REASON_SIZE])
{
    const char *name = launch->external->output;
    char path[4096];
    FILE *file = NULL;
    int fd;

    snprintf(path, sizeof path, "%s/%s", run->process.scratch, name);
    /* What has this name may be a pipe, which must not stop us. */
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0)
        file = fdopen(fd, "r");
    if (file == NULL) {
        snprintf(reason, BNRE_REASON_SIZE, "no output file %s: %s", name,
                 strerror(errno));
        if (fd >= 0)
            close(fd);
        return 0;
    }
    launch->length = fread(launch->answer, 1, launch->longest + 1, file);
    fclose(file);
    return 1;
}

/* The answer is in launch->answer. Returns the row's outcome. */
static bnre_draw understand(bnre__launch *launch, char reason[BNRE_REASON_SIZE])
{
    const bnre__reply reply = launch->external->reply;
    const size_t n = launch->simulator->x_size;

    if (reply != BNRE__REPLY_TEXT) {
        if (launch->length == launch->longest) {
            bnre__answer_decode(reply, launch->answer, n, launch->x);
            return BNRE_DRAW_OK;
        }
        snprintf(reason, BNRE_REASON_SIZE, "answered %s%zu bytes, expected %zu",
                 launch->length > launch->longest ? "at least " : "",
                 launch->length, launch->longest);
        return BNRE_DRAW_LOST;
    }
    if (launch->length > launch->longest) {
        snprintf(reason, BNRE_REASON_SIZE,
                 "the answer is longer than %zu bytes", launch->longest);
        return BNRE_DRAW_LOST;
    }
    switch (bnre__answer_read(launch->answer, launch->length, n, launch->x,
                              reason)) {
    case BNRE__ANSWER_NUMBERS:
        return BNRE_DRAW_OK;
    case BNRE__ANSWER_ERROR:
        return BNRE_DRAW_INVALID;
    default:
        return BNRE_DRAW_LOST;
    }
}

static bnre_draw judge(bnre__launch *launch, const struct run *run,
                       char reason[BNRE_REASON_SIZE])
{
    const bnre__ending *ending = &run->process.ending;

    if (!run->process.ended) {
        snprintf(reason, BNRE_REASON_SIZE, "timed out after %g s",
                 launch->external->timeout);
        return BNRE_DRAW_LOST;
    }
    if (ending->kind != BNRE__END_EXIT || ending->value != 0) {
        bnre__process_tell(&run->process, bnre__tail_line(&launch->tail),
                           reason);
        return BNRE_DRAW_LOST;
    }
    if (launch->external->output != NULL &&
        !read_output_file(launch, run, reason))
        return BNRE_DRAW_LOST;
    return understand(launch, reason);
}

static bnre_status run_row(bnre__launch *launch, const bnre__batch *batch,
                           size_t i)
{
    bnre_status status = BNRE_OK;
    const bnre__external *external = launch->external;
    const size_t x_size = launch->simulator->x_size;
    struct run run = {.process = BNRE__PROCESS_NONE};
    bnre__program program = {.supervisor = launch->supervisor, .scratch = 1};
    bnre_draw outcome;

    run.seed = bnre__program_seed(batch->seed, batch->split, batch->row + i);
    bnre__external_values(launch->simulator, batch, i, launch->value);
    launch->length = 0;
    bnre__tail_clear(&launch->tail);
    BNRE_TRY(
        bnre__arguments_create(external, run.seed, launch->value, &run.argv));
    program.argv = run.argv;
    BNRE_TRY(find_place(launch));
    program.directory = launch->place;
    BNRE_TRY(bnre__process_start(&run.process, &program));
    BNRE_TRY(write_input(launch, &run));
    bnre__process_go(&run.process);
    wait_for_end(launch, &run.process);
    BNRE_TRY(bnre__process_check_start(&run.process, run.argv[0]));
    outcome = judge(launch, &run, batch->reason[i]);
    if (outcome == BNRE_DRAW_OK)
        bnre__batch_store(batch, i, x_size, launch->x);
    else
        bnre__batch_fail(batch, i, x_size, outcome);
    BNRE_TRY(bnre__external_finish(launch->simulator, batch, i));
done:
    bnre__process_stop(&run.process, 0);
    bnre__arguments_destroy(run.argv);
    return status;
}

bnre_status bnre__launch_run(bnre__launch *launch, const bnre__batch *batch)
{
    for (size_t i = 0; i < batch->n; i++)
        BNRE_DO(run_row(launch, batch, i));
    return BNRE_OK;
}
