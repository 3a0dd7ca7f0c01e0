/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_json_ring.h - a ring in the JSON report. */
#pragma once

struct hist;
struct json_object;
struct session;
struct session_ring;

/* The caller's to put; NULL without memory. They refer to the histograms, so print them before those change.
 */
struct json_object *report_json_ring(const struct session *session, const struct session_ring *ring);
struct json_object *report_json_figure(const struct session *session, const struct hist *hist);
