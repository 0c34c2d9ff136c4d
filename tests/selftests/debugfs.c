// SPDX-License-Identifier: GPL-2.0
/*
 * The files in /sys/kernel/debug/twheel: what they tell is right. They tell of the timers of
 * modules. Of programs they tell only of the timers for visits, by which the kernel looks at the
 * timers of open files: there is one for each user and CPU.
 */
#include "debugfs.h"

#include <sys/stat.h>

enum { LEVELS = 6, SLOTS = 128, DIGIT = 6 };

/* The keys of each file, in order. Lines of late_N may stand between them. */
static const char * const counts_keys[] = {
	"armed", "fired", "cancelled", "replaced", "pending", "unaccounted",
};

static const char * const cpu_keys[] = {
	"online", "now", "hand", "next", "wake", "pending", "deferred",
	"busy_workers", "armed", "fired", "cancelled", "replaced", "extended",
	"cascaded", "refiled", "runs", "migrated", "run_max_ns", "early", "in_window",
	"level_0", "level_1", "level_2", "level_3", "level_4", "level_5",
};

static const char *skip_line(const char *text)
{
	const char *end = strchr(text, '\n');

	ASSERT(end);
	return end + 1;
}

/* Check that a text has these keys in this order, and no others but late_N. */
static void check_keys(const char *text, const char * const *keys, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		const size_t length = strlen(keys[i]);

		while (!strncmp(text, "late_", 5))
			text = skip_line(text);
		if (strncmp(text, keys[i], length) || text[length] != ' ')
			FAIL("%.20s... where %s should be", text, keys[i]);
		text = skip_line(text);
	}
	ASSERT_EQ(*text, 0);
}

static void check_file(const char *name, mode_t mode)
{
	char path[64];
	struct stat status;

	snprintf(path, sizeof(path), DEBUGFS "%s", name);
	CALL(stat(path, &status));
	ASSERT_EQ(status.st_mode, S_IFREG | mode);
}

/* The files for reading, with their keys. No timer was early. */
static void check_all_keys(void)
{
	char text[DEBUGFS_TEXT], name[16];
	int cpu;

	check_file("counts", 0444);
	read_debugfs("counts", text);
	check_keys(text, counts_keys, ARRAY_SIZE(counts_keys));
	for (cpu = 0; cpu < cpu_count(); cpu++) {
		snprintf(name, sizeof(name), "cpu%d", cpu);
		check_file(name, 0444);
		read_debugfs(name, text);
		check_keys(text, cpu_keys, ARRAY_SIZE(cpu_keys));
		ASSERT_EQ(number_of(text, "early"), 0);
	}
}

TEST(files_and_their_keys)
{
	need_debugfs();
	check_file("reset", 0200);
	check_all_keys();
}

/* Numbers of timers: far timers that end in different ways, and some that expire. */
enum { KEPT = 100, CANCELLED = 70, EARLIER = 50, LATER = 30, EXPIRED = 200 };

static void mixed_load(int fd)
{
	struct twheel_event events[EXPIRED];
	__u64 handles[KEPT + CANCELLED];
	int i;

	for (i = 0; i < KEPT + CANCELLED; i++)
		handles[i] = add(fd, (10 + i) * HOUR, i);
	for (i = 0; i < EARLIER; i++)
		ASSERT_EQ(change(fd, handles[i], HOUR), 0);
	for (i = 0; i < LATER; i++)
		ASSERT_EQ(change(fd, handles[i], 5000 * HOUR), 0);
	for (i = 0; i < CANCELLED; i++)
		ASSERT_EQ(cancel(fd, handles[KEPT + i]), 0);
	for (i = 0; i < EXPIRED; i++)
		add(fd, ticks(i % 40), i);
	read_all(fd, events, EXPIRED);
}

/* However many timers a program has, one visit is armed for its open file. */
DEVICE_TEST(counts_balance_after_a_mixed_load)
{
	__u64 armed, fired, pending;

	need_debugfs();
	ASSERT_EQ(number_in("counts", "unaccounted"), 0);
	armed = number_in("counts", "armed");
	fired = number_in("counts", "fired");
	pending = number_in("counts", "pending");

	mixed_load(fd);
	ASSERT_EQ(number_in("counts", "unaccounted"), 0);
	ASSERT_GE(number_in("counts", "fired"), fired + 1);
	ASSERT_GE(number_in("counts", "armed") - armed, number_in("counts", "fired") - fired + 1);
	ASSERT_EQ(number_in("counts", "pending"), pending + 1);

	close(fd);
	ASSERT_EQ(number_in("counts", "pending"), pending);
	ASSERT_EQ(number_in("counts", "unaccounted"), 0);
}

/* "counts" has extensions in "armed" and "replaced", the files of the CPUs do not. */
DEVICE_TEST(counts_are_the_sums_of_the_cpus)
{
	static const char * const keys[] = {
		"fired", "cancelled", "pending", "armed", "replaced", "extended",
	};
	enum { ARMED = 3, EXTENDED = 5 };
	char text[DEBUGFS_TEXT], later[DEBUGFS_TEXT];
	__u64 sums[ARRAY_SIZE(keys)];
	unsigned int i;

	need_debugfs();
	mixed_load(fd);
	/* A visit that comes in between changes the counts. */
	do {
		read_debugfs("counts", text);
		for (i = 0; i < ARRAY_SIZE(keys); i++)
			sums[i] = sum_of_cpus(keys[i]);
		read_debugfs("counts", later);
	} while (strcmp(text, later));
	for (i = 0; i < ARMED; i++)
		ASSERT_EQ(sums[i], number_of(text, keys[i]));
	for (; i < EXTENDED; i++)
		ASSERT_EQ(sums[i] + sums[EXTENDED], number_of(text, keys[i]));
}

/* The sum of the histogram. Its keys are 0 and the powers of two. */
static __u64 sum_of_lateness(const char *text)
{
	unsigned long long ticks, count, least = 0;
	__u64 sum = 0;
	int parsed;

	for (; *text; text = skip_line(text)) {
		if (strncmp(text, "late_", 5))
			continue;
		parsed = sscanf(text, "late_%llu %llu\n", &ticks, &count);
		ASSERT_EQ(parsed, 2);
		ASSERT_EQ(ticks & (ticks - 1), 0);
		ASSERT_GE(ticks, least);
		ASSERT_GT(count, 0);
		least = ticks + 1;
		sum += count;
	}
	return sum;
}

/*
 * Lateness is counted after all callbacks of a run. Where softirqs are threads,
 * that is a moment after the last event.
 */
static void read_when_settled(char *text, __u64 before)
{
	int i;

	for (i = 0; i < 1000; i++) {
		read_debugfs("cpu0", text);
		if (sum_of_lateness(text) == number_of(text, "fired") - before)
			return;
		usleep(1000);
	}
}

DEVICE_TEST(histogram_sums_up_to_what_fired)
{
	char text[DEBUGFS_TEXT];
	__u64 fired;

	need_debugfs();
	stay_on_cpu(0);
	reset();
	fired = number_in("cpu0", "fired");
	mixed_load(fd);
	read_when_settled(text, fired);
	fired = number_of(text, "fired") - fired;
	ASSERT_GE(fired, 1);
	ASSERT_EQ(number_of(text, "early"), 0);
	ASSERT_EQ(number_of(text, "in_window"), 0);
	ASSERT_EQ(sum_of_lateness(text), fired);
	/* in virtual time, no timer is late */
	if (time_travel)
		ASSERT_EQ(number_of(text, "late_0"), fired);
	ASSERT_GE(number_of(text, "runs"), 1);
	ASSERT_EQ(sum_of_cpus("early"), 0);
}

/* The slots of a level. Returns the slot of the hand, before which a '>' stands. */
static unsigned int level_picture(const char *text, unsigned int level, char slots[SLOTS])
{
	unsigned int hand = SLOTS, i = 0;
	const char *picture;
	char key[16];

	snprintf(key, sizeof(key), "level_%u", level);
	picture = find_value(text, key);
	ASSERT(picture);
	for (; *picture != '\n'; picture++) {
		if (*picture == '>') {
			ASSERT_EQ(hand, SLOTS);
			hand = i;
			continue;
		}
		ASSERT_LT(i, SLOTS);
		ASSERT(*picture == '.' || (*picture >= '1' && *picture <= '9'));
		slots[i++] = *picture;
	}
	ASSERT_EQ(i, SLOTS);
	ASSERT_LT(hand, SLOTS);
	return hand;
}

/* Does a timer occupy any slot of the ticks from @first to @last? */
static bool taken(const char *text, unsigned int level, __u64 first, __u64 last)
{
	const unsigned int shift = level * DIGIT;
	char slots[SLOTS];
	__u64 slot;

	ASSERT_EQ(level_picture(text, level, slots), (number_of(text, "hand") >> shift) % SLOTS);
	for (slot = first >> shift; slot <= last >> shift; slot++)
		if (slots[slot % SLOTS] != '.')
			return true;
	return false;
}

enum shown { SHOWN, NOT_SHOWN, TOO_LATE };

/*
 * Is the visit for a timer shown on a level if the timer is @distance slots of that level
 * away, 4 to 60? The visit begins to move the timer down, so it may be two slots earlier. TOO_LATE
 * if so much time passed meanwhile that the picture does not tell.
 */
static enum shown shown_on(unsigned int level, unsigned int distance)
{
	const int fd = open_device(0);
	const __u64 away = (__u64)distance << (level * DIGIT);
	char before[DEBUGFS_TEXT], after[DEBUGFS_TEXT];
	__u64 first, last;

	read_debugfs("cpu0", before);
	add(fd, away * tick_ns(), level);
	read_debugfs("cpu0", after);
	close(fd);

	/* its tick may be one more or less than what the clock says */
	first = number_of(before, "now") + away - 1 - (2ULL << (level * DIGIT));
	last = number_of(after, "now") + away + 2;
	if (last - first >= 10ULL << (level * DIGIT))
		return TOO_LATE;
	if (taken(before, level, first, last) || !taken(after, level, first, last))
		return NOT_SHOWN;
	ASSERT_EQ(number_of(after, "pending"), number_of(before, "pending") + 1);
	ASSERT_LE(number_of(after, "next"), last);
	return SHOWN;
}

TEST(picture_shows_each_level)
{
	unsigned int level;
	int distance;

	need_debugfs();
	stay_on_cpu(0);
	for (level = 0; level < LEVELS; level++) {
		enum shown shown = NOT_SHOWN;

		/* not near the last try: its slot may still be shown as taken */
		for (distance = 59; distance > 4; distance -= 12) {
			do
				shown = shown_on(level, distance);
			while (shown == TOO_LATE);
			if (shown == SHOWN)
				break;
		}
		if (shown != SHOWN)
			FAIL("no timer seen on level %u", level);
	}
}

static void keep_reading(void *data)
{
	atomic_uint *rounds = data;

	while (!stopping) {
		check_all_keys();
		++*rounds;
		/* in virtual time, there is one CPU and no preemption */
		if (time_travel)
			pass_ticks(0);
	}
}

DEVICE_TEST(nothing_is_lost_while_it_is_read)
{
	enum { BATCH = 500 };
	static struct twheel_op ops[BATCH];
	static struct twheel_event events[BATCH];
	const unsigned int batches = many(50) + 4;
	atomic_uint rounds = 0;
	unsigned int batch, i;

	need_debugfs();
	start_thread(keep_reading, &rounds);
	for (batch = 0; batch < batches || !rounds; batch++) {
		for (i = 0; i < BATCH; i++)
			ops[i] = new_timer(ticks(i % 5), i);
		add_all(fd, ops, BATCH);
		read_all(fd, events, BATCH);
		for (i = 0; i < BATCH; i++)
			check_first_event(&events[i], ops, BATCH);
	}
	stop_threads();
	note("%u timers, the files read %u times", batch * BATCH, rounds);
	ASSERT_EQ(timers_of(fd), 0);
	ASSERT_EQ(number_in("counts", "unaccounted"), 0);
}

DEVICE_TEST(reset_leaves_the_counts_alone)
{
	static const char * const zeroed[] = {
		"migrated", "early", "in_window",
	};
	char before[DEBUGFS_TEXT], after[DEBUGFS_TEXT];
	unsigned int i;
	__u64 fired;

	need_debugfs();
	stay_on_cpu(0);
	mixed_load(fd);
	close(fd);
	/* The wheel makes the last run that the ended timers have caused. */
	do {
		read_debugfs("counts", before);
		sleep_for(ticks(50));
		read_debugfs("counts", after);
	} while (strcmp(before, after));
	fired = number_in("cpu0", "fired");
	ASSERT_GT(number_in("cpu0", "runs"), 0);
	reset();
	read_debugfs("counts", after);
	ASSERT(!strcmp(before, after));
	ASSERT_EQ(number_in("cpu0", "fired"), fired);

	read_debugfs("cpu0", after);
	for (i = 0; i < ARRAY_SIZE(zeroed); i++)
		if (number_of(after, zeroed[i]))
			FAIL("%s is not 0", zeroed[i]);
	ASSERT_EQ(sum_of_lateness(after), 0);
	ASSERT_LE(number_of(after, "runs"), 1);
	/* "reset" cannot be read */
	ASSERT_ERRNO(read(CALL(open(DEBUGFS "reset", O_RDONLY)), after, 1), EACCES);
}

static bool is_never(const char *text, const char *key)
{
	return !strncmp(find_value(text, key), "never\n", 6);
}

DEVICE_TEST(next_visit_is_never_without_timers)
{
	char text[DEBUGFS_TEXT];
	unsigned int i;
	__u64 handle;

	need_debugfs();
	stay_on_cpu(0);
	handle = add(fd, HOUR, 1);
	read_debugfs("cpu0", text);
	ASSERT_EQ(number_of(text, "online"), 1);
	ASSERT_EQ(number_of(text, "pending"), 1);
	ASSERT_LE(number_of(text, "wake"), number_of(text, "next"));
	ASSERT_LE(number_of(text, "next"), number_of(text, "now") + HOUR / tick_ns() + 2);
	/* The last timer takes its visit along only when the file is closed. */
	ASSERT_EQ(cancel(fd, handle), 0);
	close(fd);
	/* the wheel's next run finds that no timer is left */
	for (i = 0; i < 1000; i++) {
		pass_ticks(1);
		sleep_for(ticks(3));
		read_debugfs("cpu0", text);
		if (is_never(text, "next") && is_never(text, "wake"))
			break;
	}
	ASSERT_LT(i, 1000);
	ASSERT_EQ(number_of(text, "pending"), 0);
}
