#include <stdio.h>
#include <stdlib.h>

#include "estimators.h"
#include "nn/net.h"
#include "support.h"

static void assert_same(size_t bytes, const void *a, const void *b)
{
    if (bytes > 0)
        assert_memory_equal(a, b, bytes);
}

static void assert_same_scaler(const bnre__scaler *a, const bnre__scaler *b)
{
    assert_int_equal(a->size, b->size);
    assert_int_equal(a->columns, b->columns);
    assert_int_equal(a->inner, b->inner);
    assert_same(a->columns * sizeof *a->location, a->location, b->location);
    assert_same(a->columns * sizeof *a->scale, a->scale, b->scale);
    assert_same(a->columns, a->flags, b->flags);
}

static void assert_same_members(const bnre_estimator *a,
                                const bnre_estimator *b)
{
    for (size_t k = 0; k < a->info.members; k++) {
        const bnre_estimator_member p = bnre_estimator_describe_member(a, k);
        const bnre_estimator_member q = bnre_estimator_describe_member(b, k);

        assert_true(p.seed == q.seed);
        assert_int_equal(p.best, q.best);
        assert_int_equal(p.last, q.last);
        assert_int_equal(p.uses_best, q.uses_best);
        assert_int_equal(p.epochs, q.epochs);
        assert_int_equal(p.columns, q.columns);
        for (size_t i = 0; i < p.columns; i++)
            assert_string_equal(p.name[i], q.name[i]);
        assert_same(p.epochs * p.columns * sizeof *p.history, p.history,
                    q.history);
        for (int e = 0; e < BNRE__EPOCHS; e++) {
            assert_same(a->info.weights * sizeof(float),
                        a->member[k].weights[e], b->member[k].weights[e]);
            assert_same(bnre__net_buffers(a->net) * sizeof(float),
                        a->member[k].buffers[e], b->member[k].buffers[e]);
        }
    }
}

void assert_same_estimator(const bnre_estimator *a, const bnre_estimator *b)
{
    const bnre_estimator_info *p = &a->info, *q = &b->info;

    assert_int_equal(p->kind, q->kind);
    assert_int_equal(p->members, q->members);
    assert_int_equal(p->dim_theta, q->dim_theta);
    assert_int_equal(p->x_size, q->x_size);
    assert_same(sizeof p->shape, p->shape, q->shape);
    assert_string_equal(p->task, q->task);
    assert_string_equal(p->network, q->network);
    assert_string_equal(p->settings, q->settings);
    assert_string_equal(p->version, q->version);
    assert_string_equal(p->failure, q->failure);
    assert_int_equal(p->combine, q->combine);
    assert_true(p->temper == q->temper);
    assert_same(sizeof p->training, &p->training, &q->training);
    assert_same(sizeof p->validation, &p->validation, &q->validation);
    assert_same(sizeof p->scheduling, &p->scheduling, &q->scheduling);
    assert_same_scaler(&a->theta, &b->theta);
    assert_same_scaler(&a->x, &b->x);
    assert_same(BNRE__LEVELS * p->x_size * sizeof(float), a->summary.value,
                b->summary.value);
    assert_int_equal(a->hashes, b->hashes);
    assert_same(a->hashes * sizeof *a->hash, a->hash, b->hash);
    assert_same_members(a, b);
    assert_string_equal(p->certificate != NULL ? p->certificate : "",
                        q->certificate != NULL ? q->certificate : "");
    assert_int_equal(p->scores, q->scores);
    assert_same(p->scores * sizeof *p->calibration, p->calibration,
                q->calibration);
}

unsigned char *read_bytes(const char *path, size_t *size)
{
    unsigned char *bytes;
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

void write_bytes(const char *path, size_t size, const unsigned char *bytes)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* HDF5 loses memory of its own when a checksum is wrong: nothing for the leak
   sanitizer, which asks for this, to report. */
BNRE_API const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

int open_damaged(const char *path, const bnre_estimator *est)
{
    bnre_estimator *found = NULL;
    bnre_status status = bnre_estimator_open(path, &found);

    if (status == BNRE_OK) {
        assert_same_estimator(est, found);
        bnre_estimator_close(found);
        return 1;
    }
    assert_null(found);
    assert_true(status == BNRE_EFORMAT || status == BNRE_EIO);
    assert_true(bnre_error_message()[0] != 0);
    return 0;
}
