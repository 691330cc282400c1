#include "array.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = input_file("x.npz", data, size);
    bnre__npy *npy;

    if (bnre__npz_open(path, "x", &npy) != BNRE_OK) {
        MUST(npy == NULL);
        MUST_TELL();
    } else if (npy != NULL) {
        read_array(npy);
    }
    return 0;
}
