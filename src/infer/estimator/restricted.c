/* restricted.c - estimators whose prior is restricted to a region: as functions
   of theta, and their files.

   Such an estimator was trained on places u in its region (region.h). Its own
   density of u is that of any other estimator; here it becomes one of theta. In
   its file lies the file of the estimator that made the region, as bytes, and
   so on inside it. */
#include "infer/estimator/restricted.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "infer/estimator/estimator.h"
#include "infer/estimator/evaluator.h"
#include "io/file.h"
#include "num/line_set.h"
#include "num/streams.h"

/* ---- sessions ---- */

struct session {
    bnre__evaluator *eval; /* of u */
    bnre__region_room *room;
    size_t dim;
    double *u;     /* (block, dim) */
    double *log_w; /* (block) */
    double *each;  /* (members, block) */
};

static void close_session(void *session)
{
    struct session *s = session;

    if (s == NULL)
        return;
    bnre__free(s->each);
    bnre__free(s->log_w);
    bnre__free(s->u);
    bnre__region_room_close(s->room);
    bnre__evaluator_close(s->eval);
    bnre__free(s);
}

static bnre_status open_session(void *context, void **session)
{
    const bnre__view *view = context;
    bnre_status status = BNRE_OK;
    struct session *s = NULL;

    *session = NULL;
    BNRE_NEW(s, 1);
    s->dim = view->est->info.dim_theta;
    BNRE_TRY(bnre__evaluator_open(view, 1, &s->eval));
    BNRE_TRY(bnre__region_room_open(view->est->region, &s->room));
    BNRE_NEW(s->u, BNRE__EVALUATOR_BLOCK * s->dim);
    BNRE_NEW(s->log_w, BNRE__EVALUATOR_BLOCK);
    BNRE_NEW(s->each, view->members * BNRE__EVALUATOR_BLOCK);
    *session = s;
    s = NULL;
done:
    close_session(s);
    return status;
}

static bnre_status observe(void *session, const double *x)
{
    const struct session *s = session;

    return bnre__evaluator_observe(s->eval, 1, x);
}

/* log q(u) - log w of a block, tempered; -inf outside the region. */
static bnre_status block(struct session *s, size_t n, const double *theta,
                         double *out, double *each)
{
    BNRE_DO(bnre__region_places(s->room, n, theta, s->u, s->log_w));
    BNRE_DO(bnre__evaluator_log_ratio(s->eval, n, s->u, out, NULL, each));
    for (size_t i = 0; i < n; i++)
        out[i] = s->log_w[i] == -HUGE_VAL
                     ? -HUGE_VAL
                     : out[i] - s->eval->temper * s->log_w[i];
    return BNRE_OK;
}

static bnre_status log_ratio_each(void *session, size_t n, const double *theta,
                                  double *out, double *each)
{
    struct session *s = session;
    const size_t members = s->eval->members;

    for (size_t first = 0, rows; first < n; first += rows) {
        rows = n - first < BNRE__EVALUATOR_BLOCK ? n - first
                                                 : BNRE__EVALUATOR_BLOCK;
        BNRE_DO(block(s, rows, theta + first * s->dim, out + first,
                      each != NULL ? s->each : NULL));
        for (size_t k = 0; each != NULL && k < members; k++)
            for (size_t i = 0; i < rows; i++)
                each[k * n + first + i] =
                    s->log_w[i] == -HUGE_VAL
                        ? -HUGE_VAL
                        : s->each[k * rows + i] - s->eval->temper * s->log_w[i];
    }
    return BNRE_OK;
}

static bnre_status log_ratio(void *session, size_t n, const double *theta,
                             double *out, double *gradient)
{
    (void)gradient; /* there is none */
    return log_ratio_each(session, n, theta, out, NULL);
}

static bnre_status draw(void *session, uint64_t seed, uint64_t first, size_t n,
                        double *theta)
{
    struct session *s = session;

    for (size_t done = 0, rows; done < n; done += rows) {
        rows =
            n - done < BNRE__EVALUATOR_BLOCK ? n - done : BNRE__EVALUATOR_BLOCK;
        BNRE_DO(bnre__evaluator_draw(s->eval, seed, first + done, rows, s->u));
        BNRE_DO(bnre__region_values(s->room, rows, s->u, theta + done * s->dim,
                                    s->log_w));
    }
    return BNRE_OK;
}

void bnre__restricted_density(bnre_density *density)
{
    density->open = open_session;
    density->close = close_session;
    density->observe = observe;
    density->log_ratio = log_ratio;
    density->has_gradient = 0;
    if (density->log_ratio_each != NULL)
        density->log_ratio_each = log_ratio_each;
    density->rough = NULL;
    if (density->draw != NULL)
        density->draw = draw;
    density->many = 0;
}

/* ---- pairs ---- */

bnre_status bnre__restricted_places(const bnre_estimator *est, bnre_pool *pool,
                                    size_t n, const double *theta, double *u,
                                    double *log_w)
{
    BNRE_DO(bnre__region_map(est->region, pool, n, theta, u, log_w));
    for (size_t i = 0; i < n; i++)
        if (log_w[i] == -HUGE_VAL)
            return bnre_fail(BNRE_EUSAGE,
                             "row %zu: its parameters lie outside the region "
                             "around the observation in which this estimator "
                             "was trained, and it knows nothing of them",
                             i);
    return BNRE_OK;
}

static bnre_status place(void *context, bnre_pool *pool, size_t n,
                         const double *theta, double *u)
{
    const bnre__view *view = context;
    bnre_status status = BNRE_OK;
    double *log_w = NULL;

    BNRE_NEW(log_w, n);
    BNRE_TRY(bnre__restricted_places(view->est, pool, n, theta, u, log_w));
done:
    bnre__free(log_w);
    return status;
}

void bnre__restricted_judged(const bnre_estimator *est, bnre_density *density)
{
    density->prior = est->cube;
    density->place = place;
}

void bnre__restricted_name(const bnre_estimator *est, char out[33])
{
    bnre__hash hash;

    bnre__hash_init(&hash, est->image_bytes, est->info.x_size, 1);
    bnre__hash_add(&hash, est->image, est->image_bytes);
    bnre__hash_add(&hash, est->region_x,
                   est->info.x_size * sizeof *est->region_x);
    bnre__hash_add(&hash, est->region_number, sizeof *est->region_number);
    bnre__hash_add(&hash, est->region_sets,
                   est->region_sets_n * sizeof *est->region_sets);
    bnre__hash_end_hex(&hash, out);
}

bnre_status bnre__restricted_draw(const bnre_estimator *est, bnre_pool *pool,
                                  uint64_t seed, bnre_split split, size_t n,
                                  double *theta, char name[33])
{
    bnre_rng rng =
        bnre_rng_stream(seed, bnre__purpose(BNRE_USE_REGION, split), 1);
    bnre__region_draws how;

    bnre__restricted_name(est, name);
    return bnre__region_draw(est->region, pool, bnre_rng_u64(&rng), n, theta,
                             &how);
}

bnre_status bnre__restricted_observed(const bnre_estimator *est, size_t n,
                                      const double *x)
{
    const size_t size = est->info.x_size;
    int same = n == 1;

    if (est->region == NULL)
        return BNRE_OK;
    for (size_t i = 0; same && i < size; i++)
        same = !(fabs(x[i] - est->region_x[i]) >
                 FLT_EPSILON * fmax(fabs(x[i]), fabs(est->region_x[i])));
    if (!same)
        return bnre_fail(BNRE_EUSAGE,
                         "this estimator knows the prior within a region "
                         "around one observation only (%.3g of it), and this "
                         "is not that observation: use an estimator of the "
                         "whole prior (`rounds: 1`), or infer again",
                         est->region->share);
    return BNRE_OK;
}

/* ---- files ---- */

/* How many numbers describe the sets of a region. */
static size_t sets_of(const bnre_estimator *earlier)
{
    return earlier->conditional->factors * bnre__region_numbers(earlier);
}

/* Whether these do. */
static int are_sets(const bnre_estimator *earlier, size_t n, const double *sets)
{
    const size_t numbers =
        earlier->conditional != NULL ? bnre__region_numbers(earlier) : 1;

    if (earlier->conditional == NULL || n != sets_of(earlier))
        return 0;
    for (size_t i = 0; i < n; i += numbers)
        if (!(sets[i] >= 0 && sets[i] <= BNRE__SET_PIECES))
            return 0;
    return 1;
}

bnre_status bnre__estimator_restrict(bnre_estimator *est, int depth)
{
    bnre_estimator *earlier = NULL;
    bnre__region *region = NULL;

    if (depth >= BNRE__MOST_REGIONS)
        return bnre_fail(BNRE_EFORMAT,
                         "regions lie in each other more than %d "
                         "times",
                         BNRE__MOST_REGIONS);
    BNRE_DO(bnre__estimator_open_bytes("the estimator of its region",
                                       est->image, est->image_bytes, depth + 1,
                                       &earlier));
    if (est->conditional == NULL ||
        earlier->info.dim_theta != est->info.dim_theta ||
        earlier->info.x_size != est->info.x_size ||
        !(est->region_number[0] > 0 && est->region_number[0] < 1) ||
        !(est->region_number[3] > 0 && est->region_number[3] < 1) ||
        !are_sets(earlier, est->region_sets_n, est->region_sets)) {
        bnre_estimator_close(earlier);
        return bnre_fail(BNRE_EFORMAT, "its region is of another task");
    }
    BNRE_DO(bnre__region_create(earlier, est->region_x, est->region_number[0],
                                &region));
    memcpy(region->sets, est->region_sets,
           est->region_sets_n * sizeof *region->sets);
    region->share = est->region_number[1];
    region->error = est->region_number[2];
    region->alpha = est->region_number[3];
    est->region = region;
    est->cube = est->outline.prior;
    est->outline.prior = region->earlier->outline.prior;
    est->info.task = region->earlier->info.task;
    est->info.region = region->share;
    est->info.cut = region->alpha + region->earlier->info.cut;
    return BNRE_OK;
}

bnre_status bnre__estimator_dress(const char *inner, const bnre__region *region,
                                  const char *earlier, const char *path)
{
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;
    char *bytes = NULL;

    BNRE_TRY(bnre_estimator_open(inner, &est));
    BNRE_TRY(bnre__file_read_all(earlier, (size_t)1 << 40, &bytes,
                                 &est->image_bytes));
    est->image = (uint8_t *)bytes;
    BNRE_NEW(est->region_x, est->info.x_size);
    memcpy(est->region_x, region->x, est->info.x_size * sizeof *est->region_x);
    est->region_sets_n = sets_of(region->earlier);
    BNRE_NEW(est->region_sets, est->region_sets_n);
    memcpy(est->region_sets, region->sets,
           est->region_sets_n * sizeof *region->sets);
    est->region_number[0] = region->level;
    est->region_number[1] = region->share;
    est->region_number[2] = region->error;
    est->region_number[3] = region->alpha;
    BNRE_TRY(bnre__estimator_restrict(est, 0));
    /* Scores are of sets that are smallest in the places, not in theta. */
    BNRE_TRY(bnre__estimator_set_calibration(est, 0, NULL));
    BNRE_TRY(bnre__estimator_set_cross_scores(est, 0, NULL, NULL));
    BNRE_TRY(bnre_estimator_save(est, path, 1));
done:
    bnre_estimator_close(est);
    return status;
}
