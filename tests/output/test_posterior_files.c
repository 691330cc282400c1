/* A posterior in files: what they hold, and when they are refused. */
#include "bnre/posterior_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "densities.h"
#include "io/csv.h"
#include "io/h5.h"
#include "io/json.h"
#include "io/npy.h"
#include "support.h"

struct setting {
    bnre_prior *prior;
    bnre_density density;
    bnre_session *session;
    bnre_posterior *posterior;
    bnre_posterior_files files;
    char directory[300];
};

static void set_up(struct setting *s, size_t dim, bnre_sampler method,
                   const char *name)
{
    const double x[] = {0.5f, -0.5f, 1, 0};
    bnre_posterior_opts opts = bnre_posterior_opts_default();

    s->prior = prior_of(dim, "normal(0, 1)");
    s->density = gaussian_density(s->prior);
    s->session = session_for(&s->density, 1, x);
    opts.sampler = method;
    opts.grid = method == BNRE_SAMPLER_GRID ? 40 : 0;
    opts.bank = 2000;
    opts.walkers = 256;
    opts.chains = 32;
    opts.draws = 500;
    assert_ok(bnre_posterior_compute(s->session, &opts, &s->posterior));
    snprintf(s->directory, sizeof s->directory, "%s", scratch_path(name));
    mkdir(s->directory, 0777);
    s->files = bnre_posterior_files_default();
    s->files.directory = s->directory;
    s->files.samples = 500;
    s->files.formats = "";
}

static void tear_down(struct setting *s)
{
    bnre_posterior_destroy(s->posterior);
    bnre_session_close(s->session);
    bnre_prior_destroy(s->prior);
}

static const char *inside(const struct setting *s, const char *name)
{
    static char path[2][400];
    static int turn;

    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", s->directory, name);
    return path[turn];
}

static const bnre__json *find(const bnre__json *root, const char *list,
                              size_t i, const char *key)
{
    return bnre__json_find(bnre__json_at(bnre__json_find(root, list), i), key);
}

static void numbers_are_those_of_the_posterior(void **state)
{
    const double truth[] = {0.25, -0.25};
    bnre_region region[3];
    bnre_summary summary[2];
    bnre__json *root = NULL;
    struct setting s;

    (void)state;
    set_up(&s, 2, BNRE_SAMPLER_GRID, "numbers");
    s.files.truth = truth;
    assert_ok(bnre_posterior_save(s.posterior, s.session, &s.files, NULL));
    assert_ok(bnre__json_read(inside(&s, "posterior.json"), &root));
    assert_ok(bnre_posterior_summary(s.posterior, summary));
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(
            bnre__json_as_text(find(root, "parameters", i, "name")),
            bnre_prior_name(s.prior, i));
        assert_close(bnre__json_as_real(find(root, "parameters", i, "mean")),
                     summary[i].mean, 1e-12);
        assert_close(bnre__json_as_real(find(root, "parameters", i, "mode")),
                     summary[i].mode, 1e-12);
        assert_close(bnre__json_as_real(bnre__json_at(
                         find(root, "parameters", i, "central_95"), 1)),
                     summary[i].high95, 1e-12);
        assert_close(bnre__json_as_real(find(root, "parameters", i, "truth")),
                     truth[i], 1e-12);
    }
    assert_ok(bnre_posterior_regions(s.posterior, 3, s.files.level, region));
    for (size_t c = 0; c < 3; c++) {
        assert_close(bnre__json_as_real(find(root, "regions", c, "volume")),
                     region[c].volume, 1e-12);
        assert_close(bnre__json_as_real(find(root, "regions", c, "parts")), 1,
                     0);
    }
    /* at the mean nothing is denser */
    assert_true(bnre__json_as_real(bnre__json_find(root, "truth_in_region")) <
                0.02);
    assert_string_equal(bnre__json_as_text(bnre__json_find(root, "method")),
                        "grid");
    bnre__json_destroy(root);
    tear_down(&s);
}

static void intervals_are_told_for_one_parameter(void **state)
{
    bnre__json *root = NULL;
    const bnre__json *interval;
    struct setting s;

    (void)state;
    set_up(&s, 1, BNRE_SAMPLER_AUTO, "interval");
    assert_ok(bnre_posterior_save(s.posterior, s.session, &s.files, NULL));
    assert_ok(bnre__json_read(inside(&s, "posterior.json"), &root));
    interval = bnre__json_at(find(root, "regions", 1, "intervals"), 0);
    assert_close(bnre__json_as_real(bnre__json_at(interval, 0)),
                 0.25 - 1.9954 * sqrt(0.5), 3e-3);
    assert_close(bnre__json_as_real(bnre__json_at(interval, 1)),
                 0.25 + 1.9954 * sqrt(0.5), 3e-3);
    bnre__json_destroy(root);
    tear_down(&s);
}

/* Draws are the same in all three files; the density integrates to 1. */
static void arrays_hold_draws_and_density(void **state)
{
    static double npy_draws[1000], h5_draws[1000], density[1600], axis[2][40];
    bnre__csv csv;
    bnre__npy *npy = NULL;
    bnre__h5 *h5 = NULL;
    bnre__h5_array *array = NULL;
    struct setting s;

    (void)state;
    set_up(&s, 2, BNRE_SAMPLER_GRID, "arrays");
    assert_ok(bnre_posterior_save(s.posterior, s.session, &s.files, NULL));
    assert_ok(bnre__csv_read(inside(&s, "samples.csv"), &csv));
    assert_int_equal(csv.rows, 500);
    assert_string_equal(csv.name[1], "b");
    assert_ok(bnre__npy_open(inside(&s, "samples.npy"), &npy));
    assert_int_equal(bnre__npy_describe(npy)->row_size, 2);
    assert_ok(bnre__npy_read_f64(npy, 0, 500, npy_draws));
    bnre__npy_close(npy);
    assert_memory_equal(csv.data, npy_draws, sizeof npy_draws);
    bnre__csv_clear(&csv);
    assert_ok(bnre__h5_open(inside(&s, "posterior.h5"), &h5));
    assert_ok(bnre__h5_array_open(h5, "theta", &array));
    assert_ok(bnre__h5_array_read(array, 'f', 8, 0, 500, h5_draws));
    bnre__h5_array_close(array);
    assert_memory_equal(h5_draws, npy_draws, sizeof npy_draws);
    assert_ok(bnre__h5_array_open(h5, "density", &array));
    assert_ok(bnre__h5_array_read(array, 'f', 8, 0, 40, density));
    bnre__h5_array_close(array);
    for (size_t i = 0; i < 2; i++) {
        assert_ok(
            bnre__h5_array_open(h5, i == 0 ? "axis_0" : "axis_1", &array));
        assert_ok(bnre__h5_array_read(array, 'f', 8, 0, 40, axis[i]));
        bnre__h5_array_close(array);
    }
    bnre__h5_close(h5);
    for (size_t i = 0; i < 40; i++)
        for (size_t j = 0; j < 40; j++) {
            const double a = (axis[0][i] - 0.25) * sqrt(2);
            const double b = (axis[1][j] + 0.25) * sqrt(2);

            assert_close(density[i * 40 + j],
                         exp(-(a * a + b * b) / 2) / acos(-1), 3e-3);
        }
    tear_down(&s);
}

static void chains_tell_whether_they_converged(void **state)
{
    bnre__json *root = NULL;
    struct setting s;

    (void)state;
    set_up(&s, 4, BNRE_SAMPLER_CHAIN, "chains");
    assert_ok(bnre_posterior_save(s.posterior, s.session, &s.files, NULL));
    assert_ok(bnre__json_read(inside(&s, "posterior.json"), &root));
    assert_true(bnre__json_as_flag(
        bnre__json_find(bnre__json_find(root, "chains"), "converged")));
    assert_true(bnre__json_as_real(find(root, "parameters", 3, "rhat")) < 1.02);
    assert_true(bnre__json_as_real(find(root, "parameters", 3, "ess_tail")) >
                100);
    bnre__json_destroy(root);
    tear_down(&s);
}

static int has_gnuplot(void)
{
    return system("gnuplot --version >/dev/null 2>&1") == 0;
}

/* From one parameter to eleven, which take two pages and one of all. */
static void pictures_are_drawn(void **state)
{
    static const size_t dims[] = {1, 2, 4, 11};
    static const double wide[] = {0.5, 0.9, 0.99, 0.2};

    (void)state;
    if (!has_gnuplot())
        skip();
    for (size_t d = 0; d < 4; d++) {
        const double truth[11] = {0.1};
        double x[11] = {0.5f};
        char name[32];
        struct setting s;
        bnre_posterior_opts opts = bnre_posterior_opts_default();
        struct stat info;
        int drawn = 0;

        snprintf(name, sizeof name, "picture%zu", d);
        set_up(&s, dims[d] < 4 ? dims[d] : 4, BNRE_SAMPLER_BANK, name);
        if (dims[d] > 4) {
            tear_down(&s);
            s.prior = prior_of(dims[d], "normal(0, 1)");
            s.density = gaussian_density(s.prior);
            s.session = session_for(&s.density, 1, x);
            opts.sampler = BNRE_SAMPLER_BANK;
            opts.bank = 500;
            assert_ok(bnre_posterior_compute(s.session, &opts, &s.posterior));
        }
        s.files.formats = "svg";
        s.files.truth = d % 2 ? truth : NULL;
        s.files.levels = 4;
        s.files.level = wide;
        assert_ok(
            bnre_posterior_save(s.posterior, s.session, &s.files, &drawn));
        assert_true(drawn);
        assert_int_equal(stat(inside(&s, "corner.svg"), &info), 0);
        assert_true(info.st_size > 5000);
        assert_int_equal(stat(inside(&s, "corner-2.svg"), &info) == 0,
                         dims[d] > 8);
        assert_int_equal(stat(inside(&s, "corner-marginals.svg"), &info) == 0,
                         dims[d] > 8);
        tear_down(&s);
    }
}

static int script_has(const struct setting *s, const char *words)
{
    static char script[1 << 16];
    FILE *file = fopen(inside(s, "corner.gp"), "r");

    assert_non_null(file);
    script[fread(script, 1, sizeof script - 1, file)] = 0;
    fclose(file);
    return strstr(script, words) != NULL;
}

/* By the level that was asked for, not by the mass that it took; numbers are
   those of the levels all the same. */
static void regions_are_called_by_their_level_and_kind(void **state)
{
    const bnre_contour contour[] = {{0.5, 0.5, 0},
                                    {0.683, 0.683, 0},
                                    {0.4, 0.5, 1},
                                    {0.9, 0.683, 1},
                                    {1, 0.999, 1}};
    const double level[] = {0.5, 0.683};
    bnre__json *root = NULL;
    struct setting s;

    (void)state;
    for (size_t dim = 1; dim <= 3; dim++) {
        set_up(&s, dim, BNRE_SAMPLER_GRID, dim == 1 ? "kind1" : "kinds");
        s.files.force = 1;
        s.files.formats = dim == 2 ? "svg" : "";
        s.files.levels = 2;
        s.files.level = level;
        assert_ok(bnre_posterior_save(s.posterior, s.session, &s.files, NULL));
        assert_true(script_has(&s, "'68.3 %'"));
        assert_false(script_has(&s, "nominal"));
        s.files.contour = contour;
        s.files.contours = 5;
        assert_ok(bnre_posterior_save(s.posterior, s.session, &s.files, NULL));
        assert_true(script_has(&s, "'50 % nominal'"));
        assert_true(script_has(&s, "'68.3 % nominal'"));
        assert_true(script_has(&s, "'50 % conformal'"));
        assert_true(script_has(&s, "'68.3 % conformal'"));
        assert_true(script_has(&s, "'99.9 % conformal: all'"));
        assert_true(script_has(&s, "dashtype (9,6)"));
        /* Of one colour, gnuplot's SVG would draw them all alike. */
        assert_true(script_has(&s, "'#222222'\nset label"));
        assert_true(script_has(&s, "'#232323'\nset label"));
        assert_false(script_has(&s, "'90 %"));
        assert_int_equal(script_has(&s, "guaranteed jointly"), dim > 1);
        assert_ok(bnre__json_read(inside(&s, "posterior.json"), &root));
        assert_int_equal(bnre__json_count(bnre__json_find(root, "regions")), 2);
        assert_close(bnre__json_as_real(find(root, "regions", 1, "level")),
                     0.683, 1e-12);
        bnre__json_destroy(root);
        s.files.contour = contour + 2;
        s.files.contours = 2;
        s.files.note = "no guarantee\nfor this one";
        assert_ok(bnre_posterior_save(s.posterior, s.session, &s.files, NULL));
        assert_true(script_has(&s, "'50 % conformal'"));
        assert_false(script_has(&s, "dashtype (9,6)")); /* filled */
        assert_true(script_has(&s, "for this one"));
        assert_false(script_has(&s, "guaranteed jointly"));
        tear_down(&s);
    }
}

/* The numbers above a panel are the ends of what is dark in it. */
static void titles_tell_what_is_shaded(void **state)
{
    const double x = -0.001f;
    const double level = 0.9;
    bnre_posterior_opts opts = bnre_posterior_opts_default();
    struct setting s;

    (void)state;
    set_up(&s, 1, BNRE_SAMPLER_GRID, "sign");
    bnre_posterior_destroy(s.posterior);
    bnre_session_close(s.session);
    s.session = session_for(&s.density, 1, &x);
    assert_ok(bnre_posterior_compute(s.session, &opts, &s.posterior));
    assert_ok(bnre_posterior_save(s.posterior, s.session, &s.files, NULL));
    assert_true(script_has(&s, "set label '−0.71 to 0.71' at"));
    assert_true(script_has(&s, "numbers: 68.3 %,"));
    s.files.force = 1;
    s.files.level = &level;
    s.files.levels = 1;
    assert_ok(bnre_posterior_save(s.posterior, s.session, &s.files, NULL));
    assert_true(script_has(&s, "set label '−1.2 to 1.2' at"));
    assert_true(script_has(&s, "numbers: 90 %,"));
    tear_down(&s);
}

static void a_choice_is_shown(void **state)
{
    struct stat info;
    char *words = NULL;
    struct setting s;

    (void)state;
    set_up(&s, 4, BNRE_SAMPLER_BANK, "choice");
    s.files.show = "d, a";
    assert_ok(bnre_posterior_pictures(&s.files, s.prior, &words));
    assert_string_equal(words, "corner.gp: d, a; corner-marginals.gp: all 4 "
                               "parameters, one by one");
    bnre_free(words);
    assert_ok(bnre_posterior_save(s.posterior, s.session, &s.files, NULL));
    assert_true(script_has(&s, "set label 'd' at"));
    assert_false(script_has(&s, "set label 'b' at"));
    assert_int_equal(stat(inside(&s, "corner-marginals.gp"), &info), 0);
    s.files.force = 1;
    s.files.show = NULL; /* what is no more, goes */
    assert_ok(bnre_posterior_save(s.posterior, s.session, &s.files, NULL));
    assert_true(script_has(&s, "set label 'b' at"));
    assert_true(stat(inside(&s, "corner-marginals.gp"), &info) != 0);
    s.files.show = "a,e";
    assert_fails(bnre_posterior_save(s.posterior, s.session, &s.files, NULL),
                 BNRE_EUSAGE, "there is no parameter \"e\" to show");
    s.files.show = "a,,b";
    assert_fails(bnre_posterior_save(s.posterior, s.session, &s.files, NULL),
                 BNRE_EUSAGE, "names ... parameters");
    s.files.show = "a,b,a";
    assert_fails(bnre_posterior_save(s.posterior, s.session, &s.files, NULL),
                 BNRE_EUSAGE, "a ... shown twice");
    tear_down(&s);
}

static void nothing_is_written_where_something_is_wrong(void **state)
{
    const double outside[] = {0, HUGE_VAL}, wrong[] = {0.5, 1};
    const bnre_contour empty = {.level = 0.5};
    struct stat info;
    struct setting s;

    (void)state;
    set_up(&s, 2, BNRE_SAMPLER_GRID, "wrong");
    s.files.truth = outside;
    assert_fails(bnre_posterior_save(s.posterior, s.session, &s.files, NULL),
                 BNRE_EUSAGE, "truth ... b = inf, outside ... support");
    s.files.truth = NULL;
    s.files.formats = "svg,gif";
    assert_fails(bnre_posterior_save(s.posterior, s.session, &s.files, NULL),
                 BNRE_EUSAGE, "format ... 'gif'");
    s.files.formats = "";
    s.files.samples = 0;
    assert_fails(bnre_posterior_save(s.posterior, s.session, &s.files, NULL),
                 BNRE_EUSAGE, "no samples");
    s.files.samples = 10;
    s.files.levels = 2;
    s.files.level = wrong;
    assert_fails(bnre_posterior_save(s.posterior, s.session, &s.files, NULL),
                 BNRE_EUSAGE, "level 1: expected");
    s.files.contour = &empty;
    s.files.contours = s.files.levels = 1;
    assert_fails(bnre_posterior_save(s.posterior, s.session, &s.files, NULL),
                 BNRE_EUSAGE, "holds 0 of the posterior");
    s.files.contour = NULL;
    s.files.levels = 1;
    assert_true(stat(inside(&s, "posterior.json"), &info) != 0);
    assert_ok(bnre_posterior_save(s.posterior, s.session, &s.files, NULL));
    assert_fails(bnre_posterior_save(s.posterior, s.session, &s.files, NULL),
                 BNRE_EEXIST, "posterior.json ... already");
    s.files.force = 1;
    assert_ok(bnre_posterior_save(s.posterior, s.session, &s.files, NULL));
    s.files.directory = "no/such/place";
    assert_fails(bnre_posterior_save(s.posterior, s.session, &s.files, NULL),
                 BNRE_EIO, "no/such/place");
    tear_down(&s);
}

/* Allocations fail one by one at first, then here and there among the
   thousands that lines of a table make. */
static void lack_of_memory_is_survived(void **state)
{
    struct setting s;
    int failed = 1;

    (void)state;
    set_up(&s, 1, BNRE_SAMPLER_BANK, "memory");
    s.files.force = 1;
    s.files.samples = 3;
    for (size_t n = 1; failed; n += n < 60 ? 1 : 397) {
        bnre_status status;

        bnre__alloc_fail_at(n);
        status = bnre_posterior_save(s.posterior, s.session, &s.files, NULL);
        failed = bnre__alloc_failed();
        bnre__alloc_fail_at(0);
        assert_int_equal(status, failed ? BNRE_ENOMEM : BNRE_OK);
    }
    tear_down(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_the_posterior),
        cmocka_unit_test(intervals_are_told_for_one_parameter),
        cmocka_unit_test(arrays_hold_draws_and_density),
        cmocka_unit_test(chains_tell_whether_they_converged),
        cmocka_unit_test(pictures_are_drawn),
        cmocka_unit_test(regions_are_called_by_their_level_and_kind),
        cmocka_unit_test(titles_tell_what_is_shaded),
        cmocka_unit_test(a_choice_is_shown),
        cmocka_unit_test(nothing_is_written_where_something_is_wrong),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
