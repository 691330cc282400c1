/* Every kernel of every set that this machine has against the plain one. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/rng.h"
#include "num/conv1d.h"
#include "num/kernels.h"
#include "support.h"

static float *aligned(size_t n)
{
    float *p = aligned_alloc(64, (n * sizeof *p + 63) / 64 * 64 + 64);

    assert_non_null(p);
    memset(p, 0, n * sizeof *p);
    return p;
}

static float *random_floats(size_t n, uint64_t row, double size)
{
    bnre_rng rng = bnre_rng_stream(9, 0, row);
    float *p = aligned(n);

    for (size_t i = 0; i < n; i++)
        p[i] = (float)(size * bnre_rng_normal(&rng));
    return p;
}

static void compare(size_t n, const float *fast, const float *plain,
                    double relative, double absolute, const char *what,
                    const char *set)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)fast[i] - (double)plain[i]) <=
              relative * fabs((double)plain[i]) + absolute)) {
            print_error("%s, %s[%zu] = %.9g, plain %.9g\n", set, what, i,
                        (double)fast[i], (double)plain[i]);
            fail();
        }
}

static const size_t sizes[][3] = {/* rows, inputs, panels */
                                  {6, 1, 1},    {6, 16, 2},  {12, 10, 1},
                                  {30, 17, 3},  {24, 33, 2}, {66, 128, 4},
                                  {54, 250, 2}, {12, 0, 5},  {18, 12, 4},
                                  {18, 3, 1},   {6, 5, 4}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static const bnre__activation activations[] = {BNRE__IDENTITY,   BNRE__SELU,
                                               BNRE__ELU,        BNRE__RELU,
                                               BNRE__LEAKY_RELU, BNRE__TANH};
enum { ACTIVATIONS = sizeof activations / sizeof *activations };

static size_t padded(size_t n)
{
    return (n + 15) / 16 * 16;
}

static void check_product(const bnre__kernels *set, size_t s,
                          bnre__activation activation, int backward)
{
    const bnre__kernels *plain = bnre__kernels_set(0);
    const size_t rows = sizes[s][0], inputs = sizes[s][1], n = sizes[s][2] * 16;
    float *a = random_floats(rows * padded(inputs), 1, 1);
    float *w = random_floats(inputs * n, 2, 1 / sqrt((double)inputs));
    float *bias = random_floats(n, 3, 1);
    float *outcome = random_floats(rows * n, 4, 0.5);
    float *add = random_floats(5 * n, 5, 1);
    uint32_t index[66];
    float *fast = aligned(rows * n), *slow = aligned(rows * n);
    bnre__product p = {.rows = rows,
                       .inputs = inputs,
                       .panels = n / 16,
                       .a = a,
                       .w = w,
                       .bias = backward ? NULL : bias,
                       .add = backward || s % 2 ? NULL : add,
                       .add_rows = 5,
                       .index = index,
                       .activation = activation,
                       .slope = 0.01f,
                       .derivative = backward ? outcome : NULL};

    for (size_t i = 0; i < rows; i++)
        index[i] = (uint32_t)(i * i % 5);
    p.y = slow;
    plain->product(&p, 0, rows);
    p.y = fast;
    for (size_t i = 0; i < rows; i += BNRE__TILE) /* in any pieces */
        set->product(&p, i, i + BNRE__TILE);
    compare(rows * n, fast, slow, 1e-5, 1e-5, "product", set->name);

    /* One call gives the same bits as many. */
    memcpy(slow, fast, rows * n * sizeof *fast);
    set->product(&p, 0, rows);
    assert_memory_equal(slow, fast, rows * n * sizeof *fast);
    free(slow);
    free(fast);
    free(add);
    free(outcome);
    free(bias);
    free(w);
    free(a);
}

static void products_agree(void **state)
{
    const bnre__kernels *set;

    (void)state;
    for (size_t i = 1; (set = bnre__kernels_set(i)) != NULL; i++)
        for (size_t s = 0; s < SIZES; s++)
            for (size_t f = 0; f < ACTIVATIONS; f++)
                for (int backward = 0; backward < 2; backward++)
                    check_product(set, s, activations[f], backward);
}

static void check_gradient(const bnre__kernels *set, size_t s)
{
    const bnre__kernels *plain = bnre__kernels_set(0);
    const size_t rows = sizes[s][0], inputs = sizes[s][1], n = sizes[s][2] * 16;
    const size_t weights = inputs * n, turned = n * padded(inputs);
    const bnre__adam_rates rates = {0.9f, 0.999f, 1e-8f, 1e-2f, 900, 0.999f};
    float *a = random_floats(rows * padded(inputs), 1, 1);
    float *dy = random_floats(rows * n, 2, 1), *result[2][7];
    bnre__weight_gradient job = {.n = rows - 1, /* not a whole tile */
                                 .rows = rows,
                                 .inputs = inputs,
                                 .a = a,
                                 .dy = dy,
                                 .adam = &rates,
                                 .outputs = n};

    for (int k = 0; k < 2; k++) {
        const bnre__kernels *kernels = k == 0 ? plain : set;

        for (int r = 0; r < 7; r++) {
            size_t length = r < 3 ? weights : r == 3 ? turned : n;

            result[k][r] = random_floats(length, 10 + (uint64_t)r, 0.1);
            for (size_t i = 0; (r == 2 || r == 6) && i < length; i++)
                result[k][r][i] = fabsf(result[k][r][i]); /* second moments */
        }
        memset(result[k][3], 0, turned * sizeof(float));
        job.w = result[k][0];
        job.m = result[k][1];
        job.v = result[k][2];
        job.transpose = result[k][3];
        job.bias = result[k][4];
        job.bias_m = result[k][5];
        job.bias_v = result[k][6];
        for (size_t panel = n / 16; panel-- > 0;)
            kernels->weight_gradient(&job, panel, panel + 1);
    }
    for (int r = 0; r < 7; r++) {
        size_t length = r < 3 ? weights : r == 3 ? turned : n;

        compare(length, result[1][r], result[0][r], 2e-5, 2e-5, "update",
                set->name);
    }
    /* The transpose holds the new weights. */
    for (size_t k = 0; k < inputs; k++)
        for (size_t j = 0; j < n; j++)
            assert_true(result[1][3][k / 16 * n * 16 + j * 16 + k % 16] ==
                        result[1][0][j / 16 * inputs * 16 + k * 16 + j % 16]);

    /* Stored rather than used, it is what the plain one stores. */
    for (int k = 0; k < 2; k++) {
        job.gradient = result[k][0];
        job.bias_gradient = result[k][4];
        (k == 0 ? plain : set)->weight_gradient(&job, 0, n / 16);
    }
    compare(weights, result[1][0], result[0][0], 1e-5, 1e-5, "gradient",
            set->name);
    compare(n, result[1][4], result[0][4], 1e-5, 1e-5, "bias gradient",
            set->name);
    for (int k = 0; k < 2; k++)
        for (int r = 0; r < 7; r++)
            free(result[k][r]);
    free(dy);
    free(a);
}

static void weight_gradients_and_updates_agree(void **state)
{
    const bnre__kernels *set;

    (void)state;
    for (size_t i = 1; (set = bnre__kernels_set(i)) != NULL; i++)
        for (size_t s = 0; s < SIZES; s++)
            check_gradient(set, s);
}

static void check_output(const bnre__kernels *set, size_t s,
                         bnre__activation activation)
{
    const bnre__kernels *plain = bnre__kernels_set(0);
    const size_t rows = sizes[s][0], n = sizes[s][2] * 16;
    float *y = random_floats(rows * n, 1, 0.5), *w = random_floats(n, 2, 1);
    float *dlogits = random_floats(rows, 3, 1);
    float *fast = aligned(rows * n), *slow = aligned(rows * n);
    const bnre__output out = {.rows = rows,
                              .panels = n / 16,
                              .y = y,
                              .w = w,
                              .bias = 0.25f,
                              .activation = activation,
                              .slope = 0.01f};

    plain->output(&out, 0, rows, slow);
    set->output(&out, 0, rows / 2, fast);
    set->output(&out, rows / 2, rows, fast);
    compare(rows, fast, slow, 1e-5, 1e-5, "logits", set->name);
    plain->output_back(&out, 0, rows, dlogits, slow);
    set->output_back(&out, 0, rows / 2, dlogits, fast);
    set->output_back(&out, rows / 2, rows, dlogits, fast);
    compare(rows * n, fast, slow, 1e-5, 1e-6, "output's way back", set->name);
    plain->output_gradient(&out, 0, n / 16, rows - 1, dlogits, slow);
    set->output_gradient(&out, 0, n / 16, rows - 1, dlogits, fast);
    compare(n, fast, slow, 1e-5, 1e-5, "output's gradient", set->name);
    free(slow);
    free(fast);
    free(dlogits);
    free(w);
    free(y);
}

static void outputs_agree(void **state)
{
    const bnre__kernels *set;

    (void)state;
    for (size_t i = 1; (set = bnre__kernels_set(i)) != NULL; i++)
        for (size_t s = 0; s < SIZES; s++)
            for (size_t f = 0; f < ACTIVATIONS; f++)
                check_output(set, s, activations[f]);
}

/* Observations that several rows have, one after the other or not. */
static void rows_are_gathered_alike(void **state)
{
    enum { N = 37, PLACES = 9 };
    float *from = random_floats(N * 16, 1, 1), *to[2];
    const bnre__kernels *set;
    uint32_t index[N];

    (void)state;
    for (size_t i = 0; i < N; i++)
        index[i] = (uint32_t)(i < 10 ? 3 : i * i % PLACES);
    for (size_t s = 1; (set = bnre__kernels_set(s)) != NULL; s++) {
        for (int k = 0; k < 2; k++) {
            to[k] = random_floats(PLACES * 16, 2, 1);
            (k == 0 ? bnre__kernels_set(0) : set)
                ->gather(N, index, from, to[k]);
        }
        assert_memory_equal(to[0], to[1], PLACES * 16 * sizeof *from);
        free(to[1]);
        free(to[0]);
    }
    free(from);
}

static double exact(int f, double x)
{
    const double scale = 1.0507009873554805, alpha = 1.6732632423543772;

    switch (f) {
    case BNRE__SELU:
        return scale * (x > 0 ? x : alpha * expm1(x));
    case BNRE__ELU:
        return x > 0 ? x : expm1(x);
    case BNRE__RELU:
        return x > 0 || isnan(x) ? x : 0;
    case BNRE__LEAKY_RELU:
        return x > 0 ? x : (double)0.01f * x;
    case BNRE__TANH:
        return tanh(x);
    case BNRE__IDENTITY:
        return x;
    default:
        return exp(x);
    }
}

/* One value against the exact one and the error that kernels.h states. */
static int accurate(int f, float x, float y, double error)
{
    const double expected = exact(f, (double)x);

    if (isnan(expected))
        return isnan(y);
    if (fabs(expected) < (double)FLT_MIN)
        return fabsf(y) <= FLT_MIN;
    if (fabs(expected) > (double)FLT_MAX)
        return y == (expected > 0 ? INFINITY : -INFINITY);
    return fabs((double)y - expected) <= error * fabs(expected);
}

/* Bit patterns at equal distances are all magnitudes of both signs, denormal
   numbers, and numbers that are none; the ends come on top. */
static void functions_keep_their_accuracy(void **state)
{
    enum { N = 1 << 16, STRIDE = 4001, EXP = -1, FUNCTIONS = ACTIVATIONS + 1 };
    static const float ends[] = {
        0,           -0.0f,       INFINITY,   -INFINITY,  NAN,
        FLT_MAX,     -FLT_MAX,    FLT_MIN,    -FLT_MIN,   88.72283f,
        88.72284f,   88.7229f,    -87.33654f, -87.33655f, -103.9f,
        -104.1f,     1e-45f,      -1e-45f,    -17.3f,     -0.34657359f,
        0.34657359f, -0.3465736f, 0.3465736f, 9.0f,       -9.0f};
    static _Alignas(64) float x[N], y[N];
    static const double errors[] = {
        [BNRE__IDENTITY] = 0, [BNRE__SELU] = 2e-7,       [BNRE__ELU] = 1.5e-7,
        [BNRE__RELU] = 0,     [BNRE__LEAKY_RELU] = 1e-7, [BNRE__TANH] = 2.5e-7};
    const bnre__kernels *set;

    (void)state;
    for (size_t i = 1; (set = bnre__kernels_set(i)) != NULL; i++)
        for (int k = 0; k < FUNCTIONS; k++) {
            const int f = k == 0 ? EXP : (int)activations[k - 1];
            uint64_t bits = 0;

            while (bits >> 32 == 0) {
                memset(x, 0, sizeof x);
                for (size_t j = 0; j < N && bits >> 32 == 0; bits += STRIDE) {
                    const uint32_t pattern = (uint32_t)bits;

                    memcpy(&x[j++], &pattern, sizeof pattern);
                }
                memcpy(x + N - 32, ends, sizeof ends);
                if (f == EXP)
                    set->exp(N, x, y);
                else
                    set->activate((bnre__activation)f, 0.01f, N, x, y);
                for (size_t j = 0; j < N; j++)
                    if (!accurate(f, x[j], y[j],
                                  f == EXP ? 1.5e-7 : errors[f])) {
                        print_error("%s, function %d at %.9g: %.9g\n",
                                    set->name, f, (double)x[j], (double)y[j]);
                        fail();
                    }
            }
        }
}

/* Functions of single values, over bit patterns of all kinds. */
static void sets_that_round_alike_give_the_same_bytes(void **state)
{
    enum { N = 1 << 16, STRIDE = 65521, FUNCTIONS = ACTIVATIONS + 3 };
    static _Alignas(64) float x[N], y[2][N];
    const bnre__kernels *set[2];

    (void)state;
    for (size_t i = 0; i < N; i++) {
        const uint32_t pattern = (uint32_t)(i * STRIDE);

        memcpy(&x[i], &pattern, sizeof pattern);
    }
    for (size_t i = 2; (set[1] = bnre__kernels_set(i)) != NULL; i++) {
        set[0] = bnre__kernels_set(i - 1);
        if (strcmp(set[0]->rounding, set[1]->rounding) != 0)
            continue;
        for (int k = 0; k < FUNCTIONS; k++) {
            for (int s = 0; s < 2; s++) {
                memset(y[s], 1, sizeof y[s]);
                if (k < ACTIVATIONS)
                    set[s]->activate(activations[k], 0.01f, N, x, y[s]);
                else if (k == ACTIVATIONS)
                    set[s]->exp(N, x, y[s]);
                else if (k == ACTIVATIONS + 1)
                    set[s]->conv1d->gelu(N, x, y[s]);
                else
                    set[s]->conv1d->gelu_back(N, x, y[s]);
                for (size_t j = 0; j < N; j++)
                    if (isnan(y[s][j])) /* its sign and bits mean nothing */
                        y[s][j] = NAN;
            }
            assert_memory_equal(y[0], y[1], sizeof y[0]);
        }
    }
}

static void the_wish_of_the_environment_is_granted(void **state)
{
    const bnre__kernels *set, *best = NULL;

    (void)state;
    for (size_t i = 0; (set = bnre__kernels_set(i)) != NULL; i++) {
        best = set;
        assert_int_equal(setenv("BNRE_KERNELS", set->name, 1), 0);
        assert_ptr_equal(bnre__kernels_best(), set);
        assert_ok(bnre__kernels_check());
    }
    unsetenv("BNRE_KERNELS");
    assert_ptr_equal(bnre__kernels_best(), best);
    assert_ok(bnre__kernels_check());
    /* A rounding is the name of a set that has it: checkpoints tell it. */
    assert_int_equal(setenv("BNRE_KERNELS", best->rounding, 1), 0);
    assert_string_equal(bnre__kernels_best()->name, best->rounding);
    assert_string_equal(bnre__kernels_best()->rounding, best->rounding);
    assert_ok(bnre__kernels_check());
    assert_int_equal(setenv("BNRE_KERNELS", "", 1), 0); /* no wish */
    assert_ptr_equal(bnre__kernels_best(), best);
    assert_ok(bnre__kernels_check());
    unsetenv("BNRE_KERNELS");
}

static void a_set_that_is_not_there_is_an_error(void **state)
{
    static const char *const wishes[] = {"axv2", " ", "avx2 ", "portabl"};
    const bnre__kernels *set;

    (void)state;
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        assert_int_equal(setenv("BNRE_KERNELS", wishes[i], 1), 0);
        assert_fails(bnre__kernels_check(), BNRE_EUSAGE, "BNRE_KERNELS");
        for (size_t k = 0; (set = bnre__kernels_set(k)) != NULL; k++)
            assert_non_null(strstr(bnre_error_message(), set->name));
    }
    unsetenv("BNRE_KERNELS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_agree),
        cmocka_unit_test(weight_gradients_and_updates_agree),
        cmocka_unit_test(outputs_agree),
        cmocka_unit_test(rows_are_gathered_alike),
        cmocka_unit_test(functions_keep_their_accuracy),
        cmocka_unit_test(sets_that_round_alike_give_the_same_bytes),
        cmocka_unit_test(the_wish_of_the_environment_is_granted),
        cmocka_unit_test(a_set_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
