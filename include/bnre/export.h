/* export.h - a trained log ratio for other programs: as C, as ONNX.

   The ending of the file says which: `.c` is one file of C99 that needs the C
   library alone and gives the log ratio and its gradient by theta; `.onnx` is a
   model of operator set 17 that takes theta and x and gives the log ratio. Both
   are of the whole estimate: scalers, coordinates of the prior, all members,
   temper and widen. */
#ifndef BNRE_EXPORT_H
#define BNRE_EXPORT_H

#include <stddef.h>

#include "bnre/estimator.h"
#include "bnre/opt.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bnre_export_opts {
    const char *name; /* with which all names in C begin; NULL = as the file */
    size_t rows;      /* pairs that a model in ONNX takes at a time; 0 = 1 */
    int force;        /* replace a file */
} bnre_export_opts;

/* Write the file, which appears whole or not at all; equal estimators give
   equal bytes. `opts` NULL stands for {0}. Errors: EUSAGE in words for what
   cannot be exported (classifiers; npe and bnpe where the prior has conditions,
   is known by draws, or has a family whose distribution function the other side
   lacks), for names that are none in C and endings that are none of ours;
   EEXIST unless `force`; EIO; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_export_save(
    const bnre_estimator *est, const char *path, const bnre_export_opts *opts);

/* The same two as options, for commands. */
typedef struct bnre_export_settings {
    char *name;
    size_t rows;
} bnre_export_settings;
BNRE_API const bnre_opt *bnre_export_options(size_t *n);

#ifdef __cplusplus
}
#endif
#endif
