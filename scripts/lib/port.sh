# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For tests that port other modules to twheel.h, and build them.

. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

# need TOOL...: without these programs, the test cannot run on this host.
need()
{
	local tool

	for tool; do
		command -v "$tool" >/dev/null || {
			tap_lacks "has no $tool"
			exit
		}
	done
}

# apply patch|report FILE...: convert the files in place, or list what needs a hand.
apply()
{
	local how=(-D "$1")

	[ "$1" != patch ] || how+=(--in-place)
	spatch --very-quiet --sp-file scripts/port.cocci "${how[@]}" "${@:2}"
}

# build_against KERNEL FLAVOUR DIRECTORY [ARG...]: make the modules in a directory, which use twheel.
build_against()
{
	local kdir modules

	kdir=$(scripts/kernel build "$1" "$2") && modules=$(scripts/module "$1" "$2") &&
		make -s -C "$kdir" M="$3" KBUILD_EXTRA_SYMBOLS="$modules/Module.symvers" "${@:4}" modules
}

# keep FILE COMMAND...: what the command prints goes to the file, and is shown if it fails.
keep()
{
	"${@:2}" >"$1" || {
		cat "$1"
		return 1
	}
}

# counts_are_right FILE ARMED FIRED CANCELLED: the file has twheel's counts. At least so many timers
# were armed, ran, and were cancelled; none was lost, or ran early.
counts_are_right()
{
	grep -A 7 '^armed' "$1" >&3
	awk -v least_armed="$2" -v least_fired="$3" -v least_cancelled="$4" '
		/^armed/ { armed = $2 } /^fired/ { fired = $2 } /^cancelled/ { cancelled = $2 }
		/^(pending|unaccounted|early) / && $2 { print; bad = 1 }
		END {
			exit bad || armed < least_armed || fired < least_fired ||
				cancelled < least_cancelled
		}' "$1"
}
