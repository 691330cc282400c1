/* print_task.c - what there is to simulate, and a task with all it has. */
#include <string.h>

#include "print.h"

static void print_title(const bnre_plugin *record, const bnre_task *task)
{
    char shape[CLI_NUMBER];
    const size_t *length;
    size_t ndim;

    length = bnre_task_observable(task, &ndim);
    cli_print("%-16s  %10zu  %-14s  %s\n", record->name,
              bnre_prior_dim(bnre_task_prior(task)),
              cli_shape(length, ndim, shape), record->title);
}

bnre_status cli_print_tasks(const struct common *common)
{
    bnre_status status = BNRE_OK;
    bnre_task *task = NULL;
    const char *name;

    cli_print("%-16s  %10s  %-14s  %s\n", "task", "parameters", "x", "");
    for (size_t i = 0; (name = bnre_task_builtin_name(i)) != NULL; i++) {
        const bnre_plugin *record = NULL;

        /* One that was not built is listed with what it lacks. */
        status = bnre_task_builtin(name, &record);
        if (status == BNRE_EUSAGE) {
            cli_print("%-16s  %10s  %-14s  %s\n", name, "-", "-",
                      bnre_error_message());
            status = BNRE_OK;
            continue;
        }
        CLI_TRY(status);
        CLI_TRY(bnre_task_open(name, 0, NULL, &task));
        print_title(record, task);
        bnre_task_destroy(task);
        task = NULL;
    }
    fflush(stdout);
    cli_note(common, "more: bnre tasks NAME");
done:
    bnre_task_destroy(task);
    return status;
}

static void print_prior(const char *label, const bnre_prior *prior)
{
    int width = 16;

    for (size_t i = 0; i < bnre_prior_dim(prior); i++)
        width = cli_name_width(1, (const char *[]){bnre_prior_name(prior, i)},
                               width);
    cli_print("\n%s\n", label);
    for (size_t i = 0; i < bnre_prior_dim(prior); i++)
        cli_print("  %-*s  %s\n", width, bnre_prior_name(prior, i),
                  bnre_prior_text(prior, i));
    if (bnre_prior_dim(prior) == 0)
        cli_print("  none\n");
}

static void print_options(const bnre_plugin_option *option)
{
    cli_print("\noptions\n");
    if (option == NULL || option->name == NULL)
        cli_print("  none\n");
    for (; option != NULL && option->name != NULL; option++) {
        cli_print("  %-16s  %s (default %s", option->name,
                  option->help != NULL ? option->help : "",
                  option->preset != NULL ? option->preset : "none");
        if (option->rule != NULL)
            cli_print("; %s", option->rule);
        cli_print(")\n");
    }
}

/* The options of a task that is not built in, with the values they have. */
static void print_values(const bnre_node *options)
{
    if (options == NULL || options->count == 0)
        return;
    cli_print("\noptions\n");
    for (size_t i = 0; i < options->count; i++)
        if (options->child[i]->kind == BNRE_NODE_TEXT)
            cli_print("  %-16s  %s\n", options->child[i]->key,
                      options->child[i]->text);
}

static void print_conditions(const bnre_node *constraint)
{
    if (constraint == NULL || constraint->count == 0)
        return;
    cli_print("\nconstraint\n");
    for (size_t i = 0; i < constraint->count; i++)
        if (constraint->child[i]->kind == BNRE_NODE_TEXT)
            cli_print("  %s\n", constraint->child[i]->text);
}

bnre_status cli_print_task(const char *name)
{
    const bnre_plugin *record = NULL;
    bnre_status status = BNRE_OK;
    bnre_node *text = NULL;
    bnre_task *task = NULL;
    char shape[CLI_NUMBER];
    const size_t *length;
    size_t ndim;

    CLI_TRY(bnre_task_look(name, 0, NULL, &task));
    if (!bnre_task_known(task)) {
        cli_print("%s\n\nnot loaded: what its plugin alone tells is not "
                  "shown\n\n",
                  bnre_task_name(task));
        cli_print_lines(stdout, bnre_task_text(task));
        goto done;
    }
    CLI_TRY(bnre_yaml_parse(bnre_task_text(task), name, &text));
    /* A simulator of the user's own may have the name of a built-in one. */
    if (bnre_node_find(text, "simulator") == NULL)
        CLI_TRY(bnre_task_builtin(bnre_task_name(task), &record));
    cli_print("%s", bnre_task_name(task));
    if (record != NULL)
        cli_print(" - %s", record->title);
    cli_print("\n");
    print_prior("parameters", bnre_task_prior(task));
    print_conditions(bnre_node_find(text, "constraint"));
    print_prior("nuisance", bnre_task_nuisance(task));
    length = bnre_task_observable(task, &ndim);
    cli_print("\nx\n  %s\n", cli_shape(length, ndim, shape));
    if (bnre_task_tractable(task))
        cli_print("  log p(x | theta) can be computed\n");
    if (record != NULL)
        print_options(record->options);
    else
        print_values(bnre_node_find(text, "options"));
    if (record != NULL && record->reference != NULL)
        cli_print("\nreference\n  %s\n", record->reference);
    cli_print("\nexample\n  bnre simulate --task %s --count 10000\n", name);
done:
    bnre_node_destroy(text);
    bnre_task_destroy(task);
    return status;
}
