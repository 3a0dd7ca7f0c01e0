/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shm - the sender copies the token to POSIX shared memory, and the receiver spins on a word there;
 * mmap - the same in a memory-mapped file; shmfutex - shared memory, and a futex to wake the receiver.
 *
 * The word counts tokens. The sender alone writes it, after the token. For shm and shmfutex the hop's state,
 * which is shared memory too, holds the word and tokens of at most SHORT_TOKEN bytes. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/probe/probe.h"

enum {
	SHORT_TOKEN = 32, /* bytes: with the word they fit on the stamp's cache line */
	POLLS = 10000,    /* before a spinning receiver returns -EINTR: some 0.1 to 0.5 ms */
};

struct area {
	_Atomic uint32_t count;
	char token[SHORT_TOKEN]; /* in a mapping: hop->size bytes */
};

_Static_assert(sizeof(struct area) <= 40, "it shares the stamp's cache line");

struct end {
	_Atomic uint32_t *word;
	char *token;
	uint32_t count; /* of tokens that this end sent or received */
};

static size_t area_size(const struct hop *hop)
{
	return sizeof(struct area) + hop->size;
}

/* Allocates all blocks now, so that a full disk makes open fail, and no lap. */
static int give_size(int fd, const struct hop *hop)
{
	if (ftruncate(fd, (off_t)area_size(hop)) < 0)
		return -errno;
	return -posix_fallocate(fd, 0, (off_t)area_size(hop));
}

static int shm_probe_open(struct hop *hop)
{
	char name[PROBE_NAME_SIZE];
	int fd = shm_open(
		probe_name(&hop->owner, name), O_RDWR | O_CREAT | O_EXCL, 0600); /* sets FD_CLOEXEC */

	if (fd < 0)
		return -errno;
	hop->fds[HOP_RECEIVER] = fd;
	return shm_unlink(name) < 0 ? -errno : give_size(fd, hop);
}

static int make_file(struct hop *hop, const char *path, int flags)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | flags, 0600);

	if (fd < 0)
		return -errno;
	hop->fds[HOP_RECEIVER] = fd;
	return give_size(fd, hop);
}

static int mmap_probe_open(struct hop *hop)
{
	return probe_dir_use(hop, make_file, O_CLOEXEC);
}

static int map_area(struct hop *hop, struct area **area)
{
	*area = mmap(NULL, area_size(hop), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, hop->fd, 0);
	if (*area == MAP_FAILED)
		return -errno;
	mlock(*area, area_size(hop)); /* where it is refused, MAP_POPULATE has made the pages present */
	hop->memory = *area;
	hop->memory_size = area_size(hop);
	return 0;
}

static int init_end(struct hop *hop, struct area *word, struct area *token)
{
	struct end *end = malloc(sizeof(*end));

	if (!end)
		return -ENOMEM;
	*end = (struct end){.word = &word->count, .token = token->token};
	hop->local = end;
	return 0;
}

static int mmap_probe_attach(struct hop *hop, enum hop_end end)
{
	struct area *area;
	int r = map_area(hop, &area);

	return r < 0 ? r : init_end(hop, area, area);
}

static int shm_probe_attach(struct hop *hop, enum hop_end end)
{
	struct area *area = hop->state;
	int r = hop->size > SHORT_TOKEN ? map_area(hop, &area) : 0;

	return r < 0 ? r : init_end(hop, hop->state, area);
}

static void shm_probe_detach(struct hop *hop)
{
	if (hop->memory)
		munmap(hop->memory, hop->memory_size);
	free(hop->local);
}

/* Between two CPUs that share an L3 cache, calls of memcpy() at both ends make a hop 10 % longer. */
static inline void copy(char *to, const char *from, size_t size)
{
	if (size == 1)
		*to = *from;
	else
		memcpy(to, from, size);
}

/* Release: pairs with the acquire in probe_word_wait(), spin_calmly() and spin_tight(). */
static int spin_send(struct hop *hop)
{
	struct end *end = hop->local;

	copy(end->token, hop->token, hop->size);
	atomic_store_explicit(end->word, ++end->count, memory_order_release);
	return 0;
}

/* @r: the result of waiting for the word. */
static int copy_token(struct hop *hop, int r)
{
	struct end *end = hop->local;

	if (r < 0)
		return r;
	copy(hop->token, end->token, hop->size);
	end->count++;
	return 0;
}

/* As short as a loop written by hand: between the arrival of the line and the copy nothing is called, and
 * nothing read again. Such calls made a hop 15 % longer. */
static int spin_tight(struct hop *hop)
{
	struct end *end = hop->local;
	_Atomic uint32_t *word = end->word;
	uint32_t count = end->count;

	for (unsigned polls = POLLS; atomic_load_explicit(word, memory_order_acquire) == count;)
		if (--polls == 0)
			return -EINTR;
	copy(hop->token, end->token, hop->size);
	end->count = count + 1;
	return 0;
}

static inline void relax_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* Spins until the word is no longer @value, with the CPU's pause between two reads. Returns 0 or -EINTR. */
static int spin_calmly(_Atomic uint32_t *word, uint32_t value)
{
	for (unsigned i = 0; i < POLLS; i++) {
		if (atomic_load_explicit(word, memory_order_acquire) != value)
			return 0;
		relax_cpu();
	}
	return -EINTR;
}

static int spin_recv(struct hop *hop, const struct timespec *deadline)
{
	const struct end *end = hop->local;

	return hop->spins_tight ? spin_tight(hop) : copy_token(hop, spin_calmly(end->word, end->count));
}

static int futex_send(struct hop *hop)
{
	spin_send(hop);
	return probe_word_wake(((struct end *)hop->local)->word);
}

static int futex_recv(struct hop *hop, const struct timespec *deadline)
{
	const struct end *end = hop->local;

	return copy_token(hop, probe_word_wait(end->word, end->count));
}

static void shm_probe_sweep(const struct owner *dead)
{
	probe_name_sweep("/dev/shm", dead, shm_unlink);
}

static const struct probe_remedy shm_probe_remedies[] = {
	{{-ENOENT, -ENOTDIR},
		"there is no /dev/shm: make it, and mount a tmpfs there (mount -t tmpfs tmpfs /dev/shm)"},
	{{-EACCES, -EROFS}, "no file can be made in /dev/shm: it should be writable, and of mode 1777"},
	{{-ENOSPC}, "no room in /dev/shm: mount it larger (mount -o remount,size=...)"},
	{.text = NULL},
};

const struct probe probe_shm = {
	.name = "shm",
	.title = "spinning on shared memory",
	.traits = PROBE_PAYLOAD | PROBE_TOKEN_IN_STATE | PROBE_SPINS | PROBE_SWEEPS,
	.hop_size = sizeof(struct area),
	.open = shm_probe_open,
	.attach = shm_probe_attach,
	.detach = shm_probe_detach,
	.send = spin_send,
	.recv = spin_recv,
	.sweep = shm_probe_sweep,
	.remedies = {shm_probe_remedies},
};

const struct probe probe_mmap = {
	.name = "mmap",
	.title = "spinning on a mapped file",
	.traits = PROBE_PAYLOAD | PROBE_SPINS,
	.open = mmap_probe_open,
	.attach = mmap_probe_attach,
	.send = spin_send,
	.recv = spin_recv,
	.sweep = probe_dir_sweep,
	.remedies = {probe_dir_remedies},
};

const struct probe probe_shmfutex = {
	.name = "shmfutex",
	.title = "shared memory and a futex",
	.traits = PROBE_PAYLOAD | PROBE_TOKEN_IN_STATE | PROBE_SWEEPS,
	.hop_size = sizeof(struct area),
	.open = shm_probe_open,
	.attach = shm_probe_attach,
	.detach = shm_probe_detach,
	.send = futex_send,
	.recv = futex_recv,
	.sweep = shm_probe_sweep,
	.remedies = {shm_probe_remedies},
};
