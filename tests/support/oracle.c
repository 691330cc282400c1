#include "oracle.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>

double oracle_normal_p(double x)
{
    return gsl_cdf_ugaussian_P(x);
}

double oracle_normal_inverse(double u)
{
    return gsl_cdf_ugaussian_Pinv(u);
}

double oracle_gamma_p(double x, double shape)
{
    return gsl_cdf_gamma_P(x, shape, 1);
}

double oracle_gamma_q(double x, double shape)
{
    return gsl_cdf_gamma_Q(x, shape, 1);
}

double oracle_gamma_inverse(double u, double shape)
{
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    double x = gsl_cdf_gamma_Pinv(u, shape, 1);

    gsl_set_error_handler(handler);
    return x;
}

double oracle_beta_p(double x, double a, double b)
{
    return gsl_cdf_beta_P(x, a, b);
}

double oracle_beta_q(double x, double a, double b)
{
    return gsl_cdf_beta_Q(x, a, b);
}

double oracle_beta_inverse(double u, double a, double b)
{
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    double x = gsl_cdf_beta_Pinv(u, a, b);

    gsl_set_error_handler(handler);
    return x;
}

double oracle_student_p(double x, double df)
{
    return gsl_cdf_tdist_P(x, df);
}

double oracle_student_inverse(double u, double df)
{
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    double x = gsl_cdf_tdist_Pinv(u, df);

    gsl_set_error_handler(handler);
    return x;
}

double oracle_normal_density(double x)
{
    return gsl_ran_ugaussian_pdf(x);
}

double oracle_log_normal_density(double x, double mean, double sd)
{
    return gsl_ran_lognormal_pdf(x, mean, sd);
}

double oracle_gamma_density(double x, double shape, double rate)
{
    return gsl_ran_gamma_pdf(x, shape, 1 / rate);
}

double oracle_beta_density(double x, double a, double b)
{
    return gsl_ran_beta_pdf(x, a, b);
}

double oracle_student_density(double x, double df)
{
    return gsl_ran_tdist_pdf(x, df);
}

double oracle_poisson(unsigned k, double mean)
{
    return gsl_ran_poisson_pdf(k, mean);
}

double oracle_binomial(unsigned k, unsigned n, double p)
{
    return gsl_ran_binomial_pdf(k, p, n);
}

double oracle_integral(double (*f)(double x, void *context), void *context,
                       double low, double high)
{
    enum { PARTS = 200 };
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(PARTS);
    gsl_function function = {f, context};
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    double result, error;

    /* Rounding may keep it from the last digit asked for; the callers'
       tolerances are wider. */
    gsl_integration_qag(&function, low, high, 1e-300, 1e-11, PARTS,
                        GSL_INTEG_GAUSS61, space, &result, &error);
    gsl_set_error_handler(handler);
    gsl_integration_workspace_free(space);
    return result;
}
