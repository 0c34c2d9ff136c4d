/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /dev/twheel, by the batch.
 */
#ifndef _DEMO_DEVICE_H
#define _DEMO_DEVICE_H

#include <stdint.h>
#include "linux/twheel.h"

#define DEVICE_PATH	"/dev/twheel"
#define DEVICE_BATCH	1024

/**
 * struct device - the open device and a batch that is being filled
 * @fd: Its descriptor, non-blocking.
 * @info: What it says of itself.
 * @limit: Operations that fit a batch.
 * @count: Operations in the batch.
 * @op: They.
 * @id: The driver that each of them is about.
 * @ops: Operations carried out so far.
 * @ns: Time spent on them.
 */
struct device {
	int			fd;
	struct twheel_info	info;
	uint32_t		limit;
	uint32_t		count;
	struct twheel_op	op[DEVICE_BATCH];
	uint32_t		id[DEVICE_BATCH];
	uint64_t		ops;
	uint64_t		ns;
};

int device_open(struct device *dev, uint64_t timers);
void device_close(struct device *dev);
int device_info(struct device *dev);
struct twheel_op *device_op(struct device *dev, uint32_t id,
			    enum twheel_opcode op);
int device_run(struct device *dev);

#endif /* _DEMO_DEVICE_H */
