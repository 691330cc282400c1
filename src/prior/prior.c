/* prior.c - priors as products of families under constraints, or known by
   draws: drawing, density, quantiles, and maps to the real line and back. */
#include "prior/prior.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "base/text.h"
#include "prior/inside.h"
#include "prior/text.h"

static int is_name(const char *name)
{
    if (*name >= '0' && *name <= '9')
        return 0;
    for (const char *c = name; *c != 0; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
              (*c >= '0' && *c <= '9') || *c == '_'))
            return 0;
    return *name != 0;
}

static bnre_status check_names(size_t n, const char *const *name)
{
    for (size_t i = 0; i < n; i++) {
        if (!is_name(name[i]))
            return bnre_fail(BNRE_EUSAGE,
                             "\"%s\" cannot name a parameter: use letters, "
                             "digits and '_', no digit first",
                             name[i]);
        for (size_t j = 0; j < i; j++)
            if (strcmp(name[i], name[j]) == 0)
                return bnre_fail(BNRE_EUSAGE, "two parameters are called %s",
                                 name[i]);
    }
    return BNRE_OK;
}

static bnre_status init_parameter(bnre__parameter *p, const char *name,
                                  const char *text)
{
    bnre_status status = BNRE_OK;

    if (p->block != NULL) { /* alone it is normal */
        p->family = &bnre__family_normal;
        p->arg[0] = p->block->mean[p->place];
        p->arg[1] =
            sqrt(p->block->covariance[p->place * p->block->n + p->place]);
    } else {
        status = bnre__prior_parse(text, &p->family, p->arg);
    }
    if (status != BNRE_OK)
        return bnre__fail_in(status, "prior of %s", name);
    BNRE_TRY(bnre__strdup(name, &p->name));
    BNRE_TRY(p->block != NULL ? bnre__joint_write(p->block, &p->text)
                              : bnre__prior_write(p->family, p->arg, &p->text));
    p->constant = p->family->constant(p->arg);
    p->family->support(p->arg, &p->low, &p->high);
    p->first = nextafter(p->low, HUGE_VAL);
    p->last = nextafter(p->high, -HUGE_VAL);
    if (p->family->discrete != BNRE__CONTINUOUS) {
        p->first = p->low;
        p->last = fmin(p->high, 1e15);
        bnre__parameter_list_values(p);
    }
    if (p->first > p->last) { /* no number in between */
        p->first = p->low;
        p->last = p->high;
    }
done:
    return status;
}

/* The block of parameter i, which may be known from an earlier one: all that it
   names must have the same text. */
static bnre_status find_block(bnre_prior *prior, size_t n,
                              const char *const *name, const char *const *text,
                              size_t i)
{
    bnre_status status = BNRE_OK;
    bnre__joint *block = NULL;

    if (!bnre__joint_is(text[i]) || prior->parameter[i].block != NULL)
        return BNRE_OK;
    status = bnre__joint_create(text[i], &block);
    if (status != BNRE_OK)
        return bnre__fail_in(status, "prior of %s", name[i]);
    prior->block[prior->blocks++] = block;
    for (size_t k = 0; k < block->n; k++) {
        size_t j = 0;

        while (j < n && strcmp(name[j], block->name[k]) != 0)
            j++;
        if (j == n || strcmp(text[j], text[i]) != 0)
            return bnre_fail(BNRE_EUSAGE,
                             "the prior of %s is \"%s\", but %s %s: all that "
                             "it names need the same text",
                             name[i], text[i], block->name[k],
                             j == n ? "is no parameter" : "has another");
        block->at[k] = j;
        prior->parameter[j].block = block;
        prior->parameter[j].place = k;
    }
    if (prior->parameter[i].block == NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "the prior of %s is \"%s\", which does "
                         "not name it",
                         name[i], text[i]);
    return BNRE_OK;
}

bnre_status bnre_prior_create(size_t n, const char *const *name,
                              const char *const *text, bnre_prior **out)
{
    bnre_status status = BNRE_OK;
    bnre_prior *prior = NULL;

    *out = NULL;
    BNRE_TRY(check_names(n, name));
    BNRE_NEW(prior, 1);
    BNRE_NEW(prior->parameter, n);
    prior->dim = n;
    BNRE_NEW(prior->block, n);
    for (size_t i = 0; i < n; i++) {
        BNRE_TRY(find_block(prior, n, name, text, i));
        BNRE_TRY(init_parameter(&prior->parameter[i], name[i], text[i]));
    }
    *out = prior;
    prior = NULL;
done:
    bnre_prior_destroy(prior);
    return status;
}

void bnre_prior_destroy(bnre_prior *prior)
{
    if (prior == NULL)
        return;
    for (size_t i = 0; i < prior->dim; i++) {
        bnre__free(prior->parameter[i].title);
        bnre__free(prior->parameter[i].unit);
        bnre__free(prior->parameter[i].label);
        bnre__free(prior->parameter[i].text);
        bnre__free(prior->parameter[i].name);
    }
    for (size_t i = 0; i < prior->blocks; i++)
        bnre__joint_destroy(prior->block[i]);
    bnre__free(prior->block);
    for (size_t i = 0; i < prior->constraints; i++)
        bnre__constraint_destroy(prior->constraint[i]);
    bnre__free(prior->constraint);
    bnre__free(prior->sorted);
    bnre__free(prior->sample);
    bnre__free(prior->parameter);
    bnre__free(prior);
}

/* The columns of the sample in order, with their ends as supports. */
static bnre_status sort_columns(bnre_prior *prior)
{
    for (size_t i = 0; i < prior->dim; i++) {
        bnre__parameter *p = &prior->parameter[i];
        double *column = prior->sorted + i * prior->rows;

        for (size_t k = 0; k < prior->rows; k++) {
            column[k] = prior->sample[k * prior->dim + i];
            if (!isfinite(column[k]))
                return bnre_fail(BNRE_ENUM,
                                 "samples of the prior: row %zu of %s is "
                                 "not finite",
                                 k, p->name);
        }
        bnre__sort_doubles(prior->rows, column);
        p->low = p->first = column[0];
        p->high = p->last = column[prior->rows - 1];
    }
    return BNRE_OK;
}

bnre_status bnre_prior_create_samples(size_t n, const char *const *name,
                                      size_t rows, const double *sample,
                                      bnre_prior **out)
{
    bnre_status status = BNRE_OK;
    bnre_prior *prior = NULL;

    *out = NULL;
    BNRE_TRY(check_names(n, name));
    if (n == 0 || rows < 2)
        return bnre_fail(BNRE_EUSAGE,
                         "a prior needs 2 samples or more, got %zu", rows);
    BNRE_NEW(prior, 1);
    BNRE_NEW(prior->parameter, n);
    prior->dim = n;
    prior->rows = rows;
    for (size_t i = 0; i < n; i++) {
        BNRE_TRY(bnre__strdup(name[i], &prior->parameter[i].name));
        BNRE_TRY(bnre__strdup("samples", &prior->parameter[i].text));
    }
    BNRE_NEW(prior->sample, rows * n);
    BNRE_NEW(prior->sorted, rows * n);
    memcpy(prior->sample, sample, rows * n * sizeof *sample);
    BNRE_TRY(sort_columns(prior));
    *out = prior;
    prior = NULL;
done:
    bnre_prior_destroy(prior);
    return status;
}

size_t bnre_prior_dim(const bnre_prior *prior)
{
    return prior->dim;
}

/* ---- labels ---- */

static bnre_status check_label(const char *name, const char *text)
{
    enum { MOST = 100 };

    for (const char *c = text; *c != 0; c++)
        if ((unsigned char)*c < ' ' || *c == 127 || c - text >= MOST)
            return bnre_fail(BNRE_EUSAGE,
                             "the label and unit of %s must be plain text of "
                             "%d bytes at most",
                             name, MOST);
    return BNRE_OK;
}

bnre_status bnre__prior_set_label(bnre_prior *prior, size_t i,
                                  const char *label, const char *unit)
{
    bnre__parameter *p = &prior->parameter[i];

    label = label != NULL ? label : "";
    unit = unit != NULL ? unit : "";
    BNRE_DO(check_label(p->name, label));
    BNRE_DO(check_label(p->name, unit));
    bnre__free(p->label);
    bnre__free(p->unit);
    bnre__free(p->title);
    p->label = p->unit = p->title = NULL;
    BNRE_DO(bnre__strdup(label, &p->label));
    BNRE_DO(bnre__strdup(unit, &p->unit));
    return bnre__text_format(&p->title, unit[0] != 0 ? "%s [%s]" : "%s",
                             label[0] != 0 ? label : p->name, unit);
}

const char *bnre_prior_title(const bnre_prior *prior, size_t i)
{
    const bnre__parameter *p = &prior->parameter[i];

    return p->title != NULL ? p->title : p->name;
}

const char *bnre__prior_label(const bnre_prior *prior, size_t i)
{
    const char *label = prior->parameter[i].label;

    return label != NULL ? label : "";
}

const char *bnre__prior_unit(const bnre_prior *prior, size_t i)
{
    const char *unit = prior->parameter[i].unit;

    return unit != NULL ? unit : "";
}

const char *bnre_prior_name(const bnre_prior *prior, size_t i)
{
    return prior->parameter[i].name;
}

const char *bnre_prior_text(const bnre_prior *prior, size_t i)
{
    return prior->parameter[i].text;
}

void bnre_prior_support(const bnre_prior *prior, size_t i, double *low,
                        double *high)
{
    *low = prior->parameter[i].low;
    *high = prior->parameter[i].high;
}

void bnre_prior_moments(const bnre_prior *prior, size_t i, double *mean,
                        double *variance)
{
    const bnre__parameter *p = &prior->parameter[i];
    const double *column;
    double sum = 0, squares = 0;

    if (prior->rows == 0) {
        p->family->moments(p->arg, mean, variance);
        return;
    }
    column = prior->sorted + i * prior->rows;
    for (size_t k = 0; k < prior->rows; k++)
        sum += column[k];
    *mean = sum / (double)prior->rows;
    for (size_t k = 0; k < prior->rows; k++)
        squares += (column[k] - *mean) * (column[k] - *mean);
    *variance = squares / (double)(prior->rows - 1);
}

static double quantile(const bnre__parameter *p, double u)
{
    if (!(u > 0 && u < 1))
        return u == 0 ? p->low : u == 1 ? p->high : NAN;
    return bnre__inside(p, p->family->quantile(p->arg, u));
}

static void draw_product(const bnre_prior *prior, bnre_rng *rng, double *theta)
{
    for (size_t i = 0; i < prior->dim; i++)
        theta[i] = quantile(&prior->parameter[i], bnre_rng_open(rng));
    for (size_t i = 0; i < prior->blocks; i++)
        bnre__joint_join(prior->block[i], theta);
}

static int accepted(const bnre_prior *prior, const double *theta)
{
    for (size_t i = 0; i < prior->constraints; i++)
        if (!bnre__constraint_holds(prior->constraint[i], theta))
            return 0;
    return 1;
}

bnre_status bnre_prior_constrain(bnre_prior *prior, size_t n,
                                 const char *const *text)
{
    enum { DRAWS = 65536, LEAST = 16 };
    bnre_status status = BNRE_OK;
    const char **name = NULL;
    double *theta = NULL;
    size_t kept = 0;

    if (prior->rows > 0)
        return bnre_fail(BNRE_EUSAGE,
                         "a prior given by samples takes no constraint: leave "
                         "out the rows that break it");
    BNRE_NEW(name, prior->dim);
    BNRE_NEW(theta, prior->dim);
    BNRE_NEW(prior->constraint, n);
    for (size_t i = 0; i < prior->dim; i++)
        name[i] = prior->parameter[i].name;
    for (size_t i = 0; i < n; i++, prior->constraints++)
        BNRE_TRY(bnre__constraint_create(text[i], prior->dim, name,
                                         &prior->constraint[i]));
    for (uint64_t i = 0; i < DRAWS; i++) {
        bnre_rng rng = bnre_rng_stream(0, 0, i);

        draw_product(prior, &rng, theta);
        kept += (size_t)accepted(prior, theta);
    }
    if (kept < LEAST)
        BNRE_THROW(BNRE_EUSAGE,
                   "constraint \"%s\"%s: %zu of %d draws of the prior satisfy "
                   "it; choose priors that mostly do",
                   text[0], n > 1 ? " and the others" : "", kept, DRAWS);
    prior->log_share = log((double)kept / DRAWS);
done:
    bnre__free(theta);
    bnre__free(name);
    return status;
}

/* Constraints by rejection: 1 / (their share of the product) draws on average,
   no more than some 4096, as bnre_prior_constrain() sees to. */
void bnre_prior_draw(const bnre_prior *prior, bnre_rng *rng, double *theta)
{
    if (prior->rows > 0) {
        const size_t row = (size_t)bnre_rng_below(rng, prior->rows);

        memcpy(theta, prior->sample + row * prior->dim,
               prior->dim * sizeof *theta);
        return;
    }
    do
        draw_product(prior, rng, theta);
    while (!accepted(prior, theta));
}

double bnre_prior_log_density(const bnre_prior *prior, const double *theta)
{
    double sum = 0;

    for (size_t i = 0; i < prior->dim; i++) {
        const bnre__parameter *p = &prior->parameter[i];

        if (isnan(theta[i]))
            return NAN;
        if (theta[i] < p->low || theta[i] > p->high || isinf(theta[i]))
            return -HUGE_VAL;
        if (prior->rows == 0)
            sum += p->constant + p->family->kernel(p->arg, theta[i]);
    }
    if (prior->rows > 0)
        return NAN;
    sum += bnre__prior_dependence(prior, theta);
    return accepted(prior, theta) ? sum - prior->log_share : -HUGE_VAL;
}

const bnre__family *bnre__prior_family(const bnre_prior *prior, size_t i,
                                       const double **arg)
{
    *arg = prior->parameter[i].arg;
    return prior->rows > 0 ? NULL : prior->parameter[i].family;
}

int bnre__prior_is_constrained(const bnre_prior *prior)
{
    return prior->constraints > 0;
}

/* Conditions that an interval of a line can stand for: not those that speak of
   whole numbers, or of parameters that depend on others. */
static int is_ordering(const bnre_prior *prior,
                       const bnre__constraint *constraint)
{
    for (size_t i = 0; i < prior->dim; i++)
        if ((prior->parameter[i].values > 0 ||
             prior->parameter[i].block != NULL) &&
            bnre__constraint_names(constraint, i))
            return 0;
    return bnre__constraint_orderings(constraint, 0, NULL) > 0;
}

size_t bnre__prior_orderings(const bnre_prior *prior, size_t most,
                             bnre__ordering *out, int *others)
{
    size_t count = 0;

    *others = 0;
    for (size_t i = 0; i < prior->constraints; i++) {
        const size_t room = count < most ? most - count : 0;

        if (!is_ordering(prior, prior->constraint[i])) {
            *others = 1;
            continue;
        }
        count += bnre__constraint_orderings(prior->constraint[i], room,
                                            room > 0 ? out + count : NULL);
    }
    return count;
}

int bnre__prior_others_name(const bnre_prior *prior, size_t i)
{
    for (size_t k = 0; k < prior->constraints; k++)
        if (!is_ordering(prior, prior->constraint[k]) &&
            bnre__constraint_names(prior->constraint[k], i))
            return 1;
    return 0;
}

int bnre__prior_others_hold(const bnre_prior *prior, const double *theta)
{
    for (size_t k = 0; k < prior->constraints; k++)
        if (!is_ordering(prior, prior->constraint[k]) &&
            !bnre__constraint_holds(prior->constraint[k], theta))
            return 0;
    return 1;
}

double bnre__prior_log_share(const bnre_prior *prior)
{
    return prior->log_share;
}

double bnre__prior_density_of(const bnre_prior *prior, size_t i, double value)
{
    const bnre__parameter *p = &prior->parameter[i];

    if (value < p->low || value > p->high)
        return 0;
    return fmin(exp(p->constant + p->family->kernel(p->arg, value)), DBL_MAX);
}

const double *bnre__prior_sorted(const bnre_prior *prior, size_t i)
{
    return prior->sorted + i * prior->rows;
}

int bnre_prior_has_density(const bnre_prior *prior)
{
    return prior->rows == 0;
}

const double *bnre__prior_samples(const bnre_prior *prior, size_t *rows)
{
    *rows = prior->rows;
    return prior->sample;
}

/* How many draws of parameter i are <= value. */
static size_t count_up_to(const bnre_prior *prior, size_t i, double value)
{
    const double *column = prior->sorted + i * prior->rows;
    size_t low = 0, high = prior->rows;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (column[middle] <= value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double bnre_prior_cdf(const bnre_prior *prior, size_t i, double value)
{
    const bnre__parameter *p = &prior->parameter[i];

    if (isnan(value))
        return NAN;
    if (value >= p->high)
        return 1;
    if (prior->rows > 0)
        return (double)count_up_to(prior, i, value) / (double)prior->rows;
    if (value < p->low || (value <= p->low && p->values == 0))
        return 0;
    return p->family->cdf(p->arg, value);
}

double bnre_prior_quantile(const bnre_prior *prior, size_t i, double u)
{
    size_t k;

    if (prior->rows == 0 || !(u >= 0 && u <= 1))
        return quantile(&prior->parameter[i], u);
    k = (size_t)ceil(u * (double)prior->rows);
    return prior->sorted[i * prior->rows + (k > 0 ? k - 1 : 0)];
}

/* ---- parameters from elsewhere ---- */

bnre_status bnre__prior_check(const bnre_prior *prior, const char *what,
                              size_t first, size_t n, const double *theta)
{
    const size_t dim = bnre_prior_dim(prior);
    char number[32];

    for (size_t i = 0; i < n * dim; i++) {
        const char *name = bnre_prior_name(prior, i % dim);
        double low, high;

        if (!isfinite(theta[i]))
            return bnre_fail(BNRE_ENUM, "%s %zu: %s is not a finite number",
                             what, first + i / dim, name);
        bnre_prior_support(prior, i % dim, &low, &high);
        if (theta[i] < low || theta[i] > high ||
            (theta[i] != rint(theta[i]) &&
             bnre__prior_values(prior, i % dim, NULL) != BNRE__CONTINUOUS))
            return bnre_fail(BNRE_EUSAGE,
                             "%s %zu: %s = %s is outside its prior %s: were "
                             "these pairs made for another task?",
                             what, first + i / dim, name,
                             bnre__text_real(theta[i], number),
                             bnre_prior_text(prior, i % dim));
    }
    for (size_t i = 0; bnre__prior_is_constrained(prior) && i < n; i++)
        if (bnre_prior_log_density(prior, theta + i * dim) == -HUGE_VAL)
            return bnre_fail(BNRE_EUSAGE,
                             "%s %zu breaks a constraint of the prior: were "
                             "these pairs made for another task?",
                             what, first + i);
    return BNRE_OK;
}
