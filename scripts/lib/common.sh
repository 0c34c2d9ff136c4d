# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For scripts in bash: usage texts, and a place in the cache.

# Print the usage text, the comment at the head of the script: from line 4 to an empty line or
# a line "# The checks ...".
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

# checkout_cache NAME [KIND]: create a directory in the cache for this checkout, and print
# its path.
checkout_cache()
{
	local place

	place=${TWHEEL_CACHE:-~/.cache/twheel}/$1/$(pwd | sha256sum | cut -c 1-12)${2-}
	mkdir -p "$place" && echo "$place" && return
	echo "scripts/${0##*/}: set TWHEEL_CACHE to a writable directory" >&2
	return 1
}
