/* outline.h - a task without its simulator: what its text alone tells. */
#ifndef BNRE_MODEL_OUTLINE_H
#define BNRE_MODEL_OUTLINE_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/prior.h"
#include "bnre/status.h"
#include "bnre/task.h"

typedef struct bnre__outline {
    char *name;
    bnre_prior *prior;
    size_t ndim, shape[BNRE_MAX_NDIM]; /* of x */
    size_t x_size;
    uint8_t *log_theta; /* (dim): declared with transform: log */
    int log_x;
} bnre__outline;

/* Read the text of a task, as bnre_task_text() has it; nothing is loaded or
   started. `file` is where it came from, to name it and to find prior_samples;
   may be NULL. `sample` (rows, dim), unless NULL, stands for that file.
   `outline` starts from {0}. Errors: EUSAGE; EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__outline_read(bnre__outline *outline,
                                               const char *text,
                                               const char *file, size_t rows,
                                               const double *sample);
void bnre__outline_clear(bnre__outline *outline);

#endif
