# SPDX-License-Identifier: GPL-2.0
# twheel: see README.md. Kbuild has what the kernel's build system reads.

KDIR ?= /lib/modules/$(shell uname -r)/build

.PHONY: all modules clean modules_install help setup demo check

all: modules

modules:
	@test -e '$(KDIR)/Makefile' || { echo 'no kernel build tree at $(KDIR):' \
		'install the headers of the running kernel, or say KDIR=' >&2; exit 1; }
	$(MAKE) -C '$(KDIR)' M='$(CURDIR)' modules

modules_install clean:
	$(MAKE) -C '$(KDIR)' M='$(CURDIR)' $@

setup:
	scripts/setup

demo: setup
	scripts/demo

check: setup
	scripts/check

help:
	@echo '  make                 the module for the running kernel, or KDIR='
	@echo '  make modules_install install it'
	@echo '  make clean           remove what make built'
	@echo '  make demo            a million timers in a virtual machine, to look at'
	@echo '  make check           every test that a change must pass'
