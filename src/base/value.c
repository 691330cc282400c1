/* value.c - single values from text: numbers in an interval, words from a
   list. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"
#include "base/value.h"
#include "bnre/settings.h"

struct interval {
    double low, high;
    int low_open, high_open;
};

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " ");
}

/* The number at `text`, blanks around it left out; NULL if there is none. */
static const char *scan_end(const char *text, double *out)
{
    text = skip_blanks(text);
    text = bnre__number_scan(text, text + strlen(text), out);
    return text != NULL && !isnan(*out) ? skip_blanks(text) : NULL;
}

static bnre_status read_interval(const char *rule, struct interval *out)
{
    const char *at = rule;

    *out = (struct interval){-INFINITY, INFINITY, 1, 1};
    if (rule == NULL)
        return BNRE_OK;
    out->low_open = *at == '(';
    if ((*at == '(' || *at == '[') &&
        (at = scan_end(at + 1, &out->low)) != NULL && *at == ',' &&
        (at = scan_end(at + 1, &out->high)) != NULL &&
        (*at == ')' || *at == ']') && at[1] == 0 && out->low <= out->high) {
        out->high_open = *at == ')';
        return BNRE_OK;
    }
    return bnre_fail(BNRE_EINVAL, "\"%s\" is no interval", rule);
}

/* The whole text as a number; 0 if it is none. */
static int scan_whole(const char *text, double *out)
{
    const char *end = text + strlen(text);

    return bnre__number_scan(text, end, out) == end && !isnan(*out);
}

/* "1 or more", "more than 0 and at most 1", ... */
static void describe(const struct interval *in, char *out, size_t room)
{
    char low[32], high[32];

    bnre__text_real(in->low, low);
    bnre__text_real(in->high, high);
    if (isinf(in->low) && isinf(in->high))
        snprintf(out, room, "finite");
    else if (isinf(in->high))
        snprintf(out, room, in->low_open ? "more than %s" : "%s or more", low);
    else if (isinf(in->low))
        snprintf(out, room, in->high_open ? "less than %s" : "%s or less",
                 high);
    else if (!in->low_open && !in->high_open)
        snprintf(out, room, "from %s to %s", low, high);
    else
        snprintf(out, room, "%s %s and %s %s",
                 in->low_open ? "more than" : "at least", low,
                 in->high_open ? "less than" : "at most", high);
}

static int contains(const struct interval *in, long double value)
{
    return (in->low_open ? value > in->low : value >= in->low) &&
           (in->high_open ? value < in->high : value <= in->high);
}

static bnre_status fail_outside(const struct interval *in, const char *what,
                                const char *text)
{
    char range[128];

    describe(in, range, sizeof range);
    return bnre_fail(BNRE_EUSAGE, "%s must be %s, got %s", what, range, text);
}

enum whole { WHOLE, NOT_WHOLE, TOO_LARGE };

static enum whole times(uint64_t *value, uint64_t factor)
{
    if (factor != 0 && *value > UINT64_MAX / factor)
        return TOO_LARGE;
    *value *= factor;
    return WHOLE;
}

/* Digits, as many as there are, appended to *value. */
static enum whole take_digits(const char **text, uint64_t *value)
{
    enum whole whole = WHOLE;

    for (; **text >= '0' && **text <= '9'; ++*text) {
        unsigned digit = (unsigned)(**text - '0');

        if (whole == WHOLE)
            whole = times(value, 10);
        if (whole == WHOLE && *value > UINT64_MAX - digit)
            whole = TOO_LARGE;
        if (whole == WHOLE)
            *value += digit;
    }
    return whole;
}

/* base^exponent from the exponent's text. */
static enum whole read_power(const char *text, uint64_t base, uint64_t *out)
{
    uint64_t exponent = 0;
    enum whole whole;

    if (*text == 0)
        return NOT_WHOLE;
    whole = take_digits(&text, &exponent);
    if (*text != 0)
        return NOT_WHOLE;
    *out = base <= 1 && exponent > 0 ? base : 1;
    for (; whole == WHOLE && base > 1 && exponent > 0; exponent--)
        whole = times(out, base);
    return whole;
}

/* 100000, 1e6, 2.5e3, 2^17: exactly, or not at all. */
static enum whole read_whole(const char *text, uint64_t *out)
{
    const char *start = text, *point;
    uint64_t value = 0, exponent = 0, shift = 0;
    enum whole whole = take_digits(&text, &value);

    if (text == start)
        return NOT_WHOLE;
    if (*text == '^')
        return whole == WHOLE ? read_power(text + 1, value, out) : whole;
    if (*text == '.') {
        point = ++text;
        if (take_digits(&text, &value) != WHOLE)
            whole = TOO_LARGE;
        shift = (uint64_t)(text - point);
    }
    if (*text == 'e' || *text == 'E') {
        text += text[1] == '+' ? 2 : 1;
        point = text;
        if (take_digits(&text, &exponent) != WHOLE)
            exponent = UINT64_MAX;
        if (text == point)
            return NOT_WHOLE;
    }
    if (*text != 0)
        return NOT_WHOLE;
    for (; shift > exponent && value % 10 == 0 && value > 0; shift--)
        value /= 10;
    if (value != 0 && shift > exponent)
        return NOT_WHOLE;
    for (; whole == WHOLE && value != 0 && exponent > shift; exponent--)
        whole = times(&value, 10);
    *out = value;
    return whole;
}

bnre_status bnre__read_seed(const char *text, const char *rule,
                            const char *what, uint64_t *out)
{
    struct interval in;
    bnre_status status = read_interval(rule, &in);
    double real;
    uint64_t value = 0;

    if (status != BNRE_OK)
        return status;
    if (in.low < 0) {
        in.low = 0;
        in.low_open = 0;
    }
    switch (read_whole(text, &value)) {
    case WHOLE:
        break;
    case TOO_LARGE:
        return bnre_fail(BNRE_EUSAGE, "%s: %s is too large (the most is %llu)",
                         what, text, (unsigned long long)UINT64_MAX);
    case NOT_WHOLE:
        if (scan_whole(text, &real) && real < 0)
            return fail_outside(&in, what, text);
        return bnre_fail(BNRE_EUSAGE, "%s: \"%s\" is not a whole number", what,
                         text);
    }
    if (!contains(&in, (long double)value))
        return fail_outside(&in, what, text);
    *out = value;
    return BNRE_OK;
}

bnre_status bnre__read_size(const char *text, const char *rule,
                            const char *what, size_t *out)
{
    uint64_t value = 0;
    bnre_status status = bnre__read_seed(text, rule, what, &value);

    if (status == BNRE_OK && value > SIZE_MAX)
        return bnre_fail(BNRE_EUSAGE, "%s: %s is too large (the most is %zu)",
                         what, text, SIZE_MAX);
    if (status == BNRE_OK)
        *out = (size_t)value;
    return status;
}

bnre_status bnre__read_real(const char *text, const char *rule,
                            const char *what, double *out)
{
    struct interval in;
    const char *word = rule != NULL ? strchr(rule, '|') : NULL;
    char numbers[64];
    bnre_status status;
    double value;

    if (word != NULL) {
        if (strcmp(text, word + 1) == 0) {
            *out = NAN;
            return BNRE_OK;
        }
        snprintf(numbers, sizeof numbers, "%.*s", (int)(word - rule), rule);
    }
    status = read_interval(word != NULL ? numbers : rule, &in);
    if (status != BNRE_OK)
        return status;
    if (!scan_whole(text, &value))
        return bnre_fail(BNRE_EUSAGE, "%s: \"%s\" is not a number%s%s", what,
                         text, word != NULL ? " or " : "",
                         word != NULL ? word + 1 : "");
    if (!contains(&in, value))
        return fail_outside(&in, what, text);
    *out = value;
    return BNRE_OK;
}

enum { MOST_WORDS = 64, LONGEST_WORD = 64 };

struct words {
    char word[MOST_WORDS][LONGEST_WORD];
    size_t n;
};

static void split_words(const char *rule, struct words *out)
{
    out->n = 0;
    while (rule != NULL && out->n < MOST_WORDS) {
        size_t length = strcspn(rule, "|");

        snprintf(out->word[out->n++], LONGEST_WORD, "%.*s", (int)length, rule);
        rule = rule[length] == '|' ? rule + length + 1 : NULL;
    }
}

static const char *word_at(const void *list, size_t i)
{
    const struct words *words = list;

    return i < words->n ? words->word[i] : NULL;
}

bnre_status bnre__read_choice(const char *text, const char *words,
                              const char *what, int *out)
{
    struct words list;
    bnre__text all = {0};
    bnre_status status = BNRE_OK;
    const char *nearest;

    split_words(words, &list);
    for (size_t i = 0; i < list.n; i++)
        if (strcmp(text, list.word[i]) == 0) {
            *out = (int)i;
            return BNRE_OK;
        }
    for (size_t i = 0; i < list.n; i++)
        BNRE_TRY(bnre__text_add(&all, i > 0 ? ", %s" : "%s", list.word[i]));
    nearest = bnre__text_nearest(text, word_at, &list);
    status = bnre_fail(BNRE_EUSAGE,
                       nearest != NULL
                           ? "%s must be one of %s, got \"%s\": did you mean "
                             "\"%s\"?"
                           : "%s must be one of %s, got \"%s\"",
                       what, all.data, text, nearest);
done:
    bnre__free(all.data);
    return status;
}
