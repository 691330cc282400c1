/* export.h - a trained log ratio for other programs: as C, as ONNX.

   The ending of the file says which: `.c` is one file of C99 that needs the C
   library alone and gives the log ratio and its gradient by theta; `.onnx` is a
   model of operator set 17 that takes theta and x and gives the log ratio. Both
   are of the whole estimate: scalers, coordinates of the prior, all members,
   temper and widen. */
#ifndef BNRE_EXPORT_EXPORT_H
#define BNRE_EXPORT_EXPORT_H

#include "base/text.h"
#include "bnre/estimator.h"
#include "bnre/status.h"
#include "infer/estimator/estimator.h"
#include "nn/net.h"
#include "prior/prior.h"

typedef struct bnre__export_opts {
    const char *name; /* with which all names in C begin; NULL = as the file */
    size_t rows;      /* pairs that a model in ONNX takes at a time; 0 = 1 */
    int force;        /* replace a file */
} bnre__export_opts;

/* Write the file, which appears whole or not at all; equal estimators give
   equal bytes. `opts` NULL stands for {0}. Errors: EUSAGE in words for what
   cannot be exported (classifiers; npe and bnpe where the prior has conditions,
   is known by draws, or has a family whose distribution function the other side
   lacks), for names that are none in C and endings that are none of ours;
   EEXIST unless `force`; EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__export_save(const bnre_estimator *est,
                                              const char *path,
                                              const bnre__export_opts *opts);

/* ---- what the writers share ---- */

/* Bytes being put together, text or not. Start from {0}. */
typedef struct bnre__bytes {
    unsigned char *data;
    size_t size, room;
    bnre_status status; /* the first failure stays */
} bnre__bytes;
void bnre__bytes_put(bnre__bytes *bytes, const void *data, size_t n);

/* A family of priors as text in C: log density up to a constant, its slope and
   the distribution function, each an expression of arg[] and v. */
typedef struct bnre__family_text {
    const char *name;
    double (*kernel)(const double *arg, double v);
    const char *kernel_text, *slope_text;
    const char *cdf_text; /* NULL: there is none that is short */
    int in_onnx;          /* bnre__onnx_coordinate() knows it */
} bnre__family_text;

/* NULL if there is none. */
const bnre__family_text *bnre__family_text_of(const bnre__family *family);

/* log density = kernel + this. */
double bnre__family_text_constant(const bnre__family_text *text,
                                  const bnre__family *family,
                                  const double *arg);

/* Networks of an estimate: one head of a ratio, or one for each factor. Weights
   of its layers begin at weight_at + *shift. */
size_t bnre__export_heads(const bnre_estimator *est);
const bnre__net *bnre__export_net(const bnre_estimator *est, size_t head,
                                  size_t *shift);

/* Scalers there are: member k has those of member k % sets. */
size_t bnre__export_sets(const bnre_estimator *est);

/* The method and what else tells readers what the file is, as lines. */
BNRE_MUST_CHECK bnre_status bnre__export_about(const bnre_estimator *est,
                                               bnre__text *out);

BNRE_MUST_CHECK bnre_status bnre__export_c(const bnre_estimator *est,
                                           const char *name, bnre__bytes *out);
BNRE_MUST_CHECK bnre_status bnre__export_onnx(const bnre_estimator *est,
                                              size_t rows, bnre__bytes *out);

#endif
