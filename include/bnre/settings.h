/* settings.h - settings as a tree of text, with the place each came from.

   YAML files are read into this form (yaml.h) and typed by whoever needs them,
   so that `1e-3`, `off` or `012` mean what the reader of the key says they
   mean, and every complaint can name file, line and key. */
#ifndef BNRE_SETTINGS_H
#define BNRE_SETTINGS_H

#include <stddef.h>

#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bnre_node_kind {
    BNRE_NODE_TEXT, /* a scalar; a missing value is the text "" */
    BNRE_NODE_LIST,
    BNRE_NODE_MAP
} bnre_node_kind;

typedef struct bnre_node bnre_node;

/* Read freely; change only through the functions below. A map's children
   carry their key; others have key NULL. */
struct bnre_node {
    bnre_node_kind kind;
    char *key;
    char *text;          /* of a scalar, else NULL */
    const char *file;    /* borrowed from the root; NULL if not from a file */
    size_t line, column; /* from 1; 0 if not from a file */
    size_t count, room;  /* children of lists and maps */
    bnre_node **child;
    char *owned_file; /* root only */
};

BNRE_API BNRE_MUST_CHECK bnre_status bnre_node_create(bnre_node_kind kind,
                                                      const char *text,
                                                      bnre_node **out);
BNRE_API void bnre_node_destroy(bnre_node *node); /* with all children */

/* Append `child` to a list, or to a map under `key` (copied). Takes `child`,
   also on failure. Errors: EUSAGE when the map has the key already or it is
   longer than 200 bytes; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_node_add(bnre_node *parent,
                                                   const char *key,
                                                   bnre_node *child);

/* A copy with all children and their places. The name of the file stays that of
   the original, which must live as long. The caller owns *out. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_node_copy(const bnre_node *node,
                                                    bnre_node **out);

/* Put a scalar into a map under `key`, replacing what was there, or append it
   to a list (key NULL). */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_node_set(bnre_node *parent,
                                                   const char *key,
                                                   const char *text);

/* Append an empty list or map; *out stays its parent's. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_node_branch(bnre_node *parent,
                                                      const char *key,
                                                      bnre_node_kind kind,
                                                      bnre_node **out);

/* The child of a map under `key`; NULL if there is none or no map. */
BNRE_API const bnre_node *bnre_node_find(const bnre_node *map, const char *key);

/* Take the child under `key` out of a map and destroy it, if it is there. */
BNRE_API void bnre_node_remove(bnre_node *map, const char *key);

/* EUSAGE with a message that starts with the node's place: "study.yaml:3: " */
BNRE_API bnre_status bnre_node_fail(const bnre_node *node, const char *fmt, ...)
    BNRE_PRINTF(2, 3);

/* Complain about the first key of `map` that is not in `keys` (NULL-ended),
   naming the nearest that is. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_node_check_keys(const bnre_node *map, const char *const *keys);

/* The tree as YAML text that reads back equal; scalars are quoted where plain
   text would be misread. The caller frees *out with bnre_free().
   Errors: EUSAGE when a text is not UTF-8; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_node_write(const bnre_node *node,
                                                     char **out);

/* Free text handed out by the library. NULL is fine. */
BNRE_API void bnre_free(void *text);

/* ---- YAML files as settings ---- */

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
