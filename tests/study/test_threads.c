/* The executor of one process. threads: several work on a list at once. */
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "bnre/study.h"
#include "support.h"

enum { ITEMS = 60 };

struct list {
    atomic_int done[ITEMS];
    size_t fail_at; /* ITEMS = nowhere */
    bnre_status failure;
    bnre_pool *inner; /* what the last item was given */
    atomic_int asked_to_stop;
    atomic_int begun;
};

static bnre_status do_item(void *arg, const bnre_work *work, size_t item)
{
    struct list *list = arg;

    list->begun++;
    if (item == list->fail_at) {
        /* The others are on their way. */
        work->note(work->context, "about to fail");
        return bnre_fail(list->failure, "item %zu is bad", item);
    }
    list->done[item]++;
    /* Whoever comes after a failure learns of it. */
    while (item > list->fail_at && !work->report(work->context, 0))
        sched_yield();
    if (item == 0)
        list->inner = work->pool;
    if (work->report(work->context, 10)) {
        list->asked_to_stop++;
        return bnre_fail(BNRE_EINTR, "stopped");
    }
    return BNRE_OK;
}

struct watch {
    size_t done, found, total, notes;
    size_t stop_from; /* units after which to stop; 0 = never */
    char state[128];
};

static int on_progress(void *context, size_t done, size_t found, size_t total)
{
    struct watch *watch = context;

    assert_true(done >= watch->done);
    watch->done = done;
    watch->found = found;
    watch->total = total;
    return watch->stop_from > 0 && done >= watch->stop_from;
}

static void on_note(void *context, const char *text)
{
    struct watch *watch = context;

    (void)text;
    watch->notes++;
}

static void on_state(void *context, const char *text)
{
    struct watch *watch = context;

    snprintf(watch->state, sizeof watch->state, "%s", text);
}

static bnre_status run(size_t threads, size_t n, struct list *list,
                       struct watch *watch)
{
    const bnre_monitor monitor = {on_progress, on_note, watch, on_state};
    bnre_tally tally = {.done = 5, .found = 5, .total = 5 + 10 * n};
    bnre_pool *pool = NULL;
    bnre_executor executor;
    bnre_status status;

    assert_ok(bnre_pool_create(threads, &pool));
    executor = bnre_executor_threads(pool);
    assert_int_equal(executor.workers, threads);
    assert_int_equal(executor.processes, 1);
    assert_true(executor.leads);
    status = executor.each(executor.context, n, do_item, list, "things",
                           &monitor, &tally);
    bnre_pool_destroy(pool);
    return status;
}

static void every_item_is_done_once(void **state)
{
    (void)state;
    for (size_t threads = 1; threads <= 4; threads++) {
        struct list list = {.fail_at = ITEMS};
        struct watch watch = {0};

        assert_ok(run(threads, ITEMS, &list, &watch));
        for (size_t i = 0; i < ITEMS; i++)
            assert_int_equal(list.done[i], 1);
        assert_int_equal(watch.done, 605);
        assert_int_equal(watch.found, 5);
        assert_int_equal(watch.total, 605);
        assert_string_equal(watch.state, "60 of 60 things");
        assert_null(list.inner);
    }
}

static void few_items_get_all_threads(void **state)
{
    struct list list = {.fail_at = ITEMS};
    struct watch watch = {0};

    (void)state;
    assert_ok(run(4, 3, &list, &watch));
    assert_non_null(list.inner);
    assert_ok(run(4, 0, &list, &watch));
}

/* What others say because they were asked to stop does not hide it. */
static void the_first_failure_is_told_and_stops_the_others(void **state)
{
    (void)state;
    for (size_t threads = 1; threads <= 4; threads++) {
        struct list list = {.fail_at = 7, .failure = BNRE_EIO};
        struct watch watch = {0};

        assert_fails(run(threads, ITEMS, &list, &watch), BNRE_EIO,
                     "item 7 is bad");
        assert_true(list.begun <= 8 + (int)threads);
        assert_int_equal(watch.notes, 1);
    }
}

static void the_monitor_can_stop_it(void **state)
{
    (void)state;
    for (size_t threads = 1; threads <= 4; threads++) {
        struct list list = {.fail_at = ITEMS};
        struct watch watch = {.stop_from = 100};

        assert_fails(run(threads, ITEMS, &list, &watch), BNRE_EINTR, "");
        assert_true(list.begun <= 10 + (int)threads);
        assert_true(list.asked_to_stop > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_done_once),
        cmocka_unit_test(few_items_get_all_threads),
        cmocka_unit_test(the_first_failure_is_told_and_stops_the_others),
        cmocka_unit_test(the_monitor_can_stop_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
