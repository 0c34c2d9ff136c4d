/* SPDX-License-Identifier: MIT */
/* twheel_core.c includes this. In a module of your own, the wheel exports nothing. */
#define EXPORT_SYMBOL_IF_KUNIT(symbol)
