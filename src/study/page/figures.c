/* figures.c - which figures there are of a study, and drawing them: of all
   cells, of how a run chose lambda and temper, and the posteriors side by
   side. */
#include "study/page/figures.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/text.h"
#include "io/file.h"
#include "output/corner.h"
#include "output/trust_files.h"
#include "study/page/charts.h"

static const struct kind {
    const char *name, *heading;
    bnre__chart_draw *draw;
} kinds[] = {
    {"coverage", "Expected coverage", bnre__chart_coverage},
    {"auc", "Coverage and information", bnre__chart_auc},
    {"log-posterior", "Expected log posterior", bnre__chart_log_posterior},
    {"bias-variance", "Bias and variance", bnre__chart_bias},
    {"lambda", "Strength of the penalty", bnre__chart_lambda},
    {"posterior", "Posterior of the observation", bnre__chart_posterior},
    {"balance", "Balance", bnre__chart_balance},
    {"training", "Training", bnre__chart_training},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

#define CANDIDATES "candidates"
#define CORNER "corner"

/* What is being made. */
struct job {
    const bnre__saved_study *study;
    const char *formats;
    bnre__page_figures *figures;
};

/* Takes `name` and `caption`. */
static bnre_status add_figure(struct job *job, bnre__page_figure figure,
                              bnre__text *name, bnre__text *caption, int drawn)
{
    bnre__page_figures *figures = job->figures;
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__text_take(name, &figure.name));
    BNRE_TRY(bnre__text_take(caption, &figure.caption));
    BNRE_GROW(figures->item, figures->room, figures->n + 1);
    figures->item[figures->n++] = figure;
    figures->drawn = figures->drawn && drawn;
    figure = (bnre__page_figure){0};
done:
    bnre__free(figure.name);
    bnre__free(figure.caption);
    return status;
}

/* A name that is one for files, gnuplot and HTML. */
static void make_plain(bnre__text *name)
{
    for (size_t i = 0; i < name->length; i++)
        if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                   "0123456789_-",
                   name->data[i]) == NULL)
            name->data[i] = '_';
}

static int is_taken(const bnre__page_figures *figures, const bnre__text *name)
{
    for (size_t i = 0; name->status == BNRE_OK && i < figures->n; i++)
        if (strcmp(figures->item[i].name, name->data) == 0)
            return 1;
    return 0;
}

static bnre_status draw_task(struct job *job, const char *task)
{
    bnre__layout layout = {0};
    bnre_status status = BNRE_OK;
    bnre__chart chart = {.study = job->study, .formats = job->formats};
    bnre__text name = {0};

    BNRE_TRY(bnre__layout_init(job->study, task, &layout));
    chart.layout = &layout;
    for (size_t i = 0; i < KINDS; i++) {
        name.length = 0;
        bnre__text_put(&name, "%s%s%s", kinds[i].name, task == NULL ? "" : "-",
                       task == NULL ? "" : task);
        BNRE_TRY(bnre__text_check(&name));
        make_plain(&name);
        chart.name = name.data;
        chart.drawn = 1;
        BNRE_TRY(kinds[i].draw(&chart));
        if (chart.caption.length > 0)
            BNRE_TRY(add_figure(
                job,
                (bnre__page_figure){.heading = kinds[i].heading, .task = task},
                &name, &chart.caption, chart.drawn));
    }
done:
    bnre__free(name.data);
    bnre__free(chart.caption.data);
    bnre__layout_clear(&layout);
    return status;
}

/* ---- how lambda and temper were chosen ---- */

/* As many for each cell, so that a page with all of them can be opened. */
enum { MOST_CANDIDATES = 24 };

static bnre_status draw_candidates(struct job *job, size_t run)
{
    const bnre__saved_run *of = &job->study->run[run];
    const bnre_certificate *certificate = &of->certificate;
    bnre_status status = BNRE_OK;
    bnre__text name = {0}, caption = {0};
    char *stem = NULL;
    int drawn;

    bnre__text_put(&name, CANDIDATES "-%s-%zu", job->study->cell[of->cell].name,
                   of->repeat);
    make_plain(&name);
    if (is_taken(job->figures, &name))
        bnre__text_put(&name, "-run-%zu", run + 1);
    BNRE_TRY(bnre__text_check(&name));
    BNRE_TRY(
        bnre__text_format(&stem, "%s/figures/%s", job->study->dir, name.data));
    BNRE_TRY(bnre__trust_draw(certificate, stem, job->formats, &drawn));
    bnre__text_put(
        &caption,
        "Each point is a lambda and a temper, judged on %zu pairs: how much it "
        "tells about the parameters, against the worst of its coverage minus "
        "credibility over all levels (right of the dashed line none is too "
        "low). Circles: those that no other beats in both and that were to be "
        "tested on other pairs, the safest first. The star: %s.",
        certificate->select.use,
        certificate->certified         ? "the sharpest of them that passed"
        : certificate->certify.use > 0 ? "the safest, as none passed"
                                       : "the sharpest of them, untested");
    status = add_figure(
        job, (bnre__page_figure){.heading = "Candidates", .run = run + 1},
        &name, &caption, drawn);
done:
    bnre__free(caption.data);
    bnre__free(stem);
    bnre__free(name.data);
    return status;
}

static int has_candidates(const bnre_certificate *certificate)
{
    return certificate->kind == BNRE_CERTIFICATE_FRESH && certificate->n > 1 &&
           !certificate->blind;
}

static bnre_status draw_choices(struct job *job)
{
    const bnre__saved_study *study = job->study;
    size_t cells = 0, each = 1;

    for (size_t i = 0; i < study->cells; i++)
        cells += (size_t)has_candidates(
            &study->run[study->cell[i].first].certificate);
    if (cells > 0 && cells < MOST_CANDIDATES)
        each = MOST_CANDIDATES / cells;
    for (size_t i = 0; i < study->runs; i++)
        if (has_candidates(&study->run[i].certificate) &&
            i - study->cell[study->run[i].cell].first < each)
            BNRE_DO(draw_candidates(job, i));
    return BNRE_OK;
}

/* ---- posteriors of the observation, side by side ---- */

static size_t count_pages(const bnre__saved_study *study, size_t cell)
{
    return bnre__corner_pages_told(
        study->run[study->cell[cell].first].posterior);
}

static int same_task(const bnre__saved_study *study, size_t a, size_t b)
{
    return strcmp(study->cell[a].task, study->cell[b].task) == 0;
}

/* Whether there are others to be compared with. */
static int is_shared(const bnre__saved_study *study, size_t cell)
{
    size_t n = 0;

    for (size_t i = 0; i < study->cells; i++)
        n += same_task(study, i, cell) && count_pages(study, i) > 0;
    return n > 1;
}

/* From the lowest to the highest that a run of the task shows. */
static void share_axis(const bnre__saved_study *study, size_t cell,
                       bnre__corner_axis *axis)
{
    /* All from posterior.json: the table is rounded. */
    axis->from = HUGE_VAL;
    axis->to = -HUGE_VAL;
    for (size_t i = 0; i < study->runs; i++) {
        const bnre__saved_run *run = &study->run[i];
        const bnre__json *ends = bnre__json_find(
            bnre__json_find(bnre__json_find(run->posterior, "picture"),
                            "ranges"),
            axis->name);
        const double low = bnre__json_as_real(bnre__json_at(ends, 0));
        const double high = bnre__json_as_real(bnre__json_at(ends, 1));

        if (!same_task(study, run->cell, cell) || !(low < high) ||
            !isfinite(low) || !isfinite(high))
            continue;
        axis->from = fmin(axis->from, low);
        axis->to = fmax(axis->to, high);
    }
    if (!(axis->from < axis->to)) {
        axis->from = axis->low;
        axis->to = axis->high;
    }
}

/* Draw a page of a cell's first run as the figure `name`. *found is 0, and
   nothing is drawn, where it has none that can be read. */
static bnre_status draw_page(struct job *job, size_t cell, size_t page,
                             const char *name, int *found, int *drawn)
{
    const bnre__saved_study *study = job->study;
    const bnre__saved_run *run = &study->run[study->cell[cell].first];
    bnre__corner_view view = {0};
    bnre_status status = BNRE_OK;
    bnre__text path = {0};
    char *stem = NULL;

    bnre__text_put(&path, "%s/%s/posterior/corner", study->dir, run->dir);
    if (page > 0)
        bnre__text_put(&path, "-%zu", page + 1);
    bnre__text_put(&path, ".dat");
    BNRE_TRY(bnre__text_check(&path));
    BNRE_TRY(
        bnre__corner_view_read(run->posterior, page, path.data, &view, found));
    if (!*found)
        goto done;
    for (size_t a = 0; a < view.n; a++)
        share_axis(study, cell, &view.axis[a]);
    BNRE_TRY(bnre__text_format(&stem, "%s/figures/%s", study->dir, name));
    BNRE_TRY(bnre__corner_view_draw(&view, stem, job->formats, drawn));
done:
    bnre__corner_view_clear(&view);
    bnre__free(stem);
    bnre__free(path.data);
    return status;
}

/* "corner-CELL", further pages "corner-CELL-page-2", ...; cells whose names are
   alike for files have their number too. */
static void name_corner(const struct job *job, size_t cell, size_t page,
                        bnre__text *name)
{
    for (int again = 0; again < 2; again++) {
        name->length = 0;
        bnre__text_put(name, CORNER "-%s", job->study->cell[cell].name);
        if (again)
            bnre__text_put(name, "-cell-%zu", cell + 1);
        if (page > 0)
            bnre__text_put(name, "-page-%zu", page + 1);
        make_plain(name);
        if (!is_taken(job->figures, name))
            return;
    }
}

static bnre_status draw_corner(struct job *job, size_t cell)
{
    bnre_status status = BNRE_OK;
    bnre__text name = {0}, caption = {0};
    int found = 1, drawn = 1;

    for (size_t page = 0; page < count_pages(job->study, cell); page++) {
        name_corner(job, cell, page, &name);
        BNRE_TRY(bnre__text_check(&name));
        BNRE_TRY(draw_page(job, cell, page, name.data, &found, &drawn));
        if (!found)
            break;
        bnre__text_put(&caption, "Posterior of the observation");
        BNRE_TRY(add_figure(
            job, (bnre__page_figure){.heading = "Posterior", .cell = cell + 1},
            &name, &caption, drawn));
    }
done:
    bnre__free(caption.data);
    bnre__free(name.data);
    return status;
}

static bnre_status draw_corners(struct job *job)
{
    size_t shown = 0;

    for (size_t i = 0; i < job->study->cells && shown < BNRE__MOST_CORNERS; i++)
        if (is_shared(job->study, i)) {
            BNRE_DO(draw_corner(job, i));
            shown++;
        }
    return BNRE_OK;
}

/* ---- what is left of figures of an earlier time ---- */

static int begins_with(const char *file, size_t length, const char *name)
{
    const size_t part = strlen(name);

    return length >= part && strncmp(file, name, part) == 0 &&
           (length == part || file[part] == '-');
}

static int is_left(const bnre__page_figures *figures, const char *file)
{
    static const char *const ending[] = {".svg", ".pdf", ".png", ".gp", ".dat"};
    const char *dot = strrchr(file, '.');
    int ours, known = 0;
    size_t length;

    if (dot == NULL)
        return 0;
    length = (size_t)(dot - file);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        known = known || strcmp(dot, ending[i]) == 0;
    ours = begins_with(file, length, CANDIDATES) ||
           begins_with(file, length, CORNER);
    for (size_t i = 0; i < KINDS; i++)
        ours = ours || begins_with(file, length, kinds[i].name);
    for (size_t i = 0; i < figures->n; i++)
        if (strlen(figures->item[i].name) == length &&
            strncmp(figures->item[i].name, file, length) == 0)
            return 0;
    return ours && known;
}

static bnre_status remove_left(const bnre__page_figures *figures,
                               const char *path)
{
    DIR *directory = opendir(path);
    bnre_status status = BNRE_OK;
    const struct dirent *entry;
    char *file = NULL;

    if (directory == NULL)
        return bnre__file_fail(path, "read", errno);
    while ((entry = readdir(directory)) != NULL) {
        if (!is_left(figures, entry->d_name))
            continue;
        BNRE_TRY(bnre__text_format(&file, "%s/%s", path, entry->d_name));
        BNRE_TRY(bnre__file_remove(file));
        bnre__free(file);
        file = NULL;
    }
done:
    bnre__free(file);
    closedir(directory);
    return status;
}

/* ---- all of them ---- */

/* The first cell of each task stands for it. */
static int is_first_of_task(const bnre__saved_study *study, size_t cell)
{
    for (size_t i = 0; i < cell; i++)
        if (same_task(study, i, cell))
            return 0;
    return 1;
}

bnre_status bnre__page_figures_draw(const bnre__saved_study *study,
                                    const char *formats,
                                    bnre__page_figures *out)
{
    struct job job = {study, formats, out};
    bnre_status status = BNRE_OK;
    char *path = NULL;
    size_t tasks = 0;

    *out = (bnre__page_figures){.drawn = 1};
    BNRE_TRY(bnre__text_format(&path, "%s/figures", study->dir));
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        BNRE_TRY(bnre__file_fail(path, "write", errno));
    for (size_t i = 0; i < study->cells; i++)
        tasks += (size_t)is_first_of_task(study, i);
    for (size_t i = 0; i < study->cells; i++)
        if (is_first_of_task(study, i))
            BNRE_TRY(draw_task(&job, tasks > 1 ? study->cell[i].task : NULL));
    BNRE_TRY(draw_choices(&job));
    BNRE_TRY(draw_corners(&job));
    BNRE_TRY(remove_left(out, path));
done:
    bnre__free(path);
    if (status != BNRE_OK)
        bnre__page_figures_clear(out);
    return status;
}

void bnre__page_figures_clear(bnre__page_figures *figures)
{
    for (size_t i = 0; i < figures->n; i++) {
        bnre__free(figures->item[i].name);
        bnre__free(figures->item[i].caption);
    }
    bnre__free(figures->item);
    *figures = (bnre__page_figures){0};
}
