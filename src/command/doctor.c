/* doctor.c - the command `doctor`: what is here, what is missing, and what to do
   about it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/command.h"
#include "task/external/process.h"

void bnre_doctor_outcome_clear(bnre_doctor_outcome *outcome)
{
    for (size_t i = 0; i < outcome->n; i++)
        bnre__free(outcome->item[i].found);
    *outcome = (bnre_doctor_outcome){0};
}

/* Takes `found`, NULL for what is not there. */
static void add(bnre_doctor_outcome *outcome, const char *what, char *found,
                const char *missing)
{
    outcome->item[outcome->n++] =
        (bnre_doctor_item){.what = what, .found = found, .missing = missing};
}

static bnre_status add_processor(bnre_doctor_outcome *outcome)
{
    char *found = NULL;

    BNRE_DO(bnre__strdup(bnre_kernels_name(), &found));
    add(outcome, "kernels", found, "");
    BNRE_DO(bnre__text_format(&found, "%ld", sysconf(_SC_NPROCESSORS_ONLN)));
    add(outcome, "cores", found, "");
    return BNRE_OK;
}

/* What runs external simulators: all else can be done without. */
static bnre_status add_supervisor(bnre_doctor_outcome *outcome)
{
    char *found = NULL;
    const bnre_status status = bnre__supervisor_find(&found);

    if (status == BNRE_ENOMEM)
        return status;
    if (found != NULL && access(found, X_OK) != 0) {
        bnre__free(found);
        found = NULL;
    }
    outcome->complete = found != NULL;
    add(outcome, "supervisor", found,
        "MISSING: programs cannot be simulators; install bnre-supervise beside "
        "bnre");
    return BNRE_OK;
}

/* Where a program is by PATH. */
static bnre_status add_program(bnre_doctor_outcome *outcome, const char *name,
                               const char *missing)
{
    const char *path = getenv("PATH");
    char *found = NULL;

    while (found == NULL && path != NULL && *path != 0) {
        const size_t n = strcspn(path, ":");

        if (n > 0)
            BNRE_DO(bnre__text_format(&found, "%.*s/%s", (int)n, path, name));
        if (found != NULL && access(found, X_OK) != 0) {
            bnre__free(found);
            found = NULL;
        }
        path += n + (path[n] == ':');
    }
    add(outcome, name, found, missing);
    return BNRE_OK;
}

static bnre_status add_task(bnre_doctor_outcome *outcome)
{
    bnre_task *task = NULL;
    const bnre_status status = bnre_task_open("gw", 0, NULL, &task);
    char *found = NULL;

    bnre_task_destroy(task);
    if (status == BNRE_ENOMEM)
        return status;
    if (status == BNRE_OK)
        BNRE_DO(bnre__strdup("there", &found));
    add(outcome, "task gw", found,
        "missing: it needs FFTW when bnre is built (apt-get install "
        "libfftw3-dev)");
    return BNRE_OK;
}

static bnre_status add_scratch(bnre_doctor_outcome *outcome)
{
    const char *named = getenv("TMPDIR");
    const char *path = named != NULL && named[0] != 0 ? named : "/tmp";
    char *found = NULL;

    if (access(path, W_OK) == 0)
        BNRE_DO(bnre__strdup(path, &found));
    add(outcome, "scratch", found,
        "cannot be written: set TMPDIR to a directory that can");
    return BNRE_OK;
}

bnre_status bnre_doctor_make(bnre_doctor_outcome *outcome)
{
    *outcome = (bnre_doctor_outcome){0};
    BNRE_DO(add_processor(outcome));
    BNRE_DO(add_supervisor(outcome));
    BNRE_DO(add_program(outcome, "gnuplot",
                        "missing: pictures are written as scripts and data "
                        "(apt-get install gnuplot-nox)"));
    BNRE_DO(add_task(outcome));
    BNRE_DO(add_program(outcome, "bnre-mpi",
                        "missing: studies run on one machine (apt-get install "
                        "libopenmpi-dev before building)"));
    BNRE_DO(add_program(outcome, "python3",
                        "missing: only the Python package needs it"));
    return add_scratch(outcome);
}
