/* All that is said to people. Much of it comes from files that others wrote,
   and a terminal obeys what it is sent. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* A setting that stands at `from` as `name` or `name: value`: its length with
   both quotes; 0 if it is none, or no option. */
static size_t find_setting(const char *from, char name[64], const char **value)
{
    const size_t n = strspn(from + 1, "abcdefghijklmnopqrstuvwxyz_");
    const char *end = strchr(from + 1, '`');

    if (n == 0 || n >= 64 || end == NULL)
        return 0;
    *value = from + 1 + n;
    if (*value != end && strncmp(*value, ": ", 2) != 0)
        return 0;
    memcpy(name, from + 1, n);
    name[n] = 0;
    return cli_is_option(name) ? (size_t)(end - from) + 1 : 0;
}

void cli_name_options(char *text)
{
    char name[64], flag[64];
    const char *from, *value;
    size_t length, n;
    int no; /* a flag is told not to be by "=no" */

    while ((text = strchr(text, '`')) != NULL) {
        length = find_setting(text, name, &value);
        if (length == 0) {
            text++;
            continue;
        }
        from = text + length;
        n = (size_t)(from - 1 - value); /* of ": value" */
        no = strncmp(value, ": no`", 5) == 0;
        if (strcmp(name, "output") == 0)
            strcpy(flag, "-o");
        else
            cli_flag(name, flag);
        memcpy(text, flag, strlen(flag));
        text += strlen(flag);
        if (n > 0) {
            *text++ = no ? '=' : ' ';
            memmove(text, value + 2, n - 2);
            text += n - 2;
        }
        memmove(text, from, strlen(from) + 1);
    }
}

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
    cli_name_options(text);
    length = strlen(text);
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

void cli_fact(const char *label, const char *fmt, ...)
{
    va_list args;

    cli_print("  %-14s", label);
    va_start(args, fmt);
    cli_vfprint(stdout, fmt, args);
    va_end(args);
    cli_print("\n");
}

void cli_words(const char *label, const char *text)
{
    cli_print("  %-14s", label);
    cli_print_wrapped(stdout, text, 16, 16);
}

void cli_print_facts(const char *text)
{
    enum { VALUE = 16 }; /* the column where texts begin */

    while (*text != 0) {
        const size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);

        if (line != NULL && length > 80 && strncmp(line, "  ", 2) == 0) {
            cli_print("%.*s", VALUE, line);
            cli_print_wrapped(stdout, line + VALUE, VALUE, VALUE);
        } else if (line != NULL) {
            cli_print("%s\n", line);
        }
        free(line);
        text += length + (text[length] == '\n');
    }
}

bnre_status cli_doubt(const char *why)
{
    return why[0] == 0 ? BNRE_OK : bnre_fail(BNRE_EDOUBT, "%s", why);
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
