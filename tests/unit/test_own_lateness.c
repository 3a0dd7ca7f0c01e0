/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_own_lateness.c - which ticks count as late, and the events that they make. */
#include <stdlib.h>
#include <string.h>

#include "src/model/event.h"
#include "src/model/own_lateness.h"

#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

static const uint64_t MS = 1000000;

static void a_tick_is_late_by_half_its_length_and_a_tenth_of_a_second(void)
{
	static const struct {
		uint64_t length_ms, late_ms;
		bool is_late;
	} cases[] = {
		{500, 0, false},
		{749, 249, false},
		{750, 250, true},
		{3500, 3000, true},
		{140, 90, false}, /* of 50 ms */
		{150, 100, true},
		{13000, 3000, false}, /* of 10 s */
		{15000, 5000, true},
		{100, 100, true},
		{100, 700, true}, /* a recording that anyone may have written */
		{0, 700, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct tick tick = {.start_ns = 5000 * MS,
			.end_ns = (5000 + cases[i].length_ms) * MS,
			.late_ns = cases[i].late_ms * MS};

		CHECK(own_lateness_is_late(&tick) == cases[i].is_late, "case %zu", i);
	}
}

/* Ticks of half a second. */
static void late_ticks_are_events_while_they_grow_and_at_their_end(void)
{
	static const struct {
		uint64_t late_ms[8]; /* of the first ticks */
		uint64_t wait_ms;
		unsigned n_calm;       /* ticks in time, after these */
		const char *events[3]; /* NULL: no event */
		uint32_t n;            /* late ticks at the end */
	} cases[] = {
		{{0}, 0, 40, {NULL}, 0},
		{{3000}, 2900, 3, {"ipctop sampled 3.000 s late: its thread got no CPU"}, 1},
		{{300}, 149, 40,
			{"ipctop sampled 300.000 ms late; its thread's wait for a CPU was only 149.000 ms"},
			0},
		{{300}, 0, 40, {"ipctop sampled 300.000 ms late"}, 0},
		{{300, 4500, 0, 300}, 9000, 12,
			{"ipctop sampled 300.000 ms late: its thread got no CPU",
				"ipctop sampled 4.500 s late: its thread got no CPU"},
			3},
		{{300, 599, 700, 1100}, 9000, 12,
			{"ipctop sampled 300.000 ms late: its thread got no CPU",
				"ipctop sampled 700.000 ms late: its thread got no CPU"},
			4},
		{{300, 4500, 0, 300}, 9000, 30,
			{"ipctop sampled 300.000 ms late: its thread got no CPU",
				"ipctop sampled 4.500 s late: its thread got no CPU",
				"ipctop sampled late 3 times, by at most 4.500 s"},
			0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fixture *f = fixture_create(1, 1000000);
		size_t n = 0;

		for (unsigned t = 0; t < 8 + cases[i].n_calm; t++) {
			f->tick.late_ns = t < 8 ? cases[i].late_ms[t] * MS : 0;
			f->tick.own_wait_ns = cases[i].wait_ms * MS;
			f->tick.end_ns = f->tick.start_ns + 500 * MS + f->tick.late_ns;
			fixture_feed(f);
		}
		for (size_t e = 0; e < f->session.n_events; e++) {
			char *text = event_text(&f->session.events[e]);

			if (strstr(text, "ipctop sampled")) {
				CHECK(n < 3 && cases[i].events[n] && strcmp(text, cases[i].events[n]) == 0,
					"case %zu: %s", i, text);
				n++;
			}
			free(text);
		}
		CHECK(n == 3 || !cases[i].events[n], "case %zu lacks event %zu", i, n);
		CHECK(f->session.own_lateness.n == cases[i].n, "case %zu: %u", i,
			(unsigned)f->session.own_lateness.n);
		fixture_destroy(f);
	}
}

int main(void)
{
	TEST(a_tick_is_late_by_half_its_length_and_a_tenth_of_a_second);
	TEST(late_ticks_are_events_while_they_grow_and_at_their_end);
	return tap_done();
}
