/* threads: ranks of a category beside a number, and of counts, where many points
   tie. Tests of uniformity are wrong once in 10,000 seeds each; there are 18 of
   them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/diag.h"
#include "densities.h"
#include "mixed_exact.h"
#include "support.h"

enum { N = 2000 };

struct pairs {
    double theta[2 * N], x[2 * N];
};

static struct pairs *draw_pairs(void)
{
    struct pairs *pairs = malloc(sizeof *pairs);

    for (uint64_t i = 0; i < N; i++) {
        bnre_rng rng = bnre_rng_stream(31, 0, i);

        mixed_draw(&rng, pairs->theta + 2 * i, pairs->x + 2 * i);
    }
    return pairs;
}

static void assert_uniform(const double *rank)
{
    static double copy[N];

    memcpy(copy, rank, N * sizeof *copy);
    assert_true(ks_uniform_pvalue(N, copy) > 1e-4);
}

static bnre_diag *diagnose(const mixed_posterior *of, const struct pairs *pairs,
                           bnre_diag_grid grid)
{
    const bnre_density density = mixed_density(of);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *diag = NULL;

    opts.grid = grid;
    assert_ok(
        bnre_diagnose(&density, N, 1, pairs->theta, pairs->x, &opts, &diag));
    return diag;
}

static void ranks_of_the_exact_posterior_are_uniform(void **state)
{
    static const bnre_diag_grid grids[] = {BNRE_DIAG_DRAWS, BNRE_DIAG_FITTED,
                                           BNRE_DIAG_BANK};
    struct pairs *pairs = draw_pairs();
    mixed_posterior of = {mixed_prior(), 1};

    (void)state;
    for (size_t g = 0; g < 3; g++) {
        bnre_diag *diag = diagnose(&of, pairs, grids[g]);

        assert_int_equal(diag->grid, grids[g]);
        assert_uniform(diag->curve[0].rank);
        assert_uniform(diag->tarp_rank);
        assert_uniform(diag->parameter[0].rank);
        assert_uniform(diag->parameter[1].rank);
        assert_int_not_equal(diag->curve[0].judgement.verdict,
                             BNRE_OVERCONFIDENT);
        bnre_diag_destroy(diag);
    }
    bnre_prior_destroy(of.prior);
    free(pairs);
}

/* n ~ poisson(7), of which each is seen with probability 1/2: given that k were
   seen, n - k ~ poisson(3.5). Many pairs are the same. */
struct seen {
    double k;
};

static bnre_status open_seen(void *context, void **out)
{
    (void)context;
    *out = calloc(1, sizeof(struct seen));
    return BNRE_OK;
}

static bnre_status observe_seen(void *self, const double *x)
{
    ((struct seen *)self)->k = x[0];
    return BNRE_OK;
}

static bnre_status ratio_seen(void *self, size_t n, const double *theta,
                              double *out, double *gradient)
{
    const double k = ((struct seen *)self)->k;

    (void)gradient;
    for (size_t i = 0; i < n; i++)
        out[i] = theta[i] < k
                     ? -INFINITY
                     : lgamma(theta[i] + 1) - lgamma(theta[i] - k + 1) + 3.5 -
                           k * log(7) + (theta[i] - k) * log(0.5);
    return BNRE_OK;
}

static double draw_poisson(bnre_rng *rng, double rate)
{
    double n = 0;

    for (double sum = -log(bnre_rng_open(rng)); sum < rate; n++)
        sum -= log(bnre_rng_open(rng));
    return n;
}

static bnre_status draw_seen(void *self, uint64_t seed, uint64_t first,
                             size_t n, double *theta)
{
    for (size_t i = 0; i < n; i++) {
        bnre_rng rng = bnre_rng_stream(seed, 2, first + i);

        theta[i] = ((struct seen *)self)->k + draw_poisson(&rng, 3.5);
    }
    return BNRE_OK;
}

static void ranks_of_counts_are_uniform_though_pairs_are_the_same(void **state)
{
    static const bnre_diag_grid grids[] = {BNRE_DIAG_DRAWS, BNRE_DIAG_FITTED};
    static double theta[N], x[N];
    const char *const name = "n", *const text = "poisson(7)";
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_density density = {.x_size = 1,
                            .open = open_seen,
                            .close = free,
                            .observe = observe_seen,
                            .log_ratio = ratio_seen,
                            .draw = draw_seen};
    bnre_prior *prior = NULL;

    (void)state;
    assert_ok(bnre_prior_create(1, &name, &text, &prior));
    density.prior = prior;
    for (uint64_t i = 0; i < N; i++) {
        bnre_rng rng = bnre_rng_stream(32, 0, i);

        x[i] = draw_poisson(&rng, 3.5);
        theta[i] = x[i] + draw_poisson(&rng, 3.5);
    }
    for (size_t g = 0; g < 2; g++) {
        bnre_diag *diag = NULL;

        opts.grid = grids[g];
        assert_ok(bnre_diagnose(&density, N, 1, theta, x, &opts, &diag));
        assert_uniform(diag->curve[0].rank);
        assert_uniform(diag->tarp_rank);
        assert_uniform(diag->parameter[0].rank);
        bnre_diag_destroy(diag);
    }
    bnre_prior_destroy(prior);
}

static void too_sure_of_the_kind_is_told(void **state)
{
    struct pairs *pairs = draw_pairs();
    mixed_posterior of = {mixed_prior(), 1.6};
    bnre_diag *diag = diagnose(&of, pairs, BNRE_DIAG_FITTED);

    (void)state;
    assert_int_equal(diag->curve[0].judgement.verdict, BNRE_OVERCONFIDENT);
    assert_true(diag->curve[0].coverage.auc.mean < -0.02);
    bnre_diag_destroy(diag);
    bnre_prior_destroy(of.prior);
    free(pairs);
}

static void regular_cells_are_refused(void **state)
{
    struct pairs *pairs = draw_pairs();
    mixed_posterior of = {mixed_prior(), 1};
    const bnre_density density = mixed_density(&of);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *diag = NULL;

    (void)state;
    opts.cells = 20;
    assert_fails(
        bnre_diagnose(&density, N, 1, pairs->theta, pairs->x, &opts, &diag),
        BNRE_EUSAGE, "categories");
    bnre_prior_destroy(of.prior);
    free(pairs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_of_the_exact_posterior_are_uniform),
        cmocka_unit_test(ranks_of_counts_are_uniform_though_pairs_are_the_same),
        cmocka_unit_test(too_sure_of_the_kind_is_told),
        cmocka_unit_test(regular_cells_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
