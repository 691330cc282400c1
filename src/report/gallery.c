#include "report/gallery.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/text.h"
#include "io/file.h"
#include "report/panels.h"

/* A figure that is being made. */
struct easel {
    const bnre__findings *findings;
    const bnre__layout *layout;
    const char *name, *formats;
    bnre__text caption;
    int drawn;
};

/* Inches. */
static const double left = 0.72, bottom = 0.58, top = 0.36, gap = 0.62;
enum { ACROSS = 3, MOST_SERIES = 9, MOST_PARAMETERS = 6 };

/* ---- words that captions share ---- */

static size_t most_runs(const bnre__layout *layout)
{
    const bnre__findings *findings = layout->findings;
    size_t most = 0;

    for (size_t i = 0; i < findings->cells; i++) {
        const bnre__cell_found *cell = &findings->cell[i];
        size_t n = 0;

        for (size_t k = cell->first; k < cell->first + cell->runs; k++)
            n += findings->run[k].state == BNRE__RUN_DONE;
        most = n > most ? n : most;
    }
    return most;
}

static bnre_status describe_bands(struct easel *easel, int median)
{
    const size_t runs = most_runs(easel->layout);

    if (runs > 1)
        return bnre__text_add(
            &easel->caption,
            " %s over up to %zu runs of each cell; bands are one standard "
            "deviation over runs to either side.",
            median ? "Medians" : "Means", runs);
    return bnre__text_add(
        &easel->caption, " One run of each cell; bands are 95 %% intervals for "
                         "the pairs it was tested on.");
}

static bnre_status describe_constants(struct easel *easel)
{
    const bnre__layout *layout = easel->layout;
    bnre_status status = BNRE_OK;

    for (size_t s = 0; s < layout->n; s++)
        if (layout->series[s].constant != BNRE__NO_CELL)
            BNRE_TRY(bnre__text_add(&easel->caption, " Dashed: %s.",
                                    layout->series[s].label));
done:
    return status;
}

/* Series that have cells on the axis, which get panels of their own. */
static size_t list_panels(const bnre__layout *layout, size_t out[MOST_SERIES])
{
    size_t n = 0;

    for (size_t s = 0; s < layout->n && n < MOST_SERIES; s++)
        for (size_t t = 0; t < layout->ticks; t++)
            if (layout->series[s].cell[t] != BNRE__NO_CELL) {
                out[n++] = s;
                break;
            }
    return n;
}

static bnre_status add_series_legend(bnre__sheet *sheet,
                                     const bnre__layout *layout,
                                     bnre__legend legend)
{
    bnre_status status = BNRE_OK;
    char colour[8];

    for (size_t s = 0; s < layout->n && s < MOST_SERIES; s++) {
        const int constant = layout->series[s].constant != BNRE__NO_CELL;

        BNRE_TRY(bnre__legend_add(sheet, &legend,
                                  constant
                                      ? bnre__constant_colour(layout, s, colour)
                                      : bnre__series_colour(layout, s, colour),
                                  constant, layout->series[s].label));
    }
done:
    return status;
}

/* ---- coverage ---- */

static bnre_status draw_coverage(struct easel *easel)
{
    const bnre__layout *layout = easel->layout;
    const double side = 2.5, margin = layout->ticks > 1 ? 1.15 : 1.6;
    size_t panel[MOST_SERIES], n = list_panels(layout, panel);
    bnre__sheet sheet = {0};
    bnre_status status = BNRE_OK;
    bnre__legend legend;
    size_t across, down;

    if (layout->ticks == 1 && n > 0)
        n = 1;
    if (n == 0)
        return BNRE_OK;
    across = n < ACROSS ? n : ACROSS;
    down = (n + across - 1) / across;
    BNRE_TRY(bnre__sheet_open(easel->findings->dir, easel->name,
                              left + (double)across * side +
                                  (double)(across - 1) * gap + margin,
                              (double)down * (side + bottom + top), &sheet));
    for (size_t i = 0; i < n; i++) {
        const size_t column = i % across, row = i / across;

        BNRE_TRY(bnre__sheet_place(&sheet, left + (double)column * (side + gap),
                                   bottom + (double)(down - 1 - row) *
                                                (side + bottom + top),
                                   side, side));
        if (layout->ticks > 1)
            BNRE_TRY(bnre__sheet_title(&sheet, "title",
                                       layout->series[panel[i]].label));
        if (column == 0)
            BNRE_TRY(bnre__sheet_title(&sheet, "ylabel", "expected coverage"));
        BNRE_TRY(bnre__coverage_panel(
            &sheet, layout, layout->ticks > 1 ? panel[i] : BNRE__ALL_SERIES));
    }
    BNRE_TRY(bnre__sheet_legends(&sheet));
    legend = (bnre__legend){sheet.width - margin + 0.18,
                            sheet.height - top - 0.1, 0.2};
    if (layout->ticks > 1)
        BNRE_TRY(bnre__legend_ticks(&sheet, layout, &legend));
    else
        BNRE_TRY(add_series_legend(&sheet, layout, legend));
    BNRE_TRY(bnre__sheet_draw(&sheet, easel->formats, &easel->drawn));
    BNRE_TRY(bnre__text_add(
        &easel->caption,
        "How often the true parameters lie in the region of highest posterior "
        "density, for each credibility. On the dashed diagonal regions hold "
        "what they promise, above it they are conservative, below it "
        "overconfident."));
    BNRE_TRY(describe_bands(easel, 0));
    BNRE_TRY(describe_constants(easel));
done:
    bnre__sheet_close(&sheet);
    return status;
}

/* ---- trends ---- */

/* Panels side by side, rows of them, and the legend of series above. */
static bnre_status draw_trends(struct easel *easel, size_t n,
                               const bnre__trend *trend,
                               const char *const *title, size_t across)
{
    const bnre__layout *layout = easel->layout;
    const double wide = across > 2 ? 2.3 : 3.1, high = across > 2 ? 1.8 : 2.3;
    const double step = wide + left,
                 rise = high + bottom + (title != NULL ? top : 0.12);
    const size_t down = (n + across - 1) / across;
    bnre_status status = BNRE_OK;
    bnre__sheet sheet = {0};

    BNRE_TRY(bnre__sheet_open(easel->findings->dir, easel->name,
                              (double)across * step + 0.25,
                              (double)down * rise + 0.3, &sheet));
    for (size_t i = 0; i < n; i++) {
        BNRE_TRY(bnre__sheet_place(
            &sheet, left + (double)(i % across) * step,
            bottom + (double)(down - 1 - i / across) * rise, wide, high));
        if (title != NULL && title[i] != NULL)
            BNRE_TRY(bnre__sheet_title(&sheet, "title", title[i]));
        BNRE_TRY(bnre__trend_panel(&sheet, layout, &trend[i]));
    }
    BNRE_TRY(bnre__sheet_legends(&sheet));
    BNRE_TRY(add_series_legend(&sheet, layout,
                               (bnre__legend){left, sheet.height - 0.17, 0}));
    BNRE_TRY(bnre__sheet_draw(&sheet, easel->formats, &easel->drawn));
done:
    bnre__sheet_close(&sheet);
    return status;
}

static bnre_estimate zero(const bnre__run_found *run, size_t which)
{
    (void)which;
    return (bnre_estimate){run->state == BNRE__RUN_DONE ? 0 : NAN, 0};
}

static bnre_status draw_auc(struct easel *easel)
{
    const bnre__trend trend[] = {{.label = "coverage AUC",
                                  .quantity = bnre__quantity_auc,
                                  .baseline = zero},
                                 {.label = "information gain (nats)",
                                  .quantity = bnre__quantity_information,
                                  .baseline = zero}};
    bnre_status status = BNRE_OK;

    if (easel->layout->ticks < 2)
        return BNRE_OK;
    BNRE_TRY(draw_trends(easel, 2, trend, NULL, 2));
    BNRE_TRY(bnre__text_add(
        &easel->caption,
        "Left: mean distance of the expected coverage from the diagonal, "
        "positive where posteriors are conservative. Right: what the posterior "
        "knows beyond the prior, on average. The dashed line is at zero."));
    BNRE_TRY(describe_bands(easel, 0));
    BNRE_TRY(describe_constants(easel));
done:
    return status;
}

static bnre_estimate log_posterior(const bnre__run_found *run, size_t which)
{
    return which ? run->raw_log_posterior : run->log_posterior;
}

static bnre_estimate prior_of(const bnre__run_found *run, size_t which)
{
    (void)which;
    return (bnre_estimate){run->prior, 0};
}

static bnre_status draw_log_posterior(struct easel *easel)
{
    const bnre__trend trend[] = {{.label = "expected log posterior",
                                  .quantity = log_posterior,
                                  .which = 0,
                                  .median = 1,
                                  .baseline = prior_of},
                                 {.label = "expected log posterior",
                                  .quantity = log_posterior,
                                  .which = 1,
                                  .median = 1,
                                  .baseline = prior_of}};
    static const char *const title[] = {"normalised",
                                        "as estimated, not normalised"};
    bnre_status status = BNRE_OK;

    if (easel->layout->ticks < 2)
        return BNRE_OK;
    BNRE_TRY(draw_trends(easel, 2, trend, title, 2));
    BNRE_TRY(bnre__text_add(
        &easel->caption,
        "Log density of the true parameters, on average over the test pairs: "
        "the higher, the sharper around the truth. The dashed line is the "
        "prior's."));
    BNRE_TRY(describe_bands(easel, 1));
    BNRE_TRY(describe_constants(easel));
done:
    return status;
}

static const bnre__json *parameter_of(const bnre__run_found *run, size_t i)
{
    return bnre__json_at(bnre__json_find(run->diagnosis, "parameters"), i);
}

static bnre_estimate bias_of(const bnre__run_found *run, size_t which)
{
    return bnre__json_estimate(parameter_of(run, which), "bias");
}

static bnre_estimate variance_of(const bnre__run_found *run, size_t which)
{
    return bnre__json_estimate(parameter_of(run, which), "variance");
}

static bnre_status draw_bias(struct easel *easel)
{
    bnre__trend trend[2 * MOST_PARAMETERS] = {{0}};
    const char *title[2 * MOST_PARAMETERS] = {0};
    const bnre__findings *findings = easel->findings;
    const bnre__run_found *run = NULL;
    bnre_status status = BNRE_OK;
    size_t n;

    if (easel->layout->ticks < 2)
        return BNRE_OK;
    for (size_t i = 0; i < findings->runs && run == NULL; i++) {
        const char *task = findings->cell[findings->run[i].cell].task;

        if (findings->run[i].diagnosis != NULL &&
            (easel->layout->task == NULL ||
             (task != NULL && strcmp(task, easel->layout->task) == 0)))
            run = &findings->run[i];
    }
    if (run == NULL)
        return BNRE_OK;
    n = bnre__json_count(bnre__json_find(run->diagnosis, "parameters"));
    n = n < MOST_PARAMETERS ? n : MOST_PARAMETERS;
    for (size_t i = 0; i < n; i++) {
        title[n == 1 ? 0 : i] =
            bnre__json_as_text(bnre__json_find(parameter_of(run, i), "name"));
        trend[i] = (bnre__trend){.label = "squared bias",
                                 .quantity = bias_of,
                                 .which = i,
                                 .median = 1,
                                 .from_zero = 1};
        trend[n + i] = trend[i];
        trend[n + i].label = "variance";
        trend[n + i].quantity = variance_of;
    }
    if (n == 0)
        return BNRE_OK;
    BNRE_TRY(draw_trends(easel, 2 * n, trend, title, n == 1 ? 2 : n));
    BNRE_TRY(bnre__text_add(
        &easel->caption,
        "Squared distance of the posterior mean from the truth, and the "
        "variance of the posterior, both on average over the test pairs and "
        "divided by the squared width of the prior."));
    BNRE_TRY(describe_bands(easel, 1));
    BNRE_TRY(describe_constants(easel));
done:
    return status;
}

/* ---- balance ---- */

static const bnre__trend balance_trend = {.label = "balance error |1 - B|",
                                          .quantity = bnre__quantity_balance,
                                          .from_one = 1,
                                          .from_zero = 1};

static bnre_status draw_balance(struct easel *easel)
{
    bnre_status status = BNRE_OK;

    if (easel->layout->ticks < 2)
        return BNRE_OK;
    BNRE_TRY(draw_trends(easel, 1, &balance_trend, NULL, 1));
    BNRE_TRY(bnre__text_add(
        &easel->caption,
        "How far the classifier is from balance, which the penalty of BNRE "
        "asks for: B, the mean of its outputs on joint pairs plus that on "
        "marginal pairs, averaged over runs first, is 1 for the exact one."));
    BNRE_TRY(describe_constants(easel));
done:
    return status;
}

/* ---- lambda ---- */

static bnre_status fill_lambda(struct easel *easel, bnre__sheet *sheet,
                               size_t series)
{
    const bnre__layout *layout = easel->layout;
    const bnre__trend auc = {.label = "coverage AUC",
                             .quantity = bnre__quantity_auc,
                             .baseline = zero};
    const double side = 2.7, step = side + left + 0.1,
                 rise = side + bottom + top;
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__sheet_place(sheet, left, bottom + rise, side, side));
    BNRE_TRY(bnre__posterior_panel(sheet, layout, series));
    BNRE_TRY(bnre__sheet_place(sheet, left + step, bottom + rise, side, side));
    BNRE_TRY(bnre__sheet_title(sheet, "ylabel", "expected coverage"));
    BNRE_TRY(bnre__coverage_panel(sheet, layout, series));
    BNRE_TRY(bnre__sheet_place(sheet, left, bottom, side, side));
    BNRE_TRY(bnre__trend_panel(sheet, layout, &auc));
    BNRE_TRY(bnre__sheet_place(sheet, left + step, bottom, side, side));
    BNRE_TRY(bnre__trend_panel(sheet, layout, &balance_trend));
done:
    return status;
}

static int has_posterior(const bnre__findings *findings)
{
    for (size_t i = 0; i < findings->runs; i++)
        if (findings->run[i].posterior != NULL)
            return 1;
    return 0;
}

static bnre_status draw_lambda(struct easel *easel)
{
    const bnre__layout *layout = easel->layout;
    size_t panel[MOST_SERIES];
    bnre__sheet sheet = {0};
    bnre_status status = BNRE_OK;
    bnre__legend legend;

    if (layout->key == NULL || strcmp(layout->key, "lambda") != 0 ||
        layout->ticks < 2 || list_panels(layout, panel) == 0 ||
        !has_posterior(easel->findings))
        return BNRE_OK;
    BNRE_TRY(
        bnre__sheet_open(easel->findings->dir, easel->name, 8.2, 7.2, &sheet));
    BNRE_TRY(fill_lambda(easel, &sheet, panel[0]));
    BNRE_TRY(bnre__sheet_legends(&sheet));
    legend = (bnre__legend){7.15, sheet.height - top - 0.1, 0.2};
    BNRE_TRY(bnre__legend_ticks(&sheet, layout, &legend));
    legend.y -= 0.1;
    BNRE_TRY(bnre__legend_add(&sheet, &legend, "#d55e00", 0, "truth"));
    legend = (bnre__legend){left, sheet.height - 0.17, 0};
    BNRE_TRY(add_series_legend(&sheet, layout, legend));
    BNRE_TRY(bnre__sheet_draw(&sheet, easel->formats, &easel->drawn));
    BNRE_TRY(bnre__text_add(
        &easel->caption,
        "The strength of the penalty: the posterior of the first parameter for "
        "the observation (mean of the densities of all runs), the expected "
        "coverage, its distance from the diagonal, and the balance error."));
    BNRE_TRY(describe_bands(easel, 0));
    BNRE_TRY(describe_constants(easel));
done:
    bnre__sheet_close(&sheet);
    return status;
}

/* ---- posteriors of one parameter ---- */

static int has_line(const bnre__findings *findings)
{
    for (size_t i = 0; i < findings->runs; i++)
        if (findings->run[i].posterior != NULL)
            return bnre__json_count(bnre__json_find(findings->run[i].posterior,
                                                    "parameters")) == 1;
    return 0;
}

static bnre_status draw_posterior(struct easel *easel)
{
    const bnre__layout *layout = easel->layout;
    const double wide = 2.7, high = 2.2, margin = 1.15;
    size_t panel[MOST_SERIES], n = list_panels(layout, panel);
    bnre__sheet sheet = {0};
    bnre_status status = BNRE_OK;
    bnre__legend legend;
    size_t across, down;

    /* For more parameters there are corner plots. */
    if (layout->ticks < 2 || n == 0 || !has_line(easel->findings) ||
        strcmp(layout->key, "lambda") == 0)
        return BNRE_OK;
    across = n < ACROSS ? n : ACROSS;
    down = (n + across - 1) / across;
    BNRE_TRY(bnre__sheet_open(easel->findings->dir, easel->name,
                              (double)across * (wide + left) + margin,
                              (double)down * (high + bottom + top), &sheet));
    for (size_t i = 0; i < n; i++) {
        BNRE_TRY(bnre__sheet_place(
            &sheet, left + (double)(i % across) * (wide + left),
            bottom + (double)(down - 1 - i / across) * (high + bottom + top),
            wide, high));
        BNRE_TRY(
            bnre__sheet_title(&sheet, "title", layout->series[panel[i]].label));
        BNRE_TRY(bnre__posterior_panel(&sheet, layout, panel[i]));
    }
    BNRE_TRY(bnre__sheet_legends(&sheet));
    legend = (bnre__legend){sheet.width - margin + 0.18,
                            sheet.height - top - 0.1, 0.2};
    BNRE_TRY(bnre__legend_ticks(&sheet, layout, &legend));
    BNRE_TRY(bnre__sheet_draw(&sheet, easel->formats, &easel->drawn));
    BNRE_TRY(bnre__text_add(
        &easel->caption,
        "The posterior of the first parameter for the observation, the mean of "
        "the densities of all runs of a cell; the vertical line is the truth, "
        "where it is known."));
    BNRE_TRY(describe_constants(easel));
done:
    bnre__sheet_close(&sheet);
    return status;
}

/* ---- training ---- */

static bnre_status draw_training(struct easel *easel)
{
    static const char *const row[] = {"cross entropy, training",
                                      "cross entropy, validation"};
    const bnre__layout *layout = easel->layout;
    const double wide = 2.6, high = 1.7, margin = 1.15, step = wide + 0.5;
    const size_t most = 4;
    size_t panel[MOST_SERIES], n = list_panels(layout, panel), i = 0;
    bnre__sheet sheet = {0};
    bnre_status status = BNRE_OK;
    bnre__legend legend;

    while (i < easel->findings->runs && easel->findings->run[i].epochs == 0)
        i++;
    if (n == 0 || i == easel->findings->runs)
        return BNRE_OK;
    n = n < most ? n : most;
    BNRE_TRY(bnre__sheet_open(easel->findings->dir, easel->name,
                              left + (double)n * step +
                                  (layout->ticks > 1 ? margin - 0.4 : 0),
                              2 * high + 0.3 + bottom + top, &sheet));
    for (size_t r = 0; r < 2; r++)
        for (i = 0; i < n; i++) {
            BNRE_TRY(bnre__sheet_place(&sheet, left + (double)i * step,
                                       bottom + (double)(1 - r) * (high + 0.3),
                                       wide, high));
            if (r == 0)
                BNRE_TRY(bnre__sheet_title(&sheet, "title",
                                           layout->series[panel[i]].label));
            else
                BNRE_TRY(bnre__sheet_title(&sheet, "xlabel", "epoch"));
            if (i == 0)
                BNRE_TRY(bnre__sheet_title(&sheet, "ylabel", row[r]));
            BNRE_TRY(bnre__training_panel(&sheet, layout, panel[i],
                                          r == 0 ? BNRE__HISTORY_TRAIN
                                                 : BNRE__HISTORY_VALIDATION));
        }
    BNRE_TRY(bnre__sheet_legends(&sheet));
    legend = (bnre__legend){sheet.width - margin + 0.3,
                            sheet.height - top - 0.1, 0.2};
    if (layout->ticks > 1)
        BNRE_TRY(bnre__legend_ticks(&sheet, layout, &legend));
    BNRE_TRY(bnre__sheet_draw(&sheet, easel->formats, &easel->drawn));
    BNRE_TRY(bnre__text_add(
        &easel->caption,
        "Cross entropy by epoch, a line for each run, without the penalty; "
        "the dashed line at 2 log 2 is what guessing reaches."));
done:
    bnre__sheet_close(&sheet);
    return status;
}

/* ---- all of them ---- */

static const struct kind {
    const char *name, *heading;
    bnre_status (*draw)(struct easel *easel);
} kinds[] = {
    {"coverage", "Expected coverage", draw_coverage},
    {"auc", "Coverage and information", draw_auc},
    {"log-posterior", "Expected log posterior", draw_log_posterior},
    {"bias-variance", "Bias and variance", draw_bias},
    {"lambda", "Strength of the penalty", draw_lambda},
    {"posterior", "Posterior of the observation", draw_posterior},
    {"balance", "Balance", draw_balance},
    {"training", "Training", draw_training},
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
    struct easel easel = {.findings = findings, .formats = formats};
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

/* Whether a file is left of a figure of an earlier time. */
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
