/* conv1d_ref16.c - conv1d_ref.c for sixteen observations side by side. */
#define BNRE_REF_SIDE 16
#define BNRE_REF_NAME bnre__conv1d_ref16
#include "num/conv1d_ref.c"
