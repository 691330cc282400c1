/* Partitions that follow a posterior. */
#include "diag/cells.h"

#include <math.h>
#include <string.h>

#include "densities.h"
#include "support.h"

/* Two narrow peaks in the unit square, one of them next to an edge of the
   lattice. */
static const normal_mixture PEAKS = {.count = 2,
                                     .weight = {0.5, 0.5},
                                     .mean = {{0.251, 0.7}, {0.83, 0.12}},
                                     .sd = {0.006, 0.02}};

struct fitted {
    bnre_prior *prior;
    normal_mixture peaks;
    log_ratio_function f;
    bnre_density density;
    bnre_session *session;
    bnre__cells *cells;
    size_t evaluations;
};

static void fit(struct fitted *t, bnre_prior *prior, size_t n, size_t points)
{
    const double x = 0;

    *t = (struct fitted){.prior = prior, .peaks = PEAKS};
    t->peaks.prior = prior;
    t->f = (log_ratio_function){
        .prior = prior, .value = normal_mixture_ratio, .context = &t->peaks};
    t->density = function_density(&t->f);
    t->session = session_for(&t->density, 1, &x);
    assert_ok(bnre__cells_create(prior, n, points, &t->cells));
    assert_ok(bnre__cells_fit(t->cells, t->session, &t->evaluations));
}

static void clear(struct fitted *t)
{
    bnre__cells_destroy(t->cells);
    bnre_session_close(t->session);
    bnre_prior_destroy(t->prior);
}

static double total_mass(const bnre__cells *cells)
{
    double sum = 0;

    for (size_t k = 0; k < bnre__cells_count(cells); k++)
        sum += exp(bnre__cells_log_mass(cells, k));
    return sum;
}

/* Every point is in one stratum, which has its mass: the share of points of the
   prior that are found there (wrong once in 10,000 seeds for all together). */
static void check_strata(size_t cells, size_t points)
{
    enum { DRAWS = 200000, MOST = 400 };
    static double count[MOST];
    struct fitted t;
    bnre_rng rng = bnre_rng_stream(1, 99, 0);
    double theta[2], chi = 0;
    size_t n;

    memset(count, 0, sizeof count);
    fit(&t, prior_of(2, "normal(0.5, 1)"), cells, points);
    n = bnre__cells_count(t.cells);
    assert_true(n > 5 && n <= cells);
    assert_true(points == 0 || (n > points / 2 && n < 2 * points));
    assert_true(t.evaluations < cells);
    assert_close(total_mass(t.cells), 1, 1e-12);
    for (size_t i = 0; i < DRAWS; i++) {
        bnre_prior_draw(t.prior, &rng, theta);
        count[bnre__cells_find(t.cells, theta, NULL)]++;
    }
    for (size_t k = 0; k < n; k++) {
        const double mean = DRAWS * exp(bnre__cells_log_mass(t.cells, k));

        chi += (count[k] - mean) * (count[k] - mean) / (mean + 1);
    }
    assert_true(chi < (double)n + 4 * sqrt(2 * (double)n) + 8);
    clear(&t);
}

static void strata_are_all_of_the_prior(void **state)
{
    (void)state;
    check_strata(60, 0);
    check_strata(300, 40); /* most have several cells */
}

static void points_are_drawn_where_they_are_found(void **state)
{
    struct fitted t;
    bnre_rng rng = bnre_rng_stream(2, 99, 0);
    double theta[2];

    (void)state;
    fit(&t, prior_of(2, "uniform(0, 1)"), 0, 0);
    for (size_t k = 0; k < bnre__cells_count(t.cells); k++)
        for (size_t i = 0; i < 20; i++) {
            assert_close(bnre__cells_draw(t.cells, k, &rng, theta), 0, 1e-12);
            assert_int_equal(bnre__cells_find(t.cells, theta, NULL), k);
        }
    clear(&t);
}

/* Peaks of 2e-4 and 3e-3 of the prior are seen, both, by dozens of points. */
static void cells_are_small_where_the_posterior_is(void **state)
{
    struct fitted t;
    bnre_rng rng = bnre_rng_stream(3, 99, 0);
    double sum[2] = {0}, squares[2] = {0};

    (void)state;
    fit(&t, prior_of(2, "uniform(0, 1)"), 0, 0);
    for (size_t k = 0; k < bnre__cells_count(t.cells); k++) {
        double theta[2], l, w;

        bnre__cells_draw(t.cells, k, &rng, theta);
        assert_ok(bnre_session_log_ratio(t.session, 1, theta, &l, NULL));
        w = exp(bnre__cells_log_mass(t.cells, k) + l);
        sum[theta[0] > 0.5] += w;
        squares[theta[0] > 0.5] += w * w;
    }
    for (size_t i = 0; i < 2; i++) {
        assert_close(sum[i], 0.5, 0.1);
        assert_true(sum[i] * sum[i] / squares[i] > 20);
    }
    clear(&t);
}

static void fixed_parameters_are_not_cut(void **state)
{
    const char *name[] = {"a", "b"};
    const char *text[] = {"fixed(0.7)", "fixed(0.2)"};
    bnre_prior *prior;
    double theta[2];
    bnre_rng rng = bnre_rng_stream(4, 99, 0);
    struct fitted t;

    (void)state;
    assert_ok(bnre_prior_create(2, name, text, &prior));
    fit(&t, prior, 50, 0);
    assert_int_equal(bnre__cells_count(t.cells), 1);
    assert_close(bnre__cells_draw(t.cells, 0, &rng, theta), 0, 0);
    assert_close(theta[0], 0.7, 0);
    clear(&t);
}

/* A spike far narrower than a double can divide: cutting ends there, and does
   not go on with what has no extent, where no theta would be found. */
static double spike(const void *context, size_t dim, const double *theta,
                    double *gradient)
{
    (void)context;
    (void)dim;
    (void)gradient;
    return -1e18 * fabs(theta[1] - 0.3);
}

static void cutting_ends_at_the_narrowest(void **state)
{
    const char *name[] = {"a", "b"};
    const char *text[] = {"fixed(0.7)", "uniform(0, 1)"};
    const double x = 0;
    bnre_rng rng = bnre_rng_stream(5, 99, 0);
    log_ratio_function f = {.value = spike};
    bnre_density density;
    bnre_session *session;
    bnre_prior *prior;
    bnre__cells *cells;
    size_t evaluations = 0;
    double theta[2];

    (void)state;
    assert_ok(bnre_prior_create(2, name, text, &prior));
    f.prior = prior;
    density = function_density(&f);
    session = session_for(&density, 1, &x);
    assert_ok(bnre__cells_create(prior, 2000, 0, &cells));
    assert_ok(bnre__cells_fit(cells, session, &evaluations));
    for (size_t k = 0; k < bnre__cells_count(cells); k++) {
        bnre__cells_draw(cells, k, &rng, theta);
        assert_int_equal(bnre__cells_find(cells, theta, NULL), k);
    }
    bnre__cells_destroy(cells);
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

/* A peak next to where a constraint ends; log ratios have a constant in common
   that may be anything. */
struct shifted {
    normal_mixture peak;
    double by;
};

static double shifted_ratio(const void *context, size_t dim,
                            const double *theta, double *gradient)
{
    const struct shifted *shifted = context;

    return shifted->by +
           normal_mixture_ratio(&shifted->peak, dim, theta, gradient);
}

/* How many effective points there are. */
static double points_beside_a_constraint(double shift)
{
    const char *order = "a > b";
    const double x = 0;
    bnre_prior *prior = prior_of(2, "uniform(0, 1)");
    struct shifted shifted = {{.count = 1,
                               .weight = {1},
                               .mean = {{0.62, 0.55}},
                               .sd = {0.03},
                               .prior = prior},
                              shift};
    log_ratio_function f = {
        .prior = prior, .value = shifted_ratio, .context = &shifted};
    bnre_density density = function_density(&f);
    bnre_session *session = session_for(&density, 1, &x);
    bnre_rng rng = bnre_rng_stream(6, 99, 0);
    double sum = 0, squares = 0;
    size_t evaluations = 0;
    bnre__cells *cells;

    assert_ok(bnre_prior_constrain(prior, 1, &order));
    assert_ok(bnre__cells_create(prior, 0, 0, &cells));
    assert_ok(bnre__cells_fit(cells, session, &evaluations));
    for (size_t k = 0; k < bnre__cells_count(cells); k++) {
        double theta[2], l, w;

        if (!(bnre__cells_draw(cells, k, &rng, theta) > -HUGE_VAL))
            continue;
        assert_ok(bnre_session_log_ratio(session, 1, theta, &l, NULL));
        w = exp(bnre__cells_log_mass(cells, k) + l - shift);
        sum += w;
        squares += w * w;
    }
    bnre__cells_destroy(cells);
    bnre_session_close(session);
    bnre_prior_destroy(prior);
    return sum * sum / squares;
}

/* What no scout may look at attracts no cells, whatever the constant. */
static void cells_do_not_go_where_constraints_forbid(void **state)
{
    const double shift[] = {0, -256, 256};

    (void)state;
    for (size_t i = 0; i < 3; i++)
        assert_true(points_beside_a_constraint(shift[i]) > 100);
}

/* Nothing is possible: the lattice stays, and nobody divides by 0. */
static double impossible(const void *context, size_t dim, const double *theta,
                         double *gradient)
{
    (void)context;
    (void)dim;
    (void)theta;
    (void)gradient;
    return -HUGE_VAL;
}

static void impossible_observations_leave_the_lattice(void **state)
{
    const double x = 0;
    bnre_prior *prior = prior_of(2, "uniform(0, 1)");
    log_ratio_function f = {.prior = prior, .value = impossible};
    bnre_density density = function_density(&f);
    bnre_session *session = session_for(&density, 1, &x);
    size_t evaluations = 0;
    bnre__cells *cells;

    (void)state;
    assert_ok(bnre__cells_create(prior, 0, 0, &cells));
    assert_ok(bnre__cells_fit(cells, session, &evaluations));
    assert_int_equal(bnre__cells_count(cells), evaluations);
    assert_close(total_mass(cells), 1, 1e-12);
    bnre__cells_destroy(cells);
    bnre_session_close(session);
    bnre_prior_destroy(prior);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strata_are_all_of_the_prior),
        cmocka_unit_test(points_are_drawn_where_they_are_found),
        cmocka_unit_test(cells_are_small_where_the_posterior_is),
        cmocka_unit_test(fixed_parameters_are_not_cut),
        cmocka_unit_test(cutting_ends_at_the_narrowest),
        cmocka_unit_test(cells_do_not_go_where_constraints_forbid),
        cmocka_unit_test(impossible_observations_leave_the_lattice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
