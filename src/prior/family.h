/* family.h - the families of priors. */
#ifndef BNRE_PRIOR_FAMILY_H
#define BNRE_PRIOR_FAMILY_H

#include <stddef.h>

enum {
    BNRE__FAMILY_ARGS = 1024,
    BNRE__NAMED_ARGS = 4,    /* further ones are called like the last */
    BNRE__MOST_VALUES = 1024 /* of a family of whole numbers, as far as they
                                matter (prior.h) */
};

/* What values a family has. */
typedef enum bnre__discrete {
    BNRE__CONTINUOUS,
    BNRE__COUNTS,    /* whole numbers, near ones being alike */
    BNRE__CATEGORIES /* whole numbers that only name something */
} bnre__discrete;

/* One family. `arg` are numbers that passed `check`, finite unless said. */
typedef struct bnre__family {
    const char *name;
    size_t count;                           /* of arguments, */
    int more;                               /* or more like the last; those
                                                that are not there are NaN */
    const char *argument[BNRE__NAMED_ARGS]; /* their names */
    unsigned infinite; /* bit k: argument k may be inf or -inf */
    bnre__discrete discrete;

    /* What is wrong with the arguments, NULL if nothing; *at: which one. */
    const char *(*check)(const double *arg, size_t *at);

    void (*support)(const double *arg, double *low, double *high);
    /* The sum of both is the log density, at low <= x <= high, x finite. */
    double (*constant)(const double *arg);
    double (*kernel)(const double *arg, double x);

    double (*cdf)(const double *arg, double x);      /* low < x < high; whole
                                                        numbers: low <= x */
    double (*quantile)(const double *arg, double u); /* 0 < u < 1 */
    void (*moments)(const double *arg, double *mean, double *variance);
} bnre__family;

/* Defined apart from the table. */
extern const bnre__family bnre__family_normal, bnre__family_log_normal,
    bnre__family_half_normal, bnre__family_truncated_normal,
    bnre__family_cauchy, bnre__family_half_cauchy, bnre__family_inverse_gamma,
    bnre__family_weibull, bnre__family_integer, bnre__family_categorical,
    bnre__family_bernoulli, bnre__family_poisson;

/* Shared between families. */
void bnre__support_line(const double *arg, double *low, double *high);
void bnre__support_half_line(const double *arg, double *low, double *high);
const char *bnre__check_first_positive(const double *arg, size_t *at);
const char *bnre__check_second_positive(const double *arg, size_t *at);
const char *bnre__check_both_positive(const double *arg, size_t *at);

/* How many arguments there are. */
size_t bnre__family_count(const bnre__family *family, const double *arg);

/* The family of this index, from 0; NULL past the last. */
const bnre__family *bnre__family_at(size_t i);

#endif
