/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _PROMETHEUS_H
#define _PROMETHEUS_H

#include <libtwheel.h>

/*
 * Print what the driver reports in Prometheus's text format. @counts is the text of the counts
 * in debugfs, or NULL. Returns an exit status.
 */
int prometheus_show(const struct twheel_info *info, const char *counts);

#endif /* _PROMETHEUS_H */
