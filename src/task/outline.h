/* outline.h - a task without its simulator: what its text alone tells. */
#ifndef BNRE_TASK_OUTLINE_H
#define BNRE_TASK_OUTLINE_H

#include "task/task.h"

typedef struct bnre__outline {
    char *name;
    bnre_prior *prior;
    size_t ndim, shape[BNRE_MAX_NDIM]; /* of x */
    size_t x_size;
    bnre__transform transform;
} bnre__outline;

/* Read the text of a task, as bnre_task_text() has it; nothing is loaded or
   started. `file` is where it came from, to name it and to find prior_samples;
   may be NULL. `draws`, unless NULL, stand for what prior_samples names.
   `outline` starts from {0} and may be cleared after a failure.
   Errors: EUSAGE; EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__outline_read(bnre__outline *outline,
                                               const char *text,
                                               const char *file,
                                               const bnre__draws *draws);

/* The same of settings that are read already. */
BNRE_MUST_CHECK bnre_status bnre__outline_from(bnre__outline *outline,
                                               const bnre_node *map,
                                               const bnre__draws *draws);
void bnre__outline_clear(bnre__outline *outline);

/* The text of a task of which the parameters `names`, "a,b", are of interest and
   the others nuisance. The caller frees *out with bnre_free(). Errors: EUSAGE
   for names that are none, and for conditions on what is left out; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__outline_choose(const char *text,
                                                 const char *file,
                                                 const char *names, char **out);

/* Whether two such texts have the same prior: names, families, conditions and
   draws, as far as the texts tell; parameters of theirs may be nuisance of ours. The files are where they came from.
   (same_prior.c) Errors: EUSAGE with what differs, and both; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__task_same_prior(const char *theirs,
                                                  const char *their_file,
                                                  const char *ours,
                                                  const char *our_file);

/* Whether settings name parameters and priors alone, without a simulator:
   enough for data made elsewhere. A name is a label then. */
int bnre__task_is_outline(const bnre_node *settings);

#endif
