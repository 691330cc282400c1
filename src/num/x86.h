/* x86.h - instructions of x86 by name, where compilers do not find them by
   themselves. */
#ifndef BNRE_NUM_X86_H
#define BNRE_NUM_X86_H

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#endif
