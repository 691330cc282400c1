/* process.h - one external program, running under its supervisor.

   Nothing here blocks: input and output are non-blocking pipes for the caller's
   poll(). The program, and whatever it started in its process group, is gone
   when bnre__process_stop() returns, and goes by itself when this process
   dies. */
#ifndef BNRE_TASK_PROCESS_H
#define BNRE_TASK_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

#include "bnre/plugin.h"
#include "bnre/status.h"
#include "task/external/supervise.h"

/* What to run. All borrowed. */
typedef struct bnre__program {
    const char *supervisor; /* path of bnre-supervise */
    const char *directory;  /* where the program runs */
    int scratch;            /* rather in a fresh directory inside that one, and
                               not before bnre__process_go() */
    int talks;              /* reads requests; else its input is empty */
    char *const *argv;      /* ends with NULL; no shell sees it */
} bnre__program;

/* A running program, or none: pid 0. Start from BNRE__PROCESS_NONE. */
typedef struct bnre__process {
    pid_t pid;       /* of the supervisor */
    int input;       /* we write */
    int input_hold;  /* the reading end of `input`: while it is open, writing to
                        a dead program fills the pipe rather than raising a
                        signal in a host that did not ask for one */
    int output;      /* we read */
    int diagnostics; /* its stderr, we read */
    int life_line, report;
    int life_hold; /* as input_hold, until bnre__process_go() */
    char *scratch; /* path of the fresh directory, or NULL */
    int ended;     /* `ending` is known */
    bnre__ending ending;
} bnre__process;

#define BNRE__PROCESS_NONE                                                     \
    {                                                                          \
        .input = -1, .input_hold = -1, .output = -1, .diagnostics = -1,        \
        .life_line = -1, .life_hold = -1, .report = -1                         \
    }

/* Find bnre-supervise: $BNRE_SUPERVISE, where this library was built or
   installed. The caller owns *out. Errors: ESIM when it is not there. */
BNRE_MUST_CHECK bnre_status bnre__supervisor_find(char **out);

/* Errors: ESIM with what the system said; EIO when there can be no scratch
   directory. That the program itself cannot be started shows in its ending. */
BNRE_MUST_CHECK bnre_status bnre__process_start(bnre__process *process,
                                                const bnre__program *program);

/* All that the program needs is in its scratch directory: let it start. */
void bnre__process_go(bnre__process *process);

/* End the program and wait until it is gone, and its scratch directory. It gets
   end-of-file on its input and `patience` seconds to end by itself, then a
   signal it cannot ignore for long. Does nothing when none runs. */
void bnre__process_stop(bnre__process *process, double patience);

/* See whether the program has ended; does not wait. */
void bnre__process_look(bnre__process *process);

void bnre__process_close_input(bnre__process *process);

/* How it ended, in words: "exit status 3", "killed by signal 11 (segmentation
   fault)"; `last` is what it said last, "" for nothing. */
void bnre__process_tell(const bnre__process *process, const char *last,
                        char reason[BNRE_REASON_SIZE]);

/* ESIM when the program could not even be started, else BNRE_OK. */
BNRE_MUST_CHECK bnre_status
bnre__process_check_start(const bnre__process *process, const char *program);

#endif
