/* Settings and tasks for people. */
#include "describe.h"

void cli_print_names(const char *label, size_t n, const char *const *name,
                     const bnre_node *priors)
{
    const int width = cli_name_width(n, name, 15);

    for (size_t i = 0; i < n; i++) {
        const bnre_node *prior = bnre_node_find(priors, name[i]);

        cli_print("  %-14s%-*s %s\n", i == 0 ? label : "", width, name[i],
                  prior != NULL && prior->text != NULL ? prior->text : "");
    }
}

void cli_print_map(const char *label, const bnre_node *map)
{
    for (size_t i = 0; map != NULL && i < map->count; i++) {
        const bnre_node *child = map->child[i];

        if (child->kind == BNRE_NODE_MAP)
            continue;
        cli_print("  %-14s%-15s ", i == 0 ? label : "", child->key);
        if (child->kind == BNRE_NODE_TEXT)
            cli_print("%s", child->text);
        for (size_t k = 0; k < child->count; k++)
            if (child->child[k]->kind == BNRE_NODE_TEXT)
                cli_print(k > 0 ? " %s" : "%s", child->child[k]->text);
        cli_print("\n");
    }
}

static void print_list(const char *label, const bnre_node *list)
{
    for (size_t i = 0; list != NULL && i < list->count; i++)
        if (list->child[i]->kind == BNRE_NODE_TEXT)
            cli_print("  %-14s%s\n", i == 0 ? label : "", list->child[i]->text);
}

void cli_print_task(const bnre_node *task, size_t n, const char *const *name)
{
    const bnre_node *title = bnre_node_find(task, "name");

    if (title != NULL && title->kind == BNRE_NODE_TEXT)
        cli_print("  task          %s\n", title->text);
    cli_print_map("simulator", bnre_node_find(task, "simulator"));
    cli_print_map("options", bnre_node_find(task, "options"));
    cli_print_names("parameters", n, name, bnre_node_find(task, "parameters"));
    print_list("constraint", bnre_node_find(task, "constraint"));
    cli_print_map("prior samples", bnre_node_find(task, "prior_samples"));
    cli_print_map("transform", bnre_node_find(task, "transform"));
}
