/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_save.h - the command that saves what was measured so far. */
#pragma once

#include "src/run/command.h"

command_obey run_save;
