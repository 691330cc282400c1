/* check_summary.c - summaries of x that users name: a function and the values
   that it is of. Nothing here runs what a user or a file wrote. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/value.h"
#include "bnre/settings.h"
#include "trust/check.h"

typedef enum kind {
    MEAN,
    SD,
    MIN,
    MAX,
    MEDIAN,
    QUANTILE,
    AUTOCORRELATION,
    KINDS
} kind;

static const char *const names[KINDS] = {
    "mean", "sd", "min", "max", "median", "quantile", "autocorrelation"};

struct bnre__check_summary {
    char *text;
    kind kind;
    double level; /* of a quantile */
    size_t lag;
    size_t x_size, n, *at; /* the values, (n) */
};

#define EXPECTED                                                               \
    "expected mean, sd, min, max, median, quantile:P or autocorrelation:LAG, " \
    "with [values] behind it or not, such as sd, mean[0:50], "                 \
    "quantile:0.9[3,7]"

void bnre__check_summary_destroy(bnre__check_summary *summary)
{
    if (summary == NULL)
        return;
    bnre__free(summary->at);
    bnre__free(summary->text);
    bnre__free(summary);
}

const char *bnre__check_summary_text(const bnre__check_summary *summary)
{
    return summary->text;
}

/* ---- reading ---- */

static bnre_status add_values(bnre__check_summary *s, size_t *room, size_t from,
                              size_t to, size_t step)
{
    bnre_status status = BNRE_OK;

    for (size_t i = from; i < to; i += step) {
        BNRE_GROW(s->at, *room, s->n + 1);
        s->at[s->n++] = i;
        if (step > to) /* lest i overflow */
            break;
    }
done:
    return status;
}

/* A number of up to 9 digits at *at, which moves past it; `absent` if there is
   none. */
static size_t read_number(const char **at, size_t absent)
{
    size_t value = 0, digits = 0;

    for (; isdigit((unsigned char)**at) && digits < 9; ++*at, digits++)
        value = 10 * value + (size_t)(**at - '0');
    return digits > 0 ? value : absent;
}

/* i, i:j or i:j:k; 0 if `part` is something else. */
static int read_slice(const char *part, size_t size, size_t *from, size_t *to,
                      size_t *step)
{
    const char *at = part;

    *from = read_number(&at, 0);
    *to = *from + 1;
    *step = 1;
    if (*at == 0)
        return at > part;
    if (*at++ != ':')
        return 0;
    *to = read_number(&at, size);
    if (*at == ':') {
        at++;
        *step = read_number(&at, 0);
    }
    return *at == 0 && *step > 0;
}

static bnre_status add_part(bnre__check_summary *s, size_t *room,
                            const char *part, const char *const *x_name)
{
    size_t from, to, step;

    for (size_t i = 0; x_name != NULL && i < s->x_size; i++)
        if (strcmp(x_name[i], part) == 0)
            return add_values(s, room, i, i + 1, 1);
    if (!read_slice(part, s->x_size, &from, &to, &step))
        return bnre_fail(BNRE_EUSAGE,
                         "summary %s: [%s] is no value of x: expected numbers "
                         "from 0 to %zu, i:j or i:j:k%s",
                         s->text, part, s->x_size - 1,
                         x_name != NULL ? ", or names of columns" : "");
    if (to > s->x_size || from >= to)
        return bnre_fail(BNRE_EUSAGE,
                         "summary %s: [%s] is empty or goes beyond the %zu "
                         "values of x, which count from 0",
                         s->text, part, s->x_size);
    return add_values(s, room, from, to, step);
}

/* What is between the brackets, or all if there are none. */
static bnre_status read_values(bnre__check_summary *s, const char *at,
                               const char *const *x_name)
{
    const size_t length = strlen(at);
    size_t room = 0;
    char part[128];

    if (length == 0)
        return add_values(s, &room, 0, s->x_size, 1);
    if (at[0] != '[' || at[length - 1] != ']' || length < 3)
        return bnre_fail(BNRE_EUSAGE, "summary %s: " EXPECTED, s->text);
    for (at++; *at != 0;) {
        const size_t n = strcspn(at, ",]");

        if (n >= sizeof part || (at[n] == ']' && at[n + 1] != 0))
            return bnre_fail(BNRE_EUSAGE, "summary %s: " EXPECTED, s->text);
        snprintf(part, sizeof part, "%.*s", (int)n, at);
        BNRE_DO(add_part(s, &room, part, x_name));
        at += n + 1;
    }
    return BNRE_OK;
}

/* The number after the colon. */
static bnre_status read_argument(bnre__check_summary *s, const char *number)
{
    if (s->kind == QUANTILE)
        return bnre__read_real(number, "[0, 1]", s->text, &s->level);
    if (s->kind == AUTOCORRELATION)
        return bnre__read_size(number, "[1, 1e9]", s->text, &s->lag);
    return bnre_fail(BNRE_EUSAGE, "summary %s: %s takes no number", s->text,
                     names[s->kind]);
}

static bnre_status read_function(bnre__check_summary *s, const char **rest)
{
    const size_t name = strcspn(s->text, ":[");
    const char *at = s->text + name;
    char number[32];
    size_t n;

    for (s->kind = 0; s->kind < KINDS; s->kind++)
        if (strlen(names[s->kind]) == name &&
            strncmp(s->text, names[s->kind], name) == 0)
            break;
    if (s->kind == KINDS)
        return bnre_fail(BNRE_EUSAGE, "summary %s: " EXPECTED, s->text);
    s->lag = 1;
    s->level = 0.5;
    if (*at == ':') {
        n = strcspn(++at, "[");
        snprintf(number, sizeof number, "%.*s", (int)(n < 31 ? n : 31), at);
        BNRE_DO(read_argument(s, number));
        at += n;
    } else if (s->kind == QUANTILE) {
        return bnre_fail(BNRE_EUSAGE,
                         "summary %s: which quantile? quantile:0.9 is the one "
                         "that 90 %% of the values are below",
                         s->text);
    }
    *rest = at;
    return BNRE_OK;
}

/* What it takes to compute it. */
static bnre_status check_values(const bnre__check_summary *s)
{
    if (s->kind != AUTOCORRELATION || s->n > s->lag)
        return BNRE_OK;
    return bnre_fail(BNRE_EUSAGE,
                     "summary %s: there are only %zu values, none of which "
                     "lie %zu apart",
                     s->text, s->n, s->lag);
}

bnre_status bnre__check_summary_parse(const char *text, size_t x_size,
                                      const char *const *x_name,
                                      bnre__check_summary **out)
{
    bnre__check_summary *s = NULL;
    bnre_status status = BNRE_OK;
    const char *rest = NULL;

    *out = NULL;
    BNRE_NEW(s, 1);
    s->x_size = x_size;
    BNRE_TRY(bnre__strdup(text, &s->text));
    BNRE_TRY(read_function(s, &rest));
    BNRE_TRY(read_values(s, rest, x_name));
    BNRE_TRY(check_values(s));
    *out = s;
    s = NULL;
done:
    bnre__check_summary_destroy(s);
    return status;
}

/* ---- computing ---- */

static double value_at(const bnre__check_summary *s, const double *x, size_t i)
{
    return x[i / s->n * s->x_size + s->at[i % s->n]];
}

static double mean_of(const bnre__check_summary *s, size_t n, const double *x)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += value_at(s, x, i);
    return sum / (double)n;
}

/* Products of what lies `lag` apart in the same observation, from the mean. */
static double products(const bnre__check_summary *s, size_t n, const double *x,
                       double mean, size_t lag)
{
    double sum = 0;

    for (size_t i = 0; i + lag < n; i++)
        if (i % s->n + lag < s->n)
            sum +=
                (value_at(s, x, i) - mean) * (value_at(s, x, i + lag) - mean);
    return sum;
}

static double extreme(const bnre__check_summary *s, size_t n, const double *x,
                      double sign)
{
    double best = -HUGE_VAL;

    for (size_t i = 0; i < n; i++)
        best = fmax(best, sign * value_at(s, x, i));
    return sign * best;
}

/* Linear between the values in their order. */
static bnre_status quantile(const bnre__check_summary *s, size_t n,
                            const double *x, double *out)
{
    const double place = s->level * (double)(n - 1);
    const size_t k = (size_t)place;
    bnre_status status = BNRE_OK;
    double *sorted = NULL;

    BNRE_NEW(sorted, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = value_at(s, x, i);
    bnre__sort_doubles(n, sorted);
    *out = sorted[k];
    if (k + 1 < n)
        *out += (place - (double)k) * (sorted[k + 1] - sorted[k]);
done:
    bnre__free(sorted);
    return status;
}

bnre_status bnre__check_summary_of(const bnre__check_summary *s,
                                   size_t observations, const double *x,
                                   double *out)
{
    const size_t n = observations * s->n;
    double mean, squares;

    switch (s->kind) {
    case MIN:
    case MAX:
        *out = extreme(s, n, x, s->kind == MAX ? 1 : -1);
        return BNRE_OK;
    case MEDIAN:
    case QUANTILE:
        return quantile(s, n, x, out);
    default:
        break;
    }
    mean = mean_of(s, n, x);
    squares = products(s, n, x, mean, 0);
    *out = mean;
    if (s->kind == SD)
        *out = sqrt(squares / (double)n);
    if (s->kind == AUTOCORRELATION)
        *out = squares > 0 ? products(s, n, x, mean, s->lag) / squares : 0;
    return BNRE_OK;
}
