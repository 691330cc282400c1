/* certificate.h - certificates as trees, and from files that are not opened as
   estimators. */
#ifndef BNRE_TRUST_CERTIFICATE_H
#define BNRE_TRUST_CERTIFICATE_H

#include "bnre/certificate.h"
#include "bnre/settings.h"

/* The keys of bnre__certificate_write() as a map. The caller owns *out. */
BNRE_MUST_CHECK bnre_status
bnre__certificate_node(const bnre_certificate *certificate, bnre_node **out);

/* That of an estimator's file, without reading the rest of it. The caller
   clears *out. Errors: EIO; EFORMAT; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__certificate_of_file(const char *estimator,
                                                      bnre_certificate *out);

/* From YAML; NULL gives bnre_certificate_none(), and so does the report of a
   classifier but for `given`. The caller clears *out, also on failure.
   Errors: EUSAGE for what is no YAML; EFORMAT for a kind that this version does
   not know; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__certificate_read(const char *yaml,
                                                   bnre_certificate *out);

/* As YAML, findings with six digits; what was read gives the same text again.
   The caller frees *yaml with bnre_free(). Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status
bnre__certificate_write(const bnre_certificate *certificate, char **yaml);

/* The word for it: CERTIFIED, CROSS-CHECKED, INCONCLUSIVE, NOT CERTIFIED, NOT
   CROSS-CHECKED; "" without one. */
const char *bnre__certificate_word(const bnre_certificate *certificate);

#endif
