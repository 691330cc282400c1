/* json.h - results for programs: a tree of values, written and read as JSON.

   Values belong to their root. Numbers that are not finite become null, and
   null reads as NaN. */
#ifndef BNRE_IO_JSON_H
#define BNRE_IO_JSON_H

#include <stddef.h>

#include "bnre/settings.h"
#include "bnre/status.h"

typedef struct bnre__json bnre__json;

/* An empty object, which the caller destroys. Errors: ENOMEM, as below. */
BNRE_MUST_CHECK bnre_status bnre__json_create(bnre__json **out);
void bnre__json_destroy(bnre__json *root); /* NULL is fine; roots only */

/* Put something into an object under `key`, replacing what was there, or at the
   end of a list (key NULL). Errors: EINVAL for text that is not UTF-8. */
BNRE_MUST_CHECK bnre_status bnre__json_object(bnre__json *parent,
                                              const char *key,
                                              bnre__json **out);
BNRE_MUST_CHECK bnre_status bnre__json_list(bnre__json *parent, const char *key,
                                            bnre__json **out);
BNRE_MUST_CHECK bnre_status bnre__json_real(bnre__json *parent, const char *key,
                                            double value);
BNRE_MUST_CHECK bnre_status bnre__json_size(bnre__json *parent, const char *key,
                                            size_t value);
BNRE_MUST_CHECK bnre_status bnre__json_flag(bnre__json *parent, const char *key,
                                            int value);
BNRE_MUST_CHECK bnre_status bnre__json_text(bnre__json *parent, const char *key,
                                            const char *value); /* NULL: null */
BNRE_MUST_CHECK bnre_status bnre__json_reals(bnre__json *parent,
                                             const char *key, size_t n,
                                             const double *value);

/* Whole files, 15 digits a number. Errors: EIO; EFORMAT with line and reason.
   The caller destroys *out. */
BNRE_MUST_CHECK bnre_status bnre__json_write(const bnre__json *root,
                                             const char *path);
BNRE_MUST_CHECK bnre_status bnre__json_read(const char *path, bnre__json **out);

/* The same as text, 17 digits a number, which the caller frees. */
BNRE_MUST_CHECK bnre_status bnre__json_print(const bnre__json *root,
                                             char **out);

/* Put another tree into an object under `key`, or at the end of a list. Takes
   it, also on failure. */
BNRE_MUST_CHECK bnre_status bnre__json_adopt(bnre__json *parent,
                                             const char *key,
                                             bnre__json *child);

/* Whether two values are equal; 0 if one of them is NULL. */
int bnre__json_same(const bnre__json *a, const bnre__json *b);

/* Looking: NULL, 0 or NaN where there is no such thing, so that calls can be
   put into each other. */
const bnre__json *bnre__json_find(const bnre__json *object, const char *key);
const bnre__json *bnre__json_at(const bnre__json *list, size_t i);
size_t bnre__json_count(const bnre__json *list);
double bnre__json_as_real(const bnre__json *value);
int bnre__json_as_flag(const bnre__json *value);
const char *bnre__json_as_text(const bnre__json *value);

/* The same of what an object has under `key`; 0 for what is no count. */
double bnre__json_real_of(const bnre__json *object, const char *key);
size_t bnre__json_size_of(const bnre__json *object, const char *key);
int bnre__json_flag_of(const bnre__json *object, const char *key);
const char *bnre__json_text_of(const bnre__json *object, const char *key);

/* A map of settings as the object `made` of a result; NULL adds nothing. */
BNRE_MUST_CHECK bnre_status bnre__made_add(bnre__json *root,
                                           const bnre_node *made);

/* Settings under `key` (NULL: at the end of a list), numbers as numbers; a text
   under the key `fingerprint` stays one. */
BNRE_MUST_CHECK bnre_status bnre__json_settings(bnre__json *parent,
                                                const char *key,
                                                const bnre_node *node);

#endif
