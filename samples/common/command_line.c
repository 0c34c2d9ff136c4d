// SPDX-License-Identifier: MIT
#include <getopt.h>
#include <stdio.h>

#include "command_line.h"
#include "exit.h"

enum { MOST_SETTINGS = 15 };

static __u64 parse_number(const struct setting *setting, const char *text)
{
	__u64 value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	/* strtoull() would take a sign, and spaces in front */
	if (*text < '0' || *text > '9' || *end || errno || value < setting->low ||
	    value > setting->high)
		errx(EXIT_USAGE, "--%s is a number from %llu to %llu, not '%s'",
		     setting->name, setting->low, setting->high, text);
	return setting->unit ? value * setting->unit : value;
}

void parse_command_line(const struct setting *settings, const char *help, int argc,
			char **argv)
{
	struct option options[MOST_SETTINGS + 2] = { 0 };
	int count, index, result;

	for (count = 0; settings[count].name && count < MOST_SETTINGS; count++)
		options[count] = (struct option){
			.name = settings[count].name,
			.has_arg = required_argument,
		};
	options[count] = (struct option){ .name = "help", .val = 'h' };

	while ((result = getopt_long(argc, argv, "", options, &index)) != -1) {
		if (result == 'h') {
			fputs(help, stdout);
			exit(EXIT_SUCCESS);
		}
		if (result)
			exit(EXIT_USAGE);
		if (settings[index].text)
			*settings[index].text = optarg;
		else
			*settings[index].number = parse_number(&settings[index], optarg);
	}
	if (optind < argc)
		errx(EXIT_USAGE, "'%s' is not an option; see --help", argv[optind]);
}
