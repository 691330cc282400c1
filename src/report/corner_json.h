/* corner_json.h - what pictures of a posterior show, as JSON: for plots that
   are to share their axes. */
#ifndef BNRE_REPORT_CORNER_JSON_H
#define BNRE_REPORT_CORNER_JSON_H

#include "io/json.h"
#include "report/corner.h"

/* "picture": pages (a list of lists of names, those in pairs), ranges (of each
   name: from, to), regions (level, content, conformal), note. Errors: EUSAGE as
   for pages; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__corner_json(const bnre_posterior *posterior,
                                              const bnre__corner_opts *opts,
                                              bnre__json *root);

#endif
