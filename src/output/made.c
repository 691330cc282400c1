#include "output/made.h"

#include "base/mem.h"

/* What a map or a list holds; entries of lists have no key. */
static bnre_status add_children(bnre__json *parent, const bnre_node *node)
{
    const int named = node->kind == BNRE_NODE_MAP;

    for (size_t i = 0; i < node->count; i++) {
        const bnre_node *child = node->child[i];
        const char *key = named ? child->key : NULL;
        bnre__json *inner = NULL;

        switch (child->kind) {
        case BNRE_NODE_TEXT:
            BNRE_DO(bnre__json_text(parent, key, child->text));
            break;
        case BNRE_NODE_MAP:
            BNRE_DO(bnre__json_object(parent, key, &inner));
            BNRE_DO(add_children(inner, child));
            break;
        case BNRE_NODE_LIST:
            BNRE_DO(bnre__json_list(parent, key, &inner));
            BNRE_DO(add_children(inner, child));
            break;
        }
    }
    return BNRE_OK;
}

bnre_status bnre__made_add(bnre__json *root, const bnre_node *made)
{
    bnre__json *inner = NULL;

    if (made == NULL)
        return BNRE_OK;
    BNRE_DO(bnre__json_object(root, "made", &inner));
    return add_children(inner, made);
}
