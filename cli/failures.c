/* Why rows of a dataset failed, for `simulate` and `info`. */
#include <stdlib.h>

#include "cli.h"

/* The parameter on which failures depend most, if they do. */
static bnre_status print_place(bnre_dataset *data)
{
    const size_t dim = bnre_dataset_describe(data)->dim_theta;
    bnre_failure_place *place = malloc((dim + 1) * sizeof *place);
    const bnre_failure_place *most = place;
    bnre_status status = BNRE_OK;

    if (place == NULL)
        return bnre_fail(BNRE_ENOMEM, "no memory");
    CLI_TRY(bnre_failures_locate(data, place, NULL));
    for (size_t i = 1; i < dim; i++)
        if (place[i].p < most->p)
            most = &place[i];
    if (dim > 0 && most->p < 1e-3 / (double)dim)
        printf("                depend on %s: %.3g %% fail from %.4g to %.4g\n",
               most->name, 100 * most->share[most->worst],
               most->edge[most->worst], most->edge[most->worst + 1]);
    else
        printf("                no sign that they depend on the parameters\n");
done:
    free(place);
    return status;
}

bnre_status cli_print_failures(bnre_dataset *data, size_t failed, size_t rows)
{
    enum { SHOWN = 5 };
    bnre_failure list[SHOWN];
    char number[CLI_NUMBER];
    bnre_status status;
    size_t n = 0, told = 0;

    status = bnre_dataset_failures(data, SHOWN, list, &n);
    if (status != BNRE_OK)
        return status;
    printf("  failed        %s (%.3g %% of the rows)\n",
           cli_count(failed, number),
           100.0 * (double)failed / (double)(rows > 0 ? rows : 1));
    for (size_t i = 0; i < n; i++) {
        printf("                %s x %s: %s\n",
               cli_count(list[i].count, number),
               list[i].status == BNRE_DRAW_LOST ? "lost" : "invalid",
               list[i].reason[0] != 0 ? list[i].reason : "no reason given");
        told += list[i].count;
    }
    if (n > 0 && told < failed)
        printf("                %s x for other reasons\n",
               cli_count(failed - told, number));
    return failed > 0 && rows >= 100 ? print_place(data) : BNRE_OK;
}
