/* SPDX-License-Identifier: GPL-2.0-or-later */
/* regular_file.h - opens files that the user names, for reading. */
#pragma once

#include "src/base/error_text.h"

/* Opens a regular file without waiting. Others are refused: reading a FIFO or a device may never end. Returns
 * a descriptor, or a negative errno with a reason that names the path. */
int regular_file_open(const char *path, struct error_text *reason);
