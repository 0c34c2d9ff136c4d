// SPDX-License-Identifier: GPL-2.0
/*
 * Native benchmark: the structures that are compared
 */
#include "bench.h"

const struct peer *const peers[] = {
	&peer_twheel, &peer_engine, &peer_timer_list, &peer_rbtree, &peer_wahern, &peer_ratas, NULL
};

const struct peer *const designs[] = {
	&peer_twheel, &design_scan, &design_heap, &design_simple_wheel, &design_hashed_wheel, NULL
};
