/* text.h - strings that grow, likeness of names, and where errors happened. */
#ifndef BNRE_BASE_TEXT_H
#define BNRE_BASE_TEXT_H

#include <stdarg.h>
#include <stddef.h>

#include "bnre/status.h"

/* Text being put together. Start from {0}; `data` ends with a 0 once anything
   was added. Release with bnre__free(text.data).

   Text can fail for want of memory only. The first failure stays, and what is
   added after it adds nothing: text of many parts is put together by functions
   that return nothing, and asked once, at its end. */
typedef struct bnre__text {
    char *data;
    size_t length, room;
    bnre_status status;
} bnre__text;

void bnre__text_put(bnre__text *text, const char *fmt, ...) BNRE_PRINTF(2, 3);
void bnre__text_vput(bnre__text *text, const char *fmt, va_list args);

/* The same, but what %s brings in is made safe to show (bnre/show.h): one line
   without control characters. */
void bnre__text_show(bnre__text *text, const char *fmt, ...) BNRE_PRINTF(2, 3);
void bnre__text_vshow(bnre__text *text, const char *fmt, va_list args);

/* Whether all of it is there. */
BNRE_MUST_CHECK bnre_status bnre__text_check(const bnre__text *text);

/* The same, and *out is the text, "" at least, which the caller frees; NULL on
   failure. The text is {0} again in any case. */
BNRE_MUST_CHECK bnre_status bnre__text_take(bnre__text *text, char **out);

/* Put, and check at once. */
BNRE_MUST_CHECK bnre_status bnre__text_add(bnre__text *text, const char *fmt,
                                           ...) BNRE_PRINTF(2, 3);

/* A formatted string that the caller owns. */
BNRE_MUST_CHECK bnre_status bnre__text_format(char **out, const char *fmt, ...)
    BNRE_PRINTF(2, 3);

/* Free n texts and their list; NULL is fine, for each of them too. */
void bnre__texts_free(size_t n, char **text);

/* Whether `text` ends so, in small or capital letters, and begins before. */
int bnre__ends_with(const char *text, const char *ending);

/* The shortest text (at most 31 bytes with its 0) that reads back as exactly
   `value`: 0.1 rather than 0.10000000000000001. */
const char *bnre__text_real(double value, char out[32]);

/* The code point at *at, which moves past it; -1, and *at stays, if the bytes
   there are no UTF-8. */
long bnre__text_code(const unsigned char **at);

/* Whether a letter is not to be seen, but felt: it turns the direction of
   writing, ends a line, or has no width. (show.c) */
int bnre__text_is_hidden(long code);

/* How many letters have to be changed, dropped, added or exchanged with their
   neighbour to turn one word into the other; '-' and '_' are alike. */
size_t bnre__text_distance(const char *a, const char *b);

/* The word nearest to `name`, called with i = 0, 1, ... until it gives NULL;
   NULL if none is near enough to be meant. */
const char *bnre__text_nearest(const char *name,
                               const char *(*word)(const void *list, size_t i),
                               const void *list);

/* Put "place: " before this thread's message and return `code`. */
bnre_status bnre__fail_in(bnre_status code, const char *fmt, ...)
    BNRE_PRINTF(2, 3);

#endif
