#include "array.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bnre__npy *npy;

    if (bnre__npy_open(input_path(data, size), &npy) == BNRE_OK)
        read_array(npy);
    else
        MUST(npy == NULL && bnre_error_message()[0] != 0);
    return 0;
}
