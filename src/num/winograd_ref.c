/* winograd_ref.c - combinations of tiles, from the tables. */
#include "num/conv2d.h"
#include "num/winograd.h"

/* Element (row, column) of a table. */
static float element(int kind, bnre__side side, size_t row, size_t column)
{
    if (side == BNRE__WEIGHTS)
        return kind == BNRE__PAIR ? bnre__weights_1[row][column]
                                  : bnre__weights[row][column];
    switch (kind) {
#define KIND(m)                                                                \
    case m:                                                                    \
        return side == BNRE__INPUT ? bnre__input_##m[row][column]              \
                                   : bnre__output_##m[row][column];
        KIND(1)
        KIND(2)
        KIND(3)
        KIND(4)
        KIND(5)
#undef KIND
    default:
        return 0;
    }
}

void bnre__combine_ref(const bnre__combination *c)
{
    const size_t points = bnre__tile_points(c->kind);
    const size_t rows =
        c->side == BNRE__OUTPUT ? bnre__tile_outputs(c->kind) : points;
    const size_t columns = c->side == BNRE__OUTPUT  ? points
                           : c->side == BNRE__INPUT ? bnre__tile_inputs(c->kind)
                                                    : 3;
    const size_t outs = c->back ? columns : rows;
    const size_t ins = c->back ? rows : columns;

    for (size_t i = 0; i < c->n; i++)
        for (size_t o = 0; o < outs; o++) {
            double sum = c->add ? (double)c->to[o][i] : 0;

            for (size_t k = 0; k < ins; k++)
                sum += (double)c->from[k][i] * (double)element(c->kind, c->side,
                                                               c->back ? k : o,
                                                               c->back ? o : k);
            c->to[o][i] = (float)sum;
        }
}
