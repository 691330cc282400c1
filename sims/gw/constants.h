/* constants.h - numbers that several files of the gw plugin share. */
#ifndef GW_CONSTANTS_H
#define GW_CONSTANTS_H

#define GW_PI 3.14159265358979323846

#define GW_LIGHT_SPEED 299792458.0      /* m/s */
#define GW_SUN 4.925491025543576e-6     /* solar mass, s */
#define GW_MEGAPARSEC 102927125054339.0 /* light-seconds */
#define GW_RATE 2048.0                  /* samples per second */
#define GW_SAMPLES 8192                 /* of one detector's output */
#define GW_LOW 20.0                     /* lowest frequency used, Hz */

/* Same layout as FFTW's complex numbers. Products are written out in the loops
   that matter: C's complex product has to look for infinities. */
struct gw_complex {
    double re, im;
};

#endif
