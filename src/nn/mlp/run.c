/* run.c - fast heads: forward, backward, gradients and updates. */
#include <string.h>

#include "nn/adam.h"
#include "nn/mlp/parts.h"
#include "nn/plan.h"
#include "num/conv1d.h"

/* Values of rows that are `from_step` and `to_step` apart, so few that a call
   would cost more: the lengths that heads have are known to the compiler. */
static void copy_rows(size_t n, size_t width, const float *from,
                      size_t from_step, float *to, size_t to_step)
{
    for (size_t i = 0; i < n; i++, from += from_step, to += to_step)
        if (width == PANEL)
            memcpy(to, from, PANEL * sizeof *to);
        else if (width == PANEL / 2)
            memcpy(to, from, PANEL / 2 * sizeof *to);
        else
            for (size_t k = 0; k < width; k++)
                to[k] = from[k];
}

static size_t left_of(size_t columns, size_t j)
{
    return columns - j < PANEL ? columns - j : PANEL;
}

/* Rows of `columns` values into panels, or back: what is beside each other in a
   row is so in a panel, too. */
static void to_panels(size_t n, size_t columns, size_t rows, const float *from,
                      float *to)
{
    for (size_t j = 0; j < columns; j += PANEL, to += rows * PANEL)
        copy_rows(n, left_of(columns, j), from + j, columns, to, PANEL);
}

static void from_panels(size_t n, size_t columns, size_t rows,
                        const float *from, float *to)
{
    for (size_t j = 0; j < columns; j += PANEL, from += rows * PANEL)
        copy_rows(n, left_of(columns, j), from, PANEL, to + j, columns);
}

/* ---- sharing the work: rows are independent, and so are panels ---- */

/* Split n rows in whole tiles; no result depends on where. A row costs `work`
   multiply-adds: what takes microseconds is not worth a meeting. Three parts
   for each thread: a core that others disturb does fewer of them. */
static void share_rows(const bnre__mlp *mlp, size_t n, size_t work,
                       bnre_pool_fn fn, void *arg)
{
    const size_t threads = n * work < 400000 ? 1 : bnre_pool_threads(mlp->pool);
    const size_t parts = threads == 1 ? 1 : 3 * threads;
    const size_t each = up((n + parts - 1) / parts, TILE);
    bnre_status status = bnre_pool_for(mlp->pool, n, each, fn, arg);

    (void)status; /* these functions cannot fail */
}

/* ---- forward ---- */

static bnre_status observe_rows(void *arg, size_t worker, size_t first,
                                size_t last)
{
    const bnre__mlp *mlp = arg;
    const bnre__product product = {
        .rows = mlp->observation_rows,
        .inputs = mlp->phi.inputs,
        .panels = mlp->phi.panels,
        .a = mlp->phi_panels,
        .w = mlp->phi.block[0],
        .y = mlp->base,
        .activation = BNRE__IDENTITY,
    };

    (void)worker;
    mlp->kernels->product(&product, first, up(last, TILE));
    return BNRE_OK;
}

void bnre__mlp_observe(bnre__mlp *mlp, size_t n, const float *phi)
{
    mlp->observations = n;
    to_panels(n, mlp->phi.inputs, mlp->observation_rows, phi, mlp->phi_panels);
    share_rows(mlp, n, mlp->phi.inputs * width_of(&mlp->phi), observe_rows,
               mlp);
}

static bnre__output output_of(const bnre__mlp *mlp)
{
    return (bnre__output){
        .rows = mlp->pair_rows,
        .panels = mlp->layer[mlp->layers - 1].panels,
        .y = mlp->y[mlp->layers - 1],
        .w = mlp->last[0],
        .bias = mlp->last_bias[0],
        .activation = mlp->activation,
        .slope = mlp->slope,
    };
}

/* Multiply-adds of a row on the way from theta to the output. */
static size_t row_work(const bnre__mlp *mlp)
{
    size_t work = mlp->several.inputs * width_of(&mlp->several);

    for (size_t l = 0; l < mlp->layers; l++)
        work += mlp->layer[l].inputs * width_of(&mlp->layer[l]);
    return work;
}

static void forward_several(const bnre__mlp *mlp, size_t first, size_t last)
{
    const struct matrix *m = &mlp->several;
    const bnre__product product = {
        .rows = mlp->pair_rows,
        .inputs = m->inputs,
        .panels = m->panels,
        .a = mlp->y[mlp->layers - 1],
        .w = m->block[0],
        .bias = m->bias_block[0],
        .y = mlp->logits,
        .activation = BNRE__IDENTITY,
    };

    mlp->kernels->product(&product, first, last);
}

/* gelu of a layer's rows, whose products are in z and become its derivatives
   there; or where nothing goes back, in y. */
static void apply_gelu(const bnre__mlp *mlp, size_t l, size_t first,
                       size_t last)
{
    const bnre__conv1d_kernels *kernels = mlp->kernels->conv1d;
    const size_t n = (last - first) * PANEL;

    for (size_t p = 0; p < mlp->layer[l].panels; p++) {
        const size_t here = (p * mlp->pair_rows + first) * PANEL;
        float *y = mlp->y[l] + here;

        if (mlp->z != NULL)
            kernels->gelu_both(n, mlp->z[l] + here, y);
        else
            kernels->gelu(n, y, y);
    }
}

/* These derivatives, times what came back to its results. */
static void derive_gelu(const bnre__mlp *mlp, size_t l, size_t first,
                        size_t last)
{
    for (size_t p = 0; p < mlp->layer[l].panels; p++) {
        const size_t here = (p * mlp->pair_rows + first) * PANEL;
        const float *restrict z = mlp->z[l] + here;
        float *restrict dy = mlp->dy[l] + here;

        for (size_t i = 0; i < (last - first) * PANEL; i++)
            dy[i] *= z[i];
    }
}

static bnre_status forward_rows(void *arg, size_t worker, size_t first,
                                size_t last)
{
    const bnre__mlp *mlp = arg;
    const bnre__output output = output_of(mlp);

    (void)worker;
    for (size_t l = 0; l < mlp->layers; l++) {
        const struct matrix *m = &mlp->layer[l];
        const bnre__product product = {
            .rows = mlp->pair_rows,
            .inputs = m->inputs,
            .panels = m->panels,
            .a = l == 0 ? mlp->theta_panels : mlp->y[l - 1],
            .w = m->block[0],
            .bias = m->bias_block[0],
            .add = l == 0 ? mlp->base : NULL,
            .add_rows = mlp->observation_rows,
            .index = mlp->index,
            .y = mlp->z != NULL ? mlp->z[l] : mlp->y[l],
            .activation = mlp->activation,
            .slope = mlp->slope,
        };

        mlp->kernels->product(&product, first, up(last, TILE));
        if (mlp->gelu)
            apply_gelu(mlp, l, first, up(last, TILE));
    }
    if (mlp->several.panels > 0)
        forward_several(mlp, first, up(last, TILE));
    else
        mlp->kernels->output(&output, first, last, mlp->logits);
    return BNRE_OK;
}

void bnre__mlp_forward(bnre__mlp *mlp, size_t n, const float *theta,
                       const uint32_t *index, float *logits)
{
    mlp->pairs = n;
    to_panels(n, mlp->layer[0].inputs, mlp->pair_rows, theta,
              mlp->theta_panels);
    memcpy(mlp->index, index, n * sizeof *index);
    /* The rest of the last tile is computed too and must be in range. */
    memset(mlp->index + n, 0, (up(n, TILE) - n) * sizeof *index);
    share_rows(mlp, n, row_work(mlp), forward_rows, mlp);
    if (mlp->several.panels > 0)
        from_panels(n, mlp->several.outputs, mlp->pair_rows, mlp->logits,
                    logits);
    else
        memcpy(logits, mlp->logits, n * sizeof *logits);
}

/* ---- backward ---- */

static void backward_several(const bnre__mlp *mlp, size_t first, size_t last)
{
    const struct matrix *m = &mlp->several;
    const bnre__product product = {
        .rows = mlp->pair_rows,
        .inputs = width_of(m),
        .panels = up(m->inputs, PANEL) / PANEL,
        .a = mlp->dlogits,
        .w = m->transpose,
        .y = mlp->dy[mlp->layers - 1],
        .activation = mlp->activation,
        .slope = mlp->slope,
        .derivative = mlp->gelu ? NULL : mlp->y[mlp->layers - 1],
    };

    mlp->kernels->product(&product, first, last);
}

static bnre_status backward_rows(void *arg, size_t worker, size_t first,
                                 size_t last)
{
    const bnre__mlp *mlp = arg;
    const bnre__output output = output_of(mlp);

    (void)worker;
    if (mlp->several.panels > 0)
        backward_several(mlp, first, up(last, TILE));
    else
        mlp->kernels->output_back(&output, first, up(last, TILE), mlp->dlogits,
                                  mlp->dy[mlp->layers - 1]);
    for (size_t l = mlp->layers; l-- > 0;) {
        const struct matrix *m = &mlp->layer[l];
        const int derive = l > 0 && !mlp->gelu;
        const bnre__product product = {
            .rows = mlp->pair_rows,
            .inputs = width_of(m),
            .panels = up(m->inputs, PANEL) / PANEL,
            .a = mlp->dy[l],
            .w = m->transpose,
            .y = l == 0 ? mlp->dtheta_panels : mlp->dy[l - 1],
            .activation = derive ? mlp->activation : BNRE__IDENTITY,
            .slope = mlp->slope,
            .derivative = derive ? mlp->y[l - 1] : NULL,
        };

        if (mlp->gelu)
            derive_gelu(mlp, l, first, up(last, TILE));
        if (l > 0 || mlp->want_dtheta)
            mlp->kernels->product(&product, first, up(last, TILE));
    }
    return BNRE_OK;
}

/* What reaches an observation is the sum over its pairs, in their order. */
static void gather_panel(const bnre__mlp *mlp, size_t panel)
{
    float *to = mlp->dbase + panel * mlp->observation_rows * PANEL;

    memset(to, 0, mlp->observations * PANEL * sizeof *to);
    mlp->kernels->gather(mlp->pairs, mlp->index,
                         mlp->dy[0] + panel * mlp->pair_rows * PANEL, to);
}

static bnre_status gather_panels(void *arg, size_t worker, size_t first,
                                 size_t last)
{
    (void)worker;
    for (size_t panel = first; panel < last; panel++)
        gather_panel(arg, panel);
    return BNRE_OK;
}

static bnre_status dphi_rows(void *arg, size_t worker, size_t first,
                             size_t last)
{
    const bnre__mlp *mlp = arg;
    const bnre__product product = {
        .rows = mlp->observation_rows,
        .inputs = width_of(&mlp->phi),
        .panels = up(mlp->phi.inputs, PANEL) / PANEL,
        .a = mlp->dbase,
        .w = mlp->phi.transpose,
        .y = mlp->dphi_panels,
        .activation = BNRE__IDENTITY,
    };

    (void)worker;
    mlp->kernels->product(&product, first, up(last, TILE));
    return BNRE_OK;
}

/* The rest of the last tile counts for nothing. */
static void take_dlogits(bnre__mlp *mlp, const float *dlogits)
{
    const size_t n = mlp->pairs, rest = up(n, TILE) - n;

    if (mlp->several.panels == 0) {
        memcpy(mlp->dlogits, dlogits, n * sizeof *dlogits);
        memset(mlp->dlogits + n, 0, rest * sizeof *dlogits);
        return;
    }
    to_panels(n, mlp->several.outputs, mlp->pair_rows, dlogits, mlp->dlogits);
    for (size_t p = 0; p < mlp->several.panels; p++)
        memset(mlp->dlogits + (p * mlp->pair_rows + n) * PANEL, 0,
               rest * PANEL * sizeof *dlogits);
}

void bnre__mlp_backward(bnre__mlp *mlp, const float *dlogits, float *dphi,
                        float *dtheta)
{
    bnre_status status;

    bnre__mlp_transpose(mlp);
    take_dlogits(mlp, dlogits);
    mlp->want_dtheta = dtheta != NULL;
    share_rows(mlp, mlp->pairs, row_work(mlp), backward_rows, mlp);
    mlp->gathered = dphi != NULL;
    if (mlp->gathered) {
        status =
            bnre_pool_for(mlp->pool, mlp->phi.panels, 1, gather_panels, mlp);
        (void)status; /* cannot fail */
        share_rows(mlp, mlp->observations,
                   mlp->phi.inputs * width_of(&mlp->phi), dphi_rows, mlp);
        from_panels(mlp->observations, mlp->phi.inputs, mlp->observation_rows,
                    mlp->dphi_panels, dphi);
    }
    if (dtheta != NULL)
        from_panels(mlp->pairs, mlp->layer[0].inputs, mlp->pair_rows,
                    mlp->dtheta_panels, dtheta);
}

/* ---- gradients and updates ---- */

/* Of which matrix is the p-th panel of all, the one of phi first? Its layer is
   `layers` for several outputs. */
static const struct matrix *find_panel(const bnre__mlp *mlp, size_t *panel,
                                       size_t *layer)
{
    if (*panel < mlp->phi.panels) {
        *layer = (size_t)-1;
        return &mlp->phi;
    }
    *panel -= mlp->phi.panels;
    for (*layer = 0; *layer < mlp->layers; ++*layer) {
        if (*panel < mlp->layer[*layer].panels)
            return &mlp->layer[*layer];
        *panel -= mlp->layer[*layer].panels;
    }
    return &mlp->several;
}

static size_t count_panels(const bnre__mlp *mlp)
{
    size_t panels = mlp->phi.panels;

    for (size_t l = 0; l < mlp->layers; l++)
        panels += mlp->layer[l].panels;
    return panels + mlp->several.panels;
}

/* The job of a matrix's gradient over the pairs or the observations. */
static bnre__weight_gradient gradient_job(const bnre__mlp *mlp,
                                          const struct matrix *m, size_t layer)
{
    const int of_phi = m == &mlp->phi;

    return (bnre__weight_gradient){
        .n = of_phi ? mlp->observations : mlp->pairs,
        .rows = of_phi ? mlp->observation_rows : mlp->pair_rows,
        .inputs = m->inputs,
        .a = of_phi       ? mlp->phi_panels
             : layer == 0 ? mlp->theta_panels
                          : mlp->y[layer - 1],
        .dy = of_phi                 ? mlp->dbase
              : layer == mlp->layers ? mlp->dlogits
                                     : mlp->dy[layer],
        .outputs = width_of(m),
    };
}

struct update {
    bnre__mlp *mlp;
    bnre__adam_rates rates;
    int store; /* keep the gradient rather than use it */
};

static bnre_status update_panels(void *arg, size_t worker, size_t first,
                                 size_t last)
{
    const struct update *update = arg;

    (void)worker;
    for (size_t p = first, count; p < last; p += count) {
        size_t panel = p, layer;
        const struct matrix *m = find_panel(update->mlp, &panel, &layer);
        bnre__weight_gradient job = gradient_job(update->mlp, m, layer);

        count = last - p < m->panels - panel ? last - p : m->panels - panel;

        if (update->store) {
            job.gradient = m->block[GRADIENT];
            job.bias_gradient = m->bias ? m->bias_block[GRADIENT] : NULL;
        } else {
            job.adam = &update->rates;
            job.w = m->block[0];
            job.m = m->block[1];
            job.v = m->block[2];
            job.transpose = m->transpose;
            job.bias = m->bias ? m->bias_block[0] : NULL;
            job.bias_m = m->bias_block[1];
            job.bias_v = m->bias_block[2];
        }
        for (size_t k = panel; k < panel + count; k++)
            if (m == &update->mlp->phi && !update->mlp->gathered)
                gather_panel(update->mlp, k);
        update->mlp->kernels->weight_gradient(&job, panel, panel + count);
    }
    return BNRE_OK;
}

/* The output layer's gradient; it is small and always stored. */
static void last_gradient(bnre__mlp *mlp)
{
    const bnre__output output = output_of(mlp);
    double sum = 0;

    mlp->kernels->output_gradient(&output, 0, output.panels, mlp->pairs,
                                  mlp->dlogits, mlp->last[GRADIENT]);
    for (size_t i = 0; i < mlp->pairs; i++)
        sum += (double)mlp->dlogits[i];
    mlp->last_bias[GRADIENT] = (float)sum;
}

/* Panels are faster together, and shared more evenly one by one. */
static void run_update(struct update *update)
{
    enum { TOGETHER = 4 };
    bnre__mlp *mlp = update->mlp;
    const size_t panels = count_panels(mlp);
    const size_t each = panels / bnre_pool_threads(mlp->pool);
    bnre_status status;

    if (mlp->several.panels == 0)
        last_gradient(mlp);
    status =
        bnre_pool_for(mlp->pool, panels, each < 4 * TOGETHER ? 1 : TOGETHER,
                      update_panels, update);
    (void)status; /* cannot fail */
}

/* AdamW of the output layer from its stored gradient. */
static void update_last(bnre__mlp *mlp, const bnre__adam_rates *rates)
{
    const bnre__layer *last = &mlp->net->head->layer[2 * mlp->layers];
    float block[BLOCKS][PANEL] = {{0}};

    mlp->kernels->adam(rates, width_of(&mlp->layer[mlp->layers - 1]),
                       mlp->last[GRADIENT], mlp->last[0], mlp->last[1],
                       mlp->last[2]);
    if (!last->bias)
        return;
    for (int b = 0; b < BLOCKS; b++)
        block[b][0] = mlp->last_bias[b];
    mlp->kernels->adam(rates, PANEL, block[GRADIENT], block[0], block[1],
                       block[2]);
    for (int b = 0; b < GRADIENT; b++)
        mlp->last_bias[b] = block[b][0];
}

void bnre__mlp_update(bnre__mlp *mlp, const bnre__adam *adam, uint64_t t)
{
    struct update update = {.mlp = mlp, .rates = bnre__adam_rates_of(adam, t)};

    run_update(&update);
    if (mlp->several.panels == 0)
        update_last(mlp, &update.rates);
}

void bnre__mlp_gradient(bnre__mlp *mlp, float *all)
{
    struct update update = {.mlp = mlp, .store = 1};

    run_update(&update);
    bnre__mlp_exchange(mlp, GRADIENT, all, 1);
}
