#include "task/external/tail.h"

#include <string.h>

void bnre__tail_clear(bnre__tail *tail)
{
    tail->line[0] = 0;
    tail->length = 0;
}

static void end_line(bnre__tail *tail)
{
    size_t length = tail->length;

    tail->length = 0;
    while (length > 0 && tail->part[length - 1] == ' ')
        length--;
    if (length == 0)
        return;
    memcpy(tail->line, tail->part, length);
    tail->line[length] = 0;
}

void bnre__tail_add(bnre__tail *tail, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char c = bytes[i];

        if (c == '\n' || c == '\r') {
            end_line(tail);
            continue;
        }
        if (c == '\t' || (c == ' ' && tail->length == 0))
            c = ' ';
        if (c == ' ' && tail->length == 0)
            continue;
        if (tail->length + 1 < sizeof tail->part)
            tail->part[tail->length++] = c >= ' ' && c <= '~' ? c : '?';
    }
}

const char *bnre__tail_line(bnre__tail *tail)
{
    end_line(tail);
    return tail->line;
}
