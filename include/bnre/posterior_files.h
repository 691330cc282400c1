/* posterior_files.h - a posterior as files for people and for programs.

     posterior.json   the numbers: parameters, regions, evidence, its origin

     samples.csv      draws, a column for each parameter

     samples.npy      the same as an array (n, dim)

     posterior.h5     the same as `theta`, and for grids the density: `density`
                      over the axes `axis_0`, ... (middles of cells)

     posterior.nc, getdist.*, draws.csv   the draws for other programs, where
                      they are asked for: NetCDF for ArviZ, chains for GetDist,
                      a table for R's package posterior

     corner.*         the picture, its data and its script (corner.gp draws it
                      again): densities of single parameters and of pairs, with
                      the regions of each, the prior, and the truth. More than
                      8 parameters take several pages, corner-2.*, ...

     corner-marginals.*   all parameters one by one, where they are not all on
                          one page */
#ifndef BNRE_POSTERIOR_FILES_H
#define BNRE_POSTERIOR_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/posterior.h"
#include "bnre/settings.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A region of the picture: how much of the posterior it holds, and what it is
   called: "90 %", or "90 % conformal" for one that holds `content` so as to
   contain the truth in 90 % of cases (certificate.h). */
typedef struct bnre_contour {
    double content; /* above 0; from 1 - 1e-9 on it is all of the prior */
    double level;
    int conformal;
} bnre_contour;

/* What was observed, or simulated from draws of the posterior, for files that
   tell it. */
typedef struct bnre_posterior_data {
    size_t n; /* observations */
    size_t ndim;
    const size_t *shape; /* (ndim) of one */
    const double *x;     /* (n, shape); NaN where a simulation failed */
    const double *theta; /* (n, dim) from which it was simulated: the first n
                            draws; NULL where it was observed */
} bnre_posterior_data;

typedef struct bnre_posterior_files {
    const char *directory; /* must be there */
    int force;             /* replace files of these names */
    size_t samples;
    uint64_t seed;
    size_t levels;
    const double *level; /* (levels) of regions, each in (0, 1) */
    size_t contours;
    const bnre_contour *contour; /* (contours) of the picture, instead of the
                                    levels; NULL = these */
    const char *note;    /* shown in the picture, lines end with \n; or NULL */
    const double *truth; /* (dim), or NULL */
    const char *formats; /* of the picture: "svg,pdf"; "" = none */
    const bnre_node *made; /* how it came about, a map; NULL = not told */
    const char *show;      /* parameters in the picture, in this order, as
                              "a,b,c"; NULL = all */
    const char *write;     /* files of draws: of "nc,getdist,stan,csv,npy";
                              NULL = csv,npy */
    const bnre_posterior_data *observed;   /* for nc; NULL = not told */
    const bnre_posterior_data *predictive; /* likewise */
    const char *certificate;               /* YAML, likewise */
} bnre_posterior_files;

/* 10,000 samples, seed 1, levels 0.683, 0.954, 0.997, svg and pdf, draws as
   csv and npy. */
BNRE_API bnre_posterior_files bnre_posterior_files_default(void);

/* Which parameters (n) are to be shown; NULL = all of them. There is room for
   one of each. Errors: EUSAGE for a name that is none, or twice; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_posterior_shown(
    const bnre_prior *prior, const char *show, size_t *n, size_t *parameter);

/* What is on which picture, in words: "corner.svg: a, b, c; ...", for people.
   The caller gives *out to bnre_free(). Errors: EUSAGE as below; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_posterior_pictures(
    const bnre_posterior_files *files, const bnre_prior *prior, char **out);

/* Write them. The session is that of the posterior and ranks the truth. *drawn
   (may be NULL) is 0 if there is no gnuplot to draw the picture: then its data
   and script are there all the same.
   Errors: EEXIST naming the file, unless `force`; EUSAGE for a truth outside
   the support, with the support; for no samples, levels or formats that are
   none, parameters to be shown that are none, `predictive` of other parameters
   than the first draws; EIO; those of the density; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_posterior_save(bnre_posterior *posterior, bnre_session *session,
                    const bnre_posterior_files *files, int *drawn);

/* ---- where a single parameter lies ----

   At a level c that is the set of highest density: the values whose density,
   that of the parameter alone, is above what leaves the mass c. It is what
   pictures shade and what tables and titles tell, and it need not be one
   interval: a posterior with two modes says "-1.7 to -0.8 or 0.9 to 1.6". Of
   whole numbers it is the likeliest ones: "0 or 2 to 4". */

enum { BNRE_MARGINAL_PARTS = 16, BNRE_MARGINAL_WORDS = 256 };

/* Parts in increasing order. Parts with less than 1 % of the posterior are left
   out, and gaps with less than that are closed: draws do not tell them from
   noise. */
typedef struct bnre_marginal {
    double level;
    size_t n;
    double low[BNRE_MARGINAL_PARTS], high[BNRE_MARGINAL_PARTS];
    int whole; /* numbers from low to high, which may be the same */
} bnre_marginal;

/* out (levels) of parameter i; the value of a fixed one. Errors: EINVAL for
   levels outside (0, 1) or no such parameter; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_marginal_find(const bnre_posterior *posterior, size_t i, size_t levels,
                   const double *level, bnre_marginal *out);

/* "0.9 to 1.6 or 2.1 to 2.4", to two digits of half its shortest part; of more
   than three parts their number and ends. Written into `out` and returned. */
BNRE_API const char *bnre_marginal_words(const bnre_marginal *marginal,
                                         char out[BNRE_MARGINAL_WORDS]);

#ifdef __cplusplus
}
#endif
#endif
