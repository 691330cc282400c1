/* The candidates of an automatic choice: how sharp, and how safe. */
#include "bnre/trust_files.h"

#include <math.h>

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

bnre_status bnre_trust_draw(const bnre_certificate *certificate,
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
