/* pattern.c - text with {seed} and {rate}-style places for values. */
#include "task/external/pattern.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/number.h"

/* text[from..to), then the value of name `index`, names->n being the seed. */
struct piece {
    size_t from, to, index;
};

struct bnre__pattern {
    char *text;
    size_t seed; /* index that means the seed */
    size_t n, room;
    struct piece *piece;
    size_t rest; /* from here on plain text */
};

/* Letters, digits and '_' up to a closing brace; 0 if this is no name. */
static size_t name_length(const char *text)
{
    size_t length = 0;

    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return text[length] == '}' ? length : 0;
}

static const char *name_at(const bnre__placeholders *names, size_t i)
{
    return i < names->n ? names->name[i] : "seed";
}

/* Nearness that is hardly by chance: a template may be full of words. */
static int looks_misspelt(const char *word, const char *name)
{
    const size_t length = strlen(word);

    return strcasecmp(word, name) == 0 ||
           (length >= 4 &&
            bnre__text_distance(word, name) <= (length >= 8 ? 2 : 1));
}

/* *index = names->n + 1 for a word that is no name and none misspelt. */
static bnre_status look_up(const char *word, size_t length,
                           const bnre__placeholders *names, size_t *index)
{
    bnre_status status = BNRE_OK;
    char *copy = NULL;

    BNRE_TRY(bnre__text_format(&copy, "%.*s", (int)length, word));
    for (*index = 0; *index <= names->n; ++*index)
        if (strcmp(name_at(names, *index), copy) == 0)
            goto done;
    for (size_t i = 0; i <= names->n; i++)
        if (looks_misspelt(copy, name_at(names, i)))
            BNRE_THROW(BNRE_EUSAGE, "{%s} is no parameter: did you mean {%s}?",
                       copy, name_at(names, i));
done:
    bnre__free(copy);
    return status;
}

bnre_status bnre__pattern_create(const char *text,
                                 const bnre__placeholders *names,
                                 bnre__pattern **out)
{
    bnre_status status = BNRE_OK;
    bnre__pattern *pattern = NULL;
    const char *brace;
    size_t at = 0;

    *out = NULL;
    BNRE_NEW(pattern, 1);
    BNRE_TRY(bnre__strdup(text, &pattern->text));
    pattern->seed = names->n;
    while ((brace = strchr(text + at, '{')) != NULL) {
        size_t length = name_length(brace + 1), index = names->n + 1;

        at = (size_t)(brace - text) + 1;
        if (length > 0)
            BNRE_TRY(look_up(brace + 1, length, names, &index));
        if (index > names->n)
            continue;
        BNRE_GROW(pattern->piece, pattern->room, pattern->n + 1);
        pattern->piece[pattern->n++] =
            (struct piece){pattern->rest, at - 1, index};
        at += length + 1;
        pattern->rest = at;
    }
    *out = pattern;
    pattern = NULL;
done:
    bnre__pattern_destroy(pattern);
    return status;
}

void bnre__pattern_destroy(bnre__pattern *pattern)
{
    if (pattern == NULL)
        return;
    bnre__free(pattern->piece);
    bnre__free(pattern->text);
    bnre__free(pattern);
}

size_t bnre__pattern_places(const bnre__pattern *pattern)
{
    return pattern->n;
}

int bnre__pattern_uses(const bnre__pattern *pattern, size_t i)
{
    for (size_t k = 0; k < pattern->n; k++)
        if (pattern->piece[k].index == i)
            return 1;
    return 0;
}

bnre_status bnre__pattern_fill(const bnre__pattern *pattern, uint32_t seed,
                               const double *value, bnre__text *out)
{
    for (size_t i = 0; i < pattern->n; i++) {
        const struct piece *piece = &pattern->piece[i];
        char number[BNRE__NUMBER_ROOM];

        BNRE_DO(bnre__text_add(out, "%.*s", (int)(piece->to - piece->from),
                               pattern->text + piece->from));
        if (piece->index == pattern->seed)
            snprintf(number, sizeof number, "%lu", (unsigned long)seed);
        else
            bnre__number_format(value[piece->index], number);
        BNRE_DO(bnre__text_add(out, "%s", number));
    }
    return bnre__text_add(out, "%s", pattern->text + pattern->rest);
}
