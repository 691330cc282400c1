/* Factors as an interface: slopes are derivatives, smallest sets have their
   mass and are where the density is highest. */
#include <math.h>

#include "num/line.h"
#include "support.h"

enum { N = 8, RAW = 3 * N };

static const bnre__range ranges[] = {BNRE__UNIT, BNRE__HALF, BNRE__LINE};

static bnre__line make_line(bnre__range range)
{
    return (bnre__line){
        .type = &bnre__line_logistic, .range = range, .components = N};
}

static void slopes_match_central_differences(void **state)
{
    bnre_rng rng = bnre_rng_stream(61, 0, 0);
    float raw[RAW];
    bnre__line_density q;

    (void)state;
    for (size_t i = 0; i < 300; i++) {
        const bnre__line line = make_line(ranges[i % 3]);
        const double h = 1e-6;
        double c, d, up, down;

        for (size_t k = 0; k < RAW; k++)
            raw[k] = (float)bnre_rng_normal(&rng);
        line.type->read(&line, raw, 1, &q);
        c = 0.01 + 0.98 * bnre_rng_uniform(&rng);
        d = line.type->slope(&q, c);
        up = line.type->log_density(&q, c + h);
        down = line.type->log_density(&q, c - h);
        assert_close(d, (up - down) / (2 * h), 1e-6 * (1 + fabs(d)));
        up = bnre__range_log_density(line.range, c + h);
        down = bnre__range_log_density(line.range, c - h);
        assert_close(bnre__range_slope(line.range, c), (up - down) / (2 * h),
                     1e-6);
    }
}

/* Of all components but those named the weight is nothing. */
static void make_two(float raw[RAW], double first, double second)
{
    for (size_t k = 0; k < N; k++) {
        raw[k] = k < 2 ? 0 : -60;
        raw[N + k] = (float)(k == 0 ? first : second);
        raw[2 * N + k] = -4;
    }
}

static void smallest_sets_have_their_mass_and_no_gap_in_density(void **state)
{
    static double low[BNRE__LINE_PIECES], high[BNRE__LINE_PIECES];
    float raw[RAW];
    bnre__line_density q;

    (void)state;
    for (size_t r = 0; r < 3; r++)
        for (size_t two = 0; two < 2; two++) {
            const bnre__line line = make_line(ranges[r]);
            double mass = 0, least = INFINITY;
            size_t n = 0;

            make_two(raw, 0.25, two ? 0.75 : 0.25);
            line.type->read(&line, raw, 1, &q);
            bnre__line_smallest(&q, 0.9, NULL, NULL, &n, low, high);
            assert_int_equal(n, 1 + two);
            for (size_t k = 0; k < n; k++) {
                mass +=
                    line.type->cdf(&q, high[k]) - line.type->cdf(&q, low[k]);
                least = fmin(least, line.type->log_density(&q, low[k]));
                least = fmin(least, line.type->log_density(&q, high[k]));
            }
            assert_close(mass, 0.9, 1.0 / BNRE__LINE_PIECES);
            /* Ends are equally dense, as far as cells are short. */
            for (size_t k = 0; k < n; k++) {
                assert_close(line.type->log_density(&q, low[k]), least, 0.06);
                assert_close(line.type->log_density(&q, high[k]), least, 0.06);
            }
        }
}

static double squared(const void *context, double c)
{
    (void)context;
    return c * c;
}

/* In c the density is symmetric; in c^2 it is higher on the left. */
static void smallness_is_meant_for_values(void **state)
{
    static double low[BNRE__LINE_PIECES], high[BNRE__LINE_PIECES];
    const bnre__line line = make_line(BNRE__UNIT);
    bnre__line_density q;
    float raw[RAW];
    size_t n;

    (void)state;
    make_two(raw, 0.5, 0.5);
    line.type->read(&line, raw, 1, &q);
    bnre__line_smallest(&q, 0.5, NULL, NULL, &n, low, high);
    assert_int_equal(n, 1);
    assert_close(low[0] + high[0], 1, 1e-3);
    bnre__line_smallest(&q, 0.5, squared, NULL, &n, low, high);
    assert_int_equal(n, 1);
    assert_true(low[0] + high[0] < 0.998);
    assert_close(line.type->log_density(&q, low[0]) - log(low[0]),
                 line.type->log_density(&q, high[0]) - log(high[0]), 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_match_central_differences),
        cmocka_unit_test(smallest_sets_have_their_mass_and_no_gap_in_density),
        cmocka_unit_test(smallness_is_meant_for_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
