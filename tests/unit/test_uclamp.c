/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_uclamp.c - the clamps of members. Few kernels have any, so the kernel's answers are made up here. */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

enum { TID = 71, MS = 1000000 };

/* What sched_getattr() answers. */
static struct {
	int error;
	uint32_t size; /* of the kernel's struct sched_attr: 48 without clamps */
	uint32_t min, max;
} answer;
static const uint32_t min_of_others;

/* The linker has all calls of syscall() come here (--wrap). */
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

long __wrap_syscall(long number, ...)
{
	long words[4]; /* of sched_getattr(), and the most that this program's other calls have */
	va_list list;

	va_start(list, number);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		words[i] = va_arg(list, long);
	va_end(list);
	if (number != SYS_sched_getattr)
		return __real_syscall(number, words[0], words[1], words[2], words[3]);
	uint8_t *attributes = (uint8_t *)(uintptr_t)words[1]; /* NOLINT(performance-no-int-to-ptr) */

	if (answer.error) {
		errno = answer.error;
		return -1;
	}
	memset(attributes, 0, (unsigned)words[2]);
	memcpy(attributes, &answer.size, sizeof(answer.size));
	if (answer.size >= 56 && (unsigned)words[2] >= 56) {
		memcpy(attributes + 48, (int)words[0] == TID ? &answer.min : &min_of_others,
			sizeof(uint32_t));
		memcpy(attributes + 52, &answer.max, sizeof(uint32_t));
	}
	return 0;
}

static const struct machine_fact *clamps(void)
{
	size_t i = 0;

	while (strcmp(machine_facts[i].field.key, "member_uclamp") != 0)
		i++;
	return &machine_facts[i];
}

static void the_clamps_of_a_task_are_its_least_and_its_largest(void)
{
	static const struct {
		int error;
		uint32_t size, min, max;
		ssize_t result; /* less than 0: no value */
		const char *value;
	} rows[] = {
		{0, 56, 0, 1024, 6, "0-1024"},
		{0, 56, 512, 1024, 8, "512-1024"},
		{0, 56, 1024, 1024, 9, "1024-1024"},
		{0, 56, 0, 0, -ENOENT, ""}, /* the kernel knows the fields, and was built without clamps */
		{0, 48, 0, 0, -ENOENT, ""}, /* before Linux 5.3 */
		{ESRCH, 0, 0, 0, -ESRCH, ""},
		{EPERM, 0, 0, 0, -EPERM, ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char value[32] = "";

		answer.error = rows[i].error;
		answer.size = rows[i].size;
		answer.min = rows[i].min;
		answer.max = rows[i].max;
		ssize_t result = clamps()->read_row("/proc/71", value, sizeof(value));

		CHECK(result == rows[i].result && strcmp(value, rows[i].value) == 0, "row %zu: %zd, %s", i,
			result, value);
	}
}

/* Of two members, as a run reads them. */
static void another_clamp_is_an_event_and_bears_on_the_member(void)
{
	static const struct {
		uint32_t min, max;
		const char *event;
	} rows[] = {
		{0, 1024, NULL}, /* they have just begun */
		{512, 1024, "uclamp of task 71: 0-1024 -> 512-1024"}, {512, 1024, NULL},
		{0, 0, NULL}, /* they have ended */
	};
	const unsigned tids[] = {TID, TID + 1};
	struct machine_rows reader = {.members = tids, .n_members = 2};
	struct fixture *f = fixture_create(1, MS);
	struct machine machine = machine_copy(&f->session.machine);
	size_t n = 0;

	answer.error = 0;
	answer.size = 56;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		answer.min = rows[i].min;
		answer.max = rows[i].max;
		machine_refresh_fact(&reader, &machine, clamps());
		CHECK(session_machine(&f->session, &machine, 5 + i * UINT64_C(20000) * MS) == 0);
		n += rows[i].event != NULL;
		CHECK(f->session.n_events == n, "row %zu: %zu events", i, f->session.n_events);
		CHECK(!rows[i].event || strcmp(fixture_event(f, 0), rows[i].event) == 0, "row %zu: %s", i,
			fixture_event(f, 0));
		CHECK(!rows[i].event || f->session.events[f->session.n_events - 1].number == 1,
			"it begins a phase");
	}
	CHECK(!machine.member_uclamp);
	machine_rows_finish(&reader);
	machine_finish(&machine);
	fixture_destroy(f);
}

int main(void)
{
	TEST(the_clamps_of_a_task_are_its_least_and_its_largest);
	TEST(another_clamp_is_an_event_and_bears_on_the_member);
	return tap_done();
}
