/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_json_phase.c - what the JSON report says of one phase: a line for it, and one for each ring. */
#include "src/model/session.h"
#include "src/report/report_json_parts.h"

static struct json_object *json_phase_ring(
	const struct session *session, const struct session_ring *ring, const struct pack_sums *sums)
{
	struct json_object *object = json_object_new_object(), *figures = json_object_new_object();

	json_put_uint(object, "id", ring->id);
	json_put_uint(object, "active_ns", sums->counts.active_ns);
	json_put_uint(object, "laps", sums->counts.laps);
	json_put_uint(object, "warmup_laps", sums->counts.warmup_laps);
	json_put_uint(object, "missed", sums->counts.missed);
	json_put_uint(object, "rested", sums->counts.rested);
	json_put_uint(object, "away", sums->counts.away);
	for (int i = 0; i < N_FIGURES; i++)
		json_put(figures, figure_name((enum figure)i), json_figure(session, &sums->hists[i]));
	json_put(object, "figures", figures);
	return object;
}

static int print_ring(FILE *out, const struct session *session, const struct phase *phase, size_t ring,
	struct pack_sums *sums)
{
	int r = phase_sum_row(phase, ring, sums);

	if (r < 0)
		return r;
	return json_print_value(
		out, json_phase_ring(session, &session->rings[ring], sums), ring ? ",\n" : "\n");
}

int json_print_phase(FILE *out, const struct session *session, const struct phase *phase, const char *before)
{
	struct pack_sums sums = {0};
	int r;

	fprintf(out, "%s{\"number\": %u, \"name\": ", before, (unsigned)phase->number);
	r = json_print_value(out, json_text(phase->name), "");
	fprintf(out, ", \"cause\": \"%s\", \"start_ns\": %lld, \"end_ns\": %lld, \"rings\": [",
		phase_cause_name(phase->cause), (long long)(phase->start_ns - session->start_ns),
		(long long)(phase->end_ns - session->start_ns));
	for (size_t i = 0; i < session->n_rings && r == 0; i++)
		r = print_ring(out, session, phase, i, &sums);
	fprintf(out, "]}");
	pack_sums_finish(&sums);
	return r;
}
