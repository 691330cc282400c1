/* winograd_simd.c - combinations of tiles in vector types. The tables are
   constants to the compiler: it drops the zeros and the ones. */
#include "num/conv2d.h"
#include "num/simd.h"
#include "num/winograd.h"

/* to = matrix from (outs by ins), or its transpose. Gathered first: results may
   go where inputs came from. */
#define COMBINE(name, matrix, outs, ins, row, column)                          \
    static void name(const bnre__combination *c)                               \
    {                                                                          \
        const float *from[ins];                                                \
        float *to[outs];                                                       \
                                                                               \
        UNROLL                                                                 \
        for (int k = 0; k < ins; k++)                                          \
            from[k] = c->from[k];                                              \
        UNROLL                                                                 \
        for (int o = 0; o < outs; o++)                                         \
            to[o] = c->to[o];                                                  \
        for (size_t i = 0; i < c->n; i += LANES) {                             \
            vec x[ins];                                                        \
                                                                               \
            UNROLL                                                             \
            for (int k = 0; k < ins; k++)                                      \
                x[k] = load(from[k] + i);                                      \
            UNROLL                                                             \
            for (int o = 0; o < outs; o++) {                                   \
                vec sum = c->add ? load(to[o] + i) : (vec){0};                 \
                                                                               \
                UNROLL                                                         \
                for (int k = 0; k < ins; k++) {                                \
                    const float factor = matrix[row][column];                  \
                                                                               \
                    if (factor != 0)                                           \
                        sum += splat(factor) * x[k];                           \
                }                                                              \
                store(to[o] + i, sum);                                         \
            }                                                                  \
        }                                                                      \
    }

#define BOTH(name, matrix, rows, columns)                                      \
    COMBINE(name, matrix, rows, columns, o, k)                                 \
    COMBINE(name##_back, matrix, columns, rows, k, o)

BOTH(input_1, bnre__input_1, 3, 2)
BOTH(input_2, bnre__input_2, 4, 4)
BOTH(input_3, bnre__input_3, 5, 5)
BOTH(input_4, bnre__input_4, 6, 6)
BOTH(input_5, bnre__input_5, 7, 7)
BOTH(output_1, bnre__output_1, 2, 3)
BOTH(output_2, bnre__output_2, 2, 4)
BOTH(output_3, bnre__output_3, 3, 5)
BOTH(output_4, bnre__output_4, 4, 6)
BOTH(output_5, bnre__output_5, 5, 7)
BOTH(weights_1, bnre__weights_1, 3, 3)
BOTH(weights_2, bnre__weights, 4, 3)
BOTH(weights_3, bnre__weights, 5, 3)
BOTH(weights_4, bnre__weights, 6, 3)
BOTH(weights_5, bnre__weights, 7, 3)

#define CHOOSE(side)                                                           \
    static void side(const bnre__combination *c)                               \
    {                                                                          \
        switch (c->kind + 8 * !!c->back) {                                     \
            EACH(side, 1)                                                      \
            EACH(side, 2)                                                      \
            EACH(side, 3)                                                      \
            EACH(side, 4)                                                      \
            EACH(side, 5)                                                      \
        default:                                                               \
            break;                                                             \
        }                                                                      \
    }

#define EACH(side, kind)                                                       \
    case kind:                                                                 \
        side##_##kind(c);                                                      \
        break;                                                                 \
    case kind + 8:                                                             \
        side##_##kind##_back(c);                                               \
        break;

CHOOSE(input)
CHOOSE(output)
CHOOSE(weights)

void BNRE_IN_SET(bnre__combine)(const bnre__combination *c)
{
    if (c->side == BNRE__INPUT)
        input(c);
    else if (c->side == BNRE__OUTPUT)
        output(c);
    else
        weights(c);
}
