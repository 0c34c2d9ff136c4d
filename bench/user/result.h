/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines that the benchmarks print, which scripts/bench reads.
 */
#ifndef _RESULT_H
#define _RESULT_H

#include <stddef.h>
#include "measure.h"

/* Prints twheel's figure beside a peer's, with so many @digits after the point. */
void print_result(const char *engine, const char *metric, size_t n, const char *peer,
		  struct spread twheel, struct spread theirs, int digits);

#endif /* _RESULT_H */
