/* Sets of highest density on a line hold what they say, and places in them go
   there and back. */
#include <math.h>
#include <stdlib.h>

#include "num/line_set.h"
#include "support.h"

enum { N = 16 };

static const bnre__range ranges[] = {BNRE__UNIT, BNRE__HALF, BNRE__LINE};

/* A random mixture: some components narrow, some outside the range, some so
   light that they hardly count. */
static void make_mixture(bnre_rng *rng, bnre__range range, bnre__logistic *q,
                         bnre__set_part part[N])
{
    double sum = 0;

    *q = (bnre__logistic){.range = range, .n = N};
    for (size_t k = 0; k < N; k++) {
        q->weight[k] = exp(3 * bnre_rng_normal(rng));
        q->place[k] = 0.5 + bnre_rng_normal(rng) * (k % 4 == 0 ? 2 : 0.3);
        q->width[k] = fmin(
            1, 1e-4 + exp(-2 - 2 * bnre_rng_uniform(rng) * (double)(k % 4)));
        sum += q->weight[k];
    }
    for (size_t k = 0; k < N; k++) {
        q->weight[k] /= sum;
        part[k] = (bnre__set_part){log(q->weight[k]), q->place[k], q->width[k]};
    }
}

static void sets_leave_out_what_they_may_and_no_more(void **state)
{
    static const double betas[] = {0.1, 1e-3, 1e-5};
    bnre_rng rng = bnre_rng_stream(91, 0, 0);
    bnre__set_part part[N];
    bnre__logistic q;
    bnre__line_set set;

    (void)state;
    for (size_t i = 0; i < 600; i++) {
        const bnre__range range = ranges[i % 3];
        const double beta = betas[i / 3 % 3];
        double inside = 0, prior = 0;

        make_mixture(&rng, range, &q, part);
        bnre__line_set_find(range, N, part, beta, &set);
        assert_true(set.n >= 1);
        for (size_t k = 0; k < set.n; k++) {
            assert_true(set.low[k] < set.high[k]);
            assert_true(k == 0 || set.high[k - 1] < set.low[k]);
            inside += bnre__logistic_cdf(&q, set.high[k]) -
                      bnre__logistic_cdf(&q, set.low[k]);
            prior += set.mass[k];
        }
        /* Components too light to matter count as outside. */
        assert_true(1 - inside <= set.outside + 1e-9);
        assert_true(1 - inside >= set.outside - 0.01 * beta - 1e-9);
        assert_true(set.outside <= beta * (1 + 1e-9));
        /* Or nothing has to be left out of a bounded range. */
        assert_true(set.outside >= 0.9 * beta || range == BNRE__UNIT);
        assert_close(prior, set.all, 1e-12);
        assert_true(set.all > 0 && set.all <= 1 + 1e-12);
    }
}

/* No point outside is denser than points inside by more than the number of
   components, of which each is cut for itself. */
static void what_is_left_out_is_where_the_density_is_low(void **state)
{
    bnre_rng rng = bnre_rng_stream(92, 0, 0);
    bnre__set_part part[N];
    bnre__logistic q;
    bnre__line_set set;

    (void)state;
    for (size_t i = 0; i < 60; i++) {
        double most = -INFINITY, least = INFINITY, u;

        make_mixture(&rng, ranges[i % 3], &q, part);
        bnre__line_set_find(ranges[i % 3], N, part, 1e-2, &set);
        for (double c = 0.0005; c < 1; c += 0.001)
            if (bnre__line_set_place(&set, c, &u))
                least = fmin(least, bnre__logistic_log_density(&q, c));
            else
                most = fmax(most, bnre__logistic_log_density(&q, c));
        assert_true(most < least + log(N) + 0.1);
    }
}

static void places_go_there_and_back(void **state)
{
    bnre_rng rng = bnre_rng_stream(93, 0, 0);
    bnre__set_part part[N];
    bnre__logistic q;
    bnre__line_set set;

    (void)state;
    for (size_t i = 0; i < 300; i++) {
        double last = -INFINITY;

        make_mixture(&rng, ranges[i % 3], &q, part);
        bnre__line_set_find(ranges[i % 3], N, part, 1e-4, &set);
        for (int k = 0; k <= 50; k++) {
            const double u = k / 50.0, c = bnre__line_set_value(&set, u);
            double again;

            if (isinf(c))
                continue;
            assert_true(c >= last);
            last = c;
            assert_true(bnre__line_set_place(&set, c, &again));
            assert_close(again, u, 1e-6);
        }
    }
}

/* Two modes far apart: the light one stays as long as it has more than beta. */
static void modes_stay_while_they_have_more_than_beta(void **state)
{
    bnre__set_part part[2] = {{log(0.998), 0.2, 0.005},
                              {log(0.002), 0.8, 0.005}};
    bnre__line_set set;
    double u;

    (void)state;
    bnre__line_set_find(BNRE__UNIT, 2, part, 1e-3, &set);
    assert_int_equal(set.n, 2);
    assert_true(bnre__line_set_place(&set, 0.8, &u));
    assert_false(bnre__line_set_place(&set, 0.5, &u));
    assert_true(set.all < 0.2);
    bnre__line_set_find(BNRE__UNIT, 2, part, 1e-2, &set);
    assert_int_equal(set.n, 1);
    assert_false(bnre__line_set_place(&set, 0.8, &u));
}

static void sets_reach_the_bound_that_a_density_presses_against(void **state)
{
    bnre__set_part part[1] = {{0, -0.5, 0.01}}; /* e^-50 of it is inside */
    bnre__line_set set;

    (void)state;
    for (size_t r = 0; r < 2; r++) {
        bnre__line_set_find(ranges[r], 1, part, 1e-3, &set);
        assert_int_equal(set.n, 1);
        assert_true(set.low[0] == 0);
        assert_close(set.high[0], 0.01 * log(1e3), 1e-3);
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Of 4,000 draws of a normal law, or of two that lie far apart, with a hundredth
   of the mass left out. How much of the law itself is left out has a standard
   deviation of 0.0016: from 0.004 to 0.018 is within five of them. */
static void sets_of_values_hold_the_law_they_come_from(void **state)
{
    enum { VALUES = 4000 };
    static double v[VALUES];
    bnre__line_set set;

    (void)state;
    for (int modes = 1; modes <= 2; modes++) {
        bnre_rng rng = bnre_rng_stream(92, 0, (uint64_t)modes);
        double inside = 0;

        for (size_t i = 0; i < VALUES; i++)
            v[i] =
                0.2 * bnre_rng_normal(&rng) + (i % (size_t)modes == 1 ? 2 : 0);
        qsort(v, VALUES, sizeof *v, compare);
        bnre__line_set_of_values(BNRE__LINE, VALUES, v, 0.01, &set);
        assert_int_equal(set.n, modes);
        for (size_t k = 0; k < set.n; k++) {
            const double at = 2.0 * (double)k;

            assert_true(set.high[k] - set.low[k] < 6.5 * 0.2);
            inside += 0.5 * (erf((set.high[k] - at) / sqrt(0.08)) -
                             erf((set.low[k] - at) / sqrt(0.08)));
        }
        inside /= modes;
        assert_true(1 - inside > 0.004 && 1 - inside < 0.018);
    }
    /* A few values between two modes do not keep the gap. */
    for (size_t i = 0; i < VALUES; i++)
        v[i] = i < 1990   ? 0.2 + 0.1 * (double)i / 1990
               : i < 2010 ? 0.3 + 0.4 * (double)(i - 1990) / 20
                          : 0.7 + 0.1 * (double)(i - 2010) / 1990;
    bnre__line_set_of_values(BNRE__UNIT, VALUES, v, 0.01, &set);
    assert_int_equal(set.n, 2);
    assert_true(set.all < 0.25);
    /* Of what is spread as the prior is, no ends are left. */
    for (size_t i = 0; i < VALUES; i++)
        v[i] = ((double)i + 0.5) / VALUES;
    bnre__line_set_of_values(BNRE__UNIT, VALUES, v, 0.01, &set);
    assert_true(set.n == 1 && set.low[0] == 0 && set.high[0] == 1);
}

static void sets_are_moved_and_cut_to_their_range(void **state)
{
    static const double low[] = {-0.2, 0.4}, high[] = {0.1, 0.6};
    bnre__line_set set;
    double u;

    (void)state;
    bnre__line_set_make(BNRE__UNIT, 2, low, high, 0.05, &set);
    assert_int_equal(set.n, 2);
    assert_close(set.low[0], 0, 1e-15);
    assert_close(set.high[0], 0.15, 1e-15);
    assert_close(set.all, 0.35, 1e-15);
    assert_true(bnre__line_set_place(&set, 0.55, &u));
    assert_close(u, 0.25 / 0.35, 1e-12);
    assert_false(bnre__line_set_place(&set, 0.3, &u));
    bnre__line_set_make(BNRE__UNIT, 2, low, high, 2, &set);
    assert_int_equal(set.n, 0);
    assert_true(set.all == 0);
    assert_false(bnre__line_set_place(&set, 0.5, &u));
    assert_true(isfinite(bnre__line_set_value(&set, 0.5)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_leave_out_what_they_may_and_no_more),
        cmocka_unit_test(what_is_left_out_is_where_the_density_is_low),
        cmocka_unit_test(places_go_there_and_back),
        cmocka_unit_test(modes_stay_while_they_have_more_than_beta),
        cmocka_unit_test(sets_reach_the_bound_that_a_density_presses_against),
        cmocka_unit_test(sets_of_values_hold_the_law_they_come_from),
        cmocka_unit_test(sets_are_moved_and_cut_to_their_range),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
