/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ipc_bench_print.c - what ipc-bench prints: the block of one method, the table of all, and JSON. */
#include "src/compat/ipc_bench_print.h"

#include <inttypes.h>
#include <stdio.h>

#include "src/model/session.h"

void ipc_bench_take(struct ipc_bench_result *result, const char *method, const struct session_ring *ring,
	uint64_t size, const struct cpus *ran_on)
{
	const struct hist *hist = &ring->figures[FIGURE_LAP].hist;

	*result = (struct ipc_bench_result){
		.method = method,
		.size = size,
		.ran_on = *ran_on,
		.count = hist->n,
		.sum_ns = hist->sum_ns,
		.min_ns = hist->n ? hist->min_ns : 0,
		.max_ns = hist->n ? hist->max_ns : 0,
		.mean_ns = hist_mean(hist),
		.stddev_ns = hist_stddev(hist),
		.p50_ns = (double)hist_percentile(hist, 50),
		.p90_ns = (double)hist_percentile(hist, 90),
		.p99_ns = (double)hist_percentile(hist, 99),
		.p999_ns = (double)hist_percentile(hist, 99.9),
	};
	for (int f = 0; f < N_TOKEN_FAULTS; f++)
		result->faults += ring->faults[f];
}

bool ipc_bench_check(const struct ipc_bench_result *result)
{
	if (result->faults)
		fprintf(stderr, "# %s: %" PRIu64 " messages did not come back as they were sent\n",
			result->method, result->faults);
	return !result->faults;
}

static double us(double ns)
{
	return ns / 1000;
}

static uint64_t rate(const struct ipc_bench_result *result)
{
	return result->sum_ns ? (uint64_t)((double)result->count / ((double)result->sum_ns / 1e9) + 0.5) : 0;
}

void ipc_bench_print_block(const struct ipc_bench_result *result)
{
	if (!result->count)
		return;
	printf("\n============ RESULTS ================\n");
	printf("Message size:       %" PRIu64 "\n", result->size);
	printf("Message count:      %" PRIu64 "\n", result->count);
	printf("Total duration:     %.3f\tms\n", (double)result->sum_ns / 1e6);
	printf("Average duration:   %.3f\tus\n", us(result->mean_ns));
	printf("Minimum duration:   %.3f\tus\n", us((double)result->min_ns));
	printf("Maximum duration:   %.3f\tus\n", us((double)result->max_ns));
	printf("Standard deviation: %.3f\tus\n", us(result->stddev_ns));
	printf("Message rate:       %" PRIu64 "\tmsg/s\n", rate(result));
	printf("=====================================\n");
}

static void print_row(const struct ipc_bench_result *result)
{
	char size[24] = "-";

	if (result->size)
		snprintf(size, sizeof(size), "%" PRIu64, result->size);
	printf("%-8s %7s %8" PRIu64, result->method, size, result->count);
	if (!result->count)
		printf(" %10s %10s %10s %10s %9s\n", "-", "-", "-", "-", "-");
	else
		printf(" %10.3f %10.3f %10.3f %10.3f %9" PRIu64 "\n", us(result->mean_ns),
			us((double)result->min_ns), us((double)result->max_ns), us(result->stddev_ns),
			rate(result));
}

void ipc_bench_print_table(const struct ipc_bench_result *results, size_t n)
{
	printf("%-8s %7s %8s %10s %10s %10s %10s %9s\n", "method", "size", "count", "average us",
		"minimum us", "maximum us", "std dev us", "msg/s");
	for (size_t i = 0; i < n; i++)
		print_row(&results[i]);
}

static void put_result(FILE *out, const struct ipc_bench_result *result)
{
	fprintf(out,
		"{\"method\": \"%s\", \"size\": %" PRIu64 ", \"count\": %" PRIu64 ", \"faults\": %" PRIu64,
		result->method, result->size, result->count, result->faults);
	compat_put_cpus(out, ", ", "ran_on", &result->ran_on);
	if (result->count) {
		fprintf(out, ", \"total_ms\": %.6f, \"average_us\": %.6f, \"minimum_us\": %.3f",
			(double)result->sum_ns / 1e6, us(result->mean_ns), us((double)result->min_ns));
		fprintf(out, ", \"maximum_us\": %.3f, \"stddev_us\": %.3f, \"p50_us\": %.3f",
			us((double)result->max_ns), us(result->stddev_ns), us(result->p50_ns));
		fprintf(out, ", \"p90_us\": %.3f, \"p99_us\": %.3f, \"p99_9_us\": %.3f", us(result->p90_ns),
			us(result->p99_ns), us(result->p999_ns));
		fprintf(out, ", \"messages_per_s\": %" PRIu64, rate(result));
	}
	fputc('}', out);
}

int ipc_bench_write_json(
	const char *path, const struct ipc_bench_result *results, size_t n, struct error_text *reason)
{
	struct report_file file;
	int r = report_file_open(&file, path, reason);

	if (r < 0)
		return r;
	fprintf(file.out, "{\n\"results\": [");
	for (size_t i = 0; i < n; i++) {
		fputs(i ? ",\n" : "\n", file.out);
		put_result(file.out, &results[i]);
	}
	fprintf(file.out, "]\n}\n");
	return report_file_close(&file, reason);
}
