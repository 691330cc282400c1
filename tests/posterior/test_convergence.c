#include <math.h>

#include "bnre/rng.h"
#include "posterior/convergence.h"
#include "support.h"

enum { CHAINS = 16, STEPS = 400 };

static double x[STEPS * CHAINS * 2];

/* Chains x' = phi x + noise, of variance 1, started from their own law. */
static void fill(double phi, uint64_t seed)
{
    for (size_t c = 0; c < CHAINS; c++) {
        bnre_rng rng = bnre_rng_stream(seed, 0, c);
        double value = bnre_rng_normal(&rng);

        for (size_t s = 0; s < STEPS; s++) {
            x[(s * CHAINS + c) * 2] = value;
            value = phi * value + sqrt(1 - phi * phi) * bnre_rng_normal(&rng);
        }
    }
}

static bnre_convergence result(size_t steps)
{
    bnre_convergence out;

    assert_ok(bnre__convergence(CHAINS, steps, 2, x, &out));
    return out;
}

/* The effective size of an autoregression is n (1 - phi) / (1 + phi); its
   estimate scatters by some 5 % here, by 15 % where chains do better than
   independent draws. */
static void effective_sizes_follow_the_correlation(void **state)
{
    const double phi[] = {0, 0.5, 0.8, -0.4};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const double n = CHAINS * STEPS * (1 - phi[i]) / (1 + phi[i]);
        bnre_convergence out;

        fill(phi[i], 3);
        out = result(STEPS);
        assert_close(out.bulk / n, 1, phi[i] < 0 ? 0.4 : 0.15);
        assert_true(out.rhat < 1.04);
        /* Whether a value is in a tail is remembered less than the value. */
        assert_true(out.tail > 0.8 * n * (phi[i] < 0 ? 0.5 : 1));
        assert_true(out.tail < 1.2 * CHAINS * STEPS);
    }
}

static void chains_apart_are_seen(void **state)
{
    (void)state;
    fill(0, 4);
    for (size_t s = 0; s < STEPS; s++)
        x[s * CHAINS * 2] += 3; /* one chain elsewhere */
    assert_true(result(STEPS).rhat > 1.05);
    assert_true(result(STEPS).bulk < 400);
}

static void chains_of_another_width_are_seen(void **state)
{
    (void)state;
    fill(0, 5);
    for (size_t s = 0; s < STEPS; s++)
        for (size_t c = 0; c < CHAINS / 4; c++)
            x[(s * CHAINS + c) * 2] *= 4;
    assert_true(result(STEPS).rhat > 1.05);
}

static void chains_that_drift_are_seen(void **state)
{
    (void)state;
    fill(0, 6);
    for (size_t s = 0; s < STEPS; s++)
        for (size_t c = 0; c < CHAINS; c++)
            x[(s * CHAINS + c) * 2] += 2.0 * (double)s / STEPS;
    assert_true(result(STEPS).rhat > 1.05);
}

/* Ranks do not mind infinite variance, and no monotone map changes them. */
static void heavy_tails_do_no_harm(void **state)
{
    bnre_convergence plain, bent;

    (void)state;
    fill(0.5, 7);
    plain = result(STEPS);
    for (size_t k = 0; k < STEPS * CHAINS; k++)
        x[2 * k] = sinh(9 * x[2 * k]);
    bent = result(STEPS);
    assert_close(bent.bulk, plain.bulk, 1e-9);
    assert_close(bent.tail, plain.tail, 1e-9);
    assert_true(bent.rhat < 1.02);
}

static void values_all_alike_are_perfect(void **state)
{
    bnre_convergence out;

    (void)state;
    for (size_t k = 0; k < STEPS * CHAINS; k++)
        x[2 * k] = 2;
    out = result(STEPS);
    assert_close(out.rhat, 1, 0);
    assert_close(out.bulk, STEPS * CHAINS, 0);
    assert_close(out.tail, STEPS * CHAINS, 0);
    for (size_t k = 0; k < STEPS * CHAINS; k++)
        x[2 * k] = (double)(k % CHAINS); /* stuck, each in its place */
    assert_true(result(STEPS).rhat == HUGE_VAL);
    assert_true(result(5).rhat == HUGE_VAL);
}

static bnre_status body(void *arg)
{
    bnre_convergence out;

    (void)arg;
    return bnre__convergence(CHAINS, 8, 2, x, &out);
}

static void lack_of_memory_is_survived(void **state)
{
    (void)state;
    assert_survives_lack_of_memory(body, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(effective_sizes_follow_the_correlation),
        cmocka_unit_test(chains_apart_are_seen),
        cmocka_unit_test(chains_of_another_width_are_seen),
        cmocka_unit_test(chains_that_drift_are_seen),
        cmocka_unit_test(heavy_tails_do_no_harm),
        cmocka_unit_test(values_all_alike_are_perfect),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
