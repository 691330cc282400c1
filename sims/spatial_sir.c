/* spatial_sir.c - an epidemic on a square lattice.

   Cells are susceptible, infected or recovered. In a step, all cells at once,
   a susceptible cell with n infected among its eight neighbours becomes
   infected with probability n beta / 8, and an infected one recovers with
   probability gamma. A cell that recovers stays infected, and infects, for one
   more step: for that step it is in both states. Nothing lives outside the
   borders. It begins with 1 + Poisson(3) infections at random cells, which may
   coincide, and ends after `steps` steps or when nobody is infected. The same
   stream gives the same epidemic whatever `steps` is.

   Only cells that can change cost a random number:
   - 64 cells are the bits of a word, so that logical operations count the
     infected neighbours of all of them at once; a number is drawn for each
     susceptible cell that has some.
   - A cell recovers with the same probability in every step, whatever happens
     around it. So the step of its recovery is drawn when it becomes infected,
     and kept in a list of the cells that recover in that step.

   A step costs some operations for each word from the first infected cell to
   the last, and a random byte for each susceptible cell beside one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sims.h"

enum { WORD = 64, NONE = -1 };

/* Rows follow each other in the words. Each has at least one bit beyond its
   last cell, which stays 0: shifting by one cell never reaches the next row.
   `margin` words of 0 before the first row and after the last spare the loops
   all questions about borders. */
struct lattice {
    size_t grid, steps;
    size_t width;  /* words of a row */
    size_t margin; /* words before the first row */
    size_t words;  /* in all */

    uint64_t *cells;       /* (words): 1 where there is a cell */
    uint64_t *susceptible; /* (words) */
    uint64_t *infected;    /* (words) */
    uint64_t *recovered;   /* (words) */
    uint64_t *ones, *twos; /* (words): infected in a row of three, binary */

    uint64_t infection[9]; /* probability given n neighbours, times 2^64 */
    uint64_t *outlast;     /* (steps): P(ill for more than k steps), likewise */
    int32_t *due;          /* (steps): first cell to recover, or NONE */
    int32_t *next;         /* (words * WORD): the one after a cell */
};

static void destroy_lattice(void *state)
{
    struct lattice *s = state;

    if (s == NULL)
        return;
    free(s->cells);
    free(s->outlast);
    free(s->due);
    free(s->next);
    free(s);
}

/* All arrays of words in one block, which `cells` owns. */
static int allocate(struct lattice *s)
{
    uint64_t *block = calloc(6 * s->words, sizeof *block);

    s->cells = block;
    s->outlast = calloc(s->steps + 1, sizeof *s->outlast);
    s->due = calloc(s->steps + 1, sizeof *s->due);
    s->next = calloc(s->words * WORD, sizeof *s->next);
    if (block == NULL || s->outlast == NULL || s->due == NULL ||
        s->next == NULL)
        return 0;
    s->susceptible = block + s->words;
    s->infected = block + 2 * s->words;
    s->recovered = block + 3 * s->words;
    s->ones = block + 4 * s->words;
    s->twos = block + 5 * s->words;
    return 1;
}

/* The place of a cell as an index of bits. */
static size_t place(const struct lattice *s, size_t row, size_t column)
{
    return (s->margin + row * s->width) * WORD + column;
}

static void set(uint64_t *bits, size_t at)
{
    bits[at / WORD] |= (uint64_t)1 << at % WORD;
}

static int is_set(const uint64_t *bits, size_t at)
{
    return bits[at / WORD] >> at % WORD & 1;
}

static bnre_draw create_lattice(const bnre_plugin_value *options, void **state,
                                char *reason)
{
    struct lattice *s = NULL;

    *state = NULL;
    if (options[1].number != floor(options[1].number)) {
        snprintf(reason, BNRE_REASON_SIZE, "steps has to be a whole number");
        return BNRE_DRAW_STOP;
    }
    s = calloc(1, sizeof *s);
    if (s == NULL)
        goto no_memory;
    s->grid = (size_t)options[0].number;
    s->steps = (size_t)options[1].number;
    s->width = s->grid / WORD + 1;
    s->margin = 2 * s->width + 2; /* how far spread() looks */
    s->words = s->grid * s->width + 2 * s->margin;
    if (!allocate(s))
        goto no_memory;
    for (size_t row = 0; row < s->grid; row++) {
        for (size_t column = 0; column < s->grid; column++)
            set(s->cells, place(s, row, column));
    }
    *state = s;
    return BNRE_DRAW_OK;

no_memory:
    destroy_lattice(s);
    snprintf(reason, BNRE_REASON_SIZE, "no memory for the lattice");
    return BNRE_DRAW_STOP;
}

/* p as a threshold t: a uniform 64-bit number is below t with probability p to
   within 2^-64. Beyond [0, 1], never and always. */
static uint64_t threshold(double p)
{
    if (!(p > 0))
        return 0;
    return p < 1 ? (uint64_t)(p * 0x1p64) : UINT64_MAX;
}

/* Whether a uniform 64-bit number that begins with this byte is below t. Most
   often the byte tells; if not, the rest is drawn. */
static int is_below(bnre_rng *rng, uint32_t byte, uint64_t t)
{
    if (byte == t >> 56)
        return bnre_rng_u64(rng) < t << 8;
    return byte < t >> 56;
}

/* Note when a cell that can recover from step `from` on will do so: after k
   more steps with probability gamma (1 - gamma)^k. So k is how many entries of
   `outlast`, which fall, lie above a uniform number. */
static void plan_recovery(struct lattice *s, bnre_rng *rng, size_t from,
                          size_t cell)
{
    const uint64_t u = bnre_rng_u64(rng);
    const size_t steps = s->steps - from;
    size_t k = 0;

    while (k + 8 <= steps && u < s->outlast[k + 7])
        k += 8;
    while (k < steps && u < s->outlast[k])
        k++;
    if (k == steps)
        return;
    s->next[cell] = s->due[from + k];
    s->due[from + k] = (int32_t)cell;
}

static void begin(struct lattice *s, bnre_rng *rng, const double *theta)
{
    const size_t size = s->words * sizeof *s->cells;
    const double stay = theta[1] < 1 ? 1 - theta[1] : 0;
    double outlast = 1;

    for (int n = 0; n <= 8; n++)
        s->infection[n] = threshold(n * theta[0] / 8);
    for (size_t k = 0; k < s->steps; k++) {
        outlast *= stay;
        s->outlast[k] = threshold(outlast);
        s->due[k] = NONE;
    }
    memcpy(s->susceptible, s->cells, size);
    memset(s->infected, 0, size);
    memset(s->recovered, 0, size);
    for (uint64_t n = 1 + bnre_rng_poisson(rng, 3); n > 0; n--) {
        size_t cell = (size_t)bnre_rng_below(rng, s->grid * s->grid);
        size_t at = place(s, cell / s->grid, cell % s->grid);

        if (is_set(s->infected, at))
            continue;
        set(s->infected, at);
        plan_recovery(s, rng, 0, at);
    }
    for (size_t w = 0; w < s->words; w++)
        s->susceptible[w] &= ~s->infected[w];
}

/* Three bits a cell are added: *sum + 2 *carry. */
static void add(uint64_t a, uint64_t b, uint64_t c, uint64_t *sum,
                uint64_t *carry)
{
    uint64_t half = a ^ b;

    *sum = half ^ c;
    *carry = (a & b) | (half & c);
}

/* Infect cells of word w: the threes of infected cells centred above, on and
   below a cell make up its neighbourhood (its own bit is 0 as long as it is
   susceptible). Returns the cells that caught it. */
static uint64_t infect(const struct lattice *s, bnre_rng *rng, size_t w)
{
    const uint64_t *ones = s->ones + w, *twos = s->twos + w;
    const size_t up = s->width;
    uint64_t n0, n1, n2, n3, twos0, twos1, fours, caught = 0;
    uint32_t bytes = 0; /* random ones, of which some are not yet used */
    int unused = 0;

    add(*(ones - up), *ones, ones[up], &n0, &twos0);
    add(*(twos - up), *twos, twos[up], &twos1, &fours);
    n1 = twos0 ^ twos1;
    n2 = (twos0 & twos1) ^ fours;
    n3 = twos0 & twos1 & fours;
    for (uint64_t left = s->susceptible[w] & (n0 | n1 | n2 | n3); left != 0;
         left &= left - 1) {
        int i = __builtin_ctzll(left);
        uint64_t n = (n0 >> i & 1) | (n1 >> i & 1) << 1 | (n2 >> i & 1) << 2 |
                     (n3 >> i & 1) << 3;

        if (unused-- == 0) {
            bytes = bnre_rng_u32(rng);
            unused = 3;
        }
        caught |= (uint64_t)is_below(rng, bytes & 255, s->infection[n]) << i;
        bytes >>= 8;
    }
    return caught;
}

/* One step; all infected cells lie in the words [first, last). */
static void spread(struct lattice *s, bnre_rng *rng, size_t step, size_t first,
                   size_t last)
{
    const size_t reach = s->width + 1;

    for (size_t w = first - 2 * reach + 1; w < last + 2 * reach - 1; w++) {
        const uint64_t *i = s->infected + w;

        add(*i << 1 | *(i - 1) >> 63, *i, *i >> 1 | *(i + 1) << 63, &s->ones[w],
            &s->twos[w]);
    }
    for (size_t w = first - reach; w < last + reach; w++) {
        uint64_t caught = s->susceptible[w] ? infect(s, rng, w) : 0;

        for (uint64_t left = caught; left != 0; left &= left - 1)
            plan_recovery(s, rng, step + 1,
                          w * WORD + (size_t)__builtin_ctzll(left));
        s->susceptible[w] &= ~caught;
        s->infected[w] = (s->infected[w] | caught) & ~s->recovered[w];
    }
    for (int32_t cell = s->due[step]; cell != NONE; cell = s->next[cell])
        set(s->recovered, (size_t)cell);
}

static void run(struct lattice *s, bnre_rng *rng)
{
    size_t first = s->margin, last = s->words - s->margin;

    for (size_t step = 0; step < s->steps; step++) {
        while (first < last && s->infected[first] == 0)
            first++;
        while (first < last && s->infected[last - 1] == 0)
            last--;
        if (first == last)
            return;
        spread(s, rng, step, first, last);
        first -= s->width + 1;
        last += s->width + 1;
    }
}

/* Most cells are susceptible in most simulations: only the others are set. */
static void observe(const struct lattice *s, double *x)
{
    const size_t area = s->grid * s->grid;

    for (size_t i = 0; i < area; i++)
        x[i] = 1;
    memset(x + area, 0, 2 * area * sizeof *x);
    for (size_t row = 0; row < s->grid; row++) {
        for (size_t w = 0; w < s->width; w++) {
            size_t from = s->margin + row * s->width + w;
            uint64_t infected = s->infected[from];
            uint64_t recovered = s->recovered[from];
            double *cell = x + row * s->grid + w * WORD;

            for (uint64_t left = infected | recovered; left != 0;
                 left &= left - 1) {
                int i = __builtin_ctzll(left);

                cell[i] = 0;
                cell[area + (size_t)i] = (double)(int)(infected >> i & 1);
                cell[2 * area + (size_t)i] = (double)(int)(recovered >> i & 1);
            }
        }
    }
}

static bnre_draw draw_epidemic(void *state, bnre_rng *rng, const double *theta,
                               const double *nuisance, double *x, char *reason)
{
    (void)nuisance;
    (void)reason;
    begin(state, rng, theta);
    run(state, rng);
    observe(state, x);
    return BNRE_DRAW_OK;
}

const bnre_plugin bnre_sim_spatial_sir = {
    .abi = BNRE_PLUGIN_ABI,
    .name = "spatial_sir",
    .title = "a snapshot of an epidemic on a lattice; infer its two rates",
    .reference = "Hermans, Delaunoy, Rozet, Wehenkel, Louppe, A Trust Crisis "
                 "in Simulation-Based Inference?, 2022",
    .parameters =
        (const bnre_plugin_parameter[]){
            {"infection", "uniform(0, 1)", NULL},
            {"recovery", "uniform(0, 1)", NULL},
            {0},
        },
    .options =
        (const bnre_plugin_option[]){
            {"grid", "50", "[2, 1000]", "rows and columns of the lattice"},
            {"steps", "100", "[0, 10000]", "steps until it is observed"},
            {0},
        },
    .observable = "3, grid, grid",
    .create = create_lattice,
    .draw = draw_epidemic,
    .destroy = destroy_lattice,
};
