/* status.c - the message of the last failure, one for each thread. */
#include "bnre/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static _Thread_local char message[1024];

const char *bnre_status_text(bnre_status status)
{
    switch (status) {
#define X(name, code, text)                                                    \
    case BNRE_##name:                                                          \
        return text;
        BNRE_STATUS_MAP(X)
#undef X
    }
    return "unknown status";
}

const char *bnre_error_message(void)
{
    return message;
}

bnre_status bnre_fail(bnre_status code, const char *fmt, ...)
{
    char text[sizeof message];
    va_list args;

    /* Through a copy: the arguments may include the present message. */
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    memcpy(message, text, sizeof text);
    return code;
}

bnre_status bnre__fail_in(bnre_status code, const char *fmt, ...)
{
    char place[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(place, sizeof place, fmt, args);
    va_end(args);
    return bnre_fail(code, "%s: %s", place, message);
}
