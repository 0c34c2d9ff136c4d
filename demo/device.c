// SPDX-License-Identifier: MIT
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "clock.h"
#include "device.h"

int device_info(struct device *dev)
{
	if (!ioctl(dev->fd, TWHEEL_IOC_INFO, &dev->info))
		return 0;
	warn("cannot query %s", DEVICE_PATH);
	return -1;
}

/* Opens the device, and checks that it allows so many timers. */
int device_open(struct device *dev, uint64_t timers)
{
	const struct twheel_info *info = &dev->info;

	memset(dev, 0, sizeof(*dev));
	dev->fd = open(DEVICE_PATH, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (dev->fd < 0) {
		warnx("cannot open %s: %s%s", DEVICE_PATH, strerror(errno),
		      errno == ENOENT ? " (is the module loaded?)" : "");
		return -1;
	}
	if (device_info(dev))
		goto out_close;
	if (info->abi_major != TWHEEL_ABI_MAJOR) {
		warnx("the module has version %u.%u of the interface, but this program needs %u.%u",
		      info->abi_major, info->abi_minor,
		      TWHEEL_ABI_MAJOR, TWHEEL_ABI_MINOR);
		goto out_close;
	}
	if (!(info->features & TWHEEL_FEATURE_BATCH) || !info->max_batch ||
	    !info->resolution_ns) {
		warnx("the module does not support batches");
		goto out_close;
	}
	if (info->max_timers < timers) {
		warnx("the module allows only %llu timers per descriptor, but %llu are needed",
		      (unsigned long long)info->max_timers,
		      (unsigned long long)timers);
		goto out_close;
	}
	dev->limit = info->max_batch < DEVICE_BATCH ? info->max_batch :
						      DEVICE_BATCH;
	return 0;

out_close:
	close(dev->fd);
	return -1;
}

void device_close(struct device *dev)
{
	close(dev->fd);
}

/* Adds an operation on a driver's timer to the batch, which must not be full. */
struct twheel_op *device_op(struct device *dev, uint32_t id,
			    enum twheel_opcode opcode)
{
	struct twheel_op *op = &dev->op[dev->count];

	memset(op, 0, sizeof(*op));
	op->op = opcode;
	dev->id[dev->count++] = id;
	return op;
}

/* Carries the batch out. The caller reads the results, and then sets @count to 0. */
int device_run(struct device *dev)
{
	uint64_t start = clock_now();
	uint32_t done = 0;

	while (done < dev->count) {
		struct twheel_batch batch = {
			.ops = (uintptr_t)(dev->op + done),
			.count = dev->count - done,
		};
		int ret = ioctl(dev->fd, TWHEEL_IOC_BATCH, &batch);

		if (ret < 0 && errno == EINTR)
			continue;
		if (ret <= 0 || (uint32_t)ret > batch.count) {
			warnx("a batch failed: %s",
			      ret < 0 ? strerror(errno) : "wrong count");
			return -1;
		}
		done += (uint32_t)ret;
	}
	dev->ops += done;
	dev->ns += clock_now() - start;
	return 0;
}
