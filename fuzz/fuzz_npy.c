#include "array.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bnre__npy *npy;

    if (bnre__npy_open(input_file("x.npy", data, size), &npy) == BNRE_OK) {
        read_array(npy);
    } else {
        MUST(npy == NULL);
        MUST_TELL();
    }
    return 0;
}
