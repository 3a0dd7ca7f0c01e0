/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_engine_rings.c - rings that are added, removed, paused and resumed while others run. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/small_file.h"
#include "src/engine/engine_rings.h"
#include "src/engine/sampler.h"
#include "src/machine/machine.h"
#include "src/machine/task.h"
#include "src/model/feed.h"
#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/probe/probe.h"
#include "tests/unit/leftovers.h"
#include "tests/unit/tap.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#define IS_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define IS_SANITIZED 0
#endif

enum { MS = 1000000 };

static struct topology topology;

/* A run without a front, of one pair of mq on the first CPU. */
struct rig {
	struct config config;
	struct machine machine;
	struct notes notes;
	struct plan plan, others; /* others: rings to be added */
	struct engine engine;
	struct sampler *sampler;
	struct session session;
	uint64_t tick_ns;
};

static const struct probe *probe_of(const char *mechanism)
{
	for (size_t i = 0; probe_registry[i]; i++)
		if (!strcmp(probe_registry[i]->name, mechanism))
			return probe_registry[i];
	return NULL;
}

/* Rings of all CPUs, the first of which is the first CPU's. */
static struct config config_of(const char *const *mechanisms)
{
	struct config config = {.pairs = "own", .interval_ns = 500000, .tick_ns = 500 * MS};

	for (; *mechanisms; mechanisms++)
		config.probes[config.n_probes++] = probe_of(*mechanisms);
	return config;
}

static bool rig_start(struct rig *rig, const char *const *mechanisms)
{
	struct config others = config_of(mechanisms);
	struct error_text reason = {""};

	*rig = (struct rig){.config = config_of((const char *const[]){"mq", NULL})};
	rig->config.n_pairs = 1;
	int r = plan_init(&rig->plan, &rig->config, &topology, NULL, &rig->notes, &reason);

	if (r == 0)
		r = plan_init(&rig->others, &others, &topology, NULL, &rig->notes, &reason);
	if (r == 0)
		r = engine_prepare(&rig->engine,
			&(struct engine_job){&rig->plan, &rig->config, &topology, probe_registry},
			&rig->machine, &rig->notes, &reason);
	CHECK(r == 0, "%s", reason.text);
	if (r < 0)
		return false;
	engine_start(&rig->engine);
	CHECK(session_init(&rig->session, &rig->plan, &topology, &rig->config, &rig->machine) == 0);
	r = sampler_create(&rig->sampler, rig->engine.arena, rig->engine.keeper.pid, (struct throttling){0},
		clock_now_ns());
	CHECK(r == 0);
	return r == 0;
}

static void rig_finish(struct rig *rig)
{
	sampler_destroy(rig->sampler);
	engine_finish(&rig->engine);
	session_finish(&rig->session);
	plan_finish(&rig->plan);
	plan_finish(&rig->others);
	notes_finish(&rig->notes);
}

static void feed(struct rig *rig, enum feed_kind kind, const struct session_ring *ring)
{
	const struct feed_item item = {kind, clock_now_ns(), .ring = ring};

	CHECK(feed_session(&rig->session, &item, NULL) == 0);
}

static void forget_ended_rings(struct rig *rig)
{
	struct session_ring gone = {0};

	while (sampler_forget(rig->sampler, &gone.id))
		feed(rig, FEED_RING_END, &gone);
}

static void rig_tick(struct rig *rig)
{
	struct tick tick;

	CHECK(sampler_tick(rig->sampler, clock_now_ns(), &tick) == 0);
	CHECK(feed_session(&rig->session, &(struct feed_item){FEED_TICK, tick.end_ns, .tick = &tick}, NULL) ==
		0);
	forget_ended_rings(rig);
}

static void rig_run(struct rig *rig, uint64_t for_ns)
{
	uint64_t end_ns = clock_now_ns() + for_ns;

	while (clock_now_ns() < end_ns) {
		engine_advance(&rig->engine, clock_now_ns());
		if (clock_now_ns() >= rig->tick_ns) {
			rig_tick(rig);
			rig->tick_ns = clock_now_ns() + 50 * MS;
		}
		usleep(500);
	}
}

static uint32_t add_new_ring(struct rig *rig, const struct plan_ring *like)
{
	const struct plan_ring *added;
	struct error_text reason = {""};
	struct session_ring ring;

	if (engine_add_ring(&rig->engine, like, &added, &reason) < 0) {
		CHECK(false, "%s", reason.text);
		return UINT32_MAX;
	}
	CHECK(session_ring_init(&ring, added, 0, &topology, &rig->config) == 0);
	ring.added_ns = clock_now_ns();
	feed(rig, FEED_RING, &ring);
	session_ring_finish(&ring);
	return added->id;
}

static void remove_ring(struct rig *rig, uint32_t id)
{
	struct error_text reason = {""};

	CHECK(engine_remove_ring(&rig->engine, id, &reason) == 0, "%s", reason.text);
}

static const struct session_ring *row(const struct rig *rig, uint32_t id)
{
	static const struct session_ring none;
	const struct session_ring *ring = session_find_ring(&rig->session, id);

	CHECK(ring, "no row of ring %u", id);
	return ring ? ring : &none;
}

/* Waits until it has made so many laps more; the machine may be busy. */
static bool wait_for_laps(struct rig *rig, uint32_t id, uint64_t more)
{
	uint64_t wanted = row(rig, id)->laps + more;

	for (int i = 0; i < 1200 && row(rig, id)->laps < wanted && row(rig, id)->state != RING_FAILED; i++)
		rig_run(rig, 50 * MS);
	return row(rig, id)->laps >= wanted;
}

static bool wait_for_end(struct rig *rig, uint32_t id)
{
	for (int i = 0; i < 3000 && !row(rig, id)->ended_ns; i++)
		rig_run(rig, 20 * MS);
	return row(rig, id)->ended_ns;
}

/* The pages of the arena, of all processes. */
static uint64_t arena_kib(const struct rig *rig)
{
	const struct arena *arena = rig->engine.arena;
	uint64_t kib = 0;

	for (const struct arena_ring *ring = NULL; (ring = arena_next(rig->engine.arena, ring));)
		kib += ring->area_size / 1024;
	return kib + (arena_n_rings(arena) * sizeof(struct arena_ring)) / 1024;
}

static long field_of_status(pid_t pid, const char *name)
{
	char path[64], text[4096], *at;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	small_file_read(path, text, sizeof(text));
	at = strstr(text, name);
	return at ? strtol(at + strlen(name), NULL, 10) : -1;
}

static unsigned descriptors_of(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	return count_entries(path, "");
}

static const char *const all_kinds[] = {"mq", "pipe", "svsem", "unix", "futex", NULL};

static void a_ring_comes_and_goes_and_its_row_stays(void)
{
	struct leftovers before = look_for_leftovers();
	struct rig rig;

	if (!rig_start(&rig, all_kinds))
		return;
	CHECK(wait_for_laps(&rig, 0, 3));
	for (size_t i = 0; i < rig.others.n_rings; i++) {
		uint32_t id = add_new_ring(&rig, &rig.others.rings[i]);

		CHECK(id == i + 1 && wait_for_laps(&rig, id, 3), "%s", row(&rig, id)->mechanism);
		pid_t host = row(&rig, id)->members[0].pid;

		remove_ring(&rig, id);
		CHECK(engine_remove_ring(&rig.engine, id, &(struct error_text){""}) == -ENOENT);
		CHECK(wait_for_end(&rig, id) && row(&rig, id)->laps >= 3 && row(&rig, id)->state == RING_GONE,
			"%s", ring_state_name(row(&rig, id)->state));
		CHECK(kill(host, 0) < 0 && errno == ESRCH);
		CHECK(wait_for_laps(&rig, 0, 3));
	}
	CHECK(rig.engine.arena->n_used == 1 && arena_n_rings(rig.engine.arena) == 2);
	rig_finish(&rig);
	check_nothing_left(before);
}

static void rings_that_share_a_cpu_get_turns(void)
{
	struct rig rig;

	if (!rig_start(&rig, (const char *const[]){"pipe", NULL}))
		return;
	uint32_t id = add_new_ring(&rig, &rig.others.rings[0]);

	CHECK(rig.engine.turns.n == 2 && row(&rig, id)->turn == 1 && rig.session.n_turns == 2);
	CHECK(wait_for_laps(&rig, id, 3) && wait_for_laps(&rig, 0, 3) && wait_for_laps(&rig, id, 3));
	remove_ring(&rig, id);
	CHECK(wait_for_end(&rig, id) && wait_for_laps(&rig, 0, 3));
	CHECK(row(&rig, add_new_ring(&rig, &rig.others.rings[0]))->turn == 1);
	rig_finish(&rig);
}

/* Of the warm-up the members learn, of the turn the session. */
static void a_slow_ring_lengthens_turns_and_warm_up_until_it_is_removed(void)
{
	struct rig rig;

	if (!rig_start(&rig, (const char *const[]){"pipe", NULL}))
		return;
	const struct turns *turns = &rig.engine.turns;
	struct plan_ring *like = &rig.others.rings[0];
	static const struct {
		unsigned interval_ms, turn_ms, warmup_ms;
	} rows[] = {{1, 200, 20}, {50, 400, 40}, {10, 400, 40}, {500, 4000, 100}};

	rig.config.turn_ns = 200 * MS;
	rig.session.turn_ns = rig.engine.turns.slice_ns = 200 * MS;
	CHECK(rig.engine.arena->warmup_ns == 100 * MS, "no turns yet");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		like->interval_ns = (uint64_t)rows[i].interval_ms * MS;
		add_new_ring(&rig, like);
		uint64_t turn_ns = (uint64_t)rows[i].turn_ms * MS;

		CHECK(turns->slice_ns == turn_ns && rig.session.turn_ns == turn_ns, "%zu: %llu", i,
			(unsigned long long)rig.session.turn_ns);
		CHECK(rig.engine.arena->warmup_ns == (uint64_t)rows[i].warmup_ms * MS, "%zu", i);
	}
	for (uint32_t i = sizeof(rows) / sizeof(*rows); i > 1; i--) { /* down to those of 50 and 1 ms */
		remove_ring(&rig, i);
		engine_advance(&rig.engine, clock_now_ns());
		uint64_t turn_ms = i > 2 ? 400 : 200;

		CHECK(turns->slice_ns == turn_ms * MS, "%u: %llu", i, (unsigned long long)turns->slice_ns);
		CHECK(rig.engine.arena->warmup_ns == turn_ms * MS / 10);
	}
	rig_finish(&rig);
}

static void a_paused_ring_waits_and_goes_on(void)
{
	struct error_text reason;
	struct rig rig;

	if (!rig_start(&rig, (const char *const[]){"pipe", NULL}))
		return;
	CHECK(wait_for_laps(&rig, 0, 3) && engine_pause_ring(&rig.engine, 0, &reason) == 0);
	CHECK(engine_pause_ring(&rig.engine, 0, &reason) == -EALREADY);
	rig_run(&rig, 300 * MS);
	uint64_t laps = row(&rig, 0)->laps, active_ns = row(&rig, 0)->active_ns;
	pid_t tid = row(&rig, 0)->members[0].tid;

	rig_run(&rig, 300 * MS);
	CHECK(row(&rig, 0)->laps == laps && row(&rig, 0)->active_ns == active_ns);
	CHECK(row(&rig, 0)->state == RING_PAUSED && row(&rig, 0)->condition == CONDITION_FINE);
	CHECK(engine_resume_ring(&rig.engine, 0, &reason) == 0);
	CHECK(engine_resume_ring(&rig.engine, 0, &reason) == -EALREADY);
	CHECK(wait_for_laps(&rig, 0, 3) && row(&rig, 0)->members[0].tid == tid &&
		row(&rig, 0)->missed < 5000);
	rig_finish(&rig);
}

static void a_ring_whose_origin_is_slow_to_go_on_is_not_paused(void)
{
	struct error_text reason;
	struct rig rig;

	if (!rig_start(&rig, (const char *const[]){"pipe", NULL}))
		return;
	const struct arena_ring *ring = arena_next(rig.engine.arena, NULL);

	CHECK(wait_for_laps(&rig, 0, 3) && engine_pause_ring(&rig.engine, 0, &reason) == 0);
	while (arena_state(ring) != RING_PAUSED)
		rig_run(&rig, 10 * MS);
	const struct arena_member *origin = &ring->members[0];
	struct task_stat stat = {0};

	kill(origin->pid, SIGSTOP);
	while (task_read_stat(origin->pid, origin->tid, &stat) == 0 && stat.state != 'T')
		rig_run(&rig, 10 * MS);
	CHECK(engine_resume_ring(&rig.engine, 0, &reason) == 0);
	rig_run(&rig, 50 * MS);
	rig_tick(&rig);
	CHECK(arena_state(ring) == RING_PAUSED && row(&rig, 0)->state == RING_RUNNING, "%s, %s",
		ring_state_name(arena_state(ring)), ring_state_name(row(&rig, 0)->state));
	kill(origin->pid, SIGCONT);
	CHECK(wait_for_laps(&rig, 0, 3));
	rig_finish(&rig);
}

static void an_added_ring_may_differ(void)
{
	struct rig rig;

	if (!rig_start(&rig, (const char *const[]){"pipe", NULL}))
		return;
	struct plan_ring *like = &rig.others.rings[rig.others.n_rings - 1];

	like->token_bytes = 65536;
	like->has_policy = true;
	like->policy = (struct task_policy){.policy = SCHED_BATCH};
	like->interval_ns = 0;
	uint32_t id = add_new_ring(&rig, like);

	CHECK(wait_for_laps(&rig, id, 200) && row(&rig, id)->members[1].policy.policy == SCHED_BATCH);
	CHECK(row(&rig, id)->token_bytes == 65536 && row(&rig, id)->interval_ns == 0);
	CHECK(!session_faults(row(&rig, id)));
	rig_finish(&rig);
}

/* Waits until a ring has made a lap, however busy the machine is. */
static bool wait_until_run(struct rig *rig, uint32_t id)
{
	const struct arena_ring *ring = NULL;

	while ((ring = arena_next(rig->engine.arena, ring)) && ring->plan.id != id)
		continue;
	for (int i = 0; ring && i < 20000; i++) {
		if (atomic_load_explicit(&ring->members[0].laps, memory_order_relaxed))
			return true;
		if (arena_state(ring) == RING_FAILED)
			return false;
		rig_run(rig, MS);
	}
	return false;
}

/* As a sweep does: each ring is opened for one turn, and closed after it. For 3 s, with IPCTOP_FULL 10 s, or
 * IPCTOP_SECONDS; longer where the machine is so busy that rings make no lap in an eighth of a second. */
static void rings_are_opened_and_closed_64_times_a_second(void)
{
	enum { RATE = 64, AT_ONCE = 8 };
	const char *asked = getenv("IPCTOP_SECONDS");
	unsigned seconds = asked ? (unsigned)strtoul(asked, NULL, 10) : getenv("IPCTOP_FULL") ? 10 : 3;
	unsigned n = seconds * RATE, behind = 0;
	struct leftovers before = look_for_leftovers();
	struct rig rig;

	if (!rig_start(&rig, (const char *const[]){"pipe", "futex", "mq", NULL}))
		return;
	rig.engine.arena->config = &rig.config;
	rig.config.side_by_side = true;
	uint64_t start_ns = clock_now_ns();

	for (unsigned i = 0; i < n; i++) {
		uint64_t due_ns = start_ns + i * (UINT64_C(1000) * MS / RATE), now_ns = clock_now_ns();

		add_new_ring(&rig, &rig.others.rings[i % rig.others.n_rings]);
		if (i >= AT_ONCE) {
			CHECK(wait_until_run(&rig, i + 1 - AT_ONCE));
			remove_ring(&rig, i + 1 - AT_ONCE);
		}
		behind += now_ns > due_ns + 1000 * MS / RATE;
		rig_run(&rig, due_ns > now_ns ? due_ns - now_ns : 1);
	}
	for (unsigned i = n - AT_ONCE; i < n; i++) {
		CHECK(wait_until_run(&rig, i + 1));
		remove_ring(&rig, i + 1);
	}
	CHECK(wait_for_end(&rig, n));
	for (int t = 0; t < 3000 && rig.engine.arena->n_used > 1; t++) /* others may end after the last one */
		rig_run(&rig, 20 * MS);
	uint64_t took_ns = clock_now_ns() - start_ns, laps = 0, failed = 0, ran = 0;

	for (uint32_t id = 1; id <= n; id++) {
		laps += row(&rig, id)->laps;
		ran += row(&rig, id)->laps > 0;
		failed += row(&rig, id)->state == RING_FAILED;
	}
	printf("# %u rings in %.1f s, %u of them late; %llu made %llu laps; entries used: %u\n", n,
		(double)took_ns / 1e9, behind, (unsigned long long)ran, (unsigned long long)laps,
		arena_n_rings(rig.engine.arena));
	CHECK(failed == 0 && ran == n, "%llu failed, %llu ran", (unsigned long long)failed,
		(unsigned long long)ran);
	CHECK(rig.engine.arena->n_used == 1 && wait_for_laps(&rig, 0, 3));
	rig_finish(&rig);
	check_nothing_left(before);
}

/* The session does not get the ticks: it would keep those of the last 10 s, more on a slower machine. */
static void wait_until_removed(struct rig *rig, uint32_t id)
{
	struct tick tick;

	for (int t = 0; t < 60000 && rig->engine.arena->n_used > 1; t++) {
		usleep(500);
		CHECK(sampler_tick(rig->sampler, clock_now_ns(), &tick) == 0);
		forget_ended_rings(rig);
	}
	/* The rows that have ended are known to grow. */
	session_remove_ring(&rig->session, session_find_ring(&rig->session, id));
}

static void many_additions_and_removals_leave_nothing(void)
{
	enum { WARM = 50 };
	const uint32_t n = getenv("IPCTOP_FULL") ? 1000 : 300;
	struct leftovers before = look_for_leftovers();
	long front_kib = 0, keeper_kib = 0;
	unsigned descriptors = 0, keeper_descriptors = 0;
	uint64_t arena = 0;
	struct rig rig;

	if (!rig_start(&rig, all_kinds))
		return;
	for (uint32_t i = 0; i < WARM + n; i++) {
		uint32_t id = add_new_ring(&rig, &rig.others.rings[i % rig.others.n_rings]);

		engine_advance(&rig.engine, clock_now_ns());
		usleep(1000);
		remove_ring(&rig, id);
		wait_until_removed(&rig, id);
		if (i + 1 != WARM)
			continue;
		front_kib = resident_kib();
		keeper_kib = field_of_status(rig.engine.keeper.pid, "VmRSS:");
		descriptors = count_descriptors();
		keeper_descriptors = descriptors_of(rig.engine.keeper.pid);
		arena = arena_kib(&rig);
	}
	long front_now = resident_kib(), keeper_now = field_of_status(rig.engine.keeper.pid, "VmRSS:");

	printf("# front %ld -> %ld KiB, keeper %ld -> %ld KiB, arena %llu -> %llu KiB\n", front_kib,
		front_now, keeper_kib, keeper_now, (unsigned long long)arena,
		(unsigned long long)arena_kib(&rig));
	/* Less than 1 KiB for each ring. A sanitizer keeps what was freed, up to 256 MiB. */
	CHECK(IS_SANITIZED || (front_now < front_kib + n && keeper_now < keeper_kib + n));
	CHECK(count_descriptors() == descriptors &&
			descriptors_of(rig.engine.keeper.pid) == keeper_descriptors,
		"%u, %u", count_descriptors(), descriptors_of(rig.engine.keeper.pid));
	CHECK(arena_kib(&rig) == arena && arena_n_rings(rig.engine.arena) == 2);
	CHECK(wait_for_laps(&rig, 0, 3));
	rig_finish(&rig);
	check_nothing_left(before);
}

/* The keeper is killed while it opens and closes rings: its hosts go with it, and the front removes the rest.
 */
static void nothing_is_left_of_rings_whose_keeper_is_killed(void)
{
	struct leftovers before = look_for_leftovers();

	for (unsigned round = 0; round < 10; round++) {
		struct rig rig;

		if (!rig_start(&rig, all_kinds))
			return;
		for (uint32_t i = 0; i < 8; i++) {
			uint32_t id = add_new_ring(&rig, &rig.others.rings[i % rig.others.n_rings]);

			if (i % 2)
				remove_ring(&rig, id);
		}
		usleep(3000 * round);
		kill(rig.engine.keeper.pid, SIGKILL);
		engine_lose_keeper(&rig.engine);
		CHECK(engine_add_ring(&rig.engine, &rig.others.rings[0], &(const struct plan_ring *){NULL},
			      &(struct error_text){""}) < 0);
		rig_finish(&rig);
		while (waitpid(-1, NULL, 0) > 0) /* hosts, which are this process's by now */
			continue;
	}
	check_nothing_left(before);
}

int main(void)
{
	struct error_text reason;

	if (!leftovers_init())
		return printf("Bail out! no folder in /tmp\n"), 1;
	if (topology_init(&topology, &reason) < 0)
		return printf("Bail out! %s\n", reason.text), 1;
	TEST(many_additions_and_removals_leave_nothing); /* first: later a leak would find free memory */
	TEST(a_ring_comes_and_goes_and_its_row_stays);
	TEST(rings_that_share_a_cpu_get_turns);
	TEST(a_slow_ring_lengthens_turns_and_warm_up_until_it_is_removed);
	TEST(a_paused_ring_waits_and_goes_on);
	TEST(a_ring_whose_origin_is_slow_to_go_on_is_not_paused);
	TEST(an_added_ring_may_differ);
	TEST(rings_are_opened_and_closed_64_times_a_second);
	TEST(nothing_is_left_of_rings_whose_keeper_is_killed);
	topology_finish(&topology);
	leftovers_finish();
	return tap_done();
}
