#include "study/page/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/text.h"
#include "io/file.h"

/* Text of several lines keeps them; what is not to be seen is spelt out, as on
   a terminal. */
bnre_status bnre__html_escape(bnre__text *page, const char *text)
{
    bnre_status status = BNRE_OK;
    char *shown = NULL;
    size_t length;

    if (text == NULL)
        return BNRE_OK;
    length = bnre_show_text(NULL, 0, text, 1);
    BNRE_NEW(shown, length + 1);
    bnre_show_text(shown, length + 1, text, 1);
    for (text = shown; *text != 0; text++) {
        const size_t plain = strcspn(text, "&<>\"'");
        const char *as;

        bnre__text_put(page, "%.*s", (int)plain, text);
        text += plain;
        if (*text == 0)
            break;
        as = *text == '&'   ? "&amp;"
             : *text == '<' ? "&lt;"
             : *text == '>' ? "&gt;"
             : *text == '"' ? "&quot;"
                            : "&#39;";
        bnre__text_put(page, "%s", as);
    }
done:
    bnre__free(shown);
    return status;
}

void bnre__html_number(bnre__text *page, int digits, double value)
{
    if (!isfinite(value)) {
        bnre__text_put(page, "–");
        return;
    }
    if (fabs(value) < 0.5 * pow(10, -digits))
        value = 0; /* no minus before it */
    bnre__text_put(page, "%s%.*f", value < 0 ? "−" : "", digits, fabs(value));
}

void bnre__html_count(bnre__text *page, size_t n)
{
    char number[BNRE_READABLE];

    bnre__text_put(page, "%s", bnre_readable_count(n, number));
}

void bnre__html_shown(bnre__text *page, const char *number)
{
    if (strcmp(number, BNRE_READABLE_NONE) == 0) {
        bnre__text_put(page, "–");
        return;
    }
    for (; *number != 0; number++)
        bnre__text_put(page,
                       *number == '-'   ? "−"
                       : *number == '<' ? "&lt;"
                                        : "%c",
                       *number);
}

void bnre__html_real(bnre__text *page, double value, double spread)
{
    char number[BNRE_READABLE];

    bnre__html_shown(page, bnre_readable_real(value, spread, number));
}

void bnre__html_p(bnre__text *page, double p)
{
    char number[BNRE_READABLE];

    bnre__html_shown(page, bnre_readable_p(p, number));
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
    bnre__text_put(page, "%.*s", (int)(end - from), from);
}

/* Too wide to be read on a phone as a whole. */
static int is_broad(const char *svg)
{
    const char *width = strstr(svg, "width=\"");

    return width != NULL && strtod(width + 7, NULL) > 520;
}

bnre_status bnre__html_picture(bnre__text *page, const char *path,
                               const char *prefix, const char *label,
                               int *found)
{
    bnre_status status = BNRE_OK;
    const char *start, *end;
    char *svg = NULL;
    size_t bytes;

    *found = 0;
    if (!bnre__file_exists(path))
        return BNRE_OK;
    status = bnre__file_read_all(path, LARGEST, &svg, &bytes);
    if (status == BNRE_ENOMEM)
        goto done;
    status = BNRE_OK;
    start = svg != NULL ? strstr(svg, "<svg") : NULL;
    end = start != NULL ? strstr(start, "</svg>") : NULL;
    if (end == NULL || !is_drawing(start, end))
        goto done;
    bnre__text_put(page, "<svg role=\"img\"%s aria-label=\"",
                   is_broad(start) ? " class=\"broad\"" : "");
    BNRE_TRY(bnre__html_escape(page, label));
    bnre__text_put(page, "\"");
    copy_picture(page, start + 4, end + 6, prefix);
    bnre__text_put(page, "\n");
    *found = 1;
done:
    bnre__free(svg);
    return status;
}
