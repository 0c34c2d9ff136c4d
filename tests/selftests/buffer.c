// SPDX-License-Identifier: GPL-2.0
#include <linux/userfaultfd.h>
#include <sys/syscall.h>

#include "device.h"
#include "buffer.h"

const char *const buffer_names[BUFFERS] = {
	[BUFFER_ABSENT] = "absent",
	[BUFFER_OF_ZEROES] = "of_zeroes",
	[BUFFER_HALF] = "half",
	[BUFFER_FORKED] = "forked",
	[BUFFER_OF_FILE] = "of_file",
	[BUFFER_MISSING] = "missing",
	[BUFFER_PROTECTED] = "protected",
	[BUFFER_UNMAPPED] = "unmapped",
	[BUFFER_READ_ONLY] = "read_only",
	[BUFFER_BEHIND_FILE] = "behind_file",
};

/* What the thread of a userfaultfd needs. */
struct server {
	int		fd;
	void		*page;
	const void	*content;	/* NULL: the page is there, and write-protected */
	void		(*meanwhile)(void);
};

static atomic_uint faults;

static void *map_pages(unsigned int count, int flags, int fd)
{
	return CALL(mmap(NULL, count * page_size(), PROT_READ | PROT_WRITE, flags, fd, 0));
}

static void *anonymous_pages(unsigned int count)
{
	return fresh_memory(count * page_size());
}

static void *page_with(const void *content, size_t size)
{
	char *page = anonymous_pages(1);

	memset(page, 0xcc, page_size());
	if (content)
		memcpy(page, content, size);
	return page;
}

static void read_page(const volatile char *page)
{
	(void)*page;
}

void share_all_pages(void)
{
	start(wait_to_be_killed, NULL);
}

static void *page_of_file(const void *content, size_t size)
{
	const int fd = CALL(memfd_create("buffer", MFD_CLOEXEC));
	void *page;

	CALL(ftruncate(fd, page_size()));
	if (content)
		ASSERT_EQ(CALL(pwrite(fd, content, size, 0)), (ssize_t)size);
	page = map_pages(1, MAP_PRIVATE, fd);
	read_page(page);
	return page;
}

int open_userfaultfd(void *pages, size_t size, unsigned long long features,
		     unsigned long long mode)
{
	struct uffdio_api api = { .api = UFFD_API, .features = features };
	struct uffdio_register range = {
		.range = { .start = (unsigned long)pages, .len = size },
		.mode = mode,
	};
	const int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		skip("userfaultfd: %s", strerror(errno));
	if (ioctl(fd, UFFDIO_API, &api))
		skip("userfaultfd with features %#llx: %s", features, strerror(errno));
	if (ioctl(fd, UFFDIO_REGISTER, &range))
		skip("userfaultfd with mode %#llx: %s", mode, strerror(errno));
	return fd;
}

void wait_for_faults(int userfaultfd, const void *page, unsigned int count)
{
	struct uffd_msg message;

	while (count--) {
		ASSERT_EQ(CALL(read(userfaultfd, &message, sizeof(message))), sizeof(message));
		ASSERT_EQ(message.event, UFFD_EVENT_PAGEFAULT);
		ASSERT_EQ(message.arg.pagefault.address & -page_size(), (unsigned long)page);
	}
}

void bring_page(int userfaultfd, void *page, const void *from)
{
	struct uffdio_copy copy = {
		.dst = (unsigned long)page,
		.src = (unsigned long)from,
		.len = page_size(),
	};

	CALL(ioctl(userfaultfd, UFFDIO_COPY, &copy));
}

static void protect_page(int userfaultfd, void *page, bool on)
{
	struct uffdio_writeprotect change = {
		.range = { .start = (unsigned long)page, .len = page_size() },
		.mode = on ? UFFDIO_WRITEPROTECT_MODE_WP : 0,
	};

	CALL(ioctl(userfaultfd, UFFDIO_WRITEPROTECT, &change));
}

static void serve_faults(void *data)
{
	const struct server *server = data;
	struct uffd_msg message;
	bool first = true;

	/* On a busy host, a thread may report its fault again when the fault is over. */
	for (; read(server->fd, &message, sizeof(message)) == sizeof(message); first = false) {
		ASSERT_EQ(message.event, UFFD_EVENT_PAGEFAULT);
		if (first && server->meanwhile)
			server->meanwhile();
		faults++;
		if (!server->content)
			protect_page(server->fd, server->page, false);
		else if (first)
			bring_page(server->fd, server->page, server->content);
	}
}

static void *served_page(const void *content, size_t size, bool missing,
			 void (*meanwhile)(void))
{
	struct server *server = allocate(1, sizeof(*server));
	void *page = missing ? anonymous_pages(1) : page_with(content, size);

	*server = (struct server){
		.page = page,
		.content = missing ? page_with(content, size) : NULL,
		.meanwhile = meanwhile,
	};
	if (missing) {
		server->fd = open_userfaultfd(page, page_size(), 0, UFFDIO_REGISTER_MODE_MISSING);
	} else {
		server->fd = open_userfaultfd(page, page_size(), UFFD_FEATURE_PAGEFAULT_FLAG_WP,
					      UFFDIO_REGISTER_MODE_WP);
		protect_page(server->fd, page, true);
	}
	start_thread(serve_faults, server);
	return page;
}

bool buffer_has_content(enum buffer_kind kind)
{
	return kind == BUFFER_FORKED || kind == BUFFER_OF_FILE || kind == BUFFER_MISSING ||
	       kind == BUFFER_PROTECTED;
}

void *new_buffer(enum buffer_kind kind, const void *content, size_t size,
		 void (*meanwhile)(void))
{
	char *pages;

	switch (kind) {
	case BUFFER_ABSENT:
		return anonymous_pages(1);
	case BUFFER_OF_ZEROES:
		pages = anonymous_pages(1);
		read_page(pages);
		return pages;
	case BUFFER_HALF:
		pages = anonymous_pages(2);
		pages[0] = 1;
		return pages + page_size() - size / 2;
	case BUFFER_FORKED:
		pages = page_with(content, size);
		share_all_pages();
		return pages;
	case BUFFER_OF_FILE:
		return page_of_file(content, size);
	case BUFFER_MISSING:
	case BUFFER_PROTECTED:
		return served_page(content, size, kind == BUFFER_MISSING, meanwhile);
	case BUFFER_UNMAPPED:
		/* Far below all mappings: a later mmap() does not fill this hole. */
		return (void *)(1UL << 20);
	case BUFFER_READ_ONLY:
		return (char *)two_pages(PROT_READ) + page_size();
	case BUFFER_BEHIND_FILE:
		return map_pages(1, MAP_SHARED, CALL(memfd_create("empty", MFD_CLOEXEC)));
	default:
		FAIL("no buffer of kind %d", kind);
	}
}

unsigned int buffer_faults(void)
{
	return faults;
}
