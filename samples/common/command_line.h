/* SPDX-License-Identifier: MIT */
/*
 * The command line of a sample, from a table of its options.
 */
#ifndef _COMMAND_LINE_H
#define _COMMAND_LINE_H

#include <linux/types.h>

/**
 * struct setting - an option that takes a value
 * @name: What follows the two dashes. %NULL ends the table.
 * @number: Where to store the value, if the option takes a number.
 * @low: The least number that is allowed.
 * @high: The greatest.
 * @unit: Multiplies the number before it is stored; 0 counts as 1.
 * @text: Where to store the value, if the option takes a word instead.
 */
struct setting {
	const char	*name;
	__u64		*number;
	__u64		low;
	__u64		high;
	__u64		unit;
	const char	**text;
};

/*
 * Store the values that the command line gives. Others stay as they are. --help prints
 * @help and ends the program; a mistake ends it with a message and EXIT_USAGE.
 */
void parse_command_line(const struct setting *settings, const char *help, int argc,
			char **argv);

#endif /* _COMMAND_LINE_H */
