/* estimators.h - small estimators of every kind, made without training. */
#ifndef BNRE_TEST_ESTIMATORS_H
#define BNRE_TEST_ESTIMATORS_H

#include "infer/estimator/estimator.h"

typedef enum some_estimator {
    EST_PLAIN,      /* two parameters, x of 3, no embedding, one member */
    EST_ENSEMBLE,   /* the same with three members and scalers of all kinds */
    EST_IMAGES,     /* x of (2, 8), convolution and batch norm, two members */
    EST_SAMPLES,    /* a prior known by draws */
    EST_CLASSIFIER, /* no theta */
    EST_KINDS
} some_estimator;

/* Weights, scalers, history and all else are filled with numbers that depend on
   `kind` alone. */
bnre_status some_estimator_create(some_estimator kind, bnre_estimator **out);

/* The i-th of an endless list of theta (dim) in the prior, and of x. */
void some_theta(const bnre_estimator *est, uint64_t i, double *theta);
void some_x(const bnre_estimator *est, uint64_t i, double *x);

/* l(theta, x) of one member, layer by layer from its own scalers: independent
   of everything in evaluator.c. */
double plain_log_ratio(const bnre_estimator *est, size_t member,
                       const double *theta, const double *x);

/* Equal in all that a file keeps. */
void assert_same_estimator(const bnre_estimator *a, const bnre_estimator *b);

/* A file as bytes, which the caller frees, and back. */
unsigned char *read_bytes(const char *path, size_t *size);
void write_bytes(const char *path, size_t size, const unsigned char *bytes);

/* Open a file that may be damaged: what opens is equal to `est`, else there is
   a message. Gives whether it opened. */
int open_damaged(const char *path, const bnre_estimator *est);

#endif
