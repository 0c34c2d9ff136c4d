// SPDX-License-Identifier: MIT
/*
 * Ways of others: gunicorn, whose arbiter kills workers that hang, and etcd, whose lock is lost
 * with its lease. Both come from the distribution.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/exit.h"
#include "fencing.h"

#define TEXT_OF(number)	#number
#define TEXT(number)	TEXT_OF(number)
#define LEASE_S		2		/* as LEASE_NS */

#define SOCKET		"/tmp/fencing-gunicorn.sock"
#define DATA		"/tmp/fencing-etcd"
#define ENDPOINT	"http://127.0.0.1:2379"
#define PEER		"http://127.0.0.1:2380"

/* What stands for another machine is not delayed by this one. */
enum { ELSEWHERE = 80 };

static bool is_there(const char *program)
{
	char command[64];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", program);
	return !system(command);
}

static _Noreturn void execute(const char *const *words)
{
	execvp(words[0], (char *const *)words);
	err(EXIT_FAILURE, "%s", words[0]);
}

bool gunicorn_prepare(void)
{
	unlink(SOCKET);
	return !system("python3 -c 'import gunicorn' 2>/dev/null");
}

/* FENCING_APP is the folder of primary.py. */
void gunicorn_run(void)
{
	static const char *const words[] = {
		"python3", "-Bm", "gunicorn", "--chdir", NULL, "--timeout", TEXT(LEASE_S),
		"--workers", "1", "--error-logfile", "/dev/null", "--worker-tmp-dir", "/dev/shm",
		"--bind", "unix:" SOCKET, "primary:app", NULL
	};
	const char *copy[sizeof(words) / sizeof(*words)];

	memcpy(copy, words, sizeof(words));
	copy[4] = getenv("FENCING_APP") ?: ".";
	setenv("FENCING_SHARED", shared_path, 1);
	execute(copy);
}

/* A request that is never answered. */
void gunicorn_hang(void)
{
	static const char request[] = "GET / HTTP/1.0\r\n\r\n";
	const struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = SOCKET };
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (const struct sockaddr *)&name, sizeof(name)) ||
	    send(fd, request, sizeof(request) - 1, 0) < 0)
		err(EXIT_FAILURE, SOCKET);
	/* until the worker has it */
	while (!__atomic_load_n(&shared->renewed_ns, __ATOMIC_ACQUIRE))
		sleep_until(now() + MS);
}

static pid_t server, standby;

static pid_t start_elsewhere(const char *const *words)
{
	const struct sched_param param = { .sched_priority = ELSEWHERE };
	const pid_t pid = fork();

	if (pid)
		return pid;
	setsid();
	sched_setscheduler(0, SCHED_FIFO, &param);
	setenv("ETCDCTL_API", "3", 1);
	execute(words);
}

bool etcd_prepare(void)
{
	static const char *const etcd[] = {
		"etcd", "--data-dir", DATA, "--log-level", "error", "--logger", "zap",
		"--listen-client-urls", ENDPOINT, "--advertise-client-urls", ENDPOINT,
		"--listen-peer-urls", PEER, "--initial-advertise-peer-urls", PEER,
		"--initial-cluster", "default=" PEER, NULL
	};
	unsigned int i;

	if (!is_there("etcd") || !is_there("etcdctl"))
		return false;
	if (system("rm -rf " DATA))
		return false;
	server = start_elsewhere(etcd);
	for (i = 0; i < 100; i++) {
		if (!system("ETCDCTL_API=3 etcdctl endpoint health >/dev/null 2>&1"))
			return true;
		sleep_until(now() + 100 * MS);
	}
	warnx("etcd does not answer");
	etcd_clean();
	return false;
}

void etcd_run(void)
{
	const char *const words[] = {
		"etcdctl", "lock", "--ttl", TEXT(LEASE_S), "primary", "--", program_path, "--actors",
		shared_path, NULL
	};

	setenv("ETCDCTL_API", "3", 1);
	execute(words);
}

/* The standby waits for the lock from when the primary has it. */
void etcd_hang(void)
{
	const char *const words[] = {
		"etcdctl", "lock", "--ttl", TEXT(LEASE_S), "primary", "--", program_path, "--standby",
		shared_path, NULL
	};

	standby = start_elsewhere(words);
}

void etcd_standby(void)
{
	__atomic_store_n(&shared->standby_ns, now(), __ATOMIC_RELEASE);
	for (;;)
		pause();
}

static void end_session(pid_t *pid)
{
	if (!*pid)
		return;
	kill(-*pid, SIGKILL);
	waitpid(*pid, NULL, 0);
	*pid = 0;
}

void etcd_clean(void)
{
	end_session(&standby);
	end_session(&server);
}
