/* SPDX-License-Identifier: GPL-2.0-or-later */
/* yardstick - a fixed piece of work, timed: bench_yardstick KIND
 *
 * It has nothing of ipctop's in it, so that its time says how fast this machine is at the kind of work, and
 * bars in ms can be scaled by it. Prints one JSON object: the wall time and the CPU time of each repetition.
 *
 * memory   bytes decoded, and what they say added up in tables beyond the caches: as a recording is read
 * compute  samples made and sorted into a table within the caches: as a sample is counted
 * wakeups  sleeps, and a file of /proc read after each: as the keeper works
 * starts   processes started, and waited for: as a command begins */
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	REPETITIONS = 7,
	TABLES = 4096,
	TABLE_SLOTS = 2048, /* 32 MiB in all */
	ENCODED = 8 << 20,  /* bytes */
	RUN = 240,          /* numbers that go to one table */
	SAMPLES = 16000000,
	SLEEPS = 40,
	SLEEP_NS = 5000000,
	STARTS = 40,
};

static uint64_t random_state = 0x9e3779b97f4a7c15;

static uint64_t random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void require(int fine)
{
	if (fine)
		return;
	perror("bench_yardstick");
	exit(EXIT_FAILURE);
}

/* Numbers of seven bits a byte; most have one byte, some have two. */
static uint64_t decode_and_add(void)
{
	static uint8_t *encoded;
	static uint32_t *tables;
	uint64_t n = 0, table = 0, slot = 0;

	if (!encoded) {
		require((encoded = malloc(ENCODED)) &&
			(tables = calloc(TABLES, TABLE_SLOTS * sizeof(*tables))));
		for (size_t i = 0; i < ENCODED; i++)
			encoded[i] = (uint8_t)(random_u64() >> 40) & (i % 4 ? 0x7f : 0xff);
		encoded[ENCODED - 1] = 0;
	}
	for (const uint8_t *at = encoded; at < encoded + ENCODED;) {
		uint64_t value = 0;
		unsigned shift = 0;

		do
			value |= (uint64_t)(*at & 0x7f) << shift, shift += 7;
		while (*at++ & 0x80);
		if (n++ % RUN == 0)
			table = (table + 1021) % TABLES, slot = 0;
		slot = (slot + value % 16) % TABLE_SLOTS;
		tables[table * TABLE_SLOTS + slot] += (uint32_t)value;
	}
	return tables[7];
}

static uint64_t count_samples(void)
{
	static uint32_t counts[64 * 64];

	for (int i = 0; i < SAMPLES; i++) {
		uint64_t ns = 64 + (random_u64() >> (34 + random_state % 16));
		unsigned shift = 63u - 6u - (unsigned)__builtin_clzll(ns);

		counts[(shift << 6) + (ns >> shift) % 64]++;
	}
	return counts[777];
}

static uint64_t wake_and_read(void)
{
	const struct timespec pause = {.tv_nsec = SLEEP_NS};
	static char text[4096];
	uint64_t read_bytes = 0;

	for (int i = 0; i < SLEEPS; i++) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));

		require(n > 0);
		read_bytes += (uint64_t)n;
		close(fd);
	}
	return read_bytes;
}

static uint64_t start_processes(void)
{
	char name[] = "true", *arguments[] = {name, NULL}, *environment[] = {NULL};
	uint64_t sum = 0;

	for (int i = 0; i < STARTS; i++) {
		int status;
		pid_t pid;

		require(!posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, environment));
		require(waitpid(pid, &status, 0) == pid && status == 0);
		sum += (uint64_t)pid;
	}
	return sum;
}

static const struct kind {
	const char *name;
	uint64_t (*work)(void);
} kinds[] = {
	{"memory", decode_and_add},
	{"compute", count_samples},
	{"wakeups", wake_and_read},
	{"starts", start_processes},
};

static double clock_ms(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	const struct kind *kind = NULL;
	double wall_ms[REPETITIONS], cpu_ms[REPETITIONS];
	uint64_t sum = 0;

	for (size_t i = 0; argc == 2 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, argv[1]))
			kind = &kinds[i];
	if (!kind)
		return EXIT_FAILURE;
	sum += kind->work(); /* warms up */
	for (int i = 0; i < REPETITIONS; i++) {
		double wall_from = clock_ms(CLOCK_MONOTONIC), cpu_from = clock_ms(CLOCK_THREAD_CPUTIME_ID);

		sum += kind->work();
		cpu_ms[i] = clock_ms(CLOCK_THREAD_CPUTIME_ID) - cpu_from;
		wall_ms[i] = clock_ms(CLOCK_MONOTONIC) - wall_from;
	}
	printf("{\"sum\": %llu", (unsigned long long)sum); /* read, so that all of the work is done */
	for (int clock = 0; clock < 2; clock++) {
		printf(", \"%s\": [", clock ? "cpu_ms" : "wall_ms");
		for (int i = 0; i < REPETITIONS; i++)
			printf("%s%.3f", i ? ", " : "", clock ? cpu_ms[i] : wall_ms[i]);
		printf("]");
	}
	printf("}\n");
	return EXIT_SUCCESS;
}
