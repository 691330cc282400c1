/* wrap.h - names and words on several lines, for labels of figures. */
#ifndef BNRE_REPORT_WRAP_H
#define BNRE_REPORT_WRAP_H

#include <stddef.h>

#include "output/figure.h"

/* `text` in lines of at most `most` letters, with \n between them: broken at
   blanks, which go, or after marks such as _ and -, else anywhere. The caller
   frees *out. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__wrap(const char *text, size_t most,
                                       char **out);

/* The same of numbers (marginal.h): with true minus signs, and broken between
   parts alone where these fit. */
BNRE_MUST_CHECK bnre_status bnre__wrap_numbers(const char *words, size_t most,
                                               char **out);

/* Lines of it, and letters of the longest. */
size_t bnre__wrap_lines(const char *text);
size_t bnre__wrap_width(const char *text);

/* The title of a panel: on one line if `width` inches hold it, else on several
   of `most` inches, in the font `small` of the script. `how` is gnuplot's.
   Errors: those of bnre__figure_script(). */
BNRE_MUST_CHECK bnre_status bnre__wrap_title(bnre__figure *figure,
                                             const char *text, double width,
                                             double most, const char *how);

#endif
