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

   or a preset: {preset: mlp}. A bnre_net is the description with all shapes
   worked out, and never changes. */
#ifndef BNRE_NET_H
#define BNRE_NET_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/pool.h"
#include "bnre/rng.h"
#include "bnre/settings.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bnre_net bnre_net;

/* What goes in. */
typedef struct bnre_net_input {
    size_t dim_theta;
    size_t ndim;         /* of x */
    const size_t *shape; /* (ndim) */
    size_t outputs;      /* of the head; 0 = 1, a log ratio */
} bnre_net_input;

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
BNRE_API BNRE_MUST_CHECK bnre_status bnre_net_create(
    const bnre_node *settings, const bnre_net_input *input, bnre_net **out);
BNRE_API void bnre_net_destroy(bnre_net *net);

/* Whether the shape of x and the network look exchanged, as (1000, 3) with
   cnn1d, for which it is 1000 channels: in words, with what to do. */
enum { BNRE_NET_DOUBT = 400 };
BNRE_API int bnre_net_doubt(const bnre_net *net, char out[BNRE_NET_DOUBT]);

/* The network of the reference experiments for a built-in task, as settings
   that bnre_net_create() takes; the caller owns *out. Errors: EUSAGE when the
   task has none. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_net_paper(const char *task,
                                                    bnre_node **out);

/* All of it as YAML, presets and repeats written out. Owned by the net. */
BNRE_API const char *bnre_net_text(const bnre_net *net);

/* How many numbers are trained, and how many others are kept (running
   statistics). Each layer's stand together, in the order of the description:
   weights (out, in, kernel...) row-major, then biases; of batch-norm scale,
   then shift; buffers: running means, then variances. */
BNRE_API size_t bnre_net_weights(const bnre_net *net);
BNRE_API size_t bnre_net_buffers(const bnre_net *net);

/* Fresh weights and buffers: U(-1/sqrt(fan_in), 1/sqrt(fan_in)) for weights and
   biases; norms start as the identity. */
BNRE_API void bnre_net_init(const bnre_net *net, bnre_rng *rng, float *weights,
                            float *buffers);

/* The set of kernels in use ("avx2", "portable"): the best this machine has,
   unless the environment variable BNRE_KERNELS names another. */
BNRE_API const char *bnre_kernels_name(void);

#ifdef __cplusplus
}
#endif
#endif
