// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
module twheel.invalid/twheel

go 1.19
