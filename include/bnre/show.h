/* show.h - text from elsewhere, made safe to show to people.

   Names, titles, reasons and paths come from files that others wrote, and a
   terminal obeys what it is sent: control characters move the cursor, forge
   lines and change what was printed before; marks for the direction of writing
   make text read otherwise than it is. What is shown here has all of them
   spelt out: \n, \t, \x1b, \u202e. Other text stays as it is; a byte that is no
   UTF-8 becomes \xff. What was shown once may be shown again. */
#ifndef BNRE_SHOW_H
#define BNRE_SHOW_H

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

#ifdef __cplusplus
}
#endif
#endif
