/* reference.h - numbers of an independent implementation, kept as JSON.

   Every function fails the running test, with the path that was asked for, when
   something is missing or of another type: a test never has to check. */
#ifndef BNRE_TEST_REFERENCE_H
#define BNRE_TEST_REFERENCE_H

#include <stddef.h>

#include "bnre/status.h"

typedef struct ref ref; /* a value: object, list, number or text */

/* The file `name` of data/reference; release it with ref_free(). Values found
   in it are borrowed and live as long. */
ref *ref_load(const char *name);
void ref_free(ref *root);

/* The value below `node` at a path such as "points/0/stats/mean", which is
   formatted like printf: a step is a key of an object or an index of a list. */
const ref *ref_at(const ref *node, const char *path, ...) BNRE_PRINTF(2, 3);
/* Whether there is one. */
int ref_has(const ref *node, const char *path, ...) BNRE_PRINTF(2, 3);

size_t ref_count(const ref *node); /* entries of a list or an object */
const char *ref_key(const ref *object, size_t i); /* in the file's order */

double ref_number(const ref *node);
const char *ref_text(const ref *node);

/* Exactly n numbers, from lists in lists read row by row (or one number). */
void ref_numbers(const ref *node, size_t n, double *out);
/* All of them; the caller releases the array with bnre__free(). */
double *ref_array(const ref *node, size_t *n);

#endif
