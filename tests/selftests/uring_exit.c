// SPDX-License-Identifier: GPL-2.0
/*
 * A ring, or its owner, ends while commands are in flight. Then each operation has been
 * carried out and has its result, or it has not been carried out.
 */
#include "device.h"
#include "io_ring.h"

enum {
	BATCHES = 8,
	LENGTH = 2048,		/* of a batch */
	ROUNDS = 12,
};

/* What a process shares with its child. */
static struct shared {
	_Atomic bool		begun;
	struct twheel_batch	batch[BATCHES];
	struct twheel_op	ops[BATCHES * LENGTH];
	struct twheel_op	alone;
} *shared;

static int device;

/* Adds in all batches, whose results and handles say which have been carried out. */
static void fill_batches(void)
{
	int i;

	atomic_store(&shared->begun, false);
	for (i = 0; i < BATCHES; i++)
		shared->batch[i] = new_batch(&shared->ops[i * LENGTH], LENGTH);
	for (i = 0; i < BATCHES * LENGTH; i++)
		shared->ops[i] = add_op(LONG, i);
}

/* Check that the timers are those of which the program has the handle. End them. */
static unsigned int check_batches(void)
{
	static struct twheel_op cancels[BATCHES * LENGTH];
	unsigned int i, added = 0;

	for (i = 0; i < BATCHES * LENGTH; i++) {
		const struct twheel_op *op = &shared->ops[i];

		ASSERT_EQ(op->result, 0);
		if (op->handle)
			cancels[added++].handle = op->handle;
	}
	ASSERT_EQ(timers_of(device), added);
	cancel_all(device, cancels, added);
	return added;
}

/* Put a request into the queue that never completes, and another one behind it. */
static void queue_behind_a_poll(struct io_uring_sqe sqe)
{
	const struct io_uring_sqe wait = {
		.opcode = IORING_OP_POLL_ADD,
		.flags = IOSQE_IO_LINK,
		.fd = device,
		.poll32_events = POLLPRI,
	};

	io_ring_queue(wait);
	io_ring_queue(sqe);
}

static void queue_batches(unsigned int flags)
{
	int i;

	for (i = 0; i < BATCHES; i++) {
		struct io_uring_sqe sqe = io_ring_command(device, TWHEEL_IOC_BATCH,
							  &shared->batch[i]);

		sqe.flags = flags;
		io_ring_queue(sqe);
	}
}

/* Work in all ways that there are. The last entries are batches, without a thread. */
static void submit_much(void *data)
{
	static const struct twheel_drain resume = { .flags = TWHEEL_DRAIN_RESUME };
	static struct twheel_op op = { .handle = 1 };
	static struct twheel_event events[8];
	const int own = open_device(0);
	int i;

	io_ring_open(0);
	/* reads that wait when the owner dies: the timers end with their open file */
	add(own, LONG, 1);
	add(own, ticks(2), 1);
	for (i = 0; i < 8; i++) {
		io_ring_queue(io_ring_read(own, &events[i], sizeof(events[i]), 0));
		queue_behind_a_poll(io_ring_command(device, TWHEEL_IOC_CANCEL, &op));
		io_ring_queue(io_ring_command(device, TWHEEL_IOC_DRAIN, &resume));
	}
	io_ring_enter();
	atomic_store(&shared->begun, true);
	queue_batches(*(unsigned int *)data);
	io_ring_enter();
	wait_to_be_killed(NULL);
}

static void kill_owners(unsigned int flags)
{
	unsigned int round, partly = 0, never = 0, added;

	io_ring_open(0);
	shared = shared_memory(sizeof(*shared));
	device = open_device(0);
	for (round = 0; round < ROUNDS; round++) {
		pid_t child;

		fill_batches();
		child = start(submit_much, &flags);
		while (!atomic_load(&shared->begun))
			continue;
		usleep(round * 200);
		kill_child(child);
		added = check_batches();
		never += !added;
		partly += added && added < BATCHES * LENGTH;
	}
	pass_ticks(4);
	note("%u owners died before the batches, %u in the middle, of %u", never, partly,
	     round);
}

TEST_CALL(killed_owner_has_no_unknown_timer, kill_owners(0))
TEST_CALL(killed_owner_with_threads_has_no_unknown_timer, kill_owners(IOSQE_ASYNC))

static void end_ring(void *data)
{
	io_ring_open(0);
	queue_behind_a_poll(io_ring_command(device, TWHEEL_IOC_ADD, &shared->alone));
	queue_batches(IOSQE_ASYNC);
	io_ring_enter();
	io_ring_close();
	/* the ring ends in the background, but before this process */
}

/* A command that waits for another request is not carried out when the ring ends. */
TEST(ring_ends_with_commands_in_flight)
{
	unsigned int round, added = 0;

	io_ring_open(0);
	shared = shared_memory(sizeof(*shared));
	device = open_device(0);
	for (round = 0; round < ROUNDS; round++) {
		shared->alone = new_timer(LONG, 1);
		fill_batches();
		join(start(end_ring, NULL));
		ASSERT_EQ(shared->alone.handle, 0);
		added += check_batches();
	}
	note("%u of %u timers were added nevertheless", added, ROUNDS * BATCHES * LENGTH);
}

/* A read that waits holds the open file, and so the timer of a command. */
URING_TEST(file_stays_until_its_requests_end)
{
	struct twheel_op op = new_timer(ticks(4), 6);
	struct twheel_event event;

	io_ring_queue(io_ring_read(fd, &event, sizeof(event), 0));
	io_ring_submit(io_ring_command(fd, TWHEEL_IOC_ADD, &op));
	close(fd);
	ASSERT_EQ(io_ring_wait().res + io_ring_wait().res, sizeof(event));
	ASSERT_EQ(event.cookie, 6);
}
