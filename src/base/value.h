/* value.h - numbers and words of settings from text, by rules such as
   "[1, inf)" and "nre|bnre". */
#ifndef BNRE_BASE_VALUE_H
#define BNRE_BASE_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/status.h"

/* Single values, for those who type settings themselves. Whole text only;
   `rule` as above, an infinite value being accepted only by a rule that ends
   in "inf]" or starts with "[-inf"; `what` names the setting in the message.
   Errors: EUSAGE; EINVAL for a rule that is none. */
BNRE_MUST_CHECK bnre_status bnre__read_size(const char *text, const char *rule,
                                            const char *what, size_t *out);
BNRE_MUST_CHECK bnre_status bnre__read_seed(const char *text, const char *rule,
                                            const char *what, uint64_t *out);
BNRE_MUST_CHECK bnre_status bnre__read_real(const char *text, const char *rule,
                                            const char *what, double *out);
BNRE_MUST_CHECK bnre_status bnre__read_choice(const char *text,
                                              const char *words,
                                              const char *what, int *out);

#endif
