/* Tasks in YAML: with a simulator only described, without it all of it. */
#include <stdlib.h>

#include "base/mem.h"
#include "bnre/task.h"
#include "settings.h"
#include "task/outline.h"

/* Nothing is loaded or started. What is known reads back the same. */
static void describe(const bnre_node *root)
{
    bnre_task *task = NULL, *again = NULL;
    bnre_node *text = NULL;

    if (bnre_task_describe(root, &task) == BNRE_OK) {
        MUST(!bnre_task_runs(task));
        MUST(bnre_yaml_parse(bnre_task_text(task), NULL, &text) == BNRE_OK);
        if (bnre_task_known(task)) {
            MUST(bnre_task_describe(text, &again) == BNRE_OK);
            MUST(strcmp(bnre_task_text(task), bnre_task_text(again)) == 0);
        }
    } else {
        MUST(task == NULL);
        MUST_TELL();
    }
    bnre_task_destroy(again);
    bnre_node_destroy(text);
    bnre_task_destroy(task);
}

static void create(const bnre_node *root)
{
    bnre_task *task = NULL, *again = NULL;
    bnre_node *text = NULL;

    if (bnre_task_create(root, &task) == BNRE_OK) {
        MUST(bnre_task_x_size(task) > 0);
        MUST(bnre_yaml_parse(bnre_task_text(task), NULL, &text) == BNRE_OK);
        MUST(bnre_task_create(text, &again) == BNRE_OK);
        MUST(strcmp(bnre_task_text(task), bnre_task_text(again)) == 0);
    } else {
        MUST(task == NULL);
        MUST_TELL();
    }
    bnre_task_destroy(again);
    bnre_node_destroy(text);
    bnre_task_destroy(task);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = input_text(&data, &size);
    bnre__outline outline = {0};
    bnre_node *root = NULL;

    if (bnre_yaml_parse(text, "task.yaml", &root) != BNRE_OK) {
        MUST(root == NULL);
        MUST_TELL();
    } else {
        check_tree(root);
        if (!has_key(root, "simulator"))
            create(root);
        else
            describe(root);
        if (bnre__outline_read(&outline, text, "task.yaml", NULL) != BNRE_OK)
            MUST_TELL();
    }
    bnre__outline_clear(&outline);
    bnre_node_destroy(root);
    free(text);
    return 0;
}
