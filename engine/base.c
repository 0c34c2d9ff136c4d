// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the bases, which cpu.c makes and the whole engine uses
 */
#include "base.h"

DEFINE_PER_CPU(struct twheel_base *, twheel_bases);
