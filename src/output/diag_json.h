/* diag_json.h - a diagnosis as a tree of values. */
#ifndef BNRE_OUTPUT_DIAG_JSON_H
#define BNRE_OUTPUT_DIAG_JSON_H

#include "bnre/diag.h"
#include "bnre/settings.h"
#include "io/json.h"

/* What bnre_diag_write_json() writes, put into an object. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__diag_json(const bnre_diag *diag,
                                            const bnre_node *made,
                                            bnre__json *root);

/* {"mean": ..., "error": ...} under a key. */
BNRE_MUST_CHECK bnre_status bnre__json_add_estimate(bnre__json *parent,
                                                    const char *key,
                                                    bnre_estimate estimate);

#endif
