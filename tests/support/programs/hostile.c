/* hostile MODE [NUMBER] - a simulator of the line protocol that misbehaves.

   A request is `seed a bad`; the right answer is `seed%100000 a 2a`. Rows with
   bad = 1 get the treatment of MODE. The numbers of all its processes are
   appended to the file $HOSTILE_PIDS, so that tests can look for survivors. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "pids.h"

static void hang(void)
{
    for (;;)
        pause();
}

static void answer(unsigned long seed, double a)
{
    printf("%lu %.9g %.9g\n", seed % 100000, a, 2 * a);
    fflush(stdout);
}

static void answer_raw(unsigned long seed, double a, size_t size, size_t n)
{
    const double x[] = {(double)(seed % 100000), a, 2 * a, 0};

    for (size_t i = 0; i < n; i++) {
        float f = (float)x[i];

        fwrite(size == 4 ? (void *)&f : (void *)&x[i], size, 1, stdout);
    }
    fflush(stdout);
}

static void start_child(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        note_pid();
        hang();
    }
}

static void fill(FILE *file, size_t bytes, const char *text)
{
    const size_t length = strlen(text);

    for (size_t i = 0; i < bytes; i += length)
        fputs(text, file);
    fflush(file);
}

/* Write the text in pieces, each after the one before has been read. */
static void write_in_pieces(const char *text, size_t length, size_t piece)
{
    for (size_t i = 0; i < length; i += piece) {
        int waiting = 1;

        while (ioctl(STDOUT_FILENO, FIONREAD, &waiting) == 0 && waiting > 0)
            nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
        if (write(STDOUT_FILENO, text + i,
                  piece < length - i ? piece : length - i) < 0)
            exit(95);
    }
}

/* The right answer, with blanks before it up to a length of `number` bytes and
   the line end. Returns 0 if that is not what the mode asks for. */
static int answer_wide(const char *mode, size_t number, unsigned long seed,
                       double a)
{
    static char text[1 << 20];
    char numbers[128];
    const size_t length = (size_t)snprintf(
        numbers, sizeof numbers, "%lu %.9g %.9g\n", seed % 100000, a, 2 * a);

    if (strncmp(mode, "wide", 4) != 0 || number >= sizeof text)
        return 0;
    memset(text, ' ', number);
    memcpy(text + number + 1 - length, numbers, length);
    write_in_pieces(text, number + 1,
                    strcmp(mode, "wide_pieces") == 0 ? 1000 : number + 1);
    return 1;
}

/* Returns whether there was something to do. */
static int misbehave(const char *mode, unsigned long seed, double a)
{
    if (strcmp(mode, "exit") == 0) {
        fprintf(stderr, "first line\nmatrix is singular\n\n");
        exit(3);
    } else if (strcmp(mode, "signal") == 0) {
        raise(SIGSEGV);
    } else if (strcmp(mode, "sleep") == 0 || strcmp(mode, "stubborn") == 0) {
        hang();
    } else if (strcmp(mode, "stop") == 0) {
        raise(SIGSTOP);
    } else if (strcmp(mode, "half") == 0) {
        printf("1 2");
        fflush(stdout);
        hang();
    } else if (strcmp(mode, "long") == 0) {
        fill(stdout, 10 << 20, "0.125 ");
        printf("\n");
    } else if (strcmp(mode, "junk") == 0) {
        for (int i = 1; i < 2000; i++)
            putchar(i * i * 7 % 256);
        putchar('\n');
    } else if (strcmp(mode, "nan") == 0) {
        printf("1 NaN 2\n");
    } else if (strcmp(mode, "inf") == 0) {
        printf("1 2 -Infinity\n");
    } else if (strcmp(mode, "error") == 0) {
        printf("error no solution at %g\n", a);
    } else if (strcmp(mode, "flood") == 0) {
        fill(stderr, 1 << 20, "a line of complaint about nothing\n");
        answer(seed, a);
    } else if (strcmp(mode, "family") == 0) {
        start_child();
        answer(seed, a);
    } else if (strcmp(mode, "orphan") == 0) {
        start_child();
        exit(0);
    } else if (strcmp(mode, "brood") == 0) {
        start_child();
        hang();
    } else if (strcmp(mode, "twice") == 0) {
        answer(seed, a);
        answer(seed, a);
    } else if (strcmp(mode, "close") == 0) {
        close(STDOUT_FILENO);
        hang();
    } else if (strcmp(mode, "few") == 0) {
        printf("1 2\n");
    } else if (strcmp(mode, "many") == 0) {
        printf("1 2 3 4\n");
    } else if (strcmp(mode, "chatter") == 0) {
        printf("now comes a difficult one\n");
        answer(seed, a);
    } else if (strcmp(mode, "f64_short") == 0) {
        answer_raw(seed, a, 8, 2);
    } else if (strcmp(mode, "f64_long") == 0) {
        answer_raw(seed, a, 8, 4);
    } else {
        return 0;
    }
    fflush(stdout);
    return 1;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "honest";
    const long number = argc > 2 ? atol(argv[2]) : 0;
    unsigned long seed;
    double a, bad;
    char line[512];

    note_pid();
    if (strcmp(mode, "at_once") == 0)
        return (int)number;
    if (strcmp(mode, "early") == 0)
        answer(1, 1);
    if (strcmp(mode, "stubborn") == 0)
        signal(SIGTERM, SIG_IGN);
    if (strcmp(mode, "deaf") == 0) /* does not even end with its input */
        hang();
    for (long answers = 0; fgets(line, sizeof line, stdin) != NULL; answers++) {
        if (strcmp(mode, "mortal") == 0 && answers == number)
            return 0;
        if (sscanf(line, "%lu %lf %lf", &seed, &a, &bad) != 3)
            return 98;
        if (bad > 0.5 && (misbehave(mode, seed, a) ||
                          answer_wide(mode, (size_t)number, seed, a)))
            continue;
        if (strncmp(mode, "f32", 3) == 0)
            answer_raw(seed, a, 4, 3);
        else if (strncmp(mode, "f64", 3) == 0)
            answer_raw(seed, a, 8, 3);
        else
            answer(seed, a);
    }
    if (strcmp(mode, "flood_at_end") == 0)
        fill(stderr, 1 << 20, "a long farewell\n");
    return 0;
}
