/* Studies in YAML, up to their plan. */
#include <stdlib.h>

#include "bnre/study.h"
#include "settings.h"
#include "study/study.h"

static void check_plan(const bnre_study *study)
{
    const bnre_study_info info = bnre_study_describe(study);

    MUST(info.title != NULL && info.text != NULL);
    for (size_t i = 0; i < info.cells; i++) {
        const bnre_study_cell cell = bnre_study_cell_at(study, i);

        MUST(cell.name != NULL && cell.task != NULL);
        /* A name is a directory's: it leads nowhere else. */
        MUST(strchr(cell.name, '/') == NULL && cell.name[0] != '.');
        bnre__study_seed(study, i, 1);
        for (size_t k = 0; k < BNRE_SPLIT_COUNT; k++)
            MUST(cell.dataset[k] == BNRE_NO_DATASET ||
                 cell.dataset[k] < info.datasets);
    }
    for (size_t i = 0; i < info.datasets; i++)
        MUST(strchr(bnre_study_dataset_at(study, i).name, '/') == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bnre_study *study = NULL, *again = NULL;
    char *text = input_text(&data, &size);
    bnre_node *root = NULL;

    if (bnre_yaml_parse(text, "study.yaml", &root) != BNRE_OK) {
        MUST_TELL();
    } else if (!has_key(root, "simulator")) {
        check_tree(root);
        if (bnre__study_parse(text, "study.yaml", 0, NULL, &study) == BNRE_OK) {
            check_plan(study);
            MUST(bnre__study_parse(bnre_study_describe(study).text,
                                   "study.yaml", 0, NULL, &again) == BNRE_OK);
        } else {
            MUST(study == NULL);
            MUST_TELL();
        }
    }
    bnre__study_destroy(again);
    bnre__study_destroy(study);
    bnre_node_destroy(root);
    free(text);
    return 0;
}
