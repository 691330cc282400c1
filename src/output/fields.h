/* fields.h - numbers of structs under keys of JSON: tables that are both the
   writer and the reader. */
#ifndef BNRE_OUTPUT_FIELDS_H
#define BNRE_OUTPUT_FIELDS_H

#include "bnre/classes.h"
#include "bnre/diag.h"
#include "io/json.h"

typedef enum bnre__field_kind {
    BNRE__REAL,     /* double */
    BNRE__SIZE,     /* size_t */
    BNRE__FLAG,     /* int */
    BNRE__ESTIMATE, /* bnre_estimate, as {"mean": ..., "error": ...} */
    BNRE__LEVELS    /* double (BNRE_DIAG_LEVELS) */
} bnre__field_kind;

typedef struct bnre__field {
    const char *key;
    bnre__field_kind kind;
    size_t at; /* offset in the struct that has it */
} bnre__field;

/* A value, put into an object; and read from one, NaN or 0 where it is not
   there. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__field_put(bnre__json *parent, const char *key,
                                            bnre__field_kind kind,
                                            const void *value);
void bnre__field_get(const bnre__json *parent, const char *key,
                     bnre__field_kind kind, void *value);

/* All values of a struct. */
BNRE_MUST_CHECK bnre_status bnre__fields_put(bnre__json *parent, size_t n,
                                             const bnre__field *field,
                                             const void *from);
void bnre__fields_get(const bnre__json *parent, size_t n,
                      const bnre__field *field, void *to);

#define BNRE__COUNT_OF(table) (sizeof(table) / sizeof *(table))
#define BNRE__PUT(parent, table, from)                                         \
    bnre__fields_put(parent, BNRE__COUNT_OF(table), table, from)
#define BNRE__GET(parent, table, to)                                           \
    bnre__fields_get(parent, BNRE__COUNT_OF(table), table, to)

/* A copy of a text, NULL where there is none; a count in a list, 0 for what is
   none. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__json_take_text(const bnre__json *parent,
                                                 const char *key, char **out);
size_t bnre__json_count_at(const bnre__json *list, size_t i);

/* How well classes are told apart, as the object `models`. Errors: ENOMEM;
   EFORMAT for too many. */
BNRE_MUST_CHECK bnre_status bnre__models_put(bnre__json *root,
                                             const bnre_models_report *of);
BNRE_MUST_CHECK bnre_status bnre__models_get(const bnre__json *map,
                                             bnre_models_report *of);

#endif
