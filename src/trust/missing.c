/* missing.c - the share of simulations of which nothing is known. */
#include "trust/missing.h"

#include <string.h>

#include "base/mem.h"
#include "bnre/settings.h"

bnre_status bnre__missing_share(bnre_dataset *data, bnre_failure_mode mode,
                                double *share)
{
    const bnre_dataset_info *info = bnre_dataset_describe(data);
    bnre_status status = BNRE_OK;
    uint8_t *drawn = NULL;
    size_t n = 0;

    *share = 0;
    if (info->failed == 0 || mode == BNRE_FAILURE_OUTCOME)
        return BNRE_OK;
    BNRE_NEW(drawn, info->rows);
    BNRE_TRY(bnre_dataset_read(data, 0, info->rows, NULL, NULL, NULL, drawn));
    for (size_t i = 0; i < info->rows; i++)
        n += mode == BNRE_FAILURE_MISSING ? drawn[i] != BNRE_DRAW_OK
                                          : drawn[i] == BNRE_DRAW_LOST;
    *share = (double)n / (double)info->rows;
done:
    bnre__free(drawn);
    return status;
}

bnre_status bnre__failures_missing(const bnre_estimator_info *estimator,
                                   bnre_dataset *data, double *share)
{
    static const char *const words[] = {"auto", "outcome", "missing"};
    const char *word = estimator->failure;
    bnre_failure_mode mode = BNRE_FAILURE_AUTO;
    bnre_status status = BNRE_OK;
    const bnre_node *found;
    bnre_node *map = NULL;

    *share = 0;
    BNRE_TRY(bnre_yaml_parse(estimator->settings, "settings", &map));
    found = bnre_node_find(map, "failure");
    if (found != NULL && found->kind == BNRE_NODE_TEXT)
        word = found->text;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0)
            mode = (bnre_failure_mode)i;
    BNRE_TRY(bnre__missing_share(data, mode, share));
done:
    bnre_node_destroy(map);
    return status;
}
