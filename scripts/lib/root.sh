# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For scripts in bash: work in a copy of a Debian system that scripts/root has made.

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# own_mounts "$@": start the script again with mounts of its own, which end with it.
own_mounts()
{
	[ "$(id -u)" -eq 0 ] || die "needs root"
	[ -n "${TWHEEL_OWN_MOUNTS-}" ] ||
		TWHEEL_OWN_MOUNTS=yes exec unshare --mount "scripts/${0##*/}" "$@"
}

# copy_root DISTRIBUTION KIND DIRECTORY: mount a copy at DIRECTORY/root. What is written
# to the copy goes to DIRECTORY/changes. As in a container, the file of hosts has localhost.
copy_root()
{
	local root

	root=$(scripts/root "$1" "$2") && mkdir -p "$3/root" "$3/changes" "$3/work" &&
		mount -t overlay -o "lowerdir=$root,upperdir=$3/changes,workdir=$3/work" \
			overlay "$3/root" &&
		printf '%s\tlocalhost\n' 127.0.0.1 ::1 >"$3/root/etc/hosts" &&
		mount -t proc proc "$3/root/proc" &&
		mount --rbind /dev "$3/root/dev"
}

# in_root DIRECTORY COMMAND...: run a command in the copy.
in_root()
{
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive INITRD=No chroot "$1/root" "${@:2}"
}
