/* SPDX-License-Identifier: GPL-2.0 */
/* Pass descriptors through a UNIX socket, with SCM_RIGHTS. */
#ifndef _RIGHTS_H
#define _RIGHTS_H

void send_descriptor(int sock, int fd);
int receive_descriptor(int sock);

#endif /* _RIGHTS_H */
