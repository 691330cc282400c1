/* mlp.c - fast heads: which nets have one, making them, and their weights. */
#include <string.h>

#include "base/mem.h"
#include "nn/mlp/parts.h"
#include "nn/net.h"

/* ---- which heads fit ---- */

int bnre__activation_of(const bnre__layer_type *type, bnre__activation *out)
{
    static const struct {
        const bnre__layer_type *type;
        bnre__activation activation;
    } table[] = {
        {&bnre__layer_selu, BNRE__SELU},
        {&bnre__layer_elu, BNRE__ELU},
        {&bnre__layer_relu, BNRE__RELU},
        {&bnre__layer_tanh, BNRE__TANH},
        {&bnre__layer_leaky_relu, BNRE__LEAKY_RELU},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].type == type) {
            *out = table[i].activation;
            return 1;
        }
    return 0;
}

/* gelu goes by its argument, not by its result: a pass of its own. */
static int is_activation(const bnre__layer_type *type)
{
    bnre__activation activation;

    return type == &bnre__layer_gelu || bnre__activation_of(type, &activation);
}

int bnre__mlp_fits(const bnre__net *net)
{
    const bnre__sequence *head = net->head;

    if (head->count < 3 || head->count % 2 == 0 ||
        net->embedding->out.size == 0)
        return 0;
    for (size_t i = 0; i < head->count; i++) {
        const bnre__layer *layer = &head->layer[i];

        if (i % 2 == 0 &&
            (layer->type != &bnre__layer_linear || layer->in.ndim != 1))
            return 0;
        if (i % 2 == 1 && (!is_activation(layer->type) ||
                           layer->type != head->layer[1].type ||
                           layer->slope != head->layer[1].slope))
            return 0;
    }
    return 1;
}

/* ---- making and unmaking ---- */

static bnre_status make_matrix(struct matrix *matrix, const bnre__layer *linear,
                               size_t input_at, size_t inputs, int bias,
                               int train)
{
    bnre_status status = BNRE_OK;
    const int blocks = train ? BLOCKS : 1;

    matrix->inputs = inputs;
    matrix->outputs = linear->out.size;
    matrix->panels = up(matrix->outputs, PANEL) / PANEL;
    matrix->net_weight_at = linear->weight_at;
    matrix->net_input_at = input_at;
    matrix->net_inputs = linear->in.size;
    matrix->net_bias_at =
        linear->weight_at + linear->in.size * linear->out.size;
    matrix->bias = bias && linear->bias;
    for (int b = 0; b < blocks; b++) {
        BNRE_NEW(matrix->block[b], inputs * width_of(matrix));
        BNRE_NEW(matrix->bias_block[b], width_of(matrix));
    }
    BNRE_NEW(matrix->transpose, width_of(matrix) * up(inputs, PANEL));
done:
    return status;
}

static void clear_matrix(struct matrix *matrix)
{
    for (int b = 0; b < BLOCKS; b++) {
        bnre__free(matrix->block[b]);
        bnre__free(matrix->bias_block[b]);
    }
    bnre__free(matrix->transpose);
}

static bnre_status make_matrices(bnre__mlp *mlp, int train)
{
    bnre_status status = BNRE_OK;
    const bnre__net *net = mlp->net;
    const bnre__layer *linear = net->head->layer;
    const size_t phi = net->embedding->out.size;
    const bnre__layer *last = &linear[2 * mlp->layers];

    BNRE_NEW(mlp->layer, mlp->layers);
    BNRE_TRY(make_matrix(&mlp->phi, linear,
                         net->theta_first ? net->dim_theta : 0, phi, 0, train));
    BNRE_TRY(make_matrix(&mlp->layer[0], linear, net->theta_first ? 0 : phi,
                         net->dim_theta, 1, train));
    for (size_t l = 1; l < mlp->layers; l++)
        BNRE_TRY(make_matrix(&mlp->layer[l], &linear[2 * l], 0,
                             linear[2 * l].in.size, 1, train));
    if (net->outputs > 1)
        return make_matrix(&mlp->several, last, 0, last->in.size, 1, train);
    mlp->last_weight_at = last->weight_at;
    mlp->last_bias_at = last->weight_at + last->in.size;
    for (int b = 0; b < (train ? BLOCKS : 1); b++)
        BNRE_NEW(mlp->last[b], width_of(&mlp->layer[mlp->layers - 1]));
done:
    return status;
}

/* The room of another head, but for what stays from pass to pass. */
static bnre_status share_room(bnre__mlp *mlp, const bnre__mlp *other)
{
    bnre_status status = BNRE_OK;

    mlp->shares = 1;
    mlp->phi_panels = other->phi_panels;
    mlp->theta_panels = other->theta_panels;
    mlp->index = other->index;
    mlp->logits = other->logits;
    mlp->y = other->y;
    BNRE_NEW(mlp->base, mlp->observation_rows * width_of(&mlp->phi));
done:
    return status;
}

static bnre_status make_room(bnre__mlp *mlp, int train)
{
    bnre_status status = BNRE_OK;
    const size_t theta = up(mlp->net->dim_theta, PANEL);
    const size_t phi = up(mlp->net->embedding->out.size, PANEL);
    const size_t first = width_of(&mlp->phi);

    BNRE_NEW(mlp->phi_panels, mlp->observation_rows * phi);
    BNRE_NEW(mlp->base, mlp->observation_rows * first);
    BNRE_NEW(mlp->theta_panels, mlp->pair_rows * theta);
    BNRE_NEW(mlp->index, mlp->pair_rows);
    BNRE_NEW(mlp->logits, mlp->pair_rows * output_width(mlp));
    BNRE_NEW(mlp->y, mlp->layers);
    for (size_t l = 0; l < mlp->layers; l++)
        BNRE_NEW(mlp->y[l], mlp->pair_rows * width_of(&mlp->layer[l]));
    if (!train)
        goto done;
    if (mlp->gelu) {
        BNRE_NEW(mlp->z, mlp->layers);
        for (size_t l = 0; l < mlp->layers; l++)
            BNRE_NEW(mlp->z[l], mlp->pair_rows * width_of(&mlp->layer[l]));
    }
    BNRE_NEW(mlp->dlogits, mlp->pair_rows * output_width(mlp));
    BNRE_NEW(mlp->dy, mlp->layers);
    for (size_t l = 0; l < mlp->layers; l++)
        BNRE_NEW(mlp->dy[l], mlp->pair_rows * width_of(&mlp->layer[l]));
    BNRE_NEW(mlp->dbase, mlp->observation_rows * first);
    BNRE_NEW(mlp->dphi_panels, mlp->observation_rows * phi);
    BNRE_NEW(mlp->dtheta_panels, mlp->pair_rows * theta);
done:
    return status;
}

bnre_status bnre__mlp_create(const bnre__net *net, const bnre__mlp_opts *opts,
                             bnre__mlp **out)
{
    bnre_status status = BNRE_OK;
    bnre__mlp *mlp = NULL;

    *out = NULL;
    if (!bnre__mlp_fits(net))
        return bnre_fail(BNRE_EINVAL, "the head is no plain chain of layers");
    BNRE_NEW(mlp, 1);
    mlp->net = net;
    mlp->kernels = opts->kernels != NULL ? opts->kernels : bnre__kernels_best();
    mlp->pool = opts->pool;
    mlp->layers = net->head->count / 2;
    mlp->slope = (float)net->head->layer[1].slope;
    mlp->gelu = net->head->layer[1].type == &bnre__layer_gelu;
    mlp->activation = BNRE__IDENTITY;
    (void)bnre__activation_of(net->head->layer[1].type, &mlp->activation);
    mlp->observation_rows = up(opts->observations, TILE);
    mlp->pair_rows = up(opts->pairs, TILE);
    BNRE_TRY(make_matrices(mlp, opts->train));
    BNRE_TRY(opts->share != NULL ? share_room(mlp, opts->share)
                                 : make_room(mlp, opts->train));
    *out = mlp;
    mlp = NULL;
done:
    bnre__mlp_destroy(mlp);
    return status;
}

void bnre__mlp_destroy(bnre__mlp *mlp)
{
    if (mlp == NULL)
        return;
    if (mlp->shares) {
        mlp->y = NULL;
        mlp->phi_panels = mlp->theta_panels = mlp->logits = NULL;
        mlp->index = NULL;
    }
    clear_matrix(&mlp->phi);
    for (size_t l = 0; l < mlp->layers; l++) {
        if (mlp->layer != NULL)
            clear_matrix(&mlp->layer[l]);
        if (mlp->y != NULL)
            bnre__free(mlp->y[l]);
        if (mlp->z != NULL)
            bnre__free(mlp->z[l]);
        if (mlp->dy != NULL)
            bnre__free(mlp->dy[l]);
    }
    clear_matrix(&mlp->several);
    for (int b = 0; b < BLOCKS; b++)
        bnre__free(mlp->last[b]);
    bnre__free(mlp->dlogits);
    bnre__free(mlp->logits);
    bnre__free(mlp->dtheta_panels);
    bnre__free(mlp->dphi_panels);
    bnre__free(mlp->dbase);
    bnre__free(mlp->dy);
    bnre__free(mlp->z);
    bnre__free(mlp->y);
    bnre__free(mlp->index);
    bnre__free(mlp->theta_panels);
    bnre__free(mlp->base);
    bnre__free(mlp->phi_panels);
    bnre__free(mlp->layer);
    bnre__free(mlp);
}

/* ---- layouts ---- */

/* Between packed values and the net's (outputs, net_inputs) with biases. */
static void exchange(const struct matrix *m, float *packed, float *bias,
                     float *all, int into_net)
{
    for (size_t n = 0; n < m->outputs; n++) {
        float *row =
            all + m->net_weight_at + n * m->net_inputs + m->net_input_at;

        for (size_t k = 0; k < m->inputs; k++) {
            float *here = &packed[at(m->inputs, k, n)];

            if (into_net)
                row[k] = *here;
            else
                *here = row[k];
        }
        if (!m->bias)
            continue;
        if (into_net)
            all[m->net_bias_at + n] = bias[n];
        else
            bias[n] = all[m->net_bias_at + n];
    }
}

static void refresh_transpose(struct matrix *m)
{
    for (size_t n = 0; n < m->outputs; n++)
        for (size_t k = 0; k < m->inputs; k++)
            m->transpose[at(width_of(m), n, k)] =
                m->block[0][at(m->inputs, k, n)];
}

void bnre__mlp_exchange(bnre__mlp *mlp, int which, float *all, int into_net)
{
    const size_t width = mlp->layer[mlp->layers - 1].outputs;
    const bnre__layer *last = &mlp->net->head->layer[2 * mlp->layers];

    exchange(&mlp->phi, mlp->phi.block[which], NULL, all, into_net);
    for (size_t l = 0; l < mlp->layers; l++)
        exchange(&mlp->layer[l], mlp->layer[l].block[which],
                 mlp->layer[l].bias_block[which], all, into_net);
    if (mlp->several.panels > 0) {
        exchange(&mlp->several, mlp->several.block[which],
                 mlp->several.bias_block[which], all, into_net);
        return;
    }
    if (into_net)
        memcpy(all + mlp->last_weight_at, mlp->last[which],
               width * sizeof *all);
    else
        memcpy(mlp->last[which], all + mlp->last_weight_at,
               width * sizeof *all);
    if (last->bias && into_net)
        all[mlp->last_bias_at] = mlp->last_bias[which];
    else if (last->bias)
        mlp->last_bias[which] = all[mlp->last_bias_at];
}

void bnre__mlp_set(bnre__mlp *mlp, bnre__mlp_block which, const float *all)
{
    bnre__mlp_exchange(mlp, (int)which, (float *)all, 0);
    if (which == BNRE__MLP_WEIGHTS)
        mlp->transposed = 0;
}

void bnre__mlp_transpose(bnre__mlp *mlp)
{
    if (mlp->transposed)
        return;
    mlp->transposed = 1;
    refresh_transpose(&mlp->phi);
    for (size_t l = 0; l < mlp->layers; l++)
        refresh_transpose(&mlp->layer[l]);
    if (mlp->several.panels > 0)
        refresh_transpose(&mlp->several);
}

void bnre__mlp_get(const bnre__mlp *mlp, bnre__mlp_block which, float *all)
{
    bnre__mlp_exchange((bnre__mlp *)mlp, (int)which, all, 1);
}
