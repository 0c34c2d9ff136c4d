// SPDX-License-Identifier: GPL-2.0
/* twheelctl add, at, every and cron: one job in the foreground */
#include "command.h"
#include "crontab.h"
#include "session.h"
#include "status.h"

int timer_main(int argc, char **argv)
{
	const int file = crontab_option(argc, argv);
	struct session session;
	struct job *job;
	int ret;

	if (file)
		return crontab_run(argc, argv, file);
	job = job_new(argc, argv);
	if (!job)
		return STATUS_USAGE;
	ret = session_open(&session);
	if (ret) {
		job_free(job);
		return ret;
	}
	ret = session_add(&session, job);
	if (!ret)
		ret = session_run(&session);
	session_close(&session);
	return ret;
}
