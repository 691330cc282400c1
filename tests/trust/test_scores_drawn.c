/* Scores by draws of the posterior itself, in ten dimensions, where points of
   the prior see nothing. Seeds are fixed; comparisons are wrong once in 10,000
   seeds each. */
#include <math.h>
#include <stdlib.h>

#include "bnre/certificate.h"
#include "narrow.h"
#include "support.h"
#include "trust/conformal.h"
#include "trust/scores.h"

enum { DIM = 10 };

static double *scores_of(const narrow *of)
{
    const bnre_density density = narrow_drawable(of);
    double *score = test_malloc(of->n * sizeof *score);

    assert_ok(
        bnre__conformal_scores(&density, of->n, of->theta, of->x, NULL, score));
    return score;
}

/* The share of 1,000 draws that is denser, within five standard errors. */
static void scores_are_masses_of_what_is_denser(void **state)
{
    narrow of = narrow_open(100, DIM, 0.25, 0.8, 1);
    double *score = scores_of(&of);

    (void)state;
    for (size_t i = 0; i < of.n; i++) {
        const double r = of.rank[i];

        assert_close(score[i], r, 5 * sqrt(r * (1 - r) / 1000) + 0.005);
    }
    test_free(score);
    narrow_close(&of);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Of a posterior that is too narrow, whose own 90 % regions hold the truth in
   58 % of cases. */
static void regions_cover_as_they_promise(void **state)
{
    const double level = 0.9;
    narrow calibrate = narrow_open(399, DIM, 0.25, 0.8, 2);
    narrow test = narrow_open(1000, DIM, 0.25, 0.8, 3);
    double *score = scores_of(&calibrate), *fresh = scores_of(&test);
    bnre_conformal conformal;
    double nominal = 0, covered = 0;

    (void)state;
    qsort(score, calibrate.n, sizeof *score, ascending);
    conformal = bnre__conformal_level(calibrate.n, score, level);
    for (size_t i = 0; i < test.n; i++) {
        nominal += (test.rank[i] <= level) / (double)test.n;
        covered += (fresh[i] <= conformal.qhat) / (double)test.n;
    }
    assert_true(nominal < 0.7);
    assert_close(covered, level,
                 4 * sqrt(level * (1 - level) * (1.0 / 400 + 1.0 / 1000)));
    test_free(fresh);
    test_free(score);
    narrow_close(&test);
    narrow_close(&calibrate);
}

/* With points of the prior one of them has all the weight. */
static void draws_are_effective(void **state)
{
    narrow of = narrow_open(1, DIM, 0.25, 1, 4);
    const bnre_density drawn = narrow_drawable(&of);
    const bnre_density plain = narrow_density(&of);
    bnre__scorer scorer = {0};

    (void)state;
    assert_ok(bnre__scorer_init(&scorer, &drawn));
    assert_ok(bnre__scorer_observe(&scorer, of.x));
    assert_close(bnre__scorer_ess(&scorer, NULL, 0), 1000, 1e-9);
    assert_close(bnre__scorer_ess(&scorer, of.theta, 12), 1001, 1e-9);
    bnre__scorer_clear(&scorer);
    assert_ok(bnre__scorer_init(&scorer, &plain));
    assert_ok(bnre__scorer_observe(&scorer, of.x));
    assert_true(bnre__scorer_ess(&scorer, NULL, 0) < 20);
    bnre__scorer_clear(&scorer);
    narrow_close(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_masses_of_what_is_denser),
        cmocka_unit_test(regions_cover_as_they_promise),
        cmocka_unit_test(draws_are_effective),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
