/* All that is said to people. Much of it comes from files that others wrote,
   and a terminal obeys what it is sent. */
#include <stdarg.h>
#include <stdlib.h>

#include "cli.h"

int cli_vfprint(FILE *out, const char *fmt, va_list args)
{
    char brief[512], *text = brief;
    size_t length = bnre_show_format(brief, sizeof brief, fmt, args);

    if (length >= sizeof brief) {
        text = malloc(length + 1);
        if (text == NULL)
            text = brief; /* as much as there is room for */
        else
            bnre_show_format(text, length + 1, fmt, args);
    }
    fputs(text, out);
    if (text != brief)
        free(text);
    return (int)length;
}

int cli_fprint(FILE *out, const char *fmt, ...)
{
    va_list args;
    int length;

    va_start(args, fmt);
    length = cli_vfprint(out, fmt, args);
    va_end(args);
    return length;
}

int cli_print(const char *fmt, ...)
{
    va_list args;
    int length;

    va_start(args, fmt);
    length = cli_vfprint(stdout, fmt, args);
    va_end(args);
    return length;
}

void cli_print_lines(FILE *out, const char *text)
{
    const size_t length = bnre_show_text(NULL, 0, text, 1);
    char *shown = malloc(length + 1);

    if (shown == NULL)
        return;
    bnre_show_text(shown, length + 1, text, 1);
    fputs(shown, out);
    free(shown);
}
