/* Regions with a guarantee, in the picture of a posterior. */
#include <math.h>
#include <stdio.h>

#include "bnre/text.h"
#include "bnre/trust_files.h"

static void write_note(const bnre_guarantee *guarantee, char note[BNRE_NOTE])
{
    const char *words = "no guarantee: unlike the\nsimulated data";
    char p[BNRE_READABLE];

    if (isnan(guarantee->outside))
        snprintf(note, BNRE_NOTE, "%s", words);
    else
        snprintf(note, BNRE_NOTE, "%s (%s)", words,
                 bnre_readable_p_words(guarantee->outside, p));
}

void bnre_assurance_show(const bnre_assurance *assurance, bnre_regions regions,
                         bnre_contour *contour, char note[BNRE_NOTE],
                         bnre_posterior_files *files)
{
    size_t n = 0;

    if (assurance->n == 0)
        return;
    for (size_t i = 0; regions != BNRE_REGIONS_CONFORMAL && i < assurance->n;
         i++)
        contour[n++] = (bnre_contour){.content = files->level[i],
                                      .level = files->level[i]};
    for (size_t i = 0; regions != BNRE_REGIONS_NOMINAL && i < assurance->n;
         i++) {
        const double content = assurance->region[i].region.content;

        if (content > 0) /* one that holds nothing cannot be drawn */
            contour[n++] = (bnre_contour){
                .content = content, .level = files->level[i], .conformal = 1};
    }
    files->contours = n;
    files->contour = contour;
    if (regions != BNRE_REGIONS_NOMINAL &&
        bnre_guarantee_void(&assurance->guarantee, NULL)) {
        write_note(&assurance->guarantee, note);
        files->note = note;
    }
}
