/* names.c - which column of a file is which parameter: by name if it has
   names, else by place; what does not match is refused with both lists. */
#include "base/names.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

enum { MOST_LISTED = 40 };

static bnre_status add_list(bnre__text *text, const bnre__names *names)
{
    const size_t n = names->n < MOST_LISTED ? names->n : MOST_LISTED;

    for (size_t i = 0; i < n; i++)
        BNRE_DO(
            bnre__text_add(text, "%s%s", i > 0 ? ", " : "", names->name[i]));
    if (n < names->n)
        BNRE_DO(bnre__text_add(text, " and %zu more", names->n - n));
    if (n == 0)
        BNRE_DO(bnre__text_add(text, "none"));
    return BNRE_OK;
}

static bnre_status refuse(const char *what, const bnre__names *have,
                          const bnre__names *want)
{
    bnre_status status = BNRE_OK;
    bnre__text ours = {0}, theirs = {0};

    BNRE_TRY(add_list(&theirs, have));
    BNRE_TRY(add_list(&ours, want));
    status = bnre_fail(BNRE_EUSAGE,
                       "the %s of %s are called %s; those of %s are called "
                       "%s: columns are found by their names, so give them "
                       "the same ones, in any order",
                       what, have->owner, theirs.data, want->owner, ours.data);
done:
    bnre__free(ours.data);
    bnre__free(theirs.data);
    return status;
}

/* The number in a name that only counts; SIZE_MAX if it does more. */
static size_t place_of(const char *name)
{
    static const char *const invented[] = {"theta_", "nuisance_"};
    unsigned long long value;
    char *end;

    for (size_t i = 0; i < sizeof invented / sizeof *invented; i++)
        if (strncmp(name, invented[i], strlen(invented[i])) == 0)
            name += strlen(invented[i]);
    if (!isdigit((unsigned char)*name) || strlen(name) > 9)
        return SIZE_MAX;
    value = strtoull(name, &end, 10);
    return *end == 0 ? (size_t)value : SIZE_MAX;
}

/* Whether names count the columns from 0 on, each once. */
static int by_place(const bnre__names *have, size_t *from)
{
    for (size_t i = 0; i < have->n; i++)
        from[i] = SIZE_MAX;
    for (size_t i = 0; i < have->n; i++) {
        const size_t place = place_of(have->name[i]);

        if (place >= have->n || from[place] != SIZE_MAX)
            return 0;
        from[place] = i;
    }
    return 1;
}

struct entry {
    const char *name;
    size_t place;
};

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->name,
                  ((const struct entry *)b)->name);
}

/* Both in alphabetical order: x may have very many columns. */
static bnre_status by_name(const bnre__names *have, const bnre__names *want,
                           size_t *from, int *same)
{
    bnre_status status = BNRE_OK;
    struct entry *a = NULL, *b = NULL;
    const size_t n = want->n;

    BNRE_NEW(a, n);
    BNRE_NEW(b, n);
    for (size_t i = 0; i < n; i++) {
        a[i] = (struct entry){have->name[i], i};
        b[i] = (struct entry){want->name[i], i};
    }
    qsort(a, n, sizeof *a, compare);
    qsort(b, n, sizeof *b, compare);
    *same = 1;
    for (size_t i = 0; i < n; i++) {
        *same = *same && compare(&a[i], &b[i]) == 0 &&
                (i == 0 || compare(&a[i - 1], &a[i]) != 0);
        from[b[i].place] = a[i].place;
    }
done:
    bnre__free(b);
    bnre__free(a);
    return status;
}

bnre_status bnre__names_match(const char *what, const bnre__names *have,
                              const bnre__names *want, size_t *from)
{
    int same = 0;

    if (have->n == want->n) {
        BNRE_DO(by_name(have, want, from, &same));
        if (same || by_place(have, from))
            return BNRE_OK;
    }
    return refuse(what, have, want);
}
