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
   followed.

   Beside an output that is open, in `home`, lie hidden files:

     .NAME.lock          that somebody is at work (io/writer_lock.h)
     .NAME.RANDOM.new/   where the files are made; or, after an exchange of
                         directories, the old ones on their way out
     .NAME.commit/       made and synced: from the moment it has this name, its
                         files are the result, and only have to be moved

   `home` is the directory that the output is in. A directory that cannot be
   exchanged (the current one, one behind a link, one in a place where nothing
   can be written) is its own home, with the NAME bnre. */
#ifndef BNRE_OUTPUT_OUTPUT_H
#define BNRE_OUTPUT_OUTPUT_H

#include <stddef.h>

#include "bnre/settings.h"
#include "bnre/status.h"
#include "io/json.h"
#include "io/writer_lock.h"

typedef struct bnre__output_files bnre__output_files;

typedef struct bnre__output_plan {
    const char *path; /* the directory; or the main file */
    const char *main; /* of a directory: the name of its main file; else NULL */
    size_t names;
    const char *const *name;   /* (names) of other files that may come, without
                                directory */
    const bnre_opt_list *more; /* further ones in a list of options, or NULL */
    size_t inputs;
    const char *const *input; /* (inputs) as users name them: FILE, FILE:ROW,
                                 theta.npy,x.npy; NULL = none */
    const bnre_node *made;    /* how it comes about, a map: equal ones and the
                                 same version mean equal results */
    int force;
} bnre__output_plan;

/* The directory that `path` is in must be there. The caller closes *out.
   Errors: EUSAGE for an input; EEXIST for what is there; EIO when another
   process has it open, or when it cannot be written; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__output_open(const bnre__output_plan *plan,
                                              bnre__output_files **out);
void bnre__output_close(bnre__output_files *output); /* NULL is fine */

/* Whether the same result is there, and finished. */
int bnre__output_done(const bnre__output_files *output);
/* A text of its main file, NULL if there is none under `key`; it belongs to the
   output. */
const char *bnre__output_text(const bnre__output_files *output,
                              const char *key);

/* The directory to make the files in, under their own names. */
const char *bnre__output_place(const bnre__output_files *output);

/* Let the files that are there be the result. `unfinished` says why it is not
   all of it, to be made again by the next call; NULL: it is. `doubt`, NULL if
   there is none, is why it must not be relied on, kept under that key for those
   who ask again. Once only.
   Errors: EEXIST for a file that was not expected; EIO; ENOMEM; after these
   what was there before is still there. */
BNRE_MUST_CHECK bnre_status bnre__output_publish(bnre__output_files *output,
                                                 const char *unfinished,
                                                 const char *doubt);

/* That `output`, a file about to be written, is none of the `inputs`, named as
   above. Errors: EUSAGE; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__output_refuse_inputs(
    const char *output, size_t inputs, const char *const *input);

/* A hash of the bytes of a file. Errors: EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__file_fingerprint(const char *path,
                                                   char out[33]);

/* ---- inside an output ---- */

typedef enum bnre__output_state {
    BNRE__OUTPUT_NEW,        /* nothing is there that belongs to it */
    BNRE__OUTPUT_DONE,       /* the same, whole */
    BNRE__OUTPUT_INCOMPLETE, /* the same, but files are missing */
    BNRE__OUTPUT_UNFINISHED, /* the same, as far as it came */
    BNRE__OUTPUT_OTHER       /* something else, to be replaced */
} bnre__output_state;

struct bnre__output_files {
    char *path;      /* without slashes at the end */
    char *directory; /* where the files belong */
    char *home, *name;
    char *main;  /* name of the main file */
    size_t stem; /* letters of it that all names begin with: of a file with
                    others beside it, up to its ending; else 0 */
    int whole;   /* it is a directory, which may be exchanged */
    int force;
    size_t names;
    char **known; /* (names) */
    bnre__output_state state;
    bnre__json *old; /* the main file that is there; NULL = none */
    bnre__writer_lock *lock;
    char *place;   /* where the files are made; NULL = nowhere yet */
    unsigned mode; /* that the place is to have as a directory of its own */
    int published;
};

/* DIRECTORY/NAME; the caller frees *out. */
BNRE_MUST_CHECK bnre_status bnre__output_join(const char *directory,
                                              const char *name, char **out);
/* The i-th file that the main file which is there tells of, beside itself; the
   caller frees *out, which is NULL if that is no name. The list leaves out what
   all names begin with: equal results under other names are equal. */
size_t bnre__output_count(const bnre__output_files *output);
BNRE_MUST_CHECK bnre_status
bnre__output_listed(const bnre__output_files *output, size_t i, char **out);

/* Whether a file of this name belongs to what is there: by what its main file
   says or, for those of older versions, by the plan. */
int bnre__output_owns(const bnre__output_files *output, const char *name);

/* Do what is left of publishing, if there is something; remove what killed
   processes have left. With the lock. */
BNRE_MUST_CHECK bnre_status bnre__output_recover(bnre__output_files *output);
int bnre__output_is_pending(const bnre__output_files *output);

#endif
