#define _GNU_SOURCE
#include "dial.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "failure.h"
#include "network.h"
#include "stream.h"

enum { CONNECT_MILLIS = 10000 };

// Returns a descriptor whose connect() is under way or done, or -1 with errno.
static int begin(int family, uint16_t port) {
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    const struct sockaddr *address = family == AF_INET ? (struct sockaddr *) &four : (struct sockaddr *) &six;
    int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    if (connect(fd, address, family == AF_INET ? sizeof four : sizeof six) == 0 || errno == EINPROGRESS) return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static void refuse(struct channel *channel, uint16_t port, int error) {
    char message[100];
    if (error == ECONNREFUSED) snprintf(message, sizeof message, "nothing in the guest listens on port %u", port);
    else snprintf(message, sizeof message, "port %u: %s", port, strerror(error));
    channel_send_failed(channel->id, error == ECONNREFUSED ? FAILED(NOT_FOUND) : failure_reason(error), message);
    channel_free(channel);
}

// The same on ::1, which never is the first choice; *fd takes the place of what was tried before.
static bool try_again(int *fd, uint16_t port) {
    int next = begin(AF_INET6, port);
    if (next < 0) return false;
    *fd = next;
    return true;
}

void dial_open(struct channel *channel, uint32_t port) {
    if (port == 0 || port > UINT16_MAX) {
        channel_send_failed(channel->id, FAILED(INVALID), "a port is a number from 1 to 65535");
        channel_free(channel);
        return;
    }
    if (network_is_own_port((uint16_t) port)) {
        refuse(channel, (uint16_t) port, ECONNREFUSED);
        return;
    }
    int fd = begin(AF_INET, (uint16_t) port);
    bool six = fd < 0;
    if (fd < 0 && (errno != ECONNREFUSED || !try_again(&fd, (uint16_t) port))) {
        // Also where there is no IPv6 at all, the first answer is the true one.
        refuse(channel, (uint16_t) port, errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL ? ECONNREFUSED : errno);
        return;
    }
    struct connection *connection = connection_new(fd, CONNECTION_DIALING, WAY(WAY_UNSPECIFIED), (uint16_t) port);
    connection->second_try = six;
    connection->channel = channel;
    channel->connection = connection;
    connection_set_deadline(connection, CONNECT_MILLIS);
    connection_watch(connection);
}

static void fail(struct connection *connection, int error) {
    struct channel *channel = connection->channel;
    connection->channel = NULL;
    refuse(channel, connection->port, error);
    connection_drop(connection);
}

void dial_ready(struct connection *connection) {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(connection->source.fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error == 0) {
        FRAME(frame, connection->channel->id, CONNECTED, connected, Connected);
        stream_send(&frame);
        connection->hung = false;
        connection_open(connection);
        return;
    }
    int fd;
    if (error != ECONNREFUSED || connection->second_try || !try_again(&fd, connection->port)) {
        fail(connection, error);
        return;
    }
    connection->second_try = true;
    connection->hung = false;
    source_close(&connection->source);
    connection->source.fd = fd;
    connection_watch(connection);
}

void dial_expired(struct connection *connection) {
    fail(connection, ETIMEDOUT);
}
