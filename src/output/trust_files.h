/* trust_files.h - what was chosen and why, as a picture; guarantees in files of
   results. */
#ifndef BNRE_OUTPUT_TRUST_FILES_H
#define BNRE_OUTPUT_TRUST_FILES_H

#include "bnre/certificate.h"
#include "bnre/posterior_files.h"
#include "bnre/status.h"
#include "bnre/trust.h"
#include "io/json.h"

/* STEM.svg, ... with script and data (.gp, .dat): information of all candidates
   against their smallest coverage - level on the select pairs, a line for each
   lambda, the frontier, the one that was chosen. *drawn (may be NULL) is 0 if
   there is no gnuplot. Errors: EUSAGE for an unknown format; EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status
bnre__trust_draw(const bnre_certificate *certificate, const char *stem,
                 const char *formats, int *drawn);

/* What is told of an observation besides its posterior. */
typedef struct bnre__assurance {
    size_t n; /* conformal regions; 0 = none */
    const bnre_conformal_region *region;
    const bnre_conformal_region *local; /* (n), or NULL */
    bnre_guarantee guarantee;
    size_t warnings;
    const char *const *warning; /* (warnings) */
} bnre__assurance;

/* Which regions a picture shows. */
typedef enum bnre__regions {
    BNRE__REGIONS_NOMINAL, /* as the posterior says */
    BNRE__REGIONS_CONFORMAL,
    BNRE__REGIONS_BOTH
} bnre__regions;

/* Let the picture of `files` show these of the assurance, if it has conformal
   regions (one for each level of `files`), with a note where they have no
   guarantee. `contour` (2 n) and `note` are what `files` then points to. */
enum { BNRE__NOTE = 80 };
void bnre__assurance_show(const bnre__assurance *assurance,
                          bnre__regions regions, bnre_contour *contour,
                          char note[BNRE__NOTE], bnre_posterior_files *files);

/* Put into the results (posterior.json): list `conformal`, a region for
   each level (with `assured` null where there is no guarantee, and `beta`, the
   parameters of the law of coverage with these pairs); `outside_p`, if
   there is one; `certificate` with its `words`, as far as they hold here; list
   `warnings`. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status
bnre__assurance_put(const bnre__assurance *assurance, bnre__json *root);

/* As bnre_posterior_save(), with more in posterior.json than that knows of. */
typedef bnre_status (*bnre__posterior_extra)(const void *context,
                                             bnre__json *root);
BNRE_MUST_CHECK bnre_status bnre__posterior_save(
    bnre_posterior *posterior, bnre_session *session,
    const bnre_posterior_files *files, bnre__posterior_extra extra,
    const void *context, int *drawn);

#endif
