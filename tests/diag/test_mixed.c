/* threads: ranks of a category beside a number, and of a coin alone, where many
   points tie. Tests of uniformity are wrong once in 10,000 seeds each; there
   are 12 of them. */
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
        cmocka_unit_test(too_sure_of_the_kind_is_told),
        cmocka_unit_test(regular_cells_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
