/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input.h - decodes the bytes of a terminal as keys and mouse events. Pure, but for the locale's encoding. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	INPUT_SIZE = 512,
	INPUT_KEYS_MAX = 24,
	INPUT_PATIENCE_NS = 50000000, /* the rest of a sequence must arrive within this time */
};

/* The bytes of this terminal for a key. */
struct input_key {
	char bytes[16]; /* ends with 0 */
	uint32_t code;  /* as in key_code.h */
};

struct input_event {
	uint32_t code;
	unsigned x, y; /* the cell under the mouse, for its codes */
};

struct input {
	bool mouse; /* the mouse is on */
	struct input_key keys[INPUT_KEYS_MAX];
	size_t n_keys;

	unsigned char bytes[INPUT_SIZE]; /* not decoded yet */
	size_t n;
	uint64_t last_ns; /* the time of the last of them */
};

/* Adds as many bytes as fit (all, if the earlier ones were decoded). Returns their number. */
size_t input_add(struct input *input, const void *bytes, size_t n, uint64_t now_ns);
/* Gets the next event in the bytes until @now_ns. Returns false if there is none yet. */
bool input_next(struct input *input, uint64_t now_ns, struct input_event *event);
/* Returns when there may be an event without a further byte; UINT64_MAX: never. */
uint64_t input_due_ns(const struct input *input);
