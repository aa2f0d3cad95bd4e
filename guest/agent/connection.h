// A TCP connection of a program in the guest, and the channel that carries it on to the host.
#pragma once

#include "buffer.h"
#include "channel.h"
#include "http_body.h"
#include "loop.h"

struct known_name;

enum {
    MAX_EGRESS = 4096,
    // What waits for programs that do not read, all connections together. Each is bounded by the credit of its channel.
    MOST_WAITING = 64 * 1024 * 1024,
};

enum connection_state {
    // The proxy has not read yet where the program wants to go.
    CONNECTION_HEAD,
    // connect() to a port of the guest is under way.
    CONNECTION_DIALING,
    // The host has been asked.
    CONNECTION_ASKED,
    CONNECTION_OPEN,
    // The last answer goes out; what the program still says is dropped, for closing on unread bytes would take the answer back.
    CONNECTION_PARTING,
};

struct connection {
    struct source source;
    enum connection_state state;
    // The way of Connect, once it is known.
    int way;
    uint16_t port;
    struct channel *channel;
    // For the host: while HEAD what the program has said, then what is to be said to the host first.
    struct buffer up;
    // For the program.
    struct buffer down;
    // Plain HTTP: where the request ends.
    struct http_body body;
    // Direct: whose address it was.
    struct known_name *name;
    // By the host, with Dial.
    bool dialed, second_try;
    // SOCKS: the method has been chosen.
    bool greeted;
    // The program has ended its direction; the host knows it.
    bool up_ended, up_told;
    // The host has ended its direction; the program knows it.
    bool down_ended, down_told;
    // Waits for credit, or for room in the queue to the host.
    bool blocked;
    // Reset, or ended in both directions.
    bool hung;
    int64_t deadline;
    struct connection *previous, *next;
};

// Takes over a descriptor.
struct connection *connection_new(int fd, enum connection_state state, int way, uint16_t port);

// Opens a channel to where the program wants to go.
void connection_ask(struct connection *connection, const char *host, uint16_t port, int way);

// Both ends are there: bytes may flow.
void connection_open(struct connection *connection);

// Writes the last bytes that the program gets, and parts.
void connection_part(struct connection *connection, const void *bytes, size_t length);

// Queues bytes for the program.
void connection_tell(struct connection *connection, const void *bytes, size_t length);

// Writes what the program takes of them. False when it has gone, and the connection with it.
bool connection_write(struct connection *connection);

// Ends it with a reset, and tells the host if there is a channel.
void connection_break(struct connection *connection);

// Ends it with a reset, and the host has nothing more to learn.
void connection_drop(struct connection *connection);

// 0: none.
void connection_set_deadline(struct connection *connection, int milliseconds);

// Watches for what the connection waits for now.
void connection_watch(struct connection *connection);

unsigned connection_egress_count(void);
void connection_each(void (*visit)(struct connection *connection));

// From the host.
void connection_data(struct connection *connection, const uint8_t *bytes, size_t length);
void connection_eof(struct connection *connection);
void connection_resume(struct connection *connection);
void connection_close(struct connection *connection);

// Milliseconds until connection_tick has something to do; -1: nothing.
int connection_timeout(void);
void connection_tick(void);
