/* posterior_files.c - a posterior as files: draws, densities, numbers, and
   the picture. */
#include "bnre/posterior_files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "io/csv.h"
#include "io/file.h"
#include "io/h5.h"
#include "io/json.h"
#include "io/npy.h"
#include "output/corner.h"
#include "output/posterior_exchange.h"
#include "output/posterior_files.h"
#include "output/trust_files.h"
#include "posterior/points.h"
#include "prior/prior.h"

static const double usual_levels[] = {0.683, 0.954, 0.997};

bnre_posterior_files bnre_posterior_files_default(void)
{
    return (bnre_posterior_files){.samples = 10000,
                                  .seed = 1,
                                  .levels = 3,
                                  .level = usual_levels,
                                  .formats = "svg,pdf",
                                  .write = "csv,npy"};
}

struct job {
    bnre_posterior *posterior;
    bnre_session *session;
    const bnre_posterior_files *files;
    const bnre_prior *prior;
    size_t dim;
    double *theta;     /* (samples, dim) */
    const char **name; /* (dim) */
    bnre__corner_opts picture;
    bnre_contour *nominal;       /* of the picture, where none are given */
    bnre__posterior_extra extra; /* of posterior.json; or NULL */
    const void *context;
};

static bnre_status path_to(const struct job *job, const char *file, char **out)
{
    return bnre__text_format(out, "%s/%s", job->files->directory, file);
}

/* ---- checks ---- */

static bnre_status check_free(const bnre_posterior_files *files)
{
    static const char *const names[] = {
        "posterior.json", "samples.csv", "samples.npy",        "posterior.h5",
        "posterior.nc",   "getdist.txt", "draws.csv",          "corner.dat",
        "corner.gp",      "corner-2.gp", "corner-marginals.gp"};
    bnre_status status = BNRE_OK;
    char *path = NULL;

    for (size_t i = 0; i < sizeof names / sizeof *names && !files->force; i++) {
        bnre__free(path);
        path = NULL;
        BNRE_TRY(bnre__text_format(&path, "%s/%s", files->directory, names[i]));
        if (bnre__file_exists(path))
            BNRE_THROW(BNRE_EEXIST, "%s is there already (`force` replaces it)",
                       path);
    }
done:
    bnre__free(path);
    return status;
}

static bnre_status check_truth(const bnre_prior *prior, const double *truth)
{
    char a[32], b[32], c[32];

    if (truth == NULL)
        return BNRE_OK;
    for (size_t i = 0; i < bnre_prior_dim(prior); i++) {
        double low, high;

        bnre_prior_support(prior, i, &low, &high);
        if (!(truth[i] >= low && truth[i] <= high) || isinf(truth[i]))
            return bnre_fail(BNRE_EUSAGE,
                             "the truth has %s = %s, outside the support of "
                             "its prior, from %s to %s",
                             bnre_prior_name(prior, i),
                             bnre__text_real(truth[i], a),
                             bnre__text_real(low, b), bnre__text_real(high, c));
    }
    if (bnre_prior_log_density(prior, truth) == -HUGE_VAL)
        return bnre_fail(BNRE_EUSAGE,
                         "the truth does not satisfy the constraints of the "
                         "prior");
    return BNRE_OK;
}

bnre_status bnre__posterior_files_check(const bnre_posterior_files *files,
                                        const bnre_prior *prior)
{
    bnre__corner_pages pages = {0};
    bnre_status status = BNRE_OK;

    if (files->samples == 0)
        return bnre_fail(BNRE_EUSAGE, "no samples were asked for");
    for (size_t i = 0; i < files->levels; i++)
        if (!(files->level[i] > 0 && files->level[i] < 1))
            return bnre_fail(BNRE_EUSAGE,
                             "level %g: expected a number between 0 and 1",
                             files->level[i]);
    for (size_t i = 0; files->contour != NULL && i < files->contours; i++)
        if (!(files->contour[i].content > 0))
            return bnre_fail(BNRE_EUSAGE,
                             "a region of the picture holds %g of the "
                             "posterior: expected more than 0",
                             files->contour[i].content);
    BNRE_TRY(check_truth(prior, files->truth));
    BNRE_TRY(bnre__corner_pages_init(prior, files->show, &pages));
    BNRE_TRY(bnre__figure_check_formats(files->formats));
    BNRE_TRY(bnre__exchange_check(files->write));
    BNRE_TRY(check_free(files));
done:
    bnre__corner_pages_clear(&pages);
    return status;
}

/* ---- draws ---- */

static bnre_status write_csv(const struct job *job)
{
    bnre_status status = BNRE_OK;
    bnre__file *file = NULL;
    char *path = NULL;

    BNRE_TRY(path_to(job, "samples.csv", &path));
    BNRE_TRY(bnre__file_create(path, &file));
    BNRE_TRY(bnre__csv_write_header(file, job->dim, job->name));
    for (size_t k = 0; k < job->files->samples; k++)
        BNRE_TRY(
            bnre__csv_write_row(file, job->dim, job->theta + k * job->dim));
done:
    status = bnre__file_end(file, status);
    bnre__free(path);
    return status;
}

static bnre_status write_npy(const struct job *job)
{
    const size_t shape[] = {job->files->samples, job->dim};
    bnre_status status = BNRE_OK;
    bnre__file *file = NULL;
    char *path = NULL;

    BNRE_TRY(path_to(job, "samples.npy", &path));
    BNRE_TRY(bnre__file_create(path, &file));
    BNRE_TRY(bnre__npy_write_header(file, 'f', sizeof *job->theta, 2, shape));
    BNRE_TRY(bnre__file_write(file, job->theta,
                              shape[0] * shape[1] * sizeof *job->theta));
done:
    status = bnre__file_end(file, status);
    bnre__free(path);
    return status;
}

static bnre_status write_draws(const struct job *job)
{
    const bnre__exchange exchange = {.posterior = job->posterior,
                                     .session = job->session,
                                     .files = job->files,
                                     .name = job->name,
                                     .theta = job->theta};

    if (bnre__exchange_wants(job->files->write, "csv"))
        BNRE_DO(write_csv(job));
    if (bnre__exchange_wants(job->files->write, "npy"))
        BNRE_DO(write_npy(job));
    return bnre__exchange_write(&exchange);
}

/* ---- HDF5 ---- */

/* The density of the grid, 0 in cells without a point. */
static bnre_status write_density(const struct job *job, bnre__h5_writer *writer)
{
    const bnre_points *points = bnre_posterior_points(job->posterior);
    const double *log_ratio = bnre_posterior_log_ratio(job->posterior);
    const double log_z = bnre_posterior_evidence(job->posterior).log_z;
    bnre_status status = BNRE_OK;
    double *value = NULL;
    size_t id;

    for (size_t i = 0; i < job->dim; i++) {
        char name[32];

        snprintf(name, sizeof name, "axis_%zu", i);
        bnre__free(value);
        value = NULL;
        BNRE_NEW(value, points->axis[i]);
        BNRE_TRY(bnre__points_axis(points, i, NULL, value, NULL));
        BNRE_TRY(bnre__h5_writer_array(writer, name, 'f', sizeof *value, 1,
                                       &points->axis[i], &id));
        BNRE_TRY(bnre__h5_writer_rows(writer, id, 0, points->axis[i], value));
        BNRE_TRY(bnre__h5_writer_text(writer, name, "name", job->name[i]));
    }
    bnre__free(value);
    value = NULL;
    BNRE_NEW(value, points->cells);
    for (size_t k = 0; k < points->n; k++)
        value[points->cell[k]] =
            exp(points->log_prior[k] + log_ratio[k] - log_z);
    BNRE_TRY(bnre__h5_writer_array(writer, "density", 'f', sizeof *value,
                                   job->dim, points->axis, &id));
    BNRE_TRY(bnre__h5_writer_rows(writer, id, 0, points->axis[0], value));
done:
    bnre__free(value);
    return status;
}

static bnre_status write_h5(const struct job *job)
{
    const size_t shape[] = {job->files->samples, job->dim};
    bnre_status status = BNRE_OK;
    bnre__h5_writer *writer = NULL;
    char *path = NULL, *made = NULL;
    size_t id, names = 0;

    if (job->files->made != NULL)
        BNRE_TRY(bnre_node_write(job->files->made, &made));

    for (size_t i = 0; i < job->dim; i++)
        names += 2 * strlen(job->name[i]) + 64;
    BNRE_TRY(path_to(job, "posterior.h5", &path));
    BNRE_TRY(bnre__h5_writer_create(
        path, 16 + 2 * job->dim,
        (made != NULL ? strlen(made) : 0) + names + 512, &writer));
    BNRE_TRY(bnre__h5_writer_text(writer, "/", "bnre_format", "posterior"));
    BNRE_TRY(bnre__h5_writer_text(writer, "/", "version", BNRE_VERSION));
    if (made != NULL)
        BNRE_TRY(bnre__h5_writer_text(writer, "/", "made", made));
    BNRE_TRY(bnre__h5_writer_array(writer, "theta", 'f', sizeof *job->theta, 2,
                                   shape, &id));
    BNRE_TRY(bnre__h5_writer_rows(writer, id, 0, shape[0], job->theta));
    BNRE_TRY(
        bnre__h5_writer_texts(writer, "theta", "names", job->dim, job->name));
    if (bnre_posterior_points(job->posterior)->cells > 0)
        BNRE_TRY(write_density(job, writer));
    status = bnre__h5_writer_commit(writer);
    writer = NULL;
done:
    bnre__h5_writer_discard(writer);
    bnre_free(made);
    bnre__free(path);
    return status;
}

/* ---- JSON ---- */

/* Where the parameter alone is densest, at each level. */
static bnre_status add_highest(const struct job *job, size_t i, bnre__json *one)
{
    bnre_marginal *marginal = NULL;
    bnre_status status = BNRE_OK;
    bnre__json *list, *at, *parts;

    BNRE_NEW(marginal, job->files->levels);
    BNRE_TRY(bnre_marginal_find(job->posterior, i, job->files->levels,
                                job->files->level, marginal));
    BNRE_TRY(bnre__json_list(one, "highest_density", &list));
    for (size_t c = 0; c < job->files->levels; c++) {
        BNRE_TRY(bnre__json_object(list, NULL, &at));
        BNRE_TRY(bnre__json_real(at, "level", marginal[c].level));
        BNRE_TRY(bnre__json_list(at, "intervals", &parts));
        for (size_t k = 0; k < marginal[c].n; k++) {
            const double ends[] = {marginal[c].low[k], marginal[c].high[k]};

            BNRE_TRY(bnre__json_reals(parts, NULL, 2, ends));
        }
    }
done:
    bnre__free(marginal);
    return status;
}

/* Of a whole number: its values, those with less than a millionth left out, and
   their probabilities. */
static bnre_status add_values(const struct job *job, size_t i, bnre__json *one)
{
    bnre_status status = BNRE_OK;
    double *mass = NULL, *value = NULL;
    const size_t n = bnre_posterior_values(job->posterior, i, 0, NULL, NULL);
    size_t kept = 0;

    if (n == 0)
        return BNRE_OK;
    BNRE_NEW(mass, n);
    BNRE_NEW(value, n);
    (void)bnre_posterior_values(job->posterior, i, n, value, mass);
    for (size_t k = 0; k < n; k++)
        if (mass[k] >= 1e-6) {
            value[kept] = value[k];
            mass[kept++] = mass[k];
        }
    BNRE_TRY(bnre__json_reals(one, "values", kept, value));
    BNRE_TRY(bnre__json_reals(one, "probabilities", kept, mass));
done:
    bnre__free(value);
    bnre__free(mass);
    return status;
}

static bnre_status add_parameters(const struct job *job, bnre__json *root)
{
    const bnre_chain_report *report = bnre_posterior_report(job->posterior);
    bnre_status status = BNRE_OK;
    bnre_summary *summary = NULL;
    bnre__json *list, *one;

    BNRE_NEW(summary, job->dim);
    BNRE_TRY(bnre_posterior_summary(job->posterior, summary));
    BNRE_TRY(bnre__json_list(root, "parameters", &list));
    for (size_t i = 0; i < job->dim; i++) {
        const bnre_summary *s = &summary[i];
        const double middle[] = {s->low68, s->high68};
        const double wide[] = {s->low95, s->high95};

        BNRE_TRY(bnre__json_object(list, NULL, &one));
        BNRE_TRY(bnre__json_text(one, "name", job->name[i]));
        if (bnre__prior_label(job->prior, i)[0] != 0)
            BNRE_TRY(bnre__json_text(one, "label",
                                     bnre__prior_label(job->prior, i)));
        if (bnre__prior_unit(job->prior, i)[0] != 0)
            BNRE_TRY(
                bnre__json_text(one, "unit", bnre__prior_unit(job->prior, i)));
        BNRE_TRY(bnre__json_text(one, "prior", bnre_prior_text(job->prior, i)));
        BNRE_TRY(bnre__json_real(one, "mean", s->mean));
        BNRE_TRY(bnre__json_real(one, "sd", s->sd));
        BNRE_TRY(bnre__json_real(one, "median", s->median));
        BNRE_TRY(bnre__json_reals(one, "central_68", 2, middle));
        BNRE_TRY(bnre__json_reals(one, "central_95", 2, wide));
        BNRE_TRY(bnre__json_real(one, "mode", s->mode));
        BNRE_TRY(add_highest(job, i, one));
        BNRE_TRY(add_values(job, i, one));
        if (job->files->truth != NULL)
            BNRE_TRY(bnre__json_real(one, "truth", job->files->truth[i]));
        if (report == NULL)
            continue;
        BNRE_TRY(bnre__json_real(one, "rhat", report->parameter[i].rhat));
        BNRE_TRY(bnre__json_real(one, "ess_bulk", report->parameter[i].bulk));
        BNRE_TRY(bnre__json_real(one, "ess_tail", report->parameter[i].tail));
    }
done:
    bnre__free(summary);
    return status;
}

static bnre_status add_covariance(const struct job *job, bnre__json *root)
{
    bnre_status status = BNRE_OK;
    double *mean = NULL, *covariance = NULL;
    bnre__json *list;

    BNRE_NEW(mean, job->dim);
    BNRE_NEW(covariance, job->dim * job->dim);
    bnre_posterior_moments(job->posterior, mean, covariance);
    BNRE_TRY(bnre__json_list(root, "covariance", &list));
    for (size_t i = 0; i < job->dim; i++)
        BNRE_TRY(
            bnre__json_reals(list, NULL, job->dim, covariance + i * job->dim));
done:
    bnre__free(covariance);
    bnre__free(mean);
    return status;
}

/* The intervals of a region, where there is one free parameter. */
static bnre_status add_intervals(const struct job *job,
                                 const bnre_region *region, bnre__json *one)
{
    bnre_status status = BNRE_OK;
    double *low = NULL, *high = NULL;
    bnre__json *list;
    size_t n = region->parts;

    BNRE_NEW(low, n);
    BNRE_NEW(high, n);
    if (bnre_posterior_intervals(job->posterior, region, &n, low, high) !=
        BNRE_OK)
        goto done; /* there are more parameters */
    BNRE_TRY(bnre__json_list(one, "intervals", &list));
    for (size_t i = 0; i < n && i < region->parts; i++) {
        const double ends[] = {low[i], high[i]};

        BNRE_TRY(bnre__json_reals(list, NULL, 2, ends));
    }
done:
    bnre__free(high);
    bnre__free(low);
    return status;
}

static bnre_status add_regions(const struct job *job, bnre__json *root)
{
    bnre_status status = BNRE_OK;
    bnre_region *region = NULL;
    bnre__json *list, *one;

    BNRE_NEW(region, job->files->levels);
    BNRE_TRY(bnre_posterior_regions(job->posterior, job->files->levels,
                                    job->files->level, region));
    BNRE_TRY(bnre__json_list(root, "regions", &list));
    for (size_t i = 0; i < job->files->levels; i++) {
        BNRE_TRY(bnre__json_object(list, NULL, &one));
        BNRE_TRY(bnre__json_real(one, "level", region[i].level));
        BNRE_TRY(bnre__json_real(one, "content", region[i].content));
        BNRE_TRY(bnre__json_real(one, "log_density", region[i].threshold));
        BNRE_TRY(bnre__json_real(one, "prior_mass", region[i].prior_mass));
        BNRE_TRY(bnre__json_real(one, "volume", region[i].volume));
        if (region[i].parts == 0)
            continue;
        BNRE_TRY(bnre__json_size(one, "parts", region[i].parts));
        BNRE_TRY(add_intervals(job, &region[i], one));
    }
done:
    bnre__free(region);
    return status;
}

static bnre_status add_method(const struct job *job, bnre__json *root)
{
    const bnre_points *points = bnre_posterior_points(job->posterior);
    const bnre_chain_report *report = bnre_posterior_report(job->posterior);
    const bnre_evidence evidence = bnre_posterior_evidence(job->posterior);
    bnre__json *one;

    BNRE_DO(bnre__json_text(root, "method", bnre__points_name(points->kind)));
    BNRE_DO(bnre__json_size(root, "points", points->n));
    BNRE_DO(bnre__json_object(root, "evidence", &one));
    BNRE_DO(bnre__json_real(one, "log_z", evidence.log_z));
    BNRE_DO(bnre__json_real(one, "error", evidence.error));
    BNRE_DO(bnre__json_real(one, "change", evidence.change));
    BNRE_DO(bnre__json_real(one, "ess", evidence.ess));
    if (report == NULL)
        return BNRE_OK;
    BNRE_DO(bnre__json_object(root, "chains", &one));
    BNRE_DO(bnre__json_flag(one, "converged", report->converged));
    BNRE_DO(bnre__json_text(one, "why", report->why));
    BNRE_DO(bnre__json_size(one, "chains", report->chains));
    BNRE_DO(bnre__json_size(one, "steps", report->steps));
    BNRE_DO(bnre__json_size(one, "stages", report->stages));
    BNRE_DO(bnre__json_size(one, "evaluations", report->evaluations));
    BNRE_DO(bnre__json_real(one, "accepted_leaps", report->leaping));
    return bnre__json_real(one, "accepted_local", report->local);
}

static bnre_status write_json(const struct job *job)
{
    bnre_status status = BNRE_OK;
    bnre__json *root = NULL;
    char *path = NULL;
    double rank;

    BNRE_TRY(path_to(job, "posterior.json", &path));
    BNRE_TRY(bnre__json_create(&root));
    BNRE_TRY(add_method(job, root));
    BNRE_TRY(add_parameters(job, root));
    BNRE_TRY(add_covariance(job, root));
    BNRE_TRY(add_regions(job, root));
    BNRE_TRY(bnre__corner_json(job->posterior, &job->picture, root));
    if (job->files->truth != NULL) {
        BNRE_TRY(bnre_posterior_rank(job->posterior, job->session,
                                     job->files->truth, &rank));
        BNRE_TRY(bnre__json_real(root, "truth_in_region", rank));
    }
    BNRE_TRY(bnre__json_text(root, "version", BNRE_VERSION));
    BNRE_TRY(bnre__made_add(root, job->files->made));
    if (job->extra != NULL)
        BNRE_TRY(job->extra(job->context, root));
    BNRE_TRY(bnre__json_write(root, path));
done:
    bnre__json_destroy(root);
    bnre__free(path);
    return status;
}

/* ---- all of it ---- */

/* The levels, unless regions are given. */
static bnre_status choose_contours(struct job *job)
{
    const bnre_posterior_files *files = job->files;
    bnre_status status = BNRE_OK;

    job->picture = (bnre__corner_opts){.contours = files->contours,
                                       .contour = files->contour,
                                       .truth = files->truth,
                                       .note = files->note,
                                       .show = files->show,
                                       .formats = files->formats};
    if (files->contour != NULL)
        return BNRE_OK;
    BNRE_NEW(job->nominal, files->levels);
    for (size_t i = 0; i < files->levels; i++)
        job->nominal[i] = (bnre_contour){.content = files->level[i],
                                         .level = files->level[i]};
    job->picture.contours = files->levels;
    job->picture.contour = job->nominal;
done:
    return status;
}

static bnre_status draw(const struct job *job, int *drawn)
{
    bnre_status status = BNRE_OK;
    char *stem = NULL;

    BNRE_TRY(path_to(job, "corner", &stem));
    BNRE_TRY(bnre__corner_draw(job->posterior, stem, &job->picture, drawn));
done:
    bnre__free(stem);
    return status;
}

bnre_status bnre_posterior_save(bnre_posterior *posterior,
                                bnre_session *session,
                                const bnre_posterior_files *files, int *drawn)
{
    return bnre__posterior_save(posterior, session, files, NULL, NULL, drawn);
}

bnre_status bnre__posterior_save(bnre_posterior *posterior,
                                 bnre_session *session,
                                 const bnre_posterior_files *files,
                                 bnre__posterior_extra extra,
                                 const void *context, int *drawn)
{
    const bnre_points *points = bnre_posterior_points(posterior);
    struct job job = {.posterior = posterior,
                      .session = session,
                      .files = files,
                      .extra = extra,
                      .context = context,
                      .prior = points->prior,
                      .dim = points->dim};
    bnre_status status = BNRE_OK;
    int done_drawing = 1;

    BNRE_TRY(bnre__posterior_files_check(files, points->prior));
    BNRE_NEW(job.name, job.dim);
    for (size_t i = 0; i < job.dim; i++)
        job.name[i] = bnre_prior_name(job.prior, i);
    BNRE_NEW(job.theta, files->samples * job.dim);
    BNRE_TRY(bnre_posterior_sample(posterior, files->samples, files->seed,
                                   job.theta));
    BNRE_TRY(choose_contours(&job));
    BNRE_TRY(write_json(&job));
    BNRE_TRY(write_draws(&job));
    BNRE_TRY(write_h5(&job));
    BNRE_TRY(draw(&job, &done_drawing));
    if (drawn != NULL)
        *drawn = done_drawing;
done:
    bnre__free(job.nominal);
    bnre__free(job.theta);
    bnre__free(job.name);
    return status;
}
