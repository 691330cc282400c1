/* Certificates as they are kept in files: what is written is read back. */
#include "trust/certificate.h"

#include <math.h>
#include <string.h>

#include "support.h"

static const char *const calibrated =
    "request: lambda given\n"
    "calibrate:\n  pairs: 40\n  rows: 41\n  fingerprint: 12e4\n"
    "  blind: yes\n  missing: 0.25\n";

static void a_file_of_0_1_0_gives_the_same_text_again(void **state)
{
    bnre_estimator *est = NULL;
    bnre_certificate c;
    char *text = NULL;

    (void)state;
    assert_ok(bnre_estimator_open(TEST_DATA "/0.1.0/trusted.h5", &est));
    assert_ok(bnre_certificate_of(est, &c));
    assert_true(c.given && c.certify.given);
    assert_int_equal(c.kind, BNRE_CERTIFICATE_FRESH);
    assert_int_equal(c.levels, BNRE_DIAG_LEVELS);
    assert_close(c.level[0], 0.05, 1e-12);
    assert_true(c.n > 1 && c.chosen < c.n);
    assert_close(c.candidate[c.chosen].lambda, c.lambda, 0);
    assert_close(c.candidate[c.chosen].temper, c.temper, 0);
    assert_close(c.temper, bnre_estimator_describe(est)->temper, 0);
    assert_true(strstr(bnre_certificate_words(&c), "CERTIFIED") != NULL);
    assert_ok(bnre__certificate_write(&c, &text));
    assert_string_equal(text, bnre_estimator_describe(est)->certificate);
    bnre_free(text);
    bnre_certificate_clear(&c);
    assert_ok(bnre__certificate_of_file(TEST_DATA "/0.1.0/trusted.h5", &c));
    assert_ok(bnre__certificate_write(&c, &text));
    assert_string_equal(text, bnre_estimator_describe(est)->certificate);
    bnre_free(text);
    bnre_certificate_clear(&c);
    bnre_estimator_close(est);
}

static void pairs_alone_certify_nothing(void **state)
{
    bnre_certificate c;
    char *text = NULL;

    (void)state;
    assert_ok(bnre__certificate_read(calibrated, &c));
    assert_true(c.given && !c.certified && !c.select.given);
    assert_int_equal(c.kind, BNRE_CERTIFICATE_NONE);
    assert_int_equal(c.calibrate.use, 40);
    assert_int_equal(c.calibrate.rows, 41);
    assert_true(c.calibrate.blind);
    assert_close(c.calibrate.missing, 0.25, 0);
    assert_true(isnan(c.lambda) && isnan(c.ess));
    assert_non_null(strstr(bnre_certificate_words(&c), "NOT CERTIFIED"));
    assert_ok(bnre__certificate_write(&c, &text));
    assert_string_equal(text, calibrated);
    bnre_free(text);
    bnre_certificate_clear(&c);
}

static void what_is_no_certificate_says_nothing(void **state)
{
    static const char *const texts[] = {
        "held_out: {rows: [3, 4]}\n", "certified: [yes]\nlevels: 3\n",
        "candidates: {a: b}\nselect: 4\ncalibrate: {missing: x}\n",
        "levels: [1, [2], {a: b}]\n"};
    bnre_certificate c;

    (void)state;
    assert_ok(bnre__certificate_read(NULL, &c));
    assert_false(c.given);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_ok(bnre__certificate_read(texts[i], &c));
        assert_int_equal(c.kind, BNRE_CERTIFICATE_NONE);
        assert_false(c.certified);
        assert_int_equal(c.n, 0);
        assert_close(c.calibrate.missing, 0, 0);
        bnre_certificate_clear(&c);
    }
    assert_fails(bnre__certificate_read("{", &c), BNRE_EUSAGE, "certificate");
}

static void a_kind_of_later_versions_is_refused(void **state)
{
    bnre_certificate c;

    (void)state;
    assert_fails(bnre__certificate_read("kind: oracle\ncertified: yes\n", &c),
                 BNRE_EFORMAT, "oracle");
    assert_false(c.given || c.certified);
}

/* What was chosen is told, with the method; files of before do not say it. */
static void the_method_is_kept(void **state)
{
    bnre_certificate c;
    char *text = NULL;

    (void)state;
    assert_ok(bnre__certificate_read("certified: yes\nmethod: bnpe\n", &c));
    assert_string_equal(c.method, "bnpe");
    assert_ok(bnre__certificate_write(&c, &text));
    assert_non_null(strstr(text, "method: bnpe\n"));
    bnre_free(text);
    bnre_certificate_clear(&c);
    assert_ok(bnre__certificate_read("certified: yes\n", &c));
    assert_string_equal(c.method, "");
    assert_ok(bnre__certificate_write(&c, &text));
    assert_null(strstr(text, "method"));
    bnre_free(text);
    bnre_certificate_clear(&c);
}

static bnre_status through_text(void *arg)
{
    static const char *const text = "certified: yes\nwords: so it is\n"
                                    "request: all\nlevels: [0.5]\n"
                                    "candidates: [{lambda: 1, temper: 1}]\n";
    bnre_certificate c;
    bnre_status status = bnre__certificate_read(text, &c);
    char *again = NULL;

    (void)arg;
    if (status == BNRE_OK)
        status = bnre__certificate_write(&c, &again);
    bnre_free(again);
    bnre_certificate_clear(&c);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    (void)state;
    assert_survives_lack_of_memory(through_text, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_0_1_0_gives_the_same_text_again),
        cmocka_unit_test(pairs_alone_certify_nothing),
        cmocka_unit_test(what_is_no_certificate_says_nothing),
        cmocka_unit_test(a_kind_of_later_versions_is_refused),
        cmocka_unit_test(the_method_is_kept),
        cmocka_unit_test(lack_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
