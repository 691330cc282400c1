/* panel_posterior.c - the posterior of what was observed, in the cells of a
   study. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/text.h"
#include "io/store/store.h"
#include "study/page/panels.h"

enum { BINS = 60, MOST_POINTS = 1 << 16, MOST_DRAWS = 100000 };

/* A density by points. */
struct curve {
    size_t n;
    double *x, *density;
    size_t runs; /* whose sum it is */
};

static void clear_curve(struct curve *curve)
{
    bnre__free(curve->x);
    bnre__free(curve->density);
    *curve = (struct curve){0};
}

/* Rows of `wide` numbers; none if there is no such array, or one too large. */
static bnre_status read_array(bnre__store *store, const char *name, size_t wide,
                              size_t most, size_t *n, double **out)
{
    bnre_status status = BNRE_OK;
    const bnre__array_info *info;
    bnre__array *array;

    BNRE_TRY(bnre__store_find(store, name, &array));
    if (array == NULL)
        goto done;
    info = bnre__array_describe(array);
    if (info->rows > most || info->row_size != wide)
        goto done;
    BNRE_NEW(*out, info->rows * wide);
    BNRE_TRY(bnre__array_read(array, 'f', sizeof **out, 0, info->rows, *out));
    *n = info->rows;
done:
    return status;
}

/* How many parameters there are, and where the prior of the first ends. */
static size_t count_parameters(const bnre__saved_run *run)
{
    return bnre__json_count(bnre__json_find(run->posterior, "parameters"));
}

static bnre_status fill_histogram(bnre__store *store, size_t dim,
                                  struct curve *out)
{
    bnre_status status = BNRE_OK;
    double *theta = NULL, low = INFINITY, high = -INFINITY;
    size_t n = 0;

    BNRE_TRY(read_array(store, "theta", dim, MOST_DRAWS, &n, &theta));
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, theta[i * dim]);
        high = fmax(high, theta[i * dim]);
    }
    if (n == 0 || !(low < high))
        goto done;
    BNRE_NEW(out->x, BINS);
    BNRE_NEW(out->density, BINS);
    out->n = BINS;
    for (size_t k = 0; k < BINS; k++)
        out->x[k] = low + (high - low) * ((double)k + 0.5) / BINS;
    for (size_t i = 0; i < n; i++) {
        const double at = (theta[i * dim] - low) / (high - low) * BINS;
        const size_t k = at < BINS ? (size_t)at : BINS - 1;

        out->density[k] += BINS / ((high - low) * (double)n);
    }
done:
    bnre__free(theta);
    return status;
}

static bnre_status read_curve(const bnre__saved_study *study,
                              const bnre__saved_run *run, struct curve *out)
{
    const size_t dim = count_parameters(run);
    bnre_status status = BNRE_OK;
    bnre__store *store = NULL;
    char *path = NULL;
    size_t n = 0;

    BNRE_TRY(bnre__text_format(&path, "%s/%s/posterior/posterior.h5",
                               study->dir, run->dir));
    BNRE_TRY(bnre__store_open(path, NULL, &store));
    if (dim == 1) {
        BNRE_TRY(read_array(store, "axis_0", 1, MOST_POINTS, &out->n, &out->x));
        BNRE_TRY(
            read_array(store, "density", 1, MOST_POINTS, &n, &out->density));
    }
    if (out->n == 0 || n != out->n) {
        clear_curve(out);
        BNRE_TRY(fill_histogram(store, dim, out));
    }
done:
    bnre__store_close(store);
    bnre__free(path);
    return status;
}

/* The sum over runs whose points are the same. */
static bnre_status sum_runs(const bnre__saved_study *study, size_t cell,
                            struct curve *sum)
{
    const bnre__saved_cell *of = &study->cell[cell];
    struct curve one = {0};
    bnre_status status = BNRE_OK;

    for (size_t i = of->first; i < of->first + of->runs; i++) {
        const bnre__saved_run *run = &study->run[i];

        if (run->posterior == NULL || count_parameters(run) == 0)
            continue;
        status = read_curve(study, run, &one);
        if (status == BNRE_ENOMEM)
            goto done;
        status = BNRE_OK; /* one that is damaged is left out */
        if (sum->n == 0 && one.n > 0) {
            *sum = one;
            sum->runs = 1;
            one = (struct curve){0};
        } else if (one.n > 0 && one.n == sum->n && one.x[0] == sum->x[0] &&
                   one.x[one.n - 1] == sum->x[sum->n - 1]) {
            for (size_t k = 0; k < one.n; k++)
                sum->density[k] += one.density[k];
            sum->runs++;
        }
        clear_curve(&one);
    }
done:
    clear_curve(&one);
    return status;
}

static void plot_cell(bnre__figure *figure, const bnre__layout *layout,
                      size_t cell, const struct curve *curve,
                      const char *colour, int dashed)
{
    const size_t step = curve->n / 400 + 1;

    if (curve->n == 0)
        return;
    bnre__figure_data(figure, "# %s: parameter, density\n",
                      layout->study->cell[cell].name);
    for (size_t i = 0; i < curve->n; i += step)
        bnre__figure_data(figure, "%.9g %.6g\n", curve->x[i],
                          curve->density[i] / (double)curve->runs);
    bnre__figure_script(figure,
                        ", \\\n  data index %zu using 1:2 with lines "
                        "linewidth 1.6 linecolor rgb '%s'%s",
                        bnre__figure_block(figure, curve->n), colour,
                        dashed ? " dashtype (5,3)" : "");
}

/* The name of the first parameter, and a line at its truth. */
static void describe(bnre__figure *figure, const bnre__layout *layout)
{
    const bnre__saved_study *study = layout->study;

    for (size_t i = 0; i < study->runs; i++) {
        const bnre__json *first = bnre__json_at(
            bnre__json_find(study->run[i].posterior, "parameters"), 0);
        const char *name = bnre__json_text_of(first, "name");
        const double truth = bnre__json_real_of(first, "truth");

        if (name == NULL)
            continue;
        bnre__panels_title(figure, "xlabel", name);
        if (isfinite(truth))
            bnre__figure_script(
                figure,
                "set arrow 9 from first %.9g, graph 0 to first %.9g, graph 1 "
                "nohead back linewidth 1.1 linecolor rgb "
                "'" BNRE__INK_TRUTH "'\n",
                truth, truth);
        return;
    }
}

/* The cell of a curve: those on the axis first, then the constant ones. */
static size_t cell_of(const bnre__layout *layout, size_t series, size_t i)
{
    return i < layout->ticks ? layout->series[series].cell[i]
                             : layout->series[i - layout->ticks].constant;
}

void bnre__posterior_panel(bnre__figure *figure, const bnre__layout *layout,
                           size_t series)
{
    const size_t n = layout->ticks + layout->n;
    struct curve *curve = NULL;
    bnre_status status = BNRE_OK;
    char colour[8];
    int known = 0;

    BNRE_NEW(curve, n);
    for (size_t i = 0; i < n; i++) {
        const size_t cell = cell_of(layout, series, i);

        if (cell != BNRE__NO_CELL)
            BNRE_TRY(sum_runs(layout->study, cell, &curve[i]));
        known = known || curve[i].n > 0;
    }
    describe(figure, layout);
    bnre__panels_title(figure, "ylabel", "posterior density");
    /* gnuplot finds no range for nothing. */
    bnre__figure_script(figure, "%sset yrange [0:%s]\nplot 1/0",
                        known ? "" : "set xrange [0:1]\n", known ? "*" : "1");
    for (size_t i = 0; i < n; i++) {
        const int constant = i >= layout->ticks;

        plot_cell(figure, layout, cell_of(layout, series, i), &curve[i],
                  constant ? bnre__constant_colour(layout, i - layout->ticks)
                           : bnre__tick_colour(layout, i, colour),
                  constant);
    }
    bnre__figure_script(figure, "\nunset arrow 9\n");
done:
    bnre__figure_fail(figure, status);
    for (size_t i = 0; curve != NULL && i < n; i++)
        clear_curve(&curve[i]);
    bnre__free(curve);
}
