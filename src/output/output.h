/* output.h - an output that is open. Beside it, in `home`, lie hidden files:

     .NAME.lock          that somebody is at work (io/writer_lock.h)
     .NAME.RANDOM.new/   where the files are made; or, after an exchange of
                         directories, the old ones on their way out
     .NAME.commit/       made and synced: from the moment it has this name, its
                         files are the result, and only have to be moved

   `home` is the directory that the output is in. A directory that cannot be
   exchanged (the current one, one behind a link, one in a place where nothing
   can be written) is its own home, with the NAME bnre. */
#ifndef BNRE_OUTPUT_OPEN_H
#define BNRE_OUTPUT_OPEN_H

#include "bnre/output.h"
#include "io/json.h"
#include "io/writer_lock.h"

typedef enum bnre__output_state {
    BNRE__OUTPUT_NEW,        /* nothing is there that belongs to it */
    BNRE__OUTPUT_DONE,       /* the same, whole */
    BNRE__OUTPUT_INCOMPLETE, /* the same, but files are missing */
    BNRE__OUTPUT_UNFINISHED, /* the same, as far as it came */
    BNRE__OUTPUT_OTHER       /* something else, to be replaced */
} bnre__output_state;

struct bnre_output {
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
size_t bnre__output_count(const bnre_output *output);
BNRE_MUST_CHECK bnre_status bnre__output_listed(const bnre_output *output,
                                                size_t i, char **out);

/* Whether a file of this name belongs to what is there: by what its main file
   says or, for those of older versions, by the plan. */
int bnre__output_owns(const bnre_output *output, const char *name);

/* Do what is left of publishing, if there is something; remove what killed
   processes have left. With the lock. */
BNRE_MUST_CHECK bnre_status bnre__output_recover(bnre_output *output);
int bnre__output_is_pending(const bnre_output *output);

#endif
