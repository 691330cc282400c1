/* real.c - the support of a prior laid out on the real line, and back. */
#include <float.h>
#include <math.h>

#include "prior/inside.h"

/* How the support of a parameter is laid out on the real line. */
enum shape { POINT, NUMBER, LINE, ABOVE, BELOW, INTERVAL };

static enum shape shape(const bnre__parameter *p)
{
    if (p->low == p->high)
        return POINT;
    if (p->values > 0)
        return NUMBER;
    if (isinf(p->low))
        return isinf(p->high) ? LINE : BELOW;
    return isinf(p->high) ? ABOVE : INTERVAL;
}

/* log(a / b), also where the ratio does not fit a double */
static double logit(double a, double b)
{
    double ratio = a / b;

    return ratio > DBL_MIN && ratio < DBL_MAX ? log(ratio) : log(a) - log(b);
}

void bnre__prior_to_real(const bnre_prior *prior, const double *theta,
                         double *z)
{
    for (size_t i = 0; i < prior->dim; i++) {
        const bnre__parameter *p = &prior->parameter[i];
        double x = bnre__inside(p, theta[i]);

        switch (shape(p)) {
        case POINT:
            z[i] = 0;
            break;
        case NUMBER:
        case LINE:
            z[i] = x;
            break;
        case ABOVE:
            z[i] = log(x - p->low);
            break;
        case BELOW:
            z[i] = -log(p->high - x);
            break;
        case INTERVAL:
            z[i] = logit(x - p->low, p->high - x);
            break;
        }
    }
}

/* A point of the real line seen from the support. */
struct image {
    double theta, log_slope, dlog_slope;
};

static struct image map_point(const bnre__parameter *p, double z)
{
    double e, width;

    switch (shape(p)) {
    case POINT:
        return (struct image){p->low, 0, 0};
    case NUMBER:
        return (struct image){rint(z), 0, 0};
    case LINE:
        return (struct image){z, 0, 0};
    case ABOVE:
        return (struct image){p->low + exp(z), z, 1};
    case BELOW:
        return (struct image){p->high - exp(-z), -z, -1};
    default:
        e = exp(-fabs(z)); /* measure from the nearer end */
        width = p->high - p->low;
        return (struct image){z < 0 ? p->low + width * (e / (1 + e))
                                    : p->high - width * (e / (1 + e)),
                              log(width) - fabs(z) - 2 * log1p(e),
                              -tanh(z / 2)};
    }
}

void bnre__prior_from_real(const bnre_prior *prior, const double *z,
                           double *theta, double *log_jacobian, double *dlogj,
                           double *dtheta)
{
    double sum = 0;

    for (size_t i = 0; i < prior->dim; i++) {
        const bnre__parameter *p = &prior->parameter[i];
        struct image image = map_point(p, z[i]);

        theta[i] = bnre__inside(p, image.theta);
        sum += image.log_slope;
        if (dlogj != NULL)
            dlogj[i] = image.dlog_slope;
        if (dtheta != NULL)
            dtheta[i] =
                shape(p) == POINT ? 0 : fmin(exp(image.log_slope), DBL_MAX);
    }
    if (log_jacobian != NULL)
        *log_jacobian = sum;
}
