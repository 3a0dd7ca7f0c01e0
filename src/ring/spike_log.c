/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spike_log.c - the spikes that a ring's members measure. */
#include "src/ring/spike_log.h"

#define LOAD(word) atomic_load_explicit(&(word), memory_order_relaxed)
#define STORE(word, value) atomic_store_explicit(&(word), (value), memory_order_relaxed)

enum { HOP_SHIFT = 32 };

__attribute__((cold, noinline)) void spike_log_add(struct spike_log *log, const struct spike_log_entry *add)
{
	uint64_t count = LOAD(log->count);
	struct spike_entry *entry = &log->entries[count % SPIKE_LOG_SIZE];

	/* Pairs with the fence in spike_log_read(): a reader that finds parts of this entry finds the count,
	 * too, that tells it. */
	atomic_thread_fence(memory_order_release);
	STORE(entry->due_ns, add->due_ns);
	STORE(entry->sent_ns, add->sent_ns);
	STORE(entry->received_ns, add->received_ns);
	STORE(entry->hop_from_ns, add->hop_from_ns);
	STORE(entry->hop_to_ns, add->hop_to_ns);
	STORE(entry->says, (uint64_t)add->hop << HOP_SHIFT | add->token);
	/* Release: pairs with the load in spike_log_read(), which then finds the entry. */
	atomic_store_explicit(&log->count, count + 1, memory_order_release);
}

bool spike_log_read(
	const struct spike_log *log, uint64_t *n_read, uint64_t *n_lost, struct spike_log_entry *read)
{
	for (;;) {
		/* Acquire: pairs with the release in spike_log_add(). */
		uint64_t count = atomic_load_explicit(&log->count, memory_order_acquire);

		if (*n_read == count)
			return false;
		if (count - *n_read >= SPIKE_LOG_SIZE) { /* the oldest may be in the making */
			*n_lost += count - *n_read - (SPIKE_LOG_SIZE - 1);
			*n_read = count - (SPIKE_LOG_SIZE - 1);
		}
		const struct spike_entry *entry = &log->entries[*n_read % SPIKE_LOG_SIZE];
		uint64_t says = LOAD(entry->says);

		*read = (struct spike_log_entry){
			.due_ns = LOAD(entry->due_ns),
			.sent_ns = LOAD(entry->sent_ns),
			.received_ns = LOAD(entry->received_ns),
			.token = (uint32_t)says,
			.hop = (uint32_t)(says >> HOP_SHIFT),
			.hop_from_ns = LOAD(entry->hop_from_ns),
			.hop_to_ns = LOAD(entry->hop_to_ns),
		};
		atomic_thread_fence(memory_order_acquire);
		if (LOAD(log->count) - *n_read < SPIKE_LOG_SIZE) {
			(*n_read)++;
			return true;
		}
	}
}
