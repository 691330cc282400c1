/* outline.c - a task without its simulator: what its text alone tells. */
#include "task/outline.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/value.h"
#include "bnre/settings.h"
#include "prior/constraint.h"

bnre_status bnre__task_read_priors(const bnre_node *map, bnre_prior **out)
{
    bnre_status status = BNRE_OK;
    const size_t n = map == NULL ? 0 : map->count;
    const char **name = NULL, **text = NULL;

    if (map != NULL && (map->kind != BNRE_NODE_MAP || n == 0))
        return bnre_node_fail(map,
                              "%s must be a map of names and priors, such as "
                              "{rate: \"uniform(0, 10)\"}",
                              map->key);
    BNRE_NEW(name, n);
    BNRE_NEW(text, n);
    for (size_t i = 0; i < n; i++) {
        BNRE_TRY(bnre__task_check_prior(map->child[i]));
        name[i] = map->child[i]->key;
        text[i] = bnre__task_prior_text(map->child[i]->text);
    }
    BNRE_TRY(bnre_prior_create(n, name, text, out));
done:
    bnre__free(text);
    bnre__free(name);
    return status;
}

static bnre_status read_length(const bnre_node *node, size_t *out)
{
    bnre_status status;

    if (node->kind != BNRE_NODE_TEXT)
        return bnre_node_fail(node, "a length of x must be a number");
    status = bnre__read_size(node->text, "[1, inf)", "a length of x", out);
    if (status == BNRE_EUSAGE)
        return bnre_node_fail(node, "%s", bnre_error_message());
    return status;
}

bnre_status bnre__task_read_observable(const bnre_node *settings, size_t *ndim,
                                       size_t shape[BNRE_MAX_NDIM])
{
    const bnre_node *node = bnre_node_find(settings, "observable");

    if (node == NULL)
        return bnre_node_fail(settings,
                              "observable, the shape of x such as [2, 128], "
                              "is missing");
    if (node->kind == BNRE_NODE_TEXT) {
        *ndim = 1;
        return read_length(node, &shape[0]);
    }
    if (node->kind != BNRE_NODE_LIST || node->count == 0 ||
        node->count > BNRE_MAX_NDIM)
        return bnre_node_fail(node,
                              "observable must be a list of 1 to %d lengths "
                              "such as [2, 128]",
                              BNRE_MAX_NDIM);
    *ndim = node->count;
    for (size_t i = 0; i < node->count; i++)
        BNRE_DO(read_length(node->child[i], &shape[i]));
    return BNRE_OK;
}

bnre_status bnre__outline_from(bnre__outline *outline, const bnre_node *map,
                               const bnre__draws *draws)
{
    const bnre_node *name = bnre_node_find(map, "name");
    const bnre_node *parameters = bnre_node_find(map, "parameters");

    if (map->kind != BNRE_NODE_MAP || parameters == NULL)
        BNRE_DO(bnre_node_fail(map, "a task needs parameters, a map of names "
                                    "and priors"));
    BNRE_DO(bnre__strdup(
        name != NULL && name->kind == BNRE_NODE_TEXT ? name->text : "external",
        &outline->name));
    BNRE_DO(bnre__task_read_priors(parameters, &outline->prior));
    BNRE_DO(bnre__task_special_prior(&outline->prior, map, draws, NULL));
    /* Data made elsewhere tell the shape of x themselves. */
    if (bnre_node_find(map, "observable") != NULL) {
        BNRE_DO(
            bnre__task_read_observable(map, &outline->ndim, outline->shape));
        BNRE_DO(bnre__task_shape_size(outline->ndim, outline->shape,
                                      &outline->x_size));
    }
    return bnre__transform_read(&outline->transform, outline->prior, map);
}

bnre_status bnre__outline_read(bnre__outline *outline, const char *text,
                               const char *file, const bnre__draws *draws)
{
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL;

    BNRE_TRY(bnre_yaml_parse(text, file, &map));
    BNRE_TRY(bnre__outline_from(outline, map, draws));
done:
    bnre_node_destroy(map);
    return status;
}

void bnre__outline_clear(bnre__outline *outline)
{
    bnre__transform_clear(&outline->transform);
    bnre_prior_destroy(outline->prior);
    bnre__free(outline->name);
    *outline = (bnre__outline){0};
}

int bnre__task_is_outline(const bnre_node *settings)
{
    const bnre_node *name = bnre_node_find(settings, "name");
    const bnre_node *models = bnre_node_find(settings, "models");
    const char *builtin;

    if (settings->kind != BNRE_NODE_MAP ||
        bnre_node_find(settings, "simulator") != NULL ||
        (models != NULL && models->kind == BNRE_NODE_MAP))
        return 0;
    if (name == NULL)
        return 1;
    if (name->kind != BNRE_NODE_TEXT ||
        bnre_node_find(settings, "parameters") == NULL)
        return 0;
    for (size_t i = 0; (builtin = bnre_task_builtin_name(i)) != NULL; i++)
        if (strcmp(builtin, name->text) == 0)
            return 0;
    return 1;
}

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

/* Whether a parameter of theirs is nuisance for us, with the same prior. */
static int is_nuisance(const bnre_prior *theirs, size_t i,
                       const bnre_node *nuisance)
{
    const bnre_node *own = bnre_node_find(nuisance, bnre_prior_name(theirs, i));

    return own != NULL && own->kind == BNRE_NODE_TEXT &&
           strcmp(own->text, bnre_prior_text(theirs, i)) == 0;
}

/* Both must have the same parameters, in any order where theirs has more: those
   that are nuisance for us. */
static bnre_status compare_families(const struct sides *sides,
                                    const bnre_prior *theirs,
                                    const bnre_prior *ours,
                                    const bnre_node *nuisance)
{
    const size_t n = bnre_prior_dim(theirs), m = bnre_prior_dim(ours);
    size_t left = n;

    for (size_t i = 0; n > m && i < n; i++)
        left -= (size_t)is_nuisance(theirs, i, nuisance);
    if (left != m)
        return bnre_fail(BNRE_EUSAGE,
                         "%s has %zu parameters, %s has %zu: are they of the "
                         "same task?",
                         sides->their_file, n, sides->our_file, m);
    for (size_t i = 0; i < m; i++) {
        const char *name = bnre_prior_name(ours, i);
        size_t at = i;

        for (at = n > m ? 0 : i;
             n > m && at + 1 < n && strcmp(bnre_prior_name(theirs, at), name);)
            at++;
        if (strcmp(bnre_prior_name(theirs, at), name) != 0)
            return bnre_fail(BNRE_EUSAGE,
                             "parameter %zu is called %s in %s, and %s for %s",
                             i, bnre_prior_name(theirs, at), sides->their_file,
                             name, sides->our_file);
        if (strcmp(bnre_prior_text(theirs, at), bnre_prior_text(ours, i)) != 0)
            return complain(sides, name, bnre_prior_text(theirs, at),
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
    BNRE_TRY(compare_families(&sides, p, q, bnre_node_find(b, "nuisance")));
    BNRE_TRY(compare_conditions(&sides, bnre_node_find(a, "constraint"),
                                bnre_node_find(b, "constraint")));
done:
    bnre_prior_destroy(q);
    bnre_prior_destroy(p);
    bnre_node_destroy(b);
    bnre_node_destroy(a);
    return status;
}

/* ---- some of the parameters ---- */

/* Conditions on what is left out would change the prior of the rest. */
static bnre_status check_choice(const bnre_node *map, const bnre_prior *prior,
                                const bnre_node *chosen)
{
    const bnre_node *list = bnre_node_find(map, "constraint");
    const size_t n = bnre_prior_dim(prior);
    bnre_status status = BNRE_OK;
    bnre__constraint *one = NULL;
    const char **name = NULL;
    const char *text;

    if (bnre_node_find(map, "prior_samples") != NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "parameters of a prior known by samples cannot be "
                         "left out: leave out their columns");
    BNRE_NEW(name, n);
    for (size_t i = 0; i < n; i++)
        name[i] = bnre_prior_name(prior, i);
    for (size_t k = 0; (text = condition(list, k)) != NULL; k++) {
        bnre__constraint_destroy(one);
        one = NULL;
        BNRE_TRY(bnre__constraint_create(text, n, name, &one));
        for (size_t i = 0; i < n; i++)
            if (bnre__constraint_names(one, i) &&
                bnre_node_find(chosen, name[i]) == NULL)
                BNRE_THROW(BNRE_EUSAGE,
                           "%s cannot be left out: the condition %s speaks of "
                           "it",
                           name[i], text);
    }
done:
    bnre__constraint_destroy(one);
    bnre__free(name);
    return status;
}

/* The names of a list "a,b", each with its prior, as a map. */
static bnre_status read_choice(const char *names, const bnre_prior *prior,
                               bnre_node *chosen)
{
    bnre_status status = BNRE_OK;
    char *name = NULL;

    for (const char *at = names; at != NULL;) {
        const size_t length = strcspn(at, ",");
        size_t i = 0;

        bnre__free(name);
        name = NULL;
        BNRE_TRY(bnre__text_format(&name, "%.*s", (int)length, at));
        while (i < bnre_prior_dim(prior) &&
               strcmp(bnre_prior_name(prior, i), name) != 0)
            i++;
        if (i == bnre_prior_dim(prior))
            BNRE_THROW(BNRE_EUSAGE,
                       "parameters: there is no parameter called \"%s\"", name);
        if (bnre_node_find(chosen, name) != NULL)
            BNRE_THROW(BNRE_EUSAGE, "parameters: %s is given twice", name);
        BNRE_TRY(bnre_node_set(chosen, name, bnre_prior_text(prior, i)));
        at = at[length] == 0 ? NULL : at + length + 1;
    }
done:
    bnre__free(name);
    return status;
}

/* What is not seen needs no logarithm, and no label. */
static void drop_others(bnre_node *map, const bnre_node *rest)
{
    for (size_t i = 0; i < map->count; i++) {
        const char *key = map->child[i]->key;

        if (strcmp(key, "transform") != 0 && strcmp(key, "label") != 0 &&
            strcmp(key, "unit") != 0)
            continue;
        for (size_t k = 0; k < rest->count; k++)
            bnre_node_remove(map->child[i], rest->child[k]->key);
    }
}

bnre_status bnre__outline_choose(const char *text, const char *file,
                                 const char *names, char **out)
{
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL, *chosen = NULL, *rest = NULL;
    const bnre_node *before;
    bnre_prior *prior = NULL;

    *out = NULL;
    BNRE_TRY(bnre_yaml_parse(text, file, &map));
    BNRE_TRY(bnre__task_read_priors(bnre_node_find(map, "parameters"), &prior));
    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &chosen));
    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &rest));
    BNRE_TRY(read_choice(names, prior, chosen));
    BNRE_TRY(check_choice(map, prior, chosen));
    for (size_t i = 0; i < bnre_prior_dim(prior); i++)
        if (bnre_node_find(chosen, bnre_prior_name(prior, i)) == NULL)
            BNRE_TRY(bnre_node_set(rest, bnre_prior_name(prior, i),
                                   bnre_prior_text(prior, i)));
    before = bnre_node_find(map, "nuisance");
    for (size_t i = 0; before != NULL && i < before->count; i++)
        BNRE_TRY(
            bnre_node_set(rest, before->child[i]->key, before->child[i]->text));
    drop_others(map, rest);
    bnre_node_remove(map, "parameters");
    bnre_node_remove(map, "nuisance");
    status = bnre_node_add(map, "parameters", chosen);
    chosen = NULL;
    BNRE_TRY(status);
    if (rest->count > 0) {
        status = bnre_node_add(map, "nuisance", rest);
        rest = NULL;
        BNRE_TRY(status);
    }
    BNRE_TRY(bnre_node_write(map, out));
done:
    bnre_prior_destroy(prior);
    bnre_node_destroy(rest);
    bnre_node_destroy(chosen);
    bnre_node_destroy(map);
    return status;
}
