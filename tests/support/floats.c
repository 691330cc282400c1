#include "floats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/rng.h"
#include "support.h"

float *normal_floats(uint64_t seed, uint64_t row, size_t n, double size)
{
    const size_t bytes = (n * sizeof(float) + 127) / 64 * 64;
    bnre_rng rng = bnre_rng_stream(seed, 0, row);
    float *p = aligned_alloc(64, bytes);

    assert_non_null(p);
    memset(p, 0, bytes);
    for (size_t i = 0; i < n; i++)
        p[i] = (float)(size * bnre_rng_normal(&rng));
    return p;
}

void assert_each_close(size_t n, const float *fast, const float *plain,
                       double tolerance, const char *what, const char *set)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)fast[i] - (double)plain[i]) <=
              tolerance * (fabs((double)plain[i]) + 1))) {
            print_error("%s, %s[%zu] = %.9g, plain %.9g\n", set, what, i,
                        (double)fast[i], (double)plain[i]);
            fail();
        }
}
