/* SPDX-License-Identifier: GPL-2.0 */
/* Buffers that the kernel cannot write to without a page fault, or not at all. */
#ifndef _BUFFER_H
#define _BUFFER_H

#include <stdbool.h>
#include <stddef.h>

enum buffer_kind {
	BUFFER_ABSENT,		/* nobody has touched the page */
	BUFFER_OF_ZEROES,	/* somebody has read the page, nobody has written to it */
	BUFFER_HALF,		/* the second half lies in a page that is absent */
	BUFFER_FORKED,		/* a child shares the page, which is write-protected */
	BUFFER_OF_FILE,		/* a page of a file, to be copied before it is written to */
	BUFFER_MISSING,		/* absent, and a thread brings the page: userfaultfd */
	BUFFER_PROTECTED,	/* write-protected, and a thread allows to write: userfaultfd */
	BUFFERS_GOOD,

	BUFFER_UNMAPPED = BUFFERS_GOOD,
	BUFFER_READ_ONLY,
	BUFFER_BEHIND_FILE,	/* a mapping that is longer than its file */
	BUFFERS
};

extern const char *const buffer_names[BUFFERS];

/* Whether a buffer can have a content before the kernel writes to it. */
bool buffer_has_content(enum buffer_kind kind);

/*
 * Make a buffer of @size bytes, filled with @content if that is possible. While userfaultfd
 * holds a page fault, its thread calls @meanwhile. Skips the case if the kernel cannot make
 * such a buffer.
 */
void *new_buffer(enum buffer_kind kind, const void *content, size_t size,
		 void (*meanwhile)(void));

/*
 * Start a child, which lives as long as the case. It shares the pages of this process, so
 * the kernel write-protects them.
 */
void share_all_pages(void);

/* How many page faults the thread of userfaultfd has ended. */
unsigned int buffer_faults(void);

/*
 * Open a userfaultfd with the features @features for some pages. Faults of @mode are
 * reported: UFFDIO_REGISTER_MODE_. Skips the case if that is impossible.
 */
int open_userfaultfd(void *pages, size_t size, unsigned long long features,
		     unsigned long long mode);

/* Wait until so many more faults on a page are reported. */
void wait_for_faults(int userfaultfd, const void *page, unsigned int count);

/* Bring a page that is missing, with the content of @from. Ends all its faults. */
void bring_page(int userfaultfd, void *page, const void *from);

#endif /* _BUFFER_H */
