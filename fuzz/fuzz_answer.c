#include <math.h>
#include <string.h>

#include "input.h"
#include "task/external/answer.h"

/* The first byte tells how many numbers are expected. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 64 };
    char reason[BNRE_REASON_SIZE] = "";
    double x[MOST];
    size_t n;

    if (size == 0)
        return 0;
    n = data[0] % (MOST + 1);
    memset(x, 0, sizeof x);
    switch (bnre__answer_read((const char *)data + 1, size - 1, n, x, reason)) {
    case BNRE__ANSWER_NUMBERS:
        for (size_t i = n; i < MOST; i++)
            MUST(x[i] == 0);
        break;
    case BNRE__ANSWER_ERROR:
    case BNRE__ANSWER_GARBAGE:
        MUST(reason[0] != 0 && memchr(reason, 0, sizeof reason) != NULL);
        break;
    }
    return 0;
}
