/* support.h - what every test includes: cmocka, closeness, failing memory. */
#ifndef BNRE_TEST_SUPPORT_H
#define BNRE_TEST_SUPPORT_H

/* cmocka wants these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "bnre/status.h"

/* The largest of `theirs` (or 1e-3) is what the tolerance is relative to; the
   format names the array. */
void assert_floats_agree(size_t n, const float *ours, const float *theirs,
                         double tolerance, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* |a - b| <= tolerance max(1, |b|); a NaN is close to nothing. */
#define assert_close(a, b, tolerance)                                          \
    assert_close_at((a), (b), (tolerance), #a, __FILE__, __LINE__)
void assert_close_at(double a, double b, double tolerance, const char *what,
                     const char *file, int line);

/* The call succeeds; its message is shown if not. */
#define assert_ok(call) assert_ok_at((call), #call, __FILE__, __LINE__)
void assert_ok_at(bnre_status status, const char *what, const char *file,
                  int line);

/* Whether `text` holds these facts: "a ... b" is a and, behind it, b, whatever
   is between. */
int holds_facts(const char *text, const char *facts);

/* The same, and without a gap `text` is this from end to end. */
int is_told(const char *text, const char *facts);

/* The call fails with this code and a message that holds these facts. */
#define assert_fails(call, code, text)                                         \
    assert_fails_at((call), (code), (text), #call, __FILE__, __LINE__)
void assert_fails_at(bnre_status status, bnre_status code, const char *text,
                     const char *what, const char *file, int line);

/* Run `body` with its first allocation failing, then its second, ... until it
   gets through. Each failing run must return ENOMEM (leaks are the address
   sanitizer's to find); the last must succeed. */
void assert_survives_lack_of_memory(bnre_status (*body)(void *arg), void *arg);

/* Kolmogorov-Smirnov: P(distance at least as large | u uniform on (0,1)) for n
   values, which are sorted in place. */
double ks_uniform_pvalue(size_t n, double *u);

/* P(chi-square with k degrees of freedom >= value). */
double chi_square_pvalue(double value, double k);

/* How much a slow test looks at: `usual`, or what the variable `name` says when
   it is run by hand. */
size_t number_by_hand(const char *name, size_t usual);

/* A path in a fresh directory below the current one, which is removed when the
   test ends. Static storage, valid until the next call but three. */
const char *scratch_path(const char *name);

void assert_same_file(const char *a, const char *b);

#endif
