/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _RUN_H
#define _RUN_H

#include "job.h"

/* Print the event of a job, or run the job's command. Returns an exit status. */
int run_job(const struct job *job, const struct twheel_event *event);

#endif /* _RUN_H */
