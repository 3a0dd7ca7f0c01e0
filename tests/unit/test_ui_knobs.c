/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_knobs.c - the view of knobs: what the run has seen comes first, and the selected one has its
 * advice. */
#include <locale.h>

#include "src/model/spikes.h"
#include "tests/unit/screen_fixture.h"
#include "tests/unit/tap.h"
#include "ui/frame/keys.h"

static void press(uint32_t code)
{
	keys_press(&seen.frame, code);
	look(100, 30);
}

/* A machine with some settings. */
static void seen_init_with_settings(void)
{
	struct machine *machine;

	seen_init(4);
	machine = &seen.session->machine;
	strcpy(machine->watchdog, "1");
	strcpy(machine->skew_tick, "none");
	strcpy(machine->ksm, "0");
	strcpy(machine->base_slice_ns, "not readable");
	look(100, 30);
	press('K');
}

static void without_spikes_the_published_cost_ranks(void)
{
	seen_init_with_settings();
	CHECK(is_on_top("knobs"));
	CHECK(shows("no spike blames a knob; "), "%s", seen.text);
	CHECK(strstr(marked_line(), "costs"), "%s", marked_line());
	const char *costs = strstr(seen.text, "watchdog "), *may = strstr(seen.text, "skew_tick ");

	CHECK(costs && may && costs < may, "%s", seen.text);
	press('K');
	CHECK(is_on_top("overview"));
	seen_finish();
}

/* It gives up its CPUs, then the rest of the sentence. */
static void the_title_is_never_cut_in_a_word(void)
{
	seen_init_with_settings();
	for (unsigned columns = 40; columns <= 120; columns++) {
		look(columns, 24);
		const char *end = strstr(seen.text, " may cost ");

		CHECK(end && strstr(seen.text, "-- knobs"), "%u columns: %s", columns, seen.text);
	}
	look(120, 24);
	CHECK(shows(" knobs for CPUs 0-3: no spike blames a knob; "), "%s", seen.text);
	look(70, 24);
	CHECK(shows(" knobs: no spike blames a knob; "), "%s", seen.text);
	look(40, 24);
	CHECK(strstr(line_with("knobs: "), " cost elsewhere, "), "%s", seen.text);
	seen_finish();
}

static void what_spikes_blame_comes_first(void)
{
	seen_init_with_settings();
	seen.session->spikes.blames = (struct blame_sums){.n = 1,
		.list = {{"timer interrupt", CAUSE_TIMER, 40, 4}},
		.n_spikes = 5,
		.ns = 1000,
		.kind_ns = {[CAUSE_TIMER] = 40, [CAUSE_UNEXPLAINED] = 960}};
	look(100, 30);
	CHECK(shows("seen in spikes"), "%s", seen.text);
	CHECK(strstr(marked_line(), "seen 4 %") && strstr(marked_line(), "watchdog"), "%s", seen.text);
	CHECK(shows(" cost   timer interrupts cost 4 % of all spikes here"), "%s", seen.text);
	CHECK(shows(" now    sysctl -w kernel.watchdog=0"), "%s", seen.text);
	CHECK(shows(" keep   echo 'kernel.watchdog = 0' >>/etc/sysctl.d/90-latency.conf"), "%s", seen.text);
	CHECK(shows("no effect seen"), "%s", seen.text);
	seen_finish();
}

static void the_selected_knob_stays_while_the_ranking_changes(void)
{
	seen_init_with_settings();
	for (int i = 0; i < 80 && !strstr(marked_line(), "skew_tick"); i++)
		press('j');
	CHECK(strstr(marked_line(), "skew_tick"), "%s", seen.text);
	CHECK(shows(" interrupts: skew_tick "), "%s", seen.text);
	strcpy(seen.session->machine.skew_tick, "1");
	look(100, 30);
	CHECK(strstr(marked_line(), "good") && strstr(marked_line(), "skew_tick"), "%s", seen.text);
	press('G');
	CHECK(strstr(marked_line(), "absent"), "%s", marked_line());
	CHECK(shows(" above\n") && !shows(" below"), "%s", seen.text);
	press('g');
	CHECK(strstr(marked_line(), "costs"), "%s", marked_line());
	CHECK(shows(" below\n") && !shows(" above"), "%s", seen.text);
	seen_finish();
}

/* Each group is there once, and has its heading over its knobs; the one with the worst knob is the first. */
static void groups_are_ordered_by_their_worst_knob(void)
{
	seen_init_with_settings();
	press('#');
	CHECK(strstr(line_with("scheduler:"), "1 costs"), "%s", seen.text);
	const char *scheduler = strstr(seen.text, "\nscheduler: "),
		   *cpus = strstr(seen.text, "\nCPUs and isolation: 1 costs, 1 may cost");

	CHECK(scheduler && cpus && scheduler < strstr(seen.text, "\n> ") && strstr(seen.text, "\n> ") < cpus,
		"%s", seen.text);
	CHECK(strstr(marked_line(), "sched_rt_runtime_us"), "the selected knob stays: %s", marked_line());
	press('G');
	CHECK(strstr(marked_line(), "absent"), "%s", seen.text);
	for (int i = 0; i < 120; i++) /* never on a heading */
		press('k');
	CHECK(strstr(marked_line(), "sched_rt_runtime_us") && strstr(seen.text, "\nscheduler: "), "%s",
		seen.text);
	press('#');
	CHECK(!strstr(seen.text, "\nscheduler: "), "%s", seen.text);
	seen_finish();
}

static void a_filter_of_the_view_finds_knobs_and_no_rings(void)
{
	seen_init_with_settings();
	press('/');
	CHECK(is_on_top("prompt"));
	for (const char *at = "WATCH"; *at; at++)
		press((unsigned char)*at);
	press(KEY_CODE_ENTER);
	CHECK(is_on_top("knobs") && !seen.frame.view.filter.n_terms);
	CHECK(shows("2 of ") && shows(" with 'WATCH' "), "%s", seen.text);
	CHECK(strstr(marked_line(), "watchdog") && shows("nmi_watchdog") && !shows("skew_tick"), "%s",
		seen.text);
	press('/');
	for (const char *at = "nothing has this"; *at; at++)
		press((unsigned char)*at);
	press(KEY_CODE_ENTER);
	CHECK(shows("no knob has that") && !*marked_line(), "%s", seen.text);
	press('#');
	press('j');
	keys_press(&seen.frame, KEY_CODE_ENTER);
	CHECK(seen.frame.message && strcmp(seen.frame.message, "no knob is shown") == 0);
	press('/');
	press(KEY_CODE_ENTER);
	CHECK(strstr(marked_line(), "sched_rt_runtime_us") && shows("fair_server"), "%s", seen.text);
	seen_finish();
}

/* A trial of which the third phase goes on. */
static void fake_trial(void)
{
	seen.session->trial = (struct trial_progress){.tried = "swappiness=10",
		.with = "swappiness=60",
		.phase = 3,
		.n_phases = 12,
		.phase_end_ns = seen.session->now_ns + 4000000000,
		.end_ns = seen.session->now_ns + 72000000000};
}

static void a_trial_is_followed_to_its_result(void)
{
	seen_init_with_settings();
	keys_press(&seen.frame, 'x');
	CHECK(strcmp(seen.frame.message, "no knob is being tried") == 0);
	fake_trial();
	look(100, 30);
	CHECK(shows(" trying swappiness=10: phase 3 of 12, with swappiness=60, ends in 0:04, all in 1:12; x stops"),
		"%s", seen.text);
	press('G'); /* to a knob that can't be tried: the trial is named first */
	keys_press(&seen.frame, KEY_CODE_ENTER);
	CHECK(strcmp(seen.frame.message, "a knob is being tried: x stops that") == 0, "%s",
		seen.frame.message);
	struct effect effect = keys_press(&seen.frame, 'x');

	CHECK(effect.command.kind == COMMAND_TRY && strcmp(effect.command.words, "stop") == 0);
	press('K');
	CHECK(shows("try 3/12, 1m left"), "%s", seen.text);
	press('K');
	seen.session->trial = (struct trial_progress){0};
	fake_event(seen.session, EVENT_TRIAL, -1, "undecided; restored; stopped in phase 3 of 12");
	seen.session->events[0].subject = strdup("try swappiness=10");
	look(100, 30);
	CHECK(shows(" try swappiness=10: undecided; restored; stopped in phase 3 of 12"), "%s", seen.text);
	seen_finish();
}

static void it_fits_any_screen(void)
{
	seen_init_with_settings();
	fake_trial();
	press('#');
	for (unsigned columns = 20; columns <= 240; columns += 13)
		for (unsigned lines = 5; lines <= 80; lines += 5)
			CHECK(look(columns, lines) && !seen.canvas.n_cut && !seen.canvas.n_overlaps,
				"%u x %u: %u cut, %u over others\n%s", columns, lines, seen.canvas.n_cut,
				seen.canvas.n_overlaps, seen.text);
	seen_finish();
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	TEST(without_spikes_the_published_cost_ranks);
	TEST(the_title_is_never_cut_in_a_word);
	TEST(what_spikes_blame_comes_first);
	TEST(the_selected_knob_stays_while_the_ranking_changes);
	TEST(groups_are_ordered_by_their_worst_knob);
	TEST(a_filter_of_the_view_finds_knobs_and_no_rings);
	TEST(a_trial_is_followed_to_its_result);
	TEST(it_fits_any_screen);
	return tap_done();
}
