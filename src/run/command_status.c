/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command_status.c - the commands that only read: status, rings, and events, which follow. */
#include "src/report/control_json.h"
#include "src/run/source.h"

static int print_status(FILE *out, const struct source *source)
{
	return control_json_status(out, &source->session, source->config, source->replay != NULL);
}

static int print_rings(FILE *out, const struct source *source)
{
	return control_json_rings(out, &source->session, source->config->figure);
}

static int print_nothing(FILE *out, const struct source *source)
{
	return 0;
}

const struct command_row command_status = {
	"status", "print what is measured, and where it is", .print = print_status};
const struct command_row command_rings = {
	"rings", "print the rings with their members and figures", .print = print_rings};
const struct command_row command_events = {"events", "print events and spikes as they happen, until the end",
	.print = print_nothing, .follows = true};
