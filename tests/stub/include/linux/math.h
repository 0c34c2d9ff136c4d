/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _STUB_LINUX_MATH_H
#define _STUB_LINUX_MATH_H

#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define DIV_ROUND_UP_ULL(n, d) DIV_ROUND_UP((unsigned long long)(n), d)

#endif /* _STUB_LINUX_MATH_H */
