/* net.h - networks that learn log ratios: what they are.

   A network is an embedding phi of x (a list of layers, maybe empty) and a head
   on [phi(x), theta] with one output, the log ratio. It is described by
   settings:

     embedding:
       - conv1d: {channels: 8, kernel: 3, padding: 1}
       - selu
       - maxpool1d: {kernel: 3, stride: 2, padding: 1}
       - flatten
     head: {hidden: [128, 128, 128], activation: selu}

   or a preset: {preset: mlp}. A bnre__net is the description with all shapes
   worked out, and never changes. */
#ifndef BNRE_NN_NET_H
#define BNRE_NN_NET_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/pool.h"
#include "bnre/rng.h"
#include "bnre/settings.h"
#include "bnre/status.h"
#include "nn/layers/layer.h"

typedef struct bnre__net bnre__net;

/* What goes in. */
typedef struct bnre__net_input {
    size_t dim_theta;
    size_t ndim;          /* of x */
    const size_t *shape;  /* (ndim) */
    size_t outputs;       /* of the head; 0 = 1, a log ratio */
    const size_t *levels; /* (dim_theta) of categories 0, 1, ... how many there
                             are: the head has an input for each, which is 1 for
                             the one it is and else 0; of numbers 0. NULL: all
                             are numbers */
} bnre__net_input;

/* Work out a network. `settings` is the name of a preset (a text), NULL for
   `mlp`, or a map with these keys:

     preset: mlp | cnn1d | dilated_cnn | resnet18
     embedding: list of layers; absent: x goes straight to the head
     head: {hidden: [widths], activation: name}, or a list of layers
     theta_first: yes if the head's input is [theta, phi(x)] rather than
                  [phi(x), theta]

   A layer is its name or {name: {settings}}; {repeat: {times: 3, layers:
   [...]}} stands for its repetition. Errors: EUSAGE naming the layer, its
   place, and both shapes where they do not fit; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__net_create(const bnre_node *settings,
                                             const bnre__net_input *input,
                                             bnre__net **out);
void bnre__net_destroy(bnre__net *net);

/* Whether the shape of x and the network look exchanged, as (1000, 3) with
   cnn1d, for which it is 1000 channels: in words, with what to do. */
enum { BNRE__NET_DOUBT = 400 };
int bnre__net_doubt(const bnre__net *net, char out[BNRE__NET_DOUBT]);

/* The network of the reference experiments for a built-in task, as settings
   that bnre__net_create() takes; the caller owns *out. Errors: EUSAGE when the
   task has none. */
BNRE_MUST_CHECK bnre_status bnre__net_paper(const char *task, bnre_node **out);

/* All of it as YAML, presets and repeats written out. Owned by the net. */
const char *bnre__net_text(const bnre__net *net);

/* How many numbers are trained, and how many others are kept (running
   statistics). Each layer's stand together, in the order of the description:
   weights (out, in, kernel...) row-major, then biases; of batch-norm scale,
   then shift; buffers: running means, then variances. */
size_t bnre__net_weights(const bnre__net *net);
size_t bnre__net_buffers(const bnre__net *net);

/* Fresh weights and buffers: U(-1/sqrt(fan_in), 1/sqrt(fan_in)) for weights and
   biases; norms start as the identity. */
void bnre__net_init(const bnre__net *net, bnre_rng *rng, float *weights,
                    float *buffers);

/* ---- what a network is made of ---- */

struct bnre__net {
    size_t given;     /* numbers of theta, */
    size_t *levels;   /* (given) of which these are categories; NULL = none */
    size_t dim_theta; /* as the head has them, categories as such */
    bnre__shape x;
    bnre__sequence *embedding, *head;
    int theta_first; /* the head's input is [theta, phi] */
    size_t outputs;  /* of the head */
    size_t weights, buffers;
    char *text;
};

/* n rows of theta, `stride` apart, as the head has them: out (n, dim_theta). And
   the way back of derivatives, to (n, given): of categories there are none. */
void bnre__net_widen(const bnre__net *net, size_t n, size_t stride,
                     const float *theta, float *out);
void bnre__net_narrow(const bnre__net *net, size_t n, const float *wide,
                      float *dtheta);

/* Whether a text that stands for a network is the name of a file, and not that
   of a preset. */
int bnre__net_names_file(const char *text);

/* The settings of a preset for such an input; the caller owns *out. */
BNRE_MUST_CHECK bnre_status bnre__net_preset(const char *name,
                                             const bnre__shape *x,
                                             bnre_node **out);

#endif
