/* ranks.c - what ranks tell each other, and the few calls of MPI it takes. */
#include "ranks.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bnre/pool.h"
#include "executor.h"

enum { TAG = 1 };

int mpi_start(int *argc, char ***argv)
{
    int given;

    /* Only one thread of each rank talks to MPI. */
    if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &given) !=
            MPI_SUCCESS ||
        given < MPI_THREAD_FUNNELED) {
        fputs("bnre-mpi: this MPI does not allow threads\n", stderr);
        return -1;
    }
    return rank_number();
}

void mpi_finish(void)
{
    MPI_Finalize();
}

void mpi_share_kernels(void)
{
    char name[64] = "";

    snprintf(name, sizeof name, "%s", bnre_kernels_rounding());
    rank_broadcast(0, sizeof name, name);
    if (strcmp(name, bnre_kernels_rounding()) != 0)
        setenv("BNRE_KERNELS", name, 1);
}

int rank_count(void)
{
    int n;

    MPI_Comm_size(MPI_COMM_WORLD, &n);
    return n;
}

int rank_number(void)
{
    int n;

    MPI_Comm_rank(MPI_COMM_WORLD, &n);
    return n;
}

/* Wait without keeping a core busy: others may share it. */
static void wait_for(MPI_Request *request)
{
    const struct timespec pause = {.tv_nsec = 500000};
    int done = 0;

    for (;;) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done)
            return;
        nanosleep(&pause, NULL);
    }
}

void rank_send(int to, const struct message *message)
{
    MPI_Request request;

    MPI_Isend(message, (int)sizeof *message, MPI_BYTE, to, TAG, MPI_COMM_WORLD,
              &request);
    wait_for(&request);
}

int rank_receive(struct message *out, int *from)
{
    MPI_Status status;
    int there = 0;

    MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &status);
    if (!there)
        return 0;
    *from = status.MPI_SOURCE;
    MPI_Recv(out, (int)sizeof *out, MPI_BYTE, *from, TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return 1;
}

void rank_broadcast(int root, size_t bytes, void *data)
{
    char *at = data;

    while (bytes > 0) {
        const size_t n = bytes < (1 << 30) ? bytes : (size_t)1 << 30;
        MPI_Request request;

        MPI_Ibcast(at, (int)n, MPI_BYTE, root, MPI_COMM_WORLD, &request);
        wait_for(&request);
        at += n;
        bytes -= n;
    }
}

int rank_least(int value)
{
    MPI_Request request;
    int least = INT_MAX;

    MPI_Iallreduce(&value, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD,
                   &request);
    wait_for(&request);
    return least;
}
