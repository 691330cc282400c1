/* readable.h - numbers for people to read, on a terminal and on a page.

   Files keep all digits. What people read has as many as mean something:
   249,890 +- 130 rather than 249887.31 +- 126.9 or 2.499e+05. Every function
   writes into `out` and returns it. */
#ifndef BNRE_READABLE_H
#define BNRE_READABLE_H

#include <stddef.h>

#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

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
