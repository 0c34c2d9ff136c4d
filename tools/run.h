/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _RUN_H
#define _RUN_H

#include <stdint.h>
#include "job.h"

/* Print the event of a job, or run the job's command. Returns an exit status. */
int run_job(const struct job *job, const struct twheel_event *event);

/* Become the command. If that fails, report why, and end with status 126 or 127. */
_Noreturn void run_exec(char **command);

/* The status of a command as a shell would give it, from what waitpid() said. */
int run_status(int wait_status);

/* Set a variable of the environment. */
void run_set_variable(const char *name, uint64_t value);

#endif /* _RUN_H */
