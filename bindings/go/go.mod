// SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note
module twheel

go 1.19
