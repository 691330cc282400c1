/* What a user's program looks like: only public headers, only the library. */
#include <stdio.h>

#include <bnre.h>

int main(int argc, char **argv)
{
    bnre_simulate_opts opts = bnre_simulate_opts_default();
    bnre_simulate_result result;
    bnre_task *task = NULL;
    bnre_status status;

    if (argc != 2)
        return 2;
    opts.count = 100;
    status = bnre_task_open("gaussian", 0, NULL, &task);
    if (status == BNRE_OK)
        status = bnre_simulate(task, &opts, argv[1], &result);
    if (status != BNRE_OK)
        fprintf(stderr, "%s\n", bnre_error_message());
    else
        printf("%zu rows, fingerprint %s\n", result.rows, result.fingerprint);
    bnre_task_destroy(task);
    return status == BNRE_OK ? 0 : 1;
}
