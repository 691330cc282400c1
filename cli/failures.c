/* Why rows of a dataset failed, for `simulate` and `info`. */
#include "cli.h"

static bnre_status print_place(bnre_dataset *data)
{
    bnre_status status = BNRE_OK;
    char *words = NULL;

    CLI_TRY(bnre_failures_words(data, &words));
    cli_print("                %s\n", words);
done:
    bnre_free(words);
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
    cli_print("  failed        %s (%.3g %% of the rows)\n",
              cli_count(failed, number),
              100.0 * (double)failed / (double)(rows > 0 ? rows : 1));
    for (size_t i = 0; i < n; i++) {
        cli_print("                %s x %s: %s\n",
                  cli_count(list[i].count, number),
                  list[i].status == BNRE_DRAW_LOST ? "lost" : "invalid",
                  list[i].reason[0] != 0 ? list[i].reason : "no reason given");
        told += list[i].count;
    }
    if (n > 0 && told < failed)
        cli_print("                %s x for other reasons\n",
                  cli_count(failed - told, number));
    return failed > 0 && rows >= 100 ? print_place(data) : BNRE_OK;
}
