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

/* Five values with these probabilities in the prior. */
static const double prior_mass[] = {0.1, 0.4, 0.05, 0.25, 0.2};
enum { VALUES = 5 };

static bnre__line make_values(double log_mass[VALUES])
{
    for (size_t k = 0; k < VALUES; k++)
        log_mass[k] = log(prior_mass[k]);
    return (bnre__line){.type = &bnre__line_values,
                        .range = BNRE__VALUES,
                        .components = VALUES,
                        .log_mass = log_mass};
}

static void values_have_the_probabilities_of_a_softmax(void **state)
{
    const float raw[VALUES] = {0.5f, -1, 2, 0, 0.25f};
    const double widen[] = {1, 1.7};
    double log_mass[VALUES];
    const bnre__line line = make_values(log_mass);
    bnre__line_density q;

    (void)state;
    for (size_t w = 0; w < 2; w++) {
        double all = 0, sum = 0;

        for (size_t k = 0; k < VALUES; k++)
            all += prior_mass[k] * exp((double)raw[k] / widen[w]);
        line.type->read(&line, raw, widen[w], &q);
        for (size_t k = 0; k < VALUES; k++) {
            const double p =
                prior_mass[k] * exp((double)raw[k] / widen[w]) / all;

            assert_close(line.type->log_density(&q, (double)k), log(p), 1e-13);
            assert_close(line.type->quantile(&q, sum + p / 2), (double)k, 0);
            sum += p;
            assert_close(line.type->cdf(&q, (double)k), sum, 1e-13);
            assert_close(line.type->cdf(&q, (double)k + 0.9), sum, 1e-13);
        }
        assert_close(sum, 1, 1e-13);
        assert_true(line.type->log_density(&q, 1.5) == -INFINITY);
        assert_true(line.type->log_density(&q, 5) == -INFINITY);
        assert_true(line.type->cdf(&q, -0.5) == 0);
    }
}

/* Widened by w, ratios to the prior are taken to the power 1/w. */
static void widened_values_come_closer_to_the_prior(void **state)
{
    const float raw[VALUES] = {0.5f, -1, 2, 0, 0.25f};
    double log_mass[VALUES];
    const bnre__line line = make_values(log_mass);
    bnre__line_density narrow, wide;

    (void)state;
    line.type->read(&line, raw, 1, &narrow);
    line.type->read(&line, raw, 3, &wide);
    for (size_t k = 1; k < VALUES; k++)
        assert_close(
            (line.type->log_density(&wide, (double)k) - log_mass[k]) -
                (line.type->log_density(&wide, 0) - log_mass[0]),
            ((line.type->log_density(&narrow, (double)k) - log_mass[k]) -
             (line.type->log_density(&narrow, 0) - log_mass[0])) /
                3,
            1e-13);
}

/* Probabilities of 20,000 draws: five standard deviations, a false alarm in
   about 1 of 200,000 tests. */
static void values_are_drawn_as_often_as_they_are_probable(void **state)
{
    enum { DRAWS = 20000 };
    const float raw[VALUES] = {0.5f, -1, 2, 0, 0.25f};
    bnre_rng rng = bnre_rng_stream(62, 0, 0);
    double log_mass[VALUES], count[2][VALUES] = {0};
    const bnre__line line = make_values(log_mass);
    bnre__line_density q;

    (void)state;
    line.type->read(&line, raw, 1, &q);
    for (size_t i = 0; i < DRAWS; i++) {
        count[0][(size_t)line.type->draw(&q, &rng)]++;
        count[1][(size_t)bnre__line_prior_draw(&line, &rng)]++;
    }
    for (size_t k = 0; k < VALUES; k++) {
        const double p[] = {exp(line.type->log_density(&q, (double)k)),
                            prior_mass[k]};

        for (size_t j = 0; j < 2; j++)
            assert_close(count[j][k] / DRAWS, p[j],
                         5 * sqrt(p[j] * (1 - p[j]) / DRAWS));
    }
}

/* Passes over rows that lie apart, as beside a mixture with more numbers. */
static void passes_over_values_match_single_ones_and_differences(void **state)
{
    enum { ROWS = 7, STRIDE = 24 };
    bnre_rng rng = bnre_rng_stream(63, 0, 0);
    double log_mass[VALUES];
    const bnre__line line = make_values(log_mass);
    float raw[ROWS * STRIDE], c[ROWS], l[ROWS], dl[ROWS], draw[ROWS * STRIDE];
    bnre__lines lines = bnre__line_pass(&line, STRIDE);
    bnre__line_density q;

    (void)state;
    for (size_t i = 0; i < ROWS * STRIDE; i++) {
        raw[i] = (float)bnre_rng_normal(&rng);
        draw[i] = 0;
    }
    for (size_t i = 0; i < ROWS; i++) {
        c[i] = (float)(i % VALUES);
        dl[i] = (float)bnre_rng_normal(&rng);
    }
    lines.n = ROWS;
    lines.widen = 1.5f;
    lines.raw = raw;
    lines.c = c;
    lines.l = l;
    lines.dl = dl;
    lines.draw = draw;
    line.type->forward(&lines);
    line.type->back(&lines);
    for (size_t i = 0; i < ROWS; i++) {
        const size_t is = (size_t)c[i];

        line.type->read(&line, raw + i * STRIDE, 1.5, &q);
        assert_close((double)l[i],
                     line.type->log_density(&q, (double)c[i]) - log_mass[is],
                     1e-6);
        for (size_t k = 0; k < STRIDE; k++) {
            const double h = 1e-3, keep = (double)raw[i * STRIDE + k];
            double up, down;

            raw[i * STRIDE + k] = (float)(keep + h);
            line.type->read(&line, raw + i * STRIDE, 1.5, &q);
            up = line.type->log_density(&q, (double)c[i]);
            raw[i * STRIDE + k] = (float)(keep - h);
            line.type->read(&line, raw + i * STRIDE, 1.5, &q);
            down = line.type->log_density(&q, (double)c[i]);
            raw[i * STRIDE + k] = (float)keep;
            assert_close((double)draw[i * STRIDE + k],
                         (double)dl[i] * (up - down) / (2 * h), 2e-3);
        }
    }
}

/* Rows that lie apart give the bits of rows that do not. */
static void mixtures_beside_values_are_the_same(void **state)
{
    enum { ROWS = 131, STRIDE = 40 };
    bnre_rng rng = bnre_rng_stream(64, 0, 0);
    static float raw[ROWS * RAW], far[ROWS * STRIDE], c[ROWS], l[2][ROWS],
        dl[ROWS], draw[ROWS * RAW], far_draw[ROWS * STRIDE];
    const bnre__line line = make_line(BNRE__UNIT);
    bnre__lines near = bnre__line_pass(&line, RAW),
                apart = bnre__line_pass(&line, STRIDE);

    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        c[i] = (float)bnre_rng_uniform(&rng);
        dl[i] = (float)bnre_rng_normal(&rng);
        for (size_t k = 0; k < RAW; k++)
            far[i * STRIDE + k] = raw[i * RAW + k] =
                (float)bnre_rng_normal(&rng);
    }
    near.n = apart.n = ROWS;
    near.c = apart.c = c;
    near.dl = apart.dl = dl;
    near.raw = raw;
    apart.raw = far;
    near.l = l[0];
    apart.l = l[1];
    near.draw = draw;
    apart.draw = far_draw;
    line.type->forward(&near);
    line.type->forward(&apart);
    line.type->back(&near);
    line.type->back(&apart);
    for (size_t i = 0; i < ROWS; i++) {
        assert_close((double)l[0][i], (double)l[1][i], 1e-6);
        for (size_t k = 0; k < STRIDE; k++)
            assert_close((double)far_draw[i * STRIDE + k],
                         k < RAW ? (double)draw[i * RAW + k] : 0, 1e-5);
    }
}

static void smallest_sets_of_values_are_the_likeliest_ones(void **state)
{
    const float raw[VALUES] = {0};
    static double low[BNRE__LINE_PIECES], high[BNRE__LINE_PIECES];
    double log_mass[VALUES];
    const bnre__line line = make_values(log_mass);
    bnre__line_density q;
    size_t n;

    (void)state;
    line.type->read(&line, raw, 1, &q); /* the prior */
    bnre__line_smallest(&q, 0.6, NULL, NULL, &n, low, high);
    assert_int_equal(n, 2); /* 0.4 and 0.25 */
    assert_true(low[0] == 1 && high[0] == 1 && low[1] == 3 && high[1] == 3);
    bnre__line_smallest(&q, 0.8, NULL, NULL, &n, low, high);
    assert_int_equal(n, 2);
    assert_true(low[0] == 1 && high[0] == 1 && low[1] == 3 && high[1] == 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_have_the_probabilities_of_a_softmax),
        cmocka_unit_test(widened_values_come_closer_to_the_prior),
        cmocka_unit_test(values_are_drawn_as_often_as_they_are_probable),
        cmocka_unit_test(passes_over_values_match_single_ones_and_differences),
        cmocka_unit_test(mixtures_beside_values_are_the_same),
        cmocka_unit_test(smallest_sets_of_values_are_the_likeliest_ones),
        cmocka_unit_test(slopes_match_central_differences),
        cmocka_unit_test(smallest_sets_have_their_mass_and_no_gap_in_density),
        cmocka_unit_test(smallness_is_meant_for_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
