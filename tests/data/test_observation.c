#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bnre/dataset.h"
#include "io/h5.h"
#include "io/npy.h"
#include "support.h"

static const size_t four[] = {4}, plane[] = {2, 2};

static const char *write_text(const char *name, const char *text)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

/* An array 0, 1, 2, ... of this shape. */
static const char *write_npy(const char *name, size_t ndim, const size_t *shape)
{
    const char *path = scratch_path(name);
    bnre__file *file = NULL;
    size_t n = 1;

    for (size_t i = 0; i < ndim; i++)
        n *= shape[i];
    assert_ok(bnre__file_create(path, &file));
    assert_ok(bnre__npy_write_header(file, 'f', 8, ndim, shape));
    for (size_t i = 0; i < n; i++) {
        const double value = (double)i;

        assert_ok(bnre__file_write(file, &value, sizeof value));
    }
    assert_ok(bnre__file_commit(file));
    return path;
}

static void assert_reads(const char *path, size_t ndim, const size_t *shape,
                         size_t n)
{
    bnre_observations out;

    assert_ok(bnre_observations_read(
        &(bnre_observation_form){.ndim = ndim, .shape = shape}, 1, &path,
        &out));
    assert_int_equal(out.n, n);
    assert_int_equal(out.x_size, 4);
    for (size_t i = 0; i < 4 * n; i++)
        assert_close((double)out.x[i], (double)i, 0);
    assert_null(out.theta);
    bnre_observations_clear(&out);
}

static void assert_refused(const char *path, size_t ndim, const size_t *shape,
                           bnre_status code, const char *text)
{
    bnre_observations out;

    assert_fails(bnre_observations_read(
                     &(bnre_observation_form){.ndim = ndim, .shape = shape}, 1,
                     &path, &out),
                 code, text);
    assert_null(out.x);
    assert_int_equal(out.n, 0);
}

static void arrays_of_any_fitting_shape_are_read(void **state)
{
    const size_t flat[] = {4}, row[] = {1, 4}, many[] = {3, 4};
    const size_t square[] = {2, 2}, squares[] = {3, 2, 2}, one[] = {1, 2, 1, 2};

    (void)state;
    assert_reads(write_npy("a.npy", 1, flat), 1, four, 1);
    assert_reads(write_npy("a.npy", 1, flat), 2, plane, 1);
    assert_reads(write_npy("b.npy", 2, row), 1, four, 1);
    assert_reads(write_npy("c.npy", 2, many), 1, four, 3);
    assert_reads(write_npy("c.npy", 2, many), 2, plane, 3);
    assert_reads(write_npy("d.npy", 2, square), 2, plane, 1);
    assert_reads(write_npy("e.npy", 3, squares), 2, plane, 3);
    assert_reads(write_npy("f.npy", 4, one), 2, plane, 1);
}

static void other_shapes_are_refused_with_a_cause(void **state)
{
    const size_t tall[] = {3, 2}, wide[] = {2, 3}, five[] = {5},
                 none[] = {0, 4};
    const size_t square[] = {2, 2};

    (void)state;
    assert_refused(write_npy("g.npy", 2, wide), 2, tall, BNRE_EUSAGE,
                   "has shape 2 x 3, an observation has shape 3 x 2 (several: "
                   "N x 3 x 2): it looks transposed");
    assert_refused(write_npy("h.npy", 1, five), 1, four, BNRE_EUSAGE,
                   "shape 5 ... shape 4 (several: N x 4) ... task?");
    assert_refused(write_npy("i.npy", 2, square), 1, four, BNRE_EUSAGE,
                   "2 x 2 ... 4 ... order");
    assert_refused(write_npy("j.npy", 2, none), 1, four, BNRE_EUSAGE,
                   "is empty");
    assert_refused("nowhere.npy", 1, four, BNRE_EIO, "nowhere.npy");
    assert_refused("nowhere.h5:-1", 1, four, BNRE_EUSAGE,
                   "there is no row -1, rows are counted from 0");
    assert_refused("nowhere.h5:-x", 1, four, BNRE_EIO, "nowhere.h5:-x");
}

static void text_is_read(void **state)
{
    (void)state;
    assert_reads(write_text("a.txt", "0 1 2 3\n"), 1, four, 1);
    assert_reads(write_text("b.txt", "0\n1\n2\n3"), 1, four, 1);
    assert_reads(write_text("c.csv", "# made by hand\n0, 1\n2; 3.0D+00\n"), 2,
                 plane, 1);
    assert_reads(write_text("d.txt", "0 1 2 3\n\n4 5 6 7\r\n"), 1, four, 2);
    assert_reads(write_text("e.csv", "a,b,c,d\n0,1,2,3\n4,5,6,7\n"), 1, four,
                 2);
    assert_reads(write_text("f.csv", "value\n0\n1\n2\n3\n"), 1, four, 1);
    assert_refused(write_text("g.txt", "0 1 2\n3 4 5\n"), 1, four, BNRE_EUSAGE,
                   "has shape 2 x 3");
    assert_refused(write_text("h.txt", "0 1 2 3 4\n5 6 7\n"), 1, four,
                   BNRE_EUSAGE, "has shape 8");
    assert_refused(write_text("i.txt", ""), 1, four, BNRE_EUSAGE,
                   "is empty ... shape 4");
    assert_refused(write_text("m.csv", "a,b,c,d\n"), 1, four, BNRE_EUSAGE,
                   "is empty");
    assert_refused(write_text("j.txt", "0 1 nan 3"), 1, four, BNRE_ENUM,
                   "value 2 of observation 0 is NaN");
    assert_refused(write_text("k.txt", "0 1 2 3\n0 1e400 2 3\n"), 1, four,
                   BNRE_ENUM, "value 1 of observation 1 is infinite");
    assert_refused(write_text("l.txt", "0 1 2 oops\n"), 1, four, BNRE_EFORMAT,
                   "after 3 numbers");
}

static void write_h5(const char *path, const char *name, size_t rows)
{
    const size_t shape[] = {rows, 4};
    bnre__h5_writer *writer = NULL;
    double value[40];
    size_t id;

    for (size_t i = 0; i < 40; i++)
        value[i] = (double)i;
    assert_ok(bnre__h5_writer_create(path, 8, 100, &writer));
    assert_ok(bnre__h5_writer_array(writer, name, 'f', 8, 2, shape, &id));
    assert_ok(bnre__h5_writer_rows(writer, id, 0, rows, value));
    assert_ok(bnre__h5_writer_commit(writer));
}

static void archives_hold_x(void **state)
{
    const size_t shape[] = {2, 4};
    const char *path = scratch_path("a.npz");
    bnre__file *file = NULL;
    bnre__npz *npz = NULL;
    float value[8];

    (void)state;
    for (size_t i = 0; i < 8; i++)
        value[i] = (float)i;
    assert_ok(bnre__file_create(path, &file));
    assert_ok(bnre__npz_begin(file, &npz));
    assert_ok(bnre__npz_member(npz, "x", 'f', 4, 2, shape));
    assert_ok(bnre__npz_write(npz, value, sizeof value));
    assert_ok(bnre__npz_end(npz));
    bnre__npz_destroy(npz);
    assert_ok(bnre__file_commit(file));
    assert_reads(path, 1, four, 2);
    write_h5(scratch_path("a.h5"), "x", 3);
    assert_reads(scratch_path("a.h5"), 1, four, 3);
    write_h5(scratch_path("b.h5"), "y", 3);
    assert_refused(scratch_path("b.h5"), 1, four, BNRE_EFORMAT,
                   "no array called x");
}

/* Datasets of the task gaussian in two dimensions, for given theta or not. */
static void simulate(const char *path, const double *theta)
{
    const char *option = "dim=2";
    bnre_simulate_opts opts = bnre_simulate_opts_default();
    bnre_task *task = NULL;

    assert_ok(bnre_task_open("gaussian", 1, &option, &task));
    opts.count = 5;
    opts.theta = theta;
    opts.theta_rows = theta != NULL;
    assert_ok(bnre_simulate(task, &opts, path, NULL));
    bnre_task_destroy(task);
}

static void rows_of_datasets_bring_their_truth(void **state)
{
    static const char *const file[] = {"d.h5", "d.npz", "d.csv"};
    const double given[] = {0.5, -1};
    const size_t two[] = {2};

    (void)state;
    for (size_t f = 0; f < 3; f++) {
        char row[300], other[300], beyond[300];
        const char *path[2] = {row, other}, *all;
        bnre_observations out;
        bnre_dataset *data = NULL;
        double theta[10];
        double x[10];

        all = scratch_path(file[f]);
        simulate(all, NULL);
        snprintf(row, sizeof row, "%s:3", all);
        snprintf(other, sizeof other, "%s:1", all);
        snprintf(beyond, sizeof beyond, "%s:5", all);
        assert_ok(bnre_dataset_open(all, &data));
        assert_ok(bnre_dataset_read(data, 0, 5, theta, NULL, x, NULL));
        bnre_dataset_close(data);
        assert_ok(bnre_observations_read(
            &(bnre_observation_form){.ndim = 1, .shape = two}, 1, path, &out));
        assert_int_equal(out.n, 1);
        assert_memory_equal(out.x, x + 6, 2 * sizeof *x);
        assert_int_equal(out.dim, 2);
        assert_memory_equal(out.theta, theta + 6, 2 * sizeof *theta);
        bnre_observations_clear(&out);
        /* two rows, two truths: none */
        assert_ok(bnre_observations_read(
            &(bnre_observation_form){.ndim = 1, .shape = two}, 2, path, &out));
        assert_int_equal(out.n, 2);
        assert_memory_equal(out.x + 2, x + 2, 2 * sizeof *x);
        assert_null(out.theta);
        bnre_observations_clear(&out);
        assert_refused(all, 1, two, BNRE_EUSAGE, "name one row, as ");
        assert_refused(beyond, 1, two, BNRE_EUSAGE, "has 5 rows, from 0 on");
        assert_refused(row, 1, four, BNRE_EUSAGE,
                       "has shape 2, an observation");
        remove(all);
        simulate(all, given);
        path[1] = all;
        assert_ok(bnre_observations_read(
            &(bnre_observation_form){.ndim = 1, .shape = two}, 2, path, &out));
        assert_int_equal(out.n, 6);
        assert_int_equal(out.dim, 2);
        assert_memory_equal(out.theta, given, sizeof given);
        bnre_observations_clear(&out);
    }
}

static bnre_status body(void *arg)
{
    bnre_observations out;
    bnre_status status = bnre_observations_read(
        &(bnre_observation_form){.ndim = 1, .shape = four}, 3, arg, &out);

    bnre_observations_clear(&out);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    const size_t many[] = {3, 4};
    char npy[300], text[300], h5[300];
    const char *path[] = {npy, text, h5};

    (void)state;
    snprintf(npy, sizeof npy, "%s", write_npy("m.npy", 2, many));
    snprintf(text, sizeof text, "%s",
             write_text("m.csv", "a,b,c,d\n0,1,2,3\n"));
    snprintf(h5, sizeof h5, "%s", scratch_path("m.h5"));
    write_h5(h5, "x", 2);
    assert_survives_lack_of_memory(body, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_of_any_fitting_shape_are_read),
        cmocka_unit_test(other_shapes_are_refused_with_a_cause),
        cmocka_unit_test(text_is_read),
        cmocka_unit_test(archives_hold_x),
        cmocka_unit_test(rows_of_datasets_bring_their_truth),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
