/* simulator.c - what can simulate rows: a C record, or an external program. */
#include "task/simulator.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Reasons end up in files and tables: one line of printable UTF-8. */
static void tidy_reason(char *reason)
{
    unsigned char *at = (unsigned char *)reason;

    reason[BNRE_REASON_SIZE - 1] = 0;
    if (reason[0] == 0)
        snprintf(reason, BNRE_REASON_SIZE, "no reason given");
    while (*at != 0) {
        const unsigned char *next = at;
        long code = bnre__text_code(&next);

        if (code < 0) {
            *at++ = '?';
            continue;
        }
        if (code < 0x20 || (code >= 0x7f && code < 0xa0))
            memset(at, ' ', (size_t)(next - at));
        at += next - at;
    }
}

bnre_status bnre__simulator_check(const bnre__simulator *simulator)
{
    if (simulator->sealed)
        return bnre_fail(
            BNRE_EUSAGE,
            "a program or plugin that is named in a data file is never run: "
            "name the task yourself, with `task: FILE.yaml`");
    return BNRE_OK;
}

bnre_status bnre__simulator_open(const bnre__simulator *simulator, void **state)
{
    bnre_status status = bnre__simulator_check(simulator);

    *state = NULL;
    return status == BNRE_OK ? simulator->kind->open(simulator, state) : status;
}

static void put_x(const bnre__batch *batch, size_t j, double x)
{
    if (batch->x_double)
        ((double *)batch->x)[j] = x;
    else
        ((float *)batch->x)[j] = (float)x;
}

void bnre__batch_fail(const bnre__batch *batch, size_t i, size_t x_size,
                      bnre_draw outcome)
{
    batch->status[i] = (uint8_t)outcome;
    tidy_reason(batch->reason[i]);
    for (size_t j = 0; j < x_size; j++)
        put_x(batch, i * x_size + j, (double)NAN);
}

/* x is finite, and fmin() and fmax() are calls. */
static void watch_rounding(bnre__rounding *r, double x)
{
    const double off = fabs(x - (double)(float)x);

    r->low = r->seen && r->low < x ? r->low : x;
    r->high = r->seen && r->high > x ? r->high : x;
    r->error = r->error > off ? r->error : off;
    r->seen = 1;
}

void bnre__batch_store(const bnre__batch *batch, size_t i, size_t x_size,
                       const double *x)
{
    for (size_t j = 0; j < x_size; j++) {
        if (!(fabs(x[j]) <= (double)FLT_MAX)) {
            snprintf(batch->reason[i], BNRE_REASON_SIZE,
                     isfinite(x[j]) ? "a value of x is too large"
                                    : "a value of x is not finite");
            bnre__batch_fail(batch, i, x_size, BNRE_DRAW_INVALID);
            return;
        }
        put_x(batch, i * x_size + j, x[j]);
    }
    for (size_t j = 0; batch->rounding != NULL && j < x_size; j++)
        watch_rounding(&batch->rounding[j], x[j]);
    batch->status[i] = BNRE_DRAW_OK;
    batch->reason[i][0] = 0;
}
