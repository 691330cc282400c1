#include "report/gallery.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/text.h"
#include "io/file.h"
#include "report/study_figures.h"

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

static bnre_status add_picture(bnre__gallery *gallery, const char *name,
                               const char *heading, const char *task,
                               bnre__text *caption)
{
    bnre_status status = BNRE_OK;
    bnre__picture *picture;

    BNRE_GROW(gallery->picture, gallery->room, gallery->n + 1);
    picture = &gallery->picture[gallery->n];
    BNRE_TRY(bnre__strdup(name, &picture->name));
    picture->heading = heading;
    picture->task = task;
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
            BNRE_TRY(add_picture(gallery, name, kinds[i].heading, task,
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

/* Whether a file is inch_left of a figure of an earlier time. */
static int is_left(const bnre__gallery *gallery, const char *file)
{
    static const char *const ending[] = {".svg", ".pdf", ".png", ".gp", ".dat"};
    const char *dot = strrchr(file, '.');
    int ours = 0, known = 0;
    size_t length;

    if (dot == NULL)
        return 0;
    length = (size_t)(dot - file);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        known = known || strcmp(dot, ending[i]) == 0;
    for (size_t i = 0; i < KINDS; i++) {
        const size_t part = strlen(kinds[i].name);

        ours = ours ||
               (length >= part && strncmp(file, kinds[i].name, part) == 0 &&
                (length == part || file[part] == '-'));
    }
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
