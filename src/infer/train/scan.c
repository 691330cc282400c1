/* What is learned from the data before the network sees them: scalers, the
   range of x, hashes of rows. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "base/text.h"
#include "data/rows.h"
#include "infer/train/gaps.h"
#include "infer/train/run.h"
#include "prior/prior.h"

/* Of more rows than these only a part leaves its hash: one in two, four, ... */
enum { MOST_HASHES = 1 << 24 };

/* What is gathered in one pass over the rows. */
struct scan {
    const bnre_dataset_info *info;
    size_t joint;     /* rows of the set that is being read */
    size_t want, got; /* of these, rows for the fit, evenly spread */
    size_t fit;       /* rows for the fit from all sets */
    double *theta;    /* (fit, dim_theta), or the part of the set */
    float *x;         /* (fit, x_size) likewise, less the offset */
    double *range;    /* (2, x_size): smallest and largest values, likewise */
    const double *offset; /* (x_size) or NULL */
    uint64_t *hash;
    size_t hashes;
    uint64_t mask;            /* hashes with any of these bits are left out */
    int begun;                /* there is a range */
    const bnre__subset *set;  /* that is being read */
    const bnre_prior *prior;  /* NULL: of classes */
    const uint8_t *log_theta; /* (dim_theta) whether the task wants the */
    int log_x;                /* logarithm of a parameter, or of x */
    double *theta_range;      /* (2, dim_theta) */
};

static double offset_of(const struct scan *scan, size_t j)
{
    return scan->offset != NULL ? scan->offset[j] : 0;
}

static void take_fit(struct scan *scan, size_t first, size_t n,
                     const double *theta, const double *x)
{
    const size_t dim = scan->info->dim_theta, size = scan->info->x_size;

    for (;;) {
        const size_t row = scan->joint / scan->want * scan->got +
                           scan->joint % scan->want * scan->got / scan->want;

        if (scan->got == scan->want || row >= first + n)
            return;
        memcpy(scan->theta + scan->got * dim, theta + (row - first) * dim,
               dim * sizeof *theta);
        for (size_t j = 0; j < size; j++)
            scan->x[scan->got * size + j] =
                (float)(x[(row - first) * size + j] - offset_of(scan, j));
        scan->got++;
    }
}

static void take_hashes(struct scan *scan, size_t n, const double *theta,
                        const double *x)
{
    const size_t dim = scan->info->dim_theta, size = scan->info->x_size;

    for (size_t i = 0; i < n; i++) {
        const uint64_t hash =
            bnre__row_hash(dim, theta + i * dim, size, x + i * size);

        if ((hash & scan->mask) == 0 && scan->hashes < 2 * MOST_HASHES)
            scan->hash[scan->hashes++] = hash;
    }
}

/* All rows, not only those that the scalers are fitted to. */
static bnre_status check_logs(const struct scan *scan, size_t n,
                              const double *theta, const double *x)
{
    static const char text[] = "%s: a row has %g for %s%s, which has no "
                               "logarithm; the task says `transform: log`, "
                               "which needs values above 0";
    const size_t dim = scan->info->dim_theta;

    for (size_t i = 0; scan->log_theta != NULL && i < n * dim; i++)
        if (scan->log_theta[i % dim] && !(theta[i] > 0))
            return bnre_fail(BNRE_ENUM, text, scan->set->path, theta[i],
                             "the parameter ", scan->info->theta_name[i % dim]);
    for (size_t i = 0; scan->log_x && i < n * scan->info->x_size; i++)
        if (!(x[i] > 0))
            return bnre_fail(BNRE_ENUM, text, scan->set->path, x[i],
                             "a value of x", "");
    return BNRE_OK;
}

/* Which row of the file it is that cannot be: only now does that matter. */
static bnre_status name_row(const struct scan *scan)
{
    enum { ROWS = 4096 };
    bnre_dataset *data = scan->set->data;
    const size_t rows = scan->set->info->rows;
    bnre_status status = BNRE_OK;
    char *what = NULL;
    double *theta = NULL;

    BNRE_TRY(bnre__text_format(&what, "%s: row", scan->set->path));
    BNRE_NEW(theta, ROWS * scan->info->dim_theta);
    for (size_t first = 0; first < rows; first += ROWS) {
        const size_t n = rows - first < ROWS ? rows - first : ROWS;

        BNRE_TRY(bnre_dataset_read(data, first, n, theta, NULL, NULL, NULL));
        BNRE_TRY(bnre__prior_check(scan->prior, what, first, n, theta));
    }
done:
    bnre__free(theta);
    bnre__free(what);
    return status;
}

/* The classifier learns the ratio to the prior that is stated: what comes from
   elsewhere was drawn from another. */
static bnre_status check_prior(const struct scan *scan, size_t n,
                               const double *theta)
{
    if (scan->prior == NULL ||
        bnre__prior_check(scan->prior, "pair", 0, n, theta) == BNRE_OK)
        return BNRE_OK;
    return name_row(scan);
}

static void extend_theta(const struct scan *scan, size_t n, const double *theta)
{
    const size_t dim = scan->info->dim_theta;
    double *low = scan->theta_range, *high = low + dim;

    for (size_t i = 0; i < n * dim; i++) {
        const size_t j = i % dim;

        low[j] = theta[i] < low[j] ? theta[i] : low[j];
        high[j] = theta[i] > high[j] ? theta[i] : high[j];
    }
}

static bnre_status scan_train(void *arg, size_t first, size_t n,
                              const double *theta, const double *x)
{
    struct scan *scan = arg;
    const size_t dim = scan->info->dim_theta;
    const size_t size = scan->info->x_size;
    double *low = scan->range, *high = scan->range + size;

    if (!scan->begun) {
        scan->begun = 1;
        for (size_t j = 0; j < size; j++)
            low[j] = high[j] = x[j] - offset_of(scan, j);
        for (size_t j = 0; j < 2 * dim; j++)
            scan->theta_range[j] = theta[j % dim];
    }
    BNRE_DO(check_prior(scan, n, theta));
    BNRE_DO(check_logs(scan, n, theta, x));
    extend_theta(scan, n, theta);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < size; j++) {
            const double value = x[i * size + j] - offset_of(scan, j);

            low[j] = value < low[j] ? value : low[j];
            high[j] = value > high[j] ? value : high[j];
        }
    take_fit(scan, first, n, theta, x);
    take_hashes(scan, n, theta, x);
    return BNRE_OK;
}

static bnre_status scan_other(void *arg, size_t first, size_t n,
                              const double *theta, const double *x)
{
    (void)first;
    take_hashes(arg, n, theta, x);
    BNRE_DO(check_prior(arg, n, theta));
    return check_logs(arg, n, theta, x);
}

static void expect(struct scan *scan, const bnre__subset *set)
{
    scan->joint = set->joint;
    scan->want = bnre__scaler_rows(set->joint, set->info->x_size);
    scan->got = 0;
}

/* The training rows of one class, or all. */
static bnre_status scan_part(const bnre__subset *set, const struct scan *all,
                             struct scan *scan)
{
    if (set == NULL)
        return BNRE_OK;
    expect(scan, set);
    scan->set = set;
    scan->theta = all->theta + scan->fit * set->info->dim_theta;
    scan->x = all->x + scan->fit * set->info->x_size;
    BNRE_DO(bnre__subset_scan(set, scan_train, scan));
    scan->fit += scan->want;
    return BNRE_OK;
}

static bnre_status scan_sets(const bnre__train_data *data, struct scan *all)
{
    bnre_status status = BNRE_OK;
    const bnre__subset *train = data->set[BNRE__ROLE_TRAIN];
    const bnre__subset *other = data->other[BNRE__ROLE_TRAIN];
    size_t rows = 0, room, fit = 0;
    struct scan scan;

    all->info = train->info;
    for (size_t i = 0; i < BNRE__SETS; i++) {
        const bnre__subset *set = bnre__train_data_at(data, i);

        if (set == NULL)
            continue;
        rows += set->joint;
        if (i % BNRE__ROLES == BNRE__ROLE_TRAIN)
            fit += bnre__scaler_rows(set->joint, set->info->x_size);
    }
    for (room = rows; room > MOST_HASHES; room /= 2)
        all->mask = all->mask << 1 | 1;
    BNRE_NEW(all->theta, fit * train->info->dim_theta);
    BNRE_NEW(all->x, fit * train->info->x_size);
    BNRE_NEW(all->range, 2 * train->info->x_size);
    BNRE_NEW(all->theta_range, 2 * train->info->dim_theta);
    BNRE_NEW(all->hash, all->mask == 0 ? rows : 2 * MOST_HASHES);
    scan = *all;
    BNRE_TRY(scan_part(train, all, &scan));
    BNRE_TRY(scan_part(other, all, &scan));
    for (size_t i = 0; i < BNRE__SETS; i++) {
        const bnre__subset *set = bnre__train_data_at(data, i);

        if (set == NULL || i % BNRE__ROLES == BNRE__ROLE_TRAIN)
            continue;
        scan.set = set;
        BNRE_TRY(bnre__subset_scan(set, scan_other, &scan));
    }
    all->fit = scan.fit;
    all->hashes = scan.hashes;
done:
    return status;
}

/* The scaler is of x itself, offset and all. */
static bnre_status fit_x(const struct scan *scan, const bnre__scaler_spec *spec,
                         bnre__scaler *to)
{
    const size_t size = scan->info->x_size, n = scan->fit * size;
    bnre_status status = BNRE_OK;
    double *wide = NULL;

    if (scan->offset == NULL)
        return bnre__scaler_fit_f32(to, spec, scan->fit, scan->x);
    BNRE_NEW(wide, n);
    for (size_t i = 0; i < n; i++)
        wide[i] = scan->offset[i % size] + (double)scan->x[i];
    BNRE_TRY(bnre__scaler_fit_f64(to, spec, scan->fit, wide));
done:
    bnre__free(wide);
    return status;
}

static bnre_status fit(const struct scan *scan, const bnre_train_opts *opts,
                       const bnre_estimator *est, bnre__scaler *to_theta,
                       bnre__scaler *to_x)
{
    static const bnre__scale_by by[] = {
        [BNRE_STANDARDISE_AUTO] = BNRE__SCALE_ELEMENT,
        [BNRE_STANDARDISE_NONE] = BNRE__SCALE_NONE,
        [BNRE_STANDARDISE_ELEMENT] = BNRE__SCALE_ELEMENT,
        [BNRE_STANDARDISE_CHANNEL] = BNRE__SCALE_CHANNEL,
        [BNRE_STANDARDISE_FEATURE] = BNRE__SCALE_FEATURE};
    bnre_status status = BNRE_OK;
    const size_t dim = scan->info->dim_theta, size = scan->info->x_size;
    bnre__scaler_spec theta = {.by = opts->standardise == BNRE_STANDARDISE_NONE
                                         ? BNRE__SCALE_NONE
                                         : BNRE__SCALE_ELEMENT,
                               .ndim = 1,
                               .shape = &dim,
                               .log = est->outline.transform.log_theta,
                               .name = scan->info->theta_name};
    bnre__scaler_spec x = {.by = by[opts->standardise],
                           .ndim = scan->info->ndim,
                           .shape = scan->info->shape};
    uint8_t *logs = NULL, *plain = NULL;

    BNRE_NEW(plain, dim);
    for (size_t i = 0; i < dim; i++)
        plain[i] =
            bnre__prior_values(est->outline.prior, i, NULL) == BNRE__CATEGORIES;
    theta.plain = plain;
    if (est->outline.transform.log_x) {
        BNRE_NEW(logs, size);
        memset(logs, 1, size);
        x.log = logs;
    }
    /* Conditional densities see theta in the coordinates of its prior. */
    if (dim > 0 && est->conditional == NULL)
        BNRE_TRY(
            bnre__scaler_fit_f64(to_theta, &theta, scan->fit, scan->theta));
    BNRE_TRY(fit_x(scan, &x, to_x));
done:
    bnre__free(plain);
    bnre__free(logs);
    return status;
}

/* Whether floats that are all there is of column j have steps of more than a
   thousandth of its spread; whole numbers are exact. */
static int is_coarse(const struct scan *scan, const bnre__scaler *x, size_t j)
{
    const size_t size = scan->info->x_size;
    const double step = fabs(x->location[j]) * (double)FLT_EPSILON / 2;

    if (x->flags[j] != 0 || !(step > 1e-3 * x->scale[j]))
        return 0;
    for (size_t i = 0; i < scan->fit; i++)
        if (scan->x[i * size + j] != rintf(scan->x[i * size + j]))
            return 1;
    return 0;
}

/* What was rounded before it came here cannot be mended, but told. */
static void tell_coarse(const struct scan *scan, const bnre_estimator *est,
                        const bnre_train_opts *opts)
{
    const size_t size = scan->info->x_size;

    for (size_t j = 0;
         est->x_offset == NULL && est->x.columns == size && j < size; j++)
        if (is_coarse(scan, &est->x, j)) {
            bnre__train_note(opts,
                             "warning: value %zu of x lies around %g, where "
                             "the floats it is stored in are coarser than a "
                             "thousandth of its spread: let the simulator take "
                             "a constant off it, or give it as float64 or text",
                             j, est->x.location[j]);
            return;
        }
}

static void tell_constants(const struct scan *scan, const bnre_train_opts *opts)
{
    const size_t size = scan->info->x_size, dim = scan->info->dim_theta;
    size_t n = 0;

    for (size_t j = 0; j < dim; j++)
        if (!(scan->theta_range[j] < scan->theta_range[dim + j]))
            bnre__train_note(opts,
                             "the parameter %s is the same in all simulations: "
                             "nothing can be learned about it; draw it from "
                             "its prior, or leave it out of the task",
                             scan->info->theta_name[j]);
    for (size_t j = 0; j < size; j++)
        n += !(scan->range[j] < scan->range[size + j]);
    if (n == size)
        bnre__train_note(opts, "x is the same in all rows: there is nothing "
                               "to learn from it; look at the simulator");
    else if (n > 0)
        bnre__train_note(opts,
                         "%zu of the %zu values of x are the same in all "
                         "rows: they tell nothing and may be left out",
                         n, size);
}

static void clear(struct scan *scan)
{
    bnre__free(scan->hash);
    bnre__free(scan->theta_range);
    bnre__free(scan->range);
    bnre__free(scan->x);
    bnre__free(scan->theta);
}

static struct scan begin(const bnre_estimator *est)
{
    return (struct scan){.log_theta = est->outline.transform.log_theta,
                         .log_x = est->outline.transform.log_x,
                         .offset = est->x_offset,
                         .prior = est->outline.prior};
}

bnre_status bnre__train_data_fit(const bnre__train_data *data,
                                 const bnre_train_opts *opts,
                                 bnre_estimator *est)
{
    bnre_status status = BNRE_OK;
    struct scan scan = begin(est);

    BNRE_TRY(scan_sets(data, &scan));
    BNRE_TRY(fit(&scan, opts, est, &est->theta, &est->x));
    BNRE_TRY(
        bnre__summary_fit(&est->summary, scan.fit, scan.info->x_size, scan.x));
    bnre__summary_extend(&est->summary, 2, scan.range);
    BNRE_TRY(bnre__estimator_set_hashes(est, scan.hashes, scan.hash));
    tell_constants(&scan, opts);
    BNRE_TRY(bnre__gaps_tell(est, opts, scan.fit, scan.theta));
    if (opts->folds == 0)
        BNRE_TRY(bnre__gaps_find(est, 0, 1, scan.fit, scan.theta));
    tell_coarse(&scan, est, opts);
    if (est->x_offset != NULL && opts->standardise == BNRE_STANDARDISE_NONE)
        bnre__train_note(
            opts,
            "warning: x has more digits than the floats of a network keep, and "
            "`standardise: none` gives it to the network as it is: what "
            "distinguishes its values is lost; leave `standardise` out");
done:
    clear(&scan);
    return status;
}

/* ---- folds ---- */

/* The rows outside a fold, as a set to learn from. */
static bnre_status open_outside(const bnre__train_data *data,
                                const bnre_train_opts *opts, size_t fold,
                                bnre__train_data *out)
{
    BNRE_DO(bnre__folds_outside(&data->folds, fold, &out->roles));
    return bnre__train_data_again(data, opts, BNRE__ROLE_TRAIN, out);
}

static bnre_status fit_fold(const bnre__train_data *data,
                            const bnre_train_opts *opts, size_t fold,
                            bnre_estimator *est)
{
    bnre_status status = BNRE_OK;
    bnre__train_data outside = {0};
    struct scan scan = begin(est);

    BNRE_TRY(open_outside(data, opts, fold, &outside));
    BNRE_TRY(scan_sets(&outside, &scan));
    BNRE_TRY(fit(&scan, opts, est,
                 est->fold_theta != NULL ? &est->fold_theta[fold] : NULL,
                 &est->fold_x[fold]));
    BNRE_TRY(bnre__gaps_find(est, fold, opts->folds, scan.fit, scan.theta));
done:
    clear(&scan);
    bnre__train_data_clear(&outside);
    return status;
}

/* Which rows are in which fold, for those who look at the estimator later. */
struct rows {
    size_t dim, size, n;
    uint64_t *hash;
};

static bnre_status add_rows(void *arg, size_t first, size_t n,
                            const double *theta, const double *x)
{
    struct rows *rows = arg;

    (void)first;
    for (size_t i = 0; i < n; i++)
        rows->hash[rows->n++] = bnre__row_hash(rows->dim, theta + i * rows->dim,
                                               rows->size, x + i * rows->size);
    return BNRE_OK;
}

static bnre_status record_rows(const bnre__train_data *data,
                               bnre_estimator *est)
{
    const bnre__subset *set = data->set[BNRE__ROLE_TRAIN];
    bnre_status status = BNRE_OK;
    struct rows rows = {.dim = set->info->dim_theta, .size = set->info->x_size};
    uint8_t *fold = NULL, *drawn = NULL;
    size_t n = 0;

    BNRE_NEW(rows.hash, set->joint);
    BNRE_NEW(fold, set->joint);
    BNRE_NEW(drawn, set->info->rows);
    BNRE_TRY(bnre__subset_scan(set, add_rows, &rows));
    BNRE_TRY(bnre_dataset_read(set->data, 0, set->info->rows, NULL, NULL, NULL,
                               drawn));
    for (size_t i = 0; i < set->info->rows; i++)
        if (drawn[i] == BNRE_DRAW_OK && data->folds.fold[i] != BNRE__NO_FOLD)
            fold[n++] =
                data->folds.copy[i] ? BNRE__IN_NO_FOLD : data->folds.fold[i];
    BNRE_TRY(bnre__estimator_set_row_folds(est, n, rows.hash, fold));
done:
    bnre__free(drawn);
    bnre__free(fold);
    bnre__free(rows.hash);
    return status;
}

bnre_status bnre__train_data_fit_folds(const bnre__train_data *data,
                                       const bnre_train_opts *opts,
                                       bnre_estimator *est)
{
    for (size_t f = 0; f < data->folds.count; f++)
        BNRE_DO(fit_fold(data, opts, f, est));
    return record_rows(data, est);
}
