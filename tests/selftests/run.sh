#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run test programs and print what they say as one TAP stream.
#
# usage: run.sh [--tag TAG] [--time-travel] [--long] DIRECTORY [PROGRAM...]
#
#   --tag TAG       say with each case how it was run
#   --time-travel   the machine is one in virtual time: without names, run those
#                   programs that show more there
#   --long          also run the tests that take minutes
#
# The exit status is 0 if no case failed. See scripts/selftests for the builds
# and the machines.

# Programs that wait more than they work; no time passes for those that work.
in_time_travel="add change debugfs periodic query scenario1 scenario3 scenario4
	scenario6 scenario7 suspend timetravel"

usage()
{
	sed -n '4,/^$/{s/^# \{0,1\}//;p;}' "$0" >&2
	exit 2
}

tag=
options=
names=
while [ $# -gt 0 ]; do
	case $1 in
	--tag)
		[ $# -gt 1 ] || usage
		tag=" [$2]"
		shift
		;;
	--time-travel)
		options="$options $1"
		names=$in_time_travel
		;;
	--long)
		options="$options $1"
		;;
	-*)
		usage
		;;
	*)
		break
		;;
	esac
	shift
done
[ -d "${1-}" ] || usage
directory=$1
shift
[ $# -gt 0 ] && names=$*
if [ -z "$names" ]; then
	for file in "$directory"/*; do
		[ -f "$file" ] && [ -x "$file" ] && names="$names ${file##*/}"
	done
fi

number=0
failures=0

# case_is RESULT REST: print a case; what its program calls it is in REST.
case_is()
{
	number=$((number + 1))
	[ "$1" = ok ] || failures=$((failures + 1))
	printf '%s %d - %s\n' "$1" "$number" "$2"
}

# Print the output of a program. Its last line is the program's exit status.
convert()
{
	program=$1
	planned=
	seen=0
	failed=0
	status=
	while IFS= read -r line; do
		case $line in
		"TAP version "*) ;;
		"1.."*)
			planned=${line#1..}
			;;
		"ok "* | "not ok "*)
			result=${line%%ok *}ok
			name=${line#*ok }
			name=${name#* }
			reason=
			case $name in
			*" # "*)
				reason=" # ${name#* # }"
				name=${name%% # *}
				;;
			esac
			seen=$((seen + 1))
			[ "$result" = ok ] || failed=$((failed + 1))
			case_is "$result" "$program: $name$tag$reason"
			;;
		"status "*)
			status=${line#status }
			;;
		*)
			printf '%s\n' "$line"
			;;
		esac
	done
	if [ "$seen" != "${planned:-none}" ]; then
		case_is "not ok" "$program: $seen of ${planned:-?} cases ran, status $status$tag"
	elif [ "$status" -ne 0 ] && [ "$status" -ne 77 ] && [ "$failed" = 0 ]; then
		case_is "not ok" "$program: ended with status $status$tag"
	fi
}

echo "TAP version 13"
set -f
pipe=$(mktemp -u) && mkfifo "$pipe" || exit 1
for name in $names; do
	[ "$name" ] || continue
	# shellcheck disable=SC2086 # several options
	{
		"$directory/$name" $options 2>&1
		echo "status $?"
	} >"$pipe" &
	convert "$name" <"$pipe"
	wait
done
rm -f "$pipe"
echo "1..$number"
[ "$failures" -eq 0 ]
