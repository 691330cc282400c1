/* float_mode.h - what the processor does with numbers too small for a full
   mantissa.

   Arithmetic on such (denormal) numbers takes a hundred times as long as on
   others, and networks that have been trained for long are full of them. A
   caller that has no use for them asks for zeros instead, for as long as it
   computes; a pool's threads follow the caller (pool.c). */
#ifndef BNRE_BASE_FLOAT_MODE_H
#define BNRE_BASE_FLOAT_MODE_H

#include <stdint.h>

#if defined(__SSE__)
#define BNRE__CAN_FLUSH 1
#elif defined(__aarch64__)
#define BNRE__CAN_FLUSH 1
#else
#define BNRE__CAN_FLUSH 0 /* denormals stay, results are right, and slow */
#endif

typedef uint64_t bnre__float_mode;

/* The mode of this thread. */
static inline bnre__float_mode bnre__float_mode_get(void)
{
#if defined(__SSE__)
    return __builtin_ia32_stmxcsr();
#elif defined(__aarch64__)
    uint64_t mode;

    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
#else
    return 0;
#endif
}

static inline void bnre__float_mode_set(bnre__float_mode mode)
{
#if defined(__SSE__)
    __builtin_ia32_ldmxcsr((unsigned)mode);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(mode));
#else
    (void)mode;
#endif
}

/* Turn denormal operands and results into zeros from here on; returns the mode
   to set again afterwards. */
static inline bnre__float_mode bnre__float_mode_flush(void)
{
    const bnre__float_mode mode = bnre__float_mode_get();

#if defined(__SSE__)
    bnre__float_mode_set(mode | 0x8040); /* results | operands */
#elif defined(__aarch64__)
    bnre__float_mode_set(mode | (uint64_t)1 << 24);
#endif
    return mode;
}

#endif
