/* What is on which picture of a posterior, in words. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "output/corner.h"

enum { FEW = 3 }; /* parameters that are named even if they are all */

static bnre_status add_page(const bnre_posterior_files *files,
                            const bnre_prior *prior,
                            const bnre__corner_pages *pages, size_t i,
                            bnre__text *text)
{
    const bnre__corner_page *page = &pages->page[i];
    const size_t ending = strcspn(files->formats, ",");
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__text_add(text, "%scorner%s.%.*s: ", i > 0 ? "; " : "",
                            page->ending, ending > 0 ? (int)ending : 2,
                            ending > 0 ? files->formats : "gp"));
    if (page->n == pages->free && page->n > FEW)
        return bnre__text_add(text, "all %zu parameters%s", page->n,
                              page->pairs ? "" : ", one by one");
    for (size_t k = 0; k < page->n; k++)
        BNRE_TRY(bnre__text_add(
            text, "%s%s", k > 0 ? ", " : "",
            bnre_prior_name(prior, pages->parameter[page->first + k])));
    if (!page->pairs)
        BNRE_TRY(bnre__text_add(text, ", one by one"));
done:
    return status;
}

bnre_status bnre_posterior_pictures(const bnre_posterior_files *files,
                                    const bnre_prior *prior, char **out)
{
    bnre__corner_pages pages = {0};
    bnre_status status = BNRE_OK;
    bnre__text text = {0};

    *out = NULL;
    BNRE_TRY(bnre__corner_pages_init(prior, files->show, &pages));
    for (size_t i = 0; i < pages.n; i++)
        BNRE_TRY(add_page(files, prior, &pages, i, &text));
    if (pages.n == 0)
        BNRE_TRY(bnre__text_add(&text, "none: all parameters are fixed"));
    else if (pages.shown > BNRE__CORNER_PAGE)
        BNRE_TRY(bnre__text_add(&text, ". Pairs of parameters on different "
                                       "pages are shown by --show a,b,..."));
    *out = text.data;
    text.data = NULL;
done:
    bnre__free(text.data);
    bnre__corner_pages_clear(&pages);
    return status;
}
