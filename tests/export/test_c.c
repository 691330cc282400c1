/* An exported file of C, compiled as C99 with all warnings, says what the
   estimator says: log ratio, gradient, and log density of the prior. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "estimators.h"
#include "export/export.h"
#include "exported.h"
#include "support.h"

enum { POINTS = 40, DIM = 16 };

/* What the file gives. */
struct compiled {
    void *library;
    int (*observe)(const double *x, void *out);
    double (*log_ratio)(const void *of, const double *theta, double *gradient);
    double (*log_prior)(const double *theta, double *gradient);
};

static void *symbol(void *library, const char *name)
{
    return dlsym(library, name);
}

static struct compiled compile(const bnre_estimator *est, const char *name)
{
    const bnre__export_opts opts = {.name = "ratio", .force = 1};
    struct compiled out;
    char file[400], library[400], source[512], command[2048];
    void *at;

    snprintf(source, sizeof source, "%s.c", name);
    snprintf(file, sizeof file, "%s", scratch_path(source));
    snprintf(source, sizeof source, "lib%s.so", name);
    snprintf(library, sizeof library, "%s", scratch_path(source));
    assert_ok(bnre__export_save(est, file, &opts));
    snprintf(command, sizeof command,
             "%s -std=c99 -O1 -ffp-contract=off -Wall -Wextra -Wpedantic "
             "-Wshadow -Werror -fPIC -shared %s -o %s -lm",
             getenv("CC") != NULL ? getenv("CC") : "cc", file, library);
    assert_int_equal(system(command), 0);
    out.library = dlopen(library, RTLD_NOW);
    assert_non_null(out.library);
    at = symbol(out.library, "ratio_observe");
    memcpy(&out.observe, &at, sizeof at);
    at = symbol(out.library, "ratio_log_ratio");
    memcpy(&out.log_ratio, &at, sizeof at);
    at = symbol(out.library, "ratio_log_prior");
    memcpy(&out.log_prior, &at, sizeof at);
    return out;
}

/* Gradients are compared by the size of the largest. */
static void check_ratio(const bnre_estimator *est, const struct compiled *c,
                        const char *name)
{
    const bnre_density q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    static double x[1024], seen[65536];
    double theta[DIM], ours, theirs, d[DIM], g[DIM], size;
    void *session;

    assert_ok(q.open(q.context, &session));
    for (size_t i = 0; i < POINTS; i++) {
        some_theta(est, 1000 + i, theta);
        some_x(est, 1000 + i / 4, x);
        assert_ok(q.observe(session, x));
        assert_ok(q.log_ratio(session, 1, theta, &ours, d));
        assert_true(c->observe(x, seen));
        theirs = c->log_ratio(seen, theta, g);
        size = 1e-2;
        for (size_t j = 0; j < est->info.dim_theta; j++)
            size = fmax(size, fabs(d[j]));
        if (fabs(theirs - ours) > 2e-5 * fmax(1, fabs(ours)))
            fail_msg("%s: %g instead of %g", name, theirs, ours);
        for (size_t j = 0; j < est->info.dim_theta; j++)
            if (fabs(g[j] - d[j]) > 2e-4 * size)
                fail_msg("%s: slope %zu is %g instead of %g", name, j, g[j],
                         d[j]);
        assert_true(c->log_ratio(seen, theta, NULL) == theirs);
    }
    q.close(session);
}

static void check_prior(const bnre_estimator *est, const struct compiled *c)
{
    const bnre_prior *prior = bnre_estimator_prior(est);
    double theta[DIM], g[DIM];

    if (c->log_prior == NULL)
        return;
    for (size_t i = 0; i < POINTS; i++) {
        some_theta(est, 2000 + i, theta);
        assert_close(c->log_prior(theta, g),
                     bnre_prior_log_density(prior, theta), 1e-10);
        for (size_t j = 0; j < est->info.dim_theta; j++) {
            const double keep = theta[j];
            double low, high, h = 1e-6 * fmax(1e-3, fabs(keep)), up, down;

            bnre_prior_support(prior, j, &low, &high);
            if (!(keep - h > low && keep + h < high))
                continue;
            theta[j] = keep + h;
            up = c->log_prior(theta, NULL);
            theta[j] = keep - h;
            down = c->log_prior(theta, NULL);
            theta[j] = keep;
            assert_close(g[j], (up - down) / (2 * h), 1e-4);
        }
    }
    theta[0] = NAN;
    assert_true(c->log_prior(theta, NULL) == -HUGE_VAL);
}

static void the_file_says_what_the_estimator_says(void **state)
{
    bnre_estimator *est;
    const char *name;
    size_t priors = 0, cases = 0;

    (void)state;
    for (; (est = exported_case(cases, &name)) != NULL; cases++) {
        struct compiled c = compile(est, name);
        static double x[1024], seen[1];

        check_ratio(est, &c, name);
        check_prior(est, &c);
        priors += c.log_prior != NULL;
        some_x(est, 0, x);
        x[0] = NAN;
        assert_false(c.observe(x, seen));
        dlclose(c.library);
        bnre_estimator_close(est);
    }
    assert_true(cases >= 11);
    assert_true(priors == cases - 2); /* conditions, and draws */
}

/* Categories, whole numbers and counts beside densities, before and after
   them; with widths and without. */
static void mixed_parameters_are_exported(void **state)
{
    static const char task[] =
        "parameters: {kind: 'categorical(5, 3, 2)', s: 'normal(0, 1)',\n"
        " n: poisson(3), u: 'uniform(0, 1)', i: 'integer(2, 9)',\n"
        " on: bernoulli(0.3), v: 'uniform(-1, 1)'}\nobservable: [3]\n";
    static const char net[] = "head: {hidden: [16, 16], activation: elu}";
    static const char first[] =
        "{head: {hidden: [9], activation: selu}, theta_first: yes}";
    const size_t three = 3;

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        bnre_estimator *est =
            exported_estimator(task, 1, &three, k == 0 ? net : first, 1, 2, 0);
        struct compiled c;

        assert_ok(bnre_estimator_set_widen(est, k == 0 ? 1 : 1.4));
        c = compile(est, k == 0 ? "mixed" : "mixed_first");
        check_ratio(est, &c, "mixed");
        assert_null(c.log_prior);
        assert_fails(bnre__export_save(est, scratch_path("mixed.onnx"), NULL),
                     BNRE_EUSAGE, "ONNX ... C");
        dlclose(c.library);
        bnre_estimator_close(est);
    }
}

static void what_cannot_be_exported_is_refused_in_words(void **state)
{
    static const char net[] = "head: {hidden: [4], activation: elu}";
    const char *file = scratch_path("refused.c");
    const size_t three = 3;
    bnre_estimator *est = NULL;

    (void)state;
    assert_ok(some_estimator_create(EST_CLASSIFIER, &est));
    assert_fails(bnre__export_save(est, file, NULL), BNRE_EUSAGE,
                 "this is a classifier");
    bnre_estimator_close(est);
    est = exported_estimator("parameters: {a: 'gamma(2, 1)'}\n"
                             "observable: [3]\n",
                             1, &three, net, 1, 1, 0);
    assert_fails(bnre__export_save(est, file, NULL), BNRE_EUSAGE,
                 "prior ... gamma(2, 1) ... distribution function cannot ... "
                 "written ... C");
    assert_fails(bnre__export_save(est, "ratio.py", NULL), BNRE_EUSAGE,
                 "ends in .c or .onnx");
    bnre_estimator_close(est);
    est = exported_estimator("parameters: {a: 'uniform(0, 1)', b: 'uniform(0, "
                             "1)'}\nconstraint: [a < b]\nobservable: [3]\n",
                             1, &three, net, 1, 1, 0);
    assert_fails(bnre__export_save(est, file, NULL), BNRE_EUSAGE, "conditions");
    bnre_estimator_close(est);
    est = exported_estimator("parameters: {a: 'cauchy(0, 1)'}\n"
                             "observable: [3]\n",
                             1, &three, net, 1, 1, 0);
    assert_fails(bnre__export_save(est, scratch_path("refused.onnx"), NULL),
                 BNRE_EUSAGE, "export to C");
    assert_fails(bnre__export_save(est, "9.c", NULL), BNRE_EUSAGE,
                 "9 ... names in C");
    assert_ok(bnre__export_save(est, file, NULL));
    assert_fails(bnre__export_save(est, file, NULL), BNRE_EEXIST,
                 "is there already");
    bnre_estimator_close(est);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_says_what_the_estimator_says),
        cmocka_unit_test(mixed_parameters_are_exported),
        cmocka_unit_test(what_cannot_be_exported_is_refused_in_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
