/* Texts of an estimator's file: task and network, as the reader meets them.

   The input is a byte that chooses the shape of x, a classifier, ratio or
   conditional density, and folds; then the task's text, a 0, and the
   network's. Whole files are the matter of fuzz_estimator_file.c. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/settings.h"
#include "evaluate.h"

enum { MOST_WEIGHTS = 20000 };

static const size_t shapes[][3] = {{3, 1, 1}, {2, 8, 1}, {3, 6, 6}, {4, 2, 1}};
static const size_t ndims[] = {1, 2, 3, 2};

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
    const bnre__draws none = {0};
    const unsigned choice = size > 0 ? data[0] : 0;
    bnre__estimator_spec spec = {.members = 2,
                                 .draws = &none,
                                 .ndim = ndims[choice % 4],
                                 .shape = shapes[choice % 4],
                                 .conditional = (choice & 12) == 8,
                                 .components = choice >> 5,
                                 .folds = choice & 16 ? 2 : 0,
                                 .kind = choice & 4 ? BNRE_ESTIMATOR_CLASSIFIER
                                                    : BNRE_ESTIMATOR_RATIO};
    bnre_node *network = NULL;
    bnre_estimator *est = NULL;
    char *task, *text;

    if (size == 0)
        return 0;
    data++;
    size--;
    task = input_text(&data, &size);
    text = input_text(&data, &size);
    spec.task = task;
    if (bnre_yaml_parse(text, "network", &network) == BNRE_OK) {
        spec.network = network;
        if (create(&spec, &est) == BNRE_OK) {
            evaluate(est);
        } else {
            MUST(est == NULL);
            MUST_TELL();
        }
    }
    bnre_estimator_close(est);
    bnre_node_destroy(network);
    free(text);
    free(task);
    return 0;
}
