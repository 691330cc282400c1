/* settings.h - settings: a tree of text with the place each came from, YAML
   files, and tables of options.

   YAML files are read into this form and typed by whoever needs them, so that
   `1e-3`, `off` or `012` mean what the reader of the key says they mean, and
   every complaint can name file, line and key. */
#ifndef BNRE_SETTINGS_H
#define BNRE_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

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

/* ---- one table of options for everything ----

   A row of the table says what an option is called, of which type it is, where
   it is stored, what it defaults to and what it means. The same row serves the
   command line (--batch-size), settings files (batch_size:), help texts and
   the record of settings kept in output files. */

typedef enum bnre_opt_type {
    BNRE_OPT_FLAG,   /* int: 0 or 1 */
    BNRE_OPT_SIZE,   /* size_t; also 1e6 and 2^17 */
    BNRE_OPT_SEED,   /* uint64_t */
    BNRE_OPT_REAL,   /* double */
    BNRE_OPT_TEXT,   /* char *, owned; NULL when absent */
    BNRE_OPT_CHOICE, /* int: index into the rule's words */
    BNRE_OPT_LIST    /* bnre_opt_list: one text for each time it is given */
} bnre_opt_type;

typedef struct bnre_opt_list {
    char **text;
    size_t count;
} bnre_opt_list;

enum {
    BNRE_OPT_RESULT = 1, /* affects the result: recorded in output files */
    BNRE_OPT_NEEDED = 2, /* has no default and must be given */
    BNRE_OPT_USUAL = 4   /* among the few that a short help shows */
};

typedef struct bnre_opt {
    const char *name; /* with '_'; '-' is accepted for it */
    bnre_opt_type type;
    size_t offset;      /* of the field in the caller's struct */
    const char *preset; /* default as text; NULL = zero, or absent; lists
                           start empty */
    const char *rule;   /* numbers: an interval such as "[1, inf)" or
                           "(0, 1]"; reals may have a word for what is no number
                           (NaN): "[0, inf)|auto"; choices: "nre|bnre";
                           NULL = anything */
    const char *value;  /* what to show in help for the value: "N", "FILE" */
    unsigned flags;
    const char *help;
} bnre_opt;

/* Fill `fields` with the defaults. Errors: ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_opt_init(const bnre_opt *table,
                                                   size_t n, void *fields);

/* Free what texts and lists own. */
BNRE_API void bnre_opt_clear(const bnre_opt *table, size_t n, void *fields);

/* The row called `name`, or that was called so in the last release; NULL if
   there is none. bnre_opt_is_old() tells whether it was found by an old name,
   which people should hear of. */
BNRE_API const bnre_opt *bnre_opt_find(const bnre_opt *table, size_t n,
                                       const char *name);
BNRE_API int bnre_opt_is_old(const bnre_opt *row, const char *name);

/* The name in the table that is nearest to a misspelt one; NULL if none is
   near enough to be meant. */
BNRE_API const char *bnre_opt_nearest(const bnre_opt *table, size_t n,
                                      const char *name);

/* Read `text` into the field of `row`; flags are yes/no, true/false, on/off or
   1/0, and texts must not be empty. Errors: EUSAGE with a message that
   names the option and what it takes; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_opt_set(const bnre_opt *row,
                                                  void *fields,
                                                  const char *text);

/* Set every key of `map`, an unknown one being an error with line and nearest
   name. given[i] (n, may be NULL) is set to 1 for rows that were set; rows
   whose given[i] is 1 already are left alone, so that flags win over files.
   A row of type LIST takes a value, a list of values, or a map, each entry of
   which counts as the text "key=value". */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_opt_set_map(const bnre_opt *table,
                                                      size_t n, void *fields,
                                                      const bnre_node *map,
                                                      unsigned char *given);

/* The rows that affect the result, with their values, as a map to be written
   into an output file. The caller owns *out. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_opt_record(const bnre_opt *table,
                                                     size_t n,
                                                     const void *fields,
                                                     bnre_node **out);

#ifdef __cplusplus
}
#endif
#endif
