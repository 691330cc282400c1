/* tail.h - what a program says on its stderr: the last line is remembered for
   the reason of a failure, everything may go to a log file. */
#ifndef BNRE_TASK_TAIL_H
#define BNRE_TASK_TAIL_H

#include <stddef.h>

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

#endif
