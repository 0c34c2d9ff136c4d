# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What each script in bash begins with: unset variables are errors, the script goes to the top of
# the checkout, and an argument that asks for help prints the usage text. Besides, a place in the
# cache.

set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1

# Print the usage text, the comment at the head of the script: from line 4 to an empty line.
usage()
{
	sed -n '4,/^$/s/^# \{0,1\}//p' "scripts/${0##*/}"
}

# A command line that makes no sense
bad_usage()
{
	usage >&2
	exit 2
}

for argument; do
	case $argument in
	--) break ;;
	-h | --help)
		usage
		exit 0
		;;
	esac
done

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
