/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xml_machines.h - machines as hwloc saves them, that HWLOC_SYNTHETIC can't describe. */
#pragma once

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/tap.h"

#define SETS(cpus) "cpuset=\"" cpus "\" complete_cpuset=\"" cpus "\" nodeset=\"1\" complete_nodeset=\"1\""
#define PU(number, cpus) "<object type=\"PU\" os_index=\"" number "\" " SETS(cpus) "/>\n"
#define CORE(number, cpus) "<object type=\"Core\" os_index=\"" number "\" " SETS(cpus) ">"
#define CACHE(cpus)                                                                                          \
	"<object type=\"L1Cache\" " SETS(cpus) " cache_size=\"32768\" depth=\"1\" cache_type=\"1\">"
#define END "</object>\n"
#define MACHINE(cpus)                                                                                        \
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"            \
	"<topology version=\"2.0\"><object type=\"Machine\" os_index=\"0\" " SETS(                           \
		cpus) " allowed_cpuset=\"" cpus "\" allowed_nodeset=\"1\">"                                  \
		      "<object type=\"NUMANode\" os_index=\"0\" " SETS(cpus) " local_memory=\"1048576\"/>\n"

/* clang-format off */
/* Two big cores with two threads each, and two small ones. */
__attribute__((unused)) static const char hybrid[] =
	MACHINE("0x3f")
		CORE("0", "0x03") PU("0", "0x01") PU("1", "0x02") END
		CORE("1", "0x0c") PU("2", "0x04") PU("3", "0x08") END
		CORE("2", "0x10") PU("4", "0x10") END
		CORE("3", "0x20") PU("5", "0x20") END
	END
	"<cpukind cpuset=\"0x30\" forced_efficiency=\"0\"><info name=\"CoreType\" value=\"Small\x7f\"/></cpukind>"
	"<cpukind cpuset=\"0x0f\" forced_efficiency=\"1\"/></topology>\n";

/* Three cores of which one has lost a thread, so that it is below its cache and the others above. */
__attribute__((unused)) static const char lopsided[] =
	MACHINE("0x1f")
		CORE("0", "0x03") CACHE("0x01") PU("0", "0x01") END CACHE("0x02") PU("1", "0x02") END END
		CACHE("0x04") CORE("1", "0x04") PU("2", "0x04") END END
		CORE("2", "0x18") CACHE("0x08") PU("3", "0x08") END CACHE("0x10") PU("4", "0x10") END END
	END
	"</topology>\n";

/* Four packages with a node each, in a line: each node is nearest to the next ones. */
#define NODE(number, set)                                                                                    \
	"<object type=\"Package\" os_index=\"" number "\" " SET_OF(set)                                      \
	"><object type=\"NUMANode\" os_index=\"" number "\" " SET_OF(set) "/>"                               \
	"<object type=\"PU\" os_index=\"" number "\" " SET_OF(set) "/></object>"
#define SET_OF(set)                                                                                          \
	"cpuset=\"" set "\" complete_cpuset=\"" set "\" nodeset=\"" set "\" complete_nodeset=\"" set "\""
__attribute__((unused)) static const char line[] =
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
	"<topology version=\"2.0\"><object type=\"Machine\" os_index=\"0\" " SET_OF("0xf")
	" allowed_cpuset=\"0xf\" allowed_nodeset=\"0xf\">\n"
		NODE("0", "0x1") NODE("1", "0x2") NODE("2", "0x4") NODE("3", "0x8")
	"</object><distances2 type=\"NUMANode\" nbobjs=\"4\" kind=\"5\" name=\"NUMALatency\" indexing=\"os\">"
	"<indexes length=\"8\">0 1 2 3 </indexes>"
	"<u64values length=\"12\">10 25 35 45 </u64values><u64values length=\"12\">25 10 20 35 </u64values>"
	"<u64values length=\"12\">35 20 10 25 </u64values><u64values length=\"12\">45 35 25 10 </u64values>"
	"</distances2></topology>\n";
/* clang-format on */

#define SAVED_XML_PATH "/tmp/ipctop-topology-XXXXXX"

/* Writes @xml to a new file, for the caller to remove. @path: SAVED_XML_PATH, which becomes the file's name.
 * Returns @path. */
static inline char *save_xml(const char *xml, char *path)
{
	int file = mkstemp(path);

	CHECK(file >= 0 && write(file, xml, strlen(xml)) == (ssize_t)strlen(xml));
	close(file);
	return path;
}
