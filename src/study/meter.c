/* meter.c - the progress of one item of work as a share of the study. */
#include "study/job.h"

static int on_progress(void *context, size_t done, size_t found, size_t total)
{
    bnre__meter *meter = context;
    const double share = total > 0 ? (double)done / (double)total : 1;
    size_t now = (size_t)((double)meter->cost * (share < 1 ? share : 1));
    size_t more = now > meter->told ? now - meter->told : 0;

    (void)found;
    meter->told += more;
    return meter->work->report(meter->work->context, more);
}

static void on_note(void *context, const char *text)
{
    const bnre__meter *meter = context;

    meter->work->note(meter->work->context, text);
}

void bnre__meter_init(bnre__meter *meter, const bnre_work *work, size_t cost)
{
    *meter = (bnre__meter){.work = work, .cost = cost};
    meter->monitor = (bnre_monitor){
        .progress = on_progress, .note = on_note, .context = meter};
}

void bnre__meter_finish(bnre__meter *meter)
{
    if (meter->cost > meter->told)
        meter->work->report(meter->work->context, meter->cost - meter->told);
    meter->told = meter->cost;
}
