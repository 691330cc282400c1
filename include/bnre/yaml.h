/* yaml.h - YAML files as settings trees. */
#ifndef BNRE_YAML_H
#define BNRE_YAML_H

#include "bnre/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Read one YAML document. Anchors, aliases and tags are refused: settings stay
   what they look like. The caller owns *out. An empty document is an empty map.
   Errors: EIO; EUSAGE with line and column for malformed text or a key given
   twice; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_yaml_read(const char *path,
                                                    bnre_node **out);

/* The same from text; `name` stands in messages for the file; with NULL
   the nodes have no place. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_yaml_parse(const char *text,
                                                     const char *name,
                                                     bnre_node **out);

#ifdef __cplusplus
}
#endif
#endif
