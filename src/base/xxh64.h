/* xxh64.h - XXH64, a checksum as fast as memory: it finds damage, and is no
   proof against somebody who wants to deceive (see hash.h for that). */
#ifndef BNRE_XXH64_H
#define BNRE_XXH64_H

#include <stddef.h>
#include <stdint.h>

/* With seed 0, as xxh64sum prints it. */
uint64_t bnre__xxh64(const void *data, size_t bytes);

#endif
