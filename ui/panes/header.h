/* SPDX-License-Identifier: GPL-2.0-or-later */
/* header.h - what stands in the header's lines: what can be trusted, and the phase. Pure. */
#pragma once

#include "ui/table/view.h"

void header_draw(const struct frame *frame, struct area area);

/* All write "" where there is nothing to say; brief ones say the same, shorter. */
void header_kernel(const struct frame *frame, char *text, size_t size);
void header_brief_kernel(const struct frame *frame, char *text, size_t size);
void header_preemption(const struct frame *frame, char *text, size_t size);
void header_governor(const struct frame *frame, char *text, size_t size);
void header_brief_governor(const struct frame *frame, char *text, size_t size);
void header_isolated(const struct frame *frame, char *text, size_t size);
void header_brief_isolated(const struct frame *frame, char *text, size_t size);
void header_nohz(const struct frame *frame, char *text, size_t size);
void header_smt(const struct frame *frame, char *text, size_t size);
void header_dma(const struct frame *frame, char *text, size_t size);
void header_brief_dma(const struct frame *frame, char *text, size_t size);
void header_policy(const struct frame *frame, char *text, size_t size);
void header_brief_policy(const struct frame *frame, char *text, size_t size);
void header_pace(const struct frame *frame, char *text, size_t size);
void header_brief_pace(const struct frame *frame, char *text, size_t size);
void header_clock(const struct frame *frame, char *text, size_t size);
void header_clock_source(const struct frame *frame, char *text, size_t size);

void header_size(const struct frame *frame, char *text, size_t size);
void header_work(const struct frame *frame, char *text, size_t size);
void header_faults(const struct frame *frame, char *text, size_t size);

void header_phase(const struct frame *frame, char *text, size_t size);
void header_brief_phase(const struct frame *frame, char *text, size_t size);
void header_above(const struct frame *frame, char *text, size_t size);
void header_brief_above(const struct frame *frame, char *text, size_t size);
void header_worst(const struct frame *frame, char *text, size_t size);
void header_worst_housekeeping(const struct frame *frame, char *text, size_t size);
