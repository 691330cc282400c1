/* bnre.h - the whole library. */
#ifndef BNRE_H
#define BNRE_H

#include "bnre/classes.h"
#include "bnre/coverage.h"
#include "bnre/dataset.h"
#include "bnre/density.h"
#include "bnre/diag.h"
#include "bnre/diag_files.h"
#include "bnre/dist.h"
#include "bnre/estimator.h"
#include "bnre/executor.h"
#include "bnre/monitor.h"
#include "bnre/net.h"
#include "bnre/observation.h"
#include "bnre/opt.h"
#include "bnre/plugin.h"
#include "bnre/points.h"
#include "bnre/pool.h"
#include "bnre/posterior.h"
#include "bnre/posterior_files.h"
#include "bnre/prior.h"
#include "bnre/rng.h"
#include "bnre/session.h"
#include "bnre/settings.h"
#include "bnre/simulate.h"
#include "bnre/status.h"
#include "bnre/study.h"
#include "bnre/task.h"
#include "bnre/train.h"
#include "bnre/yaml.h"

#endif
