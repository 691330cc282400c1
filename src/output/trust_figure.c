/* The candidates of an automatic choice: how sharp, and how safe. */
#include "bnre/trust_files.h"

#include <math.h>

#include "base/mem.h"
#include "output/figure.h"

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
static bnre_status add_lambdas(bnre__figure *figure,
                               const bnre_certificate *certificate, size_t *n)
{
    bnre_status status = BNRE_OK;

    *n = 0;
    for (size_t i = 0; i < certificate->n; i++) {
        const bnre_candidate *c = &certificate->candidate[i];

        if (is_first(certificate, i)) {
            if (i > 0)
                BNRE_TRY(bnre__figure_data(figure, "\n\n"));
            BNRE_TRY(bnre__figure_data(
                figure, "# lambda %g%s: margin, information, temper\n",
                c->lambda, c->fresh ? ", fresh" : ""));
            ++*n;
        }
        BNRE_TRY(bnre__figure_data(figure, "%.6g %.6g %.6g\n", c->margin,
                                   c->information.mean, c->temper));
    }
done:
    return status;
}

/* What was tested: passed or not; and the choice. */
static bnre_status add_tests(bnre__figure *figure,
                             const bnre_certificate *certificate)
{
    const bnre_candidate *chosen = &certificate->candidate[certificate->chosen];
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__figure_data(figure, "\n\n# to be tested: margin, "
                                       "information, passed\n"));
    for (size_t i = 0; i < certificate->n; i++) {
        const bnre_candidate *c = &certificate->candidate[i];

        if (c->test > 0)
            BNRE_TRY(bnre__figure_data(figure, "%.6g %.6g %d\n", c->margin,
                                       c->information.mean, c->passed));
    }
    BNRE_TRY(bnre__figure_data(figure,
                               "\n\n# chosen: margin, information\n%.6g %.6g\n",
                               chosen->margin, chosen->information.mean));
done:
    return status;
}

bnre_status bnre_trust_draw(const bnre_certificate *certificate,
                            const char *stem, const char *formats, int *drawn)
{
    bnre_status status = BNRE_OK;
    bnre__figure *figure = NULL;
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
    BNRE_TRY(bnre__figure_create(stem, 6.5, 4, &figure));
    BNRE_TRY(add_lambdas(figure, certificate, &lambdas));
    BNRE_TRY(add_tests(figure, certificate));
    BNRE_TRY(bnre__figure_script(
        figure, "set xlabel 'smallest coverage - level'\n"
                "set ylabel 'information gain (nats)'\n"
                "set key outside right top\n"
                "set xrange [* < -0.01 : 0.01 < *]\n" /* 0 is inside */
                "set arrow from 0, graph 0 to 0, graph 1 nohead linestyle 8\n"
                "plot "));
    for (size_t i = 0; i < certificate->n; i++) {
        const bnre_candidate *c = &certificate->candidate[i];

        if (!is_first(certificate, i))
            continue;
        if (!has_shown(certificate, i)) {
            lambda++;
            continue;
        }
        bnre__figure_colour(
            lambdas > 1 ? (double)lambda / (double)(lambdas - 1) : 0, colour);
        BNRE_TRY(bnre__figure_script(
            figure,
            "data index %zu using 1:2 with linespoints linetype 1 pointtype 7 "
            "pointsize 0.4 linecolor rgb '%s' title 'lambda %g%s', \\\n  ",
            lambda++, colour, c->lambda, c->fresh ? ", fresh" : ""));
    }
    BNRE_TRY(bnre__figure_script(
        figure,
        "data index %zu using 1:2 with points pointtype 6 pointsize 1 "
        "linecolor rgb '#555555' title 'in the sequence', \\\n"
        "  data index %zu using 1:2 with points pointtype 3 pointsize 2 "
        "linewidth 2 linecolor rgb '#d00000' title 'chosen'\n",
        lambdas, lambdas + 1));
    BNRE_TRY(bnre__figure_draw(figure, formats, drawn));
done:
    bnre__figure_destroy(figure);
    return status;
}
