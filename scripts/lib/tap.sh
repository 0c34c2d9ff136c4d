# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For tests in bash: print TAP. scripts/lib/tap.py reads it.

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

tap_count=0
tap_failures=0
tap_planned=
tap_inputs=
# A test may put its own temporary files here.
tap_scratch=$(mktemp -d) || exit 1
tap_output=$tap_scratch/output
trap 'rm -rf "$tap_scratch"' EXIT

tap_begin()
{
	echo "TAP version 13"
}

# tap_plan TESTS: print the plan before the results. Without it, tap_end() prints it.
tap_plan()
{
	tap_planned=$1
	echo "1..$tap_planned"
}

# The exit status of a command that cannot run on this host. It prints "1..0 # SKIP", and why.
tap_lacking=96

# check DESCRIPTION COMMAND [ARG...]: run one test. It passes if the command
# succeeds; if not, the end of what the command printed is shown. If the host lacks what the
# command needs, the test is skipped.
check()
{
	local description=$1 result=ok
	shift

	tap_count=$((tap_count + 1))
	"$@" >"$tap_output" 2>&1 || {
		[ $? -ne "$tap_lacking" ] || {
			echo "ok $tap_count $description $(grep -o '# SKIP .*' "$tap_output")"
			return "$tap_lacking"
		}
		result="not ok"
		tap_failures=$((tap_failures + 1))
		sed 's/^/# /' "$tap_output" | cut -c 1-200 | tail -n 60
	}
	echo "$result $tap_count $description"
}

# tap_lacks WHAT: say what this host lacks. For a command of check(), and for tests that exit
# with this function's status.
tap_lacks()
{
	echo "1..0 # SKIP this host $1"
	return "$tap_lacking"
}

# tap_skip DESCRIPTION REASON: a test that cannot be run here.
tap_skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count $1 # SKIP $2"
}

# tap_depend FILE...: all that the tests of check_once() depend on, besides the script and
# the compiler.
tap_depend()
{
	{ cat -- "$0" "$@" && gcc --version; } >"$tap_output" ||
		tap_bail_out "what the tests depend on is not there"
	tap_inputs=$(sha256sum <"$tap_output")
}

# tap_record DESCRIPTION COMMAND [ARG...]: print the file that says that a test has passed
# with these inputs.
tap_record()
{
	local cache=${TWHEEL_CACHE:-~/.cache/twheel}

	printf '%s/passed/%s\n' "$cache" \
		"$(printf '%s\n' "$tap_inputs" "$@" | sha256sum | cut -c 1-32)"
}

# tap_knows DESCRIPTION COMMAND [ARG...]: whether check_once() knows that the test passes.
tap_knows()
{
	[ -z "${TWHEEL_ANEW-}" ] && [ -e "$(tap_record "$@")" ]
}

# check_once DESCRIPTION COMMAND [ARG...]: like check(), for a test whose result follows from
# the inputs of tap_depend() and from the command line. Once the test has passed, it is not
# run again, unless TWHEEL_ANEW is set.
check_once()
{
	local failures=$tap_failures record

	record=$(tap_record "$@")
	if tap_knows "$@"; then
		echo "# passed before, with the same sources, on $(date -r "$record" +%F):"
		check "$1" true
		return
	fi
	check "$@" || return
	[ "$tap_failures" -gt "$failures" ] ||
		{ mkdir -p "${record%/*}" && touch "$record"; }
}

# tap_include PREFIX COMMAND [ARG...]: run a command that prints TAP, and make its
# results part of this document, each with PREFIX. Sets include_status, the command's
# exit status; include_ran, the number of results; and include_planned, the number
# in the command's plan, or "none". The command's stderr goes to $include_stderr.
# shellcheck disable=SC2034 # for the caller
tap_include()
{
	local prefix=$1 include_failed
	shift

	include_stderr=$tap_scratch/include.stderr
	{
		("$@") 2>"$include_stderr"
		echo $? >"$tap_scratch/include.status"
	} | scripts/lib/tap.py --first $((tap_count + 1)) \
		--prefix "$prefix" --totals "$tap_scratch/include.totals"
	read -r include_status <"$tap_scratch/include.status"
	read -r include_ran include_failed include_planned \
		<"$tap_scratch/include.totals"
	tap_count=$((tap_count + include_ran))
	tap_failures=$((tap_failures + include_failed))
}

# tap_included_well [TESTS]: whether the command of tap_include has run all tests that it
# planned, or TESTS of them, and has ended with status 0.
tap_included_well()
{
	local wanted=${1-$include_planned}

	cat "$include_stderr"
	[ "$include_status" -ne "$tap_lacking" ] || {
		echo "# SKIP for the same reason"
		return "$tap_lacking"
	}
	echo "$include_ran of $wanted tests ran, status $include_status"
	[ "$include_ran $include_status" = "$wanted 0" ]
}

# tap_machine PREFIX [VM-OPTION...] -- COMMAND...: run a command that prints TAP in a virtual machine.
# All planned tests must run, and the kernel must report nothing.
tap_machine()
{
	tap_include "${1:+$1:}" scripts/vm "${@:2}"
	check "${1:+$1: }all planned tests ran, and the kernel reports nothing" tap_included_well
}

# tap_says STATUS WORDS COMMAND...: the command ends with this status, and says these words, a
# pattern of grep. For check().
tap_says()
{
	local said status

	said=$("${@:3}" 2>&1)
	status=$?
	echo "$said"
	[ "$status" -eq "$1" ] && grep -qe "$2" <<<"$said"
}

# tap_has_words PAGE WORDS: the page has each of the words, one a line, at least one. The escapes
# of a manual page do not count. For check().
tap_has_words()
{
	local word status=0 text

	text=$(sed 's/\\//g' "$1")
	[ -n "$2" ] || return 1
	while read -r word; do
		grep -qw -- "$word" <<<"$text" || {
			echo "$1 does not have $word"
			status=1
		}
	done <<<"$2"
	return "$status"
}

# tap_bail_out REASON: give up; the tests that are left make no sense.
tap_bail_out()
{
	echo "Bail out! $*"
	exit 1
}

# Print the plan, unless it came first, and exit with status 0 if all is well.
tap_end()
{
	[ -n "$tap_planned" ] || echo "1..$tap_count"
	[ "$tap_failures" -eq 0 ] && [ "${tap_planned:-$tap_count}" -eq "$tap_count" ]
	exit
}
