// Fuzzes the agent's frame decoder and everything behind it: channels, processes, contexts, transfers, connections. What would start a process or touch the
// file system is replaced here, so the input plays both the host and whatever runs in the guest.
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "channel.h"
#include "config.h"
#include "connection.h"
#include "dns.h"
#include "dns_question.h"
#include "file_worker.h"
#include "files.h"
#include "job.h"
#include "log.h"
#include "loop.h"
#include "name_table.h"
#include "network.h"
#include "ports.h"
#include "processors.h"
#include "procs.h"
#include "proxy.h"
#include "resource_limits.h"
#include "spare.h"
#include "stream.h"
#include "target.h"
#include "thaw.h"
#include "user.h"

enum { MAX_GUESTS = 32, FIRST_PID = 100000 };

// The guest's ends of a job's pipes.
struct guest {
    int reports, orders, out, err, control_in, control_out;
};

// The programs' ends of their connections.
static int programs[MAX_GUESTS];
static int program_count;
static struct guest guests[MAX_GUESTS];
static int guest_count;
static pid_t next_pid = FIRST_PID, worker_pids[MAX_GUESTS];
static int worker_count;
static jmp_buf died;

int log_fd = 2;
uid_t default_uid = 1000;
struct limits limits;
struct config config = {.proxy_millis = 30000};

void log_line(const char *format, ...) {
    (void) format;
}

void die(int status, const char *format, ...) {
    (void) format;
    // A broken invariant is a finding; a broken protocol is what is expected of this host.
    if (status == EXIT_INTERNAL) abort();
    longjmp(died, 1);
}

const struct language *config_language(const char *name) {
    static struct language language = {.name = "python", .argv = {"python", NULL}};
    return strcmp(name, "python") == 0 ? &language : NULL;
}

void config_language_names(char *text, size_t size) {
    snprintf(text, size, "none but python");
}

pid_t supervisor_start(const struct launch *launch, int *reports, int *orders) {
    int up[2], down[2];
    if (guest_count == MAX_GUESTS || pipe2(up, O_NONBLOCK) != 0 || pipe2(down, O_NONBLOCK) != 0) return -1;
    struct guest *guest = &guests[guest_count++];
    *guest = (struct guest){up[1], down[0], dup(launch->out), launch->terminal ? -1 : dup(launch->err), -1, -1};
    if (launch->control_in >= 0) guest->control_in = dup(launch->control_in);
    if (launch->control_out >= 0) guest->control_out = dup(launch->control_out);
    int ends[] = {guest->out, guest->err, guest->control_out};
    for (int i = 0; i < 3; i++) {
        if (ends[i] >= 0) fcntl(ends[i], F_SETFL, O_NONBLOCK);
    }
    *reports = up[0];
    *orders = down[1];
    return next_pid++;
}

pid_t fuzz_fork(void) {
    if (worker_count == MAX_GUESTS) return -1;
    return worker_pids[worker_count++] = next_pid++;
}

int fuzz_kill(pid_t pid, int signal) {
    (void) pid;
    (void) signal;
    return 0;
}

int fuzz_openpty(int *master, int *slave, char *name, const void *termios, const void *size) {
    (void) name;
    (void) termios;
    (void) size;
    int pair[2];
    if (pipe(pair) != 0) return -1;
    *master = pair[0];
    *slave = pair[1];
    return 0;
}

int fuzz_poll(struct pollfd *fds, nfds_t count, int timeout) {
    (void) timeout;
    return (poll) (fds, count, 0);
}

int fuzz_clock_settime(clockid_t clock, const struct timespec *time) {
    (void) clock;
    (void) time;
    return 0;
}

int fuzz_sethostname(const char *name, size_t length) {
    (void) name;
    (void) length;
    return 0;
}

// The agent's end of a new connection.
int fuzz_socket(int family, int type, int protocol) {
    (void) family;
    (void) type;
    (void) protocol;
    int pair[2];
    if (program_count == MAX_GUESTS || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0) return -1;
    programs[program_count++] = pair[1];
    return pair[0];
}

int fuzz_connect(int fd, const struct sockaddr *address, socklen_t size) {
    (void) fd;
    (void) address;
    (void) size;
    return 0;
}

void ports_send(void) {}

bool ports_is_taken(uint16_t port) {
    return port % 2;
}

void file_work(const Frame *frame, uint32_t channel, struct upload_place *place, int answers, int upload) {
    (void) frame;
    (void) channel;
    (void) place;
    (void) answers;
    (void) upload;
    abort();
}

void file_remove_leftover(const struct upload_place *place) {
    (void) place;
}

bool spare_take_supervisor(const Atoll__Agent__Start *start, struct spare_supervisor *taken) {
    (void) start;
    (void) taken;
    return false;
}

bool spare_take_worker(const Frame *frame, struct spare_worker *taken) {
    (void) frame;
    (void) taken;
    return false;
}

bool procs_scan(struct procs *procs, int most_millis) {
    (void) most_millis;
    *procs = (struct procs){0};
    return false;
}

void procs_free(struct procs *procs) {
    (void) procs;
}

void limits_set(const Atoll__Agent__Limits *message) {
    limits.memory_bytes = message->memory_bytes;
}

void processors_set(Atoll__Agent__Variable *const *env, size_t count) {
    (void) env;
    (void) count;
}

bool limits_disk_full(void) {
    return false;
}

void disk_uncap_if_room(void) {}

void limits_expect_relief(void) {}

bool limits_memory_used(uint64_t *used) {
    *used = 1;
    return true;
}

bool limits_disk_used(uint64_t *used) {
    *used = 1;
    return true;
}

void descriptors_never_block(int fd) {
    if (fd >= 0 && fcntl(fd, F_SETFL, O_NONBLOCK) != 0) abort();
}

void target_set_thaw_env(Variable *const *env, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strlen(env[i]->name) + strlen(env[i]->value) > MAX_FRAME) abort();
    }
}

size_t target_thaw_env(char *const **pairs) {
    static char *const none[1];
    *pairs = none;
    return 0;
}

static void close_fd(int fd) {
    if (fd >= 0) close(fd);
}

static void put(int fd, const void *bytes, size_t length) {
    if (fd >= 0 && length > 0 && write(fd, bytes, length) < 0) return;
}

static void resume(struct job *job, void *data) {
    (void) data;
    job_resume(job);
}

static void turn(void) {
    if (!thaw_is_quiesced()) loop_wait(0);
    if (stream_reopened()) {
        job_each(resume, NULL);
        files_resume_all();
        network_resume();
    }
    stream_flush();
}

static void close_one(struct channel *channel, void *data) {
    (void) data;
    channel->send_limit = UINT64_MAX / 2;
    if (channel->job != NULL) job_resume(channel->job);
    if (channel->transfer != NULL) files_resume(channel->transfer);
    if (channel->question != NULL) dns_resolved(channel->question, VERDICT(FAILED));
}

static void forget(struct channel *channel, void *data) {
    (void) data;
    channel_free(channel);
}

static void end_guest(struct guest *guest) {
    int *fds = &guest->reports;
    for (int i = 0; i < 6; i++) {
        close_fd(fds[i]);
        fds[i] = -1;
    }
}

// Everything ends: what is left then is a finding of the leak check or of these asserts.
static void tear_down(void) {
    Atoll__Agent__Thaw thaw = ATOLL__AGENT__THAW__INIT;
    thaw_wake(&thaw);
    for (int i = 0; i < worker_count; i++) files_reaped(worker_pids[i], 0);
    channel_each(close_one, NULL);
    for (int i = 0; i < 2000 && job_count() > 0; i++) {
        // A kernel that ended while it started is started once more, so there may be another guest now.
        for (int j = 0; j < guest_count; j++) end_guest(&guests[j]);
        channel_each(close_one, NULL);
        turn();
    }
    if (job_count() > 0) abort();
    network_forget();
    if (connection_egress_count() > 0) abort();
    while (program_count > 0) close_fd(programs[--program_count]);
    for (int i = 0; i < 10; i++) turn();
    guest_count = worker_count = 0;
    channel_each(forget, NULL);
    channel_forget_ids();
}

// What a program in the guest does with its connection.
static void use_program(int *program, uint8_t how, const uint8_t *bytes, size_t length) {
    static char sink[1 << 16];
    if (how & 64) {
        if (read(*program, sink, sizeof sink) < 0) return;
    } else if (how & 128) {
        if (length > 0) shutdown(*program, SHUT_WR);
        else close_fd(*program);
        if (length == 0) *program = -1;
    } else {
        put(*program, bytes, length);
    }
}

static void connect_directly(uint16_t port, const uint8_t *bytes, size_t length) {
    char name[MAX_HOST + 1];
    const struct known_name *known = host_name_clean((const char *) bytes, length, name) ? name_table_add(name) : NULL;
    int fd = fuzz_socket(0, 0, 0);
    if (fd >= 0) network_accept_direct(fd, known != NULL ? known->address : 1, port);
}

// One step: a kind, a target, a 16-bit length, and that many bytes.
static size_t step(const uint8_t *data, size_t size) {
    if (size < 4) return size;
    size_t length = ((size_t) data[2] << 8 | data[3]) % 4096;
    if (length > size - 4) length = size - 4;
    const uint8_t *bytes = data + 4;
    struct guest *guest = guest_count > 0 ? &guests[data[1] % guest_count] : NULL;
    struct report report = {.type = length > 0 ? bytes[0] % 5 : 0, .value = length > 1 ? bytes[1] : 0};
    int *program = program_count > 0 ? &programs[data[1] % program_count % 64] : NULL;
    struct asker asker = {.from.sin_port = data[1]};
    int fd;
    switch (data[0] % 12) {
        case 0:
        case 1:
        case 2: stream_decode(bytes, length); break;
        case 3: if (guest != NULL) put(guest->reports, &report, sizeof report); break;
        case 4: if (guest != NULL) put(guest->control_out, bytes, length); break;
        case 5: if (guest != NULL) put(data[1] & 128 ? guest->err : guest->out, bytes, length); break;
        case 6: if (guest != NULL && data[1] & 128) end_guest(guest); break;
        case 8: if ((fd = fuzz_socket(0, 0, 0)) >= 0) proxy_begin(fd); break;
        case 9: if (program != NULL) use_program(program, data[1], bytes, length); break;
        case 10: connect_directly(data[1], bytes, length); break;
        case 11: dns_question(&asker, bytes, length); break;
        default: if (worker_count > 0) files_reaped(worker_pids[data[1] % worker_count], length > 0 ? bytes[0] : 0);
    }
    turn();
    return 4 + length;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void) argc;
    (void) argv;
    int pipes[2];
    // As boot_prepare does.
    signal(SIGPIPE, SIG_IGN);
    if (pipe2(pipes, O_NONBLOCK) != 0) abort();
    loop_init();
    stream_open(pipes[0], open("/dev/null", O_WRONLY));
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (setjmp(died) == 0) {
        for (size_t at = 0; at < size;) at += step(data + at, size - at);
    }
    if (setjmp(died) != 0) abort();
    tear_down();
    return 0;
}
