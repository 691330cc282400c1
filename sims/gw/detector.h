/* detector.h - how the two LIGO detectors hear a source. */
#ifndef GW_DETECTOR_H
#define GW_DETECTOR_H

/* The Earth does not turn: every event happens at this sidereal angle. With
   right ascension uniform it has no effect on the data's distribution. */
#define GW_SIDEREAL 1.8341632531183691

enum gw_site { GW_H1, GW_L1, GW_SITES };

struct gw_source {
    double right_ascension, sin_declination, polarisation;
};

struct gw_hearing {
    double plus, cross; /* antenna factors */
    double delay;       /* of arrival after H1, s */
};

struct gw_hearing gw_detector_hear(enum gw_site site,
                                   const struct gw_source *source);

#endif
