#include <math.h>
#include <string.h>

#include "densities.h"
#include "num/dist.h"
#include "posterior/moves.h"
#include "support.h"

enum { N = 4000 };

/* Two modes of different width, seen through the logit of a bounded prior. */
struct setting {
    bnre_prior *prior;
    normal_mixture target;
    log_ratio_function function;
    bnre_density density;
    bnre_session *session;
    bnre__target real;
    bnre__moves moves;
    bnre__walkers walkers;
};

/* An exact draw of the mixture. */
static void draw_exactly(const struct setting *s, bnre_rng *rng, double *z)
{
    const size_t c = bnre_rng_uniform(rng) < 0.6;
    const double a = bnre_rng_normal(rng), b = bnre_rng_normal(rng);
    const double theta[] = {s->target.mean[c][0] + s->target.sd[c] * a,
                            s->target.mean[c][1] +
                                s->target.sd[c] * (0.6 * a + 0.8 * b)};

    bnre__target_to_real(&s->real, theta, z);
}

/* Walkers that are exact draws of the mixture, moves that learned from others.
   Learning from few points makes poor proposals, which must not matter. */
static void set_up(struct setting *s, int glides, size_t learned)
{
    bnre_rng rng = bnre_rng_stream(11, 0, 0);
    double *seen = NULL;

    memset(s, 0, sizeof *s);
    s->prior = prior_of(2, "uniform(-3, 3)");
    s->target = (normal_mixture){
        2, {0.4, 0.6}, {{-1.2, 0.5}, {1, -0.5}}, {0.15, 0.3}, 0.6, s->prior, 0};
    s->function =
        (log_ratio_function){s->prior, normal_mixture_ratio, &s->target, 1};
    s->density = function_density(&s->function);
    s->session = session_for(&s->density, 1, NULL);
    assert_ok(bnre__target_init(&s->real, s->session, N));
    assert_ok(bnre__moves_init(&s->moves, &s->real, N));
    assert_ok(bnre__walkers_init(&s->walkers, N, &s->real));
    s->moves.glides = glides;
    for (size_t k = 0; k < N; k++)
        draw_exactly(s, &rng, s->walkers.z + 2 * k);
    assert_ok(bnre__target_evaluate(&s->real, &s->walkers, 0));
    assert_non_null(seen = bnre__alloc(learned * 2, sizeof *seen));
    for (size_t k = 0; k < learned; k++)
        draw_exactly(s, &rng, seen + 2 * k);
    assert_ok(bnre__moves_learn(&s->moves, learned, seen, &rng));
    bnre__free(seen);
}

static void tear_down(struct setting *s)
{
    bnre__walkers_clear(&s->walkers);
    bnre__moves_clear(&s->moves);
    bnre__target_clear(&s->real);
    bnre_session_close(s->session);
    bnre_prior_destroy(s->prior);
}

/* P(theta_i <= value) */
static double marginal(const normal_mixture *target, size_t i, double value)
{
    double sum = 0;

    for (size_t c = 0; c < 2; c++)
        sum += target->weight[c] *
               bnre__normal_cdf((value - target->mean[c][i]) / target->sd[c]);
    return sum;
}

/* Exact draws stay exact draws, whatever the moves learned from and however
   good they are: 16 tests, p < 1e-5 each. */
static void moves_leave_the_target_as_it_is(void **state)
{
    static double u[N];

    (void)state;
    for (int glides = 0; glides < 2; glides++)
        for (size_t learned = 1; learned <= 1000; learned += 333) {
            struct setting s;
            bnre_rng rng = bnre_rng_stream(12, 0, learned);

            set_up(&s, glides, learned);
            for (int step = 0; step < 5; step++)
                assert_ok(bnre__moves_step(&s.moves, &s.walkers, 1, 0, &rng));
            if (learned == 1000) { /* good proposals are accepted */
                assert_true(s.moves.leaping > 0.6);
                assert_true(s.moves.local > (glides ? 0.5 : 0.1));
            }
            for (size_t i = 0; i < 2; i++) {
                for (size_t k = 0; k < N; k++)
                    u[k] = marginal(&s.target, i, s.walkers.theta[2 * k + i]);
                assert_true(ks_uniform_pvalue(N, u) > 1e-5);
            }
            tear_down(&s);
        }
}

/* Weights of leaps have the evidence, 1, as their mean. */
static void weights_of_leaps_have_the_evidence_as_mean(void **state)
{
    struct setting s;
    bnre_rng rng = bnre_rng_stream(13, 0, 0);
    double sum = 0, squares = 0;

    (void)state;
    set_up(&s, 0, 200);
    assert_ok(bnre__moves_step(&s.moves, &s.walkers, 1, 0, &rng));
    for (size_t k = 0; k < N; k++) {
        sum += exp(s.moves.log_weight[k]) / N;
        squares += exp(2 * s.moves.log_weight[k]) / N;
    }
    assert_true(fabs(sum - 1) < 4.5 * sqrt((squares - sum * sum) / N));
    assert_true(squares < 20); /* bounded: the error above means something */
    tear_down(&s);
}

/* At beta 0 the target is the prior: uniform, as logits. */
static void at_beta_0_walkers_follow_the_prior(void **state)
{
    static double u[N];

    (void)state;
    for (int glides = 0; glides < 2; glides++) {
        struct setting s;
        bnre_rng rng = bnre_rng_stream(14, 0, 0);

        set_up(&s, glides, 500);
        for (size_t k = 0; k < N; k++) {
            double theta[2];

            bnre_prior_draw(s.prior, &rng, theta);
            bnre__target_to_real(&s.real, theta, s.walkers.z + 2 * k);
        }
        assert_ok(bnre__target_evaluate(&s.real, &s.walkers, 0));
        for (int step = 0; step < 5; step++)
            assert_ok(bnre__moves_step(&s.moves, &s.walkers, 0, 0, &rng));
        for (size_t i = 0; i < 2; i++) {
            for (size_t k = 0; k < N; k++)
                u[k] = bnre_prior_cdf(s.prior, i, s.walkers.theta[2 * k + i]);
            assert_true(ks_uniform_pvalue(N, u) > 1e-5);
        }
        tear_down(&s);
    }
}

/* Gradients in z, ratio and base apart, against differences. */
static void gradients_match_differences(void **state)
{
    const char *names[] = {"a", "b", "c", "d", "e"};
    const char *texts[] = {"uniform(-3, 3)", "normal(0, 2)", "fixed(1)",
                           "gamma(2, 1)", "half_normal(2)"};
    const double h = 1e-4;
    normal_mixture target = {1,    {1}, {{0.1, 0.2, 1, 1.5, 0.5}}, {0.7}, 0.3,
                             NULL, 0};
    bnre_prior *prior = NULL, *flat = prior_of(5, "uniform(-50, 50)");
    log_ratio_function function;
    bnre_density density;
    bnre_session *session;
    bnre__target real;
    bnre__walkers walkers, moved;
    bnre_rng rng = bnre_rng_stream(15, 0, 0);

    (void)state;
    assert_ok(bnre_prior_create(5, names, texts, &prior));
    target.prior = flat; /* a constant, so that the gradient is the mixture's */
    function = (log_ratio_function){prior, normal_mixture_ratio, &target, 1};
    density = function_density(&function);
    session = session_for(&density, 1, NULL);
    assert_ok(bnre__target_init(&real, session, 20));
    assert_int_equal(real.m, 4);
    assert_ok(bnre__walkers_init(&walkers, 20, &real));
    assert_ok(bnre__walkers_init(&moved, 20, &real));
    for (size_t k = 0; k < 80; k++)
        walkers.z[k] = 0.5 * bnre_rng_normal(&rng);
    assert_ok(bnre__target_evaluate(&real, &walkers, 1));
    for (size_t i = 0; i < 4; i++)
        for (int side = -1; side <= 1; side += 2) {
            for (size_t k = 0; k < 80; k++)
                moved.z[k] = walkers.z[k] + (k % 4 == i ? side * h : 0);
            assert_ok(bnre__target_evaluate(&real, &moved, 0));
            for (size_t k = 0; k < 20; k++) {
                const size_t at = k * 4 + i;

                /* the differences up and down bracket the slope */
                assert_close((moved.ratio[k] - walkers.ratio[k]) / (side * h),
                             walkers.dratio[at], 1e-2);
                assert_close((moved.base[k] - walkers.base[k]) / (side * h),
                             walkers.dbase[at], 1e-2);
            }
        }
    bnre__walkers_clear(&moved);
    bnre__walkers_clear(&walkers);
    bnre__target_clear(&real);
    bnre_session_close(session);
    bnre_prior_destroy(flat);
    bnre_prior_destroy(prior);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_leave_the_target_as_it_is),
        cmocka_unit_test(weights_of_leaps_have_the_evidence_as_mean),
        cmocka_unit_test(at_beta_0_walkers_follow_the_prior),
        cmocka_unit_test(gradients_match_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
