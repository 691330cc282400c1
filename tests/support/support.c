#define _XOPEN_SOURCE 700 /* nftw */
#include "support.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file.h"
#include "num/dist.h"

void assert_floats_agree(size_t n, const float *ours, const float *theirs,
                         double tolerance, const char *format, ...)
{
    double size = 1e-3;
    char what[200];
    va_list args;

    for (size_t i = 0; i < n; i++)
        if (fabs((double)theirs[i]) > size)
            size = fabs((double)theirs[i]);
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)ours[i] - (double)theirs[i]) <= tolerance * size)) {
            print_error("%s[%zu] = %.9g, not %.9g\n", what, i, (double)ours[i],
                        (double)theirs[i]);
            fail();
        }
}

void assert_close_at(double a, double b, double tolerance, const char *what,
                     const char *file, int line)
{
    double size = fabs(b) > 1 ? fabs(b) : 1;

    if (a == b || fabs(a - b) <= tolerance * size)
        return;
    print_error("%s = %.17g, expected %.17g within %g\n", what, a, b,
                tolerance);
    _fail(file, line);
}

void assert_ok_at(bnre_status status, const char *what, const char *file,
                  int line)
{
    if (status == BNRE_OK)
        return;
    print_error("%s: %s (%s)\n", what, bnre_error_message(),
                bnre_status_text(status));
    _fail(file, line);
}

static const char gap[] = " ... ";

int holds_facts(const char *text, const char *facts)
{
    while (text != NULL && *facts != 0) {
        const char *end = strstr(facts, gap);
        const size_t n = end != NULL ? (size_t)(end - facts) : strlen(facts);
        char fact[512];

        assert_true(n < sizeof fact);
        memcpy(fact, facts, n);
        fact[n] = 0;
        text = strstr(text, fact);
        text = text != NULL ? text + n : NULL;
        facts += end != NULL ? n + sizeof gap - 1 : n;
    }
    return text != NULL;
}

int is_told(const char *text, const char *facts)
{
    return strstr(facts, gap) != NULL ? holds_facts(text, facts)
                                      : strcmp(text, facts) == 0;
}

void assert_fails_at(bnre_status status, bnre_status code, const char *text,
                     const char *what, const char *file, int line)
{
    if (status == code && holds_facts(bnre_error_message(), text))
        return;
    print_error("%s: expected \"%s\" with \"%s\", got \"%s\" with \"%s\"\n",
                what, bnre_status_text(code), text, bnre_status_text(status),
                status == BNRE_OK ? "" : bnre_error_message());
    _fail(file, line);
}

void assert_survives_lack_of_memory(bnre_status (*body)(void *arg), void *arg)
{
    for (size_t n = 1;; n++) {
        bnre_status status;
        int failed;

        bnre__alloc_fail_at(n);
        status = body(arg);
        failed = bnre__alloc_failed();
        bnre__alloc_fail_at(0);
        if (!failed) {
            assert_ok(status);
            assert_true(n > 1); /* it did allocate something */
            return;
        }
        assert_fails(status, BNRE_ENOMEM, "no memory");
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double ks_uniform_pvalue(size_t n, double *u)
{
    double distance = 0, p = 0, root = sqrt((double)n), t;

    qsort(u, n, sizeof *u, compare);
    for (size_t i = 0; i < n; i++) {
        double below = u[i] - (double)i / (double)n;
        double above = (double)(i + 1) / (double)n - u[i];

        distance = fmax(distance, fmax(below, above));
    }
    /* Asymptotic law with Stephens' correction for finite n. */
    t = (root + 0.12 + 0.11 / root) * distance;
    if (t < 0.2)
        return 1;
    for (int k = 1; k <= 100; k++)
        p += (k % 2 ? 2 : -2) * exp(-2.0 * k * k * t * t);
    return p < 0 ? 0 : p > 1 ? 1 : p;
}

double chi_square_pvalue(double value, double k)
{
    return 1 - bnre__gamma_cdf(value / 2, k / 2);
}

static char scratch[64];
static pid_t scratch_owner;

static int remove_entry(const char *path, const struct stat *info, int type,
                        struct FTW *where)
{
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

static void remove_scratch(void)
{
    if (getpid() == scratch_owner)
        nftw(scratch, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

size_t number_by_hand(const char *name, size_t usual)
{
    const char *text = getenv(name);

    return text == NULL ? usual : strtoul(text, NULL, 10);
}

const char *scratch_path(const char *name)
{
    static char path[4][256];
    static int turn;

    if (scratch[0] == 0) {
        snprintf(scratch, sizeof scratch, "scratch.XXXXXX");
        assert_non_null(mkdtemp(scratch));
        scratch_owner = getpid();
        atexit(remove_scratch);
    }
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", scratch, name);
    return path[turn];
}

void assert_same_file(const char *a, const char *b)
{
    char *first, *second;
    size_t n, m;

    assert_ok(bnre__file_read_all(a, 1 << 26, &first, &n));
    assert_ok(bnre__file_read_all(b, 1 << 26, &second, &m));
    assert_int_equal(n, m);
    assert_memory_equal(first, second, n);
    bnre__free(second);
    bnre__free(first);
}
