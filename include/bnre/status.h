/* status.h - how every function of the library reports failure.

   A function that can fail returns a bnre_status. The code is for programs;
   the message for people is kept per thread and read with
   bnre_error_message(): it names the file, row or key at fault and, where
   something can be done, says what. Nothing in the library prints or exits. */
#ifndef BNRE_STATUS_H
#define BNRE_STATUS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BNRE_API __attribute__((visibility("default")))
#define BNRE_MUST_CHECK __attribute__((warn_unused_result))
#define BNRE_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define BNRE_API
#define BNRE_MUST_CHECK
#define BNRE_PRINTF(fmt, args)
#endif

#define BNRE_VERSION "0.2.0"

#define BNRE_STATUS_MAP(X)                                                     \
    X(OK, 0, "success")                                                        \
    X(EINVAL, 1, "invalid argument")                                           \
    X(ENOMEM, 2, "out of memory")                                              \
    X(EIO, 3, "input or output failed")                                        \
    X(EFORMAT, 4, "malformed or foreign file")                                 \
    X(ENUM, 5, "not a finite number")                                          \
    X(EEXIST, 6, "output already exists")                                      \
    X(EINTR, 7, "interrupted")                                                 \
    X(ESIM, 8, "simulator failed")                                             \
    X(EUSAGE, 9, "wrong setting")                                              \
    X(EDOUBT, 10, "estimator found unreliable")

typedef enum bnre_status {
#define X(name, code, text) BNRE_##name = code,
    BNRE_STATUS_MAP(X)
#undef X
} bnre_status;

/* The text of a code; never NULL. */
BNRE_API const char *bnre_status_text(bnre_status status);

/* The message of the last failure in this thread; "" if there was none. Valid
   until the next failure in this thread. It may hold text from files and names
   of files as they are: before it goes to a terminal, bnre/show.h. */
BNRE_API const char *bnre_error_message(void);

/* Set this thread's message and return `code`. For callbacks handed to the
   library, which report their failures the same way. */
BNRE_API bnre_status bnre_fail(bnre_status code, const char *fmt, ...)
    BNRE_PRINTF(2, 3);

/* ---- progress: how long work reports it and learns that it should stop ----
 */

typedef struct bnre_monitor {
    /* Called now and then, never by two threads at once, with how much of the
       total is done and how much of that was found done at the start (so that
       rates and remaining times count only the new work). A result other than
       0 asks the work to save and return EINTR at the next safe point. */
    int (*progress)(void *context, size_t done, size_t found, size_t total);

    /* Something worth telling that is no failure, one sentence, no newline. */
    void (*note)(void *context, const char *text);

    void *context;

    /* How the work stands, in a few words that replace those before; to be
       shown beside the progress. May be NULL. */
    void (*state)(void *context, const char *text);
} bnre_monitor;

#ifdef __cplusplus
}
#endif
#endif
