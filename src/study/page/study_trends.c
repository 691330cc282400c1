/* Figures over a study of numbers against what is varied. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "study/page/panels.h"
#include "study/page/study_figures.h"

/* Inches. */
static const double inch_left = 0.72, inch_bottom = 0.58;
enum { MOST_PARAMETERS = 6 };

/* ---- trends ---- */

/* Panels side by side, rows of them, and the legend of series above. */
static bnre_status draw_trends(bnre__easel *easel, size_t n,
                               const bnre__trend *trend,
                               const char *const *title, size_t across)
{
    const bnre__layout *layout = easel->layout;
    const double wide = across > 2 ? 2.3 : 3.1, high = across > 2 ? 1.8 : 2.3;
    /* Words that are written aslant, at 30 degrees, go below and to the left */
    const double slant = bnre__sheet_slant(layout, wide);
    const double bottom = inch_bottom + 0.5 * slant,
                 left = fmax(inch_left,
                             0.87 * slant - wide / 2 / (double)layout->ticks);
    const double step = wide + inch_left,
                 rise = high + bottom + (title != NULL ? 0.44 : 0.12);
    const double width = left + (double)across * step - inch_left + 0.25;
    const size_t down = (n + across - 1) / across,
                 lines =
                     bnre__legend_lines(layout, BNRE__MOST_SERIES, left, width);
    bnre_status status = BNRE_OK;
    bnre__sheet sheet = {0};

    BNRE_TRY(bnre__sheet_open(easel->findings->dir, easel->name, width,
                              (double)down * rise +
                                  (title != NULL ? 0.22 : 0.3) +
                                  0.2 * (double)(lines - 1),
                              &sheet));
    for (size_t i = 0; i < n; i++) {
        BNRE_TRY(bnre__sheet_place(
            &sheet, left + (double)(i % across) * step,
            bottom + (double)(down - 1 - i / across) * rise, wide, high));
        if (title != NULL && title[i] != NULL)
            BNRE_TRY(bnre__sheet_title(&sheet, "title", title[i]));
        BNRE_TRY(bnre__trend_panel(&sheet, layout, &trend[i]));
    }
    BNRE_TRY(bnre__sheet_legends(&sheet));
    BNRE_TRY(bnre__easel_legend(
        &sheet, layout, (bnre__legend){left, sheet.height - 0.17, 0, left}));
    BNRE_TRY(bnre__sheet_draw(&sheet, easel->formats, &easel->drawn));
done:
    bnre__sheet_close(&sheet);
    return status;
}

/* Trends with their caption, where there is an axis to draw them along, and
   something to draw: a study may be without diagnoses, or not have them yet. */
static bnre_status show(bnre__easel *easel, size_t n, const bnre__trend *trend,
                        const char *const *title, size_t across,
                        const char *caption)
{
    bnre_status status = BNRE_OK;
    int known = 0;

    if (easel->layout->ticks < 2)
        return BNRE_OK;
    for (size_t i = 0; i < n && !known; i++)
        known = bnre__layout_knows(easel->layout, trend[i].quantity,
                                   trend[i].which);
    if (!known)
        return BNRE_OK;
    BNRE_TRY(draw_trends(easel, n, trend, title, across));
    BNRE_TRY(bnre__easel_explain(easel,
                                 trend->from_one ? BNRE__NO_BANDS
                                 : trend->median ? BNRE__BANDS_OF_MEDIANS
                                                 : BNRE__BANDS_OF_MEANS,
                                 caption));
done:
    return status;
}

bnre_estimate bnre__quantity_zero(const bnre__run_found *run, size_t which)
{
    (void)which;
    return (bnre_estimate){run->diagnosis != NULL ? 0 : NAN, 0};
}

bnre_status bnre__draw_auc(bnre__easel *easel)
{
    const bnre__trend trend[] = {{.label = "coverage AUC",
                                  .quantity = bnre__quantity_auc,
                                  .baseline = bnre__quantity_zero},
                                 {.label = "information gain (nats)",
                                  .quantity = bnre__quantity_information,
                                  .baseline = bnre__quantity_zero}};

    return show(
        easel, 2, trend, NULL, 2,
        "Left: mean distance of the expected coverage from the diagonal, "
        "positive where posteriors are conservative. Right: what the posterior "
        "knows beyond the prior, on average. The dashed line is at zero.");
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

bnre_status bnre__draw_log_posterior(bnre__easel *easel)
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

    return show(
        easel, 2, trend, title, 2,
        "Log density of the true parameters, on average over the test pairs: "
        "the higher, the sharper around the truth. The dashed line is the "
        "prior's.");
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

bnre_status bnre__draw_bias(bnre__easel *easel)
{
    bnre__trend trend[2 * MOST_PARAMETERS] = {{0}};
    const char *title[2 * MOST_PARAMETERS] = {0};
    const bnre__findings *findings = easel->findings;
    const bnre__run_found *run = NULL;
    size_t n;

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
    return show(
        easel, 2 * n, trend, title, n == 1 ? 2 : n,
        "Squared distance of the posterior mean from the truth, and the "
        "variance of the posterior, both on average over the test pairs and "
        "divided by the squared width of the prior.");
}

/* ---- balance ---- */

const bnre__trend bnre__balance_trend = {.label = "balance error |1 - B|",
                                         .quantity = bnre__quantity_balance,
                                         .from_one = 1,
                                         .from_zero = 1};

bnre_status bnre__draw_balance(bnre__easel *easel)
{
    return show(
        easel, 1, &bnre__balance_trend, NULL, 1,
        "How far the classifier is from balance, which the penalty of BNRE "
        "asks for: B, the mean of its outputs on joint pairs plus that on "
        "marginal pairs, averaged over runs first, is 1 for the exact one.");
}
