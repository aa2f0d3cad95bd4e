#define _GNU_SOURCE
#include "dns_tcp.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dns.h"
#include "dns_message.h"
#include "dns_question.h"
#include "log.h"
#include "loop.h"

enum { MAX_CONNECTIONS = 64, IDLE_MILLIS = 30000, PREFIX = 2 };

struct dns_connection {
    struct source source;
    // One question after the other: the next one is read when this one has been answered.
    uint8_t bytes[PREFIX + DNS_MOST];
    size_t length;
    bool asking;
    int64_t deadline;
    struct dns_connection *next;
};

static struct source listener = {.fd = -1};
static ino_t inode;
static struct dns_connection *connections;
static unsigned count;
static bool started;

void dns_tcp_drop(struct dns_connection *connection) {
    dns_abandon(connection);
    struct dns_connection **link = &connections;
    while (*link != connection) link = &(*link)->next;
    *link = connection->next;
    source_close(&connection->source);
    free(connection);
    count--;
    if (started) source_arm(&listener);
}

static void read_question(struct source *source, uint32_t events) {
    struct dns_connection *connection = source->owner;
    if (connection->asking) {
        if (events & (EPOLLHUP | EPOLLERR)) dns_tcp_drop(connection);
        return;
    }
    size_t wanted = PREFIX;
    if (connection->length >= PREFIX) wanted += (size_t) connection->bytes[0] << 8 | connection->bytes[1];
    ssize_t n = wanted > sizeof connection->bytes ? 0 : recv(source->fd, connection->bytes + connection->length, wanted - connection->length, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
        dns_tcp_drop(connection);
        return;
    }
    connection->length += (size_t) n;
    if (connection->length < wanted || wanted == PREFIX) return;
    connection->asking = true;
    connection->deadline = now_millis() + IDLE_MILLIS;
    source_watch(source, 0);
    struct asker asker = {.connection = connection};
    dns_question(&asker, connection->bytes + PREFIX, wanted - PREFIX);
}

void dns_tcp_answer(struct dns_connection *connection, const uint8_t *bytes, size_t length) {
    uint8_t message[PREFIX + DNS_MOST] = {(uint8_t) (length >> 8), (uint8_t) length};
    memcpy(message + PREFIX, bytes, length);
    connection->asking = false;
    connection->length = 0;
    // Who asks without reading the answers has no use for them.
    if (send(connection->source.fd, message, PREFIX + length, MSG_NOSIGNAL) != (ssize_t) (PREFIX + length)) dns_tcp_drop(connection);
    else source_watch(&connection->source, EPOLLIN);
}

static void accept_one(struct source *source, uint32_t events) {
    (void) events;
    int fd = count < MAX_CONNECTIONS ? accept4(source->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC) : -1;
    if (fd < 0) {
        if (count == MAX_CONNECTIONS || (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)) source_disarm(source);
        return;
    }
    struct dns_connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL) die(EXIT_INTERNAL, "out of memory for a connection");
    connection->deadline = now_millis() + IDLE_MILLIS;
    connection->next = connections;
    connections = connection;
    count++;
    source_init(&connection->source, fd, EPOLLIN, read_question, connection);
    source_arm(&connection->source);
}

void dns_tcp_open(uint32_t address, uint16_t port) {
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(address)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct stat stat;
    if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (fd < 0 || bind(fd, (struct sockaddr *) &local, sizeof local) != 0 || listen(fd, MAX_CONNECTIONS) != 0 || fstat(fd, &stat) != 0) {
        log_line("going on without DNS over TCP on port %u: %s", port, strerror(errno));
        if (fd >= 0) close(fd);
        return;
    }
    inode = stat.st_ino;
    source_init(&listener, fd, EPOLLIN, accept_one, NULL);
}

void dns_tcp_start(void) {
    started = true;
    source_arm(&listener);
}

bool dns_tcp_is_own_socket(ino_t other) {
    return listener.fd >= 0 && other == inode;
}

bool dns_tcp_is_busy(void) {
    return count > 0;
}

void dns_tcp_expire(int64_t now) {
    for (struct dns_connection *connection = connections, *next; connection != NULL; connection = next) {
        next = connection->next;
        if (connection->deadline <= now) dns_tcp_drop(connection);
    }
}

void dns_tcp_drop_all(void) {
    dns_tcp_expire(INT64_MAX);
}
