/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: a check of the wheel's rules, for KUnit and tests/explore
 */
#ifndef _TWHEEL_KUNIT_AUDIT_H
#define _TWHEEL_KUNIT_AUDIT_H

#include "twheel_core.h"

const char *twheel_wheel_audit(struct twheel_wheel *w, bool extended);

#endif /* _TWHEEL_KUNIT_AUDIT_H */
