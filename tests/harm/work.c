// SPDX-License-Identifier: GPL-2.0
/* What an attacker counts. */
#include "work.h"

struct work *work;
