/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spike_json.h - spikes, their explanations, and what they blame, as JSON. */
#pragma once

struct blame_sums;
struct json_object;
struct kept_spike;
struct session;

/* Return objects that the caller owns; NULL without memory. Times are since the start of the run. */
struct json_object *spike_json(const struct session *session, const struct kept_spike *kept);
struct json_object *spike_json_blame(const struct blame_sums *sums);
/* Returns all spikes of the session: how many there were, the longest and the last ones, and the blame. */
struct json_object *spike_json_all(const struct session *session);
