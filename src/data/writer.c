/* writer.c - rows into files of any format. */
#include "data/writer.h"

#include <string.h>

#include "base/text.h"
#include "data/dataset.h"

static const bnre__format formats[] = {
    {"HDF5", ".h5", bnre__write_h5},  {"HDF5", ".hdf5", bnre__write_h5},
    {"npz", ".npz", bnre__write_npz}, {"CSV", ".csv", bnre__write_csv},
    {"npy", NULL, bnre__write_pair},
};

bnre_status bnre__format_find(const char *path, const bnre__format **out)
{
    size_t second;

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        *out = &formats[i];
        if (formats[i].ending == NULL
                ? bnre__is_pair(path, &second)
                : bnre__ends_with(path, formats[i].ending))
            return BNRE_OK;
    }
    return bnre_fail(BNRE_EUSAGE,
                     "cannot tell the format of %s: end it in .h5, .npz or "
                     ".csv, or name a pair \"theta.npy,x.npy\"",
                     path);
}
