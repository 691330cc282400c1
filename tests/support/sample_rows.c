#include "sample_rows.h"

#include <math.h>
#include <string.h>

#include "support.h"

static int fails(size_t row)
{
    return row % 7 == 3;
}

static uint8_t status_of(size_t row)
{
    return row % 2 == 0 ? BNRE_DRAW_LOST : BNRE_DRAW_INVALID;
}

static double theta_of(size_t row, size_t j)
{
    return ((double)row + 0.1) / (j == 0 ? 3 : -1e17);
}

static float x_of(size_t row, size_t j)
{
    return (float)((double)row * 0.37 + (double)j / 7 - 1e-3);
}

static bnre_status read_sample(void *self, size_t first, size_t n,
                               double *theta, double *nuisance, void *x_out,
                               uint8_t *status,
                               char (*reason)[BNRE_REASON_SIZE])
{
    static const char *const why[] = {"too hot", "too cold", "too hot: really"};
    const int failing = self != NULL;
    float *x = x_out;

    for (size_t i = 0; i < n; i++) {
        const size_t row = first + i;
        const int failed = failing && fails(row);

        for (size_t j = 0; theta != NULL && j < SAMPLE_DIM; j++)
            *theta++ = theta_of(row, j);
        if (nuisance != NULL)
            *nuisance++ = sqrt((double)row);
        for (size_t j = 0; x != NULL && j < SAMPLE_X; j++)
            *x++ = failed ? NAN : x_of(row, j);
        if (status != NULL)
            status[i] = failed ? status_of(row) : BNRE_DRAW_OK;
        if (reason != NULL) {
            memset(reason[i], 0, sizeof reason[i]);
            if (failed)
                strcpy(reason[i], why[row / 7 % 3]);
        }
    }
    return BNRE_OK;
}

bnre__rows sample_rows(size_t rows, int failing)
{
    static const char *const theta[] = {"rate", "scale"};
    static const char *const nuisance[] = {"drift"};
    static bnre_dataset_info info;
    static int marker;

    info = (bnre_dataset_info){
        .rows = rows,
        .failed = failing ? (rows + 3) / 7 : 0,
        .dim_theta = SAMPLE_DIM,
        .dim_nuisance = SAMPLE_NUISANCE,
        .ndim = 2,
        .shape = {2, 3},
        .x_size = SAMPLE_X,
        .theta_name = theta,
        .nuisance_name = nuisance,
        .task = "name: sample\noptions: {quoted: \"it's: #1\"}\n",
        .settings = "seed: 7\nsplit: train\n",
        .version = "9.9.9",
    };
    return (bnre__rows){
        .info = &info, .self = failing ? &marker : NULL, .read = read_sample};
}

void sample_check(size_t i, int failing, const double *theta,
                  const double *nuisance, const double *x, uint8_t status)
{
    for (size_t j = 0; j < SAMPLE_DIM; j++)
        assert_true(theta[j] == theta_of(i, j));
    if (nuisance != NULL)
        assert_true(nuisance[0] == sqrt((double)i));
    assert_int_equal(status, failing && fails(i) ? status_of(i) : BNRE_DRAW_OK);
    for (size_t j = 0; j < SAMPLE_X; j++)
        assert_true(status == BNRE_DRAW_OK ? (float)x[j] == x_of(i, j)
                                           : isnan(x[j]) != 0);
}
