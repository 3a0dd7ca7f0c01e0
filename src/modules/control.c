/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control.c - the module of --control: a Unix socket at which clients send commands, a JSON object a line,
 * and get a line for each (src/report/control_json.h).
 *
 * It runs in the thread for clients. A client's next line is read once it has got the reply to the one
 * before, and events wait in the session until a client takes them: so no client makes this process keep much
 * for it. Nor does one that floods take much of a CPU: its lines are obeyed at a limited rate. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "src/base/bytes.h"
#include "src/base/clock.h"
#include "src/base/loop.h"
#include "src/base/whole_file.h"
#include "src/model/session_events.h"
#include "src/modules/exports.h"
#include "src/plan/config.h"
#include "src/report/control_json.h"
#include "src/run/source.h"

enum {
	CLIENTS_MAX = 32,
	LINE_SIZE = 4096,     /* of a request, with its newline */
	PAUSE_NS = 100000000, /* until connections are accepted again, after an error */
	LOCK_TRIES = 100,     /* to lock the directory, one each 10 ms */
	/* So many lines of a client are obeyed in a period; further ones wait, most of them in the socket. */
	PERIOD_NS = 10000000,
	PERIOD_LINES = 5
};

struct client {
	struct control *control; /* NULL: no client has the entry */
	uint64_t id;             /* no other client of this run has it */
	int fd;
	char line[LINE_SIZE]; /* what was read: lines, and the start of one */
	size_t n_read;
	struct bytes out;             /* owned; to be sent */
	size_t n_sent;                /* of it */
	uint64_t period_ns;           /* when its current period began */
	unsigned n_lines;             /* obeyed in it */
	bool waits;                   /* for the reply of the main thread */
	bool follows;                 /* wants events */
	bool ended;                   /* sends no more lines */
	uint64_t n_events, n_reports; /* that it has got, or that came before it followed them */
};

struct reply {
	uint64_t client;
	char *text; /* owned; NULL: no memory */
};

struct control {
	struct source *source;
	struct file_target target;
	ino_t inode;         /* of the socket in its directory; 0: none */
	int listening, news; /* news: eventfd: replies, or events that somebody follows */
	uint64_t accepts_ns; /* no connection is accepted before */
	struct client clients[CLIENTS_MAX];
	uint64_t n_clients; /* so far */
	atomic_bool has_followers;
	atomic_bool begun; /* the session is there: commands before wait */

	pthread_mutex_t lock;  /* guards the replies */
	struct reply *replies; /* owned */
	size_t n_replies;
	bool lacks_memory; /* a reply was lost */
};

/* --- replies of the main thread --- */

static char *make_reply(const struct control *control, const struct command *command,
	const struct command_result *result, const struct error_text *refusal)
{
	uint64_t start_ns = control->source->session.start_ns;
	const char *name = source_command_name(control->source, command);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int r = 0;

	if (!out)
		return NULL;
	if (refusal) {
		control_json_refuse(out, name, refusal->text);
	} else {
		control_json_begin(out, name);
		if (!control->source->replay) /* its times are those of the recording */
			fprintf(out, ",\"given_ns\":%llu", (unsigned long long)(command->at_ns - start_ns));
		if (result->phase)
			fprintf(out, ",\"phase\":%u,\"begins_ns\":%llu", (unsigned)result->phase,
				(unsigned long long)(result->begins_ns - start_ns));
		if (result->n_rings)
			fprintf(out, ",\"first_ring\":%u,\"n_rings\":%u", (unsigned)result->first_ring,
				(unsigned)result->n_rings);
		r = result->suffixes ? control_json_files(out, result->files, result->suffixes) : 0;

		fputs("}\n", out);
	}
	if (fclose(out) == 0 && r == 0)
		return text;
	free(text);
	return NULL;
}

/* In the main thread. Without memory the client is disconnected. */
static void take_reply(void *data, const struct command *command, const struct command_result *result,
	const struct error_text *refusal)
{
	struct control *control = data;
	char *text = make_reply(control, command, result, refusal);

	pthread_mutex_lock(&control->lock);
	struct reply *replies =
		realloc(control->replies, (control->n_replies + 1) * sizeof(*control->replies));

	if (replies) {
		replies[control->n_replies++] = (struct reply){command->client, text};
		control->replies = replies;
		text = NULL;
	}
	control->lacks_memory |= !replies;
	pthread_mutex_unlock(&control->lock);
	free(text);
	eventfd_write(control->news, 1);
}

/* --- clients --- */

static void note_followers(struct control *control)
{
	bool any = false;

	for (size_t i = 0; i < CLIENTS_MAX; i++)
		any |= control->clients[i].control && control->clients[i].follows;
	atomic_store(&control->has_followers, any);
}

static void close_client(struct client *client)
{
	struct control *control = client->control;

	close(client->fd);
	bytes_finish(&client->out);
	*client = (struct client){0};
	note_followers(control);
}

static bool has_output(const struct client *client)
{
	return client->n_sent < client->out.n;
}

/* Sends what the client takes at once. Returns false if it has gone, or there was no memory. */
static bool send_output(struct client *client)
{
	while (has_output(client) && !client->out.failed) {
		ssize_t n = send(client->fd, client->out.data + client->n_sent,
			client->out.n - client->n_sent, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0)
			return errno == EAGAIN || errno == EINTR;
		client->n_sent += (size_t)n;
	}
	client->out.n = client->n_sent = 0;
	return !client->out.failed;
}

static void add_output(struct client *client, const char *text)
{
	if (text)
		bytes_add(&client->out, text, strlen(text));
	else
		client->out.failed = true;
}

static void refuse(struct client *client, const char *command, const struct error_text *refusal)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out) {
		control_json_refuse(out, command, refusal->text);
		fclose(out);
	}
	add_output(client, text);
	free(text);
}

/* Prints what @print needs the session's lock for. */
static void print_locked(struct client *client,
	void (*print)(struct client *client, FILE *out, const void *data), const void *data)
{
	struct source *source = client->control->source;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out) {
		pthread_mutex_lock(&source->lock);
		print(client, out, data);
		pthread_mutex_unlock(&source->lock);
		fclose(out);
	}
	add_output(client, text);
	free(text);
}

static void print_events(struct client *client, FILE *out, const void *data)
{
	control_json_events(out, &client->control->source->session, &client->n_events, &client->n_reports);
}

static void print_reply(struct client *client, FILE *out, const void *data)
{
	const struct command_row *row = data;
	const struct source *source = client->control->source;

	control_json_begin(out, row->name);
	client->out.failed |= row->print(out, source) < 0;
	fputs("}\n", out);
	if (client->follows)
		return;
	client->n_events = session_last_serial(&source->session);
	client->n_reports = source->session.spikes.n_reports;
}

static int obey_request(
	struct client *client, const struct command_row *row, char *const *words, struct error_text *refusal)
{
	struct control *control = client->control;
	struct command command;
	int r = command_read(&command, row, words, refusal);

	if (r < 0)
		return r;
	if (row->print) {
		print_locked(client, print_reply, row);
		client->follows |= row->follows;
		note_followers(control);
		return 0;
	}
	command.sender = COMMAND_BY_SOCKET;
	command.at_ns = clock_now_ns();
	command.replied = take_reply;
	command.data = control;
	command.client = client->id;
	r = source_command(control->source, &command, refusal);
	client->waits = r == 0;
	return r;
}

static void obey_line(struct client *client, const char *line, size_t length)
{
	struct control_request request;
	struct error_text refusal;
	int r = control_request_read(&request, line, length, &refusal);
	const struct command_row *row = r == 0 ? command_row_named(command_rows, request.words[0]) : NULL;

	if (r == 0 && !row)
		r = error_text_set(&refusal, -ENOENT, "%s: no such command; ipctop ctl --help lists them",
			request.words[0]);
	else if (r == 0)
		r = obey_request(client, row, request.words + 1, &refusal);
	if (r < 0)
		refuse(client, row ? row->name : NULL, &refusal);
	control_request_finish(&request);
}

/* Returns the end of the first line that was read, or NULL. */
static char *find_line_end(const struct client *client)
{
	return memchr(client->line, '\n', client->n_read);
}

static bool may_obey(const struct client *client)
{
	/* Acquire: pairs with the store in note_item(), before which the session was made. */
	bool begun = atomic_load_explicit(&client->control->begun, memory_order_acquire);

	return begun && !client->waits && !has_output(client) && find_line_end(client);
}

/* Returns when the next line of the client may be obeyed. */
static uint64_t next_line_ns(const struct client *client)
{
	return client->n_lines < PERIOD_LINES ? 0 : client->period_ns + PERIOD_NS;
}

static void count_line(struct client *client)
{
	uint64_t now_ns = clock_now_ns();

	if (now_ns >= client->period_ns + PERIOD_NS) {
		client->period_ns = now_ns;
		client->n_lines = 0;
	}
	client->n_lines++;
}

/* Obeys the first line that was read. Its reply is sent before the next one is looked at. */
static void obey_client(void *data, short revents)
{
	struct client *client = data;
	char *end = client->control ? find_line_end(client) : NULL;

	if (!end) /* an earlier call of this round has closed the client */
		return;
	*end = '\0';
	count_line(client);
	obey_line(client, client->line, (size_t)(end - client->line));
	client->n_read -= (size_t)(end + 1 - client->line);
	memmove(client->line, end + 1, client->n_read);
	if (!send_output(client))
		close_client(client);
}

/* A line that is too long, and one with a 0 in it, is no request. */
static void read_client(struct client *client)
{
	ssize_t n = recv(client->fd, client->line + client->n_read, LINE_SIZE - client->n_read, MSG_DONTWAIT);
	struct error_text refusal;

	client->ended |= n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
	client->n_read += n > 0 ? (size_t)n : 0;
	if (client->n_read < LINE_SIZE || find_line_end(client))
		return;
	error_text_set(&refusal, -E2BIG, "a request has at most %d bytes", LINE_SIZE - 1);
	refuse(client, NULL, &refusal);
	client->ended = true;
	client->n_read = 0;
}

static void serve_client(void *data, short revents)
{
	struct client *client = data;
	bool is_there = !(revents & POLLERR);

	if (!client->control) /* an earlier call of this round has closed the client */
		return;
	if (is_there && revents & POLLIN)
		read_client(client);
	if (is_there && !(revents & POLLIN) && revents & POLLHUP)
		is_there = false;
	if (is_there)
		is_there = send_output(client);
	/* One that only closed its sending side may still follow, or wait for a reply. */
	if (!is_there || (client->ended && !client->waits && !client->follows && !has_output(client) &&
				 !find_line_end(client)))
		close_client(client);
}

/* --- the loop --- */

/* Returns the sentence with which a new connection is refused, or NULL. */
static const char *why_refused(int fd, const struct client *free_client)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ||
		(peer.uid != geteuid() && peer.uid != 0))
		return "only the user of this ipctop, and root, may connect";
	return free_client ? NULL : "there are too many clients";
}

static void accept_client(void *data, short revents)
{
	struct control *control = data;
	struct client *client = NULL;
	int fd = accept4(control->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0) {
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			control->accepts_ns = clock_now_ns() + PAUSE_NS;
		return;
	}
	for (size_t i = 0; i < CLIENTS_MAX && !client; i++)
		if (!control->clients[i].control)
			client = &control->clients[i];
	const char *refused = why_refused(fd, client);

	if (!refused) {
		*client = (struct client){.control = control, .fd = fd, .id = ++control->n_clients};
		return;
	}
	struct client stranger = {.control = control, .fd = fd};
	struct error_text refusal;

	error_text_set(&refusal, 0, "%s", refused);
	refuse(&stranger, NULL, &refusal);
	send_output(&stranger);
	close_client(&stranger);
}

static struct client *find_client(struct control *control, uint64_t id)
{
	for (size_t i = 0; i < CLIENTS_MAX; i++)
		if (control->clients[i].control && control->clients[i].id == id)
			return &control->clients[i];
	return NULL;
}

/* A client may have gone before its reply comes. */
static void hand_out_replies(struct control *control)
{
	pthread_mutex_lock(&control->lock);
	for (size_t i = 0; i < control->n_replies; i++) {
		struct client *client = find_client(control, control->replies[i].client);

		if (client) {
			client->waits = false;
			add_output(client, control->replies[i].text);
		}
		free(control->replies[i].text);
	}
	control->n_replies = 0;
	for (size_t i = 0; control->lacks_memory && i < CLIENTS_MAX; i++)
		control->clients[i].out.failed |= control->clients[i].waits;
	control->lacks_memory = false;
	pthread_mutex_unlock(&control->lock);
}

/* A client that takes nothing gets nothing more; a later line says how many events it has lost. */
static void send_news(struct control *control)
{
	for (size_t i = 0; i < CLIENTS_MAX; i++) {
		struct client *client = &control->clients[i];

		if (!client->control)
			continue;
		bool is_there = send_output(client);

		if (is_there && client->follows && !has_output(client)) {
			print_locked(client, print_events, NULL);
			is_there = send_output(client);
		}
		if (!is_there)
			close_client(client);
	}
}

static void take_news(void *data, short revents)
{
	struct control *control = data;
	eventfd_t count;

	eventfd_read(control->news, &count);
	hand_out_replies(control);
	send_news(control);
}

static void watch_client(struct client *client, struct loop *loop)
{
	bool reads = !client->ended && client->n_read < LINE_SIZE && !client->waits && !has_output(client);
	short events = (short)((reads ? POLLIN : 0) | (has_output(client) ? POLLOUT : 0));

	if (may_obey(client))
		loop_wake(loop, next_line_ns(client), obey_client, client);
	else if (client->ended && !client->waits && !client->follows && !has_output(client) &&
		 !find_line_end(client))
		loop_wake(loop, 0, serve_client, client);
	else
		loop_watch(loop, client->fd, events, serve_client, client);
}

static void watch_clients(void *state, struct loop *loop)
{
	struct control *control = state;

	if (clock_now_ns() >= control->accepts_ns)
		loop_watch(loop, control->listening, POLLIN, accept_client, control);
	else
		loop_wake(loop, control->accepts_ns, NULL, NULL);
	loop_watch(loop, control->news, POLLIN, take_news, control);
	for (size_t i = 0; i < CLIENTS_MAX; i++)
		if (control->clients[i].control)
			watch_client(&control->clients[i], loop);
}

/* --- open, feed, end --- */

/* Writes the path to the socket by its directory's descriptor, which was checked. */
static int write_address(const struct control *control, struct sockaddr_un *address)
{
	int length = snprintf(address->sun_path, sizeof(address->sun_path), "/proc/self/fd/%d/%s",
		control->target.directory, control->target.name);

	address->sun_family = AF_UNIX;
	return length < (int)sizeof(address->sun_path) ? 0 : -ENAMETOOLONG;
}

/* Keeps other starts from the path until the socket listens: before, it looks like one that a run has left,
 * and they would remove it. Returns a descriptor whose close ends that, or a negative errno: then only what
 * was left there is a reason not to start. */
static int lock_directory(const struct control *control)
{
	int fd = openat(control->target.directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = fd < 0 ? -errno : -EWOULDBLOCK;

	for (int i = 0; i < LOCK_TRIES && r == -EWOULDBLOCK; i++) {
		if (i > 0)
			usleep(10000);
		r = flock(fd, LOCK_EX | LOCK_NB) < 0 ? -errno : 0;
	}
	if (r < 0 && fd >= 0)
		close(fd);
	return r < 0 ? r : fd;
}

/* Removes a socket that a run of this user has left. @lock: of the directory, or a negative errno. */
static int take_over(
	const struct control *control, const struct sockaddr_un *address, int lock, struct error_text *reason)
{
	const char *path = control->source->config->control;
	struct stat status;
	int r = file_target_stat(&control->target, &status);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return error_text_set(reason, r, "--control %s: %s", path, error_text_of_errno(r));
	if (!S_ISSOCK(status.st_mode))
		return error_text_set(reason, -EEXIST,
			"--control %s: is there already, and is no socket: choose another path", path);
	if (status.st_uid != geteuid())
		return error_text_set(reason, -EPERM, "--control %s: is a socket of another user (uid %u)",
			path, (unsigned)status.st_uid);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool is_left = fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 &&
		       errno == ECONNREFUSED;

	if (fd >= 0)
		close(fd);
	if (!is_left)
		return error_text_set(
			reason, -EADDRINUSE, "--control %s: another program listens there", path);
	if (lock < 0)
		return error_text_set(reason, lock,
			"--control %s: a killed run has left a socket there, and its directory can't be locked to replace it (%s): remove it",
			path, error_text_of_errno(lock));
	return unlinkat(control->target.directory, control->target.name, 0) < 0
		       ? error_text_set(reason, -errno, "--control %s: %s", path, strerror(errno))
		       : 0;
}

/* The socket has its mode before bind(2), so no other user can connect in between. */
static int bind_socket(struct control *control, const struct sockaddr_un *address)
{
	struct stat status;

	control->listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (control->listening < 0 || fchmod(control->listening, 0600) < 0 ||
		bind(control->listening, (const struct sockaddr *)address, sizeof(*address)) < 0)
		return -errno;
	if (file_target_stat(&control->target, &status) == 0)
		control->inode = status.st_ino;
	return listen(control->listening, SOMAXCONN) < 0 ? -errno : 0;
}

static int start_listening(struct control *control, struct error_text *reason)
{
	const char *path = control->source->config->control;
	struct sockaddr_un address;
	int r = file_target_find(&control->target, path, reason);

	if (r < 0)
		return r;
	r = write_address(control, &address);
	if (r < 0)
		return error_text_set(reason, r, "--control %s: the name is too long", path);
	int lock = lock_directory(control);

	r = take_over(control, &address, lock, reason);
	if (r == 0) {
		r = bind_socket(control, &address);
		if (r < 0)
			error_text_set(reason, r, "--control %s: %s", path, error_text_of_errno(r));
	}
	if (lock >= 0)
		close(lock);
	return r;
}

/* No other file may be written there. */
static int check_path(const struct config *config, struct error_text *reason)
{
	const char *path = config->control;

	if (!path)
		return 0;
	if ((config->record && whole_file_is(path, config->record)) ||
		(config->metrics && whole_file_is(path, config->metrics)))
		return error_text_set(reason, -EINVAL, "--control %s: --%s writes there; name another path",
			path, config->record && whole_file_is(path, config->record) ? "record" : "metrics");
	return exports_check_other(config, "--control", path, reason);
}

static int open_control(struct source *source, void **state, struct error_text *reason)
{
	if (!source->config->control)
		return 0;
	struct control *control = calloc(1, sizeof(*control));

	if (!control)
		return error_text_set(reason, -ENOMEM, "--control %s: no memory", source->config->control);
	*state = control;
	control->source = source;
	control->target.directory = control->listening = -1;
	pthread_mutex_init(&control->lock, NULL);
	control->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (control->news < 0)
		return error_text_set(reason, -errno, "eventfd: %s", error_text_of_errno(-errno));
	return start_listening(control, reason);
}

static int note_item(void *state, const struct feed_item *item, struct error_text *reason)
{
	struct control *control = state;

	if (item->kind == FEED_START)
		atomic_store_explicit(&control->begun, true, memory_order_release);
	if (item->kind == FEED_START || atomic_load(&control->has_followers))
		eventfd_write(control->news, 1);
	return 0;
}

static void remove_socket(const struct control *control)
{
	struct stat status;

	if (control->inode && file_target_stat(&control->target, &status) == 0 &&
		status.st_ino == control->inode)
		unlinkat(control->target.directory, control->target.name, 0);
}

/* The thread for clients has ended. */
static int end_control(void *state, struct error_text *reason)
{
	struct control *control = state;

	hand_out_replies(control);
	send_news(control);
	for (size_t i = 0; i < CLIENTS_MAX; i++)
		if (control->clients[i].control)
			close_client(&control->clients[i]);
	remove_socket(control);
	file_target_finish(&control->target);
	if (control->listening >= 0)
		close(control->listening);
	if (control->news >= 0)
		close(control->news);
	pthread_mutex_destroy(&control->lock);
	free(control->replies);
	free(control);
	return 0;
}

const struct module module_control = {.check = check_path,
	.open = open_control,
	.watch = watch_clients,
	.feed = note_item,
	.end = end_control};
