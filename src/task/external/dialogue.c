/* dialogue.c - a program that is kept running and answers line by line.

   Requests are sent ahead of the answers, so that neither side waits for the
   other. What a row gets must not depend on that, nor on which rows the same
   process answered before; hence two rules:

   - A failure (end, garbage) is a row's own only if the row was the first one
     of a fresh process, which is always sent alone. Otherwise the first row
     without an answer is tried again in that way, and those after it are sent
     again. Time-outs are believed at once: trying again would cost as long.
   - An answer too many would shift all that follow. Therefore the first answer
     of a process is held until it has been silent for a moment, and a batch
     that ends with an answer left over is run again, a process for each row,
     whose output is read to the end. What escapes this is found when the
     program ends (bnre__dialogue_settle).

   Nor may it depend on the pieces in which the pipe hands an answer over: a
   line is judged when it is whole, or longer than any answer may be. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/number.h"
#include "task/external/external.h"
#include "task/seed.h"

enum {
    WINDOW = 128,         /* requests sent ahead */
    REQUEST_ROOM = 32768, /* bytes of them: below a pipe's capacity */
    READ_ROOM = 65536
};
static const double LEAST_SILENCE = 0.02, MOST_SILENCE = 0.1; /* seconds */
static const double FAREWELL = 0.5; /* to end by itself */
static const double REPORT = 1.0;   /* between its end and the news of it */

struct bnre__dialogue {
    const bnre__simulator *simulator;
    const bnre__external *external;
    char *supervisor; /* path */
    bnre__process process;
    size_t answers; /* of this process */
    size_t handed;  /* of these, in batches that were handed over */
    int closed;     /* its output has ended */
    int drained;    /* nothing more is waiting in its output */
    int doubtful;   /* answers may have gone to other rows */
    bnre__text request;
    size_t written; /* of the request text */
    char *input;    /* (room): bytes begin..end-1 are not yet understood */
    size_t begin, end, room;
    size_t searched; /* up to here there is no line end */
    size_t longest;  /* an answer may be, without its line end */
    double *value;   /* (external->dim) */
    double *x;       /* (x_size) */
    bnre__tail tail;
};

/* How far a batch has got. */
struct progress {
    const bnre__batch *batch;
    size_t answered, sent; /* rows below: answered, sent to this process */
    size_t first;          /* row of the batch that this process answered */
    int careful;           /* a process for each row, up to its end */
    double since;          /* when the row in turn began */
};

void bnre__dialogue_close(bnre__dialogue *dialogue)
{
    if (dialogue == NULL)
        return;
    bnre__process_stop(&dialogue->process, FAREWELL);
    bnre__free(dialogue->supervisor);
    bnre__free(dialogue->x);
    bnre__free(dialogue->value);
    bnre__free(dialogue->input);
    bnre__free(dialogue->request.data);
    bnre__free(dialogue);
}

bnre_status bnre__dialogue_open(const bnre__simulator *simulator,
                                bnre__dialogue **out)
{
    static const bnre__process none = BNRE__PROCESS_NONE;
    bnre_status status = BNRE_OK;
    const bnre__external *external = simulator->self;
    bnre__dialogue *dialogue = NULL;

    *out = NULL;
    BNRE_NEW(dialogue, 1);
    dialogue->simulator = simulator;
    dialogue->external = external;
    dialogue->process = none;
    dialogue->longest =
        external->reply == BNRE__REPLY_TEXT
            ? 4096 + 64 * simulator->x_size
            : bnre__answer_bytes(external->reply, simulator->x_size);
    dialogue->room = dialogue->longest + READ_ROOM;
    BNRE_TRY(bnre__supervisor_find(&dialogue->supervisor));
    BNRE_NEW(dialogue->input, dialogue->room);
    BNRE_NEW(dialogue->value, external->dim);
    BNRE_NEW(dialogue->x, simulator->x_size);
    *out = dialogue;
    dialogue = NULL;
done:
    bnre__dialogue_close(dialogue);
    return status;
}

static void clear_input(bnre__dialogue *dialogue)
{
    dialogue->begin = dialogue->end = dialogue->searched = 0;
}

static void end_process(bnre__dialogue *dialogue)
{
    bnre__process_stop(&dialogue->process, 0);
    clear_input(dialogue);
}

static bnre_status start_process(bnre__dialogue *dialogue,
                                 struct progress *progress)
{
    const bnre__external *external = dialogue->external;
    const bnre__program program = {
        .supervisor = dialogue->supervisor,
        .directory = external->directory,
        .talks = 1,
        .argv = external->argv,
    };

    BNRE_DO(bnre__process_start(&dialogue->process, &program));
    dialogue->answers = dialogue->handed = 0;
    dialogue->closed = dialogue->drained = 0;
    dialogue->request.length = dialogue->written = 0;
    clear_input(dialogue);
    bnre__tail_clear(&dialogue->tail);
    progress->sent = progress->first = progress->answered;
    return BNRE_OK;
}

/* ---- sending ---- */

bnre_status bnre__dialogue_request(uint32_t seed, size_t n, const double *value,
                                   bnre__text *out)
{
    BNRE_DO(bnre__text_add(out, "%lu", (unsigned long)seed));
    for (size_t i = 0; i < n; i++) {
        char number[BNRE__NUMBER_ROOM];

        bnre__number_format(value[i], number);
        BNRE_DO(bnre__text_add(out, " %s", number));
    }
    return bnre__text_add(out, "\n");
}

/* Raw answers have no ends that would show a missing byte, so that only one may
   be under way. */
static int works_singly(const bnre__dialogue *dialogue)
{
    return dialogue->external->reply != BNRE__REPLY_TEXT;
}

static bnre_status queue_requests(bnre__dialogue *dialogue,
                                  struct progress *progress)
{
    const bnre__batch *batch = progress->batch;
    const size_t window =
        dialogue->answers == 0 || progress->careful || works_singly(dialogue)
            ? 1
            : WINDOW;

    if (dialogue->written == dialogue->request.length)
        dialogue->request.length = dialogue->written = 0;
    /* Many at a time, so that both sides read and write in large pieces. */
    if (progress->sent - progress->answered > window / 2)
        return BNRE_OK;
    while (progress->sent < batch->n &&
           progress->sent - progress->answered < window &&
           dialogue->request.length < REQUEST_ROOM) {
        const size_t i = progress->sent;

        bnre__external_values(dialogue->simulator, batch, i, dialogue->value);
        BNRE_DO(bnre__dialogue_request(
            bnre__program_seed(batch->seed, batch->split, batch->row + i),
            dialogue->external->dim, dialogue->value, &dialogue->request));
        if (progress->sent++ == progress->answered)
            progress->since = bnre__clock();
    }
    return BNRE_OK;
}

static void write_requests(bnre__dialogue *dialogue)
{
    ssize_t done = write(dialogue->process.input,
                         dialogue->request.data + dialogue->written,
                         dialogue->request.length - dialogue->written);

    if (done > 0)
        dialogue->written += (size_t)done;
}

/* ---- receiving ---- */

static int has_input(const bnre__dialogue *dialogue)
{
    return dialogue->begin < dialogue->end;
}

static void read_output(bnre__dialogue *dialogue)
{
    size_t room;
    ssize_t got;

    if (dialogue->closed)
        return;
    if (dialogue->begin > 0) {
        dialogue->end -= dialogue->begin;
        dialogue->searched -= dialogue->begin;
        memmove(dialogue->input, dialogue->input + dialogue->begin,
                dialogue->end);
        dialogue->begin = 0;
    }
    room = dialogue->room - dialogue->end;
    if (room == 0)
        return;
    got = read(dialogue->process.output, dialogue->input + dialogue->end, room);
    if (got > 0)
        dialogue->end += (size_t)got;
    dialogue->closed = got == 0;
    /* A pipe gives all it has. */
    dialogue->drained = got < 0 ? errno != EINTR : (size_t)got < room;
}

static int wait_milliseconds(double seconds)
{
    if (seconds <= 0)
        return 0;
    return seconds > 3600 ? 3600000 : (int)(seconds * 1e3) + 1;
}

/* Sleep until something can be done, at most until the clock shows `until`;
   then do it. */
static void exchange(bnre__dialogue *dialogue, double until)
{
    bnre__process *process = &dialogue->process;
    const int pending = dialogue->written < dialogue->request.length;
    /* poll() skips descriptors below 0. */
    struct pollfd fd[4] = {
        {.fd = process->report, .events = POLLIN},
        {.fd = dialogue->closed ? -1 : process->output, .events = POLLIN},
        {.fd = process->diagnostics, .events = POLLIN},
        {.fd = pending ? process->input : -1, .events = POLLOUT},
    };

    if (dialogue->end - dialogue->begin == dialogue->room)
        fd[1].fd = -1;
    if (poll(fd, 4, wait_milliseconds(until - bnre__clock())) <= 0)
        return;
    if (fd[3].revents != 0)
        write_requests(dialogue);
    if (fd[2].revents != 0)
        bnre__external_listen(dialogue->external, process, &dialogue->tail);
    if (fd[0].revents != 0)
        bnre__process_look(process);
    /* All that a program wrote before its end was there before the report of
       it. */
    if (fd[1].revents != 0 || process->ended)
        read_output(dialogue);
}

/* The bytes of the next answer without its line end; 0 if more are needed to
   judge it. Beyond `longest` nothing that comes can make an answer of it. */
static int find_answer(bnre__dialogue *dialogue, size_t *length,
                       size_t *with_end)
{
    const char *newline;

    if (dialogue->external->reply != BNRE__REPLY_TEXT) {
        *length = *with_end = dialogue->longest;
        return dialogue->end - dialogue->begin >= dialogue->longest;
    }
    newline = memchr(dialogue->input + dialogue->searched, '\n',
                     dialogue->end - dialogue->searched);
    if (newline == NULL) {
        dialogue->searched = dialogue->end;
        *length = *with_end = dialogue->end - dialogue->begin;
        return *length > dialogue->longest;
    }
    *with_end = (size_t)(newline - dialogue->input) + 1 - dialogue->begin;
    *length = *with_end - 1;
    dialogue->searched = dialogue->begin;
    return 1;
}

static void drop_answer(bnre__dialogue *dialogue, size_t with_end)
{
    dialogue->begin += with_end;
    dialogue->searched = dialogue->begin;
}

static bnre__answer understand(bnre__dialogue *dialogue, size_t length,
                               char reason[BNRE_REASON_SIZE])
{
    const size_t n = dialogue->simulator->x_size;
    const char *answer = dialogue->input + dialogue->begin;

    if (dialogue->external->reply != BNRE__REPLY_TEXT) {
        bnre__answer_decode(dialogue->external->reply, answer, n, dialogue->x);
        return BNRE__ANSWER_NUMBERS;
    }
    if (length > dialogue->longest) {
        snprintf(reason, BNRE_REASON_SIZE,
                 "a line of the answer is longer than %zu bytes",
                 dialogue->longest);
        return BNRE__ANSWER_GARBAGE;
    }
    return bnre__answer_read(answer, length, n, dialogue->x, reason);
}

/* No more bytes can come. */
static int is_over(const bnre__dialogue *dialogue)
{
    return dialogue->closed || (dialogue->process.ended && dialogue->drained);
}

/* Whether the bytes left over may be an answer. A line under way is heard to
   its end, for a moment, or its first half would be taken for one. */
static int holds_answer(bnre__dialogue *dialogue)
{
    const double until = bnre__clock() + FAREWELL;
    char reason[BNRE_REASON_SIZE];
    size_t length, with_end;

    if (works_singly(dialogue) || !has_input(dialogue))
        return has_input(dialogue);
    while (!find_answer(dialogue, &length, &with_end)) {
        if (is_over(dialogue) || bnre__clock() >= until)
            return 1;
        exchange(dialogue, until);
    }
    return understand(dialogue, length, reason) != BNRE__ANSWER_GARBAGE;
}

/* Listen until something comes, or the program has ended, or time is over.
   Returns whether something came. */
static int speaks_until(bnre__dialogue *dialogue, double until)
{
    while (!has_input(dialogue) &&
           !(dialogue->process.ended && dialogue->drained) &&
           bnre__clock() < until)
        exchange(dialogue, until);
    return has_input(dialogue);
}

/* Whether the program says more than the answer that was just taken, the first
   of its life or, if there are doubts, the last. */
static int says_more(bnre__dialogue *dialogue, const struct progress *progress)
{
    const double now = bnre__clock();
    double silence = now - progress->since;

    if (progress->careful) {
        bnre__process_close_input(&dialogue->process);
        return speaks_until(dialogue, now + FAREWELL);
    }
    if (dialogue->answers > 0)
        return works_singly(dialogue) && has_input(dialogue);
    /* As long as the answer took: where all is slow, so is the next. */
    if (silence < LEAST_SILENCE)
        silence = LEAST_SILENCE;
    if (silence > MOST_SILENCE)
        silence = MOST_SILENCE;
    return speaks_until(dialogue, now + silence);
}

/* ---- what became of rows ---- */

static bnre_status finish_row(bnre__dialogue *dialogue,
                              struct progress *progress)
{
    const size_t i = progress->answered++;

    progress->since = bnre__clock();
    return bnre__external_finish(dialogue->simulator, progress->batch, i);
}

/* The process is of no more use, and the row in turn has no answer. */
static bnre_status lose(bnre__dialogue *dialogue, struct progress *progress,
                        const char *reason, int certain)
{
    const bnre__batch *batch = progress->batch;
    const size_t i = progress->answered;
    const int blame = certain || dialogue->answers == 0;

    end_process(dialogue);
    if (!blame) {
        progress->sent = i;
        return BNRE_OK;
    }
    snprintf(batch->reason[i], BNRE_REASON_SIZE, "%s", reason);
    bnre__batch_fail(batch, i, dialogue->simulator->x_size, BNRE_DRAW_LOST);
    progress->sent = i + 1;
    return finish_row(dialogue, progress);
}

static bnre_status take_answers(bnre__dialogue *dialogue,
                                struct progress *progress)
{
    const bnre__batch *batch = progress->batch;
    const size_t x_size = dialogue->simulator->x_size;
    size_t length, with_end;

    while (progress->answered < progress->sent) {
        const size_t i = progress->answered;
        char reason[BNRE_REASON_SIZE];
        bnre__answer answer;

        if (!find_answer(dialogue, &length, &with_end))
            break;
        answer = understand(dialogue, length, reason);
        if (answer == BNRE__ANSWER_GARBAGE)
            return lose(dialogue, progress, reason, 0);
        drop_answer(dialogue, with_end);
        if (says_more(dialogue, progress))
            return lose(dialogue, progress,
                        "answered more than it was asked for", 0);
        dialogue->answers++;
        if (answer == BNRE__ANSWER_NUMBERS) {
            bnre__batch_store(batch, i, x_size, dialogue->x);
        } else {
            snprintf(batch->reason[i], BNRE_REASON_SIZE, "%s", reason);
            bnre__batch_fail(batch, i, x_size, BNRE_DRAW_INVALID);
        }
        if (progress->careful)
            end_process(dialogue);
        BNRE_DO(finish_row(dialogue, progress));
    }
    return BNRE_OK;
}

static bnre_status fail_chatter(bnre__dialogue *dialogue)
{
    dialogue->doubtful = 1;
    return bnre_fail(BNRE_ESIM,
                     "the simulator %s answers more than it is asked for, so "
                     "that answers and parameters do not belong together: it "
                     "must print one line for each line it reads, and nothing "
                     "else",
                     dialogue->external->argv[0]);
}

/* Bytes that nobody asked for: if they may be an answer, those before may have
   been shifted, in this batch, where that can be mended, or in earlier ones. */
static bnre_status doubt(bnre__dialogue *dialogue, struct progress *progress)
{
    const int shifted = holds_answer(dialogue);

    end_process(dialogue);
    if (!shifted)
        return BNRE_OK;
    if (dialogue->handed > 0)
        return fail_chatter(dialogue);
    progress->answered = progress->sent = progress->first;
    progress->careful = 1;
    return BNRE_OK;
}

/* Why no answer can come any more. The output of a program that ends is closed
   before its end is known. */
static bnre_status explain_end(bnre__dialogue *dialogue,
                               char reason[BNRE_REASON_SIZE])
{
    bnre__process *process = &dialogue->process;
    const double until = bnre__clock() + REPORT;

    while (!process->ended && bnre__clock() < until)
        exchange(dialogue, until);
    if (!process->ended) {
        snprintf(reason, BNRE_REASON_SIZE, "closed its output");
        return BNRE_OK;
    }
    bnre__external_listen(dialogue->external, process, &dialogue->tail);
    bnre__process_tell(process, bnre__tail_line(&dialogue->tail), reason);
    return bnre__process_check_start(process, dialogue->external->argv[0]);
}

/* See to a process that ended, fell silent or says too much. */
static bnre_status check(bnre__dialogue *dialogue, struct progress *progress)
{
    const double timeout = dialogue->external->timeout;
    const int waiting = progress->answered < progress->sent;
    const int over = is_over(dialogue);
    char reason[BNRE_REASON_SIZE] = "";

    if (dialogue->process.pid == 0)
        return BNRE_OK;
    if (progress->answered == progress->batch->n)
        read_output(dialogue);
    if (!waiting && has_input(dialogue)) {
        BNRE_DO(doubt(dialogue, progress));
    } else if (over && waiting) {
        if (dialogue->answers == 0) /* else the row is tried again */
            BNRE_DO(explain_end(dialogue, reason));
        BNRE_DO(lose(dialogue, progress, reason, 0));
    } else if (over) {
        end_process(dialogue);
    } else if (waiting && bnre__clock() - progress->since >= timeout) {
        snprintf(reason, sizeof reason, "timed out after %g s%s", timeout,
                 has_input(dialogue) ? " in the middle of an answer" : "");
        BNRE_DO(lose(dialogue, progress, reason, 1));
    }
    return BNRE_OK;
}

/* Between batches nothing may come. */
static bnre_status check_idle(bnre__dialogue *dialogue)
{
    if (dialogue->process.pid == 0)
        return BNRE_OK;
    exchange(dialogue, 0);
    if (holds_answer(dialogue))
        BNRE_DO(fail_chatter(dialogue));
    if (has_input(dialogue) || dialogue->closed || dialogue->process.ended)
        end_process(dialogue);
    return BNRE_OK;
}

bnre_status bnre__dialogue_run(bnre__dialogue *dialogue,
                               const bnre__batch *batch)
{
    bnre_status status = BNRE_OK;
    struct progress progress = {.batch = batch};

    BNRE_TRY(check_idle(dialogue));
    dialogue->handed = dialogue->answers;
    while (progress.answered < batch->n) {
        if (dialogue->process.pid == 0)
            BNRE_TRY(start_process(dialogue, &progress));
        BNRE_TRY(queue_requests(dialogue, &progress));
        exchange(dialogue, progress.since + dialogue->external->timeout);
        BNRE_TRY(take_answers(dialogue, &progress));
        BNRE_TRY(check(dialogue, &progress));
    }
done:
    if (status != BNRE_OK)
        end_process(dialogue);
    return status;
}

bnre_status bnre__dialogue_settle(bnre__dialogue *dialogue)
{
    bnre_status status = BNRE_OK;

    if (dialogue->doubtful)
        return fail_chatter(dialogue);
    if (dialogue->process.pid == 0)
        return BNRE_OK;
    bnre__process_close_input(&dialogue->process);
    if (speaks_until(dialogue, bnre__clock() + FAREWELL) &&
        holds_answer(dialogue))
        status = fail_chatter(dialogue);
    end_process(dialogue);
    return status;
}
