/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command_save.c - the command that saves what was measured so far. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/whole_file.h"
#include "src/engine/engine_rings.h"
#include "src/flight/flight.h"
#include "src/model/session.h"
#include "src/plan/config.h"
#include "src/recording/history.h"
#include "src/recording/record.h"
#include "src/report/report_json.h"
#include "src/report/start_words.h"
#include "src/run/run_items.h"

enum { SETTLING_NS = 300000000 };

/* "ipctop-20251231-235959" */
static void default_name(char name[COMMAND_WORDS_SIZE])
{
	time_t now = time(NULL);
	struct tm local;

	localtime_r(&now, &local);
	strftime(name, COMMAND_WORDS_SIZE, "ipctop-%Y%m%d-%H%M%S", &local);
}

static int save_json(struct source *source, const char *path, struct error_text *reason)
{
	const struct report_origin origin = {"saved", source->config, source->topology,
		.blocks_of = source->config->figure, .all_blocks = source->config->json_blocks};

	pthread_mutex_lock(&source->lock);
	int r = session_phases_settle(&source->session);

	pthread_mutex_unlock(&source->lock);
	return r < 0 ? error_text_set(reason, r, "%s: no memory for the blocks of the last phase", path)
		     : report_json_write(path, &source->session, &origin, reason);
}

/* A run that keeps no past saves its state alone; so does a sweep, as the past in memory may have no matrix.
 */
static int save_recording(struct source *source, const char *path, struct error_text *reason)
{
	const struct config *config = source->config;
	struct recording *recording;

	if (source->history && !config->sweep)
		return history_save(source->history, path, reason);
	int r = record_check(path, reason);

	if (r == 0)
		r = record_start(&recording, path, &source->session, config, source->topology, reason);
	return r < 0 ? r : record_finish(recording, "saved", reason);
}

/* Checks all files before one of them is written. A recording that has failed is not locked any more. */
static int check_file(const struct source *source, const char *path, struct error_text *reason)
{
	const struct config *config = source->config;

	if (config->record && whole_file_is(path, config->record))
		return error_text_set(reason, -EBUSY, "%s is what --record writes: take another name", path);
	return whole_file_check(path, reason);
}

static int save_screen(struct source *source, const char *path, struct error_text *reason)
{
	struct whole_file file;
	int r = whole_file_open(&file, path, reason);

	if (r < 0)
		return r;
	source->print_screen(source->screen_data, file.out);
	return whole_file_close(&file, reason);
}

/* Finds this program's path. Returns false without /proc. */
static bool find_program(char program[PATH_MAX])
{
	static const char deleted[] = " (deleted)"; /* another one was installed meanwhile */
	ssize_t n = readlink("/proc/self/exe", program, PATH_MAX - 1);

	program[n > 0 ? n : 0] = '\0';
	char *end = strstr(program, deleted);

	if (end && !end[sizeof(deleted) - 1])
		*end = '\0';
	return n > 0;
}

/* Returns whether a shell finds this program as ipctop. */
static bool is_in_path(const char *program)
{
	const char *path = getenv("PATH");
	char name[PATH_MAX], found[PATH_MAX];

	for (; path; path = strchr(path, ':')) {
		path += *path == ':';
		snprintf(name, sizeof(name), "%.*s/ipctop", (int)strcspn(path, ":"), path);
		/* A relative folder is another one elsewhere. */
		if (*path == '/' && access(name, X_OK) == 0)
			return realpath(name, found) && strcmp(found, program) == 0;
	}
	return false;
}

static int save_start(struct source *source, const char *path, struct error_text *reason)
{
	char program[PATH_MAX];
	struct whole_file file;
	int r = whole_file_open(&file, path, reason);

	if (r < 0)
		return r;
	bool is_elsewhere = find_program(program) && !is_in_path(program);

	r = start_words_print(file.out, &source->session, source->config,
		source->config->recorder ? flight_word(source->config->recorder) : NULL,
		is_elsewhere ? program : NULL);
	if (r == 0)
		return whole_file_close(&file, reason);
	whole_file_abandon(&file);
	return error_text_set(reason, r, "%s: no memory", path);
}

/* Waits until what was ordered before is done, and puts it into the session. A ring with a member that gets
 * no CPU may take longer than that. */
static int settle_rings(struct run *run, struct error_text *why)
{
	int r = engine_await_rings(&run->engine, clock_now_ns() + SETTLING_NS, why);

	run_feed_tick(run, clock_now_ns(), false);
	return r;
}

/* Finds the folder of the files. Returns NULL if it is not there. */
static char *find_folder(const char *name, char full[PATH_MAX])
{
	const char *slash = strrchr(name, '/');
	char folder[COMMAND_WORDS_SIZE];

	snprintf(folder, sizeof(folder), "%.*s%s", slash ? (int)(slash - name) : 0, name, slash ? "/" : ".");
	return realpath(folder, full);
}

/* Adds what to do where the folder of the files is what may not be written. */
static void add_remedy(const struct source *source, const char *name, struct error_text *why)
{
	char full[PATH_MAX], text[sizeof(why->text)];
	const char *control = source->config->control;

	if (!find_folder(name, full) || faccessat(AT_FDCWD, full, W_OK | X_OK, AT_EACCESS) == 0)
		return;
	snprintf(text, sizeof(text), "%s", why->text);
	error_text_set(why, 0, "%s: make the folder %.200s writable for this user%s%s%s", text, full,
		control ? ", or save elsewhere: ipctop ctl " : "", control ? control : "",
		control ? " save PATH" : "");
}

static void say_saved(const struct source *source, const char *name, struct error_text *said)
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	const char *starts = start_words_are_empty(&source->session) ? "nothing: no ring is left"
			     : source->config->sweep                 ? "this sweep"
								     : "these rings";
	char folder[PATH_MAX];
	bool has_folder = find_folder(name, folder) && strlen(folder) < COMMAND_WORDS_SIZE;

	error_text_set(said, 0,
		"saved %s%.200s%sas %.200s.json, .rec (the recording), .txt (the screen) and .sh (starts %s)",
		has_folder ? "in " : "", has_folder ? folder : "", has_folder ? " " : "",
		has_folder ? base : name, starts);
}

/* Writes the path of the files as seen from everywhere. */
static void name_files(const char *name, char path[PATH_MAX])
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	char folder[PATH_MAX];

	if (!find_folder(name, folder) ||
		snprintf(path, PATH_MAX, "%s/%s", strcmp(folder, "/") ? folder : "", base) >= PATH_MAX)
		snprintf(path, PATH_MAX, "%s", name);
}

static int save_all(struct source *source, const struct command *command, struct command_result *result,
	struct error_text *refusal)
{
	static const char *const suffixes[] = {".json", ".rec", ".txt", ".sh", NULL};
	static int (*const savers[])(struct source * source, const char *path, struct error_text *reason) = {
		save_json, save_recording, save_screen, save_start};
	char name[COMMAND_WORDS_SIZE], path[COMMAND_WORDS_SIZE + 8];
	struct error_text why;
	int r = 0;

	if (source->ended_by[0]) /* the screen is gone */
		return error_text_set(refusal, -ESHUTDOWN, "save: the run is about to end");
	snprintf(name, sizeof(name), "%s", command->words);
	if (!*name)
		default_name(name);
	if (strchr(name, ' '))
		return error_text_set(refusal, -EINVAL, "save: takes at most one word, PATH");
	if (name[strlen(name) - 1] == '/')
		return error_text_set(
			refusal, -EINVAL, "save: %s: a file name must follow the directory", name);
	for (size_t i = 0; r == 0 && suffixes[i]; i++) {
		snprintf(path, sizeof(path), "%s%s", name, suffixes[i]);
		r = check_file(source, path, &why);
	}
	if (r == 0)
		r = settle_rings((struct run *)source, &why);
	for (size_t i = 0; r == 0 && suffixes[i]; i++) {
		snprintf(path, sizeof(path), "%s%s", name, suffixes[i]);
		r = savers[i](source, path, &why);
	}
	if (r == -EACCES || r == -EPERM)
		add_remedy(source, name, &why);
	if (r < 0)
		return error_text_set(refusal, r, "save: %s", why.text);
	say_saved(source, name, &result->said);
	name_files(name, result->files);
	result->suffixes = suffixes;
	run_feed_text((struct run *)source, command->at_ns, EVENT_NOTE, result->said.text);
	return 0;
}

static const struct option_row path_argument = {.name = "path", .argument = "PATH"};

const struct command_row command_save = {"save",
	"write PATH.json, PATH.rec, PATH.txt (screen), PATH.sh (command line)", &path_argument,
	.kind = COMMAND_SAVE, .is_optional = true, .takes_words = true, .acts = true, .in_run = save_all,
	.refusal = "a replay is saved already: --json, --render and --export write it"};
