/* ranks.h - what ranks tell each other, and the few calls of MPI it takes. */
#ifndef BNRE_MPI_RANKS_H
#define BNRE_MPI_RANKS_H

#include <stddef.h>
#include <stdint.h>

enum message_kind {
    ASK,    /* a worker is free */
    ITEM,   /* do this item */
    DONE,   /* it is done, or failed with status and text */
    UNITS,  /* so much more work is done */
    NOTE,   /* something to tell the user */
    STOP,   /* save and stop at the next safe point */
    END,    /* nothing is left: status and text of the whole */
    GOODBYE /* the last message of a rank about this list of items */
};

enum { TEXT_SIZE = 1024 };

struct message {
    int kind; /* enum message_kind */
    int status;
    uint64_t number; /* of an item, or of units */
    char text[TEXT_SIZE];
};

int rank_count(void);
int rank_number(void);

void rank_send(int to, const struct message *message);
/* A message, if one has come; its sender. */
int rank_receive(struct message *out, int *from);

/* Bytes of rank `root` to all. */
void rank_broadcast(int root, size_t bytes, void *data);
/* The smallest of what all ranks give. */
int rank_least(int value);

#endif
