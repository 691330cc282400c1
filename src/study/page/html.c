/* html.c - the page while it is written: text as text, numbers, pictures
   that only draw. */
#include "study/page/html.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/text.h"
#include "io/file.h"

/* ---- text ---- */

/* Text of several lines keeps them; what is not to be seen is spelt out, as on
   a terminal. */
static void escape(bnre__text *to, const char *text)
{
    static const char special[] = "&<>\"'";
    static const char *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;",
                                         "&#39;"};
    const size_t length = text != NULL ? bnre_show_text(NULL, 0, text, 1) : 0;
    char *shown = length > 0 ? bnre__alloc(length + 1, 1) : NULL;

    if (length > 0 && shown == NULL && to->status == BNRE_OK)
        to->status = BNRE_ENOMEM;
    if (shown == NULL)
        return;
    bnre_show_text(shown, length + 1, text, 1);
    for (const char *at = shown; *at != 0;) {
        const size_t plain = strcspn(at, special);

        bnre__text_put(to, "%.*s", (int)plain, at);
        at += plain;
        if (*at != 0)
            bnre__text_put(to, "%s", entity[strchr(special, *at++) - special]);
    }
    bnre__free(shown);
}

void bnre__html(bnre__page *page, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    while (*fmt != 0) {
        const size_t plain = strcspn(fmt, "%");
        const size_t length =
            2 + strspn(fmt + plain + (fmt[plain] != 0), ".0123456789z");
        char spec[16];

        bnre__text_put(&page->text, "%.*s", (int)plain, fmt);
        fmt += plain;
        if (*fmt == 0)
            break;
        snprintf(spec, sizeof spec, "%.*s", (int)length, fmt);
        fmt += length;
        switch (fmt[-1]) {
        case 's':
            escape(&page->text, va_arg(args, const char *));
            break;
        case 'u': /* %zu */
            bnre__text_put(&page->text, spec, va_arg(args, size_t));
            break;
        case 'd':
            bnre__text_put(&page->text, spec, va_arg(args, int));
            break;
        case '%':
            bnre__text_put(&page->text, "%%");
            break;
        default:
            bnre__text_put(&page->text, spec, va_arg(args, double));
        }
    }
    va_end(args);
}

/* ---- numbers ---- */

const char *bnre__html_fixed(int digits, double value, char out[BNRE__NUMBER])
{
    if (!isfinite(value))
        return "–";
    if (fabs(value) < 0.5 * pow(10, -digits))
        value = 0; /* no minus before it */
    snprintf(out, BNRE__NUMBER, "%s%.*f", value < 0 ? "−" : "", digits,
             fabs(value));
    return out;
}

const char *bnre__html_shown(const char *number, char out[BNRE__NUMBER])
{
    size_t used = 0;

    if (strcmp(number, BNRE_READABLE_NONE) == 0)
        return "–";
    for (; *number != 0 && used + 4 < BNRE__NUMBER; number++)
        used += (size_t)snprintf(out + used, BNRE__NUMBER - used,
                                 *number == '-' ? "−" : "%c", *number);
    return out;
}

const char *bnre__html_real(double value, double spread, char out[BNRE__NUMBER])
{
    char number[BNRE_READABLE];

    return bnre__html_shown(bnre_readable_real(value, spread, number), out);
}

const char *bnre__html_p(double p, char out[BNRE__NUMBER])
{
    char number[BNRE_READABLE];

    return bnre__html_shown(bnre_readable_p(p, number), out);
}

/* ---- parts ---- */

void bnre__html_table(bnre__page *page, const char *label)
{
    bnre__html(page,
               "<div class=\"wide\" tabindex=\"0\" role=\"region\" "
               "aria-label=\"%s\"><table>",
               label);
}

void bnre__html_mark(bnre__page *page, const char *class, size_t n, size_t of,
                     const char *words)
{
    if (n == 0)
        return;
    bnre__html(page, "<span class=\"mark %s\">", class);
    if (n != of || n > 1)
        bnre__html(page, "%zu ", n);
    bnre__html(page, "%s</span>", words);
}

const char *bnre__html_class(const char *verdict)
{
    static const char *const known[][2] = {{"CONSERVATIVE", "good"},
                                           {"OVERCONFIDENT", "bad"},
                                           {"INCONCLUSIVE", "open"},
                                           {"UNINFORMATIVE", "dull"},
                                           {"BLIND", "open"}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (verdict != NULL && strcmp(verdict, known[i][0]) == 0)
            return known[i][1];
    return "none";
}

/* ---- pictures ---- */

enum { LARGEST = 1 << 25 };

/* Elements that gnuplot draws with. Anything else may be no picture. */
static int is_drawn_with(const char *name)
{
    static const char *const known[] = {
        "svg",    "title",    "desc",    "g",       "rect",     "defs",
        "circle", "path",     "use",     "filter",  "feFlood",  "feComposite",
        "text",   "tspan",    "polygon", "pattern", "clipPath", "image",
        "a",      "polyline", "line",    "symbol",  NULL};
    const size_t length = strspn(
        name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

    for (size_t i = 0; known[i] != NULL; i++)
        if (strlen(known[i]) == length && strncmp(name, known[i], length) == 0)
            return 1;
    return 0;
}

/* Whether an attribute only draws. Events run scripts, and references may lead
   anywhere but to a part of the picture or to data in it. */
static int is_harmless(const char *name, size_t length, const char *value,
                       size_t bytes)
{
    static const char *const inside[] = {"#", "data:image/png;base64,"};
    const char *colon = memchr(name, ':', length);
    const char *local = colon != NULL ? colon + 1 : name;
    const size_t rest = length - (size_t)(local - name);

    if (length >= 2 && (name[0] | 32) == 'o' && (name[1] | 32) == 'n')
        return 0;
    for (size_t i = 0; i + 4 <= bytes; i++)
        if (strncmp(value + i, "url(", 4) == 0 &&
            strncmp(value + i, "url(#", 5) != 0)
            return 0;
    if (rest != 4 || strncmp(local, "href", 4) != 0)
        return 1;
    for (size_t i = 0; i < 2; i++)
        if (bytes >= strlen(inside[i]) &&
            strncmp(value, inside[i], strlen(inside[i])) == 0)
            return 1;
    return 0;
}

/* The end of a tag whose name `at` is at: its '>'. NULL if there is anything in
   it but harmless attributes with values in quotes. */
static const char *end_of_tag(const char *at)
{
    static const char blank[] = " \t\r\n";

    at += strcspn(at, " \t\r\n/>");
    for (;;) {
        const char *name = at += strspn(at, blank), *value, *end;
        size_t length;

        if (*at == '/')
            return at[1] == '>' ? at + 1 : NULL;
        if (*at == '>')
            return at;
        length = strcspn(at, " \t\r\n=<>\"'/");
        at += length;
        at += strspn(at, blank);
        if (length == 0 || *at != '=')
            return NULL;
        at++;
        at += strspn(at, blank);
        if (*at != '"' && *at != '\'')
            return NULL;
        value = at + 1;
        end = strchr(value, *at);
        if (end == NULL ||
            !is_harmless(name, length, value, (size_t)(end - value)))
            return NULL;
        at = end + 1;
    }
}

/* Whether there is nothing from `at` to `end` but what draws. */
static int is_drawing(const char *at, const char *end)
{
    for (; (at = strchr(at, '<')) != NULL && at < end; at++) {
        at += 1 + (at[1] == '/');
        if (!is_drawn_with(at) || (at = end_of_tag(at)) == NULL)
            return 0;
    }
    return 1;
}

/* The length of what stands before a name in `id="name"`, `href='#name'` or
   `url(#name)`; 0 elsewhere. */
static size_t before_name(const char *at)
{
    static const char *const start[] = {" id='", " id=\"", "href='#",
                                        "href=\"#", "url(#"};

    for (size_t i = 0; i < sizeof start / sizeof *start; i++)
        if (strncmp(at, start[i], strlen(start[i])) == 0)
            return strlen(start[i]);
    return 0;
}

/* Its title and description tell of the program that drew it: left out. */
static const char *skip_description(const char *at)
{
    static const char *const part[][2] = {{"<title>", "</title>"},
                                          {"<desc>", "</desc>"}};

    for (size_t i = 0; i < 2; i++)
        if (strncmp(at, part[i][0], strlen(part[i][0])) == 0) {
            const char *end = strstr(at, part[i][1]);

            return end != NULL ? end + strlen(part[i][1]) : at;
        }
    return at;
}

static void copy_picture(bnre__text *page, const char *at, const char *end,
                         const char *prefix)
{
    const char *from = at;

    for (; at < end; at++) {
        const size_t name = before_name(at);
        const char *after = skip_description(at);

        if (name == 0 && after == at)
            continue;
        bnre__text_put(page, "%.*s%s", (int)(at - from + (long)name), from,
                       name > 0 ? prefix : "");
        from = name > 0 ? at + name : after;
        at = from - 1;
    }
    bnre__text_put(page, "%.*s\n", (int)(end - from), from);
}

/* Too wide to be read on a phone as a whole. */
static int is_broad(const char *svg)
{
    const char *width = strstr(svg, "width=\"");

    return width != NULL && strtod(width + 7, NULL) > 520;
}

int bnre__html_picture(bnre__page *page, const char *path, const char *prefix,
                       const char *label)
{
    const char *start = NULL, *end = NULL;
    bnre_status status = BNRE_OK;
    char *svg = NULL;
    size_t bytes;
    int found;

    if (bnre__file_exists(path))
        status = bnre__file_read_all(path, LARGEST, &svg, &bytes);
    if (status == BNRE_ENOMEM && page->text.status == BNRE_OK)
        page->text.status = status;
    if (svg != NULL)
        start = strstr(svg, "<svg");
    if (start != NULL)
        end = strstr(start, "</svg>");
    found = end != NULL && is_drawing(start, end);
    if (found) {
        bnre__html(page, "<svg role=\"img\"");
        if (is_broad(start))
            bnre__html(page, " class=\"broad\"");
        bnre__html(page, " aria-label=\"%s\"", label);
        copy_picture(&page->text, start + 4, end + 6, prefix);
    }
    bnre__free(svg);
    return found;
}
