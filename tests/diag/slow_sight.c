/* How much of an error few points hide: normal posteriors of 1 to 20 parameters
   whose standard deviation is 0.8 of what it should be, against exact ranks.
   The table of docs/diagnosis.md comes from here, with PAIRS=4000. Comparisons allow for four
   standard deviations of the difference of both ranks' coverage. */
#include <math.h>

#include "bnre/diag.h"
#include "diag/sight.h"
#include "narrow.h"
#include "support.h"

/* Share of 1/2 - mean rank that is hidden, and its standard error: both are of
   the same pairs. */
static bnre_estimate hidden(const narrow *of, const bnre_diag *diag)
{
    double exact = 0, lost = 0, squares = 0;

    for (size_t i = 0; i < of->n; i++) {
        const double off = diag->curve[0].rank[i] - of->rank[i];

        exact += 0.5 - of->rank[i];
        lost -= off;
        squares += off * off;
    }
    return (bnre_estimate){1 - (exact + lost) / exact,
                           sqrt(squares) / fabs(exact)};
}

static void look(size_t dim, double noise, size_t fitted, size_t strata,
                 size_t draws)
{
    narrow of = narrow_open(number_by_hand("PAIRS", 1000), dim, noise, 0.8, 7);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_coverage exact = narrow_coverage(&of);
    const bnre_judgement *judgement;
    bnre_estimate share;
    bnre_diag *diag;
    double worst = 0;

    assert_ok(bnre_pool_create(0, &opts.pool));
    opts.grid = draws > 0 ? BNRE_DIAG_BANK : BNRE_DIAG_FITTED;
    opts.draws = draws;
    opts.fitted = fitted;
    opts.strata = strata;
    opts.most_points = 1;
    diag = narrow_diagnose(&of, &opts);
    judgement = &diag->curve[0].judgement;
    share = hidden(&of, diag);
    for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++)
        worst = fmax(worst,
                     fabs(diag->curve[0].coverage.share[k] - exact.share[k]));
    print_message(
        "| %zu | %g | %s%s | %zu | %.3f | %.3f +- %.3f | %.3f | %s |\n", dim,
        noise, draws > 0 ? "draws" : "cells", strata > 0 ? " in strata" : "",
        diag->points, judgement->chance, share.mean, share.error, worst,
        judgement->verdict == BNRE_BLIND ? "BLIND" : "");
    /* Never more than the chance, and where there is a verdict little. */
    assert_true(share.mean < judgement->chance + 4 * share.error);
    if (judgement->verdict != BNRE_BLIND) {
        assert_int_equal(judgement->verdict, BNRE_OVERCONFIDENT);
        assert_true(share.mean < 0.1 + 4 * share.error);
        assert_true(worst < 0.02 + 4 * 0.5 / sqrt((double)of.n));
    }
    bnre_diag_destroy(diag);
    bnre_pool_destroy(opts.pool);
    narrow_close(&of);
}

static void chance_bounds_what_is_hidden(void **state)
{
    const size_t dims[] = {1, 2, 3, 5, 10, 20};

    (void)state;
    print_message("| parameters | noise | points | number | chance | hidden | "
                  "largest difference | |\n");
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++)
        for (size_t k = 0; k < 3; k++)
            look(dims[i], k == 0 ? 1 : k == 1 ? 0.25 : 0.05, 0, 0, 0);
    for (size_t draws = 8; draws <= 512; draws *= 4)
        for (size_t dim = 1; dim <= 3; dim++)
            look(dim, 0.5, 0, 0, draws);
    for (size_t k = 0; k < 3; k++) {
        const double noise = k == 0 ? 1 : k == 1 ? 0.25 : 0.05;

        look(1, noise, 32, 13, 0);
        look(2, noise, 65, 26, 0);
        look(3, noise, 256, 64, 0);
    }
}

/* Any posterior looks perfect with few points, and none that is wrong may pass
   for right: of 40 sets of 500 pairs whose true coverage is 0.05 too low or
   worse, none is called CONSERVATIVE. (A rate of 7.5 % is refuted at 95 %.) */
static void nothing_wrong_passes_for_right(void **state)
{
    const size_t dims[] = {1, 2, 4, 7, 10};
    size_t blind = 0, found = 0, cases = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (size_t i = 0; i < 5; i++)
            for (size_t k = 0; k < 2; k++) {
                narrow of =
                    narrow_open(500, dims[i], k == 0 ? 0.5 : 0.1, 0.85, seed);
                bnre_diag_opts opts = bnre_diag_opts_default();
                bnre_verdict verdict;
                bnre_diag *diag;

                assert_ok(bnre_pool_create(0, &opts.pool));
                opts.most_points = 1024;
                diag = narrow_diagnose(&of, &opts);
                verdict = diag->curve[0].judgement.verdict;
                assert_int_not_equal(verdict, BNRE_CONSERVATIVE);
                blind += verdict == BNRE_BLIND;
                found += verdict == BNRE_OVERCONFIDENT;
                cases++;
                bnre_diag_destroy(diag);
                bnre_pool_destroy(opts.pool);
                narrow_close(&of);
            }
    print_message("of %zu: %zu OVERCONFIDENT, %zu BLIND\n", cases, found,
                  blind);
    assert_true(found > cases / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chance_bounds_what_is_hidden),
        cmocka_unit_test(nothing_wrong_passes_for_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
