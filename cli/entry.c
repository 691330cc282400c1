/* The program's entry; bnre-mpi has another. */
#include "cli.h"

int main(int argc, char **argv)
{
    return cli_main(argc, argv);
}
