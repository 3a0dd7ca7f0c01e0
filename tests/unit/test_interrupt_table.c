/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_interrupt_table.c - how often each interrupt, or softirq, came on each CPU. */
#include "src/machine/interrupt_table.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "tests/unit/tap.h"

static int read_text(struct interrupt_table *table, const char *text)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	int r = interrupt_table_read(table, file);

	fclose(file);
	return r;
}

static const char before_text[] =
	"           CPU0       CPU2       \n"
	" 24:          1         10  IO-APIC   5-edge      ACPI:Ged\n"
	" 36:          0      71717 PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0\n"
	"LOC:     414406     360031   Local timer interrupts\n"
	"ERR:          0\n";
static const char after_text[] =
	"           CPU0       CPU2       \n"
	" 24:          1         10  IO-APIC   5-edge      ACPI:Ged\n"
	" 36:          0      71917 PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0\n"
	"LOC:     414500     360131   Local timer interrupts\n"
	"ERR:          0\n";

static void what_came_meanwhile_is_counted_by_cpu(void)
{
	struct interrupt_table before = {0}, after = {0};
	static const struct {
		unsigned cpu;
		uint64_t n;
		const char *most;
	} cases[] = {{0, 94, "LOC"}, {2, 300, "virtio1-req.0"}, {1, UINT64_MAX, ""}, {3, UINT64_MAX, ""}};
	char most[INTERRUPT_NAME_SIZE];

	CHECK(read_text(&before, before_text) == 0 && before.n_rows == 3, "%zu rows", before.n_rows);
	CHECK(read_text(&after, after_text) == 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t n = interrupt_table_since(&before, &after, cases[i].cpu, most);

		CHECK(n == cases[i].n && strcmp(most, cases[i].most) == 0, "%zu: %" PRIu64 " %s", i, n, most);
	}
	CHECK(interrupt_table_since(&after, &after, 0, most) == 0 && !*most);
	CHECK(interrupt_table_since(&after, &before, 0, most) == UINT64_MAX, "counts can't fall");
	interrupt_table_finish(&before);
	CHECK(interrupt_table_since(&before, &after, 0, most) == UINT64_MAX, "nothing was read before");
	interrupt_table_finish(&after);
}

static void changed_rows_and_cpus_are_not_compared(void)
{
	static const char *const texts[] = {
		"    CPU0\nHI: 1\nTIMER: 2\n",
		"    CPU1\nHI: 1\nTIMER: 2\n",
		"    CPU0\nHI: 1\n",
		"    CPU0\nHI: 1\nNET_RX: 2\n",
	};
	char most[INTERRUPT_NAME_SIZE];

	for (size_t a = 0; a < 4; a++)
		for (size_t b = 0; b < 4; b++) {
			struct interrupt_table before = {0}, after = {0};

			CHECK(read_text(&before, texts[a]) == 0 && read_text(&after, texts[b]) == 0);
			CHECK(interrupt_table_since(&before, &after, *after.cpus, most) ==
					(a == b ? 0 : UINT64_MAX),
				"%zu %zu", a, b);
			interrupt_table_finish(&before);
			interrupt_table_finish(&after);
		}
}

static void other_files_are_refused(void)
{
	static const char *const texts[] = {"\n", "intr 1 2 3\n", "CPU1 CPU0\n", "CPU0\nno row\n"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct interrupt_table table = {0};

		CHECK(read_text(&table, texts[i]) == -EINVAL && !table.n_rows && !table.n_cpus, "%zu", i);
		interrupt_table_finish(&table);
	}
}

int main(void)
{
	TEST(what_came_meanwhile_is_counted_by_cpu);
	TEST(changed_rows_and_cpus_are_not_compared);
	TEST(other_files_are_refused);
	return tap_done();
}
