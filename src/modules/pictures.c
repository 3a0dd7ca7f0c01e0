/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pictures.c - the module of --plot and --report, which are written at the end. */
#include <errno.h>

#include "src/base/whole_file.h"
#include "src/model/session.h"
#include "src/modules/exports.h"
#include "src/plan/config.h"
#include "src/run/source.h"
#include "ui/pictures/page.h"

struct page_file {
	const char *option, *path; /* path NULL: not given */
	int (*print)(const struct session *session, const struct page_choice *choice, FILE *out);
};

enum { N_PAGE_FILES = 2 };

static void list_files(const struct config *config, struct page_file files[N_PAGE_FILES])
{
	files[0] = (struct page_file){"--plot", config->plot, page_print_svg};
	files[1] = (struct page_file){"--report", config->report, page_print_html};
}

static int check_file(const struct page_file *file, const struct config *config, struct error_text *reason)
{
	const char *recording = config->replay ? config->replay : config->record;

	if (!file->path)
		return 0;
	if (whole_file_is_stdout(file->path))
		return error_text_set(reason, -EINVAL, "%s -: must be a file", file->option);
	if (recording && whole_file_is(file->path, recording))
		return error_text_set(reason, -EINVAL, "%s %s: --%s there; name another file", file->option,
			file->path, config->replay ? "replay reads" : "record writes");
	if (config->metrics && whole_file_is(file->path, config->metrics))
		return error_text_set(reason, -EINVAL,
			"%s %s: --metrics writes there, too; name another file", file->option, file->path);
	int r = exports_check_other(config, file->option, file->path, reason);

	return r == 0 ? whole_file_check(file->path, reason) : r;
}

static int check_files(const struct config *config, struct error_text *reason)
{
	struct page_file files[N_PAGE_FILES];
	int r = 0;

	list_files(config, files);
	if (files[0].path && files[1].path && whole_file_is(files[0].path, files[1].path))
		return error_text_set(reason, -EINVAL,
			"--plot %s: --report writes there, too; name another file", files[0].path);
	for (size_t i = 0; i < N_PAGE_FILES && r == 0; i++)
		r = check_file(&files[i], config, reason);
	return r;
}

static int open_pictures(struct source *source, void **state, struct error_text *reason)
{
	*state = source->config->plot || source->config->report ? source : NULL;
	return 0;
}

static int write_file(struct source *source, const struct page_file *page, struct error_text *reason)
{
	const struct page_choice choice = {.figure = source->config->figure,
		.palette = source->config->palette,
		.baseline = &source->baseline,
		.phases = &source->phases};
	struct whole_file file;
	int r = whole_file_open(&file, page->path, reason);

	if (r < 0)
		return r;
	r = page->print(&source->session, &choice, file.out);
	if (r != -ENOMEM && r != -ECANCELED) /* an error of writing has its reason when it is closed */
		return whole_file_close(&file, reason);
	whole_file_abandon(&file);
	return error_text_set(reason, r,
		r == -ENOMEM ? "can't write %s: no memory" : "%s was not written: a signal arrived",
		page->path);
}

static int end_pictures(void *state, struct error_text *reason)
{
	struct source *source = state;
	struct page_file files[N_PAGE_FILES];
	int r = source->has_result ? session_phases_settle(&source->session) : 0;

	if (!source->has_result)
		return 0;
	if (r < 0)
		return error_text_set(reason, r, "no memory for the blocks of the last phase");
	list_files(source->config, files);
	for (size_t i = 0; i < N_PAGE_FILES && r == 0; i++)
		if (files[i].path)
			r = write_file(source, &files[i], reason);
	return r;
}

const struct module module_pictures = {.check = check_files, .open = open_pictures, .end = end_pictures};
