/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay_reader.h - one entry of a recording after the other, each as what it says; for replay.c alone. */
#pragma once

#include "src/recording/replay.h"
#include "src/recording/replay_file.h"
#include "src/recording/tick_codec.h"

struct replay_reader {
	struct tick_codec codec;
	struct replay_item item; /* what was read last */
	/* What the item points to. */
	struct tick tick;
	struct event event; /* owned */
	struct machine machine;
	uint64_t n_damages, first_damage;
	uint64_t told_damage; /* the last that was counted: a seek may pass the same twice */
};

/* For entries of this session's rings. Returns 0 or -ENOMEM; replay_reader_finish() accepts what is left. */
int replay_reader_init(struct replay_reader *reader, const struct session *session);
void replay_reader_finish(struct replay_reader *reader);

/* What is read next follows a checkpoint, or the header. @at_ns: when that was told. */
void replay_reader_restart(struct replay_reader *reader, uint64_t at_ns);
/* Returns 1 with the item, 0 for an entry that is none, or a negative errno. */
int replay_reader_read(struct replay_reader *reader, const struct replay_entry *entry);
