/* SPDX-License-Identifier: GPL-2.0-or-later */
/* header_token.c - what the header says of tokens: how large they are, and what became of them. */
#include <stdio.h>

#include "src/model/session.h"
#include "src/model/session_faults.h"
#include "ui/panes/header.h"

/* "100", "4k", "1M", where nothing is lost by it. */
static void write_bytes(char *text, size_t size, const char *what, uint64_t bytes)
{
	static const char *const units[] = {"", "k", "M"};
	unsigned unit = 0;

	for (; unit < 2 && bytes >= 1024 && bytes % 1024 == 0; unit++)
		bytes /= 1024;
	snprintf(text, size, "%s %llu%s", what, (unsigned long long)bytes, units[unit]);
}

void header_size(const struct frame *frame, char *text, size_t size)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < frame->session->n_rings; i++)
		if (frame->session->rings[i].token_bytes > bytes)
			bytes = frame->session->rings[i].token_bytes;
	if (bytes > 1)
		write_bytes(text, size, "size", bytes);
}

void header_work(const struct frame *frame, char *text, size_t size)
{
	if (frame->session->work_size)
		write_bytes(text, size, "work", frame->session->work_size);
}

void header_faults(const struct frame *frame, char *text, size_t size)
{
	uint64_t faults[N_TOKEN_FAULTS] = {0};

	for (size_t i = 0; i < frame->session->n_rings; i++)
		for (int f = 0; f < N_TOKEN_FAULTS; f++)
			faults[f] += frame->session->rings[i].faults[f];
	token_faults_text(faults, text, size);
}
