/* temporary.h - names that nobody else can guess, and what is left of them.

   A temporary of PATH lies beside it, on the same file system, as
   NAME.RANDOM.tmp: made anew (never opened where something is already) and
   locked for as long as its writer lives, whatever ends it. So whoever makes
   the next temporary of the same PATH can tell what a killed process left, and
   removes it. */
#ifndef BNRE_IO_TEMPORARY_H
#define BNRE_IO_TEMPORARY_H

#include <stddef.h>

#include "bnre/status.h"

/* How many letters a random part has. */
enum { BNRE__RANDOM = 16 };

/* So many random small letters and digits, and a 0. */
void bnre__random_letters(char out[BNRE__RANDOM + 1]);

/* Whether `entry` is `start`, random letters, and `end`: a name made by us. */
int bnre__random_name(const char *entry, const char *start, const char *end);

/* Make one, open for writing. The caller frees *name and closes *fd, which ends
   the lock. Errors: EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__temporary_create(const char *path,
                                                   char **name, int *fd);

/* Lock an open file for this process until it is closed, without waiting.
   Returns 0 only where another one has it: file systems without locks have to
   do without. */
int bnre__lock_now(int fd);

#endif
