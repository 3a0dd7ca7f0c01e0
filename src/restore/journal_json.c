/* SPDX-License-Identifier: GPL-2.0-or-later */
/* journal_json.c - which settings of the machine ipctop has changed. */
#include "src/restore/journal_json.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json_util.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/json.h"
#include "src/base/small_file.h"

static const char name[] = "trial", new_name[] = "trial.new";

enum { VERSION = 1, FILES_MAX = 65536, BOOT_ID_SIZE = 64 };

struct journal {
	int folder; /* owned; has the lock */
};

static int refuse_folder(struct error_text *reason, const char *folder)
{
	return error_text_set(
		reason, -EPERM, "%s: must be a folder of root's that nobody else may enter", folder);
}

static int open_folder(const char *folder, struct error_text *reason)
{
	struct stat status;

	if (mkdir(folder, 0700) < 0 && errno != EEXIST)
		return error_text_set(reason, -errno, "%s: %s", folder, error_text_of_errno(-errno));
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return refuse_folder(reason, folder);
	if (fstat(fd, &status) == 0 && status.st_uid == geteuid() && !(status.st_mode & 077))
		return fd;
	close(fd);
	return refuse_folder(reason, folder);
}

int journal_open(struct journal **out, const char *folder, struct error_text *reason)
{
	if (geteuid() != 0)
		return error_text_set(
			reason, -EPERM, "changing settings of the machine needs root: run it with sudo");
	int fd = open_folder(folder, reason);

	if (fd < 0)
		return fd;
	struct journal *journal = calloc(1, sizeof(*journal));

	if (journal && flock(fd, LOCK_EX | LOCK_NB) == 0) {
		journal->folder = fd;
		*out = journal;
		return 0;
	}
	int error = journal ? errno : ENOMEM;

	free(journal);
	close(fd);
	return error_text_set(reason, error == EWOULDBLOCK ? -EBUSY : -error, "%s: %s", folder,
		error == EWOULDBLOCK ? "an ipctop try is running" : error_text_of_errno(-error));
}

/* --- writing --- */

static void read_boot_id(char id[BOOT_ID_SIZE])
{
	small_file_read_line("/proc/sys/kernel/random/boot_id", id, BOOT_ID_SIZE);
}

static struct json_object *json_file(const struct setting_file *file)
{
	struct json_object *object = json_object_new_object();

	json_put_text(object, "path", file->path);
	json_put_uint(object, "form", file->form);
	json_put_text(object, "was", file->was);
	json_put_text(object, "written", file->written);
	if (file->is_unread)
		json_put_bool(object, "is_unread", true);
	if (file->is_kept)
		json_put_bool(object, "is_kept", true);
	return object;
}

static struct json_object *json_journal(const struct setting_file *files, size_t n)
{
	struct json_object *object = json_object_new_object(), *array = json_object_new_array();
	char boot_id[BOOT_ID_SIZE];

	read_boot_id(boot_id);
	json_put_uint(object, "version", VERSION);
	json_put_text(object, "boot_id", boot_id);
	for (size_t i = 0; array && i < n; i++)
		json_object_array_add(array, json_file(&files[i]));
	json_put(object, "files", array);
	return object;
}

/* Returns 0 or a negative errno. */
static int write_whole(int fd, const char *text, size_t length)
{
	while (length) {
		ssize_t n = write(fd, text, length);

		if (n < 0 && errno != EINTR)
			return -errno;
		text += n > 0 ? n : 0;
		length -= n > 0 ? (size_t)n : 0;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

int journal_write(
	struct journal *journal, const struct setting_file *files, size_t n, struct error_text *reason)
{
	if (n > FILES_MAX)
		return error_text_set(
			reason, -E2BIG, "try: %zu settings at once, of %d at most", n, FILES_MAX);
	struct json_object *object = json_journal(files, n);
	size_t length = 0;
	const char *text = json_object_to_json_string_length(object, JSON_C_TO_STRING_PLAIN, &length);
	int r = text ? 0 : -ENOMEM;

	unlinkat(journal->folder, new_name, 0);
	int fd =
		openat(journal->folder, new_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0 && r == 0)
		r = -errno;
	if (r == 0)
		r = write_whole(fd, text, length);
	if (fd >= 0)
		close(fd);
	if (r == 0 && renameat(journal->folder, new_name, journal->folder, name) < 0)
		r = -errno;
	json_object_put(object);
	return r < 0 ? error_text_set(reason, r, "%s/%s: %s", JOURNAL_FOLDER, name, error_text_of_errno(r))
		     : 0;
}

/* --- reading --- */

/* Copies a string of the object. Returns 0, or -EINVAL if it has none that is shorter than @size. */
static int read_text(struct json_object *object, const char *key, char *text, size_t size)
{
	struct json_object *value = json_object_object_get(object, key);

	if (!json_object_is_type(value, json_type_string) ||
		(size_t)json_object_get_string_len(value) >= size)
		return -EINVAL;
	strcpy(text, json_object_get_string(value));
	return 0;
}

static int read_file(struct json_object *object, struct setting_file *file)
{
	char path[PATH_MAX];

	if (!json_object_is_type(object, json_type_object) ||
		read_text(object, "path", path, sizeof(path)) < 0 ||
		read_text(object, "was", file->was, sizeof(file->was)) < 0 ||
		read_text(object, "written", file->written, sizeof(file->written)) < 0)
		return -EINVAL;
	file->form = (enum setting_form)json_object_get_int(json_object_object_get(object, "form"));
	file->is_unread = json_object_get_boolean(json_object_object_get(object, "is_unread"));
	file->is_kept = json_object_get_boolean(json_object_object_get(object, "is_kept"));
	file->path = strdup(path);
	return file->path ? 0 : -ENOMEM;
}

static int read_files(struct json_object *object, struct setting_file **files, size_t *n)
{
	struct json_object *array = NULL;
	char boot_id[BOOT_ID_SIZE], boot[BOOT_ID_SIZE];
	int r = 0;

	if (!json_object_is_type(object, json_type_object) ||
		json_object_get_int(json_object_object_get(object, "version")) != VERSION ||
		read_text(object, "boot_id", boot, sizeof(boot)) < 0 ||
		!json_object_object_get_ex(object, "files", &array) ||
		!json_object_is_type(array, json_type_array) || json_object_array_length(array) > FILES_MAX)
		return -EINVAL;
	read_boot_id(boot_id);
	if (strcmp(boot_id, boot) != 0)
		return -ENOENT; /* settings do not outlive a start of the machine */
	*files = calloc(json_object_array_length(array) + 1, sizeof(**files));
	if (!*files)
		return -ENOMEM;
	for (; r == 0 && *n < json_object_array_length(array); ++*n)
		r = read_file(json_object_array_get_idx(array, *n), &(*files)[*n]);
	return r;
}

int journal_read(struct journal *journal, struct setting_file **files, size_t *n, struct error_text *reason)
{
	int fd = openat(journal->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;
	int r = 0;

	*files = NULL;
	*n = 0;
	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (fd < 0)
		r = errno == ELOOP || errno == ENXIO ? -EINVAL : -errno;
	else if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
		 status.st_nlink != 1)
		r = -EINVAL;
	struct json_object *object = r == 0 ? json_object_from_fd(fd) : NULL;

	if (fd >= 0)
		close(fd);
	if (r == 0)
		r = object ? read_files(object, files, n) : -EINVAL;
	json_object_put(object);
	if (r == 0)
		return 0;
	setting_files_free(*files, *n);
	*files = NULL;
	*n = 0;
	if (r == -ENOENT)
		journal_forget(journal);
	return r == -ENOENT ? r
			    : error_text_set(reason, r, "%s/%s: %s", JOURNAL_FOLDER, name,
				      r == -EINVAL ? "this version of ipctop did not write it: remove it"
						   : error_text_of_errno(r));
}

void journal_forget(struct journal *journal)
{
	unlinkat(journal->folder, name, 0);
}

int journal_fd(const struct journal *journal)
{
	return journal->folder;
}

void journal_set_fd(struct journal *journal, int fd)
{
	journal->folder = fd;
}

void journal_close(struct journal *journal)
{
	if (journal)
		close(journal->folder);
	free(journal);
}
