/* Whole files of estimators, HDF5 included. */
#include "evaluate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bnre_estimator *est = NULL;

    if (bnre_estimator_open(input_file("est.h5", data, size), &est) ==
        BNRE_OK) {
        evaluate(est);
    } else {
        MUST(est == NULL);
        MUST_TELL();
    }
    bnre_estimator_close(est);
    return 0;
}
