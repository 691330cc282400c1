/* gw_vectors.h - what the tests of the gw plugin share: gw.json. */
#ifndef GW_VECTORS_H
#define GW_VECTORS_H

#include <math.h>

#include "gw/event.h"
#include "reference.h"
#include "support.h"

/* Relative, unless the wanted value is 0. */
#define assert_near(a, b, tolerance)                                           \
    assert_close((b) != 0 ? (a) / (b) : (a) + 1, 1, tolerance)

static inline struct gw_event vector_event(const ref *params)
{
    return (struct gw_event){
        .m1 = ref_number(ref_at(params, "m1")),
        .m2 = ref_number(ref_at(params, "m2")),
        .spin1 = ref_number(ref_at(params, "s1")),
        .spin2 = ref_number(ref_at(params, "s2")),
        .distance = ref_number(ref_at(params, "dist")),
        .cos_inclination = cos(ref_number(ref_at(params, "incl"))),
        .phase = ref_number(ref_at(params, "phic")),
        .source = {.right_ascension = ref_number(ref_at(params, "ra")),
                   .sin_declination = sin(ref_number(ref_at(params, "dec"))),
                   .polarisation = ref_number(ref_at(params, "psi"))},
    };
}

static const char *const site_names[GW_SITES] = {"H1", "L1"};

#endif
