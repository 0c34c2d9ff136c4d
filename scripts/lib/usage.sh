# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For scripts in bash: the comment at the head of a script is its usage text.

# Print the usage text: from line 4 to an empty line or a line "# The checks ...".
usage()
{
	sed -n '4,/^$\|^# The checks/{/^# The checks/!s/^# \{0,1\}//p}' \
		"$(dirname "${BASH_SOURCE[0]}")/../${0##*/}"
}

# A command line that makes no sense
bad_usage()
{
	usage >&2
	exit 2
}

# offer_help "$@": if an argument asks for help, print the usage text and exit.
offer_help()
{
	local argument

	for argument; do
		case $argument in
		--) return ;;
		-h | --help)
			usage
			exit 0
			;;
		esac
	done
}
