/* number.h - numbers as text: exact both ways, whatever the locale. */
#ifndef BNRE_NUMBER_H
#define BNRE_NUMBER_H

#include <stddef.h>

/* Read the number that starts at `text`, at the latest up to `end`: a decimal
   number with or without exponent (e or Fortran's d), nan, inf or infinity; in
   any case of letters, no blanks before. Gives what follows the number, or NULL
   if there is none. The result is the nearest double; what is too large becomes
   inf. */
const char *bnre__number_scan(const char *text, const char *end, double *out);

enum { BNRE__NUMBER_ROOM = 32 };

/* Write the shortest text that reads back as exactly `value`, and a 0. Gives
   its length. */
size_t bnre__number_format(double value, char out[BNRE__NUMBER_ROOM]);

#endif
