/* clock.h - seconds on a clock that never goes back. */
#ifndef BNRE_BASE_CLOCK_H
#define BNRE_BASE_CLOCK_H

/* For durations: only differences mean something. */
double bnre__clock(void);

#endif
