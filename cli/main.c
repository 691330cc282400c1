#include <stdio.h>

#include "bnre.h"

int main(void)
{
    puts("bnre " BNRE_VERSION);
    return 0;
}
