/* same_prior.c - whether two tasks have the same prior, by their texts. */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/settings.h"
#include "task/outline.h"

/* Who is compared, for the complaint. */
struct sides {
    const char *their_file, *our_file;
};

static bnre_status complain(const struct sides *sides, const char *what,
                            const char *theirs, const char *ours)
{
    return bnre_fail(BNRE_EUSAGE,
                     "%s was drawn from another prior: %s is %s there, and %s "
                     "for %s; simulate pairs with the same task",
                     sides->their_file, what, theirs, ours, sides->our_file);
}

static bnre_status compare_families(const struct sides *sides,
                                    const bnre_prior *theirs,
                                    const bnre_prior *ours)
{
    const size_t n = bnre_prior_dim(theirs), m = bnre_prior_dim(ours);

    if (n != m)
        return bnre_fail(BNRE_EUSAGE,
                         "%s has %zu parameters, %s has %zu: are they of the "
                         "same task?",
                         sides->their_file, n, sides->our_file, m);
    for (size_t i = 0; i < n; i++) {
        const char *name = bnre_prior_name(ours, i);

        if (strcmp(bnre_prior_name(theirs, i), name) != 0)
            return bnre_fail(BNRE_EUSAGE,
                             "parameter %zu is called %s in %s, and %s for %s",
                             i, bnre_prior_name(theirs, i), sides->their_file,
                             name, sides->our_file);
        if (strcmp(bnre_prior_text(theirs, i), bnre_prior_text(ours, i)) != 0)
            return complain(sides, name, bnre_prior_text(theirs, i),
                            bnre_prior_text(ours, i));
    }
    return BNRE_OK;
}

/* ---- conditions: text, or a list of texts ---- */

static const char *condition(const bnre_node *node, size_t i)
{
    if (node != NULL && node->kind == BNRE_NODE_LIST)
        node = i < node->count ? node->child[i] : NULL;
    else if (i > 0)
        node = NULL;
    return node != NULL && node->kind == BNRE_NODE_TEXT ? node->text : NULL;
}

/* The same but for white space. */
static int reads_alike(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (isspace((unsigned char)*a))
            a++;
        while (isspace((unsigned char)*b))
            b++;
        if (*a != *b)
            return 0;
        if (*a == 0)
            return 1;
    }
}

static bnre_status compare_conditions(const struct sides *sides,
                                      const bnre_node *theirs,
                                      const bnre_node *ours)
{
    for (size_t i = 0;; i++) {
        const char *a = condition(theirs, i), *b = condition(ours, i);

        if (a == NULL && b == NULL)
            return BNRE_OK;
        if (a == NULL || b == NULL || !reads_alike(a, b))
            return complain(sides, "the constraint", a != NULL ? a : "none",
                            b != NULL ? b : "none");
    }
}

/* ---- tables of draws: a path, or {file: path, fingerprint: hex} ---- */

/* A path alone does not tell what is in the file. */
static bnre_status compare_draws(const struct sides *sides,
                                 const bnre_node *theirs, const bnre_node *ours)
{
    const bnre_node *a = bnre_node_find(theirs, "fingerprint");
    const bnre_node *b = bnre_node_find(ours, "fingerprint");

    if ((theirs == NULL) != (ours == NULL))
        return complain(
            sides, "it",
            theirs != NULL ? "a table of draws" : "of known families",
            ours != NULL ? "a table of draws" : "of known families");
    if (a == NULL || b == NULL || a->text == NULL || b->text == NULL ||
        strcmp(a->text, b->text) == 0)
        return BNRE_OK;
    return bnre_fail(BNRE_EUSAGE,
                     "%s was drawn from another prior: its table of draws is "
                     "not that of %s",
                     sides->their_file, sides->our_file);
}

bnre_status bnre__task_same_prior(const char *theirs, const char *their_file,
                                  const char *ours, const char *our_file)
{
    const struct sides sides = {their_file, our_file};
    bnre_status status = BNRE_OK;
    bnre_node *a = NULL, *b = NULL;
    bnre_prior *p = NULL, *q = NULL;

    BNRE_TRY(bnre_yaml_parse(theirs, their_file, &a));
    BNRE_TRY(bnre_yaml_parse(ours, our_file, &b));
    if (bnre_node_find(a, "parameters") == NULL)
        goto done; /* it tells no prior */
    BNRE_TRY(compare_draws(&sides, bnre_node_find(a, "prior_samples"),
                           bnre_node_find(b, "prior_samples")));
    BNRE_TRY(bnre__task_read_priors(bnre_node_find(a, "parameters"), &p));
    BNRE_TRY(bnre__task_read_priors(bnre_node_find(b, "parameters"), &q));
    BNRE_TRY(compare_families(&sides, p, q));
    BNRE_TRY(compare_conditions(&sides, bnre_node_find(a, "constraint"),
                                bnre_node_find(b, "constraint")));
done:
    bnre_prior_destroy(q);
    bnre_prior_destroy(p);
    bnre_node_destroy(b);
    bnre_node_destroy(a);
    return status;
}
