/* SPDX-License-Identifier: GPL-2.0-or-later */
/* coverage.h - included first in a build that counts coverage: _exit() writes the counts of its process too.
 */
#pragma once

#include <unistd.h>

void __gcov_dump(void);
#define _exit(status) (__gcov_dump(), _exit(status))
