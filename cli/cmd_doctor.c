/* The command `doctor`: what is here, what is missing, and what to do. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

struct args {
    struct common common;
};

static void line(const char *what, const char *found, const char *missing)
{
    cli_print("  %-16s%s\n", what, found != NULL ? found : missing);
}

/* Where a program is by PATH; NULL if nowhere. */
static const char *find_program(const char *name, char out[CLI_PATH])
{
    const char *path = getenv("PATH");

    while (path != NULL && *path != 0) {
        const size_t n = strcspn(path, ":");

        if (n > 0 && n < CLI_PATH / 2) {
            snprintf(out, CLI_PATH, "%.*s/%s", (int)n, path, name);
            if (access(out, X_OK) == 0)
                return out;
        }
        path += n + (path[n] == ':');
    }
    return NULL;
}

/* What runs external simulators: beside the program, or where it is installed.
 */
static const char *find_supervisor(char out[CLI_PATH])
{
    static const char *const places[] = {"bnre-supervise",
                                         "../libexec/bnre/bnre-supervise"};
    char own[CLI_PATH / 2];
    const ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    char *slash;

    if (n <= 0)
        return NULL;
    own[n] = 0;
    slash = strrchr(own, '/');
    if (slash == NULL)
        return NULL;
    *slash = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(out, CLI_PATH, "%s/%s", own, places[i]);
        if (access(out, X_OK) == 0)
            return out;
    }
    return NULL;
}

static int has_task(const char *name)
{
    bnre_task *task = NULL;
    const int has = bnre_task_open(name, 0, NULL, &task) == BNRE_OK;

    bnre_task_destroy(task);
    return has;
}

static bnre_status run(const void *fields, struct cli_work *work)
{
    const char *scratch = getenv("TMPDIR");
    char path[CLI_PATH], cores[32];
    int supervised;

    (void)fields;
    (void)work;
    scratch = scratch != NULL && scratch[0] != 0 ? scratch : "/tmp";
    snprintf(cores, sizeof cores, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    cli_print("bnre " BNRE_VERSION " (plugin ABI %d)\n", BNRE_PLUGIN_ABI);
    line("kernels", bnre_kernels_name(), "");
    line("cores", cores, "");
    supervised = find_supervisor(path) != NULL;
    line("supervisor", supervised ? path : NULL,
         "MISSING: programs cannot be simulators; install bnre-supervise "
         "beside bnre");
    line("gnuplot", find_program("gnuplot", path),
         "missing: pictures are written as scripts and data (apt-get install "
         "gnuplot-nox)");
    line("task gw", has_task("gw") ? "there" : NULL,
         "missing: it needs FFTW when bnre is built (apt-get install "
         "libfftw3-dev)");
    line("bnre-mpi", find_program("bnre-mpi", path),
         "missing: studies run on one machine (apt-get install "
         "libopenmpi-dev before building)");
    line("python3", find_program("python3", path),
         "missing: only the Python package needs it");
    line("scratch", access(scratch, W_OK) == 0 ? scratch : NULL,
         "cannot be written: set TMPDIR to a directory that can");
    if (!supervised)
        return bnre_fail(BNRE_EIO, "something that is needed is missing");
    cli_print("all that is needed is there\n");
    return BNRE_OK;
}

const struct command cli_doctor = {
    .name = "doctor",
    .title = "what is here, what is missing, and what to do about it",
    .usage = "[options]",
    .text = "Looks for what bnre works with: the kernels of this processor, "
            "the supervisor of external simulators, gnuplot for pictures, "
            "plugins, MPI and Python. The exit status is 1 if something is "
            "missing that bnre cannot do without.",
    .examples = "  bnre doctor\n",
    .size = sizeof(struct args),
    .run = run,
};
