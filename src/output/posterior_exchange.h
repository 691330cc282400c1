/* posterior_exchange.h - draws of a posterior for other programs. */
#ifndef BNRE_OUTPUT_POSTERIOR_EXCHANGE_H
#define BNRE_OUTPUT_POSTERIOR_EXCHANGE_H

#include "bnre/posterior_files.h"

typedef struct bnre__exchange {
    const bnre_posterior *posterior;
    bnre_session *session;
    const bnre_posterior_files *files;
    const char *const *name; /* (dim) */
    const double *theta;     /* (files->samples, dim) */
} bnre__exchange;

/* Whether `write` names a kind of file: "nc" in "csv,nc". */
int bnre__exchange_wants(const char *write, const char *kind);
/* Errors: EUSAGE for a word that is no kind. */
BNRE_MUST_CHECK bnre_status bnre__exchange_check(const char *write);

/* Those of nc, getdist and stan that are asked for. Errors: EIO; those of the
   density; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__exchange_write(const bnre__exchange *of);

#endif
