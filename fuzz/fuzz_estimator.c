/* Texts of an estimator's file: task and network, as the reader meets them.

   The input is a byte that chooses the shape of x, the task's text, a 0, and
   the network's. What HDF5 keeps besides is behind checksums, which mutations
   of whole files would never get past; tests/infer/slow_estimator_damage.c
   does that. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/yaml.h"
#include "infer/evaluator.h"
#include "input.h"
#include "nn/net.h"

enum { MOST_WEIGHTS = 20000, MOST_REALS = 1 << 20 };

static const size_t shapes[][3] = {{3, 1, 1}, {2, 8, 1}, {3, 6, 6}, {4, 2, 1}};
static const size_t ndims[] = {1, 2, 3, 2};

/* As far as the reader lets it come. */
static void evaluate(const bnre_estimator *est)
{
    const size_t dim = est->info.dim_theta;
    bnre__evaluator *eval = NULL;
    double theta[256] = {0}, out, gradient[256];
    float x[128];

    if (dim > 128 || est->net->embedding->row > MOST_REALS ||
        est->net->head->row > MOST_REALS)
        return;
    for (size_t j = 0; j < 128; j++)
        x[j] = 0.5f;
    for (size_t j = 0; j < dim; j++)
        theta[j] = bnre_prior_quantile(est->outline.prior, j, 0.5);
    if (bnre__evaluator_open(est, BNRE_ALL_MEMBERS, 2, &eval) != BNRE_OK)
        return;
    if (bnre__evaluator_observe(eval, x) == BNRE_OK)
        MUST(bnre__evaluator_log_ratio(eval, 1, theta, &out, gradient) ==
                 BNRE_OK ||
             bnre_error_message()[0] != 0);
    if (bnre__evaluator_pairs(eval, 0, 1, theta, x, &out) != BNRE_OK)
        MUST(bnre_error_message()[0] != 0);
    bnre__evaluator_close(eval);
}

static bnre_status create(bnre__estimator_spec *spec, bnre_estimator **est)
{
    static const char hint[] = "the network has ";
    bnre_status status;

    /* Learn how many weights there are before memory is taken for them. */
    spec->weights = 1;
    status = bnre__estimator_create(spec, est);
    if (status != BNRE_EUSAGE ||
        strncmp(bnre_error_message(), hint, sizeof hint - 1) != 0)
        return status;
    spec->weights = strtoull(bnre_error_message() + sizeof hint - 1, NULL, 10);
    return spec->weights > MOST_WEIGHTS ? status
                                        : bnre__estimator_create(spec, est);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 2);
    bnre_node *network = NULL;
    bnre_estimator *est = NULL;
    const bnre__draws none = {0};
    bnre__estimator_spec spec = {.members = 2, .draws = &none};
    size_t length;

    MUST(text != NULL);
    memcpy(text, data, size);
    text[size] = text[size + 1] = 0;
    if (size > 0) {
        spec.ndim = ndims[data[0] % 4];
        spec.shape = shapes[data[0] % 4];
        spec.kind =
            data[0] & 4 ? BNRE_ESTIMATOR_CLASSIFIER : BNRE_ESTIMATOR_RATIO;
        spec.task = text + 1;
        length = strlen(spec.task);
        spec.network = NULL;
        if (bnre_yaml_parse(text + (length + 2 < size ? length + 2 : size),
                            "network", &network) == BNRE_OK) {
            spec.network = network;
            if (create(&spec, &est) == BNRE_OK)
                evaluate(est);
            else
                MUST(est == NULL && bnre_error_message()[0] != 0);
        }
    }
    bnre_estimator_close(est);
    bnre_node_destroy(network);
    free(text);
    return 0;
}
