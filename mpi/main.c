/* bnre-mpi - studies on many machines: every rank runs the same command. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "executor.h"

static int is_for_ranks(int argc, char **argv)
{
    static const char *const words[] = {"run", "help", "--help", "-h",
                                        "--version"};

    for (size_t i = 0; argc > 1 && i < sizeof words / sizeof *words; i++)
        if (strcmp(argv[1], words[i]) == 0)
            return 1;
    return argc < 2;
}

int main(int argc, char **argv)
{
    int rank = mpi_start(&argc, &argv), code;

    if (rank < 0)
        return 1;
    /* What happens to one rank is told by the first. */
    if (rank > 0 && (freopen("/dev/null", "w", stdout) == NULL ||
                     freopen("/dev/null", "w", stderr) == NULL)) {
        code = 1;
    } else if (is_for_ranks(argc, argv)) {
        mpi_share_kernels();
        code = cli_main(argc, argv);
    } else {
        cli_fprint(stderr,
                   "bnre-mpi runs studies: bnre-mpi run STUDY.yaml; for %s use "
                   "bnre\n",
                   argv[1]);
        code = 2;
    }
    mpi_finish();
    return code;
}
