/* executor.h - ranks of MPI as the executor of a study. */
#ifndef BNRE_MPI_EXECUTOR_H
#define BNRE_MPI_EXECUTOR_H

/* Start MPI; the number of this rank, or -1 after a message on stderr. */
int mpi_start(int *argc, char ***argv);
/* End it in good order, after all ranks have come here. */
void mpi_finish(void);

/* Let all ranks use kernels that round as those of the first, so that equal work
   gives equal bytes on machines of different kinds. */
void mpi_share_kernels(void);

#endif
