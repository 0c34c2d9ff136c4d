/* SPDX-License-Identifier: GPL-2.0 */
/* Attacks by very many wake-ups: of many descriptors, threads and processes. */
#ifndef _CROWDS_H
#define _CROWDS_H

/* Many descriptors are due at one tick. One thread reads each, and arms it again. */
void prepare_calls(unsigned int count);
void call_all(void);

/* The same by many users, with 200 descriptors each. */
void start_users(void);
void prepare_users(unsigned int count);

/* The same with a thread for each descriptor. Timers are due at each tick. */
void prepare_threads(unsigned int count);

/* The same; the expiry of each descriptor sends a signal to many processes. */
void prepare_kill(unsigned int count);
void kill_group(void);
void prepare_signals(unsigned int count);

/* Many threads poll many epolls, which watch one descriptor. */
void prepare_pollers(unsigned int count);
void wake_pollers(void);

/* A descriptor with many deadlines in its table, for a program that polls it at each tick. */
void start_receiver(void);
void prepare_handed(int fd);

/* Descriptors with timers that are due at each tick, of programs that are stopped. */
void prepare_stopped(unsigned int count);

#endif /* _CROWDS_H */
