/* trust_files.h - what was chosen and why, as a picture. */
#ifndef BNRE_TRUST_FILES_H
#define BNRE_TRUST_FILES_H

#include "bnre/status.h"
#include "bnre/trust.h"

#ifdef __cplusplus
extern "C" {
#endif

/* STEM.svg, ... with script and data (.gp, .dat): information of all candidates
   against their smallest coverage - level on the select pairs, a line for each
   lambda, the frontier, the one that was chosen. *drawn (may be NULL) is 0 if
   there is no gnuplot. Errors: EUSAGE for an unknown format; EIO; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_trust_draw(const bnre_trust_result *result, const char *stem,
                const char *formats, int *drawn);

#ifdef __cplusplus
}
#endif
#endif
