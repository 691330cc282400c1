/* bulk N M - a simulator with M parameters and N values: all of them the sum of
   the parameters, which a request of many kilobytes has to bring unharmed. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const long n = argc > 1 ? atol(argv[1]) : 1;
    const long m = argc > 2 ? atol(argv[2]) : 1;
    char *line = NULL, *at;
    size_t room = 0;

    while (getline(&line, &room, stdin) > 0) {
        double sum = 0;

        strtoul(line, &at, 10);
        for (long i = 0; i < m; i++)
            sum += strtod(at, &at);
        for (long i = 0; i < n; i++)
            printf("%.17g ", sum);
        printf("\n");
        fflush(stdout);
    }
    free(line);
    return 0;
}
