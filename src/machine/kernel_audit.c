/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel_audit.c - asks the kernel's audit by netlink. */
#include "src/machine/kernel_audit.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/small_file.h"

struct answer {
	struct nlmsghdr head;
	union {
		struct nlmsgerr error;
		struct audit_status status;
	};
};

/* Returns 1 for on, 0 for off, or a negative errno. */
static int read_answer(int fd)
{
	struct answer answer = {0};
	ssize_t n = recv(fd, &answer, sizeof(answer), 0);

	if (n < 0)
		return -errno;
	if (answer.head.nlmsg_type == NLMSG_ERROR && answer.error.error)
		return answer.error.error;
	if (answer.head.nlmsg_type != AUDIT_GET || n < (ssize_t)offsetof(struct answer, status.failure))
		return -EPROTO;
	return answer.status.enabled != 0;
}

static int ask(int fd)
{
	struct nlmsghdr question = {
		.nlmsg_len = sizeof(question), .nlmsg_type = AUDIT_GET, .nlmsg_flags = NLM_F_REQUEST};
	const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	const struct timeval patience = {.tv_usec = 200000};

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (sendto(fd, &question, sizeof(question), 0, (const struct sockaddr *)&kernel, sizeof(kernel)) < 0)
		return -errno;
	return read_answer(fd);
}

void kernel_audit_read(char *word, size_t size)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_AUDIT);
	int is_on = fd < 0 ? -errno : ask(fd);

	if (fd >= 0)
		close(fd);
	if (is_on < 0) /* other user namespaces than the first one are refused the connection */
		snprintf(word, size, "%s", small_file_state_word(is_on == -ECONNREFUSED ? -EPERM : is_on));
	else
		snprintf(word, size, "%s", is_on ? "on" : "off");
}
