/* c_writer.h - putting a file of C together. */
#ifndef BNRE_EXPORT_C_WRITER_H
#define BNRE_EXPORT_C_WRITER_H

#include "export/export.h"

/* Functions that a file may need, see c_runtime.c. */
typedef enum bnre__c_piece {
    BNRE__C_SQUARE,
    BNRE__C_TIMES_LOG,
    BNRE__C_SCALED,
    BNRE__C_COPY,
    BNRE__C_COPY_BACK,
    BNRE__C_LINEAR,
    BNRE__C_LINEAR_BACK,
    BNRE__C_SELU,
    BNRE__C_RELU,
    BNRE__C_LEAKY,
    BNRE__C_ELU,
    BNRE__C_GELU,
    BNRE__C_TANH,
    BNRE__C_SELU_BACK, /* in the same order */
    BNRE__C_RELU_BACK,
    BNRE__C_LEAKY_BACK,
    BNRE__C_ELU_BACK,
    BNRE__C_GELU_BACK,
    BNRE__C_TANH_BACK,
    BNRE__C_LAYERNORM,
    BNRE__C_LAYERNORM_BACK,
    BNRE__C_BATCHNORM,
    BNRE__C_BATCHNORM_BACK,
    BNRE__C_SHIFT,
    BNRE__C_SHIFT_BACK,
    BNRE__C_CONV,
    BNRE__C_MAXPOOL,
    BNRE__C_SUM,
    BNRE__C_TRANSPOSE,
    BNRE__C_ADD,
    BNRE__C_MIXTURE,
    BNRE__C_VALUES,
    BNRE__C_COORDINATE,
    BNRE__C_PIECES
} bnre__c_piece;

/* Its text. */
extern const char *const bnre__c_runtime[BNRE__C_PIECES];

typedef struct bnre__c_writer {
    const bnre_estimator *est;
    const char *name; /* of everything that others see */
    bnre__text body;  /* what stands after the runtime */
    unsigned char needs[BNRE__C_PIECES];
    size_t arrays; /* of constants, so far */
    bnre_status status;
} bnre__c_writer;

/* Which function, and note that it is needed. */
void bnre__c_need(bnre__c_writer *writer, bnre__c_piece piece);

/* A function `void NAME(const float *w, const float *s, double *a)` that runs
   a sequence on the values at the beginning of a; *room and *out: how many
   values it needs, and where the result is. With `back`, also NAME_back(w, s,
   a, d), which adds to d. Errors: EUSAGE for a layer of a head whose gradient
   cannot be written; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__c_sequence(bnre__c_writer *writer,
                                             const char *name,
                                             const bnre__sequence *sequence,
                                             size_t shift, int back,
                                             size_t *room, size_t *out);

/* Functions of the prior: coordinates of factors if there are any, and
   NAME_log_prior() if it can be written; gives whether it can. */
int bnre__c_prior(bnre__c_writer *writer);

#endif
