/* SPDX-License-Identifier: GPL-2.0-or-later */
/* start_words.h - a shell script that starts the rings or the sweep of a session again. Pure. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct config;
struct session;

/* Prints the script: ipctop with the first rings, and if others have other options, or some are paused,
 * `ipctop ctl` that adds and pauses them. Rings that have ended are left out; members have the policy and the
 * CPUs that they have now. What no option can express is a comment. @recorder: the word of --recorder; NULL:
 * the default. @program: the path of ipctop where PATH does not find it; NULL: it does. Without any ring the
 * script says so, and fails. Returns 0 or -ENOMEM; errors of writing stay with @out. */
int start_words_print(FILE *out, const struct session *session, const struct config *config,
	const char *recorder, const char *program);
/* Returns whether the script would start nothing: all rings have ended. */
bool start_words_are_empty(const struct session *session);
