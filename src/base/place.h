/* place.h - where the code that is running lies, to find what belongs to it. */
#ifndef BNRE_PLACE_H
#define BNRE_PLACE_H

#include "bnre/status.h"

/* The directory of the program or shared library that holds this code. The
   caller frees *out, which is NULL where the system does not tell. */
BNRE_MUST_CHECK bnre_status bnre__own_directory(char **out);

#endif
