/* text.h - reading "uniform(0, 10)". */
#ifndef BNRE_PRIOR_PRIOR_TEXT_H
#define BNRE_PRIOR_PRIOR_TEXT_H

#include "bnre/status.h"
#include "prior/family.h"

/* The family and its arguments (BNRE__FAMILY_ARGS), checked. Errors: EUSAGE
   with the text and the column. */
BNRE_MUST_CHECK bnre_status bnre__prior_parse(const char *text,
                                              const bnre__family **family,
                                              double *arg);

/* The other way round: text which the caller owns and which reads back to the
   same numbers. */
BNRE_MUST_CHECK bnre_status bnre__prior_write(const bnre__family *family,
                                              const double *arg, char **out);

#endif
