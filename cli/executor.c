/* Who does the work of a study in this program: its threads. */
#include "cli.h"

bnre_status cli_executor_open(size_t threads, bnre_executor *out)
{
    bnre_status status = BNRE_OK;
    bnre_pool *pool = NULL;

    CLI_TRY(bnre_pool_create(threads, &pool));
    *out = bnre_executor_threads(pool);
done:
    return status;
}

void cli_executor_close(bnre_executor *executor)
{
    bnre_pool_destroy(executor->pool);
}
