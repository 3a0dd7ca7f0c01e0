/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uring - io_uring: the sender's ring posts a completion to the receiver's (IORING_OP_MSG_RING).
 *
 * Each end has a ring of its own. The keeper makes both, and members inherit their mappings. */
#include <errno.h>
#include <liburing.h>
#include <stdalign.h>

#include "src/probe/probe.h"

enum { ENTRIES = 4 };

struct uring {
	struct {
		alignas(64) struct io_uring ring;
		bool is_open;
	} ends[2];
};

/* A limit is no lack of io_uring: uring_open() fails with it too, and uring_remedies name it. */
static bool has_met_a_limit(void)
{
	struct io_uring ring;
	int r = io_uring_queue_init(ENTRIES, &ring, 0);

	if (r == 0)
		io_uring_queue_exit(&ring);
	return r == -EMFILE || r == -ENFILE || r == -ENOMEM;
}

static const char *uring_missing(void)
{
	struct io_uring_probe *probe = io_uring_get_probe();
	bool can = probe && io_uring_opcode_supported(probe, IORING_OP_MSG_RING);

	if (probe)
		io_uring_free_probe(probe);
	if (!probe && has_met_a_limit())
		return NULL;
	if (!probe)
		return "this kernel refuses io_uring: see /proc/sys/kernel/io_uring_disabled, a container's "
		       "seccomp profile, CONFIG_IO_URING";
	return can ? NULL : "this kernel's io_uring has no IORING_OP_MSG_RING: it needs Linux 5.18";
}

static int uring_open(struct hop *hop)
{
	struct uring *uring = hop->state;

	for (int end = 0; end < 2; end++) {
		int r = io_uring_queue_init(ENTRIES, &uring->ends[end].ring, 0);

		if (r < 0)
			return r;
		uring->ends[end].is_open = true;
	}
	return 0;
}

/* The sender's own ring gets a completion only where there is an error. */
static int uring_send(struct hop *hop)
{
	struct uring *uring = hop->state;
	struct io_uring *ring = &uring->ends[HOP_SENDER].ring;
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);
	struct io_uring_cqe *cqe;

	if (!sqe)
		return -EBUSY;
	io_uring_prep_msg_ring(sqe, uring->ends[HOP_RECEIVER].ring.ring_fd, 0, 0, 0);
	sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
	int r = io_uring_submit(ring);

	if (r < 0 || io_uring_peek_cqe(ring, &cqe) != 0)
		return r < 0 ? r : 0;
	r = cqe->res;
	io_uring_cqe_seen(ring, cqe);
	return r < 0 ? r : -EIO;
}

static int uring_recv(struct hop *hop, const struct timespec *deadline)
{
	struct uring *uring = hop->state;
	struct io_uring *ring = &uring->ends[HOP_RECEIVER].ring;
	struct io_uring_cqe *cqe;
	int r = io_uring_wait_cqe(ring, &cqe);

	if (r == 0)
		io_uring_cqe_seen(ring, cqe);
	return r;
}

/* On copies: the library may write to a ring that it closes, and the members still use the state. */
static void uring_release(struct hop *hop)
{
	const struct uring *uring = hop->state;

	for (int end = 0; end < 2; end++) {
		struct io_uring ring = uring->ends[end].ring;

		if (uring->ends[end].is_open)
			io_uring_queue_exit(&ring);
	}
}

static const struct probe_remedy uring_remedies[] = {
	{{-ENOMEM}, "no locked memory left for a ring: raise RLIMIT_MEMLOCK (ulimit -l)"},
	{.text = NULL},
};

const struct probe probe_uring = {
	.name = "uring",
	.title = "io_uring message to a ring",
	.hop_size = sizeof(struct uring),
	.missing = uring_missing,
	.open = uring_open,
	.send = uring_send,
	.recv = uring_recv,
	.release = uring_release,
	.remedies = {uring_remedies},
};
