// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * libtwheel-ffi: the inline functions of libtwheel.h as exported functions
 *
 * A language that calls a library by its symbols cannot call inline functions. Here the
 * words "static inline" of the header mean "exported". The headers that libtwheel.h includes
 * come first: the words mean nothing new in them.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <linux/twheel.h>

#define static
#define inline	__attribute__((__visibility__("default")))
#include "libtwheel.h"
