/* pairing.c - which theta meets which x in the marginal pairs of a batch. */
#include "infer/train/pairing.h"

#include <string.h>

#include "base/mem.h"

void bnre__pairing_clear(bnre__pairing *pairing)
{
    bnre__free(pairing->x_order);
    bnre__free(pairing->x_index);
    bnre__free(pairing->place);
    bnre__free(pairing->order);
    *pairing = (bnre__pairing){.permute = pairing->permute};
}

static bnre_status make_room(bnre__pairing *pairing, size_t thetas)
{
    bnre_status status = BNRE_OK;

    bnre__pairing_clear(pairing);
    BNRE_NEW(pairing->order, thetas);
    BNRE_NEW(pairing->place, thetas);
    BNRE_NEW(pairing->x_order, thetas);
    BNRE_NEW(pairing->x_index, thetas);
    pairing->room = thetas;
done:
    return status;
}

static void shuffle(bnre_rng *rng, size_t n, size_t *order)
{
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    bnre_rng_shuffle(rng, n, order);
}

bnre_status bnre__pairing_draw(bnre__pairing *pairing, bnre_rng *rng, size_t n,
                               size_t spare)
{
    const size_t thetas = n + spare;

    if (thetas > pairing->room)
        BNRE_DO(make_room(pairing, thetas));
    pairing->n = n;
    pairing->thetas = thetas;
    shuffle(rng, thetas, pairing->order);
    if (!pairing->permute) {
        for (size_t i = 0; i < thetas; i++)
            pairing->place[pairing->order[i]] = i;
        return BNRE_OK;
    }
    shuffle(rng, n, pairing->x_order);
    for (size_t i = 0; i < n; i++)
        pairing->x_index[i] = (uint32_t)pairing->x_order[i];
    return BNRE_OK;
}

size_t bnre__pairing_theta(const bnre__pairing *pairing, size_t i, size_t shift)
{
    size_t place;

    if (pairing->permute)
        return pairing->order[i];
    place = pairing->place[i] + shift;
    return pairing
        ->order[place < pairing->thetas ? place : place - pairing->thetas];
}

void bnre__pairing_gather(const bnre__pairing *pairing, size_t dim,
                          const float *theta, size_t shift, float *out)
{
    for (size_t i = 0; i < pairing->n; i++)
        memcpy(out + i * dim,
               theta + bnre__pairing_theta(pairing, i, shift) * dim,
               dim * sizeof *out);
}
