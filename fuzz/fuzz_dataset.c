/* Whole datasets of every format: the contents tell which one it is. */
#include <stdlib.h>
#include <string.h>

#include "bnre/dataset.h"
#include "input.h"

/* By pieces, as commands read them. */
static void read_rows(bnre_dataset *data, const bnre_dataset_info *info)
{
    enum { PIECE = 3, MOST = 1 << 16 };
    static double theta[PIECE * MOST], nuisance[PIECE * MOST];
    static double x[PIECE * MOST];
    uint8_t status[PIECE];

    if (info->dim_theta > MOST || info->dim_nuisance > MOST ||
        info->x_size > MOST)
        return;
    for (size_t i = 0; i < info->rows && i < 100; i += PIECE) {
        const size_t n = info->rows - i < PIECE ? info->rows - i : PIECE;

        if (bnre_dataset_read(data, i, n, theta, nuisance, x, status) !=
            BNRE_OK) {
            MUST_TELL();
            break;
        }
    }
    MUST(bnre_dataset_read(data, info->rows, 1, theta, NULL, NULL, NULL) !=
         BNRE_OK);
}

static void use(bnre_dataset *data)
{
    const bnre_dataset_info *info = bnre_dataset_describe(data);
    bnre_failure failure[4];
    char print[33];
    size_t n;

    MUST(info->format != NULL && info->ndim <= BNRE_MAX_NDIM);
    for (size_t i = 0; i < info->dim_theta; i++)
        MUST(info->theta_name[i] != NULL);
    for (size_t i = 0; i < info->dim_nuisance; i++)
        MUST(info->nuisance_name[i] != NULL);
    read_rows(data, info);
    if (bnre_dataset_failures(data, 4, failure, &n) == BNRE_OK)
        for (size_t i = 0; i < n && i < 4; i++)
            MUST(failure[i].reason != NULL);
    else
        MUST_TELL();
    if (bnre_dataset_fingerprint(data, print) == BNRE_OK)
        MUST(strlen(print) == 32);
    else
        MUST_TELL();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = input_file("input", data, size);
    bnre_dataset *opened = NULL;

    for (int only_x = 0; only_x < 2; only_x++) {
        if ((only_x ? bnre_dataset_open_x : bnre_dataset_open)(path, &opened) ==
            BNRE_OK) {
            use(opened);
        } else {
            MUST(opened == NULL);
            MUST_TELL();
        }
        bnre_dataset_close(opened);
    }
    return 0;
}
