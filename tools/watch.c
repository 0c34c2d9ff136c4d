// SPDX-License-Identifier: GPL-2.0
/* twheelctl watch: a live picture of the wheels */
#include <errno.h>
#include <inttypes.h>
#include <libtwheel.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include "command.h"
#include "device.h"
#include "format.h"
#include "json.h"
#include "parse.h"
#include "report.h"
#include "sampling.h"
#include "status.h"
#include "wheel.h"

/* SHARE slots share a character, so that a level fits into 80 columns. */
enum { CPUS_MAX = 1024, SHARE = 2 };

/**
 * struct sample - all wheels at one moment
 * @time: The time on CLOCK_MONOTONIC.
 * @wheel: The wheels.
 */
struct sample {
	uint64_t	time;
	struct wheel	wheel[CPUS_MAX];
};

/**
 * struct watch - the last two samples
 * @tick_ns: The length of a tick.
 * @cpus: The number of wheels.
 * @samples: The present sample and the one before, in turn.
 * @now: The index of the present sample.
 */
struct watch {
	uint64_t	tick_ns;
	unsigned int	cpus;
	struct sample	samples[2];
	unsigned int	now;
};

static int no_debugfs(int error)
{
	if (error == -EACCES || error == -EPERM) {
		report("/sys/kernel/debug/twheel is for root");
		return STATUS_NO_ACCESS;
	}
	report("no /sys/kernel/debug/twheel: mount -t debugfs none /sys/kernel/debug, on a kernel that has debugfs");
	return STATUS_FAILED;
}

static int take_sample(struct watch *watch)
{
	const unsigned int most = (unsigned int)get_nprocs_conf();
	struct sample *sample = &watch->samples[watch->now ^= 1];
	unsigned int cpu;
	int ret;

	sample->time = twheel_now(CLOCK_MONOTONIC);
	watch->cpus = 0;
	for (cpu = 0; cpu < most && watch->cpus < CPUS_MAX; cpu++) {
		ret = wheel_read(cpu, &sample->wheel[watch->cpus]);
		if (!ret)
			watch->cpus++;
		else if (ret != -ENOENT || !cpu)
			return no_debugfs(ret);
	}
	return STATUS_DONE;
}

/* Counter @what of wheel @i, per second since the sample before. */
static double rate(const struct watch *watch, unsigned int i, unsigned int what)
{
	const struct sample *now = &watch->samples[watch->now];
	const struct sample *before = &watch->samples[!watch->now];

	if (!before->time || now->time == before->time)
		return 0;
	return (double)(now->wheel[i].counts[what] - before->wheel[i].counts[what]) *
	       1e9 / (double)(now->time - before->time);
}

static uint64_t next_ns(const struct watch *watch, const struct wheel *wheel)
{
	return wheel->next > wheel->now ?
	       (wheel->next - wheel->now) * watch->tick_ns : 0;
}

static void wheel_json(const struct watch *watch, unsigned int i)
{
	const struct wheel *wheel = &watch->samples[watch->now].wheel[i];
	char slots[WHEEL_SLOTS + 1] = "";
	unsigned int n;

	json_open(NULL, '{');
	json_number("cpu", wheel->cpu);
	json_number("online", wheel->online);
	json_number("pending", wheel->pending);
	if (wheel->sleeps)
		json_null("next_ns");
	else
		json_number("next_ns", next_ns(watch, wheel));
	json_number("run_max_ns", wheel->run_max_ns);
	json_open("per_second", '{');
	for (n = 0; n < WHEEL_RATES; n++)
		json_real(wheel_rate_names[n], rate(watch, i, n));
	json_close('}');
	json_open("levels", '[');
	for (n = 0; n < WHEEL_LEVELS; n++) {
		memcpy(slots, wheel->slots[n], WHEEL_SLOTS);
		json_open(NULL, '{');
		json_number("slot_ns", watch->tick_ns << 6 * n);
		json_number("hand", wheel->hand[n]);
		json_number("occupied", wheel_occupied(wheel, n));
		json_text("slots", slots);
		json_close('}');
	}
	json_close(']');
	json_close('}');
}

static void show_json(const struct watch *watch)
{
	char time[FORMAT_SIZE];
	unsigned int i;

	json_open(NULL, '{');
	json_text("time", format_time(twheel_now(CLOCK_REALTIME), time));
	json_open("cpus", '[');
	for (i = 0; i < watch->cpus; i++)
		wheel_json(watch, i);
	json_close(']');
	json_close('}');
	json_end();
}

static void show_level(const struct watch *watch, const struct wheel *wheel,
		       unsigned int level)
{
	char line[WHEEL_SLOTS / SHARE + 1], slot[FORMAT_SIZE], *at;
	unsigned int i;

	memset(line, '.', sizeof(line) - 1);
	line[sizeof(line) - 1] = 0;
	line[wheel->hand[level] / SHARE] = '>';
	for (i = 0; i < WHEEL_SLOTS; i++) {
		at = &line[i / SHARE];
		if (wheel->slots[level][i] != '.' &&
		    (*at == '.' || *at == '>' || *at < wheel->slots[level][i]))
			*at = wheel->slots[level][i];
	}
	printf("%12s %s\n", format_duration(watch->tick_ns << 6 * level, slot), line);
}

static void show_wheel(const struct watch *watch, unsigned int i)
{
	const struct wheel *wheel = &watch->samples[watch->now].wheel[i];
	char left[FORMAT_SIZE], run[FORMAT_SIZE];
	unsigned int n;

	printf("cpu%u%s  %" PRIu64 " pending, longest run %s, ", wheel->cpu,
	       wheel->online ? "" : " (offline)", wheel->pending,
	       format_duration(wheel->run_max_ns, run));
	if (wheel->sleeps)
		puts("asleep");
	else
		printf("next look in %s\n", format_duration(next_ns(watch, wheel), left));
	printf("  per second:");
	for (n = 0; n < WHEEL_RATES; n++)
		printf(" %s %.0f", wheel_rate_names[n], rate(watch, i, n));
	putchar('\n');
	for (n = 0; n < WHEEL_LEVELS; n++)
		show_level(watch, wheel, n);
}

static void show(const struct watch *watch)
{
	char time[FORMAT_SIZE], tick[FORMAT_SIZE];
	unsigned int i;

	sampling_clear();
	printf("twheel  %s  tick %s\n", format_time(twheel_now(CLOCK_REALTIME), time),
	       format_duration(watch->tick_ns, tick));
	for (i = 0; i < watch->cpus; i++)
		show_wheel(watch, i);
	fflush(stdout);
}

static int run(struct watch *watch, struct sampling *sampling)
{
	int ret = take_sample(watch);

	while (!ret && sampling_next(sampling)) {
		sampling_wait(sampling);
		ret = take_sample(watch);
		if (ret)
			break;
		if (json)
			show_json(watch);
		else
			show(watch);
	}
	return ret;
}

int watch_main(int argc, char **argv)
{
	struct sampling sampling = { .interval = NSEC_PER_SEC };
	static struct watch watch;
	struct twheel_info info;
	int i, ret, fd;

	for (i = 1; i < argc; i += ret) {
		ret = sampling_take(&sampling, argv + i);
		if (!ret)
			report("watch: unexpected argument '%s'", argv[i]);
		if (ret <= 0)
			return STATUS_USAGE;
	}
	fd = device_open();
	if (fd < 0)
		return -fd;
	ret = twheel_get_info(fd, &info);
	twheel_close(fd);
	if (ret)
		return device_report("watch", ret);
	watch.tick_ns = info.resolution_ns;
	return run(&watch, &sampling);
}
