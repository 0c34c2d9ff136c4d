// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints, as tracefs shows them: an event is traced when it happens, and only
 * then. The tests trace into an instance of their own.
 *
 * The events are those of the timers of modules. Of a program they show the visits, by which the
 * kernel looks at the timers of open files: one timer at most is armed for each user and CPU. It is
 * never pushed back, so there is no twheel_extend here.
 */
#include "debugfs.h"

#include <sys/stat.h>

#define TRACEFS		"/sys/kernel/tracing"
#define INSTANCE	TRACEFS "/instances/twheel-selftest"

/* The function that makes visits. The name may have a suffix, and the module's name behind it. */
#define VISIT		"user_cpu_expire"

#define TEXT_SIZE	(4U << 20)

enum { ARM, CHANGE, CANCEL, ENTRY, MIGRATE, EXTEND, EXIT, KINDS };

static const char * const kinds[KINDS] = {
	[ARM] = "twheel_arm",
	[CHANGE] = "twheel_change",
	[EXTEND] = "twheel_extend",
	[CANCEL] = "twheel_cancel",
	[ENTRY] = "twheel_expire_entry",
	[EXIT] = "twheel_expire_exit",
	[MIGRATE] = "twheel_migrate",
};

/* One line of the trace. A field that its event does not have is 0 or empty. */
struct line {
	int		kind;
	char		timer[24];
	char		function[64];
	__u64		expires;
	long long	timeout;
	__u64		period;
	int		cpu;
};

static bool write_tracefs(const char *name, const char *value)
{
	char path[160];

	snprintf(path, sizeof(path), INSTANCE "/%s", name);
	return write_file(path, value);
}

static char *read_tracefs(const char *path)
{
	char *text = allocate(1, TEXT_SIZE);

	read_file(path, text, TEXT_SIZE);
	return text;
}

static void begin_trace(void)
{
	if (access(TRACEFS "/instances", W_OK))
		skip("no tracefs, or none mounted");
	if (mkdir(INSTANCE, 0700) && errno != EEXIST)
		FAIL("mkdir: %s", strerror(errno));
	if (access(INSTANCE "/events/twheel", F_OK))
		skip("no tracepoints");
	ASSERT(write_tracefs("tracing_on", "0"));
	ASSERT(write_tracefs("events/enable", "0"));
	ASSERT(write_tracefs("buffer_size_kb", "4096"));
	ASSERT(write_tracefs("events/twheel/filter", "0"));
	ASSERT(write_tracefs("events/twheel/enable", "1"));
	ASSERT(write_tracefs("trace", "\n"));
	ASSERT(write_tracefs("tracing_on", "1"));
}

static void end_trace(void)
{
	ASSERT(write_tracefs("tracing_on", "0"));
	ASSERT(write_tracefs("events/twheel/enable", "0"));
	CALL(rmdir(INSTANCE));
}

/* A line of the trace, which must have exactly the fields of its event, in their order. */
static struct line parse_line(const char *from)
{
	static const char module[] = " [twheel]";
	static const char deadline[] =
		" timer=%23s function=%63s expires=%llu [timeout=%lld] period=%llu cpu=%d%n";
	struct line line = { .kind = KINDS };
	char text[256], *name, *fields, *found;
	int kind, parsed, expected, end = -1;

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(from, "\n"), from);
	name = strstr(text, ": twheel_");
	fields = name ? strchr(name + 2, ':') : NULL;
	if (!fields)
		FAIL("%s", text);
	*fields++ = 0;
	for (kind = 0; kind < KINDS; kind++)
		if (!strcmp(name + 2, kinds[kind]))
			line.kind = kind;
	ASSERT_LT(line.kind, KINDS);
	/* The module's name may stand behind that of the function. */
	found = strstr(fields, module);
	if (found)
		memmove(found, found + strlen(module), strlen(found + strlen(module)) + 1);
	switch (line.kind) {
	case EXIT:
		expected = 2;
		parsed = sscanf(fields, " timer=%23s function=%63s%n",
				line.timer, line.function, &end);
		break;
	default:
		expected = 6;
		parsed = sscanf(fields, deadline, line.timer, line.function, &line.expires,
				&line.timeout, &line.period, &line.cpu, &end);
	}
	if (parsed != expected || end < 0 || fields[end])
		FAIL("%s has%s", kinds[line.kind], fields);
	return line;
}

/* The lines since the last call, oldest first. Returns how many. */
static unsigned int read_trace(struct line **lines)
{
	unsigned int count = 0, most = 0;
	char *text, *at;

	ASSERT(write_tracefs("tracing_on", "0"));
	text = read_tracefs(INSTANCE "/trace");
	for (at = text; *at; at = strchr(at, '\n') + 1)
		most++;
	*lines = allocate(most, sizeof(**lines));
	for (at = text; *at; at = strchr(at, '\n') + 1)
		if (*at != '#' && *at != '\n')
			(*lines)[count++] = parse_line(at);
	free(text);
	ASSERT(write_tracefs("trace", "\n"));
	ASSERT(write_tracefs("tracing_on", "1"));
	return count;
}

/* The only line since the last call, which must be of this kind. */
static struct line only_line(int kind)
{
	struct line *lines, line;
	const unsigned int count = read_trace(&lines);

	if (count != 1 || lines[0].kind != kind)
		FAIL("%u lines, the first one %s, not %s", count,
		     count ? kinds[lines[0].kind] : "none", kinds[kind]);
	line = lines[0];
	free(lines);
	return line;
}

static void count_kinds(unsigned int counts[KINDS])
{
	struct line *lines;
	const unsigned int count = read_trace(&lines);
	unsigned int i;

	memset(counts, 0, KINDS * sizeof(*counts));
	for (i = 0; i < count; i++)
		counts[lines[i].kind]++;
	free(lines);
}

/* The tick that the kernel is in: its count of jiffies. */
static __u64 current_tick(void)
{
	return number_in("cpu0", "now");
}

/* The ticks between which an operation took place. */
struct span {
	__u64	begin;
	__u64	end;
};

/*
 * Check the fields that the events of one timer share. A busy host may stop the machine
 * for any time, so the tick of the event is compared with the ticks before and after.
 */
static void check_line(const struct line *line, const struct span *span)
{
	ASSERT_EQ(strncmp(line->function, VISIT, strlen(VISIT)), 0);
	ASSERT_EQ(line->cpu, 0);
	ASSERT_EQ(line->period, 0);
	ASSERT_WITHIN(line->expires - line->timeout, span->begin, span->end);
}

/* Check the event of an operation that has armed a visit for a timer due in @delay_ns. */
static void check_new_deadline(const struct line *line, const struct span *span,
			       __u64 delay_ns)
{
	check_line(line, span);
	ASSERT_GT(line->expires, span->begin);
	ASSERT_LE(line->expires, span->end + delay_ns / tick_ns() + 2);
}

#define WORK_EVENT "events/workqueue/workqueue_execute_start"

/* Watches CLOCK_REALTIME with descriptors that nobody else has, and closes each of them. */
static void watch_and_close(void)
{
	int fd, i;

	for (i = 0; i < 100; i++) {
		fd = open_device(0);
		CALL(ioctl(fd, TWHEEL_IOC_CLOCK_SET, 0));
		close(fd);
		usleep(2000);
	}
}

/* How often the kernel executes a work that watches the clock, within some seconds. */
static unsigned int clock_works(unsigned int seconds, void (*meanwhile)(void))
{
	unsigned int count = 0;
	char *text, *at;

	ASSERT(write_tracefs("trace", "\n"));
	ASSERT(write_tracefs(WORK_EVENT "/enable", "1"));
	if (meanwhile)
		meanwhile();
	sleep(seconds);
	ASSERT(write_tracefs(WORK_EVENT "/enable", "0"));
	text = read_tracefs(INSTANCE "/trace");
	at = text;
	while ((at = strstr(at, "workqueue_execute_start"))) {
		char *end = at + strcspn(at, "\n");

		*end = 0;
		count += strstr(at, "clock") && strstr(at, "[twheel]");
		at = end + 1;
	}
	free(text);
	return count;
}

/* A change of the kernel's clocksource makes a work, too. It does not come three times in a row. */
static void check_no_clock_works(unsigned int seconds, void (*meanwhile)(void))
{
	unsigned int tries = 3;

	while (clock_works(seconds, meanwhile))
		ASSERT(--tries);
}

/*
 * Many descriptors that watch CLOCK_REALTIME cost nothing until it is set. The kernel only says to
 * the first of them how the clock stands.
 */
TEST(no_work_watches_the_clock)
{
	enum { MANY = 100 };
	int fds[MANY], i;

	begin_trace();
	if (access(INSTANCE "/" WORK_EVENT, F_OK))
		skip("no events of workqueues");
	for (i = 0; i < MANY; i++) {
		fds[i] = open_device(0);
		CALL(ioctl(fds[i], TWHEEL_IOC_CLOCK_SET, 0));
	}
	ASSERT_LE(clock_works(4, NULL), 1);
	for (i = 0; i < MANY; i++)
		close(fds[i]);
	check_no_clock_works(2, NULL);
	check_no_clock_works(1, watch_and_close);
	end_trace();
}

DEVICE_TEST(arming_and_its_ends)
{
	struct line armed, line, *lines;
	struct span span;
	__u64 handle;

	need_debugfs();
	stay_on_cpu(0);
	begin_trace();
	span.begin = current_tick();
	handle = add(fd, HOUR, 1);
	span.end = current_tick();
	armed = only_line(ARM);
	check_new_deadline(&armed, &span, HOUR);

	span.begin = current_tick();
	ASSERT_EQ(change(fd, handle, HOUR / 10), 0);
	span.end = current_tick();
	line = only_line(CHANGE);
	check_new_deadline(&line, &span, HOUR / 10);
	ASSERT_LT(line.expires, armed.expires);
	ASSERT(!strcmp(line.timer, armed.timer));

	/* the visit stays, whatever becomes of a timer that is not due before it */
	add(fd, HOUR, 2);
	ASSERT_EQ(change(fd, handle, 2 * HOUR), 0);
	ASSERT_EQ(query(fd, handle, &(struct twheel_op){ 0 }), 0);
	ASSERT_EQ(change(fd, handle + 1, HOUR), -ENOENT);
	ASSERT_EQ(cancel(fd, handle), 0);
	ASSERT_EQ(read_trace(&lines), 0);
	free(lines);
	span.begin = current_tick();
	close(fd);
	span.end = current_tick();
	armed = line;
	line = only_line(CANCEL);
	check_line(&line, &span);
	ASSERT_EQ(line.expires, armed.expires);
	ASSERT(!strcmp(line.timer, armed.timer));
	end_trace();
}

/*
 * The state of one visit by the lines of the trace. Its callback may arm it again.
 */
struct life {
	bool		pending;
	bool		running;
	__u64		expires;
};

static void follow(struct life *life, const struct line *line)
{
	switch (line->kind) {
	case ARM:
		ASSERT(!life->pending);
		life->pending = true;
		life->expires = line->expires;
		break;
	case CHANGE:
		ASSERT(life->pending);
		life->expires = line->expires;
		break;
	case CANCEL:
		ASSERT(life->pending);
		ASSERT_EQ(line->expires, life->expires);
		life->pending = false;
		break;
	case ENTRY:
		ASSERT(life->pending && !life->running);
		ASSERT_EQ(line->expires, life->expires);
		/* never early */
		ASSERT_LE(line->timeout, 0);
		life->pending = false;
		life->running = true;
		break;
	case EXIT:
		ASSERT(life->running);
		life->running = false;
		break;
	default:
		FAIL("%s of a visit", kinds[line->kind]);
	}
	ASSERT_EQ(strncmp(line->function, VISIT, strlen(VISIT)), 0);
}

/* The lines of the visits of many open files make sense: armed, changed, and ended once. */
TEST(lives_of_many_visits)
{
	enum { COUNT = 60, ROUNDS = 40 };
	struct life life = { .pending = false };
	const char *timer = NULL;
	__u64 handles[COUNT], before[3], counts[3];
	static const char * const names[] = { "armed", "fired", "cancelled" };
	unsigned int seen[KINDS] = { 0 };
	struct twheel_event event;
	unsigned int count, round, i;
	struct line *lines;
	int fds[COUNT];

	need_debugfs();
	stay_on_cpu(0);
	begin_trace();
	for (i = 0; i < 3; i++)
		before[i] = sum_of_cpus(names[i]);
	srandom(4);
	for (i = 0; i < COUNT; i++) {
		fds[i] = open_device(O_NONBLOCK);
		handles[i] = add(fds[i], HOUR + random(), i);
	}
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < COUNT; i++)
			change(fds[i], handles[i], random() % ticks(100));
		/* a timer whose event has been read is gone */
		wait_for_event(fds[round]);
		if (round % 2)
			ASSERT_EQ(read_events(fds[round], &event, 1), 1);
	}
	/* The last one has a visit to come, however long the others take. */
	change(fds[COUNT - 1], handles[COUNT - 1], HOUR);
	for (i = 0; i < COUNT; i++)
		close(fds[i]);

	count = read_trace(&lines);
	for (i = 0; i < 3; i++)
		counts[i] = sum_of_cpus(names[i]) - before[i];
	for (i = 0; i < count; i++) {
		seen[lines[i].kind]++;
		/* one timer for all visits of a user on a CPU */
		if (!timer)
			timer = lines[i].timer;
		ASSERT(!strcmp(lines[i].timer, timer));
		follow(&life, &lines[i]);
	}
	free(lines);
	ASSERT(!life.pending && !life.running);
	note("%u arm, %u change, %u cancel, %u expire",
	     seen[ARM], seen[CHANGE], seen[CANCEL], seen[ENTRY]);
	/* the counts of debugfs are the same */
	ASSERT_EQ(seen[ARM] + seen[CHANGE], counts[0]);
	ASSERT_EQ(seen[ENTRY], counts[1]);
	ASSERT_EQ(seen[EXIT], counts[1]);
	ASSERT_EQ(seen[CANCEL], counts[2]);
	ASSERT_GT(seen[ENTRY], 0);
	ASSERT_GT(seen[CHANGE], 0);
	ASSERT_GT(seen[CANCEL], 0);
	end_trace();
}

/* A program that waits for one timer is visited when that is due, and at no other tick. */
TRAVEL_TEST(one_visit_for_a_timer)
{
	enum { TIMES = 20 };
	struct twheel_event event;
	unsigned int counts[KINDS], i;

	stay_on_cpu(0);
	begin_trace();
	for (i = 0; i < TIMES; i++) {
		add(fd, 5 * tick_ns(), i);
		if (i % 2)
			wait_for_event(fd);
		ASSERT_EQ(read_events(fd, &event, 1), 1);
	}
	count_kinds(counts);
	ASSERT_LE(counts[ENTRY], TIMES);
	end_trace();
}

/* Check the fields of an event's binary record, for tools that read the raw data. */
static void check_format(int kind)
{
	static const char * const needed[KINDS] = {
		[ARM ... MIGRATE] = "timer function expires now period cpu",
		[EXTEND] = "timer expires",
		[EXIT] = "timer function",
	};
	unsigned int offset, size, is_signed, end = 0;
	char path[160], seen[256] = "";
	char *text, *line;
	int parsed;

	snprintf(path, sizeof(path), TRACEFS "/events/twheel/%s/format",
		 kinds[kind]);
	text = read_tracefs(path);
	ASSERT_EQ(strncmp(text, "name: ", 6), 0);
	ASSERT_EQ(strncmp(text + 6, kinds[kind], strlen(kinds[kind])), 0);
	ASSERT(strstr(text, "\nprint fmt: \""));
	for (line = text; (line = strstr(line, "\tfield:")); line++) {
		const char *name = strchr(line, ';');

		ASSERT(name);
		parsed = sscanf(name, ";\toffset:%u;\tsize:%u;\tsigned:%u;",
				&offset, &size, &is_signed);
		ASSERT_EQ(parsed, 3);
		/* no two fields share their bytes */
		ASSERT_GE(offset, end);
		ASSERT(size == 1 || size == 2 || size == 4 || size == 8);
		end = offset + size;
		while (name[-1] != ' ' && name[-1] != '*')
			name--;
		if (!strncmp(name, "common_", 7))
			continue;
		snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen),
			 "%s%.*s", seen[0] ? " " : "",
			 (int)strcspn(name, ";"), name);
	}
	if (strcmp(seen, needed[kind]))
		FAIL("%s has the fields %s", kinds[kind], seen);
	free(text);
}

TEST(formats_describe_the_records)
{
	int kind;

	begin_trace();
	for (kind = 0; kind < KINDS; kind++)
		check_format(kind);
	end_trace();
}

static void set_online(bool online)
{
	ASSERT(write_file("/sys/devices/system/cpu/cpu1/online", online ? "1" : "0"));
}

TEST_TIMEOUT(visits_migrate_from_a_cpu_that_goes_offline, 120)
{
	enum { COUNT = 50 };
	int fds[COUNT];
	unsigned int counts[KINDS], count, i;
	struct line *lines;

	if (access("/sys/devices/system/cpu/cpu1/online", W_OK))
		skip("no CPU here can go offline");
	begin_trace();
	stay_on_cpu(1);
	for (i = 0; i < COUNT; i++) {
		fds[i] = open_device(0);
		add(fds[i], HOUR + i, i);
	}
	count_kinds(counts);
	/* one timer for all visits of a user on a CPU */
	ASSERT_EQ(counts[ARM], 1);
	stay_on_cpu(0);
	set_online(false);
	count = read_trace(&lines);
	set_online(true);
	ASSERT_EQ(count, 1);
	ASSERT_EQ(lines[0].kind, MIGRATE);
	ASSERT_NE(lines[0].cpu, 1);
	ASSERT_EQ(strncmp(lines[0].function, VISIT, strlen(VISIT)), 0);
	free(lines);
	for (i = 0; i < COUNT; i++)
		ASSERT_EQ(timers_of(fds[i]), 1);
	end_trace();
}
