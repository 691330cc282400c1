/* Estimators with one byte changed, and with many: nothing crashes, and
   what opens is what was written. */
#include <stdlib.h>
#include <string.h>

#include "bnre/rng.h"
#include "estimators.h"
#include "infer/estimator/estimator.h"
#include "support.h"

enum { ROUNDS = 4000, STEP = 3 };

static void no_change_passes(void **state)
{
    const char *path = scratch_path("whole.h5"), *bad = scratch_path("bad.h5");
    bnre_estimator *est = NULL;
    unsigned char *bytes;
    size_t size, noticed = 0;

    (void)state;
    assert_ok(some_estimator_create(EST_PLAIN, &est));
    assert_ok(bnre__estimator_set_certificate(est, "verdict: CONSERVATIVE"));
    assert_ok(bnre__estimator_set_calibration(est, 2, (double[]){0.2, 0.7}));
    assert_ok(bnre_estimator_save(est, path, 1));
    bytes = read_bytes(path, &size);
    for (size_t i = 0; i < size; i += STEP) {
        const unsigned char change = (unsigned char)(1u << i % 8);

        bytes[i] ^= change;
        write_bytes(bad, size, bytes);
        bytes[i] ^= change;
        noticed += !open_damaged(bad, est);
    }
    assert_true(noticed > size / STEP / 6);
    free(bytes);
    bnre_estimator_close(est);
}

/* Runs of bytes overwritten with noise, zeros, or bytes from elsewhere in the
   file, mostly where HDF5 keeps what describes the rest. */
static void no_damage_crashes(void **state)
{
    const char *path = scratch_path("whole.h5"), *bad = scratch_path("bad.h5");
    bnre_estimator *est = NULL;
    unsigned char *bytes, *copy;
    size_t size;

    (void)state;
    assert_ok(some_estimator_create(EST_SAMPLES, &est));
    assert_ok(bnre_estimator_save(est, path, 1));
    bytes = read_bytes(path, &size);
    copy = malloc(size);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        bnre_rng rng = bnre_rng_stream(90, 0, round);
        const size_t reach = round % 4 == 0 ? size : 8192;
        const size_t length = 1 + bnre_rng_below(&rng, 64);
        const size_t to = bnre_rng_below(&rng, reach - length);
        const size_t from = bnre_rng_below(&rng, size - length);

        memcpy(copy, bytes, size);
        if (round % 3 == 0)
            memset(copy + to, 0, length);
        else if (round % 3 == 1)
            memcpy(copy + to, bytes + from, length);
        else
            for (size_t i = 0; i < length; i++)
                copy[to + i] = (unsigned char)bnre_rng_below(&rng, 256);
        write_bytes(bad, size, copy);
        open_damaged(bad, est);
    }
    free(copy);
    free(bytes);
    bnre_estimator_close(est);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_change_passes),
        cmocka_unit_test(no_damage_crashes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
