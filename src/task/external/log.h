/* log.h - a file for what external programs say on their stderr. */
#ifndef BNRE_TASK_LOG_H
#define BNRE_TASK_LOG_H

#include <stddef.h>

#include "bnre/status.h"

/* What a program says on its stderr: the last line is remembered for
   the reason of a failure, everything may go to a log file. */

enum { BNRE__TAIL_SIZE = 120 };

typedef struct bnre__tail {
    char line[BNRE__TAIL_SIZE]; /* the last that was not blank, printable */
    char part[BNRE__TAIL_SIZE]; /* of a line not yet ended */
    size_t length;              /* of part */
} bnre__tail;

void bnre__tail_clear(bnre__tail *tail);
void bnre__tail_add(bnre__tail *tail, const char *bytes, size_t length);

/* The last line, ended or not; "" if there was none. */
const char *bnre__tail_line(bnre__tail *tail);

typedef struct bnre__log bnre__log;

BNRE_MUST_CHECK bnre_status bnre__log_create(bnre__log **out);
void bnre__log_destroy(bnre__log *log);

/* Write to the end of this file from now on; NULL: nowhere. It is made when
   there is something to write, and stops growing at 16 MiB: a program that
   floods its stderr must not fill the disk. A link or anything else that is no
   regular file under this name is not written to. Before threads are at
   work. */
BNRE_MUST_CHECK bnre_status bnre__log_set(bnre__log *log, const char *path);

/* Where it is, NULL: nowhere. */
const char *bnre__log_path(const bnre__log *log);

/* Safe to call from several threads. What cannot be written is dropped. */
void bnre__log_add(bnre__log *log, const char *bytes, size_t length);

#endif
