/* text.h - text for people: what comes from elsewhere made safe to show, and
   numbers with as many digits as mean something.

   Names, titles, reasons and paths come from files that others wrote, and a
   terminal obeys what it is sent: control characters move the cursor, forge
   lines and change what was printed before; marks for the direction of writing
   make text read otherwise than it is. What is shown here has all of them
   spelt out: \n, \t, \x1b, \u202e. Other text stays as it is; a byte that is no
   UTF-8 becomes \xff. What was shown once may be shown again. */
#ifndef BNRE_TEXT_H
#define BNRE_TEXT_H

#include <stdarg.h>
#include <stddef.h>

#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `text` into `out`, as much of it as `size` bytes with the final 0 hold; gives
   the bytes that all of it needs without the 0. Lines stay apart if `lines`,
   for text that has several. */
BNRE_API size_t bnre_show_text(char *out, size_t size, const char *text,
                               int lines);

/* As vsnprintf(), but what %s and %c bring in is made safe to show; the format
   itself may do as it likes. Widths count letters, not bytes. `args` can be
   used again. */
BNRE_API size_t bnre_show_format(char *out, size_t size, const char *fmt,
                                 va_list args);

/* ---- numbers ----

   Files keep all digits. What people read has as many as mean something:
   249,890 +- 130 rather than 249887.31 +- 126.9 or 2.499e+05. Every function
   writes into `out` and returns it. */

enum { BNRE_READABLE = 48 }; /* room for a number and its 0 */

/* Stands for a number that is not known; whoever shows it says why. */
#define BNRE_READABLE_NONE "-"

/* 131072 as "131,072". */
BNRE_API const char *bnre_readable_count(size_t n, char out[BNRE_READABLE]);

/* `value` to two digits of `spread`: what it is uncertain by, or how far apart
   its neighbours are. With a spread that is 0, infinite or NaN, to four digits
   of its own. Groups of three digits are parted from 10,000 on; powers of ten
   are for what has too many zeros. A NaN is BNRE_READABLE_NONE, zero has no
   sign. */
BNRE_API const char *bnre_readable_real(double value, double spread,
                                        char out[BNRE_READABLE]);

/* A p-value: "0.43", "0.012", "0.0033", "< 0.001". */
BNRE_API const char *bnre_readable_p(double p, char out[BNRE_READABLE]);

/* The same in a sentence: "p = 0.43", "p < 0.001", "p is not known". */
BNRE_API const char *bnre_readable_p_words(double p, char out[BNRE_READABLE]);

#ifdef __cplusplus
}
#endif
#endif
