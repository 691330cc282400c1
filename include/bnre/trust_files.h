/* trust_files.h - what was chosen and why, as a picture; guarantees and advice
   in files of results. */
#ifndef BNRE_TRUST_FILES_H
#define BNRE_TRUST_FILES_H

#include "bnre/advice.h"
#include "bnre/certificate.h"
#include "bnre/conformal.h"
#include "bnre/posterior_files.h"
#include "bnre/status.h"
#include "bnre/theorem.h"
#include "bnre/trust.h"

#ifdef __cplusplus
extern "C" {
#endif

/* STEM.svg, ... with script and data (.gp, .dat): information of all candidates
   against their smallest coverage - level on the select pairs, a line for each
   lambda, the frontier, the one that was chosen. *drawn (may be NULL) is 0 if
   there is no gnuplot. Errors: EUSAGE for an unknown format; EIO; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_trust_draw(const bnre_certificate *certificate, const char *stem,
                const char *formats, int *drawn);

/* What is told of an observation besides its posterior. */
typedef struct bnre_assurance {
    size_t n; /* conformal regions; 0 = none */
    const bnre_conformal_region *region;
    const bnre_conformal_region *local; /* (n), or NULL */
    bnre_guarantee guarantee;
    size_t warnings;
    const char *const *warning; /* (warnings) */
} bnre_assurance;

/* Which regions a picture shows. */
typedef enum bnre_regions {
    BNRE_REGIONS_NOMINAL, /* as the posterior says */
    BNRE_REGIONS_CONFORMAL,
    BNRE_REGIONS_BOTH
} bnre_regions;

/* Let the picture of `files` show these of the assurance, if it has conformal
   regions (one for each level of `files`), with a note where they have no
   guarantee. `contour` (2 n) and `note` are what `files` then points to. */
enum { BNRE_NOTE = 80 };
BNRE_API void bnre_assurance_show(const bnre_assurance *assurance,
                                  bnre_regions regions, bnre_contour *contour,
                                  char note[BNRE_NOTE],
                                  bnre_posterior_files *files);

/* Add to a file of results (posterior.json): list `conformal`, a region for
   each level (with `assured` null where there is no guarantee, and `beta`, the
   parameters of the law of coverage with these pairs); `outside_p`, if
   there is one; `certificate` with its `words`, as far as they hold here; list
   `warnings`. Errors: EIO; EFORMAT; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_assurance_add_json(const char *path, const bnre_assurance *assurance);

/* Add to a file of results (diagnose.json) the list `advice`, `certificate`
   (as its estimator has it), and what was made of `theorem` and
   `learning_curve`; any may be NULL. Errors: as above. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_advice_add_json(
    const char *path, const bnre_advice *advice,
    const bnre_certificate *certificate, const bnre_theorem *theorem,
    const bnre_learning_curve *curve);

#ifdef __cplusplus
}
#endif
#endif
