/* scaler.h - from the units of a problem to numbers a network likes.

   Each column of a table gets a location and a scale, robust against tails:
   median and interquartile range / 1.349, the standard deviation of a normal
   law. A column may take logarithms first, and asinh afterwards where values
   lie far out:

     z = (v - location) / scale,   v = value or log(value)
     result = z or asinh(z)

   asinh is the identity near 0 and a logarithm far out. */
#ifndef BNRE_DATA_SCALER_H
#define BNRE_DATA_SCALER_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/status.h"

/* Which elements of a row share their constants. */
typedef enum bnre__scale_by {
    BNRE__SCALE_NONE,    /* values pass unchanged, but for declared logs */
    BNRE__SCALE_ELEMENT, /* none */
    BNRE__SCALE_CHANNEL, /* those with the same index of the first axis */
    BNRE__SCALE_FEATURE  /* those with the same index of the last axis */
} bnre__scale_by;

enum {
    BNRE__SCALED_LOG = 1,     /* the logarithm first */
    BNRE__SCALED_ASINH = 2,   /* asinh afterwards */
    BNRE__SCALED_CONSTANT = 4 /* all values were equal: scale 1 */
};

typedef struct bnre__scaler {
    size_t size;    /* numbers of a row */
    size_t columns; /* with constants of their own; 0 = the identity */
    size_t inner;   /* element j is in column (j / inner) % columns */
    double *location, *scale; /* (columns) */
    uint8_t *flags;           /* (columns) */

    /* In place of constants, a function of a row; NULL = none. It is not kept
       in files: who opens one sets it again. It has no slopes. */
    void (*map)(const void *context, const double *row, float *out);
    const void *context;
} bnre__scaler;

typedef struct bnre__scaler_spec {
    bnre__scale_by by;
    size_t ndim;
    const size_t *shape;     /* (ndim) of a row */
    const uint8_t *log;      /* (elements of a row): nonzero = take logs; NULL =
                                none. Elements of a column must agree. */
    const uint8_t *plain;    /* (elements): nonzero = values pass unchanged,
                                being names of something; NULL = none. Only
                                where elements share nothing. */
    const char *const *name; /* (elements), for messages; NULL = x[3] */
} bnre__scaler_spec;

/* A fit looks at no more than this many rows, evenly spread over those there
   are; who cannot hold all in memory may give as few. */
enum { BNRE__SCALER_ROWS = 16384 };

/* How many of n rows of this size are looked at: fewer where they are long. Row
   i of these is row i * n / (their number). */
size_t bnre__scaler_rows(size_t n, size_t size);

/* Fit to n rows, of doubles or of floats. Nothing is drawn at random. What the
   scaler was before is dropped; the first time it is {0}.
   Errors: EINVAL for n = 0, or where elements of a column disagree about
   logarithms; ENUM with element and row for a value among those looked at that
   is not finite, or not above 0 where its logarithm is taken; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__scaler_fit_f64(bnre__scaler *scaler,
                                                 const bnre__scaler_spec *spec,
                                                 size_t n, const double *rows);
BNRE_MUST_CHECK bnre_status bnre__scaler_fit_f32(bnre__scaler *scaler,
                                                 const bnre__scaler_spec *spec,
                                                 size_t n, const float *rows);
/* The identity for rows of this size. */
void bnre__scaler_set_none(bnre__scaler *scaler, size_t size);
void bnre__scaler_clear(bnre__scaler *scaler);

/* n rows to out (n, size); in place is fine for floats. slope (n, size), unless
   NULL, receives d out / d in. Results are finite for finite values: values
   not above 0 stand for the smallest double where logarithms are taken, and
   what is beyond the range of floats becomes its end. */
void bnre__scaler_apply_f64(const bnre__scaler *scaler, size_t n,
                            const double *in, float *out, double *slope);
void bnre__scaler_apply_f32(const bnre__scaler *scaler, size_t n,
                            const float *in, float *out);

/* The same for elements first..first+n-1 of one row. */
void bnre__scaler_apply_part(const bnre__scaler *scaler, size_t first, size_t n,
                             const double *in, float *out);

/* Whether every value can be scaled as it is. Errors: ENUM with row (counted
   from `first`), element, and what is wrong. */
BNRE_MUST_CHECK bnre_status bnre__scaler_check_f64(
    const bnre__scaler *scaler, const bnre__scaler_spec *spec, size_t first,
    size_t n, const double *rows);
BNRE_MUST_CHECK bnre_status bnre__scaler_check_f32(
    const bnre__scaler *scaler, const bnre__scaler_spec *spec, size_t first,
    size_t n, const float *rows);

/* Columns that never change, and columns with asinh. */
size_t bnre__scaler_count(const bnre__scaler *scaler, uint8_t flag);

/* How large each element of x was in the data: smallest and largest
   value, and a few quantiles in between. */

/* 0, 1 %, 25 %, 50 %, 75 %, 99 %, 1. */
enum { BNRE__LEVELS = 7 };
extern const double bnre__summary_level[BNRE__LEVELS];

typedef struct bnre__summary {
    size_t size;
    float *value; /* (BNRE__LEVELS, size) */
} bnre__summary;

/* Of n >= 1 rows of finite values (n, size); the first and last level are of
   all rows, those between of BNRE__SCALER_ROWS at most. What the
   summary was before is dropped; the first time it is {0}. Errors: EINVAL;
   ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__summary_fit(bnre__summary *summary, size_t n,
                                              size_t size, const float *rows);
/* Let the first and last level cover these rows too. */
void bnre__summary_extend(bnre__summary *summary, size_t n, const double *rows);
void bnre__summary_clear(bnre__summary *summary);

/* The standard deviation of n values, with n below the root. */
double bnre__deviation(size_t n, const double *value);

#endif
