/* trust_files.c - guarantees as JSON, the figure of candidates,
   and guaranteed regions in the picture of a posterior. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/settings.h"
#include "bnre/text.h"
#include "io/json.h"
#include "output/figure.h"
#include "output/trust_files.h"

/* ---- conformal regions ---- */

static bnre_status add_region(bnre__json *list, const bnre_conformal_region *r,
                              const bnre_guarantee *guarantee)
{
    const bnre_conformal *c = &r->conformal;
    bnre_status status = BNRE_OK;
    bnre__json *item = NULL, *law = NULL;
    char *words = NULL;

    BNRE_TRY(bnre__json_object(list, NULL, &item));
    BNRE_TRY(bnre__json_real(item, "level", c->level));
    BNRE_TRY(bnre__json_flag(item, "local", c->local));
    BNRE_TRY(bnre__json_size(item, "pairs", c->pairs));
    BNRE_TRY(bnre__json_real(item, "qhat", c->qhat));
    BNRE_TRY(bnre__json_flag(item, "out_of_fold", c->cross));
    if (c->worth > 0)
        BNRE_TRY(bnre__json_real(item, "worth", c->worth));
    if (c->k <= c->pairs && !c->cross && !(c->worth > 0)) {
        BNRE_TRY(bnre__json_list(item, "beta", &law));
        BNRE_TRY(bnre__json_size(law, NULL, c->k));
        BNRE_TRY(bnre__json_size(law, NULL, c->pairs + 1 - c->k));
    }
    BNRE_TRY(bnre__json_real(
        item, "assured",
        c->local || bnre_guarantee_void(guarantee, NULL) ? NAN : c->assured));
    BNRE_TRY(bnre__json_real(item, "content", r->region.content));
    BNRE_TRY(bnre__json_real(item, "threshold", r->region.threshold));
    BNRE_TRY(bnre__json_real(item, "prior_mass", r->region.prior_mass));
    BNRE_TRY(
        bnre__json_real(item, "nominal_prior_mass", r->nominal.prior_mass));
    BNRE_TRY(bnre__json_real(item, "volume", r->region.volume));
    BNRE_TRY(bnre__json_real(item, "paid", r->paid));
    BNRE_TRY(bnre_conformal_words(c, guarantee, &words));
    BNRE_TRY(bnre__json_text(item, "words", words));
done:
    bnre_free(words);
    return status;
}

static bnre_status add_words(bnre__json *root, const bnre_guarantee *guarantee)
{
    bnre_status status = BNRE_OK;
    bnre__json *item = NULL;
    char *words = NULL;

    if (!isnan(guarantee->outside))
        BNRE_TRY(bnre__json_real(root, "outside_p", guarantee->outside));
    BNRE_TRY(bnre_guarantee_words(guarantee, &words));
    BNRE_TRY(bnre__json_object(root, "certificate", &item));
    BNRE_TRY(bnre__json_text(item, "words", words));
done:
    bnre_free(words);
    return status;
}

bnre_status bnre__assurance_put(const bnre__assurance *assurance,
                                bnre__json *root)
{
    const bnre_guarantee *guarantee = &assurance->guarantee;
    bnre__json *list = NULL;

    if (assurance->n > 0)
        BNRE_DO(bnre__json_list(root, "conformal", &list));
    for (size_t i = 0; i < assurance->n; i++)
        BNRE_DO(add_region(list, &assurance->region[i], guarantee));
    for (size_t i = 0; assurance->local != NULL && i < assurance->n; i++)
        BNRE_DO(add_region(list, &assurance->local[i], guarantee));
    BNRE_DO(add_words(root, guarantee));
    BNRE_DO(bnre__json_list(root, "warnings", &list));
    for (size_t i = 0; i < assurance->warnings; i++)
        BNRE_DO(bnre__json_text(list, NULL, assurance->warning[i]));
    return BNRE_OK;
}

/* ---- candidates ---- */

/* Whether a candidate is the first of its estimator. */
static int is_first(const bnre_certificate *certificate, size_t i)
{
    const bnre_candidate *c = &certificate->candidate[i];

    return i == 0 || c->lambda != c[-1].lambda || c->fresh != c[-1].fresh;
}

/* Candidates of which nothing could be seen have no place. */
static int is_shown(const bnre_candidate *c)
{
    return !isnan(c->margin) && !isnan(c->information.mean);
}

static int has_shown(const bnre_certificate *certificate, size_t first)
{
    size_t i = first;

    do
        if (is_shown(&certificate->candidate[i]))
            return 1;
    while (++i < certificate->n && !is_first(certificate, i));
    return 0;
}

static int shows_any(const bnre_certificate *certificate)
{
    for (size_t i = 0; i < certificate->n; i++)
        if (is_shown(&certificate->candidate[i]))
            return 1;
    return 0;
}

/* One block of data for each estimator; *n receives how many. */
static void add_lambdas(bnre__figure *figure,
                        const bnre_certificate *certificate, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < certificate->n; i++) {
        const bnre_candidate *c = &certificate->candidate[i];

        if (is_first(certificate, i)) {
            if (i > 0)
                bnre__figure_data(figure, "\n\n");
            bnre__figure_data(figure,
                              "# lambda %g%s: margin, information, temper\n",
                              c->lambda, c->fresh ? ", fresh" : "");
            ++*n;
        }
        bnre__figure_data(figure, "%.6g %.6g %.6g\n", c->margin,
                          c->information.mean, c->temper);
    }
}

/* What was tested: passed or not; and the choice. */
static void add_tests(bnre__figure *figure, const bnre_certificate *certificate)
{
    const bnre_candidate *chosen = &certificate->candidate[certificate->chosen];

    bnre__figure_data(figure, "\n\n# to be tested: margin, "
                              "information, passed\n");
    for (size_t i = 0; i < certificate->n; i++) {
        const bnre_candidate *c = &certificate->candidate[i];

        if (c->test > 0)
            bnre__figure_data(figure, "%.6g %.6g %d\n", c->margin,
                              c->information.mean, c->passed);
    }
    bnre__figure_data(figure, "\n\n# chosen: margin, information\n%.6g %.6g\n",
                      chosen->margin, chosen->information.mean);
}

bnre_status bnre__trust_draw(const bnre_certificate *certificate,
                             const char *stem, const char *formats, int *drawn)
{
    bnre__figure figure;
    size_t lambdas, lambda = 0;
    char colour[8];
    int ignored;

    if (drawn == NULL)
        drawn = &ignored;
    *drawn = 0;
    if (certificate->n == 0)
        return bnre_fail(BNRE_EINVAL, "there are no candidates to draw");
    if (!shows_any(certificate)) {
        *drawn = 1; /* all that there is to show */
        return BNRE_OK;
    }
    bnre__figure_begin(&figure, 6.5, 4, "%s", stem);
    add_lambdas(&figure, certificate, &lambdas);
    add_tests(&figure, certificate);
    bnre__figure_script(
        &figure, "set xlabel 'smallest coverage - level'\n"
                 "set ylabel 'information gain (nats)'\n"
                 "set key outside right top\n"
                 "set xrange [* < -0.01 : 0.01 < *]\n" /* 0 is inside */
                 "set arrow from 0, graph 0 to 0, graph 1 nohead linestyle 8\n"
                 "plot ");
    for (size_t i = 0; i < certificate->n; i++) {
        const bnre_candidate *c = &certificate->candidate[i];

        if (!is_first(certificate, i))
            continue;
        if (!has_shown(certificate, i)) {
            lambda++;
            continue;
        }
        bnre__colour_scale(
            lambdas > 1 ? (double)lambda / (double)(lambdas - 1) : 0, colour);
        bnre__figure_script(
            &figure,
            "data index %zu using 1:2 with linespoints linetype 1 pointtype 7 "
            "pointsize 0.4 linecolor rgb '%s' title 'lambda %g%s', \\\n  ",
            lambda++, colour, c->lambda, c->fresh ? ", fresh" : "");
    }
    bnre__figure_script(
        &figure,
        "data index %zu using 1:2 with points pointtype 6 pointsize 1 "
        "linecolor rgb '" BNRE__INK_TESTED "' title 'in the sequence', \\\n"
        "  data index %zu using 1:2 with points pointtype 3 pointsize 2 "
        "linewidth 2 linecolor rgb '" BNRE__INK_CHOSEN "' title 'chosen'\n",
        lambdas, lambdas + 1);
    return bnre__figure_end(&figure, formats, drawn);
}

static void write_note(const bnre_guarantee *guarantee, char note[BNRE__NOTE])
{
    const char *words = "no guarantee: unlike the\nsimulated data";
    char p[BNRE_READABLE];

    if (isnan(guarantee->outside))
        snprintf(note, BNRE__NOTE, "%s", words);
    else
        snprintf(note, BNRE__NOTE, "%s (%s)", words,
                 bnre_readable_p_words(guarantee->outside, p));
}

void bnre__assurance_show(const bnre__assurance *assurance,
                          bnre__regions regions, bnre_contour *contour,
                          char note[BNRE__NOTE], bnre_posterior_files *files)
{
    size_t n = 0;

    if (assurance->n == 0)
        return;
    for (size_t i = 0; regions != BNRE__REGIONS_CONFORMAL && i < assurance->n;
         i++)
        contour[n++] = (bnre_contour){.content = files->level[i],
                                      .level = files->level[i]};
    for (size_t i = 0; regions != BNRE__REGIONS_NOMINAL && i < assurance->n;
         i++) {
        const double content = assurance->region[i].region.content;

        if (content > 0) /* one that holds nothing cannot be drawn */
            contour[n++] = (bnre_contour){
                .content = content, .level = files->level[i], .conformal = 1};
    }
    files->contours = n;
    files->contour = contour;
    if (regions != BNRE__REGIONS_NOMINAL &&
        bnre_guarantee_void(&assurance->guarantee, NULL)) {
        write_note(&assurance->guarantee, note);
        files->note = note;
    }
}
