#include "output/certificate.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "bnre/settings.h"
#include "bnre/trust_files.h"
#include "io/h5.h"

static const char *text_of(const bnre_node *map, const char *key)
{
    const bnre_node *node = bnre_node_find(map, key);

    return node != NULL && node->kind == BNRE_NODE_TEXT ? node->text : NULL;
}

static double number_of(const char *text)
{
    double value;

    if (text == NULL ||
        bnre__number_scan(text, text + strlen(text), &value) == NULL)
        return NAN;
    return value;
}

static double real_of(const bnre_node *map, const char *key)
{
    return number_of(text_of(map, key));
}

static size_t size_of(const bnre_node *map, const char *key)
{
    const double value = real_of(map, key);

    return value > 0 && value < 1e15 ? (size_t)value : 0;
}

static int flag_of(const bnre_node *map, const char *key)
{
    const char *text = text_of(map, key);

    return text != NULL && strcmp(text, "yes") == 0;
}

static void understand(bnre__certificate *c)
{
    const bnre_node *list = bnre_node_find(c->node, "candidates");

    c->words = text_of(c->node, "words");
    c->certified = flag_of(c->node, "certified");
    c->blind = flag_of(c->node, "blind");
    c->lambda = real_of(c->node, "lambda");
    c->temper = real_of(c->node, "temper");
    c->delta = real_of(c->node, "delta");
    c->eps = real_of(c->node, "eps");
    c->selecting = size_of(bnre_node_find(c->node, "select"), "pairs");
    c->certifying = size_of(bnre_node_find(c->node, "certify"), "pairs");
    if (!flag_of(bnre_node_find(c->node, "calibrate"), "blind"))
        c->calibrating = size_of(bnre_node_find(c->node, "calibrate"), "pairs");
    c->candidates = list != NULL ? list->count : 0;
    for (size_t i = 0; i < c->candidates; i++) {
        c->tested += size_of(list->child[i], "test") > 0;
        c->passed += (size_t)flag_of(list->child[i], "passed");
    }
}

bnre_status bnre__certificate_read(const char *estimator,
                                   bnre__certificate *out)
{
    bnre_status status = BNRE_OK;
    bnre__h5 *h5 = NULL;
    char *text = NULL;

    *out = (bnre__certificate){0};
    BNRE_TRY(bnre__h5_open(estimator, &h5));
    BNRE_TRY(bnre__h5_text(h5, "findings", "certificate", &text));
    if (text == NULL)
        goto done;
    BNRE_TRY(bnre_yaml_parse(text, "certificate", &out->node));
    understand(out);
done:
    bnre__free(text);
    bnre__h5_close(h5);
    return status == BNRE_ENOMEM ? status : BNRE_OK;
}

void bnre__certificate_clear(bnre__certificate *certificate)
{
    bnre_node_destroy(certificate->node);
    *certificate = (bnre__certificate){0};
}

double bnre__certificate_bound(const bnre__certificate *certificate, size_t i)
{
    const bnre_node *list = bnre_node_find(certificate->node, "lower_bound");

    return list != NULL && i < list->count ? number_of(list->child[i]->text)
                                           : NAN;
}

bnre_status bnre__certificate_draw(const bnre__certificate *certificate,
                                   const char *stem, const char *formats,
                                   int *drawn)
{
    const bnre_node *list = bnre_node_find(certificate->node, "candidates");
    const int fresh = flag_of(certificate->node, "fresh");
    bnre_trust_result result = {.n = certificate->candidates};
    bnre_status status = BNRE_OK;

    BNRE_NEW(result.candidate, result.n);
    for (size_t i = 0; i < result.n; i++) {
        bnre_candidate *c = &result.candidate[i];
        const bnre_node *item = list->child[i];

        c->lambda = real_of(item, "lambda");
        c->temper = real_of(item, "temper");
        c->fresh = flag_of(item, "fresh");
        c->margin = real_of(item, "margin");
        c->information.mean = real_of(item, "information");
        c->test = size_of(item, "test");
        c->passed = flag_of(item, "passed");
        if (c->lambda == certificate->lambda &&
            c->temper == certificate->temper && c->fresh == fresh)
            result.chosen = i;
    }
    BNRE_TRY(bnre_trust_draw(&result, stem, formats, drawn));
done:
    bnre__free(result.candidate);
    return status;
}
