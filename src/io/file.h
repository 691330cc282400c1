/* file.h - files that appear whole or not at all.

   What is written goes to a temporary beside the target (temporary.h); commit
   syncs it, renames it over the target and syncs the directory. */
#ifndef BNRE_IO_FILE_H
#define BNRE_IO_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/status.h"

typedef struct bnre__file bnre__file;

/* Start a new version of `path`, which must be a regular file if it is there
   (a symbolic link is replaced, not followed). Errors: EIO naming the path and
   what the system said, with advice where there is some (no such directory, no
   rights, disk full); ENOMEM. After a failed write the new version is lost:
   later writes and commit fail with EIO too. */
BNRE_MUST_CHECK bnre_status bnre__file_create(const char *path,
                                              bnre__file **out);

/* Whether bnre__file_create() would succeed, for complaining before the work
   rather than after it. Errors: the same. */
BNRE_MUST_CHECK bnre_status bnre__file_check_writable(const char *path);

/* Append, through a buffer. */
BNRE_MUST_CHECK bnre_status bnre__file_write(bnre__file *file, const void *data,
                                             size_t bytes);
/* Overwrite what was written before, for headers known only at the end. */
BNRE_MUST_CHECK bnre_status bnre__file_write_at(bnre__file *file,
                                                uint64_t offset,
                                                const void *data, size_t bytes);
uint64_t bnre__file_offset(const bnre__file *file); /* bytes appended so far */
/* Let the file end at `offset`, beyond its end so far: zeros in between, which
   write_at may fill in any order. */
BNRE_MUST_CHECK bnre_status bnre__file_extend(bnre__file *file,
                                              uint64_t offset);

/* Write and sync all of it, so that little can fail when it is committed: for
   files that belong together. Errors: as those of writing. */
BNRE_MUST_CHECK bnre_status bnre__file_settle(bnre__file *file);

/* Make the new version the file. Takes `file`, also on failure: then the
   temporary is removed and an older version stays as it was. */
BNRE_MUST_CHECK bnre_status bnre__file_commit(bnre__file *file);
void bnre__file_discard(bnre__file *file); /* NULL is fine */

/* How writing ends, for the one exit of a function: commit if all went well so
   far, else discard, and give what failed first. NULL is fine. */
BNRE_MUST_CHECK bnre_status bnre__file_end(bnre__file *file,
                                           bnre_status status);

/* All of it at once: a file of these bytes. */
BNRE_MUST_CHECK bnre_status bnre__file_put(const char *path, const void *data,
                                           size_t bytes);

/* Whole small files. `limit` guards against files that are not what they should
   be. The text ends with a 0 that *bytes does not count. */
BNRE_MUST_CHECK bnre_status bnre__file_read_all(const char *path, size_t limit,
                                                char **out, size_t *bytes);

/* Hash of a whole file. Errors: EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__file_hash(const char *path, char out[33]);

int bnre__file_exists(const char *path);

/* Make all directories of a path, itself included; those that lead to it alone.
   Errors: EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__make_directories(const char *path);
BNRE_MUST_CHECK bnre_status bnre__make_parents(const char *path);

/* Remove a file for good: its directory is synced. Errors: EIO. */
BNRE_MUST_CHECK bnre_status bnre__file_remove(const char *path);

/* A regular file opened for reading, and its size. The caller closes *fd.
   Errors: EIO. */
BNRE_MUST_CHECK bnre_status bnre__file_open(const char *path, int *fd,
                                            uint64_t *size);
/* Exactly these bytes. Errors: EIO; EFORMAT when the file ends before. */
BNRE_MUST_CHECK bnre_status bnre__file_read_at(int fd, const char *path,
                                               uint64_t offset, void *data,
                                               size_t bytes);

/* EIO for an operation on `path` that left `error` in errno: what the system
   said and, where something can be done, what. `action` is "read", "write". */
bnre_status bnre__file_fail(const char *path, const char *action, int error);

#endif
