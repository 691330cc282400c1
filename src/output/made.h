/* made.h - how a result came about, in its file. */
#ifndef BNRE_OUTPUT_MADE_H
#define BNRE_OUTPUT_MADE_H

#include "bnre/settings.h"
#include "io/json.h"

/* A map of settings as the object `made` of a result; NULL adds nothing. */
BNRE_MUST_CHECK bnre_status bnre__made_add(bnre__json *root,
                                           const bnre_node *made);

#endif
