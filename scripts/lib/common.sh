# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What each script in bash begins with: unset variables are errors, the script goes to the top of
# the checkout, and an argument that asks for help prints the usage text. Besides, a place in the
# cache.

set -u
script=$(realpath "$0")
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1

# Print the usage text, the comment at the head of the script: from line 4 to an empty line.
usage()
{
	sed -n '4,/^$/s/^# \{0,1\}//p' "$script"
}

# A command line that makes no sense
bad_usage()
{
	usage >&2
	exit 2
}

# die WORDS...: say what is wrong, and end the script.
die()
{
	echo "scripts/${0##*/}: $*" >&2
	exit 1
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

# options NAMES [ARG...]: take the options out of the arguments; what is left goes to the array
# words. NAMES has "name" for an option --name, which sets $name to "--name"; and "name=REGEX" for
# --name VALUE, which sets $name to the value. "-" in a name is "_" in the variable.
words=()
options()
{
	local names=" $1 " name
	shift

	words=()
	while [ $# -gt 0 ]; do
		name=${1#--}
		if [[ $1 != -* ]]; then
			words+=("$1")
		elif [[ $names == *" $name "* ]]; then
			printf -v "${name//-/_}" %s "$1"
		elif [[ $names =~ \ $name=([^\ ]*) && ${2-} =~ ^(${BASH_REMATCH[1]})$ ]]; then
			printf -v "${name//-/_}" %s "$2"
			shift
		else
			bad_usage
		fi
		shift
	done
}

# checkout_cache NAME [KIND]: create a directory in the cache for this checkout, and print
# its path.
checkout_cache()
{
	local place

	place=${TWHEEL_CACHE:-~/.cache/twheel}/$1/$(pwd | sha256sum | cut -c 1-12)${2-}
	mkdir -p "$place" && echo "$place" && return
	die "set TWHEEL_CACHE to a writable directory"
}
