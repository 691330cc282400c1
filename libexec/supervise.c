/* bnre-supervise - run one program for a parent that may die at any moment.

     bnre-supervise DIRECTORY here|scratch PROGRAM [ARGUMENT...]

   The program runs in DIRECTORY with this process's standard descriptors, in a
   process group of its own. When the life-line (descriptor 3) reads
   end-of-file - the parent closed it, or is gone, however it went - the group
   gets SIGTERM and, a moment later, SIGKILL. How the program ended is reported
   on descriptor 4. Whatever the program leaves behind in its group is killed;
   processes that left the group are out of reach.

   With `scratch`, the program runs in a fresh directory inside DIRECTORY, which
   is made here, told to the parent, who may put files into it before it lets
   the program start, and removed here when the life-line ends: at no time does
   the directory depend on the parent being alive. */
#define _GNU_SOURCE /* prctl, setpgid before exec */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "task/external/remove_tree.h"
#include "task/external/supervise.h"

static const double GRACE = 0.3;   /* seconds between SIGTERM and SIGKILL */
static const double BURIAL = 2.0;  /* at most this long for the dead to go */
static const double GLANCE = 0.01; /* between looks at a dying group */

static volatile sig_atomic_t asked_to_stop;

static void note_stop(int signal)
{
    (void)signal;
    asked_to_stop = 1;
}

/* Its only use is to end pselect(). */
static void note_child(int signal)
{
    (void)signal;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Files that the parent's other libraries left open are not the program's. */
static void close_foreign_descriptors(void)
{
    DIR *stream = opendir("/proc/self/fd");
    struct dirent *entry;

    if (stream == NULL) {
        for (int fd = BNRE__REPORT + 1; fd < 1024; fd++)
            close(fd);
        return;
    }
    while ((entry = readdir(stream)) != NULL) {
        int fd = atoi(entry->d_name);

        if (fd > BNRE__REPORT && fd != dirfd(stream))
            close(fd);
    }
    closedir(stream);
}

static void report(int kind, int value)
{
    const bnre__ending ending = {kind, value};

    /* If nobody reads it there is nobody to tell. */
    if (write(BNRE__REPORT, &ending, sizeof ending) < 0)
        return;
}

/* Make the scratch directory, tell the parent and wait for its word. Returns 0
   if the program shall not run: then there is no directory. */
static int prepare_scratch(const char *parent, char *path, size_t room)
{
    bnre__scratch scratch = {0};
    const int length = snprintf(path, room, "%s/bnre-XXXXXX", parent);
    ssize_t got;
    char byte;

    if (length < 0 || (size_t)length >= room)
        scratch.error = ENAMETOOLONG;
    else if (mkdtemp(path) == NULL)
        scratch.error = errno;
    else
        snprintf(scratch.name, sizeof scratch.name, "%s",
                 strrchr(path, '/') + 1);
    got = write(BNRE__REPORT, &scratch, sizeof scratch);
    if (scratch.error != 0)
        return 0;
    /* A parent that is gone has read nothing, and says nothing. */
    if (got > 0) {
        do
            got = read(BNRE__LIFE_LINE, &byte, 1);
        while (got < 0 && errno == EINTR);
    }
    if (got == 1)
        return 1;
    bnre__remove_tree(path);
    return 0;
}

/* The parent has yet to read what the program left in its directory. */
static void wait_for_parent(void)
{
    ssize_t got;
    char byte;

    do
        got = read(BNRE__LIFE_LINE, &byte, 1);
    while (got > 0 || (got < 0 && errno == EINTR));
}

static void become_program(const char *directory, char **argv, pid_t parent)
{
    const struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t none;

    setpgid(0, 0);
    /* Should this supervisor be killed itself, the program goes with it. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    for (int signal = 1; signal < NSIG; signal++)
        sigaction(signal, &standard, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (chdir(directory) != 0) {
        report(BNRE__END_NO_DIR, errno);
        _exit(127);
    }
    execvp(argv[0], argv);
    report(BNRE__END_NO_EXEC, errno);
    _exit(127);
}

/* Keep the program's standard descriptors from staying open through us: the
   parent must see the end of its output. */
static void let_go_of_standard_descriptors(void)
{
    int null = open("/dev/null", O_RDWR);

    for (int fd = 0; fd < 3; fd++)
        if (null < 0 || dup2(null, fd) < 0)
            close(fd);
    if (null > 2)
        close(null);
}

static void catch_signals(sigset_t *while_waiting)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    const struct sigaction stop = {.sa_handler = note_stop};
    const struct sigaction child = {.sa_handler = note_child};
    const int stops[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    sigset_t blocked;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        sigaddset(&blocked, stops[i]);
        sigaction(stops[i], &stop, NULL);
    }
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGCHLD, &child, NULL);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    sigemptyset(while_waiting);
}

static int has_ended(pid_t pid)
{
    siginfo_t info = {0};

    /* Not reaped yet: its number must not go to another before its group got
       the last signal. */
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid == pid;
}

/* Sleep until the life-line ends (if watched), a signal comes or the time is
   over. Returns whether the life-line ended. */
static int wait_for_news(int watch, double seconds, const sigset_t *mask)
{
    struct timespec limit;
    fd_set set;
    char byte;

    if (seconds < 0)
        seconds = 0;
    limit.tv_sec = (time_t)seconds;
    limit.tv_nsec = (long)((seconds - (double)limit.tv_sec) * 1e9);
    FD_ZERO(&set);
    if (watch)
        FD_SET(BNRE__LIFE_LINE, &set);
    if (pselect(BNRE__LIFE_LINE + 1, &set, NULL, NULL, &limit, mask) <= 0)
        return 0;
    return read(BNRE__LIFE_LINE, &byte, 1) <= 0;
}

/* Wait for the program's end, which comes soon if we are told to end it. */
static void watch_program(pid_t pid, const sigset_t *mask)
{
    int stopping = 0, killed = 0;
    double deadline = 0;

    while (!has_ended(pid)) {
        double wait = stopping ? deadline - now() : 3600;
        int ended = wait_for_news(!stopping, wait, mask);

        if (!stopping && (ended || asked_to_stop)) {
            stopping = 1;
            deadline = now() + GRACE;
            kill(-pid, SIGTERM);
            kill(-pid, SIGCONT);
        } else if (stopping && now() >= deadline) {
            if (killed)
                break; /* stuck in the kernel: not ours to solve */
            killed = 1;
            deadline = now() + BURIAL;
            kill(-pid, SIGKILL);
        }
    }
}

/* Kill what is left of the group and wait until it is gone. Orphans come to us
   as we are their reaper, so that none stays behind as a zombie. */
static void bury_group(pid_t pid, const sigset_t *mask, int *status)
{
    const double deadline = now() + BURIAL;

    kill(-pid, SIGKILL);
    waitpid(pid, status, WNOHANG);
    while (now() < deadline) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        if (kill(-pid, 0) != 0)
            break;
        kill(-pid, SIGKILL); /* one may have been forked meanwhile */
        wait_for_news(0, GLANCE, mask);
    }
}

static void report_ending(int status)
{
    if (WIFSIGNALED(status))
        report(BNRE__END_SIGNAL, WTERMSIG(status));
    else
        report(BNRE__END_EXIT, WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
    const int scratch = argc > 2 && strcmp(argv[2], "scratch") == 0;
    char path[4096];
    const char *directory = argv[1];
    sigset_t mask;
    pid_t pid, self = getpid();
    int status = 0;

    if (argc < 4) {
        fprintf(stderr, "usage: bnre-supervise DIRECTORY here|scratch PROGRAM "
                        "[ARGUMENT...]\nbnre starts it by itself.\n");
        return 2;
    }
    close_foreign_descriptors();
    fcntl(BNRE__LIFE_LINE, F_SETFD, FD_CLOEXEC);
    fcntl(BNRE__REPORT, F_SETFD, FD_CLOEXEC);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    catch_signals(&mask);
    if (scratch) {
        if (!prepare_scratch(argv[1], path, sizeof path))
            return 1;
        directory = path;
    }
    pid = fork();
    if (pid == 0)
        become_program(directory, argv + 3, self);
    if (pid < 0) {
        report(BNRE__END_NO_EXEC, errno);
    } else {
        setpgid(pid, pid); /* whoever of us two comes first */
        let_go_of_standard_descriptors();
        watch_program(pid, &mask);
        bury_group(pid, &mask, &status);
        report_ending(status);
    }
    if (scratch) {
        wait_for_parent();
        bnre__remove_tree(path);
    }
    return 0;
}
