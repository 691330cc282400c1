/* certificate.h - certificates as trees, and from files that are not opened as
   estimators. */
#ifndef BNRE_TRUST_CERTIFICATE_H
#define BNRE_TRUST_CERTIFICATE_H

#include "bnre/certificate.h"
#include "bnre/settings.h"

/* The keys of bnre_certificate_write() as a map. The caller owns *out. */
BNRE_MUST_CHECK bnre_status
bnre__certificate_node(const bnre_certificate *certificate, bnre_node **out);

/* That of an estimator's file, without reading the rest of it. The caller
   clears *out. Errors: EIO; EFORMAT; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__certificate_of_file(const char *estimator,
                                                      bnre_certificate *out);

#endif
