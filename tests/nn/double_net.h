/* double_net.h - reference networks, in double precision. */
#ifndef BNRE_TEST_DOUBLE_NET_H
#define BNRE_TEST_DOUBLE_NET_H

#include <string.h>

#include "bnre/settings.h"
#include "nn/net.h"
#include "nn/plain.h"
#include "reference.h"
#include "support.h"

static inline bnre__net *net_from(const char *yaml, size_t dim_theta,
                                  size_t ndim, const size_t *shape)
{
    const bnre__net_input input = {
        .dim_theta = dim_theta, .ndim = ndim, .shape = shape};
    bnre_node *settings = NULL;
    bnre__net *net = NULL;

    assert_ok(bnre_yaml_parse(yaml, "net.yaml", &settings));
    assert_ok(bnre__net_create(settings, &input, &net));
    bnre_node_destroy(settings);
    return net;
}

/* Values of a tensor of the reference files. */
static inline double *tensor(const ref *node, size_t *n)
{
    return ref_array(ref_at(node, "data"), n);
}

/* All weights (running == 0) or running statistics of an object of tensors, in
   the order of the file, which is that of the net. */
static inline size_t gather(const ref *tensors, int running, double *out)
{
    size_t at = 0;

    for (size_t i = 0; i < ref_count(tensors); i++) {
        const char *key = ref_key(tensors, i);
        size_t n;
        double *values;

        if ((strstr(key, ".running_") != NULL) != running)
            continue;
        values = tensor(ref_at(tensors, "%s", key), &n);
        memcpy(out + at, values, n * sizeof *out);
        at += n;
        bnre__free(values);
    }
    return at;
}

#endif
