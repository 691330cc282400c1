/* mem.h - allocation, and how functions that can fail leave. */
#ifndef BNRE_MEM_H
#define BNRE_MEM_H

#include <stddef.h>

#include "bnre/status.h"

/* In a function that owns nothing: return a failure at once. */
#define BNRE_DO(call)                                                          \
    do {                                                                       \
        bnre_status status_ = (call);                                          \
        if (status_ != BNRE_OK)                                                \
            return status_;                                                    \
    } while (0)

/* In a function that cleans up: take a failure to its single exit. */
#define BNRE_TRY(call)                                                         \
    do {                                                                       \
        if ((status = (call)) != BNRE_OK)                                      \
            goto done;                                                         \
    } while (0)

/* Fail and go to the single exit. */
#define BNRE_THROW(...)                                                        \
    do {                                                                       \
        status = bnre_fail(__VA_ARGS__);                                       \
        goto done;                                                             \
    } while (0)

/* n zeroed elements, aligned to 64 bytes; n = 0 gives a pointer that may be
   freed. */
#define BNRE_NEW(ptr, n)                                                       \
    do {                                                                       \
        if (((ptr) = bnre__alloc((n), sizeof *(ptr))) == NULL) {               \
            status = BNRE_ENOMEM;                                              \
            goto done;                                                         \
        }                                                                      \
    } while (0)

/* Room for at least `need` elements, at least doubling: ptr and room grow
   together, new elements are zeroed. */
#define BNRE_GROW(ptr, room, need)                                             \
    do {                                                                       \
        if ((need) > (room)) {                                                 \
            void *grown_ = bnre__grow((ptr), &(room), (need), sizeof *(ptr));  \
                                                                               \
            if (grown_ == NULL) {                                              \
                status = BNRE_ENOMEM;                                          \
                goto done;                                                     \
            }                                                                  \
            (ptr) = grown_;                                                    \
        }                                                                      \
    } while (0)

/* NULL, with a message for ENOMEM, where there is no memory. bnre__grow() is for
   need > room, and leaves what there was where it fails. */
BNRE_MUST_CHECK void *bnre__alloc(size_t n, size_t size);
BNRE_MUST_CHECK void *bnre__grow(void *ptr, size_t *room, size_t need,
                                 size_t size);
BNRE_MUST_CHECK bnre_status bnre__strdup(const char *text, char **out);
void bnre__free(void *ptr); /* NULL is fine */

/* For tests: let the n-th allocation from now (from 1) fail, once; 0 = none.
   Counts over all threads. */
void bnre__alloc_fail_at(size_t n);
/* Whether the failure that was asked for has happened. */
int bnre__alloc_failed(void);

#endif
