/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_json.h - the options in force as JSON: "options" of reports and of a recording's header. */
#pragma once

struct config;
struct json_object;

/* Returns an object that the caller owns; NULL without memory. */
struct json_object *config_json(const struct config *config);
/* Reads numbers, switches and the figure. Options that @object lacks stay as they are. */
void config_json_read(struct json_object *object, struct config *config);
