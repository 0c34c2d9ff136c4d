/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: running a callback, and finding one that runs
 */
#ifndef _TWHEEL_ENGINE_CALLBACK_H
#define _TWHEEL_ENGINE_CALLBACK_H

#include "base.h"

void twheel_callback_begin(struct twheel_base *base, struct twheel_callback *cb,
			   struct twheel_timer *t, u64 now);
void twheel_callback_run(struct twheel_base *base, struct twheel_timer *t,
			 twheel_fn_t fn);
const struct twheel_callback *
twheel_callback_find(const struct twheel_base *base,
		     const struct twheel_timer *t);
const struct twheel_callback *
twheel_callback_find_process(const struct twheel_base *base,
			     const struct twheel_timer *t);
struct twheel_timer *twheel_callback_first_deferred(struct twheel_base *base);
bool twheel_callback_of_module(const struct twheel_base *base, const struct module *mod);

#endif /* _TWHEEL_ENGINE_CALLBACK_H */
