/* constraint.c - conditions such as "m1 + m2 <= 3": parsed into a short
   postfix program, then run on each draw. */
#include "prior/constraint.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"

/* Reverse Polish: operands push, operators pop. Comparisons keep their right
   side on the stack for the next one of a chain, and end the evaluation when
   they do not hold. */
enum op {
    NUMBER,
    NAME,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    NEGATE,
    ABS,
    EXP,
    LOG,
    SQRT,
    LESS,
    LESS_EQUAL,
    GREATER,
    GREATER_EQUAL
};

enum { DEEPEST = 32 }; /* values on the stack, and open brackets */

struct step {
    enum op op;
    size_t index; /* of a name */
    double value; /* of a number */
};

struct bnre__constraint {
    size_t n, room;
    struct step *step;
};

struct parser {
    const char *text, *at;
    size_t n;
    const char *const *name;
    bnre__constraint *to;
    size_t depth; /* brackets and signs being inside of */
    size_t stack; /* values that will be there when this point is reached */
};

static bnre_status expected(const struct parser *p, const char *what)
{
    return bnre_fail(BNRE_EUSAGE,
                     "constraint \"%s\": at column %zu: expected %s", p->text,
                     (size_t)(p->at - p->text) + 1, what);
}

static void skip_blanks(struct parser *p)
{
    p->at += strspn(p->at, " \t");
}

static int accept(struct parser *p, const char *token)
{
    skip_blanks(p);
    if (strncmp(p->at, token, strlen(token)) != 0)
        return 0;
    p->at += strlen(token);
    return 1;
}

static bnre_status emit(struct parser *p, struct step step)
{
    bnre_status status = BNRE_OK;
    bnre__constraint *to = p->to;

    if (step.op == NUMBER || step.op == NAME) {
        if (++p->stack > DEEPEST)
            return expected(p, "a shorter expression");
    } else if (step.op >= ADD && step.op <= DIVIDE) {
        p->stack--;
    }
    BNRE_GROW(to->step, to->room, to->n + 1);
    to->step[to->n++] = step;
done:
    return status;
}

static bnre_status parse_sum(struct parser *p);

static const char *name_word(const void *parser, size_t i)
{
    const struct parser *p = parser;

    return i < p->n ? p->name[i] : NULL;
}

/* A parameter, or a function with its argument. */
static bnre_status parse_word(struct parser *p)
{
    static const struct {
        const char *name;
        enum op op;
    } functions[] = {{"abs", ABS}, {"exp", EXP}, {"log", LOG}, {"sqrt", SQRT}};
    const char *start = p->at, *nearest;
    size_t length = 0;
    char word[64];

    while (isalnum((unsigned char)start[length]) || start[length] == '_')
        length++;
    for (size_t i = 0; i < p->n; i++)
        if (strlen(p->name[i]) == length &&
            strncmp(p->name[i], start, length) == 0) {
            p->at += length;
            return emit(p, (struct step){.op = NAME, .index = i});
        }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strlen(functions[i].name) != length ||
            strncmp(functions[i].name, start, length) != 0)
            continue;
        p->at += length;
        if (!accept(p, "("))
            return expected(p, "'(' after the function's name");
        BNRE_DO(parse_sum(p));
        if (!accept(p, ")"))
            return expected(p, "')'");
        return emit(p, (struct step){.op = functions[i].op});
    }
    if (length >= sizeof word)
        return expected(p, "the name of a parameter");
    memcpy(word, start, length);
    word[length] = 0;
    nearest = bnre__text_nearest(word, name_word, p);
    return bnre_fail(BNRE_EUSAGE,
                     "constraint \"%s\": at column %zu: \"%s\" is no "
                     "parameter%s%s%s",
                     p->text, (size_t)(start - p->text) + 1, word,
                     nearest ? ": did you mean \"" : "", nearest ? nearest : "",
                     nearest ? "\"?" : "");
    return BNRE_OK;
}

static bnre_status parse_factor(struct parser *p)
{
    if (++p->depth > DEEPEST)
        return expected(p, "fewer brackets");
    skip_blanks(p);
    if (accept(p, "-")) {
        BNRE_DO(parse_factor(p));
        BNRE_DO(emit(p, (struct step){.op = NEGATE}));
    } else if (accept(p, "(")) {
        BNRE_DO(parse_sum(p));
        if (!accept(p, ")"))
            BNRE_DO(expected(p, "')'"));
    } else if (isdigit((unsigned char)*p->at) || *p->at == '.') {
        double value = 0;
        const char *end =
            bnre__number_scan(p->at, p->at + strlen(p->at), &value);

        if (end == NULL)
            BNRE_DO(expected(p, "a number"));
        p->at = end;
        BNRE_DO(emit(p, (struct step){.op = NUMBER, .value = value}));
    } else if (isalpha((unsigned char)*p->at) || *p->at == '_') {
        BNRE_DO(parse_word(p));
    } else {
        BNRE_DO(expected(p, "a parameter, a number or '('"));
    }
    p->depth--;
    return BNRE_OK;
}

static bnre_status parse_product(struct parser *p)
{
    BNRE_DO(parse_factor(p));
    for (;;) {
        enum op op;

        if (accept(p, "*"))
            op = MULTIPLY;
        else if (accept(p, "/"))
            op = DIVIDE;
        else
            break;
        BNRE_DO(parse_factor(p));
        BNRE_DO(emit(p, (struct step){.op = op}));
    }
    return BNRE_OK;
}

static bnre_status parse_sum(struct parser *p)
{
    BNRE_DO(parse_product(p));
    for (;;) {
        enum op op;

        if (accept(p, "+"))
            op = ADD;
        else if (accept(p, "-"))
            op = SUBTRACT;
        else
            break;
        BNRE_DO(parse_product(p));
        BNRE_DO(emit(p, (struct step){.op = op}));
    }
    return BNRE_OK;
}

/* Whether a comparison comes next; it is taken. */
static int accept_comparison(struct parser *p, enum op *op)
{
    if (accept(p, "<="))
        *op = LESS_EQUAL;
    else if (accept(p, ">="))
        *op = GREATER_EQUAL;
    else if (accept(p, "<"))
        *op = LESS;
    else if (accept(p, ">"))
        *op = GREATER;
    else
        return 0;
    return 1;
}

bnre_status bnre__constraint_create(const char *text, size_t n,
                                    const char *const *name,
                                    bnre__constraint **out)
{
    bnre_status status = BNRE_OK;
    bnre__constraint *constraint = NULL;
    struct parser p = {.text = text, .at = text, .n = n, .name = name};
    enum op op;

    *out = NULL;
    BNRE_NEW(constraint, 1);
    p.to = constraint;
    BNRE_TRY(parse_sum(&p));
    if (!accept_comparison(&p, &op))
        BNRE_TRY(expected(&p, "<, <=, > or >="));
    do {
        BNRE_TRY(parse_sum(&p));
        BNRE_TRY(emit(&p, (struct step){.op = op}));
    } while (accept_comparison(&p, &op));
    if (*p.at != 0)
        BNRE_TRY(expected(&p, "an operator or the end"));
    *out = constraint;
    constraint = NULL;
done:
    bnre__constraint_destroy(constraint);
    return status;
}

void bnre__constraint_destroy(bnre__constraint *constraint)
{
    if (constraint == NULL)
        return;
    bnre__free(constraint->step);
    bnre__free(constraint);
}

static double apply(enum op op, double a, double b)
{
    switch (op) {
    case ADD:
        return a + b;
    case SUBTRACT:
        return a - b;
    case MULTIPLY:
        return a * b;
    case DIVIDE:
        return a / b;
    case NEGATE:
        return -b;
    case ABS:
        return fabs(b);
    case EXP:
        return exp(b);
    case LOG:
        return log(b);
    case SQRT:
        return sqrt(b);
    default:
        return NAN;
    }
}

static int compare(enum op op, double a, double b)
{
    switch (op) {
    case LESS:
        return a < b;
    case LESS_EQUAL:
        return a <= b;
    case GREATER:
        return a > b;
    default:
        return a >= b;
    }
}

int bnre__constraint_holds(const bnre__constraint *constraint,
                           const double *theta)
{
    double stack[DEEPEST + 1] = {0};
    size_t top = 0; /* the last value is stack[top]; stack[0] is never one */

    for (size_t i = 0; i < constraint->n; i++) {
        const struct step *step = &constraint->step[i];

        if (step->op == NUMBER) {
            stack[++top] = step->value;
        } else if (step->op == NAME) {
            stack[++top] = theta[step->index];
        } else if (step->op >= LESS) {
            if (!compare(step->op, stack[top - 1], stack[top]))
                return 0;
        } else if (step->op >= NEGATE) {
            stack[top] = apply(step->op, 0, stack[top]);
        } else {
            stack[top - 1] = apply(step->op, stack[top - 1], stack[top]);
            top--;
        }
    }
    return 1;
}

int bnre__constraint_names(const bnre__constraint *constraint, size_t index)
{
    for (size_t i = 0; i < constraint->n; i++)
        if (constraint->step[i].op == NAME &&
            constraint->step[i].index == index)
            return 1;
    return 0;
}

/* A value on the stack that is a parameter or a number. */
struct side {
    size_t index;
    double value;
};

size_t bnre__constraint_orderings(const bnre__constraint *constraint,
                                  size_t most, bnre__ordering *out)
{
    struct side left = {0}, right = {0};
    size_t count = 0;

    for (size_t i = 0; i < constraint->n; i++) {
        const struct step *step = &constraint->step[i];
        const int less = step->op == LESS || step->op == LESS_EQUAL;
        const struct side low = less ? left : right, high = less ? right : left;

        if (step->op == NUMBER || step->op == NAME) {
            left = right;
            right = (struct side){step->op == NAME ? step->index
                                                   : BNRE__NO_PARAMETER,
                                  step->value};
        } else if (step->op == NEGATE && right.index == BNRE__NO_PARAMETER) {
            right.value = -right.value;
        } else if (step->op < LESS) {
            return 0;
        } else {
            if (count < most)
                out[count] = (bnre__ordering){low.index, high.index, low.value,
                                              high.value};
            count++;
        }
    }
    return count;
}
