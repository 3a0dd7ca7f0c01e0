/* SPDX-License-Identifier: GPL-2.0-or-later */
/* modules.h - the modules of a run or a playback. */
#pragma once

#include "src/run/bus.h"

extern const struct module *const modules[]; /* in the order in which they get items; ended by NULL */
