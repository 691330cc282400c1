/* process.c - one external program, running under its supervisor, and where
   the supervisor is. */
#define _GNU_SOURCE /* pipe2 */
#include "task/external/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/place.h"
#include "base/text.h"
#include "task/external/remove_tree.h"

#ifndef BNRE_LIBEXEC_DIR
#define BNRE_LIBEXEC_DIR "/usr/local/libexec/bnre"
#endif

static const char NAME[] = "bnre-supervise";

static bnre_status try_directory(const char *directory, const char *below,
                                 char **out)
{
    bnre_status status = BNRE_OK;
    char *path = NULL;

    if (*out != NULL || directory == NULL)
        return BNRE_OK;
    BNRE_TRY(bnre__text_format(&path, "%s%s/%s", directory, below, NAME));
    if (access(path, X_OK) == 0) {
        *out = path;
        path = NULL;
    }
done:
    bnre__free(path);
    return status;
}

bnre_status bnre__supervisor_find(char **out)
{
    bnre_status status = BNRE_OK;
    const char *named = getenv("BNRE_SUPERVISE");
    char *own = NULL;

    *out = NULL;
    if (named != NULL && named[0] != 0)
        return bnre__strdup(named, out);
    BNRE_TRY(bnre__own_directory(&own));
    BNRE_TRY(try_directory(own, "", out));
    BNRE_TRY(try_directory(own, "/..", out)); /* of test programs */
    BNRE_TRY(try_directory(own, "/../libexec/bnre", out));
    BNRE_TRY(try_directory(own, "/../../libexec/bnre", out));
    BNRE_TRY(try_directory(BNRE_LIBEXEC_DIR, "", out));
    if (*out == NULL)
        BNRE_THROW(BNRE_ESIM,
                   "%s is not there: it is installed with the library as %s/%s;"
                   " the environment variable BNRE_SUPERVISE may name it",
                   NAME, BNRE_LIBEXEC_DIR, NAME);
done:
    bnre__free(own);
    return status;
}

extern char **environ;

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Numbers below this are targets of the child's descriptors: keeping ours
   above, no order of duplications can overwrite one that is still needed. */
enum { LOWEST_FD = 10 };

static int raise_fd(int *fd)
{
    int raised = fcntl(*fd, F_DUPFD_CLOEXEC, LOWEST_FD);

    close_fd(fd);
    *fd = raised;
    return raised < 0 ? -1 : 0;
}

/* A pipe that no other child can inherit, not even one started meanwhile. */
static bnre_status open_pipe(int *reader, int *writer)
{
    int end[2];

    if (pipe2(end, O_CLOEXEC) != 0)
        return bnre_fail(BNRE_ESIM, "cannot make a pipe for the simulator: %s",
                         strerror(errno));
    *reader = end[0];
    *writer = end[1];
    if (raise_fd(reader) != 0 || raise_fd(writer) != 0)
        return bnre_fail(BNRE_ESIM, "no descriptor for the simulator: %s",
                         strerror(errno));
    return BNRE_OK;
}

/* The child's ends of the pipes. */
struct ends {
    int input, output, diagnostics, life_line, report;
};

static bnre_status open_pipes(bnre__process *process, struct ends *child)
{
    BNRE_DO(open_pipe(&child->input, &process->input));
    BNRE_DO(open_pipe(&process->output, &child->output));
    BNRE_DO(open_pipe(&process->diagnostics, &child->diagnostics));
    BNRE_DO(open_pipe(&child->life_line, &process->life_line));
    BNRE_DO(open_pipe(&process->report, &child->report));
    fcntl(process->input, F_SETFL, O_NONBLOCK);
    fcntl(process->output, F_SETFL, O_NONBLOCK);
    fcntl(process->diagnostics, F_SETFL, O_NONBLOCK);
    fcntl(process->report, F_SETFL, O_NONBLOCK);
    return BNRE_OK;
}

static int spawn(bnre__process *process, const bnre__program *program,
                 const struct ends *child, char **argv)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all, none;
    int error;

    sigfillset(&all);
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    /* A group of its own: Ctrl-C is for us, who end the programs in order. */
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP |
                                              POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETSIGMASK);
    error = program->talks
                ? posix_spawn_file_actions_adddup2(&actions, child->input,
                                                   STDIN_FILENO)
                : posix_spawn_file_actions_addopen(&actions, STDIN_FILENO,
                                                   "/dev/null", O_RDONLY, 0);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(&actions, child->output,
                                                 STDOUT_FILENO);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(&actions, child->diagnostics,
                                                 STDERR_FILENO);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(&actions, child->life_line,
                                                 BNRE__LIFE_LINE);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(&actions, child->report,
                                                 BNRE__REPORT);
    if (error == 0)
        error = posix_spawn(&process->pid, program->supervisor, &actions,
                            &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void close_all(bnre__process *process)
{
    const bnre__process none = BNRE__PROCESS_NONE;

    close_fd(&process->input);
    close_fd(&process->input_hold);
    close_fd(&process->output);
    close_fd(&process->diagnostics);
    close_fd(&process->life_line);
    close_fd(&process->life_hold);
    close_fd(&process->report);
    bnre__free(process->scratch);
    *process = none;
}

/* The supervisor's first words, which come at once. */
static bnre_status hear_of_scratch(bnre__process *process,
                                   const bnre__program *program)
{
    bnre__scratch scratch = {0};
    struct pollfd fd = {.fd = process->report, .events = POLLIN};
    ssize_t got;

    do {
        poll(&fd, 1, -1);
        got = read(process->report, &scratch, sizeof scratch);
    } while (got < 0 && (errno == EINTR || errno == EAGAIN));
    if (got != sizeof scratch)
        return bnre_fail(BNRE_ESIM, "%s ended before its time",
                         program->supervisor);
    if (scratch.error != 0)
        return bnre_fail(BNRE_EIO,
                         "cannot make a scratch directory in %s: %s; the "
                         "environment variable TMPDIR names another place",
                         program->directory, strerror(scratch.error));
    scratch.name[sizeof scratch.name - 1] = 0;
    return bnre__text_format(&process->scratch, "%s/%s", program->directory,
                             scratch.name);
}

void bnre__process_go(bnre__process *process)
{
    /* An empty pipe takes a byte. */
    if (process->life_hold >= 0 && write(process->life_line, "", 1) < 0)
        close_fd(&process->life_line);
    close_fd(&process->life_hold);
}

bnre_status bnre__process_start(bnre__process *process,
                                const bnre__program *program)
{
    bnre_status status = BNRE_OK;
    struct ends child = {-1, -1, -1, -1, -1};
    char **argv = NULL;
    size_t n = 0;
    int error;

    while (program->argv[n] != NULL)
        n++;
    BNRE_NEW(argv, n + 4);
    argv[0] = (char *)"bnre-supervise";
    argv[1] = (char *)program->directory;
    argv[2] = (char *)(program->scratch ? "scratch" : "here");
    memcpy(argv + 3, program->argv, n * sizeof *argv);
    BNRE_TRY(open_pipes(process, &child));
    error = spawn(process, program, &child, argv);
    if (error != 0) {
        process->pid = 0;
        BNRE_THROW(BNRE_ESIM, "cannot start %s: %s", program->supervisor,
                   strerror(error));
    }
    process->input_hold = child.input;
    child.input = -1;
    if (!program->talks)
        bnre__process_close_input(process);
    close_fd(&child.report); /* or the end of the supervisor's would not show */
    if (program->scratch) {
        process->life_hold = child.life_line;
        child.life_line = -1;
        BNRE_TRY(hear_of_scratch(process, program));
    }
done:
    close_fd(&child.input);
    close_fd(&child.output);
    close_fd(&child.diagnostics);
    close_fd(&child.life_line);
    close_fd(&child.report);
    if (status != BNRE_OK) {
        bnre__process_stop(process, 0);
        close_all(process);
    }
    bnre__free(argv);
    return status;
}

void bnre__process_close_input(bnre__process *process)
{
    close_fd(&process->input);
    close_fd(&process->input_hold);
}

void bnre__process_look(bnre__process *process)
{
    ssize_t got;

    if (process->ended || process->pid == 0)
        return;
    got = read(process->report, &process->ending, sizeof process->ending);
    if (got < 0)
        return;
    process->ended = 1;
    /* A supervisor that goes without a word was killed, and the program with
       it. */
    if (got != sizeof process->ending)
        process->ending =
            (bnre__ending){.kind = BNRE__END_SIGNAL, .value = SIGKILL};
}

void bnre__process_stop(bnre__process *process, double patience)
{
    const double deadline = bnre__clock() + patience;
    int status = 0;

    if (process->pid == 0)
        return;
    bnre__process_close_input(process);
    bnre__process_look(process);
    while (!process->ended) {
        struct pollfd fd = {.fd = process->report, .events = POLLIN};
        double left = deadline - bnre__clock();

        if (left <= 0)
            break;
        poll(&fd, 1, (int)(left * 1e3) + 1);
        bnre__process_look(process);
    }
    close_fd(&process->life_line);
    /* The supervisor ends soon after its life-line, whatever the program
       does, and its scratch directory with it. */
    while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status) && process->scratch != NULL)
        bnre__remove_tree(process->scratch); /* it was killed itself */
    close_all(process);
}

static const char *signal_name(int number)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {
        {SIGABRT, "aborted"},
        {SIGBUS, "bus error"},
        {SIGFPE, "arithmetic error"},
        {SIGILL, "illegal instruction"},
        {SIGKILL, "killed; out of memory?"},
        {SIGPIPE, "broken pipe"},
        {SIGSEGV, "segmentation fault"},
        {SIGTERM, "terminated"},
        {SIGTRAP, "trap"},
        {SIGXCPU, "out of processor time"},
        {SIGXFSZ, "file too large"},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == number)
            return names[i].name;
    return "unusual";
}

void bnre__process_tell(const bnre__process *process, const char *last,
                        char reason[BNRE_REASON_SIZE])
{
    const int value = process->ending.value;
    const char *colon = last[0] == 0 ? "" : ": ";

    if (process->ending.kind == BNRE__END_SIGNAL)
        snprintf(reason, BNRE_REASON_SIZE, "killed by signal %d (%s)%s%s",
                 value, signal_name(value), colon, last);
    else
        snprintf(reason, BNRE_REASON_SIZE, "exit status %d%s%s", value, colon,
                 last);
}

bnre_status bnre__process_check_start(const bnre__process *process,
                                      const char *program)
{
    const char *why = strerror(process->ending.value);

    if (!process->ended)
        return BNRE_OK;
    if (process->ending.kind == BNRE__END_NO_DIR)
        return bnre_fail(BNRE_ESIM, "cannot start %s in its directory: %s",
                         program, why);
    if (process->ending.kind == BNRE__END_NO_EXEC)
        return bnre_fail(
            BNRE_ESIM, "cannot start the simulator %s: %s%s", program, why,
            process->ending.value == ENOENT && strchr(program, '/') == NULL
                ? " on the PATH; a program beside the study is "
                  "written with ./ before its name"
                : "");
    return BNRE_OK;
}
