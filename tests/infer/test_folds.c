/* threads: folds: copies stay together, and nothing of a fold reaches its
   members. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bnre/estimator.h"
#include "data/rows.h"
#include "infer/train/data.h"
#include "support.h"
#include "training.h"

enum { ROWS = 160, FOLDS = 4, MEMBERS = 8 };

static const char task[] = "parameters: {a: \"normal(0, 1)\", b: \"uniform(0, "
                           "1)\"}\nobservable: [3]\n";

/* Rows that a test makes, and their file. */
struct table {
    double theta[ROWS][2], x[ROWS][3];
    int lost[ROWS];
};

static void draw_row(struct table *table, size_t i, uint64_t seed)
{
    bnre_rng rng = bnre_rng_stream(seed, 0, i);
    double *theta = table->theta[i];

    theta[0] = bnre_rng_normal(&rng);
    theta[1] = bnre_rng_uniform(&rng);
    for (size_t j = 0; j < 3; j++)
        table->x[i][j] =
            (double)(float)(theta[j % 2] * 3 + bnre_rng_normal(&rng));
}

static struct table draw_table(void)
{
    struct table table = {0};

    for (size_t i = 0; i < ROWS; i++)
        draw_row(&table, i, 1);
    return table;
}

static const char *write_text(const char *name, const char *text)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static const char *write_table(const char *name, const struct table *table)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fprintf(file, "theta.a,theta.b,x.0,x.1,x.2,status\n");
    for (size_t i = 0; i < ROWS; i++) {
        fprintf(file, "%.17g,%.17g,", table->theta[i][0], table->theta[i][1]);
        for (size_t j = 0; j < 3; j++)
            if (table->lost[i])
                fprintf(file, "nan,");
            else
                fprintf(file, "%.9g,", table->x[i][j]);
        fprintf(file, "%d\n", table->lost[i] ? 2 : 0);
    }
    fclose(file);
    return path;
}

static bnre_train_opts some_opts(const char *data, const bnre_node *network)
{
    static char at[300];
    bnre_train_opts opts = training_opts(data, network);

    snprintf(at, sizeof at, "%s", write_text("folds-task.yaml", task));
    opts.task = at;
    opts.folds = FOLDS;
    opts.members = MEMBERS;
    opts.force = 1;
    return opts;
}

/* The folds that training lays these rows in. */
static void find_folds(const struct table *table, bnre__train_data *out)
{
    bnre_node *network = training_network("head: {hidden: [4]}");
    bnre_train_opts opts =
        some_opts(write_table("folds-look.csv", table), network);

    assert_ok(bnre__train_data_open(out, &opts));
    bnre_node_destroy(network);
}

static void folds_are_of_equal_size_and_chance(void **state)
{
    struct table table = draw_table();
    bnre__train_data data = {0};
    size_t count[FOLDS] = {0}, next = 0;

    (void)state;
    find_folds(&table, &data);
    assert_int_equal(data.folds.binding, BNRE__BIND_EITHER);
    for (size_t i = 0; i < ROWS; i++)
        count[data.folds.fold[i]]++;
    for (size_t f = 0; f < FOLDS; f++)
        assert_int_equal(count[f], ROWS / FOLDS);
    for (size_t i = 1; i < ROWS; i++)
        next += data.folds.fold[i] == data.folds.fold[i - 1];
    assert_true(next > ROWS / 8 && next < ROWS / 2); /* about a quarter */
    bnre__train_data_clear(&data);
}

/* Equal theta, then equal x, then a chain of both. */
static void copies_are_in_one_fold(void **state)
{
    struct table table = draw_table();
    bnre__train_data data = {0};

    (void)state;
    for (size_t i = 0; i < 6; i++)
        memcpy(table.theta[20 * i], table.theta[0], sizeof table.theta[0]);
    for (size_t i = 0; i < 6; i++)
        memcpy(table.x[20 * i + 3], table.x[3], sizeof table.x[3]);
    memcpy(table.theta[70], table.theta[71], sizeof table.theta[0]);
    memcpy(table.x[71], table.x[72], sizeof table.x[0]);
    find_folds(&table, &data);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(data.folds.fold[20 * i], data.folds.fold[0]);
        assert_int_equal(data.folds.fold[20 * i + 3], data.folds.fold[3]);
    }
    assert_int_equal(data.folds.fold[70], data.folds.fold[71]);
    assert_int_equal(data.folds.fold[72], data.folds.fold[71]);
    /* Held-out rows keep together too. */
    for (uint64_t seed = 0; seed < 20; seed++) {
        const size_t fold = data.folds.fold[0] == 0;
        bnre__roles roles = {0};
        size_t held = 0, own = 0;

        assert_ok(bnre__folds_split(&data.folds, fold, seed, &roles));
        for (size_t i = 0; i < ROWS; i++) {
            const bnre__role role = bnre__roles_get(&roles, i);

            assert_int_equal(role == BNRE__ROLE_NONE,
                             data.folds.fold[i] == fold);
            own += role != BNRE__ROLE_NONE;
            held += role == BNRE__ROLE_VALIDATE;
        }
        for (size_t i = 0; i < 6; i++)
            assert_int_equal(bnre__roles_get(&roles, 20 * i),
                             bnre__roles_get(&roles, 0));
        assert_true(held >= own / 10 && held < own / 10 + 6);
        bnre__roles_clear(&roles);
    }
    bnre__train_data_clear(&data);
}

/* Values that a task has again and again are no copies. */
static void what_is_discrete_binds_nothing(void **state)
{
    struct table table = draw_table();
    bnre__train_data data = {0};

    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < 3; j++)
            table.x[i][j] = table.x[i][0] > 0;
    find_folds(&table, &data);
    assert_int_equal(data.folds.binding, BNRE__BIND_THETA);
    bnre__train_data_clear(&data);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < 2; j++)
            table.theta[i][j] = table.theta[i][j] > 0.5;
    find_folds(&table, &data);
    assert_int_equal(data.folds.binding, BNRE__BIND_NOTHING);
    assert_int_equal(data.folds.copies, 0);
    bnre__train_data_clear(&data);
}

static bnre_estimator *train_on(const char *name, const struct table *table,
                                int method)
{
    bnre_node *network =
        training_network("head: {hidden: [8], activation: elu}");
    bnre_train_opts opts = some_opts(write_table(name, table), network);
    const char *path = scratch_path("folds.h5");
    bnre_estimator *est = NULL;

    opts.method = method;
    assert_ok(bnre_train(&opts, path, NULL));
    assert_ok(bnre_estimator_open(path, &est));
    bnre_node_destroy(network);
    return est;
}

/* Not a grid but a few points: of all combinations of their values the points
   alone. However many simulations each has, it is in one fold, and judged once:
   densities that know of a point where the parameters are would be right on all
   of them. */
static void points_again_and_again_are_judged_once(void **state)
{
    struct table table = draw_table();
    bnre__train_data data = {0};
    enum { POINTS = 10 };
    size_t judged[POINTS] = {0};
    bnre_estimator *est;

    (void)state;
    for (size_t i = POINTS; i < ROWS; i++)
        memcpy(table.theta[i], table.theta[i % POINTS], sizeof *table.theta);
    find_folds(&table, &data);
    assert_int_equal(data.folds.binding, BNRE__BIND_EITHER);
    assert_int_equal(data.folds.copies, ROWS - POINTS);
    for (size_t i = 0; i < ROWS; i++)
        assert_int_equal(data.folds.fold[i], data.folds.fold[i % POINTS]);
    est = train_on("folds-points.csv", &table, BNRE_METHOD_NPE);
    for (size_t i = 0; i < ROWS; i++) {
        size_t fold;

        if (!bnre__estimator_fold_of(
                est, bnre__row_hash(2, table.theta[i], 3, table.x[i]), NULL,
                &fold))
            continue;
        assert_int_equal(fold, data.folds.fold[i]);
        judged[i % POINTS]++;
    }
    for (size_t k = 0; k < POINTS; k++)
        assert_int_equal(judged[k], 1);
    bnre_estimator_close(est);
    bnre__train_data_clear(&data);
    for (size_t i = 0; i < ROWS; i++) /* values that are no steps apart */
        table.theta[i][0] = 1;
    find_folds(&table, &data);
    assert_int_equal(data.folds.binding, BNRE__BIND_EITHER);
    bnre__train_data_clear(&data);
}

/* Draws of the prior that were rounded are equal by chance: they stay together,
   and each is judged, or what is rare would count as much as what is frequent. */
static void rounded_draws_are_all_judged(void **state)
{
    struct table table = draw_table();
    bnre__train_data data = {0};
    size_t equal = 0;

    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        table.theta[i][0] = round(table.theta[i][0] * 5) / 5;
        table.theta[i][1] = (double)(float)(round(table.theta[i][1] * 10) / 10);
    }
    find_folds(&table, &data);
    assert_int_equal(data.folds.binding, BNRE__BIND_EITHER);
    assert_int_equal(data.folds.copies, 0);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < i; k++)
            if (memcmp(table.theta[i], table.theta[k], sizeof *table.theta) ==
                0) {
                assert_int_equal(data.folds.fold[i], data.folds.fold[k]);
                equal++;
            }
    assert_true(equal > ROWS / 4);
    bnre__train_data_clear(&data);
}

/* A file that was joined with its rounded self: equal in nothing, and the same
   simulations all the same. They are in one fold with what they were rounded
   from, and the first of each is judged. */
static void rounded_copies_are_in_one_fold(void **state)
{
    struct table table = draw_table();
    bnre__train_data data = {0};
    size_t second = 0;

    (void)state;
    for (size_t i = ROWS / 2; i < ROWS; i++) {
        for (size_t j = 0; j < 2; j++)
            table.theta[i][j] = (double)(float)table.theta[i - ROWS / 2][j];
        for (size_t j = 0; j < 3; j++)
            table.x[i][j] = table.x[i - ROWS / 2][j] * (1 + 1e-6);
    }
    find_folds(&table, &data);
    assert_int_equal(data.folds.copies, ROWS / 2);
    for (size_t i = 0; i < ROWS / 2; i++) {
        assert_int_equal(data.folds.fold[i], data.folds.fold[ROWS / 2 + i]);
        assert_int_equal(data.folds.copy[i], 0);
        second += data.folds.copy[ROWS / 2 + i];
    }
    assert_int_equal(second, ROWS / 2);
    bnre__train_data_clear(&data);
    /* Some again as they are, too. */
    for (size_t i = ROWS / 2; i < ROWS / 2 + 20; i++)
        memcpy(table.theta[i], table.theta[i + 40], sizeof *table.theta);
    find_folds(&table, &data);
    for (size_t i = 0; i < 20; i++) {
        assert_int_equal(data.folds.fold[40 + i],
                         data.folds.fold[ROWS / 2 + i]);
        assert_int_equal(data.folds.fold[40 + i],
                         data.folds.fold[ROWS / 2 + 40 + i]);
    }
    assert_int_equal(data.folds.copies, ROWS / 2);
    bnre__train_data_clear(&data);
}

/* Whether a member of both is the same to the bit, scalers and history
   included. */
static int same_member(const bnre_estimator *a, const bnre_estimator *b,
                       size_t k)
{
    const bnre__member *m = &a->member[k], *n = &b->member[k];
    const bnre__scaler *s = bnre__estimator_scale_x(a, k),
                       *t = bnre__estimator_scale_x(b, k);

    return m->epochs == n->epochs &&
           memcmp(m->history, n->history,
                  m->epochs * a->columns * sizeof *m->history) == 0 &&
           memcmp(m->weights[BNRE__BEST], n->weights[BNRE__BEST],
                  a->info.weights * sizeof(float)) == 0 &&
           memcmp(m->weights[BNRE__LAST], n->weights[BNRE__LAST],
                  a->info.weights * sizeof(float)) == 0 &&
           memcmp(s->location, t->location, s->columns * sizeof(double)) == 0 &&
           memcmp(s->scale, t->scale, s->columns * sizeof(double)) == 0;
}

/* Every row of a fold becomes another, wild ones among them. Members of the
   fold stay as they are to the last bit: not one of its numbers has reached
   them, by whatever way. All others have seen the fold and change: so would one
   of its own with a leak. */
static void nothing_of_a_fold_reaches_its_members(void **state)
{
    static const int method[] = {BNRE_METHOD_NPE, BNRE_METHOD_BNPE,
                                 BNRE_METHOD_NRE, BNRE_METHOD_BNRE};
    struct table table = draw_table(), other = table;
    bnre__train_data data = {0};
    enum { FOLD = 2 };

    (void)state;
    find_folds(&table, &data);
    for (size_t i = 0; i < ROWS; i++)
        if (data.folds.fold[i] == FOLD) {
            draw_row(&other, i, 2);
            other.x[i][1] *= i % 7 == 0 ? 1e3 : 10;
        }
    for (size_t m = 0; m < sizeof method / sizeof *method; m++) {
        bnre_estimator *a = train_on("folds-a.csv", &table, method[m]);
        bnre_estimator *b = train_on("folds-b.csv", &other, method[m]);

        for (size_t k = 0; k < MEMBERS; k++)
            assert_int_equal(same_member(a, b, k), k % FOLDS == FOLD);
        bnre_estimator_close(a);
        bnre_estimator_close(b);
    }
    bnre__train_data_clear(&data);
}

/* The same where rows are weighed, as others are missing: what weighs them has
   seen nothing of the fold either. */
static void nothing_of_a_fold_reaches_its_weights(void **state)
{
    struct table table = draw_table(), other;
    bnre__train_data data = {0};
    bnre_estimator *a, *b;
    enum { FOLD = 1 };

    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        table.lost[i] = table.theta[i][1] > 0.5 && i % 3 == 0;
    other = table;
    find_folds(&table, &data);
    for (size_t i = 0; i < ROWS; i++)
        if (data.folds.fold[i] == FOLD) {
            draw_row(&other, i, 2);
            other.lost[i] = other.theta[i][1] < 0.5 && i % 2 == 0;
        }
    a = train_on("folds-a.csv", &table, BNRE_METHOD_BNPE);
    b = train_on("folds-b.csv", &other, BNRE_METHOD_BNPE);
    assert_non_null(a->conditional->validity);
    for (size_t k = 0; k < MEMBERS; k++)
        assert_int_equal(same_member(a, b, k), k % FOLDS == FOLD);
    for (size_t f = 0; f < FOLDS; f++)
        assert_int_equal(
            memcmp(bnre__validity_at(a->conditional->validity, f, 0),
                   bnre__validity_at(b->conditional->validity, f, 0),
                   3 * sizeof(float) *
                       bnre__chain_weights(a->conditional->validity->chain)) ==
                0,
            f == FOLD);
    bnre_estimator_close(a);
    bnre_estimator_close(b);
    bnre__train_data_clear(&data);
}

/* The same where a parameter has few values: those of the fold lie on another
   grid, between the first. */
static void nothing_of_a_fold_reaches_its_spreading(void **state)
{
    struct table table = draw_table(), other;
    bnre__train_data data = {0};
    bnre_estimator *a, *b;
    enum { FOLD = 3 };

    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        table.theta[i][0] = 1; /* so few that they are no copies */
        table.theta[i][1] = floor(4 * table.theta[i][1]) / 4 + 0.0625;
    }
    other = table;
    find_folds(&table, &data);
    assert_int_equal(data.folds.binding, BNRE__BIND_NOTHING);
    for (size_t i = 0; i < ROWS; i++)
        if (data.folds.fold[i] == FOLD)
            other.theta[i][1] += 0.125;
    a = train_on("folds-a.csv", &table, BNRE_METHOD_NPE);
    b = train_on("folds-b.csv", &other, BNRE_METHOD_NPE);
    for (size_t k = 0; k < MEMBERS; k++)
        assert_int_equal(same_member(a, b, k), k % FOLDS == FOLD);
    bnre_estimator_close(a);
    bnre_estimator_close(b);
    bnre__train_data_clear(&data);
}

/* The file tells the fold of each row, and members of a fold are asked alone.
 */
static void a_file_tells_its_folds(void **state)
{
    struct table table = draw_table();
    bnre_estimator *est = train_on("folds-a.csv", &table, BNRE_METHOD_NPE);
    bnre__train_data data = {0};
    double x[3] = {0.5, 0.2, 1}, theta[2] = {0.3, 0.6}, l[FOLDS], sum = 0;
    double one[MEMBERS], all;
    void *session;

    (void)state;
    find_folds(&table, &data);
    assert_int_equal(est->info.folds, FOLDS);
    assert_int_equal(est->hashes, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        const uint64_t hash = bnre__row_hash(2, table.theta[i], 3, table.x[i]);
        size_t at = 0;

        while (at < est->hashes && est->hash[at] != hash)
            at++;
        assert_true(at < est->hashes);
        assert_int_equal(est->row_fold[at], data.folds.fold[i]);
    }
    for (size_t k = 0; k < MEMBERS + FOLDS + 1; k++) {
        const bnre_density q =
            k < MEMBERS    ? bnre_estimator_density(est, k)
            : k == MEMBERS ? bnre_estimator_density(est, BNRE_ALL_MEMBERS)
                           : bnre__estimator_fold_density(est, k - MEMBERS - 1);
        double *to = k < MEMBERS    ? &one[k]
                     : k == MEMBERS ? &all
                                    : &l[k - MEMBERS - 1];

        assert_ok(q.open(q.context, &session));
        assert_ok(q.observe(session, x));
        assert_ok(q.log_ratio(session, 1, theta, to, NULL));
        q.close(session);
    }
    for (size_t f = 0; f < FOLDS; f++) {
        assert_close(l[f], log((exp(one[f]) + exp(one[f + FOLDS])) / 2), 1e-5);
        sum += exp(l[f]) / FOLDS;
    }
    assert_close(all, log(sum), 1e-5);
    bnre_estimator_close(est);
    bnre__train_data_clear(&data);
}

struct stopper {
    size_t calls, at;
};

static int stop_later(void *context, size_t done, size_t found, size_t total)
{
    struct stopper *stopper = context;

    (void)done;
    (void)found;
    (void)total;
    return ++stopper->calls >= stopper->at;
}

static void threads_and_interruptions_change_nothing(void **state)
{
    struct table table = draw_table();
    bnre_node *network =
        training_network("head: {hidden: [8], activation: elu}");
    bnre_train_opts opts =
        some_opts(write_table("folds-a.csv", &table), network);
    char whole[300], path[300];
    bnre_pool *pool = NULL;

    (void)state;
    snprintf(whole, sizeof whole, "%s", scratch_path("folds-whole.h5"));
    snprintf(path, sizeof path, "%s", scratch_path("folds-again.h5"));
    assert_ok(bnre_train(&opts, whole, NULL));
    assert_ok(bnre_pool_create(3, &pool));
    opts.pool = pool;
    assert_ok(bnre_train(&opts, path, NULL));
    assert_same_file(whole, path);
    opts.pool = NULL;
    for (size_t at = 5; at < 70; at += 13) {
        struct stopper stopper = {.at = at};
        const bnre_monitor monitor = {stop_later, NULL, &stopper, NULL};
        int tries = 0;

        remove(path);
        opts.monitor = &monitor;
        while (bnre_train(&opts, path, NULL) == BNRE_EINTR) {
            opts.force = 0;
            stopper.calls = 0;
            assert_true(++tries < 100);
        }
        opts.force = 1;
        opts.monitor = NULL;
        assert_same_file(whole, path);
    }
    /* Data that are read again and again: no thread has a whole MiB. */
    opts.memory = 1;
    opts.pool = pool;
    assert_ok(bnre_train(&opts, path, NULL));
    assert_same_file(whole, path);
    bnre_pool_destroy(pool);
    bnre_node_destroy(network);
}

static void what_does_not_fit_is_refused(void **state)
{
    struct table table = draw_table();
    bnre_node *network =
        training_network("head: {hidden: [8], activation: elu}");
    char data[300], path[300], validation[300];
    bnre_train_opts opts;

    (void)state;
    snprintf(data, sizeof data, "%s", write_table("folds-a.csv", &table));
    snprintf(path, sizeof path, "%s", scratch_path("folds-wrong.h5"));
    opts = some_opts(data, network);
    opts.members = 6;
    assert_fails(bnre_train(&opts, path, NULL), BNRE_EUSAGE, "6 members");
    opts = some_opts(data, network);
    opts.recipe = BNRE_RECIPE_PAPER;
    assert_fails(bnre_train(&opts, path, NULL), BNRE_EUSAGE, "recipe paper");
    opts = some_opts(data, network);
    opts.validation_rows = 10;
    assert_fails(bnre_train(&opts, path, NULL), BNRE_EUSAGE, "a tenth");
    opts = some_opts(data, network);
    opts.simulations = 7;
    opts.batch_size = 2;
    assert_fails(bnre_train(&opts, path, NULL), BNRE_EUSAGE, "4 folds");
    /* Validation with copies of rows would tell every member of its fold. (One
       row, though both its parameters and its x are there already.) */
    for (size_t i = 0; i < ROWS; i++)
        draw_row(&table, i, i == 5 ? 1 : 3);
    opts = some_opts(data, network);
    snprintf(validation, sizeof validation, "%s",
             write_table("folds-validate.csv", &table));
    opts.validation = validation;
    assert_fails(bnre_train(&opts, path, NULL), BNRE_EUSAGE,
                 "in common (1 row");
    draw_row(&table, 5, 3);
    write_table("folds-validate.csv", &table);
    assert_ok(bnre_train(&opts, path, NULL));
    bnre_node_destroy(network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_are_of_equal_size_and_chance),
        cmocka_unit_test(copies_are_in_one_fold),
        cmocka_unit_test(what_is_discrete_binds_nothing),
        cmocka_unit_test(points_again_and_again_are_judged_once),
        cmocka_unit_test(rounded_draws_are_all_judged),
        cmocka_unit_test(rounded_copies_are_in_one_fold),
        cmocka_unit_test(nothing_of_a_fold_reaches_its_members),
        cmocka_unit_test(nothing_of_a_fold_reaches_its_weights),
        cmocka_unit_test(nothing_of_a_fold_reaches_its_spreading),
        cmocka_unit_test(a_file_tells_its_folds),
        cmocka_unit_test(threads_and_interruptions_change_nothing),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
