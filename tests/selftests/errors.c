// SPDX-License-Identifier: GPL-2.0
#include "errors.h"

/* @value of a row: each value that has one bit, unless the call accepts it. */
#define EACH_BIT	0

/* @value of FIELD_CLOCKID: each clock that TWHEEL_IOC_INFO does not name. */
#define NO_CLOCK	1

/* @value of FIELD_PERIOD: the shortest period, and the longest that is too short. */
#define TOO_SHORT	1

#define ABOVE_MAX	(1ULL << 63)

enum field {
	FIELD_OP, FIELD_FLAGS, FIELD_CLOCKID, FIELD_RESULT, FIELD_HANDLE,
	FIELD_COOKIE, FIELD_TIME, FIELD_PERIOD, FIELD_GROUP, FIELD_WINDOW,
	FIELD_DEADLINE,		/* the time, with TWHEEL_ABSTIME */
};

/* The calls, as sets: those that arm a timer, and those that name one. */
enum {
	ADD = 1, UPSERT = 2, CHANGE = 4, CANCEL = 8, QUERY = 16, GROUP = 32,
	NEW = ADD | UPSERT, OLD = CHANGE | CANCEL | QUERY, ALL = NEW | OLD | GROUP,
};

/*
 * Calls with an operation that would be valid but for one field. Rows that
 * follow each other with the same name are one case of a call.
 */
static const struct refusal {
	unsigned int	calls;
	const char	*name;
	enum field	field;
	__u64		value;
	int		error;
} refusals[] = {
	{ NEW, "delay_above_2_63_is_einval", FIELD_TIME, ABOVE_MAX, EINVAL },
	{ NEW, "delay_above_2_63_is_einval", FIELD_TIME, ~0ULL, EINVAL },
	{ NEW, "deadline_above_2_63_is_einval", FIELD_DEADLINE, ABOVE_MAX, EINVAL },
	{ NEW, "deadline_above_2_63_is_einval", FIELD_DEADLINE, ~0ULL, EINVAL },
	{ NEW, "window_above_2_63_is_einval", FIELD_WINDOW, ABOVE_MAX, EINVAL },
	{ NEW, "window_above_2_63_is_einval", FIELD_WINDOW, ~0ULL, EINVAL },
	{ NEW, "period_below_the_minimum_is_einval", FIELD_PERIOD, TOO_SHORT, EINVAL },
	{ NEW, "period_above_2_63_is_einval", FIELD_PERIOD, ABOVE_MAX, EINVAL },
	{ NEW, "period_above_2_63_is_einval", FIELD_PERIOD, ~0ULL, EINVAL },
	{ NEW, "clock_that_info_does_not_name_is_einval", FIELD_CLOCKID, NO_CLOCK, EINVAL },
	{ CHANGE, "time_above_2_63_is_einval", FIELD_TIME, ABOVE_MAX, EINVAL },
	{ CHANGE, "time_above_2_63_is_einval", FIELD_TIME, ~0ULL, EINVAL },
	{ CHANGE, "time_above_2_63_is_einval", FIELD_DEADLINE, ABOVE_MAX, EINVAL },
	{ CHANGE, "time_above_2_63_is_einval", FIELD_DEADLINE, ~0ULL, EINVAL },
	{ OLD, "unknown_handle_is_enoent", FIELD_HANDLE, EACH_BIT, ENOENT },
	{ ALL, "unknown_flag_is_einval", FIELD_FLAGS, EACH_BIT, EINVAL },
	{ ALL, "op_is_einval", FIELD_OP, EACH_BIT, EINVAL },
	{ ALL, "result_is_einval", FIELD_RESULT, EACH_BIT, EINVAL },
	{ ADD, "result_is_einval", FIELD_RESULT, ~0U, EINVAL },
	{ ADD | GROUP, "handle_is_einval", FIELD_HANDLE, EACH_BIT, EINVAL },
	{ OLD | GROUP, "clockid_is_einval", FIELD_CLOCKID, EACH_BIT, EINVAL },
	{ OLD | GROUP, "cookie_is_einval", FIELD_COOKIE, EACH_BIT, EINVAL },
	{ OLD | GROUP, "period_is_einval", FIELD_PERIOD, EACH_BIT, EINVAL },
	{ OLD | GROUP, "window_is_einval", FIELD_WINDOW, EACH_BIT, EINVAL },
	{ OLD, "reserved_is_einval", FIELD_GROUP, EACH_BIT, EINVAL },
	{ CANCEL | QUERY | GROUP, "time_is_einval", FIELD_TIME, EACH_BIT, EINVAL },
};

/* A program has the cases of one call. */
static struct test cases[ARRAY_SIZE(refusals)];
static unsigned long call_of_cases;

/*
 * In the order of the sets. The known flags are valid alone. A flag that needs another flag or
 * field, like TWHEEL_KEEP_HANDLE, is not here: alone it is EINVAL.
 */
static const struct {
	unsigned long	call;
	__u32		opcode;
	__u32		known_flags;
} calls[] = {
	{ TWHEEL_IOC_ADD, TWHEEL_OP_ADD, TWHEEL_ABSTIME | TWHEEL_RESTORE | TWHEEL_SHARED },
	{ TWHEEL_IOC_UPSERT, TWHEEL_OP_UPSERT, TWHEEL_ABSTIME | TWHEEL_SHARED },
	{ TWHEEL_IOC_CHANGE, TWHEEL_OP_CHANGE, TWHEEL_ABSTIME },
	{ TWHEEL_IOC_CANCEL, TWHEEL_OP_CANCEL, 0 },
	{ TWHEEL_IOC_QUERY, TWHEEL_OP_QUERY, TWHEEL_ABSTIME },
	{ TWHEEL_IOC_CANCEL_GROUP, TWHEEL_OP_CANCEL_GROUP, 0 },
};

static unsigned int index_of(unsigned long call)
{
	unsigned int i = 0;

	while (calls[i].call != call)
		i++;
	return i;
}

__u32 opcode_of(unsigned long call)
{
	return calls[index_of(call)].opcode;
}

static bool is_of(const struct refusal *row, unsigned long call)
{
	return row->calls & 1U << index_of(call);
}

/* A descriptor with one pending timer, which the calls are about. */
struct target {
	unsigned long	call;
	int		fd;
	struct twheel_op timer;
};

static void check_target(const struct target *target)
{
	struct twheel_op op = {
		.flags = TWHEEL_ABSTIME,
		.handle = target->timer.handle,
	};

	check_no_event(target->fd);
	ASSERT_EQ(CALL(ioctl(target->fd, TWHEEL_IOC_QUERY, &op)), 0);
	op.clockid = target->timer.clockid;
	ASSERT(!memcmp(&op, &target->timer, sizeof(op)));
	ASSERT_EQ(cancel(target->fd, op.handle), 0);
	ASSERT_EQ(timers_of(target->fd), 0);
	close(target->fd);
}

/* An operation on the target that the call would accept. */
static struct twheel_op valid_op(unsigned long call, const struct target *target)
{
	const __u64 handle = target->timer.handle;
	struct twheel_op op = new_timer(ticks(1), 2);

	switch (call) {
	case TWHEEL_IOC_ADD:
		return op;
	case TWHEEL_IOC_UPSERT:
		op.handle = handle;
		return op;
	case TWHEEL_IOC_CHANGE:
		return (struct twheel_op){ .handle = handle, .time_ns = 1 };
	case TWHEEL_IOC_CANCEL_GROUP:
		return (struct twheel_op){ .group = target->timer.group };
	default:
		return (struct twheel_op){ .handle = handle };
	}
}

/* Set bits of a field; false if the field has no such bits. */
static bool set_bits(struct twheel_op *op, enum field field, __u64 value)
{
	__u32 *const words[] = {
		[FIELD_OP] = &op->op,
		[FIELD_FLAGS] = &op->flags,
		[FIELD_CLOCKID] = &op->clockid,
		[FIELD_RESULT] = (__u32 *)&op->result,
	};
	__u64 *const numbers[] = {
		[FIELD_HANDLE] = (__u64 *)&op->handle,
		[FIELD_COOKIE] = (__u64 *)&op->cookie,
		[FIELD_PERIOD] = (__u64 *)&op->period_ns,
		[FIELD_GROUP] = (__u64 *)&op->group,
		[FIELD_WINDOW] = (__u64 *)&op->window_ns,
	};
	const struct twheel_op before = *op;

	if (field == FIELD_DEADLINE)
		op->flags |= TWHEEL_ABSTIME;
	/* Times are exact: 2^63 is the first that is too large. */
	if (field == FIELD_DEADLINE || field == FIELD_TIME)
		op->time_ns = value;
	else if (field < ARRAY_SIZE(words))
		*words[field] |= (__u32)value;
	else
		*numbers[field] |= value;
	return memcmp(op, &before, sizeof(*op));
}

static void refuse_each_bit(const struct target *target, const struct refusal *row,
			    const struct twheel_op *valid, refuse_fn *refuse)
{
	const __u32 known = calls[index_of(target->call)].known_flags;
	__u64 bit;

	for (bit = 1; bit; bit <<= 1) {
		struct twheel_op op = *valid;

		if (row->field == FIELD_FLAGS && bit & known)
			continue;
		if (set_bits(&op, row->field, bit))
			refuse(target->fd, target->call, &op, row->error);
	}
}

static void refuse_clocks(const struct target *target, const struct refusal *row,
			  struct twheel_op op, refuse_fn *refuse)
{
	const __u64 clocks = get_info(target->fd).clocks;

	for (op.clockid = 0; op.clockid < 64; op.clockid++)
		if (!(clocks & (1ULL << op.clockid)))
			refuse(target->fd, target->call, &op, row->error);
	for (op.clockid = 64; op.clockid; op.clockid <<= 1) {
		refuse(target->fd, target->call, &op, row->error);
		op.clockid |= CLOCK_MONOTONIC;
		refuse(target->fd, target->call, &op, row->error);
		op.clockid &= ~CLOCK_MONOTONIC;
	}
}

static void refuse_short_periods(const struct target *target, const struct refusal *row,
				 struct twheel_op op, refuse_fn *refuse)
{
	const __u64 least = get_info(target->fd).min_period_ns;

	if (least == 1)
		return;
	op.period_ns = 1;
	refuse(target->fd, target->call, &op, row->error);
	op.period_ns = least - 1;
	refuse(target->fd, target->call, &op, row->error);
}

/* Handles that name no timer of the descriptor: wrong, foreign, or stale. */
static void refuse_handles(const struct target *target, const struct refusal *row,
			   struct twheel_op op, refuse_fn *refuse)
{
	const __u64 own = target->timer.handle;
	const int other = open_device(O_NONBLOCK);
	__u64 bit;

	op.handle = 0;
	refuse(target->fd, target->call, &op, row->error);
	op.handle = ~0ULL;
	refuse(target->fd, target->call, &op, row->error);
	for (bit = 1; bit; bit <<= 1) {
		op.handle = own ^ bit;
		refuse(target->fd, target->call, &op, row->error);
	}

	/* another descriptor's, whether or not it differs from an own handle */
	op.handle = own;
	refuse(other, target->call, &op, row->error);
	op.handle = add(other, LONG, 1);
	add(other, LONG, 1);
	if (op.handle != own)
		refuse(target->fd, target->call, &op, row->error);
	close(other);

	/* a cancelled timer's */
	op.handle = add(target->fd, LONG, 1);
	ASSERT_EQ(cancel(target->fd, op.handle), 0);
	refuse(target->fd, target->call, &op, row->error);

	/* a delivered timer's */
	op.handle = add(target->fd, 0, 1);
	ASSERT(read_one(target->fd).handle == op.handle);
	refuse(target->fd, target->call, &op, row->error);
}

static void refuse_row(const struct target *target, const struct refusal *row,
		       struct twheel_op valid, refuse_fn *refuse)
{
	if (row->error == ENOENT)
		refuse_handles(target, row, valid, refuse);
	else if (row->field == FIELD_CLOCKID && row->value == NO_CLOCK)
		refuse_clocks(target, row, valid, refuse);
	else if (row->field == FIELD_PERIOD && row->value == TOO_SHORT)
		refuse_short_periods(target, row, valid, refuse);
	else if (row->value == EACH_BIT)
		refuse_each_bit(target, row, &valid, refuse);
	else if (set_bits(&valid, row->field, row->value))
		refuse(target->fd, target->call, &valid, row->error);
}

static void refuse_call(int fd, unsigned long call, const struct twheel_op *op, int error)
{
	REFUSED(fd, call, op, error);
}

static void try_row(unsigned long call, const struct refusal *row, refuse_fn *refuse)
{
	struct target target = {
		.call = call,
		.fd = open_device(O_NONBLOCK),
		.timer = new_timer_at(now() + LONG, 1),
	};
	struct twheel_op valid;

	target.timer.group = 1;
	target.timer.handle = arm(target.fd, target.timer);
	valid = valid_op(call, &target);
	refuse_row(&target, row, valid, refuse);
	if (call == TWHEEL_IOC_UPSERT) {
		/* with handle 0, the call would add a timer */
		valid.handle = 0;
		refuse_row(&target, row, valid, refuse);
	} else if (call != TWHEEL_IOC_ADD && row->error == EINVAL) {
		/* EINVAL comes before ENOENT */
		if (call == TWHEEL_IOC_CANCEL_GROUP)
			valid.group = ~0ULL;
		else
			valid.handle = ~0ULL;
		refuse_row(&target, row, valid, refuse);
	}
	check_target(&target);
}

/* Run a case. @data is its first row. */
static void run_rows(const void *data)
{
	const struct refusal *first = data, *row;

	for (row = first; row < refusals + ARRAY_SIZE(refusals); row++)
		if (is_of(row, call_of_cases) && !strcmp(row->name, first->name))
			try_row(call_of_cases, row, refuse_call);
}

void register_refusals(unsigned long call)
{
	const char *last = "";
	unsigned int i;

	call_of_cases = call;
	for (i = 0; i < ARRAY_SIZE(refusals); i++) {
		if (!is_of(&refusals[i], call) || !strcmp(refusals[i].name, last))
			continue;
		last = refusals[i].name;
		cases[i] = (struct test){
			.name = last,
			.run_row = run_rows,
			.data = &refusals[i],
			.timeout = 60,
		};
		register_test(&cases[i]);
	}
}

void try_refusals(refuse_fn *refuse)
{
	unsigned int i, call;

	for (call = 0; call < ARRAY_SIZE(calls); call++)
		for (i = 0; i < ARRAY_SIZE(refusals); i++)
			if (is_of(&refusals[i], calls[call].call))
				try_row(calls[call].call, &refusals[i], refuse);
}
