/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: what the device may use of the engine, besides twheel.h
 *
 * Files in device/ include no other header of engine/.
 */
#ifndef _TWHEEL_ENGINE_DEVICE_H
#define _TWHEEL_ENGINE_DEVICE_H

#include "clock.h"
#include "twheel.h"
#include "twheel_core.h"
#include "work.h"

#endif /* _TWHEEL_ENGINE_DEVICE_H */
