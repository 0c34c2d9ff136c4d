/* SPDX-License-Identifier: GPL-2.0 */
/* The exit statuses of twheelctl, which most functions of the tool return. */
#ifndef _STATUS_H
#define _STATUS_H

enum {
	STATUS_DONE		= 0,
	STATUS_FAILED		= 1,	/* the device or the system refused something */
	STATUS_USAGE		= 2,	/* the command line makes no sense */
	STATUS_NO_DEVICE	= 3,	/* the module is not loaded */
	STATUS_NO_ACCESS	= 4,	/* the user may not use the device */
	STATUS_COMMAND_FAILED	= 5,	/* a command that the tool ran failed */
	STATUS_COMMAND_HUNG	= 6,	/* a command let its lease run out */
};

#endif /* _STATUS_H */
