/* number.c - decimal numbers c 10^k with c < 2^64 and small k are converted
   with one or two operations in the 80-bit format of x87, whose 11 bits more
   than a double show whether the rounding is beyond doubt. The few doubtful
   cases, extreme exponents, and other machines take the C library's way. */
#include "base/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_DIGITS = 19,   /* that always fit 64 bits */
    MAX_TEXT = 1100,   /* characters of what is taken for a number */
    EXACT = 27,        /* 10^27 = 5^27 2^27, and 5^27 < 2^64 */
    REACH = 2 * EXACT, /* in two steps */
    DOUBT = 2,         /* error of two steps, in units of the last of 64 bits */
    CLAMP = 1000000,   /* exponents beyond are all the same */
    FIXED_FROM = -4,   /* 0.0001 rather than 1e-04 */
    FIXED_BELOW = 16,  /* 1e+16 rather than 10000000000000000 */
};

#if LDBL_MANT_DIG == 64 && (defined(__x86_64__) || defined(__i386__))

static const long double power[EXACT + 1] = {
    1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
    1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
    1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

/* value 10^k for |k| <= REACH, with a relative error below 2^-63. */
static long double scale(long double value, int k)
{
    int steps = k < 0 ? -k : k;
    int first = steps < EXACT ? steps : EXACT;

    if (k < 0)
        return value / power[first] / power[steps - first];
    return value * power[first] * power[steps - first];
}

/* The double nearest to c 10^k; 0 if this cannot tell. */
static int compose(uint64_t c, int k, double *out)
{
    long double value;
    uint64_t bits;
    int beyond;

    if (k < -REACH || k > REACH)
        return 0;
    value = scale((long double)c, k);
    memcpy(&bits, &value, sizeof bits);
    beyond = (int)(bits & 0x7ff) - 0x400; /* distance from half a unit */
    if (c != 0 && beyond >= -DOUBT && beyond <= DOUBT)
        return 0;
    *out = (double)value;
    return 1;
}

/* value = m 10^-k with 17 digits in front of the point of m = whole + part,
   part to within 1/50; 0 if out of reach. value > 0. */
static int decompose(double value, uint64_t *whole, double *part, int *k)
{
    long double scaled;
    int exponent, decimal;

    if (value < 0x1p-120 || value > 0x1p120)
        return 0;
    frexp(value, &exponent);
    /* log10(2) = 0.30103; at most one too small. */
    decimal = (int)floor((exponent - 1) * 0.30102999566398119521);
    scaled = scale((long double)value, 16 - decimal);
    if (scaled >= 1e17L)
        scaled = scale((long double)value, 16 - ++decimal);
    *whole = (uint64_t)scaled;
    *part = (double)(scaled - (long double)*whole);
    *k = 16 - decimal;
    return *whole >= 10000000000000000u && *whole < 100000000000000000u;
}

#else

static int compose(uint64_t c, int k, double *out)
{
    (void)c;
    (void)k;
    (void)out;
    return 0;
}

static int decompose(double value, uint64_t *whole, double *part, int *k)
{
    (void)value;
    (void)whole;
    (void)part;
    (void)k;
    return 0;
}

#endif

/* Make this thread's functions of the C library use a decimal point. */
static locale_t plain_locale(locale_t *plain)
{
    *plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return *plain == (locale_t)0 ? (locale_t)0 : uselocale(*plain);
}

static void restore_locale(locale_t old, locale_t plain)
{
    if (plain == (locale_t)0)
        return;
    uselocale(old);
    freelocale(plain);
}

/* Digits of a number as it stands in the text, with at most one point. */
struct digits {
    const char *first, *last;
    uint64_t c; /* the leading ones */
    int k;      /* their value is c 10^k, */
    int cut;    /* were it not for those left out */
    int any;
};

static const char *scan_digits(const char *at, const char *end,
                               struct digits *out)
{
    int count = 0, point = 0;

    memset(out, 0, sizeof *out);
    out->first = at;
    for (; at < end; at++) {
        unsigned digit = (unsigned)(unsigned char)*at - '0';

        if (digit > 9) {
            if (*at != '.' || point)
                break;
            point = 1;
            continue;
        }
        out->any = 1;
        if (count < MAX_DIGITS) {
            out->c = 10 * out->c + digit;
            count += out->c != 0; /* zeros in front are free */
            out->k -= point;
        } else {
            out->cut |= digit != 0;
            if (!point && out->k < CLAMP)
                out->k++;
        }
    }
    out->last = at;
    return out->any && at - out->first <= MAX_TEXT ? at : NULL;
}

/* "e+05" or nothing: without digits the letter is no part of the number. */
static const char *scan_exponent(const char *at, const char *end, int *out)
{
    const char *start = at;
    int value = 0, negative = 0;

    *out = 0;
    if (at == end || (*at != 'e' && *at != 'E' && *at != 'd' && *at != 'D'))
        return start;
    at++;
    if (at < end && (*at == '+' || *at == '-'))
        negative = *at++ == '-';
    if (at == end || *at < '0' || *at > '9')
        return start;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        if (value < CLAMP)
            value = 10 * value + (*at - '0');
    *out = negative ? -value : value;
    return at;
}

static double read_slowly(const struct digits *digits, int exponent)
{
    char text[MAX_TEXT + 16];
    size_t n = (size_t)(digits->last - digits->first);
    locale_t old, plain;
    double value;

    memcpy(text, digits->first, n);
    snprintf(text + n, sizeof text - n, "e%d", exponent);
    old = plain_locale(&plain);
    value = strtod(text, NULL);
    restore_locale(old, plain);
    return value;
}

static const char *scan_word(const char *at, const char *end, const char *word)
{
    for (; *word != 0; at++, word++)
        if (at == end || (*at | 0x20) != *word)
            return NULL;
    return at;
}

static const char *scan_special(const char *at, const char *end, double *out)
{
    const char *after, *longer;

    *out = NAN;
    after = scan_word(at, end, "nan");
    if (after != NULL)
        return after;
    *out = INFINITY;
    after = scan_word(at, end, "inf");
    longer = scan_word(at, end, "infinity");
    return longer != NULL ? longer : after;
}

const char *bnre__number_scan(const char *text, const char *end, double *out)
{
    const char *at = text;
    struct digits digits;
    int negative = 0, exponent;
    double value;

    if (at < end && (*at == '+' || *at == '-'))
        negative = *at++ == '-';
    text = at;
    at = scan_digits(at, end, &digits);
    if (at == NULL) {
        at = scan_special(text, end, &value);
        if (at == NULL)
            return NULL;
    } else {
        at = scan_exponent(at, end, &exponent);
        if (digits.cut || !compose(digits.c, digits.k + exponent, &value))
            value = read_slowly(&digits, exponent);
    }
    *out = negative ? -value : value;
    return at;
}

/* "e+05", "e-310" and a 0; gives where the 0 is. */
static char *put_exponent(int value, char *to)
{
    unsigned size = (unsigned)(value < 0 ? -value : value);

    *to++ = 'e';
    *to++ = value < 0 ? '-' : '+';
    if (size >= 100)
        *to++ = (char)('0' + size / 100);
    *to++ = (char)('0' + size / 10 % 10);
    *to++ = (char)('0' + size % 10);
    *to = 0;
    return to;
}

/* Write c 10^k as people do. c has at most 17 digits. */
static size_t lay_out(uint64_t c, int k, char *out)
{
    char digits[24], *to = out;
    int n = 0, leading;

    for (; c != 0 && c % 10 == 0; c /= 10)
        k++;
    for (; c != 0 || n == 0; c /= 10)
        digits[n++] = (char)('0' + c % 10); /* the last one first */
    leading = k + n - 1;
    if (leading < FIXED_FROM || leading >= FIXED_BELOW) {
        *to++ = digits[--n];
        if (n > 0)
            *to++ = '.';
        while (n > 0)
            *to++ = digits[--n];
        return (size_t)(put_exponent(leading, to) - out);
    }
    if (leading < 0) {
        memcpy(to, "0.000", 5);
        to += 1 - leading;
    }
    while (n > 0) {
        *to++ = digits[--n];
        if (leading-- == 0 && n > 0)
            *to++ = '.';
    }
    for (; leading >= 0; leading--)
        *to++ = '0';
    *to = 0;
    return (size_t)(to - out);
}

/* The nearest decimal with 15, 16 or 17 digits: fewer need no attempt of their
   own, since a double that is nearest to one of up to 15 digits gives that one
   back, with zeros at its end. 0 if this cannot tell. */
static size_t format_fast(double value, char *out)
{
    uint64_t whole;
    double part;
    int k;

    if (!decompose(value, &whole, &part, &k))
        return 0;
    for (unsigned unit = 100; unit > 0; unit /= 10) {
        uint64_t c = whole / unit;
        double rest = (double)(whole % unit) + part - unit / 2.0, back;
        int dropped = unit == 100 ? 2 : unit == 10;

        if (fabs(rest) < 0.02)
            return 0;
        c += rest > 0;
        if (!compose(c, dropped - k, &back))
            return 0;
        if (back == value)
            return lay_out(c, dropped - k, out);
    }
    return 0;
}

static size_t format_slowly(double value, char *out)
{
    /* The argument about 15 digits fails where doubles have fewer. */
    int digits = value < DBL_MIN ? 1 : 15;
    char text[BNRE__NUMBER_ROOM];
    struct digits found;
    locale_t old, plain;
    int exponent = 0;

    old = plain_locale(&plain);
    for (; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, value);
        if (strtod(text, NULL) == value)
            break;
    }
    restore_locale(old, plain);
    scan_exponent(scan_digits(text, text + strlen(text), &found),
                  text + strlen(text), &exponent);
    return lay_out(found.c, found.k + exponent, out);
}

size_t bnre__number_format(double value, char out[BNRE__NUMBER_ROOM])
{
    size_t sign = signbit(value) != 0, n;

    if (isnan(value))
        return (size_t)snprintf(out, BNRE__NUMBER_ROOM, "nan");
    if (sign)
        *out++ = '-';
    value = fabs(value);
    if (isinf(value)) {
        memcpy(out, "inf", 4);
        return sign + 3;
    }
    if (value == 0)
        return sign + lay_out(0, 0, out);
    n = format_fast(value, out);
    return sign + (n > 0 ? n : format_slowly(value, out));
}
