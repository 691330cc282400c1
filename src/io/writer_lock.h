/* writer_lock.h - one writer at a time for each output, and inputs apart from
   outputs: what is asked before any work begins.

   The lock of PATH is an empty file beside it, .NAME.lock, which its holder
   removes. It ends with the process, whatever ends that; a file that was left
   is in nobody's way. Taking it shows, too, that the directory is there and can
   be written. */
#ifndef BNRE_IO_WRITER_LOCK_H
#define BNRE_IO_WRITER_LOCK_H

#include <stddef.h>

#include "bnre/status.h"

typedef struct bnre__writer_lock bnre__writer_lock;

/* Errors: EIO naming PATH, or `shown` if that is not NULL, when another process
   has it, when there is no such directory, or no right to write in it;
   ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__writer_lock_take_as(const char *path,
                                                      const char *shown,
                                                      bnre__writer_lock **out);
BNRE_MUST_CHECK bnre_status bnre__writer_lock_take(const char *path,
                                                   bnre__writer_lock **out);
void bnre__writer_lock_release(bnre__writer_lock *lock); /* NULL is fine */

/* The same file, also through links or under another name; 0 where one of them
   is not there. */
int bnre__same_file(const char *a, const char *b);

/* That `input` (NULL is fine), as users name it (FILE, FILE:ROW,
   theta.npy,x.npy), is not the file `output`, which would destroy it.
   Errors: EUSAGE naming both; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__refuse_input(const char *output,
                                               const char *input);

/* That nothing which is not ours lies at `path`. Errors: EEXIST unless
   `force`. */
BNRE_MUST_CHECK bnre_status bnre__refuse_existing(const char *path, int force);

#endif
