/* joint.c - parameters that depend on each other: multivariate normal. */
#include "prior/joint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"

/* ---- text ---- */

static const char form[] =
    "[a, b]: multivariate_normal([mean, mean], [[variance, covariance], "
    "[covariance, variance]])";

struct reader {
    const char *text, *at;
};

static void skip(struct reader *reader)
{
    while (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\n')
        reader->at++;
}

static bnre_status fail_here(const struct reader *reader, const char *what)
{
    return bnre_fail(BNRE_EUSAGE, "\"%s\": at column %zu: %s; write %s",
                     reader->text, (size_t)(reader->at - reader->text) + 1,
                     what, form);
}

static bnre_status expect(struct reader *reader, const char *word)
{
    char what[64];

    skip(reader);
    if (strncmp(reader->at, word, strlen(word)) != 0) {
        snprintf(what, sizeof what, "expected %s", word);
        return fail_here(reader, what);
    }
    reader->at += strlen(word);
    return BNRE_OK;
}

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}

static bnre_status read_names(struct reader *reader, bnre__joint *block)
{
    do {
        size_t length = 0;

        reader->at++; /* a bracket or a comma */
        skip(reader);
        while (is_letter(reader->at[length]))
            length++;
        if (length == 0)
            return fail_here(reader, "expected the name of a parameter");
        if (block->n == BNRE__JOINT)
            return fail_here(reader, "at most 16 parameters can depend on "
                                     "each other");
        BNRE_DO(bnre__text_format(&block->name[block->n], "%.*s", (int)length,
                                  reader->at));
        for (size_t i = 0; i < block->n; i++)
            if (strcmp(block->name[i], block->name[block->n]) == 0) {
                block->n++;
                return fail_here(reader, "this name was there before");
            }
        block->n++;
        reader->at += length;
        skip(reader);
    } while (*reader->at == ',');
    return expect(reader, "]");
}

static bnre_status read_row(struct reader *reader, size_t n, double *out)
{
    const char *end = reader->text + strlen(reader->text), *next;

    BNRE_DO(expect(reader, "["));
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            BNRE_DO(expect(reader, ","));
        skip(reader);
        next = bnre__number_scan(reader->at, end, &out[i]);
        if (next == NULL || !isfinite(out[i]))
            return fail_here(reader, "expected a number");
        reader->at = next;
    }
    return expect(reader, "]");
}

static bnre_status read_all(struct reader *reader, bnre__joint *block)
{
    BNRE_DO(read_names(reader, block));
    BNRE_DO(expect(reader, ":"));
    BNRE_DO(expect(reader, "multivariate_normal"));
    BNRE_DO(expect(reader, "("));
    BNRE_DO(read_row(reader, block->n, block->mean));
    BNRE_DO(expect(reader, ","));
    BNRE_DO(expect(reader, "["));
    for (size_t i = 0; i < block->n; i++) {
        if (i > 0)
            BNRE_DO(expect(reader, ","));
        BNRE_DO(read_row(reader, block->n, block->covariance + i * block->n));
    }
    BNRE_DO(expect(reader, "]"));
    BNRE_DO(expect(reader, ")"));
    skip(reader);
    return *reader->at == 0 ? BNRE_OK
                            : fail_here(reader, "expected the end after ')'");
}

int bnre__joint_is(const char *text)
{
    while (*text == ' ' || *text == '\t' || *text == '\n')
        text++;
    return *text == '[';
}

/* The lower triangle L with L L^T = the covariance (Cholesky), O(n^3); 0 if
   there is none. */
static int factorise(bnre__joint *block)
{
    const size_t n = block->n;
    double *l = block->factor;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = block->covariance[i * n + j];

            for (size_t k = 0; k < j; k++)
                sum -= l[i * n + k] * l[j * n + k];
            if (i == j && !(sum > 1e-12 * block->covariance[i * n + i]))
                return 0;
            l[i * n + j] = i == j ? sqrt(sum) : sum / l[j * n + j];
        }
    return 1;
}

static bnre_status check(const struct reader *reader, bnre__joint *block)
{
    const size_t n = block->n;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            const double a = block->covariance[i * n + j];
            const double b = block->covariance[j * n + i];

            if (fabs(a - b) > 1e-12 * (fabs(a) + fabs(b)))
                return bnre_fail(BNRE_EUSAGE,
                                 "\"%s\": the covariance of %s and %s is given "
                                 "as %g and as %g",
                                 reader->text, block->name[i], block->name[j],
                                 a, b);
        }
    if (!factorise(block))
        return bnre_fail(BNRE_EUSAGE,
                         "\"%s\": this is no covariance: variances must be "
                         "greater than 0, and correlations between -1 and 1 "
                         "that fit together (a positive definite matrix)",
                         reader->text);
    return BNRE_OK;
}

bnre_status bnre__joint_create(const char *text, bnre__joint **out)
{
    struct reader reader = {text, text};
    bnre_status status = BNRE_OK;
    bnre__joint *block = NULL;

    *out = NULL;
    BNRE_NEW(block, 1);
    skip(&reader);
    BNRE_TRY(read_all(&reader, block));
    BNRE_TRY(check(&reader, block));
    *out = block;
    block = NULL;
done:
    bnre__joint_destroy(block);
    return status;
}

void bnre__joint_destroy(bnre__joint *block)
{
    if (block == NULL)
        return;
    for (size_t i = 0; i < block->n; i++)
        bnre__free(block->name[i]);
    bnre__free(block);
}

static void put_row(bnre__text *text, size_t n, const double *row)
{
    char number[BNRE__NUMBER_ROOM];

    for (size_t i = 0; i < n; i++) {
        bnre__number_format(row[i], number);
        bnre__text_put(text, i == 0 ? "[%s" : ", %s", number);
    }
    bnre__text_put(text, "]");
}

bnre_status bnre__joint_write(const bnre__joint *block, char **out)
{
    bnre_status status = BNRE_OK;
    bnre__text text = {0};

    for (size_t i = 0; i < block->n; i++)
        bnre__text_put(&text, i == 0 ? "[%s" : ", %s", block->name[i]);
    bnre__text_put(&text, "]: multivariate_normal(");
    put_row(&text, block->n, block->mean);
    for (size_t i = 0; i < block->n; i++) {
        bnre__text_put(&text, i == 0 ? ", [" : ", ");
        put_row(&text, block->n, block->covariance + i * block->n);
    }
    bnre__text_put(&text, "])");
    BNRE_TRY(bnre__text_check(&text));
    *out = text.data;
    text.data = NULL;
done:
    bnre__free(text.data);
    return status;
}

/* ---- numbers ---- */

/* Deviations from the mean in units of L: independent, of variance 1. */
static void whiten(const bnre__joint *block, const double *theta, double *z)
{
    const size_t n = block->n;

    for (size_t i = 0; i < n; i++) {
        double sum = theta[block->at[i]] - block->mean[i];

        for (size_t k = 0; k < i; k++)
            sum -= block->factor[i * n + k] * z[k];
        z[i] = sum / block->factor[i * n + i];
    }
}

static double sd_of(const bnre__joint *block, size_t i)
{
    return sqrt(block->covariance[i * block->n + i]);
}

double bnre__joint_dependence(const bnre__joint *block, const double *theta)
{
    double z[BNRE__JOINT], sum = 0;

    whiten(block, theta, z);
    for (size_t i = 0; i < block->n; i++) {
        const double sd = sd_of(block, i);
        const double alone = (theta[block->at[i]] - block->mean[i]) / sd;

        sum += 0.5 * (alone * alone - z[i] * z[i]) -
               log(block->factor[i * block->n + i] / sd);
    }
    return sum;
}

void bnre__joint_join(const bnre__joint *block, double *theta)
{
    const size_t n = block->n;
    double z[BNRE__JOINT];

    for (size_t i = 0; i < n; i++)
        z[i] = (theta[block->at[i]] - block->mean[i]) / sd_of(block, i);
    for (size_t i = 0; i < n; i++) {
        double sum = block->mean[i];

        for (size_t k = 0; k <= i; k++)
            sum += block->factor[i * n + k] * z[k];
        theta[block->at[i]] = sum;
    }
}

void bnre__joint_part(const bnre__joint *block, double *theta)
{
    double z[BNRE__JOINT];

    whiten(block, theta, z);
    for (size_t i = 0; i < block->n; i++)
        theta[block->at[i]] = block->mean[i] + sd_of(block, i) * z[i];
}

/* Slopes solve C_oo slope = C_ok, by Gauss and Jordan: C_oo is positive
   definite, so that no row has to be exchanged. O(m^3). */
void bnre__joint_given(const bnre__joint *block, size_t k, size_t m,
                       const size_t *which, bnre__given *out)
{
    const size_t n = block->n;
    double a[BNRE__JOINT][BNRE__JOINT + 1];
    double variance = block->covariance[k * n + k];

    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < m; j++)
            a[i][j] = block->covariance[which[i] * n + which[j]];
        a[i][m] = block->covariance[which[i] * n + k];
    }
    for (size_t i = 0; i < m; i++)
        for (size_t r = 0; r < m; r++) {
            const double by = r == i ? 0 : a[r][i] / a[i][i];

            for (size_t j = 0; r != i && j <= m; j++)
                a[r][j] -= by * a[i][j];
        }
    out->m = m;
    for (size_t i = 0; i < m; i++) {
        out->which[i] = which[i];
        out->slope[i] = a[i][m] / a[i][i];
        variance -= out->slope[i] * block->covariance[which[i] * n + k];
    }
    out->sd = sqrt(fmax(variance, 0));
}
