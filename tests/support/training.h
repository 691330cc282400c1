/* training.h - small datasets and short trainings. */
#ifndef BNRE_TEST_TRAINING_H
#define BNRE_TEST_TRAINING_H

#include "bnre/dataset.h"
#include "bnre/train.h"

/* `count` rows of a built-in task, seed 1, in a new file. */
const char *training_data(const char *name, const char *task, size_t count,
                          bnre_split split);

/* The settings of a network, from YAML. */
bnre_node *training_network(const char *yaml);

/* A small network, batches of 32, 3 epochs, no checkpoint in the meantime. The
   file's name is borrowed. Nothing is to be cleared. */
bnre_train_opts training_opts(const char *data, const bnre_node *network);

#endif
