/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page_scene.h - what the pictures of a page show. Pure. */
#pragma once

#include "ui/pictures/page.h"
#include "ui/pictures/picture.h"
#include "ui/pictures/time_columns.h"

struct page_scene {
	struct picture_scene scene;
	struct view_state view;
	struct time_columns columns;
	struct hist a, b; /* owned; of two phases */
	char names[2][PHASE_NAME_SIZE];
};

/* Returns 0 or -ENOMEM; page_scene_finish() accepts what is left. */
int page_scene_init(struct page_scene *page, const struct session *session, const struct page_choice *choice);
void page_scene_finish(struct page_scene *page);

/* Two phases beside each other. */
struct page_phases {
	const struct phase *a, *b; /* NULL: there is none, or A is of a file */
	bool is_file;
	const struct event *trial; /* whose values they have; NULL: none */
};

/* A is the baseline, and B the last phase. Without a baseline they are those of the last trial, or else the
 * last two phases. */
struct page_phases page_phases_of(const struct session *session, const struct baseline *baseline);

/* "mq, pipe: 4 pairs, every 1ms, 60 s, on host (Linux 6.18, PREEMPT_RT)". Returns @text. */
enum { PAGE_TITLE_SIZE = 256 };
char *page_title(const struct session *session, char text[PAGE_TITLE_SIZE]);
