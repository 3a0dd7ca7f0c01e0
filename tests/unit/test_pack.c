/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_pack.c - what is packed comes out again, whatever it is. */
#include "src/model/packed_row.h"

#include <string.h>

#include "src/model/span.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

static bool same_hist(const struct hist *a, const struct hist *b)
{
	if (a->n != b->n || a->sum_ns != b->sum_ns || a->max_at_ns != b->max_at_ns)
		return false;
	if (a->max_at_ns && (a->min_ns != b->min_ns || a->max_ns != b->max_ns))
		return false;
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		if (hist_count(a, i) != hist_count(b, i))
			return false;
	return true;
}

static void fill(struct hist *hist, uint64_t from_ns, unsigned step_percent, unsigned samples, uint64_t count)
{
	uint64_t ns = from_ns;

	for (unsigned i = 0; i < samples; i++, ns += 1 + ns * step_percent / 100) {
		hist_add(hist, hist_bucket(ns), count);
		hist->sum_ns += ns * count;
		hist_extend(hist, ns, ns, 1000 + i);
	}
}

/* As a tick would say it. */
static int pack_sums(struct pack **pack, const struct pack_sums *sums, struct pack_sums *working)
{
	static struct hist_cell cells[N_FIGURES * HIST_BUCKETS];
	struct tick_ring row = {.active_ns = sums->counts.active_ns,
		.laps = sums->counts.laps,
		.warmup_laps = sums->counts.warmup_laps,
		.missed = sums->counts.missed,
		.away = sums->counts.away};
	size_t n = 0;

	for (int f = 0; f < N_FIGURES; f++) {
		const struct hist *hist = &sums->hists[f];

		row.figures[f] = (struct tick_figure){.sum_ns = hist->sum_ns,
			.min_ns = hist->min_ns,
			.max_ns = hist->max_ns,
			.max_at_ns = hist->max_at_ns,
			.has_extremes = hist->max_at_ns,
			.first_cell = n};
		for (unsigned b = 0; b < HIST_BUCKETS; b++)
			if (hist_count(hist, b))
				cells[n++] = (struct hist_cell){b, (uint32_t)hist_count(hist, b)};
		row.figures[f].n_cells = n - row.figures[f].first_cell;
	}
	return pack_make(pack, &row, cells, working);
}

static void unpack(const struct pack *pack, struct pack_sums *sums)
{
	for (int f = 0; f < N_FIGURES; f++)
		CHECK(pack_add_figure(pack, (enum figure)f, &sums->hists[f]) == 0);
	pack_add_counts(pack, &sums->counts);
}

static void what_is_packed_comes_out_again(void)
{
	static const struct {
		const char *what;
		uint64_t from_ns;
		unsigned step_percent, samples;
		uint64_t count;
		size_t most; /* bytes */
	} cases[] = {
		{"nothing", 0, 0, 0, 0, 0},
		{"a single zero", 0, 0, 1, 1, 40},
		{"each bucket of the first octave", 0, 0, 64, 3, 110},
		{"a dense middle", 1400, 0, 3000, 1, 300},
		{"far between", 10, 50, 50, 1, 300},
		{"large counts", 1400, 5, 100, UINT32_MAX, 1200},
		{"the last bucket", UINT64_C(1) << 40, 0, 1, 1, 60},
		{"all buckets", 0, 1, 2500, 100, 5000},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pack_sums in = {0}, out = {0}, working = {0};
		struct pack *pack, *same;

		fill(&in.hists[FIGURE_LAP], cases[i].from_ns, cases[i].step_percent, cases[i].samples,
			cases[i].count);
		in.counts = (struct pack_counts){.active_ns = cases[i].samples * UINT64_C(500000000),
			.laps = cases[i].samples,
			.missed = cases[i].samples / 2,
			.away = cases[i].samples / 3};
		CHECK(pack_sums(&pack, &in, &working) == 0);
		CHECK((pack == NULL) == (cases[i].samples == 0), "%s", cases[i].what);
		CHECK(!pack || pack->size <= cases[i].most, "%s: %u bytes", cases[i].what, pack->size);
		CHECK(pack_make_sums(&same, &in, &in) == 0);
		CHECK(!pack ? !same
			    : same && same->size == pack->size &&
					memcmp(same->bytes, pack->bytes, pack->size) == 0,
			"%s", cases[i].what);
		free(same);
		unpack(pack, &out);
		for (int f = 0; f < N_FIGURES; f++)
			CHECK(same_hist(&in.hists[f], &out.hists[f]), "%s, %s", cases[i].what,
				figure_name((enum figure)f));
		CHECK(memcmp(&in.counts, &out.counts, sizeof(in.counts)) == 0, "%s", cases[i].what);
		free(pack);
		pack_sums_finish(&in);
		pack_sums_finish(&out);
		pack_sums_finish(&working);
	}
}

static void served_laps_take_no_room_while_none_is_missed(void)
{
	struct pack_sums in = {0}, out = {0}, working = {0};
	struct pack *alike, *apart, *same;

	fill(&in.hists[FIGURE_RESPONSE], 2000, 1, 300, 1);
	fill(&in.hists[FIGURE_SERVED], 2000, 1, 300, 1);
	pack_sums(&alike, &in, &working);
	pack_make_sums(&same, &in, &in);
	CHECK(same->size == alike->size);
	free(same);
	fill(&in.hists[FIGURE_RESPONSE], 900000, 1, 1, 1);
	pack_sums(&apart, &in, &working);
	CHECK(apart->size > alike->size + 200, "%u, %u", apart->size, alike->size);
	unpack(alike, &out);
	CHECK(same_hist(&out.hists[FIGURE_SERVED], &in.hists[FIGURE_SERVED]));
	pack_sums_reset(&out);
	CHECK(out.hists[FIGURE_SERVED].n == 0 &&
		hist_count(&out.hists[FIGURE_SERVED], hist_bucket(2000)) == 0);
	unpack(apart, &out);
	CHECK(same_hist(&out.hists[FIGURE_SERVED], &in.hists[FIGURE_SERVED]));
	CHECK(same_hist(&out.hists[FIGURE_RESPONSE], &in.hists[FIGURE_RESPONSE]));
	free(alike);
	free(apart);
	pack_sums_finish(&in);
	pack_sums_finish(&out);
	pack_sums_finish(&working);
}

static void a_merged_pack_is_the_sum(void)
{
	static const struct {
		uint64_t from_ns[3]; /* 0: a pack of nothing */
		bool served;         /* as the response, in all but the first */
	} cases[] = {
		{{1400, 1500, 1600}, false},
		{{1400, 0, 0}, true},
		{{0, 1400, 9000}, true},
		{{0, 0, 0}, true},
		{{2000, 10, UINT64_C(1) << 37}, true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pack_sums wanted = {0}, out = {0}, working = {0};
		struct pack *packs[4] = {NULL}, *merged;

		for (size_t p = 0; p < 3; p++) {
			struct pack_sums in = {0};

			if (cases[i].from_ns[p]) {
				fill(&in.hists[FIGURE_LAP], cases[i].from_ns[p], 3, 70, 1000);
				fill(&in.hists[FIGURE_RESPONSE], cases[i].from_ns[p], 1, 90, 1);
				fill(&in.hists[FIGURE_SERVED], cases[i].from_ns[p], 1,
					p && cases[i].served ? 90 : 89, 1);
				in.counts.laps = p + 1;
			}
			CHECK(pack_sums(&packs[p], &in, &working) == 0);
			CHECK(pack_sums_merge(&wanted, &in) == 0);
			pack_sums_finish(&in);
		}
		CHECK(pack_merge(&merged, (const struct pack *const *)packs, 4, &working) == 0);
		CHECK(!merged == !wanted.counts.laps);
		unpack(merged, &out);
		for (int f = 0; f < N_FIGURES; f++)
			CHECK(same_hist(&wanted.hists[f], &out.hists[f]), "case %zu, %s", i,
				figure_name((enum figure)f));
		CHECK(memcmp(&wanted.counts, &out.counts, sizeof(out.counts)) == 0);
		for (size_t p = 0; p < 3; p++)
			free(packs[p]);
		free(merged);
		pack_sums_finish(&wanted);
		pack_sums_finish(&out);
		pack_sums_finish(&working);
	}
}

static void what_was_added_is_taken_out_again(void)
{
	static const struct {
		uint64_t kept_ns, left_ns; /* 0: a pack of nothing */
		bool lost;                 /* an extreme goes with it, perhaps */
	} cases[] = {
		{1400, 2000, false},
		{1400, 900000, true},
		{2000, 1400, true},
		{1400, 1400, true},
		{1400, 0, false},
		{0, 1400, true},
		{0, 0, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pack_sums kept = {0}, left = {0}, out = {0}, working = {0};
		struct pack *kept_pack, *left_pack;

		fill(&kept.hists[FIGURE_RESPONSE], cases[i].kept_ns, 3, cases[i].kept_ns ? 70 : 0, 1000);
		fill(&left.hists[FIGURE_RESPONSE], cases[i].left_ns, 1, cases[i].left_ns ? 90 : 0, 3);
		fill(&left.hists[FIGURE_SERVED], cases[i].left_ns, 1, cases[i].left_ns ? 90 : 0, 3);
		kept.counts.laps = cases[i].kept_ns;
		left.counts = (struct pack_counts){5, cases[i].left_ns, 7, 8};
		CHECK(pack_sums(&kept_pack, &kept, &working) == 0);
		CHECK(pack_sums(&left_pack, &left, &working) == 0);
		unpack(left_pack, &out);
		unpack(kept_pack, &out);
		CHECK(pack_subtract_figure(left_pack, FIGURE_RESPONSE, &out.hists[FIGURE_RESPONSE]) ==
				cases[i].lost,
			"case %zu", i);
		pack_subtract_figure(left_pack, FIGURE_SERVED, &out.hists[FIGURE_SERVED]);
		pack_subtract_counts(left_pack, &out.counts);
		for (int f = 0; f < N_FIGURES; f++) {
			hist_reset_extremes(&out.hists[f]);
			pack_add_extremes(kept_pack, (enum figure)f, &out.hists[f]);
			CHECK(same_hist(&kept.hists[f], &out.hists[f]), "case %zu, %s", i,
				figure_name((enum figure)f));
		}
		CHECK(memcmp(&kept.counts, &out.counts, sizeof(out.counts)) == 0, "case %zu", i);
		free(kept_pack);
		free(left_pack);
		pack_sums_finish(&kept);
		pack_sums_finish(&left);
		pack_sums_finish(&out);
		pack_sums_finish(&working);
	}
}

static void merged_spans_are_the_sum_of_their_ticks(void)
{
	struct fixture *f = fixture_create(3, 1000000);
	struct pack_sums sums = {0};
	struct gather gather = {0};
	struct hist hist = {0};
	struct pack_counts counts = {0};

	for (unsigned i = 0; i < 35; i++) {
		struct span *span;

		if (i % 2)
			fixture_sample(f, 1, FIGURE_FIRST, 1000 + 100 * i, 10);
		f->rings[1].laps = 10 * (i % 2);
		span = span_create(3, f->tick.start_ns, f->tick.end_ns);
		for (size_t row = 0; row < 3; row++)
			CHECK(span_pack(span, row, &f->rings[row], f->cells, &sums) == 0);
		CHECK(span->packs[0] == NULL && (span->packs[1] == NULL) == (i % 2 == 0));
		CHECK(gather_add(&gather, span, &sums) == 0);
		CHECK(gather_ticks(&gather) == i + 1);
		span_unref(span);
		fixture_next(f);
	}
	CHECK(gather_add_figure(&gather, 1, FIGURE_FIRST, &hist) == 0);
	gather_add_counts(&gather, 1, &counts);
	CHECK(hist.n == 170 && hist.min_ns == 1100 && hist.max_ns == 4300 && counts.laps == 170);
	CHECK(hist.max_at_ns == FIXTURE_START_NS + UINT64_C(34) * FIXTURE_TICK_NS - 1000);
	CHECK(gather_flush(&gather, &sums) == 0);
	CHECK(gather.sum->start_ns == FIXTURE_START_NS);
	CHECK(gather.sum->end_ns == FIXTURE_START_NS + UINT64_C(35) * FIXTURE_TICK_NS);
	hist_finish(&hist);
	CHECK(gather_add_figure(&gather, 1, FIGURE_FIRST, &hist) == 0 && hist.n == 170);
	hist_finish(&hist);
	gather_finish(&gather);
	pack_sums_finish(&sums);
	fixture_destroy(f);
}

int main(void)
{
	TEST(what_is_packed_comes_out_again);
	TEST(served_laps_take_no_room_while_none_is_missed);
	TEST(a_merged_pack_is_the_sum);
	TEST(what_was_added_is_taken_out_again);
	TEST(merged_spans_are_the_sum_of_their_ticks);
	return tap_done();
}
