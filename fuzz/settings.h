/* settings.h - promises about any YAML that was read. */
#ifndef BNRE_FUZZ_SETTINGS_H
#define BNRE_FUZZ_SETTINGS_H

#include <string.h>

#include "bnre/settings.h"
#include "input.h"

static inline int same_tree(const bnre_node *a, const bnre_node *b)
{
    if (a->kind != b->kind || a->count != b->count ||
        (a->key == NULL) != (b->key == NULL) ||
        (a->key != NULL && strcmp(a->key, b->key) != 0) ||
        (a->text != NULL && strcmp(a->text, b->text) != 0))
        return 0;
    for (size_t i = 0; i < a->count; i++)
        if (!same_tree(a->child[i], b->child[i]))
            return 0;
    return 1;
}

/* What is written reads back equal. */
static inline void check_tree(const bnre_node *root)
{
    bnre_node *again = NULL;
    char *text = NULL;

    if (bnre_node_write(root, &text) == BNRE_OK) {
        MUST(bnre_yaml_parse(text, NULL, &again) == BNRE_OK);
        MUST(same_tree(root, again));
    } else {
        MUST_TELL();
    }
    bnre_node_destroy(again);
    bnre_free(text);
}

/* Whether a key of this name is anywhere: code of others is not run here. */
static inline int has_key(const bnre_node *node, const char *key)
{
    if (node->key != NULL && strcmp(node->key, key) == 0)
        return 1;
    for (size_t i = 0; i < node->count; i++)
        if (has_key(node->child[i], key))
            return 1;
    return 0;
}

#endif
