/* Multiply-adds, against counts by hand. */
#include "bnre/settings.h"
#include "nn/net.h"
#include "nn/operations.h"
#include "support.h"

static bnre__work work_of(const char *yaml, size_t ndim, const size_t *shape)
{
    const bnre__net_input input = {
        .dim_theta = 2, .ndim = ndim, .shape = shape};
    bnre_node *settings = NULL;
    bnre__net *net = NULL;
    bnre__work work;

    assert_ok(bnre_yaml_parse(yaml, "n.yaml", &settings));
    assert_ok(bnre__net_create(settings, &input, &net));
    work = bnre__net_work(net);
    bnre__net_destroy(net);
    bnre_node_destroy(settings);
    return work;
}

static void a_head_alone(void **state)
{
    const size_t shape[] = {5};
    const bnre__work work = work_of("head: {hidden: [4, 3]}", 1, shape);

    (void)state;
    /* x to the first layer once for both pairs; forward and to the weights, but
       not back to x and theta. */
    assert_close(work.x, 5 * 4, 0);
    assert_close(work.theta, 2 * 4 + 4 * 3 + 3, 0);
    assert_close(work.step, 2 * 20 + 2 * (2 * 8 + 3 * 15), 0);
}

static void an_embedding_is_for_x_alone(void **state)
{
    const size_t shape[] = {3, 8};
    const bnre__work work =
        work_of("embedding: [conv1d: {channels: 2, kernel: 5}, flatten]\n"
                "head: {hidden: [4]}",
                2, shape);
    const double embedding = 4 * (2 * 3 * 5), phi = 8 * 4;

    (void)state;
    assert_close(work.x, embedding + phi, 0);
    assert_close(work.theta, 2 * 4 + 4, 0);
    /* Not back to the signal, but to phi. */
    assert_close(work.step, 2 * embedding + 3 * phi + 2 * (2 * 8 + 3 * 4), 0);
}

/* What comes before the first weights of a head is for every theta. */
static void a_head_that_begins_otherwise(void **state)
{
    const size_t shape[] = {5};
    const bnre__work work =
        work_of("head: [selu, linear: {width: 1}]", 1, shape);

    (void)state;
    assert_close(work.x, 0, 0);
    assert_close(work.theta, 7, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_head_alone),
        cmocka_unit_test(an_embedding_is_for_x_alone),
        cmocka_unit_test(a_head_that_begins_otherwise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
