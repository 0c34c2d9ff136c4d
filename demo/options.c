// SPDX-License-Identifier: MIT
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "options.h"
#include "picture.h"

static const char help[] =
"usage: demo [--drivers N] [--seconds S] [--seed N] [--silent N]\n"
"            [--live | --lines] [--ascii] [--check]\n"
"\n"
"A million simulated drivers report from time to time; each has a timer on\n"
"/dev/twheel. Some drivers fall silent. The demo checks that exactly their timers\n"
"expire: none early, none lost, each in the first run of the wheel.\n"
"\n"
"  --drivers N  number of drivers (1000000)\n"
"  --seconds S  how long the demo runs; longer on a slow machine (110)\n"
"  --seed N     seed of the random numbers (1)\n"
"  --silent N   of a thousand drivers, so many fall silent (10)\n"
"  --live       draw in place: the default on a terminal of at least 80 by 24\n"
"  --lines      print lines: the default elsewhere\n"
"  --ascii      use no block characters\n"
"  --check      only print the number of drivers and of seconds\n"
"\n"
"There are no colours if NO_COLOR is set. Exit status: 0 if all checks passed,\n"
"2 for a bad command line, 3 if a check failed or the demo could not run.\n";

static bool parse_number(const char *name, const char *text, uint64_t low,
			 uint64_t high, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || *value < low ||
	    *value > high) {
		warnx("--%s is a number from %llu to %llu, not '%s'", name,
		      (unsigned long long)low, (unsigned long long)high, text);
		return false;
	}
	return true;
}

/* A dimension of the terminal, for terminals that do not tell their size. */
static unsigned int dimension(const char *name)
{
	const char *text = getenv(name);

	return text ? (unsigned int)strtoul(text, NULL, 10) : 0;
}

static bool terminal_is_large(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col) {
		size.ws_col = (unsigned short)dimension("COLUMNS");
		size.ws_row = (unsigned short)dimension("LINES");
	}
	return size.ws_col >= PICTURE_COLUMNS && size.ws_row >= PICTURE_LINES;
}

int options_parse(struct options *o, int argc, char **argv)
{
	enum { DRIVERS, SECONDS, SEED, SILENT, LIVE, LINES, ASCII, CHECK,
	       HELP };
	static const struct option known[] = {
		{ "drivers",	required_argument,	NULL, DRIVERS },
		{ "seconds",	required_argument,	NULL, SECONDS },
		{ "seed",	required_argument,	NULL, SEED },
		{ "silent",	required_argument,	NULL, SILENT },
		{ "live",	no_argument,		NULL, LIVE },
		{ "lines",	no_argument,		NULL, LINES },
		{ "ascii",	no_argument,		NULL, ASCII },
		{ "check",	no_argument,		NULL, CHECK },
		{ "help",	no_argument,		NULL, HELP },
		{ NULL,		0,			NULL, 0 },
	};
	const char *term = getenv("TERM");
	const char *no_color = getenv("NO_COLOR");
	bool check = false;
	uint64_t value;
	int option;

	*o = (struct options){
		.drivers = 1000000,
		.seconds = 110,
		.seed = 1,
		.permille = 10,
		.live = isatty(STDOUT_FILENO),
	};
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", known, NULL)) != -1) {
		switch (option) {
		case DRIVERS:
			if (!parse_number("drivers", optarg, 1, 10000000, &value))
				return OPTIONS_USAGE;
			o->drivers = (uint32_t)value;
			break;
		case SECONDS:
			if (!parse_number("seconds", optarg, 10, 36000, &value))
				return OPTIONS_USAGE;
			o->seconds = (uint32_t)value;
			break;
		case SEED:
			if (!parse_number("seed", optarg, 0, UINT64_MAX, &o->seed))
				return OPTIONS_USAGE;
			break;
		case SILENT:
			if (!parse_number("silent", optarg, 0, 1000, &value))
				return OPTIONS_USAGE;
			o->permille = (uint32_t)value;
			break;
		case LIVE:
			o->live = true;
			break;
		case LINES:
			o->live = false;
			break;
		case ASCII:
			o->ascii = true;
			break;
		case CHECK:
			check = true;
			break;
		case HELP:
			fputs(help, stdout);
			return 0;
		case ':':
			warnx("%s needs a value; see --help", argv[optind - 1]);
			return OPTIONS_USAGE;
		default:
			warnx("there is no option %s; see --help",
			      argv[optind - 1]);
			return OPTIONS_USAGE;
		}
	}
	if (optind < argc) {
		warnx("'%s' is not an option; see --help", argv[optind]);
		return OPTIONS_USAGE;
	}
	if (check) {
		printf("%u %u\n", o->drivers, o->seconds);
		return 0;
	}
	if (term && !strcmp(term, "dumb"))
		o->live = false;
	o->live = o->live && terminal_is_large();
	o->ascii = o->ascii || !o->live;
	o->colours = o->live && !(no_color && *no_color);
	return -1;
}
