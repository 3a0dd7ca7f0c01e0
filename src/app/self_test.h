/* SPDX-License-Identifier: GPL-2.0-or-later */
/* self_test.h - the verb `self-test`: tries on this machine what ipctop relies on. */
#pragma once

#include <stdbool.h>

struct option_row;
struct probe;

/* The tables of its options, which shells complete. */
extern const struct option_row *const self_test_options[];

/* Returns whether the first word is `self-test`. */
bool self_test_is_asked(int argc, char *const *argv);
/* Prints the certificate, and errors. Returns the exit status: 2 if something did not hold. */
int self_test_main(int argc, char **argv, const struct probe *const *registry);
