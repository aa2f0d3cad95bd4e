#define _GNU_SOURCE
#include "connection.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dial.h"
#include "log.h"
#include "name_table.h"
#include "network.h"
#include "proxy.h"
#include "stream.h"

enum { PIECE = 32 * 1024, TICK_MILLIS = 1000, PARTING_MILLIS = 5000 };

static struct connection *connections;
static unsigned egress_count, timed_count;
static size_t waiting;
static int64_t next_tick;

static void ready(struct source *source, uint32_t events);

struct connection *connection_new(int fd, enum connection_state state, int way, uint16_t port) {
    struct connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL) die(EXIT_INTERNAL, "out of memory for a connection");
    connection->state = state;
    connection->way = way;
    connection->port = port;
    connection->dialed = state == CONNECTION_DIALING;
    source_init(&connection->source, fd, 0, ready, connection);
    connection->next = connections;
    if (connections != NULL) connections->previous = connection;
    connections = connection;
    if (!connection->dialed) egress_count++;
    return connection;
}

unsigned connection_egress_count(void) {
    return egress_count;
}

void connection_each(void (*visit)(struct connection *connection)) {
    for (struct connection *connection = connections, *next; connection != NULL; connection = next) {
        next = connection->next;
        visit(connection);
    }
}

void connection_set_deadline(struct connection *connection, int milliseconds) {
    if (connection->deadline != 0) timed_count--;
    connection->deadline = milliseconds == 0 ? 0 : now_millis() + milliseconds;
    if (connection->deadline != 0) timed_count++;
}

static void drop_down(struct connection *connection, size_t length) {
    waiting -= length;
    buffer_drop(&connection->down, length);
}

static void release(struct connection *connection) {
    if (connection->channel != NULL) channel_free(connection->channel);
    connection_set_deadline(connection, 0);
    source_close(&connection->source);
    buffer_free(&connection->up);
    drop_down(connection, connection->down.length);
    if (connection->name != NULL) connection->name->users--;
    if (connection->previous != NULL) connection->previous->next = connection->next;
    else connections = connection->next;
    if (connection->next != NULL) connection->next->previous = connection->previous;
    if (!connection->dialed) egress_count--;
    free(connection);
    network_made_room();
}

void connection_drop(struct connection *connection) {
    // A plain close would tell the program that all it was sent is all there was.
    struct linger reset = {.l_onoff = 1};
    setsockopt(connection->source.fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    release(connection);
}

void connection_break(struct connection *connection) {
    if (connection->channel != NULL && connection->state == CONNECTION_DIALING) {
        channel_send_failed(connection->channel->id, FAILED(IO), "the connection broke off");
    } else if (connection->channel != NULL) {
        channel_send_closed(connection->channel->id);
    }
    connection_drop(connection);
}

void connection_close(struct connection *connection) {
    channel_send_closed(connection->channel->id);
    connection_drop(connection);
}

void connection_watch(struct connection *connection) {
    uint32_t events = 0;
    switch (connection->state) {
        case CONNECTION_DIALING: events = EPOLLOUT; break;
        case CONNECTION_ASKED: break;
        case CONNECTION_OPEN: events = connection->up_ended || connection->blocked ? 0 : EPOLLIN; break;
        default: events = EPOLLIN;
    }
    if (connection->down.length > 0) events |= EPOLLOUT;
    // What is broken and waits for credit would report that without end.
    if (events == 0 && connection->hung) source_disarm(&connection->source);
    else source_watch(&connection->source, events);
}

static void send_eof(struct connection *connection) {
    FRAME(frame, connection->channel->id, EOF, eof, Eof);
    frame_body.stream = STREAM(BYTES);
    stream_send(&frame);
    connection->up_told = true;
}

static void send_data(struct connection *connection, const uint8_t *bytes, size_t length) {
    struct channel *channel = connection->channel;
    FRAME(frame, channel->id, DATA, data, Data);
    frame_body.stream = STREAM(BYTES);
    frame_body.offset = channel->offset;
    frame_body.bytes.data = (uint8_t *) bytes;
    frame_body.bytes.len = length;
    channel_send_metered(channel, &frame);
    channel->offset += length;
}

// Tells whoever has not heard of an end yet. False when both directions have ended and the connection is gone.
static bool settle(struct connection *connection) {
    if (connection->state == CONNECTION_OPEN && connection->up_ended && connection->up.length == 0 && !connection->up_told) send_eof(connection);
    if (connection->down_ended && connection->down.length == 0 && !connection->down_told) {
        shutdown(connection->source.fd, SHUT_WR);
        connection->down_told = true;
    }
    if (connection->up_told && connection->down_told) {
        channel_send_closed(connection->channel->id);
        release(connection);
        return false;
    }
    connection_watch(connection);
    return true;
}

bool connection_write(struct connection *connection) {
    while (connection->down.length > 0) {
        ssize_t n = send(connection->source.fd, buffer_at(&connection->down), connection->down.length, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) break;
        if (n < 0) {
            connection_break(connection);
            return false;
        }
        drop_down(connection, (size_t) n);
    }
    if (connection->channel != NULL && connection->state == CONNECTION_OPEN) channel_grant(connection->channel, connection->down.length);
    return true;
}

void connection_tell(struct connection *connection, const void *bytes, size_t length) {
    buffer_add(&connection->down, bytes, length);
    waiting += length;
}

// Sends one piece of what the program says. False when the connection is gone.
static bool read_up(struct connection *connection) {
    uint8_t piece[PIECE];
    uint32_t room = channel_payload_room(connection->channel, PIECE);
    connection->blocked = room == 0;
    if (room == 0) return true;
    ssize_t n = recv(connection->source.fd, piece, room, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (n < 0) {
        connection_break(connection);
        return false;
    }
    size_t length = (size_t) n;
    if (connection->way == WAY(HTTP) || connection->way == WAY(HTTPS)) {
        // What goes beyond the request is dropped: it may be meant for another host.
        length = http_body_take(&connection->body, piece, length);
        if (connection->body.broken) {
            connection_break(connection);
            return false;
        }
    }
    if (length > 0) send_data(connection, piece, length);
    connection->up_ended = n == 0;
    return true;
}

// What has been read before the channel was open.
static void send_early(struct connection *connection) {
    while (connection->up.length > 0) {
        uint32_t room = channel_payload_room(connection->channel, PIECE);
        connection->blocked = room == 0;
        if (room == 0) return;
        size_t length = connection->up.length < room ? connection->up.length : room;
        send_data(connection, buffer_at(&connection->up), length);
        buffer_drop(&connection->up, length);
    }
}

void connection_open(struct connection *connection) {
    connection->state = CONNECTION_OPEN;
    connection_set_deadline(connection, 0);
    send_early(connection);
    if (connection_write(connection)) settle(connection);
}

void connection_ask(struct connection *connection, const char *host, uint16_t port, int way) {
    connection->state = CONNECTION_ASKED;
    connection->way = way;
    connection->port = port;
    connection_set_deadline(connection, 0);
    connection->channel = channel_open_own();
    if (connection->channel == NULL) {
        connection_drop(connection);
        return;
    }
    connection->channel->connection = connection;
    FRAME(frame, connection->channel->id, CONNECT, connect, Connect);
    frame_body.host = (char *) host;
    frame_body.port = port;
    frame_body.way = way;
    stream_send(&frame);
    connection_watch(connection);
}

// False when the connection is gone.
static bool part_if_written(struct connection *connection) {
    if (!connection_write(connection)) return false;
    if (connection->down.length == 0 && !connection->down_told) {
        shutdown(connection->source.fd, SHUT_WR);
        connection->down_told = true;
    }
    connection_watch(connection);
    return true;
}

void connection_part(struct connection *connection, const void *bytes, size_t length) {
    if (connection->channel != NULL) channel_free(connection->channel);
    connection->channel = NULL;
    connection->state = CONNECTION_PARTING;
    buffer_free(&connection->up);
    connection_set_deadline(connection, PARTING_MILLIS);
    connection_tell(connection, bytes, length);
    part_if_written(connection);
}

static void read_and_drop(struct connection *connection) {
    uint8_t piece[4096];
    ssize_t n = recv(connection->source.fd, piece, sizeof piece, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) release(connection);
}

static void ready_when_open(struct connection *connection, uint32_t events) {
    if (events & EPOLLOUT && !connection_write(connection)) return;
    bool reads = !connection->up_ended && !connection->blocked;
    if (connection->hung && !reads && connection->up_ended) {
        connection_break(connection);
        return;
    }
    if (reads && events & (EPOLLIN | EPOLLHUP | EPOLLERR) && !read_up(connection)) return;
    settle(connection);
}

static void ready(struct source *source, uint32_t events) {
    struct connection *connection = source->owner;
    if (events & (EPOLLHUP | EPOLLERR)) connection->hung = true;
    switch (connection->state) {
        case CONNECTION_HEAD: proxy_ready(connection, events); break;
        case CONNECTION_DIALING: dial_ready(connection); break;
        case CONNECTION_ASKED:
            if (connection->hung) connection_break(connection);
            else if (connection_write(connection)) connection_watch(connection);
            break;
        case CONNECTION_OPEN: ready_when_open(connection, events); break;
        case CONNECTION_PARTING:
            if (part_if_written(connection)) read_and_drop(connection);
            break;
    }
}

void connection_data(struct connection *connection, const uint8_t *bytes, size_t length) {
    if (connection->state == CONNECTION_ASKED) die(EXIT_PROTOCOL, "Data on channel %u before Connected", connection->channel->id);
    if (connection->down_ended) die(EXIT_PROTOCOL, "Data on channel %u after Eof", connection->channel->id);
    bool first = connection->down.length == 0 && connection->state == CONNECTION_OPEN;
    size_t done = 0;
    if (first && length > 0) {
        ssize_t n = send(connection->source.fd, bytes, length, MSG_NOSIGNAL);
        if (n < 0 && errno != EAGAIN && errno != EINTR) {
            connection_break(connection);
            return;
        }
        if (n > 0) done = (size_t) n;
    }
    if (waiting + length - done > MOST_WAITING) {
        log_line("%zu bytes wait for programs that do not read: ending a connection", waiting);
        connection_break(connection);
        return;
    }
    if (done < length) connection_tell(connection, bytes + done, length - done);
    channel_grant(connection->channel, connection->down.length);
    connection_watch(connection);
}

void connection_eof(struct connection *connection) {
    connection->down_ended = true;
    if (connection->state == CONNECTION_OPEN) settle(connection);
}

void connection_resume(struct connection *connection) {
    if (connection->state != CONNECTION_OPEN || !connection->blocked) return;
    connection->blocked = false;
    send_early(connection);
    settle(connection);
}

int connection_timeout(void) {
    if (timed_count == 0) {
        next_tick = 0;
        return -1;
    }
    int64_t now = now_millis();
    if (next_tick == 0) next_tick = now + TICK_MILLIS;
    return next_tick > now ? (int) (next_tick - now) : 0;
}

static void expire(struct connection *connection) {
    if (connection->deadline == 0 || connection->deadline > now_millis()) return;
    connection_set_deadline(connection, 0);
    if (connection->state == CONNECTION_HEAD) proxy_expired(connection);
    else if (connection->state == CONNECTION_DIALING) dial_expired(connection);
    else connection_drop(connection);
}

void connection_tick(void) {
    if (timed_count == 0 || now_millis() < next_tick) return;
    next_tick = now_millis() + TICK_MILLIS;
    connection_each(expire);
}
