/* Posteriors that can be drawn from: theta* among draws. Seeds are fixed. Tests
   of uniformity and of means are wrong once in 10,000 seeds each. A right
   posterior is called OVERCONFIDENT on 2,000 pairs if coverage at a level is
   0.02 too low and 2.8 standard errors more: at most twice in 100,000 seeds.
   threads: several, with the same result. */
#include <math.h>
#include <string.h>

#include "bnre/diag.h"
#include "bnre/rng.h"
#include "densities.h"
#include "diag/diag.h"
#include "narrow.h"
#include "support.h"

static bnre_diag *diagnose(const narrow *of, bnre_diag_opts opts)
{
    const bnre_density density = narrow_drawable(of);
    bnre_diag *diag = NULL;

    assert_ok(
        bnre_diagnose(&density, of->n, 1, of->theta, of->x, &opts, &diag));
    return diag;
}

static void assert_uniform(size_t n, const double *rank)
{
    double *copy = test_malloc(n * sizeof *copy);

    memcpy(copy, rank, n * sizeof *copy);
    assert_true(ks_uniform_pvalue(n, copy) > 1e-4);
    test_free(copy);
}

/* Whether it is c as given, to within four standard errors. */
static void assert_near(bnre_estimate e, double c)
{
    if (!(fabs(e.mean - c) < 4 * e.error))
        fail_msg("%g +- %g is not %g", e.mean, e.error, c);
}

static void assert_right(const bnre_diag *diag)
{
    const bnre_diag_curve *curve = &diag->curve[0];

    assert_int_equal(diag->grid, BNRE_DIAG_DRAWS);
    assert_int_not_equal(curve->judgement.verdict, BNRE_OVERCONFIDENT);
    assert_int_not_equal(curve->judgement.verdict, BNRE_BLIND);
    assert_uniform(diag->n, curve->rank);
    assert_uniform(diag->n, diag->tarp_rank);
    for (size_t k = 0; k < diag->dim; k++)
        assert_uniform(diag->n, diag->parameter[k].rank);
    assert_near(curve->coverage.auc, 0);
}

/* Seen with cells, 10 parameters as narrow as this are BLIND and 50 all the
   more. */
static void too_narrow_is_told_from_right(void **state)
{
    const size_t dims[] = {10, 50};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        narrow right = narrow_open(2000, dims[i], 0.25, 1, 1);
        narrow wrong = narrow_open(2000, dims[i], 0.25, 0.8, 1);
        bnre_diag *a = diagnose(&right, bnre_diag_opts_default());
        bnre_diag *b = diagnose(&wrong, bnre_diag_opts_default());
        const bnre_coverage exact = narrow_coverage(&wrong);

        assert_right(a);
        assert_int_equal(a->points, 100);
        assert_int_equal(b->curve[0].judgement.verdict, BNRE_OVERCONFIDENT);
        /* A hundredth of it is hidden by 100 draws; pairs are the same. */
        assert_true(fabs(b->curve[0].coverage.auc.mean - exact.auc.mean) <
                    0.01);
        bnre_diag_destroy(b);
        bnre_diag_destroy(a);
        narrow_close(&wrong);
        narrow_close(&right);
    }
}

/* Ranks of right posteriors are uniform with few draws; those that count the
   denser ones of L instead put them on a lattice which has the levels on it,
   and have an AUC of about 0.02 with 20. */
static void few_draws_do_not_bend_ranks(void **state)
{
    enum { N = 10000, L = 20 };
    narrow of = narrow_open(N, 2, 0.5, 1, 3);
    bnre_diag_opts opts = bnre_diag_opts_default();
    double *bent = test_malloc(N * sizeof *bent);
    bnre_estimate mean = {0, sqrt(1.0 / 12 / N)};
    bnre_coverage coverage;
    bnre_diag *diag;

    (void)state;
    opts.draws = L;
    diag = diagnose(&of, opts);
    assert_int_equal(diag->points, L);
    assert_right(diag);
    for (size_t i = 0; i < N; i++) {
        bent[i] = floor(diag->curve[0].rank[i] * (L + 1)) / L;
        mean.mean += diag->curve[0].rank[i] / N;
    }
    assert_near(mean, 0.5);
    bnre__coverage_of(N, bent, 0, 0.05, &coverage);
    assert_true(coverage.auc.mean > 6 * coverage.auc.error);
    bnre_diag_destroy(diag);
    test_free(bent);
    narrow_close(&of);
}

/* Information, bias and variance of N(x, v) given a prior of N(0, 1), and the
   regions' shares of the prior: those that cells find. */
static void draws_tell_the_rest_as_well(void **state)
{
    enum { N = 2000, DIM = 2 };
    const double noise = 0.5, v = noise * noise / (1 + noise * noise);
    narrow of = narrow_open(N, DIM, noise, 1, 5);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *diag = diagnose(&of, opts), *cells;

    (void)state;
    opts.fitted = 384;
    cells = diagnose(&of, opts);
    assert_int_equal(cells->grid, BNRE_DIAG_FITTED);
    assert_near(diag->curve[0].information, -0.5 * DIM * log(v));
    assert_close(diag->curve[0].information.mean,
                 cells->curve[0].information.mean, 0.01);
    for (size_t k = 0; k < DIM; k++) {
        assert_near(diag->parameter[k].bias, v / 12);
        assert_near(diag->parameter[k].variance, v / 12);
    }
    for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++)
        assert_true(fabs(diag->volume[k] - cells->volume[k]) <
                    4 * (diag->volume_error[k] + cells->volume_error[k]));
    assert_near(diag->balance, 1);
    assert_true(diag->balance.mean == diag->normalised_balance.mean);
    assert_true(isnan(diag->doubling.mean));
    bnre_diag_destroy(cells);
    bnre_diag_destroy(diag);
    narrow_close(&of);
}

/* ---- ties, and x that has few values ---- */

/* theta ~ U(0, 1), and q(theta | x): all the same; 3/2 or 1/2 for the lower or
   upper half; of a coin that falls on x = 1 with probability theta. */
enum law { FLAT, STEP, COIN };

struct law_of {
    enum law law;
    double x;
};

static bnre_status observe(void *self, const double *x)
{
    ((struct law_of *)self)->x = x[0];
    return BNRE_OK;
}

static bnre_status log_ratio(void *self, size_t n, const double *theta,
                             double *out, double *gradient)
{
    const struct law_of *of = self;

    (void)gradient;
    for (size_t i = 0; i < n; i++) {
        const double t = theta[i];

        out[i] = of->law == FLAT   ? 0
                 : of->law == STEP ? log(t < 0.5 ? 1.5 : 0.5)
                                   : log(2 * (of->x > 0 ? t : 1 - t));
    }
    return BNRE_OK;
}

static double draw_one(const struct law_of *of, bnre_rng *rng)
{
    const double u = bnre_rng_open(rng);

    if (of->law == FLAT)
        return u;
    if (of->law == STEP)
        return u < 0.75 ? u / 1.5 : 0.5 + (u - 0.75) * 2;
    return of->x > 0 ? sqrt(u) : 1 - sqrt(u);
}

static bnre_status draw(void *self, uint64_t seed, uint64_t first, size_t n,
                        double *theta)
{
    for (size_t i = 0; i < n; i++) {
        bnre_rng rng = bnre_rng_stream(seed, 2, first + i);

        theta[i] = draw_one(self, &rng);
    }
    return BNRE_OK;
}

/* With ten draws: if pairs with the same x had them in common, all ranks would
   be those of at most two sets of ten. */
static void ties_and_discrete_x_leave_ranks_uniform(void **state)
{
    enum { N = 4000 };
    bnre_prior *prior = prior_of(1, "uniform(0, 1)");
    double *theta = test_malloc(N * sizeof *theta);
    double *x = test_malloc(N * sizeof *x);

    (void)state;
    for (enum law law = FLAT; law <= COIN; law++) {
        struct law_of of = {.law = law};
        const bnre_density density = {.prior = prior,
                                      .x_size = 1,
                                      .context = &of,
                                      .observe = observe,
                                      .log_ratio = log_ratio,
                                      .draw = draw};
        bnre_diag_opts opts = bnre_diag_opts_default();
        bnre_rng rng = bnre_rng_stream(7, 1, law);
        bnre_diag *diag = NULL;

        for (size_t i = 0; i < N; i++) {
            x[i] = law == COIN && bnre_rng_uniform(&rng) < 0.5;
            of.x = x[i];
            theta[i] = draw_one(&of, &rng);
        }
        opts.draws = 10;
        assert_ok(bnre_diagnose(&density, N, 1, theta, x, &opts, &diag));
        assert_right(diag);
        bnre_diag_destroy(diag);
    }
    test_free(x);
    test_free(theta);
    bnre_prior_destroy(prior);
}

/* ---- what they depend on, and where they are not for ---- */

static void reverse_rows(size_t n, size_t dim, double *row)
{
    for (size_t i = 0; i < n / 2; i++)
        for (size_t k = 0; k < dim; k++) {
            const double keep = row[i * dim + k];

            row[i * dim + k] = row[(n - 1 - i) * dim + k];
            row[(n - 1 - i) * dim + k] = keep;
        }
}

static void ranks_depend_on_the_pair_alone(void **state)
{
    enum { N = 200, DIM = 5 };
    narrow of = narrow_open(N, DIM, 0.25, 1, 9);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *one = diagnose(&of, opts), *three, *reversed, *other;

    (void)state;
    assert_ok(bnre_pool_create(3, &opts.pool));
    three = diagnose(&of, opts);
    assert_memory_equal(one->curve[0].rank, three->curve[0].rank,
                        N * sizeof(double));
    assert_true(one->parameter[1].variance.mean ==
                three->parameter[1].variance.mean);
    assert_memory_equal(one->volume, three->volume, sizeof one->volume);
    reverse_rows(N, DIM, of.theta);
    reverse_rows(N, DIM, of.x);
    reversed = diagnose(&of, opts);
    opts.seed = 2;
    other = diagnose(&of, opts);
    for (size_t i = 0; i < N; i++) {
        assert_true(one->curve[0].rank[i] ==
                    reversed->curve[0].rank[N - 1 - i]);
        assert_true(one->tarp_rank[i] == reversed->tarp_rank[N - 1 - i]);
        assert_true(one->curve[0].rank[i] != other->curve[0].rank[N - 1 - i]);
    }
    bnre_pool_destroy(opts.pool);
    bnre_diag_destroy(other);
    bnre_diag_destroy(reversed);
    bnre_diag_destroy(three);
    bnre_diag_destroy(one);
    narrow_close(&of);
}

static bnre_diag_grid grid_of(const narrow *of, size_t observations,
                              bnre_diag_opts opts)
{
    const bnre_density density = narrow_drawable(of);
    bnre_diag_grid grid;
    bnre_diag *diag = NULL;

    assert_ok(bnre_diagnose(&density, of->n / observations, observations,
                            of->theta, of->x, &opts, &diag));
    grid = diag->grid;
    bnre_diag_destroy(diag);
    return grid;
}

static void other_questions_have_points_as_before(void **state)
{
    const double tempers[] = {1, 0.8};
    narrow of = narrow_open(60, 1, 0.5, 1, 11);
    const bnre_density drawable = narrow_drawable(&of);
    const bnre_density plain = narrow_density(&of);
    const bnre_diag_opts usual = bnre_diag_opts_default();
    bnre_diag_opts opts = usual;
    bnre_diag *diag = NULL;

    (void)state;
    assert_int_equal(grid_of(&of, 2, opts), BNRE_DIAG_FITTED);
    opts.temper = tempers;
    opts.n_temper = 2;
    assert_int_equal(grid_of(&of, 1, opts), BNRE_DIAG_FITTED);
    opts.n_temper = 1;
    assert_int_equal(grid_of(&of, 1, opts), BNRE_DIAG_DRAWS);
    opts = usual;
    opts.cells = 20;
    assert_int_equal(grid_of(&of, 1, opts), BNRE_DIAG_CELLS);
    opts = usual;
    opts.grid = BNRE_DIAG_BANK;
    assert_int_equal(grid_of(&of, 1, opts), BNRE_DIAG_BANK);

    opts = usual;
    opts.draws = 40;
    assert_ok(bnre_diagnose(&plain, of.n, 1, of.theta, of.x, &opts, &diag));
    assert_int_equal(diag->grid, BNRE_DIAG_BANK);
    bnre_diag_destroy(diag);
    opts.draws = 9;
    assert_fails(
        bnre_diagnose(&drawable, of.n, 1, of.theta, of.x, &opts, &diag),
        BNRE_EUSAGE, "10 are the least");
    opts = usual;
    opts.grid = BNRE_DIAG_DRAWS;
    assert_fails(bnre_diagnose(&plain, of.n, 1, of.theta, of.x, &opts, &diag),
                 BNRE_EUSAGE, "can ... drawn");
    narrow_close(&of);
}

/* ---- under another prior: draws of q, weighed by p' / p ---- */

/* Pairs of theta ~ N(mean, sd^2) for each parameter, in place of those of
   N(0, 1). */
static void draw_shifted(narrow *of, double mean, double sd, uint64_t seed)
{
    for (size_t i = 0; i < of->n * of->dim; i++) {
        bnre_rng rng = bnre_rng_stream(seed, 0, i);

        of->theta[i] = mean + sd * bnre_rng_normal(&rng);
        of->x[i] = (of->theta[i] + of->noise * bnre_rng_normal(&rng)) /
                   (1 + of->noise * of->noise);
    }
}

static bnre_diag *diagnose_shifted(const narrow *of, bnre_prior *prior,
                                   bnre_diag_opts opts)
{
    const bnre_experiment experiment = {narrow_drawable(of), 1};
    bnre_joint *joint = NULL;
    bnre_density density;
    bnre_diag *diag = NULL;

    assert_ok(bnre_joint_create(prior, 1, &experiment, &joint));
    density = bnre_joint_density(joint);
    density.keep = NULL; /* the pairs are its own */
    assert_non_null(density.weigh);
    assert_ok(
        bnre_diagnose(&density, of->n, 1, of->theta, of->x, &opts, &diag));
    bnre_joint_destroy(joint);
    return diag;
}

/* Ranks are uniform, exactly and for any number of draws; what is learned is
   that of the exact posterior: 1/2 log(1 + sd^2 / noise^2) for each
   parameter. */
static void weighed_draws_rank_the_new_posterior(void **state)
{
    const size_t draws[] = {0, 10};
    const double noise = 0.5, sd = 0.8;

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        narrow of = narrow_open(2000, 5, noise, 1, 7);
        bnre_prior *prior = prior_of(5, "normal(0.3, 0.8)");
        bnre_diag_opts opts = bnre_diag_opts_default();
        bnre_diag *diag;

        draw_shifted(&of, 0.3, sd, 11 + k);
        opts.draws = draws[k];
        diag = diagnose_shifted(&of, prior, opts);
        assert_int_equal(diag->grid, BNRE_DIAG_DRAWS);
        assert_uniform(diag->n, diag->curve[0].rank);
        assert_uniform(diag->n, diag->parameter[0].rank);
        if (k == 0)
            assert_right(diag);
        if (k == 0)
            assert_near(diag->curve[0].information,
                        2.5 * log(1 + sd * sd / (noise * noise)));
        bnre_diag_destroy(diag);
        bnre_prior_destroy(prior);
        narrow_close(&of);
    }
}

/* Without the weights they would not be, and a posterior that is too narrow is
   found out with them. */
static void weighed_draws_tell_wrong_from_right(void **state)
{
    narrow of = narrow_open(2000, 5, 0.5, 0.7, 7);
    bnre_prior *prior = prior_of(5, "normal(0.3, 0.8)");
    bnre_diag *diag;

    (void)state;
    draw_shifted(&of, 0.3, 0.8, 11);
    diag = diagnose_shifted(&of, prior, bnre_diag_opts_default());
    assert_int_equal(diag->grid, BNRE_DIAG_DRAWS);
    assert_int_equal(diag->curve[0].judgement.verdict, BNRE_OVERCONFIDENT);
    bnre_diag_destroy(diag);
    narrow_close(&of);
    of = narrow_open(2000, 5, 0.5, 1, 7);
    draw_shifted(&of, 0.3, 0.8, 11);
    diag = diagnose(&of, bnre_diag_opts_default());
    assert_true(ks_uniform_pvalue(diag->n, diag->parameter[0].rank) < 1e-4);
    bnre_diag_destroy(diag);
    narrow_close(&of);
    bnre_prior_destroy(prior);
}

/* A prior so narrow that hardly a draw has a weight: another way is taken. */
static void too_few_weights_are_no_answer(void **state)
{
    narrow of = narrow_open(60, 5, 1, 1, 7);
    bnre_prior *prior = prior_of(5, "normal(1, 0.05)");
    bnre_diag *diag;

    (void)state;
    draw_shifted(&of, 1, 0.05, 11);
    diag = diagnose_shifted(&of, prior, bnre_diag_opts_default());
    assert_int_equal(diag->grid, BNRE_DIAG_CHAINS);
    bnre_diag_destroy(diag);
    bnre_prior_destroy(prior);
    narrow_close(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_narrow_is_told_from_right),
        cmocka_unit_test(few_draws_do_not_bend_ranks),
        cmocka_unit_test(draws_tell_the_rest_as_well),
        cmocka_unit_test(ties_and_discrete_x_leave_ranks_uniform),
        cmocka_unit_test(ranks_depend_on_the_pair_alone),
        cmocka_unit_test(other_questions_have_points_as_before),
        cmocka_unit_test(weighed_draws_rank_the_new_posterior),
        cmocka_unit_test(weighed_draws_tell_wrong_from_right),
        cmocka_unit_test(too_few_weights_are_no_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
