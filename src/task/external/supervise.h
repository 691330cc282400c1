/* supervise.h - what the library and bnre-supervise tell each other.

   Every external program runs under a small supervisor in a process of its own,
   because only another process can still act when this one is killed. */
#ifndef BNRE_TASK_SUPERVISE_H
#define BNRE_TASK_SUPERVISE_H

#include <stdint.h>

/* Descriptors of the supervisor besides the program's own 0, 1 and 2. */
enum {
    BNRE__LIFE_LINE = 3, /* reads end-of-file when the parent wants the program
                            ended, or is no more; before that, with a scratch
                            directory, a byte when the program may start */
    BNRE__REPORT = 4     /* takes, with a scratch directory, a bnre__scratch;
                            then a bnre__ending */
};

/* The directory that the supervisor made, inside the one it was given. It lives
   no longer than the supervisor. */
typedef struct bnre__scratch {
    int32_t error; /* errno if there is none, or 0 */
    char name[20];
} bnre__scratch;

typedef enum bnre__end_kind {
    BNRE__END_EXIT,   /* value: exit status */
    BNRE__END_SIGNAL, /* value: signal number */
    BNRE__END_NO_DIR, /* value: errno of chdir */
    BNRE__END_NO_EXEC /* value: errno of exec */
} bnre__end_kind;

typedef struct bnre__ending {
    int32_t kind; /* a bnre__end_kind */
    int32_t value;
} bnre__ending;

#endif
