/* Reads `seed rate scale offset`, answers 16 numbers, until its input ends.

     cc -O2 -o sim sim.c -lm */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

/* splitmix64: small, and enough for an example. */
static double uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return ((double)((z ^ z >> 31) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(uniform(state)));

    return radius * cos(6.283185307179586 * uniform(state));
}

int main(void)
{
    unsigned long seed;
    double rate, scale, offset;

    while (scanf("%lu %lf %lf %lf", &seed, &rate, &scale, &offset) == 4) {
        uint64_t state = seed; /* the same seed, the same numbers */

        for (int i = 0; i < 16; i++)
            printf("%.9g ",
                   scale * exp(-rate * i / 4) + offset + 0.05 * normal(&state));
        printf("\n");
        fflush(stdout); /* without it, both sides wait forever */
    }
    return 0;
}
