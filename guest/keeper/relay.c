#define _GNU_SOURCE
#include "relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "log.h"
#include "records.h"
#include "retained.h"

enum {
    ALONE_MILLIS = 60000,
    // For a server to read the last record and hang up.
    LINGER_MILLIS = 5000,
    SOCKET_BUFFER = 128 * 1024,
    HELLO_BYTES = RECORD_HEADER + 20,
    ENDED_BYTES = RECORD_HEADER + 4,
};

static struct retained retained;
static uint8_t from_guest[FRAME_HEADER + MAX_FRAME + 65536];
static size_t from_guest_length;
static uint8_t from_server[RECORD_HEADER + MAX_FRAME + 65536];
static size_t from_server_length;
// At most one frame, which is finished even if the server that sent it is gone.
static uint8_t to_guest[FRAME_HEADER + MAX_FRAME];
static size_t to_guest_start, to_guest_end;
// Hello or the end: what is not a frame.
static uint8_t notice[HELLO_BYTES];
static size_t notice_start, notice_end;

static const struct relay *relay;
static struct machine *machine;
static int server = -1;
static bool guest_full, ended, told;
// The server takes nothing more, but what it sent before it died is still to be read.
static bool deaf;
static int status;
static int64_t alone_since, told_at;

static int64_t now_millis(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void write_exit_file(void) {
    char line[16];
    int length = snprintf(line, sizeof line, "%d\n", status);
    // The server learns it from the socket too; a full disk must not keep the keeper from telling.
    while (write(relay->exit_file, line, (size_t) length) < 0 && errno == EINTR) {}
}

static void detach(void) {
    if (server < 0) return;
    close(server);
    server = -1;
    // Half a record of a dead server must never reach the guest.
    from_server_length = 0;
    notice_start = notice_end = 0;
    told = deaf = false;
    alone_since = now_millis();
}

static void attach(int fd) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    // The socket's mode keeps others out; this holds even if a careless umask or directory does not.
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || (peer.uid != relay->owner && peer.uid != 0)) {
        close(fd);
        return;
    }
    detach();
    server = fd;
    int buffer = SOCKET_BUFFER;
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    retained_attach(&retained);
    notice[0] = 'H';
    put_u32(notice + 1, HELLO_BYTES - RECORD_HEADER);
    put_u64(notice + RECORD_HEADER, retained.first);
    put_u64(notice + RECORD_HEADER + 8, retained.next);
    put_u32(notice + RECORD_HEADER + 16, (uint32_t) machine->pid);
    notice_start = 0;
    notice_end = HELLO_BYTES;
}

static void take_frames(void) {
    size_t used = 0;
    struct piece frame;
    guest_full = false;
    for (;;) {
        enum found found = find_frame(from_guest + used, from_guest_length - used, &frame);
        if (found == FOUND_BAD) {
            machine_kill(machine);
            close(machine->out);
            machine->out = -1;
            from_guest_length = used = 0;
            break;
        }
        if (found == FOUND_PART) break;
        if (!retained_add(&retained, frame.payload, frame.length)) {
            guest_full = true;
            break;
        }
        used += frame.total;
    }
    from_guest_length -= used;
    if (used > 0) memmove(from_guest, from_guest + used, from_guest_length);
}

// False when there is nothing to read now.
static bool read_guest(void) {
    if (machine->out < 0 || from_guest_length == sizeof from_guest) return false;
    ssize_t n = read(machine->out, from_guest + from_guest_length, sizeof from_guest - from_guest_length);
    if (n < 0) return errno == EINTR;
    if (n == 0) {
        close(machine->out);
        machine->out = -1;
        return false;
    }
    from_guest_length += (size_t) n;
    take_frames();
    return true;
}

static void write_guest(void) {
    while (to_guest_start < to_guest_end) {
        ssize_t n = machine->in < 0 ? -1 : write(machine->in, to_guest + to_guest_start, to_guest_end - to_guest_start);
        if (n < 0 && machine->in >= 0 && errno == EAGAIN) return;
        if (n < 0 && machine->in >= 0 && errno == EINTR) continue;
        // The command does not read any more: its end will be told.
        if (n < 0) n = (ssize_t) (to_guest_end - to_guest_start);
        to_guest_start += (size_t) n;
    }
    to_guest_start = to_guest_end = 0;
}

// Hands over one record after the other; false when the server has broken the rules.
static bool take_records(void) {
    size_t used = 0;
    bool good = true;
    while (good && to_guest_end == 0) {
        struct piece record;
        enum found found = find_record(from_server + used, from_server_length - used, &record);
        good = found != FOUND_BAD;
        if (found != FOUND_WHOLE) break;
        if (record.type == 'B') {
            good = machine_begin(machine, record.payload, record.length);
            used += record.total;
            continue;
        }
        put_u32(to_guest, (uint32_t) record.length);
        memcpy(to_guest + FRAME_HEADER, record.payload, record.length);
        to_guest_end = FRAME_HEADER + record.length;
        used += record.total;
        write_guest();
    }
    from_server_length -= used;
    if (used > 0) memmove(from_server, from_server + used, from_server_length);
    return good;
}

static void read_server(void) {
    ssize_t n = read(server, from_server + from_server_length, sizeof from_server - from_server_length);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
        detach();
        return;
    }
    from_server_length += (size_t) n;
    if (!take_records()) detach();
}

static ssize_t send_some(const uint8_t *bytes, size_t length) {
    ssize_t n = send(server, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno != EAGAIN && errno != EINTR) deaf = true;
    return n > 0 ? n : 0;
}

static void write_server(void) {
    if (notice_start < notice_end) {
        notice_start += (size_t) send_some(notice + notice_start, notice_end - notice_start);
        if (deaf || notice_start < notice_end) return;
    }
    if (retained.sent < retained.end) {
        retained_sent(&retained, (size_t) send_some(retained.bytes + retained.sent, retained.end - retained.sent));
    }
    if (ended && machine->out < 0 && !guest_full && retained.sent == retained.end && !told && !deaf) {
        notice[0] = 'X';
        put_u32(notice + 1, 4);
        put_u32(notice + RECORD_HEADER, (uint32_t) status);
        notice_start = (size_t) send_some(notice, ENDED_BYTES);
        notice_end = ENDED_BYTES;
        told = !deaf;
        told_at = now_millis();
    }
}

static bool has_for_server(void) {
    return server >= 0 && !deaf && (notice_start < notice_end || retained.sent < retained.end
        || (ended && machine->out < 0 && !guest_full && !told));
}

static void machine_ended(int how) {
    if (ended) return;
    ended = true;
    status = how;
    if (server < 0) alone_since = now_millis();
    if (machine->in >= 0) close(machine->in);
    machine->in = -1;
    write_exit_file();
}

// False when there is nothing to read now.
static bool read_log(void) {
    static char bytes[65536];
    if (machine->log < 0) return false;
    ssize_t n = read(machine->log, bytes, sizeof bytes);
    if (n < 0) return errno == EINTR;
    if (n == 0) {
        close(machine->log);
        machine->log = -1;
        return false;
    }
    log_add(bytes, (size_t) n, now_millis());
    return true;
}

// What the command wrote before its end is still in the pipe; a leftover child that holds the pipe open must not hold back the end.
static void drain_after_end(void) {
    while (machine->out >= 0 && !guest_full && read_guest()) {}
    while (read_log()) {}
    if (machine->out >= 0 && !guest_full) {
        close(machine->out);
        machine->out = -1;
    }
}

static void read_starter(void) {
    struct told told;
    ssize_t n = recv(machine->control, &told, sizeof told, MSG_DONTWAIT);
    if (n == sizeof told && told.kind == TOLD_ENDED) machine_ended(told.number);
}

// A starter that was killed tells nothing; its own end is the machine's then.
static void reap(void) {
    int how;
    while (waitpid(machine->starter, &how, WNOHANG) == machine->starter) {
        read_starter();
        machine_ended(how);
    }
}

// Returns false when the keeper was told to go.
static bool take_signals(int signals) {
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGTERM) {
            int how;
            machine_kill(machine);
            if (!ended && waitpid(machine->starter, &how, 0) == machine->starter) {
                read_starter();
                machine_ended(how);
            }
            while (read_log()) {}
            return false;
        }
        reap();
    }
    return true;
}

static bool is_over(int64_t now) {
    if (!ended) return false;
    if (server < 0) return now - alone_since >= ALONE_MILLIS;
    return told && notice_start == notice_end && now - told_at >= LINGER_MILLIS;
}

static int timeout(int64_t now) {
    if (!ended) return -1;
    int64_t until = server < 0 ? alone_since + ALONE_MILLIS : told ? told_at + LINGER_MILLIS : now + ALONE_MILLIS;
    return until > now ? (int) (until - now) : 0;
}

void relay_run(const struct relay *the_relay) {
    relay = the_relay;
    machine = relay->machine;
    for (;;) {
        int64_t now = now_millis();
        if (is_over(now)) return;
        struct pollfd fds[6] = {
            {.fd = relay->signals, .events = POLLIN},
            {.fd = relay->listener, .events = POLLIN},
            // A server whose frames the guest does not take yet is not read.
            {.fd = to_guest_end == 0 || has_for_server() ? server : -1, .events = (short) ((to_guest_end == 0 ? POLLIN : 0) | (has_for_server() ? POLLOUT : 0))},
            {.fd = guest_full ? -1 : machine->out, .events = POLLIN},
            {.fd = to_guest_end > 0 ? machine->in : -1, .events = POLLOUT},
            {.fd = machine->log, .events = POLLIN},
        };
        if (poll(fds, 6, timeout(now)) < 0 && errno != EINTR) return;
        if (fds[0].revents != 0 && !take_signals(relay->signals)) return;
        if (fds[4].revents != 0) {
            write_guest();
            if (!take_records()) detach();
        }
        if (fds[2].revents != 0 && server == fds[2].fd) {
            bool knows_the_end = told && notice_start == notice_end;
            if (fds[2].revents & POLLIN) read_server();
            else if (to_guest_end == 0 && fds[2].revents & (POLLHUP | POLLERR)) detach();
            if (knows_the_end && server < 0) return;
        }
        if (fds[3].revents != 0) read_guest();
        if (fds[5].revents != 0) read_log();
        if (fds[1].revents != 0) {
            int fd = accept4(relay->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
            if (fd >= 0) attach(fd);
        }
        if (has_for_server()) write_server();
        if (guest_full) take_frames();
        if (ended) drain_after_end();
        if (has_for_server()) write_server();
    }
}
