/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spike_codec.c - a spike and its records as bytes. */
#include "src/recording/spike_codec.h"

void spike_encode(struct bytes *bytes, const struct spike_report *report)
{
	fields_encode(bytes, FIELDS(spike_fields), &report->spike);
	bytes_uint(bytes, report->n_records);
	for (size_t i = 0; i < report->n_records; i++)
		fields_encode(bytes, FIELDS(flight_fields), &report->records[i]);
}

void spike_decode(
	struct scan *scan, struct spike_report *report, struct flight_record records[SPIKE_RECORDS_MAX])
{
	*report = (struct spike_report){.records = records};
	fields_decode(scan, FIELDS(spike_fields), &report->spike);
	report->n_records = scan_below(scan, SPIKE_RECORDS_MAX + 1);
	for (size_t i = 0; i < report->n_records && !scan->bad; i++) {
		records[i] = (struct flight_record){0};
		fields_decode(scan, FIELDS(flight_fields), &records[i]);
		scan->bad |= i > 0 && records[i].at_ns < records[i - 1].at_ns;
	}
}
