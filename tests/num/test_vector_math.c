/* The short functions of vectors keep the errors that vector_math.h states, in
   every set of kernels. Bit patterns at equal distances are numbers of all
   magnitudes; with TEST_ALL_FLOATS in the environment it is every one of
   them. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "num/kernels.h"
#include "num/logistic.h"
#include "support.h"

enum { N = 1 << 14, STRIDE = 997 };

static size_t stride(void)
{
    return getenv("TEST_ALL_FLOATS") != NULL ? 1 : STRIDE;
}

static float of_bits(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The largest error, relative to what `size` says, of a function over the floats
   whose bits are from first to last. */
static double worst(void (*f)(size_t n, const float *x, float *y),
                    double (*exact)(double x), double (*size)(double x),
                    uint32_t first, uint32_t last)
{
    static _Alignas(64) float x[N], y[N];
    double most = 0;

    for (uint64_t bits = first; bits <= last;) {
        for (size_t i = 0; i < N; i++, bits += stride())
            x[i] = of_bits(bits <= last ? (uint32_t)bits : last);
        f(N, x, y);
        for (size_t i = 0; i < N; i++) {
            const double error =
                fabs((double)y[i] - exact((double)x[i])) / size((double)x[i]);

            if (!(error <= most))
                most = error;
        }
    }
    return most;
}

static double size_of_log(double x)
{
    return fmax(fabs(log(x)), fabs(x - 1));
}

static void errors_are_as_stated(void **state)
{
    const bnre__kernels *set;

    (void)state;
    for (size_t s = 0; (set = bnre__kernels_set(s)) != NULL; s++) {
        const bnre__logistic_kernels *f = set->logistic;
        const double decay =
            fmax(worst(f->decay, exp, exp, bits_of(-0.0f), bits_of(-87)),
                 worst(f->decay, exp, exp, 0, 0));
        const double log_error =
            fmax(worst(f->log, log, size_of_log, bits_of(FLT_MIN),
                       bits_of(nextafterf(1, 0))),
                 worst(f->log, log, size_of_log, bits_of(nextafterf(1, 2)),
                       bits_of(FLT_MAX)));

        if (getenv("TEST_ALL_FLOATS") != NULL)
            print_message("%s: decay %.3g, log %.3g\n", set->name, decay,
                          log_error);
        assert_true(decay <= 1.5e-7);
        assert_true(log_error <= 2e-7);
    }
}

static void ends_are_right(void **state)
{
    static const float x[8] = {0, -0.0f, -87, -88, -1e30f, -INFINITY, NAN, -1};
    static const float z[8] = {1, NAN, FLT_MIN, FLT_MAX, 2, 0.5f, 1, 1};
    const bnre__kernels *set;
    float y[8];

    (void)state;
    for (size_t s = 0; (set = bnre__kernels_set(s)) != NULL; s++) {
        set->logistic->decay(8, x, y);
        assert_true(y[0] == 1 && y[1] == 1);
        for (size_t i = 2; i < 6; i++) /* small, and not denormal */
            assert_true(y[i] >= FLT_MIN && y[i] < 2e-38f);
        assert_true(isnan(y[6]));
        set->logistic->log(8, z, y);
        assert_true(y[0] == 0 && isnan(y[1]));
    }
}

/* Likewise of doubles, of all magnitudes: a number of each of the exponents
   times every 1/N. */
static double worst_double(void (*f)(size_t n, const double *x, double *y),
                           double (*exact)(double x), double (*size)(double x),
                           double sign, int first, int last)
{
    static double x[N], y[N];
    double most = 0;

    for (int power = first; power <= last; power++) {
        for (size_t i = 0; i < N; i++)
            x[i] = sign * ldexp(1 + ((double)i + 0.37) / N, power);
        f(N, x, y);
        for (size_t i = 0; i < N; i++) {
            const double error = fabs(y[i] - exact(x[i])) / size(x[i]);

            if (!(error <= most))
                most = error;
        }
    }
    return most;
}

static void errors_of_doubles_are_as_stated(void **state)
{
    const bnre__kernels *set;

    (void)state;
    for (size_t s = 0; (set = bnre__kernels_set(s)) != NULL; s++) {
        const bnre__line_kernels *f = set->logistic->line;
        double one = 1, zero = -0.0, far[3] = {-1e300, NAN, -699}, y[3];

        assert_true(worst_double(f->decay, exp, exp, -1, -60, 8) <= 4e-16);
        assert_true(worst_double(f->log, log, size_of_log, 1, -1022, 1023) <=
                    4e-16);
        f->decay(1, &zero, y);
        assert_true(y[0] == 1);
        f->log(1, &one, y);
        assert_true(y[0] == 0);
        f->log(1, &far[1], y);
        assert_true(isnan(y[0]));
        f->decay(3, far, y);
        assert_true(y[0] > 0 && y[0] < 1e-303 && y[2] > y[0]);
        if (s > 0)
            assert_true(isnan(y[1]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_as_stated),
        cmocka_unit_test(ends_are_right),
        cmocka_unit_test(errors_of_doubles_are_as_stated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
