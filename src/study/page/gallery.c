#include "study/page/gallery.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/trust_files.h"
#include "io/file.h"
#include "output/corner_json.h"
#include "study/page/study_corners.h"
#include "study/page/study_figures.h"

static const struct kind {
    const char *name, *heading;
    bnre_status (*draw)(bnre__easel *easel);
} kinds[] = {
    {"coverage", "Expected coverage", bnre__draw_coverage},
    {"auc", "Coverage and information", bnre__draw_auc},
    {"log-posterior", "Expected log posterior", bnre__draw_log_posterior},
    {"bias-variance", "Bias and variance", bnre__draw_bias},
    {"lambda", "Strength of the penalty", bnre__draw_lambda},
    {"posterior", "Posterior of the observation", bnre__draw_posterior},
    {"balance", "Balance", bnre__draw_balance},
    {"training", "Training", bnre__draw_training},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

#define CANDIDATES "candidates"
#define CORNER "corner"

static bnre_status add_picture(bnre__gallery *gallery, const char *name,
                               const char *heading, const char *task,
                               size_t run, bnre__text *caption)
{
    bnre_status status = BNRE_OK;
    bnre__picture *picture;

    BNRE_GROW(gallery->picture, gallery->room, gallery->n + 1);
    picture = &gallery->picture[gallery->n];
    BNRE_TRY(bnre__strdup(name, &picture->name));
    picture->heading = heading;
    picture->task = task;
    picture->run = run;
    picture->caption = caption->data;
    *caption = (bnre__text){0};
    gallery->n++;
done:
    return status;
}

/* A name that is one for files, gnuplot and HTML. */
static void make_plain(char *name)
{
    for (; *name != 0; name++)
        if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                   "0123456789_-",
                   *name) == NULL)
            *name = '_';
}

static bnre_status draw_task(const bnre__findings *findings, const char *task,
                             const char *formats, bnre__gallery *gallery)
{
    bnre__layout layout = {0};
    bnre_status status = BNRE_OK;
    bnre__easel easel = {.findings = findings, .formats = formats};
    char *name = NULL;

    BNRE_TRY(bnre__layout_init(findings, task, &layout));
    easel.layout = &layout;
    for (size_t i = 0; i < KINDS; i++) {
        BNRE_TRY(bnre__text_format(&name, "%s%s%s", kinds[i].name,
                                   task == NULL ? "" : "-",
                                   task == NULL ? "" : task));
        make_plain(name);
        easel.name = name;
        easel.drawn = 1;
        BNRE_TRY(kinds[i].draw(&easel));
        gallery->drawn = gallery->drawn && easel.drawn;
        if (easel.caption.length > 0)
            BNRE_TRY(add_picture(gallery, name, kinds[i].heading, task, 0,
                                 &easel.caption));
        bnre__free(name);
        name = NULL;
    }
done:
    bnre__free(name);
    bnre__free(easel.caption.data);
    bnre__layout_clear(&layout);
    return status;
}

/* ---- how lambda and temper were chosen ---- */

/* As many for each cell, so that a page with all of them can be opened. */
enum { MOST_CANDIDATES = 24 };

static int is_taken(const bnre__gallery *gallery, const char *name)
{
    for (size_t i = 0; i < gallery->n; i++)
        if (strcmp(gallery->picture[i].name, name) == 0)
            return 1;
    return 0;
}

static bnre_status draw_candidates(const bnre__findings *findings, size_t run,
                                   const char *formats, bnre__gallery *gallery)
{
    const bnre__run_found *of = &findings->run[run];
    const bnre_certificate *certificate = &of->certificate;
    bnre_status status = BNRE_OK;
    char *name = NULL, *stem = NULL;
    bnre__text caption = {0};
    int drawn;

    BNRE_TRY(bnre__text_format(&name, CANDIDATES "-%s-%zu",
                               findings->cell[of->cell].name, of->repeat));
    make_plain(name);
    if (is_taken(gallery, name)) {
        BNRE_TRY(bnre__text_format(&stem, "%s-run-%zu", name, run + 1));
        bnre__free(name);
        name = stem;
        stem = NULL;
    }
    BNRE_TRY(bnre__text_format(&stem, "%s/figures/%s", findings->dir, name));
    BNRE_TRY(bnre_trust_draw(certificate, stem, formats, &drawn));
    gallery->drawn = gallery->drawn && drawn;
    BNRE_TRY(bnre__text_add(
        &caption,
        "Each point is a lambda and a temper, judged on %zu pairs: how much it "
        "tells about the parameters, against the worst of its coverage minus "
        "credibility over all levels (right of the dashed line none is too "
        "low). Circles: those that no other beats in both and that were to be "
        "tested on other pairs, the safest first. The star: %s.",
        certificate->select.use,
        certificate->certified         ? "the sharpest of them that passed"
        : certificate->certify.use > 0 ? "the safest, as none passed"
                                       : "the sharpest of them, untested"));
    BNRE_TRY(add_picture(gallery, name, "Candidates", NULL, run + 1, &caption));
done:
    bnre__free(caption.data);
    bnre__free(stem);
    bnre__free(name);
    return status;
}

static int has_candidates(const bnre_certificate *certificate)
{
    return certificate->n > 1 && !certificate->blind;
}

static bnre_status draw_choices(const bnre__findings *findings,
                                const char *formats, bnre__gallery *gallery)
{
    bnre_status status = BNRE_OK;
    size_t cells = 0, each = 1;

    for (size_t i = 0; i < findings->cells; i++)
        cells += (size_t)has_candidates(
            &findings->run[findings->cell[i].first].certificate);
    if (cells > 0 && cells < MOST_CANDIDATES)
        each = MOST_CANDIDATES / cells;
    for (size_t i = 0; i < findings->runs; i++)
        if (has_candidates(&findings->run[i].certificate) &&
            i - findings->cell[findings->run[i].cell].first < each)
            BNRE_TRY(draw_candidates(findings, i, formats, gallery));
done:
    return status;
}

/* ---- posteriors of the observation, side by side ---- */

/* "corner-CELL", further pages "corner-CELL-page-2", ...; cells whose names are
   alike for files have their number too. */
static bnre_status name_corner(const bnre__findings *findings, size_t cell,
                               size_t page, const bnre__gallery *gallery,
                               char **out)
{
    bnre_status status = BNRE_OK;
    bnre__text name = {0};

    for (int again = 0; again < 2; again++) {
        name.length = 0;
        BNRE_TRY(
            bnre__text_add(&name, CORNER "-%s", findings->cell[cell].name));
        if (again)
            BNRE_TRY(bnre__text_add(&name, "-cell-%zu", cell + 1));
        if (page > 0)
            BNRE_TRY(bnre__text_add(&name, "-page-%zu", page + 1));
        make_plain(name.data);
        if (!is_taken(gallery, name.data))
            break;
    }
    *out = name.data;
    name.data = NULL;
done:
    bnre__free(name.data);
    return status;
}

static bnre_status draw_corner(const bnre__findings *findings, size_t cell,
                               const char *formats, bnre__gallery *gallery)
{
    const size_t pages = bnre__corner_json_pages(
        findings->run[findings->cell[cell].first].posterior);
    bnre_status status = BNRE_OK;
    char *name = NULL;
    bnre__text caption = {0};
    int found = 1, drawn;

    for (size_t page = 0; page < pages; page++) {
        bnre__free(name);
        name = NULL;
        BNRE_TRY(name_corner(findings, cell, page, gallery, &name));
        BNRE_TRY(bnre__study_corner_draw(findings, cell, page, name, formats,
                                         &found, &drawn));
        if (!found)
            break;
        gallery->drawn = gallery->drawn && drawn;
        BNRE_TRY(bnre__text_add(&caption, "Posterior of the observation"));
        BNRE_TRY(add_picture(gallery, name, "Posterior", NULL, 0, &caption));
        gallery->picture[gallery->n - 1].cell = cell + 1;
    }
done:
    bnre__free(caption.data);
    bnre__free(name);
    return status;
}

static bnre_status draw_corners(const bnre__findings *findings,
                                const char *formats, bnre__gallery *gallery)
{
    bnre_status status = BNRE_OK;
    size_t shown = 0;

    for (size_t i = 0; i < findings->cells && shown < BNRE__MOST_CORNERS; i++)
        if (bnre__study_corners_shared(findings, i)) {
            BNRE_TRY(draw_corner(findings, i, formats, gallery));
            shown++;
        }
done:
    return status;
}

/* ---- what is left of figures of an earlier time ---- */

static int begins_with(const char *file, size_t length, const char *name)
{
    const size_t part = strlen(name);

    return length >= part && strncmp(file, name, part) == 0 &&
           (length == part || file[part] == '-');
}

static int is_left(const bnre__gallery *gallery, const char *file)
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
    for (size_t i = 0; i < gallery->n; i++)
        if (strlen(gallery->picture[i].name) == length &&
            strncmp(gallery->picture[i].name, file, length) == 0)
            return 0;
    return ours && known;
}

static bnre_status remove_left(const bnre__gallery *gallery, const char *path)
{
    DIR *directory = opendir(path);
    bnre_status status = BNRE_OK;
    const struct dirent *entry;
    char *file = NULL;

    if (directory == NULL)
        return bnre__file_fail(path, "read", errno);
    while ((entry = readdir(directory)) != NULL) {
        if (!is_left(gallery, entry->d_name))
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

/* The first cell of each task stands for it. */
static int is_first_of_task(const bnre__findings *findings, size_t cell,
                            size_t *tasks)
{
    for (size_t i = 0; i < cell; i++)
        if (strcmp(findings->cell[i].task, findings->cell[cell].task) == 0)
            return 0;
    ++*tasks;
    return 1;
}

bnre_status bnre__gallery_draw(const bnre__findings *findings,
                               const char *formats, bnre__gallery *out)
{
    bnre_status status = BNRE_OK;
    char *path = NULL;
    size_t tasks = 0;

    *out = (bnre__gallery){.drawn = 1};
    BNRE_TRY(bnre__text_format(&path, "%s/figures", findings->dir));
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        BNRE_TRY(bnre__file_fail(path, "write", errno));
    for (size_t i = 0; i < findings->cells; i++)
        is_first_of_task(findings, i, &tasks);
    if (tasks == 1)
        BNRE_TRY(draw_task(findings, NULL, formats, out));
    for (size_t i = 0, n = 0; tasks > 1 && i < findings->cells; i++)
        if (is_first_of_task(findings, i, &n))
            BNRE_TRY(draw_task(findings, findings->cell[i].task, formats, out));
    BNRE_TRY(draw_choices(findings, formats, out));
    BNRE_TRY(draw_corners(findings, formats, out));
    BNRE_TRY(remove_left(out, path));
done:
    bnre__free(path);
    if (status != BNRE_OK)
        bnre__gallery_clear(out);
    return status;
}

void bnre__gallery_clear(bnre__gallery *gallery)
{
    for (size_t i = 0; i < gallery->n; i++) {
        bnre__free(gallery->picture[i].name);
        bnre__free(gallery->picture[i].caption);
    }
    bnre__free(gallery->picture);
    *gallery = (bnre__gallery){0};
}
