/* Mixtures of cut logistic densities: they are densities, their draws follow
   them, their derivatives are right, and the kernels agree with the plain code
   for ordinary and for extreme numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "num/kernels.h"
#include "num/logistic.h"
#include "support.h"

enum { N = 8, RAW = 3 * N };

static const bnre__range ranges[] = {BNRE__UNIT, BNRE__HALF, BNRE__LINE};

/* Mixtures of all kinds: places inside and far outside the range, widths from
   the least to the largest. */
static void make_raw(bnre_rng *rng, double spread, float raw[RAW])
{
    for (size_t k = 0; k < N; k++) {
        raw[k] = (float)bnre_rng_normal(rng);
        raw[N + k] = (float)(0.5 + spread * bnre_rng_normal(rng));
        raw[2 * N + k] = (float)(3 * bnre_rng_normal(rng) - 2);
    }
}

static double upper_end(bnre__range range)
{
    return range == BNRE__UNIT ? 1 : 60;
}

/* Simpson's rule in pieces that are short against the widths. */
static double integrate(const bnre__logistic *q, double from, double to)
{
    const size_t pieces = 40000;
    const double h = (to - from) / (double)pieces;
    double sum = 0;

    for (size_t i = 0; i < pieces; i++) {
        const double a = from + (double)i * h;

        sum += h / 6 *
               (exp(bnre__logistic_log_density(q, a)) +
                4 * exp(bnre__logistic_log_density(q, a + h / 2)) +
                exp(bnre__logistic_log_density(q, a + h)));
    }
    return sum;
}

static void densities_integrate_to_one_and_to_their_cdf(void **state)
{
    bnre_rng rng = bnre_rng_stream(31, 0, 0);
    float raw[RAW];
    bnre__logistic q;

    (void)state;
    for (size_t r = 0; r < 3; r++)
        for (size_t i = 0; i < 3; i++) {
            const double high = upper_end(ranges[r]);
            const double low = ranges[r] == BNRE__LINE ? -high : 0;
            const double middle = ranges[r] == BNRE__UNIT ? 0.3 : 0.7;

            make_raw(&rng, i == 0 ? 0.3 : 2, raw);
            bnre__logistic_read(ranges[r], N, raw, i == 2 ? 1.5 : 1, &q);
            for (size_t k = 0; k < N; k++) /* what the rule can resolve */
                q.width[k] = fmax(q.width[k], 0.02);
            assert_close(integrate(&q, low, high), 1, 1e-6);
            assert_close(integrate(&q, low, middle),
                         bnre__logistic_cdf(&q, middle), 1e-6);
        }
}

static void quantiles_invert_the_cdf(void **state)
{
    bnre_rng rng = bnre_rng_stream(32, 0, 0);
    float raw[RAW];
    bnre__logistic q;

    (void)state;
    for (size_t i = 0; i < 300; i++) {
        const double p = bnre_rng_open(&rng);
        double c;

        make_raw(&rng, i % 2 == 0 ? 0.3 : 20, raw);
        bnre__logistic_read(ranges[i % 3], N, raw, 1, &q);
        c = bnre__logistic_quantile(&q, p);
        assert_true(isfinite(bnre__logistic_log_density(&q, c)));
        assert_close(bnre__logistic_cdf(&q, c), p, 1e-6);
    }
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Kolmogorov's distance of 20,000 draws to the distribution; for each of 12
   mixtures beyond 1.95 / sqrt(n) with probability 0.001 by chance. */
static void draws_follow_the_density(void **state)
{
    enum { DRAWS = 20000 };
    static double u[DRAWS];
    bnre_rng rng = bnre_rng_stream(33, 0, 0);
    float raw[RAW];
    bnre__logistic q;

    (void)state;
    for (size_t i = 0; i < 12; i++) {
        double distance = 0;

        make_raw(&rng, i < 6 ? 0.3 : 20, raw);
        bnre__logistic_read(ranges[i % 3], N, raw, 1, &q);
        for (size_t j = 0; j < DRAWS; j++)
            u[j] = bnre__logistic_cdf(&q, bnre__logistic_draw(&q, &rng));
        qsort(u, DRAWS, sizeof *u, compare_doubles);
        for (size_t j = 0; j < DRAWS; j++)
            distance = fmax(distance, fabs(u[j] - ((double)j + 0.5) / DRAWS));
        assert_true(distance < 1.95 / sqrt(DRAWS));
    }
}

/* Draws of many rows are those of each, to the last digits of a double, unless
   u is where one component ends: then c may be of its neighbour. Sets that round
   alike draw the same. */
static void draws_of_rows_are_those_of_each(void **state)
{
    enum { ROWS = 70, STRIDE = RAW + 3, TIMES = 300 };
    static float raw[ROWS * STRIDE];
    static double c[ROWS], before[ROWS], best[ROWS], pick[ROWS], u[ROWS];
    bnre_rng rng = bnre_rng_stream(39, 0, 0), stream[ROWS];
    const bnre__kernels *kernels;
    bnre__logistic q;

    (void)state;
    for (size_t t = 0; t < TIMES; t++) {
        const double widen = t % 2 == 0 ? 1 : t % 4 == 1 ? 1.7 : 60;

        for (size_t i = 0; i < ROWS; i++) {
            bnre_rng own = bnre_rng_stream(t, 0, i);

            make_raw(&rng, t % 4 < 2 ? 0.3 : 20, raw + i * STRIDE);
            stream[i] = own;
            pick[i] = bnre_rng_open(&own);
            u[i] = bnre_rng_open(&own);
        }
        for (size_t s = 0; (kernels = bnre__kernels_set(s)) != NULL; s++) {
            const bnre__line_draws draws = {
                ranges[t % 3], ROWS, N, STRIDE, widen, raw, pick, u, c};

            memcpy(before, c, sizeof c);
            kernels->logistic->line->draw(&draws);
            if (kernels == bnre__kernels_best())
                memcpy(best, c, sizeof c);
            if (s > 1 && strcmp(kernels->rounding,
                                bnre__kernels_set(s - 1)->rounding) == 0)
                assert_memory_equal(c, before, sizeof c);
            for (size_t i = 0; i < ROWS; i++) {
                bnre_rng own = stream[i];
                double rest = pick[i], gap = 1, one;

                bnre__logistic_read(ranges[t % 3], N, raw + i * STRIDE, widen,
                                    &q);
                for (size_t k = 0; k < N; k++) {
                    rest -= q.weight[k];
                    gap = fmin(gap, fabs(rest));
                }
                one = bnre__logistic_draw(&q, &own);
                if (gap > 1e-6)
                    assert_close(c[i], one, 1e-12 * (1 + fabs(one)));
                else
                    assert_true(isfinite(c[i]));
            }
        }
        bnre__logistic_draws(ranges[t % 3], N, widen, ROWS, raw, STRIDE, stream,
                             before);
        assert_memory_equal(
            before,
            bnre__kernels_best() == bnre__kernels_set(0) ? before : best,
            sizeof c);
    }
}

/* What has no weight is never drawn, however close `pick` is to an end. */
static void nothing_is_drawn_of_what_has_no_weight(void **state)
{
    enum { ROWS = 20 };
    static const double ends[] = {0x1p-53, 0x1p-30, 0.5, 1 - 0x1p-30,
                                  1 - 0x1p-53};
    float raw[ROWS * RAW];
    double pick[ROWS], u[ROWS], c[ROWS];
    const bnre__kernels *kernels;

    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        pick[i] = ends[i % 5];
        u[i] = 0.5;
        for (size_t k = 0; k < N; k++) {
            raw[i * RAW + k] = k == i % N ? 60 : -60;
            raw[i * RAW + N + k] = k == i % N ? 0.25f : 0.75f;
            raw[i * RAW + 2 * N + k] = -6;
        }
    }
    for (size_t s = 0; (kernels = bnre__kernels_set(s)) != NULL; s++) {
        const bnre__line_draws draws = {BNRE__UNIT, ROWS, N, RAW, 1,
                                        raw,        pick, u, c};

        kernels->logistic->line->draw(&draws);
        for (size_t i = 0; i < ROWS; i++)
            assert_close(c[i], 0.25, 1e-9);
    }
}

/* Ensembles: the mean of exponentials, wherever a row is. */
static void means_are_those_of_each_row(void **state)
{
    enum { MEMBERS = 5, ROWS = 37 };
    float l[MEMBERS * ROWS];
    double mean[ROWS], before[ROWS];
    bnre_rng rng = bnre_rng_stream(41, 0, 0);
    const bnre__kernels *kernels;

    (void)state;
    for (size_t i = 0; i < MEMBERS * ROWS; i++)
        l[i] = (float)(20 * bnre_rng_normal(&rng));
    l[2] = -INFINITY;
    for (size_t k = 0; k < MEMBERS; k++)
        l[k * ROWS + 3] = -INFINITY;
    l[ROWS + 4] = NAN;
    l[5] = INFINITY;
    for (size_t s = 0; (kernels = bnre__kernels_set(s)) != NULL; s++) {
        memcpy(before, mean, sizeof mean);
        kernels->logistic->line->mean(MEMBERS, ROWS, l, mean);
        for (size_t i = 0; i < ROWS; i++) {
            double sum = 0;

            if (i >= 3 && i <= 5) {
                assert_true(s == 0 || !isfinite(mean[i]));
                continue;
            }
            for (size_t k = 0; k < MEMBERS; k++)
                sum += exp((double)l[k * ROWS + i]) / MEMBERS;
            assert_close(mean[i], log(sum), 1e-13 * (1 + fabs(log(sum))));
            if (s > 1 && strcmp(kernels->rounding,
                                bnre__kernels_set(s - 1)->rounding) == 0)
                assert_true(mean[i] == before[i]);
        }
    }
}

static void the_beginning_is_about_the_prior(void **state)
{
    float raw[RAW];
    bnre__logistic q;

    (void)state;
    for (size_t r = 0; r < 3; r++) {
        bnre__logistic_begin(ranges[r], N, raw);
        bnre__logistic_read(ranges[r], N, raw, 1, &q);
        for (double p = 0.05; p < 1; p += 0.1) {
            const double u = ranges[r] == BNRE__UNIT   ? p
                             : ranges[r] == BNRE__HALF ? -log1p(-p)
                                                       : log(p) - log1p(-p);

            assert_close(bnre__logistic_log_density(&q, u) -
                             bnre__range_log_density(ranges[r], u),
                         0, 0.7);
        }
    }
}

static double log_ratio(bnre__range range, double widen, const double *raw,
                        double c)
{
    bnre__logistic q = {.range = range, .n = N};
    double sum = 0;

    for (size_t k = 0; k < N; k++)
        sum += exp(raw[k]);
    for (size_t k = 0; k < N; k++) {
        q.weight[k] = exp(raw[k]) / sum;
        q.place[k] = raw[N + k];
        q.width[k] =
            bnre__widened(range, widen * (BNRE__LEAST_WIDTH +
                                          (1 - BNRE__LEAST_WIDTH) /
                                              (1 + exp(-raw[2 * N + k]))));
    }
    return bnre__logistic_log_density(&q, c) -
           bnre__range_log_density(range, c);
}

static void derivatives_match_central_differences(void **state)
{
    const double h = 1e-5;
    bnre_rng rng = bnre_rng_stream(34, 0, 0);

    (void)state;
    for (size_t i = 0; i < 60; i++) {
        const bnre__range range = ranges[i % 3];
        const double widen = i % 2 == 0 ? 1 : 1.5;
        float raw[RAW], draw[RAW] = {0}, dl = 1, c;
        double wide[RAW];
        bnre__lines lines = {
            .range = range, .n = 1, .components = N, .widen = (float)widen};

        make_raw(&rng, i < 30 ? 0.3 : 3, raw);
        c = (float)bnre__range_draw(range, &rng);
        lines.raw = raw;
        lines.c = &c;
        lines.dl = &dl;
        lines.draw = draw;
        bnre__logistic_ref.back(&lines);
        for (size_t j = 0; j < RAW; j++)
            wide[j] = (double)raw[j];
        for (size_t j = 0; j < RAW; j++) {
            const double keep = wide[j];
            double up, down;

            wide[j] = keep + h;
            up = log_ratio(range, widen, wide, (double)c);
            wide[j] = keep - h;
            down = log_ratio(range, widen, wide, (double)c);
            wide[j] = keep;
            assert_close((double)draw[j], (up - down) / (2 * h),
                         1e-4 * (1 + fabs((double)draw[j])));
        }
    }
}

/* All coordinates in the mixture of the first row, beside the plain way; and
   each by itself, to the last bit. */
static void compare_same(const bnre__kernels *kernels, const bnre__lines *of,
                         double tolerance)
{
    static float plain[64], same[64], one;
    bnre__lines lines = *of;

    lines.l = plain;
    bnre__line_ref.same(&lines);
    lines.l = same;
    kernels->logistic->line->same(&lines);
    for (size_t i = 0; i < of->n; i++)
        assert_close((double)same[i], (double)plain[i],
                     tolerance * (1 + fabs((double)plain[i])));
    lines.n = 1;
    lines.l = &one;
    for (size_t i = 0; i < of->n; i++, lines.c++) {
        kernels->logistic->line->same(&lines);
        assert_true(one == same[i]);
    }
    lines.n = of->n;
    lines.c = of->c;
    lines.l = plain;
    for (size_t s = 2; bnre__kernels_set(s) != NULL; s++)
        if (strcmp(bnre__kernels_set(s)->rounding, kernels->rounding) == 0) {
            bnre__kernels_set(s)->logistic->line->same(&lines);
            assert_memory_equal(plain, same, of->n * sizeof *same);
        }
}

/* Several coordinates of each row are, to the last bit, what they are in passes
   of their own. */
static void compare_more(const bnre__kernels *kernels, const bnre__lines *of)
{
    enum { MORE = 3 };
    static float c[4 * 64], dl[4 * 64], l[4 * 64], one[64];
    static float draw[64 * RAW], one_draw[64 * RAW];
    const size_t n = of->n;
    bnre__lines lines = *of;

    for (size_t i = 0; i < (1 + MORE) * n; i++) {
        c[i] = of->c[(i + i / n) % n];
        dl[i] = of->dl[i % n] * (float)(1 + i / n);
    }
    memset(draw, 0, sizeof draw);
    memset(one_draw, 0, sizeof one_draw);
    lines.c = c;
    lines.l = l;
    lines.dl = dl;
    lines.draw = draw;
    lines.more = MORE;
    kernels->logistic->forward(&lines);
    kernels->logistic->back(&lines);
    lines.more = 0;
    lines.l = one;
    lines.draw = one_draw;
    for (size_t m = 0; m <= MORE; m++) {
        lines.c = c + m * n;
        lines.dl = dl + m * n;
        kernels->logistic->forward(&lines);
        kernels->logistic->back(&lines);
        assert_memory_equal(one, l + m * n, n * sizeof *l);
    }
    assert_memory_equal(one_draw, draw, n * RAW * sizeof *draw);
}

/* All sets of kernels on `rows` rows. */
static void compare_sets(bnre__range range, size_t rows, const float *raw,
                         const float *c, float widen, double tolerance)
{
    static float l[2][64], dl[64], draw[2][64 * RAW];
    static float l_before[64], draw_before[64 * RAW];
    const bnre__kernels *kernels;

    for (size_t i = 0; i < rows; i++)
        dl[i] = i % 2 == 0 ? 1 : -0.5f;
    for (size_t s = 0; (kernels = bnre__kernels_set(s)) != NULL; s++) {
        const size_t to = s > 0;
        const bnre__lines lines = {.range = range,
                                   .n = rows,
                                   .components = N,
                                   .widen = widen,
                                   .raw = raw,
                                   .c = c,
                                   .l = l[to],
                                   .dl = dl,
                                   .draw = draw[to]};

        const bnre__kernels *before = s < 2 ? NULL : bnre__kernels_set(s - 1);

        memcpy(l_before, l[1], sizeof l_before);
        memcpy(draw_before, draw[1], sizeof draw_before);
        memset(draw[to], 0, sizeof draw[to]);
        kernels->logistic->forward(&lines);
        kernels->logistic->back(&lines);
        if (before != NULL &&
            strcmp(kernels->rounding, before->rounding) == 0) {
            assert_memory_equal(l[1], l_before, rows * sizeof **l);
            assert_memory_equal(draw[1], draw_before, rows * RAW * sizeof **l);
        }
        for (size_t i = 0; i < rows; i++)
            assert_close((double)l[to][i], (double)l[0][i],
                         tolerance * (1 + fabs((double)l[0][i])));
        compare_same(kernels, &lines, tolerance);
        compare_more(kernels, &lines);
        for (size_t i = 0; i < rows; i++) {
            double size = 1;

            for (size_t j = 0; j < RAW; j++)
                size = fmax(size, fabs((double)draw[0][i * RAW + j]));
            for (size_t j = 0; j < RAW; j++)
                assert_close((double)draw[to][i * RAW + j],
                             (double)draw[0][i * RAW + j], tolerance * size);
        }
    }
}

static void kernels_agree(void **state)
{
    bnre_rng rng = bnre_rng_stream(35, 0, 0);
    float raw[64 * RAW], c[64];

    (void)state;
    for (size_t r = 0; r < 3; r++)
        for (size_t rows = 1; rows <= 64; rows += 7) {
            for (size_t i = 0; i < rows; i++) {
                make_raw(&rng, 0.5, raw + i * RAW);
                for (size_t k = 2 * N; k < RAW; k++) /* moderate widths */
                    raw[i * RAW + k] = fmaxf(raw[i * RAW + k], -4);
                c[i] = (float)bnre__range_draw(ranges[r], &rng);
            }
            compare_sets(ranges[r], rows, raw, c, 1, 2e-5);
            compare_sets(ranges[r], rows, raw, c, 1.4f, 2e-5);
        }
}

/* Truths on a bound, widths at their floor, places and values far out: numbers
   stay finite in every set, and agree as far as float tells c from place. */
static void extreme_numbers_stay_finite(void **state)
{
    static const float places[] = {-1e4f, -1, 0, 1e-7f, 0.5f, 1, 1.5f, 1e4f};
    static const float widths[] = {-100, -30, -8, 0, 8, 100};
    static const float at[3][4] = {
        {0, 1, 1e-30f, 0.5f}, {0, 1e-30f, 30, 1e4f}, {-1e4f, -40, 40, 1e4f}};
    const bnre__kernels *kernels;

    (void)state;
    for (size_t s = 0; (kernels = bnre__kernels_set(s)) != NULL; s++)
        for (size_t r = 0; r < 3; r++)
            for (size_t w = 0; w < 6; w++)
                for (size_t m = 0; m < 8; m++)
                    for (size_t i = 0; i < 4; i++) {
                        float raw[RAW], draw[RAW] = {0}, l, dl = 1;
                        const bnre__lines lines = {.range = ranges[r],
                                                   .n = 1,
                                                   .components = N,
                                                   .widen = 1,
                                                   .raw = raw,
                                                   .c = &at[r][i],
                                                   .l = &l,
                                                   .dl = &dl,
                                                   .draw = draw};

                        for (size_t k = 0; k < N; k++) {
                            raw[k] = k == 0 ? 80 : -80;
                            raw[N + k] = places[(m + k) % 8];
                            raw[2 * N + k] = widths[w];
                        }
                        kernels->logistic->forward(&lines);
                        kernels->logistic->back(&lines);
                        assert_true(isfinite((double)l));
                        kernels->logistic->line->same(&lines);
                        assert_true(isfinite((double)l));
                        for (size_t j = 0; j < RAW; j++)
                            assert_true(isfinite((double)draw[j]));
                    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(densities_integrate_to_one_and_to_their_cdf),
        cmocka_unit_test(quantiles_invert_the_cdf),
        cmocka_unit_test(draws_follow_the_density),
        cmocka_unit_test(draws_of_rows_are_those_of_each),
        cmocka_unit_test(nothing_is_drawn_of_what_has_no_weight),
        cmocka_unit_test(means_are_those_of_each_row),
        cmocka_unit_test(the_beginning_is_about_the_prior),
        cmocka_unit_test(derivatives_match_central_differences),
        cmocka_unit_test(kernels_agree),
        cmocka_unit_test(extreme_numbers_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
