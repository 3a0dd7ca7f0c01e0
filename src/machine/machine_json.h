/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine_json.h - the machine in JSON: for recordings, and for reports. */
#pragma once

struct cpus;
struct json_object;
struct machine;
struct topology;

/* Return an object that the caller owns, NULL without memory. */
struct json_object *machine_json(const struct machine *machine);            /* of recordings: all facts */
struct json_object *machine_json_report(const struct machine *machine);     /* "host" of the schema */
struct json_object *machine_json_topology(const struct topology *topology); /* "topology" of the schema */

/* Puts a list in the kernel's format, of any length. */
void machine_json_put_cpus(struct json_object *object, const char *key, const struct cpus *cpus);

/* Reads the object of machine_json() in place of the facts that the machine has; those that it lacks become
 * unknown. */
void machine_json_read(struct json_object *object, struct machine *machine);
