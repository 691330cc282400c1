/* external.h - external programs as simulators.

   Two forms. A program that is kept running reads a line per simulation and
   answers it (dialogue.c); a program that is run once per simulation finds its
   parameters in its arguments or in a file made from a template (launch.c). */
#ifndef BNRE_TASK_EXTERNAL_H
#define BNRE_TASK_EXTERNAL_H

#include "bnre/settings.h"
#include "task/external/answer.h"
#include "task/external/log.h"
#include "task/external/pattern.h"
#include "task/external/process.h"
#include "task/simulator.h"
#include "task/tally.h"

/* Shared by all threads; only the tally and the log change, under locks. */
typedef struct bnre__external {
    /* As the user wrote it. */
    size_t argc;
    char **command; /* (argc) */
    bnre__reply reply;
    double timeout; /* seconds */
    size_t workers; /* 0: as many as threads */
    int abort;      /* at the first failure */
    char *template, *input, *output;

    /* What follows from it. */
    int once;                 /* one run per simulation */
    char *directory;          /* of the settings, absolute */
    char **argv;              /* (argc + 1), paths resolved */
    bnre__pattern **argument; /* (argc), of argv; one run per simulation */
    bnre__pattern *content;   /* of the template */
    size_t dim;               /* parameters and nuisance */

    bnre__tally *tally;
    bnre__log *log;
} bnre__external;

/* From the map under the task's key `simulator`; `names` are those of the
   parameters, then of the nuisance parameters. Relative paths start from the
   directory of the file the map came from, or from the current one if it came
   from none; then a template may be missing until something is simulated.
   Errors: EUSAGE with the place; EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status
bnre__external_create(const bnre_node *settings,
                      const bnre__placeholders *names, bnre__external **out);
void bnre__external_destroy(bnre__external *external);

/* Put the settings that affect the result into an empty map. */
BNRE_MUST_CHECK bnre_status
bnre__external_describe(const bnre__external *external, bnre_node *map);

/* `self` of a simulator of this kind is a bnre__external, which it takes. */
extern const bnre__simulator_kind bnre__external_simulator;

/* ---- for the two forms ---- */

/* The parameters and nuisance parameters of row i of a batch, into value. */
void bnre__external_values(const bnre__simulator *simulator,
                           const bnre__batch *batch, size_t i, double *value);

/* Row i of the batch has got its status: count it. Errors: ESIM when the run
   should end, with advice. */
BNRE_MUST_CHECK bnre_status bnre__external_finish(
    const bnre__simulator *simulator, const bnre__batch *batch, size_t i);

/* Read what the program says on its stderr, without waiting. */
void bnre__external_listen(const bnre__external *external,
                           bnre__process *process, bnre__tail *tail);

/* A program kept running, and its conversation. One per thread. */
typedef struct bnre__dialogue bnre__dialogue;
BNRE_MUST_CHECK bnre_status
bnre__dialogue_open(const bnre__simulator *simulator, bnre__dialogue **out);
void bnre__dialogue_close(bnre__dialogue *dialogue);
BNRE_MUST_CHECK bnre_status bnre__dialogue_run(bnre__dialogue *dialogue,
                                               const bnre__batch *batch);
/* End the program in good order. Errors: ESIM when it has, or had at any time,
   more answers than it was asked for. */
BNRE_MUST_CHECK bnre_status bnre__dialogue_settle(bnre__dialogue *dialogue);

/* The request for one simulation: "seed value_1 ... value_k\n". */
BNRE_MUST_CHECK bnre_status bnre__dialogue_request(uint32_t seed, size_t n,
                                                   const double *value,
                                                   bnre__text *out);

/* Programs run once per simulation. One per thread. */
typedef struct bnre__launch bnre__launch;
BNRE_MUST_CHECK bnre_status bnre__launch_open(const bnre__simulator *simulator,
                                              bnre__launch **out);
void bnre__launch_close(bnre__launch *launch);
BNRE_MUST_CHECK bnre_status bnre__launch_run(bnre__launch *launch,
                                             const bnre__batch *batch);

/* The arguments for one simulation; clear with bnre__arguments_destroy(). */
BNRE_MUST_CHECK bnre_status
bnre__arguments_create(const bnre__external *external, uint32_t seed,
                       const double *value, char ***out);
void bnre__arguments_destroy(char **argv);

#endif
