/* check.c - whether what was observed is like what its posterior predicts
   (posterior predictive p-values: Rubin 1984; Gelman, Meng and Stern 1996):
   bnre/check.h says what is compared, and what that means. */
#include "trust/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "base/text.h"
#include "bnre/text.h"
#include "trust/advice.h"

enum { VALUES, NEIGHBOURS, RATIO, FIXED };
static const double ALPHA = 0.01;

size_t bnre__check_tests(size_t summaries)
{
    return FIXED + summaries;
}

size_t bnre__check_needed(size_t tests, double alpha)
{
    return (size_t)ceil(2 * (double)tests / (alpha > 0 ? alpha : ALPHA));
}

void bnre__check_clear(bnre_check *check)
{
    for (size_t i = 0; check->test != NULL && i < check->tests; i++)
        bnre__free(check->test[i].name);
    bnre__free(check->test);
    bnre__free(check->value);
    *check = (bnre_check){0};
}

void bnre__check_report_clear(bnre_check_report *report)
{
    bnre__check_clear(&report->check);
    bnre_diag_destroy(report->here);
    bnre_diag_destroy(report->near);
    bnre__free(report->no_near);
    bnre__free(report->unchecked);
    bnre__free(report->words);
    *report = (bnre_check_report){0};
}

const char *bnre_check_verdict_name(bnre_check_verdict verdict)
{
    static const char *const name[] = {[BNRE_CHECK_FITS] = "FITS",
                                       [BNRE_CHECK_MISFIT] = "MISFIT",
                                       [BNRE_CHECK_UNCHECKED] = "UNCHECKED"};

    return name[verdict];
}

/* ---- p-values ---- */

struct ordered {
    double p;
    size_t at;
};

static int smaller_first(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;

    if (x->p != y->p)
        return x->p > y->p ? 1 : -1;
    return (x->at > y->at) - (x->at < y->at);
}

bnre_status bnre__holm(size_t n, const double *p, double *adjusted)
{
    struct ordered *order = NULL;
    bnre_status status = BNRE_OK;
    double least = 0;

    BNRE_NEW(order, n);
    for (size_t i = 0; i < n; i++)
        order[i] = (struct ordered){p[i], i};
    qsort(order, n, sizeof *order, smaller_first);
    for (size_t i = 0; i < n; i++) {
        least = fmax(least, fmin(1, (double)(n - i) * order[i].p));
        adjusted[order[i].at] = least;
    }
done:
    bnre__free(order);
    return status;
}

/* From how many of n lie below or tie, and above or tie. */
static double two_sided(size_t n, size_t below, size_t above)
{
    const size_t least = below < above ? below : above;

    return fmin(1, 2 * (double)(1 + least) / (double)(n + 1));
}

static double p_of(size_t n, const double *drawn, double observed)
{
    size_t below = 0, above = 0;

    for (size_t i = 0; i < n; i++) {
        below += drawn[i] <= observed;
        above += drawn[i] >= observed;
    }
    return two_sided(n, below, above);
}

/* Of n sorted values, linear between them. */
static double quantile(size_t n, const double *sorted, double u)
{
    const double place = u * (double)(n - 1);
    const size_t k = (size_t)place;
    const double part = place - (double)k;

    if (k + 1 >= n || part == 0)
        return sorted[k];
    return sorted[k] + part * (sorted[k + 1] - sorted[k]);
}

/* ---- the work ---- */

struct work {
    const bnre__check_input *input;
    size_t size;      /* numbers of one x_o */
    double *column;   /* (n + 1) some statistic of the y_j, */
    double *sorted;   /* and in order, x_o among them */
    double *farthest; /* (n) of each y_j, over all values */
    double *distance; /* (size) of x_o */
    double *own;      /* (n) log r(theta_j, x_o) */
    bnre_session **session;
};

/* Half of what lies between the median and the quantiles 16 % and 84 %, on the
   side of each: robust, and fair to skewed values. */
struct scale {
    double median, below, above;
};

static double deviation(size_t n, const double *value)
{
    double mean = 0, squares = 0;

    for (size_t i = 0; i < n; i++)
        mean += value[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (value[i] - mean) * (value[i] - mean) / (double)n;
    return squares > 0 ? sqrt(squares) : 1;
}

/* Of all values, that of x_o among them: then none of them is singled out. */
static struct scale scale_of(size_t n, const double *sorted)
{
    struct scale scale = {.median = quantile(n, sorted, 0.5)};
    double other;

    scale.below = scale.median - quantile(n, sorted, 0.16);
    scale.above = quantile(n, sorted, 0.84) - scale.median;
    if (scale.below > 0 && scale.above > 0)
        return scale;
    other = deviation(n, sorted); /* mostly one value: counts, flags */
    scale.below = scale.below > 0 ? scale.below : other;
    scale.above = scale.above > 0 ? scale.above : other;
    return scale;
}

static double distance_of(const struct scale *scale, double value)
{
    const double off = value - scale->median;

    return off < 0 ? -off / scale->below : off / scale->above;
}

static bnre_check_value look_at_value(struct work *work, size_t i)
{
    const bnre__check_input *input = work->input;
    const size_t n = input->n;
    bnre_check_value value = {.observed = input->x[i]};
    struct scale scale;

    for (size_t j = 0; j < n; j++)
        work->column[j] = work->sorted[j] = input->y[j * work->size + i];
    bnre__sort_doubles(n, work->sorted);
    value.low95 = quantile(n, work->sorted, 0.025);
    value.low68 = quantile(n, work->sorted, 0.16);
    value.median = quantile(n, work->sorted, 0.5);
    value.high68 = quantile(n, work->sorted, 0.84);
    value.high95 = quantile(n, work->sorted, 0.975);
    value.p = p_of(n, work->column, value.observed);
    work->sorted[n] = value.observed;
    bnre__sort_doubles(n + 1, work->sorted);
    scale = scale_of(n + 1, work->sorted);
    for (size_t j = 0; j < n; j++)
        work->farthest[j] =
            fmax(work->farthest[j], distance_of(&scale, work->column[j]));
    work->distance[i] = distance_of(&scale, value.observed);
    return value;
}

/* How many of the y_j have any value as far out as this: a p-value that allows
   for all values together (by their maximum: Westfall and Young 1993). O(n). */
static double corrected(const struct work *work, double distance)
{
    const size_t n = work->input->n;
    size_t as_far = 1;

    for (size_t j = 0; j < n; j++)
        as_far += work->farthest[j] >= distance;
    return (double)as_far / (double)(n + 1);
}

static void look_at_values(struct work *work, bnre_check *out)
{
    const size_t n = work->input->n;
    bnre_check_test *test = &out->test[VALUES];

    for (size_t i = 0; i < work->size; i++)
        out->value[i] = look_at_value(work, i);
    for (size_t i = 0; i < work->size; i++) {
        out->value[i].adjusted = corrected(work, work->distance[i]);
        if (work->distance[i] > work->distance[out->worst])
            out->worst = i;
    }
    memcpy(work->sorted, work->farthest, n * sizeof *work->sorted);
    bnre__sort_doubles(n, work->sorted);
    test->observed = work->distance[out->worst];
    test->low = quantile(n, work->sorted, 0.025);
    test->median = quantile(n, work->sorted, 0.5);
    test->high = quantile(n, work->sorted, 0.975);
    test->p = out->value[out->worst].adjusted;
}

/* A statistic whose values of the y_j are in the column. */
static void compare(struct work *work, double observed, bnre_check_test *test)
{
    const size_t n = work->input->n;

    test->observed = observed;
    test->p = p_of(n, work->column, observed);
    memcpy(work->sorted, work->column, n * sizeof *work->sorted);
    bnre__sort_doubles(n, work->sorted);
    test->low = quantile(n, work->sorted, 0.025);
    test->median = quantile(n, work->sorted, 0.5);
    test->high = quantile(n, work->sorted, 0.975);
}

static bnre_status look_at_summary(struct work *work,
                                   const bnre__check_summary *summary,
                                   bnre_check_test *test)
{
    const bnre__check_input *input = work->input;
    double observed;

    BNRE_DO(bnre__check_summary_of(summary, input->observations, input->x,
                                   &observed));
    for (size_t j = 0; j < input->n; j++)
        BNRE_DO(bnre__check_summary_of(summary, input->observations,
                                       input->y + j * work->size,
                                       &work->column[j]));
    compare(work, observed, test);
    return BNRE_OK;
}

/* Each is compared with each: of large x as few as can tell anything. */
static bnre_status look_at_neighbours(struct work *work, size_t tests,
                                      double alpha, bnre_check_test *test)
{
    const double EFFORT = 1e9;
    const bnre__check_input *input = work->input;
    const double most = sqrt(EFFORT / (double)work->size);
    const size_t least = bnre__check_needed(tests, alpha);
    size_t n = input->n;

    if ((double)n > most)
        n = most > (double)least ? (size_t)most : least;
    test->observed = test->low = test->median = test->high = (double)NAN;
    return bnre__outside_pvalue(n < input->n ? n : input->n, work->size,
                                input->y, input->x, &test->p);
}

/* ---- the ratio ---- */

static bnre_status ratio_of_some(void *arg, size_t worker, size_t first,
                                 size_t last)
{
    struct work *work = arg;
    const bnre__check_input *input = work->input;
    const size_t dim = bnre_prior_dim(input->density->prior);

    if (work->session[worker] == NULL)
        BNRE_DO(
            bnre_session_open(input->density, NULL, &work->session[worker]));
    for (size_t j = first; j < last; j++) {
        BNRE_DO(bnre_session_observe(work->session[worker], input->observations,
                                     input->y + j * work->size));
        BNRE_DO(bnre_session_log_ratio(work->session[worker], 1,
                                       input->theta + j * dim, &work->column[j],
                                       NULL));
    }
    return BNRE_OK;
}

/* Both at the same theta: a pair of numbers for each draw. */
static bnre_status look_at_ratio(struct work *work, bnre_check_test *test)
{
    enum { CHUNK = 16 };
    const bnre__check_input *input = work->input;
    /* Without sessions of their own, threads would observe at once. */
    bnre_pool *pool = input->density->open != NULL ? input->pool : NULL;
    const size_t n = input->n, threads = bnre_pool_threads(pool);
    bnre_status status = BNRE_OK;
    size_t below = 0, above = 0;

    BNRE_NEW(work->session, threads);
    BNRE_TRY(bnre_session_open(input->density, NULL, &work->session[0]));
    BNRE_TRY(
        bnre_session_observe(work->session[0], input->observations, input->x));
    BNRE_TRY(bnre_session_log_ratio(work->session[0], n, input->theta,
                                    work->own, NULL));
    BNRE_TRY(bnre_pool_for(pool, n, CHUNK, ratio_of_some, work));
    for (size_t j = 0; j < n; j++) {
        below += work->column[j] <= work->own[j];
        above += work->column[j] >= work->own[j];
    }
    bnre__sort_doubles(n, work->own);
    compare(work, quantile(n, work->own, 0.5), test);
    test->p = two_sided(n, below, above);
done:
    for (size_t i = 0; work->session != NULL && i < threads; i++)
        bnre_session_close(work->session[i]);
    bnre__free(work->session);
    return status;
}

/* ---- all of it ---- */

static bnre_status check_input(const bnre__check_input *input, size_t size,
                               double alpha)
{
    const size_t tests = bnre__check_tests(input->summaries);
    const size_t needed = bnre__check_needed(tests, alpha);

    if (input->n < needed)
        return bnre_fail(BNRE_EUSAGE,
                         "%zu simulations are too few for %zu tests at the "
                         "level %g: no p-value could be so small. %zu are the "
                         "least",
                         input->n, tests, alpha, needed);
    for (size_t i = 0; i < input->n * size; i++)
        if (!isfinite(input->y[i]))
            return bnre_fail(BNRE_ENUM,
                             "value %zu of simulation %zu is not finite",
                             i % size, i / size);
    for (size_t i = 0; i < size; i++)
        if (!isfinite(input->x[i]))
            return bnre_fail(BNRE_ENUM,
                             "value %zu of the observation is not finite", i);
    return BNRE_OK;
}

static bnre_status name_tests(const bnre__check_input *input, bnre_check *out)
{
    static const char *const name[FIXED] = {
        [VALUES] = "values", [NEIGHBOURS] = "neighbours", [RATIO] = "ratio"};
    bnre_status status = BNRE_OK;

    BNRE_NEW(out->test, bnre__check_tests(input->summaries));
    out->tests = bnre__check_tests(input->summaries);
    for (size_t i = 0; i < FIXED; i++)
        BNRE_TRY(bnre__strdup(name[i], &out->test[i].name));
    for (size_t i = 0; i < input->summaries; i++)
        BNRE_TRY(bnre__strdup(bnre__check_summary_text(input->summary[i]),
                              &out->test[FIXED + i].name));
done:
    return status;
}

static bnre_status adjust(bnre_check *check)
{
    bnre_status status = BNRE_OK;
    double *p = NULL;

    BNRE_NEW(p, 2 * check->tests);
    for (size_t i = 0; i < check->tests; i++)
        p[i] = check->test[i].p;
    BNRE_TRY(bnre__holm(check->tests, p, p + check->tests));
    check->fits = 1;
    for (size_t i = 0; i < check->tests; i++) {
        check->test[i].adjusted = p[check->tests + i];
        check->fits = check->fits && check->test[i].adjusted >= check->alpha;
    }
done:
    bnre__free(p);
    return status;
}

bnre_status bnre__check_fit(const bnre__check_input *input, bnre_check *out)
{
    struct work work = {.input = input,
                        .size = input->observations * input->density->x_size};
    const double alpha = input->alpha > 0 ? input->alpha : ALPHA;
    bnre_status status = BNRE_OK;

    *out = (bnre_check){.draws = input->n,
                        .observations = input->observations,
                        .x_size = input->density->x_size,
                        .alpha = alpha};
    BNRE_TRY(check_input(input, work.size, alpha));
    BNRE_NEW(work.column, input->n + 1);
    BNRE_NEW(work.sorted, input->n + 1);
    BNRE_NEW(work.farthest, input->n);
    BNRE_NEW(work.distance, work.size);
    BNRE_NEW(work.own, input->n);
    BNRE_NEW(out->value, work.size);
    BNRE_TRY(name_tests(input, out));
    look_at_values(&work, out);
    BNRE_TRY(
        look_at_neighbours(&work, out->tests, alpha, &out->test[NEIGHBOURS]));
    BNRE_TRY(look_at_ratio(&work, &out->test[RATIO]));
    for (size_t i = 0; i < input->summaries; i++)
        BNRE_TRY(
            look_at_summary(&work, input->summary[i], &out->test[FIXED + i]));
    BNRE_TRY(adjust(out));
done:
    bnre__free(work.own);
    bnre__free(work.distance);
    bnre__free(work.farthest);
    bnre__free(work.sorted);
    bnre__free(work.column);
    return status;
}

/* ---- words ---- */

static void add_value(const bnre_check *check, bnre__text *text)
{
    const bnre_check_value *value = &check->value[check->worst];
    const double spread = (value->high95 - value->low95) / 4;
    char at[BNRE_READABLE], low[BNRE_READABLE], high[BNRE_READABLE];

    bnre__text_put(text, " (value %zu", check->worst % check->x_size);
    if (check->observations > 1)
        bnre__text_put(text, " of observation %zu",
                       check->worst / check->x_size);
    bnre__text_put(text, " is %s, predicted from %s to %s)",
                   bnre_readable_real(value->observed, spread, at),
                   bnre_readable_real(value->low95, spread, low),
                   bnre_readable_real(value->high95, spread, high));
}

bnre_status bnre__check_words(const bnre_check *check, char **out)
{
    char number[BNRE_READABLE], p[BNRE_READABLE];
    bnre__text text = {0};
    double least = 1;
    size_t told = 0;

    for (size_t i = 0; i < check->tests; i++)
        least = fmin(least, check->test[i].adjusted);
    if (check->fits) {
        bnre__text_put(&text,
                       "nothing in the observation is unlike %s "
                       "simulations from its posterior (%zu tests, the "
                       "smallest corrected %s). That these tests see nothing "
                       "does not make the model right",
                       bnre_readable_count(check->draws, number), check->tests,
                       bnre_readable_p_words(least, p));
        return bnre__text_take(&text, out);
    }
    bnre__text_put(&text,
                   "unlike %s simulations from its "
                   "posterior are",
                   bnre_readable_count(check->draws, number));
    for (size_t i = 0; i < check->tests; i++) {
        if (check->test[i].adjusted >= check->alpha)
            continue;
        bnre__text_show(&text, "%s %s", told++ > 0 ? ";" : "",
                        i == VALUES       ? "its values"
                        : i == NEIGHBOURS ? "its distance to the nearest"
                        : i == RATIO      ? "its log ratio"
                                          : check->test[i].name);
        if (i == VALUES)
            add_value(check, &text);
        bnre__text_put(&text, ", corrected %s",
                       bnre_readable_p_words(check->test[i].adjusted, p));
    }
    bnre__text_put(&text,
                   ". Either the simulator does not describe these data, "
                   "or the posterior of this observation is wrong");
    return bnre__text_take(&text, out);
}
