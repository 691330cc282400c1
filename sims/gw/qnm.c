/* qnm.c - splines through qnm_l2m2.csv, which the build turns into an array. */
#include "qnm.h"

#include "qnm_table.h"

enum { SPIN, RING, DAMP };

_Static_assert(sizeof table / sizeof table[0] == GW_QNM_KNOTS,
               "the table has as many rows as the header says");

/* Second derivatives m of the spline through `column`, zero at both ends:

     h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1}
       = 6 [(y_{i+1} - y_i)/h_i - (y_i - y_{i-1})/h_{i-1}]

   The system is tridiagonal and diagonally dominant: one sweep down, one up. */
static void bend(int column, double m[GW_QNM_KNOTS])
{
    double upper[GW_QNM_KNOTS] = {0};

    m[0] = m[GW_QNM_KNOTS - 1] = 0;
    for (size_t i = 1; i + 1 < GW_QNM_KNOTS; i++) {
        double before = table[i][SPIN] - table[i - 1][SPIN];
        double after = table[i + 1][SPIN] - table[i][SPIN];
        double rise = (table[i + 1][column] - table[i][column]) / after -
                      (table[i][column] - table[i - 1][column]) / before;
        double pivot = 2 * (before + after) - before * upper[i - 1];

        upper[i] = after / pivot;
        m[i] = (6 * rise - before * m[i - 1]) / pivot;
    }
    for (size_t i = GW_QNM_KNOTS - 2; i > 0; i--)
        m[i] -= upper[i] * m[i + 1];
}

void gw_qnm_init(struct gw_qnm *qnm)
{
    bend(RING, qnm->ring_bend);
    bend(DAMP, qnm->damp_bend);
}

/* Index of the interval [i, i + 1] that holds the spin. */
static size_t interval(double spin)
{
    size_t low = 0, high = GW_QNM_KNOTS - 1;

    while (high - low > 1) {
        size_t middle = (low + high) / 2;

        if (table[middle][SPIN] > spin)
            high = middle;
        else
            low = middle;
    }
    return low;
}

static double spline(int column, const double *m, size_t i, double spin)
{
    double h = table[i + 1][SPIN] - table[i][SPIN];
    double a = (table[i + 1][SPIN] - spin) / h;
    double b = (spin - table[i][SPIN]) / h;

    return a * table[i][column] + b * table[i + 1][column] +
           ((a * a * a - a) * m[i] + (b * b * b - b) * m[i + 1]) * h * h / 6;
}

void gw_qnm_evaluate(const struct gw_qnm *qnm, double spin, double *ring,
                     double *damp)
{
    size_t i = interval(spin);

    *ring = spline(RING, qnm->ring_bend, i, spin);
    *damp = spline(DAMP, qnm->damp_bend, i, spin);
}
