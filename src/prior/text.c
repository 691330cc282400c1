/* text.c - priors as text: parsing "uniform(0, 10)" with the place of an
   error, and writing it. */
#include "prior/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"

enum { WORD_ROOM = 48, SIGNATURE_ROOM = 128 };

/* Where the reader is. */
struct reader {
    const char *text, *at;
};

static void skip_blanks(struct reader *reader)
{
    while (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\n')
        reader->at++;
}

static size_t column(const struct reader *reader, const char *at)
{
    return (size_t)(at - reader->text) + 1;
}

/* "found '1'", or that the text has ended */
static const char *found(const struct reader *reader, char out[32])
{
    unsigned char c = (unsigned char)*reader->at;

    if (c == 0)
        snprintf(out, 32, "found the end");
    else if (c >= 32 && c < 127)
        snprintf(out, 32, "found '%c'", c);
    else
        snprintf(out, 32, "found byte %u", c);
    return out;
}

static bnre_status fail_at(const struct reader *reader, const char *at,
                           const char *what)
{
    enum { SHOWN = 100 }; /* of a long list of categories */
    const int cut = strlen(reader->text) > SHOWN;

    return bnre_fail(BNRE_EUSAGE, "\"%.*s%s\": at column %zu: %s",
                     cut ? SHOWN : (int)strlen(reader->text), reader->text,
                     cut ? "..." : "", column(reader, at), what);
}

/* uniform(low, high) */
static const char *signature(const bnre__family *family,
                             char out[SIGNATURE_ROOM])
{
    int length = snprintf(out, SIGNATURE_ROOM, "%s(", family->name);

    for (size_t i = 0; i < family->count; i++)
        length += snprintf(out + length, SIGNATURE_ROOM - (size_t)length,
                           i == 0 ? "%s" : ", %s", family->argument[i]);
    snprintf(out + length, SIGNATURE_ROOM - (size_t)length, "%s)",
             family->more ? ", ..." : "");
    return out;
}

static int is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static const char *family_name(const void *list, size_t i)
{
    const bnre__family *family = bnre__family_at(i);

    (void)list;
    return family == NULL ? NULL : family->name;
}

static void fail_family(const struct reader *reader, const char *word)
{
    const char *near = bnre__text_nearest(word, family_name, NULL), *name;
    char list[320] = "";
    size_t length = 0;

    if (near != NULL) {
        bnre_fail(BNRE_EUSAGE,
                  "\"%s\": at column %zu: there is no family %s; did you mean "
                  "%s?",
                  reader->text, column(reader, reader->at), word, near);
        return;
    }
    for (size_t i = 0; (name = family_name(NULL, i)) != NULL; i++)
        length += (size_t)snprintf(list + length, sizeof list - length,
                                   i == 0 ? "%s" : ", %s", name);
    bnre_fail(BNRE_EUSAGE,
              "\"%s\": at column %zu: there is no family %s; the families are "
              "%s",
              reader->text, column(reader, reader->at), word, list);
}

static bnre_status read_family(struct reader *reader,
                               const bnre__family **family)
{
    char word[WORD_ROOM], here[32], what[SIGNATURE_ROOM];
    size_t length = 0;

    skip_blanks(reader);
    while (is_word(reader->at[length]))
        length++;
    if (length == 0) {
        snprintf(what, sizeof what,
                 "expected a family such as uniform(low, high), %s",
                 found(reader, here));
        return fail_at(reader, reader->at, what);
    }
    snprintf(word, sizeof word, "%.*s",
             (int)(length < WORD_ROOM ? length : WORD_ROOM - 1), reader->at);
    for (size_t i = 0; (*family = bnre__family_at(i)) != NULL; i++)
        if (strcmp((*family)->name, word) == 0)
            break;
    if (*family == NULL) {
        fail_family(reader, word);
        return BNRE_EUSAGE;
    }
    reader->at += length;
    return BNRE_OK;
}

/* One character that must come next; `after` names what it follows. */
static bnre_status expect(struct reader *reader, char c, const char *after,
                          const bnre__family *family)
{
    char here[32], form[SIGNATURE_ROOM], what[2 * SIGNATURE_ROOM];

    skip_blanks(reader);
    if (*reader->at == c) {
        reader->at++;
        return BNRE_OK;
    }
    snprintf(what, sizeof what, "expected '%c' after %s, %s; write %s", c,
             after, found(reader, here), signature(family, form));
    return fail_at(reader, reader->at, what);
}

/* A decimal number or a fraction of two. */
static bnre_status read_number(struct reader *reader, const char *name,
                               const bnre__family *family, int infinite,
                               double *out)
{
    char here[32], form[SIGNATURE_ROOM], what[2 * SIGNATURE_ROOM];
    const char *start, *end = reader->text + strlen(reader->text), *next;
    double below;

    skip_blanks(reader);
    start = reader->at;
    next = bnre__number_scan(start, end, out);
    if (next != NULL) {
        reader->at = next;
        skip_blanks(reader);
        if (*reader->at == '/') {
            reader->at++;
            skip_blanks(reader);
            next = bnre__number_scan(reader->at, end, &below);
            if (next != NULL) {
                reader->at = next;
                *out /= below;
            }
        }
    }
    if (next == NULL) {
        snprintf(what, sizeof what, "expected a number for %s, %s; write %s",
                 name, found(reader, here), signature(family, form));
        return fail_at(reader, reader->at, what);
    }
    if (isnan(*out) || (isinf(*out) && !infinite)) {
        snprintf(what, sizeof what, "%s must be finite", name);
        return fail_at(reader, start, what);
    }
    return BNRE_OK;
}

static const char *argument_name(const bnre__family *family, size_t i)
{
    return family->argument[i < family->count ? i : family->count - 1];
}

/* Whether there is one more argument than the family needs. */
static int goes_on(struct reader *reader, const bnre__family *family, size_t i)
{
    skip_blanks(reader);
    return family->more && i < BNRE__FAMILY_ARGS && *reader->at == ',';
}

bnre_status bnre__prior_parse(const char *text, const bnre__family **family,
                              double *arg)
{
    struct reader reader = {text, text};
    const char *place[BNRE__FAMILY_ARGS], *wrong;
    char what[2 * SIGNATURE_ROOM], here[32];
    size_t at = 0, n;

    BNRE_DO(read_family(&reader, family));
    BNRE_DO(expect(&reader, '(', (*family)->name, *family));
    for (size_t i = (*family)->count; (*family)->more && i < BNRE__FAMILY_ARGS;
         i++)
        arg[i] = NAN;
    for (size_t i = 0; i < (*family)->count || goes_on(&reader, *family, i);
         i++) {
        const char *const name = argument_name(*family, i);

        if (i > 0)
            BNRE_DO(
                expect(&reader, ',', argument_name(*family, i - 1), *family));
        skip_blanks(&reader);
        place[i] = reader.at;
        BNRE_DO(read_number(&reader, name, *family,
                            i < 32 && (*family)->infinite >> i & 1, &arg[i]));
    }
    n = bnre__family_count(*family, arg);
    if (n == BNRE__FAMILY_ARGS && *reader.at == ',') {
        snprintf(what, sizeof what, "expected ')': %s takes %d numbers at most",
                 (*family)->name, BNRE__FAMILY_ARGS);
        BNRE_DO(fail_at(&reader, reader.at, what));
    }
    BNRE_DO(expect(&reader, ')', argument_name(*family, n - 1), *family));
    skip_blanks(&reader);
    if (*reader.at != 0) {
        snprintf(what, sizeof what, "expected the end after ')', %s",
                 found(&reader, here));
        BNRE_DO(fail_at(&reader, reader.at, what));
    }
    wrong = (*family)->check(arg, &at);
    if (wrong != NULL) {
        snprintf(what, sizeof what, "%s %s", argument_name(*family, at), wrong);
        BNRE_DO(fail_at(&reader, place[at], what));
    }
    return BNRE_OK;
}

bnre_status bnre__prior_write(const bnre__family *family, const double *arg,
                              char **out)
{
    bnre__text text = {0};
    bnre_status status = BNRE_OK;
    char number[BNRE__NUMBER_ROOM];

    BNRE_TRY(bnre__text_add(&text, "%s(", family->name));
    for (size_t i = 0; i < bnre__family_count(family, arg); i++) {
        bnre__number_format(arg[i], number);
        BNRE_TRY(bnre__text_add(&text, i == 0 ? "%s" : ", %s", number));
    }
    BNRE_TRY(bnre__text_add(&text, ")"));
    *out = text.data;
    text.data = NULL;
done:
    bnre__free(text.data);
    return status;
}
