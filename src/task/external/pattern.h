/* pattern.h - text with {seed} and {rate}-style places for values. */
#ifndef BNRE_TASK_PATTERN_H
#define BNRE_TASK_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "bnre/status.h"

typedef struct bnre__pattern bnre__pattern;

/* The names that may stand in braces besides `seed`. Borrowed. */
typedef struct bnre__placeholders {
    size_t n;
    const char *const *name;
} bnre__placeholders;

/* Braces around anything but a known name are left alone, so that templates
   may be JSON, C or shell; but a word in braces that looks like a misspelt name
   is an error. `text` is copied.
   Errors: EUSAGE with the word and what it may have meant; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__pattern_create(
    const char *text, const bnre__placeholders *names, bnre__pattern **out);
void bnre__pattern_destroy(bnre__pattern *pattern);

/* How many places it has; and whether name i (or the seed: names->n) is among
   them. */
size_t bnre__pattern_places(const bnre__pattern *pattern);
int bnre__pattern_uses(const bnre__pattern *pattern, size_t i);

/* Append the text with its places filled in; value[i] goes where name i is. */
BNRE_MUST_CHECK bnre_status bnre__pattern_fill(const bnre__pattern *pattern,
                                               uint32_t seed,
                                               const double *value,
                                               bnre__text *out);

#endif
