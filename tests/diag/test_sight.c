/* Whether there are points enough to see anything: unresolved posteriors get no
   verdict, resolved ones the same as ever. Seeds are fixed; statistical
   comparisons are wrong once in 10,000 seeds or less. */
#include "diag/sight.h"

#include <math.h>
#include <string.h>

#include "bnre/certificate.h"
#include "bnre/diag.h"
#include "diag/diag.h"
#include "narrow.h"
#include "support.h"
#include "trust/advice.h"

static void chance_is_the_mean_of_inverse_points(void **state)
{
    const double ess[] = {1, 2, 4, 0, HUGE_VAL};
    const bnre__sight sight = bnre__sight_of(5, ess);

    (void)state;
    assert_close(sight.chance, 1.75 / 5, 1e-15);
    assert_close(sight.dark, 0.2, 1e-15);
    assert_false(bnre__sight_suffices((bnre__sight){0.1001, 0}, 0.1));
    assert_true(bnre__sight_suffices((bnre__sight){0.1, 0.02}, 0.1));
    assert_false(bnre__sight_suffices((bnre__sight){0.01, 0.0201}, 0.1));
}

static void has_words(const bnre_judgement *judgement, const char *part)
{
    char *words = NULL;

    assert_ok(bnre_judgement_words(judgement, &words));
    if (!holds_facts(words, part))
        fail_msg("\"%s\" is not in: %s", part, words);
    bnre_free(words);
}

/* Cells of ten parameters, twenty observations of each: a guess whose regions
   of 95 % hold the truth in 63 % of cases looks perfect with one effective
   point. */
static void ten_narrow_parameters_are_blind(void **state)
{
    enum { N = 150 };
    narrow of = narrow_open(N, 10, sqrt(1.0 / 20), 0.8, 1);
    const bnre_coverage exact = narrow_coverage(&of);
    const bnre__advice_opts none = {.outside = (double)NAN};
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_advice advice;
    bnre_diag *diag;
    const bnre_judgement *judgement;

    (void)state;
    opts.grid = BNRE_DIAG_FITTED;
    opts.most_points = 1024;
    diag = narrow_diagnose(&of, &opts);
    judgement = &diag->curve[0].judgement;
    assert_true(exact.share[18] < 0.75);
    assert_true(diag->curve[0].coverage.share[18] > 0.85);
    assert_int_equal(judgement->verdict, BNRE_BLIND);
    assert_true(judgement->chance > 0.5);
    assert_int_equal(judgement->tried, 1024);
    has_words(judgement, "BLIND: no verdict");
    has_words(judgement, "up to 1024 were tried");
    assert_fails(bnre__judgement_check(judgement, 0), BNRE_EDOUBT, "BLIND");
    /* Nothing is advised but to see more. */
    assert_ok(bnre__advise(diag, &none, &advice));
    assert_int_equal(advice.n, 1);
    assert_string_equal(advice.item[0].topic, "points");
    bnre__advice_clear(&advice);
    bnre_diag_destroy(diag);
    narrow_close(&of);
}

/* A posterior of one to three parameters, up to seven times narrower than the
   prior in each, is seen with the usual points: all is as it
   would be if there were no more to be had. 24 cases, none of them BLIND: a
   rate of 12 % or more is refuted at 95 %. */
static void few_parameters_are_seen(void **state)
{
    const double noise[] = {1, 0.25, 0.15};
    size_t cases = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (size_t dim = 1; dim <= 3; dim++)
            for (size_t i = 0; i < (dim < 3 ? 3 : 2); i++) {
                narrow of = narrow_open(60, dim, noise[i], 1, seed);
                bnre_diag_opts opts = bnre_diag_opts_default();
                bnre_diag *free, *bound;

                free = narrow_diagnose(&of, &opts);
                opts.most_points = 1;
                bound = narrow_diagnose(&of, &opts);
                assert_int_not_equal(free->curve[0].judgement.verdict,
                                     BNRE_BLIND);
                assert_int_equal(free->evaluations, bound->evaluations);
                assert_memory_equal(free->curve[0].rank, bound->curve[0].rank,
                                    of.n * sizeof *of.rank);
                bnre_diag_destroy(bound);
                bnre_diag_destroy(free);
                narrow_close(&of);
                cases++;
            }
    assert_int_equal(cases, 24);
}

/* Where the usual points do not suffice more are taken, and show what is. */
static void more_points_are_taken_until_they_suffice(void **state)
{
    enum { N = 200 };
    narrow of = narrow_open(N, 5, 0.25, 0.8, 3);
    const bnre_coverage exact = narrow_coverage(&of);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *few, *enough, *again;
    size_t level;

    (void)state;
    opts.grid = BNRE_DIAG_FITTED;
    enough = narrow_diagnose(&of, &opts);
    assert_ok(bnre_pool_create(3, &opts.pool));
    again = narrow_diagnose(&of, &opts);
    opts.most_points = 1;
    few = narrow_diagnose(&of, &opts);
    assert_int_equal(few->curve[0].judgement.verdict, BNRE_BLIND);
    assert_int_equal(enough->curve[0].judgement.verdict, BNRE_OVERCONFIDENT);
    assert_true(enough->points > few->points);
    assert_true(enough->evaluations > few->evaluations + enough->points);
    assert_memory_equal(enough->curve[0].rank, again->curve[0].rank,
                        N * sizeof *of.rank);
    /* The error is seen as large as it is; ranks of single pairs are random,
       and differ from the exact ones by no more than the points allow. */
    assert_true(fabs(worst_deficit(&exact, &level) -
                     worst_deficit(&enough->curve[0].coverage, &level)) < 0.05);
    assert_close(enough->curve[0].coverage.auc.mean, exact.auc.mean, 0.02);
    bnre_diag_destroy(few);
    bnre_diag_destroy(again);
    bnre_diag_destroy(enough);
    bnre_pool_destroy(opts.pool);
    narrow_close(&of);
}

/* The pairs that tell how many it takes are of all, and not the first: these
   cannot be resolved within what is allowed, but there are few of them. */
static void the_first_pairs_do_not_decide(void **state)
{
    enum { N = 1000, FEW = 10, DIM = 3 };
    narrow of = narrow_open(N, DIM, 0.05, 1, 5);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *diag;

    (void)state;
    /* Far out in the prior, where cells of its quantiles are long. */
    for (size_t i = 0; i < FEW * DIM; i++) {
        of.theta[i] = 6;
        of.x[i] = 6;
    }
    opts.most_points = 1024;
    diag = narrow_diagnose(&of, &opts);
    assert_int_not_equal(diag->curve[0].judgement.verdict, BNRE_BLIND);
    assert_int_equal(diag->curve[0].judgement.tried, 1024);
    bnre_diag_destroy(diag);
    narrow_close(&of);
}

static int stop_pilot(void *context, size_t done, size_t other, size_t of)
{
    (void)context;
    (void)other;
    return done > 0 && of == 100;
}

/* Who interrupts the closer look has the first one. */
static void interrupted_it_leaves_what_was_seen(void **state)
{
    const bnre_monitor monitor = {.progress = stop_pilot};
    narrow of = narrow_open(300, 5, 0.25, 1, 5);
    const bnre_density density = narrow_density(&of);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *diag = NULL;

    (void)state;
    opts.grid = BNRE_DIAG_FITTED;
    opts.monitor = &monitor;
    assert_fails(bnre_diagnose(&density, of.n, 1, of.theta, of.x, &opts, &diag),
                 BNRE_EINTR, "interrupted");
    assert_non_null(diag);
    assert_int_equal(diag->n, of.n);
    assert_int_equal(diag->curve[0].judgement.verdict, BNRE_BLIND);
    bnre_diag_destroy(diag);
    narrow_close(&of);
}

static bnre_status diagnose_with_little_memory(void *context)
{
    const narrow *of = context;
    const bnre_density density = narrow_density(of);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *diag = NULL;
    bnre_status status;

    opts.fitted = 8;
    opts.most_points = 16;
    status = bnre_diagnose(&density, of->n, 1, of->theta, of->x, &opts, &diag);
    assert_true((status == BNRE_OK) == (diag != NULL));
    bnre_diag_destroy(diag);
    return status;
}

static void no_memory_is_said(void **state)
{
    narrow of = narrow_open(201, 3, 0.1, 1, 5);

    (void)state;
    assert_survives_lack_of_memory(diagnose_with_little_memory, &of);
    narrow_close(&of);
}

/* Grids are as they were asked for, and say so. */
static void grids_do_not_grow(void **state)
{
    narrow of = narrow_open(100, 2, 0.01, 1, 1);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *diag;

    (void)state;
    opts.grid = BNRE_DIAG_CELLS;
    opts.cells = 10;
    diag = narrow_diagnose(&of, &opts);
    assert_int_equal(diag->points, 100);
    assert_int_equal(diag->curve[0].judgement.verdict, BNRE_BLIND);
    bnre_diag_destroy(diag);
    narrow_close(&of);
}

/* Each temper has a verdict of its own: wider posteriors may be seen. */
static void wider_posteriors_may_be_seen(void **state)
{
    const double temper[] = {1, 0.05};
    narrow of = narrow_open(150, 3, 0.1, 1, 1);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *diag;

    (void)state;
    opts.temper = temper;
    opts.n_temper = 2;
    opts.grid = BNRE_DIAG_BANK;
    opts.most_points = 1;
    diag = narrow_diagnose(&of, &opts);
    assert_int_equal(diag->curve[0].judgement.verdict, BNRE_BLIND);
    assert_int_not_equal(diag->curve[1].judgement.verdict, BNRE_BLIND);
    bnre_diag_destroy(diag);
    narrow_close(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chance_is_the_mean_of_inverse_points),
        cmocka_unit_test(ten_narrow_parameters_are_blind),
        cmocka_unit_test(few_parameters_are_seen),
        cmocka_unit_test(more_points_are_taken_until_they_suffice),
        cmocka_unit_test(the_first_pairs_do_not_decide),
        cmocka_unit_test(interrupted_it_leaves_what_was_seen),
        cmocka_unit_test(no_memory_is_said),
        cmocka_unit_test(grids_do_not_grow),
        cmocka_unit_test(wider_posteriors_may_be_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
