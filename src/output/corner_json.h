/* corner_json.h - what pictures of a posterior show, as JSON: for plots that
   are to share their axes. */
#ifndef BNRE_REPORT_CORNER_JSON_H
#define BNRE_REPORT_CORNER_JSON_H

#include "io/json.h"
#include "output/corner_view.h"

/* "picture": pages (a list of lists of names, those in pairs), ranges (of each
   name: from, to), regions (level, content, conformal), note. Errors: EUSAGE as
   for pages; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__corner_json(const bnre_posterior *posterior,
                                              const bnre__corner_opts *opts,
                                              bnre__json *root);

/* How many pages posterior.json tells of, in pairs. */
size_t bnre__corner_json_pages(const bnre__json *posterior);

/* Such a page again, from its table corner.dat and posterior.json. What was
   read may be anybody's: if it is no such page, *found is 0. The note is
   borrowed from the JSON. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__corner_view_read(const bnre__json *posterior,
                                                   size_t page,
                                                   const char *path,
                                                   bnre__corner_view *out,
                                                   int *found);

#endif
