/* SPDX-License-Identifier: GPL-2.0-or-later */
/* names.c - for probes: objects that the kernel keeps by a name of one part (mq_open(3), shm_open(3)). */
#include "src/probe/names.h"

#include <dirent.h>
#include <stddef.h>

char *probe_name(const struct owner *owner, char name[PROBE_NAME_SIZE])
{
	name[0] = '/';
	owner_format(owner, name + 1);
	return name;
}

void probe_name_sweep(const char *path, const struct owner *dead, int (*unlink_name)(const char *name))
{
	char name[PROBE_NAME_SIZE];
	DIR *directory = dead ? NULL : opendir(path);
	struct dirent *entry;
	struct owner owner;

	if (dead)
		unlink_name(probe_name(dead, name));
	while (directory && (entry = readdir(directory)))
		if (owner_parse(entry->d_name, &owner) && owner_is_dead(&owner))
			unlink_name(probe_name(&owner, name));
	if (directory)
		closedir(directory);
}
