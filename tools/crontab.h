/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CRONTAB_H
#define _CRONTAB_H

/* The place of --file among the options of cron; 0 if it is not there. */
int crontab_option(int argc, char **argv);

/* Run the jobs of the file that the option at @place names. Returns an exit status. */
int crontab_run(int argc, char **argv, int place);

#endif /* _CRONTAB_H */
