/* plain.c - a network layer by layer: forward and backward passes as they
   are written in books, the reference that every faster path is tested
   against. */
#include "nn/plain.h"

#include <string.h>

#include "base/mem.h"
#include "nn/net.h"

static size_t region_size(const bnre__sequence *sequence, size_t n)
{
    return n * sequence->row + sequence->fixed;
}

bnre_status bnre__plain_create(const bnre__net *net, size_t batch,
                               bnre__plain **out)
{
    bnre_status status = BNRE_OK;
    const size_t width = net->head->in.size;
    bnre__plain *plain = NULL;

    *out = NULL;
    BNRE_NEW(plain, 1);
    plain->net = net;
    plain->batch = batch;
    BNRE_NEW(plain->w, net->weights);
    BNRE_NEW(plain->dw, net->weights);
    BNRE_NEW(plain->buffer, net->buffers);
    for (size_t i = 0; i < 2; i++) {
        BNRE_NEW(plain->slot[i].input, batch * width);
        BNRE_NEW(plain->slot[i].embedding, region_size(net->embedding, batch));
        BNRE_NEW(plain->slot[i].head, region_size(net->head, batch));
    }
    BNRE_NEW(plain->dinput, batch * width);
    BNRE_NEW(plain->dphi, batch * net->embedding->out.size);
    BNRE_NEW(plain->dembedding, region_size(net->embedding, batch));
    BNRE_NEW(plain->dhead, region_size(net->head, batch));
    *out = plain;
    plain = NULL;
done:
    bnre__plain_destroy(plain);
    return status;
}

void bnre__plain_destroy(bnre__plain *plain)
{
    if (plain == NULL)
        return;
    for (size_t i = 0; i < 2; i++) {
        bnre__free(plain->slot[i].head);
        bnre__free(plain->slot[i].embedding);
        bnre__free(plain->slot[i].input);
    }
    bnre__free(plain->dhead);
    bnre__free(plain->dembedding);
    bnre__free(plain->dphi);
    bnre__free(plain->dinput);
    bnre__free(plain->buffer);
    bnre__free(plain->dw);
    bnre__free(plain->w);
    bnre__free(plain);
}

static bnre__pass pass_of(bnre__plain *plain, const bnre__plain_slot *slot)
{
    return (bnre__pass){.n = slot->n,
                        .train = slot->train,
                        .w = plain->w,
                        .dw = plain->dw,
                        .buffer = plain->buffer};
}

/* Where theta and phi begin in a row of the head's input. */
static void input_layout(const bnre__net *net, size_t *theta_at, size_t *phi_at)
{
    *theta_at = net->theta_first ? 0 : net->embedding->out.size;
    *phi_at = net->theta_first ? net->dim_theta : 0;
}

void bnre__plain_forward(bnre__plain *plain, size_t slot, int train, size_t n,
                         const bnre__real *theta, const bnre__real *x,
                         bnre__real *logits)
{
    const bnre__net *net = plain->net;
    const size_t width = net->head->in.size,
                 phi_size = net->embedding->out.size;
    bnre__plain_slot *s = &plain->slot[slot];
    bnre__pass pass;
    const bnre__real *phi, *result;
    size_t theta_at, phi_at;

    s->n = n;
    s->train = train;
    s->x = x;
    pass = pass_of(plain, s);
    phi = bnre__sequence_forward(net->embedding, &pass, x, s->embedding);
    input_layout(net, &theta_at, &phi_at);
    for (size_t i = 0; i < n; i++) {
        if (net->dim_theta > 0)
            memcpy(s->input + i * width + theta_at, theta + i * net->dim_theta,
                   net->dim_theta * sizeof *theta);
        memcpy(s->input + i * width + phi_at, phi + i * phi_size,
               phi_size * sizeof *phi);
    }
    result = bnre__sequence_forward(net->head, &pass, s->input, s->head);
    memcpy(logits, result, n * net->outputs * sizeof *logits);
}

void bnre__plain_backward(bnre__plain *plain, size_t slot,
                          const bnre__real *dlogits, bnre__real *dtheta,
                          bnre__real *dx)
{
    const bnre__net *net = plain->net;
    const size_t width = net->head->in.size,
                 phi_size = net->embedding->out.size;
    const bnre__plain_slot *s = &plain->slot[slot];
    const bnre__pass pass = pass_of(plain, s);
    size_t theta_at, phi_at;

    bnre__sequence_backward(net->head, &pass, s->input, s->head, dlogits,
                            plain->dinput, plain->dhead);
    input_layout(net, &theta_at, &phi_at);
    for (size_t i = 0; i < s->n; i++) {
        const bnre__real *row = plain->dinput + i * width;

        if (dtheta != NULL)
            memcpy(dtheta + i * net->dim_theta, row + theta_at,
                   net->dim_theta * sizeof *dtheta);
        memcpy(plain->dphi + i * phi_size, row + phi_at,
               phi_size * sizeof *row);
    }
    bnre__sequence_backward(net->embedding, &pass, s->x, s->embedding,
                            plain->dphi, dx, plain->dembedding);
}
