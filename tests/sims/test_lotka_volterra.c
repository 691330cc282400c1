/* Lotka-Volterra against an independent implementation and against its own law.

   Comparisons in standard errors allow 4.5 of them; there are about 1100, so a
   correct simulator would fail with one seed in 130. The seed is fixed. */
#include <math.h>
#include <string.h>

#include "agreement.h"
#include "simrun.h"
#include "support.h"

enum { ROWS = 1001, EVENTS = 0, TIMES = 1, SUMMARY = 10 };

static const size_t stored[] = {0, 100, 250, 500, 1000};

/* What the reference keeps of a set of simulations. */
struct summary {
    size_t n, both_gone, predators_gone, prey_gone;
    double *state;  /* (n, 10) predators and prey at the stored rows */
    double *most;   /* (n, 2) largest number of each */
    double *change; /* (n) share of rows where predators change */
};

static void summary_add(struct summary *s, const double *x)
{
    const double *end = x + 2 * (ROWS - 1);
    double *state = s->state + s->n * SUMMARY, *most = s->most + s->n * 2;
    double changes = 0;

    for (size_t k = 0; k < 5; k++) {
        state[2 * k] = x[2 * stored[k]];
        state[2 * k + 1] = x[2 * stored[k] + 1];
    }
    for (size_t i = 0; i < ROWS; i++) {
        most[0] = fmax(most[0], x[2 * i]);
        most[1] = fmax(most[1], x[2 * i + 1]);
        changes += i > 0 && fabs(x[2 * i] - x[2 * i - 2]) == 1;
    }
    s->change[s->n] = changes / (ROWS - 1);
    s->predators_gone += end[0] == 0;
    s->prey_gone += end[1] == 0;
    s->both_gone += end[0] == 0 && end[1] == 0;
    s->n++;
}

static struct summary simulate(const simrun *run, size_t n, const double *theta,
                               const double *nuisance)
{
    struct summary s = {0};
    double x[2 * ROWS];

    assert_non_null(s.state = bnre__alloc(n * SUMMARY, sizeof *s.state));
    assert_non_null(s.most = bnre__alloc(n * 2, sizeof *s.most));
    assert_non_null(s.change = bnre__alloc(n, sizeof *s.change));
    for (size_t i = 0; i < n; i++) {
        simrun_draw(run, i, theta, nuisance, x);
        summary_add(&s, x);
    }
    return s;
}

static void compare(const ref *block, const struct summary *s)
{
    const ref *stats = ref_at(block, "stats");
    double draws = ref_number(ref_at(block, "draws")), n = (double)s->n;
    double mean, error;

    assert_agrees(stats, draws, s->n, SUMMARY, s->state,
                  AGREE_ALL | AGREE_NOT_RARE);
    /* Rare runs in which prey multiply decide on second moments. */
    assert_agrees(ref_at(stats, "max_over_time"), draws, s->n, 2, s->most,
                  AGREE_MEAN | AGREE_QUANTILES);
    assert_same_share((double)s->both_gone, n,
                      ref_number(ref_at(stats, "prob_both_zero_at_end")),
                      draws);
    assert_same_share((double)s->predators_gone, n,
                      ref_number(ref_at(stats, "prob_predators_zero_at_end")),
                      draws);
    assert_same_share((double)s->prey_gone, n,
                      ref_number(ref_at(stats, "prob_prey_zero_at_end")),
                      draws);
    mean = sample_mean(s->n, s->change, 1, &error);
    assert_same_mean(
        mean, error,
        ref_number(
            ref_at(stats, "fraction_of_rows_where_predators_change_by_one")),
        error * sqrt(n / draws));
}

static void summary_clear(struct summary *s)
{
    bnre__free(s->change);
    bnre__free(s->most);
    bnre__free(s->state);
}

static void statistics_agree_with_the_reference(void **state)
{
    ref *root = ref_load("lotka_volterra.json");
    simrun run = simrun_open("lotka_volterra", EVENTS, 41);
    struct summary s;

    (void)state;
    for (size_t k = 0; k < ref_count(ref_at(root, "points")); k++) {
        const ref *point = ref_at(root, "points/%zu", k);
        double theta[2];

        ref_numbers(ref_at(point, "theta"), 2, theta);
        s = simulate(&run, 4000, theta, NULL);
        compare(point, &s);
        summary_clear(&s);
    }
    for (size_t k = 0; k < ref_count(ref_at(root, "points_all_four_fixed"));
         k++) {
        const ref *point = ref_at(root, "points_all_four_fixed/%zu", k);
        double rates[4];

        ref_numbers(ref_at(point, "log_theta_c0_c1_c2_c3"), 4, rates);
        s = simulate(&run, 4000, rates, rates + 2);
        compare(point, &s);
        summary_clear(&s);
    }
    s = simulate(&run, 4000, NULL, NULL);
    compare(ref_at(root, "prior_predictive"), &s);
    summary_clear(&s);
    simrun_close(&run);
    ref_free(root);
}

static void one_species_changes_by_one_until_extinction(void **state)
{
    simrun run = simrun_open("lotka_volterra", EVENTS, 42);
    double x[2 * ROWS];
    size_t extinct = 0;

    (void)state;
    for (size_t row = 0; row < 1000; row++) {
        const double first[] = {50, 100}, *before = first;

        simrun_draw(&run, row, NULL, NULL, x);
        for (size_t i = 0; i < ROWS; i++) {
            const double *now = x + 2 * i;
            double moved = fabs(now[0] - before[0]) + fabs(now[1] - before[1]);
            int gone = before[0] == 0 && before[1] == 0;

            assert_true(now[0] >= 0 && now[1] >= 0);
            assert_true(now[0] == floor(now[0]) && now[1] == floor(now[1]));
            assert_true(moved == (gone ? 0 : 1));
            if (before[0] == 0) /* nobody preys, none is born */
                assert_true(now[0] == 0 && now[1] >= before[1]);
            if (before[1] == 0) /* without prey predators only die */
                assert_true(now[1] == 0 && now[0] <= before[0]);
            before = now;
        }
        extinct += before[0] == 0 && before[1] == 0;
    }
    assert_true(extinct > 500);
    simrun_close(&run);
}

/* The four propensities of a state, divided by their sum. */
static void event_probabilities(const double *rates, const double *now,
                                double *p)
{
    double sum = 0;

    p[0] = exp(rates[0]) * now[0] * now[1];
    p[1] = exp(rates[1]) * now[0];
    p[2] = exp(rates[2]) * now[1];
    p[3] = exp(rates[3]) * now[0] * now[1];
    for (int k = 0; k < 4; k++)
        sum += p[k];
    for (int k = 0; k < 4; k++)
        p[k] /= sum;
}

/* Whatever the path, the number of events of a kind minus the sum of their
   probabilities is a martingale with variance sum p (1 - p). */
static void events_occur_in_proportion_to_propensities(void **state)
{
    simrun run = simrun_open("lotka_volterra", EVENTS, 43);
    double surplus[4] = {0}, variance[4] = {0}, x[2 * ROWS];

    (void)state;
    for (size_t row = 0; row < 1000; row++) {
        double rates[4], p[4], first[] = {50, 100};
        const double *before = first;

        simrun_prior(&run, row, rates, rates + 2);
        simrun_draw(&run, row, NULL, NULL, x);
        for (size_t i = 0; i < ROWS && before[0] + before[1] > 0; i++) {
            const double *now = x + 2 * i;

            event_probabilities(rates, before, p);
            surplus[0] += now[0] > before[0];
            surplus[1] += now[0] < before[0];
            surplus[2] += now[1] > before[1];
            surplus[3] += now[1] < before[1];
            for (int k = 0; k < 4; k++) {
                surplus[k] -= p[k];
                variance[k] += p[k] * (1 - p[k]);
            }
            before = now;
        }
    }
    for (int k = 0; k < 4; k++)
        assert_same_mean(surplus[k], sqrt(variance[k]), 0, 0);
    simrun_close(&run);
}

/* Two species that do not meet: predators die at rate a, so that those left at
   time t are binomial; prey double at rate b and have mean 100 exp(b t) and
   variance 100 exp(b t) (exp(b t) - 1). */
static void without_meetings_the_times_have_known_laws(void **state)
{
    enum { N = 4000 };
    const double never = -700, rates[] = {never, -2, -3, never};
    const double a = exp(-2), b = exp(-3);
    simrun run = simrun_open("lotka_volterra", TIMES, 44);
    static double x[N][2 * ROWS];

    (void)state;
    for (size_t i = 0; i < N; i++) {
        simrun_draw(&run, i, rates, rates + 2, x[i]);
        assert_true(x[i][0] == 50 && x[i][1] == 100);
    }
    for (size_t row = 20; row < ROWS; row += 245) {
        double t = 0.05 * (double)row, left = exp(-a * t), grown = exp(b * t);
        double mean, error;

        mean = sample_mean(N, &x[0][2 * row], 2 * ROWS, &error);
        assert_same_mean(mean, sqrt(50 * left * (1 - left) / N), 50 * left, 0);
        /* The error estimates a standard deviation: 5 of its own errors, which
           are 1/sqrt(2 N) relative for light tails. */
        if (50 * left > 5)
            assert_close(error * error * N / (50 * left * (1 - left)), 1,
                         5 * sqrt(2.0 / N));
        mean = sample_mean(N, &x[0][2 * row + 1], 2 * ROWS, &error);
        assert_same_mean(mean, sqrt(100 * grown * (grown - 1) / N), 100 * grown,
                         0);
        assert_close(error * error * N / (100 * grown * (grown - 1)), 1,
                     5 * sqrt(2.0 / N));
    }
    simrun_close(&run);
}

/* The same process by another method: each event has a clock of its own, and
   the first to ring happens. State at the times 1, 5, 20 and 50. */
static void first_reaction(bnre_rng *rng, const double *rates, double *out)
{
    const double at[] = {1, 5, 20, 50};
    double now[] = {50, 100}, time = 0;
    size_t i = 0;

    while (i < 4) {
        double clock[4],
            p[] = {exp(rates[0]) * now[0] * now[1], exp(rates[1]) * now[0],
                   exp(rates[2]) * now[1], exp(rates[3]) * now[0] * now[1]};
        int event = 0;

        for (int k = 0; k < 4; k++) {
            clock[k] = p[k] > 0 ? bnre_rng_exponential(rng) / p[k] : INFINITY;
            if (clock[k] < clock[event])
                event = k;
        }
        time += clock[event];
        for (; i < 4 && at[i] <= time; i++) {
            out[2 * i] = now[0];
            out[2 * i + 1] = now[1];
        }
        now[event / 2] += event % 2 ? -1 : 1;
    }
}

static void times_agree_with_the_first_reaction_method(void **state)
{
    enum { N = 1500 };
    const double rates[] = {-4, -1.2, -1.5, -4};
    const size_t row[] = {20, 100, 400, 1000};
    simrun run = simrun_open("lotka_volterra", TIMES, 45);
    static double ours[N][8], other[N][8], x[2 * ROWS];

    (void)state;
    for (size_t i = 0; i < N; i++) {
        bnre_rng rng = bnre_rng_stream(46, 0, i);

        first_reaction(&rng, rates, other[i]);
        simrun_draw(&run, i, rates, rates + 2, x);
        for (size_t k = 0; k < 4; k++) {
            ours[i][2 * k] = x[2 * row[k]];
            ours[i][2 * k + 1] = x[2 * row[k] + 1];
        }
    }
    for (size_t k = 0; k < 8; k++) {
        double a, b, mean = sample_mean(N, &ours[0][k], 8, &a);
        double other_mean = sample_mean(N, &other[0][k], 8, &b);

        assert_same_mean(mean, a, other_mean, b);
        for (size_t i = 0; i < N; i++) { /* second moments */
            ours[i][k] *= ours[i][k];
            other[i][k] *= other[i][k];
        }
        mean = sample_mean(N, &ours[0][k], 8, &a);
        other_mean = sample_mean(N, &other[0][k], 8, &b);
        assert_same_mean(mean, a, other_mean, b);
    }
    simrun_close(&run);
}

static void unbounded_prey_make_the_row_invalid(void **state)
{
    const double rates[] = {-700, 1, 1, -700};
    simrun run = simrun_open("lotka_volterra", TIMES, 47);
    char reason[BNRE_REASON_SIZE] = "";
    bnre_rng rng = bnre_rng_stream(1, 0, 0);
    double x[2 * ROWS];

    (void)state;
    assert_int_equal(
        run.record->draw(run.state, &rng, rates, rates + 2, x, reason),
        BNRE_DRAW_INVALID);
    assert_non_null(strstr(reason, "more than 1000000 events before time 50"));
    simrun_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_agree_with_the_reference),
        cmocka_unit_test(one_species_changes_by_one_until_extinction),
        cmocka_unit_test(events_occur_in_proportion_to_propensities),
        cmocka_unit_test(without_meetings_the_times_have_known_laws),
        cmocka_unit_test(times_agree_with_the_first_reaction_method),
        cmocka_unit_test(unbounded_prey_make_the_row_invalid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
