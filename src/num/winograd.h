/* winograd.h - convolutions with three taps by fewer products (Lavin and Gray
   2016).

   Along one dimension m outputs y of inputs d (m + 2) under weights g (3) are

     y = output ((weights g) * (input d))

   with one product per point: polynomials are multiplied by their values at m +
   2 points, here 0, 1, -1, infinity, 1/2, -2, 2, in this order. A tile of m
   outputs needs the first m + 2 of them: tiles of all sizes share the values of
   the weights. Both dimensions of a picture are treated so one after the other,
   which leaves (m + 2)^2 products of 9 m^2. These points keep rounding errors
   small: with normal data and 256 channels 2.7 times those of the plain sum for
   m = 4, and 6.5 times for m = 5 (root mean square).

   Two outputs between zeros (a picture two wide, with padding) are special:
   three products give them. */
#ifndef BNRE_NUM_WINOGRAD_H
#define BNRE_NUM_WINOGRAD_H

#include <stddef.h>

enum {
    BNRE__PAIR = 1,        /* kinds of tiles: two between zeros, */
    BNRE__MAX_OUTPUTS = 5, /* or 2, 3, 4, 5 outputs */
    BNRE__MAX_POINTS = 7
};

static const float bnre__input_2[4][4] = {
    {1, 0, -1, 0},
    {0, 1.0f / 2, 1.0f / 2, 0},
    {0, -1.0f / 2, 1.0f / 2, 0},
    {0, -1, 0, 1},
};

static const float bnre__output_2[2][4] = {
    {1, 1, 1, 0},
    {0, 1, -1, 1},
};

static const float bnre__input_3[5][5] = {
    {1, -2, -1, 2, 0},
    {0, -1.0f / 2, 1.0f / 2, 1, 0},
    {0, -1.0f / 6, 1.0f / 2, -1.0f / 3, 0},
    {0, 1.0f / 2, -1, -1.0f / 2, 1},
    {0, 8.0f / 3, 0, -8.0f / 3, 0},
};

static const float bnre__output_3[3][5] = {
    {1, 1, 1, 0, 1},
    {0, 1, -1, 0, 1.0f / 2},
    {0, 1, 1, 1, 1.0f / 4},
};

static const float bnre__input_4[6][6] = {
    {1, -3.0f / 2, -2, 3.0f / 2, 1, 0},
    {0, -1.0f / 3, 1.0f / 6, 5.0f / 6, 1.0f / 3, 0},
    {0, -1.0f / 3, 5.0f / 6, -1.0f / 6, -1.0f / 3, 0},
    {0, 1, -3.0f / 2, -2, 3.0f / 2, 1},
    {0, 32.0f / 15, 16.0f / 15, -32.0f / 15, -16.0f / 15, 0},
    {0, 1.0f / 30, -1.0f / 15, -1.0f / 30, 1.0f / 15, 0},
};

static const float bnre__output_4[4][6] = {
    {1, 1, 1, 0, 1, 1},
    {0, 1, -1, 0, 1.0f / 2, -2},
    {0, 1, 1, 0, 1.0f / 4, 4},
    {0, 1, -1, 1, 1.0f / 8, -8},
};

static const float bnre__input_5[7][7] = {
    {1, -2, -5.0f / 4, 5.0f / 2, 1.0f / 4, -1.0f / 2, 0},
    {0, -2.0f / 3, 2.0f / 3, 3.0f / 2, -1.0f / 6, -1.0f / 3, 0},
    {0, -2.0f / 9, 2.0f / 3, -7.0f / 18, -1.0f / 6, 1.0f / 9, 0},
    {0, -2, 4, 5.0f / 2, -5, -1.0f / 2, 1},
    {0, 128.0f / 45, 0, -32.0f / 9, 0, 32.0f / 45, 0},
    {0, 1.0f / 60, -1.0f / 24, 0, 1.0f / 24, -1.0f / 60, 0},
    {0, 1.0f / 36, -1.0f / 24, -1.0f / 18, 1.0f / 24, 1.0f / 36, 0},
};

static const float bnre__output_5[5][7] = {
    {1, 1, 1, 0, 1, 1, 1},           {0, 1, -1, 0, 1.0f / 2, -2, 2},
    {0, 1, 1, 0, 1.0f / 4, 4, 4},    {0, 1, -1, 0, 1.0f / 8, -8, 8},
    {0, 1, 1, 1, 1.0f / 16, 16, 16},
};

static const float bnre__weights[7][3] = {
    {1, 0, 0},  {1, 1, 1}, {1, -1, 1}, {0, 0, 1}, {1, 1.0f / 2, 1.0f / 4},
    {1, -2, 4}, {1, 2, 4},
};

static const float bnre__input_1[3][2] = {
    {1, 1},
    {0, 1},
    {1, 0},
};

static const float bnre__output_1[2][3] = {
    {1, 1, 0},
    {1, 0, 1},
};

static const float bnre__weights_1[3][3] = {
    {0, 1, 0},
    {0, -1, 1},
    {1, -1, 0},
};

static inline size_t bnre__tile_outputs(int kind)
{
    return kind == BNRE__PAIR ? 2 : (size_t)kind;
}

static inline size_t bnre__tile_inputs(int kind)
{
    return kind == BNRE__PAIR ? 2 : (size_t)kind + 2;
}

static inline size_t bnre__tile_points(int kind)
{
    return kind == BNRE__PAIR ? 3 : (size_t)kind + 2;
}

#endif
