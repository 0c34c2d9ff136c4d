// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the tracepoints are made here
 */
#define CREATE_TRACE_POINTS
#include "trace.h"
