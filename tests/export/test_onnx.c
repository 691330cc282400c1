/* Models in ONNX are sound protocol buffers, the same bytes every time. With
   BNRE_EXPORT_DIR they are left there, with what the estimator says, for
   tests/python/check_onnx.js, which runs them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "estimators.h"
#include "export/export.h"
#include "exported.h"
#include "support.h"

enum { ROWS = 4 };

/* Walk over the fields of a message; gives how many there are with a number. */
static size_t count_fields(const unsigned char *at, size_t n, unsigned wanted)
{
    size_t i = 0, found = 0;

    while (i < n) {
        uint64_t key = 0, length = 0;
        int shift = 0;

        do
            key |= (uint64_t)(at[i] & 127) << shift, shift += 7;
        while (at[i++] & 128);
        shift = 0;
        if ((key & 7) == 5) {
            i += 4;
        } else {
            do
                length |= (uint64_t)(at[i] & 127) << shift, shift += 7;
            while (at[i++] & 128);
            assert_true((key & 7) == 0 || (key & 7) == 2);
            if ((key & 7) == 2)
                i += length;
        }
        found += key >> 3 == wanted;
        assert_true(i <= n);
    }
    return found;
}

static void print_row(FILE *out, size_t n, const double *value)
{
    for (size_t i = 0; i < n; i++)
        fprintf(out, i == 0 ? "%.17g" : " %.17g", value[i]);
    fputc('\n', out);
}

static void write_shape(const bnre_estimator *est, const char *path)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    for (size_t i = 0; i < est->info.ndim; i++)
        fprintf(out, "%c%zu", i == 0 ? '[' : ',', est->info.shape[i]);
    fputs("]\n", out);
    assert_int_equal(fclose(out), 0);
}

/* theta, x and log ratio, each on a line. */
static void write_answers(const bnre_estimator *est, const char *path)
{
    const bnre_estimator_info *info = &est->info;
    static double theta[ROWS * 16], x[ROWS * 1024];
    double l[ROWS];
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    for (size_t i = 0; i < ROWS; i++) {
        some_theta(est, 3000 + i, theta + i * info->dim_theta);
        some_x(est, 3000 + i, x + i * info->x_size);
    }
    assert_ok(bnre_estimator_log_ratio(est, NULL, ROWS, theta, x, l));
    print_row(out, ROWS * info->dim_theta, theta);
    print_row(out, ROWS * info->x_size, x);
    print_row(out, ROWS, l);
    assert_int_equal(fclose(out), 0);
}

static void models_are_protocol_buffers(void **state)
{
    const char *dir = getenv("BNRE_EXPORT_DIR");
    const bnre__export_opts opts = {.rows = ROWS, .force = 1};
    bnre_estimator *est;
    const char *name;

    (void)state;
    for (size_t i = 0; (est = exported_case(i, &name)) != NULL; i++) {
        char file[512], path[600], again[600];
        unsigned char *bytes;
        size_t size;

        snprintf(file, sizeof file, "%s", scratch_path(name));
        if (dir != NULL)
            snprintf(file, sizeof file, "%s/%s", dir, name);
        snprintf(path, sizeof path, "%s.onnx", file);
        snprintf(again, sizeof again, "%s.again.onnx", file);
        if (strcmp(name, "tails") == 0) {
            assert_fails(bnre__export_save(est, path, &opts), BNRE_EUSAGE,
                         "ONNX");
            bnre_estimator_close(est);
            continue;
        }
        assert_ok(bnre__export_save(est, path, &opts));
        assert_ok(bnre__export_save(est, again, &opts));
        assert_same_file(path, again);
        assert_int_equal(remove(again), 0);
        bytes = read_bytes(path, &size);
        assert_int_equal(count_fields(bytes, size, 7), 1);
        assert_int_equal(count_fields(bytes, size, 8), 1);
        free(bytes);
        snprintf(path, sizeof path, "%s.txt", file);
        if (dir != NULL) {
            write_answers(est, path);
            snprintf(path, sizeof path, "%s.shape", file);
            write_shape(est, path);
        }
        bnre_estimator_close(est);
    }
}

static bnre_status save(void *est)
{
    const bnre__export_opts opts = {.force = 1};

    return bnre__export_save(est, scratch_path("poor.onnx"), &opts);
}

static bnre_status save_c(void *est)
{
    const bnre__export_opts opts = {.force = 1};

    return bnre__export_save(est, scratch_path("poor.c"), &opts);
}

static void lack_of_memory_is_survived(void **state)
{
    const char *name;
    bnre_estimator *est = exported_case(5, &name);

    (void)state;
    assert_survives_lack_of_memory(save, est);
    assert_survives_lack_of_memory(save_c, est);
    bnre_estimator_close(est);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_protocol_buffers),
        cmocka_unit_test(lack_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
