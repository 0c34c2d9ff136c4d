#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run test programs. Each prints its results as a TAP document.
#
# usage: run.sh [--tag TAG] [--time-travel | --user | --user-namespace] [--long]
#                DIRECTORY [PROGRAM[:CASE]...]
#
#   --tag TAG       programs add [TAG] to the name of each case
#   --time-travel   the machine runs in virtual time; if no programs are named,
#                   run the programs that test more in virtual time
#   --user          run as a user without privileges; if no programs are named, run those
#                   that need none
#   --user-namespace
#                   the same as root of a user namespace of that user
#   --long          also run cases that take minutes
#   PROGRAM:CASE    run this case of the program only; CASE may be a pattern, as
#                   for file names
#
# The exit status is 0 if no case failed. scripts/selftests builds the programs
# and starts the virtual machines.

# Programs that wait more than they compute: virtual time stands still for code.
in_time_travel="add budget by_the_clock change clock debugfs drain idle lease lease_end
	lease_holder periodic query suspend timetravel wake_once window"

# Programs that set no parameter, no clock and no other user.
without_privileges="add batch by_the_clock cancel change clock drain drain_race group info lease lease_end
	lease_holder lease_race keep list missed notify
	page_fault periodic poll query read ring ring_hostile ring_map
	share successor table table_hostile table_map table_race upsert uring
	uring_command uring_exit wake_once wakeup window"

usage()
{
	sed -n '4,/^$/{s/^# \{0,1\}//;p;}' "$0" >&2
	exit 2
}

options=
names=
while [ $# -gt 0 ]; do
	case $1 in
	--tag)
		[ $# -gt 1 ] || usage
		options="$options $1 $2"
		shift
		;;
	--time-travel)
		options="$options $1"
		names=$in_time_travel
		;;
	--user | --user-namespace)
		options="$options $1"
		names=$without_privileges
		chmod 666 /dev/twheel || exit 1
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
		# Others are parts of programs. A program that cannot be run fails.
		case ${file##*/} in
		*.*) ;;
		*) names="$names ${file##*/}" ;;
		esac
	done
fi

failures=0
set -f
for name in $names; do
	program=${name%%:*}
	case=${name#"$program"}
	case=${case#:}
	# shellcheck disable=SC2086 # several options, and a case or none
	"$directory/$program" $options $case 2>&1
	status=$?
	case $status in
	0 | 77) continue ;;
	1) ;;
	*) echo "not ok - $program: ended with status $status" ;;
	esac
	failures=$((failures + 1))
done
[ "$failures" -eq 0 ]
