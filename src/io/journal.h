/* journal.h - rows kept in an append-only file while they are being made.

   A journal starts with a text that tells what its rows belong to, followed by
   records: a range of rows and their bytes, in any order of rows, each under a
   checksum. What was appended before a crash is found again; a record that was
   being written then is cut off. One process at a time has a journal open. */
#ifndef BNRE_IO_JOURNAL_H
#define BNRE_IO_JOURNAL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "bnre/status.h"

typedef struct bnre__journal bnre__journal;

typedef struct bnre__journal_record {
    uint64_t first, n;      /* rows */
    uint64_t offset, bytes; /* of the payload in the file */
} bnre__journal_record;

/* Open the journal of `identity`, or start it. With `fresh`, whatever is there
   is discarded, and that this was so is remembered.
   Errors: EEXIST when the file belongs to something else: *other is then the
   identity found (the caller frees it), or NULL if the file is no journal at
   all; EIO, also when another process has it open; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__journal_open(const char *path,
                                               const char *identity, int fresh,
                                               char **other,
                                               bnre__journal **out);

/* Close it and keep the file. NULL is fine. */
void bnre__journal_close(bnre__journal *journal);

/* Close it and remove the file. Takes `journal`, also on failure. */
BNRE_MUST_CHECK bnre_status bnre__journal_remove(bnre__journal *journal);

/* Whether it was started with `fresh`. */
int bnre__journal_fresh(const bnre__journal *journal);

/* Append a record whose payload is the concatenation of `parts` (count, at most
   8). Once it returned, the record survives the process; once synced, the
   machine. Syncs now and then itself. Safe from many threads at once. After a
   failure the journal is as before the call. Errors: EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__journal_append(bnre__journal *journal,
                                                 uint64_t first, uint64_t n,
                                                 const struct iovec *parts,
                                                 size_t count);
BNRE_MUST_CHECK bnre_status bnre__journal_sync(bnre__journal *journal);

/* Remove all records. Errors: EIO. */
BNRE_MUST_CHECK bnre_status bnre__journal_clear(bnre__journal *journal);

/* The records by first row, *n of them; valid until the next append. For one
   thread. */
const bnre__journal_record *bnre__journal_records(bnre__journal *journal,
                                                  size_t *n);

/* `bytes` of a record's payload from `offset` on. */
BNRE_MUST_CHECK bnre_status bnre__journal_read(
    const bnre__journal *journal, const bnre__journal_record *record,
    uint64_t offset, size_t bytes, void *out);

#endif
