/* output.h - what one command writes, as one thing.

   An output is a set of files: those of a directory (a posterior), or a file
   and others beside it (a diagnosis). One of them, the main one, is JSON and
   tells how the result came about. An output is opened before the work:

   - one process at a time has it open, and it can be written;
   - none of its files is an input, under whatever name;
   - what is there already is the same result (then there is nothing to do, or
     it is made again where it was not finished), or is refused unless `force`.

   The files are made in a private place and published together. Killed at any
   moment, an output is wholly the old or wholly the new one: a directory that
   holds nothing else is exchanged as a whole; otherwise the files take their
   places one after the other, the main one last, and what a kill has left of
   that is done by the next one who opens the output. A directory may be reached
   through a symbolic link; a link in the place of a file is replaced, never
   followed. */
#ifndef BNRE_OUTPUT_H
#define BNRE_OUTPUT_H

#include <stddef.h>

#include "bnre/settings.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bnre_output bnre_output;

typedef struct bnre_output_plan {
    const char *path; /* the directory; or the main file */
    const char *main; /* of a directory: the name of its main file; else NULL */
    size_t names;
    const char *const *name; /* (names) of other files that may come, without
                                directory */
    size_t inputs;
    const char *const *input; /* (inputs) as users name them: FILE, FILE:ROW,
                                 theta.npy,x.npy; NULL = none */
    const bnre_node *made;    /* how it comes about, a map: equal ones and the
                                 same version mean equal results */
    int force;
} bnre_output_plan;

/* The directory that `path` is in must be there. The caller closes *out.
   Errors: EUSAGE for an input; EEXIST for what is there; EIO when another
   process has it open, or when it cannot be written; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_output_open(const bnre_output_plan *plan, bnre_output **out);
BNRE_API void bnre_output_close(bnre_output *output); /* NULL is fine */

/* Whether the same result is there, and finished. */
BNRE_API int bnre_output_done(const bnre_output *output);
/* A text of its main file, NULL if there is none under `key`; it belongs to the
   output. */
BNRE_API const char *bnre_output_text(const bnre_output *output,
                                      const char *key);

/* The directory to make the files in, under their own names. */
BNRE_API const char *bnre_output_place(const bnre_output *output);

/* Let the files that are there be the result. `unfinished` says why it is not
   all of it, to be made again by the next call; NULL: it is. `doubt`, NULL if
   there is none, is why it must not be relied on, kept under that key for those
   who ask again. Once only.
   Errors: EEXIST for a file that was not expected; EIO; ENOMEM; after these
   what was there before is still there. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_output_publish(bnre_output *output,
                                                         const char *unfinished,
                                                         const char *doubt);

/* That `output`, a file about to be written, is none of the `inputs`, named as
   above. Errors: EUSAGE; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_output_refuse_inputs(
    const char *output, size_t inputs, const char *const *input);

/* A hash of the bytes of a file. Errors: EIO; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_file_fingerprint(const char *path,
                                                           char out[33]);

#ifdef __cplusplus
}
#endif
#endif
