/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fact_words.h - the options and the facts of the machine that comparisons name, as a person reads them.
 * Pure. */
#pragma once

enum { FACT_WORDS_SIZE = 128 };

/* @name: as a summary has it: "options.interval_ns", "host.isolated". Both return @text, or a string that
 * outlives it: "interval", "isolated CPUs"; and the value as "1 ms", "64 KiB", "on", "none". */
const char *fact_title(const char *name, char text[FACT_WORDS_SIZE]);
const char *fact_value(const char *name, const char *value, char text[FACT_WORDS_SIZE]);
