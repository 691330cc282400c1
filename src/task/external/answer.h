/* answer.h - the numbers that external programs answer with. */
#ifndef BNRE_TASK_ANSWER_H
#define BNRE_TASK_ANSWER_H

#include <stddef.h>

#include "bnre/plugin.h"

typedef enum bnre__reply {
    BNRE__REPLY_TEXT,
    BNRE__REPLY_F32, /* raw, little-endian */
    BNRE__REPLY_F64
} bnre__reply;

typedef enum bnre__answer {
    BNRE__ANSWER_NUMBERS, /* as many as expected, maybe not all finite */
    BNRE__ANSWER_ERROR,   /* `error TEXT`; the reason is the text */
    BNRE__ANSWER_GARBAGE  /* the reason says what is wrong */
} bnre__answer;

/* Read exactly n numbers from `length` bytes of text into x (n). They are
   separated by blanks, line ends or single commas, and written as C, Fortran
   (1.0D+00, 1.0-100, 3*0.5) or any other language in use writes them. */
bnre__answer bnre__answer_read(const char *text, size_t length, size_t n,
                               double *x, char reason[BNRE_REASON_SIZE]);

/* Bytes of a raw answer of n numbers; 0 for text. */
size_t bnre__answer_bytes(bnre__reply reply, size_t n);

/* Raw values. */
void bnre__answer_decode(bnre__reply reply, const char *bytes, size_t n,
                         double *x);

#endif
