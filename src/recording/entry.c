/* SPDX-License-Identifier: GPL-2.0-or-later */
/* entry.c - the entries of a recording. */
#include "src/recording/entry.h"

#include <endian.h>
#include <string.h>

/* A fuzzer can't guess checksums: with them it would never reach the decoders. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { IGNORES_CHECKS = true };
#else
enum { IGNORES_CHECKS = false };
#endif

enum { PAYLOAD_MAX = 1 << 28 };

/* Its bytes differ, so no mark begins inside another one. */
static const uint8_t mark[4] = {0xa5, 'i', 'p', 0xf1};

/* A head as it is written; the last field is the check of all before it. */
struct head {
	uint8_t mark[4];
	uint32_t length;
	uint64_t at_ns, check;
	uint32_t kind, head_check;
};

_Static_assert(sizeof(struct head) == ENTRY_HEAD_SIZE, "no holes in it");

static uint32_t check_head(const struct head *head)
{
	uint64_t check = bytes_check(head, offsetof(struct head, head_check));

	return (uint32_t)(check ^ check >> 32);
}

size_t entry_begin(struct bytes *bytes)
{
	const struct head empty = {0};
	size_t begun = bytes->n;

	bytes_add(bytes, &empty, sizeof(empty));
	return begun;
}

void entry_end(struct bytes *bytes, size_t begun, enum entry_kind kind, uint64_t at_ns)
{
	if (bytes->failed)
		return;
	const uint8_t *payload = bytes->data + begun + ENTRY_HEAD_SIZE;
	size_t length = bytes->n - begun - ENTRY_HEAD_SIZE;
	struct head head = {.length = htole32((uint32_t)length),
		.at_ns = htole64(at_ns),
		.check = htole64(bytes_check(payload, length)),
		.kind = htole32(kind)};

	bytes->failed = length > PAYLOAD_MAX;
	memcpy(head.mark, mark, sizeof(mark));
	head.head_check = htole32(check_head(&head));
	memcpy(bytes->data + begun, &head, sizeof(head));
}

bool entry_read_head(const uint8_t bytes[ENTRY_HEAD_SIZE], struct entry_head *read)
{
	struct head head;

	memcpy(&head, bytes, sizeof(head));
	*read = (struct entry_head){.length = le32toh(head.length),
		.kind = le32toh(head.kind),
		.at_ns = le64toh(head.at_ns),
		.check = le64toh(head.check)};
	return memcmp(head.mark, mark, sizeof(mark)) == 0 &&
	       (IGNORES_CHECKS || le32toh(head.head_check) == check_head(&head)) &&
	       read->length <= PAYLOAD_MAX;
}

bool entry_is_whole(const struct entry_head *head, const uint8_t *payload)
{
	return IGNORES_CHECKS || bytes_check(payload, head->length) == head->check;
}

size_t entry_find(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const uint8_t *at = memchr(bytes + i, mark[0], n - i);

		if (!at)
			return n;
		i = (size_t)(at - bytes);
		if (memcmp(at, mark, n - i < sizeof(mark) ? n - i : sizeof(mark)) == 0)
			return i;
	}
	return n;
}
