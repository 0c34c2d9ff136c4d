// SPDX-License-Identifier: GPL-2.0
/*
 * Recurring work. A job runs every Monday and Thursday at 09:00, another one on the 12th of each
 * month at 09:00. These are local times, over a year with both of its clock changes. Missed
 * times are counted, a job is armed again from its own expiry, and a removed job never runs
 * again. All of it in virtual time.
 *
 * The kernel knows no calendar: when a time has come, the program computes the next one
 * and arms a timer for it.
 */
#include <sys/time.h>

#include "device.h"

/* Central Europe, for a machine without the files of the time zones. */
#define ZONE	"CET-1CEST,M3.5.0,M10.5.0/3"

/* 2027-01-01 00:00 local time, a Friday. The clocks change on 03-28 and 10-31. */
#define NEW_YEAR	1798758000
#define SUMMER_BEGINS	1806195600
#define SUMMER_ENDS	1824944400

static __u64 wall_clock(void)
{
	return read_clock(CLOCK_REALTIME);
}

static void set_wall_clock(time_t time)
{
	const struct timespec new_time = { .tv_sec = time };

	CALL(setenv("TZ", ZONE, 1));
	tzset();
	CALL(clock_settime(CLOCK_REALTIME, &new_time));
}

/* A job that runs on certain days at 09:00. */
struct job {
	const char	*name;
	bool		(*on)(const struct tm *day);
	time_t		next;		/* when it is due */
	unsigned int	runs;
	unsigned int	missed;		/* times that came and went unread */
	unsigned int	in_summer;
};

static bool on_monday_and_thursday(const struct tm *day)
{
	return day->tm_wday == 1 || day->tm_wday == 4;
}

static bool on_the_twelfth(const struct tm *day)
{
	return day->tm_mday == 12;
}

static const struct job twice_a_week = {
	.name = "every Monday and Thursday",
	.on = on_monday_and_thursday,
};

static const struct job once_a_month = {
	.name = "the 12th of each month",
	.on = on_the_twelfth,
};

/* The first time of the job after @after. */
static time_t next_time(const struct job *job, time_t after)
{
	struct tm day;
	time_t time;
	int i;

	ASSERT(localtime_r(&after, &day));
	for (i = 0; i < 40; i++) {
		day.tm_hour = 9;
		day.tm_min = 0;
		day.tm_sec = 0;
		day.tm_isdst = -1;
		time = mktime(&day);
		if (time > after && job->on(&day))
			return time;
		day.tm_mday++;
	}
	FAIL("no next time for %s", job->name);
}

static __u64 arm_job(int fd, struct job *job, __u64 cookie, time_t after)
{
	const __u64 offset = wall_clock() - now();

	job->next = next_time(job, after);
	return add_at(fd, job->next * NSEC_PER_SEC - offset, cookie);
}

static bool in_summer(time_t time)
{
	return time >= SUMMER_BEGINS && time < SUMMER_ENDS;
}

/* Check a time of the job in another way than next_time() computed it. */
static void check_time(const struct job *job, time_t time)
{
	const time_t hour = in_summer(time) ? 7 : 8;
	struct tm day;

	ASSERT_EQ(time % 86400, hour * 3600);
	ASSERT(gmtime_r(&time, &day));
	ASSERT(job->on(&day));
}

static void run_job(struct job *job, const struct twheel_event *event)
{
	/* no time passes between the expiry and this look */
	const __u64 late = wall_clock() - job->next * NSEC_PER_SEC;

	ASSERT_EQ(event->count, 1);
	check_lateness(event);
	ASSERT_LE(late, ticks(1) + 2 * slack_ns());
	check_time(job, job->next);
	job->runs++;
	job->in_summer += in_summer(job->next);
}

/* Each job is armed again from its own expiry. A year has 104 and 12 times. */
TRAVEL_TEST(calendar_jobs_for_a_year)
{
	struct job jobs[] = { twice_a_week, once_a_month };
	struct twheel_event event;
	struct job *job;
	__u64 i;

	set_wall_clock(NEW_YEAR);
	for (i = 0; i < ARRAY_SIZE(jobs); i++)
		arm_job(fd, &jobs[i], i, NEW_YEAR);
	while (jobs[0].runs + jobs[1].runs < 104 + 12) {
		event = read_one(fd);
		ASSERT_LT(event.cookie, ARRAY_SIZE(jobs));
		job = &jobs[event.cookie];
		run_job(job, &event);
		arm_job(fd, job, event.cookie, job->next);
	}
	/* the next times are in the next year */
	for (i = 0; i < ARRAY_SIZE(jobs); i++) {
		struct tm day;

		ASSERT(localtime_r(&jobs[i].next, &day));
		ASSERT_EQ(day.tm_year, 2028 - 1900);
		note("%s: %u times, %u of them in summer", jobs[i].name,
		     jobs[i].runs, jobs[i].in_summer);
	}
	ASSERT_EQ(jobs[0].runs, 104);
	ASSERT_EQ(jobs[0].in_summer, 62);
	ASSERT_EQ(jobs[1].runs, 12);
	ASSERT_EQ(jobs[1].in_summer, 7);
	ASSERT_EQ(timers_of(fd), 2);
}

/* A week with a clock change is an hour shorter or longer. */
TRAVEL_TEST(weeks_of_the_clock_changes)
{
	static const struct {
		time_t		change;
		long long	distance;	/* from Thursday to Monday */
	} weeks[] = {
		{ SUMMER_BEGINS, 4 * 86400 - 3600 },
		{ SUMMER_ENDS, 4 * 86400 + 3600 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(weeks); i++) {
		struct job job = twice_a_week;
		struct twheel_event event;
		__u64 thursday;

		set_wall_clock(weeks[i].change - 4 * 86400);
		arm_job(fd, &job, i, weeks[i].change - 4 * 86400);
		event = read_one(fd);
		thursday = event.deadline_ns;
		run_job(&job, &event);
		arm_job(fd, &job, i, job.next);
		event = read_one(fd);
		run_job(&job, &event);
		ASSERT_EQ(event.deadline_ns - thursday,
			  weeks[i].distance * NSEC_PER_SEC);
	}
}

/* The policy of this job: missed times are counted, and it runs once for all. */
TRAVEL_TEST(calendar_job_whose_reader_is_away)
{
	struct job job = twice_a_week;
	struct twheel_event event;
	time_t due, today;

	set_wall_clock(NEW_YEAR);
	arm_job(fd, &job, 1, NEW_YEAR);
	/* from Friday on: Monday, Thursday, Monday, Thursday, Monday, Thursday */
	sleep_for(3 * WEEK);
	event = read_one(fd);
	check_lateness(&event);
	today = wall_clock() / NSEC_PER_SEC;
	for (due = job.next; due <= today; due = next_time(&job, due))
		job.missed++;
	ASSERT_EQ(job.missed, 6);
	ASSERT(!has_event(fd));
	ASSERT_EQ(timers_of(fd), 0);
	/* the next run is in time again */
	arm_job(fd, &job, 1, today);
	ASSERT_EQ(job.next, due);
	event = read_one(fd);
	run_job(&job, &event);
}

TRAVEL_TEST(removed_jobs_are_gone_for_good)
{
	struct job job = twice_a_week;
	__u64 calendar, period, unread;

	set_wall_clock(NEW_YEAR);
	calendar = arm_job(fd, &job, 1, NEW_YEAR);
	period = add_periodic(fd, now(), 10 * NSEC_PER_SEC, 2);
	/* both work before they are removed */
	ASSERT_EQ(read_one(fd).cookie, 2);
	ASSERT_EQ(read_one(fd).cookie, 2);
	ASSERT_EQ(cancel(fd, period), 0);
	unread = add_periodic(fd, now(), 10 * NSEC_PER_SEC, 3);
	wait_until_expired(fd, unread);
	ASSERT_EQ(cancel(fd, unread), TWHEEL_RETRACTED);
	ASSERT_EQ(cancel(fd, calendar), 0);

	ASSERT_EQ(timers_of(fd), 0);
	sleep_for(WEEK);
	check_no_event(fd);
	ASSERT_EQ(cancel(fd, period), -ENOENT);
	ASSERT_EQ(cancel(fd, unread), -ENOENT);
	ASSERT_EQ(cancel(fd, calendar), -ENOENT);
	/* a new timer may take the place of an old one, but not its handle */
	ASSERT_NE(add(fd, 0, 4), calendar);
	ASSERT_EQ(read_one(fd).cookie, 4);
}
