/* SPDX-License-Identifier: MIT */
/*
 * Batches of operations on /dev/twheel.
 */
#ifndef _DEMO_DEVICE_H
#define _DEMO_DEVICE_H

#include <stdint.h>
#include "linux/twheel.h"

#define DEVICE_PATH	"/dev/twheel"
#define DEVICE_BATCH	1024

/**
 * struct device - the open device, and the next batch
 * @fd: The descriptor, non-blocking.
 * @info: The device's description of itself.
 * @limit: Capacity of a batch.
 * @count: Number of operations in the batch.
 * @op: The operations.
 * @id: The driver whose timer each operation is on.
 * @ops: Number of operations carried out so far.
 * @ns: Time spent on these operations.
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
