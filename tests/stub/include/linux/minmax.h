/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _STUB_LINUX_MINMAX_H
#define _STUB_LINUX_MINMAX_H

#define min_t(type, x, y) ({			\
	type _min1 = (x), _min2 = (y);		\
	_min1 < _min2 ? _min1 : _min2; })
#define max_t(type, x, y) ({			\
	type _max1 = (x), _max2 = (y);		\
	_max1 > _max2 ? _max1 : _max2; })
#define min(x, y)	min_t(__typeof__((x) + (y)), x, y)
#define max(x, y)	max_t(__typeof__((x) + (y)), x, y)
#define clamp(v, lo, hi) min(max(v, lo), hi)

#endif /* _STUB_LINUX_MINMAX_H */
