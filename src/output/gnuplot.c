/* gnuplot.c - gnuplot as a program that turns a script into a picture. */
#define _GNU_SOURCE /* memfd_create */
#include "output/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/file.h"

/* Our environment, in the time zone UTC: PDF files hold the zone, in more or
   fewer bytes. Release *out with bnre__free(). */
static bnre_status make_environment(char ***out)
{
    static char zone[] = "TZ=UTC0";
    extern char **environ;
    bnre_status status = BNRE_OK;
    char **copy = NULL;
    size_t n = 0, to = 0;

    *out = NULL;
    while (environ != NULL && environ[n] != NULL)
        n++;
    BNRE_NEW(copy, n + 2);
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], "TZ=", 3) != 0)
            copy[to++] = environ[i];
    copy[to] = zone;
    *out = copy;
done:
    return status;
}

/* Start `gnuplot -e first script`, its words going to `log`. *pid is 0 if there
   is no gnuplot. */
static bnre_status start(char *first, char *script, int picture, int log,
                         pid_t *pid)
{
    char program[] = "gnuplot", no_init[] = "-d", run[] = "-e";
    char *argv[] = {program, no_init, run, first, script, NULL};
    char **environment = NULL;
    posix_spawn_file_actions_t actions;
    bnre_status status = BNRE_OK;
    int error;

    *pid = 0;
    BNRE_TRY(make_environment(&environment));
    if (posix_spawn_file_actions_init(&actions) != 0)
        BNRE_THROW(BNRE_ENOMEM, "no memory to start gnuplot");
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, picture, 1);
    posix_spawn_file_actions_adddup2(&actions, log, 2);
    error = posix_spawnp(pid, program, &actions, NULL, argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
        *pid = 0;
    if (error != 0 && error != ENOENT)
        BNRE_THROW(BNRE_EIO, "it cannot be started: %s", strerror(error));
done:
    bnre__free(environment);
    return status;
}

/* The first words of gnuplot that say what is wrong. */
static void complaint(const char *log, char out[256])
{
    size_t length;

    snprintf(out, 256, "it said nothing");
    for (; *log != 0; log += length + (log[length] == '\n')) {
        char line[256];

        length = strcspn(log, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, log);
        if (strspn(line, " \t^") == strlen(line))
            continue;
        memcpy(out, line, sizeof line);
        if (strstr(line, "line ") != NULL)
            return;
    }
}

/* A file without a name, in memory: it needs no place to be written. */
static bnre_status make_unnamed(int *fd)
{
    *fd = memfd_create("bnre", MFD_CLOEXEC);
    if (*fd < 0)
        return bnre_fail(BNRE_EIO, "cannot make a file in memory: %s",
                         strerror(errno));
    return BNRE_OK;
}

/* All that was written to it, and a 0. */
static bnre_status read_unnamed(int fd, char **out, size_t *bytes)
{
    bnre_status status = BNRE_OK;
    char *text = NULL;
    struct stat info;

    if (fstat(fd, &info) != 0)
        return bnre_fail(BNRE_EIO, "lost sight of what it wrote: %s",
                         strerror(errno));
    *bytes = (size_t)info.st_size;
    BNRE_NEW(text, *bytes + 1);
    BNRE_TRY(bnre__file_read_at(fd, "what it wrote", 0, text, *bytes));
    *out = text;
    text = NULL;
done:
    bnre__free(text);
    return status;
}

static bnre_status wait_for(pid_t pid, int log, int *drawn)
{
    bnre_status status = BNRE_OK;
    char words[256], *said = NULL;
    size_t bytes;
    int state = 0;

    while (waitpid(pid, &state, 0) < 0)
        if (errno != EINTR)
            BNRE_THROW(BNRE_EIO, "lost sight of it: %s", strerror(errno));
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0)
        goto done;
    *drawn = 0;
    if (WIFEXITED(state) && WEXITSTATUS(state) == 127)
        goto done; /* how a missing program shows with some C libraries */
    BNRE_TRY(read_unnamed(log, &said, &bytes));
    complaint(said, words);
    BNRE_THROW(BNRE_EIO, "%s", words);
done:
    bnre__free(said);
    return status;
}

bnre_status bnre__gnuplot_run(char *first, char *script, char **out,
                              size_t *bytes, int *drawn)
{
    bnre_status status = BNRE_OK;
    int picture = -1, log = -1;
    pid_t pid = 0;

    *out = NULL;
    *bytes = 0;
    BNRE_TRY(make_unnamed(&picture));
    BNRE_TRY(make_unnamed(&log));
    BNRE_TRY(start(first, script, picture, log, &pid));
    *drawn = pid != 0;
    if (pid != 0)
        BNRE_TRY(wait_for(pid, log, drawn));
    if (*drawn)
        BNRE_TRY(read_unnamed(picture, out, bytes));
done:
    if (log >= 0)
        close(log);
    if (picture >= 0)
        close(picture);
    return status;
}
