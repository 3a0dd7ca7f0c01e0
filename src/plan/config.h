/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config.h - the options of a run, read and checked. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/listen_address.h"
#include "src/figures/tick.h"
#include "src/load/load.h"
#include "src/machine/cpus.h"
#include "src/machine/numa_policy.h"
#include "src/machine/task.h"

struct probe;
struct process_words;

enum config_action {
	ACTION_RUN,
	ACTION_PLAN,
	ACTION_LIST,
	ACTION_EXPORT, /* this and the next one read a recording, and write it in another form */
	ACTION_REPORT,
	ACTION_HELP,
	ACTION_VERSION
};

enum {
	CONFIG_PROBES_MAX = 64,
	CONFIG_EXPORTS_MAX = 8,
	CONFIG_TOKEN_SIZE_MAX = 1 << 20,
	CONFIG_COLUMNS_MAX = 32
};

/* The differences between a replaced tool's way of measuring and ipctop's. Only compat tools set them; no
 * recording has them. */
struct config_tool {
	/* The keeper shows itself as ipctop, hosts and members as the tool; NULL: ipctop is called. */
	const struct process_words *words;
	bool unpinned;         /* Members may run on every usable CPU that is not isolated. */
	int32_t priority_step; /* Each ring's priority is lower by this than the last one's, down to 1. */
	uint32_t burst;        /* The origin sends this many laps for each due; 0 means 1. */
	bool first_ends;       /* The first ring that has done its loops ends the run. */
	bool pair_hops;        /* Pairs record the latency of each hop, as larger rings do. */
	bool member_laps;      /* Each member records the lap as it sees it. */
	bool break_at_origin;  /* Only samples of the origin are compared with breaktrace_ns. */
	bool break_untraced;   /* breaktrace_ns ends the run also if tracing is off. */
	bool lap_log;          /* The session keeps each single lap. */
	uint64_t timeout_ns;   /* The origin waits no longer than this for a token; 0: without limit. */
	bool timeout_fails;    /* A timeout fails the ring; false: it is counted. */
	uint64_t hold_ns;      /* Member 1 waits this long before it sends. */
	bool alone;            /* One task plays all members: a lap without a switch; not with fork. */
};

struct config {
	enum config_action action;
	const char *config_file; /* --config FILE; NULL: the default file; points into argv */
	bool no_config;

	/* Rings and CPUs. */
	const struct probe *probes[CONFIG_PROBES_MAX]; /* -m; in its order, each once */
	size_t n_probes;
	const char *pairs; /* --pairs: "own", "smt", ... or "0:3,5:5"; NULL: --ring from CPU to CPU */
	bool has_cpus;     /* -c or -a with a list */
	struct cpus cpus;
	bool has_housekeeping; /* -H */
	struct cpus housekeeping;
	unsigned n_pairs;               /* -t N; 0: as many as --pairs makes */
	unsigned ring_members, n_rings; /* --ring NxM: N members, 0 for pairs; M rings, 0 if not given */
	bool fork;
	bool sweep;       /* --sweep: no rings; each CPU is measured with each other one */
	unsigned at_once; /* --at-once: pairs that a sweep measures at the same time */

	/* Scheduling, pace and limits. */
	bool has_policy; /* -p or --policy was given */
	struct task_policy policy;
	uint64_t interval_ns; /* 0: flood */
	uint64_t distance_ns; /* ring i runs at interval + i * distance */
	uint64_t duration_ns; /* 0: endless */
	uint64_t loops;       /* laps of each ring after the warm-up; 0: endless */
	uint64_t size;        /* bytes of each token, up to CONFIG_TOKEN_SIZE_MAX; 0: the smallest token */
	uint64_t work_size;   /* bytes that each member sums before it passes the token on */
	enum stamps stamps;
	uint32_t batch_laps; /* the most laps of a flood for one stamp; 0: each has its own. Needs STAMPS_LAP
			      */
	bool has_dma_latency;
	int32_t dma_latency_us;
	bool has_memory; /* --memory was given */
	struct numa_policy memory;
	bool side_by_side;
	uint64_t turn_ns; /* --turns; 0: derived from the number of turns and the longest interval */
	bool force, strict;
	uint64_t breaktrace_ns;       /* -b, of the figure shown; 0: no limit */
	uint64_t spike_ns;            /* --spike; 0: each ring finds its own */
	unsigned recorder;            /* --recorder: an index of flight_word() */
	bool allow_rt_spin;           /* members may spin at real-time priority */
	struct load loads[LOADS_MAX]; /* --load, in its order */
	size_t n_loads;
	bool hunt;             /* --hunt: one load after the other */
	const char *trial;     /* of `ipctop try`: KNOB=VALUE; points into argv; NULL: no knob is tried */
	uint64_t trial_for_ns; /* 0: as long as trials take, see trial_for_ns() */
	bool trial_keeps;      /* the new value stays if it is better */

	struct config_tool tool;

	/* Display and files. */
	enum figure figure;  /* --show */
	unsigned sweep_view; /* that of a sweep, where --view was not given */
	bool has_view;       /* --view was given */
	unsigned view;       /* --view: an index of the names that main passes to options_load() */
	unsigned palette;    /* --palette: the same */
	unsigned colors;     /* --colors: the same */
	/* --columns: indices of such names, in the order given; n_columns 0: all. */
	unsigned char columns[CONFIG_COLUMNS_MAX];
	size_t n_columns;
	unsigned sort;   /* --sort: an index of such names */
	unsigned unit;   /* --unit: the same */
	unsigned window; /* --window: the same */
	uint64_t tick_ns, refresh_ns;
	bool plain, quiet;                     /* plain: lines without a screen */
	bool auto_phase;                       /* false: --no-auto-phase */
	bool no_color;                         /* NO_COLOR is set: --colors auto is none */
	bool mouse;                            /* --mouse */
	bool ascii;                            /* -U; false: UTF-8 if the locale has it */
	bool has_figure;                       /* --show was given */
	bool has_figure_of_line;               /* the same, on the command line */
	bool has_fail_above;                   /* --fail-above was given */
	uint64_t fail_above_ns;                /* 0: no limit */
	const char *record, *replay;           /* FILE or NULL; point into argv */
	bool has_speed;                        /* --speed was given */
	uint64_t speed_milli;                  /* thousandths of the recorded speed; 0: without waiting */
	const char *json;                      /* FILE, "-" or NULL; points into argv */
	const char *baseline;                  /* FILE or FILE:PHASE, or NULL; points into argv */
	bool json_blocks;                      /* --json with the blocks of all figures */
	const char *metrics;                   /* FILE or NULL; points into argv */
	const char *metrics_listen;            /* ADDRESS:PORT or NULL; points into argv */
	struct listen_address metrics_address; /* the same */
	const char *control;                   /* --control PATH or NULL; points into argv */
	bool read_only;                        /* --read-only */
	const char *on_spike;                  /* --on-spike CMD or NULL; points into argv */
	unsigned render_columns, render_lines; /* --render WxH; 0: not given */
	bool svg;                              /* --svg */
	const char *plot, *report;             /* FILE or NULL; point into argv */
	/* --export: FILE, "-" or NULL, by the formats that main passes to options_load(); point into argv */
	const char *exports[CONFIG_EXPORTS_MAX];
};

/* Is --show on the command line of a figure that a sweep does not have? */
static inline bool config_asks_figure_of_rings(const struct config *config)
{
	return config->has_figure_of_line && config->figure > FIGURE_LAP;
}

/* Is --show first on the command line? Only then does a sweep measure first hops: each takes a sleep. */
static inline bool config_sweeps_first_hops(const struct config *config)
{
	return config->has_figure_of_line && config->figure == FIGURE_FIRST;
}

/* Returns whether a recording is only read, and written in another form. */
static inline bool config_converts(const struct config *config)
{
	return config->action == ACTION_EXPORT || config->action == ACTION_REPORT;
}
