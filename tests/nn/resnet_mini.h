/* resnet_mini.h - the small residual network of the reference vectors. */
#ifndef BNRE_TEST_RESNET_MINI_H
#define BNRE_TEST_RESNET_MINI_H

#include <stdio.h>
#include <string.h>

/* The layout of the preset resnet18 with other numbers of planes. */
static inline void add_stage(char *yaml, size_t room, int planes, int halve)
{
    char stage[1024];
    const char *conv = "conv2d: {channels: %d, kernel: 3, stride: %d, "
                       "padding: 1, bias: no}";
    char first[160], plain_conv[160];

    snprintf(first, sizeof first, conv, planes, halve ? 2 : 1);
    snprintf(plain_conv, sizeof plain_conv, conv, planes, 1);
    snprintf(stage, sizeof stage,
             "  - residual:\n"
             "      layers: [%s, batchnorm, leaky_relu, %s, batchnorm]\n",
             first, plain_conv);
    strncat(yaml, stage, room - strlen(yaml) - 1);
    if (halve) {
        snprintf(stage, sizeof stage,
                 "      shortcut: [conv2d: {channels: %d, kernel: 1, stride: "
                 "2, bias: no}, batchnorm]\n",
                 planes);
        strncat(yaml, stage, room - strlen(yaml) - 1);
    }
    snprintf(stage, sizeof stage,
             "  - leaky_relu\n"
             "  - residual:\n"
             "      layers: [%s, leaky_relu, %s]\n"
             "  - leaky_relu\n",
             plain_conv, plain_conv);
    strncat(yaml, stage, room - strlen(yaml) - 1);
}

static inline void resnet_mini_yaml(size_t room, char *yaml)
{
    snprintf(
        yaml, room,
        "embedding:\n"
        "  - conv2d: {channels: 2, kernel: 7, stride: 2, padding: 3, bias: "
        "no}\n"
        "  - leaky_relu\n"
        "  - maxpool2d: {kernel: 3, stride: 2, padding: 1}\n");
    for (int stage = 0; stage < 4; stage++)
        add_stage(yaml, room, 2 << stage, stage > 0);
    strncat(yaml,
            "  - avgpool\n"
            "head: {hidden: [8, 8, 8], activation: leaky_relu}\n",
            room - strlen(yaml) - 1);
}

#endif
