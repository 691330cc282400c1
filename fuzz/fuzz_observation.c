/* Text that tells an observation, for x of some shape. */
#include <math.h>

#include "bnre/dataset.h"
#include "input.h"

static const size_t shapes[][3] = {{3, 1, 1}, {1, 1, 1}, {2, 2, 1}, {4, 2, 2}};
static const size_t ndims[] = {1, 0, 2, 3};

/* The first byte chooses the shape. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bnre_observations seen;
    const char *path;
    unsigned choice;

    if (size == 0)
        return 0;
    choice = data[0] % 4;
    path = input_file("x.txt", data + 1, size - 1);
    if (bnre_observations_read(
            &(bnre_observation_form){.ndim = ndims[choice],
                                     .shape = shapes[choice]},
            1, &path, &seen) == BNRE_OK) {
        MUST(seen.n > 0 && seen.n * seen.x_size <= size);
        for (size_t i = 0; i < seen.n * seen.x_size; i++)
            MUST(isfinite(seen.x[i]));
    } else {
        MUST(seen.x == NULL && seen.theta == NULL);
        MUST_TELL();
    }
    bnre_observations_clear(&seen);
    return 0;
}
