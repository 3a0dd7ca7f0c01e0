/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracing.h - whether the kernel traces, by the files of tracefs. */
#pragma once

#include <stddef.h>

extern const char *const tracing_folders[2];
/* Returns that of them which has tracing_on, or may have it, as it can't be looked into; the first if none
 * has. */
const char *tracing_folder(void);

/* Writes what is traced in a folder and its instances, as far as tracing_on is 1: "function", "events", or
 * both; else "off", "not mounted" (the folder has no tracing_on), "absent" or "not readable". Each try to
 * read it may be logged if the kernel's lockdown forbids it. */
void tracing_read(const char *folder, char *word, size_t size);
