/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel_audit.h - whether the kernel writes down system calls and logins for auditd. */
#pragma once

#include <stddef.h>

/* Writes "on", "off", "absent", or "not readable" without CAP_AUDIT_CONTROL. */
void kernel_audit_read(char *word, size_t size);
