/* Priors as text: what is wrong with it is said, with its place. */
#include "bnre/prior.h"
#include "support.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void mistakes_are_named_with_their_place(void **state)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"uniform(0 10)", "prior of rate: \"uniform(0 10)\": at column 11: "
                          "expected ',' after low, found '1'; write "
                          "uniform(low, high)"},
        {"", "at column 1: ... family ... uniform(low, high), found the end"},
        {"(0, 1)", "at column 1: expected a family"},
        {" unifrom(0, 1)", "at column 2: ... no family unifrom; ... uniform?"},
        {"lognormal(0, 1)", "did you mean log_normal?"},
        {"zzz(0, 1)",
         "no family zzz; ... uniform, log_uniform, "
         "normal, log_normal, half_normal, truncated_normal, exponential, "
         "gamma, beta, student_t, cauchy, half_cauchy, inverse_gamma, "
         "weibull, integer, categorical, bernoulli, poisson, fixed"},
        {"a_family_name_that_is_longer_than_all_the_room_there_is(1)",
         "there is no family a_family_name"},
        {"uniform", "at column 8: expected '(' ... uniform, found the end"},
        {"uniform[0, 1]", "at column 8: expected '(' after uniform, found '['"},
        {"uniform()", "at column 9: ... number for low, found ')'"},
        {"uniform(0)", "at column 10: expected ',' after low, found ')'; write "
                       "uniform(low, high)"},
        {"uniform(0, )", "at column 12: ... number for high, found ')'"},
        {"uniform(0, 1, 2)",
         "at column 13: expected ')' after high, found ','"},
        {"uniform(0, 1", "at column 13: expected ')' ... high, found the end"},
        {"uniform(0, 1) + 2", "at column 15: expected the end after ')', found "
                              "'+'"},
        {"uniform(0, x)", "at column 12: ... number for high, found 'x'"},
        {"uniform(0, \xc3\xa9)", "found byte 195"},
        {"uniform(0, 1/)", "at column 14: ... number for high, found ')'"},
        {"uniform(0, 1/0)", "at column 12: high must be finite"},
        {"uniform(nan, 1)", "at column 9: low must be finite"},
        {"uniform(0, inf)", "at column 12: high must be finite"},
        {"uniform(0, 1e999)", "at column 12: high must be finite"},
        {"uniform(1, 0)", "at column 12: high ... low"},
        {"uniform(1, 1)", "at column 12: high ... low"},
        {"uniform(-1e308, 1e308)", "at column 17: high ... far ... low"},
        {"log_uniform(0, 1)", "at column 13: low ... 0"},
        {"log_uniform(2, 1)", "at column 16: high ... low"},
        {"normal(0, 0)", "at column 11: sd ... 0"},
        {"normal(0, -1)", "at column 11: sd ... 0"},
        {"log_normal(0, 0)", "at column 15: sd ... 0"},
        {"half_normal(-1)", "at column 13: sd ... 0"},
        {"truncated_normal(0, 0, 1, 2)", "at column 21: sd ... 0"},
        {"truncated_normal(0, 1, 2, 1)", "at column 27: high ... low"},
        {"truncated_normal(0, 1e-200, 1, 2)", "sd is too small"},
        {"exponential(0)", "at column 13: rate ... 0"},
        {"gamma(0, 1)", "at column 7: shape ... 0"},
        {"gamma(1, 0)", "at column 10: rate ... 0"},
        {"beta(0, 1)", "at column 6: a ... 0"},
        {"beta(1, -1)", "at column 9: b ... 0"},
        {"student_t(0, 0, 1)", "at column 11: df ... 0"},
        {"student_t(1, 0, 0)", "at column 17: scale ... 0"},
        {"fixed(inf)", "value must be finite"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        const char *name = "rate";
        bnre_prior *prior;

        assert_fails(bnre_prior_create(1, &name, &wrong[i].text, &prior),
                     BNRE_EUSAGE, wrong[i].message);
        assert_null(prior);
    }
}

static void names_are_words_and_distinct(void **state)
{
    const char *const text[] = {"fixed(0)", "fixed(1)"};
    const char *const bad[] = {"", "2x", "a b", "a-b", "\xc3\xa9"};
    const char *twice[] = {"a", "a"}, *fine[] = {"_a", "B2"};
    bnre_prior *prior;

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_fails(bnre_prior_create(1, &bad[i], text, &prior), BNRE_EUSAGE,
                     "cannot name a parameter");
    assert_fails(bnre_prior_create(2, twice, text, &prior), BNRE_EUSAGE,
                 "two ... called a");
    assert_ok(bnre_prior_create(2, fine, text, &prior));
    bnre_prior_destroy(prior);
    assert_ok(bnre_prior_create(0, NULL, NULL, &prior));
    assert_int_equal(bnre_prior_dim(prior), 0);
    assert_true(bnre_prior_log_density(prior, NULL) == 0);
    bnre_prior_destroy(prior);
    bnre_prior_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_named_with_their_place),
        cmocka_unit_test(names_are_words_and_distinct),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
