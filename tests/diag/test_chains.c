/* Theta* among the ends of chains that began at it. Seeds are fixed. Tests of
   uniformity and of means are wrong once in 10,000 seeds each; a right
   posterior is called OVERCONFIDENT on 150 pairs once in 370 seeds (in 273 of
   100,000 sets of uniform ranks). */
#include <math.h>
#include <string.h>

#include "bnre/diag.h"
#include "bnre/rng.h"
#include "densities.h"
#include "narrow.h"
#include "posterior/star.h"
#include "support.h"

static void assert_uniform(size_t n, const double *rank)
{
    double *copy = test_malloc(n * sizeof *copy);

    memcpy(copy, rank, n * sizeof *copy);
    assert_true(ks_uniform_pvalue(n, copy) > 1e-4);
    test_free(copy);
}

static void assert_near(bnre_estimate e, double c)
{
    if (!(fabs(e.mean - c) < 4 * e.error))
        fail_msg("%g +- %g is not %g", e.mean, e.error, c);
}

static void assert_exact_ranks(const bnre_diag *diag)
{
    assert_int_equal(diag->grid, BNRE_DIAG_CHAINS);
    for (size_t c = 0; c < diag->n_curves; c++)
        if (diag->curve[c].tau == 1)
            assert_uniform(diag->n, diag->curve[c].rank);
    if (diag->curve[0].tau != 1)
        return; /* the rest is about the first */
    assert_uniform(diag->n, diag->tarp_rank);
    for (size_t k = 0; k < diag->dim; k++)
        assert_uniform(diag->n, diag->parameter[k].rank);
}

/* 1/2 - mean rank that the ends do not show, and its standard error. */
static bnre_estimate hidden(const narrow *of, const bnre_diag *diag)
{
    double exact = 0, lost = 0, squares = 0;

    for (size_t i = 0; i < of->n; i++) {
        const double off = diag->curve[0].rank[i] - of->rank[i];

        exact += 0.5 - of->rank[i];
        lost += off;
        squares += off * off;
    }
    return (bnre_estimate){lost / exact, sqrt(squares) / fabs(exact)};
}

/* Ten parameters, 14 nats away from the prior: of points of the prior, none
   would bear weight. The information is that of N(x, v) given N(0, 1). */
static void too_narrow_is_told_from_right(void **state)
{
    enum { N = 150, DIM = 10 };
    const double noise = 0.25, v = noise * noise / (1 + noise * noise);
    narrow right = narrow_open(N, DIM, noise, 1, 1);
    narrow wrong = narrow_open(N, DIM, noise, 0.8, 1);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *a, *b;

    (void)state;
    assert_ok(bnre_pool_create(0, &opts.pool));
    a = narrow_diagnose(&right, &opts);
    b = narrow_diagnose(&wrong, &opts);
    assert_exact_ranks(a);
    assert_int_not_equal(a->curve[0].judgement.verdict, BNRE_OVERCONFIDENT);
    assert_int_not_equal(a->curve[0].judgement.verdict, BNRE_BLIND);
    assert_int_equal(a->points, 100);
    assert_near(a->curve[0].coverage.auc, 0);
    assert_near(a->curve[0].information, -0.5 * DIM * log(v));
    for (size_t k = 0; k < DIM; k++) {
        assert_near(a->parameter[k].bias, v / 12);
        assert_near(a->parameter[k].variance, v / 12);
    }
    assert_int_equal(b->curve[0].judgement.verdict, BNRE_OVERCONFIDENT);
    assert_close(b->curve[0].coverage.auc.mean,
                 narrow_coverage(&wrong).auc.mean, 0.03);
    bnre_diag_destroy(b);
    bnre_diag_destroy(a);
    bnre_pool_destroy(opts.pool);
    narrow_close(&wrong);
    narrow_close(&right);
}

/* What is hidden is what the chains remember, and it is said. */
static void chains_that_remember_are_blind(void **state)
{
    narrow of = narrow_open(200, 10, 0.25, 0.8, 3);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *one, *four;
    bnre_estimate share;
    char *words = NULL;

    (void)state;
    assert_ok(bnre_pool_create(0, &opts.pool));
    opts.most_steps = 1;
    one = narrow_diagnose(&of, &opts);
    opts.most_steps = 4;
    four = narrow_diagnose(&of, &opts);
    assert_int_equal(one->curve[0].judgement.verdict, BNRE_BLIND);
    assert_int_equal(one->curve[0].judgement.steps, 1);
    share = hidden(&of, one);
    assert_true(share.mean > 0.05);
    assert_true(share.mean < one->curve[0].judgement.chance + 4 * share.error);
    assert_int_equal(four->curve[0].judgement.verdict, BNRE_OVERCONFIDENT);
    assert_true(four->curve[0].judgement.chance < 0.1);
    assert_ok(bnre_judgement_words(&one->curve[0].judgement, &words));
    assert_true(holds_facts(words, "chains ... began"));
    bnre_free(words);
    bnre_diag_destroy(four);
    bnre_diag_destroy(one);
    bnre_pool_destroy(opts.pool);
    narrow_close(&of);
}

/* ---- posteriors with many modes, at bounds, cut by a constraint ---- */

enum { DIM = 4 };

/* theta ~ U(-1, 1)^4, x_k ~ N(|theta_k|, 0.2): sixteen modes. The likelihood
   stands for the ratio, up to the constant that it may have. */
struct folded {
    double x[DIM];
    int flat, impossible;
};

static bnre_status observe(void *self, const double *x)
{
    memcpy(((struct folded *)self)->x, x, DIM * sizeof *x);
    return BNRE_OK;
}

static bnre_status log_likelihood(void *self, size_t n, const double *theta,
                                  double *out, double *gradient)
{
    const struct folded *of = self;

    (void)gradient;
    for (size_t i = 0; i < n; i++) {
        out[i] = of->impossible ? -HUGE_VAL : 0;
        for (size_t k = 0; k < DIM && !of->flat; k++) {
            const double off = (of->x[k] - fabs(theta[i * DIM + k])) / 0.2;

            out[i] -= 0.5 * off * off;
        }
    }
    return BNRE_OK;
}

static bnre_diag *diagnose_folded(size_t n, const bnre_prior *prior,
                                  struct folded *of, uint64_t seed,
                                  const bnre_diag_opts *opts)
{
    const bnre_density density = {.prior = prior,
                                  .x_size = DIM,
                                  .context = of,
                                  .observe = observe,
                                  .log_ratio = log_likelihood};
    double *theta = test_malloc(n * DIM * sizeof *theta);
    double *x = test_malloc(n * DIM * sizeof *x);
    bnre_diag *diag = NULL;

    for (size_t i = 0; i < n; i++) {
        bnre_rng rng = bnre_rng_stream(seed, 1, i);

        bnre_prior_draw(prior, &rng, theta + i * DIM);
        for (size_t k = i * DIM; k < (i + 1) * DIM; k++)
            x[k] = fabs(theta[k]) + 0.2 * bnre_rng_normal(&rng);
    }
    assert_ok(bnre_diagnose(&density, n, 1, theta, x, opts, &diag));
    test_free(x);
    test_free(theta);
    return diag;
}

/* With a single step each way, most ends are where theta* is, or in its mode:
   that may hide errors, but makes none. */
static void poor_mixing_bends_no_ranks(void **state)
{
    const char *const condition[] = {"a >= b"};
    bnre_diag_opts opts = bnre_diag_opts_default();

    (void)state;
    opts.most_steps = 1;
    opts.draws = 20;
    opts.grid = BNRE_DIAG_CHAINS;
    for (int cut = 0; cut < 2; cut++) {
        bnre_prior *prior = prior_of(DIM, "uniform(-1, 1)");
        struct folded of = {{0}, 0, 0};
        bnre_diag *diag;

        if (cut)
            assert_ok(bnre_prior_constrain(prior, 1, condition));
        diag = diagnose_folded(200, prior, &of, 5, &opts);
        assert_int_equal(diag->points, 20);
        assert_exact_ranks(diag);
        bnre_diag_destroy(diag);
        bnre_prior_destroy(prior);
    }
}

/* Chains of one tau serve others: ends weigh exp((tau - anchor) l). */
static void tempers_have_chains_in_common(void **state)
{
    const double temper[] = {1, 0.8, 0.65, 0.4};
    bnre_prior *prior = prior_of(DIM, "uniform(-1, 1)");
    struct folded of = {{0}, 0, 0};
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *diag, *alone;

    (void)state;
    opts.temper = temper;
    opts.n_temper = 4;
    diag = diagnose_folded(60, prior, &of, 7, &opts);
    opts.n_temper = 1;
    alone = diagnose_folded(60, prior, &of, 7, &opts);
    assert_exact_ranks(diag);
    /* Weights that are not all the same, of 101 points. */
    assert_true(diag->curve[0].ess_median < 99);
    assert_true(diag->curve[0].ess_median > 60);
    assert_true(diag->curve[1].ess_median > 100.9);
    /* Two sets of chains in place of one. */
    assert_true(diag->evaluations > 1.5 * (double)alone->evaluations);
    assert_true(diag->evaluations < 2.5 * (double)alone->evaluations);
    assert_close(diag->curve[0].information.mean,
                 alone->curve[0].information.mean, 0.02);
    for (size_t c = 1; c < 4; c++)
        assert_true(diag->curve[c].coverage.auc.mean >
                    diag->curve[c - 1].coverage.auc.mean);
    bnre_diag_destroy(alone);
    bnre_diag_destroy(diag);
    bnre_prior_destroy(prior);
}

/* All densities tie: nothing is known, and that is seen. */
static void flat_is_uninformative_and_not_blind(void **state)
{
    bnre_prior *prior = prior_of(DIM, "uniform(-1, 1)");
    struct folded of = {.flat = 1};
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *diag = diagnose_folded(100, prior, &of, 9, &opts);

    (void)state;
    assert_exact_ranks(diag);
    assert_int_equal(diag->curve[0].judgement.verdict, BNRE_UNINFORMATIVE);
    assert_true(fabs(diag->curve[0].information.mean) < 0.01);
    bnre_diag_destroy(diag);
    bnre_prior_destroy(prior);
}

/* No population finds what is nowhere. */
static void what_is_impossible_comes_last(void **state)
{
    bnre_prior *prior = prior_of(DIM, "uniform(-1, 1)");
    struct folded of = {.impossible = 1, .flat = 1};
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *diag = diagnose_folded(30, prior, &of, 11, &opts);

    (void)state;
    for (size_t i = 0; i < diag->n; i++)
        assert_true(diag->curve[0].rank[i] == 1);
    bnre_diag_destroy(diag);
    bnre_prior_destroy(prior);
}

static bnre_status draw_with_little_memory(void *session)
{
    bnre_rng rng = bnre_rng_stream(1, 1, 1);
    bnre_status status = BNRE_OK;
    double own[4] = {0}, end[10 * 4];
    bnre__star star = {0};

    BNRE_TRY(bnre__star_init(&star, session, 10, 1, 0));
    BNRE_TRY(bnre__star_tune(&star, 1, &rng));
    BNRE_TRY(bnre__star_draw(&star, &rng, own, end));
done:
    bnre__star_clear(&star);
    return status;
}

static void no_memory_is_said(void **state)
{
    narrow of = narrow_open(20, 4, 0.5, 1, 5);
    const bnre_density density = narrow_density(&of);
    bnre_session *session = session_for(&density, 1, of.x);

    (void)state;
    assert_survives_lack_of_memory(draw_with_little_memory, session);
    bnre_session_close(session);
    narrow_close(&of);
}

static void wrong_settings_are_refused(void **state)
{
    narrow of = narrow_open(30, 4, 0.5, 1, 11);
    const bnre_density density = narrow_density(&of);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *diag = NULL;

    (void)state;
    opts.grid = BNRE_DIAG_CHAINS;
    opts.draws = 9;
    assert_fails(bnre_diagnose(&density, of.n, 1, of.theta, of.x, &opts, &diag),
                 BNRE_EUSAGE, "10 are the least");
    opts.draws = 0;
    opts.steps = 1000000;
    assert_fails(bnre_diagnose(&density, of.n, 1, of.theta, of.x, &opts, &diag),
                 BNRE_EUSAGE, "steps of a chain");
    narrow_close(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_narrow_is_told_from_right),
        cmocka_unit_test(chains_that_remember_are_blind),
        cmocka_unit_test(poor_mixing_bends_no_ranks),
        cmocka_unit_test(tempers_have_chains_in_common),
        cmocka_unit_test(flat_is_uninformative_and_not_blind),
        cmocka_unit_test(what_is_impossible_comes_last),
        cmocka_unit_test(no_memory_is_said),
        cmocka_unit_test(wrong_settings_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
