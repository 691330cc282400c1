/* The networks of docs/networks.md: each is made for the shape in its first
   line, and learns a step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/settings.h"
#include "io/file.h"
#include "nn/net.h"
#include "nn/plan.h"
#include "support.h"

enum { N = 4, DIM = 2 };

/* "# x: [2, 128]" */
static size_t read_shape(const char *text, size_t shape[8])
{
    static const char start[] = "# x: [";
    size_t n = 0;

    if (strncmp(text, start, strlen(start)) != 0)
        fail_msg("an example should begin with its shape: %.40s", text);
    text += strlen(start);
    for (char *end; n < 8; text = end + 1) {
        shape[n++] = (size_t)strtoul(text, &end, 10);
        if (*end == ']')
            break;
    }
    return n;
}

static void assert_finite(size_t n, const float *values)
{
    for (size_t i = 0; i < n; i++)
        assert_true(isfinite(values[i]));
}

static void learn_a_step(const bnre__net *net, size_t size)
{
    const bnre__plan_opts opts = {.batch = N, .train = 1};
    const size_t weights = bnre__net_weights(net);
    float *w = test_calloc(weights, sizeof *w);
    float *buffer = test_calloc(bnre__net_buffers(net) + 1, sizeof *buffer);
    float *gradient = test_calloc(weights, sizeof *gradient);
    float *x = test_calloc(N * size, sizeof *x), theta[N * DIM];
    const float d[N] = {1, -1, 0.5f, 0.25f};
    float joint[N], marginal[N], sum = 0;
    const bnre__minibatch pairs = {
        .n = N, .theta = theta, .x = x, .theta_marginal = theta};
    bnre_rng rng = bnre_rng_stream(79, 0, 0);
    bnre__plan *plan = NULL;

    for (size_t i = 0; i < N * size; i++)
        x[i] = (float)bnre_rng_normal(&rng);
    for (size_t i = 0; i < N * DIM; i++)
        theta[i] = (float)bnre_rng_normal(&rng);
    bnre__net_init(net, &rng, w, buffer);
    assert_ok(bnre__plan_create(net, &opts, &plan));
    bnre__plan_set(plan, w, buffer);
    bnre__plan_train_forward(plan, &pairs, joint, marginal);
    bnre__plan_gradient(plan, d, d, gradient);
    assert_finite(N, joint);
    assert_finite(N, marginal);
    assert_finite(weights, gradient);
    for (size_t i = 0; i < weights; i++)
        sum += fabsf(gradient[i]);
    assert_true(sum > 0);
    bnre__plan_destroy(plan);
    test_free(w);
    test_free(buffer);
    test_free(gradient);
    test_free(x);
}

static void run_example(const char *text)
{
    bnre_node *settings = NULL;
    bnre__net_input input = {.dim_theta = DIM};
    bnre__net *net = NULL;
    size_t shape[8], size = 1;
    char doubt[BNRE__NET_DOUBT];

    input.ndim = read_shape(text, shape);
    input.shape = shape;
    for (size_t i = 0; i < input.ndim; i++)
        size *= shape[i];
    assert_ok(bnre_yaml_parse(text, "docs/networks.md", &settings));
    assert_ok(bnre__net_create(settings, &input, &net));
    assert_false(bnre__net_doubt(net, doubt));
    learn_a_step(net, size);
    bnre__net_destroy(net);
    bnre_node_destroy(settings);
}

static void every_example_of_the_page_learns(void **state)
{
    static const char fence[] = "```yaml\n";
    char *page = NULL, *at, *end;
    size_t bytes, n = 0;

    (void)state;
    assert_ok(bnre__file_read_all(TEST_DATA "/../../docs/networks.md", 1 << 20,
                                  &page, &bytes));
    for (at = page; (at = strstr(at, fence)) != NULL; at = end + 1) {
        at += strlen(fence);
        end = strstr(at, "```");
        assert_non_null(end);
        *end = 0;
        run_example(at);
        n++;
    }
    assert_true(n >= 5);
    bnre__free(page);
}

/* The table of layers has every one of them. */
static void every_layer_is_on_the_page(void **state)
{
    char *page = NULL, *list, message[1024];
    size_t bytes, n = 0;
    const size_t shape[] = {3};
    const bnre__net_input input = {.dim_theta = 1, .ndim = 1, .shape = shape};
    bnre_node *settings = NULL;
    bnre__net *net = NULL;

    (void)state;
    assert_ok(bnre__file_read_all(TEST_DATA "/../../docs/networks.md", 1 << 20,
                                  &page, &bytes));
    assert_ok(bnre_yaml_parse("head: [what]", NULL, &settings));
    assert_fails(bnre__net_create(settings, &input, &net), BNRE_EUSAGE,
                 "there are linear, selu");
    snprintf(message, sizeof message, "%s", bnre_error_message());
    list = strstr(message, "there are ");
    for (list = strtok(list + 10, ", "); list != NULL;
         list = strtok(NULL, ", ")) {
        char quoted[64];

        if (strcmp(list, "and") == 0)
            continue;
        snprintf(quoted, sizeof quoted, "`%s", list);
        if (strstr(page, quoted) == NULL)
            fail_msg("docs/networks.md should tell of %s", list);
        n++;
    }
    assert_true(n > 20);
    bnre_node_destroy(settings);
    bnre__free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_of_the_page_learns),
        cmocka_unit_test(every_layer_is_on_the_page),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
