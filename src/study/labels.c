/* labels.c - values of axes that are lists or maps, in a few letters: in names
   what the value is, in tables and figures what sets it apart. */
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "study/study.h"

/* Longer ones are cut in names, and end with their hash. */
enum { LONGEST = 32 };

/* Of these no one reads more in a legend. */
enum { LONGEST_SHOWN = 60 };

static int is_text(const bnre_node *node)
{
    return node != NULL && node->kind == BNRE_NODE_TEXT;
}

static int is_flat(const bnre_node *node)
{
    if (node == NULL || node->kind != BNRE_NODE_LIST)
        return 0;
    for (size_t i = 0; i < node->count; i++)
        if (!is_text(node->child[i]))
            return 0;
    return 1;
}

static int is_number(const char *text)
{
    const char *end = text + strlen(text);
    double value;

    return bnre__number_scan(text, end, &value) == end;
}

/* [64, 64] as 64x64, [a, b] as a+b. */
static bnre_status add_flat(bnre__text *out, const bnre_node *list)
{
    int numbers = 1;

    for (size_t i = 0; i < list->count; i++)
        numbers = numbers && is_number(list->child[i]->text);
    for (size_t i = 0; i < list->count; i++)
        BNRE_DO(bnre__text_add(out, "%s%s",
                               i == 0    ? ""
                               : numbers ? "x"
                                         : "+",
                               list->child[i]->text));
    if (list->count == 0)
        BNRE_DO(bnre__text_add(out, "none"));
    return BNRE_OK;
}

/* All values of a tree. Of keys only those in lists are told: they name what
   the list is made of. */
static bnre_status add_values(bnre__text *out, const bnre_node *node,
                              int in_list)
{
    const char *between = out->length > 0 ? "-" : "";

    if (is_text(node))
        return bnre__text_add(out, "%s%s", between, node->text);
    if (is_flat(node)) {
        BNRE_DO(bnre__text_add(out, "%s", between));
        return add_flat(out, node);
    }
    for (size_t i = 0; i < node->count; i++) {
        if (in_list && node->kind == BNRE_NODE_MAP)
            BNRE_DO(bnre__text_add(out, "%s%s", out->length > 0 ? "-" : "",
                                   node->child[i]->key));
        BNRE_DO(add_values(out, node->child[i], node->kind == BNRE_NODE_LIST));
    }
    return BNRE_OK;
}

bnre_status bnre__label_tree(const bnre_node *value, char **out)
{
    char hash[BNRE__SHORT_HASH], *whole = NULL;
    bnre_status status = BNRE_OK;
    bnre__text text = {0};

    BNRE_TRY(bnre__text_add(&text, "%s", ""));
    BNRE_TRY(add_values(&text, value, 0));
    if (text.length == 0 || text.length > LONGEST) {
        BNRE_TRY(bnre_node_write(value, &whole));
        bnre__short_hash(whole, hash);
        if (text.length > LONGEST)
            text.length = LONGEST - BNRE__SHORT_HASH;
        BNRE_TRY(
            bnre__text_add(&text, "%s%s", text.length > 0 ? "-" : "", hash));
    }
    *out = text.data;
    text.data = NULL;
done:
    bnre_free(whole);
    bnre__free(text.data);
    return status;
}

/* ---- what sets values apart ---- */

/* A place in trees where some of them differ. */
struct difference {
    char *path;
    const bnre_node **node; /* (n) NULL where a tree has nothing there */
};

struct differences {
    size_t n; /* trees */
    struct difference *one;
    size_t count, room;
};

static int is_same(const bnre_node *a, const bnre_node *b)
{
    if (a == NULL || b == NULL || a->kind != b->kind || a->count != b->count)
        return a == b;
    if (a->kind == BNRE_NODE_TEXT)
        return strcmp(a->text, b->text) == 0;
    for (size_t i = 0; i < a->count; i++)
        if (!is_same(a->kind == BNRE_NODE_MAP
                         ? bnre_node_find(b, a->child[i]->key)
                         : b->child[i],
                     a->child[i]))
            return 0;
    return 1;
}

static bnre_status look_inside(struct differences *all, const char *path,
                               const bnre_node *const *node);

/* Compare what all trees have under a key, or at a place of a list. */
static bnre_status look_at(struct differences *all, const char *path,
                           const bnre_node *const *node, const char *key,
                           size_t place)
{
    bnre_status status = BNRE_OK;
    const bnre_node **inner = NULL;
    char *longer = NULL;

    BNRE_NEW(inner, all->n);
    for (size_t i = 0; i < all->n; i++)
        inner[i] =
            key != NULL ? bnre_node_find(node[i], key) : node[i]->child[place];
    if (key != NULL)
        BNRE_TRY(bnre__text_format(&longer, "%s%s%s", path,
                                   *path != 0 ? "." : "", key));
    else
        BNRE_TRY(bnre__text_format(&longer, "%s.%zu", path, place + 1));
    BNRE_TRY(look_inside(all, longer, inner));
done:
    bnre__free(longer);
    bnre__free(inner);
    return status;
}

static bnre_status look_into_maps(struct differences *all, const char *path,
                                  const bnre_node *const *node)
{
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = 0; k < node[i]->count; k++) {
            const char *key = node[i]->child[k]->key;
            int known = 0;

            for (size_t m = 0; m < i; m++)
                known = known || bnre_node_find(node[m], key) != NULL;
            if (!known)
                BNRE_DO(look_at(all, path, node, key, 0));
        }
    return BNRE_OK;
}

static bnre_status look_inside(struct differences *all, const char *path,
                               const bnre_node *const *node)
{
    int same = 1, maps = 1, lists = 1, flat = 1;
    bnre_status status = BNRE_OK;
    struct difference *one;

    for (size_t i = 0; i < all->n; i++) {
        same = same && is_same(node[0], node[i]);
        maps = maps && node[i] != NULL && node[i]->kind == BNRE_NODE_MAP;
        lists = lists && node[i] != NULL && node[i]->kind == BNRE_NODE_LIST &&
                node[i]->count == node[0]->count;
        flat = flat && is_flat(node[i]);
    }
    if (same)
        return BNRE_OK;
    if (maps)
        return look_into_maps(all, path, node);
    if (lists && !flat) {
        for (size_t k = 0; k < node[0]->count; k++)
            BNRE_TRY(look_at(all, path, node, NULL, k));
        return BNRE_OK;
    }
    BNRE_GROW(all->one, all->room, all->count + 1);
    one = &all->one[all->count++];
    BNRE_TRY(bnre__strdup(path, &one->path));
    BNRE_NEW(one->node, all->n);
    memcpy(one->node, node, all->n * sizeof *node);
done:
    return status;
}

static void clear_differences(struct differences *all)
{
    for (size_t i = 0; i < all->count; i++) {
        bnre__free(all->one[i].path);
        bnre__free(all->one[i].node);
    }
    bnre__free(all->one);
}

/* The last word of a path if it is enough. */
static const char *word_of(const struct differences *all, size_t which)
{
    const char *path = all->one[which].path;
    const char *word = strrchr(path, '.');

    word = word != NULL ? word + 1 : path;
    for (size_t i = 0; i < all->count; i++) {
        const char *other = strrchr(all->one[i].path, '.');

        other = other != NULL ? other + 1 : all->one[i].path;
        if (i != which && strcmp(word, other) == 0)
            return path;
    }
    return is_number(word) ? path : word;
}

static bnre_status describe(const struct differences *all, size_t tree,
                            bnre__text *out)
{
    bnre_status status = BNRE_OK;
    char *label = NULL;

    for (size_t i = 0; i < all->count; i++) {
        const bnre_node *node = all->one[i].node[tree];
        const char *word = word_of(all, i);

        BNRE_TRY(bnre__text_add(out, "%s", i > 0 ? ", " : ""));
        if (node == NULL) {
            BNRE_TRY(bnre__text_add(out, "no %s", word));
            continue;
        }
        if (all->count > 1)
            BNRE_TRY(bnre__text_add(out, "%s ", word));
        if (is_text(node)) {
            BNRE_TRY(bnre__text_add(out, "%s", node->text));
            continue;
        }
        BNRE_TRY(bnre__label_tree(node, &label));
        BNRE_TRY(bnre__text_add(out, "%s", label));
        bnre__free(label);
        label = NULL;
    }
done:
    bnre__free(label);
    return status;
}

/* Whether these say something, and two are the same only for the same tree. */
static int tell_apart(const struct differences *all, const bnre__text *text,
                      const bnre_node *const *node)
{
    for (size_t i = 0; i < all->n; i++) {
        if (text[i].length == 0 || text[i].length > LONGEST_SHOWN)
            return 0;
        for (size_t k = 0; k < i; k++)
            if (strcmp(text[i].data, text[k].data) == 0 &&
                !is_same(node[i], node[k]))
                return 0;
    }
    return 1;
}

/* For the assignments number `set` of all choices of an axis. */
static bnre_status show_differences(bnre__axis *axis, size_t set)
{
    struct differences all = {0};
    const bnre_node **node = NULL;
    bnre__text *text = NULL;
    bnre_status status = BNRE_OK;
    size_t n = 0;

    BNRE_NEW(node, axis->n);
    BNRE_NEW(text, axis->n);
    for (size_t i = 0; i < axis->n; i++)
        if (axis->choice[i].set[set].derived)
            node[all.n++] = axis->choice[i].set[set].value;
    if (all.n < 2)
        goto done;
    BNRE_TRY(look_inside(&all, "", node));
    for (size_t i = 0; i < all.n; i++)
        BNRE_TRY(describe(&all, i, &text[i]));
    if (!tell_apart(&all, text, node))
        goto done;
    for (size_t i = 0; i < axis->n; i++) {
        bnre__assignment *of = &axis->choice[i].set[set];

        if (!of->derived)
            continue;
        bnre__free(of->shown);
        of->shown = text[n].data;
        text[n++].data = NULL;
    }
done:
    for (size_t i = 0; text != NULL && i < axis->n; i++)
        bnre__free(text[i].data);
    bnre__free(text);
    bnre__free(node);
    clear_differences(&all);
    return status;
}

bnre_status bnre__labels_show(bnre__axis *axis)
{
    for (size_t i = 0; i < axis->n; i++)
        for (size_t k = 0; k < axis->choice[i].n; k++) {
            bnre__assignment *set = &axis->choice[i].set[k];

            BNRE_DO(bnre__strdup(set->label, &set->shown));
        }
    for (size_t k = 0; k < axis->choice[0].n; k++)
        BNRE_DO(show_differences(axis, k));
    return BNRE_OK;
}
