# SPDX-License-Identifier: GPL-2.0
# twheel: see README.md. The kernel's build system reads Kbuild.

KDIR ?= /lib/modules/$(shell uname -r)/build

.PHONY: all modules lib tools samples clean modules_install install help setup demo
.PHONY: check check-all coverage torture bench bench-quick

all: modules lib tools

modules:
	@test -e '$(KDIR)/Makefile' || { echo 'no kernel build tree at $(KDIR):' \
		'install the headers of the running kernel, or set KDIR=' >&2; exit 1; }
	$(MAKE) -C '$(KDIR)' M='$(CURDIR)' modules

modules_install:
	$(MAKE) -C '$(KDIR)' M='$(CURDIR)' $@

lib tools samples:
	$(MAKE) -C $@

install: lib tools
	$(MAKE) -C lib install
	$(MAKE) -C tools install
	$(MAKE) -C man install

clean:
	$(MAKE) -C lib clean
	$(MAKE) -C tools clean
	$(MAKE) -C samples clean
	$(if $(wildcard $(KDIR)/Makefile),$(MAKE) -C '$(KDIR)' M='$(CURDIR)' $@)

setup:
	scripts/setup

demo: setup
	scripts/demo

check: setup
	scripts/check

check-all: setup
	scripts/check --all

coverage: setup
	scripts/coverage

torture: setup
	scripts/torture newest uml

bench: setup
	scripts/bench

bench-quick: setup
	scripts/bench --quick

help:
	@echo '  make                 build the module for the running kernel (or KDIR=), lib and tools'
	@echo '  make samples         build the programs in samples/'
	@echo '  make modules_install install the module'
	@echo '  make install         install the library, the tools and the manual pages'
	@echo '  make clean           remove what make built'
	@echo '  make setup           install the packages that build and tests need'
	@echo '  make demo            watch a million timers in a virtual machine'
	@echo '  make check           run every test that a change must pass'
	@echo '  make check-all       run all tests: an hour, once the kernels are built'
	@echo '  make coverage        find the lines of the module that no test executes'
	@echo '  make torture         random operations on all CPUs, checked against a model'
	@echo '  make bench           compare twheel with its peers: half an hour, on a quiet machine'
	@echo '  make bench-quick     the same with smaller counts: three minutes'
