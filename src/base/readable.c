/* readable.c - numbers for people: rounding to digits that mean something,
   groups of three. */
#include "bnre/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    DIGITS = 2,         /* of the spread */
    OWN_DIGITS = 4,     /* of a value that stands alone */
    MOST_PLACES = 6,    /* after the point, of what is below 1, */
    MOST_FRACTION = 12, /* of other numbers, */
    EXACT = 15,         /* digits in all */
    LARGEST = 14,       /* and digits before it, without powers of ten */
    LEAST_GROUPED = 5
};

/* Commas between groups of three digits before the point. */
static void group(const char *digits, size_t least, char out[BNRE_READABLE])
{
    const size_t sign = *digits == '-';
    const size_t whole = strcspn(digits + sign, ".");
    size_t used = 0;

    for (size_t i = 0; digits[i] != 0 && used + 2 < BNRE_READABLE; i++) {
        if (i > sign && i < sign + whole && whole >= least &&
            (sign + whole - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = 0;
}

const char *bnre_readable_count(size_t n, char out[BNRE_READABLE])
{
    char digits[24];

    snprintf(digits, sizeof digits, "%zu", n);
    group(digits, 1, out);
    return out;
}

/* The power of ten of the first digit, after rounding to `digits` of them. */
static int exponent_of(double value, int digits)
{
    const int power = (int)floor(log10(fabs(value)));

    return power +
           (fabs(value) >= (10 - 5 * pow(10, -digits)) * pow(10, power));
}

/* "4.5e-12": without the sign and zeros that printf puts before 12. */
static void write_power(double value, int places, char out[BNRE_READABLE])
{
    char *at;

    snprintf(out, BNRE_READABLE, "%.*e", places, value);
    at = strchr(out, 'e');
    if (at == NULL)
        return;
    at += at[1] == '-' ? 2 : 1;
    memmove(at, at + strspn(at, "+0"), strlen(at + strspn(at, "+0")) + 1);
}

const char *bnre_readable_real(double value, double spread,
                               char out[BNRE_READABLE])
{
    const int alone = !(fabs(spread) > 0) || isinf(spread);
    int last, first; /* powers of ten of the digits to be shown */
    char digits[BNRE_READABLE];

    if (isnan(value) || isinf(value)) {
        snprintf(out, BNRE_READABLE, "%s",
                 isnan(value) ? BNRE_READABLE_NONE
                 : value > 0  ? "inf"
                              : "-inf");
        return out;
    }
    if (value == 0 && alone) {
        snprintf(out, BNRE_READABLE, "0");
        return out;
    }
    last = alone ? exponent_of(value, OWN_DIGITS) + 1 - OWN_DIGITS
                 : exponent_of(spread, DIGITS) + 1 - DIGITS;
    if (value != 0 && fabs(value) < 0.5 * pow(10, last))
        value = 0;
    if (last > 0 && last < LARGEST) /* digits before the point mean nothing */
        value = round(value / pow(10, last)) * pow(10, last);
    first = value == 0 ? last : exponent_of(value, 15);
    if (first - last >= EXACT) /* a double has no more */
        last = first - EXACT + 1;
    if (first >= LARGEST || last < -MOST_FRACTION ||
        (last < -MOST_PLACES && first < 0)) {
        if (value == 0)
            snprintf(out, BNRE_READABLE, "0");
        else
            write_power(value, first > last ? first - last : 0, out);
        return out;
    }
    snprintf(digits, sizeof digits, "%.*f", last < 0 ? -last : 0, value + 0.0);
    group(digits, LEAST_GROUPED, out);
    return out;
}

const char *bnre_readable_p(double p, char out[BNRE_READABLE])
{
    if (isnan(p))
        snprintf(out, BNRE_READABLE, BNRE_READABLE_NONE);
    else if (p < 0.001)
        snprintf(out, BNRE_READABLE, "< 0.001");
    else
        snprintf(out, BNRE_READABLE, "%.*f",
                 p < 0.00995  ? 4
                 : p < 0.0995 ? 3
                              : 2,
                 p);
    return out;
}

const char *bnre_readable_p_words(double p, char out[BNRE_READABLE])
{
    char number[BNRE_READABLE];

    if (isnan(p))
        snprintf(out, BNRE_READABLE, "p is not known");
    else if (p < 0.001)
        snprintf(out, BNRE_READABLE, "p < 0.001");
    else
        snprintf(out, BNRE_READABLE, "p = %.40s", bnre_readable_p(p, number));
    return out;
}
