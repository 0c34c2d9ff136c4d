/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Local time. The offset from UTC is constant in a run of time, and changes from run to
 * run.
 */
#ifndef _ZONE_H
#define _ZONE_H

#include <time.h>

/* No change is longer: it goes from UTC-12 to UTC+14, or back. No offset is larger, either. */
#define ZONE_LONGEST_CHANGE	(26 * 3600)

/*
 * Read the time zone again, because its file may have changed. Reports a zone that this
 * machine does not have, once.
 */
void zone_refresh(void);

/* Local time minus UTC at @time, in seconds. */
long zone_offset(time_t time);

/* The first time after @time at which the offset is another one; at most a day after @time. */
time_t zone_run_end(time_t time);

/* The first time at which local clocks show @wall, a time as if in UTC; -1 if they skip it. */
time_t zone_first_time_of(time_t wall);

#endif /* _ZONE_H */
