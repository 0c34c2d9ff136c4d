# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For the tests written in bash: TAP.

tap_count=0
tap_failures=0
tap_output=$(mktemp) || exit 1
trap 'rm -f "$tap_output"' EXIT

# check DESCRIPTION COMMAND [ARG...]: one test, which the command passes. What a
# failed one printed is shown.
check()
{
	local description=$1 result=ok
	shift

	tap_count=$((tap_count + 1))
	"$@" >"$tap_output" 2>&1 || {
		result="not ok"
		tap_failures=$((tap_failures + 1))
		sed 's/^/# /' "$tap_output" | cut -c 1-200 | tail -n 60
	}
	echo "$result $tap_count $description"
}

# The plan, and the exit status.
tap_end()
{
	echo "1..$tap_count"
	exit "$((tap_failures > 0))"
}
