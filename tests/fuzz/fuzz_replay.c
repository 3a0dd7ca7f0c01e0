/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_replay - any bytes as a recording: read whole, exported, sought in, and reported. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/recording/replay.h"
#include "src/report/export.h"
#include "src/report/report_json.h"
#include "src/report/report_text.h"

extern const struct export_format export_jsonl;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void report(FILE *out, struct replay *replay, const struct session *session)
{
	struct error_text reason;

	report_summary(out, session, replay->config.figure, replay->config.fail_above_ns);
	report_json_write("/dev/null", session,
		&(struct report_origin){.ended_by = "fuzz", .header = replay->header}, &reason);
}

static void export(FILE *out, const struct session *session)
{
	for (unsigned i = 0; export_formats[i]; i++)
		for (size_t row = 0; export_formats[i]->print && row <= session->n_rings; row++)
			export_formats[i]->print(out, &(struct export_view){session, FIGURE_FIRST, row});
}

static void read_all(struct replay *replay)
{
	FILE *out = fopen("/dev/null", "we");
	struct session session;
	uint64_t middle_ns = 0, n_events = 0;

	if (replay_start(replay, &session) == 0) {
		export_jsonl.print_header(out, &session, &(struct report_origin){.header = replay->header});
		for (int n = 0; replay_next(replay) > 0; n++) {
			feed_session(&session, &replay->item.feed, NULL);
			export_jsonl.print_item(out,
				&(struct export_item){&session, &replay->item.feed, replay->item.damaged,
					replay->item.offset},
				&n_events);
			if (n == 3)
				middle_ns = replay->item.feed.at_ns;
		}
	}
	report(out, replay, &session);
	export(out, &session);
	if (replay_seek(replay, &session, middle_ns) == 0)
		report(out, replay, &session);
	replay_seek(replay, &session, UINT64_MAX);
	session_finish(&session);
	fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	char path[32];
	struct replay replay;
	struct error_text reason;

	if (fd < 0)
		fd = memfd_create("recording", MFD_CLOEXEC);
	if (ftruncate(fd, 0) < 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (replay_open(&replay, path, &reason) == 0)
		read_all(&replay);
	replay_close(&replay);
	return 0;
}
