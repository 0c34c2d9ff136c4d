# SPDX-License-Identifier: GPL-2.0
# twheel: see README.md. The kernel's build system reads Kbuild.

# The kernel: KERNELRELEASE is its name, KDIR its build tree. Each follows from the other.
ifdef KDIR
KERNELRELEASE ?= $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' \
	'$(KDIR)/include/generated/utsrelease.h')
else
KERNELRELEASE ?= $(shell uname -r)
KDIR := /lib/modules/$(KERNELRELEASE)/build
endif
# LLVM=1: clang has built the kernel, and builds its modules.
LLVM ?= $(shell sed -n 's/^CONFIG_CC_IS_CLANG=y/1/p' '$(KDIR)/include/config/auto.conf' 2>/dev/null)
KERNEL_MAKE = $(MAKE) -C '$(KDIR)' M='$(CURDIR)' LLVM='$(LLVM)'

# Where things go. DESTDIR is the root of a package; with INSTALL_MOD_PATH, the module has
# another root.
prefix ?= /usr/local
PREFIX ?= $(prefix)
INSTALL ?= install
INSTALL_MOD_PATH ?= $(DESTDIR)
INSTALL_MOD_DIR ?= updates
MODULES := $(INSTALL_MOD_PATH)/lib/modules/$(KERNELRELEASE)
# What other modules are built with
INTERFACE := $(MODULES)/twheel
PROGRAMS := lib tools man packaging

# The kernel's build system finds these in the environment of its make.
export PREFIX DESTDIR INSTALL INSTALL_MOD_PATH INSTALL_MOD_DIR

.PHONY: all modules lib tools samples clean help setup demo version
.PHONY: modules_install modules_uninstall programs_install programs_uninstall
.PHONY: install uninstall dist deb lint docs check check-all coverage torture bench

all: modules lib tools

modules:
	@test -e '$(KDIR)/Makefile' || { echo 'no kernel build tree at $(KDIR):' \
		'install the headers of the running kernel, or set KDIR=.' \
		'"make lib tools" needs no kernel' >&2; exit 1; }
	+$(KERNEL_MAKE) modules

# The kernel's build system would run depmod in the root of a package, too, if KDIR has a
# System.map.
modules_install: modules
	+$(KERNEL_MAKE) KERNELRELEASE='$(KERNELRELEASE)' MODLIB='$(MODULES)' DEPMOD=true $@
	$(INSTALL) -d '$(INTERFACE)'
	$(INSTALL) -m 644 twheel.h twheel_node.h Module.symvers '$(INTERFACE)'
	$(if $(INSTALL_MOD_PATH),,depmod '$(KERNELRELEASE)')

modules_uninstall:
	rm -f '$(MODULES)/$(INSTALL_MOD_DIR)'/twheel.ko*
	rm -rf '$(INTERFACE)'
	rmdir '$(MODULES)/$(INSTALL_MOD_DIR)' 2>/dev/null || :
	$(if $(INSTALL_MOD_PATH),,test ! -d '$(MODULES)' || depmod '$(KERNELRELEASE)')

lib tools samples:
	$(MAKE) -C $@

programs_install: lib tools
	set -e; for part in $(PROGRAMS); do $(MAKE) -C $$part install; done

programs_uninstall:
	set -e; for part in $(PROGRAMS); do $(MAKE) -C $$part uninstall; done

install: modules_install programs_install

uninstall: programs_uninstall modules_uninstall

version:
	scripts/version

dist:
	scripts/dist

deb:
	scripts/setup build packages
	scripts/deb

clean:
	$(MAKE) -C lib clean
	$(MAKE) -C tools clean
	$(MAKE) -C samples clean
	+$(if $(wildcard $(KDIR)/Makefile),$(KERNEL_MAKE) $@)

setup:
	scripts/setup

# scripts/demo installs what it needs, which is a quarter of all.
demo:
	scripts/demo

lint:
	scripts/setup build kernel static
	scripts/static

check: setup
	scripts/check

check-all:
	scripts/setup all
	scripts/check --all

coverage: setup
	scripts/coverage

torture: setup
	scripts/torture newest uml

docs:
	scripts/setup docs kernel
	scripts/docs

bench: setup
	bench/user/run
	bench/native/run --count 1000 --count 1000000 --reps 1
	scripts/bench --instructions

help:
	@echo '  make                 build the module for the running kernel (or KDIR=), lib and tools'
	@echo '  make samples         build the programs in samples/'
	@echo '  make install         install the module, the library, the tool, manual pages, udev rule:'
	@echo '                       below DESTDIR, programs below PREFIX (/usr/local)'
	@echo '  make modules_install, make programs_install   a part of that'
	@echo '                       For packagers: DESTDIR, PREFIX or prefix, BINDIR LIBDIR'
	@echo '                       INCLUDEDIR PKGCONFIGDIR CMAKEDIR MANDIR DOCDIR UDEVDIR SYSUSERSDIR,'
	@echo '                       BASHCOMPDIR ZSHCOMPDIR FISHCOMPDIR,'
	@echo '                       KDIR KERNELRELEASE LLVM INSTALL_MOD_PATH INSTALL_MOD_DIR,'
	@echo '                       TWHEEL_ANY_KERNEL'
	@echo '  make uninstall       remove what make install has installed'
	@echo '  make dist            the source as build/twheel-VERSION.tar.xz'
	@echo '  make deb             Debian packages in build/deb, built in a clean chroot (root)'
	@echo '  make clean           remove what make built'
	@echo '  make setup           install the packages that build and tests need'
	@echo '  make demo            watch a million timers in a virtual machine'
	@echo '  make lint            check the sources without running them'
	@echo '  make check           run every test that a change must pass'
	@echo '  make check-all       run all tests: an hour, once the kernels are built'
	@echo '  make coverage        find the lines of the module that no test executes'
	@echo '  make torture         random operations on all CPUs, checked against a model'
	@echo '  make docs            build the documentation into Documentation/_build/html'
	@echo '  make bench           compare twheel with its peers: a quarter of an hour, on a quiet machine'
