/* net.h - what a network is made of. */
#ifndef BNRE_NN_NET_H
#define BNRE_NN_NET_H

#include "bnre/net.h"
#include "nn/layers/layer.h"

struct bnre_net {
    size_t dim_theta;
    bnre__shape x;
    bnre__sequence *embedding, *head;
    int theta_first; /* the head's input is [theta, phi] */
    size_t outputs;  /* of the head */
    size_t weights, buffers;
    char *text;
};

/* Whether a text that stands for a network is the name of a file, and not that
   of a preset. */
int bnre__net_names_file(const char *text);

/* The settings of a preset for such an input; the caller owns *out. */
BNRE_MUST_CHECK bnre_status bnre__net_preset(const char *name,
                                             const bnre__shape *x,
                                             bnre_node **out);

#endif
