/* What holds for an observation, in words. */
#include "bnre/certificate.h"

#include <math.h>
#include <string.h>

#include "bnre/settings.h"
#include "support.h"

static const bnre_certificate certificate = {
    .given = 1,
    .kind = BNRE_CERTIFICATE_FRESH,
    .certified = 1,
    .words = (char *)"CERTIFIED conservative: so it is",
    .temper = 0.85,
    .widen = 1};
static const bnre_certificate calibrated = {.given = 1};
static const bnre_certificate failed = {.given = 1,
                                        .kind = BNRE_CERTIFICATE_FRESH,
                                        .words = (char *)"NOT CERTIFIED",
                                        .temper = 0.85};

static int says(const bnre_guarantee *guarantee, const char *facts)
{
    char *text = NULL;
    int found;

    assert_ok(bnre_guarantee_words(guarantee, &text));
    found = holds_facts(text, facts);
    bnre_free(text);
    return found;
}

static void a_certificate_speaks_where_it_holds(void **state)
{
    bnre_guarantee g = {
        .certificate = &certificate, .temper = 0.85, .outside = 0.01};

    (void)state;
    assert_true(says(&g, certificate.words));
    g.beyond = 1; /* but as the estimator sees it, it is like the others */
    assert_true(says(&g, certificate.words));
    g.beyond = 0;
    g.outside = NAN;
    assert_true(says(&g, certificate.words));
    g.certificate = NULL;
    assert_true(says(&g, "NOT CERTIFIED: nothing"));
    g.certificate = &calibrated;
    assert_true(says(&g, "NOT CERTIFIED: nothing"));
}

static void an_unlike_observation_has_no_guarantee(void **state)
{
    bnre_guarantee g = {
        .certificate = &certificate, .temper = 0.85, .outside = 0.0033};

    (void)state;
    assert_true(says(&g, "no guarantee ... observation ... unlike"));
    assert_true(says(&g, "(p = 0.0033) ... certificate"));
    assert_false(says(&g, "CERTIFIED"));
    g.certificate = NULL;
    assert_true(says(&g, "(p = 0.0033)"));
    assert_false(says(&g, "certificate"));
    g.outside = NAN;
    g.beyond = 3;
    assert_true(says(&g, "3 of the values ... outside"));
    assert_true(bnre_guarantee_void(&g, NULL));
    g.outside = 0.2;
    assert_false(bnre_guarantee_void(&g, NULL));
    g.outside = NAN;
    assert_false(says(&g, "p ="));
}

static void another_width_is_not_what_was_tested(void **state)
{
    const bnre_certificate wide = {.given = 1,
                                   .kind = BNRE_CERTIFICATE_FRESH,
                                   .certified = 1,
                                   .words = (char *)"CERTIFIED",
                                   .temper = 1,
                                   .widen = 1.35};
    bnre_guarantee g = {
        .certificate = &wide, .temper = 1, .widen = 1.35, .outside = NAN};

    (void)state;
    assert_true(says(&g, "CERTIFIED"));
    g.widen = 1.2;
    assert_true(says(&g, "widths times 1.35 ... not for 1.2"));
    g.certificate = &certificate;
    g.temper = 0.85;
    assert_true(says(&g, "widths times 1 ... not for 1.2"));
}

static void another_temper_is_not_what_was_tested(void **state)
{
    bnre_guarantee g = {
        .certificate = &certificate, .temper = 1, .outside = NAN};

    (void)state;
    assert_true(says(&g, "NOT CERTIFIED: ... temper 0.85 ... not for 1"));
    g.certificate = &failed;
    assert_true(says(&g, "fresh pairs ... for temper 0.85"));
}

static void several_observations_are_not_what_was_tested(void **state)
{
    bnre_guarantee g = {.certificate = &certificate,
                        .temper = 0.85,
                        .outside = NAN,
                        .observations = 1};

    (void)state;
    assert_true(says(&g, certificate.words));
    g.observations = 3;
    assert_true(says(&g, "NOT CERTIFIED: ... single ... not for 3"));
    g.certificate = NULL;
    assert_true(says(&g, "NOT CERTIFIED: nothing"));
}

static bnre_status words_once(void *arg)
{
    const bnre_guarantee g = {
        .certificate = &certificate, .temper = 1, .outside = NAN};
    char *text = NULL;
    bnre_status status = bnre_guarantee_words(&g, &text);

    (void)arg;
    bnre_free(text);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    (void)state;
    assert_survives_lack_of_memory(words_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_certificate_speaks_where_it_holds),
        cmocka_unit_test(an_unlike_observation_has_no_guarantee),
        cmocka_unit_test(another_width_is_not_what_was_tested),
        cmocka_unit_test(another_temper_is_not_what_was_tested),
        cmocka_unit_test(several_observations_are_not_what_was_tested),
        cmocka_unit_test(lack_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
