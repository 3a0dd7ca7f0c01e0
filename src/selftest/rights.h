/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rights.h - which rights this process has, and the remedy for those that it lacks. */
#pragma once

#include "src/selftest/certificate.h"

/* Fills the certificate's rights; the tiers of the recorder were tried before. */
void rights_read(struct certificate *certificate);
