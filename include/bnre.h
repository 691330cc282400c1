/* bnre.h - the whole library. */
#ifndef BNRE_H
#define BNRE_H

#include "bnre/certificate.h"
#include "bnre/check.h"
#include "bnre/classes.h"
#include "bnre/command.h"
#include "bnre/dataset.h"
#include "bnre/density.h"
#include "bnre/diag.h"
#include "bnre/estimator.h"
#include "bnre/flat.h"
#include "bnre/infer.h"
#include "bnre/plugin.h"
#include "bnre/pool.h"
#include "bnre/posterior.h"
#include "bnre/posterior_files.h"
#include "bnre/prior.h"
#include "bnre/rng.h"
#include "bnre/settings.h"
#include "bnre/status.h"
#include "bnre/study.h"
#include "bnre/task.h"
#include "bnre/text.h"
#include "bnre/train.h"
#include "bnre/trust.h"

#endif
