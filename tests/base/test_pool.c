/* threads: loops shared by a pool */
#include <float.h>
#include <stdio.h>

#include "base/float_mode.h"
#include "bnre/pool.h"
#include "support.h"

enum { N = 10007 };

struct job {
    int visits[N];
    size_t worker_of[N];
    size_t fail_from; /* items from here on fail */
};

static bnre_status visit(void *arg, size_t worker, size_t first, size_t last)
{
    struct job *job = arg;

    for (size_t i = first; i < last; i++) {
        if (i >= job->fail_from)
            return bnre_fail(BNRE_EINVAL, "item %zu", i);
        job->visits[i]++;
        job->worker_of[i] = worker;
    }
    return BNRE_OK;
}

static void every_item_is_visited_once(void **state)
{
    (void)state;
    for (size_t threads = 1; threads <= 5; threads++) {
        bnre_pool *pool = NULL;
        static struct job job;

        job = (struct job){.fail_from = N};
        assert_ok(bnre_pool_create(threads, &pool));
        assert_int_equal(bnre_pool_threads(pool), threads);
        for (int repeat = 0; repeat < 3; repeat++)
            assert_ok(bnre_pool_for(pool, N, 10, visit, &job));
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(job.visits[i], 3);
            assert_true(job.worker_of[i] < threads);
        }
        bnre_pool_destroy(pool);
    }
}

/* Short loops, so that threads come too late for their chunks: into the next
   loop, whose items are others. */
static void late_threads_do_no_harm(void **state)
{
    (void)state;
    for (size_t threads = 2; threads <= 6; threads += 2) {
        bnre_pool *pool = NULL;

        assert_ok(bnre_pool_create(threads, &pool));
        for (int loop = 0; loop < 500; loop++) {
            static struct job job;
            const size_t n = 1 + (size_t)loop % 8;

            for (size_t i = 0; i < 8; i++)
                job.visits[i] = 0;
            job.fail_from = N;
            assert_ok(
                bnre_pool_for(pool, n, 1 + (size_t)loop % 3, visit, &job));
            for (size_t i = 0; i < 8; i++)
                assert_int_equal(job.visits[i], i < n);
        }
        bnre_pool_destroy(pool);
    }
}

struct halves {
    float half[64];
};

static bnre_status halve(void *arg, size_t worker, size_t first, size_t last)
{
    struct halves *job = arg;
    volatile float smallest = FLT_MIN;

    (void)worker;
    for (size_t i = first; i < last; i++)
        job->half[i] = smallest * 0.5f;
    return BNRE_OK;
}

static void threads_compute_in_the_mode_of_the_caller(void **state)
{
    bnre_pool *pool = NULL;
    struct halves job;

    (void)state;
    assert_ok(bnre_pool_create(3, &pool));
    for (int loop = 0; loop < 20; loop++) {
        const int flush = loop % 2 && BNRE__CAN_FLUSH;
        const bnre__float_mode mode = bnre__float_mode_get();

        if (flush)
            bnre__float_mode_flush();
        assert_ok(bnre_pool_for(pool, 64, 1, halve, &job));
        bnre__float_mode_set(mode);
        for (int i = 0; i < 64; i++)
            assert_int_equal(job.half[i] > 0, !flush);
    }
    bnre_pool_destroy(pool);
}

static void the_earliest_failure_is_reported(void **state)
{
    bnre_pool *pool = NULL;
    static struct job job;
    size_t thread_counts[] = {1, 4};

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        assert_ok(bnre_pool_create(thread_counts[k], &pool));
        for (size_t from = 0; from < N; from += 997) {
            char text[64];

            job = (struct job){.fail_from = from};
            snprintf(text, sizeof text, "item %zu", from);
            assert_fails(bnre_pool_for(pool, N, 10, visit, &job), BNRE_EINVAL,
                         text);
            for (size_t i = 0; i < from; i++)
                assert_int_equal(job.visits[i], 1);
        }
        bnre_pool_destroy(pool);
    }
}

static void no_pool_and_no_work_are_fine(void **state)
{
    static struct job job;

    (void)state;
    job = (struct job){.fail_from = N};
    assert_ok(bnre_pool_for(NULL, N, 64, visit, &job));
    assert_int_equal(job.visits[N - 1], 1);
    assert_ok(bnre_pool_for(NULL, 0, 64, visit, &job));
    assert_fails(bnre_pool_for(NULL, 5, 0, visit, &job), BNRE_EINVAL, "chunk");
    assert_int_equal(bnre_pool_threads(NULL), 1);
}

static bnre_status create_and_destroy(void *arg)
{
    bnre_pool *pool = NULL;
    bnre_status status = bnre_pool_create(3, &pool);

    (void)arg;
    bnre_pool_destroy(pool);
    return status;
}

static void lack_of_memory_is_reported(void **state)
{
    (void)state;
    assert_survives_lack_of_memory(create_and_destroy, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_visited_once),
        cmocka_unit_test(late_threads_do_no_harm),
        cmocka_unit_test(threads_compute_in_the_mode_of_the_caller),
        cmocka_unit_test(the_earliest_failure_is_reported),
        cmocka_unit_test(no_pool_and_no_work_are_fine),
        cmocka_unit_test(lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
