/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_load.c - the words of a load are read strictly, and written so that they can be read again. */
#include <errno.h>
#include <string.h>

#include "src/load/load.h"
#include "tests/unit/tap.h"

static void words_are_a_kind_with_cpus_and_intensity(void)
{
	static const struct {
		const char *text, *written;
	} rows[] = {
		{"fork", "fork:100%"},
		{"spinner:0-3", "spinner:0-3:100%"},
		{"fifo:0-3,8:50", "fifo:0-3,8:50%"},
		{"fifo:0-3,8:50%", "fifo:0-3,8:50%"},
		{"timers::1", "timers:1%"},
		{"ipi:7%", "ipi:7%"},
		{"ipi:7", "ipi:7:100%"},
		{"mprotect:0-6:2/4:20", NULL}, /* the stride of a kernel's list has a colon, too */
		{"mprotect:8191:100", "mprotect:8191:100%"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct load load, again;
		struct error_text reason = {""};
		char text[LOAD_TEXT_SIZE] = "";
		int r = load_parse(&load, rows[i].text, &reason);

		CHECK((r == 0) == (rows[i].written != NULL), "%s: %s", rows[i].text, reason.text);
		if (r < 0)
			continue;
		CHECK(strcmp(load_format(&load, text), rows[i].written) == 0, "%s: %s", rows[i].text, text);
		CHECK(load_parse(&again, text, &reason) == 0 && again.kind == load.kind &&
				again.percent == load.percent && cpus_equal(&again.cpus, &load.cpus),
			"%s is read again", text);
	}
}

static void what_is_no_load_is_refused_with_what_is_allowed(void)
{
	static const struct {
		const char *text, *part;
	} rows[] = {
		{"", "choose from spinner, fifo, faults"},
		{"forks", "no such load: choose from"},
		{"FORK", "no such load: choose from"},
		{"fork:", "the CPUs must be a list such as 0-3,8"},
		{"fork:x", "the CPUs must be a list"},
		{"fork:3-1", "the CPUs must be a list"},
		{"fork:0:", "the intensity must be 1 to 100 percent"},
		{"fork:0:0", "the intensity must be 1 to 100 percent"},
		{"fork:0:101", "the intensity must be 1 to 100 percent"},
		{"fork:0:-5", "the intensity must be 1 to 100 percent"},
		{"fork:0:5.5", "the intensity must be 1 to 100 percent"},
		{"fork:%", "the intensity must be 1 to 100 percent"},
		{"fork:0:50:1", "must be KIND[:CPUS][:INTENSITY]"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct load load;
		struct error_text reason = {""};

		CHECK(load_parse(&load, rows[i].text, &reason) == -EINVAL, "%s", rows[i].text);
		CHECK(strstr(reason.text, rows[i].part) != NULL, "%s: %s", rows[i].text, reason.text);
	}
}

static void a_load_runs_on_allowed_cpus_alone(void)
{
	struct cpus allowed = {0}, one = {0};
	struct error_text reason = {""};
	struct load load;

	cpus_parse(&allowed, "2-5");
	cpus_parse(&one, "4");
	CHECK(load_parse(&load, "fork", &reason) == 0 && load_settle(&load, &allowed, &reason) == 0);
	CHECK(cpus_equal(&load.cpus, &allowed), "all of them without a list");
	CHECK(load_parse(&load, "fork:1,4", &reason) == 0);
	CHECK(load_settle(&load, &allowed, &reason) == -EINVAL);
	CHECK(strcmp(reason.text, "CPU 1 is not allowed here (of 2-5)") == 0, "%s", reason.text);
	CHECK(load_parse(&load, "ipi:4", &reason) == 0 && load_settle(&load, &allowed, &reason) == 0);
	CHECK(load_settle(&load, &one, &reason) == -ENOTSUP, "it needs a second CPU");
}

int main(void)
{
	TEST(words_are_a_kind_with_cpus_and_intensity);
	TEST(what_is_no_load_is_refused_with_what_is_allowed);
	TEST(a_load_runs_on_allowed_cpus_alone);
	return tap_done();
}
