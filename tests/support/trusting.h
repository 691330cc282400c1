/* trusting.h - automatic choices after a short training. */
#ifndef BNRE_TEST_TRUSTING_H
#define BNRE_TEST_TRUSTING_H

#include "bnre/trust.h"
#include "training.h"

/* A run on 256 pairs of the task gaussian. */
struct trusting {
    bnre_node *net;
    bnre_train_opts train;
    bnre_trust_opts trust;
    bnre_trust_result result;
};

/* With settings under which it is certified; `data` is borrowed. */
void trusting_begin(struct trusting *run, const char *data);
void trusting_end(struct trusting *run);
bnre_status trusting_go(struct trusting *run, const char *path);

/* For monitors, with a size_t as context: asks to stop at so many reports of
   progress from now; 0 = never. */
int trusting_stop_after(void *context, size_t done, size_t found, size_t total);

#endif
