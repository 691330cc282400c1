/* detector.c - antenna factors and delays. Earth-fixed coordinates: x through
   the Greenwich meridian, z through the north pole. */
#include "detector.h"

#include <math.h>

#include "constants.h"

struct geometry {
    double position[3];        /* m */
    double x_arm[3], y_arm[3]; /* directions */
};

static const struct geometry sites[GW_SITES] = {
    [GW_H1] = {{-2.16141492636e6, -3.83469517889e6, 4.60035022664e6},
               {-0.22389266154, 0.79983062746, 0.55690487831},
               {-0.91397818574, 0.02609403989, -0.40492342125}},
    [GW_L1] = {{-7.42760447238e4, -5.49628371971e6, 3.22425701744e6},
               {-0.95457412153, -0.14158077340, -0.26218911324},
               {0.29774156894, -0.48791033647, -0.82054461286}},
};

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* a.D.b with the response tensor D = (u u^T - v v^T)/2 of arms u, v. */
static double respond(const struct geometry *site, const double a[3],
                      const double b[3])
{
    return (dot(a, site->x_arm) * dot(b, site->x_arm) -
            dot(a, site->y_arm) * dot(b, site->y_arm)) /
           2;
}

struct gw_hearing gw_detector_hear(enum gw_site site,
                                   const struct gw_source *source)
{
    const struct geometry *here = &sites[site], *h1 = &sites[GW_H1];
    double hour = GW_SIDEREAL - source->right_ascension;
    double cg = cos(hour), sg = sin(hour);
    double cp = cos(source->polarisation), sp = sin(source->polarisation);
    double sd = source->sin_declination, cd = sqrt(1 - sd * sd);
    const double x[3] = {-cp * sg - sp * cg * sd, -cp * cg + sp * sg * sd,
                         sp * cd};
    const double y[3] = {sp * sg - cp * cg * sd, sp * cg + cp * sg * sd,
                         cp * cd};
    const double towards[3] = {cd * cg, -cd * sg, sd};
    double ahead[3];

    for (int i = 0; i < 3; i++)
        ahead[i] = h1->position[i] - here->position[i];
    return (struct gw_hearing){
        .plus = respond(here, x, x) - respond(here, y, y),
        .cross = 2 * respond(here, x, y),
        .delay = dot(ahead, towards) / GW_LIGHT_SPEED,
    };
}
